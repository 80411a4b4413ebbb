// Numbers with their exact derivatives by up to TMLI_DUALS variables (forward differentiation). A function
// written with them gives its value alone, at n = 0, or the value and all derivatives.
#ifndef TMLI_ELEMENT_TYRE_DUAL_H
#define TMLI_ELEMENT_TYRE_DUAL_H

#include "math/math3.h"

enum { TMLI_DUALS = 14 };

typedef struct tmli_dual {
    double v;
    int n;  // derivatives d[0..n-1]; all others are 0
    double d[TMLI_DUALS];
} tmli_dual;

typedef struct tmli_dual3 {
    tmli_dual x[3];
} tmli_dual3;

static inline tmli_dual tmli_dual_constant(double v) { return (tmli_dual){.v = v}; }

/** A function of a with the value v and the derivative v_a. */
static inline tmli_dual tmli_dual_of(double v, double v_a, const tmli_dual *a)
{
    tmli_dual r = {.v = v, .n = a->n};
    for (int k = 0; k < r.n; k++) r.d[k] = v_a * a->d[k];
    return r;
}

/** A function of a and b with the value v and the derivatives v_a, v_b. */
static inline tmli_dual tmli_dual_of2(double v, double v_a, const tmli_dual *a, double v_b,
                                      const tmli_dual *b)
{
    tmli_dual r = {.v = v, .n = a->n > b->n ? a->n : b->n};
    for (int k = 0; k < r.n; k++) r.d[k] = v_a * a->d[k] + v_b * b->d[k];
    return r;
}

/** s a + t b */
static inline tmli_dual tmli_dual_sum(double s, tmli_dual a, double t, tmli_dual b)
{
    return tmli_dual_of2(s * a.v + t * b.v, s, &a, t, &b);
}
static inline tmli_dual tmli_dual_scale(double s, tmli_dual a) { return tmli_dual_of(s * a.v, s, &a); }
static inline tmli_dual tmli_dual_mul(tmli_dual a, tmli_dual b)
{
    return tmli_dual_of2(a.v * b.v, b.v, &a, a.v, &b);
}
static inline tmli_dual tmli_dual_div(tmli_dual a, tmli_dual b)
{
    return tmli_dual_of2(a.v / b.v, 1 / b.v, &a, -a.v / (b.v * b.v), &b);
}
/** |a|; without a derivative at 0 */
static inline tmli_dual tmli_dual_abs(tmli_dual a)
{
    return tmli_dual_of(fabs(a.v), a.v > 0 ? 1 : a.v < 0 ? -1 : 0, &a);
}
/** sqrt(a^2 + b^2); without a derivative at 0 */
static inline tmli_dual tmli_dual_hypot(tmli_dual a, tmli_dual b)
{
    const double r = hypot(a.v, b.v), inverse = r > 0 ? 1 / r : 0;
    return tmli_dual_of2(r, a.v * inverse, &a, b.v * inverse, &b);
}

static inline tmli_dual3 tmli_dual3_constant(vec3 a)
{
    return (tmli_dual3){{tmli_dual_constant(a.x), tmli_dual_constant(a.y), tmli_dual_constant(a.z)}};
}
static inline tmli_dual3 tmli_dual3_scale(tmli_dual s, const tmli_dual3 *a)
{
    return (tmli_dual3){{tmli_dual_mul(s, a->x[0]), tmli_dual_mul(s, a->x[1]), tmli_dual_mul(s, a->x[2])}};
}
/** s a + b */
static inline tmli_dual3 tmli_dual3_axpy(tmli_dual s, const tmli_dual3 *a, const tmli_dual3 *b)
{
    tmli_dual3 r;
    for (int i = 0; i < 3; i++) r.x[i] = tmli_dual_sum(1, tmli_dual_mul(s, a->x[i]), 1, b->x[i]);
    return r;
}
static inline tmli_dual tmli_dual3_dot(const tmli_dual3 *a, const tmli_dual3 *b)
{
    const tmli_dual first =
        tmli_dual_sum(1, tmli_dual_mul(a->x[0], b->x[0]), 1, tmli_dual_mul(a->x[1], b->x[1]));
    return tmli_dual_sum(1, first, 1, tmli_dual_mul(a->x[2], b->x[2]));
}
static inline tmli_dual3 tmli_dual3_cross(const tmli_dual3 *a, const tmli_dual3 *b)
{
    tmli_dual3 r;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        r.x[i] = tmli_dual_sum(1, tmli_dual_mul(a->x[j], b->x[k]), -1, tmli_dual_mul(a->x[k], b->x[j]));
    }
    return r;
}

#endif
