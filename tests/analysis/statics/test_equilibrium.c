// Equilibria of beams against solutions of the boundary-value problem of the geometrically exact beam (found
// by shooting in quadruple precision), against closed forms, and of mechanisms that only loads hold.
#include "analysis/statics/cantilever.h"

// A moment rolls a cantilever into a full circle; in general the tip is at L sin(a)/a, L (1 - cos a)/a.
static void roll_up(void **state)
{
    (void)state;
    const double pi = acos(-1.0), EI = 86.9e3, L = 10;
    for (int order = 1; order <= 3; order++)
        for (int k = 1; k <= 4; k++) {
            const double a = k * pi / 2;
            const cantilever c = {.length = L,
                                  .stiffness = {1770e3, 1770e3, 1770e3, 8.16e3, EI, 215e3},
                                  .moment = {0, -a * EI / L, 0},
                                  .elements = 8,
                                  .order = order};
            const result r = solve(&c);
            const double expected[3] = {L * sin(a) / a - L, 0, L * (1 - cos(a)) / a};
            printf("roll-up order %d angle %.4f: error %.2e, %d steps, %d iterations\n", order, a,
                   error_of(&r, expected, L), r.found.steps, r.found.iterations);
            // bending is constant: the rotation is exact, and chords of 8 elements follow an arc
            CHECK_SMALL(error_of(&r, expected, L), order == 1 ? 3e-2 : order == 2 ? 1e-4 : 1e-7);
        }
}

typedef struct reference {
    double load, u[3];
} reference;

// A dead force on the tip: Mattiasson's elastica; nearly inextensible and free of shear.
static void elastica(void **state)
{
    (void)state;
    static const reference list[] = {{1, {-0.056433236283377, 0.301720773799814, 0}},
                                     {5, {-0.387628360724430, 0.713791523611913, 0}},
                                     {10, {-0.554995597753751, 0.810609024880296, 0}}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const cantilever c = {.length = 1,
                              .stiffness = {1e10, 1e10, 1e10, 1, 1, 1},
                              .force = {0, list[i].load, 0},
                              .elements = 16,
                              .order = 3};
        const result r = solve(&c);
        printf("elastica %g: error %.2e\n", list[i].load, error_of(&r, list[i].u, 1));
        CHECK_SMALL(error_of(&r, list[i].u, 1), 1e-8);
    }
}

// The cantilever of 45 degrees of Bathe and Bolourchi, and its convergence.
static void bend(void **state)
{
    (void)state;
    static const reference list[] = {{300, {-11.931555628971947, 7.044540935977549, 40.191891670150518}},
                                     {600, {-23.560239545025739, 13.604521347306486, 53.474858791825127}}};
    static const tml_beam_interpolation kind[] = {TML_BEAM_R3SO3, TML_BEAM_R3SO3, TML_BEAM_SE3};
    for (int k = 0; k < 3; k++)
        for (int order = 1; order <= 3; order++) {
            const reference *wanted = &list[k > 0];
            double last = 0;
            for (int elements = 4; elements <= 16; elements *= 2) {
                const cantilever c = {.length = 100 * acos(-1.0) / 4,
                                      .curvature = {0, 0, -0.01},
                                      .stiffness = {1e7, 5e6, 5e6, 5e6 / 6, 1e7 / 12, 1e7 / 12},
                                      .force = {0, 0, wanted->load},
                                      .elements = elements,
                                      .order = order,
                                      .interpolation = kind[k]};
                const result r = solve(&c);
                const double e = error_of(&r, wanted->u, c.length);
                const double slope = last > 0 ? log2(last / e) : NAN;
                printf("bend %g %s order %d, %2d elements: error %.2e slope %5.2f\n", wanted->load,
                       kind[k] == TML_BEAM_SE3 ? "se3" : "r3so3", order, elements, e, slope);
                if (elements == 8) CHECK_CLOSE(slope, 2 * order, 0.6);
                if (elements == 16 && order == 3) CHECK_SMALL(e, 1e-8);
                last = e;
            }
        }
}

// The Princeton beam: bending in two planes with torsion.
static void princeton(void **state)
{
    (void)state;
    static const struct {
        double P, theta, u[3];
    } list[] = {{4.448, 45, {-0.003746980861372, 0.056056004856903, 0.003965164595317}},
                {8.896, 30, {-0.007661002699220, 0.079457222664473, 0.010147256354658}},
                {13.345, 15, {-0.005298505302773, 0.064497284179585, 0.016502906523682}},
                {13.345, 60, {-0.041207236321657, 0.181923439992722, 0.011716496169942}},
                {13.345, 90, {-0.050406669704180, 0.200695292911793, 0}}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const double theta = list[i].theta * acos(-1.0) / 180;
        const cantilever c = {.length = 0.508,
                              .stiffness = {2.84191e6, 6.40131e5, 9.03881e5, 3.10338, 36.2794, 2.42873},
                              .force = {0, list[i].P * sin(theta), list[i].P * cos(theta)},
                              .elements = 16,
                              .order = 3};
        const result r = solve(&c);
        printf("Princeton %g N %g deg: error %.2e\n", list[i].P, list[i].theta,
               error_of(&r, list[i].u, c.length));
        CHECK_SMALL(error_of(&r, list[i].u, c.length), 1e-9);
    }
}

// A pendulum that starts at an angle: no stiffness there; relaxation finds the lower equilibrium.
static void pendulum(void **state)
{
    (void)state;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_state *x = NULL;
    tmli_equilibrium found;
    OK(tml_spec_create(NULL, &spec, &err));
    tml_spec_set_planar(spec, true);
    tml_spec_set_gravity(spec, (const double[3]){0, -9.81, 0});
    tml_body_def body = tml_body_def_default();
    body.name = "bob";
    body.mass = 2;
    body.inertia[2] = 0.1;
    body.position[0] = 1;
    OK(tml_spec_add_body(spec, &body, &err));
    tml_joint_def joint = tml_joint_def_default();
    joint.name = "pin";
    joint.a = "ground";
    joint.b = "bob";
    joint.has_point = true;
    OK(tml_spec_add_joint(spec, &joint, &err));
    OK(tml_model_build(spec, &model, &err));
    const tml_system *sys = tml_model_system(model);
    OK(tml_state_create(sys, &x, &err));
    tml_model_start(model, 0, x);
    OK(tmli_equilibrium_find(sys, x, NULL, NULL, NULL, &found, &err));
    printf("pendulum: %d steps, relaxed %d, residual %.1e\n", found.steps, found.relaxed, found.residual);
    assert_true(found.relaxed);
    CHECK_CLOSE(x->q[0], 0, 1e-9);
    CHECK_CLOSE(x->q[1], -1, 1e-9);
    tml_state_destroy(x, sys);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

// Of the equilibria z = 0 and z = 1 of a state, the one next to its start: k x = z.
static void of_a_state(void **state)
{
    (void)state;
    static const char text[] = "planar: true\n"
                               "bodies: {cart: {mass: 2, inertia: 1, velocity: [0.3, 0]}}\n"
                               "joints: {rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}}\n"
                               "states: {z: {rate: 'z*(1 - z)', start: 0.9}}\n"
                               "forces: {pull: {type: applied, at: cart, force: ['z - 3*cart.x', 0]}}\n";
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_state *x = NULL;
    tmli_equilibrium found;
    OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err));
    OK(tml_model_build(spec, &model, &err));
    const tml_system *sys = tml_model_system(model);
    OK(tml_state_create(sys, &x, &err));
    tml_model_start(model, 0, x);
    OK(tmli_equilibrium_find(sys, x, NULL, NULL, NULL, &found, &err));
    CHECK_CLOSE(x->u[3], 1, 1e-9);
    CHECK_CLOSE(x->q[0], 1.0 / 3, 1e-9);
    for (int j = 0; j < 3; j++) CHECK_SMALL(x->u[j], 0);
    tml_state_destroy(x, sys);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

// Two masses far out, with a spring so stiff that the round-off of their places leaves a force: no reason to
// refuse the equilibrium, on either side. The spring of stiffness k gives way by 7/k.
static void within_round_off(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2)
        for (double k = 3e10; k < 1e13; k *= 10) {
            char text[600];
            tml_spec *spec = NULL;
            tml_model *model = NULL;
            tml_state *x = NULL;
            tmli_equilibrium found;
            snprintf(text, sizeof text,
                     "planar: true\n"
                     "bodies:\n"
                     "  a: {mass: 2, point: true, position: [%d, 0]}\n"
                     "  b: {mass: 2, point: true, position: [%d, 0]}\n"
                     "forces:\n"
                     "  s: {type: spring, a: a, b: b, stiffness: %g, length: 1}\n"
                     "  hold: {type: applied, at: a, force: ['-1e3*(a.x - (%d))', '-1e3*a.y']}\n"
                     "  load: {type: applied, at: b, force: [%d, '-1e3*b.y']}\n",
                     side * 3000000, side * 3000001, k, side * 3000000, side * 7);
            OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err));
            OK(tml_model_build(spec, &model, &err));
            const tml_system *sys = tml_model_system(model);
            OK(tml_state_create(sys, &x, &err));
            tml_model_start(model, 0, x);
            const double start = x->q[0];
            OK(tmli_equilibrium_find(sys, x, NULL, NULL, NULL, &found, &err));
            CHECK_CLOSE(x->q[0], start + side * 7e-3, 1e-7);
            CHECK_CLOSE(x->q[7] - x->q[0], side, 1e-8);
            tml_state_destroy(x, sys);
            tml_model_destroy(model);
            tml_spec_destroy(spec);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roll_up),          cmocka_unit_test(elastica), cmocka_unit_test(bend),
        cmocka_unit_test(princeton),        cmocka_unit_test(pendulum), cmocka_unit_test(of_a_state),
        cmocka_unit_test(within_round_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
