// Blades, wheels and driven rates in models: known motions, with every family of methods.
#include "sim_fixture.h"

#include <trammel/check.h>

static const char *const methods[] = {"genalpha", "bdf", "radau5", "for-sdirk", "ggl", "erk8", NULL};

// The largest values of the channels over a run.
static void largest(const tml_model *model, const char *method, double tol, const char *const *names,
                    double *out)
{
    tml_error err = {0};
    tml_run_def run = *tml_model_run(model);
    run.method = method;
    run.tol = tol;
    tml_sim *sim = start_sim(model, &run);
    record *r = record_new(sim, names);
    OK(tml_sim_run(sim, NAN, &err));
    assert_true(r->rows > 100);
    for (int i = 0; names[i]; i++) out[i] = 0;
    for (int k = 0; k < r->rows; k++)
        for (int i = 0; names[i]; i++) out[i] = fmax(out[i], fabs(r->value[k][i]));
    record_free(r);
    tml_sim_destroy(sim);
}

// The cycloid of the textbook; the blade does not skid.
static void skate(void **state)
{
    (void)state;
    static const char *const names[] = {"off_x", "off_y", "skid", NULL};
    tml_model *model = load_model("skate", (tml_parameter){0}, NULL);
    for (int i = 0; methods[i]; i++) {
        double most[3];
        largest(model, methods[i], 1e-7, names, most);
        printf("%-10s off %.1e %.1e skid %.1e\n", methods[i], most[0], most[1], most[2]);
        CHECK_SMALL(most[0], 1e-7);
        CHECK_SMALL(most[1], 1e-7);
        CHECK_SMALL(most[2], 1e-9);  // the direction of the blade is that of the exact motion
    }
    tml_model_destroy(model);
}

typedef struct contact {
    const tml_system *sys;
    void *work;
    double slip, height;
} contact;

static tml_status look_at_contact(const tml_sim *sim, const tml_state *x, void *user)
{
    (void)sim;
    contact *c = user;
    double phi[3], phidot[3];
    assert_int_equal(c->sys->ops->position(c->sys->self, c->work, x, phi, NULL), TML_OK);
    assert_int_equal(c->sys->ops->velocity(c->sys->self, c->work, x, phidot, NULL), TML_OK);
    c->height = fmax(c->height, fabs(phi[0]));
    for (int i = 0; i < 3; i++) c->slip = fmax(c->slip, fabs(phidot[i]));
    return TML_OK;
}

// The steady turn stays one, and the rows are kept in every output.
static void steady_turn(void **state)
{
    (void)state;
    static const char *const names[] = {"lean", "off_x", "off_y", NULL};
    tml_model *model = load_model("rolling_disc", (tml_parameter){0}, NULL);
    const int count = less_if_slow("two methods") ? 2 : 100;
    for (int i = 0; methods[i] && i < count; i++) {
        tml_error err = {0};
        double most[3];
        largest(model, methods[i], 1e-7, names, most);
        tml_run_def run = *tml_model_run(model);
        run.method = methods[i];
        run.tol = 1e-5;
        run.end = 1;
        tml_sim *sim = start_sim(model, &run);
        contact c = {.sys = tml_model_system(model)};
        c.work = c.sys->ops->create_work(c.sys->self, NULL);
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = look_at_contact, .user = &c});
        OK(tml_sim_run(sim, NAN, &err));
        c.sys->ops->destroy_work(c.work);
        tml_sim_destroy(sim);
        printf("%-10s lean %.1e off %.1e %.1e; slip %.1e height %.1e\n", methods[i], most[0], most[1],
               most[2], c.slip, c.height);
        for (int k = 0; k < 3; k++) CHECK_SMALL(most[k], 1e-6);
        CHECK_SMALL(c.slip, 1e-12);
        CHECK_SMALL(c.height, 1e-12);
    }
    tml_model_destroy(model);
}

// ---- stability of an upright disc -------------------------------------------------------------------------

// An upright disc rolls at `share` of the critical speed.
static tml_check *upright(double share, tml_model **model)
{
    char text[900];
    tml_error err = {0};
    tml_check *check = NULL;
    snprintf(text, sizeof text,
             "gravity: 9.81\n"
             "parameters: {m: 2, r: 0.3, A: m*r^2/4, C: m*r^2/2, f: %.17g,\n"
             "  w3: f*sqrt(A*m*9.81*r/(C*(C + m*r^2)))}\n"
             "bodies:\n"
             "  disc: {mass: m, inertia: [A, A, C], position: [0, 0, r],\n"
             "    orientation: {axis: [1, 0, 0], angle: 90 deg}, angular_velocity: [0, 0, w3],\n"
             "    velocity: [-r*w3, 0, 0]}\n"
             "joints:\n"
             "  contact: {type: wheel, a: ground, b: disc, radius: r}\n",
             share);
    *model = text_model(text);
    OK(tml_check_create(*model, 0, &check, &err));
    assert_int_equal(check->freedoms, 3);
    assert_int_equal(check->rows, 3);
    return check;
}

// The square of the fastest root: (m g r - C (C + m r^2) w3^2/A)/(A + m r^2) = (g/r) (4/5) (1 - share^2).
static double fastest_squared(double share)
{
    tml_model *model;
    tml_check *c = upright(share, &model);
    assert_true(c->has_spectrum && c->steady);
    const tml_check_eigenvalue s = c->eigenvalues[c->eigenvalue_count - 1];
    const double square = s.re * s.re - s.im * s.im;
    tml_check_destroy(c);
    tml_model_destroy(model);
    return square;
}

static void stability_speed(void **state)
{
    (void)state;
    const double unit = 9.81 / 0.3 * 0.8;
    for (double share = 0.7; share < 1.5; share += 0.1) {
        const double want = unit * (1 - share * share);
        CHECK_CLOSE(fastest_squared(share), want, 1e-9 * unit);
    }
    // unstable just below the critical speed, stable just above
    assert_true(fastest_squared(1 - 1e-6) > 0);
    assert_true(fastest_squared(1 + 1e-6) < 0);
}

// ---- driven rates -----------------------------------------------------------------------------------------

// The rate of an angle is driven from any start; the work of the driver closes the balance of energy.
static void driven_rate(void **state)
{
    (void)state;
    static const char *const names[] = {"off", "rate_off", "balance", NULL};
    tml_model *model = text_model("gravity: 9.81\n"
                                  "bodies:\n"
                                  "  arm: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [0.5, 0, 0],\n"
                                  "    frames: {hub: [-0.5, 0, 0]}}\n"
                                  "joints:\n"
                                  "  pin: {type: revolute, a: ground, b: arm.hub, axis: [0, 1, 0]}\n"
                                  "  motor: {type: driver, of: pin.angle, speed: 3*sin(2*t)}\n"
                                  "outputs:\n"
                                  "  off: pin.angle - 1.5*(1 - cos(2*t))\n"
                                  "  rate_off: pin.rate - 3*sin(2*t)\n"
                                  "  balance: 0.35*(3*sin(2*t))^2 - 2*9.81*0.5*sin(pin.angle)\n"
                                  "run: {end: 5, output_step: 0.02}\n");
    for (int i = 0; methods[i]; i++) {
        double most[3];
        largest(model, methods[i], 1e-7, names, most);
        printf("%-10s off %.1e rate %.1e\n", methods[i], most[0], most[1]);
        CHECK_SMALL(most[0], 1e-6);
        CHECK_SMALL(most[1], 1e-12);
    }
    // energy at the end: kinetic + potential = dissipated (negative: the driver has done work)
    static const char *const energies[] = {"energy.kinetic", "energy.potential", "energy.dissipated", NULL};
    tml_error err = {0};
    tml_run_def run = *tml_model_run(model);
    run.method = "radau5";
    run.tol = 1e-8;
    tml_sim *sim = start_sim(model, &run);
    record *r = record_new(sim, energies);
    OK(tml_sim_run(sim, NAN, &err));
    const double *first = r->value[0], *last = r->value[r->rows - 1];
    CHECK_SMALL(last[0] + last[1] + last[2] - first[0] - first[1] - first[2], 1e-6);
    assert_true(fabs(last[2]) > 0.1);
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// A wheel in the plane: a hoop on a slope rolls with half the acceleration of gravity along it.
static void hoop_on_slope(void **state)
{
    (void)state;
    static const char *const names[] = {"off", NULL};
    tml_model *model = text_model("planar: true\n"
                                  "gravity: [9.81*sin(0.3), -9.81*cos(0.3)]\n"
                                  "ground: {frames: {up: {orientation: {axis: [1, 0, 0], angle: -90 deg}}}}\n"
                                  "bodies: {hoop: {mass: 2, inertia: 2*0.4^2, position: [0, 0.4]}}\n"
                                  "joints: {contact: {type: wheel, a: ground.up, b: hoop, radius: 0.4}}\n"
                                  "outputs: {off: hoop.x - 9.81*sin(0.3)*t^2/4}\n"
                                  "run: {end: 3, output_step: 0.02}\n");
    for (int i = 0; methods[i]; i++) {
        double most[1];
        largest(model, methods[i], 1e-7, names, most);
        CHECK_SMALL(most[0], 1e-7);
    }
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(skate), cmocka_unit_test(steady_turn),
                                       cmocka_unit_test(stability_speed), cmocka_unit_test(driven_rate),
                                       cmocka_unit_test(hoop_on_slope)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
