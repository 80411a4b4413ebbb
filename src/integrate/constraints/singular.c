// Singular positions and lock-up; see watch.h and watch_parts.h.
#include "integrate/constraints/internal.h"

#include <math.h>
#include <string.h>

// Points of a predicted step that are looked at.
enum { POINTS = 9 };
// Halvings of a step in which a singular position was passed.
enum { BISECTIONS = 12 };
// Pivots at which the equations still give multipliers, with errors of the order round-off/s^3, and how far
// from a state [lengths or rad] such are looked for.
static const double CLEAR = 5e-4, FURTHEST = 0.05;
// A prediction further than this [lengths or rad] tells nothing.
static const double FAR = 0.5;
// Share of these pivots at which rows are held without a failure: not much is left before reduced equations
// lose their digits. Methods of any rank begin to give way before that.
static const double CLOSE = 0.2, CLOSE_SOFT = 0.6, LEAST = 1e-4;
// Pivots that vanish at a position that was passed, which is a prediction back from where the motion has come
// to.
static const double VANISH = 0.1;
// Square of the speed over the acceleration [lengths or rad] from which on a motion goes through without
// turning.
static const double SWIFT = 0.5;
// Passages that are less far from each other [lengths or rad] are one.
static const double ONE = 0.05;
// Where rows repeat others: smallest singular value of those at work below which they are exchanged for
// better ones, if not all fit and if they do, and pivots that these must have.
static const double EXCHANGE = 0.15, CLEARLY = 0.01, EXCHANGED = 0.2;
// Gap [units] up to which rows that repeat others fit to them.
static const double FITS = 1e-8;
// Share of the fastest moving constraint that lost directions may have to follow.
static const double LOCKED = 0.05;

void tmli_monitor_predict(tmli_monitor *w, const tml_state *x, double h)
{
    const tml_system *b = w->rows.base;
    tml_state_copy(w->probe, x);
    for (int j = 0; j < b->n; j++) w->d[j] = h * x->u[j] + h * h / 2 * x->udot[j];
    b->ops->retract(b->self, x->q, w->d, w->probe->q);
    w->probe->t = x->t + h;
}

// True if the rows at work are dependent at the probe; then the choice is one of all rows there.
static bool deficient(tmli_monitor *w, double tolerance)
{
    const int m = w->rows.base->m;
    if (tmli_redundant_rows_find(&w->rows, w->probe, tolerance, TMLI_INACTIVE_ZERO, NULL) != TML_OK)
        return false;
    if (w->rows.choice.rank >= m - tmli_monitor_inactive_count(w)) return false;
    return tmli_redundant_rows_find(&w->rows, w->probe, tolerance, TMLI_INACTIVE_LAST, NULL) == TML_OK;
}

// With the rows of `wanted` held at the probe: does a moving constraint push across a lost direction? err
// says which.
static bool locked(tmli_monitor *w, const bool *before, tml_error *err)
{
    const tml_system *b = w->rows.base;
    double fastest = 0, lost = 0;
    int moving = 0;
    if (b->autonomous) return false;
    memset(w->probe->u, 0, (size_t)b->n * sizeof(double));
    tml_status st = b->ops->velocity(b->self, w->rows.work, w->probe, w->phi, NULL);  // -nu
    if (st == TML_OK) st = tmli_consistent_factor(&w->consistent, w->probe, NULL);
    if (st != TML_OK) return false;
    double *nu = w->nu;
    for (int r = 0; r < b->m; r++) {
        nu[r] = -w->phi[r] / w->rows.unit[b->n + r];
        if (!(fabs(nu[r]) > fastest)) continue;
        fastest = fabs(nu[r]);
        moving = r;
    }
    for (int r = 0; r < b->m; r++) w->phi[r] = w->rows.system->inactive[r] ? 0 : -w->phi[r];
    tmli_consistent_constrain(&w->consistent, w->phi, w->d);
    if (tmli_monitor_rows_times(w, w->probe, w->d, w->phi) != TML_OK) return false;
    for (int r = 0; r < b->m; r++) {
        const double gap = fabs(w->phi[r] - nu[r]);
        if (!w->rows.system->inactive[r] || before[r] || gap <= lost) continue;
        lost = gap;
    }
    if (!(lost > LOCKED * fastest)) return false;
    char name[128];
    tmli_fail(err, TML_ERR_STEP,
              "the mechanism locks up at t = %.8g s: %s drives it against a limit of its motion", w->x->t,
              b->row_name(b, moving, name, sizeof name));
    return true;
}

static double fastest_change(const tmli_monitor *w, const double *rates)
{
    double most = 0;
    for (int j = 0; j < w->rows.base->n; j++) most = fmax(most, fabs(rates[j]) / w->rows.unit[j]);
    return most;
}

double tmli_monitor_reach(const tmli_monitor *w, const tml_state *x, double far)
{
    return far / fastest_change(w, x->u);
}

// probe := the state h before w->x, by velocity and acceleration; without this where it has lost its digits,
// and would turn the motion round
static void look_back(tmli_monitor *w, double h)
{
    const tml_system *b = w->rows.base;
    const tml_state *x = w->x;
    const double trust = h * fastest_change(w, x->udot) < fastest_change(w, x->u) ? 1 : 0;
    tml_state_copy(w->probe, x);
    for (int j = 0; j < b->n; j++) {
        const double change = trust * h * x->udot[j];
        w->probe->u[j] -= change;
        w->d[j] = h * (change / 2 - x->u[j]);
    }
    b->ops->retract(b->self, x->q, w->d, w->probe->q);
    w->probe->t = x->t - h;
}

// probe := a state on the motion that led to w->x, at least `back` [lengths or rad] before it, at which the
// equations give multipliers; false: there is none
static bool find_clear(tmli_monitor *w, double back)
{
    for (; back < FURTHEST; back = fmax(2 * back, CLEAR)) {
        const double h = back > 0 ? tmli_monitor_reach(w, w->x, back) : 0;
        if (!isfinite(h)) return false;
        look_back(w, h);
        if (!deficient(w, CLEAR) && tmli_consistent_project(&w->consistent, w->probe, NULL) == TML_OK)
            return true;
    }
    return false;
}

// The rows of `before`, with the force that stood for them.
static void hold_before(tmli_monitor *w, const bool *before)
{
    memcpy(w->force, w->kept, 2 * (size_t)w->rows.base->n * sizeof(double));
    w->t_force = w->t_kept;
    tmli_monitor_deactivate(w, before, w->passed > 0 ? w->force : NULL);
}

// g (n) := what the rows wanted, of which those of `before` are held so far, do at the probe across the
// others: B_r' lambda_r + B' mu with B inverse(M) g = 0, for which multipliers of these could not stand in
static void force_of_wanted(tmli_monitor *w, const bool *before, double *g)
{
    const tml_system *b = w->rows.base;
    memset(g, 0, (size_t)b->n * sizeof *g);
    const tml_status st = b->ops->rows(b->self, w->rows.work, w->probe, w->rows.rows, NULL);
    for (int r = 0; r < b->m && st == TML_OK; r++)
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1] && w->wanted[r]; k++)
            g[b->rowcol[k]] += w->rows.rows[k] * w->probe->lambda[r];
    tmli_monitor_deactivate(w, w->wanted, NULL);
    tmli_monitor_project_across(w, w->probe, g);
    hold_before(w, before);
}

// Is the motion so swift that it goes through, and constraints stand still? Then forces of theirs do no work.
static void judge_speed(tmli_monitor *w)
{
    const tml_system *b = w->rows.base;
    const int n = b->n;
    double *m = w->inertia, energy = 0;
    const double v = fastest_change(w, w->x->u);
    w->swift = b->autonomous && v * v > SWIFT * w->pace &&
               b->ops->diagonals(b->self, w->rows.work, w->x, m, m + n, m + 2 * n, NULL) == TML_OK;
    for (int j = 0; j < n && w->swift; j++) energy += m[j] * w->x->u[j] * w->x->u[j];
    w->least = 1e-6 * energy;
    w->swift = w->swift && energy > 0;
}

// Hold the rows wanted. What those did that are not held yet, close to w->x where the equations still tell,
// goes on and changes as it did between two states on the way there, about `level` apart. So does what was
// done for rows held already.
static void hold_wanted(tmli_monitor *w, const bool *before, double level)
{
    const int n = w->rows.base->n;
    double *g = w->fresh, *rate = w->fresh + n;
    memset(g, 0, 2 * (size_t)n * sizeof *g);
    const bool clear = find_clear(w, 0);
    const double t = w->probe->t, back = (w->x->t - t) / tmli_monitor_reach(w, w->x, 1);
    if (clear) force_of_wanted(w, before, g);
    if (clear && find_clear(w, back + fmax(CLEAR, level))) {
        force_of_wanted(w, before, rate);
        for (int j = 0; j < n; j++) rate[j] = (g[j] - rate[j]) / (t - w->probe->t);
    }
    for (int j = 0; j < n && w->passed > 0; j++) {
        g[j] += w->kept[j] + (t - w->t_kept) * w->kept[n + j];
        rate[j] += w->kept[n + j];
    }
    memcpy(w->force, g, 2 * (size_t)n * sizeof *g);
    w->t_force = t;
    judge_speed(w);
    tmli_monitor_deactivate(w, w->wanted, w->force);
}

// Pivots at which rows are held from x on. The force across changes like the accelerations a, and over pivots
// up to s at the speed v its neglected change moves things by a s (s/v)^2: a slow motion must not lose its
// rows for long. Where pivots are so small that accelerations lose their digits, it must.
static double close_level(tmli_monitor *w, const tml_state *x)
{
    if (w->pace == 0 || (w->passed == 0 && w->singular.known && w->singular.s > CLEAR))
        w->pace = fmax(w->pace, fastest_change(w, x->udot));
    const double v = fastest_change(w, x->u), close = w->method.inner->any_rank ? CLOSE_SOFT : CLOSE;
    return fmax(close * w->near * cbrt(fmin(v * v / w->pace, 1)), LEAST);
}

// The point of the predicted step of size h from w->x where most rows have pivots below `near` and depend on
// others, -1: none. `wanted`: which.
static int find_worst(tmli_monitor *w, double h, double near)
{
    int worst = -1, rank = w->rows.base->m;
    for (int i = 0; i < POINTS; i++) {
        tmli_monitor_predict(w, w->x, h * i / (POINTS - 1));
        if (!deficient(w, near)) continue;
        if (worst >= 0 && w->rows.choice.rank >= rank) continue;
        worst = i;
        rank = w->rows.choice.rank;
        memcpy(w->wanted, w->rows.choice.left_out, (size_t)w->rows.base->m * sizeof(bool));
    }
    return worst;
}

static void count_passage(tmli_monitor *w, double t, int usual, int rank)
{
    tml_counters *c = &w->count;
    const double since = t - c->singular_last;
    if (c->singular > 0 && since < tmli_monitor_reach(w, w->method.inner->state(w->method.self), ONE))
        return;  // the same
    if (c->singular++ == 0) c->singular_first = t;
    c->singular_last = t;
    c->rank = usual;
    c->singular_rank = rank;
    tmli_log(&w->rows.base->env, TML_LOG_INFO,
             "singular position at t = %.6g s: rank %d -> %d, the smooth branch is kept", t, usual, rank);
}

// From w->x on without the rows wanted, because they depend on others at the probe. TML_RETRY: there the
// mechanism locks up, err tells, and rows are held as before.
static tml_status release(tmli_monitor *w, double level, tml_error *err)
{
    const tml_system *b = w->rows.base;
    bool *before = w->wanted + b->m;
    const int count = tmli_monitor_inactive_count(w);
    const double h = w->probe->t - w->x->t;
    memcpy(before, w->rows.system->inactive, (size_t)b->m * sizeof(bool));
    memcpy(w->kept, w->force, 2 * (size_t)b->n * sizeof(double));
    w->t_kept = w->t_force;
    hold_wanted(w, before, level);
    tmli_monitor_predict(w, w->x, h);
    tml_status st = locked(w, before, err) ? TML_RETRY : TML_OK;
    w->lock = st == TML_RETRY;
    w->locks |= w->lock;
    // rows that come to work in the place of others may have a gap, if measures do not fit
    bool exchanged = false;
    for (int r = 0; r < b->m; r++) exchanged |= before[r] && !w->rows.system->inactive[r];
    if (st == TML_OK)
        st = exchanged ? tmli_consistent_project(&w->consistent, w->x, err)
                       : tmli_consistent_accelerations(&w->consistent, w->x, err);
    if (st != TML_OK) {
        hold_before(w, before);
        return st;
    }
    w->level = level;
    if (tmli_monitor_inactive_count(w) > count) {
        w->passed += tmli_monitor_inactive_count(w) - count;
        w->pace /= 2;
        w->singular.known = false;
        count_passage(w, w->x->t + h, b->m - count, b->m - tmli_monitor_inactive_count(w));
    }
    return TML_OK;
}

tml_status tmli_monitor_look_ahead(tmli_monitor *w, double h, bool *found, tml_error *err)
{
    tml_state_copy(w->x, w->method.inner->state(w->method.self));
    h = fmin(h, tmli_monitor_reach(w, w->x, FAR));
    double level = close_level(w, w->x);  // and no more than needed
    const double most = level / CLOSE;
    int worst = find_worst(w, h, level);
    while (worst < 0 && level < most) {
        level = fmin(2.5 * level, most);
        worst = find_worst(w, h, level);
    }
    *found = false;
    if (worst < 0) return TML_OK;
    tmli_monitor_predict(w, w->x, h * worst / (POINTS - 1));
    tml_status st = release(w, level, err);
    if (st == TML_OK) st = w->method.inner->start(w->method.self, w->x, err);
    *found = st == TML_OK;
    return st;
}

// probe := the state at a time t up to x, in the last step or shortly before it
static void look_at(tmli_monitor *w, const tml_state *x, double t)
{
    const double end = w->method.inner->state(w->method.self)->t,
                 theta = (t - w->t_before) / (end - w->t_before);
    if (!(theta >= 0)) {
        tmli_monitor_predict(w, x, t - x->t);
        return;
    }
    w->method.inner->interpolate(w->method.self, theta, w->probe);
    w->probe->t = t;
}

// A singular position was passed before x, by an estimate at the time t: when, if that was in the last step.
static double locate(tmli_monitor *w, const tml_state *x, double t)
{
    void *work = w->consistent.matrix.work;
    double before = w->t_before, after = x->t;
    look_at(w, x, before);
    if (!w->singular.all || tmli_singular_beyond(&w->singular, work, w->probe)) return t;
    for (int i = 0; i < BISECTIONS; i++) {
        const double mid = (before + after) / 2;
        look_at(w, x, mid);
        if (tmli_singular_beyond(&w->singular, work, w->probe)) after = mid;
        else before = mid;
    }
    return after;
}

bool tmli_monitor_note_passage(tmli_monitor *w, const tml_state *x)
{
    double crossed;
    const int usual = w->rows.base->m - tmli_monitor_inactive_count(w);
    if (!tmli_singular_look(&w->singular, &w->consistent, x, &crossed)) return false;
    if (isnan(crossed)) return true;
    crossed = locate(w, x, crossed);
    look_at(w, x, crossed);
    const tml_status st = tmli_redundant_rows_find(&w->rows, w->probe, VANISH, TMLI_INACTIVE_ALIKE, NULL);
    int rank = st == TML_OK ? w->rows.choice.rank : usual;
    if (w->singular.all && usual == w->rows.base->m)
        rank = rank < usual ? rank : usual - 1;  // if not exactly there
    if (rank < usual) count_passage(w, crossed, usual, rank);
    return true;
}

void tmli_monitor_check_lock(tmli_monitor *w)
{
    const size_t m = (size_t)w->rows.base->m;
    bool *before = w->wanted + m;
    tml_state_copy(w->probe, w->x);
    if (!deficient(w, w->near)) return;
    memcpy(before, w->rows.system->inactive, m * sizeof(bool));
    tmli_monitor_deactivate(w, w->rows.choice.left_out, NULL);
    w->locks |= locked(w, before, &w->why);
    tmli_monitor_deactivate(w, before, NULL);
}

void tmli_monitor_check_singular(tmli_monitor *w, const tml_state *x)
{
    const int usual = w->rows.base->m - tmli_monitor_inactive_count(w);
    if (!tmli_monitor_note_passage(w, x)) return;
    const double s = w->singular.s, level = close_level(w, x);
    const bool close = s < level || !isfinite(s);
    tml_state_copy(w->x, x);
    if (tmli_monitor_inactive_count(w) > 0 && w->passed == 0 &&
        s < (tmli_monitor_gap_at(w, x) > FITS ? EXCHANGE : CLEARLY) &&
        tmli_redundant_rows_find(&w->rows, x, fmax(EXCHANGED, 3 * s), TMLI_INACTIVE_ALIKE, NULL) == TML_OK &&
        w->rows.choice.rank >= usual && tmli_monitor_request_found(w)) {
        tmli_monitor_change_rows(w);  // others take their place
        return;
    }
    if (!w->rows.base->autonomous && s < CLOSE * w->near) tmli_monitor_check_lock(w);
    if (!close || w->alone) return;
    tml_state_copy(w->probe, x);
    if (!deficient(w, 2 * level) || w->rows.choice.rank >= usual) return;
    memcpy(w->wanted, w->rows.choice.left_out, (size_t)w->rows.base->m * sizeof(bool));
    tmli_active_rows_save(w->rows.system);
    w->pending = release(w, level, &w->why) == TML_OK;
}
