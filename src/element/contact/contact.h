// Contacts between shapes as forces of a model.
#ifndef TMLI_ELEMENT_CONTACT_CONTACT_H
#define TMLI_ELEMENT_CONTACT_CONTACT_H

#include "element/force/force.h"

/** The table of contacts, which have a section of their own in model files. */
extern const tmli_force_ops tmli_force_contact;
/** Build the set of shapes of a contact; first_state: index of its first bristle among the states. */
tml_status tmli_contact_set_build(const tmli_force_builder *b, const tmli_contact_entry *e, int first_state,
                                  tmli_force *f);
/** Number of its bristles, which are first-order states. */
int tmli_contact_bristle_count(const tml_spec *spec, const tml_contact_def *d);

#endif
