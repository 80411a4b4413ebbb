// The model, built from a spec: names are resolved, coordinates numbered, the sparse pattern and the scatter
// plans fixed. Immutable after tml_model_build and shared by threads.
//
// Nodes: one per body, with 7 numbers in q (r [m], quaternion) and up to 6 velocity coordinates (rdot in the
// inertial frame [m/s], w in the body frame [rad/s]). A rigid body has all 6, a point mass the first 3, a
// body of a planar model (x, y, rz). A first-order state is a node with one velocity coordinate, its value,
// and in q the integral of the value, a sum of two numbers (system/state/first_order.h). Elements compute
// with all 6 coordinates; their scatter plans drop the columns that do not exist. Node -1 is the ground.
//
// Amplitudes of the modes of a modal body are nodes, too, with up to three of them as translations (x, y, z)
// [m].
//
// Friction, rigid limits and rigid contacts have rows at velocity level that are in force at times: while
// friction sticks, a limit is closed. Else the row is released (base/modes.h): it has no equation.
#ifndef TMLI_MODEL_MODEL_H
#define TMLI_MODEL_MODEL_H

#include "base/base.h"
#include "base/modes.h"
#include "element/joint/joint.h"
#include "element/joint/measure.h"
#include "expr/expr.h"
#include "linalg/pattern/pattern.h"
#include "math/curve.h"
#include "spec/spec.h"
#include <trammel/model.h>
#include <trammel/system.h>

typedef struct tmli_node {
    const char *name, *unit;  // unit: of a state
    double mass;              // [kg]
    mat3 J;                   // inertia about the centre of mass, body axes [kg m^2]
    mat3 J_inverse;           // of bodies in space without constraints
    int first;                // first velocity coordinate
    int ncoords;              // 0..6
    int local[6];             // (ncoords) its coordinates among the 6
    int32_t matrix[36];       // (ncoords x ncoords) offsets of its diagonal block in the values
    double q0[7], u0[6];      // pose and velocity given by the user
    bool fixed_at_start;
    // number of massless rotations that are kept at rest (massless_rotation.c): 0; 1: about an axis; 3: all
    int massless_rotations;
    vec3 massless_axis;    // 1: the axis, unit vector in body axes
    vec3 massless_centre;  // 1: a point on the axis; 3: the centre of rotation; body frame [m]
} tmli_node;

/** A coordinate whose force makes the motion of drivers. */
typedef struct tmli_actuator {
    const char *name;                    // "leg1.distance"
    const char *owner, *channel, *unit;  // of its force: "leg1", "distance_force", "N"
    int use;                             // index in model.measure_use
} tmli_actuator;

/** An input of the model. */
typedef struct tmli_input {
    const char *name, *unit;
    double value;  // at the start
    bool used;     // by an expression
} tmli_input;

/** The use of a measure between two nodes of the model. */
typedef struct tmli_measure_use {
    tmli_measure measure;
    int node[2];   // -1: ground
    int angle;     // index in state.angle if it is a continuously counted angle; -1: it is not
    double start;  // counted angle: the value at the start is on the turn nearest to this angle [rad]
    bool stated;   // the user has given `start`: the angle of a joint or the first value of a driver
    int next;      // an earlier use in the same list of tmli_model_first_use; -1: none
} tmli_measure_use;

/** The meaning of a variable in an expression. */
typedef enum tmli_var_kind {
    TMLI_VAR_TIME,
    TMLI_VAR_INPUT,       // value of an input
    TMLI_VAR_STATE,       // value of a first-order state
    TMLI_VAR_MEASURE,     // value of a measure
    TMLI_VAR_RATE,        // rate of a measure
    TMLI_VAR_OMEGA,       // component of a node's angular velocity, body frame
    TMLI_VAR_ATTITUDE,    // roll, pitch, yaw of a node, then their rates
    TMLI_VAR_QUAT,        // component of a node's quaternion          (outputs only)
    TMLI_VAR_SECOND,      // second time derivative of a measure       (outputs only)
    TMLI_VAR_ALPHA,       // component of a node's angular acceleration, body frame (outputs only)
    TMLI_VAR_REACTION,    // component of a joint's reaction           (outputs only)
    TMLI_VAR_MULTIPLIER,  // of a gear, rack or driver                (outputs only)
    TMLI_VAR_ACTUATOR,    // force of an actuator                      (outputs only)
    TMLI_VAR_CHANNEL,     // channel of a force                        (outputs only)
    TMLI_VAR_CONTACT,     // number of a contact force of a force      (outputs only)
    TMLI_VAR_LOCAL        // in a law: a variable of its own element, such as length, rate
} tmli_var_kind;

typedef struct tmli_var {
    tmli_var_kind kind;
    int use, node, component, element;  // use: index in model.measure_use; component: of an input, its index
    int slot[2];  // in the plan of a force: slots of the nodes of the measure, or of the node; -1: ground
} tmli_var;

/** Scatter plan of an element: its nodes (slots), the existing coordinates among 6 per slot, and the offsets
 * of the dense local matrix of these coordinates in the values of the pattern. */
typedef struct tmli_plan {
    int nslots;
    int *node;        // (nslots) distinct, >= 0
    int nact;         // existing coordinates
    int *act;         // (nact) local index 6*slot + c
    int *global;      // (nact) velocity coordinate
    int32_t *matrix;  // (nact x nact) offset of entry (i, j) in the values; NULL: no tangent matrix
} tmli_plan;

/** A term of a row: a measure times a coefficient. */
typedef struct tmli_row_term {
    int use;  // index in model.measure_use
    double coef;
    int slot[2];  // slots of the nodes of the measure; -1: ground
    int row;      // within the constraint
} tmli_row_term;

/** The right-hand side of a row as an expression of t. */
typedef struct tmli_row_motion {
    tmli_expr *expr;  // NULL: none
    int mode;         // 1 + index of its first mode in state.mode; 0: evaluated as written
} tmli_row_motion;

/** A joint: a group of rows. */
typedef struct tmli_constraint {
    const char *name;
    int joint;  // its entry in the joints of the spec, which are in another order; -1: a row made for it
    const tmli_joint_ops *ops;
    tml_joint_type type;  // for display, and for the choice of `auto`
    tmli_plan plan;
    int first, nrows;
    int nterms;
    tmli_row_term *term;
    double *target;              // (nrows) constant right-hand side
    bool rate[TMLI_JOINT_ROWS];  // (nrows) the row is at velocity level
    bool rates;                  // some row is
    tmli_row_motion *motion;     // (TMLI_JOINT_ROWS) of drivers and poses; NULL: none
    const char *stick;           // a row that is in force at times: "friction", "limit", "contact"; NULL: not
    int stick_mode;              // 1 + index of its mode in state.mode
    int32_t *diagonal;           // (nrows) of a switched row: offsets of the diagonal in the values
    bool pin;                    // the x and y rows of a planar revolute joint (system/multibody/pin.c)
    bool ball;                   // its first three rows are x, y and z between two points of a spatial model
    int32_t *rows;               // (nrows x nact) offsets of B in the values (multiplier rows)
    int32_t *columns;            // (nrows x nact) offsets of B' in the values (multiplier columns)
    int *csr;                    // (nrows x nact) offsets of B in its pattern by rows
    int ncoords;                 // number of joint coordinates
    int coord[TMLI_JOINT_COORDS];  // joint coordinates: indices in model.measure_use
    const char *coord_suffix[TMLI_JOINT_COORDS], *rate_suffix[TMLI_JOINT_COORDS],
        *coord_unit[TMLI_JOINT_COORDS];
    bool has_reaction;      // joint between two frames: its reaction is a wrench on body b at marker b
    int node_b;             // -1: ground
    vec3 s_b;               // marker b, body frame [m]
    tmli_marker marker[2];  // a and b, if has_reaction
    bool placed;            // by a `point` of the inertial frame, where the bodies start
    bool actuated;          // a driver or pose whose force actuators exert
    tmli_joint_branch branch;
    double branch_sign;  // -1: the user has placed the joint on the other branch
    tml_mark at;
} tmli_constraint;

enum { TMLI_MAX_VARS = 64 };  // distinct variables of one expression

typedef struct tmli_expr_vars {  // an expression with its variables resolved
    tmli_expr *expr;             // NULL: none
    int nvars;
    tmli_var *var;
    int mode;  // 1 + index of its first mode in state.mode; 0: evaluated as written
} tmli_expr_vars;

/** A curve of the model: a table, or the `table` of a force or road. */
typedef struct tmli_table {
    const char *what;  // "table", "force", "road"
    const char *name;  // of the table, force or road
    tmli_curve *curve;
    double low, high;  // first and last argument of its points
    tml_interpolation interpolation;
    bool called;  // by an expression
} tmli_table;

/** A road. */
typedef struct tmli_road {
    const char *name;
    tml_road_def def;
    const tmli_curve *table;  // NULL: none
} tmli_road;

/** A value that a force reports, FORCE.name in expressions. */
typedef struct tmli_force_channel {
    const char *name, *unit;
    enum { TMLI_CHANNEL_VALUE, TMLI_CHANNEL_MEASURE, TMLI_CHANNEL_RATE } kind;  // of its measure `use`
    bool recorded;  // a column of the results; false: for expressions only
} tmli_force_channel;

/** What the work without a potential is of, in the report of the energy. */
typedef enum tmli_work_kind {
    TMLI_WORK_OF_LAWS,   // of a type: that of its laws is damped if they are of its own rate, else supplied
    TMLI_WORK_DAMPED,    // dampers, friction, drag
    TMLI_WORK_SUPPLIED,  // drivers, applied forces, laws
    TMLI_WORK_CONTACT,   // contacts, tyres, limits
    TMLI_WORK_KINDS
} tmli_work_kind;

/** The force between two bodies that touch, as results have it: on the body that moves, of two that move on
 * the second. Inertial axes. */
typedef struct tmli_contact_force {
    vec3 point;     // [m] the centre of the normal forces; without any, the place of the least gap
    vec3 normal;    // [N]
    vec3 friction;  // tangential [N]
} tmli_contact_force;

/** A force element. Its type is a table of functions (element/force/force.h). */
typedef struct tmli_force {
    const char *name;
    const struct tmli_force_ops *ops;
    void *data;                                       // of its type
    void (*destroy)(const tml_env *env, void *data);  // of ops; NULL: nothing to free
    tmli_plan plan;                                   // its nodes: those it acts on and those its laws use
    int nchannels;
    const tmli_force_channel *channel;  // (nchannels) of ops
    int use;                            // the measure of channels MEASURE and RATE; -1: none
    int nlaws;
    tmli_expr_vars *law;  // (nlaws) its expressions; expr NULL: none
    int nmodes;           // discontinuities of its own, besides those of the laws
    int mode;             // 1 + index of their first mode in state.mode; 0: none
    bool rare;            // they end far beyond the usual range of the element: no reason to choose a method
    bool rate_free;       // it does not depend on velocities: D of force.h is 0
    bool is_scalar;       // it depends on the coordinate `use`, time, inputs and modes alone (scalar_force)
    double armature;      // inertia along the coordinate `use` [kg m^2 or kg]; 0: it has none
    int stick;            // constraint that is the stick row of its first mode, next ones follow; -1: none
    int stop;             // of friction, and of limits: another rigid limit of the same coordinate; -1: none
    int load;      // first constraint on whose multipliers it depends; their nodes are among those of f; -1
    int nloads;    // their number
    int tangents;  // rows of friction per unilateral constraint: their modes follow those of all of these
    bool diagonal_tangent;  // many nodes, not coupled in the matrix: it has diagonal blocks only
    size_t scratch;         // bytes of scratch memory that it needs
    size_t scratch_at;      // their place in that of an evaluation
    double restitution;     // of a unilateral constraint, whose row this is; NAN: it is friction, or none
    tml_impact_law impact;  // its law
    tmli_work_kind work;    // what its power is of; of springs, drives and the like: the power of their laws
    int ncontacts;          // pairs of shapes, wheels on roads: contact forces among the results
    const char *const *contact;  // (ncontacts) their names before that of the quantity: "", "ball_floor_"
    bool has_friction;           // they have friction
    tml_mark at;
} tmli_force;

enum { TMLI_CONTACT_QUANTITIES = 9 };  // numbers of a contact force; without friction the first 6
/** Their names: "point_x", ..., "friction_z". */
extern const char *const tmli_contact_quantity[TMLI_CONTACT_QUANTITIES];
static inline int tmli_contact_quantities(const tmli_force *f)
{
    return f->has_friction ? TMLI_CONTACT_QUANTITIES : TMLI_CONTACT_QUANTITIES - 3;
}

typedef struct tmli_output {
    const char *name, *unit;
    tmli_expr_vars value;
} tmli_output;

typedef struct tmli_event {
    const char *name;
    tmli_expr_vars when;       // it happens where this crosses zero
    tmli_expr_vars condition;  // expr: what `when` is the margin of; NULL: it is none of a condition
    int direction;
} tmli_event;

/** A motion, a law or a force with discontinuities, or with poles. */
typedef struct tmli_discontinuity {
    const tmli_expr *expr;       // NULL: those of `force` itself
    const tmli_expr_vars *vars;  // NULL: a motion, whose only variable is t
    int count;                   // number of modes, or of quantities whose zeros may be poles
    int force, constraint;       // owner: one of the two is an index, the other is -1
    int first;                   // index of its first mode in state.mode; of its first quantity
    int mode;                    // of poles: 1 + index of the first mode of the expression; 0: none
    bool only_time;              // t is the only variable
} tmli_discontinuity;

/** The file of a shape that touches. */
typedef struct tmli_surface {
    const char *shape, *file;
    uint64_t hash;  // of its bytes, or of the heights in it
    const struct tmli_surface *next;
} tmli_surface;

struct tml_model {
    tml_env env;
    tmli_arena arena;
    const char *title, *text;
    bool planar;
    vec3 gravity;
    tml_run_def run;
    tml_mark method_at, solver_at, record_at;  // positions in the model file
    int nnodes;                                // bodies, amplitudes, then first-order states
    int nbodies;                               // the first nodes
    int namplitudes;  // the next nodes: amplitudes of modal bodies, up to three in a node
    int nz, ninputs;
    const tmli_surface *surfaces;  // a list
    int njoints;                   // the first constraints are the user's joints, the others stick rows
    int nmeasure_uses, nconstraints, nroads, noutputs, nevents, nangles, ntables;
    int nforces;  // forces of the user, then the rates of the states
    int nuser_forces;
    tmli_node *node;
    double *state_scale;  // (nz)
    tmli_input *input;
    tmli_measure_use *measure_use;
    int *counted;               // (nangles) measures of the counted angles
    int nturning, *turning;     // nodes that counted angles are of
    int nrotations, *rotation;  // velocity coordinates that are rotations of these nodes
    int measure_use_room;
    int *pair;  // (measure_use_room) heads of the lists of uses by the two nodes; -1: empty
    tmli_constraint *constraint;
    bool works[TMLI_WORK_KINDS];  // there is work of this kind
    int nactuators;
    tmli_actuator *actuator;
    int nbranched, *branched;  // constraints whose rows have several branches
    tmli_road *road;
    tmli_table *table;  // (ntables)
    int table_room;
    tmli_force *force;
    int npowers, *power;                  // forces that may have power: P of element/force/force.h
    int npower_nodes, *power_node;        // the nodes of their plans
    int npower_measures, *power_measure;  // measures between these nodes
    int npower_angles, *power_angle;      // the counted angles among them, indices in state.angle
    bool power_of_bodies;                 // it depends on these and on no multipliers, and they are bodies
    int ndriven, *driven;                 // constraints with a motion
    tmli_output *output;
    tmli_event *event;
    int n, m;
    double near;           // distance up to which positions have the round-off of the length [m]
    double length;         // length of the model [m]
    bool length_is_guess;  // the places of bodies, frames and joints give none
    double rounding;       // of positions that were given far from the coordinate origin [m]; 0: none of note
    vec3 origin;  // positions in states, poses and on the ground are relative to this point [m]; extent.c
    tml_coordinate_kind *kind;
    int *node_of;             // (n) node of a coordinate
    int *part;                // (n) as in tml_system
    double *joined;           // (nnodes) mean mass of the bodies that rows of constraints join to a node [kg]
    int *rowptr, *rowcol;     // pattern of B by rows
    int *row_owner;           // (m) constraint of a row
    unsigned char *level;     // (m) tml_level of a row; NULL: all at position level
    const char **block_name;  // (blocks of the pattern)
    tml_pattern *pattern;
    int max_act, max_slots, max_rows, max_vars;
    int max_diagonal_slots;  // slots of forces with a diagonal tangent, at most
    size_t scratch_bytes;    // of all forces
    bool has_inertia;        // some elements have inertia
    int ndiscontinuities, nmodes;
    tmli_discontinuity *discontinuity;
    int npoles, npole_values;  // expressions that may have poles, and quantities whose zeros may be some
    tmli_discontinuity *pole;  // (npoles)
    tml_switch *switches;      // (nmodes)
    int *switch_of_row;        // (m) index of the switch whose row it is; -1: it is always in force
    bool unilateral;           // there are unilateral constraints
    bool loads;                // some forces depend on multipliers
    size_t load_entries;       // of -dQ/dlambda of one force, at most
    int *mode_owner;           // (nmodes) index in discontinuity
    int nparams;               // parameters of the file, for messages: their values are in everything else
    const char **param_names;
    double *param_values;
    tml_mark *param_unused;  // (nparams) places of those that nothing uses, else without a line
    tml_system system;
};

// ---- building a model -------------------------------------------------------------------------------------

/** The slot of a node in a plan, which gets one if it has none; -1 of the ground. */
int tmli_plan_slot(tmli_plan *p, int node);
/** Index of a body by name, -1 for "ground"; the error gives the nearest name. */
tml_status tmli_model_find_body(const tml_spec *spec, const char *name, tml_mark at, int *body,
                                tml_error *err);
/** The marker of a frame reference. m: the model being built, on whose ground places are relative to
 * m->origin; NULL: to the inertial frame. */
tml_status tmli_model_find_frame(const tml_spec *spec, const tml_model *m, const char *reference, tml_mark at,
                                 tmli_marker *out, tml_error *err);
/** Index of a road by name; the error gives the nearest name. */
tml_status tmli_model_find_road(const tml_spec *spec, const char *name, tml_mark at, int *road,
                                tml_error *err);
/** Node of first-order state i. */
static inline int tmli_model_state_node(const tml_model *m, int i) { return m->nnodes - m->nz + i; }
/** Number of nodes for the amplitudes of a force of the user; 0: it is not a modal body. */
int tmli_model_amplitude_nodes(const tml_force_def *def);
/** True if the force has a row that is in force at times: friction that sticks, a rigid limit. */
static inline bool tmli_force_has_row(const tml_force_def *def)
{
    return (def->type == TML_FORCE_FRICTION && def->friction.law == TML_FRICTION_COULOMB) ||
           def->type == TML_FORCE_LIMIT;
}
/** Add a curve, which the model owns, through `count` points. what: "table", "force", "road". */
tml_status tmli_model_add_curve(tml_model *m, const char *what, const char *name, tml_mark at, int count,
                                const double *points, tml_table_style style, const tmli_curve **out,
                                tml_error *err);
/** True if a spline leaves the range of its points, with a sentence about it. */
bool tmli_table_describe_overshoot(const tml_model *m, int table, char *text, size_t size);
/** Add a measure between two nodes; a counted angle gets an index in state.angle. Returns the index in
 * measure_use, -1 if memory is exhausted. */
int tmli_model_add_measure_use(tml_model *m, tmli_measure measure, int node_a, int node_b);
/** Make room for so many uses in all. False: memory is exhausted. */
bool tmli_model_reserve_uses(tml_model *m, int count);
/** Index of the last measure use between two nodes, whose order does not matter; `next` leads to the one
 * before it, -1 ends the list. A list may contain uses between other nodes. */
int tmli_model_first_use(const tml_model *m, int node_a, int node_b);
/** The inertial frame as a marker on the ground. */
static inline tmli_marker tmli_model_ground(const tml_model *m)
{
    return (tmli_marker){.body = -1, .s = v3_sub(v3(0, 0, 0), m->origin), .C = m3_identity()};
}
/** r of a state -> inertial frame. */
static inline vec3 tmli_model_place(const tml_model *m, vec3 r) { return v3_add(r, m->origin); }
tmli_pose tmli_node_start_pose(const tml_model *m, int node);
/** Value of a counted angle at the start, on the turn nearest to its `start` [rad]. */
double tmli_model_start_value(const tml_model *m, const tmli_measure_use *use);
/** Warn of an angle that a joint is given, and that its frames do not have. */
void tmli_model_warn_of_angle(const tml_model *m, int use, const char *joint, tml_mark at);
/** *start := value at the start by what is stated about the same axis between the same nodes; false: nothing
 * is. */
bool tmli_model_stated_start(const tml_model *m, const tmli_measure_use *use, double *start);
/** Value at the start of the angle of a spring, by the orientations given. Its free angle may differ by any
 * number of turns. */
double tmli_model_wound_start(const tml_model *m, const tmli_measure_use *use);
/** A copy of a position that outlives the spec. */
tml_mark tmli_model_keep_mark(tml_model *m, tml_mark at);

/** True if constraint c is a switched row that is not in force at x. */
static inline bool tmli_is_released(const tmli_constraint *c, const tml_state *x)
{
    return c->stick && x->mode[c->stick_mode - 1] != TML_SWITCH_HELD;
}

/** The modes of an expression at x; NULL: evaluated as written. mode: as in tmli_expr_vars. */
static inline const double *tmli_modes(const tml_state *x, int mode)
{
    return mode > 0 ? x->mode + mode - 1 : NULL;
}

/** The variables that an expression may use beside t and the parameters. */
typedef enum tmli_scope_level {
    TMLI_SCOPE_TIME,   // t only (drivers)
    TMLI_SCOPE_STATE,  // also positions, velocities, joint coordinates (forces, events)
    TMLI_SCOPE_OUTPUT  // also reactions, forces, quaternions (outputs)
} tmli_scope_level;

/** Compile an expression of the model. local: names of the variables of its own element in a law ("length",
 * "rate", NULL at the end); NULL: none. */
tml_status tmli_model_compile(const tml_spec *spec, tml_model *m, const char *text, tml_mark at,
                              tmli_scope_level level, const char *const *local, tmli_expr_vars *out,
                              tml_error *err);
/** Resolve the coordinate of a gear, rack or driver ("pin.angle", "crank.tip.x", "distance(a, b)"). *use: its
 * index in measure_use. */
tml_status tmli_model_find_coordinate(const tml_spec *spec, tml_model *m, const char *text, tml_mark at,
                                      int *use, tml_error *err);

#endif
