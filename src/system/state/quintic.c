// The motion within a step by the states at its ends; see quintic.h.
#include "system/state/quintic.h"
#include "system/state/move.h"

void tmli_quintic_fit(const tml_system *sys, const tml_state *a, const tml_state *x, double h, double *memory)
{
    const int n = sys->n;
    double *d = memory, *d1 = d + n, *d2 = d1 + n, *rate = d2 + n;
    tmli_state_local(sys, a, x, h, rate, d);
    sys->ops->tangent_inverse(sys->self, d, x->u, d1);
    memcpy(rate, x->udot, (size_t)n * sizeof *rate);
    if (sys->ops->tangent_rate) {
        sys->ops->tangent_rate(sys->self, d, d1, d2);
        for (int j = 0; j < n; j++) rate[j] -= d2[j];
    }
    sys->ops->tangent_inverse(sys->self, d, rate, d2);
    for (int j = 0; j < n; j++) {  // conditions of (1) at theta = 1
        double c[3] = {d[j], d1[j], d2[j]};
        tmli_quintic_coefficients(h, a->u[j], a->udot[j], c, c);
        d[j] = c[0];
        d1[j] = c[1];
        d2[j] = c[2];
    }
}

void tmli_quintic_at(const tml_system *sys, const tml_state *a, const tml_state *x, double h, double theta,
                     double *memory, tml_state *out)
{
    const int n = sys->n;
    const double *c3 = memory, *c4 = c3 + n, *c5 = c4 + n;
    double *d = memory + 3 * n, *v = d + n;
    tml_state_copy(out, a);
    out->t = a->t + theta * h;
    for (int j = 0; j < n; j++) {
        const double c[3] = {c3[j], c4[j], c5[j]};
        tmli_quintic_value(h, a->u[j], a->udot[j], c, theta, &d[j], &v[j]);
    }
    tmli_state_move(sys, a, d, out);
    sys->ops->tangent(sys->self, d, v, out->u);
    for (int j = 0; j < n; j++) out->udot[j] += theta * (x->udot[j] - a->udot[j]);
    for (int r = 0; r < sys->m; r++) out->lambda[r] += theta * (x->lambda[r] - a->lambda[r]);
}
