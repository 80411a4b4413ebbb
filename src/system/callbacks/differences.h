// Difference quotients of the functions of systems of callbacks, shared by evaluate.c and velocity_rows.c.
#ifndef TMLI_SYSTEM_CALLBACKS_DIFFERENCES_H
#define TMLI_SYSTEM_CALLBACKS_DIFFERENCES_H

#include "system/callbacks/internal.h"

#include <string.h>

/** A function of t, q and u. */
typedef tml_status tmli_callback_field(const tmli_callback_system *s, tmli_callback_work *w, double t,
                                       const double *q, const double *u, double *out, tml_error *err);

/** A straight line: time t + rate tau, configuration q + tau v (v NULL: q is constant). */
typedef struct tmli_callback_line {
    const double *v;
    double rate;
    double tau;
} tmli_callback_line;

static inline int tmli_callback_position_rows(const tmli_callback_system *s)
{
    return s->def.m - s->def.velocity_rows;
}
static inline void tmli_callback_zero(double *x, int rows, int cols)
{
    memset(x, 0, (size_t)rows * (size_t)cols * sizeof *x);
}
/** Check the status of a callback and its output of rows x cols numbers (cols = 1: a vector). */
tml_status tmli_callback_check_result(tml_status st, const char *name, double t, const double *x, int rows,
                                      int cols, tml_error *err);
/** B (m x n) within another difference. */
tmli_callback_field tmli_callback_jacobian_field;

// differences.c
/** out (rows x columns) += dF/dq or dF/du by (7), column by column. */
tml_status tmli_callback_add_columns(const tmli_callback_system *s, tmli_callback_work *w,
                                     tmli_difference_buffers *lv, tmli_callback_field *F, double t,
                                     const double *q, const double *u, bool by_u, int columns, double factor,
                                     int rows, double *out, tml_error *err);
/** The step along a line: a power of two, not smaller than the last digit of t, so that t + tau differs from
 * t. */
double tmli_callback_line_step(const tmli_callback_system *s, const tml_state *x, const double *v,
                               bool in_time, double factor);
/** out (count) = D F along the line, (7). */
tml_status tmli_callback_line_first(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                    const tmli_callback_line *l, tmli_callback_field *F, int count,
                                    double *out, tml_error *err);
/** out (count) = D^2 F along the line, (8). */
tml_status tmli_callback_line_second(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                     const tmli_callback_line *l, tmli_callback_field *F, int count,
                                     double *out, tml_error *err);

// velocity_rows.c
/** nu (velocity_rows) of the rows at velocity level. */
tmli_callback_field tmli_callback_nu_field;
/** by_q (velocity_rows x n) := (B v)_q at constant v. */
tml_status tmli_callback_velocity_rows_times(const tmli_callback_system *s, tmli_callback_work *w,
                                             const tml_state *x, const double *v, double *by_q,
                                             tml_error *err);
/** gamma (velocity_rows) by (4'), with the relative step factor. */
tml_status tmli_callback_velocity_gamma(const tmli_callback_system *s, tmli_callback_work *w,
                                        const tml_state *x, double factor, double *gamma, tml_error *err);
/** by_q (velocity_rows x n) := gamma_q, differences along the motion and by q, both first ones. */
tml_status tmli_callback_velocity_gamma_by_q(const tmli_callback_system *s, tmli_callback_work *w,
                                             const tml_state *x, double *by_q, tml_error *err);

#endif
