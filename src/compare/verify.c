// Verification of a run by a more accurate reference run: digits of each signal that agree, and whether the
// tolerance was met.
//
// The criterion is the definition of the tolerance (docs/theory/alpha.md, section 6): with positions x of the
// reference run and starting positions x0, by components,
//
//   |dx| <= atol L + rtol |x - x0|,      angle between the orientations <= atol                       (1)
#include "base/quantity.h"
#include "compare/trial.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tolerances.h"
#include "compare/constants.h"

typedef struct owner {
    tml_env env;
    tmli_arena arena;
} owner;

tml_verify_def tml_verify_def_default(void)
{
    return (tml_verify_def){.size = sizeof(tml_verify_def), .factor = 100};
}

const char *tml_signal_kind_name(tml_signal_kind kind)
{
    switch (kind) {
    case TML_SIGNAL_POSITION: return "positions";
    case TML_SIGNAL_ORIENTATION: return "orientations";
    case TML_SIGNAL_VELOCITY: return "velocities";
    case TML_SIGNAL_ANGULAR_VELOCITY: return "angular velocities";
    case TML_SIGNAL_COORDINATE: return "joint coordinates";
    case TML_SIGNAL_REACTION: return "reactions";
    case TML_SIGNAL_FORCE: return "forces";
    case TML_SIGNAL_ENERGY: return "energies";
    case TML_SIGNAL_OUTPUT: return "outputs";
    case TML_SIGNAL_KINDS: break;
    }
    return "?";
}

// ---- signals ----------------------------------------------------------------------------------------------

static double largest_of(const tmli_signals *s, const tmli_scales *scales, int i)
{
    double x = 0;
    const int first = i - s->component[i];
    for (int k = first; k < first + s->width[i]; k++) x = fmax(x, scales->own[k]);
    return x;
}

// Largest change of the energies: the zero of the potential is arbitrary.
static double energy_scale(const tmli_samples *r)
{
    const tmli_signals *s = r->signals;
    double scale = 0;
    for (int i = 0; i < s->n; i++) {
        if (s->kind[i] != TML_SIGNAL_ENERGY) continue;
        for (size_t k = 0; k < r->rows; k++)
            scale = fmax(scale, fabs(r->values[k * (size_t)s->n + (size_t)i] - r->values[i]));
        if (strcmp(s->name[i], "energy.kinetic") == 0) scale = fmax(scale, r->values[i]);
    }
    return scale;
}

static double scale_of(const tmli_samples *r, const tmli_scales *scales, int i)
{
    const tmli_signals *s = r->signals;
    const double L = s->length, own = largest_of(s, scales, i);
    const bool length = tmli_quantity_of(s->unit[i]) == TMLI_QUANTITY_LENGTH,
               moment = tmli_quantity_of(s->unit[i]) == TMLI_QUANTITY_MOMENT;
    switch ((tml_signal_kind)s->kind[i]) {
    case TML_SIGNAL_POSITION: return L;
    case TML_SIGNAL_ORIENTATION: return 1;
    case TML_SIGNAL_VELOCITY: return scales->velocity;
    case TML_SIGNAL_ANGULAR_VELOCITY: return scales->velocity / L;
    case TML_SIGNAL_COORDINATE: return s->angle[i] ? 1 : length ? L : own;
    case TML_SIGNAL_FORCE:
        if (s->angle[i] || length) return s->angle[i] ? 1 : L;
        return fmax(own, MIN_FORCE_SCALE * scales->force * (moment ? L : 1));
    case TML_SIGNAL_REACTION: return fmax(own, MIN_FORCE_SCALE * scales->force * (moment ? L : 1));
    case TML_SIGNAL_ENERGY: return energy_scale(r);
    case TML_SIGNAL_OUTPUT:
    case TML_SIGNAL_KINDS: break;
    }
    return own;
}

static double digits_of(double difference, double scale)
{
    if (isnan(difference)) return 0;
    if (!(difference > 0)) return DBL_DIG + 1;
    return fmin(fmax(-log10(difference / scale), 0), DBL_DIG + 1);
}

// Signal of channel i, its largest difference at the common times.
static void measure(const tmli_samples *a, const tmli_samples *b, double slack, int i, tml_verify_signal *out)
{
    const tmli_signals *s = a->signals;
    size_t from = 0;
    out->difference = 0;
    out->t = b->values[0];
    for (size_t k = 0; k < a->rows; k++) {
        const double *x = a->values + k * (size_t)s->n, *y = tmli_samples_at(b, x[0], slack, &from);
        if (!y) continue;
        const double d =
            out->kind == TML_SIGNAL_ORIENTATION ? tmli_quaternion_angle(x + i, y + i) : fabs(x[i] - y[i]);
        if (d > out->difference || isnan(d)) {
            out->difference = d;
            out->t = x[0];
        }
    }
}

static int by_digits(const void *a, const void *b)
{
    const tml_verify_signal *x = a, *y = b;
    if (x->digits != y->digits) return x->digits < y->digits ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return strcmp(x->name, y->name);
}

// "rod.q0" gives "rod.orientation"
static const char *orientation_name(tmli_arena *arena, const char *channel)
{
    char buf[700];
    const char *dot = strrchr(channel, '.');
    snprintf(buf, sizeof buf, "%.*s.orientation", dot ? (int)(dot - channel) : (int)strlen(channel), channel);
    return tmli_arena_strdup(arena, buf);
}

static tml_status measure_all(tml_verification *v, tmli_arena *arena, const tmli_samples *a,
                              const tmli_samples *b, double slack, tml_error *err)
{
    const tmli_signals *s = a->signals;
    tmli_scales scales;
    v->signals = tmli_arena_alloc(arena, (size_t)s->n, sizeof *v->signals);
    tml_status st = v->signals ? tmli_scales_init(&scales, b, err) : tmli_no_memory(err, "verification");
    if (st != TML_OK) return st;
    for (int i = 0; i < s->n && st == TML_OK; i++) {
        const bool orientation = s->kind[i] == TML_SIGNAL_ORIENTATION;
        if (s->kind[i] == TMLI_SIGNAL_NONE || (orientation && s->component[i] != 0)) continue;
        tml_verify_signal *out = &v->signals[v->signal_count++];
        out->kind = (tml_signal_kind)s->kind[i];
        out->name = orientation ? orientation_name(arena, s->name[i]) : tmli_arena_strdup(arena, s->name[i]);
        out->unit = orientation ? "rad" : tmli_arena_strdup(arena, s->unit[i]);
        if (!out->name || !out->unit) st = tmli_no_memory(err, "verification");
        measure(a, b, slack, i, out);
        out->scale = scale_of(b, &scales, i);
        out->digits = digits_of(out->difference, out->scale);
    }
    tmli_scales_clear(&scales, &s->env);
    if (st == TML_OK) qsort(v->signals, (size_t)v->signal_count, sizeof *v->signals, by_digits);
    return st;
}

// ---- the tolerance ----------------------------------------------------------------------------------------

static tml_status check_tolerance(tml_verification *v, tmli_arena *arena, const tmli_samples *a,
                                  const tmli_samples *b, double slack, tml_error *err)
{
    const tmli_signals *s = a->signals;
    size_t from = 0;
    int worst = -1;
    for (size_t k = 0; k < a->rows; k++) {
        const double *x = a->values + k * (size_t)s->n, *y = tmli_samples_at(b, x[0], slack, &from);
        if (!y) continue;
        v->output_times++;
        for (int i = 0; i < s->n; i++) {
            double ratio = 0;  // (1)
            if (s->kind[i] == TML_SIGNAL_POSITION)
                ratio = fabs(x[i] - y[i]) /
                        (v->asked.atol * s->length + v->asked.rtol * fabs(y[i] - b->values[i]));
            else if (s->kind[i] == TML_SIGNAL_ORIENTATION && s->component[i] == 0)
                ratio = tmli_quaternion_angle(x + i, y + i) / v->asked.atol;
            if (isnan(ratio)) ratio = INFINITY;
            if (ratio <= v->ratio) continue;
            v->ratio = ratio;
            v->ratio_t = x[0];
            worst = i;
        }
    }
    v->met = v->ratio <= 1;
    if (worst < 0) return TML_OK;
    const bool orientation = s->kind[worst] == TML_SIGNAL_ORIENTATION;
    v->ratio_name =
        orientation ? orientation_name(arena, s->name[worst]) : tmli_arena_strdup(arena, s->name[worst]);
    return v->ratio_name ? TML_OK : tmli_no_memory(err, "verification");
}

// ---- the two runs -----------------------------------------------------------------------------------------

static void *run_trial(void *user)
{
    tmli_trial *t = user;
    tmli_trial_run(t);
    pthread_mutex_lock(&t->progress->lock);
    t->progress->done++;
    pthread_mutex_unlock(&t->progress->lock);
    return NULL;
}

static void report(tml_verify_run *r, const tmli_trial *t)
{
    *r = (tml_verify_run){.method = t->run.method,
                          .rtol = t->run.rtol,
                          .atol = t->run.atol,
                          .step = t->run.step,
                          .count = t->count,
                          .cpu_seconds = t->cpu,
                          .t = t->t,
                          .event = t->event};
}

static tml_status outcome(const tmli_trial *t, const char *which, tml_error *err)
{
    if (t->status == TML_OK) return TML_OK;
    char message[TML_ERROR_MSG];
    snprintf(message, sizeof message, "%s", t->err.msg);
    if (err) *err = t->err;
    if (which[0])
        tmli_fail(err, t->status, "The reference run (%s, tolerance %.2g) failed: %.900s", t->run.method,
                  t->run.tol, message);
    if (err) err->t = t->t;
    return t->status;
}

static tml_status verify(tml_verification *v, tmli_arena *arena, const tml_model *model,
                         const tml_verify_def *def, tmli_signals *signals, tmli_progress *progress,
                         tmli_samples rows[2], tml_error *err)
{
    if (def->size != sizeof *def)
        return tmli_fail(err, TML_ERR_ARG, "the verification was not made by tml_verify_def_default()");
    if (!(def->factor >= 1) || !isfinite(def->factor))
        return tmli_fail(err, TML_ERR_ARG, "A factor of %g is not 1 or greater.", def->factor);
    tml_run_def run = def->run ? *def->run : *tml_model_run(model);
    tml_status st = tmli_sim_check_settings(&run, err);
    if (st != TML_OK) return st;
    tml_run_def reference = run;
    reference.step = 0;
    reference.tol /= def->factor;
    reference.rtol /= def->factor;
    reference.atol /= def->factor;
    tml_sim *sim = NULL;
    st = tml_sim_create(model, &run, &sim, err);
    if (st == TML_OK) {  // `auto` chooses once, for both runs
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        run.method = report.method;
        reference.method = def->with ? def->with : run.method;
        const tml_method_ops *method;
        st = tmli_sim_find_method(model, &reference, &method, err);
    }
    if (st == TML_OK) st = tmli_signals_init(signals, sim, err);
    tml_sim_destroy(sim);
    if (st != TML_OK) return st;
    rows[0].signals = rows[1].signals = signals;
    tmli_trial t[2] = {{.run = run, .what = "run"}, {.run = reference, .what = "reference run"}};
    for (int i = 0; i < 2; i++) {
        t[i].model = model;
        t[i].limit = INFINITY;
        t[i].progress = progress;
        t[i].record = &rows[i];
    }
    pthread_t thread;
    const int threads = def->threads > 0 ? def->threads : tmli_processors();
    const bool parallel = threads > 1 && pthread_create(&thread, NULL, run_trial, &t[0]) == 0;
    if (!parallel) run_trial(&t[0]);
    if (parallel || t[0].status == TML_OK) run_trial(&t[1]);
    if (parallel) pthread_join(thread, NULL);
    st = outcome(&t[0], "", err);
    if (st == TML_OK) st = outcome(&t[1], "reference", err);
    if (st != TML_OK) return st;
    report(&v->asked, &t[0]);
    report(&v->better, &t[1]);
    v->length = signals->length;
    const double slack = TMLI_INPUT_ERROR * run.output_step;
    st = measure_all(v, arena, &rows[0], &rows[1], slack, err);
    return st == TML_OK ? check_tolerance(v, arena, &rows[0], &rows[1], slack, err) : st;
}

tml_status tml_verify(const tml_model *model, const tml_verify_def *def, tml_verification **out,
                      tml_error *err)
{
    if (out) *out = NULL;
    if (!model || !out) return tmli_null_argument(err, "tml_verify");
    const tml_env *env = &model->env;
    tml_verification *v = tmli_calloc(env, 1, sizeof *v);
    owner *own = tmli_calloc(env, 1, sizeof *own);
    if (!v || !own) {
        tmli_free(env, v);
        tmli_free(env, own);
        return tmli_no_memory(err, "verification");
    }
    own->env = *env;
    own->arena.env = &own->env;
    v->own = own;
    tmli_signals signals = {0};
    tmli_samples rows[2] = {0};
    tmli_progress progress = {.on_progress = def->on_progress, .user = def->user, .total = 2};
    pthread_mutex_init(&progress.lock, NULL);
    const tml_status st = verify(v, &own->arena, model, def, &signals, &progress, rows, err);
    pthread_mutex_destroy(&progress.lock);
    tmli_samples_clear(&rows[0]);
    tmli_samples_clear(&rows[1]);
    tmli_signals_clear(&signals);
    if (st == TML_OK) *out = v;
    else tml_verification_destroy(v);
    return st;
}

void tml_verification_destroy(tml_verification *v)
{
    if (!v) return;
    owner *own = v->own;
    const tml_env env = own->env;
    tmli_arena_clear(&own->arena);
    tmli_free(&env, own);
    tmli_free(&env, v);
}
