// The types and functions of FMI 2.0 for co-simulation, as its specification (version 2.0.4, chapters 2 and
// 4) names them.
#ifndef TMLI_FMU_FMI2_H
#define TMLI_FMU_FMI2_H

#include <stddef.h>
#include <trammel/base.h>

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;

enum { fmi2False = 0, fmi2True = 1 };

typedef enum fmi2Status { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum fmi2Type { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum fmi2StatusKind {
    fmi2DoStepStatus,
    fmi2PendingStatus,
    fmi2LastSuccessfulTime,
    fmi2Terminated
} fmi2StatusKind;

typedef struct fmi2CallbackFunctions {
    void (*logger)(fmi2ComponentEnvironment, fmi2String name, fmi2Status, fmi2String category,
                   fmi2String message, ...);
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

TML_API const char *fmi2GetTypesPlatform(void);
TML_API const char *fmi2GetVersion(void);
TML_API fmi2Status fmi2SetDebugLogging(fmi2Component, fmi2Boolean on, size_t count,
                                       const fmi2String categories[]);
TML_API fmi2Component fmi2Instantiate(fmi2String name, fmi2Type, fmi2String guid, fmi2String resources,
                                      const fmi2CallbackFunctions *, fmi2Boolean visible,
                                      fmi2Boolean logging);
TML_API void fmi2FreeInstance(fmi2Component);
TML_API fmi2Status fmi2SetupExperiment(fmi2Component, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                                       fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop);
TML_API fmi2Status fmi2EnterInitializationMode(fmi2Component);
TML_API fmi2Status fmi2ExitInitializationMode(fmi2Component);
TML_API fmi2Status fmi2Terminate(fmi2Component);
TML_API fmi2Status fmi2Reset(fmi2Component);
TML_API fmi2Status fmi2GetReal(fmi2Component, const fmi2ValueReference[], size_t, fmi2Real[]);
TML_API fmi2Status fmi2GetInteger(fmi2Component, const fmi2ValueReference[], size_t, fmi2Integer[]);
TML_API fmi2Status fmi2GetBoolean(fmi2Component, const fmi2ValueReference[], size_t, fmi2Boolean[]);
TML_API fmi2Status fmi2GetString(fmi2Component, const fmi2ValueReference[], size_t, fmi2String[]);
TML_API fmi2Status fmi2SetReal(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Real[]);
TML_API fmi2Status fmi2SetInteger(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[]);
TML_API fmi2Status fmi2SetBoolean(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Boolean[]);
TML_API fmi2Status fmi2SetString(fmi2Component, const fmi2ValueReference[], size_t, const fmi2String[]);
TML_API fmi2Status fmi2GetFMUstate(fmi2Component, fmi2FMUstate *);
TML_API fmi2Status fmi2SetFMUstate(fmi2Component, fmi2FMUstate);
TML_API fmi2Status fmi2FreeFMUstate(fmi2Component, fmi2FMUstate *);
TML_API fmi2Status fmi2SerializedFMUstateSize(fmi2Component, fmi2FMUstate, size_t *);
TML_API fmi2Status fmi2SerializeFMUstate(fmi2Component, fmi2FMUstate, fmi2Byte[], size_t);
TML_API fmi2Status fmi2DeSerializeFMUstate(fmi2Component, const fmi2Byte[], size_t, fmi2FMUstate *);
TML_API fmi2Status fmi2GetDirectionalDerivative(fmi2Component, const fmi2ValueReference unknown[], size_t,
                                                const fmi2ValueReference known[], size_t, const fmi2Real[],
                                                fmi2Real[]);
TML_API fmi2Status fmi2SetRealInputDerivatives(fmi2Component, const fmi2ValueReference[], size_t,
                                               const fmi2Integer order[], const fmi2Real[]);
TML_API fmi2Status fmi2GetRealOutputDerivatives(fmi2Component, const fmi2ValueReference[], size_t,
                                                const fmi2Integer order[], fmi2Real[]);
TML_API fmi2Status fmi2DoStep(fmi2Component, fmi2Real t, fmi2Real h, fmi2Boolean keep);
TML_API fmi2Status fmi2CancelStep(fmi2Component);
TML_API fmi2Status fmi2GetStatus(fmi2Component, fmi2StatusKind, fmi2Status *);
TML_API fmi2Status fmi2GetRealStatus(fmi2Component, fmi2StatusKind, fmi2Real *);
TML_API fmi2Status fmi2GetIntegerStatus(fmi2Component, fmi2StatusKind, fmi2Integer *);
TML_API fmi2Status fmi2GetBooleanStatus(fmi2Component, fmi2StatusKind, fmi2Boolean *);
TML_API fmi2Status fmi2GetStringStatus(fmi2Component, fmi2StatusKind, fmi2String *);

#endif
