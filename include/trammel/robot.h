// A model in the coordinates of its joints, for programs of robots: mass matrix, forces, Jacobians, gradients
// of accelerations, inverse kinematics (docs/robots.md).
//
// The equations at a configuration q and velocities u are
//   M(q) udot + h(q, u) = tau + Q(q, u, t) + B(q)'lambda,    B udot = gamma                               (1)
// h: inertia forces at udot = 0 and gravity; Q: all force elements of the model (springs, dampers, motors,
// contacts, inputs); tau: forces of the caller; B, gamma, lambda: rows of the joints that close loops, of
// drivers and gears, if there are any. Rigid limits and friction that sticks hold nothing here.
//
// Coordinates are those of the joints of a tree over the bodies, parents before children; names say which.
// A revolute or prismatic joint has one, equal to its channel; a body that nothing holds has the position of
// its centre of mass in inertial axes and the quaternion of its axes, scalar first, in q, and the velocity in
// inertial axes and the angular velocity in its own axes in u. A spherical joint has a quaternion and an
// angular velocity in axes of its outer body. Derivatives by q are by small motions in the directions of u: n
// of them, also where q has quaternions. Matrices are row-major.
#ifndef TRAMMEL_ROBOT_H
#define TRAMMEL_ROBOT_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/model.h>
#include <trammel/spec.h>
#include <trammel/system.h>

TML_C_BEGIN

/** A model in joint coordinates, at a state. It belongs to one thread at a time; any number of them may share
 * a model, which must outlive them. */
typedef struct tml_robot tml_robot;

/** Create one, at q with all joints at zero, at rest, with inputs and first-order states as at the start of
 * the model; states are no coordinates, and derivatives are at constant values of them. The caller destroys
 * *out. Errors: TML_ERR_MODEL (rolling, beams with inertia), TML_ERR_NOMEM. */
TML_API tml_status tml_robot_create(const tml_model *model, tml_robot **out, tml_error *err);
TML_API void tml_robot_destroy(tml_robot *robot);  ///< accepts NULL

TML_API int tml_robot_n(const tml_robot *robot);          ///< velocity coordinates
TML_API int tml_robot_nq(const tml_robot *robot);         ///< numbers of q: one more for each quaternion
TML_API int tml_robot_row_count(const tml_robot *robot);  ///< rows of B

/** A velocity coordinate. Texts are borrowed. */
typedef struct tml_robot_coordinate {
    const char *name;     ///< "elbow.angle", "slide.distance"; "base.x", "base.wx" of a free body
    const char *unit;     ///< of the coordinate: "rad", "m"
    int q;                ///< its number in q; of an angular velocity the first one of the quaternion
    bool quaternion;      ///< an angular velocity, whose quaternion is at q
    double lower, upper;  ///< limits of the joint [rad or m]; infinite: none
} tml_robot_coordinate;
TML_API const tml_robot_coordinate *tml_robot_get_coordinate(const tml_robot *robot, int index);

// ---- state ------------------------------------------------------------------------------------------------

/** Take q (nq) and u (n; NULL: at rest). Quaternions are normalized. TML_ERR_ARG: not finite. */
TML_API tml_status tml_robot_set(tml_robot *robot, const double *q, const double *u, tml_error *err);
/** Take time, configuration, velocities, first-order states, inputs and modes of a state of the model
 * (tml_sim_state). TML_ERR_MODEL: a joint is open. */
TML_API tml_status tml_robot_set_state(tml_robot *robot, const tml_state *x, tml_error *err);
/** Set x, a state of the model, to that of the robot: t, q, u, angles, modes and inputs. */
TML_API tml_status tml_robot_get_state(tml_robot *robot, tml_state *x, tml_error *err);
/** Set an input of the model. TML_ERR_ARG: there is none, a value that is not finite. */
TML_API tml_status tml_robot_set_input(tml_robot *robot, int input, double value, tml_error *err);
TML_API const double *tml_robot_q(const tml_robot *robot);  ///< (nq) borrowed
TML_API const double *tml_robot_u(const tml_robot *robot);  ///< (n) borrowed

// ---- dynamics ---------------------------------------------------------------------------------------------

/** M (n x n). */
TML_API tml_status tml_robot_mass_matrix(tml_robot *robot, double *M, tml_error *err);
/** h and Q of (1), each (n); NULL: not wanted. */
TML_API tml_status tml_robot_forces(tml_robot *robot, double *bias, double *forces, tml_error *err);
/** B (rows x n) and gamma (rows); NULL: not wanted. */
TML_API tml_status tml_robot_rows(tml_robot *robot, double *B, double *gamma, tml_error *err);
/** tau (n) = M udot + h - Q: the forces for these accelerations (NULL: 0), with lambda 0. At rest and without
 * udot they are the static ones. */
TML_API tml_status tml_robot_inverse_dynamics(tml_robot *robot, const double *udot, double *tau,
                                              tml_error *err);
/** udot (n) and lambda (rows; NULL: not wanted) of (1) under tau (n; NULL: 0). Rows that depend on others are
 * left out, with lambda 0. TML_ERR_SINGULAR: a coordinate moves nothing with inertia, or loops are near a
 * singular configuration. */
TML_API tml_status tml_robot_accelerations(tml_robot *robot, const double *tau, double *udot, double *lambda,
                                           tml_error *err);
/** Derivatives of these accelerations by q, u and tau, each (n x n); NULL: not wanted. They are exact. */
TML_API tml_status tml_robot_gradients(tml_robot *robot, const double *tau, double *by_q, double *by_u,
                                       double *by_tau, tml_error *err);

// ---- frames -----------------------------------------------------------------------------------------------

/** A frame fixed to a body. */
typedef struct tml_robot_frame {
    int body;         ///< -1: the ground
    double point[3];  ///< its origin from the centre of mass, in axes of the body [m]; ground: inertial frame
    double axes[9];   ///< its axes as columns, in axes of the body
} tml_robot_frame;
/** The frame that a model file calls by this name: "hand", "hand.tip", "ground". spec: that of the model.
 * TML_ERR_NAME: there is none. */
TML_API tml_status tml_robot_find_frame(const tml_spec *spec, const char *name, tml_robot_frame *out,
                                        tml_error *err);
/** Where it is: position (3) in the inertial frame [m], axes (3 x 3) as columns in inertial axes. */
TML_API tml_status tml_robot_pose(tml_robot *robot, const tml_robot_frame *frame, double *position,
                                  double *axes, tml_error *err);
/** J (6 x n): velocity of its origin and angular velocity, inertial axes, are J u; rate (6 x n; NULL: not
 * wanted): the derivative of J by time, so that the accelerations are J udot + rate u. */
TML_API tml_status tml_robot_jacobian(tml_robot *robot, const tml_robot_frame *frame, double *J, double *rate,
                                      tml_error *err);

// ---- contacts ---------------------------------------------------------------------------------------------

/** A point at which shapes of two bodies touch, or would touch if they moved towards each other. */
typedef struct tml_robot_contact {
    const char *name;    ///< of the contact in the model; borrowed
    int body[2];         ///< -1: the ground
    double gap;          ///< [m], negative where they overlap
    double position[3];  ///< half way between the surfaces, inertial frame [m]
    double normal[3];    ///< from the first body to the second, inertial axes
} tml_robot_contact;
/** The points of the contacts of the model whose gap is at most `reach` [m], in the order of the model: their
 * number in *count, and the first `room` of them in `out` (NULL: only the number). Contacts of very many
 * shapes have those alone that nearly touch. */
TML_API tml_status tml_robot_contacts(tml_robot *robot, double reach, tml_robot_contact *out, int room,
                                      int *count, tml_error *err);
/** J (3 x n): the velocity of the second body relative to the first at the point, inertial axes, is J u; the
 * rate of the gap is that along the normal. Forces F on the second body and -F on the first act as J'F. */
TML_API tml_status tml_robot_contact_jacobian(tml_robot *robot, const tml_robot_contact *contact, double *J,
                                              tml_error *err);

// ---- inverse kinematics -----------------------------------------------------------------------------------

/** A frame and where it should be. */
typedef struct tml_robot_target {
    tml_robot_frame frame;
    double position[3];  ///< inertial frame [m]
    double axes[9];      ///< as columns, inertial axes
    double weight;       ///< of the distance [1/m]; 0: the position is free
    double turn_weight;  ///< of the angle [1/rad]; 0: the axes are free
} tml_robot_target;

typedef struct tml_robot_reached {
    int iterations;
    double distance;  ///< largest distance of a frame from its target [m]
    double angle;     ///< largest angle between its axes and theirs [rad]
    double opening;   ///< largest residual of the rows of loops [m or rad]
    bool converged;   ///< at a least sum of squares within the limits
} tml_robot_reached;

/** Move the robot, from where it is, to the q within limits that makes the sum of the squares of weighted
 * distances and angles least, with loops closed; at rest then. lower, upper (n): limits of coordinates, NULL:
 * those of the joints; a start outside of them is moved to them. Not converged is no error: `out` tells.
 * Errors: TML_ERR_ARG (weights, axes), TML_ERR_NOMEM. */
TML_API tml_status tml_robot_reach(tml_robot *robot, const tml_robot_target *targets, int count,
                                   const double *lower, const double *upper, tml_robot_reached *out,
                                   tml_error *err);

TML_C_END
#endif
