// Natural cubic spline through the points of a table, continued along straight lines.
#ifndef TMLI_ELEMENT_FORCE_SPLINE_H
#define TMLI_ELEMENT_FORCE_SPLINE_H

#include "base/base.h"

typedef struct tmli_spline tmli_spline;  // constant after create; any number of threads may share it

/** @param table (count x 2): x strictly ascending, y; copied @param count >= 2; two points give the straight
 * line through them @return TML_OK; TML_ERR_ARG with a sentence if the table is no such table;
 * TML_ERR_NOMEM. On failure *out is
 *         NULL. */
tml_status tmli_spline_create(const tml_env *env, int count, const double *table, tmli_spline **out,
                              tml_error *err);
void tmli_spline_destroy(const tml_env *env, tmli_spline *s);  // NULL is fine

/** Value at x; slope and curvature (each may be NULL) get the first and second derivative. All are
 * continuous. */
double tmli_spline_eval(const tmli_spline *s, double x, double *slope, double *curvature);
/** Integral of the spline from 0 to x, exact; 0 may lie outside of the table. */
double tmli_spline_integral(const tmli_spline *s, double x);

#endif
