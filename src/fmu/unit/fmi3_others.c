// Functions of FMI 3.0 that these units do not offer and that importers look for: clocks, binary variables,
// event and configuration mode, derivatives, model exchange, scheduled execution. What the importer gives is
// not looked at.
#include "fmu/unit/fmi3.h"

#include "fmu/unit/instance.h"

// The functions of the interface are exported, and their parameters prescribed.
#pragma GCC visibility push(default)
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CANNOT(i) return (fmi3Status)tmli_instance_cannot(i, __func__)

fmi3Status fmi3EnterEventMode(fmi3Instance i) { CANNOT(i); }
fmi3Status fmi3EnterStepMode(fmi3Instance i) { CANNOT(i); }
fmi3Status fmi3EnterConfigurationMode(fmi3Instance i) { CANNOT(i); }
fmi3Status fmi3ExitConfigurationMode(fmi3Instance i) { CANNOT(i); }
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance i) { CANNOT(i); }
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance i) { CANNOT(i); }

fmi3Status fmi3GetBinary(fmi3Instance i, const fmi3ValueReference a[], size_t b, size_t c[], fmi3Binary d[],
                         size_t e)
{
    CANNOT(i);
}

fmi3Status fmi3SetBinary(fmi3Instance i, const fmi3ValueReference a[], size_t b, const size_t c[],
                         const fmi3Binary d[], size_t e)
{
    CANNOT(i);
}

fmi3Status fmi3GetClock(fmi3Instance i, const fmi3ValueReference a[], size_t b, fmi3Clock c[]) { CANNOT(i); }

fmi3Status fmi3SetClock(fmi3Instance i, const fmi3ValueReference a[], size_t b, const fmi3Clock c[])
{
    CANNOT(i);
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance i, fmi3ValueReference a, size_t *b) { CANNOT(i); }

fmi3Status fmi3GetVariableDependencies(fmi3Instance i, fmi3ValueReference a, size_t b[],
                                       fmi3ValueReference c[], size_t d[], fmi3DependencyKind e[], size_t f)
{
    CANNOT(i);
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance i, const fmi3ValueReference a[], size_t b,
                                        const fmi3ValueReference c[], size_t d, const fmi3Float64 e[],
                                        size_t f, fmi3Float64 g[], size_t j)
{
    CANNOT(i);
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance i, const fmi3ValueReference a[], size_t b,
                                    const fmi3ValueReference c[], size_t d, const fmi3Float64 e[], size_t f,
                                    fmi3Float64 g[], size_t j)
{
    CANNOT(i);
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance i, const fmi3ValueReference a[], size_t b,
                                    const fmi3Int32 c[], fmi3Float64 d[], size_t e)
{
    CANNOT(i);
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance i, const fmi3ValueReference a[], size_t b, fmi3Float64 c[],
                                  fmi3IntervalQualifier d[])
{
    CANNOT(i);
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance i, const fmi3ValueReference a[], size_t b, fmi3UInt64 c[],
                                   fmi3UInt64 d[], fmi3IntervalQualifier e[])
{
    CANNOT(i);
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance i, const fmi3ValueReference a[], size_t b, fmi3Float64 c[])
{
    CANNOT(i);
}

fmi3Status fmi3GetShiftFraction(fmi3Instance i, const fmi3ValueReference a[], size_t b, fmi3UInt64 c[],
                                fmi3UInt64 d[])
{
    CANNOT(i);
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance i, const fmi3ValueReference a[], size_t b,
                                  const fmi3Float64 c[])
{
    CANNOT(i);
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance i, const fmi3ValueReference a[], size_t b,
                                   const fmi3UInt64 c[], const fmi3UInt64 d[])
{
    CANNOT(i);
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance i, const fmi3ValueReference a[], size_t b, const fmi3Float64 c[])
{
    CANNOT(i);
}

fmi3Status fmi3SetShiftFraction(fmi3Instance i, const fmi3ValueReference a[], size_t b, const fmi3UInt64 c[],
                                const fmi3UInt64 d[])
{
    CANNOT(i);
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance i, fmi3Boolean *a, fmi3Boolean *b, fmi3Boolean *c,
                                    fmi3Boolean *d, fmi3Boolean *e, fmi3Float64 *f)
{
    CANNOT(i);
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance i, fmi3Boolean a, fmi3Boolean *b, fmi3Boolean *c)
{
    CANNOT(i);
}

fmi3Status fmi3SetTime(fmi3Instance i, fmi3Float64 a) { CANNOT(i); }

fmi3Status fmi3SetContinuousStates(fmi3Instance i, const fmi3Float64 a[], size_t b) { CANNOT(i); }

fmi3Status fmi3GetContinuousStates(fmi3Instance i, fmi3Float64 a[], size_t b) { CANNOT(i); }

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance i, fmi3Float64 a[], size_t b) { CANNOT(i); }

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance i, fmi3Float64 a[], size_t b) { CANNOT(i); }

fmi3Status fmi3GetEventIndicators(fmi3Instance i, fmi3Float64 a[], size_t b) { CANNOT(i); }

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance i, size_t *a) { CANNOT(i); }

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance i, size_t *a) { CANNOT(i); }

fmi3Status fmi3ActivateModelPartition(fmi3Instance i, fmi3ValueReference a, fmi3Float64 b) { CANNOT(i); }

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
