// Values of expressions: numbers, precedence, every function, names and what is known without evaluating.
#include "expr/scope.h"

// x, y, z, pin.angle, rod1.vx, step, e
static const double point[] = {0.731, -1.293, 2.417, 0.377, -3.19, 5.5, 0.0625};
#define X 0.731
#define Y (-1.293)
#define Z 2.417
#define PI 3.14159265358979323846

typedef struct value_case {
    const char *text;
    double value;
} value_case;

static void check_values(const value_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tmli_expr *e = compile_ok(cases[i].text);
        const double v = value_at(e, point), expected = cases[i].value;
        if (!(fabs(v - expected) <= 4e-16 * fabs(expected)))  // 2 ulp: the same operations, maybe contracted
            fail_msg("%s = %.17g, expected %.17g", cases[i].text, v, expected);
        tmli_expr_destroy(e);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    static const value_case cases[] = {
        {"1", 1},
        {"2.5e-3", 2.5e-3},
        {" 0.1 ", 0.1},
        {".5", 0.5},
        {"5.", 5},
        {"1E+2", 100},
        {"0e999", 0},
        {"30 deg", PI / 6},
        {"90deg", PI / 2},
        {"180 deg", PI},
        {"-45 deg", -PI / 4},
        {"(20+25) deg", PI / 4},
        {"atan(1) deg", PI / 4 * PI / 180},
        {"2*(x) deg", 2 * (X * (PI / 180))},
        {"pi", PI},
        {"2*pi*L", 2 * PI * 0.4375},
        {"\t1\n+\r\n2", 3},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"5e-324", 5e-324},
    };
    check_values(cases, sizeof cases / sizeof *cases);
}

static void test_precedence(void **state)
{
    (void)state;
    const value_case cases[] = {
        {"-2^2", -4},
        {"2^-3", 0.125},
        {"2^3^2", 512},
        {"2**3**2", 512},
        {"(2^3)^2", 64},
        {"2^-1^2", 0.5},
        {"--3", 3},
        {"+-+3", -3},
        {"2*-3", -6},
        {"2--3", 5},
        {"7-4-2", 1},
        {"24/4/2", 3},
        {"24/4*2", 12},
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"2*3^2", 18},
        {"-x^2", -(X * X)},
        {"2^3 deg", exp2(3 * PI / 180)},
        {"1 < 2", 1},
        {"2 < 1", 0},
        {"2 <= 2", 1},
        {"3 > 2", 1},
        {"2 >= 3", 0},
        {"2 == 2", 1},
        {"2 != 2", 0},
        {"1+1 == 2", 1},
        {"not 1 == 2", 1},
        {"not 0 and 0", 0},
        {"not (0 and 0)", 1},
        {"1 or 0 and 0", 1},
        {"(1 or 0) and 0", 0},
        {"not not 5", 1},
        {"3 and 2", 1},
        {"x > 0 and y > 0", 0},
        {"x > 0 or y > 0", 1},
        {"(x>0)*3", 3},
        {"1 < 2 and 2 < 3", 1},
        {"(1 < 2) < 3", 1},
    };
    check_values(cases, sizeof cases / sizeof *cases);
}

static void test_functions(void **state)
{
    (void)state;
    const value_case cases[] = {
        {"sin(x)", sin(X)},
        {"cos(x)", cos(X)},
        {"tan(x)", tan(X)},
        {"asin(x)", asin(X)},
        {"acos(x)", acos(X)},
        {"atan(z)", atan(Z)},
        {"atan2(y, x)", atan2(Y, X)},
        {"sinh(y)", sinh(Y)},
        {"cosh(y)", cosh(Y)},
        {"tanh(y)", tanh(Y)},
        {"exp(y)", exp(Y)},
        {"log(z)", log(Z)},
        {"log10(z)", log10(Z)},
        {"sqrt(z)", sqrt(Z)},
        {"cbrt(y)", cbrt(Y)},
        {"abs(y)", -Y},
        {"sign(y)", -1},
        {"sign(0*x)", 0},
        {"min(z, x)", X},
        {"min(z, y, x)", Y},
        {"max(y, x)", X},
        {"max(y, x, z, 1)", Z},
        {"pow(z, y)", pow(Z, Y)},
        {"z^y", pow(Z, Y)},
        {"hypot(x, y)", hypot(X, Y)},
        {"mod(7.5, 2)", 1.5},
        {"mod(-7.5, 2)", 0.5},
        {"mod(7.5, -2)", -0.5},
        {"mod(-7.5, -2)", -1.5},
        {"mod(6, 2)", 0},
        {"floor(y)", -2},
        {"ceil(y)", -1},
        {"round(2.5)", 3},
        {"round(y)", -1},
        {"clamp(z, 0, 1)", 1},
        {"clamp(y, -0.5, 1)", -0.5},
        {"clamp(x, 0, 1)", X},
        {"if(x > 0, z, y)", Z},
        {"if(y > 0, z, y)", Y},
        {"if(zero, log(zero), 3)", 3},
        {"step(x, 1, 2.5, 2, 7)", 2.5},
        {"step(z, 1, 2.5, 2, 7)", 7},
        {"step(1.5, 1, 2.5, 2, 7)", 4.75},
        {"step(1.25, 1, 0, 2, 1)", 0.15625},
        {"step(1.25, 2, 1, 1, 0)", 0.15625},
        {"step(x, 0, 0, 1, z)", X * X * (3 - 2 * X) * Z},
    };
    check_values(cases, sizeof cases / sizeof *cases);
}

static void test_every_function_is_listed(void **state)
{
    (void)state;
    int n = 0;
    for (; tmli_expr_functions[n]; n++) {
        const char *name = tmli_expr_functions[n];
        if (strcmp(name, "pi") == 0) continue;
        char text[64];
        bool compiled = false;
        static const char *const args[] = {"0.3", "0.3,0.4", "0.3,0.4,0.5", "0.3,0.4,0.5,0.6,0.7"};
        for (int i = 0; i < 4 && !compiled; i++) {
            double v;
            snprintf(text, sizeof text, "%s(%s)", name, args[i]);
            compiled = tmli_expr_constant(text, (tml_mark){0}, NULL, NULL, &v, NULL) == TML_OK;
        }
        if (!compiled) fail_msg("%s is listed but does not compile", name);
    }
    assert_int_equal(n, 29);
}

// A name that is also a function, a unit or a usual constant is the user's where it is not called.
static void test_names(void **state)
{
    (void)state;
    static const value_case cases[] = {
        {"step", 5.5},
        {"step(step, 0, 0, 1, 1) + step", 6.5},
        {"e*2", 0.125},
        {"2e1*e", 1.25},
        {"k*L", 731.25 * 0.4375},
        {"pin.angle + rod1.vx", 0.377 + -3.19},
        {"if (x > 0, 1, 2)", 1},
    };
    check_values(cases, sizeof cases / sizeof *cases);
}

static void test_variables(void **state)
{
    (void)state;
    tmli_expr *e = compile_ok("rod1.vx*pin.angle + k*sin(pin.angle) + z - rod1.vx + 0*y");
    assert_int_equal(tmli_expr_nvars(e), 4);
    const int slots[] = {4, 3, 2, 1};
    for (int i = 0; i < 4; i++) assert_int_equal(tmli_expr_slot(e, i), slots[i]);
    tmli_expr_destroy(e);

    e = compile_ok("distance(A.tip, B.tip) + 2*distance(A.tip, ground.O) + distance(A.tip, B.tip)*x");
    assert_int_equal(tmli_expr_nvars(e), 3);
    assert_int_equal(tmli_expr_slot(e, 0), SLOT_DISTANCE + 3);
    assert_int_equal(tmli_expr_slot(e, 1), SLOT_DISTANCE + 1);
    assert_int_equal(tmli_expr_slot(e, 2), 0);
    const double x[] = {0.25, 3, 7};
    CHECK_CLOSE(tmli_expr_eval(e, x), 0.25 + 6 + 0.25 * 7, 0);  // exact in binary
    tmli_expr_destroy(e);

    e = compile_ok("if(zero, x, y) + z^0");  // x and z are not needed
    assert_int_equal(tmli_expr_nvars(e), 1);
    assert_int_equal(tmli_expr_slot(e, 0), 1);
    tmli_expr_destroy(e);
}

// An expression has the variables that its value needs.
static void test_constant_expressions(void **state)
{
    (void)state;
    static const char *const constant[] = {"2*pi*L", "abs(-3) + (1 < 2)"};
    static const char *const variable[] = {"sin(x)^2/(1 + y*y)", "if(1, x, abs(x))", "step(1.5, 1, 0, 2, x)"};
    for (size_t i = 0; i < sizeof constant / sizeof *constant; i++) {
        tmli_expr *e = compile_ok(constant[i]);
        if (tmli_expr_nvars(e) != 0) fail_msg("%s is constant", constant[i]);
        tmli_expr_destroy(e);
    }
    for (size_t i = 0; i < sizeof variable / sizeof *variable; i++) {
        tmli_expr *e = compile_ok(variable[i]);
        if (tmli_expr_nvars(e) == 0) fail_msg("%s is not constant", variable[i]);
        tmli_expr_destroy(e);
    }
}

// NaN in gives NaN out, also through min, max and sign, so that a bad state is seen.
static void test_nan_is_not_hidden(void **state)
{
    (void)state;
    static const char *const texts[] = {"min(x, 1)", "min(1, x)",      "max(x, 1)",           "max(1, x)",
                                        "sign(x)",   "clamp(x, 0, 1)", "step(x, 0, 0, 1, 1)", "abs(x)",
                                        "0*x",       "mod(x, 2)",      "hypot(x, 1)"};
    const double nan_point[] = {NAN};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tmli_expr *e = compile_ok(texts[i]);
        if (!isnan(tmli_expr_eval(e, nan_point))) fail_msg("%s hides NaN", texts[i]);
        tmli_expr_destroy(e);
    }
}

static void test_constant(void **state)
{
    (void)state;
    double v = 0;
    tml_error err = {0};
    assert_int_equal(tmli_expr_constant("k*L^2/2", (tml_mark){0}, &test_scope, NULL, &v, &err), TML_OK);
    CHECK_CLOSE(v, 731.25 * 0.4375 * 0.4375 / 2, 1e-14);  // 70: rounding 1 ulp = 1.4e-14
    v = 42;
    const tml_mark at = {"m.yaml", 5, 11};
    assert_int_equal(tmli_expr_constant("k + pin.angle", at, &test_scope, NULL, &v, &err), TML_ERR_NAME);
    assert_int_equal(err.col, 15);
    assert_non_null(strstr(err.msg, "'pin.angle'"));
    assert_true(v == 42);
}

// Evaluation leaves the expression as it is: the same input gives the same bits, in any order of calls.
static void test_purity(void **state)
{
    (void)state;
    tmli_expr *e = compile_ok("sin(x*y)/(1 + z^2) + step(x, 0, y, 1, z)*atan2(y, z) - hypot(x, z)^1.7");
    const double a[] = {0.731, -1.293, 2.417}, b[] = {-5.1, 0.02, 1e-3}, d[] = {0.3, 0.7, -0.9};
    const double va = tmli_expr_eval(e, a);
    double ga[3], g[3], ja[3], j[3];
    tmli_expr_grad_mode(e, a, NULL, ga);
    tmli_expr_jet2_mode(e, a, d, b, NULL, ja);
    for (int i = 0; i < 3; i++) {
        assert_false(tmli_expr_grad_mode(e, b, NULL, g) == va);
        tmli_expr_jet2_mode(e, b, a, d, NULL, j);
        assert_true(tmli_expr_eval(e, a) == va);
        assert_true(tmli_expr_grad_mode(e, a, NULL, g) == va);
        tmli_expr_jet2_mode(e, a, d, b, NULL, j);
        assert_memory_equal(g, ga, sizeof g);
        assert_memory_equal(j, ja, sizeof j);
    }
    tmli_expr_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_every_function_is_listed),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_constant_expressions),
        cmocka_unit_test(test_nan_is_not_hidden),
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_purity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
