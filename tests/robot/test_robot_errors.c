// Robots: wrong arguments, memory that fails, models that have no such coordinates.
#include "machine.h"

static void test_mistakes(void **state)
{
    (void)state;
    tml_error err = {0};
    machine o = make(fixed_text);
    double q[MOST + 4] = {0}, tau[MOST];
    assert_int_equal(tml_robot_set(o.robot, q, NULL, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "the quaternion of 'hand.wx' is zero"));
    q[5] = 1;
    q[0] = NAN;
    assert_int_equal(tml_robot_set(o.robot, q, NULL, &err), TML_ERR_ARG);
    q[0] = 0.2;
    OK(tml_robot_set(o.robot, q, NULL, &err));
    OK(tml_robot_inverse_dynamics(o.robot, NULL, tau, &err));
    const double before = tau[0];
    OK(tml_robot_set_input(o.robot, 0, 1.4, &err));
    OK(tml_robot_inverse_dynamics(o.robot, NULL, tau, &err));
    assert_true(fabs(tau[0] - (before - 1)) < 1e-14);  // the input gives 1 N m more
    assert_int_equal(tml_robot_set_input(o.robot, 1, 0, &err), TML_ERR_ARG);
    const tml_robot_frame none = {.body = 7};
    assert_int_equal(tml_robot_pose(o.robot, &none, tau, NULL, &err), TML_ERR_ARG);
    clear(&o);
}

// Memory that fails at any call: a message, and nothing is lost.
typedef struct counter {
    long calls, fail_at, live;
} counter;
static void *count_alloc(size_t bytes, void *user)
{
    counter *c = user;
    if (++c->calls == c->fail_at) return NULL;
    c->live++;
    return malloc(bytes);
}
static void count_free(void *ptr, void *user)
{
    ((counter *)user)->live--;
    free(ptr);
}

static void test_memory(void **state)
{
    (void)state;
    tml_error err = {0};
    counter c = {0};
    const tml_env env = {.alloc = count_alloc, .free = count_free, .user = &c};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    OK(tml_spec_parse(loop_text, strlen(loop_text), "test.yaml", NULL, 0, &env, &spec, &err));
    OK(tml_model_build(spec, &model, &err));
    const long before = c.live;
    tml_status st = TML_ERR_NOMEM;
    for (long k = 1; st == TML_ERR_NOMEM; k++) {
        tml_robot *robot = NULL;
        tml_robot_reached out;
        tml_robot_target t = {.weight = 1, .frame = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
        double tau[MOST];
        c.fail_at = c.calls + k;
        st = tml_robot_create(model, &robot, &err);
        if (st == TML_OK) st = tml_robot_accelerations(robot, NULL, tau, NULL, &err);
        if (st == TML_OK) st = tml_robot_reach(robot, &t, 1, NULL, NULL, &out, &err);
        tml_robot_destroy(robot);
        if (st != TML_OK && st != TML_ERR_NOMEM) fail_msg("call %ld: %s", k, err.msg);
        assert_int_equal(c.live, before);
        assert_true(k < 1000);
    }
    c.fail_at = 0;
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    assert_int_equal(c.live, 0);
}

// What has no place among the coordinates and forces of a robot is refused with its reason.
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *more, *message;
    } cases[] = {
        {"  roll: {type: driver, of: pin.angle, speed: 1}\n",
         "joint 'roll' restricts velocities, not positions"},
        {"forces:\n  rub: {type: friction, of: pin.angle, coefficient: 0.2, radius: 0.1, load: reaction}\n",
         "the load of 'rub' is a reaction"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        tml_error err = {0};
        tml_robot *robot = NULL;
        snprintf(text, sizeof text,
                 "bodies: {arm: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
                 "joints:\n"
                 "  pin: {type: revolute, a: ground, b: arm, point: [0, 0, 0], axis: [0, 1, 0]}\n%s",
                 cases[i].more);
        tml_spec *spec = NULL;
        tml_model *model = NULL;
        OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err));
        OK(tml_model_build(spec, &model, &err));
        tml_spec_destroy(spec);
        assert_int_equal(tml_robot_create(model, &robot, &err), TML_ERR_MODEL);
        if (!strstr(err.msg, cases[i].message)) fail_msg("%s", err.msg);
        assert_null(robot);
        tml_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
