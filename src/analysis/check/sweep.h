// A sweep: the mechanism is moved along its freedom, or by its drivers, without forces, in search of singular
// configurations.
#ifndef TMLI_ANALYSIS_CHECK_SWEEP_H
#define TMLI_ANALYSIS_CHECK_SWEEP_H

#include "analysis/rank/dependence.h"

/** Why a sweep ended. */
typedef enum tmli_sweep_end {
    TMLI_SWEEP_RANGE,    // it reached its range
    TMLI_SWEEP_CLOSED,   // it returned to its start
    TMLI_SWEEP_EXTREME,  // the coordinate that is followed is at its maximum or minimum
    TMLI_SWEEP_STUCK     // the constraints allow no further motion
} tmli_sweep_end;

/** A configuration on the path. */
typedef struct tmli_sweep_point {
    double length;  // length of the path from the start [model lengths, rad]
    double t;       // [s]
    double sigma;   // smallest singular value of the independent rows, normalized and in units of the model
    double coordinate;  // defined by the caller
} tmli_sweep_point;

typedef struct tmli_sweep_result {
    tmli_sweep_point start, least, last;  // least: where sigma is smallest, or vanishes for the first time
    bool singular;                        // sigma vanishes there: the rank is less than at the start
    int rank;                             // at `least`, if singular
    tmli_sweep_end end;
    int steps;
    double lowest, highest;  // extreme values of the coordinate on the path
} tmli_sweep_result;

/** Definition of a sweep. */
typedef struct tmli_sweep_def {
    bool driven;              // by time, from x->t to `end`; else along `direction`
    double end;               // [s]
    const double *direction;  // (n) velocity; its part allowed by the constraints is used
    /** g (n) = gradient of a coordinate, which grows (sign -1: decreases) as fast as the constraints allow on
     * the whole path, for any start direction; NULL: the path continues straight. */
    void (*gradient)(void *user, const tml_state *x, double *g);
    double sign;
    double range;                                          // largest length of the path [model lengths, rad]
    int steps;                                             // largest number of steps
    double (*coordinate)(void *user, const tml_state *x);  // reported with configurations; NULL: 0
    void *user;
} tmli_sweep_def;

/** Sweep from x, which is assembled, with known dependent rows, to the first singular configuration. *moved
 * false: the constraints allow no part of the direction. TML_ERR_NOMEM, TML_ERR_NAN. */
tml_status tmli_sweep(const tml_system *sys, const tmli_dependence *rows, const tml_state *x,
                      const tmli_sweep_def *def, tmli_sweep_result *out, bool *moved, tml_error *err);

/** out (n) = the part of the velocity v (n) that the constraints allow at x. */
tml_status tmli_sweep_allowed(const tml_system *sys, const tmli_dependence *rows, const tml_state *x,
                              const double *v, double *out, tml_error *err);

#endif
