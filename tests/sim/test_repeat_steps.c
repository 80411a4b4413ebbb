// Steps that are made again to end behind a discontinuity.
#include "sim_fixture.h"

// A pendulum with a compliant stop at its lowest point. Error of its angle after several contacts, against a
// run of high accuracy.
static const char text[] =
    "planar: true\n"
    "gravity: 9.81\n"
    "bodies: {bob: {mass: 1.2, inertia: 0.05, position: [0.5, 0], frames: {top: [-0.5, 0]}}}\n"
    "joints:\n"
    "  pin: {type: revolute, a: ground, b: bob.top,\n"
    "        limits: {lower: -90 deg, stiffness: 300, damping: 1}}\n"
    "run: {end: 3, output_step: 3}\n";

static double angle_at_end(const tml_model *model, const char *method, double tol, bool repeat, long *steps)
{
    tml_error err = {0};
    tml_run_def run = *tml_model_run(model);
    tml_sim_report r;
    run.method = method;
    run.tol = tol;
    run.repeat_steps = repeat;
    tml_sim *sim = start_sim(model, &run);
    OK(tml_sim_run(sim, 3, &err));
    const double *q = tml_sim_state(sim)->q, angle = atan2(q[1], q[0]);
    tml_sim_get_report(sim, &r);
    if (steps) *steps = r.count.steps;
    assert_true(r.switches > 4);
    tml_sim_destroy(sim);
    return angle;
}

static void more_accurate(void **state)
{
    (void)state;
    tml_model *model = text_model(text);
    const double exact = angle_at_end(model, "erk8", 1e-12, false, NULL);
    double sum[2] = {0};
    for (double tol = 1e-5; tol > 0.5e-8; tol /= 10) {
        double error[2];
        long steps[2];
        for (int i = 0; i < 2; i++)
            error[i] = fabs(angle_at_end(model, "radau5", tol, i == 1, &steps[i]) - exact);
        printf("tol %.0e: error %.1e in %ld steps, repeated %.1e in %ld\n", tol, error[0], steps[0], error[1],
               steps[1]);
        for (int i = 0; i < 2; i++) sum[i] += log(error[i] / tol);
        CHECK_SMALL(error[1], 10 * tol);
        assert_true(steps[1] < 2 * steps[0]);
    }
    // the geometric mean over the tolerances
    if (!(sum[1] < sum[0] - 4 * log(2))) fail_msg("no gain: %g %g", exp(sum[0] / 4), exp(sum[1] / 4));
    CHECK_CLOSE(angle_at_end(model, "genalpha", 1e-6, true, NULL), exact, 1e-5);
    tml_model_destroy(model);
}

// models/friction_arm, after some twenty discontinuities of friction, backlash and a limit. The speed just
// behind an impact magnifies the errors of the states at which methods restart: 4.7e-4 rad/s with
// interpolated ones.
static double arm_rate(const tml_model *model, const char *method, double tol, bool repeat)
{
    tml_error err = {0};
    tml_run_def run = *tml_model_run(model);
    if (!repeat) run.repeat_steps = false;
    run.method = method;
    run.tol = tol;
    tml_sim *sim = start_sim(model, &run);
    OK(tml_sim_run(sim, 2.02, &err));
    const double rate = channel_value(sim, "lower.wz");
    tml_sim_destroy(sim);
    return rate;
}

// Stick and slip of the arm make single errors a matter of luck, with a factor of four in the deviation: the
// mean over many tolerances of two decades counts, which is known to a quarter.
static void is_the_default(void **state)
{
    (void)state;
    enum { RUNS = 48 };
    tml_model *model = load_model("friction_arm", (tml_parameter){0}, NULL);
    const double exact = arm_rate(model, "erk8", 1e-10, true);
    double mean[2] = {0};  // of the logarithms of errors in tolerances: without, with repeated steps
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < RUNS; k++) {
            const double tol = 1e-5 * pow(10, -2.0 * k / RUNS);
            mean[i] += log(fabs(arm_rate(model, "radau5", tol, i) - exact) / tol) / RUNS;
        }
    printf("errors in tolerances: %.3g, with repeated steps %.3g\n", exp(mean[0]), exp(mean[1]));
    assert_true(exp(mean[1]) < 30);  // rates are 16.5 rad/s
    assert_true(exp(mean[1] - mean[0]) < 0.1);
    tml_model_destroy(model);
}

// A double pendulum whose elbow rubs. Within steps of these methods velocities across the constraints are off
// by a thousand tolerances, and so is the time at which the slip of the elbow turns: by less than what else
// counts as no time. Without a second look errors are up to a hundred tolerances, the more the tighter.
static const char rubbing[] =
    "planar: true\n"
    "gravity: 9.81\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 0.1, position: [0.5, 0], frames: {p: [-0.5, 0], q: [0.5, 0]}}\n"
    "  b: {mass: 1, inertia: 0.1, position: [1.5, 0], frames: {p: [-0.5, 0]}}\n"
    "joints:\n"
    "  shoulder: {type: revolute, a: ground, b: a.p, damping: 0.3}\n"
    "  elbow: {type: revolute, a: a.q, b: b.p, friction: {coulomb: 0.4}}\n"
    "run: {end: 2.3, output_step: 2.3}\n";

static void angles_at_end(const tml_model *model, const char *method, double tol, double angle[2])
{
    tml_error err = {0};
    tml_run_def run = *tml_model_run(model);
    run.method = method;
    run.tol = tol;
    tml_sim *sim = start_sim(model, &run);
    OK(tml_sim_run(sim, run.end, &err));
    angle[0] = channel_value(sim, "shoulder.angle");
    angle[1] = channel_value(sim, "elbow.angle");
    tml_sim_destroy(sim);
}

static void slip_turns_with_the_motion(void **state)
{
    (void)state;
    static const char *const method[] = {"radau5", "ggl-radau5"};
    tml_model *model = text_model(rubbing);
    double exact[2], angle[2];
    angles_at_end(model, "erk8", 1e-12, exact);
    for (int i = 0; i < 2; i++)
        for (double tol = 1e-6; tol > 0.5e-9; tol /= 10) {
            angles_at_end(model, method[i], tol, angle);
            const double error = fmax(fabs(angle[0] - exact[0]), fabs(angle[1] - exact[1]));
            printf("%s, tol %.0e: %.2g of it\n", method[i], tol, error / tol);
            CHECK_SMALL(error, tol);
        }
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(more_accurate), cmocka_unit_test(is_the_default),
                                       cmocka_unit_test(slip_turns_with_the_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
