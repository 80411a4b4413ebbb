// Start of bdf: derivatives of the motion from the equations alone, so that the first step can be of third
// order.
#include "integrate/bdf/bdf.h"
#include "integrate/core/step_control.h"
#include "system/state/first_order.h"
#include "system/state/move.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/bdf/constants.h"

// Accelerations at time e on the motion with the derivatives known so far.
static tml_status accelerations_near(tmli_bdf *b, int terms, double e, double *udot, tml_error *err)
{
    const tml_system *s = b->sys;
    tml_state *y = b->trial;
    double *X = b->D;
    tml_state_copy(y, b->x);
    y->t = b->x->t + e;
    memset(X, 0, (size_t)s->n * sizeof(double));
    tmli_history_path(&b->history, (const double *const *)b->derivative, terms, 0, e, X, y->u);
    tmli_state_move(s, b->x, X, y);
    tml_status st = tmli_consistent_accelerations(&b->consistent, y, err);
    if (st == TML_OK) memcpy(udot, y->udot, (size_t)s->n * sizeof(double));
    return st;
}

// Second and third derivative of the velocity: central differences of the index-1 accelerations at +-e, on
// the path of `terms` derivatives.
static tml_status find_second_and_third(tmli_bdf *b, int terms, double e, tml_error *err)
{
    double *later = b->ex, *earlier = b->eu;
    tml_status st = accelerations_near(b, terms, e, later, err);
    if (st == TML_OK) st = accelerations_near(b, terms, -e, earlier, err);
    for (int j = 0; j < b->sys->n && st == TML_OK; j++) {
        const double p = later[j], m = earlier[j];
        b->derivative[1][j] = (p - m) / (2 * e);
        b->derivative[2][j] = (p - 2 * b->x->udot[j] + m) / (e * e);
    }
    return st;
}

// The same and the fourth derivative from +-e and +-2e, on the more exact path of three derivatives.
static tml_status find_second_to_fourth(tmli_bdf *b, double e, tml_error *err)
{
    double *at[4] = {b->ex, b->eu, b->force, b->moved};
    static const double offset[4] = {-2, -1, 1, 2};
    tml_status st = TML_OK;
    for (int i = 0; i < 4 && st == TML_OK; i++) st = accelerations_near(b, 3, offset[i] * e, at[i], err);
    for (int j = 0; j < b->sys->n && st == TML_OK; j++) {
        const double m2 = at[0][j], m1 = at[1][j], p1 = at[2][j], p2 = at[3][j], v = b->x->udot[j];
        b->derivative[1][j] = (8 * (p1 - m1) - (p2 - m2)) / (12 * e);
        b->derivative[2][j] = (16 * (p1 + m1) - (p2 + m2) - 30 * v) / (12 * e * e);
        b->derivative[3][j] = (p2 - m2 - 2 * (p1 - m1)) / (2 * e * e * e);
    }
    return st;
}

tml_status tmli_bdf_derivatives(tmli_bdf *b, tml_error *err)
{
    const tml_system *s = b->sys;
    const tml_state *x = b->x;
    b->rate = 1 / b->opt.duration;
    for (int j = 0; j < tmli_mechanical(s); j++) {
        const double unit = tmli_weights_unit(&b->weights, j);
        b->rate = fmax(b->rate, fmax(fabs(x->u[j]) / unit, sqrt(fabs(x->udot[j]) / unit)));
    }
    b->rate = tmli_weights_with_states(&b->weights, b->rate);
    memcpy(b->derivative[0], x->udot, (size_t)s->n * sizeof(double));
    memset(b->derivative[3], 0, (size_t)s->n * sizeof(double));
    // truncation e^2 and round-off 1e-16/e^2 are balanced
    tml_status st = find_second_and_third(b, 1, TMLI_START_DIFFERENCE / b->rate, err);
    // rates of first-order states depend on the velocities themselves: their third derivative needs the
    // second
    if (st == TML_OK && s->nz > 0) st = find_second_and_third(b, 2, TMLI_START_DIFFERENCE / b->rate, err);
    tmli_weights_set_massless(&b->weights, tmli_consistent_massless(&b->consistent));
    // fixed steps of order above 3 need one more derivative: truncation e^2, round-off 1e-16/e^3
    if (st == TML_OK && b->opt.fixed_step && b->highest > FIRST_ORDER)
        st = find_second_to_fourth(b, FOURTH_DERIVATIVE_DIFFERENCE / b->rate, err);
    return st;
}

// ---- stiff motion at a start ------------------------------------------------------------------------------
//
// Motion that stiff forces end long before a fixed step does has derivatives out of scale: of damping c of a
// mass m, each is c/m times the one before. Points made up from them would be far off. The k-th derivative of
// the acceleration is filtered k times by a1^2 inverse(a1^2 M + a1 D + K) M, the share of a change of
// velocity that the step leaves, along the constraints, if that leaves less than half of it. Of motion that
// the step follows it leaves 1 - O(h): the order stays.

// The largest of v (n), in units of the coordinates.
static double largest_of(const tmli_bdf *b, const double *v)
{
    double largest = DBL_MIN;
    for (int j = 0; j < b->sys->n; j++)
        largest = fmax(largest, fabs(v[j]) / tmli_weights_unit(&b->weights, j));
    return largest;
}

// v (n) := its part across the constraints + `times` filters of that along them. *left: share of the first.
static tml_status filter(tmli_bdf *b, int times, double *v, double *left, tml_error *err)
{
    const tml_system *s = b->sys;
    double *across = b->ex;
    memset(across, 0, (size_t)s->n * sizeof(double));
    if (s->m > 0) {
        const tml_status st = tmli_active_rows(s, b->kernel.work, b->x, b->kernel.rows, err);
        if (st != TML_OK) return st;
        tmli_kernel_project(&b->kernel, false, v, across);
    }
    const double all = fmax(largest_of(b, v), largest_of(b, across)), before = largest_of(b, v),
                 rate = tmli_weights_rate(&b->weights);
    for (int i = 0; i < times && largest_of(b, v) > DBL_EPSILON * all; i++) {
        tml_state_copy(b->probe, b->x);
        const tml_status st = tmli_kernel_decay(&b->kernel, b->probe, s->n, rate * rate / largest_of(b, v), v,
                                                b->force, b->along, b->kernel.dphi, err);
        if (st != TML_OK) return st;
    }
    *left = largest_of(b, v) / before;
    for (int j = 0; j < s->n; j++) v[j] += across[j];
    return TML_OK;
}

tml_status tmli_bdf_settle(tmli_bdf *b, double h, bool *changed, tml_error *err)
{
    const size_t bytes = (size_t)b->sys->n * sizeof(double);
    const double usual = largest_of(b, b->x->udot);
    double scale = 1, left;
    bool ready = false;
    tml_status st = TML_OK;
    *changed = false;
    b->quick = 0;
    for (int k = 1; k < TMLI_BDF_DERIVATIVES && st == TML_OK; k++) {
        scale *= h;
        const double size = largest_of(b, b->derivative[k]);
        if (scale * size <= usual) continue;
        if (b->quick == 0) b->quick = pow(usual / size, 1.0 / k);
        if (!ready) st = tmli_kernel_refresh(&b->kernel, b->a1 * b->a1, b->a1, b->x, err);
        ready = true;
        memcpy(b->eu, b->derivative[k], bytes);
        if (st == TML_OK) st = filter(b, k, b->eu, &left, err);
        if (st != TML_OK || !(left <= TMLI_FILTERED_SHARE)) continue;
        memcpy(b->derivative[k], b->eu, bytes);
        *changed = true;
    }
    if (ready) tmli_kernel_request_matrix(&b->kernel);
    return st;
}
