// Constraints that depend on each other: a method watched by one who knows which rows have an equation.
//
// The method integrates a system in which rows can be held (consistency/redundant_rows.h). Who is held is
// decided here:
//   repeated   At a start: rows that depend on others, with pivots below the tolerance of mechanisms as built. Their multipliers
//              are 0, the others carry all. Now and then it is looked whether they still depend on the rest: a vector of the null
//              space of the rows at work, does it stay in theirs? If not, the choice is made anew.
//   passed     Where steps fail, the rows are looked at along the predicted step. At an isolated singular position the pivots of
//              some vanish linearly in time, s(t). Their multipliers may grow like 1/s, but the force across that direction stays
//              smooth, and the motion goes on by its inertia. Those rows are held, with that force acting on, and come back as
//              soon as their pivots have grown again. What is neglected is the change of the force in between.
//   locked     Where a moving constraint pushes across a lost direction, nu outside the range of B, there is no motion: lock-up.
// After any change the method starts anew from the last state, brought onto the rows at work.
//
// Systems without loops are left to the method alone. Branches: at a crossing of two motions the one is kept
// that continues velocity and acceleration; docs/theory/singular.md.
#ifndef TMLI_INTEGRATE_CONSTRAINTS_MONITOR_H
#define TMLI_INTEGRATE_CONSTRAINTS_MONITOR_H

#include "base/base.h"
#include <trammel/integrator.h>

/** `inner` on sys, watched if sys has loops. *ops lives in *self and ends with it. */
tml_status tmli_monitor_create(const tml_method_ops *inner, const tml_system *sys,
                               const tml_integrator_options *opt, const tml_method_ops **ops, void **self,
                               tml_error *err);

#endif
