// SE(3): the maps and their operators against dual quaternions, each other, and differences.
#include "math/se3.h"
#include "support/support.h"

enum { SAMPLES = 200 };

static vec3 random_vec(rng *r, double size)
{
    return v3(rng_range(r, -size, size), rng_range(r, -size, size), rng_range(r, -size, size));
}

static motion6 random_motion(rng *r, double size)
{
    const vec3 rho = random_vec(r, size);
    return (motion6){rho, random_vec(r, size)};
}

static double distance(motion6 a, motion6 b)
{
    const vec3 x = v3_sub(a.rho, b.rho), y = v3_sub(a.theta, b.theta);
    return sqrt(v3_dot(x, x) + v3_dot(y, y));
}

static double size_of(motion6 a) { return distance(a, (motion6){0}); }

static motion6 along(motion6 d, double tau, motion6 rate)
{
    return (motion6){v3_axpy(tau, rate.rho, d.rho), v3_axpy(tau, rate.theta, d.theta)};
}

// ---- dual quaternions, (1) of the header -----------------------------------------------------------------

typedef struct dualquat {
    quat p, d;  // p + eps d
} dualquat;

static quat q_add(quat a, quat b) { return (quat){a.e0 + b.e0, a.e1 + b.e1, a.e2 + b.e2, a.e3 + b.e3}; }

static dualquat dualquat_of(vec3 t, quat p)
{
    const quat half = {0, 0.5 * t.x, 0.5 * t.y, 0.5 * t.z};
    return (dualquat){p, q_mul(half, p)};
}

static dualquat dualquat_mul(dualquat a, dualquat b)
{
    return (dualquat){q_mul(a.p, b.p), q_add(q_mul(a.p, b.d), q_mul(a.d, b.p))};
}

static dualquat dualquat_conj(dualquat a) { return (dualquat){q_conj(a.p), q_conj(a.d)}; }

static vec3 dualquat_translation(dualquat a)
{
    const quat t = q_mul(a.d, q_conj(a.p));
    return v3(2 * t.e1, 2 * t.e2, 2 * t.e3);
}

static double dual_distance(dualquat a, dualquat b)
{
    const double d[8] = {a.p.e0 - b.p.e0, a.p.e1 - b.p.e1, a.p.e2 - b.p.e2, a.p.e3 - b.p.e3,
                         a.d.e0 - b.d.e0, a.d.e1 - b.d.e1, a.d.e2 - b.d.e2, a.d.e3 - b.d.e3};
    double sum = 0;
    for (int i = 0; i < 8; i++) sum += d[i] * d[i];
    return sqrt(sum);
}

static const tmli_se3_map *const maps[2] = {&tmli_se3_cayley, &tmli_se3_exponential};

static dualquat motion_of(const tmli_se3_map *map, motion6 d)
{
    return dualquat_of(map->translation(d), map->rotation(d.theta));
}

// (4) of the header as it is written, with dual numbers.
static dualquat cayley_as_written(motion6 d)
{
    const double norm = sqrt(4 + v3_dot(d.theta, d.theta));  // |2 + U| = norm + eps slope
    const double slope = v3_dot(d.theta, d.rho) / norm;      // 1/|2 + U| = 1/norm - eps slope/norm^2
    const quat p = {2 / norm, d.theta.x / norm, d.theta.y / norm, d.theta.z / norm};
    const double f = -slope / norm;
    return (dualquat){
        p, {f * p.e0, f * p.e1 + d.rho.x / norm, f * p.e2 + d.rho.y / norm, f * p.e3 + d.rho.z / norm}};
}

// (3) by squaring: exp(U/2) = (1 + U/2^(k+1) + ...)^(2^k), the bracket to fifth order.
static dualquat exponential_by_squaring(motion6 d)
{
    const double f = 0x1p-11;
    const dualquat u = {{0, f * d.theta.x, f * d.theta.y, f * d.theta.z},
                        {0, f * d.rho.x, f * d.rho.y, f * d.rho.z}};
    dualquat sum = {{1, 0, 0, 0}, {0, 0, 0, 0}};
    for (int k = 5; k >= 1; k--) {
        sum = dualquat_mul(u, sum);
        double *const part[8] = {&sum.p.e0, &sum.p.e1, &sum.p.e2, &sum.p.e3,
                                 &sum.d.e0, &sum.d.e1, &sum.d.e2, &sum.d.e3};
        for (int i = 0; i < 8; i++) *part[i] = *part[i] / k + (i == 0);
    }
    for (int k = 0; k < 10; k++) sum = dualquat_mul(sum, sum);
    return sum;
}

// Few roundings of numbers of a few units each.
static const double EPS = 64 * 0x1p-52;

// A product of dual quaternions is the motion of a point by the second, then the first.
static void products_move_points(void **state)
{
    (void)state;
    rng r = rng_seed(3);
    for (int i = 0; i < SAMPLES; i++) {
        const quat p1 = tmli_so3_exp(random_vec(&r, 1.7)), p2 = tmli_so3_exp(random_vec(&r, 1.7));
        const vec3 t1 = random_vec(&r, 2), t2 = random_vec(&r, 2), x = random_vec(&r, 1);
        const mat3 R1 = q_matrix(p1), R2 = q_matrix(p2);
        const dualquat both = dualquat_mul(dualquat_of(t1, p1), dualquat_of(t2, p2));
        const mat3 R = q_matrix(both.p);
        const vec3 want = v3_add(t1, m3_mulv(&R1, v3_add(t2, m3_mulv(&R2, x))));
        const vec3 got = v3_add(dualquat_translation(both), m3_mulv(&R, x));
        CHECK_SMALL(v3_norm(v3_sub(got, want)), EPS * 4);
        const dualquat one = dualquat_mul(both, dualquat_conj(both));
        CHECK_SMALL(dual_distance(one, (dualquat){{1, 0, 0, 0}, {0, 0, 0, 0}}), EPS * 4);
    }
}

// The maps as defined, their inverses and rotation vectors, over small and large increments.
static void increments_and_motions(void **state)
{
    (void)state;
    rng r = rng_seed(5);
    for (int i = 0; i < SAMPLES; i++) {
        const double size = i % 4 == 0 ? 1e-9 : i % 4 == 1 ? 0.03 : i % 4 == 2 ? 0.9 : 1.7;
        const motion6 d = random_motion(&r, size);
        CHECK_SMALL(dual_distance(motion_of(&tmli_se3_cayley, d), cayley_as_written(d)), EPS);
        // ten squarings of a rounding each
        CHECK_SMALL(dual_distance(motion_of(&tmli_se3_exponential, d), exponential_by_squaring(d)), 1e-12);
        for (int k = 0; k < 2; k++) {
            const vec3 t = maps[k]->translation(d);
            const quat p = maps[k]->rotation(d.theta);
            const motion6 back = maps[k]->increment(t, p, v3(0, 0, 0));
            if (k == 0 || v3_norm(d.theta) < 3.1) CHECK_SMALL(distance(back, d), EPS * size);
            CHECK_SMALL(
                distance(maps[k]->increment(t, (quat){-p.e0, -p.e1, -p.e2, -p.e3}, v3(0, 0, 0)), back),
                0);  // the same turn
            const quat e = tmli_so3_exp(maps[k]->rotation_vector(d.theta));
            CHECK_SMALL(dual_distance((dualquat){e, {0, 0, 0, 0}}, (dualquat){p, {0, 0, 0, 0}}), EPS);
        }
    }
}

// Increments rho = s x theta turn about the point s and leave it in place; no rotation: rho is the
// translation.
static void pivots(void **state)
{
    (void)state;
    rng r = rng_seed(7);
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < 2; k++) {
            const vec3 s = random_vec(&r, 1), theta = random_vec(&r, 2);
            const motion6 d = {v3_cross(s, theta), theta};
            const mat3 R = q_matrix(maps[k]->rotation(theta));
            CHECK_SMALL(v3_norm(v3_sub(v3_add(maps[k]->translation(d), m3_mulv(&R, s)), s)), EPS);
            const vec3 t = maps[k]->translation((motion6){s, v3(0, 0, 0)});
            assert_true(t.x == s.x && t.y == s.y && t.z == s.z);
        }
}

static void composition(void **state)
{
    (void)state;
    rng r = rng_seed(9);
    for (int i = 0; i < SAMPLES; i++) {
        const double size = i % 4 < 2 ? 0.5 : 1e-8;
        const tmli_se3_map *map = maps[i % 2];
        const motion6 a = random_motion(&r, size), b = random_motion(&r, size),
                      c = tmli_se3_compose(map, a, b);
        const dualquat want = dualquat_mul(motion_of(map, a), motion_of(map, b));
        CHECK_SMALL(dual_distance(motion_of(map, c), want), EPS);
        // relative to the small size too: the inverse of b takes it back to a
        const motion6 inverse = {v3_scale(-1, b.rho), v3_scale(-1, b.theta)};
        CHECK_SMALL(distance(tmli_se3_compose(map, c, inverse), a), EPS * size);
    }
}

// 2 conj(P) P' by five-point differences, h = 1e-3: truncation h^4/30 times fifth derivatives of at most 1e3
// (3e-11), and round-off 1e-16/h.
static void tangent_is_velocity(void **state)
{
    (void)state;
    static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, at[4] = {-2, -1, 1, 2};
    rng r = rng_seed(13);
    for (int i = 0; i < SAMPLES; i++) {
        // on both sides of the switch at |theta| = 2
        const motion6 d = random_motion(&r, i % 3 ? 1.6 : 0.3), rate = random_motion(&r, 1);
        const tmli_se3_map *map = maps[i % 2];
        const double h = 1e-3;
        dualquat diff = {{0, 0, 0, 0}, {0, 0, 0, 0}};
        for (int k = 0; k < 4; k++) {
            const dualquat P = motion_of(map, along(d, at[k] * h, rate));
            const double w = weight[k] / h;
            diff.p = (quat){diff.p.e0 + w * P.p.e0, diff.p.e1 + w * P.p.e1, diff.p.e2 + w * P.p.e2,
                            diff.p.e3 + w * P.p.e3};
            diff.d = (quat){diff.d.e0 + w * P.d.e0, diff.d.e1 + w * P.d.e1, diff.d.e2 + w * P.d.e2,
                            diff.d.e3 + w * P.d.e3};
        }
        const dualquat half = dualquat_mul(dualquat_conj(motion_of(map, d)), diff);
        const motion6 want = {v3(2 * half.d.e1, 2 * half.d.e2, 2 * half.d.e3),
                              v3(2 * half.p.e1, 2 * half.p.e2, 2 * half.p.e3)};
        const motion6 got = tmli_se3_tangent_mul(map, d, rate);
        CHECK_SMALL(distance(got, want), 1e-9);
        const motion6 back = map->tangent_solve(d, got);
        CHECK_SMALL(distance(back, rate), EPS * (1 + size_of(d) * size_of(d)) * size_of(rate));
        const motion6 there = tmli_se3_tangent_mul(map, d, map->tangent_solve(d, rate));
        CHECK_SMALL(distance(there, rate), EPS * (1 + size_of(d) * size_of(d)) * size_of(rate));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_move_points),
        cmocka_unit_test(increments_and_motions),
        cmocka_unit_test(pivots),
        cmocka_unit_test(composition),
        cmocka_unit_test(tangent_is_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
