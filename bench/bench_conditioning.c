// Effect of scaling and augmentation: Newton iterations per step and condition number (1-norm) of the
// iteration matrix over eight decades of the step, for the two pendulums of Bauchau, Epple, Bottasso, J.
// Comput. Nonlinear Dyn. 4 (2009) 021007. Twenty fixed steps each, dense solver. Run from the top of the
// tree, or give the folder of the models. Both pendulums start at rest. Over twenty of the smallest steps
// they do not move by a rounding unit across their constraints, so Newton's method converges in spite of the
// condition number; where it does not, the message says so.
#include <math.h>
#include <stdio.h>
#include <trammel/sim.h>

enum { STEPS = 20, SIZES = 8 };

typedef struct row {
    int steps;          // made of STEPS
    double iterations;  // per step made
    double condition;
    tml_error err;
} row;

static row measure(const tml_model *model, double h, tml_scaling scaling, double augment)
{
    row r = {.condition = NAN};
    tml_run_def run = *tml_model_run(model);
    run.solver = "dense";
    run.step = h;
    run.end = 10;  // [s]: no step is cut to meet it
    run.scaling = scaling;
    run.augment = augment;
    tml_sim *sim = NULL;
    tml_status st = tml_sim_create(model, &run, &sim, &r.err);
    while (st == TML_OK && r.steps < STEPS) {
        st = tml_sim_step(sim, run.end, &r.err);
        r.steps += st == TML_OK;
    }
    if (sim) {
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        r.iterations = r.steps ? (double)report.count.iterations / r.steps : 0;
        r.condition = tml_sim_condition(sim);
    }
    if (st == TML_OK) r.err.msg[0] = 0;
    tml_sim_destroy(sim);
    return r;
}

static void print_block(const tml_model *model, const char *name, tml_scaling scaling, double augment)
{
    const char *const word = scaling == TML_SCALING_NONE      ? "none"
                             : scaling == TML_SCALING_UNIFORM ? "uniform"
                                                              : "physical";
    printf("\n%s, scaling %s, augmentation %s\n", name, word, augment > 0 ? "on" : "off");
    printf("  %8s %6s %16s %12s %8s\n", "h [s]", "steps", "iterations/step", "condition", "slope");
    double h = 1e-1, last = NAN;
    for (int i = 0; i < SIZES; i++, h /= 10) {
        const row r = measure(model, h, scaling, augment);
        printf("  %8.0e %6d", h, r.steps);
        if (r.steps) printf(" %16.2f", r.iterations);
        else printf(" %16s", "-");
        printf(" %12.3e", r.condition);
        if (isfinite(last)) printf(" %8.3f", -log10(r.condition / last));  // d log(condition)/d log(h)
        printf("%s%s\n", r.err.msg[0] ? "  " : "", r.err.msg);
        last = r.condition;
    }
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"pendulum", "spring_pendulum"};
    for (int m = 0; m < 2; m++) {
        char path[1024];
        tml_error err = {0};
        tml_spec *spec = NULL;
        tml_model *model = NULL;
        snprintf(path, sizeof path, "%s/%s.yaml", argc > 1 ? argv[1] : "models", names[m]);
        tml_status st = tml_spec_read(path, NULL, 0, NULL, &spec, &err);
        if (st == TML_OK) st = tml_model_build(spec, &model, &err);
        if (st != TML_OK) {
            fprintf(stderr, "%s\n", err.msg);
            return 1;
        }
        static const tml_scaling scalings[] = {TML_SCALING_PHYSICAL, TML_SCALING_UNIFORM, TML_SCALING_NONE};
        for (int i = 0; i < 3; i++)
            for (int augment = 1; augment >= 0; augment--) print_block(model, names[m], scalings[i], augment);
        tml_model_destroy(model);
        tml_spec_destroy(spec);
    }
    return 0;
}
