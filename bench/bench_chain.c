// Time of a step per rod of a chain, and time of whole runs with the error that they reach.
//
//   bench_chain         about a minute
//   bench_chain full    also the long runs (ten minutes)
//
// Times are processor time of this thread: on an idle machine that is wall time, and on a busy machine times
// can still be compared. The error of a run is the largest deviation of a body's position [m] or angle [rad]
// at the sample times from a run with a tolerance ten times tighter than the tightest one timed. The method's
// error is proportional to the tolerance, so the reference has a tenth of that run's error. Run from the top
// of the tree: it reads models/.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trammel/sim.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(tml_status st, const tml_error *err)
{
    if (st == TML_OK) return;
    printf("%s: %s\n", tml_status_name(st), err->msg);
    exit(1);
}

static tml_model *load(const char *name, const char *parameter, double value)
{
    char path[256], text[32];
    snprintf(path, sizeof path, "models/%s.yaml", name);
    snprintf(text, sizeof text, "%g", value);
    const tml_parameter set = {parameter, text};
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    need(tml_spec_read(path, &set, parameter ? 1 : 0, NULL, &spec, &err), &err);
    need(tml_model_build(spec, &model, &err), &err);
    tml_spec_destroy(spec);
    return model;
}

// ---- one step ---------------------------------------------------------------------------------------------

// All chains take the same steps: in the first tenth of a second they factor twice as often as later.
enum { ROUNDS = 7, ROUND_STEPS = 65, LENGTHS = 6 };
static const int LENGTH[LENGTHS] = {10, 30, 100, 300, 1000, 3000};

typedef struct step_cost {
    double create, step;                           // [s] for the whole chain
    double iterations, factorizations, residuals;  // per step
} step_cost;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static step_cost time_steps(int rods, const char *solver)
{
    step_cost c;
    const double begin = now();
    tml_model *model = load("chain", "N", rods);
    tml_run_def run = *tml_model_run(model);
    run.solver = solver;
    run.step = 1e-3;
    run.end = 1e3;
    run.output_step = run.end;
    tml_sim *sim = NULL;
    tml_error err = {0};
    need(tml_sim_create(model, &run, &sim, &err), &err);
    c.create = now() - begin;
    for (int i = 0; i < 10; i++) need(tml_sim_step(sim, run.end, &err), &err);
    tml_sim_report before, after;
    tml_sim_get_report(sim, &before);
    double round[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        const double start = now();
        for (int i = 0; i < ROUND_STEPS; i++) need(tml_sim_step(sim, run.end, &err), &err);
        round[r] = (now() - start) / ROUND_STEPS;
    }
    qsort(round, ROUNDS, sizeof *round, by_size);
    c.step = round[ROUNDS / 2];
    tml_sim_get_report(sim, &after);
    const double count = (double)(after.count.steps - before.count.steps);
    c.iterations = (double)(after.count.iterations - before.count.iterations) / count;
    c.residuals = (double)(after.count.residuals - before.count.residuals) / count;
    c.factorizations = (double)(after.count.factorizations - before.count.factorizations) / count;
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    return c;
}

static void bench_steps(const char *solver)
{
    printf("chain, fixed step 1 ms, solver %s (median of %d rounds)\n\n", solver, ROUNDS);
    puts("| rods | us/step | us/step/rod | Newton iterations | factorizations | ratio to 100 | creation, "
         "us/rod |\n"
         "|---:|---:|---:|---:|---:|---:|---:|");
    step_cost c[LENGTHS];
    for (int i = 0; i < LENGTHS; i++) c[i] = time_steps(LENGTH[i], solver);
    const double hundred = c[2].step / 100;
    for (int i = 0; i < LENGTHS; i++)
        printf("| %d | %.1f | %.3f | %.2f | %.2f | %.2f | %.1f |\n", LENGTH[i], 1e6 * c[i].step,
               1e6 * c[i].step / LENGTH[i], c[i].iterations, c[i].factorizations,
               c[i].step / LENGTH[i] / hundred, 1e6 * c[i].create / LENGTH[i]);
    puts("");
}

// ---- whole runs -------------------------------------------------------------------------------------------

typedef struct samples {
    int bodies, rows, room;
    double *pose;  // (rows x bodies x 3): x, y, angle
} samples;

static tml_status take(const tml_sim *sim, const tml_state *x, void *user)
{
    (void)sim;
    samples *s = user;
    if (s->rows == s->room) return TML_ERR_NOMEM;
    double *p = s->pose + 3 * (size_t)s->bodies * (size_t)s->rows++;
    for (int i = 0; i < s->bodies; i++, p += 3) {
        const double *q = x->q + 7 * i;  // position, quaternion with the scalar first
        p[0] = q[0];
        p[1] = q[1];
        p[2] = 2 * atan2(q[6], q[3]);
    }
    return TML_OK;
}

static double distance(const samples *a, const samples *b)
{
    double worst = a->rows == b->rows ? 0 : INFINITY;
    for (size_t i = 0; i < 3 * (size_t)a->bodies * (size_t)a->rows && isfinite(worst); i++) {
        const double d = a->pose[i] - b->pose[i];
        worst = fmax(worst, fabs(i % 3 == 2 ? remainder(d, 6.283185307179586) : d));
    }
    return worst;
}

typedef struct problem {
    const char *label, *model, *parameter;
    double value, end, sample;
    int tolerances;  // how many of TOLERANCE are timed; with `full`: all
    int repeats;     // of the timed runs; the least time counts
} problem;

static const double TOLERANCE[] = {1e-3, 1e-4, 1e-5};
static const problem PROBLEMS[] = {
    {"chain, 5 rods", "chain", "N", 5, 1, 0.1, 3, 3},
    {"chain, 50 rods", "chain", "N", 50, 1, 0.1, 3, 1},
    {"chain, 200 rods", "chain", "N", 200, 1, 0.1, 2, 1},
    {"chain, 1000 rods", "chain", "N", 1000, 1, 0.1, 1, 1},
    {"Andrews' mechanism", "andrews", NULL, 0, 0.03, 3e-3, 3, 3},
    {"stiff double pendulum", "stiff_double_pendulum", "w20", 10, 2, 0.1, 3, 3},
};

static double time_run(const tml_model *model, const problem *p, double tol, samples *out,
                       tml_sim_report *report)
{
    tml_run_def run = *tml_model_run(model);
    run.end = p->end;
    run.output_step = p->sample;
    run.tol = tol;
    tml_sim *sim = NULL;
    tml_error err = {0};
    out->rows = 0;
    need(tml_sim_create(model, &run, &sim, &err), &err);
    tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = take, .user = out});
    const double start = now();
    need(tml_sim_run(sim, NAN, &err), &err);
    const double seconds = now() - start;
    tml_sim_get_report(sim, report);
    tml_sim_destroy(sim);
    return seconds;
}

static samples room_for(const tml_model *model, const problem *p)
{
    samples s = {.bodies = tml_model_body_count(model), .room = (int)(p->end / p->sample) + 3};
    s.pose = malloc(3 * (size_t)s.bodies * (size_t)s.room * sizeof(double));
    if (!s.pose) exit(1);
    return s;
}

static void bench_run(const problem *p, bool full)
{
    tml_model *model = load(p->model, p->parameter, p->value);
    samples exact = room_for(model, p), x = room_for(model, p);
    tml_sim_report report;
    const int count = full ? 3 : p->tolerances;
    time_run(model, p, TOLERANCE[count - 1] / 10, &exact, &report);
    for (int i = 0; i < count; i++) {
        double least = INFINITY;
        for (int k = 0; k < p->repeats; k++)
            least = fmin(least, time_run(model, p, TOLERANCE[i], &x, &report));
        const tml_counters *c = &report.count;
        printf("| %s | %.0e | `%s` | %.1f | %.1e | %ld | %ld | %.2f | %ld |\n", p->label, TOLERANCE[i],
               report.method, 1e3 * least, distance(&x, &exact), c->steps,
               c->rejected_error + c->rejected_newton, (double)c->iterations / (double)c->steps,
               c->factorizations);
        fflush(stdout);
    }
    free(exact.pose);
    free(x.pose);
    tml_model_destroy(model);
}

int main(int argc, char **argv)
{
    const bool full = argc > 1 && strcmp(argv[1], "full") == 0;
    bench_steps("block");
    bench_steps("klu");
    puts("whole runs, method and solver auto\n\n| problem | tol | method | time [ms] | error | steps | "
         "rejected | "
         "iterations per step | factorizations |\n|---|---:|---|---:|---:|---:|---:|---:|---:|");
    for (size_t i = 0; i < sizeof PROBLEMS / sizeof *PROBLEMS; i++) bench_run(&PROBLEMS[i], full);
    return 0;
}
