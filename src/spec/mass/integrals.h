// Volume integrals of shapes of density 1.
#ifndef TMLI_SPEC_MASS_INTEGRALS_H
#define TMLI_SPEC_MASS_INTEGRALS_H

#include "element/outline/outline.h"
#include "math/math3.h"
#include "spec/mass/mesh.h"
#include <trammel/spec.h>

/** Integrals over a solid, in some axes: of 1, of x and of x x'. In planar models over an area. */
typedef struct tmli_integrals {
    double volume;  // [m^3], planar [m^2]
    vec3 first;     // [m^4]
    mat3 second;    // [m^5]
} tmli_integrals;

/** Of a shape in the axes of its place. False: a plane or a mesh. planar: spheres are discs, boxes
 * rectangles, capsules have round ends; other shapes have no area there and give false. */
bool tmli_integrals_of_shape(const tml_shape_def *d, bool planar, tmli_integrals *out);
/** Of the inside of closed triangles, in units of the file times scale. TML_ERR_MODEL: an edge has not as
 * many triangles on one side as on the other. */
tml_status tmli_integrals_of_mesh(const tmli_mesh_data *mesh, double scale, const tml_env *env,
                                  tmli_integrals *out, tml_error *err);
/** Of what an outline encloses. */
tmli_integrals tmli_integrals_of_outline(const tmli_outline *o);
/** sum += the integrals of a solid that is turned by C and then moved by r. */
void tmli_integrals_add(tmli_integrals *sum, const tmli_integrals *part, const mat3 *C, vec3 r);

#endif
