// The names that the tests of expressions use.
#ifndef TEST_EXPR_SCOPE_H
#define TEST_EXPR_SCOPE_H

#include "expr/expr.h"
#include "support/support.h"

// Variables: slot = position. `step` and `e` are names here although they mean something elsewhere.
static const char *const scope_variables[] = {"x", "y", "z", "pin.angle", "rod1.vx", "step", "e"};
static const char *const scope_all[] = {"x", "y", "z", "pin.angle", "rod1.vx", "step",
                                        "e", "k", "L", "n",         "zero"};
enum { SCOPE_VARIABLES = 7, SCOPE_ALL = 11, SLOT_DISTANCE = 40 };

static inline tmli_symbol_kind scope_name(const char *name, double *value, int *slot, void *user)
{
    (void)user;
    for (int i = 0; i < SCOPE_VARIABLES; i++) {
        if (strcmp(name, scope_variables[i]) != 0) continue;
        *slot = i;
        return TMLI_SYMBOL_VARIABLE;
    }
    static const struct {
        const char *name;
        double value;
    } constants[] = {{"k", 731.25}, {"L", 0.4375}, {"n", 3}, {"zero", 0}, {"bad", NAN}};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (strcmp(name, constants[i].name) != 0) continue;
        *value = constants[i].value;
        return TMLI_SYMBOL_CONSTANT;
    }
    return TMLI_SYMBOL_UNKNOWN;
}

// distance(a, b) of points of bodies A and B; slots by the letters of the arguments.
static inline tmli_symbol_kind scope_call(const char *function, int argc, const char *const *argv, int *slot,
                                          void *user, tml_error *err)
{
    (void)user;
    if (strcmp(function, "distance") != 0) return TMLI_SYMBOL_UNKNOWN;
    if (argc != 2) {
        tmli_fail(err, TML_ERR_NAME, "distance(a, b) takes 2 points, found %d", argc);
        return TMLI_SYMBOL_UNKNOWN;
    }
    *slot = SLOT_DISTANCE + (strcmp(argv[0], "A.tip") == 0) + 2 * (strcmp(argv[1], "B.tip") == 0);
    return TMLI_SYMBOL_VARIABLE;
}

static inline size_t scope_names(const char *const **names, void *user)
{
    (void)user;
    *names = scope_all;
    return SCOPE_ALL;
}

static const tmli_scope test_scope = {.name = scope_name, .call = scope_call, .names = scope_names};

static inline tmli_expr *compile_ok(const char *text)
{
    tmli_expr *e = NULL;
    tml_error err = {0};
    if (tmli_expr_compile(text, (tml_mark){0}, &test_scope, NULL, &e, &err) != TML_OK)
        fail_msg("'%s': %s", text, err.msg);
    return e;
}

/** The value with the variables of slots 0, 1, ... taken from all. */
static inline double value_at(const tmli_expr *e, const double *all)
{
    double x[64];
    for (int i = 0; i < tmli_expr_nvars(e); i++) x[i] = all[tmli_expr_slot(e, i)];
    return tmli_expr_eval(e, x);
}

#endif
