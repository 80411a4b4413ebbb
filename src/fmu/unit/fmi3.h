// The types and functions of FMI 3.0, as its specification (version 3.0.2) names them: those of
// co-simulation, and the others, which importers look for in every library.
#ifndef TMLI_FMU_FMI3_H
#define TMLI_FMU_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <trammel/base.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

typedef enum fmi3Status { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum fmi3DependencyKind {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;
typedef enum fmi3IntervalQualifier {
    fmi3IntervalNotYetKnown,
    fmi3IntervalUnchanged,
    fmi3IntervalChanged
} fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category,
                                       fmi3String message);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64 t, fmi3Boolean set,
                                               fmi3Boolean get, fmi3Boolean finished, fmi3Boolean may_return,
                                               fmi3Boolean *returns, fmi3Float64 *at);

TML_API const char *fmi3GetVersion(void);
TML_API fmi3Status fmi3SetDebugLogging(fmi3Instance, fmi3Boolean on, size_t count,
                                       const fmi3String categories[]);
TML_API fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                                 fmi3Boolean visible, fmi3Boolean logging,
                                                 fmi3Boolean event_mode, fmi3Boolean early_return,
                                                 const fmi3ValueReference intermediate[], size_t count,
                                                 fmi3InstanceEnvironment, fmi3LogMessageCallback,
                                                 fmi3IntermediateUpdateCallback);
TML_API void fmi3FreeInstance(fmi3Instance);
TML_API fmi3Status fmi3EnterInitializationMode(fmi3Instance, fmi3Boolean tolerance_defined,
                                               fmi3Float64 tolerance, fmi3Float64 start,
                                               fmi3Boolean stop_defined, fmi3Float64 stop);
TML_API fmi3Status fmi3ExitInitializationMode(fmi3Instance);
TML_API fmi3Status fmi3EnterEventMode(fmi3Instance);
TML_API fmi3Status fmi3EnterStepMode(fmi3Instance);
TML_API fmi3Status fmi3EnterConfigurationMode(fmi3Instance);
TML_API fmi3Status fmi3ExitConfigurationMode(fmi3Instance);
TML_API fmi3Status fmi3Terminate(fmi3Instance);
TML_API fmi3Status fmi3Reset(fmi3Instance);

#define TMLI_FMI3_VARIABLES(X) \
    X(Float32)                 \
    X(Float64) X(Int8) X(UInt8) X(Int16) X(UInt16) X(Int32) X(UInt32) X(Int64) X(UInt64) X(Boolean) X(String)
#define TMLI_FMI3_PROTOTYPES(type)                                                                         \
    TML_API fmi3Status fmi3Get##type(fmi3Instance, const fmi3ValueReference[], size_t, fmi3##type[],       \
                                     size_t);                                                              \
    TML_API fmi3Status fmi3Set##type(fmi3Instance, const fmi3ValueReference[], size_t, const fmi3##type[], \
                                     size_t);
TMLI_FMI3_VARIABLES(TMLI_FMI3_PROTOTYPES)
TML_API fmi3Status fmi3GetBinary(fmi3Instance, const fmi3ValueReference[], size_t, size_t sizes[],
                                 fmi3Binary[], size_t);
TML_API fmi3Status fmi3SetBinary(fmi3Instance, const fmi3ValueReference[], size_t, const size_t sizes[],
                                 const fmi3Binary[], size_t);
TML_API fmi3Status fmi3GetClock(fmi3Instance, const fmi3ValueReference[], size_t, fmi3Clock[]);
TML_API fmi3Status fmi3SetClock(fmi3Instance, const fmi3ValueReference[], size_t, const fmi3Clock[]);

TML_API fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance, fmi3ValueReference, size_t *);
TML_API fmi3Status fmi3GetVariableDependencies(fmi3Instance, fmi3ValueReference, size_t[],
                                               fmi3ValueReference[], size_t[], fmi3DependencyKind[], size_t);
TML_API fmi3Status fmi3GetFMUState(fmi3Instance, fmi3FMUState *);
TML_API fmi3Status fmi3SetFMUState(fmi3Instance, fmi3FMUState);
TML_API fmi3Status fmi3FreeFMUState(fmi3Instance, fmi3FMUState *);
TML_API fmi3Status fmi3SerializedFMUStateSize(fmi3Instance, fmi3FMUState, size_t *);
TML_API fmi3Status fmi3SerializeFMUState(fmi3Instance, fmi3FMUState, fmi3Byte[], size_t);
TML_API fmi3Status fmi3DeserializeFMUState(fmi3Instance, const fmi3Byte[], size_t, fmi3FMUState *);
TML_API fmi3Status fmi3GetDirectionalDerivative(fmi3Instance, const fmi3ValueReference[], size_t,
                                                const fmi3ValueReference[], size_t, const fmi3Float64[],
                                                size_t, fmi3Float64[], size_t);
TML_API fmi3Status fmi3GetAdjointDerivative(fmi3Instance, const fmi3ValueReference[], size_t,
                                            const fmi3ValueReference[], size_t, const fmi3Float64[], size_t,
                                            fmi3Float64[], size_t);
TML_API fmi3Status fmi3GetOutputDerivatives(fmi3Instance, const fmi3ValueReference[], size_t,
                                            const fmi3Int32[], fmi3Float64[], size_t);

TML_API fmi3Status fmi3GetIntervalDecimal(fmi3Instance, const fmi3ValueReference[], size_t, fmi3Float64[],
                                          fmi3IntervalQualifier[]);
TML_API fmi3Status fmi3GetIntervalFraction(fmi3Instance, const fmi3ValueReference[], size_t, fmi3UInt64[],
                                           fmi3UInt64[], fmi3IntervalQualifier[]);
TML_API fmi3Status fmi3GetShiftDecimal(fmi3Instance, const fmi3ValueReference[], size_t, fmi3Float64[]);
TML_API fmi3Status fmi3GetShiftFraction(fmi3Instance, const fmi3ValueReference[], size_t, fmi3UInt64[],
                                        fmi3UInt64[]);
TML_API fmi3Status fmi3SetIntervalDecimal(fmi3Instance, const fmi3ValueReference[], size_t,
                                          const fmi3Float64[]);
TML_API fmi3Status fmi3SetIntervalFraction(fmi3Instance, const fmi3ValueReference[], size_t,
                                           const fmi3UInt64[], const fmi3UInt64[]);
TML_API fmi3Status fmi3SetShiftDecimal(fmi3Instance, const fmi3ValueReference[], size_t, const fmi3Float64[]);
TML_API fmi3Status fmi3SetShiftFraction(fmi3Instance, const fmi3ValueReference[], size_t, const fmi3UInt64[],
                                        const fmi3UInt64[]);
TML_API fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance);
TML_API fmi3Status fmi3UpdateDiscreteStates(fmi3Instance, fmi3Boolean *, fmi3Boolean *, fmi3Boolean *,
                                            fmi3Boolean *, fmi3Boolean *, fmi3Float64 *);
TML_API fmi3Status fmi3DoStep(fmi3Instance, fmi3Float64 t, fmi3Float64 h, fmi3Boolean keep,
                              fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early,
                              fmi3Float64 *reached);

// model exchange and scheduled execution
TML_API fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance);
TML_API fmi3Status fmi3CompletedIntegratorStep(fmi3Instance, fmi3Boolean a, fmi3Boolean *b, fmi3Boolean *c);
TML_API fmi3Status fmi3SetTime(fmi3Instance, fmi3Float64 a);
TML_API fmi3Status fmi3SetContinuousStates(fmi3Instance, const fmi3Float64 a[], size_t b);
TML_API fmi3Status fmi3GetContinuousStates(fmi3Instance, fmi3Float64 a[], size_t b);
TML_API fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance, fmi3Float64 a[], size_t b);
TML_API fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance, fmi3Float64 a[], size_t b);
TML_API fmi3Status fmi3GetEventIndicators(fmi3Instance, fmi3Float64 a[], size_t b);
TML_API fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance, size_t *a);
TML_API fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance, size_t *a);
TML_API fmi3Status fmi3ActivateModelPartition(fmi3Instance, fmi3ValueReference a, fmi3Float64 b);
TML_API fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                  fmi3Boolean visible, fmi3Boolean logging,
                                                  fmi3InstanceEnvironment, fmi3LogMessageCallback);
TML_API fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token,
                                                       fmi3String resources, fmi3Boolean visible,
                                                       fmi3Boolean logging, fmi3InstanceEnvironment,
                                                       fmi3LogMessageCallback, void (*update)(void *),
                                                       void (*lock)(void), void (*unlock)(void));

#endif
