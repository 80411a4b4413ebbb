// A configuration on the path of a sweep, its matrix (1), and steps from it. See sweep_point.c for the
// equations.
#ifndef TMLI_ANALYSIS_CHECK_SWEEP_POINT_H
#define TMLI_ANALYSIS_CHECK_SWEEP_POINT_H

#include "analysis/check/sweep.h"

#include <float.h>

/** eps of (1) for singular values and tangents: round-off of C C', sums of some ten products of each pair of
 * rows. It bounds the sigma that can be resolved to 1e-7. */
#define TMLI_SWEEP_EPSILON (64 * DBL_EPSILON)

enum { TMLI_SWEEP_VECTORS = 4 };  // of the inverse iteration

typedef struct tmli_sweep_work {
    const tml_system *sys;
    const tmli_sweep_def *def;
    const tml_linsolver_ops *solver;
    void *work, *lin;
    double *values, *rhs, *phi, *rows;
    double *row_scale;      // (m) 1/norm of the rows of C; 0 for dependent rows
    double *unit;           // (n)
    double *V, *Y;          // (m x TMLI_SWEEP_VECTORS) inverse iteration
    double *tangent;        // (n) direction at x, in units of the model; its largest entry is 1
    double *curvature;      // (n) change of the tangent over the last step, per length
    double *start_tangent;  // (n) tangent at the start
    double *scratch;        // (n)
    int32_t *diagonal;
    bool *dependent;  // (m)
    bool *earlier;    // (m) scratch
    int vectors;
    tml_state *x, *y;  // present and trial configuration
    double length, sigma, speed;
    double allowed;  // size of the allowed part of a direction of size 1
    double first;    // the same at the start
} tmli_sweep_work;

/** Allocate the work space and set w->x to x, at rest. sys, def and solver are set by the caller. */
tml_status tmli_sweep_prepare(tmli_sweep_work *w, const tmli_dependence *rows, const tml_state *x,
                              tml_error *err);
void tmli_sweep_clear(tmli_sweep_work *w);

/** Factor (1) at x. */
tml_status tmli_sweep_factor(tmli_sweep_work *w, const tml_state *x, double eps, tml_error *err);
/** The smallest singular value of C from the present factors. */
double tmli_sweep_smallest_singular_value(tmli_sweep_work *w);
/** y = x moved along the path by h, or (driven) to the time x->t + h. False: the step fails. */
bool tmli_sweep_move(tmli_sweep_work *w, double h);
/** Singular value and tangent at x, after a step of this length; 0 at the start. */
tml_status tmli_sweep_analyse_point(tmli_sweep_work *w, double step, tml_error *err);
/** The present point, for the result. */
tmli_sweep_point tmli_sweep_report_point(const tmli_sweep_work *w);

double tmli_sweep_dot(int n, const double *a, const double *b);
double tmli_sweep_largest(int n, const double *a);  ///< largest modulus

#endif
