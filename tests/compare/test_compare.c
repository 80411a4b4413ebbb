// Comparisons: errors against known solutions, the reference's own error, limits of time, files, failures,
// threads.
#include "compare/trial.h"
#include "sim/sim_fixture.h"

// A pendulum whose motion has no closed form, and a body in free flight whose motion is exact: 3 + 0.5 t,
// spin about z.
static const char pendulum[] =
    "planar: true\ngravity: 9.81\n"
    "bodies:\n  bob: {mass: 0.7, inertia: 0.02, position: [1.3, 0], frames: {top: [-1.3, 0]}}\n"
    "joints:\n  pin: {type: revolute, a: ground, b: bob.top}\n"
    "outputs:\n  height: bob.y + 1.3\n"
    "run: {end: 0.6, output_step: 0.02}\n";

static tml_comparison *compare_with(const tml_model *m, const tml_compare_def *def)
{
    tml_error err = {0};
    tml_comparison *c = NULL;
    OK(tml_compare(m, def, &c, &err));
    return c;
}

static const double some_tols[] = {1e-4, 1e-2, 1e-3};

// ---- measures ---------------------------------------------------------------------------------------------

static void quaternion_angle(void **state)
{
    (void)state;
    rng r = rng_seed(11);
    for (int k = 0; k < 100; k++) {
        double a[4], b[4], axis[3], n = 0, m = 0;
        const double angle = pow(10, rng_range(&r, -9, 0.4));
        for (int i = 0; i < 4; i++) a[i] = rng_range(&r, -1, 1), n += a[i] * a[i];
        for (int i = 0; i < 3; i++) axis[i] = rng_range(&r, -1, 1), m += axis[i] * axis[i];
        for (int i = 0; i < 4; i++) a[i] /= sqrt(n);
        const double c = cos(angle / 2), s = sin(angle / 2) / sqrt(m);
        const double d[4] = {c, s * axis[0], s * axis[1], s * axis[2]},
                     sign = k % 2 ? -1 : 1;  // -q is the same rotation
        b[0] = sign * (a[0] * d[0] - a[1] * d[1] - a[2] * d[2] - a[3] * d[3]);
        b[1] = sign * (a[0] * d[1] + a[1] * d[0] + a[2] * d[3] - a[3] * d[2]);
        b[2] = sign * (a[0] * d[2] - a[1] * d[3] + a[2] * d[0] + a[3] * d[1]);
        b[3] = sign * (a[0] * d[3] + a[1] * d[2] - a[2] * d[1] + a[3] * d[0]);
        CHECK_CLOSE(tmli_quaternion_angle(a, b), angle,
                    1e-15 + 1e-14 * angle);  // some roundings of numbers up to 1
    }
}

// Known differences of single channels give the errors of compare.h.
static void errors_by_definition(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *m = text_model(pendulum);
    tml_sim *sim = start_sim(m, NULL);
    tmli_signals s;
    OK(tmli_signals_init(&s, sim, &err));
    double *a = calloc((size_t)s.n, sizeof *a), *b = calloc((size_t)s.n, sizeof *b);
    a[channel_index(sim, "bob.q0")] = b[channel_index(sim, "bob.q0")] = 1;
    b[channel_index(sim, "bob.vx")] = 3;
    b[channel_index(sim, "bob.wz")] = 5;
    b[channel_index(sim, "pin.fx")] = -20;
    tmli_samples r = {.signals = &s};
    OK(tmli_samples_add(&r, b, &err));
    tmli_scales scales;
    OK(tmli_scales_init(&scales, &r, &err));
    const double L = s.length;
    assert_true(L > 0.5);
    CHECK_CLOSE(scales.velocity, fmax(3, 5 * L), 1e-15);
    CHECK_CLOSE(scales.force, 20, 1e-15);
    memcpy(a, b, (size_t)s.n * sizeof *a);
    a[channel_index(sim, "bob.y")] += 1e-3;
    a[channel_index(sim, "bob.wz")] += 2e-3;
    a[channel_index(sim, "pin.mz")] += 1e-2;
    tml_errors e = {NAN, NAN, NAN};
    tmli_errors_add(&s, &scales, a, b, &e);
    CHECK_CLOSE(e.position, 1e-3 / L, 1e-15);
    CHECK_CLOSE(e.velocity, L * 2e-3 / scales.velocity, 1e-15);
    CHECK_CLOSE(e.multiplier, 1e-2 / L / 20, 1e-15);
    a[channel_index(sim, "bob.q0")] = cos(0.05);  // a turn by 0.1 rad outweighs the millimetre
    a[channel_index(sim, "bob.q3")] = sin(0.05);
    a[channel_index(sim, "pin.fx")] = NAN;
    tmli_errors_add(&s, &scales, a, b, &e);
    CHECK_CLOSE(e.position, 0.1, 1e-14);
    assert_true(isinf(e.multiplier));
    free(a);
    free(b);
    tmli_samples_clear(&r);
    tmli_scales_clear(&scales, &s.env);
    tmli_signals_clear(&s);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// ---- compare ----------------------------------------------------------------------------------------------

// Rows from loose to tight; errors follow the tolerance; the reference is good enough to tell them.
static void work_and_precision(void **state)
{
    (void)state;
    tml_model *m = text_model(pendulum);
    const char *methods[] = {"genalpha"};
    tml_compare_def def = tml_compare_def_default();
    def.methods = methods;
    def.method_count = 1;
    def.tols = some_tols;
    def.tol_count = 3;
    tml_comparison *c = compare_with(m, &def);
    assert_int_equal(c->row_count, 3);
    assert_int_equal(c->output_times, 31);
    assert_int_equal(c->skipped_count, 0);
    assert_true(c->reference[0] && c->check[0] && !c->stopped);
    for (int i = 0; i < 3; i++) {
        const tml_compare_row *r = &c->rows[i];
        const double tol = pow(10, -2 - i);
        assert_int_equal(r->outcome, TML_COMPARE_DONE);
        assert_string_equal(r->method, "genalpha");
        CHECK_CLOSE(r->tol, tol, 1e-18);
        // the promise of the tolerance: positions to it; here some tenths of it
        assert_true(r->error.position < tol && r->error.position > 1e-3 * tol);
        assert_true(r->error.velocity > 0 && r->error.multiplier > 0);
        assert_true(c->uncertainty.position < 0.2 * r->error.position);
        assert_true(r->count.steps > 0 && r->cpu_seconds > 0 && r->note[0] == 0);
        CHECK_CLOSE(r->t, 0.6, 1e-15);
        if (i > 0)
            assert_true(r->count.steps > 2 * r[-1].count.steps && r->error.position < r[-1].error.position);
    }
    tml_comparison_destroy(c);
    tml_model_destroy(m);
}

// Fixed steps show the order: a quarter of the step, a sixteenth of the error.
static void fixed_steps(void **state)
{
    (void)state;
    tml_model *m = text_model(pendulum);
    const char *methods[] = {"genalpha"};
    const double steps[] = {5e-3, 2e-2};
    tml_compare_def def = tml_compare_def_default();
    def.methods = methods;
    def.method_count = 1;
    def.steps = steps;
    def.step_count = 2;
    def.reference_method = "genalpha";
    def.reference_tol = 1e-6;
    tml_comparison *c = compare_with(m, &def);
    assert_true(c->rows[0].step == 2e-2 && c->rows[1].step == 5e-3 && c->rows[0].tol == 0);
    assert_int_equal(c->rows[0].count.steps, 30);
    const double order = log(c->rows[0].error.position / c->rows[1].error.position) / log(4);
    CHECK_CLOSE(order, 2, 0.1);  // method order; the next term of the error is some hundredths at h = 2e-2
    assert_string_equal(c->reference, "genalpha at 1e-06");
    assert_string_equal(c->check, "genalpha at 1e-05");
    tml_comparison_destroy(c);
    tml_model_destroy(m);
}

// With any number of threads the same bits, times apart.
static void threads_change_nothing(void **state)
{
    (void)state;
    tml_model *m = load_model("four_bar", (tml_parameter){0}, NULL);
    tml_run_def run = *tml_model_run(m);
    run.end = run.start + 0.05 * (run.end - run.start);
    run.output_step = 0;
    const double tols[] = {1e-2, 1e-3, 1e-4, 3e-5};
    tml_compare_def def = tml_compare_def_default();
    def.run = &run;
    def.tols = tols;
    def.tol_count = 4;
    def.budget = 0;  // nothing is stopped by time
    def.threads = 1;
    def.reference_method = "genalpha";
    def.reference_tol = 1e-5;
    tml_comparison *one = compare_with(m, &def);
    def.threads = 3;
    tml_comparison *many = compare_with(m, &def);
    assert_int_equal(one->row_count, many->row_count);
    assert_string_equal(one->reference, many->reference);
    assert_memory_equal(&one->uncertainty, &many->uncertainty, sizeof one->uncertainty);
    for (int i = 0; i < one->row_count; i++) {
        const tml_compare_row *a = &one->rows[i], *b = &many->rows[i];
        assert_int_equal(a->outcome, b->outcome);
        assert_string_equal(a->method, b->method);
        if (a->outcome != TML_COMPARE_DONE) continue;
        assert_memory_equal(&a->error, &b->error, sizeof a->error);
        assert_memory_equal(&a->count, &b->count, sizeof a->count);
    }
    tml_comparison_destroy(one);
    tml_comparison_destroy(many);
    tml_model_destroy(m);
}

// A limit too small for tight runs: they say so, loose ones are there, and it ends in time.
static void time_limits(void **state)
{
    (void)state;
    tml_model *m = load_model("andrews", (tml_parameter){0}, NULL);
    const char *methods[] = {"genalpha"};
    const double tols[] = {1e-1, 1e-9, 1e-10}, unit = getenv("TRAMMEL_SLOW_BUILD") ? 10 : 1;
    tml_compare_def def = tml_compare_def_default();
    def.methods = methods;
    def.method_count = 1;
    def.tols = tols;
    def.tol_count = 3;
    def.threads = 1;
    def.budget = 0;  // wall time depends on what else runs
    def.limit = 0.3 * unit;
    def.reference_method = "genalpha";
    def.reference_tol = 1e-2;
    tml_comparison *c = compare_with(m, &def);
    assert_int_equal(c->rows[0].outcome, TML_COMPARE_DONE);
    assert_int_equal(c->rows[1].outcome, TML_COMPARE_STOPPED);
    assert_non_null(strstr(c->rows[1].note, "stopped after "));
    assert_true(c->rows[1].cpu_seconds > 0.3 * unit && c->rows[1].cpu_seconds < 0.6 * unit &&
                c->rows[1].t < 0.03 && isnan(c->rows[1].error.position));
    assert_int_equal(c->rows[2].outcome, TML_COMPARE_LEFT_OUT);
    assert_non_null(strstr(c->rows[2].note, "looser tolerance was stopped"));
    tml_comparison_destroy(c);
    // a budget too small for a tight reference: a looser one is found, and nothing runs away
    const tml_compare_def plain = tml_compare_def_default();
    def = plain;
    def.methods = methods;
    def.method_count = 1;
    def.budget = unit;
    c = compare_with(m, &def);
    assert_true(c->rows[6].outcome == TML_COMPARE_STOPPED || c->rows[6].outcome == TML_COMPARE_LEFT_OUT);
    for (int i = 0; i < c->row_count; i++)
        assert_true(c->rows[i].note[0] || c->rows[i].outcome == TML_COMPARE_DONE);
    assert_true(c->wall_seconds < 600);  // one unit on a free machine
    tml_comparison_destroy(c);
    tml_model_destroy(m);
}

static tml_status stop_soon(const tml_compare_progress *p, void *user)
{
    int *calls = user;
    assert_non_null(p->method);
    assert_true(p->part >= 0 && p->part <= 1);
    return ++*calls >= 2 ? TML_ERR_STOPPED : TML_OK;
}

static void stopping(void **state)
{
    (void)state;
    tml_model *m = load_model("andrews", (tml_parameter){0}, NULL);
    const char *methods[] = {"genalpha"};
    const double tols[] = {1e-9, 1e-10};
    int calls = 0;
    tml_compare_def def = tml_compare_def_default();
    def.methods = methods;
    def.method_count = 1;
    def.tols = tols;
    def.tol_count = 2;
    def.threads = 1;
    def.reference_method = "genalpha";
    def.reference_tol = 1e-3;
    def.on_progress = stop_soon;
    def.user = &calls;
    tml_comparison *c = compare_with(m, &def);
    assert_true(c->stopped);
    assert_int_equal(calls, 2);
    for (int i = 0; i < 2; i++) assert_int_equal(c->rows[i].outcome, TML_COMPARE_LEFT_OUT);
    tml_comparison_destroy(c);
    tml_model_destroy(m);
}

// A run that fails is a row with a reason.
static void failures_stay(void **state)
{
    (void)state;
    tml_model *m =
        text_model("bodies:\n  ball: {mass: 1, point: true, position: [1, 0, 0], velocity: [-1, 0, 0]}\n"
                   "forces:\n  pull: {type: applied, at: ball, force: [sqrt(ball.x - 0.5), 0, 0]}\n"
                   "run: {end: 1}\n");
    const char *methods[] = {"genalpha"};
    const double steps[] = {0.4, 0.01};
    tml_compare_def def = tml_compare_def_default();
    def.methods = methods;
    def.method_count = 1;
    def.steps = steps;
    def.step_count = 2;
    def.reference_file = "never.csv";
    tml_error err = {0};
    tml_comparison *c = NULL;
    assert_int_equal(tml_compare(m, &def, &c, &err), TML_ERR_IO);
    assert_null(c);
    def.reference_file = NULL;
    c = compare_with(m, &def);
    assert_true(c->reference[0] == 0 && c->check[0]);  // no run gets through: no reference, and it says why
    for (int i = 0; i < 2; i++) {
        assert_int_equal(c->rows[i].outcome, TML_COMPARE_FAILED);
        assert_true(c->rows[i].status != TML_OK && strstr(c->rows[i].note, "failed: "));
        assert_true(isnan(c->rows[i].error.position));
    }
    tml_comparison_destroy(c);
    tml_model_destroy(m);
}

static void expect(const tml_model *m, const tml_compare_def *def, tml_status status, const char *words)
{
    tml_error err = {0};
    tml_comparison *c = NULL;
    assert_int_equal(tml_compare(m, def, &c, &err), status);
    assert_null(c);
    if (!strstr(err.msg, words)) fail_msg("'%s' is not in '%s'", words, err.msg);
}

static void wrong_arguments(void **state)
{
    (void)state;
    tml_model *m = text_model(pendulum);
    const tml_compare_def good = tml_compare_def_default();
    tml_compare_def def = good;
    const char *misspelt[] = {"genalfa"}, *twice[] = {"genalpha", "genalpha"};
    def.methods = misspelt;
    def.method_count = 1;
    expect(m, &def, TML_ERR_NAME, "There is no method 'genalfa' (is it 'genalpha'?)");
    def.methods = twice;
    def.method_count = 2;
    expect(m, &def, TML_ERR_ARG, "given twice");
    def = good;
    def.tols = (const double[]){1e-3, -1};
    def.tol_count = 2;
    expect(m, &def, TML_ERR_ARG, "greater than 0");
    def.tols = (const double[]){1e-3, 1e-3};
    expect(m, &def, TML_ERR_ARG, "given twice");
    def = good;
    def.reference_method = "genalpa";
    def.reference_tol = 1e-4;
    expect(m, &def, TML_ERR_NAME, "genalpha");
    def = good;
    def.size = 3;
    expect(m, &def, TML_ERR_ARG, "default");
    def = good;
    def.budget = -1;
    expect(m, &def, TML_ERR_ARG, "negative");
    tml_comparison_destroy(NULL);
    tml_model_destroy(m);
}

// ---- verify -----------------------------------------------------------------------------------------------

static tml_verification *verify_with(const tml_model *m, const tml_verify_def *def)
{
    tml_error err = {0};
    tml_verification *v = NULL;
    OK(tml_verify(m, def, &v, &err));
    return v;
}

static const tml_verify_signal *find(const tml_verification *v, const char *name)
{
    for (int i = 0; i < v->signal_count; i++)
        if (strcmp(v->signals[i].name, name) == 0) return &v->signals[i];
    fail_msg("there is no signal '%s'", name);
    return NULL;
}

static void verified(void **state)
{
    (void)state;
    tml_model *m = text_model(pendulum);
    tml_run_def run = *tml_model_run(m);
    run.tol = 1e-4;
    run.method = "genalpha";
    tml_verify_def def = tml_verify_def_default();
    def.run = &run;
    tml_verification *v = verify_with(m, &def);
    assert_true(v->met && v->ratio > 1e-3 && v->ratio <= 1);
    assert_int_equal(v->output_times, 31);
    CHECK_CLOSE(v->better.rtol, 1e-6, 1e-20);
    assert_true(v->better.count.steps > 5 * v->asked.count.steps);  // order 2: 10 times as many
    for (int i = 1; i < v->signal_count; i++) assert_true(v->signals[i].digits >= v->signals[i - 1].digits);
    // an output, a joint's coordinate and the body tell of the same difference
    const tml_verify_signal *y = find(v, "bob.y"), *height = find(v, "height"),
                            *turn = find(v, "bob.orientation");
    CHECK_CLOSE(height->difference, y->difference, 1e-14);  // a constant was added to numbers of about 1
    CHECK_CLOSE(find(v, "pin.angle")->difference, turn->difference, 1e-14);
    assert_int_equal(height->kind, TML_SIGNAL_OUTPUT);
    assert_int_equal(turn->kind, TML_SIGNAL_ORIENTATION);
    CHECK_CLOSE(y->scale, v->length, 1e-15);
    CHECK_CLOSE(y->digits, -log10(y->difference / v->length), 1e-12);
    assert_true(find(v, "bob.z")->digits == 16);
    assert_int_equal(find(v, "pin.fx")->kind, TML_SIGNAL_REACTION);
    assert_int_equal(find(v, "energy.kinetic")->kind, TML_SIGNAL_ENERGY);
    tml_verification_destroy(v);
    def.threads = 1;
    tml_verification *again = verify_with(m, &def);
    def.threads = 2;
    v = verify_with(m, &def);
    assert_true(v->ratio == again->ratio && v->signal_count == again->signal_count);
    for (int i = 0; i < v->signal_count; i++)
        assert_true(v->signals[i].difference == again->signals[i].difference);
    tml_verification_destroy(v);
    tml_verification_destroy(again);
    tml_model_destroy(m);
}

// A large fixed step does not meet the tolerance beside it.
static void not_verified(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *m = text_model(pendulum);
    tml_run_def run = *tml_model_run(m);
    run.step = 0.05;
    run.tol = 1e-4;
    tml_verify_def def = tml_verify_def_default();
    def.run = &run;
    tml_verification *v = verify_with(m, &def);
    assert_true(!v->met && v->ratio > 10 && v->ratio_name);
    assert_true(v->better.step == 0 && v->asked.step == 0.05);
    tml_verification_destroy(v);
    def.with = "genalpa";
    assert_int_equal(tml_verify(m, &def, &v, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "is it 'genalpha'?"));
    def.with = NULL;
    def.factor = 0.5;
    assert_int_equal(tml_verify(m, &def, &v, &err), TML_ERR_ARG);
    tml_verification_destroy(NULL);
    tml_model_destroy(m);
}

// Runs that end by an event end at slightly different times: common times are compared.
static void verified_to_an_event(void **state)
{
    (void)state;
    char text[800];
    snprintf(text, sizeof text, "%sevents:\n  down: {when: pin.angle + 1}\n", pendulum);
    tml_model *m = text_model(text);
    tml_verify_def def = tml_verify_def_default();
    tml_verification *v = verify_with(m, &def);
    assert_string_equal(v->asked.event, "down");
    assert_string_equal(v->better.event, "down");
    assert_true(v->met && v->output_times > 10 && v->output_times < 31);
    CHECK_CLOSE(v->asked.t, v->better.t, 1e-4);  // the tolerance
    tml_verification_destroy(v);
    tml_model_destroy(m);
}

// ---- memory -----------------------------------------------------------------------------------------------

// One thread: the counter is not made for more.
static tml_status all_of_it(const tml_env *env)
{
    tml_spec *spec = NULL;
    tml_model *m = NULL;
    tml_comparison *c = NULL;
    tml_verification *v = NULL;
    const char *methods[] = {"genalpha"};
    tml_compare_def def = tml_compare_def_default();
    def.methods = methods;
    def.method_count = 1;
    def.tols = (const double[]){1e-2};
    def.tol_count = 1;
    def.reference_method = "genalpha";
    def.reference_tol = 1e-3;
    def.threads = 1;
    tml_run_def run = tml_run_def_default();
    run.end = 0.1;
    run.output_step = 0.02;
    run.tol = 1e-2;
    def.run = &run;
    tml_verify_def vdef = tml_verify_def_default();
    vdef.run = &run;
    vdef.factor = 2;
    vdef.threads = 1;
    tml_status st = tml_spec_parse(pendulum, strlen(pendulum), "p.yaml", NULL, 0, env, &spec, NULL);
    if (st == TML_OK) st = tml_model_build(spec, &m, NULL);
    if (st == TML_OK) st = tml_compare(m, &def, &c, NULL);
    // a run without memory is a row that says so
    for (int i = 0; st == TML_OK && i < c->row_count; i++)
        if (c->rows[i].outcome == TML_COMPARE_FAILED) st = c->rows[i].status;
    if (st == TML_OK && !c->check[0]) st = TML_ERR_NOMEM;  // the check of the reference did not run
    if (st == TML_OK) st = tml_verify(m, &vdef, &v, NULL);
    tml_verification_destroy(v);
    tml_comparison_destroy(c);
    tml_model_destroy(m);
    tml_spec_destroy(spec);
    return st;
}

static void exhausted_memory(void **state)
{
    (void)state;
    counter c = {0};
    tml_env env = count_env(&c);
    assert_int_equal(all_of_it(&env), TML_OK);
    const long calls = c.calls;
    assert_int_equal(c.live, 0);
    // neighbours are alike
    const long stride = less_if_slow("all but every 13th allocation; plain is every 3rd; 20 s") ? 13 : 3;
    for (long k = 1; k <= calls; k += stride) {
        c = (counter){.fail_at = k};
        const tml_status st = all_of_it(&env);
        if (st != TML_ERR_NOMEM) fail_msg("allocation %ld of %ld: %s", k, calls, tml_status_name(st));
        assert_int_equal(c.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quaternion_angle),
        cmocka_unit_test(errors_by_definition),
        cmocka_unit_test(work_and_precision),
        cmocka_unit_test(fixed_steps),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(time_limits),
        cmocka_unit_test(stopping),
        cmocka_unit_test(failures_stay),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(verified),
        cmocka_unit_test(not_verified),
        cmocka_unit_test(verified_to_an_event),
        cmocka_unit_test(exhausted_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
