// One model shared by threads: simulations with different active rows, at the same time, have the bits of the
// same simulations one after the other. The model and its system are constant.
#include "support/support.h"
#include <pthread.h>
#include <string.h>
#include <trammel/sim.h>
#include <trammel/spec.h>

enum { SIMS = 4, ROWS = 200 };

typedef struct job {
    const tml_model *model;
    const char *method;
    double speed;  // of the first crank, in addition [rad/s]
    double q[ROWS];
    int count;
    long singular;
    int inactive_steps;     // accepted states with inactive rows
    double first_inactive;  // the first of them [s]
    char msg[1200];
} job;

// Which rows are inactive is a property of the state.
static tml_status see_rows(const tml_sim *sim, double t, double h, void *user)
{
    job *const j = user;
    (void)h;
    if (tml_sim_state(sim)->inactive->count == 0) return TML_OK;
    if (j->inactive_steps++ == 0) j->first_inactive = t;
    return TML_OK;
}

static void *work(void *user)
{
    job *const j = user;
    const tml_system *sys = tml_model_system(j->model);
    tml_error err = {0};
    tml_state *x = NULL;
    tml_sim *sim = NULL;
    tml_run_def run = *tml_model_run(j->model);
    run.method = j->method;
    run.kinematics = TML_KINEMATICS_BODIES;  // states with the rows that are integrated
    tml_sim_def def = tml_sim_def_default();
    tml_status st = tml_state_create(sys, &x, &err);
    if (st == TML_OK) {
        tml_model_start(j->model, 0, x);
        x->u[2] += j->speed;  // the rest follows from the constraints
        def.model = j->model;
        def.x0 = x;
        def.run = &run;
        st = tml_sim_create_def(&def, &sim, &err);
    }
    if (st == TML_OK) tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = see_rows, .user = j});
    for (int i = 1; i <= 20 && st == TML_OK; i++) {
        st = tml_sim_run(sim, 0.25 * i, &err);
        for (int k = 0; k < sys->nq && j->count < ROWS; k++) j->q[j->count++] = tml_sim_state(sim)->q[k];
    }
    if (st == TML_OK) {
        tml_sim_report r;
        tml_sim_get_report(sim, &r);
        j->singular = r.count.singular;
    } else {
        snprintf(j->msg, sizeof j->msg, "%s", err.msg);
    }
    tml_sim_destroy(sim);
    tml_state_destroy(x, sys);
    return NULL;
}

static void same_bits(void **state)
{
    (void)state;
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/models/folded_parallelogram.yaml", root ? root : ".");
    tml_error err;
    tml_spec *spec;
    tml_model *model;
    assert_int_equal(tml_spec_read(path, NULL, 0, NULL, &spec, &err), TML_OK);
    assert_int_equal(tml_model_build(spec, &model, &err), TML_OK);
    tml_spec_destroy(spec);
    static const char *const methods[SIMS] = {"bdf", "genalpha", "for-sdirk", "bdf"};
    static job alone[SIMS], together[SIMS];
    pthread_t thread[SIMS];
    int with_inactive = 0;
    const tml_system before = *tml_model_system(model);
    for (int i = 0; i < SIMS; i++) {
        alone[i] = (job){.model = model, .method = methods[i], .speed = 0.4 * i};
        together[i] = alone[i];
        work(&alone[i]);
        assert_string_equal(alone[i].msg, "");
        assert_true(alone[i].singular > 0);
        printf("%s: %d states with inactive rows, from t = %g s\n", methods[i], alone[i].inactive_steps,
               alone[i].first_inactive);
        with_inactive += alone[i].inactive_steps > 0;
        for (int k = 0; k < i && alone[i].inactive_steps > 0; k++)
            assert_true(alone[i].first_inactive != alone[k].first_inactive);
    }
    assert_true(with_inactive >= 2);  // a step may pass the singular configuration without releasing a row
    for (int i = 0; i < SIMS; i++) assert_int_equal(pthread_create(&thread[i], NULL, work, &together[i]), 0);
    for (int i = 0; i < SIMS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < SIMS; i++) {
        assert_int_equal(alone[i].count, together[i].count);
        assert_memory_equal(alone[i].q, together[i].q, sizeof alone[i].q);
        assert_int_equal(alone[i].singular, together[i].singular);
        assert_int_equal(alone[i].inactive_steps, together[i].inactive_steps);
        assert_true(alone[i].first_inactive == together[i].first_inactive);
    }
    assert_memory_equal(&before, tml_model_system(model), sizeof before);
    assert_memory_not_equal(alone[0].q, alone[3].q, sizeof alone[0].q);
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
