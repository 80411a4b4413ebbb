// Thresholds of the step loop and of the error weights; base/constants.h says how they are declared.
#ifndef TMLI_INTEGRATE_CORE_CONSTANTS_H
#define TMLI_INTEGRATE_CORE_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "integrate/core/tolerances.h"

// ---- step loop (driver.c) ---------------------------------------------------------------------------------

// [-] Errors of rejected steps that fall below this share of the first one count as decreasing with the step
// size.
// Origin: chosen by trial on the bundled models; it selects only the advice of the final error message.
#define DECREASED_ERROR TMLI_SMALL_SHARE

// ---- controller (step_control.c) --------------------------------------------------------------------------

// [-] Growth g of the error from which step_control.h (7) applies.
// Origin: bundled models; errors of steady motion change by up to five from one long step to the next.
TMLI_CONSTANT(ANTICIPATED_GROWTH, 8)

// [-] Exponent a of the growth in step_control.h (7).
// Origin: bench/accuracy/tuning; 1 for a growth that stays, more on the way into a peak, where it grows, too.
TMLI_CONSTANT(ANTICIPATION, 1.3)

// [-] Growth of the limit step_control.h (5) with every accepted step.
// Origin: it doubles in 14 steps, so that at most one step in ten fails where the limit is what decides.
TMLI_GROWTH(LIMIT_RELEASE, 1.05)

// ---- error weights (error_weights.c) ----------------------------------------------------------------------

// [-] Multipliers are judged by at least this share of the largest one of all rows.
// Origin: chosen by trial on the bundled models; without it rows that carry no load decide the step.
#define LEAST_MULTIPLIER TMLI_SLIGHT_SHARE

// [-] Accelerations above this many times their mean since the start, and speeds above this many times their
// mean, are a peak, too short to give the velocities a scale.
// Origin: those of the bundled models stay below; where a mechanism passes a nearly singular mass matrix they
// are a hundred times the mean.
#define PEAK_OVER_MEAN TMLI_FOURFOLD

// [-] The time in which the mean speed forgets earlier ones, as a share of the run. A speed that is kept for
// more than 0.29 times this counts in full.
// Origin: the bundled models take the same steps with it, and it is ten times the peaks of light carts below
// their poles, whose errors it brings down from hundreds of tolerances to ten.
TMLI_SHARE(LASTING_SHARE, 0.015)

// [units, units/s] Allowed error of what is not judged: velocities of massless coordinates, and
// configurations of first-order states. None is ever rejected.
// Origin: any number far above all values whose square does not overflow.
#define UNJUDGED_ERROR TMLI_UNBOUNDED

// [-] Units in the last place of its own velocity that a step may add to the error of a velocity.
// Origin: docs/decisions/0001; runs at 1e-9 are not stopped by round-off.
#define OWN_VELOCITY_ULPS TMLI_ULPS

// [-] The same in units of the velocity that the fastest part of the model can pass on.
// Origin: docs/decisions/0001.
TMLI_CONSTANT(FASTEST_VELOCITY_ULPS, 2)

// [-] The same in units of the round-off of positions that the least feedback lets in, over h.
// Origin: docs/decisions/0001.
#define FEEDBACK_ULPS OWN_VELOCITY_ULPS

// [-] Units in the last place of positions, over h, that velocities across the constraints may be off by.
// Origin: docs/decisions/0001, as above.
#define ACROSS_ULPS OWN_VELOCITY_ULPS

// [-] Error of a first-order state that the Newton iteration may leave, in units in the last place: at
// tighter tolerances corrections are measured finer than the tolerance asks for, so that they are not taken
// for the round-off of positions.
// Origin: a hundred times TMLI_NEWTON_ROUNDOFF, from which on rates of contraction are measured.
TMLI_CONSTANT(JUDGED_STATE_ULPS, 6400)

// [lengths] Largest error that the Newton iteration may leave, whatever the tolerance.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(NEWTON_LARGEST_ERROR, 1e-8)

// [lengths] The same without error control, at steps as long as the motion allows.
// Origin: round-off for practical purposes; chosen by trial on the bundled models.
TMLI_CONSTANT(NEWTON_FIXED_STEP_ERROR, 3e-9)

// ---- vibrations (vibrations.c) ----------------------------------------------------------------------------

// [-] Share of the time scale of the motion on which velocities are judged, vibrations.h (2).
// Origin: what moves at the rate of the motion keeps 0.92 of its error, at five times that a quarter.
TMLI_SHARE(TIME_SCALE_SHARE, 0.2)

// [-] Share of the energy of a part that goes a length of the model in the run, vibrations.h (6), which every
// part counts as having; for the time scale of the motion the same share of that.
// Origin: small beside 1. With 1, steps damp vibrations at the start of a motor (test_crank of
// tests/cli/test_vibrations.py) until its torque errs by twice as much, and in a run of twice the period of a
// bar's first vibration that would not be on the time scale of the motion.
#define STILL_SHARE TMLI_SMALL_SHARE

// [-] Share of what is left of the energy that a run may lose, vibrations.h (5), that one step may take.
// Origin: what is struck sheds its fastest vibrations within some ten steps.
#define LOSS_OF_REST TMLI_SMALL_SHARE

// ---- states of outputs (relax.c) --------------------------------------------------------------------------

// [-] Share of a step within which motions are not resolved.
// Origin: the real eigenvalue of the Radau method of order 5, 1/3.64.
#define UNRESOLVED_SHARE TMLI_MODERATE_SHARE

// [-] Forces of unresolved motions over those of inertia or the weight below which an output is as good as it
// is.
// Origin: errors of forces at the default tolerance. Rows of models/hmmwv.yaml have 2e-4 and cost three times
// as much if they are relaxed.
#define LEAST_RELAXED TMLI_NEGLIGIBLE_SHARE

// [-] The same where a state is relaxed.
// Origin: light nodes of beams show little in these forces; models/beam_crank.yaml has angular accelerations
// of them of six times their size with the limit above.
#define RELAXED (TMLI_SLIGHT_SHARE * TMLI_NEGLIGIBLE_SHARE)

// [-] Largest displacement over the tolerance of positions that takes unresolved motions out of an output.
// Origin: dense output of a step that follows much shorter ones can be off by 60 tolerances; larger
// displacements are not small.
#define LARGEST_RELAXED (1 / TMLI_NEGLIGIBLE_SHARE)

// [-] Times that accelerations of an output are found anew, at most, and time scales for which this is tried.
// Origin: with the matrix of the state twice is enough.
#define RELAXATIONS TMLI_FEW

#endif
