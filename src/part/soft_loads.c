// Load cases of geometric stiffening in soft directions; (10) of docs/theory/modal.md holds for stiff ones.
//
// A unit load on a coordinate of the interface, with the reference node clamped, deforms the part by
// x = inv(K) e_j, which vibrates at w^2 = x'K x/x'M x by itself. It is soft if that is not far above the
// lowest frequency of the clamped part: that of the bending which the load is to stiffen.
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "part/part.h"

#include <math.h>
#include <string.h>

#include "part/constants.h"

enum { ITERATIONS = 30 };  // of the lowest frequency, which needs two digits

typedef struct clamped {
    const tml_part *part;
    int n;          // without the coordinates of the reference node
    double *L;      // (n x n) factor of K
    double *x, *y;  // (n)
} clamped;

// Index in the part of coordinate i.
static int of_part(const clamped *c, int i) { return i < 6 * c->part->reference ? i : i + 6; }

// x := inv(K) x
static void solve(const clamped *c, double *x)
{
    const double one = 1;
    const int n = c->n, columns = 1;
    tmli_dtrsm("L", "L", "N", "N", &n, &columns, &one, c->L, &n, x, &n, 1, 1, 1, 1);
    tmli_dtrsm("L", "L", "T", "N", &n, &columns, &one, c->L, &n, x, &n, 1, 1, 1, 1);
}

// y := A x, for a matrix of the part; returns x'A x.
static double multiply(const clamped *c, const double *A, const double *x, double *y)
{
    double product = 0;
    for (int i = 0; i < c->n; i++) {
        const double *row = A + (size_t)of_part(c, i) * (size_t)c->part->N;
        y[i] = 0;
        for (int j = 0; j < c->n; j++) y[i] += row[of_part(c, j)] * x[j];
        product += x[i] * y[i];
    }
    return product;
}

static double frequency_of(const clamped *c, const double *x, double *y)
{
    const double stiffness = multiply(c, c->part->K, x, y), mass = multiply(c, c->part->M, x, y);
    return sqrt(stiffness / mass) / 6.28318530717958647692;
}

// Inverse iteration.
static double lowest_frequency(const clamped *c)
{
    double lowest = INFINITY;
    for (int i = 0; i < c->n; i++) c->x[i] = 1;
    for (int k = 0; k < ITERATIONS; k++) {
        double size = 0;
        multiply(c, c->part->M, c->x, c->y);
        memcpy(c->x, c->y, (size_t)c->n * sizeof *c->x);
        solve(c, c->x);
        for (int i = 0; i < c->n; i++) size = fmax(size, fabs(c->x[i]));
        for (int i = 0; i < c->n; i++) c->x[i] /= size;
        lowest = fmin(lowest, frequency_of(c, c->x, c->y));
    }
    return lowest;
}

static void look_at(const clamped *c, int coordinate, double lowest)
{
    const tml_part *p = c->part;
    const int at = coordinate < 6 * p->reference ? coordinate : coordinate - 6;
    memset(c->x, 0, (size_t)c->n * sizeof *c->x);
    c->x[at] = 1;
    solve(c, c->x);
    const double own = frequency_of(c, c->x, c->y);
    if (!(own < SOFT_LOAD * lowest)) return;
    tmli_log(&p->env, TML_LOG_WARNING,
             "load case '%s.%s' is soft: it deforms the part as at %.3g Hz, and the lowest frequency of the "
             "part with '%s' clamped is %.3g Hz. Geometric stiffness holds for stiff directions, along a rod "
             "or in the plane of a plate; in a soft one it counts the same bending again, and frequencies "
             "come out wrong. Leave this case out",
             p->name[coordinate / 6], tmli_node_coordinate[coordinate % 6], own, p->name[p->reference],
             lowest);
}

tml_status tmli_part_warn_of_soft_loads(const tml_part *p, tml_error *err)
{
    clamped c = {.part = p, .n = p->N - 6};
    const size_t n = (size_t)c.n;
    int info = 0, loads = 0;
    for (int k = 0; k < p->nstiffening; k++) loads += p->stiffening[k].coordinate >= 0;
    if (loads == 0) return TML_OK;
    c.L = tmli_calloc(&p->env, n * n + 2 * n, sizeof *c.L);
    if (!c.L) return tmli_no_memory(err, "part");
    c.x = c.L + n * n;
    c.y = c.x + n;
    for (int i = 0; i < c.n; i++)
        for (int j = 0; j < c.n; j++)
            c.L[(size_t)i * n + (size_t)j] =
                p->K[(size_t)of_part(&c, i) * (size_t)p->N + (size_t)of_part(&c, j)];
    tmli_dpotrf("L", &c.n, c.L, &c.n, &info, 1);
    const double lowest = info == 0 ? lowest_frequency(&c) : NAN;
    for (int k = 0; k < p->nstiffening && info == 0; k++)
        if (p->stiffening[k].coordinate >= 0) look_at(&c, p->stiffening[k].coordinate, lowest);
    tmli_free(&p->env, c.L);
    return TML_OK;
}
