// A unit of co-simulation: variables, model, steps; see unit.h.
#include "fmu/unit/unit.h"

#include <math.h>
#include <string.h>

// ---- memory -----------------------------------------------------------------------------------------------

tml_status tmli_fmu_open(const char *folder, const char *token, const tml_env *env, tmli_fmu **out,
                         tml_error *err)
{
    *out = NULL;
    tmli_fmu *f = tmli_calloc(env, 1, sizeof *f);
    if (!f) return tmli_no_memory(err, "unit");
    f->env = *env;
    f->list.arena.env = &f->env;
    tml_status st = tmli_fmu_list_read(&f->list, folder, err);
    if (st == TML_OK && strcmp(token, f->list.token) != 0)
        st = tmli_fail(err, TML_ERR_ARG, "The unit is another one than the importer has read: %s, not %.80s.",
                       f->list.token, token);
    tmli_arena *arena = &f->list.arena;
    if (st == TML_OK) {
        if (!tmli_arena_alloc_all(arena, TMLI_ARRAY(f->input, (size_t)f->list.inputs + 1),
                                  TMLI_ARRAY(f->parameter, (size_t)f->list.parameters + 1),
                                  TMLI_ARRAY(f->channel, (size_t)f->list.outputs + 1),
                                  TMLI_ARRAY(f->motion, (size_t)f->list.outputs + 1),
                                  TMLI_ARRAY(f->slot, (size_t)f->list.outputs + 1),
                                  TMLI_ARRAY(f->motion_value, (size_t)f->list.outputs + 1)))
            st = tmli_no_memory(err, "unit");
    }
    if (st != TML_OK) {
        tmli_fmu_close(f);
        return st;
    }
    tmli_fmu_reset(f);
    *out = f;
    return TML_OK;
}

void tmli_fmu_drop(tmli_fmu *f)
{
    if (f->sim) tml_state_destroy(f->state, tml_sim_system(f->sim));
    tmli_free(&f->env, f->channel_value);
    tml_sim_destroy(f->sim);
    tml_model_destroy(f->model);
    f->state = NULL;
    f->channel_value = NULL;
    f->sim = NULL;
    f->model = NULL;
    f->known = f->moved = false;
}

void tmli_fmu_reset(tmli_fmu *f)
{
    tmli_fmu_drop(f);
    f->start = f->stop = f->tolerance = NAN;
    f->running = f->stale = false;
    memset(f->input, 0, (size_t)f->list.inputs * sizeof *f->input);
    memset(f->parameter, 0, (size_t)f->list.parameters * sizeof *f->parameter);
}

void tmli_fmu_close(tmli_fmu *f)
{
    if (!f) return;
    tmli_fmu_drop(f);
    tmli_fmu_list_clear(&f->list);
    const tml_env env = f->env;
    tmli_free(&env, f);
}

// ---- the model --------------------------------------------------------------------------------------------

tml_status tmli_fmu_build_model(const tmli_fmu *f, const tmli_fmu_parameter *parameter, tml_model **out,
                                double *values, tml_error *err)
{
    const tmli_fmu_list *l = &f->list;
    tmli_arena scratch = {.env = &f->env};
    tml_parameter *set = tmli_arena_alloc(&scratch, (size_t)l->parameters + 1, sizeof *set);
    tml_read_def def = tml_read_def_default();
    tml_status st = set ? TML_OK : tmli_no_memory(err, "unit");
    for (int i = 0; i < l->parameters && st == TML_OK; i++) {
        char digits[32];
        const char *text = parameter[i].given ? tmli_dtoa(parameter[i].value, digits) : l->set[i];
        if (!text) continue;
        set[def.parameter_count] = (tml_parameter){l->parameter[i], tmli_arena_strdup(&scratch, text)};
        if (!set[def.parameter_count++].text) st = tmli_no_memory(err, "unit");
    }
    def.path = l->source[0].path;
    def.sources = l->source;
    def.source_count = l->sources;
    def.parameters = set;
    tml_spec *spec = NULL;
    *out = NULL;
    if (st == TML_OK) st = tml_spec_read_def(&def, &f->env, &spec, err);
    if (st == TML_OK) st = tml_model_build(spec, out, err);
    for (int i = 0; i < l->parameters && st == TML_OK; i++) values[i] = tml_spec_parameter_value(spec, i);
    tml_spec_destroy(spec);
    tmli_arena_clear(&scratch);
    return st;
}

// Indices of the outputs in the channels of a simulation.
static tml_status find_channels(const tmli_fmu *f, const tml_sim *sim, int *channel, tml_error *err)
{
    if (tml_model_input_count(tml_sim_model(sim)) != f->list.inputs)
        return tmli_fail(err, TML_ERR_NAME, "The model has other inputs than the list of the unit.");
    for (int i = 0; i < f->list.outputs; i++) {
        channel[i] = tml_sim_channel_index(sim, f->list.output[i], err);
        if (channel[i] < 0) return TML_ERR_NAME;  // parameters have changed what there is
    }
    return TML_OK;
}

tml_status tmli_fmu_take(tmli_fmu *f, tml_model *model, tml_sim *sim, tml_error *err)
{
    const size_t outputs = (size_t)f->list.outputs;
    int *channel = tmli_calloc(&f->env, outputs + 1, sizeof *channel);
    double *value = tmli_calloc(&f->env, (size_t)tml_sim_channel_count(sim) + 1, sizeof *value);
    tml_state *state = NULL;
    tml_status st = channel && value ? find_channels(f, sim, channel, err) : tmli_no_memory(err, "unit");
    if (st == TML_OK) st = tml_state_create(tml_sim_system(sim), &state, err);
    if (st == TML_OK) {
        tml_model *const own = model ? model : f->model;
        if (!model) f->model = NULL;  // it stays
        tmli_fmu_drop(f);
        f->model = own;
        f->sim = sim;
        f->state = state;
        f->channel_value = value;
        memcpy(f->channel, channel, outputs * sizeof *channel);
        f->stale = false;
        f->motions = 0;
        for (int i = 0; i < f->list.outputs; i++) {
            f->slot[i] = tml_sim_channel_is_motion(sim, channel[i]) ? f->motions++ : -1;
            if (f->slot[i] >= 0) f->motion[f->slot[i]] = channel[i];
        }
    } else tmli_free(&f->env, value);
    tmli_free(&f->env, channel);
    return st;
}

// The settings of the model with those of the experiment. A tolerance of the importer takes the place of that
// of the model; others that the model gives keep their ratio to it.
static tml_run_def settings(const tmli_fmu *f, const tml_model *model)
{
    tml_run_def run = *tml_model_run(model);
    const double span = run.end - run.start;
    if (!isnan(f->start)) run.start = f->start;
    run.end = !isnan(f->stop) && f->stop > run.start ? f->stop : run.start + span;
    if (!isnan(f->tolerance)) {
        const double ratio = f->tolerance / run.tol;
        run.tol = f->tolerance;
        run.rtol *= ratio;  // NAN: tol
        run.atol *= ratio;
    }
    if (f->running && f->sim) {  // goes on where it is
        run.start = tml_sim_time(f->sim);
        run.begin = TML_BEGIN_GIVEN;
        if (!(run.end > run.start)) run.end = run.start + span;
    }
    return run;
}

// At the start inputs act from the first instant on: accelerations and forces there follow from them.
static tml_status start_inputs(const tmli_fmu *f, tml_sim *sim, tml_error *err)
{
    tml_state *x = NULL;
    bool other = false;
    tml_status st = tml_state_create(tml_sim_system(sim), &x, err);
    if (st != TML_OK) return st;
    tml_state_copy(x, tml_sim_state(sim));
    x->input_t = x->t;
    for (int i = 0; i < f->list.inputs; i++) {
        const tmli_fmu_input *in = &f->input[i];
        if (!in->given) continue;
        other |= in->value != tml_sim_input(sim, i) || in->rate != 0;
        x->input[2 * i] = in->value;
        x->input[2 * i + 1] = in->rate;
    }
    if (other && tml_sim_settings(sim)->begin != TML_BEGIN_GIVEN)
        tmli_log(&f->env, TML_LOG_WARNING,
                 "The run begins in the equilibrium under the inputs of the model file, not under those that "
                 "were set.");
    if (other) st = tml_sim_restart(sim, x, err);
    tml_state_destroy(x, tml_sim_system(sim));
    return st;
}

static tml_status build(tmli_fmu *f, tml_error *err)
{
    tml_model *model = NULL;
    tml_sim_def def = tml_sim_def_default();
    tml_sim *sim = NULL;
    double *values = tmli_calloc(&f->env, (size_t)f->list.parameters + 1, sizeof *values);
    tml_status st = values ? TML_OK : tmli_no_memory(err, "unit");
    if (st == TML_OK) st = tmli_fmu_build_model(f, f->parameter, &model, values, err);
    if (st == TML_OK) {
        const tml_run_def run = settings(f, model);
        def.model = model;
        def.run = &run;
        def.x0 = f->running && f->sim ? tml_sim_state(f->sim) : NULL;
        st = tml_sim_create_def(&def, &sim, err);
    }
    if (st == TML_OK) st = start_inputs(f, sim, err);
    if (st == TML_OK) st = tmli_fmu_take(f, model, sim, err);
    if (st == TML_OK) {
        for (int i = 0; i < f->list.parameters; i++) f->parameter[i].value = values[i];
        for (int i = 0; i < f->list.inputs; i++) f->input[i].changed = false;
    } else {
        tml_sim_destroy(sim);
        tml_model_destroy(model);
    }
    tmli_free(&f->env, values);
    return st;
}

tml_status tmli_fmu_ready(tmli_fmu *f, tml_error *err)
{
    bool changed = false;
    for (int i = 0; i < f->list.inputs; i++) changed |= f->input[i].changed;
    if (!f->sim || f->stale || (changed && !f->running)) return build(f, err);
    tml_status st = TML_OK;
    for (int i = 0; i < f->list.inputs && st == TML_OK; i++) {
        if (!f->input[i].changed) continue;
        st = tml_sim_set_input(f->sim, i, f->input[i].value, f->input[i].rate, err);
        f->input[i].changed = st != TML_OK;
    }
    return st;
}

// ---- variables --------------------------------------------------------------------------------------------

static tmli_fmu_kind find(const tmli_fmu *f, unsigned reference, int *index)
{
    const unsigned inputs = (unsigned)f->list.inputs, outputs = (unsigned)f->list.outputs,
                   parameters = (unsigned)f->list.parameters;
    unsigned i = reference;
    *index = 0;
    if (i == 0) return TMLI_FMU_TIME;
    i--;
    *index = (int)i;
    if (i < inputs) return TMLI_FMU_INPUT;
    i -= inputs;
    *index = (int)i;
    if (i < outputs) return TMLI_FMU_OUTPUT;
    i -= outputs;
    *index = (int)i;
    return i < parameters ? TMLI_FMU_PARAMETER : TMLI_FMU_NONE;
}

double tmli_fmu_time(const tmli_fmu *f) { return f->sim ? tml_sim_time(f->sim) : f->start; }

static double value_of(const tmli_fmu *f, tmli_fmu_kind kind, int index)
{
    if (kind == TMLI_FMU_TIME) return tmli_fmu_time(f);
    if (kind == TMLI_FMU_PARAMETER) return f->parameter[index].value;
    return tml_sim_input(f->sim, index);
}

// The values of all channels at the present time, as in the rows of a run: of the state on the constraints,
// with its reactions. Reading one channel brings the work of forces up to this time.
static tml_status find_values(tmli_fmu *f, tml_error *err)
{
    const int work = tml_sim_channel_index(f->sim, "energy.dissipated", NULL);
    tml_status st = TML_OK;
    if (f->known) return TML_OK;
    if (work >= 0) st = tml_sim_read(f->sim, &work, 1, f->channel_value, err);
    if (st == TML_OK) st = tml_sim_state_at(f->sim, tml_sim_time(f->sim), f->state, err);
    if (st == TML_OK) st = tml_sim_channel_values(f->sim, f->state, f->channel_value, err);
    f->known = st == TML_OK;
    return st;
}

// Positions and velocities are those of the last step; other channels take a projection, as much as a step.
static tml_status find_motion(tmli_fmu *f, tml_error *err)
{
    if (f->moved) return TML_OK;
    const tml_status st = tml_sim_read(f->sim, f->motion, f->motions, f->motion_value, err);
    f->moved = st == TML_OK;
    return st;
}

static tml_status get_output(tmli_fmu *f, int index, double *out, tml_error *err)
{
    const int slot = f->slot[index];
    const tml_status st = slot >= 0 ? find_motion(f, err) : find_values(f, err);
    if (st == TML_OK) *out = slot >= 0 ? f->motion_value[slot] : f->channel_value[f->channel[index]];
    return st;
}

tml_status tmli_fmu_get(tmli_fmu *f, const unsigned *references, size_t count, double *out, tml_error *err)
{
    int index;
    for (size_t i = 0; i < count; i++)
        if (find(f, references[i], &index) == TMLI_FMU_NONE)
            return tmli_fail(err, TML_ERR_NAME, "There is no variable with the reference %u.", references[i]);
    tml_status st = tmli_fmu_ready(f, err);
    for (size_t i = 0; i < count && st == TML_OK; i++) {
        const tmli_fmu_kind kind = find(f, references[i], &index);
        if (kind == TMLI_FMU_OUTPUT) st = get_output(f, index, &out[i], err);
        else out[i] = value_of(f, kind, index);
    }
    return st;
}

static tml_status check_set(const tmli_fmu *f, const unsigned *references, size_t count, const double *values,
                            bool rates, tml_error *err)
{
    for (size_t i = 0; i < count; i++) {
        int index;
        const tmli_fmu_kind kind = find(f, references[i], &index);
        if (kind == TMLI_FMU_NONE)
            return tmli_fail(err, TML_ERR_NAME, "There is no variable with the reference %u.", references[i]);
        if (kind == TMLI_FMU_TIME)
            return tmli_fail(err, TML_ERR_NAME, "The time cannot be set: steps advance it.");
        if (kind == TMLI_FMU_OUTPUT)
            return tmli_fail(err, TML_ERR_NAME, "'%s' is an output and cannot be set.",
                             f->list.output[index]);
        const char *name = kind == TMLI_FMU_INPUT ? f->list.input[index] : f->list.parameter[index];
        if (rates && kind != TMLI_FMU_INPUT)
            return tmli_fail(err, TML_ERR_NAME, "'%s' is a parameter and has no rate.", name);
        if (!isfinite(values[i]))
            return tmli_fail(err, TML_ERR_ARG, "'%s' cannot be %s: the value is refused.", name,
                             isnan(values[i]) ? "NaN" : "infinite");
    }
    return TML_OK;
}

tml_status tmli_fmu_set(tmli_fmu *f, const unsigned *references, size_t count, const double *values,
                        tml_error *err)
{
    const tml_status st = check_set(f, references, count, values, false, err);
    for (size_t i = 0; i < count && st == TML_OK; i++) {
        int index;
        const tmli_fmu_kind kind = find(f, references[i], &index);
        if (kind == TMLI_FMU_INPUT) {
            tmli_fmu_input *in = &f->input[index];
            if (in->given && in->value == values[i] && in->rate == 0) continue;  // nothing begins anew
            in->value = values[i];
            in->given = in->changed = true;
        } else {
            tmli_fmu_parameter *p = &f->parameter[index];
            if (f->sim && !f->stale && p->value == values[i]) continue;
            p->value = values[i];
            p->given = f->stale = true;
        }
    }
    return st;
}

tml_status tmli_fmu_set_rates(tmli_fmu *f, const unsigned *references, size_t count, const double *values,
                              tml_error *err)
{
    tml_status st = check_set(f, references, count, values, true, err);
    if (st == TML_OK) st = tmli_fmu_ready(f, err);
    for (size_t i = 0; i < count && st == TML_OK; i++) {
        int index;
        find(f, references[i], &index);
        tmli_fmu_input *in = &f->input[index];
        if (in->rate == values[i]) continue;
        in->value = value_of(f, TMLI_FMU_INPUT, index);
        in->rate = values[i];
        in->given = in->changed = true;
    }
    return st;
}

// ---- steps ------------------------------------------------------------------------------------------------

tml_status tmli_fmu_step(tmli_fmu *f, double t_end, const char **event, tml_error *err)
{
    *event = NULL;
    tml_status st = tmli_fmu_ready(f, err);
    f->known = f->moved = false;
    while (st == TML_OK && !*event && tml_sim_time(f->sim) < t_end) {
        st = tml_sim_step(f->sim, t_end, err);
        tml_sim_report report;
        tml_sim_get_report(f->sim, &report);
        *event = report.event;
    }
    for (int i = 0; i < f->list.inputs; i++)  // where their rates have brought them
        if (f->input[i].rate != 0 && f->sim) f->input[i].value = value_of(f, TMLI_FMU_INPUT, i);
    return st;
}
