// A simulation from creation to the last output.
#include "sim/sim.h"
#include "analysis/assembly.h"

#include <math.h>
#include <string.h>
#include <time.h>

static double wall_clock(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- settings --------------------------------------------------------------------------------------------------------------

// at: where the model file says it, if it is from there.
static tml_status unknown_name(tml_error *err, tml_mark at, const char *what, const char *name, const char *const *names, size_t count)
{
    const char *near = tmli_nearest(name, names, count);
    tml_status st = near ? tmli_fail_at(err, TML_ERR_ARG, at, "there is no %s '%s' (is it '%s'?)", what, name, near)
                         : tmli_fail_at(err, TML_ERR_ARG, at, "there is no %s '%s'; there %s", what, name,
                                        count == 1 ? "is" : "are");
    for (size_t i = 0; i < count && !near; i++) tmli_error_append(err, "%s%s", names[i], i + 1 < count ? "," : "");
    return st;
}

static bool same_text(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

static tml_status find_method(const tml_model *m, const tml_run_def *run, const tml_method_ops **out, tml_error *err)
{
    const char *names[32];
    size_t count = 0;
    *out = tml_method_find(run->method ? run->method : "genalpha");
    if (*out) return TML_OK;
    for (; tml_methods[count] && count < 32; count++) names[count] = tml_methods[count]->name;
    const bool from_file = m && same_text(run->method, m->run.method);
    return unknown_name(err, from_file ? m->method_at : (tml_mark){0}, "method", run->method, names, count);
}

// auto: block with scaling and augmentation (they make it sound), else klu.
static tml_status find_solver(tml_sim *sim, tml_error *err)
{
    const tml_run_def *run = &sim->run;
    if (!run->solver || strcmp(run->solver, "auto") == 0) {
        const bool sound = run->scaling != TML_SCALING_NONE && run->augment > 0 && sim->model;
        sim->solver = sound ? &tml_linsolver_block : &tml_linsolver_klu;
        return TML_OK;
    }
    sim->solver = tml_linsolver_find(run->solver);
    if (sim->solver) return TML_OK;
    const char *names[32];
    size_t count = 0;
    for (; tml_linsolvers[count] && count < 31; count++) names[count] = tml_linsolvers[count]->name;
    names[count++] = "auto";
    const bool from_file = sim->model && same_text(run->solver, sim->model->run.solver);
    return unknown_name(err, from_file ? sim->model->solver_at : (tml_mark){0}, "solver", run->solver, names, count);
}

static tml_status check_settings(tml_run_def *run, tml_error *err)
{
    if (run->size != sizeof *run)
        return tmli_fail(err, TML_ERR_ARG, "the run definition was not made by tml_run_def_default()");
    if (!(run->end > run->start) || !isfinite(run->end) || !isfinite(run->start))
        return tmli_fail(err, TML_ERR_ARG, "the run ends at t = %g s, but starts at %g s", run->end, run->start);
    if (isnan(run->rtol)) run->rtol = run->tol;
    if (isnan(run->atol)) run->atol = run->tol;
    if (!(run->rtol >= 0 && run->rtol < 1)) return tmli_fail(err, TML_ERR_ARG, "rtol = %g is not in 0 .. 1", run->rtol);
    if (!(run->atol > 0)) return tmli_fail(err, TML_ERR_ARG, "atol = %g is not > 0", run->atol);
    if (!(run->step >= 0)) return tmli_fail(err, TML_ERR_ARG, "step = %g s is negative", run->step);
    if (!(run->max_step >= 0)) return tmli_fail(err, TML_ERR_ARG, "max_step = %g s is negative", run->max_step);
    if (!(run->min_step >= 0)) return tmli_fail(err, TML_ERR_ARG, "min_step = %g s is negative", run->min_step);
    if (!(run->output_step >= 0)) return tmli_fail(err, TML_ERR_ARG, "output_step = %g s is negative", run->output_step);
    if (!(run->augment >= 0) || !isfinite(run->augment))
        return tmli_fail(err, TML_ERR_ARG, "augment = %g is not >= 0", run->augment);
    const double span = run->end - run->start;
    if (run->output_step == 0) run->output_step = span / 500;
    if (span / run->output_step > TMLI_ROWS)
        return tmli_fail(err, TML_ERR_ARG, "output_step = %g s asks for %g rows", run->output_step, span / run->output_step);
    return TML_OK;
}

// ---- creation ----------------------------------------------------------------------------------------------------------------

static tml_status start_state(tml_sim *sim, const tml_state *x0, tml_error *err)
{
    const tml_system *s = sim->sys;
    double *weight = NULL;
    if (!sim->model) {
        tml_state_copy(sim->out, x0);
    } else {
        tml_model_start(sim->model, sim->run.start, sim->out);
        weight = tmli_calloc(&sim->env, (size_t)s->n, sizeof *weight);
        if (!weight) return tmli_fail(err, TML_ERR_NOMEM, "simulation: memory is exhausted");
        for (int j = 0; j < s->n; j++) weight[j] = sim->model->node[s->node[j]].fixed_at_start ? 1e10 : 1;
    }
    sim->out->t = sim->run.start;
    tml_status st = tmli_assemble(s, weight, sim->out, NULL, err);
    tmli_free(&sim->env, weight);
    if (st == TML_OK && s->ops->accept) s->ops->accept(s->self, sim->work, sim->out);
    if (st == TML_OK) st = tmli_consistent_accelerations(&sim->consistent, sim->out, err);
    return st;
}

// True if the solver without pivoting is in use, but not because the user asked for it by name.
static bool may_pivot(const tml_sim *sim)
{
    const bool chosen = sim->run.solver && strcmp(sim->run.solver, "auto") != 0;
    return !chosen && sim->solver != &tml_linsolver_klu;
}

static tml_status start_with_fallback(tml_sim *sim, const tml_state *x0, tml_error *err)
{
    tml_error first = {0};
    tml_status st = tmli_consistent_create(sim->sys, sim->solver, &sim->consistent, err);
    if (st == TML_OK) st = start_state(sim, x0, &first);
    if (st != TML_ERR_SINGULAR || !may_pivot(sim)) {
        if (st != TML_OK && first.msg[0] && err) *err = first;
        return st;
    }
    tmli_consistent_clear(&sim->consistent);
    sim->solver = &tml_linsolver_klu;
    st = tmli_consistent_create(sim->sys, sim->solver, &sim->consistent, err);
    if (st == TML_OK) st = start_state(sim, x0, err);
    if (st == TML_OK) tmli_log(&sim->env, TML_LOG_WARNING, "%s; using solver klu instead", first.msg);
    if (st == TML_ERR_SINGULAR)
        tmli_error_append(err, "(the constraints depend on each other, or a part without mass can move freely; "
                               "'trammel check' names them)");
    return st;
}

// An integrator with its step loop, started from x.
static tml_status create_integrator(const tml_sim *sim, const tml_state *x, tmli_driver *d, tml_error *err)
{
    tml_status st = find_method(sim->model, &sim->run, &d->method, err);
    if (st != TML_OK) return st;
    const tml_run_def *run = &sim->run;
    tml_integrator_options opt = tml_integrator_options_default();
    opt.rtol = run->rtol;
    opt.atol = run->atol;
    opt.duration = run->end - run->start;
    opt.fixed_step = run->step > 0;
    opt.rho = run->rho;
    opt.scaling = run->scaling;
    opt.augment = run->augment;
    opt.solver = sim->solver;
    st = d->method->create(sim->sys, &opt, &d->self, err);
    if (st == TML_OK) st = d->method->start(d->self, x, err);
    if (st != TML_OK) return st;
    d->fixed = opt.fixed_step;
    d->h_max = run->max_step > 0 ? run->max_step : INFINITY;
    d->h_min = run->min_step > 0 ? run->min_step : 1e-15 * opt.duration;
    d->h = opt.fixed_step ? run->step : fmin(d->method->first_step(d->self), d->h_max);
    return TML_OK;
}

static tml_status start_energy(tml_sim *sim, tml_error *err)
{
    tml_sim_report *r = &sim->report;
    if (!sim->sys->ops->energy) return TML_OK;
    double kinetic, potential;
    tml_status st = sim->sys->ops->energy(sim->sys->self, sim->work, sim->out, &kinetic, &potential, &sim->power_last, err);
    r->energy_start = kinetic + potential;
    r->kinetic = kinetic;
    r->potential = potential;
    return st;
}

static tml_status create(const tml_model *model, const tml_system *sys, const tml_state *x0, const tml_run_def *run,
                         tml_sim **out, tml_error *err)
{
    *out = NULL;
    tml_sim *sim = tmli_calloc(&sys->env, 1, sizeof *sim);
    if (!sim) return tmli_fail(err, TML_ERR_NOMEM, "simulation: memory is exhausted");
    sim->env = sys->env;
    sim->arena.env = &sim->env;
    sim->model = model;
    sim->sys = sys;
    sim->run = *run;
    sim->report.position_row = -1;
    tml_status st = check_settings(&sim->run, err);
    if (st == TML_OK) st = find_solver(sim, err);
    if (st == TML_OK) st = tml_state_create(sys, &sim->out, err);
    if (st == TML_OK) st = tml_state_create(sys, &sim->probe, err);
    if (st == TML_OK) {
        sim->work = sys->ops->create_work(sys->self, &sim->env);
        sim->event_last = tmli_calloc(&sim->env, model ? (size_t)model->nevents + 1 : 1, sizeof(double));
        if (!sim->work || !sim->event_last) st = tmli_fail(err, TML_ERR_NOMEM, "simulation: memory is exhausted");
    }
    if (st == TML_OK) st = start_with_fallback(sim, x0, err);
    if (st == TML_OK) st = create_integrator(sim, sim->out, &sim->driver, err);
    if (st == TML_OK) st = start_energy(sim, err);
    if (st == TML_OK && model) st = tmli_sim_build_channels(sim, err);
    if (st != TML_OK) {
        tml_sim_destroy(sim);
        return st;
    }
    sim->t_first = sim->run.start;
    sim->report.method = sim->driver.method->name;
    sim->report.solver = sim->solver->name;
    *out = sim;
    return TML_OK;
}

tml_status tml_sim_create(const tml_model *model, const tml_run_def *run, tml_sim **out, tml_error *err)
{
    return create(model, tml_model_system(model), NULL, run ? run : tml_model_run(model), out, err);
}

tml_status tml_sim_create_system(const tml_system *sys, const tml_state *x0, const tml_run_def *run, tml_sim **out,
                                 tml_error *err)
{
    return create(NULL, sys, x0, run, out, err);
}

void tml_sim_destroy(tml_sim *sim)
{
    if (!sim) return;
    if (sim->driver.self) sim->driver.method->destroy(sim->driver.self);
    tmli_consistent_clear(&sim->consistent);
    if (sim->work) sim->sys->ops->destroy_work(sim->work);
    tml_state_destroy(sim->out, sim->sys);
    tml_state_destroy(sim->probe, sim->sys);
    tmli_free(&sim->env, sim->event_last);
    tmli_arena_clear(&sim->arena);
    const tml_env env = sim->env;
    tmli_free(&env, sim);
}

void tml_sim_set_hooks(tml_sim *sim, const tml_sim_hooks *hooks) { sim->hooks = hooks ? *hooks : (tml_sim_hooks){0}; }

// ---- stepping ------------------------------------------------------------------------------------------------------------------

// Trapezoidal integral of the non-conservative power: of the order of the method, enough for an audit.
static tml_status add_power(tml_sim *sim, double h, tml_error *err)
{
    const tml_system *s = sim->sys;
    if (!s->ops->energy) return TML_OK;
    double kinetic, potential, power;
    tml_status st =
        s->ops->energy(s->self, sim->work, sim->driver.method->state(sim->driver.self), &kinetic, &potential, &power, err);
    if (st != TML_OK) return st;
    sim->work_taken -= h * (power + sim->power_last) / 2;
    sim->power_last = power;
    return TML_OK;
}

// The solver without pivoting met a matrix it cannot factor: go on from the last accepted state with the one that pivots.
static tml_status switch_solver(tml_sim *sim, tml_error *err)
{
    const tml_method_ops *method = sim->driver.method;
    const tml_state *x = method->state(sim->driver.self);
    tmli_log(&sim->env, TML_LOG_WARNING, "%s; using solver klu from t = %g s on", err ? err->msg : "singular matrix", x->t);
    sim->solver = &tml_linsolver_klu;
    sim->report.solver = sim->solver->name;
    tmli_driver next = sim->driver;
    next.self = NULL;
    tml_status st = create_integrator(sim, x, &next, err);
    if (st != TML_OK) {
        method->destroy(next.self);
        return st;
    }
    const tml_counters *spent = method->counters(sim->driver.self);
    sim->earlier.steps += spent->steps;
    sim->earlier.iterations += spent->iterations;
    sim->earlier.residuals += spent->residuals;
    sim->earlier.factorizations += spent->factorizations;
    method->destroy(sim->driver.self);
    sim->driver = next;
    tmli_consistent_clear(&sim->consistent);
    return tmli_consistent_create(sim->sys, sim->solver, &sim->consistent, err);
}

tml_status tml_sim_step(tml_sim *sim, double t_end, tml_error *err)
{
    const double before = tml_sim_time(sim);
    if (!(t_end > before)) return TML_OK;
    tml_status st = tmli_driver_step(&sim->driver, t_end, err);
    if (st == TML_ERR_SINGULAR && may_pivot(sim)) {
        st = switch_solver(sim, err);
        if (st == TML_OK) st = tmli_driver_step(&sim->driver, t_end, err);
    }
    if (st == TML_OK) st = add_power(sim, tml_sim_time(sim) - before, err);
    return st;
}

// ---- outputs ---------------------------------------------------------------------------------------------------------------------

// The state at time t within the last step: interpolated, projected, with its own accelerations and multipliers.
static void state_at(tml_sim *sim, double t, tml_state *out)
{
    const tml_state *x = sim->driver.method->state(sim->driver.self);
    const double h = sim->row_step;
    const double theta = h > 0 ? fmin(fmax(1 - (x->t - t) / h, 0), 1) : 1;
    if (theta >= 1) tml_state_copy(out, x);
    else sim->driver.method->interpolate(sim->driver.self, theta, out);
    tml_state_copy(sim->probe, out);
    // where the constraints become dependent the integrator's own state is the best there is
    if (tmli_consistent_project(&sim->consistent, out, NULL) != TML_OK) tml_state_copy(out, sim->probe);
    out->t = t;
    if (sim->sys->ops->accept) sim->sys->ops->accept(sim->sys->self, sim->work, out);
}

static tml_status measure_row(tml_sim *sim, double work_before, tml_error *err)
{
    const tml_state *x = sim->driver.method->state(sim->driver.self);
    tml_sim_report *r = &sim->report;
    int row;
    tml_status st = tmli_consistent_residuals(&sim->consistent, x, &sim->row_residual[0], &sim->row_residual[1], &row,
                                              NULL, err);
    if (st != TML_OK) return st;
    if (sim->row_residual[0] > r->position_residual) {
        r->position_residual = sim->row_residual[0];
        r->position_row = row;
    }
    r->velocity_residual = fmax(r->velocity_residual, sim->row_residual[1]);
    // the non-conservative work up to the output time, linear within the step
    const double theta = sim->row_step > 0 ? 1 - (x->t - sim->out->t) / sim->row_step : 1;
    sim->row_dissipated = work_before + theta * (sim->work_taken - work_before);
    if (!sim->sys->ops->energy) return TML_OK;
    double power;
    st = sim->sys->ops->energy(sim->sys->self, sim->work, sim->out, &r->kinetic, &r->potential, &power, err);
    r->dissipated = sim->row_dissipated;
    const double error = fabs(r->kinetic + r->potential + r->dissipated - r->energy_start);
    r->energy_error = fmax(r->energy_error, error);
    r->energy_scale = fmax(r->energy_scale, fmax(fabs(r->kinetic), fmax(fabs(r->potential - r->energy_start), fabs(r->dissipated))));
    return st;
}

static tml_status output(tml_sim *sim, double t, double work_before, tml_error *err)
{
    state_at(sim, t, sim->out);
    tml_status st = measure_row(sim, work_before, err);
    if (st == TML_OK && sim->hooks.on_output) {
        st = sim->hooks.on_output(sim, sim->out, sim->hooks.user);
        if (st != TML_OK && err && err->status != st) tmli_fail(err, st, "stopped by the output hook at t = %g s", t);
    }
    return st;
}

// ---- events ----------------------------------------------------------------------------------------------------------------------

static double event_value(tml_sim *sim, int i, const tml_state *x)
{
    tmli_mb_set_poses(sim->model, sim->work, x->q);
    return tmli_mb_expression(sim->model, sim->work, x, &sim->model->event[i].when);
}

static bool crossed(const tmli_event *e, double before, double after)
{
    if (before == 0 || isnan(before) || isnan(after)) return false;
    const bool up = before < 0 && after >= 0, down = before > 0 && after <= 0;
    return (up && e->direction >= 0) || (down && e->direction <= 0);
}

// Bisection on the dense output; 50 halvings reach the resolution of t.
static double locate(tml_sim *sim, int i, double t0, double t1)
{
    const double before = sim->event_last[i];
    for (int k = 0; k < 50; k++) {
        const double t = t0 + (t1 - t0) / 2;
        if (t <= t0 || t >= t1) break;
        state_at(sim, t, sim->out);
        if (crossed(&sim->model->event[i], before, event_value(sim, i, sim->out))) t1 = t;
        else t0 = t;
    }
    return t1;
}

// First event within the last step, or -1; *t becomes its time.
static int find_event(tml_sim *sim, double t_before, double *t)
{
    const tml_state *x = sim->driver.method->state(sim->driver.self);
    int first = -1;
    *t = x->t;
    if (!sim->model) return -1;
    for (int i = 0; i < sim->model->nevents; i++) {
        const double after = event_value(sim, i, x);
        if (crossed(&sim->model->event[i], sim->event_last[i], after)) {
            const double at = locate(sim, i, t_before, x->t);
            if (first < 0 || at < *t) {
                *t = at;
                first = i;
            }
        }
        if (first < 0) sim->event_last[i] = after;
    }
    return first;
}

// ---- the run ---------------------------------------------------------------------------------------------------------------------

static tml_status run_loop(tml_sim *sim, double t_end, tml_error *err)
{
    const double dt = sim->run.output_step, t0 = sim->t_first;
    double k = floor((tml_sim_time(sim) - t0) / dt + 1e-9) + 1;  // number of the next output
    for (int i = 0; sim->model && i < sim->model->nevents; i++)
        sim->event_last[i] = event_value(sim, i, sim->driver.method->state(sim->driver.self));
    tml_status st = output(sim, tml_sim_time(sim), sim->work_taken, err);
    double t_written = tml_sim_time(sim);
    while (st == TML_OK && tml_sim_time(sim) < t_end) {
        const double before = tml_sim_time(sim), work_before = sim->work_taken;
        st = tml_sim_step(sim, t_end, err);
        if (st != TML_OK) break;
        double now = tml_sim_time(sim);
        sim->row_step = now - before;
        const int event = find_event(sim, before, &now);
        const double slack = 1e-9 * dt;
        for (; st == TML_OK && t0 + k * dt <= now + slack && t0 + k * dt < t_end - slack; k++) {
            t_written = fmin(t0 + k * dt, now);
            st = output(sim, t_written, work_before, err);
        }
        const bool last = event >= 0 || now >= t_end;
        if (st == TML_OK && last && now > t_written) st = output(sim, now, work_before, err);
        if (st == TML_OK && sim->hooks.on_step) {
            st = sim->hooks.on_step(sim, now, sim->row_step, sim->hooks.user);
            if (st != TML_OK) tmli_fail(err, st, "stopped at t = %g s", now);
        }
        if (event >= 0) {  // the simulation stands at the event, ready to go on from there
            sim->report.event = sim->model->event[event].name;
            if (st == TML_OK) st = sim->driver.method->start(sim->driver.self, sim->out, err);
            break;
        }
    }
    return st;
}

tml_status tml_sim_run(tml_sim *sim, double t_end, tml_error *err)
{
    if (isnan(t_end)) t_end = sim->run.end;
    if (t_end < tml_sim_time(sim))
        return tmli_fail(err, TML_ERR_ARG, "the simulation is at t = %g s and cannot go back to %g s", tml_sim_time(sim), t_end);
    const double clock = wall_clock();
    tml_status st = run_loop(sim, t_end, err);
    sim->report.wall_seconds += wall_clock() - clock;
    if (st != TML_OK && err) err->t = tml_sim_time(sim);
    return st;
}

// ---- questions -------------------------------------------------------------------------------------------------------------------

double tml_sim_time(const tml_sim *sim) { return sim->driver.method->state(sim->driver.self)->t; }
const tml_state *tml_sim_state(const tml_sim *sim) { return sim->driver.method->state(sim->driver.self); }
const tml_system *tml_sim_system(const tml_sim *sim) { return sim->sys; }
const tml_model *tml_sim_model(const tml_sim *sim) { return sim->model; }
const tml_run_def *tml_sim_settings(const tml_sim *sim) { return &sim->run; }
double tml_sim_condition(tml_sim *sim) { return sim->driver.method->condition(sim->driver.self); }

void tml_sim_get_report(const tml_sim *sim, tml_sim_report *out)
{
    *out = sim->report;
    out->count = *sim->driver.method->counters(sim->driver.self);
    out->count.steps += sim->earlier.steps;
    out->count.iterations += sim->earlier.iterations;
    out->count.residuals += sim->earlier.residuals;
    out->count.factorizations += sim->earlier.factorizations;
    out->count.rejected_error = sim->driver.rejected_error;
    out->count.rejected_newton = sim->driver.rejected_newton;
    out->h_min = sim->driver.h_low;
    out->h_max = sim->driver.h_high;
    out->h_mean = out->count.steps ? (tml_sim_time(sim) - sim->t_first) / (double)out->count.steps : 0;
}
