// Arithmetic expressions, compiled once, evaluated without allocation, with exact derivatives.
//
// Grammar: numbers (1, 2.5e-3), a number or closing parenthesis followed by the unit `deg` (times pi/180),
// names (letters, digits, '_', joined by '.': k, pin.angle, rod1.vx), calls f(a, b), + - * / ^ (right
// associative, ** is the same), unary + -, comparisons < <= > >= == != (1 or 0), and/or/not, parentheses.
#ifndef TMLI_EXPR_EXPR_H
#define TMLI_EXPR_EXPR_H

#include "base/base.h"

#include <math.h>

typedef struct tmli_expr tmli_expr;

/** What a name in an expression stands for. */
typedef enum tmli_symbol_kind {
    TMLI_SYMBOL_UNKNOWN,
    TMLI_SYMBOL_CONSTANT,
    TMLI_SYMBOL_VARIABLE
} tmli_symbol_kind;

/** The names an expression may use, given by the caller. All functions may be NULL (no such names). */
typedef struct tmli_scope {
    /** A plain name: CONSTANT sets *value (folded at compile time), VARIABLE sets *slot (caller's number, >=
     * 0). */
    tmli_symbol_kind (*name)(const char *name, double *value, int *slot, void *user);
    /** A call of a function the language does not have, whose arguments are all plain names, e.g.
     * distance(ground.O, crank.tip): VARIABLE sets *slot. May fill err with a better sentence and return
     * UNKNOWN. */
    tmli_symbol_kind (*call)(const char *function, int argc, const char *const *argv, int *slot, void *user,
                             tml_error *err);
    /** All names that would be valid, for the hint after an unknown name; returns their count. */
    size_t (*names)(const char *const **names, void *user);
    void *user;
} tmli_scope;

/** Compile text. `at` is the position of the first character of text (errors point into it, same line);
 * zeroed: none. Errors: TML_ERR_SYNTAX or TML_ERR_NAME, with the column of the offending token and the
 * nearest valid name. */
tml_status tmli_expr_compile(const char *text, tml_mark at, const tmli_scope *scope, const tml_env *env,
                             tmli_expr **out, tml_error *err);
void tmli_expr_destroy(tmli_expr *e);  // accepts NULL

/** The distinct variables the expression uses: caller's slot numbers in order of first use. */
int tmli_expr_nvars(const tmli_expr *e);
int tmli_expr_slot(const tmli_expr *e, int k);
bool tmli_expr_is_constant(const tmli_expr *e);
/** True if the value may jump or have a kink (step, if, comparisons, abs, min, max, sign, floor, ...) in a
 * variable. */
bool tmli_expr_is_nonsmooth(const tmli_expr *e);

/** x: (nvars) values in the order of tmli_expr_slot. */
double tmli_expr_eval(const tmli_expr *e, const double *x);
/** Value, and grad (nvars) = exact partial derivatives. */
double tmli_expr_grad(const tmli_expr *e, const double *x, double *grad);
/** Second-order jet along one direction: all variables move as x + tau*xd + tau^2/2*xdd;
 * out[0..2] = value, first and second derivative in tau at 0. xd, xdd: (nvars), NULL means zero. */
void tmli_expr_jet2(const tmli_expr *e, const double *x, const double *xd, const double *xdd, double out[3]);

// ---- switches ---------------------------------------------------------------------------------------------
// Every place where an expression may jump or have a kink is a switch: < <= > >=, abs, sign, min, max, clamp, step (its
// two ends), floor, ceil, round, mod, atan2. A mode is the branch one switch is on, as a number: 0 none, the expression is
// evaluated as written. With the modes held an expression is smooth, also beyond the place where it would switch; the
// margin of a switch is positive on its branch and passes through zero where the branch ends.

/** A mode that switches no more: evaluated as written, not watched. */
#define TMLI_MODE_FREE HUGE_VAL

int tmli_expr_nswitches(const tmli_expr *e);
/** True if switch k depends on variable number var (in the order of tmli_expr_slot). */
bool tmli_expr_switch_uses(const tmli_expr *e, int k, int var);
/** The same as eval, grad, jet2 with the modes (nswitches) held; mode NULL: as written. Where a held branch
 * has no finite value (the square root beyond its domain) the expression is evaluated as written. */
double tmli_expr_eval_mode(const tmli_expr *e, const double *x, const double *mode);
double tmli_expr_grad_mode(const tmli_expr *e, const double *x, const double *mode, double *grad);
void tmli_expr_jet2_mode(const tmli_expr *e, const double *x, const double *xd, const double *xdd,
                         const double *mode, double out[3]);
/** margin (nswitches) at x; infinite where nothing is held, and where the value does not depend on the
 * switch. */
void tmli_expr_event_values(const tmli_expr *e, const double *x, const double *mode, double *margin);
/** Margin of switch k and its first and second derivative along x + tau xd. live: infinite where the value
 * does not depend on the switch; else x need only hold the variables that the switch depends on. */
void tmli_expr_event_jet(const tmli_expr *e, int k, bool live, const double *x, const double *xd,
                         const double *mode, double out[3]);
/** Put every switch whose margin is negative onto the branch it is on at x; one that stands exactly on the
 * border onto that at `later` (NULL: as written). all: set every mode anew. Returns the number of modes
 * changed. */
int tmli_expr_switch(const tmli_expr *e, const double *x, const double *later, bool all, double *mode);

/** The mode of a jump softened over a width of the quantity that switch k compares, for motion along the
 * border; other switches: TMLI_MODE_FREE. Only eval and grad know it: what moves along a border is no
 * function of time alone. */
double tmli_expr_soft_mode(const tmli_expr *e, int k, double width);

/** Evaluate a constant expression in one call ("2*pi*L", "30 deg"). */
tml_status tmli_expr_constant(const char *text, tml_mark at, const tmli_scope *scope, const tml_env *env,
                              double *out, tml_error *err);

/** Names of the functions and constants of the language (for docs and hints), NULL at the end. */
extern const char *const tmli_expr_functions[];

#endif
