// The force element `tyre`: a tyre (tyre.h) on a road of the model.
#include "element/force/tyre_road.h"

typedef struct wheel {
    tmli_mounted_tyre on;
    int slot;
} wheel;

tml_status tmli_tyre_on_road(const tmli_force_builder *b, const tmli_force_entry *e, tmli_marker *at,
                             tmli_tyre *t)
{
    int road = -1;
    tml_status st = tmli_model_find_frame(b->spec, b->m, e->def.b, tmli_entry_mark(&e->at, "at"), at, b->err);
    if (st == TML_OK) st = tmli_force_check_moves(b, e, "at", at->body);
    if (st == TML_OK)
        st = tmli_model_find_road(b->spec, e->def.road, tmli_entry_mark(&e->at, "road"), &road, b->err);
    if (st != TML_OK) return st;
    const tmli_road *r = &b->m->road[road];
    *t = (tmli_tyre){.p = at->s,
                     .o = v3_sub(v3_from(r->def.origin), b->m->origin),
                     .e = v3_from(r->def.direction),
                     .n = v3_from(r->def.up),
                     .radius = e->def.radius,
                     .stiffness = e->def.stiffness,
                     .damping = e->def.damping,
                     .contact = e->def.contact,
                     .normal = e->def.normal};
    if (!tmli_profile_init(&r->def, r->table, e->def.radius, &t->profile))
        return tmli_fail_at(
            b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "road"),
            "tyre '%s': a wheel of radius %g m cannot roll over the edge of road '%s', which is "
            "%g m high; give the step a 'length' or a smaller 'height'",
            e->def.name, e->def.radius, r->name, fabs(r->def.height));
    return tmli_force_table(b, e, &t->table);
}

void tmli_tyre_name_contact(tmli_force *f, bool has_friction)
{
    static const char *const only[1] = {""};
    f->ncontacts = 1;
    f->contact = only;
    f->has_friction = has_friction;
}

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    wheel *w = f->data;
    tmli_marker at;
    const tml_status st = tmli_tyre_on_road(b, e, &at, &w->on.tyre);
    if (st != TML_OK) return st;
    w->on.body = at.body;
    f->nmodes = tmli_tyre_modes(&w->on.tyre);
    tmli_tyre_name_contact(f, false);
    return tmli_force_plan(b, f, 1, &w->on.body, &w->slot);
}

static const tmli_pose *state_of(const tmli_force *f, const tmli_view *v, double u[6], tmli_tyre_state *s)
{
    const wheel *w = f->data;
    const tmli_pose *B = tmli_mounted_motion(f, v, u);
    tmli_tyre_at(&w->on.tyre, B, u, tmli_modes(v->x, f->mode), s);
    return B;
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const wheel *w = f->data;
    double u[6];
    tmli_tyre_state s;
    const tmli_pose *B = state_of(f, v, u, &s);
    tmli_tyre_eval(&w->on.tyre, B, &s, Q + 6 * w->slot);
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const wheel *w = f->data;
    double u[6];
    tmli_tyre_state s;
    const tmli_pose *B = state_of(f, v, u, &s);
    const int width = 6 * f->plan.nslots, first = 6 * w->slot * (width + 1);
    tmli_tyre_tangent(&w->on.tyre, B, u, &s, width, H + first, D + first);
}

static void energy(const tmli_force *f, const tmli_view *v, double *potential, double power[TMLI_WORK_KINDS])
{
    const wheel *w = f->data;
    double u[6];
    tmli_tyre_state s;
    const tmli_pose *B = state_of(f, v, u, &s);
    tmli_tyre_energy(&w->on.tyre, B, u, &s, potential, &power[f->work]);
}

static void channels(const tmli_force *f, const tmli_view *v, double *values)
{
    double u[6];
    tmli_tyre_state s;
    state_of(f, v, u, &s);
    values[0] = s.compression;
    values[1] = s.force;
    values[2] = s.road[0];
}

static void contacts(const tmli_force *f, const tmli_view *v, tmli_contact_force *out)
{
    double u[6];
    tmli_tyre_state s;
    const tmli_pose *B = state_of(f, v, u, &s);
    *out = (tmli_contact_force){0};
    tmli_tyre_contact(&((const wheel *)f->data)->on.tyre, B, &s, &out->point, &out->normal);
}

void tmli_tyre_visit_tables(const tmli_tyre *t, const tmli_tyre_state *s, tmli_table_visit *visit, void *user)
{
    if (t->profile.table) visit(t->profile.table, s->s, user);
    if (t->table && s->stores) visit(t->table, s->compression, user);
}

static void tables(const tmli_force *f, const tmli_view *v, tmli_table_visit *visit, void *user)
{
    double u[6];
    tmli_tyre_state s;
    (void)state_of(f, v, u, &s);
    tmli_tyre_visit_tables(&((const wheel *)f->data)->on.tyre, &s, visit, user);
}

// ---- what both kinds of tyres have in common --------------------------------------------------------------

const tmli_pose *tmli_mounted_motion(const tmli_force *f, const tmli_view *v, double u[6])
{
    const tmli_mounted_tyre *t = f->data;
    tmli_node_velocity(v->m, v->x->u, t->body, u);
    return &v->pose[t->body];
}

void tmli_mounted_event_values(const tmli_force *f, const tmli_view *v, const double *mode, double *values)
{
    const tmli_mounted_tyre *t = f->data;
    double u[6];
    const tmli_pose *B = tmli_mounted_motion(f, v, u);
    tmli_tyre_event_values(&t->tyre, B, u, mode, values);
}

int tmli_mounted_update_modes(const tmli_force *f, const tmli_view *v, const tmli_view *later, bool all,
                              double *mode)
{
    const tmli_mounted_tyre *t = f->data;
    double u[6], u_later[6];
    const tmli_pose *B = tmli_mounted_motion(f, v, u),
                    *B_later = later ? tmli_mounted_motion(f, later, u_later) : NULL;
    return tmli_tyre_update_modes(&t->tyre, B, u, B_later, u_later, all, mode);
}

tmli_touch tmli_mounted_touch(const tmli_force *f, int node, vec3 *point)
{
    (void)point;
    return ((const tmli_mounted_tyre *)f->data)->body == node ? TMLI_TOUCH_TORQUE : TMLI_TOUCH_NONE;
}

static const tmli_force_channel tyre_channels[] = {{"compression", "m", TMLI_CHANNEL_VALUE, true},
                                                   {"force", "N", TMLI_CHANNEL_VALUE, true},
                                                   {"road", "m", TMLI_CHANNEL_VALUE, false}};

const tmli_force_ops tmli_force_tyre = {
    .work = TMLI_WORK_CONTACT,
    .size = sizeof(wheel),
    .nchannels = 3,
    .channel = tyre_channels,
    .build = build,
    .force = force,
    .tangent = tangent,
    .energy = energy,
    .channels = channels,
    .contacts = contacts,
    .tables = tables,
    .event_values = tmli_mounted_event_values,
    .update_modes = tmli_mounted_update_modes,
    .touch = tmli_mounted_touch,
};
