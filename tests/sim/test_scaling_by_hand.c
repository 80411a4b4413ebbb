// A scaling by hand, s = k + d/h + m/h^2: the factor of every step, and what it is for.
#include "sim_fixture.h"

static const char bars[] =
    "planar: true\n"
    "gravity: 9.81\n"
    "bodies:\n"
    "  one: {mass: 0.7, inertia: 0.02, position: [0.65*cos(0.3), -0.65*sin(0.3)], orientation: -0.3,\n"
    "        angular_velocity: 1.7, frames: {top: [-0.65, 0], tip: [0.65, 0]}}\n"
    "  two: {mass: 0.9, inertia: 0.03, position: [1.3*cos(0.3) + 0.5*cos(0.7), -1.3*sin(0.3) + "
    "0.5*sin(0.7)],\n"
    "        orientation: 0.7, frames: {top: [-0.5, 0]}}\n"
    "joints:\n"
    "  pin1: {type: revolute, a: ground, b: one.top}\n"
    "  pin2: {type: revolute, a: one.tip, b: two.top}\n"
    "run: {end: 0.2, method: genalpha, scaling: {k: 731, d: 2.5, m: 1.3}}\n";

static tml_run_def run_of(const tml_model *model, tml_scale_factor scale, double step, double end)
{
    tml_run_def run = *tml_model_run(model);
    run.scale = scale;
    run.step = step;
    run.end = end;
    run.output_step = end;
    run.report = true;
    return run;
}

static void factor_of_a_step(void **state)
{
    (void)state;
    static const char *const methods[] = {"genalpha", "hht", "newmark", "midpoint", "decay",
                                          "conserve", "bdf", "bdf2",    NULL};
    tml_model *model = text_model(bars);
    const tml_scale_factor f = tml_model_run(model)->scale;
    assert_int_equal(tml_model_run(model)->scaling, TML_SCALING_GIVEN);
    assert_true(f.k == 731 && f.d == 2.5 && f.m == 1.3);
    for (int i = 0; methods[i]; i++)
        for (double h = 1e-2; h > 0.9e-4; h /= 10) {
            tml_error err = {0};
            tml_conditioning c;
            tml_run_def run = run_of(model, f, h, 5 * h);
            run.method = methods[i];
            tml_sim *sim = start_sim(model, &run);
            OK(tml_sim_run(sim, 5 * h, &err));
            assert_true(tml_sim_get_conditioning(sim, &c));
            const double s = f.k + f.d / h + f.m / (h * h);
            // the last of five steps is cut to end at 5 h: round-off of times
            CHECK_CLOSE(c.scale_min / s, 1, 1e-9);
            CHECK_CLOSE(c.scale_max / s, 1, 1e-9);
            tml_sim_destroy(sim);
        }
    tml_model_destroy(model);
}

// The factor does not change the motion.
static void same_motion(void **state)
{
    (void)state;
    double x[2];
    tml_model *model = text_model(bars);
    for (int i = 0; i < 2; i++) {
        tml_error err = {0};
        tml_run_def run = run_of(model, (tml_scale_factor){.k = 731, .m = 1.3}, 1e-3, 0.2);
        if (i == 1) run.scaling = TML_SCALING_PHYSICAL;
        tml_sim *sim = start_sim(model, &run);
        OK(tml_sim_run(sim, 0.2, &err));
        x[i] = tml_sim_state(sim)->q[7];
        tml_sim_destroy(sim);
    }
    CHECK_CLOSE(x[0], x[1], 1e-9);  // velocities have round-off 64 eps/h of each of 200 steps
    tml_model_destroy(model);
}

// Round-off of the constraints, 1e-16, reaches the scaled multipliers over m h^-2/s: with s = k it is 1e-3 at
// h = 1e-8, and no iteration converges. (Bottasso, Bauchau, Cardona 2007, section 5.)
static void step_free_factor_fails_at_small_steps(void **state)
{
    (void)state;
    tml_model *model = text_model(bars);
    for (int i = 0; i < 2; i++) {
        tml_error err = {0};
        tml_run_def run = run_of(model, (tml_scale_factor){.k = 1e3, .m = i}, 0, 1e-3);
        run.tol = 1e-6;
        run.max_step = 1e-8;
        run.report = false;
        tml_sim *sim = start_sim(model, &run);
        const tml_status st = tml_sim_run(sim, 1e-6, &err);
        if (i == 1 && st != TML_OK) fail_msg("m = 1: %s", err.msg);
        if (i == 0 && st == TML_OK) fail_msg("m = 0 runs");
        if (i == 0 && !strstr(err.msg, "does not grow as the step falls")) fail_msg("%s", err.msg);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
}

// The impact of that section: the least step of the first contact, and the failure with m = 0.
static tml_status keep_least(const tml_sim *sim, double t, double h, void *user)
{
    double *const least = user;
    (void)sim;
    if (t > 0.4) *least = fmin(*least, h);
    return TML_OK;
}

static void impact(void **state)
{
    (void)state;
    tml_model *model = load_model("beam_cam", (tml_parameter){0}, NULL);
    for (int i = 0; i < 2; i++) {
        tml_error err = {0};
        double least = 1;
        tml_run_def run = run_of(model, (tml_scale_factor){.k = 1e3, .m = i}, 0, 1);
        run.method = "genalpha";
        run.scaling = TML_SCALING_GIVEN;
        run.rho = 0;
        run.tol = 1e-2;
        run.max_step = 1e-2;
        run.switches = run.report = false;
        tml_sim *sim = start_sim(model, &run);
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = keep_least, .user = &least});
        const tml_status st = tml_sim_run(sim, 0.4941, &err);
        if (i == 1 && st != TML_OK) fail_msg("m = 1: %s", err.msg);
        if (i == 0 && st == TML_OK) fail_msg("m = 0 runs");
        if (i == 0) CHECK_CLOSE(tml_sim_time(sim), 0.494, 1e-4);  // the cam bends a little
        assert_true(least < 1e-6);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *run, *says;
    } wrong[] = {{"scaling: {k: -1}", "'k' of 'scaling' is -1, expected a number >= 0"},
                 {"scaling: {}", "is 0: give k, d or m"},
                 {"scaling: given", "is 0: give k, d or m"},
                 {"scaling: {mass: 1}", "mass"},
                 {"scaling: unform", "is it 'uniform'?"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[400];
        tml_error err = {0};
        tml_spec *spec = NULL;
        snprintf(text, sizeof text, "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\nrun: {%s}\n", wrong[i].run);
        const tml_status st = tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err);
        if (st == TML_OK || !strstr(err.msg, wrong[i].says)) fail_msg("%s: %s", wrong[i].run, err.msg);
        assert_int_equal(err.line, 2);
        tml_spec_destroy(spec);
    }
    tml_model *model = text_model(bars);
    static const char *const others[] = {"radau5", "ggl"};
    for (int i = 0; i < 2; i++) {
        tml_error err = {0};
        tml_sim *sim = NULL;
        tml_run_def run = *tml_model_run(model);
        run.method = others[i];
        assert_int_equal(tml_sim_create(model, &run, &sim, &err), TML_ERR_ARG);
        assert_non_null(strstr(err.msg, "a scaling by hand or by norms is for genalpha"));
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factor_of_a_step),
        cmocka_unit_test(same_motion),
        cmocka_unit_test(step_free_factor_fails_at_small_steps),
        cmocka_unit_test(impact),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
