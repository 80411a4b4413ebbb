// One thread at a time: calls from another one are refused with both names, and the run does not notice them.
#include "sim_fixture.h"

#include <pthread.h>
#include <string.h>
#include <trammel/trammel.h>

static const char *const TEXT =
    "planar: true\n"
    "gravity: 9.81\n"
    "inputs: {push: {value: 1, unit: N}}\n"
    "bodies:\n"
    "  bob: {mass: 0.7, inertia: 0.02, position: [1.3, 0], frames: {top: [-1.3, 0]}}\n"
    "joints:\n"
    "  pin: {type: revolute, a: ground, b: bob.top}\n"
    "forces:\n"
    "  f: {type: applied, at: bob, force: [push, 0]}\n"
    "run: {end: 0.2, output_step: 0.1, tol: 1e-6}\n";

enum { CALLS = 9 };

typedef struct try_out {
    tml_sim *sim;
    tml_state *x;
    double *row;
    char *bytes;
    size_t size;
    tml_status st[CALLS];
    tml_error err[CALLS];
} try_out;

static const char *const NAMES[CALLS] = {
    "tml_sim_step", "tml_sim_run",       "tml_sim_advance_to",  "tml_sim_state_at",      "tml_sim_restart",
    "tml_sim_save", "tml_sim_set_input", "tml_sim_save_memory", "tml_sim_channel_values"};

// All calls that need the simulation for themselves, from whatever thread.
static void *try_calls(void *user)
{
    try_out *t = user;
    int i = 0;
    t->st[i] = tml_sim_step(t->sim, 1, &t->err[i]), i++;
    t->st[i] = tml_sim_run(t->sim, 1, &t->err[i]), i++;
    t->st[i] = tml_sim_advance_to(t->sim, 1, t->x, &t->err[i]), i++;
    t->st[i] = tml_sim_state_at(t->sim, tml_sim_time(t->sim), t->x, &t->err[i]), i++;
    t->st[i] = tml_sim_restart(t->sim, t->x, &t->err[i]), i++;
    t->st[i] = tml_sim_save(t->sim, "owner.state", &t->err[i]), i++;
    t->st[i] = tml_sim_set_input(t->sim, 0, 5, 0, &t->err[i]), i++;
    t->st[i] = tml_sim_save_memory(t->sim, t->bytes, t->size, &(size_t){0}, &t->err[i]), i++;
    t->st[i] = tml_sim_channel_values(t->sim, t->x, t->row, &t->err[i]), i++;
    return NULL;
}

// In each step another thread tries everything; then the hook's own thread asks for a row.
static tml_status on_step(const tml_sim *sim, double t, double h, void *user)
{
    (void)t, (void)h;
    try_out *o = user;
    pthread_t other;
    tml_error err = {0};
    assert_int_equal(pthread_create(&other, NULL, try_calls, o), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(tml_sim_channel_values(sim, tml_sim_state(sim), o->row, &err), TML_OK);
    return TML_OK;
}

static void another_thread_is_refused(void **unused)
{
    (void)unused;
    tml_model *model = text_model(TEXT);
    tml_sim *alone = NULL, *sim = NULL;
    tml_error err = {0};
    assert_int_equal(tml_sim_create(model, tml_model_run(model), &alone, &err), TML_OK);
    assert_int_equal(tml_sim_create(model, tml_model_run(model), &sim, &err), TML_OK);
    assert_int_equal(tml_sim_run(alone, NAN, &err), TML_OK);

    try_out o = {.sim = sim};
    assert_int_equal(tml_state_create(tml_sim_system(sim), &o.x, &err), TML_OK);
    o.row = calloc((size_t)tml_sim_channel_count(sim), sizeof *o.row);
    assert_int_equal(tml_sim_save_memory(sim, NULL, 0, &o.size, &err), TML_OK);
    o.size *= 2;
    o.bytes = malloc(o.size);
    assert_true(o.x && o.row && o.bytes);
    tml_state_copy(o.x, tml_sim_state(sim));
    tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = on_step, .user = &o});
    assert_int_equal(tml_sim_run(sim, NAN, &err), TML_OK);
    for (int i = 0; i < CALLS; i++) {
        assert_int_equal(o.st[i], TML_ERR_ARG);
        assert_non_null(strstr(o.err[i].msg, NAMES[i]));
        assert_non_null(strstr(o.err[i].msg, "another thread is in tml_sim_run"));
    }
    const tml_state *a = tml_sim_state(alone), *b = tml_sim_state(sim);
    assert_memory_equal(a->q, b->q, 7 * sizeof *a->q);  // the same bits

    tml_sim_set_hooks(sim, &(tml_sim_hooks){0});
    pthread_t other;  // a simulation may go from thread to thread
    tml_state_copy(o.x, b);
    assert_int_equal(pthread_create(&other, NULL, try_calls, &o), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    for (int i = 0; i < CALLS; i++) assert_int_equal(o.st[i], TML_OK);
    tml_state_destroy(o.x, tml_sim_system(alone));
    free(o.row);
    free(o.bytes);
    tml_sim_destroy(sim);
    tml_sim_destroy(alone);
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(another_thread_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
