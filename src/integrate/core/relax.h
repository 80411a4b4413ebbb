// States of outputs without what their forces show of motions that the step does not resolve.
//
// A spring of stiffness K shows an error d of positions as the force K d, and for a stiff one an error within
// the tolerance can be larger than all forces of the motion. The accelerations a of a method that are
// differences of its velocities (tml_method_ops.smooth) do not know it. With udot the accelerations by the
// forces,
//   q := q (+) d,   u := u + b d/k,   d = (1 - S)^2 k^2 S (udot - a),   S = (M + b k Dm + k^2 K)^-1 M    (1)
// along the constraints takes from the state what its forces show of motions faster than k, a share of the
// step: of a vibration w the share (x^2/(1 + x^2))^3, x = k w; udot, found anew, is a for these. b is the
// part of dampers in v = udot - a,
//   b = k v'Dm v/(k v'Dm v + k^2 v'K v).
// d stays small, or the state remains as it is.
#ifndef TMLI_INTEGRATE_CORE_RELAX_H
#define TMLI_INTEGRATE_CORE_RELAX_H

#include "integrate/core/slow_filter.h"
#include <trammel/integrator.h>

typedef struct tmli_relaxation {
    tmli_slow_filter filter;  // sys NULL: not created
    double allowed;           // largest d [model lengths or rad]
    double weight;            // gravity over the length of the model [1/s^2]
    tml_state *given;         // scratch
    tml_state *own;           // for the caller: the state of the method
    double *inertia;          // (3 n) diagonals of M, and scratch
    bool has_inertia;         // they are known
    double *change, *d;       // (n) scratch
} tmli_relaxation;

/** gravity [m/s^2]; redundant (m): rows that depend on others, borrowed; NULL: none. */
tml_status tmli_relaxation_create(const tml_system *sys, const tml_linsolver_ops *solver,
                                  const tml_run_def *run, double gravity, const bool *redundant,
                                  tmli_relaxation *r, tml_error *err);
void tmli_relaxation_clear(tmli_relaxation *r);

/** x := projected onto the constraints, with accelerations and multipliers by the forces there; false: not
 * possible. */
typedef bool tmli_accelerate(void *context, tml_state *x);

/** x: a state within the last step, of length h [s], which `accelerate` has found of `own`, the state of the
 * method. Nothing if r has not been created. */
void tmli_relax(tmli_relaxation *r, double h, const tml_state *own, tmli_accelerate *accelerate,
                void *context, tml_state *x);
void tmli_relaxation_archive(tmli_relaxation *r, tml_archive *a);

#endif
