// Shared by the files of the contact problem.
#ifndef TMLI_LINALG_CONE_INTERNAL_H
#define TMLI_LINALG_CONE_INTERNAL_H

#include "linalg/cone/cone.h"

/** W (3 x 3): the velocity of p by unit impulses of q. */
void tmli_cone_block(const tmli_cone *c, const tmli_cone_point *p, const tmli_cone_point *q, double W[9]);
/** True for points of spheres: normal and tangents are not coupled but for round-off, and the tangents are
 * alike. Such a point slips against its slip without friction. */
bool tmli_cone_is_round(const double W[6]);
/** Largest residual of points [m/s]. */
double tmli_cone_island_residual(const tmli_cone *c, const int *order, int count);
/** Replace the impulses of an island, at most TMLI_CONE_DIRECT points, by a solution at once (modes.c), if
 * its residual is less than the present one; returns the residual. stick: the first modes are that all
 * stick, not those of the present impulses. wanted: a residual that is small enough. */
double tmli_cone_at_once(tmli_cone *c, const int *order, int count, bool stick, double residual,
                         double wanted);

#endif
