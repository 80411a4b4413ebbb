// Dependent constraint rows; see dependence.h.
//
// Elimination with pivoting (linalg/rank/columns.h) finds independent rows and columns: full pivoting for
// small systems, sparse threshold pivoting for large ones. A row c without a pivot is c = X' C_ind, with S'x
// = c(pivot columns), S: pivot rows and columns of C.
//
// Which row of a set is called dependent is arbitrary. Elimination of N from its last row upwards (2) gives
// the joint written last, which the user expects: it closes the loop.
#include "analysis/rank/dependence.h"
#include "base/modes.h"
#include "linalg/rank/columns.h"
#include "linalg/rank/eliminate.h"

#include <math.h>
#include <string.h>

#include "analysis/rank/constants.h"

void tmli_dependence_clear(tmli_dependence *d)
{
    const tml_env env = d->env;
    tmli_free_all(&env, d->row, d->start, d->at, d->coef, d->set, d->norm, d->row_start, d->row_vector,
                  d->row_value, d->sum);
    *d = (tmli_dependence){0};
}

// values = C of (1)
static tml_status scale_rows(const tml_system *sys, void *w, const tml_state *x, double *norm, double *values,
                             tml_error *err)
{
    tml_status st = sys->ops->rows(sys->self, w, x, values, err);
    double largest = 0;
    for (int r = 0; r < sys->m && st == TML_OK; r++) {
        double sum = 0;
        for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1]; i++) {
            if (sys->kind[sys->rowcol[i]] == TML_COORDINATE_TRANSLATION) values[i] *= sys->length;
            sum += values[i] * values[i];
        }
        norm[r] = sqrt(sum);
        largest = fmax(largest, norm[r]);
        if (!isfinite(sum)) {
            char name[160];
            st = tmli_fail(err, TML_ERR_NAN, "the derivatives of %s are not finite at t = %g s",
                           sys->row_name(sys, r, name, sizeof name), x->t);
        }
    }
    for (int r = 0; r < sys->m && st == TML_OK; r++) {
        const bool vanishes = norm[r] <= TMLI_ROUNDOFF * largest;
        const double scale = vanishes ? 0 : 1 / norm[r];
        if (vanishes) norm[r] = 1;
        for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1]; i++) values[i] *= scale;
    }
    return st;
}

// ---- sparse columns of N ----------------------------------------------------------------------------------

typedef struct entry {
    int row;
    double value;
} entry;

typedef struct columns {  // of N, the dependent row's own entry included
    const tml_env *env;
    entry *list;
    size_t used, room;
    size_t *start;  // (count + 1)
} columns;

static bool append_entry(columns *n, int row, double value)
{
    if (n->used == n->room) {
        const size_t room = 2 * n->room + 256;
        entry *grown = tmli_regrow(n->env, n->list, n->used, room, sizeof *grown);
        if (!grown) return false;
        n->list = grown;
        n->room = room;
    }
    n->list[n->used++] = (entry){row, value};
    return true;
}

// Misfit |c - X' C_ind|: y (n) is c on entry; z (m) the coefficients.
static double misfit(const tml_system *sys, const double *values, const double *z, double *y)
{
    double sum = 0;
    for (int r = 0; r < sys->m; r++)
        for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1] && z[r] != 0; i++)
            y[sys->rowcol[i]] -= z[r] * values[i];
    for (int j = 0; j < sys->n; j++) sum += y[j] * y[j];
    return sqrt(sum);
}

// Columns of N for the rows without a pivot, but for released ones.
static tml_status null_vectors(tmli_dependence *d, const tml_system *sys, const tml_state *x,
                               const tmli_pivot_choice *choice, tmli_columns *factors, const double *values,
                               columns *n, tml_error *err)
{
    double *y = tmli_calloc(&d->env, (size_t)sys->n + (size_t)sys->m, sizeof *y), *z = y ? y + sys->n : NULL;
    n->start = tmli_calloc(&d->env, (size_t)d->count + 1, sizeof *n->start);
    bool room = y && n->start;
    for (int i = d->rank, k = 0; i < d->m && room; i++) {
        const int row = choice->row[i];
        if (tmli_is_released_row(sys, x, row)) continue;
        memset(y, 0, (size_t)sys->n * sizeof *y);
        for (int e = sys->rowptr[row]; e < sys->rowptr[row + 1]; e++) y[sys->rowcol[e]] = values[e];
        tmli_columns_solve_transposed(factors, y, z);
        room = append_entry(n, row, 1);
        for (int r = 0; r < d->m && room; r++)
            if (fabs(z[r]) > TMLI_NEARLY_DEPENDENT) room = append_entry(n, r, -z[r]);
        n->start[++k] = n->used;
        d->misfit = fmax(d->misfit, misfit(sys, values, z, y));
    }
    tmli_free(&d->env, y);
    return room ? TML_OK : tmli_no_memory(err, "check");
}

// ---- sets -------------------------------------------------------------------------------------------------

static int root_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// set (m): numbered by their first rows.
static tml_status find_sets(tmli_dependence *d, const columns *n, tml_error *err)
{
    int *parent = tmli_calloc(&d->env, 2 * (size_t)d->m + 1, sizeof *parent);
    if (!parent) return tmli_no_memory(err, "check");
    int *const number = parent + d->m;
    for (int r = 0; r < d->m; r++) {
        parent[r] = r;
        number[r] = d->set[r] = -1;
    }
    for (int k = 0; k < d->count; k++)
        for (size_t i = n->start[k] + 1; i < n->start[k + 1]; i++)
            parent[root_of(parent, n->list[i].row)] = root_of(parent, n->list[n->start[k]].row);
    for (int k = 0; k < d->count; k++) number[root_of(parent, n->list[n->start[k]].row)] = d->m;  // in use
    for (int r = 0; r < d->m; r++) {
        const int root = root_of(parent, r);
        if (number[root] == d->m) number[root] = d->sets++;
        d->set[r] = number[root];
    }
    tmli_free(&d->env, parent);
    return TML_OK;
}

// (2) on N (m x count, column-major): returns the row of pivot `at` and swaps its column into place.
static int choose_pivot_row(double *N, int m, int count, int at)
{
    const size_t M = (size_t)m;
    double largest = 0;
    for (size_t i = (size_t)at * M; i < (size_t)count * M; i++) largest = fmax(largest, fabs(N[i]));
    for (int r = m - 1; r >= 0; r--) {
        int best = at;
        for (int c = at; c < count; c++)
            if (fabs(N[(size_t)c * M + (size_t)r]) > fabs(N[(size_t)best * M + (size_t)r])) best = c;
        if (fabs(N[(size_t)best * M + (size_t)r]) < TMLI_PIVOT_THRESHOLD * largest) continue;
        for (size_t i = 0; i < M && best != at; i++) {
            const double keep = N[(size_t)at * M + i];
            N[(size_t)at * M + i] = N[(size_t)best * M + i];
            N[(size_t)best * M + i] = keep;
        }
        return r;
    }
    return 0;
}

static void eliminate(double *N, int m, int count, int *dependent)
{
    for (int k = 0; k < count; k++) {
        double *pivot = N + (size_t)k * (size_t)m;
        const int r = dependent[k] = choose_pivot_row(N, m, count, k);
        const double scale = 1 / pivot[r];
        for (int i = 0; i < m; i++) pivot[i] *= scale;
        pivot[r] = 1;
        for (int c = 0; c < count; c++) {
            double *other = N + (size_t)c * (size_t)m;
            const double f = other[r];
            if (c == k || f == 0) continue;
            for (int i = 0; i < m; i++) other[i] -= f * pivot[i];
            other[r] = 0;
        }
    }
}

// Append the columns of one set to `to`, with its last rows as the dependent ones.
static bool choose_last_rows(const tmli_dependence *d, int set, const columns *from, columns *to, int *filled)
{
    int m = 0, count = 0;
    int *rows = tmli_calloc(&d->env, 2 * (size_t)d->m + 1, sizeof *rows);
    if (!rows) return false;
    int *const index_in_set = rows + d->m;
    for (int r = 0; r < d->m; r++)
        if (d->set[r] == set) {
            index_in_set[r] = m;
            rows[m++] = r;
        }
    for (int k = 0; k < d->count; k++) count += d->set[from->list[from->start[k]].row] == set;
    const bool pays = (double)m * count * count < LATE_ROW_WORK;
    double *N = tmli_calloc(&d->env, pays ? (size_t)m * (size_t)count : 1, sizeof *N);
    int *chosen = tmli_calloc(&d->env, (size_t)count + 1, sizeof *chosen);
    bool room = N && chosen;
    for (int k = 0, c = 0; k < d->count && room; k++) {
        if (d->set[from->list[from->start[k]].row] != set) continue;
        for (size_t i = from->start[k]; i < from->start[k + 1] && room; i++) {
            if (pays)
                N[(size_t)c * (size_t)m + (size_t)index_in_set[from->list[i].row]] = from->list[i].value;
            else room = append_entry(to, from->list[i].row, from->list[i].value);
        }
        if (!pays) to->start[++*filled] = to->used;
        c++;
    }
    if (room && pays) eliminate(N, m, count, chosen);
    for (int c = 0; c < count && room && pays; c++) {
        room = append_entry(to, rows[chosen[c]], 1);
        for (int i = 0; i < m && room; i++) {
            const double x = N[(size_t)c * (size_t)m + (size_t)i];
            if (i != chosen[c] && fabs(x) > TMLI_NEARLY_DEPENDENT) room = append_entry(to, rows[i], x);
        }
        to->start[++*filled] = to->used;
    }
    tmli_free_all(&d->env, rows, N, chosen);
    return room;
}

// ---- results ----------------------------------------------------------------------------------------------

// Columns by ascending dependent row.
static bool store_columns(tmli_dependence *d, const columns *n)
{
    const size_t count = (size_t)d->count;
    int *of = tmli_calloc(&d->env, (size_t)d->m + 1, sizeof *of);  // 1 + column of a dependent row
    const bool room =
        tmli_calloc_all(&d->env, TMLI_ARRAY(d->at, n->used + 1), TMLI_ARRAY(d->coef, n->used + 1),
                        TMLI_ARRAY(d->row, count + 1), TMLI_ARRAY(d->start, count + 1)) &&
        of;
    if (room) {
        int next = 0, used = 0;
        for (int k = 0; k < d->count; k++) of[n->list[n->start[k]].row] = 1 + k;
        for (int r = 0; r < d->m; r++) {
            if (!of[r]) continue;
            d->row[next] = r;
            for (size_t i = n->start[of[r] - 1] + 1; i < n->start[of[r]]; i++) {
                d->at[used] = n->list[i].row;
                d->coef[used++] = -n->list[i].value;
            }
            d->start[++next] = used;
        }
    }
    tmli_free(&d->env, of);
    return room;
}

static bool index_by_row(tmli_dependence *d)
{
    const int entries = d->start[d->count] + d->count;
    d->row_start = tmli_calloc(&d->env, (size_t)d->m + 1, sizeof *d->row_start);
    d->row_vector = tmli_calloc(&d->env, (size_t)entries + 1, sizeof *d->row_vector);
    d->row_value = tmli_calloc(&d->env, (size_t)entries + 1, sizeof *d->row_value);
    d->sum = tmli_calloc(&d->env, 2 * (size_t)d->count + 1, sizeof *d->sum);
    if (!d->row_start || !d->row_vector || !d->row_value || !d->sum) return false;
    int *start = d->row_start;
    for (int k = 0; k < d->count; k++) {
        start[d->row[k] + 1]++;
        for (int i = d->start[k]; i < d->start[k + 1]; i++) start[d->at[i] + 1]++;
    }
    for (int r = 0; r < d->m; r++) start[r + 1] += start[r];
    for (int k = 0; k < d->count; k++)
        for (int i = d->start[k] - 1; i < d->start[k + 1]; i++) {  // its own entry, then the others
            const bool own = i < d->start[k];
            const int at = start[own ? d->row[k] : d->at[i]]++;
            d->row_vector[at] = k;
            d->row_value[at] = own ? 1 : -d->coef[i];
        }
    for (int r = d->m; r > 0; r--) start[r] = start[r - 1];
    start[0] = 0;
    return true;
}

// Null vectors, sets and coefficients from the pivots.
static tml_status find_null_space(tmli_dependence *d, const tml_system *sys, const tml_state *x,
                                  const tmli_pivot_choice *choice, tmli_columns *factors,
                                  const double *values, tml_error *err)
{
    columns raw = {.env = &d->env}, chosen = {.env = &d->env};
    tml_status st = null_vectors(d, sys, x, choice, factors, values, &raw, err);
    if (st == TML_OK) st = find_sets(d, &raw, err);
    chosen.start = tmli_calloc(&d->env, (size_t)d->count + 1, sizeof *chosen.start);
    bool room = chosen.start != NULL;
    int filled = 0;
    for (int s = 0; s < d->sets && st == TML_OK && room; s++)
        room = choose_last_rows(d, s, &raw, &chosen, &filled);
    if (st == TML_OK) room = room && store_columns(d, &chosen) && index_by_row(d);
    tmli_free_all(&d->env, raw.list, raw.start, chosen.list, chosen.start);
    if (st == TML_OK && !room) st = tmli_no_memory(err, "check");
    return st;
}

// Scaled values of B at x, and the pivots of their elimination.
static tml_status find_pivots(const tml_system *sys, void *w, const tml_state *x, double *norm,
                              double *values, tmli_pivot_choice *choice, tml_error *err)
{
    tml_status st = scale_rows(sys, w, x, norm, values, err);
    if (st == TML_OK)
        st = tmli_pivot_choice_create(sys->m, sys->n, sys->rowptr, sys->rowcol, &sys->env, choice, err);
    if (st == TML_OK)
        st =
            tmli_pivot_choice_make(choice, sys->rowptr, sys->rowcol, values, NULL, TMLI_BUILT_TOLERANCE, err);
    return st;
}

tml_status tmli_dependent_rows(const tml_system *sys, void *w, const tml_state *x, bool *dependent, bool *any,
                               tml_error *err)
{
    tmli_pivot_choice choice = {0};
    const size_t m = (size_t)sys->m;
    double *norm = tmli_calloc(&sys->env, m + (size_t)sys->rowptr[m] + 1, sizeof *norm);
    tml_status st =
        norm ? find_pivots(sys, w, x, norm, norm + m, &choice, err) : tmli_no_memory(err, "check");
    if (st == TML_OK) {
        memcpy(dependent, choice.left_out, m * sizeof *dependent);
        *any = false;
        for (int i = choice.rank; i < sys->m; i++)
            *any = *any || !tmli_is_released_row(sys, x, choice.row[i]);
    }
    tmli_pivot_choice_clear(&choice);
    tmli_free(&sys->env, norm);
    return st;
}

tml_status tmli_dependence_calc(const tml_system *sys, void *w, const tml_state *x, tmli_dependence *out,
                                tml_error *err)
{
    *out = (tmli_dependence){.env = sys->env, .m = sys->m};
    tmli_pivot_choice choice = {0};
    tmli_columns factors = {0};
    double *values = tmli_calloc(&sys->env, (size_t)sys->rowptr[sys->m] + 1, sizeof *values);
    out->norm = tmli_calloc(&sys->env, (size_t)sys->m + 1, sizeof *out->norm);
    out->set = tmli_calloc(&sys->env, (size_t)sys->m + 1, sizeof *out->set);
    tml_status st = values && out->norm && out->set ? TML_OK : tmli_no_memory(err, "check");
    if (st == TML_OK) st = find_pivots(sys, w, x, out->norm, values, &choice, err);
    if (st == TML_OK) st = tmli_columns_create(&choice, sys->rowptr, sys->rowcol, &sys->env, &factors, err);
    if (st == TML_OK && !tmli_columns_factor(&factors, values)) st = tmli_no_memory(err, "check");
    if (st == TML_OK) {
        out->rank = choice.rank;
        for (int i = choice.rank; i < out->m; i++) out->count += !tmli_is_released_row(sys, x, choice.row[i]);
        st = find_null_space(out, sys, x, &choice, &factors, values, err);
    }
    tmli_columns_clear(&factors);
    tmli_pivot_choice_clear(&choice);
    tmli_free(&sys->env, values);
    if (st != TML_OK) tmli_dependence_clear(out);
    return st;
}

// ---- reactions --------------------------------------------------------------------------------------------

const char *const tmli_reaction_words[3] = {"unique", "shared", "indeterminate"};

void tmli_reactions_classify(const tmli_dependence *here, const tmli_dependence *nearby,
                             tml_reaction_kind *kind)
{
    for (int r = 0; r < here->m; r++) {
        const int set = here->set[r];
        if (set < 0) kind[r] = TML_REACTION_UNIQUE;
        else if (nearby && nearby->set[r] < 0) kind[r] = TML_REACTION_INDETERMINATE;
        else kind[r] = TML_REACTION_SHARED;
    }
    for (int k = 0; k < here->count; k++)
        if (here->start[k] == here->start[k + 1]) kind[here->row[k]] = TML_REACTION_INDETERMINATE;
}

bool tmli_reaction_is_unique(const tmli_dependence *d, int first, int count, const double *weight)
{
    double *sum = d->sum, *size = d->sum + d->count;
    bool unique = true;
    for (int pass = 0; pass < 3; pass++)  // clear, sum, compare
        for (int r = first; r < first + count; r++) {
            const double w = weight[r - first] / d->norm[r];
            for (int i = d->row_start[r]; i < d->row_start[r + 1]; i++) {
                const int k = d->row_vector[i];
                if (pass == 0) sum[k] = size[k] = 0;
                if (pass == 1) sum[k] += w * d->row_value[i];
                if (pass == 1) size[k] += fabs(w * d->row_value[i]);
                if (pass == 2 && fabs(sum[k]) > TMLI_NEARLY_DEPENDENT * size[k]) unique = false;
            }
        }
    return unique;
}
