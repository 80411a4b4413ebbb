// States as plain values, and the destruction of a system.
#include "base/base.h"

#include <string.h>
#include <trammel/system.h>

_Static_assert(sizeof(tml_state) % sizeof(double) == 0, "the arrays of a state follow it in one block");

tml_status tml_state_create(const tml_system *sys, tml_state **out, tml_error *err)
{
    *out = NULL;
    const size_t nq = (size_t)sys->nq, n = (size_t)sys->n, m = (size_t)sys->m, na = (size_t)sys->na;
    const size_t modes = (size_t)sys->nmode;
    const size_t count = sizeof(tml_state) / sizeof(double) + nq + 2 * n + m + na + modes;
    tml_state *x = tmli_calloc(&sys->env, count, sizeof(double));
    if (!x) return tmli_fail(err, TML_ERR_NOMEM, "There is no memory for a state of %zu numbers.", count);
    x->nq = sys->nq;
    x->n = sys->n;
    x->m = sys->m;
    x->na = sys->na;
    x->nmode = sys->nmode;
    x->q = (double *)(x + 1);
    x->u = x->q + nq;
    x->udot = x->u + n;
    x->lambda = x->udot + n;
    x->angle = x->lambda + m;
    x->mode = x->angle + na;
    *out = x;
    return TML_OK;
}

void tml_state_copy(tml_state *to, const tml_state *from)
{
    if (to == from) return;
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)from->nq * sizeof *to->q);
    memcpy(to->u, from->u, (size_t)from->n * sizeof *to->u);
    memcpy(to->udot, from->udot, (size_t)from->n * sizeof *to->udot);
    memcpy(to->lambda, from->lambda, (size_t)from->m * sizeof *to->lambda);
    memcpy(to->angle, from->angle, (size_t)from->na * sizeof *to->angle);
    memcpy(to->mode, from->mode, (size_t)from->nmode * sizeof *to->mode);
}

void tml_state_destroy(tml_state *x, const tml_system *sys)
{
    if (x) tmli_free(&sys->env, x);
}

void tml_system_destroy(tml_system *sys)
{
    if (sys && sys->ops->destroy) sys->ops->destroy(sys->self);
}
