// Newton on the KKT system of one step; equation numbers as in kernel.h.
#include "integrate/kernel.h"
#include "linalg/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 10, MAX_JITTER = 5 };
// Assembling and factoring cost about as much as two iterations. Refactor at once if more than that many are still to
// come at the rate observed, and before the next step if the rate was worse than REFACTOR_RATE. Fixed steps iterate to
// round-off and keep close to the full Newton method: the count of iterations then does not depend on the step.
static const double FACTOR_COST[2] = {2, 1};
static const double REFACTOR_RATE[2] = {0.2, 0.005};
// Scales are renewed when b changed by this factor: they enter only through the balance of the blocks.
static const double RESCALE_RATIO = 4;
// Corrections below this many length units (times the kernel's lever) are round-off of the positions and count as zero.
static const double ROUNDOFF = 64 * DBL_EPSILON;
// Corrections that stop falling below this (times lever) have met the round-off of residuals and matrix: as good as it
// gets.
static const double STAGNATION = 1e-12;

void tmli_kernel_clear(tmli_kernel *k)
{
    if (!k->sys) return;
    const tml_env *env = &k->sys->env;
    if (k->lin) k->solver->destroy(k->lin);
    if (k->work) k->sys->ops->destroy_work(k->work);
    tml_state_destroy(k->restart, k->sys);
    tmli_free(env, k->values);
    *k = (tmli_kernel){0};
}

void tmli_kernel_units(const tml_system *s, const double *rows, double *unit)
{
    for (int j = 0; j < s->n; j++) unit[j] = s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1;
    for (int r = 0; r < s->m; r++) {
        double largest = 0;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1] && rows; i++)
            largest = fmax(largest, fabs(rows[i]) * unit[s->rowcol[i]]);
        unit[s->n + r] = largest > 0 ? largest : 1;
    }
}

tml_status tmli_kernel_create(const tml_system *sys, const tml_integrator_options *opt, tml_counters *count,
                              tmli_kernel *k, tml_error *err)
{
    *k = (tmli_kernel){.sys = sys,
                       .solver = opt->solver,
                       .scaling = opt->scaling,
                       .augment = opt->augment,
                       .count = count,
                       .rate = 0.1,
                       .lever = 1,
                       .fixed = opt->fixed_step,
                       .least_iterations = opt->fixed_step ? 2 : 1};
    const size_t n = (size_t)sys->n, m = (size_t)sys->m, nnz = (size_t)tmli_pattern_nnz(sys->pattern);
    const size_t entries = (size_t)sys->rowptr[sys->m], nq = (size_t)sys->nq;
    k->values = tmli_calloc(&sys->env, nnz + 4 * m + 3 * (n + m) + 3 * n + entries + n + 2 * nq, sizeof(double));
    k->work = sys->ops->create_work(sys->self, &sys->env);
    tml_status st = k->values && k->work ? TML_OK : tmli_no_memory(err, "integrator");
    if (st == TML_OK) st = tml_state_create(sys, &k->restart, err);
    if (st == TML_OK) st = k->solver->create(sys->pattern, &sys->env, &k->lin, err);
    if (st != TML_OK) {
        tmli_kernel_clear(k);
        return st;
    }
    k->e = k->values + nnz;
    k->r = k->e + m;
    k->p = k->r + m;
    k->dphi = k->p + m;
    k->rhs = k->dphi + m;
    k->residual = k->rhs + n + m;
    k->unit = k->residual + n + m;
    k->diagonal = k->unit + n + m;
    k->rows = k->diagonal + 3 * n;
    k->predicted = k->rows + entries;
    k->q_factor = k->predicted + n;
    k->q_now = k->q_factor + nq;
    tmli_kernel_units(sys, NULL, k->unit);
    return TML_OK;
}

// ---- scaling -----------------------------------------------------------------------------------------------------------

// Inertia felt by row r: 1/e = sum B_j^2/A_j over coordinates that have inertia; 0 if none has.
static double row_inertia(const tmli_kernel *k, const double *A, int r)
{
    const tml_system *s = k->sys;
    const double *mass = k->diagonal;
    double sum = 0;
    for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++)
        if (mass[s->rowcol[i]] > 0) sum += k->rows[i] * k->rows[i] / A[s->rowcol[i]];
    return sum > 0 ? 1 / sum : 0;
}

// Round-off of positions, eps times the model's length, turns a body of radius of gyration l by eps length/l.
static void set_lever(tmli_kernel *k)
{
    const tml_system *s = k->sys;
    const double *mass = k->diagonal;
    double smallest = s->length;
    for (int j = 1; j < s->n; j++) {
        const bool pair = s->node[j] == s->node[j - 1] && s->kind[j] == TML_COORDINATE_ROTATION;
        if (!pair || !(mass[j] > 0)) continue;
        int i = j;
        while (i >= 0 && s->node[i] == s->node[j] && s->kind[i] != TML_COORDINATE_TRANSLATION) i--;
        if (i >= 0 && s->node[i] == s->node[j] && mass[i] > 0)
            smallest = fmin(smallest, sqrt(mass[j] / mass[i]));
    }
    k->lever = s->length / smallest;
}

static tml_status rescale(tmli_kernel *k, const tml_state *x, tml_error *err)
{
    const tml_system *s = k->sys;
    const double b = 1 / k->a0, cd = k->a1 / k->a0;
    double *dm = k->diagonal, *dd = dm + s->n, *dk = dd + s->n;
    tml_status st = s->ops->diagonals(s->self, k->work, x, dm, dd, dk, err);
    if (st == TML_OK) st = s->ops->rows(s->self, k->work, x, k->rows, err);
    if (st != TML_OK) return st;
    double *A = dk, mean[2] = {0};  // A overwrites the stiffness
    int count[2] = {0};
    double all = 0;
    for (int j = 0; j < s->n; j++) {
        A[j] = dm[j] + cd * dd[j] + b * dk[j];
        all += A[j] / s->n;
        if (!(dm[j] > 0)) continue;
        mean[s->kind[j]] += A[j];
        count[s->kind[j]]++;
    }
    tmli_kernel_units(s, k->rows, k->unit);
    set_lever(k);
    for (int i = 0; i < 2; i++) mean[i] = count[i] ? mean[i] / count[i] : 0;
    if (mean[0] == 0) mean[0] = mean[1] > 0 ? mean[1] / (s->length * s->length) : 1;
    if (mean[1] == 0) mean[1] = mean[0] * s->length * s->length;
    for (int r = 0; r < s->m; r++) {
        double e = k->scaling == TML_SCALING_UNIFORM ? all : row_inertia(k, A, r);
        if (e == 0) e = mean[1] / (k->unit[s->n + r] * k->unit[s->n + r]);  // a row between massless parts
        k->e[r] = e;
    }
    k->scale_b = b;
    return TML_OK;
}

// Row factors and penalties of (1) for the current b.
static void set_factors(tmli_kernel *k)
{
    const double b = 1 / k->a0;
    const bool scaled = k->scaling != TML_SCALING_NONE;
    for (int r = 0; r < k->sys->m; r++) {
        if (!scaled) k->e[r] = 1;
        k->r[r] = k->e[r];
        k->p[r] = scaled ? k->augment * k->e[r] / b : k->augment;
    }
}

static tml_status refactor(tmli_kernel *k, const tml_state *x, const double *D, tml_error *err)
{
    const double b = 1 / k->a0;
    const bool scaled = k->scaling != TML_SCALING_NONE;
    if (scaled && !(b < RESCALE_RATIO * k->scale_b && k->scale_b < RESCALE_RATIO * b)) {
        tml_status st = rescale(k, x, err);
        if (st != TML_OK) return st;
    }
    set_factors(k);
    const tml_assembly a = {.cm = scaled ? 1 : k->a0,
                            .cd = scaled ? k->a1 / k->a0 : k->a1,
                            .ck = scaled ? b : 1,
                            .cp = scaled ? b : 1,
                            .r = k->r,
                            .p = k->augment > 0 ? k->p : NULL,
                            .increment = D};
    tml_status st = k->sys->ops->assemble(k->sys->self, k->work, x, &a, k->values, err);
    if (st == TML_OK && scaled) tmli_pattern_scale(k->sys->pattern, k->unit, k->values);
    if (st == TML_OK) st = k->solver->factor(k->lin, k->values, err);
    k->count->factorizations++;
    k->factor_b = st == TML_OK ? b : 0;
    memcpy(k->q_factor, x->q, (size_t)k->sys->nq * sizeof(double));
    memcpy(k->q_now, x->q, (size_t)k->sys->nq * sizeof(double));
    k->stale = false;
    return st;
}

// ---- Newton --------------------------------------------------------------------------------------------------------------

// rhs := solution of the last matrix, in the units of the model.
static void solve(tmli_kernel *k)
{
    const int n = k->sys->n + k->sys->m;
    const bool scaled = k->scaling != TML_SCALING_NONE;
    for (int i = 0; i < n && scaled; i++) k->rhs[i] *= k->unit[i];
    k->solver->solve(k->lin, k->rhs);
    for (int i = 0; i < n && scaled; i++) k->rhs[i] *= k->unit[i];
}

// (3); v: (m)
static void carry(const tmli_kernel *k, const double *q0, const double *q1, double *v)
{
    const tml_system *s = k->sys;
    if (s->ops->carry && k->scaling != TML_SCALING_NONE) s->ops->carry(s->self, q0, q1, v);
}

// One correction at x; returns its size in length units (largest over the unknowns).
static tml_status correct(tmli_kernel *k, const tml_state *x0, double *D, tml_state *x, double *size,
                          tml_error *err)
{
    const tml_system *s = k->sys;
    const bool scaled = k->scaling != TML_SCALING_NONE;
    const double b = 1 / k->a0, motion_factor = scaled ? b : 1;
    double *phi = k->residual + s->n;
    tml_status st = s->ops->residual(s->self, k->work, x, k->augment > 0 ? k->p : NULL, k->residual, phi, err);
    k->count->residuals++;
    if (st == TML_OK && k->feedback < 1) {
        st = s->ops->increment(s->self, k->work, x0, D, x->t, k->dphi, err);
        for (int r = 0; r < s->m; r++) phi[r] = (1 - k->feedback) * k->dphi[r] + k->feedback * phi[r];  // (2)
    }
    if (st != TML_OK) return st;
    memcpy(k->q_now, x->q, (size_t)s->nq * sizeof(double));
    carry(k, k->q_now, k->q_factor, phi);
    for (int j = 0; j < s->n; j++) k->rhs[j] = -motion_factor * k->residual[j];  // (1)
    for (int r = 0; r < s->m; r++) k->rhs[s->n + r] = -k->r[r] * phi[r];
    solve(k);
    // The equations are linear in the multipliers: when the positions stand, the last solve has made these right, and
    // their corrections only show the round-off of the positions times the inertia behind a row. Without scaling, as in
    // the equations as written, they are unknowns like the others and judged by their own size, if less strictly.
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
    for (int j = 0; j < s->n; j++) {
        D[j] += k->rhs[j];
        x->u[j] += k->a1 * k->rhs[j];
        x->udot[j] += k->a0 * k->rhs[j];
    }
    for (int r = 0; r < s->m; r++) k->dphi[r] = (scaled ? k->r[r] / b : 1) * k->rhs[s->n + r];
    carry(k, k->q_factor, k->q_now, k->dphi);
    for (int r = 0; r < s->m; r++) x->lambda[r] += k->dphi[r];
    s->ops->retract(s->self, x0->q, D, x->q);
    return TML_OK;
}

static const char *unscaled_hint(const tmli_kernel *k)
{
    return k->scaling == TML_SCALING_NONE ? "; the equations are not scaled (option scaling)" : "";
}

// True if a new matrix now is cheaper than the iterations that the old one still needs.
static bool worth_factoring(const tmli_kernel *k, double rate, double left, double tol)
{
    const double to_come = log(tol / left) / log(fmin(rate, 0.999));
    return rate > REFACTOR_RATE[k->fixed] / 10 && left > tol && to_come > FACTOR_COST[k->fixed] &&
           k->iterations < MAX_ITERATIONS;
}

// The error along the constraints can be far smaller than the corrections show: those keep jittering across them by the
// round-off of the positions. So once a correction is at that level, the remaining error is followed by the contraction
// alone, `left`, down to the tolerance.
static tml_status iterate(tmli_kernel *k, const tml_state *x0, double tol, double *D, tml_state *x,
                          bool *fresh, tml_error *err)
{
    const double roundoff = ROUNDOFF * k->lever;
    if (k->fixed)
        tol = fmax(tol, 1e-2 * roundoff);  // at least two iterations are made; more would chase noise
    const double stagnation = k->scaling == TML_SCALING_NONE ? roundoff : STAGNATION * k->lever;
    double last = 0, worst = 0, left = INFINITY;
    bool renewed = false;  // the matrix changed since the last correction: its size says nothing about the rate
    for (k->iterations = 1;; k->iterations++) {
        double size;
        tml_status st = correct(k, x0, D, x, &size, err);
        k->count->iterations++;
        if (st != TML_OK) return st;
        const double rate = k->iterations > 1 && !renewed ? size / last : 0;
        if (last > 10 * roundoff) k->rate = fmax(renewed ? 0 : 0.3 * k->rate, fmin(size / last, 0.9));
        if (last > 100 * roundoff && size > roundoff) worst = fmax(worst, rate);
        const bool jitter = size < roundoff || (rate > 0.3 && size < stagnation);
        if (!jitter && (rate > 2 || (k->iterations > 3 && rate > 0.9)))
            return tmli_fail(err, TML_RETRY, "Newton's corrections grow from %g to %g lengths at t = %g s%s",
                             last, size, x->t, unscaled_hint(k));
        k->last_correction = size;
        const double trust = fmin(k->rate, 0.9);
        left = trust / (1 - trust) * (jitter ? fmin(size, left) : size);
        if ((left <= tol && k->iterations >= k->least_iterations) || (jitter && k->iterations >= MAX_JITTER))
            break;
        if (k->iterations == MAX_ITERATIONS)
            return tmli_fail(
                err, TML_RETRY,
                "Newton stalls: correction %g lengths after %d iterations at t = %g s, wanted %g%s", size,
                k->iterations, x->t, tol,
                k->scaling == TML_SCALING_NONE ? "; the equations are not scaled (option scaling)" : "");
        renewed = !jitter && worth_factoring(k, rate, left, tol);
        if (renewed) {
            st = refactor(k, x, D, err);
            if (st != TML_OK) return st;
            *fresh = true;
        }
        last = size;
    }
    if (k->iterations > k->count->max_iterations) k->count->max_iterations = k->iterations;
    if (k->iterations == 1) k->rate = fmin(2 * k->rate, 0.9);  // not measured: the matrix ages, trust it less
    if (worst > REFACTOR_RATE[k->fixed]) k->stale = true;
    return TML_OK;
}

tml_status tmli_kernel_solve(tmli_kernel *k, const tml_state *x0, double feedback, double a0, double a1,
                             double tol, double *D, tml_state *x, tml_error *err)
{
    const size_t n = (size_t)k->sys->n;
    k->a0 = a0;
    k->a1 = a1;
    k->feedback = k->sys->ops->increment && k->scaling != TML_SCALING_NONE ? feedback : 1;
    // without scaling M enters with a0: a new step needs a new matrix
    const bool changed = k->scaling == TML_SCALING_NONE && k->factor_b != 1 / a0;
    bool fresh = false;
    k->sys->ops->retract(k->sys->self, x0->q, D, x->q);
    tml_state_copy(k->restart, x);
    memcpy(k->predicted, D, n * sizeof(double));
    if (k->factor_b == 0 || k->stale || changed) {
        tml_status st = refactor(k, x, D, err);
        if (st != TML_OK) return st;
        fresh = true;
    }
    set_factors(k);
    tml_status st = iterate(k, x0, tol, D, x, &fresh, err);
    if (st <= 0 || fresh) return st;
    // an old matrix did not do: again from the prediction with a new one
    tml_state_copy(x, k->restart);
    memcpy(D, k->predicted, n * sizeof(double));
    st = refactor(k, x, D, err);
    if (st == TML_OK) st = iterate(k, x0, tol, D, x, &fresh, err);
    return st;
}

tml_status tmli_kernel_refresh(tmli_kernel *k, double a0, double a1, const tml_state *x, tml_error *err)
{
    k->a0 = a0;
    k->a1 = a1;
    return refactor(k, x, NULL, err);
}

void tmli_kernel_constrain(tmli_kernel *k, const double *y, double *d)
{
    const tml_system *s = k->sys;
    memset(k->rhs, 0, (size_t)s->n * sizeof(double));
    memcpy(k->rhs + s->n, y, (size_t)s->m * sizeof(double));
    carry(k, k->q_now, k->q_factor, k->rhs + s->n);
    for (int r = 0; r < s->m; r++) k->rhs[s->n + r] *= k->r[r];
    solve(k);
    memcpy(d, k->rhs, (size_t)s->n * sizeof(double));
}

double tmli_kernel_condition(tmli_kernel *k)
{
    if (k->factor_b == 0 || !k->solver->rcond) return 0;
    const double rcond = k->solver->rcond(k->lin);
    return rcond > 0 ? 1 / rcond : INFINITY;
}
