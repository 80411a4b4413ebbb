// The power of every force and driver: by itself beside that of the energies, and within a step from the
// bodies that matter beside the whole motion by its ends.
#include "system/multibody_fixture.h"
#include "system/state/quintic.h"

static int moved;  // subjects of which some bodies were moved, but not all

static double power_of(mb *s, const tml_state *x)
{
    double power = NAN;
    tml_error err = {0};
    assert_int_equal(s->ops->power(s->self, s->w, x, &power, &err), TML_OK);
    return power;
}

static void at_a_state(mb *s, const subject *k, rng *r)
{
    (void)k;
    tml_error err = {0};
    for (int i = 0; i < 3; i++) {
        mb_random_state(s, r);
        double kinetic, potential, power;
        const double alone = power_of(s, s->x);
        assert_int_equal(s->ops->energy(s->self, s->w, s->x, &kinetic, &potential, &power, &err), TML_OK);
        if (alone != power) fail_msg("%s: power %.17g, of energy %.17g", s->name, alone, power);
    }
}

static tml_state *new_state(mb *s)
{
    tml_state *x = NULL;
    tml_error err = {0};
    assert_int_equal(tml_state_create(s->sys, &x, &err), TML_OK);
    tml_state_copy(x, s->x);
    return x;
}

static void within_a_step(mb *s, const subject *k, rng *r)
{
    (void)k;
    const tml_model *m = s->model;
    if (!m->power_of_bodies || m->npowers == 0) return;
    moved += m->npower_nodes < m->nbodies;
    const double h = 0.37;
    double d[MB_N], whole_fit[6 * MB_N], fit[3 * 6 * MB_N];
    assert_true(tmli_mb_power_fit_size(m) <= sizeof fit / sizeof *fit);
    mb_random_state(s, r);
    tml_state *a = new_state(s), *x = new_state(s), *whole = new_state(s), *few = new_state(s);
    for (int j = 0; j < s->n; j++) {
        d[j] = rng_range(r, -0.5, 0.5);
        x->u[j] = a->u[j] + rng_range(r, -1, 1);
        x->udot[j] = a->udot[j] + rng_range(r, -1, 1);
    }
    s->ops->retract(s->self, a->q, d, x->q);
    s->ops->count(s->self, a, d, x->angle);
    x->t = a->t + h;
    memset(few->q, 0, (size_t)s->sys->nq * sizeof *few->q);
    memset(few->u, 0, (size_t)s->n * sizeof *few->u);
    tmli_quintic_fit(s->sys, a, x, h, whole_fit);
    tmli_mb_power_fit(m, a, x, h, fit);
    for (double theta = 0.23; theta < 1; theta += 0.31) {
        tmli_quintic_at(s->sys, a, x, h, theta, whole_fit, whole);
        tmli_mb_power_move(m, a, x, h, theta, fit, few);
        const double expected = power_of(s, whole), found = power_of(s, few);
        // the same formulas: round-off
        if (!(fabs(found - expected) <= 1e-12 * (1 + fabs(expected))))
            fail_msg("%s: power %.17g instead of %.17g", s->name, found, expected);
    }
    tml_state_destroy(a, s->sys);
    tml_state_destroy(x, s->sys);
    tml_state_destroy(whole, s->sys);
    tml_state_destroy(few, s->sys);
}

static void of_the_energies(void **state)
{
    (void)state;
    mb_for_all(at_a_state);
}

static void inside(void **state)
{
    (void)state;
    moved = 0;
    mb_for_all(within_a_step);
    assert_true(moved > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_the_energies), cmocka_unit_test(inside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
