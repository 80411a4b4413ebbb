// Creation of a simulation: settings, a consistent start, the choice of the method, its integrator.
#include "analysis/assembly/assembly.h"
#include "analysis/statics/equilibrium.h"
#include "analysis/statics/stability.h"
#include "consistency/tolerances.h"
#include "integrate/core/methods.h"
#include "model/build/build.h"
#include "sim/choose.h"
#include "sim/loop.h"
#include "system/state/units.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/constants.h"

// The equilibrium at rest, or of steady rotation by (1) or, if `own`, (3) of spin.h, and its stability.
// *alone (may be NULL): bodies turn in place.
static tml_status find_equilibrium(tml_sim *sim, bool own, bool *alone, tmli_equilibrium *e, int *unstable,
                                   tml_error *err)
{
    tmli_spin spin = {0};
    const bool turns = sim->run.begin == TML_BEGIN_STEADY;
    tml_status st = turns ? tmli_spin_init(&spin, sim->model, sim->out, own, alone, err) : TML_OK;
    if (st == TML_OK && turns) st = tmli_consistent_accelerations(&sim->consistent, sim->out, err);
    if (st == TML_OK)
        st = tmli_equilibrium_find(sim->sys, sim->out, turns ? &spin : NULL, NULL, NULL, e, err);
    tmli_spin_clear(&spin);
    if (st != TML_OK) return st;
    tml_state_copy(sim->branch_end, sim->out);  // velocities that the file gives do not count
    return tmli_equilibrium_stability(sim->sys, turns ? sim->model : NULL, sim->work, sim->out,
                                      e->neutral ? fmax(e->residual, DBL_EPSILON) : 0, unstable, err);
}

// True: the start moves steadily as it is. A disc that rolls in a turn has no rotation by (1) of spin.h.
static bool is_steady(tml_sim *sim, const tml_state *start)
{
    int unstable = -1;
    if (sim->run.begin != TML_BEGIN_STEADY) return false;
    tml_state_copy(sim->out, start);
    const tml_status st =
        tmli_equilibrium_stability(sim->sys, sim->model, sim->work, sim->out, 0, &unstable, NULL);
    tml_state_copy(sim->out, start);
    return st == TML_OK && unstable >= 0;
}

// Move the assembled start to an equilibrium: at rest, or of steady rotation. Bodies turn together if that is
// steady, each about its own axis else: a shaft that its weight bends. A start that is steady where neither
// is stays.
static tml_status begin_in_equilibrium(tml_sim *sim, tml_error *err)
{
    tmli_equilibrium e, other;
    int unstable, others;
    bool alone = false;
    tml_equilibrium *const out = &sim->report.equilibrium;
    tml_state *start = NULL, *found = NULL, *given = NULL;
    tml_status st = tml_state_create(sim->sys, &start, err);
    if (st == TML_OK) st = tml_state_create(sim->sys, &given, err);
    if (st == TML_OK) st = tml_state_create(sim->sys, &found, err);
    if (st == TML_OK) {
        tml_state_copy(start, sim->out);
        tml_state_copy(given, sim->branch_end);
    }
    if (st == TML_OK) st = find_equilibrium(sim, false, &alone, &e, &unstable, err);
    if (st == TML_OK && unstable < 0 && alone) {
        tml_state_copy(found, sim->out);
        tml_state_copy(sim->out, start);
        if (find_equilibrium(sim, true, NULL, &other, &others, NULL) == TML_OK && others >= 0) {
            e = other;
            unstable = others;
        } else {
            tml_state_copy(sim->out, found);
            tml_state_copy(sim->branch_end, found);
        }
    }
    bool stays = false;
    if ((st == TML_OK && unstable < 0) || (st != TML_OK && !tmli_is_shortage(st) && start && found)) {
        if (st == TML_OK) tml_state_copy(found, sim->out);
        stays = is_steady(sim, start);
        if (stays) tml_state_copy(sim->branch_end, given);
        else if (st == TML_OK) tml_state_copy(sim->out, found);
    }
    tml_state_destroy(start, sim->sys);
    tml_state_destroy(found, sim->sys);
    tml_state_destroy(given, sim->sys);
    if (stays) {
        if (err) *err = (tml_error){0};
        return TML_OK;
    }
    if (st != TML_OK) return st;
    *out = (tml_equilibrium){.found = true,
                             .relaxed = e.relaxed,
                             .neutral = e.neutral,
                             .turns = sim->run.begin == TML_BEGIN_STEADY,
                             .steps = e.steps,
                             .iterations = e.iterations,
                             .limit_points = e.limit_points,
                             .unstable = unstable,
                             .residual = e.residual,
                             .moved = e.moved};
    _Static_assert((int)TML_LIMIT_LOADS == (int)TMLI_LIMIT_LOADS, "both keep as many");
    memcpy(out->limit_load, e.limit_load, sizeof out->limit_load);
    return TML_OK;
}

// The branches that expressions take from the start on. A motion with a kink there, such as |sin t|, has the
// rate of its branch: positions and velocities are assembled anew, from those given, if it demands others.
static tml_status start_on_branches(tml_sim *sim, const double *weight, tml_error *err)
{
    const tml_system *s = sim->sys;
    tmli_discontinuities *const d = &sim->discontinuities;
    double position[2], velocity[2];
    tml_status st =
        tmli_consistent_residuals(&sim->consistent, sim->out, &position[0], &velocity[0], NULL, NULL, err);
    tmli_discontinuities_set_modes(d, sim->out);
    if (st == TML_OK)
        st = tmli_consistent_residuals(&sim->consistent, sim->out, &position[1], &velocity[1], NULL, NULL,
                                       err);
    if (st == TML_OK && (position[1] > position[0] || velocity[1] > velocity[0])) {
        memcpy(sim->out->u, sim->branch_end->u, (size_t)s->n * sizeof(double));
        // friction that sticks by the old velocities must not hold what this branch moves
        for (int i = 0; i < s->nmode; i++)
            if (s->switches[i].row >= 0) sim->out->mode[i] = TML_SWITCH_UNSET;
        st = tmli_assemble(s, weight, sim->out, NULL, NULL, err);
        if (st == TML_OK && s->ops->accept) s->ops->accept(s->self, sim->work, sim->out);
        if (st == TML_OK) tmli_discontinuities_set_modes(d, sim->out);
    }
    // friction that sticks on a coordinate that joints hold repeats their rows
    tmli_consistent_rows_changed(&sim->consistent);
    if (st == TML_OK) st = tmli_consistent_accelerations(&sim->consistent, sim->out, err);
    return st == TML_OK ? tmli_sim_settle_modes(sim, sim->out, true, false, err) : st;
}

static tml_status start_state(tml_sim *sim, const tml_state *x0, tml_error *err)
{
    const tml_system *s = sim->sys;
    double *weight = NULL;
    if (x0) tml_state_copy(sim->out, x0);
    else tml_model_start(sim->model, sim->run.start, sim->out);
    tmli_sim_set_origin(sim, sim->out);
    if (sim->model && !tmli_assembly_weights(sim->model, &weight)) return tmli_no_memory(err, "simulation");
    sim->out->t = sim->run.start;
    double moved = 0;
    tml_state_copy(sim->branch_end, sim->out);  // as given, for start()
    tml_status st = tmli_assemble(s, weight, sim->out, &moved, NULL, err);
    if (st == TML_OK && !x0 && sim->run.begin != TML_BEGIN_GIVEN) st = begin_in_equilibrium(sim, err);
    // drivers that move begin with their speeds, as the rows of the first step have it
    if (st == TML_OK && sim->report.equilibrium.found)
        st = tmli_assemble(s, weight, sim->out, NULL, NULL, err);
    if (st == TML_OK && sim->model && moved > TMLI_LARGEST_CORRECTION)
        tmli_log(&sim->env, TML_LOG_WARNING,
                 "initial positions violate the joints; the assembly moved bodies by up to %.2g model "
                 "lengths or rad ('trammel check' names the bodies)",
                 moved);
    if (st == TML_OK && sim->model) tmli_model_stop_massless_rotations(sim->model, sim->out);
    if (st == TML_OK && s->ops->accept) s->ops->accept(s->self, sim->work, sim->out);
    if (st == TML_OK) st = tmli_consistent_accelerations(&sim->consistent, sim->out, err);
    if (st == TML_OK) st = tmli_sim_check_gaps(sim, sim->out, err);
    if (st == TML_OK && sim->discontinuities.n > 0) st = start_on_branches(sim, weight, err);
    tmli_free(&sim->env, weight);
    return st;
}

static tml_status start_massless_motion(tml_sim *sim, tml_error *err)
{
    tml_status st = tmli_massless_motion_create(sim->sys, sim->work, sim->out, &sim->massless_motion, err);
    return st == TML_OK ? tmli_massless_motion_balance(sim->massless_motion, &sim->consistent, sim->out, err)
                        : st;
}

// The reason why a method cannot integrate motions without inertia; NULL: it can. Methods that integrate
// accelerations have none for these motions. Undamped methods ((12) of alpha.h) keep every disturbance of
// them. Stabilized Radau formulas weight position corrections by the mass.
static const char *obstacle(const tml_sim *sim)
{
    const tml_method_ops *method = sim->method;
    const tml_integrator_options opt = {.run = sim->run};
    if (method->equations != TML_EQUATIONS_INDEX3 && method->equations != TML_EQUATIONS_INDEX2)
        return "integrates accelerations";
    if (method->mass_weighted) return "corrects positions by their inertia";
    const bool undamped = method->radius_at_infinity && method->radius_at_infinity(&opt) > UNDAMPED;
    return undamped ? "does not damp what has no inertia" : NULL;
}

static tml_status check_massless_motion(const tml_sim *sim, tml_error *err)
{
    char name[160];
    const int j = sim->massless_motion ? tmli_massless_motion_coordinate(sim->massless_motion) : -1;
    const char *why = j >= 0 ? obstacle(sim) : NULL;
    if (!why) return TML_OK;
    return tmli_fail(err, TML_ERR_MODEL,
                     "'%s' has no mass, and only forces determine its motion. Method %s cannot integrate it, "
                     "because it %s; use bdf, radau5 or genalpha with damping, or give the body mass",
                     sim->sys->coordinate_name(sim->sys, j, name, sizeof name), sim->method->name, why);
}

bool tmli_sim_may_pivot(const tml_sim *sim)
{
    return tmli_sim_is_auto(sim->run.solver) && !sim->solver->pivots;
}

tml_status tmli_sim_create_consistent(tml_sim *sim, tml_error *err)
{
    return tmli_consistent_create_redundant(sim->sys, sim->solver, &sim->consistent, err);
}

static tml_status start_with_fallback(tml_sim *sim, const tml_state *x0, tml_error *err)
{
    tml_error first = {0};
    tml_status st = tmli_sim_create_consistent(sim, err);
    if (st == TML_OK) st = start_state(sim, x0, &first);
    if (st != TML_ERR_SINGULAR || !tmli_sim_may_pivot(sim)) {
        if (st != TML_OK && first.msg[0] && err) *err = first;
        return st;
    }
    tmli_consistent_clear(&sim->consistent);
    sim->solver = &tml_linsolver_klu;
    st = tmli_sim_create_consistent(sim, err);
    if (st == TML_OK) st = start_state(sim, x0, err);
    if (st == TML_OK) tmli_log(&sim->env, TML_LOG_WARNING, "%s; using solver klu instead", first.msg);
    if (st == TML_ERR_SINGULAR)
        tmli_error_append(err, "(constraints are redundant, or a part without mass can move freely; 'trammel "
                               "check' names them)");
    return st;
}

// Outputs are projected with the solver `tree`, which is several times faster, unless the user has chosen
// another.
static tml_status create_output_projection(tml_sim *sim, tml_error *err)
{
    const tml_linsolver_ops *solver = tmli_acceleration_solver(sim->solver, sim->sys->pattern);
    if (!tmli_sim_may_pivot(sim) || solver == sim->solver) return TML_OK;
    const tml_status st = tmli_consistent_create_redundant(sim->sys, solver, &sim->output_projection, err);
    if (st != TML_OK) return st;
    return tmli_consistent_set_known(&sim->output_projection, sim->out,
                                     tmli_consistent_redundant(&sim->consistent), err);
}

static bool has_redundant_rows(const tml_sim *sim)
{
    return tmli_consistent_inactive_count(&sim->consistent) > 0;
}

void tmli_sim_set_joints(tml_sim *sim, tml_system *joints)
{
    if (sim->joints) tml_system_destroy(sim->joints);
    sim->joints = joints;
}

tml_status tmli_sim_create_method(tml_sim *sim, const bool *dependent, tmli_driver *d, tml_error *err)
{
    const tml_run_def *run = &sim->run;
    tml_integrator_options opt = tml_integrator_options_default();
    opt.run = *run;
    opt.duration = run->end - run->start;
    opt.fixed_step = run->step > 0;
    opt.solver = sim->solver;
    opt.caller_handles_stiffness = sim->auto_method;
    opt.redundant = dependent;
    opt.shared_workspace = &sim->consistent;
    d->fixed = opt.fixed_step;
    d->h_max = run->max_step > 0 ? run->max_step : INFINITY;
    // Without a degree of freedom these methods have no error to control. Their motion is exact at any step,
    // but the work of the drivers is integrated over steps: they are not longer than the time between
    // outputs.
    if (sim->fully_driven && sim->method->exact_if_driven) d->h_max = fmin(d->h_max, run->output_step);
    d->h_min = run->min_step > 0 ? run->min_step : 4 * DBL_EPSILON * opt.duration;
    tml_status st = tmli_method_create(sim->method, sim->sys, &opt, &sim->joints, &d->method, &d->self, err);
    tmli_sim_set_joints(sim, NULL);  // not taken: the method is on bodies
    tmli_relaxation_clear(&sim->relaxation);
    if (st == TML_OK && d->method->smooth)
        st = tmli_relaxation_create(sim->sys, sim->solver, run, sim->model ? v3_norm(sim->model->gravity) : 0,
                                    tmli_consistent_redundant(&sim->consistent), &sim->relaxation, err);
    return st;
}

tml_status tmli_sim_create_integrator(tml_sim *sim, const tml_state *x, const bool *dependent, tmli_driver *d,
                                      tml_error *err)
{
    tml_status st = tmli_sim_create_method(sim, dependent, d, err);
    if (st == TML_OK) st = d->method->start(d->self, x, err);
    if (st != TML_OK) return st;
    d->h = sim->run.step;
    if (!d->fixed) tmli_driver_begin(d, x->t > sim->run.start ? sim->run.min_step : d->h_min);
    return TML_OK;
}

// Joint coordinates need joints that close exactly. If they do not, and the user has not requested joint
// coordinates, the coordinates of the bodies are used.
static tml_status start_integrator(tml_sim *sim, tml_error *err)
{
    const bool *dependent = tmli_consistent_redundant(&sim->consistent);
    tml_error first = {0};
    sim->t_reached = sim->out->t;
    const tml_status st = tmli_sim_create_integrator(sim, sim->out, dependent, &sim->driver, &first);
    if (st != TML_ERR_MODEL || !sim->auto_kinematics || sim->run.kinematics == TML_KINEMATICS_BODIES) {
        if (st != TML_OK && err) *err = first;
        return st;
    }
    if (sim->driver.self) sim->driver.method->destroy(sim->driver.self);
    sim->driver.self = NULL;
    sim->run.kinematics = TML_KINEMATICS_BODIES;
    return tmli_sim_create_integrator(sim, sim->out, dependent, &sim->driver, err);
}

tml_status tmli_sim_take_choice(tml_sim *sim, const struct tmli_sim_choice *choice, tml_error *err)
{
    sim->method = choice->method;
    sim->run.kinematics = choice->kinematics;
    return sim->solver->pivots ? TML_OK : tmli_sim_find_solver(sim, err);
}

static tml_status choose_method(tml_sim *sim, tml_error *err)
{
    tmli_sim_choice choice = {0};
    tml_status st = tmli_sim_choose(sim, sim->out, false, &choice, err);
    if (st != TML_OK) return st;
    sim->auto_method = true;
    snprintf(sim->reason, sizeof sim->reason, "%s", choice.reason);
    return tmli_sim_take_choice(sim, &choice, err);
}

// Multipliers of driven constraints do work. Those of a user's system may do work.
static bool multipliers_may_work(const tml_sim *sim)
{
    if (sim->sys->loads) return true;
    for (int i = 0; sim->model && i < sim->model->nconstraints; i++)
        if (sim->model->constraint[i].motion) return true;
    return !sim->model && sim->sys->m > 0;
}

// Energy that positions within the tolerance can miss: the tolerance times the work of the forces over a
// length or rad. Forces in equilibrium cancel in f: weights and the stored energy count on their own. A model
// without forces, at rest, can move by the tolerance in the time of the run.
static tml_status find_allowed_energy(tml_sim *sim, tml_error *err)
{
    const tml_system *s = sim->sys;
    const tml_model *m = sim->model;
    double *f = tmli_calloc(&sim->env, (size_t)(s->n + s->m) + 1, sizeof *f);
    if (!f) return tmli_no_memory(err, "simulation");
    double sum = fabs(sim->report.potential);
    const tml_status st = s->ops->dynamics(s->self, sim->work, sim->out, f, f + s->n, err);
    for (int j = 0; j < s->n - s->nz; j++) sum += fabs(f[j]) * tmli_coordinate_unit(s, j);
    const double tol = fmax(sim->run.rtol, sim->run.atol),
                 speed = s->length / (sim->run.end - sim->run.start);
    for (int i = 0; m && i < m->nbodies; i++)
        sum += m->node[i].mass * (v3_norm(m->gravity) * s->length + tol * speed * speed);
    sim->report.energy_allowed = tol * sum;
    tmli_free(&sim->env, f);
    return st;
}

static tml_status start_energy(tml_sim *sim, tml_error *err)
{
    tml_sim_report *r = &sim->report;
    sim->moving = multipliers_may_work(sim);
    if (!sim->sys->ops->energy) return TML_OK;
    double kinetic, potential;
    tml_status st = tmli_sim_energy_at_start(sim, sim->out, &kinetic, &potential, err);
    r->energy_start = kinetic + potential;
    r->kinetic = kinetic;
    r->potential = potential;
    return st == TML_OK ? find_allowed_energy(sim, err) : st;
}

tml_status tmli_sim_allocate(const tml_sim_def *def, const tml_run_def *run, tml_sim **out, tml_error *err)
{
    const tml_system *sys = def->model ? tml_model_system(def->model) : def->system;
    tml_sim *sim = tmli_calloc(&sys->env, 1, sizeof *sim);
    *out = sim;
    if (!sim) return tmli_no_memory(err, "simulation");
    sim->env = sys->env;
    sim->arena.env = &sim->env;
    sim->model = def->model ? def->model : tmli_mb_model(sys);  // the system may be that of a model
    sim->given = sim->sys = sys;
    sim->run = *run;
    sim->report.position_row = -1;
    sim->open.row = -1;
    for (int i = 0; sim->model && i < sim->model->nforces; i++) {
        const tmli_force *f = &sim->model->force[i];
        const double creep = f->ops->creep ? f->ops->creep(f) : 0;
        sim->report.creeping_count += creep > 0;
        if (!(creep > sim->report.creep)) continue;
        sim->report.creep = creep;
        sim->report.creeps_most = f->name;
    }
    sim->event_pending = -1;
    return TML_OK;
}

tml_status tmli_sim_create_parts(tml_sim *sim, tml_error *err)
{
    tml_status st = tmli_sim_share_schedule(sim, err);
    const tml_system *sys = sim->sys;
    const double duration = sim->run.end - sim->run.start;
    if (st == TML_OK) st = tml_state_create(sys, &sim->out, err);
    if (st == TML_OK) st = tml_state_create(sys, &sim->scratch, err);
    if (st == TML_OK) st = tml_state_create(sys, &sim->branch_end, err);
    if (st == TML_OK)
        st = tmli_time_probe_create(sys, fmin(sim->run.output_step, duration / LEAST_PROBES), sim->run.atol,
                                    duration, &sim->time_probe, err);
    if (st == TML_OK) st = tmli_sim_create_power(sim, err);
    if (st != TML_OK) return st;
    sim->work = sys->ops->create_work(sys->self, &sim->env);
    sim->event_last =
        tmli_calloc(&sim->env, sim->model ? (size_t)sim->model->nevents + 1 : 1, sizeof(double));
    sim->input = tmli_calloc(&sim->env, 2 * (size_t)sim->sys->ninput + 1, sizeof(double));
    if (!sim->work || !sim->event_last || !sim->input) return tmli_no_memory(err, "simulation");
    st = tmli_sim_watch_tables(sim, err);
    if (st == TML_OK) st = tmli_sim_create_poles(sim, err);
    if (st == TML_OK) st = tmli_sim_create_actuators(sim, err);
    if (st != TML_OK) return st;
    return sys->nmode > 0 && sim->run.switches ? tmli_sim_create_discontinuities(sim, err) : TML_OK;
}

// Actuators must be able to exert the forces of the drivers at the start; later failures leave NAN.
static tml_status start_actuators(tml_sim *sim, tml_error *err)
{
    if (!sim->fully_driven) return tmli_sim_fail_undriven(sim, "actuators", err);
    tml_state_copy(sim->scratch, sim->out);
    return tmli_sim_actuate(sim, sim->scratch, err);
}

static tml_status start(tml_sim *sim, const tml_state *x0, tml_error *err)
{
    tml_status st = start_with_fallback(sim, x0, err);
    if (st == TML_OK && sim->model) st = tmli_sim_note_start(sim, sim->branch_end, err);
    if (st == TML_OK) st = tmli_sim_check_branch(sim, err);
    if (st == TML_OK && sim->model) st = tmli_sim_note_idle_springs(sim, err);
    if (st == TML_OK && sim->consistent.matrix.has_massless) st = start_massless_motion(sim, err);
    if (st == TML_OK) tmli_discontinuities_restart(&sim->discontinuities, sim->out);
    sim->auto_kinematics = sim->run.kinematics == TML_KINEMATICS_AUTO;
    if (st == TML_OK && !sim->method) st = choose_method(sim, err);
    if (st == TML_OK) st = check_massless_motion(sim, err);
    if (st == TML_OK) st = tmli_sim_check_fully_driven(sim, sim->out, &sim->fully_driven, err);
    if (st == TML_OK && sim->method->driven_only && !sim->fully_driven)
        st = tmli_sim_fail_undriven(sim, sim->method->name, err);
    if (st == TML_OK) st = start_integrator(sim, err);
    if (st == TML_OK) st = create_output_projection(sim, err);
    if (st == TML_OK && has_redundant_rows(sim))
        st = tmli_minimum_norm_create(sim->sys, sim->solver, &sim->minimum_norm, err);
    if (st == TML_OK) st = start_energy(sim, err);
    if (st == TML_OK && sim->actuators) st = start_actuators(sim, err);
    if (st == TML_OK && sim->model) st = tmli_sim_build_channels(sim, err);
    if (st == TML_OK && sim->model) st = tmli_sim_flag_reactions(sim, has_redundant_rows(sim), err);
    return st;
}

tml_sim_def tml_sim_def_default(void) { return (tml_sim_def){.size = sizeof(tml_sim_def)}; }

tml_status tml_sim_create_def(const tml_sim_def *def, tml_sim **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!def || !out || (!def->model && !(def->system && def->x0)))
        return tmli_null_argument(err, "tml_sim_create");
    const tml_system *sys = def->model ? tml_model_system(def->model) : def->system;
    if (def->x0 && !tmli_state_fits(sys, def->x0))
        return tmli_fail(err, TML_ERR_ARG, "tml_sim_create: the state x0 belongs to another system");
    const tml_run_def defaults = tml_run_def_default();
    const tml_run_def *run = def->run ? def->run : def->model ? tml_model_run(def->model) : &defaults;
    tml_sim *sim = NULL;
    tml_status st = tmli_sim_allocate(def, run, &sim, err);
    if (st == TML_OK) st = tmli_sim_check_settings(&sim->run, err);
    if (st == TML_OK && def->method) sim->method = def->method;
    else if (st == TML_OK) st = tmli_sim_find_method(sim->model, &sim->run, &sim->method, err);
    if (st == TML_OK) st = tmli_sim_check_loads(sim, err);
    if (st == TML_OK) st = tmli_sim_find_solver(sim, err);
    if (st == TML_OK) st = tmli_sim_create_parts(sim, err);
    if (st == TML_OK) st = start(sim, def->x0, err);
    if (st != TML_OK) {
        tml_sim_destroy(sim);
        return st;
    }
    sim->t_start = sim->run.start;
    sim->report.method = sim->driver.method->name;
    sim->report.reason = sim->reason[0] ? sim->reason : NULL;
    sim->report.solver = sim->solver->name;
    *out = sim;
    return TML_OK;
}

tml_status tml_sim_create(const tml_model *model, const tml_run_def *run, tml_sim **out, tml_error *err)
{
    const tml_sim_def def = {.size = sizeof def, .model = model, .run = run};
    return tml_sim_create_def(&def, out, err);
}

tml_status tml_sim_create_system(const tml_system *sys, const tml_state *x0, const tml_run_def *run,
                                 tml_sim **out, tml_error *err)
{
    const tml_sim_def def = {.size = sizeof def, .system = sys, .x0 = x0, .run = run};
    return tml_sim_create_def(&def, out, err);
}

void tml_sim_destroy(tml_sim *sim)
{
    if (!sim) return;
    if (sim->driver.self) sim->driver.method->destroy(sim->driver.self);
    tmli_sim_set_joints(sim, NULL);
    tmli_consistent_clear(&sim->consistent);
    tmli_consistent_clear(&sim->output_projection);
    tmli_minimum_norm_clear(&sim->minimum_norm);
    tmli_relaxation_clear(&sim->relaxation);
    tmli_sim_destroy_actuators(sim);
    tmli_discontinuities_clear(&sim->discontinuities);
    tmli_massless_motion_destroy(sim->massless_motion);
    if (sim->work) sim->sys->ops->destroy_work(sim->work);
    tml_state_destroy(sim->out, sim->sys);
    tml_state_destroy(sim->scratch, sim->sys);
    tmli_time_probe_clear(&sim->time_probe);
    tml_state_destroy(sim->step_start, sim->sys);
    tmli_free_all(&sim->env, sim->quintic, sim->power_fit);
    tmli_impacts_clear(&sim->impacts);
    tmli_free(&sim->env, sim->jump);
    tml_state_destroy(sim->branch_end, sim->sys);
    tml_state_destroy(sim->branch_end_located, sim->sys);
    tml_state_destroy(sim->before_jump, sim->sys);
    tmli_free_all(&sim->env, sim->event_last, sim->input);
    tmli_result_destroy(sim->record);
    tmli_arena_clear(&sim->arena);
    tmli_symbolic_clear(&sim->schedule);
    const tml_env env = sim->env;
    tmli_free(&env, sim);
}

void tml_sim_set_hooks(tml_sim *sim, const tml_sim_hooks *hooks)
{
    if (sim) sim->hooks = hooks ? *hooks : (tml_sim_hooks){0};
}
