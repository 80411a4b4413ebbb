// A pile of n^3 spheres in a box that just fits: they fall by a little and rest in layers, each sphere on the
// one below. Rigid spheres would rest at the heights r (2 l - 1); every simulator lets them sink in by some
// depth, which is set by its stiffness, its steps and iterations.
#ifndef BENCH_PILE_H
#define BENCH_PILE_H

#include <stdbool.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pile {
    int n;
    double radius, mass;  // [m], [kg]
    double drop;          // gap between layers at the start [m]
    double end;           // [s]
    double late;          // the cost is measured from here on, at rest [s]
} pile;

typedef struct pile_result {
    char setting[60];
    double seconds;    // processor time from `late` on
    long steps;        // from there on
    double contacts;   // points of contact at the end
    double *position;  // (n^3 x 3) [m]; z up
} pile_result;

/** Run the pile with setting i of a simulator, 0 the coarsest. False: there is no such setting. */
typedef bool pile_run(const pile *p, int i, pile_result *out);
pile_run pile_trammel, pile_mujoco, pile_bullet;

/** Start of sphere i: (a, b, l) = (i % n, i / n % n, i / n^2). */
static inline void pile_start(const pile *p, int i, double x[3])
{
    const double middle = (p->n - 1) / 2.0;
    x[0] = 2 * p->radius * (i % p->n - middle);
    x[1] = 2 * p->radius * (i / p->n % p->n - middle);
    x[2] = p->radius + p->drop + (2 * p->radius + p->drop) * (i / (p->n * p->n));
}

static inline double pile_clock(void) { return (double)clock() / CLOCKS_PER_SEC; }

#ifdef __cplusplus
}
#endif

#endif
