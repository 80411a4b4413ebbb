// Measures: every derivative against a difference, on random poses and velocities.
//
// Differences are five-point central ones: error h^4/30 f^(5) + 1.5 eps |f|/h. With arms and distances of
// order 1, h = 3e-4 gives 3e-16 f^(5) + 1e-12 |f|. Bilinear measures have f^(5) < 1e2; LENGTH and ANGLE grow
// like 5!/l^5 with l the distance from their singular point, kept above 0.3 here: f^(5) < 1e5. So 1e-9 (1 +
// |value|) covers all kinds.
#include "element/joint/measure.h"
#include "support/support.h"

enum { SAMPLES = 100, KINDS = 9, FUNCTIONS = 8 };  // the last kind is no function of the poses
static const double step = 3e-4, tolerance = 1e-9;

typedef struct sample {
    tmli_measure m;
    tmli_pose A, B;
    double u[12];
} sample;

static vec3 random_vec(rng *r, double size)
{
    return v3(rng_range(r, -size, size), rng_range(r, -size, size), rng_range(r, -size, size));
}

static tmli_pose random_pose(rng *r)
{
    const quat p = {rng_range(r, -1, 1), rng_range(r, -1, 1), rng_range(r, -1, 1), rng_range(r, -1, 1)};
    return (tmli_pose){random_vec(r, 1.3), q_matrix(q_normalize(p))};
}

static vec3 unit(vec3 v) { return v3_scale(1 / v3_norm(v), v); }

static double dot_of(const sample *s, vec3 a, vec3 b)
{
    return v3_dot(m3_mulv(&s->A.R, a), m3_mulv(&s->B.R, b));
}

static vec3 separation(const sample *s)
{
    const vec3 a = v3_add(s->A.r, m3_mulv(&s->A.R, s->m.s_A)), b = v3_add(s->B.r, m3_mulv(&s->B.R, s->m.s_B));
    return v3_sub(b, a);
}

static sample random_sample(rng *r, tmli_measure_kind kind)
{
    sample s;
    do {
        s.m = (tmli_measure){kind,
                             random_vec(r, 0.8),
                             random_vec(r, 0.8),
                             random_vec(r, 1),
                             random_vec(r, 1),
                             random_vec(r, 1),
                             random_vec(r, 1),
                             rng_range(r, 0.4, 1.7),
                             rng_range(r, 0, 0.3)};
        if (kind == TMLI_SINE || kind == TMLI_SLIP) {  // these have unit vectors
            s.m.a = unit(s.m.a);
            s.m.b = unit(s.m.b);
            s.m.a2 = unit(s.m.a2);
            s.m.b2 = unit(s.m.b2);
        }
        s.A = random_pose(r);
        s.B = random_pose(r);
    } while (v3_norm(separation(&s)) < 0.3 ||
             hypot(dot_of(&s, s.m.a, s.m.b), dot_of(&s, s.m.a2, s.m.b2)) < 0.3 ||
             ((kind == TMLI_ARCSINE || kind == TMLI_SINE) && fabs(dot_of(&s, s.m.a, s.m.b)) > 0.8) ||
             (kind == TMLI_SLIP && fabs(dot_of(&s, s.m.a2, s.m.b2)) > 0.8));
    for (int i = 0; i < 12; i++) s.u[i] = rng_range(r, -1.5, 1.5);
    return s;
}

// both poses moved by the increment t x
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

// the angle jumps by 2 pi; differences do not care
static double wrap(double x) { return x - 6.283185307179586 * floor(x / 6.283185307179586 + 0.5); }

// derivative by increment j of out (n numbers) computed by f
typedef void (*func)(const sample *s, double *out);
static void difference(const sample *s, func f, int n, int j, int angle, double *out)
{
    static const double c[4] = {1 / 12.0, -8 / 12.0, 8 / 12.0, -1 / 12.0}, at[4] = {-2, -1, 1, 2};
    double x[12] = {0}, y[12], y0[12];
    x[j] = 1;
    f(s, y0);
    for (int i = 0; i < n; i++) out[i] = 0;
    for (int k = 0; k < 4; k++) {
        const sample t = moved(s, x, at[k] * step);
        f(&t, y);
        for (int i = 0; i < n; i++) out[i] += c[k] / step * (angle ? wrap(y[i] - y0[i]) : y[i] - y0[i]);
    }
}

static void value_of(const sample *s, double *out) { out[0] = tmli_measure_value(&s->m, &s->A, &s->B); }
static void grad_of(const sample *s, double *out) { (void)tmli_measure_grad(&s->m, &s->A, &s->B, out); }
static void quad_of(const sample *s, double *out) { out[0] = tmli_measure_quad(&s->m, &s->A, &s->B, s->u); }

static double tol_of(double x) { return tolerance * (1 + fabs(x)); }

static void test_value(void **state)
{
    (void)state;
    rng r = rng_seed(21);
    for (int n = 0; n < KINDS * SAMPLES; n++) {
        const sample s = random_sample(&r, (tmli_measure_kind)(n % KINDS));
        const vec3 d = separation(&s);
        double want = 0, g[12];
        switch (s.m.kind) {
        case TMLI_COORD: want = v3_dot(s.m.a, d); break;
        case TMLI_DOT1: want = dot_of(&s, s.m.a, s.m.b); break;
        case TMLI_DOT2: want = v3_dot(m3_mulv(&s.A.R, s.m.a), d); break;
        case TMLI_DIST2: want = v3_dot(d, d) / (2 * s.m.l0); break;
        case TMLI_LENGTH: want = v3_norm(d); break;
        case TMLI_ANGLE: want = atan2(dot_of(&s, s.m.a, s.m.b), dot_of(&s, s.m.a2, s.m.b2)); break;
        case TMLI_ARCSINE: want = asin(dot_of(&s, s.m.a, s.m.b)); break;
        case TMLI_SINE: want = sqrt(1 - dot_of(&s, s.m.a, s.m.b) * dot_of(&s, s.m.a, s.m.b)); break;
        case TMLI_SLIP: break;
        }
        const double got = tmli_measure_value(&s.m, &s.A, &s.B);
        CHECK_CLOSE(got, want, 1e-14 * (1 + fabs(want)));  // ten roundings of numbers below 10
        assert_true(tmli_measure_grad(&s.m, &s.A, &s.B, g) == got);
    }
}

static void test_grad(void **state)
{
    (void)state;
    rng r = rng_seed(22);
    for (int n = 0; n < FUNCTIONS * SAMPLES; n++) {
        const sample s = random_sample(&r, (tmli_measure_kind)(n % FUNCTIONS));
        double g[12], d;
        grad_of(&s, g);
        for (int j = 0; j < 12; j++) {
            difference(&s, value_of, 1, j, s.m.kind == TMLI_ANGLE, &d);
            CHECK_CLOSE(g[j], d, tol_of(g[j]));
        }
    }
}

static void test_hessian(void **state)
{
    (void)state;
    rng r = rng_seed(23);
    for (int n = 0; n < KINDS * SAMPLES; n++) {
        const sample s = random_sample(&r, (tmli_measure_kind)(n % KINDS));
        const double w = rng_range(&r, -2, 2);
        double H[144], before[144], col[12];
        for (int i = 0; i < 144; i++) H[i] = before[i] = rng_range(&r, -1, 1);
        tmli_measure_add_hessian(&s.m, &s.A, &s.B, w, H);
        for (int j = 0; j < 12; j++) {
            difference(&s, grad_of, 12, j, 0, col);
            for (int i = 0; i < 12; i++)
                CHECK_CLOSE(H[12 * i + j] - before[12 * i + j], w * col[i], tol_of(w * col[i]));
        }
    }
}

// What follows from N exactly: rounding of sums of 144 terms of size |N| |u|^2.
static void test_row_and_quad_are_products(void **state)
{
    (void)state;
    rng r = rng_seed(24);
    for (int n = 0; n < KINDS * SAMPLES; n++) {
        const sample s = random_sample(&r, (tmli_measure_kind)(n % KINDS));
        double N[144] = {0}, row[12], quad = 0, size = 1;
        tmli_measure_add_hessian(&s.m, &s.A, &s.B, 1, N);
        tmli_measure_row(&s.m, &s.A, &s.B, s.u, row);
        for (int i = 0; i < 144; i++) size = fmax(size, fabs(N[i]));
        for (int j = 0; j < 12; j++) {
            double x = 0;
            for (int i = 0; i < 12; i++) x += s.u[i] * N[12 * i + j];
            CHECK_CLOSE(row[j], x, 1e-14 * size);
            quad += x * s.u[j];
        }
        CHECK_CLOSE(tmli_measure_quad(&s.m, &s.A, &s.B, s.u), quad, 1e-13 * size);
    }
}

// Second derivative of the value along r + rdot t, R exp(w t): five points, h = 2e-3: error h^4/90 f^(6) (<
// 2e-8 with speeds near 3 and f^(6) < 1e5) and 5 eps |f|/h^2 = 3e-10.
static void test_quad_is_acceleration(void **state)
{
    (void)state;
    rng r = rng_seed(25);
    const double h = 2e-3;
    for (int n = 0; n < FUNCTIONS * SAMPLES; n++) {
        const sample s = random_sample(&r, (tmli_measure_kind)(n % FUNCTIONS));
        static const double c[5] = {-1 / 12.0, 16 / 12.0, -30 / 12.0, 16 / 12.0, -1 / 12.0};
        const double f0 = tmli_measure_value(&s.m, &s.A, &s.B);
        double second = 0, y;
        for (int k = 0; k < 5; k++) {
            const sample t = moved(&s, s.u, (k - 2) * h);
            value_of(&t, &y);
            second += c[k] / (h * h) * (s.m.kind == TMLI_ANGLE ? wrap(y - f0) : y - f0);
        }
        const double quad = tmli_measure_quad(&s.m, &s.A, &s.B, s.u);
        CHECK_CLOSE(quad, second, 1e-6 * (1 + fabs(quad)));
    }
}

// The gradient of SLIP from what it means: the velocity of the point of B at the contact, relative to A. The
// contact is the lowest point of a circle of B, found by search.
static void test_slip(void **state)
{
    (void)state;
    rng r = rng_seed(31);
    for (int n = 0; n < SAMPLES; n++) {
        const sample s = random_sample(&r, TMLI_SLIP);
        const vec3 normal = m3_mulv(&s.A.R, s.m.a2), e1 = unit(v3_cross(s.m.b2, random_vec(&r, 1))),
                   e2 = v3_cross(s.m.b2, e1);
        double low = INFINITY, at = 0;
        for (int pass = 0; pass < 8; pass++) {
            const double from = at - 3.2 * pow(0.05, pass), to = at + 3.2 * pow(0.05, pass);
            low = INFINITY;
            for (int k = 0; k <= 200; k++) {
                const double angle = from + (to - from) * k / 200;
                const vec3 p = m3_mulv(&s.B.R, v3_axpy(cos(angle), e1, v3_scale(sin(angle), e2)));
                if (v3_dot(p, normal) >= low) continue;
                low = v3_dot(p, normal);
                at = angle;
            }
        }
        const vec3 p = v3_scale(s.m.l0, v3_axpy(cos(at), e1, v3_scale(sin(at), e2)));
        const vec3 arm = v3_sub(m3_mulv(&s.B.R, v3_add(s.m.s_B, p)), v3_scale(s.m.l1, normal));
        const vec3 C = v3_add(s.B.r, arm), w_A = m3_mulv(&s.A.R, v3_from(s.u + 3)),
                   w_B = m3_mulv(&s.B.R, v3_from(s.u + 9));
        const vec3 v_A = v3_add(v3_from(s.u), v3_cross(w_A, v3_sub(C, s.A.r))),
                   v_B = v3_add(v3_from(s.u + 6), v3_cross(w_B, arm));
        const vec3 e = v3_add(m3_mulv(&s.A.R, s.m.a), m3_mulv(&s.B.R, s.m.b));
        double g[12], rate = 0;
        grad_of(&s, g);
        for (int i = 0; i < 12; i++) rate += g[i] * s.u[i];
        CHECK_CLOSE(rate, v3_dot(e, v3_sub(v_B, v_A)), 1e-6);  // the angle is at a minimum: sqrt(eps)
    }
}

static void test_quad_grad(void **state)
{
    (void)state;
    rng r = rng_seed(26);
    for (int n = 0; n < KINDS * SAMPLES; n++) {
        const sample s = random_sample(&r, (tmli_measure_kind)(n % KINDS));
        double g[12], d;
        tmli_measure_quad_grad(&s.m, &s.A, &s.B, s.u, g);
        for (int j = 0; j < 12; j++) {
            difference(&s, quad_of, 1, j, 0, &d);
            // two more derivatives than the value, speeds up to 2.6: f^(5) and the tolerance grow by 1e2
            CHECK_CLOSE(g[j], d, 1e2 * tol_of(g[j]));
        }
    }
}

// A rigid motion of the world (both bodies turned and shifted) leaves relative measures alone.
static void test_rigid_motion(void **state)
{
    (void)state;
    rng r = rng_seed(27);
    for (int n = 0; n < KINDS * SAMPLES; n++) {
        const sample s = random_sample(&r, (tmli_measure_kind)(n % KINDS));
        if (s.m.kind == TMLI_COORD) continue;
        double g[12];
        grad_of(&s, g);
        const vec3 w = random_vec(&r, 1), v = random_vec(&r, 1);
        const vec3 vA = v3_add(v, v3_cross(w, s.A.r)), vB = v3_add(v, v3_cross(w, s.B.r));
        const double rate = v3_dot(v3_from(g), vA) + v3_dot(v3_from(g + 3), m3_tmulv(&s.A.R, w)) +
                            v3_dot(v3_from(g + 6), vB) + v3_dot(v3_from(g + 9), m3_tmulv(&s.B.R, w));
        CHECK_SMALL(rate, 1e-13);  // rounding; gradients are below 20
    }
}

// Where LENGTH and ANGLE have no derivative they give zeros, not NaN.
static void test_singular_points(void **state)
{
    (void)state;
    rng r = rng_seed(28);
    const tmli_pose P = random_pose(&r);
    tmli_measure m = {.kind = TMLI_LENGTH, .s_A = {0.3, 0.2, -0.7}, .s_B = {0.3, 0.2, -0.7}};
    for (int k = 0; k < 2; k++) {
        double g[12], row[12], qg[12], H[144] = {0}, u[12];
        for (int i = 0; i < 12; i++) u[i] = g[i] = row[i] = qg[i] = rng_range(&r, 1, 2);
        assert_true(tmli_measure_grad(&m, &P, &P, g) == 0);
        tmli_measure_row(&m, &P, &P, u, row);
        tmli_measure_quad_grad(&m, &P, &P, u, qg);
        tmli_measure_add_hessian(&m, &P, &P, 1.7, H);
        assert_true(tmli_measure_quad(&m, &P, &P, u) == 0);
        for (int i = 0; i < 12; i++) assert_true(g[i] == 0 && row[i] == 0 && qg[i] == 0);
        for (int i = 0; i < 144; i++) assert_true(H[i] == 0);
        m = (tmli_measure){.kind = TMLI_ANGLE};  // all vectors zero
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value),
        cmocka_unit_test(test_grad),
        cmocka_unit_test(test_hessian),
        cmocka_unit_test(test_row_and_quad_are_products),
        cmocka_unit_test(test_quad_is_acceleration),
        cmocka_unit_test(test_slip),
        cmocka_unit_test(test_quad_grad),
        cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_singular_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
