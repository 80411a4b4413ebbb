// Least and largest value of a curve given by rows, between rows too, and its means over time.
#ifndef TMLI_MATH_EXTREMES_H
#define TMLI_MATH_EXTREMES_H

#include <stddef.h>

typedef struct tmli_extremes {
    double least, least_at, most, most_at;  // NAN: no value is finite
    double mean, rms;                       // over time, by trapezoids
    double first, last;
} tmli_extremes;

/** Peaks between rows are those of the parabola through three rows, where the middle one is the largest and
 * the curve has neither a kink nor a jump. t, x: (rows), t ascending. */
tmli_extremes tmli_find_extremes(const double *t, const double *x, size_t rows);

#endif
