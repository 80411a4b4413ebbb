// Thresholds of the simulation; see base/constants.h.
#ifndef TMLI_SIM_CONSTANTS_H
#define TMLI_SIM_CONSTANTS_H

#include "base/constants.h"

// ---- start (create.c) -------------------------------------------------------------------------------------

// [-] Spectral radius at infinity above which a method of the alpha family counts as undamped: it is refused
// for motions without inertia.
// Origin: chosen by trial on the bundled models; at 0.9 a disturbance decays to a tenth in 22 steps.
TMLI_CONSTANT(UNDAMPED, 0.9)

// [model lengths, rad] Displacement of a body by the assembly above which a warning is logged.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(WARN_ASSEMBLY_DISPLACEMENT, 0.5)

// [-] Kinetic energy after the assembly over that of the given velocities, below which a warning is logged.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(WARN_ENERGY_RATIO, 0.5)

// [-] Smallest step over the duration of the run, unless min_step is set.
// Origin: round-off of the time.
TMLI_CONSTANT(MIN_STEP_OF_DURATION, 1e-15)

// ---- settings (settings.c) --------------------------------------------------------------------------------

// [-] Output intervals of a run without output_step.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(DEFAULT_OUTPUT_INTERVALS, 500)

// ---- choice of the method (choose.c) ----------------------------------------------------------------------

// [-] Coordinates up to which the rates come from eigenvalues; beyond, from diagonals of mass, damping,
// stiffness.
// Origin: the dense eigenvalue problem of this size takes a few milliseconds.
TMLI_COUNT(SPECTRUM_COORDINATES, 150)

// [-] Bodies in a chain up to which implicit methods get joint coordinates.
// Origin: chosen by trial on the bundled models; in docs/methods.md chains of 5 bodies are faster on joints,
// of 50 on bodies.
TMLI_COUNT(JOINT_SPACE_DEPTH, 16)

// [-] Periods within the run from which on a vibration counts.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(VIBRATION_PERIODS, 50)

// [-] Angular frequency of a vibration over the rate of the motion from which on it counts.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(VIBRATION_SPEED, 10)

// [-] Damping ratio below which a vibration counts as weakly damped.
// Origin: orders 3 to 5 of bdf are unstable close to the imaginary axis; chosen by trial.
TMLI_CONSTANT(VIBRATION_DAMPING, 0.2)

// [-] Fastest rate over the rate of the motion from which on a model counts as stiff for the choice of the
// method: stability, not accuracy, limits explicit steps so far that implicit steps are cheaper.
// Origin: chosen by trial on the bundled models (docs/methods.md).
TMLI_CONSTANT(STIFF_FOR_EXPLICIT, 20)

// ---- outputs and events (run.c, power.c) ------------------------------------------------------------------

// [-] Bisections that locate an event.
// Origin: 50 halvings reach the round-off of the time.
TMLI_COUNT(EVENT_BISECTIONS, 50)

// [-] Difference of two times over the output step below which they are the same output time.
// Origin: far above the round-off of k times the output step.
TMLI_CONSTANT(OUTPUT_TIME_SLACK, 1e-9)

// [-] Time missing up to an output over the output step that is round-off: the output keeps its nominal time.
// Origin: round-off of a sum of steps.
TMLI_CONSTANT(OUTPUT_TIME_ROUNDOFF, 1e-12)

// [-] Order of a method above which the work over a step is integrated by the formula of order 12, not 6.
// Origin: chosen by trial on the bundled models; methods of higher order take long steps.
TMLI_COUNT(FEW_NODES_ORDER, 5)

// ---- discontinuities (discontinuities.c) ------------------------------------------------------------------

// [lengths, rad] Jump of a prescribed position that is refused, over the smaller of the model's length and 1.
// Origin: far above round-off, far below a jump that is meant.
TMLI_CONSTANT(POSITION_JUMP, 1e-6)

// ---- reactions (reactions.c) ------------------------------------------------------------------------------

// [-] Contribution of a row to a reaction component, over the largest of the row, that counts as zero.
// Origin: ten times TMLI_DEPENDENT, up to which joints count as aligned.
TMLI_CONSTANT(ZERO_REACTION_WEIGHT, 1e-4)

// ---- advice (advise.c) ------------------------------------------------------------------------------------

// [-] Trial steps of a small and of a very large model.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MAX_TRIAL_STEPS, 60)
TMLI_COUNT(MIN_TRIAL_STEPS, 6)

// [-] Trial steps times unknowns, between these limits.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TRIAL_WORK, 3e5)

// [-] Unknowns up to which condition numbers are estimated.
// Origin: chosen by trial on the bundled models; the unscaled matrix needs a solver with pivoting.
TMLI_COUNT(CONDITION_UNKNOWNS, 1500)

#endif
