// Archives of units of co-simulation (FMI 2.0 and 3.0): description, library, files of the model. What the
// library in the archive reads is in fmu/unit/list.h.
#ifndef TMLI_FMU_WRITE_H
#define TMLI_FMU_WRITE_H

#include "base/base.h"

#include <trammel/sim.h>
#include <trammel/spec.h>

/** A library of the unit, for one kind of machine. */
typedef struct tmli_fmu_binary {
    const char *folder;  // in `binaries`: "linux64", "x86_64-linux"
    const char *path;
} tmli_fmu_binary;

typedef struct tmli_fmu_def {
    int fmi;                 // 2 or 3
    const char *identifier;  // letters, digits and '_': name of the libraries in the archive
    const char *name;        // of the model
    const tml_spec *spec;
    const tml_sim *sim;        // of the model of the spec, at its start
    const bool *chosen;        // (channels of sim) outputs
    const tml_parameter *set;  // (set_count) expressions in place of those of the file
    int set_count;
    const tmli_fmu_binary *binary;  // (binary_count)
    int binary_count;
} tmli_fmu_def;

/** What was written. */
typedef struct tmli_fmu_counts {
    int inputs, outputs, parameters, files;
} tmli_fmu_counts;

tml_status tmli_fmu_write(const tmli_fmu_def *def, const char *path, const tml_env *env, tmli_fmu_counts *out,
                          tml_error *err);

// ---- within the room --------------------------------------------------------------------------------------

typedef enum tmli_fmu_role {
    TMLI_ROLE_TIME,
    TMLI_ROLE_INPUT,
    TMLI_ROLE_OUTPUT,
    TMLI_ROLE_PARAMETER
} tmli_fmu_role;

/** A variable; its place in the list is its reference. */
typedef struct tmli_fmu_variable {
    tmli_fmu_role role;
    const char *name;  // in the description: unique
    const char *own;   // in the model
    const char *unit;  // NULL: none
    double start;      // NAN: none
} tmli_fmu_variable;

typedef struct tmli_fmu_variables {
    tmli_fmu_variable *item;
    int count;
    int inputs, outputs, parameters;
} tmli_fmu_variables;

/** The variables of a unit, in the order of their references. Memory is that of the arena. */
tml_status tmli_fmu_variables_list(const tmli_fmu_def *def, tmli_arena *arena, tmli_fmu_variables *out,
                                   tml_error *err);
/** modelDescription.xml; the caller frees *text with env. */
tml_status tmli_fmu_describe(const tmli_fmu_def *def, const tmli_fmu_variables *v, const char *token,
                             const tml_env *env, char **text, size_t *size, tml_error *err);

#endif
