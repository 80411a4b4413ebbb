// Thresholds of the simulation; see base/constants.h.
#ifndef TMLI_SIM_CONSTANTS_H
#define TMLI_SIM_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// ---- start (create.c) -------------------------------------------------------------------------------------

// [-] Spectral radius at infinity above which a method of the alpha family counts as undamped: it is refused
// for motions without inertia.
// Origin: a matter of judgement: a disturbance decays to a tenth in 22 steps.
#define UNDAMPED (1 - TMLI_SMALL_SHARE)

// ---- energy balance (power.c) -----------------------------------------------------------------------------

// [-] Distance of the power in the middle of a step from the mean of those at its ends, over the larger of
// these, up to which Simpson's rule is enough for the work.
// Origin: the next term is about its square, 1e-5 of the work of the step.
TMLI_CONSTANT(BENT_POWER, 3e-3)

// [-] Distance from a switch at which the power before it is evaluated, over the part of the step. Origin:
// the root of round-off and some more, so that a slip has its direction there; powers change by no more.
#define BEFORE_SWITCH TMLI_ABOVE_ROOT_ROUNDOFF

// [-] The energies are looked at after every step up to this number, and after every so many steps beyond it.
// Origin: few long steps need all of them; of many short ones each eighth shows the largest energy.
TMLI_COUNT(EVERY_STEP_UP_TO, 64)
TMLI_COUNT(STEPS_BETWEEN, 8)

// ---- choice of the method (choose.c) ----------------------------------------------------------------------

// [-] Coordinates up to which the rates come from eigenvalues; beyond, from diagonals of mass, damping,
// stiffness.
// Origin: the dense eigenvalue problem of this size takes about 10 ms; that of 150 coordinates takes 50 ms,
// as long as a run of a beam.
TMLI_COUNT(SPECTRUM_COORDINATES, 80)

// [-] Coordinates of bodies up to which rolling is left to an explicit method, whose evaluations solve for
// dependent coordinates.
// Origin: trains of carts on knife edges: at equal error erk8 takes 0.5 of the time of bdf with 6
// coordinates, 0.7 with 24 and 1.7 with 72.
TMLI_COUNT(ROLLING_COORDINATES, 40)

// [-] Coordinates from which on the diagonals are looked at before the eigenvalues: a weakly damped vibration
// that they show decides.
// Origin: by their cube, from 240 million instructions at 78 coordinates, the eigenvalues of this size take 4
// million, as the rest of a creation does.
TMLI_COUNT(DIAGONAL_COORDINATES, 20)

// [-] Bodies in a chain up to which implicit methods get joint coordinates.
// Origin: chosen by trial on the bundled models; in docs/methods.md chains of 5 bodies are faster on joints,
// of 50 on bodies.
TMLI_COUNT(JOINT_SPACE_DEPTH, 16)

// [-] Solves in a step of bdf on the coordinates of the bodies.
// Origin: counted on strips and nets of loops at 1e-3: 2.5 iterations, and as many solves for the error of
// the step and of the next one.
TMLI_CONSTANT(SOLVES_PER_STEP, 5)

// [-] Factorizations in such a step.
// Origin: the same; 0.1 at 1e-5.
TMLI_CONSTANT(FACTORS_PER_STEP, 0.3)

// [-] Solves with the factors in one that is refined, as it is in a free order (linalg/block/shifted.c).
// Origin: the same.
TMLI_CONSTANT(REFINED_SOLVES, 3.4)

// [-] Evaluations of accelerations that adams makes in joint coordinates in the time of such a step.
// Origin: two in a step, and 0.65 times as many steps, at 1e-3 and 1e-5 on nets, strips and ladders
// (docs/performance.md).
TMLI_CONSTANT(EVALUATIONS_PER_STEP, 1.3)

// [-] Smallest relative inertia of a joint coordinate (joint_space.h) for which implicit methods get joint
// coordinates. Where light bodies carry heavy ones, small errors of the light ones move the heavy ones:
// Newton's method converges only for corrections of this size, and steps collapse.
// Origin: below that of a straight chain of JOINT_SPACE_DEPTH equal rods.
TMLI_CONSTANT(LEAST_INERTIA, 1e-5)

// [-] Periods within the run from which on a vibration counts.
// Origin: fewer periods are followed by a few hundred steps anyway; chosen by trial on the bundled models.
TMLI_CONSTANT(VIBRATION_PERIODS, 50)

// [-] Damping ratio below which a vibration counts as weakly damped.
// Origin: orders 3 to 5 of bdf are unstable close to the imaginary axis; chosen by trial.
TMLI_SHARE(VIBRATION_DAMPING, 0.2)

// [-] Fastest rate over the rate of the motion from which on a model counts as stiff for the choice of the
// method: stability, not accuracy, limits explicit steps so far that implicit steps are cheaper. A vibration
// that is slower than that belongs to the motion.
// Origin: chosen by trial on the bundled models (docs/methods.md).
TMLI_CONSTANT(STIFF_FOR_EXPLICIT, 20)

// [-] Tolerance above which planar loops get the one-step method: it has no start-up at low order.
// Origin: scripts/cost-ratio (docs/methods.md); both cost the same at errors of some 1e-5.
TMLI_CONSTANT(LOOSE_TOLERANCE, 1e-3)

// ---- location of discontinuities (discontinuities.c) ------------------------------------------------------

// [-] A step in which a discontinuity lies is made again unless the discontinuity is within this share of its
// end, so that it ends behind by the square of this share of the old step; by the share itself, if it is then
// missed.
// Origin: states within a Radau step have an error that falls with the square of the distance from its end.
// The square must be above the error of the first location, up to 3e-4 of a step in models/friction_arm.yaml.
TMLI_CONSTANT(REDO_MARGIN, 0.03)

// [-] After two such steps, if they contradict each other, they end at this share of the way to where they
// locate it.
// Origin: any share; a quarter passes what settles in a thousandth of a step in five steps.
TMLI_CONSTANT(REDO_SHARE, 0.25)

// Steps that are made again for one discontinuity.
// Origin: what settles within 1e-6 of a step.
TMLI_COUNT(MAX_REDONE, 12)

// ---- impulses (discontinuities.c) -------------------------------------------------------------------------

// [-] Impulses of which the report keeps time and size; further ones are counted.
// Origin: what a reader takes in.
TMLI_COUNT(MAX_IMPULSES, 16)

// ---- forces that change with time (create.c) --------------------------------------------------------------

// [-] Times of a run at which they are sampled, at least (integrate/events/time_probe.h).
// Origin: the number of outputs of a run that does not say otherwise.
#define LEAST_PROBES TMLI_RUN_OUTPUTS

// ---- outputs (run.c) --------------------------------------------------------------------------------------

// Difference of two times over the output step below which they are the same output time: k times the output
// step has the round-off k DBL_EPSILON, for up to some million outputs.
#define OUTPUT_TIME_SLACK (4e6 * DBL_EPSILON)

// ---- end of a run (run.c) ---------------------------------------------------------------------------------

// [-] Largest residual of positions over the tolerance, in model lengths or rad: above it a run is refused.
// Origin: methods keep it far below the tolerance; 10 is what an estimate of the error may be off.
#define GROSS_RESIDUAL TMLI_TENFOLD

// [-] Error of the energy balance over the largest term above which a run that passed singular configurations
// is refused: it may have left its branch there.
// Origin: a matter of judgement; numerical damping at loose tolerances takes less from motions without fast
// vibrations.
#define GROSS_ENERGY_ERROR TMLI_MODERATE_SHARE

// ---- saved simulations (save.c) ---------------------------------------------------------------------------

// [-] Forces and masses at the saved state that differ by more than this, over the largest of their kind,
// are those of another model.
// Origin: far above what another compiler changes by round-off, where large forces cancel, and far below any
// deliberate change of a parameter.
#define SAME_EQUATIONS TMLI_INPUT_ERROR

// ---- events (events.c) ------------------------------------------------------------------------------------

// [rad] Rotation of the fastest body per further part.
// Origin: a fifth of the half turn after which the sine of an angle changes its sign.
TMLI_CONSTANT(EVENT_ROTATION, 0.6)

// [-] Further parts, at most.
// Origin: an evaluation costs a tenth of a step of the cheapest method.
TMLI_COUNT(MAX_EVENT_PARTS, 200)

// [-] A part is halved if the second difference of the event function exceeds this times its smallest value.
// Origin: a parabola that crosses zero twice between two of the three values exceeds 8; a fourth of it,
// because event functions are no parabolas.
#define EVENT_CURVATURE TMLI_TWOFOLD

// [-] How often a part is halved, at most.
// Origin: a function that crosses zero and returns within 1/64 of a step is not smooth over the step.
#define EVENT_DIVISIONS TMLI_FEW

// [-] Share of a guessed model length that bodies travel at least, or a warning tells it.
// Origin: an allowed error of the length is ten times as much of the travel, a digit less than asked for.
#define LEAST_TRAVEL TMLI_SMALL_SHARE

// [-] Travel of bodies that turn, over model length and turn, below which it does not matter.
// Origin: centres on the axis of their joint move by the errors of its rows, far less than the tolerance.
#define LEAST_TRAVEL_PER_TURN TMLI_NEGLIGIBLE_SHARE

#endif
