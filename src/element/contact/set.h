// The shapes of a contact of the model and their pairs.
//
// A contact with few pairs lists them: each point of contact has a mode, so that steps end where it opens or
// closes. A contact with many finds those that are near (near.h); its points have no modes, and
// its nodes are not coupled in the matrix.
#ifndef TMLI_ELEMENT_CONTACT_SET_H
#define TMLI_ELEMENT_CONTACT_SET_H

#include "element/contact/contact.h"
#include "element/law/kernel.h"

/** Two shapes that may touch, in the order of their type. */
typedef struct tmli_contact_pair {
    const tmli_pair_type *type;
    int shape[2];
    int modes;    // one per point, or
    bool shared;  // one for all
    int first;    // index of its first mode among all, and half of its first bristle
} tmli_contact_pair;

typedef struct tmli_contact_set {
    int nshapes;
    tmli_shape *shape;
    int *slot;        // (nshapes) slot of its body; -1: ground
    int *side;        // (nshapes) bit 0: it is in a, bit 1: in b
    bool one_group;   // the shapes of a touch each other
    bool swept;       // pairs are not listed
    double cell;      // swept: width of the cells [m]
    bool small_meet;  // swept: small shapes touch each other, not only large ones
    int nlarge;       // swept: planes and shapes that are much larger than the others come first
    int npairs;
    tmli_contact_pair *pair;
    int nmodes;           // of all pairs
    int first_bristle;    // slot of the first bristle; -1: none
    tmli_normal_law law;  // k NAN: by Young's moduli; c, D: given or
    double zeta;          // by the restitution, (2) of normal.h; 0: none
    tmli_tangential_law tangential;
} tmli_contact_set;

/** A point of contact at a state. */
typedef struct tmli_contact_here {
    tmli_contact_point point;
    tmli_normal_law law;
    tmli_contact_state state;
    int slot[2];  // of X and Y; -1: ground
    int bristle;  // slot of the first bristle; -1: none
    int mode;     // index among the modes of the force
    bool shared;  // of all points of the pair
} tmli_contact_here;

typedef void tmli_contact_visit(const tmli_contact_here *here, void *user);

/** The shapes that a contact names. */
tml_status tmli_contact_set_shapes(const tmli_force_builder *b, const tmli_contact_entry *e,
                                   tmli_contact_set *c);
/** Large shapes first: planes, and those beyond which cells would be too wide for the others. */
void tmli_contact_set_sort(tmli_contact_set *c);
/** Name of a type of shape. */
const char *tmli_shape_type_name(tml_shape_type type);
/** Number of modes of all pairs, before names are checked; more than LISTED_POINTS are not counted. */
int tmli_contact_mode_count(const tml_spec *spec, const tml_contact_def *d);

/** Visit the points of contact; near: only those that may touch, as of contacts with many pairs in any case.
 * The law and the motion of the bodies in `state` are set, its results are not. */
void tmli_contact_set_visit(const tmli_force *f, const tmli_view *v, bool near, tmli_contact_visit *visit,
                            void *user);
/** True if two shapes are a pair: they are on different bodies, and the contact names both. */
bool tmli_contact_set_is_pair(const tmli_contact_set *c, int i, int j);
/** Of two shapes the one on which results have the force: that of b, or the later one of a group; the other
 * if it belongs to the ground. */
int tmli_contact_set_loaded(const tmli_contact_set *c, int i, int j);
/** Bytes of scratch memory of a contact with many pairs. */
size_t tmli_contact_set_scratch(const tmli_contact_set *c);

/** Distance of the spheres around two shapes of a pair, or of plane and sphere [m]: at most their gap. */
double tmli_contact_bound_distance(const tmli_view *v, const tmli_shape *a, const tmli_shape *b);
/** The points of contact of a pair at a state; returns their number, p->modes if each has its mode. */
int tmli_contact_pair_points(const tmli_contact_set *c, const tmli_view *v, const tmli_contact_pair *p,
                             tmli_contact_here here[TMLI_PAIR_POINTS]);

/** Law of the normal force between two shapes. */
tmli_normal_law tmli_contact_set_law(const tmli_contact_set *c, const tmli_shape *a, const tmli_shape *b);

#endif
