// The kinds of entries: where their names are, how a definition starts, what is checked besides its fields.
#include "math/math3.h"
#include "spec/schema.h"

#include <math.h>
#include <string.h>

static void normalize(double q[4]) { q_store(q_normalize(q_from(q)), q); }

static tml_status check_body(const tmli_check *c, void *def)
{
    tml_body_def *const d = def;
    const tml_status st = tmli_check_inertia(c, d);
    if (st == TML_OK) normalize(d->orientation);
    return st;
}

static tml_status check_frame(const tmli_check *c, void *def)
{
    (void)c;
    normalize(((tml_frame_def *)def)->orientation);
    return TML_OK;
}

// Set the default of `up`, and check that the two directions of a road span a plane.
static tml_status check_road(const tmli_check *c, void *def)
{
    tml_road_def *const d = def;
    if (d->type == TML_ROAD_TABLE && d->table_count == 0)
        return tmli_check_fail(c, TML_ERR_MODEL, "table", "'table' is missing.");
    if (d->type == TML_ROAD_RANDOM && !(d->shortest < d->longest))
        return tmli_check_fail(c, TML_ERR_MODEL, "shortest",
                               "'shortest' (%g m) is not less than 'longest' (%g m).", d->shortest,
                               d->longest);
    const vec3 e = v3_from(d->direction);
    if (!d->has_up) v3_store(c->planar ? v3(0, 1, 0) : v3(0, 0, 1), d->up);
    const vec3 n = v3_from(d->up);
    if (c->planar && (e.z != 0 || n.z != 0))
        return tmli_check_fail(c, TML_ERR_MODEL, e.z != 0 ? "direction" : "up",
                               "'%s' is not in the plane of a planar model.", e.z != 0 ? "direction" : "up");
    if (fabs(v3_dot(e, n)) > 1e-9 * v3_norm(e) * v3_norm(n))
        return tmli_check_fail(c, TML_ERR_MODEL, d->has_up ? "up" : "direction",
                               "'direction' [%g, %g, %g] and 'up' [%g, %g, %g] are not perpendicular.", e.x,
                               e.y, e.z, n.x, n.y, n.z);
    v3_store(v3_scale(1 / v3_norm(e), e), d->direction);
    v3_store(v3_scale(1 / v3_norm(n), n), d->up);
    return TML_OK;
}

// A slip tyre has the numbers of its law and no others; its axis is a unit vector.
static tml_status check_slip(const tmli_check *c, tml_force_def *d)
{
    const bool magic = d->slip_law == TML_SLIP_MAGIC_FORMULA;
    if (!d->has_axis) v3_store(c->planar ? v3(0, 0, 1) : v3(0, 1, 0), d->axis);
    v3_store(v3_scale(1 / v3_norm(v3_from(d->axis)), v3_from(d->axis)), d->axis);
    const struct {
        const char *key;
        bool magic, given;
    } keys[] = {{"coefficient", false, !isnan(d->coefficient)},
                {"longitudinal_stiffness", false, !isnan(d->longitudinal_stiffness)},
                {"cornering_stiffness", false, !isnan(d->cornering_stiffness)},
                {"longitudinal", true, d->has_longitudinal},
                {"lateral", true, d->has_lateral}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].given && keys[i].magic != magic)
            return tmli_check_fail(c, TML_ERR_MODEL, keys[i].key, "'%s' belongs to the law %s.", keys[i].key,
                                   magic ? "brush" : "magic-formula");
        if (!keys[i].given && keys[i].magic == magic)
            return tmli_check_fail(c, TML_ERR_MODEL, "law", "the law %s needs '%s'.",
                                   magic ? "magic-formula" : "brush", keys[i].key);
    }
    for (int i = 0; i < 2 && magic; i++) {
        const tml_magic_def *m = i == 0 ? &d->longitudinal : &d->lateral;
        if (!(m->E <= 1))  // beyond 1 the force would change its sign
            return tmli_check_fail(c, TML_ERR_MODEL, i == 0 ? "longitudinal" : "lateral",
                                   "'E' is %g, expected at most 1.", m->E);
        if (!(m->C < 2))  // the sine would change its sign
            return tmli_check_fail(c, TML_ERR_MODEL, i == 0 ? "longitudinal" : "lateral",
                                   "'C' is %g, expected less than 2.", m->C);
    }
    if (!(d->load_exponent > -1))
        return tmli_check_fail(c, TML_ERR_MODEL, "load_exponent", "'load_exponent' is %g, expected above -1.",
                               d->load_exponent);
    if (!(d->stiffness > 0) && d->table_count == 0)
        return tmli_check_fail(c, TML_ERR_MODEL, "type", "it carries no load: give 'stiffness' or 'table'.");
    return TML_OK;
}

// A function and its frames come from a program.
static tml_status check_force(const tmli_check *c, void *def)
{
    tml_force_def *const d = def;
    if (d->type == TML_FORCE_BEAM && d->frame_count == 0)
        return tmli_check_fail(c, TML_ERR_MODEL, "type",
                               "elements of beams are made by the section 'beams'.");
    if (d->type == TML_FORCE_MODAL && !d->modal)
        return tmli_check_fail(c, TML_ERR_MODEL, "type",
                               "elements of modal bodies are made by the section 'modal_bodies'.");
    if (d->type == TML_FORCE_SLIP_TYRE) return check_slip(c, d);
    if (d->type != TML_FORCE_CALLBACK) return TML_OK;
    if (!d->function)
        return tmli_check_fail(c, TML_ERR_MODEL, "type",
                               "a force of type callback needs a function of a program (tml_force_def).");
    if (d->frame_count < 1 || d->frame_count > TML_CALLBACK_FRAMES)
        return tmli_check_fail(c, TML_ERR_ARG, "type", "'frame_count' is %d, expected 1 to %d.",
                               d->frame_count, TML_CALLBACK_FRAMES);
    for (int i = 0; i < d->frame_count; i++)
        if (!d->frame[i]) return tmli_check_fail(c, TML_ERR_ARG, "type", "frame %d is missing.", i + 1);
    return TML_OK;
}

// A table is called like a function, so it cannot have the name of one that takes frames.
static tml_status check_table(const tmli_check *c, void *def)
{
    static const char *const functions[] = {"distance", "speed", "angle"};
    const tml_table_def *const d = def;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i], d->name) == 0)
            return tmli_check_fail(c, TML_ERR_NAME, "name",
                                   "'%s' is a function of frames; choose another name.", d->name);
    if (d->count > 0) return TML_OK;
    return tmli_check_fail(c, TML_ERR_MODEL, "points",
                           d->file ? "the points of 'file' are read with the model file only (tml_spec_read)."
                                   : "it needs 'points' or 'file'.");
}

// ENTRY(kind, section, name space, list in the spec, further members)
#define ENTRY(kind, section_name, name_space, list, ...)                               \
    static void start_##kind(void *def, const char *name)                              \
    {                                                                                  \
        tml_##kind##_def *const d = def;                                               \
        *d = tml_##kind##_def_default();                                               \
        d->name = name;                                                                \
    }                                                                                  \
    const tmli_entry_ops tmli_kind_##kind = {.section = section_name,                  \
                                             .space = name_space,                      \
                                             .name = offsetof(tml_##kind##_def, name), \
                                             .items = offsetof(tml_spec, list),        \
                                             .count = offsetof(tml_spec, n##list),     \
                                             .start = start_##kind,                    \
                                             __VA_ARGS__};                             \
    _Static_assert(offsetof(tmli_##kind##_entry, def) == offsetof(tmli_any_entry, def), "same layout")

ENTRY(body, "bodies", TMLI_SPACE_ENTRIES, bodies, .has_frames = true, .check = check_body);
ENTRY(frame, "frames", TMLI_SPACE_FRAMES, frames, .owner = offsetof(tml_frame_def, body),
      .check = check_frame);
ENTRY(beam, "beams", TMLI_SPACE_ENTRIES, beams, .check = tmli_spec_check_beam,
      .expand = tmli_spec_expand_beam);
ENTRY(modal, "modal_bodies", TMLI_SPACE_ENTRIES, modals, .check = tmli_spec_check_modal,
      .expand = tmli_spec_expand_modal);
ENTRY(joint, "joints", TMLI_SPACE_ENTRIES, joints, .check = tmli_spec_check_joint,
      .expand = tmli_spec_expand_joint);
ENTRY(road, "roads", TMLI_SPACE_ENTRIES, roads, .check = check_road);
ENTRY(force, "forces", TMLI_SPACE_ENTRIES, forces, .check = check_force, .expand = tmli_spec_expand_force,
      .texts = offsetof(tml_force_def, frame), .ntexts = TML_CALLBACK_FRAMES);
ENTRY(shape, "shapes", TMLI_SPACE_SHAPES, shapes, .check = tmli_spec_check_shape);
ENTRY(contact, "contacts", TMLI_SPACE_ENTRIES, contacts, .check = tmli_spec_check_contact);
ENTRY(output, "outputs", TMLI_SPACE_OUTPUTS, outputs, .check = NULL);
ENTRY(event, "events", TMLI_SPACE_EVENTS, events, .check = NULL);
ENTRY(state, "states", TMLI_SPACE_ENTRIES, states, .check = NULL);
ENTRY(input, "inputs", TMLI_SPACE_ENTRIES, inputs, .check = NULL);
ENTRY(table, "tables", TMLI_SPACE_ENTRIES, tables, .check = check_table);
