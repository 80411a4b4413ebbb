// Switches as a model describes them: kind, row, law of impact, load; and their numbers among its rows.
#include "support.h"

#include <math.h>
#include <string.h>
#include <trammel/model.h>
#include <trammel/spec.h>

static const char MODEL[] =
    "bodies:\n"
    "  box: {mass: 2.1, inertia: [0.1, 0.2, 0.3], position: [0, 0, 0.61]}\n"
    "  arm: {mass: 1.3, inertia: [0.3, 0.2, 0.4], position: [3.3, 0, 0]}\n"
    "shapes: {box: {type: sphere, radius: 0.11}, floor: {type: plane, at: ground}}\n"
    "joints:\n"
    "  pin: {type: revolute, a: ground, b: arm, point: [3, 0, 0], axis: [0, 1, 0],\n"
    "        limits: {upper: 0.7, restitution: 0.37},\n"
    "        friction: {coefficient: 0.2, load: reaction, radius: 0.03}}\n"
    "  slide: {type: driver, of: box.x, motion: 'if(t < 0.3, 0, t - 0.3)'}\n"
    "contacts:\n"
    "  hit: {a: box, b: floor, law: rigid, restitution: 0.61, impact: poisson, friction: {coefficient: "
    "0.4}}\n"
    "forces: {push: {type: applied, at: box, force: ['if(arm.wy > 0, 2, 3)', 0, 0]}}\n";

typedef struct subject {
    tml_model *model;
    const tml_system *sys;
} subject;

// The k-th switch of the element whose name contains `name`
static const tml_switch *find(const subject *s, const char *name, int k)
{
    char text[200];
    for (int i = 0; i < s->sys->nmode; i++)
        if (strstr(s->sys->mode_name(s->sys, i, text, sizeof text), name) && k-- == 0)
            return &s->sys->switches[i];
    fail_msg("no switch of '%s'", name);
    return NULL;
}

static void check(const subject *s, const tml_switch *w, tml_switch_kind kind, const char *row, int loaded_by)
{
    char text[200];
    assert_int_equal(w->kind, kind);
    assert_int_equal(w->loaded_by, loaded_by);
    if (row) assert_non_null(strstr(s->sys->row_name(s->sys, w->row, text, sizeof text), row));
    else assert_int_equal(w->row, -1);
    if (row) assert_int_equal(s->sys->level[w->row], TML_LEVEL_VELOCITY);
}

static void of_a_model(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_spec *spec = NULL;
    subject s = {0};
    if (tml_spec_parse(MODEL, strlen(MODEL), "switches.yaml", NULL, 0, NULL, &spec, &err) != TML_OK ||
        tml_model_build(spec, &s.model, &err) != TML_OK)
        fail_msg("%s", err.msg);
    tml_spec_destroy(spec);
    s.sys = tml_model_system(s.model);
    assert_true(s.sys->switches_rows && s.sys->unilateral);
    assert_int_equal(s.sys->nmode, 7);  // limit, friction, force, contact with two directions of slip, motion

    const tml_switch *limit = find(&s, "pin_limit", 0);
    check(&s, limit, TML_SWITCH_UNILATERAL, "pin_limit", -1);
    assert_true(limit->restitution == 0.37 && limit->law == TML_IMPACT_NEWTON);
    check(&s, find(&s, "pin_friction", 0), TML_SWITCH_FRICTION, "pin_friction", s.sys->nmode);

    const tml_switch *hit = find(&s, "hit", 0);
    check(&s, hit, TML_SWITCH_UNILATERAL, "hit", -1);
    assert_true(hit->restitution == 0.61 && hit->law == TML_IMPACT_POISSON);
    for (int k = 1; k < 3; k++) {
        check(&s, hit + k, TML_SWITCH_FRICTION, "hit", (int)(hit - s.sys->switches));
        assert_int_equal(hit[k].row, hit->row + k);
    }

    check(&s, find(&s, "push", 0), TML_SWITCH_BRANCH, NULL, -1);
    assert_false(find(&s, "push", 0)->of_time);
    check(&s, find(&s, "slide", 0), TML_SWITCH_BRANCH, NULL, -1);
    assert_true(find(&s, "slide", 0)->of_time);
    tml_model_destroy(s.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_a_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
