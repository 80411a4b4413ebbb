// Independent columns of a wide matrix; see columns.h.
#include "linalg/columns.h"
#include "linalg/lapack.h"

#include <math.h>
#include <string.h>

// ---- the choice --------------------------------------------------------------------------------------------------------

void tmli_choice_clear(tmli_choice *c)
{
    tmli_free(&c->env, c->row);
    tmli_free(&c->env, c->left_out);
    tmli_free(&c->env, c->work);
    *c = (tmli_choice){0};
}

tml_status tmli_choice_create(int m, int n, const tml_env *env, tmli_choice *out, tml_error *err)
{
    *out = (tmli_choice){.m = m, .n = n};
    if (env) out->env = *env;
    out->row = tmli_calloc(env, (size_t)m + 2 * (size_t)n, sizeof *out->row);
    out->left_out = tmli_calloc(env, (size_t)m, sizeof *out->left_out);
    out->work = tmli_calloc(env, (size_t)m * (size_t)n, sizeof *out->work);
    if (!out->row || !out->left_out || !out->work) {
        tmli_choice_clear(out);
        return tmli_no_memory(err, "reduction");
    }
    out->column = out->row + m;
    out->place = out->column + n;
    return TML_OK;
}

void tmli_choice_copy(tmli_choice *to, const tmli_choice *from)
{
    to->rank = from->rank;
    memcpy(to->row, from->row, ((size_t)from->m + 2 * (size_t)from->n) * sizeof *to->row);
    memcpy(to->left_out, from->left_out, (size_t)from->m * sizeof *to->left_out);
}

static void swap(int *a, int *b)
{
    const int c = *a;
    *a = *b;
    *b = c;
}

// Largest entry of the rows and columns not yet picked; 0 if there is none.
static double find_pivot(const tmli_choice *c, int k, int *row, int *column)
{
    double largest = 0;
    for (int i = k; i < c->m; i++) {
        const double *a = c->work + (size_t)c->row[i] * (size_t)c->n;
        for (int j = k; j < c->n; j++)
            if (fabs(a[c->column[j]]) > largest) {
                largest = fabs(a[c->column[j]]);
                *row = i;
                *column = j;
            }
    }
    return largest;
}

static void eliminate(tmli_choice *c, int k)
{
    const double *p = c->work + (size_t)c->row[k] * (size_t)c->n;
    const int col = c->column[k];
    for (int i = k + 1; i < c->m; i++) {
        double *a = c->work + (size_t)c->row[i] * (size_t)c->n;
        if (a[col] == 0) continue;
        const double f = a[col] / p[col];
        for (int j = k; j < c->n; j++) a[c->column[j]] -= f * p[c->column[j]];
        a[col] = 0;
    }
}

static void sort_columns(tmli_choice *c)
{
    for (int j = 0; j < c->rank; j++) c->place[c->column[j]] = j;
    for (int j = c->rank; j < c->n; j++) c->place[c->column[j]] = -1;
    int next = c->rank;
    for (int j = 0; j < c->n; j++)
        if (c->place[j] < 0) {
            c->place[j] = next;
            c->column[next++] = j;
        }
}

void tmli_choice_make(tmli_choice *c, const int *rowptr, const int *rowcol, const double *values, double tolerance)
{
    memset(c->work, 0, (size_t)c->m * (size_t)c->n * sizeof *c->work);
    for (int r = 0; r < c->m; r++)
        for (int i = rowptr[r]; i < rowptr[r + 1]; i++)
            c->work[(size_t)r * (size_t)c->n + (size_t)rowcol[i]] = values[i];
    for (int i = 0; i < c->m; i++) c->row[i] = i;
    for (int j = 0; j < c->n; j++) c->column[j] = j;
    int row = 0, column = 0;
    for (c->rank = 0; c->rank < c->m && c->rank < c->n; c->rank++) {
        if (!(find_pivot(c, c->rank, &row, &column) > tolerance)) break;
        swap(&c->row[c->rank], &c->row[row]);
        swap(&c->column[c->rank], &c->column[column]);
        eliminate(c, c->rank);
    }
    sort_columns(c);
    for (int i = 0; i < c->m; i++) c->left_out[c->row[i]] = i >= c->rank;
}

// ---- factors -----------------------------------------------------------------------------------------------------------

void tmli_columns_clear(tmli_columns *c)
{
    tmli_free(&c->env, c->lu);
    tmli_free(&c->env, c->x);
    tmli_free(&c->env, c->pivot);
    *c = (tmli_columns){0};
}

tml_status tmli_columns_create(const tmli_choice *choice, const tml_env *env, tmli_columns *out, tml_error *err)
{
    *out = (tmli_columns){.choice = choice};
    if (env) out->env = *env;
    const size_t k = (size_t)(choice->m < choice->n ? choice->m : choice->n);
    out->lu = tmli_calloc(env, k * k, sizeof *out->lu);
    out->x = tmli_calloc(env, 5 * k, sizeof *out->x);
    out->pivot = tmli_calloc(env, 2 * k, sizeof *out->pivot);
    if (out->lu && out->x && out->pivot) return TML_OK;
    tmli_columns_clear(out);
    return tmli_no_memory(err, "reduction");
}

bool tmli_columns_factor(tmli_columns *c, const int *rowptr, const int *rowcol, const double *values)
{
    const tmli_choice *s = c->choice;
    const int k = s->rank;
    if (k == 0) return true;
    memset(c->lu, 0, (size_t)k * (size_t)k * sizeof *c->lu);
    for (int r = 0; r < k; r++)
        for (int i = rowptr[s->row[r]]; i < rowptr[s->row[r] + 1]; i++) {
            const int j = s->place[rowcol[i]];
            if (j < k) c->lu[(size_t)j * (size_t)k + (size_t)r] = values[i];
        }
    c->norm = 0;
    for (int j = 0; j < k; j++) {
        double sum = 0;
        for (int r = 0; r < k; r++) sum += fabs(c->lu[(size_t)j * (size_t)k + (size_t)r]);
        c->norm = fmax(c->norm, sum);
    }
    if (!isfinite(c->norm)) return false;
    int info;
    dgetrf_(&k, &k, c->lu, &k, c->pivot, &info);
    return info == 0;
}

void tmli_columns_solve(tmli_columns *c, const double *b, double *y)
{
    const tmli_choice *s = c->choice;
    const int k = s->rank, one = 1;
    for (int j = 0; j < s->n; j++) y[j] = 0;
    if (k == 0) return;
    for (int r = 0; r < k; r++) c->x[r] = b[s->row[r]];
    int info;
    dgetrs_("N", &k, &one, c->lu, &k, c->pivot, c->x, &k, &info, 1);
    for (int r = 0; r < k; r++) y[s->column[r]] = c->x[r];
}

void tmli_columns_solve_transposed(tmli_columns *c, const double *y, double *z)
{
    const tmli_choice *s = c->choice;
    const int k = s->rank, one = 1;
    for (int r = 0; r < s->m; r++) z[r] = 0;
    if (k == 0) return;
    for (int r = 0; r < k; r++) c->x[r] = y[s->column[r]];
    int info;
    dgetrs_("T", &k, &one, c->lu, &k, c->pivot, c->x, &k, &info, 1);
    for (int r = 0; r < k; r++) z[s->row[r]] = c->x[r];
}

double tmli_columns_condition(tmli_columns *c)
{
    const int k = c->choice->rank;
    if (k == 0) return 1;
    int info;
    double rcond = 0;
    dgecon_("1", &k, c->lu, &k, &c->norm, &rcond, c->x, c->pivot + k, &info, 1);
    return 1 / rcond;
}
