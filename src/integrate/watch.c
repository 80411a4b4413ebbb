// A method watched for constraints that depend on each other; see watch.h.
#include "integrate/watch.h"
#include "integrate/consistent.h"
#include "integrate/singular.h"
#include "reduce/dependent.h"

#include <math.h>
#include <string.h>

// Failed trials at one place after which the rows are looked at: those of Newton's method, and all. A fixed step has one.
enum { FAILURES = 2, REJECTIONS = 6 };
// Points of a predicted step that are looked at.
enum { POINTS = 9 };
// Steps between two looks at rows that repeat others, at most.
enum { LONGEST = 64 };
// Held rows are independent of the others if they change by more than this along the null space of these, in units.
static const double INDEPENDENT = 1e-3;
// Gap of held rows [units] at which they are looked at out of turn, and at which the constraints contradict each other.
static const double GAP = 1e-6, CONFLICT = 1e-4;
// Share of the pivots at which rows are held at a singular position from which on they come back; in the search held rows
// count a tenth.
static const double BACK = 0.2;
// Pivots at which the equations still give multipliers; where there is nothing better also smaller ones.
static const double CLEAR = 2e-3;
// A prediction further than this [lengths or rad] tells nothing.
static const double FAR = 0.5;
// Share of these pivots at which rows are held without a failure: not much is left before reduced equations lose their digits.
static const double CLOSE = 0.2;
// Pivots that vanish at a position that was passed, which is a prediction back from where the motion has come to.
static const double VANISH = 0.1;
// Passages that are less far from each other [lengths or rad] are one.
static const double ONE = 0.05;
// Where rows repeat others: smallest singular value of those at work below which they are exchanged for better ones, if not all
// fit and if they do, and pivots that these must have.
static const double EXCHANGE = 0.15, CLEARLY = 0.01, EXCHANGED = 0.2;
// Gap [units] up to which rows that repeat others fit to them.
static const double FITS = 1e-8;
// Gap of rows held at a singular position [units] that must be closed.
static const double TOO_OPEN = 1e-2;
// Share of the fastest moving constraint that lost directions may have to follow.
static const double LOCKED = 0.05;
// How near to a lock-up a run goes, in shares of its duration.
static const double LOCK_TIME = 1e-6;

typedef struct watch {
    tml_method_ops ops;  // handed out
    const tml_method_ops *inner;
    void *self;  // of inner
    tmli_dependent rows;
    tmli_consistent consistent;  // of the system with rows held
    bool fixed;
    double near;               // pivots of a singular position
    double duration;           // of the run [s]
    bool pending;              // rows at work have changed: begin anew before the next step
    bool *wanted;              // (m) rows to hold then
    int passed;                // rows held because of a singular position; 0: none
    int failures, rejections;  // since the last accepted step
    bool looked;               // at the rows, since then
    double longest;            // of these trials [s]
    int wait, span;            // steps until the next look, and from the last
    double gap, gap_start;     // of held rows when they were looked at last, and at the start, in units
    int open;                  // the row of the largest gap
    double level;              // pivots at which the rows of a singular position were held
    bool locks;                // a lock-up was seen ahead
    bool lock;                 // it will lock up
    tmli_singular singular;
    tml_counters count;  // of the method, with singular positions
    tml_state *x;        // to begin with
    tml_state *probe, *between;
    tml_state *last[2];  // accepted states before the last
    double *memory;      // of the vectors that follow
    double *phi, *nu;    // (m)
    double *force;       // (n) g of masked.h
    double *d;           // (n)
    double *test;        // (n) a fixed vector without meaning
    tml_error why;       // of a lock-up
    tml_error trouble;   // found after a step, told at the next one
} watch;

static void destroy(void *self)
{
    watch *w = self;
    if (!w) return;
    const tml_env env = w->rows.base->env;
    const tml_system *base = w->rows.base;
    if (w->self) w->inner->destroy(w->self);
    tmli_consistent_clear(&w->consistent);
    tml_state_destroy(w->x, base);
    tml_state_destroy(w->probe, base);
    tml_state_destroy(w->between, base);
    tmli_singular_clear(&w->singular);
    for (int i = 0; i < 2; i++) tml_state_destroy(w->last[i], base);
    tmli_dependent_clear(&w->rows);
    tmli_free(&env, w->wanted);
    tmli_free(&env, w->memory);
    tmli_free(&env, w);
}

static int held(const watch *w) { return tmli_masked_count(w->rows.system); }

// ---- rows that repeat others ------------------------------------------------------------------------------------------------

// Largest |Phi_r| of held rows at x, in units.
static double gap_at(watch *w, const tml_state *x)
{
    const tml_system *b = w->rows.base;
    const tml_status st = b->ops->position
                              ? b->ops->position(b->self, w->rows.work, x, w->phi, NULL)
                              : b->ops->residual(b->self, w->rows.work, x, NULL, w->d, w->phi, NULL);
    double gap = 0;
    for (int r = 0; r < b->m && st == TML_OK; r++) {
        if (!w->rows.system->held[r] || !(fabs(w->phi[r]) / w->rows.unit[b->n + r] > gap)) continue;
        gap = fabs(w->phi[r]) / w->rows.unit[b->n + r];
        w->open = r;
    }
    return gap;
}

// out (m) = B y of all rows at x, in units.
static tml_status rows_times(watch *w, const tml_state *x, const double *y, double *out)
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

// True if a held row is independent of the rows at work at x: it changes along their null space.
static bool some_independent(watch *w, const tml_state *x)
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
    if (rows_times(w, x, y, w->phi) != TML_OK) return false;
    for (int r = 0; r < b->m; r++)
        if (s->held[r]) largest = fmax(largest, fabs(w->phi[r]));
    return largest > INDEPENDENT;
}

// The choice of the last search is to be held from the next step on. False: it is held already.
static bool want_found(watch *w)
{
    const tmli_choice *c = &w->rows.choice;
    if (memcmp(c->left_out, w->rows.system->held, (size_t)c->m * sizeof(bool)) == 0) return false;
    memcpy(w->wanted, c->left_out, (size_t)c->m * sizeof(bool));
    w->pending = true;
    return true;
}

static void conflict(watch *w, const tml_state *x, double gap)
{
    const tml_system *b = w->rows.base;
    char name[128];
    tmli_fail(&w->trouble, TML_ERR_STEP,
              "the constraints contradict each other at t = %.6g s: %s repeats others, but is off by %.3g of "
              "its unit, and "
              "further than at the start",
              x->t, b->row_name(b, w->open, name, sizeof name), gap);
}

// After an accepted step: do held rows still depend on the others?
static void look_at_held(watch *w, const tml_state *x)
{
    if (held(w) == 0) return;
    const double gap = gap_at(w, x), most = fmax(CONFLICT, 30 * w->gap_start);
    const int row = w->open;
    const bool open = gap > 10 * w->gap + GAP || gap > most;
    if (w->passed == 0 && !open && --w->wait > 0) return;
    w->span = w->span < LONGEST ? 2 * w->span : LONGEST;
    w->wait = w->span;
    if (w->passed > 0 || some_independent(w, x)) {
        const double tolerance = w->passed > 0 ? BACK * w->level : TMLI_BUILT_TOLERANCE;
        if (tmli_dependent_find(&w->rows, x, tolerance, TMLI_HELD_LAST, NULL) == TML_OK && want_found(w)) {
            w->span = w->wait = 1;
            return;
        }
    }
    w->open = row;
    if (open) w->gap = gap;
    if (w->passed == 0 && gap > most) conflict(w, x, gap);
}

// ---- singular positions -------------------------------------------------------------------------------------------------------

// probe := the state at x.t + theta h, by velocity and acceleration
static void predict(watch *w, const tml_state *x, double h)
{
    const tml_system *b = w->rows.base;
    tml_state_copy(w->probe, x);
    for (int j = 0; j < b->n; j++) w->d[j] = h * x->u[j] + h * h / 2 * x->udot[j];
    b->ops->retract(b->self, x->q, w->d, w->probe->q);
    w->probe->t = x->t + h;
}

// True if the rows at work are dependent at the probe; then the choice is one of all rows there.
static bool deficient(watch *w, double tolerance)
{
    const int m = w->rows.base->m;
    if (tmli_dependent_find(&w->rows, w->probe, tolerance, TMLI_HELD_WITHOUT, NULL) != TML_OK) return false;
    if (w->rows.choice.rank >= m - held(w)) return false;
    return tmli_dependent_find(&w->rows, w->probe, tolerance, TMLI_HELD_LAST, NULL) == TML_OK;
}

// With the rows of `wanted` held at the probe: does a moving constraint push across a lost direction? err says which.
static bool locked(watch *w, const bool *before, tml_error *err)
{
    const tml_system *b = w->rows.base;
    double fastest = 0, lost = 0;
    int moving = 0;
    if (b->steady) return false;
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
    for (int r = 0; r < b->m; r++) w->phi[r] = w->rows.system->held[r] ? 0 : -w->phi[r];
    tmli_consistent_constrain(&w->consistent, w->phi, w->d);
    if (rows_times(w, w->probe, w->d, w->phi) != TML_OK) return false;
    for (int r = 0; r < b->m; r++) {
        const double gap = fabs(w->phi[r] - nu[r]);
        if (!w->rows.system->held[r] || before[r] || gap <= lost) continue;
        lost = gap;
    }
    if (!(lost > LOCKED * fastest)) return false;
    char name[128];
    tmli_fail(err, TML_ERR_STEP,
              "the mechanism locks up at t = %.8g s: %s drives it against a limit of its motion", w->x->t,
              b->row_name(b, moving, name, sizeof name));
    return true;
}

// Hold these rows from now on; force: what they did, if it goes on.
static void hold(watch *w, const bool *rows, const double *force)
{
    tmli_masked_hold(w->rows.system, rows, force);
    tmli_index1_rows_changed(&w->consistent.matrix);
}

// Hold the rows wanted. What those did that are not held yet, at a state where the equations still tell, goes on: the part across
// the other rows, g = B_r' lambda_r + B' mu with B inverse(M) g = 0, for which multipliers of these could not stand in.
static void hold_wanted(watch *w)
{
    const tml_system *b = w->rows.base;
    tml_state *const from[3] = {w->x, w->last[0], w->last[1]};
    double *g = w->force, *mu = w->phi;
    int i = 3;
    for (double clear = CLEAR; clear > 1e-4 * CLEAR; clear *= 0.1) {
        for (i = 0; i < 3; i++) {
            tml_state_copy(w->probe, from[i]);
            if (!deficient(w, clear) && tmli_consistent_project(&w->consistent, w->probe, NULL) == TML_OK)
                break;
        }
        if (i < 3) break;
    }
    memset(g, 0, (size_t)b->n * sizeof(double));
    tml_status st = b->ops->rows(b->self, w->rows.work, w->probe, w->rows.rows, NULL);
    for (int r = 0; r < b->m && st == TML_OK && i < 3; r++)
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1] && w->wanted[r]; k++)
            g[b->rowcol[k]] += w->rows.rows[k] * w->probe->lambda[r];
    hold(w, w->wanted, NULL);
    if (st == TML_OK) st = tmli_consistent_factor(&w->consistent, w->probe, NULL);
    if (st == TML_OK) tmli_index1_solve(&w->consistent.matrix, g, NULL, w->d, mu);
    for (int r = 0; r < b->m && st == TML_OK; r++)
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1]; k++) g[b->rowcol[k]] -= w->rows.rows[k] * mu[r];
    hold(w, w->wanted, g);
}

// Time [s] in which nothing moves further than so many lengths or rad from x.
static double reach(const watch *w, const tml_state *x, double far)
{
    double fastest = 0;
    for (int j = 0; j < w->rows.base->n; j++) fastest = fmax(fastest, fabs(x->u[j]) / w->rows.unit[j]);
    return far / fastest;
}

// Pivots at which rows are held from x on, with steps of h: so that they are passed within some steps. A slow motion close to a
// singular position must not lose its rows for long.
static double close_level(const watch *w, const tml_state *x, double h)
{
    return fmin(CLOSE * w->near, 4 * h / reach(w, x, 1));
}

// The point of the predicted step of size h from w->x where most rows have pivots below `near` and depend on others, -1: none.
// `wanted`: which.
static int find_worst(watch *w, double h, double near)
{
    int worst = -1, rank = w->rows.base->m;
    for (int i = 0; i < POINTS; i++) {
        predict(w, w->x, h * i / (POINTS - 1));
        if (!deficient(w, near)) continue;
        if (worst >= 0 && w->rows.choice.rank >= rank) continue;
        worst = i;
        rank = w->rows.choice.rank;
        memcpy(w->wanted, w->rows.choice.left_out, (size_t)w->rows.base->m * sizeof(bool));
    }
    return worst;
}

// The last state, w->x, brought onto the rows wanted; the method begins anew with it. Where that cannot be done so close to a
// singular position all stays as it is, and is tried again later; too far from one that is the end.
static void take_rows(watch *w)
{
    const tml_system *b = w->rows.base;
    w->inner->interpolate(w->self, 0.5, w->between);  // dense output is made of evaluations with the rows of the step
    const int count = held(w);
    const double gap = gap_at(w, w->x);
    bool *before = w->wanted + b->m;
    memcpy(before, w->rows.system->held, (size_t)b->m * sizeof(bool));
    hold(w, w->wanted, NULL);
    const tml_status st = tmli_consistent_project(&w->consistent, w->x, &w->trouble);
    w->trouble.status = TML_OK;
    if (st == TML_OK) {
        if (held(w) < count) w->passed = w->passed > count - held(w) ? w->passed - (count - held(w)) : 0;
        w->gap = gap_at(w, w->x);
        return;
    }
    hold(w, before, w->passed > 0 ? w->force : NULL);
    w->pending = false;
    if (gap < TOO_OPEN) return;
    w->trouble.status = TML_ERR_STEP;
    tmli_error_append(&w->trouble, "The mechanism cannot go on beyond its singular position.");
}

static void count_passage(watch *w, double t, int usual, int rank)
{
    tml_counters *c = &w->count;
    const double since = t - c->singular_last;
    if (c->singular > 0 && since < reach(w, w->inner->state(w->self), ONE)) return;  // the same
    if (c->singular++ == 0) c->singular_first = t;
    c->singular_last = t;
    c->rank = usual;
    c->singular_rank = rank;
    tmli_log(&w->rows.base->env, TML_LOG_INFO,
             "singular position at t = %.6g s: rank %d -> %d, the smooth branch is kept", t, usual, rank);
}

// From w->x on without the rows wanted, because they depend on others at the probe. TML_RETRY: there the mechanism locks up, err
// tells, and rows are held as before.
static tml_status release(watch *w, double level, tml_error *err)
{
    const tml_system *b = w->rows.base;
    bool *before = w->wanted + b->m;
    const int count = held(w);
    const double h = w->probe->t - w->x->t;
    memcpy(before, w->rows.system->held, (size_t)b->m * sizeof(bool));
    hold_wanted(w);
    predict(w, w->x, h);
    tml_status st = locked(w, before, err) ? TML_RETRY : TML_OK;
    w->lock = st == TML_RETRY;
    w->locks |= w->lock;
    if (st == TML_OK) st = tmli_consistent_accelerations(&w->consistent, w->x, err);
    if (st != TML_OK) {
        hold(w, before, NULL);
        return st;
    }
    w->level = level;
    if (held(w) > count) {
        w->passed += held(w) - count;
        w->singular.known = false;
        count_passage(w, w->x->t + h, b->m - count, b->m - held(w));
    }
    return TML_OK;
}

// Steps from the last state fail: are there singular positions on the way? *found: there are, their rows are held, and the method
// has begun anew.
static tml_status look_ahead(watch *w, double h, bool *found, tml_error *err)
{
    tml_state_copy(w->x, w->inner->state(w->self));
    h = fmin(h, reach(w, w->x, FAR));
    double level =
        CLOSE * w->near;  // no more than needed: slow motions close to a singular position must not lose their rows
    int worst = find_worst(w, h, level);
    while (worst < 0 && level < w->near) {
        level = fmin(2.5 * level, w->near);
        worst = find_worst(w, h, level);
    }
    *found = false;
    if (worst < 0) return TML_OK;
    predict(w, w->x, h * worst / (POINTS - 1));
    tml_status st = release(w, level, err);
    if (st == TML_OK) st = w->inner->start(w->self, w->x, err);
    *found = st == TML_OK;
    return st;
}

// The rank of the constraints at the time t shortly before x.
static int rank_at(watch *w, const tml_state *x, double t)
{
    predict(w, x, t - x->t);
    const tml_status st = tmli_dependent_find(&w->rows, w->probe, VANISH, TMLI_HELD_ALIKE, NULL);
    return st == TML_OK ? w->rows.choice.rank : w->rows.base->m;
}

// The motion has come to x: has it passed a singular position? False: it was not time to look.
static bool notice(watch *w, const tml_state *x)
{
    double crossed;
    const int usual = w->rows.base->m - held(w);
    if (!tmli_singular_look(&w->singular, &w->consistent, x, &crossed)) return false;
    const int rank = isnan(crossed) ? usual : rank_at(w, x, crossed);
    if (rank < usual) count_passage(w, crossed, usual, rank);
    return true;
}

// w->x is close to a singular position: does a moving constraint push across it?
static void look_for_lock(watch *w)
{
    const size_t m = (size_t)w->rows.base->m;
    bool *before = w->wanted + m;
    tml_state_copy(w->probe, w->x);
    if (!deficient(w, w->near)) return;
    memcpy(before, w->rows.system->held, m * sizeof(bool));
    hold(w, w->rows.choice.left_out, NULL);
    w->locks |= locked(w, before, &w->why);
    hold(w, before, NULL);
}

// After an accepted step: has it passed a singular position, or come so close to one that rows are better held at once?
static void look_around(watch *w, const tml_state *x)
{
    const int usual = w->rows.base->m - held(w);
    if (!notice(w, x)) return;
    const double s = w->singular.s, level = close_level(w, x, x->t - w->last[0]->t);
    const bool close = s < level || !isfinite(s);
    tml_state_copy(w->x, x);
    if (held(w) > 0 && s < (gap_at(w, x) > FITS ? EXCHANGE : CLEARLY) &&
        tmli_dependent_find(&w->rows, x, fmax(EXCHANGED, 3 * s), TMLI_HELD_ALIKE, NULL) == TML_OK &&
        w->rows.choice.rank >= usual && want_found(w)) {
        take_rows(w);  // others take their place
        w->singular.known = false;
        return;
    }
    if (!w->rows.base->steady && s < CLOSE * w->near) look_for_lock(w);
    if (!close) return;
    tml_state_copy(w->probe, x);
    if (!deficient(w, 2 * level) || w->rows.choice.rank >= usual) return;
    memcpy(w->wanted, w->rows.choice.left_out, (size_t)w->rows.base->m * sizeof(bool));
    w->inner->interpolate(w->self, 0.5, w->between);  // as above
    w->pending = release(w, level, &w->why) == TML_OK;
}

// ---- the method --------------------------------------------------------------------------------------------------------------

static void forget_trials(watch *w)
{
    w->failures = w->rejections = 0;
    w->looked = w->lock = false;
    w->longest = 0;
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    watch *w = self;
    w->pending = false;
    w->passed = 0;
    w->wait = w->span = 1;
    w->trouble.status = TML_OK;
    w->level = w->near;
    w->locks = false;
    forget_trials(w);
    hold(w, NULL, NULL);
    tml_status st = tmli_dependent_find(&w->rows, x, TMLI_BUILT_TOLERANCE, TMLI_HELD_LAST, err);
    if (st != TML_OK) return st;
    tml_state_copy(w->x, x);
    if (w->rows.choice.rank < w->rows.base->m) {
        hold(w, w->rows.choice.left_out, NULL);
        st = tmli_consistent_project(&w->consistent, w->x, err);
    }
    w->gap = w->gap_start = gap_at(w, w->x);
    w->singular.known = false;
    for (int i = 0; i < 2; i++) tml_state_copy(w->last[i], w->x);
    return st == TML_OK ? w->inner->start(w->self, w->x, err) : st;
}

// While rows are held at a singular position steps do not go much further than it takes them to come back.
static bool too_long(const watch *w, double h)
{
    return w->passed > 0 && !w->fixed && h > reach(w, w->inner->state(w->self), 4 * w->near);
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    watch *w = self;
    if (w->trouble.status != TML_OK) {
        if (err) *err = w->trouble;
        return w->trouble.status;
    }
    tml_status st = w->pending ? w->inner->start(w->self, w->x, err) : TML_OK;
    w->pending = false;
    if (st != TML_OK) return st;
    if (too_long(w, h)) return tmli_fail(err, TML_RETRY, "the step leads too far beyond a singular position");
    st = w->inner->step(w->self, h, error, err);
    const bool failed = st == TML_RETRY || st == TML_ERR_NAN || st == TML_ERR_SINGULAR;
    if ((!failed && !(st == TML_OK && *error > 1)) || w->inner->any_rank) return st;
    if (w->locks && h < LOCK_TIME * w->duration) {
        if (err) *err = w->why;
        return TML_ERR_STEP;
    }
    w->failures += failed;
    w->rejections++;
    w->longest = fmax(w->longest, h);
    if (w->failures < (w->fixed ? 1 : FAILURES) && w->rejections < REJECTIONS) return st;
    bool found = false;
    if (!w->lock) {
        if (w->looked && w->rejections % 4 != 0) return st;
        w->looked = true;
        const tml_status ahead = look_ahead(w, w->longest, &found, &w->why);
        if (ahead != TML_OK && err) *err = w->why;
        if (ahead != TML_OK && !w->lock) return ahead;
    }
    if (w->lock) {
        if (err) *err = w->why;
        return h < LOCK_TIME * w->duration || w->fixed ? TML_ERR_STEP : TML_RETRY;
    }
    return found && !too_long(w, h) ? w->inner->step(w->self, h, error, err) : st;
}

static const tml_state *state(const void *self)
{
    const watch *w = self;
    return w->pending ? w->x : w->inner->state(w->self);
}

static void accept(void *self, double t)
{
    watch *w = self;
    const double before = state(w)->t;
    tml_state *older = w->last[1];
    w->last[1] = w->last[0];
    w->last[0] = older;
    tml_state_copy(older, state(w));
    w->inner->accept(w->self, t);
    const tml_state *x = w->inner->state(w->self);
    forget_trials(w);
    look_at_held(w, x);
    if (w->pending) {
        tml_state_copy(w->x, x);
        take_rows(w);
    }
    if (w->pending || w->passed > 0 || w->trouble.status != TML_OK || w->inner->any_rank) return;
    const int parts = tmli_singular_parts(&w->singular, x, x->t - before);
    for (int i = 1; i < parts && !w->pending; i++) {  // long steps are looked at in between too
        w->inner->interpolate(w->self, (double)i / parts, w->between);
        w->between->t = before + (x->t - before) * i / parts;
        notice(w, w->between);
    }
    look_around(w, x);
}

static double first_step(void *self) { return ((watch *)self)->inner->first_step(((watch *)self)->self); }

static double next_step(void *self, double h, double error, bool accepted)
{
    watch *w = self;
    return w->inner->next_step(w->self, h, error, accepted);
}

static void interpolate(const void *self, double theta, tml_state *out)
{
    const watch *w = self;
    w->inner->interpolate(w->self, theta, out);
}

static const tml_counters *counters(const void *self)
{
    watch *w = (watch *)self;
    const tml_counters own = w->count;
    w->count = *w->inner->counters(w->self);
    w->count.singular = own.singular;
    w->count.singular_first = own.singular_first;
    w->count.singular_last = own.singular_last;
    w->count.rank = own.rank;
    w->count.singular_rank = own.singular_rank;
    return &w->count;
}

static double condition(void *self) { return ((watch *)self)->inner->condition(((watch *)self)->self); }

static void conditioning(void *self, tml_conditioning *out)
{
    ((watch *)self)->inner->conditioning(((watch *)self)->self, out);
}

static bool stiff(const void *self)
{
    const watch *w = self;
    return w->inner->stiff(w->self);
}

// ---- creation -------------------------------------------------------------------------------------------------------------------

static void set_table(watch *w)
{
    w->ops = *w->inner;
    w->ops.create = NULL;  // made by tmli_watch_create
    w->ops.start = start;
    w->ops.first_step = first_step;
    w->ops.step = step;
    w->ops.next_step = next_step;
    w->ops.accept = accept;
    w->ops.interpolate = interpolate;
    w->ops.state = state;
    w->ops.counters = counters;
    w->ops.condition = condition;
    w->ops.destroy = destroy;
    if (w->inner->conditioning) w->ops.conditioning = conditioning;
    if (w->inner->stiff) w->ops.stiff = stiff;
}

static tml_status make_parts(watch *w, const tml_system *sys, const tml_integrator_options *opt, tml_error *err)
{
    const size_t n = (size_t)sys->n, m = (size_t)sys->m;
    tml_status st = tmli_dependent_create(sys, &w->rows, err);
    w->rows.base = sys;
    if (st == TML_OK) st = tmli_consistent_create(w->rows.system, opt->solver, &w->consistent, err);
    if (st == TML_OK) st = tml_state_create(sys, &w->x, err);
    if (st == TML_OK) st = tml_state_create(sys, &w->probe, err);
    if (st == TML_OK) st = tml_state_create(sys, &w->between, err);
    if (st == TML_OK) st = tmli_singular_create(&w->rows, &w->singular, err);
    for (int i = 0; i < 2 && st == TML_OK; i++) st = tml_state_create(sys, &w->last[i], err);
    w->wanted = tmli_calloc(&sys->env, 2 * m + 1, sizeof *w->wanted);
    w->memory = tmli_calloc(&sys->env, 2 * m + 3 * n, sizeof(double));
    if (st == TML_OK && !(w->wanted && w->memory)) st = tmli_no_memory(err, "integrator");
    if (st != TML_OK) return st;
    w->phi = w->memory;
    w->nu = w->phi + m;
    w->d = w->nu + m;
    w->test = w->d + n;
    w->force = w->test + n;
    for (size_t j = 0; j < n; j++)
        w->test[j] = w->rows.unit[j] * (0.5 + fmod(0.6180339887498949 * (double)(j + 1), 1));
    return w->inner->create(w->rows.system, opt, &w->self, err);
}

// While rows are held over pivots up to s, the neglected change of the force across, of the order s, moves things by s^3: that
// must be within the tolerance. Much smaller pivots leave no digits to the accelerations of reduced equations.
static double near_singular(double tol)
{
    return fmin(fmax(0.3 * cbrt(tol), 0.1 * TMLI_NEAR_SINGULAR), TMLI_NEAR_SINGULAR);
}

tml_status tmli_watch_create(const tml_method_ops *inner, const tml_system *sys,
                             const tml_integrator_options *opt, const tml_method_ops **ops, void **self,
                             tml_error *err)
{
    *ops = inner;
    *self = NULL;
    if (!sys->loops) return inner->create(sys, opt, self, err);
    watch *w = tmli_calloc(&sys->env, 1, sizeof *w);
    if (!w) return tmli_no_memory(err, "integrator");
    w->inner = inner;
    w->fixed = opt->fixed_step;
    w->duration = opt->duration;
    w->near = opt->fixed_step ? 0.3 * TMLI_NEAR_SINGULAR : near_singular(opt->rtol);
    set_table(w);
    const tml_status st = make_parts(w, sys, opt, err);
    if (st != TML_OK) {
        destroy(w);
        return st;
    }
    *ops = &w->ops;
    *self = w;
    return TML_OK;
}
