// The maps of SO(3): exponential, logarithm, and the tangent operator of the exponential with its inverse.
//
//   exp:   p = (cos(a/2), sin(a/2)/a x),  a = |x|                                                       (1)
//   log:   x = 2 atan2(n, e0)/n (e1, e2, e3),  n = |(e1, e2, e3)|,  sign of p chosen so that e0 >= 0     (2)
//   T(x)   = I - c1 x~ + c2 x~ x~,  c1 = (1 - cos a)/a^2 = (sin(a/2)/(a/2))^2 / 2,  c2 = (a - sin a)/a^3 (3)
//   1/T(x) = I + x~/2 + c x~ x~,  c = (1 - (a/2) cot(a/2))/a^2                                           (4)
//
// atan2 in (2) keeps full accuracy at half turns, where arccos of e0 or of the trace loses half the digits.
// (4) cancels for small a. The partial fractions of the cotangent have only positive terms,
//
//   c = sum_{n >= 1} 2/((2 pi n)^2 - a^2) = 2/(4 pi^2 - a^2) + sum_{k >= 1} b_k a^(2k-2),                (5)
//   b_k = 2 (zeta(2k) - 1)/(2 pi)^(2k),
//
// and without the pole n = 1 the terms of the series in a^2 decrease by (a/(4 pi))^2 < 1/15 up to a = pi,
// where (5) is used. Beyond pi the cotangent is negative and (4) does not cancel. x is in radians.
#include "math/math3.h"
#include "math/series.h"

#include <float.h>
#include <stdbool.h>

#define PI_ 3.14159265358979323846

// c2 is the sum of the odd series times a^(2k); for a^2 <= 4 the first omitted term is below 1e-17 of it.
enum { C_TERMS = 15, C2_TERMS = 11 };

// b_k of (5). For a^2 <= 10 the first omitted term is below 1e-17 of the sum and of its derivative.
static const double c_series[C_TERMS] = {
    3.26727415121644479412e-02, 1.05641107053346995377e-04, 5.63737028287684532902e-07,
    3.35714192665745120317e-09, 2.07428729041660451766e-11, 1.30004821386989750506e-13,
    8.19605205569100818845e-16, 5.18011819616972402113e-18, 3.27753917470179213139e-20,
    2.07474018785936042101e-22, 1.31362418071665342465e-24, 8.31800319518926396252e-27,
    5.26726299683423109803e-29, 3.33548429882214430383e-31, 2.11220633231838847457e-33,
};

// c and its derivative by s = a^2
typedef struct coef {
    double c, dc;
} coef;

static coef inverse_coef(double s)
{
    if (s <= 10) {  // just above pi^2
        double sum = c_series[C_TERMS - 1], slope = 0;
        for (int k = C_TERMS - 2; k >= 0; k--) {
            slope = slope * s + sum;
            sum = sum * s + c_series[k];
        }
        const double pole = 1 / (4 * PI_ * PI_ - s);
        return (coef){2 * pole + sum, 2 * pole * pole + slope};  // (5)
    }
    const double h = 0.5 * sqrt(s), sine = sin(h), cot = cos(h) / sine;
    const double c = (1 - h * cot) / s;
    // d(h cot h)/dh = cot h - h/sin^2 h and dh/ds = 1/(8 h)
    return (coef){c, ((1 / (sine * sine) - cot / h) / 8 - c) / s};
}

quat tmli_quat_from_matrix(const mat3 *R)
{
    const double *m = R->m;
    const double trace = m[0] + m[4] + m[8];
    quat p;  // 4 e_i times (e0, e1, e2, e3), with i the largest component
    if (trace >= m[0] && trace >= m[4] && trace >= m[8])
        p = (quat){1 + trace, m[7] - m[5], m[2] - m[6], m[3] - m[1]};
    else if (m[0] >= m[4] && m[0] >= m[8])
        p = (quat){m[7] - m[5], 1 + 2 * m[0] - trace, m[1] + m[3], m[2] + m[6]};
    else if (m[4] >= m[8]) p = (quat){m[2] - m[6], m[1] + m[3], 1 + 2 * m[4] - trace, m[5] + m[7]};
    else p = (quat){m[3] - m[1], m[2] + m[6], m[5] + m[7], 1 + 2 * m[8] - trace};
    if (p.e0 < 0) p = (quat){-p.e0, -p.e1, -p.e2, -p.e3};
    return q_normalize(p);
}

quat tmli_so3_exp(vec3 x)  // (1)
{
    const double s = v3_dot(x, x);
    if (s < 1e-6) {  // sin(a/2)/a and cos(a/2); the omitted terms are below 1e-23
        const double f = 0.5 - s * (1 / 48.0 - s / 3840.0);
        return (quat){1 - s * (1 / 8.0 - s / 384.0), f * x.x, f * x.y, f * x.z};
    }
    const double a = sqrt(s), f = sin(0.5 * a) / a;
    return (quat){cos(0.5 * a), f * x.x, f * x.y, f * x.z};
}

vec3 tmli_so3_log(quat p)  // (2)
{
    const double sign = p.e0 < 0 ? -1 : 1;
    const vec3 v = v3(sign * p.e1, sign * p.e2, sign * p.e3);
    const double e0 = fabs(p.e0), s = v3_dot(v, v);
    if (s < 1e-6 * e0 * e0) {  // 2 atan(t)/t, t^2 = s/e0^2; the omitted term is t^8/9
        const double t2 = s / (e0 * e0);
        return v3_scale((2 - t2 * (2 / 3.0 - t2 * (2 / 5.0 - t2 * (2 / 7.0)))) / e0, v);
    }
    const double n = sqrt(s);
    return v3_scale(2 * atan2(n, e0) / n, v);
}

// The rotation vectors of one rotation lie on its axis, a full turn apart. A rotation by a multiple of a full
// turn has no axis of its own: round-off across `near` is dropped there.
vec3 tmli_so3_add_turns(vec3 x, vec3 near)
{
    const vec3 apart = v3_sub(near, x);
    if (!(v3_dot(apart, apart) > PI_ * PI_)) return x;
    const double two_pi = 2 * PI_, noise = 64 * DBL_EPSILON, size2 = v3_dot(near, near),
                 along = v3_dot(x, near) / size2;
    const vec3 across = v3_axpy(-along, near, x);
    const bool parallel = v3_dot(across, across) <= noise * noise * size2;
    const double size = sqrt(size2), a = parallel ? along * size : v3_norm(x);
    const vec3 axis = parallel ? v3_scale(1 / size, near) : v3_scale(1 / a, x);
    return v3_scale(a + two_pi * round((v3_dot(axis, near) - a) / two_pi), axis);
}

vec3 tmli_so3_compose(vec3 a, vec3 b)
{
    return tmli_so3_add_turns(tmli_so3_log(q_mul(tmli_so3_exp(a), tmli_so3_exp(b))), v3_add(a, b));
}

// I + skew x~ + square x~ x~
static mat3 rotation_polynomial(double skew, double square, vec3 x)
{
    const double xx = square * x.x * x.x, yy = square * x.y * x.y, zz = square * x.z * x.z;
    const double xy = square * x.x * x.y, xz = square * x.x * x.z, yz = square * x.y * x.z;
    const double sx = skew * x.x, sy = skew * x.y, sz = skew * x.z;
    return (mat3){
        {1 - yy - zz, xy - sz, xz + sy, xy + sz, 1 - xx - zz, yz - sx, xz - sy, yz + sx, 1 - xx - yy}};
}

mat3 tmli_so3_tangent(vec3 x)  // (3)
{
    const double s = v3_dot(x, x), a = sqrt(s);
    const double sinc = s < 1e-6 ? 1 - s * (1 / 24.0 - s / 1920.0) : sin(0.5 * a) / (0.5 * a);
    double c2;
    if (s <= 4) {
        c2 = tmli_odd_series[C2_TERMS - 1];
        for (int k = C2_TERMS - 2; k >= 0; k--) c2 = c2 * s + tmli_odd_series[k];
    } else {
        c2 = (a - sin(a)) / (a * s);
    }
    return rotation_polynomial(-0.5 * sinc * sinc, c2, x);
}

vec3 tmli_so3_tangent_rate(vec3 x, vec3 v)
{
    const double s = v3_dot(x, x), a = sqrt(s);
    double c2, d1 = 0, d2 = 0;  // derivatives by s of c1 and c2
    if (s <= 4) {               // the series of c1 has the terms (2k + 3) times those of c2
        c2 = tmli_odd_series[C2_TERMS - 1];
        for (int k = C2_TERMS - 1; k >= 1; k--) {
            d1 = d1 * s + k * (2 * k + 3) * tmli_odd_series[k];
            d2 = d2 * s + k * tmli_odd_series[k];
            c2 = c2 * s + tmli_odd_series[k - 1];
        }
    } else {
        const double c1 = (1 - cos(a)) / s;
        c2 = (a - sin(a)) / (a * s);
        d1 = (sin(a) / a - 2 * c1) / (2 * s);
        d2 = (c1 - 3 * c2) / (2 * s);
    }
    const double along = 2 * v3_dot(x, v);
    const vec3 turn = v3_cross(x, v), second = v3_cross(x, turn);
    return v3_axpy(c2, v3_cross(v, turn), v3_scale(along, v3_axpy(d2, second, v3_scale(-d1, turn))));
}

mat3 tmli_so3_tangent_inverse(vec3 x)  // (4)
{
    return rotation_polynomial(0.5, inverse_coef(v3_dot(x, x)).c, x);
}

void tmli_so3_tangent_inverse_coef(double s, double *c, double *dc)
{
    const coef k = inverse_coef(s);
    *c = k.c;
    *dc = k.dc;
}

double tmli_so3_tangent_inverse_coef_second(double s)
{
    if (s <= 10) {
        double sum = 0;
        for (int k = C_TERMS - 1; k >= 2; k--) sum = sum * s + k * (k - 1) * c_series[k];
        const double pole = 1 / (4 * PI_ * PI_ - s);
        return 4 * pole * pole * pole + sum;  // of (5)
    }
    const coef k = inverse_coef(s);  // h cot h = 1 - s c solves 2 s c' = 1/4 - 3 c + s c^2
    return (k.c * k.c + 2 * s * k.c * k.dc - 5 * k.dc) / (2 * s);
}

// Derivative by x of skew x~ y + c(|x|^2) x~ x~ y, with x~ x~ y = x (x.y) - y (x.x).
static mat3 inverse_mulv_dx(double skew, vec3 x, vec3 y)
{
    const double s = v3_dot(x, x), xy = v3_dot(x, y);
    const coef k = inverse_coef(s);
    const vec3 dc = v3_scale(2 * k.dc, v3_sub(v3_scale(xy, x), v3_scale(s, y)));  // times x': c through |x|^2
    const vec3 left = v3_axpy(-2 * k.c, y, dc);
    const vec3 z = v3_scale(-skew, y);
    const mat3 by_x = m3_outer(left, x), by_y = m3_outer(v3_scale(k.c, x), y);
    const double d = k.c * xy;
    const mat3 rest = {{d, -z.z, z.y, z.z, d, -z.x, -z.y, z.x, d}};
    const mat3 sum = m3_add(&by_x, &by_y);
    return m3_add(&sum, &rest);
}

mat3 tmli_so3_tangent_inverse_tmulv_dx(vec3 x, vec3 y) { return inverse_mulv_dx(-0.5, x, y); }

mat3 tmli_so3_tangent_inverse_mulv_dx(vec3 x, vec3 y) { return inverse_mulv_dx(0.5, x, y); }
