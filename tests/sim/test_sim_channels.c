// Channels: names, order, units, places in the file; the values of reactions against the literature.
#include "sim_fixture.h"

// The order promised to readers of the files: t; per body pose and velocities; per joint coordinates and
// reaction; energies, residuals, step; the model's outputs; then forces.
static void order(void **state)
{
    (void)state;
    tml_model *m =
        text_model("bodies:\n"
                   "  arm: {mass: 1, inertia: 0.1, position: [0.31, 0, 0], frames: {tip: [0.4, 0, 0]}}\n"
                   "  bob: {mass: 1, point: true, position: [0.71, 0, -0.5]}\n"
                   "joints:\n"
                   "  pin: {type: revolute, a: ground, b: arm, point: [0, 0, 0], axis: [0, 1, 1]}\n"
                   "  rope: {type: distance, a: arm.tip, b: bob}\n"
                   "forces:\n"
                   "  coil: {type: torsion, a: ground, b: arm, stiffness: 3}\n"
                   "  push: {type: applied, at: bob, force: [0.2, 0, 0]}\n"
                   "  band: {type: spring, a: ground, b: bob, stiffness: 5}\n"
                   "outputs: {height: bob.z, twice: 2*pin.angle}\n"
                   "run: {end: 0.1}\n");
    static const char *const body[] = {"x",  "y",  "z",  "q0", "q1", "q2", "q3",  "vx",  "vy", "vz",
                                       "wx", "wy", "wz", "ax", "ay", "az", "alx", "aly", "alz"};
    static const char *const body_unit[] = {"m", "1", "m/s", "rad/s", "m/s^2", "rad/s^2"};
    static const char *const rest[] = {"pin.angle",
                                       "pin.rate",
                                       "pin.angle_acceleration",
                                       "pin.fx",
                                       "pin.fy",
                                       "pin.fz",
                                       "pin.mx",
                                       "pin.my",
                                       "pin.mz",
                                       "rope.distance",
                                       "rope.speed",
                                       "rope.distance_acceleration",
                                       "rope.fx",
                                       "rope.fy",
                                       "rope.fz",
                                       "rope.mx",
                                       "rope.my",
                                       "rope.mz",
                                       "energy.kinetic",
                                       "energy.potential",
                                       "energy.dissipated",
                                       "energy.supplied",
                                       "energy.contact_loss",
                                       "constraint.position",
                                       "constraint.velocity",
                                       "step",
                                       "height",
                                       "twice",
                                       "coil.angle",
                                       "coil.force",
                                       "band.length",
                                       "band.force"};
    static const char *const unit[] = {"rad", "rad/s", "rad/s^2", "N",     "N",   "N",   "N m", "N m",
                                       "N m", "m",     "m/s",     "m/s^2", "N",   "N",   "N",   "N m",
                                       "N m", "N m",   "J",       "J",     "J",   "J",   "J",   NULL,
                                       NULL,  "s",     NULL,      NULL,    "rad", "N m", "m",   "N"};
    tml_sim *sim = start_sim(m, NULL);
    const tml_channel *c = tml_sim_channels(sim);
    const int count = tml_sim_channel_count(sim);
    static const char *const attitude[] = {"roll", "pitch", "yaw", "roll_rate", "pitch_rate", "yaw_rate"};
    assert_int_equal(count, 1 + 2 * 19 + 6 + 32);  // a point has no attitude
    assert_string_equal(c[0].name, "t");
    assert_string_equal(c[0].unit, "s");
    assert_string_equal(c[0].dataset, "/t");
    for (int i = 0; i < 38; i++) {
        char name[32];
        const int k = i % 19, at = 1 + i + (i < 19 ? 0 : 6);
        snprintf(name, sizeof name, "%s.%s", i < 19 ? "arm" : "bob", body[k]);
        assert_string_equal(c[at].name, name);
        assert_string_equal(c[at].unit, body_unit[k < 3 ? 0 : k < 7 ? 1 : (k - 1) / 3]);
        const bool turns = (k >= 3 && k < 7) || (k >= 10 && k < 13) || k >= 16;
        assert_int_equal(c[at].fixed, i >= 19 && turns);  // bob is a point mass
    }
    for (int i = 0; i < 6; i++) {
        char name[32];
        snprintf(name, sizeof name, "arm.%s", attitude[i]);
        assert_string_equal(c[20 + i].name, name);
        assert_string_equal(c[20 + i].unit, i < 3 ? "rad" : "rad/s");
        assert_true(c[20 + i].detail && !c[20 + i].fixed);
    }
    for (int i = 0; i < 32; i++) {
        assert_string_equal(c[45 + i].name, rest[i]);
        if (unit[i]) assert_string_equal(c[45 + i].unit, unit[i]);
    }
    assert_string_equal(c[1].dataset, "/bodies/arm/position");
    assert_string_equal(c[channel_index(sim, "rope.fy")].dataset, "/joints/rope/force");
    assert_int_equal(c[channel_index(sim, "rope.fy")].component, 1);
    assert_true(c[channel_index(sim, "pin.angle_acceleration")].detail);
    assert_false(c[channel_index(sim, "pin.rate")].detail);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// Names are unique, a place in a file is taken once, the parts of a dataset are neighbours with one unit.
static void unique(void **state)
{
    (void)state;
    for (const char *const *name = bundled_models(); *name; name++) {
        tml_model *m = load_model(*name, (tml_parameter){0}, NULL);
        tml_sim *sim = start_sim(m, NULL);
        const tml_channel *c = tml_sim_channels(sim);
        const int count = tml_sim_channel_count(sim);
        for (int i = 0; i < count; i++) {
            assert_true(c[i].name[0] && c[i].unit[0] && c[i].dataset[0] == '/');
            assert_true(c[i].component >= 0 && c[i].component < c[i].width);
            for (int j = 0; j < i; j++) {
                if (strcmp(c[i].name, c[j].name) == 0) fail_msg("%s: '%s' twice", *name, c[i].name);
                if (strcmp(c[i].dataset, c[j].dataset) != 0) continue;
                if (c[i].component == c[j].component) fail_msg("%s: '%s' twice", *name, c[i].dataset);
                assert_int_equal(i - j, c[i].component - c[j].component);
                assert_string_equal(c[i].unit, c[j].unit);
                assert_int_equal(c[i].width, c[j].width);
            }
        }
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

// Values against what the state says, and a pendulum's reaction against Newton.
static void values(void **state)
{
    (void)state;
    tml_model *m =
        text_model("gravity: [0, -7.3, 0]\n"
                   "bodies: {rod: {mass: 1.9, inertia: [0.2, 0.25, 0.31], position: [0.6, 0, 0]}}\n"
                   "joints: {pin: {type: revolute, a: ground, b: rod, point: [0, 0, 0], axis: [0, 0, 1]}}\n"
                   "outputs: {sum: rod.x + 10*rod.y + pin.rate, reaction: pin.fy}\n"
                   "run: {end: 0.4, tol: 1e-7}\n");
    static const char *const names[] = {"pin.angle", "pin.fx",   "pin.fy",
                                        "pin.mz",    "rod.wz",   "sum",
                                        "reaction",  "pin.rate", "pin.angle_acceleration",
                                        NULL};
    tml_sim *sim = start_sim(m, NULL);
    record *r = record_new(sim, names);
    tml_error err = {0};
    OK(tml_sim_run(sim, NAN, &err));
    for (int k = 0; k < r->rows; k += 50) {
        const double *v = r->value[k], angle = v[0], w = v[4];
        // J a = -m g l cos(angle) about the pin; acceleration of the centre l (a e_t - w^2 e_r); f + m g = m
        // a
        const double J = 0.31 + 1.9 * 0.36, a = -1.9 * 7.3 * 0.6 * cos(angle) / J, l = 0.6;
        const double fx = 1.9 * l * (-a * sin(angle) - w * w * cos(angle));
        const double fy = 1.9 * (l * (a * cos(angle) - w * w * sin(angle)) + 7.3);
        CHECK_CLOSE(v[1], fx,
                    1e-11);  // consistent to round-off: reactions belong to the row's own angle and rate
        CHECK_CLOSE(v[2], fy, 1e-11);
        CHECK_SMALL(v[3], 1e-12);
        CHECK_CLOSE(v[5], l * cos(angle) + 10 * l * sin(angle) + w, 1e-12);
        assert_true(v[6] == v[2]);
        CHECK_CLOSE(v[7], w, 1e-14);
        CHECK_CLOSE(v[8], a, 1e-11);
    }
    // energy: J w^2/2 = -m g l sin(angle); ten times the tolerance
    const double *last = r->value[r->rows - 1];
    CHECK_CLOSE((0.31 + 1.9 * 0.36) * last[4] * last[4] / 2, -1.9 * 7.3 * 0.6 * sin(last[0]), 1e-5);
    assert_true(last[0] < -0.5);
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// Andrews' mechanism at 0.03 s: the pins at E. Reference: its index-1 formulation with a tight tolerance,
// whose rows are (point of K2) - (point of K3, K4, K6) and M a = f - G' lambda, so that lambda is the force
// on K3, K4, K6.
static void andrews_reactions(void **state)
{
    (void)state;
    static const char *const names[] = {"pin_E3.fx", "pin_E3.fy", "pin_E4.fx", "pin_E4.fy",
                                        "pin_E6.fx", "pin_E6.fy", NULL};
    static const double exact[] = {199.1753481045386281862395, -29.75530997497176332441573,
                                   23.06654361162215112861737, 31.45272527577113707538454,
                                   22.64249478639437857771292, 11.61739235261125590680148};
    tml_model *m = load_model("andrews", (tml_parameter){0}, NULL);
    tml_run_def run = *tml_model_run(m);
    run.tol = 1e-6;
    tml_sim *sim = start_sim(m, &run);
    record *r = record_new(sim, names);
    tml_error err = {0};
    OK(tml_sim_run(sim, NAN, &err));
    // 1e-4 of the force: the angles at the end carry 100 times the tolerance (the crank turns by 15 rad), and
    // the forces go with the angles' squares of rates
    for (int i = 0; i < 6; i += 2) {
        const double *f = &r->value[r->rows - 1][i], size = hypot(exact[i], exact[i + 1]);
        CHECK_CLOSE(f[0], exact[i], 1e-4 * size);
        CHECK_CLOSE(f[1], exact[i + 1], 1e-4 * size);
    }
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(order), cmocka_unit_test(unique),
                                       cmocka_unit_test(values), cmocka_unit_test(andrews_reactions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
