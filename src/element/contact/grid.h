// Shapes that are near each other, found by cells: linear in the number of shapes.
//
// Space is divided into cubes at least as wide as the largest shape, so that two shapes that touch are in the
// same cube or in neighbouring ones. Cubes are kept in a hash table by counting sort: the order of the pairs
// depends on the places alone, not on what was computed before.
#ifndef TMLI_ELEMENT_CONTACT_GRID_H
#define TMLI_ELEMENT_CONTACT_GRID_H

#include "math/math3.h"
#include <stddef.h>
#include <stdint.h>

typedef struct tmli_grid {
    int count;        // shapes
    int buckets;      // a power of two
    double cell;      // width of a cube [m]
    int32_t *cube;    // (3 count) cube of a shape
    int32_t *begin;   // (buckets + 1) first of a bucket in `order`
    int32_t *order;   // (count) shapes by bucket
    int32_t *bucket;  // (count)
} tmli_grid;

/** Bytes of memory of a grid of `count` shapes. */
size_t tmli_grid_bytes(int count);
/** A grid in this memory. */
tmli_grid tmli_grid_in(void *memory, int count, double cell);
/** Sort the shapes with these centres (count). */
void tmli_grid_fill(tmli_grid *g, const vec3 *centre);

typedef void tmli_grid_visit(int i, int j, void *user);
/** Visit the pairs in the same or in neighbouring cubes, each once, in ascending order of i. */
void tmli_grid_pairs(const tmli_grid *g, tmli_grid_visit *visit, void *user);

#endif
