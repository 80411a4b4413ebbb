// One full step of baumgarte, trust-region and direct-reg against a dense implementation of L. R. Petzold,
// Y. Ren, T. Maly, SIAM J. Sci. Comput. 18 (1997) 753-774, written here from its equations, in the forms of
// index 2 and 3: a particle on a circle that turns about the vertical, its constraint given once, or twice in
// different units so that the rank is always 1. IDA begins with order 1, so that its first step is backward
// Euler's. The start violates the constraint, so that feedback acts. Numbers in parentheses are those of the
// paper; B = inverse(M) G'.
#include "integrate/fixture.h"

#include "integrate/regularized/regularized.h"

enum { N = 3, MOST = 2, SIZE = 2 * N + MOST };

static const double MASS[N] = {2, 1.3, 0.7}, GAMMA = 37, EPSILON = 2e-3;

static int rows_of(const void *user) { return *(const int *)user; }

static tml_status mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    for (int j = 0; j < N; j++) M[4 * j] = MASS[j];
    return TML_OK;
}
static tml_status force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)user;
    f[0] = -3 * q[0] - 0.4 * u[0];
    f[1] = -9.81 * MASS[1] - 0.1 * u[1] * u[1];
    f[2] = 2 * sin(q[0]);
    return TML_OK;
}

// g = (|q|^2 - 1)/2, and 3 g
static tml_status constraint(double t, const double *q, double *phi, void *user)
{
    (void)t;
    for (int r = 0; r < rows_of(user); r++)
        phi[r] = (r ? 3 : 1) * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1) / 2;
    return TML_OK;
}
static tml_status constraint_jacobian(double t, const double *q, double *G, void *user)
{
    (void)t;
    for (int r = 0; r < rows_of(user); r++)
        for (int j = 0; j < N; j++) G[r * N + j] = (r ? 3 : 1) * q[j];
    return TML_OK;
}
static tml_status right_side(double t, const double *q, const double *u, double *gamma, void *user)
{
    (void)t, (void)q;
    for (int r = 0; r < rows_of(user); r++)
        gamma[r] = -(r ? 3 : 1) * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    return TML_OK;
}

// ---- the dense implementation -----------------------------------------------------------------------------

typedef struct problem {
    tmli_regularization kind;
    int index, rows;
    double h;
    double q0[N], u0[N];  // start of the step
    double e[MOST];       // inertia that a row feels there: 1/e = (G inverse(M) G')_rr
} problem;

// Residual for y = (q, u, lambda) at the end of the step: (1.2a) with backward Euler, and the equation of the
// multipliers.
static void residual(const problem *p, const double *y, double *out)
{
    const double *q = y, *u = y + N, *lambda = y + 2 * N;
    double f[N], G[MOST * N], g[MOST], gamma[MOST], c[MOST], S[MOST][MOST];
    int rows = p->rows;
    force(0, q, u, f, NULL);
    constraint(0, q, g, &rows);
    constraint_jacobian(0, q, G, &rows);
    right_side(0, q, u, gamma, &rows);
    for (int j = 0; j < N; j++) {
        out[j] = (q[j] - p->q0[j]) / p->h - u[j];
        out[N + j] = MASS[j] * (u[j] - p->u0[j]) / p->h - f[j];
        for (int r = 0; r < rows; r++) out[N + j] += G[r * N + j] * lambda[r];
    }
    for (int r = 0; r < rows; r++) {
        double rate = 0, second = -gamma[r];  // g' and g''
        for (int j = 0; j < N; j++) {
            rate += G[r * N + j] * u[j];
            second += G[r * N + j] * (u[j] - p->u0[j]) / p->h;
        }
        // (4.3) times 2 gamma^2 with h = 1/gamma, or (2.5) times gamma for g' = 0; with all of g''
        c[r] = p->index == 3 ? second + 2 * GAMMA * rate + 2 * GAMMA * GAMMA * g[r] : second + GAMMA * rate;
        for (int s = 0; s < rows; s++) {
            S[r][s] = 0;
            for (int j = 0; j < N; j++) S[r][s] += G[r * N + j] * G[s * N + j] / MASS[j];
        }
    }
    for (int r = 0; r < rows; r++) {
        double *left = out + 2 * N + r;
        switch (p->kind) {
        case TMLI_REGULARIZATION_BAUMGARTE: *left = c[r]; break;  // (2.6)
        case TMLI_REGULARIZATION_DIRECT:
            *left = c[r] - EPSILON * lambda[r] / p->e[r];
            break;  // (2.12), (4.8)
        default:    // (2.10), (4.6)
            *left = -EPSILON * lambda[r] / p->e[r];
            for (int s = 0; s < rows; s++) *left += S[r][s] * p->e[s] * c[s];
        }
    }
}

// Newton's method with a matrix of differences.
static void backward_euler(const problem *p, double *y)
{
    const int n = 2 * N + p->rows;
    double A[SIZE * SIZE], up[SIZE], down[SIZE], r[SIZE];
    for (int it = 0; it < 20; it++) {
        for (int c = 0; c < n; c++) {
            const double d = 1e-6 * (1 + fabs(y[c])), keep = y[c];
            y[c] = keep + d;
            residual(p, y, up);
            y[c] = keep - d;
            residual(p, y, down);
            y[c] = keep;
            for (int i = 0; i < n; i++) A[i * n + c] = (up[i] - down[i]) / (2 * d);
        }
        residual(p, y, r);
        dense_solve(n, A, r);
        for (int i = 0; i < n; i++) y[i] -= r[i];
    }
}

// ---- comparison -------------------------------------------------------------------------------------------

static tml_integrator_options options_of(int index)
{
    tml_integrator_options opt = tml_integrator_options_default();
    opt.run.rtol = opt.run.atol = 1e-3;
    opt.run.gamma = GAMMA;
    opt.run.epsilon = EPSILON;
    opt.run.index = index;
    opt.run.redundancy = TML_REDUNDANCY_REGULARIZE;
    opt.run.max_order = 1;
    return opt;
}

// A step of `method` from q, u, which need not meet the constraint; *h: its size. x: the end.
static void library_step(const tml_system *sys, const char *method, int index, const double *q,
                         const double *u, double *h, tml_state *x)
{
    const tml_integrator_options opt = options_of(index);
    const tml_method_ops *ops = NULL;
    void *self = NULL;
    double error = INFINITY;
    memcpy(x->q, q, N * sizeof *q);
    memcpy(x->u, u, N * sizeof *u);
    OK(tml_method_create(tml_method_find(method), sys, &opt, &ops, &self, err));
    OK(ops->start(self, x, err));
    *h = ops->first_step(self);
    for (int trial = 0; error > 1 && trial < 20; trial++) {
        OK(ops->step(self, *h, &error, err));
        if (error > 1) *h = ops->next_step(self, *h, error, false);
    }
    assert_true(error <= 1);
    ops->accept(self, *h);
    tml_state_copy(x, ops->state(self));
    ops->destroy(self);
}

static double check_step(const char *method, tmli_regularization kind, int index, int rows)
{
    tml_user_system_def def = tml_user_system_def_default();
    def.n = N;
    def.m = rows;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    def.constraint_jacobian = constraint_jacobian;
    def.gamma = right_side;
    def.user = &rows;
    tml_system *sys = NULL;
    tml_state *x = NULL;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    OK(tml_state_create(sys, &x, err));
    problem p = {.kind = kind, .index = index, .rows = rows, .q0 = {0.6, -0.7, 0.41}, .u0 = {0.9, 1.1, 0.3}};
    double G[MOST * N], y[SIZE] = {0}, off = 0;
    constraint_jacobian(0, p.q0, G, &rows);
    for (int r = 0; r < rows; r++) {
        double inverse = 0;
        for (int j = 0; j < N; j++) inverse += G[r * N + j] * G[r * N + j] / MASS[j];
        p.e[r] = 1 / inverse;
    }
    memcpy(y, p.q0, sizeof p.q0);
    memcpy(y + N, p.u0, sizeof p.u0);
    p.h = 1e-7;  // accelerations and multipliers at the start, for IDA's prediction
    backward_euler(&p, y);
    for (int j = 0; j < N; j++) x->udot[j] = (y[N + j] - p.u0[j]) / p.h;
    memcpy(x->lambda, y + 2 * N, (size_t)rows * sizeof *y);
    library_step(sys, method, index, p.q0, p.u0, &p.h, x);
    backward_euler(&p, y);
    double feedback = 0;
    for (int j = 0; j < N; j++) {
        off = fmax(off, fmax(fabs(x->q[j] - y[j]), fabs(x->u[j] - y[N + j])));
        feedback = fmax(feedback, fabs(y[N + j] - p.u0[j]));
    }
    printf("%-13s index %d, %d row%s: differs by %.1e after a step of %.2e s, change of velocity %.2g\n",
           method, index, rows, rows > 1 ? "s" : " ", off, p.h, feedback);
    CHECK_SMALL(off, 1e-12);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
    return feedback;
}

static void one_step(void **state)
{
    (void)state;
    for (int index = 2; index <= 3; index++) {
        const double exact = check_step("baumgarte", TMLI_REGULARIZATION_BAUMGARTE, index, 1);
        for (int rows = 1; rows <= 2; rows++) {
            const double trust = check_step("trust-region", TMLI_REGULARIZATION_TRUST_REGION, index, rows);
            const double direct = check_step("direct-reg", TMLI_REGULARIZATION_DIRECT, index, rows);
            // the step is long enough to tell the methods apart
            assert_true(fabs(trust - exact) > 1e-10 && fabs(direct - exact) > 1e-10);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
