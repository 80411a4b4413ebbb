// Effect of threads in one run: columns of the integration Jacobian (docs/theory/reduction.md) and branches
// of the tree that is factored (docs/theory/topology.md).
//
//   bench_threads [repeats]
//
// With one and with two threads alternately, the least of several runs: wall time, which means little on a
// machine that has other work, and processor time of the thread that runs the simulation. That thread works
// as long as the others do and then waits, so its time is the wall time with a processor for each thread. The
// program also checks that results are the same to the last bit. Run from the top of the tree: it reads
// models/.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trammel/model.h>
#include <trammel/sim.h>

// B chains of L bodies on ball joints, hanging from the ground beside each other.
static const char BRANCHES[] =
    "gravity: [0, 0, -9.81]\n"
    "parameters: {B: 8, L: 150}\n"
    "defaults:\n"
    "  bodies: {mass: 1, inertia: [0.02, 0.03, 0.05], frames: {a: [-0.2, 0, 0], b: [0.2, 0, 0]}}\n"
    "  joints: {type: spherical}\n"
    "repeat:\n"
    "  - index: i\n"
    "    from: 1\n"
    "    to: B\n"
    "    bodies: {\"r{i}_1\": {position: [0.2, i, 0]}}\n"
    "    joints: {\"j{i}_1\": {a: ground, b: \"r{i}_1.a\", point: [0, i, 0]}}\n"
    "    repeat:\n"
    "      - index: k\n"
    "        from: 2\n"
    "        to: L\n"
    "        bodies: {\"r{i}_{k}\": {position: [0.4*k - 0.2, i, 0]}}\n"
    "        joints: {\"j{i}_{k}\": {a: \"r{i}_{k-1}.b\", b: \"r{i}_{k}.a\"}}\n"
    "run: {end: 1}\n";

typedef struct subject {
    const char *what, *n;  // n: parameter N of the chain; NULL: BRANCHES
    const char *method;
    tml_kinematics kinematics;
    tml_jacobian jacobian;
    double end;
} subject;

static const subject SUBJECTS[] = {
    {"columns, exact: chain, 100 dof", "100", "for-sdirk", TML_KINEMATICS_JOINTS, TML_JACOBIAN_EXACT, 0.2},
    {"columns, exact: chain, 200 dof", "200", "for-sdirk", TML_KINEMATICS_JOINTS, TML_JACOBIAN_EXACT, 0.1},
    {"columns, differences: chain, 40 dof", "40", "for-sdirk", TML_KINEMATICS_JOINTS,
     TML_JACOBIAN_DIFFERENCES, 0.2},
    {"columns, differences: chain, 100 dof", "100", "for-sdirk", TML_KINEMATICS_JOINTS,
     TML_JACOBIAN_DIFFERENCES, 0.1},
    {"branches: 8 of 150 bodies", NULL, "erk5", TML_KINEMATICS_BODIES, TML_JACOBIAN_EXACT, 0.05},
    {"one branch: chain, 500 rods", "500", "erk5", TML_KINEMATICS_BODIES, TML_JACOBIAN_EXACT, 0.1},
};
enum { COUNT = sizeof SUBJECTS / sizeof *SUBJECTS };

static void need(tml_status st, const tml_error *err)
{
    if (st == TML_OK) return;
    fprintf(stderr, "%s: %s\n", tml_status_name(st), err->msg);
    exit(1);
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct cost {
    double wall, own;  // [s]
} cost;

// *sum: of all coordinates at the end of a run.
static void timed(const tml_model *model, const subject *s, int threads, cost *c, double *sum)
{
    tml_error err = {0};
    tml_sim *sim = NULL;
    tml_run_def run = *tml_model_run(model);
    run.method = s->method;
    run.kinematics = s->kinematics;
    run.jacobian = s->jacobian;
    run.rtol = run.atol = 1e-3;
    run.end = run.output_step = s->end;
    run.threads = threads;
    need(tml_sim_create(model, &run, &sim, &err), &err);
    const double wall = now(CLOCK_MONOTONIC), own = now(CLOCK_THREAD_CPUTIME_ID);
    need(tml_sim_run(sim, NAN, &err), &err);
    c->wall = fmin(c->wall, now(CLOCK_MONOTONIC) - wall);
    c->own = fmin(c->own, now(CLOCK_THREAD_CPUTIME_ID) - own);
    *sum = 0;
    for (int i = 0; i < tml_sim_system(sim)->nq; i++) *sum += (i % 7 + 1) * tml_sim_state(sim)->q[i];
    tml_sim_destroy(sim);
}

static void measure(const subject *s, int repeats)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    const tml_parameter set = {"N", s->n};
    if (s->n) need(tml_spec_read("models/chain.yaml", &set, 1, NULL, &spec, &err), &err);
    else need(tml_spec_parse(BRANCHES, strlen(BRANCHES), "branches.yaml", NULL, 0, NULL, &spec, &err), &err);
    need(tml_model_build(spec, &model, &err), &err);
    tml_spec_destroy(spec);
    cost c[2] = {{INFINITY, INFINITY}, {INFINITY, INFINITY}};
    double sum[2] = {0, 0};
    for (int k = 0; k < repeats; k++)
        for (int t = 0; t < 2; t++) timed(model, s, t + 1, &c[t], &sum[t]);
    printf("| %s | %s | %.1f | %.1f | %.2f | %.1f | %.1f | %.2f | %s |\n", s->what, s->method,
           1e3 * c[0].wall, 1e3 * c[1].wall, c[0].wall / c[1].wall, 1e3 * c[0].own, 1e3 * c[1].own,
           c[0].own / c[1].own, sum[0] == sum[1] ? "yes" : "no");
    tml_model_destroy(model);
}

int main(int argc, char **argv)
{
    const int repeats = argc > 1 ? atoi(argv[1]) : 7;
    printf("| what | method | wall, one thread [ms] | two | ratio | own, one thread [ms] | two | ratio | "
           "same |\n"
           "|---|---|---:|---:|---:|---:|---:|---:|---|\n");
    for (int i = 0; i < COUNT; i++) measure(&SUBJECTS[i], repeats > 0 ? repeats : 1);
    return 0;
}
