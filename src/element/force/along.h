// A coordinate, a measure between two nodes, as the elements that act along it see it.
#ifndef TMLI_ELEMENT_FORCE_ALONG_H
#define TMLI_ELEMENT_FORCE_ALONG_H

#include "element/force/force.h"

typedef struct tmli_along {
    const tmli_measure *measure;
    const tmli_pose *A, *B;
    union {
        struct {
            double x, v;  // value and rate
        };
        double local[2];  // as variables of a law
    };
    double g[12], u[12];  // gradient, velocities of both nodes
} tmli_along;

/** The coordinate `index` of the model's at a state. */
void tmli_along_of(const tmli_view *w, int index, tmli_along *k);
/** Its value and rate alone; either may be NULL. */
void tmli_along_values(const tmli_view *w, int index, double *x, double *v);

/** Acceleration of a coordinate that is zero but for round-off, over the largest multiplier [m/s^2 per N, or
 * rad/s^2 per N m]. */
double tmli_along_noise_of(const tml_model *m, int use);
/** Acceleration of the coordinate `index`, which friction up to `force` holds; 0 if it is round-off, by its
 * terms, by `force` or by by_multipliers (tmli_along_noise_of). */
double tmli_along_acceleration(const tmli_view *w, int index, const tmli_along *k, double by_multipliers,
                               double force);
/** How it touches a node: with forces and torques. */
tmli_touch tmli_along_touch(const tmli_force *f, int node, vec3 *point);
/** Inertia of the coordinate by the mean mass of the bodies that constraints join: [kg] or [kg m^2]. Of a
 * complete model. */
double tmli_along_inertia(const tml_model *m, int use);
/** Speed of the coordinate that is zero but for round-off [m/s or rad/s]; use < 0: of a rotation. */
double tmli_along_rest(const tml_model *m, int use);
/** Speed of the coordinate at which slip ends, within the error of a located state [m/s or rad/s]. */
double tmli_along_stop(const tml_model *m, int use);

#endif
