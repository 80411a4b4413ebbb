// Specs as texts of model files.
#ifndef TMLI_IO_WRITE_H
#define TMLI_IO_WRITE_H

#include "spec/spec.h"

/** The text of a spec; the caller frees it with the environment of the spec. `head` is a comment before it
 * (may be NULL), after which its notes are listed. folder: of the model file, "" or with a '/' at its end;
 * files of shapes in or below it are named as seen from there. Errors: TML_ERR_MODEL (a function of a
 * program), TML_ERR_NOMEM. */
tml_status tmli_yaml_write(const tml_spec *spec, const char *head, const char *folder, char **text,
                           size_t *length, tml_error *err);

#endif
