// A multibody model in joint coordinates: the same equations with fewer unknowns.
//
// A spanning tree over the bodies is rooted in the ground. The tree joint between a body and its parent has
// only its own motion as coordinates (angles, distances, a quaternion) and no constraint rows. Loop-closing
// joints remain constraints, and so do distances, gears, racks and drivers. See docs/theory/joints.md.
#ifndef TMLI_SYSTEM_JOINT_SPACE_JOINT_SPACE_H
#define TMLI_SYSTEM_JOINT_SPACE_JOINT_SPACE_H

#include "base/base.h"
#include "element/force/force.h"
#include "math/math3.h"
#include "model/model.h"
#include <stdbool.h>
#include <trammel/system.h>

/** True if sys is the system of a model as made by tml_model_build, the only kind that has joints, and joint
 * coordinates may be taken unasked: not with rows at velocity level. */
bool tmli_joint_space_possible(const tml_system *sys);

/** The model's equations in joint coordinates. matrix: assemble will be called; without it the pattern is
 * diagonal, which saves time and memory for large trees. most_work: operations that the equations of the
 * loops may take in an evaluation of the accelerations; TML_ERR_MODEL if they take more. base is borrowed and
 * must outlive the system; end with tml_system_destroy. */
tml_status tmli_joint_space_create(const tml_system *base, bool matrix, double most_work, tml_system **out,
                                   tml_error *err);

/** The same with a matrix, without the rows of limits and of friction that sticks, and with the first body of
 * those that nothing holds to the ground as the free one: for queries, not for integration. */
tml_status tmli_joint_space_create_unswitched(const tml_system *base, tml_system **out, tml_error *err);

/** Plan the matrix of a system that was created without one, before its first workspace. */
tml_status tmli_joint_space_add_matrix(tml_system *sys, tml_error *err);

/** Find the schedule of all block solvers that are created later. Does nothing without a matrix. */
tml_status tmli_joint_space_share_schedule(tml_system *sys, tml_error *err);

/** q (nq) with all joints at zero: no angle, no distance. */
void tmli_joint_space_zero(const tml_system *sys, double *q);

/** *least: the smallest inertia of a coordinate that the other coordinates of the tree cannot relieve
 * (articulated inertia), relative to the inertia that moves with it alone, at the model's start; 0: a
 * coordinate moves nothing with inertia, and `accelerate` fails. Of large trees only the latter is found, and
 * *least is 1 otherwise. It is computed once. */
tml_status tmli_joint_space_least_inertia(tml_system *sys, double *least, tml_error *err);

/** y (joint coordinates) of x (base): q, u, udot, multipliers of the loops, angles and modes. work: of
 * create_work. TML_ERR_MODEL: x does not satisfy a tree joint, which is named. */
tml_status tmli_joint_space_from_base(const tml_system *sys, void *work, const tml_state *x, tml_state *y,
                                      tml_error *err);
/** x (base) of y (joint coordinates). Multipliers of tree joints are not known here and become 0. */
void tmli_joint_space_to_base(const tml_system *sys, void *work, const tml_state *y, tml_state *x);
/** y, which nearly satisfies the loops: coordinates and velocities on them, udot and multipliers by the
 * forces. False: this is not possible here (rows that come and go, a configuration near a singular one); then
 * y is undefined. */
bool tmli_joint_space_settle(const tml_system *sys, void *work, tml_state *y);
/** x (base) of the settled y, with the multipliers of all joints. False: they cannot be found. */
bool tmli_joint_space_complete(const tml_system *sys, void *work, const tml_state *y, tml_state *x);
/** What tmli_joint_space_to_base remembers: the quaternions of a state are those nearer to the last one. */
void tmli_joint_space_archive(const tml_system *sys, void *work, tml_archive *a);

// ---- queries (queries.c) ----------------------------------------------------------------------------------

/** A velocity coordinate. */
typedef struct tmli_joint_space_coordinate {
    int node;         // the body that it moves first
    int constraint;   // joint of the model; -1: the body moves freely
    int use;          // measure of the model that is this coordinate; -1: none
    bool slide;       // a distance, else an angle
    int component;    // among the distances or the angles of its joint
    int q;            // its number in q, or the first of its quaternion
    bool quaternion;  // a component of the angular velocity of a ball, in axes of the body
} tmli_joint_space_coordinate;
tmli_joint_space_coordinate tmli_joint_space_find_coordinate(const tml_system *sys, int j);
/** M, D and K (n x n, by columns) at x; NULL: not wanted. The system has a matrix. */
tml_status tmli_joint_space_parts(const tml_system *sys, void *work, const tml_state *x, double *M, double *D,
                                  double *K, tml_error *err);
/** Forces along the coordinates at x, each (n), NULL: not wanted. bias: those of the inertia at udot = 0 and
 * of gravity, on the side of M udot; forces: those of all force elements, on the other side. */
void tmli_joint_space_loads(const tml_system *sys, void *work, const tml_state *x, double *bias,
                            double *forces);
/** Pose of a node (-1: ground) at q. */
void tmli_joint_space_pose(const tml_system *sys, void *work, const double *q, int node, tmli_pose *out);
/** J (6 x n, by rows): velocity of a point of a node, in its axes from its centre of mass, and angular
 * velocity, world axes, are J u; rate: its derivative by time at u. */
void tmli_joint_space_jacobian(const tml_system *sys, void *work, const tml_state *x, int node, vec3 point,
                               double *J, double *rate);

/** Visit the points of contact of force i of the model at x (tmli_force_ops.points); none if it has none. */
void tmli_joint_space_visit_points(const tml_system *sys, void *work, const tml_state *x, int i,
                                   tmli_point_visit *visit, void *user);

/** Sizes of the tree, for reports: bodies, depth, loops and their rows. */
typedef struct tmli_joint_space_info {
    int bodies, depth, loops, rows;
} tmli_joint_space_info;
tmli_joint_space_info tmli_joint_space_describe(const tml_system *sys);

#endif
