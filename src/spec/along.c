// Forces along the first coordinate of a joint: its keys become forces of the types coordinate,
// limit, armature and friction. The lag of a motor is a first-order state.
// Bristles of LuGre friction and the deflections of slip tyres become first-order states, whose rates the
// force gives.
#include "spec/schema.h"

#include <math.h>
#include <string.h>

static const char *coordinate_of(tml_joint_type type)
{
    switch (type) {
    case TML_JOINT_REVOLUTE:
    case TML_JOINT_CYLINDRICAL:
    case TML_JOINT_SCREW:
    case TML_JOINT_PLANAR:
    case TML_JOINT_PARALLEL: return "angle";
    case TML_JOINT_UNIVERSAL: return "angle1";
    case TML_JOINT_PRISMATIC:
    case TML_JOINT_POINT_ON_LINE:
    case TML_JOINT_DISTANCE: return "distance";
    default: return "px";
    }
}

static bool has_force(const tml_joint_def *d)
{
    return d->stiffness != 0 || d->damping != 0 || d->drive ||
           (d->has_limits && !isnan(d->limits.stiffness)) || d->backlash > 0;
}

static tml_status check_limits(const tmli_check *c, const tml_limits_def *l)
{
    char lower[32], upper[32];
    if (isnan(l->lower) && isnan(l->upper))
        return tmli_check_fail(c, TML_ERR_MODEL, "limits", "its limits have neither 'lower' nor 'upper'.");
    if (l->lower >= l->upper)
        return tmli_check_fail(c, TML_ERR_MODEL, "limits", "its lower limit %s is not below the upper, %s.",
                               tmli_dtoa(l->lower, lower), tmli_dtoa(l->upper, upper));
    if (isnan(l->stiffness) && isnan(l->restitution))
        return tmli_check_fail(c, TML_ERR_MODEL, "limits",
                               "its limits have neither 'stiffness' (compliant) nor 'restitution' (rigid).");
    if (!isnan(l->restitution) && (!isnan(l->stiffness) || l->damping != 0))
        return tmli_check_fail(c, TML_ERR_MODEL, "limits",
                               "its limits have both 'restitution' (rigid) and '%s' (compliant).",
                               isnan(l->stiffness) ? "damping" : "stiffness");
    return TML_OK;
}

static tml_status check_motor(const tmli_check *c, const tml_motor_def *m)
{
    if (!m->position && !m->speed && !m->command)
        return tmli_check_fail(c, TML_ERR_MODEL, "motor",
                               "its motor has nothing to follow: give 'position', 'speed' or 'command'.");
    if (!m->position != (m->stiffness == 0))
        return tmli_check_fail(c, TML_ERR_MODEL, "motor",
                               m->position ? "its motor has a 'position', but no 'stiffness'."
                                           : "its motor has a 'stiffness', but no 'position'.");
    if (m->speed && m->damping == 0)
        return tmli_check_fail(c, TML_ERR_MODEL, "motor", "its motor has a 'speed', but no 'damping'.");
    return TML_OK;
}

tml_status tmli_spec_check_joint(const tmli_check *c, void *def)
{
    const tml_joint_def *const d = def;
    if (d->type == TML_JOINT_DRIVER && !d->motion == !d->speed)
        return tmli_check_fail(c, TML_ERR_MODEL, d->speed ? "speed" : "motion",
                               d->speed ? "it has both 'motion' and 'speed'; give one of them."
                                        : "'motion' is missing (or 'speed').");
    bool moves = d->type != TML_JOINT_POSE;
    for (int k = 0; k < 6; k++) moves = moves || d->pose[k];
    if (!moves)
        return tmli_check_fail(c, TML_ERR_MODEL, "type",
                               "a pose needs at least one of x, y, z, roll, pitch and yaw.");
    tml_status st = d->has_limits ? check_limits(c, &d->limits) : TML_OK;
    if (st == TML_OK && d->has_motor) st = check_motor(c, &d->motor);
    if (st != TML_OK) return st;
    if (d->backlash > 0 && d->stiffness == 0)
        return tmli_check_fail(c, TML_ERR_MODEL, "backlash",
                               "'backlash' belongs to a spring: give 'stiffness'.");
    return TML_OK;
}

// A name made of that of an entry, NAME_force; NULL if memory is exhausted.
static const char *name_of(tml_spec *spec, const char *name, const char *suffix)
{
    return tmli_arena_format(&spec->arena, "%s%s", name, suffix);
}

// A name that could not be made is NULL.
static tml_status add_force(tml_spec *spec, const tml_force_def *f, const tmli_entry *at, tml_error *err)
{
    return f->name ? tmli_spec_add(spec, &tmli_schema_force, f, at, err) : tmli_no_memory(err, "force");
}

// "NAME.rate" of the coordinate "NAME.angle", and so on.
static const char *rate_of(tml_spec *spec, const char *name, const char *coordinate)
{
    static const char *const names[][2] = {
        {"angle", "rate"}, {"angle1", "rate1"}, {"distance", "speed"}, {"px", "px_rate"}};
    int i = 0;
    while (strcmp(names[i][0], coordinate) != 0) i++;
    return tmli_arena_format(&spec->arena, "%s.%s", name, names[i][1]);
}

// The force that a motor should have, of the coordinate x and its rate v.
static const char *force_of_motor(tml_spec *spec, const tml_motor_def *m, const char *x, const char *v)
{
    tmli_arena *a = &spec->arena;
    char text[3][32];
    const char *out = m->command ? tmli_arena_format(a, "(%s)", m->command) : "0";
    if (m->position && out && x)
        out = tmli_arena_format(a, "%s + %s*((%s) - %s)", out, tmli_dtoa(m->stiffness, text[0]), m->position,
                                x);
    if (m->damping > 0 && out && v)
        out = tmli_arena_format(a, "%s + %s*((%s) - %s)", out, tmli_dtoa(m->damping, text[1]),
                                m->speed ? m->speed : "0", v);
    const char *limit = tmli_dtoa(m->limit, text[2]);
    return isnan(m->limit) || !out ? out : tmli_arena_format(a, "clamp(%s, -%s, %s)", out, limit, limit);
}

static tml_status add_motor(tml_spec *spec, const tml_joint_def *d, const char *of, const char *coordinate,
                            const tmli_entry *entry, tml_error *err)
{
    const tml_motor_def *m = &d->motor;
    const tml_mark mark = entry ? tmli_entry_mark(entry, "motor") : (tml_mark){0};
    const tmli_field_mark marks[] = {{"force", mark}, {"rate", mark}, {"start", mark}};
    const tmli_entry at = {.at = mark, .nfields = 3, .fields = marks};
    tml_force_def f = tml_force_def_default();
    f.name = name_of(spec, d->name, "_motor");
    f.type = TML_FORCE_COORDINATE;
    f.of = of;
    f.drive = m->lag > 0 ? name_of(spec, d->name, "_motor_lag") : force_of_motor(spec, m, "value", "rate");
    if (!f.drive) return tmli_no_memory(err, "motor");
    if (m->lag > 0) {
        tml_state_def z = tml_state_def_default();
        const char *rate = rate_of(spec, d->name, coordinate),
                   *wanted = rate ? force_of_motor(spec, m, of, rate) : NULL;
        char lag[32];
        z.name = f.drive;
        z.rate = wanted
                     ? tmli_arena_format(&spec->arena, "(%s - %s)/%s", wanted, z.name, tmli_dtoa(m->lag, lag))
                     : NULL;
        if (!z.rate) return tmli_no_memory(err, "motor");
        z.unit = coordinate[0] == 'a' ? "N m" : "N";
        if (!isnan(m->limit)) z.scale = m->limit;
        const tml_status st = tmli_spec_add(spec, &tmli_schema_state, &z, &at, err);
        if (st != TML_OK) return st;
    }
    return add_force(spec, &f, &at, err);
}

tml_status tmli_spec_expand_joint(tml_spec *spec, const void *def, const tmli_entry *entry, tml_error *err)
{
    const tml_joint_def *const d = def;
    const tml_mark mark = entry ? entry->at : (tml_mark){0};
    const char *coordinate = coordinate_of(d->type),
               *of = tmli_arena_format(&spec->arena, "%s.%s", d->name, coordinate);
    tml_status st = of ? TML_OK : tmli_no_memory(err, "joint");
    if (st == TML_OK && has_force(d)) {
        tml_force_def f = tml_force_def_default();
        f.name = name_of(spec, d->name, "_force");
        f.type = TML_FORCE_COORDINATE;
        f.of = of;
        f.stiffness = d->stiffness;
        f.damping = d->damping;
        f.free = d->free;
        f.backlash = d->backlash;
        f.drive = d->drive;
        if (!isnan(d->limits.stiffness)) f.limits = d->limits;
        const bool angle = coordinate[0] == 'a';
        const tmli_field_mark marks[] = {{"force", tmli_entry_mark(entry, angle ? "torque" : "force")}};
        const tmli_entry at = {.at = mark, .nfields = d->drive ? 1 : 0, .fields = marks};
        st = add_force(spec, &f, &at, err);
    }
    if (st == TML_OK && d->has_limits && !isnan(d->limits.restitution)) {
        tml_force_def f = tml_force_def_default();
        f.name = name_of(spec, d->name, "_limit");
        f.type = TML_FORCE_LIMIT;
        f.of = of;
        f.limits = d->limits;
        const tmli_entry at = {.at = entry ? tmli_entry_mark(entry, "limits") : mark};
        st = add_force(spec, &f, &at, err);
    }
    if (st == TML_OK && d->armature > 0) {
        tml_force_def f = tml_force_def_default();
        f.name = name_of(spec, d->name, "_armature");
        f.type = TML_FORCE_ARMATURE;
        f.of = of;
        f.armature = d->armature;
        const tmli_entry at = {.at = entry ? tmli_entry_mark(entry, "armature") : mark};
        st = add_force(spec, &f, &at, err);
    }
    if (st == TML_OK && d->has_friction) {
        tml_force_def f = tml_force_def_default();
        f.name = name_of(spec, d->name, "_friction");
        f.type = TML_FORCE_FRICTION;
        f.of = of;
        f.friction = d->friction;
        const tmli_entry at = {.at = entry ? tmli_entry_mark(entry, "friction") : mark};
        st = add_force(spec, &f, &at, err);
    }
    if (st == TML_OK && d->has_motor) st = add_motor(spec, d, of, coordinate, entry, err);
    return st;
}

// The slip at which the linear force would be the limit of friction, times the relaxation length.
static double greatest_deflection(const tml_force_def *d, int i)
{
    const tml_magic_def *m = i == 0 ? &d->longitudinal : &d->lateral;
    const double stiffness = i == 0 ? d->longitudinal_stiffness : d->cornering_stiffness,
                 length = i == 0 ? d->longitudinal_relaxation : d->lateral_relaxation;
    return length *
           (d->slip_law == TML_SLIP_MAGIC_FORMULA ? 1 / (m->B * m->C) : d->coefficient * d->load / stiffness);
}

static tml_status add_deflections(tml_spec *spec, const tml_force_def *d, const tmli_entry *at,
                                  tml_error *err)
{
    tml_status st = TML_OK;
    for (int i = 0; i < 2 && st == TML_OK; i++) {
        tml_state_def z = tml_state_def_default();
        z.name = name_of(spec, d->name, i == 0 ? "_deflection_x" : "_deflection_y");
        if (!z.name) return tmli_no_memory(err, "state");
        z.rate = "0";  // and what the force adds
        z.unit = "m";
        z.scale = greatest_deflection(d, i);
        st = tmli_spec_add(spec, &tmli_schema_state, &z, at, err);
    }
    return st;
}

tml_status tmli_spec_expand_force(tml_spec *spec, const void *def, const tmli_entry *entry, tml_error *err)
{
    const tml_force_def *const d = def;
    const tml_friction_def *f = &d->friction;
    const tmli_entry at = {.at = entry ? entry->at : (tml_mark){0}};
    if (d->type == TML_FORCE_SLIP_TYRE) return add_deflections(spec, d, &at, err);
    if (d->type != TML_FORCE_FRICTION || f->law != TML_FRICTION_LUGRE) return TML_OK;
    tml_state_def z = tml_state_def_default();
    z.name = name_of(spec, d->name, "_bristle");
    if (!z.name) return tmli_no_memory(err, "state");
    z.rate = "0";  // and what the force adds
    z.unit = "m or rad";
    const double load = f->load_of_reaction ? 1 : f->load,
                 slip = isnan(f->coulomb) ? f->coefficient * load * (isnan(f->radius) ? 1 : f->radius)
                                          : f->coulomb;
    z.scale = slip > 0 && f->bristle_stiffness > 0 ? slip / f->bristle_stiffness : 1;
    return tmli_spec_add(spec, &tmli_schema_state, &z, &at, err);
}
