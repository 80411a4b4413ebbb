// Turns of an angle on a path of its two bodies, and what it costs to count them.
#include "element/joint/turning.h"
#include "support/support.h"

// Bodies that rotate about constant axes, and how often their attitudes were asked for.
typedef struct path {
    vec3 a, b;  // rotations, inertial axes [rad]
    mat3 A, B;  // attitudes at the start
    long *calls;
} path;

static void attitudes(const void *user, double s, mat3 *A, mat3 *B)
{
    const path *p = user;
    const mat3 a = q_matrix(tmli_so3_exp(v3_scale(s, p->a))), b = q_matrix(tmli_so3_exp(v3_scale(s, p->b)));
    *A = m3_mul(&a, &p->A);
    *B = m3_mul(&b, &p->B);
    ++*p->calls;
}

// The angle about z of A: of x of B in the plane of x and y of A.
static const tmli_measure about_z = {
    .kind = TMLI_ANGLE, .a = {0, 1, 0}, .b = {1, 0, 0}, .a2 = {1, 0, 0}, .b2 = {1, 0, 0}};

static tmli_turning turning_of(const path *p)
{
    return (tmli_turning){
        .size = v3_norm(v3_sub(p->b, p->a)), .across = INFINITY, .attitudes = attitudes, .user = p};
}

// Change of the angle in many parts; *least: distance of x of B from the axis, where there is no angle.
static double by_small_parts(const path *p, double *least)
{
    double sum = 0, s0 = 0, c0 = 0;
    for (int i = 0; i <= 20000; i++) {
        mat3 A, B;
        attitudes(p, i / 20000.0, &A, &B);
        const vec3 x = m3_col(&B, 0);
        const double s = v3_dot(m3_col(&A, 1), x), c = v3_dot(m3_col(&A, 0), x);
        if (i > 0) sum += atan2(s * c0 - c * s0, c * c0 + s * s0);
        *least = fmin(*least, hypot(s, c));
        s0 = s;
        c0 = c;
    }
    return sum;
}

static vec3 random_vec(rng *r, double size)
{
    return v3(rng_range(r, -size, size), rng_range(r, -size, size), rng_range(r, -size, size));
}

// Bodies that rotate a lot together, and by up to 70 rad relative to each other.
static void turns(void **state)
{
    (void)state;
    rng r = rng_seed(61);
    int counted = 0;
    for (int k = 0; k < 200; k++) {
        long calls = 0;
        double least = 1;
        path p = {.a = random_vec(&r, 60), .A = m3_identity(), .calls = &calls};
        p.b = v3_add(p.a, random_vec(&r, k % 2 == 0 ? 2 : 40));
        p.B = q_matrix(tmli_so3_exp(random_vec(&r, 1)));
        const double want = by_small_parts(&p, &least);
        if (least < 0.15) continue;  // near the axis it changes faster than it is followed
        calls = 0;
        const tmli_turning t = turning_of(&p);
        const double got = tmli_turning_change(&about_z, &t);
        if (!(fabs(got - want) < (tmli_turning_is_small(t.size) ? 3 : 1e-9)))
            fail_msg("path %d of %g rad: the angle turns by %g, counted %g", k, t.size, want, got);
        assert_true((double)calls <= 4 * t.size + 2);  // of the relative rotation alone
        counted++;
    }
    assert_true(counted > 20);
}

// An iteration that diverges asks for any rotation: the cost has a bound, 1000 products of matrices or so.
static void cost(void **state)
{
    (void)state;
    for (double size = 1e3; size < 1e15; size *= 10) {
        long calls = 0;
        const path p = {.a = v3(size, 0.3 * size, 0),
                        .b = v3(0.2 * size, -size, 0.7 * size),
                        .A = m3_identity(),
                        .B = m3_identity(),
                        .calls = &calls};
        const tmli_turning t = turning_of(&p);
        assert_true(isfinite(tmli_turning_change(&about_z, &t)));
        if (calls > 2000) fail_msg("%g rad: %ld attitudes", size, calls);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(turns), cmocka_unit_test(cost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
