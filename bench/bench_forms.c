// Friction that sticks and rolling in three forms of the equations: coordinates of the bodies, joint
// coordinates, bodies on SE(3). For each form steps, processor time and the largest difference of a body's
// position, at ticks or rows of output, from a run on the bodies with a hundredth of the tolerance.
//   arm       models/contact/robot_arm.yaml under its controller at 1 kHz, Coulomb friction in all joints
//   bicycle   models/contact/bicycle.yaml, two wheels that roll
//   vehicle   models/hmmwv.yaml with Coulomb friction in the four hinges of its lower arms
//
// usage: bench_forms     (from the top of the tree)
#include "arm.h"
#include "model_text.h"

#include <stdlib.h>
#include <string.h>

enum { FORMS = 3, ROUNDS = 3, MOST_ROWS = 5000, MOST_BODIES = 16 };
static const char *const FORM[FORMS] = {"bodies", "joints", "SE(3)"};

typedef struct positions {
    int rows, bodies;
    double at[MOST_ROWS][3 * MOST_BODIES];
} positions;

typedef struct outcome {
    long steps;
    double seconds;
} outcome;

static void stop(const char *what, const tml_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->msg);
    exit(1);
}

static void keep(int k, const tml_state *x, void *user)
{
    positions *p = user;
    if (k >= MOST_ROWS || p->bodies > MOST_BODIES) exit(1);
    p->rows = k + 1;
    for (int i = 0; i < p->bodies; i++) memcpy(p->at[k] + 3 * i, x->q + 7 * i, 3 * sizeof(double));
}

static tml_status keep_row(const tml_sim *sim, const tml_state *x, void *user)
{
    (void)sim;
    keep(((positions *)user)->rows, x, user);
    return TML_OK;
}

// Runs the model in a form; ticks > 0: those of the arm's controller.
static outcome run_in(const char *what, const tml_model *m, int form, const char *method, double step,
                      double tol, int ticks, positions *out)
{
    tml_error err = {0};
    tml_sim *sim = NULL;
    tml_run_def run = *tml_model_run(m);
    outcome o = {.seconds = 0};
    run.method = method;
    run.step = step;
    run.tol = tol;
    run.rtol = run.atol = NAN;
    run.kinematics = form == 1 ? TML_KINEMATICS_JOINTS : TML_KINEMATICS_BODIES;
    run.group = form == 2 ? TML_GROUP_SE3 : TML_GROUP_R3SO3;
    if (ticks > 0) run.end = ticks * ARM_TICK;
    if (tml_sim_create(m, &run, &sim, &err) != TML_OK) stop(what, &err);
    out->rows = 0;
    out->bodies = tml_model_body_count(m);
    if (ticks > 0) {
        if (arm_run(sim, ticks, keep, out, &o.seconds, &err) != TML_OK) stop(what, &err);
    } else {
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = keep_row, .user = out});
        const clock_t begin = clock();
        if (tml_sim_run(sim, NAN, &err) != TML_OK) stop(what, &err);
        o.seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    }
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    o.steps = report.count.steps;
    tml_sim_destroy(sim);
    return o;
}

static double difference(const positions *a, const positions *b)
{
    double most = 0;
    if (a->rows != b->rows) exit(1);
    for (int k = 0; k < a->rows; k++)
        for (int i = 0; i < 3 * a->bodies; i++) most = fmax(most, fabs(a->at[k][i] - b->at[k][i]));
    return most;
}

// One row per form.
static void print_forms(const char *what, const tml_model *m, const char *method, double step, double tol,
                        int ticks)
{
    static positions exact, found;
    char setting[40];
    run_in(what, m, 0, "radau5", 0, tol / 100, ticks, &exact);
    if (step > 0) snprintf(setting, sizeof setting, "step %g ms", 1e3 * step);
    else snprintf(setting, sizeof setting, "tol %.0e", tol);
    for (int form = 0; form < FORMS; form++) {
        outcome o = {0};
        double best = INFINITY;
        for (int round = 0; round < ROUNDS; round++) {
            o = run_in(what, m, form, method, step, tol, ticks, &found);
            best = fmin(best, o.seconds);
        }
        printf("| %s | `%s`, %s | %s | %ld | %.1f | %.1f | %.1e |\n", what, method, setting, FORM[form],
               o.steps, 1e3 * best, 1e6 * best / (double)o.steps, difference(&found, &exact));
        fflush(stdout);
    }
}

static tml_model *build(const text *t, const char *name)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *m = NULL;
    if (tml_spec_parse(t->at, t->length, name, NULL, 0, NULL, &spec, &err) != TML_OK) stop(name, &err);
    if (tml_model_build(spec, &m, &err) != TML_OK) stop(name, &err);
    tml_spec_destroy(spec);
    return m;
}

static tml_model *read_model(const char *path)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *m = NULL;
    if (tml_spec_read(path, NULL, 0, NULL, &spec, &err) != TML_OK) stop(path, &err);
    if (tml_model_build(spec, &m, &err) != TML_OK) stop(path, &err);
    tml_spec_destroy(spec);
    return m;
}

// The line without `part`.
static void remove_part(char *line, const char *part)
{
    char *at = strstr(line, part);
    if (at) memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

// The model file with Coulomb's law, which sticks, in place of the regularized one.
static tml_model *sticking_arm(void)
{
    static const char path[] = "models/contact/robot_arm.yaml";
    char line[300];
    text t = {0};
    FILE *file = fopen(path, "r");
    if (!file) stop(path, &(tml_error){.msg = "cannot be read"});
    while (fgets(line, sizeof line, file)) {
        remove_part(line, "law: regularized, ");
        remove_part(line, ", creep: 0.05");
        put(&t, "%s", line);
    }
    fclose(file);
    tml_model *m = build(&t, path);
    free(t.at);
    return m;
}

static tml_model *rubbing_vehicle(void)
{
    text t = {0};
    put(&t, "include: hmmwv.yaml\nforces:\n");
    for (int k = 0; k < 4; k++)
        put(&t, "  rub%d: {type: friction, of: lower_hinge_%c%d.angle, coulomb: 40, static: 50}\n", k,
            "fr"[k / 2], 1 + k % 2);
    tml_model *m = build(&t, "models/rubbing.yaml");
    free(t.at);
    return m;
}

int main(void)
{
    tml_model *arm = sticking_arm(), *bicycle = read_model("models/contact/bicycle.yaml"),
              *vehicle = rubbing_vehicle();
    puts("| model | method | unknowns | steps | CPU [ms] | us/step | difference [m] |");
    puts("|---|---|---|---:|---:|---:|---:|");
    print_forms("arm at 1 kHz", arm, "genalpha", 1e-3, 1e-4, 2000);
    print_forms("arm at 1 kHz", arm, "radau5", 0, 1e-5, 2000);
    print_forms("bicycle", bicycle, "radau5", 0, 1e-6, 0);
    print_forms("bicycle", bicycle, "adams", 0, 1e-6, 0);
    print_forms("vehicle", vehicle, "bdf", 0, 1e-4, 0);
    print_forms("vehicle", vehicle, "radau5", 0, 1e-4, 0);
    tml_model_destroy(arm);
    tml_model_destroy(bicycle);
    tml_model_destroy(vehicle);
    return 0;
}
