// The step controller of all methods, and the thresholds of error control that several of them share;
// base/constants.h says how these are declared. Thresholds of one method alone stand in its room.
//
// The estimated error e, over the allowed one, of a step h is of a power p of h (error per unit step). The
// next step is r h:
//   r = (w/e)^(1/p)                       w: the error wanted of the next step, below 1                  (1)
// Explicit methods whose step is limited by stability damp the ratio by the one of the step before, r_last
// of (1) (proportional-integral controller, K. Gustafsson, ACM Trans. Math. Softw. 17 (1991) 533-554):
//   r = (w/e)^(0.7/p) r_last^-0.4                                                                        (2)
// Steps of high order are long: on the way into a peak of the accelerations errors of equal steps grow from
// one step to the next by powers of ten, and an estimate made of few evaluations is least reliable there.
// Where an error grows by g beyond its power of h, more than by chance, the next one will, too (predictive
// controller, Gustafsson, as above, 20 (1994) 496-517):
//   r <= (w/(e g^a))^(1/p),   g = (e/e_last) (h_last/h)^p                                                 (7)
// r is between TMLI_SMALLEST_RATIO and the growth that the method allows. A ratio close to 1 leaves the step
// unchanged where a change costs a factorization or disturbs the motion.
//
// A rejected step (e > 1) is repeated with
//   r = max(TMLI_SMALLEST_RATIO, s min(1, (1)))                                                          (3)
// The estimate of a multistep method is made for a grid that the new step changes: s < 1. For one-step
// methods w is safety enough, s = 1; a second factor only makes steps shorter, and (4) keeps them so. If a
// repeated step is rejected, too, its error does not follow the power of h, and s < 1. One-step methods may
// grow by a large factor and do not do so in the step that follows.                                      (4)
//
// A step whose equations cannot be solved is repeated with r = TMLI_SMALLEST_RATIO. Its error says nothing
// about the next size. Either the place is at fault, such as a singular configuration, or the size. From a
// place steps may become longer as it is left behind: with the time d since the last failure they stay below
//   max(limit, sqrt(TMLI_SMALLEST_RATIO) d)                                                               (5)
//   limit = sqrt(TMLI_SMALLEST_RATIO) h_failed, times LIMIT_RELEASE with every accepted step
// If the size was at fault, the method is soon back at it: a step fails that is longer than the limit and
// than all steps since the last failure. From then on steps stay below
//   limit                                                                                                 (6)
// until one fails that is shorter.
//
// The step loop (driver.c) adds the limits of the run. IDA (integrate/regularized) has its own controller.
#ifndef TMLI_INTEGRATE_CORE_STEP_CONTROL_H
#define TMLI_INTEGRATE_CORE_STEP_CONTROL_H

#include "base/constants.h"
#include "base/tolerances.h"

#include <stdbool.h>
#include <trammel/archive.h>

// ---- times ------------------------------------------------------------------------------------------------

// [-] Times that differ by less than this share of a step are the same; a step that falls short of the end by
// less is made to land on it.
// Origin: far above the round-off of t + h, far below any step that would be worth making on its own.
#define TMLI_TIME_SLACK TMLI_SOLUTION_ERROR

// ---- error per unit step ----------------------------------------------------------------------------------

// [-] A step of size h may use this times h/duration of the tolerance.
// Origin: docs/decisions/0001; below 1 because errors of neighbouring steps mostly have the same sign.
TMLI_SHARE(TMLI_STEP_SHARE, 0.6)

// [-] Steps shorter than this share of the duration get the error budget of a step of this length.
// Origin: chosen by trial on the bundled models; it keeps very short transients affordable.
#define TMLI_SHORTEST_BUDGET TMLI_UNSEEN

// ---- feedback of residuals, kernel.h (2) ------------------------------------------------------------------

// [-] Least share of the round-off of positions that is fed back.
// Origin: docs/theory/alpha.md, 3; old residuals must still decay within about a million steps.
#define TMLI_LEAST_FEEDBACK TMLI_UNSEEN

// [-] Share of the error estimate's terms that the round-off fed back may reach.
// Origin: docs/theory/alpha.md, 3; chosen by trial on the bundled models.
TMLI_SHARE(TMLI_FEEDBACK_NOISE, 0.003)

// ---- first step -------------------------------------------------------------------------------------------

// [-] The first step is at most one over this of the run.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(TMLI_FIRST_STEPS_PER_RUN, 100)

// [-] Share of the allowed error that the first step of alpha and bdf may use.
// Origin: chosen by trial on the bundled models; growing is cheaper than a rejection.
TMLI_SHARE(TMLI_FIRST_STEP_SHARE, 0.1)

// [-] First step of alpha and bdf over the time in which an acceleration moves its coordinate by half a
// length: the force must not change the velocity out of scale within the step.
// Origin: chosen by trial on the bundled models.
#define TMLI_FIRST_STEP_OF_ACCELERATION TMLI_SMALL_SHARE

// [-] Part of the step that suits the rate of the motion, with which state-space and explicit methods begin.
// Origin: chosen by trial on the bundled models; growing is cheaper than a rejection.
TMLI_SHARE(TMLI_FIRST_STEP_PART, 0.25)

// [-] Time between the differences of accelerations at a start, over the time scale of the motion.
// Origin: truncation e^2 and round-off 1e-16/e^2 of second differences are then equal.
TMLI_CONSTANT(TMLI_START_DIFFERENCE, 1e-4)

// ---- controller -------------------------------------------------------------------------------------------

// [-] Wanted error of a step over the allowed error.
// Origin: bundled models; with more the steps that rejections cost exceed those that are gained.
TMLI_SHARE(TMLI_WANTED_ERROR, 0.5)

// [-] The same of explicit methods. Their errors grow faster where stability limits the step, and at high
// order a smaller error costs little.
// Origin: bundled models, as above.
TMLI_SHARE(TMLI_WANTED_ERROR_EXPLICIT, 0.2)

// [-] Smallest ratio of a step to the one before, and the ratio after a failed Newton iteration or
// evaluation. One-step methods grow by at most the inverse.
// Origin: common practice (DASSL, IDA use 1/4).
TMLI_SHARE(TMLI_SMALLEST_RATIO, 0.25)

// [-] Safety factor s of the step of a multistep method after a rejected one, and of any method after two.
// Origin: common practice (DASSL uses 0.9).
#define TMLI_REJECTED_RATIO (1 - TMLI_SMALL_SHARE)

// [-] Growth of the step of a multistep method.
// Origin: stability on variable grids; common practice (DASSL, Shampine, Gordon 1975 use 2).
#define TMLI_MULTISTEP_GROWTH TMLI_TWOFOLD

// [-] Ratios from this to TMLI_KEEP_BELOW leave the step unchanged, where a change costs a factorization or
// disturbs accelerations and multipliers.
// Origin: at order 5 an error of 0.85 is then still accepted without a smaller step.
TMLI_SHARE(TMLI_KEEP_ABOVE, 0.9)

// [-] Upper limit of the ratios that leave the step unchanged.
// Origin: bundled models; with 1.1 a quarter more factorizations for 2 % fewer steps.
TMLI_GROWTH(TMLI_KEEP_BELOW, 1.15)

/** The controller of a method: its parameters and what it remembers. */
typedef struct tmli_step_control {
    bool keeps;        // ratios close to 1 leave the step unchanged
    bool damped;       // (2) instead of (1)
    bool anticipates;  // (7) applies, to damped ones
    bool one_step;     // (4) applies
    bool rejected;     // the last trial was rejected, for (4)
    bool by_size;      // (6) instead of (5)
    double wanted;     // w of (1)
    double growth;     // largest ratio of the step after an accepted one
    double last;       // ratio (1) of the last accepted step, for (2), (7)
    double h_last;     // its size; 0: none [s]
    double limit;      // of (5), (6) [s]
    double since;      // d of (5) [s]
    double longest;    // step accepted since the last failure [s]
} tmli_step_control;

/** Save or load what it remembers. */
void tmli_step_archive(tmli_step_control *c, tml_archive *a);
/** Forget the steps so far. */
void tmli_step_start(tmli_step_control *c);
/** (1): ratio of the next step to the present one. error: estimated over allowed, of this power of h. */
double tmli_step_ratio(const tmli_step_control *c, double error, double power);
/** The next step after one of size h, or the next trial if it was rejected: the ratio within its limits. For
 * methods that choose among several orders. */
double tmli_step_bound(tmli_step_control *c, double h, double ratio, bool accepted);
/** The same for a method of one order. */
double tmli_step_next(tmli_step_control *c, double h, double error, double power, bool accepted);
/** The equations of a step of size h could not be solved: (5), (6). */
void tmli_step_failed(tmli_step_control *c, double h);

/** The first step failed, a fixed one: say that accelerations at the start change within `time` [s]; 0: not
 * faster than the step. */
void tmli_step_name_start(double time, tml_error *err);

#endif
