// The list of an archive, resources/unit.json: files of the model and names of the variables.
//
//   {"format": 1, "token": "{...}", "files": [{"path": "car.yaml", "file": "model/car.yaml"}, ...],
//    "inputs": ["steer"], "outputs": ["chassis.x"], "parameters": [{"name": "k", "set": "2*pi"}, ...]}
//
// path: by which the model names the file, relative to the folder resources/model; the first is the model
// itself. Meshes are read from there and are not in the list. set: an expression in place of that of the
// file, absent if there is none.
#ifndef TMLI_FMU_LIST_H
#define TMLI_FMU_LIST_H

#include "base/base.h"

#include <trammel/spec.h>

enum { TMLI_FMU_FORMAT = 1, TMLI_FMU_CATEGORIES = 3 };
/** Categories of messages: warnings, refusals, errors. */
#define TMLI_FMU_CATEGORY_NAMES                                  \
    {                                                            \
        "logStatusWarning", "logStatusDiscard", "logStatusError" \
    }

typedef struct tmli_fmu_list {
    tmli_arena arena;
    const char *token;
    tml_source *source;  // (sources) files of the model
    int sources;
    const char **input, **output, **parameter;
    const char **set;  // (parameters) NULL: as in the model
    int inputs, outputs, parameters;
} tmli_fmu_list;

/** Read the list and the files of a folder. The caller clears it, also after an error. */
tml_status tmli_fmu_list_read(tmli_fmu_list *l, const char *folder, tml_error *err);
void tmli_fmu_list_clear(tmli_fmu_list *l);

#endif
