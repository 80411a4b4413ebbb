// The reference of a comparison.
//
// A series of runs: the method of the highest order runs at a tolerance two decades above the tightest given
// one, then at one decade above, and so on down to two decades below it, as long as the next run fits into
// the time left. Its cost is extrapolated from the last two. The last tolerance may be tighter by a factor of
// three instead of ten. A second method of high order makes the same series. The tightest run is the
// reference. Its error is estimated as the larger of
//
//   the difference from the second method, if its tolerance is within a factor of ten,                    (1)
//   d/(r - 1), d: difference from its own run at r times its tolerance; error proportional to tolerance   (2)
//
// Two methods, because runs of one method may have a common error.
#include "compare/reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerances.h"
#include "compare/constants.h"

typedef struct series {
    const tml_method_ops *method;
    const tml_model *model;
    const tml_run_def *run;
    tmli_progress *progress;
    double first, last;           // tolerances
    double limit;                 // CPU time [s]
    double deadline;              // wall clock [s]; 0: none
    double stretch;               // wall time over CPU time of the last run, >= 1
    tmli_samples record, before;  // of the tightest run, and of the one before; no rows: none
    double tol, tol_before;
    double cpu;
    tml_error err;  // why the series ended early
} series;

static bool run_at(series *l, double tol, double limit, double *cost)
{
    tmli_samples rows = {.signals = l->record.signals};
    tmli_trial t = {
        .model = l->model, .run = *l->run, .what = "reference", .progress = l->progress, .record = &rows};
    t.run.method = l->method->name;
    tmli_run_set_tol(&t.run, tol);
    t.limit = limit;
    t.deadline = l->deadline;
    const double began = tmli_wall_time();
    tmli_trial_run(&t);
    l->stretch = fmax((tmli_wall_time() - began) / fmax(t.cpu, 1e-6), 1);
    l->cpu += t.cpu;
    *cost = t.cpu;
    if (t.status != TML_OK) {
        tmli_samples_clear(&rows);
        l->err = t.err;
        l->err.status = t.status;
        if (t.over_limit) tmli_fail(&l->err, TML_ERR_STOPPED, "stopped after %.3g s at t = %g s", t.cpu, t.t);
        return false;
    }
    tmli_samples_clear(&l->before);
    l->before = l->record;
    l->tol_before = l->tol;
    l->record = rows;
    l->tol = tol;
    return true;
}

// The first run; at a looser tolerance if it exceeds its part of the time.
static bool run_first(series *l, double *cost)
{
    double tol = l->first;
    for (double part = 0.5;; part /= 2) {
        if (run_at(l, tol, part * l->limit, cost)) return true;
        if (l->err.status != TML_ERR_STOPPED || tol >= LOOSEST_TOLERANCE ||
            tmli_progress_cancelled(l->progress))
            return false;
        tol = fmin(NEXT_TOLERANCE * NEXT_TOLERANCE * tol, LOOSEST_TOLERANCE);
    }
}

// Check the only run of the series by one at ten times its tolerance.
static void run_check(series *l)
{
    double cost;
    const tmli_samples kept = tmli_samples_take(&l->record);
    const double tol = l->tol;
    l->deadline = 0;  // it takes less time than the run that it checks
    if (NEXT_TOLERANCE * tol < 1) run_at(l, NEXT_TOLERANCE * tol, INFINITY, &cost);
    l->before = l->record;
    l->tol_before = l->tol;
    l->record = kept;
    l->tol = tol;
}

static void *run_series(void *user)
{
    series *l = user;
    double cost = 0, cost_before = 0;
    bool going = run_first(l, &cost);
    const bool found = going;
    while (going && l->tol > 1.001 * l->last) {
        // cost per decade as an exponent: 1/order, or the measured one if larger
        double power = 1.0 / fmax(l->method->order, 1);
        if (cost_before > SHORT_RUN) power = fmax(power, log10(cost / cost_before));
        double left = l->limit - l->cpu;
        if (l->deadline > 0) left = fmin(left, (l->deadline - tmli_wall_time()) / l->stretch);
        double factor = NEXT_TOLERANCE;
        if (cost * pow(NEXT_TOLERANCE, power) > left) {
            factor = sqrt(NEXT_TOLERANCE);
            going = false;  // last run
        }
        if (cost * pow(factor, power) > left) break;
        factor = fmin(factor, l->tol / l->last);
        cost_before = cost;
        if (!run_at(l, l->tol / factor, left, &cost)) break;
    }
    if (found && !l->before.rows) run_check(l);
    return NULL;
}

static double asked_tightest(const tml_compare_def *def)
{
    double tol = 1;
    for (int i = 0; i < def->tol_count; i++) tol = fmin(tol, def->tols[i]);
    return def->step_count > 0 ? FIXED_STEP_TOLERANCE : tol;
}

static void clear_series(series *l)
{
    tmli_samples_clear(&l->record);
    tmli_samples_clear(&l->before);
}

static void format_name(char *buf, size_t size, const char *method, double tol)
{
    snprintf(buf, size, "%s at %.2g", method, tol);
}

// Take the tightest run of two series as the reference and estimate its error; its record moves to ref.
static tml_status take_tightest(tmli_reference *ref, series *a, series *b, double slack, tml_error *err)
{
    if (!a->record.rows || (b->record.rows && b->tol < 0.99 * a->tol)) {
        series *swap = a;
        a = b;
        b = swap;
    }
    ref->record = tmli_samples_take(&a->record);
    ref->method = a->method->name;
    ref->tol = a->tol;
    ref->known = true;
    format_name(ref->name, sizeof ref->name, ref->method, ref->tol);
    tml_status st = tmli_scales_init(&ref->scales, &ref->record, err);
    if (st != TML_OK) return st;
    tml_errors *u = &ref->uncertainty, by_other = {NAN, NAN, NAN};
    if (a->before.rows) {
        tmli_errors_between(&a->before, &ref->record, &ref->scales, slack, u);  // (2)
        const double r = a->tol_before / ref->tol;
        *u = (tml_errors){u->position / (r - 1), u->velocity / (r - 1), u->multiplier / (r - 1)};
        format_name(ref->check, sizeof ref->check, ref->method, a->tol_before);
    }
    if (b->record.rows && b->tol < 10.01 * ref->tol) {
        tmli_errors_between(&b->record, &ref->record, &ref->scales, slack, &by_other);  // (1)
        format_name(ref->check, sizeof ref->check, b->method->name, b->tol);
        if (a->before.rows) {
            const size_t used = strlen(ref->check);
            snprintf(ref->check + used, sizeof ref->check - used, " and %s at %.2g", ref->method,
                     a->tol_before);
        }
    }
    *u = (tml_errors){fmax(u->position, by_other.position), fmax(u->velocity, by_other.velocity),
                      fmax(u->multiplier, by_other.multiplier)};  // fmax passes NAN over
    return TML_OK;
}

static void run_both(series *a, series *b, int threads)
{
    pthread_t thread;
    const bool parallel = b->method && threads > 1 && pthread_create(&thread, NULL, run_series, b) == 0;
    run_series(a);
    if (parallel) pthread_join(thread, NULL);
    else if (b->method) run_series(b);
}

// The two methods of the highest order; of equal orders the first in the table.
static void find_best_methods(const tml_method_ops *const *methods, const tml_method_ops *best[2])
{
    best[0] = best[1] = NULL;
    for (int i = 0; methods[i]; i++) {
        if (!best[0] || methods[i]->order > best[0]->order) {
            best[1] = best[0];
            best[0] = methods[i];
        } else if (!best[1] || methods[i]->order > best[1]->order) {
            best[1] = methods[i];
        }
    }
    if (best[1] && best[1]->order < MIN_SECOND_ORDER && best[1]->order < best[0]->order) best[1] = NULL;
}

static tml_status compute(tmli_reference *ref, const tml_model *model, const tml_compare_def *def,
                          const tml_run_def *run, const tml_method_ops *const *methods, int threads,
                          double deadline, const tmli_signals *signals, tmli_progress *progress,
                          tml_error *err)
{
    const tml_method_ops *best[2];
    series l[2];
    find_best_methods(methods, best);
    const double tightest = asked_tightest(def);
    for (int i = 0; i < 2; i++)
        l[i] = (series){
            .method = best[i],
            .model = model,
            .run = run,
            .progress = progress,
            .first = fmax(fmin(NEXT_TOLERANCE * NEXT_TOLERANCE * tightest, LOOSEST_TOLERANCE), tightest),
            .last = fmax(tightest / (NEXT_TOLERANCE * NEXT_TOLERANCE), fmin(tightest, TMLI_ROUNDOFF)),
            .limit = def->budget > 0 ? REFERENCE_SHARE * def->budget : INFINITY,
            .deadline = deadline > 0 ? deadline - (1 - REFERENCE_SHARE) * def->budget : 0,
            .record = {.signals = signals},
            .before = {.signals = signals}};
    run_both(&l[0], &l[1], threads);
    ref->cpu = l[0].cpu + l[1].cpu;
    tml_status st = TML_OK;
    if (l[0].record.rows || l[1].record.rows) {
        st = take_tightest(ref, &l[0], &l[1], TMLI_INPUT_ERROR * run->output_step, err);
    } else {
        snprintf(ref->check, sizeof ref->check, "%s at %.2g: %.600s", best[0]->name, l[0].first,
                 l[0].err.msg);
    }
    clear_series(&l[0]);
    clear_series(&l[1]);
    return st;
}

// A reference by name, METHOD@TOL: this run, and one at ten times its tolerance to check it.
static tml_status compute_named(tmli_reference *ref, const tml_model *model, const tml_compare_def *def,
                                const tml_run_def *run, const tmli_signals *signals, tmli_progress *progress,
                                tml_error *err)
{
    series l = {.method = tml_method_find(def->reference_method),
                .model = model,
                .run = run,
                .progress = progress,
                .limit = INFINITY,
                .record = {.signals = signals},
                .before = {.signals = signals}};
    series none = {.record = {.signals = signals}};
    double cost;
    tml_status st = TML_OK;
    const bool done = run_at(&l, def->reference_tol, INFINITY, &cost);
    if (!done && tmli_progress_cancelled(progress)) {
        snprintf(ref->check, sizeof ref->check, "the comparison was stopped");
    } else if (!done) {
        st = tmli_fail(err, l.err.status, "The reference, %s at %g, failed: %s", def->reference_method,
                       def->reference_tol, l.err.msg);
    } else {
        run_check(&l);
        st = take_tightest(ref, &l, &none, TMLI_INPUT_ERROR * run->output_step, err);
    }
    ref->cpu = l.cpu;
    clear_series(&l);
    return st;
}

static tml_status read_reference(tmli_reference *ref, const char *path, const tml_run_def *run,
                                 tml_error *err)
{
    tml_status st = tmli_samples_read(&ref->record, path, err);
    if (st == TML_OK) st = tmli_scales_init(&ref->scales, &ref->record, err);
    if (st != TML_OK) return st;
    int common = 0;
    size_t from = 0;
    const double dt = run->output_step;
    for (double k = 1; run->start + k * dt <= run->end + TMLI_INPUT_ERROR * dt; k++)
        common += tmli_samples_at(&ref->record, fmin(run->start + k * dt, run->end), TMLI_INPUT_ERROR * dt,
                                  &from) != NULL;
    if (!common)
        return tmli_fail(
            err, TML_ERR_ARG,
            "The reference '%s' has no row at an output time after the start (%g s, every %g s).", path,
            run->start, dt);
    ref->known = true;
    snprintf(ref->name, sizeof ref->name, "%s", path);
    return TML_OK;
}

tml_status tmli_reference_make(tmli_reference *ref, const tml_model *model, const tml_compare_def *def,
                               const tml_run_def *run, const tml_method_ops *const *methods, int threads,
                               double deadline, const tmli_signals *signals, tmli_progress *progress,
                               tml_error *err)
{
    *ref = (tmli_reference){.record = {.signals = signals}, .uncertainty = {NAN, NAN, NAN}};
    if (def->reference_file) return read_reference(ref, def->reference_file, run, err);
    if (def->reference_method) return compute_named(ref, model, def, run, signals, progress, err);
    return compute(ref, model, def, run, methods, threads, deadline, signals, progress, err);
}

void tmli_reference_clear(tmli_reference *ref)
{
    if (!ref->record.signals) return;
    tmli_scales_clear(&ref->scales, &ref->record.signals->env);
    tmli_samples_clear(&ref->record);
}
