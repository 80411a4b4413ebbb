// Work of impulses. With M du + B' L = g' p + R (impact_rows.h) and the mean velocity w = u + du/2 the
// kinetic energy changes by
//   T(u + du) - T(u) = w' M du = -L'(B w) + p'(g w) + w' R                                                (1)
// The rows of the law of impact, with the impulses p, have the mean rates g w. The others, with L, work only
// if they prescribe a rate. The last term is that of friction by other laws. So each jump of the kinetic
// energy has a cause, found from the impulses and not from the jump itself: what is left over is an error.
//
// B w follows from the residual of velocities, r(u) = B u - nu, as r(w) - r(0).
#include "integrate/events/impulse_work.h"

#include <string.h>

tml_status tmli_impulse_work_find(const tmli_impact_rows *r, const tml_state *x, const double *du,
                                  const double *after, double *rate, double *w, tmli_impulse_work *out,
                                  tml_error *err)
{
    const tml_system *sys = r->sys;
    double *const none = rate + sys->m;
    tml_state y = *x;  // with other velocities
    y.u = w;
    memset(w, 0, (size_t)sys->n * sizeof *w);
    *out = (tmli_impulse_work){0};
    tml_status st = tmli_active_velocity(sys, r->work, &y, none, err);
    for (int j = 0; j < sys->n; j++) w[j] = x->u[j] + du[j] / 2;
    if (st == TML_OK) st = tmli_active_velocity(sys, r->work, &y, rate, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < sys->m; i++) out->driven -= x->lambda[i] * (rate[i] - none[i]);
    for (int k = 0; k < r->law.groups; k++) {
        const tmli_impact_group *g = &r->law.group[k];
        for (int i = g->first; i < g->first + g->normals + g->tangents; i++) {
            const int row = r->row[i];
            const double loss = -r->p[i] * (r->at_start[i] + after[i]) / 2;
            *(i < g->first + g->normals ? &out->struck : g->normals ? &out->rubbed : &out->friction) += loss;
            out->driven += x->lambda[row] * (rate[row] - none[row]);  // it is no other row
        }
    }
    for (int j = 0; j < sys->n; j++) out->friction -= w[j] * r->force_sum[j];
    return TML_OK;
}
