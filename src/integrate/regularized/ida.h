// IDA of SUNDIALS as an integrator of implicit equations F(t, y, y') = 0: backward differentiation of
// variable order 1..5 in fixed leading coefficient form, the descendant of DASSL. A. C. Hindmarsh et al., ACM
// Trans. Math. Softw. 31 (2005) 363-396; K. E. Brenan, S. L. Campbell, L. R. Petzold, Numerical Solution of
// Initial-Value Problems in DAEs, SIAM 1996.
//
// Order, step, error test and Newton's iteration are IDA's; the matrix F_y + cj F_y' is factored by one of
// our linear solvers. IDA's memory comes from malloc, all of it at creation. Without SUNDIALS tmli_ida_create
// refuses with a sentence.
#ifndef TMLI_INTEGRATE_REGULARIZED_IDA_H
#define TMLI_INTEGRATE_REGULARIZED_IDA_H

#include "base/base.h"
#include <trammel/integrator.h>

typedef struct tmli_ida tmli_ida;

/** All functions get `user` last. A positive status of residual or matrix makes IDA try a smaller step. */
typedef struct tmli_ida_def {
    tml_env env;
    int size;                         // unknowns
    int max_order;                    // 1..5
    double max_step;                  // [s]; 0: no limit
    const tml_pattern *pattern;       // of the matrix; NULL: `matrix` factors it and `solve` solves
    const tml_linsolver_ops *solver;  // that factors it
    const bool *unjudged;             // (size) true: not in the error test
    tml_status (*residual)(double t, const double *y, const double *yp, double *r, void *user,
                           tml_error *err);
    /** values of F_y + cj F_y' in pattern order; without a pattern values is NULL */
    tml_status (*matrix)(double t, double cj, const double *y, const double *yp, double *values, void *user,
                         tml_error *err);
    void (*solve)(double *x, void *user);  // x (size): right side in, solution out; without a pattern
    /** allowed[i]: what the error of y[i] is measured by; the root mean square of the ratios decides. */
    void (*weigh)(const double *y, double *allowed, void *user);
    void *user;
} tmli_ida_def;

/** True if the library was built with IDA. */
bool tmli_ida_available(void);

tml_status tmli_ida_create(const tmli_ida_def *def, tmli_ida **out, tml_error *err);
void tmli_ida_destroy(tmli_ida *s);  // accepts NULL

/** y and y' (size) of a start: fill both, then call tmli_ida_start. After a step: those at its end. */
double *tmli_ida_y(tmli_ida *s);
double *tmli_ida_yp(tmli_ida *s);
/** Begin at t with order 1. h: first step; 0: IDA's choice. */
tml_status tmli_ida_start(tmli_ida *s, double t, double h, tml_error *err);
/** One step, which does not pass `stop` (infinite: none). TML_RETRY: IDA gave up; err says why. */
tml_status tmli_ida_step(tmli_ida *s, double stop, tml_error *err);
/** The k-th derivative of y at a time within the last step. */
void tmli_ida_get(tmli_ida *s, double t, int k, double *out);

double tmli_ida_time(const tmli_ida *s);
double tmli_ida_next_step(const tmli_ida *s);  // step that IDA will try
/** Work of all starts so far. */
void tmli_ida_count(const tmli_ida *s, tml_counters *out);
/** All of IDA's history. SUNDIALS has no function for this: its own header of the integrator's memory is
 * used, and where that is not installed or unknown, the archive is refused. Before it is read, IDA must have
 * made a step, whatever it was. */
void tmli_ida_archive(tmli_ida *s, tml_archive *a);

#endif
