// The relative motion that a constraint row prevents, in words: the direction of the reaction component of
// the row.
#ifndef TMLI_MODEL_COMPONENT_H
#define TMLI_MODEL_COMPONENT_H

#include "model/model.h"

typedef enum tmli_component_kind {
    // along x, y or z: inertial axes if two points coincide, axes of frame a if the joint slides
    TMLI_COMPONENT_DISPLACEMENT,
    TMLI_COMPONENT_ROTATION,  // about x, y or z of frame a
    TMLI_COMPONENT_LENGTH,    // of a rod
    TMLI_COMPONENT_LEAD,      // of a screw
    TMLI_COMPONENT_RATIO,     // of a gear or rack
    TMLI_COMPONENT_SLIP,      // of a wheel or blade
    TMLI_COMPONENT_MOTION     // of a driver
} tmli_component_kind;

enum { TMLI_COMPONENT_NO_AXIS = 3 };

typedef struct tmli_component {
    tmli_component_kind kind;
    int axis;  // 0 x, 1 y, 2 z, TMLI_COMPONENT_NO_AXIS: none, or there is only one (planar models)
} tmli_component;

tmli_component tmli_row_component(const tml_model *m, int row);

/** Text for components of one joint: "displacement along x and z", "rotation about y and length". Returns the
 * number of phrases, which decides between singular and plural of the verb. */
int tmli_component_text(const tmli_component *list, int count, char *buf, size_t size);

#endif
