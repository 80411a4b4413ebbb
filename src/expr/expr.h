// Arithmetic expressions, compiled once, evaluated without allocation, with exact derivatives.
//
// Grammar: numbers (1, 2.5e-3), a number or closing parenthesis followed by the unit `deg` (times pi/180), names
// (letters, digits, '_', joined by '.': k, pin.angle, rod1.vx), calls f(a, b), + - * / ^ (right associative, ** is
// the same), unary + -, comparisons < <= > >= == != (1 or 0), and/or/not, parentheses.
#ifndef TMLI_EXPR_H
#define TMLI_EXPR_H

#include "base/base.h"

typedef struct tmli_expr tmli_expr;

/** What a name in an expression stands for. */
typedef enum tmli_symbol_kind {
    TMLI_SYMBOL_UNKNOWN,
    TMLI_SYMBOL_CONSTANT,
    TMLI_SYMBOL_VARIABLE
} tmli_symbol_kind;

/** The names an expression may use, given by the caller. All functions may be NULL (no such names). */
typedef struct tmli_scope {
    /** A plain name: CONSTANT sets *value (folded at compile time), VARIABLE sets *slot (caller's number, >= 0). */
    tmli_symbol_kind (*name)(const char *name, double *value, int *slot, void *user);
    /** A call of a function the language does not have, whose arguments are all plain names, e.g.
     * distance(ground.O, crank.tip): VARIABLE sets *slot. May fill err with a better sentence and return UNKNOWN. */
    tmli_symbol_kind (*call)(const char *function, int argc, const char *const *argv, int *slot, void *user,
                             tml_error *err);
    /** All names that would be valid, for the hint after an unknown name; returns their count. */
    size_t (*names)(const char *const **names, void *user);
    void *user;
} tmli_scope;

/** Compile text. `at` is the position of the first character of text (errors point into it, same line); zeroed: none.
 * Errors: TML_ERR_SYNTAX or TML_ERR_NAME, with the column of the offending token and the nearest valid name. */
tml_status tmli_expr_compile(const char *text, tml_mark at, const tmli_scope *scope, const tml_env *env,
                             tmli_expr **out, tml_error *err);
void tmli_expr_destroy(tmli_expr *e);  // accepts NULL

/** The distinct variables the expression uses: caller's slot numbers in order of first use. */
int tmli_expr_nvars(const tmli_expr *e);
int tmli_expr_slot(const tmli_expr *e, int k);
bool tmli_expr_is_constant(const tmli_expr *e);
/** True if the value may jump or have a kink (step, if, comparisons, abs, min, max, sign, floor, ...) in a variable. */
bool tmli_expr_is_nonsmooth(const tmli_expr *e);

/** x: (nvars) values in the order of tmli_expr_slot. */
double tmli_expr_eval(const tmli_expr *e, const double *x);
/** Value, and grad (nvars) = exact partial derivatives. */
double tmli_expr_grad(const tmli_expr *e, const double *x, double *grad);
/** Second-order jet along one direction: all variables move as x + tau*xd + tau^2/2*xdd;
 * out[0..2] = value, first and second derivative in tau at 0. xd, xdd: (nvars), NULL means zero. */
void tmli_expr_jet2(const tmli_expr *e, const double *x, const double *xd, const double *xdd, double out[3]);

/** Evaluate a constant expression in one call ("2*pi*L", "30 deg"). */
tml_status tmli_expr_constant(const char *text, tml_mark at, const tmli_scope *scope, const tml_env *env,
                              double *out, tml_error *err);

/** Names of the functions and constants of the language (for docs and hints), NULL at the end. */
extern const char *const tmli_expr_functions[];

#endif
