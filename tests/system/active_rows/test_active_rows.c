// The equations of a system without the inactive rows of a state.
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
    tml_system *form;  // joint coordinates or SE(3); NULL: those of the bodies
    tml_system active;
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
    const tml_system *base = tml_model_system(s.model);
    tml_status st = TML_OK;
    if (form == 1) st = tmli_se3_create(base, false, &s.form, &err);
    if (form == 2) st = tmli_joint_space_create(base, true, INFINITY, &s.form, &err);
    s.active = s.form ? *s.form : *base;
    s.active.selects_rows = true;
    if (st == TML_OK) st = tml_state_create(&s.active, &s.x, &err);
    if (st == TML_OK) st = tml_state_create(&s.active, &s.y, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
    s.work = s.active.ops->create_work(s.active.self, NULL);
    assert_non_null(s.work);
    return s;
}

static void close_subject(subject *s)
{
    s->active.ops->destroy_work(s->work);
    tml_state_destroy(s->x, &s->active);
    tml_state_destroy(s->y, &s->active);
    tml_system_destroy(s->form);
    tml_model_destroy(s->model);
}

// The start of the model, with accelerations, multipliers, a row that is inactive, and the force in its
// place.
static void disturb(subject *s)
{
    tml_state *x = s->x;
    const tml_system *base = tml_model_system(s->model);
    tml_state *given;
    tml_error err = {0};
    assert_int_equal(tml_state_create(base, &given, &err), TML_OK);
    tml_model_start(s->model, 0.613, given);
    if (s->form && s->form->n < base->n)
        assert_int_equal(tmli_joint_space_from_base(s->form, s->work, given, x, &err), TML_OK);
    else tml_state_copy(x, given);
    tml_state_destroy(given, base);
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

// Penalties of inactive rows count as 0, in every form of a model; but not with a system that has them all.
static void penalties(void **state)
{
    (void)state;
    tml_error err = {0};
    for (int form = 0; form < 3; form++) {
        subject s = open_subject(form);
        const tml_system *a = &s.active;
        double p[16], active[16], motion[3][16], phi[2][16], *values[2];
        const size_t entries = (size_t)a->pattern->colptr[a->n + a->m];
        assert_true(a->n <= 16 && a->m <= 16 && a->m > 2);
        disturb(&s);
        s.x->lambda[1] = 0;
        s.x->inactive->row[1] = true;
        s.x->inactive->row[2] = false;
        for (int i = 0; i < s.x->nq; i++) s.x->q[i] += 0.01 * i;
        for (int r = 0; r < a->m; r++) p[r] = 3 + r, active[r] = r == 1 ? 0 : 3 + r;
        for (int k = 0; k < 2; k++) {
            const tml_assembly what = {.ck = 0.7, .cp = 0.4, .p = k ? p : active};
            values[k] = calloc(entries, sizeof **values);
            assert_int_equal(tmli_active_residual(a, s.work, s.x, k ? p : active, motion[k], phi[k], &err),
                             TML_OK);
            assert_int_equal(tmli_active_assemble(a, s.work, s.x, &what, values[k], &err), TML_OK);
        }
        assert_int_equal(a->ops->residual(a->self, s.work, s.x, NULL, motion[2], phi[1], &err), TML_OK);
        assert_true(fabs(phi[1][1]) > 1e-3);  // it would show
        for (int j = 0; j < a->n; j++) assert_true(motion[0][j] == motion[1][j]);
        for (size_t k = 0; k < entries; k++) assert_true(values[0][k] == values[1][k]);
        s.active.selects_rows = false;
        assert_int_equal(tmli_active_residual(a, s.work, s.x, p, motion[1], phi[1], &err), TML_OK);
        s.x->inactive = NULL;
        assert_int_equal(tmli_active_residual(a, s.work, s.x, p, motion[2], phi[1], &err), TML_OK);
        double change = 0;
        for (int j = 0; j < a->n; j++) {
            assert_true(motion[1][j] == motion[2][j]);
            change = fmax(change, fabs(motion[1][j] - motion[0][j]));
        }
        assert_true(change > 1e-3);
        free(values[0]);
        free(values[1]);
        close_subject(&s);
    }
}

// For a fixed motion time_parts change with t as dynamics do, that of an inactive row not at all.
static void parts_of_time(void **state)
{
    (void)state;
    subject s = open_subject(0);
    tml_error err = {0};
    disturb(&s);
    s.y->t = 1.37;
    double f[4][16], gamma[4][16], most = 0;
    const tml_state *const at[2] = {s.x, s.y};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(tmli_active_dynamics(&s.active, s.work, at[k], f[k], gamma[k], &err), TML_OK);
        memset(f[2 + k], 0, sizeof f[2 + k]);
        memset(gamma[2 + k], 0, sizeof gamma[2 + k]);
        assert_int_equal(tmli_active_time_parts(&s.active, s.work, at[k], f[2 + k], gamma[2 + k], &err),
                         TML_OK);
    }
    for (int i = 0; i < s.x->n; i++) {
        CHECK_CLOSE(f[3][i] - f[2][i], f[1][i] - f[0][i], 1e-12);
        most = fmax(most, fabs(f[1][i] - f[0][i]));
    }
    for (int i = 0; i < s.x->m; i++) CHECK_CLOSE(gamma[3][i] - gamma[2][i], gamma[1][i] - gamma[0][i], 1e-12);
    assert_true(most > 1);
    close_subject(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(penalties),
        cmocka_unit_test(parts_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
