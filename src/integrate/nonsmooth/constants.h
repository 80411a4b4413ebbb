// Thresholds of time stepping with captured contacts; see base/constants.h.
#ifndef TMLI_INTEGRATE_NONSMOOTH_CONSTANTS_H
#define TMLI_INTEGRATE_NONSMOOTH_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Residual of the contact problem over the change of velocity that contacts demand in a step. Origin: a
// heap of 1000 spheres meets it with 55 sweeps per step; small islands are solved more closely.
#define CONTACT_TOLERANCE TMLI_SLIGHT_SHARE

// Halvings of a step in which the contact problem is not solved to the bound. Origin: smaller steps demand
// smaller changes, and bodies that are apart for longer; a sixteenth of a step that fails is a case for the
// user.
#define MOST_HALVINGS TMLI_FEW

// Impacts one after the other within a step; later ones are without restitution. Origin: a row of 30 balls
// passes a blow on in as many.
TMLI_COUNT(MOST_ROUNDS, 40)

// Sweeps for the friction of the expansion of an impact. Origin: a point alone needs one, a box four.
TMLI_COUNT(EXPANSION_SWEEPS, 10)

// [-] Gap that is round-off, over that of the length of the model. Origin: stacks of ten boxes at rest
// have 1.
#define GAP_ROUNDOFF TMLI_ULPS

// Sweeps that remove depths after a step. Origin: 1000 spheres that fall on
// each other have depths of 1.2e-3 radii at most.
#define POSITION_SWEEPS TMLI_FEW

// Updates of points in further ones, for few points. Origin: a box between two others needs some 50.
#define POSITION_UPDATES TMLI_SEARCH_PARTS

// [-] Change of gaps in a sweep, over the largest depth, at which depths are removed. Origin: what remains is
// removed in the next step.
#define POSITION_CHANGE TMLI_NEGLIGIBLE_SHARE

// Numbers of the answers of points in coupled coordinates for which there is room. Origin: 160 megabytes.
TMLI_COUNT(MOST_ANSWERS, 20000000)

// [-] Energy that an impact may gain by Newton's law over the energy of its contacts, before Poisson's law
// replaces it. Origin: round-off and the tolerance of the contact problem.
#define IMPACT_GAIN TMLI_SOLUTION_ERROR

#endif
