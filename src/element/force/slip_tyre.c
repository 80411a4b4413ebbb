// The force element `slip-tyre`: a tyre that rolls with slip (element/tyre/slip.h) on a road of the model.
// Its deflections are two first-order states, NAME_deflection_x and NAME_deflection_y; spec/along.c adds
// them.
#include "element/force/tyre_road.h"
#include "element/tyre/slip.h"

#include <stdio.h>
#include <string.h>

typedef struct slip_tyre {
    tmli_mounted_tyre on;
    tmli_slip_law law;
    int node[2];  // of the deflections
    int slot[3];  // of the body and the deflections
} slip_tyre;

// The axis, so that a wheel that turns about it rolls along `direction` of the road.
static tml_status set_axis(const tmli_force_builder *b, const tmli_force_entry *e, const tmli_marker *at,
                           tmli_tyre *t)
{
    const bool planar = b->spec->planar;
    const vec3 own = v3_from(e->def.axis);
    const tmli_pose B = tmli_node_start_pose(b->m, at->body);
    t->disc = true;
    t->axis = m3_mulv(&at->C, own);
    const vec3 a = m3_mulv(&B.R, t->axis), forward = v3_cross(a, t->n);
    if (planar && fabs(own.z) < 1)
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "axis"),
                            "tyre '%s': in a planar model wheels turn about z; leave 'axis' out",
                            e->def.name);
    if (v3_norm(forward) < 0.1)
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "axis"),
                            "tyre '%s': at the start the axis of the wheel is along 'up' of road '%s': the "
                            "wheel lies flat; give 'axis', its axis in the axes of '%s'",
                            e->def.name, e->def.road, e->def.b);
    if (v3_dot(forward, t->e) < 0) t->axis = v3_scale(-1, t->axis);
    return TML_OK;
}

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    slip_tyre *s = f->data;
    tmli_marker at;
    tml_status st = tmli_tyre_on_road(b, e, &at, &s->on.tyre);
    if (st == TML_OK && b->spec->bodies[at.body].def.point)
        st = tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "at"),
                          "tyre '%s': '%s' is a point mass and cannot turn as a wheel", e->def.name,
                          b->spec->bodies[at.body].def.name);
    if (st == TML_OK) st = set_axis(b, e, &at, &s->on.tyre);
    if (st != TML_OK) return st;
    s->on.tyre.contact = s->on.tyre.normal = true;
    s->law = tmli_slip_law_of(&e->def);
    s->on.body = at.body;
    for (int i = 0; i < 2; i++) s->node[i] = tmli_model_state_node(b->m, e->at.first_state + i);
    f->nmodes = tmli_tyre_modes(&s->on.tyre);
    tmli_tyre_name_contact(f, true);
    const int node[3] = {s->on.body, s->node[0], s->node[1]};
    return tmli_force_plan(b, f, 3, node, s->slot);
}

static void state_of(const tmli_force *f, const tmli_view *v, double u[6], tmli_slip_state *out, double *H,
                     double *D)
{
    const slip_tyre *s = f->data;
    const tmli_pose *B = tmli_mounted_motion(f, v, u);
    const double d[2] = {v->x->u[v->m->node[s->node[0]].first], v->x->u[v->m->node[s->node[1]].first]};
    tmli_slip_eval(&s->on.tyre, &s->law, B, u, d, tmli_modes(v->x, f->mode), out, H, D);
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const slip_tyre *s = f->data;
    double u[6];
    tmli_slip_state x;
    state_of(f, v, u, &x, NULL, NULL);
    tmli_add_slot(Q, s->slot[0], x.Q, 1);
    for (int i = 0; i < 2; i++) Q[6 * s->slot[1 + i]] += x.rate[i];
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const slip_tyre *s = f->data;
    double u[6], own_H[64], own_D[64];
    tmli_slip_state x;
    state_of(f, v, u, &x, own_H, own_D);
    const int width = 6 * f->plan.nslots;
    int at[8];
    for (int i = 0; i < 8; i++) at[i] = i < 6 ? 6 * s->slot[0] + i : 6 * s->slot[i - 5];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            H[at[i] * width + at[j]] += own_H[8 * i + j];
            D[at[i] * width + at[j]] += own_D[8 * i + j];
        }
}

// The energy of the deflections along and across is in the power: they have no potential while it rolls.
static void energy(const tmli_force *f, const tmli_view *v, double *potential, double power[TMLI_WORK_KINDS])
{
    const slip_tyre *s = f->data;
    double u[6];
    tmli_slip_state x;
    state_of(f, v, u, &x, NULL, NULL);
    tmli_tyre_energy_of(&s->on.tyre, x.Q, u, &x.tyre, potential, &power[f->work]);
}

static void channels(const tmli_force *f, const tmli_view *v, double *values)
{
    double u[6];
    tmli_slip_state x;
    state_of(f, v, u, &x, NULL, NULL);
    const double all[] = {x.tyre.compression, x.load,    x.tyre.road[0],  x.force[0],
                          x.force[1],         x.slip[0], atan(x.slip[1]), x.moment};
    memcpy(values, all, sizeof all);
}

static void contacts(const tmli_force *f, const tmli_view *v, tmli_contact_force *out)
{
    double u[6];
    tmli_slip_state x;
    state_of(f, v, u, &x, NULL, NULL);
    *out = (tmli_contact_force){x.point, v3_scale(x.load, x.normal), x.friction};
}

static void tables(const tmli_force *f, const tmli_view *v, tmli_table_visit *visit, void *user)
{
    const tmli_tyre *t = &((const slip_tyre *)f->data)->on.tyre;
    double u[6];
    tmli_slip_state x;
    state_of(f, v, u, &x, NULL, NULL);
    tmli_tyre_visit_tables(t, &x.tyre, visit, user);
}

static const tmli_force_channel slip_channels[] = {
    {"compression", "m", TMLI_CHANNEL_VALUE, true},  {"force", "N", TMLI_CHANNEL_VALUE, true},
    {"road", "m", TMLI_CHANNEL_VALUE, false},        {"longitudinal", "N", TMLI_CHANNEL_VALUE, true},
    {"lateral", "N", TMLI_CHANNEL_VALUE, true},      {"slip", "1", TMLI_CHANNEL_VALUE, true},
    {"slip_angle", "rad", TMLI_CHANNEL_VALUE, true}, {"aligning", "N m", TMLI_CHANNEL_VALUE, true}};

const tmli_force_ops tmli_force_slip_tyre = {
    .work = TMLI_WORK_CONTACT,
    .size = sizeof(slip_tyre),
    .nchannels = sizeof slip_channels / sizeof *slip_channels,
    .channel = slip_channels,
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
