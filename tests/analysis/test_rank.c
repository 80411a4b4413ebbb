// Rank of the constraint Jacobian: known counts, names of what repeats what, independence of units.
#include "check_models.h"

#include "analysis/rank.h"

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
    for (int d = 0; d < 3; d++) {     // all three are rows of the joint that closes the loop
        char name[160];
        sys->row_name(sys, k.dependent[d], name, sizeof name);
        assert_non_null(strstr(name, "pin_d"));
    }
    assert_true(k.dependent[0] < k.dependent[1] && k.dependent[1] < k.dependent[2]);
    tmli_rank_clear(&k);
    tml_model_destroy(model);
}

// The combination in coef really gives the dependent row.
static void combination_reproduces_row(void **state)
{
    (void)state;
    tml_model *model = four_bar(false, TML_JOINT_REVOLUTE);
    const tml_system *sys = tml_model_system(model);
    tmli_rank k = rank_at_start(sys, model);
    tml_state *x = NULL;
    OK(tml_state_create(sys, &x, err));
    tml_model_start(model, 0, x);
    void *w = sys->ops->create_work(sys->self, &sys->env);
    double rows[1000], dense[20][18] = {{0}};
    assert_true(sys->rowptr[sys->m] <= 1000);
    OK(sys->ops->rows(sys->self, w, x, rows, err));
    for (int r = 0; r < 20; r++)
        for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1]; i++)
            dense[r][sys->rowcol[i]] = rows[i] * k.unit[sys->rowcol[i]] / k.norm[r];
    for (int d = 0; d < 3; d++) {
        double size = 0;
        for (int j = 0; j < 18; j++) {
            double sum = 0;
            for (int r = 0; r < 20; r++) sum += k.coef[d * 20 + r] * dense[r][j];
            CHECK_CLOSE(sum, dense[k.dependent[d]][j], 3e-5);  // coefficients below 1e-6 are dropped, 20 of them
            size += fabs(sum);
        }
        assert_true(size > 0.5);
        for (int e = 0; e < 3; e++) assert_true(k.coef[d * 20 + k.dependent[e]] == 0);
    }
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
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

// The rank does not depend on the unit of length, nor on the size of a row.
typedef struct scaled {
    double unit, row;
} scaled;

static tml_status unit_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    for (int i = 0; i < 4; i++) M[5 * i] = 0.7 + i;
    return TML_OK;
}
static tml_status no_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)q, (void)u, (void)user;
    memset(f, 0, 4 * sizeof *f);
    return TML_OK;
}
static tml_status three_rows(double t, const double *q, double *phi, void *user)
{
    (void)t;
    const scaled *s = user;
    phi[0] = (q[0] * q[0] + q[1] * q[1]) / (s->unit * s->unit) - 1;
    phi[1] = (q[2] - 0.31 * q[3]) / s->unit;
    phi[2] = s->row * (3 * phi[0] - 1.7 * phi[1]);
    return TML_OK;
}

static void units_do_not_matter(void **state)
{
    (void)state;
    for (int trial = 0; trial < 4; trial++) {
        scaled s = {.unit = trial % 2 ? 1e3 : 1e-3, .row = trial / 2 ? 1e6 : 1e-6};
        tml_user_system_def def = tml_user_system_def_default();
        def.n = 4;
        def.m = 3;
        def.length = s.unit;
        def.mass = unit_mass;
        def.force = no_force;
        def.constraint = three_rows;
        def.user = &s;
        tml_system *sys = NULL;
        tml_state *x = NULL;
        tmli_rank k;
        OK(tml_system_create_user(&def, NULL, &sys, err));
        OK(tml_state_create(sys, &x, err));
        const double q[4] = {0.6 * s.unit, 0.8 * s.unit, 0.31 * 0.57 * s.unit, 0.57 * s.unit};
        memcpy(x->q, q, sizeof q);
        void *w = sys->ops->create_work(sys->self, &sys->env);
        OK(tmli_rank_calc(sys, w, x, &k, err));
        assert_int_equal(k.rank, 2);
        assert_int_equal(k.dependent[0], 2);
        // row 2 = row factor * (3 B0 - 1.7 B1), all in normalized rows; B by differences, good to 1e-8
        CHECK_CLOSE(k.coef[0] * k.norm[2] / k.norm[0] / s.row, 3, 1e-6);
        CHECK_CLOSE(k.coef[1] * k.norm[2] / k.norm[1] / s.row, -1.7, 1e-6);
        tmli_rank_clear(&k);
        sys->ops->destroy_work(w);
        tml_state_destroy(x, sys);
        tml_system_destroy(sys);
    }
}

// A row without any derivative (the top of a parabola) depends on nothing.
static tml_status flat_row(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = q[0] - 0.2 * q[3];
    phi[1] = q[1] * q[1];
    phi[2] = q[2] + q[3];
    return TML_OK;
}
static tml_status flat_jacobian(double t, const double *q, double *B, void *user)
{
    (void)t, (void)user;
    B[0] = 1;
    B[3] = -0.2;
    B[5] = 2 * q[1];
    B[10] = B[11] = 1;
    return TML_OK;
}

static void vanishing_row(void **state)
{
    (void)state;
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 4;
    def.m = 3;
    def.mass = unit_mass;
    def.force = no_force;
    def.constraint = flat_row;
    def.constraint_jacobian = flat_jacobian;
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tmli_rank k;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    OK(tml_state_create(sys, &x, err));
    void *w = sys->ops->create_work(sys->self, &sys->env);
    OK(tmli_rank_calc(sys, w, x, &k, err));
    assert_int_equal(k.rank, 2);
    assert_int_equal(k.dependent[0], 1);
    for (int r = 0; r < 3; r++) assert_true(k.coef[r] == 0);
    tmli_rank_clear(&k);
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
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
        cmocka_unit_test(four_bar_spatial), cmocka_unit_test(combination_reproduces_row),
        cmocka_unit_test(four_bar_others),  cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(vanishing_row),    cmocka_unit_test(too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
