// A controller in the loop at 1 kHz: the program reads the state, sets an input, and advances to the next
// tick. The model is not rebuilt. Rows of all channels are recorded at the output step, and written to a
// file.
//
// A cart with a pendulum that stands upright; the input `push` is the force on the cart [N].
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <trammel/trammel.h>

static const char *const model_text = "title: Cart with an inverted pendulum\n"
                                      "planar: true\n"
                                      "gravity: 9.81\n"
                                      "bodies:\n"
                                      "  cart: {mass: 1, inertia: 0.01}\n"
                                      "  rod: {mass: 0.2, inertia: 0.006, position: [0.03, 0.3], "
                                      "orientation: -0.1, frames: {foot: [0, -0.3]}}\n"
                                      "joints:\n"
                                      "  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}\n"
                                      "  pin: {type: revolute, a: cart, b: rod.foot}\n"
                                      "inputs:\n"
                                      "  push: {value: 0, unit: N}\n"
                                      "forces:\n"
                                      "  drive: {type: applied, at: cart, force: [push, 0]}\n"
                                      "run: {end: 10, tol: 1e-6, output_step: 0.05}\n";

static int failed(const tml_error *err)
{
    fprintf(stderr, "%s\n", err->msg);
    return 1;
}

int main(void)
{
    tml_error err;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    if (tml_spec_parse(model_text, strlen(model_text), "cart.yaml", NULL, 0, NULL, &spec, &err) != TML_OK)
        return failed(&err);
    if (tml_model_build(spec, &model, &err) != TML_OK) return failed(&err);
    tml_spec_destroy(spec);
    if (tml_sim_create(model, NULL, &sim, &err) != TML_OK) return failed(&err);

    const int push = tml_model_input_index(model, "push", &err);
    const tml_body_layout cart = tml_model_body_layout(model, tml_model_body_index(model, "cart", &err));
    const tml_body_layout rod = tml_model_body_layout(model, tml_model_body_index(model, "rod", &err));
    if (push < 0 || cart.q < 0 || rod.q < 0) return failed(&err);

    if (tml_sim_record(sim, &err) != TML_OK) return failed(&err);
    double largest = 0;
    for (int tick = 0; tick < 10000; tick++) {
        const tml_state *x = tml_sim_state(sim);
        const double lean = -2 * asin(x->q[rod.q + 6]);  // clockwise [rad]
        const double force = 60 * lean - 8 * x->u[rod.u + 2] + 3 * x->q[cart.q] + 6 * x->u[cart.u];
        if (tml_sim_set_input(sim, push, force, 0, &err) != TML_OK) return failed(&err);
        const double next = 1e-3 * (tick + 1);
        while (tml_sim_time(sim) < next)
            if (tml_sim_step(sim, next, &err) != TML_OK) return failed(&err);
        largest = fmax(largest, fabs(lean));
    }
    const tml_state *x = tml_sim_state(sim);
    const double lean = -2 * asin(x->q[rod.q + 6]);
    printf("t = %g s: cart at %.4f m, rod leans %.5f rad (at most %.3f)\n", x->t, x->q[cart.q], lean,
           largest);
    const tml_result *rows = tml_sim_recorded(sim);
    if (tml_result_write(rows, "controller.csv", NULL, 0, &err) != TML_OK) return failed(&err);
    printf("controller.csv: %zu rows of %d channels\n", tml_result_row_count(rows),
           tml_result_channel_count(rows));
    const int upright = fabs(lean) < 1e-2 && largest < 0.5;
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    return upright ? 0 : 1;
}
