// Time scale and energy of the motion: what a part may lose of its energy is bounded, whatever the steps, and
// no other part has it to give.
#include "integrate/core/vibrations.h"
#include "integrate/order.h"
#include "model/model.h"
#include "system/joint_space/joint_space.h"

static void start(tmli_vibrations *v, const ride *r)
{
    void *work = r->sys->ops->create_work(r->sys->self, &r->sys->env);
    assert_non_null(work);
    tmli_vibrations_start(v, work, r->x0);
    r->sys->ops->destroy_work(work);
}

// A point of 0.7 kg and one of 40 kg, which a spring joins, 1 m apart.
static ride begin(tmli_vibrations *v, double tol, double duration)
{
    plan p = plan_default();
    p.method = "radau5";
    ride r;
    ride_model(&r,
               model_parse("planar: true\nbodies: {a: {mass: 0.7, point: true, velocity: [3, 0]}, "
                           "b: {mass: 40, point: true, position: [1, 0], velocity: [3, 0]}}\n"
                           "forces: {rod: {type: spring, a: a, b: b, stiffness: 1e9}}\n",
                           NULL, 0),
               &p);
    tml_integrator_options opt = tml_integrator_options_default();
    opt.run.atol = opt.run.rtol = tol;
    opt.duration = duration;
    OK(tmli_vibrations_create(r.sys, &opt, v, err));
    start(v, &r);
    return r;
}

// The state at t has these velocities beside those of the start.
static void track(tmli_vibrations *v, const ride *r, double t, double a, double b, double aMa, bool lost)
{
    r->x0->u[0] = 3 + a;
    r->x0->u[2] = 3 + b;
    tmli_vibrations_set_change(v, r->x0);
    const double Mw[4] = {0.7 * a, 0, 40 * b, 0};
    tmli_vibrations_track(v, t, Mw, aMa, lost);
}

static void end(ride *r, tmli_vibrations *v)
{
    tmli_vibrations_clear(v);
    ride_end(r);
}

// Steps that take all they may from the first point, short and long: together no more than the tolerance of
// its energy, which is that of its motion beside the other one, and the first ones not all of it.
static void losses_are_bounded(void **state)
{
    (void)state;
    const double tol = 3e-4, T = 2.7, E = 0.7 * 30 * 30 / 2, a[4] = {1, 0, 0, 0}, Ma[4] = {0.7, 0, 0, 0};
    for (double h = T / 7; h > T / 20000; h /= 3) {
        tmli_vibrations v;
        ride r = begin(&v, tol, T);
        track(&v, &r, 0, 30, 500, 1, false);
        const double first = 1 / tmli_vibrations_judge(&v, 1e-9 * T, 1, a, Ma);
        CHECK_CLOSE(first / (tol * E), 0.05, 1e-6);
        for (double t = h; t < T * (1 + 1e-9); t += h) {
            const double most = 1 / tmli_vibrations_judge(&v, h, 1, a, Ma);
            CHECK_CLOSE(tmli_vibrations_judge(&v, h, most, a, Ma), 1, 1e-12);
            track(&v, &r, t, 20, 500, 1, true);
        }
        printf("h = %.1e s: lost %.4f of tol E\n", h, v.lost / (tol * E));
        assert_true(v.lost <= tol * E * 1.1);  // the last step may pass by what is spread over the time
        assert_true(v.lost > 0.45 * tol * E);
        end(&r, &v);
    }
}

// A part that hardly moves counts with a tenth of the energy of one that goes a length of the model in the
// run, the time scale of a small vibration with a tenth of the sum of these.
static void at_rest(void **state)
{
    (void)state;
    const double tol = 3e-4, T = 2.7, w = 1300, A = 1e-3, h = 1e-5, a[4] = {1, 0, 0, 0},
                 Ma[4] = {0.7, 0, 0, 0}, b[4] = {0, 1, 0, 1}, Mb[4] = {0, 0.7, 0, 40};
    tmli_vibrations v;
    ride r = begin(&v, tol, T);
    const double L = r.sys->length, S = 0.1 * 0.7 * L * L / (2 * T * T), both = S * 40.7 / 0.7;
    track(&v, &r, 0, A, 0, 1, false);
    CHECK_CLOSE(1 / (tmli_vibrations_judge(&v, 1e-9 * T, 1, a, Ma) * tol * S), 0.05, 1e-6);
    // of two parts the mean by their shares of the loss, which are those of their masses
    const double mean = (0.7 * 0.7 / 0.7 + 40 * 40 / 40.0) / (40.7 * 40.7);
    CHECK_CLOSE(0.05 * tol * S * tmli_vibrations_judge(&v, 1e-9 * T, 1, b, Mb), 0.7 * mean, 1e-6);
    v.speed = v.acceleration = 0;
    for (int i = 1; i <= 100000; i++) {
        const double s = sin(w * h * i), c = cos(w * h * i);
        track(&v, &r, h * i, A * s, 0, 0.7 * A * A * w * w * c * c, false);
    }
    const double tau = sqrt((0.35 * A * A + 0.2 * both) / (0.35 * A * A)) / w;
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 1e-9), 0.2 * fmin(tau, 1), 1e-3 * fmin(tau, 1));
    end(&r, &v);
}

// A vibration has the time scale 1/w, whether it moves along or not; just behind a discontinuity it is what
// has passed since.
static void time_scales(void **state)
{
    (void)state;
    const double w = 13, h = 1e-3, A = 1000;  // [m/s] far above a length in the run
    tmli_vibrations v;
    ride r = begin(&v, 1e-4, 3);
    for (int i = 1; i <= 3000; i++) {
        const double s = sin(w * h * i), c = cos(w * h * i);
        track(&v, &r, h * i, A * s, 0, 0.7 * A * A * w * w * c * c, false);
    }
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 0.1), 0.2 / w, 2e-4);
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 40), 0.2 / 40, 1e-15);
    r.x0->t = 3;
    start(&v, &r);
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 0.1), 0, 1e-15);
    track(&v, &r, 3.001, 0.5, 0, 1, false);
    CHECK_CLOSE(tmli_vibrations_time_scale(&v, 0.1), 0.2e-3, 1e-12);
    end(&r, &v);
}

// A beam and what a fixed joint holds to it are one part; what a spring or a hinge joins is another, also if
// its node lies between them; in joint coordinates a tree is one.
static void parts_of_a_model(void **state)
{
    (void)state;
    tml_model *m = model_parse("planar: true\n"
                               "bodies: {free: {mass: 1, inertia: 1, position: [1, 2]},"
                               " tip: {mass: 1, inertia: 1, position: [1, 0]},"
                               " arm: {mass: 1, inertia: 1, position: [2, 0]}}\n"
                               "beams: {beam: {end: [1, 0, 0], elements: 2, type: rectangle, width: 0.01,"
                               " height: 0.01, material: steel}}\n"
                               "joints: {weld: {type: fixed, a: beam.end, b: tip, point: [1, 0]},"
                               " hinge: {type: revolute, a: tip, b: arm, point: [1, 0]}}\n"
                               "forces: {rod: {type: spring, a: free, b: tip, stiffness: 1}}\n",
                               NULL, 0);
    const tml_system *base = tml_model_system(m);
    tml_system *joints = NULL;
    OK(tmli_joint_space_create(base, true, INFINITY, &joints, err));
    for (int j = 0; j < base->n; j++)  // free, tip, arm, then the nodes of the beam
        assert_int_equal(base->part[j], j < 9 ? j - j % 3 : 3);
    int apart = 0;
    for (int j = 0; j < joints->n; j++) {
        assert_true(joints->part[j] <= j && joints->part[joints->part[j]] == joints->part[j]);
        const char *body = m->node[joints->node[j]].name;
        if (strcmp(body, "free") == 0) apart++;
        for (int k = 0; k < joints->n; k++)
            assert_int_equal(joints->part[j] == joints->part[k],
                             (strcmp(body, "free") == 0) ==
                                 (strcmp(m->node[joints->node[k]].name, "free") == 0));
    }
    assert_int_equal(apart, 3);
    tml_system_destroy(joints);
    tml_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(losses_are_bounded), cmocka_unit_test(at_rest),
                                       cmocka_unit_test(time_scales), cmocka_unit_test(parts_of_a_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
