// Whole runs of graphs of loops in joint coordinates and on bodies, and what `auto` takes: where the dense
// matrix of the loops costs more than a larger sparse one. Create + steps, processor time, least of REPEATS.
//
//   bench_graphs [WIDTHxLENGTH ...]     (all: a minute)
//
// A graph is a net of width x length loops of rods of 1 m, hinged at its nodes and hung at the upper edge
// (bench_scaling), which swings in a slanted gravity. A ladder has the width 1. Errors are the largest of all
// positions [m] at the end, against `adams` at REFERENCE.
#define _POSIX_C_SOURCE 200809L  // clock_gettime
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model_text.h"

#include <trammel/sim.h>

enum { REPEATS = 3 };
static const double END = 0.3, REFERENCE = 1e-7;  // [s], [-]

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(tml_status st, const tml_error *err)
{
    if (st == TML_OK) return;
    fprintf(stderr, "bench_graphs: %s\n", err->msg);
    exit(1);
}

// ---- models -----------------------------------------------------------------------------------------------

// Columns i = 0 .. width of rods v, rows j = 1 .. length of rods h between them.
static tml_model *build(int width, int length)
{
    text t = {0};
    put(&t, "planar: true\ngravity: [5, -8.5]\n"
            "defaults:\n"
            "  bodies: {mass: 1, inertia: 1/12, frames: {l: [-0.5, 0], r: [0.5, 0]}}\n"
            "  joints: {type: revolute}\nbodies:\n");
    for (int j = 1; j <= length; j++)
        for (int i = 0; i <= width; i++) {
            put(&t, "  v%d_%d: {position: [%d, %g], orientation: -pi/2}\n", i, j, i, 0.5 - j);
            if (i > 0) put(&t, "  h%d_%d: {position: [%g, %d]}\n", i, j, i - 0.5, -j);
        }
    put(&t, "joints:\n");
    for (int i = 0; i <= width; i++) put(&t, "  g%d: {a: ground, b: v%d_1.l, point: [%d, 0]}\n", i, i, i);
    for (int j = 1; j <= length; j++)
        for (int i = 0; i <= width; i++) {
            if (j < length) put(&t, "  d%d_%d: {a: v%d_%d.r, b: v%d_%d.l}\n", i, j, i, j, i, j + 1);
            if (i > 0) put(&t, "  e%d_%d: {a: v%d_%d.r, b: h%d_%d.r}\n", i, j, i, j, i, j);
            if (i < width) put(&t, "  s%d_%d: {a: v%d_%d.r, b: h%d_%d.l}\n", i, j, i, j, i + 1, j);
        }
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    check(tml_spec_parse(t.at, t.length, "net", NULL, 0, NULL, &spec, &err), &err);
    check(tml_model_build(spec, &model, &err), &err);
    tml_spec_destroy(spec);
    free(t.at);
    return model;
}

// ---- runs -------------------------------------------------------------------------------------------------

typedef struct result {
    double create, loop, error;  // [s], [s], [m]
    const char *method;
} result;

// reference: (nq) filled if `fill`, else compared with
static result measure(const tml_model *model, const char *method, tml_kinematics kinematics, double tol,
                      double *reference, bool fill)
{
    result r = {.create = INFINITY, .loop = INFINITY};
    tml_run_def run = *tml_model_run(model);
    tml_error err = {0};
    run.method = method;
    run.kinematics = kinematics;
    run.end = run.output_step = END;
    run.tol = run.rtol = run.atol = tol;
    for (int i = 0; i < (fill ? 1 : REPEATS); i++) {
        tml_sim *sim = NULL;
        const double begin = now();
        check(tml_sim_create(model, &run, &sim, &err), &err);
        const double created = now();
        while (tml_sim_time(sim) < END) check(tml_sim_step(sim, END, &err), &err);
        r.loop = fmin(r.loop, now() - created);
        r.create = fmin(r.create, created - begin);
        const tml_state *x = tml_sim_state(sim);
        if (fill) memcpy(reference, x->q, (size_t)x->nq * sizeof *reference);
        r.error = 0;
        for (int k = 0; k < x->nq; k++)  // positions, then a quaternion of either sign
            if (k % 7 < 3) r.error = fmax(r.error, fabs(x->q[k] - reference[k]));
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        r.method = report.method;
        tml_sim_destroy(sim);
    }
    return r;
}

static void print_graph(int width, int length)
{
    tml_model *model = build(width, length);
    double *reference = calloc(7 * (size_t)tml_model_body_count(model), sizeof *reference);
    if (!reference) exit(1);
    measure(model, "adams", TML_KINEMATICS_JOINTS, REFERENCE, reference, true);
    for (double tol = 1e-3; tol > 5e-6; tol /= 100) {
        const result j = measure(model, "adams", TML_KINEMATICS_JOINTS, tol, reference, false),
                     b = measure(model, "bdf", TML_KINEMATICS_BODIES, tol, reference, false),
                     a = measure(model, "auto", TML_KINEMATICS_AUTO, tol, reference, false);
        printf("%4d x %-4d %7d %7.0e %7.1f + %6.1f %9.0e %7.1f + %6.1f %9.0e   %s\n", width, length,
               tml_model_body_count(model), tol, 1e3 * j.create, 1e3 * j.loop, j.error, 1e3 * b.create,
               1e3 * b.loop, b.error, strcmp(a.method, "adams") == 0 ? "joints" : "bodies");
        fflush(stdout);
    }
    free(reference);
    tml_model_destroy(model);
}

int main(int argc, char **argv)
{
    static const int GRAPHS[][2] = {{6, 6},  {10, 10}, {14, 14}, {20, 20}, {24, 24}, {28, 28},
                                    {1, 20}, {1, 30},  {1, 40},  {1, 80},  {2, 20},  {4, 20},
                                    {4, 40}, {20, 10}, {40, 4},  {40, 16}, {80, 1}};
    printf("%-11s %7s %7s %16s %9s %16s %9s   %s\n", "loops", "bodies", "tol", "joints [ms]", "error",
           "bodies [ms]", "error", "auto");
    int width, length;
    for (int i = 1; i < argc; i++)
        if (sscanf(argv[i], "%dx%d", &width, &length) == 2) print_graph(width, length);
    for (size_t i = 0; i < sizeof GRAPHS / sizeof *GRAPHS && argc < 2; i++)
        print_graph(GRAPHS[i][0], GRAPHS[i][1]);
    return 0;
}
