// Bushing: deflection by hand, rates and tangents against differences, balance of forces, work and energy.
//
// Differences are five-point central ones, h = 3e-4: error h^4/30 f^(5) = 3e-16 f^(5) and 1.5 eps |f|/h =
// 1e-12 |f|. Relative rotations stay below 2 rad, where the derivatives of the rotation vector are of order 1
// (the coefficients of its tangent operator converge up to 2 pi), so f^(5) < 1e4 |f|: 1e-11 of the size of f.
// The tolerance leaves a factor of 100 for the spread of random stiffnesses.
#include "element/force/bushing.h"
#include "support/support.h"

#include <stdbool.h>

enum { SAMPLES = 100 };
static const double step = 3e-4, tolerance = 1e-9;
static double held;  // branch of the rotation vector in `force_of`

typedef struct sample {
    tmli_bushing b;
    tmli_pose A, B;
    double u[12];
} sample;

static vec3 random_vec(rng *r, double size)
{
    return v3(rng_range(r, -size, size), rng_range(r, -size, size), rng_range(r, -size, size));
}

static mat3 random_rotation(rng *r)
{
    const quat p = {rng_range(r, -1, 1), rng_range(r, -1, 1), rng_range(r, -1, 1), rng_range(r, -1, 1)};
    return q_matrix(q_normalize(p));
}

// s with the relative rotation t
static sample with_rotation(const sample *s, vec3 t)
{
    sample n = *s;
    // R_B = R_A C_A exp(t) C_B'
    const mat3 E = m3_mul(&s->A.R, &s->b.C_A), turn = q_matrix(tmli_so3_exp(t)), Et = m3_mul(&E, &turn);
    const mat3 Ct = m3_transpose(&s->b.C_B);
    n.B.R = m3_mul(&Et, &Ct);
    return n;
}

// theta (output) is the relative rotation vector, 0 to 2 rad
static sample random_sample(rng *r, vec3 *theta)
{
    sample s;
    s.b.s_A = random_vec(r, 0.7);
    s.b.s_B = random_vec(r, 0.7);
    s.b.C_A = random_rotation(r);
    s.b.C_B = random_rotation(r);
    for (int i = 0; i < 36; i++) {
        s.b.K[i] = rng_range(r, -3, 3);
        s.b.D[i] = rng_range(r, -2, 2);
    }
    for (int i = 0; i < 6; i++) s.b.preload[i] = rng_range(r, -1, 1);
    s.A = (tmli_pose){random_vec(r, 1.1), random_rotation(r)};
    vec3 t = random_vec(r, 1);
    t = v3_scale(rng_range(r, 0, 2) / v3_norm(t), t);
    s.B.r = random_vec(r, 1.1);
    s = with_rotation(&s, t);
    for (int i = 0; i < 12; i++) s.u[i] = rng_range(r, -1.5, 1.5);
    if (theta) *theta = t;
    return s;
}

static sample moved(const sample *s, const double x[12], double t)
{
    sample n = *s;
    tmli_pose *poses[2] = {&n.A, &n.B};
    for (int i = 0; i < 2; i++) {
        const mat3 turn = q_matrix(tmli_so3_exp(v3_scale(t, v3_from(x + 6 * i + 3))));
        poses[i]->r = v3_axpy(t, v3_from(x + 6 * i), poses[i]->r);
        poses[i]->R = m3_mul(&poses[i]->R, &turn);
    }
    return n;
}

// derivative of f (n numbers) along the increment x, or along the velocity x
typedef void (*func)(const sample *s, double *out);
static void difference(const sample *s, func f, int n, const double x[12], bool velocity, double *out)
{
    static const double c[4] = {1 / 12.0, -8 / 12.0, 8 / 12.0, -1 / 12.0}, at[4] = {-2, -1, 1, 2};
    double y[12];
    for (int i = 0; i < n; i++) out[i] = 0;
    for (int k = 0; k < 4; k++) {
        sample t = velocity ? *s : moved(s, x, at[k] * step);
        if (velocity)
            for (int i = 0; i < 12; i++) t.u[i] += at[k] * step * x[i];
        f(&t, y);
        for (int i = 0; i < n; i++) out[i] += c[k] / step * y[i];
    }
}

static void deflection_of(const sample *s, double *z)
{
    tmli_bushing_deflection(&s->b, &s->A, &s->B, 0, NULL, z, NULL);
}
static void force_of(const sample *s, double *Q) { tmli_bushing_eval(&s->b, &s->A, &s->B, held, s->u, Q); }
static void energy_of(const sample *s, double *e) { e[0] = tmli_bushing_energy(&s->b, &s->A, &s->B, 0); }

static double dot12(const double *a, const double *b)
{
    double x = 0;
    for (int i = 0; i < 12; i++) x += a[i] * b[i];
    return x;
}

static void test_deflection(void **state)
{
    (void)state;
    rng r = rng_seed(41);
    for (int n = 0; n < SAMPLES; n++) {
        vec3 t;
        const sample s = random_sample(&r, &t);
        double z[6], zdot[6], rate[6];
        tmli_bushing_deflection(&s.b, &s.A, &s.B, 0, s.u, z, zdot);
        CHECK_SMALL(v3_norm(v3_sub(v3_from(z + 3), t)), 1e-14);  // a dozen roundings of numbers below 2
        const vec3 d =
            v3_sub(v3_add(s.B.r, m3_mulv(&s.B.R, s.b.s_B)), v3_add(s.A.r, m3_mulv(&s.A.R, s.b.s_A)));
        const vec3 y = m3_tmulv(&s.b.C_A, m3_tmulv(&s.A.R, d));
        CHECK_SMALL(v3_norm(v3_sub(v3_from(z), y)), 1e-14);
        difference(&s, deflection_of, 6, s.u, false, rate);
        for (int i = 0; i < 6; i++) CHECK_CLOSE(zdot[i], rate[i], tolerance * (1 + fabs(zdot[i])));
    }
}

// Q.u = -w.zdot for every u, with w formed here from its definition.
static void test_power(void **state)
{
    (void)state;
    rng r = rng_seed(42);
    for (int n = 0; n < SAMPLES; n++) {
        const sample s = random_sample(&r, NULL);
        double z[6], zdot[6], Q[12], power = 0, lost = 0, x[12];
        force_of(&s, Q);
        tmli_bushing_deflection(&s.b, &s.A, &s.B, 0, s.u, z, zdot);
        for (int i = 0; i < 12; i++) x[i] = rng_range(&r, -1, 1);
        double xdot[6], unused[6];
        tmli_bushing_deflection(&s.b, &s.A, &s.B, 0, x, unused, xdot);
        for (int i = 0; i < 6; i++) {
            double w = s.b.preload[i];
            for (int j = 0; j < 6; j++) {
                w += s.b.K[6 * i + j] * z[j] + s.b.D[6 * i + j] * zdot[j];
                lost += zdot[i] * s.b.D[6 * i + j] * zdot[j];
            }
            power -= w * xdot[i];
        }
        CHECK_CLOSE(dot12(Q, x), power, 1e-12);  // rounding; forces and rates below 1e2
        CHECK_CLOSE(tmli_bushing_dissipation(&s.b, &s.A, &s.B, 0, s.u), lost, 1e-12);
    }
}

// The forces balance, and so do their moments about the origin.
static void test_action_and_reaction(void **state)
{
    (void)state;
    rng r = rng_seed(43);
    for (int n = 0; n < SAMPLES; n++) {
        const sample s = random_sample(&r, NULL);
        double Q[12];
        force_of(&s, Q);
        const vec3 FA = v3_from(Q), FB = v3_from(Q + 6);
        const vec3 MA = v3_add(v3_cross(s.A.r, FA), m3_mulv(&s.A.R, v3_from(Q + 3)));
        const vec3 MB = v3_add(v3_cross(s.B.r, FB), m3_mulv(&s.B.R, v3_from(Q + 9)));
        CHECK_SMALL(v3_norm(v3_add(FA, FB)), 1e-13);  // rounding of forces below 1e2
        CHECK_SMALL(v3_norm(v3_add(MA, MB)), 1e-12);
    }
}

static void test_tangent(void **state)
{
    (void)state;
    rng r = rng_seed(44);
    for (int n = 0; n < SAMPLES; n++) {
        const sample s = random_sample(&r, NULL);
        const double wH = rng_range(&r, -2, 2), wD = rng_range(&r, -2, 2);
        double H[144], Du[144], H0[144], D0[144], col[12];
        for (int i = 0; i < 144; i++) {
            H[i] = H0[i] = rng_range(&r, -1, 1);
            Du[i] = D0[i] = rng_range(&r, -1, 1);
        }
        tmli_bushing_tangent(&s.b, &s.A, &s.B, 0, s.u, wH, H, wD, Du);
        for (int j = 0; j < 12; j++) {
            double x[12] = {0};
            x[j] = 1;
            difference(&s, force_of, 12, x, false, col);
            for (int i = 0; i < 12; i++)  // columns are up to 1e2, forces too
                CHECK_CLOSE(H[12 * i + j] - H0[12 * i + j], -wH * col[i], 1e2 * tolerance);
            difference(&s, force_of, 12, x, true, col);
            for (int i = 0; i < 12; i++)
                CHECK_CLOSE(Du[12 * i + j] - D0[12 * i + j], -wD * col[i], 1e2 * tolerance);
        }
        double only[144] = {0};
        tmli_bushing_tangent(&s.b, &s.A, &s.B, 0, s.u, wH, only, wD, NULL);
        for (int i = 0; i < 144; i++)
            CHECK_CLOSE(only[i], H[i] - H0[i], 1e-12);  // rounding of the subtraction
        tmli_bushing_tangent(&s.b, &s.A, &s.B, 0, s.u, wH, NULL, wD, NULL);
    }
}

// At rest, with K symmetric, Q is the negative gradient of the energy.
static void test_energy(void **state)
{
    (void)state;
    rng r = rng_seed(45);
    for (int n = 0; n < SAMPLES; n++) {
        sample s = random_sample(&r, NULL);
        double Q[12], d;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < i; j++) s.b.K[6 * i + j] = s.b.K[6 * j + i];
        for (int i = 0; i < 12; i++) s.u[i] = 0;
        force_of(&s, Q);
        for (int j = 0; j < 12; j++) {
            double x[12] = {0};
            x[j] = 1;
            difference(&s, energy_of, 1, x, false, &d);
            CHECK_CLOSE(Q[j], -d, 1e2 * tolerance);  // energies up to 1e2
        }
        assert_true(tmli_bushing_dissipation(&s.b, &s.A, &s.B, 0, s.u) == 0);
    }
}

// Diagonal stiffness, coinciding axes: the numbers an engineer expects.
static void test_by_hand(void **state)
{
    (void)state;
    const mat3 I = m3_identity();
    sample s = {.b = {.C_A = I, .C_B = I}, .A = {.R = I}, .B = {.r = {0.013, -0.021, 0.034}, .R = I}};
    const double k[6] = {1100, 2300, 3700, 41, 53, 67}, angle = 0.0731;
    for (int i = 0; i < 6; i++) s.b.K[7 * i] = k[i];
    s.B.R = q_matrix(tmli_so3_exp(v3(0, 0, angle)));
    double Q[12];
    force_of(&s, Q);
    const double F[3] = {-1100 * 0.013, 2300 * 0.021, -3700 * 0.034};
    for (int i = 0; i < 3; i++) {
        CHECK_CLOSE(Q[6 + i], F[i], 1e-12);  // rounding of 1e2
        CHECK_CLOSE(Q[i], -F[i], 1e-12);
    }
    CHECK_SMALL(Q[9], 1e-12);
    CHECK_SMALL(Q[10], 1e-12);
    CHECK_CLOSE(Q[11], -67 * angle, 1e-12);
}

// Beyond half a turn a held branch continues the rotation vector, its force and its tangent smoothly, and the
// event function tells that it has ended.
static void test_half_turn(void **state)
{
    (void)state;
    rng r = rng_seed(47);
    for (int n = 0; n < SAMPLES; n++) {
        vec3 t;
        sample s = random_sample(&r, &t);
        const vec3 axis = v3_scale(1 / v3_norm(t), t);
        double z[6], Q[12], H[144] = {0}, dQ[12], x[12];
        sample at = with_rotation(&s, v3_scale(2.9, axis));
        const double branch = tmli_bushing_branch(&s.b, &at.A, &at.B, 0);
        assert_true(branch != 0 && tmli_bushing_event(&s.b, &at.A, &at.B, branch) > 0);
        // it is that of the largest component, with its sign
        const double part[3] = {axis.x, axis.y, axis.z};
        for (int i = 0; i < 3; i++) assert_true(fabs(part[i]) <= fabs(part[(int)fabs(branch) - 1]));
        assert_true(part[(int)fabs(branch) - 1] * branch > 0);
        held = branch;
        at = with_rotation(&s, v3_scale(3.4, axis));
        tmli_bushing_deflection(&s.b, &at.A, &at.B, branch, NULL, z, NULL);
        CHECK_SMALL(v3_norm(v3_sub(v3_from(z + 3), v3_scale(3.4, axis))), 1e-13);  // a dozen roundings
        CHECK_CLOSE(tmli_bushing_event(&s.b, &at.A, &at.B, branch), acos(-1) - 3.4, 1e-13);
        const double next = tmli_bushing_branch(&s.b, &at.A, &at.B, branch);
        assert_true(next == -branch || fabs(next) != fabs(branch));  // components of the same size
        tmli_bushing_deflection(&s.b, &at.A, &at.B, next, NULL, z, NULL);
        CHECK_CLOSE(v3_norm(v3_from(z + 3)), 2 * acos(-1) - 3.4, 1e-13);
        for (int i = 0; i < 12; i++) x[i] = rng_range(&r, -1, 1);
        tmli_bushing_tangent(&s.b, &at.A, &at.B, branch, at.u, 1, H, 0, NULL);
        difference(&at, force_of, 12, x, false, dQ);
        tmli_bushing_eval(&s.b, &at.A, &at.B, branch, at.u, Q);
        for (int i = 0; i < 12; i++)  // derivatives of the tangent operator are larger here
            CHECK_CLOSE(-dot12(H + 12 * i, x), dQ[i], 100 * tolerance * (1 + fabs(dQ[i]) + fabs(Q[i])));
        held = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deflection),
        cmocka_unit_test(test_power),
        cmocka_unit_test(test_action_and_reaction),
        cmocka_unit_test(test_tangent),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_half_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
