// Joints that act on coordinates of other joints: gear, rack, driver. model/build makes their rows.
#include "element/joint/joint.h"

const tmli_joint_ops tmli_joint_gear = {.role = TMLI_JOINT_COUPLER, .start_target = true};
const tmli_joint_ops tmli_joint_rack = {.role = TMLI_JOINT_COUPLER, .start_target = true};
const tmli_joint_ops tmli_joint_driver = {.role = TMLI_JOINT_MOTION};
