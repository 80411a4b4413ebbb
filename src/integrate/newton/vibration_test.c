// The error test of vibrations that steps do not resolve; equation numbers as in vibration_test.h.
#include "integrate/newton/vibration_test.h"
#include "integrate/core/step_control.h"
#include "system/state/fields.h"
#include "system/state/first_order.h"

#include <math.h>
#include <string.h>

#include "integrate/newton/constants.h"

static const tmli_fields FIELDS = {
    "vibration test", offsetof(tmli_vibration_test, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_vibration_test, elastic, elastic),
                        TMLI_NUMBERS(tmli_vibration_test, t_kept, bound.largest),
                        TMLI_SCRATCH(tmli_vibration_test, ed, d, TMLI_BY_N, 1),
                        {0}}};

// A contact that vibrates may open: its vibrations decide about the motion, and about the work of its forces.
static bool switches_by_state(const tml_system *sys)
{
    bool any = false;
    for (int i = 0; i < sys->nmode; i++) any = any || !sys->switches[i].of_time;
    return any;
}

tml_status tmli_vibration_test_create(const tml_system *sys, const tml_integrator_options *opt,
                                      tmli_kernel *kernel, const tmli_weights *weights,
                                      tmli_vibration_test *t, tml_error *err)
{
    *t = (tmli_vibration_test){.sys = sys,
                               .kernel = kernel,
                               .weights = weights,
                               .offered = !opt->fixed_step && opt->run.control != TML_CONTROL_ALL &&
                                          !switches_by_state(sys)};
    if (!t->offered) return TML_OK;
    tml_status st = tmli_object_create(&FIELDS, sys, t, err);
    if (st == TML_OK) st = tmli_vibrations_create(sys, opt, &t->vibrations, err);
    if (st == TML_OK) st = tmli_slow_filter_create(sys, opt->solver, NULL, &t->filter, err);
    if (st == TML_OK) st = tmli_slow_filter_create(sys, opt->solver, NULL, &t->places, err);
    if (st != TML_OK) tmli_vibration_test_clear(t);
    return st;
}

void tmli_vibration_test_clear(tmli_vibration_test *t)
{
    if (!t->offered) return;
    tmli_slow_filter_clear(&t->places);
    tmli_slow_filter_clear(&t->filter);
    tmli_vibrations_clear(&t->vibrations);
    tmli_object_clear(&FIELDS, t->sys, t);
    *t = (tmli_vibration_test){0};
}

// Whether some force is stiff at x. Nothing vibrates where none is.
static bool is_elastic(tmli_vibration_test *t, const tml_state *x)
{
    const int n = t->sys->n;
    double *m = t->filter.matrix.diagonal, *d = m + n, *k = d + n;
    if (t->sys->ops->diagonals(t->sys->self, t->filter.matrix.work, x, m, d, k, NULL) != TML_OK) return false;
    bool any = false;
    for (int j = 0; j < tmli_mechanical(t->sys); j++) any = any || k[j] > 0;
    return any;
}

tml_status tmli_vibration_test_start(tmli_vibration_test *t, const tml_state *x, tml_error *err)
{
    if (!t->offered) return TML_OK;
    tmli_vibrations_start(&t->vibrations, t->filter.matrix.work, x);
    t->bound = (tmli_vibration_bound){0};
    tmli_vibration_test_renew(t);
    t->elastic = is_elastic(t, x);
    return tmli_slow_filter_set_mass(&t->filter, x, err);
}

// v (n) := F v, (1); of states nothing.
static void decay(tmli_vibration_test *t, double *v)
{
    double *force = t->d;
    tmli_slow_filter_square(&t->filter, v, force);
    for (int j = 0; j < t->sys->n; j++) force[j] *= -t->kernel->stage.a0;
    tmli_kernel_force_response(t->kernel, force, NULL, v);
}

// Largest displacement within the step by ed and eu, over what the whole run may have.
static double largest_displacement(tmli_vibration_test *t, double k, const double *moved)
{
    double worst = 0;
    t->damped[0] = t->damped[1] = 0;
    for (int j = 0; j < tmli_mechanical(t->sys); j++) {
        const double length = t->sys->length / tmli_weights_unit(t->weights, j),
                     d = fmax(fabs(t->ed[j]), k * fabs(t->eu[j]));
        t->damped[0] = fmax(t->damped[0], length * d);
        t->damped[1] = fmax(t->damped[1], length * fabs(t->eu[j]));
        worst = fmax(worst, d / tmli_weights_position(t->weights, j, moved));
    }
    return worst;
}

// Largest displacement by vibrations faster than the filter, over what the whole run may have.
static double fast_part(tmli_vibration_test *t, tmli_slow_filter *f, const tmli_vibration_trial *x)
{
    double worst = 0;
    tmli_slow_filter_fast_part(f, x->end->udot, t->dv);
    for (int j = 0; j < tmli_mechanical(t->sys); j++)
        worst = fmax(worst, fabs(t->dv[j]) / tmli_weights_position(t->weights, j, x->moved));
    return worst;
}

static bool factor(tmli_slow_filter *f, const tmli_vibration_trial *x, double scale)
{
    return f->kappa == scale || tmli_slow_filter_factor(f, x->start, scale);
}

// ed (n) on the time scale s, which is found between k and kappa. False: there is no matrix.
static bool keep_slow_positions(tmli_vibration_test *t, const tmli_vibration_trial *x, double k)
{
    tmli_vibration_bound *b = &t->trial;
    tmli_slow_filter *f;
    double s = b->scale > 0 ? fmin(fmax(b->scale, k), t->kappa) : t->kappa;
    for (;;) {
        f = s == t->kappa ? &t->filter : &t->places;
        if (!factor(f, x, s)) return false;
        b->largest = fmax(b->largest, fast_part(t, f, x));
        if (s <= k || b->largest <= TMLI_DAMPED_VIBRATION) break;
        s = fmax(k, s / SCALE_RATIO);
        b->largest = 0;
    }
    tmli_slow_filter_apply(f, t->ed);
    b->scale = b->largest < LONGER_SCALE * TMLI_DAMPED_VIBRATION ? SCALE_RATIO * s : s;  // the next one
    return true;
}

// What accumulates, over the share of the step. First-order states count as they are.
static double accumulated(const tmli_vibration_test *t, const tmli_vibration_trial *x)
{
    const int n = tmli_mechanical(t->sys);
    double worst = 0;
    for (int j = 0; j < t->sys->n; j++) {
        const double u = fabs(j < n ? t->eu[j] : x->eu[j]), d = j < n ? fabs(t->ed[j]) : 0;
        worst = fmax(worst, u / tmli_weights_step_velocity(t->weights, j, x->h));
        worst = fmax(worst, d / tmli_weights_step_position(t->weights, j, x->moved, x->h));
    }
    return worst;
}

// (3) or (3') over what is allowed.
static double lost_energy(tmli_vibration_test *t, const tmli_vibration_trial *x)
{
    double lost = 0;
    memcpy(t->dv, x->dv, (size_t)t->sys->n * sizeof(double));
    if (!x->mean) decay(t, t->dv);
    tmli_slow_filter_square(&t->filter, t->dv, t->d);
    for (int j = 0; j < tmli_mechanical(t->sys); j++) lost += x->loss * x->h * x->h * x->dv[j] * t->d[j];
    return tmli_vibrations_judge(&t->vibrations, x->h, fabs(lost), t->dv, t->d);
}

// The stiffness is about the same. A wall that the motion runs into is no vibration, and what it does is all
// of the motion.
static bool is_kept(double a, double b) { return fmin(a, b) > STIFFNESS_KEPT * fmax(a, b); }

// M and K at the start of the step, and the time scale of the motion, if those of an earlier one no longer
// serve. *stiffness: v'K v at the end of the step. False: it has changed within the step.
static tml_status keep_matrices(tmli_vibration_test *t, const tmli_vibration_trial *x, double k,
                                const double *v, double *stiffness, bool *kept, tml_error *err)
{
    const double rate = tmli_weights_rate(t->weights);
    tml_status st = TML_OK;
    *stiffness = tmli_slow_filter_stiffness(&t->filter, x->end, v);
    *kept = x->end->t - t->t_kept <= t->kappa && k <= t->kappa &&
            is_kept(tmli_slow_filter_last_form(&t->places, v), *stiffness);
    if (*kept) return TML_OK;
    *kept = is_kept(tmli_slow_filter_stiffness(&t->places, x->start, v), *stiffness);
    t->kappa = fmax(k, tmli_vibrations_time_scale(&t->vibrations, rate));
    t->t_kept = x->start->t;
    st = tmli_slow_filter_set_mass(&t->filter, x->start, err);
    if (st == TML_OK) st = tmli_slow_filter_set_mass(&t->places, x->start, err);
    return st;
}

tml_status tmli_vibration_test_judge(tmli_vibration_test *t, const tmli_vibration_trial *x, double *error,
                                     tml_error *err)
{
    const size_t n = (size_t)t->sys->n;
    if (!t->elastic) return TML_OK;
    const double k = 1 / sqrt(t->kernel->stage.a0);
    double stiffness;
    bool kept;
    tmli_vibration_test_begin(t);
    memcpy(t->eu, x->eu, n * sizeof(double));
    if (!x->bounded) decay(t, t->eu);
    const tml_status st = keep_matrices(t, x, k, t->eu, &stiffness, &kept, err);
    if (st != TML_OK || !kept) return st;
    const double inertia = tmli_slow_filter_square(&t->filter, t->eu, t->d);
    if (!(t->kappa * t->kappa * stiffness > inertia))
        return TML_OK;  // Rayleigh's quotient: it does not vibrate
    memcpy(t->ed, x->ed, n * sizeof(double));
    if (!x->bounded) decay(t, t->ed);
    const double bounded = largest_displacement(t, k, x->moved) / TMLI_DAMPED_VIBRATION;
    decay(t, t->ed);
    if (!keep_slow_positions(t, x, k)) return TML_OK;
    if (!factor(&t->filter, x, t->kappa)) return TML_OK;
    tmli_slow_filter_apply(&t->filter, t->eu);
    const double by_motion = fmax(fmax(accumulated(t, x), bounded), lost_energy(t, x));
    if (by_motion > TMLI_WANTED_ERROR &&
        TURN_KEPT < tmli_weights_rate(t->weights) * (x->start->t - t->t_kept)) {
        tmli_vibration_test_renew(t);  // a stiff direction that has turned passes the old filter
        return tmli_vibration_test_judge(t, x, error, err);
    }
    if (!(by_motion < *error)) return TML_OK;
    *error = by_motion;
    t->loses = true;
    return TML_OK;
}

void tmli_vibration_test_accept(tmli_vibration_test *t, const tml_state *x, tml_counters *c)
{
    if (!t->elastic) return;
    tmli_vibrations *v = &t->vibrations;
    const double aMa = tmli_slow_filter_square(&t->filter, x->udot, t->d);
    tmli_vibrations_set_change(v, x);
    tmli_slow_filter_square(&t->filter, v->change, t->d);
    tmli_vibrations_track(v, x->t, t->d, aMa, t->loses);
    t->bound = t->trial;
    t->bound.largest *= PEAK_MEMORY;
    if (!t->loses) return;
    const double above = sqrt(t->kernel->stage.a0) / 6.283185307179586;
    c->damped_above = c->damped_above > 0 ? fmin(c->damped_above, above) : above;
    c->damped_position = fmax(c->damped_position, t->damped[0]);
    c->damped_velocity = fmax(c->damped_velocity, t->damped[1]);
    c->damped_energy = v->lost;
}

void tmli_vibration_test_archive(tmli_vibration_test *t, tml_archive *a)
{
    if (!t->offered) return;
    tmli_object_archive(&FIELDS, t->sys, t, a);
    tmli_vibrations_archive(&t->vibrations, a);
    tmli_slow_filter_archive(&t->filter, a);
    tmli_slow_filter_archive(&t->places, a);
}
