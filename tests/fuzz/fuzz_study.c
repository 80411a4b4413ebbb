// Any bytes as a study file, of a model that stands beside it. What is accepted gives the parameters of its
// first and last members, finite and the same each time.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/study.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 64 };
static const char MODEL[] = "planar: true\n"
                            "parameters: {L: 1.3, m: 0.7}\n"
                            "bodies: {bob: {mass: m, inertia: 0.02, position: [L, 0]}}\n"
                            "joints: {pin: {type: revolute, a: ground, b: bob, point: [0, 0]}}\n"
                            "outputs: {height: bob.y}\n"
                            "run: {end: 0.1}\n";

static void require(int condition)
{
    if (!condition) abort();
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    require(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

static void take(const tml_study *study, long member)
{
    double values[MOST], again[MOST];
    const int n = tml_study_parameter_count(study);
    if (n > MOST || member < 0) return;
    tml_error err = {0};
    const tml_status st = tml_study_parameters(study, member, values, &err);
    require(st == TML_OK || err.msg[0]);
    require(tml_study_parameters(study, member, again, NULL) == st);
    for (int i = 0; st == TML_OK && i < n; i++) require(isfinite(values[i]) && values[i] == again[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int begun;
    if (!begun++) write_file("model.yaml", MODEL, strlen(MODEL));
    write_file("study.yaml", data, size);
    tml_study *study = NULL;
    tml_error err = {0};
    const tml_status st = tml_study_read("study.yaml", NULL, &study, &err);
    require((st == TML_OK) == (study != NULL));
    require(st == TML_OK || err.msg[0]);
    if (study) {
        const long count = tml_study_member_count(study);
        require(tml_study_parameters(study, count, NULL, NULL) == TML_ERR_ARG);
        for (long i = 0; i < 3; i++) take(study, i < count ? i : count - 1);
        take(study, count - 1);
        for (int i = 0; i < tml_study_quantity_count(study); i++)
            require(tml_study_quantity_name(study, i) != NULL);
    }
    tml_study_destroy(study);
    return 0;
}
