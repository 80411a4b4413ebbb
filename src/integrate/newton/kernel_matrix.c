// The matrix of a step: row and column factors, assembly, factorization, and the other solves with the last
// matrix; equation numbers as in kernel.h.
#include "integrate/newton/kernel_matrix.h"
#include "consistency/scaling.h"
#include "integrate/newton/convergence.h"
#include "linalg/pattern/pattern.h"
#include "system/state/accepted.h"
#include "system/state/first_order.h"
#include "system/state/move.h"

#include <math.h>
#include <string.h>

#include "integrate/newton/constants.h"

// ---- factors and assembly ---------------------------------------------------------------------------------

// The infinity norm of cm M + cd Dm + ck K at x.
static tml_status find_norm(tmli_kernel *k, const tml_state *x, const tml_assembly *a, double *norm,
                            tml_error *err)
{
    const tml_system *s = k->sys;
    const tml_pattern *p = s->pattern;
    tml_status st = tmli_active_assemble(s, k->work, x, a, k->values_end, err);
    memset(k->scratch, 0, (size_t)s->n * sizeof(double));
    for (int j = 0; j < s->n && st == TML_OK; j++)
        for (int i = p->colptr[j]; i < p->colptr[j + 1]; i++)
            if (p->rowind[i] < s->n) k->scratch[p->rowind[i]] += fabs(k->values_end[i]);
    *norm = 0;
    for (int j = 0; j < s->n; j++) *norm = fmax(*norm, k->scratch[j]);
    return st;
}

// (4), norm: one factor for all rows and coordinates.
static tml_status scale_by_norms(tmli_kernel *k, const tml_state *x, tml_error *err)
{
    const tml_system *s = k->sys;
    const tml_assembly part[] = {{.cm = 1}, {.cd = 1}, {.ck = 1}};
    double norm[3];
    for (int i = 0; i < 3; i++) {
        tml_status st = find_norm(k, x, &part[i], &norm[i], err);
        if (st != TML_OK) return st;
    }
    const double e = norm[0] + k->h * (norm[1] + k->h * norm[2]);
    for (int r = 0; r < s->m; r++) k->e[r] = e;
    for (int j = 0; j < tmli_mechanical(s); j++) k->diagonal[2 * s->n + j] = e;
    return TML_OK;
}

static tml_status rescale(tmli_kernel *k, const tml_state *x, tml_error *err)
{
    const double b = 1 / k->stage.a0;
    const tml_scaling scaling = k->scaling == TML_SCALING_NORM ? TML_SCALING_UNIFORM : k->scaling;
    tml_status st = tmli_scale_rows(k->sys, k->work, scaling, x, b, k->stage.a1 / k->stage.a0, k->h,
                                    k->diagonal, k->rows, k->unit, k->e, &k->gyration_ratio, err);
    if (st == TML_OK && k->scaling == TML_SCALING_NORM) st = scale_by_norms(k, x, err);
    if (st != TML_OK) return st;
    k->scale_b = b;
    if (k->sys->nz == 0) return TML_OK;
    if (k->scaling == TML_SCALING_PHYSICAL)
        memcpy(k->own_measure, k->unit, (size_t)(k->sys->n + k->sys->m) * sizeof(double));
    tmli_weights_set_state_units(k->weights, k->h, k->stage.a1, k->unit);
    return TML_OK;
}

// Factors of rows and columns of the three-field matrix in addition to (4). The relations between
// displacements and velocities are multiplied by the inertia of their coordinate, and velocities become a1
// times a displacement; scalings by powers of the step are those of (23), (29) of Bottasso, Bauchau,
// Cardona.
static void set_three_field_factors(tmli_kernel *k)
{
    tmli_three_field *f = k->three_field;
    const tml_system *s = k->sys;
    const double *A = k->diagonal + 2 * s->n;
    for (int i = 0; i < s->n + s->m; i++) {
        const double unit = k->physical ? k->measure[i] : 1;
        f->left[f->at[i]] = f->right[f->at[i]] = unit;
        if (i >= s->n) continue;
        f->left[f->velocity_at[i]] = f->right[f->velocity_at[i]] = unit;
        f->left[f->at[i]] *= k->physical ? A[i] / k->stage.a1 : k->h;
        if (k->physical) f->right[f->velocity_at[i]] *= k->stage.a1;
        if (k->scaling == TML_SCALING_LEFT_RIGHT_VELOCITY) f->right[f->velocity_at[i]] /= k->h;
    }
}

void tmli_kernel_set_factors(tmli_kernel *k)
{
    const double b = 1 / k->stage.a0, h = k->h;
    const bool scaled = k->physical;
    k->motion_factor = k->scaling == TML_SCALING_PHYSICAL ? b
                       : k->newton.unscaled               ? h
                       : k->stage.h > 0                   ? h * h
                                                          : b;
    const double row = k->scaling == TML_SCALING_NONE ? h : 1;
    for (int r = 0; r < k->sys->m; r++) {
        if (!scaled) k->e[r] = 1;
        if (k->scaling == TML_SCALING_GIVEN) k->e[r] = k->scale.m + h * (k->scale.d + h * k->scale.k);
        k->row_factor[r] = scaled ? k->e[r] : row;
        k->column_factor[r] = k->newton.unscaled ? 1 : k->e[r] / k->motion_factor;
        k->penalty[r] = k->newton.unscaled ? k->augment : k->augment * k->e[r] / k->motion_factor;
    }
    for (int r = 0; r < k->sys->m && k->sys->level; r++)
        k->force_penalty[r] =
            k->penalty[r] *
            (k->sys->level[r] == TML_LEVEL_VELOCITY ? tmli_kernel_velocity_share(k) / k->stage.a1 : 1);
    if (k->three_field) set_three_field_factors(k);
}

void tmli_kernel_set_step(tmli_kernel *k, const tml_state *x, const double *D)
{
    tml_state *end = k->stage.mean_end;
    tml_state_copy(end, x);
    tmli_state_move(k->sys, k->start, D, end);
    end->t = k->stage.t_end;
    k->step =
        (tml_step){.start = k->start, .middle = x, .end = end, .d = D, .h = k->h, .decay = k->stage.decay};
}

// k->end := x with multipliers such that lambda + p Phi at this inner point equals lambda, since the
// penalty belongs to the end of the step.
static tml_status set_end_without_penalty(tmli_kernel *k, const tml_state *x, tml_error *err)
{
    const tml_system *s = k->sys;
    tml_state_copy(k->end, x);
    tml_status st = tmli_active_residual(s, k->work, x, NULL, k->rhs, k->dphi, err);
    for (int r = 0; r < s->m && k->augment > 0; r++) k->end->lambda[r] -= k->force_penalty[r] * k->dphi[r];
    return st;
}

// Replace the constraint rows of `values` by those at the end of the step with the increment D.
static tml_status replace_constraint_rows(tmli_kernel *k, const tml_state *x, const double *D, tml_error *err)
{
    const tml_system *s = k->sys;
    const tml_pattern *pattern = s->pattern;
    const tml_assembly a = {
        .r = k->row_factor, .increment = D, .cv = k->stage.a1 / tmli_kernel_velocity_share(k)};
    tml_state_copy(k->end, x);
    tmli_state_move(s, k->start, D, k->end);
    for (int j = 0; j < s->n && s->level; j++)
        k->end->u[j] += (1 / tmli_kernel_velocity_share(k) - 1) * (x->u[j] - k->stage.u_start[j]);
    k->end->t = k->stage.t_end;
    tml_status st = tmli_active_assemble(s, k->work, k->end, &a, k->values_end, err);
    for (int j = 0; j < s->n && st == TML_OK; j++)
        for (int i = pattern->colptr[j]; i < pattern->colptr[j + 1]; i++)
            if (pattern->rowind[i] >= s->n) k->values[i] = k->values_end[i];
    return st;
}

// (3), rows at the inner point: q0 (+) theta D moves by theta of what D moves.
static void shorten_constraint_rows(tmli_kernel *k)
{
    const tml_pattern *p = k->sys->pattern;
    const int n = k->sys->n;
    for (int j = 0; j < n; j++)
        for (int i = p->colptr[j]; i < p->colptr[j + 1]; i++)
            if (p->rowind[i] >= n) k->values[i] *= k->stage.theta;
}

// Assemble (1) with the factors of (4), in two fields. For three fields inertia and damping are left out
// here and follow in values_end.
static tml_status assemble(tmli_kernel *k, const tml_state *x, const double *D, tml_error *err)
{
    const tml_system *s = k->sys;
    const double theta = k->stage.theta;
    for (int j = 0; j < s->n && D; j++) k->scratch[j] = theta * D[j];
    if (D && k->stage.mean_end) tmli_kernel_set_step(k, x, D);
    const tml_assembly a = {.cm = k->three_field ? 0 : k->motion_factor * k->stage.a0,
                            .cd = k->three_field ? 0 : k->motion_factor * k->stage.a1,
                            .ck = k->motion_factor * theta,
                            .cp = k->motion_factor,
                            .r = k->row_factor,
                            .p = k->augment > 0 ? k->penalty : NULL,
                            .cv = k->stage.a1 / tmli_kernel_velocity_share(k),
                            .step = D && k->stage.mean_end && k->sys->ops->mean_residual ? &k->step : NULL,
                            .increment = !D                             ? NULL
                                         : k->stage.linearization_point ? k->stage.linearization_point
                                                                        : k->scratch};
    tml_status st = theta < 1 ? set_end_without_penalty(k, x, err) : TML_OK;
    if (st == TML_OK) st = tmli_active_assemble(s, k->work, theta < 1 ? k->end : x, &a, k->values, err);
    if (st == TML_OK && k->stage.rows == TML_CONSTRAINT_POINT_INNER) shorten_constraint_rows(k);
    else if (st == TML_OK && theta < 1 && D) st = replace_constraint_rows(k, x, D, err);
    // B' has the factor of the constraint rows; only for `left` is this not motion_factor times
    // column_factor
    const int first = s->pattern->colptr[s->n], last = s->pattern->colptr[s->n + s->m];
    for (int i = first; i < last && k->scaling == TML_SCALING_LEFT; i++) k->values[i] *= k->motion_factor;
    if (st != TML_OK || !k->three_field) return st;
    const tml_assembly inertia = {
        .cm = k->motion_factor * k->stage.a0 / k->stage.a1, .cd = k->motion_factor, .r = k->row_factor};
    st = tmli_active_assemble(s, k->work, x, &inertia, k->values_end, err);
    if (st == TML_OK) tmli_three_field_fill(k->three_field, k->stage.a1, k->values, k->values_end);
    return st;
}

tml_status tmli_kernel_factor(tmli_kernel *k, const tml_state *x, const double *D, tml_error *err)
{
    const tml_system *s = k->sys;
    const double b = 1 / k->stage.a0;
    if (k->physical && !(b < RESCALE_RATIO * k->scale_b && k->scale_b < RESCALE_RATIO * b)) {
        tml_status st = rescale(k, x, err);
        if (st != TML_OK) return st;
    }
    tmli_kernel_set_factors(k);
    tml_status st = assemble(k, x, D, err);
    if (st == TML_OK && k->physical && !k->three_field) tmli_pattern_scale(s->pattern, k->measure, k->values);
    if (st == TML_OK) st = k->solver->factor(k->lin, k->factored, err);
    k->count->factorizations++;
    k->factor_b = st == TML_OK ? b : 0;
    k->factor_ratio = k->h * k->h * k->stage.a0;
    k->t_matrix = k->t_start;
    memcpy(k->q_factor, x->q, (size_t)s->nq * sizeof(double));
    memcpy(k->q_now, x->q, (size_t)s->nq * sizeof(double));
    k->all_active = tmli_all_active(s, x);
    k->stale = false;
    return st;
}

// ---- solves with the last matrix --------------------------------------------------------------------------

bool tmli_kernel_needs_other_matrix(const tmli_kernel *k)
{
    const double ratio = k->h * k->h * k->stage.a0;
    if (k->scaling == TML_SCALING_PHYSICAL) return false;
    const bool by_step = k->newton.unscaled || k->scaling == TML_SCALING_GIVEN ||
                         (k->three_field && k->scaling == TML_SCALING_LEFT_RIGHT);
    if (by_step && k->factor_b != 1 / k->stage.a0) return true;
    return !(fabs(ratio - k->factor_ratio) <= TMLI_NEWTON_SAME_COEFFICIENT * ratio);
}

void tmli_kernel_solve_linear(tmli_kernel *k, bool relation)
{
    const int n = k->sys->n + k->sys->m;
    if (k->three_field) {
        tmli_three_field_solve(k->three_field, k->solver->solve, k->lin, relation, k->rhs);
        return;
    }
    for (int i = 0; i < n && k->physical; i++) k->rhs[i] *= k->measure[i];
    k->solver->solve(k->lin, k->rhs);
    for (int i = 0; i < n && k->physical; i++) k->rhs[i] *= k->measure[i];
}

void tmli_kernel_transform_rows(const tmli_kernel *k, const double *q0, const double *q1, double *v)
{
    const tml_system *s = k->sys;
    if (s->ops->transform_rows && !k->newton.unscaled && k->all_active)
        s->ops->transform_rows(s->self, q0, q1, v);
}

tml_status tmli_kernel_refresh(tmli_kernel *k, double a0, double a1, const tml_state *x, tml_error *err)
{
    // h^2 a0 is a constant of the scheme: the step size of this a0 follows from that of the last one
    const double h = k->stage.h > 0 ? k->h * sqrt(k->stage.a0 / a0) : 0;
    k->stage = (tmli_stage){.a0 = a0, .a1 = a1, .theta = 1, .h = h};
    k->h = h > 0 ? h : sqrt(1 / a0);
    return tmli_kernel_factor(k, x, NULL, err);
}

void tmli_kernel_constrain(tmli_kernel *k, const double *y, double *d)
{
    const tml_system *s = k->sys;
    memset(k->rhs, 0, (size_t)s->n * sizeof(double));
    memcpy(k->rhs + s->n, y, (size_t)s->m * sizeof(double));
    tmli_kernel_transform_rows(k, k->q_now, k->q_factor, k->rhs + s->n);
    for (int r = 0; r < s->m; r++) k->rhs[s->n + r] *= k->row_factor[r];
    tmli_kernel_solve_linear(k, false);
    memcpy(d, k->rhs, (size_t)s->n * sizeof(double));
}

void tmli_kernel_balance(tmli_kernel *k, const double *r, const double *y, double *dv, double *dl)
{
    const tml_system *s = k->sys;
    const double a0 = k->stage.a0;
    for (int j = 0; j < s->n; j++) k->rhs[j] = -k->motion_factor * a0 * r[j];
    double *gap = k->dphi;  // y in the frames of the matrix, (5)
    memcpy(gap, y, (size_t)s->m * sizeof(double));
    tmli_kernel_transform_rows(k, k->q_now, k->q_factor, gap);
    for (int i = 0; i < s->m; i++) k->rhs[s->n + i] = k->row_factor[i] * gap[i];
    tmli_kernel_solve_linear(k, false);
    memcpy(dv, k->rhs, (size_t)s->n * sizeof(double));
    for (int i = 0; i < s->m; i++)
        dl[i] = (k->column_factor[i] * k->rhs[s->n + i] + k->penalty[i] * gap[i]) / a0;
    tmli_kernel_transform_rows(k, k->q_factor, k->q_now, dl);
}

tml_status tmli_kernel_change_inputs(tmli_kernel *k, tml_state *x, const tml_state *with, double *dudot,
                                     double *dlambda, tml_error *err)
{
    const tml_system *s = k->sys;
    if (s->ops->input_change) {
        s->ops->input_change(s->self, k->work, x, with, dudot);
        tmli_state_copy_inputs(x, with);
    } else {
        tml_status st = tmli_active_residual(s, k->work, x, NULL, dudot, k->dphi, err);
        tmli_state_copy_inputs(x, with);
        if (st == TML_OK) st = tmli_active_residual(s, k->work, x, NULL, k->rhs, k->dphi, err);
        if (st != TML_OK) return st;
        k->count->residuals += 2;
        for (int j = 0; j < s->n; j++) dudot[j] = k->rhs[j] - dudot[j];
    }
    memset(dlambda, 0, (size_t)s->m * sizeof(double));
    tmli_kernel_balance(k, dudot, dlambda, dudot, dlambda);
    for (int j = 0; j < s->n; j++) x->udot[j] += dudot[j];
    for (int r = 0; r < s->m; r++) x->lambda[r] += dlambda[r];
    return TML_OK;
}

void tmli_kernel_force_response(tmli_kernel *k, const double *force, const double *y, double *d)
{
    const tml_system *s = k->sys;
    memset(k->rhs + s->n, 0, (size_t)s->m * sizeof(double));
    if (y) {
        memcpy(k->rhs + s->n, y, (size_t)s->m * sizeof(double));
        tmli_kernel_transform_rows(k, k->q_now, k->q_factor, k->rhs + s->n);
        for (int r = 0; r < s->m; r++) k->rhs[s->n + r] *= -k->row_factor[r];
    }
    for (int j = 0; j < s->n; j++) k->rhs[j] = -k->motion_factor * force[j];
    tmli_kernel_solve_linear(k, false);
    memcpy(d, k->rhs, (size_t)s->n * sizeof(double));
}

double tmli_kernel_passed_roundoff(const tmli_kernel *k, int j, double unit, double h)
{
    const double mass = k->diagonal[j], damping = k->diagonal[k->sys->n + j];
    return mass > 0 ? PASSED_ULPS * DBL_EPSILON * unit * fmin(damping / mass, 1 / h) : 0;
}

tml_status tmli_kernel_decay(tmli_kernel *k, tml_state *z, int count, double scale, double *v, double *force,
                             double *d, double *gap, tml_error *err)
{
    const tml_system *s = k->sys;
    tml_status st = tmli_active_residual(s, k->work, z, NULL, force, gap, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < count; j++) z->udot[j] += scale * v[j];
    st = tmli_active_residual(s, k->work, z, NULL, d, gap, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < s->n; j++) force[j] = k->stage.a0 * (force[j] - d[j]) / scale;
    tmli_kernel_force_response(k, force, NULL, d);
    memcpy(v, d, (size_t)count * sizeof(double));
    return TML_OK;
}

void tmli_kernel_project(tmli_kernel *k, bool positions, double *d, double *taken)
{
    const tml_system *s = k->sys;
    memset(taken, 0, (size_t)s->n * sizeof(double));
    for (int i = 0; i < TMLI_OLD_MATRIX_SOLVES && s->m > 0; i++) {
        for (int r = 0; r < s->m; r++) {
            k->dphi[r] = 0;
            for (int p = s->rowptr[r]; p < s->rowptr[r + 1]; p++) k->dphi[r] += k->rows[p] * d[s->rowcol[p]];
        }
        for (int r = 0; r < s->m && positions && s->level; r++)
            if (s->level[r] == TML_LEVEL_VELOCITY) k->dphi[r] = 0;
        tmli_kernel_constrain(k, k->dphi, k->scratch);
        for (int j = 0; j < s->n; j++) {
            d[j] -= k->scratch[j];
            taken[j] += k->scratch[j];
        }
    }
}

double tmli_kernel_condition(tmli_kernel *k)
{
    if (k->factor_b == 0 || !k->solver->rcond) return 0;
    const double rcond = k->solver->rcond(k->lin);
    return rcond > 0 ? 1 / rcond : INFINITY;
}

void tmli_kernel_conditioning(tmli_kernel *k, tml_conditioning *out)
{
    if (k->record && k->factor_b != 0)
        tmli_record_conditions(k->record, k->pattern, k->factored, k->solver, k->lin);
    tmli_record_report(k->record, k->column_factor, 1, k->sys->m, k->pattern->n, k->newton.iterations, out);
}
