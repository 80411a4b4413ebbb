// The contract of force elements: one const table of functions per type, each type in its own file.
//
// An element acts on nodes: rigid bodies, point masses, or whatever has coordinates of its own. The nodes on
// which it acts and those that its laws use are the slots of its plan (model/model.h), each with 6 local
// coordinates (translation in inertial axes, rotation in body axes). An element computes with all of them;
// the caller drops those that do not exist. With the increment d and the velocity u of the slots,
//   Q = generalized force,   H = -dQ/dd,   D = -dQ/du                                                  (1)
//   P = power of the part of Q without a potential U:  Q.u = P - dU/dt                                 (2)
// An element with its own inertia has a mass matrix M(d) between its nodes, beside the inertia that the nodes
// have by themselves, and adds its gyroscopic forces to Q. A first-order state zdot = g(d, u, z, t) of an
// element is a node with one coordinate: its velocity is z and the "force" on it is g, so that (1) covers it.
//
// To add a type: its file here, one line in TML_FORCE_TYPE_LIST (include/trammel/forces.h), its row and keys
// in spec/schema_forces.c. docs/extending.md shows an example.
#ifndef TMLI_ELEMENT_FORCE_FORCE_H
#define TMLI_ELEMENT_FORCE_FORCE_H

#include "model/view.h"

enum { TMLI_FORCE_CHANNELS = 24 };  // channels of one force, at most
enum { TMLI_FORCE_CONTACTS = 24 };  // contact forces of one force, at most
enum { TMLI_FORCE_LOCALS = 4 };     // variables of its laws that are its own, at most

/** How a force acts on a node. */
typedef enum tmli_touch {
    TMLI_TOUCH_NONE,   // it does not
    TMLI_TOUCH_POINT,  // its line of action always passes through a point of the node
    TMLI_TOUCH_TORQUE  // it may have a torque about any point
} tmli_touch;

/** A point at which shapes of two nodes touch, or would touch if they moved towards each other: half way
 * between their surfaces, in axes of the states. */
typedef struct tmli_near_point {
    int node[2];  // -1: ground
    double gap;   // [m], negative where they overlap
    vec3 place;
    vec3 normal;  // from the first to the second
} tmli_near_point;
typedef void tmli_point_visit(const tmli_near_point *p, void *user);

/** What a type needs to build an element. */
typedef struct tmli_force_builder {
    const tml_spec *spec;
    tml_model *m;
    tml_error *err;
} tmli_force_builder;

/** A step from x0 to x1 = x0 (+) d with its middle x0 (+) d/2, for mean forces. */
typedef struct tmli_step_view {
    tmli_view start, middle, end;
    const double *d;  // (n)
    double h;         // [s]
    double decay;     // share of the change of a stress beyond its mean, >= 0
} tmli_step_view;

typedef struct tmli_force_ops {
    size_t size;  // of its data
    int nchannels;
    const tmli_force_channel *channel;
    bool uses_time;       // Q depends on time other than through its laws
    tmli_work_kind work;  // what the power without a potential is of, but for that of a kind by itself
    bool elastic_part;    // its nodes are those of one body, which it makes elastic

    /** Set f->data, which is all 0, the laws, the modes and the plan of f from its definition. */
    tml_status (*build)(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f);
    /** Free what build allocated outside of the arena of the model. NULL: nothing. */
    void (*destroy)(const tml_env *env, void *data);

    /** F of a force Q = -F g along the coordinate f->use, with the value x and the rate v of this coordinate.
     * by (may be NULL): its derivatives by x and v. Only if f->is_scalar; g and poses are not used. NULL: the
     * type is none. */
    double (*scalar_force)(const tmli_force *f, const tmli_view *w, double x, double v, double by[2]);
    /** Q (6 nslots) += generalized force. NULL: all of it is that of its rows. */
    void (*force)(const tmli_force *f, const tmli_view *v, double *Q);
    /** H, D (6 nslots square, row-major) += tangents of (1). NULL as `force`. With f->diagonal_tangent (a
     * force that couples too many nodes for a matrix): the diagonal blocks alone, (nslots) x (6 x 6). */
    void (*tangent)(const tmli_force *f, const tmli_view *v, double *H, double *D);
    /** C (rows x 6 nslots) += -dQ/dlambda by the multipliers of the rows of the constraints f->load and the
     * f->nloads - 1 next. Only if f->load >= 0. */
    void (*by_multipliers)(const tmli_force *f, const tmli_view *v, double *C);
    /** *potential [J] += U, power[KIND] [W] += the parts of P of (2) by what they are of: `f->work`, or kinds
     * of their own such as that of a damper beside a law. NULL: no potential; P is that of `force`, or 0. */
    void (*energy)(const tmli_force *f, const tmli_view *v, double *potential, double power[TMLI_WORK_KINDS]);
    /** Set the kinds of work that `energy` may find. NULL: f->work alone. */
    void (*works)(const tmli_force *f, bool works[TMLI_WORK_KINDS]);
    /** P of an element without a potential, Q.u [W]. NULL: from `force`. */
    double (*power)(const tmli_force *f, const tmli_view *v);
    /** Q (6 nslots) += mean force over a step: with U and P of (2), P at the middle,
     *   Q.d = U0 - U1 - loss + h P,   loss >= 0 and 0 without decay.
     * NULL: the force at the middle and a force along the motion that makes up for the difference. Elements
     * with stiff directions need their own: at the middle of the straight path between two positions they are
     * strained although they are at neither end. */
    void (*mean)(const tmli_force *f, const tmli_step_view *s, double *Q);
    /** H_end, H, D += tangents of -`mean` by increments at the end, by increments at the middle, by the
     * velocity at the middle. NULL: those of `tangent` at the middle. */
    void (*mean_tangent)(const tmli_force *f, const tmli_step_view *s, double *H_end, double *H, double *D);
    /** M (6 nslots square) += mass matrix. NULL: it has no inertia. */
    void (*mass)(const tmli_force *f, const tmli_view *v, double *M);
    /** Q (6 nslots) -= M a for the accelerations a (6 nslots). */
    void (*inertia)(const tmli_force *f, const tmli_view *v, const double *a, double *Q);
    /** H += d(M a)/dd for constant accelerations a (6 nslots). */
    void (*mass_tangent)(const tmli_force *f, const tmli_view *v, const double *a, double *H);

    /** values (nchannels): the channels of kind VALUE. NULL: there are none. */
    void (*channels)(const tmli_force *f, const tmli_view *v, double *values);
    /** out (f->ncontacts): its contact forces. NULL: it has none. */
    void (*contacts)(const tmli_force *f, const tmli_view *v, tmli_contact_force *out);
    /** Visit its points of contact. NULL: it has none. */
    void (*points)(const tmli_force *f, const tmli_view *v, tmli_point_visit *visit, void *user);
    /** Values of the variables of its laws that are its own (length, rate). NULL: there are none. */
    void (*locals)(const tmli_force *f, const tmli_view *v, double *local);

    /** Limits of the coordinate f->use. NULL: it has none. */
    void (*bounds)(const tmli_force *f, double *lower, double *upper);

    /** Visit the tables of the element, other than those of its laws, with their arguments. NULL: none. */
    void (*tables)(const tmli_force *f, const tmli_view *v, tmli_table_visit *visit, void *user);

    /** values (nmodes): event functions of the branches `mode`, positive on them. NULL if nmodes = 0. */
    void (*event_values)(const tmli_force *f, const tmli_view *v, const double *mode, double *values);
    /** Update the modes whose branch has ended, or all. Exactly at the end of a branch the slightly later
     * state (NULL: not known) selects the next one. Returns the number of changed modes. */
    int (*update_modes)(const tmli_force *f, const tmli_view *v, const tmli_view *later, bool all,
                        double *mode);

    /** The largest gap of its closed unilateral constraints, or depth, by the modes of the state, in model
     * lengths or rad: their rows are at velocity level, and errors of the steps move them. NULL: none. */
    double (*drift)(const tmli_force *f, const tmli_view *v);
    /** True if a unilateral constraint of the element does not hold at the state, by more than round-off,
     * with a sentence about it. NULL: it has none. */
    bool (*violated)(const tmli_force *f, const tmli_view *v, char *text, size_t size);

    /** True if bodies are deeper in each other at the state than any load at rest presses them, with a
     * sentence about it. NULL: never so. */
    bool (*sunk)(const tmli_force *f, const tmli_view *v, char *text, size_t size);

    /** True if P of (2) is always 0. NULL: it may not be. */
    bool (*conservative)(const tmli_force *f);
    /** Speed of creep [m/s or rad/s] of regularized friction. NULL: there is none. */
    double (*creep)(const tmli_force *f);
    /** How the force acts on a node of its plan; POINT: sets the point, body frame [m]. */
    tmli_touch (*touch)(const tmli_force *f, int node, vec3 *point);
} tmli_force_ops;

/** The table of the rates of first-order states, which is not a type of the user. */
extern const tmli_force_ops tmli_force_rate;
tml_status tmli_force_build_rate(const tmli_force_builder *b, const tmli_state_entry *e, int node,
                                 tmli_force *f);

/** The table of a type. */
const tmli_force_ops *tmli_force_type(tml_force_type type);

/** Q (6 nslots) += a force along the increment d (6 nslots) of a step that does the work `work`: on
 * translations in proportion to them, on rotations to arm^2 times them. relative: the force is zero in the
 * sum, because the mean translation takes no part. terms: absolute sum of the terms of `work`; what is within
 * their round-off is none, because the small increments of small steps would divide it. */
void tmli_force_add_work(int nslots, const double *d, double arm, bool relative, double work, double terms,
                         double *Q);
/** The arm with which g (6 nslots), forces and moments, acts: the ratio of moments to forces [m]; 1 if there
 * are only moments. */
double tmli_force_arm(int nslots, const double *g);
/** d (6 nslots) of the nodes of an element. */
void tmli_force_increments(const tmli_force *f, const tmli_step_view *s, double *d);

// ---- for the types ----------------------------------------------------------------------------------------

/** True if the laws of f depend on its own variables, time and inputs alone. */
bool tmli_force_laws_are_own(const tmli_force *f);
/** Markers of the frames a and b, which must belong to different bodies. */
tml_status tmli_force_find_frames(const tmli_force_builder *b, const tmli_force_entry *e, tmli_marker at[2]);
/** Fails if the body given by `key` is the ground. */
tml_status tmli_force_check_moves(const tmli_force_builder *b, const tmli_force_entry *e, const char *key,
                                  int body);
/** Fails if the body is a point mass, which cannot take a torque. */
tml_status tmli_force_check_torque(const tmli_force_builder *b, const tmli_force_entry *e, int body);
/** The curve of the key `table`; NULL if it is not given. */
tml_status tmli_force_table(const tmli_force_builder *b, const tmli_force_entry *e, const tmli_curve **out);
/** Make room for `count` laws. */
tml_status tmli_force_alloc_laws(const tmli_force_builder *b, tmli_force *f, int count);
/** Compile law k; local: as in tmli_model_compile. text NULL: none. */
tml_status tmli_force_compile(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f, int k,
                              const char *text, const char *key, const char *const *local);
/** Last step of build: the plan of the nodes (count) on which f acts and of those its laws use. slot (count)
 * gets the slots of `node`, -1 for the ground. */
tml_status tmli_force_plan(const tmli_force_builder *b, tmli_force *f, int count, const int *node, int *slot);

#endif
