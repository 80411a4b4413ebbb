// Shared by the files of the system in joint coordinates: the tree, its loops, scratch memory.
//
// Vectors are in world axes unless a frame is named. Every body has a reference point P, the point of its
// tree joint on it; c = r - P is the vector from P to the centre of mass, l = P - P_parent the vector from
// the parent's reference point. Motions and wrenches of a body are pairs of vectors at P: (velocity of P,
// angular velocity), (force, moment about P).
#ifndef TMLI_SYSTEM_JOINT_SPACE_INTERNAL_H
#define TMLI_SYSTEM_JOINT_SPACE_INTERNAL_H

#include "linalg/block/symbolic.h"
#include "system/joint_space/joint_space.h"
#include "system/joint_space/planar.h"
#include "system/multibody/multibody.h"

/** A tree joint: the motion of a body relative to its parent,
 *   P = P_p + R_p (arm + sum slide_k q_k [+ axis (start + pitch q)])                                (1)
 *   R = R_p exp(axis q) C [exp(axis2 q2)],   BALL: R = R_p R(quaternion)                            (2)
 * Coordinates: translations (slides), then rotations. First-order states move by themselves along x, and are
 * the last ones. */
typedef struct tmli_tree_joint {
    int node, parent;  // child's node of the model; index of the parent's tree joint, -1: ground
    int constraint;    // joint of the model, -1: none, the body moves freely
    int solved;        // its rows 0 .. solved-1 hold by (1) and (2); the others remain constraints
    int depth;         // 1: on the ground
    bool point;        // a point mass or a first-order state: no attitude
    bool state;        // a first-order state: one coordinate, its integral (system/state/first_order.h)
    int nslide;
    vec3 slide[3];  // unit vectors in the parent's frame
    tmli_rotation_kind rotation;
    vec3 axis, axis2;     // unit vectors in the parent's and in the child's frame
    mat3 C, E0, E1, E2;   // exp(axis q) C = E0 + cos q E1 + sin q E2
    int plain;            // C = 1, and the one axis is axis 0, 1 or 2 of the parent's frame; -1: it is not so
    double pitch, start;  // screw [m/rad], [m]; pitch 0: none
    vec3 arm;             // parent's frame [m]
    vec3 origin;          // P in the child's frame, from its centre of mass [m]
    int first, nu;        // velocity coordinates
    int firstq, nqs;      // entries of q
    int counted_angle[3];  // measure of the model equal to the angle about axis [0], axis2 [1]; -1: none
} tmli_tree_joint;

/** A loop: the rows of one constraint that remain, and the tree joints whose coordinates they depend on. */
typedef struct tmli_loop {
    int constraint;
    int keep;          // rows keep .. of the constraint remain
    int first, nrows;  // rows of this system
    int npath;
    int *path;   // (npath) tree joints on the paths to the ground, descending: a child before its parent
    int *up;     // (npath) index of the parent in path, -1: ground
    int *at;     // (npath) first entry of the joint's coordinates in a row
    int *slot;   // (slots of the constraint) index of the node in path
    int width;   // entries of a row
    int offset;  // of its entries (nrows x width) in arrays of all rows' entries
    int schur;   // first row in the Schur complement, in the order of its factorization
} tmli_loop;

/** Two loops whose paths share tree joints: their block of the Schur complement. */
typedef struct tmli_loop_pair {
    int a, b;     // loops, schur of a >= that of b
    int nshared;  // coordinates of tree joints in both paths
    int *shared;  // (3 nshared) their entries in the rows of a and of b, and the coordinate
} tmli_loop_pair;

/** Pairs of bodies that elements couple: 6 x 6 blocks of the base's stiffness and damping, by columns of
 * bodies. */
typedef struct tmli_body_blocks {
    int count;
    int *row;             // (count) body of the rows
    bool *damped;         // (count) has damping, not only stiffness
    bool *stiff;          // (count) has stiffness: elements couple the bodies
    int *start;           // (njoints + 1) blocks in the columns of each body
    int *of;              // blocks of the elements, slots of rows first
    int **force, **loop;  // (forces), (loops) where each element starts in `of`
} tmli_body_blocks;

/** A force of the model along an angle that is a coordinate of the tree. */
typedef struct tmli_coordinate_force {
    int force;
    int joint;   // tree joint, with one axis
    int q, u;    // its coordinate in q and in u
    bool input;  // depends on inputs
} tmli_coordinate_force;

/** A counted angle of the model that is no coordinate of the tree. */
typedef struct tmli_turning_chain {
    int use;           // its measure
    int from[2], top;  // tree joints of its two bodies and of their common ancestor; -1: ground
    double axis;       // planar models: z of the axis of the angle
} tmli_turning_chain;

typedef struct tmli_joint_space {
    tml_system system;  // handed out by tmli_joint_space_create
    tml_system_ops ops;
    const tml_system *base;
    const tml_model *model;
    tmli_arena arena;
    tml_env env;
    bool planar, matrix;
    bool unswitched;  // without rows that come and go, and free bodies are the first ones
    int njoints, nloops, npairs, depth;
    tmli_tree_joint *joint;           // (njoints) tree joints, one per body; parents before children
    tmli_planar_joint *planar_joint;  // (njoints) planar models
    int *joint_of_node;               // (nodes)
    tmli_loop *loop;
    tmli_loop_pair *pair;
    int *loop_of;  // (constraints) -1: a tree joint
    int n, nq, m;
    int row_entries;  // of all rows of the loops
    // (m + 1) Schur complement by rows: row i holds columns i - (skyline[i+1] - skyline[i]) + 1 .. i
    int *skyline;
    bool *in_loop;        // (njoints) rows of loops depend on it
    bool loops_are_pins;  // all loops of a planar model
    bool *pose_used;      // (njoints) forces or rows use the body's pose or velocity
    int nscalar;          // forces along coordinates of the tree, which do not pass through the bodies
    tmli_coordinate_force *scalar;
    bool *is_scalar;      // (forces)
    double *armature;     // (n) inertia along coordinates; all of the model's, or joint space is refused
    bool input_wrenches;  // others depend on inputs
    bool events_along;    // all discontinuities of the state are theirs
    int ncounted;         // counted angles of the model that are not coordinates
    tmli_turning_chain *counted;  // (ncounted)
    tml_coordinate_kind *kind;
    int *group;         // (n)
    int *node_of;       // (n)
    int *part;          // (n) as in tml_system
    int nballs, *ball;  // first velocity coordinate of each ball
    int *rowptr, *rowcol;
    unsigned char *level;  // (m) as in tml_system
    tml_switch *switches;  // (modes)
    int *switch_of_row;    // (m)
    tml_pattern *pattern;
    tmli_symbolic schedule;   // of all block solvers of the pattern, if it is shared
    tmli_body_blocks blocks;  // only with a matrix
    double least_inertia;     // NAN: not known yet
} tmli_joint_space;

/** A symmetric matrix, upper triangle by rows. */
typedef struct sym3 {
    double xx, xy, xz, yy, yz, zz;
} sym3;

/** One scalar motion of a tree joint in the articulated-body recursion. The three of a ball are about the
 * world axes. */
typedef struct tmli_motion {
    vec3 v, w;   // velocity of P and angular velocity per unit speed
    vec3 f, n;   // force and moment per unit acceleration
    double inv;  // 1/(articulated inertia of this motion)
    double u;    // generalized force
} tmli_motion;

/** A body of the tree at a state. */
typedef struct tmli_tree_body {
    mat3 R;
    vec3 P, l, c;
    vec3 v, w;          // velocity of P, angular velocity
    vec3 acc, alpha;    // acceleration of P and angular acceleration at udot = 0
    vec3 dacc, dalpha;  // those due to udot; scratch of other recursions from parent to child
    sym3 M, J;          // articulated inertia at P: f = M v + H w, n = H'v + J w
    double H[9];
    vec3 f, n;              // wrench at P
    tmli_motion motion[6];  // slides, rotations
} tmli_tree_body;

/** A body, or all bodies outward of a joint, at P of the joint; composite.c. */
typedef struct tmli_composite {
    double mass;
    vec3 moment;             // sum m (r - P)
    mat3 J;                  // inertia about P
    vec3 momentum, impulse;  // sum m rdot, sum m rddot
    mat3 Y, C;               // moments about P by angular velocities
    vec3 F, N;               // sums of forces, of moments about the centres of mass
    mat3 T;                  // sum (r - P) f'
} tmli_composite;

/** Vectors of all coordinates (6 each: of P, angular); composite.c. */
typedef struct tmli_motions {
    double *psi, *first, *second, *by_u;  // psi, psi', psi'', psi^
} tmli_motions;

typedef struct tmli_joint_space_work {
    tml_env env;
    const tml_system *system;  // of the base
    tmli_work *base;
    tmli_tree_body *body;           // (njoints)
    tmli_planar_body *planar_body;  // (njoints) planar models
    tmli_planar_step *step;         // (njoints) planar models
    double *memory;                 // of all arrays of numbers below
    double *q_step;                 // (nq) at which step was computed
    bool step_valid;
    double *q, *u;                                         // at which body or planar_body was computed
    bool positions_valid, velocities_valid;                // of body
    bool planar_positions_valid, planar_velocities_valid;  // of planar_body
    double *bu, *budot, *force, *blambda, *bq;             // state and forces of the base
    tml_state *later;                                      // of the base
    double *gamma;                                         // (m)
    double *opening;    // (m) acceleration of the rows of the loops at udot = 0: B h - gamma
    double *projected;  // (row_entries) e of spatial.c (6)
    double *rows;       // (4 m) four rows of the Schur complement while they are factored
    double *schur, *schur_inv, *lambda;
    double smallest_pivot;  // of schur, over its diagonal
    double *loop_f;         // (rows of a constraint x longest path x 6) wrenches along the path to the ground
    double *scratch;        // (n)
    double *inv, *gen;      // (n) 1/(articulated inertia), generalized force of each coordinate
    double *zero_udot;      // (n) zeros
    // only with a matrix
    tmli_motions motions;       // (6 n each)
    tmli_composite *composite;  // (njoints)
    double *wrenches;           // (2 x 6 njoints)
    bool *moves;                // (njoints) a coordinate moves the body
    double *dense;              // 3 (n x n), by columns: K, D, M
    double *changes;            // (row_entries) derivatives of Phi of the loops by an increment
    double *penalty;            // (m) of the multipliers
    double *product;            // (slots x 4 x 6 n) columns of the bodies of one element
    double *blockK, *blockD;    // (blocks x 36) stiffness and damping between bodies
    double *zero_lambda;        // (m) zeros
} tmli_joint_space_work;

static const tmli_tree_body tmli_joint_space_ground = {.R = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};

static inline const tmli_tree_body *tmli_parent_body(const tmli_joint_space_work *w, const tmli_tree_joint *b)
{
    return b->parent < 0 ? &tmli_joint_space_ground : &w->body[b->parent];
}

// ---- one tree joint (tree_joint.c) ------------------------------------------------------------------------

/** True if tmli_tree_joint_of_joint succeeds and solves all rows, without a trial: pins between bodies, about
 * the normal of the plane. */
bool tmli_tree_joint_is_sure(const tml_model *m, const tmli_constraint *c, int side);
/** The tree joint of a model's joint with its frame `side` (0: a, 1: b) on the child. False: it cannot be a
 * tree joint. arm is measured from the parent's centre of mass; parent, depth and coordinates are not set. */
bool tmli_tree_joint_of_joint(const tml_model *m, int constraint, int side, tmli_tree_joint *b);
/** The tree joint of a free body. */
tmli_tree_joint tmli_tree_joint_free(const tml_model *m, int node);

// ---- the tree (tree.c) ------------------------------------------------------------------------------------

/** Sets joint, joint_of_node, depth, njoints, n and nq. */
tml_status tmli_joint_space_build_tree(tmli_joint_space *s, tml_error *err);
/** q (nqs): coordinates of a tree joint from the poses of its parent and its child; angles are the ones
 * nearest to those in q. parent_origin: the parent's P in its frame. */
void tmli_tree_joint_coordinates(const tmli_tree_joint *b, const tmli_pose *parent, vec3 parent_origin,
                                 const tmli_pose *child, double *q);
/** R of the child by (2), and the vector from the parent's P to its own in the parent's frame by (1). */
mat3 tmli_tree_joint_rotation(const tmli_tree_joint *b, const mat3 *R_parent, const double *q);
vec3 tmli_tree_joint_arm(const tmli_tree_joint *b, const double *q);

// ---- forces along coordinates (along.c) -------------------------------------------------------------------

/** Sets s->scalar; the tree is set. */
tml_status tmli_joint_space_find_along(tmli_joint_space *s, tml_error *err);
/** motion (n) += sign F of the forces along coordinates, or of those that depend on inputs. y: of the base,
 * for time, inputs and modes. */
void tmli_joint_space_add_along(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                const tml_state *y, bool of_inputs, int sign, double *motion);
/** motion (n) += armature udot. */
void tmli_joint_space_add_armature(const tmli_joint_space *s, const double *udot, double *motion);
/** matrix (n x n) += ck F_q + cd F_u on its diagonal. */
void tmli_joint_space_add_along_tangent(const tmli_joint_space *s, tmli_joint_space_work *w,
                                        const tml_state *x, const tml_state *y, double ck, double cd,
                                        double *matrix);
/** The force i of s->scalar at x. */
double tmli_joint_space_along_force(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                    const tml_state *y, int i);
/** Sets the values of measures that are coordinates, for elements of the base. */
void tmli_joint_space_set_known(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x);

// ---- couplings of bodies (assemble.c) ---------------------------------------------------------------------

/** Sets s->blocks; loops are set. */
tml_status tmli_joint_space_plan_blocks(tmli_joint_space *s, tml_error *err);

// ---- loops (loops.c) --------------------------------------------------------------------------------------

/** Sets s->loop, rows, pairs and the skyline of the Schur complement. */
tml_status tmli_joint_space_find_loops(tmli_joint_space *s, double most_work, tml_error *err);
/** Factors the Schur complement of the loops, from w->projected and w->inv. */
void tmli_joint_space_factor_loops(const tmli_joint_space *s, tmli_joint_space_work *w);
/** Closes the loops by these factors: sets w->lambda and subtracts its generalized force from w->gen, so that
 * the rows, which have the acceleration w->opening at udot = 0, stay closed. */
void tmli_joint_space_solve_loops(const tmli_joint_space *s, tmli_joint_space_work *w);

// ---- kinematics (kinematics.c) ----------------------------------------------------------------------------

/** Positions of all bodies at q, and poses of the base. Costs nothing if they are valid. */
void tmli_joint_space_positions(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q);
/** Velocities, accelerations at udot = 0, and velocities of the base, w->bu. */
void tmli_joint_space_velocities(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q,
                                 const double *u);
/** out (of the base) = H y: velocities of the bodies for the velocity coordinates y. Positions are set. */
void tmli_joint_space_lift(const tmli_joint_space *s, tmli_joint_space_work *w, const double *y, double *out);
/** out (of the base) = accelerations of the bodies for udot (NULL: 0). Velocities are set. */
void tmli_joint_space_accelerations(const tmli_joint_space *s, tmli_joint_space_work *w, const double *udot,
                                    double *out);
/** Sets f and n of all bodies to the wrenches of the nodes (coordinates of the base). */
void tmli_joint_space_wrenches(const tmli_joint_space *s, tmli_joint_space_work *w, const double *wrench);
/** The wrench of a body is added to that of its parent. */
static inline void tmli_joint_space_pass_wrench(const tmli_tree_body *x, tmli_tree_body *parent)
{
    parent->f = v3_add(parent->f, x->f);
    parent->n = v3_add(parent->n, v3_add(x->n, v3_cross(x->l, x->f)));
}
/** out (n) = H' wrench, wrench as in the motion residual of the base. Positions are set. */
void tmli_joint_space_project(const tmli_joint_space *s, tmli_joint_space_work *w, const double *wrench,
                              double *out);
/** The base's state of x with the velocities and, with `accelerate`, accelerations and multipliers in w. q
 * is not set; the poses in w->base are. */
tml_state tmli_joint_space_base_state(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                      bool accelerate);
/** Sets the multipliers of the base's state. */
void tmli_joint_space_set_multipliers(const tmli_joint_space *s, tmli_joint_space_work *w,
                                      const tml_state *x);
/** values (nrows x width) = rows of a loop; B (rows of the constraint x 6 slots) as in the base. Positions
 * are set. */
void tmli_joint_space_row_values(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_loop *p,
                                 const double *B, double *values);

/** Reports why the state is not finite, or that coordinate `massless` (-1: none) moves nothing with
 * inertia. */
tml_status tmli_joint_space_report_nonfinite(const tmli_joint_space *s, tmli_joint_space_work *w,
                                             const tml_state *x, int massless, tml_error *err);
static inline bool tmli_joint_space_all_finite(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * 0;
    return sum == 0;
}
/** TML_OK if udot and lambda of x are finite. */
tml_status tmli_joint_space_check_finite(const tmli_joint_space *s, tmli_joint_space_work *w,
                                         const tml_state *x, tml_error *err);

/** Invalidates positions and velocities in w if q or u differ from those they were computed at, and stores
 * q and u (NULL: q only). */
void tmli_joint_space_check_cache(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q,
                                  const double *u);

// ---- planar trees (planar.c, planar_rows.c) ---------------------------------------------------------------

/** Sets s->planar_joint. */
tml_status tmli_joint_space_plan_planar(tmli_joint_space *s, tml_error *err);
/** As the functions above; poses and velocities of the base are set only where elements use them. */
void tmli_joint_space_positions_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q);
void tmli_joint_space_velocities_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q,
                                        const double *u);
/** Functions of the system contract for planar models. */
void tmli_joint_space_rows_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                  double *values);
void tmli_joint_space_velocity_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                      double *phidot);
void tmli_joint_space_increment_planar(const tmli_joint_space *s, tmli_joint_space_work *w,
                                       const tml_state *x0, const double *d, double t1, double *dphi);

// ---- counted angles (turning.c) ---------------------------------------------------------------------------

/** Sets the changes of the counted angles over the increment d of x0 in w->base. */
tmli_turning_chain tmli_joint_space_turning_chain(const tmli_joint_space *s, int use);
void tmli_joint_space_set_turned(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x0,
                                 const double *d);

// ---- states (state.c) -------------------------------------------------------------------------------------

/** Sets w->bq, q of the base. Positions are set. */
void tmli_joint_space_base_positions(const tmli_joint_space *s, tmli_joint_space_work *w);

// ---- of the system contract -------------------------------------------------------------------------------

extern const tml_system_ops tmli_joint_space_ops;
void *tmli_joint_space_create_work(const void *self, const tml_env *env);  // work.c
void tmli_joint_space_destroy_work(void *p);
tml_status tmli_joint_space_increment(const void *self, void *work, const tml_state *x0, const double *d,
                                      double t1, double *dphi, tml_error *err);  // configuration.c
void tmli_joint_space_retract(const void *self, const double *q, const double *d, double *out);
void tmli_joint_space_local(const void *self, const double *q0, const double *q1, double *d);
void tmli_joint_space_tangent_inverse(const void *self, const double *d, const double *u, double *out);
void tmli_joint_space_tangent(const void *self, const double *d, const double *v, double *out);
void tmli_joint_space_tangent_rate(const void *self, const double *d, const double *v, double *out);
void tmli_joint_space_tangent_derivatives(const void *self, const double *x, const double *u, double *first,
                                          double *second);
void tmli_joint_space_compose(const void *self, const double *d1, const double *d2, double *out);
void tmli_joint_space_add_turns(const void *self, const double *near, double *d);
void tmli_joint_space_count(const void *self, const tml_state *x0, const double *d,
                            double *angle);  // turning.c
tml_status tmli_joint_space_accelerate(const void *self, void *work, tml_state *x, tml_error *err);
/** Articulated inertias, and factors for the loops, at the configuration of x. False: singular. */
bool tmli_joint_space_articulate(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x);
/** d (n): the change of least energy of coordinates or velocities by which the rows of the loops change by
 * -value (m). By the last tmli_joint_space_articulate. */
void tmli_joint_space_close(const tmli_joint_space *s, tmli_joint_space_work *w, const double *value,
                            double *d);
/** The same as tmli_joint_space_accelerate, by the last tmli_joint_space_articulate; udot and lambda are as
 * accurate as its configuration is near that of x. w->force: forces on the nodes, without those along
 * coordinates. */
tml_status tmli_joint_space_accelerate_nearby(const tmli_joint_space *s, tmli_joint_space_work *w,
                                              tml_state *x, tml_error *err);
tml_status tmli_joint_space_accelerate_planar(const tmli_joint_space *s, tmli_joint_space_work *w,
                                              tml_state *x, tml_error *err);
tml_status tmli_joint_space_residual(const void *self, void *work, const tml_state *x, const double *p,
                                     double *motion, double *phi, tml_error *err);
tml_status tmli_joint_space_assemble(const void *self, void *work, const tml_state *x, const tml_assembly *a,
                                     double *values, tml_error *err);
tml_status tmli_joint_space_assemble_parts(const void *self, void *work, const tml_state *x, double *M,
                                           double *D, double *K, tml_error *err);
tml_status tmli_joint_space_diagonals(const void *self, void *work, const tml_state *x, double *m, double *d,
                                      double *k, tml_error *err);
tml_status tmli_joint_space_rows_times(const void *self, void *work, const tml_state *x, const double *v,
                                       double *values, tml_error *err);
tml_status tmli_joint_space_gamma_derivatives(const void *self, void *work, const tml_state *x, double *by_d,
                                              double *by_u, tml_error *err);

#endif
