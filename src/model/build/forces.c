// Spec to model: roads, force elements, outputs and events.
#include "element/contact/captured.h"
#include "model/build/build.h"

#include <math.h>

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
        const tml_status st = tmli_model_add_curve(
            m, "road", road->name, tmli_entry_mark(&spec->roads[i].at, "table"), road->def.table_count,
            spec->roads[i].def.table, road->def.table_style, &road->table, err);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

// The next force of the model, with its name and empty data; NULL: no memory. stick: its first stick row.
static tmli_force *start_force(tml_model *m, const tmli_force_ops *ops, const char *name, tml_mark at,
                               int stick)
{
    tmli_force *f = &m->force[m->nforces++];
    *f = (tmli_force){.ops = ops,
                      .destroy = ops->destroy,
                      .nchannels = ops->nchannels,
                      .channel = ops->channel,
                      .work = ops->work,
                      .use = -1,
                      .stick = stick,
                      .load = -1,
                      .restitution = NAN,
                      .at = tmli_model_keep_mark(m, at),
                      .name = tmli_arena_strdup(&m->arena, name),
                      .data = tmli_arena_alloc(&m->arena, 1, ops->size)};
    if (f->name && f->data && (!at.file || f->at.file)) return f;
    f->destroy = NULL;
    return NULL;
}

// It has no laws, or they depend on its own rate, and on its length at most, as those of a damper. A law that
// does not see the rate, such as the constant force of a motor or a spring of one's own, dissipates nothing.
static bool is_passive(const tmli_force *f)
{
    enum { RATE = 1 };  // of the names of laws: length, angle or value; rate
    bool laws = false, own = true, rate = false;
    for (int i = 0; i < f->nlaws; i++) {
        laws = laws || f->law[i].expr;
        for (int k = 0; f->law[i].expr && k < f->law[i].nvars; k++) {
            const tmli_var *v = &f->law[i].var[k];
            own = own && v->kind == TMLI_VAR_LOCAL;
            rate = rate || (v->kind == TMLI_VAR_LOCAL && v->component == RATE);
        }
    }
    return !laws || (own && rate);
}

tml_status tmli_model_build_forces(const tml_spec *spec, tml_model *m, tml_error *err)
{
    const tml_status roads = build_roads(spec, m, err);
    if (roads != TML_OK) return roads;
    const tmli_force_builder builder = {spec, m, err};
    int row = m->njoints;  // the next stick row: they are in the order of their forces (constraints.c)
    const size_t count = (size_t)spec->nforces + (size_t)spec->ncontacts + (size_t)spec->nstates;
    m->force = tmli_arena_alloc(&m->arena, count + 1, sizeof *m->force);
    if (!m->force) return tmli_no_memory(err, "model");
    m->nuser_forces = spec->nforces + spec->ncontacts;
    for (int i = 0; i < spec->nforces; i++) {
        const tmli_force_entry *e = &spec->forces[i];
        const bool sticks = tmli_force_has_row(&e->def);
        tmli_force *f =
            start_force(m, tmli_force_type(e->def.type), e->def.name, e->at.at, sticks ? row : -1);
        if (!f) return tmli_no_memory(err, "model");
        const tml_status st = f->ops->build(&builder, e, f);
        if (st != TML_OK) return st;
        if (sticks) row += f->nmodes;
        if (f->ops->mass) m->has_inertia = true;
        if (f->work == TMLI_WORK_OF_LAWS) f->work = is_passive(f) ? TMLI_WORK_DAMPED : TMLI_WORK_SUPPLIED;
    }
    for (int i = 0, state = spec->nstates; i < spec->ncontacts; i++) {
        const tmli_contact_entry *e = &spec->contacts[i];
        const bool rigid = tmli_contact_has_rows(spec, &e->def),
                   captured = !rigid && e->def.law == TML_CONTACT_RIGID;
        tmli_force *f = start_force(m,
                                    rigid      ? tmli_contact_rigid_type(&e->def)
                                    : captured ? &tmli_force_captured
                                               : &tmli_force_contact,
                                    e->def.name, e->at.at, rigid ? row : -1);
        if (!f) return tmli_no_memory(err, "model");
        const tml_status st = rigid      ? tmli_contact_rigid_build(&builder, e, f)
                              : captured ? tmli_captured_build(&builder, e, f)
                                         : tmli_contact_set_build(&builder, e, state, f);
        if (st != TML_OK) return st;
        if (rigid) row += f->nmodes;
        state += tmli_contact_bristle_count(spec, &e->def);
    }
    for (int i = 0; i < spec->nstates; i++) {
        const tmli_state_entry *e = &spec->states[i];
        tmli_force *f = start_force(m, &tmli_force_rate, e->def.name, e->at.at, -1);
        if (!f) return tmli_no_memory(err, "model");
        const tml_status st = tmli_force_build_rate(&builder, e, tmli_model_state_node(m, i), f);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

// ---- outputs and events -----------------------------------------------------------------------------------

// A condition happens where it becomes true, with the direction down where it becomes false.
static tml_status take_condition(const tml_spec *spec, tml_model *m, const char *text, tml_mark at,
                                 tmli_event *v, tml_error *err)
{
    const tmli_margin what = tmli_expr_make_margin(v->when.expr);
    if (what == TMLI_MARGIN_NONE)
        return tmli_fail_at(
            err, TML_ERR_MODEL, at,
            "event '%s': parts of a condition are <, <=, >, >= and conditions; write others as "
            "an expression that crosses zero",
            v->name);
    if (what != TMLI_MARGIN_CONDITION) return TML_OK;
    if (v->direction == 0) v->direction = 1;
    return tmli_model_compile(spec, m, text, at, TMLI_SCOPE_STATE, NULL, &v->condition, err);
}

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
        const tml_mark at = tmli_entry_mark(&e->at, "value");
        tml_status st =
            tmli_model_compile(spec, m, e->def.value, at, TMLI_SCOPE_OUTPUT, NULL, &o->value, err);
        if (st == TML_OK) st = tmli_model_set_output_unit(m, o, e->def.unit, at, err);
        if (st != TML_OK) return st;
        tmli_model_warn_of_constant(m, o, at);
    }
    for (int i = 0; i < spec->nevents; i++) {
        const tmli_event_entry *e = &spec->events[i];
        tmli_event *v = &m->event[m->nevents++];
        v->name = tmli_arena_strdup(&m->arena, e->def.name);
        v->direction = e->def.direction;
        if (!v->name) return tmli_no_memory(err, "model");
        const tml_mark at = tmli_entry_mark(&e->at, "when");
        tml_status st = tmli_model_compile(spec, m, e->def.when, at, TMLI_SCOPE_STATE, NULL, &v->when, err);
        if (st == TML_OK) st = take_condition(spec, m, e->def.when, at, v, err);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}
