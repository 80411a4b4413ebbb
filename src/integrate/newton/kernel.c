// Newton's method for the equations of one step, with the matrix of kernel_matrix.c; equation numbers as in
// kernel.h.
#include "integrate/newton/convergence.h"
#include "integrate/newton/kernel_matrix.h"
#include "linalg/solver/archive.h"
#include "system/state/fields.h"
#include "system/state/move.h"

#include <math.h>
#include <string.h>

static const tmli_fields FIELDS = {
    "kernel", offsetof(tmli_kernel, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_kernel, stage.a0, stage.h),
                        TMLI_NUMBERS(tmli_kernel, factor_b, gyration_ratio),
                        TMLI_NUMBERS(tmli_kernel, stale, stale),
                        TMLI_WORK(tmli_kernel, work),
                        TMLI_SCRATCH_STATES(tmli_kernel, restart, end),
                        TMLI_KEPT(tmli_kernel, values, values_end, TMLI_BY_NNZ, 1),
                        TMLI_KEPT(tmli_kernel, e, offset, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_kernel, rhs, own_measure, TMLI_BY_NM, 1),
                        TMLI_KEPT(tmli_kernel, diagonal, diagonal, TMLI_BY_N, 3),
                        TMLI_KEPT(tmli_kernel, rows, rows, TMLI_BY_ENTRIES, 1),
                        TMLI_KEPT(tmli_kernel, predicted, scratch, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_kernel, q_factor, q_now, TMLI_BY_NQ, 1),
                        {0}}};

void tmli_kernel_clear(tmli_kernel *k)
{
    if (!k->sys) return;
    if (k->lin) k->solver->destroy(k->lin);
    tmli_three_field_destroy(k->three_field);
    tmli_record_destroy(k->record);
    tmli_object_clear(&FIELDS, k->sys, k);
    *k = (tmli_kernel){0};
}

tml_status tmli_kernel_create(const tml_system *sys, const tml_integrator_options *opt, tml_counters *count,
                              tmli_kernel *k, tml_error *err)
{
    *k = (tmli_kernel){.sys = sys,
                       .solver = opt->solver,
                       .scaling = opt->run.scaling,
                       .scale = opt->run.scale,
                       .augment = opt->run.augment,
                       .count = count,
                       .newton = tmli_newton_create(opt->fixed_step, opt->run.scaling),
                       .t_start = NAN,
                       .t_matrix = NAN,
                       .gyration_ratio = 1,
                       .roundoff_share = 1,
                       .physical =
                           opt->run.scaling == TML_SCALING_UNIFORM || opt->run.scaling == TML_SCALING_NORM ||
                           opt->run.scaling == TML_SCALING_PHYSICAL || opt->run.scaling == TML_SCALING_GIVEN,
                       .saturate = opt->run.iterate == TML_ITERATE_SATURATED,
                       .factor_ratio = 1};
    k->newton.step_free =
        opt->run.scaling == TML_SCALING_GIVEN && opt->run.scale.m == 0 && opt->run.scale.d == 0;
    tml_status st = tmli_object_create(&FIELDS, sys, k, err);
    if (st == TML_OK && opt->run.fields == TML_FIELDS_THREE)
        st = tmli_three_field_create(sys, &k->three_field, err);
    k->pattern = k->three_field ? k->three_field->pattern : sys->pattern;
    if (st == TML_OK && (opt->run.report || k->saturate))
        st = tmli_record_create(k->pattern, &sys->env, &k->record, err);
    if (st == TML_OK) st = k->solver->create(k->pattern, &sys->env, &k->lin, err);
    if (st != TML_OK) {
        tmli_kernel_clear(k);
        return st;
    }
    if (!sys->level) k->force_penalty = k->penalty;
    tmli_kernel_units(sys, NULL, k->unit);
    for (int i = 0; i < sys->n + sys->m; i++) k->own_measure[i] = i < sys->n ? k->unit[i] : sys->length;
    const bool one_factor = k->physical && opt->run.scaling != TML_SCALING_PHYSICAL;
    k->measure = one_factor || sys->nz > 0 ? k->own_measure : k->unit;
    k->factored = k->three_field ? k->three_field->values : k->values;
    return TML_OK;
}

// ---- Newton -----------------------------------------------------------------------------------------------

// x->q := q0 (+) theta D
static void set_configuration(tmli_kernel *k, const tml_state *x0, const double *D, tml_state *x)
{
    const tml_system *s = k->sys;
    if (k->stage.theta < 1) {
        for (int j = 0; j < s->n; j++) k->scratch[j] = k->stage.theta * D[j];
        D = k->scratch;
    }
    tmli_state_move(s, x0, D, x);
}

// phi (m), on entry Phi at time t, becomes (2).
static tml_status apply_feedback(tmli_kernel *k, const tml_state *x0, const double *D, double t, double *phi,
                                 tml_error *err)
{
    const tml_system *s = k->sys;
    if (k->feedback == 1) return TML_OK;
    tml_status st = tmli_active_increment(s, k->work, x0, D, t, k->dphi, err);
    for (int r = 0; r < s->m && s->level; r++)
        if (s->level[r] == TML_LEVEL_VELOCITY) k->dphi[r] = phi[r];
    for (int r = 0; r < s->m; r++) phi[r] = (1 - k->feedback) * k->dphi[r] + k->feedback * phi[r];
    return st;
}

// phi (m): rows at velocity level become lengths, (2').
static void scale_velocity_rows(const tmli_kernel *k, double *phi)
{
    for (int r = 0; r < k->sys->m; r++)
        if (k->sys->level[r] == TML_LEVEL_VELOCITY) phi[r] *= tmli_kernel_velocity_share(k) / k->stage.a1;
}

// (3): Phi at the end of the step, and the residual of motion at the inner point with the penalty force of
// the end.
static tml_status evaluate_inner(tmli_kernel *k, const tml_state *x0, const double *D, tml_state *x,
                                 tml_error *err)
{
    const tml_system *s = k->sys;
    double *phi = k->residual + s->n, *unused = k->rhs;
    tml_state *lambda = k->end;  // scratch, after Phi
    if (k->stage.mean_end) tmli_kernel_set_step(k, x, D);
    tml_state_copy(k->end, x);
    tmli_state_move(s, x0, D, k->end);
    k->end->t = k->stage.t_end;
    const bool inside = k->stage.rows == TML_CONSTRAINT_POINT_INNER;
    if (inside) tml_state_copy(k->end, x);
    for (int j = 0; j < s->n && s->level; j++)
        k->end->u[j] += (1 / tmli_kernel_velocity_share(k) - 1) * (x->u[j] - k->stage.u_start[j]);
    tml_status st = s->level ? tmli_active_residual(s, k->work, k->end, NULL, unused, phi, err)
                             : tmli_active_position(s, k->work, k->end, unused, phi, err);
    if (st == TML_OK && s->level) scale_velocity_rows(k, phi);
    if (st == TML_OK && !inside) st = apply_feedback(k, x0, D, k->end->t, phi, err);
    if (st != TML_OK) return st;
    memcpy(lambda->lambda, x->lambda, (size_t)s->m * sizeof(double));
    for (int r = 0; r < s->m; r++) x->lambda[r] += k->penalty[r] * phi[r];
    st = k->stage.mean_end && s->ops->mean_residual
             ? tmli_active_mean_residual(s, k->work, &k->step, k->residual, err)
             : tmli_active_residual(s, k->work, x, NULL, k->residual, unused, err);
    memcpy(x->lambda, lambda->lambda, (size_t)s->m * sizeof(double));
    return st;
}

// k->residual := residuals of motion and constraints at x, D.
static tml_status evaluate(tmli_kernel *k, const tml_state *x0, const double *D, tml_state *x, tml_error *err)
{
    const tml_system *s = k->sys;
    double *phi = k->residual + s->n;
    k->count->residuals++;
    if (k->stage.theta < 1) return evaluate_inner(k, x0, D, x, err);
    tml_status st =
        tmli_active_residual(s, k->work, x, k->augment > 0 ? k->force_penalty : NULL, k->residual, phi, err);
    if (st == TML_OK && s->level) scale_velocity_rows(k, phi);
    if (st != TML_OK || k->feedback == 1) return st;
    memcpy(k->offset, phi, (size_t)s->m * sizeof(double));
    st = apply_feedback(k, x0, D, x->t, phi, err);
    for (int r = 0; r < s->m; r++) k->offset[r] -= phi[r];
    return st;
}

// Record the correction in rhs by field, in the unknowns of the factored matrix and in units of the model.
static bool record_correction(tmli_kernel *k)
{
    const tml_system *s = k->sys;
    const tmli_three_field *f = k->three_field;
    tmli_record_open(k->record);
    for (int j = 0; j < s->n; j++) {
        const double d = k->rhs[j], unit = k->physical ? k->measure[j] : 1;
        tmli_record_add(k->record, 0, d / unit, d);
        if (f) tmli_record_add(k->record, 1, f->du[j] / f->right[f->velocity_at[j]], f->du[j]);
        else tmli_record_add(k->record, 1, NAN, k->stage.a1 * d);
    }
    for (int r = 0; r < s->m; r++) {
        const double l = k->rhs[s->n + r], unit = k->physical ? k->measure[s->n + r] : 1;
        tmli_record_add(k->record, 2, l / unit, k->column_factor[r] * l);
    }
    return tmli_record_close(k->record);
}

// Update velocities and accelerations after the correction in rhs.
static void update_rates(tmli_kernel *k, const double *D, tml_state *x)
{
    const int n = k->sys->n;
    const double a0 = k->stage.a0, a1 = k->stage.a1;
    tmli_three_field *f = k->three_field;
    if (k->stage.update_rates) {
        k->stage.update_rates(k->stage.user, D, k->rhs, x);  // the relations between D and u hold exactly
    } else if (f) {
        for (int j = 0; j < n; j++) {
            x->u[j] += f->du[j];
            x->udot[j] += a0 / a1 * f->du[j];
            f->w[j] += a1 * k->rhs[j] - f->du[j];
        }
    } else {
        for (int j = 0; j < n; j++) {
            x->u[j] += a1 * k->rhs[j];
            x->udot[j] += a0 * k->rhs[j];
        }
    }
}

// One correction at x; *size is its largest component [lengths].
static tml_status correct(tmli_kernel *k, const tml_state *x0, double *D, tml_state *x, double *size,
                          tml_error *err)
{
    const tml_system *s = k->sys;
    const bool scaled = !k->newton.unscaled;
    tml_status st = evaluate(k, x0, D, x, err);
    if (st != TML_OK) return st;
    memcpy(k->q_now, x->q, (size_t)s->nq * sizeof(double));
    k->all_active = tmli_all_active(s, x);
    tmli_kernel_transform_rows(k, k->q_now, k->q_factor, k->residual + s->n);
    for (int j = 0; j < s->n; j++) k->rhs[j] = -k->motion_factor * k->residual[j];  // (1)
    for (int r = 0; r < s->m; r++) k->rhs[s->n + r] = -k->row_factor[r] * k->residual[s->n + r];
    tmli_kernel_solve_linear(k, true);
    // The equations are linear in the multipliers. When the positions have converged, the last solve has
    // made the multipliers right, and their corrections only show the round-off of the positions times the
    // inertia behind a row. Without scaling the multipliers are unknowns like the others and are judged by
    // their own size, if less strictly; with a scaling by hand they are lengths.
    const bool given = k->scaling == TML_SCALING_GIVEN;
    double largest = 0, force = 0;
    for (int r = 0; r < s->m && !scaled; r++) force = fmax(force, fabs(x->lambda[r] + k->rhs[s->n + r]));
    for (int i = 0; i < s->n + (scaled && !given ? 0 : s->m); i++) {
        const double unit = i < s->n ? k->unit[i]
                            : given  ? TMLI_NEWTON_MULTIPLIER_UNIT * k->measure[i]
                                     : TMLI_NEWTON_MULTIPLIER_UNIT * force;
        const double c = fabs(k->rhs[i]) / unit;
        if (!(c <= largest) && unit > 0) largest = c;  // keeps a NaN
    }
    *size = largest;
    if (!isfinite(largest))
        return tmli_fail(err, TML_RETRY, "a Newton correction is not finite at t = %g s", x->t);
    if (k->stage.to_increment) k->stage.to_increment(k->stage.user, D, k->rhs);
    for (int j = 0; j < s->n; j++) D[j] += k->rhs[j];
    update_rates(k, D, x);
    for (int r = 0; r < s->m; r++) k->dphi[r] = k->column_factor[r] * k->rhs[s->n + r];
    tmli_kernel_transform_rows(k, k->q_factor, k->q_now, k->dphi);
    for (int r = 0; r < s->m; r++) x->lambda[r] += k->dphi[r];
    set_configuration(k, x0, D, x);
    return TML_OK;
}

static tml_status iterate(tmli_kernel *k, const tml_state *x0, double tol, bool fresh, double *D,
                          tml_state *x, tml_error *err)
{
    tmli_newton *newton = &k->newton;
    const double share = k->scaling == TML_SCALING_GIVEN ? 1 : k->roundoff_share;
    const double roundoff = TMLI_NEWTON_ROUNDOFF * k->gyration_ratio * share;
    // fixed steps are iterated to round-off; the second iteration gets to a hundredth of it
    const bool exact = !k->stage.mean_end;  // the matrix of mean forces lacks small terms
    tmli_newton_begin(newton, newton->fixed ? fmax(tol, roundoff / 100) : tol, roundoff, fresh,
                      fresh && exact);
    for (;;) {
        double size;
        tml_status st = correct(k, x0, D, x, &size, err);
        k->count->iterations++;
        if (st != TML_OK) return st;
        if (k->record) record_correction(k);
        const tmli_verdict verdict = tmli_newton_judge(newton, size, size);
        if (verdict == TMLI_DIVERGED) return tmli_newton_fail(newton, x->t, err);
        if (verdict == TMLI_CONVERGED) break;
        if (verdict == TMLI_ITERATE) continue;
        st = tmli_kernel_factor(k, x, D, err);
        if (st != TML_OK) return st;
        tmli_newton_renewed(newton, exact);
    }
    if (tmli_newton_end(newton, &k->count->max_iterations)) k->stale = true;
    return TML_OK;
}

// Newton's method with a new matrix in every iteration, until the corrections (2-norm in the unknowns of
// the matrix) stop falling.
static tml_status saturate(tmli_kernel *k, const tml_state *x0, double *D, tml_state *x, tml_error *err)
{
    tmli_newton *newton = &k->newton;
    for (newton->iterations = 1;; newton->iterations++) {
        tml_status st = tmli_kernel_factor(k, x, D, err);
        if (st == TML_OK) st = correct(k, x0, D, x, &newton->size, err);
        k->count->iterations++;
        if (st != TML_OK) return st;
        if (!record_correction(k) || k->record->norm == 0 || tmli_newton_at_limit(newton)) break;
    }
    if (newton->iterations > k->count->max_iterations) k->count->max_iterations = newton->iterations;
    double size = 0;
    for (int j = 0; j < k->sys->n; j++) size = fmax(size, fabs(k->rhs[j]) / k->unit[j]);
    return tmli_newton_check_saturated(newton, size, k->gyration_ratio, x->t, err);
}

static void begin_solve(tmli_kernel *k)
{
    if (k->three_field) memset(k->three_field->w, 0, (size_t)k->sys->n * sizeof(double));
    if (k->record) tmli_record_begin(k->record);
}

// The penalty acts on Phi(q), not on (2). The difference, round-off times the large penalty of a small
// step, belongs to the multipliers. sign +1 after a solve; -1 before one, so that it begins with nearly the
// right multipliers.
static void shift_multipliers(const tmli_kernel *k, int sign, tml_state *x)
{
    const bool shifted = k->feedback < 1 && !(k->stage.theta < 1);
    for (int r = 0; r < k->sys->m && shifted; r++) x->lambda[r] += sign * k->penalty[r] * k->offset[r];
}

tml_status tmli_kernel_solve(tmli_kernel *k, const tml_state *x0, const tmli_stage *stage, double feedback,
                             double tol, double *D, tml_state *x, tml_error *err)
{
    const size_t n = (size_t)k->sys->n;
    // a matrix evaluated in a rejected trial contains forces that the shorter step need not meet
    if (x0->t == k->t_start && x0->t == k->t_matrix && stage->a0 != k->stage.a0) k->stale = true;
    k->t_start = x0->t;
    k->stage = *stage;
    k->h = stage->h > 0 ? stage->h : sqrt(1 / stage->a0);
    k->start = x0;
    if (k->sys->nz > 0) tmli_weights_set_state_units(k->weights, k->h, stage->a1, k->unit);
    // without scaling, with one by hand, or iterated to saturation the equations are those of the papers
    const bool printed = k->newton.unscaled || k->scaling == TML_SCALING_GIVEN || k->saturate;
    k->feedback = k->sys->ops->increment && !printed ? feedback : 1;
    if (stage->rows == TML_CONSTRAINT_POINT_MEAN) k->feedback = 1 / stage->theta;  // (3)
    set_configuration(k, x0, D, x);
    tmli_kernel_set_factors(k);
    shift_multipliers(k, -1, x);
    begin_solve(k);
    if (k->saturate) {
        tml_status st = saturate(k, x0, D, x, err);
        if (st == TML_OK) shift_multipliers(k, 1, x);
        return st;
    }
    tml_state_copy(k->restart, x);
    memcpy(k->predicted, D, n * sizeof(double));
    const bool fresh = k->factor_b == 0 || k->stale || tmli_kernel_needs_other_matrix(k);
    if (fresh) {
        tml_status st = tmli_kernel_factor(k, x, D, err);
        if (st != TML_OK) return st;
    }
    tmli_kernel_set_factors(k);
    tml_status st = iterate(k, x0, tol, fresh, D, x, err);
    if (st == TML_OK) shift_multipliers(k, 1, x);
    if (st <= 0 || k->newton.fresh) return st;
    // no convergence with an old matrix: repeat from the prediction with a new one
    tml_state_copy(x, k->restart);
    memcpy(D, k->predicted, n * sizeof(double));
    begin_solve(k);
    st = tmli_kernel_factor(k, x, D, err);
    if (st == TML_OK) st = iterate(k, x0, tol, true, D, x, err);
    if (st == TML_OK) shift_multipliers(k, 1, x);
    return st;
}

// The function pointers of the stage are set by every solve.
void tmli_kernel_archive(tmli_kernel *k, tml_archive *a)
{
    tmli_object_archive(&FIELDS, k->sys, k, a);
    tmli_newton_archive(&k->newton, a);
    tml_archive_bools(a, &k->all_active, 1);
    tmli_three_field_archive(k->three_field, a);
    tmli_record_archive(k->record, a);
    tmli_linsolver_archive(k->solver, k->lin, a);
}
