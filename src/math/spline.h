// Natural cubic spline through the points of a table, with linear extrapolation.
#ifndef TMLI_MATH_SPLINE_H
#define TMLI_MATH_SPLINE_H

#include "base/base.h"

typedef struct tmli_spline tmli_spline;  // immutable; any number of threads may share it

/** table (count x 2): pairs x, y with x strictly ascending; copied. count >= 2; two points give a straight
 * line. Errors: TML_ERR_ARG (invalid table), TML_ERR_NOMEM; *out is NULL then. */
tml_status tmli_spline_create(const tml_env *env, int count, const double *table, tmli_spline **out,
                              tml_error *err);
void tmli_spline_destroy(const tml_env *env, tmli_spline *s);  // accepts NULL

/** Value at x; slope and curvature (each may be NULL) get the first and second derivative. All are
 * continuous. */
double tmli_spline_eval(const tmli_spline *s, double x, double *slope, double *curvature);
/** Exact integral of the spline from 0 to x; 0 may lie outside the table. */
double tmli_spline_integral(const tmli_spline *s, double x);

#endif
