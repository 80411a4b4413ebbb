// The entry of a contact while its set is built.
#ifndef TMLI_ELEMENT_CONTACT_NAMING_H
#define TMLI_ELEMENT_CONTACT_NAMING_H

#include "element/contact/set.h"

/** Texts of one contact for messages. */
typedef struct tmli_naming {
    const tmli_force_builder *b;
    const tmli_contact_entry *e;
} tmli_naming;

/** True if the shape or its group has the name. */
bool tmli_shape_is_named(const tml_shape_def *d, const char *name);
/** Height fields: an error names what starts below one, a warning what starts beyond the edges of all. */
tml_status tmli_contact_check_fields(const tmli_naming *n, const tmli_contact_set *c);

#endif
