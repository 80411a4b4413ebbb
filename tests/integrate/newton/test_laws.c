// The laws of the two scaling papers, measured with our kernel on their own model problems (integrate/lab.h).
// bench/papers prints the same in full and draws the figures.
#include "integrate/lab.h"
#include "support/support.h"

typedef struct form {
    const char *name;
    tml_scaling scaling;
    tml_fields fields;
    int power;        // the condition number grows like h^-power
    double two, inf;  // times h^power: in the 2-norm and the infinity norm
} form;

// [B] claims the powers; the constants are those of its matrices at the start of the pendulum (BDF2: alpha0 =
// 3/2), computed apart from us with 50 digits. (4) and (37): |A| |inv A| = 3/2 x 9/4 h^-3 and 9/4 h^-1 x 9/4
// h^-3, the rest alike.
static const form FORMS[] = {
    {"three fields, none", TML_SCALING_NONE, TML_FIELDS_THREE, 3, 3.375, 3.375},
    {"three fields, left", TML_SCALING_LEFT, TML_FIELDS_THREE, 2, 4.875, 5.625},
    {"three fields, left-right", TML_SCALING_LEFT_RIGHT, TML_FIELDS_THREE, 1, 3.25, 3.75},
    {"three fields, left-right-velocity", TML_SCALING_LEFT_RIGHT_VELOCITY, TML_FIELDS_THREE, 0, 7.7679,
     11.875},
    {"two fields, none", TML_SCALING_NONE, TML_FIELDS_TWO, 4, 5.0625, 5.0625},
    {"two fields, left", TML_SCALING_LEFT, TML_FIELDS_TWO, 3, 5.0625, 5.0625},
    {"two fields, left-right", TML_SCALING_LEFT_RIGHT, TML_FIELDS_TWO, 0, 6.9179, 10.5625},
};
enum { COUNT = sizeof FORMS / sizeof *FORMS };

static lab_run pendulum(const form *f, double h, double angle, long most)
{
    lab_run r;
    tml_error err = {0};
    if (!lab_pendulum_run(f->scaling, f->fields, h, angle, most, &r, &err))
        fail_msg("%s, h = %g: %s", f->name, h, err.msg);
    return r;
}

static lab_run pendulum_by_bdf2(const form *f, double h, double angle, long most)
{
    lab_run r;
    tml_error err = {0};
    if (!lab_method_run(f->scaling, f->fields, h, angle, most, &r, &err))
        fail_msg("bdf2, %s, h = %g: %s", f->name, h, err.msg);
    return r;
}

static void condition_of_the_pendulum(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        const form *f = &FORMS[i];
        double last = 0, h = 1e-4;
        for (int k = 0; k < 5; k++, h /= 10) {
            const lab_run r = pendulum(f, h, 0, 10);
            // the matrix at 10 steps from the start: h^2 lambda and the angle change it by 1e-4 at most
            CHECK_CLOSE(r.last.condition_2 * pow(h, f->power) / f->two, 1, 3e-4);
            CHECK_CLOSE(r.last.condition_inf * pow(h, f->power) / f->inf, 1, 3e-4);
            if (k > 0) CHECK_CLOSE(log10(r.last.condition_2 / last), f->power, 0.1);
            last = r.last.condition_2;
            const double s = f->scaling >= TML_SCALING_LEFT_RIGHT ? 1 / (h * h) : 1;
            CHECK_CLOSE(r.last.scale_min / s, 1, 1e-12);  // a product of two roundings
            assert_int_equal(r.last.unknowns, f->fields == TML_FIELDS_THREE ? 5 : 3);
        }
    }
}

// How far Newton gets, from a start without symmetry. Round-off of Phi, some 1e-16, reaches the scaled
// unknowns through the inverse matrix: as it is (left-right), over h in unscaled velocities, over h^2 in
// unscaled multipliers. The h^-3 that [B] derives for equations as written is a bound that is not met:
// scaling rows does not change what LU loses.
static void check_corrections(lab_run (*run)(const form *, double, double, long))
{
    double found[COUNT][3];
    for (int i = 0; i < COUNT; i++) {
        double h = 1e-5;
        for (int k = 0; k < 3; k++, h /= 10) found[i][k] = run(&FORMS[i], h, -0.7, 1000).correction;
        printf("%-34s last decreasing correction %.1e %.1e %.1e\n", FORMS[i].name, found[i][0], found[i][1],
               found[i][2]);
    }
    const int law[COUNT] = {2, 2, 1, 0, 2, 2, 0};
    for (int i = 0; i < COUNT; i++) {
        const double slope = log10(found[i][2] / found[i][0]) / 2;
        CHECK_CLOSE(slope, law[i], 0.35);  // largest of a thousand roundings: a factor 5 over two decades
        for (int k = 0; k < 3 && law[i] == 0; k++) CHECK_SMALL(found[i][k], 2e-15);  // 8 eps
    }
    for (int k = 0; k < 3; k++) CHECK_CLOSE(log10(found[0][k] / found[1][k]), 0, 0.5);  // none is as left
    assert_true(found[0][2] > 1e-3 && found[4][2] > 1e-3);  // of a force of 1: no tight tolerance can be met
}

static void corrections_of_the_pendulum(void **state)
{
    (void)state;
    check_corrections(pendulum);
}

// The method lets little round-off of positions into its forces; where corrections are to show it, all of it.
static void corrections_of_the_method(void **state)
{
    (void)state;
    check_corrections(pendulum_by_bdf2);
}

// [B] figure 1: corrections fall quadratically, then stay where round-off holds them.
static void corrections_saturate(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_system *sys = lab_pendulum(&err);
    const double q[2] = {cos(-0.7), sin(-0.7)};
    const tml_scaling modes[2] = {TML_SCALING_NONE, TML_SCALING_LEFT_RIGHT_VELOCITY};
    const double low[2] = {1e-3, 1e-17}, high[2] = {1, 2e-15};  // 2-norms; a force of 1; 8 eps
    for (int i = 0; i < 2; i++) {
        const tml_integrator_options opt = lab_options(modes[i], TML_FIELDS_THREE, 0, true);
        lab b;
        assert_true(lab_begin(&b, sys, &opt, 1e-7, q, &err));
        double floor = 0, falls = 0;
        for (int k = 0; k < 50; k++) {
            assert_true(lab_bdf2_try(&b, true, &err));
            const tmli_record *r = b.kernel.record;
            if (k > 1) falls = fmax(falls, r->trace[1] / r->trace[0]);
            for (int more = 0; more < 5; more++) {
                assert_true(lab_bdf2_again(&b, &err));
                floor = fmax(floor, r->trace[0]);
            }
            lab_accept(&b);
        }
        printf("form %d: second correction at most %.1e of the first, then up to %.1e\n", i, falls, floor);
        assert_true(falls < 0.1);  // before round-off takes over
        assert_true(floor >= low[i] && floor <= high[i]);
        lab_end(&b);
    }
    tml_system_destroy(sys);
}

// [A] tables 1 and 2. Without scaling m^2 h^-4; with s = 1 no h, but m^2; with s of (6) neither. Constants:
// of the printed matrices as h goes to 0, computed apart from us; the paper's own differ (docs/papers.md).
static void tables_of_the_spring_pendulum(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_conditioning c[3];
    double angle, last[3] = {0};
    for (double h = 1e-1; h > 0.9e-4; h /= 10) {
        if (!lab_spring_run(1, h, c, &angle, &err)) fail_msg("h = %g: %s", h, err.msg);
        CHECK_CLOSE(c[0].condition_2 * pow(h, 4), 1, 3e-3);  // 1 + O(h^2)
        CHECK_CLOSE(c[1].condition_2, 10.91, 0.02);          // the same
        CHECK_CLOSE(c[2].condition_2, 14.18, h > 0.05 ? 0.5 : 0.02);
        if (h < 0.05) {
            CHECK_CLOSE(log10(c[0].condition_2 / last[0]), 4, 0.1);
            CHECK_CLOSE(log10(c[2].condition_2 / last[2]), 0, 0.1);
        }
        for (int i = 0; i < 3; i++) last[i] = c[i].condition_2;
        // the angle swings as a harmonic oscillator: the rule is of order 2; 1e-8: 1e4 steps of round-off
        CHECK_CLOSE(angle, 0.78539816339744831 * cos(sqrt(10)), 0.1 * h * h + 1e-8);
    }
    for (double m = 10; m < 2e5; m *= 10) {
        if (!lab_spring_run(m, 0.01, c, &angle, &err)) fail_msg("m = %g: %s", m, err.msg);
        if (m > 50) {
            CHECK_CLOSE(log10(c[0].condition_2 / last[0]), 2, 0.1);
            CHECK_CLOSE(log10(c[1].condition_2 / last[1]), 2, 0.2);  // (1 + 4/m) off m^2
        }
        CHECK_CLOSE(c[2].condition_2, 14.18, 0.02);
        for (int i = 0; i < 3; i++) last[i] = c[i].condition_2;
    }
}

// [A] (35): the condition number is 1, and elimination without pivoting is wrong all the same.
static void five_digits(void **state)
{
    (void)state;
    double x[3];
    lab_five_digits(1e-3, true, x);
    CHECK_CLOSE(x[0], 1, 1e-12);  // decimal numbers in binary
    CHECK_CLOSE(x[1], 1, 1e-12);
    CHECK_CLOSE(x[2], 0.99999, 1e-12);
    lab_five_digits(1e-3, false, x);
    CHECK_CLOSE(x[0], 1, 1e-12);
    CHECK_CLOSE(x[1], 10, 1e-9);
    CHECK_CLOSE(x[2], 0.99999, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(condition_of_the_pendulum),     cmocka_unit_test(corrections_of_the_pendulum),
        cmocka_unit_test(corrections_of_the_method),     cmocka_unit_test(corrections_saturate),
        cmocka_unit_test(tables_of_the_spring_pendulum), cmocka_unit_test(five_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
