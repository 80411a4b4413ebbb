// The reference of a comparison.
//
// It is climbed to: the method of the highest order runs at two decades above the tightest tolerance asked
// for, then at one, and so on down to two decades below it, as long as the next rung, by what the last two
// took, fits into the time that is left; the last rung may be a factor of three instead of ten. A second
// method of high order climbs beside it. The tightest run is the reference. Its own error is taken as the
// larger of
//
//   the difference from the second method, if that has a tolerance within a factor of ten,                (1)
//   d/(r - 1), d the difference from its own run at r times its tolerance: errors go with the tolerance   (2)
//
// since methods of one family may err alike.
#include "compare/reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ladder_share = 0.55;   // of the budget: CPU time of each of the two ladders
static const double deadline_share = 0.6;  // of the budget: wall time of both
static const double tightest_tol = 1e-13;  // below lies round-off

typedef struct ladder {
    const tml_method_ops *method;
    const tml_model *model;
    const tml_run_def *run;
    tmli_progress *watch;
    double first, last;           // tolerances
    double limit;                 // CPU time [s]
    double deadline;              // wall clock [s]; 0: none
    double stretch;               // wall time over CPU time of the last run, >= 1
    tmli_samples record, before;  // of the tightest run, and of the one before; no rows: none
    double tol, tol_before;
    double cpu;
    tml_error err;  // why it ended early
} ladder;

static bool run_rung(ladder *l, double tol, double limit, double *cost)
{
    tmli_samples rows = {.signals = l->record.signals};
    tmli_trial t = {
        .model = l->model, .run = *l->run, .what = "reference", .watch = l->watch, .record = &rows};
    t.run.method = l->method->name;
    tmli_run_set_tol(&t.run, tol);
    t.limit = limit;
    t.deadline = l->deadline;
    const double began = tmli_wall_clock();
    tmli_trial_run(&t);
    l->stretch = fmax((tmli_wall_clock() - began) / fmax(t.cpu, 1e-6), 1);
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

// The first rung; a looser one if that takes more than its part of the time.
static bool first_rung(ladder *l, double *cost)
{
    double tol = l->first;
    for (double part = 0.5;; part /= 2) {
        if (run_rung(l, tol, part * l->limit, cost)) return true;
        if (l->err.status != TML_ERR_STOPPED || tol >= 1e-2 || tmli_progress_cancelled(l->watch))
            return false;
        tol = fmin(100 * tol, 1e-2);
    }
}

// A run at ten times the tolerance of the only one there is, to check it by.
static void check_rung(ladder *l)
{
    double cost;
    const tmli_samples kept = l->record;
    const double tol = l->tol;
    l->record.values = NULL;
    l->record.rows = l->record.room = 0;
    l->deadline = 0;  // it takes less than what it checks
    if (10 * tol < 0.5) run_rung(l, 10 * tol, INFINITY, &cost);
    l->before = l->record;
    l->tol_before = l->tol;
    l->record = kept;
    l->tol = tol;
}

static void *climb(void *user)
{
    ladder *l = user;
    double cost = 0, cost_before = 0;
    bool going = first_rung(l, &cost);
    const bool found = going;
    while (going && l->tol > 1.001 * l->last) {
        // what a decade costs, as an exponent: 1/order, or what was seen if that is more
        double power = 1.0 / fmax(l->method->order, 1);
        if (cost_before > 0.01) power = fmax(power, log10(cost / cost_before));
        double left = l->limit - l->cpu;
        if (l->deadline > 0) left = fmin(left, (l->deadline - tmli_wall_clock()) / l->stretch);
        double factor = 10;
        if (cost * pow(10, power) > left) {
            factor = 3;
            going = false;  // the last one
        }
        if (cost * pow(factor, power) > left) break;
        factor = fmin(factor, l->tol / l->last);
        cost_before = cost;
        if (!run_rung(l, l->tol / factor, left, &cost)) break;
    }
    if (found && !l->before.rows) check_rung(l);
    return NULL;
}

static double asked_tightest(const tml_compare_def *def)
{
    double tol = 1;
    for (int i = 0; i < def->ntols; i++) tol = fmin(tol, def->tols[i]);
    return def->nsteps > 0 ? 1e-8 : tol;
}

static void clear_ladder(ladder *l)
{
    tmli_samples_clear(&l->record);
    tmli_samples_clear(&l->before);
}

static void name_of(char *buf, size_t size, const char *method, double tol)
{
    snprintf(buf, size, "%s at %.2g", method, tol);
}

// Takes the records out of the ladders.
static tml_status choose(tmli_reference *ref, ladder *a, ladder *b, double slack, tml_error *err)
{
    if (!a->record.rows || (b->record.rows && b->tol < 0.99 * a->tol)) {
        ladder *swap = a;
        a = b;
        b = swap;
    }
    ref->record = a->record;
    a->record.values = NULL;
    ref->method = a->method->name;
    ref->tol = a->tol;
    ref->known = true;
    name_of(ref->name, sizeof ref->name, ref->method, ref->tol);
    tml_status st = tmli_scales_init(&ref->scales, &ref->record, err);
    if (st != TML_OK) return st;
    tml_errors *u = &ref->uncertainty, by_other = {NAN, NAN, NAN};
    if (a->before.rows) {
        tmli_errors_between(&a->before, &ref->record, &ref->scales, slack, u);  // (2)
        const double r = a->tol_before / ref->tol;
        *u = (tml_errors){u->position / (r - 1), u->velocity / (r - 1), u->multiplier / (r - 1)};
        name_of(ref->check, sizeof ref->check, ref->method, a->tol_before);
    }
    if (b->record.rows && b->tol < 10.01 * ref->tol) {
        tmli_errors_between(&b->record, &ref->record, &ref->scales, slack, &by_other);  // (1)
        name_of(ref->check, sizeof ref->check, b->method->name, b->tol);
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

static void climb_both(ladder *a, ladder *b, int threads)
{
    pthread_t thread;
    const bool parallel = b->method && threads > 1 && pthread_create(&thread, NULL, climb, b) == 0;
    climb(a);
    if (parallel) pthread_join(thread, NULL);
    else if (b->method) climb(b);
}

// The two methods of the highest order, the earlier ones of equal order first; the second must be of some
// order.
static void best_methods(const tml_method_ops *const *methods, const tml_method_ops *best[2])
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
    if (best[1] && best[1]->order < 3 && best[1]->order < best[0]->order) best[1] = NULL;
}

static tml_status compute(tmli_reference *ref, const tml_model *model, const tml_compare_def *def,
                          const tml_run_def *run, const tml_method_ops *const *methods, int threads,
                          double deadline, const tmli_signals *signals, tmli_progress *watch, tml_error *err)
{
    const tml_method_ops *best[2];
    ladder l[2];
    best_methods(methods, best);
    const double tightest = asked_tightest(def);
    for (int i = 0; i < 2; i++)
        l[i] = (ladder){.method = best[i],
                        .model = model,
                        .run = run,
                        .watch = watch,
                        .first = fmax(fmin(100 * tightest, 1e-2), tightest),
                        .last = fmax(tightest / 100, fmin(tightest, tightest_tol)),
                        .limit = def->budget > 0 ? ladder_share * def->budget : INFINITY,
                        .deadline = deadline > 0 ? deadline - (1 - deadline_share) * def->budget : 0,
                        .record = {.signals = signals},
                        .before = {.signals = signals}};
    climb_both(&l[0], &l[1], threads);
    ref->cpu = l[0].cpu + l[1].cpu;
    tml_status st = TML_OK;
    if (l[0].record.rows || l[1].record.rows) {
        st = choose(ref, &l[0], &l[1], 1e-7 * run->output_step, err);
    } else {
        snprintf(ref->check, sizeof ref->check, "%s at %.2g: %.600s", best[0]->name, l[0].first,
                 l[0].err.msg);
    }
    clear_ladder(&l[0]);
    clear_ladder(&l[1]);
    return st;
}

// A method and tolerance by name: that run, and one at ten times its tolerance to check it.
static tml_status compute_named(tmli_reference *ref, const tml_model *model, const tml_compare_def *def,
                                const tml_run_def *run, const tmli_signals *signals, tmli_progress *watch,
                                tml_error *err)
{
    ladder l = {.method = tml_method_find(def->reference_method),
                .model = model,
                .run = run,
                .watch = watch,
                .limit = INFINITY,
                .record = {.signals = signals},
                .before = {.signals = signals}};
    ladder none = {.record = {.signals = signals}};
    double cost;
    tml_status st = TML_OK;
    const bool done = run_rung(&l, def->reference_tol, INFINITY, &cost);
    if (!done && tmli_progress_cancelled(watch)) {
        snprintf(ref->check, sizeof ref->check, "the comparison was stopped");
    } else if (!done) {
        st = tmli_fail(err, l.err.status, "The reference, %s at %g, failed: %s", def->reference_method,
                       def->reference_tol, l.err.msg);
    } else {
        check_rung(&l);
        st = choose(ref, &l, &none, 1e-7 * run->output_step, err);
    }
    ref->cpu = l.cpu;
    clear_ladder(&l);
    return st;
}

static tml_status from_file(tmli_reference *ref, const char *path, const tml_run_def *run, tml_error *err)
{
    tml_status st = tmli_samples_read(&ref->record, path, err);
    if (st == TML_OK) st = tmli_scales_init(&ref->scales, &ref->record, err);
    if (st != TML_OK) return st;
    int common = 0;
    size_t from = 0;
    const double dt = run->output_step;
    for (double k = 1; run->start + k * dt <= run->end + 1e-7 * dt; k++)
        common +=
            tmli_samples_at(&ref->record, fmin(run->start + k * dt, run->end), 1e-7 * dt, &from) != NULL;
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
                               double deadline, const tmli_signals *signals, tmli_progress *watch,
                               tml_error *err)
{
    *ref = (tmli_reference){.record = {.signals = signals}, .uncertainty = {NAN, NAN, NAN}};
    if (def->reference_file) return from_file(ref, def->reference_file, run, err);
    if (def->reference_method) return compute_named(ref, model, def, run, signals, watch, err);
    return compute(ref, model, def, run, methods, threads, deadline, signals, watch, err);
}

void tmli_reference_clear(tmli_reference *ref)
{
    if (!ref->record.signals) return;
    tmli_scales_clear(&ref->scales, &ref->record.signals->env);
    tmli_samples_clear(&ref->record);
}
