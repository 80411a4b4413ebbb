// The functions of FMI 3.0 for co-simulation: names of the calls of instance.h.
#include "fmu/unit/fmi3.h"

#include "fmu/unit/instance.h"

#include <math.h>
#include <string.h>

// The functions of the interface are exported, and their parameters prescribed.
#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wunused-parameter"

static void say(const tmli_instance *in, tmli_fmu_status status, const char *category, const char *text)
{
    ((fmi3LogMessageCallback)in->logger)(in->environment, (fmi3Status)status, category, text);
}

const char *fmi3GetVersion(void) { return "3.0"; }

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                         fmi3Boolean early_return, const fmi3ValueReference intermediate[],
                                         size_t count, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    tmli_instance in = {.say = log ? say : NULL,
                        .environment = environment,
                        .logger = (void (*)(void))log,
                        .logging = logging,
                        .set_up = true};  // when the initialization begins
    if (event_mode || count > 0) {
        tmli_instance_tell(&in, TMLI_FMU_ERROR, __func__,
                           "The unit has no event mode and no intermediate variables.");
        return NULL;
    }
    char *folder = resources ? tmli_strdup(NULL, resources) : NULL;
    for (size_t n = folder ? strlen(folder) : 0; n > 1 && folder[n - 1] == '/'; n--) folder[n - 1] = 0;
    tmli_instance *out = tmli_instance_create(&in, name, token, folder);
    tmli_free(NULL, folder);
    return out;
}

void fmi3FreeInstance(fmi3Instance i) { tmli_instance_destroy(i); }

fmi3Status fmi3SetDebugLogging(fmi3Instance i, fmi3Boolean on, size_t count, const fmi3String categories[])
{
    return (fmi3Status)tmli_instance_logging(i, __func__, on, count, categories);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance i, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
    if (!tmli_instance_may(i, __func__, TMLI_PHASE_INSTANTIATED)) return fmi3Error;
    if ((stop_defined && isnan(stop)) || (tolerance_defined && isnan(tolerance)))
        return (fmi3Status)tmli_instance_tell(i, TMLI_FMU_ERROR, __func__, "A number is NaN.");
    const tmli_fmu_status st = tmli_instance_set_up(i, __func__, tolerance_defined ? tolerance : NAN, start,
                                                    stop_defined ? stop : NAN);
    return (fmi3Status)(st == TMLI_FMU_OK ? tmli_instance_enter(i, __func__) : st);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance i) { return (fmi3Status)tmli_instance_exit(i, __func__); }
fmi3Status fmi3Terminate(fmi3Instance i) { return (fmi3Status)tmli_instance_terminate(i, __func__); }
fmi3Status fmi3Reset(fmi3Instance i) { return (fmi3Status)tmli_instance_reset(i, __func__); }

// ---- variables --------------------------------------------------------------------------------------------

// A variable has one value: there are no arrays.
static bool is_scalar(fmi3Instance i, const char *function, size_t references, size_t values)
{
    if (references == values) return true;
    if (i)
        tmli_instance_tell(i, TMLI_FMU_ERROR, function, "There are %zu values for %zu references.", values,
                           references);
    return false;
}

fmi3Status fmi3GetFloat64(fmi3Instance i, const fmi3ValueReference references[], size_t count,
                          fmi3Float64 values[], size_t value_count)
{
    if (!is_scalar(i, __func__, count, value_count)) return fmi3Error;
    return (fmi3Status)tmli_instance_get(i, __func__, references, count, values);
}

fmi3Status fmi3SetFloat64(fmi3Instance i, const fmi3ValueReference references[], size_t count,
                          const fmi3Float64 values[], size_t value_count)
{
    if (!is_scalar(i, __func__, count, value_count)) return fmi3Error;
    return (fmi3Status)tmli_instance_set(i, __func__, references, count, values);
}

// All variables are of the type Float64.
#define NO_VARIABLES(type)                                                                        \
    fmi3Status fmi3Get##type(fmi3Instance i, const fmi3ValueReference references[], size_t count, \
                             fmi3##type values[], size_t value_count)                             \
    {                                                                                             \
        return (fmi3Status)tmli_instance_none(i, __func__, TMLI_PHASES_GET, count, #type);        \
    }                                                                                             \
    fmi3Status fmi3Set##type(fmi3Instance i, const fmi3ValueReference references[], size_t count, \
                             const fmi3##type values[], size_t value_count)                       \
    {                                                                                             \
        return (fmi3Status)tmli_instance_none(i, __func__, TMLI_PHASES_SET, count, #type);        \
    }
NO_VARIABLES(Float32)
NO_VARIABLES(Int8)
NO_VARIABLES(UInt8)
NO_VARIABLES(Int16)
NO_VARIABLES(UInt16)
NO_VARIABLES(Int32)
NO_VARIABLES(UInt32)
NO_VARIABLES(Int64)
NO_VARIABLES(UInt64)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

TMLI_INSTANCE_STATES(fmi3, fmi3Instance, FMUState, Deserialize)

// ---- steps ------------------------------------------------------------------------------------------------

// An event of the model that ends the run is no failure: the importer is asked to end the simulation.
fmi3Status fmi3DoStep(fmi3Instance i, fmi3Float64 t, fmi3Float64 h, fmi3Boolean keep, fmi3Boolean *event,
                      fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached)
{
    if (!i) return fmi3Error;
    tmli_instance *const in = i;
    const tmli_fmu_status st = tmli_instance_step(in, __func__, t, h);
    const bool ended = st == TMLI_FMU_DISCARD && in->terminated;
    if (event) *event = false;
    if (terminate) *terminate = ended;
    if (early) *early = false;
    if (reached) *reached = tmli_fmu_time(in->unit);
    return ended ? fmi3OK : (fmi3Status)st;
}
