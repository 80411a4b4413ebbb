// Models, simulations and their channels for the tests of runs.
#ifndef TEST_SIM_FIXTURE_H
#define TEST_SIM_FIXTURE_H

#include "support.h"

#include <math.h>
#include <stdbool.h>
#include <trammel/sim.h>

// Every call must succeed; else the message is the failure.
#define OK(call)                                                                             \
    do {                                                                                     \
        const tml_status ok_st = (call);                                                     \
        if (ok_st != TML_OK) fail_msg("%s: %s: %s", #call, tml_status_name(ok_st), err.msg); \
    } while (0)

// ---- memory -----------------------------------------------------------------------------------------------

typedef struct counter {
    long calls, fail_at, live;  // fail_at: number of the call (from 1) that fails; 0: none
} counter;

static inline void *count_alloc(size_t bytes, void *user)
{
    counter *c = user;
    if (++c->calls == c->fail_at) return NULL;
    c->live++;
    return malloc(bytes);
}
static inline void count_free(void *ptr, void *user)
{
    counter *c = user;
    c->live--;
    free(ptr);
}
static inline tml_env count_env(counter *c)
{
    return (tml_env){.alloc = count_alloc, .free = count_free, .user = c};
}

// ---- models -----------------------------------------------------------------------------------------------

static inline tml_model *model_of(tml_spec *spec)
{
    tml_error err = {0};
    tml_model *model = NULL;
    OK(tml_model_build(spec, &model, &err));
    tml_spec_destroy(spec);
    return model;
}

/** A bundled model, "pendulum" for models/pendulum.yaml; `set` overrides one parameter if it has a name. */
static inline tml_model *load_model(const char *name, tml_parameter set, const tml_env *env)
{
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/models/%s.yaml", root ? root : ".", name);
    tml_error err = {0};
    tml_spec *spec = NULL;
    OK(tml_spec_read(path, &set, set.name ? 1 : 0, env, &spec, &err));
    return model_of(spec);
}

static inline tml_model *text_model(const char *text)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err));
    return model_of(spec);
}

static inline tml_sim *start_sim(const tml_model *model, const tml_run_def *run)
{
    tml_error err = {0};
    tml_sim *sim = NULL;
    OK(tml_sim_create(model, run, &sim, &err));
    return sim;
}

/** A simulation of a model given as text, NULL and 0: with the method and tolerance of its run block. End it
 * with end_sim. */
static inline tml_sim *sim_of_text(const char *text, const char *method, double tol, tml_model **model)
{
    *model = text_model(text);
    tml_run_def run = *tml_model_run(*model);
    if (method) run.method = method;
    if (tol > 0) run.tol = tol;
    return start_sim(*model, &run);
}

static inline void end_sim(tml_sim *sim, tml_model *model)
{
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

static inline tml_sim_report report_of(const tml_sim *sim)
{
    tml_sim_report r;
    tml_sim_get_report(sim, &r);
    return r;
}

/** Every allocation of a simulation fails in its turn: a status and a sentence, and nothing is left behind.
 * The step loop up to `end` (NAN: no run) takes none. Ends the model, whose memory c counts. */
static inline void memory_runs_out(counter *c, tml_model *model, const tml_run_def *run, double end)
{
    const long live = c->live;
    bool all = false;  // have been refused
    for (long k = 1; !all; k++) {
        tml_error err = {0};
        tml_sim *sim = NULL;
        const long before = c->calls;
        c->fail_at = before + k;
        const tml_status st = tml_sim_create(model, run, &sim, &err);
        all = c->calls - before < k;
        assert_true(!all || (k > 20 && st == TML_OK));
        if (st != TML_OK && (st != TML_ERR_NOMEM || sim || !err.msg[0]))
            fail_msg("allocation %ld: %s: %s", k, tml_status_name(st), err.msg);
        const long calls = c->calls;
        if (sim && !isnan(end)) OK(tml_sim_run(sim, end, &err));
        assert_int_equal(c->calls, calls);
        tml_sim_destroy(sim);
        assert_int_equal(c->live, live);
    }
    c->fail_at = 0;
    tml_model_destroy(model);
    assert_int_equal(c->live, 0);
}

static inline const char *const *bundled_models(void)
{
    static const char *const names[] = {
        "andrews",      "chain",           "double_pendulum",       "four_bar",   "governor",
        "heavy_top",    "hmmwv",           "hmmwv_revolute",        "impact",     "pendulum",
        "slider_crank", "spring_pendulum", "stiff_double_pendulum", "suspension", NULL};
    return names;
}

// ---- channels ---------------------------------------------------------------------------------------------

static inline int channel_index(const tml_sim *sim, const char *name)
{
    tml_error err = {0};
    const int index = tml_sim_channel_index(sim, name, &err);
    if (index < 0) fail_msg("%s", err.msg);
    return index;
}

/** Value of a channel at the present state. */
static inline double channel_value(const tml_sim *sim, const char *name)
{
    tml_error err = {0};
    double *row = calloc((size_t)tml_sim_channel_count(sim), sizeof *row);
    assert_non_null(row);
    const int i = channel_index(sim, name);
    OK(tml_sim_channel_values(sim, tml_sim_state(sim), row, &err));
    const double value = row[i];
    free(row);
    return value;
}

enum { ROWS_MAX = 6000, PICKED_MAX = 24 };

/** Rows of a run: all times, and the values of some channels. */
typedef struct record {
    int rows, steps;
    double t[ROWS_MAX], value[ROWS_MAX][PICKED_MAX];
    int picked, pick[PICKED_MAX];  // channel numbers
    int stop_output, stop_step;    // the hook asks to stop at this call (from 1); 0: never
    double *all;                   // (channels)
} record;

static inline tml_status record_row(const tml_sim *sim, const tml_state *x, void *user)
{
    record *r = user;
    tml_error err = {0};
    assert_true(r->rows < ROWS_MAX);
    OK(tml_sim_channel_values(sim, x, r->all, &err));
    r->t[r->rows] = x->t;
    for (int i = 0; i < r->picked; i++) r->value[r->rows][i] = r->all[r->pick[i]];
    r->rows++;
    return r->rows == r->stop_output ? TML_ERR_STOPPED : TML_OK;
}
static inline tml_status record_step(const tml_sim *sim, double t, double h, void *user)
{
    record *r = user;
    assert_true(h > 0 && t <= tml_sim_time(sim));
    return ++r->steps == r->stop_step ? TML_ERR_STOPPED : TML_OK;
}

/** names: channels to pick, NULL at the end. Free with record_free. */
static inline record *record_new(tml_sim *sim, const char *const *names)
{
    record *r = calloc(1, sizeof *r);
    assert_non_null(r);
    for (; names && names[r->picked]; r->picked++) {
        assert_true(r->picked < PICKED_MAX);
        r->pick[r->picked] = channel_index(sim, names[r->picked]);
    }
    r->all = calloc((size_t)tml_sim_channel_count(sim), sizeof(double));
    assert_non_null(r->all);
    tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = record_row, .on_step = record_step, .user = r});
    return r;
}
static inline void record_free(record *r)
{
    free(r->all);
    free(r);
}

/** FNV-1a over the bits of time, configuration, velocities, accelerations and multipliers. */
static inline uint64_t state_hash(const tml_state *x)
{
    const struct {
        const double *at;
        int count;
    } part[] = {{&x->t, 1},        {x->q, x->nq},     {x->u, x->n},       {x->udot, x->n},
                {x->lambda, x->m}, {x->angle, x->na}, {x->mode, x->nmode}};
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t p = 0; p < sizeof part / sizeof *part; p++)
        for (size_t i = 0; i < (size_t)part[p].count * sizeof(double); i++)
            hash = (hash ^ ((const unsigned char *)part[p].at)[i]) * 0x100000001b3u;
    return hash;
}

#endif
