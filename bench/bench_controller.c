// Cost of a controller in the loop at 1 kHz on the vehicle: CPU time of the loop with an input that changes
// at every tick, over the time of the same loop whose steps end at the ticks and change nothing.
//
// usage: bench_controller [MODEL.yaml [SECONDS [METHOD ...]]]     (from the top of the tree;
// models/hmmwv.yaml, 10, the method of the model)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <trammel/trammel.h>

static void stop(const tml_error *err)
{
    fprintf(stderr, "%s\n", err->msg);
    exit(1);
}

static tml_model *load(const char *path)
{
    tml_error err;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    if (tml_spec_read(path, NULL, 0, NULL, &spec, &err) != TML_OK) stop(&err);
    tml_input_def input = tml_input_def_default();
    input.name = "push";
    tml_force_def force = tml_force_def_default();
    force.name = "controlled";
    force.type = TML_FORCE_APPLIED;
    force.b = "chassis";
    force.force[0] = "push";
    if (tml_spec_add_input(spec, &input, &err) != TML_OK) stop(&err);
    if (tml_spec_add_force(spec, &force, &err) != TML_OK) stop(&err);
    if (tml_model_build(spec, &model, &err) != TML_OK) stop(&err);
    tml_spec_destroy(spec);
    return model;
}

// CPU time [s] of `ticks` ticks of 1 ms; method NULL: that of the model.
static double loop(const tml_model *model, const char *method, int ticks, int controlled)
{
    tml_error err;
    tml_sim *sim = NULL;
    tml_run_def run = *tml_model_run(model);
    if (method) run.method = method;
    if (tml_sim_create(model, &run, &sim, &err) != TML_OK) stop(&err);
    const tml_body_layout body = tml_model_body_layout(model, tml_model_body_index(model, "chassis", &err));
    const clock_t begin = clock();
    for (int i = 0; i < ticks; i++) {
        const double v = tml_sim_state(sim)->u[body.u], next = 1e-3 * (i + 1);
        if (controlled && tml_sim_set_input(sim, 0, -20 * (v - floor(v)), 0, &err) != TML_OK) stop(&err);
        while (tml_sim_time(sim) < next)
            if (tml_sim_step(sim, next, &err) != TML_OK) stop(&err);
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    printf("  %-12s method %s, %ld steps, %ld iterations, %.3f s\n", controlled ? "controlled" : "not",
           report.method, report.count.steps, report.count.iterations, seconds);
    tml_sim_destroy(sim);
    return seconds;
}

static void compare(const tml_model *model, const char *method, int ticks)
{
    double best[2] = {INFINITY, INFINITY};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 2; c++) best[c] = fmin(best[c], loop(model, method, ticks, c));
    printf("controller over none: %.2f\n", best[1] / best[0]);
}

int main(int argc, char **argv)
{
    tml_model *model = load(argc > 1 ? argv[1] : "models/hmmwv.yaml");
    const int ticks = (int)(1000 * (argc > 2 ? atof(argv[2]) : 10));
    if (argc <= 3) compare(model, NULL, ticks);
    for (int i = 3; i < argc; i++) compare(model, argv[i], ticks);
    tml_model_destroy(model);
    return 0;
}
