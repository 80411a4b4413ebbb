// Effect of the motion formalism: every model with bodies moving on R^3 x SO(3), on SE(3) by the exponential
// map, and on SE(3) by Cayley's map (Euler motion parameters), at equal tolerance and at equal fixed steps.
//
// Errors are the largest over 16 instants and all coordinates against a reference with fixed steps of h/64 on
// R^3 x SO(3) (1/4096 of the error of h): positions in model lengths and rad, velocities in units of the
// largest of their kind, multipliers (the method's own) in units of the largest. Run from the top of the
// tree, or give the folder of the models, and the name of a method as second argument.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/sim.h>

enum { INSTANTS = 16, GROUPS = 3, FINE = 64 };

static const char *const group_names[GROUPS] = {"r3so3", "se3", "se3-cayley"};

// The heavy top with a hundredth of its mass: now its own inertia is larger than what its mass adds about the
// tip.
static const char light_top[] =
    "gravity: 9.81\n"
    "bodies:\n"
    "  top: {mass: 0.15, inertia: [0.234375, 0.46875, 0.234375], position: [0, 1, 0],\n"
    "        angular_velocity: [0, 150, -4.61538], velocity: [4.61538, 0, 0], frames: {tip: [0, -1, 0]}}\n"
    "joints:\n"
    "  tip: {type: spherical, a: ground, b: top.tip}\n"
    "run: {tol: 1e-4}\n";

// Crank, coupler and rocker with skew hinges and two ball joints: a spatial four-bar linkage, its coupler
// free to spin.
static const char linkage[] =
    "gravity: [0.71, -1.3, -9.42]\n"
    "bodies:\n"
    "  crank: {mass: 1.3, inertia: [0.021, 0.017, 0.012], position: [0.08, 0.03, 0.11],\n"
    "          angular_velocity: [1.2, 6, -0.6]}\n"
    "  coupler: {mass: 0.9, inertia: [0.011, 0.052, 0.049], position: [0.46, 0.21, 0.31],\n"
    "            angular_velocity: [5, 2.5, -1]}\n"
    "  rocker: {mass: 1.7, inertia: [0.043, 0.038, 0.019], position: [0.81, 0.47, 0.16]}\n"
    "joints:\n"
    "  a: {type: revolute, a: ground, b: crank, point: [0, 0, 0], axis: [0.2, 1, -0.1]}\n"
    "  b: {type: spherical, a: crank, b: coupler, point: [0.17, 0.05, 0.21]}\n"
    "  c: {type: spherical, a: coupler, b: rocker, point: [0.78, 0.41, 0.37]}\n"
    "  d: {type: revolute, a: ground, b: rocker, point: [0.83, 0.55, -0.09],\n"
    "      axis: [1, -0.3, 0.25]}\n"
    "run: {tol: 1e-4}\n";

// A gate that swings about an inclined post, its mass off the axis: turning about a fixed line.
static const char gate[] =
    "gravity: 9.81\n"
    "bodies:\n"
    "  gate: {mass: 40, inertia: [3, 5, 8], position: [1, 0.2, 0.5], angular_velocity: [0, 2, 9]}\n"
    "joints:\n"
    "  post: {type: revolute, a: ground, b: gate, point: [0, 0, 0], axis: [0, 0.2, 1]}\n"
    "run: {tol: 1e-4}\n";

// A wheel thrown through the air: nothing held, translation and a fast spin have nothing to do with each
// other.
static const char thrown[] =
    "gravity: 9.81\n"
    "bodies:\n"
    "  wheel: {mass: 5, inertia: [0.1, 0.2, 0.1], position: [0, 0, 0], velocity: [8, 0, 9],\n"
    "          angular_velocity: [0.5, 40, 0]}\n"
    "run: {tol: 1e-4}\n";

typedef struct subject {
    const char *name, *text;  // text NULL: a file of the models
    double end, h;            // [s], dyadic
} subject;

static const subject subjects[] = {
    {"heavy_top", NULL, 1, 0x1p-11}, {"light_top", light_top, 1, 0x1p-11}, {"governor", NULL, 1, 0x1p-10},
    {"suspension", NULL, 1, 0x1p-9}, {"linkage", linkage, 1, 0x1p-9},      {"gate", gate, 1, 0x1p-8},
    {"thrown", thrown, 1, 0x1p-8},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct course {
    tml_state *x[INSTANTS];
    tml_sim_report report;
} course;

static void fail(const char *name, const tml_error *err)
{
    fprintf(stderr, "bench_group: %s: %s\n", name, err->msg);
    exit(1);
}

static tml_model *load(const subject *s, const char *folder)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    char path[600];
    snprintf(path, sizeof path, "%s/%s.yaml", folder, s->name);
    tml_status st = s->text ? tml_spec_parse(s->text, strlen(s->text), s->name, NULL, 0, NULL, &spec, &err)
                            : tml_spec_read(path, NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st != TML_OK) fail(s->name, &err);
    tml_spec_destroy(spec);
    return model;
}

// h = 0: at the model's tolerance.
static void ride(const tml_model *model, const subject *s, const char *method, tml_group group, double h,
                 course *out)
{
    tml_error err = {0};
    tml_sim *sim = NULL;
    tml_run_def run = *tml_model_run(model);
    run.method = method;
    run.end = s->end;
    run.step = h;
    run.group = group;
    if (tml_sim_create(model, &run, &sim, &err) != TML_OK) fail(s->name, &err);
    const tml_system *sys = tml_model_system(model);
    for (int i = 0; i < INSTANTS; i++) {
        const double t = s->end * (i + 1) / INSTANTS;
        while (tml_sim_time(sim) < t)
            if (tml_sim_step(sim, t, &err) != TML_OK) fail(s->name, &err);
        if (tml_state_create(sys, &out->x[i], &err) != TML_OK) fail(s->name, &err);
        tml_state_copy(out->x[i], tml_sim_state(sim));
    }
    tml_sim_get_report(sim, &out->report);
    tml_sim_destroy(sim);
}

static void erase(const tml_model *model, course *c)
{
    for (int i = 0; i < INSTANTS; i++) tml_state_destroy(c->x[i], tml_model_system(model));
}

// error[3]: positions, velocities, multipliers
static void compare(const tml_model *model, const course *exact, const course *c, double error[3])
{
    const tml_system *sys = tml_model_system(model);
    double fastest[2] = {0}, largest = 0, *d = calloc((size_t)sys->n + 1, sizeof *d);
    if (!d) exit(1);
    memset(error, 0, 3 * sizeof *error);
    for (int i = 0; i < INSTANTS; i++) {
        for (int j = 0; j < sys->n; j++)
            fastest[sys->kind[j]] = fmax(fastest[sys->kind[j]], fabs(exact->x[i]->u[j]));
        for (int r = 0; r < sys->m; r++) largest = fmax(largest, fabs(exact->x[i]->lambda[r]));
    }
    for (int i = 0; i < INSTANTS; i++) {
        const tml_state *a = exact->x[i], *b = c->x[i];
        sys->ops->local(sys->self, a->q, b->q, d);
        for (int j = 0; j < sys->n; j++) {
            const double unit = sys->kind[j] == TML_COORDINATE_TRANSLATION ? sys->length : 1;
            error[0] = fmax(error[0], fabs(d[j]) / unit);
            error[1] = fmax(error[1], fabs(b->u[j] - a->u[j]) / fastest[sys->kind[j]]);
        }
        for (int r = 0; r < sys->m; r++)
            error[2] = fmax(error[2], fabs(b->lambda[r] - a->lambda[r]) / largest);
    }
    free(d);
}

static void print_row(const tml_model *model, const char *name, const char *group, const course *exact,
                      const course *c)
{
    const tml_counters *n = &c->report.count;
    double error[3];
    compare(model, exact, c, error);
    printf("| %s | %s | %ld | %ld | %.2f | %ld | %.1e | %.1e | %.1e |\n", name, group, n->steps,
           n->rejected_error + n->rejected_newton, (double)n->iterations / (double)n->steps,
           n->factorizations, error[0], error[1], error[2]);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "models", *method = argc > 2 ? argv[2] : "genalpha";
    for (int fixed = 0; fixed < 2; fixed++) {
        printf("%s%s\n\n| model | group | steps | rejected | iterations per step | factorizations | error of "
               "positions "
               "| velocities | multipliers |\n|---|---|---|---|---|---|---|---|---|\n",
               fixed ? "\nEqual fixed steps, " : "Equal tolerance, 1e-4, ", method);
        for (int i = 0; i < SUBJECTS; i++) {
            const subject *s = &subjects[i];
            tml_model *model = load(s, folder);
            course exact, c;
            ride(model, s, method, TML_GROUP_R3SO3, s->h / FINE, &exact);
            for (int g = 0; g < GROUPS; g++) {
                ride(model, s, method, (tml_group)g, fixed ? s->h : 0, &c);
                print_row(model, s->name, group_names[g], &exact, &c);
                erase(model, &c);
            }
            erase(model, &exact);
            tml_model_destroy(model);
        }
    }
    return 0;
}
