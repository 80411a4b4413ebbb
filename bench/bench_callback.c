// Cost of a force callback: a spring with damper by the built-in force and by a callback with the same law,
// per evaluation, with an explicit method (forces only) and with implicit ones (and their tangents).
//
// usage: bench_callback                        CPU times of all
//        bench_callback METHOD none|built-in|callback|derived    one run, to count its instructions:
//               valgrind --tool=callgrind build/bench/bench_callback erk5 callback
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trammel/trammel.h>

enum { BODIES = 10, SPRINGS = 12, STEPS = 400 };

typedef enum kind {
    NONE,
    BUILT_IN,
    CALLBACK,
    DERIVED,
    KIND_COUNT
} kind;  // DERIVED: a callback with its derivatives
static const char *const KINDS[] = {"none", "built-in", "callback", "derived"};

static const double stiffness = 800, damping = 3, free_length = 0.9;
static long calls;

static void stop(const tml_error *err)
{
    fprintf(stderr, "%s\n", err->msg);
    exit(1);
}

static void pull(double t, const tml_frame_motion *frame, double *wrench, void *user)
{
    double d[3], length = 0, rate = 0;
    (void)t, (void)user;
    calls++;
    for (int i = 0; i < 3; i++) {
        d[i] = frame[1].position[i] - frame[0].position[i];
        length += d[i] * d[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; i++) rate += d[i] / length * (frame[1].velocity[i] - frame[0].velocity[i]);
    const double F = stiffness * (length - free_length) + damping * rate;
    for (int i = 0; i < 3; i++) {
        wrench[i] = F * d[i] / length;
        wrench[6 + i] = -wrench[i];
    }
}

static void pull_derivatives(double t, const tml_frame_motion *frame, double *derivative, void *user)
{
    double e[3], v[3], length = 0, rate = 0;
    (void)t, (void)user;
    for (int i = 0; i < 3; i++) {
        e[i] = frame[1].position[i] - frame[0].position[i];
        v[i] = frame[1].velocity[i] - frame[0].velocity[i];
        length += e[i] * e[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; i++) e[i] /= length;
    for (int i = 0; i < 3; i++) rate += e[i] * v[i];
    const double F = stiffness * (length - free_length) + damping * rate;
    for (int k = 0; k < 9; k++) {
        const int i = k / 3, j = k % 3;
        const double d = F * ((i == j) - e[i] * e[j]) / length +
                         e[i] * (stiffness * e[j] + damping * (v[j] - e[j] * rate) / length);
        for (int on = 0; on < 2; on++)
            for (int by = 0; by < 2; by++) {
                double *const row = derivative + 24 * (6 * on + i) + 12 * by;
                row[j] = on == by ? -d : d;
                row[6 + j] = (on == by ? -1 : 1) * damping * e[i] * e[j];
            }
    }
}

static void add_body(tml_spec *spec, int i)
{
    tml_error err;
    char name[20];
    snprintf(name, sizeof name, "b%d", i);
    tml_body_def b = tml_body_def_default();
    b.name = name;
    b.mass = 1.3;
    b.inertia[0] = b.inertia[1] = 0.05;
    b.inertia[2] = 0.02;
    b.position[0] = 1.1 * i;
    b.angular_velocity[1] = 0.7;
    tml_frame_def f = tml_frame_def_default();
    f.body = name;
    f.name = "tip";
    f.position[1] = 0.1;
    if (tml_spec_add_body(spec, &b, &err) != TML_OK || tml_spec_add_frame(spec, &f, &err) != TML_OK)
        stop(&err);
}

static void add_spring(tml_spec *spec, int i, int k, kind what)
{
    tml_error err;
    char name[30], tip[30], hook[30], place[30];
    snprintf(name, sizeof name, "s%d_%d", i, k);
    snprintf(tip, sizeof tip, "b%d.tip", i);
    snprintf(place, sizeof place, "h%d_%d", i, k);
    snprintf(hook, sizeof hook, "ground.h%d_%d", i, k);
    tml_frame_def f = tml_frame_def_default();
    f.body = "ground";
    f.name = place;
    f.position[0] = 1.1 * i + cos(0.5 * k);
    f.position[1] = sin(0.5 * k);
    f.position[2] = 0.3;
    tml_force_def d = tml_force_def_default();
    d.name = name;
    d.a = hook;
    d.b = tip;
    d.stiffness = stiffness;
    d.damping = damping;
    d.free = free_length;
    if (what >= CALLBACK) {
        d = tml_force_def_default();
        d.name = name;
        d.type = TML_FORCE_CALLBACK;
        d.frame_count = 2;
        d.frame[0] = hook;
        d.frame[1] = tip;
        d.function = pull;
        if (what == DERIVED) d.derivatives = pull_derivatives;
    }
    if (tml_spec_add_frame(spec, &f, &err) != TML_OK || tml_spec_add_force(spec, &d, &err) != TML_OK)
        stop(&err);
}

static tml_model *build(kind what)
{
    tml_error err;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    if (tml_spec_create(NULL, &spec, &err) != TML_OK) stop(&err);
    for (int i = 0; i < BODIES; i++) {
        add_body(spec, i);
        for (int k = 0; k < SPRINGS && what != NONE; k++) add_spring(spec, i, k, what);
    }
    if (tml_model_build(spec, &model, &err) != TML_OK) stop(&err);
    tml_spec_destroy(spec);
    return model;
}

// CPU time [s] of STEPS fixed steps; *residuals: evaluations of all forces.
static double run(const tml_model *model, const char *method, long *residuals)
{
    tml_error err;
    tml_sim *sim = NULL;
    tml_run_def def = *tml_model_run(model);
    def.method = method;
    def.end = 0.4;
    def.step = def.end / STEPS;
    if (tml_sim_create(model, &def, &sim, &err) != TML_OK) stop(&err);
    const clock_t begin = clock();
    while (tml_sim_time(sim) < def.end * (1 - 1e-9))
        if (tml_sim_step(sim, def.end, &err) != TML_OK) stop(&err);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    *residuals = report.count.residuals;
    tml_sim_destroy(sim);
    return seconds;
}

// [s] per call of the function alone.
static double time_function(void)
{
    tml_frame_motion frame[2] = {0};
    double wrench[12], sum = 0;
    const long n = 5000000;
    frame[1].position[0] = 0.7;
    const clock_t begin = clock();
    for (long i = 0; i < n; i++) {
        frame[1].velocity[1] = 1e-9 * (double)i;
        pull(0, frame, wrench, NULL);
        sum += wrench[1];
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (sum == 1) printf("\n");  // the sum is used
    return seconds / (double)n;
}

static void measure(const char *method)
{
    const double per = 1e9 / ((double)STEPS * BODIES * SPRINGS);
    double best[KIND_COUNT], own[KIND_COUNT];
    for (int what = 0; what < KIND_COUNT; what++) {
        tml_model *model = build((kind)what);
        best[what] = INFINITY;
        for (int k = 0; k < 5; k++) {
            long residuals;
            calls = 0;
            best[what] = fmin(best[what], run(model, method, &residuals));
        }
        own[what] = time_function() * (double)calls * per;
        tml_model_destroy(model);
    }
    const double built_in = (best[BUILT_IN] - best[NONE]) * per;
    printf("%-10s built-in %7.0f ns per force and step", method, built_in);
    for (int what = CALLBACK; what <= DERIVED; what++) {
        const double all = (best[what] - best[NONE]) * per;
        printf("; %s %.0f ns, of which the function itself %.0f ns, rest over built-in %.2f", KINDS[what],
               all, own[what], (all - own[what]) / built_in);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        for (int what = 0; what < KIND_COUNT; what++)
            if (strcmp(argv[2], KINDS[what]) == 0) {
                long residuals;
                tml_model *model = build((kind)what);
                run(model, argv[1], &residuals);
                printf("%ld residuals, %ld calls\n", residuals, calls);
                tml_model_destroy(model);
            }
        return 0;
    }
    static const char *const methods[] = {"erk5", "genalpha", "radau5"};
    for (int i = 0; i < 3; i++) measure(methods[i]);
    return 0;
}
