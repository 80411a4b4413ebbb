// The means over a step (mean_residual) of every joint and force: their work is the change of the energy, and
// the matrix that goes with them.
#include "system/multibody_fixture.h"

enum { STATES = 3 };

typedef struct step_fixture {
    tml_state *start, *middle, *end;
    double d[MB_N];
    tml_step step;
} step_fixture;

static tml_state *new_state(mb *s)
{
    tml_state *x = NULL;
    tml_error err = {0};
    assert_int_equal(tml_state_create(s->sys, &x, &err), TML_OK);
    tml_state_copy(x, s->x);
    return x;
}

// A step from a random state by a random increment of up to `size`, with random multipliers.
static void open_step(mb *s, rng *r, double size, double decay, step_fixture *f)
{
    double half[MB_N];
    mb_random_state(s, r);
    f->start = new_state(s);
    f->middle = new_state(s);
    f->end = new_state(s);
    f->step = (tml_step){
        .start = f->start, .middle = f->middle, .end = f->end, .d = f->d, .h = 0.37, .decay = decay};
    for (int i = 0; i < s->n; i++) {
        f->d[i] = rng_range(r, -size, size);
        half[i] = f->d[i] / 2;
        f->middle->u[i] = f->d[i] / f->step.h;
        f->middle->udot[i] = 0;
    }
    for (int i = 0; i < s->m; i++) f->middle->lambda[i] = rng_range(r, -3, 3);
    s->ops->count(s->self, f->start, half, f->middle->angle);
    s->ops->count(s->self, f->start, f->d, f->end->angle);
    s->ops->retract(s->self, f->start->q, half, f->middle->q);
    s->ops->retract(s->self, f->start->q, f->d, f->end->q);
    f->middle->t = f->start->t + f->step.h / 2;
    f->end->t = f->start->t + f->step.h;
}

static void close_step(mb *s, step_fixture *f)
{
    tml_state_destroy(f->start, s->sys);
    tml_state_destroy(f->middle, s->sys);
    tml_state_destroy(f->end, s->sys);
}

static double potential(mb *s, const tml_state *x, double *power)
{
    double kinetic, value;
    tml_error err = {0};
    assert_int_equal(s->ops->energy(s->self, s->w, x, &kinetic, &value, power, &err), TML_OK);
    return value;
}

// motion.d less V1 - V0 - h P + lambda.(Phi1 - Phi0): the loss, 0 without decay. *size: of its terms.
static double loss_of(mb *s, step_fixture *f, double *size)
{
    double motion[MB_N], dphi[MB_NM], lambda[MB_NM], power, none, work = 0, loss = 0;
    tml_error err = {0};
    assert_int_equal(s->ops->mean_residual(s->self, s->w, &f->step, motion, &err), TML_OK);
    *size = 1;
    for (int j = 0; j < s->n - s->sys->nz; j++) {
        work += motion[j] * f->d[j];
        *size = fmax(*size, fabs(motion[j] * f->d[j]));
    }
    assert_int_equal(s->ops->increment(s->self, s->w, f->start, f->d, f->start->t, dphi, &err), TML_OK);
    for (int r = 0; r < s->m; r++) {
        lambda[r] = f->middle->lambda[r];
        work -= lambda[r] * dphi[r];
        f->middle->lambda[r] = 0;  // `power` without that of the drivers
    }
    const double V0 = potential(s, f->start, &none), V1 = potential(s, f->end, &none);
    potential(s, f->middle, &power);
    for (int r = 0; r < s->m; r++) f->middle->lambda[r] = lambda[r];
    *size = fmax(*size, fmax(fabs(V0), fmax(fabs(V1), fabs(f->step.h * power))));
    loss = work - (V1 - V0) + f->step.h * power;
    return loss;
}

static void check_work(mb *s, const subject *k, rng *r)
{
    (void)k;
    if (!s->ops->mean_residual) return;  // the mass matrix is not constant
    for (int i = 0; i < STATES; i++) {
        step_fixture f;
        double size;
        open_step(s, r, i == 0 ? 1e-5 : 0.6, 0, &f);
        const double loss = loss_of(s, &f, &size);
        if (!(fabs(loss) <= 1e-11 * size))
            fail_msg("%s: the energy of a step is off by %g of %g", s->name, loss, size);
        f.step.decay = 0.3;
        const double lost = loss_of(s, &f, &size);
        if (!(lost >= -1e-11 * size)) fail_msg("%s: a decaying step gains %g of %g", s->name, -lost, size);
        close_step(s, &f);
    }
}

// V1 - V0 = -f^.d + h P, and B^ d = Phi1 - Phi0.
static void work_is_change_of_energy(void **state)
{
    (void)state;
    mb_for_all(check_work);
}

// Means over a short step are the values at its middle, to second order.
static void check_limit(mb *s, const subject *k, rng *r)
{
    (void)k;
    if (!s->ops->mean_residual) return;  // the mass matrix is not constant
    double mean[MB_N], middle[MB_N], phi[MB_NM], worst = 0, size = 1;
    step_fixture f;
    tml_error err = {0};
    open_step(s, r, 1e-3, 0, &f);
    assert_int_equal(s->ops->mean_residual(s->self, s->w, &f.step, mean, &err), TML_OK);
    assert_int_equal(s->ops->residual(s->self, s->w, f.middle, NULL, middle, phi, &err), TML_OK);
    for (int j = 0; j < s->n; j++) {
        worst = fmax(worst, fabs(mean[j] - middle[j]));
        size = fmax(size, fabs(middle[j]));
    }
    if (!(worst <= 1e-4 * size))
        fail_msg("%s: means over a short step are off by %g of %g", s->name, worst, size);
    close_step(s, &f);
}

static void means_are_consistent(void **state)
{
    (void)state;
    mb_for_all(check_limit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_change_of_energy),
        cmocka_unit_test(means_are_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
