// Location of switches; see switches.h.
//
// A switch of time alone with margin m(t) is followed ahead by steps d that a root of m cannot be within, as
// far as its first two derivatives tell:
//   m + m' d - |m''| d^2 = 0                                             (1)
// taken only if m and m' are then about where their Taylor series put them, else halved. Its root is bisected
// down to neighbouring numbers.
#include "integrate/events/discontinuities.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MAX_LOOKS = 400,
    MAX_FLIPS = 50,
    POINTS = 4  // of a step at which event_values are looked at
};
static const double CHATTER = 1e-6;  // MAX_FLIPS changes within this share of the run are too many
static const double SOFTNESS = 0.1,
                    LEAST_SOFTNESS = 1e-5;  // narrower jumps make the equations needlessly stiff
static const double AT_ONCE = 1e-14;        // times closer than this share of the run are the same

void tmli_discontinuities_clear(tmli_discontinuities *s)
{
    if (!s->sys) return;
    const tml_env *env = &s->sys->env;
    if (s->work) s->sys->ops->destroy_work(s->work);
    tml_state_destroy(s->probe, s->sys);
    tml_state_destroy(s->later, s->sys);
    tmli_free(env, s->sample);
    tmli_free(env, s->flips);
    *s = (tmli_discontinuities){0};
}

tml_status tmli_discontinuities_create(const tml_system *sys, double duration, double tol,
                                       tmli_discontinuities *s, tml_error *err)
{
    *s = (tmli_discontinuities){
        .sys = sys, .n = sys->nmode, .duration = duration, .tol = tol, .next = INFINITY};
    if (s->n == 0) return TML_OK;
    const size_t n = (size_t)s->n;
    for (int i = 0; i < s->n; i++) s->of_state = s->of_state || !sys->mode_of_time[i];
    s->sample = tmli_calloc(&sys->env, (POINTS + 4) * n, sizeof(double));
    s->flips = tmli_calloc(&sys->env, n, sizeof *s->flips);
    s->work = sys->ops->create_work(sys->self, &sys->env);
    tml_status st = s->sample && s->flips && s->work ? TML_OK : tmli_no_memory(err, "simulation");
    if (st == TML_OK) st = tml_state_create(sys, &s->probe, err);
    if (st == TML_OK) st = tml_state_create(sys, &s->later, err);
    if (st != TML_OK) {
        tmli_discontinuities_clear(s);
        return st;
    }
    s->found = s->sample + (POINTS + 1) * n;
    s->since = s->found + n;
    s->rate = s->since + n;
    return TML_OK;
}

// Margins of the switches that are not of time alone.
static void event_values(tmli_discontinuities *s, const tml_state *x, double *margin)
{
    s->sys->ops->event_values(s->sys->self, s->work, x, margin);
    for (int i = 0; i < s->n; i++)
        if (s->sys->mode_of_time[i]) margin[i] = INFINITY;
}

// A state a little later, to tell on which side a switch on its border will be: in time by a few units of the
// last place, in positions and velocities by enough to be seen.
static void look_ahead(tmli_discontinuities *s, const tml_state *x)
{
    const tml_system *sys = s->sys;
    const double e = 1e-7 * s->duration;
    double *d = s->later->udot;
    tml_state_copy(s->later, x);
    for (int j = 0; j < sys->n; j++) d[j] = e * (x->u[j] + e / 2 * x->udot[j]);
    sys->ops->retract(sys->self, x->q, d, s->later->q);
    for (int j = 0; j < sys->n; j++) s->later->u[j] = x->u[j] + e * x->udot[j];
    s->later->t = x->t + 16 * DBL_EPSILON * fmax(fabs(x->t), 1e-3 * s->duration);
}

void tmli_discontinuities_set_modes(tmli_discontinuities *s, tml_state *x)
{
    if (s->n == 0) return;
    look_ahead(s, x);
    s->sys->ops->switch_modes(s->sys->self, s->work, x, s->later, true, NULL);
}

void tmli_discontinuities_restart(tmli_discontinuities *s, const tml_state *x)
{
    if (s->n == 0) return;
    s->searched = fmax(x->t, s->skip);
    s->next = INFINITY;
    if (s->of_state) event_values(s, x, s->sample);
}

// ---- switches of time -------------------------------------------------------------------------------------

static bool ended(const double m[3]) { return m[0] < 0 || (m[0] == 0 && m[1] < 0); }

// A step along m that does not reach a root, as far as (1) tells; at most `most`.
static double stride(const double m[3], double most)
{
    const double a = 2 * fabs(m[2]), reach = fmax(m[0], 0);
    if (!isfinite(m[0])) return most;
    if (a == 0) return m[1] < 0 ? fmin(1.05 * reach / -m[1], most) : most;
    return fmin(1.05 * (m[1] + sqrt(m[1] * m[1] + 2 * a * reach)) / a, most);
}

static bool as_predicted(const double m[3], double d, const double found[3])
{
    if (!isfinite(m[0]) || !isfinite(found[0])) return true;
    const double size = fabs(m[0]) + fabs(m[1]) * d + fabs(m[2]) * d * d / 2;
    return fabs(m[0] + m[1] * d + m[2] * d * d / 2 - found[0]) <= 0.3 * size &&
           d * fabs(m[1] + m[2] * d - found[1]) <= 0.5 * size;
}

// First time in (t, *end] at which switch i leaves its branch, or infinity. *end moves back if it cannot be
// reached.
static double next_of(const tmli_discontinuities *s, int i, const double *mode, double t, double *end)
{
    const tml_system *sys = s->sys;
    const double chunk = *end - t, least = fmax(1e-6 * chunk, 4 * DBL_EPSILON * fabs(t));
    double m[3], found[3], low = t, high;
    sys->ops->event_of_time(sys->self, i, t, mode, m);
    if (ended(m) && !(m[1] > 0)) return t;
    for (int looks = 0;;) {
        double d = fmax(stride(m, chunk / 4), least);
        for (;; d = fmax(d / 2, least)) {
            high = fmin(low + d, *end);
            sys->ops->event_of_time(sys->self, i, high, mode, found);
            looks++;
            if (high - low <= least || as_predicted(m, high - low, found)) break;
        }
        if (ended(found)) break;
        if (high >= *end) return INFINITY;
        low = high;
        memcpy(m, found, sizeof m);
        if (looks >= MAX_LOOKS) {
            *end = low;
            return INFINITY;
        }
    }
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) return high;
        sys->ops->event_of_time(sys->self, i, middle, mode, m);
        if (ended(m)) high = middle;
        else low = middle;
    }
}

double tmli_discontinuities_limit(tmli_discontinuities *s, const tml_state *x, double h, double t_end)
{
    if (s->n == 0) return t_end;
    const double goal = fmin(x->t + h, t_end);
    if (s->searched < goal && s->next > s->searched) {
        double end = fmin(fmax(goal, s->searched + s->duration / 50), fmax(t_end, goal));
        for (int i = 0; i < s->n; i++)
            if (s->sys->mode_of_time[i]) {
                s->next = fmin(s->next, next_of(s, i, x->mode, s->searched, &end));
                end = fmin(end, fmax(s->next, s->searched));
                if (end <= s->searched) break;
            }
        s->searched = end;
    }
    double limit = fmin(t_end, s->next);
    if (s->searched < goal) limit = fmin(limit, s->searched);
    return limit - x->t <= AT_ONCE * s->duration && limit < t_end ? x->t : limit;
}

// ---- switches of the state --------------------------------------------------------------------------------

// The state at a share theta of the last step, into s->probe, and its event_values.
static void look(tmli_discontinuities *s, const tmli_driver *d, double theta, double *margin)
{
    if (theta >= 1) tml_state_copy(s->probe, d->method->state(d->self));
    else d->method->interpolate(d->self, theta, s->probe);
    event_values(s, s->probe, margin);
}

// The first point beyond the end of the branch of switch i between `low`, where its margin is a >= 0, and
// `high`, where it is b < 0: regula falsi with halved ends (Illinois), and bisection now and then.
static double locate(tmli_discontinuities *s, const tmli_driver *d, int i, double low, double a, double high,
                     double b, double resolution)
{
    int side = 0;
    for (int k = 0; high - low > resolution && k < 100; k++) {
        const double share = k % 4 == 3 || !(a > 0) || isinf(a) ? 0.5 : a / (a - b);
        double theta = low + (high - low) * share;
        // a little off the ends, so that the bracket closes from both sides
        theta = fmin(fmax(theta, low + resolution / 2), high - resolution / 2);
        if (theta <= low || theta >= high) break;
        look(s, d, theta, s->found);
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

// Where the margin of switch i, positive at three points from k - 1 to k + 1, may have a minimum below zero;
// NAN: nowhere.
static double dip(const tmli_discontinuities *s, int i, int k)
{
    const double a = s->sample[(k - 1) * s->n + i], b = s->sample[k * s->n + i],
                 c = s->sample[(k + 1) * s->n + i];
    const double curve = a - 2 * b + c, slope = (c - a) / 2;
    if (!isfinite(a + b + c) || !(b > 0 && b <= a && b <= c && curve > 0)) return NAN;
    return b - slope * slope / (2 * curve) < 0.2 * b ? (k - slope / curve) / POINTS : NAN;
}

// When switch i leaves its branch, as a share of the step; 2 if it does not. A switch that begins beyond the
// border, by the round-off of its last change, counts once it has been on its branch, or if it never gets
// there.
static double leaves(tmli_discontinuities *s, const tmli_driver *d, int i, double resolution)
{
    const double *m = s->sample + i;
    const int n = s->n;
    bool armed = m[0] > 0, seen = armed;
    for (int k = 1; k <= POINTS; k++) seen = seen || m[k * n] >= 0;
    if (!seen) return locate(s, d, i, 0, 0, 1.0 / POINTS, m[n], resolution);
    for (int k = 1; k <= POINTS; k++) {
        const double low = (k - 1.0) / POINTS, at = armed && k < POINTS ? dip(s, i, k) : NAN;
        if (armed && m[k * n] < 0)
            return locate(s, d, i, low, m[(k - 1) * n], (double)k / POINTS, m[k * n], resolution);
        armed = armed || m[k * n] > 0;
        if (isnan(at)) continue;
        look(s, d, at, s->found);
        if (s->found[i] < 0) return locate(s, d, i, low, m[(k - 1) * n], at, s->found[i], resolution);
    }
    return 2;
}

bool tmli_discontinuities_locate(tmli_discontinuities *s, const tmli_driver *d, double t0, double t_end,
                                 double *t, tml_state *out)
{
    const tml_state *x = d->method->state(d->self);
    *t = x->t;
    if (s->n == 0) return false;
    const double h = x->t - t0, eps = 2 * DBL_EPSILON * fmax(fabs(x->t), fabs(t0)) / h;
    for (int k = 1; k <= POINTS && s->of_state; k++) look(s, d, (double)k / POINTS, s->sample + k * s->n);
    double theta = 2;
    for (int i = 0; i < s->n && s->of_state; i++)
        if (!s->sys->mode_of_time[i]) theta = fmin(theta, leaves(s, d, i, fmax(eps, DBL_EPSILON)));
    for (int i = 0; i < s->n && theta <= 1; i++) {
        const double change = fabs(s->sample[POINTS * s->n + i] - s->sample[i]) / h;
        if (isfinite(change)) s->rate[i] = change;
    }
    const bool due = x->t >= s->next;
    if (theta > 1 && !due) {
        if (s->of_state) memcpy(s->sample, s->sample + POINTS * s->n, (size_t)s->n * sizeof(double));
        return false;
    }
    if (theta < 1) d->method->interpolate(d->self, theta, out);
    else tml_state_copy(out, x);
    if (theta < 1) *t = out->t;
    if (x->t >= t_end && x->t - *t < AT_ONCE * s->duration) *t = out->t = x->t;
    return true;
}

// ---- changes ----------------------------------------------------------------------------------------------

// Count the changes of switch i. Too many in no time: a jump along which the motion slides is softened, over
// a width that is small against the way its quantity would go during the run; any other is freed.
static void watch(tmli_discontinuities *s, int i, tml_state *x)
{
    if (x->t - s->since[i] > CHATTER * s->duration || s->flips[i] == 0) {
        s->since[i] = x->t;
        s->flips[i] = 0;
    }
    if (++s->flips[i] < MAX_FLIPS) return;
    const double width = fmax(SOFTNESS * s->tol, LEAST_SOFTNESS) * s->duration * s->rate[i];
    x->mode[i] = s->sys->ops->soft_mode ? s->sys->ops->soft_mode(s->sys->self, i, width) : INFINITY;
    s->flips[i] = 0;
    if (s->warned) return;
    char name[200];
    s->warned = true;
    tmli_log(&s->sys->env, TML_LOG_WARNING,
             "%s switches back and forth without end at t = %g s; %s (said once)",
             s->sys->mode_name ? s->sys->mode_name(s->sys, i, name, sizeof name) : "the system", x->t,
             isinf(x->mode[i]) ? "it is not located any more"
                               : "the jump is softened while the motion slides along it");
}

void tmli_discontinuities_change_modes(tmli_discontinuities *s, tml_state *x, int *row)
{
    double *const before = s->found;
    memcpy(before, x->mode, (size_t)s->n * sizeof(double));
    look_ahead(s, x);
    const int changed = s->sys->ops->switch_modes(s->sys->self, s->work, x, s->later, false, row);
    for (int i = 0; i < s->n; i++)
        if (x->mode[i] != before[i] && !s->sys->mode_of_time[i]) watch(s, i, x);
    if (changed > 0) s->count++;
    else s->skip = x->t + 100 * AT_ONCE * s->duration;  // a border that is only touched
}
