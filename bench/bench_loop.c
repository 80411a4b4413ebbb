// Cost of a run beside its steps: the 14-body vehicle and two small mechanisms, with and without rows of
// results.
//
//   bench_loop [repeats]
//
// Times are processor time from a consistent start to the end, the least of several runs. Each run is made
// three times: with one row at the end; with the number of rows in the last columns and all their channels;
// and with the same rows and the motion only. The differences are the cost of a row. Run from the top of the
// tree: it reads models/.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trammel/model.h>
#include <trammel/sim.h>

typedef struct subject {
    const char *path, *n;  // n: parameter N, or NULL
    const char *method;
    tml_kinematics kinematics;
    double end, output_step;
    int repeats;  // for each one asked for
} subject;

static const subject SUBJECTS[] = {
    {"models/hmmwv.yaml", NULL, "bdf", TML_KINEMATICS_BODIES, 4, 0.01, 1},
    {"models/hmmwv.yaml", NULL, "bdf", TML_KINEMATICS_JOINTS, 4, 0.01, 1},
    {"models/hmmwv.yaml", NULL, "radau5", TML_KINEMATICS_BODIES, 4, 0.01, 1},
    {"models/hmmwv.yaml", NULL, "radau5", TML_KINEMATICS_JOINTS, 4, 0.01, 1},
    {"models/hmmwv.yaml", NULL, "for-sdirk", TML_KINEMATICS_BODIES, 4, 0.01, 1},
    {"models/hmmwv.yaml", NULL, "for-sdirk", TML_KINEMATICS_JOINTS, 4, 0.01, 1},
    {"models/hmmwv.yaml", NULL, "for-rosen", TML_KINEMATICS_JOINTS, 4, 0.01, 1},
    {"models/chain.yaml", "5", "erk8", TML_KINEMATICS_JOINTS, 1, 0.1, 20},
    {"models/chain.yaml", "200", "erk8", TML_KINEMATICS_JOINTS, 1, 0.1, 1},
    {"models/four_bars.yaml", "1", "erk8", TML_KINEMATICS_JOINTS, 1, 0.1, 20},
    {"models/four_bars.yaml", "10", "adams", TML_KINEMATICS_JOINTS, 1, 0.1, 5},
    {"models/four_bars.yaml", "40", "adams", TML_KINEMATICS_JOINTS, 1, 0.1, 1},
};
enum { COUNT = sizeof SUBJECTS / sizeof *SUBJECTS };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(tml_status st, const tml_error *err)
{
    if (st == TML_OK) return;
    fprintf(stderr, "%s: %s\n", tml_status_name(st), err->msg);
    exit(1);
}

typedef struct rows {
    double *values;
    long count;
} rows;

static tml_status on_motion(const tml_sim *sim, const tml_state *x, void *user)
{
    (void)sim, (void)x;
    ((rows *)user)->count++;
    return TML_OK;
}

static tml_status on_output(const tml_sim *sim, const tml_state *x, void *user)
{
    rows *r = user;
    tml_error err;
    r->count++;
    return tml_sim_channel_values(sim, x, r->values, &err);
}

// Least time of a run [s], its rows and its counters.
static double timed(const tml_model *model, const tml_run_def *run, int repeats, bool motion_only,
                    long *count, tml_sim_report *report)
{
    double least = 1e9;
    for (int k = 0; k < repeats; k++) {
        tml_error err = {0};
        tml_sim *sim = NULL;
        need(tml_sim_create(model, run, &sim, &err), &err);
        rows r = {.values = calloc((size_t)tml_sim_channel_count(sim), sizeof(double))};
        if (!r.values) exit(1);
        const tml_sim_hooks hooks = {
            .on_output = motion_only ? on_motion : on_output, .user = &r, .motion_only = motion_only};
        tml_sim_set_hooks(sim, &hooks);
        const double start = now();
        need(tml_sim_run(sim, run->end, &err), &err);
        const double time = now() - start;
        if (time < least) least = time;
        *count = r.count;
        tml_sim_get_report(sim, report);
        tml_sim_destroy(sim);
        free(r.values);
    }
    return least;
}

static void measure(const subject *s, int repeats)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    const tml_parameter set = {"N", s->n};
    need(tml_spec_read(s->path, &set, s->n ? 1 : 0, NULL, &spec, &err), &err);
    need(tml_model_build(spec, &model, &err), &err);
    tml_spec_destroy(spec);
    tml_run_def run = *tml_model_run(model);
    run.method = s->method;
    run.kinematics = s->kinematics;
    run.rtol = run.atol = 1e-3;
    run.step = 0;
    run.end = s->end;
    tml_sim_report report;
    long few, many;
    run.output_step = s->end;
    const double plain = timed(model, &run, repeats * s->repeats, true, &few, &report);
    run.output_step = s->output_step;
    const double full = timed(model, &run, repeats * s->repeats, false, &many, &report);
    const double motion = timed(model, &run, repeats * s->repeats, true, &many, &report);
    char name[64];
    snprintf(name, sizeof name, s->n ? "%s, N = %s" : "%s", s->path + strlen("models/"), s->n);
    printf("| %-22s | %-9s | %-6s | %5ld | %8.3f | %7.1f | %8.3f | %5ld | %6.1f | %6.1f |\n", name, s->method,
           s->kinematics == TML_KINEMATICS_JOINTS ? "joints" : "bodies", report.count.steps, 1e3 * plain,
           1e6 * plain / (double)report.count.steps, 1e3 * full, many,
           1e6 * (full - plain) / (double)(many - few), 1e6 * (motion - plain) / (double)(many - few));
    tml_model_destroy(model);
}

int main(int argc, char **argv)
{
    const int repeats = argc > 1 ? atoi(argv[1]) : 7;
    printf("| model                  | method    | form   | steps | run [ms] | us/step | and rows |  rows | "
           "us/row | motion |\n"
           "|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int i = 0; i < COUNT; i++) measure(&SUBJECTS[i], repeats > 0 ? repeats : 1);
    return 0;
}
