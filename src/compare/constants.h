// Thresholds of comparisons; see base/constants.h. Most of them divide the time that the user grants; they
// decide which runs are made, not their results.
#ifndef TMLI_COMPARE_CONSTANTS_H
#define TMLI_COMPARE_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// ---- errors (samples.c, verify.c) -------------------------------------------------------------------------

// [-] Scale of the reactions of a joint over the largest force of the model, at least.
// Origin: the error of a joint without load is measured by this part of the largest.
#define MIN_FORCE_SCALE TMLI_NEGLIGIBLE_SHARE

// ---- verification (verify.c) ------------------------------------------------------------------------------

// [-] Error of the reference over the allowed error, up to which its judgement counts.
// Origin: a run within the tolerance is then within one and a half of it for certain.
#define REFERENCE_DOUBT TMLI_EVEN_SHARE

// [-] How often the tolerance of a reference in doubt is divided by NEXT_TOLERANCE, at most.
// Origin: time; a reference two decades tighter is the last that a user waits for.
TMLI_COUNT(MAX_REFINEMENTS, 2)

// [-] What the step of captured contacts is divided by in place of it. Origin: with errors of the order 1 the
// difference of two runs is then the error of the better one.
#define STEP_REFINEMENT TMLI_TWOFOLD

// [-], [s] CPU time of the run that checks the reference over that of the reference, and its least limit.
// Origin: a method that takes longer does not suit the model; a run of a few seconds is always affordable.
TMLI_CONSTANT(CHECK_LIMIT, 20)
TMLI_CONSTANT(CHECK_SECONDS, 5)

// ---- runs (trial.c, compare.c) ----------------------------------------------------------------------------

// [s] Wall time between two progress reports.
// Origin: ten a second look like a continuous motion.
TMLI_CONSTANT(REPORT_INTERVAL, 0.1)

// [s] CPU time of a short run: the least limit of a run, and the time from which on the cost of tighter runs
// is extrapolated. The clock is read four times in it.
// Origin: the scheduler of the operating system resolves a few milliseconds.
TMLI_CONSTANT(SHORT_RUN, 0.02)

// [-] CPU time over the wall time of the budget.
// Origin: two cores, not always both in use.
TMLI_CONSTANT(CPU_PER_BUDGET, 1.8)

// [-] A run may use this fraction of the CPU time left: one over this number.
// Origin: leaves time for other methods after some slow runs; chosen by trial on the bundled models.
#define RUNS_PER_BUDGET TMLI_FOURFOLD

// ---- reference (reference.c) ------------------------------------------------------------------------------

// [-] Part of the budget for the reference: wall time of both methods, and CPU time of each of them.
// Origin: somewhat more than half, because its error limits what the other runs can show.
TMLI_SHARE(REFERENCE_SHARE, 0.6)

// [-] Loosest tolerance of the first run of a reference.
#define LOOSEST_TOLERANCE TMLI_SLIGHT_SHARE

// [-] Tightest tolerance that is assumed if fixed steps are compared.
// Origin: errors of fixed steps in use are larger.
TMLI_SHARE(FIXED_STEP_TOLERANCE, 1e-8)

// [-] Ratio of the tolerances of two runs in sequence; its root of the last two if time is short. The first
// and the last run are twice as far from the tightest given tolerance.
// Origin: a decade; the first runs are cheap and tell the cost of the next.
#define NEXT_TOLERANCE TMLI_TENFOLD

// [-] Order of the second method, at least, unless it is that of the first.
// Origin: the cost of order 2 grows by 10 in two decades of the tolerance, that of a reference spans four.
TMLI_COUNT(MIN_SECOND_ORDER, 3)

#endif
