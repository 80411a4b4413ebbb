// Dual quaternions, and what both maps of SE(3) share; equations (1), (2) in the header.
#include "math/se3.h"

static quat q_add(quat a, quat b) { return (quat){a.e0 + b.e0, a.e1 + b.e1, a.e2 + b.e2, a.e3 + b.e3}; }

dualquat tmli_dualquat(vec3 t, quat p)
{
    const quat half = {0, 0.5 * t.x, 0.5 * t.y, 0.5 * t.z};
    return (dualquat){p, q_mul(half, p)};
}

dualquat tmli_dualquat_mul(dualquat a, dualquat b)
{
    return (dualquat){q_mul(a.p, b.p), q_add(q_mul(a.p, b.d), q_mul(a.d, b.p))};
}

dualquat tmli_dualquat_conj(dualquat a) { return (dualquat){q_conj(a.p), q_conj(a.d)}; }

vec3 tmli_dualquat_translation(dualquat a)
{
    const quat t = q_mul(a.d, q_conj(a.p));
    return v3(2 * t.e1, 2 * t.e2, 2 * t.e3);
}

motion6 tmli_se3_tangent_mul(const tmli_se3_map *map, motion6 d, motion6 rate)
{
    mat3 A, C;
    map->tangent(d, &A, &C);
    return (motion6){v3_add(m3_mulv(&A, rate.rho), m3_mulv(&C, rate.theta)), m3_mulv(&A, rate.theta)};
}

motion6 tmli_se3_compose(const tmli_se3_map *map, motion6 d1, motion6 d2)
{
    const quat p1 = map->rotation(d1.theta);
    const mat3 R1 = q_matrix(p1);
    const vec3 t = v3_add(map->translation(d1), m3_mulv(&R1, map->translation(d2)));
    return map->increment(t, q_mul(p1, map->rotation(d2.theta)));
}
