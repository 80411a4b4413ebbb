// Assembly by a damped Gauss-Newton iteration on the weighted least-change problem.
//   [ W    B'r ] [ d ]     [ 0   ]      W = diag(w/unit^2), r: row unit, eps regularizes dependent rows
//   [ r B  -eps] [ y ] = - [ r Phi]
// Steps are cut so that no body turns more than half a radian, and halved until |r Phi| falls. Where they
// lead nowhere, eps grows: d = -inv(W) B'r inv(r B inv(W) B'r + eps) r Phi is then a Levenberg-Marquardt step
// towards the least sum of squares. If that is not zero, the constraints contradict each other, and its
// residuals tell which (conflict.h).
//
// A distance of points that coincide has no gradient, nor has the angle between axes that are parallel where
// they should be square: from such a start no correction leads anywhere. The bodies of these rows are nudged
// first.
//
// Rows that nearly repeat others (hinges that are not quite aligned) must not lock what they leave free, nor
// drive it far away to a place where they close: eps damps what moves along pivots below 1e-4, and such rows
// are left open in the end, by no more than what makes them differ.
#include "analysis/assembly/assembly.h"
#include "analysis/rank/dependence.h"
#include "linalg/pattern/pattern.h"
#include "model/model.h"
#include "system/multibody/multibody.h"

#include <math.h>
#include <string.h>

#include "analysis/assembly/constants.h"

typedef struct assembly {
    const tml_system *sys;
    const tml_linsolver_ops *solver;
    void *lin, *work;
    double *values, *rhs, *phi, *scratch, *best, *rows;
    double *r;          // (m) row units
    double *used;       // (m) the same, 0 for rows that are left open
    int32_t *diagonal;  // (n + m) place of the diagonal entries
    const double *weight;
    tmli_conflicts *conflicts;
} assembly;

enum { ODD_JOINTS = 8 };  // joints of the largest conflict in which the joint that is wrong is searched for

static void clear(assembly *a)
{
    if (a->lin) a->solver->destroy(a->lin);
    if (a->work) a->sys->ops->destroy_work(a->work);
    tmli_free(&a->sys->env, a->values);
    tmli_free(&a->sys->env, a->diagonal);
}

// r: one over what a row changes by when its coordinates move by a length or a radian. Rows of a model
// without a gradient are lengths of rods, or cosines.
static tml_status set_row_units(assembly *a, const tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    tml_status st = s->ops->rows(s->self, a->work, x, a->rows, err);
    for (int r = 0; r < s->m && st == TML_OK; r++) {
        double largest = 0;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++)
            largest =
                fmax(largest, fabs(a->rows[i]) *
                                  (s->kind[s->rowcol[i]] == TML_COORDINATE_TRANSLATION ? s->length : 1));
        if (tmli_conflict_is_flat(s, a->rows, r)) largest = s->length;
        a->r[r] = a->used[r] = largest > 0 ? 1 / largest : 1;
    }
    return st;
}

static tml_status prepare(assembly *a, const tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m, nnz = (size_t)tmli_pattern_nnz(s->pattern);
    const size_t entries = (size_t)s->rowptr[s->m];
    a->values = tmli_calloc(&s->env, nnz + (n + m) + 3 * m + n + (size_t)s->nq + entries + 1, sizeof(double));
    a->diagonal = tmli_calloc(&s->env, n + m, sizeof *a->diagonal);
    a->work = s->ops->create_work(s->self, &s->env);
    if (!a->values || !a->diagonal || !a->work) return tmli_no_memory(err, "assembly");
    a->rhs = a->values + nnz;
    a->phi = a->rhs + n + m;
    a->r = a->phi + m;
    a->used = a->r + m;
    a->scratch = a->used + m;
    a->best = a->scratch + n;
    a->rows = a->best + s->nq;
    for (int i = 0; i < s->n + s->m; i++) a->diagonal[i] = tmli_pattern_find(s->pattern, i, i);
    tml_status st = set_row_units(a, x, err);
    return st == TML_OK ? a->solver->create(s->pattern, &s->env, &a->lin, err) : st;
}

static tml_status factor(assembly *a, const tml_state *x, double eps, tml_error *err)
{
    const tml_system *s = a->sys;
    const tml_assembly what = {.r = a->used};
    tml_status st = s->ops->assemble(s->self, a->work, x, &what, a->values, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < s->n; j++) {
        const double unit = s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1;
        a->values[a->diagonal[j]] += (a->weight ? a->weight[j] : 1) / (unit * unit);
    }
    for (int r = 0; r < s->m; r++) a->values[a->diagonal[s->n + r]] -= a->used[r] > 0 ? eps : 1;
    st = a->solver->factor(a->lin, a->values, err);
    if (st != TML_ERR_SINGULAR || a->solver == &tml_linsolver_klu) return st;
    a->solver->destroy(a->lin);  // its fixed order does not suit: with pivots, at the cost of fill-in
    a->lin = NULL;
    a->solver = &tml_linsolver_klu;
    st = a->solver->create(s->pattern, &s->env, &a->lin, err);
    return st == TML_OK ? a->solver->factor(a->lin, a->values, err) : st;
}

static void solve(assembly *a)
{
    const tml_system *s = a->sys;
    memset(a->rhs, 0, (size_t)s->n * sizeof(double));
    for (int r = 0; r < s->m; r++) a->rhs[s->n + r] = -a->used[r] * a->phi[r];
    a->solver->solve(a->lin, a->rhs);
}

static double size_of(const assembly *a, const double *unit)
{
    double sum = 0;
    for (int r = 0; r < a->sys->m; r++) sum += unit[r] * a->phi[r] * unit[r] * a->phi[r];
    return sqrt(sum);
}

static double step_size(const tml_system *s, const double *d)
{
    double largest = 0;
    for (int j = 0; j < s->n; j++)
        largest = fmax(largest, fabs(d[j]) / (s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1));
    return largest;
}

static tml_status measure(assembly *a, const tml_state *x, double *size, tml_error *err)
{
    const tml_system *s = a->sys;
    const tml_status st = s->ops->residual(s->self, a->work, x, NULL, a->scratch, a->phi, err);
    *size = size_of(a, a->used);
    if (st == TML_OK && !isfinite(*size))
        return tmli_fail(err, TML_ERR_NAN, "the constraints are not finite at t = %g s", x->t);
    return st;
}

// x = best (+) cut rhs
static tml_status move(assembly *a, double cut, tml_state *x, double *size, tml_error *err)
{
    const tml_system *s = a->sys;
    for (int j = 0; j < s->n; j++) a->scratch[j] = cut * a->rhs[j];
    s->ops->retract(s->self, a->best, a->scratch, x->q);
    return measure(a, x, size, err);
}

// |B'r r Phi| in units of the model
static tml_status slope(assembly *a, const tml_state *x, double *out, tml_error *err)
{
    const tml_system *s = a->sys;
    const tml_status st = s->ops->rows(s->self, a->work, x, a->rows, err);
    memset(a->scratch, 0, (size_t)s->n * sizeof(double));
    for (int r = 0; r < s->m && st == TML_OK; r++)
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++)
            a->scratch[s->rowcol[i]] += a->rows[i] * a->used[r] * a->used[r] * a->phi[r];
    double sum = 0;
    for (int j = 0; j < s->n; j++) {
        const double x_j = a->scratch[j] * (s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1);
        sum += x_j * x_j;
    }
    *out = sqrt(sum);
    return st;
}

// Down to the least sum of squares, by Levenberg and Marquardt.
static tml_status descend(assembly *a, tml_state *x, double *size, tml_error *err)
{
    const tml_system *s = a->sys;
    double eps = DESCENT_START, steep = 0;
    tml_status st = measure(a, x, size, err);
    for (int i = 0; i < MAX_DESCENT_STEPS && st == TML_OK && *size > CLOSED_RESIDUAL && eps < DESCENT_LIMIT;
         i++) {
        double next = 0;
        st = slope(a, x, &steep, err);
        if (st != TML_OK || steep < FLAT_SLOPE * *size) break;
        st = factor(a, x, eps, err);
        if (st != TML_OK) break;
        solve(a);
        const double d = step_size(s, a->rhs);
        memcpy(a->best, x->q, (size_t)s->nq * sizeof(double));
        st = move(a, d > MAX_CORRECTION ? MAX_CORRECTION / d : 1, x, &next, err);
        const bool lower = st == TML_OK && next < *size;
        if (lower) *size = next;
        else memcpy(x->q, a->best, (size_t)s->nq * sizeof(double));
        if (!lower && st == TML_OK) st = measure(a, x, &next, err);
        eps = lower ? fmax(eps / DESCENT_DIVISOR, START_REGULARIZATION) : eps * DESCENT_FACTOR;
        if (st == TML_OK && d < ZERO_CORRECTION) break;
    }
    return st;
}

// Newton's corrections, until they are done or lead nowhere.
static tml_status correct(assembly *a, double eps, tml_state *x, double *size, tml_error *err)
{
    const tml_system *s = a->sys;
    tml_status st = measure(a, x, size, err);
    for (int i = 0; i < MAX_CORRECTIONS && st == TML_OK; i++) {
        st = factor(a, x, eps, err);
        if (st != TML_OK) return st;
        solve(a);
        const double d = step_size(s, a->rhs);
        double cut = d > MAX_CORRECTION ? MAX_CORRECTION / d : 1, next = *size;
        if (d < ZERO_CORRECTION) return TML_OK;
        memcpy(a->best, x->q, (size_t)s->nq * sizeof(double));
        for (int k = 0; k < LINE_SEARCH_HALVINGS && st == TML_OK; k++, cut /= 2) {
            st = move(a, cut, x, &next, err);
            if (next <= (1 - LINE_SEARCH_DECREASE * cut) * *size || next < ZERO_RESIDUAL) break;
        }
        if (st != TML_OK) return st;
        const bool slow = eps == START_REGULARIZATION && *size < MISALIGNED_RESIDUAL &&
                          next > SLOW_DECREASE * *size;  // what is left are rows to leave open
        if (next >= *size || slow) {                     // no way down: round-off, or a dead end
            memcpy(x->q, a->best, (size_t)s->nq * sizeof(double));
            return measure(a, x, size, err);
        }
        *size = next;
    }
    return st;
}

// Leaves open the rows that repeat others at x, exactly or nearly.
static tml_status leave_open(assembly *a, const tml_state *x, bool *any, tml_error *err)
{
    const tml_system *s = a->sys;
    bool *dependent = tmli_calloc(&s->env, (size_t)s->m + 1, sizeof *dependent);
    if (!dependent) return tmli_no_memory(err, "assembly");
    const tml_status st = tmli_dependent_rows(s, a->work, x, dependent, any, err);
    for (int r = 0; r < s->m && st == TML_OK; r++)
        if (dependent[r]) a->used[r] = 0;
    tmli_free(&s->env, dependent);
    return st;
}

static tml_status not_finite(const assembly *a, const tml_state *x, int row, tml_error *err)
{
    const tml_model *model = tmli_mb_model(a->sys);
    char name[160];
    if (!model)
        return tmli_fail(err, TML_ERR_NAN, "the velocity prescribed by %s is not finite at t = %g s",
                         a->sys->row_name(a->sys, row, name, sizeof name), x->t);
    const tmli_constraint *c = &model->constraint[model->row_owner[row]];
    return tmli_fail_at(err, TML_ERR_NAN, c->at,
                        "joint '%s' prescribes a velocity that is not finite at t = %g s; its motion must "
                        "start with a finite rate",
                        c->name, x->t);
}

// Onto B u = nu, by a few corrections; phi becomes what is left of it, *scale the size of what it is made of.
static tml_status correct_velocities(assembly *a, tml_state *x, double *scale, tml_error *err)
{
    const tml_system *s = a->sys;
    *scale = 1;
    for (int j = 0; j < s->n; j++)
        *scale = fmax(*scale, fabs(x->u[j]) / (s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1));
    tml_status st = factor(a, x, FINAL_REGULARIZATION, err);
    for (int i = 0; i < VELOCITY_CORRECTIONS && st == TML_OK; i++) {
        st = s->ops->velocity(s->self, a->work, x, a->phi, err);
        if (st != TML_OK) return st;
        for (int r = 0; r < s->m; r++) {
            if (!isfinite(a->phi[r])) return not_finite(a, x, r, err);
            *scale = fmax(*scale, a->r[r] * fabs(a->phi[r]));
        }
        solve(a);
        for (int j = 0; j < s->n; j++) x->u[j] += a->rhs[j];
    }
    return st == TML_OK ? s->ops->velocity(s->self, a->work, x, a->phi, err) : st;
}

// ---- conflicts --------------------------------------------------------------------------------------------

static bool is_of(const tml_model *model, const tmli_conflict *m, int row)
{
    return model ? model->row_owner[row] == m->joint : row == m->row;
}

// *left: |r Phi|, or that of the velocities, where the sum of squares is least without the rows of member m.
// y: scratch.
static tml_status size_without(assembly *a, const tmli_conflict *m, const tml_state *x, bool rate,
                               tml_state *y, double *left, tml_error *err)
{
    const tml_model *model = tmli_mb_model(a->sys);
    double scale;
    tml_state_copy(y, x);
    for (int r = 0; r < a->sys->m; r++) a->used[r] = is_of(model, m, r) ? 0 : a->r[r];
    const tml_status st = rate ? correct_velocities(a, y, &scale, err) : descend(a, y, left, err);
    *left = size_of(a, a->used);
    return st;
}

// The one joint of a group of three or more without which the others agree: it is the one that is wrong. If
// there are several such joints, or none, all are equal. total: |r Phi| at x.
static tml_status find_odd(assembly *a, const tml_state *x, tmli_conflicts *c, int group, double total,
                           tml_state *y, tml_error *err)
{
    int odd = -1, candidates = 0, at[ODD_JOINTS + 1];
    double own = 0;
    const int joints = tmli_conflict_joints(c, group, at, ODD_JOINTS + 1);
    tml_status st = TML_OK;
    if (joints < 3 || joints > ODD_JOINTS) return TML_OK;
    for (int i = 0; i < c->count; i++)
        if (c->list[i].group == group) own += c->list[i].size * c->list[i].size;
    const double others = fmax(0, total * total - own);  // of other groups: that stays
    for (int i = 0; i < joints && st == TML_OK; i++) {
        double left = 0;
        st = size_without(a, &c->list[at[i]], x, c->rate, y, &left, err);
        if (!(left * left - others < AGREEMENT * AGREEMENT * own)) continue;
        candidates++;
        odd = at[i];
    }
    if (candidates != 1 || st != TML_OK) return st;
    double left;
    st = size_without(a, &c->list[odd], x, c->rate, y, &left, err);  // its own rows there tell by how much
    if (st == TML_OK) st = a->sys->ops->rows(a->sys->self, a->work, y, a->rows, err);
    if (st == TML_OK) tmli_conflict_set_odd(a->sys, c, odd, a->phi, a->rows);
    return st;
}

// Residuals phi at x have the least sum of squares: who contradicts whom. The caller clears *found.
static tml_status find_conflicts(assembly *a, const tml_state *x, bool rate, tmli_conflicts *found,
                                 tml_error *err)
{
    const tml_system *s = a->sys;
    tml_state *y = NULL;
    const double total = size_of(a, a->r);
    tml_status st = s->ops->rows(s->self, a->work, x, a->rows, err);
    if (st == TML_OK) st = tmli_conflicts_find(s, a->phi, a->r, a->rows, rate, found, err);
    if (st == TML_OK && s->n + s->m <= ODD_JOINT_SYSTEM) st = tml_state_create(s, &y, err);
    for (int g = 0; y && g < found->groups && st == TML_OK; g++) st = find_odd(a, x, found, g, total, y, err);
    tml_state_destroy(y, s);
    return st;
}

// The sentence of a failed assembly.
static tml_status report(assembly *a, const tml_state *x, bool rate, tml_error *err)
{
    const tml_system *s = a->sys;
    tmli_conflicts found = {0};
    char text[900];
    tml_status st = find_conflicts(a, x, rate, &found, err);
    if (st == TML_OK) {
        tmli_conflicts_text(s, &found, text, sizeof text);
        st =
            tmli_fail(err, TML_ERR_ASSEMBLY, "the mechanism cannot be assembled at t = %g s: %s", x->t, text);
    }
    if (a->conflicts && st == TML_ERR_ASSEMBLY) *a->conflicts = found;
    else tmli_conflicts_clear(&found);
    return st;
}

// ---- positions and velocities -----------------------------------------------------------------------------

// Moves what rows without a gradient act on, unless they are fulfilled: the way that their points are apart,
// however little, else a way without meaning, the same on every machine.
static tml_status nudge(assembly *a, tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    double size = 0, *d = a->rhs;
    bool any = false;
    tml_status st = measure(a, x, &size, err);
    memset(d, 0, (size_t)s->n * sizeof *d);
    for (int r = 0; r < s->m && st == TML_OK; r++) {
        double largest = 0;
        if (!tmli_conflict_is_flat(s, a->rows, r) || a->r[r] * fabs(a->phi[r]) <= CLOSED_RESIDUAL) continue;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) largest = fmax(largest, fabs(a->rows[i]));
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) {
            const int j = s->rowcol[i];
            const double unit = s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1;
            const double way = largest > ZERO_GRADIENT ? a->rows[i] / largest : sin(1.7 + 2.39996 * j);
            d[j] = NUDGE * unit * way / (a->weight ? a->weight[j] : 1);
            any = true;
        }
    }
    if (!any || st != TML_OK) return st;
    memcpy(a->best, x->q, (size_t)s->nq * sizeof(double));
    return move(a, 1, x, &size, err);
}

static tml_status positions(assembly *a, tml_state *x, tml_error *err)
{
    double size = 0;
    bool any = false;
    tml_status st = nudge(a, x, err);
    if (st == TML_OK) st = correct(a, START_REGULARIZATION, x, &size, err);
    if (st == TML_OK && size > MISALIGNED_RESIDUAL) st = descend(a, x, &size, err);
    if (st == TML_OK && size > MISALIGNED_RESIDUAL) return report(a, x, false, err);
    if (st == TML_OK) st = leave_open(a, x, &any, err);
    if (st == TML_OK && (any || size > CLOSED_RESIDUAL)) st = correct(a, FINAL_REGULARIZATION, x, &size, err);
    if (st != TML_OK || (size <= CLOSED_RESIDUAL && size_of(a, a->r) <= MISALIGNED_RESIDUAL)) return st;
    memcpy(a->used, a->r,
           (size_t)a->sys->m * sizeof(double));  // who contradicts whom is told by all rows alike
    st = descend(a, x, &size, err);
    return st == TML_OK ? report(a, x, false, err) : st;
}

static tml_status velocities(assembly *a, tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    double scale = 1;
    tml_status st = correct_velocities(a, x, &scale, err);
    if (st != TML_OK ||
        (size_of(a, a->used) <= CLOSED_VELOCITY * scale && size_of(a, a->r) <= MISALIGNED_RESIDUAL * scale))
        return st;
    memcpy(a->used, a->r,
           (size_t)s->m * sizeof(double));  // what all rows make of it together tells the conflict
    st = correct_velocities(a, x, &scale, err);
    return st == TML_OK ? report(a, x, true, err) : st;
}

tml_status tmli_assemble(const tml_system *sys, const double *weight, tml_state *x, double *moved,
                         tmli_conflicts *conflicts, tml_error *err)
{
    if (conflicts) *conflicts = (tmli_conflicts){0};
    if (moved) *moved = 0;
    if (sys->m == 0) return TML_OK;
    assembly a = {.sys = sys, .solver = &tml_linsolver_block, .weight = weight, .conflicts = conflicts};
    double *start = tmli_calloc(&sys->env, (size_t)sys->nq, sizeof *start);
    tml_status st = start ? prepare(&a, x, err) : tmli_no_memory(err, "assembly");
    if (st == TML_OK) {
        memcpy(start, x->q, (size_t)sys->nq * sizeof(double));
        st = positions(&a, x, err);
    }
    if (st == TML_OK) st = velocities(&a, x, err);
    if (st == TML_OK && moved) {
        sys->ops->local(sys->self, start, x->q, a.scratch);
        *moved = step_size(sys, a.scratch);
    }
    clear(&a);
    tmli_free(&sys->env, start);
    return st;
}

tml_status tmli_assembly_gaps(const tml_system *sys, const tml_state *x, char *buf, size_t size,
                              tml_error *err)
{
    assembly a = {.sys = sys, .solver = &tml_linsolver_block};
    tmli_conflicts found = {0};
    tml_state *y = NULL;
    double open = 0;
    tml_status st = tml_state_create(sys, &y, err);
    if (st == TML_OK) {
        tml_state_copy(y, x);
        st = prepare(&a, y, err);
    }
    if (st == TML_OK) st = descend(&a, y, &open, err);
    if (st == TML_OK) st = find_conflicts(&a, y, false, &found, err);
    if (st == TML_OK) tmli_conflicts_text(sys, &found, buf, size);
    tmli_conflicts_clear(&found);
    tml_state_destroy(y, sys);
    clear(&a);
    return st;
}

bool tmli_assembly_weights(const tml_model *model, double **weight)
{
    const tml_system *s = tml_model_system(model);
    double *w = tmli_calloc(&s->env, (size_t)s->n, sizeof *w);
    for (int j = 0; w && j < s->n; j++) w[j] = model->node[s->node[j]].fixed_at_start ? FIXED_BODY_WEIGHT : 1;
    *weight = w;
    return w != NULL;
}
