// The points of a core by which it touches curved surfaces: its corners, and points along its edges and on
// its faces, where a hill may be between the corners.
#include "element/convex/polytope.h"

#include <math.h>

/** Points as they are found. */
typedef struct list {
    int count;
    vec3 *p;  // (TMLI_POLYTOPE_SAMPLES); those beyond are only counted
} list;

static void put(list *l, vec3 p)
{
    if (l->count < TMLI_POLYTOPE_SAMPLES) l->p[l->count] = p;
    l->count++;
}

static void put_edges(list *l, const tmli_polytope *P, double spacing)
{
    for (int i = 0; i < P->nedges; i++) {
        const tmli_edge *e = &P->edge[i];
        const int parts = (int)fmin(ceil(2 * e->half / spacing), TMLI_POLYTOPE_SAMPLES);
        for (int k = 1; k < parts; k++) put(l, v3_axpy(e->half * (2.0 * k / parts - 1), e->e, e->middle));
    }
}

static bool is_inside(const tmli_polytope *P, int face, vec3 p, double margin)
{
    for (int i = 0; i < P->nfaces; i++)
        if (i != face && v3_dot(P->face[i].n, p) > P->face[i].h - margin) return false;
    return true;
}

// Points of a lattice on a face, away from its edges.
static void put_face(list *l, const tmli_polytope *P, int face, double spacing)
{
    const vec3 n = P->face[face].n, other = fabs(n.x) < 0.8 ? v3(1, 0, 0) : v3(0, 1, 0);
    const vec3 across = v3_cross(n, other), u = v3_scale(1 / v3_norm(across), across), v = v3_cross(n, u);
    vec3 middle = v3(0, 0, 0);  // of the corners of the face
    int corners = 0;
    for (int i = 0; i < P->nvertices; i++) {
        if (fabs(v3_dot(n, P->vertex[i]) - P->face[face].h) > 1e-6 * P->bound) continue;
        middle = v3_add(middle, P->vertex[i]);
        corners++;
    }
    if (corners == 0) return;
    middle = v3_scale(1.0 / corners, middle);
    const int reach = (int)fmin(ceil(2 * P->bound / spacing), TMLI_POLYTOPE_SAMPLES);
    for (int i = -reach; i <= reach; i++)
        for (int j = -reach; j <= reach; j++) {
            const vec3 p = v3_axpy(i * spacing, u, v3_axpy(j * spacing, v, middle));
            if (is_inside(P, face, p, spacing / 4)) put(l, p);
        }
}

int tmli_polytope_samples(const tmli_polytope *P, double spacing, bool ends, vec3 *out)
{
    list l = {.p = out};
    for (spacing = fmin(spacing, P->bound);; spacing *= 1.1) {
        l.count = 0;
        for (int i = 0; i < P->nvertices; i++) put(&l, P->vertex[i]);
        if (!ends) put_edges(&l, P, spacing);
        for (int i = 0; i < P->nfaces; i++)
            if (!ends || P->face[i].n.z != 0) put_face(&l, P, i, spacing);
        if (l.count <= TMLI_POLYTOPE_SAMPLES || spacing > 2 * P->bound) break;
    }
    return l.count < TMLI_POLYTOPE_SAMPLES ? l.count : TMLI_POLYTOPE_SAMPLES;
}
