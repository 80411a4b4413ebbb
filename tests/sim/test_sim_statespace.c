// Simulations with the state-space family: nothing allocates in the step loop, no failed allocation goes
// unnoticed, long runs do not drift at position or velocity level, and the options coordinates and jacobian
// change the way, not the motion.
#include "sim_fixture.h"

static const char *const METHODS[] = {"ssp-trap",   "ssp-sdirk", "infl-trap",
                                      "infl-sdirk", "for-sdirk", "for-rosen"};
enum { METHOD_COUNT = 5 };

static void no_allocation_in_the_loop(void **state)
{
    (void)state;
    for (int i = 0; i < METHOD_COUNT; i++) {
        counter c = {0};
        const tml_env env = count_env(&c);
        tml_model *m = load_model("andrews", (tml_parameter){0}, &env);
        tml_run_def run = *tml_model_run(m);
        run.method = METHODS[i];
        tml_sim *sim = start_sim(m, &run);
        tml_error err = {0};
        const long before = c.calls;
        assert_true(before > 0);
        OK(tml_sim_run(sim, i < 2 ? 1e-3 : 0.01, &err));
        assert_int_equal(c.calls, before);
        tml_sim_destroy(sim);
        tml_model_destroy(m);
        assert_int_equal(c.live, 0);
    }
}

// No allocation may fail without a trace, whichever it is.
static void failing_allocations(void **state)
{
    (void)state;
    for (int i = 1; i < METHOD_COUNT; i += 2) {
        counter c = {0};
        const tml_env env = count_env(&c);
        tml_model *model = load_model("pendulum", (tml_parameter){0}, &env);
        tml_run_def run = *tml_model_run(model);
        run.method = METHODS[i];
        memory_runs_out(&c, model, &run, NAN);
    }
}

// 20 000 steps of 5e-4 s with the four-bar linkage of the bundled models.
static void long_run(void **state)
{
    (void)state;
    const double end = less_if_slow("all but the first 200 of 20 000 steps; a minute") ? 0.1 : 10;
    for (int i = 0; i < METHOD_COUNT; i++) {
        tml_model *m = load_model("four_bar", (tml_parameter){0}, NULL);
        tml_run_def run = *tml_model_run(m);
        run.method = METHODS[i];
        run.step = 5e-4;
        run.end = end;
        run.output_step = run.end / 10;
        tml_sim *sim = start_sim(m, &run);
        tml_error err = {0};
        OK(tml_sim_run(sim, run.end, &err));
        tml_sim_report r;
        tml_sim_get_report(sim, &r);
        print_message("%s: %ld steps, position residual %.2g, velocity %.2g\n", METHODS[i], r.count.steps,
                      r.position_residual, r.velocity_residual);
        assert_true(r.position_residual < 1e-14);  // round-off, over some lengths
        assert_true(r.velocity_residual < 1e-12);  // the crank turns at up to 40 rad/s
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

// Angle of the crank at the end.
static double crank_at_end(const char *method, tml_coordinates coordinates, tml_jacobian jacobian,
                           long *steps)
{
    tml_model *m = load_model("four_bar", (tml_parameter){0}, NULL);
    tml_run_def run = *tml_model_run(m);
    run.method = method;
    run.tol = 1e-5;
    run.rtol = run.atol = NAN;
    run.end = 1;
    run.coordinates = coordinates;
    run.jacobian = jacobian;
    tml_sim *sim = start_sim(m, &run);
    tml_error err = {0};
    OK(tml_sim_run(sim, run.end, &err));
    tml_sim_report r;
    tml_sim_get_report(sim, &r);
    *steps = r.count.steps;
    const tml_state *x = tml_sim_state(sim);
    const double angle = 2 * atan2(x->q[6], x->q[3]);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
    return angle;
}

static void options_agree(void **state)
{
    (void)state;
    for (int i = less_if_slow("the methods of order 2, ssp-sdirk and infl-sdirk; half a minute") ? 4 : 0;
         i < METHOD_COUNT; i++) {
        long steps[3];
        const double plain =
            crank_at_end(METHODS[i], TML_COORDINATES_PARTITION, TML_JACOBIAN_EXACT, &steps[0]);
        const double tangent =
            crank_at_end(METHODS[i], TML_COORDINATES_TANGENT, TML_JACOBIAN_EXACT, &steps[1]);
        const double differences =
            crank_at_end(METHODS[i], TML_COORDINATES_PARTITION, TML_JACOBIAN_DIFFERENCES, &steps[2]);
        print_message("%s: tangent %.1e, differences %.1e; steps %ld %ld %ld\n", METHODS[i], tangent - plain,
                      differences - plain, steps[0], steps[1], steps[2]);
        // errors of runs at 1e-5 on this mechanism, which enlarges them: up to 40 tolerances
        assert_true(fabs(tangent - plain) < 4e-4);
        assert_true(fabs(differences - plain) < 1e-4);
        assert_true(labs(steps[2] - steps[0]) <= 1 + steps[0] / 50);
    }
}

// ---- coordinates ------------------------------------------------------------------------------------------

// Largest distance of two states: positions in model lengths and rad, velocities over the largest of their
// kind.
static double distance(const tml_system *sys, const tml_state *a, const tml_state *b)
{
    double fastest[2] = {0}, worst = 0, d[256];
    assert_true(sys->n <= 256);
    for (int j = 0; j < sys->n; j++) fastest[sys->kind[j]] = fmax(fastest[sys->kind[j]], fabs(a->u[j]));
    sys->ops->local(sys->self, a->q, b->q, d);
    for (int j = 0; j < sys->n; j++) {
        const double unit = sys->kind[j] == TML_COORDINATE_TRANSLATION ? sys->length : 1;
        worst = fmax(worst, fabs(d[j]) / unit);
        if (fastest[sys->kind[j]] > 0) worst = fmax(worst, fabs(a->u[j] - b->u[j]) / fastest[sys->kind[j]]);
    }
    return worst;
}

// Partition and tangent plane give the same motion, stiff or not. The tangent plane once weighed translations
// as rotations: then for-rosen was 390 tolerances off on the stiff double pendulum.
static void coordinates_agree(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double end;
    } subjects[] = {{"stiff_double_pendulum", 1},
                    {"andrews", 0.02},
                    {"governor", 1},
                    {"suspension", 1},
                    {"heavy_top", 0.2}};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < METHOD_COUNT; i++) {
            tml_model *m = load_model(subjects[k].name, (tml_parameter){0}, NULL);
            tml_run_def run = *tml_model_run(m);
            run.method = METHODS[i];
            run.tol = i < 2 ? 1e-3 : 1e-5;
            run.rtol = run.atol = NAN;
            run.end = subjects[k].end;
            tml_sim *sim[2];
            tml_error err = {0};
            long steps[2];
            for (int c = 0; c < 2; c++) {
                tml_sim_report r;
                run.coordinates = c ? TML_COORDINATES_TANGENT : TML_COORDINATES_PARTITION;
                sim[c] = start_sim(m, &run);
                OK(tml_sim_run(sim[c], run.end, &err));
                tml_sim_get_report(sim[c], &r);
                steps[c] = r.count.steps;
            }
            const double apart = distance(tml_model_system(m), tml_sim_state(sim[0]), tml_sim_state(sim[1]));
            print_message("%s, %s: %.2f tolerances apart; steps %ld %ld\n", subjects[k].name, METHODS[i],
                          apart / run.tol, steps[0], steps[1]);
            assert_true(apart < 5 * run.tol);
            assert_true((double)labs(steps[1] - steps[0]) < 3 + 0.1 * (double)steps[0]);
            for (int c = 0; c < 2; c++) tml_sim_destroy(sim[c]);
            tml_model_destroy(m);
        }
}

// A linkage whose bars all turn full circles: no partition can stay. A step in a new basis is as long as the
// one before, or the one after; what comes after may be longer, since the new basis is better. Where the
// motion itself makes steps shorter than their neighbours, new bases do so no more.
typedef struct turning {
    int steps, changes;
    long bases;
    double h[3];    // of the last steps, newest first
    bool fresh[2];  // they are in a new basis
    double least;   // a step in a new basis over the smaller of its neighbours
    double other;   // the same of steps in an old basis
} turning;

static tml_status turn(const tml_sim *sim, double t, double h, void *user)
{
    (void)t;
    turning *k = user;
    tml_sim_report r;
    tml_sim_get_report(sim, &r);
    k->h[2] = k->h[1];
    k->h[1] = k->h[0];
    k->h[0] = h;
    k->fresh[1] = k->fresh[0];
    k->fresh[0] = r.count.bases != k->bases;
    k->bases = r.count.bases;
    if (++k->steps <= 2) return TML_OK;
    const double ratio = k->h[1] / fmin(k->h[0], k->h[2]);
    k->changes += k->fresh[1];
    if (k->fresh[1]) k->least = fmin(k->least, ratio);
    else k->other = fmin(k->other, ratio);
    return TML_OK;
}

static void full_circles(void **state)
{
    (void)state;
    static const char *const methods[] = {"ssp-trap",  "ssp-sdirk", "infl-trap", "infl-sdirk",
                                          "for-sdirk", "for-rosen", "adams",     "erk8"};
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/models/four_bar.yaml", root ? root : ".");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        tml_error err = {0};
        tml_spec *spec = NULL;
        OK(tml_spec_read(path, (tml_parameter[2]){{"a", "0.25"}, {"d", "0.15"}}, 2, NULL, &spec, &err));
        tml_model *m = model_of(spec);
        tml_run_def run = *tml_model_run(m);
        run.method = methods[i];
        run.tol = strstr(run.method, "trap") ? 1e-3 : 1e-5;
        run.rtol = run.atol = NAN;
        run.end = strcmp(run.method, "erk8") == 0 ? 4 : 1;  // its steps are long, and changes of basis few
        run.kinematics = TML_KINEMATICS_BODIES;
        turning k = {.least = INFINITY, .other = INFINITY};
        tml_sim *sim = start_sim(m, &run);
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = turn, .user = &k});
        OK(tml_sim_run(sim, run.end, &err));
        print_message(
            "%s: %d steps, %d changes of basis, least step over its neighbours %.2f (others %.2f)\n",
            run.method, k.steps, k.changes, k.least, k.other);
        assert_true(k.changes >= 3);
        // steps of erk8 are so long that the motion makes some of them shorter than both neighbours
        assert_true(k.least > (strcmp(run.method, "erk8") == 0 ? fmin(0.8, k.other) : 0.8));
        tml_sim_destroy(sim);
        // nor do steps fall much before a change: together they are about as many as in coordinates that turn
        // along
        turning along = {.least = INFINITY, .other = INFINITY};
        run.coordinates = TML_COORDINATES_TANGENT;
        sim = start_sim(m, &run);
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = turn, .user = &along});
        OK(tml_sim_run(sim, run.end, &err));
        print_message("  %d steps in tangent coordinates\n", along.steps);
        assert_true(along.changes == 0 && k.steps < 1.35 * along.steps);
        tml_sim_destroy(sim);
        tml_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocation_in_the_loop),
                                       cmocka_unit_test(failing_allocations),
                                       cmocka_unit_test(long_run),
                                       cmocka_unit_test(options_agree),
                                       cmocka_unit_test(coordinates_agree),
                                       cmocka_unit_test(full_circles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
