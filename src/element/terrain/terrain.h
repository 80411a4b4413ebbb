// Height fields: a smooth surface z(x, y) through a grid of heights over a rectangle, and the feet of points
// on it.
//
// The rectangle is about the origin, `length` along x and `width` along y. z is the bicubic spline through
// the heights: twice continuously differentiable, so that the normal of a contact and its derivatives are
// continuous where a body rolls from one cell to the next. Steps need not end there. Beyond the rectangle
// it goes on with the slope at the edge, so that points above the edge have feet.
#ifndef TMLI_ELEMENT_TERRAIN_TERRAIN_H
#define TMLI_ELEMENT_TERRAIN_TERRAIN_H

#include "base/base.h"
#include "math/math3.h"
#include <trammel/spec.h>

/** A node of the grid in units of cells: z, z_x hx, z_y hy, z_xy hx hy [m]. */
typedef struct tmli_terrain_node {
    double z, x, y, xy;
} tmli_terrain_node;

typedef struct tmli_terrain {
    int nx, ny;               // nodes along x and y
    double half[2];           // half of the rectangle [m]
    double cell[2];           // hx, hy [m]
    double low, high;         // bounds of z [m]
    double slope;             // bound of |grad z|
    double hollow;            // greatest curvature of its hollows that nodes and middles of cells show [1/m]
    double bound;             // radius of the sphere about the origin that contains the surface [m]
    double overshoot;         // how far z leaves the range of the heights, over that range
    tmli_terrain_node *node;  // (ny + 2 x nx + 2), x fastest, with a border about the grid
} tmli_terrain;

/** heights (ny x nx): the first row is at the least y, the first number of a row at the least x [m]. Errors:
 * TML_ERR_NOMEM. */
tml_status tmli_terrain_create(int nx, int ny, const double *heights, double scale, double length,
                               double width, tmli_arena *a, tmli_terrain *out, tml_error *err);
/** That of a checked definition. */
tml_status tmli_terrain_of(const tml_shape_def *d, tmli_arena *a, tmli_terrain *out, tml_error *err);

/** z and its derivatives. */
typedef struct tmli_terrain_jet {
    double z, x, y, xx, xy, yy;
} tmli_terrain_jet;

/** Distance of b from the rectangle, seen from above; 0 over it [m]. */
double tmli_terrain_outside(const tmli_terrain *t, vec3 b);
/** At (x, y). */
tmli_terrain_jet tmli_terrain_at(const tmli_terrain *t, double x, double y);
/** z alone. */
double tmli_terrain_height(const tmli_terrain *t, double x, double y);
/** A lower bound of the distance of b from the surface; negative below it [m]. */
double tmli_terrain_clearance(const tmli_terrain *t, vec3 b);

/** The foot c of a point b: a local minimum of the distance. */
typedef struct tmli_terrain_foot {
    vec3 c, n;        // n: unit normal, upwards
    double distance;  // of b along n [m]; negative below the surface
    // b moves by d across n: n turns by sum_i e_i (e_i.d) k_i/(1 + k_i distance). Curvatures k are positive
    // where the surface is convex.
    vec3 e[2];
    double k[2];
} tmli_terrain_foot;

enum { TMLI_TERRAIN_FEET = 8 };
/** The foot of b next to (x, y), by Newton's method. */
tmli_terrain_foot tmli_terrain_descend(const tmli_terrain *t, vec3 b, double x, double y);
/** The feet nearer than `reach`, or the nearest one; returns their number, at least 1. Hollows of the surface
 * that are narrower than a cell are not searched. */
int tmli_terrain_feet(const tmli_terrain *t, vec3 b, double reach, tmli_terrain_foot out[TMLI_TERRAIN_FEET]);

#endif
