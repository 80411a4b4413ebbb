// Record of a Newton iteration, kept on request (option report).
//
// Newton's corrections fall until round-off stops them. The last one that was smaller than all before it
// shows how accurately the equations can be solved at all (Bottasso, Bauchau, Cardona, SIAM J. Sci. Comput.
// 29 (2007) 397-414, (33)). It is kept by field (displacements, velocities, multipliers), in the unknowns
// of the factored matrix and in units of the model.
#ifndef TMLI_INTEGRATE_NEWTON_ITERATION_RECORD_H
#define TMLI_INTEGRATE_NEWTON_ITERATION_RECORD_H

#include "base/base.h"
#include "linalg/rank/svd.h"
#include <trammel/integrator.h>

enum { TMLI_TRACE = 64 };

typedef struct tmli_record {
    tml_env env;
    double *work;  // (3 unknowns) scratch of condition estimates
    tmli_svd svd;  // without memory if there are too many unknowns
    int traced;
    double norm;                    // of the last correction, (33)
    double trace[TMLI_TRACE];       // norms of the solve's corrections so far, the first TMLI_TRACE of them
    double scaled[3], physical[3];  // the last correction by field
    tml_conditioning kept;          // corrections: the last decreasing one
} tmli_record;

tml_status tmli_record_create(const tml_pattern *pattern, const tml_env *env, tmli_record **out,
                              tml_error *err);
void tmli_record_destroy(tmli_record *r);  // NULL is fine

/** A new solve begins. */
void tmli_record_begin(tmli_record *r);
/** A correction begins; its norm is 0. */
void tmli_record_open(tmli_record *r);
/** Add one component of it; field: 0, 1, 2; scaled NAN: not among the unknowns. */
void tmli_record_add(tmli_record *r, int field, double scaled, double physical);
/** The correction is complete. True if it was smaller than all before it. */
bool tmli_record_close(tmli_record *r);
/** Compute the condition numbers of the matrix `values`, last factored by `solver`, into r->kept. */
void tmli_record_conditions(tmli_record *r, const tml_pattern *pattern, const double *values,
                            const tml_linsolver_ops *solver, void *lin);
/** Fill a report: the record (r NULL: none, NAN), the range of unit * scale (m), and sizes. */
void tmli_record_report(const tmli_record *r, const double *scale, double unit, int m, int unknowns,
                        int iterations, tml_conditioning *out);
void tmli_record_archive(tmli_record *r, tml_archive *a);  // NULL is fine

#endif
