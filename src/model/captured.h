// Points of captured contacts, as methods of time stepping see them (docs/theory/captured-contacts.md).
#ifndef TMLI_MODEL_CAPTURED_H
#define TMLI_MODEL_CAPTURED_H

#include "math/math3.h"

#include <stdbool.h>
#include <stdint.h>

/** A point at which two bodies touch or nearly do. Its velocity is that of the second body relative to the
 * first, G u: along the normal, which points to the second, and along two tangents. */
typedef struct tmli_captured_point {
    uint64_t pair;     // the pair of shapes; ascending in a list
    uint32_t feature;  // of the pair
    int node[2];       // -1: ground
    int at[2];         // first coordinate; -1: ground
    double gap;        // [m]
    double mu, restitution;
    bool poisson;
    vec3 axis[3];     // normal and tangents, inertial
    double G[3][12];  // over up to 6 coordinates of each body; others are 0
} tmli_captured_point;

#endif
