// Spec to model: roads, force elements, outputs and events.
#include "model/model.h"

#include <string.h>

#include "model/constants.h"

// ---- the nodes of an element ------------------------------------------------------------------------------

static int add_slot(tmli_plan *p, int node)
{
    if (node < 0) return -1;
    for (int i = 0; i < p->nslots; i++)
        if (p->node[i] == node) return i;
    p->node[p->nslots] = node;
    return p->nslots++;
}

static void add_var_slots(const tml_model *m, const tmli_expr_vars *v, tmli_plan *p)
{
    for (int k = 0; k < v->nvars; k++) {
        tmli_var *var = &v->var[k];
        if (var->kind == TMLI_VAR_MEASURE || var->kind == TMLI_VAR_RATE) {
            var->slot[0] = add_slot(p, m->measure_use[var->use].node[0]);
            var->slot[1] = add_slot(p, m->measure_use[var->use].node[1]);
        } else if (var->kind == TMLI_VAR_OMEGA) {
            var->slot[0] = add_slot(p, var->node);
        }
    }
}

static tml_status plan_slots(tml_model *m, tmli_force *f, int a, int b, tml_error *err)
{
    size_t room = 2 + 2 * (size_t)f->law.nvars;
    for (int k = 0; k < 6; k++) room += 2 * (size_t)f->wrench[k].nvars;
    f->plan.node = tmli_arena_alloc(&m->arena, room, sizeof(int));
    if (!f->plan.node) return tmli_no_memory(err, "model");
    f->slot[0] = add_slot(&f->plan, a);
    f->slot[1] = add_slot(&f->plan, b);
    add_var_slots(m, &f->law, &f->plan);
    for (int k = 0; k < 6; k++) add_var_slots(m, &f->wrench[k], &f->plan);
    return TML_OK;
}

// ---- kinds of forces --------------------------------------------------------------------------------------

static tml_status find_two_frames(const tml_spec *spec, const tmli_force_entry *e, tmli_marker *a,
                                  tmli_marker *b, tml_error *err)
{
    tml_status st = tmli_model_find_frame(spec, e->def.a, tmli_entry_mark(&e->at, "a"), a, err);
    if (st == TML_OK) st = tmli_model_find_frame(spec, e->def.b, tmli_entry_mark(&e->at, "b"), b, err);
    if (st == TML_OK && a->body == b->body)
        st = tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "b"),
                          "force '%s' connects '%s' to itself", e->def.name,
                          a->body < 0 ? "ground" : spec->bodies[a->body].def.name);
    return st;
}

static tml_status check_takes_torque(const tml_spec *spec, const tmli_force_entry *e, int body,
                                     tml_error *err)
{
    if (body < 0 || !spec->bodies[body].def.point) return TML_OK;
    return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "torque"),
                        "force '%s': '%s' is a point mass and cannot take a torque", e->def.name,
                        spec->bodies[body].def.name);
}

static tml_status build_scalar(const tml_spec *spec, tml_model *m, const tmli_force_entry *e, tmli_force *f,
                               tml_error *err)
{
    const bool spring = f->type == TML_FORCE_SPRING;
    tmli_marker a, b;
    tml_status st = find_two_frames(spec, e, &a, &b, err);
    if (st == TML_OK && !spring) st = check_takes_torque(spec, e, a.body, err);
    if (st == TML_OK && !spring) st = check_takes_torque(spec, e, b.body, err);
    if (st != TML_OK) return st;
    f->use = tmli_model_add_measure_use(
        m, spring ? tmli_measure_distance(&a, &b) : tmli_measure_twist(&a, &b), a.body, b.body);
    if (f->use < 0) return tmli_no_memory(err, "model");
    f->stiffness = e->def.stiffness;
    f->damping = e->def.damping;
    f->free = e->def.free;
    const tmli_pose A = tmli_node_start_pose(m, a.body), B = tmli_node_start_pose(m, b.body);
    const double x = tmli_measure_value(&m->measure_use[f->use].measure, &A, &B);
    if (isnan(f->free)) f->free = x;
    else if (!spring) m->measure_use[f->use].start = f->free;  // start on the turn nearest to the free angle
    if (spring && !(x > COINCIDENT_ENDS * m->length))
        return tmli_fail_at(err, TML_ERR_MODEL, e->at.at,
                            "spring '%s': its two ends coincide at the start, so its direction is undefined",
                            e->def.name);
    if (e->def.law)
        st = tmli_model_compile(spec, m, e->def.law, tmli_entry_mark(&e->at, "law"), TMLI_SCOPE_STATE,
                                spring ? "length" : "angle", &f->law, err);
    if (st == TML_OK && e->def.table_count > 0)
        st = tmli_spline_create(&m->env, e->def.table_count, e->def.table, &f->table, err);
    if (st == TML_OK) st = plan_slots(m, f, a.body, b.body, err);
    return st;
}

static tml_status build_bushing(const tml_spec *spec, tml_model *m, const tmli_force_entry *e, tmli_force *f,
                                tml_error *err)
{
    tmli_marker a, b;
    tml_status st = find_two_frames(spec, e, &a, &b, err);
    if (st == TML_OK) st = check_takes_torque(spec, e, a.body, err);
    if (st == TML_OK) st = check_takes_torque(spec, e, b.body, err);
    if (st != TML_OK) return st;
    f->bushing.s_A = a.s;
    f->bushing.s_B = b.s;
    f->bushing.C_A = a.C;
    f->bushing.C_B = b.C;
    memcpy(f->bushing.K, e->def.stiffness6, sizeof f->bushing.K);
    memcpy(f->bushing.D, e->def.damping6, sizeof f->bushing.D);
    memcpy(f->bushing.preload, e->def.preload6, sizeof f->bushing.preload);
    return plan_slots(m, f, a.body, b.body, err);
}

static tml_status build_applied(const tml_spec *spec, tml_model *m, const tmli_force_entry *e, tmli_force *f,
                                tml_error *err)
{
    tml_status st = tmli_model_find_frame(spec, e->def.b, tmli_entry_mark(&e->at, "at"), &f->at, err);
    if (st != TML_OK) return st;
    if (f->at.body < 0)
        return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "at"),
                            "force '%s' acts on the ground, which cannot move", e->def.name);
    f->body_axes = e->def.body_axes;
    static const char *const keys[6] = {"force[0]",  "force[1]",  "force[2]",
                                        "torque[0]", "torque[1]", "torque[2]"};
    for (int k = 0; k < 6 && st == TML_OK; k++) {
        const char *text = k < 3 ? e->def.force[k] : e->def.torque[k - 3];
        if (!text) continue;
        if (k >= 3) st = check_takes_torque(spec, e, f->at.body, err);
        if (st == TML_OK)
            st = tmli_model_compile(spec, m, text, tmli_entry_mark(&e->at, keys[k]), TMLI_SCOPE_STATE, NULL,
                                    &f->wrench[k], err);
    }
    if (st == TML_OK) st = plan_slots(m, f, -1, f->at.body, err);
    return st;
}

static tml_status build_drag(const tml_spec *spec, tml_model *m, const tmli_force_entry *e, tmli_force *f,
                             tml_error *err)
{
    tml_status st = tmli_model_find_body(spec, e->def.b, tmli_entry_mark(&e->at, "body"), &f->at.body, err);
    if (st != TML_OK) return st;
    if (f->at.body < 0)
        return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "body"),
                            "drag '%s' acts on the ground, which cannot move", e->def.name);
    if (e->def.angular_linear != 0 || e->def.angular_quadratic != 0)
        st = check_takes_torque(spec, e, f->at.body, err);
    if (st != TML_OK) return st;
    f->drag[0] = e->def.linear;
    f->drag[1] = e->def.quadratic;
    f->drag[2] = e->def.angular_linear;
    f->drag[3] = e->def.angular_quadratic;
    return plan_slots(m, f, -1, f->at.body, err);
}

static tml_status build_roads(const tml_spec *spec, tml_model *m, tml_error *err)
{
    m->road = tmli_arena_alloc(&m->arena, (size_t)spec->nroads + 1, sizeof *m->road);
    if (!m->road) return tmli_no_memory(err, "model");
    for (int i = 0; i < spec->nroads; i++) {
        tmli_road *road = &m->road[m->nroads++];
        road->def = spec->roads[i].def;
        road->name = tmli_arena_strdup(&m->arena, road->def.name);
        if (!road->name) return tmli_no_memory(err, "model");
        road->def.name = road->name;
        road->def.table = NULL;  // it belongs to the spec
        if (road->def.table_count == 0) continue;
        const tml_status st =
            tmli_spline_create(&m->env, road->def.table_count, spec->roads[i].def.table, &road->table, err);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

static tml_status build_tyre(const tml_spec *spec, tml_model *m, const tmli_force_entry *e, tmli_force *f,
                             tml_error *err)
{
    int road = -1;
    tml_status st = tmli_model_find_frame(spec, e->def.b, tmli_entry_mark(&e->at, "at"), &f->at, err);
    if (st == TML_OK)
        st = tmli_model_find_road(spec, e->def.road, tmli_entry_mark(&e->at, "road"), &road, err);
    if (st != TML_OK) return st;
    if (f->at.body < 0)
        return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "at"),
                            "tyre '%s' acts on the ground, which cannot move", e->def.name);
    const tmli_road *r = &m->road[road];
    f->tyre = (tmli_tyre){.p = f->at.s,
                          .o = v3_from(r->def.origin),
                          .e = v3_from(r->def.direction),
                          .n = v3_from(r->def.up),
                          .radius = e->def.radius,
                          .stiffness = e->def.stiffness,
                          .damping = e->def.damping,
                          .contact = e->def.contact,
                          .normal = e->def.normal};
    if (!tmli_profile_init(&r->def, r->table, e->def.radius, &f->tyre.profile))
        return tmli_fail_at(
            err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "road"),
            "tyre '%s': a wheel of radius %g m cannot roll over the edge of road '%s', which is "
            "%g m high; give the step a 'length' or a smaller 'height'",
            e->def.name, e->def.radius, r->name, fabs(r->def.height));
    if (e->def.table_count > 0)
        st = tmli_spline_create(&m->env, e->def.table_count, e->def.table, &f->table, err);
    f->tyre.table = f->table;
    if (st == TML_OK) st = plan_slots(m, f, -1, f->at.body, err);
    return st;
}

tml_status tmli_model_build_forces(const tml_spec *spec, tml_model *m, tml_error *err)
{
    const tml_status roads = build_roads(spec, m, err);
    if (roads != TML_OK) return roads;
    m->force = tmli_arena_alloc(&m->arena, (size_t)spec->nforces + 1, sizeof *m->force);
    if (!m->force) return tmli_no_memory(err, "model");
    for (int i = 0; i < spec->nforces; i++) {
        const tmli_force_entry *e = &spec->forces[i];
        tmli_force *f = &m->force[m->nforces++];
        f->type = e->def.type;
        f->slot[0] = f->slot[1] = -1;
        f->at_file = tmli_model_keep_mark(m, e->at.at);
        f->name = tmli_arena_strdup(&m->arena, e->def.name);
        if (!f->name || (e->at.at.file && !f->at_file.file)) return tmli_no_memory(err, "model");
        tml_status st = TML_OK;
        switch (f->type) {
        case TML_FORCE_SPRING:
        case TML_FORCE_TORSION: st = build_scalar(spec, m, e, f, err); break;
        case TML_FORCE_BUSHING: st = build_bushing(spec, m, e, f, err); break;
        case TML_FORCE_APPLIED: st = build_applied(spec, m, e, f, err); break;
        case TML_FORCE_DRAG: st = build_drag(spec, m, e, f, err); break;
        case TML_FORCE_TYRE: st = build_tyre(spec, m, e, f, err); break;
        case TML_FORCE_TYPES: break;
        }
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

// ---- outputs and events -----------------------------------------------------------------------------------

tml_status tmli_model_build_outputs(const tml_spec *spec, tml_model *m, tml_error *err)
{
    m->output = tmli_arena_alloc(&m->arena, (size_t)spec->noutputs + 1, sizeof *m->output);
    m->event = tmli_arena_alloc(&m->arena, (size_t)spec->nevents + 1, sizeof *m->event);
    if (!m->output || !m->event) return tmli_no_memory(err, "model");
    for (int i = 0; i < spec->noutputs; i++) {
        const tmli_output_entry *e = &spec->outputs[i];
        tmli_output *o = &m->output[m->noutputs++];
        o->name = tmli_arena_strdup(&m->arena, e->def.name);
        if (!o->name) return tmli_no_memory(err, "model");
        tml_status st = tmli_model_compile(spec, m, e->def.value, tmli_entry_mark(&e->at, "value"),
                                           TMLI_SCOPE_OUTPUT, NULL, &o->value, err);
        if (st != TML_OK) return st;
    }
    for (int i = 0; i < spec->nevents; i++) {
        const tmli_event_entry *e = &spec->events[i];
        tmli_event *v = &m->event[m->nevents++];
        v->name = tmli_arena_strdup(&m->arena, e->def.name);
        v->direction = e->def.direction;
        if (!v->name) return tmli_no_memory(err, "model");
        tml_status st = tmli_model_compile(spec, m, e->def.when, tmli_entry_mark(&e->at, "when"),
                                           TMLI_SCOPE_STATE, NULL, &v->when, err);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}
