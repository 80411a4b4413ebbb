// States as plain values, and the destruction of a system.
#include "base/base.h"
#include "system/state/inactive.h"

#include <string.h>

_Static_assert(sizeof(tml_state) % sizeof(double) == 0, "the arrays of a state follow it in one block");
_Static_assert(sizeof(tml_inactive_rows) % sizeof(double) == 0, "they stand among its arrays");

tml_status tml_state_create(const tml_system *sys, tml_state **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!sys || !out) return tmli_null_argument(err, "tml_state_create");
    const size_t nq = (size_t)sys->nq, n = (size_t)sys->n, m = (size_t)sys->m, na = (size_t)sys->na;
    const size_t modes = (size_t)sys->nmode, inputs = 2 * (size_t)sys->ninput;
    const size_t header = sizeof(tml_inactive_rows) / sizeof(double);
    const size_t rows = sys->loops ? header + 3 * n + m / sizeof(double) + 1 : 0;
    const size_t count = sizeof(tml_state) / sizeof(double) + nq + 2 * n + m + na + modes + inputs + rows;
    tml_state *x = tmli_calloc(&sys->env, count, sizeof(double));
    if (!x) return tmli_fail(err, TML_ERR_NOMEM, "There is no memory for a state of %zu numbers.", count);
    x->nq = sys->nq;
    x->n = sys->n;
    x->m = sys->m;
    x->na = sys->na;
    x->nmode = sys->nmode;
    x->nz = sys->nz;
    x->ninput = sys->ninput;
    memcpy(x->origin, sys->origin, sizeof x->origin);
    x->q = (double *)(x + 1);
    x->u = x->q + nq;
    x->z = x->u + (sys->n - sys->nz);
    x->udot = x->u + n;
    x->lambda = x->udot + n;
    x->angle = x->lambda + m;
    x->mode = x->angle + na;
    x->input = x->mode + modes;
    if (sys->loops) {
        x->inactive = (tml_inactive_rows *)(x->input + inputs);
        x->inactive->force = (double *)(x->inactive + 1);
        x->inactive->rate = x->inactive->force + n;
        x->inactive->inertia = x->inactive->rate + n;
        x->inactive->row = (bool *)(x->inactive->inertia + n);
    }
    *out = x;
    return TML_OK;
}

// ---- inactive rows ----------------------------------------------------------------------------------------

void tmli_inactive_set(tml_state *x, const bool *inactive, const double *force)
{
    tml_inactive_rows *rows = x->inactive;
    rows->count = 0;
    for (int r = 0; r < x->m; r++) {
        rows->row[r] = inactive && inactive[r];
        rows->count += rows->row[r];
    }
    rows->has_force = force != NULL;
    rows->min_energy = 1;
    if (!force) return;
    memcpy(rows->force, force, 2 * (size_t)x->n * sizeof *force);  // and rate
    memset(rows->inertia, 0, (size_t)x->n * sizeof *rows->inertia);
}

void tmli_inactive_copy(tml_state *to, const tml_state *from)
{
    tml_inactive_rows *a = to->inactive;
    const tml_inactive_rows *b = from->inactive;
    if (!a || !b || a == b || (a->count == 0 && b->count == 0)) return;
    a->count = b->count;
    a->has_force = b->has_force;
    memcpy(a->row, b->row, (size_t)from->m * sizeof *a->row);
    if (!b->has_force) return;
    a->t0 = b->t0;
    a->min_energy = b->min_energy;
    memcpy(a->force, b->force, 3 * (size_t)from->n * sizeof *a->force);  // and rate and inertia
}

void tmli_inactive_archive(tml_state *x, tml_archive *a)
{
    tml_inactive_rows *rows = x->inactive;
    if (!rows) return;
    tml_archive_indices(a, &rows->count, 1, 0, x->m);
    tml_archive_bools(a, &rows->has_force, 1);
    tml_archive_bools(a, rows->row, (size_t)x->m);
    if (!rows->has_force) return;
    tml_archive_doubles(a, &rows->t0, 1);
    tml_archive_doubles(a, &rows->min_energy, 1);
    tml_archive_doubles(a, rows->force, 3 * (size_t)x->n);
}

// ---- states -----------------------------------------------------------------------------------------------

// True if the arrays follow each other, as tml_state_create lays them out; views may have others.
static bool is_one_block(const tml_state *x)
{
    return x->u == x->q + x->nq && x->udot == x->u + x->n && x->lambda == x->udot + x->n &&
           x->angle == x->lambda + x->m && x->mode == x->angle + x->na && x->input == x->mode + x->nmode;
}

void tml_state_copy(tml_state *to, const tml_state *from)
{
    if (to == from || !to || !from) return;
    to->t = from->t;
    to->input_t = from->input_t;
    memcpy(to->origin, from->origin, sizeof to->origin);
    if (is_one_block(to) && is_one_block(from) && to->input - to->q == from->input - from->q) {
        memcpy(to->q, from->q, (size_t)(from->input + 2 * from->ninput - from->q) * sizeof *to->q);
        tmli_inactive_copy(to, from);
        return;
    }
    memcpy(to->q, from->q, (size_t)from->nq * sizeof *to->q);
    memcpy(to->u, from->u, (size_t)from->n * sizeof *to->u);
    memcpy(to->udot, from->udot, (size_t)from->n * sizeof *to->udot);
    memcpy(to->lambda, from->lambda, (size_t)from->m * sizeof *to->lambda);
    memcpy(to->angle, from->angle, (size_t)from->na * sizeof *to->angle);
    memcpy(to->mode, from->mode, (size_t)from->nmode * sizeof *to->mode);
    memcpy(to->input, from->input, 2 * (size_t)from->ninput * sizeof *to->input);
    tmli_inactive_copy(to, from);
}

void tml_state_destroy(tml_state *x, const tml_system *sys)
{
    if (x && sys) tmli_free(&sys->env, x);
}

void tml_system_destroy(tml_system *sys)
{
    if (sys && sys->ops->destroy) sys->ops->destroy(sys->self);
}

void tml_state_archive(tml_state *x, tml_archive *a)
{
    if (!x) return;
    tml_archive_doubles(a, &x->t, 1);
    tml_archive_doubles(a, x->q, (size_t)x->nq);
    tml_archive_doubles(a, x->u, (size_t)x->n);
    tml_archive_doubles(a, x->udot, (size_t)x->n);
    tml_archive_doubles(a, x->lambda, (size_t)x->m);
    tml_archive_doubles(a, x->angle, (size_t)x->na);
    tml_archive_doubles(a, x->input, 2 * (size_t)x->ninput);
    tml_archive_doubles(a, &x->input_t, 1);
    tml_archive_doubles(a, x->mode, (size_t)x->nmode);
    tmli_inactive_archive(x, a);
}
