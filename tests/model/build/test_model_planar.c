// Numbers of coordinates and rows: spatial, point masses, and planar models, where rows that no motion in x-y
// changes are dropped. Start values and the size of a model.
#include "model/build/build.h"
#include "support.h"

static tml_spec *begin(bool planar, int bodies, bool point)
{
    tml_spec *spec;
    tml_error err = {0};
    assert_int_equal(tml_spec_create(NULL, &spec, &err), TML_OK);
    tml_spec_set_planar(spec, planar);
    for (int i = 0; i < bodies; i++) {
        char name[24];
        snprintf(name, sizeof name, "b%d", i);
        tml_body_def body = tml_body_def_default();
        body.name = name;
        body.mass = 1.1 + i;
        body.point = point && i == bodies - 1;
        const double angle = body.point ? 0 : 0.37 + 0.81 * i;
        for (int k = 0; k < 3 && !body.point; k++) body.inertia[k] = 0.29;
        body.position[0] = 0.63 - 1.9 * i;
        body.position[1] = -0.21 + 0.43 * i;
        body.orientation[0] = cos(angle / 2);
        body.orientation[3] = sin(angle / 2);
        body.velocity[0] = 0.13 * (i + 1);
        body.velocity[1] = -0.59 * (i + 1);
        body.angular_velocity[2] = body.point ? 0 : 2.17 + i;
        if (tml_spec_add_body(spec, &body, &err) != TML_OK) fail_msg("%s", err.msg);
    }
    return spec;
}

static tml_model *build(tml_spec *spec)
{
    tml_model *m;
    tml_error err = {0};
    if (tmli_model_build(spec, &m, &err) != TML_OK) fail_msg("%s", err.msg);
    tml_spec_destroy(spec);
    return m;
}

static void joint_rows(void **state)
{
    (void)state;
    static const struct {
        tml_joint_type type;
        double axis[3];
        int spatial, planar;
    } cases[] = {
        {TML_JOINT_FIXED, {0}, 6, 3},
        {TML_JOINT_FIXED, {0, 0, 2}, 6, 3},
        {TML_JOINT_REVOLUTE, {0}, 5, 2},
        {TML_JOINT_REVOLUTE, {0, 0, -0.3}, 5, 2},
        {TML_JOINT_PRISMATIC, {0.71, -0.37, 0}, 5, 2},
        {TML_JOINT_CYLINDRICAL, {-0.2, 0.9, 0}, 4, 2},
        {TML_JOINT_CYLINDRICAL, {0, 0, 1}, 4, 2},
        {TML_JOINT_SPHERICAL, {0}, 3, 2},
        {TML_JOINT_UNIVERSAL, {0, 0, 1}, 4, 3},
        {TML_JOINT_CONSTANT_VELOCITY, {0, 0, 1}, 4, 3},
        {TML_JOINT_PLANAR, {0, 0, 1}, 3, 0},
        {TML_JOINT_PLANAR, {0.3, 0.4, 0}, 3, 2},
        {TML_JOINT_POINT_ON_LINE, {0.6, 0.1, 0}, 2, 1},
        {TML_JOINT_POINT_ON_LINE, {0, 0, 1}, 2, 2},
        {TML_JOINT_POINT_ON_PLANE, {0.6, 0.1, 0}, 1, 1},
        {TML_JOINT_POINT_ON_PLANE, {0, 0, 1}, 1, 0},
        {TML_JOINT_DISTANCE, {0}, 1, 1},
        {TML_JOINT_PARALLEL, {0, 0, 1}, 2, 0},
        {TML_JOINT_PARALLEL, {0.4, -0.7, 0}, 2, 1},
        {TML_JOINT_SCREW, {0.4, -0.7, 0}, 5, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int planar = 0; planar < 2; planar++)
            for (int order = 0; order < 3; order++) {
                tml_spec *spec = begin(planar, 2, false);
                tml_joint_def def = tml_joint_def_default();
                tml_error err = {0};
                def.name = "j";
                def.type = cases[i].type;
                def.a = order == 1 ? "ground" : "b0";
                def.b = order == 2 ? "ground" : "b1";
                memcpy(def.axis, cases[i].axis, sizeof def.axis);
                def.has_axis = def.axis[0] != 0 || def.axis[1] != 0 || def.axis[2] != 0;
                def.has_point = def.type != TML_JOINT_DISTANCE && def.type != TML_JOINT_PARALLEL;
                def.point[0] = 0.47;
                if (def.type == TML_JOINT_SCREW) def.pitch = 0.2;
                assert_int_equal(tml_spec_add_joint(spec, &def, &err), TML_OK);
                tml_model *m = build(spec);
                assert_int_equal(m->n, planar ? 6 : 12);
                assert_int_equal(tml_model_joint_count(m), 1);
                if (m->m != (planar ? cases[i].planar : cases[i].spatial))
                    fail_msg("case %zu, planar %d, order %d: %d rows", i, planar, order, m->m);
                assert_int_equal(tml_model_joint_row_count(m, 0), m->m);
                assert_int_equal(m->pattern->n, m->n + m->m);
                assert_int_equal(m->rowptr[m->m], m->m * (order ? 1 : 2) * (planar ? 3 : 6));
                tml_model_destroy(m);
            }
}

// The same from frames whose axes lie askew: as many rows, and none twice.
static void askew_frames(void **state)
{
    (void)state;
    static const struct {
        tml_joint_type type;
        bool in_plane;
        int rows;
    } cases[] = {
        {TML_JOINT_FIXED, true, 3},       {TML_JOINT_FIXED, false, 3}, {TML_JOINT_PRISMATIC, true, 2},
        {TML_JOINT_CYLINDRICAL, true, 2}, {TML_JOINT_PLANAR, true, 2}, {TML_JOINT_POINT_ON_LINE, true, 1},
        {TML_JOINT_PARALLEL, true, 1},    {TML_JOINT_SCREW, true, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tml_spec *spec = begin(true, 2, false);
        tml_error err = {0};
        for (int k = 0; k < 2; k++) {
            // z in the plane or not, then turned about z: x and y point anywhere; the same axes for both at
            // the start
            const quat z = tmli_so3_exp(cases[i].in_plane ? v3(1.5707963267948966, 0, 0) : v3(0.4, 0.3, 0.2));
            const quat body = tmli_so3_exp(v3(0, 0, 0.37 + 0.81 * k));
            tml_frame_def frame = tml_frame_def_default();
            frame.body = k ? "b1" : "b0";
            frame.name = "f";
            q_store(q_mul(q_conj(body), q_mul(z, tmli_so3_exp(v3(0, 0, 0.77)))), frame.orientation);
            assert_int_equal(tml_spec_add_frame(spec, &frame, &err), TML_OK);
        }
        tml_joint_def def = tml_joint_def_default();
        def.name = "j";
        def.type = cases[i].type;
        def.a = "b0.f";
        def.b = "b1.f";
        if (def.type == TML_JOINT_SCREW) def.pitch = 0.2;
        assert_int_equal(tml_spec_add_joint(spec, &def, &err), TML_OK);
        tml_model *m = build(spec);
        if (m->m != cases[i].rows) fail_msg("case %zu: %d rows", i, m->m);
        tml_model_destroy(m);
    }
}

static void coordinates(void **state)
{
    (void)state;
    static const int count[2][2] = {{18, 15}, {9, 8}};
    for (int planar = 0; planar < 2; planar++)
        for (int point = 0; point < 2; point++) {
            tml_model *m = build(begin(planar, 3, point));
            assert_int_equal(m->n, count[planar][point]);
            assert_int_equal(m->m, 0);
            for (int j = 0, node = 0, k = 0; j < m->n; j++, k++) {
                if (k == m->node[node].ncoords) {
                    node++;
                    k = 0;
                }
                assert_int_equal(m->node_of[j], node);
                const int local = m->node[node].local[k];
                assert_int_equal(local, planar && k == 2 ? 5 : k);
                assert_int_equal(m->kind[j],
                                 local < 3 ? TML_COORDINATE_TRANSLATION : TML_COORDINATE_ROTATION);
            }
            assert_int_equal(tml_model_body_count(m), 3);
            assert_string_equal(tml_model_body_name(m, 2), "b2");
            assert_string_equal(tml_model_title(m), "");
            tml_model_destroy(m);
        }
}

static void inertia(void **state)
{
    (void)state;
    tml_spec *spec;
    tml_error err = {0};
    tml_body_def body = tml_body_def_default();
    const double J[6] = {0.53, 0.67, 0.71, 0.031, -0.047, 0.019};  // xx yy zz xy xz yz
    body.name = "b";
    body.mass = 2.9;
    memcpy(body.inertia, J, sizeof J);
    assert_int_equal(tml_spec_create(NULL, &spec, &err), TML_OK);
    assert_int_equal(tml_spec_add_body(spec, &body, &err), TML_OK);
    tml_model *m = build(spec);
    const double want[9] = {0.53, 0.031, -0.047, 0.031, 0.67, 0.019, -0.047, 0.019, 0.71};
    for (int i = 0; i < 9; i++) CHECK_CLOSE(m->node[0].J.m[i], want[i], 0);
    CHECK_CLOSE(m->node[0].mass, 2.9, 0);
    tml_model_destroy(m);
}

static void start(void **state)
{
    (void)state;
    tml_model *m = build(begin(true, 2, false));
    double q[14] = {0}, u[6] = {0}, udot[6] = {9, 9, 9, 9, 9, 9}, none[1];
    tml_state x = {.nq = 14, .n = 6, .q = q, .u = u, .udot = udot, .lambda = none, .angle = none};
    tml_model_start(m, 3.7, &x);
    CHECK_CLOSE(x.t, 3.7, 0);
    CHECK_CLOSE(q[7], 0.63 - 1.9, 1e-15);
    CHECK_CLOSE(q[8], -0.21 + 0.43, 1e-15);
    CHECK_CLOSE(q[10], cos((0.37 + 0.81) / 2), 1e-15);
    CHECK_CLOSE(q[13], sin((0.37 + 0.81) / 2), 1e-15);
    CHECK_CLOSE(u[3], 0.26, 1e-15);
    CHECK_CLOSE(u[4], -1.18, 1e-15);
    CHECK_CLOSE(u[5], 3.17, 1e-15);
    for (int i = 0; i < 6; i++) CHECK_SMALL(udot[i], 0);
    CHECK_CLOSE(m->length, hypot(1.9, 0.43) / 2, 1e-15);
    tml_model_destroy(m);
}

// A fixed joint at a point of two bodies holds them as placed, in the plane and in space; frames coincide.
static void fixed_as_placed(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; planar++)
        for (int frames = 0; frames < 2; frames++) {
            tml_spec *spec = begin(planar, 2, false);
            tml_error err = {0};
            tml_frame_def frame = tml_frame_def_default();
            frame.body = "b1";
            frame.name = "f";
            assert_int_equal(tml_spec_add_frame(spec, &frame, &err), TML_OK);
            tml_joint_def def = tml_joint_def_default();
            def.name = "j";
            def.type = TML_JOINT_FIXED;
            def.a = "b0";
            def.b = frames ? "b1.f" : "b1";
            def.has_point = true;
            def.point[0] = 0.4;
            assert_int_equal(tml_spec_add_joint(spec, &def, &err), TML_OK);
            tml_model *m = build(spec);
            const tmli_constraint *c = &m->constraint[0];
            assert_int_equal(c->nrows, planar ? 3 : 6);
            double largest = 0;
            for (int k = 0; k < c->nterms; k++) {
                const tmli_pose A = tmli_node_start_pose(m, 0), B = tmli_node_start_pose(m, 1);
                const double value = tmli_measure_value(&m->measure_use[c->term[k].use].measure, &A, &B);
                largest = fmax(largest, fabs(value - c->target[c->term[k].row]));
            }
            CHECK_CLOSE(largest, frames ? sin(0.81) : 0, 1e-15);  // angle between the bodies
            tml_model_destroy(m);
        }
}

// z axes are always parallel in the plane: the joint needs an axis in it.
static void parallel_needs_an_axis(void **state)
{
    (void)state;
    for (int axis = 0; axis < 2; axis++) {
        tml_spec *spec = begin(true, 2, false);
        tml_error err = {0};
        tml_model *m = NULL;
        tml_joint_def def = tml_joint_def_default();
        def.name = "level";
        def.type = TML_JOINT_PARALLEL;
        def.a = "b0";
        def.b = "b1";
        def.has_axis = axis;
        def.axis[0] = 1;
        assert_int_equal(tml_spec_add_joint(spec, &def, &err), TML_OK);
        assert_int_equal(tmli_model_build(spec, &m, &err), axis ? TML_OK : TML_ERR_MODEL);
        if (axis) assert_int_equal(m->constraint[0].nrows, 1);
        else assert_non_null(strstr(err.msg, "joint 'level' has no effect"));
        tml_model_destroy(m);
        tml_spec_destroy(spec);
    }
}

// The turn an angle starts from: the joint's `angle`, a driver's first value.
static void first_turn(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        tml_spec *spec = begin(true, 1, false);
        tml_error err = {0};
        tml_joint_def def = tml_joint_def_default();
        def.name = "j";
        def.type = TML_JOINT_REVOLUTE;
        def.a = "ground";
        def.b = "b0";
        if (k == 1) def.angle = 4 * 3.141592653589793 + 0.37;
        assert_int_equal(tml_spec_add_joint(spec, &def, &err), TML_OK);
        tml_joint_def drive = tml_joint_def_default();
        drive.name = "d";
        drive.type = TML_JOINT_DRIVER;
        drive.of = "j.angle";
        drive.motion = "-19.1 + 3*t";
        if (k == 2) assert_int_equal(tml_spec_add_joint(spec, &drive, &err), TML_OK);
        tml_model *m = build(spec);
        const tmli_measure_use *l = &m->measure_use[m->constraint[0].coord[0]];
        static const double want[3] = {0, 4 * 3.141592653589793 + 0.37, -19.1};
        assert_true(l->angle >= 0);
        CHECK_CLOSE(l->start, want[k], 1e-14);
        tml_model_destroy(m);
    }
}

// A torsion spring at the start: its angle and its deflection, which may be several turns. The turn is that
// of the joint about the same axis, if stated, else that of the orientations given.
static void wound_torsion(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846, deg = pi / 180;
    const struct {
        double body, joint, free, angle;  // NAN: not given
        bool reversed, driven;
    } cases[] = {
        {0, NAN, -20, 0, false, false},
        {0, NAN, 270 * deg, 0, false, false},
        {0, NAN, 33.3, 0, true, false},
        {200 * deg, NAN, 0, 200 * deg, false, false},
        {200 * deg, NAN, 200 * deg, 200 * deg, false, false},
        {-270 * deg, NAN, 1, -270 * deg, false, false},
        {0.4, 6 * pi + 0.4, 0, 6 * pi + 0.4, false, false},
        {0.4, 6 * pi + 0.4, 1, -6 * pi - 0.4, true, false},
        {0.4, 6 * pi + 0.4, NAN, 6 * pi + 0.4, false, false},
        {0.4, -10 * pi + 0.4, 0, -10 * pi + 0.4, false, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[800], joint[40] = "", driver[80] = "", free[40] = "";
        if (!isnan(cases[k].joint) && !cases[k].driven)
            snprintf(joint, sizeof joint, ", angle: %.17g", cases[k].joint);
        if (cases[k].driven)
            snprintf(driver, sizeof driver, "  d: {type: driver, of: j.angle, motion: %.17g + t}\n",
                     cases[k].joint);
        if (!isnan(cases[k].free)) snprintf(free, sizeof free, ", angle: %.17g", cases[k].free);
        snprintf(text, sizeof text,
                 "planar: true\nbodies:\n  r: {mass: 1, inertia: 1, orientation: %.17g}\n"
                 "joints:\n  j: {type: revolute, a: ground, b: r%s}\n%s"
                 "forces:\n  s: {type: torsion, a: %s, b: %s, stiffness: 1%s}\n",
                 cases[k].body, joint, driver, cases[k].reversed ? "r" : "ground",
                 cases[k].reversed ? "ground" : "r", free);
        tml_spec *spec;
        tml_error err = {0};
        if (tml_spec_parse(text, strlen(text), "wound", NULL, 0, NULL, &spec, &err) != TML_OK)
            fail_msg("%s", err.msg);
        tml_model *m = build(spec);
        const double angle = tmli_model_start_value(m, &m->measure_use[m->force[0].use]);
        if (fabs(angle - cases[k].angle) > 1e-12) fail_msg("case %zu: angle %.17g", k, angle);
        tml_model_destroy(m);
    }
}

static void andrews(void **state)
{
    (void)state;
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/models/andrews.yaml", root ? root : ".");
    tml_spec *spec;
    tml_error err = {0};
    if (tml_spec_read(path, NULL, 0, NULL, &spec, &err) != TML_OK) fail_msg("%s", err.msg);
    tml_model *m = build(spec);
    assert_int_equal(m->n, 21);
    assert_int_equal(m->m, 20);
    assert_true(m->planar);
    tml_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_rows),      cmocka_unit_test(askew_frames),
        cmocka_unit_test(coordinates),     cmocka_unit_test(inertia),
        cmocka_unit_test(start),           cmocka_unit_test(first_turn),
        cmocka_unit_test(fixed_as_placed), cmocka_unit_test(parallel_needs_an_axis),
        cmocka_unit_test(wound_torsion),   cmocka_unit_test(andrews)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
