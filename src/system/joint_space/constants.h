// Thresholds of the system in joint coordinates; see base/constants.h.
#ifndef TMLI_SYSTEM_JOINT_SPACE_CONSTANTS_H
#define TMLI_SYSTEM_JOINT_SPACE_CONSTANTS_H

#include "base/constants.h"

// ---- which joints can be tree joints ----------------------------------------------------------------------

// [-] Configurations at which the rows of a joint and its counted angles are checked against the coordinates.
// Origin: chosen by trial on the bundled models.
TMLI_COUNT(CHECKED_CONFIGURATIONS, 3)
// [model lengths or 1] Residual up to which a row of a joint holds for given joint coordinates.
// Origin: chosen by trial on the bundled models; far above round-off, far below the residuals of a wrong
// axis.
TMLI_CONSTANT(ROW_RESIDUAL, 1e-10)
// [-] Components out of the plane up to which axes and rotations of a planar model lie in the plane.
// Origin: chosen by trial on the bundled models; far above round-off, far below the components of a wrong
// axis.
TMLI_CONSTANT(OUT_OF_PLANE, 1e-9)
// [rad] Difference up to which a counted angle of the model is the joint's coordinate.
// Origin: chosen by trial on the bundled models; far above round-off of the measures.
TMLI_CONSTANT(SAME_ANGLE, 1e-10)

// ---- states -----------------------------------------------------------------------------------------------

// [model lengths or rad] Error of a tree joint up to which a state of the model is converted.
// Origin: assembly errors of mechanisms whose redundant joints have rounded dimensions.
TMLI_CONSTANT(TREE_JOINT_ERROR, 3e-5)

// ---- accelerations ----------------------------------------------------------------------------------------

// [1/kg, 1/(kg m^2)] Inverse of the articulated inertia from which a coordinate moves nothing with inertia.
// Origin: close to the largest double; only an inertia that vanishes up to underflow is rejected.
TMLI_CONSTANT(MASSLESS_INVERSE, 1e300)
// [-] Pivot of a row of a loop relative to its diagonal up to which it depends on earlier rows.
// Origin: chosen by trial on the bundled models; above the round-off of the Cholesky factorization of a
// redundant row.
TMLI_CONSTANT(DEPENDENT_PIVOT, 1e-12)
// [-] Multipliers relative to accelerations, in the energy norm and divided by the smallest relative pivot,
// from which the loops are solved a second time with the residual of their rows. Forces in balance leave
// accelerations that are small differences of large numbers.
// Origin: scissor lift of 100 cells, where one refinement takes the relative error of accelerations from 2e-7
// to 1e-12; other models pay less than 1 % of their time (a car at rest 3 %).
TMLI_CONSTANT(REFINED_RATIO, 1e6)

// ---- matrices ---------------------------------------------------------------------------------------------

// [-] Coordinates of a model with loops up to which there is a matrix even if the method needs none: the
// constraint monitor then can find redundant rows.
// Origin: chosen by trial on the bundled models; the dense work arrays take 24 MB at this size.
TMLI_COUNT(MATRIX_COORDINATES, 1000)

#endif
