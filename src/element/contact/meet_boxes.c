// Two boxes: the axis along which they are farthest apart (separating axes; Gottschalk, Lin, Manocha, Proc.
// SIGGRAPH (1996) 171) is the normal. It belongs to a face, against which the nearest face of the other
// box is clipped (Sutherland, Hodgman, Comm. ACM 17 (1974) 32), or to two edges, which meet in one point.
// Of faces at most four points count: the deepest, and those that span the largest area with it.
#include "element/contact/meet.h"

#include <math.h>

#include "element/contact/constants.h"

enum { MOST_CORNERS = 8 };  // of a rectangle clipped by another

typedef struct axes {
    vec3 a[2][3];  // axes of both boxes
    double half[2][3];
    vec3 d;     // from the centre of the first to that of the second
    int sides;  // 2 in the plane, else 3
} axes;

typedef struct normal_axis {
    double gap;  // along it
    vec3 n;      // from the first to the second
    int box;     // whose face it is of; -1: two edges
    int axis, other;
} normal_axis;

typedef struct corner {
    vec3 p;
    double gap;
} corner;

// The gap along a unit vector, which is turned towards the second box.
static normal_axis along(const axes *s, vec3 n)
{
    const double d = v3_dot(n, s->d);
    double reach = 0;
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < s->sides; k++) reach += s->half[b][k] * fabs(v3_dot(n, s->a[b][k]));
    return (normal_axis){.gap = fabs(d) - reach, .n = d < 0 ? v3_scale(-1, n) : n, .box = -1};
}

// Edges count where they are clearly farther apart than faces: faces have several points, and stay.
static normal_axis find_normal(const axes *s)
{
    normal_axis best = {.gap = -INFINITY};
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < s->sides; k++) {
            normal_axis c = along(s, s->a[b][k]);
            const double margin = b > 0 ? FACE_PREFERENCE * s->half[b][k] : 0;
            if (!(c.gap > best.gap + margin)) continue;
            c.box = b;
            c.axis = k;
            best = c;
        }
    const normal_axis face = best;
    for (int i = 0; i < 3 && s->sides == 3; i++)
        for (int k = 0; k < 3; k++) {
            const vec3 e = v3_cross(s->a[0][i], s->a[1][k]);
            const double size = v3_norm(e);
            if (size < PARALLEL_EDGES) continue;
            normal_axis c = along(s, v3_scale(1 / size, e));
            if (!(c.gap > best.gap) || !(c.gap > face.gap + FACE_PREFERENCE * s->half[0][i])) continue;
            c.axis = i;
            c.other = k;
            best = c;
        }
    return best;
}

// The middle of the shortest line between the edges that are nearest to each other.
static int meet_edges(const axes *s, const tmli_place *x, const normal_axis *at, tmli_meeting *out)
{
    vec3 p = x->c, q = v3_add(x->c, s->d);
    for (int k = 0; k < 3; k++) {
        if (k != at->axis)
            p = v3_axpy(v3_dot(s->a[0][k], at->n) > 0 ? s->half[0][k] : -s->half[0][k], s->a[0][k], p);
        if (k != at->other)
            q = v3_axpy(v3_dot(s->a[1][k], at->n) > 0 ? -s->half[1][k] : s->half[1][k], s->a[1][k], q);
    }
    const vec3 e = s->a[0][at->axis], f = s->a[1][at->other], w = v3_sub(q, p);
    const double c = v3_dot(e, f), t = (v3_dot(e, w) - c * v3_dot(f, w)) / (1 - c * c);
    const double u = (c * v3_dot(e, w) - v3_dot(f, w)) / (1 - c * c);
    if (fabs(t) > s->half[0][at->axis] || fabs(u) > s->half[1][at->other]) return 0;
    const vec3 middle = v3_scale(0.5, v3_add(v3_axpy(t, e, p), v3_axpy(u, f, q)));
    *out = (tmli_meeting){middle, at->n, at->gap, 64 + 3 * (uint32_t)at->axis + (uint32_t)at->other};
    return 1;
}

// Keep the part of a polygon with n.p <= most.
static int clip(corner *c, int count, vec3 n, double most)
{
    corner out[MOST_CORNERS];
    int left = 0;
    for (int i = 0; i < count && left < MOST_CORNERS; i++) {
        const corner *a = &c[i], *b = &c[(i + 1) % count];
        const double da = v3_dot(n, a->p) - most, db = v3_dot(n, b->p) - most;
        if (da <= 0) out[left++] = *a;
        if ((da < 0 && db > 0) || (da > 0 && db < 0)) {
            if (left == MOST_CORNERS) break;
            const double t = da / (da - db);
            out[left++] = (corner){v3_axpy(t, v3_sub(b->p, a->p), a->p), 0};
        }
    }
    for (int i = 0; i < left; i++) c[i] = out[i];
    return left;
}

static double area(vec3 n, const corner *a, const corner *b, const corner *c)
{
    return v3_dot(n, v3_cross(v3_sub(b->p, a->p), v3_sub(c->p, a->p)));
}

// Moves four corners to the front: the deepest, the one farthest from it, and one to each side of them.
static int choose_four(corner *c, int count, vec3 n)
{
    if (count <= TMLI_MEETINGS) return count;
    for (int k = 0; k < TMLI_MEETINGS; k++) {
        int best = -1;
        double most = 0;
        for (int i = k; i < count; i++) {
            const vec3 away = v3_sub(c[i].p, c[0].p);
            const double value = k == 0   ? -c[i].gap
                                 : k == 1 ? v3_dot(away, away)
                                 : k == 2 ? area(n, &c[0], &c[1], &c[i])
                                          : -area(n, &c[0], &c[1], &c[i]);
            if (best >= 0 && !(value > most)) continue;
            best = i;
            most = value;
        }
        if (k > 0 && !(most > 0)) return k;
        const corner kept = c[k];
        c[k] = c[best];
        c[best] = kept;
    }
    return TMLI_MEETINGS;
}

// The face of the other box that looks against n most, in the order of its edges.
static int opposite_face(const axes *s, int box, vec3 centre, vec3 n, corner out[4])
{
    int face = 0;
    for (int k = 1; k < s->sides; k++)
        if (fabs(v3_dot(s->a[box][k], n)) > fabs(v3_dot(s->a[box][face], n))) face = k;
    const int i = (face + 1) % 3, j = (face + 2) % 3;
    const double *half = s->half[box];
    const vec3 *a = s->a[box],
               middle = v3_axpy(v3_dot(a[face], n) > 0 ? -half[face] : half[face], a[face], centre);
    for (int k = 0; k < 4; k++) {
        const double x = k == 0 || k == 3 ? -half[i] : half[i], y = k < 2 ? -half[j] : half[j];
        out[k] = (corner){v3_axpy(x, a[i], v3_axpy(y, a[j], middle)), 0};
    }
    return 4;
}

static int meet_faces(const axes *s, const tmli_place *const place[2], const normal_axis *at, double reach,
                      tmli_meeting *out)
{
    const int own = at->box, other = !own;
    const vec3 n = own == 0 ? at->n : v3_scale(-1, at->n), centre = place[own]->c;  // out of the face
    corner c[MOST_CORNERS];
    int count = opposite_face(s, other, place[other]->c, n, c), left = 0;
    for (int k = 0; k < 3; k++) {
        if (k == at->axis) continue;
        const vec3 side = s->a[own][k];
        const double middle = v3_dot(side, centre);
        if (count > 0) count = clip(c, count, side, middle + s->half[own][k]);
        if (count > 0) count = clip(c, count, v3_scale(-1, side), -middle + s->half[own][k]);
    }
    const double surface = v3_dot(n, centre) + s->half[own][at->axis];
    for (int i = 0; i < count; i++) {
        c[i].gap = v3_dot(n, c[i].p) - surface;
        const bool doubled = s->sides == 2 && c[i].p.z < 0;  // in the plane each corner is there twice
        if (c[i].gap <= reach && !doubled) c[left++] = c[i];
    }
    left = choose_four(c, left, n);
    vec3 mean = v3(0, 0, 0);
    for (int i = 0; i < left; i++) mean = v3_axpy(1.0 / left, c[i].p, mean);
    for (int i = 0; i < left; i++) {
        vec3 p = v3_axpy(-c[i].gap / 2, n, c[i].p);
        if (s->sides == 2) p.z = 0;
        // the quarter of the face: corners that come to lie on an edge, but for round-off, keep it
        uint32_t feature = 4 * (1 + 3 * (uint32_t)own + (uint32_t)at->axis), bit = 1;
        for (int k = 0; k < 3; k++) {
            if (k == at->axis) continue;
            if (v3_dot(s->a[own][k], v3_sub(c[i].p, mean)) > 0) feature |= bit;
            bit <<= 1;
        }
        out[i] = (tmli_meeting){p, at->n, c[i].gap, feature};
    }
    return left;
}

int tmli_meet_boxes(const tmli_shape *X, const tmli_place *x, const tmli_shape *Y, const tmli_place *y,
                    double reach, tmli_meeting out[TMLI_MEETINGS])
{
    axes s = {.d = v3_sub(y->c, x->c), .sides = X->flat ? 2 : 3};
    for (int k = 0; k < 3; k++) {
        s.a[0][k] = m3_col(&x->A, k);
        s.a[1][k] = m3_col(&y->A, k);
        s.half[0][k] = X->flat && k == 2 ? 1 : X->half[k];
        s.half[1][k] = X->flat && k == 2 ? 1 : Y->half[k];
    }
    const normal_axis at = find_normal(&s);
    if (at.gap > reach) return 0;
    const tmli_place *const place[2] = {x, y};
    return at.box < 0 ? meet_edges(&s, x, &at, out) : meet_faces(&s, place, &at, reach, out);
}
