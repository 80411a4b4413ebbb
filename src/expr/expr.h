// Arithmetic expressions, compiled once, evaluated without allocation, with exact derivatives.
//
// Grammar: numbers (1, 2.5e-3), a number or closing parenthesis followed by the unit `deg` (times pi/180),
// names (letters, digits, '_', joined by '.': k, pin.angle, rod1.vx), calls f(a, b), + - * / ^ (right
// associative, ** is the same), unary + -, comparisons < <= > >= == != (1 or 0), and/or/not, parentheses.
#ifndef TMLI_EXPR_EXPR_H
#define TMLI_EXPR_EXPR_H

#include "base/base.h"
#include "base/quantity.h"
#include "math/curve.h"

#include <math.h>

typedef struct tmli_expr tmli_expr;

/** The meaning of a name in an expression. */
typedef enum tmli_symbol_kind {
    TMLI_SYMBOL_UNKNOWN,
    TMLI_SYMBOL_CONSTANT,
    TMLI_SYMBOL_VARIABLE
} tmli_symbol_kind;

/** The names an expression may use, given by the caller. All functions may be NULL (no such names). */
typedef struct tmli_scope {
    /** Look up a name: CONSTANT sets *value (folded at compile time), VARIABLE sets *slot (a number of the
     * caller, >= 0). */
    tmli_symbol_kind (*name)(const char *name, double *value, int *slot, void *user);
    /** Look up a call of a function that is not part of the language and whose arguments are all plain names,
     * e.g. distance(ground.O, crank.tip): VARIABLE sets *slot. UNKNOWN may fill err with a more specific
     * message. */
    tmli_symbol_kind (*call)(const char *function, int argc, const char *const *argv, int *slot, void *user,
                             tml_error *err);
    /** Look up a table, a function of one argument: *curve, which must outlive the expression. *located: its
     * smoothness below which the points of the table are discontinuities. False: there is none. */
    bool (*table)(const char *name, const tmli_curve **curve, int *located, void *user);
    /** All valid names, for the hint after an unknown name; returns their number. */
    size_t (*names)(const char *const **names, void *user);
    /** What to do about an unknown name that is like none of them. NULL: nothing is said. */
    const char *advice;
    void *user;
} tmli_scope;

/** The advice of model files. */
#define TMLI_OWN_NAMES "names of your own stand under 'parameters'"

/** Compile text. `at` is the position of its first character in a file, for error messages; zeroed: none.
 * Errors: TML_ERR_SYNTAX or TML_ERR_NAME, with the column of the offending token and the nearest valid name;
 * TML_ERR_NOMEM. */
tml_status tmli_expr_compile(const char *text, tml_mark at, const tmli_scope *scope, const tml_env *env,
                             tmli_expr **out, tml_error *err);
void tmli_expr_destroy(tmli_expr *e);  // accepts NULL

/** The distinct variables of the expression: slot numbers of the caller in order of first use. */
int tmli_expr_nvars(const tmli_expr *e);
int tmli_expr_slot(const tmli_expr *e, int k);

/** x: (nvars) values in the order of tmli_expr_slot. */
double tmli_expr_eval(const tmli_expr *e, const double *x);

// ---- discontinuities --------------------------------------------------------------------------------------
// An operation at which an expression may jump or have a kink is a discontinuity: < <= > >=, abs, sign, min,
// max, clamp, step (its two ends), floor, ceil, round, mod, atan2, and tables (their points). Its mode is a
// number that fixes one of its branches. With TML_SWITCH_UNSET and TML_SWITCH_UNWATCHED no branch is fixed,
// and the operation is evaluated as written.
// With all modes fixed, an expression is smooth, also beyond the ends of the branches. The event function of
// a discontinuity is positive on its branch and zero at the end of the branch.

/** Called with a table and its argument. */
typedef void tmli_table_visit(const tmli_curve *curve, double x, void *user);
/** Visit the tables of the expression, with their arguments at x; mode as in eval_mode. */
void tmli_expr_visit_tables(const tmli_expr *e, const double *x, const double *mode, tmli_table_visit *visit,
                            void *user);

int tmli_expr_ndiscontinuities(const tmli_expr *e);
/** True if discontinuity k depends on variable number var (in the order of tmli_expr_slot). */
bool tmli_expr_discontinuity_uses(const tmli_expr *e, int k, int var);
/** The value with fixed modes (ndiscontinuities); mode NULL: as written. If the fixed branches give no finite
 * value (square root of a negative number), the expression is evaluated as written. */
double tmli_expr_eval_mode(const tmli_expr *e, const double *x, const double *mode);
/** Value, and grad (nvars) = exact partial derivatives. */
double tmli_expr_grad_mode(const tmli_expr *e, const double *x, const double *mode, double *grad);
/** Second-order jet along one direction: all variables move as x + tau*xd + tau^2/2*xdd;
 * out[0..2] = value, first and second derivative in tau at 0. xd, xdd: (nvars), NULL means zero. */
void tmli_expr_jet2_mode(const tmli_expr *e, const double *x, const double *xd, const double *xdd,
                         const double *mode, double out[3]);
/** out (ndiscontinuities): event functions at x; infinite if no branch is fixed or the value of the
 * expression does not depend on the discontinuity at x. */
void tmli_expr_event_values(const tmli_expr *e, const double *x, const double *mode, double *out);
/** Event function of discontinuity k and its first and second derivative along x + tau xd. live: infinite if
 * the value of the expression does not depend on the discontinuity at x. Not live: only the variables of the
 * discontinuity are read from x. */
void tmli_expr_event_jet(const tmli_expr *e, int k, bool live, const double *x, const double *xd,
                         const double *mode, double out[3]);
/** Fix the branch at x for every discontinuity with a negative event function. If x is exactly at the end of
 * a branch, the branch at `later` is fixed (NULL: the one of the operation as written). all: recompute every
 * mode. Returns the number of changed modes. */
int tmli_expr_update_modes(const tmli_expr *e, const double *x, const double *later, bool all, double *mode);

/** The mode that smooths jump k over `width` (in units of the compared quantity), for motion that slides
 * along the jump; TML_SWITCH_UNWATCHED if discontinuity k is no jump. Not supported by jet2: motion along a
 * jump is
 * not a function of time alone. */
double tmli_expr_soft_mode(const tmli_expr *e, int k, double width);

// ---- poles ------------------------------------------------------------------------------------------------
// Quantities whose zeros may be poles of an expression: factors of divisors and of bases of negative powers,
// and what is zero where a tangent has a pole.

int tmli_expr_npoles(const tmli_expr *e);
/** out (npoles): these quantities at x, which change their sign where they are zero; NAN if the value of the
 * expression does not depend on them at x. mode as in eval_mode. */
void tmli_expr_pole_values(const tmli_expr *e, const double *x, const double *mode, double *out);

/** Evaluate a constant expression in one call ("2*pi*L", "30 deg"). */
tml_status tmli_expr_constant(const char *text, tml_mark at, const tmli_scope *scope, const tml_env *env,
                              double *out, tml_error *err);

/** Names of the functions and constants of the language (for docs and hints), NULL at the end. */
extern const char *const tmli_expr_functions[];

/** What a value must be multiplied by to be one of a unit that is asked for. */
typedef struct tmli_conversion {
    enum {
        TMLI_UNIT_KEPT,      // the value is one of that unit, or of any
        TMLI_UNIT_CONVERTS,  // by the factor
        TMLI_UNIT_DIFFERS,   // it is of another unit, `found`
        TMLI_UNIT_UNSAID     // nobody says of which
    } what;
    double factor;       // 1 where it is not converted
    tmli_unit found;     // the unit of the value
    tmli_unit clash[2];  // the two units of a sum of different ones; OPEN: there is none
} tmli_conversion;
/** The unit of the value from those of the variables (nvars), and its conversion to another one; OPEN: to
 * none. Error: TML_ERR_NOMEM. */
tml_status tmli_expr_unit(const tmli_expr *e, const tmli_unit *var, const tmli_unit *want,
                          tmli_conversion *out, tml_error *err);
/** What tmli_expr_make_margin found. */
typedef enum tmli_margin {
    TMLI_MARGIN_NUMBER,     // no condition: nothing has changed
    TMLI_MARGIN_CONDITION,  // it is positive now where the condition was true
    TMLI_MARGIN_EQUAL,      // it is zero now where two numbers are equal
    TMLI_MARGIN_NONE        // a condition with parts that are numbers, or with == or !=; it is of no use now
} tmli_margin;
/** Make a condition (comparison, and, or, not) a function that crosses zero where it changes. */
tmli_margin tmli_expr_make_margin(tmli_expr *e);
/** Multiply the value by a factor. Error: TML_ERR_NOMEM, and nothing has changed. */
tml_status tmli_expr_scale(tmli_expr *e, double factor, tml_error *err);

#endif
