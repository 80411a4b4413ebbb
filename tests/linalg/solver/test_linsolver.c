// The linear solvers against each other and against known solutions, on matrices of bodies and joints.
#define _POSIX_C_SOURCE 200809L
#include "linalg/graphs.h"

#include <time.h>

static problem problem_make(graph_def g, bool augmented)
{
    problem q = {.g = g};
    q.g.augmented = augmented;
    q.g.penalty = 1.3;
    return q;
}

static void problem_fill(problem *q, bool both_after, uint64_t seed)
{
    rng r = rng_seed(seed);
    tml_error err = {0};
    q->p = graph_pattern_env(&q->g, both_after, NULL, &err);
    if (!q->p) fail_msg("%s", err.msg);
    problem_allocate(q);
    graph_values(&q->g, q->p, &r, 0.02, q->values);
    problem_set_solution(q, &r);
}

// Growth of the entries during elimination, at least 1. KLU takes pivots down to 1/1000 of the largest of
// their column.
static double growth_of(const tml_linsolver_ops *ops, const void *self)
{
    tml_linsolver_info info = {0};
    if (ops->info) ops->info(self, &info);
    return fmax(1, info.growth);
}

// Error against the rounding of elimination, growth eps/rcond, with room for its growth with n.
static void check_all(graph_def g, bool augmented, bool both_after, uint64_t seed)
{
    problem q = problem_make(g, augmented);
    problem_fill(&q, both_after, seed);
    for (int s = 0; tml_linsolvers[s]; s++) {
        const tml_linsolver_ops *ops = tml_linsolvers[s];
        if (ops == &tml_linsolver_dense && q.p->n > 700) continue;
        void *self = make_solver(ops, q.p);
        const double e = solution_error(ops, self, &q), rcond = ops->rcond(self);
        assert_true(rcond > 0 && rcond <= 1);
        const double growth = growth_of(ops, self);
        if (!(e <= 200 * growth * 2.2e-16 / rcond))
            fail_msg("%s: error %g, rcond %g, growth %g", ops->name, e, rcond, growth);
        ops->destroy(self);
    }
    problem_free(&q);
}

static void test_graphs(void **state)
{
    (void)state;
    const int32_t sizes[][2] = {{6, 5}, {3, 2}, {1, 1}, {6, 3}, {6, 1}, {2, 2}, {4, 3}, {6, 6}, {5, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int32_t nb = sizes[i][0], nj = sizes[i][1];
        for (int variant = 0; variant < 4; variant++) {
            const bool aug = variant & 1, both = variant & 2;
            const uint64_t seed = 100 * i + (uint64_t)variant + 1;
            check_all(graph_chain(17, nb, nj), aug, both, seed);
            check_all(graph_star(13, nb, nj), aug, both, seed);
            if (nb >= 3) check_all(graph_grid(4, 3, nb, 1), aug, both, seed);
            check_all(graph_ring(11, nb, nj == nb ? nj - (nj > 1) : nj), aug, both, seed);
        }
    }
}

static void test_mixed_sizes(void **state)
{
    (void)state;
    rng r = rng_seed(77);
    for (uint64_t trial = 0; trial < 60; trial++) {
        graph_def g = graph_ring(9, 6, 1);
        for (int32_t b = 0; b < g.nbodies; b++) g.sizes[b] = 2 + (int32_t)(5 * rng_unit(&r));
        for (int32_t k = 0; k < g.njoints; k++)
            g.sizes[g.nbodies + k] = 1 + (int32_t)(rng_unit(&r) * (g.sizes[g.a[k]] - 1));
        check_all(g, trial % 2, false, trial);
    }
}

static void test_large_fronts(void **state)  // grids whose last fronts are large enough for BLAS
{
    (void)state;
    check_all(graph_grid(14, 14, 6, 1), true, false, 3);
    check_all(graph_grid(12, 12, 6, 2), false, true, 4);
    check_all(graph_star(60, 6, 5), true, true, 5);  // joints wait for the hub: a clique of 60 joints
}

static void test_one_by_one_and_no_joints(void **state)
{
    (void)state;
    check_all(graph_alloc(1, 0, 1, 0), false, false, 8);
    check_all(graph_alloc(5, 0, 6, 0), false, false, 9);
}

static void test_refactor(void **state)  // one analysis, many values; also values that need new pivots
{
    (void)state;
    problem q = problem_make(graph_ring(15, 6, 5), true);
    problem_fill(&q, false, 21);
    for (int s = 0; tml_linsolvers[s]; s++) {
        void *self = make_solver(tml_linsolvers[s], q.p);
        rng r = rng_seed(31);
        for (int round = 0; round < 20; round++) {
            graph_values(&q.g, q.p, &r, 0.02, q.values);
            graph_multiply(q.p, q.values, q.x, q.b);
            CHECK_SMALL(solution_error(tml_linsolvers[s], self, &q),
                        1e-11);  // eps / rcond, rcond > 1e-4 here
        }
        tml_linsolver_info info;
        tml_linsolvers[s]->info(self, &info);
        assert_true(info.nonzeros_factor > 0 && info.flops_factor > 0);
        assert_true(info.growth > 0.01 && info.growth < 100);
        tml_linsolvers[s]->destroy(self);
    }
    problem_free(&q);
}

static void test_rcond(void **state)  // against the true inverse, columns by dense solves
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        problem q = problem_make(graph_chain(8, 6, 5), seed % 2);
        problem_fill(&q, false, seed);
        const int32_t n = q.p->n;
        void *dense = make_solver(&tml_linsolver_dense, q.p);
        CHECK_SMALL(solution_error(&tml_linsolver_dense, dense, &q), 1e-9);
        double norm = 0, inverse = 0, *e = malloc((size_t)n * sizeof *e);
        for (int32_t j = 0; j < n; j++) {
            double sum = 0, isum = 0;
            for (int32_t k = q.p->colptr[j]; k < q.p->colptr[j + 1]; k++) sum += fabs(q.values[k]);
            for (int32_t i = 0; i < n; i++) e[i] = i == j;
            tml_linsolver_dense.solve(dense, e);
            for (int32_t i = 0; i < n; i++) isum += fabs(e[i]);
            norm = fmax(norm, sum);
            inverse = fmax(inverse, isum);
        }
        tml_linsolver_dense.destroy(dense);
        const double exact = 1 / norm / inverse;
        for (int s = 0; tml_linsolvers[s]; s++) {
            void *self = make_solver(tml_linsolvers[s], q.p);
            solution_error(tml_linsolvers[s], self, &q);
            const double rcond = tml_linsolvers[s]->rcond(self);
            assert_true(rcond >= 0.999 * exact &&
                        rcond <= 10 * exact);  // a lower bound of the norm, seldom by > 3
            tml_linsolvers[s]->destroy(self);
        }
        free(e);
        problem_free(&q);
    }
}

static void expect_failure(problem *q, tml_status status, const char *name)
{
    for (int s = 0; tml_linsolvers[s]; s++) {
        void *self = make_solver(tml_linsolvers[s], q->p);
        tml_error err = {0};
        const tml_status st = tml_linsolvers[s]->factor(self, q->values, &err);
        if (st != status) fail_msg("%s: status %s", tml_linsolvers[s]->name, tml_status_name(st));
        assert_int_equal(err.status, status);
        if (name && !strstr(err.msg, name)) fail_msg("'%s' does not name %s", err.msg, name);
        assert_int_equal(tml_linsolvers[s]->factor(self, q->values, NULL), status);
        tml_linsolvers[s]->destroy(self);
    }
}

static void test_singular_body(void **state)  // a body without mass that nothing holds
{
    (void)state;
    problem q = problem_make(graph_chain(6, 6, 5), false);
    q.g.njoints = 3;  // bodies 3, 4, 5 are loose
    memmove(q.g.sizes + 6, q.g.sizes + 7, 3 * sizeof *q.g.sizes);
    problem_fill(&q, false, 5);
    for (int32_t j = q.p->blockptr[4]; j < q.p->blockptr[5]; j++)
        for (int32_t k = q.p->colptr[j]; k < q.p->colptr[j + 1]; k++) q.values[k] = 0;
    expect_failure(&q, TML_ERR_SINGULAR, "body 'b4'");
    problem_free(&q);
}

// Joint 2 repeats a row of its own, times a factor; the last pivot is round-off, not zero.
static void test_redundant_row(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        problem q = problem_make(graph_chain(5, 6, 3), false);
        problem_fill(&q, seed % 2, seed);
        const int32_t at = q.p->blockptr[5 + 2];
        for (int32_t j = 0; j < q.p->n; j++) {
            const int32_t k = tmli_pattern_find(q.p, at, j);
            if (k >= 0) q.values[k + 2] = 0.317 * q.values[k] + 0.713 * q.values[k + 1];
        }
        for (int32_t i = q.p->colptr[at]; i < q.p->colptr[at + 1]; i++) {
            const int32_t row = q.p->rowind[i];
            q.values[tmli_pattern_find(q.p, row, at + 2)] =
                0.317 * q.values[i] + 0.713 * q.values[tmli_pattern_find(q.p, row, at + 1)];
        }
        expect_failure(&q, TML_ERR_SINGULAR, "joint 'j2'");
        problem_free(&q);
    }
}

// Two joints with the same rows between the same bodies: one of the two is named.
static void test_redundant_joint(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        graph_def g = graph_alloc(4, 5, 6, 2);
        for (int32_t k = 0; k < 4; k++) g.a[k] = k, g.b[k] = k - 1;
        g.a[4] = g.a[2], g.b[4] = g.b[2];
        problem q = problem_make(g, seed % 2);
        q.g.penalty = 0.7;
        problem_fill(&q, false, seed);
        const int32_t from = q.p->blockptr[4 + 2], to = q.p->blockptr[4 + 4];
        for (int32_t j = 0; j < q.p->blockptr[4]; j++) {
            for (int32_t i = 0; i < 2; i++) {
                const int32_t a = tmli_pattern_find(q.p, from + i, j), b = tmli_pattern_find(q.p, to + i, j);
                if (a >= 0) q.values[b] = 1.37 * q.values[a];
                const int32_t c = tmli_pattern_find(q.p, j, from + i), d = tmli_pattern_find(q.p, j, to + i);
                if (c >= 0) q.values[d] = 1.37 * q.values[c];
            }
        }
        expect_failure(&q, TML_ERR_SINGULAR, "joint 'j");
        problem_free(&q);
    }
}

// Badly scaled but regular: no solver may call it singular. D A D with D over 10 decades.
static void test_scaled_is_not_singular(void **state)
{
    (void)state;
    problem q = problem_make(graph_chain(12, 6, 5), true);
    problem_fill(&q, false, 11);
    rng r = rng_seed(12);
    double *d = malloc((size_t)q.p->n * sizeof *d);
    for (int32_t i = 0; i < q.p->n; i++) d[i] = pow(10, rng_range(&r, -5, 5));
    for (int32_t j = 0; j < q.p->n; j++)
        for (int32_t k = q.p->colptr[j]; k < q.p->colptr[j + 1]; k++) q.values[k] *= d[q.p->rowind[k]] * d[j];
    for (int s = 0; tml_linsolvers[s]; s++) {
        void *self = make_solver(tml_linsolvers[s], q.p);
        assert_int_equal(tml_linsolvers[s]->factor(self, q.values, NULL), TML_OK);
        tml_linsolvers[s]->destroy(self);
    }
    free(d);
    problem_free(&q);
}

static void test_not_finite(void **state)
{
    (void)state;
    problem q = problem_make(graph_chain(4, 6, 5), true);
    problem_fill(&q, false, 5);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int32_t k = 0; k < tmli_pattern_nnz(q.p); k += 37) {
        const double kept = q.values[k];
        q.values[k] = bad[k % 3];
        expect_failure(&q, TML_ERR_NAN, NULL);
        q.values[k] = kept;
    }
    problem_free(&q);
}

static void test_recovers(void **state)  // a failure does not spoil the next factorization
{
    (void)state;
    problem q = problem_make(graph_chain(7, 6, 5), true);
    problem_fill(&q, false, 15);
    for (int s = 0; tml_linsolvers[s]; s++) {
        void *self = make_solver(tml_linsolvers[s], q.p);
        double *zero = calloc((size_t)tmli_pattern_nnz(q.p), sizeof *zero);
        assert_int_equal(tml_linsolvers[s]->factor(self, zero, NULL), TML_ERR_SINGULAR);
        CHECK_SMALL(solution_error(tml_linsolvers[s], self, &q), 1e-11);  // eps / rcond
        assert_int_equal(tml_linsolvers[s]->factor(self, zero, NULL), TML_ERR_SINGULAR);
        CHECK_SMALL(solution_error(tml_linsolvers[s], self, &q), 1e-11);
        free(zero);
        tml_linsolvers[s]->destroy(self);
    }
    problem_free(&q);
}

typedef struct counting {
    long calls, fail_at, live;
} counting;

static void *counting_alloc(size_t bytes, void *user)
{
    counting *c = user;
    if (c->calls++ == c->fail_at) return NULL;
    c->live++;
    return malloc(bytes);
}

static void counting_free(void *ptr, void *user)
{
    counting *c = user;
    c->live--;
    free(ptr);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    problem q = problem_make(graph_grid(4, 4, 6, 2), true);
    problem_fill(&q, false, 15);
    for (int s = 0; tml_linsolvers[s]; s++) {
        tml_status st = TML_ERR_NOMEM;
        for (long k = 0; st != TML_OK; k++) {
            counting c = {.fail_at = k};
            const tml_env env = {.alloc = counting_alloc, .free = counting_free, .user = &c};
            void *self = &c;
            tml_error err = {0};
            st = tml_linsolvers[s]->create(q.p, &env, &self, &err);
            if (st != TML_OK) {
                assert_int_equal(st, TML_ERR_NOMEM);
                assert_null(self);
                assert_true(strlen(err.msg) > 10);
            } else {
                const long before = c.calls;
                solution_error(tml_linsolvers[s], self, &q);
                tml_linsolvers[s]->rcond(self);
                assert_int_equal(c.calls, before);  // nothing allocates after create
                tml_linsolvers[s]->destroy(self);
            }
            assert_int_equal(c.live, 0);
            assert_true(k < 1000);
        }
    }
    problem_free(&q);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void test_large(void **state)  // cost is printed, not judged; the fill of a chain and a star is
{
    (void)state;
    const int32_t n[] = {500, 2000, 8000};
    for (int i = 0; i < 6; i++) {
        const bool chain = i < 3;
        problem q = problem_make(chain ? graph_chain(n[i % 3], 6, 5) : graph_star(n[i % 3], 6, 5), true);
        problem_fill(&q, false, 15);
        const double start = seconds();
        void *self = make_solver(&tml_linsolver_block, q.p);
        const double created = seconds();
        CHECK_SMALL(solution_error(&tml_linsolver_block, self, &q), 1e-9);  // eps / rcond
        tml_linsolver_info info;
        tml_linsolver_block.info(self, &info);
        print_message("%s of %d: create %.1f ms, factor and solve %.2f ms, %.0f entries per link\n",
                      chain ? "chain" : "star", (int)n[i % 3], 1e3 * (created - start),
                      1e3 * (seconds() - created), (double)info.nonzeros_factor / n[i % 3]);
        assert_true((double)info.nonzeros_factor <= 253.0 * n[i % 3] + 1000);  // 17^2 - 6^2 of a front 11 + 6
        tml_linsolver_block.destroy(self);
        problem_free(&q);
    }
}

static void test_table(void **state)
{
    (void)state;
    assert_ptr_equal(tml_linsolver_find("dense"), &tml_linsolver_dense);
    assert_ptr_equal(tml_linsolver_find("klu"), &tml_linsolver_klu);
    assert_ptr_equal(tml_linsolver_find("block"), &tml_linsolver_block);
    assert_ptr_equal(tml_linsolver_find("reduced"), &tml_linsolver_reduced);
    assert_ptr_equal(tml_linsolver_find("tree"), &tml_linsolver_tree);
    assert_null(tml_linsolver_find("Dense"));
    assert_null(tml_linsolver_find(NULL));
    for (int s = 0; tml_linsolvers[s]; s++) tml_linsolvers[s]->destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_mixed_sizes),
        cmocka_unit_test(test_large_fronts),
        cmocka_unit_test(test_one_by_one_and_no_joints),
        cmocka_unit_test(test_refactor),
        cmocka_unit_test(test_rcond),
        cmocka_unit_test(test_singular_body),
        cmocka_unit_test(test_redundant_row),
        cmocka_unit_test(test_redundant_joint),
        cmocka_unit_test(test_scaled_is_not_singular),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_recovers),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
