// A model is shared by threads, a simulation belongs to one: the bits of every run are those of the same run
// alone. Run under the thread sanitizer, too (preset tsan).
#include "sim_fixture.h"

#include <pthread.h>

typedef struct job {
    const tml_model *model;
    const char *solver;
    double end, tol;
    uint64_t hash;  // of all outputs and of the final state
    long steps;
    tml_status status;
    tml_error err;
} job;

static tml_status mix(const tml_sim *sim, const tml_state *x, void *user)
{
    (void)sim;
    job *j = user;
    j->hash = (j->hash ^ state_hash(x)) * 0x9E3779B97F4A7C15u;
    return TML_OK;
}

// No assertions in here: cmocka's belong to the main thread.
static void *work(void *user)
{
    job *j = user;
    tml_run_def run = *tml_model_run(j->model);
    run.solver = j->solver;
    run.end = j->end;
    run.tol = j->tol;
    tml_sim *sim = NULL;
    j->hash = 0;
    j->status = tml_sim_create(j->model, &run, &sim, &j->err);
    if (j->status == TML_OK) {
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = mix, .user = j});
        j->status = tml_sim_run(sim, NAN, &j->err);
    }
    if (j->status == TML_OK) {
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        j->steps = report.count.steps;
        mix(sim, tml_sim_state(sim), j);
    }
    tml_sim_destroy(sim);
    return NULL;
}

static void succeeded(const job *j)
{
    if (j->status != TML_OK) fail_msg("%s", j->err.msg);
    assert_true(j->steps > 5);
}

// Each job alone, again alone, then all at once: the same bits.
static void compare(const job *jobs, int count)
{
    job alone[4], again[4], together[4];
    pthread_t thread[4];
    for (int i = 0; i < count; i++) {
        alone[i] = again[i] = together[i] = jobs[i];
        work(&alone[i]);
        succeeded(&alone[i]);
        work(&again[i]);
        assert_true(alone[i].hash == again[i].hash);
    }
    for (int i = 0; i < count; i++) assert_int_equal(pthread_create(&thread[i], NULL, work, &together[i]), 0);
    for (int i = 0; i < count; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < count; i++) {
        succeeded(&together[i]);
        assert_int_equal(together[i].steps, alone[i].steps);
        assert_true(together[i].hash == alone[i].hash);
    }
}

static void one_model(void **state)
{
    (void)state;
    tml_model *m = load_model("governor", (tml_parameter){0}, NULL);
    const job jobs[] = {{.model = m, .solver = "block", .end = 0.21, .tol = 1e-4},
                        {.model = m, .solver = "block", .end = 0.21, .tol = 1e-4},
                        {.model = m, .solver = "klu", .end = 0.17, .tol = 3e-4},
                        {.model = m, .solver = "dense", .end = 0.19, .tol = 2e-4}};
    compare(jobs, 4);
    tml_model_destroy(m);
}

static void two_models(void **state)
{
    (void)state;
    tml_model *a = load_model("chain", (tml_parameter){0}, NULL);
    tml_model *b = load_model("slider_crank", (tml_parameter){0}, NULL);
    const job jobs[] = {{.model = a, .solver = "auto", .end = 0.31, .tol = 1e-7},
                        {.model = b, .solver = "auto", .end = 0.053, .tol = 1e-7}};
    compare(jobs, 2);
    tml_model_destroy(a);
    tml_model_destroy(b);
}

// The hash tells runs apart: another tolerance gives other bits.
static void hash_differs(void **state)
{
    (void)state;
    tml_model *m = load_model("chain", (tml_parameter){0}, NULL);
    job a = {.model = m, .end = 0.53, .tol = 1e-4}, b = a;
    b.tol = 1.01e-4;
    work(&a);
    work(&b);
    succeeded(&a);
    succeeded(&b);
    assert_true(a.hash != b.hash);
    tml_model_destroy(m);
}

// A model built again from the same text, elsewhere in memory: the same bits.
static void rebuilt(void **state)
{
    (void)state;
    uint64_t hash[2];
    void *gap = NULL;
    for (int i = 0; i < 2; i++) {
        tml_model *m = load_model("suspension", (tml_parameter){0}, NULL);
        job j = {.model = m, .solver = "auto", .end = 0.31, .tol = 1e-8};
        work(&j);
        succeeded(&j);
        hash[i] = j.hash;
        if (i == 0) gap = malloc(100003);
        tml_model_destroy(m);
    }
    free(gap);
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_model), cmocka_unit_test(two_models),
                                       cmocka_unit_test(hash_differs), cmocka_unit_test(rebuilt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
