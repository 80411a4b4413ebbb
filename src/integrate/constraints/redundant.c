// Rows that repeat others; see watch.h and watch_parts.h.
#include "integrate/constraints/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Steps between two looks at rows that repeat others, at most.
enum { LONGEST = 64 };
// Held rows are independent of the others if they change by more than this along the null space of these, in
// units.
static const double INDEPENDENT = 1e-3;
// Gap of held rows [units] at which they are looked at out of turn, and at which the constraints contradict
// each other.
static const double GAP = 1e-6, CONFLICT = 1e-4;
// Pivots of rows close to a singular position.
static const double WEAK = 0.1;
// Share of the pivots at which rows are held at a singular position from which on they come back; in the
// search held rows count a tenth.
static const double BACK = 0.2;
// Gap of rows [units] up to which a state has them fulfilled.
static const double FITS = 1e-8;
// Gap at the start [units] above which measures do not fit exactly.
static const double EXACT = 1e-11;
// Gap of rows held at a singular position [units] that must be closed.
static const double TOO_OPEN = 1e-2;
// Coefficient of a row, of the largest, in the sum that another is.
static const double TAKES_PART = 1e-3;
enum { NAMED = 5 };  // joints that are named in a sentence

void tmli_monitor_deactivate(tmli_monitor *w, const bool *rows, const double *force)
{
    tmli_active_rows_deactivate(w->rows.system, rows, force);
    if (force) tmli_active_rows_set_force_rate(w->rows.system, force + w->rows.base->n, w->t_force);
    if (force && w->swift) tmli_active_rows_force_without_work(w->rows.system, w->inertia, w->least);
    tmli_index1_rows_changed(&w->consistent.matrix);
}

double tmli_monitor_gap_at(tmli_monitor *w, const tml_state *x)
{
    const tml_system *b = w->rows.base;
    const tml_status st = b->ops->position
                              ? b->ops->position(b->self, w->rows.work, x, w->phi, NULL)
                              : b->ops->residual(b->self, w->rows.work, x, NULL, w->d, w->phi, NULL);
    double gap = 0;
    for (int r = 0; r < b->m && st == TML_OK; r++) {
        if (!w->rows.system->inactive[r] || !(fabs(w->phi[r]) / w->rows.unit[b->n + r] > gap)) continue;
        gap = fabs(w->phi[r]) / w->rows.unit[b->n + r];
        w->open = r;
    }
    return gap;
}

tml_status tmli_monitor_rows_times(tmli_monitor *w, const tml_state *x, const double *y, double *out)
{
    const tml_system *b = w->rows.base;
    const tml_status st = b->ops->rows(b->self, w->rows.work, x, w->rows.rows, NULL);
    for (int r = 0; r < b->m; r++) {
        out[r] = 0;
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1]; k++) out[r] += w->rows.rows[k] * y[b->rowcol[k]];
        out[r] /= w->rows.unit[b->n + r];
    }
    return st;
}

bool tmli_monitor_any_independent(tmli_monitor *w, const tml_state *x)
{
    const tml_system *b = w->rows.base, *s = w->rows.system;
    double largest = 0, *y = w->d;
    if (tmli_consistent_factor(&w->consistent, x, NULL) != TML_OK) return true;
    if (s->ops->rows(s->self, w->consistent.matrix.work, x, w->rows.rows, NULL) != TML_OK) return false;
    for (int r = 0; r < b->m; r++) {
        w->phi[r] = 0;
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1]; k++)
            w->phi[r] += w->rows.rows[k] * w->test[b->rowcol[k]];
    }
    tmli_consistent_constrain(&w->consistent, w->phi, y);
    for (int j = 0; j < b->n; j++) y[j] = w->test[j] - y[j];
    if (tmli_monitor_rows_times(w, x, y, w->phi) != TML_OK) return false;
    for (int r = 0; r < b->m; r++)
        if (s->inactive[r]) largest = fmax(largest, fabs(w->phi[r]));
    return largest > INDEPENDENT;
}

void tmli_monitor_project_across(tmli_monitor *w, const tml_state *x, double *g)
{
    const tml_system *b = w->rows.base;
    double *mu = w->phi;
    tml_status st = tmli_consistent_factor(&w->consistent, x, NULL);
    if (st == TML_OK) st = b->ops->rows(b->self, w->rows.work, x, w->rows.rows, NULL);
    if (st != TML_OK) return;
    tmli_index1_solve(&w->consistent.matrix, g, NULL, w->d, mu);
    for (int r = 0; r < b->m; r++)
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1]; k++) g[b->rowcol[k]] -= w->rows.rows[k] * mu[r];
}

bool tmli_monitor_request_found(tmli_monitor *w)
{
    const tmli_pivot_choice *c = &w->rows.choice;
    if (memcmp(c->left_out, w->rows.system->inactive, (size_t)c->m * sizeof(bool)) == 0) return false;
    memcpy(w->wanted, c->left_out, (size_t)c->m * sizeof(bool));
    w->pending = true;
    return true;
}

// mu (m): the rows at work whose sum the open row is, B' mu = its row of B, in units.
static bool sum_of_open_row(tmli_monitor *w, const tml_state *x, double *mu)
{
    const tml_system *b = w->rows.base;
    const double *unit = w->rows.unit + b->n;
    double *g = w->d;
    if (tmli_consistent_factor(&w->consistent, x, NULL) != TML_OK ||
        b->ops->rows(b->self, w->rows.work, x, w->rows.rows, NULL) != TML_OK)
        return false;
    memset(g, 0, (size_t)b->n * sizeof *g);
    for (int k = b->rowptr[w->open]; k < b->rowptr[w->open + 1]; k++) g[b->rowcol[k]] += w->rows.rows[k];
    tmli_index1_solve(&w->consistent.matrix, g, NULL, g, mu);
    for (int r = 0; r < b->m; r++) mu[r] *= unit[r] / unit[w->open];
    return true;
}

// " joint 'motor1' and joint 'C'": those that the open row repeats, the last ones first, since drivers come
// after what they drive.
static void name_partners(tmli_monitor *w, const tml_state *x, char *buf, size_t size)
{
    const tml_system *b = w->rows.base;
    double largest = 0, *mu = w->nu;
    char list[NAMED + 1][128], name[128];
    int count = 0;
    buf[0] = 0;
    if (!sum_of_open_row(w, x, mu)) return;
    for (int r = 0; r < b->m; r++) largest = fmax(largest, fabs(mu[r]));
    for (int r = b->m - 1; r >= 0 && count <= NAMED; r--) {
        if (!(fabs(mu[r]) > TAKES_PART * largest) || w->rows.system->inactive[r]) continue;
        b->row_name(b, r, name, sizeof name);
        char *const rest = strstr(name, " (row ");  // a joint is named once
        if (rest) *rest = 0;
        if (count == 0 || strcmp(list[count - 1], name) != 0) memcpy(list[count++], name, sizeof name);
    }
    for (int i = 0; i < count; i++) {
        const size_t used = strlen(buf);
        const char *const glue = i == 0 ? " " : i + 1 < count ? ", " : " and ";
        snprintf(buf + used, size - used, "%s%.100s", glue, i < NAMED ? list[i] : "others");
    }
}

// Phi of the open row is in w->phi.
static void conflict(tmli_monitor *w, const tml_state *x)
{
    const double degree = 57.29577951308232;
    const tml_system *b = w->rows.base;
    const char *const unit = b->row_unit ? b->row_unit(b, w->open) : "";
    const bool angle = strcmp(unit, "rad") == 0;
    const double off = fabs(w->phi[w->open]);
    char name[128], partners[(NAMED + 1) * 128];
    name_partners(w, x, partners, sizeof partners);
    tmli_fail(&w->trouble, TML_ERR_STEP,
              "the constraints contradict each other at t = %.6g s: %s repeats%s, but is off by %.3g%s%s",
              x->t, b->row_name(b, w->open, name, sizeof name), partners[0] ? partners : " others",
              angle ? off * degree : off, unit[0] ? " " : "", angle ? "deg" : unit);
}

// Rows at work that come close to a singular position open the gaps of held ones, if measures do not fit: as
// many others that are far from it are to take their place. False: there are none.
static bool exchange(tmli_monitor *w, const tml_state *x)
{
    const int usual = w->rows.base->m - tmli_monitor_inactive_count(w);
    if (tmli_redundant_rows_find(&w->rows, x, WEAK, TMLI_INACTIVE_ZERO, NULL) != TML_OK ||
        w->rows.choice.rank >= usual)
        return false;  // they are not
    for (double tolerance = 4 * WEAK; tolerance > WEAK; tolerance /= 1.5)
        if (tmli_redundant_rows_find(&w->rows, x, tolerance, TMLI_INACTIVE_ALIKE, NULL) == TML_OK &&
            w->rows.choice.rank >= usual)
            return w->rows.choice.rank == usual && tmli_monitor_request_found(w);
    return false;
}

void tmli_monitor_check_inactive(tmli_monitor *w, const tml_state *x)
{
    if (tmli_monitor_inactive_count(w) == 0) return;
    const double gap = tmli_monitor_gap_at(w, x), most = fmax(CONFLICT, 30 * w->gap_start);
    const bool open = gap > 10 * w->gap + GAP || gap > most;
    const int rank = w->rows.base->m - tmli_monitor_inactive_count(w);
    if (w->passed == 0 && !open && --w->wait > 0) return;
    w->span = w->span < LONGEST ? 2 * w->span : LONGEST;
    w->wait = w->span;
    if (w->passed > 0 || tmli_monitor_any_independent(w, x)) {
        const tml_status st =
            w->passed > 0
                ? tmli_redundant_rows_find_most(&w->rows, x, rank + w->passed, BACK * w->level, WEAK,
                                                TMLI_INACTIVE_LAST, NULL)
                : tmli_redundant_rows_find_built(&w->rows, x, w->gap_start > EXACT ? rank : w->rows.base->m,
                                                 TMLI_INACTIVE_LAST, NULL);
        if (st == TML_OK && (w->passed == 0 || w->rows.choice.rank > rank) && tmli_monitor_request_found(w)) {
            w->span = w->wait = 1;
            return;
        }
    }
    if (w->passed == 0 && open && exchange(w, x)) return;
    if (open) w->gap = gap;
    if (w->passed > 0 || gap <= most) return;
    tmli_monitor_gap_at(w, x);
    conflict(w, x);
}

void tmli_monitor_change_rows(tmli_monitor *w)
{
    const tml_system *b = w->rows.base;
    tmli_active_rows_save(w->rows.system);
    const int count = tmli_monitor_inactive_count(w);
    const double gap = tmli_monitor_gap_at(w, w->x);
    bool *before = w->wanted + b->m;
    memcpy(before, w->rows.system->inactive, (size_t)b->m * sizeof(bool));
    tmli_monitor_deactivate(w, w->wanted, NULL);
    const int back = count - tmli_monitor_inactive_count(w), passed = back > 0 ? w->passed - back : w->passed;
    tml_status st = tmli_consistent_project(&w->consistent, w->x, &w->trouble);
    if (st == TML_OK && passed > 0) {  // some are held on
        tmli_monitor_project_across(w, w->x, w->force);
        tmli_monitor_project_across(w, w->x, w->force + b->n);
        tmli_monitor_deactivate(w, w->wanted, w->force);
        st = tmli_consistent_accelerations(&w->consistent, w->x, &w->trouble);
    }
    w->trouble.status = TML_OK;
    if (st == TML_OK) {
        w->passed = passed > 0 ? passed : 0;
        w->gap = tmli_monitor_gap_at(w, w->x);
        double crossed;
        w->singular.known = false;  // those rows tell no more: the way on is measured from here
        tmli_singular_look(&w->singular, &w->consistent, w->x, &crossed);
        if (back == 0 && passed <= 0 && gap < FITS &&
            w->method.inner->rows_changed) {  // an exchange, and x is where it was
            w->method.inner->rows_changed(w->method.self, w->x->lambda);
            w->pending = false;
        }
        return;
    }
    tmli_monitor_deactivate(w, before, w->passed > 0 ? w->force : NULL);
    w->pending = false;
    if (gap < (w->passed > 0 ? TOO_OPEN : CONFLICT)) return;
    w->trouble.status = TML_ERR_STEP;
    tml_state_copy(w->x, w->method.inner->state(w->method.self));
    if (!b->autonomous && !w->locks) tmli_monitor_check_lock(w);
    if (w->locks) w->trouble = w->why;
    else if (w->passed > 0)
        tmli_error_append(&w->trouble, "The mechanism cannot go on beyond its singular position.");
    else if (w->gap_start > EXACT)
        tmli_error_append(&w->trouble,
                          "Joints that repeat others do not quite fit to them ('trammel check' names "
                          "them): the error grows here beyond what can be closed.");
    else
        tmli_error_append(
            &w->trouble,
            "Rows that repeated others at the start do so no more: a start at rest in a singular "
            "position? A velocity there, however small, says which way it goes.");
}
