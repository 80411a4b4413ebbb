// A run to be compared. Its cost is the CPU time of its thread, on which parallel runs have much less
// influence than on the wall time.
#define _POSIX_C_SOURCE 200809L
#include "compare/trial.h"
#include "compare/judge.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

#include "base/tolerances.h"
#include "compare/constants.h"

static double cpu_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int tmli_processors(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 64 ? 64 : (int)n;
}

void tmli_run_set_tol(tml_run_def *run, double tol)
{
    run->tol = run->rtol = run->atol = tol;
    run->step = 0;
}

// ---- progress ---------------------------------------------------------------------------------------------

static void report_progress(tmli_progress *w, const tml_compare_progress *p)
{
    pthread_mutex_lock(&w->lock);
    tml_compare_progress now = *p;
    now.done = w->done;
    now.total = w->total;
    if (w->on_progress && !w->cancelled && w->on_progress(&now, w->user) != TML_OK) w->cancelled = true;
    pthread_mutex_unlock(&w->lock);
}

bool tmli_progress_cancelled(tmli_progress *w)
{
    pthread_mutex_lock(&w->lock);
    const bool cancelled = w->cancelled;
    pthread_mutex_unlock(&w->lock);
    return cancelled;
}

// ---- hooks ------------------------------------------------------------------------------------------------

static tml_status on_step(const tml_sim *sim, double t, double h, void *user)
{
    tmli_trial *r = user;
    (void)h;
    // the step has ended at a discontinuity, behind which the run begins again at once or with the next step
    const bool changed = sim->discontinuities.count > r->switches && !r->pending;
    r->switches = sim->discontinuities.count;
    r->pending = sim->restart_pending;
    if (r->record && (changed || r->pending)) {
        r->status = tmli_samples_add_jump(r->record, t, &r->err);
        if (r->status != TML_OK) return TML_ERR_STOPPED;
    }
    const double now = tmli_wall_time();
    if (now - r->checked_at < SHORT_RUN / 4) return TML_OK;
    r->checked_at = now;
    r->late = r->deadline > 0 && now > r->deadline;
    if (r->late || cpu_seconds() - r->cpu_start > r->limit) {
        r->over_limit = true;
        return TML_ERR_STOPPED;
    }
    if (now - r->reported_at < REPORT_INTERVAL) return TML_OK;
    r->reported_at = now;
    const tml_run_def *run = tml_sim_settings(sim);
    report_progress(r->progress, &(tml_compare_progress){.what = r->what,
                                                         .method = run->method,
                                                         .tol = run->step > 0 ? 0 : run->tol,
                                                         .step = run->step,
                                                         .part = (t - run->start) / (run->end - run->start)});
    r->cancelled = tmli_progress_cancelled(r->progress);
    return r->cancelled ? TML_ERR_STOPPED : TML_OK;
}

static tml_status on_output(const tml_sim *sim, const tml_state *x, void *user)
{
    tmli_trial *r = user;
    tml_status st = tml_sim_channel_values(sim, x, r->row, &r->err);
    if (st == TML_OK && r->record) st = tmli_samples_add_state(r->record, x, &r->err);
    if (st == TML_OK && r->record) st = tmli_samples_add(r->record, r->row, &r->err);
    if (st == TML_OK && r->sensitivity) st = tmli_sensitivity_add(r->sensitivity, sim, x, &r->err);
    if (st == TML_OK && r->reference) {
        const double slack = TMLI_INPUT_ERROR * tml_sim_settings(sim)->output_step;
        const double *other = tmli_samples_at(r->reference, x->t, slack, &r->cursor);
        if (other) {
            tmli_errors_add(r->reference->signals, r->scales, r->row, other, &r->error);
            r->compared++;
        }
    }
    if (st == TML_OK) return TML_OK;
    r->status = st;
    return TML_ERR_STOPPED;
}

// ---- the run ----------------------------------------------------------------------------------------------

void tmli_trial_run(tmli_trial *r)
{
    tml_sim *sim = NULL;
    tml_error err = {0};
    r->error = (tml_errors){NAN, NAN, NAN};
    r->switches = 0;
    r->pending = false;
    r->status = tml_sim_create(r->model, &r->run, &sim, &r->err);
    if (r->status != TML_OK) return;
    const int n = tml_sim_channel_count(sim);
    r->row = tmli_calloc(&r->model->env, (size_t)n + 1, sizeof(double));
    if (r->row) {
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        r->first_method = report.method;
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = on_step, .on_output = on_output, .user = r});
        r->cpu_start = cpu_seconds();
        r->checked_at = r->reported_at = tmli_wall_time();
        const tml_status st = tml_sim_run(sim, NAN, &err);
        r->cpu = cpu_seconds() - r->cpu_start;
        if (r->status == TML_OK && st != TML_OK) {  // else keep the error of the output
            r->status = st;
            r->err = err;
        }
    } else {
        r->status = tmli_no_memory(&r->err, "comparison");
    }
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    r->count = report.count;
    r->event = report.event;
    r->method = report.method;
    r->t = tml_sim_time(sim);
    tmli_free(&r->model->env, r->row);
    r->row = NULL;
    tml_sim_destroy(sim);
}
