// Routines of LAPACK are called by one thread at a time: OpenBLAS without threads of its own gives two that
// enter together the same work memory.
#define _GNU_SOURCE  // RTLD_NEXT
#include "linalg/dense/lapack.h"
#include "support/support.h"
#include <trammel/linsolver.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <time.h>

enum { N = 160, THREADS = 4, ROUNDS = 3 };

static atomic_int inside, most, calls;

// In place of the library's: sees how many threads are in it, and stays long enough that others would come.
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info)
{
    static _Thread_local void (*routine)(const int *, const int *, double *, const int *, int *, int *);
    if (!routine) *(void **)&routine = dlsym(RTLD_NEXT, "dgetrf_");
    const int now = atomic_fetch_add(&inside, 1) + 1;
    if (now > most) most = now;
    calls++;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    routine(m, n, a, lda, ipiv, info);
    atomic_fetch_sub(&inside, 1);
}

typedef struct job {
    const tml_linsolver_ops *ops;
    double x[N];
    bool good;
} job;

static int32_t colptr[N + 1], rowind[N * N];
static double values[N * N];
static const int32_t blockptr[] = {0, N}, none[] = {0, 0};
static const uint8_t multiplier[] = {0};
static const tml_pattern pattern = {.n = N,
                                    .colptr = colptr,
                                    .rowind = rowind,
                                    .nblocks = 1,
                                    .blockptr = blockptr,
                                    .multiplier = multiplier,
                                    .afterptr = none,
                                    .afterind = none};

// No assertions in here: cmocka's belong to the main thread.
static void solve(void *arg, int worker)
{
    job *j = (job *)arg + worker;
    void *lin = NULL;
    j->good = j->ops->create(&pattern, NULL, &lin, NULL) == TML_OK;
    for (int round = 0; round < ROUNDS && j->good; round++) {
        for (int i = 0; i < N; i++) j->x[i] = 1.0 / (i + 3);
        j->good = j->ops->factor(lin, values, NULL) == TML_OK;
        if (j->good) j->ops->solve(lin, j->x);
    }
    if (lin) j->ops->destroy(lin);
}

static void one_thread_at_a_time(void **state)
{
    (void)state;
    const tml_linsolver_ops *const solvers[] = {&tml_linsolver_dense, &tml_linsolver_block};
    for (int i = 0; i < N * N; i++) {
        rowind[i] = i % N;
        values[i] = (i % N == i / N ? 9 : 0) + (double)(i * 7919 % 1009) / 1009;
        colptr[i / N + 1] = i + 1;
    }
    for (int k = 0; k < 2; k++) {
        tmli_pool *pool = NULL;
        static job alone, together[THREADS];
        alone = (job){.ops = solvers[k]};
        solve(&alone, 0);
        assert_true(alone.good);
        calls = most = 0;
        assert_int_equal(tmli_pool_create(THREADS, NULL, &pool, NULL), TML_OK);
        assert_int_equal(tmli_pool_threads(pool), THREADS);
        for (int i = 0; i < THREADS; i++) together[i] = (job){.ops = solvers[k]};
        tmli_pool_run(pool, solve, together);
        tmli_pool_destroy(pool);
        for (int i = 0; i < THREADS; i++) {
            assert_true(together[i].good);
            assert_memory_equal(together[i].x, alone.x, sizeof alone.x);
        }
        assert_int_equal(calls, THREADS * ROUNDS);
        assert_int_equal(most, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_thread_at_a_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
