// Surfaces of triangles, made of boxes and bodies of revolution.
#ifndef TMLI_VIEW_EXPORT_SURFACE_H
#define TMLI_VIEW_EXPORT_SURFACE_H

#include "base/base.h"
#include "math/math3.h"

/** Start with {.env = env}; cleared by tmli_surface_clear. */
typedef struct tmli_surface {
    const tml_env *env;
    float *vertex, *normal;  // (vertices x 3) [m], unit
    int *triangle;           // (triangles x 3), counterclockwise from outside
    int vertices, triangles, vertex_room, triangle_room;
    bool failed;  // memory is exhausted; what follows is dropped
} tmli_surface;

/** Where a part is: R maps its axes to those of the surface. */
typedef struct tmli_spot {
    mat3 R;
    vec3 p;
} tmli_spot;

void tmli_surface_clear(tmli_surface *s);
void tmli_surface_box(tmli_surface *s, const tmli_spot *at, const double size[3]);
void tmli_surface_sphere(tmli_surface *s, const tmli_spot *at, double radius);
// about z, from -length/2 to length/2
void tmli_surface_cylinder(tmli_surface *s, const tmli_spot *at, double radius, double length);
void tmli_surface_cone(tmli_surface *s, const tmli_spot *at, double radius, double length);
void tmli_surface_capsule(tmli_surface *s, const tmli_spot *at, double radius, double length);
void tmli_surface_torus(tmli_surface *s, const tmli_spot *at, double radius, double tube);
/** A round bar from a to b. */
void tmli_surface_bar(tmli_surface *s, vec3 a, vec3 b, double radius);
/** Triangles with corners of their own; `point` is (3 x 3). */
void tmli_surface_triangle(tmli_surface *s, const tmli_spot *at, const vec3 point[3]);

#endif
