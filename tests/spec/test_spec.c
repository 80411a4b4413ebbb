// Definitions made by calls: each check of a single field, and that a refused definition changes nothing.
#include "support.h"

#include "spec/spec.h"

static tml_spec *fresh(void)
{
    tml_spec *s = NULL;
    assert_int_equal(tml_spec_create(NULL, &s, NULL), TML_OK);
    return s;
}

static tml_body_def a_body(const char *name)
{
    tml_body_def d = tml_body_def_default();
    d.name = name;
    d.mass = 1.37;
    d.inertia[0] = 0.31, d.inertia[1] = 0.42, d.inertia[2] = 0.53;
    return d;
}

static tml_joint_def a_joint(const char *name, tml_joint_type type)
{
    tml_joint_def d = tml_joint_def_default();
    d.name = name;
    d.type = type;
    d.a = "ground";
    d.b = "rod";
    return d;
}

#define REFUSE(call, spec, count, fragment)                                                        \
    do {                                                                                           \
        tml_error refuse_err = {0};                                                                \
        const int refuse_before = (spec)->count;                                                   \
        if ((call)(spec, &d, &refuse_err) == TML_OK) fail_msg("accepted, expected: %s", fragment); \
        assert_int_equal((spec)->count, refuse_before);                                            \
        if (!strstr(refuse_err.msg, fragment)) fail_msg("found: %s", refuse_err.msg);              \
    } while (0)

static void bodies(void **state)
{
    (void)state;
    tml_spec *s = fresh();
    const double wrong_mass[] = {-1e-9, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        tml_body_def d = a_body("rod");
        d.mass = wrong_mass[i];
        REFUSE(tml_spec_add_body, s, nbodies, "'mass' is");
    }
    const char *const wrong_names[] = {"ground", "t", "pi", "and", "1st", "a.b", "a b", "", NULL, "deg"};
    for (size_t i = 0; i < sizeof wrong_names / sizeof *wrong_names; i++) {
        tml_body_def d = a_body(wrong_names[i]);
        REFUSE(tml_spec_add_body, s, nbodies, "name");
    }
    {
        tml_body_def d = a_body("rod");
        d.size = 8;
        REFUSE(tml_spec_add_body, s, nbodies, "tml_body_def_default");
        d = a_body("rod");
        d.position[1] = NAN;
        REFUSE(tml_spec_add_body, s, nbodies, "entry 2 of 'position' is nan");
        d = a_body("rod");
        memset(d.orientation, 0, sizeof d.orientation);
        REFUSE(tml_spec_add_body, s, nbodies, "'orientation' has length 0");
        d = a_body("rod");
        d.point = true;
        REFUSE(tml_spec_add_body, s, nbodies, "no inertia");
    }
    tml_body_def d = a_body("rod");
    d.orientation[0] = 0.6, d.orientation[3] = -0.8 * 1.5, d.orientation[0] *= 1.5;
    tml_error err = {0};
    assert_int_equal(tml_spec_add_body(s, &d, &err), TML_OK);
    CHECK_CLOSE(s->bodies[0].def.orientation[3], -0.8, 1e-15);
    assert_ptr_not_equal(s->bodies[0].def.name, d.name);
    REFUSE(tml_spec_add_body, s, nbodies, "already used by a body");
    tml_spec_destroy(s);
}

// The tensor of random point masses is always possible, whatever the axes; taking 3 % of its trace from one
// second moment of a plate never is.
static void inertia(void **state)
{
    (void)state;
    tml_spec *s = fresh();
    rng r = rng_seed(17);
    for (int k = 0; k < 200; k++) {
        double S[6] = {0};  // xx yy zz xy xz yz
        const int points = 1 + k % 5;
        for (int p = 0; p < points; p++) {
            const double m = rng_range(&r, 0.1, 2), x = rng_range(&r, -1, 1), y = rng_range(&r, -1, 1),
                         z = rng_range(&r, -1, 1);
            const double q[6] = {x * x, y * y, z * z, x * y, x * z, y * z};
            for (int i = 0; i < 6; i++) S[i] += m * q[i];
        }
        const double scale = pow(10, rng_range(&r, -9, 9)), tr = S[0] + S[1] + S[2];
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        tml_body_def d = a_body(name);
        for (int i = 0; i < 3; i++) d.inertia[i] = scale * (tr - S[i]), d.inertia[3 + i] = -scale * S[3 + i];
        tml_error err = {0};
        if (tml_spec_add_body(s, &d, &err) != TML_OK) fail_msg("%s", err.msg);
        if (points > 2) continue;
        snprintf(name, sizeof name, "c%d", k);  // S has a zero eigenvalue: shrink all by 3 % of the trace
        for (int i = 0; i < 3; i++) d.inertia[i] = scale * (0.91 * tr - S[i] + 0.03 * tr);
        REFUSE(tml_spec_add_body, s, nbodies, "body 'c");  // the sum rule, or a negative moment
    }
    tml_body_def d = a_body("rounded_plate");
    d.inertia[0] = 0.1234, d.inertia[1] = 0.2345, d.inertia[2] = 0.3580;  // sum 0.3579
    assert_int_equal(tml_spec_add_body(s, &d, NULL), TML_OK);
    tml_spec_destroy(s);
}

static void planar(void **state)
{
    (void)state;
    tml_spec *s = fresh();
    tml_spec_set_planar(s, true);
    tml_body_def d = a_body("rod");
    memset(d.inertia, 0, sizeof d.inertia);
    d.inertia[2] = 0.7;
    d.position[2] = 0.1;
    REFUSE(tml_spec_add_body, s, nbodies, "z entry of 'position'");
    d.position[2] = 0;
    d.angular_velocity[0] = 0.3;
    REFUSE(tml_spec_add_body, s, nbodies, "must be about the z axis");
    d.angular_velocity[0] = 0;
    d.orientation[1] = 0.4;
    REFUSE(tml_spec_add_body, s, nbodies, "must be about the z axis");
    d.orientation[1] = 0;
    assert_int_equal(tml_spec_add_body(s, &d, NULL), TML_OK);
    tml_spec_destroy(s);
}

static void joints(void **state)
{
    (void)state;
    tml_spec *s = fresh();
    tml_joint_def d = a_joint("pin", TML_JOINT_REVOLUTE);
    d.pitch = 0.01;
    REFUSE(tml_spec_add_joint, s, njoints,
           "'pitch' does not apply to a revolute joint; it belongs to: screw");
    d = a_joint("pin", TML_JOINT_SCREW);
    REFUSE(tml_spec_add_joint, s, njoints, "'pitch' is missing");
    d = a_joint("pin", TML_JOINT_GEAR);
    REFUSE(tml_spec_add_joint, s, njoints, "'a' does not apply to a gear joint");
    d = a_joint("pin", TML_JOINT_SPHERICAL);
    d.has_axis = true;
    d.axis[0] = 1;
    REFUSE(tml_spec_add_joint, s, njoints, "'axis' does not apply to a spherical joint");
    d = a_joint("pin", TML_JOINT_DISTANCE);
    d.length = 0;
    REFUSE(tml_spec_add_joint, s, njoints, "'length' is 0, expected a number > 0");
    d = a_joint("pin", TML_JOINT_REVOLUTE);
    d.b = NULL;
    REFUSE(tml_spec_add_joint, s, njoints, "'b' is missing");
    d = a_joint("pin", TML_JOINT_REVOLUTE);
    d.b = "rod.";
    REFUSE(tml_spec_add_joint, s, njoints, "expected a frame");
    d = a_joint("pin", TML_JOINT_REVOLUTE);
    d.has_axis = true;
    REFUSE(tml_spec_add_joint, s, njoints, "'axis' has length 0");
    d = a_joint("pin", (tml_joint_type)77);
    REFUSE(tml_spec_add_joint, s, njoints, "not a type of joint");
    d = a_joint("pin", TML_JOINT_DISTANCE);
    assert_int_equal(tml_spec_add_joint(s, &d, NULL), TML_OK);
    tml_spec_destroy(s);
}

static void roads(void **state)
{
    (void)state;
    tml_spec *s = fresh();
    tml_road_def d = tml_road_def_default();
    d.name = "way";
    d.type = TML_ROAD_BUMP;
    REFUSE(tml_spec_add_road, s, nroads, "'diameter' is missing");
    d.diameter = 0.1;
    d.wavelength = 1;
    REFUSE(tml_spec_add_road, s, nroads, "'wavelength' does not apply to a bump road; it belongs to: sine");
    d.wavelength = NAN;
    d.direction[0] = 0;
    REFUSE(tml_spec_add_road, s, nroads, "'direction' has length 0");
    d.direction[2] = 1;
    REFUSE(tml_spec_add_road, s, nroads, "not perpendicular");
    d.type = (tml_road_type)17;
    REFUSE(tml_spec_add_road, s, nroads, "not a type of road");
    d = tml_road_def_default();
    d.name = "way";
    d.type = TML_ROAD_TABLE;
    REFUSE(tml_spec_add_road, s, nroads, "'table' is missing");
    const double table[] = {0, 1, 2, 3};
    d.table = table;
    d.table_count = 2;
    tml_error err = {0};
    assert_int_equal(tml_spec_add_road(s, &d, &err), TML_OK);
    REFUSE(tml_spec_add_road, s, nroads, "'way' is already used by a road");
    assert_true(s->roads[0].def.table != table && s->roads[0].def.table[3] == 3);
    tml_spec_destroy(s);
}

static void forces(void **state)
{
    (void)state;
    tml_spec *s = fresh();
    const double table[] = {-0.1, -3, 0.2, 4, 0.2, 5};
    tml_force_def d = tml_force_def_default();
    d.name = "f";
    d.a = "ground";
    d.b = "rod.tip";
    d.table = table;
    d.table_count = 3;
    REFUSE(tml_spec_add_force, s, nforces, "row 3 of 'table' starts with 0.2 after 0.2");
    d.table_count = 1;
    REFUSE(tml_spec_add_force, s, nforces, "expected at least 2");
    d.table_count = 2;
    d.stiffness = NAN;
    REFUSE(tml_spec_add_force, s, nforces, "'stiffness' is nan, expected a finite number");
    d.stiffness = 5.5;
    d.linear = 1;
    REFUSE(tml_spec_add_force, s, nforces, "'linear' does not apply to a spring force; it belongs to: drag");
    d.linear = 0;
    d.contact = false;
    REFUSE(tml_spec_add_force, s, nforces, "'contact' does not apply to a spring force; it belongs to: tyre");
    d.contact = true;
    d.stiffness6[4] = 1;
    REFUSE(tml_spec_add_force, s, nforces, "it belongs to");
    d.stiffness6[4] = 0;
    tml_error err = {0};
    if (tml_spec_add_force(s, &d, &err) != TML_OK) fail_msg("%s", err.msg);
    assert_ptr_not_equal(s->forces[0].def.table, table);
    CHECK_CLOSE(s->forces[0].def.table[3], 4, 0);
    tml_spec_destroy(s);
}

static void others(void **state)
{
    (void)state;
    tml_spec *s = fresh();
    {
        tml_frame_def d = tml_frame_def_default();
        d.body = "rod", d.name = "tip";
        assert_int_equal(tml_spec_add_frame(s, &d, NULL), TML_OK);
        REFUSE(tml_spec_add_frame, s, nframes, "'rod.tip' is already used by a frame");
        d.body = "bar";
        assert_int_equal(tml_spec_add_frame(s, &d, NULL), TML_OK);
        d.body = "a.b";
        REFUSE(tml_spec_add_frame, s, nframes, "name of a body");
    }
    {
        tml_output_def d = tml_output_def_default();
        d.name = "x";
        REFUSE(tml_spec_add_output, s, noutputs, "'value' is missing");
        d.value = " ";
        REFUSE(tml_spec_add_output, s, noutputs, "an expression");
        d.value = "rod.x";
        assert_int_equal(tml_spec_add_output(s, &d, NULL), TML_OK);
    }
    {
        tml_event_def d = tml_event_def_default();
        d.name = "x";
        d.when = "t - 1";
        d.direction = 2;
        REFUSE(tml_spec_add_event, s, nevents, "'direction' is 2");
        d.direction = -1;
        assert_int_equal(tml_spec_add_event(s, &d, NULL), TML_OK);
    }
    tml_error err = {0};
    tml_run_def run = tml_run_def_default();
    run.end = run.start;
    assert_int_equal(tml_spec_set_run(s, &run, &err), TML_ERR_MODEL);
    run = tml_run_def_default();
    run.rho = 1.01;
    assert_int_equal(tml_spec_set_run(s, &run, &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "'rho' is 1.01, expected a number from 0 to 1"));
    run.rho = 0.25;
    assert_int_equal(tml_spec_set_run(s, &run, &err), TML_OK);
    CHECK_CLOSE(tml_spec_run(s)->rho, 0.25, 0);
    assert_int_equal(tml_spec_set_title(s, "a title", NULL), TML_OK);
    assert_null(tml_spec_text(s));
    tml_spec_destroy(s);
    tml_spec_destroy(NULL);
}

// More names than the table of names starts with; all stay known.
static void many(void **state)
{
    (void)state;
    tml_spec *s = fresh();
    char name[16];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        const tml_body_def d = a_body(name);
        assert_int_equal(tml_spec_add_body(s, &d, NULL), TML_OK);
    }
    for (int i = 0; i < 3000; i += 7) {
        snprintf(name, sizeof name, "n%d", i);
        const tml_joint_def d = a_joint(name, TML_JOINT_FIXED);
        assert_int_equal(tml_spec_add_joint(s, &d, NULL), TML_ERR_NAME);
        assert_string_equal(s->bodies[i].def.name, name);
    }
    tml_spec_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies), cmocka_unit_test(inertia), cmocka_unit_test(planar),
        cmocka_unit_test(joints), cmocka_unit_test(roads),   cmocka_unit_test(forces),
        cmocka_unit_test(others), cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
