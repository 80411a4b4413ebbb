// The state of a unit as bytes: parameters and inputs that were set, then the simulation, if there is one, as
// tml_sim_save_memory writes it. Numbers are in the byte order of the machine, as there.
#include "fmu/unit/unit.h"

#include <math.h>
#include <string.h>

typedef struct head {
    char magic[8];
    uint64_t checksum;    // of what follows
    uint64_t simulation;  // [bytes]; 0: not yet built
    double start, stop, tolerance;
    uint32_t inputs, parameters, running, spare;
} head;

static const char MAGIC[8] = "tml-fmu";

static size_t size_before(const tmli_fmu *f)
{
    return sizeof(head) + (size_t)f->list.inputs * sizeof(tmli_fmu_input) +
           (size_t)f->list.parameters * sizeof(tmli_fmu_parameter);
}

static uint64_t checksum(const unsigned char *data, size_t size)
{
    const size_t from = offsetof(head, simulation);
    return tmli_checksum(data + from, size - from);
}

// A copy without the bytes between its members, which may be anything.
static void put_variables(const tmli_fmu *f, unsigned char *to)
{
    for (int i = 0; i < f->list.inputs; i++, to += sizeof(tmli_fmu_input)) {
        tmli_fmu_input in;
        memset(&in, 0, sizeof in);
        in.value = f->input[i].value;
        in.rate = f->input[i].rate;
        in.given = f->input[i].given;
        in.changed = f->input[i].changed;
        memcpy(to, &in, sizeof in);
    }
    for (int i = 0; i < f->list.parameters; i++, to += sizeof(tmli_fmu_parameter)) {
        tmli_fmu_parameter p;
        memset(&p, 0, sizeof p);
        p.value = f->parameter[i].value;
        p.given = f->parameter[i].given;
        memcpy(to, &p, sizeof p);
    }
}

// A unit that runs with parameters that the model has not yet gets its model first: the state that it goes on
// from is in the simulation. Before the start nothing is lost.
tml_status tmli_fmu_save(tmli_fmu *f, void *data, size_t capacity, size_t *size, tml_error *err)
{
    const size_t before = size_before(f);
    size_t simulation = 0;
    tml_status st = f->running ? tmli_fmu_ready(f, err) : TML_OK;
    if (st == TML_OK && f->sim && !f->stale) st = tml_sim_save_memory(f->sim, NULL, 0, &simulation, err);
    *size = before + simulation;
    if (st != TML_OK || !data) return st;
    if (capacity < *size)
        return tmli_fail(err, TML_ERR_ARG, "The state needs %zu bytes; there is room for %zu.", *size,
                         capacity);
    unsigned char *to = data;
    if (simulation > 0) st = tml_sim_save_memory(f->sim, to + before, simulation, &simulation, err);
    if (st != TML_OK) return st;
    head h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.simulation = simulation;
    h.start = f->start;
    h.stop = f->stop;
    h.tolerance = f->tolerance;
    h.inputs = (uint32_t)f->list.inputs;
    h.parameters = (uint32_t)f->list.parameters;
    h.running = f->running;
    memcpy(to, &h, sizeof h);
    put_variables(f, to + sizeof h);
    h.checksum = checksum(to, *size);
    memcpy(to, &h, sizeof h);
    return TML_OK;
}

// What the functions of the interface would have let in. A byte that is no truth value must not be
// read as one.
static bool are_variables(const tmli_fmu *f, const unsigned char *at)
{
    double x[2];
    bool good = true;
    for (int i = 0; i < f->list.inputs; i++, at += sizeof(tmli_fmu_input)) {
        memcpy(x, at + offsetof(tmli_fmu_input, value), sizeof *x);
        memcpy(x + 1, at + offsetof(tmli_fmu_input, rate), sizeof *x);
        good = good && isfinite(x[0]) && isfinite(x[1]) && at[offsetof(tmli_fmu_input, given)] <= 1 &&
               at[offsetof(tmli_fmu_input, changed)] <= 1;
    }
    for (int i = 0; i < f->list.parameters; i++, at += sizeof(tmli_fmu_parameter)) {
        memcpy(x, at + offsetof(tmli_fmu_parameter, value), sizeof *x);
        good = good && isfinite(x[0]) && at[offsetof(tmli_fmu_parameter, given)] <= 1;
    }
    return good;
}

static bool is_experiment(const head *h)
{
    return !isinf(h->start) && !(h->stop <= h->start) && !(h->tolerance <= 0 || h->tolerance >= 1) &&
           h->running <= 1;
}

static tml_status check(const tmli_fmu *f, const void *data, size_t size, head *h, tml_error *err)
{
    const size_t before = size_before(f);
    if (size >= sizeof *h) memcpy(h, data, sizeof *h);
    if (size < before || memcmp(h->magic, MAGIC, sizeof h->magic) != 0 || h->checksum != checksum(data, size))
        return tmli_fail(err, TML_ERR_IO, "This is no state of a unit, or a damaged one.");
    if (h->inputs != (uint32_t)f->list.inputs || h->parameters != (uint32_t)f->list.parameters ||
        h->simulation != size - before)
        return tmli_fail(err, TML_ERR_ARG, "This is the state of another unit.");
    if (!is_experiment(h) || !are_variables(f, (const unsigned char *)data + sizeof *h))
        return tmli_fail(err, TML_ERR_IO, "The state of the unit holds values that cannot be set.");
    return TML_OK;
}

static bool same_parameters(const tmli_fmu *f, const tmli_fmu_parameter *p)
{
    for (int i = 0; i < f->list.parameters; i++)
        if (p[i].given != f->parameter[i].given || (p[i].given && p[i].value != f->parameter[i].value))
            return false;
    return true;
}

// The simulation of the bytes, with the model that is built if it serves, else with one of its own.
static tml_status load_sim(tmli_fmu *f, const head *h, const unsigned char *bytes,
                           const tmli_fmu_parameter *parameter, double *values, tml_error *err)
{
    tml_sim_def def = tml_sim_def_default();
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    tml_status st = TML_OK;
    if (f->model && !f->stale && same_parameters(f, parameter))
        for (int i = 0; i < f->list.parameters; i++) values[i] = f->parameter[i].value;
    else st = tmli_fmu_build_model(f, parameter, &model, values, err);
    def.model = model ? model : f->model;
    if (st == TML_OK) st = tml_sim_load_memory(&def, bytes, (size_t)h->simulation, &sim, err);
    if (st == TML_OK) st = tmli_fmu_take(f, model, sim, err);
    if (st != TML_OK) {
        tml_sim_destroy(sim);
        tml_model_destroy(model);
    }
    return st;
}

tml_status tmli_fmu_load(tmli_fmu *f, const void *data, size_t size, tml_error *err)
{
    head h = {0};
    tml_status st = check(f, data, size, &h, err);
    if (st != TML_OK) return st;
    const size_t inputs = (size_t)f->list.inputs, parameters = (size_t)f->list.parameters;
    const unsigned char *from = (const unsigned char *)data + sizeof h;
    tmli_arena scratch = {.env = &f->env};
    tmli_fmu_parameter *parameter = tmli_arena_alloc(&scratch, parameters + 1, sizeof *parameter);
    double *values = tmli_arena_alloc(&scratch, parameters + 1, sizeof *values);
    if (!parameter || !values) st = tmli_no_memory(err, "unit");
    if (st == TML_OK) memcpy(parameter, from + inputs * sizeof *f->input, parameters * sizeof *parameter);
    if (st == TML_OK && h.simulation > 0)
        st = load_sim(f, &h, (const unsigned char *)data + size_before(f), parameter, values, err);
    else if (st == TML_OK) tmli_fmu_drop(f);
    if (st == TML_OK) {
        f->start = h.start;
        f->stop = h.stop;
        f->tolerance = h.tolerance;
        f->running = h.running;
        f->stale = false;
        memcpy(f->input, from, inputs * sizeof *f->input);
        memcpy(f->parameter, parameter, parameters * sizeof *parameter);
        for (size_t i = 0; i < parameters && h.simulation > 0; i++) f->parameter[i].value = values[i];
    }
    tmli_arena_clear(&scratch);
    return st;
}
