// The types of FMI 2.0 for co-simulation, as its specification (version 2.0.4, chapters 2 and 4) names them.
#ifndef TMLI_FMU_FMI2_H
#define TMLI_FMU_FMI2_H

#include <stddef.h>

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

#endif
