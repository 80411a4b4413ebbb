// Stability of an equilibrium: the roots of the linearized motion.
#include "analysis/statics/stability.h"
#include "analysis/modes/linearize.h"
#include "analysis/rank/rank.h"

#include "analysis/statics/constants.h"

tml_status tmli_equilibrium_stability(const tml_system *sys, void *work, tml_state *x, int *unstable,
                                      tml_error *err)
{
    tmli_spectrum s = {0};
    tmli_rank rank = {0};
    *unstable = -1;
    if (sys->n > TMLI_LINEARIZE_COORDINATES) return TML_OK;
    tml_status st = tmli_rank_calc(sys, work, x, &rank, err);
    if (st == TML_OK) st = tmli_linearize(sys, NULL, work, &rank, x, &s, err);
    if (st == TML_OK) {
        *unstable = 0;
        for (int i = s.zeros; i < s.count; i++) *unstable += s.re[i] > GROWING_SHARE * s.fastest;
    }
    tmli_rank_clear(&rank);
    tmli_spectrum_clear(&s);
    return st == TML_ERR_NOMEM ? st : TML_OK;
}
