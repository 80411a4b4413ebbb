// Rows at velocity level of systems of callbacks: values, and all derivatives against differences.
#include "support/support.h"

#include <trammel/system.h>

enum { N = 3, M = 3, K = 2, NM = N + M };

static tml_status mass(double t, const double *q, double *A, void *user)
{
    (void)t, (void)user;
    A[0] = 1.7 + 0.3 * sin(q[1]);
    A[4] = 1.1;
    A[8] = 0.9;
    return TML_OK;
}
static tml_status force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)user;
    f[0] = -1.3 * q[0] + sin(t);
    f[1] = -0.4 * u[1] * q[0];
    return TML_OK;
}
static tml_status constraint(double t, const double *q, double *phi, void *user)
{
    (void)user;
    phi[0] = q[0] * q[0] + 0.5 * q[1] - 0.3 * sin(t);
    return TML_OK;
}
static tml_status constraint_jacobian(double t, const double *q, double *B, void *user)
{
    (void)t, (void)user;
    B[0] = 2 * q[0];
    B[1] = 0.5;
    return TML_OK;
}
static tml_status rows(double t, const double *q, double *B, void *user)
{
    (void)user;
    B[0] = -sin(q[2]);
    B[1] = cos(q[2]) + 0.1 * t;
    B[2] = q[0] * q[1];
    B[3] = 0.3 * q[2];
    B[5] = 1 + 0.2 * q[0] * q[0];
    return TML_OK;
}
static tml_status nu(double t, const double *q, double *v, void *user)
{
    (void)user;
    v[0] = 0.7 * cos(2 * t) * q[1];
    v[1] = q[0] * q[2];
    return TML_OK;
}

typedef struct fixture {
    tml_system *sys;
    const tml_system_ops *ops;
    void *w;
    tml_state *x, *y;
} fixture;

static fixture begin(bool with_nu)
{
    fixture f = {0};
    tml_error err = {0};
    tml_user_system_def def = tml_user_system_def_default();
    def.n = N;
    def.m = M;
    def.velocity_rows = K;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    def.constraint_jacobian = constraint_jacobian;
    def.velocity_jacobian = rows;
    def.velocity_nu = with_nu ? nu : NULL;
    assert_int_equal(tml_system_create_user(&def, NULL, &f.sys, &err), TML_OK);
    f.ops = f.sys->ops;
    f.w = f.ops->create_work(f.sys->self, NULL);
    assert_int_equal(tml_state_create(f.sys, &f.x, &err), TML_OK);
    assert_int_equal(tml_state_create(f.sys, &f.y, &err), TML_OK);
    rng r = rng_seed(11);
    f.x->t = 0.37;
    for (int i = 0; i < N; i++) f.x->q[i] = rng_range(&r, -1, 1);
    for (int i = 0; i < N; i++) f.x->u[i] = rng_range(&r, -2, 2);
    for (int i = 0; i < N; i++) f.x->udot[i] = rng_range(&r, -2, 2);
    for (int i = 0; i < M; i++) f.x->lambda[i] = rng_range(&r, -2, 2);
    return f;
}

static void end(fixture *f)
{
    tml_state_destroy(f->x, f->sys);
    tml_state_destroy(f->y, f->sys);
    f->ops->destroy_work(f->w);
    tml_system_destroy(f->sys);
}

static void phi_at(const fixture *f, const tml_state *x, double *phi)
{
    double motion[N];
    assert_int_equal(f->ops->residual(f->sys->self, f->w, x, NULL, motion, phi, NULL), TML_OK);
}

static void test_values(void **state)
{
    (void)state;
    fixture f = begin(true);
    double phi[M], rate[M], B[N * K] = {0}, v[K];
    phi_at(&f, f.x, phi);
    assert_int_equal(f.ops->velocity(f.sys->self, f.w, f.x, rate, NULL), TML_OK);
    rows(f.x->t, f.x->q, B, NULL);
    nu(f.x->t, f.x->q, v, NULL);
    for (int i = 0; i < K; i++) {
        double sum = -v[i];
        for (int j = 0; j < N; j++) sum += B[i * N + j] * f.x->u[j];
        CHECK_CLOSE(phi[M - K + i], sum, 1e-15);
        CHECK_CLOSE(rate[M - K + i], sum, 1e-15);
        assert_int_equal(f.sys->level[M - K + i], TML_LEVEL_VELOCITY);
    }
    assert_int_equal(f.sys->level[0], TML_LEVEL_POSITION);
    end(&f);
}

// gamma is the value of B udot for which B u - nu stays constant: (B u - nu)' = B udot - gamma.
static void test_gamma(void **state)
{
    (void)state;
    fixture f = begin(true);
    double f0[N], gamma[M], high[M], low[M], B[M * N], e = 1e-5;
    assert_int_equal(f.ops->dynamics(f.sys->self, f.w, f.x, f0, gamma, NULL), TML_OK);
    assert_int_equal(f.ops->rows(f.sys->self, f.w, f.x, B, NULL), TML_OK);
    for (int side = 1; side >= -1; side -= 2) {
        tml_state_copy(f.y, f.x);
        f.y->t += side * e;
        for (int j = 0; j < N; j++) f.y->q[j] += side * e * f.x->u[j] + e * e / 2 * f.x->udot[j];
        for (int j = 0; j < N; j++) f.y->u[j] += side * e * f.x->udot[j];
        assert_int_equal(f.ops->velocity(f.sys->self, f.w, f.y, side > 0 ? high : low, NULL), TML_OK);
    }
    for (int i = 0; i < M; i++) {
        double sum = -gamma[i];
        for (int j = 0; j < N; j++) sum += B[i * N + j] * f.x->udot[j];
        CHECK_CLOSE(sum, (high[i] - low[i]) / (2 * e),
                    1e-6);  // of position rows a difference of a difference
        if (i >= M - K) CHECK_CLOSE(sum, (high[i] - low[i]) / (2 * e), 1e-8);
    }
    end(&f);
}

static void test_gamma_derivatives(void **state)
{
    (void)state;
    fixture f = begin(true);
    double by_d[M * N], by_u[M * N], f0[N], high[M], low[M], e = 1e-4;
    assert_int_equal(f.ops->gamma_derivatives(f.sys->self, f.w, f.x, by_d, by_u, NULL), TML_OK);
    for (int j = 0; j < N; j++)
        for (int k = 0; k < 2; k++) {
            for (int side = 1; side >= -1; side -= 2) {
                tml_state_copy(f.y, f.x);
                (k ? f.y->u : f.y->q)[j] += side * e;
                assert_int_equal(f.ops->dynamics(f.sys->self, f.w, f.y, f0, side > 0 ? high : low, NULL),
                                 TML_OK);
            }
            // differences of differences: 4e-11/e, and e^2
            for (int i = M - K; i < M; i++)
                CHECK_CLOSE((k ? by_u : by_d)[i * N + j], (high[i] - low[i]) / (2 * e), 2e-6);
        }
    end(&f);
}

static void test_rows_times(void **state)
{
    (void)state;
    fixture f = begin(true);
    const double v[N] = {0.7, -1.2, 0.4}, e = 1e-5;
    double values[M * N], high[M * N], low[M * N];
    assert_int_equal(f.ops->rows_times(f.sys->self, f.w, f.x, v, values, NULL), TML_OK);
    for (int j = 0; j < N; j++) {
        for (int side = 1; side >= -1; side -= 2) {
            tml_state_copy(f.y, f.x);
            f.y->q[j] += side * e;
            assert_int_equal(f.ops->rows(f.sys->self, f.w, f.y, side > 0 ? high : low, NULL), TML_OK);
        }
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += (high[i * N + k] - low[i * N + k]) / (2 * e) * v[k];
            CHECK_CLOSE(values[i * N + j], sum, 1e-8);
        }
    }
    end(&f);
}

// The Newton matrix with cv: derivative of the residuals when q changes by d and u by cv d, rows over cv.
static void test_matrix(void **state)
{
    (void)state;
    for (int with_nu = 0; with_nu < 2; with_nu++) {
        fixture f = begin(with_nu);
        const double cv = 13, e = 1e-6, r[M] = {1.3, 0.7, 2.1}, p[M] = {3, 5, 7};
        const double p_force[M] = {p[0], p[1] / cv, p[2] / cv};
        const tml_assembly a = {.cd = cv, .ck = 1, .cp = 1, .r = r, .p = p, .cv = cv};
        double A[NM * NM], motion[2][N], phi[2][M];
        assert_int_equal(f.ops->assemble(f.sys->self, f.w, f.x, &a, A, NULL), TML_OK);
        for (int j = 0; j < N; j++) {
            for (int side = 0; side < 2; side++) {
                tml_state_copy(f.y, f.x);
                f.y->q[j] += side ? e : -e;
                f.y->u[j] += cv * (side ? e : -e);
                assert_int_equal(
                    f.ops->residual(f.sys->self, f.w, f.y, p_force, motion[side], phi[side], NULL), TML_OK);
            }
            for (int i = 0; i < N; i++)  // entries up to 1e2
                CHECK_CLOSE(A[j * NM + i], (motion[1][i] - motion[0][i]) / (2 * e), 1e-6);
            for (int i = 0; i < M; i++) {
                const double change = (phi[1][i] - phi[0][i]) / (2 * e) / (i < M - K ? 1 : cv);
                CHECK_CLOSE(A[j * NM + N + i], r[i] * change, 1e-8);
            }
        }
        end(&f);
    }
}

static void expect_error(const tml_user_system_def *def, const char *text)
{
    tml_error err = {0};
    tml_system *sys = NULL;
    assert_int_equal(tml_system_create_user(def, NULL, &sys, &err), TML_ERR_ARG);
    if (!strstr(err.msg, text)) fail_msg("'%s' lacks '%s'", err.msg, text);
}

static void test_errors(void **state)
{
    (void)state;
    tml_user_system_def def = tml_user_system_def_default();
    def.n = N;
    def.m = 1;
    def.mass = mass;
    def.force = force;
    def.velocity_rows = 2;
    expect_error(&def, "velocity_rows = 2");
    def.velocity_rows = 1;
    expect_error(&def, "'velocity_jacobian'");
    def.velocity_rows = 0;
    expect_error(&def, "'constraint'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_gamma),
        cmocka_unit_test(test_gamma_derivatives),
        cmocka_unit_test(test_rows_times),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
