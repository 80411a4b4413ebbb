// Models with one joint or one force each ("subjects") among three bodies A, B, C, a point mass P and the
// ground: all numbers random with a fixed seed.
#ifndef TEST_MULTIBODY_SUBJECTS_H
#define TEST_MULTIBODY_SUBJECTS_H

#include "math/math3.h"
#include "support/support.h"

#include <stdbool.h>
#include <trammel/spec.h>

/** A draft of a model. move: a rigid motion of the whole world. */
typedef struct draft {
    tml_spec *spec;
    rng r;
    bool planar, assembled;
    quat turn;
    vec3 shift;
    const char *a, *b;  // frames of the subject
} draft;

typedef struct subject {
    const char *name;
    void (*add)(draft *d, int detail);
    int detail;
    int where;  // sum of the MB_ places below
    int plane;  // 1: also in planar models
} subject;

/** Frames a and b of a subject. */
enum { MB_AB = 1, MB_GB = 2, MB_AG = 4, MB_AP = 8, MB_PB = 16, MB_GP = 32, MB_ALL = 7, MB_PLACES = 6 };

// ---- drafts -----------------------------------------------------------------------------------------------

static inline vec3 mb_vec(draft *d, double size)
{
    const double x = rng_range(&d->r, -size, size), y = rng_range(&d->r, -size, size);
    const double z = rng_range(&d->r, -size, size);
    return v3(x, y, d->planar ? 0 : z);
}

static inline quat mb_quat(draft *d)
{
    const double a = rng_range(&d->r, -1, 1), b = rng_range(&d->r, -1, 1), c = rng_range(&d->r, -1, 1);
    const double e = rng_range(&d->r, 0.2, 1);
    return q_normalize(d->planar ? (quat){a, 0, 0, e} : (quat){a, b, c, e});
}

static inline vec3 mb_turn(const draft *d, vec3 x)
{
    const mat3 Q = q_matrix(d->turn);
    return m3_mulv(&Q, x);
}

static inline void mb_add_body(draft *d, const char *name, bool point)
{
    tml_error err = {0};
    tml_body_def def = tml_body_def_default();
    const mat3 R = q_matrix(mb_quat(d));
    const double I[3] = {rng_range(&d->r, 0.5, 0.7), rng_range(&d->r, 0.5, 0.7), rng_range(&d->r, 0.6, 0.9)};
    def.name = name;
    def.mass = rng_range(&d->r, 0.7, 3.1);
    def.point = point;
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6 && !point; k++)
        for (int i = 0; i < 3; i++) def.inertia[k] += R.m[3 * at[k][0] + i] * I[i] * R.m[3 * at[k][1] + i];
    v3_store(v3_add(mb_turn(d, mb_vec(d, 1.4)), d->shift), def.position);
    v3_store(mb_turn(d, mb_vec(d, 1.1)), def.velocity);
    const quat p = mb_quat(d);
    const vec3 w = d->planar ? v3(0, 0, rng_range(&d->r, -1.3, 1.3)) : mb_vec(d, 1.3);
    if (!point) q_store(q_mul(d->turn, p), def.orientation);
    if (!point) v3_store(w, def.angular_velocity);
    assert_int_equal(tml_spec_add_body(d->spec, &def, &err), TML_OK);
}

static inline void mb_add_frame(draft *d, const char *body, const char *name)
{
    tml_error err = {0};
    tml_frame_def def = tml_frame_def_default();
    const bool ground = strcmp(body, "ground") == 0;
    const vec3 s = mb_vec(d, 0.8);
    const quat p = mb_quat(d);
    def.body = body;
    def.name = name;
    v3_store(ground ? v3_add(mb_turn(d, s), d->shift) : s, def.position);
    q_store(ground ? q_mul(d->turn, p) : p, def.orientation);
    assert_int_equal(tml_spec_add_frame(d->spec, &def, &err), TML_OK);
}

/** A joint of the draft; assembled drafts place it by point and axis. In the plane axes are Z or, for
 * sliding, in it. */
static inline void mb_add_joint_between(draft *d, tml_joint_type type, const char *name, const char *a,
                                        const char *b)
{
    tml_error err = {0};
    tml_joint_def def = tml_joint_def_default();
    def.name = name;
    def.type = type;
    def.a = a;
    def.b = b;
    if (type == TML_JOINT_SCREW) def.pitch = 0.37;
    const bool rod = type == TML_JOINT_DISTANCE,
               spins = type == TML_JOINT_PARALLEL || type == TML_JOINT_PERPENDICULAR;
    const bool slides = type == TML_JOINT_PRISMATIC || type == TML_JOINT_CYLINDRICAL ||
                        type == TML_JOINT_POINT_ON_LINE || type == TML_JOINT_POINT_ON_PLANE ||
                        type == TML_JOINT_SCREW;
    const bool sets = d->assembled || d->planar;
    vec3 axis = mb_vec(d, 1);
    const vec3 point = mb_vec(d, 1.2);
    if (d->planar && !slides) axis = v3(0, 0, 1.7);
    def.has_point = sets && !rod && !spins;
    def.has_axis = sets && !rod && type != TML_JOINT_PERPENDICULAR && type != TML_JOINT_SPHERICAL;
    if (def.has_point) v3_store(v3_add(mb_turn(d, point), d->shift), def.point);
    if (def.has_axis) v3_store(mb_turn(d, axis), def.axis);
    if (rod && !d->assembled) def.length = 1.37;
    const tml_status st = tml_spec_add_joint(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

static inline void mb_add_joint(draft *d, int detail)
{
    mb_add_joint_between(d, (tml_joint_type)detail, "j", d->a, d->b);
}

static inline void mb_add_coupler(draft *d, int detail)
{
    tml_error err = {0};
    tml_joint_def def = tml_joint_def_default();
    const bool rack = detail == 2,
               slide = detail == 1;  // 0: angle and angle, 1: two distances, 2: rack, 3: angle, distance
    mb_add_joint_between(d,
                         rack    ? TML_JOINT_PRISMATIC
                         : slide ? TML_JOINT_CYLINDRICAL
                                 : TML_JOINT_REVOLUTE,
                         "j", d->a, d->b);
    mb_add_joint_between(d, slide || detail == 3 ? TML_JOINT_PRISMATIC : TML_JOINT_REVOLUTE, "k", "C.f",
                         "B.g");
    def.name = "coupler";
    def.type = rack ? TML_JOINT_RACK : TML_JOINT_GEAR;
    def.first = rack || slide ? "j.distance" : "j.angle";
    def.second = slide || detail == 3 ? "k.distance" : "k.angle";
    def.ratio = -0.73;
    const tml_status st = tml_spec_add_joint(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

static inline void mb_add_driver(draft *d, int detail)
{
    static const char *const of[] = {"j.angle",         "j.distance", "B.f.x", "distance(A.f, C.g)",
                                     "angle(A.f, B.f)", "B.angle"};
    tml_error err = {0};
    tml_joint_def def = tml_joint_def_default();
    if (detail < 2)
        mb_add_joint_between(d, detail ? TML_JOINT_PRISMATIC : TML_JOINT_REVOLUTE, "j", d->a, d->b);
    def.name = "driver";
    def.type = TML_JOINT_DRIVER;
    def.of = of[detail];
    def.motion = "0.41 + 0.3*sin(2.3*t) + 0.17*t^2";
    const tml_status st = tml_spec_add_joint(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

// detail: bit k: coordinate k is prescribed
static inline void mb_add_pose(draft *d, int detail)
{
    static const char *const motion[6] = {"0.41 + 0.3*sin(2.3*t)", "0.2*t^2 - 0.3",  "cos(1.7*t)",
                                          "0.3 + sin(1.9*t)",      "0.6*sin(2.1*t)", "2.7*t - 0.4"};
    tml_error err = {0};
    tml_joint_def def = tml_joint_def_default();
    def.name = "pose";
    def.type = TML_JOINT_POSE;
    def.a = d->a;
    def.b = d->b;
    for (int k = 0; k < 6; k++)
        if (detail >> k & 1) def.pose[k] = motion[k];
    const tml_status st = tml_spec_add_joint(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

// detail: 0 linear, 1 law, 2 table; 3..5 the same of a torsion
static inline void mb_add_scalar(draft *d, int detail)
{
    static const double table[] = {-1.1, -31, -0.3, -7, 0.21, 2, 0.83, 29, 1.9, 53};
    static const char *const laws[] = {
        "17*sin(1.3*length)*rate + 3*t*A.x - 2*B.vy*C.f.x + 5*distance(B.f, C.g) + speed(A, C.f) + 2*rate^2",
        "9*cos(angle)*rate + 3*t*A.x - 2*B.vy*C.f.y + 5*angle(A.f, C.g) + 4*C.wz*B.rate - rate^2",
    };
    tml_error err = {0};
    tml_force_def def = tml_force_def_default();
    const bool torsion = detail >= 3;
    def.name = "s";
    def.type = torsion ? TML_FORCE_TORSION : TML_FORCE_SPRING;
    def.a = d->a;
    def.b = d->b;
    def.stiffness = 37.3;
    def.damping = 2.9;
    def.free = torsion ? 0.31 : 0.77;
    if (detail % 3 == 1) def.law = laws[torsion];
    if (detail % 3 == 2) {
        def.table = table;
        def.table_count = 5;
    }
    const tml_status st = tml_spec_add_force(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

static inline void mb_add_bushing(draft *d, int detail)
{
    (void)detail;
    tml_error err = {0};
    tml_force_def def = tml_force_def_default();
    def.name = "s";
    def.type = TML_FORCE_BUSHING;
    def.a = d->a;
    def.b = d->b;
    for (int i = 0; i < 6; i++) {
        def.preload6[i] = rng_range(&d->r, -3, 3);
        for (int j = 0; j <= i; j++) {
            def.stiffness6[6 * i + j] = rng_range(&d->r, -9, 9) + 30 * (i == j);
            def.stiffness6[6 * j + i] = rng_range(&d->r, -9, 9) + 30 * (i == j);
            def.damping6[6 * i + j] = rng_range(&d->r, -1, 1) + 3 * (i == j);
            def.damping6[6 * j + i] = rng_range(&d->r, -1, 1) + 3 * (i == j);
        }
    }
    assert_int_equal(tml_spec_add_force(d->spec, &def, &err), TML_OK);
}

// detail: 1 body axes, 2 with expressions of the state, 4 with torques
static inline void mb_add_applied(draft *d, int detail)
{
    tml_error err = {0};
    tml_force_def def = tml_force_def_default();
    const bool state = detail & 2;
    def.name = "s";
    def.type = TML_FORCE_APPLIED;
    def.b = d->b;
    def.body_axes = detail & 1;
    def.force[0] = state ? "3*t + 4*C.x*A.vy - distance(A.f, C.f)^2" : "3.1 + 2*sin(1.7*t)";
    def.force[1] = state ? "2.3 - 5*B.f.x*A.wz + C.vx^2" : "4.7*t";
    if (detail & 4) def.torque[2] = state ? "1.9*A.y - 3*C.rate*B.wz + 2*t" : "2.7 - t";
    if (!d->planar) def.force[2] = state ? "sin(A.f.z) + 3*B.g.vz" : "-1.3*t^2";
    if (!d->planar && (detail & 4)) def.torque[0] = state ? "4*B.wx*B.wy + angle(B.f, C.g)" : "5.9";
    assert_int_equal(tml_spec_add_force(d->spec, &def, &err), TML_OK);
}

static inline void mb_add_drag(draft *d, int detail)
{
    tml_error err = {0};
    tml_force_def def = tml_force_def_default();
    def.name = "s";
    def.type = TML_FORCE_DRAG;
    def.b = d->b[0] == 'P' ? "P" : "B";
    if (detail & 1) def.linear = 1.31;
    if (detail & 2) def.quadratic = 0.83;
    if ((detail & 1) && d->b[0] != 'P') def.angular_linear = 0.57;
    if ((detail & 2) && d->b[0] != 'P') def.angular_quadratic = 0.39;
    assert_int_equal(tml_spec_add_force(d->spec, &def, &err), TML_OK);
}

// detail: 0 sine, 1 table of heights and of forces; 2, 3: along the normal
static inline void mb_add_tyre(draft *d, int detail)
{
    static const double heights[] = {-3.1, 0.2, -1.2, -0.31, 0.3, 0.17, 1.1, 0.43, 3.7, -0.2};
    static const double forces[] = {-2.1, -31, -0.3, -7, 0.21, 2, 0.83, 29, 2.9, 53};
    tml_error err = {0};
    tml_road_def road = tml_road_def_default();
    tml_force_def def = tml_force_def_default();
    const double a = d->planar ? 0 : 0.7;  // a road that climbs: up is perpendicular to it
    road.name = "way";
    road.has_up = true;
    v3_store(mb_turn(d, v3(0.8 * cos(a), 0.6 * cos(a), -sin(a))), road.direction);
    v3_store(mb_turn(d, v3(0.6, -0.8, 0)), road.up);
    v3_store(v3_add(mb_turn(d, v3(0.3, -0.2, d->planar ? 0 : 0.1)), d->shift), road.origin);
    if (detail & 1) {
        road.type = TML_ROAD_TABLE;
        road.table = heights;
        def.table = forces;
        road.table_count = def.table_count = 5;
    } else {
        road.type = TML_ROAD_SINE;
        road.amplitude = 0.37;
        road.wavelength = 2.3;
        road.position = 0.17;
    }
    def.name = "s";
    def.type = TML_FORCE_TYRE;
    def.b = d->b;
    def.road = "way";
    def.radius = 0.47;
    def.stiffness = 31.3;
    def.damping = 2.7;
    def.contact = false;
    def.normal = detail & 2;
    tml_status st = tml_spec_add_road(d->spec, &road, &err);
    if (st == TML_OK) st = tml_spec_add_force(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

// detail: 0 along an angle, 1 along a distance
static inline void mb_add_friction(draft *d, int detail)
{
    tml_error err = {0};
    tml_force_def def = tml_force_def_default();
    mb_add_joint_between(d, detail ? TML_JOINT_PRISMATIC : TML_JOINT_REVOLUTE, "j", d->a, d->b);
    def.name = "s";
    def.type = TML_FORCE_FRICTION;
    def.of = detail ? "j.distance" : "j.angle";
    def.friction.law = TML_FRICTION_REGULARIZED;
    def.friction.coulomb = 5.3;
    def.friction.static_force = 7.9;
    def.friction.stribeck = 0.83;
    def.friction.viscous = 1.7;
    def.friction.creep = 0.61;
    const tml_status st = tml_spec_add_force(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

// detail: 0 along an angle, 1 along a distance
static inline void mb_add_coordinate(draft *d, int detail)
{
    tml_error err = {0};
    tml_force_def def = tml_force_def_default();
    mb_add_joint_between(d, detail ? TML_JOINT_PRISMATIC : TML_JOINT_REVOLUTE, "j", d->a, d->b);
    def.name = "s";
    def.type = TML_FORCE_COORDINATE;
    def.of = detail ? "j.distance" : "j.angle";
    def.stiffness = 31.3;
    def.damping = 2.1;
    def.free = 0.17;
    def.backlash = 0.23;
    def.drive = "7*sin(1.3*value)*rate + 3*t*A.x - 2*B.vy*C.f.x + 2*rate^2";
    def.limits =
        (tml_limits_def){.lower = -0.07, .upper = 0.31, .stiffness = 19, .damping = 0.7, .restitution = NAN};
    const tml_status st = tml_spec_add_force(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

// detail: 0 along an angle, 1 along a distance
static inline void mb_add_armature(draft *d, int detail)
{
    tml_error err = {0};
    tml_force_def def = tml_force_def_default();
    mb_add_joint_between(d, detail ? TML_JOINT_PRISMATIC : TML_JOINT_REVOLUTE, "j", d->a, d->b);
    def.name = "s";
    def.type = TML_FORCE_ARMATURE;
    def.of = detail ? "j.distance" : "j.angle";
    def.armature = 0.83;
    const tml_status st = tml_spec_add_force(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

static const subject mb_subjects[] = {
    {"fixed", mb_add_joint, TML_JOINT_FIXED, MB_ALL, 1},
    {"revolute", mb_add_joint, TML_JOINT_REVOLUTE, MB_ALL, 1},
    {"prismatic", mb_add_joint, TML_JOINT_PRISMATIC, MB_ALL, 1},
    {"cylindrical", mb_add_joint, TML_JOINT_CYLINDRICAL, MB_ALL, 1},
    {"spherical", mb_add_joint, TML_JOINT_SPHERICAL, MB_ALL + MB_AP + MB_PB + MB_GP, 1},
    {"universal", mb_add_joint, TML_JOINT_UNIVERSAL, MB_ALL, 1},
    {"constant-velocity", mb_add_joint, TML_JOINT_CONSTANT_VELOCITY, MB_ALL, 1},
    {"planar", mb_add_joint, TML_JOINT_PLANAR, MB_ALL, 0},
    {"point-on-line", mb_add_joint, TML_JOINT_POINT_ON_LINE, MB_ALL + MB_AP + MB_GP, 1},
    {"point-on-plane", mb_add_joint, TML_JOINT_POINT_ON_PLANE, MB_ALL + MB_AP + MB_GP, 1},
    {"distance", mb_add_joint, TML_JOINT_DISTANCE, MB_ALL + MB_AP + MB_PB + MB_GP, 1},
    {"parallel", mb_add_joint, TML_JOINT_PARALLEL, MB_ALL, 0},
    {"perpendicular", mb_add_joint, TML_JOINT_PERPENDICULAR, MB_ALL, 0},
    {"screw", mb_add_joint, TML_JOINT_SCREW, MB_ALL, 0},
    {"gear of angles", mb_add_coupler, 0, MB_ALL, 1},
    {"gear of distances", mb_add_coupler, 1, MB_ALL, 1},
    {"rack", mb_add_coupler, 2, MB_ALL, 1},
    {"gear of angle and distance", mb_add_coupler, 3, MB_ALL, 1},
    {"driver of angle", mb_add_driver, 0, MB_ALL, 1},
    {"driver of distance", mb_add_driver, 1, MB_ALL, 1},
    {"driver of frame", mb_add_driver, 2, MB_AB, 1},
    {"driver of distance()", mb_add_driver, 3, MB_AB, 1},
    {"driver of angle()", mb_add_driver, 4, MB_AB, 1},
    {"driver of body angle", mb_add_driver, 5, MB_AB, 1},
    {"spring linear", mb_add_scalar, 0, MB_ALL + MB_AP + MB_PB + MB_GP, 1},
    {"spring law", mb_add_scalar, 1, MB_ALL + MB_AP + MB_PB, 1},
    {"spring table", mb_add_scalar, 2, MB_ALL + MB_AP, 1},
    {"torsion linear", mb_add_scalar, 3, MB_ALL, 1},
    {"torsion law", mb_add_scalar, 4, MB_ALL, 1},
    {"torsion table", mb_add_scalar, 5, MB_ALL, 1},
    {"bushing", mb_add_bushing, 0, MB_ALL, 1},
    {"applied of t", mb_add_applied, 4, MB_AB, 1},
    {"applied of t, body axes", mb_add_applied, 5, MB_AB, 1},
    {"applied of state", mb_add_applied, 6, MB_AB, 1},
    {"applied of state, body axes", mb_add_applied, 7, MB_AB, 1},
    {"applied to a point", mb_add_applied, 2, MB_AP, 1},
    {"drag linear", mb_add_drag, 1, MB_AB + MB_AP, 1},
    {"drag quadratic", mb_add_drag, 2, MB_AB + MB_AP, 1},
    {"drag", mb_add_drag, 3, MB_AB + MB_AP, 1},
    {"tyre on a sine", mb_add_tyre, 0, MB_AB + MB_AP, 1},
    {"tyre with tables", mb_add_tyre, 1, MB_AB + MB_AP, 1},
    {"tyre on a sine, normal", mb_add_tyre, 2, MB_AB + MB_AP, 1},
    {"tyre with tables, normal", mb_add_tyre, 3, MB_AB + MB_AP, 1},
    {"pose", mb_add_pose, 63, MB_ALL, 0},
    {"pose in part", mb_add_pose, 2 + 8 + 16, MB_ALL, 0},
    {"coordinate of angle", mb_add_coordinate, 0, MB_ALL, 1},
    {"coordinate of distance", mb_add_coordinate, 1, MB_ALL, 1},
    {"friction of angle", mb_add_friction, 0, MB_ALL, 1},
    {"friction of distance", mb_add_friction, 1, MB_ALL, 1},
    {"armature of angle", mb_add_armature, 0, MB_ALL, 1},
    {"armature of distance", mb_add_armature, 1, MB_ALL, 1},
};
enum { MB_SUBJECTS = sizeof mb_subjects / sizeof *mb_subjects };

#endif
