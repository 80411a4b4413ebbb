// Error estimate of the alpha family, and the index-1 solution that undamped schemes need; equation numbers
// as in alpha.h.
#include "integrate/alpha/alpha.h"
#include "system/state/first_order.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/alpha/constants.h"

tml_status tmli_alpha_split(tmli_alpha *g, const tml_state *y, double *d, double *taken, tml_error *err)
{
    const tml_system *s = g->sys;
    tml_status st = tmli_active_rows(s, g->kernel.work, y, g->kernel.rows, err);
    if (st == TML_OK) tmli_kernel_project(&g->kernel, false, d, taken);
    return st;
}

// Ask for a new matrix before the next step if this one leaves a larger share of an error than it did when
// it was new (when new it leaves what stiffness adds to it).
static void check_matrix_age(tmli_alpha *g, double share)
{
    if (g->count.factorizations != g->matrix_count) g->matrix_error = share;
    g->matrix_count = g->count.factorizations;
    if (share > fmax(OLD_MATRIX_ERROR, OLD_MATRIX_RATIO * g->matrix_error))
        tmli_kernel_request_matrix(&g->kernel);
}

// Accelerations and multipliers of the index-1 equations at y, by corrections with the kernel's matrix and
// exact residuals. Every correction leaves a share of the error that grows with the age of the matrix.
// Velocities are used without their standing error, which would enter gamma.
tml_status tmli_alpha_solve_index1(tmli_alpha *g, const tml_state *y, double *v, double *lambda,
                                   tml_error *err)
{
    const tml_system *s = g->sys;
    tmli_kernel *k = &g->kernel;
    tml_state *z = g->scratch;
    double *gamma = g->phi, *gap = g->gap, *r = g->first, *d = g->second;
    tml_state_copy(z, y);
    tml_status st = tmli_active_rows(s, k->work, z, k->rows, err);
    if (st == TML_OK) st = tmli_active_velocity(s, k->work, z, gap, err);
    if (st != TML_OK) return st;
    tmli_kernel_constrain(k, gap, d);
    for (int j = 0; j < s->n; j++) z->u[j] -= d[j];
    st = tmli_active_dynamics(s, k->work, z, r, gamma, err);
    double first = 0, size = INFINITY;
    for (int sweep = 0; sweep < MAX_CORRECTIONS && size > ENOUGH_CORRECTION * first && st == TML_OK;
         sweep++) {
        st = tmli_active_residual(s, k->work, z, NULL, r, gap, err);
        if (st != TML_OK) break;
        for (int i = 0; i < s->m; i++) {
            gap[i] = gamma[i];
            for (int e = s->rowptr[i]; e < s->rowptr[i + 1]; e++)
                gap[i] -= k->rows[e] * z->udot[s->rowcol[e]];
        }
        tmli_kernel_balance(k, r, gap, d, gap);
        size = 0;
        for (int j = 0; j < s->n; j++) {
            z->udot[j] += d[j];
            size = fmax(size, fabs(d[j]) / tmli_weights_unit(&g->weights, j));
        }
        for (int i = 0; i < s->m; i++) z->lambda[i] += gap[i];
        if (sweep == 0) first = size;
        if (sweep == 1) check_matrix_age(g, size / first);
    }
    if (st != TML_OK) return st;
    memcpy(v, z->udot, (size_t)s->n * sizeof(double));
    memcpy(lambda, z->lambda, (size_t)s->m * sizeof(double));
    return TML_OK;
}

// ---- estimate ---------------------------------------------------------------------------------------------

// Error of the multipliers. They are those of the index-1 equations (12) at the point of equilibrium: what
// the extrapolation to the end of the step may add. It does not accumulate, so all of the tolerance is
// allowed.
static double multiplier_error(tmli_alpha *g, double h)
{
    double worst = 0;
    const double rest = (1 - g->point) * h, span = g->found.span + g->last.span;
    const double reach = g->last.span > 0 ? rest * (rest + g->found.span) / span : 0;
    for (int r = 0; r < g->sys->m; r++) {
        const double e = reach * fabs(g->found.lambda_rate[r] - g->last.lambda_rate[r]);
        worst = fmax(worst, e / tmli_weights_multiplier(&g->weights, r, g->kernel.unit));
    }
    return worst;
}

// Filter the errors v (n) of the states by the matrix of the step. The rates of a stiff state contain what
// the iteration leaves of z over its time constant, and differences of them would never fall below the
// tolerance; the state itself takes up such errors at once.
static void filter_states(tmli_alpha *g, double *v)
{
    const tml_system *s = g->sys;
    double *force = g->along, *d = g->fresh_v;
    memset(force, 0, (size_t)s->n * sizeof(double));
    for (int j = tmli_mechanical(s); j < s->n; j++) force[j] = -g->kernel.stage.a0 * v[j];
    tmli_kernel_force_response(&g->kernel, force, NULL, d);
    memcpy(v + tmli_mechanical(s), d + tmli_mechanical(s), (size_t)s->nz * sizeof(double));
}

// Allowed error of velocity j in a step: its share of the tolerance and, if the step is short, what (13)
// makes of round-off, c eps/m, with c and m of the coordinate itself. In steps that suit the motion it would
// add up unseen where two parts that damping couples move together.
static double allowed_velocity(const tmli_alpha *g, int j, double h)
{
    const double share = tmli_weights_step_velocity(&g->weights, j, h);
    if (!g->is_short || j >= tmli_mechanical(g->sys)) return share;
    return share + tmli_kernel_passed_roundoff(&g->kernel, j, tmli_weights_unit(&g->weights, j), 0);
}

tml_status tmli_alpha_decay(tmli_alpha *g, const tml_state *y, int count, double *v, tml_error *err)
{
    const tml_system *s = g->sys;
    double largest = DBL_MIN;
    tml_state_copy(g->scratch, y);
    for (int j = 0; j < s->n; j++) largest = fmax(largest, fabs(v[j]) / tmli_weights_unit(&g->weights, j));
    const double rate = tmli_weights_rate(&g->weights), scale = rate * rate / largest;  // far above round-off
    return tmli_kernel_decay(&g->kernel, g->scratch, count, scale, v, g->along, g->fresh_v, g->gap, err);
}

static double velocity_error(const tmli_alpha *g, double h, const double *v)
{
    double worst = 0;
    for (int j = 0; j < g->sys->n; j++) worst = fmax(worst, fabs(v[j]) / allowed_velocity(g, j, h));
    return worst;
}

// (14)
static tml_status remove_damped_errors(tmli_alpha *g, double h, double *v, tml_error *err)
{
    double whole = 0, error = velocity_error(g, h, v), before = INFINITY;
    tml_status st = TML_OK;
    for (int j = 0; j < tmli_mechanical(g->sys); j++)
        whole = fmax(whole, fabs(v[j]) / tmli_weights_velocity(&g->weights, j));
    for (int i = 0; i < TMLI_MOST_FILTERS && whole <= TMLI_DAMPED_ERROR && st == TML_OK; i++) {
        if (error <= 1 || error > TMLI_FILTERED_SHARE * before) break;
        before = error;
        st = tmli_alpha_decay(g, g->trial, tmli_mechanical(g->sys), v, err);
        error = velocity_error(g, h, v);
    }
    return st;
}

// Size of (8) and (9) over the allowed errors, along the constraints: across them the positions are exact,
// the velocities have the error (7), and accelerations contain the round-off of the positions divided by
// h^2. `leak` is the share of the part taken out that may have passed the projection and is not counted.
// *across: of (7) alone.
static tml_status motion_error(tmli_alpha *g, double h, double leak, double *error, double *across,
                               tml_error *err)
{
    const tml_system *s = g->sys;
    const tml_state *y = g->trial;
    double *v1 = g->first, *v2 = g->second, *taken = g->taken, *moved = g->along;
    const double span = g->found.span + g->last.span;  // at a start: from the jerk there
    tmli_alpha_retraction(g, v1);
    for (int j = 0; j < s->n; j++) {
        const double jerk = g->found.jerk[j];
        v2[j] = h * h * (g->cu * h * 2 * (jerk - g->last.jerk[j]) / span + g->c1 * jerk);
        v1[j] += g->cq * jerk;
    }
    tml_status st = tmli_alpha_split(g, y, v2, taken, err);
    if (st != TML_OK) return st;
    if (s->nz > 0) filter_states(g, v2);
    memcpy(g->eu, v2, (size_t)s->n * sizeof(double));
    if (leak > 0 && g->root < 1) st = remove_damped_errors(g, h, v2, err);
    if (st != TML_OK) return st;
    double worst = 0;
    *across = 0;
    for (int j = 0; j < s->n; j++) {
        const double eu = fabs(v2[j]) - leak * fabs(taken[j]);
        worst = fmax(worst, eu / allowed_velocity(g, j, h));
    }
    tmli_kernel_project(&g->kernel, true, v1, taken);
    s->ops->local(s->self, g->weights.q_start, y->q, moved);
    for (int j = 0; j < s->n; j++) {
        const double eq = (fabs(v1[j]) - leak * fabs(taken[j])) * h * h * h;
        worst = fmax(worst, eq / tmli_weights_step_position(&g->weights, j, moved, h));
        // (7): the standing error of the velocity across the constraints does not accumulate, so all of the
        // tolerance is allowed
        const double allowed =
            tmli_weights_velocity_across(&g->weights, j, h, g->kernel.gyration_ratio, y->t);
        *across = fmax(*across, fabs(taken[j]) * h * h / allowed);
    }
    *error = fmax(worst, *across);
    return TML_OK;
}

// An inner point does not see a force that sets in between it and the end. The equations at the end demand
// a change of the accelerations, 3/8 h^2 v'' for smooth ones; times h/10 it is of the size of (9).
static tml_status check_end(tmli_alpha *g, double h, double *error, tml_error *err)
{
    const tml_system *s = g->sys;
    double *r = g->first, *d = g->second, *gap = g->gap;
    tml_status st = tmli_active_residual(s, g->kernel.work, g->trial, NULL, r, gap, err);
    if (st != TML_OK) return st;
    memset(gap, 0, (size_t)s->m * sizeof(double));
    tmli_kernel_balance(&g->kernel, r, gap, d, gap);
    for (int j = 0; j < s->n; j++)
        *error = fmax(*error, END_RESIDUAL_SHARE * h * fabs(d[j]) / allowed_velocity(g, j, h));
    return TML_OK;
}

// Less than *error, of which `across` is a part, if it comes from vibrations that the step does not resolve:
// vibration_test.h. Follows motion_error, whose v1 and `moved` it uses. Schemes without damping, of first
// order, or with an inner point are judged as before.
static tml_status judge_vibrations(tmli_alpha *g, double h, double across, double *error, tml_error *err)
{
    double *ed = g->first, *dv = g->second, less = *error;
    if (!(*error > TMLI_WANTED_ERROR) || g->order < 2 || !(g->root < 1) || g->point < 1) return TML_OK;
    for (int j = 0; j < g->sys->n; j++) {
        ed[j] *= h * h * h;
        dv[j] = g->found.jerk[j] * h;
    }
    const tmli_vibration_trial trial = {.start = g->x,
                                        .end = g->trial,
                                        .h = h,
                                        .ed = ed,
                                        .eu = g->eu,
                                        .dv = dv,
                                        .moved = g->along,
                                        .loss = g->loss};
    const tml_status st = tmli_vibration_test_judge(&g->vibrations, &trial, &less, err);
    *error = fmax(less, across);
    return st;
}

static tml_status estimate_once(tmli_alpha *g, double h, double leak, double *error, tml_error *err)
{
    double across;
    tml_status st = motion_error(g, h, leak, error, &across, err);
    if (st == TML_OK && g->point < 1) st = check_end(g, h, error, err);
    return st == TML_OK ? judge_vibrations(g, h, across, error, err) : st;
}

tml_status tmli_alpha_estimate(tmli_alpha *g, double h, double *error, tml_error *err)
{
    tml_status st = estimate_once(g, h, 0, error, err);
    if (st == TML_OK && *error > 1 && g->sys->m > 0) {
        // before rejecting, make sure that the error is not noise that an old matrix let through
        st = tmli_kernel_refresh(&g->kernel, g->a0 / g->point, g->a1 / g->point, g->trial, err);
        if (st == TML_OK) st = estimate_once(g, h, TMLI_PROJECTION_LEAK, error, err);
    }
    if (st != TML_OK || g->sys->m == 0) return st;
    if (g->opt.run.control == TML_CONTROL_ALL) *error = fmax(*error, multiplier_error(g, h));
    return st;
}
