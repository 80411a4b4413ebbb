// The convex hull of points in space.
#ifndef TMLI_ELEMENT_CONVEX_HULL_H
#define TMLI_ELEMENT_CONVEX_HULL_H

#include "base/base.h"
#include "math/math3.h"

/** A hull: triangles, counterclockwise seen from outside. */
typedef struct tmli_hull {
    int ncorners, ntriangles;
    int *corner;         // (ncorners) indices of points
    int (*triangle)[3];  // (ntriangles) indices of points
    double left;         // greatest distance of a point beyond the hull [m]
} tmli_hull;

/** The hull of `count` points with at most `most` corners, those that stand out farthest first; points within
 * `near` of it are none. The caller clears *out. Errors: TML_ERR_MODEL (the points are in a plane within
 * `near`), TML_ERR_NOMEM. */
tml_status tmli_hull_build(const vec3 *point, int count, int most, double near, const tml_env *env,
                           tmli_hull *out, tml_error *err);
void tmli_hull_clear(tmli_hull *h, const tml_env *env);

#endif
