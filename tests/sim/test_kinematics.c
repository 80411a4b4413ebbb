// The kinematic method as part of a simulation: memory, saved simulations, steps, and what it does not run.
#include "sim_fixture.h"

// A leg whose foot is driven, by torques in its joints; twice as many hinges as needed at the hip.
static const char LEG[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  thigh: {mass: 6, inertia: 0.13, position: [0.3, -0.2, 0], frames: {hip: [-0.3, 0.2, 0], knee: [0.2, "
    "-0.1, 0]}}\n"
    "  shank: {mass: 3, inertia: 0.07, position: [0.4, -0.6, 0], frames: {knee: [0.1, 0.3, 0], foot: [-0.1, "
    "-0.3, 0]}}\n"
    "joints:\n"
    "  hip: {type: revolute, a: ground, b: thigh.hip}\n"
    "  hip2: {type: revolute, a: ground, b: thigh, point: [0, 0, 0.2]}\n"
    "  knee: {type: revolute, a: thigh.knee, b: shank.knee}\n"
    "  px: {type: driver, of: shank.foot.x, motion: 0.3 + 0.1*sin(5*t), actuators: [hip.angle, knee.angle]}\n"
    "  py: {type: driver, of: shank.foot.y, motion: -0.9 + 0.1*t, actuators: knee.angle}\n"
    "run: {end: 1, output_step: 0.02}\n";

static tml_status create(const tml_model *m, const tml_run_def *run, tml_sim **sim, tml_error *err)
{
    tml_sim_def def = tml_sim_def_default();
    def.model = m;
    def.run = run;
    def.method = &tml_method_kinematics;
    return tml_sim_create_def(&def, sim, err);
}

static void memory(void **state)
{
    (void)state;
    counter c = {0};
    const tml_env env = count_env(&c);
    tml_error err = {0};
    tml_spec *spec = NULL;
    OK(tml_spec_parse(LEG, strlen(LEG), "leg.yaml", NULL, 0, &env, &spec, &err));
    tml_model *m = model_of(spec);
    const long live = c.live;
    bool all = false;
    for (long k = 1; !all; k++) {
        tml_sim *sim = NULL;
        const long before = c.calls;
        c.fail_at = before + k;
        const tml_status st = create(m, NULL, &sim, &err);
        all = c.calls - before < k;
        assert_true(!all || (k > 20 && st == TML_OK));
        assert_true(st == TML_OK || (st == TML_ERR_NOMEM && !sim && err.msg[0]));
        if (sim) OK(tml_sim_run(sim, 0.05, &err));  // KLU may look for new pivots
        const long calls = c.calls;
        if (sim) OK(tml_sim_run(sim, 0.5, &err));
        assert_int_equal(c.calls, calls);
        tml_sim_destroy(sim);
        assert_int_equal(c.live, live);
    }
    c.fail_at = 0;
    tml_model_destroy(m);
    assert_int_equal(c.live, 0);
}

// The tip of a rod is driven such that its angle is 0.8 t, by a torque in its joint: m g l/2 cos(0.8 t).
static void torque_of_a_rod(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; planar++) {
        char text[600];
        const char *const z = planar ? "" : ", 0";
        snprintf(
            text, sizeof text,
            "%sgravity: [0, -9.81%s]\n"
            "bodies: {rod: {mass: 1.7, inertia: 0.04, position: [0.25, 0%s], frames: {tip: [0.25, 0%s]}}}\n"
            "joints:\n"
            "  pin: {type: revolute, a: ground, b: rod, point: [0, 0%s]}\n"
            "  drive: {type: driver, of: rod.tip.y, motion: 0.5*sin(0.8*t), actuators: pin.angle}\n"
            "run: {end: 1, output_step: 0.1}\n",
            planar ? "planar: true\n" : "", z, z, z, z);
        static const char *const names[] = {"pin.angle_torque", NULL};
        tml_error err = {0};
        tml_sim *sim = NULL;
        tml_model *m = text_model(text);
        OK(create(m, NULL, &sim, &err));
        record *r = record_new(sim, names);
        OK(tml_sim_run(sim, NAN, &err));
        for (int i = 0; i < r->rows; i++)
            CHECK_CLOSE(r->value[i][0], 1.7 * 9.81 * 0.25 * cos(0.8 * r->t[i]), 1e-8);
        record_free(r);
        end_sim(sim, m);
    }
}

// The same of a block on a rail along x: m x'' = -0.3 2^2 m sin(2 t).
static void force_on_a_block(void **state)
{
    (void)state;
    static const char *const names[] = {"rail.distance_force", NULL};
    tml_error err = {0};
    tml_sim *sim = NULL;
    tml_model *m = text_model("bodies: {block: {mass: 1.7, inertia: 0.04}}\n"
                              "joints:\n"
                              "  rail: {type: prismatic, a: ground, b: block, axis: [1, 0, 0]}\n"
                              "  drive: {type: driver, of: block.x, motion: 0.3*sin(2*t),\n"
                              "    actuators: rail.distance}\n"
                              "run: {end: 1, output_step: 0.1}\n");
    OK(create(m, NULL, &sim, &err));
    record *r = record_new(sim, names);
    OK(tml_sim_run(sim, NAN, &err));
    for (int i = 0; i < r->rows; i++) CHECK_CLOSE(r->value[i][0], -1.7 * 1.2 * sin(2 * r->t[i]), 1e-8);
    record_free(r);
    end_sim(sim, m);
}

// A body that can only turn, about its own origin, is named.
static void free_rotation(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; planar++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "%sbodies: {crank: {mass: 1, inertia: 1}, wheel: {mass: 1, inertia: 1, position: [2, 0%s]}}\n"
            "joints:\n"
            "  hub: {type: revolute, a: ground, b: crank}\n"
            "  pin: {type: revolute, a: ground, b: wheel, point: [2, 0%s]}\n"
            "  motor: {type: driver, of: hub.angle, motion: 2*t}\n",
            planar ? "planar: true\n" : "", planar ? "" : ", 0", planar ? "" : ", 0");
        tml_error err = {0};
        tml_sim *sim = NULL;
        tml_model *m = text_model(text);
        assert_int_equal(create(m, NULL, &sim, &err), TML_ERR_MODEL);
        if (!strstr(err.msg, "1 degree of freedom is not driven: 'wheel' can move") ||
            !strstr(err.msg, "of 'pin.angle'"))
            fail_msg("%s", err.msg);
        tml_model_destroy(m);
    }
}

// Saved half-way and loaded, the run continues with the same bits.
static void saved(void **state)
{
    (void)state;
    static const char *const names[] = {"shank.x", "hip.angle", "hip.angle_torque", "hip2.fx", NULL};
    tml_model *m = text_model(LEG);
    tml_sim *sim[2] = {NULL, NULL};
    tml_error err = {0};
    size_t size = 0;
    OK(create(m, NULL, &sim[0], &err));
    OK(tml_sim_run(sim[0], 0.4, &err));
    OK(tml_sim_save_memory(sim[0], NULL, 0, &size, &err));
    void *data = malloc(size);
    OK(tml_sim_save_memory(sim[0], data, size, &size, &err));
    tml_sim_def def = tml_sim_def_default();
    def.model = m;
    def.method = &tml_method_kinematics;
    OK(tml_sim_load_memory(&def, data, size, &sim[1], &err));
    record *r[2] = {record_new(sim[0], names), record_new(sim[1], names)};
    for (int i = 0; i < 2; i++) OK(tml_sim_run(sim[i], NAN, &err));
    assert_int_equal(r[0]->rows, 31);
    assert_int_equal(r[1]->rows, 31);
    for (int k = 0; k < 31; k++)
        for (int c = 0; c < 4; c++) assert_true(r[0]->value[k][c] == r[1]->value[k][c]);
    for (int i = 0; i < 2; i++) {
        record_free(r[i]);
        tml_sim_destroy(sim[i]);
    }
    free(data);
    tml_model_destroy(m);
}

// Steps are as long as the time between outputs, and shorter where the motion asks for it.
static void steps(void **state)
{
    (void)state;
    tml_model *m = text_model(LEG);
    tml_run_def run = *tml_model_run(m);
    for (int k = 0; k < 2; k++) {
        tml_sim *sim = NULL;
        tml_error err = {0};
        run.output_step = k == 0 ? 0.01 : 1;
        OK(create(m, &run, &sim, &err));
        OK(tml_sim_run(sim, NAN, &err));
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        assert_string_equal(report.method, "kinematics");
        assert_int_equal(report.repeated, 5);  // the second hinge
        if (k == 0) assert_in_range(report.count.steps, 100, 101);
        else assert_in_range(report.count.steps, 3, 40);
        CHECK_SMALL(report.position_residual, 1e-13);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(m);
}

// Turns are counted along the motion: several between two outputs.
static void turns(void **state)
{
    (void)state;
    static const char *const names[] = {"pin.angle", NULL};
    tml_model *m = text_model("planar: true\nbodies: {r: {mass: 1, inertia: 1}}\n"
                              "joints:\n  pin: {type: revolute, a: ground, b: r}\n"
                              "  d: {type: driver, of: pin.angle, motion: 40*t + sin(t)}\n"
                              "run: {end: 3, output_step: 1}\n");
    tml_sim *sim = NULL;
    tml_error err = {0};
    OK(create(m, NULL, &sim, &err));
    record *r = record_new(sim, names);
    OK(tml_sim_run(sim, NAN, &err));
    assert_int_equal(r->rows, 4);
    for (int k = 0; k < 4; k++) CHECK_CLOSE(r->value[k][0], 40 * k + sin(k), 1e-12);
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

static void freedom(void **state)
{
    (void)state;
    tml_model *m = load_model("double_pendulum", (tml_parameter){0}, NULL);
    tml_sim *sim = NULL;
    tml_error err = {0};
    assert_int_equal(create(m, NULL, &sim, &err), TML_ERR_MODEL);
    assert_null(sim);
    assert_non_null(strstr(err.msg, "2 degrees of freedom are not driven"));
    tml_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory),          cmocka_unit_test(free_rotation),
                                       cmocka_unit_test(torque_of_a_rod), cmocka_unit_test(force_on_a_block),
                                       cmocka_unit_test(saved),           cmocka_unit_test(steps),
                                       cmocka_unit_test(turns),           cmocka_unit_test(freedom)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
