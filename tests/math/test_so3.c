// SO(3): the maps against each other, against extended-precision closed forms and against differences.
#include "math/math3.h"
#include "support/support.h"

enum { SAMPLES = 200 };

static vec3 random_vec(rng *r, double size)
{
    return v3(rng_range(r, -size, size), rng_range(r, -size, size), rng_range(r, -size, size));
}

// direction uniform enough, length as given
static vec3 random_of_length(rng *r, double a)
{
    vec3 v = random_vec(r, 1);
    while (v3_norm(v) < 0.1) v = random_vec(r, 1);
    return v3_scale(a / v3_norm(v), v);
}

static double max_abs(const mat3 *A)
{
    double m = 0;
    for (int i = 0; i < 9; i++) m = fmax(m, fabs(A->m[i]));
    return m;
}

static double max_diff(const mat3 *A, const mat3 *B)
{
    const mat3 minus = m3_scale(-1, B), d = m3_add(A, &minus);
    return max_abs(&d);
}

// lengths over all the branches: zero, squares that underflow, series, both sides of switches, near pi,
// beyond
static const double lengths[] = {0,      3e-170, 2.7e-80, 1.3e-9, 6.1e-5, 0.99e-3, 1.01e-3,  0.173, 0.731,
                                 1.9999, 2.0001, 2.913,   3.1415, 3.1416, 3.16227, 3.162278, 4.37,  6.1};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void test_exp_log(void **state)
{
    (void)state;
    rng r = rng_seed(11);
    for (int i = 0; i < SAMPLES; i++) {
        double a = lengths[i % LENGTHS];
        if (a > 3.14159265358979) a = 3.14159265358979 - 1e-13 * (a - 3);
        const vec3 x = random_of_length(&r, a);
        const quat p = tmli_so3_exp(x);
        CHECK_CLOSE(p.e0 * p.e0 + p.e1 * p.e1 + p.e2 * p.e2 + p.e3 * p.e3, 1, 4 * 0x1p-52);  // few roundings
        const vec3 y = tmli_so3_log(p);
        // relative to |x|: exp and log round a few times each, also at half turns
        const vec3 e = v3_sub(y, x);
        CHECK_SMALL(fmax(fabs(e.x), fmax(fabs(e.y), fabs(e.z))), 8 * 0x1p-52 * a);
        const vec3 z = tmli_so3_log((quat){-p.e0, -p.e1, -p.e2, -p.e3});  // p and -p are the same rotation
        assert_true(z.x == y.x && z.y == y.y && z.z == y.z);
        assert_true(v3_norm(y) <= 3.1415926535897936);
    }
}

// Rodrigues' formula in extended precision against exp.
static void test_exp_is_rodrigues(void **state)
{
    (void)state;
    rng r = rng_seed(12);
    for (int i = 0; i < SAMPLES; i++) {
        const double a = rng_range(&r, 0.05, 9);
        const vec3 x = random_of_length(&r, a);
        const double n = v3_norm(x);
        const mat3 X = m3_skew(x), XX = m3_mul(&X, &X);
        const mat3 A = m3_scale(sin(n) / n, &X), B = m3_scale((1 - cos(n)) / (n * n), &XX), I = m3_identity();
        const mat3 AB = m3_add(&A, &B), rodrigues = m3_add(&I, &AB), R = q_matrix(tmli_so3_exp(x));
        CHECK_SMALL(max_diff(&R, &rodrigues), 2e-13);  // (1 - cos n)/n^2 loses eps/n^2 = 1e-13 at n = 0.05
    }
}

static void test_quat_from_matrix(void **state)
{
    (void)state;
    rng r = rng_seed(13);
    for (int i = 0; i < SAMPLES; i++) {
        quat p = {rng_range(&r, -1, 1), rng_range(&r, -1, 1), rng_range(&r, -1, 1), rng_range(&r, -1, 1)};
        if (i % 5 == 0) p.e0 *= 1e-9;  // near half turns
        if (i % 5 == 1) p.e1 *= 1e-9;
        if (i % 7 == 2) p.e2 = p.e3 = 0;
        p = q_normalize(p);
        const mat3 R = q_matrix(p);
        const quat q = tmli_quat_from_matrix(&R);
        const double sign = p.e0 * q.e0 + p.e1 * q.e1 + p.e2 * q.e2 + p.e3 * q.e3 < 0 ? -1 : 1;
        const double tol = 8 * 0x1p-52;  // entries of R carry a few eps and are divided by 4 e_i >= 2
        CHECK_CLOSE(sign * q.e0, p.e0, tol);
        CHECK_CLOSE(sign * q.e1, p.e1, tol);
        CHECK_CLOSE(sign * q.e2, p.e2, tol);
        CHECK_CLOSE(sign * q.e3, p.e3, tol);
        assert_true(q.e0 >= 0);
    }
}

static void test_tangent_inverse_identity(void **state)
{
    (void)state;
    rng r = rng_seed(14);
    const mat3 I = m3_identity();
    for (int i = 0; i < SAMPLES; i++) {
        const vec3 x = random_of_length(&r, lengths[i % LENGTHS]);
        const mat3 T = tmli_so3_tangent(x), inv = tmli_so3_tangent_inverse(x), p = m3_mul(&T, &inv);
        CHECK_SMALL(max_diff(&p, &I), 20 * 0x1p-52 * (1 + max_abs(&inv)));  // rounding; inv large near 2 pi
        // T(-x) = R(x) T(x) = T(x)'
        const mat3 R = q_matrix(tmli_so3_exp(x)), left = m3_mul(&R, &T), Tt = m3_transpose(&T);
        CHECK_SMALL(max_diff(&left, &Tt), 20 * 0x1p-52);
    }
}

// The coefficients read off the matrices, against extended precision.
static void test_coefficients(void **state)
{
    (void)state;
    for (double a = 0.3; a < 6.2; a += 0.0371) {
        // for x = (a, 0, 0): entry (1,1) is 1 - c a^2, entry (1,2) is -skew a
        const mat3 T = tmli_so3_tangent(v3(a, 0, 0)), inv = tmli_so3_tangent_inverse(v3(a, 0, 0));
        const long double l = a, h = l / 2;
        CHECK_CLOSE(T.m[4], (double)(sinl(l) / l), 4 * 0x1p-53);
        CHECK_CLOSE(T.m[5], (double)((1 - cosl(l)) / l), 4 * 0x1p-53);
        const double want = (double)(h * cosl(h) / sinl(h));  // 1 - c a^2
        CHECK_CLOSE(inv.m[4], want, 4 * 0x1p-53 * (1 + fabs(want)));
    }
}

// Near zero the coefficients are 1/2, 1/6 and 1/12. Off the diagonal no 1 hides their digits.
static void test_coefficients_near_zero(void **state)
{
    (void)state;
    rng r = rng_seed(15);
    for (int i = 0; i < SAMPLES; i++) {
        const double a = pow(10, rng_range(&r, -60, -2));
        const vec3 x = random_of_length(&r, a);
        const mat3 T = tmli_so3_tangent(x), inv = tmli_so3_tangent_inverse(x);
        const double s = v3_dot(x, x), tol = 1e-7;          // left out: s^2/360; rounding of x y against z
        CHECK_CLOSE((inv.m[1] - inv.m[3]) / -x.z, 1, tol);  // skew part 1/2, twice
        CHECK_CLOSE((T.m[1] - T.m[3]) / x.z, 1 - s / 12, tol);
    }
    // z = 0 leaves entry (0,1) to the square alone
    for (double a = 1e-8; a < 0.02; a *= 3.7) {
        const vec3 x = v3(0.6 * a, -0.8 * a, 0);
        const double s = v3_dot(x, x), xy = x.x * x.y;
        CHECK_CLOSE(tmli_so3_tangent_inverse(x).m[1] / xy, 1 / 12.0 + s / 720 + s * s / 30240,
                    1e-16);  // s^3/1209600 and rounding
        CHECK_CLOSE(tmli_so3_tangent(x).m[1] / xy, 1 / 6.0 - s / 120 + s * s / 5040,
                    2e-16);  // s^3/362880, rounding
    }
}

// R(x + h d) = R(x) exp((T h d)~) up to h^2; central: h^2 |T''| ~ 1e-10 plus rounding eps/h = 2e-11.
static void test_tangent_is_derivative(void **state)
{
    (void)state;
    rng r = rng_seed(16);
    const double h = 1e-5;
    for (int i = 0; i < SAMPLES; i++) {
        const vec3 x = random_of_length(&r, lengths[i % LENGTHS]), d = random_vec(&r, 1);
        const quat back = q_conj(tmli_so3_exp(x));
        const vec3 plus = tmli_so3_log(q_mul(back, tmli_so3_exp(v3_axpy(h, d, x))));
        const vec3 minus = tmli_so3_log(q_mul(back, tmli_so3_exp(v3_axpy(-h, d, x))));
        const mat3 T = tmli_so3_tangent(x);
        const vec3 w = m3_mulv(&T, d), q = v3_scale(0.5 / h, v3_sub(plus, minus));
        CHECK_SMALL(v3_norm(v3_sub(w, q)), 2e-10);
    }
}

static void check_dx(vec3 x, vec3 y, int transposed)
{
    const mat3 D =
        transposed ? tmli_so3_tangent_inverse_tmulv_dx(x, y) : tmli_so3_tangent_inverse_mulv_dx(x, y);
    const double h = 1e-5;
    const double gap = 6.283185307179586 - v3_norm(x);
    // h^2/6 times the third derivative (grows like gap^-4 towards 2 pi), plus rounding eps/h
    const double tol = 1e-10 * (1 + 40 / (gap * gap * gap * gap)) * (1 + v3_norm(y));
    for (int j = 0; j < 3; j++) {
        vec3 e = v3(j == 0, j == 1, j == 2);
        const mat3 P = tmli_so3_tangent_inverse(v3_axpy(h, e, x)),
                   M = tmli_so3_tangent_inverse(v3_axpy(-h, e, x));
        const vec3 p = transposed ? m3_tmulv(&P, y) : m3_mulv(&P, y);
        const vec3 m = transposed ? m3_tmulv(&M, y) : m3_mulv(&M, y);
        CHECK_SMALL(v3_norm(v3_sub(v3_scale(0.5 / h, v3_sub(p, m)), m3_col(&D, j))), tol);
    }
}

static void test_inverse_derivatives(void **state)
{
    (void)state;
    rng r = rng_seed(17);
    for (int i = 0; i < SAMPLES; i++) {
        const double a = i < 2 * LENGTHS ? lengths[i % LENGTHS] : rng_range(&r, 0, 5.8);
        check_dx(random_of_length(&r, a), random_vec(&r, 1.7), i & 1);
        check_dx(random_of_length(&r, a), random_vec(&r, 1.7), !(i & 1));
    }
}

// Both formulas for c and dc meet where they switch, a^2 = 10.
static void test_switch_is_smooth(void **state)
{
    (void)state;
    const double s = 10, below = sqrt(s * (1 - 1e-15)), above = sqrt(s * (1 + 1e-15));
    const vec3 u = v3(2 / 7.0, -3 / 7.0, 6 / 7.0), y = v3(0.317, 1.291, -0.763);
    const mat3 a = tmli_so3_tangent_inverse(v3_scale(below, u)),
               b = tmli_so3_tangent_inverse(v3_scale(above, u));
    CHECK_SMALL(max_diff(&a, &b), 2e-14);  // change over the gap 1e-14, plus rounding
    const mat3 c = tmli_so3_tangent_inverse_mulv_dx(v3_scale(below, u), y);
    const mat3 d = tmli_so3_tangent_inverse_mulv_dx(v3_scale(above, u), y);
    CHECK_SMALL(max_diff(&c, &d), 4e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_log),
        cmocka_unit_test(test_exp_is_rodrigues),
        cmocka_unit_test(test_quat_from_matrix),
        cmocka_unit_test(test_tangent_inverse_identity),
        cmocka_unit_test(test_coefficients),
        cmocka_unit_test(test_coefficients_near_zero),
        cmocka_unit_test(test_tangent_is_derivative),
        cmocka_unit_test(test_inverse_derivatives),
        cmocka_unit_test(test_switch_is_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
