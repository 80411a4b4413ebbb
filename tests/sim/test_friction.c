// Friction that sticks and slips: analytic times and motions, with every family of methods.
#include "sim_fixture.h"

static const char *const methods[] = {"genalpha", "bdf", "radau5", "for-sdirk", "ggl", "erk8", NULL};

// ---- a block driven by 8 cos t ----------------------------------------------------------------------------
//
// Mass 1, static force 6, force of slip 4. It slips in the direction s from a time b, when it is at rest:
//   v = 8 (sin t - sin b) - 4 s (t - b)
// until v = 0; it sticks until |8 cos t| = 6.

static const char driven[] = "planar: true\n"
                             "bodies: {block: {mass: 1, inertia: 1}}\n"
                             "joints: {guide: {type: prismatic, a: ground, b: block, axis: [1, 0]}}\n"
                             "forces:\n"
                             "  drive: {type: applied, at: block, force: [8*cos(t), 0]}\n"
                             "  rub: {type: friction, of: guide.distance, coulomb: 4, static: 6}\n"
                             "run: {end: 12, output_step: 0.1}\n";

static double slip_speed(double t, double b, double s) { return 8 * (sin(t) - sin(b)) - 4 * s * (t - b); }

// The times of all changes up to `end`, and the position there.
static int analytic_times(double end, double *time, double *x_end)
{
    const double pi = acos(-1), unlocked = acos(0.75);
    double b = 0, s = 1, x = 0;
    for (int count = 0;;) {
        double low = b + 0.5, high = b + 3;  // the block stops in between
        while (s * slip_speed(high, b, s) > 0) high += 0.1;
        for (int k = 0; k < 200; k++) {
            const double middle = (low + high) / 2;
            if (s * slip_speed(middle, b, s) > 0) low = middle;
            else high = middle;
        }
        const double stop = fmin(low, end);
        x += -8 * (cos(stop) - cos(b)) - 8 * sin(b) * (stop - b) - 2 * s * (stop - b) * (stop - b);
        if (low < end) time[count++] = low;
        // the next time at which |cos t| rises through 0.75
        double k = floor(low / pi) - 1;
        while (k * pi - unlocked <= low) k += 1;
        b = k * pi - unlocked;
        s = cos(b) > 0 ? 1 : -1;
        *x_end = x;
        if (low >= end || b >= end) return count;
        time[count++] = b;
    }
}

typedef struct watch {
    double mode, t, time[40];
    int count;
} watch;

// A step that ends at a change is followed by one in the new mode.
static tml_status look(const tml_sim *sim, double t, double h, void *user)
{
    watch *w = user;
    const double mode = tml_sim_state(sim)->mode[0];
    if (w->t > 0 && mode != w->mode && w->count < 40) w->time[w->count++] = t;
    w->mode = mode;
    w->t = t + h;
    return TML_OK;
}

static void driven_block(void **state)
{
    (void)state;
    double want[40], x_end;
    const int count = analytic_times(12, want, &x_end);
    assert_true(count >= 6);
    tml_model *model = text_model(driven);
    const bool brief = less_if_slow("all but the second method");
    for (int i = brief; methods[i] && i < (brief ? 2 : 100); i++) {
        tml_error err = {0};
        tml_run_def run = *tml_model_run(model);
        run.method = methods[i];
        run.tol = strcmp(methods[i], "genalpha") == 0 ? 1e-9 : 1e-12;
        tml_sim *sim = start_sim(model, &run);
        watch w = {0};
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = look, .user = &w});
        OK(tml_sim_run(sim, NAN, &err));
        double off = 0;
        assert_int_equal(w.count, count);
        for (int k = 0; k < count; k++) off = fmax(off, fabs(w.time[k] - want[k]));
        const double x = tml_sim_state(sim)->q[0];
        printf("%-10s times %.1e, end %.1e\n", methods[i], off, fabs(x - x_end));
        CHECK_SMALL(off, 1e-9);
        CHECK_CLOSE(x, x_end, 1e-8);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
}

// ---- a block on an incline --------------------------------------------------------------------------------

static tml_model *incline(double angle)
{
    char text[600];
    snprintf(text, sizeof text,
             "parameters: {a: %.17g}\n"
             "gravity: 9.81\n"
             "bodies: {block: {mass: 3, inertia: [1, 1, 1], position: [0.7, 0, 0.2],\n"
             "  orientation: {axis: [0, 1, 0], angle: a}}}\n"
             "joints: {guide: {type: prismatic, a: ground, b: block, point: [0.7, 0, 0.2],\n"
             "  axis: [cos(a), 0, -sin(a)]}}\n"
             "forces: {rub: {type: friction, of: guide.distance, coefficient: 0.5, load: 3*9.81*cos(a)}}\n"
             "run: {end: 1000, output_step: 10}\n",
             angle);
    return text_model(text);
}

// Below the angle of friction, atan 0.5, it does not move at all; above it slides.
static void block_on_incline(void **state)
{
    (void)state;
    const double limit = atan(0.5);
    for (int i = 0; methods[i]; i++) {
        tml_error err = {0};
        tml_model *model = incline(limit - 1e-6);
        tml_run_def run = *tml_model_run(model);
        run.method = methods[i];
        tml_sim *sim = start_sim(model, &run);
        double before[7];
        memcpy(before, tml_sim_state(sim)->q, sizeof before);
        OK(tml_sim_run(sim, NAN, &err));
        const tml_state *x = tml_sim_state(sim);
        printf("%-10s moved %g %g %g, speed %g\n", methods[i], x->q[0] - before[0], x->q[1] - before[1],
               x->q[2] - before[2], x->u[0]);
        for (int k = 0; k < 3; k++) assert_true(x->q[k] == before[k]);
        CHECK_CLOSE(tml_sim_time(sim), 1000, 0);
        tml_sim_destroy(sim);
        tml_model_destroy(model);
        model = incline(limit + 0.1);
        run.end = 2;
        run.output_step = 0.1;
        run.tol = 1e-9;
        sim = start_sim(model, &run);
        OK(tml_sim_run(sim, NAN, &err));
        const double a = limit + 0.1, way = 9.81 * (sin(a) - 0.5 * cos(a)) * 2;
        CHECK_CLOSE((tml_sim_state(sim)->q[0] - 0.7) / cos(a), way, 1e-8);
        tml_sim_destroy(sim);
        tml_model_destroy(model);
    }
}

// ---- LuGre ------------------------------------------------------------------------------------------------

// Stick-slip of a block on a spring that is pulled at 0.1 m/s (Canudas de Wit et al. 1995). The position,
// speed and bristles after 25 s are those of an extrapolation method with steps of 1e-5 s.
static void lugre(void **state)
{
    (void)state;
    static const char *const names[] = {"bdf", "radau5", "for-sdirk", NULL};
    tml_model *model = text_model("planar: true\n"
                                  "bodies: {block: {mass: 1, inertia: 1}}\n"
                                  "joints:\n"
                                  "  guide: {type: prismatic, a: ground, b: block, axis: [1, 0],\n"
                                  "    force: 2*(0.1*t - value),\n"
                                  "    friction: {law: lugre, coulomb: 1, static: 1.5, stribeck: 1e-3,\n"
                                  "      viscous: 0.4, bristle_stiffness: 1e5, bristle_damping: sqrt(1e5)}}\n"
                                  "run: {end: 25, output_step: 1, tol: 1e-9}\n");
    for (int i = 0; names[i]; i++) {
        tml_error err = {0};
        tml_run_def run = *tml_model_run(model);
        run.method = names[i];
        tml_sim *sim = start_sim(model, &run);
        OK(tml_sim_run(sim, NAN, &err));
        const tml_state *x = tml_sim_state(sim);
        printf("%-10s x %.1e v %.1e z %.1e\n", names[i], x->q[0] - 1.908839199220031,
               x->u[0] - 9.4241545908e-6, x->z[0] - 1.181679545600e-5);
        CHECK_CLOSE(x->q[0], 1.908839199220031, 1e-8);
        CHECK_CLOSE(x->u[0], 9.4241545908e-6, 1e-8);
        CHECK_CLOSE(x->z[0], 1.181679545600e-5, 1e-8);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
}

// ---- several joints ---------------------------------------------------------------------------------------

static const char pendulum[] =
    "planar: true\n"
    "gravity: 9.81\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 0.1, position: [0.5, 0], frames: {l: [-0.5, 0], r: [0.5, 0]}}\n"
    "  b: {mass: 1, inertia: 0.1, position: [1.5, 0], frames: {l: [-0.5, 0]}}\n"
    "joints:\n"
    "  p: {type: revolute, a: ground, b: a.l, friction: {coulomb: 2, static: 2.5, stribeck: 0.1}}\n"
    "  q: {type: revolute, a: a.r, b: b.l, friction: {coulomb: 1, static: 1.2}}\n"
    "run: {end: 20, output_step: 0.1}\n";

// A double pendulum comes to rest where friction holds it; all methods agree, energy is balanced.
static void double_pendulum(void **state)
{
    (void)state;
    static const char *const names[] = {"energy.kinetic", "energy.potential",  "energy.dissipated", "p.angle",
                                        "q.angle",        "p_friction.sticks", "q_friction.sticks", NULL};
    tml_model *model = text_model(pendulum);
    for (int i = 0; methods[i]; i++) {
        tml_error err = {0};
        tml_run_def run = *tml_model_run(model);
        run.method = methods[i];
        run.tol = i == 0 ? 1e-5 : 1e-7;
        tml_sim *sim = start_sim(model, &run);
        record *r = record_new(sim, names);
        OK(tml_sim_run(sim, NAN, &err));
        const double *first = r->value[0], *last = r->value[r->rows - 1];
        CHECK_CLOSE(last[3], -1.4721764882, 2e-6);
        CHECK_CLOSE(last[4], -0.0907454860, 2e-6);
        assert_true(last[5] == 1 && last[6] == 1 && last[0] < 1e-20);
        CHECK_SMALL(last[0] + last[1] + last[2] - first[0] - first[1] - first[2], 1e-4);
        assert_true(r->value[r->rows / 2][3] == last[3]);  // it has not crept
        record_free(r);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
}

// A saved simulation goes on with the same bits, from a state in which one joint sticks.
static void saved(void **state)
{
    (void)state;
    tml_model *model = text_model(pendulum);
    for (int i = 0; methods[i]; i++) {
        tml_error err = {0};
        tml_run_def run = *tml_model_run(model);
        run.method = methods[i];
        run.tol = 1e-4;
        run.end = 6;
        tml_sim_def def = tml_sim_def_default();
        def.model = model;
        def.run = &run;
        tml_sim *sim = NULL, *second = NULL;
        OK(tml_sim_create_def(&def, &sim, &err));
        OK(tml_sim_run(sim, 2.3, &err));
        size_t size = 0;
        OK(tml_sim_save_memory(sim, NULL, 0, &size, &err));
        void *data = malloc(size);
        assert_non_null(data);
        OK(tml_sim_save_memory(sim, data, size, &size, &err));
        OK(tml_sim_load_memory(&def, data, size, &second, &err));
        free(data);
        OK(tml_sim_run(sim, NAN, &err));
        OK(tml_sim_run(second, NAN, &err));
        if (state_hash(tml_sim_state(sim)) != state_hash(tml_sim_state(second)))
            fail_msg("%s goes on in another way", methods[i]);
        tml_sim_destroy(sim);
        tml_sim_destroy(second);
    }
    tml_model_destroy(model);
}

// Where a driver prescribes all motion friction cannot stick; it reverses with the motion.
static void driven_motion(void **state)
{
    (void)state;
    static const char *const names[] = {"motor.multiplier", "rub.sticks", NULL};
    tml_model *model =
        text_model("planar: true\n"
                   "bodies: {block: {mass: 2, inertia: 1}}\n"
                   "joints:\n"
                   "  guide: {type: prismatic, a: ground, b: block, axis: [1, 0]}\n"
                   "  motor: {type: driver, of: guide.distance, motion: 0.1*sin(t)}\n"
                   "forces: {rub: {type: friction, of: guide.distance, coulomb: 4, static: 5}}\n"
                   "run: {end: 10, output_step: 0.1}\n");
    for (int i = 0; methods[i]; i++) {
        tml_error err = {0};
        tml_run_def run = *tml_model_run(model);
        run.method = methods[i];
        run.tol = 1e-6;
        tml_sim *sim = start_sim(model, &run);
        record *r = record_new(sim, names);
        OK(tml_sim_run(sim, NAN, &err));
        for (int k = 0; k < r->rows; k++) {
            const double t = r->t[k], want = 0.2 * sin(t) - (cos(t) > 0 ? 4 : -4);
            CHECK_CLOSE(r->value[k][0], want, 1e-9);
            assert_true(r->value[k][1] == 0);
        }
        assert_true(tml_sim_state(sim)->mode[0] == -TML_SWITCH_DRIVEN);
        record_free(r);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
}

// ---- springs and limits of joints -------------------------------------------------------------------------

// A slide with a spring oscillates with sqrt(k/m); backlash: it coasts through the gap; a limit without
// damping throws it back with its speed.
static void springs_and_limits(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        double period;
    } cases[] = {
        {"stiffness: 50, free: 0", 2 * 3.14159265358979323846 / 5},
        // half periods on both sides, and twice the gap of 0.2 m at the speed 5 (1 - 0.1) m/s
        {"stiffness: 50, free: 0, backlash: 0.2", 2 * 3.14159265358979323846 / 5 + 2 * 0.2 / 4.5},
        // pushed by 4 N to a limit at x = 0 from 1 m: falls and rises in 1 s each
        {"force: -4, limits: {lower: 0, stiffness: 2e6}", 2},
    };
    for (int c = 0; c < 3; c++)
        for (int i = 0; methods[i]; i++) {
            char text[700];
            tml_error err = {0};
            snprintf(text, sizeof text,
                     "planar: true\n"
                     "bodies: {block: {mass: 2, inertia: 1, position: [1, 0]}}\n"
                     "joints: {guide: {type: prismatic, a: ground, b: block, axis: [1, 0], %s}}\n"
                     "run: {end: %.17g, output_step: %.17g, tol: 1e-8}\n",
                     cases[c].keys, cases[c].period, cases[c].period);
            // guide.distance is measured from the ground: 1 m at the start
            tml_model *model = text_model(text);
            tml_run_def run = *tml_model_run(model);
            run.method = methods[i];
            if (i == 0) run.tol = 1e-7;
            tml_sim *sim = start_sim(model, &run);
            OK(tml_sim_run(sim, NAN, &err));
            const double x = tml_sim_state(sim)->q[0], v = tml_sim_state(sim)->u[0];
            // at the limit: half a vibration, pi sqrt(m/k) = 3.1 ms, is missing to the full period
            const double late = c == 2 ? 3.14159265358979323846 * sqrt(2 / 2e6) : 0;
            CHECK_CLOSE(x, 1 - late * late, c == 2 ? 2e-4 : 1e-6);
            CHECK_CLOSE(v, 2 * late, c == 2 ? 1e-3 : 1e-5);
            tml_sim_destroy(sim);
            tml_model_destroy(model);
        }
}

static void refuse(const char *lines, const char *message)
{
    char text[900];
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    snprintf(text, sizeof text,
             "bodies:\n"
             "  arm: {mass: 1, inertia: [1, 1, 1]}\n%s",
             lines);
    tml_status st = tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st == TML_OK || !strstr(err.msg, message) || err.line == 0)
        fail_msg("expected '%s', found '%s' in line %d", message, err.msg, err.line);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

static void mistakes(void **state)
{
    (void)state;
#define PIN "joints: {pin: {type: revolute, a: ground, b: arm, "
    refuse(PIN "friction: {coefficient: 0.3}}}\n", "a coefficient without a load");
    refuse(PIN "friction: {coefficient: 0.3, load: 5}}}\n", "give the 'radius'");
    refuse(PIN "friction: {viscous: 0.3}}}\n", "has no force");
    refuse(PIN "friction: {coulomb: -1}}}\n", "'coulomb' is -1, expected a number >= 0");
    refuse(PIN "friction: {coulomb: 2, static: 1}}}\n", "less than that of slip");
    refuse(PIN "friction: {law: lugre, coulomb: 1}}}\n", "needs 'bristle_stiffness'");
    refuse(PIN "friction: {law: regularized, coulomb: 1}}}\n", "needs 'creep'");
    refuse(PIN "friction: {law: coulomb, coulomb: 1, creep: 1}}}\n", "belongs to the law regularized");
    refuse(PIN "friction: {law: columb, coulomb: 1}}}\n", "coulomb");
    refuse(PIN "friction: {colomb: 1}}}\n", "is it 'coulomb'?");
    refuse(PIN "friction: 3}}\n", "expected a map");
    refuse(PIN "limits: {lower: 1, upper: 0, stiffness: 5}}}\n", "is not below the upper");
    refuse(PIN "limits: {stiffness: 5}}}\n", "neither 'lower' nor 'upper'");
    refuse(PIN "limits: {lower: 1}}}\n", "neither 'stiffness' (compliant) nor 'restitution' (rigid)");
    refuse(PIN "backlash: 0.1}}\n", "'backlash' belongs to a spring");
    refuse(PIN "force: 3}}\n", "'force' does not apply to a revolute joint");
    refuse(PIN "torque: 3*x}}\n", "unknown name 'x'");
    refuse("joints: {ball: {type: spherical, a: ground, b: arm, friction: {coulomb: 1}}}\n",
           "'friction' does not apply to a spherical joint");
    refuse("forces: {rub: {type: friction, of: arm, coulomb: 1}}\n", "arm");
    refuse("forces: {s: {type: coordinate, of: arm.x, lower: 0}}\n", "without 'limit_stiffness'");
    refuse(PIN "axis: [0, 0, 1]}}\n"
               "forces: {twist: {type: torsion, a: ground.f, b: arm, stiffness: 1}}\n"
               "ground: {frames: {f: {orientation: {axis: [1, 0, 0], angle: 90 deg}}}}\n",
           "across the axis");
#undef PIN
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(driven_block),  cmocka_unit_test(block_on_incline),
                                       cmocka_unit_test(lugre),         cmocka_unit_test(double_pendulum),
                                       cmocka_unit_test(saved),         cmocka_unit_test(springs_and_limits),
                                       cmocka_unit_test(driven_motion), cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
