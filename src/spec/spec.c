// Creation and destruction of a spec, default definitions, settings of the whole model.
#include "spec/spec.h"

#include "spec/names.h"

#include <math.h>
#include <string.h>

tml_body_def tml_body_def_default(void)
{
    return (tml_body_def){.size = sizeof(tml_body_def), .orientation = {1, 0, 0, 0}};
}

tml_frame_def tml_frame_def_default(void)
{
    return (tml_frame_def){.size = sizeof(tml_frame_def), .orientation = {1, 0, 0, 0}};
}

tml_beam_def tml_beam_def_default(void)
{
    return (tml_beam_def){.size = sizeof(tml_beam_def),
                          .length = NAN,
                          .orientation = {1, 0, 0, 0},
                          .elements = 4,
                          .order = 3,
                          .width = NAN,
                          .height = NAN,
                          .radius = NAN,
                          .inner_radius = NAN,
                          .web = NAN,
                          .flange = NAN,
                          .youngs_modulus = NAN,
                          .poisson = NAN,
                          .density = NAN,
                          .mass = NAN};
}

tml_modal_def tml_modal_def_default(void)
{
    return (tml_modal_def){.size = sizeof(tml_modal_def), .orientation = {1, 0, 0, 0}, .stiffening = true};
}

static tml_friction_def friction_default(void)
{
    return (tml_friction_def){.coulomb = NAN,
                              .static_force = NAN,
                              .coefficient = NAN,
                              .static_coefficient = NAN,
                              .load = NAN,
                              .radius = NAN,
                              .stribeck = NAN,
                              .bristle_stiffness = NAN,
                              .creep = NAN};
}

static tml_limits_def limits_default(void)
{
    return (tml_limits_def){.lower = NAN, .upper = NAN, .stiffness = NAN, .restitution = NAN};
}

tml_joint_def tml_joint_def_default(void)
{
    return (tml_joint_def){.size = sizeof(tml_joint_def),
                           .type = TML_JOINT_REVOLUTE,
                           .length = NAN,
                           .pitch = NAN,
                           .ratio = NAN,
                           .radius = NAN,
                           .angle = NAN,
                           .free = NAN,
                           .limits = limits_default(),
                           .friction = friction_default(),
                           .motor = {.limit = NAN}};
}

tml_road_def tml_road_def_default(void)
{
    return (tml_road_def){.size = sizeof(tml_road_def),
                          .direction = {1, 0, 0},
                          .diameter = NAN,
                          .height = NAN,
                          .amplitude = NAN,
                          .wavelength = NAN,
                          .waves = NAN,
                          .shortest = 0.35,
                          .longest = 90,
                          .seed = 1};
}

tml_force_def tml_force_def_default(void)
{
    return (tml_force_def){.size = sizeof(tml_force_def),
                           .type = TML_FORCE_SPRING,
                           .free = NAN,
                           .radius = NAN,
                           .contact = true,
                           .friction = friction_default(),
                           .limits = limits_default(),
                           .load = NAN,
                           .coefficient = NAN,
                           .longitudinal_stiffness = NAN,
                           .cornering_stiffness = NAN,
                           .longitudinal = {.B = NAN, .C = NAN, .D = NAN},
                           .lateral = {.B = NAN, .C = NAN, .D = NAN},
                           .longitudinal_relaxation = NAN,
                           .lateral_relaxation = NAN};
}

tml_shape_def tml_shape_def_default(void)
{
    return (tml_shape_def){.size = sizeof(tml_shape_def),
                           .rounding = NAN,
                           .repeat = 1,
                           .width = NAN,
                           .radius = NAN,
                           .length = NAN,
                           .normal = {0, 0, 1},
                           .axis = {0, 0, 1},
                           .youngs_modulus = NAN,
                           .poisson = 0.3,
                           .tube = NAN,
                           .scale = 1,
                           .opacity = 1};
}

tml_contact_def tml_contact_def_default(void)
{
    return (tml_contact_def){.size = sizeof(tml_contact_def),
                             .stiffness = NAN,
                             .exponent = NAN,
                             .damping = NAN,
                             .restitution = NAN,
                             .speed = NAN,
                             .friction = friction_default(),
                             .spin_creep = NAN};
}

tml_output_def tml_output_def_default(void) { return (tml_output_def){.size = sizeof(tml_output_def)}; }

tml_event_def tml_event_def_default(void) { return (tml_event_def){.size = sizeof(tml_event_def)}; }

tml_state_def tml_state_def_default(void)
{
    return (tml_state_def){.size = sizeof(tml_state_def), .scale = 1};
}

tml_input_def tml_input_def_default(void) { return (tml_input_def){.size = sizeof(tml_input_def)}; }

tml_table_def tml_table_def_default(void) { return (tml_table_def){.size = sizeof(tml_table_def)}; }

tml_run_def tml_run_def_default(void)
{
    return (tml_run_def){.size = sizeof(tml_run_def),
                         .end = 1,
                         .tol = 1e-4,
                         .rtol = NAN,
                         .atol = NAN,
                         .control_from = NAN,
                         .rho = NAN,
                         .alpha = NAN,
                         .threads = 1,
                         .index = 3,
                         .scaling = TML_SCALING_PHYSICAL,
                         .augment = 1,
                         .switches = true,
                         .repeat_steps = true};
}

tml_status tml_spec_create(const tml_env *env, tml_spec **out, tml_error *err)
{
    if (!out) return tmli_null_argument(err, "tml_spec_create");
    *out = NULL;
    tml_spec *spec = tmli_calloc(env, 1, sizeof *spec);
    if (!spec) return tmli_fail(err, TML_ERR_NOMEM, "No memory for a spec of %zu bytes.", sizeof *spec);
    if (env) spec->env = *env;
    spec->arena.env = &spec->env;
    spec->run = tml_run_def_default();
    *out = spec;
    return TML_OK;
}

void tml_spec_destroy(tml_spec *spec)
{
    if (!spec) return;
    const tml_env env = spec->env;
    tmli_names_destroy(spec);
    tmli_free_all(&env, spec->bodies, spec->frames, spec->beams, spec->modals, spec->joints, spec->roads,
                  spec->forces, spec->shapes, spec->contacts, spec->outputs, spec->events, spec->states,
                  spec->inputs, spec->tables);
    for (int i = 0; i < spec->nsources; i++) tmli_free(&env, (void *)(uintptr_t)spec->sources[i].text);
    tmli_free(&env, spec->sources);
    for (int i = 0; i < spec->nparts; i++) tml_part_destroy(spec->parts[i]);
    tmli_free_all(&env, (void *)spec->parts, (void *)spec->part_paths, (void *)spec->param_names,
                  spec->param_values, spec->notes);
    tmli_arena_clear(&spec->arena);
    tmli_free(&env, spec);
}

static tml_status add_source(tml_spec *spec, const tml_source *s, tml_error *err)
{
    const size_t count = (size_t)spec->nsources;
    const char *copy = tmli_arena_strdup(&spec->arena, s->path);
    tml_source *more = copy ? tmli_regrow(&spec->env, spec->sources, count, count + 1, sizeof *more) : NULL;
    if (!more) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the text of '%s'.", s->path);
    spec->sources = more;
    more[count] = *s;
    more[count].path = copy;
    spec->nsources++;
    return TML_OK;
}

tml_status tmli_spec_keep_source(tml_spec *spec, const char *path, char *bytes, size_t length, tml_error *err)
{
    const tml_status st = add_source(spec, &(tml_source){.path = path, .text = bytes, .length = length}, err);
    if (st != TML_OK) tmli_free(&spec->env, bytes);
    return st;
}

tml_status tmli_spec_keep_mesh(tml_spec *spec, const char *path, size_t length, uint64_t hash, tml_error *err)
{
    if (tmli_spec_find_source(spec, path, true)) return TML_OK;
    return add_source(spec, &(tml_source){.path = path, .length = length, .hash = hash}, err);
}

const tml_source *tmli_spec_find_source(const tml_spec *spec, const char *path, bool mesh)
{
    for (int i = 0; i < spec->nsources; i++)
        if (!spec->sources[i].text == mesh && strcmp(spec->sources[i].path, path) == 0)
            return &spec->sources[i];
    return NULL;
}

int tml_spec_source_count(const tml_spec *spec) { return spec ? spec->nsources : 0; }

const tml_source *tml_spec_source(const tml_spec *spec, int index)
{
    return spec && index >= 0 && index < spec->nsources ? &spec->sources[index] : NULL;
}

const char *tml_spec_text(const tml_spec *spec)
{
    return spec && spec->nsources > 0 ? spec->sources[0].text : NULL;
}

int tml_spec_parameter_count(const tml_spec *spec) { return spec ? spec->nparams : 0; }

const char *tml_spec_parameter_name(const tml_spec *spec, int index)
{
    return spec && index >= 0 && index < spec->nparams ? spec->param_names[index] : NULL;
}

double tml_spec_parameter_value(const tml_spec *spec, int index)
{
    return spec && index >= 0 && index < spec->nparams ? spec->param_values[index] : NAN;
}

tml_status tmli_spec_keep_part(tml_spec *spec, tml_part *part, const char *path, tml_error *err)
{
    const size_t count = (size_t)spec->nparts;
    tml_part **parts = tmli_regrow(&spec->env, (void *)spec->parts, count, count + 1, sizeof *parts);
    if (parts) spec->parts = parts;
    const char **paths = tmli_regrow(&spec->env, (void *)spec->part_paths, count, count + 1, sizeof *paths);
    if (paths) spec->part_paths = paths;
    const char *copy = tmli_arena_strdup(&spec->arena, path);
    if (!parts || !paths || !copy) {
        tml_part_destroy(part);
        return tmli_fail(err, TML_ERR_NOMEM, "No memory for a part.");
    }
    spec->part_paths[spec->nparts] = copy;
    spec->parts[spec->nparts++] = part;
    return TML_OK;
}

tml_status tmli_spec_add_note(tml_spec *spec, tml_mark at, const char *text, tml_error *err)
{
    const size_t count = (size_t)spec->nnotes;
    tml_note *more = spec->notes;
    if (count % 64 == 0) more = tmli_regrow(&spec->env, more, count, count + 64, sizeof *more);
    if (more) spec->notes = more;
    const tml_note note = {tmli_arena_strdup(&spec->arena, at.file ? at.file : ""), at.line, at.col,
                           tmli_arena_strdup(&spec->arena, text)};
    if (!more || !note.file || !note.text) return tmli_no_memory(err, "notes");
    spec->notes[spec->nnotes++] = note;
    return TML_OK;
}

int tml_spec_note_count(const tml_spec *spec) { return spec ? spec->nnotes : 0; }

const tml_note *tml_spec_note(const tml_spec *spec, int index)
{
    return spec && index >= 0 && index < spec->nnotes ? &spec->notes[index] : NULL;
}

tml_status tml_spec_set_title(tml_spec *spec, const char *title, tml_error *err)
{
    if (!spec) return tmli_null_argument(err, "tml_spec_set_title");
    const char *copy = tmli_arena_strdup(&spec->arena, title ? title : "");
    if (!copy) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the title.");
    spec->title = copy;
    return TML_OK;
}

void tml_spec_set_planar(tml_spec *spec, bool planar)
{
    if (spec) spec->planar = planar;
}

void tml_spec_set_gravity(tml_spec *spec, const double g[3])
{
    if (spec && g) memcpy(spec->gravity, g, sizeof spec->gravity);
}

const tml_run_def *tml_spec_run(const tml_spec *spec) { return spec ? &spec->run : NULL; }

tml_mark tmli_entry_mark(const tmli_entry *entry, const char *key)
{
    if (!entry) return (tml_mark){0};
    for (int i = 0; i < entry->nfields; i++)
        if (strcmp(entry->fields[i].key, key) == 0) return entry->fields[i].at;
    return entry->at;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

// Method, solver and channels are looked up when the run starts. If they are unchanged, their positions in
// the file stay valid.
tml_status tml_spec_set_run(tml_spec *spec, const tml_run_def *def, tml_error *err)
{
    if (!spec || !def) return tmli_null_argument(err, "tml_spec_set_run");
    const tml_run_def old = spec->run;
    const tmli_entry at = spec->run_at;
    const tml_status st = tmli_spec_set_run(spec, def, NULL, err);
    if (st == TML_OK && same_text(old.method, def->method) && same_text(old.solver, def->solver) &&
        same_text(old.record, def->record))
        spec->run_at = at;
    return st;
}
