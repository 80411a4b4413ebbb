// The errors of a run against a more accurate one, signal by signal, and what the tolerance allows each.
#ifndef TMLI_COMPARE_JUDGE_H
#define TMLI_COMPARE_JUDGE_H

#include "compare/trial.h"

/** How much the outputs of a model change if its state changes by what the tolerance allows: for each output
 * the largest over all output times of
 *
 *   sum over j of |df/dx_j| a_j        a_j: allowed error of position, velocity or state j                (1)
 *
 * by differences. An output that is zero but for errors (the deviation from an analytic solution, the gap of
 * a joint) has no size of its own to be measured by. */
typedef struct tmli_sensitivity {
    double rtol, atol;
    double *size;           // (noutputs) the sums (1)
    double *start;          // (nq) of the first output
    double *step, *value;   // scratch: (n), (2 noutputs)
    double velocity;        // largest |v| or L |w| up to now [m/s]
    tml_state *moved;       // scratch
    const tml_system *sys;  // NULL: not begun
} tmli_sensitivity;

tml_status tmli_sensitivity_add(tmli_sensitivity *s, const tml_sim *sim, const tml_state *x, tml_error *err);
void tmli_sensitivity_clear(tmli_sensitivity *s);

/** Rows of the run to be judged, of the reference, and of the run that checks it (no rows: none). */
typedef struct tmli_judgement {
    const tmli_samples *asked, *better, *check;
    /** Rows of the reference moved by the slow part of its difference from either (slow.h); without rows
     * differences count as they are. */
    const tmli_samples *asked_slow, *check_slow;
    double check_share;  // error of the reference over its difference from the check
    double rtol, atol;
    const double *output_sensitivity;  // (noutputs); NULL: none
    const double *state_scale;         // (nz); NULL: 1
    double slack;                      // of output times that are the same [s]
} tmli_judgement;

/** Signals, output times and the largest ratios of v. Texts are from the arena. */
tml_status tmli_judge(const tmli_judgement *in, tmli_arena *arena, tml_verification *v, tml_error *err);

#endif
