// Newton's iteration on the stage equations; equations as in stages.h.
#include "integrate/newton/quadratic.h"
#include "integrate/radau/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_SATURATED = 50 };
// Corrections by round-off alone are followed that long.
static const int MAX_JITTER[2] = {5, 4};
// Steps of fixed size cannot become smaller.
static const int MAX_ITERATIONS[2] = {12, 30};
// New parts and factors cost about as much as this many iterations.
static const double FACTOR_COST[2] = {2.5, 1.5};
// Evaluate the parts anew before the next step if the contraction was worse than this.
static const double REFRESH_RATE[2] = {0.1, 0.02};
// Factor anew without trying if the step size has changed by more than this factor.
static const double FACTOR_RATIO = 2;
// Fixed steps that move the system by more than this many length units couple the stages: simplified Newton
// contracts by about this factor then.
static const double COUPLE = 3e-3;
// Corrections above this many lengths get a new matrix of all stages.
static const double LARGE = 1e-3;
// As in kernel.c: corrections below ROUNDOFF length units (times gyration_ratio) are round-off of the
// positions; those that stop falling below STAGNATION have met the round-off of residuals and matrix.
static const double ROUNDOFF = 64 * DBL_EPSILON, STAGNATION = 1e-12;
// Displacement corrections [lengths] that stop falling above this are no round-off, whatever the condition
// number.
static const double SATURATED_LIMIT = 1e-6;

// ---- residuals --------------------------------------------------------------------------------------------

// D, V, state (without udot) of stage i from Z, (1) and (2); with two fields the velocity of the
// configuration minus u goes to motion[0].
static void place(tmli_stages *s, const tml_state *x0, double h, int i)
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
    sys->ops->retract(sys->self, x0->q, s->D[i], x->q);
    for (int j = 0; j < sys->n; j++) {
        const double v = W[j] + (turned[j] - y[j]);
        if (s->fields == 1) s->V[i][j] = v;
        else turned[j] = v - s->V[i][j];
        x->u[j] = x0->u[j] + s->V[i][j];
    }
}

static void place_all(tmli_stages *s, const tml_state *x0, double h)
{
    const tmli_radau_table *r = s->table;
    for (int i = 0; i < r->stages; i++) place(s, x0, h, i);
    for (int i = 0; i < r->stages; i++)
        for (int j = 0; j < s->sys->n; j++) {
            double sum = 0;
            for (int l = 0; l < r->stages; l++) sum += r->inverse[i][l] * s->V[l][j];
            s->stage[i]->udot[j] = sum / h;  // (3)
        }
}

// motion[0] = M (v - u) + B'eta, as h times the change of the residual when udot changes by (v - u)/h, lambda
// by eta/h.
static tml_status stabilized(tmli_stages *s, double h, int i, tml_error *err)
{
    const tml_system *sys = s->sys;
    const size_t n = (size_t)sys->n, m = (size_t)sys->m;
    tml_state *x = s->stage[i];
    double *slip = s->motion[0][i], *udot = s->other, *lambda = s->other + n;
    memcpy(udot, x->udot, n * sizeof(double));
    memcpy(lambda, x->lambda, m * sizeof(double));
    for (size_t j = 0; j < n; j++) x->udot[j] += slip[j] / h;
    for (size_t r = 0; r < m; r++) x->lambda[r] += s->eta[i][r] / h;
    tml_status st = sys->ops->residual(sys->self, s->work, x, NULL, slip, s->scratch, err);
    for (size_t j = 0; j < n; j++) slip[j] = h * (slip[j] - s->motion[1][i][j]);
    memcpy(x->udot, udot, n * sizeof(double));
    memcpy(x->lambda, lambda, m * sizeof(double));
    if (st == TML_OK) st = sys->ops->velocity(sys->self, s->work, x, s->phi[1][i], err);
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
        st = sys->ops->residual(sys->self, s->work, x, NULL, s->motion[s->fields - 1][i], phi, err);
        s->count->residuals++;
        if (st == TML_OK && s->fields == 2) st = stabilized(s, h, i, err);
        if (st != TML_OK || feedback == 1) continue;
        st = sys->ops->increment(sys->self, s->work, x0, s->D[i], x->t, s->scratch, err);
        for (int r = 0; r < sys->m; r++) phi[r] = (1 - feedback) * s->scratch[r] + feedback * phi[r];
    }
    return st;
}

// ---- corrections ------------------------------------------------------------------------------------------

// rhs of eigenvalue e: left eigenvector times the residuals, with the factors of (5) or (7).
static void right_side(tmli_stages *s, int e, double h)
{
    const tml_system *sys = s->sys;
    const tmli_radau_table *t = s->table;
    tmli_stage_matrix *a = &s->matrix[e];
    const bool pair = t->eigen[e].pair;
    const int width = pair ? 2 : 1;
    tmli_stages_coefficients(s, a, t->eigen[e].mu, h);
    for (int f = 0; f < s->fields; f++) {
        double complex force[TMLI_RADAU_STAGES], level[TMLI_RADAU_STAGES];
        for (int i = 0; i < t->stages; i++) {
            force[i] = -a->force[f] * t->eigen[e].left[i];
            level[i] = -a->level[f] * t->eigen[e].left[i];
        }
        for (int j = 0; j < sys->n; j++) {
            double complex x = 0;
            for (int i = 0; i < t->stages; i++) x += force[i] * s->motion[f][i][j];
            tmli_stages_set(a->rhs + j * a->times + f * width, pair, x);
        }
        for (int r = 0; r < sys->m; r++) {
            double complex x = 0;
            for (int i = 0; i < t->stages; i++) x += level[i] * s->phi[f][i][r];
            tmli_stages_set(a->rhs + (sys->n + r) * a->times + f * width, pair, a->row * s->e[r] * x);
        }
    }
    for (int r = 0; r < sys->m && s->augment > 0; r++) {
        double complex share[2] = {0};
        for (int f = 0; f < s->fields; f++)
            for (int g = 0; g < s->fields; g++)
                share[f] += s->augment / a->row * a->m[f][g] *
                            tmli_stages_get(a->rhs + (sys->n + r) * a->times + g * width, pair);
        for (int p = sys->rowptr[r]; p < sys->rowptr[r + 1]; p++)
            for (int f = 0; f < s->fields; f++) {
                double *at = a->rhs + sys->rowcol[p] * a->times + f * width;
                tmli_stages_set(at, pair, tmli_stages_get(at, pair) + s->rows[p] * share[f]);
            }
    }
}

static inline double real_part(double complex factor, const double *at, bool pair)
{
    return creal(factor) * at[0] - (pair ? cimag(factor) * at[1] : 0);
}

// Solutions of all eigenvalues back to the stages: motion[f] := corrections of D and V, phi[f] := of the
// multipliers.
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

// Largest correction in length units; velocities as what they move in a step.
static double size_of(const tmli_stages *s, double h)
{
    double largest = 0, force = 0;
    const bool scaled = !s->plain;
    for (int i = 0; i < s->table->stages; i++) {
        for (int f = 0; f < s->fields; f++)
            for (int j = 0; j < s->sys->n; j++) {
                const double c = fabs(s->motion[f][i][j]) * (f ? 0.3 * h : 1) / s->unit[j];
                if (!(c <= largest)) largest = c;  // NaN sticks
            }
        // not scaled: the multipliers are unknowns like the others and judged by their own size, if less
        // strictly
        for (int r = 0; r < s->sys->m && !scaled; r++)
            force = fmax(force, fabs(s->stage[i]->lambda[r] + s->phi[s->fields - 1][i][r]));
    }
    for (int i = 0; i < s->table->stages && force > 0; i++)
        for (int r = 0; r < s->sys->m; r++)
            largest = fmax(largest, fabs(s->phi[s->fields - 1][i][r]) / (1e3 * force));
    return largest;
}

// Rows of the constraints at all stages in the frames of the matrix, or multipliers back.
static void carry_all(tmli_stages *s, bool back)
{
    for (int i = 0; i < s->table->stages; i++)
        for (int f = 0; f < s->fields; f++)
            tmli_stages_transform_rows(s, back ? s->q_parts : s->stage[i]->q,
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
        carry_all(s, false);
        for (int e = 0; e < s->table->eigenvalues; e++) right_side(s, e, h);
        for (int e = 0; e < s->table->eigenvalues; e++) tmli_stages_back(s, &s->matrix[e]);
        transform_back(s);
        carry_all(s, true);
    }
    *size = size_of(s, h);
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
    place_all(s, x0, h);
    return TML_OK;
}

// ---- iteration --------------------------------------------------------------------------------------------

static tml_status renew(tmli_stages *s, double h, bool *fresh, tml_error *err)
{
    tml_status st = TML_OK;
    if (s->coupled.on) {
        *fresh = true;
        s->stale = false;
        return tmli_coupled_factor(s, h, err);
    }
    if (!*fresh) st = tmli_stages_parts(s, s->stage[s->table->stages - 2], h, err);
    *fresh = true;
    return st == TML_OK ? tmli_stages_factor(s, h, err) : st;
}

static const char *unscaled_hint(const tmli_stages *s)
{
    return s->plain ? "; the equations are not scaled (option scaling)" : "";
}

static tml_status stuck(const tmli_stages *s, double t, double last, double size, tml_error *err)
{
    return tmli_fail(
        err, TML_RETRY,
        "Newton's corrections of the stages went from %g to %g lengths after %d iterations at t = %g s%s",
        last, size, s->iterations, t, unscaled_hint(s));
}

// As in the kernel: `left` follows the contraction below the jitter of round-off.
static tml_status iterate(tmli_stages *s, const tml_state *x0, double h, double feedback, double tol,
                          bool *fresh, tml_error *err)
{
    const double roundoff = ROUNDOFF * s->gyration_ratio;
    const double stagnation = STAGNATION * s->gyration_ratio;
    const int least = s->fixed ? 2 : 1;
    double last = 0, worst = 0, left = INFINITY;
    bool renewed = false, exact = *fresh && s->coupled.on;
    tmli_quadratic newton = {0};
    for (s->iterations = 1;; s->iterations++) {
        double size;
        tml_status st = correct(s, x0, h, feedback, &size, err);
        s->count->iterations++;
        if (st != TML_OK) return st;
        const double rate = s->iterations > 1 && !renewed ? size / last : 0;
        if (last > 10 * roundoff) s->rate = fmax(renewed ? 0 : 0.3 * s->rate, fmin(size / last, 0.9));
        if (last > 100 * roundoff && size > roundoff) worst = fmax(worst, rate);
        const bool slow = rate > 0.3 && size < stagnation, jitter = size < roundoff || (slow && *fresh);
        if (!jitter && (rate > 2 || (s->iterations > 3 && rate > 0.9)))
            return stuck(s, x0->t + h, last, size, err);
        const double trust = fmin(s->rate, 0.9);
        // a contraction of earlier steps says nothing about a force that has changed since: an old matrix
        // much stiffer than the equations makes small corrections of any residual, one after the other
        const double share =
            s->iterations == 1 && !*fresh ? fmax(trust / (1 - trust), 1) : trust / (1 - trust);
        left = share * (jitter ? fmin(size, left) : size);
        tmli_quadratic_add(&newton, size, exact);
        left = fmin(left, newton.left);
        if ((left <= tol && s->iterations >= least) ||
            (jitter && *fresh && s->iterations >= MAX_JITTER[s->fixed]))
            break;
        if (s->iterations == MAX_ITERATIONS[s->fixed]) return stuck(s, x0->t + h, last, size, err);
        const double to_come = log(tol / left) / log(fmin(rate, 0.999));
        renewed = !jitter && rate > REFRESH_RATE[s->fixed] / 10 && to_come > FACTOR_COST[s->fixed] &&
                  (s->coupled.on || !(*fresh && s->factor_h == h));
        // what looks like round-off may be the slow convergence of an old matrix
        if (!*fresh && (slow || s->iterations >= MAX_JITTER[s->fixed] - s->fixed)) renewed = true;
        if (s->coupled.lin && !s->coupled.on && !s->plain && size > LARGE / 10)
            s->coupled.on = renewed = true;
        // a correction this large has left the matrix of the prediction behind
        if (s->coupled.on && !jitter && (size > LARGE || tmli_quadratic_renew(&newton, tol))) renewed = true;
        exact = renewed && s->coupled.on;
        if (renewed) {
            st = renew(s, h, fresh, err);
            if (st != TML_OK) return st;
        }
        last = size;
    }
    if (s->iterations > s->count->max_iterations) s->count->max_iterations = s->iterations;
    if (s->iterations == 1) s->rate = fmin(2 * s->rate, 0.9);  // not measured: the matrix ages, trust it less
    if (worst > REFRESH_RATE[s->fixed] || s->coupled.on || (s->fixed && s->iterations > 3)) s->stale = true;
    return TML_OK;
}

// As in the kernel: Newton's method proper, until the corrections stop falling.
static tml_status saturate(tmli_stages *s, const tml_state *x0, double h, double feedback, tml_error *err)
{
    double size = 0;
    s->coupled.on = true;
    s->stale = true;
    for (s->iterations = 1;; s->iterations++) {
        tml_status st = tmli_coupled_factor(s, h, err);
        if (st == TML_OK) st = correct(s, x0, h, feedback, &size, err);
        s->count->iterations++;
        if (st != TML_OK) return st;
        if (!s->falls || s->record[1]->norm == 0 || s->iterations == MAX_SATURATED) break;
    }
    if (s->iterations > s->count->max_iterations) s->count->max_iterations = s->iterations;
    const double limit = s->iterations == MAX_SATURATED ? STAGNATION * s->gyration_ratio : SATURATED_LIMIT;
    if (s->shift > limit)
        return tmli_fail(
            err, TML_RETRY,
            "Newton's corrections are %g lengths after %d iterations at t = %g s: no convergence%s", s->shift,
            s->iterations, x0->t + h, unscaled_hint(s));
    // the estimate is made with the matrices of the eigenvalues
    if (s->fixed) return TML_OK;
    tml_status st = tmli_stages_parts(s, s->stage[s->table->stages - 2], h, err);
    return st == TML_OK ? tmli_stages_factor(s, h, err) : st;
}

// Copy the prediction to `restart`, or back.
static void keep(tmli_stages *s, bool back)
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

static void begin(tmli_stages *s)
{
    for (int i = 0; i < 2; i++)
        if (s->record[i]) tmli_record_begin(s->record[i]);
}

// Largest movement in the step, in length units.
static double moves(const tmli_stages *s)
{
    double largest = 0;
    for (int j = 0; j < s->sys->n; j++)
        largest = fmax(largest, fabs(s->D[s->table->stages - 1][j]) / s->unit[j]);
    return largest;
}

tml_status tmli_stages_solve(tmli_stages *s, const tml_state *x0, double h, double feedback, double tol,
                             tml_error *err)
{
    const tml_system *sys = s->sys;
    if (!sys->ops->increment || s->plain) feedback = 1;
    for (int i = 0; i < s->table->stages; i++) {
        s->stage[i]->t = x0->t + s->table->c[i] * h;
        memcpy(s->stage[i]->angle, x0->angle, (size_t)sys->na * sizeof(double));
        memcpy(s->stage[i]->mode, x0->mode, (size_t)sys->nmode * sizeof(double));
    }
    place_all(s, x0, h);
    begin(s);
    if (s->saturate) return saturate(s, x0, h, feedback, err);
    keep(s, false);
    bool fresh = false;
    tml_status st = TML_OK;
    const bool far = s->factor_h > 0 && !(h < FACTOR_RATIO * s->factor_h && s->factor_h < FACTOR_RATIO * h);
    const bool before = s->coupled.on;
    s->coupled.on = s->coupled.lin && moves(s) > COUPLE;
    if (s->coupled.on && !before) s->stale = true;
    if (s->coupled.on ? !s->coupled.known || s->stale : !s->parts || s->stale) st = renew(s, h, &fresh, err);
    else if (s->coupled.on) st = TML_OK;
    else if (s->factor_h == 0 || far || (s->by_step && s->factor_h != h)) st = tmli_stages_factor(s, h, err);
    if (st == TML_OK) st = iterate(s, x0, h, feedback, tol, &fresh, err);
    if (st <= 0 || fresh) return st;
    // an old matrix did not do: again from the prediction with a new one
    keep(s, true);
    place_all(s, x0, h);
    begin(s);
    st = renew(s, h, &fresh, err);
    return st == TML_OK ? iterate(s, x0, h, feedback, tol, &fresh, err) : st;
}
