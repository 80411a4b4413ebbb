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

// ---- rigid contacts (rigid.c) -----------------------------------------------------------------------------

/** The table of rigid contacts. */
extern const tmli_force_ops tmli_force_rigid;
/** A point of a rigid contact: its gap is a measure between two nodes, less the offset [m]. */
typedef struct tmli_rigid_point {
    tmli_measure measure;
    int node[2];  // -1: ground
    double offset;
    const char *shape[2];  // names
} tmli_rigid_point;
/** Number of its points; each has a row of constraints. 0: the contact is compliant. */
int tmli_contact_rigid_count(const tml_spec *spec, const tml_contact_def *d);
/** Its points (tmli_contact_rigid_count), in the arena of the model. */
tml_status tmli_contact_rigid_points(const tmli_force_builder *b, const tmli_contact_entry *e, int *count,
                                     tmli_rigid_point **out);
tml_status tmli_contact_rigid_build(const tmli_force_builder *b, const tmli_contact_entry *e, tmli_force *f);

#endif
