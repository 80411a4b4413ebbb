// Simulations in archives: everything that later steps and outputs depend on, in memory or in a file.
//
// A simulation is loaded in two parts. The first items of the archive say what to create: the settings in
// use, method, solvers. The objects are created as at a start, but not started; then the same functions that
// wrote their fields read them.
#include "analysis/rank/dependence.h"
#include "base/archive.h"
#include "base/target.h"
#include "linalg/solver/archive.h"
#include "sim/loop.h"
#include "sim/rewind.h"
#include "spec/schema.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "sim/constants.h"

// ---- identity ---------------------------------------------------------------------------------------------

// FNV-1a over the names of all elements of one kind.
static long hash_names(const tml_model *m, int count, const char *(*name)(const tml_model *, int))
{
    uint32_t hash = 2166136261u;
    for (int i = 0; i < count; i++)
        for (const char *c = name(m, i); *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
    return (long)hash;
}

static void archive_names(const tml_model *m, const char *what, int count,
                          const char *(*name)(const tml_model *, int), tml_archive *a)
{
    long hash = hash_names(m, count, name);
    const long own = hash;
    tmli_archive_same(a, count, what);
    tml_archive_longs(a, &hash, 1);
    if (hash != own && tml_archive_status(a) == TML_OK)
        tmli_fail(&a->err, TML_ERR_ARG, "the saved simulation is of another model: its %s have other names",
                  what);
}

// The files of surfaces that touch: what they change cannot be seen before something touches there.
static void archive_surfaces(const tml_model *m, tml_archive *a)
{
    long count = 0;
    for (const tmli_surface *s = m->surfaces; s; s = s->next) count++;
    tmli_archive_same(a, count, "files of shapes that touch");
    for (const tmli_surface *s = m->surfaces; s && tml_archive_status(a) == TML_OK; s = s->next) {
        uint64_t hash = s->hash;
        tmli_archive_bytes(a, &hash, sizeof hash);
        if (hash != s->hash && tml_archive_status(a) == TML_OK)
            tmli_fail(
                &a->err, TML_ERR_ARG,
                "the saved simulation is of another model: the file '%.200s' of shape '%.80s' has changed "
                "since; put it back as it was, or begin anew",
                s->file, s->shape);
    }
}

// What the model and the archive must have in common.
static void archive_identity(const tml_sim *sim, tml_archive *a)
{
    const tml_system *s = sim->sys;
    const tml_model *m = sim->model;
    tmli_archive_mark(a, "simulation");
    tmli_archive_same(a, m != NULL, "models");
    tmli_archive_same(a, s->n, "velocity coordinates");
    tmli_archive_same(a, s->m, "constraint rows");
    tmli_archive_same(a, s->nq, "position coordinates");
    tmli_archive_same(a, s->na, "counted angles");
    tmli_archive_same(a, s->nz, "first-order states");
    tmli_archive_same(a, s->ninput, "inputs");
    tmli_archive_same(a, s->nmode, "discontinuities");
    tmli_archive_same(a, s->pattern->colptr[s->pattern->n], "entries in its matrix");
    if (!m) return;
    archive_names(m, "bodies", tml_model_body_count(m), tml_model_body_name, a);
    archive_names(m, "joints", tml_model_joint_count(m), tml_model_joint_name, a);
    archive_names(m, "forces", tml_model_force_count(m), tml_model_force_name, a);
    tmli_archive_same(a, m->nevents, "events");
    tmli_archive_same(a, m->noutputs, "outputs");
    archive_surfaces(m, a);
    double origin[3];
    memcpy(origin, s->origin, sizeof origin);
    tml_archive_doubles(a, origin, 3);
    if (memcmp(origin, s->origin, sizeof origin) != 0 && tml_archive_status(a) == TML_OK)
        tmli_fail(&a->err, TML_ERR_ARG, "the saved simulation is of another model: it stands elsewhere");
}

static double largest(const double *x, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// The equations at the state x, sim->scratch: forces and inertia tell whether parameters have changed. What
// another build changes by round-off is allowed.
static void archive_equations(const tml_sim *sim, tml_archive *a)
{
    const tml_system *s = sim->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m, count = 4 * n + m;
    double *own = tmli_calloc(&sim->env, 2 * count, sizeof *own);
    if (!own) {
        tml_archive_fail(a, TML_ERR_NOMEM, "simulation: memory is exhausted");
        return;
    }
    double *const found = own + count, *const d = own + n + m;
    const bool known =
        s->ops->dynamics(s->self, sim->work, sim->scratch, own, own + n, NULL) == TML_OK &&
        s->ops->diagonals(s->self, sim->work, sim->scratch, d, d + n, d + 2 * n, NULL) == TML_OK;
    memcpy(found, own, count * sizeof *own);
    tml_archive_doubles(a, found, count);
    const size_t begin[] = {0, n, n + m, 2 * n + m, 3 * n + m, count};
    for (int part = 0; part < 5 && known && tml_archive_status(a) == TML_OK; part++) {
        const size_t length = begin[part + 1] - begin[part];
        const double scale = largest(own + begin[part], length);
        for (size_t i = begin[part]; i < begin[part + 1]; i++)
            if (fabs(own[i] - found[i]) > SAME_EQUATIONS * scale)
                tml_archive_fail(a, TML_ERR_ARG,
                                 "the saved simulation is of another model: forces or masses differ");
    }
    tmli_free(&sim->env, own);
}

// ---- settings ---------------------------------------------------------------------------------------------

// A text of any length; NULL is written as an empty one.
static void archive_name(tml_sim *sim, const char **name, tml_archive *a)
{
    const bool reading = tml_archive_reading(a);
    const size_t most = reading ? tmli_archive_rest(a) : INT_MAX;
    int length = !reading && *name ? (int)strlen(*name) : 0;
    tml_archive_indices(a, &length, 1, 0, most < INT_MAX ? (int)most : INT_MAX);
    if (tml_archive_status(a) != TML_OK) return;
    char none[1] = "", *text = none;
    if (reading) text = tmli_arena_alloc(&sim->arena, (size_t)length + 1, 1);
    else if (*name) text = (char *)(uintptr_t)*name;  // writing does not change it
    if (text) tml_archive_text(a, text, (size_t)length + 1);
    else tml_archive_fail(a, TML_ERR_NOMEM, "simulation: memory is exhausted");
    if (reading) *name = text && text[0] ? text : NULL;
}

static void archive_choice(const tmli_key_choice *choices, int *value, tml_archive *a)
{
    int most = 0;
    for (const tmli_key_choice *c = choices; c->name; c++) most = c->value > most ? c->value : most;
    tml_archive_indices(a, value, 1, 0, most);
}

static void archive_keys(tml_sim *sim, const tmli_schema *schema, void *def, tml_archive *a);

static void archive_key(tml_sim *sim, const tmli_field *f, char *def, tml_archive *a)
{
    void *at = def + f->offset;
    switch (f->kind) {
    case TMLI_FIELD_NUMBER:
    case TMLI_FIELD_AUGMENT: tml_archive_doubles(a, at, 1); return;
    case TMLI_FIELD_INTEGER: tml_archive_ints(a, at, 1); return;
    case TMLI_FIELD_BOOL: tml_archive_bools(a, at, 1); return;
    case TMLI_FIELD_CHOICE: archive_choice(f->choices, at, a); return;
    case TMLI_FIELD_SCALING:
        archive_choice(f->choices, at, a);
        archive_keys(sim, f->sub, def + f->flag, a);
        return;
    case TMLI_FIELD_TEXT:
    case TMLI_FIELD_WORD: archive_name(sim, at, a); return;
    default: tml_archive_fail(a, TML_ERR_ARG, "a setting of this kind cannot be saved"); return;
    }
}

static void archive_keys(tml_sim *sim, const tmli_schema *schema, void *def, tml_archive *a)
{
    for (int i = 0; i < schema->nfields; i++) archive_key(sim, &schema->fields[i], def, a);
}

// All keys of the block `run`, by its schema, and the settings that are no keys (tests/sim/test_save.c counts
// the bytes of the definition).
static void archive_settings(tml_sim *sim, tml_archive *a)
{
    tml_run_def *r = &sim->run;
    archive_keys(sim, &tmli_schema_run, r, a);
    tml_archive_bools(a, &r->report, 1);
    tml_archive_bools(a, &sim->fully_driven, 1);
    if (tml_archive_reading(a)) r->size = sizeof *r;
}

// ---- what to create ---------------------------------------------------------------------------------------

static const tml_linsolver_ops *archive_solver(tml_sim *sim, const tml_linsolver_ops *solver, tml_archive *a)
{
    const char *name = solver ? solver->name : NULL;
    archive_name(sim, &name, a);
    if (!tml_archive_reading(a)) return solver;
    solver = name ? tml_linsolver_find(name) : NULL;
    if (name && !solver)
        tml_archive_fail(a, TML_ERR_ARG, "the saved simulation has an unknown linear solver");
    return solver;
}

static tml_status create_integrator(tml_sim *sim, const tml_method_ops *given, const char *name,
                                    tml_error *err)
{
    sim->method = given && strcmp(given->name, name) == 0 ? given : tml_method_find(name);
    if (!sim->method)
        return tmli_fail(err, TML_ERR_ARG,
                         "the saved simulation has the method '%s', which is not known here", name);
    return tmli_sim_create_method(sim, NULL, &sim->driver, err);
}

// The solver of the start is kept when the choice of a method changes sim->solver.
static tml_status create_consistent(tml_sim *sim, const tml_linsolver_ops *solver, tml_error *err)
{
    const tml_linsolver_ops *own = sim->solver;
    sim->solver = solver;
    const tml_status st = tmli_sim_create_consistent(sim, err);
    sim->solver = own;
    return st;
}

// Method, solvers and parts that depend on the motion so far. Writing, it only stores which there are.
static void archive_parts(tml_sim *sim, const tml_method_ops *given, tml_archive *a)
{
    const bool reading = tml_archive_reading(a);
    tml_error err = {0};
    const char *name = sim->method ? sim->method->name : NULL;
    bool massless = sim->massless_motion != NULL;
    archive_name(sim, &name, a);
    sim->solver = archive_solver(sim, sim->solver, a);
    const tml_linsolver_ops *start = archive_solver(sim, sim->consistent.matrix.solver, a),
                            *output = archive_solver(sim, sim->output_projection.matrix.solver, a),
                            *norm = archive_solver(sim, sim->minimum_norm.matrix.solver, a);
    tml_archive_bools(a, &massless, 1);
    tml_archive_bools(a, &sim->auto_method, 1);
    tml_archive_bools(a, &sim->auto_kinematics, 1);
    if (!reading || tml_archive_status(a) != TML_OK) return;
    tml_status st = name && sim->solver && start
                        ? create_consistent(sim, start, &err)
                        : tmli_fail(&err, TML_ERR_IO, "the saved simulation names no method or solver");
    if (st == TML_OK && massless)
        st = tmli_massless_motion_create(sim->sys, sim->work, sim->scratch, &sim->massless_motion, &err);
    if (st == TML_OK) st = create_integrator(sim, given, name, &err);
    if (st == TML_OK && output)
        st = tmli_consistent_create_redundant(sim->sys, output, &sim->output_projection, &err);
    if (st == TML_OK && norm) st = tmli_minimum_norm_create(sim->sys, norm, &sim->minimum_norm, &err);
    if (st == TML_OK && sim->model) st = tmli_sim_build_channels(sim, &err);
    if (st != TML_OK) tml_archive_fail(a, st, err.msg);
}

// ---- fields -----------------------------------------------------------------------------------------------

// Which reactions are unique, and the sentences about those that are not.
static void archive_reactions(tml_sim *sim, tml_archive *a)
{
    tml_sim_report *r = &sim->report;
    for (int i = 0; i < sim->nchannels; i++) {
        int k = 0;
        for (int w = 0; w < 3 && !tml_archive_reading(a); w++)
            if (sim->channel[i].determined == tmli_reaction_words[w]) k = w + 1;
        tml_archive_indices(a, &k, 1, 0, 3);
        sim->channel[i].determined = k > 0 ? tmli_reaction_words[k - 1] : NULL;
    }
    tml_archive_indices(a, &r->sentence_count, 1, 0, sim->sys->m);
    if (tml_archive_status(a) != TML_OK) return;
    const char **list = (const char **)(uintptr_t)r->sentences;
    if (tml_archive_reading(a))
        r->sentences = list = tmli_arena_alloc(&sim->arena, (size_t)r->sentence_count + 1, sizeof *list);
    for (int i = 0; i < r->sentence_count && list; i++) {
        char text[1024] = "";
        if (!tml_archive_reading(a)) strncpy(text, list[i], sizeof text - 1);
        tml_archive_text(a, text, sizeof text);
        if (tml_archive_reading(a) && !(list[i] = tmli_arena_strdup(&sim->arena, text))) list = NULL;
    }
    if (!list && r->sentence_count > 0) tml_archive_fail(a, TML_ERR_NOMEM, "simulation: memory is exhausted");
}

static void archive_report(tml_sim *sim, tml_archive *a)
{
    tml_sim_report *r = &sim->report;
    double *const numbers[] = {&r->position_residual, &r->velocity_residual, &r->energy_start,
                               &r->kinetic,           &r->potential,         &r->dissipated,
                               &r->energy_error,      &r->energy_scale,      &r->wall_seconds,
                               &r->impact_loss,       &r->supplied,          &r->contact_loss};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) tml_archive_doubles(a, numbers[i], 1);
    tml_archive_indices(a, &r->position_row, 1, -1, sim->sys->m);
    tml_archive_longs(a, &r->impact_count, 1);
    tml_archive_text(a, sim->reason, sizeof sim->reason);
    int event = -1;
    for (int i = 0; sim->model && i < sim->model->nevents; i++)
        if (r->event == sim->model->event[i].name) event = i;
    tml_archive_indices(a, &event, 1, -1, sim->model ? sim->model->nevents - 1 : -1);
    r->event = event >= 0 && sim->model ? sim->model->event[event].name : NULL;
    r->method = sim->driver.method->name;
    r->solver = sim->solver->name;
    r->reason = sim->reason[0] ? sim->reason : NULL;
}

static void archive_fields(tml_sim *sim, tml_archive *a)
{
    const size_t n = (size_t)sim->sys->n;
    double *const numbers[] = {&sim->t_start,           &sim->output_supplied, &sim->output_lost,
                               &sim->dissipated,        &sim->t_reached,       &sim->last_step,
                               &sim->last_step_used,    &sim->run_next,        &sim->run_written,
                               &sim->output_dissipated, &sim->work_before};
    bool *const flags[] = {&sim->quintic_known,     &sim->many_nodes, &sim->moving,
                           &sim->restart_pending,   &sim->run_open,   &sim->event_known,
                           &sim->outputs_set_inputs};
    tmli_driver_archive(&sim->driver, a);
    tmli_consistent_archive(&sim->consistent, a);
    if (sim->output_projection.sys) tmli_consistent_archive(&sim->output_projection, a);
    if (sim->minimum_norm.sys) tmli_minimum_norm_archive(&sim->minimum_norm, a);
    if (sim->relaxation.filter.sys) tmli_relaxation_archive(&sim->relaxation, a);
    if (sim->actuators) tmli_sim_archive_actuators(sim, a);
    tmli_discontinuities_archive(&sim->discontinuities, a);
    tml_state_archive(sim->branch_end, a);
    if (sim->branch_end_located) tml_state_archive(sim->branch_end_located, a);
    tml_state_archive(sim->out, a);
    tml_state_archive(sim->step_start, a);
    tml_archive_doubles(a, sim->quintic, 6 * n);
    for (int k = 0; k < TMLI_POWERS; k++) tml_archive_doubles(a, sim->node_power[k], TMLI_POWER_VALUES);
    tml_archive_indices(a, &sim->power_parts, 1, 1, TMLI_POWER_PARTS);
    tml_archive_doubles(a, sim->power_end, TMLI_POWER_PARTS + 1);
    tml_archive_doubles(a, sim->power_last, TMLI_POWERS);
    tml_archive_doubles(a, sim->part, TMLI_POWERS);
    tml_archive_doubles(a, sim->part_before, TMLI_POWERS);
    tml_archive_doubles(a, sim->output_residual, 2);
    tml_archive_doubles(a, sim->residual_of, 2);
    tml_archive_doubles(a, &sim->open.size, 1);
    tml_archive_indices(a, &sim->open.row, 1, -1, sim->sys->m - 1);
    if (sim->model) tml_archive_doubles(a, sim->impulse_sum, (size_t)sim->nimpulses);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) tml_archive_doubles(a, numbers[i], 1);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) tml_archive_bools(a, flags[i], 1);
    tml_archive_indices(a, &sim->event_pending, 1, -1, sim->model ? sim->model->nevents - 1 : -1);
    tml_archive_doubles(a, sim->input, 2 * (size_t)sim->sys->ninput);
    tmli_archive_bool(a, &sim->inputs_pending);
    tml_archive_doubles(a, sim->event_last, sim->model ? (size_t)sim->model->nevents : 0);
    tml_counters_archive(&sim->earlier_counters, a);
    tml_archive_longs(a, &sim->progress.steps, 1);
    tml_archive_doubles(a, &sim->progress.t, 1);
    tml_archive_ints(a, &sim->progress.slow_checks, 1);
    tml_archive_ints(a, &sim->progress.long_checks, 1);
    tml_archive_bools(a, &sim->progress.warned, 1);
    archive_report(sim, a);
}

// ---- saving -----------------------------------------------------------------------------------------------

static tml_status write_archive(const tml_sim *constant, tml_archive *a, tml_error *err)
{
    tml_sim *sim = (tml_sim *)(uintptr_t)constant;  // fields are only read
    if (sim->in_output)
        return tmli_fail(err, TML_ERR_ARG,
                         "a simulation cannot be saved while it calls on_output: save it in on_step");
    tml_status st = tmli_archive_begin(a, &sim->env, err);
    if (st != TML_OK) return st;
    archive_identity(sim, a);
    tml_state_copy(sim->scratch, tmli_sim_state(sim));
    archive_settings(sim, a);
    tml_state_archive(sim->scratch, a);
    archive_equations(sim, a);
    archive_parts(sim, NULL, a);
    archive_fields(sim, a);
    if (sim->model) archive_reactions(sim, a);
    return tmli_archive_end(a, err);
}

static tml_status write_alone(const tml_sim *sim, const char *call, tml_archive *a, tml_error *err)
{
    bool first;
    tml_status st = tmli_sim_enter(sim, call, &first, err);
    if (st == TML_OK) st = write_archive(sim, a, err);
    tmli_sim_leave(sim, first);
    return st;
}

tml_status tml_sim_save(const tml_sim *sim, const char *path, tml_error *err)
{
    if (!sim || !path) return tmli_null_argument(err, "tml_sim_save");
    tml_archive a = {0};
    tml_status st = write_alone(sim, "tml_sim_save", &a, err);
    if (st == TML_OK) st = tmli_file_write(path, a.data, a.size, true, &sim->env, err);
    tmli_archive_clear(&a);
    return st;
}

tml_status tml_sim_save_memory(const tml_sim *sim, void *data, size_t capacity, size_t *size, tml_error *err)
{
    if (size) *size = 0;
    if (!sim || !size) return tmli_null_argument(err, "tml_sim_save_memory");
    tml_archive a = {0};
    tml_status st = write_alone(sim, "tml_sim_save_memory", &a, err);
    if (st == TML_OK) *size = a.size;
    if (st == TML_OK && data && capacity < a.size)
        st = tmli_fail(err, TML_ERR_ARG, "the saved simulation needs %zu bytes, there are %zu", a.size,
                       capacity);
    if (st == TML_OK && data) memcpy(data, a.data, a.size);
    tmli_archive_clear(&a);
    return st;
}

// ---- loading ----------------------------------------------------------------------------------------------

static tml_status read_archive(const tml_sim_def *def, tml_archive *a, tml_sim **out, tml_error *err)
{
    const tml_run_def defaults = tml_run_def_default();
    tml_sim *sim = NULL;
    tml_status st = tmli_sim_allocate(def, &defaults, &sim, err);
    *out = sim;
    if (st != TML_OK) return st;
    archive_identity(sim, a);
    if (tml_archive_status(a) == TML_OK) archive_settings(sim, a);
    if (tml_archive_status(a) == TML_OK) {
        st = tmli_sim_create_parts(sim, err);
        if (st != TML_OK) return st;
        tml_state_archive(sim->scratch, a);
    }
    if (tml_archive_status(a) == TML_OK) archive_equations(sim, a);
    if (tml_archive_status(a) == TML_OK) archive_parts(sim, def->method, a);
    if (tml_archive_status(a) == TML_OK) archive_fields(sim, a);
    if (tml_archive_status(a) == TML_OK && sim->model) archive_reactions(sim, a);
    return tmli_archive_close(a, err);
}

tml_status tml_sim_load_memory(const tml_sim_def *def, const void *data, size_t size, tml_sim **out,
                               tml_error *err)
{
    if (out) *out = NULL;
    if (!def || !data || !out || !(def->model || def->system)) return tmli_null_argument(err, "tml_sim_load");
    tml_archive a = {0};
    tml_sim *sim = NULL;
    tml_status st = tmli_archive_open(&a, data, size, err);
    if (st == TML_OK) st = read_archive(def, &a, &sim, err);
    if (st == TML_OK) *out = sim;
    else tml_sim_destroy(sim);
    return st;
}

tml_status tml_sim_load_def(const tml_sim_def *def, const char *path, tml_sim **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!def || !path || !out) return tmli_null_argument(err, "tml_sim_load");
    unsigned char *data = NULL;
    size_t size = 0;
    const tml_env *env = def->model ? &def->model->env : NULL;
    tml_status st = tmli_file_read(path, env, &data, &size, err);
    if (st == TML_OK) st = tml_sim_load_memory(def, data, size, out, err);
    tmli_free(env, data);
    if (st != TML_OK && err && data && !err->file[0]) {
        const size_t length = strlen(path);
        memcpy(err->file, path + (length < sizeof err->file ? 0 : length - sizeof err->file + 1),
               length < sizeof err->file ? length + 1 : sizeof err->file);
    }
    return st;
}

tml_status tml_sim_load(const tml_model *model, const char *path, tml_sim **out, tml_error *err)
{
    const tml_sim_def def = {.size = sizeof def, .model = model};
    return tml_sim_load_def(model ? &def : NULL, path, out, err);
}

// ---- back to a mark, in place -----------------------------------------------------------------------------

static tml_status mark_fields(tml_sim *sim, tmli_sim_mark *m, tml_error *err)
{
    tml_archive a = {0};
    tml_status st = tmli_archive_begin(&a, &m->env, err);
    if (st != TML_OK) return st;
    archive_fields(sim, &a);
    st = tmli_archive_end(&a, err);
    m->fields = a.data;
    m->fields_size = a.size;
    return st;
}

tml_status tmli_sim_mark_create(const tml_sim *sim, tmli_sim_mark *out, tml_error *err)
{
    *out = (tmli_sim_mark){.env = sim->env, .method = sim->driver.method, .solver = sim->solver};
    tml_status st = mark_fields((tml_sim *)(uintptr_t)sim, out, err);  // fields are only read
    if (st == TML_OK) st = tml_sim_save_memory(sim, NULL, 0, &out->whole_size, err);
    if (st != TML_OK) return st;
    out->whole = tmli_calloc(&out->env, out->whole_size, 1);
    if (!out->whole) return tmli_no_memory(err, "simulation");
    return tml_sim_save_memory(sim, out->whole, out->whole_size, &out->whole_size, err);
}

void tmli_sim_mark_clear(tmli_sim_mark *m)
{
    tmli_free_all(&m->env, m->fields, m->whole);
    *m = (tmli_sim_mark){0};
}

tml_status tmli_sim_rewind(tml_sim **sim, const tmli_sim_mark *m, tml_error *err)
{
    tml_sim *now = *sim;
    if (now && now->driver.method == m->method && now->solver == m->solver) {
        tml_archive a = {0};
        const tml_status st = tmli_archive_open(&a, m->fields, m->fields_size, err);
        if (st == TML_OK) archive_fields(now, &a);
        return st == TML_OK ? tmli_archive_close(&a, err) : st;
    }
    const tml_sim_def def = {.size = sizeof def, .model = now->model, .system = now->model ? NULL : now->sys};
    tml_sim *loaded = NULL;
    const tml_status st = tml_sim_load_memory(&def, m->whole, m->whole_size, &loaded, err);
    if (st != TML_OK) return st;
    tml_sim_destroy(now);
    *sim = loaded;
    return TML_OK;
}
