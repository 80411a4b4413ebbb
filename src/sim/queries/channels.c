// The catalogue of channels: an entry is a name, a unit, a place in the file, and a function of a state. One
// walk over the model lists them by groups, whose values are computed together. Rows of results, samples of
// studies and comparisons of runs read this list.
#include "base/quantity.h"
#include "element/contact/captured.h"
#include "sim/queries/sim.h"

#include <math.h>
#include <string.h>

#include "sim/queries/constants.h"

// Places among the channels of a body.
enum { POSITION = 0, QUATERNION = 3, VELOCITY = 7, ACCELERATION = 13 };

// ---- values -----------------------------------------------------------------------------------------------

// Poses of the state are set in sim->work.

static void time_value(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    (void)g;
    out[0] = r->x->t;
}

static void body_values(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    const tml_model *m = r->sim->model;
    memcpy(out + POSITION, r->x->q + (ptrdiff_t)7 * g->element, 7 * sizeof(double));
    v3_store(tmli_model_place(m, v3_from(out + POSITION)), out + POSITION);
    tmli_node_velocity(m, r->x->u, g->element, out + VELOCITY);
    tmli_node_velocity(m, r->x->udot, g->element, out + ACCELERATION);  // the same components
}

static void attitude_values(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    double u[6];
    tmli_node_velocity(r->sim->model, r->x->u, g->element, u);
    const tmli_pose x = {.R = q_matrix(q_from(r->x->q + (ptrdiff_t)7 * g->element + 3))};
    tmli_attitude(&x, v3_from(u + 3), out);
}

static void coordinate_values(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    tmli_mb_coordinates(r->sim->model, r->sim->work, r->x, &r->sim->model->constraint[g->element], out);
}

static void reaction_values(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    const tmli_constraint *c = &r->sim->model->constraint[g->element];
    if (c->has_reaction) tmli_mb_reaction(r->sim->model, r->sim->work, r->x, c, out);
    else out[0] = c->nrows ? r->x->lambda[c->first] : 0;
}

static void impulse_values(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    memcpy(out, r->sim->impulse_sum + g->element, (size_t)g->count * sizeof *out);
}

static void actuator_value(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    out[0] = tmli_sim_actuator_forces(r->sim)[g->element];
}

static void state_value(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    out[0] = r->x->z[g->element];
}

static void input_value(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    const double *line = r->x->input + (ptrdiff_t)2 * g->element;
    out[0] = line[0] + line[1] * (r->x->t - r->x->input_t);
}

static void output_value(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    const tml_model *m = r->sim->model;
    out[0] = tmli_mb_expression(m, r->sim->work, r->x, &m->output[g->element].value);
}

static void force_values(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    const tmli_force *f = &r->sim->model->force[g->element];
    double values[TMLI_FORCE_CHANNELS];
    tmli_mb_force_channels(r->sim->model, r->sim->work, r->x, f, values);
    for (int k = 0; k < f->nchannels; k++)
        if (f->channel[k].recorded) *out++ = values[k];
}

static void load_values(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    const tmli_driver *d = &r->sim->driver;
    memset(out, 0, (size_t)g->count * sizeof *out);
    if (d->self) d->method->contact_loads(d->self, g->element, out);
}

static void contact_values(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    tmli_mb_contact_forces(r->sim->model, r->sim->work, r->x, &r->sim->model->force[g->element], out);
}

static double kinetic(const tmli_channel_row *r) { return r->kinetic; }
static double potential(const tmli_channel_row *r) { return r->potential; }
static double dissipated(const tmli_channel_row *r) { return r->sim->output_dissipated; }
static double supplied(const tmli_channel_row *r) { return r->sim->output_supplied; }
static double contact_loss(const tmli_channel_row *r) { return r->sim->output_lost; }
static double position_residual(const tmli_channel_row *r) { return r->sim->output_residual[0]; }
static double velocity_residual(const tmli_channel_row *r) { return r->sim->output_residual[1]; }
static double last_step(const tmli_channel_row *r) { return r->sim->last_step; }

// Numbers of the whole model. of_work: fixed if the model has none of this kind.
static const struct {
    const char *owner, *name, *unit;
    double (*value)(const tmli_channel_row *r);
    int signal;
    tmli_work_kind of_work;
} of_model[] = {
    {"energy", "kinetic", "J", kinetic, TML_SIGNAL_ENERGY, TMLI_WORK_KINDS},
    {"energy", "potential", "J", potential, TML_SIGNAL_ENERGY, TMLI_WORK_KINDS},
    {"energy", "dissipated", "J", dissipated, TML_SIGNAL_ENERGY, TMLI_WORK_KINDS},
    {"energy", "supplied", "J", supplied, TMLI_SIGNAL_NONE, TMLI_WORK_SUPPLIED},
    {"energy", "contact_loss", "J", contact_loss, TMLI_SIGNAL_NONE, TMLI_WORK_CONTACT},
    {"constraint", "position", "m or rad", position_residual, TMLI_SIGNAL_NONE, TMLI_WORK_KINDS},
    {"constraint", "velocity", "m/s or rad/s", velocity_residual, TMLI_SIGNAL_NONE, TMLI_WORK_KINDS},
    {"", "step", "s", last_step, TMLI_SIGNAL_NONE, TMLI_WORK_KINDS},
};

static void model_value(const tmli_channel_row *r, const tmli_channel_group *g, double *out)
{
    out[0] = of_model[g->element].value(r);
}

// ---- the list ---------------------------------------------------------------------------------------------

typedef struct builder {
    tml_sim *sim;
    tml_channel *at;  // NULL while counting
    int count, groups;
    int first;                   // channel of the group that is being listed
    const char *owner, *folder;  // of the channels that follow: "crank", "bodies"; "": none
    int signal;                  // that they are for comparisons
    int impulses;
    bool out_of_memory;
} builder;

// The parts one after the other.
static const char *join(builder *b, const char *const part[], int count)
{
    size_t length = 0;
    for (int i = 0; i < count; i++) length += strlen(part[i]);
    char *text = b->at ? tmli_arena_alloc(&b->sim->arena, length + 1, 1) : NULL, *at = text;
    b->out_of_memory |= b->at && !text;
    for (int i = 0; i < count && text; i++) {
        const size_t n = strlen(part[i]);
        memcpy(at, part[i], n);
        at += n;
    }
    return text ? text : "";
}

// Names "crank.x" or "t", paths "/bodies/crank/position", "/outputs/name" or "/t".
static void add(builder *b, const char *name, const char *unit, const char *dataset, int component, int width)
{
    const bool owned = b->owner[0], in = b->folder[0];
    if (b->at) {
        tml_channel *c = &b->at[b->count];
        c->name = join(b, (const char *[]){b->owner, owned ? "." : "", name}, 3);
        c->dataset =
            component > 0
                ? c[-1].dataset
                : join(b,
                       (const char *[]){"/", b->folder, in ? "/" : "", b->owner, owned ? "/" : "", dataset},
                       6);
        c->unit = unit;
        c->component = component;
        c->width = width;
        b->sim->signal[b->count] = b->signal;
        b->sim->group_of[b->count] = b->groups;
    }
    b->count++;
}

// The channels since the last group are one: their values together, of which the first `motion` follow from
// positions, velocities, states, inputs and time.
static void end_group(builder *b, tmli_channel_value *value, int element, int motion)
{
    const int count = b->count - b->first;
    if (count == 0) return;
    if (b->at) b->sim->group[b->groups] = (tmli_channel_group){value, element, b->first, count, motion};
    b->groups++;
    b->first = b->count;
}

static void mark_fixed(builder *b, bool fixed)
{
    if (b->at) b->at[b->count - 1].fixed = fixed;
}

// Channels of the element's own choice: the command writes them if it is asked.
static void mark_detail(builder *b, int first)
{
    for (int i = first; i < b->count && b->at; i++) b->at[i].detail = true;
}

#define XYZ(letter) ((const char *const[]){letter "x", letter "y", letter "z"})

static void add_vector(builder *b, const char *const names[], const char *unit, const char *dataset,
                       int width, int signal)
{
    b->signal = signal;
    for (int i = 0; i < width; i++) add(b, names[i], unit, dataset, i, width);
}

// Force and moment, or their impulses. In the plane the force has no z, the moment nothing else.
static void add_wrench(builder *b, const char *const names[6], const char *const unit[2],
                       const char *const dataset[2])
{
    const bool planar = b->sim->model->planar;
    for (int i = 0; i < 6; i++) {
        add(b, names[i], unit[i / 3], dataset[i / 3], i % 3, 3);
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

static void add_body(builder *b, int i)
{
    const tmli_node *node = &b->sim->model->node[i];
    b->owner = node->name;
    b->folder = "bodies";
    add_vector(b, XYZ(""), "m", "position", 3, TML_SIGNAL_POSITION);
    add_vector(b, (const char *const[]){"q0", "q1", "q2", "q3"}, "1", "quaternion", 4,
               TML_SIGNAL_ORIENTATION);
    add_vector(b, XYZ("v"), "m/s", "velocity", 3, TML_SIGNAL_VELOCITY);
    add_vector(b, XYZ("w"), "rad/s", "angular_velocity", 3, TML_SIGNAL_ANGULAR_VELOCITY);
    add_vector(b, XYZ("a"), "m/s^2", "acceleration", 3, TMLI_SIGNAL_NONE);
    add_vector(b, XYZ("al"), "rad/s^2", "angular_acceleration", 3, TMLI_SIGNAL_NONE);
    mark_missing_coordinates(b, node, b->first);
    end_group(b, body_values, i, ACCELERATION);
    if (node->ncoords < (b->sim->model->planar ? 3 : 6)) return;  // a point
    const int first = b->count;
    add_vector(b, (const char *const[]){"roll", "pitch", "yaw"}, "rad", "attitude", 3, TMLI_SIGNAL_NONE);
    add_vector(b, (const char *const[]){"roll_rate", "pitch_rate", "yaw_rate"}, "rad/s", "attitude_rate", 3,
               TMLI_SIGNAL_NONE);
    for (int k = 0; k < 6 && b->at && b->sim->model->planar; k++) b->at[first + k].fixed = k % 3 < 2;
    mark_detail(b, first);
    end_group(b, attitude_values, i, 6);
}

// Coordinates of a joint, then their rates, then their accelerations.
static void add_coordinates(builder *b, const tmli_constraint *c, int index)
{
    bool length[TMLI_JOINT_COORDS];
    b->signal = TML_SIGNAL_COORDINATE;
    for (int k = 0; k < c->ncoords; k++) {
        length[k] = tmli_quantity_of(c->coord_unit[k]) == TMLI_QUANTITY_LENGTH;
        add(b, c->coord_suffix[k], c->coord_unit[k], c->coord_suffix[k], 0, 1);
    }
    b->signal = TMLI_SIGNAL_NONE;
    for (int k = 0; k < c->ncoords; k++)
        add(b, c->rate_suffix[k], length[k] ? "m/s" : "rad/s", c->rate_suffix[k], 0, 1);
    const int first = b->count;
    for (int k = 0; k < c->ncoords; k++) {
        const char *name = join(b, (const char *[]){c->coord_suffix[k], "_acceleration"}, 2);
        add(b, name, length[k] ? "m/s^2" : "rad/s^2", name, 0, 1);
    }
    mark_detail(b, first);
    end_group(b, coordinate_values, index, 2 * c->ncoords);
}

static void end_impulses(builder *b)
{
    const int count = b->count - b->first;
    end_group(b, impulse_values, b->impulses, 0);
    b->impulses += count;
}

// Impulses of a driver or pose (impulses below); they stay zero if nothing can jump.
static void add_driver_impulses(builder *b, const tmli_constraint *c)
{
    bool jumps = b->sim->model->unilateral || tmli_mb_captured_room(b->sim->model) > 0;
    for (int k = 0; k < c->nrows; k++) jumps = jumps || c->motion[k].mode > 0;
    if (!c->has_reaction) add(b, "impulse", "N s or N m s", "impulse", 0, 1);
    else
        add_wrench(b, (const char *const[]){"jx", "jy", "jz", "hx", "hy", "hz"},
                   (const char *const[]){"N s", "N m s"},
                   (const char *const[]){"impulse", "angular_impulse"});
    for (int i = b->first; i < b->count && b->at && !jumps; i++) b->at[i].fixed = true;
    end_impulses(b);
}

static void add_joint(builder *b, int i)
{
    const tmli_constraint *c = &b->sim->model->constraint[i];
    b->owner = c->name;
    b->folder = "joints";
    add_coordinates(b, c, i);
    b->signal = TML_SIGNAL_REACTION;
    if (!c->has_reaction) add(b, "multiplier", "N or N m", "multiplier", 0, 1);
    else
        add_wrench(b, (const char *const[]){"fx", "fy", "fz", "mx", "my", "mz"},
                   (const char *const[]){"N", "N m"}, (const char *const[]){"force", "moment"});
    end_group(b, reaction_values, i, 0);
    b->signal = TMLI_SIGNAL_NONE;
    if (c->motion) add_driver_impulses(b, c);
}

// Contact forces of the pairs of f; in the plane they have no z.
static void add_contacts(builder *b, const tmli_force *f)
{
    const bool planar = b->sim->model->planar;
    const int count = tmli_contact_quantities(f);
    static const char *const quantity[] = {"point", "normal", "friction_force"}, *const unit[] = {"m", "N",
                                                                                                  "N"};
    for (int i = 0; i < f->ncontacts; i++)
        for (int k = 0; k < count; k++) {
            add(b, join(b, (const char *[]){f->contact[i], tmli_contact_quantity[k]}, 2), unit[k / 3],
                join(b, (const char *[]){f->contact[i], quantity[k / 3]}, 2), k % 3, 3);
            mark_fixed(b, planar && k % 3 == 2);
        }
    const int bodies = b->sim->model->nbodies;
    if (f->ncontacts > (bodies > CONTACTS_BY_DEFAULT ? bodies : CONTACTS_BY_DEFAULT))
        mark_detail(b, b->first);
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

static void add_force(builder *b, int i)
{
    const tmli_force *f = &b->sim->model->force[i];
    const int motion = needs_multipliers(f) ? 0 : TMLI_CHANNEL_GROUP;
    b->owner = f->name;
    b->folder = "forces";
    b->signal = TML_SIGNAL_FORCE;
    for (int k = 0; k < f->nchannels; k++)
        if (f->channel[k].recorded) add(b, f->channel[k].name, f->channel[k].unit, f->channel[k].name, 0, 1);
    end_group(b, force_values, i, motion);
    if (tmli_captured_room(f) > 0) {  // known to the method, not to expressions
        add(b, "force", "N", "force", 0, 1);
        add(b, "friction", "N", "friction", 0, 1);
        add(b, "points", "1", "points", 0, 1);
        end_group(b, load_values, i, 0);
    }
    b->signal = TMLI_SIGNAL_NONE;
    if (!isnan(f->restitution)) add(b, "impulse", "N s or N m s", "impulse", 0, 1);
    end_impulses(b);
    add_contacts(b, f);
    end_group(b, contact_values, i, motion);
}

// A channel of its own: a state, an input, an output.
static void add_single(builder *b, const char *folder, const char *name, const char *unit, int signal,
                       tmli_channel_value *value, int element, bool motion)
{
    b->owner = "";
    b->folder = folder;
    b->signal = signal;
    add(b, name, unit, name, 0, 1);
    end_group(b, value, element, motion);
}

static void list_channels(builder *b)
{
    const tml_model *m = b->sim->model;
    add_single(b, "", "t", "s", TMLI_SIGNAL_NONE, time_value, 0, true);
    for (int i = 0; i < m->nbodies; i++) add_body(b, i);
    for (int i = 0; i < m->njoints; i++) add_joint(b, i);
    b->folder = "actuators";
    b->signal = TML_SIGNAL_FORCE;
    for (int i = 0; i < m->nactuators; i++) {
        const tmli_actuator *a = &m->actuator[i];
        b->owner = a->owner;
        add(b, a->channel, a->unit, a->channel, 0, 1);
        end_group(b, actuator_value, i, 0);
    }
    b->folder = "";
    for (int i = 0; i < (int)(sizeof of_model / sizeof *of_model); i++) {
        b->owner = of_model[i].owner;
        b->signal = of_model[i].signal;
        add(b, of_model[i].name, of_model[i].unit, of_model[i].name, 0, 1);
        mark_fixed(b, of_model[i].of_work < TMLI_WORK_KINDS && !m->works[of_model[i].of_work]);
        end_group(b, model_value, i, 0);
    }
    const tmli_node *z = m->node + m->nnodes - m->nz;
    for (int i = 0; i < m->nz; i++)
        add_single(b, "states", z[i].name, z[i].unit, TML_SIGNAL_STATE, state_value, i, true);
    for (int i = 0; i < m->ninputs; i++)
        add_single(b, "inputs", m->input[i].name, m->input[i].unit, TMLI_SIGNAL_NONE, input_value, i, true);
    for (int i = 0; i < m->noutputs; i++)
        add_single(b, "outputs", m->output[i].name, m->output[i].unit, TML_SIGNAL_OUTPUT, output_value, i,
                   is_motion(m, &m->output[i].value));
    for (int i = 0; i < m->nforces; i++) add_force(b, i);
}

tml_status tmli_sim_build_channels(tml_sim *sim, tml_error *err)
{
    builder b = {.sim = sim};
    list_channels(&b);
    const size_t n = (size_t)b.count;
    sim->nchannels = b.count;
    sim->ngroups = b.groups;
    sim->nimpulses = b.impulses;
    if (!tmli_arena_alloc_all(&sim->arena, TMLI_ARRAY(sim->channel, n), TMLI_ARRAY(sim->signal, n),
                              TMLI_ARRAY(sim->group_of, n), TMLI_ARRAY(sim->group, (size_t)b.groups),
                              TMLI_ARRAY(sim->not_finite, n),
                              TMLI_ARRAY(sim->impulse_sum, (size_t)b.impulses + 1)))
        return tmli_no_memory(err, "simulation");
    b = (builder){.sim = sim, .at = sim->channel};
    list_channels(&b);
    return b.out_of_memory ? tmli_no_memory(err, "simulation") : TML_OK;
}

bool tmli_sim_is_reaction(const tmli_channel_group *g) { return g->value == reaction_values; }
bool tmli_sim_is_attitude(const tmli_channel_group *g) { return g->value == attitude_values; }
bool tmli_sim_is_of_model(const tmli_channel_group *g) { return g->value == model_value; }
bool tmli_sim_needs_poses(const tmli_channel_group *g)
{
    return g->value != time_value && g->value != body_values && g->value != attitude_values &&
           g->value != state_value && g->value != input_value && g->value != model_value;
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
    tmli_fail(err, TML_ERR_NAME, "there is no channel '%s'", name);
    tmli_error_hint(err, name, names, (size_t)sim->nchannels);
    tmli_free(&sim->env, (void *)names);
    return -1;
}

// ---- impulses ---------------------------------------------------------------------------------------------

// Impulses change velocities at once: between two rows the forces do not show them. Their channels are sums
// since the start.

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
        for (int k = 0; k < (c->has_reaction ? 6 : 1); k++) *sum++ += wrench[k];
    }
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        if (isnan(f->restitution)) continue;
        for (int k = 0; push && k < f->nmodes; k++) *sum += push[f->mode - 1 + k];
        sum++;
    }
}
