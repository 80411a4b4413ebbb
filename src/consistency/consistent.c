// Projection onto the constraints and the index-1 dynamics; see consistent.h.
#include "consistency/consistent.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A projection that moves nothing by more than this leaves the matrix as it was. [lengths or rad]
static const double SAME_PLACE = 1e-13;

// A correction [lengths or rad; of velocities: the share of the fastest] of a state of an integrator, which
// are near the constraints, that makes one think of a singular position; and gaps of held rows [units] that
// make one look whether they still depend on others.
static const double SUSPICIOUS = 1e-2, GAP = 1e-6;

// Motion [lengths or rad] to close a gap that is out of proportion, and the largest gap [units] of measures
// that are meant to fit. Where they fit exactly there is round-off.
static const double FAR = 0.03, MISFIT = 2e-5, EXACT = 1e-11;

// Accelerations that leave held rows by this share: they do not depend on the others any more. Rows of joints
// as built do to 1e-5.
static const double LEAVES = 1e-4;

// Corrections [lengths or rad] that are good enough if they do not get smaller.
static const double STALLED = 1e-9;

void tmli_consistent_clear(tmli_consistent *c)
{
    if (!c->sys) return;
    const tml_env env = c->sys->env;
    tmli_index1_clear(&c->matrix);
    if (c->rows.base) tml_state_destroy(c->before, c->rows.base);
    tmli_redundant_rows_clear(&c->rows);
    tmli_free(&env, c->usual);
    tmli_free(&env, c->d);
    *c = (tmli_consistent){0};
}

tml_status tmli_consistent_create(const tml_system *sys, const tml_linsolver_ops *solver, tmli_consistent *c,
                                  tml_error *err)
{
    *c = (tmli_consistent){.sys = sys, .misfit = NAN};
    c->d = tmli_calloc(&sys->env, (size_t)(sys->n + sys->m), sizeof(double));
    tml_status st = c->d ? TML_OK : tmli_no_memory(err, "integrator");
    if (st == TML_OK) st = tmli_index1_create(sys, solver, &c->matrix, err);
    if (st != TML_OK) {
        tmli_consistent_clear(c);
        return st;
    }
    c->phi = c->d + sys->n;
    tmli_index1_allow_massless(&c->matrix);
    return TML_OK;
}

// ---- rows that depend on others ---------------------------------------------------------------------------

tml_status tmli_consistent_allow_redundant(tmli_consistent *c, tml_error *err)
{
    const tml_system *base = c->sys;
    const tml_linsolver_ops *solver = c->matrix.solver;
    if (c->rows.base || !base->loops) return TML_OK;
    tml_status st = tmli_redundant_rows_create(base, &c->rows, err);
    if (st == TML_OK) st = tml_state_create(base, &c->before, err);
    c->usual = tmli_calloc(&base->env, (size_t)base->m + 1, sizeof *c->usual);
    if (st == TML_OK && !c->usual) st = tmli_no_memory(err, "integrator");
    if (st != TML_OK) return st;
    tmli_index1_clear(&c->matrix);
    c->sys = c->rows.system;
    st = tmli_index1_create(c->sys, solver, &c->matrix, err);
    if (st == TML_OK) tmli_index1_allow_massless(&c->matrix);
    return st;
}

// The rows to hold are those of the last search.
static void hold_found(tmli_consistent *c)
{
    tmli_redundant_rows_deactivate_found(&c->rows);
    tmli_index1_rows_changed(&c->matrix);
}

// Those are the ones that depend on others wherever the state is.
static void take_found(tmli_consistent *c)
{
    hold_found(c);
    memcpy(c->usual, c->rows.system->inactive, (size_t)c->sys->m * sizeof *c->usual);
    c->searched = true;
    c->passing = false;
}

static tml_status evaluate_positions(tmli_consistent *c, const tml_state *x, double *gap, tml_error *err);
static tml_status place(tmli_consistent *c, tml_state *x, bool known, double *moved, double *gap,
                        tml_error *err);

// The smallest pivot of the rows at work is small. Does it come from measures that do not fit? Without its
// rows the mechanism closes but for a gap, which they would close by a motion gap/pivot out of all
// proportion. Then they are held.
static tml_status search_misfits(tmli_consistent *c, const tml_state *x, tml_error *err)
{
    const double pivot = c->rows.choice.least;
    const int rank = c->rows.choice.rank;
    double moved, gap = 0;
    tml_status st = tmli_redundant_rows_find(&c->rows, x, TMLI_ENLARGED, TMLI_INACTIVE_LAST, err);
    if (st != TML_OK || c->rows.choice.rank == rank) return st;
    hold_found(c);
    tml_state_copy(c->before, x);
    const bool closes = place(c, c->before, false, &moved, &gap, NULL) == TML_OK;
    if (closes && gap > FAR * pivot && gap < MISFIT) take_found(c);
    return tmli_redundant_rows_set_known(&c->rows, x, c->usual, err);
}

// Rows that can be independent. Where measures do not fit no more than at the start: a motion that would
// leave held rows is their error, enlarged. Else it may have left a singular position in which it began.
static int most_rows(const tmli_consistent *c)
{
    return c->sys->m - (c->misfit > EXACT ? tmli_active_rows_inactive_count(c->rows.system) : 0);
}

static tml_status search(tmli_consistent *c, const tml_state *x, tml_error *err)
{
    const bool first = !c->searched;
    const int most = most_rows(c);
    tmli_active_rows_deactivate(c->rows.system, NULL, NULL);
    tml_status st = tmli_redundant_rows_find_built(&c->rows, x, most, TMLI_INACTIVE_LAST, err);
    if (st != TML_OK) return st;
    take_found(c);
    if (first && c->rows.choice.least < TMLI_ENLARGED) st = search_misfits(c, x, err);
    hold_found(c);
    c->passing = false;
    return st;
}

tml_status tmli_consistent_set_known(tmli_consistent *c, const tml_state *x, const bool *rows, tml_error *err)
{
    if (!c->rows.base || !rows) return TML_OK;
    const tml_status st = tmli_redundant_rows_set_known(&c->rows, x, rows, err);
    if (st != TML_OK) return st;
    take_found(c);
    return evaluate_positions(c, x, &c->misfit, err);
}

// Rows that depend on others, with pivots below the tolerance, because x is close to a singular position.
// True: there are some, and they are held.
static bool find_singular(tmli_consistent *c, const tml_state *x, double tolerance)
{
    const int count = tmli_active_rows_inactive_count(c->rows.system), m = c->sys->m;
    if (tmli_redundant_rows_find(&c->rows, x, tolerance, TMLI_INACTIVE_LAST, NULL) != TML_OK) return false;
    if (c->rows.choice.rank >= m - count) return false;
    hold_found(c);
    c->passing = true;
    return true;
}

// A new state: back to the rows that are always held.
static tml_status begin(tmli_consistent *c, const tml_state *x, tml_error *err)
{
    if (!c->rows.base) return TML_OK;
    if (!c->searched) {
        const tml_status st = search(c, x, err);
        if (st != TML_OK) return st;
    }
    if (c->passing) {
        tmli_active_rows_deactivate(c->rows.system, c->usual, NULL);
        tmli_index1_rows_changed(&c->matrix);
        c->passing = false;
    }
    return TML_OK;
}

tml_status tmli_consistent_factor(tmli_consistent *c, const tml_state *x, tml_error *err)
{
    tml_status st = c->rows.base && !c->searched ? search(c, x, err) : TML_OK;
    if (st == TML_OK) st = tmli_index1_factor(&c->matrix, x, 0, 0, err);
    if (st != TML_ERR_SINGULAR || !c->rows.base || !find_singular(c, x, TMLI_NEAR_SINGULAR)) return st;
    return tmli_index1_factor(&c->matrix, x, 0, 0, err);
}

// d := increment that takes the residual `value` away
static void solve_constraint(tmli_consistent *c, const double *value)
{
    tmli_index1_solve(&c->matrix, NULL, value, c->d, NULL);
    for (int j = 0; j < c->sys->n; j++) c->d[j] = -c->d[j];
}

void tmli_consistent_constrain(tmli_consistent *c, const double *y, double *d)
{
    tmli_index1_solve(&c->matrix, NULL, y, d, NULL);
}

static double largest_increment(const tml_system *s, const double *d)
{
    double largest = 0;
    for (int j = 0; j < s->n; j++)
        largest = fmax(largest, fabs(d[j]) / (s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1));
    return largest;
}

// c->phi = Phi at x; *gap (may be NULL): violation of held rows, in units.
static tml_status evaluate_positions(tmli_consistent *c, const tml_state *x, double *gap, tml_error *err)
{
    const bool some = gap && c->rows.base && tmli_active_rows_inactive_count(c->rows.system) > 0;
    const tml_system *s = some ? c->rows.base : c->sys;
    void *work = some ? c->rows.work : c->matrix.work;
    const tml_status st = s->ops->position ? s->ops->position(s->self, work, x, c->phi, err)
                                           : s->ops->residual(s->self, work, x, NULL, c->d, c->phi, err);
    if (gap) *gap = 0;
    for (int r = 0; r < s->m && some; r++) {
        if (!c->sys->inactive[r]) continue;
        *gap = fmax(*gap, fabs(c->phi[r]) / c->rows.unit[s->n + r]);
        c->phi[r] = 0;
    }
    return st;
}

// c->phi (Phi at x) and the velocities' residual are round-off already, measured in the rows' own units:
// nothing to do.
static bool in_place(const tmli_consistent *c, double scale)
{
    const double *unit = c->matrix.unit + c->sys->n;
    for (int r = 0; r < c->sys->m; r++)
        if (!(fabs(c->phi[r]) <= SAME_PLACE * scale * unit[r])) return false;
    return true;
}

// The matrix is that of x as it comes, c->phi its residual: the first correction leaves its own square, in
// lengths over the shortest gyration_ratio, and those that follow fall at the rate seen. *moved: by the first
// correction; *gap: of held rows.
static tml_status project_positions(tmli_consistent *c, tml_state *x, double *moved, double *gap,
                                    tml_error *err)
{
    const tml_system *s = c->sys;
    double last = INFINITY;
    for (int i = 0; i < 8; i++) {
        const tml_status st = i > 0 ? evaluate_positions(c, x, gap, err) : TML_OK;
        if (st != TML_OK) return st;
        solve_constraint(c, c->phi);
        s->ops->retract(s->self, x->q, c->d, x->q);
        const double size = largest_increment(s, c->d), left = size * (i > 0 ? size / last : 1e3 * size);
        if (i == 0) *moved = size;
        if (size < 1e-14 || left < 1e-16 || (size >= last / 2 && size < 1e-10)) return TML_OK;
        last = size;
    }
    if (last < STALLED)
        return TML_OK;  // near a singular position corrections show the round-off of Phi enlarged
    return tmli_fail(err, TML_RETRY,
                     "positions cannot be brought onto the constraints at t = %g s: last change %g lengths",
                     x->t, last);
}

// Positions onto the constraints, rows as they are held; known: c->phi is their residual.
static tml_status place(tmli_consistent *c, tml_state *x, bool known, double *moved, double *gap,
                        tml_error *err)
{
    tml_status st = tmli_consistent_factor(c, x, err);
    if (st == TML_OK && !(known && !c->passing)) st = evaluate_positions(c, x, gap, err);
    return st == TML_OK ? project_positions(c, x, moved, gap, err) : st;
}

// The same from a residual with this gap of held rows, with rows held as suits the place: near singular
// positions more, and others where held ones do not depend on the rest any more. The matrix afterwards is of
// a place `moved` away.
static tml_status place_freely(tmli_consistent *c, tml_state *x, double gap, double *moved, tml_error *err)
{
    tml_state_copy(c->before, x);
    tml_status st = place(c, x, true, moved, &gap, err);
    if ((st == TML_RETRY || *moved > SUSPICIOUS) && find_singular(c, c->before, TMLI_NEAR_SINGULAR)) {
        tml_state_copy(x, c->before);
        st = place(c, x, false, moved, &gap, err);
    }
    if (st != TML_OK || c->passing || gap <= GAP + 2 * c->gap) return st;
    c->gap = gap;
    tml_state_copy(x, c->before);
    st = search(c, x, err);
    return st == TML_OK ? place(c, x, false, moved, &gap, err) : st;
}

// A first correction of the velocities by `size` is out of proportion to them. Positions are on the
// constraints up to SAME_PLACE, so the row with the pivot s has its direction up to SAME_PLACE/s^2: with s =
// 1e-5 well enough, with 1e-7 it asks for a motion that has nothing to do with the real one. True: that was
// so, it is held, and c->phi and the matrix are those of the other rows.
static bool lose_direction(tmli_consistent *c, const tml_state *x, double size)
{
    const tml_system *s = c->sys;
    if (!c->rows.base || c->passing || size <= SUSPICIOUS * largest_increment(s, x->u)) return false;
    return find_singular(c, x, TMLI_BUILT_TOLERANCE) && tmli_consistent_factor(c, x, NULL) == TML_OK &&
           s->ops->velocity(s->self, c->matrix.work, x, c->phi, NULL) == TML_OK;
}

// Velocities, c->phi being their residual. A matrix of a place `moved` away leaves that share of the
// residual: again, as long as corrections get smaller.
static tml_status reach_velocities(tmli_consistent *c, tml_state *x, double moved, tml_error *err)
{
    const tml_system *s = c->sys;
    for (double last = INFINITY;;) {
        solve_constraint(c, c->phi);
        const double size = largest_increment(s, c->d);
        if (!(size < last / 2)) return TML_OK;
        if (last == INFINITY && lose_direction(c, x, size)) continue;
        for (int j = 0; j < s->n; j++) x->u[j] += c->d[j];
        if (moved <= SAME_PLACE) return TML_OK;
        last = size;
        const tml_status st = s->ops->velocity(s->self, c->matrix.work, x, c->phi, err);
        if (st != TML_OK || in_place(c, largest_increment(s, x->u))) return st;
    }
}

// *fresh: the matrix was factored, and is that of x as it is left. refresh: make it so if positions had to be
// changed.
static tml_status project_motion(tmli_consistent *c, tml_state *x, bool refresh, bool *fresh, tml_error *err)
{
    const tml_system *s = c->sys;
    double moved = 0, gap = 0;
    *fresh = false;
    tml_status st = begin(c, x, err);
    if (st == TML_OK) st = evaluate_positions(c, x, &gap, err);
    if (st != TML_OK) return st;
    const bool there = c->matrix.scaled && in_place(c, 1);
    if (!there) {
        st = c->rows.base ? place_freely(c, x, gap, &moved, err) : place(c, x, true, &moved, NULL, err);
        *fresh = moved <= SAME_PLACE;
        if (st == TML_OK && refresh && !*fresh) {
            st = tmli_consistent_factor(c, x, err);
            *fresh = true;
            moved = 0;
        }
    }
    if (st == TML_OK && isnan(c->misfit)) st = evaluate_positions(c, x, &c->misfit, err);
    if (st == TML_OK) st = s->ops->velocity(s->self, c->matrix.work, x, c->phi, err);
    if (st != TML_OK || in_place(c, largest_increment(s, x->u))) return st;
    if (there) {
        st = tmli_consistent_factor(c, x, err);
        *fresh = true;
    }
    return st == TML_OK ? reach_velocities(c, x, moved, err) : st;
}

tml_status tmli_consistent_project_motion(tmli_consistent *c, tml_state *x, tml_error *err)
{
    bool fresh;
    return c->sys->m > 0 ? project_motion(c, x, false, &fresh, err) : TML_OK;
}

// True if the accelerations of x leave held rows: those do not depend on the others any more. With pivots s
// they do by s^2 of what their multipliers would do.
static bool leaves_held(tmli_consistent *c, const tml_state *x)
{
    const tml_system *b = c->rows.base;
    const double *unit = c->rows.unit + b->n, *values = c->rows.rows;
    double *gamma = c->phi, worst = 0, scale = 0;
    if (b->ops->dynamics(b->self, c->rows.work, x, c->d, gamma, NULL) != TML_OK ||
        b->ops->rows(b->self, c->rows.work, x, c->rows.rows, NULL) != TML_OK)
        return false;
    for (int r = 0; r < b->m; r++) {
        double left = -gamma[r], size = fabs(gamma[r]);
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1]; k++) {
            left += values[k] * x->udot[b->rowcol[k]];
            size += fabs(values[k] * x->udot[b->rowcol[k]]);
        }
        if (c->sys->inactive[r]) worst = fmax(worst, fabs(left) / unit[r]);
        scale = fmax(scale, size / unit[r]);
    }
    return worst > LEAVES * scale;
}

// Rows held since a singular start, which the motion has left, come back. True: some have.
static bool take_back(tmli_consistent *c, const tml_state *x)
{
    if (!c->rows.base || c->passing || !c->searched) return false;
    const int count = tmli_active_rows_inactive_count(c->rows.system);
    if (count == 0 || !leaves_held(c, x) ||
        tmli_redundant_rows_find_built(&c->rows, x, most_rows(c), TMLI_INACTIVE_LAST, NULL) != TML_OK ||
        c->rows.choice.rank <= c->sys->m - count)
        return false;
    take_found(c);
    return true;
}

// Once more with other rows: there are fewer to take back each time.
tml_status tmli_consistent_project(tmli_consistent *c, tml_state *x, tml_error *err)
{
    for (;;) {
        bool fresh = false;
        tml_status st = c->sys->m > 0 ? project_motion(c, x, true, &fresh, err) : TML_OK;
        if (st == TML_OK && !fresh) st = tmli_consistent_factor(c, x, err);
        // without the rows of a singular position the equations give other accelerations; those of x are the
        // best there are
        if (st == TML_OK && !c->passing) st = tmli_index1_accelerations(&c->matrix, x, err);
        if (st != TML_OK || !take_back(c, x)) return st;
    }
}

tml_status tmli_consistent_accelerations(tmli_consistent *c, tml_state *x, tml_error *err)
{
    for (;;) {
        tml_status st = begin(c, x, err);
        if (st == TML_OK) st = tmli_consistent_factor(c, x, err);
        if (st == TML_OK) st = tmli_index1_accelerations(&c->matrix, x, err);
        if (st != TML_OK || !take_back(c, x)) return st;
    }
}

tml_status tmli_consistent_residuals(tmli_consistent *c, const tml_state *x, double *position,
                                     double *velocity, int *position_row, int *velocity_row, tml_error *err)
{
    const tml_system *s = c->rows.base ? c->rows.base : c->sys;  // held rows count too
    void *work = c->rows.base ? c->rows.work : c->matrix.work;
    double *const out[2] = {position, velocity};
    int *const row[2] = {position_row, velocity_row};
    for (int level = 0; level < 2; level++) {
        tml_status st = level == 1         ? s->ops->velocity(s->self, work, x, c->phi, err)
                        : s->ops->position ? s->ops->position(s->self, work, x, c->phi, err)
                                           : s->ops->residual(s->self, work, x, NULL, c->d, c->phi, err);
        if (st != TML_OK) return st;
        *out[level] = 0;
        if (row[level]) *row[level] = -1;
        for (int r = 0; r < s->m; r++) {
            if (fabs(c->phi[r]) <= *out[level]) continue;
            *out[level] = fabs(c->phi[r]);
            if (row[level]) *row[level] = r;
        }
    }
    return TML_OK;
}
