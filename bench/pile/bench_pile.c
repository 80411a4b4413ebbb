// 64 to 1000 spheres that have settled in a box (pile.h), in Trammel and, where they are installed, in MuJoCo
// and Bullet. Each simulator gets the coarsest of its settings whose penetration and error of the resting
// height are within the same bounds. Printed are processor time per step and point of contact, and per second
// of simulated time and point.
//
// usage: bench_pile [N ...]     (N^3 spheres; 4 6 8 10)
#include "pile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double DEPTH = 0.01, HEIGHT = 0.05;  // allowed, in radii

static const struct {
    const char *name;
    pile_run *run;
} simulators[] = {
    {"Trammel", pile_trammel},
#ifdef PILE_MUJOCO
    {"MuJoCo", pile_mujoco},
#endif
#ifdef PILE_BULLET
    {"Bullet", pile_bullet},
#endif
};

// Largest overlap of two spheres, or of one with the floor [m].
static double deepest(const pile *p, const double *x)
{
    const int count = p->n * p->n * p->n;
    double most = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, p->radius - x[3 * i + 2]);
        for (int j = 0; j < i; j++) {
            const double *a = x + 3 * i, *b = x + 3 * j;
            most = fmax(most, 2 * p->radius - hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
        }
    }
    return most;
}

// Largest distance of a height from that of rigid spheres [m].
static double height_error(const pile *p, const double *x)
{
    double most = 0;
    for (int i = 0; i < p->n * p->n * p->n; i++)
        most = fmax(most, fabs(x[3 * i + 2] - p->radius * (2 * (i / (p->n * p->n)) + 1)));
    return most;
}

static void compare(int n)
{
    const pile p = {.n = n, .radius = 0.05, .mass = 0.5, .drop = 0.002, .end = 1.2, .late = 1};
    pile_result r = {.position = calloc(3 * (size_t)(n * n * n), sizeof(double))};
    if (!r.position) exit(1);
    for (size_t s = 0; s < sizeof simulators / sizeof *simulators; s++) {
        bool good = false;
        double depth = NAN, height = NAN;
        for (int i = 0; !good && simulators[s].run(&p, i, &r); i++) {
            depth = deepest(&p, r.position) / p.radius;
            height = height_error(&p, r.position) / p.radius;
            good = depth <= DEPTH && height <= HEIGHT;
            if (getenv("PILE_ALL"))
                printf("    %-10s %-26s depth %.4f height %.4f, %.0f contacts, %.3g s\n", simulators[s].name,
                       r.setting, depth, height, r.contacts, r.seconds);
        }
        printf("%7d %-8s %9.0f %9.3f %9.3f %12.3f %14.1f   %s%s\n", n * n * n, simulators[s].name, r.contacts,
               depth, height, 1e6 * r.seconds / (double)r.steps / r.contacts,
               1e6 * r.seconds / (p.end - p.late) / r.contacts, r.setting, good ? "" : " (bounds not met)");
        fflush(stdout);
    }
    free(r.position);
}

int main(int argc, char **argv)
{
    static const int usual[] = {4, 6, 8, 10};
    printf("%7s %-8s %9s %9s %9s %12s %14s   %s\n", "spheres", "", "contacts", "depth/r", "height/r",
           "us/step/con", "us/s/contact", "setting");
    for (int i = 1; i < argc; i++) compare(atoi(argv[i]));
    for (int i = 0; i < 4 && argc == 1; i++) compare(usual[i]);
    return 0;
}
