// How a point of contact moves; equations in point.h.
#include "element/shape/point.h"

static vec3 moved(const vec3 *r, const tmli_pair_motion *d, int side, vec3 p)
{
    return v3_add(d->dr[side], v3_cross(d->th[side], v3_sub(p, r[side])));
}

static vec3 across(vec3 n, vec3 x) { return v3_axpy(-v3_dot(n, x), n, x); }

// Two lines with directions e (X) and f (Y) that pass each other at the distance w n: n = +-(e x f)/|e x f|.
// Seen from X, f turns by th x f, and b moves along f so that the line between the nearest points stays
// perpendicular to both.
static void move_crossing(const tmli_contact_point *k, vec3 th, vec3 b, vec3 *dn, vec3 *db)
{
    const vec3 e = k->e, f = k->f, turned = v3_cross(th, f), normal = v3_cross(e, f);
    const double c = v3_dot(e, f), square = v3_dot(normal, normal), size = sqrt(square),
                 sign = v3_dot(normal, k->n) < 0 ? -1 : 1;
    *dn = v3_scale(sign / size, across(k->n, v3_cross(e, turned)));
    const double along = -(v3_dot(f, b) - c * v3_dot(e, b) + k->spacing * v3_dot(k->n, turned)) / square;
    *db = v3_axpy(along, f, b);
}

// The lowest point of the circle about the axis f: b = centre + rim q/sqrt(q.q + dome^2), q = -(n - (n.f) f).
// Seen from X, n is constant.
static vec3 move_rim(const tmli_contact_point *k, vec3 th, vec3 centre)
{
    const vec3 f = k->f, turned = v3_cross(th, f), q = v3_scale(-1, across(f, k->n));
    const vec3 dq = v3_add(v3_scale(v3_dot(k->n, turned), f), v3_scale(v3_dot(k->n, f), turned));
    const double square = v3_dot(q, q) + k->dome * k->dome, size = sqrt(square);
    return v3_axpy(k->rim / size, v3_axpy(-v3_dot(q, dq) / square, q, dq), centre);
}

// (3) without the rotation of X, for the motion b of the point.
static vec3 turn_of(const tmli_contact_point *k, vec3 b)
{
    return v3_scale(k->inverse, v3_axpy(-k->share * v3_dot(k->e, b), k->e, across(k->n, b)));
}

// The lowest point of a circle about the axis f over a curved surface: b = centre + rim q with the unit
// vector q and the tangent t = f x q, n.t = 0. It slides by rim dphi t. With the turning W of (3)
//   t.W(b' + rim dphi t) + n.(th x t) - dphi n.q = 0
static vec3 move_circle(const tmli_contact_point *k, vec3 th, vec3 b)
{
    const vec3 q = v3_scale(1 / k->rim, v3_sub(k->b, k->centre)), t = v3_cross(k->f, q);
    const double slope = k->rim * v3_dot(t, turn_of(k, t)) - v3_dot(k->n, q),
                 change = v3_dot(t, turn_of(k, b)) + v3_dot(k->n, v3_cross(th, t));
    return v3_axpy(-k->rim * change / slope, t, b);
}

void tmli_point_move(const tmli_contact_point *k, const vec3 r[2], const tmli_pair_motion *d, vec3 *dn,
                     vec3 *dp)
{
    const vec3 b_X = moved(r, d, 0, k->b), p = tmli_point_place(k), th = v3_sub(d->th[1], d->th[0]);
    vec3 seen = v3_sub(moved(r, d, 1, k->b), b_X), turn = v3(0, 0, 0);
    if (k->feature == TMLI_FEATURE_LINE) {
        move_crossing(k, th, seen, &turn, &seen);
    } else if (k->feature == TMLI_FEATURE_RIM) {
        seen = move_rim(k, th, v3_sub(moved(r, d, 1, k->centre), moved(r, d, 0, k->centre)));
    } else {
        if (k->feature == TMLI_FEATURE_CIRCLE) seen = move_circle(k, th, seen);
        if (k->inverse != 0) turn = turn_of(k, seen);  // (3)
    }
    *dn = v3_add(v3_cross(d->th[0], k->n), turn);
    const double dg = v3_dot(k->n, v3_sub(moved(r, d, 1, p), moved(r, d, 0, p)));  // (2)
    *dp = v3_sub(v3_add(seen, b_X), v3_scale(k->rounding + k->gap / 2, *dn));
    // the distance of a rim from its surface changes as well
    const double more = k->feature == TMLI_FEATURE_RIM ? v3_dot(k->n, seen) - dg : 0;
    *dp = v3_axpy(-dg / 2 - more, k->n, *dp);
}

// ---- the pairs --------------------------------------------------------------------------------------------

static const tmli_pair_type pairs[] = {
    {TML_SHAPE_SPHERE, TML_SHAPE_SPHERE, tmli_sphere_sphere, NULL, {1, 1}},
    {TML_SHAPE_PLANE, TML_SHAPE_SPHERE, tmli_sphere_plane, NULL, {1, 1}},
    {TML_SHAPE_PLANE, TML_SHAPE_CAPSULE, tmli_capsule_plane, NULL, {2, 2}},
    {TML_SHAPE_CAPSULE, TML_SHAPE_SPHERE, tmli_capsule_sphere, NULL, {1, 1}},
    {TML_SHAPE_CAPSULE, TML_SHAPE_CAPSULE, tmli_capsule_capsule, NULL, {1, 1}},
    {TML_SHAPE_PLANE, TML_SHAPE_BOX, tmli_box_plane, NULL, {8, 4}},
    {TML_SHAPE_BOX, TML_SHAPE_SPHERE, tmli_box_sphere, NULL, {1, 1}},
    {TML_SHAPE_BOX, TML_SHAPE_BOX, tmli_box_box, tmli_core_core, {1, 8}},
    {TML_SHAPE_BOX, TML_SHAPE_CAPSULE, NULL, tmli_core_core, {1, 1}},
    {TML_SHAPE_PLANE, TML_SHAPE_CYLINDER, tmli_cylinder_plane, NULL, {2, 2}},
    {TML_SHAPE_CYLINDER, TML_SHAPE_SPHERE, tmli_cylinder_sphere, NULL, {1, 1}},
    {TML_SHAPE_CYLINDER, TML_SHAPE_BOX, NULL, tmli_cylinder_core, {1, 0}},
    {TML_SHAPE_CYLINDER, TML_SHAPE_CAPSULE, NULL, tmli_cylinder_core, {1, 0}},
    {TML_SHAPE_CYLINDER, TML_SHAPE_MESH, NULL, tmli_cylinder_core, {1, 0}},
    {TML_SHAPE_CYLINDER, TML_SHAPE_CYLINDER, NULL, tmli_cylinder_cylinder, {1, 0}},
    {TML_SHAPE_PROFILE, TML_SHAPE_SPHERE, NULL, tmli_profile_sphere, {1, 1}},
    {TML_SHAPE_PLANE, TML_SHAPE_PROFILE, NULL, tmli_profile_plane, {1, 1}},
    {TML_SHAPE_PROFILE, TML_SHAPE_PROFILE, NULL, tmli_profile_profile, {1, 1}},
    {TML_SHAPE_PLANE, TML_SHAPE_MESH, NULL, tmli_mesh_plane, {1, 0}},
    {TML_SHAPE_MESH, TML_SHAPE_SPHERE, NULL, tmli_mesh_sphere, {1, 0}},
    {TML_SHAPE_MESH, TML_SHAPE_BOX, NULL, tmli_core_core, {1, 0}},
    {TML_SHAPE_MESH, TML_SHAPE_CAPSULE, NULL, tmli_core_core, {1, 0}},
    {TML_SHAPE_MESH, TML_SHAPE_MESH, NULL, tmli_core_core, {1, 0}},
    {TML_SHAPE_HEIGHT_FIELD, TML_SHAPE_SPHERE, NULL, tmli_terrain_sphere, {1, 0}},
    {TML_SHAPE_HEIGHT_FIELD, TML_SHAPE_BOX, NULL, tmli_terrain_core, {1, 0}},
    {TML_SHAPE_HEIGHT_FIELD, TML_SHAPE_CAPSULE, NULL, tmli_terrain_core, {1, 0}},
    {TML_SHAPE_HEIGHT_FIELD, TML_SHAPE_MESH, NULL, tmli_terrain_core, {1, 0}},
    {TML_SHAPE_HEIGHT_FIELD, TML_SHAPE_CYLINDER, NULL, tmli_terrain_cylinder, {1, 0}},
};

const tmli_pair_type *tmli_pair_find(tml_shape_type a, tml_shape_type b, bool *swap)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        *swap = pairs[i].first != a;
        if (pairs[i].first == (*swap ? b : a) && pairs[i].second == (*swap ? a : b)) return &pairs[i];
    }
    return NULL;
}

int tmli_pair_count(const tmli_pair_type *t, bool flat) { return t->count[flat]; }

bool tmli_pair_is_shared(const tmli_pair_type *t, bool flat) { return t->manifold && !(t->points && flat); }

int tmli_pair_points(const tmli_pair_type *t, const tmli_shape *X, const tmli_place *x, const tmli_shape *Y,
                     const tmli_place *y, tmli_contact_point out[TMLI_PAIR_POINTS])
{
    if (tmli_pair_is_shared(t, X->flat)) return t->manifold(X, x, Y, y, out);
    t->points(X, x, Y, y, out);
    return t->count[X->flat];
}
