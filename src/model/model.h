// The model: what the spec means. Names are resolved, coordinates numbered, the sparse pattern and the
// scatter plans fixed. Immutable after tml_model_build and shared by threads.
//
// Nodes: one per body, 7 numbers in q (r, quaternion) and up to 6 velocity coordinates (rdot inertial, w body
// frame). Which of the 6 exist is the node's mask: all for a rigid body, the first 3 for a point mass, (x, y,
// rz) in a planar model. Elements compute with all 6; columns that do not exist are dropped when they
// scatter. Node -1 is the ground.
#ifndef TMLI_MODEL_MODEL_H
#define TMLI_MODEL_MODEL_H

#include "base/base.h"
#include "element/force/bushing.h"
#include "element/force/road.h"
#include "element/force/spline.h"
#include "element/force/tyre.h"
#include "element/joint/joint.h"
#include "element/joint/measure.h"
#include "expr/expr.h"
#include "linalg/pattern/pattern.h"
#include "spec/spec.h"
#include <trammel/model.h>
#include <trammel/system.h>

typedef struct tmli_node {
    const char *name;
    double mass;          // [kg]
    mat3 J;               // inertia about the centre of mass, body axes [kg m^2]
    int first;            // first velocity coordinate
    int ncoords;          // 0..6
    int local[6];         // (ncoords) which of the 6
    int32_t matrix[36];   // (ncoords x ncoords) place of its diagonal block in the values
    double q0[7], u0[6];  // pose and velocity given by the user
    bool fixed_at_start;
    // rotations without inertia that nothing can cause (spin.c): 0; 1: about an axis; 3: all
    int massless_rotations;
    vec3 massless_axis;    // of the one, unit vector in body axes
    vec3 massless_centre;  // a point on it, or the one all turn about, body frame [m]
} tmli_node;

/** A measure between two nodes of the model; angle >= 0: counted continuously in state.angle[angle]. */
typedef struct tmli_measure_use {
    tmli_measure measure;
    int node[2];
    int angle;
    double start;  // counted angles: which turn to start from [rad]
} tmli_measure_use;

/** What an expression's variable stands for. */
typedef enum tmli_var_kind {
    TMLI_VAR_TIME,
    TMLI_VAR_MEASURE,     // value of a link
    TMLI_VAR_RATE,        // its rate
    TMLI_VAR_OMEGA,       // component of a node's angular velocity, body frame
    TMLI_VAR_QUAT,        // component of a node's quaternion          (outputs only)
    TMLI_VAR_REACTION,    // component of a joint's reaction           (outputs only)
    TMLI_VAR_MULTIPLIER,  // of a gear, rack or driver                (outputs only)
    TMLI_VAR_FORCE,       // scalar force of a spring, torsion or tyre (outputs only)
    TMLI_VAR_TYRE,        // 0: compression of a tyre, 1: height of the road below it (outputs only)
    TMLI_VAR_LOCAL_X,     // in a law: the element's own length/angle
    TMLI_VAR_LOCAL_V      // and its rate
} tmli_var_kind;

typedef struct tmli_var {
    tmli_var_kind kind;
    int link, node, component, element;
    int slot[2];  // in a force's plan: slots of the link's nodes, or of the node; -1: ground
} tmli_var;

/** Scatter plan of an element: its nodes (slots), the existing coordinates among 6 per slot, and where the
 * dense local matrix of these coordinates goes in the value array of the pattern. */
typedef struct tmli_plan {
    int nslots;
    int *node;        // (nslots) distinct, >= 0
    int nact;         // existing coordinates
    int *act;         // (nact) local index 6*slot + c
    int *global;      // (nact) velocity coordinate
    int32_t *matrix;  // (nact x nact) place of entry (i, j) in the values; NULL if the element has no tangent
} tmli_plan;

typedef struct tmli_row_term {
    int link;
    double coef;
    int slot[2];  // slots of the link's nodes; -1: ground
    int row;      // within the constraint
} tmli_row_term;

/** A joint: a group of rows. */
typedef struct tmli_constraint {
    const char *name;
    tml_joint_type type;
    tmli_plan plan;
    int first, nrows;
    int nterms;
    tmli_row_term *term;
    double *target;     // (nrows) constant right side
    tmli_expr *motion;  // right side of row 0 as expression of t; NULL
    int motion_mode;    // 1 + place of its modes in state.mode; 0: evaluated as written
    bool pin;           // the x and y rows of a planar revolute joint (system/multibody/pin.c)
    int32_t *rows;      // (nrows x nact) place of B in the values (multiplier rows)
    int32_t *columns;   // (nrows x nact) place of B' (multiplier columns)
    int *csr;           // (nrows x nact) place in the row pattern of B
    int ncoords;        // joint coordinates: links coord[0 .. ncoords-1] with their names
    int coord[TMLI_JOINT_COORDS];
    const char *coord_suffix[TMLI_JOINT_COORDS], *rate_suffix[TMLI_JOINT_COORDS],
        *coord_unit[TMLI_JOINT_COORDS];
    bool has_reaction;      // a wrench on body b at marker b (joints between two frames)
    int node_b;             // -1: ground
    vec3 s_b;               // marker b, body frame [m]
    tmli_marker marker[2];  // a and b, of joints between two frames (has_reaction)
    tml_mark at;
} tmli_constraint;

enum { TMLI_MAX_VARS = 64 };  // distinct variables of one expression

typedef struct tmli_expr_vars {  // an expression with its variables resolved
    tmli_expr *expr;             // NULL: none
    int nvars;
    tmli_var *var;
    int mode;  // 1 + place of its modes in state.mode; 0: evaluated as written
} tmli_expr_vars;

/** A road. */
typedef struct tmli_road {
    const char *name;
    tml_road_def def;
    tmli_spline *table;  // NULL: none
} tmli_road;

/** A force element. */
typedef struct tmli_force {
    const char *name;
    tml_force_type type;
    tmli_plan plan;
    int link;     // spring, torsion
    int slot[2];  // slots of nodes a and b; -1: ground
    double stiffness, damping, free;
    tmli_expr_vars law;
    tmli_spline *table;
    tmli_bushing bushing;
    tmli_marker at;  // applied, drag
    bool body_axes;
    tmli_expr_vars wrench[6];
    double drag[4];  // linear, quadratic, angular linear, angular quadratic
    tmli_tyre tyre;
    int tyre_mode;  // 1 + place of its modes in state.mode; 0: it has none
    tml_mark at_file;
} tmli_force;

typedef struct tmli_output {
    const char *name;
    tmli_expr_vars value;
} tmli_output;

typedef struct tmli_event {
    const char *name;
    tmli_expr_vars when;
    int direction;
} tmli_event;

/** An expression of the equations that has switches, or a tyre. */
typedef struct tmli_discontinuity {
    const tmli_expr *expr;       // NULL: the tyre of `force`
    const tmli_expr_vars *vars;  // NULL: a motion, whose only variable is t
    int count;                   // its modes
    int force, constraint;       // whose it is; -1: of the other
    int first;                   // place of its modes in state.mode
    bool only_time;              // all its variables are t
} tmli_discontinuity;

struct tml_model {
    tml_env env;
    tmli_arena arena;
    const char *title, *text;
    bool planar;
    vec3 gravity;
    tml_run_def run;
    tml_mark method_at, solver_at;  // where the file names them
    int nnodes, nlinks, nconstraints, nroads, nforces, noutputs, nevents, nangles;
    tmli_node *node;
    tmli_measure_use *link;
    int link_room;
    tmli_constraint *constraint;
    tmli_road *road;
    tmli_force *force;
    tmli_output *output;
    tmli_event *event;
    int n, m;
    double length;  // size of the model [m]
    tml_coordinate_kind *kind;
    int *node_of;             // (n)
    int *rowptr, *rowcol;     // B by rows
    int *row_owner;           // (m) constraint of a row
    const char **block_name;  // (pattern blocks)
    tml_pattern *pattern;
    int max_act, max_slots, max_rows, max_vars;
    int nswitchings, nmodes;
    tmli_discontinuity *switching;
    bool *mode_of_time;  // (nmodes)
    int *mode_owner;     // (nmodes) index in switching
    int nparams;
    const char **param_names;
    double *param_values;
    tml_system system;
};

/** Everything but the equations: the body of tml_model_build, which adds them (system/multibody/multibody.c).
 */
tml_status tmli_model_build(const tml_spec *spec, tml_model **out, tml_error *err);

// ---- shared between the files of this folder --------------------------------------------------------------

/** Body's index by name, -1 for "ground"; fails with the nearest name. */
tml_status tmli_model_find_body(const tml_spec *spec, const char *name, tml_mark at, int *body,
                                tml_error *err);
/** The marker a frame reference stands for. */
tml_status tmli_model_find_frame(const tml_spec *spec, const char *reference, tml_mark at, tmli_marker *out,
                                 tml_error *err);
/** Road's index by name; fails with the nearest name. */
tml_status tmli_model_find_road(const tml_spec *spec, const char *name, tml_mark at, int *road,
                                tml_error *err);
/** Add a link (measure between two nodes); counted angles get their place in state.angle. Returns its index,
 * -1: memory. */
int tmli_model_add_measure_use(tml_model *m, tmli_measure measure, int node_a, int node_b);
tmli_pose tmli_node_start_pose(const tml_model *m, int node);
/** A position that outlives the spec. */
tml_mark tmli_model_keep_mark(tml_model *m, tml_mark at);

tml_status tmli_model_build_constraints(const tml_spec *spec, tml_model *m, tml_error *err);
tml_status tmli_model_build_forces(const tml_spec *spec, tml_model *m, tml_error *err);
tml_status tmli_model_build_outputs(const tml_spec *spec, tml_model *m, tml_error *err);
tml_status tmli_model_build_pattern(tml_model *m, tml_error *err);
/** Hold the rotations that have no inertia and that nothing can cause. */
tml_status tmli_model_find_massless_rotations(tml_model *m, tml_error *err);
/** Take these rotations out of the velocities of x. */
void tmli_model_stop_massless_rotations(const tml_model *m, tml_state *x);
/** Give every switch in forces and motions its place in state.mode. */
tml_status tmli_model_number_modes(tml_model *m, tml_error *err);
/** The modes of an expression at x, NULL: evaluated as written. */
static inline const double *tmli_modes(const tml_state *x, int mode)
{
    return mode > 0 ? x->mode + mode - 1 : NULL;
}

/** Which variables an expression may name beside t and the parameters. */
typedef enum tmli_scope_level {
    TMLI_SCOPE_TIME,   // t only (drivers)
    TMLI_SCOPE_STATE,  // and positions, velocities, joint coordinates (forces, events)
    TMLI_SCOPE_OUTPUT  // and reactions, forces, quaternions
} tmli_scope_level;

/** Compile an expression of the model. local_x: name of the element's own coordinate in a law ("length",
 * "angle") or NULL. */
tml_status tmli_model_compile(const tml_spec *spec, tml_model *m, const char *text, tml_mark at,
                              tmli_scope_level level, const char *local_x, tmli_expr_vars *out,
                              tml_error *err);
/** Resolve the coordinate a gear, rack or driver names ("pin.angle", "crank.tip.x", "distance(a, b)"). */
tml_status tmli_model_find_coordinate(const tml_spec *spec, tml_model *m, const char *text, tml_mark at,
                                      int *link, tml_error *err);

#endif
