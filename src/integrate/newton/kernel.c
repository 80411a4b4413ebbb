// Newton on the KKT system of one step, with the matrix of kernel_matrix.c; equation numbers as in kernel.h.
#include "integrate/newton/kernel_matrix.h"
#include "integrate/newton/quadratic.h"
#include "linalg/pattern/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 10, MAX_JITTER = 5, MAX_SATURATED = 50 };
// Assembling and factoring cost about as much as two iterations. Refactor at once if more than that many are
// still to come at the rate observed, and before the next step if the rate was worse than REFACTOR_RATE.
// Fixed steps iterate to round-off and keep close to the full Newton method: the count of iterations then
// does not depend on the step.
static const double FACTOR_COST[2] = {2, 1};
static const double REFACTOR_RATE[2] = {0.2, 0.005};
// Fixed steps whose first correction is above so many lengths get a new matrix each, and one more after a
// correction that is large.
static const double FIRST_SIZE = 1e-5, LARGE_SIZE = 1e-3;
// Corrections below this many length units (times the kernel's gyration_ratio) are round-off of the positions
// and count as zero.
static const double ROUNDOFF = 64 * DBL_EPSILON;
// Corrections that stop falling below this (times gyration_ratio) have met the round-off of residuals and
// matrix: as good as it gets.
static const double STAGNATION = 1e-12;
// With step-size control corrections above this many lengths end an iteration.
static const double FAR = 1;
// Displacement corrections [lengths] that stop falling above this are no round-off, whatever the condition
// number: without scaling those of steps of 1e-9 s still saturate below it.
static const double SATURATED_LIMIT = 1e-6;

void tmli_kernel_clear(tmli_kernel *k)
{
    if (!k->sys) return;
    const tml_env *env = &k->sys->env;
    if (k->lin) k->solver->destroy(k->lin);
    if (k->work) k->sys->ops->destroy_work(k->work);
    tml_state_destroy(k->restart, k->sys);
    tml_state_destroy(k->end, k->sys);
    tmli_three_field_destroy(k->three);
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
                      .rate = 0.1,
                      .t_start = NAN,
                      .t_matrix = NAN,
                      .gyration_ratio = 1,
                      .noise = 1,
                      .fixed = opt->fixed_step,
                      .least_iterations = opt->fixed_step ? 2 : 1,
                      .physical = opt->scaling == TML_SCALING_UNIFORM || opt->scaling == TML_SCALING_PHYSICAL,
                      .plain = opt->scaling == TML_SCALING_NONE || opt->scaling == TML_SCALING_LEFT,
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
    if (st == TML_OK && opt->fields == TML_FIELDS_THREE) st = tmli_three_field_create(sys, &k->three, err);
    k->pattern = k->three ? k->three->pattern : sys->pattern;
    if (st == TML_OK && (opt->report || k->saturate))
        st = tmli_record_create(k->pattern, &sys->env, &k->record, err);
    if (st == TML_OK) st = k->solver->create(k->pattern, &sys->env, &k->lin, err);
    if (st != TML_OK) {
        tmli_kernel_clear(k);
        return st;
    }
    k->ends = k->values + nnz;
    k->e = k->ends + nnz;
    k->row = k->e + m;
    k->column = k->row + m;
    k->p = k->column + m;
    k->dphi = k->p + m;
    k->offset = k->dphi + m;
    k->rhs = k->offset + m;
    k->residual = k->rhs + n + m;
    k->unit = k->residual + n + m;
    k->diagonal = k->unit + n + m;
    k->rows = k->diagonal + 3 * n;
    k->predicted = k->rows + entries;
    k->part = k->predicted + n;
    double *flat = k->part + n;
    k->q_factor = flat + n + m;
    k->q_now = k->q_factor + nq;
    tmli_kernel_units(sys, NULL, k->unit);
    for (size_t i = 0; i < n + m; i++) flat[i] = i < n ? k->unit[i] : sys->length;
    k->measure = opt->scaling == TML_SCALING_UNIFORM ? flat : k->unit;
    k->factored = k->three ? k->three->values : k->values;
    return TML_OK;
}

// ---- Newton -----------------------------------------------------------------------------------------------

// x->q := q0 (+) theta D
static void move(tmli_kernel *k, const tml_state *x0, const double *D, tml_state *x)
{
    const tml_system *s = k->sys;
    if (k->stage.theta < 1) {
        for (int j = 0; j < s->n; j++) k->part[j] = k->stage.theta * D[j];
        D = k->part;
    }
    s->ops->retract(s->self, x0->q, D, x->q);
}

// phi (m) := (2) at time t; phi holds Phi.
static tml_status damp(tmli_kernel *k, const tml_state *x0, const double *D, double t, double *phi,
                       tml_error *err)
{
    const tml_system *s = k->sys;
    if (k->feedback == 1) return TML_OK;
    tml_status st = s->ops->increment(s->self, k->work, x0, D, t, k->dphi, err);
    for (int r = 0; r < s->m; r++) phi[r] = (1 - k->feedback) * k->dphi[r] + k->feedback * phi[r];
    return st;
}

// (3): Phi at the end of the step and its share of the force at the inner point.
static tml_status evaluate_inner(tmli_kernel *k, const tml_state *x0, const double *D, tml_state *x,
                                 tml_error *err)
{
    const tml_system *s = k->sys;
    double *phi = k->residual + s->n, *scratch = k->rhs;
    tml_state_copy(k->end, x);
    s->ops->retract(s->self, x0->q, D, k->end->q);
    k->end->t = k->stage.t_end;
    tml_status st = s->ops->residual(s->self, k->work, k->end, NULL, scratch, phi, err);
    if (st == TML_OK) st = damp(k, x0, D, k->end->t, phi, err);
    if (st != TML_OK) return st;
    memcpy(k->end->lambda, x->lambda, (size_t)s->m * sizeof(double));
    for (int r = 0; r < s->m; r++) x->lambda[r] += k->p[r] * phi[r];
    st = s->ops->residual(s->self, k->work, x, NULL, k->residual, scratch, err);
    memcpy(x->lambda, k->end->lambda, (size_t)s->m * sizeof(double));
    return st;
}

// Residual of motion and constraints at x, D: k->residual.
static tml_status evaluate(tmli_kernel *k, const tml_state *x0, const double *D, tml_state *x, tml_error *err)
{
    const tml_system *s = k->sys;
    double *phi = k->residual + s->n;
    k->count->residuals++;
    if (k->stage.theta < 1) return evaluate_inner(k, x0, D, x, err);
    tml_status st =
        s->ops->residual(s->self, k->work, x, k->augment > 0 ? k->p : NULL, k->residual, phi, err);
    if (st != TML_OK || k->feedback == 1) return st;
    memcpy(k->offset, phi, (size_t)s->m * sizeof(double));
    st = damp(k, x0, D, x->t, phi, err);
    for (int r = 0; r < s->m; r++) k->offset[r] -= phi[r];
    return st;
}

// The correction in rhs by field, in the unknowns of the factored matrix and in units of the model.
static bool record(tmli_kernel *k)
{
    const tml_system *s = k->sys;
    const tmli_three_field *f = k->three;
    tmli_record_open(k->record);
    for (int j = 0; j < s->n; j++) {
        const double d = k->rhs[j], unit = k->physical ? k->measure[j] : 1;
        tmli_record_add(k->record, 0, d / unit, d);
        if (f) tmli_record_add(k->record, 1, f->du[j] / f->right[f->velocity_at[j]], f->du[j]);
        else tmli_record_add(k->record, 1, NAN, k->stage.a1 * d);
    }
    for (int r = 0; r < s->m; r++) {
        const double l = k->rhs[s->n + r], unit = k->physical ? k->measure[s->n + r] : 1;
        tmli_record_add(k->record, 2, l / unit, k->column[r] * l);
    }
    return tmli_record_close(k->record);
}

// Velocities and accelerations after the correction in rhs.
static void follow(tmli_kernel *k, const double *D, tml_state *x)
{
    const int n = k->sys->n;
    const double a0 = k->stage.a0, a1 = k->stage.a1;
    tmli_three_field *f = k->three;
    if (k->stage.follow) {
        k->stage.follow(k->stage.user, D, k->rhs, x);  // velocities from D: nothing is left in the relations
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

// One correction at x; returns its size in length units (largest over the unknowns).
static tml_status correct(tmli_kernel *k, const tml_state *x0, double *D, tml_state *x, double *size,
                          tml_error *err)
{
    const tml_system *s = k->sys;
    const bool scaled = !k->plain;
    tml_status st = evaluate(k, x0, D, x, err);
    if (st != TML_OK) return st;
    memcpy(k->q_now, x->q, (size_t)s->nq * sizeof(double));
    tmli_kernel_transform_rows(k, k->q_now, k->q_factor, k->residual + s->n);
    for (int j = 0; j < s->n; j++) k->rhs[j] = -k->motion * k->residual[j];  // (1)
    for (int r = 0; r < s->m; r++) k->rhs[s->n + r] = -k->row[r] * k->residual[s->n + r];
    tmli_kernel_apply(k, true);
    // The equations are linear in the multipliers: when the positions stand, the last solve has made these
    // right, and their corrections only show the round-off of the positions times the inertia behind a row.
    // Without scaling, as in the equations as written, they are unknowns like the others and judged by their
    // own size, if less strictly.
    double largest = 0, force = 0;
    for (int r = 0; r < s->m && !scaled; r++) force = fmax(force, fabs(x->lambda[r] + k->rhs[s->n + r]));
    for (int i = 0; i < s->n + (scaled ? 0 : s->m); i++) {
        const double unit = i < s->n ? k->unit[i] : 1e3 * force;
        const double c = fabs(k->rhs[i]) / unit;
        if (!(c <= largest) && unit > 0) largest = c;  // NaN sticks
    }
    *size = largest;
    if (!isfinite(largest))
        return tmli_fail(err, TML_RETRY, "a Newton correction is not finite at t = %g s", x->t);
    // a step so far off is not worth following, and coming back from there would cost the velocities their
    // digits
    if (scaled && !k->fixed && largest > FAR)
        return tmli_fail(err, TML_RETRY, "a Newton correction is %g lengths at t = %g s", largest, x->t);
    if (k->stage.to_increment) k->stage.to_increment(k->stage.user, D, k->rhs);
    for (int j = 0; j < s->n; j++) D[j] += k->rhs[j];
    follow(k, D, x);
    for (int r = 0; r < s->m; r++) k->dphi[r] = k->column[r] * k->rhs[s->n + r];
    tmli_kernel_transform_rows(k, k->q_factor, k->q_now, k->dphi);
    for (int r = 0; r < s->m; r++) x->lambda[r] += k->dphi[r];
    move(k, x0, D, x);
    return TML_OK;
}

static const char *unscaled_hint(const tmli_kernel *k)
{
    return k->plain ? "; the equations are not scaled (option scaling)" : "";
}

// True if the prediction was so much worse than the last one's that the rate of earlier steps need not hold
// any more: a force has set in.
static bool surprising(const tmli_kernel *k, double size)
{
    return size > 4 * k->first_size && size > ROUNDOFF * k->gyration_ratio * k->noise;
}

// True if a new matrix now is cheaper than the iterations that the old one still needs.
static bool worth_factoring(const tmli_kernel *k, double rate, double left, double tol)
{
    const double to_come = log(tol / left) / log(fmin(rate, 0.999));
    return rate > REFACTOR_RATE[k->fixed] / 10 && left > tol && to_come > FACTOR_COST[k->fixed] &&
           k->iterations < MAX_ITERATIONS;
}

// The error along the constraints can be far smaller than the corrections show: those keep jittering across
// them by the round-off of the positions. So once a correction is at that level, the remaining error is
// followed by the contraction alone, `left`, down to the tolerance.
static tml_status iterate(tmli_kernel *k, const tml_state *x0, double tol, double *D, tml_state *x,
                          bool *fresh, tml_error *err)
{
    const double roundoff = ROUNDOFF * k->gyration_ratio * k->noise;
    if (k->fixed)
        tol = fmax(tol, 1e-2 * roundoff);  // at least two iterations are made; more would chase noise
    const double stagnation = k->plain ? roundoff : STAGNATION * k->gyration_ratio * k->noise;
    double last = 0, worst = 0, left = INFINITY, first = 0;
    bool renewed =
        false;  // the matrix changed since the last correction: its size says nothing about the rate
    bool exact = *fresh;  // the matrix was evaluated where the last correction began
    tmli_quadratic newton = {0};
    for (k->iterations = 1;; k->iterations++) {
        double size;
        tml_status st = correct(k, x0, D, x, &size, err);
        k->count->iterations++;
        if (st != TML_OK) return st;
        if (k->record) record(k);
        const double rate = k->iterations > 1 && !renewed ? size / last : 0;
        if (last > 10 * roundoff) k->rate = fmax(renewed ? 0 : 0.3 * k->rate, fmin(size / last, 0.9));
        if (last > 100 * roundoff && size > roundoff) worst = fmax(worst, rate);
        const bool jitter = size < roundoff || (rate > 0.3 && size < stagnation);
        if (!jitter && (rate > 2 || (k->iterations > 3 && rate > 0.9)))
            return tmli_fail(err, TML_RETRY, "Newton's corrections grow from %g to %g lengths at t = %g s%s",
                             last, size, x->t, unscaled_hint(k));
        k->last_correction = size;
        if (k->iterations == 1) first = size;
        const double trust = fmin(k->rate, 0.9);
        left = trust / (1 - trust) * (jitter ? fmin(size, left) : size);
        tmli_quadratic_add(&newton, size, exact);
        if (k->fixed) left = fmin(left, newton.left);
        const bool trusted =
            k->iterations >= k->least_iterations && !(k->iterations == 1 && surprising(k, size));
        if ((left <= tol && trusted) || (jitter && k->iterations >= MAX_JITTER)) break;
        if (k->iterations == MAX_ITERATIONS)
            return tmli_fail(
                err, TML_RETRY,
                "Newton stalls: correction %g lengths after %d iterations at t = %g s, wanted %g%s", size,
                k->iterations, x->t, tol, unscaled_hint(k));
        renewed = !jitter && (worth_factoring(k, rate, left, tol) || (k->fixed && size > LARGE_SIZE));
        if (k->fixed && !jitter && tmli_quadratic_renew(&newton, tol)) renewed = true;
        exact = renewed;
        if (renewed) {
            st = tmli_kernel_factor(k, x, D, err);
            if (st != TML_OK) return st;
            *fresh = true;
        }
        last = size;
    }
    if (k->iterations > k->count->max_iterations) k->count->max_iterations = k->iterations;
    if (k->iterations == 1) k->rate = fmin(2 * k->rate, 0.9);  // not measured: the matrix ages, trust it less
    k->first_size = first;
    if (worst > REFACTOR_RATE[k->fixed] || (k->fixed && first > FIRST_SIZE)) k->stale = true;
    return TML_OK;
}

// Newton with a new matrix in every iteration, until the corrections (2-norm in the unknowns of the matrix)
// stop falling.
static tml_status saturate(tmli_kernel *k, const tml_state *x0, double *D, tml_state *x, tml_error *err)
{
    for (k->iterations = 1;; k->iterations++) {
        double size;
        tml_status st = tmli_kernel_factor(k, x, D, err);
        if (st == TML_OK) st = correct(k, x0, D, x, &size, err);
        k->count->iterations++;
        if (st != TML_OK) return st;
        k->last_correction = size;
        if (!record(k) || k->record->norm == 0 || k->iterations == MAX_SATURATED) break;
    }
    if (k->iterations > k->count->max_iterations) k->count->max_iterations = k->iterations;
    // With k < 1 in (2) corrections far below round-off of the positions may go on falling, slowly.
    const bool falling = k->iterations == MAX_SATURATED;
    const double limit = falling ? STAGNATION * k->gyration_ratio : SATURATED_LIMIT;
    for (int j = 0; j < k->sys->n; j++)
        if (fabs(k->rhs[j]) > limit * k->unit[j])
            return tmli_fail(
                err, TML_RETRY,
                "Newton's corrections are %g lengths after %d iterations at t = %g s: no convergence%s",
                fabs(k->rhs[j]) / k->unit[j], k->iterations, x->t, unscaled_hint(k));
    return TML_OK;
}

static void begin(tmli_kernel *k)
{
    if (k->three) memset(k->three->w, 0, (size_t)k->sys->n * sizeof(double));
    if (k->record) tmli_record_begin(k->record);
}

// The penalty is that of Phi as it stands, (2) wants another: what is between them, round-off times the large
// penalty of a small step, belongs to the force. sign +1 after a solve; -1 before one, to begin with
// multipliers that are near.
static void shift_multipliers(const tmli_kernel *k, int sign, tml_state *x)
{
    const bool shifted = k->feedback < 1 && !(k->stage.theta < 1);
    for (int r = 0; r < k->sys->m && shifted; r++) x->lambda[r] += sign * k->p[r] * k->offset[r];
}

tml_status tmli_kernel_solve(tmli_kernel *k, const tml_state *x0, const tmli_stage *stage, double feedback,
                             double tol, double *D, tml_state *x, tml_error *err)
{
    const size_t n = (size_t)k->sys->n;
    // a matrix evaluated in a trial that was given up knows forces that the shorter step need not meet
    if (x0->t == k->t_start && x0->t == k->t_matrix && stage->a0 != k->stage.a0) k->stale = true;
    k->t_start = x0->t;
    k->stage = *stage;
    k->h = stage->h > 0 ? stage->h : sqrt(1 / stage->a0);
    k->start = x0;
    k->feedback = k->sys->ops->increment && !k->plain ? feedback : 1;
    bool fresh = false;
    move(k, x0, D, x);
    tmli_kernel_set_factors(k);
    shift_multipliers(k, -1, x);
    begin(k);
    if (k->saturate) {
        tml_status st = saturate(k, x0, D, x, err);
        if (st == TML_OK) shift_multipliers(k, 1, x);
        return st;
    }
    tml_state_copy(k->restart, x);
    memcpy(k->predicted, D, n * sizeof(double));
    if (k->factor_b == 0 || k->stale || tmli_kernel_other_matrix(k)) {
        tml_status st = tmli_kernel_factor(k, x, D, err);
        if (st != TML_OK) return st;
        fresh = true;
    }
    tmli_kernel_set_factors(k);
    tml_status st = iterate(k, x0, tol, D, x, &fresh, err);
    if (st == TML_OK) shift_multipliers(k, 1, x);
    if (st <= 0 || fresh) return st;
    // an old matrix did not do: again from the prediction with a new one
    tml_state_copy(x, k->restart);
    memcpy(D, k->predicted, n * sizeof(double));
    begin(k);
    st = tmli_kernel_factor(k, x, D, err);
    if (st == TML_OK) st = iterate(k, x0, tol, D, x, &fresh, err);
    if (st == TML_OK) shift_multipliers(k, 1, x);
    return st;
}
