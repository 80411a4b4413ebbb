// What the programs that redo a thesis's runs share: a model from models/, one run with what it cost, its
// steps and curves. Include before any other header (clocks). Times are processor time of this thread.
#ifndef PAPER_RUN_H
#define PAPER_RUN_H

#define _POSIX_C_SOURCE 200809L
#include "paper.h"
#include <time.h>
#include <trammel/compare.h>
#include <trammel/sim.h>

typedef struct paper_case {
    const char *method;
    double tol, end;
    double max_step;  // [s]; 0: no limit
    tml_kinematics kinematics;
    tml_jacobian jacobian;
    tml_estimate estimate;
} paper_case;

typedef struct paper_cost {
    double t, seconds;
    long steps, rejected, iterations;
    long evaluations;  // of accelerations; descriptor form: of the residual
    long factorizations;
} paper_cost;

typedef struct paper_step {
    double t, h, value[2];
    long iterations;
} paper_step;

/** What a run leaves behind, if wanted. */
typedef struct paper_record {
    const char *channel[2];  // values of a step; NULL: none
    paper_step *step;        // owned
    int count, room;
    double mark;  // [s] > 0: cost whenever a multiple of it was passed
    paper_cost marked[4];
    int marks;
    // internal
    double begin;
    int column[2], channels;
    double *row;
    long iterations;
} paper_record;

static inline double paper_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** models/NAME.yaml; the programs run from the top of the tree. NULL: said why. */
static inline tml_model *paper_model(paper *p, const char *name)
{
    char path[256];
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    snprintf(path, sizeof path, "models/%s.yaml", name);
    tml_status st = tml_spec_read(path, NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    tml_spec_destroy(spec);
    if (st != TML_OK) paper_fail(p, path, err.msg);
    return model;
}

static inline tml_run_def paper_run_def(const tml_model *model, const paper_case *c)
{
    tml_run_def run = *tml_model_run(model);
    run.method = c->method;
    run.tol = c->tol;
    run.end = c->end;
    run.output_step = c->end;
    run.max_step = c->max_step;
    run.kinematics = c->kinematics;
    run.jacobian = c->jacobian;
    run.estimate = c->estimate;
    return run;
}

static inline paper_cost paper_cost_of(const tml_sim *sim, double seconds)
{
    tml_sim_report r;
    tml_sim_get_report(sim, &r);
    return (paper_cost){.t = tml_sim_time(sim),
                        .seconds = seconds,
                        .steps = r.count.steps,
                        .rejected = r.count.rejected_error + r.count.rejected_newton,
                        .iterations = r.count.iterations,
                        .evaluations = r.count.residuals,
                        .factorizations = r.count.factorizations};
}

static inline tml_status paper_on_step(const tml_sim *sim, double t, double h, void *user)
{
    paper_record *r = user;
    if (r->mark > 0 && r->marks < 4 && t >= r->mark * (r->marks + 1) * (1 - 1e-12))
        r->marked[r->marks++] = paper_cost_of(sim, paper_now() - r->begin);
    if (r->mark > 0) return TML_OK;
    if (r->count == r->room) {
        r->room = 2 * r->room + 1000;
        paper_step *more = realloc(r->step, (size_t)r->room * sizeof *more);
        if (!more) return TML_ERR_NOMEM;
        r->step = more;
    }
    const long iterations = paper_cost_of(sim, 0).iterations;
    paper_step *s = &r->step[r->count++];
    *s = (paper_step){.t = t, .h = h, .iterations = iterations - r->iterations};
    r->iterations = iterations;
    if (!r->channel[0]) return TML_OK;
    tml_status st = tml_sim_channel_values(sim, tml_sim_state(sim), r->row, NULL);
    for (int i = 0; i < 2; i++) s->value[i] = r->row[r->column[i]];
    return st;
}

static inline void paper_record_begin(paper_record *r, const tml_sim *sim)
{
    const tml_channel *channel = tml_sim_channels(sim);
    r->channels = tml_sim_channel_count(sim);
    r->row = calloc((size_t)r->channels, sizeof *r->row);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < r->channels; k++)
            if (r->channel[i] && strcmp(channel[k].name, r->channel[i]) == 0) r->column[i] = k;
    r->begin = paper_now();
}

/** One run; record may be NULL. */
static inline bool paper_run(paper *p, const tml_model *model, const paper_case *c, paper_record *record,
                             paper_cost *cost)
{
    tml_error err = {0};
    tml_sim *sim = NULL;
    const tml_run_def run = paper_run_def(model, c);
    *cost = (paper_cost){.seconds = (double)NAN};
    tml_status st = tml_sim_create(model, &run, &sim, &err);
    if (st == TML_OK && record) {
        paper_record_begin(record, sim);
        if (!record->row) st = TML_ERR_NOMEM;
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = paper_on_step, .user = record});
    }
    const double begin = paper_now();
    if (st == TML_OK) st = tml_sim_run(sim, c->end, &err);
    if (st == TML_OK) *cost = paper_cost_of(sim, paper_now() - begin);
    else paper_fail(p, c->method, err.msg);
    tml_sim_destroy(sim);
    if (record) free(record->row);
    return st == TML_OK;
}

/** Errors over all bodies at 101 times, as `trammel compare` has them: error[m * ntols + i] of methods[m] at
 * tols[i], against radau5 with the given tolerance. */
static inline bool paper_errors(paper *p, const tml_model *model, tml_kinematics kinematics,
                                const char **methods, int nmethods, const double *tols, int ntols,
                                double reference_tol, tml_errors *error)
{
    tml_error err = {0};
    tml_comparison *c = NULL;
    tml_run_def run = *tml_model_run(model);
    tml_compare_def def = tml_compare_def_default();
    run.output_step = 0;
    run.kinematics = kinematics;
    def.run = &run;
    def.methods = methods;
    def.method_count = nmethods;
    def.tols = tols;
    def.tol_count = ntols;
    def.reference_method = "radau5";
    def.reference_tol = reference_tol;
    def.budget = 0;
    if (tml_compare(model, &def, &c, &err) != TML_OK) {
        paper_fail(p, "compare", err.msg);
        return false;
    }
    for (int k = 0; k < c->row_count; k++)
        for (int m = 0; m < nmethods; m++)
            for (int i = 0; i < ntols; i++)
                if (strcmp(methods[m], c->rows[k].method) == 0 && tols[i] == c->rows[k].tol)
                    error[m * ntols + i] = c->rows[k].error;
    tml_comparison_destroy(c);
    return true;
}

/** The same run, the mean time of as many as take a second together, at most five. */
static inline bool paper_time(paper *p, const tml_model *model, const paper_case *c, paper_cost *cost)
{
    if (!paper_run(p, model, c, NULL, cost)) return false;
    double spent = cost->seconds;
    int runs = 1;
    for (; runs < 5 && spent + cost->seconds < 1; runs++) {
        paper_cost again;
        if (!paper_run(p, model, c, NULL, &again)) return false;
        spent += again.seconds;
    }
    cost->seconds = spent / runs;
    return true;
}

#endif
