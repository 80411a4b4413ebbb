// Thresholds of the force elements; see base/constants.h.
#ifndef TMLI_ELEMENT_FORCE_CONSTANTS_H
#define TMLI_ELEMENT_FORCE_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Cosine of the angle between the axis of a torsion and that of the joint between its bodies, below which
// the torsion acts across the joint and not at all. Origin: axes that are meant to be perpendicular are so to
// the digits given, three or more.
#define ACROSS_AXIS TMLI_ROUGH_INPUT_ERROR

// [1/s] Speed along a coordinate, in model lengths or rad, below which it is at rest: friction at the start
// of a run and after jumps, rigid limits, comparisons in expressions. Origin: assembled velocities that
// should be 0 are some 1e-16.
#define AT_REST TMLI_SOLUTION_ROUNDOFF

// [1/s] Speed of slip, in model lengths or rad, that is none where it passes zero: of a point of a rigid
// contact along its last direction, and of friction that others move. Origin: what stops passes zero with an
// error of the located state, 1e-9; a point that turns by a right angle, or a driver that a method has not
// followed to its zero, keeps its speed.
#define STOPS TMLI_UNSEEN

// [-] Acceleration of a coordinate held by its stick row, over the size of its terms; over the acceleration
// that the static force gives to the mean mass of the bodies; and over that which the largest multiplier
// gives to the lighter one of its own bodies. A coordinate that others move in spite of the row, such as a
// driver, has an acceleration of the order of its terms. Origin: round-off of the solution, 1e-16 times the
// condition number of the scaled equations, which is at most some 1e6; less where the largest force counts.
#define HELD_ACCELERATION TMLI_UNSEEN
#define HELD_BY_FRICTION TMLI_SOLUTION_ERROR
#define HELD_BY_MULTIPLIERS TMLI_SOLUTION_ROUNDOFF

// [-] Distance from a rigid limit, in model lengths or rad, at which a start touches it; the round-off of
// assembled positions. Origin: assembly ends at some 1e-14.
#define TOUCHES TMLI_SOLUTION_ROUNDOFF

// [-] Round-off of a gap over the distances of its bodies from the origin. Origin: some round-offs, of the
// position of each body and of the points on it, at the start and in the step that ends there.
TMLI_CONSTANT(POSITION_ROUNDOFF, 1e-15)

// [-] Gap of an open unilateral constraint, over the drift of the closed ones, up to which it is an effect of
// that drift. Origin: the difference of two drifts of opposite sign, on a lever of two.
#define DRIFT_REACH TMLI_FOURFOLD

// [-] Way beyond a compliant limit, in model lengths or rad, from which on a start there is a mistake.
// Origin: loads at rest press limits by a hundredth and less; as START_OVERLAP of contacts.
#define START_BEYOND TMLI_START_BEYOND

// [-] Force with which a closed limit may pull, over that which gives the mean mass of the bodies the
// acceleration of gravity (without gravity: one length or rad per s^2). Origin: round-off of the multipliers;
// without it a limit that just rests, without load, would open and close without end.
#define HELD_BY_LIMIT TMLI_SOLUTION_ROUNDOFF

// ---- bushings (bushing.c) ---------------------------------------------------------------------------------

// [rad] Rotation from which on the branch of the rotation vector is held, and the share of it below which it
// is not held any more.
// Origin: a step that turns a bushing by more than the rest to half a turn is rare; two thirds of it are far
// beyond what bushings are made for. The share keeps a vibration about the limit from switching each time.
TMLI_CONSTANT(HELD_ROTATION, 2)
TMLI_SHARE(HELD_SHARE, 0.9)

// [-] Share of the rotation vector below which its component no longer tells the branch, and another one is
// taken. Origin: the largest has at least 0.577; the axis turns by less in a step.
TMLI_SHARE(HELD_COMPONENT, 0.2)

#endif
