// Projection onto the constraints and the index-1 dynamics; see consistent.h.
#include "integrate/consistent.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A projection that moves nothing by more than this leaves the matrix as it was. [lengths or rad]
static const double SAME_PLACE = 1e-13;

void tmli_consistent_clear(tmli_consistent *c)
{
    if (!c->sys) return;
    tmli_index1_clear(&c->matrix);
    tmli_free(&c->sys->env, c->d);
    *c = (tmli_consistent){0};
}

tml_status tmli_consistent_create(const tml_system *sys, const tml_linsolver_ops *solver, tmli_consistent *c,
                                  tml_error *err)
{
    *c = (tmli_consistent){.sys = sys};
    c->d = tmli_calloc(&sys->env, (size_t)(sys->n + sys->m), sizeof(double));
    tml_status st = c->d ? TML_OK : tmli_no_memory(err, "integrator");
    if (st == TML_OK) st = tmli_index1_create(sys, solver, &c->matrix, err);
    if (st != TML_OK) {
        tmli_consistent_clear(c);
        return st;
    }
    c->phi = c->d + sys->n;
    return TML_OK;
}

void tmli_consistent_allow_dependent(tmli_consistent *c)
{
    c->dependent = true;
    c->searched = false;
}

tml_status tmli_consistent_factor(tmli_consistent *c, const tml_state *x, tml_error *err)
{
    const bool search = c->dependent && c->sys->m > 0;
    tml_status st = search && !c->searched ? tmli_index1_find_dependent(&c->matrix, x, err) : TML_OK;
    c->searched = true;
    if (st == TML_OK) st = tmli_index1_factor(&c->matrix, x, 0, 0, err);
    if (st != TML_ERR_SINGULAR || !search) return st;
    st = tmli_index1_find_dependent(&c->matrix, x, err);  // others than before
    return st == TML_OK ? tmli_index1_factor(&c->matrix, x, 0, 0, err) : st;
}

// A row that was left out is violated: it does not depend on the others any more.
static bool row_missing(const tmli_consistent *c)
{
    const bool *left_out = c->matrix.left_out;
    for (int r = 0; r < c->sys->m && left_out; r++)
        if (left_out[r] && fabs(c->phi[r]) > TMLI_RANK_TOLERANCE * c->matrix.unit[c->sys->n + r]) return true;
    return false;
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

// c->phi = Phi at x
static tml_status evaluate_positions(tmli_consistent *c, const tml_state *x, tml_error *err)
{
    const tml_system *s = c->sys;
    if (s->ops->position) return s->ops->position(s->self, c->matrix.work, x, c->phi, err);
    return s->ops->residual(s->self, c->matrix.work, x, NULL, c->d, c->phi, err);
}

// c->phi (Phi at x) and the velocities' residual are round-off already, measured in the rows' own units: nothing to do.
static bool in_place(const tmli_consistent *c, double scale)
{
    const double *unit = c->matrix.unit + c->sys->n;
    for (int r = 0; r < c->sys->m; r++)
        if (!(fabs(c->phi[r]) <= SAME_PLACE * scale * unit[r])) return false;
    return true;
}

// The matrix is that of x as it comes, c->phi its residual: the first correction leaves its own square, in lengths over the
// shortest lever, and those that follow fall at the rate seen. *moved: by the first correction.
static tml_status project_positions(tmli_consistent *c, tml_state *x, double *moved, tml_error *err)
{
    const tml_system *s = c->sys;
    double last = INFINITY;
    for (int i = 0; i < 8; i++) {
        const tml_status st = i > 0 ? evaluate_positions(c, x, err) : TML_OK;
        if (st != TML_OK) return st;
        solve_constraint(c, c->phi);
        s->ops->retract(s->self, x->q, c->d, x->q);
        const double size = largest_increment(s, c->d), left = size * (i > 0 ? size / last : 1e3 * size);
        if (i == 0) *moved = size;
        if (size < 1e-14 || left < 1e-16 || (size >= last / 2 && size < 1e-10)) return TML_OK;
        last = size;
    }
    return tmli_fail(err, TML_RETRY,
                     "positions cannot be brought onto the constraints at t = %g s: last change %g lengths",
                     x->t, last);
}

// Positions: the matrix afterwards is of a place `moved` away.
static tml_status reach_positions(tmli_consistent *c, tml_state *x, double *moved, tml_error *err)
{
    tml_status st = project_positions(c, x, moved, err);
    if (st != TML_OK || !row_missing(c)) return st;
    c->searched = false;
    st = tmli_consistent_factor(c, x, err);
    if (st == TML_OK) st = evaluate_positions(c, x, err);
    return st == TML_OK ? project_positions(c, x, moved, err) : st;
}

// Velocities, c->phi being their residual. A matrix of a place `moved` away leaves that share of the residual: again, as long
// as corrections get smaller.
static tml_status reach_velocities(tmli_consistent *c, tml_state *x, double moved, tml_error *err)
{
    const tml_system *s = c->sys;
    for (double last = INFINITY;;) {
        solve_constraint(c, c->phi);
        const double size = largest_increment(s, c->d);
        if (!(size < last / 2)) return TML_OK;
        for (int j = 0; j < s->n; j++) x->u[j] += c->d[j];
        if (moved <= SAME_PLACE) return TML_OK;
        last = size;
        const tml_status st = s->ops->velocity(s->self, c->matrix.work, x, c->phi, err);
        if (st != TML_OK || in_place(c, largest_increment(s, x->u))) return st;
    }
}

// *fresh: the matrix was factored, and is that of x as it is left. refresh: make it so if positions had to be changed.
static tml_status project_motion(tmli_consistent *c, tml_state *x, bool refresh, bool *fresh, tml_error *err)
{
    const tml_system *s = c->sys;
    double moved = 0;
    *fresh = false;
    tml_status st = evaluate_positions(c, x, err);
    if (st != TML_OK) return st;
    const bool there = c->matrix.scaled && in_place(c, 1);
    if (!there) {
        st = tmli_consistent_factor(c, x, err);
        if (st == TML_OK) st = reach_positions(c, x, &moved, err);
        *fresh = moved <= SAME_PLACE;
        if (st == TML_OK && refresh && !*fresh) {
            st = tmli_consistent_factor(c, x, err);
            *fresh = true;
            moved = 0;
        }
    }
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

tml_status tmli_consistent_project(tmli_consistent *c, tml_state *x, tml_error *err)
{
    bool fresh = false;
    tml_status st = c->sys->m > 0 ? project_motion(c, x, true, &fresh, err) : TML_OK;
    if (st == TML_OK && !fresh) st = tmli_consistent_factor(c, x, err);
    return st == TML_OK ? tmli_index1_accelerations(&c->matrix, x, err) : st;
}

tml_status tmli_consistent_accelerations(tmli_consistent *c, tml_state *x, tml_error *err)
{
    tml_status st = tmli_consistent_factor(c, x, err);
    return st == TML_OK ? tmli_index1_accelerations(&c->matrix, x, err) : st;
}

tml_status tmli_consistent_residuals(tmli_consistent *c, const tml_state *x, double *position,
                                     double *velocity, int *position_row, int *velocity_row, tml_error *err)
{
    const tml_system *s = c->sys;
    double *const out[2] = {position, velocity};
    int *const row[2] = {position_row, velocity_row};
    for (int level = 0; level < 2; level++) {
        tml_status st = level == 0 ? evaluate_positions(c, x, err)
                                   : s->ops->velocity(s->self, c->matrix.work, x, c->phi, err);
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
