// What reports as JSON have in common.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "base/json.h"

/** Begin a report: its outermost object with the members trammel, command, model (NULL: none), status,
 * exit_status and error (NULL: none). The caller closes the object. */
tmli_json cli_json_begin(FILE *out, const char *command, const char *model, tml_status st, int exit_status,
                         const tml_error *err);

#endif
