// Events: where they are found, which crossings count, what the report and the last row say.
#include "sim_fixture.h"

// A point pendulum released from the horizontal at -L; quarter period K(1/2) sqrt(L/g), K(1/2) =
// 1.854074677301372.
#define PENDULUM                                                         \
    "planar: true\n"                                                     \
    "gravity: 9.81\n"                                                    \
    "bodies: {bob: {mass: 1.7, point: true, position: [-0.83, 0]}}\n"    \
    "joints: {rod: {type: distance, a: ground, b: bob, length: 0.83}}\n" \
    "run: {end: 5, output_step: 0.031, tol: 1e-6}\n"
static double quarter(void) { return 1.854074677301372 * sqrt(0.83 / 9.81); }

typedef struct ending {
    double t, x, y, vx;
    int rows;
    char event[64];
    double t_reached;
} ending;

// Text of the events; out: where the run ended.
static ending run_with(const char *events, double tol)
{
    static const char *const names[] = {"bob.x", "bob.y", "bob.vx", NULL};
    char text[2000];
    snprintf(text, sizeof text, "%sevents:\n%s", PENDULUM, events);
    tml_model *m = text_model(text);
    tml_run_def run = *tml_model_run(m);
    run.tol = tol;
    tml_sim *sim = start_sim(m, &run);
    record *r = record_new(sim, names);
    tml_error err = {0};
    OK(tml_sim_run(sim, NAN, &err));
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    const int last = r->rows - 1;
    ending e = {r->t[last], r->value[last][0], r->value[last][1], r->value[last][2], r->rows,
                "",         tml_sim_time(sim)};
    if (report.event) snprintf(e.event, sizeof e.event, "%s", report.event);
    // rows before it stand at their own times
    for (int k = 0; k < last; k++) assert_true(r->t[k] == k * 0.031 && r->t[k] < e.t);
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
    return e;
}

static void lowest_point(void **state)
{
    (void)state;
    const ending e = run_with("  low: {when: bob.x}\n", 1e-6);
    assert_string_equal(e.event, "low");
    CHECK_CLOSE(e.t, quarter(), 3e-6);  // the run's tolerance over a time and lengths of order 1, and some
    CHECK_SMALL(e.x, 1e-14);            // location: t to its resolution, 1e-16, at 4 m/s
    CHECK_CLOSE(e.y, -0.83, 1e-14);
    CHECK_CLOSE(e.vx, sqrt(2 * 9.81 * 0.83), 1e-5);
    assert_int_equal(e.rows, (int)floor(quarter() / 0.031) + 2);  // the event's own row is the last
}

// The time of the event converges with the tolerance.
static void tolerance(void **state)
{
    (void)state;
    const double loose = fabs(run_with("  low: {when: bob.x}\n", 1e-3).t - quarter());
    const double tight = fabs(run_with("  low: {when: bob.x}\n", 1e-7).t - quarter());
    CHECK_SMALL(loose, 1e-3);
    CHECK_SMALL(tight, 3e-7);
}

static void direction(void **state)
{
    (void)state;
    // x rises through 0 at one quarter and falls at three
    CHECK_CLOSE(run_with("  e: {when: bob.x, direction: up}\n", 1e-6).t, quarter(), 3e-6);
    CHECK_CLOSE(run_with("  e: {when: bob.x, direction: down}\n", 1e-6).t, 3 * quarter(), 1e-5);
    CHECK_CLOSE(run_with("  e: {when: bob.x, direction: both}\n", 1e-6).t, quarter(), 3e-6);
    CHECK_CLOSE(run_with("  e: {when: -bob.x, direction: both}\n", 1e-6).t, quarter(), 3e-6);
    CHECK_CLOSE(run_with("  e: {when: -bob.x, direction: up}\n", 1e-6).t, 3 * quarter(), 1e-5);
}

// Of several the first in time ends the run, whatever their order in the file.
static void first_of_many(void **state)
{
    (void)state;
    ending e = run_with(
        "  late: {when: bob.x - 0.4}\n  early: {when: bob.x + 0.4}\n  never: {when: bob.y - 1}\n", 1e-6);
    assert_string_equal(e.event, "early");
    CHECK_CLOSE(e.x, -0.4, 1e-14);
    // both within one step
    e = run_with("  late: {when: bob.x - 1e-5}\n  early: {when: bob.x + 1e-5}\n", 1e-3);
    assert_string_equal(e.event, "early");
    CHECK_CLOSE(e.x, -1e-5, 1e-14);
}

static void of_time(void **state)
{
    (void)state;
    ending e = run_with("  clock: {when: t - 0.731}\n", 1e-6);
    assert_string_equal(e.event, "clock");
    CHECK_CLOSE(e.t, 0.731, 1e-15);
    e = run_with("  row: {when: t - 0.31}\n", 1e-6);  // on a row: not written twice
    CHECK_CLOSE(e.t, 10 * 0.031, 1e-15);
    assert_int_equal(e.rows, 11);
}

static void none(void **state)
{
    (void)state;
    const ending e = run_with("  never: {when: bob.y - 0.1}\n  start: {when: bob.y + 5}\n", 1e-4);
    assert_string_equal(e.event, "");
    assert_true(e.t == 5 && e.t_reached == 5);
}

// An event that is zero at the start does not end the run there, but at the next crossing.
static void zero_at_start(void **state)
{
    (void)state;
    const ending e = run_with("  e: {when: bob.x + 0.83 - 0.1*t}\n", 1e-6);
    assert_string_equal(e.event, "e");
    assert_true(e.t > 0.1 && e.t < 0.3);
    CHECK_CLOSE(e.x, -0.83 + 0.1 * e.t, 1e-14);
}

// Steps of a free rotor are long: the event function crosses zero and returns within them. Returns the time
// at which the run ended.
static double rotor_with(const char *events, const char *method)
{
    char text[1000];
    snprintf(text, sizeof text,
             "planar: true\nbodies: {r: {mass: 1, inertia: 2, angular_velocity: 20}}\n"
             "joints: {pin: {type: revolute, a: ground, b: r}}\n"
             "run: {end: 5, output_step: 5, tol: 1e-4, method: %s}\nevents: {e: %s}\n",
             method, events);
    tml_model *m = text_model(text);
    tml_sim *sim = start_sim(m, tml_model_run(m));
    tml_error err = {0};
    OK(tml_sim_run(sim, NAN, &err));
    const double t = tml_sim_time(sim);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
    return t;
}

static void within_long_steps(void **state)
{
    (void)state;
    static const char *const methods[] = {"erk8", "adams", "radau5", "bdf", "for-sdirk"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const char *method = methods[i];
        // the cosine of the angle is below -0.99 for 0.028 s in each turn of 0.31 s
        CHECK_CLOSE(rotor_with("{when: cos(pin.angle) + 0.99}", method), acos(-0.99) / 20, 1e-6);
        CHECK_CLOSE(rotor_with("{when: cos(pin.angle) + 0.99, direction: up}", method),
                    (6.283185307179586 - acos(-0.99)) / 20, 1e-6);
        // twice within a millisecond
        CHECK_CLOSE(rotor_with("{when: (t - 3)*(t - 3.001)}", method), 3, 1e-9);
        CHECK_CLOSE(rotor_with("{when: (t - 3)*(t - 3.001), direction: up}", method), 3.001, 1e-9);
        // and within a microsecond, at the vertex of a parabola
        CHECK_CLOSE(rotor_with("{when: (t - 3)*(t - 3.000001)}", method), 3, 1e-9);
        CHECK_CLOSE(rotor_with("{when: (t - 3)*(t - 3.000001), direction: up}", method), 3.000001, 1e-9);
        CHECK_CLOSE(rotor_with("{when: sin(pin.angle)*sin(pin.angle) - 0.5, direction: down}", method),
                    3 * atan(1) / 20, 1e-6);
        CHECK_CLOSE(rotor_with("{when: cos(pin.angle) + 1.01}", method), 5, 1e-12);  // never
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lowest_point),  cmocka_unit_test(tolerance),
                                       cmocka_unit_test(direction),     cmocka_unit_test(first_of_many),
                                       cmocka_unit_test(of_time),       cmocka_unit_test(none),
                                       cmocka_unit_test(zero_at_start), cmocka_unit_test(within_long_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
