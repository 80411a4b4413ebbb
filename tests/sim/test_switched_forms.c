// Friction that sticks, rigid limits, loads that are reactions, rolling and first-order states, in joint
// coordinates and on SE(3): the results are those of the bodies' own coordinates.
#include "sim_fixture.h"

enum { FORMS = 3, MOST = 64 };
static const char *const FORM[FORMS] = {"bodies", "joint coordinates", "SE(3)"};

static tml_run_def run_in(const tml_model *m, int form, const char *method, double tol)
{
    tml_run_def run = *tml_model_run(m);
    run.method = method;
    run.tol = tol;
    run.rtol = run.atol = NAN;
    run.kinematics = form == 1 ? TML_KINEMATICS_JOINTS : TML_KINEMATICS_BODIES;
    run.group = form == 2 ? TML_GROUP_SE3 : TML_GROUP_R3SO3;
    return run;
}

// q (MOST) at time `end`; switches: the number of times that modes have changed
static long end_state(const tml_model *m, const tml_run_def *run, double end, double *q)
{
    tml_error err = {0};
    tml_sim *sim = start_sim(m, run);
    OK(tml_sim_run(sim, end, &err));
    const tml_state *x = tml_sim_state(sim);
    assert_true(x->nq <= MOST);
    memcpy(q, x->q, (size_t)x->nq * sizeof *q);
    const long switches = report_of(sim).switches;
    tml_sim_destroy(sim);
    return switches;
}

// -1: entry k belongs to a quaternion with the other sign.
static double sign_of(const double *q, const double *exact, int k)
{
    const int first = k - k % 7 + 3;
    double dot = 0;
    for (int i = first; i < first + 4; i++) dot += q[i] * exact[i];
    return k >= first && dot < 0 ? -1 : 1;
}

// Two links, stretched out along x; joints follow.
#define ARM                                                                  \
    "gravity: [0, 0, -9.81]\n"                                               \
    "bodies:\n"                                                              \
    "  upper: {mass: 2, inertia: [0.02, 0.2, 0.2], position: [0.5, 0, 0]}\n" \
    "  lower: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [1.5, 0, 0]}\n" \
    "joints:\n"

static const char *const METHODS[] = {"bdf", "radau5", "adams", NULL};

// allowed: times tol [m, -]; switched: modes change
static void compare(const char *what, tml_model *m, const char *const *methods, double end, bool switched,
                    double allowed)
{
    const double tol = 1e-6;
    const int nq = tml_model_system(m)->nq;
    double exact[MOST], q[MOST];
    tml_run_def fine = run_in(m, 0, methods[1], tol / 100);
    const long switches = end_state(m, &fine, end, exact);
    if ((switches > 0) != switched) fail_msg("%s: modes change %ld times", what, switches);
    for (int i = 0; methods[i]; i++)
        for (int form = 0; form < FORMS; form++) {
            tml_run_def run = run_in(m, form, methods[i], tol);
            if (end_state(m, &run, end, q) < 1 && switched)
                fail_msg("%s, %s, %s: no mode changes", what, methods[i], FORM[form]);
            for (int k = 0; k < nq; k++)  // a quaternion and its negative are the same
                if (!(fabs(q[k] - sign_of(q, exact, k) * exact[k]) <= allowed * tol))
                    fail_msg("%s, %s, %s: q[%d] is %.12g, expected %.12g", what, methods[i], FORM[form], k,
                             q[k], exact[k]);
        }
    tml_model_destroy(m);
}

// Two hinges stick and slip under a torque, with a load on the second link.
static void friction_in_space(void **state)
{
    (void)state;
    compare("arm with friction",
            text_model(
                ARM "  shoulder: {type: revolute, a: ground, b: upper, point: [0, 0, 0], axis: [0, 1, 0],\n"
                    "    friction: {coulomb: 1.5, static: 2, stribeck: 0.3}}\n"
                    "  elbow: {type: revolute, a: upper, b: lower, point: [1, 0, 0], axis: [0.6, 0.8, 0],\n"
                    "    friction: {coulomb: 3, static: 4}}\n"
                    "forces: {drive: {type: applied, at: upper, torque: [0, 4*sin(3*t), 0]}}\n"
                    "run: {end: 2, output_step: 0.1}\n"),
            METHODS, 2, true, 20);
}

// A link strikes its limits and rests on one; the other one is driven by its speed.
static void limits(void **state)
{
    (void)state;
    compare("arm with limits",
            text_model(
                ARM "  shoulder: {type: revolute, a: ground, b: upper, point: [0, 0, 0], axis: [0, 1, 0],\n"
                    "    damping: 0.4, limits: {upper: 0.5, restitution: 0}}\n"
                    "  elbow: {type: revolute, a: upper, b: lower, point: [1, 0, 0], axis: [0, 1, 0],\n"
                    "    damping: 0.2, limits: {lower: -0.6, upper: 0.6, restitution: 0.3}}\n"
                    "run: {end: 2, output_step: 0.1}\n"),
            METHODS, 2, true, 20);
}

static void driven_speed(void **state)
{
    (void)state;
    compare("driven speed",
            text_model(
                ARM "  shoulder: {type: revolute, a: ground, b: upper, point: [0, 0, 0], axis: [0, 1, 0]}\n"
                    "  elbow: {type: spherical, a: upper, b: lower, point: [1, 0, 0]}\n"
                    "  motor: {type: driver, of: shoulder.angle, speed: 1 + sin(3*t)}\n"
                    "run: {end: 2, output_step: 0.1}\n"),
            METHODS, 2, false, 20);
}

static void bundled(void **state)
{
    (void)state;
    compare("friction_arm", load_model("friction_arm", (tml_parameter){0}, NULL), METHODS, 1.5, true, 20);
    compare("skate", load_model("skate", (tml_parameter){0}, NULL), METHODS, 3, false, 20);
    compare("bicycle", load_model("contact/bicycle", (tml_parameter){0}, NULL), METHODS, 2, true, 20);
    compare("rolling_disc", load_model("rolling_disc", (tml_parameter){0}, NULL), METHODS, 1, false, 20);
}

// Friction whose load is a reaction: of joints, which are loops then, and of a rigid contact that slips.
static void loads(void **state)
{
    (void)state;
    static const char *const methods[] = {"ggl-radau5", "for-sdirk", "erk5", NULL};
    compare("crank_friction", load_model("contact/crank_friction", (tml_parameter){0}, NULL), methods, 0.5,
            true, 30);
    compare("skidding_ball", load_model("contact/skidding_ball", (tml_parameter){0}, NULL), methods, 1.5,
            true, 30);
    compare("regularized",
            text_model(
                ARM "  shoulder: {type: revolute, a: ground, b: upper, point: [0, 0, 0], axis: [0, 1, 0],\n"
                    "    friction: {coefficient: 0.3, radius: 0.1, load: reaction, law: regularized, creep: "
                    "0.1}}\n"
                    "  elbow: {type: revolute, a: upper, b: lower, point: [1, 0, 0], axis: [0.6, 0.8, 0]}\n"
                    "run: {end: 1, output_step: 0.1}\n"),
            methods, 1, false, 30);
}

// First-order states are coordinates of every form, the last ones, after light bodies that are free; gravity
// does not act on them.
static void first_order_states(void **state)
{
    (void)state;
    static const char *const methods[] = {"erk5", "radau5", "bdf", "adams", "genalpha", NULL};
    for (int planar = 0; planar < 2; planar++) {
        char text[900];
        tml_error err = {0};
        snprintf(text, sizeof text,
                 "%s\n"
                 "bodies:\n"
                 "  rod: {mass: 2, inertia: %s, position: [0.5, 0%s]}\n"
                 "  dust: {mass: 0.1, position: [0, 2%s]}\n"
                 "joints: {pin: {type: revolute, a: ground, b: rod, point: [0, 0%s]%s}}\n"
                 "states:\n"
                 "  lag: {rate: 3*(pin.angle - lag), start: 0.2}\n"
                 "  sum: {rate: lag + dust.y, start: -1}\n"
                 "forces: {push: {type: applied, at: dust, force: [lag, sum%s]}}\n"
                 "run: {end: 1, output_step: 0.1}\n",
                 planar ? "planar: true\ngravity: [4, -9]" : "gravity: [4, -9, 2]",
                 planar ? "0.2" : "[0.1, 0.2, 0.2]", planar ? "" : ", 0", planar ? "" : ", 0",
                 planar ? "" : ", 0", planar ? "" : ", axis: [0, 0, 1]", planar ? "" : ", 0");
        tml_model *m = text_model(text);
        double exact[2] = {0}, q[MOST], drop = 0;
        for (int i = -1; i < 0 || methods[i]; i++)
            for (int form = 0; form < (i < 0 ? 1 : FORMS); form++) {
                const double tol = i < 0 ? 1e-9 : 1e-6;
                tml_run_def run = run_in(m, form, i < 0 ? "radau5" : methods[i], tol);
                tml_sim *sim = start_sim(m, &run);
                OK(tml_sim_run(sim, 1, &err));
                const tml_state *x = tml_sim_state(sim);
                assert_int_equal(x->nz, 2);
                memcpy(q, x->q, (size_t)x->nq * sizeof *q);
                if (i < 0) memcpy(exact, x->z, sizeof exact), drop = q[8];
                for (int k = 0; k < 2; k++)
                    if (!(fabs(x->z[k] - exact[k]) <= 50e-6))
                        fail_msg("%s, %s: z[%d] is %.12g, expected %.12g", methods[i], FORM[form], k, x->z[k],
                                 exact[k]);
                assert_true(fabs(q[8] - drop) <= 50e-6);
                tml_sim_destroy(sim);
            }
        tml_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_in_space), cmocka_unit_test(limits), cmocka_unit_test(driven_speed),
        cmocka_unit_test(bundled),           cmocka_unit_test(loads),  cmocka_unit_test(first_order_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
