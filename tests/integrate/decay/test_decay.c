// The methods decay and conserve: energy at large steps, angular momentum, order, high frequencies.
#include "energy.h"
#include "integrate/order.h"
#include "math/math3.h"

// ---- energy -----------------------------------------------------------------------------------------------

// The kinetic energy reaches 2 J; the sum is 2.3 J.
static void conserve_keeps_the_energy(void **state)
{
    (void)state;
    const energy_record e =
        energy_ride(energy_linkage(), "conserve", ENERGY_STEP, less_if_slow("most steps") ? 50 : 500);
    CHECK_SMALL(e.drift, 1e-10 * e.start);
}

static void decay_never_gains_energy(void **state)
{
    (void)state;
    const energy_record e =
        energy_ride(energy_linkage(), "decay", ENERGY_STEP, less_if_slow("most steps") ? 50 : 500);
    CHECK_SMALL(e.gain, 1e-13 * e.start);
    assert_true(e.end < e.start);
}

// The same model gains energy with the trapezoidal rule, or is lost.
static void others_gain_energy(void **state)
{
    (void)state;
    plan p = plan_default();
    p.method = "newmark";
    p.h = ENERGY_STEP;
    p.solver = &tml_linsolver_block;
    ride r;
    ride_model(&r, energy_linkage(), &p);
    const double start = energy_of(&r, r.x0);
    double largest = start;
    tml_error err = {0};
    for (int i = 0; i < 500 && tmli_driver_step(&r.driver, 1e3, &err) == TML_OK; i++)
        largest = fmax(largest, energy_of(&r, ride_state(&r)));
    printf("newmark: energy %g J grows to %g J; %s\n", start, largest, err.msg);
    assert_true(largest > 1.01 * start || err.msg[0]);
    ride_end(&r);
}

// Damped: what a damper takes out is taken out, at any step.
static void dampers_dissipate(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: 9.81\n"
        "bodies: {a: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [1, 0, 0], frames: {e: [0.3, 0.2, "
        "0.1]}},\n"
        "         b: {mass: 2, inertia: [0.2, 0.1, 0.15], position: [2, 0.5, 0]}}\n"
        "ground: {frames: {g: [0, 0, 1]}}\n"
        "joints: {j: {type: spherical, a: ground, b: a, point: [0, 0, 0]},\n"
        "         k: {type: revolute, a: a, b: b, point: [1.5, 0.2, 0], axis: [0.2, 1, 0.4]}}\n"
        "forces: {s: {type: spring, a: ground.g, b: a.e, stiffness: 3000, damping: 20},\n"
        "         mount: {type: bushing, a: a, b: b, stiffness: [300, 300, 300, 30, 20, 10], damping: [1, 1, "
        "1, 1, 1, 1]}}\n";
    for (int i = 0; i < 2; i++) {
        const energy_record e = energy_ride(model_parse(text, NULL, 0), i ? "decay" : "conserve", 0.05, 200);
        CHECK_SMALL(e.gain, 1e-12 * (fabs(e.start) + fabs(e.end)));
    }
}

// ---- free bodies ------------------------------------------------------------------------------------------

static vec3 angular_momentum(const tml_state *x, const double J[3])
{
    const mat3 R = q_matrix(q_from(x->q + 3));
    return m3_mulv(&R, v3(J[0] * x->u[3], J[1] * x->u[4], J[2] * x->u[5]));
}

// Half a radian per step about the unstable axis: energy and all components of the angular momentum.
static void free_body_keeps_its_momentum(void **state)
{
    (void)state;
    static const char text[] =
        "bodies: {a: {mass: 1, inertia: [2, 3, 4], velocity: [1, 2, 3], angular_velocity: [0.05, 5, 0.1]}}\n";
    const double J[3] = {2, 3, 4};
    plan p = plan_default();
    p.method = "conserve";
    p.h = 0.1;
    ride r;
    ride_model(&r, model_parse(text, NULL, 0), &p);
    const vec3 start = angular_momentum(r.x0, J);
    const double energy = energy_of(&r, r.x0);
    ride_steps(&r, 2000);
    const vec3 change = v3_sub(angular_momentum(ride_state(&r), J), start);
    printf("2000 steps: angular momentum %g changes by %g, energy by %g\n", v3_norm(start), v3_norm(change),
           energy_of(&r, ride_state(&r)) - energy);
    CHECK_SMALL(v3_norm(change), 1e-11 * v3_norm(start));
    CHECK_SMALL(energy_of(&r, ride_state(&r)) - energy, 1e-11 * energy);
    ride_end(&r);
}

// ---- order ------------------------------------------------------------------------------------------------

static void second_order(void **state)
{
    (void)state;
    static const char *const methods[] = {"decay", "conserve"};
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++) {
            plan p = plan_default();
            p.method = methods[i];
            order_check(&order_cases[c], &p, (order_expect){.order = {2, 2, 0}, .tolerance = 0.2});
        }
}

// First-order states in the loop: the midpoint rule on a linear model, apart from the damping of its start.
static void states_are_integrated(void **state)
{
    (void)state;
    static const char *const methods[] = {"midpoint", "conserve", "decay"};
    ride r[3];
    for (int i = 0; i < 3; i++) {
        plan p = plan_default();
        double d[3];
        p.method = methods[i];
        p.h = 1e-3;
        ride_model(&r[i], model_read("controlled_cart", NULL, 0), &p);
        ride_steps(&r[i], 200);
        state_distance(r[i].sys, ride_state(&r[0]), ride_state(&r[i]), d);
        printf("%s differs from midpoint by %g, %g\n", methods[i], d[0], d[1]);
        CHECK_SMALL(d[0], 1e-6);
    }
    for (int i = 0; i < 3; i++) ride_end(&r[i]);
}

// ---- high frequencies -------------------------------------------------------------------------------------

// Mass on a spring, w h as given; amplitude after `steps` over that at the start, by the energy.
static double amplitude(const char *method, double rho, double wh, int steps)
{
    static const char text[] = "bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
                               "forces: {s: {type: spring, a: ground, b: a, stiffness: k, length: 0.9}}\n"
                               "parameters: {k: 1}\n";
    char value[32];
    snprintf(value, sizeof value, "%.17g", wh * wh);
    const tml_parameter k = {.name = "k", .text = value};
    plan p = plan_default();
    p.method = method;
    p.rho = rho;
    p.h = 1;
    ride r;
    ride_model(&r, model_parse(text, &k, 1), &p);
    const double start = energy_of(&r, r.x0);
    ride_steps(&r, steps);
    const double ratio = sqrt(fmax(0, energy_of(&r, ride_state(&r))) / start);
    ride_end(&r);
    return ratio;
}

static void high_frequencies_decay(void **state)
{
    (void)state;
    printf("w h = 0.05: %g of the amplitude after 1000 steps; w h = 100: %g after 12 steps\n",
           amplitude("decay", NAN, 0.05, 1000), amplitude("decay", NAN, 100, 12));
    assert_true(amplitude("decay", NAN, 100, 12) < 1e-5);
    assert_true(amplitude("decay", NAN, 0.05, 1000) > 0.999);
    assert_true(amplitude("decay", NAN, 0.05, 1000) < 1);
    CHECK_CLOSE(amplitude("conserve", NAN, 100, 100), 1, 1e-10);
    CHECK_CLOSE(amplitude("decay", 1, 100, 100), 1, 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conserve_keeps_the_energy),    cmocka_unit_test(decay_never_gains_energy),
        cmocka_unit_test(others_gain_energy),           cmocka_unit_test(dampers_dissipate),
        cmocka_unit_test(free_body_keeps_its_momentum), cmocka_unit_test(second_order),
        cmocka_unit_test(states_are_integrated),        cmocka_unit_test(high_frequencies_decay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
