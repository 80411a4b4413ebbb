// Thresholds of height fields; see base/constants.h.
#ifndef TMLI_ELEMENT_TERRAIN_CONSTANTS_H
#define TMLI_ELEMENT_TERRAIN_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// Steps of Newton's method for the foot of a point, at most, and halvings of one of them. Origin: from the
// point below it takes 3 to 6, from a node of the grid up to 12.
#define ITERATIONS TMLI_HALVINGS
TMLI_COUNT(HALVINGS, 30)

// [-] Step, in cells, below which the foot is found, and below which a step is taken without a look at the
// distance, whose change is less than its round-off. Origin: 1e-5 squared is 1e-10; Newton's method squares
// the error of a step.
#define CONVERGED TMLI_SUM_ROUNDOFF
TMLI_CONSTANT(SHORT_STEP, 1e-5)

// [-] Distance of two feet, in cells, at which they are one. Origin: feet are found to 1e-13; two minima are
// not nearer than a part of a cell.
#define SAME_FOOT TMLI_UNSEEN

// Nodes on each side of a point among which its feet are looked for; if there are more, some are left out.
// Origin: a sphere that is 12 cells wide is searched completely.
TMLI_COUNT(SEARCHED_NODES, 6)

#endif
