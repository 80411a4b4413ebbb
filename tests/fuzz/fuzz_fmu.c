// Units of co-simulation in the hands of any importer: the calls of FMI 2.0 and 3.0 in any order. One unit
// with two instances, one of each version, and three states that they share.
//
// Input: operations of one byte, each followed by the bytes of its decisions; at the end of the input all
// decisions are 0. Beyond crashes it is held that a call that does not return OK says why, that a state that
// was taken can be gone back to, that time goes on by steps alone, and that an instance is after a reset what
// a new one is: the same bits come of the same calls. With FUZZ_PRINT in the environment the messages are
// printed.
#define _POSIX_C_SOURCE 200809L
#include "fmu/unit/fmi2.h"
#include "fmu/unit/fmi3.h"
#include "fmu/unit/instance.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fmi.h"

enum { STATES = 3, OPERATIONS = 48, STEPS = 24, VALUES = 4, PATH = 4096 };

typedef struct input {
    const uint8_t *data;
    size_t size;
} input;

typedef struct importer {
    void *instance[2];  // of FMI 2, of FMI 3
    bool silent[2];     // told not to log, or not all
    void *state[STATES];
    bool taken[STATES];  // from the instance, not read from bytes
    int steps;
} importer;

static const char TOKEN[] = "{0}";
static char folder[PATH], uri[PATH + 8];
static long messages;

static const char MODEL[] = "planar: true\n"
                            "gravity: 9.81\n"
                            "parameters: {L: 1.3, m: 0.7, k: 3*L, low: -0.4}\n"
                            "inputs: {push: {value: 1, unit: N}, pull: {value: 0.2}}\n"
                            "bodies:\n"
                            "  bob: {mass: m, inertia: 0.02, position: [L, 0], frames: {top: [-L, 0]}}\n"
                            "joints:\n"
                            "  pin: {type: revolute, a: ground, b: bob.top}\n"
                            "states:\n"
                            "  motor: {rate: (push - motor)/0.05, unit: N, scale: 10}\n"
                            "forces:\n"
                            "  f: {type: applied, at: bob, force: ['motor - pull', 'if(bob.x > 1, -k, 0)']}\n"
                            "events:\n"
                            "  low: {when: bob.y - low, direction: down}\n"
                            "outputs: {height: bob.y + L, root: sqrt(push)}\n"
                            "run: {end: 1, tol: 1e-3, min_step: 1e-4}\n";
static const char LIST[] =
    "{\"format\": 1, \"token\": \"{0}\", "
    "\"files\": [{\"path\": \"m.yaml\", \"file\": \"model/m.yaml\"}], "
    "\"inputs\": [\"push\", \"pull\"], "
    "\"outputs\": [\"bob.x\", \"bob.vy\", \"bob.ax\", \"pin.fx\", \"height\", \"root\", "
    "\"energy.dissipated\"], "
    "\"parameters\": [{\"name\": \"L\"}, {\"name\": \"m\", \"set\": \"0.5*L\"}, "
    "{\"name\": \"k\"}, {\"name\": \"low\"}]}";
enum { INPUTS = 2, OUTPUTS = 7, PARAMETERS = 4, VARIABLES = 1 + INPUTS + OUTPUTS + PARAMETERS };

static void require(int condition)
{
    if (!condition) abort();
}

static int choose(input *in, int n)
{
    if (in->size == 0) return 0;
    in->size--;
    return *in->data++ % n;
}

// ---- the unit ---------------------------------------------------------------------------------------------

static void write_file(const char *name, const char *text)
{
    char path[PATH + 16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    require(f && fwrite(text, 1, strlen(text), f) == strlen(text) && fclose(f) == 0);
}

static void remove_unit(void)
{
    static const char *const name[] = {"model/m.yaml", "unit.json", "model", ""};
    char path[PATH + 16];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        remove(path);
    }
}

// The resources of an archive, as `trammel fmu` writes them and an importer unpacks them.
static void make_unit(void)
{
    char here[PATH - 64], path[PATH + 16];
    require(getcwd(here, sizeof here) != NULL);
    snprintf(folder, sizeof folder, "%s/fuzz-unit-XXXXXX", here);
    require(mkdtemp(folder) != NULL);
    snprintf(uri, sizeof uri, "file://%s", folder);
    snprintf(path, sizeof path, "%s/model", folder);
    require(mkdir(path, 0700) == 0);
    atexit(remove_unit);
    write_file("model/m.yaml", MODEL);
    write_file("unit.json", LIST);
}

// ---- what is given ----------------------------------------------------------------------------------------

static double any_number(input *in)
{
    static const double some[] = {0,   1,        -1,    0.731,  -0.37,  2.5,  1e-9, 1e9,
                                  NAN, INFINITY, 1e300, -1e300, 5e-324, -0.0, 0.05, DBL_MAX};
    const int i = choose(in, 20);
    if (i < 16) return some[i];
    uint8_t bytes[8];
    double x;
    for (int k = 0; k < 8; k++) bytes[k] = (uint8_t)choose(in, 256);
    memcpy(&x, bytes, sizeof x);
    return x;
}

// References and values in memory of their exact sizes: a sanitizer sees the first byte read too far.
typedef struct values {
    size_t count;
    unsigned *reference;
    double *value;
    int *order;
} values;

static void *array(size_t count, size_t size)
{
    void *p = malloc(count * size);
    require(p != NULL || count == 0);
    return p;
}

static values any_values(input *in)
{
    values v = {.count = (size_t)choose(in, VALUES + 1)};
    v.reference = array(v.count, sizeof *v.reference);
    v.value = array(v.count, sizeof *v.value);
    v.order = array(v.count, sizeof *v.order);
    for (size_t i = 0; i < v.count; i++) {
        const int r = choose(in, VARIABLES + 4);
        v.reference[i] = r < VARIABLES + 2 ? (unsigned)r : r == VARIABLES + 2 ? 0xffffffffu : 0x80000000u;
        v.value[i] = any_number(in);
        v.order[i] = choose(in, 8) == 7 ? choose(in, 3) : 1;
    }
    const int missing = v.count ? choose(in, 32) : 0;
    if (missing == 30 || missing == 31) {
        free(missing == 30 ? (void *)v.reference : (void *)v.value);
        if (missing == 30) v.reference = NULL;
        else v.value = NULL;
    }
    return v;
}

static void free_values(const values *v)
{
    free(v->reference);
    free(v->value);
    free(v->order);
}

// ---- messages ---------------------------------------------------------------------------------------------

static void tell_fmi2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status st,
                      fmi2String category, fmi2String format, ...)
{
    (void)environment;
    require(name && category && format && format[0] && st >= fmi2OK && st <= fmi2Error);
    for (const char *c = format; *c; c++)  // no number or text is asked for
        if (*c == '%') require(*++c == '%');
    if (getenv("FUZZ_PRINT")) puts(format);
    messages++;
}

static void tell_fmi3(fmi3InstanceEnvironment environment, fmi3Status st, fmi3String category,
                      fmi3String text)
{
    (void)environment;
    require(category && text && text[0] && st >= fmi3OK && st <= fmi3Error);
    if (getenv("FUZZ_PRINT")) puts(text);
    messages++;
}

// ---- calls ------------------------------------------------------------------------------------------------

static void instantiate(importer *m, input *in, int v)
{
    static const fmi2CallbackFunctions calls = {.logger = tell_fmi2};
    static const fmi2CallbackFunctions deaf = {0};
    const int odd = choose(in, 32);
    const char *token = odd == 31 ? NULL : odd == 30 ? "{1}" : TOKEN;
    const char *name = odd == 29 ? NULL : odd == 28 ? "" : "unit %s";
    const char *where = v == 0 ? uri : folder;
    if (odd >= 24 && odd < 28) where = ((const char *[]){NULL, "file://nowhere", "", "file:%"})[odd - 24];
    const bool logging = choose(in, 8) != 7;
    if (m->instance[v]) return;
    if (v == 0)
        m->instance[0] = fmi2Instantiate(name, odd == 23 ? fmi2ModelExchange : fmi2CoSimulation, token, where,
                                         odd == 22   ? NULL
                                         : odd == 21 ? &deaf
                                                     : &calls,
                                         fmi2False, logging);
    else
        m->instance[1] =
            fmi3InstantiateCoSimulation(name, token, where, false, logging, odd == 23, odd == 20, NULL,
                                        odd == 22, NULL, odd == 21 ? NULL : tell_fmi3, NULL);
    require(odd < 21 || (odd == 21 && v == 1) || !m->instance[v]);
    require(odd >= 20 || m->instance[v]);
    m->silent[v] = !logging || odd == 21;
}

static int debug_logging(importer *m, input *in, int v)
{
    static const char *const words[] = {"logStatusError", "logStatusDiscard", "logStatusWarning", "?", NULL};
    const char *some[3];
    const size_t count = (size_t)choose(in, 4);
    const bool on = choose(in, 4) != 0;
    for (size_t i = 0; i < count; i++) some[i] = words[choose(in, 5)];
    const int st = v == 0 ? (int)fmi2SetDebugLogging(m->instance[0], on, count, some)
                          : (int)fmi3SetDebugLogging(m->instance[1], on, count, some);
    if (st == 0) m->silent[v] = !on || count > 0;
    return st;
}

static int begin(importer *m, input *in, int v)
{
    static const double tolerances[] = {1e-3, 1e-6, NAN, 0, -1, 2, 1e-300, 0.5};
    const bool has_tolerance = choose(in, 2), has_stop = choose(in, 2);
    const double tolerance = tolerances[choose(in, 8)];
    const double start = choose(in, 4) == 3 ? any_number(in) : 0;
    const double stop = choose(in, 4) == 3 ? any_number(in) : start + 0.3;
    if (v == 0)
        return (int)fmi2SetupExperiment(m->instance[0], has_tolerance, tolerance, start, has_stop, stop);
    return (int)fmi3EnterInitializationMode(m->instance[1], has_tolerance, tolerance, start, has_stop, stop);
}

static int exchange(importer *m, input *in, int v, int what)
{
    values x = any_values(in);
    void *const i = m->instance[v];
    int st;
    if (what == 0)
        st = v == 0 ? (int)fmi2GetReal(i, x.reference, x.count, x.value)
                    : (int)fmi3GetFloat64(i, x.reference, x.count, x.value, x.count);
    else if (what == 1)
        st = v == 0 ? (int)fmi2SetReal(i, x.reference, x.count, x.value)
                    : (int)fmi3SetFloat64(i, x.reference, x.count, x.value, x.count);
    else if (v == 0) st = (int)fmi2SetRealInputDerivatives(i, x.reference, x.count, x.order, x.value);
    else st = (int)fmi3SetFloat64(i, x.reference, x.count, x.value, x.count + 1);
    free_values(&x);
    return st;
}

// Steps that would go on for ever are those of a run without end; they are left out.
static int do_step(importer *m, input *in, int v)
{
    static const double lengths[] = {0.01, 0.03, 1e-3, 0, -0.01, NAN, INFINITY, 1e-18, 1e300, 0.05};
    tmli_instance *const i = m->instance[v];
    const double stop = i ? i->unit->stop : 0, now = i ? tmli_fmu_time(i->unit) : 0;
    double h = lengths[choose(in, 10)], t = now, reached = 0;
    if (h > 1 && !(fabs(stop) < 100)) h = 0.02;
    const int odd = choose(in, 16);
    if (odd == 15) t = any_number(in);
    if (odd == 14) t = nextafter(now, INFINITY);
    if (m->steps++ >= STEPS) return 0;
    bool flag[3] = {false};
    const int st = v == 0 ? (int)fmi2DoStep(i, t, h, fmi2True)
                          : (int)fmi3DoStep(i, t, h, true, odd == 13 ? NULL : &flag[0], &flag[1],
                                            odd == 13 ? NULL : &flag[2], odd == 12 ? NULL : &reached);
    if (!i) return st;
    const double after = tmli_fmu_time(i->unit);
    require(!(after < now) && !flag[0] && !flag[2]);
    if (st == 0 && !flag[1]) require(fabs(after - (t + h)) <= 1e-9 * fmax(fabs(after), 1e-3));
    if (v == 1 && odd != 12) require(reached == after || (isnan(reached) && isnan(after)));
    return st;
}

// ---- states -----------------------------------------------------------------------------------------------

#define BOTH(v, name2, name3, ...) \
    ((v) == 0 ? (int)fmi2##name2(m->instance[0], __VA_ARGS__) : (int)fmi3##name3(m->instance[1], __VA_ARGS__))

static int get_state(importer *m, input *in, int v)
{
    const int k = choose(in, STATES);
    const int st = choose(in, 32) == 31 ? BOTH(v, GetFMUstate, GetFMUState, NULL)
                                        : BOTH(v, GetFMUstate, GetFMUState, &m->state[k]);
    if (st == 0) m->taken[k] = true;
    return st;
}

static int set_state(importer *m, input *in, int v)
{
    const int k = choose(in, STATES);
    const int st = BOTH(v, SetFMUstate, SetFMUState, m->state[k]);
    if (m->instance[v] && m->state[k] && m->taken[k]) require(st == 0);
    return st;
}

static int free_state(importer *m, input *in, int v)
{
    const int k = choose(in, STATES);
    if (!m->instance[v]) return BOTH(v, FreeFMUstate, FreeFMUState, &m->state[k]);
    const int st = choose(in, 32) == 31 ? BOTH(v, FreeFMUstate, FreeFMUState, NULL)
                                        : BOTH(v, FreeFMUstate, FreeFMUState, &m->state[k]);
    return st;
}

// Changes of bytes, with the right checksum afterwards, if there is one: the place of it follows the magic.
static void damage(input *in, uint8_t *bytes, size_t size, bool sealed)
{
    enum { PREFIX = 8, MAGIC = 8, AT = PREFIX + MAGIC, FROM = AT + 8 };
    for (int n = choose(in, 4); n > 0 && size > 0; n--) {
        size_t at = (size_t)choose(in, 256) | (size_t)choose(in, 256) << 8;
        if (choose(in, 2)) at &= 0xff;  // the head, inputs and parameters
        bytes[at % size] = (uint8_t)choose(in, 256);
    }
    if (!sealed || size < FROM) return;
    const uint64_t sum = tmli_checksum(bytes + FROM, size - FROM);
    memcpy(bytes + AT, &sum, sizeof sum);
}

// A state as bytes and back, as it is or damaged.
static int serialize(importer *m, input *in, int v)
{
    const int k = choose(in, STATES), to = choose(in, STATES), odd = choose(in, 8);
    size_t size = 0;
    int st = BOTH(v, SerializedFMUstateSize, SerializedFMUStateSize, m->state[k], &size);
    if (st != 0) return st;
    uint8_t *bytes = array(size, 1);
    if (odd == 1) BOTH(v, SerializeFMUstate, SerializeFMUState, m->state[k], (void *)bytes, size - 1);
    st = BOTH(v, SerializeFMUstate, SerializeFMUState, m->state[k], (void *)bytes, size);
    require(st == 0);
    if (odd == 2) size = size * (size_t)choose(in, 256) / 256;
    if (odd >= 3) damage(in, bytes, size, odd > 3);
    uint8_t *exact = array(size, 1);
    memcpy(exact, bytes, size);
    free(bytes);
    void *state = NULL;
    st = BOTH(v, DeSerializeFMUstate, DeserializeFMUState, (const void *)exact, size, &state);
    require((st == 0) == (state != NULL));
    if (st == 0) {
        free(m->state[to]);
        m->state[to] = state;
        m->taken[to] = odd < 2 && m->taken[k];
    }
    free(exact);
    return st;
}

// ---- what else there is -----------------------------------------------------------------------------------

static int others(importer *m, input *in, int v)
{
    double x = 0;
    int i = 0;
    bool b = false;
    unsigned reference = 0;
    fmi2Status status;
    const char *text = NULL;
    size_t n = 0;
    void *const c = m->instance[v];
    const int what = choose(in, 9);
    if (v == 0) switch (what) {
        case 0: return (int)fmi2GetRealStatus(c, fmi2LastSuccessfulTime, choose(in, 2) ? &x : NULL);
        case 1: return (int)fmi2GetBooleanStatus(c, fmi2Terminated, &i);
        case 2: return (int)fmi2GetStatus(c, fmi2DoStepStatus, &status);
        case 3: return (int)fmi2GetInteger(c, &reference, 1, &i);
        case 4: return (int)fmi2SetString(c, &reference, 1, &text);
        case 5: return (int)fmi2CancelStep(c);
        case 6: return (int)fmi2GetRealOutputDerivatives(c, &reference, 1, &i, &x);
        case 7: return (int)fmi2GetStringStatus(c, fmi2PendingStatus, &text);
        default: return (int)fmi2GetDirectionalDerivative(c, &reference, 1, &reference, 1, &x, &x);
        }
    switch (what) {
    case 0: return (int)fmi3EnterEventMode(c);
    case 1: return (int)fmi3EnterStepMode(c);
    case 2: return (int)fmi3GetBoolean(c, &reference, 1, &b, 1);
    case 3: return (int)fmi3SetString(c, &reference, 0, &text, 0);
    case 4: return (int)fmi3GetNumberOfContinuousStates(c, &n);
    case 5: return (int)fmi3SetTime(c, 1);
    case 6: return (int)fmi3UpdateDiscreteStates(c, &b, &b, &b, &b, &b, &x);
    case 7: return (int)fmi3EnterConfigurationMode(c);
    default: return (int)fmi3GetFloat64(c, &reference, 1, &x, 2);
    }
}

// From the beginning through one step; the outputs.
static void standard_run(importer *m, int v, double out[OUTPUTS])
{
    unsigned reference[OUTPUTS];
    void *const c = m->instance[v];
    for (unsigned i = 0; i < OUTPUTS; i++) reference[i] = 1 + INPUTS + i;
    if (v == 0) {
        require(fmi2SetupExperiment(c, fmi2False, 0, 0, fmi2True, 1) == fmi2OK);
        require(fmi2EnterInitializationMode(c) == fmi2OK && fmi2ExitInitializationMode(c) == fmi2OK);
        require(fmi2DoStep(c, 0, 0.01, fmi2True) == fmi2OK);
        require(fmi2GetReal(c, reference, OUTPUTS, out) == fmi2OK);
        return;
    }
    require(fmi3EnterInitializationMode(c, false, 0, 0, true, 1) == fmi3OK);
    require(fmi3ExitInitializationMode(c) == fmi3OK);
    require(fmi3DoStep(c, 0, 0.01, true, NULL, NULL, NULL, NULL) == fmi3OK);
    require(fmi3GetFloat64(c, reference, OUTPUTS, out, OUTPUTS) == fmi3OK);
}

static void find_expected(double out[OUTPUTS])
{
    static const fmi2CallbackFunctions calls = {.logger = tell_fmi2};
    importer m = {0};
    m.instance[0] = fmi2Instantiate("first", fmi2CoSimulation, TOKEN, uri, &calls, fmi2False, fmi2True);
    require(m.instance[0] != NULL);
    standard_run(&m, 0, out);
    fmi2FreeInstance(m.instance[0]);
}

// The other instance, whatever it is in, changes nothing.
static void check_reset(importer *m, int v, const double expected[OUTPUTS])
{
    double out[OUTPUTS];
    if (!m->instance[v]) return;
    require((v == 0 ? (int)fmi2Reset(m->instance[0]) : (int)fmi3Reset(m->instance[1])) == 0);
    standard_run(m, v, out);
    require(memcmp(out, expected, sizeof out) == 0);
}

static void operate(importer *m, input *in, const double expected[OUTPUTS])
{
    const int code = choose(in, 256), v = code >> 7, what = code % 32;
    const bool there = m->instance[v] != NULL;
    const long before = messages;
    int st = 0;
    if (what <= 1) instantiate(m, in, v);
    else if (what <= 4) st = begin(m, in, v);
    else if (what <= 6 && v == 0) st = (int)fmi2EnterInitializationMode(m->instance[0]);
    else if (what <= 8)
        st = v == 0 ? (int)fmi2ExitInitializationMode(m->instance[0])
                    : (int)fmi3ExitInitializationMode(m->instance[1]);
    else if (what <= 10) st = exchange(m, in, v, 0);
    else if (what <= 13) st = exchange(m, in, v, 1);
    else if (what == 14) st = exchange(m, in, v, 2);
    else if (what <= 19) st = do_step(m, in, v);
    else if (what <= 21) st = get_state(m, in, v);
    else if (what <= 23) st = set_state(m, in, v);
    else if (what <= 25) st = serialize(m, in, v);
    else if (what == 26) st = free_state(m, in, v);
    else if (what == 27) st = debug_logging(m, in, v);
    else if (what == 28) st = others(m, in, v);
    else if (what == 29)
        st = v == 0 ? (int)fmi2Terminate(m->instance[0]) : (int)fmi3Terminate(m->instance[1]);
    else if (what == 30) {
        if (choose(in, 4) == 3) check_reset(m, v, expected);
        else st = v == 0 ? (int)fmi2Reset(m->instance[0]) : (int)fmi3Reset(m->instance[1]);
    } else if (choose(in, 4) == 3) {
        if (v == 0) fmi2FreeInstance(m->instance[0]);
        else fmi3FreeInstance(m->instance[1]);
        m->instance[v] = NULL;
    }
    require(st >= 0 && st <= 3);
    require(st == 0 || !there || m->silent[v] || messages > before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static double expected[OUTPUTS];
    if (!folder[0]) {
        make_unit();
        find_expected(expected);
    }
    input in = {data, size};
    importer m = {0};
    instantiate(&m, &in, choose(&in, 2));
    for (int i = 0; i < OPERATIONS && in.size > 0; i++) operate(&m, &in, expected);
    for (int k = 0; k < STATES; k++) free(m.state[k]);
    fmi2FreeInstance(m.instance[0]);
    fmi3FreeInstance(m.instance[1]);
    return 0;
}
