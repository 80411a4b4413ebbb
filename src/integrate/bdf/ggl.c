// The stabilized index-2 form of Gear, Gupta and Leimkuhler on the backward differentiation formulas of
// bdf.c.
//
//   W (X'~ - u) + B'mu = 0,        X'~ = T(D)(a1 D + hx), as in bdf.c (1)                (1)
//   M udot + B'lambda = f,         udot = a1 u + hu                                      (2)
//   Phi = 0,   B u = nu                                                                  (3)
//
// Positions and velocities both satisfy the constraints. mu is zero on the exact solution and takes up the
// difference between X'~ and u that the formulas make across the constraints. There is no standing error in
// the velocities and nothing jumps when step or order change: all fields are of order k. W is only the metric
// in which positions are corrected. It is diagonal, the inertia of each coordinate (for a massless one the
// inertia equivalent to its forces within the step). Coordinates of massless parts stay determined, and no
// second product with the mass matrix is needed.
//
// Newton's unknowns are dV (bdf.c: T(D) dD = T(u/a1) dV), dU = du/a1, dl^, dm^, all position-like; with b =
// 1/a1^2 and row scales e as in kernel.h, lambda = e/b l^, mu = a1 e m^:
//   [ W                    -W              0     B' e ] [dV ]     [ W (X'~ - u)/a1 + B'mu/a1 ]
//   [ b (K + B'pB) T       M + b a1 Dm     B' e  0    ] [dU ]     [ b (residual of motion)   ]
//   [ e B T                0               0     0    ] [dl^] = - [ e Phi                    ]            (4)
//   [ e (B u)_q T/a1       e B             0     0    ] [dm^]     [ e (B u - nu)/a1          ]
// with unknowns interleaved (V_i, U_i), (l_r, m_r), so that it is a matrix over the graph of the model with
// full 2 x 2 matrices as entries (linalg/pattern/expand.h), and any solver works on it. In elimination
// order the pivots are W and M + b (..) for coordinates, and then B A^-1 B' and B W^-1 B' for multipliers.
//
// Rows at velocity level have neither Phi nor mu. Their lambda takes the place of mu: the row of dl^ is that
// of B u = nu, the row of dm^ is dm^ = 0.                                                                (4')
//
// Other scalings than `physical` (kernel.h (4)) multiply the four kinds of rows and measure u, lambda, mu in
// other units, with the step h for 1/a1:
//   none                  h, h,   h, h;     u: 1,   lambda: 1,     mu: 1
//   left                  h, h,   1, 1;     u: 1,   lambda: 1,     mu: 1
//   left-right            h, h^2, 1, 1;     u: 1,   lambda: 1/h^2, mu: 1/h
//   left-right-velocity   h, h^2, 1, h;     u: 1/h, lambda: 1/h^2, mu: 1/h
//   uniform               h, h^2, e, e h;   u: 1/h, lambda: e/h^2, mu: e/h                                (5)
//
// Error estimate: with the defects of bdf.c (4) as right-hand side, (4) gives the local errors of positions
// and velocities.
//
// Reference: C. W. Gear, B. Leimkuhler, G. K. Gupta, J. Comput. Appl. Math. 12-13 (1985) 77-90.
#include "integrate/bdf/ggl.h"
#include "integrate/core/methods.h"
#include "integrate/newton/convergence.h"
#include "system/state/accepted.h"
#include "system/state/move.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/bdf/constants.h"

static void destroy(void *self)
{
    tmli_bdf *b = self;
    if (!b) return;
    tmli_ggl_clear(b->extension);
    tmli_bdf_destroy(b);
}

// ---- Newton -----------------------------------------------------------------------------------------------

// Transform v (m) from the frames that rows have at q0 to those at q1.
static void transform_rows(const tmli_ggl *g, const double *q0, const double *q1, double *v)
{
    const tml_system *s = g->base->sys;
    if (s->ops->transform_rows && !g->newton.unscaled && g->all_active)
        s->ops->transform_rows(s->self, q0, q1, v);
}

// g->wide := right-hand side of (4) at D, x.
static tml_status evaluate(tmli_bdf *b, double feedback, const double *D, const tml_state *x, tml_error *err)
{
    tmli_ggl *g = tmli_ggl_of(b);
    const tml_system *s = b->sys;
    b->count.residuals++;
    tml_status st = tmli_active_residual(s, b->kernel.work, x, b->opt.run.augment > 0 ? g->p : NULL,
                                         g->motion, g->phi, err);
    if (st == TML_OK) st = tmli_active_velocity(s, b->kernel.work, x, g->phidot, err);
    if (st == TML_OK) st = tmli_active_rows(s, b->kernel.work, x, g->rows, err);
    if (st == TML_OK && feedback < 1)
        st = tmli_active_increment(s, b->kernel.work, b->x, D, x->t, g->dphi, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < s->n; j++) g->kinematic[j] = g->W[j] * (g->v[j] - x->u[j]);
    for (int r = 0; r < s->m; r++) {
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++)
            g->kinematic[s->rowcol[i]] += g->rows[i] * g->mu[r];
        const double used = feedback < 1 ? (1 - feedback) * g->dphi[r] + feedback * g->phi[r] : g->phi[r];
        g->offset[r] = g->phi[r] - used;
        g->dphi[r] = used;
    }
    for (int r = 0; r < s->m && s->level; r++)
        if (s->level[r] == TML_LEVEL_VELOCITY) g->dphi[r] = g->offset[r] = 0;
    memcpy(g->q_now, x->q, (size_t)s->nq * sizeof(double));
    g->all_active = tmli_all_active(s, x);
    transform_rows(g, g->q_now, g->q_factor, g->dphi);
    transform_rows(g, g->q_now, g->q_factor, g->phidot);
    for (int r = 0; r < s->m; r++) {
        g->wide[2 * (s->n + r)] = -g->level * g->e[r] * g->dphi[r];
        g->wide[2 * (s->n + r) + 1] = -g->level_u * g->e[r] * g->phidot[r];
    }
    for (int r = 0; r < s->m && s->level; r++) {  // (4')
        if (s->level[r] == TML_LEVEL_POSITION) continue;
        g->wide[2 * (s->n + r)] = g->wide[2 * (s->n + r) + 1];
        g->wide[2 * (s->n + r) + 1] = 0;
    }
    for (int j = 0; j < s->n; j++) {
        g->wide[2 * j] = -g->relation * g->kinematic[j];
        g->wide[2 * j + 1] = -g->force * g->motion[j];
    }
    return TML_OK;
}

// g->v := X'~ of (1).
static void set_velocity(tmli_bdf *b, const double *D)
{
    tmli_bdf_history_velocity(b, D, b->history_velocity);
    for (int j = 0; j < b->sys->n; j++) tmli_ggl_of(b)->v[j] = b->a1 * D[j] + b->history_velocity[j];
}

// One correction. size: its largest component [lengths]; excess: over the error that the iteration may
// leave, tol lengths and a share of the allowed velocity error.
static tml_status correct(tmli_bdf *b, double feedback, double tol, double *D, tml_state *x, double *size,
                          double *excess, tml_error *err)
{
    tmli_ggl *g = tmli_ggl_of(b);
    const tml_system *s = b->sys;
    tml_status st = evaluate(b, feedback, D, x, err);
    if (st != TML_OK) return st;
    tmli_ggl_solve_wide(g);
    const double share = NEWTON_SHARE_OF_VELOCITY * tmli_weights_budget(&b->weights, b->h_trial);
    double *dD = b->ex;
    *size = *excess = 0;
    for (int j = 0; j < s->n; j++) {
        const double unit = g->unit[j], dU = g->speed_unit / b->a1 * g->wide[2 * j + 1];
        dD[j] = g->wide[2 * j];
        const double c = fmax(fabs(dD[j]), fabs(dU)) / unit;
        if (!(c <= *size)) *size = c;  // keeps a NaN
        *excess = fmax(*excess, c / tol);
        if (!b->opt.fixed_step)
            *excess = fmax(*excess, b->a1 * (fabs(dU) - VELOCITY_ROUNDOFF * tmli_bdf_roundoff(b, j)) /
                                        (share * tmli_weights_velocity(&b->weights, j)));
    }
    if (!isfinite(*size))
        return tmli_fail(err, TML_RETRY, "a Newton correction is not finite at t = %g s", x->t);
    if (!b->flat) tmli_bdf_to_increment(b, D, dD);
    for (int j = 0; j < s->n; j++) {
        D[j] += dD[j];
        x->u[j] += g->speed_unit * g->wide[2 * j + 1];
        x->udot[j] += b->a1 * g->speed_unit * g->wide[2 * j + 1];
    }
    for (int r = 0; r < s->m; r++) {
        g->dphi[r] = g->lambda_unit * g->e[r] * g->wide[2 * (s->n + r)];
        g->phidot[r] = g->mu_unit * g->e[r] * g->wide[2 * (s->n + r) + 1];
    }
    transform_rows(g, g->q_factor, g->q_now, g->dphi);
    transform_rows(g, g->q_factor, g->q_now, g->phidot);
    for (int r = 0; r < s->m; r++) {
        x->lambda[r] += g->dphi[r];
        g->mu[r] += g->phidot[r];
    }
    tmli_state_move(s, b->x, D, x);
    set_velocity(b, D);
    return TML_OK;
}

static tml_status iterate(tmli_bdf *b, double feedback, double tol, bool fresh, double *D, tml_state *x,
                          tml_error *err)
{
    tmli_ggl *g = tmli_ggl_of(b);
    tmli_newton *newton = &g->newton;
    const double ulps = TMLI_NEWTON_ROUNDOFF / DBL_EPSILON;
    tmli_newton_begin(newton, tol, ulps * b->increment_roundoff, fresh, fresh);
    for (;;) {
        double size, excess;
        tml_status st = correct(b, feedback, tol, D, x, &size, &excess, err);
        b->count.iterations++;
        if (st != TML_OK) return st;
        if (g->record) tmli_ggl_record(g);
        const tmli_verdict verdict = tmli_newton_judge(newton, size, tol * excess);
        if (verdict == TMLI_DIVERGED) return tmli_newton_fail(newton, x->t, err);
        if (verdict == TMLI_CONVERGED) break;
        if (verdict == TMLI_ITERATE) continue;
        st = tmli_ggl_factor(b, x, err);
        if (st != TML_OK) return st;
        tmli_newton_renewed(newton, true);
    }
    if (tmli_newton_end(newton, &b->count.max_iterations)) g->stale = true;
    return TML_OK;
}

// As in the kernel: a new matrix in every iteration, until the corrections stop falling.
static tml_status saturate(tmli_bdf *b, double feedback, double tol, double *D, tml_state *x, tml_error *err)
{
    tmli_ggl *g = tmli_ggl_of(b);
    tmli_newton *newton = &g->newton;
    for (newton->iterations = 1;; newton->iterations++) {
        double excess;
        tml_status st = tmli_ggl_factor(b, x, err);
        if (st == TML_OK) st = correct(b, feedback, tol, D, x, &newton->size, &excess, err);
        b->count.iterations++;
        if (st != TML_OK) return st;
        if (!tmli_ggl_record(g) || g->record->norm == 0 || tmli_newton_at_limit(newton)) break;
    }
    if (newton->iterations > b->count.max_iterations) b->count.max_iterations = newton->iterations;
    return tmli_newton_check_saturated(newton, newton->size, b->kernel.gyration_ratio, x->t, err);
}

static tml_status solve(tmli_bdf *b, double h, double *D, tml_state *x, tml_error *err)
{
    tmli_ggl *g = tmli_ggl_of(b);
    const tml_system *s = b->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    double feedback;
    const double tol = fmax(tmli_bdf_tolerance(b, h, D, &feedback), b->increment_roundoff);
    if (b->fresh) memset(g->mu, 0, m * sizeof(double));  // else that of the last step is a good prediction
    tmli_state_move(s, b->x, D, x);
    set_velocity(b, D);
    tml_state_copy(g->start, x);
    memcpy(g->predicted, D, n * sizeof(double));
    if (g->record) tmli_record_begin(g->record);
    const double change = g->factor_b * b->a1 * b->a1;
    tmli_ggl_set_factors(b);
    if (s->nz > 0) tmli_weights_set_state_units(&b->weights, h, b->a1, g->unit);
    tml_status st = TML_OK;
    const bool same = b->opt.run.scaling == TML_SCALING_PHYSICAL
                          ? change <= GGL_MATRIX_RATIO && change >= 1 / GGL_MATRIX_RATIO
                          : fabs(change - 1) < TMLI_NEWTON_SAME_COEFFICIENT;
    if (b->opt.run.iterate == TML_ITERATE_SATURATED) {
        st = saturate(b, feedback, tol, D, x, err);
        for (int r = 0; r < s->m && st == TML_OK; r++) x->lambda[r] += g->p[r] * g->offset[r];
        return st;
    }
    const bool fresh = g->factor_b == 0 || g->stale || b->fresh || !same;
    if (fresh) st = tmli_ggl_factor(b, x, err);
    if (st == TML_OK) st = iterate(b, feedback, tol, fresh, D, x, err);
    if (st > 0 && !fresh && !g->newton.fresh) {
        // no convergence with an old matrix: repeat from the prediction with a new one
        tml_state_copy(x, g->start);
        memcpy(D, g->predicted, n * sizeof(double));
        memset(g->mu, 0, m * sizeof(double));
        set_velocity(b, D);
        st = tmli_ggl_factor(b, x, err);
        if (g->record) tmli_record_begin(g->record);
        if (st == TML_OK) st = iterate(b, feedback, tol, true, D, x, err);
    }
    for (int r = 0; r < s->m && st == TML_OK; r++) x->lambda[r] += g->p[r] * g->offset[r];
    return st;
}

// As tmli_kernel_change_inputs, with the matrix (4) of the last step.
static tml_status change_inputs(tmli_bdf *b, const tml_state *with, double *dudot, double *dlambda,
                                tml_error *err)
{
    tmli_ggl *g = tmli_ggl_of(b);
    const tml_system *s = b->sys;
    tml_state *x = b->x;
    tml_status st = tmli_active_residual(s, b->kernel.work, x, NULL, dudot, g->phi, err);
    tmli_state_copy_inputs(x, with);
    if (st == TML_OK) st = tmli_active_residual(s, b->kernel.work, x, NULL, g->motion, g->phi, err);
    if (st != TML_OK) return st;
    b->count.residuals += 2;
    memset(g->wide, 0, 2 * (size_t)(s->n + s->m) * sizeof(double));
    for (int j = 0; j < s->n; j++) g->wide[2 * j + 1] = -g->force * (g->motion[j] - dudot[j]);
    tmli_ggl_solve_wide(g);
    for (int j = 0; j < s->n; j++) dudot[j] = b->a1 * g->speed_unit * g->wide[2 * j + 1];
    for (int r = 0; r < s->m; r++) dlambda[r] = g->lambda_unit * g->e[r] * g->wide[2 * (s->n + r)];
    memcpy(g->q_now, x->q, (size_t)s->nq * sizeof(double));
    transform_rows(g, g->q_factor, g->q_now, dlambda);
    for (int j = 0; j < s->n; j++) x->udot[j] += dudot[j];
    for (int r = 0; r < s->m; r++) x->lambda[r] += dlambda[r];
    return TML_OK;
}

// ---- error estimate ---------------------------------------------------------------------------------------

static tml_status estimate(tmli_bdf *b, int k, int sweeps, double *error, tml_error *err)
{
    tmli_ggl *g = tmli_ggl_of(b);
    const tml_system *s = b->sys;
    const double h = b->h_trial, a1 = b->a1;
    double worst = tmli_bdf_multiplier_error(b, k);
    tmli_bdf_set_defects(b, k);
    for (int i = 0; i < sweeps; i++) {
        tml_status st = tmli_bdf_probe_force(b, NULL, b->eu, 1, err);
        if (st != TML_OK) return st;
        memset(g->wide, 0, 2 * (size_t)(s->n + s->m) * sizeof(double));
        for (int j = 0; j < s->n; j++) {
            g->wide[2 * j] = -g->relation * g->W[j] * b->ex[j];
            g->wide[2 * j + 1] = -g->force * b->force[j];
        }
        tmli_ggl_solve_wide(g);
        for (int j = 0; j < s->n; j++) b->eu[j] = a1 * g->speed_unit * g->wide[2 * j + 1];
    }
    for (int j = 0; j < s->n; j++) {
        const double e = h * a1 * fabs(g->wide[2 * j]);
        worst = fmax(worst, h * fabs(b->eu[j]) / tmli_weights_step_velocity(&b->weights, j, h));
        worst = fmax(worst, e / tmli_weights_step_position(&b->weights, j, b->moved, h));
        // what mu takes up does not accumulate, but the motion between the points is off by it
        const double taken = b->ex[j] + a1 * g->wide[2 * j] - g->speed_unit * g->wide[2 * j + 1];
        worst = fmax(worst, fabs(taken) / tmli_weights_velocity_across(
                                              &b->weights, j, h, b->kernel.gyration_ratio, b->trial->t));
    }
    *error = worst;
    return TML_OK;
}

// ---- the method -------------------------------------------------------------------------------------------

static tml_status create(const tml_system *sys, const tml_integrator_options *opt, void **self,
                         tml_error *err)
{
    *self = NULL;
    const int highest = opt->run.max_order == 0 ? TMLI_BDF_ORDER : opt->run.max_order;
    if (highest < 1 || highest > TMLI_BDF_ORDER)
        return tmli_fail(err, TML_ERR_ARG, "max_order = %d is outside of its range 1 .. %d",
                         opt->run.max_order, TMLI_BDF_ORDER);
    if (opt->run.fields == TML_FIELDS_THREE)
        return tmli_fail(
            err, TML_ERR_ARG,
            "fields = three is for genalpha, hht, newmark, midpoint, bdf and bdf2: in ggl velocities "
            "are unknowns anyway");
    if (opt->run.scaling == TML_SCALING_GIVEN || opt->run.scaling == TML_SCALING_NORM)
        return tmli_fail(
            err, TML_ERR_ARG,
            "a scaling by hand or by norms is for genalpha, hht, newmark, midpoint, decay, conserve, bdf and "
            "bdf2: the matrix of ggl has other factors");
    tmli_bdf *b = NULL;
    tml_status st = tmli_bdf_create(sys, opt, 1, highest, &b, err);
    if (st == TML_OK) st = tmli_ggl_create_parts(b, err);
    if (st != TML_OK) {
        destroy(b);
        return st;
    }
    b->solve = solve;
    b->refresh = tmli_ggl_factor;
    b->change_inputs = change_inputs;
    b->estimate = estimate;
    *self = b;
    return TML_OK;
}

const tml_method_ops tmli_method_ggl = {
    .name = "ggl",
    .summary = "backward differentiation, position and velocity constraints offset",
    .form = "stabilized index 2",
    .stability = "A-stable to order 2, stiffly stable to order 5",
    .citation = "Gear, Leimkuhler & Gupta 1985",
    .order = TMLI_BDF_ORDER,
    .max_order = TMLI_BDF_ORDER,
    .equations = TML_EQUATIONS_INDEX2,
    .create = create,
    TMLI_BDF_FUNCTIONS,
    .condition = tmli_ggl_condition,
    .conditioning = tmli_ggl_conditioning,
    .destroy = destroy,
    .archive = tmli_ggl_archive,
    .smooth = true,
};
