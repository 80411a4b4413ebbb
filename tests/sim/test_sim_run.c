// Runs: output times, the first and last row, hooks, the caller's own loop, consistent output states.
#include "sim_fixture.h"

static tml_run_def settings(const tml_model *m, double end, double output_step, double tol)
{
    tml_run_def run = *tml_model_run(m);
    run.end = end;
    run.output_step = output_step;
    run.tol = tol;
    run.step = run.max_step = 0;
    return run;
}

// ---- output times -----------------------------------------------------------------------------------------

// Rows stand at k * output_step, bit for bit, and at the end; steps do not care.
static void output_times_of(const tml_model *m, const char *method)
{
    const double step[] = {1e-3, 0.1, 0.0317, 5}, end = 0.7;
    uint64_t hash[4];
    long steps[4];
    for (int i = 0; i < 4; i++) {
        tml_run_def run = settings(m, end, step[i], 1e-4);
        run.method = method;
        tml_sim *sim = start_sim(m, &run);
        record *r = record_new(sim, NULL);
        tml_error err = {0};
        OK(tml_sim_run(sim, NAN, &err));
        const int whole = (int)ceil(end / step[i] * (1 - 1e-12));  // multiples below the end, with 0
        assert_int_equal(r->rows, whole + 1);
        for (int k = 0; k < whole; k++) assert_true(r->t[k] == k * step[i]);
        assert_true(r->t[r->rows - 1] == end && tml_sim_time(sim) == end);
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        steps[i] = report.count.steps;
        assert_int_equal(steps[i], r->steps);
        assert_true(report.wall_seconds > 0 && report.wall_seconds < 600);  // some milliseconds
        hash[i] = state_hash(tml_sim_state(sim));
        assert_true(steps[i] == steps[0] && hash[i] == hash[0]);
        record_free(r);
        tml_sim_destroy(sim);
    }
    assert_true(steps[0] > 5 && steps[0] < 700 - 1);  // fewer steps than rows at 1e-3
}

static void output_times(void **state)
{
    (void)state;
    tml_model *m = load_model("double_pendulum", (tml_parameter){0}, NULL);
    output_times_of(m, "genalpha");
    output_times_of(m, "bdf");  // its first steps of 7 ms end at rows but for round-off
    output_times_of(m, "radau5");
    tml_model_destroy(m);
}

// A start other than 0, also before it: rows count from the start, and the end is hit, not missed by an ulp.
static void start_time(void **state)
{
    (void)state;
    tml_model *m = load_model("pendulum", (tml_parameter){0}, NULL);
    const double start[] = {-0.7, 0.3, -3.1, 17.3}, end[] = {0.0013, 0.4, 1e-9, 17.9};
    for (int i = 0; i < 4; i++) {
        tml_run_def run = settings(m, end[i], 0.01, 1e-3);
        run.start = start[i];
        tml_sim *sim = start_sim(m, &run);
        record *r = record_new(sim, NULL);
        tml_error err = {0};
        OK(tml_sim_run(sim, NAN, &err));
        assert_true(r->t[0] == start[i]);
        for (int k = 1; k + 1 < r->rows; k++) assert_true(r->t[k] == start[i] + k * 0.01);
        assert_true(r->t[r->rows - 1] == end[i] && tml_sim_time(sim) == end[i]);
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        if (report.h_min < 1e-6) fail_msg("a step of %g s at the end", report.h_min);
        record_free(r);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(m);
}

// Values between steps have the accuracy of the run: against the run that steps onto the same times.
static void dense_output(void **state)
{
    (void)state;
    tml_model *m = load_model("double_pendulum", (tml_parameter){0}, NULL);
    static const char *const names[] = {"energy.kinetic", "energy.potential", NULL};
    tml_run_def run = settings(m, 0.6, 0.0137, 1e-5);
    tml_sim *sim = start_sim(m, &run);
    record *r = record_new(sim, names);
    tml_error err = {0};
    OK(tml_sim_run(sim, NAN, &err));
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    for (int k = 0; k < r->rows; k++) {
        // 1e-4: ten times the tolerance, for the velocities behind the energies
        const double total = r->value[k][0] + r->value[k][1];
        CHECK_CLOSE(total, report.energy_start, 1e-4 * report.energy_scale);
    }
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// In pieces as in one: the steps differ where a piece ends, the motion does not.
static void run_in_pieces(void **state)
{
    (void)state;
    tml_model *m = load_model("double_pendulum", (tml_parameter){0}, NULL);
    const tml_run_def run = settings(m, 0.5, 0.05, 1e-6);
    tml_sim *one = start_sim(m, &run), *two = start_sim(m, &run);
    record *r = record_new(two, NULL);
    tml_error err = {0};
    OK(tml_sim_run(one, NAN, &err));
    OK(tml_sim_run(two, 0.223, &err));
    assert_true(tml_sim_time(two) == 0.223 && r->rows == 6 && r->t[5] == 0.223);
    OK(tml_sim_run(two, NAN, &err));
    assert_true(r->rows == 6 + 1 + 6 && r->t[6] == 0.223 && r->t[7] == 5 * 0.05 && r->t[12] == 0.5);
    for (int i = 0; i < 14; i++)  // both within ten tolerances of the exact motion, lengths of order 1
        CHECK_CLOSE(tml_sim_state(two)->q[i], tml_sim_state(one)->q[i], 2e-5);
    assert_int_equal(tml_sim_run(two, 0.4, &err), TML_ERR_ARG);  // not backwards
    OK(tml_sim_run(two, 0.5, &err));                             // equal: only a row
    assert_int_equal(r->rows, 14);
    record_free(r);
    tml_sim_destroy(one);
    tml_sim_destroy(two);
    tml_model_destroy(m);
}

// ---- the caller's loop ------------------------------------------------------------------------------------

static void own_loop(void **state)
{
    (void)state;
    static const char *const names[] = {"governor", "slider_crank", "pendulum"};
    for (int i = 0; i < 3; i++) {
        tml_model *m = load_model(names[i], (tml_parameter){0}, NULL);
        const tml_run_def run = settings(m, 0.213, 0.01, 1e-4);
        tml_sim *a = start_sim(m, &run), *b = start_sim(m, &run);
        tml_error err = {0};
        OK(tml_sim_run(a, NAN, &err));
        long steps = 0;
        for (; tml_sim_time(b) < run.end; steps++) OK(tml_sim_step(b, run.end, &err));
        tml_sim_report report;
        tml_sim_get_report(a, &report);
        assert_int_equal(report.count.steps, steps);
        assert_true(tml_sim_time(b) == run.end &&
                    state_hash(tml_sim_state(a)) == state_hash(tml_sim_state(b)));
        OK(tml_sim_step(b, run.end, &err));  // already there: nothing happens
        tml_sim_get_report(b, &report);
        assert_int_equal(report.count.steps, steps);
        tml_sim_destroy(a);
        tml_sim_destroy(b);
        tml_model_destroy(m);
    }
}

static void fixed_step(void **state)
{
    (void)state;
    tml_model *m = load_model("four_bar", (tml_parameter){0}, NULL);
    tml_run_def run = settings(m, 0.1003, 0.01, 1e-4);
    run.step = 1e-3;
    tml_sim *sim = start_sim(m, &run);
    tml_error err = {0};
    OK(tml_sim_run(sim, NAN, &err));
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    assert_int_equal(report.count.steps, 101);  // the last one is cut
    assert_int_equal(report.count.rejected_error + report.count.rejected_newton, 0);
    CHECK_CLOSE(report.h_max, 1e-3, 1e-15);
    CHECK_CLOSE(report.h_min, 3e-4, 1e-13);  // what 100 additions of 1e-3 leave
    assert_true(tml_sim_time(sim) == run.end);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// ---- hooks ------------------------------------------------------------------------------------------------

static void hooks_stop(void **state)
{
    (void)state;
    tml_model *m = load_model("pendulum", (tml_parameter){0}, NULL);
    const tml_run_def run = settings(m, 1, 0.01, 1e-4);
    for (int which = 0; which < 2; which++) {
        tml_sim *sim = start_sim(m, &run);
        record *r = record_new(sim, NULL);
        r->stop_output = which == 0 ? 7 : 0;
        r->stop_step = which == 1 ? 11 : 0;
        tml_error err = {0};
        assert_int_equal(tml_sim_run(sim, NAN, &err), TML_ERR_STOPPED);
        assert_int_equal(err.status, TML_ERR_STOPPED);
        assert_non_null(strstr(err.msg, "stopped"));
        assert_true(err.t == tml_sim_time(sim) && err.t > 0 && err.t < 1);
        if (which == 0) assert_true(r->rows == 7 && r->t[6] == 6 * 0.01);
        else assert_int_equal(r->steps, 11);
        // and on from there
        const int rows = r->rows;
        r->stop_output = r->stop_step = 0;
        OK(tml_sim_run(sim, NAN, &err));
        assert_true(r->rows > rows && tml_sim_time(sim) == 1);
        record_free(r);
        tml_sim_set_hooks(sim, NULL);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(m);
}

// ---- consistent outputs -----------------------------------------------------------------------------------

typedef struct audit {
    const char *model;
    void *work;
    double *motion, *phi;
    double force;  // largest force seen
} audit;

// Output states fulfil the constraints at all three levels and the equations of motion.
static tml_status audit_row(const tml_sim *sim, const tml_state *x, void *user)
{
    audit *a = user;
    const tml_system *s = tml_sim_system(sim);
    tml_error err = {0};
    OK(s->ops->residual(s->self, a->work, x, NULL, a->motion, a->phi, &err));
    // 1e-12: round-off of sums of a few positions of the model's size, amplified by the projection's matrix
    for (int r = 0; r < s->m; r++)
        if (!(fabs(a->phi[r]) <= 1e-12 * fmax(s->length, 1)))
            fail_msg("%s, t = %g: row %d has the residual %g", a->model, x->t, r, a->phi[r]);
    double *f = a->motion + s->n, speed = 0, largest = 0;
    OK(s->ops->dynamics(s->self, a->work, x, f, a->phi, &err));
    for (int j = 0; j < s->n; j++) {
        a->force = fmax(a->force, fmax(fabs(f[j]), fabs(f[j] + a->motion[j])));
        largest = fmax(largest, fabs(a->motion[j]));
        speed = fmax(speed, fabs(x->u[j]));
    }
    for (int r = 0; r < s->m; r++) a->force = fmax(a->force, fabs(x->lambda[r]));
    if (largest > 1e-9 * a->force)
        fail_msg("%s, t = %g: motion misses %g of %g N", a->model, x->t, largest, a->force);
    OK(s->ops->velocity(s->self, a->work, x, a->phi, &err));
    for (int r = 0; r < s->m; r++)
        if (!(fabs(a->phi[r]) <= 1e-11 * fmax(speed, 1)))
            fail_msg("%s, t = %g: row %d has the velocity residual %g", a->model, x->t, r, a->phi[r]);
    return TML_OK;
}

static void consistent_rows(void **state)
{
    (void)state;
    for (const char *const *name = bundled_models(); *name; name++) {
        tml_model *m = load_model(*name, (tml_parameter){0}, NULL);
        tml_run_def run = *tml_model_run(m);
        run.end /= 10;
        run.tol = 1e-3;
        tml_sim *sim = start_sim(m, &run);
        const tml_system *s = tml_sim_system(sim);
        audit a = {.model = *name, .work = s->ops->create_work(s->self, &s->env)};
        a.motion = calloc(2 * (size_t)s->n + 1, sizeof(double));
        a.phi = calloc((size_t)s->m + 1, sizeof(double));
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = audit_row, .user = &a});
        tml_error err = {0};
        OK(tml_sim_run(sim, NAN, &err));
        free(a.motion);
        free(a.phi);
        s->ops->destroy_work(a.work);
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

typedef struct few {
    double *q;  // rows one after the other: q, u, then joint angles among the channels
    double *values;
    size_t count, room;
} few;

static tml_status keep_motion(const tml_sim *sim, const tml_state *x, void *user)
{
    few *f = user;
    const tml_channel *c = tml_sim_channels(sim);
    const int n = tml_sim_channel_count(sim);
    tml_error err;
    OK(tml_sim_channel_values(sim, x, f->values, &err));
    assert_true(f->count + (size_t)(x->nq + x->n + n) <= f->room);
    for (int i = 0; i < x->nq; i++) f->q[f->count++] = x->q[i];
    for (int i = 0; i < x->n; i++) f->q[f->count++] = x->u[i];
    for (int i = 0; i < n; i++) {
        const char *coordinate = strchr(c[i].name, '.');
        if (coordinate && strcmp(coordinate, ".angle") == 0) f->q[f->count++] = f->values[i];
    }
    return TML_OK;
}

// Rows of the motion alone: the same positions, velocities and counted angles, on joints and on bodies.
static void motion_only(void **state)
{
    (void)state;
    static const char *const method[] = {"erk5", "for-sdirk", "bdf"};
    for (int k = 0; k < 3; k++) {
        tml_model *m = load_model("four_bar", (tml_parameter){0}, NULL);
        tml_run_def run = *tml_model_run(m);
        run.method = method[k];
        run.end = 2;
        run.output_step = 0.05;
        run.tol = 1e-3;
        few rows[2];
        for (int only = 0; only < 2; only++) {
            tml_sim *sim = start_sim(m, &run);
            rows[only] = (few){.room = 50000};
            rows[only].q = calloc(rows[only].room, sizeof(double));
            rows[only].values = calloc(1000, sizeof(double));
            tml_sim_set_hooks(
                sim,
                &(tml_sim_hooks){.on_output = keep_motion, .user = &rows[only], .motion_only = only == 1});
            tml_error err = {0};
            OK(tml_sim_run(sim, NAN, &err));
            tml_sim_destroy(sim);
        }
        assert_true(rows[0].count > 41 && rows[0].count == rows[1].count);
        // velocities of bdf's rows are brought onto the constraints by the mass of a place as far away as its
        // error, 1e-5: that share of a correction of the size of its error
        for (size_t i = 0; i < rows[0].count; i++) CHECK_CLOSE(rows[1].q[i], rows[0].q[i], 1e-8);
        for (int only = 0; only < 2; only++) {
            free(rows[only].q);
            free(rows[only].values);
        }
        tml_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_times),  cmocka_unit_test(start_time),      cmocka_unit_test(dense_output),
        cmocka_unit_test(run_in_pieces), cmocka_unit_test(own_loop),        cmocka_unit_test(fixed_step),
        cmocka_unit_test(hooks_stop),    cmocka_unit_test(consistent_rows), cmocka_unit_test(motion_only)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
