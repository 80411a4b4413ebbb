// Numbers that change with the place of a pair: d(v) = move.b' + turn.th as in (4) of point.h, about a point
// b.
#ifndef TMLI_ELEMENT_SHAPE_GRADED_H
#define TMLI_ELEMENT_SHAPE_GRADED_H

#include "math/math3.h"

typedef struct tmli_graded {
    double v;
    vec3 move, turn;
} tmli_graded;

static inline tmli_graded tmli_graded_product(tmli_graded a, tmli_graded b)
{
    return (tmli_graded){a.v * b.v, v3_add(v3_scale(a.v, b.move), v3_scale(b.v, a.move)),
                         v3_add(v3_scale(a.v, b.turn), v3_scale(b.v, a.turn))};
}

/** A function of a with the value v and the derivative `slope`. */
static inline tmli_graded tmli_graded_function(double slope, double v, tmli_graded a)
{
    return (tmli_graded){v, v3_scale(slope, a.move), v3_scale(slope, a.turn)};
}

/** a x + b y + c */
static inline tmli_graded tmli_graded_sum(double a, tmli_graded x, double b, tmli_graded y, double c)
{
    return (tmli_graded){a * x.v + b * y.v + c, v3_add(v3_scale(a, x.move), v3_scale(b, y.move)),
                         v3_add(v3_scale(a, x.turn), v3_scale(b, y.turn))};
}

/** 1 - 3 x^2 + 2 x^3 from 0 to 1, constant before and after. */
static inline tmli_graded tmli_graded_falling(tmli_graded x)
{
    if (x.v <= 0) return (tmli_graded){.v = 1};
    if (x.v >= 1) return (tmli_graded){.v = 0};
    return tmli_graded_function(-6 * x.v * (1 - x.v), 1 - x.v * x.v * (3 - 2 * x.v), x);
}

/** The same number about another point: b'_to = b'_from + th x (to - from). */
static inline tmli_graded tmli_graded_about(tmli_graded x, vec3 from, vec3 to)
{
    x.turn = v3_sub(x.turn, v3_cross(v3_sub(to, from), x.move));
    return x;
}

#endif
