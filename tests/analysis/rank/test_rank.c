// Rank of the constraint Jacobian: known counts.
#include "analysis/check_models.h"

#include "analysis/rank/rank.h"

static tmli_rank rank_at_start(const tml_system *sys, const tml_model *model)
{
    tml_state *x = NULL;
    tmli_rank k;
    OK(tml_state_create(sys, &x, err));
    tml_model_start(model, 0, x);
    void *w = sys->ops->create_work(sys->self, &sys->env);
    assert_non_null(w);
    OK(tmli_rank_calc(sys, w, x, &k, err));
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
    return k;
}

static void four_bar_spatial(void **state)
{
    (void)state;
    tml_model *model = four_bar(false, TML_JOINT_REVOLUTE);
    const tml_system *sys = tml_model_system(model);
    tmli_rank k = rank_at_start(sys, model);
    assert_int_equal(k.n, 18);
    assert_int_equal(k.m, 20);
    assert_int_equal(k.rank, 17);
    CHECK_CLOSE(k.pivot[0], 1, 1e-14);  // rows are normalized
    assert_true(k.pivot[16] > 1e-3);
    CHECK_SMALL(k.pivot[17], 1e-13);  // round-off of a configuration given to 1e-16
    tmli_rank_clear(&k);
    tml_model_destroy(model);
}

// Two ways to build it without repetition: spherical instead of the last revolute leaves one, planar none.
static void four_bar_others(void **state)
{
    (void)state;
    tml_model *model = four_bar(false, TML_JOINT_SPHERICAL);
    tmli_rank k = rank_at_start(tml_model_system(model), model);
    assert_int_equal(k.m, 18);
    assert_int_equal(k.rank, 17);
    tmli_rank_clear(&k);
    tml_model_destroy(model);
    model = four_bar(true, TML_JOINT_REVOLUTE);
    k = rank_at_start(tml_model_system(model), model);
    assert_int_equal(k.n, 9);
    assert_int_equal(k.m, 8);
    assert_int_equal(k.rank, 8);
    tmli_rank_clear(&k);
    tml_model_destroy(model);
}

static void too_large(void **state)
{
    (void)state;
    tml_model *model = pendulum(0.3);
    tml_system big = *tml_model_system(model);
    tmli_rank k;
    tml_error err = {0};
    big.m = TMLI_RANK_ROWS + 1;
    assert_int_equal(tmli_rank_calc(&big, NULL, NULL, &k, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "3001"));
    tmli_rank_clear(&k);
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bar_spatial),
        cmocka_unit_test(four_bar_others),
        cmocka_unit_test(too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
