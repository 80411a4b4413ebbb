// A model file that is read many times with other values of its parameters: its syntax is read once.
#ifndef TMLI_IO_PARSED_H
#define TMLI_IO_PARSED_H

#include "base/base.h"
#include <trammel/spec.h>

/** The nodes of a model file and of those it includes. They do not change: threads may share them. */
typedef struct tmli_parsed tmli_parsed;

/** Parse the files. def->sources are borrowed and must outlive *out; def->parameters are not used. */
tml_status tmli_parsed_create(const tml_read_def *def, const tml_env *env, tmli_parsed **out, tml_error *err);
void tmli_parsed_destroy(tmli_parsed *p);  // accepts NULL
/** As tml_spec_read_def with these parameters; the spec has no sources of its own, and the nodes must outlive
 * it and its model. */
tml_status tmli_parsed_read(const tmli_parsed *p, const tml_parameter *parameters, int count,
                            const tml_env *env, tml_spec **out, tml_error *err);

#endif
