// Captured contacts; see captured.h. Pairs that are near each other are found by cells (near.h), with spheres
// that are larger by the way a shape moves within a step.
#include "element/contact/captured.h"
#include "element/contact/meet.h"
#include "element/contact/near.h"
#include "element/contact/set.h"

#include <math.h>
#include <string.h>

#include "element/contact/constants.h"

typedef struct captured {
    tmli_contact_set set;
    double mu, restitution;
    int room;
} captured;

// ---- building ---------------------------------------------------------------------------------------------

static tml_status check_pairs(const tmli_force_builder *b, const tmli_contact_entry *e,
                              const tmli_contact_set *c)
{
    int known[TML_SHAPE_TYPES] = {0};  // 1 + a shape of the type
    bool any = false;
    for (int i = 0; i < c->nshapes; i++) {
        for (int t = 0; t < TML_SHAPE_TYPES; t++) {
            const tmli_shape *a = known[t] > 0 ? &c->shape[known[t] - 1] : NULL, *s = &c->shape[i];
            if (!a || a->type == s->type || !tmli_contact_set_is_pair(c, i, known[t] - 1)) continue;
            any = true;
            if (tmli_can_meet(a->type, s->type)) continue;
            return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, e->def.b ? "b" : "a"),
                                "contact '%s': %s '%s' and %s '%s' have no captured contact (spheres, boxes "
                                "and planes have); use a compliant law, or contacts: located",
                                e->def.name, tmli_shape_type_name(a->type), a->name,
                                tmli_shape_type_name(s->type), s->name);
        }
        const bool alone = tmli_can_meet(c->shape[i].type, TML_SHAPE_SPHERE);
        if (!alone)
            return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "a"),
                                "contact '%s': %s '%s' has no captured contact (spheres, boxes and planes "
                                "have); use a compliant law, or contacts: located",
                                e->def.name, tmli_shape_type_name(c->shape[i].type), c->shape[i].name);
        known[c->shape[i].type] = i + 1;
    }
    for (int i = 0; i < c->nshapes && !any; i++)
        for (int j = 0; j < i && !any; j++) any = tmli_contact_set_is_pair(c, i, j);
    if (any) return TML_OK;
    return tmli_fail_at(b->err, TML_ERR_MODEL, e->at.at,
                        "contact '%s' has no two shapes on different bodies: nothing can touch", e->def.name);
}

// Room for the points: all pairs if they are few.
static int room_of(const tmli_contact_set *c)
{
    int points = 1;
    for (int i = 0; i < c->nshapes; i++)
        if (c->shape[i].type == TML_SHAPE_BOX) points = TMLI_MEETINGS;
    const double n = c->nshapes, small = c->nshapes - c->nlarge, all = n * (n - 1) / 2;
    const double near = c->nlarge * n + CAPTURED_PARTNERS * small, most = points * fmin(all, near);
    return most < 1e7 ? (int)most : 10000000;
}

tml_status tmli_captured_build(const tmli_force_builder *b, const tmli_contact_entry *e, tmli_force *f)
{
    captured *c = f->data;
    tml_status st = tmli_contact_set_shapes(b, e, &c->set);
    if (st == TML_OK) st = check_pairs(b, e, &c->set);
    if (st != TML_OK) return st;
    tmli_contact_set_sort(&c->set);
    c->mu = e->def.has_friction ? e->def.friction.coefficient : 0;
    c->restitution = e->def.restitution;
    c->room = room_of(&c->set);
    const int small = c->set.nshapes - c->set.nlarge;
    f->scratch =
        sizeof(double) + (size_t)small * (sizeof(vec3) + 2 * sizeof(double)) + tmli_near_bytes(small);
    f->impact = e->def.impact;
    return tmli_force_plan(b, f, 0, NULL, NULL);
}

int tmli_captured_room(const tmli_force *f)
{
    return f->ops == &tmli_force_captured ? ((const captured *)f->data)->room : 0;
}

// ---- points -----------------------------------------------------------------------------------------------

typedef struct search {
    const tmli_force *f;
    const tmli_view *v;
    const captured *c;
    uint64_t index;
    double slack;        // [m] besides that of sizes
    const vec3 *centre;  // of the small shapes
    const double *way;   // of the small shapes within a step [m]
    tmli_captured_point *out;
    int count, room;
    bool full;
} search;

// The way of the surface of a shape within h, at its present velocity.
static double way_of(const tmli_view *v, const tmli_shape *s, double h)
{
    double u[6];
    if (s->body < 0) return 0;
    tmli_node_velocity(v->m, v->x->u, s->body, u);
    const double arm = isfinite(s->bound) ? v3_norm(s->s) + s->bound : 0;
    return h * (v3_norm(v3_from(u)) + arm * v3_norm(v3_from(u + 3)));
}

static void set_side(const tmli_view *v, int node, int side, vec3 point, tmli_captured_point *p)
{
    p->node[side] = node;
    p->at[side] = node < 0 ? -1 : v->m->node[node].first;
    if (node < 0) return;
    const tmli_node *n = &v->m->node[node];
    const tmli_pose *B = &v->pose[node];
    const vec3 arm = v3_sub(point, B->r);
    const double sign = side == 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        double row[6];
        v3_store(v3_scale(sign, p->axis[k]), row);
        v3_store(v3_scale(sign, m3_tmulv(&B->R, v3_cross(arm, p->axis[k]))), row + 3);
        for (int j = 0; j < n->ncoords; j++) p->G[k][6 * side + j] = row[n->local[j]];
    }
}

// Two tangents, along axes of space as far as possible: they hardly turn from step to step.
static void set_axes(const tmli_view *v, vec3 n, vec3 axis[3])
{
    const vec3 along = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z) ? v3(1, 0, 0)
                       : fabs(n.y) <= fabs(n.z)                         ? v3(0, 1, 0)
                                                                        : v3(0, 0, 1);
    vec3 t = v->m->planar ? v3(n.y, -n.x, 0) : v3_axpy(-v3_dot(along, n), n, along);
    axis[0] = n;
    axis[1] = v3_scale(1 / v3_norm(t), t);
    axis[2] = v3_cross(n, axis[1]);
}

static void visit_two(search *s, int i, int j, double reach)
{
    const tmli_contact_set *c = &s->c->set;
    const tmli_shape *a = &c->shape[i], *b = &c->shape[j];
    if (!tmli_contact_set_is_pair(c, i, j)) return;
    const tmli_place x = tmli_shape_place(a, tmli_pose_of(s->v->pose, a->body)),
                     y = tmli_shape_place(b, tmli_pose_of(s->v->pose, b->body));
    tmli_meeting m[TMLI_MEETINGS];
    const int count = tmli_meet(a, &x, b, &y, reach + s->slack + CAPTURE_SLACK * fmin(a->bound, b->bound), m);
    for (int k = 0; k < count; k++) {
        if (s->count == s->room) {
            s->full = true;
            return;
        }
        tmli_captured_point *p = &s->out[s->count++];
        memset(p, 0, sizeof *p);
        p->pair = s->index << 48 | (uint64_t)i << 24 | (uint64_t)j;
        p->feature = m[k].feature;
        p->gap = m[k].gap;
        p->mu = s->c->mu;
        p->restitution = s->c->restitution;
        p->poisson = s->f->impact == TML_IMPACT_POISSON;
        set_axes(s->v, m[k].normal, p->axis);
        // on a fixed body the point is at the surface of the other one; between two it is half way, so that
        // their impulses have no moment together
        const double off = a->body < 0 ? m[k].gap / 2 : b->body < 0 ? -m[k].gap / 2 : 0;
        const vec3 point = v3_axpy(off, m[k].normal, m[k].point);
        set_side(s->v, a->body, 0, point, p);
        set_side(s->v, b->body, 1, point, p);
    }
}

static void visit_large(search *s, int i, double h)
{
    const tmli_contact_set *c = &s->c->set;
    const double way = way_of(s->v, &c->shape[i], h);
    for (int j = i + 1; j < c->nshapes; j++) {
        const double reach = way + (j < c->nlarge ? way_of(s->v, &c->shape[j], h) : s->way[j - c->nlarge]);
        const bool swap = c->shape[j].type == TML_SHAPE_PLANE;
        const double gap =
            tmli_contact_bound_distance(s->v, &c->shape[swap ? j : i], &c->shape[swap ? i : j]);
        if (gap <= reach + s->slack + CAPTURE_SLACK * c->shape[j].bound) visit_two(s, i, j, reach);
    }
}

static void visit_small(int i, int j, void *user)
{
    search *s = user;
    const tmli_contact_set *c = &s->c->set;
    const tmli_shape *small = c->shape + c->nlarge;
    const vec3 d = v3_sub(s->centre[i], s->centre[j]);
    const double way = s->way[i] + s->way[j], least = fmin(small[i].bound, small[j].bound),
                 reach = small[i].bound + small[j].bound + way + s->slack + CAPTURE_SLACK * least;
    if (v3_dot(d, d) <= reach * reach) visit_two(s, c->nlarge + i, c->nlarge + j, way);
}

// The reach that the spheres of a list have beyond the shapes: the longest way, in few steps, so that the
// list is kept.
static double list_reach(const search *s, int small)
{
    double most = 0, unit = 0;
    for (int i = 0; i < small; i++) most = fmax(most, s->way[i]);
    unit = NEAR_SKIN * s->c->set.cell;
    if (!(most + s->slack > 0) || !(unit > 0)) return 0;
    return unit * exp2(ceil(log2((most + s->slack) / unit)));
}

int tmli_captured_points(const tmli_force *f, const tmli_view *v, int index, double h,
                         tmli_captured_point *out, int room)
{
    const captured *c = f->data;
    const tmli_contact_set *set = &c->set;
    const int small = set->nshapes - set->nlarge;
    double *const last = (void *)(v->w->scratch + f->scratch_at);
    vec3 *const centre = (vec3 *)(last + 1);
    double *const radius = (double *)(centre + small), *const way = radius + small;
    search s = {f, v, c, (uint64_t)index, v3_norm(v->m->gravity) * h * h, centre, way, out, 0, room, false};
    for (int i = 0; i < small; i++) {
        const tmli_shape *shape = &set->shape[set->nlarge + i];
        const tmli_pose *B = tmli_pose_of(v->pose, shape->body);
        centre[i] = v3_add(B->r, m3_mulv(&B->R, shape->s));
        way[i] = way_of(v, shape, h);
    }
    for (int i = 0; i < set->nlarge; i++) visit_large(&s, i, h);
    if (set->small_meet && small > 1) {
        const double reach = fmin(list_reach(&s, small), 1e6 * set->cell) + CAPTURE_SLACK * set->cell;
        for (int i = 0; i < small; i++) radius[i] = set->shape[set->nlarge + i].bound + reach;
        tmli_near near = tmli_near_in(way + small, small, set->cell + 2 * reach);
        if (*last != reach) *near.made = 0;  // a list for other radii
        *last = reach;
        tmli_near_pairs(&near, centre, radius, visit_small, &s);
    }
    return s.full ? -1 : s.count;
}

// ---- the element ------------------------------------------------------------------------------------------

// The points of all pairs.
static void points(const tmli_force *f, const tmli_view *v, tmli_point_visit *visit, void *user)
{
    const captured *c = f->data;
    const tmli_contact_set *set = &c->set;
    for (int i = 0; i < set->nshapes; i++)
        for (int j = 0; j < i; j++) {
            const tmli_shape *a = &set->shape[j], *b = &set->shape[i];
            tmli_meeting m[TMLI_MEETINGS];
            if (!tmli_contact_set_is_pair(set, i, j)) continue;
            const tmli_place x = tmli_shape_place(a, tmli_pose_of(v->pose, a->body)),
                             y = tmli_shape_place(b, tmli_pose_of(v->pose, b->body));
            const int count = tmli_meet(a, &x, b, &y, INFINITY, m);
            for (int k = 0; k < count; k++) {
                const tmli_near_point p = {
                    .node = {a->body, b->body}, .gap = m[k].gap, .place = m[k].point, .normal = m[k].normal};
                visit(&p, user);
            }
        }
}

static void take_gap(const tmli_near_point *p, void *user)
{
    double *gap = user;
    *gap = fmin(*gap, p->gap);
}

// The least gap of all pairs, if they are few.
static void channels(const tmli_force *f, const tmli_view *v, double *values)
{
    const captured *c = f->data;
    double gap = INFINITY;
    if (c->set.nshapes * (c->set.nshapes - 1) / 2 <= LISTED_POINTS) points(f, v, take_gap, &gap);
    values[0] = isfinite(gap) ? gap : 0;
}

static const tmli_force_channel captured_channels[] = {{"gap", "m", TMLI_CHANNEL_VALUE, true}};

const tmli_force_ops tmli_force_captured = {
    .work = TMLI_WORK_CONTACT,
    .size = sizeof(captured),
    .nchannels = 1,
    .channel = captured_channels,
    .channels = channels,
    .points = points,
};
