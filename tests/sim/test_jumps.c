// Jumps from outside: a state that a program gives, inputs that it sets. All modes follow the state after it.
#include "sim_fixture.h"

#include <string.h>
#include <trammel/trammel.h>

static const char *const methods[] = {"auto", "radau5", "bdf", "genalpha", "erk5", "ggl", "infl-sdirk"};
enum { METHODS = sizeof methods / sizeof *methods, VX = 0, VY = 1 };

// Restart `sim` at its present state, but for the velocity `which` of its first body, and run for 0.4 s.
static void give(tml_sim *sim, int which, double velocity)
{
    tml_error err = {0};
    tml_state *x = NULL;
    OK(tml_state_create(tml_sim_system(sim), &x, &err));
    tml_state_copy(x, tml_sim_state(sim));
    x->u[which] = velocity;
    OK(tml_sim_restart(sim, x, &err));
    OK(tml_sim_run(sim, tml_sim_time(sim) + 0.4, &err));
    tml_state_destroy(x, tml_sim_system(sim));
}

static const char *const slide = "planar: true\n"
                                 "bodies: {block: {mass: 1, inertia: 1, velocity: [%g, 0]}}\n"
                                 "joints: {rub: {type: prismatic, a: ground, b: block, axis: [1, 0], "
                                 "friction: {coulomb: 1}}}\n"
                                 "run: {end: 1, tol: 1e-6}\n";

// A block that sticks, or slips the other way, gets a velocity.
static void given_slip(void **state)
{
    (void)state;
    const double before[] = {0, 1, 0.3}, given[] = {0.9, -0.8, -0.2}, after[] = {0.5, -0.4, 0};
    for (int i = 0; i < 3 * METHODS; i++) {
        tml_error err = {0};
        char text[600];
        tml_model *model;
        snprintf(text, sizeof text, slide, before[i % 3]);
        tml_sim *sim = sim_of_text(text, methods[i / 3], 0, &model);
        OK(tml_sim_run(sim, 0.1, &err));
        give(sim, VX, given[i % 3]);
        CHECK_CLOSE(channel_value(sim, "block.vx"), after[i % 3], 1e-5);
        end_sim(sim, model);
    }
}

// A ball that rests on the floor is thrown up, and one in the air is thrown down.
static void given_throw(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * METHODS; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim =
            sim_of_text("planar: true\n"
                        "gravity: 10\n"
                        "bodies: {b: {mass: 1.3, inertia: 0.01, position: [0, 0.1]}}\n"
                        "shapes: {b: {type: sphere, radius: 0.1}, floor: {type: plane, at: ground}}\n"
                        "contacts: {hit: {a: b, b: floor, law: rigid, restitution: 0.5}}\n"
                        "run: {end: 1, tol: 1e-6}\n",
                        methods[i / 2], 0, &model);
        OK(tml_sim_run(sim, 0.1, &err));
        CHECK_CLOSE(channel_value(sim, "b.vy"), 0, 1e-9);
        // thrown at the floor it leaves with half of the speed
        give(sim, VY, i % 2 ? -6 : 3);
        CHECK_CLOSE(channel_value(sim, "b.y"), 0.1 + 3 * 0.4 - 5 * 0.16, 1e-5);
        end_sim(sim, model);
    }
}

// An input passes a threshold by a jump, and returns by its rate before the step ends.
static void short_visit(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim = sim_of_text("planar: true\n"
                                   "bodies: {b: {mass: 1, inertia: 1, velocity: [1, 0]}}\n"
                                   "inputs: {in: {value: -1}}\n"
                                   "states: {z: {rate: 'if(in > 0, 1, 0)'}}\n"
                                   "run: {end: 3, tol: 1e-6}\n",
                                   methods[i], 0, &model);
        OK(tml_sim_run(sim, 1, &err));
        OK(tml_sim_set_input(sim, 0, 0.5, -5, &err));
        OK(tml_sim_run(sim, 2, &err));
        CHECK_CLOSE(channel_value(sim, "z"), 0.1, 1e-5);
        end_sim(sim, model);
    }
}

// A force that is an input exceeds the friction for 0.1 s: it falls from 2 N at 10 N/s.
static void short_push(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        tml_error err = {0};
        tml_model *model;
        tml_sim *sim = sim_of_text("planar: true\n"
                                   "bodies: {block: {mass: 1, inertia: 1}}\n"
                                   "inputs: {F: {value: 0}}\n"
                                   "joints: {rub: {type: prismatic, a: ground, b: block, axis: [1, 0], "
                                   "friction: {coulomb: 1}}}\n"
                                   "forces: {f: {type: applied, at: block, force: [F, 0]}}\n"
                                   "run: {end: 3, tol: 1e-7}\n",
                                   methods[i], 0, &model);
        OK(tml_sim_run(sim, 1, &err));
        OK(tml_sim_set_input(sim, 0, 2, -10, &err));
        OK(tml_sim_run(sim, 1.1, &err));
        CHECK_CLOSE(channel_value(sim, "block.vx"), 0.05, 1e-5);
        OK(tml_sim_run(sim, 1.15, &err));
        CHECK_CLOSE(channel_value(sim, "block.vx"), 0.05 - 5 * 0.05 * 0.05, 1e-5);
        end_sim(sim, model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_slip),
        cmocka_unit_test(given_throw),
        cmocka_unit_test(short_visit),
        cmocka_unit_test(short_push),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
