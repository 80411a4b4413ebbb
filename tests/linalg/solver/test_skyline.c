// The skyline solver of the laboratory (tests/linalg/skyline.h) against known solutions and KLU: right where
// no pivot is needed, lost where one is.
#include "linalg/graphs.h"
#include "linalg/skyline.h"

static void solves_like_the_others(void **state)
{
    (void)state;
    for (uint64_t trial = 1; trial <= 20; trial++) {
        rng r = rng_seed(trial);
        tml_error err = {0};
        problem q = {.g = trial % 2 ? graph_chain(11, 6, 5) : graph_ring(9, 6, 4)};
        q.g.augmented = trial % 3 == 0;
        q.g.penalty = 1.3;
        q.p = graph_pattern_env(&q.g, true, NULL, &err);
        if (!q.p) fail_msg("%s", err.msg);
        problem_allocate(&q);
        graph_values(&q.g, q.p, &r, 0.02, q.values);
        problem_set_solution(&q, &r);
        void *self = make_solver(&SKYLINE, q.p), *klu = make_solver(&tml_linsolver_klu, q.p);
        tml_linsolver_info info;
        const double e = solution_error(&SKYLINE, self, &q);
        solution_error(&tml_linsolver_klu, klu, &q);
        SKYLINE.info(self, &info);
        CHECK_SMALL(e, 200 * fmax(1, info.growth) * 2.2e-16 / tml_linsolver_klu.rcond(klu));
        SKYLINE.destroy(self);
        tml_linsolver_klu.destroy(klu);
        problem_free(&q);
    }
}

// The matrix (36) of the paper: regular, with a zero where a coordinate without inertia is eliminated.
static void needs_augmentation(void **state)
{
    (void)state;
    const int32_t edges[] = {0, 1}, after[] = {0, 0, 1}, before[] = {0};
    tml_pattern *p = NULL;
    tml_error err = {0};
    assert_int_equal(tmli_pattern_create(2, (int32_t[]){2, 1}, (uint8_t[]){0, 1}, 1, edges, after, before,
                                         NULL, NULL, NULL, &p, &err),
                     TML_OK);
    void *self = make_solver(&SKYLINE, p);
    // columns of [1 0 0.7; 0 0 0.4; 0.7 0.4 0]
    const double without[9] = {1, 0, 0.7, 0, 0, 0.4, 0.7, 0.4, 0};
    assert_int_equal(SKYLINE.factor(self, without, &err), TML_ERR_SINGULAR);
    double with[9], x[3] = {1 * 0.3 + 0.7 * 0.9, 0.4 * 0.9, 0.7 * 0.3 + 0.4 * -0.2};
    memcpy(with, without, sizeof with);
    for (int i = 0; i < 2; i++)  // + B' B, and the right-hand side with it
        for (int j = 0; j < 2; j++) with[3 * j + i] += without[6 + i] * without[6 + j];
    for (int i = 0; i < 2; i++) x[i] += without[6 + i] * x[2];
    assert_int_equal(SKYLINE.factor(self, with, &err), TML_OK);
    SKYLINE.solve(self, x);
    CHECK_CLOSE(x[0], 0.3, 1e-14);
    CHECK_CLOSE(x[1], -0.2, 1e-14);
    CHECK_CLOSE(x[2], 0.9, 1e-14);
    SKYLINE.destroy(self);
    tmli_pattern_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_like_the_others),
        cmocka_unit_test(needs_augmentation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
