// Sweeps: a mechanism moved along its freedom, or by its drivers, without forces; how near it comes to a
// singular position.
#ifndef TMLI_ANALYSIS_CHECK_SWEEP_H
#define TMLI_ANALYSIS_CHECK_SWEEP_H

#include "analysis/rank/dependence.h"

/** How a sweep came to its end. */
typedef enum tmli_sweep_end {
    TMLI_SWEEP_RANGE,    // as far as was asked for
    TMLI_SWEEP_CLOSED,   // back where it began
    TMLI_SWEEP_EXTREME,  // the coordinate that is followed has its largest or smallest value
    TMLI_SWEEP_STUCK     // the constraints allow no further motion
} tmli_sweep_end;

/** A place on the way. */
typedef struct tmli_sweep_place {
    double way;    // from the start, along the path [model lengths, rad]
    double t;      // [s]
    double sigma;  // smallest singular value of the independent rows, normalized and in units of the model
    double coordinate;  // of the caller
} tmli_sweep_place;

typedef struct tmli_sweep_result {
    tmli_sweep_place start, least, last;  // least: where sigma is smallest, or vanishes for the first time
    bool singular;                        // it vanishes there: rank < rank at the start
    int rank;                             // there
    tmli_sweep_end end;
    int steps;
    double lowest, highest;  // values of the coordinate met on the way
} tmli_sweep_result;

/** What to do. */
typedef struct tmli_sweep_def {
    bool driven;              // by time, from x->t to `end`; else along `direction`
    double end;               // [s]
    const double *direction;  // (n) velocity; its part along the constraints is taken
    /** g (n) = gradient of a coordinate, which then grows (or, sign -1, falls) as fast as it can on the whole
     * way, whatever the direction of the start was; NULL: straight on. */
    void (*gradient)(void *user, const tml_state *x, double *g);
    double sign;
    double range;                                          // how far to go [model lengths, rad]
    int steps;                                             // at most
    double (*coordinate)(void *user, const tml_state *x);  // reported at places; NULL: 0
    void *user;
} tmli_sweep_def;

/** Sweep from x, assembled, whose dependent rows are known. It ends at the first singular position. False in
 * *moved: the direction has no part along the constraints. TML_ERR_NOMEM, TML_ERR_NAN. */
tml_status tmli_sweep(const tml_system *sys, const tmli_dependence *rows, const tml_state *x,
                      const tmli_sweep_def *def, tmli_sweep_result *out, bool *moved, tml_error *err);

/** out (n) = the part of the velocity v (n) that the constraints allow at x. */
tml_status tmli_sweep_allowed(const tml_system *sys, const tmli_dependence *rows, const tml_state *x,
                              const double *v, double *out, tml_error *err);

#endif
