// Springs, limits, drives and friction along angles that are joint coordinates: power, event functions and
// the change by inputs agree with those of the model in the coordinates of its bodies.
#include "sim/sim_fixture.h"
#include "system/joint_space/joint_space.h"

#include <math.h>

static const char SPATIAL[] =
    "gravity: [0, 2.5, -9.49]\n"
    "inputs: {tau1: {}, tau2: {}, push: {}}\n"
    "bodies:\n"
    "  upper: {mass: 6, inertia: [0.02, 0.12, 0.12], position: [0.22, 0, 0],\n"
    "    frames: {a: [-0.22, 0, 0], b: [0.22, 0, 0]}}\n"
    "  lower: {mass: 4, inertia: [0.01, 0.05, 0.05], position: [0.62, 0, 0], frames: {a: [-0.18, 0, 0]}}\n"
    "joints:\n"
    "  j1: {type: revolute, a: ground, b: upper.a, axis: [0.1, 1, 0.2], torque: tau1 - 0.3*rate*tau2,\n"
    "    stiffness: 30, backlash: 0.1, limits: {lower: -0.3, upper: 0.4, stiffness: 200, damping: 3},\n"
    "    friction: {law: regularized, coulomb: 5, viscous: 0.6, creep: 0.5}}\n"
    "  j2: {type: revolute, a: upper.b, b: lower.a, axis: [0.3, 1, 0], torque: 2*tau2,\n"
    "    limits: {lower: -0.4, upper: 0.3, stiffness: 200, damping: 3},\n"
    "    friction: {law: regularized, coulomb: 2, creep: 0.3}}\n";

// With a force that is not along a coordinate, too.
static const char *const PUSHED = "forces: {blow: {type: applied, at: lower, force: [push, 0, 2*push]}}\n";

static const char PLANAR[] =
    "planar: true\n"
    "gravity: [0, -9.81]\n"
    "inputs: {tau1: {}, tau2: {}, push: {}}\n"
    "bodies:\n"
    "  upper: {mass: 6, inertia: 0.12, position: [0.22, 0], frames: {a: [-0.22, 0], b: [0.22, 0]}}\n"
    "  lower: {mass: 4, inertia: 0.05, position: [0.62, 0], frames: {a: [-0.18, 0]}}\n"
    "joints:\n"
    "  j1: {type: revolute, a: ground, b: upper.a, torque: tau1,\n"
    "    limits: {lower: -0.3, upper: 0.4, stiffness: 200, damping: 3}}\n"
    "  j2: {type: revolute, a: lower.a, b: upper.b, torque: 2*tau2,\n"
    "    friction: {law: regularized, coulomb: 2, creep: 0.3}}\n";

typedef struct pair {
    tml_model *model;
    const tml_system *base;
    tml_system *joints;
    void *w_base, *w_joints;
    tml_state *x, *y, *with;  // of the bodies; of the joints; y with other inputs
} pair;

static pair open_pair(const char *text, const char *more)
{
    tml_error err = {0};
    char all[3000];
    snprintf(all, sizeof all, "%s%s", text, more ? more : "");
    pair p = {.model = text_model(all)};
    p.base = tml_model_system(p.model);
    assert_int_equal(tmli_joint_space_create(p.base, true, INFINITY, &p.joints, &err), TML_OK);
    p.w_base = p.base->ops->create_work(p.base->self, NULL);
    p.w_joints = p.joints->ops->create_work(p.joints->self, NULL);
    OK(tml_state_create(p.base, &p.x, &err));
    OK(tml_state_create(p.joints, &p.y, &err));
    OK(tml_state_create(p.joints, &p.with, &err));
    tml_model_start(p.model, 0, p.x);
    OK(tmli_joint_space_from_base(p.joints, p.w_joints, p.x, p.y, &err));
    return p;
}

static void close_pair(pair *p)
{
    p->base->ops->destroy_work(p->w_base);
    p->joints->ops->destroy_work(p->w_joints);
    tml_state_destroy(p->x, p->base);
    tml_state_destroy(p->y, p->joints);
    tml_state_destroy(p->with, p->joints);
    tml_system_destroy(p->joints);
    tml_model_destroy(p->model);
}

static void randomize(pair *p, rng *r)
{
    tml_error err = {0};
    for (int j = 0; j < p->joints->n; j++) {
        p->y->q[j] = rng_range(r, -0.6, 0.6);
        p->y->u[j] = rng_range(r, -2, 2);
    }
    p->y->t = rng_range(r, 0, 3);
    for (int i = 0; i < 2 * p->y->ninput; i++) p->y->input[i] = rng_range(r, -3, 3);
    p->y->input_t = rng_range(r, 0, 1);
    tml_state_copy(p->with, p->y);
    for (int i = 0; i < 2 * p->y->ninput; i++) p->with->input[i] = rng_range(r, -3, 3);
    p->with->input_t = p->y->t;
    OK(p->joints->ops->accelerate(p->joints->self, p->w_joints, p->y, &err));
    tmli_joint_space_to_base(p->joints, p->w_joints, p->y, p->x);
    if (p->base->nmode == 0) return;
    p->base->ops->switch_modes(p->base->self, p->w_base, p->x, NULL, true, NULL);
    memcpy(p->y->mode, p->x->mode, (size_t)p->x->nmode * sizeof(double));
}

static void check_events_and_power(pair *p)
{
    tml_error err = {0};
    double at_base[8], at_joints[8], kinetic[2], potential[2], power[4];
    p->base->ops->event_values(p->base->self, p->w_base, p->x, at_base);
    p->joints->ops->event_values(p->joints->self, p->w_joints, p->y, at_joints);
    for (int i = 0; i < p->base->nmode; i++)
        CHECK_CLOSE(at_joints[i], at_base[i], 1e-12 * (1 + fabs(at_base[i])));
    OK(p->base->ops->energy(p->base->self, p->w_base, p->x, &kinetic[0], &potential[0], &power[0], &err));
    OK(p->base->ops->power(p->base->self, p->w_base, p->x, &power[1], &err));
    OK(p->joints->ops->energy(p->joints->self, p->w_joints, p->y, &kinetic[1], &potential[1], &power[2],
                              &err));
    OK(p->joints->ops->power(p->joints->self, p->w_joints, p->y, &power[3], &err));
    CHECK_CLOSE(kinetic[1], kinetic[0], 1e-12 * (1 + kinetic[0]));
    CHECK_CLOSE(potential[1], potential[0], 1e-12 * (10 + fabs(potential[0])));
    for (int i = 1; i < 4; i++) CHECK_CLOSE(power[i], power[0], 1e-11 * (10 + fabs(power[0])));
}

static void check_inputs(pair *p)
{
    tml_error err = {0};
    const tml_system *s = p->joints;
    double before[12], after[12], phi[12] = {0}, change[12];
    s->ops->input_change(s->self, p->w_joints, p->y, p->with, change);
    OK(s->ops->residual(s->self, p->w_joints, p->y, NULL, before, phi, &err));
    memcpy(p->with->udot, p->y->udot, (size_t)s->n * sizeof(double));
    memcpy(p->with->mode, p->y->mode, (size_t)p->y->nmode * sizeof(double));
    OK(s->ops->residual(s->self, p->w_joints, p->with, NULL, after, phi, &err));
    for (int j = 0; j < s->n; j++)
        CHECK_CLOSE(change[j], after[j] - before[j], 1e-12 * (10 + fabs(before[j])));
    // the same for the model itself
    const tml_system *b = p->base;
    double rows[16], old[12], now[12], by[12];
    tml_state other = *p->x;
    other.input = p->with->input;
    other.input_t = p->with->input_t;
    b->ops->input_change(b->self, p->w_base, p->x, &other, by);
    OK(b->ops->residual(b->self, p->w_base, p->x, NULL, old, rows, &err));
    OK(b->ops->residual(b->self, p->w_base, &other, NULL, now, rows, &err));
    for (int j = 0; j < b->n; j++) CHECK_CLOSE(by[j], now[j] - old[j], 1e-12 * (10 + fabs(old[j])));
}

static void check_model(const char *text, const char *more)
{
    pair p = open_pair(text, more);
    rng r = rng_seed(41);
    for (int k = 0; k < 40; k++) {
        randomize(&p, &r);
        check_events_and_power(&p);
        check_inputs(&p);
    }
    close_pair(&p);
}

static void spatial_arm(void **state)
{
    (void)state;
    check_model(SPATIAL, NULL);
}

static void pushed_arm(void **state)
{
    (void)state;
    check_model(SPATIAL, PUSHED);
}

static void planar_arm(void **state)
{
    (void)state;
    check_model(PLANAR, NULL);
    check_model(PLANAR, "forces: {blow: {type: applied, at: lower, force: [push, 0]}}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spatial_arm), cmocka_unit_test(pushed_arm),
                                       cmocka_unit_test(planar_arm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
