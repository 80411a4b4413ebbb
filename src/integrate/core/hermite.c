// Dense output of one-step methods; see hermite.h.
#include "integrate/core/hermite.h"
#include "system/state/accepted.h"
#include "system/state/move.h"

void tmli_hermite(const tml_system *sys, const tml_state *a, const tml_state *b, const double *D, double h,
                  double theta, tml_state *out)
{
    tml_state_copy(out, b);
    if (h == 0) return;
    const double t1 = 1 - theta;
    const double h01 = theta * theta * (3 - 2 * theta), h10 = theta * t1 * t1 * h,
                 h11 = -theta * theta * t1 * h;
    tmli_state_copy_accepted(out, a);
    out->t = a->t + theta * h;
    double *rate = out->udot, *d = out->u;  // scratch until the results are stored there
    sys->ops->tangent_inverse(sys->self, D, b->u, rate);
    for (int j = 0; j < sys->n; j++) d[j] = h01 * D[j] + h10 * a->u[j] + h11 * rate[j];
    tmli_state_move(sys, a, d, out);
    for (int j = 0; j < sys->n; j++) {
        out->u[j] = (1 - h01) * a->u[j] + h01 * b->u[j] + h10 * a->udot[j] + h11 * b->udot[j];
        out->udot[j] = t1 * a->udot[j] + theta * b->udot[j];
    }
    for (int r = 0; r < sys->m; r++) out->lambda[r] = t1 * a->lambda[r] + theta * b->lambda[r];
}
