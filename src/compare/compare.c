// Comparison of methods: a queue of independent runs, processed by threads that share the model and the
// reference.
//
// Runs start from loose to tight tolerances over all methods: cheap runs come first and predict the cost of
// the next decade. A run may use a quarter of the CPU time left, or an equal part for each remaining run if
// this is more. A run whose predicted cost is too high is left out. The limits are in CPU time, so that
// neither the number of threads nor other programs change the table; the wall time is limited in addition.
#include "compare/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/constants.h"

enum { METHODS_MAX = 64, THREADS_MAX = 64 };
static const double default_tols[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};

typedef struct engine {
    const tml_model *model;
    tml_compare_def def;  // defaults filled in
    tml_run_def run;
    const tml_method_ops *runnable[METHODS_MAX + 1];  // methods that can run the model; NULL at the end
    const char *chosen[METHODS_MAX];                  // to be compared
    int nchosen;
    tmli_signals signals;
    tmli_reference ref;
    tmli_progress progress;
    tml_comparison *out;
    tmli_arena *arena;      // of the result
    int *order;             // (nrows) rows in the order they start
    int next;               // index into order; this and the following under progress.lock
    double deadline;        // wall clock [s]; 0: none
    double used, reserved;  // CPU time [s]
} engine;

/** What a comparison owns. */
typedef struct owner {
    tml_env env;
    tmli_arena arena;
} owner;

tml_compare_def tml_compare_def_default(void)
{
    return (tml_compare_def){.size = sizeof(tml_compare_def),
                             .tols = default_tols,
                             .tol_count = sizeof default_tols / sizeof *default_tols,
                             .budget = 50};
}

// ---- definition -------------------------------------------------------------------------------------------

static tml_status unknown_method(const char *name, tml_error *err)
{
    const char *names[METHODS_MAX] = {0};
    size_t count = 0;
    for (; tml_methods[count] && count < METHODS_MAX; count++) names[count] = tml_methods[count]->name;
    const tmli_hint near = tmli_hint_word(name, names, count);
    const tml_status st = tmli_fail(err, TML_ERR_NAME, "There is no method '%.60s'%s%s", name,
                                    near.text[0] ? near.text : "; there are", near.text[0] ? "." : "");
    for (size_t i = 0; i < count && !near.text[0]; i++)
        tmli_error_append(err, "%s%s", names[i], i + 1 < count ? "," : ".");
    return st;
}

static tml_status check_values(const double *x, int n, const char *what, double below, tml_error *err)
{
    for (int i = 0; i < n; i++) {
        if (!(x[i] > 0) || !(x[i] < below))
            return tmli_fail(err, TML_ERR_ARG, "The %s %g is not valid: it must be greater than 0%s.", what,
                             x[i], isinf(below) ? "" : " and less than 1");
        for (int k = 0; k < i; k++)
            if (x[k] == x[i]) return tmli_fail(err, TML_ERR_ARG, "The %s %g is given twice.", what, x[i]);
    }
    return TML_OK;
}

static tml_status check_def(engine *e, tml_error *err)
{
    tml_compare_def *d = &e->def;
    if (d->size != sizeof *d)
        return tmli_fail(err, TML_ERR_ARG, "the comparison was not made by tml_compare_def_default()");
    if (d->step_count <= 0 && d->tol_count <= 0)
        return tmli_fail(err, TML_ERR_ARG, "No tolerance and no step is given.");
    if (!(d->budget >= 0) || !(d->limit >= 0) || d->threads < 0)
        return tmli_fail(err, TML_ERR_ARG, "budget, limit and threads must not be negative.");
    tml_status st = check_values(d->steps, d->step_count, "step", INFINITY, err);
    if (st == TML_OK && d->step_count <= 0) st = check_values(d->tols, d->tol_count, "tolerance", 1, err);
    if (d->reference_method && st == TML_OK) {
        if (!tml_method_find(d->reference_method)) return unknown_method(d->reference_method, err);
        st = check_values(&d->reference_tol, 1, "tolerance", 1, err);
    }
    if (d->method_count > METHODS_MAX && st == TML_OK)
        st = tmli_fail(err, TML_ERR_ARG, "%d methods are too many.", d->method_count);
    for (int i = 0; i < d->method_count && st == TML_OK; i++) {
        if (!tml_method_find(d->methods[i])) return unknown_method(d->methods[i], err);
        for (int k = 0; k < i; k++)
            if (strcmp(d->methods[i], d->methods[k]) == 0)
                return tmli_fail(err, TML_ERR_ARG, "The method '%s' is given twice.", d->methods[i]);
        e->chosen[e->nchosen++] = tml_method_find(d->methods[i])->name;
    }
    return st;
}

// Find the methods that can start the model; the first one gives the channels.
static tml_status find_runnable_methods(engine *e, tml_error *err)
{
    int count = 0, skipped = 0;
    tml_error first = {0};
    e->out->skipped = tmli_arena_alloc(e->arena, METHODS_MAX, sizeof(const char *));
    if (!e->out->skipped) return tmli_no_memory(err, "comparison");
    for (int i = 0; tml_methods[i] && i < METHODS_MAX; i++) {
        tml_run_def run = e->run;
        run.method = tml_methods[i]->name;
        if (e->def.step_count > 0) run.step = e->def.steps[0];
        else tmli_run_set_tol(&run, e->def.tols[0]);
        tml_sim *sim = NULL;
        tml_error why = {0};
        tml_status st = tml_sim_create(e->model, &run, &sim, &why);
        if (st == TML_OK && count == 0) st = tmli_signals_init(&e->signals, sim, &why);
        tml_sim_destroy(sim);
        if (tmli_is_shortage(st)) {
            if (err) *err = why;
            return st;
        }
        if (st == TML_OK) {
            e->runnable[count++] = tml_methods[i];
            continue;
        }
        if (!first.msg[0]) first = why, first.status = st;
        char text[600];
        snprintf(text, sizeof text, "%s: %.500s", tml_methods[i]->name, why.msg);
        e->out->skipped[skipped] = tmli_arena_strdup(e->arena, text);
        if (!e->out->skipped[skipped++]) return tmli_no_memory(err, "comparison");
    }
    if (count == 0) {
        if (err) *err = first;
        return first.status;
    }
    if (e->nchosen > 0) return TML_OK;
    e->out->skipped_count = skipped;
    for (int i = 0; i < count; i++) e->chosen[e->nchosen++] = e->runnable[i]->name;
    return TML_OK;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static tml_status make_rows(engine *e, tml_error *err)
{
    const bool fixed = e->def.step_count > 0;
    const int n = fixed ? e->def.step_count : e->def.tol_count, total = n * e->nchosen;
    double *sorted = tmli_arena_alloc(e->arena, (size_t)n, sizeof *sorted);
    e->out->rows = tmli_arena_alloc(e->arena, (size_t)total, sizeof *e->out->rows);
    e->order = tmli_arena_alloc(e->arena, (size_t)total, sizeof *e->order);
    if (!sorted || !e->out->rows || !e->order) return tmli_no_memory(err, "comparison");
    memcpy(sorted, fixed ? e->def.steps : e->def.tols, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, descending);
    e->out->row_count = total;
    for (int i = 0; i < total; i++)
        e->out->rows[i] = (tml_compare_row){.method = e->chosen[i / n],
                                            .tol = fixed ? 0 : sorted[i % n],
                                            .step = fixed ? sorted[i % n] : 0,
                                            .outcome = TML_COMPARE_LEFT_OUT,
                                            .error = {NAN, NAN, NAN},
                                            .note = "the comparison was stopped"};
    for (int i = 0; i < total; i++) e->order[i] = i % e->nchosen * n + i / e->nchosen;
    return TML_OK;
}

// ---- the queue --------------------------------------------------------------------------------------------

static double resolution(const tml_compare_row *r) { return r->step > 0 ? r->step : r->tol; }

// CPU time of a run, extrapolated from the two tightest of the looser runs of its method; 0: not known.
// *stopped: a looser run was stopped.
static double predict_cost(const engine *e, const tml_compare_row *r, bool *stopped)
{
    const tml_compare_row *near = NULL, *far = NULL;
    *stopped = false;
    for (int i = 0; i < e->out->row_count; i++) {
        const tml_compare_row *o = &e->out->rows[i];
        if (strcmp(o->method, r->method) != 0 || resolution(o) <= resolution(r)) continue;
        *stopped |= o->outcome == TML_COMPARE_STOPPED;
        if (o->outcome != TML_COMPARE_DONE) continue;
        far = near;
        near = o;
    }
    if (!near || !far || near->cpu_seconds < SHORT_RUN || far->cpu_seconds <= 0) return 0;
    const double power = log(near->cpu_seconds / far->cpu_seconds) / log(resolution(far) / resolution(near));
    return near->cpu_seconds * pow(resolution(near) / resolution(r), fmax(power, 0));
}

// Most CPU time that a finished run of the row's method took [s].
static double cost_so_far(const engine *e, const tml_compare_row *r)
{
    double most = 0;
    for (int i = 0; i < e->out->row_count; i++)
        if (strcmp(e->out->rows[i].method, r->method) == 0) most = fmax(most, e->out->rows[i].cpu_seconds);
    return most;
}

// Cheap methods first: slow methods must not use up the time for their tight tolerances.
static tml_compare_row *take_cheapest(engine *e)
{
    int best = e->next;
    double least = INFINITY;
    for (int i = e->next; i < e->out->row_count; i++) {
        const double cost = cost_so_far(e, &e->out->rows[e->order[i]]);
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    const int row = e->order[best];
    memmove(e->order + e->next + 1, e->order + e->next, (size_t)(best - e->next) * sizeof *e->order);
    e->order[e->next++] = row;
    return &e->out->rows[row];
}

// The next run, with its limit; NULL: there is none. Called with progress.lock held.
static tml_compare_row *take_next_run(engine *e, double *limit)
{
    while (e->next < e->out->row_count && !e->progress.cancelled) {
        const int remaining = e->out->row_count - e->next;
        tml_compare_row *r = take_cheapest(e);
        const double pool = fmax(CPU_PER_BUDGET * e->def.budget - e->used - e->reserved, 0);
        *limit =
            e->def.budget > 0 ? fmax(fmax(pool / RUNS_PER_BUDGET, pool / remaining), SHORT_RUN) : INFINITY;
        if (e->def.limit > 0) *limit = fmin(*limit, e->def.limit);
        const bool late = e->deadline > 0 && tmli_wall_time() > e->deadline;
        bool stopped;
        const double time = predict_cost(e, r, &stopped);
        r->note[0] = 0;
        if (!late && !stopped && time <= *limit) return r;
        if (late) snprintf(r->note, sizeof r->note, "not run: the time budget was used up");
        else if (stopped)
            snprintf(r->note, sizeof r->note, "not run: a run at a looser tolerance was stopped");
        else
            snprintf(r->note, sizeof r->note, "not run: it would take about %.2g s, but only %.2g s are left",
                     time, *limit);
        e->progress.done++;
    }
    return NULL;
}

static void store_result(const engine *e, tml_compare_row *r, const tmli_trial *t)
{
    r->status = t->status;
    r->count = t->count;
    r->cpu_seconds = t->cpu;
    r->t = t->t;
    const bool is_reference = e->ref.method && r->tol == e->ref.tol && strcmp(r->method, e->ref.method) == 0;
    if (t->status == TML_OK) {
        r->outcome = is_reference ? TML_COMPARE_REFERENCE : TML_COMPARE_DONE;
        if (!is_reference) r->error = t->error;
        else snprintf(r->note, sizeof r->note, "this is the reference");
        if (e->ref.known && t->compared < 2 && !is_reference)
            snprintf(r->note, sizeof r->note, "no output time in common with the reference after the start");
    } else if (t->over_limit) {
        r->outcome = TML_COMPARE_STOPPED;
        snprintf(r->note, sizeof r->note, "stopped after %.3g s at t = %.6g s%s", t->cpu, t->t,
                 t->late ? ": the time budget was used up" : "");
    } else if (t->cancelled) {
        r->outcome = TML_COMPARE_LEFT_OUT;
        snprintf(r->note, sizeof r->note, "the comparison was stopped");
    } else {
        r->outcome = TML_COMPARE_FAILED;
        snprintf(r->note, sizeof r->note, "failed: %.380s", t->err.msg);
    }
}

static void *work_off_queue(void *user)
{
    engine *e = user;
    pthread_mutex_lock(&e->progress.lock);
    for (;;) {
        double limit;
        tml_compare_row *r = take_next_run(e, &limit);
        if (!r) break;
        if (isfinite(limit)) e->reserved += limit;
        pthread_mutex_unlock(&e->progress.lock);

        tmli_trial t = {
            .model = e->model, .run = e->run, .limit = limit, .what = "run", .progress = &e->progress};
        t.run.method = r->method;
        t.deadline = e->deadline;
        if (r->step > 0) {
            t.run.step = r->step;
            t.run.max_step = t.run.min_step = 0;
        } else {
            tmli_run_set_tol(&t.run, r->tol);
        }
        if (e->ref.known) t.reference = &e->ref.record;
        t.scales = &e->ref.scales;
        tmli_trial_run(&t);

        pthread_mutex_lock(&e->progress.lock);
        store_result(e, r, &t);
        if (isfinite(limit)) e->reserved -= limit;
        e->used += t.cpu;
        e->progress.done++;
        if (t.compared > e->out->output_times) e->out->output_times = t.compared;
    }
    pthread_mutex_unlock(&e->progress.lock);
    return NULL;
}

static void run_all(engine *e, int threads)
{
    pthread_t thread[THREADS_MAX];
    int started = 0;
    while (started < threads - 1 && started < THREADS_MAX && started < e->out->row_count - 1 &&
           pthread_create(&thread[started], NULL, work_off_queue, e) == 0)
        started++;
    work_off_queue(e);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
}

// ---- the comparison ---------------------------------------------------------------------------------------

static tml_status compare(engine *e, tml_error *err)
{
    const double began = tmli_wall_time();
    const int threads = e->def.threads > 0 ? e->def.threads : tmli_processors();
    tml_status st = check_def(e, err);
    if (st == TML_OK && e->run.output_step == 0 && !e->def.reference_file)
        e->run.output_step = (e->run.end - e->run.start) / 100;  // as compare.h says
    if (st == TML_OK) st = tmli_sim_check_settings(&e->run, err);
    if (st == TML_OK) st = find_runnable_methods(e, err);
    if (st == TML_OK) st = make_rows(e, err);
    if (st != TML_OK) return st;
    if (e->def.budget > 0) e->deadline = began + e->def.budget;
    e->progress.total = e->out->row_count;
    e->progress.on_progress = e->def.on_progress;
    e->progress.user = e->def.user;
    st = tmli_reference_make(&e->ref, e->model, &e->def, &e->run, e->runnable, threads, e->deadline,
                             &e->signals, &e->progress, err);
    if (st != TML_OK) return st;
    e->used = e->ref.cpu;
    run_all(e, threads);
    tml_comparison *c = e->out;
    memcpy(c->reference, e->ref.name, sizeof c->reference);
    memcpy(c->check, e->ref.check, sizeof c->check);
    c->uncertainty = e->ref.uncertainty;
    c->length = e->signals.length;
    c->velocity_scale = e->ref.scales.velocity;
    c->force_scale = e->ref.scales.force;
    c->stopped = e->progress.cancelled;
    c->wall_seconds = tmli_wall_time() - began;
    return TML_OK;
}

tml_status tml_compare(const tml_model *model, const tml_compare_def *def, tml_comparison **out,
                       tml_error *err)
{
    if (out) *out = NULL;
    if (!model || !def || !out) return tmli_null_argument(err, "tml_compare");
    const tml_env *env = &model->env;
    tml_comparison *c = tmli_calloc(env, 1, sizeof *c);
    owner *own = tmli_calloc(env, 1, sizeof *own);
    engine *e = tmli_calloc(env, 1, sizeof *e);
    tml_status st = c && own && e ? TML_OK : tmli_no_memory(err, "comparison");
    if (st == TML_OK) {
        own->env = *env;
        own->arena.env = &own->env;
        c->own = own;
        e->model = model;
        e->def = *def;
        e->run = def->run ? *def->run : *tml_model_run(model);
        e->out = c;
        e->arena = &own->arena;
        pthread_mutex_init(&e->progress.lock, NULL);
        st = compare(e, err);
        pthread_mutex_destroy(&e->progress.lock);
        tmli_reference_clear(&e->ref);
        tmli_signals_clear(&e->signals);
        if (st == TML_OK) *out = c;
        else tml_comparison_destroy(c);
    } else {
        tmli_free_all(env, c, own);
    }
    tmli_free(env, e);
    return st;
}

void tml_comparison_destroy(tml_comparison *c)
{
    if (!c) return;
    owner *own = c->own;
    const tml_env env = own->env;
    tmli_arena_clear(&own->arena);
    tmli_free_all(&env, own, c);
}
