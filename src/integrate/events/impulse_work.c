// Work of impulses. With M du + B' L = R and the mean velocity w = u + du/2 the kinetic energy changes by
//   T(u + du) - T(u) = w' M du = -L'(B w) + w' R                                                          (1)
// A row that is struck takes L_i (B w)_i, which is L_i (1 - k e_i) B_i u/2 by the law of impact. The row of
// friction that holds takes as much for the friction. All other rows work only if they prescribe a rate. The
// last term is that of friction that slips. So each jump of the kinetic energy has a cause, found from the
// impulses and not from the jump itself: what is left over is an error.
//
// B w follows from the residual of velocities, r(u) = B u - nu, as r(w) - r(0).
#include "integrate/events/impulse_work.h"

#include <string.h>

#include "integrate/events/impacts.h"

tml_status tmli_impulse_work_of_rows(const tml_system *sys, void *work, const tml_state *x, const double *du,
                                     const double *L, double *rate, double *w, tmli_impulse_work *out,
                                     tml_error *err)
{
    double *const none = rate + sys->m, all = 0;
    tml_state y = *x;  // with other velocities
    y.u = w;
    memset(w, 0, (size_t)sys->n * sizeof *w);
    *out = (tmli_impulse_work){0};
    tml_status st = sys->ops->velocity(sys->self, work, &y, none, err);
    for (int j = 0; j < sys->n; j++) w[j] = x->u[j] + du[j] / 2;
    if (st == TML_OK) st = sys->ops->velocity(sys->self, work, &y, rate, err);
    if (st != TML_OK) return st;
    for (int r = 0; r < sys->m; r++) all -= L[r] * (rate[r] - none[r]);
    for (int i = 0; i < sys->nmode; i++) {
        const int r = sys->mode_row ? sys->mode_row[i] : -1;
        if (r < 0 || x->mode[i] != TMLI_CLOSED) continue;
        const double loss = L[r] * (rate[r] - none[r]);
        if (tmli_is_unilateral(sys, i)) out->struck += loss;
        else if (tmli_rubs_in_contact(sys, i)) out->rubbed += loss;
        else out->friction += loss;
    }
    out->driven = all + out->struck + out->rubbed + out->friction;
    return TML_OK;
}
