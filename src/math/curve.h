// A curve through the points of a table: piecewise cubic, with straight lines outside.
#ifndef TMLI_MATH_CURVE_H
#define TMLI_MATH_CURVE_H

#include "base/base.h"
#include <trammel/table.h>

typedef struct tmli_curve tmli_curve;  // immutable; any number of threads may share it

/** table (count x 2): pairs x, y with x strictly ascending; copied. count >= 2; two points give a straight
 * line. Errors: TML_ERR_ARG (invalid table), TML_ERR_NOMEM; *out is NULL then. */
tml_status tmli_curve_create(const tml_env *env, int count, const double *table, tml_table_style style,
                             tmli_curve **out, tml_error *err);
void tmli_curve_destroy(const tml_env *env, tmli_curve *c);  // accepts NULL

/** Value at x; slope and curvature (each may be NULL) get the first and second derivative; at a point where
 * they jump those on its right. */
double tmli_curve_eval(const tmli_curve *c, double x, double *slope, double *curvature);
/** Exact integral of the curve from 0 to x; 0 may lie outside the table. */
double tmli_curve_integral(const tmli_curve *c, double x);

/** Number of continuous derivatives, 0 to 2. */
int tmli_curve_smoothness(const tmli_curve *c);
/** Branches, on each of which the curve is smooth: numbers 0 .. count - 1 from left to right. 1 if the curve
 * is smooth everywhere (smoothness 2). */
int tmli_curve_branch_count(const tmli_curve *c);
/** The branch that contains x; the right one between two branches. */
int tmli_curve_branch(const tmli_curve *c, double x);
/** Ends of a branch; infinite for the first and the last one. */
void tmli_curve_branch_ends(const tmli_curve *c, int branch, double *low, double *high);
/** As eval, on a branch: smooth also beyond its ends. */
double tmli_curve_eval_branch(const tmli_curve *c, int branch, double x, double *slope, double *curvature);

/** How far the curve leaves the range of the values of its points, over the size of that range; 0: it does
 * not. *x, *y: where it is farthest. What lies outside the table does not count. */
double tmli_curve_overshoot(const tmli_curve *c, double *x, double *y);

#endif
