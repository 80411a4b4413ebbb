// Systems made of callbacks: the contract of a system against difference quotients of its own lower
// operations, the fall-backs against derivatives by hand. The ways to fail are in test_user_errors.c.
#include "system/user_fixture.h"

#include "linalg/pattern/pattern.h"

static void residual(fixture *p, const double *pen, double *motion, double *phi)
{
    tml_error err = {0};
    if (p->ops->residual(p->sys->self, p->w, p->x, pen, motion, phi, &err) != TML_OK) fail_msg("%s", err.msg);
}

// d motion / d x by central differences, x one of the arrays of the state. out (n x n), row-major.
static void difference_motion(fixture *p, const double *pen, double *x, double *out)
{
    const double h = 1e-5;
    const int n = p->sys->n;
    for (int j = 0; j < n; j++) {
        double up[N], down[N], phi[M];
        const double keep = x[j];
        x[j] = keep + h;
        residual(p, pen, up, phi);
        x[j] = keep - h;
        residual(p, pen, down, phi);
        x[j] = keep;
        for (int i = 0; i < n; i++) out[i * n + j] = (up[i] - down[i]) / (2 * h);
    }
}

static void test_assemble_is_derivative_of_residual(void **state)
{
    (void)state;
    const double pen[M] = {3.1, 0.77}, factor[M] = {1.7, 0.23}, cm = 0.83, cd = 1.9, ck = 0.57;
    for (int problem = 0; problem < PROBLEM_COUNT; problem++) {
        fixture *p = open_problem(problem, GIVE_ALL, NULL);
        const int n = p->sys->n, m = p->sys->m, size = n + m;
        rng r = rng_seed(11);
        for (int k = 0; k < 100; k++) {
            random_state(&r, p->x);
            double by_q[N * N], by_u[N * N], by_a[N * N], B[M * N], A[NM * NM];
            difference_motion(p, pen, p->x->q, by_q);
            difference_motion(p, pen, p->x->u, by_u);
            difference_motion(p, pen, p->x->udot, by_a);
            const double increment[N] = {0.3, -0.4, 0.8};
            const tml_assembly a = {
                .cm = cm, .cd = cd, .ck = ck, .cp = ck, .r = factor, .p = pen, .increment = increment};
            assert_int_equal(p->ops->assemble(p->sys->self, p->w, p->x, &a, A, NULL), TML_OK);
            assert_int_equal(p->ops->rows(p->sys->self, p->w, p->x, B, NULL), TML_OK);
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    const double expect = cm * by_a[i * n + j] + cd * by_u[i * n + j] + ck * by_q[i * n + j];
                    // truncation h^2 * third derivatives of size 50 = 5e-9, round-off 30 eps / h = 7e-10
                    CHECK_CLOSE(A[j * size + i], expect, 1e-8);
                }
                for (int c = 0; c < m; c++) {
                    CHECK_CLOSE(A[i * size + n + c], factor[c] * B[c * n + i], 1e-15);
                    CHECK_CLOSE(A[(n + c) * size + i], factor[c] * B[c * n + i], 1e-15);  // one rounding
                }
            }
            for (int c = 0; c < m * m; c++) assert_true(A[(n + c / m) * size + n + c % m] == 0);
        }
        close_problem(p);
    }
}

// Along q + tau u + tau^2/2 udot, u + tau udot, t + tau, with D = d/dtau:
//   D Phi = B u - nu   and   D (B u - nu) = B udot - gamma.
static void move_state(tml_state *x, const tml_state *from, double tau)
{
    tml_state_copy(x, from);
    x->t += tau;
    for (int i = 0; i < x->n; i++) {
        x->q[i] += tau * from->u[i] + tau * tau / 2 * from->udot[i];
        x->u[i] += tau * from->udot[i];
    }
}

static void test_time_derivatives_of_constraints(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int problem = 0; problem < PROBLEM_COUNT; problem++) {
        fixture *p = open_problem(problem, GIVE_ALL, NULL);
        const int n = p->sys->n, m = p->sys->m;
        tml_state *base = NULL;
        assert_int_equal(tml_state_create(p->sys, &base, NULL), TML_OK);
        rng r = rng_seed(23);
        for (int k = 0; k < 100; k++) {
            random_state(&r, base);
            double motion[N], phi[2][M], phidot[2][M], rate[M], gamma[M], f[N], B[M * N];
            for (int side = 0; side < 2; side++) {
                move_state(p->x, base, side ? -h : h);
                residual(p, NULL, motion, phi[side]);
                assert_int_equal(p->ops->velocity(p->sys->self, p->w, p->x, phidot[side], NULL), TML_OK);
            }
            assert_int_equal(p->ops->velocity(p->sys->self, p->w, base, rate, NULL), TML_OK);
            assert_int_equal(p->ops->dynamics(p->sys->self, p->w, base, f, gamma, NULL), TML_OK);
            assert_int_equal(p->ops->rows(p->sys->self, p->w, base, B, NULL), TML_OK);
            for (int c = 0; c < m; c++) {
                double accel = -gamma[c];
                for (int j = 0; j < n; j++) accel += B[c * n + j] * base->udot[j];
                CHECK_CLOSE((phi[0][c] - phi[1][c]) / (2 * h), rate[c], 2e-8);  // h^2/6 * rates of 500
                // as before, and Phi_t by differences of error 1e-10, divided by h
                CHECK_CLOSE((phidot[0][c] - phidot[1][c]) / (2 * h), accel,
                            problem == PROBLEM_MOVE ? 4e-5 : 2e-8);
            }
        }
        tml_state_destroy(base, p->sys);
        close_problem(p);
    }
}

static void compare(const char *what, int problem, int give, const double *x, const double *y, int count,
                    double tol)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i] - y[i]) <= tol))
            fail_msg("%s[%d] of problem %d, given %d: %.12g, by hand %.12g, difference %g > %g", what, i,
                     problem, give, x[i], y[i], x[i] - y[i], tol);
}

// All operations of a system with missing derivatives against those of the one with all.
static void test_differences_agree_with_hand(void **state)
{
    (void)state;
    // values are of size 1 to 100. A first difference loses a third of the digits, a second one of given B
    // (or a gamma given) the same, one of a B that is itself a difference half of them.
    const double first = 4e-9, second[3] = {2e-6, 2e-8, 2e-6}, by_gamma[3] = {2e-6, 2e-8, 2e-8};
    for (int problem = 0; problem < PROBLEM_COUNT; problem++) {
        for (int give = 0; give < GIVE_ALL; give++) {
            fixture *p = open_problem(problem, give, NULL), *all = open_problem(problem, GIVE_ALL, NULL);
            const int n = p->sys->n, m = p->sys->m, size = n + m;
            rng r = rng_seed(37);
            for (int k = 0; k < 50; k++) {
                random_state(&r, p->x);
                tml_state_copy(all->x, p->x);
                double a[2][NM * NM], b[2][NM * NM], c[2][NM * NM];
                const double pen[M] = {1.3, 2.9}, v[N] = {0.71, -1.33, 2.17};
                const tml_assembly as = {.cm = 0.37, .cd = 1.21, .ck = 0.89, .cp = 1.43, .p = pen};
                for (int s = 0; s < 2; s++) {
                    fixture *f = s ? all : p;
                    assert_int_equal(f->ops->residual(f->sys->self, f->w, f->x, pen, a[s], b[s], NULL),
                                     TML_OK);
                    assert_int_equal(f->ops->velocity(f->sys->self, f->w, f->x, c[s], NULL), TML_OK);
                }
                compare("motion", problem, give, a[0], a[1], n, first);
                compare("phi", problem, give, b[0], b[1], m, 0);
                compare("phidot", problem, give, c[0], c[1], m, first);
                for (int s = 0; s < 2; s++) {
                    fixture *f = s ? all : p;
                    assert_int_equal(f->ops->assemble(f->sys->self, f->w, f->x, &as, a[s], NULL), TML_OK);
                    assert_int_equal(f->ops->rows(f->sys->self, f->w, f->x, b[s], NULL), TML_OK);
                    assert_int_equal(f->ops->rows_times(f->sys->self, f->w, f->x, v, c[s], NULL), TML_OK);
                }
                compare("matrix", problem, give, a[0], a[1], size * size, second[give]);
                compare("rows", problem, give, b[0], b[1], m * n, first);
                compare("rows_times", problem, give, c[0], c[1], m * n, second[give]);
                for (int s = 0; s < 2; s++) {
                    fixture *f = s ? all : p;
                    assert_int_equal(f->ops->dynamics(f->sys->self, f->w, f->x, a[s], b[s], NULL), TML_OK);
                    assert_int_equal(
                        f->ops->diagonals(f->sys->self, f->w, f->x, c[s], c[s] + n, c[s] + 2 * n, NULL),
                        TML_OK);
                }
                compare("force", problem, give, a[0], a[1], n, 0);
                compare("gamma", problem, give, b[0], b[1], m, 1e-7);  // (2 h |u|)^4 of size 1e-9 times 50
                compare("diagonals", problem, give, c[0], c[1], 3 * n, first);
                for (int s = 0; s < 2; s++) {
                    fixture *f = s ? all : p;
                    assert_int_equal(f->ops->gamma_derivatives(f->sys->self, f->w, f->x, a[s], b[s], NULL),
                                     TML_OK);
                }
                compare("gamma_q", problem, give, a[0], a[1], m * n, by_gamma[give]);
                compare("gamma_u", problem, give, b[0], b[1], m * n, by_gamma[give]);
            }
            close_problem(p);
            close_problem(all);
        }
    }
}

// Formulas that no callback holds: (B v)_q, gamma_q and gamma_u of the moving constraints, by hand.
static void test_products_by_hand(void **state)
{
    (void)state;
    const double tol[4] = {2e-6, 2e-8, 2e-6, 2e-8};  // as in test_differences_agree_with_hand
    for (int give = 0; give <= GIVE_ALL; give++) {
        fixture *p = open_problem(PROBLEM_MOVE, give, NULL);
        rng r = rng_seed(41);
        for (int k = 0; k < 50; k++) {
            random_state(&r, p->x);
            const double *q = p->x->q, *u = p->x->u, t = p->x->t, w = MOVE_W, v[N] = {0.71, -1.33, 2.17};
            const double Bv_q[M * N] = {0, 0, 0, 2 * q[2] * v[2], 0, 2 * q[2] * v[0] + 2 * q[0] * v[2]};
            const double by_q[M * N] = {w * w * cos(w * t), w * w * sin(w * t), 0,
                                        -2 * u[2] * u[2],   2 * MOVE_B,         -4 * u[0] * u[2]};
            const double by_u[M * N] = {
                2 * w * sin(w * t), -2 * w * cos(w * t), 0,
                -4 * q[2] * u[2],   4 * MOVE_B * t,      -4 * q[2] * u[0] - 4 * q[0] * u[2]};
            double x[M * N], y[M * N];
            assert_int_equal(p->ops->rows_times(p->sys->self, p->w, p->x, v, x, NULL), TML_OK);
            compare("rows_times", PROBLEM_MOVE, give, x, Bv_q, M * N, tol[give]);
            assert_int_equal(p->ops->gamma_derivatives(p->sys->self, p->w, p->x, x, y, NULL), TML_OK);
            compare("gamma_q", PROBLEM_MOVE, give, x, by_q, M * N, tol[give]);
            compare("gamma_u", PROBLEM_MOVE, give, y, by_u, M * N, tol[give]);
            const double zero[N] = {0};
            assert_int_equal(p->ops->rows_times(p->sys->self, p->w, p->x, zero, x, NULL), TML_OK);
            compare("rows_times 0", PROBLEM_MOVE, give, x, zero, N, 0);
        }
        close_problem(p);
    }
}

// Late in a run and fast: t = 1e6 s and u = 1e4 must not spoil gamma; a constraint at rest has exactly no
// rate.
static void test_steps_fit_time_and_speed(void **state)
{
    (void)state;
    for (int give = GIVE_NOTHING; give <= GIVE_JACOBIAN; give++) {
        fixture *p = open_problem(PROBLEM_ROOT, give, NULL);
        rng r = rng_seed(53);
        random_state(&r, p->x);
        p->x->t = 1.234567e6;
        for (int i = 0; i < 3; i++) p->x->u[i] *= 1e4;
        double f[N], gamma[M], expect[M], phidot[M];
        assert_int_equal(p->ops->dynamics(p->sys->self, p->w, p->x, f, gamma, NULL), TML_OK);
        root_gamma(p->x->t, p->x->q, p->x->u, expect, &p->user);
        for (int c = 0; c < 2; c++)
            CHECK_CLOSE(gamma[c] / expect[c], 1, 1e-8);  // eps^(2/3) = 4e-11, times 100
        for (int i = 0; i < 3; i++) p->x->u[i] = 0;
        assert_int_equal(p->ops->velocity(p->sys->self, p->w, p->x, phidot, NULL), TML_OK);
        assert_int_equal(p->ops->dynamics(p->sys->self, p->w, p->x, f, gamma, NULL), TML_OK);
        for (int c = 0; c < 2; c++) assert_true(phidot[c] == 0 && gamma[c] == 0);
        close_problem(p);

        p = open_problem(PROBLEM_MOVE, give, NULL);
        random_state(&r, p->x);
        p->x->t = 1.234567e6;
        assert_int_equal(p->ops->dynamics(p->sys->self, p->w, p->x, f, gamma, NULL), TML_OK);
        move_gamma(p->x->t, p->x->q, p->x->u, expect, &p->user);
        // Phi[1] holds b t^2 q2 of size 1e12: only the first row can be differenced, and w t has round-off
        // 1e-10
        CHECK_CLOSE(gamma[0], expect[0], 1e-4);  // 1e-10 / tau^2 with tau = 2^-9
        close_problem(p);
    }
}

static void test_energy(void **state)
{
    (void)state;
    rng r = rng_seed(67);
    double kinetic, potential, power;
    fixture *p = open_problem(PROBLEM_ROOT, GIVE_ALL, NULL);
    random_state(&r, p->x);
    assert_int_equal(p->ops->energy(p->sys->self, p->w, p->x, &kinetic, &potential, &power, NULL), TML_OK);
    const double *q = p->x->q, *u = p->x->u;
    CHECK_CLOSE(kinetic, ROOT_MASS / 2 * (u[0] * u[0] + u[1] * u[1]), 1e-15);  // one rounding
    CHECK_CLOSE(potential, ROOT_SPRING / 2 * q[2] * q[2], 1e-15);
    CHECK_SMALL(power, 1e-9);  // conservative; V by differences, eps^(2/3) times 10
    close_problem(p);

    p = open_problem(PROBLEM_PENDULUM, GIVE_ALL, NULL);
    random_state(&r, p->x);
    assert_int_equal(p->ops->energy(p->sys->self, p->w, p->x, &kinetic, &potential, &power, NULL), TML_OK);
    u = p->x->u;
    CHECK_CLOSE(power, -PEND_DAMPING * (u[0] * u[0] + u[1] * u[1]),
                1e-9);  // only the damper has no potential
    close_problem(p);

    // no energies given: T = 1/2 u'Mu, and all forces count. With u that meets the moving constraints and
    // udot = inv(M)(f - B' lambda), the power is dT/dt, whatever lambda.
    p = open_problem(PROBLEM_MOVE, GIVE_ALL, NULL);
    tml_state *x = NULL;
    assert_int_equal(tml_state_create(p->sys, &x, NULL), TML_OK);
    random_state(&r, x);
    double B[M * N] = {0}, mass[N * N] = {0}, f[N] = {0}, rhs[N], T[2], none;
    move_jacobian(x->t, x->q, B, &p->user);
    move_mass(x->t, x->q, mass, &p->user);
    const double nu[M] = {-MOVE_W * (-x->q[0] * sin(MOVE_W * x->t) + x->q[1] * cos(MOVE_W * x->t)),
                          2 * MOVE_B * x->t * x->q[1]};
    x->u[0] = (nu[0] - B[1] * x->u[1]) / B[0];
    x->u[2] = (nu[1] - B[3] * x->u[0] - B[4] * x->u[1]) / B[5];
    move_force(x->t, x->q, x->u, f, &p->user);
    for (int i = 0; i < N; i++) rhs[i] = f[i] - B[i] * x->lambda[0] - B[N + i] * x->lambda[1];
    const double det = mass[0] * mass[4] - mass[1] * mass[3];
    x->udot[0] = (mass[4] * rhs[0] - mass[1] * rhs[1]) / det;
    x->udot[1] = (mass[0] * rhs[1] - mass[3] * rhs[0]) / det;
    x->udot[2] = rhs[2] / mass[8];
    const double h = 1e-5;
    for (int side = 0; side < 2; side++) {
        move_state(p->x, x, side ? -h : h);
        assert_int_equal(p->ops->energy(p->sys->self, p->w, p->x, &T[side], &potential, &none, NULL), TML_OK);
        assert_true(potential == 0);
    }
    assert_int_equal(p->ops->energy(p->sys->self, p->w, x, &kinetic, &potential, &power, NULL), TML_OK);
    double uMu = 0;
    for (int i = 0; i < N * N; i++) uMu += x->u[i / N] * mass[i] * x->u[i % N];
    CHECK_CLOSE(kinetic / (uMu / 2), 1, 1e-14);             // order of summation
    CHECK_CLOSE((T[0] - T[1]) / (2 * h) / power, 1, 1e-6);  // h^2 times rates of speeds that may reach 50
    tml_state_destroy(x, p->sys);
    close_problem(p);
}

static void test_shape_and_names(void **state)
{
    (void)state;
    fixture *p = open_problem(PROBLEM_MOVE, GIVE_ALL, NULL);
    const tml_system *sys = p->sys;
    assert_true(sys->nq == 3 && sys->n == 3 && sys->m == 2 && sys->na == 0 && sys->length == 1);
    assert_int_equal(tmli_pattern_nnz(sys->pattern), 25);
    assert_true(sys->pattern->nblocks == 2 && sys->pattern->multiplier[0] == 0 &&
                sys->pattern->multiplier[1] == 1);
    assert_true(sys->pattern->blockptr[1] == 3 && sys->pattern->blockptr[2] == 5);
    assert_true(sys->pattern->afterptr[1] == 0 && sys->pattern->afterptr[2] == 1 &&
                sys->pattern->afterind[0] == 0);
    for (int i = 0; i < 3; i++) assert_true(sys->kind[i] == TML_COORDINATE_TRANSLATION && sys->node[i] == i);
    for (int k = 0; k < 6; k++) assert_true(sys->rowptr[k / 3] == k / 3 * 3 && sys->rowcol[k] == k % 3);
    assert_int_equal(sys->rowptr[2], 6);
    char buf[32];
    assert_string_equal(sys->coordinate_name(sys, 2, buf, sizeof buf), "q[2]");
    assert_string_equal(sys->row_name(sys, 1, buf, sizeof buf), "constraint[1]");

    double q[3] = {0.1, 0.7, -0.3}, d[3] = {0.25, -0.5, 2}, out[3], back[3];
    p->ops->retract(sys->self, q, d, out);
    p->ops->local(sys->self, q, out, back);
    for (int i = 0; i < 3; i++) assert_true(out[i] == q[i] + d[i]);
    for (int i = 0; i < 3; i++) CHECK_CLOSE(back[i], d[i], 4e-16);  // one rounding
    p->ops->retract(sys->self, q, d, q);
    for (int i = 0; i < 3; i++) assert_true(out[i] == q[i]);
    p->ops->tangent_inverse(sys->self, d, q, out);
    for (int i = 0; i < 3; i++) assert_true(out[i] == q[i]);
    p->ops->tangent(sys->self, d, q, out);
    for (int i = 0; i < 3; i++) assert_true(out[i] == q[i]);
    p->ops->compose(sys->self, d, q, out);
    for (int i = 0; i < 3; i++) assert_true(out[i] == d[i] + q[i]);
    assert_null(p->ops->accept);

    rng r = rng_seed(71);
    tml_state *y = NULL;
    assert_int_equal(tml_state_create(sys, &y, NULL), TML_OK);
    for (int i = 0; i < 3; i++) assert_true(y->q[i] == 0 && y->u[i] == 0 && y->udot[i] == 0);
    random_state(&r, p->x);
    tml_state_copy(y, p->x);
    assert_true(y->t == p->x->t && y->lambda[1] == p->x->lambda[1] && y->q != p->x->q);
    for (int i = 0; i < 3; i++) assert_true(y->q[i] == p->x->q[i] && y->u[i] == p->x->u[i]);
    for (int i = 0; i < 3; i++) assert_true(y->udot[i] == p->x->udot[i]);
    tml_state_copy(y, y);
    tml_state_destroy(y, sys);
    tml_state_destroy(NULL, sys);
    tml_system_destroy(NULL);
    close_problem(p);
}

// cp alone: M + cp B' p B, whatever accelerations and multipliers are.
static void test_penalty_alone(void **state)
{
    (void)state;
    fixture *p = open_problem(PROBLEM_MOVE, GIVE_ALL, NULL);
    rng r = rng_seed(79);
    random_state(&r, p->x);
    const double pen[M] = {2.3, 0.61};
    const tml_assembly a = {.cm = 1.3, .cp = 0.7, .p = pen};
    double mass[N * N] = {0}, B[M * N] = {0}, A[NM * NM];
    move_mass(p->x->t, p->x->q, mass, &p->user);
    move_jacobian(p->x->t, p->x->q, B, &p->user);
    p->x->udot[1] = p->x->lambda[0] = NAN;
    assert_int_equal(p->ops->assemble(p->sys->self, p->w, p->x, &a, A, NULL), TML_OK);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            const double BpB = pen[0] * B[i] * B[j] + pen[1] * B[N + i] * B[N + j];
            CHECK_CLOSE(A[j * NM + i], 1.3 * mass[i * N + j] + 0.7 * BpB, 1e-13);  // order of summation
        }
        CHECK_CLOSE(A[i * NM + N + 1], B[N + i], 0);
    }
    close_problem(p);
}

static void test_without_constraints(void **state)
{
    (void)state;
    problem_user user = {0};
    tml_user_system_def def = problem_def(PROBLEM_MOVE, GIVE_NOTHING, &user);
    def.m = 0;
    def.constraint = NULL;
    tml_system *sys = NULL;
    tml_state *x = NULL;
    assert_int_equal(tml_system_create_user(&def, NULL, &sys, NULL), TML_OK);
    assert_int_equal(tml_state_create(sys, &x, NULL), TML_OK);
    void *w = sys->ops->create_work(sys->self, NULL);
    rng r = rng_seed(73);
    random_state(&r, x);
    double motion[N], none[1], A[N * N], mass[N * N] = {0}, f[N], fu[N * N] = {0}, T, V, P;
    const tml_assembly a = {.cm = 1.7, .cd = 0.6};
    assert_int_equal(sys->ops->residual(sys->self, w, x, NULL, motion, none, NULL), TML_OK);
    assert_int_equal(sys->ops->assemble(sys->self, w, x, &a, A, NULL), TML_OK);
    assert_int_equal(sys->ops->velocity(sys->self, w, x, none, NULL), TML_OK);
    assert_int_equal(sys->ops->dynamics(sys->self, w, x, f, none, NULL), TML_OK);
    assert_int_equal(sys->ops->rows(sys->self, w, x, none, NULL), TML_OK);
    assert_int_equal(sys->ops->rows_times(sys->self, w, x, x->u, none, NULL), TML_OK);
    assert_int_equal(sys->ops->gamma_derivatives(sys->self, w, x, none, none, NULL), TML_OK);
    assert_int_equal(sys->ops->energy(sys->self, w, x, &T, &V, &P, NULL), TML_OK);
    assert_int_equal(tmli_pattern_nnz(sys->pattern), 9);
    move_mass(x->t, x->q, mass, &user);
    move_force_by_u(x->t, x->q, x->u, fu, &user);
    for (int i = 0; i < N; i++) {
        double expect = -f[i];
        for (int j = 0; j < N; j++) expect += mass[i * N + j] * x->udot[j];
        CHECK_CLOSE(motion[i], expect, 1e-14);  // order of summation
        // central difference of f, third derivatives of size 2
        for (int j = 0; j < N; j++)
            CHECK_CLOSE(A[j * N + i], 1.7 * mass[i * N + j] - 0.6 * fu[i * N + j], 1e-9);
    }
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assemble_is_derivative_of_residual),
        cmocka_unit_test(test_time_derivatives_of_constraints),
        cmocka_unit_test(test_differences_agree_with_hand),
        cmocka_unit_test(test_products_by_hand),
        cmocka_unit_test(test_steps_fit_time_and_speed),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_shape_and_names),
        cmocka_unit_test(test_penalty_alone),
        cmocka_unit_test(test_without_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
