// Rigid contacts of which the steps capture the impulses, instead of ending at each impact. They have neither
// rows nor modes nor forces of their own: a method asks for their points (docs/theory/captured-contacts.md).
#ifndef TMLI_ELEMENT_CONTACT_CAPTURED_H
#define TMLI_ELEMENT_CONTACT_CAPTURED_H

#include "element/contact/contact.h"
#include "model/captured.h"

/** The table of captured contacts. */
extern const tmli_force_ops tmli_force_captured;
tml_status tmli_captured_build(const tmli_force_builder *b, const tmli_contact_entry *e, tmli_force *f);
/** Most points that a contact may have at once; 0: it is none. */
int tmli_captured_room(const tmli_force *f);
/** The points that may touch within h [s] from the state on, in ascending order; returns their number, or
 * -1 if there are more than `room`. index: of the contact, in the names of its pairs. */
int tmli_captured_points(const tmli_force *f, const tmli_view *v, int index, double h,
                         tmli_captured_point *out, int room);

#endif
