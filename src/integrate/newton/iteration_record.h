// What a Newton iteration looked like, kept on request (option report).
//
// Newton's corrections fall until round-off stops them. The last one that was smaller than all before it
// shows how well the equations can be solved at all (Bottasso, Bauchau, Cardona, SIAM J. Sci. Comput. 29
// (2007) 397-414, (33)); it is kept by field (displacements, velocities, multipliers), in the unknowns of the
// factored matrix and in units of the model.
#ifndef TMLI_INTEGRATE_NEWTON_ITERATION_RECORD_H
#define TMLI_INTEGRATE_NEWTON_ITERATION_RECORD_H

#include "base/base.h"
#include "linalg/rank/svd.h"
#include <trammel/integrator.h>

enum { TMLI_TRACE = 64 };

typedef struct tmli_record {
    tml_env env;
    double *work;              // (3 unknowns) of condition estimates
    tmli_svd svd;              // no memory: too many unknowns
    double norm;               // of the last correction, (33)
    double trace[TMLI_TRACE];  // norms of the solve's corrections so far, the first TMLI_TRACE of them
    int traced;
    double scaled[3], physical[3];  // the last correction by field
    tml_conditioning kept;          // corrections: the last decreasing one
} tmli_record;

tml_status tmli_record_create(const tml_pattern *pattern, const tml_env *env, tmli_record **out,
                              tml_error *err);
void tmli_record_destroy(tmli_record *r);  // NULL is fine

/** A new solve begins. */
void tmli_record_begin(tmli_record *r);
/** A correction begins: its norm is 0. */
void tmli_record_open(tmli_record *r);
/** One component of it: field 0, 1, 2. scaled NAN: not among the unknowns. */
void tmli_record_add(tmli_record *r, int field, double scaled, double physical);
/** All components are in. True if the correction was smaller than those before it. */
bool tmli_record_close(tmli_record *r);
/** Condition numbers of the matrix `values`, last factored by `solver`, into r->kept. */
void tmli_record_conditions(tmli_record *r, const tml_pattern *pattern, const double *values,
                            const tml_linsolver_ops *solver, void *lin);
/** What a report wants to know: what was kept (r NULL: nothing, NAN), the range of unit * scale (m), and
 * sizes. */
void tmli_record_tell(const tmli_record *r, const double *scale, double unit, int m, int unknowns,
                      int iterations, tml_conditioning *out);

#endif
