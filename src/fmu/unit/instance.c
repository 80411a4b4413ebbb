// Instances of a unit: phases, messages, calls; see instance.h.
#include "fmu/unit/instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/unit/constants.h"

static const char *const category_names[TMLI_FMU_CATEGORIES] = TMLI_FMU_CATEGORY_NAMES;

// ---- messages ---------------------------------------------------------------------------------------------

static void send(tmli_instance *in, tmli_fmu_status status, const char *text)
{
    const int category = status <= TMLI_FMU_WARNING ? 0 : status == TMLI_FMU_DISCARD ? 1 : 2;
    if (in->logging && !in->silent[category] && in->say) in->say(in, status, category_names[category], text);
}

tmli_fmu_status tmli_instance_tell(tmli_instance *in, tmli_fmu_status status, const char *function,
                                   const char *fmt, ...)
{
    char text[TML_ERROR_MSG + TML_ERROR_FILE + 256];
    const int n = snprintf(text, sizeof text, "%s: ", function);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + n, sizeof text - (size_t)n, fmt, args);
    va_end(args);
    send(in, status, text);
    return status;
}

// With the place in the model file, if there is one.
static tmli_fmu_status tell_error(tmli_instance *in, tmli_fmu_status status, const char *function,
                                  const tml_error *err)
{
    if (err->file[0])
        return tmli_instance_tell(in, status, function, "%s:%d:%d: %s", err->file, err->line, err->col,
                                  err->msg);
    return tmli_instance_tell(in, status, function, "%s", err->msg);
}

static void log_library(tml_log_level level, const char *text, void *user)
{
    if (level == TML_LOG_WARNING) send(user, TMLI_FMU_WARNING, text);
}

bool tmli_instance_may(tmli_instance *in, const char *function, unsigned phases)
{
    static const char *const names[] = {"before the initialization", "in the initialization",
                                        "between two steps", "after a step that has ended the run",
                                        "after the end"};
    if (!in) return false;
    if (in->phase & phases) return true;
    int i = 0;
    while (i < 4 && in->phase != 1u << i) i++;
    tmli_instance_tell(in, TMLI_FMU_ERROR, function, "The call is not allowed %s.", names[i]);
    return false;
}

tmli_fmu_status tmli_instance_logging(tmli_instance *in, const char *function, bool on, size_t count,
                                      const char *const *categories)
{
    if (!tmli_instance_may(in, function, TMLI_PHASES_ALL)) return TMLI_FMU_ERROR;
    bool silent[TMLI_FMU_CATEGORIES];
    for (int c = 0; c < TMLI_FMU_CATEGORIES; c++) silent[c] = count > 0;  // none named: all
    for (size_t i = 0; i < count; i++) {
        const char *word = categories ? categories[i] : NULL;
        int c = 0;
        while (c < TMLI_FMU_CATEGORIES && word && strcmp(word, category_names[c]) != 0) c++;
        if (!word || c == TMLI_FMU_CATEGORIES)
            return tmli_instance_tell(in, TMLI_FMU_ERROR, function,
                                      "There is no category of messages '%.60s'.", word ? word : "");
        silent[c] = false;
    }
    in->logging = on;
    memcpy(in->silent, silent, sizeof silent);
    return TMLI_FMU_OK;
}

// ---- instances --------------------------------------------------------------------------------------------

char *tmli_fmu_path_of(const char *uri)
{
    static const char scheme[] = "file:";
    if (!uri || strncmp(uri, scheme, strlen(scheme)) != 0) return NULL;
    const char *from = uri + strlen(scheme);
    if (strncmp(from, "//", 2) == 0) {  // a host comes next: none, or this one
        from += 2;
        if (strncmp(from, "localhost/", 10) == 0) from += 9;
    }
    if (*from != '/') return NULL;
    char *path = malloc(strlen(from) + 1), *to = path;
    while (path && *from) {
        unsigned code;
        if (from[0] == '%' && sscanf(from + 1, "%2x", &code) == 1 && from[1] && from[2] && code > 0) {
            *to++ = (char)code;
            from += 3;
        } else *to++ = *from++;
    }
    if (path) *to = 0;
    return path;
}

tmli_instance *tmli_instance_create(const tmli_instance *in, const char *name, const char *token,
                                    const char *folder)
{
    static const char function[] = "instantiate";
    tmli_instance *out = malloc(sizeof *out);
    if (!out) return NULL;
    *out = *in;
    out->phase = TMLI_PHASE_INSTANTIATED;
    out->unit = NULL;
    out->begins_set_up = in->set_up;
    out->name = tmli_strdup(NULL, name ? name : "");
    tml_error err = {0};
    const tml_env env = {.log = log_library, .user = out};
    tml_status st = out->name ? TML_OK : tmli_no_memory(&err, "unit");
    if (st == TML_OK && !*out->name) st = tmli_fail(&err, TML_ERR_ARG, "The instance has no name.");
    if (st == TML_OK && !token) st = tmli_fail(&err, TML_ERR_ARG, "The importer gives no GUID or token.");
    if (st == TML_OK && !folder)
        st = tmli_fail(&err, TML_ERR_ARG, "The importer names no folder of resources of the unit.");
    if (st == TML_OK) st = tmli_fmu_open(folder, token, &env, &out->unit, &err);
    if (st == TML_OK) return out;
    tell_error(out, TMLI_FMU_ERROR, function, &err);
    tmli_instance_destroy(out);
    return NULL;
}

void tmli_instance_destroy(tmli_instance *in)
{
    if (!in) return;
    tmli_fmu_close(in->unit);
    tmli_free(NULL, in->name);
    free(in);
}

// ---- phases -----------------------------------------------------------------------------------------------

tmli_fmu_status tmli_instance_set_up(tmli_instance *in, const char *function, double tolerance, double start,
                                     double stop)
{
    if (!isfinite(start))
        return tmli_instance_tell(in, TMLI_FMU_ERROR, function, "The start time is not finite.");
    if (!isnan(stop) && !(stop > start))
        return tmli_instance_tell(in, TMLI_FMU_ERROR, function, "The end %g s is not after the start %g s.",
                                  stop, start);
    if (!isnan(tolerance) && !(tolerance > 0 && tolerance < 1))
        return tmli_instance_tell(in, TMLI_FMU_ERROR, function, "The tolerance %g is not between 0 and 1.",
                                  tolerance);
    in->unit->start = start;
    in->unit->stop = stop;
    in->unit->tolerance = tolerance;
    in->set_up = true;
    return TMLI_FMU_OK;
}

tmli_fmu_status tmli_instance_enter(tmli_instance *in, const char *function)
{
    if (!tmli_instance_may(in, function, TMLI_PHASE_INSTANTIATED)) return TMLI_FMU_ERROR;
    if (!in->set_up)
        return tmli_instance_tell(in, TMLI_FMU_ERROR, function,
                                  "The experiment is not set up: the start time is not known.");
    in->phase = TMLI_PHASE_INITIALIZATION;
    return TMLI_FMU_OK;
}

tmli_fmu_status tmli_instance_exit(tmli_instance *in, const char *function)
{
    if (!tmli_instance_may(in, function, TMLI_PHASE_INITIALIZATION)) return TMLI_FMU_ERROR;
    tml_error err = {0};
    if (tmli_fmu_ready(in->unit, &err) != TML_OK) return tell_error(in, TMLI_FMU_ERROR, function, &err);
    in->unit->running = true;
    in->phase = TMLI_PHASE_STEP;
    return TMLI_FMU_OK;
}

tmli_fmu_status tmli_instance_terminate(tmli_instance *in, const char *function)
{
    if (!tmli_instance_may(in, function, TMLI_PHASE_STEP | TMLI_PHASE_ENDED)) return TMLI_FMU_ERROR;
    in->phase = TMLI_PHASE_TERMINATED;
    return TMLI_FMU_OK;
}

tmli_fmu_status tmli_instance_reset(tmli_instance *in, const char *function)
{
    if (!tmli_instance_may(in, function, TMLI_PHASES_ALL)) return TMLI_FMU_ERROR;
    tmli_fmu_reset(in->unit);
    in->set_up = in->begins_set_up;
    in->terminated = false;
    in->phase = TMLI_PHASE_INSTANTIATED;
    return TMLI_FMU_OK;
}

// ---- variables --------------------------------------------------------------------------------------------

static bool has_arrays(tmli_instance *in, const char *function, size_t count, const void *a, const void *b)
{
    if (count == 0 || (a && b)) return true;
    tmli_instance_tell(in, TMLI_FMU_ERROR, function, "An array is NULL.");
    return false;
}

tmli_fmu_status tmli_instance_get(tmli_instance *in, const char *function, const unsigned *references,
                                  size_t count, double *values)
{
    if (!tmli_instance_may(in, function, TMLI_PHASES_GET) ||
        !has_arrays(in, function, count, references, values))
        return TMLI_FMU_ERROR;
    tml_error err = {0};
    if (count == 0 || tmli_fmu_get(in->unit, references, count, values, &err) == TML_OK) return TMLI_FMU_OK;
    return tell_error(in, TMLI_FMU_ERROR, function, &err);
}

// A value that cannot be is refused, and the unit can go on; what is not in its description is an error.
static tmli_fmu_status refused(tmli_instance *in, const char *function, tml_status st, const tml_error *err)
{
    return tell_error(in, st == TML_ERR_ARG ? TMLI_FMU_DISCARD : TMLI_FMU_ERROR, function, err);
}

tmli_fmu_status tmli_instance_set(tmli_instance *in, const char *function, const unsigned *references,
                                  size_t count, const double *values)
{
    if (!tmli_instance_may(in, function, TMLI_PHASES_SET) ||
        !has_arrays(in, function, count, references, values))
        return TMLI_FMU_ERROR;
    tml_error err = {0};
    const tml_status st = tmli_fmu_set(in->unit, references, count, values, &err);
    return st == TML_OK ? TMLI_FMU_OK : refused(in, function, st, &err);
}

tmli_fmu_status tmli_instance_set_rates(tmli_instance *in, const char *function, const unsigned *references,
                                        size_t count, const int *orders, const double *values)
{
    if (!tmli_instance_may(in, function, TMLI_PHASES_SET) ||
        !has_arrays(in, function, count, references, values) ||
        !has_arrays(in, function, count, orders, values))
        return TMLI_FMU_ERROR;
    for (size_t i = 0; i < count; i++)
        if (orders[i] != 1)
            return tmli_instance_tell(in, TMLI_FMU_ERROR, function,
                                      "A derivative of order %d is not offered, only of order 1.", orders[i]);
    tml_error err = {0};
    const tml_status st = tmli_fmu_set_rates(in->unit, references, count, values, &err);
    return st == TML_OK ? TMLI_FMU_OK : refused(in, function, st, &err);
}

tmli_fmu_status tmli_instance_none(tmli_instance *in, const char *function, unsigned phases, size_t count,
                                   const char *type)
{
    if (!tmli_instance_may(in, function, phases)) return TMLI_FMU_ERROR;
    if (count == 0) return TMLI_FMU_OK;
    return tmli_instance_tell(in, TMLI_FMU_ERROR, function, "The unit has no variables of the type %s.",
                              type);
}

tmli_fmu_status tmli_instance_cannot(tmli_instance *in, const char *function)
{
    if (!in) return TMLI_FMU_ERROR;
    return tmli_instance_tell(in, TMLI_FMU_ERROR, function, "The unit does not offer this.");
}

// ---- steps ------------------------------------------------------------------------------------------------

// Times of importers are sums of steps, with their round-off.
static bool is_same(double a, double b, double h)
{
    return fabs(a - b) <= SAME_TIME * fmax(fabs(h), SAME_TIME * fmax(fabs(a), fabs(b)));
}

tmli_fmu_status tmli_instance_step(tmli_instance *in, const char *function, double t, double h)
{
    if (!tmli_instance_may(in, function, TMLI_PHASE_STEP)) return TMLI_FMU_ERROR;
    const double now = tmli_fmu_time(in->unit), end = t + h, stop = in->unit->stop;
    if (!isfinite(t) || !isfinite(h) || !(h > 0))
        return tmli_instance_tell(in, TMLI_FMU_ERROR, function,
                                  "A step of %g s at %g s: it must be longer "
                                  "than 0.",
                                  h, t);
    if (!is_same(t, now, h))
        return tmli_instance_tell(in, TMLI_FMU_ERROR, function,
                                  "The step begins at %.12g s, but the unit is at %.12g s.", t, now);
    if (!isnan(stop) && end > stop && !is_same(end, stop, h))
        return tmli_instance_tell(in, TMLI_FMU_ERROR, function, "The step ends at %g s, after the end %g s.",
                                  end, stop);
    tml_error err = {0};
    const char *event = NULL;
    if (tmli_fmu_step(in->unit, end, &event, &err) != TML_OK) {
        in->phase = TMLI_PHASE_ENDED;
        return tell_error(in, TMLI_FMU_ERROR, function, &err);
    }
    if (!event) return TMLI_FMU_OK;
    in->phase = TMLI_PHASE_ENDED;
    in->terminated = true;
    return tmli_instance_tell(in, TMLI_FMU_DISCARD, function, "The event '%s' has ended the run at %g s.",
                              event, tmli_fmu_time(in->unit));
}

// ---- states -----------------------------------------------------------------------------------------------

// The phase stands before the bytes of the unit.
typedef struct prefix {
    uint32_t phase, flags;
} prefix;

static tmli_fmu_status no_memory(tmli_instance *in, const char *function)
{
    return tmli_instance_tell(in, TMLI_FMU_ERROR, function, "Memory is exhausted.");
}

tmli_fmu_status tmli_instance_get_state(tmli_instance *in, const char *function, void **state)
{
    if (!tmli_instance_may(in, function, TMLI_PHASES_ALL) || !has_arrays(in, function, 1, state, state))
        return TMLI_FMU_ERROR;
    tml_error err = {0};
    size_t size = 0;
    if (tmli_fmu_save(in->unit, NULL, 0, &size, &err) != TML_OK)
        return tell_error(in, TMLI_FMU_ERROR, function, &err);
    tmli_fmu_state *s = *state;
    if (!s || s->size != size + sizeof(prefix)) {  // one that is there already is written over
        tmli_fmu_state *other = malloc(sizeof *other + sizeof(prefix) + size);
        if (!other) return no_memory(in, function);
        free(s);
        s = other;
        s->size = size + sizeof(prefix);
        *state = s;
    }
    const prefix p = {in->phase, (in->set_up ? 1u : 0u) | (in->terminated ? 2u : 0u)};
    memcpy(s->data, &p, sizeof p);
    if (tmli_fmu_save(in->unit, s->data + sizeof p, size, &size, &err) != TML_OK)
        return tell_error(in, TMLI_FMU_ERROR, function, &err);
    return TMLI_FMU_OK;
}

tmli_fmu_status tmli_instance_set_state(tmli_instance *in, const char *function, const void *state)
{
    if (!tmli_instance_may(in, function, TMLI_PHASES_ALL) || !has_arrays(in, function, 1, state, state))
        return TMLI_FMU_ERROR;
    const tmli_fmu_state *s = state;
    prefix p;
    memcpy(&p, s->data, sizeof p);
    tml_error err = {0};
    if (tmli_fmu_load(in->unit, s->data + sizeof p, s->size - sizeof p, &err) != TML_OK)
        return tell_error(in, TMLI_FMU_ERROR, function, &err);
    in->phase = p.phase;
    in->set_up = p.flags & 1u;
    in->terminated = p.flags & 2u;
    return TMLI_FMU_OK;
}

tmli_fmu_status tmli_instance_free_state(tmli_instance *in, const char *function, void **state)
{
    if (!tmli_instance_may(in, function, TMLI_PHASES_ALL)) return TMLI_FMU_ERROR;
    if (!state) return TMLI_FMU_OK;
    free(*state);
    *state = NULL;
    return TMLI_FMU_OK;
}

tmli_fmu_status tmli_instance_state_size(tmli_instance *in, const char *function, const void *state,
                                         size_t *size)
{
    if (!tmli_instance_may(in, function, TMLI_PHASES_ALL) || !has_arrays(in, function, 1, state, size))
        return TMLI_FMU_ERROR;
    *size = ((const tmli_fmu_state *)state)->size;
    return TMLI_FMU_OK;
}

tmli_fmu_status tmli_instance_write_state(tmli_instance *in, const char *function, const void *state,
                                          void *bytes, size_t size)
{
    if (!tmli_instance_may(in, function, TMLI_PHASES_ALL) || !has_arrays(in, function, 1, state, bytes))
        return TMLI_FMU_ERROR;
    const tmli_fmu_state *s = state;
    if (size < s->size)
        return tmli_instance_tell(in, TMLI_FMU_ERROR, function,
                                  "The state needs %zu bytes; there is room for %zu.", s->size, size);
    memcpy(bytes, s->data, s->size);
    return TMLI_FMU_OK;
}

// A state of the bytes; whether they fit the unit is found out when it is set. What is not a state at all is
// refused here.
tmli_fmu_status tmli_instance_read_state(tmli_instance *in, const char *function, const void *bytes,
                                         size_t size, void **state)
{
    if (!tmli_instance_may(in, function, TMLI_PHASES_ALL) || !has_arrays(in, function, 1, bytes, state))
        return TMLI_FMU_ERROR;
    prefix p = {0};
    if (size > sizeof p) memcpy(&p, bytes, sizeof p);
    if (p.phase == 0 || p.phase > TMLI_PHASE_TERMINATED || (p.phase & (p.phase - 1)) || p.flags > 3)
        return tmli_instance_tell(in, TMLI_FMU_ERROR, function, "The bytes are no state of a unit.");
    tmli_fmu_state *s = malloc(sizeof *s + size);
    if (!s) return no_memory(in, function);
    s->size = size;
    memcpy(s->data, bytes, size);
    *state = s;
    return TMLI_FMU_OK;
}
