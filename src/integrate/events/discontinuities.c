// Location of discontinuities; see discontinuities.h.
//
// An event function of time alone, m(t), is searched ahead by strides d within which it cannot have a root,
// judged by its first two derivatives:
//   m + m' d - |m''| d^2 = 0                                             (1)
// A stride is accepted only if m and m' at its end are about where their Taylor series put them, else it is
// halved. The root is bisected down to neighbouring floating-point numbers.
#include "integrate/events/discontinuities.h"
#include "base/archive.h"
#include "base/modes.h"
#include "integrate/events/impacts.h"
#include "system/state/move.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/events/constants.h"

void tmli_discontinuities_clear(tmli_discontinuities *s)
{
    if (!s->sys) return;
    const tml_env *env = &s->sys->env;
    if (s->work) s->sys->ops->destroy_work(s->work);
    tml_state_destroy(s->probe, s->sys);
    tml_state_destroy(s->later, s->sys);
    tmli_free_all(env, s->sample, s->changes);
    *s = (tmli_discontinuities){0};
}

tml_status tmli_discontinuities_create(const tml_system *sys, double duration, double tol,
                                       tmli_discontinuities *s, tml_error *err)
{
    *s = (tmli_discontinuities){
        .sys = sys, .n = sys->nmode, .duration = duration, .tol = tol, .next = INFINITY, .skip = -INFINITY};
    if (s->n == 0) return TML_OK;
    const size_t n = (size_t)s->n;
    for (int i = 0; i < s->n; i++) s->of_state = s->of_state || !sys->switches[i].of_time;
    s->sample = tmli_calloc(&sys->env, (SAMPLE_POINTS + 5) * n, sizeof(double));
    s->changes = tmli_calloc(&sys->env, n, sizeof *s->changes);
    s->work = sys->ops->create_work(sys->self, &sys->env);
    tml_status st = s->sample && s->changes && s->work ? TML_OK : tmli_no_memory(err, "simulation");
    if (st == TML_OK) st = tml_state_create(sys, &s->probe, err);
    if (st == TML_OK) st = tml_state_create(sys, &s->later, err);
    if (st != TML_OK) {
        tmli_discontinuities_clear(s);
        return st;
    }
    s->found = s->sample + (SAMPLE_POINTS + 1) * n;
    s->since = s->found + n;
    s->rate = s->since + n;
    s->slope = s->rate + n;
    return TML_OK;
}

static void ignore_time(const tmli_discontinuities *s, double *value)
{
    for (int i = 0; i < s->n; i++)
        if (s->sys->switches[i].of_time) value[i] = INFINITY;
}

// value (n): event functions that are not of time alone; INFINITY for the others.
static void evaluate_events(tmli_discontinuities *s, const tml_state *x, double *value)
{
    s->sys->ops->event_values(s->sys->self, s->work, x, value);
    ignore_time(s, value);
}

static bool holds_rows(const tmli_discontinuities *s, const tml_state *x)
{
    bool any = false;
    for (int i = 0; i < s->n && s->sys->switches_rows; i++) any = any || tmli_holds_row(s->sys, x, i);
    return any;
}

// The same in the coordinates of the method, which costs less, at the share theta of the last step. False:
// not possible. Event functions of rows that are in force need the forces there; if rows depend on each
// other, s->forces shares them.
static bool evaluate_inside(const tmli_discontinuities *s, const tmli_driver *d, double theta, double *value)
{
    const tml_system *sys;
    void *work;
    if (!d->method->inside) return false;
    const bool forces = holds_rows(s, d->method->state(d->self));
    if (forces && (!s->forces || tmli_consistent_inactive_count(s->forces) > 0)) return false;
    const tml_state *x = d->method->inside(d->self, theta, forces, &sys, &work);
    if (!x) return false;
    sys->ops->event_values(sys->self, work, x, value);
    ignore_time(s, value);
    return true;
}

// [s] Times near t that are closer to each other are the same.
static double time_resolution(const tmli_discontinuities *s, double t)
{
    return TIME_ROUNDOFF * fmax(fabs(t), s->duration);
}

// s->later := the state a little after x. It tells the mode of a discontinuity whose event function is zero
// at x: in time by its resolution, in positions and velocities by enough to show.
static void set_later_state(tmli_discontinuities *s, const tml_state *x)
{
    const tml_system *sys = s->sys;
    const double e = INSTANT * s->duration;
    double *d = s->later->udot;
    tml_state_copy(s->later, x);
    for (int j = 0; j < sys->n; j++) d[j] = e * (x->u[j] + e / 2 * x->udot[j]);
    tmli_state_move(sys, x, d, s->later);
    for (int j = 0; j < sys->n; j++) s->later->u[j] = x->u[j] + e * x->udot[j];
    s->later->t = x->t + time_resolution(s, x->t);
}

void tmli_discontinuities_set_modes(tmli_discontinuities *s, tml_state *x)
{
    if (s->n == 0) return;
    set_later_state(s, x);
    s->sys->ops->switch_modes(s->sys->self, s->work, x, s->later, true, NULL);
}

// Rows that depend on each other share forces in many ways: those by which they hold, if x has accelerations
// and multipliers by which they do not.
static void share_forces(tmli_discontinuities *s, tml_state *x)
{
    if (s->rest && s->forces && tmli_consistent_inactive_count(s->forces) > 0)
        tmli_impact_rows_rest(s->rest, x, true, true);
}

void tmli_discontinuities_restart(tmli_discontinuities *s, const tml_state *x)
{
    if (s->n == 0) return;
    s->searched = fmax(x->t, s->skip);
    s->next = INFINITY;
    if (!s->of_state) return;
    tml_state_copy(s->probe, x);
    share_forces(s, s->probe);
    evaluate_events(s, s->probe, s->sample);
    for (int i = 0; i < s->n; i++) s->slope[i] = INFINITY;
}

// ---- discontinuities of time ------------------------------------------------------------------------------

static bool has_ended(const double m[3]) { return m[0] < 0 || (m[0] == 0 && m[1] < 0); }

// A stride that does not reach a root of m, as far as (1) tells; at most `longest`.
static double search_stride(const double m[3], double longest)
{
    const double a = 2 * fabs(m[2]), distance = fmax(m[0], 0);
    if (!isfinite(m[0])) return longest;
    if (a == 0) return m[1] < 0 ? fmin(distance / -m[1], longest) : longest;
    return fmin((m[1] + sqrt(m[1] * m[1] + 2 * a * distance)) / a, longest);
}

static bool follows_taylor(const double m[3], double d, const double found[3])
{
    if (!isfinite(m[0]) || !isfinite(found[0])) return true;
    const double size = fabs(m[0]) + fabs(m[1]) * d + fabs(m[2]) * d * d / 2;
    return fabs(m[0] + m[1] * d + m[2] * d * d / 2 - found[0]) <= TAYLOR_ERROR * size &&
           d * fabs(m[1] + m[2] * d - found[1]) <= TAYLOR_ERROR * size;
}

// First time in (t, *end] at which discontinuity i leaves its branch, or INFINITY. *end is reduced if the
// search does not get there.
static double find_next_of_time(const tmli_discontinuities *s, int i, const double *mode, double t,
                                double *end)
{
    const tml_system *sys = s->sys;
    const double span = *end - t, least = fmax(INSTANT * span, time_resolution(s, t));
    double m[3], found[3], low = t, high;
    sys->ops->event_of_time(sys->self, i, t, mode, m);
    if (has_ended(m) && !(m[1] > 0)) return t;
    for (int evaluations = 0;;) {
        double d = fmax(search_stride(m, span / SAMPLE_POINTS), least);
        for (;; d = fmax(d / 2, least)) {
            high = fmin(low + d, *end);
            sys->ops->event_of_time(sys->self, i, high, mode, found);
            evaluations++;
            if (high - low <= least || follows_taylor(m, high - low, found)) break;
        }
        if (has_ended(found)) break;
        if (high >= *end) return INFINITY;
        low = high;
        memcpy(m, found, sizeof m);
        if (evaluations >= MAX_SEARCH_EVALUATIONS) {
            *end = low;
            return INFINITY;
        }
    }
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) return high;
        sys->ops->event_of_time(sys->self, i, middle, mode, m);
        if (has_ended(m)) high = middle;
        else low = middle;
    }
}

double tmli_discontinuities_limit(tmli_discontinuities *s, const tml_state *x, double h, double t_end)
{
    if (s->n == 0) return t_end;
    const double goal = fmin(x->t + h, t_end);
    if (s->searched < goal && s->next > s->searched) {
        double end = fmin(fmax(goal, s->searched + s->duration / SEARCH_AHEAD), fmax(t_end, goal));
        for (int i = 0; i < s->n; i++)
            if (s->sys->switches[i].of_time) {
                s->next = fmin(s->next, find_next_of_time(s, i, x->mode, s->searched, &end));
                end = fmin(end, fmax(s->next, s->searched));
                if (end <= s->searched) break;
            }
        s->searched = end;
    }
    double limit = fmin(t_end, s->next);
    if (s->searched < goal) limit = fmin(limit, s->searched);
    return limit - x->t <= time_resolution(s, x->t) && limit < t_end ? x->t : limit;
}

// ---- discontinuities of the state -------------------------------------------------------------------------

// Accelerations and multipliers of x, if friction sticks there: those of the method belong to its scheme.
static tml_status set_forces(tmli_discontinuities *s, tml_state *x, tml_error *err)
{
    if (!s->forces || !holds_rows(s, x)) return TML_OK;
    const tml_status st = tmli_consistent_accelerations(s->forces, x, err);
    if (st == TML_OK) share_forces(s, x);
    return st;
}

// Those of time alone do not depend on inputs.
bool tmli_discontinuities_inputs_changed(tmli_discontinuities *s, const tmli_driver *d)
{
    bool left = false;
    if (!s->of_state) return false;
    memcpy(s->found, s->sample, (size_t)s->n * sizeof *s->found);
    if (!evaluate_inside(s, d, 1, s->sample)) {
        tml_state_copy(s->probe, d->method->state(d->self));
        set_forces(s, s->probe, NULL);
        evaluate_events(s, s->probe, s->sample);
    }
    for (int i = 0; i < s->n; i++) left = left || (s->sample[i] < 0 && !(s->found[i] < 0));
    return left;
}

// s->probe := state at the share theta of the last step; value (n): event functions there. Where friction
// locks itself there are no forces, and those of forces are not known. only: the one that is wanted, -1: all.
static void evaluate_within_step(tmli_discontinuities *s, const tmli_driver *d, double theta, int only,
                                 double *value)
{
    if (theta >= 1) tml_state_copy(s->probe, d->method->state(d->self));
    else d->method->interpolate(d->self, theta, s->probe);
    const bool by_force = s->sys->switches_rows && (only < 0 || tmli_holds_row(s->sys, s->probe, only));
    const tml_status st = by_force ? set_forces(s, s->probe, theta >= 1 ? &s->locked : NULL) : TML_OK;
    evaluate_events(s, s->probe, value);
    for (int i = 0; i < s->n && st != TML_OK; i++)
        if (s->sys->switches[i].row >= 0) value[i] = INFINITY;
}

// The first point beyond the end of branch i between `low`, where the event function is a >= 0, and `high`,
// where it is b < 0: regula falsi with halved ends (Illinois), with a bisection at regular intervals.
static double locate_root(tmli_discontinuities *s, const tmli_driver *d, int i, double low, double a,
                          double high, double b, double resolution)
{
    int side = 0;
    for (int k = 0; high - low > resolution; k++) {
        const double share =
            k % BISECTION_PERIOD == BISECTION_PERIOD - 1 || !(a > 0) || isinf(a) ? 0.5 : a / (a - b);
        double theta = low + (high - low) * share;
        // not too near to the ends, so that the bracket closes from both sides
        theta = fmin(fmax(theta, low + resolution / 2), high - resolution / 2);
        if (theta <= low || theta >= high) break;
        evaluate_within_step(s, d, theta, i, s->found);
        if (s->found[i] < 0) {
            high = theta;
            b = s->found[i];
            if (side > 0) a /= 2;
            side = 1;
        } else {
            low = theta;
            a = s->found[i];
            if (side < 0) b /= 2;
            side = -1;
        }
    }
    return high;
}

// A part of a step, as shares of it; its event functions are known at SAMPLE_POINTS + 1 points.
typedef struct part {
    double start, length;
} part;

static double point_of(const part *p, double k) { return p->start + p->length * k / SAMPLE_POINTS; }

// Where event function i, positive at the three points k - 1 to k + 1 of a part, may have a minimum below
// zero; NAN: nowhere. Any minimum inside is checked: one evaluation is cheap.
static double suspected_minimum(const tmli_discontinuities *s, const part *p, int i, int k)
{
    const double a = s->sample[(k - 1) * s->n + i], b = s->sample[k * s->n + i],
                 c = s->sample[(k + 1) * s->n + i];
    const double curve = a - 2 * b + c, slope = (c - a) / 2;
    if (!isfinite(a + b + c) || !(b > 0 && b <= a && b <= c && curve > 0)) return NAN;
    return point_of(p, k - slope / curve);
}

// The steepest change of event function i from one point of a part to the next
static double steepest(const tmli_discontinuities *s, int i)
{
    double most = 0;
    for (int k = 1; k <= SAMPLE_POINTS; k++) {
        const double change = fabs(s->sample[k * s->n + i] - s->sample[(k - 1) * s->n + i]);
        if (isfinite(change)) most = fmax(most, change);
    }
    return most;
}

// Whether an event function that is positive at two points may be negative between them. It changes by about
// `change` from one to the other.
static bool may_dip(double a, double b, double change)
{
    return a > 0 && b > 0 && a + b < DIP_STEEPNESS * change;
}

// A point between `low` and `high` where event function i is negative; NAN: none is found. Between points
// where it may dip it is evaluated in the middle, and again in both halves.
static double find_dip(tmli_discontinuities *s, const tmli_driver *d, int i, double low, double a,
                       double high, double b, double change, int halvings)
{
    if (halvings == 0 || !may_dip(a, b, change)) return NAN;
    const double middle = (low + high) / 2;
    evaluate_within_step(s, d, middle, i, s->found);
    const double m = s->found[i];
    if (m < 0) return middle;
    const double at = find_dip(s, d, i, low, a, middle, m, change / 2, halvings - 1);
    return isnan(at) ? find_dip(s, d, i, middle, m, high, b, change / 2, halvings - 1) : at;
}

// When discontinuity i leaves its branch within a part, as a share of the step; 2 if it does not. An event
// function that begins negative, by the round-off of its last change, counts once it has been positive, or if
// it never becomes positive. One that begins at zero without such a change has come there from its branch.
static double find_exit(tmli_discontinuities *s, const tmli_driver *d, const part *p, int i,
                        double resolution)
{
    const double *m = s->sample + i;
    const int n = s->n;
    const double change = steepest(s, i);
    const bool changed = p->start == 0 && s->slope[i] == INFINITY;
    bool was_positive = m[0] > 0 || (m[0] == 0 && !changed), ever = was_positive;
    for (int k = 1; k <= SAMPLE_POINTS; k++) ever = ever || m[k * n] >= 0;
    if (!ever) return locate_root(s, d, i, p->start, 0, point_of(p, 1), m[n], resolution);
    for (int k = 1; k <= SAMPLE_POINTS; k++) {
        const double low = point_of(p, k - 1),
                     at = was_positive && k < SAMPLE_POINTS ? suspected_minimum(s, p, i, k) : NAN;
        if (was_positive && m[k * n] < 0)
            return locate_root(s, d, i, low, m[(k - 1) * n], point_of(p, k), m[k * n], resolution);
        if (was_positive) {
            const double dip =
                find_dip(s, d, i, low, m[(k - 1) * n], point_of(p, k), m[k * n], change, DIP_HALVINGS);
            if (!isnan(dip)) {
                evaluate_within_step(s, d, dip, i, s->found);
                return locate_root(s, d, i, low, m[(k - 1) * n], dip, s->found[i], resolution);
            }
        }
        was_positive = was_positive || m[k * n] > 0;
        if (isnan(at)) continue;
        evaluate_within_step(s, d, at, i, s->found);
        if (s->found[i] < 0) return locate_root(s, d, i, low, m[(k - 1) * n], at, s->found[i], resolution);
    }
    return 2;
}

// Parts of the last step, of the size h, in which no body turns far.
static int count_parts(const tml_system *sys, const tml_state *x, double h)
{
    double fastest = 0;
    for (int j = 0; j < sys->n && sys->kind; j++)
        if (sys->kind[j] == TML_COORDINATE_ROTATION) fastest = fmax(fastest, fabs(x->u[j]));
    return 1 + (int)fmin(fastest * h / SAMPLED_ROTATION, MAX_SAMPLED_PARTS - 1);
}

// Samples of a whole step, of the size h, that was cut to a quarter or less of what its error allows: its end
// alone is as dense as the samples of the longer step, for functions that stay farther from zero than they
// change, in this step and as fast as in the one before. The others are put on straight lines. False: a
// function comes nearer.
static bool sample_end(tmli_discontinuities *s, const tmli_driver *d, double h)
{
    const int n = s->n;
    const double *start = s->sample;
    double *end = s->sample + SAMPLE_POINTS * n;
    if (!evaluate_inside(s, d, 1, end)) return false;
    for (int i = 0; i < n; i++)
        if (end[i] < INFINITY && !(fmin(start[i], end[i]) > fmax(fabs(end[i] - start[i]), s->slope[i] * h)))
            return false;
    for (int k = 1; k < SAMPLE_POINTS; k++)
        for (int i = 0; i < n; i++)
            s->sample[k * n + i] =
                end[i] < INFINITY ? start[i] + (end[i] - start[i]) * k / SAMPLE_POINTS : end[i];
    return true;
}

// The samples of a part from the event functions in the coordinates of the method. False: they are not known
// there, or a branch may end in this part. Then those at ordinary states decide, by which modes change.
static bool is_quiet(tmli_discontinuities *s, const tmli_driver *d, const part *p, double h, bool last)
{
    const int n = s->n;
    const bool end_alone = d->cut && p->length == 1 && sample_end(s, d, h);
    for (int k = 1; k <= SAMPLE_POINTS && !end_alone; k++)
        if (!evaluate_inside(s, d, last && k == SAMPLE_POINTS ? 1 : point_of(p, k), s->sample + k * n))
            return false;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k <= SAMPLE_POINTS; k++)
            if (!(s->sample[k * n + i] > 0)) return false;
        for (int k = 1; k < SAMPLE_POINTS; k++)
            if (!isnan(suspected_minimum(s, p, i, k))) return false;
        const double change = steepest(s, i);
        for (int k = 1; k <= SAMPLE_POINTS; k++)
            if (may_dip(s->sample[(k - 1) * n + i], s->sample[k * n + i], change)) return false;
    }
    return true;
}

// The first exit of a branch in the last step, as a share of it; 2: there is none. The samples are then those
// of the last part.
static double find_first_exit(tmli_discontinuities *s, const tmli_driver *d, double h, double resolution)
{
    const int n = s->n, parts = count_parts(s->sys, d->method->state(d->self), h);
    double theta = 2;
    for (int k = 0; k < parts && theta > 1; k++) {
        const part p = {(double)k / parts, 1.0 / parts};
        if (k > 0) memcpy(s->sample, s->sample + SAMPLE_POINTS * n, (size_t)n * sizeof(double));
        if (is_quiet(s, d, &p, h, k == parts - 1)) continue;
        for (int i = 1; i <= SAMPLE_POINTS; i++)
            evaluate_within_step(s, d, k == parts - 1 && i == SAMPLE_POINTS ? 1 : point_of(&p, i), -1,
                                 s->sample + i * n);
        for (int i = 0; i < n; i++) {
            const double at = s->sys->switches[i].of_time ? 2 : find_exit(s, d, &p, i, resolution);
            if (at < theta) s->exit = i;
            theta = fmin(theta, at);
        }
        for (int i = 0; i < n && theta <= 1; i++) {
            const double change = fabs(s->sample[SAMPLE_POINTS * n + i] - s->sample[i]) / (h * p.length);
            if (isfinite(change)) s->rate[i] = change;
        }
    }
    const double *const end = s->sample + SAMPLE_POINTS * n, *const before = end - n;
    for (int i = 0; i < n && theta > 1; i++) {
        const double slope = fabs(end[i] - before[i]) * parts * SAMPLE_POINTS / h;
        s->slope[i] = isfinite(slope) ? slope : 0;
    }
    return theta;
}

bool tmli_discontinuities_locate(tmli_discontinuities *s, const tmli_driver *d, double t0, double t_end,
                                 double *t, tml_state *out)
{
    const tml_state *x = d->method->state(d->self);
    *t = x->t;
    s->locked.status = TML_OK;
    if (s->n == 0) return false;
    const double h = x->t - t0, eps = 2 * DBL_EPSILON * fmax(fabs(x->t), fabs(t0)) / h;
    const double theta = s->of_state ? find_first_exit(s, d, h, fmax(eps, DBL_EPSILON)) : 2;
    const bool due = x->t >= s->next;
    if (theta > 1 && !due) {
        if (s->of_state) memcpy(s->sample, s->sample + SAMPLE_POINTS * s->n, (size_t)s->n * sizeof(double));
        return false;
    }
    if (theta < 1) d->method->interpolate(d->self, theta, out);
    else tml_state_copy(out, x);
    set_forces(s, out, NULL);
    if (theta < 1) *t = out->t;
    if (x->t >= t_end && x->t - *t < time_resolution(s, x->t)) *t = out->t = x->t;
    return true;
}

bool tmli_discontinuities_returns(const tmli_discontinuities *s)
{
    return s->of_state && s->sample[SAMPLE_POINTS * s->n + s->exit] > 0;
}

// Friction that sticks is left out: its event function is of forces, which belong to the located state. How
// fast the function falls is told by the motion from x on: within the step, whose velocities are off across
// the constraints, it may be anything. A branch that ends within an instant would not be followed to its end,
// since the motion over an instant tells the next mode: then the lead is negative and long enough. The short
// step that follows is not long enough for another one.
double tmli_discontinuities_lead(tmli_discontinuities *s, const tml_state *x, double t0)
{
    const int i = s->exit;
    if (!s->of_state || x->t >= s->next || !(s->rate[i] > 0)) return 0;
    if (tmli_holds_row(s->sys, x, i)) return 0;
    tml_state_copy(s->probe, x);
    if (s->forces && tmli_consistent_accelerations(s->forces, s->probe, NULL) != TML_OK) return 0;
    evaluate_events(s, s->probe, s->found);
    const double now = s->found[i], instant = INSTANT * s->duration;
    set_later_state(s, s->probe);
    evaluate_events(s, s->later, s->found);
    const double fall = (now - s->found[i]) / instant, lead = fall > 0 ? now / fall : 0;
    if (!(fabs(now) > s->tol) || !isfinite(lead)) return 0;
    if (fabs(lead) > instant) return lead;
    const double retreat = RETREAT_INSTANTS * instant;
    return lead != 0 && x->t - t0 > 4 * retreat ? -retreat : 0;
}

// ---- changes ----------------------------------------------------------------------------------------------

// Count the changes of mode i. If too many follow each other within a negligible time, the motion slides
// along a jump: the jump is smoothed over a width that is small against the distance its quantity would cover
// during the run. If it cannot be smoothed, it is not located any more.
static void limit_chatter(tmli_discontinuities *s, int i, tml_state *x)
{
    if (x->t - s->since[i] > INSTANT * s->duration) s->changes[i] = 0;
    s->since[i] = x->t;
    if (++s->changes[i] < MAX_CHANGES) return;
    const double width = SMOOTHING_WIDTH * fmax(s->tol, LEAST_SMOOTHING_TOLERANCE) * s->duration * s->rate[i];
    x->mode[i] =
        s->sys->ops->soft_mode ? s->sys->ops->soft_mode(s->sys->self, i, width) : TML_SWITCH_UNWATCHED;
    s->changes[i] = 0;
    if (s->warned) return;
    char name[200];
    s->warned = true;
    tmli_log(&s->sys->env, TML_LOG_WARNING,
             "%s switches repeatedly within a negligible time at t = %g s; %s (reported once)",
             s->sys->mode_name ? s->sys->mode_name(s->sys, i, name, sizeof name) : "the system", x->t,
             tmli_mode_is_watched(x->mode[i]) ? "its jump is smoothed while the motion slides along it"
                                              : "its switching times are no longer located");
}

// Bounces end by themselves (impacts.h).
static bool is_struck(const tml_system *s, const tml_state *x, int i)
{
    return tmli_is_unilateral(s, i) && x->mode[i] == TML_SWITCH_STRUCK;
}

void tmli_discontinuities_change_modes(tmli_discontinuities *s, tml_state *x, int *row)
{
    double *const before = s->found;
    memcpy(before, x->mode, (size_t)s->n * sizeof(double));
    set_later_state(s, x);
    const int changed = s->sys->ops->switch_modes(s->sys->self, s->work, x, s->later, false, row);
    for (int i = 0; i < s->n; i++)
        if (x->mode[i] != before[i] && !s->sys->switches[i].of_time && !is_struck(s->sys, x, i))
            limit_chatter(s, i, x);
    if (changed > 0) s->count++;
    else s->skip = x->t + INSTANT * s->duration;  // the event function only touched zero
}

// Those that are not looked at are not monitored meanwhile.
int tmli_discontinuities_look_again(tmli_discontinuities *s, tml_state *x, bool jumped)
{
    const tml_system *sys = s->sys;
    double *const kept = s->found, *const value = s->sample;  // which is set again at the restart
    if (!s->of_state) return 0;
    set_later_state(s, x);
    evaluate_events(s, x, value);
    for (int i = 0; i < s->n; i++) {
        const bool slips = tmli_is_friction(sys, i) && !tmli_mode_is_driven(x->mode[i]),
                   closed = tmli_is_unilateral(sys, i) && x->mode[i] == TML_SWITCH_HELD;
        kept[i] = x->mode[i];
        if (slips || closed || sys->switches[i].of_time || !(jumped || value[i] == 0))
            x->mode[i] = TML_SWITCH_UNWATCHED;
    }
    const int changed = sys->ops->switch_modes(sys->self, s->work, x, s->later, false, NULL);
    for (int i = 0; i < s->n; i++) {
        if (!tmli_mode_is_watched(x->mode[i])) x->mode[i] = kept[i];
        if (x->mode[i] != kept[i]) s->changes[i] = 0;  // the jump did it: no motion slides along this branch
    }
    return changed;
}

void tmli_discontinuities_archive(tmli_discontinuities *s, tml_archive *a)
{
    const size_t n = (size_t)s->n;
    if (s->n == 0) return;
    tmli_archive_mark(a, "discontinuities");
    tml_archive_doubles(a, s->sample, (SAMPLE_POINTS + 5) * n);  // with found, since, rate, slope
    tml_archive_ints(a, s->changes, n);
    tml_archive_bools(a, &s->warned, 1);
    tml_archive_doubles(a, &s->searched, 1);
    tml_archive_doubles(a, &s->next, 1);
    tml_archive_doubles(a, &s->skip, 1);
    tml_archive_longs(a, &s->count, 1);
}
