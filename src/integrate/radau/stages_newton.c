// Newton's iteration for the stage equations; equations as in stages.h.
#include "integrate/newton/convergence.h"
#include "integrate/radau/stages.h"
#include "system/state/accepted.h"
#include "system/state/move.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/radau/constants.h"

// ---- residuals --------------------------------------------------------------------------------------------

// Set D, V and the state (without udot) of stage i from Z by (1) and (2). With two fields motion[0] gets
// the velocity of the configuration minus u.
static void set_stage(tmli_stages *s, const tml_state *x0, double h, int i)
{
    const tml_system *sys = s->sys;
    const tmli_radau_table *r = s->table;
    double *W = s->other, *y = s->scratch, *turned = s->motion[0][i];
    for (int j = 0; j < sys->n; j++) {
        W[j] = 0;
        for (int l = 0; l < r->stages; l++) W[j] += r->inverse[i][l] * s->Z[l][j];
        W[j] /= h;
        y[j] = sys->retraction_curved ? x0->u[j] + W[j] : W[j] - s->Z[i][j] / (r->c[i] * h);
        s->D[i][j] = r->c[i] * h * x0->u[j] + s->Z[i][j];
    }
    tml_state *x = s->stage[i];
    sys->ops->tangent(sys->self, s->D[i], y, turned);
    tmli_state_move(sys, x0, s->D[i], x);
    for (int j = 0; j < sys->n; j++) {
        const double v = W[j] + (turned[j] - y[j]);
        if (s->fields == 1) s->V[i][j] = v;
        else turned[j] = v - s->V[i][j];
        x->u[j] = x0->u[j] + s->V[i][j];
    }
}

static void set_stages(tmli_stages *s, const tml_state *x0, double h)
{
    const tmli_radau_table *r = s->table;
    for (int i = 0; i < r->stages; i++) set_stage(s, x0, h, i);
    for (int i = 0; i < r->stages; i++)
        for (int j = 0; j < s->sys->n; j++) {
            double sum = 0;
            for (int l = 0; l < r->stages; l++) sum += r->inverse[i][l] * s->V[l][j];
            s->stage[i]->udot[j] = sum / h;  // (3)
        }
}

// motion[0] := M (v - u) + B'eta, as h times the change of the residual when udot changes by (v - u)/h and
// lambda by eta/h.
static tml_status evaluate_stabilized(tmli_stages *s, double h, int i, tml_error *err)
{
    const tml_system *sys = s->sys;
    const size_t n = (size_t)sys->n, m = (size_t)sys->m;
    tml_state *x = s->stage[i];
    double *slip = s->motion[0][i], *udot = s->other, *lambda = s->other + n;
    memcpy(udot, x->udot, n * sizeof(double));
    memcpy(lambda, x->lambda, m * sizeof(double));
    for (size_t j = 0; j < n; j++) x->udot[j] += slip[j] / h;
    for (size_t r = 0; r < m; r++) x->lambda[r] += s->eta[i][r] / h;
    tml_status st = tmli_active_residual(sys, s->work, x, NULL, slip, s->scratch, err);
    for (size_t j = 0; j < n; j++) slip[j] = h * (slip[j] - s->motion[1][i][j]);
    memcpy(x->udot, udot, n * sizeof(double));
    memcpy(x->lambda, lambda, m * sizeof(double));
    if (st == TML_OK) st = tmli_active_velocity(sys, s->work, x, s->phi[1][i], err);
    s->count->residuals++;
    return st;
}

static tml_status evaluate(tmli_stages *s, const tml_state *x0, double h, double feedback, tml_error *err)
{
    const tml_system *sys = s->sys;
    tml_status st = TML_OK;
    for (int i = 0; i < s->table->stages && st == TML_OK; i++) {
        tml_state *x = s->stage[i];
        double *phi = s->phi[0][i];
        st = tmli_active_residual(sys, s->work, x, NULL, s->motion[s->fields - 1][i], phi, err);
        s->count->residuals++;
        if (st == TML_OK && s->fields == 2) st = evaluate_stabilized(s, h, i, err);
        for (int r = 0; r < sys->m && s->fields == 2; r++)
            if (tmli_stages_is_velocity_row(s, r)) phi[r] = 0;
        if (st != TML_OK || feedback == 1) continue;
        st = tmli_active_increment(sys, s->work, x0, s->D[i], x->t, s->scratch, err);
        for (int r = 0; r < sys->m; r++)
            if (!tmli_stages_is_velocity_row(s, r))
                phi[r] = (1 - feedback) * s->scratch[r] + feedback * phi[r];
    }
    return st;
}

// ---- corrections ------------------------------------------------------------------------------------------

// Set the right-hand side of eigenvalue e: left eigenvector times the residuals, with the factors of (5) or
// (7).
static void set_right_side(tmli_stages *s, int e, double h)
{
    const tml_system *sys = s->sys;
    const tmli_radau_table *t = s->table;
    tmli_stage_matrix *a = &s->matrix[e];
    const bool pair = t->eigen[e].pair;
    const int width = pair ? 2 : 1;
    tmli_stages_set_coefficients(s, a, t->eigen[e].mu, h);
    for (int f = 0; f < s->fields; f++) {
        double complex force[TMLI_RADAU_STAGES], level[TMLI_RADAU_STAGES];
        for (int i = 0; i < t->stages; i++) {
            force[i] = -a->force[f] * t->eigen[e].left[i];
            level[i] = -a->level[f] * t->eigen[e].left[i];
        }
        for (int j = 0; j < sys->n; j++) {
            double complex x = 0;
            for (int i = 0; i < t->stages; i++) x += force[i] * s->motion[f][i][j];
            tmli_stages_store_complex(a->rhs + j * a->times + f * width, pair, x);
        }
        for (int r = 0; r < sys->m; r++) {
            double complex x = 0;
            for (int i = 0; i < t->stages; i++) x += level[i] * s->phi[f][i][r];
            if (s->fields == 1 && tmli_stages_is_velocity_row(s, r)) x *= a->k;  // (5')
            tmli_stages_store_complex(a->rhs + (sys->n + r) * a->times + f * width, pair,
                                      a->row * s->e[r] * x);
        }
    }
    for (int r = 0; r < sys->m && s->augment > 0; r++) {
        if (tmli_stages_is_velocity_row(s, r)) continue;
        double complex share[2] = {0};
        for (int f = 0; f < s->fields; f++)
            for (int g = 0; g < s->fields; g++)
                share[f] += s->augment / a->row * a->m[f][g] *
                            tmli_stages_load_complex(a->rhs + (sys->n + r) * a->times + g * width, pair);
        for (int p = sys->rowptr[r]; p < sys->rowptr[r + 1]; p++)
            for (int f = 0; f < s->fields; f++) {
                double *at = a->rhs + sys->rowcol[p] * a->times + f * width;
                tmli_stages_store_complex(at, pair,
                                          tmli_stages_load_complex(at, pair) + s->rows[p] * share[f]);
            }
    }
}

static inline double real_part(double complex factor, const double *at, bool pair)
{
    return creal(factor) * at[0] - (pair ? cimag(factor) * at[1] : 0);
}

// Transform the solutions of all eigenvalues back to the stages: motion[f] := corrections of D and V,
// phi[f] := of the multipliers.
static void transform_back(tmli_stages *s)
{
    const tml_system *sys = s->sys;
    const tmli_radau_table *t = s->table;
    for (int e = 0; e < t->eigenvalues; e++) {
        const tmli_stage_matrix *a = &s->matrix[e];
        const bool pair = t->eigen[e].pair;
        const int width = pair ? 2 : 1;
        for (int f = 0; f < s->fields; f++)
            for (int i = 0; i < t->stages; i++) {
                const double complex right = (pair ? 2 : 1) * t->eigen[e].right[i];
                const double complex column = right * a->column[f], reaction = right * a->reaction[f];
                double *motion = s->motion[f][i], *phi = s->phi[f][i];
                for (int j = 0; j < sys->n; j++) {
                    const double x = real_part(column, a->rhs + j * a->times + f * width, pair);
                    motion[j] = e ? motion[j] + x : x;
                }
                for (int r = 0; r < sys->m; r++) {
                    const double *at = a->rhs + (sys->n + r) * a->times + f * width;
                    const double x = s->e[r] * real_part(reaction, at, pair);
                    phi[r] = e ? phi[r] + x : x;
                }
            }
    }
}

// Largest correction [lengths]; velocities count as what they move in a part of the step.
static double correction_size(const tmli_stages *s, double h)
{
    double largest = 0, force = 0;
    const bool scaled = !s->newton.unscaled;
    for (int i = 0; i < s->table->stages; i++) {
        for (int f = 0; f < s->fields; f++)
            for (int j = 0; j < s->sys->n; j++) {
                const double c = fabs(s->motion[f][i][j]) * (f ? VELOCITY_WEIGHT * h : 1) / s->unit[j];
                if (!(c <= largest)) largest = c;  // keeps a NaN
            }
        // without scaling multipliers are unknowns like the others and are judged by their own size, if
        // less strictly
        for (int r = 0; r < s->sys->m && !scaled; r++)
            force = fmax(force, fabs(s->stage[i]->lambda[r] + s->phi[s->fields - 1][i][r]));
    }
    for (int i = 0; i < s->table->stages && force > 0; i++)
        for (int r = 0; r < s->sys->m; r++)
            largest =
                fmax(largest, fabs(s->phi[s->fields - 1][i][r]) / (TMLI_NEWTON_MULTIPLIER_UNIT * force));
    return largest;
}

// Transform constraint residuals of all stages to the frames of the matrix, or multipliers back.
static void transform_all_rows(tmli_stages *s, bool back)
{
    for (int i = 0; i < s->table->stages; i++)
        for (int f = 0; f < s->fields; f++)
            tmli_stages_transform_rows(s, s->stage[i], back ? s->q_parts : s->stage[i]->q,
                                       back ? s->stage[i]->q : s->q_parts, s->phi[f][i]);
}

static tml_status correct(tmli_stages *s, const tml_state *x0, double h, double feedback, double *size,
                          tml_error *err)
{
    const tml_system *sys = s->sys;
    tml_status st = evaluate(s, x0, h, feedback, err);
    if (st != TML_OK) return st;
    if (s->coupled.on) {
        tmli_coupled_solve(s, h);
    } else {
        transform_all_rows(s, false);
        for (int e = 0; e < s->table->eigenvalues; e++) set_right_side(s, e, h);
        for (int e = 0; e < s->table->eigenvalues; e++) tmli_stages_solve_linear(s, &s->matrix[e]);
        transform_back(s);
        transform_all_rows(s, true);
    }
    *size = correction_size(s, h);
    if (s->record[0]) s->falls = tmli_stages_record(s, h);
    s->shift = 0;
    for (int i = 0; i < s->table->stages && s->saturate; i++)
        for (int j = 0; j < sys->n; j++) s->shift = fmax(s->shift, fabs(s->motion[0][i][j]) / s->unit[j]);
    if (!isfinite(*size))
        return tmli_fail(err, TML_RETRY, "a Newton correction is not finite at t = %g s", x0->t + h);
    for (int i = 0; i < s->table->stages; i++) {
        for (int j = 0; j < sys->n; j++) s->Z[i][j] += s->motion[0][i][j];
        for (int j = 0; j < sys->n && s->fields == 2; j++) s->V[i][j] += s->motion[1][i][j];
        for (int r = 0; r < sys->m; r++) s->stage[i]->lambda[r] += s->phi[s->fields - 1][i][r];
        for (int r = 0; r < sys->m && s->fields == 2; r++) s->eta[i][r] += s->phi[0][i][r];
    }
    set_stages(s, x0, h);
    return TML_OK;
}

// ---- iteration --------------------------------------------------------------------------------------------

// New parts and matrices, or with parts that are new only the latter.
static tml_status renew_matrix(tmli_stages *s, double h, bool new_parts, tml_error *err)
{
    tml_status st = TML_OK;
    if (s->coupled.on) {
        s->stale = false;
        return tmli_coupled_factor(s, h, err);
    }
    if (!new_parts) st = tmli_stages_evaluate_parts(s, s->stage[s->table->stages - 2], h, err);
    return st == TML_OK ? tmli_stages_factor(s, h, err) : st;
}

static tml_status iterate(tmli_stages *s, const tml_state *x0, double h, double feedback, double tol,
                          bool fresh, tml_error *err)
{
    tmli_newton *newton = &s->newton;
    tmli_newton_begin(newton, tol, TMLI_NEWTON_ROUNDOFF * s->gyration_ratio, fresh, fresh && s->coupled.on);
    for (;;) {
        double size;
        tml_status st = correct(s, x0, h, feedback, &size, err);
        s->count->iterations++;
        if (st != TML_OK) return st;
        // the rate of earlier steps says nothing about a force that has changed since: an old matrix that is
        // much stiffer than the equations makes small corrections for any residual
        const double believed =
            newton->iterations == 0 && !fresh ? fmin(1, tmli_newton_remaining(newton)) : 1;
        const double weighed = size / fmax(believed, DBL_EPSILON);
        const tmli_verdict verdict = tmli_newton_judge(newton, size, weighed);
        if (verdict == TMLI_DIVERGED) return tmli_newton_fail(newton, x0->t + h, err);
        if (verdict == TMLI_CONVERGED) break;
        // the matrices of the eigenvalues belong to one configuration: a new one within the step is no better
        bool renew = verdict == TMLI_RENEW && (s->coupled.on || !(newton->fresh && s->factor_h == h));
        if (s->fixed && !s->coupled.on && !s->newton.unscaled &&
            size > TMLI_NEWTON_LARGE_CORRECTION / COUPLING_CORRECTION_DIVISOR)
            s->coupled.on = renew = true;
        if (!renew) continue;
        st = renew_matrix(s, h, newton->fresh, err);
        if (st != TML_OK) return st;
        tmli_newton_renewed(newton, s->coupled.on);
    }
    if (tmli_newton_end(newton, &s->count->max_iterations) || s->coupled.on) s->stale = true;
    return TML_OK;
}

// As in kernel.c: the full Newton method, until the corrections stop falling.
static tml_status saturate(tmli_stages *s, const tml_state *x0, double h, double feedback, tml_error *err)
{
    tmli_newton *newton = &s->newton;
    s->coupled.on = true;
    s->stale = true;
    for (newton->iterations = 1;; newton->iterations++) {
        tml_status st = tmli_coupled_factor(s, h, err);
        if (st == TML_OK) st = correct(s, x0, h, feedback, &newton->size, err);
        s->count->iterations++;
        if (st != TML_OK) return st;
        if (!s->falls || s->record[1]->norm == 0 || tmli_newton_at_limit(newton)) break;
    }
    if (newton->iterations > s->count->max_iterations) s->count->max_iterations = newton->iterations;
    return tmli_newton_check_saturated(newton, s->shift, s->gyration_ratio, x0->t + h, err);
}

// Copy the prediction to `restart`, or back.
static void copy_prediction(tmli_stages *s, bool back)
{
    const size_t n = (size_t)s->sys->n, m = (size_t)s->sys->m;
    double *at = s->restart;
    for (int i = 0; i < s->table->stages; i++) {
        double *const from[4] = {s->Z[i], s->V[i], s->stage[i]->lambda, s->eta[i]};
        for (int p = 0; p < 4; p++) {
            const size_t bytes = (p < 2 ? n : m) * sizeof(double);
            memcpy(back ? from[p] : at, back ? at : from[p], bytes);
            at += p < 2 ? n : m;
        }
    }
}

static void begin_records(tmli_stages *s)
{
    for (int i = 0; i < 2; i++)
        if (s->record[i]) tmli_record_begin(s->record[i]);
}

// Largest motion in the step [lengths].
static double largest_motion(const tmli_stages *s)
{
    double largest = 0;
    for (int j = 0; j < s->sys->n; j++)
        largest = fmax(largest, fabs(s->D[s->table->stages - 1][j]) / s->unit[j]);
    return largest;
}

// The factors, of known parts, are of no use for a step of size h.
static bool wants_factors(const tmli_stages *s, double h)
{
    if (s->factor_h == 0 || (s->by_step && s->factor_h != h)) return true;
    if (!(h < FACTOR_RATIO * s->factor_h && s->factor_h < FACTOR_RATIO * h)) return true;
    return tmli_stages_step_change(s, h) > FACTOR_CHANGE;
}

static tml_status solve(tmli_stages *s, const tml_state *x0, double h, double feedback, double tol,
                        tml_error *err)
{
    const tml_system *sys = s->sys;
    if (!sys->ops->increment || s->newton.unscaled || s->saturate) feedback = 1;  // as kernel.c
    for (int i = 0; i < s->table->stages; i++) {
        s->stage[i]->t = x0->t + s->table->c[i] * h;
        tmli_state_copy_accepted(s->stage[i], x0);
        memcpy(s->stage[i]->mode, x0->mode, (size_t)sys->nmode * sizeof(double));
    }
    if (sys->nz > 0) tmli_weights_set_state_units(s->weights, h, cabs(s->table->eigen[0].mu) / h, s->unit);
    set_stages(s, x0, h);
    begin_records(s);
    if (s->saturate) return saturate(s, x0, h, feedback, err);
    copy_prediction(s, false);
    tml_status st = TML_OK;
    const bool before = s->coupled.on;
    s->coupled.on = s->coupled.lin && (s->fixed ? largest_motion(s) > COUPLING_MOTION : s->coupled.always);
    if (s->coupled.on && !before) s->stale = true;
    const bool fresh = s->stale || !(s->coupled.on ? s->coupled.known : s->have_parts);
    if (fresh) st = renew_matrix(s, h, false, err);
    else if (s->coupled.on) st = TML_OK;
    else if (wants_factors(s, h)) st = tmli_stages_factor(s, h, err);
    if (st == TML_OK) st = iterate(s, x0, h, feedback, tol, fresh, err);
    // a matrix evaluated in a trial that failed contains forces that the shorter step need not meet
    if (st > 0 && (fresh || s->newton.fresh)) s->stale = true;
    if (st <= 0 || fresh || s->newton.fresh) return st;
    // no convergence with an old matrix: repeat from the prediction with a new one
    copy_prediction(s, true);
    set_stages(s, x0, h);
    begin_records(s);
    st = renew_matrix(s, h, false, err);
    if (st == TML_OK) st = iterate(s, x0, h, feedback, tol, true, err);
    if (st != TML_OK) s->stale = true;
    return st;
}

tml_status tmli_stages_solve(tmli_stages *s, const tml_state *x0, double h, double feedback, double tol,
                             tml_error *err)
{
    tml_status st = solve(s, x0, h, feedback, tol, err);
    if (st != TML_OK || s->fixed || !s->coupled.on) return st;
    // the error estimate needs the matrices of the eigenvalues
    st = tmli_stages_evaluate_parts(s, s->stage[s->table->stages - 2], h, err);
    if (st == TML_OK) st = tmli_stages_factor(s, h, err);
    s->stale = true;
    return st;
}
