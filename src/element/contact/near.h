// A list of the shapes that are near each other, kept while they hardly move (Verlet, Phys. Rev. 159 (1967)
// 98).
//
// The list has the pairs whose bounding spheres are closer than a skin. As long as no centre has moved by
// more than half of the skin since, every pair that touches is in it. Its pairs are sorted by their numbers:
// those that touch are visited in an order that does not depend on when the list was made.
#ifndef TMLI_ELEMENT_CONTACT_NEAR_H
#define TMLI_ELEMENT_CONTACT_NEAR_H

#include "element/contact/grid.h"

typedef struct tmli_near {
    int count;         // shapes
    double skin;       // [m]
    tmli_grid grid;    // scratch; its cells are wider than the largest shape and the skin
    vec3 *at;          // (count) centres at which the list was made
    int32_t *made;     // 1 if it was, else 0
    int32_t *first;    // (count + 1) first partner of a shape
    int32_t *partner;  // partners of each shape with smaller numbers, ascending
} tmli_near;

/** Bytes of memory of a list of `count` shapes. */
size_t tmli_near_bytes(int count);
/** A list in this memory, which keeps it; zeros: it has not been made. width: of the largest shape [m]. */
tmli_near tmli_near_in(void *memory, int count, double width);
/** Visit all pairs i > j whose spheres with these centres and radii (count) touch, and others. */
void tmli_near_pairs(tmli_near *l, const vec3 *centre, const double *radius, tmli_grid_visit *visit,
                     void *user);

#endif
