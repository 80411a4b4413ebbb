// The functions of FMI 2.0 and 3.0 that fuzz_fmu calls. Units export them; importers have headers of their
// own.
#ifndef FUZZ_FMI_H
#define FUZZ_FMI_H

#include "fmu/unit/fmi2.h"
#include "fmu/unit/fmi3.h"

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean logging);
void fmi2FreeInstance(fmi2Component c);
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[]);
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop);
fmi2Status fmi2EnterInitializationMode(fmi2Component c);
fmi2Status fmi2ExitInitializationMode(fmi2Component c);
fmi2Status fmi2Terminate(fmi2Component c);
fmi2Status fmi2Reset(fmi2Component c);
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count,
                       fmi2Real values[]);
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t count,
                       const fmi2Real values[]);
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count,
                          fmi2Integer values[]);
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference references[], size_t count,
                         const fmi2String values[]);
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
                                       const fmi2Integer order[], const fmi2Real values[]);
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
                                        const fmi2Integer order[], fmi2Real values[]);
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                        const fmi2ValueReference known[], size_t knowns,
                                        const fmi2Real direction[], fmi2Real out[]);
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean keep);
fmi2Status fmi2CancelStep(fmi2Component c);
fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind, fmi2Status *value);
fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real *value);
fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean *value);
fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind, fmi2String *value);

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                         fmi3Boolean early_return, const fmi3ValueReference intermediate[],
                                         size_t count, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update);
void fmi3FreeInstance(fmi3Instance i);
fmi3Status fmi3SetDebugLogging(fmi3Instance i, fmi3Boolean on, size_t count, const fmi3String categories[]);
fmi3Status fmi3EnterInitializationMode(fmi3Instance i, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop);
fmi3Status fmi3ExitInitializationMode(fmi3Instance i);
fmi3Status fmi3Terminate(fmi3Instance i);
fmi3Status fmi3Reset(fmi3Instance i);
fmi3Status fmi3GetFloat64(fmi3Instance i, const fmi3ValueReference references[], size_t count,
                          fmi3Float64 values[], size_t value_count);
fmi3Status fmi3SetFloat64(fmi3Instance i, const fmi3ValueReference references[], size_t count,
                          const fmi3Float64 values[], size_t value_count);
fmi3Status fmi3GetBoolean(fmi3Instance i, const fmi3ValueReference references[], size_t count,
                          fmi3Boolean values[], size_t value_count);
fmi3Status fmi3SetString(fmi3Instance i, const fmi3ValueReference references[], size_t count,
                         const fmi3String values[], size_t value_count);
fmi3Status fmi3DoStep(fmi3Instance i, fmi3Float64 t, fmi3Float64 h, fmi3Boolean keep, fmi3Boolean *event,
                      fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached);
fmi3Status fmi3EnterEventMode(fmi3Instance i);
fmi3Status fmi3EnterStepMode(fmi3Instance i);
fmi3Status fmi3EnterConfigurationMode(fmi3Instance i);
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance i, size_t *count);
fmi3Status fmi3SetTime(fmi3Instance i, fmi3Float64 t);
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance i, fmi3Boolean *a, fmi3Boolean *b, fmi3Boolean *c,
                                    fmi3Boolean *d, fmi3Boolean *e, fmi3Float64 *f);

#define FUZZ_STATES(fmi, instance, State, Deserialize)                                               \
    fmi##Status fmi##Get##State(instance i, fmi##State *state);                                      \
    fmi##Status fmi##Set##State(instance i, fmi##State state);                                       \
    fmi##Status fmi##Free##State(instance i, fmi##State *state);                                     \
    fmi##Status fmi##Serialized##State##Size(instance i, fmi##State state, size_t *size);            \
    fmi##Status fmi##Serialize##State(instance i, fmi##State state, fmi##Byte bytes[], size_t size); \
    fmi##Status fmi##Deserialize##State(instance i, const fmi##Byte bytes[], size_t size, fmi##State *state);
FUZZ_STATES(fmi2, fmi2Component, FMUstate, DeSerialize)
FUZZ_STATES(fmi3, fmi3Instance, FMUState, Deserialize)

#endif
