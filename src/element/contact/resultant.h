// The contact forces of results (resultant.c).
#ifndef TMLI_ELEMENT_CONTACT_RESULTANT_H
#define TMLI_ELEMENT_CONTACT_RESULTANT_H

#include "element/contact/contact.h"

/** The sum of the forces of a pair. */
typedef struct tmli_resultant {
    double gap;    // the least [m]
    vec3 nearest;  // its place [m]
    vec3 pressed;  // sum of N_i p_i [N m]
    double N;      // sum of the normal forces [N]
    vec3 normal, friction;
} tmli_resultant;

tmli_resultant tmli_resultant_none(void);
/** Add a point of the pair with its forces on one of the two. */
void tmli_resultant_add(tmli_resultant *r, double gap, vec3 point, vec3 normal, vec3 friction);
/** sign: 1, or -1 for the force on the other of the two. */
tmli_contact_force tmli_resultant_force(const tmli_resultant *r, double sign);

/** Names of the two shapes of pair i of a contact. */
typedef void tmli_pair_names(const tmli_force *f, int i, const char *shape[2]);
/** Give f the contact forces of `count` pairs, if they are not too many for a file. */
tml_status tmli_resultant_name(const tmli_force_builder *b, tmli_force *f, int count,
                               tmli_pair_names *names_of);

#endif
