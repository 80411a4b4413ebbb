// Assembly by a damped Gauss-Newton iteration on the weighted least-change problem.
//   [ W    B'r ] [ d ]     [ 0   ]      W = diag(w/unit^2), r: row unit, eps regularizes dependent rows
//   [ r B  -eps] [ y ] = - [ r Phi]
// Corrections are limited to a rotation of half a radian, and halved until |r Phi| decreases. If they make no
// progress, eps grows: d = -inv(W) B'r inv(r B inv(W) B'r + eps) r Phi is then a Levenberg-Marquardt step
// towards the least sum of squares. If this sum is not zero, constraints contradict each other, and the
// residuals show which (conflict.h).
//
// The distance of coincident points has no gradient, nor has the angle between parallel axes that should be
// perpendicular: no correction leads away from such a start. The bodies of these rows are displaced first.
//
// Rows that are nearly dependent (slightly misaligned hinges) must neither lock the motion that they leave
// free nor drive it to a distant configuration in which they close. eps damps motion along pivots below 1e-4.
// In the end such rows keep a residual, which is no larger than their misalignment.
#include "analysis/assembly/assembly.h"
#include "analysis/assembly/nearby.h"
#include "analysis/rank/dependence.h"
#include "linalg/pattern/pattern.h"
#include "model/model.h"
#include "system/multibody/multibody.h"
#include "system/state/units.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/assembly/constants.h"

typedef struct assembly {
    const tml_system *sys;
    const tml_linsolver_ops *solver;
    void *lin, *work;
    double *values, *rhs, *phi, *scratch, *best, *rows;
    double *r;          // (m) row units
    double *enforced;   // (m) the same, 0 for rows that are not enforced
    int32_t *diagonal;  // (n + m) indices of the diagonal entries
    const double *weight;
    tmli_conflicts *conflicts;
} assembly;

enum {
    CONFLICT_JOINTS = 8
};  // joints of the largest conflict in which the joint that is wrong is searched for

static void clear(assembly *a)
{
    if (a->lin) a->solver->destroy(a->lin);
    if (a->work) a->sys->ops->destroy_work(a->work);
    tmli_free(&a->sys->env, a->values);
    tmli_free(&a->sys->env, a->diagonal);
}

// r: inverse of the change of a row if its coordinates move by a length or a radian. Rows of a model without
// a gradient are lengths of rods, or cosines.
static tml_status set_row_units(assembly *a, const tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    tml_status st = s->ops->rows(s->self, a->work, x, a->rows, err);
    for (int r = 0; r < s->m && st == TML_OK; r++) {
        double largest = 0;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++)
            largest = fmax(largest, fabs(a->rows[i]) * tmli_coordinate_unit(s, s->rowcol[i]));
        if (tmli_conflict_is_flat(s, a->rows, r)) largest = s->length;
        a->r[r] = a->enforced[r] = largest > 0 ? 1 / largest : 1;
    }
    return st;
}

static tml_status prepare(assembly *a, const tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m, nnz = (size_t)tmli_pattern_nnz(s->pattern);
    const size_t entries = (size_t)s->rowptr[s->m];
    const bool room = tmli_calloc_block(&s->env, TMLI_ARRAY(a->values, nnz), TMLI_ARRAY(a->rhs, n + m),
                                        TMLI_ARRAY(a->phi, m), TMLI_ARRAY(a->r, m),
                                        TMLI_ARRAY(a->enforced, m), TMLI_ARRAY(a->scratch, n),
                                        TMLI_ARRAY(a->best, (size_t)s->nq), TMLI_ARRAY(a->rows, entries + 1));
    a->diagonal = tmli_calloc(&s->env, n + m, sizeof *a->diagonal);
    a->work = s->ops->create_work(s->self, &s->env);
    if (!room || !a->diagonal || !a->work) return tmli_no_memory(err, "assembly");
    for (int i = 0; i < s->n + s->m; i++) a->diagonal[i] = tmli_pattern_find(s->pattern, i, i);
    return set_row_units(a, x, err);
}

static tml_status factor(assembly *a, const tml_state *x, double eps, tml_error *err)
{
    const tml_system *s = a->sys;
    const tml_assembly what = {.r = a->enforced};
    tml_status st = s->ops->assemble(s->self, a->work, x, &what, a->values, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < s->n; j++) {
        const double unit = tmli_coordinate_unit(s, j);
        a->values[a->diagonal[j]] += (a->weight ? a->weight[j] : 1) / (unit * unit);
    }
    for (int r = 0; r < s->m; r++) a->values[a->diagonal[s->n + r]] -= a->enforced[r] > 0 ? eps : 1;
    if (!a->lin) st = a->solver->create(s->pattern, &s->env, &a->lin, err);
    if (st == TML_OK) st = a->solver->factor(a->lin, a->values, err);
    if (st != TML_ERR_SINGULAR || a->solver->pivots) return st;
    a->solver->destroy(a->lin);  // the fixed order fails: use pivoting, at the cost of fill-in
    a->lin = NULL;
    a->solver = &tml_linsolver_klu;
    st = a->solver->create(s->pattern, &s->env, &a->lin, err);
    return st == TML_OK ? a->solver->factor(a->lin, a->values, err) : st;
}

static void solve(assembly *a)
{
    const tml_system *s = a->sys;
    memset(a->rhs, 0, (size_t)s->n * sizeof(double));
    for (int r = 0; r < s->m; r++) a->rhs[s->n + r] = -a->enforced[r] * a->phi[r];
    a->solver->solve(a->lin, a->rhs);
}

static double residual_norm(const assembly *a, const double *unit)
{
    double sum = 0;
    for (int r = 0; r < a->sys->m; r++) sum += unit[r] * a->phi[r] * unit[r] * a->phi[r];
    return sqrt(sum);
}

static tml_status calc_residual(assembly *a, const tml_state *x, double *size, tml_error *err)
{
    const tml_system *s = a->sys;
    const tml_status st = s->ops->residual(s->self, a->work, x, NULL, a->scratch, a->phi, err);
    for (int r = 0; r < s->m && s->level; r++)
        if (s->level[r] == TML_LEVEL_VELOCITY) a->phi[r] = 0;
    *size = residual_norm(a, a->enforced);
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
    return calc_residual(a, x, size, err);
}

// |B'r r Phi| in units of the model
static tml_status calc_slope(assembly *a, const tml_state *x, double *out, tml_error *err)
{
    const tml_system *s = a->sys;
    const tml_status st = s->ops->rows(s->self, a->work, x, a->rows, err);
    memset(a->scratch, 0, (size_t)s->n * sizeof(double));
    for (int r = 0; r < s->m && st == TML_OK; r++)
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++)
            a->scratch[s->rowcol[i]] += a->rows[i] * a->enforced[r] * a->enforced[r] * a->phi[r];
    double sum = 0;
    for (int j = 0; j < s->n; j++) {
        const double x_j = a->scratch[j] * tmli_coordinate_unit(s, j);
        sum += x_j * x_j;
    }
    *out = sqrt(sum);
    return st;
}

// Minimize the sum of squares by Levenberg's and Marquardt's method.
static tml_status minimize_residual(assembly *a, tml_state *x, double *size, tml_error *err)
{
    const tml_system *s = a->sys;
    double eps = 1 / (DESCENT_FACTOR * DESCENT_FACTOR), steep = 0;
    tml_status st = calc_residual(a, x, size, err);
    for (int i = 0; i < MAX_ITERATIONS && st == TML_OK && *size > TMLI_AGREEMENT && eps * TMLI_ROUNDOFF < 1;
         i++) {
        double next = 0;
        st = calc_slope(a, x, &steep, err);
        if (st != TML_OK || steep < TMLI_AGREEMENT * *size) break;
        st = factor(a, x, eps, err);
        if (st != TML_OK) break;
        solve(a);
        const double d = tmli_largest_motion(s, s->n, a->rhs);
        memcpy(a->best, x->q, (size_t)s->nq * sizeof(double));
        st = move(a, d > TMLI_LARGEST_CORRECTION ? TMLI_LARGEST_CORRECTION / d : 1, x, &next, err);
        const bool lower = st == TML_OK && next < *size;
        if (lower) *size = next;
        else memcpy(x->q, a->best, (size_t)s->nq * sizeof(double));
        if (!lower && st == TML_OK) st = calc_residual(a, x, &next, err);
        eps = lower ? fmax(eps / DESCENT_FACTOR, START_REGULARIZATION) : eps * DESCENT_FACTOR;
        if (st == TML_OK && d < TMLI_ROUNDOFF) break;
    }
    return st;
}

// Newton's iteration, until it has converged or makes no progress. Nothing is factored if all rows are zero,
// except for round-off.
static tml_status correct_positions(assembly *a, double eps, tml_state *x, double *size, tml_error *err)
{
    const tml_system *s = a->sys;
    tml_status st = calc_residual(a, x, size, err);
    for (int i = 0; i < MAX_ITERATIONS && st == TML_OK && *size > ASSEMBLED_RESIDUAL; i++) {
        st = factor(a, x, eps, err);
        if (st != TML_OK) return st;
        solve(a);
        const double d = tmli_largest_motion(s, s->n, a->rhs);
        const double most = d > TMLI_LARGEST_CORRECTION ? TMLI_LARGEST_CORRECTION / d : 1;
        double next = *size;
        if (d < 64 * DBL_EPSILON) return TML_OK;  // round-off of positions
        memcpy(a->best, x->q, (size_t)s->nq * sizeof(double));
        for (double cut = most; cut > TMLI_NEARLY_DEPENDENT * most && st == TML_OK; cut /= 2) {
            st = move(a, cut, x, &next, err);
            if (next <= (1 - LINE_SEARCH_DECREASE * cut) * *size || next < TMLI_ROUNDOFF) break;
        }
        if (st != TML_OK) return st;
        const bool slow = eps == START_REGULARIZATION && *size < TMLI_NEARLY_DEPENDENT &&
                          next > TMLI_STALLED_RATE * *size;  // the residual is that of nearly dependent rows
        if (next >= *size || slow) {                         // no decrease: round-off, or a local minimum
            memcpy(x->q, a->best, (size_t)s->nq * sizeof(double));
            return calc_residual(a, x, size, err);
        }
        *size = next;
    }
    return st;
}

// Do not enforce the rows that are dependent at x, exactly or nearly.
static tml_status release_dependent_rows(assembly *a, const tml_state *x, bool *any, tml_error *err)
{
    const tml_system *s = a->sys;
    bool *dependent = tmli_calloc(&s->env, (size_t)s->m + 1, sizeof *dependent);
    if (!dependent) return tmli_no_memory(err, "assembly");
    const tml_status st = tmli_dependent_rows(s, a->work, x, dependent, any, err);
    for (int r = 0; r < s->m && st == TML_OK; r++)
        if (dependent[r]) a->enforced[r] = 0;
    tmli_free(&s->env, dependent);
    return st;
}

static tml_status fail_not_finite(const assembly *a, const tml_state *x, int row, tml_error *err)
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

// Correct u to satisfy B u = nu; phi becomes the residual, *scale the size of its terms.
static tml_status correct_velocities(assembly *a, tml_state *x, double *scale, tml_error *err)
{
    const tml_system *s = a->sys;
    *scale = 1;
    for (int j = 0; j < s->n - s->nz; j++) *scale = fmax(*scale, fabs(x->u[j]) / tmli_coordinate_unit(s, j));
    tml_status st = TML_OK;
    for (double size = INFINITY; st == TML_OK;) {
        st = s->ops->velocity(s->self, a->work, x, a->phi, err);
        if (st != TML_OK) return st;
        for (int r = 0; r < s->m; r++) {
            if (!isfinite(a->phi[r])) return fail_not_finite(a, x, r, err);
            *scale = fmax(*scale, a->r[r] * fabs(a->phi[r]));
        }
        const double last = size;
        size = residual_norm(a, a->enforced);
        // below round-off of the velocities corrections go on decreasing to the smallest numbers there are
        const double roundoff = DBL_EPSILON * *scale;
        if (size <= roundoff || size > TMLI_STALLED_RATE * last || last <= roundoff) return TML_OK;
        if (last == INFINITY) st = factor(a, x, TMLI_ROUNDOFF, err);
        if (st != TML_OK) return st;
        solve(a);
        for (int j = 0; j < s->n; j++) x->u[j] += a->rhs[j];
    }
    return st;
}

// ---- conflicts --------------------------------------------------------------------------------------------

static bool belongs_to(const tml_model *model, const tmli_conflict *m, int row)
{
    return model ? model->row_owner[row] == m->joint : row == m->row;
}

// *left: least |r Phi|, or that of the velocities, without the rows of member m. y: scratch.
static tml_status residual_without(assembly *a, const tmli_conflict *m, const tml_state *x, bool rate,
                                   tml_state *y, double *left, tml_error *err)
{
    const tml_model *model = tmli_mb_model(a->sys);
    double scale;
    tml_state_copy(y, x);
    for (int r = 0; r < a->sys->m; r++) a->enforced[r] = belongs_to(model, m, r) ? 0 : a->r[r];
    const tml_status st = rate ? correct_velocities(a, y, &scale, err) : minimize_residual(a, y, left, err);
    *left = residual_norm(a, a->enforced);
    return st;
}

// In a group of three or more joints, find the one without which the others agree: this joint is wrong. With
// several such joints, or none, no joint is singled out. total: |r Phi| at x.
static tml_status find_wrong_joint(assembly *a, const tml_state *x, tmli_conflicts *c, int group,
                                   double total, tml_state *y, tml_error *err)
{
    int odd = -1, candidates = 0, at[CONFLICT_JOINTS + 1];
    double own = 0;
    const int joints = tmli_conflict_joints(c, group, at, CONFLICT_JOINTS + 1);
    tml_status st = TML_OK;
    if (joints < 3 || joints > CONFLICT_JOINTS) return TML_OK;
    for (int i = 0; i < c->count; i++)
        if (c->list[i].group == group) own += c->list[i].size * c->list[i].size;
    const double others = fmax(0, total * total - own);  // of other groups, which do not change
    for (int i = 0; i < joints && st == TML_OK; i++) {
        double left = 0;
        st = residual_without(a, &c->list[at[i]], x, c->rate, y, &left, err);
        if (!(left * left - others < ODD_JOINT_RESIDUAL * ODD_JOINT_RESIDUAL * own)) continue;
        candidates++;
        odd = at[i];
    }
    if (candidates != 1 || st != TML_OK) return st;
    double left;
    st = residual_without(a, &c->list[odd], x, c->rate, y, &left,
                          err);  // the residual of its own rows is the gap
    if (st == TML_OK) st = a->sys->ops->rows(a->sys->self, a->work, y, a->rows, err);
    if (st == TML_OK) tmli_conflict_set_odd(a->sys, c, odd, a->phi, a->rows);
    return st;
}

// Conflicts from the residuals phi at x, whose sum of squares is at its minimum. The caller clears *found.
static tml_status find_conflicts(assembly *a, const tml_state *x, bool rate, tmli_conflicts *found,
                                 tml_error *err)
{
    const tml_system *s = a->sys;
    tml_state *y = NULL;
    const double total = residual_norm(a, a->r);
    tml_status st = s->ops->rows(s->self, a->work, x, a->rows, err);
    if (st == TML_OK) st = tmli_conflicts_find(s, a->phi, a->r, a->rows, rate, found, err);
    if (st == TML_OK && s->n + s->m <= TMLI_RANK_ROWS) st = tml_state_create(s, &y, err);
    for (int g = 0; y && g < found->groups && st == TML_OK; g++)
        st = find_wrong_joint(a, x, found, g, total, y, err);
    tml_state_destroy(y, s);
    return st;
}

// Error message of a failed assembly.
static tml_status fail_by_conflict(assembly *a, const tml_state *x, bool rate, tml_error *err)
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

// Displace the bodies of rows without a gradient unless the rows are satisfied: along the tiny gradient if
// there is one, otherwise in a pseudo-random direction, the same on every machine.
static tml_status displace_flat_rows(assembly *a, tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    double size = 0, *d = a->rhs;
    bool any = false;
    tml_status st = calc_residual(a, x, &size, err);
    memset(d, 0, (size_t)s->n * sizeof *d);
    for (int r = 0; r < s->m && st == TML_OK; r++) {
        double largest = 0;
        if (!tmli_conflict_is_flat(s, a->rows, r) || a->r[r] * fabs(a->phi[r]) <= TMLI_AGREEMENT) continue;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) largest = fmax(largest, fabs(a->rows[i]));
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) {
            const int j = s->rowcol[i];
            const double unit = tmli_coordinate_unit(s, j);
            const double direction = largest > TMLI_AGREEMENT ? a->rows[i] / largest : sin(1.7 + 2.39996 * j);
            d[j] = TMLI_NEARBY_DISTANCE * unit * direction / (a->weight ? a->weight[j] : 1);
            any = true;
        }
    }
    if (!any || st != TML_OK) return st;
    memcpy(a->best, x->q, (size_t)s->nq * sizeof(double));
    return move(a, 1, x, &size, err);
}

// Rows at velocity level are not enforced on positions.
static void release_velocity_rows(assembly *a, bool released)
{
    const tml_system *s = a->sys;
    for (int r = 0; r < s->m && s->level; r++)
        if (s->level[r] == TML_LEVEL_VELOCITY) a->enforced[r] = released ? 0 : a->r[r];
}

static tml_status assemble_positions(assembly *a, tml_state *x, tml_error *err)
{
    double size = 0;
    bool any = false;
    release_velocity_rows(a, true);
    tml_status st = displace_flat_rows(a, x, err);
    if (st == TML_OK) st = correct_positions(a, START_REGULARIZATION, x, &size, err);
    if (st == TML_OK && size > TMLI_NEARLY_DEPENDENT) st = minimize_residual(a, x, &size, err);
    if (st == TML_OK && size > TMLI_NEARLY_DEPENDENT) return fail_by_conflict(a, x, false, err);
    if (st == TML_OK) st = release_dependent_rows(a, x, &any, err);
    if (st == TML_OK && (any || size > TMLI_AGREEMENT))
        st = correct_positions(a, TMLI_ROUNDOFF, x, &size, err);
    if (st != TML_OK || (size <= TMLI_AGREEMENT && residual_norm(a, a->r) <= TMLI_NEARLY_DEPENDENT))
        return st;
    memcpy(a->enforced, a->r,
           (size_t)a->sys->m * sizeof(double));  // conflicts are found with all rows
    release_velocity_rows(a, true);
    st = minimize_residual(a, x, &size, err);
    return st == TML_OK ? fail_by_conflict(a, x, false, err) : st;
}

static tml_status assemble_velocities(assembly *a, tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    double scale = 1;
    release_velocity_rows(a, false);
    tml_status st = correct_velocities(a, x, &scale, err);
    if (st != TML_OK || (residual_norm(a, a->enforced) <= TMLI_AGREEMENT * scale &&
                         residual_norm(a, a->r) <= TMLI_NEARLY_DEPENDENT * scale))
        return st;
    memcpy(a->enforced, a->r,
           (size_t)s->m * sizeof(double));  // conflicts are found with all rows
    st = correct_velocities(a, x, &scale, err);
    return st == TML_OK ? fail_by_conflict(a, x, true, err) : st;
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
        st = assemble_positions(&a, x, err);
    }
    if (st == TML_OK) st = assemble_velocities(&a, x, err);
    if (st == TML_OK && moved) {
        sys->ops->local(sys->self, start, x->q, a.scratch);
        *moved = tmli_largest_motion(sys, sys->n, a.scratch);
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
    if (st == TML_OK) st = minimize_residual(&a, y, &open, err);
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
    for (int j = 0; w && j < s->n; j++)
        w[j] = model->node[s->node[j]].fixed_at_start ? 1 / TMLI_AGREEMENT : 1;
    *weight = w;
    return w != NULL;
}
