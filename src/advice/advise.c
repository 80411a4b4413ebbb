// Advice: make trial steps with the choice of `auto`, and estimate the condition of the iteration matrix at
// the resulting step size.
#include "analysis/modes/linearize.h"
#include "base/base.h"
#include "sim/loop.h"
#include <trammel/advice.h>

#include <math.h>
#include <stdio.h>

#include "advice/constants.h"

// Settings with all choices left to `auto`, with the times and tolerances of another run.
static tml_run_def auto_run(const tml_run_def *from)
{
    tml_run_def run = tml_run_def_default();
    run.start = from->start;
    run.end = from->end;
    run.tol = from->tol;
    run.rtol = from->rtol;
    run.atol = from->atol;
    run.max_step = from->max_step;
    run.switches = from->switches;
    run.threads = 1;
    return run;
}

static void report_choice(const tml_sim *sim, tml_advice *out)
{
    tml_sim_report r;
    tml_sim_get_report(sim, &r);
    out->method = r.method;
    snprintf(out->method_reason, sizeof out->method_reason, "%s", r.reason ? r.reason : "");
    const bool joints =
        tml_sim_settings(sim)->kinematics == TML_KINEMATICS_JOINTS ||
        (tml_method_is_explicit(sim->method) && tml_sim_settings(sim)->kinematics == TML_KINEMATICS_AUTO &&
         sim->model && !sim->sys->ops->accelerate);
    out->unknowns = joints ? "joints" : "bodies";
    out->solver = r.solver;
    out->solver_reason = sim->solver->merit;
}

// Trial steps. The second half gives the typical step size; the first half grows from a small first step.
static tml_status try_steps(tml_sim *sim, tml_advice *out, tml_error *err)
{
    const tml_system *s = sim->sys;
    const double unknowns = s->n + s->m;
    const long tried = (long)fmax(2, fmin(MAX_TRIAL_STEPS, TRIAL_WORK / fmax(unknowns, 1)));
    const double start = sim->run.start, end = sim->run.end;
    double half = start;
    tml_status st = TML_OK;
    while (out->steps < tried && st == TML_OK && tml_sim_time(sim) < end) {
        if (out->steps == tried / 2) half = tml_sim_time(sim);
        st = tml_sim_step(sim, end, err);
        if (st == TML_OK) out->steps++;
    }
    out->span = tml_sim_time(sim) - start;
    const long before = out->steps > tried / 2 ? tried / 2 : 0;
    if (out->steps > before)
        out->step = (tml_sim_time(sim) - (before ? half : start)) / (double)(out->steps - before);
    snprintf(out->step_reason, sizeof out->step_reason,
             "mean of the error-controlled steps at tolerance %.3g over t = %.3g .. %.3g s", out->tolerance,
             before ? half : start, tml_sim_time(sim));
    return st;
}

// Condition number of genalpha's iteration matrix at the given step size; 0: not known. Fails with a shortage
// only.
static tml_status condition(const tml_model *model, const tml_run_def *from, double step, bool scaled,
                            int *unknowns, double *out, tml_error *why)
{
    tml_run_def run = auto_run(from);
    tml_sim *sim = NULL;
    tml_error err = {0};
    tml_conditioning c = {0};
    *out = 0;
    run.method = "genalpha";
    run.solver = "klu";
    run.step = step;
    run.report = true;
    run.kinematics = TML_KINEMATICS_BODIES;
    run.scaling = scaled ? TML_SCALING_PHYSICAL : TML_SCALING_NONE;
    run.augment = scaled ? 1 : 0;
    tml_status st = tml_sim_create(model, &run, &sim, &err);
    if (st == TML_OK) st = tml_sim_step(sim, run.end, &err);
    if (st == TML_OK && tml_sim_get_conditioning(sim, &c)) {
        *out = c.condition_1;
        *unknowns = c.unknowns;
    } else if (st == TML_ERR_SINGULAR) *out = INFINITY;
    tml_sim_destroy(sim);
    if (!tmli_is_shortage(st)) return TML_OK;
    if (why) *why = err;
    return st;
}

tml_status tml_advise(const tml_model *model, const tml_run_def *run, tml_advice *out, tml_error *err)
{
    if (!model || !out) return tmli_null_argument(err, "tml_advise");
    const tml_run_def *from = run ? run : tml_model_run(model);
    const tml_system *s = tml_model_system(model);
    tml_run_def automatic = auto_run(from);
    tml_sim *sim = NULL;
    tml_error why = {0};
    *out = (tml_advice){.tolerance = isnan(from->rtol) ? from->tol : from->rtol};
    tml_status st = tmli_sim_check_names(model, from, err);
    if (st != TML_OK) return st;
    if (from->contacts == TML_CONTACTS_CAPTURED) {  // nothing to choose
        snprintf(out->failure, sizeof out->failure,
                 "contacts are captured: the method is moreau, with the step that is given");
        return TML_OK;
    }
    st = tml_sim_create(model, &automatic, &sim, &why);
    if (st == TML_OK) {
        report_choice(sim, out);
        st = try_steps(sim, out, &why);
        out->runs = st == TML_OK;
    }
    tml_sim_destroy(sim);
    if (tmli_is_shortage(st)) {
        if (err) *err = why;
        return st;
    }
    snprintf(out->failure, sizeof out->failure, "%s", out->runs ? "" : why.msg);
    if (out->step > 0 && s->n + s->m <= TMLI_LINEARIZE_COORDINATES) {
        st = condition(model, from, out->step, true, &out->unknown_count, &out->condition_scaled, err);
        if (st == TML_OK)
            st = condition(model, from, out->step, false, &out->unknown_count, &out->condition_plain, err);
        return st;
    }
    return TML_OK;
}
