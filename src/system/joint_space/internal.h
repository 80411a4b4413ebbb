// Shared by the files of the system in joint coordinates: the tree, its loops, scratch memory.
//
// World axes throughout unless a frame is named. Every body has a reference point P on it, the point where
// its joint to the parent holds it; c = r - P leads from there to its centre of mass, l = P - P_parent from
// the parent's. Motions and wrenches of a body are pairs of vectors at P: (velocity of P, angular velocity),
// (force, moment about P).
#ifndef TMLI_SYSTEM_JOINT_SPACE_INTERNAL_H
#define TMLI_SYSTEM_JOINT_SPACE_INTERNAL_H

#include "system/joint_space/joint_space.h"
#include "system/multibody/multibody.h"

/** How a body turns against its parent. */
typedef enum tmli_rotation_kind {
    TMLI_SWIVEL_NONE,
    TMLI_SWIVEL_AXIS,  // about one axis, fixed in both
    TMLI_SWIVEL_TWO,   // about an axis fixed in the parent, then one fixed in the child
    TMLI_SWIVEL_BALL   // freely; a unit quaternion, angular velocity in axes of the child
} tmli_rotation_kind;

/** A body of the tree and its motion against its parent:
 *   P = P_p + R_p (arm + sum slide_k q_k [+ axis (start + pitch q)])                                (1)
 *   R = R_p exp(axis q) C [exp(axis2 q2)],   BALL: R = R_p R(quaternion)                            (2)
 * Coordinates: slides, then turns. */
typedef struct tmli_tree_joint {
    int node, parent;  // node of the model; place of the parent in the tree, -1: ground
    int constraint;    // joint of the model that is solved for; -1: none, the body moves freely
    int solved;        // its rows 0 .. solved-1 hold by (1) and (2); others stay constraints
    int depth;         // 1: on the ground
    bool point;        // a point mass: has no attitude
    int nslide;
    vec3 slide[3];  // unit vectors in the parent's frame
    tmli_rotation_kind swivel;
    vec3 axis, axis2;     // unit vectors in the parent's and in the child's frame
    mat3 C, E0, E1, E2;   // exp(axis q) C = E0 + cos q E1 + sin q E2
    double pitch, start;  // screw [m/rad], [m]; pitch 0: none
    vec3 arm;             // parent's frame [m]
    vec3 origin;          // P in the child's frame, from its centre of mass [m]
    int first, nu;        // velocity coordinates
    int firstq, nqs;      // numbers in q
    int link[3];          // counted angle of the model that a turn is, -1: none. [0]: axis, [1]: axis2
} tmli_tree_joint;

/** Rows that stay: those of one constraint of the model, and the bodies whose coordinates they depend on. */
typedef struct tmli_loop {
    int constraint;
    int keep;          // rows keep .. of the constraint stay
    int first, nrows;  // rows of this system
    int npath;
    int *path;  // (npath) places in the tree, descending: a body comes before its parent
    int *up;    // (npath) place of the parent in path, -1: ground
    int *at;    // (npath) place of the body's coordinates in a row
    int *slot;  // (slots of the constraint) place of the node in path
    int width;  // entries of a row
    int eps;    // place of its rows' (nrows x width) projections in work
    int schur;  // first row in the order of the factorization
} tmli_loop;

/** Two loops whose paths meet: their block of the loop matrix. */
typedef struct tmli_loop_pair {
    int a, b;     // loops, schur of a >= that of b
    int nshared;  // bodies in both paths
    int *shared;  // (2 nshared) places in the rows of a and of b
    int *count;   // (nshared) coordinates
    int *dof;     // (nshared) their first one
} tmli_loop_pair;

/** A limb of a planar tree: what tmli_tree_joint says, in the plane. */
typedef struct tmli_planar_joint {
    int parent, first, firstq, node;
    int nslide;
    bool turns, seen;
    double sign;            // of the turn: 1 or -1, about z
    double phi;             // attitude against the parent at angle 0 [rad]
    double ax, ay, cx, cy;  // arm in the parent's frame, centre of mass from P in its own [m]
    double sx[2], sy[2];    // slides in the parent's frame
    double mass, J;
} tmli_planar_joint;

/** Pairs of bodies that elements couple: 6 x 6 blocks of the base's stiffness and damping, by columns of
 * bodies. */
typedef struct tmli_body_blocks {
    int count;
    int *row;             // (count) body of the rows
    bool *damped;         // (count) damping may be there, not stiffness alone
    int *start;           // (limbs + 1) blocks of each body of columns
    int *of;              // blocks of the elements, slots of rows first
    int **force, **loop;  // (forces), (loops) their part of it
} tmli_body_blocks;

typedef struct tmli_joint_space {
    tml_system system;  // the one handed out
    const tml_system *base;
    const tml_model *model;
    tmli_arena arena;
    tml_env env;
    bool planar, matrix;
    int nlimbs, nloops, npairs, depth;
    tmli_tree_joint *limb;    // parents before children
    tmli_planar_joint *flat;  // (limbs) planar models
    int *limb_of;             // (nodes)
    tmli_loop *loop;
    tmli_loop_pair *pair;
    int *loop_of;  // (constraints) -1: solved for
    int n, nq, m;
    int eps_size;
    int *
        // (m + 1) rows of the loop matrix: row i holds columns i - (skyline[i+1] - skyline[i]) + 1 .. i
        skyline;
    bool *looped;    // (limbs) rows depend on it
    bool only_pins;  // the loops of a planar model
    bool *seen;      // (limbs) forces or rows look at its pose or velocity
    int ncounted;    // links counted by their measure; other counted angles are coordinates
    int *counted;    // (ncounted)
    tml_coordinate_kind *kind;
    int *group;         // (n)
    int *node_of;       // (n)
    int nballs, *ball;  // first velocity coordinate of each ball
    int *rowptr, *rowcol;
    tml_pattern *pattern;
    tmli_body_blocks blocks;  // only with a matrix
} tmli_joint_space;

/** A symmetric matrix, upper triangle by rows. */
typedef struct sym3 {
    double xx, xy, xz, yy, yz, zz;
} sym3;

/** One scalar motion of a body while inertia is passed to its parent. A ball's three are about the world
 * axes. */
typedef struct tmli_motion {
    vec3 v, w;   // velocity of P and angular velocity per unit
    vec3 f, n;   // force and moment that it takes
    double inv;  // 1/inertia against it
    double u;    // generalized force
} tmli_motion;

/** A body of the tree at a state. */
typedef struct tmli_place {
    mat3 R;
    vec3 P, l, c;
    vec3 v, w;          // velocity of P, angular velocity
    vec3 acc, alpha;    // acceleration of P and angular acceleration that are there without udot
    vec3 dacc, dalpha;  // those of udot; scratch of other passages from parent to child
    sym3 M, J;          // articulated inertia at P: f = M v + H w, n = H'v + J w
    double H[9];
    vec3 f, n;              // wrench at P
    tmli_motion motion[6];  // slides, turns
} tmli_place;

/** A body of a planar tree at the start of an increment, and its motion over it. */
typedef struct tmli_flat_step {
    double co, si, lx, ly, cx, cy, rx, ry;  // as in tmli_flat; r: centre of mass
    double dx, dy, th;                      // motion of P, turn
    double sine, versine;                   // sin th, 1 - cos th
} tmli_flat_step;

/** A body of a planar tree at a state; (x, y) in the plane, turns about z. */
typedef struct tmli_flat {
    double phi, co, si;  // attitude
    double Px, Py, lx, ly, cx, cy;
    double vx, vy, w;
    double ax, ay;                    // acceleration of P without udot
    double dx, dy, dw;                // of udot: P and angular
    double mxx, mxy, myy, hx, hy, J;  // articulated inertia at P: f = M a + h alpha, n = h.a + J alpha
    double fx, fy, n;
    double sx[2], sy[2];         // axes of the slides
    double Ux[3], Uy[3], Un[3];  // what each coordinate takes: slides, turn
} tmli_flat;

typedef struct tmli_joint_space_work {
    tml_env env;
    const tml_system *system;  // of the base
    tmli_mbwork *base;
    tmli_place *place;     // (limbs)
    tmli_flat *flat;       // (limbs) planar models
    tmli_flat_step *step;  // (limbs) planar models
    double *q_step;        // (nq) what step was computed for
    bool stepped;
    double *q, *u;  // what place was computed for
    bool placed, moving, flat_placed, flat_moving;
    double *bu, *budot, *force, *blambda, *bq;  // state and forces of the base
    tml_state *later;                           // of the base
    double *gamma;                              // (m)
    double *apart;                              // (m) acceleration across the rows of the loops without udot
    double *eps;                                // projections of the rows
    double *schur, *schur_inv, *lambda;
    double *loop_f;     // (rows of a constraint x longest path x 6) wrenches on their way to the ground
    double *scratch;    // (n)
    double *inv, *gen;  // (n) 1/inertia against each coordinate, generalized force on it
    double *unit;       // (n) zeros
    // only with a matrix
    double *Hc, *dU, *dA, *dAu;  // (6 x n each) columns of one body
    double *dense;               // 3 (n x n), by columns
    double *product;             // (slots x 4 x 6 n) columns of the bodies of one element
    double *blockK, *blockD;     // (blocks x 36) stiffness and damping between bodies
    double *zeros;               // (m)
} tmli_joint_space_work;

static const tmli_place tmli_joint_space_ground = {.R = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};

static inline const tmli_place *tmli_parent_place(const tmli_joint_space_work *w, const tmli_tree_joint *b)
{
    return b->parent < 0 ? &tmli_joint_space_ground : &w->place[b->parent];
}

// ---- one joint (joints_limb.c) ----------------------------------------------------------------------------

/** The limb of a model's joint with its frame `side` (0: a, 1: b) on the child. False: the joint cannot be
 * solved for. arm counts from the parent's centre of mass; parent, depth and coordinates are not set. */
bool tmli_tree_joint_of_joint(const tml_model *m, int constraint, int side, tmli_tree_joint *b);
/** A body that nothing holds. */
tmli_tree_joint tmli_tree_joint_free(const tml_model *m, int node);

// ---- the tree (joints_tree.c) -----------------------------------------------------------------------------

/** s->limb, limb_of, depth, nlimbs from the model. */
tml_status tmli_joint_space_build_tree(tmli_joint_space *s, tml_error *err);
/** q (nqs), the numbers of a limb, of the poses of its parent and its child; angles take the turn nearest to
 * those in q. parent_origin: the parent's P in its frame. */
void tmli_tree_joint_coordinates(const tmli_tree_joint *b, const tmli_pose *parent, vec3 parent_origin,
                                 const tmli_pose *child, double *q);
/** R of a limb by (2), and the way from the parent's P to its own, parent's frame, by (1). */
mat3 tmli_tree_joint_turn(const tmli_tree_joint *b, const mat3 *R_parent, const double *q);
vec3 tmli_tree_joint_arm(const tmli_tree_joint *b, const double *q);

// ---- blocks (joints_blocks.c) -----------------------------------------------------------------------------

/** s->blocks; loops are known. */
tml_status tmli_joint_space_plan_blocks(tmli_joint_space *s, tml_error *err);

// ---- loops (joints_loops.c) -------------------------------------------------------------------------------

/** s->loop, rows, pairs and the skyline of the loop matrix. */
tml_status tmli_joint_space_find_loops(tmli_joint_space *s, tml_error *err);
/** Close the loops: w->lambda of the loop matrix of w->eps and w->inv, and their share taken out of w->gen,
 * so that the rows, which without udot open by w->apart, do not open. */
void tmli_joint_space_solve_loops(const tmli_joint_space *s, tmli_joint_space_work *w);

// ---- kinematics (joints_kinematics.c) ---------------------------------------------------------------------

/** Places of all bodies at q, and poses of the base. Nothing happens if they are there. */
void tmli_joint_space_positions(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q);
/** Velocities and the accelerations without udot, and velocities of the base, w->bu. */
void tmli_joint_space_velocities(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q,
                                 const double *u);
/** out (of the base) = H y: velocities of the bodies for the velocity coordinates y. Places are set. */
void tmli_joint_space_lift(const tmli_joint_space *s, tmli_joint_space_work *w, const double *y, double *out);
/** out (of the base) = accelerations of the bodies for udot (NULL: 0). Velocities are set. */
void tmli_joint_space_accelerations(const tmli_joint_space *s, tmli_joint_space_work *w, const double *udot,
                                    double *out);
/** out (n) = H' wrench, wrench as in the motion residual of the base. Places are set. */
void tmli_joint_space_project(const tmli_joint_space *s, tmli_joint_space_work *w, const double *wrench,
                              double *out);
/** The base's state of x with the velocities, accelerations (accelerate) and multipliers in w. q is not set:
 * poses are. */
tml_state tmli_joint_space_base_state(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                      bool accelerate);
/** values (nrows x width) = rows of a loop; B (rows of the constraint x 6 slots) as in the base. Places are
 * set. */
void tmli_joint_space_row_values(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_loop *p,
                                 const double *B, double *values);

/** The state is not finite, or coordinate `lost` (-1: none) moves nothing with inertia: say why. */
tml_status tmli_joint_space_report_nonfinite(const tmli_joint_space *s, tmli_joint_space_work *w,
                                             const tml_state *x, int lost, tml_error *err);
/** TML_OK if udot and lambda of x are finite. */
tml_status tmli_joint_space_check(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                  tml_error *err);

/** q or u are others than those that places and velocities are known for: they are noted, and what hung on
 * them is gone. */
void tmli_joint_space_note(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q,
                           const double *u);

// ---- planar trees (joints_flat.c) -------------------------------------------------------------------------

/** s->flat. */
tml_status tmli_joint_space_plan_planar(tmli_joint_space *s, tml_error *err);
/** As the functions above; poses and velocities of the base are set where elements look. */
void tmli_joint_space_positions_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q);
void tmli_joint_space_velocities_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q,
                                        const double *u);
/** Of the system contract, for planar models (joints_flat_rows.c). */
void tmli_joint_space_rows_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q,
                                  double *values);
void tmli_joint_space_velocity_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                      double *phidot);
void tmli_joint_space_increment_planar(const tmli_joint_space *s, tmli_joint_space_work *w,
                                       const tml_state *x0, const double *d, double t1, double *dphi);

// ---- states (joints_state.c) ------------------------------------------------------------------------------

/** q of the base into w->bq; places are set. */
void tmli_joint_space_base_positions(const tmli_joint_space *s, tmli_joint_space_work *w);

// ---- of the system contract -------------------------------------------------------------------------------

extern const tml_system_ops tmli_joint_space_ops;
tml_status tmli_joint_space_accelerate(const void *self, void *work, tml_state *x, tml_error *err);
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
