// Singular configurations and lock-up; see monitor.h and internal.h.
#include "integrate/constraints/internal.h"
#include "system/state/first_order.h"
#include "system/state/move.h"
#include "system/state/quintic.h"

#include <math.h>
#include <string.h>

#include "consistency/tolerances.h"
#include "integrate/constraints/constants.h"

// ---- motion around a state --------------------------------------------------------------------------------

double tmli_monitor_largest_rate(const tmli_monitor *mon, const double *rates)
{
    double largest = 0;
    for (int j = 0; j < tmli_mechanical(mon->redundant.base); j++)
        largest = fmax(largest, fabs(rates[j]) / mon->redundant.unit[j]);
    return largest;
}

double tmli_monitor_travel_time(const tmli_monitor *mon, const tml_state *x, double distance)
{
    return distance / tmli_monitor_largest_rate(mon, x->u);
}

void tmli_monitor_predict(tmli_monitor *mon, const tml_state *x, double h)
{
    const tml_system *b = mon->redundant.base;
    tml_state_copy(mon->probe, x);
    for (int j = 0; j < b->n; j++) mon->d[j] = h * x->u[j] + h * h / 2 * x->udot[j];
    tmli_state_move(b, x, mon->d, mon->probe);
    mon->probe->t = x->t + h;
}

// probe := the state h [s] before mon->x, by velocity and acceleration. The acceleration is omitted if it has
// lost its digits and would reverse the motion.
static void predict_back(tmli_monitor *mon, double h)
{
    const tml_system *b = mon->redundant.base;
    const tml_state *x = mon->x;
    const double weight =
        h * tmli_monitor_largest_rate(mon, x->udot) < tmli_monitor_largest_rate(mon, x->u) ? 1 : 0;
    tml_state_copy(mon->probe, x);
    for (int j = 0; j < b->n; j++) {
        const double change = weight * h * x->udot[j];
        mon->probe->u[j] -= change;
        mon->d[j] = h * (change / 2 - x->u[j]);
    }
    tmli_state_move(b, x, mon->d, mon->probe);
    mon->probe->t = x->t - h;
}

void tmli_monitor_interpolate(tmli_monitor *mon, double theta, tml_state *out)
{
    const tml_method_ops *inner = mon->method.inner;
    const tml_state *a = mon->before, *x = inner->state(mon->method.self);
    if (!a || theta >= 1) {
        inner->interpolate(mon->method.self, theta, out);
        return;
    }
    const double h = x->t - a->t;
    if (!mon->quintic_known) tmli_quintic_fit(mon->redundant.system, a, x, h, mon->quintic);
    mon->quintic_known = true;
    tmli_quintic_at(mon->redundant.system, a, x, h, theta, mon->quintic, out);
}

// probe := the state at time t up to x, interpolated in the last step or predicted shortly before it.
static void interpolate_probe(tmli_monitor *mon, const tml_state *x, double t)
{
    const double end = mon->method.inner->state(mon->method.self)->t,
                 theta = (t - mon->t_before) / (end - mon->t_before);
    if (!(theta >= 0)) {
        tmli_monitor_predict(mon, x, t - x->t);
        return;
    }
    tmli_monitor_interpolate(mon, theta, mon->probe);
    mon->probe->t = t;
}

// ---- tests at the probe -----------------------------------------------------------------------------------

// True if active rows have pivots below the tolerance at the probe. Then redundant.choice is a search of all
// rows there.
static bool is_rank_deficient(tmli_monitor *mon, double tolerance)
{
    tmli_redundant_rows *red = &mon->redundant;
    if (tmli_redundant_rows_find(red, mon->probe, tolerance, TMLI_INACTIVE_ZERO, NULL) != TML_OK)
        return false;
    if (red->rank >= tmli_monitor_active_count(mon)) return false;
    return tmli_redundant_rows_find(red, mon->probe, tolerance, TMLI_INACTIVE_LAST, NULL) == TML_OK;
}

// With the requested rows inactive at the probe: does a driver prescribe a velocity in a lost direction? err
// names the driver. Only rows that were not inactive before count.
static bool test_lock(tmli_monitor *mon, tml_error *err)
{
    const tml_system *b = mon->redundant.base;
    const bool *inactive = mon->probe->inactive->row,
               *before = mon->method.inner->state(mon->method.self)->inactive->row;
    double fastest = 0, residual = 0, *nu = mon->nu;
    int driver = 0;
    if (b->autonomous) return false;
    memset(mon->probe->u, 0, (size_t)b->n * sizeof(double));
    tml_status st = tmli_active_velocity(b, mon->redundant.work, mon->probe, mon->phi, NULL);  // -nu
    if (st == TML_OK) st = tmli_consistent_factor(&mon->consistent, mon->probe, NULL);
    if (st != TML_OK) return false;
    for (int r = 0; r < b->m; r++) {
        nu[r] = -mon->phi[r] / mon->redundant.unit[b->n + r];
        if (!(fabs(nu[r]) > fastest)) continue;
        fastest = fabs(nu[r]);
        driver = r;
    }
    for (int r = 0; r < b->m; r++) mon->phi[r] = inactive[r] ? 0 : -mon->phi[r];
    tmli_consistent_constrain(&mon->consistent, mon->phi, mon->d);
    if (tmli_monitor_multiply_rows(mon, mon->probe, mon->d, mon->phi) != TML_OK) return false;
    for (int r = 0; r < b->m; r++)
        if (inactive[r] && !before[r]) {
            const double difference = fabs(mon->phi[r] - nu[r]);
            if (!(difference <= residual)) residual = difference;
        }
    if (!(residual > LOCK_VELOCITY_SHARE * fastest)) return false;
    char name[128];
    tmli_fail(err, TML_ERR_STEP,
              "the mechanism locks up at t = %.8g s: %s drives it against a limit of its motion", mon->x->t,
              b->row_name(b, driver, name, sizeof name));
    return true;
}

// probe := a state on the motion that led to mon->x, at least `distance` [model lengths or rad] before it,
// with reliable multipliers. False: there is none.
static bool find_reliable_state(tmli_monitor *mon, double distance)
{
    for (; distance < NEIGHBOURHOOD; distance = fmax(2 * distance, RELIABLE_PIVOT)) {
        const double h = distance > 0 ? tmli_monitor_travel_time(mon, mon->x, distance) : 0;
        if (!isfinite(h)) return false;
        predict_back(mon, h);
        if (!is_rank_deficient(mon, RELIABLE_PIVOT) &&
            tmli_consistent_project(&mon->consistent, mon->probe, NULL) == TML_OK)
            return true;
    }
    return false;
}

// Time [s] in which no coordinate moves further than `distance` from x, by velocity and acceleration.
static double motion_time(const tmli_monitor *mon, const tml_state *x, double distance)
{
    const double v = tmli_monitor_largest_rate(mon, x->u), a = tmli_monitor_largest_rate(mon, x->udot);
    return 2 * distance / (v + sqrt(v * v + 2 * a * distance));
}

// Does the motion through mon->x pass the singular configuration to which it is near? A singular value that
// is small and stays so is no reason to deactivate rows: bodies that have slid many model lengths apart have
// one. Its sign must change along the predicted motion, within `distance` [model lengths or rad] and
// MAX_APPROACH times its value ahead or behind, unless the rows are dependent as they are. Regularized
// methods must be farther ahead of it: their constraints yield.
static bool confirm_singular(tmli_monitor *mon, double distance)
{
    tmli_singular_value *p = &mon->smallest;
    if (!tmli_singular_value_refresh(p, &mon->consistent, mon->x) || p->s < TMLI_BUILT_TOLERANCE) return true;
    const double approach = mon->method.inner->any_rank ? distance : fmin(distance, MAX_APPROACH * p->s);
    const double h = motion_time(mon, mon->x, approach);
    if (!isfinite(h)) return true;
    for (int i = -MAX_PARTS; i <= MAX_PARTS; i++) {
        tmli_monitor_predict(mon, mon->x, h * i / MAX_PARTS);
        if (tmli_singular_value_signed(p, mon->consistent.matrix.work, mon->probe) < 0) return true;
    }
    return false;
}

// ---- deactivation -----------------------------------------------------------------------------------------

// g (n) := force of the requested rows at the probe that multipliers of the other rows cannot replace, B_r'
// lambda_r + B' mu with B inverse(M) g = 0. The previous rows are inactive before and after.
static void find_requested_force(tmli_monitor *mon, double *g)
{
    const tml_system *b = mon->redundant.base;
    double *B = mon->redundant.B_values;
    memset(g, 0, (size_t)b->n * sizeof *g);
    const tml_status st = tmli_active_rows(b, mon->redundant.work, mon->probe, B, NULL);
    for (int r = 0; r < b->m && st == TML_OK; r++)
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1] && mon->requested[r]; k++)
            g[b->rowcol[k]] += B[k] * mon->probe->lambda[r];
    tmli_monitor_set_inactive(mon, mon->requested, NULL, 0);
    tmli_monitor_project_force(mon, mon->probe, g);
    tmli_monitor_restore_inactive(mon);
}

// A motion that is fast enough passes without turning back. If no driver does work, the force that replaces
// constraint forces does none either.
static void decide_no_turning(tmli_monitor *mon)
{
    const tml_system *b = mon->redundant.base;
    const int n = b->n;
    double *m = mon->inertia, energy = 0;
    const double v = tmli_monitor_largest_rate(mon, mon->x->u);
    mon->no_turning =
        b->autonomous && v * v > FAR_DISTANCE * mon->acceleration_scale &&
        b->ops->diagonals(b->self, mon->redundant.work, mon->x, m, m + n, m + 2 * n, NULL) == TML_OK;
    for (int j = tmli_mechanical(b); j < n; j++) m[j] = 0;
    for (int j = 0; j < n && mon->no_turning; j++) energy += m[j] * mon->x->u[j] * mon->x->u[j];
    mon->min_energy = MIN_ENERGY_SHARE * energy;
    mon->no_turning = mon->no_turning && energy > 0;
}

// Deactivate the requested rows. Their force is extrapolated linearly from two reliable states before mon->x,
// about `pivot` apart, and added to that of rows that were inactive already.
static void deactivate_requested(tmli_monitor *mon, double pivot)
{
    const int n = mon->redundant.base->n;
    const tml_inactive_rows *before = mon->method.inner->state(mon->method.self)->inactive;
    double *g = mon->force, *rate = mon->force + n;
    memset(g, 0, 2 * (size_t)n * sizeof *g);
    const bool reliable = find_reliable_state(mon, 0);
    const double t = mon->probe->t, distance = (mon->x->t - t) / tmli_monitor_travel_time(mon, mon->x, 1);
    if (reliable) find_requested_force(mon, g);
    if (reliable && find_reliable_state(mon, distance + fmax(RELIABLE_PIVOT, pivot))) {
        find_requested_force(mon, rate);
        for (int j = 0; j < n; j++) rate[j] = (g[j] - rate[j]) / (t - mon->probe->t);
    }
    for (int j = 0; j < n && mon->singular_rows > 0; j++) {
        g[j] += before->force[j] + (t - before->t0) * before->rate[j];
        rate[j] += before->rate[j];
    }
    decide_no_turning(mon);
    tmli_monitor_set_inactive(mon, mon->requested, mon->force, t);
}

// Pivots at which rows are deactivated at x. The force in the lost direction changes like the accelerations
// a. Over pivots up to s at the speed v its neglected change moves bodies by a s (s/v)^2: a slow motion must
// not be without its rows for long. Below the lower bound accelerations lose their digits. The constraints of
// regularized methods yield before that.
static double choose_deactivation_pivot(tmli_monitor *mon, const tml_state *x)
{
    const tmli_singular_value *smallest = &mon->smallest;
    if (mon->acceleration_scale == 0 ||
        (mon->singular_rows == 0 && smallest->known && smallest->s > RELIABLE_PIVOT))
        mon->acceleration_scale = fmax(mon->acceleration_scale, tmli_monitor_largest_rate(mon, x->udot));
    const double v = tmli_monitor_largest_rate(mon, x->u),
                 share = mon->method.inner->any_rank ? 1 : DEACTIVATION_SHARE;
    return fmax(share * mon->near_pivot * cbrt(fmin(v * v / mon->acceleration_scale, 1)),
                DEACTIVATION_SHARE * RELIABLE_PIVOT);
}

// A passage at time t [s], with the rank of the active rows elsewhere and there.
static void count_passage(tmli_monitor *mon, double t, int rank, int singular_rank)
{
    tml_counters *c = &mon->count;
    const double since = t - c->singular_last;
    if (c->singular > 0 &&
        since < tmli_monitor_travel_time(mon, mon->method.inner->state(mon->method.self), NEIGHBOURHOOD))
        return;
    if (c->singular++ == 0) c->singular_first = t;
    c->singular_last = t;
    c->rank = rank;
    c->singular_rank = singular_rank;
    tmli_log(&mon->redundant.base->env, TML_LOG_INFO,
             "singular configuration at t = %.6g s: rank %d -> %d, the smooth branch is kept", t, rank,
             singular_rank);
}

// Deactivate the requested rows from mon->x on, because they depend on others at the probe. TML_RETRY: the
// mechanism locks up there, err says how, and the previous rows are inactive.
static tml_status deactivate_singular(tmli_monitor *mon, double pivot, tml_error *err)
{
    const tml_inactive_rows *before = mon->method.inner->state(mon->method.self)->inactive;
    const int m = mon->redundant.base->m, count = before->count;
    const double h = mon->probe->t - mon->x->t;
    deactivate_requested(mon, pivot);
    tmli_monitor_predict(mon, mon->x, h);
    tml_status st = test_lock(mon, err) ? TML_RETRY : TML_OK;
    mon->locked = st == TML_RETRY;
    mon->lock_ahead |= mon->locked;
    // rows that become active may have a gap, if joints have dimensional errors
    bool reactivated = false;
    for (int r = 0; r < m; r++) reactivated |= before->row[r] && !mon->x->inactive->row[r];
    if (st == TML_OK)
        st = reactivated ? tmli_consistent_project(&mon->consistent, mon->x, err)
                         : tmli_consistent_accelerations(&mon->consistent, mon->x, err);
    if (st != TML_OK) {
        tmli_monitor_restore_inactive(mon);
        return st;
    }
    mon->deactivation_pivot = pivot;
    if (tmli_monitor_inactive_count(mon) > count) {
        mon->singular_rows += tmli_monitor_inactive_count(mon) - count;
        mon->acceleration_scale /= 2;  // old accelerations fade
        mon->smallest.known = false;
        count_passage(mon, mon->x->t + h, m - count, tmli_monitor_active_count(mon));
    }
    return TML_OK;
}

// ---- search ahead -----------------------------------------------------------------------------------------

// The point of the predicted step of size h [s] from mon->x at which most rows have pivots below `pivot`; -1:
// none has. mon->requested: these rows.
static int find_worst_point(tmli_monitor *mon, double h, double pivot)
{
    int worst = -1, rank = mon->redundant.base->m;
    for (int i = 0; i <= MAX_PARTS; i++) {
        tmli_monitor_predict(mon, mon->x, h * i / MAX_PARTS);
        if (!is_rank_deficient(mon, pivot)) continue;
        if (worst >= 0 && mon->redundant.rank >= rank) continue;
        worst = i;
        rank = mon->redundant.rank;
        memcpy(mon->requested, mon->redundant.choice.left_out, (size_t)mon->redundant.base->m * sizeof(bool));
    }
    return worst;
}

tml_status tmli_monitor_search_ahead(tmli_monitor *mon, double h, bool *found, tml_error *err)
{
    tml_state_copy(mon->x, mon->method.inner->state(mon->method.self));
    h = fmin(h, tmli_monitor_travel_time(mon, mon->x, FAR_DISTANCE));
    double pivot = choose_deactivation_pivot(mon, mon->x);
    const double max_pivot = pivot / DEACTIVATION_SHARE;
    int worst = find_worst_point(mon, h, pivot);
    while (worst < 0 && pivot < max_pivot) {  // the smallest pivot that finds rows
        pivot = fmin(2 * pivot, max_pivot);
        worst = find_worst_point(mon, h, pivot);
    }
    *found = false;
    if (worst < 0) return TML_OK;
    // Shorter steps come closer to a configuration that is farther ahead; predictions are better there.
    const double reach = MAX_STEP_PIVOTS * mon->near_pivot;
    if (!confirm_singular(mon, mon->fixed_step ? fmax(reach, FAR_DISTANCE) : reach)) return TML_OK;
    tmli_monitor_predict(mon, mon->x, h * worst / MAX_PARTS);
    tml_status st = deactivate_singular(mon, pivot, err);
    if (st == TML_OK) st = mon->method.inner->start(mon->method.self, mon->x, err);
    *found = st == TML_OK;
    return st;
}

// ---- after a step -----------------------------------------------------------------------------------------

// The rows at x seem to be on the other side of a singular configuration than those of the last comparison.
// Time [s] of the passage: signs between neighbouring states decide. NAN: rows have only turned. A passage
// before the last step, whose states are gone, is believed if the singular values admit it.
static double locate_passage(tmli_monitor *mon, const tml_state *x)
{
    tmli_singular_value *p = &mon->smallest;
    void *work = mon->consistent.matrix.work;
    double before = fmax(mon->t_before, p->t_last), after = x->t, crossed = NAN;
    interpolate_probe(mon, x, before);
    if (!tmli_singular_value_same_side(p, work, mon->probe)) {
        crossed = p->within_reach ? before : NAN;
        after = before;
    }
    tmli_singular_value_keep_rows(p, before);
    while (after - before > NEGLIGIBLE_TIME * mon->duration) {
        const double mid = (before + after) / 2;
        interpolate_probe(mon, x, mid);
        if (tmli_singular_value_same_side(p, work, mon->probe)) {
            before = mid;
            tmli_singular_value_keep_rows(p, before);
        } else {
            after = mid;
        }
    }
    interpolate_probe(mon, x, after);
    if (after > before && !tmli_singular_value_same_side(p, work, mon->probe)) crossed = after;
    tmli_singular_value_same_side(p, work, x);
    tmli_singular_value_keep_rows(p, x->t);
    return crossed;
}

bool tmli_monitor_detect_passage(tmli_monitor *mon, const tml_state *x)
{
    double crossed;
    const int active = tmli_monitor_active_count(mon);
    if (!tmli_singular_value_check(&mon->smallest, &mon->consistent, x, &crossed)) return false;
    if (!isnan(crossed) && mon->smallest.track_all) crossed = locate_passage(mon, x);
    if (isnan(crossed)) return true;
    interpolate_probe(mon, x, crossed);
    const tml_status st =
        tmli_redundant_rows_find(&mon->redundant, mon->probe, WEAK_PIVOT, TMLI_INACTIVE_ALIKE, NULL);
    int rank = st == TML_OK ? mon->redundant.rank : active;
    if (mon->smallest.track_all && active == mon->redundant.base->m)  // the sign is certain, the time is not
        rank = rank < active ? rank : active - 1;
    if (rank < active) count_passage(mon, crossed, active, rank);
    return true;
}

void tmli_monitor_check_lock(tmli_monitor *mon)
{
    tml_state_copy(mon->probe, mon->x);
    if (!is_rank_deficient(mon, mon->near_pivot)) return;
    tmli_monitor_set_inactive(mon, mon->redundant.choice.left_out, NULL, 0);
    mon->lock_ahead |= test_lock(mon, &mon->lock_error);
    tmli_monitor_restore_inactive(mon);
}

// Redundant rows are inactive, and the active rows have the small singular value s at x: request better ones.
static bool request_better_rows(tmli_monitor *mon, const tml_state *x, double s)
{
    if (tmli_monitor_inactive_count(mon) == 0 || mon->singular_rows > 0) return false;
    const bool gap = tmli_monitor_largest_gap(mon, x) > TMLI_RANK_TOLERANCE;
    return s < (gap ? WEAK_PIVOT : TMLI_NEAR_SINGULAR) && tmli_monitor_request_better(mon, x);
}

void tmli_monitor_check_singular(tmli_monitor *mon, const tml_state *x)
{
    if (!tmli_monitor_detect_passage(mon, x)) return;
    const double s = mon->smallest.s, pivot = choose_deactivation_pivot(mon, x);
    tml_state_copy(mon->x, x);
    if (request_better_rows(mon, x, s)) {
        tmli_monitor_change_rows(mon);
        return;
    }
    if (!mon->redundant.base->autonomous && s < DEACTIVATION_SHARE * mon->near_pivot)
        tmli_monitor_check_lock(mon);
    const bool close = s < pivot || !isfinite(s);
    if (!close || mon->ignore_singular) return;
    tml_state_copy(mon->probe, x);
    // Rows with pivots above twice this level would be reactivated at once (REACTIVATION_SHARE).
    if (!is_rank_deficient(mon, 2 * pivot) || mon->redundant.rank >= tmli_monitor_active_count(mon)) return;
    memcpy(mon->requested, mon->redundant.choice.left_out, (size_t)mon->redundant.base->m * sizeof(bool));
    if (!confirm_singular(mon, FAR_DISTANCE)) return;
    tml_state_copy(mon->probe, x);
    mon->rows_changed = deactivate_singular(mon, pivot, &mon->lock_error) == TML_OK;
}
