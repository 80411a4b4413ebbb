// Outputs: their units, inferred from what they are made of, and those that never change.
#include "model/build/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerances.h"

static tmli_unit over_time(const char *unit, int power)
{
    tmli_unit u = tmli_unit_read(unit);
    u.s -= power;
    return u;
}

static const char *measure_unit(const tml_model *m, int use)
{
    const tmli_measure_kind kind = m->measure_use[use].measure.kind;
    return tmli_measure_is_angle(kind) ? "rad" : kind == TMLI_DOT1 || kind == TMLI_SINE ? "1" : "m";
}

// Of a force or torque along a measure.
static tmli_unit unit_along(const tml_model *m, int use)
{
    const char *of = measure_unit(m, use);
    return strcmp(of, "rad") == 0 ? tmli_unit_read("N m")
           : strcmp(of, "m") == 0 ? tmli_unit_read("N")
                                  : (tmli_unit){.kind = TMLI_UNIT_OPEN};
}

// The row of a driver, gear or rack is in the unit of its first coordinate, whose factor is 1.
static tmli_unit multiplier_unit(const tml_model *m, const tmli_constraint *c)
{
    return c->nterms > 0 ? unit_along(m, c->term[0].use) : (tmli_unit){.kind = TMLI_UNIT_OPEN};
}

static tmli_unit channel_unit(const tml_model *m, const tmli_force *f, int channel)
{
    const char *unit = f->channel[channel].unit;
    return f->use >= 0 && strcmp(unit, "N or N m") == 0 ? unit_along(m, f->use) : tmli_unit_read(unit);
}

// A unit of the model file that is "1" may be one that was not given.
static tmli_unit given_unit(const char *text)
{
    const tmli_unit u = tmli_unit_read(text);
    return u.kg || u.m || u.s || u.rad ? u : (tmli_unit){.kind = TMLI_UNIT_OPEN};
}

static tmli_unit var_unit(const tml_model *m, const tmli_var *v)
{
    switch (v->kind) {
    case TMLI_VAR_TIME: return tmli_unit_read("s");
    case TMLI_VAR_MEASURE: return tmli_unit_read(measure_unit(m, v->use));
    case TMLI_VAR_RATE: return over_time(measure_unit(m, v->use), 1);
    case TMLI_VAR_SECOND: return over_time(measure_unit(m, v->use), 2);
    case TMLI_VAR_OMEGA: return tmli_unit_read("rad/s");
    case TMLI_VAR_ATTITUDE: return tmli_unit_read(v->component < 3 ? "rad" : "rad/s");
    case TMLI_VAR_ALPHA: return tmli_unit_read("rad/s^2");
    case TMLI_VAR_QUAT: return tmli_unit_read("1");
    case TMLI_VAR_REACTION: return tmli_unit_read(v->component < 3 ? "N" : "N m");
    case TMLI_VAR_ACTUATOR: return tmli_unit_read(m->actuator[v->element].unit);
    case TMLI_VAR_MULTIPLIER: return multiplier_unit(m, &m->constraint[v->element]);
    case TMLI_VAR_CHANNEL: return channel_unit(m, &m->force[v->element], v->component);
    case TMLI_VAR_CONTACT: return tmli_unit_read(v->component % TMLI_CONTACT_QUANTITIES < 3 ? "m" : "N");
    case TMLI_VAR_STATE: return given_unit(m->node[v->node].unit);
    case TMLI_VAR_INPUT: return given_unit(m->input[v->component].unit);
    default: return (tmli_unit){.kind = TMLI_UNIT_OPEN};
    }
}

static void warn_of_output(const tml_model *m, const tmli_output *o, tml_mark at, const char *what)
{
    char place[TML_ERROR_FILE + 32] = "";
    if (at.file) snprintf(place, sizeof place, "%s:%d:%d: ", at.file, at.line, at.col);
    tmli_log(&m->env, TML_LOG_WARNING, "%soutput '%s' %s", place, o->name, what);
}

tml_status tmli_model_set_output_unit(tml_model *m, tmli_output *o, const char *given, tml_mark at,
                                      tml_error *err)
{
    tmli_unit var[TMLI_MAX_VARS];
    for (int k = 0; k < o->value.nvars; k++) var[k] = var_unit(m, &o->value.var[k]);
    const tmli_unit want = tmli_unit_read(given);
    tmli_conversion c;
    const tml_status st = tmli_expr_unit(o->value.expr, var, &want, &c, err);
    if (st != TML_OK) return st;
    const char *text = tmli_unit_text(&c.found);
    o->unit = tmli_arena_strdup(&m->arena, given ? given : text ? text : "1");
    if (!o->unit) return tmli_no_memory(err, "model");
    char what[200];
    if (c.clash[0].kind == TMLI_UNIT_KNOWN) {
        const char *a = tmli_unit_text(&c.clash[0]), *b = tmli_unit_text(&c.clash[1]);
        snprintf(what, sizeof what, "adds values of different units");
        if (a && b) snprintf(what, sizeof what, "adds values of different units, %s and %s", a, b);
        warn_of_output(m, o, at, what);
    }
    if (text && given && want.kind != TMLI_UNIT_KNOWN && !tmli_unit_is_spelling(given, text)) {
        snprintf(what, sizeof what, "has the unit '%.40s', which is not known: its value stays in %s", given,
                 text);
        warn_of_output(m, o, at, what);
    }
    if (c.what == TMLI_UNIT_DIFFERS)
        snprintf(what, sizeof what, "has the unit '%s', but its value is in %s", given,
                 text ? text : "another one");
    if (c.what == TMLI_UNIT_UNSAID)
        snprintf(what, sizeof what,
                 "has the unit '%s', to which its value is not converted: nobody says what unit it has",
                 given);
    if (c.what == TMLI_UNIT_DIFFERS || c.what == TMLI_UNIT_UNSAID) warn_of_output(m, o, at, what);
    return c.what == TMLI_UNIT_CONVERTS ? tmli_expr_scale(o->value.expr, c.factor, err) : TML_OK;
}

// ---- outputs that never change ----------------------------------------------------------------------------

// The axis along or about which a joint lets its bodies move is the direction k of the inertial frame, and
// stays so: one of the bodies is the ground, or the model is planar.
static bool axis_is(const tml_model *m, const tmli_constraint *c, int k)
{
    if (m->planar && c->type == TML_JOINT_REVOLUTE) return k == 2;
    const tmli_marker *ground = c->marker[0].body < 0 ? &c->marker[0] : &c->marker[1];
    const double axis[3] = {ground->C.m[2], ground->C.m[5], ground->C.m[8]};
    return ground->body < 0 && fabs(fabs(axis[k]) - 1) < TMLI_AGREEMENT;
}

// A joint exerts nothing along what it leaves free: components fx, fy, fz, mx, my, mz of its reaction.
static bool is_free(const tml_model *m, const tmli_constraint *c, int component)
{
    const bool turn = component >= 3;
    switch (c->type) {
    case TML_JOINT_SPHERICAL: return turn;
    case TML_JOINT_REVOLUTE: return turn && axis_is(m, c, component % 3);
    case TML_JOINT_PRISMATIC: return !turn && axis_is(m, c, component % 3);
    case TML_JOINT_CYLINDRICAL: return axis_is(m, c, component % 3);
    default: return false;
    }
}

// Out of the plane of a planar model.
static bool is_out_of_plane(const tml_model *m, const tmli_var *v)
{
    if (!m->planar) return false;
    switch (v->kind) {
    case TMLI_VAR_MEASURE:
    case TMLI_VAR_RATE:
    case TMLI_VAR_SECOND: {
        const tmli_measure *measure = &m->measure_use[v->use].measure;
        return measure->kind == TMLI_COORD && measure->a.x == 0 && measure->a.y == 0;
    }
    case TMLI_VAR_OMEGA:
    case TMLI_VAR_ALPHA: return v->component < 2;
    case TMLI_VAR_ATTITUDE: return v->component % 3 < 2;
    case TMLI_VAR_QUAT: return v->component == 1 || v->component == 2;
    case TMLI_VAR_REACTION: return v->component >= 2 && v->component < 5;
    default: return false;
    }
}

void tmli_model_warn_of_constant(const tml_model *m, const tmli_output *o, tml_mark at)
{
    bool plane = o->value.nvars > 0, free = plane;
    const char *joint = NULL;
    for (int k = 0; k < o->value.nvars; k++) {
        const tmli_var *v = &o->value.var[k];
        const bool reaction = v->kind == TMLI_VAR_REACTION;
        plane = plane && is_out_of_plane(m, v);
        free = free && reaction && is_free(m, &m->constraint[v->element], v->component);
        if (reaction) joint = m->constraint[v->element].name;
    }
    char what[240];
    if (plane) warn_of_output(m, o, at, "never changes: a planar model has no motion or force out of x-y");
    if (plane || !free) return;
    snprintf(
        what, sizeof what,
        "never changes: joint '%.60s' exerts nothing along or about the axis that it leaves free; drivers "
        "('multiplier'), springs and friction there have values of their own",
        joint);
    warn_of_output(m, o, at, what);
}
