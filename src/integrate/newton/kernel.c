// Newton's method for the equations of one step, with the matrix of kernel_matrix.c; equation numbers as in
// kernel.h.
#include "integrate/newton/convergence.h"
#include "integrate/newton/kernel_matrix.h"
#include "linalg/pattern/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/newton/constants.h"

void tmli_kernel_clear(tmli_kernel *k)
{
    if (!k->sys) return;
    const tml_env *env = &k->sys->env;
    if (k->lin) k->solver->destroy(k->lin);
    if (k->work) k->sys->ops->destroy_work(k->work);
    tml_state_destroy(k->restart, k->sys);
    tml_state_destroy(k->end, k->sys);
    tmli_three_field_destroy(k->three_field);
    tmli_record_destroy(k->record);
    tmli_free(env, k->values);
    *k = (tmli_kernel){0};
}

tml_status tmli_kernel_create(const tml_system *sys, const tml_integrator_options *opt, tml_counters *count,
                              tmli_kernel *k, tml_error *err)
{
    *k =
        (tmli_kernel){.sys = sys,
                      .solver = opt->solver,
                      .scaling = opt->scaling,
                      .augment = opt->augment,
                      .count = count,
                      .rate = TMLI_NEWTON_FIRST_RATE,
                      .t_start = NAN,
                      .t_matrix = NAN,
                      .gyration_ratio = 1,
                      .roundoff_share = 1,
                      .fixed = opt->fixed_step,
                      .least_iterations = opt->fixed_step ? TMLI_NEWTON_LEAST_ITERATIONS_FIXED : 1,
                      .physical = opt->scaling == TML_SCALING_UNIFORM || opt->scaling == TML_SCALING_PHYSICAL,
                      .unscaled = opt->scaling == TML_SCALING_NONE || opt->scaling == TML_SCALING_LEFT,
                      .saturate = opt->iterate == TML_ITERATE_SATURATED,
                      .factor_ratio = 1};
    const size_t n = (size_t)sys->n, m = (size_t)sys->m, nnz = (size_t)tmli_pattern_nnz(sys->pattern);
    const size_t entries = (size_t)sys->rowptr[sys->m], nq = (size_t)sys->nq;
    k->values = tmli_calloc(&sys->env, 2 * nnz + 6 * m + 4 * (n + m) + 3 * n + entries + 2 * n + 2 * nq,
                            sizeof(double));
    k->work = sys->ops->create_work(sys->self, &sys->env);
    tml_status st = k->values && k->work ? TML_OK : tmli_no_memory(err, "integrator");
    if (st == TML_OK) st = tml_state_create(sys, &k->restart, err);
    if (st == TML_OK) st = tml_state_create(sys, &k->end, err);
    if (st == TML_OK && opt->fields == TML_FIELDS_THREE)
        st = tmli_three_field_create(sys, &k->three_field, err);
    k->pattern = k->three_field ? k->three_field->pattern : sys->pattern;
    if (st == TML_OK && (opt->report || k->saturate))
        st = tmli_record_create(k->pattern, &sys->env, &k->record, err);
    if (st == TML_OK) st = k->solver->create(k->pattern, &sys->env, &k->lin, err);
    if (st != TML_OK) {
        tmli_kernel_clear(k);
        return st;
    }
    k->values_end = k->values + nnz;
    k->e = k->values_end + nnz;
    k->row_factor = k->e + m;
    k->column_factor = k->row_factor + m;
    k->penalty = k->column_factor + m;
    k->dphi = k->penalty + m;
    k->offset = k->dphi + m;
    k->rhs = k->offset + m;
    k->residual = k->rhs + n + m;
    k->unit = k->residual + n + m;
    k->diagonal = k->unit + n + m;
    k->rows = k->diagonal + 3 * n;
    k->predicted = k->rows + entries;
    k->scratch = k->predicted + n;
    double *flat = k->scratch + n;
    k->q_factor = flat + n + m;
    k->q_now = k->q_factor + nq;
    tmli_kernel_units(sys, NULL, k->unit);
    for (size_t i = 0; i < n + m; i++) flat[i] = i < n ? k->unit[i] : sys->length;
    k->measure = opt->scaling == TML_SCALING_UNIFORM ? flat : k->unit;
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
    s->ops->retract(s->self, x0->q, D, x->q);
}

// phi (m), on entry Phi at time t, becomes (2).
static tml_status apply_feedback(tmli_kernel *k, const tml_state *x0, const double *D, double t, double *phi,
                                 tml_error *err)
{
    const tml_system *s = k->sys;
    if (k->feedback == 1) return TML_OK;
    tml_status st = s->ops->increment(s->self, k->work, x0, D, t, k->dphi, err);
    for (int r = 0; r < s->m; r++) phi[r] = (1 - k->feedback) * k->dphi[r] + k->feedback * phi[r];
    return st;
}

// (3): Phi at the end of the step, and the residual of motion at the inner point with the penalty force of
// the end.
static tml_status evaluate_inner(tmli_kernel *k, const tml_state *x0, const double *D, tml_state *x,
                                 tml_error *err)
{
    const tml_system *s = k->sys;
    double *phi = k->residual + s->n, *unused = k->rhs;
    tml_state_copy(k->end, x);
    s->ops->retract(s->self, x0->q, D, k->end->q);
    k->end->t = k->stage.t_end;
    tml_status st = s->ops->residual(s->self, k->work, k->end, NULL, unused, phi, err);
    if (st == TML_OK) st = apply_feedback(k, x0, D, k->end->t, phi, err);
    if (st != TML_OK) return st;
    memcpy(k->end->lambda, x->lambda, (size_t)s->m * sizeof(double));
    for (int r = 0; r < s->m; r++) x->lambda[r] += k->penalty[r] * phi[r];
    st = s->ops->residual(s->self, k->work, x, NULL, k->residual, unused, err);
    memcpy(x->lambda, k->end->lambda, (size_t)s->m * sizeof(double));
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
        s->ops->residual(s->self, k->work, x, k->augment > 0 ? k->penalty : NULL, k->residual, phi, err);
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
    const bool scaled = !k->unscaled;
    tml_status st = evaluate(k, x0, D, x, err);
    if (st != TML_OK) return st;
    memcpy(k->q_now, x->q, (size_t)s->nq * sizeof(double));
    tmli_kernel_transform_rows(k, k->q_now, k->q_factor, k->residual + s->n);
    for (int j = 0; j < s->n; j++) k->rhs[j] = -k->motion_factor * k->residual[j];  // (1)
    for (int r = 0; r < s->m; r++) k->rhs[s->n + r] = -k->row_factor[r] * k->residual[s->n + r];
    tmli_kernel_solve_linear(k, true);
    // The equations are linear in the multipliers. When the positions have converged, the last solve has
    // made the multipliers right, and their corrections only show the round-off of the positions times the
    // inertia behind a row. Without scaling the multipliers are unknowns like the others and are judged by
    // their own size, if less strictly.
    double largest = 0, force = 0;
    for (int r = 0; r < s->m && !scaled; r++) force = fmax(force, fabs(x->lambda[r] + k->rhs[s->n + r]));
    for (int i = 0; i < s->n + (scaled ? 0 : s->m); i++) {
        const double unit = i < s->n ? k->unit[i] : TMLI_NEWTON_MULTIPLIER_UNIT * force;
        const double c = fabs(k->rhs[i]) / unit;
        if (!(c <= largest) && unit > 0) largest = c;  // keeps a NaN
    }
    *size = largest;
    if (!isfinite(largest))
        return tmli_fail(err, TML_RETRY, "a Newton correction is not finite at t = %g s", x->t);
    if (scaled && !k->fixed && largest > FARTHEST_CORRECTION)
        return tmli_fail(err, TML_RETRY, "a Newton correction is %g lengths at t = %g s", largest, x->t);
    if (k->stage.to_increment) k->stage.to_increment(k->stage.user, D, k->rhs);
    for (int j = 0; j < s->n; j++) D[j] += k->rhs[j];
    update_rates(k, D, x);
    for (int r = 0; r < s->m; r++) k->dphi[r] = k->column_factor[r] * k->rhs[s->n + r];
    tmli_kernel_transform_rows(k, k->q_factor, k->q_now, k->dphi);
    for (int r = 0; r < s->m; r++) x->lambda[r] += k->dphi[r];
    set_configuration(k, x0, D, x);
    return TML_OK;
}

// True if the prediction was much worse than that of the last step. A force has set in, and the rate of
// earlier steps need not hold any more.
static bool is_unexpected(const tmli_kernel *k, double size)
{
    return size > UNEXPECTED_CORRECTION * k->first_correction &&
           size > TMLI_NEWTON_ROUNDOFF * k->gyration_ratio * k->roundoff_share;
}

// True if a new matrix now is cheaper than the iterations that the old one still needs for the remaining
// error.
static bool worth_factoring(const tmli_kernel *k, double rate, double remaining, double tol)
{
    return rate > tmli_newton_refactor_rate(k->fixed) / TMLI_NEWTON_GOOD_RATE_DIVISOR && remaining > tol &&
           tmli_newton_iterations_left(remaining, tol, rate) > tmli_newton_factor_cost(k->fixed) &&
           k->iterations < TMLI_NEWTON_MAX_ITERATIONS;
}

// Iterate until the remaining error is below tol. The error along the constraints can be far smaller than
// the corrections show, because these vary across the constraints by the round-off of the positions. Once a
// correction is at that level, the remaining error follows from the contraction rate alone, down to the
// tolerance.
static tml_status iterate(tmli_kernel *k, const tml_state *x0, double tol, double *D, tml_state *x,
                          bool *fresh, tml_error *err)
{
    const double roundoff = TMLI_NEWTON_ROUNDOFF * k->gyration_ratio * k->roundoff_share;
    if (k->fixed) tol = fmax(tol, FIXED_ROUNDOFF_SHARE * roundoff);
    const double stagnation =
        k->unscaled ? roundoff : TMLI_NEWTON_STAGNATION * k->gyration_ratio * k->roundoff_share;
    double last = 0, worst = 0, remaining = INFINITY, first = 0;
    bool renewed = false;  // the matrix has changed since the last correction: the two do not give a rate
    bool exact = *fresh;   // the matrix was evaluated where the last correction began
    tmli_quadratic quadratic = {0};
    for (k->iterations = 1;; k->iterations++) {
        double size;
        tml_status st = correct(k, x0, D, x, &size, err);
        k->count->iterations++;
        if (st != TML_OK) return st;
        if (k->record) record_correction(k);
        const double rate = k->iterations > 1 && !renewed ? size / last : 0;
        if (last > TMLI_NEWTON_RATE_FROM * roundoff)
            k->rate = tmli_newton_update_rate(k->rate, TMLI_NEWTON_RATE_MEMORY, renewed, size / last);
        if (last > TMLI_NEWTON_JUDGE_FROM * roundoff && size > roundoff) worst = fmax(worst, rate);
        const bool at_roundoff = size < roundoff || (rate > TMLI_NEWTON_STAGNATION_RATE && size < stagnation);
        if (!at_roundoff && tmli_newton_diverges(k->iterations, rate))
            return tmli_fail(err, TML_RETRY, "Newton's corrections grow from %g to %g lengths at t = %g s%s",
                             last, size, x->t, tmli_newton_scaling_hint(k->unscaled));
        k->last_correction = size;
        if (k->iterations == 1) first = size;
        remaining = tmli_newton_remaining(k->rate) * (at_roundoff ? fmin(size, remaining) : size);
        tmli_quadratic_add(&quadratic, size, exact);
        if (k->fixed) remaining = fmin(remaining, quadratic.remaining);
        const bool trusted =
            k->iterations >= k->least_iterations && !(k->iterations == 1 && is_unexpected(k, size));
        if ((remaining <= tol && trusted) || (at_roundoff && k->iterations >= MAX_ROUNDOFF_ITERATIONS)) break;
        if (k->iterations == TMLI_NEWTON_MAX_ITERATIONS)
            return tmli_fail(
                err, TML_RETRY,
                "Newton stalls: correction %g lengths after %d iterations at t = %g s, wanted %g%s", size,
                k->iterations, x->t, tol, tmli_newton_scaling_hint(k->unscaled));
        renewed = !at_roundoff && (worth_factoring(k, rate, remaining, tol) ||
                                   (k->fixed && size > TMLI_NEWTON_LARGE_CORRECTION));
        if (k->fixed && !at_roundoff && tmli_quadratic_wants_matrix(&quadratic, tol)) renewed = true;
        exact = renewed;
        if (renewed) {
            st = tmli_kernel_factor(k, x, D, err);
            if (st != TML_OK) return st;
            *fresh = true;
        }
        last = size;
    }
    if (k->iterations > k->count->max_iterations) k->count->max_iterations = k->iterations;
    if (k->iterations == 1) k->rate = fmin(TMLI_NEWTON_RATE_AGEING * k->rate, TMLI_NEWTON_LARGEST_RATE);
    k->first_correction = first;
    if (worst > tmli_newton_refactor_rate(k->fixed) || (k->fixed && first > TMLI_NEWTON_FIRST_CORRECTION))
        k->stale = true;
    return TML_OK;
}

// Newton's method with a new matrix in every iteration, until the corrections (2-norm in the unknowns of
// the matrix) stop falling.
static tml_status saturate(tmli_kernel *k, const tml_state *x0, double *D, tml_state *x, tml_error *err)
{
    for (k->iterations = 1;; k->iterations++) {
        double size;
        tml_status st = tmli_kernel_factor(k, x, D, err);
        if (st == TML_OK) st = correct(k, x0, D, x, &size, err);
        k->count->iterations++;
        if (st != TML_OK) return st;
        k->last_correction = size;
        if (!record_correction(k) || k->record->norm == 0 || k->iterations == TMLI_NEWTON_MAX_SATURATED)
            break;
    }
    if (k->iterations > k->count->max_iterations) k->count->max_iterations = k->iterations;
    // with k < 1 in (2) corrections far below the round-off of the positions may still fall slowly
    const bool falling = k->iterations == TMLI_NEWTON_MAX_SATURATED;
    const double limit = falling ? TMLI_NEWTON_STAGNATION * k->gyration_ratio : TMLI_NEWTON_SATURATED_LIMIT;
    for (int j = 0; j < k->sys->n; j++)
        if (fabs(k->rhs[j]) > limit * k->unit[j])
            return tmli_fail(
                err, TML_RETRY,
                "Newton's corrections are %g lengths after %d iterations at t = %g s: no convergence%s",
                fabs(k->rhs[j]) / k->unit[j], k->iterations, x->t, tmli_newton_scaling_hint(k->unscaled));
    return TML_OK;
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
    k->feedback = k->sys->ops->increment && !k->unscaled ? feedback : 1;
    bool fresh = false;
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
    if (k->factor_b == 0 || k->stale || tmli_kernel_needs_other_matrix(k)) {
        tml_status st = tmli_kernel_factor(k, x, D, err);
        if (st != TML_OK) return st;
        fresh = true;
    }
    tmli_kernel_set_factors(k);
    tml_status st = iterate(k, x0, tol, D, x, &fresh, err);
    if (st == TML_OK) shift_multipliers(k, 1, x);
    if (st <= 0 || fresh) return st;
    // no convergence with an old matrix: repeat from the prediction with a new one
    tml_state_copy(x, k->restart);
    memcpy(D, k->predicted, n * sizeof(double));
    begin_solve(k);
    st = tmli_kernel_factor(k, x, D, err);
    if (st == TML_OK) st = iterate(k, x0, tol, D, x, &fresh, err);
    if (st == TML_OK) shift_multipliers(k, 1, x);
    return st;
}
