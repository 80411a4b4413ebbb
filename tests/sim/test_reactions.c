// Reactions of constraints that repeat each other: which channels are unique, and what the report says about
// them.
#include "sim_fixture.h"

static const tml_channel *channel_of(const tml_sim *sim, const char *joint, const char *suffix)
{
    const tml_channel *c = tml_sim_channels(sim);
    char name[64];
    snprintf(name, sizeof name, "%s.%s", joint, suffix);
    return &c[channel_index(sim, name)];
}

// expected: of fx, fy, fz, mx, my, mz, by the first letters: "uussss" and so on.
static void check_joint(const tml_sim *sim, const char *joint, const char *expected)
{
    static const char *const suffix[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    for (int i = 0; i < 6; i++) {
        const char *got = channel_of(sim, joint, suffix[i])->determined;
        assert_non_null(got);
        const char *word = expected[i] == 'u' ? "unique" : expected[i] == 's' ? "shared" : "indeterminate";
        if (strcmp(got, word) != 0) fail_msg("%s.%s is %s, expected %s", joint, suffix[i], got, word);
    }
}

static void check_sentences(const tml_sim *sim, int count, const char *first)
{
    tml_sim_report r;
    tml_sim_get_report(sim, &r);
    assert_int_equal(r.sentence_count, count);
    if (count > 0) assert_string_equal(r.sentences[0], first);
}

static void end(tml_sim *sim, tml_model *m)
{
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// Upright, so that the axes of the results are those of the hinges: nothing is unique but the moment about
// the axis, which hinges cannot have. The second door is out of plumb by a microradian, which makes no
// difference.
static void door(void **state)
{
    (void)state;
    static const char *const said[] = {
        "hinge2: displacement along x, y and z and rotation about x and y "
        "are redundant with hinge1; their reactions are shared (minimum-norm values)",
        "hinge2: displacement along x, y and z and rotation about x and y "
        "are redundant with hinge1 and hinge3; their reactions "
        "are shared (minimum-norm values)"};
    for (int hinges = 2; hinges <= 3; hinges++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "gravity: 9.81\n"
                 "bodies: {door: {mass: 30, inertia: [8, 10, 2], position: [0.4, 0, 1]}}\n"
                 "defaults: {joints: {type: revolute, a: ground, b: door, axis: [%g, 0, 1]}}\n"
                 "joints:\n"
                 "  hinge1: {point: [0, 0, 0.2]}\n"
                 "  hinge2: {point: [0, 0, 1.8]}\n"
                 "%s"
                 "run: {end: 0.1}\n",
                 hinges == 3 ? 1e-6 : 0, hinges == 3 ? "  hinge3: {point: [0, 0, 1]}\n" : "");
        tml_model *m = text_model(text);
        tml_sim *sim = start_sim(m, NULL);
        check_joint(sim, "hinge1", "sssssu");
        check_joint(sim, "hinge2", "sssssu");
        if (hinges == 3) check_joint(sim, "hinge3", "sssssu");
        check_sentences(sim, hinges - 1, said[hinges - 2]);
        assert_null(channel_of(sim, "hinge1", "angle")->determined);
        assert_null(channel_of(sim, "door", "x")->determined);
        end(sim, m);
    }
}

// In the plane unique, out of it shared, also if built with an error; what is called unique has the value
// that the twin without repeated rows gives.
static void four_bar(void **state)
{
    (void)state;
    static const char *const pins[] = {"pin_A", "pin_B", "pin_C", "pin_D"};
    tml_model *m = load_model("redundant_four_bar", (tml_parameter){0}, NULL),
              *bent =
                  load_model("redundant_four_bar", (tml_parameter){.name = "error", .text = "1e-6"}, NULL),
              *twin =
                  load_model("redundant_four_bar", (tml_parameter){.name = "redundant", .text = "0"}, NULL);
    tml_sim *a = start_sim(m, NULL), *b = start_sim(twin, NULL), *c = start_sim(bent, NULL);
    static const char *const names[] = {"pin_A.fx", "pin_A.fy", "pin_B.fx", "pin_B.fy",
                                        "pin_D.fx", "pin_D.fy", NULL};
    for (int i = 0; i < 4; i++) {
        check_joint(a, pins[i], "uusssu");
        check_joint(b, pins[i], "uuuuuu");
        check_joint(c, pins[i], "uusssu");
    }
    check_sentences(a, 1,
                    "pin_C: displacement along z and rotation about x and y are redundant with pin_A, pin_B "
                    "and pin_D; their "
                    "reactions are shared (minimum-norm values)");
    check_sentences(b, 0, NULL);
    record *ra = record_new(a, names), *rb = record_new(b, names);
    tml_error err = {0};
    OK(tml_sim_run(a, 0, &err));
    OK(tml_sim_run(b, 0, &err));
    for (int i = 0; i < 6; i++) CHECK_CLOSE(ra->value[0][i], rb->value[0][i], 1e-9);
    record_free(ra);
    record_free(rb);
    end(a, m);
    end(b, twin);
    end(c, bent);
}

// Four bars that fly: at the start the hinges are along z, but the plane may turn, so no axis of the results
// stays apart.
static void flying(void **state)
{
    (void)state;
    tml_model *m = text_model("defaults:\n"
                              "  bodies: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                              "  joints: {type: revolute, axis: [0, 0, 1]}\n"
                              "bodies:\n"
                              "  one: {position: [0.5, 0, 0]}\n"
                              "  two: {position: [1, 0.4, 0]}\n"
                              "  three: {position: [0.5, 0.8, 0], angular_velocity: [0, 0, 0.1]}\n"
                              "  four: {position: [0, 0.4, 0]}\n"
                              "joints:\n"
                              "  a: {a: one, b: two, point: [1, 0, 0]}\n"
                              "  b: {a: two, b: three, point: [1, 0.8, 0]}\n"
                              "  c: {a: three, b: four, point: [0, 0.8, 0]}\n"
                              "  d: {a: four, b: one, point: [0, 0, 0]}\n"
                              "run: {end: 0.1}\n");
    tml_sim *sim = start_sim(m, NULL);
    check_joint(sim, "a", "ssssss");
    check_joint(sim, "d", "ssssss");
    end(sim, m);
}

static void check_singular_start(const char *text, const char *expected)
{
    tml_model *m = text_model(text);
    tml_sim *sim = start_sim(m, NULL);
    tml_sim_report r;
    tml_sim_get_report(sim, &r);
    assert_int_equal(r.sentence_count, 1);
    assert_non_null(strstr(r.sentences[0], "indeterminate here"));
    for (const char *j = "ABCD"; *j; j++) check_joint(sim, (char[]){*j, 0}, expected);
    end(sim, m);
}

// A start in a flat position: forces along the bars are dependent there and nowhere else, so that they are
// unique in a motion. At rest nothing says that it leaves; nor does the motion of something else.
static void singular_start(void **state)
{
    const double w[] = {4, 0, 0}, spin[] = {0, 0, 3};
    for (int i = 0; i < 3; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "planar: true\n"
                 "gravity: 0\n"
                 "parameters: {w: %g}\n"
                 "defaults: {bodies: {mass: 1, inertia: 0.02}, joints: {type: revolute}}\n"
                 "bodies:\n"
                 "  crank1: {position: [0.25, 0], velocity: [0, w/4], angular_velocity: w}\n"
                 "  crank2: {position: [1.05, 0], velocity: [0, w/4], angular_velocity: w}\n"
                 "  coupler: {position: [0.9, 0], velocity: [0, w/2]}\n"
                 "  wheel: {position: [3, 0], angular_velocity: %g}\n"
                 "joints:\n"
                 "  A: {a: ground, b: crank1, point: [0, 0]}\n"
                 "  D: {a: ground, b: crank2, point: [0.8, 0]}\n"
                 "  B: {a: crank1, b: coupler, point: [0.5, 0]}\n"
                 "  C: {a: crank2, b: coupler, point: [1.3, 0]}\n"
                 "  hub: {a: ground, b: wheel, point: [3, 0]}\n"
                 "run: {end: 0.1}\n",
                 w[i], spin[i]);
        check_singular_start(text, i == 0 ? "uuuuuu" : "iuuuuu");
    }
    (void)state;
}

// Multipliers of drivers that say the same are shared too; the reaction of what they drive is not.
static void others(void **state)
{
    (void)state;
    tml_model *m = text_model("planar: true\n"
                              "bodies: {arm: {mass: 1, inertia: 0.1, position: [0.3, 0]}}\n"
                              "joints:\n"
                              "  pin: {type: revolute, a: ground, b: arm, point: [0, 0]}\n"
                              "  left: {type: driver, of: pin.angle, motion: t^2}\n"
                              "  right: {type: driver, of: pin.angle, motion: t^2}\n"
                              "run: {end: 0.1}\n");
    tml_sim *sim = start_sim(m, NULL);
    assert_string_equal(channel_of(sim, "left", "multiplier")->determined, "shared");
    assert_string_equal(channel_of(sim, "right", "multiplier")->determined, "shared");
    check_joint(sim, "pin", "uuuuuu");
    check_sentences(sim, 1,
                    "right: motion is redundant with left; their reactions are shared (minimum-norm values)");
    end(sim, m);
}

// Models that repeat nothing: every reaction is unique, and there is nothing to say.
static void nothing_repeated(void **state)
{
    (void)state;
    for (const char *const *name = bundled_models(); *name; name++) {
        tml_model *m = load_model(*name, (tml_parameter){0}, NULL);
        tml_sim *sim = start_sim(m, NULL);
        const tml_channel *c = tml_sim_channels(sim);
        const int count = tml_sim_channel_count(sim);
        int reactions = 0;
        for (int i = 0; i < count; i++) {
            const char *d = c[i].dataset, *last = strrchr(d, '/');
            const bool is = strncmp(d, "/joints/", 8) == 0 &&
                            (strcmp(last, "/force") == 0 || strcmp(last, "/moment") == 0 ||
                             strcmp(last, "/multiplier") == 0);
            assert_int_equal(c[i].determined != NULL, is);
            if (is && strcmp(c[i].determined, "unique") != 0)
                fail_msg("%s: %s is %s", *name, c[i].name, c[i].determined);
            reactions += is;
        }
        assert_true(reactions > 0 || tml_model_joint_count(m) == 0);
        check_sentences(sim, 0, NULL);
        end(sim, m);
    }
}

// Errors of a reaction from the start on, in steps of 2 ms: they are smooth, without a part that alternates
// from step to step.
static void smooth_from_the_start(void **state)
{
    (void)state;
    enum { ROWS = 21 };
    static const char text[] = "planar: true\ngravity: 9.81\n"
                               "bodies: {b: {mass: 1.7, point: true, position: [-0.664, -0.498],\n"
                               "  velocity: [1.2, -1.6]}}\n"
                               "joints: {rod: {type: distance, a: ground, b: b, length: 0.83}}\n"
                               "run: {end: 0.04, output_step: 0.002}\n";
    static const struct {
        const char *method;
        double rho;
    } all[] = {{"erk8", 1}, {"newmark", 0.8}, {"newmark", 0.6}, {"newmark", 0.9}};
    static const char *const names[] = {"rod.fx", NULL};
    double exact[ROWS] = {0}, error[ROWS];
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        tml_error err = {0};
        tml_model *m = text_model(text);
        tml_run_def run = *tml_model_run(m);
        run.method = all[k].method;
        run.tol = 1e-12;
        if (k > 0) run.rho = all[k].rho;
        if (k > 0) run.step = 0.002;
        tml_sim *sim = start_sim(m, &run);
        record *r = record_new(sim, names);
        OK(tml_sim_run(sim, NAN, &err));
        assert_int_equal(r->rows, ROWS);
        for (int i = 0; i < ROWS; i++) error[i] = r->value[i][0] - exact[i];
        if (k == 0) memcpy(exact, error, sizeof exact);
        for (int i = 2; i + 2 < ROWS && k > 0; i++) {  // the first is exact
            const double bend = error[i + 1] - 2 * error[i] + error[i - 1],
                         next = error[i + 2] - 2 * error[i + 1] + error[i];
            if (!(fabs(next - bend) < 0.4 * fabs(bend)))
                fail_msg("%s, rho %g: the errors bend by %g and then by %g N, after %d steps", all[k].method,
                         all[k].rho, bend, next, i);
        }
        record_free(r);
        end_sim(sim, m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_from_the_start),
        cmocka_unit_test(door),
        cmocka_unit_test(four_bar),
        cmocka_unit_test(flying),
        cmocka_unit_test(singular_start),
        cmocka_unit_test(others),
        cmocka_unit_test(nothing_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
