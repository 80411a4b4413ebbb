// Angles followed on paths; see turning.h.
//
// If both bodies rotate about the axis of the angle, it turns by as much as they do relative to each other,
// for any number of turns. Otherwise it is followed in small parts; if the path repeats itself, one period
// tells all of them.
#include "element/joint/turning.h"

#include <math.h>

#include "element/joint/constants.h"

bool tmli_turning_is_small(double size) { return !(size > UNCOUNTED_ROTATION) || isinf(size); }

// The angle is that of b in the plane of a2 and a, or, if a and a2 are the same, of a in the plane of b2 and
// b.
vec3 tmli_turning_axis(const tmli_measure *m, const mat3 *RA, const mat3 *RB)
{
    const vec3 d = v3_sub(m->b, m->b2);
    return v3_dot(d, d) == 0 ? m3_mulv(RA, v3_cross(m->a2, m->a)) : m3_mulv(RB, v3_cross(m->b, m->b2));
}

typedef struct plane_vector {
    double s, c;  // sine and cosine of the angle, times a common length
} plane_vector;

static plane_vector vector_at(const tmli_measure *m, const tmli_turning *p, double s)
{
    mat3 A, B;
    p->attitudes(p->user, s, &A, &B);
    return (plane_vector){.s = v3_dot(m3_mulv(&A, m->a), m3_mulv(&B, m->b)),
                          .c = v3_dot(m3_mulv(&A, m->a2), m3_mulv(&B, m->b2))};
}

// Change of the angle from `from` to `to`; size: rotation on this part [rad].
static double follow(const tmli_measure *m, const tmli_turning *p, double from, double to, double size)
{
    const double parts = fmin(ceil(size / FOLLOWED_ROTATION), FOLLOWED_PARTS);
    plane_vector last = vector_at(m, p, from);
    double sum = 0;
    for (double i = 1; i <= parts; i++) {
        const plane_vector now = vector_at(m, p, from + (to - from) * (i / parts));
        sum += atan2(now.s * last.c - now.c * last.s, now.c * last.c + now.s * last.s);
        last = now;
    }
    return sum;
}

double tmli_turning_change(const tmli_measure *m, const tmli_turning *p)
{
    if (tmli_turning_is_small(p->size)) return 0;
    if (p->across < AXIAL_ROTATION) return p->along;
    const double periods = p->period > 0 ? floor(1 / p->period) : 0, begin = periods * p->period;
    double sum = 0;
    if (periods > 0) sum = periods * follow(m, p, 0, p->period, p->size * p->period);
    return sum + follow(m, p, begin, 1, p->size * (1 - begin));
}
