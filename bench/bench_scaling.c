// Growth of what comes before and beside the steps, with the number of bodies: reading, building, creating,
// a step, memory. Each case runs in a process of its own; times are processor time.
//
//   bench_scaling                 all families, up to 1e5 bodies (a minute)
//   bench_scaling [--once] FAMILY [SIZE ...]
//
// Families, all planar:
//   chain   N rods in a row, hinged to each other and to the ground
//   free    N bodies without joints
//   net     k x k loops: rods of 1 m along the edges of a grid, hinged at its nodes, hung at the upper edge;
//           2 k^2 + k bodies
// The exponent of a column is that of its growth since the row before: 1 is linear. Times are the least of up
// to REPEATS processes, one with --once. A second table has what a user waits for: the creation per body, and
// for up to LOOP_BODIES bodies, without --once, that of `auto` with the build beside the steps to t = 1 s at
// a tolerance of 1e-3.
#define _GNU_SOURCE  // wait4
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model_text.h"

#include <trammel/sim.h>

enum { STEPS = 5, SECONDS = 300, REPEATS = 20, REPEATED_BODIES = 20000, LOOP_BODIES = 1000, TIMES = 7 };

typedef struct measured {
    int bodies;
    bool failed;
    bool whole;  // few bodies make all steps to t = 1 s
    double read, build, create_alpha, create_auto, step_alpha, step_auto;  // [s]
    double loop_auto;                                                      // [s] all steps to t = 1 s
    double memory;                                                         // [bytes] peak, of genalpha
    char message[200];
} measured;

// ---- models -----------------------------------------------------------------------------------------------

static void put_head(text *t)
{
    put(t, "planar: true\ngravity: 9.81\n"
           "defaults:\n"
           "  bodies: {mass: 1, inertia: 1/12, frames: {l: [-0.5, 0], r: [0.5, 0]}}\n"
           "  joints: {type: revolute}\n");
}

static void put_chain(text *t, int n)
{
    put(t, "bodies:\n");
    for (int i = 1; i <= n; i++) put(t, "  b%d: {position: [%g, 0]}\n", i, i - 0.5);
    put(t, "joints:\n  j1: {a: ground, b: b1.l}\n");
    for (int i = 2; i <= n; i++) put(t, "  j%d: {a: b%d.r, b: b%d.l}\n", i, i - 1, i);
}

static void put_free(text *t, int n)
{
    put(t, "bodies:\n");
    for (int i = 1; i <= n; i++) put(t, "  b%d: {position: [%d, %d]}\n", i, 2 * (i % 300), 2 * (i / 300));
}

// Columns i = 0 .. k, rows j = 0 (ground) .. k. v: from node (i, j - 1) down to (i, j); h: from (i - 1, j) to
// (i, j), j >= 1. At a node the ends of all rods are hinged to that of the rod v from above.
static void put_net(text *t, int k)
{
    put(t, "bodies:\n");
    for (int j = 1; j <= k; j++)
        for (int i = 0; i <= k; i++) {
            put(t, "  v%d_%d: {position: [%d, %g], orientation: -pi/2}\n", i, j, i, 0.5 - j);
            if (i > 0) put(t, "  h%d_%d: {position: [%g, %d]}\n", i, j, i - 0.5, -j);
        }
    put(t, "joints:\n");
    for (int i = 0; i <= k; i++) put(t, "  g%d: {a: ground, b: v%d_1.l, point: [%d, 0]}\n", i, i, i);
    for (int j = 1; j <= k; j++)
        for (int i = 0; i <= k; i++) {
            if (j < k) put(t, "  d%d_%d: {a: v%d_%d.r, b: v%d_%d.l}\n", i, j, i, j, i, j + 1);
            if (i > 0) put(t, "  e%d_%d: {a: v%d_%d.r, b: h%d_%d.r}\n", i, j, i, j, i, j);
            if (i < k) put(t, "  s%d_%d: {a: v%d_%d.r, b: h%d_%d.l}\n", i, j, i, j, i + 1, j);
        }
}

typedef struct family {
    const char *name, *size;
    void (*put)(text *t, int size);
    int sizes[8];
} family;

static const family FAMILIES[] = {
    {"chain", "N", put_chain, {100, 1000, 10000, 100000}},
    {"free", "N", put_free, {100, 1000, 10000, 100000}},
    {"net", "k", put_net, {5, 10, 20, 40, 80}},
};

// ---- one case ---------------------------------------------------------------------------------------------

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// loop: NULL, or the time of all steps
static tml_status steps(const tml_model *model, const char *method, double *create, double *step,
                        double *loop, tml_error *err)
{
    tml_run_def run = *tml_model_run(model);
    tml_sim *sim = NULL;
    run.method = method;
    run.end = 1;
    run.output_step = 1;
    run.tol = 1e-3;
    const double begin = now();
    tml_status st = tml_sim_create(model, &run, &sim, err);
    const double created = now();
    *create = created - begin;
    for (int i = 0; i < STEPS && st == TML_OK; i++) st = tml_sim_step(sim, run.end, err);
    *step = (now() - created) / STEPS;
    if (loop) {
        while (st == TML_OK && tml_sim_time(sim) < run.end) st = tml_sim_step(sim, run.end, err);
        *loop = now() - created;
    }
    tml_sim_destroy(sim);
    return st;
}

static void measure(const family *f, int size, const char *method, measured *out)
{
    text t = {0};
    put_head(&t);
    f->put(&t, size);
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    const double begin = now();
    tml_status st = tml_spec_parse(t.at, t.length, f->name, NULL, 0, NULL, &spec, &err);
    out->read = now() - begin;
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    out->build = now() - begin - out->read;
    tml_spec_destroy(spec);
    free(t.at);
    const bool automatic = strcmp(method, "auto") == 0;
    if (st == TML_OK) out->bodies = tml_model_body_count(model);
    if (st == TML_OK)
        st = steps(model, method, automatic ? &out->create_auto : &out->create_alpha,
                   automatic ? &out->step_auto : &out->step_alpha,
                   automatic && out->whole && out->bodies <= LOOP_BODIES ? &out->loop_auto : NULL, &err);
    tml_model_destroy(model);
    out->failed = st != TML_OK;
    if (out->failed) snprintf(out->message, sizeof out->message, "%.190s", err.msg);
}

static void run_case(const family *f, int size, const char *method, measured *shared)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);  // a limit of processor time would make Linux count that time in ticks of 4 ms
        measure(f, size, method, shared);
        _exit(0);
    }
    int status = 1;
    struct rusage use = {0};
    if (child < 0 || wait4(child, &status, 0, &use) != child || status != 0) {
        shared->failed = true;
        snprintf(shared->message, sizeof shared->message, "not finished in %d s", SECONDS);
    }
    if (strcmp(method, "genalpha") == 0) shared->memory = 1024.0 * (double)use.ru_maxrss;
}

static void list_times(measured *m, double *at[TIMES])
{
    double *const list[TIMES] = {&m->read,        &m->build,     &m->create_alpha, &m->step_alpha,
                                 &m->create_auto, &m->step_auto, &m->loop_auto};
    memcpy(at, list, sizeof list);
}

// The least times of several processes.
static void run_repeatedly(const family *f, int size, const char *method, int most, measured *shared)
{
    double least[TIMES], *at[TIMES];
    list_times(shared, at);
    int repeats = 1;
    for (int k = 0; k < repeats && !shared->failed; k++) {
        run_case(f, size, method, shared);
        for (int i = 0; i < TIMES; i++) least[i] = k > 0 && least[i] < *at[i] ? least[i] : *at[i];
        if (shared->bodies > 0) repeats = REPEATED_BODIES / shared->bodies;
        if (repeats > most) repeats = most;
    }
    for (int i = 0; i < TIMES; i++) *at[i] = least[i];
}

// ---- tables -----------------------------------------------------------------------------------------------

static void print_row(const char *what, measured *r, measured *last)
{
    double *x[TIMES], *y[TIMES];
    list_times(r, x);
    list_times(last, y);
    printf("%8s %8d", what, r->bodies);
    for (int i = 0; i < TIMES - 1; i++) {
        printf(" %9.2f", 1e3 * *x[i]);
        if (last->bodies > 0 && *x[i] > 0 && *y[i] > 0)
            printf(" (%4.2f)", log(*x[i] / *y[i]) / log((double)r->bodies / last->bodies));
        else printf("       ");
    }
    printf(" %8.1f\n", r->memory / 1e6);
}

// What a user waits for before the first step, per body and beside the steps of a second.
static void print_wait(const char *what, const measured *r)
{
    const double before = r->build + r->create_auto;
    printf("%8s %8d %16.1f %16.1f", what, r->bodies, 1e6 * r->create_alpha / r->bodies,
           1e6 * r->create_auto / r->bodies);
    if (r->loop_auto > 0)
        printf(" %16.2f %16.2f %16.2f", 1e3 * before, 1e3 * r->loop_auto, before / r->loop_auto);
    printf("\n");
}

static void print_family(const family *f, int count, const int *sizes, int most)
{
    measured last = {0}, *results = calloc((size_t)count, sizeof *results),
             *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || !results) exit(1);
    printf("\n%s: processor time [ms] (exponent), memory [MB]\n%8s %8s %16s %16s %16s %16s %16s %16s %8s\n",
           f->name, f->size, "bodies", "read      ", "build      ", "create gena", "step genalpha",
           "create auto", "step auto  ", "memory");
    char what[16];
    for (int i = 0; i < count && sizes[i] > 0; i++) {
        *shared = (measured){.whole = most > 1};
        snprintf(what, sizeof what, "%d", sizes[i]);
        run_repeatedly(f, sizes[i], "genalpha", most, shared);
        if (!shared->failed) run_repeatedly(f, sizes[i], "auto", most, shared);
        print_row(what, shared, &last);
        if (shared->failed) printf("         %s\n", shared->message);
        last = results[i] = *shared;
    }
    munmap(shared, sizeof *shared);
    printf("\n%s: create per body [us]; 1 s at 1e-3 by auto [ms]\n%8s %8s %16s %16s %16s %16s %16s\n",
           f->name, f->size, "bodies", "create gena", "create auto", "build + create", "loop", "ratio");
    for (int i = 0; i < count && sizes[i] > 0; i++) {
        snprintf(what, sizeof what, "%d", sizes[i]);
        if (!results[i].failed) print_wait(what, &results[i]);
    }
    free(results);
}

int main(int argc, char **argv)
{
    int sizes[64], given = 0;
    const bool once = argc > 1 && strcmp(argv[1], "--once") == 0;
    argc -= once;
    argv += once;
    for (int i = 2; i < argc && given < 64; i++) sizes[given++] = atoi(argv[i]);
    for (size_t i = 0; i < sizeof FAMILIES / sizeof *FAMILIES; i++) {
        const family *f = &FAMILIES[i];
        if (argc > 1 && strcmp(argv[1], f->name) != 0) continue;
        print_family(f, given ? given : 8, given ? sizes : f->sizes, once ? 1 : REPEATS);
    }
    return 0;
}
