// Thresholds of meshes and parts; see base/constants.h.
#ifndef TMLI_PART_CONSTANTS_H
#define TMLI_PART_CONSTANTS_H

#include "base/constants.h"
#include "base/tolerances.h"

// [-] Difference of entries (i, j) and (j, i) of a matrix, relative to the root of the product of their
// diagonal entries, above which it is not symmetric.
// Origin: programs write five to eight digits. Larger would accept unsymmetric matrices of follower loads.
#define SYMMETRY TMLI_IMPORTED_ERROR
// [-] Force by which a mesh resists rigid motion, relative to the terms that a positive matrix of the same
// diagonal can have, above which it is not free.
// Origin: matrices with five to eight digits leave 1e-5 to 1e-8; a support or a spring to the ground gives
// 1e-2 to 1.
#define RIGID_FORCE TMLI_DATA_SHEET_ERROR
// [-] Mass of a shape relative to the largest one below which it is massless: it is no mode.
// Origin: round-off of the sums, some hundred times.
#define MASSLESS_SHAPE TMLI_SUM_ROUNDOFF
// [-] Change of the squares of frequencies in an iteration below which they have converged.
// Origin: round-off of the shapes is amplified by the condition of the stiffness matrix.
#define MODE_CHANGE TMLI_SOLUTION_ROUNDOFF
// [-] Largest translation of a mode over its largest rotation times the size of the part, below which its
// amplitude counts rotations.
// Origin: bending of slender parts has 0.1 to 1, torsion round-off.
#define TORSION TMLI_NEGLIGIBLE_SHARE
// [-] Relative difference of translations of a mode within which the first of them counts as the largest.
// Origin: far above round-off, so that the sign of a mode does not depend on it.
#define ALIKE TMLI_INPUT_ERROR
// [-] Frequency of the deformation of a load over the lowest one of the part, below which the load is soft.
// Origin: what geometric stiffness counts twice is the square of its inverse. Along a rod it is 1.5 times the
// slenderness; across it, 1 to 2.
#define SOFT_LOAD TMLI_FOURFOLD

#endif
