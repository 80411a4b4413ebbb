// Curves of a run: expressions of channels over time, seen by the steps of the run as they are made.
//
// A curve is sampled on the dense output of each step, at its ends and three points between, and in more
// points where these do not describe it. An expression may vary within steps that resolve the motion: its
// samples are at least about as dense as rows. Peaks and zeros are then located on the dense output, not
// between rows, and means are integrals over the steps. Samples are not projected onto the constraints
// unless they need accelerations or multipliers; of the largest and the least one the state is kept, and
// projected once, at the end of the run.
#ifndef TMLI_STUDY_CURVES_H
#define TMLI_STUDY_CURVES_H

#include "study/study.h"

enum { TMLI_CURVE_DEPTH = 24 };  // halvings of a step, at most

/** The largest (sign 1) or least (sign -1) value. */
typedef struct tmli_study_peak {
    bool wanted;
    double value, at;  // NAN: there is none
    tml_state *x;      // the sample
} tmli_study_peak;

typedef struct tmli_study_curve {
    const tmli_expr *expr;
    const char *of;  // its text
    bool zero;       // wanted
    bool integral;   // wanted: the mean, or the rms
    bool channel;    // it is a channel as it is, which the steps of the run resolve
    tmli_study_peak peak[2];
    double low, high;           // of all samples
    double span, sum, squares;  // [s], and integrals over it
    bool left_zero;             // some value was not 0: before, none is a change of sign
    double zero_at;             // NAN: none yet
    double gap;                 // [s] first sample that is no finite number; NAN: none
    double before[2];           // values at the ends of the last two steps, the later one first; NAN: none
} tmli_study_curve;

typedef struct tmli_curves {
    const tml_study *study;
    int count;
    tmli_study_curve *curve;  // (count)
    int *of_quantity;         // (nquantities) its curve; -1: none
    double *channel;          // (nchannels) of a row
    double *used;             // (nused) of a sample
    double *x;                // variables of an expression
    double *stack;            // (4 TMLI_CURVE_DEPTH + 5, count) samples of parts of a step
    int nchannels;
    int *index;                // (nused) in the channels of the present simulation
    const double *parameters;  // of the member
    double finest;             // distance of rows [s]: samples of rough curves are about as dense
    double duration;           // of the run [s], as it is set
    double tolerance;          // relative, of the run
    double *end;               // (nquantities) at the first and (nquantities) at the last output
    bool ends_need_rows;       // of those
    bool rows;                 // some curve needs accelerations, multipliers or energies
    bool jumped;               // at the end of the last step, or it was none
    double t[2];               // ends of the last two steps [s], the later one first
    tml_state *sample;         // NULL: no simulation
    tml_state *first, *last;   // at the ends of the run, for modes; NULL: not needed
    double t_last;             // of the last output [s]; NAN: there is none
    const tml_system *sys;     // of these states
} tmli_curves;

// curves.c
tml_status tmli_curves_init(tmli_curves *c, const tml_study *s, tml_error *err);
void tmli_curves_clear(tmli_curves *c);
/** Give up what belongs to the model of the last simulation, which will be destroyed. */
void tmli_curves_release(tmli_curves *c);
/** Begin with a simulation: no samples. rows: distance of rows [s]. */
tml_status tmli_curves_begin(tmli_curves *c, const tml_sim *sim, const double *parameters, double rows,
                             tml_error *err);
/** A step observer of the simulation (sim/queries/step_observer.h), with the curves as user. */
tml_status tmli_curves_step(tml_sim *sim, double t0, double t1, bool ends, void *user, tml_error *err);
/** After the run: values of the peaks at their projected states. */
void tmli_curves_settle(tmli_curves *c, tml_sim *sim);
/** Values of a curve below this do not count: the tolerance of its range, round-off. */
double tmli_curve_unseen(const tmli_curves *c, const tmli_study_curve *k);
/** What a quantity takes of its curve, after the run. */
double tmli_curve_take(const tmli_study_curve *k, tmli_take take);
/** c->sample and c->used at time t of the last step. */
tml_status tmli_curves_sample(tmli_curves *c, tml_sim *sim, double t, tml_error *err);
/** An expression at a sample (quantities NULL), or of quantities. */
double tmli_curves_evaluate(const tmli_curves *c, const tmli_expr *e, const double *quantities);

// peaks.c
/** What is to be found on one curve within the last step. */
typedef struct tmli_curve_search {
    tmli_curves *c;
    tml_sim *sim;
    tmli_study_curve *k;
    tml_error *err;
    tml_status st;
} tmli_curve_search;

/** Range of all samples so far. */
static inline double tmli_curve_range(const tmli_study_curve *k)
{
    return k->high > k->low ? k->high - k->low : 0;
}
/** A change of sign between two samples, if it is the first one. */
void tmli_curve_look_for_zero(tmli_curve_search *s, double t0, double f0, double t1, double f1);
/** Points 0 .. n - 1 of the last step, n >= 3; the last ones are at its end. side 0: the largest value,
 * 1: the least one. */
void tmli_curve_look_for_peak(tmli_curve_search *s, int side, const double *t, const double *f, int n);
/** The same in the last step, from t[1] to t[2], with a sample before it. */
void tmli_curve_look_for_top(tmli_curve_search *s, int side, const double t[3], const double f[3]);

// quantities.c
/** An output of the run: its ends. */
tml_status tmli_quantities_output(tmli_curves *c, const tml_sim *sim, const tml_state *x, tml_error *err);
/** The quantities, after the run. */
tml_status tmli_quantities_end(tmli_curves *c, tml_sim *sim, double *out, tml_error *err);

#endif
