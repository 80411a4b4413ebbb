// Verification of a run by a more accurate run: digits of each signal that agree, and whether the tolerance
// was met (judge.c).
//
// Three runs:
//   asked    the very run of `trammel run`: nothing of its settings is replaced, so `auto` chooses its method
//            and unknowns, and changes them, as it does there
//   better   the same settings with a tighter tolerance and step-size control: the reference
//   check    another method, with none of the settings of a particular method, at the tolerance of the
//            reference. Their difference bounds the error of the reference, also one that both accurate and
//            inaccurate runs of one method share. If the method fails, or takes too long, the run is that of
//            the reference at NEXT_TOLERANCE times its tolerance, and the error of the reference is the
//            difference over (NEXT_TOLERANCE - 1), for errors proportional to the tolerance.
// Captured contacts have one method, with fixed steps: the reference has a quarter of the step, the check
// half of it. Errors are of the order 1 across impacts, of 2 between them: the error of the reference is at
// most the difference of the two. A reference that is in doubt where the run would meet its tolerance is
// replaced by a tighter one.
#include "compare/judge.h"
#include "compare/slow.h"
#include "element/force/force.h"

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

enum { ASKED, BETTER, CHECK, RUNS };

typedef struct verifier {
    const tml_model *model;
    const tml_verify_def *def;
    tmli_progress *progress;
    tmli_signals signals;
    tmli_samples rows[RUNS];
    tmli_samples slow[RUNS];  // of ASKED and CHECK: slow.h
    tmli_trial trial[RUNS];
    tmli_sensitivity sensitivity;
    bool extrapolated;
} verifier;

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
    case TML_SIGNAL_STATE: return "states";
    case TML_SIGNAL_OUTPUT: return "outputs";
    case TML_SIGNAL_EVENT: return "event times";
    case TML_SIGNAL_KINDS: break;
    }
    return "?";
}

// ---- runs -------------------------------------------------------------------------------------------------

static void *run_trial(void *user)
{
    tmli_trial *t = user;
    tmli_trial_run(t);
    pthread_mutex_lock(&t->progress->lock);
    t->progress->done++;
    pthread_mutex_unlock(&t->progress->lock);
    return NULL;
}

static void prepare(verifier *v, int which, const tml_run_def *run, const char *what)
{
    tmli_samples_clear(&v->rows[which]);
    v->rows[which].signals = v->slow[which].signals = &v->signals;
    v->rows[which].keeps = run->control == TML_CONTROL_ALL ? NULL : tml_model_system(v->model);
    v->trial[which] = (tmli_trial){.model = v->model,
                                   .run = *run,
                                   .limit = INFINITY,
                                   .what = what,
                                   .progress = v->progress,
                                   .record = &v->rows[which]};
}

static void run_asked_and_better(verifier *v, bool with_asked)
{
    pthread_t thread;
    tmli_trial *t = v->trial;
    tmli_sensitivity_clear(&v->sensitivity);
    t[BETTER].sensitivity = &v->sensitivity;
    const int threads = v->def->threads > 0 ? v->def->threads : tmli_processors();
    const bool parallel =
        with_asked && threads > 1 && pthread_create(&thread, NULL, run_trial, &t[ASKED]) == 0;
    if (with_asked && !parallel) run_trial(&t[ASKED]);
    if (parallel || t[ASKED].status == TML_OK) run_trial(&t[BETTER]);
    if (parallel) pthread_join(thread, NULL);
}

static bool is_captured(const tml_run_def *run) { return run->contacts == TML_CONTACTS_CAPTURED; }

// How much smaller the step or the tolerance of a reference is in the next round, and larger that of its
// check.
static double refinement_of(const tml_run_def *run)
{
    return is_captured(run) ? STEP_REFINEMENT : NEXT_TOLERANCE;
}

static void tighten(tml_run_def *run, double factor)
{
    if (is_captured(run)) {
        run->step /= factor;
        return;
    }
    run->step = 0;
    run->tol /= factor;
    run->rtol /= factor;
    run->atol /= factor;
}

static bool has_elastic_parts(const tml_model *m)
{
    for (int i = 0; i < m->nforces; i++)
        if (m->force[i].ops == tmli_force_type(TML_FORCE_BEAM) ||
            m->force[i].ops == tmli_force_type(TML_FORCE_MODAL))
            return true;
    return false;
}

// Another method than the reference has ended with, and the settings that define the problem, not its
// solution. High orders of bdf are unstable for the undamped vibrations of elastic parts, and its steps
// follow them: the other Radau method, with other equations, checks these.
static tml_run_def settings_of_check(const tmli_trial *better)
{
    const char *const other = has_elastic_parts(better->model) ? "ggl-radau5" : "bdf";
    const tml_run_def *from = &better->run;
    tml_run_def run = tml_run_def_default();
    run.method = strncmp(better->method, "radau", 5) == 0 ? other : "radau5";
    run.start = from->start;
    run.end = from->end;
    run.output_step = from->output_step;
    run.max_step = from->max_step;
    run.switches = from->switches;
    run.threads = from->threads;
    run.tol = from->tol;
    run.rtol = from->rtol;
    run.atol = from->atol;
    run.control = from->control;  // what the tolerance promises
    return run;
}

static void run_check(verifier *v)
{
    const tmli_trial *better = &v->trial[BETTER];
    tmli_trial *t = &v->trial[CHECK];
    tml_run_def run = settings_of_check(better);
    v->extrapolated = is_captured(&better->run);
    if (!v->extrapolated) {
        prepare(v, CHECK, &run, "check");
        t->limit = fmax(CHECK_SECONDS, CHECK_LIMIT * better->cpu);
        run_trial(t);
        if (t->status == TML_OK || tmli_is_shortage(t->status) || t->cancelled) return;
    }
    v->extrapolated = true;
    run = better->run;
    tighten(&run, 1 / refinement_of(&run));
    prepare(v, CHECK, &run, "check");
    run_trial(t);
}

static tml_status outcome(const tmli_trial *t, const char *which, tml_error *err)
{
    if (t->status == TML_OK) return TML_OK;
    char message[TML_ERROR_MSG];
    snprintf(message, sizeof message, "%s", t->err.msg);
    if (err) *err = t->err;
    if (which[0])
        tmli_fail(err, t->status, "The %s (%s, tolerance %.2g) failed: %.900s", which, t->run.method,
                  t->run.tol, message);
    if (err) err->t = t->t;
    return t->status;
}

// ---- the verdict ------------------------------------------------------------------------------------------

static void report(tml_verify_run *r, const tmli_trial *t)
{
    *r = (tml_verify_run){.method = t->method,
                          .first_method = t->first_method,
                          .rtol = t->run.rtol,
                          .atol = t->run.atol,
                          .step = t->run.step,
                          .count = t->count,
                          .cpu_seconds = t->cpu,
                          .t = t->t,
                          .event = t->event};
}

// The slow part of the difference of a run from the reference.
static tml_status find_slow(verifier *v, int which, double slack, double *longest, tml_error *err)
{
    tmli_samples_clear(&v->slow[which]);
    return tmli_slow_rows(v->model, &v->trial[BETTER].run, &v->rows[which], &v->rows[BETTER], slack,
                          &v->slow[which], longest, err);
}

// Differences are judged as they are; if they are too large and vibrate faster than the motion, by what the
// tolerance promises of vibrations.
static tml_status judge(verifier *v, tmli_arena *arena, tml_verification *out, tml_error *err)
{
    const tmli_judgement how = {.asked = &v->rows[ASKED],
                                .better = &v->rows[BETTER],
                                .check = &v->rows[CHECK],
                                .asked_slow = &v->slow[ASKED],
                                .check_slow = &v->slow[CHECK],
                                .check_share =
                                    v->extrapolated ? 1 / (refinement_of(&v->trial[BETTER].run) - 1) : 1,
                                .rtol = v->trial[ASKED].run.rtol,
                                .atol = v->trial[ASKED].run.atol,
                                .output_sensitivity = v->sensitivity.size,
                                .state_scale = v->model->state_scale,
                                .slack = TMLI_INPUT_ERROR * v->trial[ASKED].run.output_step};
    report(&out->asked, &v->trial[ASKED]);
    report(&out->better, &v->trial[BETTER]);
    report(&out->check, &v->trial[CHECK]);
    out->extrapolated = v->extrapolated;
    out->time_scale = 0;
    tmli_samples_clear(&v->slow[ASKED]);
    tmli_samples_clear(&v->slow[CHECK]);
    tml_status st = tmli_judge(&how, arena, out, err);
    if (st != TML_OK || out->met || v->trial[ASKED].run.control == TML_CONTROL_ALL) return st;
    st = find_slow(v, ASKED, how.slack, &out->time_scale, err);
    if (st == TML_OK) st = find_slow(v, CHECK, how.slack, &out->time_scale, err);
    return st == TML_OK && out->time_scale > 0 ? tmli_judge(&how, arena, out, err) : st;
}

// Settings of the first two runs; names of channels.
static tml_status begin(verifier *v, tml_error *err)
{
    const tml_verify_def *def = v->def;
    if (def->size != sizeof *def)
        return tmli_fail(err, TML_ERR_ARG, "the verification was not made by tml_verify_def_default()");
    if (!(def->factor >= 1) || !isfinite(def->factor))
        return tmli_fail(err, TML_ERR_ARG, "A factor of %g is not 1 or greater.", def->factor);
    tml_run_def run = def->run ? *def->run : *tml_model_run(v->model);
    tml_status st = tmli_sim_check_settings(&run, err);
    if (st != TML_OK) return st;
    tml_run_def reference = run;
    // with captured contacts the step decides, not the tolerance
    tighten(&reference, is_captured(&run) ? STEP_REFINEMENT * STEP_REFINEMENT : def->factor);
    if (def->with) reference.method = def->with;
    const tml_method_ops *method;
    st = tmli_sim_find_method(v->model, &reference, &method, err);
    tml_sim *sim = NULL;
    if (st == TML_OK) st = tml_sim_create(v->model, &run, &sim, err);
    if (st == TML_OK) st = tmli_signals_init(&v->signals, sim, err);
    tml_sim_destroy(sim);
    if (st != TML_OK) return st;
    prepare(v, ASKED, &run, "run");
    prepare(v, BETTER, &reference, "reference run");
    v->sensitivity = (tmli_sensitivity){.rtol = run.rtol, .atol = run.atol};
    return TML_OK;
}

static tml_status verify(verifier *v, tmli_arena *arena, tml_verification *out, tml_error *err)
{
    tml_status st = begin(v, err);
    for (int round = 0; st == TML_OK && round <= MAX_REFINEMENTS; round++) {
        if (round > 0) {
            tml_run_def run = v->trial[BETTER].run;
            tighten(&run, refinement_of(&run));
            v->progress->total += 2;
            prepare(v, BETTER, &run, "reference run");
        }
        run_asked_and_better(v, round == 0);
        st = outcome(&v->trial[ASKED], "", err);
        if (st == TML_OK) st = outcome(&v->trial[BETTER], "reference run", err);
        if (st != TML_OK) break;
        run_check(v);
        st = outcome(&v->trial[CHECK], "run that checks the reference", err);
        if (st == TML_OK) st = judge(v, arena, out, err);
        if (out->confirmed || out->ratio > 1) break;
    }
    // a tighter reference that fails leaves the verdict of the one before: not confirmed
    const bool judged = out->signal_count > 0 && !tmli_progress_cancelled(v->progress);
    return judged && !tmli_is_shortage(st) ? TML_OK : st;
}

tml_status tml_verify(const tml_model *model, const tml_verify_def *def, tml_verification **out,
                      tml_error *err)
{
    if (out) *out = NULL;
    if (!model || !out || !def) return tmli_null_argument(err, "tml_verify");
    const tml_env *env = &model->env;
    tml_verification *v = tmli_calloc(env, 1, sizeof *v);
    owner *own = tmli_calloc(env, 1, sizeof *own);
    if (!v || !own) {
        tmli_free_all(env, v, own);
        return tmli_no_memory(err, "verification");
    }
    own->env = *env;
    own->arena.env = &own->env;
    v->own = own;
    tmli_progress progress = {.on_progress = def->on_progress, .user = def->user, .total = RUNS};
    verifier runs = {.model = model, .def = def, .progress = &progress};
    pthread_mutex_init(&progress.lock, NULL);
    const tml_status st = verify(&runs, &own->arena, v, err);
    pthread_mutex_destroy(&progress.lock);
    for (int i = 0; i < RUNS; i++) {
        tmli_samples_clear(&runs.rows[i]);
        tmli_samples_clear(&runs.slow[i]);
    }
    tmli_sensitivity_clear(&runs.sensitivity);
    tmli_signals_clear(&runs.signals);
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
    tmli_free_all(&env, own, v);
}
