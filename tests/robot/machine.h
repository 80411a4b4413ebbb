// Robots of tests: models, and random states of them.
#ifndef TEST_ROBOT_MACHINE_H
#define TEST_ROBOT_MACHINE_H

#include "support.h"

#include <math.h>
#include <string.h>
#include <trammel/trammel.h>

#define OK(call)                                                                             \
    do {                                                                                     \
        const tml_status ok_st = (call);                                                     \
        if (ok_st != TML_OK) fail_msg("%s: %s: %s", #call, tml_status_name(ok_st), err.msg); \
    } while (0)

// An arm of all joints of a tree, with springs, dampers and armature, on the ground or (free) on a body that
// flies.
#define ARM_BODIES                                                                                         \
    "  one: {mass: 2.3, inertia: [0.05, 0.04, 0.02], position: [0, 0, 0.3], frames: {tip: [0, 0, 0.3]}}\n" \
    "  two: {mass: 1.4, inertia: [0.03, 0.035, 0.01], position: [0.2, 0, 0.6],"                            \
    " frames: {tip: {position: [0.2, 0.03, 0], orientation: {axis: [0.2, 1, 0.4], angle: 0.7}}}}\n"        \
    "  three: {mass: 0.9, inertia: [0.02, 0.012, 0.015], position: [0.4, 0.1, 0.6]}\n"                     \
    "  four: {mass: 0.6, inertia: [0.004, 0.006, 0.005], position: [0.5, 0.2, 0.7]}\n"                     \
    "  five: {mass: 0.4, inertia: [0.002, 0.003, 0.0025], position: [0.6, 0.2, 0.75],"                     \
    " frames: {tip: [0.07, -0.04, 0.11]}}\n"
#define ARM_JOINTS                                                                                        \
    "  shoulder: {type: revolute, a: one.tip, b: two, point: [0, 0, 0.6], axis: [0, 1, 0.1],"             \
    " armature: 0.07, damping: 0.2, stiffness: 3, limits: {lower: -0.9, upper: 1.1, restitution: 0.4}}\n" \
    "  slide: {type: prismatic, a: two, b: three, axis: [1, 0.1, 0], stiffness: 30, damping: 1}\n"        \
    "  wrist: {type: universal, a: three, b: four, point: [0.45, 0.15, 0.65], axis: [1, 0, 0]}\n"         \
    "  hand: {type: spherical, a: four, b: five, point: [0.55, 0.2, 0.72]}\n"
static const char *const fixed_text =
    "gravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n" ARM_BODIES "joints:\n"
    "  waist: {type: revolute, a: ground, b: one, point: [0, 0, 0], axis: [0.1, 0, 1], torque: "
    "twist, friction: {coulomb: 0.3}}\n" ARM_JOINTS "inputs: {twist: {value: 0.4, unit: N m}}\n";
static const char *const flying_text = "gravity: [0, 0, -9.81]\n"
                                       "bodies:\n" ARM_BODIES "joints:\n" ARM_JOINTS;
static const char *const planar_text =
    "planar: true\n"
    "gravity: 9.81\n"
    "bodies:\n"
    "  a: {mass: 1.2, inertia: 0.03, position: [0.25, 0], frames: {o: [-0.25, 0], e: [0.25, 0]}}\n"
    "  b: {mass: 0.7, inertia: 0.02, position: [0.7, 0], frames: {o: [-0.2, 0], e: [0.2, 0]}}\n"
    "joints:\n"
    "  p: {type: revolute, a: ground, b: a.o, stiffness: 2, damping: 0.1}\n"
    "  q: {type: revolute, a: b.o, b: a.e, armature: 0.02,"
    " limits: {lower: -3, upper: 3, stiffness: 10}}\n";
static const char *const loop_text =
    "planar: true\n"
    "gravity: 9.81\n"
    "bodies:\n"
    "  crank: {mass: 0.7, inertia: 0.011, position: [0.2, 0], frames: {a: [-0.2, 0], b: [0.2, 0]}}\n"
    "  rod: {mass: 0.9, inertia: 0.03, position: [0.75, 0.15], orientation: 0.4055,"
    " frames: {b: [-0.380788655, 0], c: [0.380788655, 0]}}\n"
    "  rocker: {mass: 1.1, inertia: 0.02, position: [1.1, 0.1], frames: {c: [0, 0.2], d: [0, -0.2]}}\n"
    "joints:\n"
    "  hinge: {type: revolute, a: ground, b: crank.a, damping: 0.05}\n"
    "  pin: {type: revolute, a: crank.b, b: rod.b}\n"
    "  knee: {type: revolute, a: rod.c, b: rocker.c}\n"
    "  foot: {type: revolute, a: ground, b: rocker.d, point: [1.1, -0.1], stiffness: 4}\n";

// Motors with first-order states: a filter, and an integrator that follows a joint.
static const char *const motor_text =
    "gravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n" ARM_BODIES "joints:\n"
    "  waist: {type: revolute, a: ground, b: one, point: [0, 0, 0], axis: [0.1, 0, 1],"
    " motor: {position: goal, stiffness: 4, damping: 0.3, command: sum, lag: 0.2}}\n" ARM_JOINTS
    "inputs: {goal: {value: 0.4, unit: rad}}\n"
    "states: {sum: {rate: 0.4 - shoulder.angle*sum, start: 0.7}}\n";
// The same in space, where three of the five rows that close it depend on others.
static const char *const redundant_text =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {mass: 0.7, inertia: [0.1, 0.1, 0.011], position: [0.2, 0, 0],"
    " frames: {a: [-0.2, 0, 0], b: [0.2, 0, 0]}}\n"
    "  rod: {mass: 0.9, inertia: [0.1, 0.1, 0.03], position: [0.75, 0.15, 0], orientation: 0.4055,"
    " frames: {b: [-0.380788655, 0, 0], c: [0.380788655, 0, 0]}}\n"
    "  rocker: {mass: 1.1, inertia: [0.1, 0.1, 0.02], position: [1.1, 0.1, 0],"
    " frames: {c: [0, 0.2, 0], d: [0, -0.2, 0]}}\n"
    "joints:\n"
    "  hinge: {type: revolute, a: ground, b: crank.a, damping: 0.05}\n"
    "  pin: {type: revolute, a: crank.b, b: rod.b}\n"
    "  knee: {type: revolute, a: rod.c, b: rocker.c}\n"
    "  foot: {type: revolute, a: ground, b: rocker.d, point: [1.1, -0.1, 0], stiffness: 4}\n";

enum { MOST = 16 };
typedef struct machine {
    tml_spec *spec;
    tml_model *model;
    tml_robot *robot;
    int n, nq, m;
} machine;

static inline machine make(const char *text)
{
    tml_error err = {0};
    machine o = {0};
    OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &o.spec, &err));
    OK(tml_model_build(o.spec, &o.model, &err));
    OK(tml_robot_create(o.model, &o.robot, &err));
    o.n = tml_robot_n(o.robot);
    o.nq = tml_robot_nq(o.robot);
    o.m = tml_robot_row_count(o.robot);
    assert_true(o.nq <= MOST + 4 && o.n <= MOST);
    return o;
}

static inline void clear(machine *o)
{
    tml_robot_destroy(o->robot);
    tml_model_destroy(o->model);
    tml_spec_destroy(o->spec);
}

static uint64_t seed = 0x9e3779b97f4a7c15u;
static inline double rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return 2.0 * (double)(seed >> 11) / 9007199254740992.0 - 1;
}

static inline void random_state(const machine *o, double *q, double *u)
{
    for (int i = 0; i < o->nq; i++) q[i] = 0.8 * rnd();  // within the limits
    for (int i = 0; i < o->n; i++) u[i] = 1.3 * rnd();
    for (int j = 0; j < o->n; j++) {
        const tml_robot_coordinate *c = tml_robot_get_coordinate(o->robot, j);
        double *p = q + c->q, length = 0;
        if (!c->quaternion) continue;
        for (int k = 0; k < 4; k++) length += p[k] * p[k];
        for (int k = 0; k < 4; k++) p[k] /= sqrt(length);
    }
}

// q moved by h d, in the directions of u.
static inline void move(const machine *o, const double *q, double h, const double *d, double *out)
{
    memcpy(out, q, (size_t)o->nq * sizeof *q);
    for (int j = 0; j < o->n; j++) {
        const tml_robot_coordinate *c = tml_robot_get_coordinate(o->robot, j);
        if (!c->quaternion) {
            out[c->q] += h * d[j];
            continue;
        }
        const double x = h * d[j] / 2, y = h * d[j + 1] / 2, z = h * d[j + 2] / 2, *p = q + c->q;
        const double a = sqrt(x * x + y * y + z * z), s = a > 0 ? sin(a) / a : 1, w = cos(a);
        double *to = out + c->q;
        to[0] = p[0] * w - s * (p[1] * x + p[2] * y + p[3] * z);
        to[1] = p[1] * w + s * (p[0] * x + p[2] * z - p[3] * y);
        to[2] = p[2] * w + s * (p[0] * y + p[3] * x - p[1] * z);
        to[3] = p[3] * w + s * (p[0] * z + p[1] * y - p[2] * x);
        j += 2;
    }
}

#endif
