// An instance of a unit in the hands of an importer: which calls are allowed when, messages, saved states.
// The functions of FMI 2 and FMI 3 are names of these.
#ifndef TMLI_FMU_INSTANCE_H
#define TMLI_FMU_INSTANCE_H

#include "fmu/unit/unit.h"

/** Numbers of fmi2Status and fmi3Status. */
typedef enum tmli_fmu_status {
    TMLI_FMU_OK,
    TMLI_FMU_WARNING,
    TMLI_FMU_DISCARD,  // refused or incomplete; the unit can go on
    TMLI_FMU_ERROR
} tmli_fmu_status;

typedef enum tmli_fmu_phase {
    TMLI_PHASE_INSTANTIATED = 1,
    TMLI_PHASE_INITIALIZATION = 2,
    TMLI_PHASE_STEP = 4,
    TMLI_PHASE_ENDED = 8,  // a step has failed, or an event has ended the run
    TMLI_PHASE_TERMINATED = 16
} tmli_fmu_phase;
enum {
    TMLI_PHASES_SET = TMLI_PHASE_INSTANTIATED | TMLI_PHASE_INITIALIZATION | TMLI_PHASE_STEP,
    TMLI_PHASES_GET = TMLI_PHASE_INITIALIZATION | TMLI_PHASE_STEP | TMLI_PHASE_ENDED | TMLI_PHASE_TERMINATED,
    TMLI_PHASES_ALL = 31
};

typedef struct tmli_instance {
    tmli_fmu *unit;
    tmli_fmu_phase phase;
    char *name;
    bool logging;
    bool silent[TMLI_FMU_CATEGORIES];
    bool set_up;  // the experiment is known, or will be when the initialization begins
    bool begins_set_up;
    bool terminated;  // an event of the model has ended the run
    /** Passes a message to the importer. */
    void (*say)(const struct tmli_instance *in, tmli_fmu_status status, const char *category,
                const char *text);
    void *environment;
    void (*logger)(void);  // cast by `say`
} tmli_instance;

/** A saved state: bytes in memory. */
typedef struct tmli_fmu_state {
    size_t size;
    unsigned char data[];
} tmli_fmu_state;

/** What `in` says (say, environment, logger, logging) is copied. NULL: refused, with a message. */
tmli_instance *tmli_instance_create(const tmli_instance *in, const char *name, const char *token,
                                    const char *folder);
void tmli_instance_destroy(tmli_instance *in);  // accepts NULL
/** The path of a URI "file:///path"; the caller frees it. NULL: not one of a file, or no memory. */
char *tmli_fmu_path_of(const char *uri);

/** Send a message "FUNCTION: TEXT"; returns status. */
tmli_fmu_status tmli_instance_tell(tmli_instance *in, tmli_fmu_status status, const char *function,
                                   const char *fmt, ...) TML_PRINTF(4, 5);
/** Whether an instance is there and a function may be called now; otherwise there is a message. */
bool tmli_instance_may(tmli_instance *in, const char *function, unsigned phases);

// The calls themselves; `function` is their name in messages.
tmli_fmu_status tmli_instance_logging(tmli_instance *in, const char *function, bool on, size_t count,
                                      const char *const *categories);
tmli_fmu_status tmli_instance_set_up(tmli_instance *in, const char *function, double tolerance, double start,
                                     double stop);
tmli_fmu_status tmli_instance_enter(tmli_instance *in, const char *function);
tmli_fmu_status tmli_instance_exit(tmli_instance *in, const char *function);
tmli_fmu_status tmli_instance_terminate(tmli_instance *in, const char *function);
tmli_fmu_status tmli_instance_reset(tmli_instance *in, const char *function);
tmli_fmu_status tmli_instance_get(tmli_instance *in, const char *function, const unsigned *references,
                                  size_t count, double *values);
tmli_fmu_status tmli_instance_set(tmli_instance *in, const char *function, const unsigned *references,
                                  size_t count, const double *values);
tmli_fmu_status tmli_instance_set_rates(tmli_instance *in, const char *function, const unsigned *references,
                                        size_t count, const int *orders, const double *values);
/** Variables of a type that the unit has none of. */
tmli_fmu_status tmli_instance_none(tmli_instance *in, const char *function, unsigned phases, size_t count,
                                   const char *type);
/** What the unit does not offer. */
tmli_fmu_status tmli_instance_cannot(tmli_instance *in, const char *function);
tmli_fmu_status tmli_instance_step(tmli_instance *in, const char *function, double t, double h);
tmli_fmu_status tmli_instance_get_state(tmli_instance *in, const char *function, void **state);
tmli_fmu_status tmli_instance_set_state(tmli_instance *in, const char *function, const void *state);
tmli_fmu_status tmli_instance_free_state(tmli_instance *in, const char *function, void **state);
tmli_fmu_status tmli_instance_state_size(tmli_instance *in, const char *function, const void *state,
                                         size_t *size);
tmli_fmu_status tmli_instance_write_state(tmli_instance *in, const char *function, const void *state,
                                          void *bytes, size_t size);
tmli_fmu_status tmli_instance_read_state(tmli_instance *in, const char *function, const void *bytes,
                                         size_t size, void **state);

/** The functions of states of a version of the standard: fmi2 or fmi3, its word for instances, and how it
 * writes the names. */
#define TMLI_INSTANCE_STATES(fmi, instance, State, Deserialize)                                              \
    fmi##Status fmi##Get##State(instance i, fmi##State *state)                                               \
    {                                                                                                        \
        return (fmi##Status)tmli_instance_get_state(i, __func__, state);                                     \
    }                                                                                                        \
    fmi##Status fmi##Set##State(instance i, fmi##State state)                                                \
    {                                                                                                        \
        return (fmi##Status)tmli_instance_set_state(i, __func__, state);                                     \
    }                                                                                                        \
    fmi##Status fmi##Free##State(instance i, fmi##State *state)                                              \
    {                                                                                                        \
        return (fmi##Status)tmli_instance_free_state(i, __func__, state);                                    \
    }                                                                                                        \
    fmi##Status fmi##Serialized##State##Size(instance i, fmi##State state, size_t *size)                     \
    {                                                                                                        \
        return (fmi##Status)tmli_instance_state_size(i, __func__, state, size);                              \
    }                                                                                                        \
    fmi##Status fmi##Serialize##State(instance i, fmi##State state, fmi##Byte bytes[], size_t size)          \
    {                                                                                                        \
        return (fmi##Status)tmli_instance_write_state(i, __func__, state, bytes, size);                      \
    }                                                                                                        \
    fmi##Status fmi##Deserialize##State(instance i, const fmi##Byte bytes[], size_t size, fmi##State *state) \
    {                                                                                                        \
        return (fmi##Status)tmli_instance_read_state(i, __func__, bytes, size, state);                       \
    }

#endif
