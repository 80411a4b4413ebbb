// Pose: position and orientation of frame b relative to frame a, each coordinate a function of time.
//
// x, y, z are the components of d along the axes of a. The angles are those of rotations about the axes of a,
// first roll about x, then pitch about y, then yaw about z, so that the axes of b are the columns of
//   R = Rz(yaw) Ry(pitch) Rx(roll),   R_ij = (axis i of a) . (axis j of b)                               (1)
//     = [ cy cp   cy sp sr - sy cr   cy sp cr + sy sr ]
//       [ sy cp   sy sp sr + cy cr   sy sp cr - cy sr ]
//       [ -sp     cp sr              cp cr            ]
//   yaw = atan2(R_21, R_11),   pitch = asin(-R_31),   roll = atan2(R_32, R_33)                           (2)
// Roll and yaw are counted beyond half a turn; pitch stays within a quarter turn to either side. At its ends
// the axes of roll and yaw coincide, and the rows of the three angles become dependent.
#include "element/joint/joint.h"

static void pose(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b, tmli_joint_rows *out)
{
    static const char *const names[6] = {"x", "y", "z", "roll", "pitch", "yaw"};
    static const char *const rates[6] = {"x_rate", "y_rate", "z_rate", "roll_rate", "pitch_rate", "yaw_rate"};
    const tmli_measure measure[6] = {tmli_measure_slide(a, b, 0),   tmli_measure_slide(a, b, 1),
                                     tmli_measure_slide(a, b, 2),   tmli_measure_angle(a, b, 2, 1, 2, 2),
                                     tmli_measure_tilt(a, 2, b, 0),  // (2)
                                     tmli_measure_twist(a, b)};
    for (int k = 0; k < 6; k++) {
        tmli_joint_add_coord(out, names[k], rates[k], k < 3 ? "m" : "rad", measure[k]);
        if (!def->pose[k]) continue;
        tmli_joint_add_row(out, measure[k]);
        if (measure[k].kind == TMLI_ANGLE) out->term[out->nterms - 1].coord = k;
    }
}

const tmli_joint_ops tmli_joint_pose = {
    .rows = pose,
    .uses = {TMLI_USES_POINT | TMLI_USES_ALL_AXES, TMLI_USES_POINT | TMLI_USES_ALL_AXES},
    .planar_direction = TMLI_Z_NORMAL,
    .dependent = true,
    .moved = true,
};
