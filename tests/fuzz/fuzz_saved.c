// tml_sim_load_memory on saved simulations that were changed at any places but have the right checksum, and a
// step of those that it accepts.
//
// Input: method and model (1 byte; three of four are the pendulum, which takes a tenth of the time of the
// loop), then changes of 8 bytes: offset/4 in the saved simulation (3 bytes), kind (1 byte),
// new value (4 bytes). Saved simulations depend on the build: they are made here, so that the corpus does
// not.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/trammel.h>

enum { METHODS = 9, MODELS = 2, HEADER = 48, AT_SIZE = 16, AT_CHECKSUM = 24 };

static const char *const NAMES[METHODS] = {"genalpha", "bdf",   "radau5", "ggl",         "for-sdirk",
                                           "erk5",     "adams", "hht",    "trust-region"};

static const char *const PENDULUM = "planar: true\n"
                                    "gravity: 9.81\n"
                                    "inputs: {push: {value: 1, unit: N}}\n"
                                    "bodies:\n"
                                    "  bob: {mass: 0.7, inertia: 0.02, position: [1.3, 0], "
                                    "frames: {top: [-1.3, 0]}}\n"
                                    "joints:\n"
                                    "  pin: {type: revolute, a: ground, b: bob.top}\n"
                                    "forces:\n"
                                    "  f: {type: applied, at: bob, force: ['if(bob.x > 1, push, 0)', 0]}\n"
                                    "run: {end: 1, tol: 1e-3}\n";
static const char *const LOOP = "planar: true\n"
                                "gravity: 9.81\n"
                                "inputs: {push: {value: 1, unit: N}}\n"
                                "bodies:\n"
                                "  crank: {mass: 0.7, inertia: 0.011, position: [0.2, 0], "
                                "frames: {a: [-0.2, 0], b: [0.2, 0]}}\n"
                                "  rod: {mass: 0.9, inertia: 0.03, position: [0.75, 0.15], "
                                "orientation: 0.4055, frames: {b: [-0.381, 0], c: [0.381, 0]}}\n"
                                "  block: {mass: 1.1, inertia: 0.01, position: [1.1, 0.3]}\n"
                                "joints:\n"
                                "  hinge: {type: revolute, a: ground, b: crank.a}\n"
                                "  pin: {type: revolute, a: crank.b, b: rod.b}\n"
                                "  wrist: {type: revolute, a: rod.c, b: block}\n"
                                "  guide: {type: prismatic, a: ground, b: block, axis: [1, 0]}\n"
                                "forces:\n"
                                "  f: {type: applied, at: block, force: ['if(block.x > 1, push, 0)', 0]}\n"
                                "run: {end: 1, tol: 1e-3}\n";

typedef struct saved {
    unsigned char *data;
    size_t size;
} saved;

static void *must(void *p)
{
    if (!p) abort();
    return p;
}

static tml_model *build(const char *text)
{
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    if (tml_spec_parse(text, strlen(text), "fuzz.yaml", NULL, 0, NULL, &spec, NULL) != TML_OK) abort();
    if (tml_model_build(spec, &model, NULL) != TML_OK) abort();
    tml_spec_destroy(spec);
    return model;
}

static saved save(const tml_model *model, const char *method)
{
    tml_sim *sim = NULL;
    saved s = {0};
    tml_run_def run = *tml_model_run(model);
    run.method = method;
    if (tml_sim_create(model, &run, &sim, NULL) != TML_OK) return s;  // built without IDA
    for (int i = 0; i < 5; i++)
        if (tml_sim_step(sim, 1, NULL) != TML_OK) abort();
    if (tml_sim_save_memory(sim, NULL, 0, &s.size, NULL) == TML_OK) {
        s.data = must(malloc(s.size));
        if (tml_sim_save_memory(sim, s.data, s.size, &s.size, NULL) != TML_OK) abort();
    }
    tml_sim_destroy(sim);
    return s;
}

// FNV-1a, as in the format.
static void seal(unsigned char *data, uint64_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (uint64_t i = HEADER, word; i + 8 <= HEADER + size; i += 8) {  // items are padded to words
        memcpy(&word, data + i, sizeof word);
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 32;
    }
    memcpy(data + AT_SIZE, &size, sizeof size);
    memcpy(data + AT_CHECKSUM, &hash, sizeof hash);
}

static void change(saved *s, const uint8_t *record)
{
    const size_t at = HEADER + 4 * (record[0] | (size_t)record[1] << 8 | (size_t)record[2] << 16);
    if (at + 8 > s->size) return;
    static const uint32_t special[][2] = {{0, 0},           {0, 0x7ff80000u},
                                          {0, 0x7ff00000u}, {0xffffffffu, 0x7fefffffu},
                                          {1, 0},           {0xffffffffu, 0xffffffffu}};
    if (record[3] < 128) memcpy(s->data + at, record + 4, 4);  // a number, a type or a count
    else if (record[3] < 250) memcpy(s->data + at, special[record[3] % 6], 8);
    else s->size = at;  // shorter
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tml_model *models[MODELS];
    static saved base[MODELS][METHODS];
    for (int m = 0; m < MODELS && !models[m]; m++) {
        models[m] = build(m == 0 ? PENDULUM : LOOP);
        for (int i = 0; i < METHODS; i++) base[m][i] = save(models[m], NAMES[i]);
    }
    if (size < 1) return 0;
    const int which = data[0] / METHODS % 4 == 3;
    const saved *from = &base[which][data[0] % METHODS];
    if (!from->data) return 0;
    saved s = {.data = must(malloc(from->size)), .size = from->size};
    memcpy(s.data, from->data, s.size);
    for (size_t i = 1; i + 8 <= size; i += 8) change(&s, data + i);
    seal(s.data, s.size - HEADER);
    unsigned char *exact = must(malloc(s.size));  // a sanitizer sees the first byte read too far
    memcpy(exact, s.data, s.size);
    tml_sim_def def = tml_sim_def_default();
    def.model = models[which];
    tml_sim *sim = NULL;
    tml_error err = {0};
    const tml_status st = tml_sim_load_memory(&def, exact, s.size, &sim, &err);
    if ((st == TML_OK) != (sim != NULL)) abort();
    if (st != TML_OK && !err.msg[0]) abort();
    if (sim) tml_sim_step(sim, 1, &err);  // may fail, with numbers like these
    tml_sim_destroy(sim);
    free(exact);
    free(s.data);
    return 0;
}
