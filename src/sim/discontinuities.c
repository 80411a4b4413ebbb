// Discontinuities during a simulation: the state at which a step ends, and the restart there.
#include "base/tolerances.h"
#include "sim/choose.h"
#include "sim/sim.h"

#include <math.h>

#include "sim/constants.h"

tml_status tmli_sim_create_discontinuities(tml_sim *sim, tml_error *err)
{
    tml_status st = tmli_discontinuities_create(sim->sys, sim->run.end - sim->run.start, sim->run.atol,
                                                &sim->discontinuities, err);
    sim->discontinuities.forces = &sim->consistent;
    if (st == TML_OK) st = tml_state_create(sim->sys, &sim->branch_end_located, err);
    if (st == TML_OK) st = tml_state_create(sim->sys, &sim->before_jump, err);
    sim->jump = tmli_calloc(&sim->env, (size_t)(sim->sys->n + 2 * sim->sys->m) + 1, sizeof *sim->jump);
    sim->impulse = tmli_arena_alloc(&sim->arena, MAX_IMPULSES, sizeof *sim->impulse);
    if (st == TML_OK)
        st = tmli_impacts_create(sim->sys, &sim->consistent, sim->run.end - sim->run.start, &sim->impacts,
                                 err);
    if (st == TML_OK && (!sim->jump || !sim->impulse)) st = tmli_no_memory(err, "simulation");
    return st;
}

// Make the last step, from sim->step_start at t0 on, once more so that it ends at `end`. again: its start has
// been made consistent before.
static tml_status redo_step(tml_sim *sim, double t0, double end, bool again, tml_error *err)
{
    tmli_driver *d = &sim->driver;
    const double wanted = d->h;
    tml_status st = again ? TML_OK : tmli_consistent_accelerations(&sim->consistent, sim->step_start, err);
    if (st == TML_OK) st = d->method->start(d->self, sim->step_start, err);
    d->h = end - t0;
    if (st == TML_OK) st = tmli_driver_step(d, end, err);
    d->h = wanted;
    return st;
}

// A discontinuity was located within the last step, from t0 on, at sim->t_reached. If that is not near its
// end, where states are accurate, the step is made again so that it ends a little behind, and farther behind
// if the first location was not as accurate as that.
static tml_status redo_near(tml_sim *sim, double t0, double t_end, tml_error *err)
{
    const double margins[] = {REDO_MARGIN * REDO_MARGIN, REDO_MARGIN};
    const double found = sim->t_reached, h = tmli_sim_time(sim) - t0;
    tmli_discontinuities *s = &sim->discontinuities;
    sim->restart_pending = false;
    for (int i = 0; i < 2 && !sim->restart_pending; i++) {
        const tml_status st = redo_step(sim, t0, found + margins[i] * h, i > 0, err);
        if (st != TML_OK) return st;
        sim->restart_pending =
            tmli_discontinuities_locate(s, &sim->driver, t0, t_end, &sim->t_reached, sim->branch_end);
    }
    return TML_OK;
}

tml_status tmli_sim_locate_discontinuity(tml_sim *sim, double t0, double t_end, tml_error *err)
{
    tml_state *x = sim->branch_end;
    tmli_discontinuities *s = &sim->discontinuities;
    sim->restart_pending = tmli_discontinuities_locate(s, &sim->driver, t0, t_end, &sim->t_reached, x);
    for (int i = 0; i < 2 && sim->restart_pending && tmli_sim_repeats_steps(sim); i++) {
        const double end = tmli_sim_time(sim);
        if (!(end - sim->t_reached > REDO_MARGIN * (end - t0))) break;
        const tml_status st = redo_near(sim, t0, t_end, err);
        if (st != TML_OK) return st;
    }
    if (!sim->restart_pending) return TML_OK;
    // the located state decides which event functions have crossed zero; projection may move it back by
    // round-off
    tml_state_copy(sim->branch_end_located, x);
    if (tmli_consistent_project(&sim->consistent, x, NULL) != TML_OK)
        tml_state_copy(x, sim->branch_end_located);
    x->t = sim->t_reached;
    if (sim->sys->ops->accept) sim->sys->ops->accept(sim->sys->self, sim->work, x);
    return TML_OK;
}

static void add_impulse(tml_sim *sim, const tml_sim_impulse *p)
{
    tml_sim_report *r = &sim->report;
    if (r->impulse_count++ == 0)
        tmli_log(&sim->env, TML_LOG_WARNING,
                 "the velocity that driver '%s' prescribes jumps by %.4g at t = %.6g s: an impulse of %.4g "
                 "N s or N m s, which the channels of its impulse show, not those of forces; write a short "
                 "transition with step() to see its force",
                 p->joint, p->jump, p->t, p->value);
    if (r->impulses_kept < MAX_IMPULSES) sim->impulse[r->impulses_kept++] = *p;
}

// The velocities before the jump violate B u = nu by `residual`. The impulses of the constraints follow from
//   M du + B' Lambda = 0,   B du = -residual                                                              (1)
// by the matrix at x, the state after the jump. Those of drivers whose prescribed velocity jumps are
// reported.
static void report_impulses(tml_sim *sim, const tml_state *x, double *residual, double work)
{
    const tml_system *s = sim->sys;
    tml_sim_report *r = &sim->report;
    double *impulse = residual + s->m, *du = impulse + s->m,
           speed = fmin(s->length, 1) / (sim->run.end - sim->run.start);
    if (!sim->model || tmli_consistent_factor(&sim->consistent, x, NULL) != TML_OK) return;
    for (int j = 0; j < s->n; j++) speed = fmax(speed, fabs(x->u[j]));
    for (int i = 0; i < s->m; i++) residual[i] = -residual[i];
    tmli_index1_solve(&sim->consistent.matrix, NULL, residual, du, impulse);
    tmli_sim_add_impulses(sim, x, impulse, NULL);
    for (int i = 0; i < sim->model->nconstraints; i++) {
        const tmli_constraint *c = &sim->model->constraint[i];
        for (int k = c->first; c->motion && k < c->first + c->nrows; k++) {
            if (fabs(residual[k]) <= TMLI_INPUT_ERROR * speed) continue;
            add_impulse(sim, &(tml_sim_impulse){c->name, x->t, impulse[k], residual[k], work});
        }
    }
    r->impulses = sim->impulse;
}

// The prescribed motion of constraint `row` is discontinuous at x. A jump of the position would need an
// infinite force and is refused. A jump of the velocity is an impulse: the velocities change least, weighted
// by the mass.
static tml_status apply_velocity_jump(tml_sim *sim, int row, tml_state *x, tml_error *err)
{
    const tml_system *s = sim->sys;
    double position, velocity, before = 0, after = 0, potential, power;
    int at = -1;
    tml_status st = tmli_consistent_residuals(&sim->consistent, x, &position, &velocity, &at, NULL, err);
    if (st != TML_OK) return st;
    if (position > TMLI_INPUT_ERROR * fmin(s->length, 1)) {
        char name[160] = "a constraint";
        if (s->row_name) s->row_name(s, at >= 0 ? at : row, name, sizeof name);
        return tmli_fail(err, TML_ERR_MODEL,
                         "%s: its motion jumps by %.3g at t = %.6g s, which no force can follow; "
                         "write the jump as a short transition with step()",
                         name, position, x->t);
    }
    if (s->ops->energy) st = s->ops->energy(s->self, sim->work, x, &before, &potential, &power, err);
    if (st == TML_OK) st = s->ops->velocity(s->self, sim->work, x, sim->jump, err);
    if (st == TML_OK) st = tmli_consistent_project(&sim->consistent, x, err);
    if (st == TML_OK && s->ops->energy)
        st = s->ops->energy(s->self, sim->work, x, &after, &potential, &power, err);
    sim->dissipated -= after - before;
    sim->part[TMLI_POWER_SUPPLIED] += after - before;
    if (st == TML_OK) report_impulses(sim, x, sim->jump, after - before);
    return st;
}

// Motions without inertia follow a jump of the forces at once, and the energy of their springs jumps with
// them.
static tml_status balance_massless_motion(tml_sim *sim, tml_state *x, tml_error *err)
{
    const tml_system *s = sim->sys;
    double kinetic[2] = {0}, potential[2] = {0}, power;
    tml_status st = TML_OK;
    if (s->ops->energy) st = s->ops->energy(s->self, sim->work, x, &kinetic[0], &potential[0], &power, err);
    if (st == TML_OK) st = tmli_massless_motion_balance(sim->massless_motion, &sim->consistent, x, err);
    if (st == TML_OK && s->ops->energy)
        st = s->ops->energy(s->self, sim->work, x, &kinetic[1], &potential[1], &power, err);
    sim->dissipated -= kinetic[1] + potential[1] - kinetic[0] - potential[0];
    return st;
}

// If drivers prescribe all motion, friction cannot stick: a row that held its coordinate would contradict
// them. The modes 1 and -1 tell the directions of slip without it.
static tml_status find_prescribed(tml_sim *sim, tml_state *x, tml_error *err)
{
    const tml_system *s = sim->sys;
    double *const value = sim->discontinuities.found, *const kept = sim->discontinuities.sample;
    bool all = false;
    for (int i = 0; i < s->nmode; i++) {
        kept[i] = x->mode[i];
        if (s->mode_of_force[i]) x->mode[i] = 1;  // slips, or is open
    }
    const tml_status st = tmli_sim_check_fully_driven(sim, x, &all, err);
    s->ops->event_values(s->self, sim->work, x, value);  // the rates
    for (int i = 0; i < s->nmode; i++)
        if (s->mode_of_force[i] && !(s->restitution && !isnan(s->restitution[i]) && all))
            x->mode[i] = !all ? kept[i] : value[i] < 0 ? -3 : 3;
    return all && st == TML_OK ? tmli_consistent_accelerations(&sim->consistent, x, err) : st;
}

static tml_status apply_impacts(tml_sim *sim, tml_state *x, bool begins, tml_error *err)
{
    int count;
    double loss;
    const tml_status st = tmli_impacts_apply(&sim->impacts, x, &count, &loss, err);
    if (begins) return st;  // the balance of energy begins with the velocities after it
    sim->dissipated += loss;
    sim->part[TMLI_POWER_OF_CONTACTS] -= loss;
    sim->report.impact_count += count;
    sim->report.impact_loss += loss;
    if (st == TML_OK && count > 0)
        tmli_sim_add_impulses(sim, x, sim->impacts.row_impulse, sim->impacts.impulse);
    return st;
}

tml_status tmli_sim_check_gaps(tml_sim *sim, const tml_state *x, tml_error *err)
{
    const tml_model *m = sim->model;
    if (!sim->sys->restitution || !m) return TML_OK;
    if (!sim->run.switches)
        return tmli_fail(
            err, TML_ERR_ARG,
            "the model has rigid limits or contacts, whose impacts are discontinuities: switches must be on");
    for (int i = 0; i < m->nuser_forces; i++) {
        char text[300];
        if (tmli_mb_starts_beyond(m, sim->work, x, i, text, sizeof text))
            return tmli_fail_at(err, TML_ERR_MODEL, m->force[i].at, "%s", text);
    }
    return TML_OK;
}

// Constraints that are struck get their impulses. Friction that has just begun to stick may not hold: the
// multiplier of its row tells. Then it slips at once, and the forces on others change; so does a closed limit
// that would pull. Only rows that are in force change here: the modes of all others are decided.
tml_status tmli_sim_settle_friction(tml_sim *sim, tml_state *x, bool begins, tml_error *err)
{
    const tml_system *s = sim->sys;
    tmli_discontinuities *d = &sim->discontinuities;
    if (!s->mode_of_force || d->n == 0) return TML_OK;
    double *const value = d->found, *const kept = d->sample;  // both are set again at the restart
    tml_status st = begins ? find_prescribed(sim, x, err) : TML_OK;
    if (st == TML_OK) st = apply_impacts(sim, x, begins, err);
    for (int round = 0; round <= s->nmode && st == TML_OK; round++) {
        bool slips = false;
        s->ops->event_values(s->self, sim->work, x, value);
        for (int i = 0; i < s->nmode; i++) {
            kept[i] = x->mode[i];
            const bool open = s->mode_of_force[i] && x->mode[i] == 2 && value[i] < 0;
            slips = slips || open;
            if (!open) x->mode[i] = INFINITY;
        }
        if (slips) s->ops->switch_modes(s->self, sim->work, x, NULL, false, NULL);
        for (int i = 0; i < s->nmode; i++)
            if (isinf(x->mode[i])) x->mode[i] = kept[i];
        if (!slips) return TML_OK;
        tmli_consistent_rows_changed(&sim->consistent);
        st = tmli_consistent_accelerations(&sim->consistent, x, err);
    }
    return st;
}

// *potential := that of x
static tml_status potential_of(tml_sim *sim, const tml_state *x, double *potential, tml_error *err)
{
    const tml_system *s = sim->sys;
    double kinetic, power;
    return s->ops->energy ? s->ops->energy(s->self, sim->work, x, &kinetic, potential, &power, err) : TML_OK;
}

tml_status tmli_sim_restart_after_switch(tml_sim *sim, tml_error *err)
{
    const tml_system *s = sim->sys;
    tmli_driver *d = &sim->driver;
    tml_state *x = sim->branch_end;
    int row = -1;
    double before = 0, after = 0;
    tml_status st = potential_of(sim, x, &before, err);
    if (st != TML_OK) return st;
    tmli_discontinuities_change_modes(&sim->discontinuities, sim->branch_end_located, &row);
    for (int i = 0; i < x->nmode; i++) x->mode[i] = sim->branch_end_located->mode[i];
    sim->restart_pending = false;
    if (s->mode_of_force) tmli_consistent_rows_changed(&sim->consistent);
    // a contact that relaxes has lost the energy of its spring
    st = potential_of(sim, x, &after, err);
    if (st != TML_OK) return st;
    sim->dissipated -= after - before;
    sim->part[TMLI_POWER_OF_CONTACTS] += after - before;
    st = row >= 0 ? apply_velocity_jump(sim, row, x, err)
                  : tmli_consistent_accelerations(&sim->consistent, x, err);
    if (st == TML_OK) st = tmli_sim_settle_friction(sim, x, false, err);
    if (st == TML_OK && sim->massless_motion) st = balance_massless_motion(sim, x, err);
    if (st == TML_OK) st = d->method->start(d->self, x, err);
    if (st != TML_OK) return st;
    if (!d->fixed) tmli_driver_begin(d, sim->run.min_step);
    tmli_discontinuities_restart(&sim->discontinuities, x);
    if (!s->ops->energy) return TML_OK;
    double kinetic, potential;
    return tmli_sim_energy_at_start(sim, x, &kinetic, &potential, err);
}
