// The energy audit: kinetic + potential + dissipated stays what it was, dissipated being the work that forces
// without a potential and moving constraints have taken out.
#include "sim_fixture.h"

typedef struct balance {
    double error, scale, dissipated, kinetic_range;
} balance;

static balance run(tml_model *m, double end, double tol)
{
    static const char *const names[] = {"energy.kinetic", "energy.potential", "energy.dissipated", NULL};
    tml_run_def def = *tml_model_run(m);
    def.end = end;
    def.tol = tol;
    tml_sim *sim = start_sim(m, &def);
    record *r = record_new(sim, names);
    tml_error err = {0};
    OK(tml_sim_run(sim, NAN, &err));
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    double worst = 0, low = INFINITY, high = 0;
    for (int k = 0; k < r->rows; k++) {
        worst = fmax(worst, fabs(r->value[k][0] + r->value[k][1] + r->value[k][2] - report.energy_start));
        low = fmin(low, r->value[k][0]);
        high = fmax(high, r->value[k][0]);
    }
    assert_true(r->value[0][2] == 0);
    CHECK_CLOSE(r->value[0][0] + r->value[0][1], report.energy_start,
                1e-13 * (1 + fabs(report.energy_start)));
    const int last = r->rows - 1;
    assert_true(report.kinetic == r->value[last][0] && report.potential == r->value[last][1]);
    assert_true(report.dissipated == r->value[last][2] && report.energy_error == worst);
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
    return (balance){report.energy_error, report.energy_scale, report.dissipated, high - low};
}

static tml_model *bundled(const char *name) { return load_model(name, (tml_parameter){0}, NULL); }

// Nothing takes or gives energy: what is missing is the method's error.
static void conservative(void **state)
{
    (void)state;
    static const char *const names[] = {"four_bar", "double_pendulum", "heavy_top"};
    for (int i = 0; i < 3; i++) {
        const balance b = run(bundled(names[i]), 0.4, 1e-5);
        assert_true(b.dissipated == 0 && b.kinetic_range > 1e-3 * b.scale);
        CHECK_SMALL(b.error,
                    3e-4 * b.scale);  // energies are squares of velocities, 30 times the tolerance at most
    }
}

// A spring-damper, a drag and an applied force; the damper's work against the exact decay.
#define SLIDER                                                                                    \
    "bodies: {mass: {mass: 2.3, inertia: 0.1, position: [0, 0, 1.37]}}\n"                         \
    "joints: {guide: {type: prismatic, a: ground, b: mass, axis: [0, 0, 1], point: [0, 0, 0]}}\n" \
    "run: {end: 2, output_step: 0.01, tol: 1e-6}\n"

// The work of the damper up to t [J].
static double lost_by(double t)
{
    // m z'' + c z' + k (z - 1) = 0: w0^2 = k/m, d = c/(2 m); z - 1 = 0.37 exp(-d t)(cos w t + d/w sin w t)
    const double m = 2.3, k = 41.7, c = 1.9, d = c / (2 * m), w = sqrt(k / m - d * d);
    const double decay = 0.37 * exp(-d * t);
    const double z = decay * (cos(w * t) + d / w * sin(w * t)), v = -decay * (w + d * d / w) * sin(w * t);
    return k * 0.37 * 0.37 / 2 - (k * z * z + m * v * v) / 2;
}

#define DAMPED \
    SLIDER "forces: {s: {type: spring, a: ground, b: mass, stiffness: 41.7, damping: 1.9, length: 1}}\n"

static void damped(void **state)
{
    (void)state;
    const double lost = lost_by(2);
    const balance b = run(text_model(DAMPED), 2, 1e-6);
    CHECK_CLOSE(b.dissipated, lost, 1e-5 * lost);  // ten times the tolerance
    CHECK_SMALL(b.error, 1e-5 * b.scale);
    assert_true(lost > 1);
}

// Steps that end at the ticks of a controller are much shorter than the method would make them; Simpson's
// rule is enough for them. A trapezoid would miss (w h)^2/3 = 1e-4 of the work.
static void damped_in_ticks(void **state)
{
    (void)state;
    tml_model *m = text_model(DAMPED);
    tml_run_def def = *tml_model_run(m);
    def.method = "radau5";
    def.tol = 1e-5;
    tml_sim *sim = start_sim(m, &def);
    tml_error err = {0};
    tml_sim_report report;
    enum { TICKS = 400 };
    for (int i = 1; i < TICKS; i++)
        while (tml_sim_time(sim) < 2.0 * i / TICKS) OK(tml_sim_step(sim, 2.0 * i / TICKS, &err));
    tml_sim_get_report(sim, &report);
    assert_in_range(report.count.steps, TICKS - 1, TICKS + 10);  // some short ones at the start
    OK(tml_sim_run(sim, 2, &err));
    tml_sim_get_report(sim, &report);
    CHECK_CLOSE(report.dissipated, lost_by(2), 2e-6 * lost_by(2));  // a fifth of the tolerance
    CHECK_SMALL(report.energy_error, 1e-5 * report.energy_scale);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

static void drag(void **state)
{
    (void)state;
    const balance b =
        run(text_model("gravity: 9.81\n" SLIDER
                       "forces: {air: {type: drag, body: mass, linear: 0.7, quadratic: 1.3}}\n"),
            1.1, 1e-5);
    assert_true(b.dissipated > 1);
    CHECK_SMALL(b.error, 1e-4 * b.scale);
}

static void bundled_dissipative(void **state)
{
    (void)state;
    // within a thousandth of the largest term: the work is a sum of trapezoids over steps of some tolerance
    balance b = run(bundled("stiff_double_pendulum"), 1, 1e-5);
    assert_true(b.dissipated > 1);
    CHECK_SMALL(b.error, 1e-3 * b.scale);
    b = run(bundled("suspension"), 1, 1e-5);
    CHECK_SMALL(b.error, 1e-3 * b.scale);
    b = run(bundled("governor"), 1, 1e-5);
    CHECK_SMALL(b.error, 1e-3 * b.scale);
}

// Energy put in: by a torque (exactly torque times angle), by a motor that prescribes the motion.
static void applied(void **state)
{
    (void)state;
    const char *text =
        "bodies: {rotor: {mass: 1, inertia: [0.2, 0.3, 0.37]}}\n"
        "joints: {bearing: {type: revolute, a: ground, b: rotor, axis: [0, 0, 1], point: [0, 0, 0]}}\n"
        "forces: {motor: {type: applied, at: rotor, torque: [0, 0, 0.91]}}\n"
        "run: {end: 1.7, output_step: 0.01, tol: 1e-5}\n";
    const balance b = run(text_model(text), 1.7, 1e-5);
    const double angle = 0.91 / 0.37 * 1.7 * 1.7 / 2;
    CHECK_CLOSE(b.dissipated, -0.91 * angle, 1e-9);  // constant acceleration: trapezoids are exact
    CHECK_SMALL(b.error, 1e-9);
}

static void driven(void **state)
{
    (void)state;
    // the motor's work equals the change of energy of the machine, to the trapezoids' error at steps of 0.5
    // ms, which see the turn at 10 Hz 200 times: (2 pi/200)^2/12 = 8e-5 at most
    const balance b = run(bundled("slider_crank"), 0.35, 1e-4);
    assert_true(fabs(b.dissipated) > 0.1 * b.scale);
    CHECK_SMALL(b.error, 1e-3 * b.scale);
}

// Rows of a run with their energies: what was supplied, what dampers and what contacts took.
static void check_parts(const char *text, const char *method, void check(const double *row, double tol),
                        double tol)
{
    static const char *const names[] = {
        "t", "b.x", "energy.dissipated", "energy.supplied", "energy.contact_loss", NULL};
    tml_error err = {0};
    tml_model *m;
    tml_sim *sim = sim_of_text(text, method, 0, &m);
    record *r = record_new(sim, names);
    OK(tml_sim_run(sim, NAN, &err));
    for (int k = 0; k < r->rows; k++) check(r->value[k], tol);
    const double *last = r->value[r->rows - 1];
    assert_true(report_of(sim).supplied == last[3] && report_of(sim).contact_loss == last[4]);
    record_free(r);
    end_sim(sim, m);
}

// The force 7 N pulls; the damper takes 3 N s/m times the square of the speed v = 7/3 (1 - exp(-3/2 t)).
static void check_pulled(const double *row, double tol)
{
    const double e = exp(-1.5 * row[0]), square = row[0] - 2 * (1 - e) / 1.5 + (1 - e * e) / 3;
    CHECK_CLOSE(row[3], 7 * row[1], tol);
    CHECK_CLOSE(row[2] + row[3] - row[4], 3 * 49.0 / 9 * square, tol);
    assert_true(row[4] == 0);
}

// A driver moves it by 0.8 t^2; damper, spring and inertia resist.
static void check_driven(const double *row, double tol)
{
    const double t = row[0], x = 0.8 * t * t, v = 1.6 * t, damped = 3 * 1.6 * 1.6 * t * t * t / 3;
    CHECK_CLOSE(row[3], v * v + 40 * x * x / 2 + damped, tol);
    CHECK_CLOSE(row[2] + row[3] - row[4], damped, tol);
}

// It slides under the force 12 N with the friction 0.3 times its weight on a rigid floor,
static void check_sliding(const double *row, double tol)
{
    CHECK_CLOSE(row[3], 12 * row[1], tol);
    CHECK_CLOSE(row[4], 0.3 * 2 * 9.81 * row[1], tol);
    CHECK_SMALL(row[2] + row[3] - row[4], tol);
}

static void of_several_kinds(void **state)
{
    (void)state;
#define CART(more)                                       \
    "planar: true\nbodies: {b: {mass: 2, inertia: 1}}\n" \
    "joints:\n  rail: {type: prismatic, a: ground, b: b, axis: [1, 0]}\n" more
    static const char *const pulled =
        CART("forces:\n  damper: {type: coordinate, of: rail.distance, damping: 3}\n"
             "  pull: {type: applied, at: b, force: [7, 0]}\nrun: {end: 1, tol: 1e-8}\n");
    static const char *const driven =
        CART("  motor: {type: driver, of: rail.distance, motion: 0.8*t^2}\n"
             "forces:\n  damper: {type: coordinate, of: rail.distance, damping: 3}\n"
             "  spring: {type: coordinate, of: rail.distance, stiffness: 40}\nrun: {end: 1, tol: 1e-8}\n");
    static const char *const sliding =
        "planar: true\ngravity: 9.81\nbodies: {b: {mass: 2, inertia: 1, position: [0, 0.1]}}\n"
        "shapes: {b: {type: box, size: [2, 0.2]}, floor: {type: plane, at: ground}}\n"
        "contacts: {c: {a: b, b: floor, law: rigid, restitution: 0, friction: {coefficient: 0.3}}}\n"
        "forces: {pull: {type: applied, at: b, force: [12, 0]}}\nrun: {end: 1, tol: 1e-8}\n";
    // errors of rows within long steps, of up to 18 J; genalpha has the second order
    static const struct {
        const char *method;
        double tol;
    } methods[] = {{"genalpha", 1e-4}, {"radau5", 1e-6}, {"erk5", 1e-6}, {"bdf", 1e-5},
                   {"adams", 1e-5},    {"erk8", 1e-6},   {"auto", 1e-5}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        check_parts(pulled, methods[i].method, check_pulled, methods[i].tol);
        // its rule of trapezoids errs by the square of steps, which a parabola does not limit
        if (i > 0) check_parts(driven, methods[i].method, check_driven, methods[i].tol);
    }
    check_parts(sliding, NULL, check_sliding, 1e-6);
    check_parts(sliding, "erk8", check_sliding, 1e-6);
}

// Friction of a ball that is driven along a plane, x = t + 0.01 sin(60 t), whose speed changes much in a long
// step: it takes mu N x, and what the driver supplies and the friction takes are the whole work.
static void rough_loss(void **state)
{
    (void)state;
    static const char text[] =
        "planar: true\nbodies: {b: {mass: 2, inertia: 1, position: [0, 0.099], velocity: [1.6, 0]}}\n"
        "shapes: {b: {type: sphere, radius: 0.1}, floor: {type: plane, at: ground}}\n"
        "contacts: {c: {a: b, b: floor, law: linear, stiffness: 1e4,\n"
        "  friction: {law: regularized, coefficient: 0.3, creep: 1e-6}}}\n"
        "joints:\n  rail: {type: prismatic, a: ground, b: b, axis: [1, 0], point: [0, 0.099]}\n"
        "  motor: {type: driver, of: rail.distance, motion: t + 0.01*sin(60*t)}\n"
        "run: {end: 1, output_step: 1}\n";
    static const char *const methods[] = {"radau5", "erk5", "erk8", "for-sdirk"};
    const double N = 1e4 * 0.001, x = 1 + 0.01 * sin(60);
    for (int i = 0; i < 8; i++) {
        const double tol = i % 2 ? 1e-4 : 1e-6;
        tml_error err = {0};
        tml_model *m;
        tml_sim *sim = sim_of_text(text, methods[i / 2], tol, &m);
        OK(tml_sim_run(sim, NAN, &err));
        const double loss = channel_value(sim, "energy.contact_loss"),
                     supplied = channel_value(sim, "energy.supplied"),
                     dissipated = channel_value(sim, "energy.dissipated");
        CHECK_CLOSE(loss, 0.3 * N * x, 10 * tol);
        CHECK_CLOSE(dissipated, loss - supplied, 1e-13 * fmax(loss, supplied));
        end_sim(sim, m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conservative),
                                       cmocka_unit_test(damped),
                                       cmocka_unit_test(damped_in_ticks),
                                       cmocka_unit_test(drag),
                                       cmocka_unit_test(bundled_dissipative),
                                       cmocka_unit_test(applied),
                                       cmocka_unit_test(driven),
                                       cmocka_unit_test(of_several_kinds),
                                       cmocka_unit_test(rough_loss)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
