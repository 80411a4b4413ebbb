// Convex bodies with flat faces: the cores of shapes.
//
// A core with the radius `rounding` about all of its points is the body that touches. Distances between such
// cores have continuous derivatives by the place as long as the cores are apart, which those between the
// bodies with sharp edges do not have where they overlap.
#ifndef TMLI_ELEMENT_CONVEX_POLYTOPE_H
#define TMLI_ELEMENT_CONVEX_POLYTOPE_H

#include "base/base.h"
#include "math/math3.h"

enum {
    TMLI_POLYTOPE_VERTICES = 100,
    TMLI_POLYTOPE_FACES = 2 * TMLI_POLYTOPE_VERTICES,
    TMLI_POLYTOPE_EDGES = 3 * TMLI_POLYTOPE_VERTICES
};

/** An edge; its faces are on the sides into[0], into[1], unit vectors along the face and across the edge. */
typedef struct tmli_edge {
    vec3 middle, e;  // e: unit vector along the edge
    double half;     // half of its length [m]
    double taper;    // [m] the last part of an axis, where its side ends; 0: none
    int nfaces;      // 2; 0: a segment without faces
    vec3 into[2];
} tmli_edge;

/** Half space n.x <= h. */
typedef struct tmli_half_space {
    vec3 n;
    double h;
} tmli_half_space;

/** A core, in the axes of its shape. */
typedef struct tmli_polytope {
    int nvertices, nedges, nfaces;  // without faces: a segment
    vec3 *vertex;
    tmli_edge *edge;
    tmli_half_space *face;
    double rounding;  // [m]
    double bound;     // greatest distance of a vertex from the origin [m]
} tmli_polytope;

/** A segment of the half length along z. */
tml_status tmli_polytope_segment(double half, double rounding, tmli_arena *a, tmli_polytope *out,
                                 tml_error *err);
enum { TMLI_PRISM_SIDES = 24 };
/** A prism in a cylinder along z, a little narrower than it. Its edges are those of its ends. */
tml_status tmli_polytope_prism(double radius, double half, tmli_arena *a, tmli_polytope *out, tml_error *err);
/** A box with the half edges h. flat: a rectangle; its four vertices have z = 0, its faces are without end
 * along z. */
tml_status tmli_polytope_box(const double h[3], bool flat, tmli_arena *a, tmli_polytope *out, tml_error *err);

/** What is lost from points to their hull. */
typedef struct tmli_hull_loss {
    double beyond;  // of the distance of a point from the hull, if there are too many [m]
    double hollow;  // greatest depth of a point in the hull [m]
} tmli_hull_loss;

/** The hull of points, about the mean *centre of its corners, which is their new origin. Errors:
 * TML_ERR_MODEL (the points are in a plane), TML_ERR_NOMEM. */
tml_status tmli_polytope_hull(const vec3 *point, int count, tmli_arena *a, tmli_polytope *out, vec3 *centre,
                              tmli_hull_loss *loss, tml_error *err);

// of a core: a box with 5 x 5 points on each face has 98, and all that overlap are points of one pair
enum { TMLI_POLYTOPE_SAMPLES = 100 };
/** Its corners, and points along its edges and on its faces, out (TMLI_POLYTOPE_SAMPLES). They are not
 * farther apart than `spacing`, nor than its size, as long as there are not too many. ends: of its faces only
 * those across z. Returns their number. */
int tmli_polytope_samples(const tmli_polytope *P, double spacing, bool ends, vec3 *out);

/** The place of a point beside a core. */
typedef struct tmli_nearest_point {
    double distance;  // from the core [m]; negative inside: that of the nearest face
    vec3 n;           // unit vector from the core to the point
    int kind;         // 0: the point is over a vertex, 1: over an edge, 2: over a face or inside
    vec3 e;           // kind 1: along the edge
} tmli_nearest_point;

/** Least distance of a point from the core that its faces show; at most the distance. */
double tmli_polytope_bound_distance(const tmli_polytope *P, vec3 p);
tmli_nearest_point tmli_polytope_nearest(const tmli_polytope *P, vec3 p);

#endif
