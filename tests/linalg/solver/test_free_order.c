// Block LU in a free order with shifted multipliers, where the rules of the pattern cost much: a net of
// bodies in which every joint waits for all bodies. Solves agree with the matrix as given, and dependent rows
// are found.
#include "linalg/block/block_lu.h"
#include "linalg/pattern/pattern.h"
#include "support.h"

enum { K = 16, BODIES = K * K, SIZE = 3, ROWS = 2, MOST = 2 * BODIES + 1 };

typedef struct net {
    int njoints, joint[MOST][2];
    tml_pattern *p;
    double *values;
    uint32_t seed;
} net;

static double random_number(net *t)  // -1 .. 1
{
    t->seed = t->seed * 1664525u + 1013904223u;
    return (double)(t->seed >> 8) / (1 << 23) - 1;
}

static void build_pattern(net *t)
{
    static int32_t sizes[BODIES + MOST], edges[6 * MOST], afterptr[BODIES + MOST + 1],
        afterind[BODIES * MOST];
    static uint8_t multiplier[BODIES + MOST];
    int nedges = 0, nafter = 0;
    for (int b = 0; b < BODIES; b++) sizes[b] = SIZE, multiplier[b] = 0;
    for (int j = 0; j < t->njoints; j++) {
        const int a = t->joint[j][0], b = t->joint[j][1],
                  ends[3][2] = {{a, b}, {a, BODIES + j}, {b, BODIES + j}};
        sizes[BODIES + j] = ROWS;
        multiplier[BODIES + j] = 1;
        for (int e = 0; e < 3; e++, nedges++)
            edges[2 * nedges] = ends[e][0], edges[2 * nedges + 1] = ends[e][1];
        for (int i = 0; i < BODIES; i++) afterind[nafter++] = i;
        afterptr[BODIES + j + 1] = nafter;
    }
    assert_int_equal(tmli_pattern_create(BODIES + t->njoints, sizes, multiplier, nedges, edges, afterptr,
                                         afterind, NULL, NULL, NULL, &t->p, NULL),
                     TML_OK);
    t->values = tmli_calloc(NULL, (size_t)tmli_pattern_nnz(t->p), sizeof(double));
    assert_non_null(t->values);
}

static void add(const net *t, int row, int col, double x)
{
    t->values[tmli_pattern_find(t->p, row, col)] += x;
}

// The rows of a joint; those of joint `copy` are those of joint 0. unit: of its rows.
static void fill(net *t, int copy, double unit)
{
    double first[ROWS][2 * SIZE];
    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i < SIZE; i++) add(t, SIZE * b + i, SIZE * b + i, 1.5 + random_number(t));
    for (int j = 0; j < t->njoints; j++)
        for (int r = 0; r < ROWS; r++) {
            double row[2 * SIZE];
            const int lambda = SIZE * BODIES + ROWS * j + r;
            for (int c = 0; c < 2 * SIZE; c++) {
                row[c] = unit * random_number(t);
                if (j == 0) first[r][c] = row[c];
                if (j == copy) row[c] = first[r][c];
            }
            for (int c = 0; c < 2 * SIZE; c++) {
                const int at = SIZE * t->joint[j][c / SIZE] + c % SIZE;
                add(t, lambda, at, row[c]);
                add(t, at, lambda, row[c]);
                for (int d = 0; d < 2 * SIZE; d++)  // augmentation couples the bodies
                    add(t, at, SIZE * t->joint[j][d / SIZE] + d % SIZE, row[c] * row[d] / (unit * unit));
            }
        }
}

// Joints along the edges of a grid, none across every third edge of a row: fewer rows than coordinates.
static void build(net *t, bool twice)
{
    *t = (net){.seed = 77};
    for (int i = 0; i < K; i++)
        for (int j = 0; j < K; j++) {
            const int b = K * i + j;
            if (j + 1 < K) t->joint[t->njoints][0] = b, t->joint[t->njoints++][1] = b + 1;
            if (i + 1 < K && (i + j) % 3 == 0) t->joint[t->njoints][0] = b, t->joint[t->njoints++][1] = b + K;
        }
    if (twice) t->joint[t->njoints][0] = 0, t->joint[t->njoints++][1] = 1;
    build_pattern(t);
}

static void clear(net *t)
{
    tmli_pattern_destroy(t->p);
    tmli_free(NULL, t->values);
}

// Largest |A x - b|, or of the transposed matrix, over the largest |b|.
static double residual(const net *t, bool transposed, const double *x, const double *b)
{
    double largest = 0, size = 0;
    double *r = tmli_calloc(NULL, (size_t)t->p->n, sizeof *r);
    assert_non_null(r);
    for (int j = 0; j < t->p->n; j++)
        for (int k = t->p->colptr[j]; k < t->p->colptr[j + 1]; k++) {
            const int i = t->p->rowind[k];
            r[transposed ? j : i] += t->values[k] * x[transposed ? i : j];
        }
    for (int i = 0; i < t->p->n; i++) {
        largest = fmax(largest, fabs(r[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    tmli_free(NULL, r);
    return largest / size;
}

static void solves(void **state)
{
    (void)state;
    static const double units[] = {1, 1e6, 1e-5};
    for (int u = 0; u < 3; u++) {
        net t;
        tmli_blocklu lu = {0};
        build(&t, false);
        fill(&t, -1, units[u]);
        assert_int_equal(tmli_blocklu_init(&lu, t.p, "block solver", NULL, NULL), TML_OK);
        assert_true(lu.sym.free);
        assert_int_equal(tmli_blocklu_factor(&lu, t.values, NULL), TML_OK);
        const size_t n = (size_t)t.p->n;
        double *x = tmli_calloc(NULL, 2 * n, sizeof *x), *b = x + n;
        assert_non_null(x);
        for (int transposed = 0; transposed < 2; transposed++) {
            for (size_t i = 0; i < n; i++)
                x[i] = b[i] = random_number(&t) * (i < SIZE * BODIES ? 1 : units[u]);
            if (transposed) tmli_blocklu_solve_transposed(&lu, x);
            else tmli_blocklu_solve(&lu, x);
            // round-off of some 1e3 unknowns, of sizes that differ by `units`; one solve alone leaves 1e-6
            assert_true(residual(&t, transposed, x, b) < 1e-11);
        }
        assert_true(tmli_blocklu_rcond(&lu) > 0);
        tmli_free(NULL, x);
        tmli_blocklu_clear(&lu);
        clear(&t);
    }
}

static void finds_dependent_rows(void **state)
{
    (void)state;
    net t;
    tmli_blocklu lu = {0};
    tml_error err = {0};
    build(&t, true);
    fill(&t, t.njoints - 1, 1);
    assert_int_equal(tmli_blocklu_init(&lu, t.p, "block solver", NULL, NULL), TML_OK);
    assert_true(lu.sym.free);
    assert_int_equal(tmli_blocklu_factor(&lu, t.values, &err), TML_ERR_SINGULAR);
    char first[32], copy[32];
    snprintf(first, sizeof first, "block %d;", BODIES);
    snprintf(copy, sizeof copy, "block %d;", BODIES + t.njoints - 1);
    if (!strstr(err.msg, first) && !strstr(err.msg, copy)) fail_msg("%s", err.msg);
    tmli_blocklu_clear(&lu);
    clear(&t);
}

// Solvers of a pattern with a schedule use it and leave it alone; the results have the same bits. In a free
// order there is no faster solver for accelerations.
static void shares_a_schedule(void **state)
{
    (void)state;
    net t;
    tmli_symbolic schedule = {0};
    tmli_blocklu lu[2] = {{0}};
    build(&t, false);
    fill(&t, -1, 1);
    assert_int_equal(tmli_blocklu_init(&lu[0], t.p, "block solver", NULL, NULL), TML_OK);
    assert_ptr_equal(tmli_acceleration_solver(&tml_linsolver_block, t.p), &tml_linsolver_tree);
    assert_int_equal(tmli_symbolic_init(&schedule, t.p, NULL, NULL), TML_OK);
    tmli_symbolic_share(&schedule, t.p);
    const size_t n = (size_t)t.p->n;
    double *x = tmli_calloc(NULL, 2 * n, sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < 2; i++) {
        if (i > 0) assert_int_equal(tmli_blocklu_init(&lu[i], t.p, "block solver", NULL, NULL), TML_OK);
        assert_true((lu[i].sym.front == schedule.front) == (i > 0));
        assert_int_equal(tmli_blocklu_factor(&lu[i], t.values, NULL), TML_OK);
        double *own = x + (i > 0 ? n : 0);
        for (size_t k = 0; k < n; k++) own[k] = (double)(k % 7) - 2.9;
        tmli_blocklu_solve(&lu[i], own);
        if (i > 0) assert_memory_equal(own, x, n * sizeof *x);
        tmli_blocklu_clear(&lu[i]);
    }
    assert_true(schedule.free && schedule.front);
    assert_ptr_equal(tmli_acceleration_solver(&tml_linsolver_block, t.p), &tml_linsolver_block);
    assert_ptr_equal(tmli_acceleration_solver(&tml_linsolver_klu, t.p), &tml_linsolver_klu);
    tmli_symbolic_clear(&schedule);
    tmli_free(NULL, x);
    clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(finds_dependent_rows),
                                       cmocka_unit_test(shares_a_schedule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
