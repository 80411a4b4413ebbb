// Numbers that depend on the place of Y seen from X, with their first and second derivatives.
//
// Y moves by d of its pivot c, and turns by the rotation vector th about it: a point y of Y goes to
// c + d + R(th)(y - c), R(th) = exp(th). The six variables are (d, th), and all derivatives are taken at 0.
#ifndef TMLI_ELEMENT_SHAPE_GRADED_H
#define TMLI_ELEMENT_SHAPE_GRADED_H

#include "math/math3.h"

enum { TMLI_GRADED_SECOND = 21 };  // of the symmetric matrix of second derivatives, by rows, lower triangle

typedef struct tmli_graded {
    double v;
    double g[6];
    double H[TMLI_GRADED_SECOND];
} tmli_graded;

/** Index of the second derivative by variables i >= j. */
static inline int tmli_graded_index(int i, int j) { return i * (i + 1) / 2 + j; }

/** a x + b y + c */
static inline tmli_graded tmli_graded_sum(double a, const tmli_graded *x, double b, const tmli_graded *y,
                                          double c)
{
    tmli_graded out = {.v = a * x->v + b * y->v + c};
    for (int i = 0; i < 6; i++) out.g[i] = a * x->g[i] + b * y->g[i];
    for (int i = 0; i < TMLI_GRADED_SECOND; i++) out.H[i] = a * x->H[i] + b * y->H[i];
    return out;
}

/** a x + c */
static inline tmli_graded tmli_graded_line(double a, const tmli_graded *x, double c)
{
    tmli_graded out = {.v = a * x->v + c};
    for (int i = 0; i < 6; i++) out.g[i] = a * x->g[i];
    for (int i = 0; i < TMLI_GRADED_SECOND; i++) out.H[i] = a * x->H[i];
    return out;
}

static inline tmli_graded tmli_graded_product(const tmli_graded *x, const tmli_graded *y)
{
    tmli_graded out = {.v = x->v * y->v};
    for (int i = 0, k = 0; i < 6; i++) {
        out.g[i] = x->v * y->g[i] + y->v * x->g[i];
        for (int j = 0; j <= i; j++, k++)
            out.H[k] = x->v * y->H[k] + y->v * x->H[k] + x->g[i] * y->g[j] + x->g[j] * y->g[i];
    }
    return out;
}

/** A function of x with the value f and the derivatives f1, f2. */
static inline tmli_graded tmli_graded_function(double f, double f1, double f2, const tmli_graded *x)
{
    tmli_graded out = {.v = f};
    for (int i = 0, k = 0; i < 6; i++) {
        out.g[i] = f1 * x->g[i];
        for (int j = 0; j <= i; j++, k++) out.H[k] = f1 * x->H[k] + f2 * x->g[i] * x->g[j];
    }
    return out;
}

static inline tmli_graded tmli_graded_inverse(const tmli_graded *x)
{
    const double f = 1 / x->v;
    return tmli_graded_function(f, -f * f, 2 * f * f * f, x);
}

static inline tmli_graded tmli_graded_sqrt(const tmli_graded *x)
{
    const double f = sqrt(x->v);
    return tmli_graded_function(f, 0.5 / f, -0.25 / (f * x->v), x);
}

/** 1 - 3 x^2 + 2 x^3 from 0 to 1, constant before and after. */
static inline tmli_graded tmli_graded_falling(const tmli_graded *x)
{
    if (x->v <= 0) return (tmli_graded){.v = 1};
    if (x->v >= 1) return (tmli_graded){.v = 0};
    return tmli_graded_function(1 - x->v * x->v * (3 - 2 * x->v), -6 * x->v * (1 - x->v), -6 + 12 * x->v, x);
}

/** a.R r of a fixed vector a and one, r, that turns with Y: gradient r x a, second derivatives
 * (a r' + r a')/2 - (a.r) 1. */
static inline tmli_graded tmli_graded_turning(vec3 a, vec3 r)
{
    const vec3 t = v3_cross(r, a);
    const double x[3] = {a.x, a.y, a.z}, y[3] = {r.x, r.y, r.z}, v = v3_dot(a, r);
    tmli_graded out = {.v = v, .g = {0, 0, 0, t.x, t.y, t.z}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            out.H[tmli_graded_index(3 + i, 3 + j)] = (x[i] * y[j] + y[i] * x[j]) / 2 - (i == j ? v : 0);
    return out;
}

/** a.y of a fixed vector a and a point y of Y that is r from the pivot c */
static inline tmli_graded tmli_graded_point(vec3 a, vec3 c, vec3 r)
{
    tmli_graded out = tmli_graded_turning(a, r);
    out.v += v3_dot(a, c);
    out.g[0] += a.x;
    out.g[1] += a.y;
    out.g[2] += a.z;
    return out;
}

/** (e x R f).(y - a) of fixed e, a, and f and a point y of Y that is r from the pivot c: the distance of two
 * lines times the sine of their angle. */
static inline tmli_graded tmli_graded_crossing(vec3 e, vec3 a, vec3 f, vec3 c, vec3 r)
{
    const vec3 n = v3_cross(e, f);
    const tmli_graded one = tmli_graded_turning(v3_cross(v3_sub(c, a), e), f),
                      two = tmli_graded_turning(e, v3_cross(f, r));
    const double x[3] = {e.x, e.y, e.z}, y[3] = {f.x, f.y, f.z}, along = v3_dot(e, f);
    tmli_graded out = tmli_graded_sum(1, &one, 1, &two, 0);
    out.g[0] += n.x;
    out.g[1] += n.y;
    out.g[2] += n.z;
    // d.(e x (th x f)) = (e.f) d.th - (d.f) (e.th)
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out.H[tmli_graded_index(3 + j, i)] += (i == j ? along : 0) - y[i] * x[j];
    return out;
}

/** (y - a).R f of a fixed point a, and f and a point y of Y that is r from the pivot c */
static inline tmli_graded tmli_graded_along(vec3 a, vec3 f, vec3 c, vec3 r)
{
    tmli_graded out = tmli_graded_turning(v3_sub(c, a), f);
    const double y[3] = {f.x, f.y, f.z};
    out.v += v3_dot(r, f);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out.g[i] += y[i];
        // of d.(th x f): (th x f)_i = th_j f_k - th_k f_j
        out.H[tmli_graded_index(3 + j, i)] += y[k];
        out.H[tmli_graded_index(3 + k, i)] -= y[j];
    }
    return out;
}

#endif
