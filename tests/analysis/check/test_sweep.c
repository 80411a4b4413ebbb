// Sweeps against positions known in closed form: flat parallelograms, a slider pushed beyond reach, full
// cycles; sums of squares.
#include "analysis/check_models.h"

#include "analysis/assembly/conflict.h"
#include "analysis/check/sweep.h"
#include <trammel/check.h>

static tml_check *check_of(const tml_model *model)
{
    tml_check *c = NULL;
    OK(tml_check_create(model, 0, &c, err));
    return c;
}

// A parallelogram, cranks of length 0.4 at an angle a from the base of 1.1, times size; planar or of hinges
// in space.
static tml_model *parallelogram(bool planar, double a, double size)
{
    const double x = 0.4 * size * cos(a), y = 0.4 * size * sin(a), base = 1.1 * size;
    tml_spec *spec = new_spec(0, 0, 0);
    tml_spec_set_planar(spec, planar);
    add_body(spec, bar("crank", 1.31, 0, 0, x, y));
    add_body(spec, bar("coupler", 2.07, x, y, x + base, y));
    add_body(spec, bar("rocker", 1.73, x + base, y, base, 0));
    add_joint(spec, "pin_a", TML_JOINT_REVOLUTE, "ground", "crank", 0, 0, 0);
    add_joint(spec, "pin_b", TML_JOINT_REVOLUTE, "crank", "coupler", x, y, 0);
    add_joint(spec, "pin_c", TML_JOINT_REVOLUTE, "coupler", "rocker", x + base, y, 0);
    add_joint(spec, "pin_d", TML_JOINT_REVOLUTE, "rocker", "ground", base, 0, 0);
    return build(spec);
}

// It lies flat at 0 and 180 degrees, whatever rows are repeated and at any size; the nearer one is called so.
static void flat_parallelogram(void **state)
{
    (void)state;
    static const double sizes[] = {1, 2000, 1e-3};
    for (int trial = 0; trial < 18; trial++) {
        const bool planar = trial % 2;
        const double a = 0.31 + 1.07 * (trial / 2 % 3);  // [rad] from the base; pin_a.angle counts from here
        tml_model *model = parallelogram(planar, a, sizes[trial / 6]);
        tml_check *c = check_of(model);
        assert_true(c->loops);
        assert_int_equal(c->sweep_count, 2);
        assert_true(c->nearest >= 0);
        double way[2];
        for (int i = 0; i < 2; i++) {
            const tml_check_sweep *s = &c->sweeps[i];
            assert_true(s->singular && s->passes);
            assert_int_equal(s->rank_before - s->rank_there, 1);
            assert_int_equal(s->rank_before, planar ? 8 : 17);
            assert_string_equal(s->along, "pin_a.angle");
            way[i] = s->least - s->start;
        }
        CHECK_CLOSE(fmin(way[0], way[1]), -a, 2e-5);
        CHECK_CLOSE(fmax(way[0], way[1]), 3.14159265358979 - a, 2e-5);
        CHECK_CLOSE(fabs(way[c->nearest]), fmin(a, 3.14159265358979 - a), 2e-5);
        tml_check_destroy(c);
        tml_model_destroy(model);
    }
}

// A crank-rocker never gets stuck nor singular: one full turn of its crank.
static void full_cycle(void **state)
{
    (void)state;
    tml_model *model = four_bar(true, TML_JOINT_REVOLUTE);
    tml_check *c = check_of(model);
    assert_int_equal(c->sweep_count, 1);
    assert_true(c->sweeps[0].closed && !c->sweeps[0].singular);
    assert_int_equal(c->nearest, -1);
    assert_true(c->sweeps[0].sigma > 1e-3 && c->sweeps[0].sigma <= c->sweeps[0].sigma_start);
    tml_check_destroy(c);
    tml_model_destroy(model);
}

// No loops: nothing to look for.
static void open_chain(void **state)
{
    (void)state;
    tml_model *model = pendulum(0.3);
    tml_check *c = check_of(model);
    assert_false(c->loops);
    assert_int_equal(c->sweep_count, 0);
    tml_check_destroy(c);
    tml_model_destroy(model);
}

// The smallest singular value against one that is known: rows of two rods from (0, 0) and (1, 0) to a point
// at height y above the middle have directions +-a from the vertical, so sigma^2 = 1 - |cos 2a|.
static void singular_value(void **state)
{
    (void)state;
    tml_spec *spec = new_spec(0, 0, 0);
    tml_spec_set_planar(spec, true);
    const double y = 0.3;
    tml_body_def b = tml_body_def_default();
    b.name = "ball";
    b.mass = 1;
    b.point = true;
    b.position[0] = 0.5;
    b.position[1] = y;
    add_body(spec, b);
    tml_frame_def f = tml_frame_def_default();
    f.body = "ground";
    f.name = "right";
    f.position[0] = 1;
    OK(tml_spec_add_frame(spec, &f, err));
    for (int i = 0; i < 2; i++) {
        tml_joint_def j = tml_joint_def_default();
        j.name = i ? "rod2" : "rod1";
        j.type = TML_JOINT_DISTANCE;
        j.a = i ? "ground.right" : "ground";
        j.b = "ball";
        OK(tml_spec_add_joint(spec, &j, err));
    }
    tml_model *model = build(spec);
    const tml_system *sys = tml_model_system(model);
    tml_state *x = NULL;
    OK(tml_state_create(sys, &x, err));
    tml_model_start(model, 0, x);
    tmli_dependence rows;
    void *w = sys->ops->create_work(sys->self, &sys->env);
    OK(tmli_dependence_calc(sys, w, x, &rows, err));
    const tmli_sweep_def def = {.driven = true, .end = 1, .steps = 3};
    tmli_sweep_result r;
    bool moved;
    OK(tmli_sweep(sys, &rows, x, &def, &r, &moved, err));
    CHECK_CLOSE(r.start.sigma, sqrt(1 - fabs(cos(2 * atan2(0.5, y)))), 1e-6);
    tmli_dependence_clear(&rows);
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
    tml_model_destroy(model);
}

// Rods of lengths l1, l2 from the ground to one point: the gap is the difference, whatever its size.
static void gap_of_rods(void **state)
{
    (void)state;
    const double gaps[] = {1e-3, 0.03, 0.5};
    for (int i = 0; i < 3; i++) {
        tml_spec *spec = new_spec(0, 0, 0);
        tml_body_def b = tml_body_def_default();
        b.name = "ball";
        b.mass = 1;
        b.point = true;
        b.position[0] = 0.8;
        b.position[2] = 0.6;
        add_body(spec, b);
        for (int k = 0; k < 2; k++) {
            tml_joint_def j = tml_joint_def_default();
            j.name = k ? "long" : "short";
            j.type = TML_JOINT_DISTANCE;
            j.a = "ground";
            j.b = "ball";
            j.length = 1 + k * gaps[i];
            OK(tml_spec_add_joint(spec, &j, err));
        }
        tml_model *model = build(spec);
        tml_check *c = NULL;
        tml_error err = {0};
        assert_int_equal(tml_check_create(model, 0, &c, &err), TML_ERR_ASSEMBLY);
        assert_int_equal(c->conflict_count, 2);
        for (int k = 0; k < 2; k++) CHECK_CLOSE(c->conflicts[k].gap, gaps[i], 1e-8);
        assert_non_null(strstr(err.msg, "joint 'short' and joint 'long' contradict each other"));
        tml_check_destroy(c);
        tml_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_parallelogram), cmocka_unit_test(full_cycle),  cmocka_unit_test(open_chain),
        cmocka_unit_test(singular_value),     cmocka_unit_test(gap_of_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
