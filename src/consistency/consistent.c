// Projection onto the constraints and the index-1 dynamics; see consistent.h.
#include "consistency/consistent.h"
#include "system/state/accepted.h"
#include "system/state/first_order.h"
#include "system/state/move.h"
#include "system/state/units.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "consistency/constants.h"
#include "consistency/tolerances.h"

void tmli_consistent_clear(tmli_consistent *c)
{
    if (!c->sys) return;
    const tml_env env = c->sys->env;
    tmli_index1_clear(&c->matrix);
    if (c->redundant.base) tml_state_destroy(c->initial, c->redundant.base);
    tmli_redundant_rows_clear(&c->redundant);
    tmli_free_all(&env, c->always_inactive, c->d);
    *c = (tmli_consistent){0};
}

static tml_status create_redundant(const tml_system *base, tmli_consistent *c, tml_error *err)
{
    tml_status st = tmli_redundant_rows_create(base, NULL, &c->redundant, err);
    if (st == TML_OK) st = tml_state_create(base, &c->initial, err);
    c->always_inactive = tmli_calloc(&base->env, (size_t)base->m + 1, sizeof *c->always_inactive);
    if (st == TML_OK && !c->always_inactive) st = tmli_no_memory(err, "integrator");
    if (st == TML_OK) c->sys = c->redundant.system;
    return st;
}

static tml_status create(const tml_system *sys, const tml_linsolver_ops *solver, bool redundant,
                         const tmli_consistent *shared, tmli_consistent *c, tml_error *err)
{
    *c = (tmli_consistent){.sys = sys, .gap_start = NAN};
    c->d = tmli_calloc(&sys->env, (size_t)(sys->n + sys->m), sizeof(double));
    tml_status st = c->d ? TML_OK : tmli_no_memory(err, "integrator");
    if (st == TML_OK && redundant) st = create_redundant(sys, c, err);
    if (st == TML_OK)
        st = tmli_index1_create_shared(c->sys, solver, shared ? &shared->matrix : NULL, &c->matrix, err);
    if (st != TML_OK) {
        tmli_consistent_clear(c);
        return st;
    }
    c->phi = c->d + sys->n;
    tmli_index1_allow_massless(&c->matrix);
    return TML_OK;
}

tml_status tmli_consistent_create(const tml_system *sys, const tml_linsolver_ops *solver, tmli_consistent *c,
                                  tml_error *err)
{
    return create(sys, solver, false, NULL, c, err);
}

tml_status tmli_consistent_create_shared(const tml_system *sys, const tml_linsolver_ops *solver,
                                         const tmli_consistent *shared, tmli_consistent *c, tml_error *err)
{
    return create(sys, solver, false, shared, c, err);
}

tml_status tmli_consistent_create_redundant(const tml_system *sys, const tml_linsolver_ops *solver,
                                            tmli_consistent *c, tml_error *err)
{
    return create(sys, solver, sys->loops, NULL, c, err);
}

// ---- redundant rows ------------------------------------------------------------------------------------

// Make these rows (m; NULL: none) of x inactive.
static void deactivate(tmli_consistent *c, tml_state *x, const bool *inactive)
{
    tmli_inactive_set(x, inactive, NULL);
    c->inactive_count = x->inactive->count;
    tmli_index1_rows_changed(&c->matrix);
}

// The rows of the last search are redundant at every configuration.
static void set_always_inactive(tmli_consistent *c, tml_state *x)
{
    deactivate(c, x, c->redundant.choice.left_out);
    memcpy(c->always_inactive, x->inactive->row, (size_t)c->sys->m * sizeof *c->always_inactive);
    c->searched = true;
    c->near_singular = false;
}

static tml_status evaluate_positions(tmli_consistent *c, const tml_state *x, double *gap, tml_error *err);
static tml_status factor_and_project(tmli_consistent *c, tml_state *x, bool known, double *moved, double *gap,
                                     tml_error *err);

// The smallest pivot of the active rows is small. Test whether it comes from dimensional errors: without its
// rows the mechanism closes except for a gap, and the rows would close that gap by an implausibly large
// motion gap/pivot. Then they are redundant.
static tml_status search_misfitting(tmli_consistent *c, tml_state *x, tml_error *err)
{
    const double pivot = c->redundant.choice.least;
    const int rank = c->redundant.rank;
    double moved, gap = 0;
    tml_status st =
        tmli_redundant_rows_find(&c->redundant, x, TMLI_AMPLIFIED_TOLERANCE, TMLI_INACTIVE_LAST, err);
    if (st != TML_OK || c->redundant.rank == rank) return st;
    deactivate(c, x, c->redundant.choice.left_out);
    tml_state_copy(c->initial, x);
    const bool closes = factor_and_project(c, c->initial, false, &moved, &gap, NULL) == TML_OK;
    if (closes && gap > MISFIT_MOTION * pivot && gap < TMLI_NEARLY_DEPENDENT) set_always_inactive(c, x);
    return tmli_redundant_rows_set_known(&c->redundant, x, c->always_inactive, err);
}

// Largest number of independent rows. With dimensional errors it is that of the start: if the motion opens
// inactive rows, their error is amplified. If dimensions fit exactly, the motion may have left a singular
// start.
static int max_rank(const tmli_consistent *c)
{
    return c->sys->m - (c->gap_start > TMLI_EXACT_FIT ? tmli_consistent_inactive_count(c) : 0);
}

static tml_status search_redundant(tmli_consistent *c, tml_state *x, tml_error *err)
{
    const bool first = !c->searched;
    const int rank = max_rank(c);
    tmli_inactive_set(x, NULL, NULL);
    tml_status st = tmli_redundant_rows_find_built(&c->redundant, x, rank, TMLI_INACTIVE_LAST, err);
    if (st != TML_OK) return st;
    set_always_inactive(c, x);
    if (first && c->redundant.choice.least < TMLI_AMPLIFIED_TOLERANCE) st = search_misfitting(c, x, err);
    deactivate(c, x, c->redundant.choice.left_out);
    c->near_singular = false;
    return st;
}

tml_status tmli_consistent_set_known(tmli_consistent *c, tml_state *x, const bool *redundant, tml_error *err)
{
    if (!c->redundant.base || !redundant) return TML_OK;
    const tml_status st = tmli_redundant_rows_set_known(&c->redundant, x, redundant, err);
    if (st != TML_OK) return st;
    set_always_inactive(c, x);
    return evaluate_positions(c, x, &c->gap_start, err);
}

void tmli_consistent_rows_changed(tmli_consistent *c)
{
    if (c->redundant.base) c->searched = false;
}

// Search for rows with pivots below the tolerance because x is near a singular configuration. True: there
// are some, and they are inactive; or as many as before, but others, because the active rows alone are
// dependent at x.
static bool find_singular(tmli_consistent *c, tml_state *x, double tolerance)
{
    const int count = tmli_consistent_inactive_count(c), m = c->sys->m;
    if (tmli_redundant_rows_find(&c->redundant, x, tolerance, TMLI_INACTIVE_LAST, NULL) != TML_OK)
        return false;
    if (c->redundant.rank > m - count) return false;
    if (c->redundant.rank == m - count) {
        const bool *now = c->redundant.choice.left_out, *before = x->inactive->row;
        if (count == 0 || memcmp(now, before, (size_t)m * sizeof *now) == 0) return false;
        set_always_inactive(c, x);
        return true;
    }
    deactivate(c, x, c->redundant.choice.left_out);
    c->near_singular = true;
    return true;
}

// A new state: only rows that are redundant at every configuration are inactive.
static tml_status reset_inactive(tmli_consistent *c, tml_state *x, tml_error *err)
{
    if (!c->redundant.base) return TML_OK;
    if (!c->searched) return search_redundant(c, x, err);
    tmli_inactive_set(x, c->always_inactive, NULL);
    c->inactive_count = x->inactive->count;
    if (c->near_singular) tmli_index1_rows_changed(&c->matrix);
    c->near_singular = false;
    return TML_OK;
}

static tml_status factor(tmli_consistent *c, tml_state *x, tml_error *err)
{
    const tml_status st = tmli_index1_factor(&c->matrix, x, 0, 0, err);
    if (st != TML_ERR_SINGULAR || !c->redundant.base || !find_singular(c, x, TMLI_NEAR_SINGULAR)) return st;
    return tmli_index1_factor(&c->matrix, x, 0, 0, err);
}

tml_status tmli_consistent_factor(tmli_consistent *c, tml_state *x, tml_error *err)
{
    const tml_status st = reset_inactive(c, x, err);
    return st == TML_OK ? factor(c, x, err) : st;
}

// c->d := increment that removes the residual `value`
static void solve_constraint(tmli_consistent *c, const double *value)
{
    tmli_index1_solve(&c->matrix, NULL, value, c->d, NULL);
    for (int j = 0; j < c->sys->n; j++) c->d[j] = -c->d[j];
}

void tmli_consistent_constrain(tmli_consistent *c, const double *y, double *d)
{
    tmli_index1_solve(&c->matrix, NULL, y, d, NULL);
}

// c->phi = Phi at x; *gap (may be NULL): of inactive rows, in row units.
static tml_status evaluate_positions(tmli_consistent *c, const tml_state *x, double *gap, tml_error *err)
{
    const bool all_rows = gap && tmli_consistent_inactive_count(c) > 0;
    const tml_system *s = all_rows ? c->redundant.base : c->sys;
    void *work = all_rows ? c->redundant.work : c->matrix.work;
    const tml_status st = tmli_active_position(s, work, x, c->d, c->phi, err);
    if (gap) *gap = 0;
    for (int r = 0; r < s->m && s->level; r++)
        if (s->level[r] == TML_LEVEL_VELOCITY) c->phi[r] = 0;
    for (int r = 0; r < s->m && all_rows; r++) {
        if (!x->inactive->row[r]) continue;
        *gap = fmax(*gap, fabs(c->phi[r]) / c->redundant.unit[s->n + r]);
        c->phi[r] = 0;
    }
    return st;
}

// True if the residual c->phi of positions (scale 1) or velocities (scale: the largest) is round-off in row
// units.
static bool is_satisfied(const tmli_consistent *c, double scale)
{
    const double *unit = c->matrix.unit + c->sys->n;
    for (int r = 0; r < c->sys->m; r++)
        if (!(fabs(c->phi[r]) <= SATISFIED_RESIDUAL * scale * unit[r])) return false;
    return true;
}

// The matrix is that of x as given, and c->phi its residual. The error after the first correction is of the
// order of its square, over the smallest pivot, which is above TMLI_AMPLIFIED_TOLERANCE; later errors are
// estimated by the observed rate. *moved: size of the first correction [model lengths or rad]; *gap: of
// inactive rows; *converges: if not yet, then twice as fast as towards a double root, of a singular position.
static tml_status project_positions(tmli_consistent *c, tml_state *x, double *moved, double *gap,
                                    bool *converges, tml_error *err)
{
    const tml_system *s = c->sys;
    double last = INFINITY;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        const tml_status st = i > 0 ? evaluate_positions(c, x, gap, err) : TML_OK;
        if (st != TML_OK) return st;
        solve_constraint(c, c->phi);
        tmli_state_move(s, x, c->d, x);
        const double size = tmli_largest_motion(s, tmli_mechanical(s), c->d),
                     error = size * (i > 0 ? size / last : size / TMLI_AMPLIFIED_TOLERANCE);
        if (i == 0) *moved = size;
        if (error < DBL_EPSILON || (size > TMLI_STALLED_RATE * last && size < TMLI_ROUNDOFF_CORRECTION))
            return TML_OK;
        last = size;
    }
    if (last < TMLI_ROUNDOFF_CORRECTION) return TML_OK;
    *converges = last < pow(TMLI_STALLED_RATE, 2 * (MAX_ITERATIONS - 1)) * *moved;
    return tmli_fail(err, TML_RETRY,
                     "the projection of positions onto the constraints does not converge at t = %g s: last "
                     "correction %g model lengths",
                     x->t, last);
}

// Project positions onto the active rows. known: c->phi is their residual already.
static tml_status factor_and_project(tmli_consistent *c, tml_state *x, bool known, double *moved, double *gap,
                                     tml_error *err)
{
    tml_status st = factor(c, x, err);
    if (st == TML_OK && !(known && !c->near_singular)) st = evaluate_positions(c, x, gap, err);
    bool converges = false;
    if (st == TML_OK) st = project_positions(c, x, moved, gap, &converges, err);
    if (st != TML_RETRY || !converges) return st;
    double rest;  // by the matrix of x as it is now
    st = factor(c, x, err);
    if (st == TML_OK) st = evaluate_positions(c, x, gap, err);
    return st == TML_OK ? project_positions(c, x, &rest, gap, &converges, err) : st;
}

// The same from the residual c->phi and the gap of inactive rows, with a choice of the inactive rows: near
// a singular configuration there are more of them, and rows that are no longer redundant are reactivated.
// Afterwards the matrix belongs to a configuration `moved` away.
static tml_status project_with_search(tmli_consistent *c, tml_state *x, double gap, double *moved,
                                      tml_error *err)
{
    tml_state_copy(c->initial, x);
    tml_status st = factor_and_project(c, x, true, moved, &gap, err);
    tmli_inactive_copy(c->initial, x);
    if ((st == TML_RETRY || *moved > TMLI_NEAR_SINGULAR) &&
        find_singular(c, c->initial, TMLI_NEAR_SINGULAR)) {
        tml_state_copy(x, c->initial);
        st = factor_and_project(c, x, false, moved, &gap, err);
    }
    if (st != TML_OK || c->near_singular || gap <= TMLI_GAP_INCREASE + c->gap) return st;
    c->gap = gap;
    tml_state_copy(x, c->initial);
    st = search_redundant(c, x, err);
    return st == TML_OK ? factor_and_project(c, x, false, moved, &gap, err) : st;
}

// The first correction of the velocities, `size`, may be out of proportion to them. Positions satisfy the
// constraints up to SATISFIED_RESIDUAL, so the direction of a row with pivot s is accurate to
// SATISFIED_RESIDUAL/s^2: well enough for s = 1e-5, while a row with s = 1e-7 requires a motion unrelated
// to the real one. True: there was such a row, it is inactive, and c->phi and the matrix are those of the
// other rows.
static bool deactivate_unreliable(tmli_consistent *c, tml_state *x, double size)
{
    const tml_system *s = c->sys;
    if (!c->redundant.base || c->near_singular ||
        size <= TMLI_NEAR_SINGULAR * tmli_largest_motion(s, tmli_mechanical(s), x->u))
        return false;
    return find_singular(c, x, TMLI_BUILT_TOLERANCE) && factor(c, x, NULL) == TML_OK &&
           tmli_active_velocity(s, c->matrix.work, x, c->phi, NULL) == TML_OK;
}

// Project velocities, with the residual c->phi. A matrix of a configuration `moved` away leaves that share
// of the residual; the correction is repeated as long as it decreases.
static tml_status project_velocities(tmli_consistent *c, tml_state *x, double moved, tml_error *err)
{
    const tml_system *s = c->sys;
    for (double last = INFINITY;;) {
        solve_constraint(c, c->phi);
        const double size = tmli_largest_motion(s, tmli_mechanical(s), c->d);
        if (!(size < TMLI_STALLED_RATE * last)) return TML_OK;
        if (last == INFINITY && deactivate_unreliable(c, x, size)) continue;
        for (int j = 0; j < s->n; j++) x->u[j] += c->d[j];
        if (moved * size <= SATISFIED_RESIDUAL * tmli_largest_motion(s, tmli_mechanical(s), x->u))
            return TML_OK;
        last = size;
        const tml_status st = tmli_active_velocity(s, c->matrix.work, x, c->phi, err);
        if (st != TML_OK || is_satisfied(c, tmli_largest_motion(s, tmli_mechanical(s), x->u))) return st;
    }
}

// *distance: of x as returned from the configuration at which the matrix is factored [model lengths or rad];
// INFINITY: it is not factored. refresh: it is factored again if it is farther than that.
static tml_status project_motion(tmli_consistent *c, tml_state *x, double refresh, double *distance,
                                 tml_error *err)
{
    const tml_system *s = c->sys;
    double moved = 0, gap = 0;
    *distance = INFINITY;
    tml_status st = reset_inactive(c, x, err);
    if (st == TML_OK) st = evaluate_positions(c, x, &gap, err);
    if (st != TML_OK) return st;
    const bool satisfied = c->matrix.scaled && is_satisfied(c, 1);
    if (!satisfied) {
        st = c->redundant.base ? project_with_search(c, x, gap, &moved, err)
                               : factor_and_project(c, x, true, &moved, NULL, err);
        if (st == TML_OK && moved > refresh) {
            st = factor(c, x, err);
            moved = 0;
        }
        *distance = moved;
    }
    if (st == TML_OK && isnan(c->gap_start)) st = evaluate_positions(c, x, &c->gap_start, err);
    if (st == TML_OK) st = tmli_active_velocity(s, c->matrix.work, x, c->phi, err);
    if (st != TML_OK || is_satisfied(c, tmli_largest_motion(s, tmli_mechanical(s), x->u))) return st;
    if (satisfied) {
        st = factor(c, x, err);
        *distance = 0;
    }
    return st == TML_OK ? project_velocities(c, x, moved, err) : st;
}

tml_status tmli_consistent_project_motion(tmli_consistent *c, tml_state *x, tml_error *err)
{
    double distance;
    return c->sys->m > 0 ? project_motion(c, x, INFINITY, &distance, err) : TML_OK;
}

// True if the accelerations of x violate inactive rows: those are no longer redundant. For a row with pivot
// s the residual is s^2 of the acceleration that its multiplier would cause.
static bool violates_inactive(tmli_consistent *c, const tml_state *x)
{
    const tml_system *b = c->redundant.base;
    const double *unit = c->redundant.unit + b->n, *B = c->redundant.B_values;
    double *gamma = c->phi, largest = 0, scale = 0;
    if (tmli_active_dynamics(b, c->redundant.work, x, c->d, gamma, NULL) != TML_OK ||
        tmli_active_rows(b, c->redundant.work, x, c->redundant.B_values, NULL) != TML_OK)
        return false;
    for (int r = 0; r < b->m; r++) {
        double residual = -gamma[r], size = fabs(gamma[r]);
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1]; k++) {
            residual += B[k] * x->udot[b->rowcol[k]];
            size += fabs(B[k] * x->udot[b->rowcol[k]]);
        }
        if (x->inactive->row[r]) largest = fmax(largest, fabs(residual) / unit[r]);
        scale = fmax(scale, size / unit[r]);
    }
    return largest > TMLI_NEARLY_DEPENDENT * scale;
}

// Reactivate rows that were redundant only at a singular start. True: there are some.
static bool reactivate_rows(tmli_consistent *c, tml_state *x)
{
    if (!c->redundant.base || c->near_singular || !c->searched) return false;
    const int count = tmli_consistent_inactive_count(c);
    if (count == 0 || !violates_inactive(c, x) ||
        tmli_redundant_rows_find_built(&c->redundant, x, max_rank(c), TMLI_INACTIVE_LAST, NULL) != TML_OK ||
        c->redundant.rank <= c->sys->m - count)
        return false;
    set_always_inactive(c, x);
    return true;
}

// Repeat with more active rows; the number of inactive rows falls each time.
tml_status tmli_consistent_project(tmli_consistent *c, tml_state *x, tml_error *err)
{
    for (;;) {
        double distance = INFINITY;
        tml_status st = c->sys->m > 0 ? project_motion(c, x, NEARBY_MATRIX, &distance, err) : TML_OK;
        const bool nearby = distance > SATISFIED_RESIDUAL && distance <= NEARBY_MATRIX;
        const bool refines = nearby && tmli_index1_refines(&c->matrix);
        if (st == TML_OK && !(distance <= SATISFIED_RESIDUAL || refines)) st = factor(c, x, err);
        // without the rows of a singular configuration the equations give other accelerations: keep those
        // of x
        if (st == TML_OK && !c->near_singular) st = tmli_index1_accelerations(&c->matrix, x, refines, err);
        if (st != TML_OK || !reactivate_rows(c, x)) return st;
    }
}

tml_status tmli_consistent_accelerations(tmli_consistent *c, tml_state *x, tml_error *err)
{
    for (;;) {
        tml_status st = tmli_consistent_factor(c, x, err);
        if (st == TML_OK) st = tmli_index1_accelerations(&c->matrix, x, false, err);
        if (st != TML_OK || !reactivate_rows(c, x)) return st;
    }
}

// The jumps solve the same equations, with the change of f in place of f. Errors of x in stiff directions,
// which the forces enlarge, are the same in both and cancel.
static tml_status find_jump(tmli_consistent *c, tml_state *x, const tml_state *with, double *dudot,
                            double *dlambda, tml_error *err)
{
    const tml_system *s = c->sys;
    void *work = c->matrix.work;
    tml_status st = tmli_active_dynamics(s, work, x, dudot, dlambda, err);
    tmli_state_copy_inputs(x, with);
    if (st == TML_OK) st = tmli_active_dynamics(s, work, x, c->d, c->phi, err);
    for (int j = 0; j < s->n; j++) dudot[j] = c->d[j] - dudot[j];
    for (int r = 0; r < s->m; r++) dlambda[r] = c->phi[r] - dlambda[r];
    if (st == TML_OK) tmli_index1_solve(&c->matrix, dudot, dlambda, dudot, dlambda);
    return st;
}

// Massless motion has no acceleration; that of the others follows by iteration from the state itself.
static tml_status find_massless_jump(tmli_consistent *c, tml_state *x, const tml_state *with, double *dudot,
                                     double *dlambda, tml_error *err)
{
    const size_t n = (size_t)c->sys->n * sizeof(double), m = (size_t)c->sys->m * sizeof(double);
    memcpy(c->d, x->udot, n);
    memcpy(c->phi, x->lambda, m);
    tml_status st = tmli_index1_accelerations(&c->matrix, x, false, err);
    memcpy(dudot, x->udot, n);
    memcpy(dlambda, x->lambda, m);
    tmli_state_copy_inputs(x, with);
    if (st == TML_OK) st = tmli_index1_accelerations(&c->matrix, x, false, err);
    for (int j = 0; j < c->sys->n; j++) dudot[j] = x->udot[j] - dudot[j];
    for (int r = 0; r < c->sys->m; r++) dlambda[r] = x->lambda[r] - dlambda[r];
    memcpy(x->udot, c->d, n);
    memcpy(x->lambda, c->phi, m);
    return st;
}

tml_status tmli_consistent_change_inputs(tmli_consistent *c, tml_state *x, const tml_state *with,
                                         double *dudot, double *dlambda, tml_error *err)
{
    tml_status st = tmli_consistent_factor(c, x, err);
    if (st == TML_OK)
        st = c->matrix.has_massless || c->sys->loads ? find_massless_jump(c, x, with, dudot, dlambda, err)
                                                     : find_jump(c, x, with, dudot, dlambda, err);
    tmli_state_copy_inputs(x, with);
    for (int j = 0; j < c->sys->n && st == TML_OK; j++) x->udot[j] += dudot[j];
    for (int r = 0; r < c->sys->m && st == TML_OK; r++) x->lambda[r] += dlambda[r];
    return st;
}

// phi (m) are residuals of positions.
static tmli_opening find_opening(const tml_system *s, const double *phi)
{
    tmli_opening most = {.row = -1};
    for (int r = 0; r < s->m; r++) {
        if (fabs(phi[r]) <= most.size * fmin(s->length, 1)) continue;
        if (s->level && s->level[r] == TML_LEVEL_VELOCITY) continue;
        // rows of systems of callbacks have no unit
        const char *unit = s->row_unit ? s->row_unit(s, r) : "";
        const double one = *unit == 'm' ? s->length : *unit ? 1 : fmax(s->length, 1);
        if (fabs(phi[r]) > most.size * one) most = (tmli_opening){fabs(phi[r]) / one, r};
    }
    return most;
}

tml_status tmli_consistent_residuals(tmli_consistent *c, const tml_state *x, double *position,
                                     double *velocity, int *position_row, tmli_opening *opening,
                                     tml_error *err)
{
    const tml_system *s = c->redundant.base ? c->redundant.base : c->sys;  // including inactive rows
    void *work = c->redundant.base ? c->redundant.work : c->matrix.work;
    double *const out[2] = {position, velocity};
    for (int level = 0; level < 2; level++) {
        const tml_status st = level == 1 ? tmli_active_velocity(s, work, x, c->phi, err)
                                         : tmli_active_position(s, work, x, c->d, c->phi, err);
        if (st != TML_OK) return st;
        *out[level] = 0;
        if (level == 0 && position_row) *position_row = -1;
        if (level == 0 && opening) *opening = find_opening(s, c->phi);
        for (int r = 0; r < s->m; r++) {
            if (fabs(c->phi[r]) <= *out[level]) continue;
            if (level == 0 && s->level && s->level[r] == TML_LEVEL_VELOCITY) continue;
            *out[level] = fabs(c->phi[r]);
            if (level == 0 && position_row) *position_row = r;
        }
    }
    return TML_OK;
}

void tmli_consistent_archive(tmli_consistent *c, tml_archive *a)
{
    tmli_index1_archive(&c->matrix, a);
    tml_archive_doubles(a, &c->gap, 1);
    tml_archive_doubles(a, &c->gap_start, 1);
    if (!c->redundant.base) return;
    tmli_redundant_rows_archive(&c->redundant, a);
    tml_archive_indices(a, &c->inactive_count, 1, 0, c->sys->m);
    tml_archive_bools(a, &c->searched, 1);
    tml_archive_bools(a, &c->near_singular, 1);
    tml_archive_bools(a, c->always_inactive, (size_t)c->sys->m);
}
