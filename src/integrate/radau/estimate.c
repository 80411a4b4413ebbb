// The error of a step of the Radau methods over what the tolerance allows; equation numbers as in radau.h.
#include "integrate/radau/radau.h"
#include "system/state/first_order.h"
#include "system/state/move.h"

#include <math.h>
#include <string.h>

#include "integrate/radau/constants.h"

// Largest component of the estimate ed, eu over what the whole run may have.
static double largest_estimate(const tmli_radau *r, double h)
{
    double worst = 0;
    for (int j = 0; j < r->sys->n; j++) {
        // at very small steps the estimate contains the round-off of the positions over h, from across the
        // constraints
        const double q = fabs(r->ed[j]) / tmli_weights_position(&r->weights, j, r->moved);
        const double u = fabs(r->eu[j]) / tmli_weights_velocity_across(&r->weights, j, h,
                                                                       r->stages.gyration_ratio, r->trial->t);
        if (!(q <= worst)) worst = q;
        if (!(u <= worst)) worst = u;
    }
    return worst;
}

// Error over the allowed error of a step, (1), with the largest estimate.
static double converted(const tmli_radau *r, double h, double largest)
{
    const double tol = fmax(r->opt.run.atol, r->opt.run.rtol);
    const double power = (double)r->table->order / r->table->estimate_order;
    const double safety = r->table->stages == 3 && r->stages.fields == 2 ? 1 : ERROR_SAFETY;
    return safety * r->table->convert * pow(largest * tol, power) /
           (tol * tmli_weights_budget(&r->weights, h));
}

// Largest displacement within the step by the estimate, over what the whole run may have. States have none
// and are judged themselves.
static double largest_displacement(tmli_radau *r, double h)
{
    const double k = h / cabs(r->table->eigen[0].mu);
    double worst = 0;
    r->damped[0] = r->damped[1] = 0;
    for (int j = 0; j < r->sys->n; j++) {
        const bool state = r->sys->kind[j] == TML_COORDINATE_STATE;
        const double length = state ? 0 : r->sys->length / tmli_weights_unit(&r->weights, j);
        r->damped[0] = fmax(r->damped[0], length * fmax(fabs(r->ed[j]), k * fabs(r->eu[j])));
        r->damped[1] = fmax(r->damped[1], length * fabs(r->eu[j]));
        const double allowed =
            state ? tmli_weights_velocity(&r->weights, j) : tmli_weights_position(&r->weights, j, r->moved);
        worst = fmax(worst, (state ? fabs(r->eu[j]) : fmax(fabs(r->ed[j]), k * fabs(r->eu[j]))) / allowed);
    }
    return worst;
}

// slow (n) := the velocities of the estimate, of these forms, on the time scale of the motion. False: it is
// not known yet, or they do not vibrate faster (by Rayleigh's quotient), as where nothing is elastic.
static bool find_slow_velocity(tmli_radau *r, double h, const tmli_stage_forms *f)
{
    const double k = h / cabs(r->table->eigen[0].mu), rate = tmli_weights_rate(&r->weights),
                 kappa = fmax(k, tmli_vibrations_time_scale(&r->vibrations, rate));
    if (r->opt.run.control == TML_CONTROL_ALL) return false;
    if (!(kappa * kappa * f->stiffness > f->mass)) return false;
    return tmli_stages_slow_velocity(&r->stages, kappa, r->eu, r->slow);
}

// The error by (5): ed and eu are filtered, with two stages they always are.
static double slow_error(tmli_radau *r, double h, double displacement)
{
    memcpy(r->eu, r->slow, (size_t)tmli_mechanical(r->sys) * sizeof(double));
    const double accumulates = converted(r, h, largest_estimate(r, h));
    double *a = r->ed, *Ma = r->eu;  // no longer needed
    const double loss = tmli_stages_loss(&r->stages, h, a, Ma);
    return fmax(fmax(accumulates, displacement / TMLI_DAMPED_VIBRATION),
                tmli_vibrations_judge(&r->vibrations, h, loss, a, Ma));
}

// *error by (1), which is too large: less by (3) or (5) if what makes it so are vibrations that the step does
// not resolve. largest: that of the estimate.
static void judge_vibrations(tmli_radau *r, double h, double largest, double *error)
{
    const double displacement = largest_displacement(r, h);
    const tmli_stage_forms forms = tmli_stages_forms(&r->stages, r->eu);
    const bool slow = find_slow_velocity(r, h, &forms);
    r->elastic = slow && !r->touches;
    if (r->table->stages == 3) {  // with two stages (1) is filtered twice
        const double part =
            tmli_stages_is_overdamped(&r->stages, &forms) ? OVERDAMPED_ERROR : TMLI_DAMPED_VIBRATION;
        tmli_stages_filter_again(&r->stages, r->x, r->ed, r->eu);
        const double filtered = largest_estimate(r, h);
        *error = fmin(*error, fmax(converted(r, h, filtered), largest / part));  // (3)
        r->fades = largest < part && filtered < FADING_RATIO * largest;
    }
    if (!slow || !(*error > WANTED_ERROR)) return;
    const double by_motion = slow_error(r, h, displacement);
    if (!(by_motion < *error)) return;
    *error = by_motion;
    r->loses = true;
    r->fades = false;
}

// Estimated error over the allowed error of the step, (1), (3) and (5).
tml_status tmli_radau_estimate(tmli_radau *r, double h, double *error, tml_error *err)
{
    const tml_system *sys = r->sys;
    tml_status st = tmli_stages_estimate(&r->stages, r->x, h, r->ed, r->eu, err);
    if (st != TML_OK) return st;
    sys->ops->local(sys->self, r->weights.q_start, r->trial->q, r->moved);
    const double largest = largest_estimate(r, h);
    *error = converted(r, h, largest);
    r->elastic = false;
    if (*error > WANTED_ERROR) judge_vibrations(r, h, largest, error);
    if (!isnan(*error)) return TML_OK;
    return tmli_fail(err, TML_RETRY, "the error estimate is not finite at t = %g s", r->x->t + h);
}

// A loop with new inputs at every tick makes steps far shorter than the method would, and the estimate is a
// third of the work of such a step. The stages have been predicted by continuing the last step: what the
// solution differs by from that, ed and eu, bounds the error of a method that is of higher order. True: it is
// small enough, and *error, of that difference, serves as well.
bool tmli_radau_is_predicted(tmli_radau *r, double h, double *error)
{
    const tml_system *sys = r->sys;
    const int last = r->table->stages - 1;
    for (int j = 0; j < sys->n; j++) {
        r->ed[j] -= r->stages.Z[last][j];
        r->eu[j] -= r->stages.V[last][j];
    }
    sys->ops->local(sys->self, r->weights.q_start, r->trial->q, r->moved);
    *error = converted(r, h, largest_estimate(r, h));
    return *error < PREDICTED_ERROR;
}

// Error of multiplier p at the end of the step. Index 3: the velocity is off by M^-1 B'kappa because the
// accelerations of the last stage are off by about kappa/h. Stabilized: distance of the last stage from the
// polynomial through the others.
static double multiplier_error(const tmli_radau *r, double h, int p)
{
    const tmli_radau_table *t = r->table;
    const tmli_stages *s = &r->stages;
    const int last = t->stages - 1;
    double back = 0, guess = 0;
    for (int j = 0; j <= last; j++) back += t->inverse[last][j];
    if (s->fields == 1) return fabs(back * s->kappa[p]) / h;
    for (int i = 0; i < last; i++) {
        double weight = 1;
        for (int j = 0; j < last; j++)
            if (j != i) weight *= (1 - t->c[j]) / (t->c[i] - t->c[j]);
        guess += weight * s->stage[i]->lambda[p];
    }
    return fabs(s->stage[last]->lambda[p] - guess);
}

// Error of the multipliers, on request; it is of the power s - 1 of h. They are judged by the largest force
// so far, or by the force that accelerates the inertia behind the row at the rate of the motion. The error
// does not accumulate, so all of the tolerance is allowed.
tml_status tmli_radau_estimate_multipliers(tmli_radau *r, double h, double *error, tml_error *err)
{
    const tmli_stages *s = &r->stages;
    const double w = tmli_weights_rate(&r->weights);
    double worst = 0;
    tml_status st = tmli_stages_split_velocity(&r->stages, r->trial, err);
    for (int p = 0; p < r->sys->m && st == TML_OK; p++) {
        const double inertia = s->e[p] * s->unit[r->sys->n + p] * w * w;
        const double allowed = fmax(tmli_weights_multiplier(&r->weights, p, s->unit),
                                    LEAST_INERTIA_FORCE * r->opt.run.rtol * inertia);
        worst = fmax(worst, multiplier_error(r, h, p) / allowed);
    }
    *error = fmax(*error, pow(worst, (r->table->order - 1.0) / (r->table->stages - 1)));
    return st;
}

// Velocities across the constraints are of the power h^s only. They do not count, since results are free of
// them, but dampers between a body that the constraints move and a free one pass them on: where they are
// stiff the free one follows the wrong velocity. This does not add up and may have all of the tolerance.
tml_status tmli_radau_check_passed_on(tmli_radau *r, double h, double *error, tml_error *err)
{
    const tml_status st = tmli_stages_passed_on(&r->stages, r->trial, r->eu, err);
    double worst = 0;
    for (int j = 0; j < r->sys->n && st == TML_OK; j++)
        worst = fmax(worst, fabs(r->eu[j]) / tmli_weights_velocity_across(
                                                 &r->weights, j, h, r->stages.gyration_ratio, r->trial->t));
    *error = fmax(*error, pow(worst, (r->table->order - 1.0) / r->table->stages));
    return st;
}

// phi (m) := Phi half-way through the step under trial, as its increment from the start, which satisfies the
// constraints, if the system has these: they need no forces.
static tml_status dense_residual(tmli_radau *r, double h, tml_error *err)
{
    const tml_system *sys = r->sys;
    tml_state *y = r->stages.stage[0];  // no longer needed
    tmli_radau_deviation(r, r->x, r->S_trial, h, 0.5, r->ed);
    for (int j = 0; j < sys->n; j++) r->ed[j] += h / 2 * r->x->u[j];
    y->t = r->x->t + h / 2;
    if (sys->ops->increment)
        return tmli_active_increment(sys, r->stages.work, r->x, r->ed, y->t, r->phi, err);
    tmli_state_move(sys, r->x, r->ed, y);
    r->count.residuals++;
    return tmli_active_residual(sys, r->stages.work, y, NULL, r->eu, r->phi, err);
}

// How far the dense output misses the constraints half-way, over the allowed distance. It controls the step
// where there is no motion along the constraints whose error could be estimated. It is of the power
// estimate_order of h.
tml_status tmli_radau_check_dense_output(tmli_radau *r, double h, double *error, tml_error *err)
{
    const tml_system *sys = r->sys;
    *error = 0;
    if (sys->m == 0) return TML_OK;
    const tml_status st = dense_residual(r, h, err);
    double worst = 0;
    for (int p = 0; p < sys->m; p++) {
        // not by fmax: gcc 12 fails in vectorizing a largest value under a condition for aarch64
        const double distance = fabs(r->phi[p]) / r->stages.unit[sys->n + p];
        if (distance > worst && !tmli_stages_is_velocity_row(&r->stages, p)) worst = distance;
    }
    worst /= DENSE_OUTPUT_ERROR * fmax(r->opt.run.atol, r->opt.run.rtol);
    *error = pow(worst, (r->table->order - 1.0) / r->table->estimate_order);
    return st;
}

// |gap| of row p of the velocities over the speeds of what it joins, each along its largest part of the row.
static double relative_gap(const tmli_radau *r, const double *rows, int p, double gap)
{
    const tml_system *sys = r->sys;
    double speeds = 0, sum = 0;
    for (int i = sys->rowptr[p]; i < sys->rowptr[p + 1];) {
        const int first = sys->rowcol[i];
        double b = 0, u = 0;
        for (; i < sys->rowptr[p + 1]; i++) {
            const int j = sys->rowcol[i];
            if (sys->node[j] != sys->node[first] || sys->kind[j] != sys->kind[first]) break;
            b += rows[i] * rows[i];
            u += r->trial->u[j] * r->trial->u[j];
            sum += rows[i] * r->trial->u[j];
        }
        speeds += sqrt(b * u);
    }
    return fabs(gap) / (speeds + fabs(gap - sum));  // gap - sum: what drives the row
}

// Positions at the end satisfy the constraints, and velocities follow from the stages. Where a step takes a
// light body to the other branch of its constraints, past a singular configuration, nothing along the
// constraints shows it, but its velocity is that of the branch which it has left. Of steps that follow their
// motion gaps of the velocities are far smaller, at any tolerance.
tml_status tmli_radau_check_velocity(tmli_radau *r, double h, double *error, tml_error *err)
{
    const tml_system *sys = r->sys;
    tmli_stages *s = &r->stages;
    double *gap = r->phi, least = 0, worst = 0;
    const double part = LEAST_GAP / fmax(r->opt.run.atol, r->opt.run.rtol);
    if (sys->m == 0 || s->fields == 2) return TML_OK;  // with two fields velocities satisfy the constraints
    tml_status st = tmli_active_velocity(sys, s->work, r->trial, gap, err);
    for (int j = 0; j < tmli_mechanical(sys); j++) {
        const double allowed = tmli_weights_velocity(&r->weights, j);
        const double roundoff =
            tmli_weights_velocity_across(&r->weights, j, h, s->gyration_ratio, r->trial->t) - allowed;
        least = fmax(least, (part * allowed + roundoff) / tmli_weights_unit(&r->weights, j));
    }
    for (int p = 0; p < sys->m && st == TML_OK; p++) {
        if (!(fabs(gap[p]) > least * s->unit[sys->n + p])) continue;
        if (s->t_rows != r->trial->t) st = tmli_active_rows(sys, s->work, r->trial, s->rows_end, err);
        if (st == TML_OK) worst = fmax(worst, relative_gap(r, s->rows_end, p, gap[p]));
    }
    *error = fmax(*error, pow(worst / LARGEST_GAP, (r->table->order - 1.0) / r->table->stages));
    return st;
}
