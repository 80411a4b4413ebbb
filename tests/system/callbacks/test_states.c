// First-order states of systems of callbacks: layout, matrices against differences of the residual, the
// integral of z as a sum of two numbers, energy, and wrong definitions.
#include "support/support.h"

#include <trammel/system.h>

enum { N = 2, NZ = 2, ALL = N + NZ, M = 1 };

static tml_status mass(double t, const double *q, double *A, void *user)
{
    (void)t, (void)user;
    A[0] = 1.7 + 0.3 * sin(q[1]);
    A[1] = A[2] = 0.2;
    A[3] = 0.9;
    return TML_OK;
}
static tml_status force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)user;
    f[0] = -1.3 * q[0] + u[2] * u[0] + sin(t);
    f[1] = -0.4 * u[1] * q[0] + 2.1 * u[3];
    return TML_OK;
}
static tml_status constraint(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = q[0] * q[0] + 0.5 * q[1] - 0.3;
    return TML_OK;
}
static tml_status constraint_jacobian(double t, const double *q, double *B, void *user)
{
    (void)t, (void)user;
    B[0] = 2 * q[0];
    B[1] = 0.5;
    return TML_OK;
}
static tml_status rate(double t, const double *q, const double *u, double *zdot, void *user)
{
    (void)user;
    zdot[0] = -u[2] * u[3] + q[0] * q[1] + 0.2 * t;
    zdot[1] = 3.1 * u[0] - 0.7 * u[3] + q[1];
    return TML_OK;
}
static tml_status rate_by_q(double t, const double *q, const double *u, double *g, void *user)
{
    (void)t, (void)u, (void)user;
    g[0] = q[1];
    g[1] = q[0];
    g[3] = 1;
    return TML_OK;
}
static tml_status rate_by_u(double t, const double *q, const double *u, double *g, void *user)
{
    (void)t, (void)q, (void)user;
    g[2] = -u[3];
    g[3] = -u[2];
    g[4] = 3.1;
    g[7] = -0.7;
    return TML_OK;
}
static tml_status force_by_u(double t, const double *q, const double *u, double *g, void *user)
{
    (void)t, (void)user;
    g[0] = u[2];
    g[2] = u[0];
    g[5] = -0.4 * q[0];
    g[7] = 2.1;
    return TML_OK;
}

static const double SCALE[NZ] = {0.4, 3};

static tml_user_system_def definition(bool derivatives)
{
    tml_user_system_def def = tml_user_system_def_default();
    def.n = N;
    def.m = M;
    def.nz = NZ;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    def.constraint_jacobian = constraint_jacobian;
    def.rate = rate;
    def.state_scale = SCALE;
    if (derivatives) {
        def.force_by_u = force_by_u;
        def.rate_by_q = rate_by_q;
        def.rate_by_u = rate_by_u;
    }
    return def;
}

typedef struct fixture {
    tml_system *sys;
    void *w;
    tml_state *x;
} fixture;

static fixture begin(bool derivatives)
{
    fixture f = {0};
    tml_error err = {0};
    const tml_user_system_def def = definition(derivatives);
    assert_int_equal(tml_system_create_user(&def, NULL, &f.sys, &err), TML_OK);
    f.w = f.sys->ops->create_work(f.sys->self, NULL);
    assert_int_equal(tml_state_create(f.sys, &f.x, &err), TML_OK);
    rng r = rng_seed(7);
    f.x->t = 0.37;
    for (int i = 0; i < N; i++) f.x->q[i] = rng_range(&r, -1, 1);
    for (int i = 0; i < ALL; i++) f.x->u[i] = rng_range(&r, -2, 2);
    for (int i = 0; i < ALL; i++) f.x->udot[i] = rng_range(&r, -2, 2);
    f.x->lambda[0] = 1.1;
    return f;
}

static void end(fixture *f)
{
    tml_state_destroy(f->x, f->sys);
    f->sys->ops->destroy_work(f->w);
    tml_system_destroy(f->sys);
}

static void test_layout(void **state)
{
    (void)state;
    fixture f = begin(true);
    char name[32];
    assert_int_equal(f.sys->n, ALL);
    assert_int_equal(f.sys->nz, NZ);
    assert_int_equal(f.sys->nq, N + 2 * NZ);
    assert_int_equal(f.x->nz, NZ);
    assert_ptr_equal(f.x->z, f.x->u + N);
    assert_int_equal(f.sys->kind[N - 1], TML_COORDINATE_TRANSLATION);
    assert_int_equal(f.sys->kind[N], TML_COORDINATE_STATE);
    CHECK_CLOSE(f.sys->state_scale[1], SCALE[1], 0);
    assert_string_equal(f.sys->coordinate_name(f.sys, N + 1, name, sizeof name), "z[1]");
    assert_int_equal(f.sys->rowptr[M], M * N);  // no entries of states
    end(&f);
}

// All numbers of a state, also of a view whose velocities stand elsewhere.
static void test_copy(void **state)
{
    (void)state;
    fixture f = begin(true);
    tml_state *y = NULL;
    assert_int_equal(tml_state_create(f.sys, &y, NULL), TML_OK);
    for (int i = 0; i < f.x->nq; i++) f.x->q[i] = 0.31 + i;
    for (int i = 0; i < ALL; i++) f.x->u[i] = 10.7 + i, f.x->udot[i] = 20.3 + i;
    f.x->lambda[0] = 30.9;
    f.x->t = 1.7;
    tml_state view = *f.x;
    view.u = f.x->udot;
    view.udot = f.x->u;
    const tml_state *const from[] = {f.x, &view};
    for (int k = 0; k < 2; k++) {
        tml_state_copy(y, from[k]);
        CHECK_CLOSE(y->t, 1.7, 0);
        for (int i = 0; i < y->nq; i++) CHECK_CLOSE(y->q[i], 0.31 + i, 0);
        for (int i = 0; i < ALL; i++) CHECK_CLOSE(y->u[i], from[k]->u[i], 0);
        for (int i = 0; i < ALL; i++) CHECK_CLOSE(y->udot[i], from[k]->udot[i], 0);
        CHECK_CLOSE(y->lambda[0], 30.9, 0);
    }
    tml_state_destroy(y, f.sys);
    end(&f);
}

// Motion rows at the state with q and u changed by +-h times (d, v).
static void residual(const fixture *f, tml_state *y, int j, bool by_u, double h, double *motion)
{
    double d[ALL] = {0}, phi[M];
    tml_error err = {0};
    tml_state_copy(y, f->x);
    if (by_u) y->u[j] += h;
    else d[j] = h;
    f->sys->ops->retract(f->sys->self, f->x->q, d, y->q);
    assert_int_equal(f->sys->ops->residual(f->sys->self, f->w, y, NULL, motion, phi, &err), TML_OK);
}

static void test_matrices(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        fixture f = begin(given);
        tml_error err = {0};
        tml_state *y = NULL;
        const int size = ALL + M;
        double K[25], D[25], A[25], high[ALL], low[ALL];
        const tml_assembly stiff = {.ck = 1}, damping = {.cd = 1}, inertia = {.cm = 1};
        assert_int_equal(tml_state_create(f.sys, &y, &err), TML_OK);
        assert_int_equal(f.sys->ops->assemble(f.sys->self, f.w, f.x, &stiff, K, &err), TML_OK);
        assert_int_equal(f.sys->ops->assemble(f.sys->self, f.w, f.x, &damping, D, &err), TML_OK);
        assert_int_equal(f.sys->ops->assemble(f.sys->self, f.w, f.x, &inertia, A, &err), TML_OK);
        const double h = 1e-5;
        for (int j = 0; j < ALL; j++)
            for (int by_u = 0; by_u < 2; by_u++) {
                residual(&f, y, j, by_u, h, high);
                residual(&f, y, j, by_u, -h, low);
                // central differences of numbers of some units: h^2 + eps/h
                for (int i = 0; i < ALL; i++)
                    CHECK_CLOSE((by_u ? D : K)[j * size + i], (high[i] - low[i]) / (2 * h), 1e-8);
            }
        for (int j = N; j < ALL; j++)
            for (int i = 0; i < size; i++) {
                CHECK_CLOSE(A[j * size + i], i == j, 0);
                CHECK_CLOSE(A[i * size + j], i == j, 0);
                CHECK_SMALL(K[j * size + i], 0);  // nothing depends on the integral of z
            }
        tml_state_destroy(y, f.sys);
        end(&f);
    }
}

// Increments keep their digits although the integral is large.
static void test_integral(void **state)
{
    (void)state;
    fixture f = begin(true);
    double q[N + 2 * NZ], d[ALL] = {0}, back[ALL];
    d[N] = 1.2345e12;
    d[N + 1] = -7e9;
    f.sys->ops->retract(f.sys->self, f.x->q, d, f.x->q);
    for (int i = 0; i < ALL; i++) d[i] = 1e-5 * (0.731 + i);
    memcpy(q, f.x->q, sizeof q);
    for (int i = 0; i < 1000; i++) f.sys->ops->retract(f.sys->self, q, d, q);
    f.sys->ops->local(f.sys->self, f.x->q, q, back);
    for (int i = N; i < ALL; i++) CHECK_CLOSE(back[i], 1000 * d[i], 1e-13 * 1000 * d[i]);  // 1000 roundings
    end(&f);
}

static void test_energy(void **state)
{
    (void)state;
    fixture f = begin(true);
    tml_error err = {0};
    double kinetic[2], potential, power;
    for (int i = 0; i < 2; i++) {
        f.x->z[0] += i * 17.3;
        assert_int_equal(f.sys->ops->energy(f.sys->self, f.w, f.x, &kinetic[i], &potential, &power, &err),
                         TML_OK);
    }
    CHECK_CLOSE(kinetic[0], kinetic[1], 0);
    end(&f);
}

static void expect_error(const tml_user_system_def *def, const char *text)
{
    tml_error err = {0};
    tml_system *sys = NULL;
    assert_int_equal(tml_system_create_user(def, NULL, &sys, &err), TML_ERR_ARG);
    assert_null(sys);
    if (!strstr(err.msg, text)) fail_msg("'%s' lacks '%s'", err.msg, text);
}

static void test_errors(void **state)
{
    (void)state;
    tml_user_system_def def = definition(true);
    def.nz = -1;
    expect_error(&def, "nz = -1");
    def = definition(true);
    def.rate = NULL;
    expect_error(&def, "'rate'");
    def = definition(true);
    def.state_scale = (const double[NZ]){1, -2};
    expect_error(&def, "state_scale[1]");
    def = tml_user_system_def_default();
    expect_error(&def, "n = 0");
    def.n = -1;
    def.nz = 1;
    expect_error(&def, "n = -1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),   cmocka_unit_test(test_copy),   cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_integral), cmocka_unit_test(test_energy), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
