// Forces along the first coordinate of a joint: its keys become forces of the types coordinate,
// limit, armature and friction.
// Bristles of LuGre friction and the deflections of slip tyres become first-order states, whose rates the
// force gives.
#include "spec/schema.h"

#include <math.h>

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
    const tml_status st = d->has_limits ? check_limits(c, &d->limits) : TML_OK;
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
