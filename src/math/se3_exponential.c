// The exponential map of SE(3), (3) of the header.
//
// The formulas of so3.c with dual vectors, x -> X = theta + eps rho (the principle of transference); with s =
// |theta|^2, c1 = (1 - cos a)/a^2, c2 = (a - sin a)/a^3, c of so3.c (4), and for a function k of s the dual
// number k + eps k_, k_ = 2 (theta.rho) dk/ds:
//   motion       p = exp(theta~),   t = rho + c1 theta x rho + c2 theta x (theta x rho)                   (5)
//   inverse      theta = log p,     rho = t - theta x t/2 + c theta x (theta x t)                         (6)
//   tangent      W = X' - c1 X x X' + c2 X x (X x X'),   W = w + eps v                                    (7)
//                A = 1 - c1 theta~ + c2 theta~ theta~
//                C = -c1 rho~ - c1_ theta~ + c2 (theta~ rho~ + rho~ theta~) + c2_ theta~ theta~
//   its inverse  X' = W + X x W/2 + c X x (X x W)                                                         (8)
//   dc1/ds = (sin a/a - 2 c1)/(2 s),   dc2/ds = (c1 - 3 c2)/(2 s);  series where these cancel             (9)
// Increments rho = s x theta are rotations about the point s of the body, as with the Cayley map.
#include "math/se3.h"
#include "math/series.h"

// c1 and c2 are the sums of the even and the odd series times s^k. For s <= 4 the first omitted term is below
// 1e-17 of the sum and of its derivative.
enum { TERMS = 12 };

typedef struct coef {
    double c1, c2, d1, d2;  // and derivatives by s
} coef;

static coef coefficients(double s)
{
    if (s > 4) {  // (9)
        const double a = sqrt(s), c1 = (1 - cos(a)) / s, c2 = (a - sin(a)) / (a * s);
        return (coef){c1, c2, (sin(a) / a - 2 * c1) / (2 * s), (c1 - 3 * c2) / (2 * s)};
    }
    coef k = {tmli_even_series[TERMS - 1], tmli_odd_series[TERMS - 1], 0, 0};
    for (int i = TERMS - 2; i >= 0; i--) {
        k.d1 = k.d1 * s + k.c1;
        k.d2 = k.d2 * s + k.c2;
        k.c1 = k.c1 * s + tmli_even_series[i];
        k.c2 = k.c2 * s + tmli_odd_series[i];
    }
    return k;
}

static vec3 translation(motion6 d)  // (5)
{
    const coef k = coefficients(v3_dot(d.theta, d.theta));
    const vec3 first = v3_cross(d.theta, d.rho), second = v3_cross(d.theta, first);
    return v3_axpy(k.c1, first, v3_axpy(k.c2, second, d.rho));
}

static vec3 rotation_vector(vec3 theta) { return theta; }

static motion6 increment(vec3 t, quat p, vec3 near)  // (6)
{
    const vec3 theta = tmli_so3_add_turns(tmli_so3_log(p), near);
    const mat3 inverse = tmli_so3_tangent_inverse(v3_scale(-1, theta));
    return (motion6){m3_mulv(&inverse, t), theta};
}

static void tangent(motion6 d, mat3 *A, mat3 *C)  // (7)
{
    const coef k = coefficients(v3_dot(d.theta, d.theta));
    const double slope = 2 * v3_dot(d.theta, d.rho);
    const mat3 x = m3_skew(d.theta), y = m3_skew(d.rho);
    const mat3 xx = m3_mul(&x, &x), xy = m3_mul(&x, &y), yx = m3_mul(&y, &x);
    for (int i = 0; i < 9; i++) {
        A->m[i] = (i % 4 == 0) - k.c1 * x.m[i] + k.c2 * xx.m[i];
        C->m[i] =
            -k.c1 * y.m[i] - slope * k.d1 * x.m[i] + k.c2 * (xy.m[i] + yx.m[i]) + slope * k.d2 * xx.m[i];
    }
}

static motion6 tangent_solve(motion6 d, motion6 v)  // (8)
{
    double c, dc;
    tmli_so3_tangent_inverse_coef(v3_dot(d.theta, d.theta), &c, &dc);
    const vec3 first = v3_cross(d.theta, v.theta), second = v3_cross(d.theta, first);
    const vec3 first_ = v3_add(v3_cross(d.theta, v.rho), v3_cross(d.rho, v.theta));
    const vec3 second_ = v3_add(v3_cross(d.theta, first_), v3_cross(d.rho, first));
    const double c_ = 2 * v3_dot(d.theta, d.rho) * dc;
    motion6 out;
    out.theta = v3_axpy(0.5, first, v3_axpy(c, second, v.theta));
    out.rho = v3_axpy(0.5, first_, v3_axpy(c, second_, v3_axpy(c_, second, v.rho)));
    return out;
}

// k1 = -2 dc1/ds, k2 = c2, k3 = 2 dc2/ds; second derivatives from (9) and sin a/a = 1 - s c2, series where
// that cancels
static void tangent_change(double s, double k[4], double dk[4])
{
    const coef c = coefficients(s);
    double e1 = 0, e2 = 0;
    if (s > 4) {
        e1 = -(c.c2 + s * c.d2 + 4 * c.d1) / (2 * s);
        e2 = (c.d1 - 5 * c.d2) / (2 * s);
    }
    for (int i = TERMS - 1; i >= 2 && s <= 4; i--) {
        e1 = e1 * s + i * (i - 1) * tmli_even_series[i];
        e2 = e2 * s + i * (i - 1) * tmli_odd_series[i];
    }
    k[0] = dk[0] = 0;
    k[1] = -2 * c.d1;
    k[2] = c.c2;
    k[3] = 2 * c.d2;
    dk[1] = -2 * e1;
    dk[2] = c.d2;
    dk[3] = 2 * e2;
}

const tmli_se3_map tmli_se3_exponential = {false,     translation, tmli_so3_exp,  rotation_vector,
                                           increment, tangent,     tangent_solve, tangent_change};
