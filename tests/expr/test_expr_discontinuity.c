// Switches of expressions: which there are, branches held beyond their ends, margins, changes of branch.
#include "scope.h"

#include <math.h>
#include <trammel/switches.h>

enum { MOST = 8 };

static void modes_at(const tmli_expr *e, const double *x, double *mode)
{
    assert_true(tmli_expr_ndiscontinuities(e) <= MOST);
    for (int k = 0; k < MOST; k++) mode[k] = 0;
    tmli_expr_update_modes(e, x, NULL, true, mode);
}

static void counts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int switches;
    } cases[] = {{"sin(x)*exp(y)", 0},
                 {"if(x < 1, 2, 3)", 1},
                 {"abs(x) + sign(y)", 2},
                 {"clamp(x, -1, 1)", 2},
                 {"step(x, 0, 1, 2, 3)", 1},
                 {"floor(x) < 3", 1},  // the comparison moves with floor
                 {"mod(floor(x), 2) == 0", 1},
                 {"x < 1 and y > 2 or not (x >= y)", 3},
                 {"abs(3) + min(1, 2)*x", 0},
                 {"atan2(y, x) + ceil(x) + round(y) + mod(x, 2)", 4},
                 {"x == 1", 0},
                 {"max(x, y, 3)", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tmli_expr *e = compile_ok(cases[i].text);
        if (tmli_expr_ndiscontinuities(e) != cases[i].switches)
            fail_msg("%s has %d switches", cases[i].text, tmli_expr_ndiscontinuities(e));
        tmli_expr_destroy(e);
    }
}

// On its branch a held expression is what is written; beyond, it is the branch's own formula, with its
// derivatives.
static void held(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double on, beyond, value, slope, curve;  // of x
    } cases[] = {{"if(x < 1, x^2, 7)", 0.5, 3, 9, 6, 2},    {"abs(x)", -2, 4, -4, -1, 0},
                 {"sign(x)*x^2", 3, -2, 4, -4, 2},          {"max(x^3, 1)", 2, -1, -1, 3, -6},
                 {"min(2*x, 1)", 0, 5, 10, 2, 0},           {"step(x, 0, 0, 1, 1)", 0.5, 2, -4, -12, -18},
                 {"step(x, 0, 4, 1, 5)", -1, 0.7, 4, 0, 0}, {"floor(x)*x", 2.5, 7, 14, 2, 0},
                 {"ceil(x) + round(x)", 2.4, 9, 5, 0, 0},   {"mod(x, 3)", 4, 11, 8, 1, 0},
                 {"mod(-x, 3)", 1, 5, -2, -1, 0},           {"if(x > 0 and x < 2, x, 5)", 1, 6, 6, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tmli_expr *e = compile_ok(cases[i].text);
        double mode[MOST], jet[3], grad;
        const double one = 1, on = cases[i].on, x = cases[i].beyond;
        modes_at(e, &on, mode);
        assert_true(tmli_expr_eval_mode(e, &on, mode) == tmli_expr_eval(e, &on));
        tmli_expr_jet2_mode(e, &x, &one, NULL, mode, jet);
        const double v = tmli_expr_grad_mode(e, &x, mode, &grad);
        const double tol = 1e-13;  // round-off of numbers of order 10
        if (fabs(v - cases[i].value) > tol || fabs(grad - cases[i].slope) > tol || v != jet[0] ||
            grad != jet[1] || fabs(jet[2] - cases[i].curve) > tol)
            fail_msg("%s: %g %g %g (grad %g)", cases[i].text, jet[0], jet[1], jet[2], grad);
        assert_true(tmli_expr_eval_mode(e, &x, NULL) == tmli_expr_eval(e, &x));
        double margin[MOST];
        tmli_expr_event_values(e, &on, mode, margin);
        for (int k = 0; k < tmli_expr_ndiscontinuities(e); k++) assert_true(margin[k] > 0);
        tmli_expr_event_values(e, &x, mode, margin);
        double least = INFINITY;
        for (int k = 0; k < tmli_expr_ndiscontinuities(e); k++) least = fmin(least, margin[k]);
        if (!(least < 0)) fail_msg("%s: margin %g beyond the border", cases[i].text, least);
        // after the change the modes are those of the new place
        double fresh[MOST];
        assert_true(tmli_expr_update_modes(e, &x, NULL, false, mode) > 0);
        modes_at(e, &x, fresh);
        assert_true(tmli_expr_eval_mode(e, &x, mode) == tmli_expr_eval(e, &x));
        tmli_expr_destroy(e);
    }
}

// The angle goes on smoothly beyond the cut of atan2, and as written after the change.
static void angle(void **state)
{
    (void)state;
    tmli_expr *e = compile_ok("atan2(y, x)");
    double x[2], mode[MOST];
    const int first = tmli_expr_slot(e, 0);  // slots: x 0, y 1
    x[first == 1 ? 0 : 1] = 1e-3, x[first == 1 ? 1 : 0] = -1;
    modes_at(e, x, mode);
    CHECK_CLOSE(tmli_expr_eval_mode(e, x, mode), atan2(1e-3, -1), 1e-15);
    x[first == 1 ? 0 : 1] = -1e-3;
    CHECK_CLOSE(tmli_expr_eval_mode(e, x, mode), atan2(-1e-3, -1) + 2 * acos(-1.0), 2e-15);
    tmli_expr_update_modes(e, x, NULL, false, mode);
    CHECK_CLOSE(tmli_expr_eval_mode(e, x, mode), atan2(-1e-3, -1), 2e-15);
    tmli_expr_destroy(e);
}

// Margins in the quantities that are compared, with their derivatives along a line.
static void margins(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double x, margin, slope, curve;
    } cases[] = {{"if(x^2 < 9, 1, 2)", 1, 8, -2, -2},
                 {"if(x^2 >= 9, 1, 2)", 5, 16, 10, 2},
                 {"abs(x)", -2, 2, -1, 0},
                 {"floor(2*x)", 1.1, 0.2, 2, 0},
                 {"floor(2*x)", 1.4, 0.2, -2, 0},
                 {"mod(x^2, 4)", 3, 0.25, 1.5, 0.5},
                 {"step(x, 1, 0, 3, 1)", 2.8, 0.1, -0.5, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tmli_expr *e = compile_ok(cases[i].text);
        double mode[MOST], m[MOST], jet[3];
        const double one = 1;
        modes_at(e, &cases[i].x, mode);
        tmli_expr_event_values(e, &cases[i].x, mode, m);
        tmli_expr_event_jet(e, 0, true, &cases[i].x, &one, mode, jet);
        if (m[0] != jet[0] || fabs(jet[0] - cases[i].margin) > 1e-14 ||
            fabs(jet[1] - cases[i].slope) > 1e-14 || fabs(jet[2] - cases[i].curve) > 1e-14)
            fail_msg("%s: %g (%g %g %g)", cases[i].text, m[0], jet[0], jet[1], jet[2]);
        tmli_expr_destroy(e);
    }
}

// A switch on a branch that is not taken, or behind a factor of zero, does not matter.
static void live(void **state)
{
    (void)state;
    static const char *const texts[] = {"if(x < 0, abs(x - 3), 5)", "(x < 0)*abs(x - 3)",
                                        "if(x < 0 and abs(x) > 3, 1, 2)"};
    for (int i = 0; i < 3; i++) {
        tmli_expr *e = compile_ok(texts[i]);
        double mode[MOST], m[MOST];
        double x = 2;
        modes_at(e, &x, mode);
        tmli_expr_event_values(e, &x, mode, m);
        CHECK_CLOSE(m[0], 2, 0);
        assert_true(isinf(m[1]));
        x = -1;
        tmli_expr_update_modes(e, &x, NULL, false, mode);
        tmli_expr_event_values(e, &x, mode, m);
        assert_true(isfinite(m[1]) && m[1] > 0);
        tmli_expr_destroy(e);
    }
}

// On the border the state a little later decides; without it, the way it is written.
static void ties(void **state)
{
    (void)state;
    const double at = 3, up = 3 + 1e-9, down = 3 - 1e-9;
    static const char *const texts[] = {"if(x < 3, 1, 2)", "if(x <= 3, 1, 2)", "floor(x)", "ceil(x)",
                                        "sign(x - 3)"};
    for (int i = 0; i < 5; i++) {
        tmli_expr *e = compile_ok(texts[i]);
        double mode[MOST];
        for (int way = 0; way < 3; way++) {
            const double *later = way == 0 ? NULL : way == 1 ? &up : &down, *as = way == 0 ? &at : later;
            for (int k = 0; k < MOST; k++) mode[k] = 0;
            tmli_expr_update_modes(e, &at, later, true, mode);
            if (tmli_expr_eval_mode(e, &at, mode) != tmli_expr_eval(e, as))
                fail_msg("%s, way %d", texts[i], way);
        }
        tmli_expr_destroy(e);
    }
}

// Where a held branch has no value the expression is taken as written.
static void domain(void **state)
{
    (void)state;
    tmli_expr *e = compile_ok("if(x > 0, x^1.5, 0)");
    double mode[MOST], grad;
    double x = 4;
    modes_at(e, &x, mode);
    x = -1;
    assert_true(tmli_expr_eval_mode(e, &x, mode) == 0 && tmli_expr_grad_mode(e, &x, mode, &grad) == 0 &&
                grad == 0);
    tmli_expr_destroy(e);
}

// A soft jump: its middle, its ends, its gradient against differences; kinks cannot be softened.
static void soft(void **state)
{
    (void)state;
    static const char *const texts[] = {"sign(x)", "if(x < 0, 3, 7)", "if(x > 0 and y > x, x + 1, 2*y)",
                                        "(x >= 0)*5", "if(not (x < 0) or y < 3, x, 4)"};
    for (int i = 0; i < 5; i++) {
        tmli_expr *e = compile_ok(texts[i]);
        double x[2] = {0.0625, 5}, mode[MOST], grad[2] = {0};
        modes_at(e, x, mode);
        mode[0] = tmli_expr_soft_mode(e, 0, 0.125);
        tmli_expr_grad_mode(e, x, mode, grad);
        const double h = 1e-6;
        const double up[2] = {x[0] + h, x[1]}, down[2] = {x[0] - h, x[1]};
        const double d = (tmli_expr_eval_mode(e, up, mode) - tmli_expr_eval_mode(e, down, mode)) / (2 * h);
        CHECK_CLOSE(grad[0], d, 1e-7);  // h^2/6 f''' is 1e-9, round-off 1e-15/h
        assert_true(fabs(d) > 0.5);
        const double far[2] = {1.3, 5};
        CHECK_CLOSE(tmli_expr_eval_mode(e, far, mode), tmli_expr_eval(e, far),
                    1e-7);  // 1 - tanh(10.4) times 8
        double m[MOST];
        tmli_expr_event_values(e, far, mode, m);
        assert_true(m[0] < 0);
        assert_int_equal(tmli_expr_update_modes(e, far, NULL, false, mode), 1);
        assert_true(tmli_expr_eval_mode(e, far, mode) == tmli_expr_eval(e, far));
        tmli_expr_destroy(e);
    }
    tmli_expr *e = compile_ok("abs(x)");
    assert_true(tmli_expr_soft_mode(e, 0, 0.1) == TML_SWITCH_UNWATCHED);
    tmli_expr_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts), cmocka_unit_test(held), cmocka_unit_test(angle),  cmocka_unit_test(margins),
        cmocka_unit_test(live),   cmocka_unit_test(ties), cmocka_unit_test(domain), cmocka_unit_test(soft)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
