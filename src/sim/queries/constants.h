// Thresholds of messages and channels of a simulation; see base/constants.h.
#ifndef TMLI_SIM_QUERIES_CONSTANTS_H
#define TMLI_SIM_QUERIES_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"
#include "integrate/core/step_control.h"
#include "integrate/core/tolerances.h"

// ---- start (create.c) -------------------------------------------------------------------------------------

// [model lengths or rad] Way from the start of a coordinate to that of its driver, and of a body with a joint
// placed in space to where the assembly moves it, from which a warning tells it.
// Origin: starts are given with three digits or more.
#define DRIVER_GAP TMLI_ROUGH_INPUT_ERROR

// ---- channels (channels.c) --------------------------------------------------------------------------------

// Pairs of a contact up to which their contact forces are among the channels that a file has by default; as
// many as the model has bodies are in any case. Origin: a body in a box has six; each pair has nine channels,
// half as many as a body.
TMLI_COUNT(CONTACTS_BY_DEFAULT, 6)

// ---- progress (explain.c) ---------------------------------------------------------------------------------

// [-] Steps from one check of the progress of a run to the next.
// Origin: a second or less; impacts and starts take fewer steps.
TMLI_COUNT(WATCHED_STEPS, 500)

// [-] Mean step between two progress checks over that of the run before, below which the steps of an implicit
// method have collapsed and `auto` gives it up, if it would take at least as many steps again.
// Origin: below what events take: at impacts and dead points that methods pass, steps as short as this are a
// hundred or two; of random mechanisms whose runs did not recover they fell to 5e-4 and 1e-5.
#define COLLAPSED_STEP TMLI_NEGLIGIBLE_SHARE

// [-] Consecutive progress checks with short steps before a warning gives the cause of a long run; `auto`
// gives up its explicit method at the first.
// Origin: impacts and starts of methods of order 2 take some thousand short steps.
TMLI_COUNT(SLOW_CHECKS_BEFORE_WARNING, 40)

// [-] Steps to the end of the run, at the mean size of the last ones, from which on a run counts as too long.
// Origin: a matter of judgement: minutes to hours. Methods of order 2 take less at all sensible tolerances.
TMLI_CONSTANT(MANY_STEPS, 3e6)

// [-] The same where each period of a vibration takes many of these steps: it should be known soon that the
// vibration makes the run long.
// Origin: a thirtieth; a minute with the implicit methods and a dozen bodies.
#define MANY_STEPS_OF_VIBRATION (MANY_STEPS / 30)

// [-] Steps to the end of the run at which it is ended, if a motion without bound explains them.
// Origin: hours to days; a thousand times a step loop that is merely long.
TMLI_CONSTANT(HOPELESS_STEPS, 1e9)

// [-] Consecutive progress checks with hopelessly short steps after which a run ends for which no other cause
// is found.
// Origin: 50,000 steps that advance by 5e-5 of the run or less; what methods pass takes some hundred.
TMLI_COUNT(HOPELESS_CHECKS, 100)

// [model lengths or rad] Motion in a step below which a run that is hopelessly long stands still.
// Origin: far below the 1e-6 of steps that follow the vibrations of light bodies.
#define STANDING_MOTION TMLI_SOLUTION_ERROR

// [model lengths or rad] Motion during the run so far, at the present velocity, that no machine makes.
// Origin: wheels of vehicles turn 1e5 rad in an hour; growing motions reach 1e9 where steps become short.
#define RUNAWAY_MOTION (1 / TMLI_SOLUTION_ERROR)

// [rad] Phase of a vibration in one step from which on it explains the step.
// Origin: methods of order 2 at 1e-6 take steps of a hundredth of the period.
#define EXPLAINED_STEP TMLI_NEGLIGIBLE_SHARE

// [rad] The same from which on a period takes so few steps that nothing but the vibration can ask for them.
// Origin: 126 steps for a period; methods of order 5 and more take 10 to 60 at usual tolerances.
TMLI_CONSTANT(FOLLOWED_STEP, 0.05)

// ---- why a run has stopped (explain.c) --------------------------------------------------------------------

// [-] Share of the run within which a velocity changes by its own size that is said to change suddenly.
// Origin: at the smallest step it does so within 1e-12 of the run with bdf and 1e-8 with genalpha.
#define SUDDEN_SPAN TMLI_SHORTEST_BUDGET

// [-] The same where steps have become hopelessly short without reaching the smallest one, and of states.
// Origin: Newton's method fails at 1e-5 of the run before a massless slider would be infinitely far away.
#define COLLAPSE_SPAN TMLI_NEGLIGIBLE_SHARE

// [model lengths or rad] Motion that a velocity without bound would make during the run, at least; an
// undetermined acceleration its square.
// Origin: more than machines move, and far less than the 1e6 seen at the ends of such runs.
#define SUDDEN_MOTION (1 / TMLI_NEGLIGIBLE_SHARE)

// ---- forces that grow without bound (expressions.c) ------------------------------------------------------

// Distances from a pole at which its expression is evaluated, each a tenth of the one before. Sizes an array.
// Origin: two ratios of differences: a smooth function, or one with a corner, does not keep its growth.
enum { POLE_DISTANCES = 4 };

// [-] The first of them, over the step in which the pole is.
// Origin: within a tenth of a step motions are straight, and expressions other than the pole smooth.
#define POLE_DISTANCE TMLI_SMALL_SHARE

// [-] Least step for this, over the run: steps collapse at a pole.
// Origin: the least distance is then 1e-10 of the run, where times and positions still have six digits.
#define POLE_SPAN TMLI_SHORTEST_BUDGET

// [-] Order from which on the integral of a pole does not exist, less the error of the order found.
// Origin: the order is 1; a second order of the divisor changes it by some 1e-3 at a tenth of a step.
TMLI_CONSTANT(POLE_ORDER, 0.97)

// [-] Growth over the last tenth of the distance, over the value, below which the pole has no effect.
// Origin: round-off of the quotient of two small numbers is 1e-6 of it at the least distance.
#define POLE_SHARE TMLI_NEGLIGIBLE_SHARE

// ---- events (events.c) ------------------------------------------------------------------------------------

// [-] Parts into which a step is divided to look for events.
// Origin: a polynomial of degree 5, as of the dense output, has at most this number of extremes.
#define EVENT_PARTS TMLI_FEW

#endif
