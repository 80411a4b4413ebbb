// Two boxes whose edges cross: the edges that are nearest to each other along the axis that separates the
// boxes most.
//
// The separation of two boxes with centres c, axes a_k, b_k and half edges along a unit vector n is
//   s(n) = n.(c_Y - c_X) - sum h_Xk |n.a_k| - sum h_Yk |n.b_k|                                           (1)
// They are apart if s > 0 for one of the 6 axes of their faces or the 9 directions a_i x b_j (Gottschalk,
// Lin, Manocha, SIGGRAPH (1996) 171). If they overlap, the direction with the largest s is that of the least
// way out; where it is a_i x b_j, two edges touch.
#include "element/shape/point.h"

#include "element/shape/constants.h"

static double reach(const tmli_shape *s, const tmli_place *x, vec3 n)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += s->half[k] * fabs(v3_dot(n, m3_col(&x->A, k)));
    return sum;
}

// The middle of the edge along axis i that is farthest in the direction n.
static vec3 edge_towards(const tmli_shape *s, const tmli_place *x, int i, vec3 n)
{
    vec3 p = x->c;
    for (int k = 0; k < 3; k++) {
        const vec3 a = m3_col(&x->A, k);
        if (k != i) p = v3_axpy(v3_dot(n, a) < 0 ? -s->half[k] : s->half[k], a, p);
    }
    return p;
}

// Point of contact of the edges i and j along n, if they pass each other between their ends.
static bool edges_cross(const tmli_shape *X, const tmli_place *x, int i, const tmli_shape *Y,
                        const tmli_place *y, int j, vec3 n, tmli_contact_point *out)
{
    const vec3 e = m3_col(&x->A, i), f = m3_col(&y->A, j), a = edge_towards(X, x, i, n),
               b = edge_towards(Y, y, j, v3_scale(-1, n)), w = v3_sub(b, a);
    const double c = v3_dot(e, f), square = 1 - c * c, we = v3_dot(w, e), wf = v3_dot(w, f),
                 s = (we - c * wf) / square, t = (c * we - wf) / square, gap = v3_dot(n, w);
    *out = (tmli_contact_point){.n = n,
                                .b = v3_axpy(t, f, b),
                                .gap = gap,
                                .feature = TMLI_FEATURE_LINE,
                                .e = e,
                                .f = f,
                                .spacing = gap};
    return fabs(s) <= X->half[i] && fabs(t) <= Y->half[j];
}

void tmli_box_edges(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                    tmli_contact_point *out)
{
    const vec3 w = v3_sub(y->c, x->c);
    double face = -INFINITY, edge = -INFINITY;
    int best = 0;
    vec3 axis = v3(0, 0, 1);
    for (int k = 0; k < 6; k++) {
        const vec3 n = m3_col(k < 3 ? &x->A : &y->A, k % 3);
        face = fmax(face, fabs(v3_dot(n, w)) - reach(X, x, n) - reach(Y, y, n));
    }
    for (int k = 0; k < 9; k++) {
        vec3 n = v3_cross(m3_col(&x->A, k / 3), m3_col(&y->A, k % 3));
        const double size = v3_norm(n);
        if (size < PARALLEL_LINES) continue;
        n = v3_scale((v3_dot(n, w) < 0 ? -1 : 1) / size, n);
        const double s = v3_dot(n, w) - reach(X, x, n) - reach(Y, y, n);  // (1)
        if (s <= edge) continue;
        edge = s;
        axis = n;
        best = k;
    }
    const double lead = edge - EDGE_PREFERENCE * face;  // of the edges before the faces
    if (edge < 0 && lead > 0 && edges_cross(X, x, best / 3, Y, y, best % 3, axis, out)) return;
    // apart, or in contact by a face, or beyond the ends of the edges
    const double most = fmax(face, edge);
    *out = (tmli_contact_point){.n = axis, .b = y->c, .gap = most > 0 ? most : lead > 0 ? -edge : -lead};
}
