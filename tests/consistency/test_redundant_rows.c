// The search for redundant rows where rows come and go: released rows depend on no others.
#include "consistency/redundant_rows.h"
#include "consistency/tolerances.h"
#include "support/support.h"
#include "system/joint_space/joint_space.h"
#include "system/se3/se3.h"

#include <math.h>
#include <trammel/model.h>
#include <trammel/spec.h>

// A hinge with friction and a rigid limit on the same angle; `more`: further joints.
static const char HINGE[] = "gravity: [0, 0, -9.81]\n"
                            "bodies: {rod: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}}\n"
                            "joints:\n"
                            "  pin: {type: revolute, a: ground, b: rod, point: [0, 0, 0], axis: [0, 1, 0],\n"
                            "    friction: {coulomb: 3}, limits: {lower: -1, restitution: 0}}\n";
static const char MOTOR[] = "  motor: {type: driver, of: pin.angle, speed: sin(t)}\n";

enum { FORMS = 3, MOST = 16 };  // bodies, SE(3), joint coordinates

typedef struct subject {
    tml_model *model;
    tml_system *form;
    const tml_system *sys;
    tmli_redundant_rows rows;
    tml_state *x;
    int friction, limit;  // modes
    int friction_row, limit_row, motor_row;
} subject;

static int row_named(const tml_system *sys, const char *name)
{
    char buf[80];
    for (int r = 0; r < sys->m; r++)
        if (strstr(sys->row_name(sys, r, buf, sizeof buf), name)) return r;
    return -1;
}

static subject open_subject(int form, bool driven)
{
    char text[800];
    tml_error err = {0};
    tml_spec *spec = NULL;
    subject s = {.friction = -1, .limit = -1};
    snprintf(text, sizeof text, "%s%s", HINGE, driven ? MOTOR : "");
    if (tml_spec_parse(text, strlen(text), "hinge.yaml", NULL, 0, NULL, &spec, &err) != TML_OK ||
        tml_model_build(spec, &s.model, &err) != TML_OK)
        fail_msg("%s", err.msg);
    tml_spec_destroy(spec);
    const tml_system *base = tml_model_system(s.model);
    tml_status st = TML_OK;
    if (form == 1) st = tmli_se3_create(base, false, &s.form, &err);
    if (form == 2) st = tmli_joint_space_create(base, true, INFINITY, &s.form, &err);
    s.sys = s.form ? s.form : base;
    if (st == TML_OK) st = tmli_redundant_rows_create(s.sys, NULL, &s.rows, &err);
    if (st == TML_OK) st = tml_state_create(s.rows.system, &s.x, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
    if (form == 2) tmli_joint_space_zero(s.sys, s.x->q);
    else tml_model_start(s.model, 0, s.x);
    for (int i = 0; i < s.sys->nmode; i++) {
        const int r = s.sys->switches[i].row;
        if (s.sys->switches[i].kind == TML_SWITCH_FRICTION) s.friction = i, s.friction_row = r;
        if (s.sys->switches[i].kind == TML_SWITCH_UNILATERAL) s.limit = i, s.limit_row = r;
    }
    s.motor_row = row_named(s.sys, "motor");
    assert_true(s.friction >= 0 && s.limit >= 0 && s.sys->m <= MOST && s.x->inactive);
    return s;
}

static void close_subject(subject *s)
{
    tml_state_destroy(s->x, s->rows.system);
    tmli_redundant_rows_clear(&s->rows);
    tml_system_destroy(s->form);
    tml_model_destroy(s->model);
}

// The search at these modes leaves out the row `expected` (-1: none) and no other.
static void expect(subject *s, double friction, double limit, tmli_inactive_policy policy, int expected)
{
    tml_error err = {0};
    const int m = s->sys->m;
    s->x->mode[s->friction] = friction;
    s->x->mode[s->limit] = limit;
    assert_int_equal(tmli_redundant_rows_find(&s->rows, s->x, TMLI_BUILT_TOLERANCE, policy, &err), TML_OK);
    for (int r = 0; r < m; r++) assert_int_equal(s->rows.choice.left_out[r], r == expected);
    assert_int_equal(s->rows.rank, m - (expected >= 0));
}

static void released_rows(void **state)
{
    (void)state;
    const double open = TML_SWITCH_RELEASED, held = TML_SWITCH_HELD;
    for (int form = 0; form < FORMS; form++)
        for (int policy = TMLI_INACTIVE_ZERO; policy <= TMLI_INACTIVE_ALIKE; policy++) {
            subject s = open_subject(form, false);
            const tmli_inactive_policy p = (tmli_inactive_policy)policy;
            expect(&s, open, open, p, -1);
            expect(&s, -open, open, p, -1);  // slips the other way
            expect(&s, held, open, p, -1);
            expect(&s, open, held, p, -1);
            expect(&s, held, held, p, s.limit_row);  // friction holds what the limit would
            expect(&s, held, TML_SWITCH_STRUCK, p, -1);
            expect(&s, TML_SWITCH_DRIVEN, held, p, -1);
            close_subject(&s);
        }
}

// A row that is inactive when it is released stays out if only active rows are searched, else not.
static void released_and_inactive(void **state)
{
    (void)state;
    const double open = TML_SWITCH_RELEASED, held = TML_SWITCH_HELD;
    for (int form = 0; form < FORMS; form++) {
        subject s = open_subject(form, false);
        s.x->inactive->row[s.limit_row] = true;
        s.x->inactive->count = 1;
        expect(&s, held, open, TMLI_INACTIVE_ZERO, s.limit_row);
        expect(&s, held, open, TMLI_INACTIVE_LAST, -1);
        expect(&s, held, open, TMLI_INACTIVE_ALIKE, -1);
        expect(&s, open, held, TMLI_INACTIVE_LAST, -1);  // the only one on the angle
        expect(&s, held, held, TMLI_INACTIVE_LAST, s.limit_row);
        close_subject(&s);
    }
}

// What a motor drives leaves nothing to hold: its row stays.
static void beside_a_motor(void **state)
{
    (void)state;
    const double open = TML_SWITCH_RELEASED, held = TML_SWITCH_HELD;
    for (int form = 0; form < FORMS; form++) {
        subject s = open_subject(form, true);
        assert_true(s.motor_row >= 0);
        expect(&s, open, open, TMLI_INACTIVE_LAST, -1);
        expect(&s, held, open, TMLI_INACTIVE_LAST, s.friction_row);
        expect(&s, open, held, TMLI_INACTIVE_LAST, s.limit_row);
        expect(&s, TML_SWITCH_DRIVEN, open, TMLI_INACTIVE_LAST, -1);
        close_subject(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(released_rows),
                                       cmocka_unit_test(released_and_inactive),
                                       cmocka_unit_test(beside_a_motor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
