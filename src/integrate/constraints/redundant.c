// Redundant rows of the constraint monitor; see monitor.h and internal.h.
#include "base/quantity.h"
#include "integrate/constraints/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "consistency/tolerances.h"
#include "integrate/constraints/constants.h"

enum { NAMED_JOINTS = 5 };  // in an error message

// The rows of mon->x are in effect.
static void use_rows(tmli_monitor *mon)
{
    tmli_inactive_copy(mon->probe, mon->x);
    tmli_index1_rows_changed(&mon->consistent.matrix);
}

void tmli_monitor_set_inactive(tmli_monitor *mon, const bool *inactive, const double *force, double t0)
{
    tml_inactive_rows *rows = mon->x->inactive;
    tmli_inactive_set(mon->x, inactive, force);
    rows->t0 = t0;
    if (force && mon->no_turning) {
        memcpy(rows->inertia, mon->inertia, (size_t)mon->redundant.base->n * sizeof *rows->inertia);
        rows->min_energy = mon->min_energy;
    }
    use_rows(mon);
}

void tmli_monitor_restore_inactive(tmli_monitor *mon)
{
    tmli_inactive_copy(mon->x, mon->method.inner->state(mon->method.self));
    use_rows(mon);
}

// |Phi_r| in row units; its largest value over all rows, or over inactive ones. *row: its row.
static double largest_residual(tmli_monitor *mon, const tml_state *x, bool all, int *row)
{
    const tml_system *b = mon->redundant.base;
    void *work = mon->redundant.work;
    const tml_status st = tmli_active_position(b, work, x, mon->d, mon->phi, NULL);
    double largest = 0;
    for (int r = 0; r < b->m && st == TML_OK; r++) {
        if (b->level && b->level[r] == TML_LEVEL_VELOCITY) continue;
        const double residual = fabs(mon->phi[r]) / mon->redundant.unit[b->n + r];
        if (!(all || x->inactive->row[r]) || !(residual > largest)) continue;
        largest = residual;
        *row = r;
    }
    return largest;
}

double tmli_monitor_largest_gap(tmli_monitor *mon, const tml_state *x)
{
    return largest_residual(mon, x, false, &mon->gap_row);
}

double tmli_monitor_largest_residual(tmli_monitor *mon, const tml_state *x)
{
    int row;
    return largest_residual(mon, x, true, &row);
}

// Largest |B u - nu| of inactive rows at velocity level at x, in row units per s; mon->gap_row: its row.
static double largest_rate_gap(tmli_monitor *mon, const tml_state *x)
{
    const tml_system *b = mon->redundant.base;
    double largest = 0;
    if (tmli_active_velocity(b, mon->redundant.work, x, mon->phi, NULL) != TML_OK) return 0;
    for (int r = 0; r < b->m; r++) {
        if (b->level[r] != TML_LEVEL_VELOCITY || !x->inactive->row[r]) continue;
        const double rate = fabs(mon->phi[r]) / mon->redundant.unit[b->n + r];
        if (!(rate > largest)) continue;
        largest = rate;
        mon->gap_row = r;
    }
    return largest;
}

// Inactive rows at velocity level have no Phi. Their rates contradict those of active rows if the velocities
// that fit the active rows do not fit them. mon->phi holds B u - nu then. Velocities of a method have errors
// of their own, so they are projected before this is decided.
static bool rates_contradict(tmli_monitor *mon, const tml_state *x)
{
    if (!mon->redundant.base->level) return false;
    const double scale = tmli_monitor_largest_rate(mon, x->u) + 1 / mon->duration;
    if (!(largest_rate_gap(mon, x) > CONFLICT_GAP * scale)) return false;
    tml_state_copy(mon->probe, x);
    return tmli_consistent_project(&mon->consistent, mon->probe, NULL) == TML_OK &&
           largest_rate_gap(mon, mon->probe) > CONFLICT_GAP * scale;
}

tml_status tmli_monitor_multiply_rows(tmli_monitor *mon, const tml_state *x, const double *y, double *out)
{
    const tml_system *b = mon->redundant.base;
    double *B = mon->redundant.B_values;
    const tml_status st = tmli_active_rows(b, mon->redundant.work, x, B, NULL);
    for (int r = 0; r < b->m; r++) {
        out[r] = 0;
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1]; k++) out[r] += B[k] * y[b->rowcol[k]];
        out[r] /= mon->redundant.unit[b->n + r];
    }
    return st;
}

bool tmli_monitor_any_independent(tmli_monitor *mon, const tml_state *x)
{
    const tml_system *b = mon->redundant.base, *s = mon->redundant.system;
    double largest = 0, *y = mon->d, *B = mon->redundant.B_values;
    if (tmli_index1_factor(&mon->consistent.matrix, x, 0, 0, NULL) != TML_OK) return true;
    if (tmli_active_rows(s, mon->consistent.matrix.work, x, B, NULL) != TML_OK) return false;
    for (int r = 0; r < b->m; r++) {
        mon->phi[r] = 0;
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1]; k++)
            mon->phi[r] += B[k] * mon->test_vector[b->rowcol[k]];
    }
    tmli_consistent_constrain(&mon->consistent, mon->phi, y);
    for (int j = 0; j < b->n; j++) y[j] = mon->test_vector[j] - y[j];  // in the null space of the active rows
    if (tmli_monitor_multiply_rows(mon, x, y, mon->phi) != TML_OK) return false;
    for (int r = 0; r < b->m; r++)
        if (x->inactive->row[r]) largest = fmax(largest, fabs(mon->phi[r]));
    return largest > TMLI_AMPLIFIED_TOLERANCE;
}

void tmli_monitor_project_force(tmli_monitor *mon, const tml_state *x, double *g)
{
    const tml_system *b = mon->redundant.base;
    double *mu = mon->phi, *B = mon->redundant.B_values;
    tml_status st = tmli_index1_factor(&mon->consistent.matrix, x, 0, 0, NULL);
    if (st == TML_OK) st = tmli_active_rows(b, mon->redundant.work, x, B, NULL);
    if (st != TML_OK) return;
    tmli_index1_solve(&mon->consistent.matrix, g, NULL, mon->d, mu);
    for (int r = 0; r < b->m; r++)
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1]; k++) g[b->rowcol[k]] -= B[k] * mu[r];
}

bool tmli_monitor_request_found(tmli_monitor *mon)
{
    const tmli_pivot_choice *c = &mon->redundant.choice;
    if (memcmp(c->left_out, mon->x->inactive->row, (size_t)c->m * sizeof(bool)) == 0) return false;
    memcpy(mon->requested, c->left_out, (size_t)c->m * sizeof(bool));
    mon->rows_changed = true;
    return true;
}

// ---- contradiction ----------------------------------------------------------------------------------------

// mu (m): coefficients of the active rows whose linear combination is the row with the largest gap, B' mu =
// B_r', in row units.
static bool express_gap_row(tmli_monitor *mon, const tml_state *x, double *mu)
{
    const tml_system *b = mon->redundant.base;
    const double *unit = mon->redundant.unit + b->n;
    const int row = mon->gap_row;
    double *g = mon->d, *B = mon->redundant.B_values;
    if (tmli_index1_factor(&mon->consistent.matrix, x, 0, 0, NULL) != TML_OK ||
        tmli_active_rows(b, mon->redundant.work, x, B, NULL) != TML_OK)
        return false;
    memset(g, 0, (size_t)b->n * sizeof *g);
    for (int k = b->rowptr[row]; k < b->rowptr[row + 1]; k++) g[b->rowcol[k]] += B[k];
    tmli_index1_solve(&mon->consistent.matrix, g, NULL, g, mu);
    for (int r = 0; r < b->m; r++) mu[r] *= unit[r] / unit[row];
    return true;
}

// " joint 'motor1' and joint 'C'": the joints that the row with the largest gap depends on. The last joint
// comes first, since drivers follow the joints they drive.
static void name_partners(tmli_monitor *mon, const tml_state *x, char *buf, size_t size)
{
    const tml_system *b = mon->redundant.base;
    double largest = 0, *mu = mon->nu;
    char list[NAMED_JOINTS + 1][128], name[128];
    int count = 0;
    buf[0] = 0;
    if (!express_gap_row(mon, x, mu)) return;
    for (int r = 0; r < b->m; r++) largest = fmax(largest, fabs(mu[r]));
    for (int r = b->m - 1; r >= 0 && count <= NAMED_JOINTS; r--) {
        if (!(fabs(mu[r]) > TMLI_AMPLIFIED_TOLERANCE * largest) || x->inactive->row[r]) continue;
        b->row_name(b, r, name, sizeof name);
        char *const rest = strstr(name, " (row ");  // a joint is named once
        if (rest) *rest = 0;
        if (count == 0 || strcmp(list[count - 1], name) != 0) memcpy(list[count++], name, sizeof name);
    }
    for (int i = 0; i < count; i++) {
        const size_t used = strlen(buf);
        const char *const separator = i == 0 ? " " : i + 1 < count ? ", " : " and ";
        snprintf(buf + used, size - used, "%s%.100s", separator, i < NAMED_JOINTS ? list[i] : "others");
    }
}

// mon->phi holds Phi of the row with the largest gap, or its rate.
static void report_contradiction(tmli_monitor *mon, const tml_state *x, bool rate)
{
    const double degree = 57.29577951308232;
    const tml_system *b = mon->redundant.base;
    const char *const unit = b->row_unit ? b->row_unit(b, mon->gap_row) : "";
    const bool angle = tmli_quantity_of(unit) == TMLI_QUANTITY_ANGLE;
    const double violation = fabs(mon->phi[mon->gap_row]);
    char name[128], partners[(NAMED_JOINTS + 1) * 128];
    name_partners(mon, x, partners, sizeof partners);
    tmli_fail(
        &mon->pending_error, TML_ERR_STEP,
        "the constraints contradict each other at t = %.6g s: %s depends on%s but is violated by %.3g%s%s%s",
        x->t, b->row_name(b, mon->gap_row, name, sizeof name), partners[0] ? partners : " other constraints",
        angle ? violation * degree : violation, unit[0] ? " " : "", angle ? "deg" : unit, rate ? "/s" : "");
}

// ---- checks -----------------------------------------------------------------------------------------------

bool tmli_monitor_request_better(tmli_monitor *mon, const tml_state *x)
{
    tmli_redundant_rows *red = &mon->redundant;
    const int active = tmli_monitor_active_count(mon);
    for (double tolerance = 4 * WEAK_PIVOT; tolerance > WEAK_PIVOT; tolerance /= 2)
        if (tmli_redundant_rows_find(red, x, tolerance, TMLI_INACTIVE_ALIKE, NULL) == TML_OK &&
            red->rank >= active)
            return red->rank == active && tmli_monitor_request_found(mon);
    return false;
}

// If joints have dimensional errors, active rows that approach a singular configuration open the gaps of
// inactive ones. False: active rows are not weak, or there are no better ones.
static bool exchange_weak(tmli_monitor *mon, const tml_state *x)
{
    tmli_redundant_rows *red = &mon->redundant;
    return tmli_redundant_rows_find(red, x, WEAK_PIVOT, TMLI_INACTIVE_ZERO, NULL) == TML_OK &&
           red->rank < tmli_monitor_active_count(mon) && tmli_monitor_request_better(mon, x);
}

// Search for the rows that depend on others at x and request them. False: those are inactive already.
static bool request_redundant(tmli_monitor *mon, const tml_state *x)
{
    tmli_redundant_rows *red = &mon->redundant;
    const int active = tmli_monitor_active_count(mon);
    const tml_status st =
        mon->singular_rows > 0
            ? tmli_redundant_rows_find_most(red, x, active + mon->singular_rows,
                                            REACTIVATION_SHARE * mon->deactivation_pivot, WEAK_PIVOT,
                                            TMLI_INACTIVE_LAST, NULL)
            : tmli_redundant_rows_find_built(red, x, mon->gap_start > TMLI_EXACT_FIT ? active : red->base->m,
                                             TMLI_INACTIVE_LAST, NULL);
    return st == TML_OK && (mon->singular_rows == 0 || red->rank > active) && tmli_monitor_request_found(mon);
}

void tmli_monitor_check_inactive(tmli_monitor *mon, const tml_state *x)
{
    if (tmli_monitor_inactive_count(mon) == 0) return;
    const double gap = tmli_monitor_largest_gap(mon, x),
                 limit = fmax(CONFLICT_GAP, GAP_GROWTH * mon->gap_start);
    const bool rates = mon->singular_rows == 0 && rates_contradict(mon, x);
    const bool open = gap > GAP_GROWTH * mon->gap + TMLI_GAP_INCREASE || gap > limit || rates;
    if (mon->singular_rows == 0 && !open && --mon->check_countdown > 0) return;
    mon->check_interval = mon->check_interval < MAX_SKIPPED ? 2 * mon->check_interval : MAX_SKIPPED;
    mon->check_countdown = mon->check_interval;
    if ((mon->singular_rows > 0 || tmli_monitor_any_independent(mon, x)) && request_redundant(mon, x)) {
        mon->check_interval = mon->check_countdown = 1;
        return;
    }
    if (mon->singular_rows == 0 && open && exchange_weak(mon, x)) return;
    if (open) mon->gap = gap;
    if (mon->singular_rows > 0 || (gap <= limit && !rates)) return;
    if (gap > limit) tmli_monitor_largest_gap(mon, x);
    else largest_rate_gap(mon, x);
    report_contradiction(mon, x, gap <= limit);
}

// ---- change of the active rows ----------------------------------------------------------------------------

// The active rows could not be changed, and the gaps are too large to continue: pending_error gets the
// reason.
static void report_failed_change(tmli_monitor *mon)
{
    tml_error *err = &mon->pending_error;
    err->status = TML_ERR_STEP;
    tml_state_copy(mon->x, mon->method.inner->state(mon->method.self));
    if (!mon->redundant.base->autonomous && !mon->lock_ahead) tmli_monitor_check_lock(mon);
    if (mon->lock_ahead) *err = mon->lock_error;
    else if (mon->singular_rows > 0)
        tmli_error_append(err, "The mechanism cannot continue beyond its singular configuration.");
    else if (mon->gap_start > TMLI_EXACT_FIT)
        tmli_error_append(err, "Redundant joints do not fit exactly ('trammel check' lists them), and their "
                               "mismatch has become too large to be closed.");
    else
        tmli_error_append(err, "Redundant rows became independent. If the model starts at rest in a singular "
                               "configuration, give it a small initial velocity.");
}

void tmli_monitor_change_rows(tmli_monitor *mon)
{
    const size_t n = (size_t)mon->redundant.base->n;
    const tml_inactive_rows *before = mon->method.inner->state(mon->method.self)->inactive;
    const int count = before->count;
    const double gap = tmli_monitor_largest_gap(mon, mon->x);
    tmli_monitor_set_inactive(mon, mon->requested, NULL, 0);
    const int reactivated = count - tmli_monitor_inactive_count(mon),
              singular_rows = reactivated > 0 ? mon->singular_rows - reactivated : mon->singular_rows;
    tml_status st = tmli_consistent_project(&mon->consistent, mon->x, &mon->pending_error);
    if (st == TML_OK && singular_rows > 0) {  // some rows stay inactive, and their force stays
        memcpy(mon->force, before->force, 2 * n * sizeof(double));
        tmli_monitor_project_force(mon, mon->x, mon->force);
        tmli_monitor_project_force(mon, mon->x, mon->force + n);
        tmli_monitor_set_inactive(mon, mon->requested, mon->force, before->t0);
        st = tmli_consistent_accelerations(&mon->consistent, mon->x, &mon->pending_error);
    }
    mon->pending_error.status = TML_OK;
    if (st == TML_OK) {
        mon->singular_rows = singular_rows > 0 ? singular_rows : 0;
        mon->gap = tmli_monitor_largest_gap(mon, mon->x);
        double crossed;
        mon->smallest.known = false;  // its vectors belong to other rows
        tmli_singular_value_check(&mon->smallest, &mon->consistent, mon->x, &crossed);
        const bool exchanged = reactivated == 0 && singular_rows <= 0 && gap < TMLI_RANK_TOLERANCE;
        if (exchanged && mon->method.inner->rows_changed) {  // x is unchanged: no restart
            mon->method.inner->rows_changed(mon->method.self, mon->x);
            mon->rows_changed = false;
        }
        return;
    }
    tmli_monitor_restore_inactive(mon);
    mon->rows_changed = false;
    if (gap < (mon->singular_rows > 0 ? TMLI_NEAR_SINGULAR : CONFLICT_GAP)) return;
    report_failed_change(mon);
}
