// States in the coordinates of the method with the forces there, by which rows that hold are judged: event
// functions are those of the ordinary state with accelerations and multipliers of its index-1 equations.
#include "consistency/consistent.h"
#include "sim_fixture.h"

#include <trammel/integrator.h>

// Hinges with friction, one of which sticks; `joint`: the second one.
static tml_model *arm(const char *joint)
{
    char text[900];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies:\n"
             "  upper: {mass: 2, inertia: [0.02, 0.2, 0.2], position: [0.5, 0, 0]}\n"
             "  lower: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [1.5, 0, 0]}\n"
             "joints:\n"
             "  shoulder: {type: revolute, a: ground, b: upper, point: [0, 0, 0], axis: [0, 1, 0],\n"
             "    friction: {coulomb: 1.5}}\n"
             "  elbow: {type: revolute, a: upper, b: lower, point: [1, 0, 0], axis: [0.6, 0.8, 0], %s}\n"
             "run: {end: 2, kinematics: joints, tol: 1e-7}\n",
             joint);
    return text_model(text);
}

static void check(const char *joint, bool known)
{
    tml_error err = {0};
    tml_model *m = arm(joint);
    const tml_system *base = tml_model_system(m);
    tml_sim *sim = start_sim(m, tml_model_run(m));
    OK(tml_sim_run(sim, 0.2, &err));
    tml_state *x = NULL;
    OK(tml_state_create(base, &x, &err));
    tml_state_copy(x, tml_sim_state(sim));
    bool held = false;
    for (int i = 0; i < x->nmode; i++) held = held || x->mode[i] == TML_SWITCH_HELD;
    assert_true(held);

    tml_integrator_options opt = tml_integrator_options_default();
    opt.run = *tml_model_run(m);
    opt.run.rtol = opt.run.atol = 1e-7;
    const tml_method_ops *ops = NULL;
    void *self = NULL;
    OK(tml_method_create(tml_method_find("bdf"), base, &opt, &ops, &self, &err));
    OK(ops->start(self, x, &err));
    const tml_system *sys;
    void *work;
    assert_non_null(ops->inside);
    const tml_state *y = ops->inside(self, 1, true, &sys, &work);
    assert_true((y != NULL) == known);
    if (y) {
        double inside[8], ordinary[8];
        assert_true(x->nmode <= 8);
        sys->ops->event_values(sys->self, work, y, inside);
        tmli_consistent c;
        void *w = base->ops->create_work(base->self, NULL);
        assert_non_null(w);
        OK(tmli_consistent_create(base, &tml_linsolver_klu, &c, &err));
        OK(tmli_consistent_accelerations(&c, x, &err));
        base->ops->event_values(base->self, w, x, ordinary);
        for (int i = 0; i < x->nmode; i++) {
            if (isinf(ordinary[i])) assert_true(isinf(inside[i]));
            else CHECK_CLOSE(inside[i], ordinary[i], 1e-9 * (1 + fabs(ordinary[i])));
        }
        tmli_consistent_clear(&c);
        base->ops->destroy_work(w);
    }
    ops->destroy(self);
    tml_state_destroy(x, base);
    end_sim(sim, m);
}

static void forces_inside(void **state)
{
    (void)state;
    check("friction: {coulomb: 8, static: 9}", true);
    check("limits: {lower: 0, upper: 1, restitution: 0}", true);
    // both hold the same angle: how they share the force is not for the topology to say
    check("limits: {lower: 0, upper: 1, restitution: 0}, friction: {coulomb: 8}", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forces_inside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
