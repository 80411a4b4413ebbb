// Search for redundant constraint rows; see redundant_rows.h.
#include "consistency/redundant_rows.h"
#include "base/modes.h"
#include "system/state/fields.h"
#include "system/state/units.h"

#include <math.h>

#include "consistency/constants.h"
#include "consistency/tolerances.h"

// Unit of a row of this size [m or rad]. In joint coordinates the rows of redundant loops contain only
// round-off and errors of assembly: such rows get the unit of the model.
static double row_unit(const tml_system *s, double size)
{
    return size > TMLI_NEARLY_DEPENDENT * fmin(s->length, 1) ? size : fmin(s->length, 1);
}

static const tmli_fields FIELDS = {
    "rows", offsetof(tmli_redundant_rows, memory),
    (const tmli_span[]){TMLI_WORK(tmli_redundant_rows, work),
                        TMLI_SCRATCH(tmli_redundant_rows, B_values, B_values, TMLI_BY_ENTRIES, 1),
                        TMLI_KEPT(tmli_redundant_rows, row_size, row_size, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_redundant_rows, unit, unit, TMLI_BY_NM, 1),
                        {0}}};

void tmli_redundant_rows_clear(tmli_redundant_rows *d)
{
    if (!d->base) return;
    tmli_free_all(&d->base->env, d->system, d->late);
    tmli_pivot_choice_clear(&d->choice);
    tmli_object_clear(&FIELDS, d->base, d);
    *d = (tmli_redundant_rows){0};
}

tml_status tmli_redundant_rows_create(const tml_system *base, const tmli_redundant_rows *shared,
                                      tmli_redundant_rows *d, tml_error *err)
{
    *d = (tmli_redundant_rows){.base = base};
    tml_status st = tmli_object_create(&FIELDS, base, d, err);
    d->system = tmli_calloc(&base->env, 1, sizeof *d->system);
    d->late = tmli_calloc(&base->env, (size_t)base->m + 1, sizeof *d->late);
    if (st == TML_OK && (!d->system || !d->late)) st = tmli_no_memory(err, "integrator");
    const bool same = shared && shared->base && shared->base->rowptr == base->rowptr;
    if (st == TML_OK)
        st = tmli_pivot_choice_create_shared(base->m, base->n, base->rowptr, base->rowcol, &base->env,
                                             same ? &shared->choice : NULL, &d->choice, err);
    if (st != TML_OK) {
        tmli_redundant_rows_clear(d);
        return st;
    }
    *d->system = *base;
    d->system->selects_rows = true;
    // friction that holds beside joints that leave it nothing to hold has no force: the joint's row stays
    for (int r = 0; r < base->m; r++) d->late[r] = base->switch_of_row && base->switch_of_row[r] >= 0;
    for (int j = 0; j < base->n; j++) d->unit[j] = tmli_coordinate_unit(base, j);
    return TML_OK;
}

// B_values := B at x in units of the columns; row_size and unit of the rows from it.
static tml_status evaluate_rows(tmli_redundant_rows *d, const tml_state *x, tml_error *err)
{
    const tml_system *s = d->base;
    const tml_status st = tmli_active_rows(s, d->work, x, d->B_values, err);
    for (int r = 0; r < s->m && st == TML_OK; r++) {
        double *size = &d->row_size[r];
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) {
            d->B_values[k] *= d->unit[s->rowcol[k]];
            *size = fmax(*size, fabs(d->B_values[k]));
        }
        d->unit[s->n + r] = row_unit(s, *size);
    }
    return st;
}

static void scale_row(tmli_redundant_rows *d, int r, double factor)
{
    for (int k = d->base->rowptr[r]; k < d->base->rowptr[r + 1]; k++) d->B_values[k] *= factor;
}

// Released rows are 0, and depend on no others. dropped: those that are inactive, too, are to be left out.
static void count_released(tmli_redundant_rows *d, const tml_state *x, bool dropped)
{
    d->rank = d->choice.rank;
    for (int r = 0; r < d->base->m; r++) {
        if (!tmli_is_released_row(d->base, x, r) || (dropped && x->inactive->row[r])) continue;
        d->rank += d->choice.left_out[r];
        d->choice.left_out[r] = false;
    }
}

tml_status tmli_redundant_rows_find(tmli_redundant_rows *d, const tml_state *x, double tolerance,
                                    tmli_inactive_policy policy, tml_error *err)
{
    const tml_system *s = d->base;
    const double weight = policy == TMLI_INACTIVE_LAST    ? TMLI_INACTIVE_WEIGHT
                          : policy == TMLI_INACTIVE_ALIKE ? 1
                                                          : 0;
    const tml_status st = evaluate_rows(d, x, err);
    if (st != TML_OK) return st;
    for (int r = 0; r < s->m; r++) {
        // first come, first served: a joint keeps its rows together, and joints that are defined last are
        // redundant
        const double order = tolerance > TMLI_BUILT_TOLERANCE ? 1 : 1 - ROW_ORDER_LOSS * r / s->m;
        // a row at position level says more than the same row at velocity level
        const double rate = s->level && s->level[r] == TML_LEVEL_VELOCITY ? TMLI_INACTIVE_WEIGHT : 1;
        const double factor = order * rate * (x->inactive->row[r] ? weight : 1) / d->unit[s->n + r];
        scale_row(d, r, factor);
    }
    // closed unilateral constraints come last: where friction holds the same coordinate they rest without a
    // force, while friction without one would make them pull, and open
    for (int i = 0; i < s->nmode; i++)
        if (tmli_is_unilateral(s, i)) scale_row(d, s->switches[i].row, 1 - ROW_ORDER_LOSS);
    const tml_status found =
        tmli_pivot_choice_make(&d->choice, s->rowptr, s->rowcol, d->B_values, d->late, tolerance, err);
    if (found == TML_OK) count_released(d, x, weight == 0);
    return found;
}

tml_status tmli_redundant_rows_find_most(tmli_redundant_rows *d, const tml_state *x, int max_rank,
                                         double tolerance, double max_tolerance, tmli_inactive_policy policy,
                                         tml_error *err)
{
    double enlarged = tolerance;
    tml_status st = tmli_redundant_rows_find(d, x, tolerance, policy, err);
    while (st == TML_OK && d->rank > max_rank && enlarged < max_tolerance) {
        enlarged = fmin(2 * enlarged, max_tolerance);
        st = tmli_redundant_rows_find(d, x, enlarged, policy, err);
    }
    return st == TML_OK && d->rank < max_rank && enlarged > tolerance
               ? tmli_redundant_rows_find(d, x, tolerance, policy, err)
               : st;
}

tml_status tmli_redundant_rows_find_built(tmli_redundant_rows *d, const tml_state *x, int max_rank,
                                          tmli_inactive_policy policy, tml_error *err)
{
    return tmli_redundant_rows_find_most(d, x, max_rank, TMLI_BUILT_TOLERANCE, TMLI_AMPLIFIED_TOLERANCE,
                                         policy, err);
}

tml_status tmli_redundant_rows_set_known(tmli_redundant_rows *d, const tml_state *x, const bool *redundant,
                                         tml_error *err)
{
    const int m = d->base->m;
    d->rank = 0;
    for (int r = 0; r < m; r++) {
        d->choice.left_out[r] = redundant[r];
        d->rank += !redundant[r];
    }
    return evaluate_rows(d, x, err);
}

void tmli_redundant_rows_archive(tmli_redundant_rows *d, tml_archive *a)
{
    tmli_object_archive(&FIELDS, d->base, d, a);
    tmli_pivot_choice_archive(&d->choice, a);
    tml_archive_indices(a, &d->rank, 1, 0, d->base->m);
}
