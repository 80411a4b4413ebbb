// Allowed errors of positions, velocities and multipliers; see error_weights.h.
#include "integrate/core/error_weights.h"
#include "integrate/core/step_control.h"
#include "system/state/fields.h"
#include "system/state/first_order.h"
#include "system/state/units.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/core/constants.h"

static double state_scale(const tmli_weights *w, int i)
{
    return w->sys->state_scale ? w->sys->state_scale[i] : 1;
}

// x NULL: all states are 0.
static void track_states(tmli_weights *w, const tml_state *x)
{
    const int n = w->sys->n, nz = w->sys->nz;
    w->state_rate = 0;
    for (int i = 0, j = n - nz; i < nz; i++, j++) {
        const double z = x ? fabs(x->u[j]) : 0, size = fmax(z, state_scale(w, i));
        w->fastest[j] = w->speed[j] = z;
        w->unit[j] = size / w->rate;
        w->absolute[j] = w->atol * state_scale(w, i);
        if (x) w->state_rate = fmax(w->state_rate, fabs(x->udot[j]) / size);
    }
}

static const tmli_fields FIELDS = {
    "weights", offsetof(tmli_weights, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_weights, strictness, t_last),
                        TMLI_KEPT(tmli_weights, unit, largest_mean, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_weights, force, force, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_weights, q_start, q_start, TMLI_BY_NQ, 1),
                        {0}}};

tml_status tmli_weights_create(const tml_system *sys, const tml_integrator_options *opt, tmli_weights *w,
                               tml_error *err)
{
    *w = (tmli_weights){.sys = sys,
                        .rtol = opt->run.rtol,
                        .atol = opt->run.atol,
                        .duration = opt->duration,
                        .strictness = 1,
                        .roundoff = DBL_EPSILON,
                        .fixed = opt->fixed_step};
    const tml_status st = tmli_object_create(&FIELDS, sys, w, err);
    if (st != TML_OK) return st;
    w->t_last = -INFINITY;
    w->rate = 1 / w->duration;
    for (int j = 0; j < sys->n; j++) {
        w->unit[j] = tmli_coordinate_unit(sys, j);
        w->absolute[j] = w->atol * w->unit[j] / w->duration;
    }
    track_states(w, NULL);
    return TML_OK;
}

void tmli_weights_clear(tmli_weights *w)
{
    if (w->sys) tmli_object_clear(&FIELDS, w->sys, w);
    *w = (tmli_weights){0};
}

void tmli_weights_start(tmli_weights *w, const tml_state *x)
{
    memcpy(w->q_start, x->q, (size_t)w->sys->nq * sizeof(double));
    w->t_start = x->t;
    tmli_weights_track(w, x);
}

void tmli_weights_set_massless(tmli_weights *w, const double *massless) { w->massless = massless; }

static bool same_group(const tml_system *s, int a, int b)
{
    return s->group ? s->group[a] == s->group[b] : s->node[a] == s->node[b] && s->kind[a] == s->kind[b];
}

// The group of coordinates from `from` to before `to` has the speed u and the acceleration a; share: of the
// last step in the time since the start, recent: in that of the mean speed. Returns its largest relative
// speed [1/s].
static double track_group(tmli_weights *w, int from, int to, double u, double a, double share, double recent)
{
    double *mean = &w->mean_acceleration[from], *largest = &w->largest_mean[from];
    double unit = 0, speed = 0, rate = 0;
    *mean += share * (a - *mean);
    w->mean_speed[from] += recent * (u - w->mean_speed[from]);
    *largest = fmax(*largest, w->mean_speed[from]);
    const double fastest = fmax(w->fastest[from], u), lasting = fmin(a, PEAK_OVER_MEAN * *mean);
    const double kept = fmin(fastest, PEAK_OVER_MEAN * *largest);
    for (int j = from; j < to; j++) {
        if (w->unit[j] != unit) {  // mostly one for all
            unit = w->unit[j];
            speed = fmax(kept, sqrt(lasting * unit));
            rate = fmax(rate, fmax(fastest, sqrt(a * unit)) / unit);
        }
        w->fastest[j] = fastest;
        w->speed[j] = speed;
    }
    return rate;
}

void tmli_weights_track(tmli_weights *w, const tml_state *x)
{
    const tml_system *s = w->sys;
    const int n = tmli_mechanical(w->sys);
    double rate = 0;
    const double elapsed = x->t - w->t_start, last = fmax(0, x->t - w->t_last),
                 share = elapsed > 0 ? last / elapsed : 1,
                 recent = -expm1(-last / (LASTING_SHARE * w->duration));  // 1 at the first start
    w->t_last = x->t;
    if (s->ops->reach) w->roundoff = DBL_EPSILON * s->ops->reach(s->self, x->q);
    for (int j = 0; j < n;) {
        int end = j;
        double u2 = 0, a2 = 0;
        while (end < n && same_group(s, end, j)) {
            u2 += x->u[end] * x->u[end];
            if (!tmli_weights_massless(w, end)) a2 += x->udot[end] * x->udot[end];
            end++;
        }
        rate = fmax(rate, track_group(w, j, end, sqrt(u2), sqrt(a2), share, recent));
        j = end;
    }
    w->rate = rate > 0 ? rate : 1 / w->duration;
    if (s->nz > 0) track_states(w, x);
    for (int r = 0; r < s->m; r++) w->force[r] = fmax(w->force[r], fabs(x->lambda[r]));
}

void tmli_weights_set_state_units(const tmli_weights *w, double h, double a1, double *unit)
{
    const double wanted = TMLI_NEWTON_SHARE * w->atol * tmli_weights_budget(w, h);
    const double visible = w->fixed ? 1 : fmin(1, JUDGED_STATE_ULPS * DBL_EPSILON / wanted);
    const double factor = a1 * fmax(visible, fmin(1, h * w->rate)) / w->rate;
    for (int j = tmli_mechanical(w->sys); j < w->sys->n; j++) unit[j] = w->unit[j] / factor;
}

double tmli_weights_position(const tmli_weights *w, int j, const double *moved)
{
    switch (w->sys->kind[j]) {
    case TML_COORDINATE_TRANSLATION: return w->atol * w->sys->length + w->rtol * fabs(moved[j]);
    case TML_COORDINATE_ROTATION: return w->atol;
    default: return UNJUDGED_ERROR * w->unit[j];
    }
}

static inline double allowed_velocity(const tmli_weights *w, int j)
{
    if (tmli_weights_massless(w, j)) return UNJUDGED_ERROR * tmli_weights_unit(w, j);
    return w->absolute[j] + w->rtol * w->speed[j];
}

double tmli_weights_velocity(const tmli_weights *w, int j) { return allowed_velocity(w, j); }

double tmli_weights_multiplier(const tmli_weights *w, int r, const double *unit)
{
    const tml_system *s = w->sys;
    double work = 0;
    for (int i = 0; i < s->m; i++) work = fmax(work, w->force[i] * unit[s->n + i]);
    return fmax(w->rtol * fmax(w->force[r], LEAST_MULTIPLIER * work / unit[s->n + r]), DBL_MIN);
}

double tmli_weights_budget(const tmli_weights *w, double h)
{
    return TMLI_STEP_SHARE / w->strictness * fmax(h / w->duration, TMLI_SHORTEST_BUDGET);
}

double tmli_weights_step_position(const tmli_weights *w, int j, const double *moved, double h)
{
    const double roundoff = w->roundoff * tmli_weights_unit(w, j);
    return tmli_weights_position(w, j, moved) * tmli_weights_budget(w, h) + roundoff;
}

double tmli_weights_step_velocity(const tmli_weights *w, int j, double h)
{
    const double fastest_part = tmli_weights_rate(w) * tmli_weights_unit(w, j);
    const bool state = w->sys->kind[j] == TML_COORDINATE_STATE;
    const double let_in = state ? 0 : TMLI_LEAST_FEEDBACK * tmli_weights_unit(w, j) / h;
    const double roundoff =
        DBL_EPSILON * (OWN_VELOCITY_ULPS * w->fastest[j] + FASTEST_VELOCITY_ULPS * fastest_part) +
        w->roundoff * (FEEDBACK_ULPS * let_in);
    const double noise = w->sys->noise * h * tmli_weights_rate(w) * fastest_part;
    return allowed_velocity(w, j) * tmli_weights_budget(w, h) + roundoff + noise;
}

double tmli_weights_velocity_across(const tmli_weights *w, int j, double h, double gyration_ratio, double t)
{
    if (w->sys->kind[j] == TML_COORDINATE_STATE)  // nothing depends on the configuration
        return allowed_velocity(w, j) + ACROSS_ULPS * DBL_EPSILON * w->unit[j] * w->rate;
    const double roundoff =
        DBL_EPSILON * gyration_ratio * tmli_weights_unit(w, j) * (1 + tmli_weights_rate(w) * fabs(t));
    return allowed_velocity(w, j) + ACROSS_ULPS * roundoff / h;
}

double tmli_weights_rate(const tmli_weights *w) { return w->rate; }

double tmli_weights_newton_tolerance(const tmli_weights *w, double h)
{
    const double x = h * tmli_weights_rate(w);
    // without error control: positions to round-off for practical purposes, at small steps in proportion to
    // h^2
    if (w->fixed) return NEWTON_FIXED_STEP_ERROR * fmin(1, x * x);
    // an error d of D is an error 2 d/h of u: keep both at a tenth of the step's budget
    return fmin(TMLI_NEWTON_SHARE * w->atol * tmli_weights_budget(w, h) * fmin(1, x), NEWTON_LARGEST_ERROR);
}

double tmli_weights_feedback(const tmli_weights *w, double h)
{
    const double x = tmli_weights_rate(w) * h;
    return fmin(1, fmax(TMLI_LEAST_FEEDBACK, TMLI_FEEDBACK_NOISE * x * x * x * x / w->roundoff));
}

void tmli_weights_archive(tmli_weights *w, const tmli_consistent *c, tml_archive *a)
{
    bool massless = w->massless != NULL;
    tmli_object_archive(&FIELDS, w->sys, w, a);
    tml_archive_bools(a, &massless, 1);
    if (tml_archive_reading(a)) w->massless = massless && c ? tmli_consistent_massless(c) : NULL;
}
