// Dense output of the explicit Runge-Kutta methods: erk_tables.h (4). Its further stages are evaluated at the
// first interpolation in a step.
#include "integrate/explicit/erk.h"
#include "system/state/first_order.h"
#include "system/state/units.h"

#include <math.h>

#include "integrate/explicit/constants.h"

// Share of the last step in which nothing moves further than SINGULAR_DISTANCE.
static double singular_share(const tmli_explicit *c)
{
    const tml_system *s = c->sys;
    double most = 0;
    for (int j = 0; j < tmli_mechanical(s); j++) {
        const double size = tmli_coordinate_unit(s, j);
        most = fmax(most, fmax(fabs(c->previous->u[j]), fabs(c->x->u[j])) / size);
    }
    return fmin(SINGULAR_DISTANCE / (most * c->h_last), SINGULAR_SHARE_OF_STEP);
}

// k and whole of the further stage i, evaluated at a distance `shift` (share of the step) from it;
// accelerations there follow those of both ends. False: they cannot be evaluated.
static bool evaluate_shifted(const tmli_erk *e, int i, double shift, double *k, double *whole)
{
    const tmli_explicit *c = &e->common;
    const tmli_erk_table *t = tmli_erk_present(e)->table;
    const int last = t->stages - 1;
    const double at = t->c[i], dt = shift * c->h_last;
    tmli_erk_set_point(e, &tmli_erk_present(e)->stage[i], at, c->h_last, e->v, e->vd);
    tmli_erk_set_point_of_all(e, &tmli_erk_present(e)->stage[i], at, c->h_last, c->previous);
    for (int j = 0; j < c->dof; j++) {
        const double a = (1 - at) * e->k[0][j] + at * e->k[last][j];
        e->v[j] += dt * (e->vd[j] + dt / 2 * a);
        e->vd[j] += dt * a;
    }
    for (int j = 0; j < c->sys->n && dt != 0; j++) {
        const double a = (1 - at) * e->whole[0][j] + at * e->whole[last][j];
        e->d[j] += dt * (e->rate[j] + dt / 2 * a);
        e->rate[j] += dt * a;
    }
    if (!tmli_reduction_solve_dependent_near(c->reduction, c->previous->t + at * c->h_last + dt, e->v, e->vd,
                                             e->d, e->rate, c->stage))
        return false;
    if (tmli_reduction_accelerate(c->reduction, c->stage, k, NULL) != TML_OK) return false;
    tmli_reduction_increment(c->reduction, c->stage, NULL, NULL, whole);
    return true;
}

// A further stage in a singular configuration: the mean of the evaluations on both sides of it.
static bool evaluate_on_both_sides(const tmli_erk *e, int i)
{
    const tmli_explicit *c = &e->common;
    const double shift = singular_share(c);
    double *k = c->near, *whole = c->full;
    if (!evaluate_shifted(e, i, -shift, k, whole) || !evaluate_shifted(e, i, shift, e->k[i], e->whole[i]))
        return false;
    for (int j = 0; j < c->dof; j++) e->k[i][j] = (e->k[i][j] + k[j]) / 2;
    for (int j = 0; j < c->sys->n; j++) e->whole[i][j] = (e->whole[i][j] + whole[j]) / 2;
    return true;
}

// Evaluate the further stages at the first interpolation in a step.
static bool evaluate_further_stages(tmli_erk *e)
{
    const tmli_erk_table *t = tmli_erk_present(e)->table;
    if (e->further != TMLI_ERK_FURTHER_UNKNOWN) return e->further == TMLI_ERK_FURTHER_KNOWN;
    e->further = TMLI_ERK_FURTHER_IMPOSSIBLE;
    for (int i = t->stages; i < t->stages + t->more; i++)
        if (!evaluate_shifted(e, i, 0, e->k[i], e->whole[i]) && !evaluate_on_both_sides(e, i)) return false;
    e->further = TMLI_ERK_FURTHER_KNOWN;
    return true;
}

void tmli_erk_interpolate(void *self, double theta, tml_state *out)
{
    tmli_erk *e = self;
    const tmli_explicit *c = &e->common;
    const tmli_erk_table *t = tmli_erk_present(e)->table;
    if (c->h_last == 0 || theta >= 1) {
        tml_state_copy(out, c->x);
        return;
    }
    double b[TMLI_ERK_STAGES];
    tmli_erk_row weights;
    if (evaluate_further_stages(e)) tmli_erk_dense(t, theta, b);
    else tmli_erk_cubic(t, theta, b);  // through both ends
    tmli_erk_set_weights(t, b, &weights);
    tmli_erk_set_point(e, &weights, theta, c->h_last, e->v, e->vd);
    if (c->sys->m > 0) tmli_erk_set_point_of_all(e, &weights, theta, c->h_last, c->previous);
    tmli_explicit_interpolate(c, theta, e->v, e->vd, e->d, e->rate, out);
}
