// A worker runs members one after the other.
//
// If all parameters are inputs of the model, the worker has one simulation. For each member it goes back to
// the bits of its start (tmli_sim_rewind), so that nothing of an earlier member is left, takes the new values
// and starts again: nothing is built, and nothing is allocated. Otherwise the text of the model, whose syntax
// was read once, is read with the new values and built; the memory of the last member serves again.
#include "base/tolerances.h"
#include "io/parsed.h"
#include "sim/queries/step_observer.h"
#include "sim/rewind.h"
#include "spec/spec.h"
#include "study/curves.h"

#include <math.h>
#include <string.h>

struct tml_study_worker {
    const tml_study *study;
    tmli_recycler *memory;
    tml_env env;
    tmli_curves curves;
    tml_parameter *parameters;  // (nset + nparameters) of the reader
    char (*text)[32];           // (nparameters) their values
    double *quantities;         // (nquantities)
    tml_error err;              // of the hook
    double rows;                // distance of rows [s], for curves
    // in place
    tml_sim *sim;
    tml_state *start;
    tmli_sim_mark mark;
};

static tml_status on_output(const tml_sim *sim, const tml_state *x, void *user)
{
    tml_study_worker *w = user;
    return tmli_quantities_output(&w->curves, sim, x, &w->err);
}

// Run from the present state to the end and take the quantities.
static tml_status run(tml_study_worker *w, tml_sim *sim, const double *parameters, tml_error *err)
{
    w->err = (tml_error){0};
    tml_status st = tmli_curves_begin(&w->curves, sim, parameters, w->rows, err);
    if (st != TML_OK) return st;
    const tml_sim_hooks hooks = {.on_output = on_output, .user = w, .motion_only = !w->curves.ends_need_rows};
    tml_sim_set_hooks(sim, &hooks);
    tmli_sim_set_step_observer(sim, tmli_curves_step, &w->curves);
    st = tml_sim_run(sim, NAN, err);
    if (st != TML_OK && w->err.status != TML_OK) *err = w->err;
    return st == TML_OK ? tmli_quantities_end(&w->curves, sim, w->quantities, err) : st;
}

// The settings of a run. It has no rows between its ends: curves see its steps.
static tml_run_def settings(tml_study_worker *w, const tml_run_def *of_model)
{
    tml_run_def run = *of_model;
    tmli_study_override(&w->study->settings, &run);
    const double span = run.end - run.start;
    w->rows = span / TMLI_RUN_OUTPUTS;  // curves are not seen with less
    if (run.output_step > 0) w->rows = fmin(w->rows, run.output_step);
    if (span > 0) run.output_step = span;
    return run;
}

// ---- in place ---------------------------------------------------------------------------------------------

static tml_status prepare(tml_study_worker *w, tml_error *err)
{
    const tml_study *s = w->study;
    const tml_run_def def = settings(w, tml_model_run(s->built));
    tml_status st = tml_sim_create(s->built, &def, &w->sim, err);
    if (st == TML_OK) st = tml_state_create(tml_model_system(s->built), &w->start, err);
    if (st != TML_OK) return st;
    tml_state_copy(w->start, tml_sim_state(w->sim));
    return tmli_sim_mark_create(w->sim, &w->mark, err);
}

static tml_status run_in_place(tml_study_worker *w, const double *parameters, tml_error *err)
{
    const tml_study *s = w->study;
    tml_status st = tmli_sim_rewind(&w->sim, &w->mark, err);
    for (int i = 0; i < s->nparameters; i++) w->start->input[2 * s->parameter[i].input] = parameters[i];
    if (st == TML_OK) st = tml_sim_restart(w->sim, w->start, err);
    return st == TML_OK ? run(w, w->sim, parameters, err) : st;
}

// ---- built again ------------------------------------------------------------------------------------------

// The values of a member for the reader of its model: parameters (nset + nparameters), text (nparameters).
static int fill_parameters(const tml_study *s, const double *values, tml_parameter *parameters,
                           char (*text)[32])
{
    int count = s->nset;
    if (s->nset) memcpy(parameters, s->set, (size_t)s->nset * sizeof *s->set);
    for (int i = 0; i < s->nparameters; i++)
        if (s->parameter[i].input < 0)
            parameters[count++] = (tml_parameter){s->parameter[i].name, tmli_dtoa(values[i], text[i])};
    return count;
}

static void fill_inputs(const tml_study *s, const double *values, tml_spec *spec)
{
    for (int i = 0; i < s->nparameters; i++)
        if (s->parameter[i].input >= 0) spec->inputs[s->parameter[i].input].def.value = values[i];
}

static tml_status read_again(tml_study_worker *w, const double *parameters, tml_spec **out, tml_error *err)
{
    const tml_study *s = w->study;
    const int count = fill_parameters(s, parameters, w->parameters, w->text);
    const tml_status st = tmli_parsed_read(s->parsed, w->parameters, count, &w->env, out, err);
    if (st == TML_OK) fill_inputs(s, parameters, *out);
    return st;
}

static tml_status run_built(tml_study_worker *w, const double *parameters, tml_error *err)
{
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    tml_status st = read_again(w, parameters, &spec, err);
    if (st == TML_OK) st = tml_model_build(spec, &model, err);
    tml_spec_destroy(spec);
    if (st == TML_OK) {
        const tml_run_def def = settings(w, tml_model_run(model));
        st = tml_sim_create(model, &def, &sim, err);
    }
    if (st == TML_OK) st = run(w, sim, parameters, err);
    tmli_curves_release(&w->curves);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    return st;
}

// ---- public functions -------------------------------------------------------------------------------------

static tml_status allocate(tml_study_worker *w, tml_error *err)
{
    const tml_study *s = w->study;
    w->memory = tmli_recycler_create();
    if (!w->memory) return tmli_no_memory(err, "study");
    w->env = tmli_recycler_env(w->memory, &s->env);
    w->parameters = tmli_calloc(&s->env, (size_t)(s->nset + s->nparameters) + 1, sizeof *w->parameters);
    w->text = tmli_calloc(&s->env, (size_t)s->nparameters + 1, sizeof *w->text);
    w->quantities = tmli_calloc(&s->env, (size_t)s->nquantities + 1, sizeof *w->quantities);
    if (!w->parameters || !w->text || !w->quantities) return tmli_no_memory(err, "study");
    const tml_status st = tmli_curves_init(&w->curves, s, err);
    return st == TML_OK && s->in_place ? prepare(w, err) : st;
}

tml_status tml_study_worker_create(const tml_study *study, tml_study_worker **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!study || !out) return tmli_null_argument(err, "tml_study_worker_create");
    tml_study_worker *w = tmli_calloc(&study->env, 1, sizeof *w);
    if (!w) return tmli_no_memory(err, "study");
    w->study = study;
    const tml_status st = allocate(w, err);
    if (st == TML_OK) *out = w;
    else tml_study_worker_destroy(w);
    return st;
}

void tml_study_worker_destroy(tml_study_worker *w)
{
    if (!w) return;
    const tml_study *s = w->study;
    tmli_curves_clear(&w->curves);
    if (w->start) tml_state_destroy(w->start, tml_model_system(s->built));
    tml_sim_destroy(w->sim);
    tmli_sim_mark_clear(&w->mark);
    tmli_free_all(&s->env, w->parameters, w->text, w->quantities);
    tmli_recycler_destroy(w->memory);
    tmli_free(&s->env, w);
}

tml_status tmli_worker_run_at(tml_study_worker *w, double *values, tml_error *err)
{
    const tml_study *s = w->study;
    tml_error own = {0};
    for (int i = 0; i < s->nquantities; i++) w->quantities[i] = NAN;
    const tml_status st = s->in_place ? run_in_place(w, values, &own) : run_built(w, values, &own);
    for (int i = 0; i < s->nquantities; i++)
        values[s->nparameters + i] = st == TML_OK ? w->quantities[i] : NAN;
    if (st != TML_OK && err) *err = own;
    return st;
}

tml_status tml_study_worker_run(tml_study_worker *w, long member, double *values, tml_error *err)
{
    if (!w || !values) return tmli_null_argument(err, "tml_study_worker_run");
    const tml_status st = tml_study_parameters(w->study, member, values, err);
    return st == TML_OK ? tmli_worker_run_at(w, values, err) : st;
}

// ---- a member by itself -----------------------------------------------------------------------------------

// The files of the model as the study has read them, with the values of the member.
static tml_status read_own(const tml_study *s, const tml_parameter *parameters, int count, tml_spec **out,
                           tml_error *err)
{
    tml_read_def def = tml_read_def_default();
    def.path = s->model;
    def.sources = tml_spec_source(s->spec, 0);
    def.source_count = tml_spec_source_count(s->spec);
    def.parameters = parameters;
    def.parameter_count = count;
    tml_env env = s->env;
    env.log = NULL;  // what is to be said of the model was said when the study was read
    return tml_spec_read_def(&def, &env, out, err);
}

tml_status tml_study_member_spec(const tml_study *study, const double *parameters, tml_spec **out,
                                 tml_error *err)
{
    if (out) *out = NULL;
    if (!study || !parameters || !out) return tmli_null_argument(err, "tml_study_member_spec");
    const tml_study *s = study;
    tml_spec *spec = NULL;
    tml_parameter *own = tmli_calloc(&s->env, (size_t)(s->nset + s->nparameters) + 1, sizeof *own);
    char(*text)[32] = tmli_calloc(&s->env, (size_t)s->nparameters + 1, sizeof *text);
    tml_status st = own && text ? TML_OK : tmli_no_memory(err, "study");
    if (st == TML_OK) st = read_own(s, own, fill_parameters(s, parameters, own, text), &spec, err);
    if (st == TML_OK) {
        fill_inputs(s, parameters, spec);
        tml_run_def run = *tml_spec_run(spec);
        tmli_study_override(&s->settings, &run);
        st = tml_spec_set_run(spec, &run, err);
    }
    tmli_free_all(&s->env, own, text);
    if (st == TML_OK) *out = spec;
    else tml_spec_destroy(spec);
    return st;
}
