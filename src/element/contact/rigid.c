// Rigid contacts. Each point is a unilateral constraint (element/force/unilateral.h) with a row at velocity
// level. Its gap is a measure less an offset:
//   point P of Y over a plane of X with the normal n   d = n.(P - p_X) - r          r: radius about P     (1)
//   centres of two spheres                             d = |c_Y - c_X| - r_X - r_Y                        (2)
// P: centre of a sphere, ends of the axis of a capsule, corners of a box. The multiplier of the row is -P of
// unilateral.h. Friction is in rigid_slip.c.
#include "element/contact/rigid.h"
#include "element/contact/resultant.h"
#include "element/contact/set.h"
#include "element/force/along.h"

#include <math.h>
#include <stdio.h>

#include "element/contact/constants.h"

// ---- points -----------------------------------------------------------------------------------------------

int tmli_contact_rigid_tangents(const tml_spec *spec, const tml_contact_def *d)
{
    return !d->has_friction || !(d->friction.coefficient > 0) ? 0 : spec->planar ? 1 : 2;
}

bool tmli_contact_has_rows(const tml_spec *spec, const tml_contact_def *d)
{
    return d->law == TML_CONTACT_RIGID && spec->run.contacts == TML_CONTACTS_LOCATED;
}

int tmli_contact_rigid_count(const tml_spec *spec, const tml_contact_def *d)
{
    if (!tmli_contact_has_rows(spec, d)) return 0;
    return tmli_contact_mode_count(spec, d) * (1 + tmli_contact_rigid_tangents(spec, d));
}

tmli_measure tmli_contact_rigid_slip(const tmli_rigid_point *p, int k)
{
    return (tmli_measure){.kind = TMLI_SLIP,
                          .s_B = p->measure.s_B,
                          .a = p->tangent[k],
                          .a2 = p->measure.a,
                          .b2 = v3(0, 0, 1),
                          .l1 = p->offset};
}

// The points of a shape that touch a plane, body frame; returns their number.
static int points_over_plane(const tmli_shape *s, vec3 p[8])
{
    const int count = s->type == TML_SHAPE_BOX       ? (s->flat ? 4 : 8)
                      : s->type == TML_SHAPE_CAPSULE ? 2
                      : s->type == TML_SHAPE_SPHERE  ? 1
                                                     : 0;
    for (int i = 0; i < count; i++) {
        vec3 at = v3(0, 0, 0);
        if (s->type == TML_SHAPE_CAPSULE) at.z = i == 0 ? -s->half[2] : s->half[2];
        if (s->type == TML_SHAPE_BOX)
            at = v3(i & 1 ? s->half[0] : -s->half[0], i & 2 ? s->half[1] : -s->half[1],
                    s->flat ? 0 : (i & 4 ? s->half[2] : -s->half[2]));
        p[i] = v3_add(s->s, m3_mulv(&s->C, at));
    }
    return count;
}

// The points of two shapes; returns their number, 0: such shapes have no rigid contact.
static int pair_points(const tmli_shape *a, const tmli_shape *b, tmli_rigid_point out[8])
{
    const tmli_shape *X = b->type == TML_SHAPE_PLANE ? b : a, *Y = X == a ? b : a;
    vec3 at[8] = {Y->s};
    const vec3 n = m3_mulv(&X->C, v3(0, 0, 1));
    int count = X->type == TML_SHAPE_SPHERE && Y->type == TML_SHAPE_SPHERE;
    if (X->type == TML_SHAPE_PLANE) count = points_over_plane(Y, at);
    for (int i = 0; i < count; i++)
        out[i] = (tmli_rigid_point){
            .measure = {.kind = X->type == TML_SHAPE_PLANE ? TMLI_DOT2 : TMLI_LENGTH,
                        .s_A = X->s,
                        .s_B = at[i],
                        .a = n},
            .node = {X->body, Y->body},
            .offset = Y->radius + (X->type == TML_SHAPE_PLANE ? 0 : X->radius),  // a box has the radius 0
            .radius = Y->radius,
            .tangent = {X->flat ? v3(n.y, -n.x, 0) : m3_mulv(&X->C, v3(1, 0, 0)),
                        m3_mulv(&X->C, v3(0, 1, 0))},
            .shape = {X->name, Y->name}};
    return count;
}

tml_status tmli_contact_rigid_points(const tmli_force_builder *b, const tmli_contact_entry *e, int *count,
                                     tmli_rigid_point **out)
{
    const tml_contact_def *d = &e->def;
    const int room = tmli_contact_mode_count(b->spec, d);
    tmli_contact_set c = {0};
    *count = 0;
    tml_status st = tmli_contact_set_shapes(b, e, &c);
    if (st != TML_OK) return st;
    if (room > LISTED_POINTS)
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "law"),
                            "contact '%s' has more than %d points of contact, too many for the law rigid",
                            d->name, LISTED_POINTS);
    *out = tmli_arena_alloc(&b->m->arena, (size_t)room + 8, sizeof **out);
    if (!*out) return tmli_no_memory(b->err, "model");
    for (int i = 0; i < c.nshapes; i++)
        for (int j = 0; j < i; j++) {
            const tmli_shape *s[2] = {&c.shape[j], &c.shape[i]};
            if (!tmli_contact_set_is_pair(&c, i, j)) continue;
            const int n = pair_points(s[0], s[1], *out + *count);
            if (n == 0)
                return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, d->b ? "b" : "a"),
                                    "contact '%s': %s '%s' and %s '%s' have no rigid contact (a plane with "
                                    "spheres, boxes and "
                                    "capsules has, and two spheres); use a compliant law",
                                    d->name, tmli_shape_type_name(s[0]->type), s[0]->name,
                                    tmli_shape_type_name(s[1]->type), s[1]->name);
            if (d->has_friction && s[0]->type == TML_SHAPE_SPHERE && s[1]->type == TML_SHAPE_SPHERE)
                return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "friction"),
                                    "contact '%s': the spheres '%s' and '%s' have no rigid contact with "
                                    "friction (a plane with spheres, boxes and capsules has); use a "
                                    "compliant law",
                                    d->name, s[0]->name, s[1]->name);
            for (int k = 0; k < n; k++) {
                tmli_rigid_point *p = *out + *count + k;
                p->on_first = c.shape[tmli_contact_set_loaded(&c, i, j)].name == p->shape[0];
            }
            *count += n;
        }
    if (*count == 0)
        return tmli_fail_at(b->err, TML_ERR_MODEL, e->at.at,
                            "contact '%s' has no two shapes on different bodies: nothing can touch", d->name);
    return TML_OK;
}

static bool same_pair(const tmli_rigid_point *a, const tmli_rigid_point *b)
{
    return a->shape[0] == b->shape[0] && a->shape[1] == b->shape[1];
}

static void name_pair(const tmli_force *f, int i, const char *shape[2])
{
    const tmli_rigid *r = f->data;
    const tmli_rigid_point *p = r->point;
    while (r->pair[p - r->point] != i) p++;
    shape[0] = p->shape[!p->on_first];
    shape[1] = p->shape[p->on_first];
}

tml_status tmli_contact_rigid_build(const tmli_force_builder *b, const tmli_contact_entry *e, tmli_force *f)
{
    tmli_rigid *r = f->data;
    tml_model *m = b->m;
    tmli_rigid_point *point;
    tml_status st = tmli_contact_rigid_points(b, e, &r->count, &point);
    if (st != TML_OK) return st;
    r->point = point;
    r->roundoff = tmli_unilateral_of(m, m->constraint[f->stick].term[0].use);
    r->tangents = tmli_contact_rigid_tangents(b->spec, &e->def);
    r->friction = e->def.friction.coefficient;
    r->stop = tmli_along_stop(m, m->constraint[f->stick].term[0].use);
    r->noise = tmli_along_noise_of(m, m->constraint[f->stick].term[0].use);
    f->restitution = e->def.restitution;
    f->impact = e->def.impact;
    f->nmodes = r->count * (1 + r->tangents);
    f->tangents = r->tangents;
    if (r->tangents > 0) f->load = f->stick;
    f->nloads = r->count;
    int *node = tmli_arena_alloc(&m->arena, 5 * (size_t)r->count, sizeof *node), *pair = node + 4 * r->count;
    if (!node) return tmli_no_memory(b->err, "model");
    for (int i = 1; i < r->count; i++) pair[i] = pair[i - 1] + !same_pair(&point[i - 1], &point[i]);
    r->pair = pair;
    f->has_friction = r->tangents > 0;
    st = tmli_resultant_name(b, f, r->count > 0 ? pair[r->count - 1] + 1 : 0, name_pair);
    if (st != TML_OK) return st;
    for (int i = 0; i < 2 * r->count; i++) node[i] = point[i / 2].node[i % 2];
    r->slot = node + 2 * r->count;
    return tmli_force_plan(b, f, 2 * r->count, node, node + 2 * r->count);
}

const tmli_force_ops *tmli_contact_rigid_type(const tml_contact_def *d)
{
    return d->has_friction ? &tmli_force_rigid_friction : &tmli_force_rigid;
}

// ---- the constraints --------------------------------------------------------------------------------------

static tmli_unilateral_state state_of(const tmli_force *f, const tmli_view *v, int i)
{
    const tmli_rigid *r = f->data;
    const tmli_constraint *c = &v->m->constraint[f->stick + i];
    tmli_along k;
    tmli_along_of(v, c->term[0].use, &k);
    return (tmli_unilateral_state){k.x - r->point[i].offset, k.v, -v->x->lambda[c->first],
                                   tmli_unilateral_error(v, &k), tmli_unilateral_least(v->m, c->term[0].use)};
}

static void channels(const tmli_force *f, const tmli_view *v, double *values)
{
    const tmli_rigid *r = f->data;
    const double *mode = tmli_modes(v->x, f->mode);
    values[0] = INFINITY;
    values[1] = values[2] = 0;
    for (int i = 0; i < r->count; i++) {
        const tmli_unilateral_state s = state_of(f, v, i);
        values[0] = fmin(values[0], s.gap);
        if (!mode || mode[i] != TML_SWITCH_HELD) continue;
        values[1] += s.push;
        values[2] += 1;
    }
}

static void channels_with_friction(const tmli_force *f, const tmli_view *v, double *values)
{
    double normal[3];
    channels(f, v, normal);
    values[0] = normal[0];
    values[1] = normal[1];
    values[2] = tmli_rigid_slip_size(f, v);
    values[3] = normal[2];
}

// Point i. The gradient of a gap by the translation of the second node is the normal (1), (2); the gap is
// measured along it from the point of that node, with the part `offset` of its own surface.
static tmli_near_point point_of(const tmli_force *f, const tmli_view *v, int i)
{
    const tmli_rigid *r = f->data;
    const tmli_rigid_point *p = &r->point[i];
    const tmli_pose *B = tmli_pose_of(v->pose, p->node[1]);
    tmli_along along;
    tmli_along_of(v, v->m->constraint[f->stick + i].term[0].use, &along);
    const double gap = along.x - p->offset;
    const vec3 n = v3_from(along.g + 6), at = v3_add(B->r, m3_mulv(&B->R, p->measure.s_B));
    return (tmli_near_point){.node = {p->node[0], p->node[1]},
                             .gap = gap,
                             .place = v3_axpy(-(p->radius + gap / 2), n, at),
                             .normal = n};
}

static void points(const tmli_force *f, const tmli_view *v, tmli_point_visit *visit, void *user)
{
    const tmli_rigid *r = f->data;
    for (int i = 0; i < r->count; i++) {
        const tmli_near_point p = point_of(f, v, i);
        visit(&p, user);
    }
}

static void contacts(const tmli_force *f, const tmli_view *v, tmli_contact_force *out)
{
    const tmli_rigid *r = f->data;
    const double *mode = tmli_modes(v->x, f->mode);
    for (int i = 0, k = 0; k < f->ncontacts; k++) {
        const double sign = r->point[i].on_first ? -1 : 1;
        tmli_resultant sum = tmli_resultant_none();
        for (; i < r->count && r->pair[i] == k; i++) {
            const tmli_near_point p = point_of(f, v, i);
            const double push = mode && mode[i] == TML_SWITCH_HELD ? state_of(f, v, i).push : 0;
            tmli_resultant_add(&sum, p.gap, p.place, v3_scale(push, p.normal),
                               tmli_rigid_slip_vector(f, v, i));
        }
        out[k] = tmli_resultant_force(&sum, sign);
    }
}

static void event_values(const tmli_force *f, const tmli_view *v, const double *mode, double *values)
{
    const tmli_rigid *r = f->data;
    for (int i = 0; i < r->count; i++) {
        const tmli_unilateral_state s = state_of(f, v, i);
        values[i] = tmli_unilateral_event(&r->roundoff, mode[i], &s);
    }
    tmli_rigid_slip_events(f, v, mode, values);
}

static int update_modes(const tmli_force *f, const tmli_view *v, const tmli_view *later, bool all,
                        double *mode)
{
    const tmli_rigid *r = f->data;
    int changed = 0;
    (void)later;
    for (int i = 0; i < r->count; i++) {
        const tmli_unilateral_state s = state_of(f, v, i);
        changed += tmli_unilateral_update(&r->roundoff, all, &s, &mode[i]);
    }
    return changed + tmli_rigid_slip_update(f, v, all, mode);
}

static double drift(const tmli_force *f, const tmli_view *v)
{
    const tmli_rigid *r = f->data;
    const double *mode = tmli_modes(v->x, f->mode);
    double most = 0;
    for (int i = 0; mode && i < r->count; i++)
        if (mode[i] == TML_SWITCH_HELD) most = fmax(most, fabs(state_of(f, v, i).gap));
    return most / r->roundoff.unit;
}

static bool violated(const tmli_force *f, const tmli_view *v, char *text, size_t size)
{
    const tmli_rigid *r = f->data;
    for (int i = 0; i < r->count; i++) {
        const tmli_unilateral_state s = state_of(f, v, i);
        const double gap = s.gap;
        if (gap >= -(r->roundoff.touch + s.error)) continue;
        snprintf(text, size,
                 "contact '%s': '%s' is %.3g m deep in '%s' at the start, which a rigid contact "
                 "cannot be",
                 f->name, r->point[i].shape[1], -gap, r->point[i].shape[0]);
        return true;
    }
    return false;
}

static bool conservative(const tmli_force *f) { return f->restitution == 1; }

static const tmli_force_channel rigid_channels[] = {{"gap", "m", TMLI_CHANNEL_VALUE, true},
                                                    {"force", "N", TMLI_CHANNEL_VALUE, true},
                                                    {"points", "1", TMLI_CHANNEL_VALUE, true}};

const tmli_force_ops tmli_force_rigid = {
    .work = TMLI_WORK_CONTACT,
    .size = sizeof(tmli_rigid),
    .nchannels = 3,
    .channel = rigid_channels,
    .channels = channels,
    .contacts = contacts,
    .points = points,
    .event_values = event_values,
    .update_modes = update_modes,
    .drift = drift,
    .violated = violated,
    .conservative = conservative,
    .touch = tmli_along_touch,
};

static const tmli_force_channel friction_channels[] = {{"gap", "m", TMLI_CHANNEL_VALUE, true},
                                                       {"force", "N", TMLI_CHANNEL_VALUE, true},
                                                       {"friction", "N", TMLI_CHANNEL_VALUE, true},
                                                       {"points", "1", TMLI_CHANNEL_VALUE, true}};

const tmli_force_ops tmli_force_rigid_friction = {
    .work = TMLI_WORK_CONTACT,
    .size = sizeof(tmli_rigid),
    .nchannels = 4,
    .channel = friction_channels,
    .force = tmli_rigid_slip_force,
    .tangent = tmli_rigid_slip_tangent,
    .by_multipliers = tmli_rigid_slip_by_multipliers,
    .channels = channels_with_friction,
    .contacts = contacts,
    .points = points,
    .event_values = event_values,
    .update_modes = update_modes,
    .drift = drift,
    .violated = violated,
    .touch = tmli_along_touch,
};
