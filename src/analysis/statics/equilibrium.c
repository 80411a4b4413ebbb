// Equilibrium: along the path of the loads if the start has stiffness, else by relaxation.
#include "analysis/statics/search.h"
#include "base/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
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

// v (n) := force in units that an error TMLI_ROUNDOFF of the configuration x makes, over its size; motion and
// phi are then those of x again. The model may be far larger than its bodies are apart: a joint far away.
static tml_status measure_roundoff(tmli_search *a, tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    uint64_t seed = 0x9e3779b97f4a7c15u;
    double largest = 0;
    for (int i = 0; i < s->nq; i++) largest = fmax(largest, fabs(x->q[i]));
    tml_state_copy(a->trial, x);
    for (int i = 0; i < s->nq; i++) {  // signs of Knuth's linear congruential generator
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const double size = fmax(fabs(x->q[i]), fmin(s->length, largest));
        a->trial->q[i] += seed >> 63 ? TMLI_ROUNDOFF * size : -TMLI_ROUNDOFF * size;
    }
    tml_status st = tmli_search_residual(a, a->trial, err);
    memcpy(a->v, a->motion, (size_t)s->n * sizeof(double));
    if (st == TML_OK) st = tmli_search_residual(a, x, err);
    for (int j = 0; j < s->n; j++) a->v[j] = fabs(a->v[j] - a->motion[j]) * a->unit[j];
    return st;
}

// Largest share of a force in what may act: the largest force, and one of which BALANCED is the round-off of
// the configuration, that of all rows of its kind. A gap of a joint, in the round-off of positions, counts as
// the force that closes it, unless Newton's method has shown that it moves nothing, or there are no loads.
static double find_share(const tmli_search *a)
{
    const tml_system *s = a->sys;
    const double none = DBL_MIN / DBL_EPSILON;  // less is no force
    double share = 0, noise[TML_COORDINATE_STATE + 1] = {0}, most = none;
    for (int j = 0; j < s->n; j++) {
        noise[s->kind[j]] = fmax(noise[s->kind[j]], a->v[j]);
        most = fmax(most, a->v[j]);
    }
    const double gap = a->out->neutral && a->force > most ? 0 : TMLI_ROUNDOFF * a->stiffness;
    for (int j = 0; j < s->n + s->m; j++) {
        const int i = j < s->n ? j : j - s->n;
        const double force = j < s->n ? fabs(a->motion[i]) * a->unit[i]
                                      : fabs(a->phi[i]) * a->r[i] * a->stiffness,
                     unseen = j < s->n ? noise[s->kind[i]] : gap,
                     part = force / (fmax(a->force, none) + unseen / BALANCED);
        if (!(part <= share)) share = part;  // true for NAN
    }
    return share;
}

// Judge x, of which motion and phi are known: what is printed is what is judged.
static tml_status judge(tmli_search *a, tml_state *x, tml_error *err)
{
    const double left = tmli_search_imbalance(a, 1);
    a->out->residual = left > 0 ? left / a->force : 0;
    if (a->out->residual <= BALANCED) return TML_OK;
    const tml_status st = measure_roundoff(a, x, err);
    if (st != TML_OK) return st;
    const double share = find_share(a);
    if (!(share <= BALANCED))
        return tmli_fail(err, TML_ERR_STEP,
                         "the configuration found is no %s: forces of %.2g of the largest are not balanced",
                         a->wanted, a->out->residual);
    a->out->residual = share;
    return TML_OK;
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
    if (!spin) memset(x->lambda, 0, (size_t)sys->m * sizeof(double));
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
        sys->ops->local(sys->self, start->q, x->q, a.d);
        out->moved = tmli_search_largest(&a, a.d);
        st = judge(&a, x, err);
    }
    if (a.shortage.status != TML_OK) {
        if (err) *err = a.shortage;
        st = a.shortage.status;
    }
    tml_state_destroy(start, sys);
    tmli_search_clear(&a);
    return st;
}
