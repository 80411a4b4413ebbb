// See relax.h.
#include "integrate/core/relax.h"
#include "base/base.h"
#include "system/state/first_order.h"
#include "system/state/move.h"
#include "system/state/units.h"

#include <math.h>

#include "integrate/core/constants.h"

tml_status tmli_relaxation_create(const tml_system *sys, const tml_linsolver_ops *solver,
                                  const tml_run_def *run, double gravity, const bool *redundant,
                                  tmli_relaxation *r, tml_error *err)
{
    *r = (tmli_relaxation){.allowed = LARGEST_RELAXED * fmax(run->rtol, run->atol),
                           .weight = gravity / sys->length};
    tml_status st = tmli_slow_filter_create(sys, solver, redundant, &r->filter, err);
    if (st == TML_OK) st = tml_state_create(sys, &r->given, err);
    if (st == TML_OK) st = tml_state_create(sys, &r->own, err);
    if (st == TML_OK && !(r->change = tmli_calloc(&sys->env, 5 * (size_t)sys->n + 1, sizeof(double))))
        st = tmli_no_memory(err, "outputs");
    if (st == TML_OK) {
        r->d = r->change + sys->n;
        r->inertia = r->d + sys->n;
    } else {
        tmli_relaxation_clear(r);
    }
    return st;
}

void tmli_relaxation_clear(tmli_relaxation *r)
{
    const tml_system *sys = r->filter.sys;
    if (!sys) return;
    tml_state_destroy(r->given, sys);
    tml_state_destroy(r->own, sys);
    tmli_free(&sys->env, r->change);
    tmli_slow_filter_clear(&r->filter);
    *r = (tmli_relaxation){0};
}

// change := udot - a. Its forces over those of a or the weight, by the diagonal of the mass matrix.
static double find_change(tmli_relaxation *r, const double *a, const tml_state *x)
{
    const tml_system *sys = r->filter.sys;
    const int mechanical = tmli_mechanical(sys);
    double of_change = 0, of_motion = 0;
    for (int j = 0; j < sys->n; j++) {
        r->change[j] = j < mechanical ? x->udot[j] - a[j] : 0;
        const double m = j < mechanical ? r->inertia[j] * tmli_coordinate_unit(sys, j) : 0;
        of_change += m * fabs(r->change[j]);
        of_motion += m * fmax(fabs(a[j]), r->weight * tmli_coordinate_unit(sys, j));
    }
    return of_change / of_motion;
}

// Of the first state that was looked at: it need not be exact.
static bool find_inertia(tmli_relaxation *r, const tml_state *x)
{
    const tml_system *sys = r->filter.sys;
    double *const m = r->inertia;
    if (r->has_inertia) return true;
    r->has_inertia = sys->ops->diagonals(sys->self, r->filter.matrix.work, x, m, m + sys->n, m + 2 * sys->n,
                                         NULL) == TML_OK;
    return r->has_inertia;
}

// Whether most of the change is faster than k. *damped: b by it, of which d is the most.
static bool is_fast(tmli_relaxation *r, const tml_state *x, double k, double *damped)
{
    tmli_slow_filter *const f = &r->filter;
    if (tmli_slow_filter_set_mass(f, x, NULL) != TML_OK) return false;
    const double all = tmli_slow_filter_form(f, x, k, k * k, r->change);
    if (!(all > tmli_slow_filter_square(f, r->change, r->d))) return false;
    *damped = fmin(1, fmax(0, 1 - tmli_slow_filter_form(f, x, 0, k * k, r->change) / all));
    return true;
}

// d by the change. Its largest part [model lengths or rad].
static double find_displacement(tmli_relaxation *r)
{
    const tml_system *sys = r->filter.sys;
    tmli_slow_filter_fast_part(&r->filter, r->change, r->d);
    for (int j = 0; j < sys->n; j++) r->d[j] = -r->d[j];
    return tmli_largest_motion(sys, tmli_mechanical(sys), r->d);
}

// The matrix for the time scale k at x, but with the multipliers and accelerations of the method: those by
// wrong forces would stiffen it.
static bool find_matrix(tmli_relaxation *r, const tml_state *own, const tml_state *x, double k, double damped)
{
    tml_state at = *x;
    at.udot = own->udot;
    at.lambda = own->lambda;
    return tmli_slow_filter_factor_damped(&r->filter, &at, k, damped);
}

// (1) as long as forces fall, with matrices of ever better states. change: of x, becomes that of the result.
static void displace(tmli_relaxation *r, const tml_state *own, double k, double damped,
                     tmli_accelerate *accelerate, void *context, tml_state *x, double *change)
{
    const tml_system *sys = r->filter.sys;
    double last = INFINITY;
    for (int i = 0; i < RELAXATIONS; i++) {
        if (!(*change > RELAXED && *change < last / 2)) return;
        last = *change;
        if ((i == 0 || last > LEAST_RELAXED) && !find_matrix(r, own, x, k, damped)) return;
        if (!(find_displacement(r) <= r->allowed)) return;
        tml_state_copy(r->given, x);
        tmli_state_move(sys, x, r->d, x);
        for (int j = 0; j < tmli_mechanical(sys); j++) x->u[j] += damped * r->d[j] / k;
        *change = accelerate(context, x) ? find_change(r, own->udot, x) : INFINITY;
        if (*change < last) continue;
        tml_state_copy(x, r->given);
        accelerate(context, x);  // what it remembers belongs to x
        *change = find_change(r, own->udot, x);
        return;
    }
}

void tmli_relax(tmli_relaxation *r, double h, const tml_state *own, tmli_accelerate *accelerate,
                void *context, tml_state *x)
{
    const tml_system *sys = r->filter.sys;
    double k = UNRESOLVED_SHARE * h, damped;
    if (!sys || !(k > 0) || !find_inertia(r, x)) return;
    double change = find_change(r, own->udot, x);
    if (!(change > LEAST_RELAXED) || !is_fast(r, x, k, &damped)) return;
    // forces that are far too large let parts swing as pendulums do: not on shorter time scales
    for (int i = 0; i < RELAXATIONS && change > LEAST_RELAXED; i++, k /= 2)
        displace(r, own, k, damped, accelerate, context, x, &change);
}

void tmli_relaxation_archive(tmli_relaxation *r, tml_archive *a)
{
    tmli_slow_filter_archive(&r->filter, a);
    tml_archive_bools(a, &r->has_inertia, 1);
    tml_archive_doubles(a, r->inertia, (size_t)r->filter.sys->n);
}
