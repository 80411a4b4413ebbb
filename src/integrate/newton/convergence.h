// The convergence monitor of Newton's method, for all iterations on the equations of a step: those of the
// kernel (kernel.c), of ggl (bdf/ggl.c) and of the Radau stages (radau/stages_newton.c).
//
// The iterations differ in unknowns and matrix and agree in this: corrections c_n are measured in model
// lengths (1 rad for rotations), the contraction rate is r_n = c_n/c_{n-1}, and the remaining error with it
//   r/(1 - r) c_n                                                                                        (1)
// The rate of earlier solves serves for the first correction, unless that one is much larger than usual: then
// a force has set in. A better rate is believed by and by, a worse one at once. Two corrections with a new
// matrix between them give no rate of it: that is about the distance in lengths from where the matrix was
// evaluated, so the first of the two at least. Where it happens to end the iteration at once, as it does with
// motions that are driven, the next solve would else believe its first correction, however large.       (5)
//
// Round-off. Corrections below a level R are round-off of the positions. Those below STAGNATION R, or below
// STAGNATION_OF_FORCES, that stop falling are round-off of residual and matrix, if the matrix is
// new; else they may be its slow convergence. (R can be far below that level where little round-off is fed
// back, kernel.h (2).) From there on the remaining error follows from the rate alone: the error along the
// constraints can be far smaller than the corrections show, because these vary across the constraints by the
// round-off of the positions.
// (2)
//
// Failure: corrections grow by TMLI_NEWTON_DIVERGENCE, fall by less than SLOWEST_RATE for some iterations,
// exceed a model length (with step-size control: the step is too large to be worth more), or reach the limit
// of iterations.
//
// New matrices. Within a solve the matrix is renewed if the iterations that the old one still needs at the
// observed rate cost more than a new one; before the next solve, if the rate was above TMLI_SLOW_RATE.   (3)
//
// Quadratic convergence. If every correction is made with a new matrix, c_{n+1} = Q c_n^2 and the rates obey
// r_{n+1} = r_n^2. If the last two rates do, the law is trusted: a correction need not be followed by another
// one that proves it to have been the last. Where the matrix lacks a term the rates stop falling, and the
// test concludes nothing. It serves steps of fixed size, which are iterated to round-off. (4)
#ifndef TMLI_INTEGRATE_NEWTON_CONVERGENCE_H
#define TMLI_INTEGRATE_NEWTON_CONVERGENCE_H

#include "base/base.h"
#include "base/constants.h"
#include "base/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <trammel/archive.h>
#include <trammel/integrator.h>

// [lengths] R of (2) over gyration_ratio of kernel.h.
// Origin: a correction is the difference of sums over some tens of terms, each rounded.
TMLI_CONSTANT(TMLI_NEWTON_ROUNDOFF, 64 * DBL_EPSILON)

// [-] A rate is measured from corrections above this many R.
// Origin: a tenth of the rate may then be round-off.
#define TMLI_NEWTON_RATE_FROM TMLI_TENFOLD

// [-] Where the equations are not scaled, corrections of multipliers are measured in this times the largest
// multiplier, and with a scaling by hand, where they are lengths, in this times the model length: they are
// judged less strictly than positions.
#define TMLI_NEWTON_MULTIPLIER_UNIT (1 / TMLI_NEGLIGIBLE_SHARE)

// [lengths] At steps of fixed size a correction larger than this is followed by a new matrix.
// Origin: the rate of the old matrix is about the distance from where it was evaluated, and a new matrix pays
// if two iterations leave more than 1e-3^2 of it.
#define TMLI_NEWTON_LARGE_CORRECTION TMLI_NEGLIGIBLE_SHARE

// [-] Corrections that grow by more than this factor end the iteration.
// Origin: common practice (LSODE, CVODE use 2).
#define TMLI_NEWTON_DIVERGENCE TMLI_TWOFOLD

// [-] Relative change of the scheme's coefficient up to which a matrix that contains the step size is kept.
// Origin: above the round-off of the coefficients, below every deliberate change of the step.
#define TMLI_NEWTON_SAME_COEFFICIENT TMLI_INPUT_ERROR

typedef enum tmli_verdict {
    TMLI_ITERATE,    // one more iteration
    TMLI_RENEW,      // one more iteration, with a new matrix
    TMLI_CONVERGED,  // the remaining error is within the tolerance
    TMLI_DIVERGED    // give up
} tmli_verdict;

typedef struct tmli_newton {
    bool fixed;              // steps of fixed size
    bool unscaled;           // the unknowns are not scaled (none, left)
    bool step_free;          // their scaling does not depend on the step
    bool fresh;              // the matrix was evaluated in this solve
    bool renewed;            // the matrix has changed since the last correction: the two do not give a rate
    bool exact;              // the matrix is that of the point where the next correction begins
    int iterations;          // of this solve
    double rate;             // observed contraction rate, for the first iteration of the next solve
    double usual;            // first correction of the last solve that converged [lengths]
    double tol;              // allowed error of this solve [lengths]
    double roundoff;         // R of (2) [lengths]
    double size, last;       // the last two corrections [lengths]
    double first, worst;     // first correction; worst rate with one matrix
    double remaining;        // (1)
    double exact_size;       // last correction, if made with such a matrix; else 0
    double exact_rate;       // rate of the last two of these; 0: not known
    double exact_remaining;  // remaining error by (4); INFINITY: not known
} tmli_newton;

/** Save or load it. */
void tmli_newton_archive(tmli_newton *m, tml_archive *a);
/** A monitor that has seen no solve. */
tmli_newton tmli_newton_create(bool fixed, tml_scaling scaling);
/** Begin a solve. tol: allowed error, roundoff: R of (2), both in lengths. fresh: the matrix is new; exact:
 * it is also that of the point where the iteration begins. */
void tmli_newton_begin(tmli_newton *m, double tol, double roundoff, bool fresh, bool exact);
/** A correction was made. size: its largest component; weighed: the same, or more where other errors than
 * those of positions are allowed less than tol [lengths]. */
tmli_verdict tmli_newton_judge(tmli_newton *m, double size, double weighed);
/** A new matrix was made. exact: as above. */
void tmli_newton_renewed(tmli_newton *m, bool exact);
/** End of a solve that has converged. Returns true if the next one needs a new matrix. */
bool tmli_newton_end(tmli_newton *m, int *max_iterations);
/** (1) over the last correction. */
double tmli_newton_remaining(const tmli_newton *m);
/** Message about an iteration that does not converge. */
tml_status tmli_newton_fail(const tmli_newton *m, double t, tml_error *err);
/** The iteration until corrections stop falling (option iterate): check its last correction [lengths]. */
tml_status tmli_newton_check_saturated(const tmli_newton *m, double size, double gyration_ratio, double t,
                                       tml_error *err);
/** True if that iteration has reached the limit of iterations. */
bool tmli_newton_at_limit(const tmli_newton *m);

#endif
