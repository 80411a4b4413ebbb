// Adding definitions: check one definition, register its name, copy it with its texts into the spec. A failed
// call changes nothing visible (texts may stay in the arena until the spec is destroyed).
#include "math/math3.h"
#include "spec/names.h"
#include "spec/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tml_status no_memory(const tmli_check *c)
{
    return tmli_fail(c->err, TML_ERR_NOMEM, "No memory for %s '%s'.", c->schema->name,
                     c->name ? c->name : "");
}

// Arrays grow when their count reaches a power of two >= 8, so the capacity needs no field of its own.
static void *grown(const tml_spec *spec, void *items, int count, size_t size)
{
    if (items && (count < 8 || (count & (count - 1)) != 0)) return items;
    return tmli_regrow(&spec->env, items, (size_t)count, count < 8 ? 8 : 2 * (size_t)count, size);
}

static tml_status check_size(const tmli_check *c, const void *def, size_t found)
{
    const size_t want = c->schema->def_size;
    if (def && found == want) return TML_OK;
    return tmli_fail(c->err, TML_ERR_ARG,
                     "The %s definition has size %zu, expected %zu: start from tml_%s_def_default().",
                     c->schema->name, found, want, c->schema->name);
}

static tml_status check_free(const tmli_check *c, const tml_spec *spec, tmli_name_space space,
                             const char *name, const char *second)
{
    const tmli_taken *t = tmli_names_find(spec, space, name, second);
    if (!t) return TML_OK;
    const tml_mark at = c->entry ? c->entry->at : (tml_mark){0};
    char label[128];
    snprintf(label, sizeof label, "%.60s%s%.60s", name, second ? "." : "", second ? second : "");
    if (t->at.line == 0)
        return tmli_fail_at(c->err, TML_ERR_NAME, at, "The name '%s' is already used by a %s.", label,
                            t->what);
    if (t->at.file && at.file && strcmp(t->at.file, at.file) != 0)
        return tmli_fail_at(c->err, TML_ERR_NAME, at, "The name '%s' is already used by the %s at %s:%d.",
                            label, t->what, t->at.file, t->at.line);
    return tmli_fail_at(c->err, TML_ERR_NAME, at, "The name '%s' is already used by the %s in line %d.",
                        label, t->what, t->at.line);
}

static bool copy_text(tml_spec *spec, const char **text)
{
    if (!*text) return true;
    *text = tmli_arena_strdup(&spec->arena, *text);
    return *text != NULL;
}

static bool copy_entry(tml_spec *spec, const tmli_entry *from, tmli_entry *to)
{
    *to = (tmli_entry){0};
    if (!from) return true;
    to->at = from->at;
    if (from->nfields == 0) return true;
    tmli_field_mark *marks = tmli_arena_alloc(&spec->arena, (size_t)from->nfields, sizeof *marks);
    if (!marks) return false;
    memcpy(marks, from->fields, (size_t)from->nfields * sizeof *marks);
    to->fields = marks;
    to->nfields = from->nfields;
    return true;
}

static void normalize(double q[4]) { q_store(q_normalize(q_from(q)), q); }

tml_status tmli_spec_add_body(tml_spec *spec, const tml_body_def *def, const tmli_entry *entry,
                              tml_error *err)
{
    const tmli_check c = {&tmli_schema_body, 0, def ? def->name : NULL, entry, spec->planar, err};
    const tml_body_def fallback = tml_body_def_default();
    tml_status st = check_size(&c, def, def ? def->size : 0);
    if (st == TML_OK) st = tmli_check_name(&c, def->name);
    if (st == TML_OK) st = check_free(&c, spec, TMLI_SPACE_ENTRIES, def->name, NULL);
    if (st == TML_OK) st = tmli_check_def(&c, def, &fallback);
    if (st == TML_OK) st = tmli_check_inertia(&c, def);
    if (st == TML_OK) st = tmli_names_reserve(spec, err);
    if (st != TML_OK) return st;

    tmli_body_entry e = {.def = *def};
    normalize(e.def.orientation);
    tmli_body_entry *items = grown(spec, spec->bodies, spec->nbodies, sizeof e);
    if (items) spec->bodies = items;
    if (!items || !copy_text(spec, &e.def.name) || !copy_entry(spec, entry, &e.at)) return no_memory(&c);
    tmli_names_put(spec, &(tmli_taken){e.def.name, NULL, "body", e.at.at, TMLI_SPACE_ENTRIES, spec->nbodies});
    items[spec->nbodies++] = e;
    return TML_OK;
}

tml_status tmli_spec_add_frame(tml_spec *spec, const tml_frame_def *def, const tmli_entry *entry,
                               tml_error *err)
{
    const tmli_check c = {&tmli_schema_frame, 0, def ? def->name : NULL, entry, spec->planar, err};
    const tml_frame_def fallback = tml_frame_def_default();
    tml_status st = check_size(&c, def, def ? def->size : 0);
    if (st == TML_OK && (!def->body || !tmli_is_identifier(def->body, strlen(def->body))))
        st = tmli_check_fail(&c, TML_ERR_NAME, "body",
                             "'body' is '%s', expected the name of a body or ground.",
                             def->body ? def->body : "");
    if (st == TML_OK) st = tmli_check_name(&c, def->name);
    if (st == TML_OK) st = check_free(&c, spec, TMLI_SPACE_FRAMES, def->body, def->name);
    if (st == TML_OK) st = tmli_check_def(&c, def, &fallback);
    if (st == TML_OK) st = tmli_names_reserve(spec, err);
    if (st != TML_OK) return st;

    tmli_frame_entry e = {.def = *def};
    normalize(e.def.orientation);
    tmli_frame_entry *items = grown(spec, spec->frames, spec->nframes, sizeof e);
    if (items) spec->frames = items;
    if (!items || !copy_text(spec, &e.def.name) || !copy_text(spec, &e.def.body) ||
        !copy_entry(spec, entry, &e.at))
        return no_memory(&c);
    tmli_names_put(spec,
                   &(tmli_taken){e.def.body, e.def.name, "frame", e.at.at, TMLI_SPACE_FRAMES, spec->nframes});
    items[spec->nframes++] = e;
    return TML_OK;
}

tml_status tmli_spec_add_joint(tml_spec *spec, const tml_joint_def *def, const tmli_entry *entry,
                               tml_error *err)
{
    tmli_check c = {&tmli_schema_joint, 0, def ? def->name : NULL, entry, spec->planar, err};
    const tml_joint_def fallback = tml_joint_def_default();
    tml_status st = check_size(&c, def, def ? def->size : 0);
    if (st == TML_OK) st = tmli_check_name(&c, def->name);
    if (st == TML_OK && (unsigned)def->type >= TML_JOINT_TYPES)
        st = tmli_check_fail(&c, TML_ERR_ARG, "type", "'type' is %d, which is not a type of joint.",
                             (int)def->type);
    if (st == TML_OK) st = check_free(&c, spec, TMLI_SPACE_ENTRIES, def->name, NULL);
    if (st == TML_OK) {
        c.type = (int)def->type;
        st = tmli_check_def(&c, def, &fallback);
    }
    if (st == TML_OK) st = tmli_names_reserve(spec, err);
    if (st != TML_OK) return st;

    tmli_joint_entry e = {.def = *def};
    tmli_joint_entry *items = grown(spec, spec->joints, spec->njoints, sizeof e);
    if (items) spec->joints = items;
    const char **texts[] = {&e.def.name,   &e.def.a,  &e.def.b,     &e.def.first,
                            &e.def.second, &e.def.of, &e.def.motion};
    bool ok = items && copy_entry(spec, entry, &e.at);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && ok; i++) ok = copy_text(spec, texts[i]);
    if (!ok) return no_memory(&c);
    tmli_names_put(spec,
                   &(tmli_taken){e.def.name, NULL, "joint", e.at.at, TMLI_SPACE_ENTRIES, spec->njoints});
    items[spec->njoints++] = e;
    return TML_OK;
}

static bool copy_table(tml_spec *spec, int count, const double **table)
{
    if (count == 0) {
        *table = NULL;
        return true;
    }
    double *rows = tmli_arena_alloc(&spec->arena, 2 * (size_t)count, sizeof *rows);
    if (rows) memcpy(rows, *table, 2 * (size_t)count * sizeof *rows);
    *table = rows;
    return rows != NULL;
}

// Set the default of `up`, and check that the two directions of a road span a plane.
static tml_status check_road(const tmli_check *c, tml_road_def *def)
{
    const vec3 e = v3_from(def->direction);
    if (!def->has_up) v3_store(c->planar ? v3(0, 1, 0) : v3(0, 0, 1), def->up);
    const vec3 n = v3_from(def->up);
    if (c->planar && (e.z != 0 || n.z != 0))
        return tmli_check_fail(c, TML_ERR_MODEL, e.z != 0 ? "direction" : "up",
                               "'%s' is not in the plane of a planar model.", e.z != 0 ? "direction" : "up");
    if (fabs(v3_dot(e, n)) > 1e-9 * v3_norm(e) * v3_norm(n))
        return tmli_check_fail(c, TML_ERR_MODEL, def->has_up ? "up" : "direction",
                               "'direction' [%g, %g, %g] and 'up' [%g, %g, %g] are not perpendicular.", e.x,
                               e.y, e.z, n.x, n.y, n.z);
    v3_store(v3_scale(1 / v3_norm(e), e), def->direction);
    v3_store(v3_scale(1 / v3_norm(n), n), def->up);
    return TML_OK;
}

tml_status tmli_spec_add_road(tml_spec *spec, const tml_road_def *def, const tmli_entry *entry,
                              tml_error *err)
{
    tmli_check c = {&tmli_schema_road, 0, def ? def->name : NULL, entry, spec->planar, err};
    const tml_road_def fallback = tml_road_def_default();
    tmli_road_entry e = {0};
    tml_status st = check_size(&c, def, def ? def->size : 0);
    if (st == TML_OK) st = tmli_check_name(&c, def->name);
    if (st == TML_OK && (unsigned)def->type >= TML_ROAD_TYPES)
        st = tmli_check_fail(&c, TML_ERR_ARG, "type", "'type' is %d, which is not a type of road.",
                             (int)def->type);
    if (st == TML_OK) st = check_free(&c, spec, TMLI_SPACE_ENTRIES, def->name, NULL);
    if (st == TML_OK) {
        c.type = (int)def->type;
        st = tmli_check_def(&c, def, &fallback);
        e.def = *def;
    }
    if (st == TML_OK && def->type == TML_ROAD_TABLE && def->table_count == 0)
        st = tmli_check_fail(&c, TML_ERR_MODEL, "table", "'table' is missing.");
    if (st == TML_OK) st = check_road(&c, &e.def);
    if (st == TML_OK) st = tmli_names_reserve(spec, err);
    if (st != TML_OK) return st;

    tmli_road_entry *items = grown(spec, spec->roads, spec->nroads, sizeof e);
    if (items) spec->roads = items;
    if (!items || !copy_text(spec, &e.def.name) || !copy_entry(spec, entry, &e.at) ||
        !copy_table(spec, e.def.table_count, &e.def.table))
        return no_memory(&c);
    tmli_names_put(spec, &(tmli_taken){e.def.name, NULL, "road", e.at.at, TMLI_SPACE_ENTRIES, spec->nroads});
    items[spec->nroads++] = e;
    return TML_OK;
}

tml_status tmli_spec_add_force(tml_spec *spec, const tml_force_def *def, const tmli_entry *entry,
                               tml_error *err)
{
    tmli_check c = {&tmli_schema_force, 0, def ? def->name : NULL, entry, spec->planar, err};
    const tml_force_def fallback = tml_force_def_default();
    tml_status st = check_size(&c, def, def ? def->size : 0);
    if (st == TML_OK) st = tmli_check_name(&c, def->name);
    if (st == TML_OK && (unsigned)def->type >= TML_FORCE_TYPES)
        st = tmli_check_fail(&c, TML_ERR_ARG, "type", "'type' is %d, which is not a type of force.",
                             (int)def->type);
    if (st == TML_OK) st = check_free(&c, spec, TMLI_SPACE_ENTRIES, def->name, NULL);
    if (st == TML_OK) {
        c.type = (int)def->type;
        st = tmli_check_def(&c, def, &fallback);
    }
    if (st == TML_OK) st = tmli_names_reserve(spec, err);
    if (st != TML_OK) return st;

    tmli_force_entry e = {.def = *def};
    tmli_force_entry *items = grown(spec, spec->forces, spec->nforces, sizeof e);
    if (items) spec->forces = items;
    const char **texts[] = {&e.def.name,      &e.def.a,         &e.def.b,        &e.def.law,
                            &e.def.force[0],  &e.def.force[1],  &e.def.force[2], &e.def.torque[0],
                            &e.def.torque[1], &e.def.torque[2], &e.def.road};
    bool ok = items && copy_entry(spec, entry, &e.at) && copy_table(spec, e.def.table_count, &e.def.table);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && ok; i++) ok = copy_text(spec, texts[i]);
    if (!ok) return no_memory(&c);
    tmli_names_put(spec,
                   &(tmli_taken){e.def.name, NULL, "force", e.at.at, TMLI_SPACE_ENTRIES, spec->nforces});
    items[spec->nforces++] = e;
    return TML_OK;
}

tml_status tmli_spec_add_output(tml_spec *spec, const tml_output_def *def, const tmli_entry *entry,
                                tml_error *err)
{
    const tmli_check c = {&tmli_schema_output, 0, def ? def->name : NULL, entry, spec->planar, err};
    const tml_output_def fallback = tml_output_def_default();
    tml_status st = check_size(&c, def, def ? def->size : 0);
    if (st == TML_OK) st = tmli_check_name(&c, def->name);
    if (st == TML_OK) st = check_free(&c, spec, TMLI_SPACE_OUTPUTS, def->name, NULL);
    if (st == TML_OK) st = tmli_check_def(&c, def, &fallback);
    if (st == TML_OK) st = tmli_names_reserve(spec, err);
    if (st != TML_OK) return st;

    tmli_output_entry e = {.def = *def};
    tmli_output_entry *items = grown(spec, spec->outputs, spec->noutputs, sizeof e);
    if (items) spec->outputs = items;
    if (!items || !copy_text(spec, &e.def.name) || !copy_text(spec, &e.def.value) ||
        !copy_entry(spec, entry, &e.at))
        return no_memory(&c);
    tmli_names_put(spec,
                   &(tmli_taken){e.def.name, NULL, "output", e.at.at, TMLI_SPACE_OUTPUTS, spec->noutputs});
    items[spec->noutputs++] = e;
    return TML_OK;
}

tml_status tmli_spec_add_event(tml_spec *spec, const tml_event_def *def, const tmli_entry *entry,
                               tml_error *err)
{
    const tmli_check c = {&tmli_schema_event, 0, def ? def->name : NULL, entry, spec->planar, err};
    const tml_event_def fallback = tml_event_def_default();
    tml_status st = check_size(&c, def, def ? def->size : 0);
    if (st == TML_OK) st = tmli_check_name(&c, def->name);
    if (st == TML_OK) st = check_free(&c, spec, TMLI_SPACE_EVENTS, def->name, NULL);
    if (st == TML_OK) st = tmli_check_def(&c, def, &fallback);
    if (st == TML_OK) st = tmli_names_reserve(spec, err);
    if (st != TML_OK) return st;

    tmli_event_entry e = {.def = *def};
    tmli_event_entry *items = grown(spec, spec->events, spec->nevents, sizeof e);
    if (items) spec->events = items;
    if (!items || !copy_text(spec, &e.def.name) || !copy_text(spec, &e.def.when) ||
        !copy_entry(spec, entry, &e.at))
        return no_memory(&c);
    tmli_names_put(spec, &(tmli_taken){e.def.name, NULL, "event", e.at.at, TMLI_SPACE_EVENTS, spec->nevents});
    items[spec->nevents++] = e;
    return TML_OK;
}

tml_status tmli_spec_set_run(tml_spec *spec, const tml_run_def *def, const tmli_entry *entry, tml_error *err)
{
    const tmli_check c = {&tmli_schema_run, 0, NULL, entry, spec->planar, err};
    const tml_run_def fallback = tml_run_def_default();
    char a[32], b[32];
    tml_status st = check_size(&c, def, def ? def->size : 0);
    if (st == TML_OK) st = tmli_check_def(&c, def, &fallback);
    if (st == TML_OK && !(def->end > def->start))
        st = tmli_check_fail(&c, TML_ERR_MODEL, "end", "'end' is %s, expected a time after 'start', %s.",
                             tmli_dtoa(def->end, a), tmli_dtoa(def->start, b));
    if (st == TML_OK && def->max_step > 0 && def->min_step > def->max_step)
        st = tmli_check_fail(&c, TML_ERR_MODEL, "min_step", "'min_step' is %s, more than 'max_step', %s.",
                             tmli_dtoa(def->min_step, a), tmli_dtoa(def->max_step, b));
    if (st != TML_OK) return st;
    const char *key = isnan(def->rtol) ? "tol" : "rtol";
    const double rtol = isnan(def->rtol) ? def->tol : def->rtol;
    if (rtol >= 1)
        return tmli_check_fail(&c, TML_ERR_MODEL, key, "'%s' is %s, expected less than 1.", key,
                               tmli_dtoa(rtol, a));
    const double rows = def->output_step > 0 ? (def->end - def->start) / def->output_step : 0;
    if (rows > TMLI_ROWS)
        return tmli_check_fail(&c, TML_ERR_MODEL, "output_step",
                               "'output_step' is %s, which makes %.3g rows; at most %g are allowed.",
                               tmli_dtoa(def->output_step, a), rows, TMLI_ROWS);
    tml_run_def run = *def;
    tmli_entry at;
    if (!copy_text(spec, &run.method) || !copy_text(spec, &run.solver) || !copy_entry(spec, entry, &at))
        return no_memory(&c);
    spec->run = run;
    spec->run_at = at;
    return TML_OK;
}

tml_status tmli_spec_add_parameter(tml_spec *spec, const char *name, double value, tml_error *err)
{
    const tmli_check c = {NULL, 0, name, NULL, spec->planar, err};
    tml_status st = tmli_check_name(&c, name);
    if (st == TML_OK) st = check_free(&c, spec, TMLI_SPACE_PARAMETERS, name, NULL);
    if (st == TML_OK) st = tmli_names_reserve(spec, err);
    if (st != TML_OK) return st;
    const char **names = grown(spec, (void *)spec->param_names, spec->nparams, sizeof *names);
    if (names) spec->param_names = names;
    double *values = names ? grown(spec, spec->param_values, spec->nparams, sizeof *values) : NULL;
    if (values) spec->param_values = values;
    const char *copy = values ? tmli_arena_strdup(&spec->arena, name) : NULL;
    if (!copy) return tmli_fail(err, TML_ERR_NOMEM, "No memory for parameter '%s'.", name);
    tmli_names_put(spec, &(tmli_taken){copy, NULL, "parameter", {0}, TMLI_SPACE_PARAMETERS, spec->nparams});
    spec->param_names[spec->nparams] = copy;
    spec->param_values[spec->nparams++] = value;
    return TML_OK;
}

tml_status tml_spec_add_body(tml_spec *spec, const tml_body_def *def, tml_error *err)
{
    return tmli_spec_add_body(spec, def, NULL, err);
}

tml_status tml_spec_add_frame(tml_spec *spec, const tml_frame_def *def, tml_error *err)
{
    return tmli_spec_add_frame(spec, def, NULL, err);
}

tml_status tml_spec_add_joint(tml_spec *spec, const tml_joint_def *def, tml_error *err)
{
    return tmli_spec_add_joint(spec, def, NULL, err);
}

tml_status tml_spec_add_road(tml_spec *spec, const tml_road_def *def, tml_error *err)
{
    return tmli_spec_add_road(spec, def, NULL, err);
}

tml_status tml_spec_add_force(tml_spec *spec, const tml_force_def *def, tml_error *err)
{
    return tmli_spec_add_force(spec, def, NULL, err);
}

tml_status tml_spec_add_output(tml_spec *spec, const tml_output_def *def, tml_error *err)
{
    return tmli_spec_add_output(spec, def, NULL, err);
}

tml_status tml_spec_add_event(tml_spec *spec, const tml_event_def *def, tml_error *err)
{
    return tmli_spec_add_event(spec, def, NULL, err);
}
