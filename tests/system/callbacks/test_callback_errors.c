// Systems made of callbacks: definitions that are rejected, callbacks that fail, memory that runs out.
#include "system/user_fixture.h"

#include <stdbool.h>

static void reject(const tml_user_system_def *def, const char *word)
{
    tml_system *sys = (tml_system *)1;
    tml_error err = {0};
    assert_int_equal(tml_system_create_user(def, NULL, &sys, &err), TML_ERR_ARG);
    assert_null(sys);
    if (!strstr(err.msg, word)) fail_msg("'%s' does not say '%s'", err.msg, word);
    assert_int_equal(tml_system_create_user(def, NULL, &sys, NULL), TML_ERR_ARG);
}

static void test_definitions_rejected(void **state)
{
    (void)state;
    problem_user user = {0};
    const tml_user_system_def good = problem_def(PROBLEM_MOVE, GIVE_ALL, &user);
    tml_user_system_def d = good;
    reject(NULL, "NULL");
    d.size--, reject(&d, "size"), d = good;
    d.n = 0, reject(&d, "n = 0"), d = good;
    d.m = -3, reject(&d, "m = -3"), d = good;
    d.n = 46341, reject(&d, "n + m = 46343"), d = good;
    d.m = 2147483647, reject(&d, "n + m = 2147483650"), d = good;
    d.length = 0, reject(&d, "length"), d = good;
    d.length = -0.7, reject(&d, "-0.7"), d = good;
    d.length = NAN, reject(&d, "nan"), d = good;
    d.length = INFINITY, reject(&d, "inf"), d = good;
    d.mass = NULL, reject(&d, "'mass'"), d = good;
    d.force = NULL, reject(&d, "'force'"), d = good;
    d.constraint = NULL, reject(&d, "'constraint'");
}

typedef tml_status operation(fixture *p, tml_error *err);

static tml_status call_residual(fixture *p, tml_error *err)
{
    double motion[N], phi[M];
    return p->ops->residual(p->sys->self, p->w, p->x, NULL, motion, phi, err);
}
static tml_status call_assemble(fixture *p, tml_error *err)
{
    double A[NM * NM];
    const double pen[M] = {0.4, 0.9};
    const tml_assembly a = {.cm = 1, .cd = 1, .ck = 1, .cp = 1, .p = pen};
    return p->ops->assemble(p->sys->self, p->w, p->x, &a, A, err);
}
static tml_status call_velocity(fixture *p, tml_error *err)
{
    double phidot[M];
    return p->ops->velocity(p->sys->self, p->w, p->x, phidot, err);
}
static tml_status call_dynamics(fixture *p, tml_error *err)
{
    double f[N], gamma[M];
    return p->ops->dynamics(p->sys->self, p->w, p->x, f, gamma, err);
}
static tml_status call_diagonals(fixture *p, tml_error *err)
{
    double m[N], d[N], k[N];
    return p->ops->diagonals(p->sys->self, p->w, p->x, m, d, k, err);
}
static tml_status call_rows(fixture *p, tml_error *err)
{
    double B[M * N];
    return p->ops->rows(p->sys->self, p->w, p->x, B, err);
}
static tml_status call_rows_times(fixture *p, tml_error *err)
{
    double B[M * N];
    return p->ops->rows_times(p->sys->self, p->w, p->x, p->x->u, B, err);
}
static tml_status call_gamma_derivatives(fixture *p, tml_error *err)
{
    double by_q[M * N], by_u[M * N];
    return p->ops->gamma_derivatives(p->sys->self, p->w, p->x, by_q, by_u, err);
}
static tml_status call_energy(fixture *p, tml_error *err)
{
    double T, V, P;
    return p->ops->energy(p->sys->self, p->w, p->x, &T, &V, &P, err);
}
static operation *const operations[] = {call_residual,   call_assemble,          call_velocity,
                                        call_dynamics,   call_diagonals,         call_rows,
                                        call_rows_times, call_gamma_derivatives, call_energy};
enum { OPERATIONS = sizeof operations / sizeof *operations };

// In every operation every call of a callback may fail, in each way: the status and the sentence say so.
static void test_failing_callbacks(void **state)
{
    (void)state;
    const struct {
        tml_status given;
        double value;
        tml_status expect;
        const char *word;
    } ways[] = {
        {TML_RETRY, 0, TML_RETRY, "smaller step"},
        {(tml_status)7, 0, TML_RETRY, "smaller step"},
        {TML_ERR_MODEL, 0, TML_ERR_USER, "(model)"},
        {TML_OK, NAN, TML_ERR_NAN, "returned nan in entry [0]"},
        {TML_OK, -INFINITY, TML_ERR_NAN, "returned -inf in entry [0]"},
    };
    rng r = rng_seed(83);
    for (int problem = 0; problem < PROBLEM_COUNT; problem++) {
        for (int give = 0; give <= GIVE_ALL; give++) {
            fixture *p = open_problem(problem, give, NULL);
            random_state(&r, p->x);
            for (int o = 0; o < OPERATIONS; o++) {
                p->user = (problem_user){0};
                assert_int_equal(operations[o](p, NULL), TML_OK);
                const int calls = p->user.calls;
                assert_true(calls > 0);
                for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
                    for (int at = 1; at <= calls; at++) {
                        tml_error err = {0};
                        p->user = (problem_user){0, at, ways[k].given, ways[k].value};
                        assert_int_equal(operations[o](p, &err), ways[k].expect);
                        assert_int_equal(p->user.calls, at);  // nothing is called after a failure
                        assert_true(err.status == ways[k].expect && fabs(err.t - p->x->t) < 0.1);
                        if (!strstr(err.msg, ways[k].word) || !strstr(err.msg, "callback '") ||
                            !strstr(err.msg, "t = "))
                            fail_msg("%s", err.msg);
                    }
                    p->user = (problem_user){0, 1, ways[k].given, ways[k].value};
                    assert_int_equal(operations[o](p, NULL), ways[k].expect);
                }
            }
            close_problem(p);
        }
    }
}

static void test_messages(void **state)
{
    (void)state;
    fixture *p = open_problem(PROBLEM_MOVE, GIVE_ALL, NULL);
    tml_error err = {0};
    p->x->t = 0.75;
    p->x->udot[1] = NAN;
    assert_int_equal(call_residual(p, &err), TML_ERR_NAN);
    assert_string_equal(err.msg, "Entry [1] of udot is nan at t = 0.75 s.");
    assert_int_equal(call_assemble(p, &err), TML_ERR_NAN);
    assert_int_equal(call_rows(p, &err), TML_OK);  // which does not look at accelerations
    p->x->udot[1] = 1e308;
    p->x->q[2] = 40;
    assert_int_equal(call_residual(p, &err), TML_ERR_NAN);
    assert_string_equal(err.msg, "Entry [1] of the residual of motion is inf at t = 0.75 s.");
    p->x->t = INFINITY;
    assert_int_equal(call_rows(p, &err), TML_ERR_NAN);
    p->x->t = 0.75;
    p->x->udot[1] = 0.3;
    p->user = (problem_user){.fail_at = p->user.calls + 1, .fail_value = NAN, .calls = p->user.calls};
    assert_int_equal(call_rows(p, &err), TML_ERR_NAN);
    assert_string_equal(err.msg,
                        "The callback 'constraint_jacobian' returned nan in entry [0][0] at t = 0.75 s.");
    const double v[N] = {0.2, INFINITY, 0.1};
    double B[M * N];
    assert_int_equal(p->ops->rows_times(p->sys->self, p->w, p->x, v, B, &err), TML_ERR_NAN);
    close_problem(p);
}

typedef struct counter {
    int left, live, made;
} counter;
static void *counted_alloc(size_t bytes, void *user)
{
    counter *c = user;
    if (c->left-- <= 0) return NULL;
    c->live++;
    c->made++;
    return malloc(bytes);
}
static void counted_free(void *ptr, void *user)
{
    ((counter *)user)->live--;
    free(ptr);
}

// The k-th allocation fails, for all k; and no operation allocates.
static void test_memory(void **state)
{
    (void)state;
    bool done = false;
    for (int k = 0; !done; k++) {
        assert_true(k < 100);
        counter c = {.left = k};
        const tml_env env = {.alloc = counted_alloc, .free = counted_free, .user = &c};
        problem_user user = {0};
        const tml_user_system_def def = problem_def(PROBLEM_ROOT, GIVE_NOTHING, &user);
        tml_system *sys = NULL;
        tml_state *x = NULL;
        void *w = NULL;
        tml_error err = {0};
        tml_status st = tml_system_create_user(&def, &env, &sys, &err);
        if (st == TML_OK) st = tml_state_create(sys, &x, &err);
        if (st == TML_OK && !(w = sys->ops->create_work(sys->self, &env))) st = err.status = TML_ERR_NOMEM;
        assert_true(st == TML_OK || (st == TML_ERR_NOMEM && err.status == TML_ERR_NOMEM));
        if (st == TML_OK) {
            fixture p = {.sys = sys, .ops = sys->ops, .w = w, .x = x};
            const int made = c.made;
            for (int o = 0; o < OPERATIONS; o++) assert_int_equal(operations[o](&p, &err), TML_OK);
            assert_int_equal(c.made, made);
            sys->ops->destroy_work(w);
            done = true;
        }
        if (sys) tml_state_destroy(x, sys);
        tml_system_destroy(sys);
        assert_int_equal(c.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions_rejected),
        cmocka_unit_test(test_failing_callbacks),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
