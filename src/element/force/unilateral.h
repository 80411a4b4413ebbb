// A unilateral constraint with the gap d >= 0 (system contract, restitution): a rigid limit of a coordinate,
// a point of a rigid contact. Its row d' = 0 is at velocity level, and P is what it pushes with.
//   RELEASED (open): no force. STRUCK: d passes zero; an impulse reverses d', d' -> -e d', or ends it
//   (integrate/events/impacts.c). HELD (closed): the row is in force; it opens when P passes zero.
//   event function:   max(d, min(d', max(-d, touch))) when open, P when closed; d' and P with a margin   (1)
//                     for round-off
// d' in (1): after an impact d is zero but for round-off, and the constraint is open while they move apart.
// One of four corners of a box that rests on the other three stays open: its d and d' are round-off. Only the
// sign of (1) decides. Its size is that of d, also where bodies that have met part: a search for short visits
// below zero compares sizes, and d' would hide them, or suspect them everywhere.
#ifndef TMLI_ELEMENT_FORCE_UNILATERAL_H
#define TMLI_ELEMENT_FORCE_UNILATERAL_H

#include "element/force/along.h"
#include "element/force/force.h"

/** What is zero but for round-off. */
typedef struct tmli_unilateral {
    double unit;   // of the gap: a model length, 1 rad
    double rest;   // a speed [m/s or rad/s]
    double touch;  // a gap [m or rad]
} tmli_unilateral;

/** A unilateral constraint at a state. */
typedef struct tmli_unilateral_state {
    double gap, rate, push;  // d, d', P; push: of the closed one
    double error;            // of the gap
    double least;            // a force that is zero but for round-off [N or N m]
} tmli_unilateral_state;

/** Error of the gap along k: round-off of a length, by the distance of its bodies from the origin, and the
 * drift of those that are closed. What is as near as these touches as well: in which order the corners of a
 * box strike that turns about a resting edge must not depend on the errors of the steps. */
double tmli_unilateral_error(const tmli_view *v, const tmli_along *k);
/** Of a constraint along the measure `use`. */
tmli_unilateral tmli_unilateral_of(const tml_model *m, int use);
/** The force of a constraint along the measure `use` that is zero but for round-off [N or N m]. The model is
 * complete. */
double tmli_unilateral_least(const tml_model *m, int use);
/** (1); INFINITY: its mode is not located. */
double tmli_unilateral_event(const tmli_unilateral *u, double mode, const tmli_unilateral_state *s);
/** The mode that follows; all: by the state alone. Returns 1 if it is another one. */
int tmli_unilateral_update(const tmli_unilateral *u, bool all, const tmli_unilateral_state *s, double *mode);

#endif
