// Static equilibrium of a system: a configuration q, multipliers lambda and first-order states z in which it
// can rest.
//   R(q, lambda) = B'lambda - f(q, 0, z, t) = 0,   Phi(q, t) = 0,   zdot = 0                             (1)
//
// Loads are applied in steps. With R0 = R at the start, without multipliers, the path
//   R(q, lambda) = (1 - s) R0,   Phi = 0,    s = 0 .. 1                                                  (2)
// begins at the start itself. If the start is free of stress and the loads are dead, s is the load factor.
// The path is followed by pseudo-arclength continuation, which passes limit points, where s has an extreme.
//
// A mechanism that only loads hold has no stiffness at the start: (2) does not begin. Then equilibrium is
// found by relaxation, implicit steps of "mass times velocity = force" that grow as the forces vanish; it
// leads to stable equilibria.
#ifndef TMLI_ANALYSIS_STATICS_EQUILIBRIUM_H
#define TMLI_ANALYSIS_STATICS_EQUILIBRIUM_H

#include "analysis/statics/spin.h"
#include "base/base.h"
#include <trammel/system.h>

enum { TMLI_LIMIT_LOADS = 8 };  // that are kept

typedef struct tmli_equilibrium {
    int steps;                            // load steps, or steps of the relaxation
    int iterations;                       // corrections of Newton's method, in all
    int limit_points;                     // extremes of s that were passed
    double limit_load[TMLI_LIMIT_LOADS];  // s of the first of them
    bool relaxed;                         // found by relaxation
    bool neutral;                         // some motion changes no force: one equilibrium of many
    double residual;                      // largest force that is not balanced, over the largest force
    double moved;  // largest change of a coordinate from the start [model lengths, rad]
} tmli_equilibrium;

/** Called after each load step with its s and configuration; may be NULL. */
typedef void tmli_equilibrium_step(double s, const tml_state *x, void *user);

/** Move x (assembled, at rest or not) to an equilibrium. spin NULL: at rest, u and udot become 0 but for
 * first-order states; else an equilibrium of steady rotation, with its u and udot. It begins with the
 * multipliers of x then: they hold what centrifugal forces, which are there from the first step on, push
 * outwards. TML_ERR_STEP: none was found; x is the last one of the path. */
tml_status tmli_equilibrium_find(const tml_system *sys, tml_state *x, const tmli_spin *spin,
                                 tmli_equilibrium_step *on_step, void *user, tmli_equilibrium *out,
                                 tml_error *err);

#endif
