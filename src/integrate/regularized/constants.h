// Thresholds of the regularized methods; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_REGULARIZED_CONSTANTS_H
#define TMLI_INTEGRATE_REGULARIZED_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "integrate/core/step_control.h"
#include "integrate/core/tolerances.h"

// ---- feedback gamma (regularized.c) -----------------------------------------------------------------------

// [-] gamma over the rate of the motion. Larger: the equations are of index 3 for IDA, and its steps
// collapse from gamma h = 3 on. Smaller: positions drift.
// Origin: docs/theory/regularization.md; a tenth of the time in which the motion changes.
TMLI_CONSTANT(GAMMA_OVER_RATE, 10)

// [-] gamma follows the rate of the motion when that has grown by this factor.
// Origin: chosen by trial; gamma has no effect on the exact solution, so a change does not disturb IDA's
// history.
#define GAMMA_GROWTH TMLI_CHANGED

// ---- regularization parameter epsilon (regularized.c, epsilon.c) ------------------------------------------

// [-] Largest epsilon of the direct regularization, over the tolerance.
// Origin: it fails at singular configurations from 1e-8 on with usual tolerances
// (models/singular_slider_crank.yaml).
TMLI_CONSTANT(LARGEST_EPSILON_DIRECT, 1e-2)

// [-] Largest epsilon of the trust region, over the tolerance. Larger values leave the constraints of a
// driven mechanism in its singular configuration for longer than needed.
// Origin: it passes singular configurations with 1e-14.
TMLI_CONSTANT(LARGEST_EPSILON_TRUST_REGION, 1e-8)

// [-] The largest epsilon is not below this.
// Origin: some hundred units in the last place of numbers of the order 1.
#define LEAST_EPSILON TMLI_SUM_ROUNDOFF

// [-] Share of the allowed error of positions by which regularized constraints may displace the motion.
// Origin: docs/theory/regularization.md; chosen by trial on the bundled models.
TMLI_SHARE(DISPLACEMENT_SHARE, 0.005)

// [lengths or rad] Distance between two evaluations of the displacement.
// Origin: docs/theory/regularization.md; a singular configuration then affects one of them only.
TMLI_CONSTANT(EVALUATION_DISTANCE, 0.2)

// [-] Growth of the largest multiplier that asks for an evaluation where the motion is slow.
// Origin: docs/theory/regularization.md.
#define LOAD_GROWTH TMLI_CHANGED

// [-] Growth of the largest multiplier since an evaluation from which on epsilon falls with it at once.
// Origin: reactions of a light link that whips round grow by a factor of 1e5; before a singular configuration
// they grow a few times, and the constraint monitor has to see what epsilon leaves there.
#define LOAD_SURGE TMLI_TENFOLD

// [-] At a start velocities below this times the rate of the motion count as rest: accelerations give the
// direction.
// Origin: chosen by trial on the bundled models.
#define REST_SPEED TMLI_NEGLIGIBLE_SHARE

// [-] epsilon is changed if it is above this times its choice: a change is a small jump for the method.
// Origin: chosen by trial on the bundled models.
#define EPSILON_TOO_LARGE TMLI_CHANGED

// [-] epsilon is changed if it is below its choice over this.
// Origin: chosen by trial on the bundled models.
TMLI_GROWTH(EPSILON_TOO_SMALL, 20)

// ---- steps of IDA (regularized.c) -------------------------------------------------------------------------

// [-] Allowed errors of IDA's root mean square over N unknowns: this over sqrt(N) of those of the other
// methods.
// Origin: comes close to a largest value, and leaves the errors of runs below the tolerance.
TMLI_CONSTANT(RMS_SHARE, 6)

// [-] Allowed error of unknowns that are not judged.
#define UNJUDGED_ERROR TMLI_UNBOUNDED

// [-] Steps of IDA over which its progress is measured.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(PROGRESS_STEPS, 3000)

// [-] The run is stopped if these steps advance by less than this over the rate of the motion: where
// constraints lose rank IDA can continue forever with vanishing steps.
// Origin: chosen by trial on the bundled models.
#define LEAST_PROGRESS TMLI_SLIGHT_SHARE

// [-] The first step is at most this share of the run.
#define FIRST_STEP_OF_RUN TMLI_NEGLIGIBLE_SHARE

// [-] Step, as a share of the run, at which the allowed error of the first step is evaluated.
// Origin: any small number: the allowed error per unit step depends on h only through round-off.
#define FIRST_STEP_PROBE TMLI_SHORTEST_BUDGET

// [-] First step over the step whose error would be the allowed one.
#define FIRST_STEP_SHARE TMLI_EVEN_SHARE

// [-] Least acceleration of the first step's jerk, over that of a motion of the model's length at its rate.
#define FIRST_STEP_LEAST_ACCELERATION TMLI_NEGLIGIBLE_SHARE

// [-] Times that differ by less than this many units in the last place are the same.
// Origin: round-off of t + h.
#define SAME_TIME_ULPS TMLI_ULPS

#endif
