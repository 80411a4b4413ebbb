// Points at which spheres, planes and boxes meet: places, normals and gaps alone, for many contacts at once.
// The points of element/shape have rounded edges and derivatives besides, which time stepping does not need.
#ifndef TMLI_ELEMENT_CONTACT_MEET_H
#define TMLI_ELEMENT_CONTACT_MEET_H

#include "element/shape/shape.h"

enum { TMLI_MEETINGS = 4 };  // points of a pair, at most

typedef struct tmli_meeting {
    vec3 point;   // half way between the surfaces, inertial [m]
    vec3 normal;  // from the first shape to the second
    double gap;   // [m], negative where they overlap
    uint32_t feature;
} tmli_meeting;

/** True if such shapes can meet. */
bool tmli_can_meet(tml_shape_type a, tml_shape_type b);
/** The points of two shapes that are closer than `reach` [m]; returns their number. */
int tmli_meet(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
              double reach, tmli_meeting out[TMLI_MEETINGS]);
/** The same of two boxes (meet_boxes.c). */
int tmli_meet_boxes(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                    double reach, tmli_meeting out[TMLI_MEETINGS]);

#endif
