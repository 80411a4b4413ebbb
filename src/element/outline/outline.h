// Closed curves in a plane: the outlines of cams, gears and other planar profiles.
//
// An outline is a chain of pieces, straight lines, arcs and cubics, with a continuous tangent; it goes
// counter-clockwise, with the solid on its left. A coordinate s counts parts: TMLI_OUTLINE_PARTS of equal
// parameter per piece, 0 <= s < n. With the tangent c'/|c'| = t, the outward normal is n = (t_y, -t_x), and
//   curvature k = (c' x c'')/|c'|^3 [1/m], positive where the outline is convex.
//
// The distance of a point p from the outline has a local minimum where (c - p).c' = 0 changes its sign from
// - to +. A part holds at most one: pieces turn by less than a right angle. It is searched for only in parts
// near enough: a part is within max |c''|/8 of its chord, and a tree of circles contains blocks of them.
#ifndef TMLI_ELEMENT_OUTLINE_OUTLINE_H
#define TMLI_ELEMENT_OUTLINE_OUTLINE_H

#include "base/base.h"
#include <stdbool.h>
#include <trammel/spec.h>

enum { TMLI_OUTLINE_PARTS = 4, TMLI_OUTLINE_BLOCK = 4 * TMLI_OUTLINE_PARTS };

typedef struct tmli_vec2 {
    double x, y;
} tmli_vec2;

typedef struct tmli_outline_piece {
    bool arc;
    tmli_vec2 c[4];               // c[0] + c[1] u + c[2] u^2 + c[3] u^3, 0 <= u <= 1
    tmli_vec2 centre;             // arc
    double radius, angle, sweep;  // arc: at u = 0, and to u = 1; sweep > 0: convex
} tmli_outline_piece;

/** Contains a piece of an outline. */
typedef struct tmli_circle {
    tmli_vec2 middle;
    double reach;  // radius; negative: contains nothing
} tmli_circle;

typedef struct tmli_outline {
    int npieces, nparts, nblocks;
    tmli_outline_piece *piece;
    tmli_vec2 *at, *along;  // (nparts) c and c' by s at the beginning of each part
    double *sag;            // (nparts) distance of a part from its chord, at most, with round-off [m]
    int leaves;             // a power of 2, >= nblocks
    tmli_circle *node;      // (2 leaves) node[1] contains all, node[i] contains node[2 i] and node[2 i + 1]
    tmli_circle *block;     // (nblocks) node + leaves: of TMLI_OUTLINE_BLOCK parts
    double longest;         // greatest |c'| [m], about the length of the longest part
    double bound;           // radius about the origin
} tmli_outline;

/** A place on an outline. */
typedef struct tmli_outline_place {
    double s;
    tmli_vec2 c, n;    // place, outward normal
    double curvature;  // [1/m]
    double speed;      // |c'| [m]
    bool arc, straight;
} tmli_outline_place;

/** A smooth curve, the periodic cubic spline by chord length, or a polygon with rounded corners.
 * point (count x 3, z unused): in either sense of rotation, all different; those of one of `repeat` equal
 * sectors about the origin. Errors: TML_ERR_MODEL (said in err without a position), TML_ERR_NOMEM. */
tml_status tmli_outline_spline(const double *point, int count, int repeat, tmli_arena *a, tmli_outline *out,
                               tml_error *err);
tml_status tmli_outline_polygon(const double *point, int count, int repeat, double rounding, tmli_arena *a,
                                tmli_outline *out, tml_error *err);

/** The outline of the definition of a profile. One that crosses itself is refused: it has no inside. */
tml_status tmli_outline_of(const tml_shape_def *d, tmli_arena *a, tmli_outline *out, tml_error *err);

/** Whether it crosses itself, and where. */
bool tmli_outline_crosses(const tmli_outline *o, tmli_vec2 *at);

tmli_outline_place tmli_outline_at(const tmli_outline *o, double s);
/** Visit the places with local minima of the distance of p within `reach`; returns their number. */
typedef void tmli_outline_visit(const tmli_outline_place *place, void *user);
int tmli_outline_near(const tmli_outline *o, tmli_vec2 p, double reach, tmli_outline_visit *visit,
                      void *user);
/** The nearest place; *distance: negative within the outline. */
tmli_outline_place tmli_outline_nearest(const tmli_outline *o, tmli_vec2 p, double *distance);
/** The nearest local minimum of the distance, if it is within `reach`. */
bool tmli_outline_nearest_within(const tmli_outline *o, tmli_vec2 p, double reach, tmli_outline_place *out,
                                 double *distance);
/** The place of a local minimum of the distance beside s, if there is one in its part or the next ones. */
bool tmli_outline_follow(const tmli_outline *o, tmli_vec2 p, double s, tmli_outline_place *out);

#endif
