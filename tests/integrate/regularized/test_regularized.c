// The methods baumgarte, trust-region and direct-reg: derivatives of the regularized equations, accuracy,
// drift, redundant constraints, and what they refuse.
#include "integrate/fixture.h"

#include "hessenberg/petzold.h"
#include "integrate/regularized/epsilon.h"
#include "integrate/regularized/regularized.h"

static const tmli_regularization KIND[3] = {TMLI_REGULARIZATION_BAUMGARTE, TMLI_REGULARIZATION_TRUST_REGION,
                                            TMLI_REGULARIZATION_DIRECT};
static const char *const METHOD[3] = {"baumgarte", "trust-region", "direct-reg"};

// ---- derivatives ------------------------------------------------------------------------------------------

// Newton's equations undo the differences of the residual: |inv(A) (F(y + d x) - F(y - d x)) / 2 d - x| over
// |x|.
static double matrix_error(tmli_regular_eq *e, double t, double cj, double *y, double *yp, rng *r)
{
    const int size = e->size;
    const double d = 1e-6;
    double *x = calloc(3 * (size_t)size, sizeof *x), *plus = x + size, *minus = plus + size, worst = 0,
           largest = 0;
    OK(tmli_regular_factor(e, t, cj, y, yp, err));
    for (int trial = 0; trial < 20; trial++) {
        for (int i = 0; i < size; i++) x[i] = rng_range(r, -1, 1);
        for (int side = 1; side >= -1; side -= 2) {
            const double s = side > 0 ? d : -2 * d;
            for (int i = 0; i < size; i++) {
                y[i] += s * x[i];
                yp[i] += cj * s * x[i];
            }
            OK(tmli_regular_residual(e, t, y, yp, side > 0 ? plus : minus, err));
        }
        for (int i = 0; i < size; i++) {
            y[i] += d * x[i];
            yp[i] += cj * d * x[i];
            plus[i] = (plus[i] - minus[i]) / (2 * d);
        }
        tmli_regular_solve(e, plus);
        for (int i = 0; i < size; i++) {
            worst = fmax(worst, fabs(plus[i] - x[i]));
            largest = fmax(largest, fabs(x[i]));
        }
    }
    free(x);
    return worst / largest;
}

// Anywhere near the start; z and r are 0, as the matrix leaves out what is multiplied by them.
static void matrix_of(const char *name)
{
    rng r = rng_seed(7);
    for (int k = 0; k < 3; k++) {
        tml_model *model = model_read(name, NULL, 0);
        const tml_system *sys = tml_model_system(model);
        tmli_regular_eq e;
        OK(tmli_regular_init(sys, KIND[k], &tml_linsolver_klu, &e, err));
        tml_state *x = NULL;
        OK(tml_state_create(sys, &x, err));
        tml_model_start(model, 0, x);
        double *y = calloc(2 * (size_t)e.size, sizeof *y), *yp = y + e.size;
        OK(tmli_regular_centre(&e, x, y, yp, err));
        e.gamma = 7.3;
        e.epsilon = 0.021;
        for (int i = 0; i < 2 * e.n + e.m; i++) {
            y[i] += rng_range(&r, -0.3, 0.3);
            yp[i] += rng_range(&r, -1, 1);
        }
        const double worst = matrix_error(&e, 0.2, 31.7, y, yp, &r);
        printf("%-16s %-13s %.1e\n", name, METHOD[k], worst);
        CHECK_SMALL(
            worst,
            1e-3);  // differences are good to 1e-9, and the condition number is some 1e4; a wrong entry: 0.1
        free(y);
        tml_state_destroy(x, sys);
        tmli_regular_clear(&e);
        tml_model_destroy(model);
    }
}

static void matrix_is_the_derivative(void **state)
{
    (void)state;
    static const char *const name[] = {"four_bar", "slider_crank", "governor", "heavy_top", "suspension"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) matrix_of(name[i]);
}

// ---- choice of epsilon ------------------------------------------------------------------------------------

typedef struct control_case {
    ride ride;
    tmli_regular_eq eq, exact;  // the other without epsilon
    tmli_weights weights;
    tmli_epsilon_control control;
    double *y, *yp;  // of both
} control_case;

static void control_case_create(control_case *s, const char *name, tmli_regularization kind, double tol,
                                double most, double gamma)
{
    plan p = plan_default();
    p.solver = &tml_linsolver_klu;
    ride_model(&s->ride, model_read(name, NULL, 0), &p);
    const tml_system *sys = s->ride.sys;
    tml_integrator_options opt = tml_integrator_options_default();
    opt.run.rtol = opt.run.atol = tol;
    opt.duration = 1;
    OK(tmli_regular_init(sys, kind, &tml_linsolver_klu, &s->eq, err));
    OK(tmli_regular_init(sys, TMLI_REGULARIZATION_BAUMGARTE, &tml_linsolver_klu, &s->exact, err));
    OK(tmli_weights_create(sys, &opt, &s->weights, err));
    OK(tmli_epsilon_control_create(&s->eq, &s->weights, most, &tml_linsolver_klu, &s->control, err));
    s->y = calloc(2 * (size_t)s->eq.size, sizeof *s->y);
    s->yp = s->y + s->eq.size;
    tmli_weights_start(&s->weights, s->ride.x0);
    OK(tmli_regular_centre(&s->eq, s->ride.x0, s->y, s->yp, err));
    OK(tmli_regular_centre(&s->exact, s->ride.x0, s->y, s->yp, err));
    s->eq.gamma = s->exact.gamma = gamma;
}

static void control_case_destroy(control_case *s)
{
    free(s->y);
    tmli_epsilon_control_clear(&s->control);
    tmli_weights_clear(&s->weights);
    tmli_regular_clear(&s->exact);
    tmli_regular_clear(&s->eq);
    ride_end(&s->ride);
}

// Where the mechanism is displaced by epsilon d, the feedback is what epsilon leaves over: c = eps lambda/e,
// or S D c. With this gamma all else of c that the displacement changes is 1e-4 of it (rates of 100 1/s).
// Inertia is diagonal in the plane.
static void displacement_balances(void **state)
{
    (void)state;
    for (int k = 1; k < 3; k++) {
        control_case s;
        control_case_create(&s, "four_bar", KIND[k], 1e-4, 1, 1e6);
        const tml_system *sys = s.ride.sys;
        const tml_state *x = s.ride.x0;
        tmli_epsilon_control_start(&s.control, x);
        double most = 0, worst = 0, largest = 0;
        for (int j = 0; j < sys->n; j++) most = fmax(most, fabs(s.control.d[j]));
        const double epsilon = 1e-7 / most;  // small against the mechanism, large against round-off
        for (int j = 0; j < sys->n; j++) s.y[j] = epsilon * s.control.d[j];
        double *out = calloc((size_t)(s.exact.size + sys->n), sizeof *out), *c = out + s.exact.at_l,
               *z = out + s.exact.size;
        OK(tmli_regular_residual(&s.exact, x->t, s.y, s.yp, out, err));
        for (int r = 0; r < sys->m; r++)
            for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1]; i++)
                z[sys->rowcol[i]] += s.exact.rows[i] * s.eq.e[r] * c[r] / s.eq.diagonal[sys->rowcol[i]];
        for (int r = 0; r < sys->m; r++) {
            double left = 0, right = epsilon * x->lambda[r] / s.eq.e[r];
            for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1]; i++)
                left += s.exact.rows[i] * z[sys->rowcol[i]];
            worst = fmax(worst, fabs((k == 1 ? left : c[r]) - right));
            largest = fmax(largest, fabs(right));
        }
        printf("four_bar, %s: displacement balances epsilon up to %.1e\n", METHOD[k], worst / largest);
        CHECK_SMALL(worst / largest, 1e-3);
        free(out);
        control_case_destroy(&s);
    }
}

static double epsilon_of(tmli_regularization kind, double tol, double most, double *share)
{
    control_case s;
    control_case_create(&s, "four_bar", kind, tol, most, 300);
    const double epsilon = tmli_epsilon_control_start(&s.control, s.ride.x0);
    double worst = 0;
    for (int j = 0; j < s.ride.sys->n; j++) {
        const double d = fabs(s.control.d[j]);
        worst = fmax(worst, d / (tol * tmli_weights_unit(&s.weights, j)));
        worst = fmax(worst, s.eq.gamma * d / tmli_weights_velocity(&s.weights, j));
    }
    *share = epsilon * worst;
    control_case_destroy(&s);
    return epsilon;
}

// Epsilon is a share of the tolerance: 0.005 where the mechanism stands, or up to ten times that if its
// neighbourhood allows more.
static void epsilon_by_displacement(void **state)
{
    (void)state;
    for (int k = 1; k < 3; k++) {
        double share;
        const double loose = epsilon_of(KIND[k], 1e-4, 1, &share);
        printf("four_bar, %s: epsilon %.2e, off by %.3f tolerances\n", METHOD[k], loose, share);
        assert_true(share > 5e-4 && share < 0.05);
        CHECK_CLOSE(epsilon_of(KIND[k], 1e-7, 1, &share) / loose, 1e-3, 1e-12);
        CHECK_CLOSE(epsilon_of(KIND[k], 1e-4, loose / 5, &share) / loose, 0.2, 1e-12);
    }
}

// ---- accuracy ---------------------------------------------------------------------------------------------

// Distance of a method's end from that of bdf at a tolerance of 1e-8 [model lengths, rad].
static double distance_from_bdf(const char *name, const char *method, double tol, double end)
{
    plan p = plan_default();
    p.solver = &tml_linsolver_klu;
    p.duration = end;
    double distance[3];
    ride a, b;
    p.method = "bdf";
    p.tol = 1e-8;
    ride_model(&a, model_read(name, NULL, 0), &p);
    ride_to(&a, end);
    p.method = method;
    p.tol = tol;
    ride_model(&b, model_read(name, NULL, 0), &p);
    ride_to(&b, end);
    state_distance(a.sys, ride_state(&a), ride_state(&b), distance);
    ride_end(&a);
    ride_end(&b);
    return distance[0];
}

static void motion_follows_tolerance(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double end;
    } problem[] = {
        {"pendulum", 2}, {"four_bar", 0.5}, {"slider_crank", 0.2}, {"governor", 1}, {"heavy_top", 0.05}};
    for (size_t i = 0; i < sizeof problem / sizeof *problem; i++)
        for (int k = 0; k < 3; k++) {
            const double loose = distance_from_bdf(problem[i].name, METHOD[k], 1e-4, problem[i].end);
            const double tight = distance_from_bdf(problem[i].name, METHOD[k], 1e-6, problem[i].end);
            printf("%-14s %-13s %.1e at 1e-4, %.1e at 1e-6\n", problem[i].name, METHOD[k], loose, tight);
            CHECK_SMALL(loose, 1e-3);  // ten tolerances: errors grow along a motion
            CHECK_SMALL(tight, 1e-5);
        }
}

// A double pendulum whose light upper link whips round: its reactions grow by a factor of 1e5 within 0.02 s,
// and epsilon has to follow. With the epsilon of the loads before, the energy was off by 1e-2 and more.
static const char *const WHIP = "planar: true\n"
                                "gravity: 9.81\n"
                                "bodies:\n"
                                "  upper: {mass: 2e-3, inertia: 1e-6, position: [0.5, 0.1]}\n"
                                "  lower: {mass: 2, inertia: 1e-3, position: [0.9, 0.5]}\n"
                                "joints:\n"
                                "  root: {type: revolute, a: ground, b: upper, point: [0, 0]}\n"
                                "  elbow: {type: revolute, a: upper, b: lower, point: [0.5, 0.1]}\n";

static double energy_of(const tml_system *sys, const tml_state *x)
{
    void *work = sys->ops->create_work(sys->self, &sys->env);
    double kinetic, potential, power;
    OK(sys->ops->energy(sys->self, work, x, &kinetic, &potential, &power, err));
    sys->ops->destroy_work(work);
    return kinetic + potential;
}

static void epsilon_follows_loads(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        plan p = plan_default();
        p.method = METHOD[k];
        p.tol = 1e-4;
        p.duration = 1.2;
        ride a;
        ride_model(&a, model_parse(WHIP, NULL, 0), &p);
        const double before = energy_of(a.sys, a.x0);
        ride_to(&a, p.duration);
        const double change = energy_of(a.sys, ride_state(&a)) - before;
        printf("whip, %s: energy off by %.1e of %.3g J\n", METHOD[k], change / before, before);
        CHECK_SMALL(change / before, 10 * p.tol);  // ten tolerances, as above
        ride_end(&a);
    }
}

// ---- redundant constraints --------------------------------------------------------------------------------

// A plate on two hinges with one axis: five of ten rows repeat. Without SECOND: on one.
static const char *const DOOR =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  door: {mass: 20, inertia: [4, 2, 3], position: [0.4, 0, 0]}\n"
    "joints:\n"
    "  low: {type: revolute, a: ground, b: door, point: [0, 0.8, 0], axis: [0, 1, 0]}\n";
static const char *const SECOND =
    "  high: {type: revolute, a: ground, b: door, point: [0, -0.8, 0], axis: [0, 1, 0]}\n";

static tml_model *door(bool second)
{
    char text[2000];
    snprintf(text, sizeof text, "%s%s", DOOR, second ? SECOND : "");
    return model_parse(text, NULL, 0);
}

static void redundant_hinges(void **state)
{
    (void)state;
    plan p = plan_default();
    p.solver = &tml_linsolver_klu;
    p.tol = 1e-8;
    p.method = "bdf";
    ride one, two;
    ride_model(&one, door(false), &p);
    ride_to(&one, 1);
    for (int k = 1; k < 3; k++) {
        p.method = METHOD[k];
        p.tol = 1e-6;
        two = (ride){.model = door(true)};
        two.sys = tml_model_system(two.model);
        OK(tmli_consistent_create_redundant(two.sys, p.solver, &two.consistent, err));
        OK(tml_state_create(two.sys, &two.x0, err));
        tml_model_start(two.model, 0, two.x0);
        OK(tmli_consistent_project(&two.consistent, two.x0, err));
        ride_integrator(&two, &p);
        ride_to(&two, 1);
        double distance[3];
        const tml_state *x = ride_state(&two);
        tml_system bodies = *one.sys;  // coordinates are the same
        state_distance(&bodies, ride_state(&one), x, distance);
        double shared = 0;  // the hinges' forces: equal halves, in the least norm
        for (int i = 0; i < 3; i++) shared = fmax(shared, fabs(x->lambda[i] - x->lambda[5 + i]) / 100);
        printf("door, %s: position off by %.1e, velocity by %.1e, reactions by %.1e\n", METHOD[k],
               distance[0], distance[1], shared);
        CHECK_SMALL(distance[0], 1e-5);
        CHECK_SMALL(distance[1], 1e-4);
        CHECK_SMALL(shared, 1e-3);
        ride_end(&two);
    }
    ride_end(&one);
}

// ---- singular position ------------------------------------------------------------------------------------

// The slider-crank of petzold.h as a model: other masses, the same equations in the angles.
static const char *const CRANK =
    "planar: true\n"
    "gravity: 9.8\n"
    "parameters: {a: 45 deg}\n"
    "ground: {frames: {rail: {orientation: {z: [1, 0, 0], x: [0, 1, 0]}}}}\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: 3/16, position: [0.75*sin(a), -0.75*cos(a)], orientation: a - pi/2,\n"
    "    frames: {O: [-0.75, 0], A: [0.25, 0]}}\n"
    "  rod: {mass: 1.25, inertia: 0.2, position: [1.8*sin(a), -0.2*cos(a)], orientation: pi/2 - a,\n"
    "    frames: {A: [-0.8, 0], B: [0.2, 0]}}\n"
    "joints:\n"
    "  main: {type: revolute, a: ground, b: crank.O}\n"
    "  pin: {type: revolute, a: crank.A, b: rod.A}\n"
    "  rail: {type: point-on-line, a: ground.rail, b: rod.B}\n";

static double energy(const ride *r, const tml_state *x)
{
    double kinetic, potential, power;
    OK(r->sys->ops->energy(r->sys->self, r->work, x, &kinetic, &potential, &power, err));
    return kinetic + potential;
}

static void singular_position(void **state)
{
    (void)state;
    for (int k = 1; k < 3; k++) {
        plan p = plan_default();
        p.solver = &tml_linsolver_klu;
        p.method = METHOD[k];
        p.duration = 10;
        ride r;
        ride_model(&r, model_parse(CRANK, NULL, 0), &p);
        const double before = energy(&r, r.x0);
        double theta = PETZOLD_PI / 4, w = 0, t = 0, worst = 0;
        while (t < 10) {
            OK(tmli_driver_step(&r.driver, 10, err));
            const tml_state *x = ride_state(&r);
            petzold_2_reference(t, x->t, &theta, &w);
            t = x->t;
            worst = fmax(worst, fabs(atan2(x->q[0], -x->q[1]) - theta));
        }
        const double off = energy(&r, ride_state(&r)) - before;
        printf("singular slider-crank, %s: off the smooth branch by %.1e, energy by %.1e J, %ld steps\n",
               METHOD[k], worst, off, ride_count(&r).steps);
        // five passes, at 1.03, 3.09, .. 9.28 s, at a tolerance of 1e-4
        CHECK_SMALL(worst, 1e-3);
        CHECK_SMALL(off, 1e-3 * 2.87);
        ride_end(&r);
    }
}

// ---- refusals ---------------------------------------------------------------------------------------------

static void refusals(void **state)
{
    (void)state;
    tml_model *model = model_read("pendulum", NULL, 0);
    for (int k = 0; k < 3; k++) {
        tml_integrator_options opt = tml_integrator_options_default();
        const tml_method_ops *method = tml_method_find(METHOD[k]), *ops;
        void *self = NULL;
        tml_error err = {0};
        opt.fixed_step = true;
        assert_int_equal(tml_method_create(method, tml_model_system(model), &opt, &ops, &self, &err),
                         TML_ERR_ARG);
        assert_non_null(strstr(err.msg, METHOD[k]));
        opt.fixed_step = false;
        opt.run.max_order = 6;
        assert_int_equal(tml_method_create(method, tml_model_system(model), &opt, &ops, &self, &err),
                         TML_ERR_ARG);
        assert_non_null(strstr(err.msg, "max_order"));
    }
    tml_model_destroy(model);
}

// Methods are listed where they can run; those that need IDA are not in builds without SUNDIALS.
static bool listed(const char *name)
{
    for (int i = 0; tml_methods[i]; i++)
        if (strcmp(tml_methods[i]->name, name) == 0) return true;
    return false;
}

int main(void)
{
    if (!listed("baumgarte")) {
        puts("built without SUNDIALS: nothing to test");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_is_the_derivative), cmocka_unit_test(displacement_balances),
        cmocka_unit_test(epsilon_by_displacement),  cmocka_unit_test(motion_follows_tolerance),
        cmocka_unit_test(epsilon_follows_loads),    cmocka_unit_test(redundant_hinges),
        cmocka_unit_test(singular_position),        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
