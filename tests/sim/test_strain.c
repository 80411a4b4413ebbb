// Forces in balance with each other: accelerations are the small difference of large ones, and keep their
// digits.
//
// A scissor lift of N cells with its platform, from rest at the angle phi of its bars: potential energy
//   V = A sin(phi) + k/2 (l cos(phi) - s)^2,  A = g l (m N^2 + mp N),
// inertia I, twice the kinetic energy over phi'^2:
//   I = sum over cells of 2 m (l^2/4 sin^2(phi) + (i - 1/2)^2 l^2 cos^2(phi) + l^2/12)
//       + mp N^2 l^2 cos^2(phi)
// and phi'' = -V'/I. The platform rises with N l cos(phi) phi''. Pins carry N times the weight on bars of 2
// kg, which would accelerate by 3e5 m/s^2: round-off of that, leaned on by a chain of N cells, is what is
// left in the accelerations without care.
#include "consistency/consistent.h"
#include "sim_fixture.h"
#include "system/joint_space/joint_space.h"

#include <math.h>
#include <string.h>

enum { CELLS = 100 };

// The lift of models/redundant_scissor_lift.yaml in the plane.
static const char PLANAR[] =
    "planar: true\ngravity: 9.81\n"
    "parameters: {N: 100, l: 1, m: 2, mp: 50, phi0: 35 deg, phi: 36 deg, A: 9.81*l*(m*N^2 + mp*N),\n"
    "  k: 3*A/(l^2*sin(phi0)^3), s: l*cos(phi0) - A*cos(phi0)/(k*l*sin(phi0)), x: l*cos(phi), y: "
    "l*sin(phi)}\n"
    "ground:\n"
    "  frames: {foot: [0, 0], rail: {orientation: {z: [1, 0, 0], x: [0, 1, 0]}}}\n"
    "defaults:\n"
    "  bodies: {mass: m, inertia: m*l^2/12, frames: {low: [-l/2, 0], high: [l/2, 0]}}\n"
    "  joints: {type: revolute}\n"
    "bodies:\n"
    "  platform:\n"
    "    {mass: mp, inertia: mp*l^2/12, position: [l/2, N*y], frames: {pin: [-l/2, 0], rail: {orientation: "
    "{z: "
    "[1, 0, 0], x: [0, 1, 0]}}}}\n"
    "joints:\n"
    "  foot: {a: ground.foot, b: right1.low}\n"
    "  roller: {type: point-on-line, a: ground.rail, b: left1.low}\n"
    "  top: {a: \"left{N}.high\", b: platform.pin}\n"
    "  top_roller: {type: point-on-line, a: platform.rail, b: \"right{N}.high\"}\n"
    "repeat:\n"
    "  - index: i\n"
    "    to: N\n"
    "    bodies:\n"
    "      \"right{i}\": {position: [x/2, (i - 1/2)*y], orientation: phi}\n"
    "      \"left{i}\": {position: [x/2, (i - 1/2)*y], orientation: pi - phi}\n"
    "    joints: {\"middle{i}\": {a: \"right{i}\", b: \"left{i}\"}}\n"
    "  - {index: i, from: 2, to: N, joints: {\"east{i}\": {a: \"right{i-1}.high\", b: \"left{i}.low\"}}}\n"
    "  - {index: i, from: 2, to: N, joints: {\"west{i}\": {a: \"left{i-1}.high\", b: \"right{i}.low\"}}}\n"
    "forces:\n"
    "  spring: {type: spring, a: right1.low, b: left1.low, stiffness: k, length: s}\n"
    "run: {end: 1}\n";

static double exact_rise(void)
{
    const double N = CELLS, l = 1, m = 2, mp = 50, deg = acos(-1) / 180, phi0 = 35 * deg, phi = 36 * deg;
    const double A = 9.81 * l * (m * N * N + mp * N), k = 3 * A / (l * l * pow(sin(phi0), 3));
    const double s = l * cos(phi0) - A * cos(phi0) / (k * l * sin(phi0)), co = l * cos(phi),
                 si = l * sin(phi);
    double I = mp * N * N * co * co;
    for (int i = 1; i <= CELLS; i++)
        I += 2 * m * (si * si / 4 + (i - 0.5) * (i - 0.5) * co * co + l * l / 12);
    return N * co * -(A * cos(phi) - k * (co - s) * si) / I;
}

// The first node is the platform; its second velocity coordinate the rise.
static void check_rise(const char *what, const tml_state *base)
{
    const double exact = exact_rise();
    if (!(fabs(base->udot[1] - exact) < 1e-11 * fabs(exact)))
        fail_msg("%s: the platform rises with %.16g m/s^2, exact: %.16g", what, base->udot[1], exact);
}

static void check_bodies(const char *what, const tml_model *model)
{
    tml_error err = {0};
    tmli_consistent c = {0};
    tml_state *x = NULL;
    const tml_system *s = tml_model_system(model);
    OK(tml_state_create(s, &x, &err));
    tml_model_start(model, 0, x);
    OK(tmli_consistent_create_redundant(s, &tml_linsolver_tree, &c, &err));
    OK(tmli_consistent_project(&c, x, &err));
    check_rise(what, x);
    tmli_consistent_clear(&c);
    tml_state_destroy(x, s);
}

static void check_joints(const char *what, const tml_model *model)
{
    tml_error err = {0};
    tml_system *joints = NULL;
    tml_state *x = NULL, *y = NULL;
    const tml_system *s = tml_model_system(model);
    OK(tmli_joint_space_create(s, false, INFINITY, &joints, &err));
    OK(tml_state_create(s, &x, &err));
    OK(tml_state_create(joints, &y, &err));
    void *work = joints->ops->create_work(joints->self, NULL);
    tml_model_start(model, 0, x);
    OK(tmli_joint_space_from_base(joints, work, x, y, &err));
    OK(joints->ops->accelerate(joints->self, work, y, &err));
    tmli_joint_space_to_base(joints, work, y, x);
    check_rise(what, x);
    joints->ops->destroy_work(work);
    tml_state_destroy(x, s);
    tml_state_destroy(y, joints);
    tml_system_destroy(joints);
}

static void in_space(void **state)
{
    (void)state;
    for (int redundant = 0; redundant < 2; redundant++) {
        tml_model *model =
            load_model("redundant_scissor_lift", (tml_parameter){"redundant", redundant ? "1" : "0"}, NULL);
        check_bodies(redundant ? "bodies, rows repeat others" : "bodies", model);
        if (!redundant) check_joints("joint coordinates", model);
        tml_model_destroy(model);
    }
}

static void in_the_plane(void **state)
{
    (void)state;
    tml_model *model = text_model(PLANAR);
    check_bodies("planar bodies", model);
    check_joints("planar joint coordinates", model);
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_space), cmocka_unit_test(in_the_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
