// Shapes by which bodies touch, and their places in space.
//
// A shape has a centre and axes of its own, fixed to a body or the ground: z is the normal of a plane and the
// axis of a cylinder or capsule.
#ifndef TMLI_ELEMENT_SHAPE_SHAPE_H
#define TMLI_ELEMENT_SHAPE_SHAPE_H

#include "element/convex/polytope.h"
#include "element/joint/measure.h"
#include "element/outline/outline.h"
#include "element/terrain/terrain.h"
#include <trammel/spec.h>

typedef struct tmli_shape {
    const char *name;
    tml_shape_type type;
    int body;        // node; -1: ground
    vec3 s;          // centre, or a point of a plane, body frame [m]
    mat3 C;          // shape axes to body axes
    double radius;   // sphere, cylinder, capsule [m]; box: 0
    double half[3];  // box: half edges; cylinder, capsule: half length in [2] [m]
    bool flat;       // of a planar model
    double youngs_modulus, poisson;
    double inverse_mass;          // of its body [1/kg]; ground: 0
    double bound;                 // tmli_shape_bound
    const tmli_polytope *axis;    // cylinder: its axis, with its radius
    const tmli_polytope *core;    // box, capsule, mesh: tmli_shape_set_core
    const tmli_outline *outline;  // profile
    const tmli_terrain *terrain;  // height field
    const vec3 *sample;           // (nsamples) points of the core that touch height fields, shape axes
    int nsamples;
    int ncircles;  // cylinder: circles about its axis that touch height fields; 0: they would not fit
} tmli_shape;

/** The place of a shape: centre and axes in inertial components. */
typedef struct tmli_place {
    vec3 c;
    mat3 A;
} tmli_place;

static inline tmli_place tmli_shape_place(const tmli_shape *s, const tmli_pose *B)
{
    return (tmli_place){v3_add(B->r, m3_mulv(&B->R, s->s)), m3_mul(&B->R, &s->C)};
}

/** Set the core of a box or capsule, in the arena; other shapes have none. */
tml_status tmli_shape_set_core(tmli_shape *s, tmli_arena *a, tml_error *err);
/** Set the points that touch height fields whose cells are `cell` wide [m] and whose hollows have curvatures
 * up to `hollow` [1/m]; shapes without a core have none. */
tml_status tmli_shape_set_samples(tmli_shape *s, double cell, double hollow, tmli_arena *a, tml_error *err);
/** Radius of the sphere about the centre that contains the shape [m]; a plane: INFINITY. */
double tmli_shape_bound(const tmli_shape *s);
/** Radius of the spheres of which its surface consists where others touch it [m]; 0: it has edges or is
 * flat. */
double tmli_shape_curvature_radius(const tmli_shape *s);

#endif
