// Sparse matrices of meshes, and their Matrix Market files
// (R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market exchange formats, NISTIR 5935, 1996).
#include "base/target.h"
#include "part/part.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ROWS = 10000000, MAX_ENTRIES = 1000000000 };

// ---- construction and products ----------------------------------------------------------------------------

// Counting sort: a stable order of the entries by `key`, 0 .. n - 1.
static void sort_by(int n, int count, const int32_t *key, const int32_t *before, int32_t *start, int32_t *out)
{
    memset(start, 0, ((size_t)n + 1) * sizeof *start);
    for (int i = 0; i < count; i++) start[key[i] + 1]++;
    for (int i = 0; i < n; i++) start[i + 1] += start[i];
    for (int i = 0; i < count; i++) {
        const int32_t k = before ? before[i] : i;
        out[start[key[k]]++] = k;
    }
}

tml_status tmli_sparse_build(tmli_arena *arena, int n, int count, const int32_t *row, const int32_t *col,
                             const double *value, const int *lines, tmli_sparse *out, tml_error *err)
{
    tmli_arena scratch = {.env = arena->env};
    const size_t most = (size_t)count + 1, columns = (size_t)n + 1;
    int32_t *start = tmli_arena_alloc(&scratch, columns, sizeof *start);
    int32_t *by_row = tmli_arena_alloc(&scratch, most, sizeof *by_row);
    int32_t *order = tmli_arena_alloc(&scratch, most, sizeof *order);
    *out = (tmli_sparse){.n = n};
    out->colptr = tmli_arena_alloc(arena, columns, sizeof *out->colptr);
    out->rowind = tmli_arena_alloc(arena, most, sizeof *out->rowind);
    out->value = tmli_arena_alloc(arena, most, sizeof *out->value);
    if (lines) out->line = tmli_arena_alloc(arena, most, sizeof *out->line);
    const bool ok =
        start && by_row && order && out->colptr && out->rowind && out->value && (out->line || !lines);
    if (ok) {
        sort_by(n, count, row, NULL, start, by_row);
        sort_by(n, count, col, by_row, start, order);
        int used = 0, last_col = -1;
        for (int i = 0; i < count; i++) {
            const int32_t k = order[i];
            const bool same = col[k] == last_col && out->rowind[used - 1] == row[k];
            if (same) {
                out->value[used - 1] += value[k];
                continue;
            }
            last_col = col[k];
            out->rowind[used] = row[k];
            out->value[used] = value[k];
            if (lines) out->line[used] = lines[k];
            used++;
            out->colptr[col[k] + 1] = used;
        }
        for (int j = 0; j < n; j++)
            if (out->colptr[j + 1] < out->colptr[j]) out->colptr[j + 1] = out->colptr[j];
    }
    tmli_arena_clear(&scratch);
    return ok ? TML_OK : tmli_no_memory(err, "matrix");
}

void tmli_sparse_multiply(const tmli_sparse *A, int k, const double *X, double *Y)
{
    const size_t n = (size_t)A->n;
    memset(Y, 0, n * (size_t)k * sizeof *Y);
    for (int c = 0; c < k; c++, X += n, Y += n)
        for (int j = 0; j < A->n; j++)
            for (int32_t e = A->colptr[j]; e < A->colptr[j + 1]; e++) Y[A->rowind[e]] += A->value[e] * X[j];
}

double tmli_sparse_at(const tmli_sparse *A, int row, int col)
{
    for (int32_t e = A->colptr[col]; e < A->colptr[col + 1]; e++)
        if (A->rowind[e] == row) return A->value[e];
    return 0;
}

// ---- Matrix Market ----------------------------------------------------------------------------------------

typedef struct market {
    tmli_lines l;
    bool array, symmetric;
    long rows, entries;  // entries in the file
    int32_t *row, *col;
    double *value;
    int *line;
    int count;
} market;

static bool is_word(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (tolower((unsigned char)*a) != *b) return false;
    return !*a && !*b;
}

// %%MatrixMarket matrix coordinate|array real|integer general|symmetric
static tml_status read_banner(market *m)
{
    char word[5][TMLI_WORD];
    tml_mark at[5] = {{0}};
    int count = 0;
    if (tmli_lines_next(&m->l, 0))
        while (count < 5 && tmli_lines_word(&m->l, 0, word[count], &at[count])) count++;
    if (count < 5 || !is_word(word[0], "%%matrixmarket") || !is_word(word[1], "matrix"))
        return tmli_fail_at(m->l.err, TML_ERR_SYNTAX, (tml_mark){m->l.path, 1, 1},
                            "the first line is not that of a Matrix Market file, "
                            "'%%%%MatrixMarket matrix coordinate real symmetric'");
    m->array = is_word(word[2], "array");
    if (!m->array && !is_word(word[2], "coordinate"))
        return tmli_fail_at(m->l.err, TML_ERR_SYNTAX, at[2],
                            "the format is '%.40s', expected coordinate or array", word[2]);
    if (!is_word(word[3], "real") && !is_word(word[3], "integer") && !is_word(word[3], "double"))
        return tmli_fail_at(m->l.err, TML_ERR_SYNTAX, at[3], "entries are '%.40s', expected real", word[3]);
    m->symmetric = is_word(word[4], "symmetric");
    if (!m->symmetric && !is_word(word[4], "general"))
        return tmli_fail_at(m->l.err, TML_ERR_SYNTAX, at[4],
                            "the symmetry is '%.40s', expected symmetric or general", word[4]);
    return TML_OK;
}

static tml_status read_sizes(market *m)
{
    long columns = 0;
    if (!tmli_lines_next(&m->l, '%'))
        return tmli_fail_at(m->l.err, TML_ERR_SYNTAX, tmli_lines_mark(&m->l), "the line of sizes is missing");
    const tml_mark at = tmli_lines_mark(&m->l);
    tml_status st = tmli_lines_integer(&m->l, "the number of rows", 1, MAX_ROWS, &m->rows);
    if (st == TML_OK) st = tmli_lines_integer(&m->l, "the number of columns", 1, MAX_ROWS, &columns);
    if (st != TML_OK) return st;
    if (columns != m->rows)
        return tmli_fail_at(m->l.err, TML_ERR_MODEL, at,
                            "the matrix has %ld rows and %ld columns, expected a "
                            "square one",
                            m->rows, columns);
    if (!m->array) return tmli_lines_integer(&m->l, "the number of entries", 0, MAX_ENTRIES, &m->entries);
    m->entries = m->symmetric ? m->rows * (m->rows + 1) / 2 : m->rows * m->rows;
    return m->entries <= MAX_ENTRIES ? TML_OK
                                     : tmli_fail_at(m->l.err, TML_ERR_MODEL, at, "the matrix is too large");
}

static void put(market *m, long i, long j, double x)
{
    m->row[m->count] = (int32_t)i;
    m->col[m->count] = (int32_t)j;
    m->line[m->count] = m->l.line;
    m->value[m->count++] = x;
}

static tml_status read_entries(market *m)
{
    tml_status st = TML_OK;
    long i = 0, j = 0;  // of an array: column by column, the lower triangle if it is symmetric
    for (long k = 0; k < m->entries && st == TML_OK; k++) {
        double x = 0;
        if (!tmli_lines_next(&m->l, '%'))
            return tmli_fail_at(m->l.err, TML_ERR_SYNTAX, tmli_lines_mark(&m->l),
                                "the file ends after %ld of %ld entries", k, m->entries);
        const tml_mark at = tmli_lines_mark(&m->l);
        if (!m->array) {
            st = tmli_lines_integer(&m->l, "the row of an entry", 1, m->rows, &i);
            if (st == TML_OK) st = tmli_lines_integer(&m->l, "the column of an entry", 1, m->rows, &j);
            i--, j--;
            if (st == TML_OK && m->symmetric && j > i)
                st = tmli_fail_at(m->l.err, TML_ERR_MODEL, at,
                                  "entry (%ld, %ld) is above the diagonal of a symmetric matrix, of which "
                                  "the file gives the lower triangle",
                                  i + 1, j + 1);
        }
        if (st == TML_OK) st = tmli_lines_number(&m->l, "an entry", &x);
        if (st != TML_OK) return st;
        if (x != 0) put(m, i, j, x);
        if (x != 0 && m->symmetric && i != j) put(m, j, i, x);
        if (m->array && ++i == m->rows) {
            j++;
            i = m->symmetric ? j : 0;
        }
    }
    if (st == TML_OK && tmli_lines_next(&m->l, '%'))
        st = tmli_fail_at(m->l.err, TML_ERR_SYNTAX, tmli_lines_mark(&m->l), "more than %ld entries",
                          m->entries);
    return st;
}

tml_status tmli_matrix_market_read(const tmli_text *text, tmli_arena *arena, tmli_sparse *out, tml_error *err)
{
    market m = {0};
    tmli_arena scratch = {.env = arena->env};
    tml_status st = tmli_lines_open(&m.l, text, arena->env, err);
    if (st == TML_OK) st = read_banner(&m);
    if (st == TML_OK) st = read_sizes(&m);
    if (st == TML_OK) {
        const size_t most = (size_t)m.entries * (m.symmetric ? 2 : 1) + 1;
        st = tmli_arena_alloc_all(&scratch, TMLI_ARRAY(m.row, most), TMLI_ARRAY(m.col, most),
                                  TMLI_ARRAY(m.value, most), TMLI_ARRAY(m.line, most))
                 ? read_entries(&m)
                 : tmli_no_memory(err, text->path);
    }
    if (st == TML_OK)
        st = tmli_sparse_build(arena, (int)m.rows, m.count, m.row, m.col, m.value, m.line, out, err);
    if (st == TML_OK) {
        out->file = tmli_arena_strdup(arena, text->path);
        if (!out->file) st = tmli_no_memory(err, text->path);
    }
    tmli_lines_close(&m.l);
    tmli_arena_clear(&scratch);
    return st;
}

tml_status tmli_matrix_market_write(const tmli_sparse *A, const char *path, const tml_env *env,
                                    tml_error *err)
{
    long count = 0;
    tmli_draft d;
    const tml_status st = tmli_draft_open(&d, path, env, err);
    if (st != TML_OK) return st;
    FILE *const f = d.out;
    for (int j = 0; j < A->n; j++)
        for (int32_t e = A->colptr[j]; e < A->colptr[j + 1]; e++) count += A->rowind[e] >= j;
    fprintf(f, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %ld\n", A->n, A->n, count);
    for (int j = 0; j < A->n; j++)
        for (int32_t e = A->colptr[j]; e < A->colptr[j + 1]; e++) {
            char number[32];
            if (A->rowind[e] >= j)
                fprintf(f, "%d %d %s\n", A->rowind[e] + 1, j + 1, tmli_dtoa(A->value[e], number));
        }
    return tmli_draft_close(&d, TML_OK, err);
}
