// The channels of a model's results: names, units, datasets in the file, and values at a state.
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/constants.h"

enum { TEXT_BLOCK = 4096 };  // bytes of names that are allocated at once

// Places among the TMLI_BODY_CHANNELS of a body.
enum { POSITION = 0, QUATERNION = 3, VELOCITY = 7, ACCELERATION = 13 };

// ---- names ------------------------------------------------------------------------------------------------

// What the texts of the channels of one owner begin with: "crank." and "/bodies/crank/".
typedef struct start {
    const char *of;  // owner, or group of the same owner; NULL: not known
    const char *text;
    size_t length;
} start;

typedef struct builder {
    tml_sim *sim;
    tml_channel *at;  // NULL while counting
    int count;
    int marked;             // channels before this one have their source
    char *text, *text_end;  // what is left of the last block of names
    start column, path;
    bool out_of_memory;
} builder;

// Copies the part to `at` and returns the place behind it; NULL: it does not fit.
static char *append(char *at, const char *end, const char *part)
{
    while (at < end && *part) *at++ = *part++;
    return at < end ? at : NULL;
}

// Room for `length` more characters and their end. False: there is none.
static bool make_room(builder *b, size_t length)
{
    if ((size_t)(b->text_end - b->text) > length) return true;
    b->text = tmli_arena_alloc(&b->sim->arena, length + TEXT_BLOCK, 1);
    b->text_end = b->text ? b->text + length + TEXT_BLOCK : NULL;
    if (!b->text) b->out_of_memory = true;
    return b->text != NULL;
}

// The parts one after the other. A model has a dozen names per body: they share blocks of memory.
static const char *join(builder *b, const char *const part[], int count)
{
    size_t length = 0;
    for (int i = 0; i < count; i++) length += strlen(part[i]);
    if (!make_room(b, length)) return NULL;
    char *text = b->text, *at = text;
    for (int i = 0; i < count && at; i++) at = append(at, b->text_end, part[i]);
    *at = 0;
    b->text = at + 1;
    return text;
}

// The first characters of another text, and a part; NULL: no memory.
static const char *extend(builder *b, const start *s, const char *part)
{
    if ((size_t)(b->text_end - b->text) > s->length) {
        char *text = b->text;
        memcpy(text, s->text, s->length);
        char *at = append(text + s->length, b->text_end, part);
        if (at) {
            *at = 0;
            b->text = at + 1;
            return text;
        }
    }
    return make_room(b, s->length + strlen(part)) ? extend(b, s, part) : NULL;
}

// "crank.x" or "t"
static const char *column_name(builder *b, const char *owner, const char *name)
{
    if (!owner[0]) return join(b, &name, 1);
    if (b->column.of == owner) return extend(b, &b->column, name);
    const char *text = join(b, (const char *[]){owner, ".", name}, 3);
    b->column = (start){text ? owner : NULL, text, strlen(owner) + 1};
    b->path.of = NULL;
    return text;
}

// "/bodies/crank/position", "/outputs/name" or "/t"
static const char *dataset_path(builder *b, const char *owner, const char *group, const char *dataset)
{
    if (!group[0]) return join(b, (const char *[]){"/", dataset}, 2);
    if (!owner[0]) return join(b, (const char *[]){"/", group, "/", dataset}, 4);
    if (b->path.of == group) return extend(b, &b->path, dataset);
    const char *text = join(b, (const char *[]){"/", group, "/", owner, "/", dataset}, 6);
    b->path = (start){text ? group : NULL, text, strlen(group) + strlen(owner) + 3};
    return text;
}

static void add(builder *b, const char *owner, const char *name, const char *unit, const char *group,
                const char *dataset, int component, int width)
{
    if (b->at) {
        tml_channel *c = &b->at[b->count];
        c->name = column_name(b, owner, name);
        c->dataset = component > 0 ? c[-1].dataset : dataset_path(b, owner, group, dataset);
        c->unit = unit;
        c->component = component;
        c->width = width;
    }
    b->count++;
}

static void mark_fixed(builder *b, bool fixed)
{
    if (b->at) b->at[b->count - 1].fixed = fixed;
}

// The channels since the last call come from `element`, as its components 0, 1, ...
static void mark_source(builder *b, tmli_channel_kind kind, int element)
{
    for (int i = b->marked; i < b->count && b->at; i++)
        b->sim->source[i] = (tmli_channel_source){kind, element, i - b->marked};
    b->marked = b->count;
}

// Channels of the element's own choice: the command writes them if it is asked.
static void mark_detail(builder *b, int first)
{
    for (int i = first; i < b->count && b->at; i++) b->at[i].detail = true;
}

#define XYZ(letter) ((const char *const[]){letter "x", letter "y", letter "z"})

static void add_vector(builder *b, const char *owner, const char *const names[], const char *unit,
                       const char *group, const char *dataset, int width)
{
    for (int i = 0; i < width; i++) add(b, owner, names[i], unit, group, dataset, i, width);
}

// Force and moment, or their impulses. In the plane the force has no z, the moment nothing else.
static void add_wrench(builder *b, const char *owner, const char *const names[6], const char *const unit[2],
                       const char *const dataset[2])
{
    const bool planar = b->sim->model->planar;
    for (int i = 0; i < 6; i++) {
        add(b, owner, names[i], unit[i / 3], "joints", dataset[i / 3], i % 3, 3);
        mark_fixed(b, planar && i >= 2 && i < 5);
    }
}

// What a body has no coordinate for is fixed: rotations of a point mass, motion out of the plane.
static void mark_missing_coordinates(builder *b, const tmli_node *node, int first)
{
    tml_channel *c = b->at ? b->at + first : NULL;
    bool has[6] = {0};
    for (int k = 0; k < node->ncoords; k++) has[node->local[k]] = true;
    const bool tilts = has[3] || has[4], turns = tilts || has[5];
    for (int k = 0; k < 3 && c; k++) {
        c[POSITION + k].fixed = c[VELOCITY + k].fixed = c[ACCELERATION + k].fixed = !has[k];
        c[VELOCITY + 3 + k].fixed = c[ACCELERATION + 3 + k].fixed = !has[3 + k];
    }
    for (int k = 0; k < 4 && c; k++) c[QUATERNION + k].fixed = !(k == 1 || k == 2 ? tilts : turns);
}

// Impulses of a driver or pose (impulses below); they stay zero if nothing can jump.
static void add_driver_impulses(builder *b, const tmli_constraint *c)
{
    bool jumps = b->sim->model->unilateral;
    for (int k = 0; k < c->nrows; k++) jumps = jumps || c->motion[k].mode > 0;
    if (!c->has_reaction) {
        add(b, c->name, "impulse", "N s or N m s", "joints", "impulse", 0, 1);
        mark_fixed(b, !jumps);
        return;
    }
    const int first = b->count;
    add_wrench(b, c->name, (const char *const[]){"jx", "jy", "jz", "hx", "hy", "hz"},
               (const char *const[]){"N s", "N m s"}, (const char *const[]){"impulse", "angular_impulse"});
    for (int i = first; i < b->count && b->at && !jumps; i++) b->at[i].fixed = true;
}

// Coordinates of a joint, then their rates, then their accelerations.
static void add_coordinates(builder *b, const tmli_constraint *c, int index)
{
    for (int k = 0; k < c->ncoords; k++)
        add(b, c->name, c->coord_suffix[k], c->coord_unit[k], "joints", c->coord_suffix[k], 0, 1);
    for (int k = 0; k < c->ncoords; k++) {
        const char *unit = strcmp(c->coord_unit[k], "m") == 0 ? "m/s" : "rad/s";
        add(b, c->name, c->rate_suffix[k], unit, "joints", c->rate_suffix[k], 0, 1);
    }
    mark_source(b, TMLI_SOURCE_JOINT, index);
    const int first = b->count;
    for (int k = 0; k < c->ncoords; k++) {
        const char *name = join(b, (const char *[]){c->coord_suffix[k], "_acceleration"}, 2);
        const char *unit = strcmp(c->coord_unit[k], "m") == 0 ? "m/s^2" : "rad/s^2";
        add(b, c->name, name ? name : "", unit, "joints", name ? name : "", 0, 1);
    }
    mark_detail(b, first);
}

// Contact forces of the pairs of f; in the plane they have no z.
static void add_contacts(builder *b, const tmli_force *f)
{
    const bool planar = b->sim->model->planar;
    const int first = b->count, count = tmli_contact_quantities(f);
    static const char *const quantity[] = {"point", "normal", "friction_force"}, *const unit[] = {"m", "N",
                                                                                                  "N"};
    for (int i = 0; i < f->ncontacts; i++)
        for (int k = 0; k < count; k++) {
            const char *name = join(b, (const char *[]){f->contact[i], tmli_contact_quantity[k]}, 2),
                       *dataset = join(b, (const char *[]){f->contact[i], quantity[k / 3]}, 2);
            add(b, f->name, name ? name : "", unit[k / 3], "forces", dataset ? dataset : "", k % 3, 3);
            mark_fixed(b, planar && k % 3 == 2);
        }
    const int bodies = b->sim->model->nbodies;
    if (f->ncontacts > (bodies > CONTACTS_BY_DEFAULT ? bodies : CONTACTS_BY_DEFAULT)) mark_detail(b, first);
}

static bool needs_multipliers(const tmli_force *f) { return f->stick >= 0 || f->load >= 0; }

// The expression follows from positions, velocities, states, inputs and time.
static bool is_motion(const tml_model *m, const tmli_expr_vars *e)
{
    bool motion = true;
    for (int i = 0; i < e->nvars; i++) {
        const tmli_var_kind kind = e->var[i].kind;
        if (kind == TMLI_VAR_CHANNEL) motion = motion && !needs_multipliers(&m->force[e->var[i].element]);
        else motion = motion && kind <= TMLI_VAR_QUAT;
    }
    return motion;
}

static void list_channels(builder *b)
{
    const tml_model *m = b->sim->model;
    add(b, "", "t", "s", "", "t", 0, 1);
    mark_source(b, TMLI_SOURCE_TIME, 0);
    for (int i = 0; i < m->nbodies; i++) {
        const char *name = m->node[i].name;
        const int first = b->count;
        add_vector(b, name, XYZ(""), "m", "bodies", "position", 3);
        add_vector(b, name, (const char *const[]){"q0", "q1", "q2", "q3"}, "1", "bodies", "quaternion", 4);
        add_vector(b, name, XYZ("v"), "m/s", "bodies", "velocity", 3);
        add_vector(b, name, XYZ("w"), "rad/s", "bodies", "angular_velocity", 3);
        mark_source(b, TMLI_SOURCE_BODY, i);
        add_vector(b, name, XYZ("a"), "m/s^2", "bodies", "acceleration", 3);
        add_vector(b, name, XYZ("al"), "rad/s^2", "bodies", "angular_acceleration", 3);
        mark_missing_coordinates(b, &m->node[i], first);
        mark_source(b, TMLI_SOURCE_ROW, i);
    }
    for (int i = 0; i < m->njoints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        add_coordinates(b, c, i);
        if (!c->has_reaction) {
            add(b, c->name, "multiplier", "N or N m", "joints", "multiplier", 0, 1);
        } else {
            add_wrench(b, c->name, (const char *const[]){"fx", "fy", "fz", "mx", "my", "mz"},
                       (const char *const[]){"N", "N m"}, (const char *const[]){"force", "moment"});
        }
        if (c->motion) add_driver_impulses(b, c);
    }
    for (int i = 0; i < m->nactuators; i++) {
        const tmli_actuator *a = &m->actuator[i];
        add(b, a->owner, a->channel, a->unit, "actuators", a->channel, 0, 1);
    }
    add(b, "energy", "kinetic", "J", "", "energy/kinetic", 0, 1);
    add(b, "energy", "potential", "J", "", "energy/potential", 0, 1);
    add(b, "energy", "dissipated", "J", "", "energy/dissipated", 0, 1);
    add(b, "energy", "supplied", "J", "", "energy/supplied", 0, 1);
    mark_fixed(b, !m->works[TMLI_WORK_SUPPLIED]);
    add(b, "energy", "contact_loss", "J", "", "energy/contact_loss", 0, 1);
    mark_fixed(b, !m->works[TMLI_WORK_CONTACT]);
    add(b, "constraint", "position", "m or rad", "", "constraint/position", 0, 1);
    add(b, "constraint", "velocity", "m/s or rad/s", "", "constraint/velocity", 0, 1);
    add(b, "", "step", "s", "", "step", 0, 1);
    mark_source(b, TMLI_SOURCE_ROW, 0);
    for (int i = m->nnodes - m->nz; i < m->nnodes; i++)
        add(b, "", m->node[i].name, m->node[i].unit, "states", m->node[i].name, 0, 1);
    mark_source(b, TMLI_SOURCE_STATE, 0);
    for (int i = 0; i < m->ninputs; i++)
        add(b, "", m->input[i].name, m->input[i].unit, "inputs", m->input[i].name, 0, 1);
    mark_source(b, TMLI_SOURCE_INPUT, 0);
    for (int i = 0; i < m->noutputs; i++) {
        add(b, "", m->output[i].name, m->output[i].unit, "outputs", m->output[i].name, 0, 1);
        mark_source(b, is_motion(m, &m->output[i].value) ? TMLI_SOURCE_OUTPUT : TMLI_SOURCE_ROW, i);
    }
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        for (int k = 0; k < f->nchannels; k++)
            if (f->channel[k].recorded)
                add(b, f->name, f->channel[k].name, f->channel[k].unit, "forces", f->channel[k].name, 0, 1);
        if (!isnan(f->restitution)) add(b, f->name, "impulse", "N s or N m s", "forces", "impulse", 0, 1);
        mark_source(b, needs_multipliers(f) ? TMLI_SOURCE_ROW : TMLI_SOURCE_FORCE, i);
        add_contacts(b, f);
        mark_source(b, needs_multipliers(f) ? TMLI_SOURCE_ROW : TMLI_SOURCE_CONTACT, i);
    }
}

tml_status tmli_sim_build_channels(tml_sim *sim, tml_error *err)
{
    builder b = {.sim = sim};
    list_channels(&b);
    sim->nchannels = b.count;
    sim->channel = tmli_arena_alloc(&sim->arena, (size_t)b.count, sizeof *sim->channel);
    sim->source = tmli_arena_alloc(&sim->arena, (size_t)b.count, sizeof *sim->source);
    sim->not_finite = tmli_arena_alloc(&sim->arena, (size_t)b.count, sizeof *sim->not_finite);
    sim->impulse_sum = tmli_arena_alloc(&sim->arena, (size_t)tmli_sim_impulse_count(sim->model) + 1,
                                        sizeof *sim->impulse_sum);
    if (!sim->channel || !sim->source || !sim->not_finite || !sim->impulse_sum)
        return tmli_no_memory(err, "simulation");
    b.at = sim->channel;
    b.count = b.marked = 0;
    list_channels(&b);
    return b.out_of_memory ? tmli_no_memory(err, "simulation") : TML_OK;
}

int tml_sim_channel_count(const tml_sim *sim) { return sim ? sim->nchannels : 0; }
const tml_channel *tml_sim_channels(const tml_sim *sim) { return sim ? sim->channel : NULL; }

int tml_sim_channel_index(const tml_sim *sim, const char *name, tml_error *err)
{
    if (!sim || !name) {
        tmli_null_argument(err, "tml_sim_channel_index");
        return -1;
    }
    for (int i = 0; i < sim->nchannels; i++)
        if (strcmp(sim->channel[i].name, name) == 0) return i;
    const char **names = tmli_calloc(&sim->env, (size_t)sim->nchannels + 1, sizeof *names);
    for (int i = 0; i < sim->nchannels && names; i++) names[i] = sim->channel[i].name;
    const char *near = names ? tmli_nearest(name, names, (size_t)sim->nchannels) : NULL;
    tmli_fail(err, TML_ERR_NAME, "there is no channel '%s'", name);
    if (near) tmli_error_append(err, "(is it '%s'?)", near);
    tmli_free(&sim->env, (void *)names);
    return -1;
}

// Warn once of every channel that is not a finite number.
static void note_not_finite(const tml_sim *sim, double t, const double *value)
{
    for (int i = 0; i < sim->nchannels; i++) {
        if (isfinite(value[i]) || sim->not_finite[i]) continue;
        sim->not_finite[i] = true;
        tmli_log(&sim->env, TML_LOG_WARNING, "'%s' is not a finite number (%s) at t = %.6g s",
                 sim->channel[i].name,
                 isnan(value[i]) ? "NaN"
                 : value[i] < 0  ? "-inf"
                                 : "inf",
                 t);
    }
}

// ---- impulses ---------------------------------------------------------------------------------------------

// Impulses change velocities at once: between two rows the forces do not show them. Their channels are sums
// since the start.

int tmli_sim_impulse_count(const tml_model *m)
{
    int count = 0;
    for (int i = 0; m && i < m->njoints; i++) count += tmli_sim_driver_impulses(&m->constraint[i]);
    for (int i = 0; m && i < m->nforces; i++) count += !isnan(m->force[i].restitution);
    return count;
}

void tmli_sim_add_impulses(tml_sim *sim, const tml_state *x, double *row, const double *push)
{
    const tml_model *m = sim->model;
    double *sum = sim->impulse_sum;
    tml_state with = *x;
    with.lambda = row;
    if (!m) return;
    tmli_mb_set_poses(m, sim->work, x->q);
    for (int i = 0; i < m->njoints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        double wrench[6] = {0};
        if (!c->motion) continue;
        if (c->has_reaction) tmli_mb_reaction(m, sim->work, &with, c, wrench);
        else wrench[0] = c->nrows ? row[c->first] : 0;
        for (int k = 0; k < tmli_sim_driver_impulses(c); k++) *sum++ += wrench[k];
    }
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        if (isnan(f->restitution)) continue;
        for (int k = 0; push && k < f->nmodes; k++) *sum += push[f->mode - 1 + k];
        sum++;
    }
}

// ---- values -----------------------------------------------------------------------------------------------

static tml_status values(const tml_sim *sim, const tml_state *x, double *out, tml_error *err)
{
    const tml_model *m = sim->model;
    tmli_work *w = sim->work;
    if (!m) return tmli_fail(err, TML_ERR_ARG, "a system of callbacks has no channels");
    double *const first = out;
    double kinetic = sim->report.kinetic, potential = sim->report.potential, power;
    if (x != sim->out) {  // else sim->report has the energies of this output
        const tml_status st = sim->sys->ops->energy(sim->sys->self, w, x, &kinetic, &potential, &power, err);
        if (st != TML_OK) return st;
    }
    tmli_mb_set_poses(m, w, x->q);
    *out++ = x->t;
    for (int i = 0; i < m->nbodies; i++) {
        double v[6];
        tmli_node_velocity(m, x->u, i, v);
        memcpy(out + POSITION, x->q + 7 * i, 7 * sizeof(double));
        v3_store(tmli_model_place(m, v3_from(out + POSITION)), out + POSITION);
        memcpy(out + VELOCITY, v, 6 * sizeof(double));
        tmli_node_velocity(m, x->udot, i, v);  // the same components of the accelerations
        memcpy(out + ACCELERATION, v, 6 * sizeof(double));
        out += TMLI_BODY_CHANNELS;
    }
    const double *impulse = sim->impulse_sum;
    for (int i = 0; i < m->njoints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        tmli_mb_coordinates(m, w, x, c, out);
        out += TMLI_COORD_CHANNELS * c->ncoords;
        if (!c->has_reaction) {
            *out++ = c->nrows ? x->lambda[c->first] : 0;
        } else {
            tmli_mb_reaction(m, w, x, c, out);
            out += 6;
        }
        for (int k = tmli_sim_driver_impulses(c); k > 0; k--) *out++ = *impulse++;
    }
    for (int i = 0; i < m->nactuators; i++) *out++ = tmli_sim_actuator_forces(sim)[i];
    *out++ = kinetic;
    *out++ = potential;
    *out++ = sim->output_dissipated;
    *out++ = sim->output_supplied;
    *out++ = sim->output_lost;
    *out++ = sim->output_residual[0];
    *out++ = sim->output_residual[1];
    *out++ = sim->last_step;
    for (int i = 0; i < m->nz; i++) *out++ = x->z[i];
    for (int i = 0; i < m->ninputs; i++) *out++ = x->input[2 * i] + x->input[2 * i + 1] * (x->t - x->input_t);
    for (int i = 0; i < m->noutputs; i++) *out++ = tmli_mb_expression(m, w, x, &m->output[i].value);
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        double values[TMLI_FORCE_CHANNELS];
        tmli_mb_force_channels(m, w, x, f, values);
        for (int k = 0; k < f->nchannels; k++)
            if (f->channel[k].recorded) *out++ = values[k];
        if (!isnan(f->restitution)) *out++ = *impulse++;
        tmli_mb_contact_forces(m, w, x, f, out);
        out += f->ncontacts * tmli_contact_quantities(f);
    }
    note_not_finite(sim, x->t, first);
    return out - first == sim->nchannels
               ? TML_OK
               : tmli_fail(err, TML_ERR_ARG, "channels and values differ in number");
}

tml_status tml_sim_channel_values(const tml_sim *sim, const tml_state *x, double *out, tml_error *err)
{
    if (!sim || !x || !out) return tmli_null_argument(err, "tml_sim_channel_values");
    bool first;
    tml_status st = tmli_sim_enter(sim, "tml_sim_channel_values", &first, err);
    if (st == TML_OK) {
        st = values(sim, x, out, err);
        tmli_sim_leave(sim, first);
    }
    return st;
}

bool tmli_sim_is_motion(const tml_sim *sim, int channel)
{
    return sim->source[channel].kind != TMLI_SOURCE_ROW;
}

double tmli_sim_motion_value(const tml_sim *sim, const tml_state *x, int channel)
{
    const tml_model *m = sim->model;
    const tmli_channel_source s = sim->source[channel];
    double values[TMLI_FORCE_CHANNELS];
    switch (s.kind) {
    case TMLI_SOURCE_ROW: return NAN;
    case TMLI_SOURCE_TIME: return x->t;
    case TMLI_SOURCE_BODY:
        if (s.component < VELOCITY) {
            memcpy(values, x->q + 7 * s.element, 7 * sizeof *values);
            v3_store(tmli_model_place(m, v3_from(values)), values);
            return values[s.component];
        }
        tmli_node_velocity(m, x->u, s.element, values);
        return values[s.component - VELOCITY];
    case TMLI_SOURCE_JOINT: {
        double all[TMLI_COORD_CHANNELS * TMLI_JOINT_COORDS];
        tmli_mb_coordinates(m, sim->work, x, &m->constraint[s.element], all);
        return all[s.component];
    }
    case TMLI_SOURCE_STATE: return x->z[s.component];
    case TMLI_SOURCE_INPUT:
        return x->input[2 * s.component] + x->input[2 * s.component + 1] * (x->t - x->input_t);
    case TMLI_SOURCE_OUTPUT: return tmli_mb_expression(m, sim->work, x, &m->output[s.element].value);
    case TMLI_SOURCE_CONTACT: {
        double all[TMLI_CONTACT_QUANTITIES * TMLI_FORCE_CONTACTS];
        tmli_mb_contact_forces(m, sim->work, x, &m->force[s.element], all);
        return all[s.component];
    }
    case TMLI_SOURCE_FORCE: break;
    }
    const tmli_force *f = &m->force[s.element];
    tmli_mb_force_channels(m, sim->work, x, f, values);
    for (int k = 0, component = 0; k < f->nchannels; k++)
        if (f->channel[k].recorded && component++ == s.component) return values[k];
    return NAN;
}
