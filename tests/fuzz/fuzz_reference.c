// Any bytes as a reference of `compare`: a CSV file with columns of a pendulum. What is accepted differs from
// itself by nothing.
#include "compare/trial.h"
#include "result/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const TEXT = "planar: true\n"
                                "gravity: 9.81\n"
                                "bodies: {bob: {mass: 0.7, inertia: 0.02, position: [1.3, 0]}}\n"
                                "joints: {pin: {type: revolute, a: ground, b: bob, point: [0, 0]}}\n"
                                "run: {end: 1}\n";

static void require(int condition)
{
    if (!condition) abort();
}

static void begin(tmli_signals *s)
{
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    require(tml_spec_parse(TEXT, strlen(TEXT), "fuzz.yaml", NULL, 0, NULL, &spec, NULL) == TML_OK);
    require(tml_model_build(spec, &model, NULL) == TML_OK);
    require(tml_sim_create(model, tml_model_run(model), &sim, NULL) == TML_OK);
    require(tmli_signals_init(s, sim, NULL) == TML_OK);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

static void compare_with_itself(const tmli_samples *r)
{
    tmli_scales scales;
    tml_errors e = {NAN, NAN, NAN};
    require(tmli_scales_init(&scales, r, NULL) == TML_OK);
    for (size_t k = 0; k < r->rows; k++) {
        const double *row = r->values + k * (size_t)r->signals->n;
        tmli_errors_add(r->signals, &scales, row, row, &e);
    }
    // columns that are not in the file, and angles of quaternions that are none, tell nothing
    require(!(e.velocity > 0) && !(e.multiplier > 0));
    require(tmli_errors_between(r, r, &scales, 1e-9, &e) <= (int)r->rows);
    tmli_scales_clear(&scales, &r->signals->env);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tmli_signals signals;
    if (!signals.n) begin(&signals);
    char *text = malloc(size + 1);
    require(text != NULL);
    if (size) memcpy(text, data, size);
    text[size] = 0;
    tmli_result *file = NULL;
    tmli_samples r = {.signals = &signals};
    tml_error err = {0};
    tml_status st = tmli_result_parse_csv("fuzz.csv", text, size, NULL, &file, &err);
    if (st == TML_OK) st = tmli_samples_copy(&r, file, "fuzz.csv", &err);
    require(st == TML_OK || err.msg[0]);
    if (st == TML_OK) compare_with_itself(&r);
    tmli_samples_clear(&r);
    tmli_result_destroy(file);
    free(text);
    return 0;
}
