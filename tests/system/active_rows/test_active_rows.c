// A system without its inactive rows has every function of its base, and these agree with its equations.
#include "support/support.h"
#include "system/active_rows/active_rows.h"
#include "system/joint_space/joint_space.h"
#include "system/se3/se3.h"

#include <math.h>
#include <stdlib.h>
#include <trammel/model.h>
#include <trammel/spec.h>
#include <trammel/system.h>

// A closed loop with an input, a force of time and a driver.
static const char LOOP[] = "planar: true\n"
                           "inputs: {push: {value: 0.7, unit: N}}\n"
                           "bodies:\n"
                           "  a: {mass: 2.1, inertia: 0.13, position: [0, 0.5], angular_velocity: 0.3}\n"
                           "  b: {mass: 1.7, inertia: 0.11, position: [0.5, 1]}\n"
                           "  c: {mass: 1.3, inertia: 0.17, position: [1, 0.5]}\n"
                           "joints:\n"
                           "  p: {type: revolute, a: ground, b: a, point: [0, 0]}\n"
                           "  q: {type: revolute, a: a, b: b, point: [0, 1], damping: 0.2}\n"
                           "  r: {type: revolute, a: b, b: c, point: [1, 1]}\n"
                           "  s: {type: revolute, a: c, b: ground, point: [1, 0]}\n"
                           "  motor: {type: driver, of: p.angle, motion: 0.3*t + 0.1*sin(t)}\n"
                           "forces:\n"
                           "  drive: {type: applied, at: b, force: [push*cos(a.angle), 3*sin(2*t)]}\n";

typedef struct subject {
    tml_model *model;
    tml_system *form, *active;  // form: joint coordinates or SE(3); NULL: those of the bodies
    const tml_system *base;
    void *work;
    tml_state *x, *y;
} subject;

static subject open_subject(int form)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    subject s = {0};
    if (tml_spec_parse(LOOP, strlen(LOOP), "loop.yaml", NULL, 0, NULL, &spec, &err) != TML_OK ||
        tml_model_build(spec, &s.model, &err) != TML_OK)
        fail_msg("%s", err.msg);
    tml_spec_destroy(spec);
    s.base = tml_model_system(s.model);
    tml_status st = TML_OK;
    if (form == 1) st = tmli_se3_create(s.base, false, &s.form, &err);
    if (form == 2) st = tmli_joint_space_create(s.base, true, INFINITY, &s.form, &err);
    if (s.form) s.base = s.form;
    if (st == TML_OK) st = tmli_active_rows_create(s.base, &s.active, &err);
    if (st == TML_OK) st = tml_state_create(s.active, &s.x, &err);
    if (st == TML_OK) st = tml_state_create(s.active, &s.y, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
    s.work = s.active->ops->create_work(s.active->self, NULL);
    assert_non_null(s.work);
    return s;
}

static void close_subject(subject *s)
{
    s->active->ops->destroy_work(s->work);
    tml_state_destroy(s->x, s->active);
    tml_state_destroy(s->y, s->active);
    tml_system_destroy(s->active);
    tml_system_destroy(s->form);
    tml_model_destroy(s->model);
}

// The table of functions, member by member: all are pointers to functions.
static void every_function_of_the_base(void **state)
{
    (void)state;
    typedef void (*function)(void);
    for (int form = 0; form < 3; form++) {
        subject s = open_subject(form);
        enum { COUNT = sizeof(tml_system_ops) / sizeof(function) };
        function base[COUNT], own[COUNT];
        _Static_assert(sizeof base == sizeof(tml_system_ops), "the table has functions only");
        memcpy(base, s.base->ops, sizeof base);
        memcpy(own, s.active->ops, sizeof own);
        for (int i = 0; i < COUNT; i++)
            if (base[i] && !own[i])
                fail_msg("form %d: function %d of tml_system_ops is not passed on", form, i);
        close_subject(&s);
    }
}

// The start of the model, with accelerations, multipliers, a row that is inactive, and the force in its
// place.
static void disturb(subject *s)
{
    tml_state *x = s->x;
    tml_model_start(s->model, 0.613, x);
    for (int i = 0; i < x->n; i++) x->udot[i] = 0.3 * i - 0.7;
    for (int i = 0; i < x->m; i++) x->lambda[i] = 0.2 * i + 0.11;
    assert_non_null(x->inactive);
    x->inactive->row[2] = true;
    x->inactive->count = 1;
    x->inactive->has_force = true;
    x->inactive->t0 = 0.4;
    x->inactive->min_energy = 0.9;
    for (int i = 0; i < x->n; i++) {
        x->inactive->force[i] = 0.37 * i - 1;
        x->inactive->rate[i] = 1.3 - 0.21 * i;
        x->inactive->inertia[i] = 0.5;
    }
    tml_state_copy(s->y, x);
}

// The change of the residual with the inputs: as the difference of two residuals says.
static void change_of_inputs(void **state)
{
    (void)state;
    subject s = open_subject(0);
    const tml_system_ops *o = s.active->ops;
    tml_error err = {0};
    disturb(&s);
    s.y->input[0] = -1.9;
    double before[16], after[16], change[16], phi[16];
    assert_true(s.x->n <= 16 && s.x->m <= 16);
    assert_int_equal(o->residual(s.active->self, s.work, s.x, NULL, before, phi, &err), TML_OK);
    assert_int_equal(o->residual(s.active->self, s.work, s.y, NULL, after, phi, &err), TML_OK);
    o->input_change(s.active->self, s.work, s.x, s.y, change);
    double most = 0;
    for (int i = 0; i < s.x->n; i++) {
        CHECK_CLOSE(change[i], after[i] - before[i], 1e-13);  // round-off of residuals of about 10
        most = fmax(most, fabs(change[i]));
    }
    assert_true(most > 1);
    close_subject(&s);
}

// For a fixed motion time_parts change with t as dynamics do, that of an inactive row not at all.
static void parts_of_time(void **state)
{
    (void)state;
    subject s = open_subject(0);
    const tml_system_ops *o = s.active->ops;
    tml_error err = {0};
    disturb(&s);
    s.y->t = 1.37;
    double f[4][16], gamma[4][16], most = 0;
    const tml_state *const at[2] = {s.x, s.y};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(o->dynamics(s.active->self, s.work, at[k], f[k], gamma[k], &err), TML_OK);
        memset(f[2 + k], 0, sizeof f[2 + k]);
        memset(gamma[2 + k], 0, sizeof gamma[2 + k]);
        assert_int_equal(o->time_parts(s.active->self, s.work, at[k], f[2 + k], gamma[2 + k], &err), TML_OK);
    }
    for (int i = 0; i < s.x->n; i++) {
        CHECK_CLOSE(f[3][i] - f[2][i], f[1][i] - f[0][i], 1e-12);
        most = fmax(most, fabs(f[1][i] - f[0][i]));
    }
    for (int i = 0; i < s.x->m; i++) CHECK_CLOSE(gamma[3][i] - gamma[2][i], gamma[1][i] - gamma[0][i], 1e-12);
    assert_true(most > 1);
    close_subject(&s);
}

// The power and its parts are those of `energy`.
static void powers(void **state)
{
    (void)state;
    subject s = open_subject(0);
    const tml_system_ops *o = s.active->ops;
    tml_error err = {0};
    disturb(&s);
    double T, V, P, only, supplied = NAN, touching = NAN;
    assert_int_equal(o->energy(s.active->self, s.work, s.x, &T, &V, &P, &err), TML_OK);
    assert_int_equal(o->power(s.active->self, s.work, s.x, &only, &err), TML_OK);
    o->power_parts(s.work, &supplied, &touching);
    CHECK_CLOSE(only, P, 1e-13);
    assert_true(fabs(P) > 0.01 && fabs(supplied) > 0.01 && touching == 0);
    close_subject(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_of_the_base),
        cmocka_unit_test(change_of_inputs),
        cmocka_unit_test(parts_of_time),
        cmocka_unit_test(powers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
