// Thresholds of the contacts of a model; see base/constants.h.
#ifndef TMLI_ELEMENT_CONTACT_CONSTANTS_H
#define TMLI_ELEMENT_CONTACT_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Speed of impacts, over that of a fall by the model length, below which the damping of Hunt and Crossley
// grows no more. Origin: a fall by 1e-6 model lengths; slower ones are not seen, and the damping of a
// contact at rest would be stiff without end.
#define SLOW_IMPACT TMLI_NEGLIGIBLE_SHARE

// [-] Depth of two shapes in each other at the start, over the size of the smaller, above which a warning
// names them. Origin: contacts at rest are less than 0.01 deep, else their stiffness is no model of a body.
#define START_OVERLAP TMLI_START_BEYOND

// [-] The same at the end of a run. Origin: soft soles of models at rest are 0.06 deep; boxes caught in each
// other 0.13 and more.
#define SUNK (2 * START_OVERLAP)

// [-] Depth of a point of a mesh in its hull, over the size of the mesh, above which a warning says that it
// is not convex. Origin: holes and letters on a face of machine parts are that deep.
TMLI_SHARE(HOLLOW, 0.02)

// [-] How far the surface of a height field leaves the range of its heights, over that range, above which a
// warning says so. Origin: that of tables.
#define OVERSHOOT TMLI_SLIGHT_SHARE

// Number of points of contact of a contact up to which its pairs are listed: each has a mode, and all bodies
// are coupled in the matrix. Origin: 27 spheres in a box, 486 points, took longer per step with a list than
// 54 by cells.
TMLI_COUNT(LISTED_POINTS, 200)

// [-] Size of a shape over the mean of a contact above which it is tested against all others, not by cells.
// Origin: cells 4 times as wide hold 64 times as many shapes.
#define LARGE_SHAPE TMLI_FOURFOLD

// [-] Skin of a list of near shapes over the width of the largest shape. Origin: 216 spheres that settle move
// by half of it in some 20 steps; the list is then twice as long as that of the pairs that touch.
#define NEAR_SKIN TMLI_SMALL_SHARE

// Partners with smaller numbers for which a list of near shapes has room, per shape on average. Origin:
// spheres of one size have 6 that touch, and 9 within the skin; sizes differ by up to LARGE_SHAPE.
TMLI_COUNT(PARTNERS, 32)

// Number of shapes of a contact up to which each pair is checked when the model is built. Origin: two million
// pairs take a tenth of a second.
TMLI_COUNT(CHECKED_SHAPES, 2000)

// [-] How much farther apart two boxes must be along the normal of their edges, or of a face of the second,
// than along that of a face of the first, over half an edge, for it to be the normal of their contact.
// Origin:
// boxes at rest on each other are that far from parallel, and keep their face.
TMLI_SHARE(FACE_PREFERENCE, 0.005)

// [-] Sine of the angle of two edges below which they have no normal of their own. Origin: those of faces are
// as near to it.
TMLI_SHARE(PARALLEL_EDGES, 1e-4)

// [-] Gap up to which shapes that do not move are near enough to be pushed into each other within a step,
// over the radius of the smaller. Origin: heaps of spheres at rest, pushed by one that falls.
#define CAPTURE_SLACK TMLI_SLIGHT_SHARE

// Pairs of small shapes for which a captured contact has room, per shape on average. Origin: spheres of one
// size have 6 that touch, and up to 9 within reach.
#define CAPTURED_PARTNERS (PARTNERS / 2)

#endif
