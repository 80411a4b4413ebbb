// Functions of both maps of SE(3); equations in the header.
#include "math/se3.h"

motion6 tmli_se3_tangent_mul(const tmli_se3_map *map, motion6 d, motion6 rate)
{
    mat3 A, C;
    map->tangent(d, &A, &C);
    return (motion6){v3_add(m3_mulv(&A, rate.rho), m3_mulv(&C, rate.theta)), m3_mulv(&A, rate.theta)};
}

// Dual vectors theta + eps rho: product and cross product.
static motion6 dual_scale(double a, double a_, motion6 x)
{
    return (motion6){v3_axpy(a, x.rho, v3_scale(a_, x.theta)), v3_scale(a, x.theta)};
}
static motion6 dual_cross(motion6 x, motion6 y)
{
    return (motion6){v3_add(v3_cross(x.theta, y.rho), v3_cross(x.rho, y.theta)), v3_cross(x.theta, y.theta)};
}
static motion6 dual_add(motion6 x, motion6 y)
{
    return (motion6){v3_add(x.rho, y.rho), v3_add(x.theta, y.theta)};
}

motion6 tmli_se3_tangent_rate(const tmli_se3_map *map, motion6 d, motion6 v)  // (5)
{
    double k[4], dk[4];
    map->tangent_change(v3_dot(d.theta, d.theta), k, dk);
    const double slope = 2 * v3_dot(d.theta, d.rho), dot = v3_dot(d.theta, v.theta);
    const double dot_ = v3_dot(d.theta, v.rho) + v3_dot(d.rho, v.theta);
    const motion6 turn = dual_cross(d, v), twice = dual_cross(d, turn);
    motion6 sum = dual_scale(k[2], slope * dk[2], dual_cross(v, turn));
    const motion6 term[4] = {v, turn, {{0, 0, 0}, {0, 0, 0}}, twice};
    for (int i = 0; i < 4; i++)
        sum = dual_add(sum, dual_scale(k[i] * dot, slope * dk[i] * dot + k[i] * dot_, term[i]));
    return sum;
}

motion6 tmli_se3_tangent_first(const tmli_se3_map *map, motion6 x, motion6 u)
{
    (void)map;  // T = 1 - d~/2 + ...
    return dual_scale(-0.5, 0, dual_cross(x, u));
}

motion6 tmli_se3_tangent_second(const tmli_se3_map *map, motion6 x, motion6 u)
{
    double k[4], dk[4];
    map->tangent_change(0, k, dk);
    const double dot = v3_dot(x.theta, u.theta), dot_ = v3_dot(x.theta, u.rho) + v3_dot(x.rho, u.theta);
    return dual_add(dual_scale(k[0] * dot, k[0] * dot_, u),
                    dual_scale(k[2], 0, dual_cross(u, dual_cross(x, u))));
}

motion6 tmli_se3_compose(const tmli_se3_map *map, motion6 d1, motion6 d2)
{
    const quat p1 = map->rotation(d1.theta);
    const mat3 R1 = q_matrix(p1);
    const vec3 t = v3_add(map->translation(d1), m3_mulv(&R1, map->translation(d2)));
    return map->increment(t, q_mul(p1, map->rotation(d2.theta)), v3_add(d1.theta, d2.theta));
}
