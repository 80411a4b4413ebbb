// Vectors and matrices of three dimensions, unit quaternions, and the maps of the rotation group SO(3).
// Quaternions are scalar first (e0, e1, e2, e3); R(p) maps body to inertial components. x~ is the skew matrix
// of x.
#ifndef TMLI_MATH_MATH3_H
#define TMLI_MATH_MATH3_H

#include <math.h>

typedef struct vec3 {
    double x, y, z;
} vec3;
typedef struct mat3 {
    double m[9];
} mat3;  // row-major
typedef struct quat {
    double e0, e1, e2, e3;
} quat;

static inline vec3 v3(double x, double y, double z) { return (vec3){x, y, z}; }
static inline vec3 v3_from(const double *p) { return (vec3){p[0], p[1], p[2]}; }
static inline void v3_store(vec3 a, double *p)
{
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}
static inline vec3 v3_add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 v3_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 v3_scale(double s, vec3 a) { return (vec3){s * a.x, s * a.y, s * a.z}; }
static inline vec3 v3_axpy(double s, vec3 a, vec3 b)
{
    return (vec3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}
static inline double v3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double v3_norm(vec3 a) { return sqrt(v3_dot(a, a)); }
static inline vec3 v3_cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline mat3 m3_identity(void) { return (mat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}}; }
static inline mat3 m3_skew(vec3 a) { return (mat3){{0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}}; }
static inline mat3 m3_outer(vec3 a, vec3 b)
{
    return (mat3){
        {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z}};
}
static inline vec3 m3_mulv(const mat3 *A, vec3 x)
{
    const double *m = A->m;
    return (vec3){m[0] * x.x + m[1] * x.y + m[2] * x.z, m[3] * x.x + m[4] * x.y + m[5] * x.z,
                  m[6] * x.x + m[7] * x.y + m[8] * x.z};
}
/** transpose(A) x */
static inline vec3 m3_tmulv(const mat3 *A, vec3 x)
{
    const double *m = A->m;
    return (vec3){m[0] * x.x + m[3] * x.y + m[6] * x.z, m[1] * x.x + m[4] * x.y + m[7] * x.z,
                  m[2] * x.x + m[5] * x.y + m[8] * x.z};
}
static inline vec3 m3_col(const mat3 *A, int j) { return (vec3){A->m[j], A->m[3 + j], A->m[6 + j]}; }
static inline mat3 m3_from_cols(vec3 a, vec3 b, vec3 c)
{
    return (mat3){{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}
/** Axes with z along a unit vector. */
static inline mat3 m3_axes_along(vec3 axis)
{
    const vec3 other = fabs(axis.x) < 0.8 ? v3(1, 0, 0) : v3(0, 1, 0), across = v3_cross(axis, other);
    const vec3 y = v3_scale(1 / v3_norm(across), across);
    return m3_from_cols(v3_cross(y, axis), y, axis);
}
static inline mat3 m3_transpose(const mat3 *A)
{
    const double *m = A->m;
    return (mat3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}
static inline mat3 m3_mul(const mat3 *A, const mat3 *B)
{
    mat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[3 * i + j] =
                A->m[3 * i] * B->m[j] + A->m[3 * i + 1] * B->m[3 + j] + A->m[3 * i + 2] * B->m[6 + j];
    return C;
}
static inline mat3 m3_add(const mat3 *A, const mat3 *B)
{
    mat3 C;
    for (int i = 0; i < 9; i++) C.m[i] = A->m[i] + B->m[i];
    return C;
}
static inline mat3 m3_scale(double s, const mat3 *A)
{
    mat3 C;
    for (int i = 0; i < 9; i++) C.m[i] = s * A->m[i];
    return C;
}

static inline quat q_from(const double *p) { return (quat){p[0], p[1], p[2], p[3]}; }
static inline void q_store(quat q, double *p)
{
    p[0] = q.e0;
    p[1] = q.e1;
    p[2] = q.e2;
    p[3] = q.e3;
}
static inline quat q_mul(quat a, quat b)
{
    return (quat){a.e0 * b.e0 - a.e1 * b.e1 - a.e2 * b.e2 - a.e3 * b.e3,
                  a.e0 * b.e1 + a.e1 * b.e0 + a.e2 * b.e3 - a.e3 * b.e2,
                  a.e0 * b.e2 - a.e1 * b.e3 + a.e2 * b.e0 + a.e3 * b.e1,
                  a.e0 * b.e3 + a.e1 * b.e2 - a.e2 * b.e1 + a.e3 * b.e0};
}
static inline quat q_conj(quat a) { return (quat){a.e0, -a.e1, -a.e2, -a.e3}; }
static inline quat q_normalize(quat a)
{
    const double s = 1 / sqrt(a.e0 * a.e0 + a.e1 * a.e1 + a.e2 * a.e2 + a.e3 * a.e3);
    return (quat){s * a.e0, s * a.e1, s * a.e2, s * a.e3};
}
static inline mat3 q_matrix(quat p)
{
    const double a = p.e0, b = p.e1, c = p.e2, d = p.e3;
    return (mat3){{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c),
                   2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b),
                   2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d}};
}

/** Unit quaternion of a rotation matrix; starts from the largest component to avoid cancellation. */
quat tmli_quat_from_matrix(const mat3 *R);
/** Unit quaternion of exp(x~), x [rad] rotation vector. */
quat tmli_so3_exp(vec3 x);
/** Rotation vector of a unit quaternion, |x| <= pi. */
vec3 tmli_so3_log(quat p);
/** Rotation vector of the same rotation as x, with the full turns that bring it nearest to `near`. */
vec3 tmli_so3_add_turns(vec3 x, vec3 near);
/** Rotation vector of exp(a~) exp(b~), nearest to a + b. */
vec3 tmli_so3_compose(vec3 a, vec3 b);
/** Tangent operator of exp from the right: R(x + dx) = R(x) exp((T dx)~), so w = T(x) xdot in the body frame.
 *   T(x) = I - (1 - cos a)/a^2 x~ + (a - sin a)/a^3 x~ x~,  a = |x|; series near 0. */
mat3 tmli_so3_tangent(vec3 x);
/** inverse(T(x)) = I + x~/2 + c x~ x~,  c = (1 - (a/2) cot(a/2)) / a^2; series near 0; |x| < 2 pi. */
mat3 tmli_so3_tangent_inverse(vec3 x);
/** (d/dt T(x)) v where x has the rate v:
 *   T' v = c2 v x (x x v) + 2 (x.v) (dc2/ds x x (x x v) - dc1/ds x x v)
 * with s = |x|^2 and the factors c1, c2 of T(x). */
vec3 tmli_so3_tangent_rate(vec3 x, vec3 v);
/** c of tmli_so3_tangent_inverse at s = |x|^2, and its derivative by s. */
void tmli_so3_tangent_inverse_coef(double s, double *c, double *dc);
/** Its second derivative by s. */
double tmli_so3_tangent_inverse_coef_second(double s);
/** Derivative of inverse(T(x))' y by x at constant y (3 x 3): column j is the derivative by x_j. */
mat3 tmli_so3_tangent_inverse_tmulv_dx(vec3 x, vec3 y);
/** Derivative of inverse(T(x)) y by x at constant y (3 x 3). */
mat3 tmli_so3_tangent_inverse_mulv_dx(vec3 x, vec3 y);

#endif
