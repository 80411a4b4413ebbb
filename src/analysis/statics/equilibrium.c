// Equilibrium: along the path of the loads if the start has stiffness, else by relaxation.
#include "analysis/statics/search.h"
#include "base/tolerances.h"

#include <math.h>
#include <string.h>

#include "analysis/statics/constants.h"

// Newton's method at the load s = 1.
static tmli_outcome newton(tmli_search *a, tml_state *x, tml_error *err)
{
    double last[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 2 * MAX_CORRECTIONS; i++) {
        if (tmli_search_residual(a, x, err) != TML_OK || tmli_search_factor(a, x, 0, err) != TML_OK)
            return TMLI_FAILED;
        tmli_search_correction(a, 1);
        a->out->iterations++;
        const tmli_outcome found = tmli_search_judge(a, tmli_search_largest(a, a->d), 0, 1, last);
        if (found == TMLI_DIVERGED) return found;
        tmli_search_move(a, a->d, x);
        if (found == TMLI_CONVERGED) return tmli_search_residual(a, x, err) == TML_OK ? found : TMLI_FAILED;
    }
    return TMLI_DIVERGED;
}

tml_status tmli_equilibrium_find(const tml_system *sys, tml_state *x, const tmli_spin *spin,
                                 tmli_equilibrium_step *on_step, void *user, tmli_equilibrium *out,
                                 tml_error *err)
{
    tmli_search a = {.sys = sys, .spin = spin, .out = out};
    a.wanted = spin ? "steady rotation" : "static equilibrium";
    tml_state *start = NULL;
    *out = (tmli_equilibrium){0};
    const int moving = sys->n - sys->nz;
    if (!spin) memset(x->u, 0, (size_t)moving * sizeof(double));
    memset(x->udot, 0, (size_t)sys->n * sizeof(double));
    memset(x->lambda, 0, (size_t)sys->m * sizeof(double));
    tml_status st = tmli_search_prepare(&a, x, err);
    if (st == TML_OK) st = tml_state_create(sys, &start, err);
    if (st == TML_OK) st = tmli_search_residual(&a, x, err);
    if (st == TML_OK) {
        tml_state_copy(start, x);
        memcpy(a.R0, a.motion, (size_t)sys->n * sizeof(double));
        bool began = false;
        st = tmli_search_follow_loads(&a, x, on_step, user, &began, err);
        if (st == TML_ERR_STEP || (st == TML_OK && !began)) {  // relaxation, from the start again
            const tmli_equilibrium path = *out;
            tml_state_copy(x, start);
            const tml_status relaxed = tmli_search_relax(&a, x, began ? NULL : err);
            if (!began || relaxed == TML_OK) st = relaxed;
            else *out = path;
        }
    }
    if (st == TML_OK) {
        tml_state_copy(a.from, x);
        if (newton(&a, x, NULL) != TMLI_CONVERGED) {  // some motion has no stiffness
            out->neutral = true;
            tml_state_copy(x, a.from);
            st = tmli_search_residual(&a, x, err);
        }
    }
    if (st == TML_OK) {
        if (sys->ops->accept) sys->ops->accept(sys->self, a.work, x);
        const double left = tmli_search_imbalance(&a, 1);
        out->residual = left > 0 ? left / a.force : 0;
        sys->ops->local(sys->self, start->q, x->q, a.d);
        out->moved = tmli_search_largest(&a, a.d);
        if (!(left <=
              BALANCED * a.force + TMLI_ROUNDOFF * a.stiffness))  // forces have round-off of stiffness
            st = tmli_fail(err, TML_ERR_STEP,
                           "the configuration found is no %s: forces of %.2g of the largest are not "
                           "balanced",
                           a.wanted, out->residual);
    }
    if (a.shortage.status != TML_OK) {
        if (err) *err = a.shortage;
        st = a.shortage.status;
    }
    tml_state_destroy(start, sys);
    tmli_search_clear(&a);
    return st;
}
