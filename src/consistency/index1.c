// The index-1 matrix: equations of motion with constraints at acceleration level; see index1.h.
#include "consistency/index1.h"
#include "consistency/scaling.h"
#include "linalg/pattern/pattern.h"
#include "linalg/solver/archive.h"
#include "system/active_rows/active_rows.h"
#include "system/state/fields.h"
#include "system/state/first_order.h"
#include "system/state/inactive.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "consistency/constants.h"
#include "consistency/tolerances.h"

struct tmli_index1_memory {
    int users;
    const tml_system *sys;  // `work` is of this system, which may be gone
    void (*destroy_work)(void *work);
    const tml_linsolver_ops *solver;
    void *lin, *work;
    double *values;           // and all other scratch
    const tmli_index1 *last;  // whose matrix is factored; NULL: none
};

static const tmli_fields FIELDS = {
    "index1", offsetof(tmli_index1, own),
    (const tmli_span[]){TMLI_NUMBERS(tmli_index1, penalized, has_massless),
                        TMLI_NUMBERS(tmli_index1, epsilon, inertia_scale),
                        TMLI_KEPT(tmli_index1, e, last, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_index1, unit, unit, TMLI_BY_NM, 1),
                        TMLI_KEPT(tmli_index1, proximal_mass, proximal_mass, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_index1, off, off, TMLI_BY_M, 1),
                        {0}}};

static void release(tmli_index1_memory *s, const tml_env *env)
{
    if (!s || --s->users > 0) return;
    if (s->lin) s->solver->destroy(s->lin);
    if (s->work) s->destroy_work(s->work);
    tmli_free(env, s->values);
    tmli_free(env, s);
}

void tmli_index1_clear(tmli_index1 *c)
{
    if (!c->sys) return;
    const tml_env env = c->sys->env;
    if (c->own_work && c->work) c->sys->ops->destroy_work(c->work);
    if (c->memory && c->memory->last == c) c->memory->last = NULL;
    release(c->memory, &env);
    tmli_object_clear(&FIELDS, c->sys, c);
    *c = (tmli_index1){0};
}

static tml_status create_memory(tmli_index1 *c, tml_error *err)
{
    const tml_system *s = c->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m, nnz = (size_t)tmli_pattern_nnz(s->pattern);
    const size_t entries = (size_t)s->rowptr[s->m];
    tmli_index1_memory *shared = c->memory = tmli_calloc(&s->env, 1, sizeof *shared);
    if (!shared) return tmli_no_memory(err, "integrator");
    *shared =
        (tmli_index1_memory){.users = 1, .sys = s, .destroy_work = s->ops->destroy_work, .solver = c->solver};
    shared->values = tmli_calloc(&s->env, nnz + (n + m) + m + 3 * n + entries + n + m, sizeof(double));
    shared->work = s->ops->create_work(s->self, &s->env);
    if (!shared->values || !shared->work) return tmli_no_memory(err, "integrator");
    return c->solver->create(s->pattern, &s->env, &shared->lin, err);
}

// True if the unknowns, the entries of B and the solver are the same as of `shared`.
static bool can_share(const tmli_index1 *c, const tmli_index1 *shared)
{
    return shared && shared->memory && shared->solver == c->solver &&
           shared->sys->pattern == c->sys->pattern && shared->sys->rowptr == c->sys->rowptr;
}

tml_status tmli_index1_create_shared(const tml_system *sys, const tml_linsolver_ops *solver,
                                     const tmli_index1 *shared, tmli_index1 *c, tml_error *err)
{
    *c = (tmli_index1){.sys = sys, .solver = solver, .proximal_share = 1};
    const size_t n = (size_t)sys->n, m = (size_t)sys->m, nnz = (size_t)tmli_pattern_nnz(sys->pattern);
    const size_t entries = (size_t)sys->rowptr[sys->m];
    tml_status st = tmli_object_create(&FIELDS, sys, c, err);
    if (st == TML_OK && can_share(c, shared)) {
        c->memory = shared->memory;
        c->memory->users++;
    } else if (st == TML_OK) {
        st = create_memory(c, err);
    }
    if (st == TML_OK) {
        c->own_work = c->memory->sys != sys;
        c->work = c->own_work ? sys->ops->create_work(sys->self, &sys->env) : c->memory->work;
        if (!c->work) st = tmli_no_memory(err, "integrator");
    }
    if (st != TML_OK) {
        tmli_index1_clear(c);
        return st;
    }
    c->lin = c->memory->lin;
    c->values = c->memory->values;
    c->rhs = c->values + nnz;
    c->gamma = c->rhs + n + m;
    c->diagonal = c->gamma + m;
    c->B_values = c->diagonal + 3 * n;
    c->motion = c->B_values + entries;
    c->change = c->motion + n;
    return TML_OK;
}

tml_status tmli_index1_create(const tml_system *sys, const tml_linsolver_ops *solver, tmli_index1 *c,
                              tml_error *err)
{
    return tmli_index1_create_shared(sys, solver, NULL, c, err);
}

// Mean inertia of the coordinates that have any; 1 if none has. units: in units of the model.
static double mean_inertia(const tmli_index1 *c, bool units)
{
    double sum = 0;
    int count = 0;
    for (int j = 0; j < tmli_mechanical(c->sys); j++) {
        if (!(c->diagonal[j] > 0)) continue;
        sum += c->diagonal[j] * (units ? c->unit[j] * c->unit[j] : 1);
        count++;
    }
    return count ? sum / count : 1;
}

// Row factors e: the inertia that acts on each row, or the mean if none does.
static tml_status set_scales(tmli_index1 *c, const tml_state *x, tml_error *err)
{
    const tml_system *s = c->sys;
    double *dm = c->diagonal;
    tml_status st = s->ops->diagonals(s->self, c->work, x, dm, dm + s->n, dm + 2 * s->n, err);
    if (st == TML_OK) st = tmli_active_rows(s, c->work, x, c->B_values, err);
    if (st != TML_OK) return st;
    tmli_kernel_units(s, c->B_values, c->unit);
    const double mean = mean_inertia(c, false);
    c->inertia_scale = mean_inertia(c, true);
    for (int r = 0; r < s->m; r++) {
        const double unit = c->unit[s->n + r];
        c->e[r] = c->epsilon > 0 ? c->inertia_scale / (unit * unit)
                                 : tmli_scale_inertia(s, c->B_values, dm, dm, c->unit, r);
        if (c->e[r] == 0) c->e[r] = mean;
    }
    c->scaled = true;
    return TML_OK;
}

void tmli_index1_leave_out(tmli_index1 *c, const bool *left_out)
{
    c->left_out = left_out;
    c->scaled = false;
}

void tmli_index1_rows_changed(tmli_index1 *c)
{
    c->scaled = false;
    c->mass_singular = false;
}

static void add_proximal_mass(tmli_index1 *c)
{
    const tml_pattern *p = c->sys->pattern;
    for (int32_t j = 0; j < c->sys->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if (p->rowind[k] == j) c->values[k] += c->proximal_share * c->proximal_mass[j];
}

// Rows and columns of left-out rows become those of the identity.
static void eliminate_left_out(tmli_index1 *c)
{
    const tml_pattern *p = c->sys->pattern;
    const int n = c->sys->n;
    for (int32_t j = 0; j < p->n; j++) {
        const bool column = j >= n && c->left_out[j - n];
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int32_t i = p->rowind[k];
            if (column || (i >= n && c->left_out[i - n])) c->values[k] = i == j;
        }
    }
}

static void regularize(tmli_index1 *c)
{
    const tml_pattern *p = c->sys->pattern;
    for (int32_t j = c->sys->n; j < p->n; j++)
        c->values[tmli_pattern_find(p, j, j)] -= c->epsilon * c->inertia_scale;
}

static bool has_change(const tmli_index1 *c, int r)
{
    return c->row_change && c->sys->level && c->sys->level[r] == TML_LEVEL_VELOCITY;
}

// (1')
static void add_row_changes(tmli_index1 *c)
{
    const tml_system *s = c->sys;
    for (int r = 0; r < s->m; r++)
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1] && has_change(c, r); k++)
            c->values[tmli_pattern_find(s->pattern, s->n + r, s->rowcol[k])] += c->e[r] * c->row_change[k];
}

void tmli_index1_allow_massless(tmli_index1 *c) { c->allow_massless = true; }

// W: a small share of the least inertia of the same kind, for coordinates without mass. False: all have mass.
static bool set_proximal_mass(tmli_index1 *c, const tml_state *x)
{
    const tml_system *s = c->sys;
    double *dm = c->diagonal, least[2] = {INFINITY, INFINITY};
    bool any = false;
    if (s->ops->diagonals(s->self, c->work, x, dm, dm + s->n, dm + 2 * s->n, NULL) != TML_OK) return false;
    for (int j = 0; j < tmli_mechanical(s); j++)
        if (dm[j] > 0) least[s->kind[j]] = fmin(least[s->kind[j]], dm[j]);
    const double area = s->length * s->length;
    least[0] = fmin(least[0], least[1] / area);  // of translations
    if (!isfinite(least[0])) least[0] = 1;
    least[1] = fmin(least[1], least[0] * area);
    for (int j = 0; j < tmli_mechanical(s); j++) {
        c->proximal_mass[j] = dm[j] > 0 ? 0 : PROXIMAL_MASS_SHARE * least[s->kind[j]];
        any = any || !(dm[j] > 0);
    }
    return any;
}

static tml_status factor_with(tmli_index1 *c, const tml_state *x, const tml_assembly *a,
                              tml_status (*factor)(void *, const double *, tml_error *), tml_error *err);

tml_status tmli_index1_factor(tmli_index1 *c, const tml_state *x, double cd, double ck, tml_error *err)
{
    const tml_system *s = c->sys;
    const bool accelerations = cd == 0 && ck == 0;
    tml_status st = TML_OK;
    double gyration_ratio;
    if (!accelerations) {
        st = tmli_scale_rows(s, c->work, TML_SCALING_PHYSICAL, x, ck, cd, 0, c->diagonal, c->B_values,
                             c->unit, c->e, &gyration_ratio, err);
        c->scaled = false;
    } else if (!c->scaled) {
        st = set_scales(c, x, err);
    }
    for (int r = 0; r < s->m && st == TML_OK && c->left_out; r++)
        if (c->left_out[r]) c->e[r] = 0;
    if (st != TML_OK) return st;
    for (int r = 0; r < s->m && c->row_change; r++) c->penalty[r] = has_change(c, r) ? 0 : c->e[r];
    const tml_assembly a = {.cm = 1,
                            .cd = cd,
                            .ck = ck,
                            .cp = 1,
                            .r = c->e,
                            .p = c->row_change ? c->penalty : c->e,
                            .loads = !accelerations};
    if (accelerations && c->solver->factor_symmetric && !s->coupled && !c->mass_singular &&
        !(c->epsilon > 0)) {
        tml_error local = {0};
        st = factor_with(c, x, &(tml_assembly){.cm = 1, .r = c->e}, c->solver->factor_symmetric, &local);
        if (st != TML_OK && st != TML_ERR_SINGULAR && err) *err = local;
        if (st != TML_ERR_SINGULAR) return st;
        c->mass_singular = true;
    }
    tml_error local = {0};
    st = factor_with(c, x, &a, c->solver->factor, &local);
    if (st == TML_ERR_SINGULAR && accelerations && c->allow_massless && !c->has_massless &&
        set_proximal_mass(c, x)) {
        c->has_massless = true;
        if (factor_with(c, x, &a, c->solver->factor, NULL) == TML_OK) return TML_OK;
        c->has_massless = false;  // the constraints are dependent
    }
    if (st != TML_OK && err) *err = local;
    return st;
}

static tml_status factor_with(tmli_index1 *c, const tml_state *x, const tml_assembly *a,
                              tml_status (*factor)(void *, const double *, tml_error *), tml_error *err)
{
    const tml_system *s = c->sys;
    const tml_status st = tmli_active_assemble(s, c->work, x, a, c->values, err);
    if (st != TML_OK) return st;
    for (int r = 0; r < s->m; r++) c->off[r] = tmli_is_row_off(s, x, r);
    if (c->has_massless) add_proximal_mass(c);
    if (c->row_change) add_row_changes(c);
    tmli_pattern_scale(s->pattern, c->unit, c->values);
    if (c->left_out) eliminate_left_out(c);
    if (c->epsilon > 0) regularize(c);
    c->penalized = a->p != NULL;
    c->memory->last = c;
    return factor(c->lin, c->values, err);
}

void tmli_index1_solve(tmli_index1 *c, const double *a, const double *value, double *x, double *lambda)
{
    const tml_system *s = c->sys;
    const int n = s->n, m = s->m;
    assert(c->memory->last == c);
    for (int j = 0; j < n; j++) c->rhs[j] = a ? c->unit[j] * a[j] : 0;
    for (int r = 0; r < m; r++) c->rhs[n + r] = value ? c->unit[n + r] * c->e[r] * value[r] : 0;
    c->solver->solve(c->lin, c->rhs);
    for (int j = 0; j < n; j++) x[j] = c->unit[j] * c->rhs[j];
    const bool penalized = value && c->penalized;
    if (!lambda) return;
    for (int r = 0; r < m && c->row_change && penalized; r++)  // without penalty; lambda may be value
        if (has_change(c, r)) c->rhs[n + r] -= value[r] / c->unit[n + r];
    for (int r = 0; r < m; r++)
        lambda[r] = c->off[r] ? 0 : c->e[r] * (c->unit[n + r] * c->rhs[n + r] + (penalized ? value[r] : 0));
}

// One pass of (2). Needs c->gamma and overwrites it. *size: largest change of a multiplier over the largest
// multiplier, in units.
static tml_status refine(tmli_index1 *c, tml_state *x, double *size, tml_error *err)
{
    const tml_system *s = c->sys;
    const tml_status st =
        tmli_active_residual_rows(s, c->work, x, NULL, c->motion, c->change, c->B_values, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < s->n; j++) c->motion[j] = -c->motion[j];
    for (int r = 0; r < s->m; r++)
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++)
            c->gamma[r] -= c->B_values[k] * x->udot[s->rowcol[k]];
    tmli_index1_solve(c, c->motion, c->gamma, c->motion, c->change);
    double change = 0, largest = 0;
    for (int j = 0; j < s->n; j++) x->udot[j] += c->motion[j];
    for (int r = 0; r < s->m; r++) {
        x->lambda[r] += c->change[r];
        change = fmax(change, fabs(c->change[r]) * c->unit[s->n + r]);
        largest = fmax(largest, fabs(x->lambda[r]) * c->unit[s->n + r]);
    }
    *size = largest > 0 ? change / largest : 0;
    return TML_OK;
}

// The proximal iteration (2). A force on massless motion, which no acceleration can balance, changes udot by
// the same amount in every pass; that is subtracted in the end.
static tml_status iterate_proximal(tmli_index1 *c, tml_state *x, tml_error *err)
{
    double size = INFINITY, last = INFINITY;
    int passes = 0;
    for (bool more = true; more && passes < MAX_ITERATIONS; passes++) {
        tml_status st = tmli_active_dynamics(c->sys, c->work, x, c->motion, c->gamma, err);
        if (st == TML_OK) st = refine(c, x, &size, err);
        if (st != TML_OK) return st;
        more = passes == 0 || (size > TMLI_ROUNDOFF && (passes == 1 || size < TMLI_STALLED_RATE * last));
        last = size;
    }
    for (int j = 0; j < c->sys->n; j++) x->udot[j] -= passes * c->motion[j];
    return TML_OK;
}

// True if multipliers are much larger than accelerations in the last solution (c->rhs, in units): the
// accelerations have lost as many digits.
static bool needs_refinement(const tmli_index1 *c)
{
    const int n = c->sys->n, m = c->sys->m;
    double motion = 0, force = 0;
    for (int j = 0; j < tmli_mechanical(c->sys); j++) motion = fmax(motion, fabs(c->rhs[j]));
    for (int r = n; r < n + m; r++) force = fmax(force, fabs(c->rhs[r]));
    return force > REFINEMENT_RATIO * motion;
}

// A pass of the iteration on loads: largest change and largest multiplier, in units, and their ratio
typedef struct load_pass {
    double change, largest, size;
    bool swings;  // against the change of the pass before
} load_pass;

// The forces at x->lambda give udot and other multipliers; x->lambda takes the share of the way to them.
static tml_status pass_loads(tmli_index1 *c, tml_state *x, double share, load_pass *p, tml_error *err)
{
    const tml_system *s = c->sys;
    const tml_status st = tmli_active_dynamics(s, c->work, x, c->motion, c->gamma, err);
    if (st != TML_OK) return st;
    tmli_index1_solve(c, c->motion, c->gamma, x->udot, c->change);
    double change = 0, largest = 0, sum = 0;
    for (int r = 0; r < s->m; r++) {
        const double step = c->change[r] - x->lambda[r], unit = c->unit[s->n + r];
        change = fmax(change, fabs(step) * unit);
        largest = fmax(largest, fabs(c->change[r]) * unit);
        sum += step * unit * c->last[r];
        c->last[r] = step * unit;
        x->lambda[r] = share < 1 ? x->lambda[r] + share * step : c->change[r];
    }
    *p = (load_pass){change, largest, largest > 0 ? change / largest : 0, sum < 0};
    return TML_OK;
}

// x->lambda goes on as a geometric sequence of the given ratio would, from the last change on.
static void extrapolate_loads(const tmli_index1 *c, tml_state *x, double ratio)
{
    for (int r = 0; r < c->sys->m; r++)
        x->lambda[r] += c->last[r] / c->unit[c->sys->n + r] * ratio / (1 - ratio);
}

// Friction that is relieved by itself, by more than it is loaded, makes the iteration swing: a share of the
// way converges; not where rows are redundant, whose loads are not determined. Near to friction that locks
// itself it is slow, and large forces leave their round-off.
static tml_status iterate_slowly(tmli_index1 *c, tml_state *x, tml_error *err)
{
    double share = 1, first = 0, best = INFINITY, before = 0;
    const bool redundant = c->sys->selects_rows && x->inactive->count > 0;
    load_pass p = {.change = INFINITY, .size = INFINITY};
    memset(x->lambda, 0, (size_t)c->sys->m * sizeof *x->lambda);
    memset(c->last, 0, (size_t)c->sys->m * sizeof *c->last);
    for (int pass = 0, better = 0; pass < SLOW_LOAD_ITERATIONS; pass++) {
        const double last = p.change;
        const tml_status st = pass_loads(c, x, share, &p, err);
        if (st == TML_ERR_NAN && pass > 0) break;
        if (st != TML_OK) return st;
        if (pass == 0) first = p.largest;
        if (p.largest > LOADS_GROWTH * first) break;
        if (p.size < TMLI_STALLED_RATE * best) {
            best = p.size;
            better = pass;
        }
        const bool stalled = pass - better > TMLI_LOAD_ITERATIONS;
        if (p.size <= TMLI_ROUNDOFF || (p.size <= LOADS_NOISE && stalled)) {
            memcpy(x->lambda, c->change, (size_t)c->sys->m * sizeof *x->lambda);
            return needs_refinement(c) ? refine(c, x, &p.size, err) : TML_OK;
        }
        if (stalled) break;
        const double ratio = p.change / last;
        const bool diverges = p.swings && ratio > TMLI_STALLED_RATE;
        if (diverges && redundant) break;
        if (diverges) share /= 2;
        else if (share == 1 && ratio < 1 && pass % LOADS_EXTRAPOLATED == LOADS_EXTRAPOLATED - 1 &&
                 fabs(ratio - before) < LOADS_STEADY * (1 - ratio))
            extrapolate_loads(c, x, ratio);
        before = ratio;
    }
    memset(x->lambda, 0, (size_t)c->sys->m * sizeof *x->lambda);  // the next solution begins anew
    return tmli_fail(err, TML_RETRY,
                     "friction that is loaded by reactions has no solution at t = %g s that iteration finds "
                     "(last change of the reactions %.2g): it is so large that it locks itself",
                     x->t, p.size);
}

// f depends on lambda: fixed-point iteration, which a friction that is not self-locking contracts.
static tml_status iterate_loads(tmli_index1 *c, tml_state *x, tml_error *err)
{
    double last = INFINITY;
    load_pass p = {0};
    for (int pass = 0; pass < TMLI_LOAD_ITERATIONS; pass++) {
        const tml_status st = pass_loads(c, x, 1, &p, err);
        if (st == TML_ERR_NAN && pass > 0) break;  // the multipliers have grown without end
        if (st != TML_OK) return st;
        if (p.size <= TMLI_ROUNDOFF || (p.size <= LOADS_STALLED && p.size > TMLI_STALLED_RATE * last))
            return needs_refinement(c) ? refine(c, x, &p.size, err) : TML_OK;
        last = p.size;
    }
    return iterate_slowly(c, x, err);
}

// Passes of (2) with W = 0 by a matrix of another configuration. The first solution is wrong by a share e of
// it, which each pass multiplies by e again: the change of a pass is e times that of the one before.
static tml_status refine_to_roundoff(tmli_index1 *c, tml_state *x, tml_error *err)
{
    double size = 1, last;
    int passes = 0;
    do {
        last = size;
        const tml_status st = refine(c, x, &size, err);
        if (st != TML_OK) return st;
        if (size * (size / last) <= TMLI_ROUNDOFF || ++passes == MAX_ITERATIONS) return TML_OK;
        const tml_status again = tmli_active_dynamics(c->sys, c->work, x, c->motion, c->gamma, err);
        if (again != TML_OK) return again;
    } while (size < TMLI_STALLED_RATE * last);
    return TML_OK;
}

tml_status tmli_index1_accelerations(tmli_index1 *c, tml_state *x, bool nearby, tml_error *err)
{
    const tml_system *s = c->sys;
    for (int r = 0; r < s->m; r++)
        if (tmli_is_row_off(s, x, r)) x->lambda[r] = 0;
    if (c->has_massless) return iterate_proximal(c, x, err);
    if (s->loads) return iterate_loads(c, x, err);
    tml_status st = tmli_active_dynamics(s, c->work, x, c->rhs, c->gamma, err);
    if (st != TML_OK) return st;
    tmli_index1_solve(c, c->rhs, c->gamma, x->udot, x->lambda);
    if (nearby) return refine_to_roundoff(c, x, err);
    double size;
    return needs_refinement(c) ? refine(c, x, &size, err) : TML_OK;
}

void tmli_index1_archive(tmli_index1 *c, tml_archive *a)
{
    tmli_object_archive(&FIELDS, c->sys, c, a);
    tml_archive_doubles(a, c->diagonal, 3 * (size_t)c->sys->n);
    tml_archive_doubles(a, c->B_values, (size_t)c->sys->rowptr[c->sys->m]);
    tmli_linsolver_archive(c->solver, c->lin, a);
    c->memory->last = c;
}
