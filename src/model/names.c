// Names in the expressions of a model.
//
//   t, parameters, first-order states, inputs
//   BODY.x y z vx vy vz          centre of mass, inertial frame [m, m/s]
//   BODY.FRAME.x ...             origin of a frame, inertial frame [m, m/s]
//   BODY.wx wy wz                angular velocity, body axes [rad/s]
//   BODY.angle BODY.rate         angle about the inertial z axis, counted continuously, and its rate
//   BODY.q0 .. q3                quaternion                                (outputs)
//   JOINT.angle .distance ...    joint coordinates; JOINT.rate .speed ...  their rates
//   JOINT.fx fy fz mx my mz      reaction on the second body               (outputs)
//   DRIVER.multiplier            of a driver, gear or rack                 (outputs)
//   SPRING.length .angle .rate   measures of a spring or torsion
//   FORCE.force ...              channels of forces (element/force)        (outputs)
//   TABLE(x)                     a table of the model
//   distance(F, G) speed(F, G)   between the origins of two frames, and its rate
//   angle(F, G)                  from x of F to x of G about z of F
//
// All joints between two frames are built before gears, racks and drivers, which may therefore refer to
// joints defined later in the file.
#include "expr/lex.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

typedef struct scope {
    const tml_spec *spec;
    tml_model *m;
    tmli_scope_level level;
    const char *const *local;
    tmli_var *var;  // variables by slot
    int nvars, room;
    bool out_of_memory;
    char lost[80];       // the part of the last unknown name that the model does not have
    char detail[400];    // what to say about the last unknown name instead of "unknown name"
    const char **names;  // for hints
    size_t nnames;
} scope;

static int add_var(scope *s, tmli_var v)
{
    for (int i = 0; i < s->nvars; i++) {
        const tmli_var *o = &s->var[i];
        if (o->kind == v.kind && o->use == v.use && o->node == v.node && o->component == v.component &&
            o->element == v.element)
            return i;
    }
    tmli_var *more = tmli_grown(&s->m->env, s->var, s->nvars, &s->room, 8, sizeof *more);
    if (!more) {
        s->out_of_memory = true;
        return 0;
    }
    s->var = more;
    s->var[s->nvars] = v;
    return s->nvars++;
}

static bool same_vec(vec3 a, vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool same_measure(const tmli_measure *a, const tmli_measure *b)
{
    return a->kind == b->kind && same_vec(a->s_A, b->s_A) && same_vec(a->s_B, b->s_B) &&
           same_vec(a->a, b->a) && same_vec(a->b, b->b) && same_vec(a->a2, b->a2) && same_vec(a->b2, b->b2) &&
           a->l0 == b->l0;
}

// Index of the measure between two nodes. The same measure between the same nodes exists once, with one
// counted angle.
static int share_measure_use(scope *s, tmli_measure measure, int node_a, int node_b)
{
    int found = -1;  // the first one: the list descends
    for (int i = tmli_model_first_use(s->m, node_a, node_b); i >= 0; i = s->m->measure_use[i].next) {
        const tmli_measure_use *use = &s->m->measure_use[i];
        if (use->node[0] == node_a && use->node[1] == node_b && same_measure(&use->measure, &measure))
            found = i;
    }
    if (found >= 0) return found;
    const int use = tmli_model_add_measure_use(s->m, measure, node_a, node_b);
    if (use < 0) s->out_of_memory = true;
    return use < 0 ? 0 : use;
}

static tmli_symbol_kind measure_var(scope *s, int use, bool rate, int *slot)
{
    *slot = add_var(s, (tmli_var){.kind = rate ? TMLI_VAR_RATE : TMLI_VAR_MEASURE, .use = use});
    return TMLI_SYMBOL_VARIABLE;
}

// A name that exists but is not allowed in this expression.
static tmli_symbol_kind reject_name(scope *s, const char *head, const char *what, const char *why)
{
    snprintf(s->detail, sizeof s->detail, "'%.120s%s%.120s' cannot be used here: %s", head, what ? "." : "",
             what ? what : "", why);
    return TMLI_SYMBOL_UNKNOWN;
}

// A value that an element does not have: the nearest one of it, or all. Those from `plain` on are for
// outputs.
static tmli_symbol_kind lacks_value(scope *s, const char *kind, const char *head, const char *what,
                                    const char *const *values, size_t plain, size_t count)
{
    const char *near = tmli_nearest(what, values, count);
    size_t used = (size_t)snprintf(s->detail, sizeof s->detail, "unknown name '%.80s.%.80s'", head, what);
    if (near) {
        snprintf(s->detail + used, sizeof s->detail - used, " (is it '%.80s.%s'?)", head, near);
    } else {
        used +=
            (size_t)snprintf(s->detail + used, sizeof s->detail - used, ": %s '%.80s' has %s%s", kind, head,
                             count ? "" : "no values", plain == 0 && count > 0 ? "in outputs " : "");
        for (size_t k = 0; k < count && used < sizeof s->detail; k++)
            used += (size_t)snprintf(s->detail + used, sizeof s->detail - used, "%s%s%s", k ? ", " : "",
                                     k == plain && k > 0 ? "in outputs also " : "", values[k]);
    }
    return TMLI_SYMBOL_UNKNOWN;
}

static tmli_symbol_kind reject_acceleration(scope *s, const char *head, const char *what)
{
    return reject_name(s, head, what, "accelerations are available in outputs only");
}

static tmli_symbol_kind second_var(scope *s, const char *head, const char *what, int use, int *slot)
{
    if (s->level != TMLI_SCOPE_OUTPUT) return reject_acceleration(s, head, what);
    *slot = add_var(s, (tmli_var){.kind = TMLI_VAR_SECOND, .use = use});
    return TMLI_SYMBOL_VARIABLE;
}

// ---- BODY.x, BODY.FRAME.vx, BODY.FRAME.ax, BODY.wx, BODY.alx, BODY.angle, BODY.q0 ------------------------

enum { OF_FRAME = 8, ATTITUDE = 11, OF_BODY = 17, FORCE_VALUES = 32 };
// Values of a frame, of a body, and in outputs.
static const char *const of_body[] = {"x",         "y",          "z",        "vx", "vy",   "vz",    "angle",
                                      "rate",      "wx",         "wy",       "wz", "roll", "pitch", "yaw",
                                      "roll_rate", "pitch_rate", "yaw_rate", "ax", "ay",   "az",    "alx",
                                      "aly",       "alz",        "q0",       "q1", "q2",   "q3"};

static tmli_symbol_kind body_name(scope *s, const char *reference, const char *what, bool frame, int *slot)
{
    tmli_marker k;
    const tml_status found = tmli_model_find_frame(s->spec, s->m, reference, (tml_mark){0}, &k, NULL);
    s->out_of_memory = s->out_of_memory || found == TML_ERR_NOMEM;
    if (found != TML_OK) {
        snprintf(s->lost, sizeof s->lost, "%.60s", reference);
        return TMLI_SYMBOL_UNKNOWN;
    }
    const tmli_marker ground = tmli_model_ground(s->m);
    const bool rate = what[0] == 'v';
    const char *axis = rate ? what + 1 : what;
    if (strlen(axis) == 1 && strchr("xyz", axis[0])) {
        const int c = axis[0] - 'x';
        const tmli_measure measure = tmli_measure_coord(&ground, &k, v3(c == 0, c == 1, c == 2));
        return measure_var(s, share_measure_use(s, measure, -1, k.body), rate, slot);
    }
    if (strcmp(what, "angle") == 0 || strcmp(what, "rate") == 0) {
        const tmli_measure measure = tmli_measure_twist(&ground, &k);
        return measure_var(s, share_measure_use(s, measure, -1, k.body), what[0] == 'r', slot);
    }
    if (what[0] == 'a' && strlen(what) == 2 && strchr("xyz", what[1])) {
        const int c = what[1] - 'x';
        const tmli_measure measure = tmli_measure_coord(&ground, &k, v3(c == 0, c == 1, c == 2));
        return second_var(s, reference, what, share_measure_use(s, measure, -1, k.body), slot);
    }
    if (frame || k.body < 0)
        return lacks_value(s, frame ? "frame" : "body", reference, what, of_body, OF_FRAME, OF_FRAME);
    if (strncmp(what, "al", 2) == 0 && strlen(what) == 3 && strchr("xyz", what[2])) {
        if (s->level != TMLI_SCOPE_OUTPUT) return reject_acceleration(s, reference, what);
        *slot = add_var(s, (tmli_var){.kind = TMLI_VAR_ALPHA, .node = k.body, .component = what[2] - 'x'});
        return TMLI_SYMBOL_VARIABLE;
    }
    if (what[0] == 'w' && strlen(what) == 2 && strchr("xyz", what[1])) {
        *slot = add_var(s, (tmli_var){.kind = TMLI_VAR_OMEGA, .node = k.body, .component = what[1] - 'x'});
        return TMLI_SYMBOL_VARIABLE;
    }
    for (int c = 0; c < OF_BODY - ATTITUDE; c++)
        if (strcmp(what, of_body[ATTITUDE + c]) == 0) {
            *slot = add_var(s, (tmli_var){.kind = TMLI_VAR_ATTITUDE, .node = k.body, .component = c});
            return TMLI_SYMBOL_VARIABLE;
        }
    if (what[0] == 'q' && strlen(what) == 2 && what[1] >= '0' && what[1] <= '3') {
        if (s->level != TMLI_SCOPE_OUTPUT)
            return reject_name(s, reference, what, "quaternions are available in outputs only");
        *slot = add_var(s, (tmli_var){.kind = TMLI_VAR_QUAT, .node = k.body, .component = what[1] - '0'});
        return TMLI_SYMBOL_VARIABLE;
    }
    return lacks_value(s, "body", reference, what, of_body, OF_BODY, sizeof of_body / sizeof *of_body);
}

// ---- JOINT.angle, JOINT.fx, SPRING.length -----------------------------------------------------------------

static const char *const reactions[6] = {"fx", "fy", "fz", "mx", "my", "mz"};

static int reaction_component(const char *what)
{
    for (int k = 0; k < 6; k++)
        if (strcmp(what, reactions[k]) == 0) return k;
    return -1;
}

// Of a driver, gear or rack.
static tmli_symbol_kind lacks_multiplier(scope *s, const tmli_constraint *c, const char *what)
{
    snprintf(s->detail, sizeof s->detail,
             "unknown name '%.60s.%.60s': joint '%.60s' has in outputs '%.60s.multiplier'; the force or "
             "torque that it exerts along its coordinate is the negative of it",
             c->name, what, c->name, c->name);
    return TMLI_SYMBOL_UNKNOWN;
}

static tmli_symbol_kind lacks_joint_value(scope *s, const tmli_constraint *c, const char *what)
{
    const char *values[2 * TMLI_JOINT_COORDS + 6];
    size_t count = 0;
    for (int k = 0; k < c->ncoords; k++) {
        values[count++] = c->coord_suffix[k];
        values[count++] = c->rate_suffix[k];
    }
    const size_t plain = count;
    for (int k = 0; k < 6 && c->has_reaction; k++) values[count++] = reactions[k];
    if (!c->has_reaction) return lacks_multiplier(s, c, what);
    return lacks_value(s, "joint", c->name, what, values, plain, count);
}

static tmli_symbol_kind joint_name(scope *s, const tmli_constraint *c, int index, const char *what, int *slot)
{
    for (int k = 0; k < c->ncoords; k++) {
        if (strcmp(what, c->coord_suffix[k]) == 0) return measure_var(s, c->coord[k], false, slot);
        if (strcmp(what, c->rate_suffix[k]) == 0) return measure_var(s, c->coord[k], true, slot);
        const size_t n = strlen(c->coord_suffix[k]);
        if (strncmp(what, c->coord_suffix[k], n) == 0 && strcmp(what + n, "_acceleration") == 0)
            return second_var(s, c->name, what, c->coord[k], slot);
    }
    const int component = c->has_reaction ? reaction_component(what) : 0;
    if (component < 0 || (!c->has_reaction && strcmp(what, "multiplier") != 0))
        return lacks_joint_value(s, c, what);
    if (s->level != TMLI_SCOPE_OUTPUT)
        return reject_name(s, c->name, what, "reactions are available in outputs only");
    *slot = add_var(s, (tmli_var){.kind = c->has_reaction ? TMLI_VAR_REACTION : TMLI_VAR_MULTIPLIER,
                                  .element = index,
                                  .component = component});
    return TMLI_SYMBOL_VARIABLE;
}

const char *const tmli_contact_quantity[TMLI_CONTACT_QUANTITIES] = {"point_x",    "point_y",    "point_z",
                                                                    "normal_x",   "normal_y",   "normal_z",
                                                                    "friction_x", "friction_y", "friction_z"};

// Index of a number of the contact forces of f; -1: it is none.
static int contact_component(const tmli_force *f, const char *what)
{
    for (int c = 0; c < f->ncontacts; c++) {
        const size_t n = strlen(f->contact[c]);
        if (strncmp(what, f->contact[c], n) != 0) continue;
        for (int k = 0; k < tmli_contact_quantities(f); k++)
            if (strcmp(what + n, tmli_contact_quantity[k]) == 0) return TMLI_CONTACT_QUANTITIES * c + k;
    }
    return -1;
}

static tmli_symbol_kind force_name(scope *s, const tmli_force *f, int index, const char *what, int *slot)
{
    for (int k = 0; k < f->nchannels; k++) {
        const tmli_force_channel *c = &f->channel[k];
        if (strcmp(what, c->name) != 0) continue;
        if (c->kind != TMLI_CHANNEL_VALUE) return measure_var(s, f->use, c->kind == TMLI_CHANNEL_RATE, slot);
        if (s->level != TMLI_SCOPE_OUTPUT)
            return reject_name(s, f->name, what, "values of forces are available in outputs only");
        *slot = add_var(s, (tmli_var){.kind = TMLI_VAR_CHANNEL, .element = index, .component = k});
        return TMLI_SYMBOL_VARIABLE;
    }
    const int component = contact_component(f, what);
    if (component >= 0) {
        if (s->level != TMLI_SCOPE_OUTPUT)
            return reject_name(s, f->name, what, "contact forces are available in outputs only");
        *slot = add_var(s, (tmli_var){.kind = TMLI_VAR_CONTACT, .element = index, .component = component});
        return TMLI_SYMBOL_VARIABLE;
    }
    const char *values[FORCE_VALUES];
    size_t plain = 0, count = 0;
    for (int outputs = 0; outputs < 2; outputs++) {
        plain = outputs ? count : 0;
        for (int k = 0; k < f->nchannels && count < FORCE_VALUES; k++)
            if ((f->channel[k].kind == TMLI_CHANNEL_VALUE) == outputs) values[count++] = f->channel[k].name;
    }
    return lacks_value(s, "force", f->name, what, values, plain, count);
}

// ---- the functions of the scope ---------------------------------------------------------------------------

// The name of a joint, force or body alone has no value: the message names one of its values.
static bool is_element_name(scope *s, const char *name)
{
    const char *what = NULL, *first = "x";
    for (int i = 0; i < s->m->njoints && !what; i++) {
        const tmli_constraint *c = &s->m->constraint[i];
        if (!c->name || strcmp(c->name, name) != 0) continue;
        what = "joint";
        first = c->ncoords ? c->coord_suffix[0] : c->has_reaction ? "fx" : "multiplier";
    }
    for (int i = 0; i < s->m->nforces && !what; i++) {
        const tmli_force *f = &s->m->force[i];
        if (!f->name || strcmp(f->name, name) != 0) continue;
        what = "force";
        first = f->nchannels ? f->channel[0].name : "force";
    }
    for (int i = 0; i < s->spec->nbodies && !what; i++)
        if (strcmp(s->spec->bodies[i].def.name, name) == 0) what = "body";
    if (!what) return false;
    snprintf(s->detail, sizeof s->detail,
             "'%.120s' is a %s, not a number; expected one of its values, such as '%.120s.%s'", name, what,
             name, first);
    return true;
}

// Words that newcomers try, and outputs, which are no names of expressions.
static bool is_other_word(scope *s, const char *name)
{
    if (strcmp(name, "time") == 0)
        snprintf(s->detail, sizeof s->detail, "unknown name 'time': the time is called 't'");
    for (int i = 0; i < s->spec->noutputs; i++)
        if (strcmp(s->spec->outputs[i].def.name, name) == 0)
            snprintf(s->detail, sizeof s->detail,
                     "'%.120s' is an output, which expressions cannot use: repeat its expression, or make a "
                     "parameter of what they share",
                     name);
    return s->detail[0] != 0;
}

static bool state_or_input(scope *s, const char *name, int *slot)
{
    if (s->level == TMLI_SCOPE_TIME) return false;
    for (int i = 0; i < s->spec->nstates; i++)
        if (strcmp(s->spec->states[i].def.name, name) == 0) {
            *slot = add_var(s, (tmli_var){.kind = TMLI_VAR_STATE, .node = tmli_model_state_node(s->m, i)});
            return true;
        }
    for (int i = 0; i < s->spec->ninputs; i++)
        if (strcmp(s->spec->inputs[i].def.name, name) == 0) {
            *slot = add_var(s, (tmli_var){.kind = TMLI_VAR_INPUT, .component = i});
            s->m->input[i].used = true;
            return true;
        }
    return false;
}

static tmli_symbol_kind resolve_name(const char *name, double *value, int *slot, void *user)
{
    scope *s = user;
    if (strcmp(name, "t") == 0) {
        *slot = add_var(s, (tmli_var){.kind = TMLI_VAR_TIME});
        return TMLI_SYMBOL_VARIABLE;
    }
    for (int k = 0; s->local && s->local[k]; k++)
        if (strcmp(name, s->local[k]) == 0) {
            *slot = add_var(s, (tmli_var){.kind = TMLI_VAR_LOCAL, .component = k});
            return TMLI_SYMBOL_VARIABLE;
        }
    for (int i = 0; i < s->spec->nparams; i++)
        if (strcmp(s->spec->param_names[i], name) == 0) {
            *value = s->spec->param_values[i];
            s->m->param_unused[i] = (tml_mark){0};
            return TMLI_SYMBOL_CONSTANT;
        }
    if (state_or_input(s, name, slot)) return TMLI_SYMBOL_VARIABLE;
    const char *dot = strrchr(name, '.');
    char head[TMLI_EXPR_MAX_NAME];  // of a name that an expression may have
    if (!dot && (is_element_name(s, name) || is_other_word(s, name))) return TMLI_SYMBOL_UNKNOWN;
    if (!dot || (size_t)(dot - name) >= sizeof head) return TMLI_SYMBOL_UNKNOWN;
    if (s->level == TMLI_SCOPE_TIME)
        return reject_name(s, name, NULL, "only t and parameters may appear here");
    memcpy(head, name, (size_t)(dot - name));
    head[dot - name] = 0;
    for (int i = 0; i < s->m->nactuators && s->level == TMLI_SCOPE_OUTPUT; i++)
        if (strcmp(s->m->actuator[i].owner, head) == 0 && strcmp(s->m->actuator[i].channel, dot + 1) == 0) {
            *slot = add_var(s, (tmli_var){.kind = TMLI_VAR_ACTUATOR, .element = i});
            return TMLI_SYMBOL_VARIABLE;
        }
    for (int i = 0; i < s->m->njoints; i++)
        if (s->m->constraint[i].name && strcmp(s->m->constraint[i].name, head) == 0)
            return joint_name(s, &s->m->constraint[i], i, dot + 1, slot);
    for (int i = 0; i < s->m->nforces; i++)
        if (s->m->force[i].name && strcmp(s->m->force[i].name, head) == 0)
            return force_name(s, &s->m->force[i], i, dot + 1, slot);
    return body_name(s, head, dot + 1, strchr(head, '.') != NULL, slot);
}

// dx, dy, dz and vx, vy, vz of two frames: coordinates of the second in the first, and their rates. -1: none.
static int component_of(const char *function, int argc)
{
    const bool of_frames = argc == 2 && (function[0] == 'd' || function[0] == 'v') && strlen(function) == 2;
    const char *axis = of_frames ? strchr("xyz", function[1]) : NULL;
    return axis ? *axis - 'x' : -1;
}

static tmli_symbol_kind resolve_call(const char *function, int argc, const char *const *argv, int *slot,
                                     void *user, tml_error *err)
{
    scope *s = user;
    const bool distance = strcmp(function, "distance") == 0, speed = strcmp(function, "speed") == 0;
    const int c = component_of(function, argc);
    if (!distance && !speed && c < 0 && strcmp(function, "angle") != 0) return TMLI_SYMBOL_UNKNOWN;
    if (s->level == TMLI_SCOPE_TIME) {
        tmli_fail(err, TML_ERR_NAME, "'%s' depends on the state; only t and parameters may appear here",
                  function);
        return TMLI_SYMBOL_UNKNOWN;
    }
    if (argc != 2) {
        tmli_fail(err, TML_ERR_SYNTAX, "'%s' takes two frames, found %d", function, argc);
        return TMLI_SYMBOL_UNKNOWN;
    }
    tmli_marker a, b;
    tml_status found = tmli_model_find_frame(s->spec, s->m, argv[0], (tml_mark){0}, &a, err);
    if (found == TML_OK) found = tmli_model_find_frame(s->spec, s->m, argv[1], (tml_mark){0}, &b, err);
    s->out_of_memory = s->out_of_memory || found == TML_ERR_NOMEM;
    if (found != TML_OK) return TMLI_SYMBOL_UNKNOWN;
    const bool length = distance || speed;
    if (c >= 0) {
        const tmli_measure along = tmli_measure_slide(&a, &b, c);
        return measure_var(s, share_measure_use(s, along, a.body, b.body), function[0] == 'v', slot);
    }
    const tmli_measure measure = length ? tmli_measure_distance(&a, &b) : tmli_measure_twist(&a, &b);
    return measure_var(s, share_measure_use(s, measure, a.body, b.body), speed, slot);
}

// ---- hints: all valid names -------------------------------------------------------------------------------

static void add_hint(scope *s, const char *head, const char *what)
{
    const char *copy = tmli_arena_format(&s->m->arena, "%s%s%s", head, what ? "." : "", what ? what : "");
    if (copy) s->names[s->nnames++] = copy;
}

// Called only if a name was not found. The texts are in the arena of the model, which is cleared when the
// build fails.
static size_t list_names(const char *const **names, void *user)
{
    scope *s = user;
    size_t room = 4 + (size_t)s->m->nactuators + (size_t)s->spec->nparams +
                  OF_BODY * (size_t)s->spec->nbodies + 7 * (size_t)s->spec->nframes +
                  12 * (size_t)s->m->nconstraints;
    for (int i = 0; i < s->m->nforces; i++) room += (size_t)s->m->force[i].nchannels;
    for (int k = 0; s->local && s->local[k]; k++) room++;
    room += (size_t)s->spec->nstates + (size_t)s->spec->ninputs + (size_t)s->spec->ntables;
    s->names = tmli_arena_alloc(&s->m->arena, room, sizeof *s->names);
    s->nnames = 0;
    *names = s->names;
    if (!s->names) return 0;
    add_hint(s, "t", NULL);
    for (int k = 0; s->local && s->local[k]; k++) add_hint(s, s->local[k], NULL);
    for (int i = 0; i < s->spec->nparams; i++) add_hint(s, s->spec->param_names[i], NULL);
    for (int i = 0; i < s->spec->ntables; i++) add_hint(s, s->spec->tables[i].def.name, NULL);
    if (s->level == TMLI_SCOPE_TIME) return s->nnames;
    for (int i = 0; i < s->spec->nstates; i++) add_hint(s, s->spec->states[i].def.name, NULL);
    for (int i = 0; i < s->spec->ninputs; i++) add_hint(s, s->spec->inputs[i].def.name, NULL);
    for (int i = 0; i < s->spec->nbodies; i++)
        for (int k = 0; k < OF_BODY; k++) add_hint(s, s->spec->bodies[i].def.name, of_body[k]);
    for (int i = 0; i < s->spec->nframes; i++) {
        const tml_frame_def *f = &s->spec->frames[i].def;
        const char *head = tmli_arena_format(&s->m->arena, "%s.%s", f->body, f->name);
        for (int k = 0; k < 6 && head; k++) add_hint(s, head, of_body[k]);
    }
    for (int i = 0; i < s->m->njoints; i++) {
        const tmli_constraint *c = &s->m->constraint[i];
        if (!c->name) continue;
        for (int k = 0; k < c->ncoords; k++) {
            add_hint(s, c->name, c->coord_suffix[k]);
            add_hint(s, c->name, c->rate_suffix[k]);
        }
        if (s->level != TMLI_SCOPE_OUTPUT) continue;
        for (int k = 0; k < 6 && c->has_reaction; k++) add_hint(s, c->name, reactions[k]);
        if (!c->has_reaction) add_hint(s, c->name, "multiplier");
    }
    for (int i = 0; i < s->m->nactuators && s->level == TMLI_SCOPE_OUTPUT; i++)
        add_hint(s, s->m->actuator[i].owner, s->m->actuator[i].channel);
    for (int i = 0; i < s->m->nforces; i++) {
        const tmli_force *f = &s->m->force[i];
        for (int k = 0; k < f->nchannels && f->name; k++)
            if (f->channel[k].kind != TMLI_CHANNEL_VALUE || s->level == TMLI_SCOPE_OUTPUT)
                add_hint(s, f->name, f->channel[k].name);
    }
    return s->nnames;
}

// A table. A motion needs two derivatives, so that its points are discontinuities if the second one jumps; of
// other expressions only the kinks are.
static bool resolve_table(const char *name, const tmli_curve **curve, int *located, void *user)
{
    const scope *s = user;
    *located = s->level == TMLI_SCOPE_TIME ? 2 : 1;
    for (int i = 0; i < s->m->ntables; i++)
        if (strcmp(s->m->table[i].what, "table") == 0 && strcmp(s->m->table[i].name, name) == 0) {
            *curve = s->m->table[i].curve;
            s->m->table[i].called = true;
            return true;
        }
    return false;
}

// ---- compiling --------------------------------------------------------------------------------------------

// What of an unknown name is not there: the frame of a body, or the body, joint or force itself.
static void add_lost(const scope *s, tml_error *err)
{
    tml_error why = {0};
    tmli_marker k;
    if (strchr(s->lost, '.')) tmli_model_find_frame(s->spec, s->m, s->lost, (tml_mark){0}, &k, &why);
    if (strncmp(why.msg, "frame ", 6) == 0) tmli_error_append(err, "(%.200s)", why.msg);
    else if (strcmp(s->lost, "energy") == 0)
        tmli_error_append(err, "(energies are channels of every result; expressions cannot use them)");
    else tmli_error_append(err, "(no body, frame, joint or force is called '%s')", s->lost);
}

static tml_status compile(scope *s, const char *text, tml_mark at, tmli_expr_vars *out, tml_error *err)
{
    const tmli_scope names = {.name = resolve_name,
                              .call = resolve_call,
                              .table = resolve_table,
                              .names = list_names,
                              .advice = TMLI_OWN_NAMES,
                              .user = s};
    tml_status st = tmli_expr_compile(text, at, &names, &s->m->env, &out->expr, err);
    if (st == TML_ERR_NAME && err && s->detail[0]) snprintf(err->msg, sizeof err->msg, "%s", s->detail);
    else if (st == TML_ERR_NAME && err && s->lost[0] && !strstr(err->msg, "(is it ")) add_lost(s, err);
    if (s->out_of_memory) st = tmli_no_memory(err, "model");
    if (st != TML_OK) return st;
    out->nvars = tmli_expr_nvars(out->expr);
    if (out->nvars > TMLI_MAX_VARS)
        return tmli_fail_at(err, TML_ERR_SYNTAX, at,
                            "the expression uses %d variables; at most %d are allowed", out->nvars,
                            TMLI_MAX_VARS);
    out->var = tmli_arena_alloc(&s->m->arena, (size_t)out->nvars + 1, sizeof *out->var);
    if (!out->var) return tmli_no_memory(err, "model");
    for (int k = 0; k < out->nvars; k++) out->var[k] = s->var[tmli_expr_slot(out->expr, k)];
    if (out->nvars > s->m->max_vars) s->m->max_vars = out->nvars;
    return TML_OK;
}

tml_status tmli_model_compile(const tml_spec *spec, tml_model *m, const char *text, tml_mark at,
                              tmli_scope_level level, const char *const *local, tmli_expr_vars *out,
                              tml_error *err)
{
    scope s = {.spec = spec, .m = m, .level = level, .local = local};
    *out = (tmli_expr_vars){0};
    tml_status st = compile(&s, text, at, out, err);
    tmli_free(&m->env, s.var);
    if (st != TML_OK) {
        tmli_expr_destroy(out->expr);
        *out = (tmli_expr_vars){0};
    }
    return st;
}

tml_status tmli_model_find_coordinate(const tml_spec *spec, tml_model *m, const char *text, tml_mark at,
                                      int *use, tml_error *err)
{
    tmli_expr_vars v;
    tml_status st = tmli_model_compile(spec, m, text, at, TMLI_SCOPE_STATE, NULL, &v, err);
    if (st != TML_OK) return st;
    // a plain coordinate compiles to one variable with the identity; the trial values exclude abs(), min(),
    // mod()
    static const double trial[] = {0.7351, -0.6127, 1.3e5, -2.9e7, 3.1e-6};
    bool plain = v.nvars == 1 && v.var[0].kind == TMLI_VAR_MEASURE;
    for (int k = 0; k < 5 && plain; k++) plain = tmli_expr_eval(v.expr, &trial[k]) == trial[k];
    if (plain) *use = v.var[0].use;
    tmli_expr_destroy(v.expr);
    if (plain && m->measure_use[*use].node[0] == m->measure_use[*use].node[1])
        return tmli_fail_at(err, TML_ERR_MODEL, at, "'%s' is constant: both its ends are on the same body",
                            text);
    if (plain) return TML_OK;
    return tmli_fail_at(
        err, TML_ERR_MODEL, at,
        "'%s' is not a coordinate; expected JOINT.angle, JOINT.distance, FRAME.x|y|z or distance(F, G)",
        text);
}
