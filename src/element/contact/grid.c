// Cells of space; see grid.h.
#include "element/contact/grid.h"

#include <string.h>

static int bucket_count(int count)
{
    int buckets = 16;
    while (buckets < 2 * count) buckets *= 2;
    return buckets;
}

size_t tmli_grid_bytes(int count)
{
    return (5 * (size_t)count + (size_t)bucket_count(count) + 1) * sizeof(int32_t);
}

tmli_grid tmli_grid_in(void *memory, int count, double cell)
{
    tmli_grid g = {.count = count, .buckets = bucket_count(count), .cell = cell, .cube = memory};
    g.order = g.cube + 3 * count;
    g.bucket = g.order + count;
    g.begin = g.bucket + count;
    return g;
}

// Large primes mix the numbers of a cube (Teschner et al., Proc. Vision, Modeling, Visualization (2003) 47).
static int32_t hash(const tmli_grid *g, int32_t x, int32_t y, int32_t z)
{
    const uint32_t h = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
    return (int32_t)(h & (uint32_t)(g->buckets - 1));
}

// Far away all is one cube: shapes that have flown off would overflow.
static int32_t cube_of(double x, double cell)
{
    const double most = 1e9, c = floor(x / cell);
    return (int32_t)(c > most ? most : c < -most ? -most : c == c ? c : 0);
}

void tmli_grid_fill(tmli_grid *g, const vec3 *centre)
{
    memset(g->begin, 0, ((size_t)g->buckets + 1) * sizeof *g->begin);
    for (int i = 0; i < g->count; i++) {
        int32_t *const c = g->cube + 3 * i;
        c[0] = cube_of(centre[i].x, g->cell);
        c[1] = cube_of(centre[i].y, g->cell);
        c[2] = cube_of(centre[i].z, g->cell);
        g->bucket[i] = hash(g, c[0], c[1], c[2]);
        g->begin[g->bucket[i] + 1]++;
    }
    for (int b = 0; b < g->buckets; b++) g->begin[b + 1] += g->begin[b];
    for (int i = g->count - 1; i >= 0; i--) g->order[--g->begin[g->bucket[i] + 1]] = i;
    // begin[b + 1] is now the first of bucket b
    memmove(g->begin, g->begin + 1, (size_t)g->buckets * sizeof *g->begin);
    g->begin[g->buckets] = g->count;
}

// Partners of shape i in one cube, those below `end`; different cubes may share a bucket.
static void visit_cube(const tmli_grid *g, int i, const int32_t cube[3], int end, tmli_grid_visit *visit,
                       void *user)
{
    const int32_t b = hash(g, cube[0], cube[1], cube[2]);
    for (int32_t k = g->begin[b]; k < g->begin[b + 1] && g->order[k] < end; k++) {
        const int32_t j = g->order[k], *const c = g->cube + 3 * j;
        if (c[0] == cube[0] && c[1] == cube[1] && c[2] == cube[2]) visit(i, j, user);
    }
}

// The cube of a shape and the 13 of its neighbours that come before it in the order z, y, x: the others find
// the shape as their partner.
void tmli_grid_pairs(const tmli_grid *g, tmli_grid_visit *visit, void *user)
{
    enum { OWN = 13 };
    for (int i = 0; i < g->count; i++)
        for (int n = 0; n <= OWN; n++) {
            const int32_t *const c = g->cube + 3 * i;
            const int32_t near[3] = {c[0] + n % 3 - 1, c[1] + n / 3 % 3 - 1, c[2] + n / 9 - 1};
            visit_cube(g, i, near, n == OWN ? i : g->count, visit, user);
        }
}
