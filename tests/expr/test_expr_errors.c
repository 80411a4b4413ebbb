// What is not an expression: status, column and sentence of each error, limits, and exhausted memory.
#include "expr/scope.h"

typedef struct error_case {
    const char *text;
    tml_status status;
    int offset;        // of the place reported, from 0
    const char *says;  // part of the message
} error_case;

static const error_case cases[] = {
    // nothing, too little
    {"", TML_ERR_SYNTAX, 0, "empty"},
    {"  \t ", TML_ERR_SYNTAX, 0, "empty"},
    {"2 +", TML_ERR_SYNTAX, 3, "expected a number, a name or '(', found the end of the expression"},
    {"x * / y", TML_ERR_SYNTAX, 4, "found '/'"},
    {"not", TML_ERR_SYNTAX, 3, "found the end"},
    {"-", TML_ERR_SYNTAX, 1, "found the end"},
    {"()", TML_ERR_SYNTAX, 1, "found ')'"},
    {"and x", TML_ERR_SYNTAX, 0, "found 'and'"},
    // parentheses
    {"(x + 1", TML_ERR_SYNTAX, 6, "missing ')': the '(' 6 characters before"},
    {"2*sin(x", TML_ERR_SYNTAX, 7, "missing ')' at the end of the call of 'sin'"},
    {"x + 1)", TML_ERR_SYNTAX, 5, "it has no matching '('"},
    {"(x, y)", TML_ERR_SYNTAX, 2, "expected an operator or ')', found ','"},
    {"sin(x y)", TML_ERR_SYNTAX, 6, "expected an operator, ',' or ')', found 'y'"},
    {"max(x,, y)", TML_ERR_SYNTAX, 6, "found ','"},
    {"max(x, y,)", TML_ERR_SYNTAX, 9, "found ')'"},
    // trailing text, missing operators
    {"2 x", TML_ERR_SYNTAX, 2, "write a product with '*'"},
    {"2x", TML_ERR_SYNTAX, 1, "found 'x'"},
    {"(x)(y)", TML_ERR_SYNTAX, 3, "write a product with '*'"},
    {"3 4", TML_ERR_SYNTAX, 2, "found number 4"},
    {"1,5", TML_ERR_SYNTAX, 1, "the decimal sign is '.'"},
    {"1.2.3", TML_ERR_SYNTAX, 3, "found number .3"},
    {"0x1F", TML_ERR_SYNTAX, 1, "found 'x1F'"},
    {"x deg", TML_ERR_SYNTAX, 2, "'deg' follows a number or ')' and makes radians of it"},
    {"30 deg deg", TML_ERR_SYNTAX, 7, "'deg' follows a number"},
    {"2 rad", TML_ERR_SYNTAX, 2, "in radians"},
    {"x < y < z", TML_ERR_SYNTAX, 6, "cannot be chained"},
    {"1 + not x", TML_ERR_SYNTAX, 4, "(not a)"},
    // names
    {"2*pin.anlge", TML_ERR_NAME, 2, "unknown name 'pin.anlge' (is it 'pin.angle'?)"},
    {"x + PI", TML_ERR_NAME, 4, "unknown name 'PI' (is it 'pi'?)"},
    {"rod2.vx", TML_ERR_NAME, 0, "(is it 'rod1.vx'?)"},
    {"x*sni(y)", TML_ERR_NAME, 2, "unknown function 'sni' (is it 'sin'?)"},
    {"sqr(x*y)", TML_ERR_NAME, 0, "unknown function 'sqr' (is it 'sqrt'?)"},
    {"x + qwertz7", TML_ERR_NAME, 4, "unknown name 'qwertz7'"},
    {"sin + 1", TML_ERR_NAME, 0, "'sin' is a function and needs its arguments: sin(x)"},
    {"2*k(y)", TML_ERR_NAME, 2, "'k' is a value, not a function"},
    {"pi(y)", TML_ERR_NAME, 0, "'pi' is a value"},
    {"x.", TML_ERR_SYNTAX, 1, "the '.' after 'x' must be followed by"},
    {"pin..angle", TML_ERR_SYNTAX, 3, "the '.' after 'pin'"},
    // calls
    {"sin()", TML_ERR_SYNTAX, 0, "sin(x) takes 1 argument, found 0"},
    {"1 + sin(x, y)", TML_ERR_SYNTAX, 4, "takes 1 argument, found 2"},
    {"atan2(x)", TML_ERR_SYNTAX, 0, "atan2(y, x) takes 2 arguments, found 1"},
    {"min(x)", TML_ERR_SYNTAX, 0, "takes at least 2 arguments, found 1"},
    {"step(x, 1, 2)", TML_ERR_SYNTAX, 0, "step(x, x0, h0, x1, h1) takes 5 arguments, found 3"},
    {"clamp(x,1,2,3,4,5,6,7)", TML_ERR_SYNTAX, 0, "takes 3 arguments, found 8"},
    {"if(x, y)", TML_ERR_SYNTAX, 0, "if(condition, a, b) takes 3 arguments"},
    {"step(x, 2, 0, 2, 1)", TML_ERR_SYNTAX, 0, "x0 and x1 are both 2"},
    {"clamp(x, 3, 2.5)", TML_ERR_SYNTAX, 0, "lo = 3 is greater than hi = 2.5"},
    {"x + distance(a)", TML_ERR_NAME, 4, "distance(a, b) takes 2 points, found 1"},
    {"distance(a, 2)", TML_ERR_SYNTAX, 12, "the arguments of 'distance' must be plain names"},
    {"distance(a + b)", TML_ERR_SYNTAX, 11, "found '+'"},
    {"distance(a, b", TML_ERR_SYNTAX, 13, "found the end of the expression"},
    {"distance(a,)", TML_ERR_SYNTAX, 11, "found ')'"},
    {"frobnicate(a, b)", TML_ERR_NAME, 0, "unknown function 'frobnicate'"},
    {"far(a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a)", TML_ERR_SYNTAX, 36, "more than 16 arguments"},
    // characters
    {"x = 2", TML_ERR_SYNTAX, 2, "'==' to compare"},
    {"x ! y", TML_ERR_SYNTAX, 2, "'not'"},
    {"x && y", TML_ERR_SYNTAX, 2, "'&&' is not used in expressions; write 'and'"},
    {"x || y", TML_ERR_SYNTAX, 2, "'or'"},
    {"7 % 2", TML_ERR_SYNTAX, 2, "mod(a, b)"},
    {"x + $y", TML_ERR_SYNTAX, 4, "'$' is not used in expressions; write the name alone"},
    {"x, y", TML_ERR_SYNTAX, 1, "found ','; an expression is one value"},
    {"1..5", TML_ERR_SYNTAX, 2, "found number .5; a number has one '.'"},
    {"1_000", TML_ERR_SYNTAX, 1, "the digits of a number stand together"},
    {"x if y > 1", TML_ERR_SYNTAX, 2, "found 'if'; write if(condition, a, b)"},
    // words of other languages
    {"ln(2*x)", TML_ERR_NAME, 0, "unknown function 'ln'; write log(x)"},
    {"Heaviside(x - 1)", TML_ERR_NAME, 0, "unknown function 'Heaviside'; write if(x > 0, 1, 0)"},
    {"frobnicate(2*x)", TML_ERR_NAME, 0, "unknown function 'frobnicate'"},
    {"2*inf", TML_ERR_NAME, 2, "unknown name 'inf'; no value is infinite here"},
    {"powr", TML_ERR_NAME, 0, "unknown name 'powr'"},
    {"x \xE2\x88\x92 y", TML_ERR_SYNTAX, 2, "is not used in expressions; write -"},
    {"x \xE2\x89\xA0 y", TML_ERR_SYNTAX, 2, "byte 0xE2 is not ASCII"},
    {"\xFF", TML_ERR_SYNTAX, 0, "byte 0xFF"},
    {"x + \x01", TML_ERR_SYNTAX, 4, "control character 0x01"},
    {". + 1", TML_ERR_SYNTAX, 0, "'.' begins neither"},
    {"x + [y]", TML_ERR_SYNTAX, 4, "'['"},
    // numbers
    {"1e999", TML_ERR_SYNTAX, 0, "number 1e999 is too large"},
    {"x + 1e-999", TML_ERR_SYNTAX, 4, "number 1e-999 is too small"},
    {"x + 1/0", TML_ERR_SYNTAX, 5, "this division of constants is infinite"},
    {"x*(zero/zero)", TML_ERR_SYNTAX, 7, "not a number"},
    {"2 + sqrt(-1)*x", TML_ERR_SYNTAX, 4, "the result of 'sqrt' is not a number"},
    {"2*log(zero)", TML_ERR_SYNTAX, 2, "the result of 'log' is infinite"},
    {"1 + exp(1000) - 3", TML_ERR_SYNTAX, 4, "the result of 'exp' is infinite"},
    {"1e200*1e200", TML_ERR_SYNTAX, 5, "the result of '*' is infinite"},
    {"x + bad", TML_ERR_SYNTAX, 4, "the value of 'bad' is not a number"},
    {"if(bad, x, y)", TML_ERR_SYNTAX, 3, "the value of 'bad'"},
};

static void test_errors(void **state)
{
    (void)state;
    const tml_mark at = {"crank.yaml", 14, 23};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const error_case *c = &cases[i];
        tmli_expr *e = (tmli_expr *)&at;
        tml_error err = {0};
        const tml_status st = tmli_expr_compile(c->text, at, &test_scope, NULL, &e, &err);
        if (st != c->status || err.status != st)
            fail_msg("'%s': status %d, message '%s'", c->text, (int)st, err.msg);
        assert_null(e);
        assert_string_equal(err.file, "crank.yaml");
        assert_int_equal(err.line, 14);
        if (err.col != 23 + c->offset) fail_msg("'%s': column %d: %s", c->text, err.col - 23, err.msg);
        if (!strstr(err.msg, c->says)) fail_msg("'%s': %s", c->text, err.msg);
        for (const char *p = err.msg; *p; p++) assert_in_range(*p, ' ', '~');  // safe to print
        assert_int_equal(tmli_expr_compile(c->text, at, &test_scope, NULL, &e, NULL), st);
    }
}

static void test_without_position(void **state)
{
    (void)state;
    tmli_expr *e = NULL;
    tml_error err = {0};
    const char *text = "2*\xC3\xA4 + x";
    assert_int_equal(tmli_expr_compile(text, (tml_mark){0}, &test_scope, NULL, &e, &err), TML_ERR_SYNTAX);
    assert_int_equal(err.line, 0);
    assert_int_equal(err.col, 0);
    assert_non_null(strstr(err.msg, "(character 3 of \"2*?? + x\")"));
}

static void test_empty_scope(void **state)
{
    (void)state;
    static const tmli_scope empty = {0};
    const tmli_scope *const scopes[] = {NULL, &empty};
    for (int i = 0; i < 2; i++) {
        tml_error err = {0};
        double v = 0;
        assert_int_equal(tmli_expr_constant("2^0.5", (tml_mark){0}, scopes[i], NULL, &v, &err), TML_OK);
        CHECK_CLOSE(v, sqrt(2), 3e-16);  // 1 ulp
        assert_int_equal(tmli_expr_constant("x", (tml_mark){0}, scopes[i], NULL, &v, &err), TML_ERR_NAME);
        assert_int_equal(tmli_expr_constant("cosd(2)", (tml_mark){0}, scopes[i], NULL, &v, &err),
                         TML_ERR_NAME);
        assert_non_null(strstr(err.msg, "(is it 'cos'?)"));
    }
}

// body n times, middle, tail n times
static char *repeat(const char *body, int n, const char *middle, const char *tail)
{
    const size_t nb = strlen(body), nt = strlen(tail), nm = strlen(middle);
    char *text = malloc((nb + nt) * (size_t)n + nm + 1), *p = text;
    assert_non_null(text);
    for (int i = 0; i < n; i++, p += nb) memcpy(p, body, nb);
    memcpy(p, middle, nm), p += nm;
    for (int i = 0; i < n; i++, p += nt) memcpy(p, tail, nt);
    *p = 0;
    return text;
}

static tml_status compile_status(char *text, tml_error *err)
{
    tmli_expr *e = NULL;
    const tml_status st = tmli_expr_compile(text, (tml_mark){"f", 1, 1}, &test_scope, NULL, &e, err);
    const double x[8] = {0.7, 0.2, 0.3};
    double g[8], j[3];
    if (e) tmli_expr_grad_mode(e, x, NULL, g), tmli_expr_jet2_mode(e, x, g, x, NULL, j);
    tmli_expr_destroy(e);
    free(text);
    return st;
}

static void test_nesting(void **state)
{
    (void)state;
    static const char *const bodies[][3] = {{"(", "x", ")"},      {"-", "x", ""},     {"2^", "x", ""},
                                            {"not ", "x", ""},    {"sin(", "x", ")"}, {"max(", "x", ",1)"},
                                            {"if(", "x", ",1,2)"}};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        tml_error err = {0};
        const char *const *b = bodies[i];
        assert_int_equal(compile_status(repeat(b[0], 150, b[1], b[2]), &err), TML_OK);
        assert_int_equal(compile_status(repeat(b[0], 1500, b[1], b[2]), &err), TML_ERR_SYNTAX);
        assert_non_null(strstr(err.msg, "nested more than 200"));
        assert_int_equal(err.col, 1 + 200 * (int)strlen(b[0]));
    }
    tml_error err = {0};  // without an end
    assert_int_equal(compile_status(repeat("(", 16000, "", ""), &err), TML_ERR_SYNTAX);
}

static void test_size(void **state)
{
    (void)state;
    tml_error err = {0};
    assert_int_equal(compile_status(repeat("x+", 2000, "y", ""), &err), TML_OK);
    assert_int_equal(compile_status(repeat("1+", 8000, "y", ""), &err), TML_OK);  // folded on the way
    assert_int_equal(compile_status(repeat("x+", 3000, "y", ""), &err), TML_ERR_SYNTAX);
    assert_non_null(strstr(err.msg, "more than 2048 operations"));
    assert_in_range(err.col, 4090, 4100);  // where node 2049 stands: one '+' in two characters
    assert_int_equal(compile_status(repeat("x+", 9000, "y", ""), &err), TML_ERR_SYNTAX);
    assert_non_null(strstr(err.msg, "more than 16384 characters"));
    assert_int_equal(compile_status(repeat("n", 1023, "", ""), &err), TML_ERR_NAME);
    assert_int_equal(compile_status(repeat("n", 1024, "", ""), &err), TML_ERR_SYNTAX);
    assert_non_null(strstr(err.msg, "has 1024 characters, at most 1023"));
    assert_int_equal(compile_status(repeat("0", 5000, ".25*x", ""), &err), TML_OK);
    assert_int_equal(compile_status(repeat("9", 5000, "", ""), &err), TML_ERR_SYNTAX);
    assert_non_null(strstr(err.msg, "too large"));
}

typedef struct counter {
    int left, live;
} counter;
static void *counting_alloc(size_t bytes, void *user)
{
    counter *c = user;
    if (c->left-- <= 0) return NULL;
    c->live++;
    return malloc(bytes);
}
static void counting_free(void *ptr, void *user)
{
    ((counter *)user)->live--;
    free(ptr);
}

// The k-th allocation fails: nothing leaks, the status says why.
static void test_memory(void **state)
{
    (void)state;
    char *text = repeat("max(x,y*", 40, "2+step(z, x, 1, y, 3)", ")");  // large enough for the nodes to grow
    bool done = false;
    int k = 0;
    for (; k < 100 && !done; k++) {
        counter c = {k, 0};
        const tml_env env = {.alloc = counting_alloc, .free = counting_free, .user = &c};
        tmli_expr *e = NULL;
        tml_error err = {0};
        const tml_status st = tmli_expr_compile(text, (tml_mark){0}, &test_scope, &env, &e, &err);
        done = st == TML_OK;
        if (!done) {
            assert_int_equal(st, TML_ERR_NOMEM);
            assert_int_equal(err.status, TML_ERR_NOMEM);
            assert_null(e);
        }
        tmli_expr_destroy(e);
        assert_int_equal(c.live, 0);
    }
    assert_true(done && k > 5);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),      cmocka_unit_test(test_without_position),
        cmocka_unit_test(test_empty_scope), cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_size),        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
