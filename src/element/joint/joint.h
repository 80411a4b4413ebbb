// Joints as rows of measures. Row r of a joint between marker a (origin P_a, axes x_a y_a z_a on body A) and
// marker b is
//   Phi_r = sum over its terms of coef * measure - target_r(t) = 0
// with d = P_b - P_a and the rows of the table in joint.c. Rows of gears, racks and drivers constrain
// joint coordinates of other joints; src/model builds these rows.
#ifndef TMLI_ELEMENT_JOINT_JOINT_H
#define TMLI_ELEMENT_JOINT_JOINT_H

#include "element/joint/measure.h"
#include <stdbool.h>
#include <trammel/spec.h>

/** A frame fixed to a body: origin s [m] and axes C (columns), in body axes. body = -1: ground. */
typedef struct tmli_marker {
    int body;
    vec3 s;
    mat3 C;
} tmli_marker;

/** One summand of a row. */
typedef struct tmli_term {
    tmli_measure measure;
    double coef;
    int row;
    bool counted;  // an angle that is counted continuously beyond +-pi
} tmli_term;

enum { TMLI_JOINT_TERMS = 8, TMLI_JOINT_ROWS = 6, TMLI_JOINT_COORDS = 3 };

/** A joint coordinate, JOINT.angle, JOINT.distance, ... in expressions. */
typedef struct tmli_joint_coord {
    const char *suffix;  // "angle"
    const char *rate;    // name of its rate: "rate"
    const char *unit;    // "rad"
    tmli_measure measure;
} tmli_joint_coord;

typedef struct tmli_joint_rows {
    int nrows, nterms, ncoords;
    tmli_term term[TMLI_JOINT_TERMS];
    double target[TMLI_JOINT_ROWS];  // constant right-hand side of each row
    tmli_joint_coord coord[TMLI_JOINT_COORDS];
} tmli_joint_rows;

/** Rows and coordinates of a joint between a and b. length [m] is used by the distance joint, pitch [m/turn]
 * by the screw. Types without frames (gear, rack, driver) get no rows. */
void tmli_joint_build(tml_joint_type type, const tmli_marker *a, const tmli_marker *b, double length,
                      double pitch, tmli_joint_rows *out);

// Common measures between two markers
tmli_measure tmli_measure_coord(const tmli_marker *a, const tmli_marker *b, vec3 e);    // e . d, e inertial
tmli_measure tmli_measure_distance(const tmli_marker *a, const tmli_marker *b);         // |d|
tmli_measure tmli_measure_slide(const tmli_marker *a, const tmli_marker *b, int axis);  // axis of a . d
tmli_measure tmli_measure_twist(const tmli_marker *a,
                                const tmli_marker *b);  // angle from x_a to x_b about z_a

#endif
