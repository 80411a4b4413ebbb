// The capability fields of methods and solvers against what they do.
#include "integrate/fixture.h"

static tml_status try_create(const tml_method_ops *method, const tml_system *sys, bool fixed, int max_order)
{
    tml_integrator_options opt = tml_integrator_options_default();
    opt.fixed_step = fixed;
    opt.run.max_order = max_order;
    const tml_method_ops *ops = NULL;
    void *self = NULL;
    const tml_status st = tml_method_create(method, sys, &opt, &ops, &self, NULL);
    if (self) ops->destroy(self);
    return st;
}

static void fixed_steps_and_orders(void **state)
{
    (void)state;
    tml_model *model = model_read("slider_crank", NULL, 0);
    const tml_system *sys = tml_model_system(model);
    for (int i = 0; tml_methods[i]; i++) {
        const tml_method_ops *m = tml_methods[i];
        if ((try_create(m, sys, true, 0) != TML_OK) != m->no_fixed_step)
            fail_msg("%s: no_fixed_step is %d", m->name, m->no_fixed_step);
        if (m->max_order == 0) continue;
        if (try_create(m, sys, false, m->max_order) != TML_OK)
            fail_msg("%s: max_order %d", m->name, m->max_order);
        if (m->max_order < m->order) fail_msg("%s: order %d of %d", m->name, m->order, m->max_order);
    }
    tml_model_destroy(model);
}

// Only these can satisfy the constraints elsewhere than at the ends of steps.
static void inner_points(void **state)
{
    (void)state;
    tml_model *model = model_read("slider_crank", NULL, 0);
    for (int i = 0; tml_methods[i]; i++) {
        tml_integrator_options opt = tml_integrator_options_default();
        opt.run.placement = TML_PLACEMENT_INNER;
        opt.run.constraint_point = TML_CONSTRAINT_POINT_MEAN;
        const tml_method_ops *ops = NULL;
        void *self = NULL;
        const tml_status st =
            tml_method_create(tml_methods[i], tml_model_system(model), &opt, &ops, &self, NULL);
        if (self) ops->destroy(self);
        if ((st == TML_OK) != tml_methods[i]->inner_point) fail_msg("%s: inner_point", tml_methods[i]->name);
    }
    tml_model_destroy(model);
}

static tml_status unit_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = 1;
    return TML_OK;
}
static tml_status stiff_spring(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)u, (void)user;
    f[0] = -1e12 * q[0];
    return TML_OK;
}

static tml_status strong_damper(double t, const double *q, const double *u, double *f, void *user)
{
    (void)q, (void)user;
    f[0] = -1e4 * (u[0] - cos(t));
    return TML_OK;
}

// Stability limits the steps of explicit methods: on a decay of 1e4/s they take thousands per second, others
// few.
static void explicit_methods(void **state)
{
    (void)state;
    const double q = 0, u = 1;
    int count = 0;
    for (int i = 0; tml_methods[i]; i++) {
        const tml_method_ops *m = tml_methods[i];
        tml_user_system_def def = tml_user_system_def_default();
        tml_system *sys = NULL;
        plan p = plan_default();
        ride r;
        def.n = 1;
        def.mass = unit_mass;
        def.force = strong_damper;
        OK(tml_system_create_user(&def, NULL, &sys, err));
        p.method = m->name;
        p.tol = 1e-3;
        ride_user(&r, sys, &q, &u, &p);
        ride_to(&r, 1);
        const long steps = ride_count(&r).steps;
        if ((steps > 700) != m->is_explicit)
            fail_msg("%s: explicit is %d, but %ld steps", m->name, m->is_explicit, steps);
        assert_int_equal(m->is_explicit, m->stiff != NULL);
        assert_int_equal(m->is_explicit, tml_method_is_explicit(m));
        if (m->is_explicit) assert_int_equal(m->equations, TML_EQUATIONS_STATE_SPACE);
        count += m->is_explicit;
        ride_end(&r);
    }
    assert_int_equal(count, 3);
}

// What 80 steps of 1e4 periods each leave of a vibration: radius^80, times a polynomial where roots coincide.
static double leftover(const tml_method_ops *m, double rho, double alpha)
{
    const double q = 1, u = 0, h = 1e-2;
    tml_user_system_def def = tml_user_system_def_default();
    tml_system *sys = NULL;
    plan p = plan_default();
    ride r;
    def.n = 1;
    def.mass = unit_mass;
    def.force = stiff_spring;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    p.method = m->name;
    p.h = h;
    p.rho = rho;
    p.alpha = alpha;
    ride_user(&r, sys, &q, &u, &p);
    double most = 0;
    for (int i = 0; i < 80; i++) {
        ride_steps(&r, 1);
        if (i >= 76) most = fmax(most, fabs(ride_state(&r)->q[0]));
    }
    ride_end(&r);
    return most;
}

// From below where it is above the round-off.
static void check_radius(const tml_method_ops *m, double rho, double alpha)
{
    const tml_integrator_options opt = {.run = {.rho = rho, .alpha = alpha}};
    const double radius = m->radius_at_infinity ? m->radius_at_infinity(&opt) : 0,
                 left = leftover(m, rho, alpha);
    const double most = 80 * 80 * pow(radius, 76) + 1e-9, least = radius >= 0.9 ? 0.5 * pow(radius, 80) : 0;
    if (!(left <= most && left >= least)) fail_msg("%s: radius %g leaves %g", m->name, radius, left);
}

static void radius_at_infinity(void **state)
{
    (void)state;
    for (int i = 0; tml_methods[i]; i++) {
        const tml_method_ops *m = tml_methods[i];
        if (m->equations != TML_EQUATIONS_INDEX3 && m->equations != TML_EQUATIONS_INDEX2) continue;
        check_radius(m, NAN, NAN);
        if (m->radius_at_infinity) check_radius(m, 0.5, -0.2);
        if (m->radius_at_infinity) check_radius(m, 0.93, -0.03);
    }
}

static void solvers(void **state)
{
    (void)state;
    for (int i = 0; tml_linsolvers[i]; i++) {
        const tml_linsolver_ops *s = tml_linsolvers[i];
        assert_non_null(s->merit);
        if (!s->accelerations) continue;
        assert_non_null(s->accelerations->factor_symmetric);  // a way of its own for these matrices
        assert_null(s->accelerations->accelerations);
        assert_false(s->pivots);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_and_orders),
        cmocka_unit_test(inner_points),
        cmocka_unit_test(explicit_methods),
        cmocka_unit_test(radius_at_infinity),
        cmocka_unit_test(solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
