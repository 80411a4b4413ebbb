// What fuzz targets do with the text of a model: read, build, start, two steps with their channels. Large
// models are left out: a fuzzer explores kinds, not sizes.
#ifndef FUZZ_SIMULATE_H
#define FUZZ_SIMULATE_H

#include <stddef.h>
#include <stdlib.h>
#include <trammel/trammel.h>

enum { BODIES = 12, JOINTS = 16, COORDINATES = 120, STEPS = 2 };

static inline void require(int condition)
{
    if (!condition) abort();
}

static inline tml_status on_output(const tml_sim *sim, const tml_state *x, void *user)
{
    tml_error err = {0};
    const tml_status st = tml_sim_channel_values(sim, x, user, &err);
    require(st == TML_OK || err.msg[0]);
    return TML_OK;
}

static inline tml_status on_step(const tml_sim *sim, double t, double h, void *user)
{
    (void)t, (void)h, (void)user;
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    return report.count.steps < STEPS ? TML_OK : TML_ERR_STOPPED;
}

static inline void simulate(const tml_model *model)
{
    tml_error err = {0};
    tml_sim *sim = NULL;
    tml_run_def run = *tml_model_run(model);
    run.threads = 1;
    const tml_status st = tml_sim_create(model, &run, &sim, &err);
    require((st == TML_OK) == (sim != NULL) && (st == TML_OK || err.msg[0]));
    if (!sim) return;
    double *row = malloc(((size_t)tml_sim_channel_count(sim) + 1) * sizeof *row);
    require(row != NULL);
    const tml_sim_hooks hooks = {.on_step = on_step, .on_output = on_output, .user = row};
    tml_sim_set_hooks(sim, &hooks);
    const tml_run_def *used = tml_sim_settings(sim);
    // outputs by the million within a step would only take time
    if ((used->end - used->start) / used->output_step < 1e4) tml_sim_run(sim, used->end, &err);
    free(row);
    tml_sim_destroy(sim);
}

/** The name lies in a folder that does not exist, so that no relative include opens a file. */
static inline void run_text(const char *text, size_t size)
{
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_error err = {0};
    tml_status st = tml_spec_parse(text, size, "no-such-folder/fuzz.yaml", NULL, 0, NULL, &spec, &err);
    require((st == TML_OK) == (spec != NULL) && (st == TML_OK || err.msg[0]));
    if (st != TML_OK) return;
    st = tml_model_build(spec, &model, &err);
    require((st == TML_OK) == (model != NULL) && (st == TML_OK || err.msg[0]));
    if (model && tml_model_body_count(model) <= BODIES && tml_model_joint_count(model) <= JOINTS &&
        tml_model_system(model)->n <= COORDINATES)
        simulate(model);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

#endif
