// Mechanisms for the tests of rank, linearization and check.
#ifndef TEST_CHECK_MODELS_H
#define TEST_CHECK_MODELS_H

#include "support.h"

#include <trammel/model.h>
#include <trammel/spec.h>

#define OK(call)                                                     \
    do {                                                             \
        tml_error ok_err = {0};                                      \
        tml_error *err = &ok_err;                                    \
        if ((call) != TML_OK) fail_msg("%s: %s", #call, ok_err.msg); \
    } while (0)

static inline tml_spec *new_spec(double gx, double gy, double gz)
{
    tml_spec *spec = NULL;
    const double g[3] = {gx, gy, gz};
    OK(tml_spec_create(NULL, &spec, err));
    tml_spec_set_gravity(spec, g);
    return spec;
}

static inline tml_model *build(tml_spec *spec)
{
    tml_model *model = NULL;
    OK(tml_model_build(spec, &model, err));
    tml_spec_destroy(spec);
    return model;
}

/** A bar from (x0, y0) to (x1, y1) in the plane z = 0, its x axis along it. */
static inline tml_body_def bar(const char *name, double mass, double x0, double y0, double x1, double y1)
{
    tml_body_def b = tml_body_def_default();
    const double l2 = (x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0), half = atan2(y1 - y0, x1 - x0) / 2;
    b.name = name;
    b.mass = mass;
    b.inertia[0] = 0.013 * mass * l2;
    b.inertia[1] = b.inertia[2] = mass * l2 / 12;
    b.position[0] = (x0 + x1) / 2;
    b.position[1] = (y0 + y1) / 2;
    b.orientation[0] = cos(half);
    b.orientation[3] = sin(half);
    return b;
}

static inline void add_joint(tml_spec *spec, const char *name, tml_joint_type type, const char *a,
                             const char *b, double x, double y, double z)
{
    tml_joint_def j = tml_joint_def_default();
    j.name = name;
    j.type = type;
    j.a = a;
    j.b = b;
    j.has_point = true;
    j.point[0] = x;
    j.point[1] = y;
    j.point[2] = z;
    OK(tml_spec_add_joint(spec, &j, err));
}

static inline void add_body(tml_spec *spec, tml_body_def b) { OK(tml_spec_add_body(spec, &b, err)); }

// Corners of the four-bar: A and D on the ground.
#define FOUR_BAR_BX 0.137
#define FOUR_BAR_BY 0.421
#define FOUR_BAR_CX 0.893
#define FOUR_BAR_CY 0.617
#define FOUR_BAR_DX 1.071

/** Four-bar linkage in the plane z = 0 with four revolute joints about z; last: type of the joint that closes
 * it. */
static inline tml_model *four_bar(bool planar, tml_joint_type last)
{
    tml_spec *spec = new_spec(0, -9.81, 0);
    tml_spec_set_planar(spec, planar);
    add_body(spec, bar("crank", 1.31, 0, 0, FOUR_BAR_BX, FOUR_BAR_BY));
    add_body(spec, bar("coupler", 2.07, FOUR_BAR_BX, FOUR_BAR_BY, FOUR_BAR_CX, FOUR_BAR_CY));
    add_body(spec, bar("rocker", 1.73, FOUR_BAR_CX, FOUR_BAR_CY, FOUR_BAR_DX, 0));
    add_joint(spec, "pin_a", TML_JOINT_REVOLUTE, "ground", "crank", 0, 0, 0);
    add_joint(spec, "pin_b", TML_JOINT_REVOLUTE, "crank", "coupler", FOUR_BAR_BX, FOUR_BAR_BY, 0);
    add_joint(spec, "pin_c", TML_JOINT_REVOLUTE, "coupler", "rocker", FOUR_BAR_CX, FOUR_BAR_CY, 0);
    add_joint(spec, "pin_d", last, "rocker", "ground", FOUR_BAR_DX, 0, 0);
    return build(spec);
}

// A rigid pendulum about z at the origin, hanging along -y from the start angle `turn` [rad] from the
// vertical.
#define PENDULUM_MASS 1.83
#define PENDULUM_ARM 0.613
#define PENDULUM_JZ 0.147
#define PENDULUM_G 9.81

static inline tml_model *pendulum(double turn)
{
    tml_spec *spec = new_spec(0, -PENDULUM_G, 0);
    tml_body_def b = tml_body_def_default();
    b.name = "bob";
    b.mass = PENDULUM_MASS;
    b.inertia[0] = 0.11;
    b.inertia[1] = 0.09;
    b.inertia[2] = PENDULUM_JZ;
    b.position[0] = PENDULUM_ARM * sin(turn);
    b.position[1] = -PENDULUM_ARM * cos(turn);
    b.orientation[0] = cos(turn / 2);
    b.orientation[3] = sin(turn / 2);
    add_body(spec, b);
    add_joint(spec, "pin", TML_JOINT_REVOLUTE, "ground", "bob", 0, 0, 0);
    return build(spec);
}

#endif
