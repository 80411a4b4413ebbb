// States at chosen times: within the last step, between steps that are not cut, and restarts from given ones.
#include "sim_fixture.h"

#define PENDULUM                                                         \
    "planar: true\n"                                                     \
    "gravity: 9.81\n"                                                    \
    "bodies: {bob: {mass: 1.7, point: true, position: [-0.83, 0]}}\n"    \
    "joints: {rod: {type: distance, a: ground, b: bob, length: 0.83}}\n" \
    "run: {end: 5, output_step: 0.031, tol: 1e-6}\n"

static tml_state *state_of(const tml_sim *sim)
{
    tml_error err = {0};
    tml_state *x = NULL;
    OK(tml_state_create(tml_sim_system(sim), &x, &err));
    return x;
}

// The constraint holds at any time of a step; the ends are the accepted states up to the projection.
static void within_a_step(void **state)
{
    (void)state;
    tml_model *m = text_model(PENDULUM);
    for (int k = 0; tml_methods[k]; k++) {
        tml_error err = {0};
        tml_run_def run = *tml_model_run(m);
        run.method = tml_methods[k]->name;
        tml_sim *sim = start_sim(m, &run);
        tml_state *x = state_of(sim);
        OK(tml_sim_state_at(sim, 0, x, &err));
        CHECK_CLOSE(x->q[0], -0.83, 1e-14);
        for (int i = 0; i < 20; i++) OK(tml_sim_step(sim, 5, &err));
        const double before = tml_sim_time(sim);
        OK(tml_sim_step(sim, 5, &err));
        const double end = tml_sim_time(sim);
        for (int i = 0; i <= 8; i++) {
            const double t = before + (end - before) * i / 8;
            OK(tml_sim_state_at(sim, t, x, &err));
            assert_true(x->t == t);
            CHECK_CLOSE(hypot(x->q[0], x->q[1]), 0.83, 1e-12);
            CHECK_SMALL(x->q[0] * x->u[0] + x->q[1] * x->u[1], 1e-12);
            const double v2 = x->u[0] * x->u[0] + x->u[1] * x->u[1];
            CHECK_CLOSE(v2 / 2 + 9.81 * x->q[1], 0, 1e-3);  // energy, at tolerance 1e-6
        }
        assert_int_equal(tml_sim_state_at(sim, before - 1e-6 * (end - before), x, &err), TML_ERR_ARG);
        assert_int_equal(tml_sim_state_at(sim, end + 1e-6 * (end - before), x, &err), TML_ERR_ARG);
        assert_non_null(strstr(err.msg, "not within the last step"));
        tml_state_destroy(x, tml_sim_system(sim));
        tml_sim_destroy(sim);
    }
    tml_model_destroy(m);
}

// States at chosen times do not change the steps, and are those of a run with outputs at these times.
static void chosen_times(void **state)
{
    (void)state;
    static const char *const names[] = {"bob.x", "bob.y", "bob.vx", "rod.fx", NULL};
    tml_model *m = text_model(PENDULUM);
    tml_error err = {0};
    tml_sim *a = start_sim(m, NULL), *b = start_sim(m, NULL);
    record *r = record_new(a, names);
    OK(tml_sim_run(a, 3, &err));
    tml_state *x = state_of(b);
    for (int i = 0; i < r->rows - 1; i++) {
        OK(tml_sim_advance_to(b, r->t[i], x, &err));
        assert_true(x->t == r->t[i]);
        CHECK_CLOSE(x->q[0], r->value[i][0], 1e-12);
        CHECK_CLOSE(x->u[0], r->value[i][2], 1e-12);
    }
    tml_sim_report ra, rb;
    tml_sim_get_report(a, &ra);
    tml_sim_get_report(b, &rb);
    assert_true(rb.count.steps <= ra.count.steps);  // no step was cut
    assert_true(tml_sim_time(b) >= r->t[r->rows - 2]);
    assert_int_equal(tml_sim_advance_to(b, 1, x, &err), TML_ERR_ARG);
    record_free(r);
    tml_state_destroy(x, tml_sim_system(b));
    tml_sim_destroy(a);
    tml_sim_destroy(b);
    tml_model_destroy(m);
}

// Across discontinuities: the same times as located by a run.
static void chosen_times_with_discontinuities(void **state)
{
    (void)state;
    static const char *const text = "planar: true\nbodies: {b: {mass: 2, point: true, position: [0, 1]}}\n"
                                    "forces: {f: {type: applied, at: b, force: [\"if(t < 0.3, 4, -6)\", "
                                    "\"if(b.y < 0, -1e2*b.y, 0) - 9.81\"]}}\nrun: {end: 2, tol: 1e-8}\n";
    static const char *const names[] = {"b.x", "b.y", "b.vy", NULL};
    tml_model *m = text_model(text);
    tml_error err = {0};
    tml_sim *a = start_sim(m, NULL), *b = start_sim(m, NULL);
    record *r = record_new(a, names);
    OK(tml_sim_run(a, 2, &err));
    tml_state *x = state_of(b);
    for (int i = 0; i < r->rows; i++) {
        OK(tml_sim_advance_to(b, r->t[i], x, &err));
        CHECK_CLOSE(x->q[0], r->value[i][0], 1e-6);
        CHECK_CLOSE(x->q[1], r->value[i][1], 1e-6);
        assert_true(tml_sim_time(b) >= x->t);
    }
    record_free(r);
    tml_state_destroy(x, tml_sim_system(b));
    tml_sim_destroy(a);
    tml_sim_destroy(b);
    tml_model_destroy(m);
}

// Events end steps, runs and advances at the same time; an event after the wanted time waits.
static void events(void **state)
{
    (void)state;
    tml_model *m = text_model(PENDULUM "events:\n  bottom: {when: \"bob.x\"}\n");
    tml_error err = {0};
    tml_sim *a = start_sim(m, NULL), *b = start_sim(m, NULL), *c = start_sim(m, NULL);
    tml_sim_report report;
    OK(tml_sim_run(a, NAN, &err));
    tml_sim_get_report(a, &report);
    assert_string_equal(report.event, "bottom");
    const double t = tml_sim_time(a), quarter = 1.854074677301372 * sqrt(0.83 / 9.81);
    CHECK_CLOSE(t, quarter, 1e-5);
    for (report.event = NULL; !report.event; tml_sim_get_report(b, &report)) OK(tml_sim_step(b, 5, &err));
    CHECK_CLOSE(tml_sim_time(b), t, 1e-12);
    OK(tml_sim_step(b, 5, &err));
    tml_sim_get_report(b, &report);
    assert_true(!report.event && tml_sim_time(b) > t);
    tml_state *x = state_of(c);
    for (int i = 1; i <= 20; i++) {  // up to just before the event, within its step
        OK(tml_sim_advance_to(c, t - 1e-3 + i * 4e-5, x, &err));
        tml_sim_get_report(c, &report);
        assert_null(report.event);
        assert_true(tml_sim_time(c) <= t + 1e-12);
    }
    OK(tml_sim_advance_to(c, t + 0.1, x, &err));
    tml_sim_get_report(c, &report);
    assert_string_equal(report.event, "bottom");
    CHECK_CLOSE(x->t, t, 1e-12);
    CHECK_SMALL(x->q[0], 1e-9);
    OK(tml_sim_advance_to(c, t + 0.1, x, &err));
    CHECK_CLOSE(x->t, t + 0.1, 1e-12);
    CHECK_CLOSE(x->q[0], 0.83 * sin(0.1 * sqrt(2 * 9.81 / 0.83)), 0.05);
    tml_state_destroy(x, tml_sim_system(c));
    tml_sim_destroy(a);
    tml_sim_destroy(b);
    tml_sim_destroy(c);
    tml_model_destroy(m);
}

// A restart repeats the motion from an earlier state, for every method; it takes no memory.
static void restart(void **state)
{
    (void)state;
    counter c = {0};
    const tml_env env = count_env(&c);
    tml_model *m = load_model("slider_crank", (tml_parameter){0}, &env);
    for (int k = 0; tml_methods[k]; k++) {
        tml_error err = {0};
        tml_run_def run = *tml_model_run(m);
        run.method = tml_methods[k]->name;
        run.tol = 1e-6;
        tml_sim *sim = start_sim(m, &run);
        tml_state *start = state_of(sim), *end = state_of(sim);
        OK(tml_sim_run(sim, 0.03, &err));
        tml_state_copy(start, tml_sim_state(sim));
        OK(tml_sim_run(sim, 0.06, &err));
        tml_state_copy(end, tml_sim_state(sim));
        start->q[0] += 1e-6;  // not quite consistent
        const long calls = c.calls;
        OK(tml_sim_restart(sim, start, &err));
        assert_int_equal(c.calls, calls);
        assert_true(tml_sim_time(sim) == start->t);
        OK(tml_sim_run(sim, 0.06, &err));
        for (int i = 0; i < end->nq; i++) CHECK_CLOSE(tml_sim_state(sim)->q[i], end->q[i], 2e-5);
        tml_state_destroy(start, tml_sim_system(sim));
        tml_state_destroy(end, tml_sim_system(sim));
        tml_sim_destroy(sim);
    }
    tml_model_destroy(m);
}

// Far from consistent: assembled as at a start.
static void restart_far_away(void **state)
{
    (void)state;
    tml_model *m = text_model(PENDULUM);
    tml_error err = {0};
    tml_sim *sim = start_sim(m, NULL);
    tml_state *x = state_of(sim);
    tml_state_copy(x, tml_sim_state(sim));
    x->q[0] = 4.1;
    x->q[1] = -7.3;
    x->u[0] = x->u[1] = 2;
    OK(tml_sim_restart(sim, x, &err));
    const tml_state *y = tml_sim_state(sim);
    CHECK_CLOSE(hypot(y->q[0], y->q[1]), 0.83, 1e-12);
    CHECK_SMALL(y->q[0] * y->u[0] + y->q[1] * y->u[1], 1e-12);
    OK(tml_sim_run(sim, 0.3, &err));
    tml_state_destroy(x, tml_sim_system(sim));
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

static void restart_of_another_system(void **state)
{
    (void)state;
    tml_model *m = load_model("slider_crank", (tml_parameter){0}, NULL), *other = text_model(PENDULUM);
    tml_error err = {0};
    tml_sim *sim = start_sim(m, NULL);
    tml_state *x = NULL;
    OK(tml_state_create(tml_model_system(other), &x, &err));
    assert_int_equal(tml_sim_restart(sim, x, &err), TML_ERR_ARG);
    const tml_sim_def def = {.size = sizeof def, .model = tml_sim_model(sim), .x0 = x};
    tml_sim *second = NULL;
    assert_int_equal(tml_sim_create_def(&def, &second, &err), TML_ERR_ARG);
    assert_null(second);
    assert_non_null(strstr(err.msg, "x0 belongs to another system"));
    tml_state_destroy(x, tml_model_system(other));
    tml_sim_destroy(sim);
    tml_model_destroy(m);
    tml_model_destroy(other);
}

// Indices and layout agree with the channels of the results.
static void names_and_layout(void **state)
{
    (void)state;
    static const char *const models[] = {"slider_crank", "governor", "suspension", NULL};
    for (int k = 0; models[k]; k++) {
        tml_model *m = load_model(models[k], (tml_parameter){0}, NULL);
        tml_error err = {0};
        tml_sim *sim = start_sim(m, NULL);
        double *row = calloc((size_t)tml_sim_channel_count(sim), sizeof *row);
        const tml_state *x = tml_sim_state(sim);
        OK(tml_sim_channel_values(sim, x, row, &err));
        int coordinates = 0, rows = 0;
        for (int i = 0; i < tml_model_body_count(m); i++) {
            static const char *const words[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
            const char *name = tml_model_body_name(m, i);
            const tml_body_layout at = tml_model_body_layout(m, i);
            char channel[200];
            assert_int_equal(tml_model_body_index(m, name, &err), i);
            snprintf(channel, sizeof channel, "%s.y", name);
            assert_true(row[tml_sim_channel_index(sim, channel, &err)] == x->q[at.q + 1]);
            assert_int_equal(at.u, coordinates);
            coordinates += at.u_count;
            for (int j = 0; j < at.u_count; j++) {
                snprintf(channel, sizeof channel, "%s.%s", name, words[at.component[j]]);
                assert_true(row[tml_sim_channel_index(sim, channel, &err)] == x->u[at.u + j]);
            }
        }
        for (int i = 0; i < tml_model_joint_count(m); i++) {
            const tml_joint_layout at = tml_model_joint_layout(m, i);
            assert_int_equal(tml_model_joint_index(m, tml_model_joint_name(m, i), &err), i);
            assert_int_equal(at.lambda, rows);
            assert_int_equal(at.row_count, tml_model_joint_row_count(m, i));
            rows += at.row_count;
        }
        for (int i = 0; i < tml_model_force_count(m); i++)
            assert_int_equal(tml_model_force_index(m, tml_model_force_name(m, i), &err), i);
        assert_true(coordinates == x->n && rows == x->m);
        assert_int_equal(tml_model_body_layout(m, tml_model_body_count(m)).q, -1);
        assert_int_equal(tml_model_joint_layout(m, -1).lambda, -1);
        assert_null(tml_model_body_name(m, -1));
        free(row);
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

static void nearest_names(void **state)
{
    (void)state;
    tml_model *m = load_model("slider_crank", (tml_parameter){0}, NULL);
    tml_error err = {0};
    tml_sim *sim = start_sim(m, NULL);
    assert_int_equal(tml_sim_channel_index(sim, "crnk.x", &err), -1);
    assert_true(err.status == TML_ERR_NAME && strstr(err.msg, "(is it 'crank.x'?)"));
    assert_int_equal(tml_model_body_index(m, "cranc", &err), -1);
    assert_true(err.status == TML_ERR_NAME && strstr(err.msg, "(is it 'crank'?)"));
    assert_int_equal(tml_model_joint_index(m, "nothing like it", &err), -1);
    assert_string_equal(err.msg, "there is no joint 'nothing like it'");
    assert_int_equal(tml_model_force_index(m, "x", NULL), -1);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

#define FAR_PENDULUM(X)                                                                                  \
    "planar: true\n"                                                                                     \
    "gravity: 9.81\n"                                                                                    \
    "ground: {frames: {eye: [" X ", 31]}}\n"                                                             \
    "bodies: {bob: {mass: 1.7, inertia: 0.2, position: [" X " - 0.83, 31], frames: {top: [0.83, 0]}}}\n" \
    "joints: {pin: {type: revolute, a: ground.eye, b: bob.top}}\n"                                       \
    "run: {end: 5, tol: 1e-6}\n"

// A state counts positions from its origin: near the model if that stands far away. It can be given to a
// model with another origin.
static void origins(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *near = text_model(FAR_PENDULUM("3")), *far = text_model(FAR_PENDULUM("5e6")),
              *beside = text_model(FAR_PENDULUM("5000016"));
    tml_sim *a = start_sim(near, NULL), *b = start_sim(far, NULL);
    const double *origin = tml_sim_state(a)->origin, *moved = tml_sim_state(b)->origin;
    assert_true(origin[0] == 0 && origin[1] == 0 && moved[2] == 0);
    CHECK_SMALL(moved[0] - 5e6, 2);
    const double x0 = tml_sim_state(b)->q[0] + moved[0];
    CHECK_CLOSE(x0, 5e6 - 0.83, 1e-15);
    OK(tml_sim_advance_to(a, 0.7, NULL, &err));
    OK(tml_sim_advance_to(b, 0.7, NULL, &err));
    tml_state *x = state_of(b);
    OK(tml_sim_state_at(b, 0.7, x, &err));
    tml_state *y = state_of(a);
    OK(tml_sim_state_at(a, 0.7, y, &err));
    CHECK_CLOSE(x->q[0] + (moved[0] - 5e6), y->q[0] - 3, 2e-9);  // rounding of 5e6 - 0.83
    // the same place in a model that stands 16 m farther: the pendulum would be open by 16 m, which the
    // assembly closes
    const double at = x->q[0] + x->origin[0];
    const tml_sim_def def = {.size = sizeof def, .model = beside, .x0 = x};
    tml_sim *c = NULL;
    OK(tml_sim_create_def(&def, &c, &err));
    const tml_state *z = tml_sim_state(c);
    assert_true(z->origin[0] == moved[0] + 16);
    const double dx = z->q[0] + z->origin[0] - 5000016, dy = z->q[1] + z->origin[1] - 31;
    CHECK_CLOSE(hypot(dx, dy), 0.83, 1e-9);
    assert_true(dx < 0);  // as near as it can be to where it was
    OK(tml_sim_restart(c, z, &err));
    CHECK_SMALL(at - 5e6, 0.84);
    tml_state_destroy(x, tml_sim_system(b));
    tml_state_destroy(y, tml_sim_system(a));
    tml_sim_destroy(c);
    end_sim(a, near);
    end_sim(b, far);
    tml_model_destroy(beside);
}

#define CART                                                                                           \
    "planar: true\n"                                                                                   \
    "gravity: 9.81\n"                                                                                  \
    "ground: {frames: {rail: [0, 0]}}\n"                                                               \
    "bodies:\n"                                                                                        \
    "  cart: {mass: 3.1, inertia: 0.1}\n"                                                              \
    "  rod: {mass: 1.3, inertia: 0.11, position: [0.5, 0], frames: {top: [-0.5, 0], end: [0.5, 0]}}\n" \
    "  bob: {mass: 0.7, inertia: 0.09, position: [1.5, 0], frames: {top: [-0.5, 0]}}\n"                \
    "joints:\n"                                                                                        \
    "  slide: {type: prismatic, a: ground.rail, b: cart, axis: [1, 0]}\n"                              \
    "  pin: {type: revolute, a: cart, b: rod.top, stiffness: 23}\n"                                    \
    "  joint: {type: revolute, a: rod.end, b: bob.top, stiffness: 31}\n"                               \
    "run: {end: 1}\n"

// Steps of a run to 1 s from a start that is moved along the rail; *angle: at the end.
static long steps_from(const char *method, double way, double *angle)
{
    tml_error err = {0};
    tml_model *m;
    tml_sim *sim = sim_of_text(CART, method, 1e-4, &m);
    tml_state *x = state_of(sim);
    tml_state_copy(x, tml_sim_state(sim));
    for (int i = 0; i < tml_model_body_count(m); i++) x->q[tml_model_body_layout(m, i).q] += way;
    OK(tml_sim_restart(sim, x, &err));
    OK(tml_sim_run(sim, 1, &err));
    *angle = 2 * asin(tml_sim_state(sim)->q[tml_model_body_layout(m, 2).q + 6]);
    const long steps = report_of(sim).count.steps;
    tml_state_destroy(x, tml_sim_system(sim));
    end_sim(sim, m);
    return steps;
}

// A mechanism that has travelled takes the steps that it took before: what positions have lost in digits is
// known as round-off.
static void travelled(void **state)
{
    (void)state;
    static const char *const methods[] = {"genalpha", "bdf", "ggl", "radau5", "erk5", "for-sdirk"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        double here, there;
        const long before = steps_from(methods[k], 0, &here), after = steps_from(methods[k], 1e6, &there);
        print_message("%s: %ld steps at the start, %ld at 1000 km\n", methods[k], before, after);
        assert_in_range(after, before * 9 / 10, before * 11 / 10);
        CHECK_CLOSE(here, there, 1e-4);  // the tolerance
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_a_step),
        cmocka_unit_test(chosen_times),
        cmocka_unit_test(chosen_times_with_discontinuities),
        cmocka_unit_test(events),
        cmocka_unit_test(restart),
        cmocka_unit_test(restart_far_away),
        cmocka_unit_test(restart_of_another_system),
        cmocka_unit_test(origins),
        cmocka_unit_test(travelled),
        cmocka_unit_test(names_and_layout),
        cmocka_unit_test(nearest_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
