// Consistent states: positions and velocities projected onto the constraints, accelerations and multipliers
// from them.
//
// All three solve M x + B' y = a, B x = c (consistency/index1.h):
//   positions   a = 0, c = -Phi        x: increment of q
//   velocities  a = 0, c = nu - B u    x: increment of u
//   dynamics    a = f, c = gamma       x = udot, y = lambda
#ifndef TMLI_CONSISTENCY_CONSISTENT_H
#define TMLI_CONSISTENCY_CONSISTENT_H

#include "base/base.h"
#include "consistency/index1.h"
#include "consistency/redundant_rows.h"
#include <trammel/integrator.h>
#include <trammel/system.h>

typedef struct tmli_consistent {
    const tml_system *sys;  // that of rows if dependent ones are allowed
    tmli_index1 matrix;
    tmli_redundant_rows rows;  // rows.base NULL: dependent rows are an error
    bool searched;             // for rows that depend on others
    bool *usual;               // (m) they
    bool passing;              // more rows are held at the present state, close to a singular position
    double gap;                // violation of rows held at the last search, in units
    double misfit;             // that at the start; NAN: not known
    double *d;                 // (n)
    double *phi;               // (m)
    tml_state *before;         // what a projection began with
} tmli_consistent;

tml_status tmli_consistent_create(const tml_system *sys, const tml_linsolver_ops *solver, tmli_consistent *c,
                                  tml_error *err);
void tmli_consistent_clear(tmli_consistent *c);

/** From now on do without rows that depend on others: their multipliers are 0. Close to singular positions
 * rows are held that depend on others only there, and a projection keeps accelerations and multipliers of
 * the state as they are. */
tml_status tmli_consistent_allow_redundant(tmli_consistent *c, tml_error *err);
/** Rows (m) that depend on others, as far as they have been searched for; NULL: not yet. */
static inline const bool *tmli_consistent_redundant(const tmli_consistent *c)
{
    return c->searched ? c->usual : NULL;
}
/** Those are known at x (NULL: they are not): the first search is spared. */
tml_status tmli_consistent_set_known(tmli_consistent *c, const tml_state *x, const bool *rows,
                                     tml_error *err);
/** Factor the matrix at x. TML_ERR_SINGULAR: constraints are dependent, or a massless part can move freely.
 */
tml_status tmli_consistent_factor(tmli_consistent *c, const tml_state *x, tml_error *err);
/** (n) > 0 for coordinates without mass, where a factorization has found a part that forces alone determine;
 * NULL: none. */
static inline const double *tmli_consistent_massless(const tmli_consistent *c)
{
    return c->matrix.floats ? c->matrix.guard : NULL;
}
/** Bring a nearly consistent x onto the constraints in mass-weighted least change, then compute udot and
 * lambda. Where x is on them to round-off it is left as it is. */
tml_status tmli_consistent_project(tmli_consistent *c, tml_state *x, tml_error *err);
/** Positions and velocities alone: nothing is factored where they are on the constraints already. */
tml_status tmli_consistent_project_motion(tmli_consistent *c, tml_state *x, tml_error *err);
/** d (n) with B d = y (m), least in mass; uses the last factorization. */
void tmli_consistent_constrain(tmli_consistent *c, const double *y, double *d);
/** udot and lambda of x only (factors the matrix). */
tml_status tmli_consistent_accelerations(tmli_consistent *c, tml_state *x, tml_error *err);
/** Largest residuals of position [model lengths or rad] and velocity level [the same per s]; rows may be
 * NULL. */
tml_status tmli_consistent_residuals(tmli_consistent *c, const tml_state *x, double *position,
                                     double *velocity, int *position_row, int *velocity_row, tml_error *err);

#endif
