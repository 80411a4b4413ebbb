// Beams that move as rigid bodies, with what is known of them in closed form.
#include "sim_fixture.h"

#define BEAM(more)                                                                                 \
    "beams: {beam: {type: general, position: [0.2, -0.1, 0.4], end: [1.3, 0.5, 0.1],\n"            \
    "  elements: 2, mass: 1.2, inertia: [6e-4, 2e-4, 4e-4], stiffness: [2e5, 1e5, 1e5, 1e3, 1e3, " \
    "1e3],\n  " more "}}\n"

// Damping of motion in space takes all components of the momentum alike: v = v0 exp(-c t).
static void mass_damping(void **state)
{
    (void)state;
    const double c = 1.7, end = 0.8, v0[3] = {0.31, -0.73, 0.52}, left = exp(-c * end);
    static const char *const names[] = {"beam_0.vx", "beam_0.vy", "beam_0.vz",
                                        "beam_6.vx", "beam_6.vy", "beam_6.vz"};
    tml_error err = {0};
    tml_model *model;
    tml_sim *sim = sim_of_text(BEAM("mass_damping: 1.7, velocity: [0.31, -0.73, 0.52]") "run: {end: 0.8}\n",
                               "radau5", 1e-7, &model);
    OK(tml_sim_run(sim, NAN, &err));
    for (int i = 0; i < 6; i++) CHECK_CLOSE(channel_value(sim, names[i]), v0[i % 3] * left, 1e-6);
    end_sim(sim, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mass_damping)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
