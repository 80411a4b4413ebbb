// Backward differentiation formulas of order 1 to 5 with variable step and order, index 3.
//
// On the chart around q_n (bdf_history.h) the curve X(t), q = q_n (+) X, and the velocities obey at t_{n+1}
//   X' = a1 D + hx,     u = T(D) X' = a1 D + T(D) hx            D = X_{n+1}; T(D) D = D            (1)
//   (where the system is bent, T(D) D - D is not zero, and what follows a1 D is T(D) hx + a1 (T(D) D - D))
//   udot = a1 u + hu                                                                             (2)
//   M udot + B'lambda = f(q, u, t),   Phi(q, t) = 0                                              (3)
// with the true coefficients of the grid as it is. In the kernel du = a1 dD, dudot = a1^2 dD, and `follow`
// adds what (1) has beyond that: the change of T(D) hx.
//
// With exact history the slopes are wrong by the defects
//   tau_k = s_0 ... s_{k-1} Y[n+1, .., n-k] = (Y_{n+1} - predicted)/s_k,    Y = X, u             (4)
// and the errors obey e_X' = e_u + tau_X, M e_u' = .. + M tau_u: a step adds h tau. So h tau is held to the
// share of the step in the tolerance (error per unit step).                                               (5)
//
// Across the constraints it is different. There the positions are right, so u carries the error tau_X itself,
// a standing error of order h^k that goes when the steps get small; it does not add up. While the step is
// constant it changes slowly, and the accelerations and multipliers are of order k too. When step or order
// change, it jumps, and (2) sees the jump divided by h: for k steps the accelerations across the constraints
// and the multipliers have an error of order h^(k-1). They do no work on the motion along the constraints, so
// positions and velocities do not notice: neither D nor u of later steps depends on u across the constraints
// (1). What must not notice either are prediction and error estimate: D is predicted from the positions
// alone, and tau is judged along the constraints only, the part across as a velocity.
//
// Multipliers, on request: from (2) and the slow change of tau_X, 2/(k+1) h^k of their k-th derivative. (6)
// Then they and the accelerations are taken from the index-1 equations at the state reached, which knows no
// jumps.
//
// References: C. W. Gear, Numerical initial value problems in ODEs (1971); P. Loetstedt, L. Petzold, Math.
// Comp. 46 (1986) 491-516; K. Brenan, S. Campbell, L. Petzold, Numerical solution of initial-value problems
// in DAEs (1996).
#include "integrate/bdf/bdf.h"
#include "integrate/core/methods.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Share of a step's allowed velocity error that the iteration may use.
static const double NEWTON_SHARE = 0.05;
// Points from which multipliers are predicted. A wrong guess costs iterations: the correction of the
// multipliers turns an error of an old matrix into one of the positions. More points would carry on the
// disturbance by a change of step.
enum { MULTIPLIERS = 4 };

void tmli_bdf_destroy(void *self)
{
    tmli_bdf *b = self;
    if (!b) return;
    const tml_system *sys = b->sys;
    tmli_kernel_clear(&b->kernel);
    tmli_consistent_clear(&b->consistent);
    tmli_weights_clear(&b->weights);
    tmli_history_clear(&b->history);
    tml_state_destroy(b->x, sys);
    tml_state_destroy(b->trial, sys);
    tml_state_destroy(b->probe, sys);
    tmli_free(&sys->env, b->D);
    tmli_free(&sys->env, b);
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
    b->solve = tmli_bdf_solve_index3;
    b->refresh = refresh_index3;
    b->estimate = tmli_bdf_estimate_index3;
    const size_t n = (size_t)sys->n;
    b->D = tmli_calloc(&sys->env, (10 + TMLI_BDF_DERIVATIVES) * n, sizeof(double));
    tml_status st = b->D ? TML_OK : tmli_no_memory(err, "bdf");
    if (st == TML_OK) st = tml_state_create(sys, &b->x, err);
    if (st == TML_OK) st = tml_state_create(sys, &b->trial, err);
    if (st == TML_OK) st = tml_state_create(sys, &b->probe, err);
    if (st == TML_OK) st = tmli_kernel_create(sys, opt, &b->count, &b->kernel, err);
    if (st == TML_OK) st = tmli_consistent_create(sys, opt->solver, &b->consistent, err);
    if (st == TML_OK) st = tmli_weights_create(sys, opt, &b->weights, err);
    if (st == TML_OK) st = tmli_history_create(sys, &b->history, err);
    if (st != TML_OK) {
        tmli_bdf_destroy(b);
        return st;
    }
    double **const part[] = {&b->hx,    &b->hu,    &b->turned, &b->linearization_point, &b->ex, &b->eu,
                             &b->force, &b->moved, &b->along};
    double *at = b->D + n;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++, at += n) *part[i] = at;
    for (int i = 0; i < TMLI_BDF_DERIVATIVES; i++, at += n) b->derivative[i] = at;
    b->flat = b->history.flat;
    *out = b;
    return TML_OK;
}

// ---- start ------------------------------------------------------------------------------------------------

// The history begins at x; what came before is made up from the derivatives when the first step's size is
// known.
static tml_status begin(tmli_bdf *b, tml_error *err)
{
    b->kernel.stale = true;
    b->strict = 0.1;
    b->fresh = true;
    b->restart = false;
    b->since = 0;
    b->failures = 0;
    b->order = b->opt.fixed_step || b->highest < 3 ? b->highest : 3;
    tmli_history_begin(&b->history, b->x);
    return tmli_bdf_derivatives(b, err);
}

tml_status tmli_bdf_start(void *self, const tml_state *x, tml_error *err)
{
    tmli_bdf *b = self;
    tml_state_copy(b->x, x);
    b->order_dense = 0;
    tmli_weights_start(&b->weights, x);
    return begin(b, err);
}

// ---- step -------------------------------------------------------------------------------------------------

void tmli_bdf_turned(const tmli_bdf *b, const double *D, double *out)
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

// D has become D + dD; (1) and (2).
static void follow(void *user, const double *D, const double *dD, tml_state *x)
{
    tmli_bdf *b = user;
    double *turned = b->along;
    tmli_bdf_turned(b, D, turned);
    for (int j = 0; j < b->sys->n; j++) {
        const double du = b->a1 * dD[j] + (turned[j] - b->turned[j]);
        b->turned[j] = turned[j];
        x->u[j] += du;
        x->udot[j] += b->a1 * du;
    }
}

// The tolerance of D [lengths] at which what is left of the last correction, if distributed like it, uses up
// its share of the allowed velocity error; INFINITY if the correction was round-off.
static double settled_at(const tmli_bdf *b, double h)
{
    const double share = NEWTON_SHARE * tmli_weights_budget(&b->weights, h);
    double size = 0, worst = 0;
    for (int j = 0; j < b->sys->n; j++) {
        const double unit = tmli_weights_unit(&b->weights, j), c = fabs(b->kernel.rhs[j]);
        size = fmax(size, c / unit);
        worst = fmax(worst, b->a1 * (c - 2 * b->increment_roundoff * unit) /
                                (share * tmli_weights_velocity(&b->weights, j)));
    }
    return worst > 0 ? size / worst : INFINITY;
}

// du = a1 dD + d(T(D) hx) = a1 dV with T(D) dD = T(u/a1) dV, up to terms of second order in D: T(x) = 1 -
// x~/2 + .. and a1 D + hx = X', which is u to first order.
void tmli_bdf_turn(void *user, const double *D, double *dV)
{
    const tmli_bdf *b = user;
    b->sys->ops->tangent(b->sys->self, b->linearization_point, dV, b->along);
    b->sys->ops->tangent_inverse(b->sys->self, D, b->along, dV);
}

double tmli_bdf_tolerance(tmli_bdf *b, double h, const double *D, double *feedback)
{
    const tmli_weights *w = &b->weights;
    const double x = h * tmli_weights_rate(w);
    const double fine = b->opt.fixed_step ? 1e-3 * pow(fmin(x, 1), b->order + 2)
                                          : b->opt.atol * tmli_weights_budget(w, h) * x;
    *feedback = fmin(tmli_weights_feedback(w, h), fmax(1e-6, 0.003 * fine / DBL_EPSILON));
    if (!b->sys->ops->increment || b->kernel.plain) *feedback = 1;
    double moved = 0;
    for (int j = 0; j < b->sys->n; j++) moved = fmax(moved, fabs(D[j]) / tmli_weights_unit(w, j));
    b->increment_roundoff = DBL_EPSILON * fmin(1, *feedback + moved);
    b->kernel.noise = 0.05 * fmin(1, *feedback + moved);
    const double tol = tmli_weights_newton(w, h);
    if (!b->opt.fixed_step) return tol;
    // far below the error of the step
    return fmax(tol * pow(10, 3 * fmin(2 - b->order, 0)), 1e-6 * fine);
}

tml_status tmli_bdf_solve_index3(tmli_bdf *b, double h, double *D, tml_state *x, tml_error *err)
{
    const tmli_stage stage = {.a0 = b->a1 * b->a1,
                              .a1 = b->a1,
                              .theta = 1,
                              .follow = b->flat ? NULL : follow,
                              .linearization_point = b->flat ? NULL : b->linearization_point,
                              .to_increment = b->flat ? NULL : tmli_bdf_turn,
                              .user = b,
                              .h = h};
    double feedback;
    const double tol = tmli_bdf_tolerance(b, h, D, &feedback), least = b->increment_roundoff;
    if (b->opt.fixed_step)
        return tmli_kernel_solve(&b->kernel, b->x, &stage, feedback, fmax(tol, least), D, x, err);
    double used = fmax(tol * b->strict, least);
    tml_status st = tmli_kernel_solve(&b->kernel, b->x, &stage, feedback, used, D, x, err);
    for (int more = 0; more < 2 && st == TML_OK; more++) {
        const double wanted = settled_at(b, h), trust = fmin(b->kernel.rate, 0.9);
        b->strict = fmin(1, wanted / tol);
        if (wanted >= used || trust / (1 - trust) * b->kernel.last_correction <= wanted || used == least)
            break;
        used = fmax(wanted, least);
        st = tmli_kernel_solve(&b->kernel, b->x, &stage, feedback, used, D, x, err);
    }
    return st;
}

// The step's formulas, and D, u, udot, lambda where the history leads to.
static void predict(tmli_bdf *b, double h)
{
    const tmli_history *y = &b->history;
    const int n = b->sys->n, k = b->order, points = y->count < k + 2 ? y->count : k + 2;
    double p[TMLI_BDF_POINTS], w[TMLI_BDF_POINTS];
    tmli_history_value(y, points, h, p);
    b->a1 = tmli_history_slope(y, k, h, w);
    memset(b->D, 0, (size_t)n * sizeof(double));
    memset(b->hx, 0, (size_t)n * sizeof(double));
    memset(b->hu, 0, (size_t)n * sizeof(double));
    for (int i = 1; i < points; i++)
        for (int j = 0; j < n; j++) b->D[j] += p[i] * y->X[i][j];
    for (int i = 1; i < k; i++)
        for (int j = 0; j < n; j++) {
            b->hx[j] += w[i] * y->X[i][j];
            b->hu[j] += w[i] * (y->u[i][j] - y->u[0][j]);
        }
    tml_state *x = b->trial;
    tmli_bdf_turned(b, b->D, b->turned);
    for (int j = 0; j < n; j++) {
        x->u[j] = b->a1 * b->D[j] + b->turned[j];  // (1)
        b->linearization_point[j] = x->u[j] / b->a1;
        x->udot[j] = b->a1 * (x->u[j] - y->u[0][j]) + b->hu[j];  // (2): a1 + sum w = 0
    }
    const int forces = y->multipliers < MULTIPLIERS ? y->multipliers : MULTIPLIERS;
    tmli_history_value(y, forces, h, p);
    for (int i = 1; i < forces; i++)
        for (int r = 0; r < b->sys->m; r++) x->lambda[r] += p[i] * (y->lambda[i][r] - y->lambda[0][r]);
}

static tml_status judge(tmli_bdf *b, double *error, tml_error *err)
{
    const tml_system *s = b->sys;
    s->ops->local(s->self, b->weights.q_start, b->trial->q, b->moved);
    tml_status st = b->estimate(b, b->order, 1, error, err);
    if (st != TML_OK || *error <= 1) return st;
    // before rejecting, make sure that it is not noise let through by an old matrix
    st = b->refresh(b, b->trial, err);
    return st == TML_OK ? b->estimate(b, b->order, 2, error, err) : st;
}

tml_status tmli_bdf_step(void *self, double h, double *error, tml_error *err)
{
    tmli_bdf *b = self;
    if (b->restart) {
        tml_status st = begin(b, err);
        if (st != TML_OK) return st;
    }
    if (b->fresh) {
        // close points are as good as the derivatives themselves, distant ones do not enlarge round-off
        const double apart = b->opt.fixed_step ? h / 4 : h;
        tmli_history_begin(&b->history, b->x);
        tmli_history_extend(&b->history, b->order + 1, apart, (const double *const *)b->derivative,
                            TMLI_BDF_DERIVATIVES);
    }
    b->h_trial = h;
    tml_state_copy(b->trial, b->x);
    b->trial->t = b->x->t + h;
    predict(b, h);
    tml_status st = b->solve(b, h, b->D, b->trial, err);
    *error = 0;
    if (st != TML_OK || b->opt.fixed_step) return st;
    // multipliers that are to be judged must not carry the jumps of the standing error
    if (b->opt.control == TML_CONTROL_ALL && b->solve == tmli_bdf_solve_index3)
        st = tmli_consistent_accelerations(&b->consistent, b->trial, err);
    return st == TML_OK ? judge(b, error, err) : st;
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
    b->fresh = false;
    b->failures = 0;
    b->since++;
    b->order_dense = b->order;
    tmli_weights_track(&b->weights, b->x);
    b->count.steps++;
}

static void rows_changed(void *self, const double *lambda)
{
    tmli_bdf *b = self;
    const size_t m = (size_t)b->sys->m;
    memcpy(b->x->lambda, lambda, m * sizeof(double));
    memcpy(b->history.lambda[0], lambda, m * sizeof(double));
    b->history.multipliers = 1;
    b->kernel.stale = true;
    tmli_index1_rows_changed(&b->consistent.matrix);
}

// ---- dense output -----------------------------------------------------------------------------------------

// Polynomials through the last points: X around the end of the step, u, its slope, lambda.
void tmli_bdf_interpolate(const void *self, double theta, tml_state *out)
{
    const tmli_bdf *b = self;
    const tml_system *s = b->sys;
    const tmli_history *y = &b->history;
    tml_state_copy(out, b->x);
    if (b->order_dense == 0 || theta >= 1) return;
    const int points = b->order_dense + 1 < y->count ? b->order_dense + 1 : y->count;
    const int forces = points < y->multipliers ? points : y->multipliers;
    const double back = (theta - 1) * y->age[1];
    double p[TMLI_BDF_POINTS], d[TMLI_BDF_POINTS];
    out->t = b->x->t + back;
    tmli_history_value(y, points, back, p);
    tmli_history_rate(y, points, back, d);
    double *X = out->udot;  // until it gets its value
    memset(X, 0, (size_t)s->n * sizeof(double));
    for (int i = 1; i < points; i++)
        for (int j = 0; j < s->n; j++) X[j] += p[i] * y->X[i][j];
    s->ops->retract(s->self, b->x->q, X, out->q);
    memset(out->udot, 0, (size_t)s->n * sizeof(double));
    for (int i = 1; i < points; i++)
        for (int j = 0; j < s->n; j++) {
            out->u[j] += p[i] * (y->u[i][j] - y->u[0][j]);
            out->udot[j] += d[i] * (y->u[i][j] - y->u[0][j]);
        }
    tmli_history_value(y, forces, back, p);
    for (int i = 1; i < forces; i++)
        for (int r = 0; r < s->m; r++) out->lambda[r] += p[i] * (y->lambda[i][r] - y->lambda[0][r]);
}

const tml_state *tmli_bdf_state(const void *self) { return ((const tmli_bdf *)self)->x; }
const tml_counters *tmli_bdf_counters(const void *self) { return &((const tmli_bdf *)self)->count; }
void tmli_bdf_conditioning(void *self, tml_conditioning *out)
{
    tmli_kernel_conditioning(&((tmli_bdf *)self)->kernel, out);
}
double tmli_bdf_condition(void *self) { return tmli_kernel_condition(&((tmli_bdf *)self)->kernel); }

// ---- the methods ------------------------------------------------------------------------------------------

static tml_status create_bdf(const tml_system *sys, const tml_integrator_options *opt, void **self,
                             tml_error *err)
{
    tmli_bdf *b = NULL;
    *self = NULL;
    const int highest = opt->max_order == 0 ? TMLI_BDF_ORDER : opt->max_order;
    if (highest < 1 || highest > TMLI_BDF_ORDER)
        return tmli_fail(err, TML_ERR_ARG, "max_order = %d is outside of its range 1 .. %d", opt->max_order,
                         TMLI_BDF_ORDER);
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

const tml_method_ops tmli_method_bdf = {
    .name = "bdf",
    .summary = "backward differentiation of variable order (max_order)",
    .form = "index 3",
    .stability = "A-stable to order 2, stiffly stable to order 5",
    .citation = "Gear 1971; Loetstedt & Petzold 1986",
    .order = TMLI_BDF_ORDER,
    .max_order = TMLI_BDF_ORDER,
    .equations = TML_EQUATIONS_INDEX3,
    .create = create_bdf,
    TMLI_BDF_FUNCTIONS,
    .rows_changed = rows_changed,
    .condition = tmli_bdf_condition,
    .conditioning = tmli_bdf_conditioning,
    .destroy = tmli_bdf_destroy,
};

const tml_method_ops tmli_method_bdf2 = {
    .name = "bdf2",
    .summary = "backward differentiation of order 2",
    .form = "index 3",
    .stability = "L-stable at constant step",
    .citation = "Gear 1971; Bottasso, Bauchau, Cardona 2007",
    .order = 2,
    .equations = TML_EQUATIONS_INDEX3,
    .create = create_bdf2,
    TMLI_BDF_FUNCTIONS,
    .rows_changed = rows_changed,
    .condition = tmli_bdf_condition,
    .conditioning = tmli_bdf_conditioning,
    .destroy = tmli_bdf_destroy,
};
