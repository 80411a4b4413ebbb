// Independent columns of a wide matrix; see columns.h.
#include "linalg/rank/columns.h"
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "linalg/pattern/condest.h"
#include "linalg/rank/eliminate.h"

#include <math.h>
#include <string.h>

#include "linalg/dense/constants.h"
#include "linalg/rank/constants.h"

// ---- the choice -------------------------------------------------------------------------------------------

void tmli_pivot_choice_clear(tmli_pivot_choice *c)
{
    tmli_free_all(&c->env, c->row, c->left_out, c->work);
    tmli_elimination_destroy(c->sparse);
    *c = (tmli_pivot_choice){0};
}

tml_status tmli_pivot_choice_create_shared(int m, int n, const int *rowptr, const int *rowcol,
                                           const tml_env *env, const tmli_pivot_choice *shared,
                                           tmli_pivot_choice *out, tml_error *err)
{
    const bool dense = (size_t)m * (size_t)n <= (size_t)FULL_PIVOTING_ENTRIES;
    *out = (tmli_pivot_choice){.m = m, .n = n};
    if (env) out->env = *env;
    out->row = tmli_calloc(env, (size_t)m + 2 * (size_t)n + (dense ? 2 * (size_t)m : 0), sizeof *out->row);
    out->left_out = tmli_calloc(env, (size_t)m, sizeof *out->left_out);
    if (dense) out->work = tmli_calloc(env, (size_t)m * (size_t)n + (size_t)m, sizeof *out->work);
    else if (shared) out->sparse = tmli_elimination_share(shared->sparse);
    else tmli_elimination_create(m, n, rowptr, rowcol, env, &out->sparse, err);
    if (!out->row || !out->left_out || !(out->work || out->sparse)) {
        tmli_pivot_choice_clear(out);
        return tmli_no_memory(err, "reduction");
    }
    out->column = out->row + m;
    out->position = out->column + n;
    if (dense) out->largest = out->work + (size_t)m * (size_t)n;
    if (dense) out->span = out->position + n;
    return TML_OK;
}

tml_status tmli_pivot_choice_create(int m, int n, const int *rowptr, const int *rowcol, const tml_env *env,
                                    tmli_pivot_choice *out, tml_error *err)
{
    return tmli_pivot_choice_create_shared(m, n, rowptr, rowcol, env, NULL, out, err);
}

void tmli_pivot_choice_copy(tmli_pivot_choice *to, const tmli_pivot_choice *from)
{
    to->rank = from->rank;
    to->version++;
    memcpy(to->row, from->row, ((size_t)from->m + 2 * (size_t)from->n) * sizeof *to->row);
    memcpy(to->left_out, from->left_out, (size_t)from->m * sizeof *to->left_out);
}

static void swap(int *a, int *b)
{
    const int c = *a;
    *a = *b;
    *b = c;
}

// Largest modulus in a row not yet picked; in columns that are it has zeros.
static double largest_of(const tmli_pivot_choice *c, int row)
{
    const double *a = c->work + (size_t)row * (size_t)c->n;
    double largest = 0;
    for (int j = c->span[2 * row]; j < c->span[2 * row + 1]; j++)
        if (fabs(a[j]) > largest) largest = fabs(a[j]);
    return largest;
}

// Place of the largest entry of the rows and columns not yet picked, and its modulus; 0 if there is none.
// late: rows that are passed over; NULL: none.
static double find_pivot(const tmli_pivot_choice *c, int k, const bool *late, int *row, int *column)
{
    double largest = 0;
    for (int i = k; i < c->m; i++)
        if (c->largest[c->row[i]] > largest && !(late && late[c->row[i]])) {
            largest = c->largest[c->row[i]];
            *row = i;
        }
    if (largest == 0) return 0;
    const double *a = c->work + (size_t)c->row[*row] * (size_t)c->n;
    *column = k;
    while (fabs(a[c->column[*column]]) != largest) ++*column;
    return largest;
}

// With pivot k. Rows are sparse: most have nothing in its column, and the pivot's row has only some entries.
static void eliminate(tmli_pivot_choice *c, int k)
{
    const double *p = c->work + (size_t)c->row[k] * (size_t)c->n;
    const int col = c->column[k], *pivot_span = c->span + 2 * c->row[k];
    int *entry = c->position, entries = 0;  // columns of the pivot's row, without its own
    for (int j = pivot_span[0]; j < pivot_span[1]; j++)
        if (p[j] != 0 && j != col) entry[entries++] = j;
    for (int i = k + 1; i < c->m; i++) {
        double *a = c->work + (size_t)c->row[i] * (size_t)c->n;
        if (a[col] == 0) continue;
        const double f = a[col] / p[col], before = c->largest[c->row[i]];
        double largest = before;
        bool lost = fabs(a[col]) == before;  // the largest entry has changed
        for (int j = 0; j < entries; j++) {
            double *x = &a[entry[j]];
            lost = lost || fabs(*x) == before;
            *x -= f * p[entry[j]];
            if (fabs(*x) > largest) largest = fabs(*x);
        }
        a[col] = 0;
        int *span = c->span + 2 * c->row[i];
        if (pivot_span[0] < span[0]) span[0] = pivot_span[0];
        if (pivot_span[1] > span[1]) span[1] = pivot_span[1];
        c->largest[c->row[i]] = lost ? largest_of(c, c->row[i]) : largest;
    }
}

static void sort_columns(tmli_pivot_choice *c)
{
    for (int j = 0; j < c->n; j++) c->position[j] = -1;
    for (int j = 0; j < c->rank; j++) c->position[c->column[j]] = j;
    int next = c->rank;
    for (int j = 0; j < c->n; j++)
        if (c->position[j] < 0) {
            c->position[j] = next;
            c->column[next++] = j;
        }
}

static void drop(tmli_pivot_choice *c, int row)
{
    memset(c->work + (size_t)row * (size_t)c->n, 0, (size_t)c->n * sizeof *c->work);
    c->largest[row] = 0;
}

// Full pivoting.
static void make_dense(tmli_pivot_choice *c, const int *rowptr, const int *rowcol, const double *values,
                       const bool *late, double tolerance)
{
    memset(c->work, 0, (size_t)c->m * (size_t)c->n * sizeof *c->work);
    for (int r = 0; r < c->m; r++) {
        c->row[r] = r;
        c->largest[r] = 0;
        int *span = c->span + 2 * r;
        span[0] = c->n;
        span[1] = 0;
        for (int i = rowptr[r]; i < rowptr[r + 1]; i++) {
            c->work[(size_t)r * (size_t)c->n + (size_t)rowcol[i]] = values[i];
            if (fabs(values[i]) > c->largest[r]) c->largest[r] = fabs(values[i]);
            if (rowcol[i] < span[0]) span[0] = rowcol[i];
            if (rowcol[i] >= span[1]) span[1] = rowcol[i] + 1;
        }
    }
    for (int j = 0; j < c->n; j++) c->column[j] = j;
    int row = 0, column = 0;
    c->least = INFINITY;
    for (c->rank = 0; c->rank < c->m && c->rank < c->n; c->rank++) {
        double pivot = find_pivot(c, c->rank, late, &row, &column);
        if (late && !(pivot > tolerance)) {
            for (int i = c->rank; i < c->m; i++)
                if (!late[c->row[i]]) drop(c, c->row[i]);
            late = NULL;
            pivot = find_pivot(c, c->rank, late, &row, &column);
        }
        if (!(pivot > tolerance)) break;
        c->least = fmin(c->least, pivot);
        swap(&c->row[c->rank], &c->row[row]);
        swap(&c->column[c->rank], &c->column[column]);
        eliminate(c, c->rank);
    }
}

tml_status tmli_pivot_choice_make(tmli_pivot_choice *c, const int *rowptr, const int *rowcol,
                                  const double *values, const bool *late, double tolerance, tml_error *err)
{
    tml_status st = TML_OK;
    if (c->work) make_dense(c, rowptr, rowcol, values, late, tolerance);
    else
        st = tmli_elimination_run(c->sparse, values, late, tolerance, c->row, c->column, &c->rank, &c->least,
                                  err);
    if (st != TML_OK) return st;
    sort_columns(c);
    for (int i = 0; i < c->m; i++) c->left_out[i] = true;
    for (int i = 0; i < c->rank; i++) c->left_out[c->row[i]] = false;
    for (int i = 0, next = c->rank; i < c->m; i++)
        if (c->left_out[i]) c->row[next++] = i;
    c->version++;
    return TML_OK;
}

// ---- factors ----------------------------------------------------------------------------------------------

static bool is_dense(const tmli_columns *c) { return c->choice->rank <= DENSE_FACTOR_ROWS; }

static void free_factors(tmli_columns *c)
{
    if (c->numeric) klu_free_numeric(&c->numeric, &c->common);
    if (c->symbolic) klu_free_symbolic(&c->symbolic, &c->common);
}

void tmli_columns_clear(tmli_columns *c)
{
    free_factors(c);
    tmli_triangles_clear(&c->triangles, &c->common);
    tmli_free_all(&c->env, c->lu, c->x, c->pivot, c->values);
    *c = (tmli_columns){0};
}

tml_status tmli_columns_create(const tmli_pivot_choice *choice, const int *rowptr, const int *rowcol,
                               const tml_env *env, tmli_columns *out, tml_error *err)
{
    *out = (tmli_columns){.choice = choice, .rowptr = rowptr, .rowcol = rowcol, .version = -1};
    if (env) out->env = *env;
    const size_t k = (size_t)(choice->m < choice->n ? choice->m : choice->n),
                 entries = (size_t)rowptr[choice->m];
    const tml_status st = k > (size_t)DENSE_FACTOR_ROWS ? tmli_klu_load(err) : TML_OK;
    if (st != TML_OK) return st;
    const size_t dense = k < (size_t)DENSE_FACTOR_ROWS ? k : (size_t)DENSE_FACTOR_ROWS;
    if (!tmli_calloc_all(
            env, TMLI_ARRAY(out->lu, dense * dense), TMLI_ARRAY(out->x, 6 * k + (size_t)choice->n),
            TMLI_ARRAY(out->pivot, 2 * dense + k + 1 + 2 * entries), TMLI_ARRAY(out->values, 2 * entries))) {
        tmli_columns_clear(out);
        return tmli_no_memory(err, "reduction");
    }
    out->sum = out->x + 6 * k;
    out->colptr = out->pivot + 2 * dense;
    out->rowind = out->colptr + k + 1;
    out->from = out->rowind + entries;
    out->chosen = out->values + entries;
    return TML_OK;
}

// The pattern of S, by columns with ascending rows.
static void lay_out(tmli_columns *c)
{
    const tmli_pivot_choice *s = c->choice;
    const int k = s->rank;
    for (int j = 0; j <= k; j++) c->colptr[j] = 0;
    for (int r = 0; r < k; r++)
        for (int i = c->rowptr[s->row[r]]; i < c->rowptr[s->row[r] + 1]; i++)
            if (s->position[c->rowcol[i]] < k) c->colptr[s->position[c->rowcol[i]] + 1]++;
    for (int j = 0; j < k; j++) c->colptr[j + 1] += c->colptr[j];
    for (int r = 0; r < k; r++)
        for (int i = c->rowptr[s->row[r]]; i < c->rowptr[s->row[r] + 1]; i++) {
            const int j = s->position[c->rowcol[i]];
            if (j >= k) continue;
            c->rowind[c->colptr[j]] = r;
            c->from[c->colptr[j]++] = i;
        }
    for (int j = k; j > 0; j--) c->colptr[j] = c->colptr[j - 1];
    c->colptr[0] = 0;
}

// Factors with the known pivots; false if there are none or they are no longer good.
static bool refactor(tmli_columns *c)
{
    if (!c->numeric) return false;
    if (!klu_refactor(c->colptr, c->rowind, c->values, c->symbolic, c->numeric, &c->common)) return false;
    const double *now = c->numeric->Udiag, *first = c->x + 5 * (size_t)c->choice->rank;
    for (int i = 0; i < c->choice->rank; i++)
        if (!(fabs(now[i]) > KEPT_PIVOT * fabs(first[i]))) return false;
    return true;
}

// The first call of KLU: small systems do without.
static bool analyze(tmli_columns *c)
{
    klu_defaults(&c->common);
    c->symbolic = klu_analyze(c->choice->rank, c->colptr, c->rowind, &c->common);
    return c->symbolic != NULL;
}

static bool take_triangles(tmli_columns *c)
{
    return tmli_triangles_take(&c->triangles, c->symbolic, c->numeric, &c->common);
}

static bool factor_sparse(tmli_columns *c)
{
    const int k = c->choice->rank;
    if (!c->symbolic && !analyze(c)) return false;
    c->refactored = refactor(c);
    if (c->refactored) return take_triangles(c);
    if (c->numeric) klu_free_numeric(&c->numeric, &c->common);
    c->numeric = klu_factor(c->colptr, c->rowind, c->values, c->symbolic, &c->common);
    if (!c->numeric || c->common.status != KLU_OK) return false;
    memcpy(c->chosen, c->values, (size_t)c->colptr[k] * sizeof *c->chosen);
    memcpy(c->x + 5 * (size_t)k, c->numeric->Udiag, (size_t)k * sizeof *c->x);
    return take_triangles(c);
}

// As dgetrf, in place by columns. LAPACK takes longer to be called than such small systems to be factored and
// solved.
static bool eliminate_dense(int k, double *lu, int *pivot)
{
    for (int j = 0; j < k; j++) {
        double *col = lu + j * k;
        int p = j;
        for (int i = j + 1; i < k; i++)
            if (fabs(col[i]) > fabs(col[p])) p = i;
        pivot[j] = p + 1;
        if (col[p] == 0) return false;
        for (int c = 0; c < k && p != j; c++) {
            const double y = lu[c * k + p];
            lu[c * k + p] = lu[c * k + j];
            lu[c * k + j] = y;
        }
        const double inverse = 1 / col[j];
        for (int i = j + 1; i < k; i++) col[i] *= inverse;
        for (int c = j + 1; c < k; c++) {
            double *to = lu + c * k;
            const double y = to[j];
            for (int i = j + 1; i < k; i++) to[i] -= y * col[i];
        }
    }
    return true;
}

static bool factor_dense(tmli_columns *c)
{
    const int k = c->choice->rank;
    memset(c->lu, 0, (size_t)k * (size_t)k * sizeof *c->lu);
    for (int j = 0; j < k; j++)
        for (int i = c->colptr[j]; i < c->colptr[j + 1]; i++)
            c->lu[(size_t)j * (size_t)k + (size_t)c->rowind[i]] = c->values[i];
    return eliminate_dense(k, c->lu, c->pivot);
}

bool tmli_columns_factor(tmli_columns *c, const double *values)
{
    const int k = c->choice->rank;
    if (k == 0) return true;
    if (c->version != c->choice->version) {
        free_factors(c);
        lay_out(c);
        c->version = c->choice->version;
    }
    double finite = 0;  // NaN if an entry is not
    for (int i = 0; i < c->colptr[k]; i++) {
        c->values[i] = values[c->from[i]];
        finite += 0 * c->values[i];
    }
    if (finite != 0) return false;
    return is_dense(c) ? factor_dense(c) : factor_sparse(c);
}

// ---- solves -----------------------------------------------------------------------------------------------

// As dgetrs for one right side.
static void solve_dense(int k, const double *lu, const int *pivot, double *x)
{
    for (int i = 0; i < k; i++) {
        const double y = x[pivot[i] - 1];
        x[pivot[i] - 1] = x[i];
        x[i] = y;
    }
    for (int j = 0; j < k; j++)
        for (int i = j + 1; i < k; i++) x[i] -= lu[j * k + i] * x[j];
    for (int j = k - 1; j >= 0; j--) {
        x[j] /= lu[j * (k + 1)];
        for (int i = 0; i < j; i++) x[i] -= lu[j * k + i] * x[j];
    }
}

static void solve_dense_transposed(int k, const double *lu, const int *pivot, double *x)
{
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < j; i++) x[j] -= lu[j * k + i] * x[i];
        x[j] /= lu[j * (k + 1)];
    }
    for (int j = k - 1; j >= 0; j--)
        for (int i = j + 1; i < k; i++) x[j] -= lu[j * k + i] * x[i];
    for (int i = k - 1; i >= 0; i--) {
        const double y = x[pivot[i] - 1];
        x[pivot[i] - 1] = x[i];
        x[i] = y;
    }
}

// x (rank) := inverse(S) x or inverse(S') x
static void solve(tmli_columns *c, bool transposed, double *x)
{
    tmli_columns_solve_many(c, transposed, 1, x);
}

void tmli_columns_solve_many(tmli_columns *c, bool transposed, int count, double *x)
{
    const int k = c->choice->rank;
    if (k == 0 || count == 0) return;
    if (is_dense(c))
        for (int i = 0; i < count; i++)
            (transposed ? solve_dense_transposed : solve_dense)(k, c->lu, c->pivot,
                                                                x + (size_t)i * (size_t)k);
    else if (count == 1)
        (transposed ? tmli_triangles_solve_transposed : tmli_triangles_solve)(&c->triangles, x);
    else if (transposed) klu_tsolve(c->symbolic, c->numeric, k, count, x, &c->common);
    else klu_solve(c->symbolic, c->numeric, k, count, x, &c->common);
}

void tmli_columns_solve(tmli_columns *c, const double *b, double *y)
{
    const tmli_pivot_choice *s = c->choice;
    for (int j = 0; j < s->n; j++) y[j] = 0;
    if (s->rank == 0) return;
    for (int r = 0; r < s->rank; r++) c->x[r] = b[s->row[r]];
    solve(c, false, c->x);
    for (int r = 0; r < s->rank; r++) y[s->column[r]] = c->x[r];
}

void tmli_columns_solve_transposed(tmli_columns *c, const double *y, double *z)
{
    const tmli_pivot_choice *s = c->choice;
    for (int r = 0; r < s->m; r++) z[r] = 0;
    if (s->rank == 0) return;
    for (int r = 0; r < s->rank; r++) c->x[r] = y[s->column[r]];
    solve(c, true, c->x);
    for (int r = 0; r < s->rank; r++) z[s->row[r]] = c->x[r];
}

static void solve_plain(void *self, double *x) { solve(self, false, x); }
static void solve_transposed(void *self, double *x) { solve(self, true, x); }

double tmli_columns_condition(tmli_columns *c, const double *values)
{
    const tmli_pivot_choice *s = c->choice;
    const int k = s->rank;
    double norm = 0;
    if (k == 0) return 1;
    for (int j = 0; j < s->n; j++) c->sum[j] = 0;
    for (int r = 0; r < k; r++)
        for (int i = c->rowptr[s->row[r]]; i < c->rowptr[s->row[r] + 1]; i++)
            c->sum[c->rowcol[i]] += fabs(values[i]);
    for (int j = 0; j < s->n; j++) norm = fmax(norm, c->sum[j]);
    return 1 / tmli_condest(k, norm, solve_plain, solve_transposed, c, c->x + k);
}

// ---- archive ----------------------------------------------------------------------------------------------

void tmli_pivot_choice_archive(tmli_pivot_choice *c, tml_archive *a)
{
    tml_archive_indices(a, &c->rank, 1, 0, c->m < c->n ? c->m : c->n);
    tml_archive_indices(a, c->row, (size_t)c->m, 0, c->m - 1);
    tml_archive_indices(a, c->column, (size_t)c->n, 0, c->n - 1);
    tml_archive_indices(a, c->position, (size_t)c->n, 0, c->n - 1);
    tml_archive_bools(a, c->left_out, (size_t)c->m);
    tml_archive_doubles(a, &c->least, 1);
    tml_archive_longs(a, &c->version, 1);
}

// Sparse factors are computed again, with the pivots that KLU chooses for the same matrix.
static bool restore_sparse(tmli_columns *c)
{
    const int k = c->choice->rank;
    if (analyze(c)) c->numeric = klu_factor(c->colptr, c->rowind, c->chosen, c->symbolic, &c->common);
    if (!c->numeric || c->common.status != KLU_OK) return false;
    memcpy(c->x + 5 * (size_t)k, c->numeric->Udiag, (size_t)k * sizeof *c->x);
    return (!c->refactored ||
            klu_refactor(c->colptr, c->rowind, c->values, c->symbolic, c->numeric, &c->common)) &&
           take_triangles(c);
}

// A damaged choice may have a row twice, and S then more entries than there is memory for.
static bool has_distinct_rows(const tmli_pivot_choice *c)
{
    bool *seen = tmli_calloc(&c->env, (size_t)c->m + 1, sizeof *seen), good = seen != NULL;
    for (int i = 0; i < c->rank && good; i++) {
        good = !seen[c->row[i]];
        seen[c->row[i]] = true;
    }
    tmli_free(&c->env, seen);
    return good;
}

void tmli_columns_archive(tmli_columns *c, tml_archive *a)
{
    const bool reading = tml_archive_reading(a);
    bool known = !reading && c->version == c->choice->version && c->choice->rank > 0, sparse = false;
    tml_archive_longs(a, &c->version, 1);
    tml_archive_bools(a, &known, 1);
    if (reading) free_factors(c);
    if (!known || tml_archive_status(a) != TML_OK) return;
    const size_t k = (size_t)c->choice->rank;
    if (reading && !has_distinct_rows(c->choice)) {
        tml_archive_fail(a, TML_ERR_ARG, "the saved choice of independent constraint rows is damaged");
        return;
    }
    if (reading) lay_out(c);
    const size_t entries = (size_t)c->colptr[k];
    tml_archive_doubles(a, c->values, entries);
    if (is_dense(c)) {
        tml_archive_doubles(a, c->lu, k * k);
        tml_archive_indices(a, c->pivot, k, 0, (int)k);
        return;
    }
    sparse = c->numeric != NULL;
    tml_archive_bools(a, &sparse, 1);
    tml_archive_bools(a, &c->refactored, 1);
    tml_archive_doubles(a, c->chosen, entries);
    if (reading && sparse && tml_archive_status(a) == TML_OK && !restore_sparse(c))
        tml_archive_fail(a, TML_ERR_IO, "the saved simulation is damaged: a matrix cannot be factored");
}
