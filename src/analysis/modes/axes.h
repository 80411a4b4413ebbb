// Axes in which small motions are seen, and how vectors of coordinates turn with them (steady.c).
#ifndef TMLI_ANALYSIS_MODES_AXES_H
#define TMLI_ANALYSIS_MODES_AXES_H

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
    tmli_turn *turn;  // (count) of the caller, two for each body; none: no axes turn
} tmli_steady;

/** Angular velocities O_t and O_r of the axes of a body, inertial frame [rad/s]. */
typedef struct tmli_body_axes {
    vec3 translation, rotation;
} tmli_body_axes;

/** out (n) = rate of the components x (n) of a constant vector of these axes: rate x x. */
void tmli_steady_rate(const tmli_steady *s, int n, const double *x, double *out);
/** x = exp(g time) x: components of a vector that turns with the axes. */
void tmli_steady_turn(const tmli_steady *s, double time, double *x);
/** Axes of a body that turn with `translation` and `rotation` (inertial frame); s->turn has room. */
void tmli_steady_add(tmli_steady *s, const tml_model *m, const tml_state *x, int body, vec3 translation,
                     vec3 rotation);
/** y: the state (2) of steady.c after a time, with the velocities of s. axes: of the bodies; model NULL: a
 * system of callbacks, axes are not used. d, spin: scratch (n). */
void tmli_steady_move(const tml_system *sys, const tml_model *m, const tmli_body_axes *axes,
                      const tmli_steady *s, const tml_state *x, double time, double *d, double *spin,
                      tml_state *y);
/** The angular velocity O of least size with which (3) of steady.c holds best for the bodies of a part; 0 if
 * it is below errors of the data at this rate of the motion [1/s]. part_of: of each body; NULL: all of them.
 * undetermined (may be NULL): projection on the directions of O that (3) does not determine. */
vec3 tmli_steady_rotation(const tml_model *m, const tml_state *x, const int *part_of, int part, double rate,
                          mat3 *undetermined);
/** The axes in words; known: they are those of a model. */
void tmli_steady_describe(const tmli_steady *s, bool known, char *text, size_t size);

/** Components of u or udot of a node: first = 0 its translation, 3 its rotation. */
vec3 tmli_node_component(const tmli_node *node, const double *u, int first);
mat3 tmli_node_orientation(const tml_state *x, int node);
vec3 tmli_node_spin(const tml_model *m, const tml_state *x, int node);  // angular velocity, inertial axes

#endif
