// Steady motion: the axes in which the equations of small motions beside it have constant coefficients.
#ifndef TMLI_ANALYSIS_MODES_STEADY_H
#define TMLI_ANALYSIS_MODES_STEADY_H

#include "analysis/modes/variation.h"
#include "model/model.h"

/** Components at[0..2] of a vector (-1: not a coordinate) in axes that turn with `rate` [rad/s], which is
 * given in the axes of the components. */
typedef struct tmli_turn {
    int at[3];
    vec3 rate;
} tmli_turn;

/** How axes turn. */
typedef enum tmli_axes {
    TMLI_AXES_FIXED,    // the inertial axes, or the coordinates of a system of callbacks
    TMLI_AXES_TURNING,  // all turn with `omega`
    TMLI_AXES_BODIES,   // those of rotations are the axes of their bodies, those of translations are inertial
    TMLI_AXES_OWN  // those of each body turn with it; or connected parts of the model have different axes
} tmli_axes;

typedef struct tmli_steady {
    bool found;
    tmli_axes axes;
    vec3 omega;  // TURNING: inertial frame [rad/s]
    int count;
    tmli_turn *turn;  // (count) in the arena of the variation; none: no axes turn
} tmli_steady;

/** Look for axes in which the motion of v (with all its matrices) and the equations beside it do not change.
 * model: NULL for systems of callbacks, whose coordinates are the only axes tried. Fails if memory is
 * exhausted; a motion whose equations cannot be evaluated further on is not steady. */
tml_status tmli_steady_find(tmli_variation *v, const tml_model *model, tmli_steady *out, tml_error *err);
/** out (n) = rate of the components x (n) of a constant vector of these axes: rate x x. */
void tmli_steady_rate(const tmli_steady *s, int n, const double *x, double *out);

#endif
