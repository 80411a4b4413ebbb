// Consistent states: positions and velocities projected onto the constraints, accelerations and multipliers
// from them.
//
// All three solve M x + B' y = a, B x = c (consistency/index1.h):
//   positions   a = 0, c = -Phi        x: increment of q
//   velocities  a = 0, c = nu - B u    x: increment of u
//   dynamics    a = f, c = gamma       x = udot, y = lambda
// Rows at velocity level have c = 0 in the first: positions move along them.
#ifndef TMLI_CONSISTENCY_CONSISTENT_H
#define TMLI_CONSISTENCY_CONSISTENT_H

#include "base/base.h"
#include "consistency/index1.h"
#include "consistency/redundant_rows.h"
#include "system/state/inactive.h"
#include <trammel/integrator.h>
#include <trammel/system.h>

typedef struct tmli_consistent {
    const tml_system *sys;  // redundant.system if redundant rows are allowed
    tmli_index1 matrix;
    tmli_redundant_rows redundant;  // redundant.base NULL: dependent rows are an error
    bool searched;                  // redundant rows were searched for
    bool *always_inactive;          // (m) rows that are redundant at every configuration
    int inactive_count;             // of the last state
    bool near_singular;             // it is near a singular configuration, and more rows are inactive
    double gap;                     // of inactive rows at the last search, in row units
    double gap_start;               // the same at the start; NAN: unknown
    double *d;                      // (n)
    double *phi;                    // (m)
    tml_state *initial;             // state before a projection
} tmli_consistent;

tml_status tmli_consistent_create(const tml_system *sys, const tml_linsolver_ops *solver, tmli_consistent *c,
                                  tml_error *err);
/** The same with the memory of `shared` (may be NULL), see tmli_index1_create_shared. */
tml_status tmli_consistent_create_shared(const tml_system *sys, const tml_linsolver_ops *solver,
                                         const tmli_consistent *shared, tmli_consistent *c, tml_error *err);
/** One that allows redundant rows: they are inactive, with multipliers 0. Near a singular configuration rows
 * that depend on others only there are inactive too, and a projection keeps accelerations and multipliers of
 * the state. The states given to it get their inactive rows from it. */
tml_status tmli_consistent_create_redundant(const tml_system *sys, const tml_linsolver_ops *solver,
                                            tmli_consistent *c, tml_error *err);
void tmli_consistent_clear(tmli_consistent *c);

/** Redundant rows (m); NULL: not searched for yet. */
static inline const bool *tmli_consistent_redundant(const tmli_consistent *c)
{
    return c->searched ? c->always_inactive : NULL;
}
/** Number of inactive rows of the last state, among them those of a singular configuration. */
static inline int tmli_consistent_inactive_count(const tmli_consistent *c) { return c->inactive_count; }
/** The redundant rows (m) at x are known; the first search is omitted. NULL: no effect. */
tml_status tmli_consistent_set_known(tmli_consistent *c, tml_state *x, const bool *redundant, tml_error *err);
/** Factor the matrix at x. TML_ERR_SINGULAR: constraints are dependent, or a massless body can move freely.
 */
tml_status tmli_consistent_factor(tmli_consistent *c, tml_state *x, tml_error *err);
/** (n) > 0 for coordinates without mass, if a factorization has found motion that forces alone determine;
 * NULL: none. */
static inline const double *tmli_consistent_massless(const tmli_consistent *c)
{
    return c->matrix.has_massless ? c->matrix.proximal_mass : NULL;
}
/** Other rows are in force from now on (modes of a state): which are redundant is searched for again. */
void tmli_consistent_rows_changed(tmli_consistent *c);
/** Project a nearly consistent x onto the constraints in mass-weighted least change, then compute udot and
 * lambda. Positions and velocities that satisfy the constraints to round-off do not change. */
tml_status tmli_consistent_project(tmli_consistent *c, tml_state *x, tml_error *err);
/** Positions and velocities only. Nothing is factored if they satisfy the constraints already. */
tml_status tmli_consistent_project_motion(tmli_consistent *c, tml_state *x, tml_error *err);
/** d (n) with B d = y (m) and least d' M d; uses the last factorization. */
void tmli_consistent_constrain(tmli_consistent *c, const double *y, double *d);
/** udot and lambda of x only (factors the matrix). */
tml_status tmli_consistent_accelerations(tmli_consistent *c, tml_state *x, tml_error *err);
/** Give x the inputs of `with`. dudot (n), dlambda (m): the jumps of accelerations and multipliers that they
 * cause, which are added to those of x, so that what these contain besides (errors of a method, of
 * velocities) stays as it is. */
tml_status tmli_consistent_change_inputs(tmli_consistent *c, tml_state *x, const tml_state *with,
                                         double *dudot, double *dlambda, tml_error *err);
/** The row that is open most, by `size` lengths of the model, or rad. */
typedef struct tmli_opening {
    double size;
    int row;  // -1: none
} tmli_opening;

/** Largest residuals at position level [unit of the row], with its row, and velocity level [the same per s],
 * and the largest opening (NULL: not wanted). Inactive rows count too. */
tml_status tmli_consistent_residuals(tmli_consistent *c, const tml_state *x, double *position,
                                     double *velocity, int *position_row, tmli_opening *opening,
                                     tml_error *err);
void tmli_consistent_archive(tmli_consistent *c, tml_archive *a);

#endif
