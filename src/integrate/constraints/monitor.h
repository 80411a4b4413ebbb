// Constraint monitor: a decorator that selects the active constraint rows of the inner method.
//
// The inner method integrates a system without the inactive rows of its states
// (system/active_rows/active_rows.h). The monitor decides which rows are inactive:
//   redundant  At a start, rows that depend on others, with pivots below TMLI_BUILT_TOLERANCE. Their
//              multipliers are 0. The monitor periodically checks that they are still redundant: they must
//              vanish along a vector of the null space of the active rows. Otherwise it searches again.
//   singular   Where steps fail, the monitor searches along the predicted step. At an isolated singular
//              configuration the pivots of some rows vanish linearly in time, s(t). Their multipliers may
//              grow like 1/s, but the force in the lost direction stays smooth. These rows are deactivated,
//              a force that extrapolates theirs replaces them, and they are reactivated when their pivots
//              have grown again. Only the curvature of that force is neglected.
//   lock-up    A driver can prescribe a velocity in the lost direction: nu is outside the range of B. Then no
//              motion exists beyond the singular configuration, and the run ends.
// After each change the inner method restarts from the last state, projected onto the active rows.
//
// Systems without closed loops have no monitor, nor have regularized methods with redundancy: regularize.
// Where two branches of the motion cross, the one that continues velocity and acceleration is kept;
// docs/theory/singular.md.
#ifndef TMLI_INTEGRATE_CONSTRAINTS_MONITOR_H
#define TMLI_INTEGRATE_CONSTRAINTS_MONITOR_H

#include "base/base.h"
#include <trammel/integrator.h>

/** The method `inner` on sys, with a monitor if sys has closed loops. *ops is owned by *self. */
tml_status tmli_monitor_create(const tml_method_ops *inner, const tml_system *sys,
                               const tml_integrator_options *opt, const tml_method_ops **ops, void **self,
                               tml_error *err);

#endif
