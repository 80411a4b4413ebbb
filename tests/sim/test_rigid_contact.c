// Rigid contacts of shapes: bounces, rest and release, impacts of spheres, random throws, mistakes.
#include "bounces.h"

static void thirty_bounces_then_rest(void **state)
{
    (void)state;
    const bool less = less_if_slow("seven of nine methods");
    for (int i = 0; methods[i] && !(less && i > 1); i++)
        bounce_to_rest("gravity: 9.81\n"
                       "bodies: {ball: {mass: 1.3, inertia: 0.01, position: [0, 0, 1.1],\n"
                       "                velocity: [0.3, 0, 0], angular_velocity: [1, 2, 3]}}\n"
                       "shapes: {ball: {type: sphere, radius: 0.1}, floor: {type: plane, at: ground}}\n"
                       "contacts: {hit: {a: ball, b: floor, law: rigid, restitution: 0.8}}\n"
                       "run: {end: 6, output_step: 0.01}\n",
                       methods[i], 2, 0.1, "hit.force");
}

// A capsule lies on the ground with both ends until a lift at one of them passes half its weight.
static void release(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model;
    tml_sim *sim =
        sim_of_text("planar: true\n"
                    "gravity: 9.81\n"
                    "bodies: {rod: {mass: 1.3, inertia: 0.1, position: [0, 0.1], frames: {end: [0.4, 0]}}}\n"
                    "shapes: {rod: {type: capsule, radius: 0.1, length: 0.8},\n"
                    "         floor: {type: plane, at: ground}}\n"
                    "contacts: {support: {a: rod, b: floor, law: rigid, restitution: 0.3}}\n"
                    "forces: {lift: {type: applied, at: rod.end, force: [0, 2*t]}}\n"
                    "run: {end: 4, tol: 1e-8}\n",
                    NULL, 0, &model);
    const double due = 1.3 * G / 2 / 2;  // 2 t = m g/2
    OK(tml_sim_run(sim, due - 1e-6, &err));
    assert_true(channel_value(sim, "support.points") == 2);
    CHECK_CLOSE(channel_value(sim, "support.force"), 1.3 * G - 2 * (due - 1e-6), 1e-9);
    assert_true(tml_sim_state(sim)->q[1] == 0.1);
    OK(tml_sim_run(sim, due + 1e-3, &err));
    assert_true(channel_value(sim, "support.points") == 1);
    OK(tml_sim_run(sim, 3.4, &err));  // it turns about the other end
    CHECK_SMALL(channel_value(sim, "support.gap"), 1e-8);
    assert_true(tml_sim_state(sim)->q[1] > 0.1);
    assert_int_equal(report_of(sim).impact_count, 0);
    end_sim(sim, model);
}

// An oblique impact of two free spheres: the velocities along the line of centres exchange an impulse
// (1 + e) m v/..., those across do not change.
static void two_spheres(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model;
    tml_sim *sim = sim_of_text("bodies:\n"
                               "  a: {mass: 0.7, inertia: 0.01, velocity: [2, 0, 0]}\n"
                               "  b: {mass: 1.9, inertia: 0.02, position: [1, 0.12, 0.05]}\n"
                               "shapes: {a: {type: sphere, radius: 0.1}, b: {type: sphere, radius: 0.15}}\n"
                               "contacts: {hit: {a: a, b: b, law: rigid, restitution: 0.6}}\n"
                               "run: {end: 1, tol: 1e-9}\n",
                               NULL, 0, &model);
    OK(tml_sim_run(sim, 1, &err));
    const double across = 0.12 * 0.12 + 0.05 * 0.05, along = sqrt(0.25 * 0.25 - across);
    const double n[3] = {along / 0.25, 0.12 / 0.25, 0.05 / 0.25};
    const double impulse = 1.6 * 2 * n[0] / (1 / 0.7 + 1 / 1.9), meet = (1 - along) / 2;
    const double *q = tml_sim_state(sim)->q, *u = tml_sim_state(sim)->u;
    for (int k = 0; k < 3; k++) {
        const double va = (k == 0 ? 2 : 0) - impulse * n[k] / 0.7, vb = impulse * n[k] / 1.9;
        CHECK_CLOSE(u[k], va, 1e-9);
        CHECK_CLOSE(u[6 + k], vb, 1e-9);
        CHECK_CLOSE(q[k], (k == 0 ? 2 * meet : 0) + va * (1 - meet), 1e-9);
    }
    assert_int_equal(report_of(sim).impact_count, 1);
    end_sim(sim, model);
}

// Boxes, capsules and spheres thrown at random on the ground: the energy never grows, nothing sinks in, the
// corners come to rest one by one, and no run hangs.
static void thrown(void **state)
{
    (void)state;
    rng r = rng_seed(23);
    static const char *const shape[] = {"box, size: [0.3, 0.2]", "capsule, radius: 0.07, length: 0.2",
                                        "sphere, radius: 0.1", "box, size: [0.3, 0.2, 0.15]"};
    const int runs = less_if_slow("random throws") ? 3 : 18;
    for (int i = 0; i < runs; i++) {
        tml_error err = {0};
        tml_model *model;
        char text[900];
        double x[7];
        for (int k = 0; k < 7; k++) x[k] = rng_range(&r, -1, 1);
        const bool planar = i % 2 == 0;
        snprintf(text, sizeof text,
                 planar
                     ? "planar: true\n"
                       "gravity: 9.81\n"
                       "bodies: {body: {mass: 1.3, inertia: 0.012, position: [0, 0.6], orientation: %g,\n"
                       "  velocity: [%g, %g], angular_velocity: %g}}\n"
                     : "gravity: 9.81\n"
                       "bodies: {body: {mass: 1.3, inertia: [0.009, 0.006, 0.012], position: [0, 0, 0.6],\n"
                       "  orientation: {axis: [1, %g, 0.4], angle: %g}, velocity: [0, 0, %g],\n"
                       "  angular_velocity: [%g, %g, %g]}}\n",
                 x[0], x[1], x[2], 4 * x[3], 4 * x[4], 4 * x[5]);
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "shapes: {body: {type: %s}, floor: {type: plane, at: ground}}\n"
                 "contacts: {hit: {a: body, b: floor, law: rigid, restitution: %g}}\n"
                 "run: {end: 2.5, output_step: 0.02, tol: 1e-6}\n",
                 shape[!planar && i / 2 % 3 == 0 ? 3 : i / 2 % 3], i % 5 == 0 ? 0 : 0.3 + 0.3 * x[6]);
        tml_sim *sim = sim_of_text(text, i % 3 == 0 ? "bdf" : NULL, 0, &model);
        record *rec =
            record_new(sim, (const char *const[]){"energy.kinetic", "energy.potential", "hit.gap", NULL});
        OK(tml_sim_run(sim, NAN, &err));
        for (int k = 1; k < rec->rows; k++) {
            const double *now = rec->value[k], *last = rec->value[k - 1];
            if (now[0] + now[1] > last[0] + last[1] + 1e-4)  // [J], some tolerances of the 8 J of the fall
                fail_msg("run %d: energy grows at %g s\n%s", i, rec->t[k], text);
            if (now[2] < -1e-5) fail_msg("run %d: %g m deep at %g s\n%s", i, -now[2], rec->t[k], text);
        }
        CHECK_SMALL(report_of(sim).energy_error, 1e-3);
        assert_true(report_of(sim).impact_count > 0 && report_of(sim).count.steps < 60000);
        record_free(rec);
        end_sim(sim, model);
    }
}

// Methods make long steps in free flight, in which this rectangle turns by 2 rad: its corner dips by 6 mm
// below the ground and returns, unless the impact is found.
static void spinning(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model;
    tml_sim *sim =
        sim_of_text("planar: true\n"
                    "gravity: 9.81\n"
                    "bodies: {body: {mass: 1.3, inertia: 0.012, position: [0, 0.6],\n"
                    "  orientation: 0.825542, velocity: [0.743868, 0.141392],\n"
                    "  angular_velocity: 1.27964}}\n"
                    "shapes: {body: {type: box, size: [0.3, 0.2]}, floor: {type: plane, at: ground}}\n"
                    "contacts: {hit: {a: body, b: floor, law: rigid, restitution: 0.559795}}\n"
                    "run: {end: 2.5, output_step: 0.005, tol: 1e-6}\n",
                    "bdf", 0, &model);
    record *rec = record_new(sim, (const char *const[]){"hit.gap", NULL});
    OK(tml_sim_run(sim, NAN, &err));
    for (int k = 0; k < rec->rows; k++) CHECK_SMALL(fmin(rec->value[k][0], 0), 1e-6);
    record_free(rec);
    end_sim(sim, model);
}

// A box that slides towards a plane, both on a turntable so fast that the rates of its corners, which the
// slide makes the same, differ by round-off. Along the slide s'' = w^2 s; the plane is at s = 0.
static void slow_on_a_turntable(void **state)
{
    (void)state;
    const double w = 362.1, start = 3.1e-5, end = 1e-3, x = -96 + 0.6 * start, y = 72 + 0.8 * start;
    for (int k = 0; k < 10; k++) {
        const double v = -0.05 - 0.0171 * k;
        char text[1200];
        tml_error err = {0};
        tml_model *model;
        snprintf(text, sizeof text,
                 "planar: true\n"
                 "bodies:\n"
                 "  table: {mass: 9e5, inertia: 2e10, angular_velocity: %.17g, frames: {top: [-102, 64]}}\n"
                 "  box: {mass: 4.7e4, inertia: 1e8, position: [%.17g, %.17g], velocity: [%.17g, %.17g],\n"
                 "        angular_velocity: %.17g, frames: {along: {orientation: 0.92729521800161219}}}\n"
                 "joints:\n"
                 "  turn: {type: revolute, a: ground, b: table}\n"
                 "  slide: {type: prismatic, a: table, b: box, point: [%.17g, %.17g], axis: [0.6, 0.8]}\n"
                 "shapes: {box: {type: box, at: box.along, size: [20, 37.3]},\n"
                 "         floor: {type: plane, at: table.top, normal: [0.6, 0.8]}}\n"
                 "contacts: {hit: {a: box, b: floor, law: rigid, restitution: 0.5}}\n"
                 "run: {end: %.17g, tol: 1e-10}\n",
                 w, x, y, -w * y + 0.6 * v, w * x + 0.8 * v, w, x, y, end);
        tml_sim *sim = sim_of_text(text, "radau5", 0, &model);
        OK(tml_sim_run(sim, NAN, &err));
        const double struck = sqrt(v * v - w * w * start * start), t = atanh(w * start / -v) / w;
        CHECK_CLOSE(channel_value(sim, "slide.speed"), 0.5 * struck * cosh(w * (end - t)), 1e-3);
        assert_int_equal(report_of(sim).impact_count, 2);  // points
        end_sim(sim, model);
    }
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *shape, *contact, *says;
        int line;
    } wrong[] = {
        {"sphere, radius: 0.1", "", "needs 'restitution'", 3},
        {"sphere, radius: 0.1", ", restitution: -0.2", "restitution", 3},
        {"sphere, radius: 0.1", ", restitution: 0.2, stiffness: 1e5", "'stiffness' belongs to compliant", 3},
        {"sphere, radius: 0.1", ", restitution: 0.2, rolling: 0.1", "'rolling' belongs to compliant", 3},
        {"sphere, radius: 0.4", ", restitution: 0.2", "'b' is 0.1 m deep in 'floor'", 3},
        {"cylinder, radius: 0.1, length: 0.1", ", restitution: 0.2", "plane 'floor' have no rigid contact",
         3},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[600];
        tml_error err = {0};
        tml_spec *spec = NULL;
        tml_model *model = NULL;
        tml_sim *sim = NULL;
        snprintf(text, sizeof text,
                 "bodies: {b: {mass: 1, inertia: 1, position: [0, 0, 0.3]}}\n"
                 "shapes: {b: {type: %s}, floor: {type: plane, at: ground}}\n"
                 "contacts: {hit: {a: b, b: floor, law: rigid%s}}\n",
                 wrong[i].shape, wrong[i].contact);
        tml_status st = tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err);
        if (st == TML_OK) st = tml_model_build(spec, &model, &err);
        if (st == TML_OK) st = tml_sim_create(model, NULL, &sim, &err);
        if (st == TML_OK || !strstr(err.msg, wrong[i].says)) fail_msg("%s: %s", wrong[i].says, err.msg);
        assert_int_equal(err.line, wrong[i].line);
        tml_sim_destroy(sim);
        tml_model_destroy(model);
        tml_spec_destroy(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(thirty_bounces_then_rest),
                                       cmocka_unit_test(release),
                                       cmocka_unit_test(two_spheres),
                                       cmocka_unit_test(thrown),
                                       cmocka_unit_test(spinning),
                                       cmocka_unit_test(slow_on_a_turntable),
                                       cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
