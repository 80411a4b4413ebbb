// Picks of rows and columns by full pivoting, against a plain elimination that looks at every entry for every
// pivot; solutions with the picked ones.
#include "linalg/rank/columns.h"
#include "linalg/rank/eliminate.h"
#include "support.h"

#include <math.h>

enum { M = 23, N = 31 };

typedef struct matrix {
    int rowptr[M + 1], rowcol[M * N];
    double values[M * N];
} matrix;

// Sparse, with entries from few values, so that many pivots are as good as others; the last rows repeat sums
// of the first.
static void fill(matrix *a, rng *r)
{
    double full[M][N] = {0};
    for (int i = 0; i < M - 4; i++)
        for (int k = 0; k < 4; k++) full[i][(int)rng_range(r, 0, N)] = 0.5 * (int)rng_range(r, -4, 5);
    for (int i = M - 4; i < M; i++)
        for (int j = 0; j < N; j++) full[i][j] = full[i - M + 4][j] - full[i - M + 9][j];
    int count = 0;
    for (int i = 0; i < M; i++) {
        a->rowptr[i] = count;
        for (int j = 0; j < N; j++) {
            if (full[i][j] == 0) continue;
            a->rowcol[count] = j;
            a->values[count++] = full[i][j];
        }
    }
    a->rowptr[M] = count;
}

static void exchange(int *a, int *b)
{
    const int c = *a;
    *a = *b;
    *b = c;
}

static int eliminate(const matrix *a, double tolerance, int *row, int *column)
{
    double full[M][N] = {0};
    for (int i = 0; i < M; i++)
        for (int k = a->rowptr[i]; k < a->rowptr[i + 1]; k++) full[i][a->rowcol[k]] = a->values[k];
    for (int i = 0; i < M; i++) row[i] = i;
    for (int j = 0; j < N; j++) column[j] = j;
    for (int k = 0; k < M; k++) {
        int p = -1, q = -1;
        double largest = 0;
        for (int i = k; i < M; i++)
            for (int j = k; j < N; j++) {
                if (!(fabs(full[row[i]][column[j]]) > largest)) continue;
                largest = fabs(full[row[i]][column[j]]);
                p = i;
                q = j;
            }
        if (!(largest > tolerance)) return k;
        exchange(&row[k], &row[p]);
        exchange(&column[k], &column[q]);
        for (int i = k + 1; i < M; i++) {
            const double f = full[row[i]][column[k]] / full[row[k]][column[k]];
            for (int j = k; j < N; j++) full[row[i]][column[j]] -= f * full[row[k]][column[j]];
        }
    }
    return M;
}

static void picks(void **state)
{
    (void)state;
    rng r = rng_seed(7);
    for (int trial = 0; trial < 200; trial++) {
        matrix a;
        tml_error err = {0};
        tmli_pivot_choice c;
        int row[M], column[N];
        fill(&a, &r);
        assert_int_equal(tmli_pivot_choice_create(M, N, a.rowptr, a.rowcol, NULL, &c, &err), TML_OK);
        assert_int_equal(tmli_pivot_choice_make(&c, a.rowptr, a.rowcol, a.values, NULL, 1e-9, &err), TML_OK);
        const int rank = eliminate(&a, 1e-9, row, column);
        assert_int_equal(c.rank, rank);
        assert_true(rank <= M - 4);
        for (int k = 0; k < rank; k++) {
            assert_int_equal(c.row[k], row[k]);
            assert_int_equal(c.column[k], column[k]);
            assert_false(c.left_out[row[k]]);
        }
        for (int j = 0; j < N; j++) assert_int_equal(c.column[c.position[j]], j);
        tmli_pivot_choice_clear(&c);
    }
}

// Late rows are picked after all others: of these as many as without them, in all as many as unmarked.
static void picks_late_rows_last(void **state)
{
    (void)state;
    rng r = rng_seed(19);
    for (int trial = 0; trial < 200; trial++) {
        matrix a, others;
        tml_error err = {0};
        tmli_pivot_choice c;
        tmli_elimination *e = NULL;
        bool late[M];
        int row[M], column[N];
        double least = 0;
        fill(&a, &r);
        others = a;
        for (int i = 0; i < M; i++) {
            late[i] = rng_range(&r, 0, 1) < 0.4;
            if (late[i])
                for (int k = a.rowptr[i]; k < a.rowptr[i + 1]; k++) others.values[k] = 0;
        }
        const int rank = eliminate(&a, 1e-9, row, column), first = eliminate(&others, 1e-9, row, column);
        assert_int_equal(tmli_pivot_choice_create(M, N, a.rowptr, a.rowcol, NULL, &c, &err), TML_OK);
        assert_int_equal(tmli_elimination_create(M, N, a.rowptr, a.rowcol, NULL, &e, &err), TML_OK);
        assert_int_equal(tmli_pivot_choice_make(&c, a.rowptr, a.rowcol, a.values, late, 1e-9, &err), TML_OK);
        assert_int_equal(c.rank, rank);
        for (int k = 0; k < rank; k++) assert_int_equal(late[c.row[k]], k >= first);
        assert_int_equal(tmli_elimination_run(e, a.values, late, 1e-9, row, column, &c.rank, &least, &err),
                         TML_OK);
        assert_int_equal(c.rank, rank);
        for (int k = 0; k < rank; k++) assert_int_equal(late[row[k]], k >= first);
        tmli_elimination_destroy(e);
        tmli_pivot_choice_clear(&c);
    }
}

// Columns with one entry cost no fill and are taken before any other. Rows {0, 1, 2}, {1, 3}, {2, 4}.
static void without_fill(void **state)
{
    (void)state;
    static const int rowptr[] = {0, 3, 5, 7}, rowcol[] = {0, 1, 2, 1, 3, 2, 4};
    static const double values[] = {1.1, 0.9, -1.2, 1.3, 0.8, 0.7, -1};
    int row[3], column[5], rank = 0;
    double least = 0;
    tml_error err = {0};
    tmli_elimination *e = NULL;
    assert_int_equal(tmli_elimination_create(3, 5, rowptr, rowcol, NULL, &e, &err), TML_OK);
    assert_int_equal(tmli_elimination_run(e, values, NULL, 1e-9, row, column, &rank, &least, &err), TML_OK);
    assert_int_equal(rank, 3);
    assert_true(column[0] == 0 || column[0] == 3 || column[0] == 4);
    tmli_elimination_destroy(e);
}

// Two choices of a large matrix, by threshold pivoting, share its memory: each keeps its own result, and the
// second outlives the first. Row i has the columns i and i + 1.
static void large_choices_share_memory(void **state)
{
    (void)state;
    enum { ROWS = 700, COLUMNS = 750 };
    static int rowptr[ROWS + 1], rowcol[2 * ROWS];
    static double values[2 * ROWS];
    tml_error err = {0};
    tmli_pivot_choice first, second;
    for (int i = 0; i < ROWS; i++) {
        rowptr[i + 1] = 2 * (i + 1);
        rowcol[2 * i] = i;
        rowcol[2 * i + 1] = i + 1;
    }
    assert_int_equal(tmli_pivot_choice_create(ROWS, COLUMNS, rowptr, rowcol, NULL, &first, &err), TML_OK);
    assert_int_equal(
        tmli_pivot_choice_create_shared(ROWS, COLUMNS, rowptr, rowcol, NULL, &first, &second, &err), TML_OK);
    assert_non_null(first.sparse);
    assert_ptr_equal(second.sparse, first.sparse);
    for (int i = 0; i < 2 * ROWS; i++) values[i] = i % 2 ? -0.3 : 1;
    assert_int_equal(tmli_pivot_choice_make(&first, rowptr, rowcol, values, NULL, 1e-9, &err), TML_OK);
    for (int i = 2 * (ROWS - 5); i < 2 * ROWS; i++) values[i] = 0;
    assert_int_equal(tmli_pivot_choice_make(&second, rowptr, rowcol, values, NULL, 1e-9, &err), TML_OK);
    assert_int_equal(first.rank, ROWS);
    assert_int_equal(second.rank, ROWS - 5);
    tmli_pivot_choice_clear(&first);
    assert_int_equal(tmli_pivot_choice_make(&second, rowptr, rowcol, values, NULL, 1e-9, &err), TML_OK);
    for (int i = 0; i < ROWS; i++) assert_int_equal(second.left_out[i], i >= ROWS - 5);
    tmli_pivot_choice_clear(&second);
}

// One right-hand side is solved by own loops, several by KLU: the same operations, also after a factorization
// with kept pivots and for the transposed matrix. KLU may be compiled with fused multiplications.
static void solves_as_klu(void **state)
{
    (void)state;
    rng r = rng_seed(11);
    for (int trial = 0; trial < 50; trial++) {
        matrix a;
        tml_error err = {0};
        tmli_pivot_choice c;
        tmli_columns f;
        fill(&a, &r);
        assert_int_equal(tmli_pivot_choice_create(M, N, a.rowptr, a.rowcol, NULL, &c, &err), TML_OK);
        assert_int_equal(tmli_pivot_choice_make(&c, a.rowptr, a.rowcol, a.values, NULL, 1e-9, &err), TML_OK);
        assert_true(c.rank > 12);  // fewer rows have dense factors
        assert_int_equal(tmli_columns_create(&c, a.rowptr, a.rowcol, NULL, &f, &err), TML_OK);
        for (int again = 0; again < 2; again++) {
            assert_true(tmli_columns_factor(&f, a.values));
            assert_int_equal(f.refactored, again);
            for (int transposed = 0; transposed < 2; transposed++) {
                double one[M], two[2 * M];
                for (int i = 0; i < c.rank; i++) one[i] = two[i] = two[c.rank + i] = rng_range(&r, -1, 1);
                tmli_columns_solve_many(&f, transposed, 1, one);
                tmli_columns_solve_many(&f, transposed, 2, two);
                double most = 0;
                for (int i = 0; i < c.rank; i++) most = fmax(most, fabs(one[i]));
                for (int i = 0; i < 2 * c.rank; i++)
                    assert_true(fabs(two[i] - one[i % c.rank]) <= 1e-12 * most);
            }
            for (int k = 0; k < a.rowptr[M]; k++) a.values[k] *= 1 + 1e-3 * rng_range(&r, -1, 1);
        }
        tmli_columns_clear(&f);
        tmli_pivot_choice_clear(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picks), cmocka_unit_test(picks_late_rows_last), cmocka_unit_test(without_fill),
        cmocka_unit_test(large_choices_share_memory), cmocka_unit_test(solves_as_klu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
