// The functions of FMI 2.0 for co-simulation: names of the calls of instance.h.
#include "fmu/unit/fmi2.h"

#include "fmu/unit/instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The functions of the interface are exported, and their parameters prescribed.
#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wunused-parameter"

typedef void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);

// The message is a format of printf to the importer.
static void say(const tmli_instance *in, tmli_fmu_status status, const char *category, const char *text)
{
    char *format = malloc(2 * strlen(text) + 1), *to = format;
    if (!format) return;
    for (; *text; text++) {
        *to++ = *text;
        if (*text == '%') *to++ = '%';
    }
    *to = 0;
    ((logger)in->logger)(in->environment, in->name ? in->name : "", (fmi2Status)status, category, format);
    free(format);
}

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean logging)
{
    if (!functions || !functions->logger) return NULL;  // there is nobody to tell it to
    tmli_instance in = {.say = say,
                        .environment = functions->componentEnvironment,
                        .logger = (void (*)(void))functions->logger,
                        .logging = logging};
    if (type != fmi2CoSimulation) {
        tmli_instance_tell(&in, TMLI_FMU_ERROR, "fmi2Instantiate",
                           "The unit is for co-simulation, not for model exchange.");
        return NULL;
    }
    char *folder = tmli_fmu_path_of(resources);
    tmli_instance *out = tmli_instance_create(&in, name, guid, folder);
    free(folder);
    return out;
}

void fmi2FreeInstance(fmi2Component c) { tmli_instance_destroy(c); }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
    return (fmi2Status)tmli_instance_logging(c, __func__, on, count, categories);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop)
{
    if (!tmli_instance_may(c, __func__, TMLI_PHASE_INSTANTIATED)) return fmi2Error;
    if ((stop_defined && isnan(stop)) || (tolerance_defined && isnan(tolerance)))
        return (fmi2Status)tmli_instance_tell(c, TMLI_FMU_ERROR, __func__, "A number is NaN.");
    return (fmi2Status)tmli_instance_set_up(c, __func__, tolerance_defined ? tolerance : NAN, start,
                                            stop_defined ? stop : NAN);
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    return (fmi2Status)tmli_instance_enter(c, __func__);
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return (fmi2Status)tmli_instance_exit(c, __func__); }
fmi2Status fmi2Terminate(fmi2Component c) { return (fmi2Status)tmli_instance_terminate(c, __func__); }
fmi2Status fmi2Reset(fmi2Component c) { return (fmi2Status)tmli_instance_reset(c, __func__); }

// ---- variables --------------------------------------------------------------------------------------------

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count,
                       fmi2Real values[])
{
    return (fmi2Status)tmli_instance_get(c, __func__, references, count, values);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t count,
                       const fmi2Real values[])
{
    return (fmi2Status)tmli_instance_set(c, __func__, references, count, values);
}

// All variables are real.
#define NO_VARIABLES(type)                                                                         \
    fmi2Status fmi2Get##type(fmi2Component c, const fmi2ValueReference references[], size_t count, \
                             fmi2##type values[])                                                  \
    {                                                                                              \
        return (fmi2Status)tmli_instance_none(c, __func__, TMLI_PHASES_GET, count, #type);         \
    }                                                                                              \
    fmi2Status fmi2Set##type(fmi2Component c, const fmi2ValueReference references[], size_t count, \
                             const fmi2##type values[])                                            \
    {                                                                                              \
        return (fmi2Status)tmli_instance_none(c, __func__, TMLI_PHASES_SET, count, #type);         \
    }
NO_VARIABLES(Integer)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
                                       const fmi2Integer order[], const fmi2Real values[])
{
    return (fmi2Status)tmli_instance_set_rates(c, __func__, references, count, order, values);
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
                                        const fmi2Integer order[], fmi2Real values[])
{
    return (fmi2Status)tmli_instance_cannot(c, __func__);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                        const fmi2ValueReference known[], size_t knowns,
                                        const fmi2Real direction[], fmi2Real out[])
{
    return (fmi2Status)tmli_instance_cannot(c, __func__);
}

TMLI_INSTANCE_STATES(fmi2, fmi2Component, FMUstate, DeSerialize)

// ---- steps ------------------------------------------------------------------------------------------------

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean keep)
{
    return (fmi2Status)tmli_instance_step(c, __func__, t, h);
}

fmi2Status fmi2CancelStep(fmi2Component c) { return (fmi2Status)tmli_instance_cannot(c, __func__); }

enum { PHASES_STATUS = TMLI_PHASE_STEP | TMLI_PHASE_ENDED | TMLI_PHASE_TERMINATED };

// Steps are never pending: there is nothing to ask but where a step has ended, and whether the run has.
static fmi2Status no_status(fmi2Component c, const char *function)
{
    if (!tmli_instance_may(c, function, PHASES_STATUS)) return fmi2Error;
    return (fmi2Status)tmli_instance_tell(c, TMLI_FMU_DISCARD, function,
                                          "Steps of the unit are not pending.");
}

fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real *value)
{
    if (kind != fmi2LastSuccessfulTime || !value) return no_status(c, __func__);
    if (!tmli_instance_may(c, __func__, PHASES_STATUS)) return fmi2Error;
    *value = tmli_fmu_time(((const tmli_instance *)c)->unit);
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean *value)
{
    if (kind != fmi2Terminated || !value) return no_status(c, __func__);
    if (!tmli_instance_may(c, __func__, PHASES_STATUS)) return fmi2Error;
    *value = ((const tmli_instance *)c)->terminated ? fmi2True : fmi2False;
    return fmi2OK;
}

#define NO_STATUS(name, type)                                                   \
    fmi2Status fmi2Get##name(fmi2Component c, fmi2StatusKind kind, type *value) \
    {                                                                           \
        return no_status(c, __func__);                                          \
    }
NO_STATUS(Status, fmi2Status)
NO_STATUS(IntegerStatus, fmi2Integer)
NO_STATUS(StringStatus, fmi2String)
