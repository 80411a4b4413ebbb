// Discontinuities during a simulation: the state at which a step ends, and the restart there.
#include "base/tolerances.h"
#include "sim/choose.h"
#include "sim/loop.h"

#include <math.h>

#include "sim/constants.h"

tml_status tmli_sim_create_discontinuities(tml_sim *sim, tml_error *err)
{
    tml_status st = tmli_discontinuities_create(sim->sys, sim->run.end - sim->run.start, sim->run.atol,
                                                &sim->discontinuities, err);
    sim->discontinuities.forces = &sim->consistent;
    if (st == TML_OK) st = tml_state_create(sim->sys, &sim->branch_end_located, err);
    if (st == TML_OK) st = tml_state_create(sim->sys, &sim->before_jump, err);
    sim->jump = tmli_calloc(&sim->env, (size_t)sim->sys->m + 1, sizeof *sim->jump);
    sim->impulse = tmli_arena_alloc(&sim->arena, MAX_IMPULSES, sizeof *sim->impulse);
    if (st == TML_OK)
        st = tmli_impacts_create(sim->sys, &sim->consistent, sim->discontinuities.work,
                                 sim->run.end - sim->run.start, &sim->impacts, err);
    sim->discontinuities.rest = &sim->impacts.rows;
    sim->impacts.rows.tol = sim->run.atol;
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
    if (st != TML_OK && d->below_minimum) tmli_sim_explain_stop(sim, err);
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

// Whether the discontinuity that was located far from the end of the last step, from t0 on, is one of the
// interpolation: the branch goes on at the end of the step, and that which ends there moves with it, from
// `before`. Between its ends the step does not follow the motion then, as where something stiff settles.
static bool is_doubtful(const tml_sim *sim, double t0, double before)
{
    const double found = sim->t_reached;
    return tmli_discontinuities_returns(&sim->discontinuities) &&
           fabs(found - before) > REDO_MARGIN * (before - t0) &&
           REDO_SHARE * (found - t0) > sim->driver.h_min;
}

// A shorter step follows the motion, or shows that there is no discontinuity.
static tml_status redo_shorter(tml_sim *sim, double t0, double t_end, tml_error *err)
{
    const tml_status st = redo_step(sim, t0, t0 + REDO_SHARE * (sim->t_reached - t0), false, err);
    if (st == TML_OK)
        sim->restart_pending = tmli_discontinuities_locate(&sim->discontinuities, &sim->driver, t0, t_end,
                                                           &sim->t_reached, sim->branch_end);
    return st;
}

// The state at which a step ends, with its constraints met. The located state decides which event functions
// have crossed zero: projection may move it back by round-off. Velocities across the constraints can be off
// by more after a long step, so that the branch of the projected state ends clearly later or earlier. Then
// the motion goes on with the same modes from there, or from as much before: a short step leads to the end of
// the branch. Else friction that turns would remove a rate which the motion does not have.
static tml_status meet_constraints(tml_sim *sim, double t0, tml_error *err)
{
    tml_state *x = sim->branch_end;
    for (int i = 0; i < 2; i++) {
        tml_state_copy(sim->branch_end_located, x);
        if (tmli_consistent_project(&sim->consistent, x, NULL) != TML_OK)
            tml_state_copy(x, sim->branch_end_located);
        x->t = sim->t_reached;
        const double lead = i > 0 ? INFINITY : tmli_discontinuities_lead(&sim->discontinuities, x, t0),
                     before = sim->t_reached + 2 * lead;
        if (lead > 0) tml_state_copy(sim->branch_end_located, x);
        if (lead >= 0 || !(before > t0) || !tmli_sim_repeats_steps(sim)) return TML_OK;
        const tml_status st = redo_step(sim, t0, before, false, err);
        if (st != TML_OK) return st;
        tml_state_copy(x, tmli_sim_state(sim));
        sim->t_reached = x->t;
    }
    return TML_OK;
}

tml_status tmli_sim_locate_discontinuity(tml_sim *sim, double t0, double t_end, tml_error *err)
{
    tml_state *x = sim->branch_end;
    tmli_discontinuities *s = &sim->discontinuities;
    sim->restart_pending = tmli_discontinuities_locate(s, &sim->driver, t0, t_end, &sim->t_reached, x);
    int redone = 0;
    double before = t0;
    for (; redone < MAX_REDONE && sim->restart_pending && tmli_sim_repeats_steps(sim); redone++) {
        const double end = tmli_sim_time(sim), found = sim->t_reached;
        if (!(end - found > REDO_MARGIN * (end - t0))) break;
        if (redone >= 2 && !is_doubtful(sim, t0, before)) break;
        const tml_status st = redone < 2 ? redo_near(sim, t0, t_end, err) : redo_shorter(sim, t0, t_end, err);
        if (st != TML_OK) return st;
        before = found;
    }
    if (redone > 2 && !sim->restart_pending)  // longer steps do not follow the motion
        sim->driver.h = fmin(sim->driver.h, (tmli_sim_time(sim) - t0) / REDO_SHARE);
    // friction that locks itself: a method that goes on follows no motion
    if (!sim->restart_pending && s->locked.status == TML_RETRY) {
        if (err) *err = s->locked;
        return TML_ERR_STEP;
    }
    if (!sim->restart_pending) return TML_OK;
    const tml_status st = meet_constraints(sim, t0, err);
    if (st != TML_OK) return st;
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

// ---- impulses ---------------------------------------------------------------------------------------------

// A rate that counts as a jump is a share of this [m/s or rad/s].
static double fastest(const tml_sim *sim, const tml_state *x)
{
    const tml_system *s = sim->sys;
    double speed = fmin(s->length, 1) / (sim->run.end - sim->run.start);
    for (int j = 0; j < s->n; j++) speed = fmax(speed, fabs(x->u[j]));
    return speed;
}

// Row r is that of friction or of a unilateral constraint.
static bool is_switched_row(const tml_system *s, int r)
{
    for (int i = 0; i < s->nmode; i++)
        if (s->switches[i].row == r) return true;
    return false;
}

// Impulses of the drivers whose prescribed velocities have jumped by -sim->jump.
static void report_impulses(tml_sim *sim, const tml_state *x, double work)
{
    const double *residual = sim->jump, least = TMLI_INPUT_ERROR * fastest(sim, x);
    for (int i = 0; sim->model && i < sim->model->nconstraints; i++) {
        const tmli_constraint *c = &sim->model->constraint[i];
        for (int k = c->first; c->motion && k < c->first + c->nrows; k++) {
            if (fabs(residual[k]) <= least) continue;
            add_impulse(sim,
                        &(tml_sim_impulse){c->name, x->t, sim->impacts.row_impulse[k], -residual[k], work});
        }
    }
    sim->report.impulses = sim->impulse;
}

// A jump of a position would need an infinite force.
static tml_status refuse_position_jump(tml_sim *sim, int row, const tml_state *x, tml_error *err)
{
    const tml_system *s = sim->sys;
    double position, velocity;
    int at = -1;
    const tml_status st =
        tmli_consistent_residuals(&sim->consistent, x, &position, &velocity, &at, NULL, err);
    if (st != TML_OK || !(position > TMLI_INPUT_ERROR * fmin(s->length, 1))) return st;
    char name[160] = "a constraint";
    if (s->row_name) s->row_name(s, at >= 0 ? at : row, name, sizeof name);
    return tmli_fail(err, TML_ERR_MODEL,
                     "%s: its motion jumps by %.3g at t = %.6g s, which no force can follow; "
                     "write the jump as a short transition with step()",
                     name, position, x->t);
}

// Whether a change of the kinetic energy, `energy` before, shows beside the energies of the run.
static bool shows(const tml_sim *sim, double change, double energy)
{
    return !(fabs(change) <= sim->run.rtol * fmax(energy, sim->report.energy_scale));
}

// The kinetic energy, `energy` before, has changed by `change` at t without a cause, in the order of the
// energies of the run. Location and interpolation leave the square of their errors of velocities.
static tml_status refuse_unexplained(const tml_sim *sim, double t, int row, double change, double energy,
                                     tml_error *err)
{
    const tml_system *s = sim->sys;
    char name[160] = "the constraints";
    if (!shows(sim, change, energy)) return TML_OK;
    if (row >= 0 && s->row_name) s->row_name(s, row, name, sizeof name);
    return tmli_fail(err, TML_ERR_STEP,
                     "%s: the kinetic energy of %.4g J changes by %.4g J at t = %.6g s, which no impact, "
                     "friction or prescribed motion explains: the motion would be wrong from there on",
                     name, energy, change, t);
}

static tml_status kinetic_energy(tml_sim *sim, const tml_state *x, double *kinetic, tml_error *err)
{
    const tml_system *s = sim->sys;
    double potential, power;
    *kinetic = 0;
    return s->ops->energy ? s->ops->energy(s->self, sim->work, x, kinetic, &potential, &power, err) : TML_OK;
}

// The rate sim->jump of a row has gone. That which the tolerance leaves at a location may do so: drivers that
// move fast do work on what stops.
static tml_status accept_rate(tml_sim *sim, int row, const tml_state *x, double change, double energy,
                              tml_error *err)
{
    if (fabs(sim->jump[row]) <= fmax(TMLI_INPUT_ERROR, sim->run.rtol) * fastest(sim, x)) return TML_OK;
    return refuse_unexplained(sim, x->t, row, change, energy, err);
}

// Put x on the constraints, `row` among them. *change: of the kinetic energy, *energy before.
static tml_status put_on_rows(tml_sim *sim, tml_state *x, double *change, double *energy, tml_error *err)
{
    double after = 0;
    tml_status st = kinetic_energy(sim, x, energy, err);
    if (st == TML_OK) st = tmli_consistent_project(&sim->consistent, x, err);
    if (st == TML_OK) st = kinetic_energy(sim, x, &after, err);
    *change = after - *energy;
    return st;
}

// `row` has changed: friction begins to hold its coordinate, which removes what is left of its rate, or a
// prescribed motion goes on with another branch. *jumps: so that velocities jump; sim->jump has by how much.
// *passes: to remove the rate of friction would stop more than that. At a dead point of the mechanism the
// coordinate hardly moves with the others. Velocities stay then; the multiplier of the row tells whether
// friction can hold it.
static tml_status change_row(tml_sim *sim, int row, tml_state *x, bool *jumps, bool *passes, tml_error *err)
{
    const tml_system *s = sim->sys;
    double change, energy;
    *jumps = *passes = false;
    if (row < 0) return tmli_consistent_accelerations(&sim->consistent, x, err);
    tml_status st = refuse_position_jump(sim, row, x, err);
    if (st == TML_OK) st = s->ops->velocity(s->self, sim->work, x, sim->jump, err);
    const double least = TMLI_AGREEMENT * fastest(sim, x);
    const bool switched = is_switched_row(s, row);
    const int rows = st == TML_OK && !switched ? s->m : 0;
    for (int r = 0; r < rows; r++) *jumps = *jumps || (fabs(sim->jump[r]) > least && !is_switched_row(s, r));
    if (st != TML_OK || *jumps) return st;
    tml_state_copy(sim->branch_end_located, x);
    st = put_on_rows(sim, x, &change, &energy, err);
    if (st != TML_OK || !shows(sim, change, energy)) return st;
    if (!switched) return accept_rate(sim, row, x, change, energy, err);
    *passes = true;
    tml_state_copy(x, sim->branch_end_located);
    return tmli_consistent_accelerations(&sim->consistent, x, err);
}

// Friction holds the row that was to pass: its rate goes, if it is what the tolerance leaves.
static tml_status stop_row(tml_sim *sim, int row, tml_state *x, tml_error *err)
{
    const tml_system *s = sim->sys;
    double change, energy;
    bool holds = false;
    for (int i = 0; i < x->nmode; i++)
        holds = holds || (s->switches[i].row == row && x->mode[i] == TML_SWITCH_HELD);
    if (!holds) return TML_OK;
    tml_status st = s->ops->velocity(s->self, sim->work, x, sim->jump, err);
    if (st == TML_OK) st = put_on_rows(sim, x, &change, &energy, err);
    if (st == TML_OK) st = accept_rate(sim, row, x, change, energy, err);
    return st == TML_OK ? tmli_consistent_accelerations(&sim->consistent, x, err) : st;
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
// them. Event functions of friction that slips tell the directions of slip without it.
static tml_status find_prescribed(tml_sim *sim, tml_state *x, tml_error *err)
{
    const tml_system *s = sim->sys;
    double *const value = sim->discontinuities.found, *const kept = sim->discontinuities.sample;
    bool all = false;
    for (int i = 0; i < s->nmode; i++) {
        kept[i] = x->mode[i];
        if (s->switches[i].row >= 0) x->mode[i] = TML_SWITCH_RELEASED;
    }
    const tml_status st = tmli_sim_check_fully_driven(sim, x, &all, err);
    s->ops->event_values(s->self, sim->work, x, value);  // the rates
    for (int i = 0; i < s->nmode; i++)
        if (s->switches[i].row >= 0 && !(tmli_is_unilateral(s, i) && all))
            x->mode[i] = !all ? kept[i] : value[i] < 0 ? -TML_SWITCH_DRIVEN : TML_SWITCH_DRIVEN;
    return all && st == TML_OK ? tmli_consistent_accelerations(&sim->consistent, x, err) : st;
}

// Impulses of constraints that are struck, and of prescribed velocities that have jumped. *any: there are
// some. The balance of energy of a run begins with the velocities after those of its start.
static tml_status apply_impulses(tml_sim *sim, tml_state *x, bool begins, bool jumped, bool *any,
                                 tml_error *err)
{
    int count;
    double energy;
    tmli_impulse_work done;
    tml_status st = kinetic_energy(sim, x, &energy, err);
    if (st == TML_OK) st = tmli_impacts_apply(&sim->impacts, x, jumped, &count, &done, err);
    if (st != TML_OK) return st;
    *any = jumped || count > 0;
    if (begins || !*any) return TML_OK;
    const double lost = done.struck + done.rubbed + done.friction;
    sim->dissipated += lost - done.driven;
    sim->part[TMLI_POWER_SUPPLIED] += done.driven;
    sim->part[TMLI_POWER_OF_CONTACTS] -= done.struck + done.rubbed;
    sim->report.impact_count += count;
    sim->report.impact_loss += count > 0 ? lost : 0;
    tmli_sim_add_impulses(sim, x, sim->impacts.row_impulse, sim->impacts.impulse);
    if (jumped) report_impulses(sim, x, done.driven);
    return refuse_unexplained(sim, x->t, -1, done.unexplained, energy + fabs(done.driven), err);
}

// The velocities jump, by impacts or because prescribed ones have `jumped`. All modes that depend on them are
// those of the state after it. By that further constraints may be struck.
static tml_status pass_jumps(tml_sim *sim, tml_state *x, bool begins, bool jumped, tml_error *err)
{
    tml_status st = TML_OK;
    bool any = true;
    for (int round = 0; round <= sim->sys->nmode && any && st == TML_OK; round++) {
        st = apply_impulses(sim, x, begins, jumped, &any, err);
        if (st == TML_OK && jumped) st = tmli_consistent_project(&sim->consistent, x, err);  // positions
        jumped = false;
        if (st != TML_OK || !any || tmli_discontinuities_look_again(&sim->discontinuities, x, true) == 0)
            return st;
        tmli_consistent_rows_changed(&sim->consistent);
        st = tmli_consistent_accelerations(&sim->consistent, x, err);
    }
    for (int i = 0; i < x->nmode; i++)  // impacts without end: the next step goes on with them
        if (tmli_is_unilateral(sim->sys, i) && x->mode[i] == TML_SWITCH_STRUCK)
            x->mode[i] = TML_SWITCH_RELEASED;
    return st;
}

tml_status tmli_sim_check_gaps(tml_sim *sim, const tml_state *x, tml_error *err)
{
    const tml_model *m = sim->model;
    if (!sim->sys->unilateral || !m) return TML_OK;
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

// *value (nmode): event functions of x, with the forces by which closed constraints and friction that sticks
// hold, or do not (tmli_impact_rows_rest). Forces that are unique, at the end of their branch but for round-
// off, do not. *shared: the multipliers of x are others than before.
static tml_status find_held(tml_sim *sim, tml_state *x, double *value, bool *shared, tml_error *err)
{
    const tml_system *s = sim->sys;
    const bool unique = tmli_consistent_inactive_count(&sim->consistent) == 0;
    bool hold = true;
    *shared = tmli_impact_rows_rest(&sim->impacts.rows, x, !unique, true);
    s->ops->event_values(s->self, sim->work, x, value);
    for (int i = 0; i < s->nmode; i++) hold = hold && !(tmli_holds_row(s, x, i) && value[i] < 0);
    if (!*shared || !hold || !unique) return TML_OK;
    *shared = false;
    const tml_status st = tmli_consistent_accelerations(&sim->consistent, x, err);
    s->ops->event_values(s->self, sim->work, x, value);
    return st;
}

// Friction that has just begun to stick may not hold: the multiplier of its row tells. Then it slips at once,
// and the forces on others change; so does a closed limit that would pull. Only rows that are in force change
// here: the modes of all others are decided.
static tml_status release_rows(tml_sim *sim, tml_state *x, tml_error *err)
{
    const tml_system *s = sim->sys;
    tmli_discontinuities *d = &sim->discontinuities;
    double *const value = d->found, *const kept = d->sample;  // both are set again at the restart
    tml_status st = TML_OK;
    for (int round = 0; round <= s->nmode && st == TML_OK; round++) {
        bool slips = false, shared;
        st = find_held(sim, x, value, &shared, err);
        for (int i = 0; i < s->nmode; i++) {
            kept[i] = x->mode[i];
            const bool open = tmli_holds_row(s, x, i) && value[i] < 0;
            slips = slips || open;
            if (!open) x->mode[i] = TML_SWITCH_UNWATCHED;
        }
        if (slips) s->ops->switch_modes(s->self, sim->work, x, NULL, false, NULL);
        for (int i = 0; i < s->nmode; i++)
            if (!tmli_mode_is_watched(x->mode[i])) x->mode[i] = kept[i];
        if (st != TML_OK || (!slips && !shared)) return st;
        tmli_consistent_rows_changed(&sim->consistent);
        st = tmli_consistent_accelerations(&sim->consistent, x, err);
        if (!slips) return st;
    }
    return st;
}

tml_status tmli_sim_settle_modes(tml_sim *sim, tml_state *x, bool begins, bool jumped, tml_error *err)
{
    const bool rows = sim->sys->switches_rows && sim->discontinuities.n > 0;
    tml_status st = begins && rows ? find_prescribed(sim, x, err) : TML_OK;
    if (st == TML_OK && (rows || jumped)) st = pass_jumps(sim, x, begins, jumped, err);
    if (st == TML_OK && rows) st = release_rows(sim, x, err);
    // what rests from here on stays at the end of its branch
    if (st != TML_OK || tmli_discontinuities_look_again(&sim->discontinuities, x, false) == 0) return st;
    tmli_consistent_rows_changed(&sim->consistent);
    return tmli_consistent_accelerations(&sim->consistent, x, err);
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
    bool jumps, passes;
    double before = 0, after = 0;
    tml_status st = potential_of(sim, x, &before, err);
    if (st != TML_OK) return st;
    tmli_discontinuities_change_modes(&sim->discontinuities, sim->branch_end_located, &row);
    for (int i = 0; i < x->nmode; i++) x->mode[i] = sim->branch_end_located->mode[i];
    sim->restart_pending = false;
    if (s->switches_rows) tmli_consistent_rows_changed(&sim->consistent);
    if (s->switches_rows && sim->output_projection.sys) tmli_consistent_rows_changed(&sim->output_projection);
    // a contact that relaxes has lost the energy of its spring
    st = potential_of(sim, x, &after, err);
    if (st != TML_OK) return st;
    sim->dissipated -= after - before;
    sim->part[TMLI_POWER_OF_CONTACTS] += after - before;
    st = change_row(sim, row, x, &jumps, &passes, err);
    if (st == TML_OK) st = tmli_sim_settle_modes(sim, x, false, jumps, err);
    if (st == TML_OK && passes) st = stop_row(sim, row, x, err);
    if (st == TML_OK && sim->massless_motion) st = balance_massless_motion(sim, x, err);
    if (st == TML_OK) st = d->method->start(d->self, x, err);
    if (st != TML_OK) return st;
    if (!d->fixed) tmli_driver_begin(d, sim->run.min_step);
    tmli_discontinuities_restart(&sim->discontinuities, x);
    if (!s->ops->energy) return TML_OK;
    double kinetic, potential;
    return tmli_sim_energy_at_start(sim, x, &kinetic, &potential, err);
}
