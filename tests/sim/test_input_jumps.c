// Accelerations and reactions jump with an input, at once and as the equations of motion say, in the middle
// of a run and before its first step, whatever the unknowns.
#include "sim/loop.h"
#include "sim_fixture.h"

#include <trammel/trammel.h>

#define INPUT                                                                            \
    "planar: true\n"                                                                     \
    "gravity: 9.81\nground: {frames: {wall: [2, 0.6]}}\n"                                \
    "inputs: {push: {value: 0.3, unit: N}}\n"                                            \
    "bodies:\n"                                                                          \
    "  cart: {mass: 1.3, inertia: 0.01}\n"                                               \
    "  rod: {mass: 0.4, inertia: 0.013, position: [0.12, -0.27], orientation: 0.4182,\n" \
    "    frames: {top: [0, 0.2955]}}\n"
#define RAIL                                                          \
    "joints:\n"                                                       \
    "  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0.3]}\n" \
    "  pin: {type: revolute, a: cart, b: rod.top}\n"
#define PUSH "  drive: {type: applied, at: cart, force: ['push - 4*cart.vx', '0.2*push'], torque: push}\n"
#define RUN "run: {end: 0.8, tol: 1e-6}\n"

// With mass, and with a body without mass that floats on springs
static const char *const texts[] = {INPUT RAIL "forces:\n" PUSH RUN, INPUT
                                    "  float: {mass: 0, inertia: 0.002, position: [0.5, 0.15]}\n" RAIL
                                    "  slide: {type: prismatic, a: ground, b: float, axis: [1, 0.3]}\n"
                                    "forces:\n" PUSH
                                    "  near: {type: spring, a: cart, b: float, stiffness: 300}\n"
                                    "  far: {type: spring, a: ground.wall, b: float, stiffness: 200}\n" RUN};

static void check_jump(const tml_model *model, const char *method, tml_group group, bool early)
{
    tml_error err = {0};
    tml_run_def run = *tml_model_run(model);
    run.method = method;
    run.group = group;
    run.kinematics = TML_KINEMATICS_BODIES;
    tml_sim *sim = start_sim(model, &run);
    while (!early && tml_sim_time(sim) < 0.2) OK(tml_sim_step(sim, 0.2, &err));
    tml_state *before, *want;
    OK(tml_state_create(sim->sys, &before, &err));
    OK(tml_state_create(sim->sys, &want, &err));
    tml_state_copy(before, tmli_sim_state(sim));
    OK(tml_sim_set_input(sim, 0, 5.7, 0, &err));
    OK(tmli_sim_apply_inputs(sim, &err));
    const tml_state *x = tmli_sim_state(sim);
    tml_state_copy(want, x);
    OK(tmli_consistent_accelerations(&sim->consistent, want, &err));
    double jump = 0, force = 0, off = 0, wrong = 0;
    for (int j = 0; j < x->n; j++) {
        jump = fmax(jump, fabs(want->udot[j] - before->udot[j]));
        off = fmax(off, fabs(want->udot[j] - x->udot[j]));
    }
    for (int r = 0; r < x->m; r++) {
        force = fmax(force, fabs(want->lambda[r] - before->lambda[r]));
        wrong = fmax(wrong, fabs(want->lambda[r] - x->lambda[r]));
    }
    assert_true(jump > 1 && force > 1);
    // by the matrix of the last step, in which forces react within that step
    if (!(off <= 0.05 * jump && wrong <= 0.05 * force))
        fail_msg("%s, group %d, %s: accelerations jump by %g and are off by %g, forces by %g and %g", method,
                 (int)group, early ? "at the start" : "later", jump, off, force, wrong);
    tml_state_destroy(want, sim->sys);
    tml_state_destroy(before, sim->sys);
    tml_sim_destroy(sim);
}

static void jumps(void **state)
{
    (void)state;
    // those that continue with accelerations of the last step
    static const char *const methods[] = {"genalpha", "hht", "bdf", "ggl"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        tml_model *model = text_model(texts[k]);
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
            for (int later = 0; later < 2; later++) {
                check_jump(model, methods[i], TML_GROUP_R3SO3, !later);
                check_jump(model, methods[i], TML_GROUP_SE3, !later);
            }
        tml_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jumps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
