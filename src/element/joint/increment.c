// Change of a measure over a finite increment, without cancellation: the error is relative to the change, not
// to the value.
//
// If the pose of a body changes by (dr, th), R1 = R0 exp(th~), a vector v of the body changes by
//   dx = R0 (exp(th~) - 1) v = R0 [ (sin a)/a  th x v + (1 - cos a)/a^2  th x (th x v) ],   a = |th|      (1)
// a point by dr + dx, and a product by
//   p1.q1 - p0.q0 = dp.q1 + p0.dq                                                                         (2)
// Constraints evaluated in this way have round-off of the size eps |step| instead of eps |position|.
// Accelerations and multipliers contain this round-off divided by h^2: at very small steps it decides whether
// they have valid digits.
#include "element/joint/measure.h"

#include <float.h>
#include <math.h>

// (sin a)/a. The term a^4/120 that its series omits is below a hundredth of the round-off.
static double sinc(double a)
{
    const double a2 = a * a;
    return a2 * a2 < DBL_EPSILON ? 1 - a2 / 6 : sin(a) / a;
}

tmli_pose_increment tmli_pose_increment_of(const double d[6])
{
    const vec3 th = v3_from(d + 3);
    const double a = v3_norm(th), half = a / 2;
    const double sinc_half = sinc(half);
    return (tmli_pose_increment){.dr = v3_from(d), .th = th, .s = sinc(a), .c = sinc_half * sinc_half / 2};
}

static vec3 vector_change(const tmli_pose *P, const tmli_pose_increment *t, vec3 v)
{
    const vec3 w = v3_cross(t->th, v);
    return m3_mulv(&P->R, v3_add(v3_scale(t->s, w), v3_scale(t->c, v3_cross(t->th, w))));  // (1)
}

// Change of (R_A a).(R_B b), and its value at the start
static double product_change(const tmli_pose *A, const tmli_pose *B, const tmli_pose_increment *tA,
                             const tmli_pose_increment *tB, vec3 a, vec3 b, double *start)
{
    const vec3 a0 = m3_mulv(&A->R, a), b0 = m3_mulv(&B->R, b), da = vector_change(A, tA, a),
               db = vector_change(B, tB, b);
    *start = v3_dot(a0, b0);
    return v3_dot(da, v3_add(b0, db)) + v3_dot(a0, db);  // (2)
}

double tmli_measure_increment(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B,
                              const tmli_pose_increment *tA, const tmli_pose_increment *tB)
{
    if (m->kind == TMLI_DOT1) {
        double start;
        return product_change(A, B, tA, tB, m->a, m->b, &start);
    }
    if (m->kind == TMLI_SLIP) return 0;
    if (m->kind == TMLI_SINE) {  // s1 - s0 = (c0^2 - c1^2)/(s0 + s1)
        double c0;
        const double dc = product_change(A, B, tA, tB, m->a, m->b, &c0), c1 = c0 + dc;
        return -dc * (c0 + c1) / (sqrt(1 - c0 * c0) + sqrt(1 - c1 * c1));
    }
    if (m->kind == TMLI_ANGLE) {
        double s0, c0;
        const double ds = product_change(A, B, tA, tB, m->a, m->b, &s0),
                     dc = product_change(A, B, tA, tB, m->a2, m->b2, &c0);
        return atan2(ds * c0 - dc * s0, c0 * (c0 + dc) + s0 * (s0 + ds));
    }
    if (m->kind == TMLI_ARCSINE) {
        double s0;
        const double ds = product_change(A, B, tA, tB, m->a, m->b, &s0), s1 = s0 + ds;
        const double c0 = sqrt(fmax((1 - s0) * (1 + s0), 0)), c1 = sqrt(fmax((1 - s1) * (1 + s1), 0));
        // sine and cosine of the change, with c0 - c1 = ds (s0 + s1)/(c0 + c1)
        const double slope = c0 + c1 > 0 ? c0 + s0 * (s0 + s1) / (c0 + c1) : 0;
        return atan2(ds * slope, c0 * c1 + s0 * s1);
    }
    const vec3 d0 = v3_sub(v3_add(B->r, m3_mulv(&B->R, m->s_B)), v3_add(A->r, m3_mulv(&A->R, m->s_A)));
    const vec3 dd =
        v3_add(v3_sub(tB->dr, tA->dr), v3_sub(vector_change(B, tB, m->s_B), vector_change(A, tA, m->s_A)));
    const vec3 d1 = v3_add(d0, dd);
    switch (m->kind) {
    case TMLI_COORD: return v3_dot(m->a, dd);
    case TMLI_DOT2: return v3_dot(vector_change(A, tA, m->a), d1) + v3_dot(m3_mulv(&A->R, m->a), dd);
    case TMLI_DIST2: return v3_dot(dd, v3_add(d0, d1)) / (2 * m->l0);
    default: {  // LENGTH
        const double sum = v3_norm(d0) + v3_norm(d1);
        return sum > 0 ? v3_dot(dd, v3_add(d0, d1)) / sum : 0;
    }
    }
}
