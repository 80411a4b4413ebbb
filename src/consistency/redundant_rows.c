// Rows of the constraints that depend on others; see dependent.h.
#include "consistency/redundant_rows.h"

#include <math.h>

// Rows that change by less [m or rad] when their coordinates move by one unit are not measured by themselves:
// in the coordinates of a tree of joints, rows of loops that repeat others have nothing but round-off and
// errors of assembly in them.
static double least_unit(const tml_system *s, double size)
{
    return size > 1e-4 * fmin(s->length, 1) ? size : fmin(s->length, 1);
}

void tmli_redundant_rows_clear(tmli_redundant_rows *d)
{
    if (!d->base) return;
    if (d->work) d->base->ops->destroy_work(d->work);
    tml_system_destroy(d->system);
    tmli_pivot_choice_clear(&d->choice);
    tmli_free(&d->base->env, d->rows);
    *d = (tmli_redundant_rows){0};
}

tml_status tmli_redundant_rows_create(const tml_system *base, tmli_redundant_rows *d, tml_error *err)
{
    *d = (tmli_redundant_rows){.base = base};
    const size_t entries = (size_t)base->rowptr[base->m];
    d->rows = tmli_calloc(&base->env, entries + (size_t)(base->n + 2 * base->m), sizeof *d->rows);
    d->work = base->ops->create_work(base->self, &base->env);
    tml_status st = d->rows && d->work ? TML_OK : tmli_no_memory(err, "constraints");
    if (st == TML_OK) st = tmli_active_rows_create(base, &d->system, err);
    if (st == TML_OK)
        st = tmli_pivot_choice_create(base->m, base->n, base->rowptr, base->rowcol, &base->env, &d->choice,
                                      err);
    if (st != TML_OK) {
        tmli_redundant_rows_clear(d);
        return st;
    }
    d->unit = d->rows + entries;
    d->size = d->unit + base->n + base->m;
    for (int j = 0; j < base->n; j++)
        d->unit[j] = base->kind[j] == TML_COORDINATE_TRANSLATION ? base->length : 1;
    return TML_OK;
}

// rows := B at x in units of the columns; size and unit of the rows by it.
static tml_status measure(tmli_redundant_rows *d, const tml_state *x, tml_error *err)
{
    const tml_system *s = d->base;
    const tml_status st = s->ops->rows(s->self, d->work, x, d->rows, err);
    for (int r = 0; r < s->m && st == TML_OK; r++) {
        double *size = &d->size[r];
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) {
            d->rows[k] *= d->unit[s->rowcol[k]];
            *size = fmax(*size, fabs(d->rows[k]));
        }
        d->unit[s->n + r] = least_unit(s, *size);
    }
    return st;
}

tml_status tmli_redundant_rows_find(tmli_redundant_rows *d, const tml_state *x, double tolerance,
                                    tmli_inactive_policy held, tml_error *err)
{
    const tml_system *s = d->base;
    const bool *rows_held = d->system->inactive;
    const double share = held == TMLI_INACTIVE_LAST ? 0.1 : held == TMLI_INACTIVE_ALIKE ? 1 : 0;
    const tml_status st = measure(d, x, err);
    if (st != TML_OK) return st;
    for (int r = 0; r < s->m; r++) {
        // first come first: joints keep their rows together, and those written last are the ones that repeat
        // others
        const double order = tolerance > TMLI_BUILT_TOLERANCE ? 1 : 1 - 0.75 * r / s->m;
        const double factor = order * (rows_held[r] ? share : 1) / d->unit[s->n + r];
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) d->rows[k] *= factor;
    }
    return tmli_pivot_choice_make(&d->choice, s->rowptr, s->rowcol, d->rows, tolerance, err);
}

tml_status tmli_redundant_rows_find_most(tmli_redundant_rows *d, const tml_state *x, int most,
                                         double tolerance, double enlarged, tmli_inactive_policy held,
                                         tml_error *err)
{
    double larger = tolerance;
    tml_status st = tmli_redundant_rows_find(d, x, tolerance, held, err);
    while (st == TML_OK && d->choice.rank > most && larger < enlarged) {
        larger = fmin(4 * larger, enlarged);
        st = tmli_redundant_rows_find(d, x, larger, held, err);
    }
    return st == TML_OK && d->choice.rank < most && larger > tolerance
               ? tmli_redundant_rows_find(d, x, tolerance, held, err)
               : st;
}

tml_status tmli_redundant_rows_find_built(tmli_redundant_rows *d, const tml_state *x, int most,
                                          tmli_inactive_policy held, tml_error *err)
{
    return tmli_redundant_rows_find_most(d, x, most, TMLI_BUILT_TOLERANCE, TMLI_ENLARGED, held, err);
}

tml_status tmli_redundant_rows_set_known(tmli_redundant_rows *d, const tml_state *x, const bool *rows,
                                         tml_error *err)
{
    const int m = d->base->m;
    d->choice.rank = 0;
    for (int r = 0; r < m; r++) {
        d->choice.left_out[r] = rows[r];
        d->choice.rank += !rows[r];
    }
    return measure(d, x, err);
}

void tmli_redundant_rows_deactivate_found(tmli_redundant_rows *d)
{
    tmli_active_rows_deactivate(d->system, d->choice.rank < d->base->m ? d->choice.left_out : NULL, NULL);
}
