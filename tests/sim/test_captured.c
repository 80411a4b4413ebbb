// Captured contacts: a simulation that is saved and loaded while boxes tumble continues with the same bits,
// on bodies alone and with a joint.
#include "sim_fixture.h"

#include <stdlib.h>

static void assert_same_bits(const tml_sim *a, const tml_sim *b)
{
    const tml_state *x = tml_sim_state(a), *y = tml_sim_state(b);
    assert_true(x->t == y->t);
    assert_memory_equal(x->q, y->q, (size_t)x->nq * sizeof(double));
    assert_memory_equal(x->u, y->u, (size_t)x->n * sizeof(double));
    assert_memory_equal(x->lambda, y->lambda, (size_t)x->m * sizeof(double));
}

static void continue_loaded(tml_model *model, double save, double end)
{
    tml_error err = {0};
    tml_sim *sim = NULL, *loaded = NULL;
    OK(tml_sim_create(model, NULL, &sim, &err));
    OK(tml_sim_run(sim, save, &err));
    size_t size = 0;
    OK(tml_sim_save_memory(sim, NULL, 0, &size, &err));
    void *data = malloc(size);
    assert_non_null(data);
    OK(tml_sim_save_memory(sim, data, size, &size, &err));
    const tml_sim_def def = {.size = sizeof def, .model = model};
    OK(tml_sim_load_memory(&def, data, size, &loaded, &err));
    OK(tml_sim_run(sim, end, &err));
    OK(tml_sim_run(loaded, end, &err));
    assert_same_bits(sim, loaded);
    tml_sim_report a, b;
    tml_sim_get_report(sim, &a);
    tml_sim_get_report(loaded, &b);
    assert_true(a.contacts.impacts > 0 && a.contacts.points > 0);
    assert_true(a.contacts.impacts == b.contacts.impacts && a.contacts.sweeps == b.contacts.sweeps);
    assert_true(a.dissipated == b.dissipated && a.contacts.depth == b.contacts.depth);
    free(data);
    tml_sim_destroy(sim);
    tml_sim_destroy(loaded);
    tml_model_destroy(model);
}

static void boxes(void **state)
{
    (void)state;
    continue_loaded(load_model("contact/captured_boxes", (tml_parameter){0}, NULL), 0.36, 0.8);
}

static void with_joint(void **state)
{
    (void)state;
    continue_loaded(
        text_model("gravity: 9.81\n"
                   "bodies:\n"
                   "  arm: {mass: 1, inertia: 0.02, position: [0.5, 0, 0.6], frames: {hinge: [-0.5, 0, 0]}}\n"
                   "  ball: {mass: 0.7, inertia: 0.001, position: [0.3, 0.01, 0.05]}\n"
                   "joints:\n"
                   "  pin: {type: revolute, a: ground.high, b: arm.hinge, axis: [0, 1, 0]}\n"
                   "ground: {frames: {high: [0, 0, 0.6]}}\n"
                   "shapes:\n"
                   "  arm: {type: sphere, radius: 0.1, group: all}\n"
                   "  ball: {type: sphere, radius: 0.05, group: all}\n"
                   "  floor: {type: plane, at: ground, group: all}\n"
                   "contacts:\n"
                   "  touch: {a: all, law: rigid, restitution: 0.4, friction: {coefficient: 0.3}}\n"
                   "run: {contacts: captured, step: 2e-3, end: 1.5}\n"),
        0.52, 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes), cmocka_unit_test(with_joint)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
