// Functions of FMI 3.0 that these units do not offer and that importers look for: clocks, binary variables,
// event and configuration mode, derivatives, model exchange, scheduled execution. What the importer gives is
// not looked at.
#include "fmu/unit/fmi3.h"

#include "fmu/unit/instance.h"

// The functions of the interface are exported, and their parameters prescribed.
#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CANNOT(name, parameters) \
    fmi3Status fmi3##name parameters { return (fmi3Status)tmli_instance_cannot(i, __func__); }

CANNOT(EnterEventMode, (fmi3Instance i))
CANNOT(EnterStepMode, (fmi3Instance i))
CANNOT(EnterConfigurationMode, (fmi3Instance i))
CANNOT(ExitConfigurationMode, (fmi3Instance i))
CANNOT(EvaluateDiscreteStates, (fmi3Instance i))
CANNOT(EnterContinuousTimeMode, (fmi3Instance i))
CANNOT(GetBinary,
       (fmi3Instance i, const fmi3ValueReference a[], size_t b, size_t c[], fmi3Binary d[], size_t e))
CANNOT(SetBinary, (fmi3Instance i, const fmi3ValueReference a[], size_t b, const size_t c[],
                   const fmi3Binary d[], size_t e))
CANNOT(GetClock, (fmi3Instance i, const fmi3ValueReference a[], size_t b, fmi3Clock c[]))
CANNOT(SetClock, (fmi3Instance i, const fmi3ValueReference a[], size_t b, const fmi3Clock c[]))
CANNOT(GetNumberOfVariableDependencies, (fmi3Instance i, fmi3ValueReference a, size_t *b))
CANNOT(GetVariableDependencies, (fmi3Instance i, fmi3ValueReference a, size_t b[], fmi3ValueReference c[],
                                 size_t d[], fmi3DependencyKind e[], size_t f))
CANNOT(GetDirectionalDerivative,
       (fmi3Instance i, const fmi3ValueReference a[], size_t b, const fmi3ValueReference c[], size_t d,
        const fmi3Float64 e[], size_t f, fmi3Float64 g[], size_t j))
CANNOT(GetAdjointDerivative,
       (fmi3Instance i, const fmi3ValueReference a[], size_t b, const fmi3ValueReference c[], size_t d,
        const fmi3Float64 e[], size_t f, fmi3Float64 g[], size_t j))
CANNOT(GetOutputDerivatives, (fmi3Instance i, const fmi3ValueReference a[], size_t b, const fmi3Int32 c[],
                              fmi3Float64 d[], size_t e))
CANNOT(GetIntervalDecimal,
       (fmi3Instance i, const fmi3ValueReference a[], size_t b, fmi3Float64 c[], fmi3IntervalQualifier d[]))
CANNOT(GetIntervalFraction, (fmi3Instance i, const fmi3ValueReference a[], size_t b, fmi3UInt64 c[],
                             fmi3UInt64 d[], fmi3IntervalQualifier e[]))
CANNOT(GetShiftDecimal, (fmi3Instance i, const fmi3ValueReference a[], size_t b, fmi3Float64 c[]))
CANNOT(GetShiftFraction,
       (fmi3Instance i, const fmi3ValueReference a[], size_t b, fmi3UInt64 c[], fmi3UInt64 d[]))
CANNOT(SetIntervalDecimal, (fmi3Instance i, const fmi3ValueReference a[], size_t b, const fmi3Float64 c[]))
CANNOT(SetIntervalFraction,
       (fmi3Instance i, const fmi3ValueReference a[], size_t b, const fmi3UInt64 c[], const fmi3UInt64 d[]))
CANNOT(SetShiftDecimal, (fmi3Instance i, const fmi3ValueReference a[], size_t b, const fmi3Float64 c[]))
CANNOT(SetShiftFraction,
       (fmi3Instance i, const fmi3ValueReference a[], size_t b, const fmi3UInt64 c[], const fmi3UInt64 d[]))
CANNOT(UpdateDiscreteStates, (fmi3Instance i, fmi3Boolean *a, fmi3Boolean *b, fmi3Boolean *c, fmi3Boolean *d,
                              fmi3Boolean *e, fmi3Float64 *f))
CANNOT(CompletedIntegratorStep, (fmi3Instance i, fmi3Boolean a, fmi3Boolean *b, fmi3Boolean *c))
CANNOT(SetTime, (fmi3Instance i, fmi3Float64 a))
CANNOT(SetContinuousStates, (fmi3Instance i, const fmi3Float64 a[], size_t b))
CANNOT(GetContinuousStates, (fmi3Instance i, fmi3Float64 a[], size_t b))
CANNOT(GetContinuousStateDerivatives, (fmi3Instance i, fmi3Float64 a[], size_t b))
CANNOT(GetNominalsOfContinuousStates, (fmi3Instance i, fmi3Float64 a[], size_t b))
CANNOT(GetEventIndicators, (fmi3Instance i, fmi3Float64 a[], size_t b))
CANNOT(GetNumberOfEventIndicators, (fmi3Instance i, size_t *a))
CANNOT(GetNumberOfContinuousStates, (fmi3Instance i, size_t *a))
CANNOT(ActivateModelPartition, (fmi3Instance i, fmi3ValueReference a, fmi3Float64 b))

// ---- other interfaces -------------------------------------------------------------------------------------

static fmi3Instance refuse(const char *text, fmi3Boolean logging, fmi3InstanceEnvironment environment,
                           fmi3LogMessageCallback log)
{
    if (log && logging) log(environment, fmi3Error, "logStatusError", text);
    return NULL;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    return refuse("The unit is for co-simulation, not for model exchange.", logging, environment, log);
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log, void (*update)(void *),
                                               void (*lock)(void), void (*unlock)(void))
{
    return refuse("The unit is for co-simulation, not for scheduled execution.", logging, environment, log);
}
