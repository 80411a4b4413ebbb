// The names in use in a spec: a hash table from (name space, name, second name) to the position of the
// definition.
#ifndef TMLI_SPEC_NAMES_H
#define TMLI_SPEC_NAMES_H

#include "spec/spec.h"

typedef struct tmli_taken {
    const char *name, *second;  // borrowed from the spec's arena
    const char *what;           // "body", "joint", ...: a literal
    tml_mark at;
    tmli_name_space space;
    int index;  // among the definitions of its kind
} tmli_taken;

/** The definition with this name; NULL: the name is not in use. second may be NULL. */
const tmli_taken *tmli_names_find(const tml_spec *spec, tmli_name_space space, const char *name,
                                  const char *second);
/** Reserve memory for one more name, so that the next tmli_names_put cannot fail. */
tml_status tmli_names_reserve(tml_spec *spec, tml_error *err);
void tmli_names_put(tml_spec *spec, const tmli_taken *taken);
void tmli_names_destroy(tml_spec *spec);

#endif
