// Switches: jumps and kinks of forces and motions are located, and cost neither accuracy nor rejected steps.
#include "sim_fixture.h"

#include <math.h>

typedef struct ending {
    double x, y, vx, vy;  // of body b
    tml_sim_report report;
    int warnings;
} ending;

static void count_warning(tml_log_level level, const char *text, void *user)
{
    (void)text;
    *(int *)user += level == TML_LOG_WARNING;
}

// Run a model with a body b to its end. method: NULL for the choice by the model.
static ending run_by(const char *method, const char *text, double tol, double step)
{
    ending e = {0};
    tml_error err = {0};
    tml_spec *spec = NULL;
    const tml_env env = {.log = count_warning, .user = &e.warnings};
    OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, &env, &spec, &err));
    tml_model *m = model_of(spec);
    tml_run_def run = *tml_model_run(m);
    run.method = method;
    run.tol = tol;
    run.step = step;
    tml_sim *sim = start_sim(m, &run);
    OK(tml_sim_run(sim, NAN, &err));
    const tml_state *x = tml_sim_state(sim);
    e.x = x->q[0], e.y = x->q[1], e.vx = x->u[0], e.vy = x->u[1];
    tml_sim_get_report(sim, &e.report);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
    return e;
}

static ending run_text(const char *text, double tol, double step) { return run_by(NULL, text, tol, step); }

static const char *const METHODS[] = {"genalpha", "bdf", "radau5"};

#define POINT "planar: true\nbodies: {b: {mass: 2, point: true, position: [0, 0]}}\n"
#define PUSH(fx, run) POINT "forces: {f: {type: applied, at: b, force: [\"" fx "\", 0]}}\nrun: {" run "}\n"

// ---- time -------------------------------------------------------------------------------------------------

// Forces that are piecewise constant in time are integrated exactly by every method of order 2, if no step
// crosses a jump.
static void switched_in_time(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double x, v;
        long switches;
    } cases[] = {
        {PUSH("if(t < 0.3, 0, 100)", "end: 1"), 12.25, 35, 1},
        {PUSH("if(t <= 0.3, 0, 100)", "end: 1"), 12.25, 35, 1},
        {PUSH("if(t > 0.3 and t < 0.3001, 1e4, 0)", "end: 1"), 0.349975, 0.5, 2},  // shorter than a step
        {PUSH("10*sign(sin(2*pi*5*t))", "end: 1"), 0.25, 0, 9},
        {PUSH("if(mod(floor(10*t), 2) == 0, 10, -10)", "end: 1"), 0.25, 0, 9},
        {PUSH("20*(mod(t, 0.2) < 0.1) - 10", "end: 1"), 0.25, 0, 9},
        {PUSH("10*sign(sin(2*pi*5000*t))", "end: 0.001, atol: 1e-9"), 2.5e-7, 0, 9},  // far less than 1 m
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int run = 0; run < 6; run++) {
            const bool fixed = run >= 3;
            const ending e =
                run_by(METHODS[run % 3], cases[i].text, 1e-3, fixed ? (i == 6 ? 1.7e-5 : 0.017) : 0);
            // round-off, and that of the times of the jumps: eps times the force
            if (fabs(e.x - cases[i].x) > 1e-12 * fmax(1, cases[i].x) || fabs(e.vx - cases[i].v) > 1e-11)
                fail_msg("case %zu: x off by %.3g, v by %.3g", i, e.x - cases[i].x, e.vx - cases[i].v);
            if (labs(e.report.switches - cases[i].switches) > 1)  // a jump at the very end may count
                fail_msg("case %zu: %ld switches", i, e.report.switches);
            assert_true(e.report.count.rejected_error + e.report.count.rejected_newton == 0);
            assert_int_equal(e.warnings, 0);
        }
}

// Three hundred short pulses: the search for the next one strides ahead by the derivatives of its margin and
// must not step over a pulse where they mislead (beyond an inflection).
static void many_pulses(void **state)
{
    (void)state;
    static const char text[] = PUSH("if(sin(2*pi*300*t) > 0.99, 1000, 0)", "end: 1");
    const double pi = acos(-1), width = 2 * acos(0.99) / (2 * pi * 300), kick = 1000 * width / 2;
    double x = 0;
    for (int i = 0; i < 300; i++) x += kick * (1 - (i + 0.25) / 300);
    for (int i = 0; i < 3; i++) {
        const ending e = run_by(METHODS[i], text, 1e-3, 0);
        assert_int_equal(e.report.switches, 600);
        CHECK_CLOSE(e.vx, 300 * kick, 1e-10);
        CHECK_CLOSE(e.x, x, 1e-10);
    }
}

// The row at a jump, and those around it, show the force that acts from there on.
static void rows_at_a_jump(void **state)
{
    (void)state;
    tml_model *m = text_model(PUSH("if(t < 0.3, 0, 100)", "end: 0.5, output_step: 0.1"));
    tml_sim *sim = start_sim(m, NULL);
    static const char *const names[] = {"b.vx", NULL};
    record *r = record_new(sim, names);
    tml_error err = {0};
    OK(tml_sim_run(sim, NAN, &err));
    assert_int_equal(r->rows, 6);
    for (int k = 0; k < 6; k++) {
        CHECK_CLOSE(r->t[k], 0.1 * k, 1e-15);
        CHECK_CLOSE(r->value[k][0], k < 3 ? 0 : 5.0 * (k - 3), 1e-13);
    }
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// A motor with kinks: the crank follows its motion, the impulse where the speed jumps is in the energy
// balance.
#define MOTOR(motion)                                                          \
    "planar: true\nbodies: {b: {mass: 2, inertia: 0.1, position: [0.5, 0]}}\n" \
    "joints:\n  pin: {type: revolute, a: ground, b: b, point: [0, 0]}\n"       \
    "  m: {type: driver, of: pin.angle, motion: \"" motion "\"}\nrun: {end: 1, tol: 1e-5}\n"
static void motors(void **state)
{
    (void)state;
    const ending e = run_text(MOTOR("step(t, 0.2, 0, 0.5, 1) + if(t < 0.7, 0, 2*(t - 0.7))"), 1e-5, 0);
    CHECK_CLOSE(e.x, 0.5 * cos(1.6), 1e-9);  // positions are held to solver tolerance
    CHECK_CLOSE(e.vx, -0.5 * 2 * sin(1.6), 1e-5);
    assert_int_equal(e.report.switches, 3);
    assert_true(e.report.energy_error < 1e-4 * e.report.energy_scale);  // the audit is trapezoidal
    tml_model *m = text_model(MOTOR("if(t < 0.7, 0, 0.2)"));
    tml_sim *sim = start_sim(m, NULL);
    tml_error err = {0};
    assert_int_equal(tml_sim_run(sim, NAN, &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "joint 'm': its motion jumps by 0.2 at t = 0.7 s"));
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// A stone that enters a layer near its highest point for a thousandth of the run, well within a step, and is
// thrown back: the margin is positive at all points looked at, but its parabola dips below zero between them.
static void a_short_visit(void **state)
{
    (void)state;
    static const char text[] =
        "planar: true\ngravity: 10\nbodies: {b: {mass: 2, point: true, velocity: [0, 4.473]}}\n"
        "forces: {f: {type: applied, at: b, force: [0, \"if(b.y > 1, -380, 0)\"]}}\nrun: {end: 1, "
        "output_step: 1}\n";
    const double v = sqrt(4.473 * 4.473 - 20);  // at the border
    const double left = 1 - (4.473 - v) / 10 - 2 * v / 200;
    const double y = 1 - v * left - 5 * left * left;
    for (int i = 0; i < 3; i++) {
        const ending e = run_by(METHODS[i], text, 1e-4, 0);
        printf("%-8s %ld switches, %ld steps, y off by %.1e\n", METHODS[i], e.report.switches,
               e.report.count.steps, e.y - y);
        assert_int_equal(e.report.switches, 2);
        CHECK_CLOSE(e.y, y, 1e-9);
    }
}

// A start on the border: on which side the body will be is told by its velocity, and nothing is left to
// locate.
#define ON_BORDER(vx)                                                            \
    "planar: true\nbodies: {b: {mass: 2, point: true, velocity: [" vx ", 0]}}\n" \
    "forces: {f: {type: applied, at: b, force: [\"if(b.x > 0, 10, 0)\", 0]}}\nrun: {end: 1}\n"
static void starts_on_the_border(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const ending there = run_by(METHODS[i], ON_BORDER("1"), 1e-3, 0);
        const ending back = run_by(METHODS[i], ON_BORDER("-1"), 1e-3, 0);
        assert_int_equal(there.report.switches, 0);
        assert_int_equal(back.report.switches, 0);
        CHECK_CLOSE(there.x, 3.5, 1e-12);
        CHECK_CLOSE(back.x, -1, 1e-12);
    }
}

// A velocity that a driver prescribes jumps: an impulse if it is more than a millionth of what moves.
static void jumps_of_fast_drivers(void **state)
{
    (void)state;
    static const double jump[] = {0.01, 30};
    for (int k = 0; k < 2; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "planar: true\nbodies: {b: {mass: 2, inertia: 1, velocity: [3e5, 0]}}\n"
                 "joints:\n  rail: {type: prismatic, a: ground, b: b, axis: [1, 0]}\n"
                 "  motor: {type: driver, of: rail.distance,\n"
                 "    motion: '3e5*t + if(t < 0.5, 0, %g*(t - 0.5))'}\nrun: {end: 1, tol: 1e-4}\n",
                 jump[k]);
        const ending e = run_text(text, 1e-4, 0);
        assert_int_equal(e.report.impulse_count, k);
    }
}

// The time of a start does not matter: a body on the border of a field, which pushes it on, starts at rest,
// or so slowly into the field that it would return at once without it.
static void any_time(void **state)
{
    (void)state;
    static const struct {
        double start, velocity, push, end;
    } all[] = {{0, 0, 3, 3.25},   {0, 0, -3, -0.75},   {0, 1e-4, -3, 1.7501},
               {1e5, 0, 3, 3.25}, {1e5, 0, -3, -0.75}, {1e5, 1e-4, -3, 1.7501}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "planar: true\nbodies: {b: {mass: 2, point: true, velocity: [%g, 0]}}\n"
                 "forces: {f: {type: applied, at: b, force: ['%g + if(b.x > 0, 10, 0)', 0]}}\n"
                 "run: {start: %g, end: %g}\n",
                 all[k].velocity, all[k].push, all[k].start, all[k].start + 1);
        const ending e = run_text(text, 1e-4, 0);
        assert_int_equal(e.report.switches, 0);
        CHECK_CLOSE(e.x, all[k].end, 1e-9);  // the time has an error of 1e-11 s
    }
}

// ---- contact ----------------------------------------------------------------------------------------------

enum { K = 2000000000 };
static const double G = 9.81, MASS = 4, DROP = 0.5;

// A ball dropped onto a one-sided spring: free flight and half periods of an oscillator, in turn. y and v at
// time T.
static void bounce(double T, double *y, double *v)
{
    const double w = sqrt(K / MASS), rest = -G * MASS / K;
    double t = 0, y0 = DROP, v0 = 0;
    for (;;) {
        const double flight = (v0 + sqrt(v0 * v0 + 2 * G * y0)) / G;
        if (t + flight >= T) {
            const double d = T - t;
            *y = y0 + v0 * d - G * d * d / 2;
            *v = v0 - G * d;
            return;
        }
        t += flight;
        v0 = -(G * flight - v0);
        // y = rest - rest cos s + v0/w sin s is 0 again at tan(s/2) = -v0/(w rest)
        t += (2 * atan2(v0 / w, -rest) + 2 * acos(-1.0)) / w;
        v0 = -v0;
        y0 = 0;
    }
}

static void falling_ball(void **state)
{
    (void)state;
    static const char *const text =
        "planar: true\ngravity: 9.81\n"
        "bodies: {b: {mass: 4, point: true, position: [0, 0.5]}}\n"
        "forces: {stop: {type: applied, at: b, force: [0, \"if(b.y < 0, -2e9*b.y, 0)\"]}}\n"
        "run: {end: 1.5}\n";
    double y, v;
    bounce(1.5, &y, &v);
    for (int i = 0; i < 8; i++) {
        const double tol = pow(10, -3 - i / 2);
        const ending e = run_by(i % 2 ? "genalpha" : NULL, text, tol, 0);
        const tml_sim_report *r = &e.report;
        if (fabs(e.y - y) > 0.1 * tol || fabs(e.vy - v) > 0.3 * tol)  // lengths 0.5 m, speeds 3 m/s
            fail_msg("tol %g: y off by %.3g, v by %.3g", tol, e.y - y, e.vy - v);
        assert_int_equal(r->switches, 4);
        assert_true(r->count.rejected_error + r->count.rejected_newton <= 4);
        assert_true(r->h_min < 1e-5 * r->h_max);  // it falls that far and recovers
        assert_true(fabs(r->energy_error) < 1e-3 * r->energy_scale);
        assert_int_equal(e.warnings, 0);
    }
}

// The power 1.5 has no value beyond the border; a damper makes the force jump at the begin of contact.
static void contact_laws(void **state)
{
    (void)state;
    static const char *const laws[] = {"if(b.y < 0, 1e8*(-b.y)^1.5, 0)", "1e8*max(0, -b.y)^1.5",
                                       "1e8*clamp(-b.y, 0, 1)^1.5"};
    double y[3];
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "planar: true\ngravity: 9.81\nbodies: {b: {mass: 2, point: true, position: [0, 0.1]}}\n"
                 "forces: {f: {type: applied, at: b, force: [0, \"%s\"]}}\nrun: {end: 0.4}\n",
                 laws[i]);
        const ending e = run_text(text, 1e-4, 0);
        y[i] = e.y;
        assert_int_equal(e.report.switches, 2);
        assert_true(e.report.energy_error < 1e-4 * e.report.energy_scale);
    }
    CHECK_CLOSE(y[1], y[0], 1e-9);  // one and the same force
    CHECK_CLOSE(y[2], y[0], 1e-9);
}

// ---- roads ------------------------------------------------------------------------------------------------

// A wheel without gravity, pulled over a bump and driven: the tyre of a road against the same forces by
// expressions.
static void rolling_over_a_bump(void **state)
{
    (void)state;
    static const char *const tyre =
        "planar: true\ngravity: 9.81\nbodies: {b: {mass: 20, point: true, position: [0, 0.45], velocity: [4, "
        "0]}}\n"
        "roads: {way: {type: bump, diameter: 0.1, position: 1.1}}\n"
        "forces: {tyre: {type: tyre, at: b, road: way, radius: 0.47, stiffness: 2e4, damping: 300%s}}\n"
        "run: {end: 0.6}\n";
    static const char *const written =
        "planar: true\ngravity: 9.81\nbodies: {b: {mass: 20, point: true, position: [0, 0.45], velocity: [4, "
        "0]}}\n"
        "forces: {f: {type: applied, at: b, force: [0, \"%s\"]}}\nrun: {end: 0.6}\n";
#define ON "abs(b.x - 1.1) < sqrt(0.05*0.99)"
#define ROOT "sqrt(0.52^2 - (b.x - 1.1)^2)"
#define LINEAR                                                                    \
    "if(" ON ", 2e4*(" ROOT " - b.y) + 300*(-(b.x - 1.1)/" ROOT "*b.vx - b.vy), " \
    "2e4*(0.47 - b.y) - 300*b.vy)"
#define LIFTS "if(b.y < if(" ON ", " ROOT ", 0.47), max(0, " LINEAR "), 0)"
    for (int i = 0; i < 6; i++) {
        char a[900], b[900];
        const bool lifts = i % 2;
        snprintf(a, sizeof a, tyre, lifts ? "" : ", contact: false");
        snprintf(b, sizeof b, written, lifts ? LIFTS : LINEAR);
        const ending x = run_by(METHODS[i / 2], a, 1e-7, 0), y = run_by(METHODS[i / 2], b, 1e-7, 0);
        CHECK_CLOSE(x.y, y.y, 1e-7);  // two runs of tolerance 1e-7 in lengths of 0.7 m
        CHECK_CLOSE(x.vy, y.vy, 1e-6);
        assert_true(x.vx == 4);
        assert_true(x.report.switches >= (lifts ? 5 : 2));
        // genalpha flies in one step, over which the trapezoidal rule adds up the power of the tyre that
        // springs back
        assert_true(fabs(x.report.energy_error) < (i / 2 == 0 ? 1e-3 : 1e-6) * x.report.energy_scale);
        assert_int_equal(x.warnings, 0);
    }
}

// Along the normal a road without dampers takes no energy: the wheel is slower on the bump and as fast after
// it.
static void normal_forces(void **state)
{
    (void)state;
    static const char *const text =
        "planar: true\nbodies: {b: {mass: 20, point: true, position: [0, 0.47], velocity: [2, 0]}}\n"
        "roads: {way: {type: step, height: 0.05, position: 0.4}}\n"
        "forces: {tyre: {type: tyre, at: b, road: way, radius: 0.47, stiffness: 2e4, contact: false, along: "
        "normal}}\n"
        "run: {end: 0.5}\n";
    const ending e = run_text(text, 1e-7, 0);
    const double c = 0.52 - e.y;  // compression at the end; all energy was kinetic at the start
    CHECK_CLOSE(10 * (e.vx * e.vx + e.vy * e.vy) + 1e4 * c * c, 40,
                1e-4);  // 1e-7 relative, times a few switches
    assert_true(e.vx < 1.99);
    assert_true(fabs(e.report.energy_error) < 1e-6 * e.report.energy_scale);
}

// A smooth but sharp penalty needs no switch: the step falls and recovers by its error alone.
static void smooth_penalty(void **state)
{
    (void)state;
    const ending e =
        run_text("planar: true\ngravity: 9.81\nbodies: {b: {mass: 4, point: true, position: [0, 0.5]}}\n"
                 "forces: {f: {type: applied, at: b, force: [0, \"1e9*(sqrt(b.y^2 + 1e-12) - b.y)\"]}}\nrun: "
                 "{end: 1}\n",
                 1e-4, 0);
    assert_int_equal(e.report.switches, 0);
    assert_true(e.report.h_min < 1e-4 * e.report.h_max);
    assert_true(e.report.energy_error < 1e-3 * e.report.energy_scale);
    // no losses: the height it would reach; its own error adds to the audit's
    CHECK_CLOSE(e.vy * e.vy / (2 * 9.81) + e.y, 0.5, 1e-4);
}

// A saturated spring: x - 1 swings with a force cut at 50 N. With energy conserved the speed at its middle is
// known.
static void saturation(void **state)
{
    (void)state;
    const ending e = run_text(PUSH("-clamp(400*(b.x - 1), -50, 50)", "end: 3"), 1e-6, 0);
    // potential: 50 (|s| - 1/16) beyond s = 1/8, 200 s^2 within; at the start s = -1
    const double s = fabs(e.x - 1), v2 = e.vx * e.vx;
    CHECK_CLOSE(v2 + (s > 0.125 ? 50 * (s - 0.0625) : 200 * s * s), 50 * (1 - 0.0625), 2e-4);
    assert_true(e.report.switches >= 8);
    assert_true(e.report.count.rejected_error == 0);
}

// ---- what has no end --------------------------------------------------------------------------------------

// Motion that slides along a jump: y + v -> 0 and stays, y falls as exp(-t). One warning, and it gets there.
static void sliding(void **state)
{
    (void)state;
    const ending e =
        run_text("planar: true\nbodies: {b: {mass: 2, point: true, position: [0, 1]}}\n"
                 "forces: {f: {type: applied, at: b, force: [0, \"if(b.y + b.vy > 0, -10, 10)\"]}}\n"
                 "run: {end: 4}\n",
                 1e-4, 0);
    assert_int_equal(e.warnings, 1);
    assert_true(e.report.count.steps < 5000);
    // y = 1 - 2.5 t^2 until y + v = 0 at t1, then y1 exp(-(t - t1))
    const double t1 = -1 + sqrt(1 + 0.4), y1 = 1 - 2.5 * t1 * t1;
    CHECK_CLOSE(e.y, y1 * exp(t1 - 4), 1e-4);
    CHECK_CLOSE(e.vy, -e.y, 1e-4);
}

// Dry friction that holds at first: it breaks loose at 10 sin(3 t) = 6 and slides.
static void dry_friction(void **state)
{
    (void)state;
    const double t1 = asin(0.6) / 3;
    const double v = (10.0 / 3 * (cos(3 * t1) - cos(1.5)) - 6 * (0.5 - t1)) / 2;
    for (int i = 0; i < 3; i++) {
        const ending e = run_by(METHODS[i], PUSH("10*sin(3*t) - 6*sign(b.vx)", "end: 0.5"), 1e-4, 0);
        CHECK_CLOSE(e.vx, v, 3e-4);  // creep while it holds: the width of the softened jump
        assert_true(e.report.count.steps < 5000);
    }
}

// ---- the option, and single steps -------------------------------------------------------------------------

// An on-off brake behind an actuator with a lag of 1 us: it overshoots zero, back and forth, ever faster, but
// never in no time. It stops at 0.020121 s, by 0.1 - 5 t + (1 - cos(3 t))/3 = 0, and rests from there on.
static void lagging_brake(void **state)
{
    (void)state;
    const char *const methods[] = {"radau5", "bdf"};
    for (int i = 0; i < 2; i++) {
        tml_model *m;
        tml_sim *sim = sim_of_text("planar: true\n"
                                   "bodies: {b: {mass: 1, inertia: 1, velocity: [0.1, 0]}}\n"
                                   "joints: {rail: {type: prismatic, a: ground, b: b, axis: [1, 0]}}\n"
                                   "states: {y: {rate: (-sign(b.vx) - y)/1e-6}}\n"
                                   "forces: {f: {type: applied, at: b, force: [5*y + sin(3*t), 0]}}\n"
                                   "run: {end: 1}\n",
                                   methods[i], 0, &m);
        tml_error err = {0};
        for (int k = 0; k < 5000 && tml_sim_time(sim) < 1; k++) OK(tml_sim_step(sim, 1, &err));
        assert_true(tml_sim_time(sim) == 1);
        CHECK_CLOSE(tml_sim_state(sim)->q[0], 0.0010040357, 1e-6);
        CHECK_SMALL(tml_sim_state(sim)->u[0], 1e-5);
        end_sim(sim, m);
    }
}

static void switched_off(void **state)
{
    (void)state;
    const ending e = run_text(PUSH("if(t < 0.3, 0, 100)", "end: 1, switches: false"), 1e-4, 0);
    assert_int_equal(e.report.switches, 0);
    assert_true(e.report.count.rejected_error > 0);
    CHECK_CLOSE(e.x, 12.25, 1e-2);
}

// Steps by the caller end at the switch, too; modes are copied with the state.
static void single_steps(void **state)
{
    (void)state;
    tml_model *m = text_model(PUSH("if(t < 0.3, 0, 100)", "end: 1"));
    tml_sim *sim = start_sim(m, NULL);
    tml_error err = {0};
    bool hit = false;
    for (double t = 0; t < 1; t = tml_sim_time(sim)) {
        OK(tml_sim_step(sim, 1, &err));
        assert_true(t >= 0.3 || tml_sim_time(sim) <= 0.3);
        hit = hit || tml_sim_time(sim) == 0.3;
    }
    assert_true(hit);
    const tml_state *x = tml_sim_state(sim);
    tml_state *copy = NULL;
    OK(tml_state_create(tml_sim_system(sim), &copy, &err));
    tml_state_copy(copy, x);
    assert_int_equal(copy->nmode, 1);
    assert_true(copy->mode[0] == x->mode[0] && x->mode[0] != 0);
    tml_state_destroy(copy, tml_sim_system(sim));
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// Steps that end at the ticks of a controller are sampled at their ends only: a carriage between stops meets
// them at the same times as in steps of the method's own size.
static void in_ticks(void **state)
{
    (void)state;
    const char *text = "bodies: {mass: {mass: 2.3, inertia: 0.1, position: [0, 0, 1.37]}}\n"
                       "gravity: 9.81\n"
                       "joints: {guide: {type: prismatic, a: ground, b: mass, axis: [0, 0, 1]}}\n"
                       "forces: {stop: {type: applied, at: mass, force: [0, 0, \"if(mass.z < 0.2, 4e4*(0.2 - "
                       "mass.z), 0)\"]}}\n"
                       "run: {end: 2, tol: 1e-7, method: radau5, kinematics: joints}\n";
    tml_model *m = text_model(text);
    tml_sim *free = start_sim(m, NULL), *ticks = start_sim(m, NULL);
    tml_error err = {0};
    tml_sim_report a, b;
    OK(tml_sim_run(free, NAN, &err));
    for (int i = 1; i <= 2000; i++)
        while (tml_sim_time(ticks) < 1e-3 * i) OK(tml_sim_step(ticks, 1e-3 * i, &err));
    tml_sim_get_report(free, &a);
    tml_sim_get_report(ticks, &b);
    assert_true(a.switches == 4 && b.switches == 4);                           // two bounces
    CHECK_CLOSE(tml_sim_state(ticks)->q[2], tml_sim_state(free)->q[2], 1e-5);  // a hundred tolerances
    tml_sim_destroy(free);
    tml_sim_destroy(ticks);
    tml_model_destroy(m);
}

// An event of the run on a step that a switch cuts short, before and after it.
static void with_events(void **state)
{
    (void)state;
    static const double at[] = {0.25, 0.35};
    for (int i = 0; i < 2; i++) {
        char text[600];
        snprintf(text, sizeof text, "%sevents: {e: {when: t - %g}}\n", PUSH("if(t < 0.3, 0, 100)", "end: 1"),
                 at[i]);
        tml_model *m = text_model(text);
        tml_sim *sim = start_sim(m, NULL);
        tml_error err = {0};
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_CLOSE(tml_sim_time(sim), at[i], 1e-15);
        OK(tml_sim_run(sim, NAN, &err));  // on from there
        CHECK_CLOSE(tml_sim_state(sim)->q[0], 12.25, 1e-12);
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(switched_in_time),
                                       cmocka_unit_test(many_pulses),
                                       cmocka_unit_test(a_short_visit),
                                       cmocka_unit_test(starts_on_the_border),
                                       cmocka_unit_test(jumps_of_fast_drivers),
                                       cmocka_unit_test(any_time),
                                       cmocka_unit_test(rows_at_a_jump),
                                       cmocka_unit_test(motors),
                                       cmocka_unit_test(falling_ball),
                                       cmocka_unit_test(contact_laws),
                                       cmocka_unit_test(rolling_over_a_bump),
                                       cmocka_unit_test(normal_forces),
                                       cmocka_unit_test(smooth_penalty),
                                       cmocka_unit_test(saturation),
                                       cmocka_unit_test(sliding),
                                       cmocka_unit_test(dry_friction),
                                       cmocka_unit_test(lagging_brake),
                                       cmocka_unit_test(switched_off),
                                       cmocka_unit_test(single_steps),
                                       cmocka_unit_test(in_ticks),
                                       cmocka_unit_test(with_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
