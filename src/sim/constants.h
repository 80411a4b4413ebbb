// Thresholds of the simulation; see base/constants.h.
#ifndef TMLI_SIM_CONSTANTS_H
#define TMLI_SIM_CONSTANTS_H

#include "base/constants.h"

// ---- start (create.c) -------------------------------------------------------------------------------------

// [-] Spectral radius at infinity above which a method of the alpha family counts as undamped: it is refused
// for motions without inertia.
// Origin: a matter of judgement: a disturbance decays to a tenth in 22 steps.
TMLI_SHARE(UNDAMPED, 0.9)

// [model lengths or rad] Way from the start of a coordinate to that of its driver, and of a body with a joint
// placed in space to where the assembly moves it, from which a warning tells it.
// Origin: starts are given with three digits or more.
TMLI_CONSTANT(DRIVER_GAP, 1e-3)

// ---- channels (channels.c) --------------------------------------------------------------------------------

// Pairs of a contact up to which their contact forces are among the channels that a file has by default; as
// many as the model has bodies are in any case. Origin: a body in a box has six; each pair has nine channels,
// half as many as a body.
TMLI_COUNT(CONTACTS_BY_DEFAULT, 6)

// ---- progress (explain.c) ---------------------------------------------------------------------------------

// [-] Steps from one check of the progress of a run to the next.
// Origin: a second or less; impacts and starts take fewer steps.
TMLI_COUNT(WATCHED_STEPS, 500)

// [-] Consecutive progress checks with short steps before `auto` gives up its explicit method, and before a
// warning gives the cause of a long run.
// Origin: impacts and starts of methods of order 2 take some thousand short steps.
TMLI_COUNT(SLOW_CHECKS_BEFORE_CHANGE, 1)

// [-] Mean step between two progress checks over that of the run before, below which the steps of an implicit
// method have collapsed and `auto` gives it up, if it would take at least as many steps again.
// Origin: below what events take: at impacts and dead points that methods pass, steps as short as this are a
// hundred or two; of random mechanisms whose runs did not recover they fell to 5e-4 and 1e-5.
TMLI_SHARE(COLLAPSED_STEP, 1e-3)

// [-] See SLOW_CHECKS_BEFORE_CHANGE.
// Origin: the same.
TMLI_COUNT(SLOW_CHECKS_BEFORE_WARNING, 40)

// [-] Steps to the end of the run, at the mean size of the last ones, from which on a run counts as too long.
// Origin: a matter of judgement: minutes to hours. Methods of order 2 take less at all sensible tolerances.
TMLI_CONSTANT(MANY_STEPS, 3e6)

// [-] The same where each period of a vibration takes many of these steps: it should be known soon that the
// vibration makes the run long.
// Origin: a thirtieth; a minute with the implicit methods and a dozen bodies.
TMLI_CONSTANT(MANY_STEPS_OF_VIBRATION, 1e5)

// [-] Steps to the end of the run at which it is ended, if a motion without bound explains them.
// Origin: hours to days; a thousand times a step loop that is merely long.
TMLI_CONSTANT(HOPELESS_STEPS, 1e9)

// [-] Consecutive progress checks with hopelessly short steps after which a run ends for which no other cause
// is found.
// Origin: 50,000 steps that advance by 5e-5 of the run or less; what methods pass takes some hundred.
TMLI_COUNT(HOPELESS_CHECKS, 100)

// [model lengths or rad] Motion in a step below which a run that is hopelessly long stands still.
// Origin: far below the 1e-6 of steps that follow the vibrations of light bodies.
TMLI_CONSTANT(STANDING_MOTION, 1e-9)

// [model lengths or rad] Motion during the run so far, at the present velocity, that no machine makes.
// Origin: wheels of vehicles turn 1e5 rad in an hour; growing motions reach 1e9 where steps become short.
TMLI_CONSTANT(RUNAWAY_MOTION, 1e9)

// [-] Distance of the power in the middle of a step from the mean of those at its ends, over the larger of
// these, up to which Simpson's rule is enough for the work.
// Origin: the next term is about its square, 1e-5 of the work of the step.
TMLI_CONSTANT(BENT_POWER, 3e-3)

// [-] Distance from a switch at which the power before it is evaluated, over the part of the step. Origin:
// the root of round-off and some more, so that a slip has its direction there; powers change by no more.
TMLI_CONSTANT(BEFORE_SWITCH, 1e-7)

// [rad] Phase of a vibration in one step from which on it explains the step.
// Origin: methods of order 2 at 1e-6 take steps of a hundredth of the period.
TMLI_CONSTANT(EXPLAINED_STEP, 1e-3)

// [rad] The same from which on a period takes so few steps that nothing but the vibration can ask for them.
// Origin: 126 steps for a period; methods of order 5 and more take 10 to 60 at usual tolerances.
TMLI_CONSTANT(FOLLOWED_STEP, 0.05)

// ---- choice of the method (choose.c) ----------------------------------------------------------------------

// [-] Coordinates up to which the rates come from eigenvalues; beyond, from diagonals of mass, damping,
// stiffness.
// Origin: the dense eigenvalue problem of this size takes about 10 ms; that of 150 coordinates takes 50 ms,
// as long as a run of a beam.
TMLI_COUNT(SPECTRUM_COORDINATES, 80)

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

// ---- energy balance (power.c) -----------------------------------------------------------------------------

// [-] The energies are looked at after every step up to this number, and after every so many steps beyond it.
// Origin: few long steps need all of them; of many short ones each eighth shows the largest energy.
TMLI_COUNT(EVERY_STEP_UP_TO, 64)
TMLI_COUNT(STEPS_BETWEEN, 8)

// ---- location of discontinuities (discontinuities.c) ------------------------------------------------------

// [-] A step in which a discontinuity lies is made again unless the discontinuity is within this share of its
// end, so that it ends behind by the square of this share of the old step; by the share itself, if it is then
// missed.
// Origin: states within a Radau step have an error that falls with the square of the distance from its end.
// The square must be above the error of the first location, up to 3e-4 of a step in models/friction_arm.yaml.
TMLI_CONSTANT(REDO_MARGIN, 0.03)

// ---- impulses (discontinuities.c) -------------------------------------------------------------------------

// [-] Impulses of which the report keeps time and size; further ones are counted.
// Origin: what a reader takes in.
TMLI_COUNT(MAX_IMPULSES, 16)

// ---- forces that change with time (create.c) --------------------------------------------------------------

// [-] Times of a run at which they are sampled, at least (integrate/events/time_probe.h).
// Origin: the number of outputs of a run that does not say otherwise.
TMLI_CONSTANT(LEAST_PROBES, 500)

// ---- outputs (run.c) --------------------------------------------------------------------------------------

// Difference of two times over the output step below which they are the same output time: k times the output
// step has the round-off k DBL_EPSILON, for up to some million outputs.
#define OUTPUT_TIME_SLACK (4e6 * DBL_EPSILON)

// ---- end of a run (run.c) ---------------------------------------------------------------------------------

// [-] Largest residual of positions over the tolerance, in model lengths or rad: above it a run is refused.
// Origin: methods keep it far below the tolerance; 10 is what an estimate of the error may be off.
TMLI_GROWTH(GROSS_RESIDUAL, 10)

// [-] The same in runs that passed singular configurations.
// Origin: rows that are left out there stay closed by themselves where the motion is the smooth branch.
TMLI_GROWTH(SINGULAR_RESIDUAL, 1)

// [-] Error of the energy balance over the largest term above which a run that passed singular configurations
// is refused: it may have left its branch there.
// Origin: a matter of judgement; numerical damping at loose tolerances takes less from motions without fast
// vibrations.
TMLI_SHARE(GROSS_ENERGY_ERROR, 0.3)

// ---- saved simulations (save.c) ---------------------------------------------------------------------------

// [-] Forces and masses at the saved state that differ by more than this, over the largest of their kind,
// are those of another model.
// Origin: far above what another compiler changes by round-off, where large forces cancel, and far below any
// deliberate change of a parameter.
TMLI_CONSTANT(SAME_EQUATIONS, 1e-6)

// ---- why a run has stopped (explain.c) --------------------------------------------------------------------

// [-] Share of the run within which a velocity changes by its own size that is said to change suddenly.
// Origin: at the smallest step it does so within 1e-12 of the run with bdf and 1e-8 with genalpha.
TMLI_CONSTANT(SUDDEN_SPAN, 1e-6)

// [-] The same where steps have become hopelessly short without reaching the smallest one, and of states.
// Origin: Newton's method fails at 1e-5 of the run before a massless slider would be infinitely far away.
TMLI_CONSTANT(COLLAPSE_SPAN, 1e-3)

// [model lengths or rad] Motion that a velocity without bound would make during the run, at least; an
// undetermined acceleration its square.
// Origin: more than machines move, and far less than the 1e6 seen at the ends of such runs.
TMLI_CONSTANT(SUDDEN_MOTION, 1e3)

// ---- forces that grow without bound (expressions.c) ------------------------------------------------------

// Distances from a pole at which its expression is evaluated, each a tenth of the one before. Sizes an array.
// Origin: two ratios of differences: a smooth function, or one with a corner, does not keep its growth.
enum { POLE_DISTANCES = 4 };

// [-] The first of them, over the step in which the pole is.
// Origin: within a tenth of a step motions are straight, and expressions other than the pole smooth.
TMLI_SHARE(POLE_DISTANCE, 0.1)

// [-] Least step for this, over the run: steps collapse at a pole.
// Origin: the least distance is then 1e-10 of the run, where times and positions still have six digits.
TMLI_CONSTANT(POLE_SPAN, 1e-6)

// [-] Order from which on the integral of a pole does not exist, less the error of the order found.
// Origin: the order is 1; a second order of the divisor changes it by some 1e-3 at a tenth of a step.
TMLI_CONSTANT(POLE_ORDER, 0.97)

// [-] Growth over the last tenth of the distance, over the value, below which the pole has no effect.
// Origin: round-off of the quotient of two small numbers is 1e-6 of it at the least distance.
TMLI_CONSTANT(POLE_SHARE, 1e-3)

// ---- events (events.c) ------------------------------------------------------------------------------------

// [-] Parts into which a step is divided to look for events.
// Origin: a polynomial of degree 5, as of the dense output, has at most this number of extremes.
TMLI_COUNT(EVENT_PARTS, 4)

// [rad] Rotation of the fastest body per further part.
// Origin: a fifth of the half turn after which the sine of an angle changes its sign.
TMLI_CONSTANT(EVENT_ROTATION, 0.6)

// [-] Further parts, at most.
// Origin: an evaluation costs a tenth of a step of the cheapest method.
TMLI_COUNT(MAX_EVENT_PARTS, 200)

// [-] A part is halved if the second difference of the event function exceeds this times its smallest value.
// Origin: a parabola that crosses zero twice between two of the three values exceeds 8; a fourth of it,
// because event functions are no parabolas.
TMLI_CONSTANT(EVENT_CURVATURE, 2)

// [-] How often a part is halved, at most.
// Origin: a function that crosses zero and returns within 1/64 of a step is not smooth over the step.
TMLI_COUNT(EVENT_DIVISIONS, 4)

#endif
