// The kernels of beam strains. With a = c_k, b = c_(k+1), their derivatives a', b' by s = psi.psi:
//   n.(G v) = (1 - b s) n.v - a psi.(v x n) + b (n.psi)(psi.v)                                            (1)
#include "element/beam/strain.h"

tmli_kernel tmli_kernel_inverse_at(vec3 psi)
{
    tmli_kernel g = {.psi = psi, .s = v3_dot(psi, psi), .a = {0.5}};
    tmli_so3_tangent_inverse_coef(g.s, &g.b[0], &g.db[0]);
    g.ddb[0] = tmli_so3_tangent_inverse_coef_second(g.s);
    return g;
}

static void add_outer(mat3 *A, double f, vec3 a, vec3 b)
{
    const vec3 c = v3_scale(f, a);
    A->m[0] += c.x * b.x, A->m[1] += c.x * b.y, A->m[2] += c.x * b.z;
    A->m[3] += c.y * b.x, A->m[4] += c.y * b.y, A->m[5] += c.y * b.z;
    A->m[6] += c.z * b.x, A->m[7] += c.z * b.y, A->m[8] += c.z * b.z;
}

// f 1 + g x~
static mat3 scalar_and_skew(double f, double g, vec3 x)
{
    return (mat3){{f, -g * x.z, g * x.y, g * x.z, f, -g * x.x, -g * x.y, g * x.x, f}};
}

// Derivative by psi of v - a psi x v + b (psi (psi.v) - s v), with psi of either sign.
static mat3 by_psi(double s, double a, double da, double b, double db, vec3 psi, vec3 v)
{
    const double along = v3_dot(psi, v);
    mat3 D = scalar_and_skew(b * along, a, v);
    const vec3 c = v3_add(v3_scale(-2 * (b + db * s), v),
                          v3_add(v3_scale(-2 * da, v3_cross(psi, v)), v3_scale(2 * db * along, psi)));
    add_outer(&D, 1, c, psi);
    add_outer(&D, b, psi, v);
    return D;
}

mat3 tmli_kernel_by_psi(const tmli_kernel *g, int k, vec3 v)
{
    return by_psi(g->s, g->a[k], g->da[k], g->b[k], g->db[k], g->psi, v);
}

mat3 tmli_kernel_transposed_by_psi(const tmli_kernel *g, int k, vec3 n)  // G(psi)' = G(-psi)
{
    const mat3 D = by_psi(g->s, g->a[k], g->da[k], g->b[k], g->db[k], v3_scale(-1, g->psi), n);
    return m3_scale(-1, &D);
}

mat3 tmli_kernel_hessian(const tmli_kernel *g, int k, vec3 v, vec3 n)
{
    const vec3 psi = g->psi, w = v3_cross(v, n);
    const double dda = g->dda[k], ddb = g->ddb[k];
    const double a = v3_dot(n, psi), b = v3_dot(psi, v), P = v3_dot(n, v), pw = v3_dot(psi, w);
    const double first = -(g->b[k] + g->db[k] * g->s) * P - g->da[k] * pw + g->db[k] * a * b;
    const double second = -(2 * g->db[k] + ddb * g->s) * P - dda * pw + ddb * a * b;
    const vec3 c = v3_add(v3_scale(-g->da[k], w), v3_scale(g->db[k], v3_add(v3_scale(a, v), v3_scale(b, n))));
    mat3 H = scalar_and_skew(2 * first, 0, psi);
    add_outer(&H, 4 * second, psi, psi);
    add_outer(&H, 2, psi, c);
    add_outer(&H, 2, c, psi);
    add_outer(&H, g->b[k], v, n);
    add_outer(&H, g->b[k], n, v);
    return H;
}

mat3 tmli_kernel_rate(const tmli_kernel *g, int k, vec3 rate)
{
    const vec3 psi = g->psi;
    const double p = 2 * v3_dot(psi, rate);  // ds/dt
    // d/dt [(1 - b s) 1 - a psi~ + b psi psi']
    mat3 A = scalar_and_skew(-(g->b[k] + g->db[k] * g->s) * p, -g->da[k] * p, psi);
    const mat3 turn = scalar_and_skew(0, -g->a[k], rate);
    A = m3_add(&A, &turn);
    add_outer(&A, g->db[k] * p, psi, psi);
    add_outer(&A, g->b[k], psi, rate);
    add_outer(&A, g->b[k], rate, psi);
    return A;
}

mat3 tmli_kernel_rate_by_psi(const tmli_kernel *g, int k, vec3 v, vec3 rate)
{
    // (d/dt G) v = -(b + b's) p v - a'p psi x v - a rate x v + b'p (psi.v) psi
    //              + b ((rate.v) psi + (psi.v) rate)
    const vec3 psi = g->psi, across = v3_cross(psi, v), turned = v3_cross(rate, v);
    const double p = 2 * v3_dot(psi, rate), along = v3_dot(psi, v), moved = v3_dot(rate, v), s = g->s;
    const double b = g->b[k], db = g->db[k], da = g->da[k];
    const double dda = g->dda[k], ddb = g->ddb[k];
    mat3 D = scalar_and_skew(db * p * along + b * moved, da * p, v);
    // through p: dp/dpsi = 2 rate
    vec3 c = v3_add(v3_scale(-(b + db * s), v), v3_add(v3_scale(-da, across), v3_scale(db * along, psi)));
    add_outer(&D, 2, c, rate);
    // through s: ds/dpsi = 2 psi
    c = v3_add(v3_scale(-(2 * db + ddb * s) * p, v), v3_scale(-dda * p, across));
    c = v3_add(c, v3_add(v3_scale(-da, turned), v3_scale(ddb * p * along, psi)));
    c = v3_add(c, v3_scale(db, v3_add(v3_scale(moved, psi), v3_scale(along, rate))));
    add_outer(&D, 2, c, psi);
    // through psi.v
    add_outer(&D, db * p, psi, v);
    add_outer(&D, b, rate, v);
    return D;
}

mat3 tmli_kernel_transposed_rate_by_psi(const tmli_kernel *g, int k, vec3 n, vec3 rate)  // G(psi)' = G(-psi)
{
    tmli_kernel opposite = *g;
    opposite.psi = v3_scale(-1, g->psi);
    const mat3 D = tmli_kernel_rate_by_psi(&opposite, k, n, v3_scale(-1, rate));
    return m3_scale(-1, &D);
}

mat3 tmli_kernel_hessian_rate(const tmli_kernel *g, vec3 v, vec3 n, vec3 rate)
{
    // with the names of tmli_kernel_hessian; a dot, .., is the derivative along `rate`
    const vec3 psi = g->psi, w = v3_cross(v, n);
    const double da = g->da[1], dda = g->dda[1], db = g->db[1], ddb = g->ddb[1], s = g->s;
    double high[2];
    tmli_stumpff_high(s, g->c, high);
    const double ddda = tmli_stumpff_third(g->c, high, 2), dddb = tmli_stumpff_third(g->c, high, 3);
    const double p = 2 * v3_dot(psi, rate);  // ds/dt
    const double A = v3_dot(n, psi), B = v3_dot(psi, v), P = v3_dot(n, v), pw = v3_dot(psi, w);
    const double A_dot = v3_dot(n, rate), B_dot = v3_dot(rate, v), pw_dot = v3_dot(rate, w);
    const double AB_dot = A_dot * B + A * B_dot;
    const double second = -(2 * db + ddb * s) * P - dda * pw + ddb * A * B;
    const double first_dot = second * p - da * pw_dot + db * AB_dot;
    const double second_dot =
        (-(3 * ddb + dddb * s) * P - ddda * pw + dddb * A * B) * p - dda * pw_dot + ddb * AB_dot;
    const vec3 along = v3_add(v3_scale(A, v), v3_scale(B, n));
    const vec3 c = v3_add(v3_scale(-da, w), v3_scale(db, along));
    const vec3 along_dot = v3_add(v3_scale(A_dot, v), v3_scale(B_dot, n));
    const vec3 c_dot = v3_add(v3_scale(-dda * p, w), v3_axpy(ddb * p, along, v3_scale(db, along_dot)));
    mat3 H = scalar_and_skew(2 * first_dot, 0, psi);
    add_outer(&H, 4 * second_dot, psi, psi);
    add_outer(&H, 4 * second, rate, psi);
    add_outer(&H, 4 * second, psi, rate);
    add_outer(&H, 2, rate, c);
    add_outer(&H, 2, c, rate);
    add_outer(&H, 2, psi, c_dot);
    add_outer(&H, 2, c_dot, psi);
    add_outer(&H, db * p, v, n);
    add_outer(&H, db * p, n, v);
    return H;
}
