// A simulation of systems of callbacks with rows at velocity level: outputs satisfy them, with every method.
#include "integrate/velocity_problems.h"
#include "sim_fixture.h"

typedef struct watch {
    const tml_system *sys;
    void *work;
    int count;
    double off, error, energy;
    bool disc;
} watch;

static tml_status look(const tml_sim *sim, const tml_state *x, void *user)
{
    (void)sim;
    watch *w = user;
    double phi[4], q[SKATE_N], u[SKATE_N], lambda;
    assert_int_equal(w->sys->ops->velocity(w->sys->self, w->work, x, phi, NULL), TML_OK);
    for (int i = 0; i < w->sys->m; i++) w->off = fmax(w->off, fabs(phi[i]));
    if (w->disc) {
        if (w->count == 0) w->energy = disc_energy(x);
        w->error = fmax(w->error, fabs(disc_energy(x) / w->energy - 1));
    } else {
        skate_exact(x->t, q, u, &lambda);
        for (int i = 0; i < SKATE_N; i++) w->error = fmax(w->error, fabs(x->q[i] - q[i]));
        w->error = fmax(w->error, fabs(x->lambda[0] - lambda) / 17);  // the largest force
    }
    w->count++;
    return TML_OK;
}

static watch simulate(bool disc, bool redundant, const char *method)
{
    const tml_user_system_def def = disc ? disc_def(redundant) : skate_def();
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tml_sim *sim = NULL;
    tml_error err = {0};
    tml_run_def run = tml_run_def_default();
    double lambda;
    run.end = 1;
    run.tol = 1e-5;
    run.output_step = 0.043;
    run.method = method;
    OK(tml_system_create_user(&def, NULL, &sys, &err));
    OK(tml_state_create(sys, &x, &err));
    if (disc) disc_start(x->q, x->u);
    else skate_exact(0, x->q, x->u, &lambda);
    watch w = {.sys = sys, .work = sys->ops->create_work(sys->self, NULL), .disc = disc};
    OK(tml_sim_create_system(sys, x, &run, &sim, &err));
    tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = look, .user = &w});
    OK(tml_sim_run(sim, NAN, &err));
    tml_sim_destroy(sim);
    sys->ops->destroy_work(w.work);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
    return w;
}

static void test_methods(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int i = -1; i < 0 || tml_methods[i]; i++) {
            const char *name = i < 0 ? "auto" : tml_methods[i]->name;
            const watch w = simulate(kind > 0, kind == 2, name);
            printf("%d %-12s off %8.1e error %8.1e\n", kind, name, w.off, w.error);
            assert_true(w.count > 20);
            CHECK_SMALL(w.off, 1e-12);
            CHECK_SMALL(w.error, 2e-5);
        }
}

// The last state of a run of the disc. interrupted: saved half-way, loaded and continued.
static void last_state(const char *method, bool interrupted, double u[DISC_N])
{
    const tml_user_system_def user = disc_def(false);
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tml_sim *sim = NULL, *second = NULL;
    tml_error err = {0};
    tml_run_def run = tml_run_def_default();
    run.end = 1;
    run.tol = 1e-4;
    run.method = method;
    OK(tml_system_create_user(&user, NULL, &sys, &err));
    OK(tml_state_create(sys, &x, &err));
    disc_start(x->q, x->u);
    tml_sim_def def = tml_sim_def_default();
    def.system = sys;
    def.x0 = x;
    def.run = &run;
    OK(tml_sim_create_def(&def, &sim, &err));
    OK(tml_sim_run(sim, 0.5, &err));
    if (interrupted) {
        size_t size = 0;
        OK(tml_sim_save_memory(sim, NULL, 0, &size, &err));
        void *data = malloc(size);
        assert_non_null(data);
        OK(tml_sim_save_memory(sim, data, size, &size, &err));
        OK(tml_sim_load_memory(&def, data, size, &second, &err));
        free(data);
    }
    tml_sim *const used = interrupted ? second : sim;
    OK(tml_sim_run(used, 1, &err));
    memcpy(u, tml_sim_state(used)->u, DISC_N * sizeof(double));
    tml_sim_destroy(sim);
    tml_sim_destroy(second);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
}

static void test_saved(void **state)
{
    (void)state;
    for (int i = 0; tml_methods[i]; i++) {
        double u[2][DISC_N];
        last_state(tml_methods[i]->name, false, u[0]);
        last_state(tml_methods[i]->name, true, u[1]);
        if (memcmp(u[0], u[1], sizeof u[0]) != 0) fail_msg("%s goes on in another way", tml_methods[i]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods), cmocka_unit_test(test_saved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
