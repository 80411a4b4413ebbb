// Random trees of four bodies with joints of all types, some of them with loops, drivers, gears and forces
// between bodies.
#ifndef TEST_JOINT_TREES_H
#define TEST_JOINT_TREES_H

#include "multibody_fixture.h"

enum { TREES = 60 };

static inline void tree_extra(draft *d, tml_joint_type type, const char *name, const char *a, const char *b)
{
    tml_error err = {0};
    tml_joint_def def = tml_joint_def_default();
    def.name = name;
    def.type = type;
    def.a = a;
    def.b = b;
    if (type == TML_JOINT_DISTANCE) def.length = 1.1;
    const tml_status st = tml_spec_add_joint(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

// A spring with a drive, and friction, along the angle of a joint. They depend on nothing else: in joint
// coordinates they do not pass through the bodies.
static inline void tree_along(draft *d, const char *joint)
{
    tml_error err = {0};
    char name[2][24], of[24];
    snprintf(of, sizeof of, "%s.angle", joint);
    snprintf(name[0], sizeof name[0], "%s_spring", joint);
    snprintf(name[1], sizeof name[1], "%s_rub", joint);
    tml_force_def spring = tml_force_def_default(), rub = tml_force_def_default();
    spring.name = name[0];
    spring.type = TML_FORCE_COORDINATE;
    spring.of = of;
    spring.stiffness = 5.3;
    spring.damping = 0.7;
    spring.drive = "2*rate^2 + 3*sin(value) - 1.7*t*rate";
    assert_int_equal(tml_spec_add_force(d->spec, &spring, &err), TML_OK);
    rub.name = name[1];
    rub.type = TML_FORCE_FRICTION;
    rub.of = of;
    rub.friction.law = TML_FRICTION_REGULARIZED;
    rub.friction.coulomb = 2.3;
    rub.friction.viscous = 0.4;
    rub.friction.creep = 0.51;
    assert_int_equal(tml_spec_add_force(d->spec, &rub, &err), TML_OK);
}

// Inertia along the first coordinate of a joint.
static inline void tree_armature(draft *d, const char *joint, const char *coordinate)
{
    tml_error err = {0};
    char name[24], of[24];
    snprintf(of, sizeof of, "%s.%s", joint, coordinate);
    snprintf(name, sizeof name, "%s_armature", joint);
    tml_force_def def = tml_force_def_default();
    def.name = name;
    def.type = TML_FORCE_ARMATURE;
    def.of = of;
    def.armature = 0.47;
    assert_int_equal(tml_spec_add_force(d->spec, &def, &err), TML_OK);
}

/** Tree number k: bodies A, B, C, D in a chain or a fork on the ground, the joint of each of another type. */
static inline mb *tree_open(int k, bool planar)
{
    static const tml_joint_type spatial[] = {
        TML_JOINT_REVOLUTE,          TML_JOINT_UNIVERSAL,     TML_JOINT_SPHERICAL, TML_JOINT_PRISMATIC,
        TML_JOINT_CYLINDRICAL,       TML_JOINT_SCREW,         TML_JOINT_PLANAR,    TML_JOINT_FIXED,
        TML_JOINT_CONSTANT_VELOCITY, TML_JOINT_POINT_ON_LINE, TML_JOINT_PARALLEL,  TML_JOINT_POINT_ON_PLANE,
    };
    static const tml_joint_type flat[] = {TML_JOINT_REVOLUTE, TML_JOINT_PRISMATIC, TML_JOINT_POINT_ON_LINE};
    static const char *const bodies[] = {"A", "B", "C", "D"}, *const f[] = {"A.f", "B.f", "C.f", "D.f"};
    static const char *const g[] = {"A.g", "B.g", "C.g", "D.g"}, *const names[] = {"a", "b", "c", "d"};
    tml_error err = {0};
    draft d = mb_draft((uint64_t)(7001 + 13 * k + planar), planar, false);
    double gravity[3];
    v3_store(mb_vec(&d, 9), gravity);
    tml_spec_set_gravity(d.spec, gravity);
    for (int i = 0; i < 4; i++) mb_add_body(&d, bodies[i], false);
    for (int i = 0; i < 5; i++) {
        mb_add_frame(&d, i < 4 ? bodies[i] : "ground", "f");
        mb_add_frame(&d, i < 4 ? bodies[i] : "ground", "g");
    }
    for (int i = 0; i < 4; i++) {
        const int parent = (int)floor(rng_range(&d.r, -1, i));  // -1: ground
        const tml_joint_type type = planar ? flat[(k + i) % 3] : spatial[(k + 5 * i + k / 12) % 12];
        const bool turned = rng_unit(&d.r) < 0.4;
        const char *up = parent < 0 ? "ground.f" : g[parent];
        mb_add_joint_between(&d, type, names[i], turned ? f[i] : up, turned ? up : f[i]);
        const bool one_axis =
            type == TML_JOINT_REVOLUTE || type == TML_JOINT_CYLINDRICAL || type == TML_JOINT_SCREW;
        if (one_axis && k % 2 == 0) tree_along(&d, names[i]);
        const char *of = one_axis                      ? "angle"
                         : type == TML_JOINT_UNIVERSAL ? "angle1"
                         : type == TML_JOINT_PRISMATIC ? "distance"
                                                       : NULL;
        if (of && (k / 2) % 2 == 0) tree_armature(&d, names[i], of);
    }
    if (k % 3 == 1) tree_extra(&d, TML_JOINT_DISTANCE, "rod", "A.g", "D.g");
    if (k % 4 == 1)
        tree_extra(&d, planar ? TML_JOINT_POINT_ON_LINE : TML_JOINT_POINT_ON_PLANE, "line", "C.g",
                   "ground.g");
    if (k % 5 == 2 && !planar) tree_extra(&d, TML_JOINT_SPHERICAL, "ball", "D.g", "ground.g");
    if (k % 5 == 3) {
        tml_joint_def def = tml_joint_def_default();
        def.name = "motor";
        def.type = TML_JOINT_DRIVER;
        def.of = "distance(B.g, D.f)";
        def.motion = "1 + 0.3*sin(2*t)";
        assert_int_equal(tml_spec_add_joint(d.spec, &def, &err), TML_OK);
    }
    d.a = "B.f";
    d.b = "D.g";
    mb_add_scalar(&d, k % 2);
    if (k % 2) {
        tml_force_def def = tml_force_def_default();
        def.name = "drag";
        def.type = TML_FORCE_DRAG;
        def.b = "C";
        def.linear = 0.7;
        def.angular_linear = 0.3;
        assert_int_equal(tml_spec_add_force(d.spec, &def, &err), TML_OK);
    }
    char name[64];
    snprintf(name, sizeof name, "tree %d%s", k, planar ? ", planar" : "");
    return mb_open_spec(d.spec, name);
}

// Some configuration is far enough from where lengths and angles have no derivatives.
static inline bool tree_moves(mb *s)
{
    double d[MB_N], q0[56];
    rng r = rng_seed(3);
    bool found = false;
    memcpy(q0, s->x->q, (size_t)s->sys->nq * sizeof *q0);
    for (int k = 0; k < 30 && !found; k++) {
        for (int i = 0; i < s->n; i++) d[i] = rng_range(&r, -0.9, 0.9);
        s->ops->retract(s->self, q0, d, s->x->q);
        found = mb_regular(s);
    }
    memcpy(s->x->q, q0, (size_t)s->sys->nq * sizeof *q0);
    return found;
}

static inline void for_all_trees(void (*test)(mb *s, const subject *k, rng *r))
{
    int count = 0;
    for (int k = 0; k < TREES; k++)
        for (int planar = 0; planar < 2; planar++) {
            rng r = rng_seed((uint64_t)(501 + 7 * k + planar));
            mb *s = tree_open(k, planar);
            if (s->n > s->m && tree_moves(s)) {
                test(s, NULL, &r);
                count++;
            }
            mb_close(s);
        }
    assert_true(count > TREES);  // of twice as many
}

#endif
