// How far an angle turns on a path of its two bodies, with full turns.
//
// The value of an ANGLE measure tells an angle up to full turns. Between two configurations the number of
// turns is a property of the motion: a rotor may turn many times within a step. Increments of configurations
// keep it: a path s = 0 .. 1 leads from the start to the end of an increment.
#ifndef TMLI_ELEMENT_JOINT_TURNING_H
#define TMLI_ELEMENT_JOINT_TURNING_H

#include "element/joint/measure.h"
#include <stdbool.h>

/** A path on which bodies A and B rotate. */
typedef struct tmli_turning {
    double size;    // rotation of A and B relative to each other, at most [rad]
    double along;   // relative rotation about the axis of the angle at s = 0 [rad]
    double across;  // relative rotation about other axes, at most [rad]
    double period;  // in s, of a path that repeats itself; 0: none
    void (*attitudes)(const void *user, double s, mat3 *A, mat3 *B);  // any common frame
    const void *user;
} tmli_turning;

/** Relative rotations [rad] up to which the turn nearest to the angle at the start is the right one. */
bool tmli_turning_is_small(double size);
/** Axis about which the angle is measured, in the frame of the attitudes RA and RB. */
vec3 tmli_turning_axis(const tmli_measure *m, const mat3 *RA, const mat3 *RB);
/** Change of the angle m on the path, to well within half a turn; 0 if the path is small. */
double tmli_turning_change(const tmli_measure *m, const tmli_turning *p);

#endif
