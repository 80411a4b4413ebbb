// Pins of planar models have formulas of their own (system/multibody/pin.c): the same numbers as the measures
// they stand for. And what planar models do not compute, because turns about one axis commute: the tangent
// operator and composed increments.
#include "system/multibody_fixture.h"

// A pin to the ground, one between bodies, one from a body to the ground, and a joint that is none.
static const char text[] =
    "planar: true\n"
    "ground: {frames: {o: [0.2, -0.1], e: [3, 0.4]}}\n"
    "bodies:\n"
    "  A: {mass: 1, inertia: 0.1, position: [1, 0], frames: {l: [-0.5, 0.1], r: [0.6, -0.2]}}\n"
    "  B: {mass: 2, inertia: 0.2, position: [2, 1], orientation: 0.7, frames: {l: [-0.4, 0.3], r: [0.5, "
    "0.1]}}\n"
    "joints:\n"
    "  a: {type: revolute, a: ground.o, b: A.l}\n"
    "  b: {type: revolute, a: A.r, b: B.l}\n"
    "  c: {type: revolute, a: B.r, b: ground.e}\n"
    "  d: {type: distance, a: A.r, b: ground.e, length: 2}\n";

enum { COORDINATES = 6, ROWS = 7, ENTRIES = ROWS * COORDINATES };

typedef struct numbers {
    double motion[COORDINATES], phi[ROWS], with[ENTRIES], alone[ENTRIES], rise[ROWS];
} numbers;

static numbers evaluate(mb *s, const double *d)
{
    numbers k = {{0}, {0}, {0}, {0}, {0}};
    tml_error err = {0};
    assert_int_equal(s->ops->residual_rows(s->self, s->w, s->x, NULL, k.motion, k.phi, k.with, &err), TML_OK);
    assert_int_equal(s->ops->rows(s->self, s->w, s->x, k.alone, &err), TML_OK);
    assert_int_equal(s->ops->increment(s->self, s->w, s->x, d, s->x->t, k.rise, &err), TML_OK);
    return k;
}

// Both sides are sums of a few products below 10, hence 1e-14; increments are exact to the size of the
// change.
static void compare(const double *a, const double *b, int count, double scale)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-14 * scale)) fail_msg("entry %d: %.17g and %.17g", i, a[i], b[i]);
}

static mb *open_pins(void)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    if (tml_spec_parse(text, sizeof text - 1, "pins", NULL, 0, NULL, &spec, &err) != TML_OK)
        fail_msg("%s", err.msg);
    mb *s = mb_open_spec(spec, "pins");
    assert_int_equal(s->m, ROWS);
    assert_int_equal(s->sys->rowptr[ROWS] <= ENTRIES, 1);
    return s;
}

static void as_measures(void **state)
{
    (void)state;
    mb *s = open_pins();
    rng r = rng_seed(7);
    tmli_constraint *c = s->model->constraint;
    assert_true(c[0].pin && c[1].pin && c[2].pin && !c[3].pin);
    for (int round = 0; round < 20; round++) {
        mb_random_state(s, &r);
        const double size = pow(10, -round / 2.0);
        double d[COORDINATES];
        for (int i = 0; i < COORDINATES; i++) d[i] = size * rng_range(&r, -1, 1);
        for (int i = 0; i < 3; i++) c[i].pin = true;
        const numbers pin = evaluate(s, d);
        for (int i = 0; i < 3; i++) c[i].pin = false;
        const numbers measure = evaluate(s, d);
        const int entries = s->sys->rowptr[ROWS];
        compare(pin.motion, measure.motion, COORDINATES, 1e3);  // multipliers and speeds squared
        compare(pin.phi, measure.phi, ROWS, 10);
        compare(pin.with, measure.alone, entries, 10);
        compare(pin.with, pin.alone, entries, 0);
        compare(measure.with, measure.alone, entries, 0);
        compare(pin.rise, measure.rise, ROWS, 10 * size);
    }
    mb_close(s);
}

static void increments_add_up(void **state)
{
    (void)state;
    mb *s = open_pins();
    const double a[COORDINATES] = {1, 2, 3, -1, 0.5, 2}, b[COORDINATES] = {0.1, 0.2, 1.5, 0.3, 0.4, -0.1};
    double out[COORDINATES], q[14], once[14];
    s->ops->tangent(s->self, a, b, out);
    compare(out, b, COORDINATES, 0);
    s->ops->tangent_inverse(s->self, a, b, out);
    compare(out, b, COORDINATES, 0);
    s->ops->compose(s->self, a, b, out);
    s->ops->retract(s->self, s->x->q, out, once);
    s->ops->retract(s->self, s->x->q, a, q);
    s->ops->retract(s->self, q, b, q);
    compare(q, once, 14, 10);
    mb_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_measures), cmocka_unit_test(increments_add_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
