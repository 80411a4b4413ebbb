// The choice of a method by what a model shows at its start, and what the report says about it.
#include "sim_fixture.h"

#include <math.h>

// Two masses on a line: one swings at 1 rad/s, the other at `rate` with the damping ratio `zeta`, from rest with the
// amplitude given.
#define TWO(rate, zeta, amplitude)                                                                    \
    "planar: true\nbodies:\n  a: {mass: 1, point: true, position: [1, 0]}\n"                          \
    "  b: {mass: 1, point: true, position: [" #amplitude ", 1]}\n"                                    \
    "forces:\n  slow: {type: applied, at: a, force: [\"-a.x\", 0]}\n"                                 \
    "  fast: {type: applied, at: b, force: [\"-" #rate "^2*b.x - 2*" #zeta "*" #rate "*b.vx\", 0]}\n" \
    "run: {end: 2}\n"

// The method chosen for a model, which is destroyed, and a part of the reason.
static void expect(tml_model *m, const tml_run_def *given, const char *method, const char *part)
{
    tml_run_def run = given ? *given : *tml_model_run(m);
    tml_sim *sim = start_sim(m, &run);
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    if (strcmp(report.method, method) != 0 || !report.reason || !strstr(report.reason, part))
        fail_msg("%s: %s, expected %s: %s", report.method, report.reason ? report.reason : "(no reason)",
                 method, part);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

static tml_model *bundled(const char *name) { return load_model(name, (tml_parameter){0}, NULL); }

static void by_the_steps(void **state)
{
    (void)state;
    tml_run_def run = tml_run_def_default();
    run.step = 1e-3;
    expect(bundled("pendulum"), &run, "genalpha", "fixed steps");
    expect(bundled("impact"), &run, "genalpha", "fixed steps");  // switches or not
}

static void by_the_forces(void **state)
{
    (void)state;
    expect(bundled("impact"), NULL, "radau5", "4 switches");
    static const char *const text = "planar: true\nbodies: {b: {mass: 2, point: true, position: [0, 1]}}\n"
                                    "forces: {f: {type: applied, at: b, force: [0, \"%s\"]}}\n"
                                    "run: {end: 1%s}\n";
    static const struct {
        const char *force, *more, *method, *part;
    } cases[] = {{"if(b.y < 0, -1e4*b.y, 0)", "", "radau5", "1 switch in"},
                 {"if(b.y < 0, -1e4*b.y, 0)", ", switches: false", "bdf", "smooth"},
                 {"if(t < 0.3, 0, 10)", "", "bdf", "smooth"}};  // its time is known: one restart
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char model[400];
        snprintf(model, sizeof model, text, cases[i].force, cases[i].more);
        expect(text_model(model), NULL, cases[i].method, cases[i].part);
    }
}

static void by_the_spectrum(void **state)
{
    (void)state;
    // 1000 rad/s are 159 Hz
    expect(text_model(TWO(1000, 0.001, 0)), NULL, "radau5", "vibration of 159 Hz");
    // damped so that it is gone within a period: stiff only
    expect(text_model(TWO(1000, 0.9, 0)), NULL, "bdf", "smooth and stiff");
    // no faster than the motion itself
    expect(text_model(TWO(2, 0.001, 0)), NULL, "bdf", "not stiff");
    // a run too short to see it turn
    tml_model *m = text_model(TWO(1000, 0.001, 0));
    tml_run_def run = *tml_model_run(m);
    run.end = 0.1;
    expect(m, &run, "bdf", "smooth");
}

static void by_the_size(void **state)
{
    (void)state;
    expect(bundled("pendulum"), NULL, "bdf", "smooth");
    expect(load_model("chain", (tml_parameter){"N", "60"}, NULL), NULL, "bdf", "180 coordinates");
}

// A setting that only one method has, or that radau5 lacks, decides: it is not dropped without a word.
static void by_a_setting(void **state)
{
    (void)state;
    const tml_run_def plain = tml_run_def_default();
    tml_run_def run = plain;
    run.rho = 0.6;
    expect(bundled("pendulum"), &run, "genalpha", "rho is given");
    run = plain;
    run.alpha = -0.1;
    expect(bundled("impact"), &run, "hht", "alpha is given");
    run = plain;
    run.placement = TML_PLACEMENT_INNER;
    expect(bundled("pendulum"), &run, "genalpha", "placement is given");
    run = plain;
    run.max_order = 2;
    expect(bundled("impact"), &run, "bdf", "max_order is given");
    run = plain;
    run.report = true;
    expect(bundled("impact"), &run, "bdf", "the report");
    run = plain;
    run.fields = TML_FIELDS_THREE;
    expect(bundled("impact"), &run, "bdf", "fields: three");
    run = plain;
    run.iterate = TML_ITERATE_SATURATED;
    expect(bundled("impact"), &run, "bdf", "iterate: saturated");
}

static void by_name(void **state)
{
    (void)state;
    tml_model *m = bundled("impact");
    tml_run_def run = *tml_model_run(m);
    tml_sim_report report;
    run.method = "bdf2";
    tml_sim *sim = start_sim(m, &run);
    tml_sim_get_report(sim, &report);
    assert_string_equal(report.method, "bdf2");
    assert_null(report.reason);
    tml_sim_destroy(sim);
    run.method = "auto";
    expect(m, &run, "radau5", "4 switches");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_the_steps),    cmocka_unit_test(by_the_forces),
                                       cmocka_unit_test(by_the_spectrum), cmocka_unit_test(by_the_size),
                                       cmocka_unit_test(by_a_setting),    cmocka_unit_test(by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
