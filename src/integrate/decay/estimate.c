// Error estimate of the energy-decaying methods; equation numbers as in decay.h.
#include "integrate/decay/decay.h"

#include <math.h>

#include "integrate/decay/constants.h"

// first, second (n) := (7) for D and u, from differences of accelerations.
static void local_errors(tmli_decay *g, double h, double *first, double *second)
{
    const tmli_decay_point *a = &g->point[0], *b = &g->point[1], *c = &g->point[2];
    const double span = a->t - b->t;
    for (int j = 0; j < g->sys->n; j++) {
        const double jerk = (a->v[j] - b->v[j]) / span;
        const double before = g->points > 1 ? (b->v[j] - c->v[j]) / (b->t - c->t) : jerk;
        const double jounce = g->points > 1 ? 2 * (jerk - before) / (a->t - c->t) : 0;
        first[j] = h * h * (h * jerk / 12 - g->share * a->v[j]);
        second[j] = h * h * (h * jounce / 12 - g->share * jerk);
    }
}

// leak: share of the part across the constraints that may have passed the projection and is not counted.
// *across: of what (8) removes, a part of the error.
static tml_status motion_error(tmli_decay *g, double h, double leak, double *error, double *across,
                               tml_error *err)
{
    const tml_system *s = g->sys;
    const tml_state *y = g->trial;
    double *first = g->first, *second = g->second, *taken = g->taken, worst = 0;
    local_errors(g, h, first, second);
    tml_status st = tmli_active_rows(s, g->kernel.work, y, g->kernel.rows, err);
    if (st != TML_OK) return st;
    tmli_kernel_project(&g->kernel, false, second, taken);
    for (int j = 0; j < s->n; j++) {
        const double e = fabs(second[j]) - leak * fabs(taken[j]);
        worst = fmax(worst, e / tmli_weights_step_velocity(&g->weights, j, h));
    }
    tmli_kernel_project(&g->kernel, true, first, taken);
    s->ops->local(s->self, g->weights.q_start, y->q, g->moved);
    *across = 0;
    for (int j = 0; j < s->n; j++) {
        const double e = fabs(first[j]) - leak * fabs(taken[j]);
        worst = fmax(worst, e / tmli_weights_step_position(&g->weights, j, g->moved, h));
        // what (8) removes does not accumulate, so all of the tolerance is allowed
        const double allowed =
            tmli_weights_velocity_across(&g->weights, j, h, g->kernel.gyration_ratio, y->t);
        *across = fmax(*across, fabs(taken[j]) / h / allowed);
    }
    *error = fmax(worst, *across);
    return TML_OK;
}

// Less than *error if it comes from vibrations that the step does not resolve: vibration_test.h. By (5) the
// step takes alpha (u1 - u0)'M (u1 - u0) out of the kinetic energy of a vibration, and as much out of its
// potential energy. Without damping it is judged as before.
static tml_status judge_vibrations(tmli_decay *g, double h, double across, double *error, tml_error *err)
{
    double less = *error;
    if (!(*error > TMLI_WANTED_ERROR) || !(g->most > 0)) return TML_OK;
    const tmli_vibration_trial trial = {.start = g->x,
                                        .end = g->trial,
                                        .h = h,
                                        .ed = g->first,
                                        .eu = g->second,
                                        .dv = g->point[0].v,
                                        .moved = g->moved,
                                        .loss = 2 * g->share,
                                        .mean = true};
    const tml_status st = tmli_vibration_test_judge(&g->vibrations, &trial, &less, err);
    *error = fmax(less, across);
    return st;
}

tml_status tmli_decay_estimate(tmli_decay *g, double h, double *error, tml_error *err)
{
    double across;
    tml_status st = motion_error(g, h, 0, error, &across, err);
    if (st == TML_OK) st = judge_vibrations(g, h, across, error, err);
    if (st != TML_OK || g->sys->m == 0 || *error <= 1) return st;
    // before rejecting, make sure that the error is not noise that an old matrix let through
    st = tmli_kernel_refresh(&g->kernel, 1 / (h * h), 1 / h, g->trial, err);
    if (st == TML_OK) st = motion_error(g, h, TMLI_PROJECTION_LEAK, error, &across, err);
    return st == TML_OK ? judge_vibrations(g, h, across, error, err) : st;
}
