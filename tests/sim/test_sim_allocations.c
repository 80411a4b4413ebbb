// Nothing allocates inside the step loop: neither through the environment nor, in plain glibc builds,
// anywhere in the process (so that LAPACK and KLU are seen, too). KLU may allocate when it looks for new
// pivots; that belongs to its first factorizations, hence some steps before counting.
#include "sim_fixture.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#if defined(__GLIBC__) && !defined(SANITIZED)
#define INTERPOSED 1
#else
#define INTERPOSED 0
#endif

static volatile long process_calls;  // of malloc and its kin; the tests here have one thread

#if INTERPOSED
// glibc's own functions under their other names
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): glibc's names are reserved
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
    process_calls = process_calls + 1;
    return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t size)
{
    process_calls = process_calls + 1;
    return __libc_calloc(count, size);
}
void *realloc(void *ptr, size_t bytes)
{
    process_calls = process_calls + 1;
    return __libc_realloc(ptr, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes)
{
    process_calls = process_calls + 1;
    return __libc_memalign(alignment, bytes);
}
int posix_memalign(void **out, size_t alignment, size_t bytes);
int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    process_calls = process_calls + 1;
    *out = __libc_memalign(alignment, bytes);
    return *out ? 0 : 12;  // ENOMEM
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
#endif

// valgrind puts its own functions in the place of ours
static bool counts_process(void)
{
    if (!INTERPOSED) return false;
    const char *preload = getenv("LD_PRELOAD");
    return !(preload && strstr(preload, "vgpreload"));
}

static void counter_counts(void **state)
{
    (void)state;
    if (!counts_process()) skip();
    const long before = process_calls;
    void *volatile some = malloc(731);
    some = realloc(some, 1462);
    free(some);
    some = calloc(17, 43);
    free(some);
    assert_int_equal(process_calls - before, 3);
}

// 10 steps first, then 200 that are counted. Step-size control rejects and refactors on its way; bdf and
// radau5 want a fine tolerance to make as many, explicit methods a limit.
static void steps_with(const char *name, const char *solver, const char *method, double fixed,
                       tml_fields fields, bool told)
{
    counter c = {0};
    const tml_env env = count_env(&c);
    const tml_parameter longer = {"N", "12"};
    tml_model *model = load_model(name, strcmp(name, "chain") == 0 ? longer : (tml_parameter){0}, &env);
    tml_run_def run = *tml_model_run(model);
    run.solver = solver;
    run.method = method;
    run.step = fixed;
    if (strcmp(method, "genalpha") != 0) run.tol = 1e-8;
    if (strcmp(method, "erk8") == 0 || strcmp(method, "adams") == 0) run.max_step = run.end / 400;
    run.fields = fields;
    run.report = told;
    tml_sim *sim = start_sim(model, &run);
    assert_true(c.calls > 20);  // the environment is the one in use
    tml_error err = {0};
    for (int i = 0; i < 10; i++) OK(tml_sim_step(sim, run.end, &err));
    const long before = c.calls, process_before = process_calls;
    for (int i = 0; i < 200; i++) {
        tml_conditioning last;
        OK(tml_sim_step(sim, run.end, &err));
        assert_true(tml_sim_get_conditioning(sim, &last) == told);
    }
    const long made = c.calls - before, process_made = process_calls - process_before;
    if (made) fail_msg("%s, %s, %s: %ld allocations through env in 200 steps", name, method, solver, made);
    if (process_made && counts_process())
        fail_msg("%s, %s, %s: %ld allocations of the process in 200 steps", name, method, solver,
                 process_made);
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    assert_true(report.count.steps >= 210);  // steps with a discontinuity are made again
    if (!tml_method_is_explicit(tml_method_find(method))) assert_true(report.count.factorizations >= 1);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    assert_int_equal(c.live, 0);
}

static void steps_of(const char *name, const char *solver, double fixed)
{
    static const char *const methods[] = {"genalpha", "bdf", "radau5", "erk8", "adams"};
    for (int i = 0; i < 5; i++)
        steps_with(name, solver, methods[i], i == 0 ? fixed : 0, TML_FIELDS_TWO, false);
}

static void three_fields_and_report(void **state)
{
    (void)state;
    static const char *const solvers[] = {"block", "dense", "klu", "reduced", "tree"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        steps_with("four_bar", solvers[i], "genalpha", 0, TML_FIELDS_THREE, true);
    steps_with("four_bar", "block", "bdf", 0, TML_FIELDS_THREE, true);
    steps_with("chain", "block", "genalpha", 1e-3, TML_FIELDS_TWO, true);
}

static void every_model(const char *solver)
{
    static const struct {
        const char *name;
        double fixed;
    } cases[] = {{"andrews", 0},       {"chain", 1e-3},       {"four_bar", 0},
                 {"governor", 0},      {"impact", 0},         {"stiff_double_pendulum", 0},
                 {"suspension", 1e-3}, {"slider_crank", 1e-4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) steps_of(cases[i].name, solver, cases[i].fixed);
}

static void block(void **state)
{
    (void)state;
    every_model("block");
}
static void dense(void **state)
{
    (void)state;
    every_model("dense");
}
static void klu(void **state)
{
    (void)state;
    every_model("klu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counter_counts), cmocka_unit_test(block),
                                       cmocka_unit_test(dense), cmocka_unit_test(klu),
                                       cmocka_unit_test(three_fields_and_report)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
