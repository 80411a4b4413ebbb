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
    tml_state_destroy(k->end, k->sys);
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
    k->values = tmli_calloc(&sys->env, 2 * nnz + 5 * m + 3 * (n + m) + 3 * n + entries + 2 * n + 2 * nq,
                            sizeof(double));
    k->work = sys->ops->create_work(sys->self, &sys->env);
    tml_status st = k->values && k->work ? TML_OK : tmli_no_memory(err, "integrator");
    if (st == TML_OK) st = tml_state_create(sys, &k->restart, err);
    if (st == TML_OK) st = tml_state_create(sys, &k->end, err);
    if (st == TML_OK) st = k->solver->create(sys->pattern, &sys->env, &k->lin, err);
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
    k->rhs = k->dphi + m;
    k->residual = k->rhs + n + m;
    k->unit = k->residual + n + m;
    k->diagonal = k->unit + n + m;
    k->rows = k->diagonal + 3 * n;
    k->predicted = k->rows + entries;
    k->part = k->predicted + n;
    k->q_factor = k->part + n;
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
    const double b = 1 / k->stage.a0, cd = k->stage.a1 / k->stage.a0;
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

// Row and multiplier factors and penalties of (1) for the current b.
static void set_factors(tmli_kernel *k)
{
    const double b = 1 / k->stage.a0;
    const bool scaled = k->scaling != TML_SCALING_NONE;
    k->motion = scaled ? b : 1;
    for (int r = 0; r < k->sys->m; r++) {
        if (!scaled) k->e[r] = 1;
        k->row[r] = k->e[r];
        k->column[r] = k->e[r] / k->motion;
        k->p[r] = k->augment * k->e[r] / k->motion;
    }
}

// values := the rows of the constraints of the matrix at the end of the step, with the increment D; the rest stays.
static tml_status replace_rows(tmli_kernel *k, const tml_state *x, const double *D, tml_error *err)
{
    const tml_system *s = k->sys;
    const tml_pattern *pattern = s->pattern;
    const tml_assembly a = {.r = k->row, .increment = D};
    tml_state_copy(k->end, x);
    s->ops->retract(s->self, k->start->q, D, k->end->q);
    k->end->t = k->stage.t_end;
    tml_status st = s->ops->assemble(s->self, k->work, k->end, &a, k->ends, err);
    for (int j = 0; j < s->n && st == TML_OK; j++)
        for (int i = pattern->colptr[j]; i < pattern->colptr[j + 1]; i++)
            if (pattern->rowind[i] >= s->n) k->values[i] = k->ends[i];
    return st;
}

static tml_status refactor(tmli_kernel *k, const tml_state *x, const double *D, tml_error *err)
{
    const tml_system *s = k->sys;
    const double b = 1 / k->stage.a0, theta = k->stage.theta;
    const bool scaled = k->scaling != TML_SCALING_NONE;
    if (scaled && !(b < RESCALE_RATIO * k->scale_b && k->scale_b < RESCALE_RATIO * b)) {
        tml_status st = rescale(k, x, err);
        if (st != TML_OK) return st;
    }
    set_factors(k);
    for (int j = 0; j < s->n && D; j++) k->part[j] = theta * D[j];
    const tml_assembly a = {.cm = k->motion * k->stage.a0,
                            .cd = k->motion * k->stage.a1,
                            .ck = k->motion * theta,
                            .cp = k->motion,
                            .r = k->row,
                            .p = k->augment > 0 ? k->p : NULL,
                            .increment = D ? k->part : NULL};
    tml_status st = s->ops->assemble(s->self, k->work, x, &a, k->values, err);
    if (st == TML_OK && theta < 1 && D) st = replace_rows(k, x, D, err);
    if (st == TML_OK && scaled) tmli_pattern_scale(s->pattern, k->unit, k->values);
    if (st == TML_OK) st = k->solver->factor(k->lin, k->values, err);
    k->count->factorizations++;
    k->factor_b = st == TML_OK ? b : 0;
    memcpy(k->q_factor, x->q, (size_t)k->sys->nq * sizeof(double));
    memcpy(k->q_now, x->q, (size_t)k->sys->nq * sizeof(double));
    k->stale = false;
    return st;
}

// ---- Newton --------------------------------------------------------------------------------------------------------------

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

// rhs := solution of the last matrix, in the units of the model.
static void solve(tmli_kernel *k)
{
    const int n = k->sys->n + k->sys->m;
    const bool scaled = k->scaling != TML_SCALING_NONE;
    for (int i = 0; i < n && scaled; i++) k->rhs[i] *= k->unit[i];
    k->solver->solve(k->lin, k->rhs);
    for (int i = 0; i < n && scaled; i++) k->rhs[i] *= k->unit[i];
}

// (4); v: (m)
static void carry(const tmli_kernel *k, const double *q0, const double *q1, double *v)
{
    const tml_system *s = k->sys;
    if (s->ops->carry && k->scaling != TML_SCALING_NONE) s->ops->carry(s->self, q0, q1, v);
}

// phi (m) := (2) at time t; phi holds Phi.
static tml_status damp(tmli_kernel *k, const tml_state *x0, const double *D, double t, double *phi, tml_error *err)
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
    tml_status st = s->ops->residual(s->self, k->work, x, k->augment > 0 ? k->p : NULL, k->residual, phi, err);
    return st == TML_OK ? damp(k, x0, D, x->t, phi, err) : st;
}

// One correction at x; returns its size in length units (largest over the unknowns).
static tml_status correct(tmli_kernel *k, const tml_state *x0, double *D, tml_state *x, double *size,
                          tml_error *err)
{
    const tml_system *s = k->sys;
    const bool scaled = k->scaling != TML_SCALING_NONE;
    tml_status st = evaluate(k, x0, D, x, err);
    if (st != TML_OK) return st;
    memcpy(k->q_now, x->q, (size_t)s->nq * sizeof(double));
    carry(k, k->q_now, k->q_factor, k->residual + s->n);
    for (int j = 0; j < s->n; j++) k->rhs[j] = -k->motion * k->residual[j];  // (1)
    for (int r = 0; r < s->m; r++) k->rhs[s->n + r] = -k->row[r] * k->residual[s->n + r];
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
    for (int j = 0; j < s->n; j++) D[j] += k->rhs[j];
    if (k->stage.follow) {
        k->stage.follow(k->stage.user, D, k->rhs, x);
    } else {
        for (int j = 0; j < s->n; j++) {
            x->u[j] += k->stage.a1 * k->rhs[j];
            x->udot[j] += k->stage.a0 * k->rhs[j];
        }
    }
    for (int r = 0; r < s->m; r++) k->dphi[r] = k->column[r] * k->rhs[s->n + r];
    carry(k, k->q_factor, k->q_now, k->dphi);
    for (int r = 0; r < s->m; r++) x->lambda[r] += k->dphi[r];
    move(k, x0, D, x);
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

tml_status tmli_kernel_solve(tmli_kernel *k, const tml_state *x0, const tmli_stage *stage, double feedback,
                             double tol, double *D, tml_state *x, tml_error *err)
{
    const size_t n = (size_t)k->sys->n;
    k->stage = *stage;
    k->start = x0;
    k->feedback = k->sys->ops->increment && k->scaling != TML_SCALING_NONE ? feedback : 1;
    // without scaling M enters with a0: a new step needs a new matrix
    const bool changed = k->scaling == TML_SCALING_NONE && k->factor_b != 1 / stage->a0;
    bool fresh = false;
    move(k, x0, D, x);
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
    k->stage = (tmli_stage){.a0 = a0, .a1 = a1, .theta = 1};
    return refactor(k, x, NULL, err);
}

void tmli_kernel_constrain(tmli_kernel *k, const double *y, double *d)
{
    const tml_system *s = k->sys;
    memset(k->rhs, 0, (size_t)s->n * sizeof(double));
    memcpy(k->rhs + s->n, y, (size_t)s->m * sizeof(double));
    carry(k, k->q_now, k->q_factor, k->rhs + s->n);
    for (int r = 0; r < s->m; r++) k->rhs[s->n + r] *= k->row[r];
    solve(k);
    memcpy(d, k->rhs, (size_t)s->n * sizeof(double));
}

void tmli_kernel_project(tmli_kernel *k, double *d, double *taken)
{
    const tml_system *s = k->sys;
    memset(taken, 0, (size_t)s->n * sizeof(double));
    for (int sweep = 0; sweep < 2 && s->m > 0; sweep++) {
        for (int r = 0; r < s->m; r++) {
            k->dphi[r] = 0;
            for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) k->dphi[r] += k->rows[i] * d[s->rowcol[i]];
        }
        tmli_kernel_constrain(k, k->dphi, k->part);
        for (int j = 0; j < s->n; j++) {
            d[j] -= k->part[j];
            taken[j] += k->part[j];
        }
    }
}

double tmli_kernel_condition(tmli_kernel *k)
{
    if (k->factor_b == 0 || !k->solver->rcond) return 0;
    const double rcond = k->solver->rcond(k->lin);
    return rcond > 0 ? 1 / rcond : INFINITY;
}
