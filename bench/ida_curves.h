// Work-precision curves: time over achieved error of one scheme at falling tolerances, and the time at a
// given error.
#ifndef BENCH_IDA_CURVES_H
#define BENCH_IDA_CURVES_H

#include <stdbool.h>

enum { CURVE_POINTS = 12, CURVE_REPEATS = 15 };

typedef struct curve_point {
    double tol, error;
    double time[CURVE_REPEATS];  // [s]
    int times;
    double seconds;  // median
    long steps, rejected, evaluations, iterations, factorizations;
    double position, velocity;  // residuals of the constraints at the end
    bool wanted;                // to be measured again
} curve_point;

/** One scheme on one problem, from loose to tight tolerances. */
typedef struct curve {
    const char *group;  // "IDA", or the method's name
    char label[80];     // setting or solver
    bool plain;         // what a user gets who sets nothing
    int count;
    curve_point point[CURVE_POINTS];
    const char *end;  // why it ends, NULL: all tolerances done
} curve;

void curve_add_time(curve_point *p, double seconds);
/** Seconds to reach `error`, between points on the logarithms of error and time; NAN if the curve does not
 * reach it. Points are not taken at their word: the error of a tolerance is the largest at it and all
 * tighter ones, so that an error that happens to pass through zero does not count. An error larger than that
 * of the loosest tolerance costs what that costs. low, high: the points it lies between. */
double curve_time(const curve *c, double error, int *low, int *high);
/** Index of the fastest curve of a group (NULL: any but "IDA") at this error, -1: none. plain: only those;
 * measured: only where both points were measured again. */
int curve_fastest(const curve *c, int count, const char *group, bool plain, bool measured, double error,
                  double *seconds);

#endif
