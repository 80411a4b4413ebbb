// The solvers that follow the topology, on symmetric matrices with uncoupled bodies: there they take their
// own way.
#include "linalg/graphs.h"
#include "linalg/topology/articulated.h"
#include "linalg/topology/cut_tree.h"
#include "linalg/topology/schur.h"

static const tml_linsolver_ops *const own[] = {&tml_linsolver_reduced, &tml_linsolver_tree};

// The pattern keeps a pointer to q->g.
static void problem_fill(problem *q, graph_def g, uint64_t seed)
{
    rng r = rng_seed(seed);
    *q = (problem){.g = g};
    q->g.both = true;
    q->p = graph_pattern(&q->g, false);
    if (!q->p) fail_msg("no pattern");
    problem_allocate(q);
    graph_values(&q->g, q->p, &r, 0, q->values);
    graph_symmetrize(q->p, q->values);
    problem_set_solution(q, &r);
}

// own_way: neither solver may fall back to block LU
static void check_solution(graph_def g, uint64_t seed, bool own_way)
{
    problem q;
    problem_fill(&q, g, seed);
    for (int s = 0; s < 2; s++) {
        void *self = make_solver(own[s], q.p);
        const double e = solution_error(own[s], self, &q), rcond = own[s]->rcond(self);
        assert_true(rcond > 0 && rcond <= 1);
        if (!(e <= 2000 * 2.2e-16 / rcond))
            fail_msg("%s: error %g, rcond %g, seed %d", own[s]->name, e, rcond, (int)seed);
        tml_linsolver_info info;
        own[s]->info(self, &info);
        if (own_way) assert_true(info.growth == 0);  // not known on their own way; block LU would give it
        assert_true(info.flops_factor > 0 && info.nonzeros_factor > 0);
        own[s]->destroy(self);
    }
    problem_free(&q);
}

static void test_graphs(void **state)
{
    (void)state;
    const int32_t sizes[][2] = {{6, 5}, {3, 2}, {1, 1}, {6, 3}, {6, 1}, {2, 2},
                                {4, 3}, {6, 6}, {5, 4}, {7, 3}, {9, 8}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int32_t nb = sizes[i][0], nj = sizes[i][1];
        for (uint64_t seed = 1; seed <= 3; seed++) {
            check_solution(graph_chain(17, nb, nj), seed, true);
            check_solution(graph_star(13, nb, nj), seed, false);  // the reduced matrix is full
            if (nb >= 3) check_solution(graph_grid(4, 3, nb, 1), seed, true);
            if (nj < nb) check_solution(graph_ring(11, nb, nj), seed, true);
            check_solution(graph_alloc(3, 0, nb, 0), seed, true);
        }
    }
}

static graph_def random_graph(rng *r)
{
    const int32_t nb = 3 + (int32_t)(12 * rng_unit(r)), cuts = (int32_t)(nb / 2 * rng_unit(r));
    graph_def g = graph_alloc(nb, nb + cuts, 6, 1);
    for (int32_t b = 0; b < nb; b++) g.sizes[b] = 2 + (int32_t)(5 * rng_unit(r));
    for (int32_t k = 0; k < nb + cuts; k++) {
        g.a[k] = k < nb ? k : k - nb;  // a freedom of its own for each cut joint: none is redundant
        g.b[k] = (int32_t)((k < nb ? k + 1 : nb + 1) * rng_unit(r)) - 1;
        if (g.b[k] == g.a[k]) g.b[k] = -1;
        g.sizes[nb + k] = k < nb ? 1 + (int32_t)(rng_unit(r) * (g.sizes[k] - 1)) : 1;
    }
    return g;
}

// Cut joints of several rows whose loops overlap: bodies keep as many freedoms as the widest of them has
// rows.
static graph_def graph_of_wide_cuts(rng *r)
{
    const int32_t nb = 5 + (int32_t)(8 * rng_unit(r)), cuts = 2 + (int32_t)(nb / 3 * rng_unit(r));
    graph_def g = graph_alloc(nb, nb + cuts, 6, 3);
    for (int32_t k = 0; k < nb + cuts; k++) {
        g.a[k] = k < nb ? k : nb - 1 - (k - nb);
        g.b[k] = k < nb ? (int32_t)((k + 1) * rng_unit(r)) - 1 : (int32_t)(nb / 2 * rng_unit(r)) - 1;
        if (g.b[k] == g.a[k]) g.b[k] = -1;
        g.sizes[nb + k] = k < nb ? 3 : 2 + (int32_t)(2 * rng_unit(r));
    }
    return g;
}

static void test_random_trees_and_loops(void **state)
{
    (void)state;
    rng r = rng_seed(31);
    for (uint64_t trial = 0; trial < 300; trial++) check_solution(random_graph(&r), trial, true);
    for (uint64_t trial = 0; trial < 100; trial++) check_solution(graph_of_wide_cuts(&r), trial, true);
}

// ---- inactive rows
// -----------------------------------------------------------------------------------------

// Row r of joint j becomes one of the identity times d: its multiplier is what the diagonal says.
static void deactivate_row(problem *q, int32_t j, int32_t r, double d)
{
    const int32_t row = q->p->blockptr[q->g.nbodies + j] + r;
    for (int32_t i = 0; i < q->p->n; i++) {
        const int32_t a = tmli_pattern_find(q->p, row, i), b = tmli_pattern_find(q->p, i, row);
        if (a >= 0) q->values[a] = q->values[b] = i == row ? d : 0;
    }
}

static tmli_cut_tree cut_tree_of(const problem *q)
{
    tmli_saddle saddle = {0};
    tmli_cut_tree tree = {0};
    assert_int_equal(tmli_saddle_init(&saddle, q->p, NULL, NULL), TML_OK);
    assert_int_equal(tmli_cut_tree_init(&tree, &saddle, NULL, NULL), TML_OK);
    tmli_saddle_clear(&saddle);
    return tree;
}

typedef enum where { FIRST, LAST, WHOLE_JOINT, ANY, EVERYTHING, KINDS } where;

static bool chosen(rng *r, where kind, int32_t row, int32_t rows, bool joint)
{
    switch (kind) {
    case FIRST: return joint && row == 0;
    case LAST: return joint && row == rows - 1;
    case WHOLE_JOINT: return joint;
    case ANY: return rng_unit(r) < 0.4;
    default: return true;
    }
}

// Deactivates rows of cut joints or of all joints, with numbers of either sign; returns how many.
static int32_t deactivate_some(problem *q, const tmli_cut_tree *tree, rng *r, where kind, bool cuts_only)
{
    int32_t count = 0;
    for (int32_t j = 0; j < q->g.njoints; j++) {
        const int32_t rows = q->g.sizes[q->g.nbodies + j];
        const bool joint = rng_unit(r) < 0.6;
        if (cuts_only && !tree->cut[j]) continue;
        for (int32_t k = 0; k < rows; k++) {
            if (!chosen(r, kind, k, rows, joint)) continue;
            deactivate_row(q, j, k, rng_range(r, 0.5, 3) * (rng_unit(r) < 0.5 ? -1 : 1));
            count++;
        }
    }
    graph_multiply(q->p, q->values, q->x, q->b);
    return count;
}

// Both solvers against the known solution and against dense LU; of a cut joint's rows none leads away from
// their own ways.
static void check_inactive(graph_def g, rng *r, uint64_t seed, where kind, bool cuts_only)
{
    problem q;
    problem_fill(&q, g, seed);
    tmli_cut_tree tree = cut_tree_of(&q);
    const int32_t count = deactivate_some(&q, &tree, r, kind, cuts_only);
    void *dense = make_solver(&tml_linsolver_dense, q.p);
    const double exact = solution_error(&tml_linsolver_dense, dense, &q);
    const double bound = 2000 * 2.2e-16 / tml_linsolver_dense.rcond(dense);
    assert_true(exact <= bound);
    for (int s = 0; s < 2; s++) {
        void *self = make_solver(own[s], q.p);
        const double e = solution_error(own[s], self, &q);
        if (!(e <= bound))
            fail_msg("%s: error %g, dense LU %g, seed %d, %d inactive rows, kind %d", own[s]->name, e, exact,
                     (int)seed, (int)count, kind);
        tml_linsolver_info info;
        own[s]->info(self, &info);
        if (cuts_only) assert_true(info.growth == 0);
        own[s]->destroy(self);
    }
    tml_linsolver_dense.destroy(dense);
    tmli_cut_tree_clear(&tree);
    problem_free(&q);
}

static void test_inactive_rows(void **state)
{
    (void)state;
    rng r = rng_seed(83);
    for (uint64_t trial = 0; trial < 120; trial++) {
        const where kind = (where)(trial % KINDS);
        for (int cuts_only = 0; cuts_only < 2; cuts_only++) {
            check_inactive(graph_of_wide_cuts(&r), &r, trial, kind, cuts_only);
            check_inactive(random_graph(&r), &r, trial, kind, cuts_only);
            check_inactive(graph_ring(9, 6, 3), &r, trial, kind, cuts_only);
            check_inactive(graph_ring(4, 3, 2), &r, trial, kind, cuts_only);  // a planar four-bar
        }
    }
}

// A chain of five bodies with three rods. The row of the last is made of others: of the two other rods
// between the same ends, or of the hinge that holds the last body.
static void repeated_rod(problem *q, uint64_t seed, bool hinge)
{
    graph_def g = graph_alloc(5, 8, 6, 5);
    for (int32_t k = 0; k < 8; k++) {
        g.a[k] = k < 5 ? k : 4;
        g.b[k] = k < 5 ? k - 1 : k == 7 && hinge ? 3 : 0;
        if (k >= 5) g.sizes[5 + k] = 1;
    }
    problem_fill(q, g, seed);
    const int32_t *block = q->p->blockptr + 5, first = hinge ? block[4] : block[5],
                  end = hinge ? block[5] : block[7];
    for (int32_t i = 0; i < q->p->blockptr[5]; i++) {
        const int32_t to = tmli_pattern_find(q->p, block[7], i);
        double sum = 0;
        for (int32_t r = first; r < end && to >= 0; r++)
            sum += (0.3 + 0.4 * (r - first)) * q->values[tmli_pattern_find(q->p, r, i)];
        if (to >= 0) q->values[to] = q->values[tmli_pattern_find(q->p, i, block[7])] = sum;
    }
}

// Nobody may take what is left of that row's pivot for a number. Without the row all is well.
static void test_repeated_cut(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 100; trial++) {
        problem q;
        repeated_rod(&q, trial / 2, trial % 2);
        tml_linsolver_info info;
        for (int s = 0; s < 2; s++) {
            void *self = make_solver(own[s], q.p);
            const tml_status st = own[s]->factor(self, q.values, NULL);
            own[s]->info(self, &info);
            if (st == TML_OK && info.growth == 0)
                fail_msg("%s, trial %d: singular and factored", own[s]->name, (int)trial);
            own[s]->destroy(self);
        }
        deactivate_row(&q, 7, 0, -1);
        graph_multiply(q.p, q.values, q.x, q.b);
        for (int s = 0; s < 2; s++) {
            void *self = make_solver(own[s], q.p);
            CHECK_SMALL(solution_error(own[s], self, &q), 1e-9);  // eps / rcond
            own[s]->info(self, &info);
            assert_true(info.growth == 0);
            own[s]->destroy(self);
        }
        problem_free(&q);
    }
}

// A body with a negative block: neither way of their own has a root for it, and block LU helps, promised
// symmetry or not.
static void test_indefinite_body(void **state)
{
    (void)state;
    problem q;
    problem_fill(&q, graph_chain(8, 6, 3), 7);
    const int32_t first = q.p->blockptr[3];
    for (int32_t i = 0; i < 6; i++)
        for (int32_t j = 0; j < 6; j++) q.values[tmli_pattern_find(q.p, first + i, first + j)] *= -9;
    graph_multiply(q.p, q.values, q.x, q.b);
    double *y = malloc((size_t)q.p->n * sizeof *y);
    for (int s = 0; s < 2; s++) {
        void *self = make_solver(own[s], q.p);
        CHECK_SMALL(solution_error(own[s], self, &q), 1e-9);  // eps / rcond
        tml_linsolver_info info;
        own[s]->info(self, &info);
        assert_true(info.growth > 0);  // of block LU
        memcpy(y, q.b, (size_t)q.p->n * sizeof *y);
        assert_int_equal(own[s]->factor_symmetric(self, q.values, NULL), TML_OK);
        own[s]->solve(self, y);
        for (int32_t i = 0; i < q.p->n; i++) CHECK_CLOSE(y[i], q.x[i], 1e-9);
        own[s]->destroy(self);
    }
    free(y);
    problem_free(&q);
}

// A body without mass is no obstacle in joint coordinates if the motions its joint leaves it move mass; else
// block LU helps.
static void test_massless_body(void **state)
{
    (void)state;
    problem q;
    problem_fill(&q, graph_chain(8, 6, 5), 7);
    const int32_t first = q.p->blockptr[3];
    for (int32_t i = 0; i < 6; i++)
        for (int32_t j = 0; j < 6; j++) q.values[tmli_pattern_find(q.p, first + i, first + j)] = 0;
    graph_multiply(q.p, q.values, q.x, q.b);
    void *self = make_solver(&tml_linsolver_tree, q.p);
    CHECK_SMALL(solution_error(&tml_linsolver_tree, self, &q), 1e-11);  // eps / rcond
    tml_linsolver_info info;
    tml_linsolver_tree.info(self, &info);
    assert_true(info.growth == 0);
    tml_linsolver_tree.destroy(self);
    problem_free(&q);
}

// The promise of symmetry changes no bit; one entry off the symmetry is noticed without it.
static void test_promised_symmetry(void **state)
{
    (void)state;
    problem q;
    problem_fill(&q, graph_grid(4, 4, 6, 1), 5);
    const size_t n = (size_t)q.p->n;
    const size_t nnz = (size_t)tmli_pattern_nnz(q.p);
    double *x = malloc(2 * n * sizeof *x), *y = x + n, *other = malloc(nnz * sizeof *other);
    for (size_t i = 0; i < nnz; i++) other[i] = 3 * q.values[i];
    for (int s = 0; s < 2; s++) {
        void *self = make_solver(own[s], q.p);
        memcpy(x, q.b, n * sizeof *x);
        memcpy(y, q.b, n * sizeof *x);
        assert_int_equal(own[s]->factor(self, q.values, NULL), TML_OK);
        own[s]->solve(self, x);
        assert_int_equal(own[s]->factor(self, other, NULL), TML_OK);  // nothing is left of the factors before
        assert_int_equal(own[s]->factor_symmetric(self, q.values, NULL), TML_OK);
        own[s]->solve(self, y);
        assert_memory_equal(x, y, n * sizeof *x);
        assert_true(own[s]->rcond(self) == 0);

        const int32_t at = tmli_pattern_find(q.p, q.p->blockptr[20], q.p->blockptr[q.g.a[4]]);
        const double kept = q.values[at];
        q.values[at] += 0.2;
        graph_multiply(q.p, q.values, q.x, y);
        assert_int_equal(own[s]->factor(self, q.values, NULL), TML_OK);
        own[s]->solve(self, y);
        for (size_t i = 0; i < n; i++) CHECK_SMALL(y[i] - q.x[i], 1e-11);  // eps / rcond
        q.values[at] = kept;
        own[s]->destroy(self);
    }
    free(other);
    free(x);
    problem_free(&q);
}

// Long cut paths: a chain whose bodies are all tied to the ground as well. The tree's own way would cost
// O(n^3).
static void test_unsuited_topology(void **state)
{
    (void)state;
    const int32_t n = 400;
    graph_def g = graph_alloc(n, 2 * n, 6, 4);
    for (int32_t i = 0; i < n; i++) {
        g.a[i] = g.a[n + i] = i;
        g.b[i] = i - 1;
        g.b[n + i] = -1;
        g.sizes[2 * n + i] = 1;
    }
    check_solution(g, 3, false);
}

// A free hub with `arms` chains of `length` bodies; the ends of neighbouring chains are tied by a row if
// closed.
static graph_def hub(int32_t arms, int32_t length, bool closed)
{
    graph_def g = graph_alloc(1 + arms * length, arms * length + (closed ? arms / 2 : 0), 6, 5);
    for (int32_t k = 0; k < arms * length; k++) {
        g.a[k] = k + 1;
        g.b[k] = k % length == 0 ? 0 : k;
    }
    for (int32_t k = 0; k < arms / 2 && closed; k++) {
        g.a[arms * length + k] = (2 * k + 1) * length;
        g.b[arms * length + k] = (2 * k + 2) * length;
        g.sizes[g.nbodies + arms * length + k] = 1;
    }
    return g;
}

static void test_threads_change_no_bit(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        problem q;
        problem_fill(&q, hub(12, 60, closed), 9);
        const size_t n = (size_t)q.p->n;
        double *x = malloc(2 * n * sizeof *x), *y = x + n;
        void *self = make_solver(&tml_linsolver_tree, q.p);
        CHECK_SMALL(solution_error(&tml_linsolver_tree, self, &q),
                    1e-7);  // eps / rcond: long chains on a light hub
        memcpy(x, q.b, n * sizeof *x);
        tml_linsolver_tree.solve(self, x);
        const int threads[] = {2, 3, 0, 8, 1};
        for (int i = 0; i < 5; i++) {
            assert_int_equal(tml_linsolver_tree.set_threads(self, threads[i], NULL), TML_OK);
            for (int round = 0; round < 20; round++) {
                assert_int_equal(tml_linsolver_tree.factor_symmetric(self, q.values, NULL), TML_OK);
                memcpy(y, q.b, n * sizeof *x);
                tml_linsolver_tree.solve(self, y);
                assert_memory_equal(x, y, n * sizeof *x);
            }
        }
        tml_linsolver_info info;
        tml_linsolver_tree.info(self, &info);
        assert_true(info.growth == 0);
        tml_linsolver_tree.destroy(self);
        free(x);
        problem_free(&q);
    }
}

// The subtrees that may run at the same time: a hub with twelve long arms has that many, and each holds whole
// arms.
static void test_tasks(void **state)
{
    (void)state;
    problem q;
    problem_fill(&q, hub(12, 60, false), 9);
    tmli_saddle saddle = {0};
    tmli_articulated t = {0};
    assert_int_equal(tmli_saddle_init(&saddle, q.p, NULL, NULL), TML_OK);
    assert_int_equal(tmli_articulated_init(&t, &saddle, INFINITY, SIZE_MAX, NULL, NULL), TML_OK);
    assert_true(t.possible);
    assert_int_equal(t.ntasks, 12);
    const double flops = t.flops;
    const size_t size = t.size;
    tmli_articulated_clear(&t);
    // what takes more than allowed is not kept
    for (int k = 0; k < 2; k++) {
        t = (tmli_articulated){0};
        assert_int_equal(tmli_articulated_init(&t, &saddle, k ? INFINITY : 0.99 * flops,
                                               k ? size / 2 : SIZE_MAX, NULL, NULL),
                         TML_OK);
        assert_false(t.possible);
        assert_null(t.step);
        assert_false(tmli_articulated_factor(&t, NULL));
        tmli_articulated_clear(&t);
    }
    tmli_saddle_clear(&saddle);
    problem_free(&q);
}

// Joints numbered 1, 50, 2, 49, ... along a chain of 50 (thesis, Figure 5b): the order along the chain is
// found again.
static void test_scrambled_chain(void **state)
{
    (void)state;
    const int32_t n = 50;
    graph_def g = graph_alloc(n, n, 3, 2);
    for (int32_t k = 0; k < n; k++) {
        const int32_t at = k % 2 ? n - 1 - k / 2 : k / 2;  // number of the k-th joint from the ground
        g.a[at] = k;
        g.b[at] = k - 1;
    }
    problem q;
    problem_fill(&q, g, 1);
    tmli_saddle saddle = {0};
    tmli_graph joints = {0};
    tmli_envelope best, all[TMLI_ENVELOPE_ORDERS];
    int32_t perm[50];
    assert_int_equal(tmli_saddle_init(&saddle, q.p, NULL, NULL), TML_OK);
    assert_int_equal(tmli_schur_graph(&saddle, &joints, NULL, NULL), TML_OK);
    assert_int_equal(tmli_envelope_order(&joints, perm, &best, all, NULL, NULL), TML_OK);
    assert_true(best.profile == 4 * (n - 1));  // blocks of 2 x 2 beside the diagonal
    assert_string_equal(all[0].name, "natural");
    assert_true(all[0].profile > 10 * best.profile);
    for (int i = 1; i < TMLI_ENVELOPE_ORDERS; i++) assert_true(all[i].profile == best.profile);
    uint8_t seen[50] = {0};
    for (int32_t k = 0; k < n; k++) assert_true(!seen[perm[k]]++);
    tmli_schur_graph_clear(&joints, NULL);
    tmli_saddle_clear(&saddle);
    problem_free(&q);
}

// A free hub with three arms: hinge (5 rows), ball (3) and rod (1) chosen by rows; two ways to one body leave
// one cut.
static void test_cut_tree(void **state)
{
    (void)state;
    graph_def g = graph_alloc(4, 5, 6, 5);
    const int32_t a[] = {1, 2, 3, 3, 3}, b[] = {0, 1, 0, 2, 0}, rows[] = {5, 3, 1, 3, 1};
    for (int k = 0; k < 5; k++) g.a[k] = a[k], g.b[k] = b[k], g.sizes[4 + k] = rows[k];
    problem q;
    problem_fill(&q, g, 1);
    tmli_saddle saddle = {0};
    tmli_cut_tree tree = {0};
    assert_int_equal(tmli_saddle_init(&saddle, q.p, NULL, NULL), TML_OK);
    assert_int_equal(tmli_cut_tree_init(&tree, &saddle, NULL, NULL), TML_OK);
    const int32_t parent[] = {-1, 0, 1, 2}, joint[] = {-1, 0, 1, 3};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tree.parent[i], parent[i]);
        assert_int_equal(tree.joint[i], joint[i]);
        if (i > 0) assert_true(tree.position[i] < tree.position[parent[i]]);
    }
    assert_int_equal(tree.ncuts, 2);
    assert_true(tree.cut[2] && tree.cut[4] &&
                tree.position[4 + 2] > tree.position[0]);  // rods to the hub: after the hub
    tmli_cut_tree_clear(&tree);
    tmli_saddle_clear(&saddle);
    problem_free(&q);
}

// Bodies 0 .. 6 are a chain from the ground, 7 and 8 a branch on its first body, 9 hangs on the ground by
// itself: each on its own joint, the first of all too. A rod from the third body to the sixth is eliminated
// right after the third, where its two paths meet; one between the branches after the first body; one between
// two trees after the roots of both.
static void test_meeting_places(void **state)
{
    (void)state;
    enum { BODIES = 10 };
    static const int32_t parent[BODIES] = {-1, 0, 1, 2, 3, 4, 5, 0, 7, -1},
                         rod[3][2] = {{5, 2}, {8, 4}, {9, 6}};
    graph_def g = graph_alloc(BODIES, BODIES + 3, 6, 5);
    for (int32_t k = 0; k < BODIES; k++) g.a[k] = k, g.b[k] = parent[k];
    for (int32_t k = 0; k < 3; k++)
        g.a[BODIES + k] = rod[k][0], g.b[BODIES + k] = rod[k][1], g.sizes[2 * BODIES + k] = 1;
    problem q;
    problem_fill(&q, g, 1);
    tmli_saddle saddle = {0};
    tmli_cut_tree tree = {0};
    assert_int_equal(tmli_saddle_init(&saddle, q.p, NULL, NULL), TML_OK);
    assert_int_equal(tmli_cut_tree_init(&tree, &saddle, NULL, NULL), TML_OK);
    assert_int_equal(tree.ncuts, 3);
    for (int32_t b = 0; b < BODIES; b++) {
        assert_int_equal(tree.joint[b], b);
        assert_int_equal(tree.parent[b], parent[b]);
        assert_false(tree.cut[b]);
        assert_int_equal(tree.order[tree.position[b]], b);
    }
    const int32_t *at = tree.position + 2 * BODIES;
    assert_int_equal(at[0], tree.position[2] + 1);
    assert_int_equal(at[1], tree.position[0] + 1);
    assert_true(at[2] > tree.position[0] && at[2] > tree.position[9]);
    tmli_cut_tree_clear(&tree);
    tmli_saddle_clear(&saddle);
    problem_free(&q);
}

// Orders of a ladder of 2 x 40 bodies whose joints are numbered at random, by how much they leave to fill:
// those that look for a far end begin there, and stay close to the best, a front that moves along the ladder.
static void test_envelope_of_a_ladder(void **state)
{
    (void)state;
    rng r = rng_seed(77);
    graph_def g = graph_grid(40, 2, 3, 1);
    for (int32_t k = g.njoints - 1; k > 0; k--) {
        const int32_t i = (int32_t)((k + 1) * rng_unit(&r)), a = g.a[k], b = g.b[k];
        g.a[k] = g.a[i], g.b[k] = g.b[i], g.a[i] = a, g.b[i] = b;
    }
    problem q;
    problem_fill(&q, g, 1);
    tmli_saddle saddle = {0};
    tmli_graph joints = {0};
    tmli_envelope best, all[TMLI_ENVELOPE_ORDERS];
    int32_t perm[200];
    assert_int_equal(tmli_saddle_init(&saddle, q.p, NULL, NULL), TML_OK);
    assert_int_equal(tmli_schur_graph(&saddle, &joints, NULL, NULL), TML_OK);
    assert_int_equal(tmli_envelope_order(&joints, perm, &best, all, NULL, NULL), TML_OK);
    assert_true(all[0].profile > 4000 && best.profile <= 309);  // 118 joints, some 2.6 behind each
    for (int i = 1; i < TMLI_ENVELOPE_ORDERS; i++) assert_true(all[i].profile <= 384);
    tmli_schur_graph_clear(&joints, NULL);
    tmli_saddle_clear(&saddle);
    problem_free(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_random_trees_and_loops),
        cmocka_unit_test(test_inactive_rows),
        cmocka_unit_test(test_repeated_cut),
        cmocka_unit_test(test_indefinite_body),
        cmocka_unit_test(test_massless_body),
        cmocka_unit_test(test_promised_symmetry),
        cmocka_unit_test(test_unsuited_topology),
        cmocka_unit_test(test_threads_change_no_bit),
        cmocka_unit_test(test_scrambled_chain),
        cmocka_unit_test(test_cut_tree),
        cmocka_unit_test(test_meeting_places),
        cmocka_unit_test(test_envelope_of_a_ladder),
        cmocka_unit_test(test_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
