// Contact forces of results: with gravity they are what accelerates the bodies, at the point that they have.
#include "sim_fixture.h"

#define GRAVITY 9.81

typedef struct row {
    double a[3], al[3], q[4], r[3], point[3], normal[3], friction[3];
} row;

// The channels of a row, in its order: body "b", contact "c".
static const char *const channels[] = {
    "b.ax",       "b.ay",         "b.az",         "b.alx",        "b.aly",      "b.alz",
    "b.q0",       "b.q1",         "b.q2",         "b.q3",         "b.x",        "b.y",
    "b.z",        "c.point_x",    "c.point_y",    "c.point_z",    "c.normal_x", "c.normal_y",
    "c.normal_z", "c.friction_x", "c.friction_y", "c.friction_z", NULL};

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// R(q) v = v + 2 w (n x v) + 2 n x (n x v),   q = (w, n)
static void turn(const double q[4], const double v[3], double out[3])
{
    double once[3], twice[3];
    cross(q + 1, v, once);
    cross(q + 1, once, twice);
    for (int i = 0; i < 3; i++) out[i] = v[i] + 2 * (q[0] * once[i] + twice[i]);
}

// Newton and Euler at all rows, for a body with the same inertia about all axes.
static void check_motion(const char *text, const char *up, double mass, double inertia, int least_touching)
{
    tml_error err = {0};
    tml_model *model = text_model(text);
    tml_sim *sim = start_sim(model, NULL);
    const int count = (int)(sizeof channels / sizeof *channels) - 1;
    const char *names[sizeof channels / sizeof *channels] = {0};
    const bool rubs = tml_sim_channel_index(sim, "c.friction_x", NULL) >= 0;
    for (int i = 0; i < (rubs ? count : count - 3); i++) names[i] = channels[i];
    record *r = record_new(sim, names);
    OK(tml_sim_run(sim, NAN, &err));
    int touching = 0;
    for (int k = 0; k < r->rows; k++) {
        row x = {0};
        memcpy(&x, r->value[k], (size_t)(rubs ? count : count - 3) * sizeof(double));
        double arm[3], force[3], moment[3], turning[3], size = mass * GRAVITY, lever = 0;
        for (int i = 0; i < 3; i++) {
            arm[i] = x.point[i] - x.r[i];
            force[i] = x.normal[i] + x.friction[i];
            size = fmax(size, fabs(force[i]));
            lever = fmax(lever, fabs(arm[i]));
        }
        cross(arm, force, moment);
        turn(x.q, x.al, turning);
        for (int i = 0; i < 3; i++) {
            const double weight = up[0] - 'x' == i ? mass * GRAVITY : 0;
            CHECK_CLOSE(mass * x.a[i], force[i] - weight, 1e-9 * size);  // round-off of accelerations
            // corners of a box slip in slightly different directions
            CHECK_CLOSE(inertia * turning[i], moment[i], 1e-8 * size * lever);
        }
        double along = 0;
        for (int i = 0; i < 3; i++) along += x.normal[i] * x.friction[i];
        CHECK_SMALL(along, 1e-9 * size * size);
        touching += x.normal[up[0] - 'x'] > 0;
    }
    if (touching < least_touching) fail_msg("it touches in %d rows", touching);
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

#define BALL(velocity) \
    "gravity: 9.81\n"  \
    "bodies: {b: {mass: 2, inertia: 0.008, position: [0, 0, 0.1], velocity: " velocity "}}\n"
#define FLOOR "shapes: {b: {type: sphere, radius: 0.1}, floor: {type: plane, at: ground}}\n"

static void of_balls(void **state)
{
    (void)state;
    // slides, then rolls; the floor as the second and as the first of the two
    static const char *const order[] = {"a: b, b: floor", "a: floor, b: b"};
    for (int i = 0; i < 2; i++) {
        char text[700];
        snprintf(text, sizeof text,
                 BALL("[3, 1, 0]") FLOOR "contacts: {c: {%s, law: linear, stiffness: 1e5, damping: 100,\n"
                                         "  friction: {law: regularized, coefficient: 0.3, creep: 1e-3}}}\n"
                                         "run: {end: 0.6, output_step: 0.02}\n",
                 order[i]);
        check_motion(text, "z", 2, 0.008, 25);
    }
    check_motion(BALL("[3, 1, 0]") FLOOR
                 "contacts: {c: {a: b, b: floor, law: rigid, restitution: 0, friction: {coefficient: 0.3}}}\n"
                 "run: {end: 0.6, output_step: 0.02}\n",
                 "z", 2, 0.008, 25);
    check_motion(BALL("[3, 1, 4]") FLOOR "contacts: {c: {a: b, b: floor, stiffness: 1e6, restitution: 0.5}}\n"
                                         "run: {end: 1.5, output_step: 0.01}\n",
                 "z", 2, 0.008, 5);
}

// A box that slides: the normal forces of its corners act ahead of its middle.
static void of_boxes(void **state)
{
    (void)state;
    check_motion("gravity: 9.81\nbodies: {b: {mass: 3, inertia: 0.05, position: [0, 0, 0.1], "
                 "velocity: [1.5, 0, 0]}}\n"
                 "shapes: {b: {type: box, size: [0.4, 0.3, 0.2]}, floor: {type: plane, at: ground}}\n"
                 "contacts: {c: {a: b, b: floor, law: linear, stiffness: 1e5, damping: 300,\n"
                 "  friction: {law: regularized, coefficient: 0.4, creep: 1e-3}}}\n"
                 "run: {end: 0.6, output_step: 0.02}\n",
                 "z", 3, 0.05, 25);
    check_motion("planar: true\ngravity: 9.81\n"
                 "bodies: {b: {mass: 3, inertia: 0.05, position: [0, 0.1], velocity: [1.5, 0]}}\n"
                 "shapes: {b: {type: box, size: [0.4, 0.2]}, floor: {type: plane, at: ground}}\n"
                 "contacts: {c: {a: floor, b: b, law: rigid, restitution: 0, friction: {coefficient: 0.4}}}\n"
                 "run: {end: 0.6, output_step: 0.02}\n",
                 "y", 3, 0.05, 25);
}

static void of_tyres(void **state)
{
    (void)state;
    static const char *const tyres[] = {
        "type: tyre, contact: true, along: normal",
        "type: slip-tyre, law: magic-formula, load: 500, longitudinal: {B: 13, C: 1.6, D: 1.1, E: -0.5}, "
        "lateral: {B: 11, C: 1.4, D: 1, E: -0.6}, longitudinal_relaxation: 0.1, lateral_relaxation: 0.4"};
    for (int i = 0; i < 2; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "planar: true\ngravity: 9.81\n"
                 "bodies: {b: {mass: 20, inertia: 0.7, position: [0, 0.3], velocity: [4, 0], "
                 "angular_velocity: -5}}\n"
                 "roads: {street: {type: sine, amplitude: 0.01, wavelength: 0.8}}\n"
                 "forces: {c: {%s, at: b, road: street, radius: 0.3, stiffness: 1e5, damping: 500}}\n"
                 "run: {end: 0.6, output_step: 0.01}\n",
                 tyres[i]);
        check_motion(text, "y", 20, 0.7, 20);
    }
}

// Of two bodies that move the force is that on the second; pairs of groups have names.
static void of_pairs(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model;
    tml_sim *sim =
        sim_of_text("gravity: 9.81\nbodies:\n"
                    "  low: {mass: 2, inertia: 0.008, position: [0, 0, 0.1]}\n"
                    "  top: {mass: 0.5, inertia: 0.008, position: [0, 0, 0.3]}\n"
                    "shapes:\n  low: {type: sphere, radius: 0.1, group: balls}\n"
                    "  top: {type: sphere, radius: 0.1, group: balls}\n  floor: {type: plane, at: ground}\n"
                    "contacts:\n  stack: {a: low, b: top, law: linear, stiffness: 1e5, damping: 300}\n"
                    "  stand: {a: balls, b: floor, law: linear, stiffness: 1e5, damping: 300}\n"
                    "joints:\n  guide: {type: prismatic, a: ground, b: low, axis: [0, 0, 1]}\n"
                    "  rail: {type: prismatic, a: ground, b: top, axis: [0, 0, 1]}\n"
                    "outputs:\n  both: stand.low_floor_normal_z + stand.top_floor_normal_z\n"
                    "run: {end: 1}\n",
                    NULL, 0, &model);
    OK(tml_sim_run(sim, NAN, &err));
    CHECK_CLOSE(channel_value(sim, "stack.normal_z"), 0.5 * GRAVITY, 1e-6);
    CHECK_CLOSE(channel_value(sim, "stack.point_z"), 0.2, 1e-3);  // compressed by 0.3 mm
    CHECK_CLOSE(channel_value(sim, "stand.low_floor_normal_z"), 2.5 * GRAVITY, 1e-6);
    assert_true(channel_value(sim, "stand.top_floor_normal_z") == 0);
    CHECK_CLOSE(channel_value(sim, "both"), 2.5 * GRAVITY, 1e-6);
    assert_int_equal(tml_sim_channel_index(sim, "stand.low_floor_friction_z", NULL), -1);
    end_sim(sim, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_balls), cmocka_unit_test(of_boxes),
                                       cmocka_unit_test(of_tyres), cmocka_unit_test(of_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
