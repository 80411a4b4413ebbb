// A point of contact between two shapes X and Y, and how it moves with them (docs/theory/contact.md).
//
// n is the unit normal from X to Y and g [m] the gap along it, negative where they overlap. b is a point of
// the feature of Y that touches, at the distance `rounding` below its surface: the centre of a sphere, the
// corner of a box. The contact acts half way between the two surfaces, at
//   p = b - (rounding + g/2) n                                                                            (1)
// The surfaces are nearest to each other along n, so that the gap changes by the motion of p alone, as a
// point of Y and as one of X:   dg = n.(d_Y(p) - d_X(p)).                                                 (2)
// With the rotation th_X of X and the motion of b seen from X, b' = db - d_X(b),
//   dn = th_X x n + (b' - n (n.b') - c e (e.b'))/L                                                        (3)
// where L is the distance of b from the feature of X: 1/L = 0 for a face; for a corner c = 0; along an edge
// with the direction e c = 1; on a circle with the tangent e and the radius r c = r/rho with the distance rho
// of b from the axis. Beside a curved surface 1/L is k/(1 + k L) with its curvature k across e, which may be
// negative, and (1 - c)/L the same along e (profile_pairs.c, terrain_pairs.c).
//
// Near the end of its edge or face the force of a point is reduced smoothly to zero: it is that of the law
// times 1 - fade. So is the potential of its spring, V = (1 - fade) E(g), and the force
//   min(E, E(-shallow)) d(fade)/d(c, th)                                                                  (4)
// by the motion c of the pivot and the rotation th of Y, seen from X, makes the spring conservative down to
// the depth `shallow`. At greater depths it would be a wall that keeps bodies where they have sunk in.
#ifndef TMLI_ELEMENT_SHAPE_POINT_H
#define TMLI_ELEMENT_SHAPE_POINT_H

#include "element/shape/graded.h"
#include "element/shape/shape.h"

/** What of Y touches. */
typedef enum tmli_feature {
    TMLI_FEATURE_POINT,  // b is fixed in Y
    TMLI_FEATURE_LINE,   // b is on a line of Y that crosses a line of X: the normal is that of both
    TMLI_FEATURE_RIM,    // b is the lowest point of a circle of Y over a face of X
    TMLI_FEATURE_CIRCLE  // b is the lowest point of a circle of Y over a curved X
} tmli_feature;

typedef struct tmli_contact_point {
    double gap;
    vec3 n, b;
    double rounding;  // [m]
    bool swapped;     // X is the second shape of the pair
    double inverse;   // 1/L of (3) [1/m]
    double share;     // c
    vec3 e;
    tmli_feature feature;
    vec3 f;            // LINE: direction of the line of Y; RIM, CIRCLE: axis of the circle
    vec3 centre;       // RIM, CIRCLE: of the circle
    double rim;        // RIM, CIRCLE: its radius [m]
    double dome;       // RIM: roundness of the end, see cylinder_plane.c
    double spacing;    // LINE: distance of the two lines, signed along n [m]
    tmli_graded fade;  // 0: whole, 1: no force
    vec3 pivot;        // of Y, for the derivatives of fade
    double shallow;    // depth up to which (4) grows [m]
} tmli_contact_point;

enum { TMLI_PAIR_POINTS = 100 };  // points of contact of a pair, at most

/** Points of contact of a pair; their number is the same at every place. */
typedef void tmli_pair_function(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y,
                                const tmli_place *y, tmli_contact_point *out);
/** The points that overlap, of as many as there are, or the one with the least gap; returns their number. */
typedef int tmli_manifold_function(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y,
                                   const tmli_place *y, tmli_contact_point *out);

/** A pair of types. Its shapes are in this order. */
typedef struct tmli_pair_type {
    tml_shape_type first, second;
    tmli_pair_function *points;        // each with a mode of its own; NULL: none
    tmli_manifold_function *manifold;  // all points of the pair with one mode; without `points`, or in space
    int count[2];                      // modes in space and in a planar model
} tmli_pair_type;

/** The function of two types; *swap: the second is the first of the pair. NULL: such shapes cannot touch. */
const tmli_pair_type *tmli_pair_find(tml_shape_type a, tml_shape_type b, bool *swap);
/** Number of modes of such a pair; flat: in a planar model. */
int tmli_pair_count(const tmli_pair_type *t, bool flat);
/** True if all points of the pair have one mode. */
bool tmli_pair_is_shared(const tmli_pair_type *t, bool flat);
/** The points of contact of a pair; returns their number. */
int tmli_pair_points(const tmli_pair_type *t, const tmli_shape *X, const tmli_place *x, const tmli_shape *Y,
                     const tmli_place *y, tmli_contact_point out[TMLI_PAIR_POINTS]);

/** A motion of the two bodies: translations of their centres of mass, rotations; inertial axes. */
typedef struct tmli_pair_motion {
    vec3 dr[2], th[2];
} tmli_pair_motion;

/** p of (1). */
static inline vec3 tmli_point_place(const tmli_contact_point *k)
{
    return v3_axpy(-(k->rounding + k->gap / 2), k->n, k->b);
}
/** Changes of n and p by a motion; r: centres of mass of X and Y. */
void tmli_point_move(const tmli_contact_point *k, const vec3 r[2], const tmli_pair_motion *d, vec3 *dn,
                     vec3 *dp);
/** Corner i of a box. */
vec3 tmli_box_corner(const tmli_shape *s, const tmli_place *x, int i);
/** A point b beside or inside of a box. */
tmli_contact_point tmli_box_beside(const tmli_shape *X, const tmli_place *x, vec3 b);

tmli_pair_function tmli_sphere_sphere, tmli_sphere_plane, tmli_capsule_plane, tmli_capsule_sphere,
    tmli_capsule_capsule, tmli_box_plane, tmli_box_sphere, tmli_box_box, tmli_cylinder_plane,
    tmli_cylinder_sphere;
tmli_manifold_function tmli_core_core, tmli_mesh_plane, tmli_mesh_sphere, tmli_cylinder_core,
    tmli_cylinder_cylinder, tmli_profile_sphere, tmli_profile_plane, tmli_profile_profile,
    tmli_terrain_sphere, tmli_terrain_core, tmli_terrain_cylinder;

#endif
