// What a model must not be: status and sentence of every complaint, and the nearest valid name.
#include "model/build/build.h"
#include "support.h"

typedef struct parts {
    tml_spec *spec;
    tml_error err;
} parts;

// bodies crank, rod, bead (a point mass); frames crank.tip, rod.end, ground.origin; joints pin (crank -
// ground) and guide
static parts begin(bool planar)
{
    parts p = {0};
    assert_int_equal(tml_spec_create(NULL, &p.spec, &p.err), TML_OK);
    tml_spec_set_planar(p.spec, planar);
    static const char *const bodies[] = {"crank", "rod", "bead"};
    for (int i = 0; i < 3; i++) {
        tml_body_def body = tml_body_def_default();
        body.name = bodies[i];
        body.mass = 1.3 + i;
        body.point = i == 2;
        for (int k = 0; k < 3 && i < 2; k++) body.inertia[k] = 0.41;
        body.position[0] = 0.7 * i;
        body.position[1] = 0.3 * i;
        assert_int_equal(tml_spec_add_body(p.spec, &body, &p.err), TML_OK);
    }
    static const char *const frames[][2] = {{"crank", "tip"}, {"rod", "end"}, {"ground", "origin"}};
    for (int i = 0; i < 3; i++) {
        tml_frame_def frame = tml_frame_def_default();
        frame.body = frames[i][0];
        frame.name = frames[i][1];
        frame.position[0] = 0.23 + i;
        frame.position[2] = planar ? 0 : 0.1;
        assert_int_equal(tml_spec_add_frame(p.spec, &frame, &p.err), TML_OK);
    }
    return p;
}

static tml_joint_def joint(tml_joint_type type, const char *name, const char *a, const char *b)
{
    tml_joint_def def = tml_joint_def_default();
    def.type = type;
    def.name = name;
    def.a = a;
    def.b = b;
    return def;
}

static void add_joint(parts *p, tml_joint_def def)
{
    if (tml_spec_add_joint(p->spec, &def, &p->err) != TML_OK) fail_msg("%s", p->err.msg);
}

static void add_force(parts *p, tml_force_type type, const char *a, const char *b)
{
    tml_force_def def = tml_force_def_default();
    def.name = "load";
    def.type = type;
    def.a = a;
    def.b = b;
    if (type == TML_FORCE_SPRING || type == TML_FORCE_TORSION) def.stiffness = 3;
    if (type == TML_FORCE_APPLIED) def.force[0] = "1";
    if (type == TML_FORCE_DRAG) def.linear = 1;
    if (tml_spec_add_force(p->spec, &def, &p->err) != TML_OK) fail_msg("%s", p->err.msg);
}

static void pin_and_guide(parts *p)
{
    tml_joint_def pin = joint(TML_JOINT_REVOLUTE, "pin", "ground", "crank"),
                  guide = joint(TML_JOINT_PRISMATIC, "guide", "ground", "rod");
    pin.has_point = guide.has_axis = guide.has_point = true;
    guide.axis[0] = 1;
    add_joint(p, pin);
    add_joint(p, guide);
}

// The build fails with this status and all of these words; nothing is left behind (the sanitizer looks for
// leaks).
static void refuse(parts *p, tml_status status, const char *word, const char *other)
{
    tml_model *model = (tml_model *)p;
    tml_error err = {0};
    const tml_status st = tmli_model_build(p->spec, &model, &err);
    if (st != status || !strstr(err.msg, word) || (other && !strstr(err.msg, other)))
        fail_msg("status %d, \"%s\"; expected %d with \"%s\" and \"%s\"", st, err.msg, status, word,
                 other ? other : "");
    assert_null(model);
    assert_int_equal(err.status, status);
    assert_int_equal(tmli_model_build(p->spec, &model, NULL), status);
    tml_spec_destroy(p->spec);
}

static void names(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *word, *hint;
    } wrong[] = {
        {"cranck", "rod", "'cranck'", "'crank'"},       {"crank", "rodd.end", "'rodd'", "'rod'"},
        {"crank.tipp", "rod", "'tipp'", "crank.tip"},   {"crank", "ground.orign", "'orign'", "ground.origin"},
        {"grond.origin", "rod", "'grond'", "'ground'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        parts p = begin(false);
        add_joint(&p, joint(TML_JOINT_SPHERICAL, "pin", wrong[i].a, wrong[i].b));
        refuse(&p, TML_ERR_NAME, wrong[i].word, wrong[i].hint);
        p = begin(false);
        add_force(&p, TML_FORCE_SPRING, wrong[i].a, wrong[i].b);
        refuse(&p, TML_ERR_NAME, wrong[i].word, wrong[i].hint);
    }
    parts p = begin(false);
    tml_frame_def frame = tml_frame_def_default();
    frame.body = "bed";
    frame.name = "middle";
    assert_int_equal(tml_spec_add_frame(p.spec, &frame, &p.err), TML_OK);
    refuse(&p, TML_ERR_NAME, "'bed'", "'bead'");
    p = begin(false);
    add_force(&p, TML_FORCE_DRAG, NULL, "rodd");
    refuse(&p, TML_ERR_NAME, "'rodd'", "'rod'");
    p = begin(false);
    tml_shape_def shape = tml_shape_def_default();  // one that nothing touches
    shape.name = "look";
    shape.at = "rodd";
    shape.type = TML_SHAPE_SPHERE;
    shape.radius = 0.1;
    assert_int_equal(tml_spec_add_shape(p.spec, &shape, &p.err), TML_OK);
    refuse(&p, TML_ERR_NAME, "'rodd'", "'rod'");
}

static tml_joint_def driver(const char *of, const char *motion)
{
    tml_joint_def def = joint(TML_JOINT_DRIVER, "motor", NULL, NULL);
    def.of = of;
    def.motion = motion;
    return def;
}

static tml_joint_def coupler(tml_joint_type type, const char *first, const char *second)
{
    tml_joint_def def = joint(type, "coupler", NULL, NULL);
    def.first = first;
    def.second = second;
    def.ratio = 0.7;
    return def;
}

static void coordinates(void **state)
{
    (void)state;
    static const struct {
        const char *of;
        tml_status status;
        const char *word, *hint;
    } wrong[] = {
        {"pinn.angle", TML_ERR_NAME, "pinn", "pin.angle"},
        {"pin.angel", TML_ERR_NAME, "angel", "pin.angle"},
        {"pin.rate", TML_ERR_MODEL, "not a coordinate", NULL},
        {"crank.vx", TML_ERR_MODEL, "not a coordinate", NULL},
        {"2*pin.angle", TML_ERR_MODEL, "not a coordinate", NULL},
        {"abs(pin.angle)", TML_ERR_MODEL, "not a coordinate", NULL},
        {"min(pin.angle, 1)", TML_ERR_MODEL, "not a coordinate", NULL},
        {"pin.angle + guide.distance", TML_ERR_MODEL, "not a coordinate", NULL},
        {"distance(crank.tip, rod.ned)", TML_ERR_NAME, "'ned'", "rod.end"},
        {"distance(crank.tip, crank)", TML_ERR_MODEL, "is constant", NULL},
        {"ground.origin.x", TML_ERR_MODEL, "is constant", NULL},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        parts p = begin(false);
        pin_and_guide(&p);
        add_joint(&p, driver(wrong[i].of, "0.3*t"));
        refuse(&p, wrong[i].status, wrong[i].word, wrong[i].hint);
    }
    parts p = begin(false);
    pin_and_guide(&p);
    add_joint(&p, driver("pin.angle", "0.3*t + rod.x"));  // of the state
    refuse(&p, TML_ERR_NAME, "rod.x", "only t and parameters");
    p = begin(false);
    pin_and_guide(&p);
    add_joint(&p, coupler(TML_JOINT_RACK, "pin.angle", "guide.distance"));
    refuse(&p, TML_ERR_MODEL, "'first' is the distance", "coupler");
    p = begin(false);
    pin_and_guide(&p);
    add_joint(&p, coupler(TML_JOINT_RACK, "guide.distance", "guide.distance"));
    refuse(&p, TML_ERR_MODEL, "'second' is the angle", "coupler");
    p = begin(false);
    pin_and_guide(&p);
    add_joint(&p, coupler(TML_JOINT_GEAR, "pin.angle", "guide.angle"));  // a prismatic joint has none
    refuse(&p, TML_ERR_NAME, "guide.angle", NULL);
}

static void joints(void **state)
{
    (void)state;
    parts p = begin(false);
    add_joint(&p, joint(TML_JOINT_REVOLUTE, "pin", "crank", "crank.tip"));
    refuse(&p, TML_ERR_MODEL, "'pin' connects 'crank' to itself", NULL);
    p = begin(false);
    add_joint(&p, joint(TML_JOINT_FIXED, "pin", "ground", "ground.origin"));
    refuse(&p, TML_ERR_MODEL, "'pin' connects 'ground' to itself", NULL);
    p = begin(false);
    tml_joint_def rod = joint(TML_JOINT_DISTANCE, "rope", "ground", "crank");  // both in the origin
    add_joint(&p, rod);
    refuse(&p, TML_ERR_MODEL, "coincide", "rope");
}

// A program that gives a density has to weigh its bodies.
static void densities(void **state)
{
    (void)state;
    parts p = begin(false);
    tml_body_def body = tml_body_def_default();
    body.name = "heavy";
    body.density = 700;
    assert_int_equal(tml_spec_add_body(p.spec, &body, &p.err), TML_OK);
    refuse(&p, TML_ERR_MODEL, "heavy", "tml_spec_weigh");
}

// A point mass has no axes: joints that need them, and torques, are refused; the rest is taken.
static void point_masses(void **state)
{
    (void)state;
    for (int type = 0; type < TML_JOINT_GEAR; type++)
        for (int side = 0; side < 2; side++) {
            parts p = begin(false);
            tml_joint_def def =
                joint((tml_joint_type)type, "pin", side ? "rod" : "bead", side ? "bead" : "rod");
            if (type == TML_JOINT_SCREW) def.pitch = 0.1;
            const bool free = type == TML_JOINT_SPHERICAL || type == TML_JOINT_DISTANCE ||
                              (side && (type == TML_JOINT_POINT_ON_LINE || type == TML_JOINT_POINT_ON_PLANE));
            add_joint(&p, def);
            if (!free) {
                refuse(&p, TML_ERR_MODEL, "'bead' is a point mass", "pin");
                continue;
            }
            tml_model *model;
            if (tmli_model_build(p.spec, &model, &p.err) != TML_OK) fail_msg("type %d: %s", type, p.err.msg);
            tml_model_destroy(model);
            tml_spec_destroy(p.spec);
        }
    for (int k = 0; k < 4; k++) {
        parts p = begin(false);
        tml_force_def def = tml_force_def_default();
        def.name = "load";
        def.type = k == 0   ? TML_FORCE_TORSION
                   : k == 1 ? TML_FORCE_BUSHING
                   : k == 2 ? TML_FORCE_APPLIED
                            : TML_FORCE_DRAG;
        def.a = k < 2 ? "rod" : NULL;
        def.b = "bead";
        if (k == 0) def.stiffness = 2;
        if (k == 2) def.torque[1] = "3";
        if (k == 3) def.angular_quadratic = 0.2;
        assert_int_equal(tml_spec_add_force(p.spec, &def, &p.err), TML_OK);
        refuse(&p, TML_ERR_MODEL, "'bead' is a point mass", "load");
    }
}

static void forces(void **state)
{
    (void)state;
    parts p = begin(false);
    add_force(&p, TML_FORCE_SPRING, "ground", "crank");
    refuse(&p, TML_ERR_MODEL, "coincide", "load");
    p = begin(false);
    add_force(&p, TML_FORCE_SPRING, "rod", "rod.end");
    refuse(&p, TML_ERR_MODEL, "connects 'rod' to itself", "load");
    p = begin(false);
    add_force(&p, TML_FORCE_APPLIED, NULL, "ground.origin");
    refuse(&p, TML_ERR_MODEL, "ground", "load");
    p = begin(false);
    add_force(&p, TML_FORCE_DRAG, NULL, "ground");
    refuse(&p, TML_ERR_MODEL, "ground", "load");
    for (int k = 0; k < 4; k++) {
        p = begin(false);
        tml_road_def road = tml_road_def_default();
        road.name = "kerb";
        road.type = TML_ROAD_STEP;
        road.height = 0.4;
        if (k > 0) assert_int_equal(tml_spec_add_road(p.spec, &road, &p.err), TML_OK);
        tml_force_def def = tml_force_def_default();
        def.name = "load";
        def.type = TML_FORCE_TYRE;
        def.b = k == 2 ? "ground" : "crank";
        def.road = k < 2 ? "kerp" : "kerb";
        def.radius = 0.3;
        assert_int_equal(tml_spec_add_force(p.spec, &def, &p.err), TML_OK);
        if (k == 0) refuse(&p, TML_ERR_NAME, "road 'kerp' not found", "no 'roads'");
        if (k == 1) refuse(&p, TML_ERR_NAME, "road 'kerp' not found", "is it 'kerb'?");
        if (k == 2) refuse(&p, TML_ERR_MODEL, "ground", "load");
        if (k == 3) refuse(&p, TML_ERR_MODEL, "cannot roll over the edge of road 'kerb'", "load");
    }
    static const struct {
        const char *law;
        tml_status status;
        const char *word;
    } wrong[] = {
        {"3*lenght", TML_ERR_NAME, "length"},  {"3*angle", TML_ERR_NAME, "angle"},
        {"3*(length", TML_ERR_SYNTAX, ""},     {"pin.fx", TML_ERR_NAME, "outputs"},
        {"crank.q1", TML_ERR_NAME, "outputs"}, {"speed(crank)", TML_ERR_SYNTAX, "two frames"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        p = begin(false);
        pin_and_guide(&p);
        tml_force_def def = tml_force_def_default();
        def.name = "load";
        def.type = TML_FORCE_SPRING;
        def.a = "crank";
        def.b = "rod";
        def.law = wrong[i].law;
        assert_int_equal(tml_spec_add_force(p.spec, &def, &p.err), TML_OK);
        refuse(&p, wrong[i].status, wrong[i].word, NULL);
    }
}

// Specs whose planar switch was set after the bodies: the spec could not check them.
static void planar(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        parts p = {0};
        assert_int_equal(tml_spec_create(NULL, &p.spec, &p.err), TML_OK);
        tml_body_def body = tml_body_def_default();
        body.name = "plate";
        body.mass = 1.7;
        for (int i = 0; i < 3; i++) body.inertia[i] = 0.3;
        if (k == 0) body.position[2] = 0.2;
        if (k == 1) body.velocity[2] = -0.4;
        if (k == 2) body.angular_velocity[0] = 0.1;
        if (k == 3) body.orientation[1] = 0.3;
        const double g[3] = {0, -9.81, k == 4 ? 1 : 0};
        assert_int_equal(tml_spec_add_body(p.spec, &body, &p.err), TML_OK);
        tml_spec_set_gravity(p.spec, g);
        tml_spec_set_planar(p.spec, true);
        refuse(&p, TML_ERR_MODEL, "planar", k < 4 ? "plate" : "gravity");
    }
    parts p = begin(true);
    add_joint(&p, driver("rod.z", "0.1*t"));
    refuse(&p, TML_ERR_MODEL, "motor", "constant in a planar model");
    p = begin(true);
    tml_joint_def hinge = joint(TML_JOINT_REVOLUTE, "pin", "ground", "crank");
    hinge.has_axis = true;
    hinge.axis[0] = 1;
    add_joint(&p, hinge);
    refuse(&p, TML_ERR_MODEL, "pin", "plane");
    p = begin(true);
    hinge.axis[2] = 1;
    add_joint(&p, hinge);
    refuse(&p, TML_ERR_MODEL, "pin", "tilted");
    p = begin(true);
    add_joint(&p, joint(TML_JOINT_PRISMATIC, "guide", "ground", "rod"));  // along z
    refuse(&p, TML_ERR_MODEL, "guide", "plane");
    // a point-on-plane with a horizontal plane above z = 0 holds nowhere
    p = begin(true);
    tml_spec_set_planar(p.spec, false);
    tml_frame_def frame = tml_frame_def_default();
    frame.body = "ground";
    frame.name = "shelf";
    frame.position[2] = 0.4;
    assert_int_equal(tml_spec_add_frame(p.spec, &frame, &p.err), TML_OK);
    add_joint(&p, joint(TML_JOINT_POINT_ON_PLANE, "slide", "ground.shelf", "rod"));
    tml_spec_set_planar(p.spec, true);
    refuse(&p, TML_ERR_MODEL, "slide", "cannot be assembled");
}

static void nothing(void **state)
{
    (void)state;
    parts p = {0};
    assert_int_equal(tml_spec_create(NULL, &p.spec, &p.err), TML_OK);
    refuse(&p, TML_ERR_MODEL, "no bodies", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),     cmocka_unit_test(coordinates),  cmocka_unit_test(joints),
        cmocka_unit_test(densities), cmocka_unit_test(point_masses), cmocka_unit_test(forces),
        cmocka_unit_test(planar),    cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
