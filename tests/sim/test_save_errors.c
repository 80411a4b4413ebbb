// Saved simulations that are damaged, truncated, foreign or of another model: a status and a sentence, and
// never a crash.
#include "sim_fixture.h"

#include <stdint.h>
#include <stdlib.h>

typedef struct saved {
    unsigned char *data;
    size_t size;
} saved;

static saved save_of(const char *model, const char *method, double t)
{
    tml_error err = {0};
    tml_model *m = load_model(model, (tml_parameter){0}, NULL);
    tml_run_def run = *tml_model_run(m);
    run.method = method;
    tml_sim *sim = start_sim(m, &run);
    while (tml_sim_time(sim) < t) OK(tml_sim_step(sim, 1, &err));
    saved s = {0};
    OK(tml_sim_save_memory(sim, NULL, 0, &s.size, &err));
    s.data = malloc(s.size);
    assert_non_null(s.data);
    size_t size = 0;
    assert_int_equal(tml_sim_save_memory(sim, s.data, s.size - 1, &size, &err), TML_ERR_ARG);
    assert_int_equal(size, s.size);
    OK(tml_sim_save_memory(sim, s.data, s.size, &size, &err));
    tml_sim_destroy(sim);
    tml_model_destroy(m);
    return s;
}

static tml_status load(const tml_model *m, const unsigned char *data, size_t size, tml_error *err)
{
    tml_sim_def def = tml_sim_def_default();
    def.model = m;
    tml_sim *sim = NULL;
    const tml_status st = tml_sim_load_memory(&def, data, size, &sim, err);
    assert_true((st == TML_OK) == (sim != NULL));
    if (st != TML_OK && !err->msg[0]) fail_msg("%s without a message", tml_status_name(st));
    tml_sim_destroy(sim);
    return st;
}

static void expect(const tml_model *m, const unsigned char *data, size_t size, tml_status status,
                   const char *part)
{
    tml_error err = {0};
    const tml_status st = load(m, data, size, &err);
    if (st != status || !strstr(err.msg, part))
        fail_msg("%s: %s, expected %s: %s", tml_status_name(st), err.msg, tml_status_name(status), part);
}

static void foreign_and_truncated(void **state)
{
    (void)state;
    tml_model *m = load_model("slider_crank", (tml_parameter){0}, NULL);
    saved s = save_of("slider_crank", "bdf", 0.02);
    tml_error err = {0};
    OK(load(m, s.data, s.size, &err));
    static const unsigned char text[] = "planar: true\nbodies: {}\n                                      ";
    expect(m, text, sizeof text, TML_ERR_IO, "not a saved simulation");
    expect(m, text, 0, TML_ERR_IO, "not a saved simulation");
    expect(m, s.data, 20, TML_ERR_IO, "truncated");
    expect(m, s.data, s.size - 1, TML_ERR_IO, "truncated");
    for (size_t n = 0; n < s.size; n += n < 200 ? 1 : 997) {
        tml_error e = {0};
        assert_int_equal(load(m, s.data, n, &e), TML_ERR_IO);
    }
    s.data[12] ^= 0xff;
    expect(m, s.data, s.size, TML_ERR_IO, "byte order");
    s.data[12] ^= 0xff;
    s.data[8]++;
    expect(m, s.data, s.size, TML_ERR_IO, "format 18");
    s.data[8]--;
    s.data[32]++;
    expect(m, s.data, s.size, TML_ERR_IO, "saved by version");
    s.data[32]--;
    s.data[s.size / 2] ^= 1;
    expect(m, s.data, s.size, TML_ERR_IO, "checksum");
    free(s.data);
    tml_model_destroy(m);
}

static void other_models(void **state)
{
    (void)state;
    saved s = save_of("slider_crank", "genalpha", 0.02);
    tml_model *m = load_model("four_bar", (tml_parameter){0}, NULL);
    expect(m, s.data, s.size, TML_ERR_ARG, "the saved simulation");
    tml_model_destroy(m);
    m = load_model("slider_crank", (tml_parameter){.name = "m_rod", .text = "0.31"}, NULL);
    expect(m, s.data, s.size, TML_ERR_ARG, "forces or masses differ");
    tml_model_destroy(m);
    free(s.data);
}

// The checksum of base/archive.h, so that damage behind it is met.
static void seal(unsigned char *data, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 48; i + 8 <= size; i += 8) {  // items are padded to words
        uint64_t word;
        memcpy(&word, data + i, sizeof word);
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 32;
    }
    memcpy(data + 24, &hash, sizeof hash);
}

// Random damage with a valid checksum: what is read may be wrong numbers, but nothing crashes, neither in
// loading nor in the steps after it.
static void fuzz(const char *model, const char *method, int trials)
{
    tml_model *m = load_model(model, (tml_parameter){0}, NULL);
    saved s = save_of(model, method, 0.03);
    unsigned char *copy = malloc(s.size);
    assert_non_null(copy);
    uint32_t r = 777;
    int loaded = 0;
    for (int i = 0; i < trials; i++) {
        memcpy(copy, s.data, s.size);
        const int changes = 1 + i % 5;
        for (int k = 0; k < changes; k++) {
            r = r * 1664525u + 1013904223u;
            const size_t at = 48 + (size_t)(r >> 4) % (s.size - 48);
            r = r * 1664525u + 1013904223u;
            copy[at] = (unsigned char)(i % 2 ? r >> 24 : copy[at] ^ (1u << (r >> 29)));
        }
        seal(copy, s.size);
        tml_sim_def def = tml_sim_def_default();
        def.model = m;
        tml_sim *sim = NULL;
        tml_error err = {0};
        const tml_status st = tml_sim_load_memory(&def, copy, s.size, &sim, &err);
        assert_true(st == TML_OK || err.msg[0]);
        for (int k = 0; k < 3 && sim && tml_sim_step(sim, 1, &err) == TML_OK; k++) loaded++;
        tml_sim_destroy(sim);
    }
    assert_true(loaded > 0);
    free(copy);
    free(s.data);
    tml_model_destroy(m);
}

static void damaged_numbers(void **state)
{
    (void)state;
    const int trials = less_if_slow("fuzzing of saved simulations") ? 20 : 300;
    static const char *const methods[] = {"genalpha", "bdf", "radau5", "ggl", "for-sdirk", "adams", "erk8"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        fuzz("slider_crank", methods[i], trials);
        fuzz("redundant_four_bar", methods[i], trials / 3);
    }
}

// ---- files ------------------------------------------------------------------------------------------------

static void files(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *m = load_model("four_bar", (tml_parameter){0}, NULL);
    tml_sim *sim = start_sim(m, NULL), *other = NULL;
    OK(tml_sim_step(sim, 1, &err));
    assert_int_equal(tml_sim_save(sim, "no/such/folder/a.sim", &err), TML_ERR_IO);
    OK(tml_sim_save(sim, "a.sim", &err));
    OK(tml_sim_save(sim, "a.sim", &err));  // replaces it
    OK(tml_sim_load(m, "a.sim", &other, &err));
    assert_true(state_hash(tml_sim_state(sim)) == state_hash(tml_sim_state(other)));
    tml_sim_destroy(other);
    assert_int_equal(tml_sim_load(m, "b.sim", &other, &err), TML_ERR_IO);
    assert_non_null(strstr(err.msg, "b.sim"));
    assert_int_equal(tml_sim_load(m, ".", &other, &err), TML_ERR_IO);
    assert_null(other);
    FILE *f = fopen("c.sim", "w");
    fputs("title: not a simulation\n", f);
    fclose(f);
    assert_int_equal(tml_sim_load(m, "c.sim", &other, &err), TML_ERR_IO);
    assert_string_equal(err.file, "c.sim");
    remove("a.sim");
    remove("c.sim");
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// Memory: every allocation of a load fails in its turn, and nothing is left behind.
static void memory(void **state)
{
    (void)state;
    counter c = {0};
    const tml_env env = count_env(&c);
    tml_model *m = load_model("slider_crank", (tml_parameter){0}, &env);
    saved s = save_of("slider_crank", "radau5", 0.01);
    const long live = c.live;
    for (long k = 1;; k++) {
        const long before = c.calls;
        tml_error err = {0};
        c.fail_at = before + k;
        const tml_status st = load(m, s.data, s.size, &err);
        assert_int_equal(c.live, live);
        if (c.calls - before < k) {
            OK(st);
            break;
        }
        assert_int_equal(st, TML_ERR_NOMEM);
    }
    c.fail_at = 0;
    tml_model_destroy(m);
    free(s.data);
}

// A hook on_output sees a simulation in the middle of its work.
static tml_status save_in_output(const tml_sim *sim, const tml_state *x, void *user)
{
    tml_error err = {0};
    size_t size;
    (void)x, (void)user;
    assert_int_equal(tml_sim_save_memory(sim, NULL, 0, &size, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "on_step"));
    return TML_OK;
}

static void not_in_output(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *m = load_model("pendulum", (tml_parameter){0}, NULL);
    tml_sim *sim = start_sim(m, NULL);
    tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = save_in_output});
    OK(tml_sim_run(sim, 0.1, &err));
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

// A method without the function `archive` runs, but cannot be saved.
static void method_without_archive(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *m = load_model("pendulum", (tml_parameter){0}, NULL);
    tml_method_ops method = *tml_method_find("genalpha");
    method.name = "ours";
    method.archive = NULL;
    tml_sim_def def = tml_sim_def_default();
    def.model = m;
    def.method = &method;
    tml_sim *sim = NULL, *other = NULL;
    size_t size;
    OK(tml_sim_create_def(&def, &sim, &err));
    OK(tml_sim_run(sim, 0.1, &err));
    assert_int_equal(tml_sim_save_memory(sim, NULL, 0, &size, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "no function `archive`"));
    tml_sim_destroy(sim);
    // with it, the method must be given again
    method.archive = tml_method_find("genalpha")->archive;
    unsigned char *data = malloc(1 << 20);
    OK(tml_sim_create_def(&def, &sim, &err));
    OK(tml_sim_save_memory(sim, data, 1 << 20, &size, &err));
    OK(tml_sim_load_memory(&def, data, size, &other, &err));
    tml_sim_destroy(other);
    def.method = NULL;
    assert_int_equal(tml_sim_load_memory(&def, data, size, &other, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "'ours'"));
    free(data);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_and_truncated),
        cmocka_unit_test(other_models),
        cmocka_unit_test(damaged_numbers),
        cmocka_unit_test(files),
        cmocka_unit_test(memory),
        cmocka_unit_test(not_in_output),
        cmocka_unit_test(method_without_archive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
