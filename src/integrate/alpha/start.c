// Starting values of the alpha family, at a start and at every step; equation numbers as in alpha.h.
#include "integrate/alpha/alpha.h"
#include "integrate/core/step_control.h"
#include "system/state/first_order.h"
#include "system/state/move.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/alpha/constants.h"

// Accelerations at time e after x on the motion through x: at x (+) (e u + e^2/2 udot).
static tml_status accelerations_near(tmli_alpha *g, double e, double *udot, tml_error *err)
{
    const tml_system *s = g->sys;
    const tml_state *x = g->x;
    tml_state *y = g->trial;
    for (int j = 0; j < s->n; j++) g->D[j] = e * x->u[j] + e * e / 2 * x->udot[j];
    tml_state_copy(y, x);
    y->t = x->t + e;
    tmli_state_move(s, x, g->D, y);
    for (int j = 0; j < s->n; j++) y->u[j] = x->u[j] + e * x->udot[j];
    tml_status st = tmli_consistent_accelerations(&g->consistent, y, err);
    if (st == TML_OK) memcpy(udot, y->udot, (size_t)s->n * sizeof(double));
    return st;
}

// out (m) := B v with the rows at x; uses that the velocity residual is affine in u.
static tml_status rows_times(tmli_alpha *g, const double *v, double *out, tml_error *err)
{
    const tml_system *s = g->sys;
    tml_state *y = g->trial;
    tml_state_copy(y, g->x);
    memset(y->u, 0, (size_t)s->n * sizeof(double));
    tml_status st = tmli_active_velocity(s, g->kernel.work, y, g->kernel.rhs, err);
    memcpy(y->u, v, (size_t)s->n * sizeof(double));
    if (st == TML_OK) st = tmli_active_velocity(s, g->kernel.work, y, out, err);
    for (int r = 0; r < s->m; r++) out[r] -= g->kernel.rhs[r];
    return st;
}

// The bracket is twice the odd part of inverse(T), Q its even part; the division by `size` keeps the
// arguments small.
void tmli_alpha_retraction(const tmli_alpha *g, double *r)
{
    const tml_system *s = g->sys;
    const double *u = g->x->u, *v = g->x->udot;
    double *x = g->along, *part = g->taken, size = 1;
    for (int j = 0; j < tmli_mechanical(s); j++)
        size = fmax(size, fabs(u[j]) / tmli_weights_unit(&g->weights, j));
    memset(r, 0, (size_t)s->n * sizeof(double));
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int j = 0; j < s->n; j++) x[j] = sign * u[j] / size;
        s->ops->tangent_inverse(s->self, x, v, part);
        for (int j = 0; j < s->n; j++) r[j] += sign * size * part[j] / 12;
        s->ops->tangent_inverse(s->self, x, u, part);
        for (int j = 0; j < s->n; j++) r[j] += size * size * (part[j] - u[j]) / 6;
    }
}

// y (m) := value of (B u - nu)/h^2 demanded by (7).
static tml_status standing_rate(tmli_alpha *g, double *y, tml_error *err)
{
    double *w = g->second;
    tmli_alpha_retraction(g, w);
    for (int j = 0; j < g->sys->n; j++) w[j] += g->cs * g->last.jerk[j];
    const tml_status st = rows_times(g, w, y, err);
    for (int r = 0; r < g->sys->m && g->sys->level; r++)  // rows at velocity level hold exactly
        if (g->sys->level[r] == TML_LEVEL_VELOCITY) y[r] = 0;
    return st;
}

// Set what follows from the jerk at x: `a` and the standing error.
static tml_status use_jerk(tmli_alpha *g, tml_error *err)
{
    const tml_system *s = g->sys;
    for (int j = 0; j < s->n; j++) g->shift[j] = g->theta * g->last.jerk[j];
    memset(g->standing, 0, (size_t)s->n * sizeof(double));
    g->standing_known = true;
    if (s->m == 0) return TML_OK;
    const tml_status st = standing_rate(g, g->phi, err);
    if (st == TML_OK) tmli_consistent_constrain(&g->consistent, g->phi, g->standing);
    return st;
}

tml_status tmli_alpha_begin(tmli_alpha *g, tml_error *err)
{
    const tml_system *s = g->sys;
    const tml_state *x = g->x;
    memset(g->last.lambda_rate, 0, (size_t)s->m * sizeof(double));
    memcpy(g->last.v, x->udot, (size_t)s->n * sizeof(double));
    memcpy(g->last.lambda, x->lambda, (size_t)s->m * sizeof(double));
    g->last.span = g->h_last = 0;
    tmli_kernel_request_matrix(&g->kernel);
    double rate = 1 / g->opt.duration;
    for (int j = 0; j < tmli_mechanical(s); j++)
        rate = fmax(rate, fmax(fabs(x->u[j]) / tmli_weights_unit(&g->weights, j),
                               sqrt(fabs(x->udot[j]) / tmli_weights_unit(&g->weights, j))));
    const double e = TMLI_START_DIFFERENCE / tmli_weights_with_states(&g->weights, rate);
    double *later = g->last.jerk, *earlier = g->jounce;
    tml_status st = accelerations_near(g, e, later, err);
    if (st == TML_OK) st = accelerations_near(g, -e, earlier, err);
    if (st != TML_OK) return st;
    tmli_weights_set_massless(&g->weights, tmli_consistent_massless(&g->consistent));
    for (int j = 0; j < s->n; j++) {
        const double p = later[j], m = earlier[j];
        g->last.jerk[j] = (p - m) / (2 * e);
        g->jounce[j] = (p - 2 * x->udot[j] + m) / (e * e);
    }
    return use_jerk(g, err);
}

// The largest of v (n), in units of the coordinates.
static double largest_of(const tmli_alpha *g, const double *v)
{
    double largest = 0;
    for (int j = 0; j < g->sys->n; j++)
        largest = fmax(largest, fabs(v[j]) / tmli_weights_unit(&g->weights, j));
    return largest;
}

tml_status tmli_alpha_settle(tmli_alpha *g, double h, tml_error *err)
{
    const tml_system *s = g->sys;
    double *v = g->first, *across = g->taken;
    const double usual = largest_of(g, g->x->udot), jerk = largest_of(g, g->last.jerk);
    const double time = fmin(usual / jerk, sqrt(usual / largest_of(g, g->jounce)));
    g->quick = time < h ? time : 0;
    if (h * jerk <= usual) return TML_OK;  // the usual case
    memcpy(v, g->last.jerk, (size_t)s->n * sizeof(double));
    memset(across, 0, (size_t)s->n * sizeof(double));
    tml_status st = tmli_kernel_refresh(&g->kernel, g->a0 / g->point, g->a1 / g->point, g->x, err);
    if (st == TML_OK && s->m > 0) st = tmli_alpha_split(g, g->x, v, across, err);
    const double before = largest_of(g, v);
    const bool prescribed = before <= DBL_EPSILON * jerk;  // all of it is across the constraints
    if (st == TML_OK && !prescribed) st = tmli_alpha_decay(g, g->x, s->n, v, err);
    tmli_kernel_request_matrix(&g->kernel);
    if (st != TML_OK || prescribed || !(largest_of(g, v) <= TMLI_FILTERED_SHARE * before)) return st;
    for (int j = 0; j < s->n; j++) g->last.jerk[j] = v[j] + across[j];
    if (s->m > 0) st = tmli_consistent_factor(&g->consistent, g->x, err);  // others share its memory
    return st == TML_OK ? use_jerk(g, err) : st;
}

tml_status tmli_alpha_start(void *self, const tml_state *x, tml_error *err)
{
    tmli_alpha *g = self;
    tml_state_copy(g->x, x);
    tml_state_copy(g->previous, x);
    memset(g->D_last, 0, (size_t)g->sys->n * sizeof(double));
    tmli_step_start(&g->control);
    g->h_dense = 0;
    tmli_weights_start(&g->weights, x);
    const tml_status st = tmli_vibration_test_start(&g->vibrations, x, err);
    return st == TML_OK ? tmli_alpha_begin(g, err) : st;
}

tml_status tmli_alpha_inputs_changed(void *self, const tml_state *x, tml_error *err)
{
    tmli_alpha *g = self;
    double *d = g->first, *dl = g->gap;
    tml_status st;
    if (g->h_last == 0) {  // there is no matrix yet
        st = tmli_consistent_change_inputs(&g->consistent, g->x, x, d, dl, err);
        return st == TML_OK ? tmli_alpha_begin(g, err) : st;
    }
    st = tmli_kernel_change_inputs(&g->kernel, g->x, x, d, dl, err);
    for (int j = 0; j < g->sys->n && st == TML_OK; j++) g->last.v[j] += d[j];
    for (int r = 0; r < g->sys->m && st == TML_OK; r++) g->last.lambda[r] += dl[r];
    return st;
}

double tmli_alpha_first_step(void *self)
{
    tmli_alpha *g = self;
    const tml_system *s = g->sys;
    const double T = g->opt.duration;
    double h = T / TMLI_FIRST_STEPS_PER_RUN;
    for (int j = 0; j < s->n; j++) {
        const double unit = tmli_weights_unit(&g->weights, j),
                     wq = TMLI_FIRST_STEP_SHARE * g->opt.run.atol * unit;
        const double wu = TMLI_FIRST_STEP_SHARE * tmli_weights_velocity(&g->weights, j);
        const double jerk = fabs(g->last.jerk[j]), jounce = fabs(g->jounce[j]);
        const bool state = s->kind[j] == TML_COORDINATE_STATE;
        if (!state) h = fmin(h, sqrt(wq / (T * fabs(g->cq) * jerk + DBL_MIN)));
        h = fmin(h, sqrt(wu / (T * fabs(g->cu) * jounce + DBL_MIN)));
        if (g->order == 1) {
            const double h1 = wu / (T * fabs(g->c1) * jerk + DBL_MIN);
            h = fmin(
                h, fmax(h1, sqrt(TMLI_SHORTEST_BUDGET * T * h1)));  // the budget of a step has a lower bound
        }
        // the force must not change the velocity out of scale within the step
        if (!state)
            h = fmin(h, TMLI_FIRST_STEP_OF_ACCELERATION * sqrt(unit / (fabs(g->x->udot[j]) + DBL_MIN)));
    }
    return fmin(h, TMLI_FIRST_STEP_OF_ACCELERATION / (g->weights.state_rate + DBL_MIN));
}

// ---- every step -------------------------------------------------------------------------------------------

// (12): the standing error is prescribed, not measured.
static tml_status prescribe_standing_error(tmli_alpha *g, double h, tml_error *err)
{
    const tml_system *s = g->sys;
    tml_status st = TML_OK;
    if (h != g->h_last) st = tmli_kernel_refresh(&g->kernel, g->a0 / g->point, g->a1 / g->point, g->x, err);
    if (st == TML_OK) st = standing_rate(g, g->phi, err);
    if (st == TML_OK) st = tmli_active_velocity(s, g->kernel.work, g->x, g->gap, err);
    if (st != TML_OK) return st;
    for (int r = 0; r < s->m; r++) g->phi[r] = h * h * g->phi[r] - g->gap[r];
    tmli_kernel_constrain(&g->kernel, g->phi, g->standing);
    for (int j = 0; j < s->n; j++) g->u_start[j] += g->standing[j];
    return TML_OK;
}

tml_status tmli_alpha_perturb(tmli_alpha *g, double h, tml_error *err)
{
    const tml_system *s = g->sys;
    memcpy(g->u_start, g->x->u, (size_t)s->n * sizeof(double));
    if (s->m == 0) return TML_OK;
    if (g->renew && g->h_last > 0) return prescribe_standing_error(g, h, err);
    if (h == g->h_last) return TML_OK;
    if (!g->standing_known) {
        // P needs a new matrix: a wrong direction would be an error of order h^2 along the constraints
        tml_status st = tmli_kernel_refresh(&g->kernel, g->a0 / g->point, g->a1 / g->point, g->x, err);
        if (st == TML_OK) st = tmli_active_velocity(s, g->kernel.work, g->x, g->phi, err);
        if (st != TML_OK) return st;
        tmli_kernel_constrain(&g->kernel, g->phi, g->standing);
        g->standing_known = true;
    }
    const double factor = g->h_last == 0 ? h * h : h * h / (g->h_last * g->h_last) - 1;
    for (int j = 0; j < s->n; j++) g->u_start[j] += factor * g->standing[j];
    return TML_OK;
}
