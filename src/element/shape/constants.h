// Thresholds of contacts; see base/constants.h.
#ifndef TMLI_ELEMENT_SHAPE_CONSTANTS_H
#define TMLI_ELEMENT_SHAPE_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Sine of the angle between two lines below which they are parallel. Origin: at a smaller angle the place
// of nearest approach, which is divided by the square of it, has no digit left.
#define PARALLEL_LINES TMLI_ABOVE_ROOT_ROUNDOFF

// [-] Roundness of the ends of cylinders: radius over that of the curvature of an end. Origin: a cylinder up
// to 50 radii high still stands, and its end is out of flat by 1 % of its radius.
TMLI_SHARE(DOME, 0.02)

// [-] Sine of the angle between two edges at which the force of their crossing is halved. Parallel edges do
// not cross: their ends touch. Origin: edges of bodies that lie on each other are parallel to 0.01; those of
// beams laid across each other are not to 1.
#define PARALLEL_EDGES FACING

// [-] Sine of the angle by which the normal of a crossing may leave the faces of an edge, and by which it may
// not. Origin: bodies that lie flat on each other are within 0.01 rad; between edges that do not face each
// other the angle is 1.
#define FACING TMLI_SMALL_SHARE
TMLI_SHARE(NOT_FACING, 0.3)

// [-] Length over the radius of a cylinder on which its side gives up its force to its end. Origin: on that
// length from the edge of a face the round side of a cylinder across it is 0.005 of the radius away.
#define TAPER TMLI_SMALL_SHARE

// [-] Length over the sum of the roundings on which an edge gives its force up to its corners, and the part
// of half the edge that it is at most. Origin: corners touch edges within the sum of the roundings. Chosen
// among 1, 2 and 4 by 1000 random drops: at 1 one more hung, 2 and 4 ended alike; with (1 - (s/S)^8)^2, which
// is small on a longer part, more bodies sank in where an edge has hardly a force left and its corner none.
TMLI_GROWTH(EDGE_END, 2.0)
TMLI_SHARE(SHORT_EDGE, 0.3)

// [-] Square of the sine of the angle between the axis of a cylinder and the normal of a face, above which it
// lies, and below which it does not. Origin: 10 and 18 degrees; a cylinder that rolls with both rims on a
// face lies within 1 degree.
TMLI_SHARE(LIES, 0.97)
TMLI_SHARE(STANDS, 0.9)

// [-] Depth of the lowest point of a rim in the core of another shape, over the radius or the distance of the
// face from the centre of the core, from which on its force fades; it is 0 at twice that. Origin: contacts
// are less deep (START_OVERLAP of contacts, 0.05); at 1 the opposite face may be as near.
TMLI_SHARE(DEEP_RIM, 0.25)

// [-] Depth of a crossing over the depth of the two cores in each other, above which its force fades. Origin:
// between those that cross along the shortest way out, 1, and others of cubes, 1.4 and more.
TMLI_GROWTH(SHORTEST_WAY, 1.5)

// [-] Least 1 + k L of two curves in contact, with the curvature k of one and the distance L of the centre of
// curvature of the other. Origin: at 0 they fit into each other, and the place of contact is not known.
#define FITTING TMLI_SLIGHT_SHARE

// [-] Greatest radius of curvature of a profile over its size. Origin: with it 8 digits of the gap are left.
#define FLAT TMLI_LOST_DIGITS

// Steps of the search for the place at which profiles touch, at most, and change of its coordinate, in parts
// of a piece, at which it is found. Origin: halving takes 45; the gap changes with the square of the
// coordinate.
#define SEARCH TMLI_HALVINGS
#define FOUND TMLI_SOLUTION_ROUNDOFF

// [-] Distance of two profiles, in parts of their pieces, up to which they are searched for places that
// touch.
// Origin: a place that touches is within one part of both ends of its part; more for overlaps.
TMLI_CONSTANT(SEARCHED, 2)

// [-] Sine of the angle between the normals of two profiles above which a place of least distance is a kink
// of it. Origin: places are found to 1e-12; at a kink the normal jumps by 0.1 and more.
#define KINK TMLI_IMPORTED_ERROR

// Intervals between the circles of a cylinder that touch a height field, at most. Origin: a cylinder 6 cells
// long has one in each.
TMLI_COUNT(CIRCLES, 6)

// [-] Square of the cosine of the angle between the axis of a cylinder and the z axis of a height field,
// below which it lies, and above which it stands. Origin: 27 and 45 degrees; on slopes up to 27 degrees a
// cylinder that rolls has its circles, and up to 45 degrees one that stands has none.
TMLI_SHARE(LIES_ON_FIELD, 0.2)
TMLI_SHARE(STANDS_ON_FIELD, 0.5)

// [-] Radius of a cylinder times the curvature of the hollows of a height field below which circles about its
// axis touch the field. Origin: at 1 a circle fits into a hollow, and its lowest point jumps from side to
// side of it; 0.5 leaves room for curvatures between the nodes.
#define FITTING_CIRCLE TMLI_EVEN_SHARE

// Angles on each side of the lowest one at which the search for the lowest point of a circle looks first, and
// the distance of two of them [rad]. Origin: hollows as wide as the circle are seen; up to 112 degrees, on
// slopes of 67 degrees.
TMLI_COUNT(ANGLES, 5)
TMLI_CONSTANT(SPACING, 0.39)

#endif
