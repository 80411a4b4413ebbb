// Backward differentiation formulas of order 1 to 5 with variable step and order, index 3.
//
// On the chart around q_n (history.h) the curve X(t), q = q_n (+) X, and the velocities obey at t_{n+1}
//   X' = a1 D + hx,     u = T(D) X' = a1 D + T(D) hx            D = X_{n+1}; T(D) D = D            (1)
//   (where the retraction is curved T(D) D is not D, and u = a1 D + T(D) hx + a1 (T(D) D - D))
//   udot = a1 u + hu                                                                             (2)
//   M udot + B'lambda = f(q, u, t),   Phi(q, t) = 0                                              (3)
// with the exact coefficients of the variable grid. In the kernel du = a1 dD, dudot = a1^2 dD, and
// update_rates adds the change of T(D) hx.
//
// With an exact history the slopes are wrong by the defects
//   tau_k = s_0 ... s_{k-1} Y[n+1, .., n-k] = (Y_{n+1} - predicted)/s_k,    Y = X, u             (4)
// and the errors obey e_X' = e_u + tau_X, M e_u' = .. + M tau_u: a step adds h tau, which must stay within
// the share of the step in the tolerance (error per unit step).                                           (5)
//
// Across the constraints it is different. There the positions are exact, so u has the error tau_X itself, a
// standing error of order h^k that vanishes with the step and does not accumulate. While the step is
// constant it changes slowly, and the accelerations and multipliers are of order k too. When step or order
// change, it jumps, and (2) sees the jump divided by h: for k steps the accelerations across the
// constraints and the multipliers have an error of order h^(k-1). They do no work on the motion along the
// constraints, so positions and velocities are not affected: neither D nor u of later steps depends on u
// across the constraints (1). Prediction and error estimate must not be affected either: D is predicted
// from the positions alone, and tau is judged along the constraints only, its part across them as a
// velocity.
//
// Multipliers, on request: from (2) and the slow change of tau_X, 2/(k+1) h^k of their k-th derivative. (6)
// Then they and the accelerations are computed from the index-1 equations at the new state, which have no
// jumps.
//
// References: C. W. Gear, Numerical initial value problems in ODEs (1971); P. Loetstedt, L. Petzold, Math.
// Comp. 46 (1986) 491-516; K. Brenan, S. Campbell, L. Petzold, Numerical solution of initial-value problems
// in DAEs (1996).
#include "integrate/bdf/bdf.h"
#include "integrate/core/methods.h"
#include "integrate/core/step_control.h"
#include "integrate/newton/convergence.h"
#include "system/state/move.h"

#include <math.h>
#include <string.h>

#include "integrate/bdf/constants.h"

static const tmli_fields FIELDS = {
    "bdf", offsetof(tmli_bdf, memory),
    (const tmli_span[]){TMLI_INDICES(tmli_bdf, order, order_dense, 0, TMLI_BY_ONE, TMLI_BDF_ORDER),
                        TMLI_NUMBERS(tmli_bdf, since, failures),
                        TMLI_NUMBERS(tmli_bdf, fresh, jumped),
                        TMLI_NUMBERS(tmli_bdf, drift.of_step, drift.elapsed),
                        TMLI_KEPT(tmli_bdf, drift.path, drift.path, TMLI_BY_N, 1),
                        TMLI_NUMBERS(tmli_bdf, increment_roundoff, a1),
                        TMLI_PARTS(tmli_bdf, history, history, tmli_history_spans),
                        TMLI_KEPT_STATES(tmli_bdf, x, trial),
                        TMLI_SCRATCH_STATES(tmli_bdf, probe, probe),
                        TMLI_KEPT(tmli_bdf, derivative, along, TMLI_BY_N, 1),
                        {0}}};

void tmli_bdf_destroy(void *self)
{
    tmli_bdf *b = self;
    if (!b) return;
    const tml_env *env = &b->sys->env;
    tmli_kernel_clear(&b->kernel);
    tmli_consistent_clear(&b->consistent);
    tmli_weights_clear(&b->weights);
    tmli_vibration_test_clear(&b->vibrations);
    tmli_object_clear(&FIELDS, b->sys, b);
    tmli_free(env, b);
}

static tml_status change_inputs_index3(tmli_bdf *b, const tml_state *with, double *dudot, double *dlambda,
                                       tml_error *err)
{
    return tmli_kernel_change_inputs(&b->kernel, b->x, with, dudot, dlambda, err);
}

static tml_status refresh_index3(tmli_bdf *b, const tml_state *x, tml_error *err)
{
    return tmli_kernel_refresh(&b->kernel, b->a1 * b->a1, b->a1, x, err);
}

tml_status tmli_bdf_create(const tml_system *sys, const tml_integrator_options *opt, int lowest, int highest,
                           tmli_bdf **out, tml_error *err)
{
    *out = NULL;
    tmli_bdf *b = tmli_calloc(&sys->env, 1, sizeof *b);
    if (!b) return tmli_no_memory(err, "bdf");
    b->sys = sys;
    b->opt = *opt;
    b->lowest = lowest;
    b->highest = highest;
    b->drift.matters = !opt->fixed_step && highest > 2;
    b->control =
        (tmli_step_control){.wanted = TMLI_WANTED_ERROR, .growth = TMLI_MULTISTEP_GROWTH, .keeps = true};
    b->solve = tmli_bdf_solve_index3;
    b->refresh = refresh_index3;
    b->change_inputs = change_inputs_index3;
    b->estimate = tmli_bdf_estimate_index3;
    tml_status st = tmli_object_create(&FIELDS, sys, b, err);
    if (st == TML_OK) st = tmli_kernel_create(sys, opt, &b->count, &b->kernel, err);
    if (st == TML_OK)
        st = tmli_consistent_create_shared(sys, opt->solver, opt->shared_workspace, &b->consistent, err);
    if (st == TML_OK) st = tmli_weights_create(sys, opt, &b->weights, err);
    if (st == TML_OK) st = tmli_vibration_test_create(sys, opt, &b->kernel, &b->weights, &b->vibrations, err);
    if (st != TML_OK) {
        tmli_bdf_destroy(b);
        return st;
    }
    tmli_history_set_up(&b->history, sys);
    b->flat = b->history.flat;
    b->kernel.weights = &b->weights;
    *out = b;
    return TML_OK;
}

// ---- start ------------------------------------------------------------------------------------------------

// The history begins at x; earlier points are made up from the derivatives when the size of the first step
// is known.
static tml_status begin_history(tmli_bdf *b, tml_error *err)
{
    tmli_kernel_request_matrix(&b->kernel);
    b->strictness = FIRST_STRICTNESS;
    b->fresh = true;
    b->restart = b->jumped = false;
    b->since = b->refusals = b->refused = 0;
    b->failures = 0;
    b->order = b->opt.fixed_step || b->highest < FIRST_ORDER ? b->highest : FIRST_ORDER;
    tmli_step_start(&b->control);
    tmli_history_begin(&b->history, b->x);
    return tmli_bdf_derivatives(b, err);
}

tml_status tmli_bdf_start(void *self, const tml_state *x, tml_error *err)
{
    tmli_bdf *b = self;
    tml_state_copy(b->x, x);
    b->order_dense = 0;
    tmli_bdf_start_drift(b);
    tmli_weights_start(&b->weights, x);
    const tml_status st = tmli_vibration_test_start(&b->vibrations, x, err);
    return st == TML_OK ? begin_history(b, err) : st;
}

// ---- step -------------------------------------------------------------------------------------------------

void tmli_bdf_history_velocity(const tmli_bdf *b, const double *D, double *out)
{
    const tml_system *s = b->sys;
    if (b->flat) {
        memcpy(out, b->hx, (size_t)s->n * sizeof(double));
        return;
    }
    if (!s->retraction_curved) {
        s->ops->tangent(s->self, D, b->hx, out);
        return;
    }
    for (int j = 0; j < s->n; j++) out[j] = b->a1 * D[j] + b->hx[j];
    s->ops->tangent(s->self, D, out, out);
    for (int j = 0; j < s->n; j++) out[j] -= b->a1 * D[j];
}

// D has become D + dD: update u and udot by (1) and (2).
static void update_rates(void *user, const double *D, const double *dD, tml_state *x)
{
    tmli_bdf *b = user;
    double *history_velocity = b->along;
    tmli_bdf_history_velocity(b, D, history_velocity);
    for (int j = 0; j < b->sys->n; j++) {
        const double du = b->a1 * dD[j] + (history_velocity[j] - b->history_velocity[j]);
        b->history_velocity[j] = history_velocity[j];
        x->u[j] += du;
        x->udot[j] += b->a1 * du;
    }
}

// The tolerance of D [lengths] at which the error left by the iteration, if distributed like the last
// correction, uses up its share of the allowed velocity error; INFINITY if the correction was round-off.
static double velocity_tolerance(const tmli_bdf *b, double h)
{
    const double share = NEWTON_SHARE_OF_VELOCITY * tmli_weights_budget(&b->weights, h);
    double size = 0, worst = 0;
    for (int j = 0; j < b->sys->n; j++) {
        const double c = fabs(b->kernel.rhs[j]);
        size = fmax(size, c / b->kernel.unit[j]);
        worst = fmax(worst, b->a1 * (c - VELOCITY_ROUNDOFF * tmli_bdf_roundoff(b, j)) /
                                (share * tmli_weights_velocity(&b->weights, j)));
    }
    return worst > 0 ? size / worst : INFINITY;
}

// du = a1 dD + d(T(D) hx) = a1 dV with T(D) dD = T(u/a1) dV, up to terms of second order in D: T(x) = 1 -
// x~/2 + .. and a1 D + hx = X', which is u to first order.
void tmli_bdf_to_increment(void *user, const double *D, double *dV)
{
    const tmli_bdf *b = user;
    b->sys->ops->tangent(b->sys->self, b->linearization_point, dV, b->along);
    b->sys->ops->tangent_inverse(b->sys->self, D, b->along, dV);
}

double tmli_bdf_tolerance(tmli_bdf *b, double h, const double *D, double *feedback)
{
    const tmli_weights *w = &b->weights;
    const double x = h * tmli_weights_rate(w);
    const double step_error = b->opt.fixed_step ? FIXED_STEP_ERROR * pow(fmin(x, 1), b->order + 2)
                                                : b->opt.run.atol * tmli_weights_budget(w, h) * x;
    *feedback = fmin(tmli_weights_feedback(w, h),
                     fmax(TMLI_LEAST_FEEDBACK, TMLI_FEEDBACK_NOISE * step_error / w->roundoff));
    if (!b->sys->ops->increment || b->kernel.newton.unscaled || b->kernel.saturate)
        *feedback = 1;  // kernel.c
    double moved = 0;
    for (int j = 0; j < b->sys->n; j++) moved = fmax(moved, fabs(D[j]) / tmli_weights_unit(w, j));
    b->increment_roundoff = w->roundoff * fmin(1, *feedback + moved);
    tmli_kernel_set_roundoff_share(&b->kernel, CORRECTION_ROUNDOFF_SHARE * fmin(1, *feedback + moved));
    const double tol = tmli_weights_newton_tolerance(w, h);
    if (!b->opt.fixed_step) return tol;
    // far below the error of the step
    return fmax(tol * pow(10, FIXED_STEP_DIGITS_PER_ORDER * fmin(2 - b->order, 0)),
                FIXED_STEP_NEWTON_SHARE * step_error);
}

tml_status tmli_bdf_solve_index3(tmli_bdf *b, double h, double *D, tml_state *x, tml_error *err)
{
    const tmli_stage stage = {.a0 = b->a1 * b->a1,
                              .a1 = b->a1,
                              .theta = 1,
                              .update_rates = b->flat ? NULL : update_rates,
                              .linearization_point = b->flat ? NULL : b->linearization_point,
                              .to_increment = b->flat ? NULL : tmli_bdf_to_increment,
                              .user = b,
                              .h = h};
    double feedback;
    const double tol = tmli_bdf_tolerance(b, h, D, &feedback), least = b->increment_roundoff;
    if (b->opt.fixed_step)
        return tmli_kernel_solve(&b->kernel, b->x, &stage, feedback, fmax(tol, least), D, x, err);
    double used = fmax(tol * b->strictness, least);
    tml_status st = tmli_kernel_solve(&b->kernel, b->x, &stage, feedback, used, D, x, err);
    for (int more = 0; more < MAX_FURTHER_SOLVES && st == TML_OK; more++) {
        const double wanted = velocity_tolerance(b, h);
        b->strictness = fmin(1, wanted / tol);
        const tmli_newton *newton = &b->kernel.newton;
        if (wanted >= used || tmli_newton_remaining(newton) * newton->size <= wanted || used == least) break;
        used = fmax(wanted, least);
        st = tmli_kernel_solve(&b->kernel, b->x, &stage, feedback, used, D, x, err);
    }
    return st;
}

// Set the formulas of the step, and predict D, u, udot, lambda from the history.
static void predict(tmli_bdf *b, double h)
{
    const tmli_history *y = &b->history;
    const int n = b->sys->n, k = b->order, points = y->count < k + 2 ? y->count : k + 2;
    const int forces = y->multipliers < MULTIPLIER_POINTS ? y->multipliers : MULTIPLIER_POINTS;
    double w[TMLI_BDF_POINTS];
    tmli_history_values(y, points > forces ? points : forces, h, b->through);
    b->a1 = tmli_history_slope(y, k, h, b->through[k - 1], w);
    memset(b->D, 0, (size_t)n * sizeof(double));
    memset(b->hx, 0, (size_t)n * sizeof(double));
    memset(b->hu, 0, (size_t)n * sizeof(double));
    for (int i = 1; i < points; i++)
        for (int j = 0; j < n; j++) b->D[j] += b->through[points - 1][i] * y->X[i][j];
    for (int i = 1; i < k; i++)
        for (int j = 0; j < n; j++) {
            b->hx[j] += w[i] * y->X[i][j];
            b->hu[j] += w[i] * (y->u[i][j] - y->u[0][j]);
        }
    tml_state *x = b->trial;
    tml_state_copy(x, b->x);
    x->t = b->x->t + h;
    tmli_bdf_history_velocity(b, b->D, b->history_velocity);
    for (int j = 0; j < n; j++) {
        x->u[j] = b->a1 * b->D[j] + b->history_velocity[j];  // (1)
        b->linearization_point[j] = x->u[j] / b->a1;
        x->udot[j] = b->a1 * (x->u[j] - y->u[0][j]) + b->hu[j];  // (2): a1 + sum w = 0
    }
    for (int i = 1; i < forces; i++)
        for (int r = 0; r < b->sys->m; r++)
            x->lambda[r] += b->through[forces - 1][i] * (y->lambda[i][r] - y->lambda[0][r]);
}

// Estimated error of the velocities over what the whole run may have. Uses eu of the last estimate.
static double whole_error(const tmli_bdf *b)
{
    double worst = 0;
    for (int j = 0; j < b->sys->n; j++)
        worst = fmax(worst, b->h_trial * fabs(b->eu[j]) / tmli_weights_velocity(&b->weights, j));
    return worst;
}

// Before a step is rejected the matrix is renewed, so that the error is not noise which an old one let
// through, and the estimate is filtered once more. What each further filter reduces decays faster than the
// step, by stiff damping, and does not add up over steps: it counts no more if it is within a part of the
// tolerance of the whole run. Shorter steps would not reduce it but follow its decay.
static tml_status estimate_error(tmli_bdf *b, double *error, tml_error *err)
{
    const tml_system *s = b->sys;
    s->ops->local(s->self, b->weights.q_start, b->trial->q, b->moved);
    tml_status st = b->estimate(b, b->order, 1, error, err);
    double less = *error;
    if (st == TML_OK && b->order == 2) st = tmli_bdf_judge_vibrations(b, &less, err);
    if (st == TML_OK && less < *error && less > 1) st = b->estimate(b, b->order, 1, error, err);
    else *error = less;
    if (st != TML_OK || *error <= 1) return st;
    const int most = whole_error(b) <= TMLI_DAMPED_ERROR ? TMLI_MOST_FILTERS : 2;
    double before = INFINITY;
    int filters = 1;
    st = b->refresh(b, b->trial, err);
    while (filters < most && st == TML_OK && *error > 1 && *error <= TMLI_FILTERED_SHARE * before) {
        before = *error;
        st = b->estimate(b, b->order, ++filters, error, err);
    }
    if (st != TML_OK || *error <= 1 || whole_error(b) > TMLI_DAMPED_ERROR) return st;
    before = *error;
    b->lenient = true;
    st = b->estimate(b, b->order, filters, error, err);
    b->lenient = false;
    if (*error > 1) *error = before;
    return st;
}

// The standing error of u across the constraints, of the steps so far, would be a jump to the short steps of
// a new history, and forces that depend on u would carry it into the motion. Of a jump of forces the history
// has only what serves a step that continues it: the accelerations are those of x in any case.
static tml_status consistent_restart(tmli_bdf *b, tml_error *err)
{
    tml_state_copy(b->probe, b->x);
    // motion without mass has no acceleration of its own: the forces that balance it are found by the step
    if (tmli_consistent_project(&b->consistent, b->probe, NULL) == TML_OK &&
        !b->consistent.matrix.has_massless) {
        tml_state_copy(b->x, b->probe);
        return TML_OK;
    }
    return b->jumped ? tmli_consistent_accelerations(&b->consistent, b->x, err) : TML_OK;
}

// Earlier points for a first step of size h.
static void make_up_history(tmli_bdf *b, double h)
{
    // near points are as exact as the derivatives themselves, distant ones do not enlarge round-off
    const double apart = b->opt.fixed_step ? h / START_POINTS_PER_STEP : h;
    tmli_history_begin(&b->history, b->x);
    tmli_history_extend(&b->history, b->order + 1, apart, (const double *const *)b->derivative,
                        TMLI_BDF_DERIVATIVES);
}

tml_status tmli_bdf_step(void *self, double h, double *error, tml_error *err)
{
    tmli_bdf *b = self;
    if (b->restart) {
        tml_status st = consistent_restart(b, err);
        if (st == TML_OK) st = begin_history(b, err);
        if (st != TML_OK) return st;
    }
    b->h_trial = h;
    tmli_vibration_test_begin(&b->vibrations);
    bool again = false;
    if (b->fresh) make_up_history(b, h);
    predict(b, h);
    tml_status st = b->fresh && b->opt.fixed_step ? tmli_bdf_settle(b, h, &again, err) : TML_OK;
    if (again) {
        make_up_history(b, h);
        predict(b, h);
    }
    if (st == TML_OK) st = b->solve(b, h, b->D, b->trial, err);
    if (st != TML_OK && b->fresh && b->opt.fixed_step) tmli_step_name_start(b->quick, err);
    if (st == TML_OK) st = tmli_state_check_branch(b->sys, b->kernel.work, b->trial, err);
    *error = 0;
    if (st != TML_OK || b->opt.fixed_step) return st;
    // multipliers that are judged must not contain the jumps of the standing error
    if (b->opt.run.control == TML_CONTROL_ALL && b->solve == tmli_bdf_solve_index3)
        st = tmli_consistent_accelerations(&b->consistent, b->trial, err);
    if (st == TML_OK) st = estimate_error(b, error, err);
    if (st == TML_OK && b->drift.matters) tmli_bdf_set_drift_of_step(b);
    return st;
}

void tmli_bdf_accept(void *self, double t)
{
    tmli_bdf *b = self;
    const tml_system *s = b->sys;
    b->trial->t = t;
    if (s->ops->accept) s->ops->accept(s->self, b->kernel.work, b->trial);
    tmli_history_append(&b->history, b->trial, b->h_trial, b->D);
    tml_state *old = b->x;
    b->x = b->trial;
    b->trial = old;
    b->first = b->fresh;
    b->fresh = b->jumped = false;
    b->failures = 0;
    b->since++;
    b->order_dense = b->order;
    tmli_weights_track(&b->weights, b->x);
    tmli_vibration_test_accept(&b->vibrations, b->x, &b->count);
    if (b->drift.matters) tmli_bdf_accept_drift(b);
    b->count.steps++;
}

static void rows_changed(void *self, const tml_state *x)
{
    tmli_bdf *b = self;
    const size_t m = (size_t)b->sys->m;
    tmli_inactive_copy(b->x, x);
    memcpy(b->x->lambda, x->lambda, m * sizeof(double));
    memcpy(b->history.lambda[0], x->lambda, m * sizeof(double));
    b->history.multipliers = 1;
    tmli_kernel_request_matrix(&b->kernel);
    tmli_vibration_test_renew(&b->vibrations);
    tmli_index1_rows_changed(&b->consistent.matrix);
}

tml_status tmli_bdf_inputs_changed(void *self, const tml_state *x, tml_error *err)
{
    tmli_bdf *b = self;
    double *d = b->probe->udot, *dl = b->probe->lambda;
    tml_status st = b->fresh ? tmli_consistent_change_inputs(&b->consistent, b->x, x, d, dl, err)
                             : b->change_inputs(b, x, d, dl, err);  // the last step has left its matrix
    if (st != TML_OK) return st;
    if (b->fresh) return begin_history(b, err);
    tmli_history_add_jump(&b->history, d, dl);
    b->jumped = true;
    return TML_OK;
}

// ---- dense output -----------------------------------------------------------------------------------------

// In the first step X leaves the start with the velocity there, which is exact: through the last points alone
// its slope is wrong by the error of the step over h, and bounces that are slower than that would not end.
// X (n) at the share theta of the step gets the cubic of this slope at the start that is zero at both ends.
static void meet_start_velocity(const tmli_bdf *b, int points, double theta, double *slope, double *X)
{
    const tmli_history *y = &b->history;
    const double h = y->age[1], cubic = h * theta * (1 - theta) * (1 - theta);
    double d[TMLI_BDF_POINTS];
    tmli_history_rate(y, points, -h, d);
    b->sys->ops->tangent_inverse(b->sys->self, y->X[1], y->u[1], slope);
    for (int i = 1; i < points; i++)
        for (int j = 0; j < b->sys->n; j++) slope[j] -= d[i] * y->X[i][j];
    for (int j = 0; j < b->sys->n; j++) X[j] += cubic * slope[j];
}

// Polynomials through the last points: of X around the end of the step, u, its slope, and lambda.
void tmli_bdf_interpolate(void *self, double theta, tml_state *out)
{
    const tmli_bdf *b = self;
    const tml_system *s = b->sys;
    const tmli_history *y = &b->history;
    tml_state_copy(out, b->x);
    if (b->order_dense == 0 || theta >= 1) return;
    const int points = b->order_dense + 1 < y->count ? b->order_dense + 1 : y->count;
    const int forces = points < y->multipliers ? points : y->multipliers;
    const double back = (theta - 1) * y->age[1];
    double through[TMLI_BDF_POINTS][TMLI_BDF_POINTS], d[TMLI_BDF_POINTS];
    const double *p = through[points - 1], *pf = through[forces - 1];
    out->t = b->x->t + back;
    tmli_history_values(y, points, back, through);
    tmli_history_rate(y, points, back, d);
    double *X = out->udot;  // scratch until udot is stored there
    memset(X, 0, (size_t)s->n * sizeof(double));
    for (int i = 1; i < points; i++)
        for (int j = 0; j < s->n; j++) X[j] += p[i] * y->X[i][j];
    if (b->first) meet_start_velocity(b, points, theta, y->scratch, X);
    tmli_state_move(s, b->x, X, out);
    memset(out->udot, 0, (size_t)s->n * sizeof(double));
    for (int i = 1; i < points; i++)
        for (int j = 0; j < s->n; j++) {
            out->u[j] += p[i] * (y->u[i][j] - y->u[0][j]);
            out->udot[j] += d[i] * (y->u[i][j] - y->u[0][j]);
        }
    for (int i = 1; i < forces; i++)
        for (int r = 0; r < s->m; r++) out->lambda[r] += pf[i] * (y->lambda[i][r] - y->lambda[0][r]);
}

const tml_state *tmli_bdf_state(const void *self) { return ((const tmli_bdf *)self)->x; }
void tmli_bdf_counters(const void *self, tml_counters *out) { *out = ((const tmli_bdf *)self)->count; }
void tmli_bdf_conditioning(void *self, tml_conditioning *out)
{
    tmli_kernel_conditioning(&((tmli_bdf *)self)->kernel, out);
}
double tmli_bdf_condition(void *self) { return tmli_kernel_condition(&((tmli_bdf *)self)->kernel); }

void tmli_bdf_archive(void *self, tml_archive *a)
{
    tmli_bdf *b = self;
    tmli_object_archive(&FIELDS, b->sys, b, a);
    tml_counters_archive(&b->count, a);
    tmli_kernel_archive(&b->kernel, a);
    tmli_consistent_archive(&b->consistent, a);
    tmli_weights_archive(&b->weights, &b->consistent, a);
    tmli_vibration_test_archive(&b->vibrations, a);
    tmli_step_archive(&b->control, a);
}

// ---- the methods ------------------------------------------------------------------------------------------

static tml_status create_bdf(const tml_system *sys, const tml_integrator_options *opt, void **self,
                             tml_error *err)
{
    tmli_bdf *b = NULL;
    *self = NULL;
    const int highest = opt->run.max_order == 0 ? TMLI_BDF_ORDER : opt->run.max_order;
    if (highest < 1 || highest > TMLI_BDF_ORDER)
        return tmli_fail(err, TML_ERR_ARG, "max_order = %d is outside of its range 1 .. %d",
                         opt->run.max_order, TMLI_BDF_ORDER);
    tml_status st = tmli_bdf_create(sys, opt, 1, highest, &b, err);
    *self = b;
    return st;
}

static tml_status create_bdf2(const tml_system *sys, const tml_integrator_options *opt, void **self,
                              tml_error *err)
{
    tmli_bdf *b = NULL;
    tml_status st = tmli_bdf_create(sys, opt, 2, 2, &b, err);
    *self = b;
    return st;
}

#define INDEX3_FUNCTIONS                                                                                 \
    .equations = TML_EQUATIONS_INDEX3, TMLI_BDF_FUNCTIONS, .rows_changed = rows_changed,                 \
    .condition = tmli_bdf_condition, .conditioning = tmli_bdf_conditioning, .destroy = tmli_bdf_destroy, \
    .archive = tmli_bdf_archive, .smooth = true

const tml_method_ops tmli_method_bdf = {
    .name = "bdf",
    .summary = "backward differentiation of variable order (max_order)",
    .form = "index 3",
    .stability = "A-stable to order 2, stiffly stable to order 5",
    .citation = "Gear 1971; Loetstedt & Petzold 1986",
    .order = TMLI_BDF_ORDER,
    .max_order = TMLI_BDF_ORDER,
    .create = create_bdf,
    INDEX3_FUNCTIONS,
};

const tml_method_ops tmli_method_bdf2 = {
    .name = "bdf2",
    .summary = "backward differentiation of order 2",
    .form = "index 3",
    .stability = "L-stable at constant step",
    .citation = "Gear 1971; Bottasso, Bauchau, Cardona 2007, (4), (34)",
    .order = 2,
    .create = create_bdf2,
    INDEX3_FUNCTIONS,
};
