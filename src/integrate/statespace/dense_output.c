// States in the chart of a step, dense output, and the last step in the present chart; equation numbers as
// in statespace.h.
#include "integrate/statespace/statespace.h"
#include "system/state/accepted.h"
#include "system/state/move.h"

#include <math.h>
#include <string.h>

// Increment d from x0, its rate d1 and second derivative d2 of a state: u = T d1, udot + more = T d2 +
// (dT/dt) d1.
static void express_in_chart(const tml_system *sys, const tml_state *x0, const tml_state *y,
                             const double *more, double *d, double *d1, double *d2, double *scratch)
{
    tmli_state_local(sys, x0, y, y->t - x0->t, scratch, d);
    sys->ops->tangent_inverse(sys->self, d, y->u, d1);
    for (int j = 0; j < sys->n; j++) scratch[j] = y->udot[j] + (more ? more[j] : 0);
    if (sys->ops->tangent_rate) {
        sys->ops->tangent_rate(sys->self, d, d1, d2);
        for (int j = 0; j < sys->n; j++) scratch[j] -= d2[j];
    }
    sys->ops->tangent_inverse(sys->self, d, scratch, d2);
}

void tmli_statespace_acceleration(tmli_statespace *s, const tml_state *y, double *a)
{
    express_in_chart(s->sys, s->x, y, NULL, s->d, s->d1, s->d2, s->full);
    memcpy(s->trial->u, s->d2, (size_t)s->sys->n * sizeof(double));  // free between steps
    tmli_reduction_velocity(s->red, s->trial, a);
}

void tmli_statespace_transform_last_step(tmli_statespace *s)
{
    tmli_statespace_acceleration(s, s->previous, s->a_before);
    tmli_statespace_interpolate(s, 0.5, s->probe);
    tmli_statespace_acceleration(s, s->probe, s->a_half);
}

void tmli_statespace_set_dense(tmli_statespace *s)
{
    const tml_system *sys = s->sys;
    const double h = s->h_trial;
    double *const *S = s->poly_trial;
    express_in_chart(sys, s->x, s->x, s->smooth, s->d, s->d1, S[3], s->full);
    express_in_chart(sys, s->x, s->trial, s->smooth_trial, s->d, s->d1, s->d2, s->full);
    for (int j = 0; j < sys->n; j++) {
        const double u0 = s->x->u[j], a0 = S[3][j];
        S[0][j] = s->d[j] - h * u0 - h * h / 2 * a0;
        S[1][j] = h * (s->d1[j] - u0) - h * h * a0 - 3 * S[0][j];
        S[2][j] = h * h * (s->d2[j] - a0) - 6 * (S[0][j] + S[1][j]);
    }
}

// X of (2) for a step h from a; also X' and X'' if not NULL.
static void evaluate(int n, const tml_state *a, double *const S[4], double h, double theta, double *X,
                     double *X1, double *X2)
{
    const double d = theta - 1, t2 = theta * theta, t3 = t2 * theta;
    for (int j = 0; j < n; j++) {
        const double P = S[0][j] + d * (S[1][j] + d / 2 * S[2][j]), slope = S[1][j] + d * S[2][j];
        const double u0 = a->u[j], a0 = S[3][j];
        X[j] = theta * h * u0 + t2 * h * h / 2 * a0 + t3 * P;
        if (X1) X1[j] = u0 + theta * h * a0 + t2 / h * (3 * P + theta * slope);
        if (X2) X2[j] = a0 + (6 * theta * P + 6 * t2 * slope + t3 * S[2][j]) / (h * h);
    }
}

void tmli_statespace_interpolate(void *self, double theta, tml_state *out)
{
    const tmli_statespace *s = self;
    const tml_system *sys = s->sys;
    const tml_state *a = s->previous;
    tml_state_copy(out, s->x);
    if (s->h_last == 0) return;
    const double h = s->h_last;
    tmli_state_copy_accepted(out, a);
    out->t = a->t + theta * h;
    evaluate(sys->n, a, s->poly, h, theta, s->d, s->d1, s->d2);
    tmli_state_move(sys, a, s->d, out);
    sys->ops->tangent(sys->self, s->d, s->d1, out->u);
    sys->ops->tangent(sys->self, s->d, s->d2, out->udot);
    if (sys->ops->tangent_rate) {
        sys->ops->tangent_rate(sys->self, s->d, s->d1, s->d2);
        for (int j = 0; j < sys->n; j++) out->udot[j] += s->d2[j];
    }
    for (int r = 0; r < sys->m; r++) out->lambda[r] = (1 - theta) * a->lambda[r] + theta * s->x->lambda[r];
}

tml_status tmli_statespace_check_dense(tmli_statespace *s, double *miss, tml_error *err)
{
    const tml_system *sys = s->sys;
    const double h = s->h_trial, t = s->x->t + h / 2;
    *miss = 0;
    if (sys->m == 0) return TML_OK;
    evaluate(sys->n, s->x, s->poly_trial, h, 0.5, s->d, NULL, NULL);
    tml_status st;
    if (sys->ops->increment) {
        st = tmli_active_increment(sys, s->work, s->x, s->d, t, s->phi, err);
    } else {
        tmli_state_move(sys, s->x, s->d, s->probe);
        s->probe->t = t;
        st = tmli_active_residual(sys, s->work, s->probe, NULL, s->full, s->phi, err);
    }
    for (int r = 0; r < sys->m; r++)
        if (!sys->level || sys->level[r] == TML_LEVEL_POSITION)
            *miss = fmax(*miss, fabs(s->phi[r]) / s->unit[sys->n + r]);
    return st;
}
