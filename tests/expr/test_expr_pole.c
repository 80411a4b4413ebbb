// Poles of expressions: the quantities whose zeros may be some.
#include "scope.h"

#include <math.h>

enum { MOST = 4 };

// Number of quantities, and their values at x = 2, y = 3.
static void quantities(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int count;
        double value[MOST];
    } cases[] = {{"x/2 + sin(y)", 0, {0}},
                 {"1/(x - 5)", 1, {-3}},
                 {"1/(x - 5)^2", 1, {-3}},
                 {"1/sqrt(abs(5 - x))", 1, {3}},
                 {"1/(-(x - 5)*(y - 1)^3)", 2, {-3, 2}},
                 {"1/((x + 2)/(y - 4))", 2, {4, -1}},  // y - 4 divides, too
                 {"(x - 5)^(-2)", 1, {-3}},
                 {"(x - 5)^2", 0, {0}},
                 {"tan(x)", 1, {-0.756802495307928}},    // sin 4
                 {"1/tan(x)", 1, {-0.756802495307928}},  // the same
                 {"1/(1 + floor(x))", 0, {0}},           // jumps
                 {"if(x < 1, 1/(x - 5), y)", 1, {NAN}},  // the branch is not in use
                 {"if(x > 1, 1/(x - 5), y)", 1, {-3}},
                 {"1/(x^2 + y)", 1, {7}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tmli_expr *e = compile_ok(cases[i].text);
        double x[2] = {0}, value[MOST];
        for (int k = 0; k < tmli_expr_nvars(e); k++) x[k] = tmli_expr_slot(e, k) == 0 ? 2 : 3;
        if (tmli_expr_npoles(e) != cases[i].count)
            fail_msg("%s has %d quantities", cases[i].text, tmli_expr_npoles(e));
        tmli_expr_pole_values(e, x, NULL, value);
        for (int k = 0; k < cases[i].count; k++) {
            const double expected = cases[i].value[k];
            if (isnan(expected) != isnan(value[k]) || fabs(value[k] - expected) > 1e-14)  // a few round-offs
                fail_msg("%s: %.15g instead of %.15g", cases[i].text, value[k], expected);
        }
        tmli_expr_destroy(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quantities)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
