// Thresholds of comparisons; see base/constants.h.
#ifndef TMLI_COMPARE_CONSTANTS_H
#define TMLI_COMPARE_CONSTANTS_H

#include "base/constants.h"

// ---- times and errors (samples.c, trial.c, reference.c, verify.c) -----------------------------------------

// [-] Difference of two times over the output step up to which they are the same output time.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(SAME_TIME, 1e-7)

// [-] Scale of the reactions of a joint over the largest reaction of the model, at least.
// Origin: the error of a joint without load is measured by this part of the largest.
TMLI_CONSTANT(MIN_FORCE_SCALE, 1e-3)

// [model lengths] Scale of the velocities times the duration of the run, at least.
// Origin: a model at rest has velocities of round-off only.
TMLI_CONSTANT(MIN_VELOCITY_SCALE, 1e-6)

// [-] Digits of two values that are equal.
// Origin: digits of a double.
TMLI_CONSTANT(MAX_DIGITS, 16)

// [s] Wall time between two checks of the clock, and between two progress reports.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(CLOCK_INTERVAL, 0.005)
TMLI_CONSTANT(REPORT_INTERVAL, 0.1)

// ---- time budget (compare.c) ------------------------------------------------------------------------------

// [-] Output times if the user gives none.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(DEFAULT_COMPARISONS, 100)

// [-] CPU time over the wall time of the budget.
// Origin: two cores, not always both in use.
TMLI_CONSTANT(CPU_PER_BUDGET, 1.8)

// [-] A run may use this fraction of the CPU time left: one over this number.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(RUNS_PER_BUDGET, 4)

// [s] Least limit of a run.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(MIN_LIMIT, 0.02)

// [-] Expected CPU time over the limit of a run up to which it is tried.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(EXPECTED_OVER_LIMIT, 2)

// [s] CPU time of a run from which on that of tighter runs is extrapolated.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(MIN_EXTRAPOLATED, 0.1)

// ---- reference (reference.c) ------------------------------------------------------------------------------

// [-] Parts of the budget: CPU time of each of the two methods, and wall time of both.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(REFERENCE_CPU, 0.55)
TMLI_CONSTANT(REFERENCE_WALL, 0.6)

// [-] Tightest tolerance of a reference.
// Origin: round-off is larger than the error below it.
TMLI_CONSTANT(TIGHTEST_TOLERANCE, 1e-13)

// [-] Loosest tolerance of the first run of a reference.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(LOOSEST_TOLERANCE, 1e-2)

// [-] Tightest tolerance that is assumed if fixed steps are compared.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(FIXED_STEP_TOLERANCE, 1e-8)

// [-] Ratio of the first to the tightest given tolerance, and of the tightest given to the last.
// Origin: two decades each; the first runs are cheap and tell the cost of the next.
TMLI_CONSTANT(REFERENCE_DECADES, 100)

// [-] Part of its time that the first run may use; half of it for each looser one.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(FIRST_RUN_TIME, 0.5)

// [-] Ratio of the tolerances of two runs in sequence, and of the last two if time is short.
// Origin: a decade, and half of one.
TMLI_CONSTANT(NEXT_TOLERANCE, 10)
TMLI_CONSTANT(LAST_TOLERANCE, 3)

// [s] CPU time of a run from which on the cost of the next is extrapolated.
// Origin: chosen by trial on the bundled models.
TMLI_CONSTANT(MIN_COST, 0.01)

// [-] Loosest tolerance of a run that checks the reference.
// Origin: rtol must be less than 1.
TMLI_CONSTANT(LOOSEST_CHECK, 0.5)

// [-] Order of the second method, at least, unless it is that of the first.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(MIN_SECOND_ORDER, 3)

#endif
