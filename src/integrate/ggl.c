// The stabilized index-2 form of Gear, Gupta and Leimkuhler on the backward differentiation formulas of bdf.c.
//
//   W (X'~ - u) + B'mu = 0,        X'~ = T(D)(a1 D + hx), as in bdf.c (1)                (1)
//   M udot + B'lambda = f,         udot = a1 u + hu                                      (2)
//   Phi = 0,   B u = nu                                                                  (3)
//
// Positions and velocities both keep the constraints; mu is zero on the exact solution and takes up the difference of the
// two that the formulas make across the constraints, so that there is no standing error in the velocities and nothing
// jumps when step or order change: all fields are of order k. W only says in which metric positions are corrected. It is
// diagonal, the inertia of each coordinate (for a massless one what forces make of it within the step): coordinates of
// massless parts stay determined, and no second product with the mass matrix is needed.
//
// Newton's unknowns are dV (bdf.c: T(D) dD = T(u/a1) dV), dU = du/a1, dl^, dm^, all position-like; with b = 1/a1^2 and row
// scales e as in kernel.h, lambda = e/b l^, mu = a1 e m^:
//   [ W                    -W              0     B' e ] [dV ]     [ W (X'~ - u)/a1 + B'mu/a1 ]
//   [ b (K + B'pB) T       M + b a1 Dm     B' e  0    ] [dU ]     [ b (residual of motion)   ]
//   [ e B T                0               0     0    ] [dl^] = - [ e Phi                    ]                         (4)
//   [ e (B u)_q T/a1       e B             0     0    ] [dm^]     [ e (B u - nu)/a1          ]
// with unknowns interleaved (V_i, U_i), (l_r, m_r), so that it is a matrix over the graph of the model with small full
// 2 x 2 matrices for numbers (linalg/expand.h), and any solver works on it. In elimination order the pivots are W and
// M + b (..) for coordinates, and then B A^-1 B' and B W^-1 B' for multipliers.
//
// Error estimate: with the defects of bdf.c (4) on the right side, (4) gives the local errors of positions and velocities.
//
// Reference: C. W. Gear, B. Leimkuhler, G. K. Gupta, J. Comput. Appl. Math. 12-13 (1985) 77-90.
#include "integrate/bdf.h"
#include "integrate/methods.h"
#include "linalg/expand.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 10, MAX_JITTER = 4 };
// As in the kernel: refactor within a solve if that many iterations are still to come, after it if the rate was worse.
static const double FACTOR_COST[2] = {2, 1}, REFACTOR_RATE[2] = {0.2, 0.005};
// Share of a step's allowed velocity error that the iteration may use.
static const double NEWTON_SHARE = 0.1;

typedef struct ggl {
    tmli_bdf *base;
    tml_pattern *pattern;  // wide
    const tml_linsolver_ops *solver;
    void *lin;
    double *values, *part;                    // (nnz of the wide pattern), (nnz of the base)
    double *unit;                             // (n + m)
    double *wide;                             // (2 (n + m)) right side and solution
    double *W, *diagonal;                     // (n), (3 n)
    double *e, *p, *column;                   // (m) row scales, penalties, lambda = column l^
    double *mu, *phi, *phidot, *dphi, *kept;  // (m)
    double *rows, *turning;                   // (entries of B): B, (B u)_q
    double *motion, *kin;                     // (n)
    double *v;                                // (n) X'~
    double *guess;                            // (n) predicted increment
    double *q_factor, *q_now;                 // (nq) as in the kernel, (5) there
    tml_state *start;                         // predicted state
    double factor_b, rate;
    double speed;  // size of the last dU [lengths]
    bool stale;
    int iterations;
} ggl;

static ggl *of(const tmli_bdf *b) { return b->more; }

static void clear(ggl *g)
{
    if (!g) return;
    const tml_system *s = g->base->sys;
    if (g->lin) g->solver->destroy(g->lin);
    tmli_pattern_destroy(g->pattern);
    tml_state_destroy(g->start, s);
    tmli_free(&s->env, g->values);
    tmli_free(&s->env, g);
}

static void destroy(void *self)
{
    tmli_bdf *b = self;
    if (!b) return;
    clear(b->more);
    tmli_bdf_destroy(b);
}

static tml_status create_parts(tmli_bdf *b, tml_error *err)
{
    const tml_system *s = b->sys;
    ggl *g = tmli_calloc(&s->env, 1, sizeof *g);
    b->more = g;
    if (!g) return tmli_no_memory(err, "ggl");
    g->base = b;
    g->solver = b->opt.solver;
    g->rate = 0.1;
    tml_status st = tmli_pattern_expand(s->pattern, 2, &s->env, &g->pattern, err);
    if (st == TML_OK) st = tml_state_create(s, &g->start, err);
    if (st == TML_OK) st = g->solver->create(g->pattern, &s->env, &g->lin, err);
    if (st != TML_OK) return st;
    const size_t n = (size_t)s->n, m = (size_t)s->m, entries = (size_t)s->rowptr[s->m];
    const size_t nq = (size_t)s->nq;
    const size_t nnz = (size_t)tmli_pattern_nnz(s->pattern), wide = (size_t)tmli_pattern_nnz(g->pattern);
    g->values =
        tmli_calloc(&s->env, wide + nnz + 3 * (n + m) + 8 * n + 8 * m + 2 * entries + 2 * nq, sizeof(double));
    if (!g->values) return tmli_no_memory(err, "ggl");
    double *at = g->values + wide;
    const struct {
        double **to;
        size_t size;
    } part[] = {{&g->part, nnz},
                {&g->unit, n + m},
                {&g->wide, 2 * (n + m)},
                {&g->W, n},
                {&g->diagonal, 3 * n},
                {&g->motion, n},
                {&g->kin, n},
                {&g->v, n},
                {&g->guess, n},
                {&g->e, m},
                {&g->p, m},
                {&g->column, m},
                {&g->mu, m},
                {&g->phi, m},
                {&g->phidot, m},
                {&g->dphi, m},
                {&g->kept, m},
                {&g->rows, entries},
                {&g->turning, entries},
                {&g->q_factor, nq},
                {&g->q_now, nq}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i].to = at;
        at += part[i].size;
    }
    return TML_OK;
}

// ---- matrix --------------------------------------------------------------------------------------------------------------

// W, units, row scales, penalties for the current a1 at x.
static tml_status rescale(tmli_bdf *b, const tml_state *x, tml_error *err)
{
    ggl *g = of(b);
    const tml_system *s = b->sys;
    const double bb = 1 / (b->a1 * b->a1);
    double *dm = g->diagonal, *dd = dm + s->n, *dk = dd + s->n, mean[2] = {0};
    int count[2] = {0};
    tml_status st = s->ops->diagonals(s->self, b->kernel.work, x, dm, dd, dk, err);
    if (st == TML_OK) st = s->ops->rows(s->self, b->kernel.work, x, g->rows, err);
    if (st != TML_OK) return st;
    tmli_kernel_units(s, g->rows, g->unit);
    for (int j = 0; j < s->n; j++) {
        const double A = dm[j] + dd[j] / b->a1 + bb * dk[j];
        g->W[j] = dm[j] > 0 ? dm[j] : A;
        dk[j] = A;
        if (!(A > 0)) continue;
        mean[s->kind[j]] += A;
        count[s->kind[j]]++;
    }
    for (int i = 0; i < 2; i++) mean[i] = count[i] ? mean[i] / count[i] : 0;
    if (mean[0] == 0) mean[0] = mean[1] > 0 ? mean[1] / (s->length * s->length) : 1;
    if (mean[1] == 0) mean[1] = mean[0] * s->length * s->length;
    for (int j = 0; j < s->n; j++)
        if (!(g->W[j] > 0)) g->W[j] = mean[s->kind[j]];
    const bool scaled = b->opt.scaling != TML_SCALING_NONE;
    for (int r = 0; r < s->m; r++) {
        double sum = 0;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++)
            if (dm[s->rowcol[i]] > 0) sum += g->rows[i] * g->rows[i] / dk[s->rowcol[i]];
        g->e[r] = !scaled ? 1 : sum > 0 ? 1 / sum : mean[1] / (g->unit[s->n + r] * g->unit[s->n + r]);
    }
    return TML_OK;
}

// Multiplier factors and penalties for the current a1.
static void set_factors(tmli_bdf *b)
{
    ggl *g = of(b);
    for (int r = 0; r < b->sys->m; r++) {
        g->column[r] = g->e[r] * b->a1 * b->a1;
        g->p[r] = b->opt.augment * g->column[r];
    }
}

// Add `factor` times the base matrix in g->part to the places (row part, column part) of the wide one, for entries with rows in
// [r0, r1) and columns in [c0, c1).
static void add_part(ggl *g, int r0, int r1, int c0, int c1, int a, int b, double factor)
{
    const tml_pattern *base = g->base->sys->pattern;
    for (int col = c0; col < c1; col++)
        for (int i = base->colptr[col]; i < base->colptr[col + 1]; i++)
            if (base->rowind[i] >= r0 && base->rowind[i] < r1)
                g->values[tmli_pattern_expand_at(base, g->pattern, 2, col, i, a, b)] += factor * g->part[i];
}

// e (B u)_q T/a1 into the rows of the velocity constraints; T(lean) matters there in third order only and is left out.
static tml_status add_turning(ggl *g, const tml_state *x, tml_error *err)
{
    const tmli_bdf *b = g->base;
    const tml_system *s = b->sys;
    tml_status st = s->ops->rows_times(s->self, b->kernel.work, x, x->u, g->turning, err);
    for (int r = 0; r < s->m && st == TML_OK; r++)
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) {
            const int col = s->rowcol[i], at = tmli_pattern_find(g->pattern, 2 * (s->n + r) + 1, 2 * col);
            g->values[at] += g->e[r] * g->turning[i] / b->a1;
        }
    return st;
}

// (B'mu)_q T/a1 in the rows of (1), as the difference that mu makes to b K T, which is in g->part. It matters only at steps
// too large for accuracy, such as fixed ones may be.
static tml_status add_stress(tmli_bdf *b, const tml_state *x, const tml_assembly *stiff, tml_error *err)
{
    ggl *g = of(b);
    const tml_system *s = b->sys;
    tml_state_copy(b->probe, x);
    for (int r = 0; r < s->m; r++) b->probe->lambda[r] += g->mu[r];
    add_part(g, 0, s->n, 0, s->n, 0, 0, -b->a1);
    tml_status st = s->ops->assemble(s->self, b->kernel.work, b->probe, stiff, g->part, err);
    if (st == TML_OK) add_part(g, 0, s->n, 0, s->n, 0, 0, b->a1);
    return st;
}

static tml_status factor(tmli_bdf *b, const tml_state *x, tml_error *err)
{
    ggl *g = of(b);
    const tml_system *s = b->sys;
    const int n = s->n, N = n + s->m;
    const double bb = 1 / (b->a1 * b->a1);
    const double *lean = b->flat ? NULL : b->lean;
    tml_status st = rescale(b, x, err);
    if (st != TML_OK) return st;
    set_factors(b);
    memset(g->values, 0, (size_t)tmli_pattern_nnz(g->pattern) * sizeof(double));
    const tml_assembly stiff = {.ck = bb, .cp = bb, .r = g->e, .p = g->p, .increment = lean};
    const tml_assembly heavy = {.cm = 1, .cd = 1 / b->a1, .r = g->e};
    st = s->ops->assemble(s->self, b->kernel.work, x, &stiff, g->part, err);
    if (st != TML_OK) return st;
    add_part(g, 0, n, 0, n, 1, 0, 1);  // b K T
    add_part(g, n, N, 0, n, 0, 0, 1);  // e B T
    if (b->opt.fixed_step) st = add_stress(b, x, &stiff, err);
    if (st != TML_OK) return st;
    st = s->ops->assemble(s->self, b->kernel.work, x, &heavy, g->part, err);
    if (st != TML_OK) return st;
    add_part(g, 0, n, 0, n, 1, 1, 1);  // M + b a1 D
    add_part(g, n, N, 0, n, 1, 1, 1);  // e B
    add_part(g, 0, n, n, N, 1, 0, 1);  // B' e of lambda
    add_part(g, 0, n, n, N, 0, 1, 1);  // B' e of mu
    for (int j = 0; j < n; j++) {
        g->values[tmli_pattern_find(g->pattern, 2 * j, 2 * j)] += g->W[j];
        g->values[tmli_pattern_find(g->pattern, 2 * j, 2 * j + 1)] -= g->W[j];
    }
    st = add_turning(g, x, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < N; i++) g->wide[2 * i] = g->wide[2 * i + 1] = g->unit[i];
    tmli_pattern_scale(g->pattern, g->wide, g->values);
    st = g->solver->factor(g->lin, g->values, err);
    b->count.factorizations++;
    g->factor_b = st == TML_OK ? bb : 0;
    memcpy(g->q_factor, x->q, (size_t)s->nq * sizeof(double));
    g->stale = false;
    return st;
}

static void solve_wide(ggl *g)
{
    const int N = g->base->sys->n + g->base->sys->m;
    for (int i = 0; i < 2 * N; i++) g->wide[i] *= g->unit[i / 2];
    g->solver->solve(g->lin, g->wide);
    for (int i = 0; i < 2 * N; i++) g->wide[i] *= g->unit[i / 2];
}

// ---- Newton --------------------------------------------------------------------------------------------------------------

// v (m) from the frames that rows have at q0 to those at q1.
static void carry(const ggl *g, const double *q0, const double *q1, double *v)
{
    const tml_system *s = g->base->sys;
    if (s->ops->carry && g->base->opt.scaling != TML_SCALING_NONE) s->ops->carry(s->self, q0, q1, v);
}

// Right side of (4) at D, x.
static tml_status evaluate(tmli_bdf *b, double feedback, const double *D, const tml_state *x, tml_error *err)
{
    ggl *g = of(b);
    const tml_system *s = b->sys;
    b->count.residuals++;
    tml_status st =
        s->ops->residual(s->self, b->kernel.work, x, b->opt.augment > 0 ? g->p : NULL, g->motion, g->phi, err);
    if (st == TML_OK) st = s->ops->velocity(s->self, b->kernel.work, x, g->phidot, err);
    if (st == TML_OK) st = s->ops->rows(s->self, b->kernel.work, x, g->rows, err);
    if (st == TML_OK && feedback < 1)
        st = s->ops->increment(s->self, b->kernel.work, b->x, D, x->t, g->dphi, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < s->n; j++) g->kin[j] = g->W[j] * (g->v[j] - x->u[j]);
    for (int r = 0; r < s->m; r++) {
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) g->kin[s->rowcol[i]] += g->rows[i] * g->mu[r];
        const double used = feedback < 1 ? (1 - feedback) * g->dphi[r] + feedback * g->phi[r] : g->phi[r];
        g->kept[r] = g->phi[r] - used;
        g->dphi[r] = used;
    }
    memcpy(g->q_now, x->q, (size_t)s->nq * sizeof(double));
    carry(g, g->q_now, g->q_factor, g->dphi);
    carry(g, g->q_now, g->q_factor, g->phidot);
    for (int r = 0; r < s->m; r++) {
        g->wide[2 * (s->n + r)] = -g->e[r] * g->dphi[r];
        g->wide[2 * (s->n + r) + 1] = -g->e[r] * g->phidot[r] / b->a1;
    }
    for (int j = 0; j < s->n; j++) {
        g->wide[2 * j] = -g->kin[j] / b->a1;
        g->wide[2 * j + 1] = -g->motion[j] / (b->a1 * b->a1);
    }
    return TML_OK;
}

// X'~ = a1 D + turned
static void set_velocity(tmli_bdf *b, const double *D)
{
    tmli_bdf_turned(b, D, b->turned);
    for (int j = 0; j < b->sys->n; j++) of(b)->v[j] = b->a1 * D[j] + b->turned[j];
}

// One correction; size: in lengths; excess: over what the iteration may leave, tol lengths and a share of the velocities'.
static tml_status correct(tmli_bdf *b, double feedback, double tol, double *D, tml_state *x, double *size,
                          double *excess, tml_error *err)
{
    ggl *g = of(b);
    const tml_system *s = b->sys;
    tml_status st = evaluate(b, feedback, D, x, err);
    if (st != TML_OK) return st;
    solve_wide(g);
    const double share = NEWTON_SHARE * tmli_weights_budget(&b->weights, b->h_trial);
    double *dD = b->ex;
    *size = *excess = g->speed = 0;
    for (int j = 0; j < s->n; j++) {
        const double unit = g->unit[j], dU = g->wide[2 * j + 1];
        dD[j] = g->wide[2 * j];
        const double c = fmax(fabs(dD[j]), fabs(dU)) / unit;
        if (!(c <= *size)) *size = c;  // NaN sticks
        *excess = fmax(*excess, c / tol);
        g->speed = fmax(g->speed, fabs(dU) / unit);
        if (!b->opt.fixed_step)
            *excess = fmax(*excess, b->a1 * (fabs(dU) - 2 * b->grain * unit) /
                                        (share * tmli_weights_velocity(&b->weights, j)));
    }
    if (!isfinite(*size))
        return tmli_fail(err, TML_RETRY, "a Newton correction is not finite at t = %g s", x->t);
    if (!b->flat) tmli_bdf_turn(b, D, dD);
    for (int j = 0; j < s->n; j++) {
        D[j] += dD[j];
        x->u[j] += b->a1 * g->wide[2 * j + 1];
        x->udot[j] += b->a1 * b->a1 * g->wide[2 * j + 1];
    }
    for (int r = 0; r < s->m; r++) {
        g->dphi[r] = g->column[r] * g->wide[2 * (s->n + r)];
        g->phidot[r] = b->a1 * g->e[r] * g->wide[2 * (s->n + r) + 1];
    }
    carry(g, g->q_factor, g->q_now, g->dphi);
    carry(g, g->q_factor, g->q_now, g->phidot);
    for (int r = 0; r < s->m; r++) {
        x->lambda[r] += g->dphi[r];
        g->mu[r] += g->phidot[r];
    }
    s->ops->retract(s->self, b->x->q, D, x->q);
    set_velocity(b, D);
    return TML_OK;
}

static tml_status iterate(tmli_bdf *b, double feedback, double tol, double *D, tml_state *x, bool *fresh,
                          tml_error *err)
{
    ggl *g = of(b);
    const int fixed = b->opt.fixed_step;
    double last = 0, worst = 0, moved = 0;
    bool renewed = false;
    for (int j = 0; j < b->sys->n; j++) moved = fmax(moved, fabs(D[j]) / g->unit[j]);
    for (g->iterations = 1;; g->iterations++) {
        double size, excess;
        tml_status st = correct(b, feedback, tol, D, x, &size, &excess, err);
        b->count.iterations++;
        if (st != TML_OK) return st;
        const double rate = g->iterations > 1 && !renewed && last > 0 ? size / last : 0;
        if (last > 100 * b->grain) {
            g->rate = fmax(renewed ? 0 : (fixed ? 0.1 : 0.3) * g->rate, fmin(size / last, 0.9));
            worst = fmax(worst, rate);
        }
        // positions jitter by their round-off; velocities have only their own
        const double grain = fmax(b->grain * 1e-3, moved * DBL_EPSILON);
        const bool jitter =
            size < 16 * b->grain || ((rate > 0.3 || g->iterations > MAX_JITTER) && size < 4e3 * b->grain);
        const bool noise = jitter && (g->speed < 16 * grain || g->iterations > MAX_JITTER);
        if (!jitter && (rate > 2 || (g->iterations > 3 && rate > 0.9)))
            return tmli_fail(err, TML_RETRY, "Newton's corrections grow from %g to %g lengths at t = %g s",
                             last, size, x->t);
        const double left = g->rate / (1 - g->rate) * excess;
        if ((left <= 1 || noise) && g->iterations >= (fixed ? 2 : 1)) break;
        if (g->iterations == MAX_ITERATIONS)
            return tmli_fail(err, TML_RETRY,
                             "Newton stalls: correction %g lengths after %d iterations at t = %g s", size,
                             g->iterations, x->t);
        renewed = !jitter && rate > REFACTOR_RATE[fixed] / 10 &&
                  log(1 / left) / log(fmin(rate, 0.999)) > FACTOR_COST[fixed];
        if (renewed) {
            st = factor(b, x, err);
            if (st != TML_OK) return st;
            *fresh = true;
        }
        last = size;
    }
    if (g->iterations > b->count.max_iterations) b->count.max_iterations = g->iterations;
    if (g->iterations == 1) g->rate = fmin(2 * g->rate, 0.9);
    if (worst > REFACTOR_RATE[fixed]) g->stale = true;
    return TML_OK;
}

static tml_status solve(tmli_bdf *b, double h, double *D, tml_state *x, tml_error *err)
{
    ggl *g = of(b);
    const tml_system *s = b->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    double feedback;
    const double tol = fmax(tmli_bdf_tolerance(b, h, D, &feedback), b->grain);
    bool fresh = false;
    if (b->fresh) memset(g->mu, 0, m * sizeof(double));  // else that of the last step is a good guess
    s->ops->retract(s->self, b->x->q, D, x->q);
    set_velocity(b, D);
    tml_state_copy(g->start, x);
    memcpy(g->guess, D, n * sizeof(double));
    const double change = g->factor_b * b->a1 * b->a1;
    set_factors(b);
    tml_status st = TML_OK;
    if (g->factor_b == 0 || g->stale || b->fresh || change > 4 || change < 0.25) {
        st = factor(b, x, err);
        fresh = true;
    }
    if (st == TML_OK) st = iterate(b, feedback, tol, D, x, &fresh, err);
    if (st > 0 && !fresh) {
        // an old matrix did not do: again from the prediction with a new one
        tml_state_copy(x, g->start);
        memcpy(D, g->guess, n * sizeof(double));
        memset(g->mu, 0, m * sizeof(double));
        set_velocity(b, D);
        st = factor(b, x, err);
        if (st == TML_OK) st = iterate(b, feedback, tol, D, x, &fresh, err);
    }
    for (int r = 0; r < s->m && st == TML_OK; r++) x->lambda[r] += g->p[r] * g->kept[r];
    return st;
}

// ---- error estimate ------------------------------------------------------------------------------------------------------

static tml_status estimate(tmli_bdf *b, int k, int sweeps, double *error, tml_error *err)
{
    ggl *g = of(b);
    const tml_system *s = b->sys;
    const double h = b->h_trial, a1 = b->a1, share = tmli_weights_budget(&b->weights, h);
    double worst = tmli_bdf_multiplier_error(b, k);
    tmli_bdf_defects(b, k);
    for (int i = 0; i < sweeps; i++) {
        tml_status st = tmli_bdf_force(b, NULL, b->eu, 1, err);
        if (st != TML_OK) return st;
        memset(g->wide, 0, 2 * (size_t)(s->n + s->m) * sizeof(double));
        for (int j = 0; j < s->n; j++) {
            g->wide[2 * j] = -g->W[j] * b->ex[j] / a1;
            g->wide[2 * j + 1] = -b->force[j] / (a1 * a1);
        }
        solve_wide(g);
        for (int j = 0; j < s->n; j++) b->eu[j] = a1 * a1 * g->wide[2 * j + 1];
    }
    for (int j = 0; j < s->n; j++) {
        const double e = h * a1 * fabs(g->wide[2 * j]) - DBL_EPSILON * tmli_weights_unit(&b->weights, j);
        worst = fmax(worst, (h * fabs(b->eu[j]) - tmli_bdf_roundoff(b, j)) /
                                (tmli_weights_velocity(&b->weights, j) * share));
        worst = fmax(worst, e / (tmli_weights_position(&b->weights, j, b->moved) * share));
        // what mu takes up: it does not add up, but the motion between the points is off by it
        const double taken = b->ex[j] + a1 * (g->wide[2 * j] - g->wide[2 * j + 1]);
        worst = fmax(worst, fabs(taken) / tmli_weights_velocity(&b->weights, j));
    }
    *error = worst;
    return TML_OK;
}

// ---- the method ----------------------------------------------------------------------------------------------------------

static tml_status create(const tml_system *sys, const tml_integrator_options *opt, void **self, tml_error *err)
{
    *self = NULL;
    if (opt->max_order < 1 || opt->max_order > TMLI_BDF_ORDER)
        return tmli_fail(err, TML_ERR_ARG, "max_order = %d is outside of its range 1 .. %d", opt->max_order,
                         TMLI_BDF_ORDER);
    tmli_bdf *b = NULL;
    tml_status st = tmli_bdf_create(sys, opt, 1, opt->max_order, &b, err);
    if (st == TML_OK) st = create_parts(b, err);
    if (st != TML_OK) {
        destroy(b);
        return st;
    }
    b->solve = solve;
    b->refresh = factor;
    b->estimate = estimate;
    *self = b;
    return TML_OK;
}

static double condition(void *self)
{
    const ggl *g = of(self);
    if (g->factor_b == 0 || !g->solver->rcond) return 0;
    const double rcond = g->solver->rcond(g->lin);
    return rcond > 0 ? 1 / rcond : INFINITY;
}

const tml_method_ops tmli_method_ggl = {
    .name = "ggl",
    .summary = "backward differentiation, position and velocity constraints kept",
    .form = "stabilized index 2",
    .stability = "A-stable to order 2, stiffly stable to order 5",
    .citation = "Gear, Leimkuhler & Gupta 1985",
    .order = TMLI_BDF_ORDER,
    .create = create,
    TMLI_BDF_FUNCTIONS,
    .condition = condition,
    .destroy = destroy,
};
