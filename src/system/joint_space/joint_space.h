// A multibody model in the coordinates of its joints: the same equations with as few unknowns as a spanning
// tree leaves.
//
// A tree is laid over the bodies, rooted in the ground; the joint between a body and its parent is solved for
// and leaves only its own motion as coordinates (angles, distances, a quaternion). Joints outside the tree
// close loops and stay constraints, and so do distances, gears, racks and drivers. docs/theory/joints.md.
#ifndef TMLI_SYSTEM_JOINT_SPACE_JOINT_SPACE_H
#define TMLI_SYSTEM_JOINT_SPACE_JOINT_SPACE_H

#include "base/base.h"
#include <stdbool.h>
#include <trammel/system.h>

/** True if sys is the system of a model as made by tml_model_build, the only kind that has joints. */
bool tmli_joint_space_possible(const tml_system *sys);

/** The model's equations in joint coordinates. matrix: assemble will be asked for; without it there is no
 * pattern but a diagonal one, which large trees need not pay for. base stays in use; end with
 * tml_system_destroy. */
tml_status tmli_joint_space_create(const tml_system *base, bool matrix, tml_system **out, tml_error *err);

/** q (nq) with all joints at zero: no angle, no distance. */
void tmli_joint_space_zero(const tml_system *sys, double *q);

/** *has: every coordinate moves something with inertia at the model's start; else `accelerate` is of no use.
 */
tml_status tmli_joint_space_has_inertia(const tml_system *sys, bool *has, tml_error *err);

/** y (joints) of x (base): q, u, udot, the multipliers of the rows that stay; angles and modes. work: of
 * create_work. TML_ERR_MODEL: x does not satisfy a joint of the tree, which is named. */
tml_status tmli_joint_space_from_base(const tml_system *sys, void *work, const tml_state *x, tml_state *y,
                                      tml_error *err);
/** x (base) of y (joints). Multipliers of the joints in the tree become 0: they are not known here. */
void tmli_joint_space_to_base(const tml_system *sys, void *work, const tml_state *y, tml_state *x);

/** Sizes of the tree, for reports: bodies, its depth, joints that close loops and their rows. */
typedef struct tmli_joint_space_info {
    int bodies, depth, loops, rows;
} tmli_joint_space_info;
tmli_joint_space_info tmli_joint_space_describe(const tml_system *sys);

#endif
