// Spec to model: nodes, frames, and the order in which the other parts are built.
#include "model/build/build.h"
#include "base/parts.h"
#include "element/contact/contact.h"
#include "part/part.h"

#include <string.h>

#include "base/tolerances.h"

// ---- nodes ------------------------------------------------------------------------------------------------

static tml_status check_planar_body(const tmli_body_entry *e, tml_error *err)
{
    const tml_body_def *d = &e->def;
    const double *p = d->orientation;
    if (d->position[2] != 0)
        return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "position"),
                            "body '%s': a planar model lies in the plane z = 0, found z = %g", d->name,
                            d->position[2]);
    if (d->velocity[2] != 0 || d->angular_velocity[0] != 0 || d->angular_velocity[1] != 0)
        return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "velocity"),
                            "body '%s': a planar model has only the velocities vx, vy and wz", d->name);
    if (p[1] * p[1] + p[2] * p[2] > TMLI_AGREEMENT * TMLI_AGREEMENT * (p[0] * p[0] + p[3] * p[3]))
        return tmli_fail_at(err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "orientation"),
                            "body '%s': a body of a planar model rotates about z only", d->name);
    return TML_OK;
}

static void build_node(const tml_model *m, const tml_body_def *d, int *first, tmli_node *out)
{
    const double *J = d->inertia;
    out->mass = d->mass;
    out->J = (mat3){{J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]}};
    out->fixed_at_start = d->fixed_at_start;
    static const int spatial[6] = {0, 1, 2, 3, 4, 5}, planar[3] = {0, 1, 5};
    const int *which = m->planar ? planar : spatial;
    out->ncoords = m->planar ? (d->point ? 2 : 3) : (d->point ? 3 : 6);
    for (int k = 0; k < out->ncoords; k++) out->local[k] = which[k];
    out->first = *first;
    *first += out->ncoords;
    memcpy(out->q0, d->position, 3 * sizeof(double));
    q_store(q_normalize(q_from(d->orientation)), out->q0 + 3);
    memcpy(out->u0, d->velocity, 3 * sizeof(double));
    memcpy(out->u0 + 3, d->angular_velocity, 3 * sizeof(double));
}

// A name means one number: where an expression uses it, a parameter would hide a state or an input.
static tml_status check_not_parameter(const tml_spec *spec, const char *what, const char *name, tml_mark at,
                                      tml_error *err)
{
    for (int i = 0; i < spec->nparams; i++)
        if (strcmp(spec->param_names[i], name) == 0)
            return tmli_fail_at(err, TML_ERR_NAME, at,
                                "%s '%s' has the name of a parameter, which does not change during a run; "
                                "choose another name for one of them",
                                what, name);
    return TML_OK;
}

// The inertia of amplitudes is that of their element.
static tml_status build_amplitudes(const tml_spec *spec, tml_model *m, tml_error *err)
{
    tmli_node *node = m->node + m->nbodies;
    for (int i = 0; i < spec->nforces; i++) {
        const tml_force_def *d = &spec->forces[i].def;
        for (int k = 0; k < tmli_model_amplitude_nodes(d); k++) {
            const int left = d->modal->part->nmodes - 3 * k, ncoords = left < 3 ? left : 3;
            *node = (tmli_node){.first = m->n, .ncoords = ncoords, .local = {0, 1, 2}, .q0 = {[3] = 1}};
            m->n += ncoords;
            node->name = tmli_arena_format(&m->arena, "%s.modes%d", d->modal->name, 3 * k + 1);
            if (!node++->name) return tmli_no_memory(err, "model");
        }
    }
    return TML_OK;
}

// First-order states are the last nodes.
static tml_status build_states(const tml_spec *spec, tml_model *m, tml_error *err)
{
    m->state_scale = tmli_arena_alloc(&m->arena, (size_t)m->nz + 1, sizeof *m->state_scale);
    if (!m->state_scale) return tmli_no_memory(err, "model");
    for (int i = 0; i < spec->nstates; i++) {
        const tml_state_def *d = &spec->states[i].def;
        const tml_status st = check_not_parameter(spec, "state", d->name, spec->states[i].at.at, err);
        if (st != TML_OK) return st;
        tmli_node *node = &m->node[tmli_model_state_node(m, i)];
        *node = (tmli_node){.mass = 1, .first = m->n++, .ncoords = 1, .q0 = {[3] = 1}, .u0 = {d->start}};
        node->name = tmli_arena_strdup(&m->arena, d->name);
        node->unit = tmli_arena_strdup(&m->arena, d->unit ? d->unit : "1");
        m->state_scale[i] = d->scale;
        if (!node->name || !node->unit) return tmli_no_memory(err, "model");
    }
    return TML_OK;
}

// The bristles of contacts are states after those of the user: NAME_bristle1, NAME_bristle2, ...
static tml_status build_bristles(const tml_spec *spec, tml_model *m, tml_error *err)
{
    int at = spec->nstates;
    for (int k = 0; k < spec->ncontacts; k++) {
        const tml_contact_def *d = &spec->contacts[k].def;
        const int count = tmli_contact_bristle_count(spec, d);
        for (int i = 0; i < count; i++, at++) {
            tmli_node *node = &m->node[tmli_model_state_node(m, at)];
            *node = (tmli_node){.mass = 1, .first = m->n++, .ncoords = 1, .q0 = {[3] = 1}};
            node->name = tmli_arena_format(&m->arena, "%s_bristle%d", d->name, i + 1);
            node->unit = "m";
            m->state_scale[at] = d->friction.coefficient / d->friction.bristle_stiffness;
            if (!node->name) return tmli_no_memory(err, "model");
        }
    }
    return TML_OK;
}

// Parameters are in the numbers of the model already; their names are for messages.
static tml_status build_parameters(const tml_spec *spec, tml_model *m, tml_error *err)
{
    const size_t count = (size_t)spec->nparams;
    if (!tmli_arena_alloc_all(&m->arena, TMLI_ARRAY(m->param_names, count + 1),
                              TMLI_ARRAY(m->param_values, count + 1), TMLI_ARRAY(m->param_unused, count + 1)))
        return tmli_no_memory(err, "model");
    for (size_t i = 0; i < count; i++) {
        m->param_names[i] = tmli_arena_strdup(&m->arena, spec->param_names[i]);
        m->param_values[i] = spec->param_values[i];
        if (spec->param_unused) m->param_unused[i] = spec->param_unused[i];
        if (!m->param_names[i]) return tmli_no_memory(err, "model");
    }
    m->nparams = spec->nparams;
    return TML_OK;
}

static tml_status build_inputs(const tml_spec *spec, tml_model *m, tml_error *err)
{
    m->input = tmli_arena_alloc(&m->arena, (size_t)spec->ninputs + 1, sizeof *m->input);
    if (!m->input) return tmli_no_memory(err, "model");
    for (int i = 0; i < spec->ninputs; i++) {
        const tml_input_def *d = &spec->inputs[i].def;
        const tml_status st = check_not_parameter(spec, "input", d->name, spec->inputs[i].at.at, err);
        if (st != TML_OK) return st;
        m->input[i] = (tmli_input){.name = tmli_arena_strdup(&m->arena, d->name),
                                   .unit = tmli_arena_strdup(&m->arena, d->unit ? d->unit : "1"),
                                   .value = d->value};
        if (!m->input[i].name || !m->input[i].unit) return tmli_no_memory(err, "model");
    }
    m->ninputs = spec->ninputs;
    return TML_OK;
}

static tml_status build_nodes(const tml_spec *spec, tml_model *m, tml_error *err)
{
    if (spec->nbodies == 0) return tmli_fail_at(err, TML_ERR_MODEL, spec->at, "the model has no bodies");
    m->nbodies = spec->nbodies;
    m->nz = spec->nstates;
    for (int i = 0; i < spec->ncontacts; i++)
        m->nz += tmli_contact_bristle_count(spec, &spec->contacts[i].def);
    for (int i = 0; i < spec->nforces; i++)
        m->namplitudes += tmli_model_amplitude_nodes(&spec->forces[i].def);
    m->nnodes = m->nbodies + m->namplitudes + m->nz;
    m->node = tmli_arena_alloc(&m->arena, (size_t)m->nnodes, sizeof *m->node);
    if (!m->node) return tmli_no_memory(err, "model");
    for (int i = 0; i < m->nbodies; i++) {
        const tmli_body_entry *e = &spec->bodies[i];
        if (m->planar) {
            tml_status st = check_planar_body(e, err);
            if (st != TML_OK) return st;
        }
        build_node(m, &e->def, &m->n, &m->node[i]);
        m->node[i].name = tmli_arena_strdup(&m->arena, e->def.name);
        if (!m->node[i].name) return tmli_no_memory(err, "model");
    }
    tml_status st = build_amplitudes(spec, m, err);
    if (st == TML_OK) st = build_states(spec, m, err);
    if (st == TML_OK) st = build_bristles(spec, m, err);
    if (st != TML_OK) return st;
    m->kind = tmli_arena_alloc(&m->arena, (size_t)m->n, sizeof *m->kind);
    m->node_of = tmli_arena_alloc(&m->arena, (size_t)m->n, sizeof *m->node_of);
    if (!m->kind || !m->node_of) return tmli_no_memory(err, "model");
    for (int i = 0; i < m->nnodes; i++)
        for (int k = 0; k < m->node[i].ncoords; k++) {
            const int j = m->node[i].first + k;
            m->kind[j] = i >= m->nnodes - m->nz    ? TML_COORDINATE_STATE
                         : m->node[i].local[k] < 3 ? TML_COORDINATE_TRANSLATION
                                                   : TML_COORDINATE_ROTATION;
            m->node_of[j] = i;
        }
    return TML_OK;
}

static tml_status check_frames(const tml_spec *spec, tml_error *err)
{
    for (int i = 0; i < spec->nframes; i++) {
        int body;
        const tmli_frame_entry *e = &spec->frames[i];
        tml_status st = tmli_model_find_body(spec, e->def.body, e->at.at, &body, err);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

static tml_status copy_settings(const tml_spec *spec, tml_model *m, tml_error *err)
{
    m->planar = spec->planar;
    m->gravity = v3_from(spec->gravity);
    if (m->planar && m->gravity.z != 0)
        return tmli_fail(err, TML_ERR_MODEL, "gravity: a planar model lies in the x-y plane, found gz = %g",
                         m->gravity.z);
    m->run = spec->run;
    m->title = tmli_arena_strdup(&m->arena, spec->title ? spec->title : "");
    const char *const source = tml_spec_text(spec);
    m->text = source ? tmli_arena_strdup(&m->arena, source) : NULL;
    const char **const names[] = {&m->run.method, &m->run.solver, &m->run.record};
    bool copied = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!*names[i]) continue;
        *names[i] = tmli_arena_strdup(&m->arena, *names[i]);
        copied = copied && *names[i];
    }
    m->method_at = tmli_model_keep_mark(m, tmli_entry_mark(&spec->run_at, "method"));
    m->solver_at = tmli_model_keep_mark(m, tmli_entry_mark(&spec->run_at, "solver"));
    m->record_at = tmli_model_keep_mark(m, tmli_entry_mark(&spec->run_at, "record"));
    return m->title && copied && (m->text || !source) ? TML_OK : tmli_no_memory(err, "model");
}

static tml_status build_tables(const tml_spec *spec, tml_model *m, tml_error *err)
{
    tml_status st = TML_OK;
    for (int i = 0; i < spec->ntables && st == TML_OK; i++) {
        const tmli_table_entry *e = &spec->tables[i];
        const tmli_curve *curve;
        st = tmli_model_add_curve(m, "table", e->def.name, e->at.at, e->def.count, e->def.points,
                                  e->def.style, &curve, err);
    }
    return st;
}

// Frames of the shapes that are drawn only; contacts resolve those of theirs.
static tml_status check_shapes(const tml_spec *spec, tml_error *err)
{
    for (int i = 0; i < spec->nshapes; i++) {
        const tmli_shape_entry *e = &spec->shapes[i];
        tmli_marker at;
        const tml_status st = tmli_model_find_frame(spec, NULL, e->def.at ? e->def.at : e->def.name,
                                                    tmli_entry_mark(&e->at, "at"), &at, err);
        if (st != TML_OK && !e->def.at) tmli_error_append(err, "(shape '%s' has no 'at')", e->def.name);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

static tml_status check_weighed(const tml_spec *spec, tml_error *err)
{
    for (int i = 0; i < spec->nbodies; i++)
        if (spec->bodies[i].def.density > 0)
            return tmli_fail(err, TML_ERR_MODEL,
                             "body '%s' has a density: call tml_spec_weigh() after its shapes.",
                             spec->bodies[i].def.name);
    return TML_OK;
}

static tml_status list_counted_angles(tml_model *m, tml_error *err)
{
    m->counted = tmli_arena_alloc(&m->arena, (size_t)m->nangles + 1, sizeof *m->counted);
    m->rotation = tmli_arena_alloc(&m->arena, (size_t)m->n + 1, sizeof *m->rotation);
    m->turning = tmli_arena_alloc(&m->arena, (size_t)m->nnodes + 1, sizeof *m->turning);
    bool *turns = tmli_calloc(&m->env, (size_t)m->nnodes + 1, sizeof *turns);
    if (!m->counted || !m->rotation || !m->turning || !turns) {
        tmli_free(&m->env, turns);
        return tmli_no_memory(err, "model");
    }
    for (int i = 0; i < m->nmeasure_uses; i++) {
        const tmli_measure_use *use = &m->measure_use[i];
        if (use->angle < 0) continue;
        m->counted[use->angle] = i;
        for (int side = 0; side < 2; side++)
            if (use->node[side] >= 0) turns[use->node[side]] = true;
    }
    for (int i = 0; i < m->nnodes; i++)
        if (turns[i]) m->turning[m->nturning++] = i;
    for (int j = 0; j < m->n; j++)
        if (m->kind[j] == TML_COORDINATE_ROTATION && turns[m->node_of[j]]) m->rotation[m->nrotations++] = j;
    tmli_free(&m->env, turns);
    return TML_OK;
}

static void join_nodes(tml_model *m, const tmli_plan *p)
{
    const tmli_node *last = NULL;
    for (int s = 0; s < p->nslots; s++) {
        const tmli_node *node = &m->node[p->node[s]];
        if (node->ncoords == 0) continue;
        if (last) tmli_parts_join(m->part, last->first, node->first);
        last = node;
    }
}

// Bodies, with the nodes that elastic elements join, inertia couples or joints hold to each other.
static tml_status find_parts(tml_model *m, tml_error *err)
{
    m->part = tmli_arena_alloc(&m->arena, (size_t)m->n + 1, sizeof *m->part);
    if (!m->part) return tmli_no_memory(err, "model");
    for (int j = 0; j < m->n; j++) m->part[j] = m->node[m->node_of[j]].first;
    for (int i = 0; i < m->nforces; i++)
        if (m->force[i].ops->elastic_part || m->force[i].ops->mass) join_nodes(m, &m->force[i].plan);
    for (int i = 0; i < m->njoints; i++)
        if (m->constraint[i].type == TML_JOINT_FIXED) join_nodes(m, &m->constraint[i].plan);
    for (int j = 0; j < m->n; j++) m->part[j] = tmli_part_of(m->part, j);
    return TML_OK;
}

// Mean masses of the bodies that joints, limits and contacts join, but not by way of the ground. Where these
// have no mass, forces do not come from them, and all bodies count.
static tml_status find_joined(tml_model *m, tml_error *err)
{
    const size_t n = (size_t)m->nnodes + 1;
    m->joined = tmli_arena_alloc(&m->arena, n, sizeof *m->joined);
    int *name = tmli_calloc(&m->env, 2 * n, sizeof *name);
    if (!m->joined || !name) {
        tmli_free(&m->env, name);
        return tmli_no_memory(err, "model");
    }
    int *bodies = name + n;
    for (int i = 0; i < m->nnodes; i++) name[i] = i;
    for (int i = 0; i < m->nconstraints; i++) {
        const tmli_plan *p = &m->constraint[i].plan;
        for (int s = 1; s < p->nslots; s++) tmli_parts_join(name, p->node[0], p->node[s]);
    }
    double mean = 0;
    for (int i = 0; i < m->nbodies; i++) {
        mean += m->node[i].mass / m->nbodies;
        m->joined[tmli_part_of(name, i)] += m->node[i].mass;
        bodies[tmli_part_of(name, i)]++;
    }
    // a part has the name of its first node: its sum is needed no more when it becomes a mean
    for (int i = 0; i < m->nnodes; i++) {
        const int first = tmli_part_of(name, i);
        if (i == first) m->joined[i] = m->joined[i] > 0 ? m->joined[i] / bodies[i] : mean;
        else m->joined[i] = m->joined[first];
    }
    tmli_free(&m->env, name);
    return TML_OK;
}

tml_status tmli_model_build(const tml_spec *spec, tml_model **out, tml_error *err)
{
    *out = NULL;
    tml_model *m = tmli_calloc(&spec->env, 1, sizeof *m);
    if (!m) return tmli_no_memory(err, "model");
    m->env = spec->env;
    m->arena.env = &m->env;

    tml_status st = copy_settings(spec, m, err);
    if (st == TML_OK) st = check_frames(spec, err);
    if (st == TML_OK) st = check_weighed(spec, err);
    if (st == TML_OK) st = build_nodes(spec, m, err);
    if (st == TML_OK) st = build_parameters(spec, m, err);
    if (st == TML_OK) st = build_inputs(spec, m, err);
    if (st == TML_OK) st = tmli_model_set_extent(spec, m, err);
    if (st == TML_OK) st = build_tables(spec, m, err);
    if (st == TML_OK) st = tmli_model_build_constraints(spec, m, err);
    if (st == TML_OK) st = tmli_model_build_forces(spec, m, err);
    if (st == TML_OK) st = check_shapes(spec, err);
    if (st == TML_OK) st = tmli_model_build_actuators(spec, m, err);
    if (st == TML_OK) st = tmli_model_build_outputs(spec, m, err);
    if (st == TML_OK) st = tmli_model_build_pattern(m, err);
    if (st == TML_OK) st = tmli_model_number_modes(m, err);
    if (st == TML_OK) st = tmli_model_find_massless_rotations(m, err);
    if (st == TML_OK) st = list_counted_angles(m, err);
    if (st == TML_OK) st = find_parts(m, err);
    if (st == TML_OK) st = find_joined(m, err);
    if (st != TML_OK) {
        tml_model_destroy(m);
        return st;
    }
    tmli_model_warn(spec, m);
    *out = m;
    return TML_OK;
}
