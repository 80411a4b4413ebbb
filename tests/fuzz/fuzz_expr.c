// Arbitrary bytes as an expression: compile, evaluate, differentiate. What must hold beside "no crash": an
// error has a sentence that is safe to print and a column inside the text; all functions give the same value.
#include "expr/expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VARIABLES = 4 };
static const char *const names[] = {"x", "y", "pin.angle", "step", "k", "L"};

static tmli_symbol_kind find_name(const char *name, double *value, int *slot, void *user)
{
    (void)user;
    for (int i = 0; i < 6; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *slot = i;
        *value = i == 4 ? 731.25 : 0;
        return i < VARIABLES ? TMLI_SYMBOL_VARIABLE : TMLI_SYMBOL_CONSTANT;
    }
    return TMLI_SYMBOL_UNKNOWN;
}

static tmli_symbol_kind find_call(const char *function, int argc, const char *const *argv, int *slot,
                                  void *user, tml_error *err)
{
    (void)user;
    size_t length = strlen(function);
    for (int i = 0; i < argc; i++) length += strlen(argv[i]);  // all must be readable
    if (function[0] != 'd') return TMLI_SYMBOL_UNKNOWN;
    if (argc > 2) {
        tmli_fail(err, TML_ERR_NAME, "'%s' of %d arguments (%zu)", function, argc, length);
        return TMLI_SYMBOL_UNKNOWN;
    }
    *slot = VARIABLES + (int)(length % 3);
    return TMLI_SYMBOL_VARIABLE;
}

static size_t all_names(const char *const **out, void *user)
{
    (void)user;
    *out = names;
    return sizeof names / sizeof *names;
}

static void require(int condition)
{
    if (!condition) abort();
}

static int same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void check_error(const tml_error *err, tml_status st, size_t length)
{
    require(err->status == st && st < 0 && err->msg[0]);
    if (st == TML_ERR_NOMEM) return;
    require(err->line == 7 && err->col >= 3 && (size_t)err->col <= 3 + length);
    for (const char *p = err->msg; *p; p++) require(*p >= ' ' && *p <= '~');
}

static void check_evaluation(const tmli_expr *e)
{
    static const double points[][VARIABLES + 3] = {{0.731, -1.293, 0.377, 2.5, 0.1, -4, 7},
                                                   {0, 0, 0, 0, 0, 0, 0},
                                                   {-1e300, 1e-300, INFINITY, NAN, 1, 2, 3}};
    const int n = tmli_expr_nvars(e);
    require(n <= VARIABLES + 3);
    for (int k = 0; k < 3; k++) {
        double x[VARIABLES + 3], grad[VARIABLES + 3], jet[3];
        for (int i = 0; i < n; i++) {
            const int slot = tmli_expr_slot(e, i);
            require(slot >= 0 && slot < VARIABLES + 3);
            x[i] = points[k][slot];
        }
        const double v = tmli_expr_eval(e, x);
        require(same(v, tmli_expr_grad_mode(e, x, NULL, grad)));
        tmli_expr_jet2_mode(e, x, points[0], points[0], NULL, jet);
        require(same(v, jet[0]));
        if (n == 0) require(isfinite(v) && jet[1] == 0 && jet[2] == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tmli_scope scope = {.name = find_name, .call = find_call, .names = all_names};
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = 0;
    const tml_mark at = {"f.yaml", 7, 3};
    tml_error err = {0};
    tmli_expr *e = NULL;
    const tml_status st = tmli_expr_compile(text, at, &scope, NULL, &e, &err);
    require((st == TML_OK) == (e != NULL));
    if (e) check_evaluation(e);
    else check_error(&err, st, strlen(text));
    tmli_expr_destroy(e);

    double value = 0;
    err = (tml_error){0};
    const tml_status constant = tmli_expr_constant(text, at, NULL, NULL, &value, &err);
    if (constant != TML_OK) check_error(&err, constant, strlen(text));
    free(text);
    return 0;
}
