// A loop at 1 kHz on an arm of 7 joints and on a tree of 30 (six arms of 5): at each tick a controller reads
// the angles and sets the torques, which are constant until the next tick. Printed are the evaluations and
// the processor time per tick, the largest tick and the one that 999 of 1000 do not exceed, and the largest
// error of an angle against erk8 with a small tolerance, for the same torques.
//
// usage: bench_ticks [SECONDS [MODEL METHOD TOL]]     (2; MODEL: arm or tree)
#define _POSIX_C_SOURCE 200809L
#include "model_text.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <trammel/trammel.h>

enum { MOST_JOINTS = 30, MOST_TICKS = 20000, REPEATS = 3 };
static const double TICK = 1e-3;  // [s]

typedef struct subject {
    const char *name;
    int arms, links;  // joints: arms x links
} subject;

typedef struct setting {
    const char *method;
    double step, tol;
} setting;

static const subject SUBJECTS[] = {{"arm", 1, 7}, {"tree", 6, 5}};
static const setting SETTINGS[] = {{"auto", 0, 1e-3},  {"auto", 0, 1e-4},       {"auto", 0, 1e-6},
                                   {"auto", 0, 1e-9},  {"erk5", 0, 1e-4},       {"erk8", 0, 1e-4},
                                   {"adams", 0, 1e-4}, {"genalpha", 1e-3, 1e-4}};

static void stop(const tml_error *err)
{
    fprintf(stderr, "%s\n", err->msg);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Links of 0.2 m, each lighter than the one that carries it; axes alternate between y and z.
static tml_model *build(const subject *s)
{
    text t = {0};
    put(&t, "gravity: [0, 0, -9.81]\ninputs:\n");
    for (int i = 0; i < s->arms * s->links; i++) put(&t, "  tau%d: {unit: N m}\n", i);
    put(&t, "defaults: {joints: {type: revolute, damping: 0.1}}\nbodies:\n");
    for (int a = 0; a < s->arms; a++)
        for (int k = 0; k < s->links; k++)
            put(&t,
                "  link%d: {mass: %g, inertia: [0.001, %g, %g], position: [%g, %g, 0], frames: {a: [-0.1, 0, "
                "0], b: [0.1, 0, 0]}}\n",
                a * s->links + k, 4.0 / (1 + k), 0.02 / (1 + k), 0.02 / (1 + k), 0.1 + 0.2 * k, 0.5 * a);
    put(&t, "joints:\n");
    for (int a = 0; a < s->arms; a++)
        for (int k = 0; k < s->links; k++) {
            const int i = a * s->links + k;
            put(&t, "  j%d: {b: link%d.a, axis: %s, torque: tau%d, ", i, i, k % 2 ? "[0, 0, 1]" : "[0, 1, 0]",
                i);
            if (k == 0) put(&t, "a: ground}\n");
            else put(&t, "a: link%d.b}\n", i - 1);
        }
    tml_error err;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    if (tml_spec_parse(t.at, t.length, s->name, NULL, 0, NULL, &spec, &err) != TML_OK) stop(&err);
    if (tml_model_build(spec, &model, &err) != TML_OK) stop(&err);
    tml_spec_destroy(spec);
    free(t.at);
    return model;
}

// The torque of joint i at a tick: a path in time and a spring and damper by the angle of the last two ticks.
static double control(int i, double t, double angle, double rate)
{
    const double wanted = 0.5 * sin(1.3 * t + 0.4 * i);
    return 60 / (1 + i % 7) * (wanted - angle) - 3 / (1 + i % 7) * rate;
}

typedef struct outcome {
    double *angle;            // (ticks x joints)
    double *torque;           // (ticks x joints)
    double tick[MOST_TICKS];  // [s]
    double total;             // [s]
    tml_sim_report report;
} outcome;

// given: torques of another run; NULL: those of the controller, which are kept
static void run(const tml_model *model, int joints, setting s, int ticks, const double *given, outcome *out)
{
    tml_error err;
    tml_sim *sim = NULL;
    tml_run_def run = *tml_model_run(model);
    double torque[MOST_JOINTS], last[MOST_JOINTS] = {0};
    run.method = s.method;
    run.step = s.step;
    run.tol = s.tol;
    run.end = ticks * TICK;
    if (tml_sim_create(model, &run, &sim, &err) != TML_OK) stop(&err);
    out->total = 0;
    for (int k = 0; k < ticks; k++) {
        const tml_state *x = tml_sim_state(sim);
        for (int i = 0; i < joints; i++)
            torque[i] = given ? given[k * joints + i]
                              : control(i, k * TICK, x->angle[i], (x->angle[i] - last[i]) / TICK);
        if (!given) memcpy(out->torque + (size_t)k * (size_t)joints, torque, (size_t)joints * sizeof *torque);
        memcpy(last, x->angle, (size_t)joints * sizeof *last);
        const double begin = now();
        if (tml_sim_set_inputs(sim, NULL, joints, torque, &err) != TML_OK) stop(&err);
        while (tml_sim_time(sim) < TICK * (k + 1))
            if (tml_sim_step(sim, TICK * (k + 1), &err) != TML_OK) stop(&err);
        out->tick[k] = now() - begin;
        out->total += out->tick[k];
        for (int i = 0; i < joints; i++) out->angle[k * joints + i] = tml_sim_state(sim)->angle[i];
    }
    tml_sim_get_report(sim, &out->report);
    tml_sim_destroy(sim);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_row(const char *name, const tml_model *model, int joints, setting s, int ticks,
                      const outcome *exact, outcome *o)
{
    double best = INFINITY, error = 0;
    for (int again = 0; again < REPEATS; again++) {
        run(model, joints, s, ticks, exact->torque, o);
        best = fmin(best, o->total);
    }
    for (int i = 0; i < ticks * joints; i++) error = fmax(error, fabs(o->angle[i] - exact->angle[i]));
    qsort(o->tick, (size_t)ticks, sizeof *o->tick, by_size);
    printf("%-6s %-9s %8g %11.2f %9.2f %9.2f %9.2f %11.1e %7ld  %s\n", name, s.method, s.tol,
           (double)o->report.count.residuals / ticks, 1e6 * best / ticks,
           1e6 * o->tick[(int)(0.999 * (ticks - 1))], 1e6 * o->tick[ticks - 1], error, o->report.count.steps,
           o->report.method);
}

int main(int argc, char **argv)
{
    const int ticks = (int)fmin(MOST_TICKS, (argc > 1 ? atof(argv[1]) : 2) / TICK);
    static outcome exact, o;
    const size_t most = (size_t)ticks * MOST_JOINTS;
    outcome *const both[] = {&exact, &o};
    for (int i = 0; i < 2; i++) {
        both[i]->angle = calloc(most, sizeof(double));
        both[i]->torque = calloc(most, sizeof(double));
        if (!both[i]->angle || !both[i]->torque) return 1;
    }
    printf("%-6s %-9s %8s %11s %9s %9s %9s %11s %7s  %s\n", "model", "method", "tol", "evaluations",
           "us/tick", "p99.9", "largest", "error [rad]", "steps", "at the end");
    for (size_t m = 0; m < sizeof SUBJECTS / sizeof *SUBJECTS; m++) {
        const subject *s = &SUBJECTS[m];
        const int joints = s->arms * s->links;
        if (argc > 4 && strcmp(argv[2], s->name) != 0) continue;
        tml_model *model = build(s);
        run(model, joints, (setting){"erk8", 0, 1e-12}, ticks, NULL, &exact);
        if (argc > 4)
            print_row(s->name, model, joints, (setting){argv[3], 0, atof(argv[4])}, ticks, &exact, &o);
        for (size_t k = 0; k < sizeof SETTINGS / sizeof *SETTINGS && argc <= 4; k++)
            print_row(s->name, model, joints, SETTINGS[k], ticks, &exact, &o);
        tml_model_destroy(model);
    }
    for (int i = 0; i < 2; i++) {
        free(both[i]->angle);
        free(both[i]->torque);
    }
    return 0;
}
