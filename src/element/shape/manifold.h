// Points of contact of a pair as they are found: those that overlap, or the one with the least gap.
#ifndef TMLI_ELEMENT_SHAPE_MANIFOLD_H
#define TMLI_ELEMENT_SHAPE_MANIFOLD_H

#include "element/shape/point.h"

typedef struct tmli_manifold {
    tmli_contact_point *out;  // (TMLI_PAIR_POINTS)
    int count;                // that overlap
    double gap;               // the least one that does not, in out[0] if count is 0
} tmli_manifold;

/** Take a point, if it overlaps or is the nearest so far. If there is no room it takes that of the
 * shallowest. */
void tmli_manifold_put(tmli_manifold *m, const tmli_contact_point *k);
/** Number of points, at least 1. */
static inline int tmli_manifold_count(const tmli_manifold *m) { return m->count > 0 ? m->count : 1; }

/** Vertices of the core of Y beside the core of X. swapped: X is the second shape of the pair. */
void tmli_manifold_vertices(tmli_manifold *m, const tmli_shape *X, const tmli_place *x, const tmli_shape *Y,
                            const tmli_place *y, bool swapped);
/** The same beside a cylinder whose rims are rounded by m. */
tmli_contact_point tmli_cylinder_beside(const tmli_shape *X, const tmli_place *x, double m, vec3 b,
                                        double radius);
/** True if the cores overlap. face: of X, along which Y is out by the shortest way; depth: of the cores in
 * each other, along any way [m]. X has faces. */
bool tmli_cores_overlap(const tmli_polytope *X, const tmli_place *x, const tmli_polytope *Y,
                        const tmli_place *y, int *face, tmli_graded *depth);
/** Edges of the cores that cross. */
void tmli_manifold_edges(tmli_manifold *m, const tmli_polytope *X, const tmli_place *x,
                         const tmli_polytope *Y, const tmli_place *y);

#endif
