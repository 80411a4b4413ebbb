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

/** The tables of rigid contacts, without and with friction. */
extern const tmli_force_ops tmli_force_rigid, tmli_force_rigid_friction;
/** A point of a rigid contact: its gap is a measure between two nodes, less the offset [m]. */
typedef struct tmli_rigid_point {
    tmli_measure measure;
    int node[2];  // -1: ground
    double offset;
    double radius;         // of the surface of the second about its point [m]
    vec3 tangent[2];       // over a plane: along it, frame of its body
    const char *shape[2];  // names
    bool on_first;         // results have the force on the first node
} tmli_rigid_point;
/** Its type, with or without friction. */
const tmli_force_ops *tmli_contact_rigid_type(const tml_contact_def *d);
/** True if its points are constraints: it is rigid, and its impacts are located. */
bool tmli_contact_has_rows(const tml_spec *spec, const tml_contact_def *d);
/** Number of its rows of constraints: for each point one along the normal and those of friction. 0: it has
 * none. */
int tmli_contact_rigid_count(const tml_spec *spec, const tml_contact_def *d);
/** Rows of friction per point: 0 without it, 1 in planar models, 2 in space. */
int tmli_contact_rigid_tangents(const tml_spec *spec, const tml_contact_def *d);
/** The velocity of slip of a point along tangent k. */
tmli_measure tmli_contact_rigid_slip(const tmli_rigid_point *p, int k);
/** Its points (tmli_contact_rigid_count), in the arena of the model. */
tml_status tmli_contact_rigid_points(const tmli_force_builder *b, const tmli_contact_entry *e, int *count,
                                     tmli_rigid_point **out);
tml_status tmli_contact_rigid_build(const tmli_force_builder *b, const tmli_contact_entry *e, tmli_force *f);

#endif
