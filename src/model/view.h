// The state of a model as its elements see it: poses and velocities of nodes, values of measures and of
// expressions, with their derivatives.
#ifndef TMLI_MODEL_VIEW_H
#define TMLI_MODEL_VIEW_H

#include "model/model.h"

#include <string.h>

/** Scratch memory of one evaluation: poses of the nodes and the local matrices of one element at a time. */
typedef struct tmli_work {
    tml_env env;
    tmli_pose *pose;                 // (nnodes)
    tmli_pose *later;                // (nnodes) poses of a second state: for discontinuities, end of a step
    tmli_pose *before;               // (nnodes) poses at the start of a step
    mat3 *T, *T_end;                 // (nnodes) tangent operators of the retraction; at the end of a step
    tmli_pose_increment *increment;  // (nnodes) increments of the poses over a step
    double *turned;                  // (nangles) changes of the counted angles over it, as by `count`
    double *H, *D;                   // (6 max_slots)^2 local stiffness and damping, row-major
    double *H_end;                   // (6 max_slots)^2 local stiffness by increments at the end of a step
    double *B;                       // (max_rows x 6 max_slots) local rows
    double *C;                       // (max_act^2) compressed local matrix
    double *gd, *gu;                 // (6 max_slots) derivatives of a scalar by increments and by velocities
    double *vx, *vg;                 // (max_vars) values and derivatives of an expression's variables
    double *mu;                      // (max_rows)
    double *loads;                   // (load_entries)
    unsigned char *scratch;          // of forces, at their scratch_at
    const double *actuator;          // (nactuators) forces of the present output; NULL: unknown
    double supplied,
        touching;   // parts of the last power [W]: of drivers, applied forces and laws; of contacts
    double *known;  // (2 nmeasure_uses) values and rates of measures in one evaluation; NAN: not yet computed
    bool poses_given;  // the caller of an evaluation has set poses and the measures that it knows
} tmli_work;

/** A state with the poses of its nodes. */
typedef struct tmli_view {
    const tml_model *m;
    const tml_state *x;
    const tmli_pose *pose;  // (nnodes) of x
    tmli_work *w;
    double *known;  // of this state, as in tmli_work; NULL: nothing is kept
    double drift;   // [model lengths or rad] gaps of closed unilateral constraints, at most; 0: not asked for
} tmli_view;

extern const tmli_pose tmli_ground_pose;

static inline const tmli_pose *tmli_pose_of(const tmli_pose *pose, int node)
{
    return node < 0 ? &tmli_ground_pose : &pose[node];
}

/** True for nodes whose coordinates are the first of the translations, as those of points: they do not
 * rotate. */
static inline bool tmli_node_translates(const tmli_node *n)
{
    return n->ncoords > 0 && n->local[n->ncoords - 1] == n->ncoords - 1 && n->ncoords <= 3;
}
/** Velocity (6) of a node, zeros for coordinates that do not exist and for the ground. */
static inline void tmli_node_velocity(const tml_model *m, const double *u, int node, double v[6])
{
    const tmli_node *n = node < 0 ? NULL : &m->node[node];
    if (n && n->ncoords == 6) {  // in their order
        memcpy(v, u + n->first, 6 * sizeof *v);
        return;
    }
    memset(v, 0, 6 * sizeof *v);
    if (n && n->ncoords == 3 && n->local[2] == 5) {  // x, y, rz of a planar model
        v[0] = u[n->first];
        v[1] = u[n->first + 1];
        v[5] = u[n->first + 2];
        return;
    }
    for (int k = 0; n && k < n->ncoords; k++) v[n->local[k]] = u[n->first + k];
}
/** The value `raw` of a measure; a counted angle is moved by full turns to be nearest to its last accepted
 * value. */
static inline double tmli_counted_angle(const tmli_measure_use *use, const tml_state *x, double raw)
{
    const double two_pi = 6.28318530717958647692;
    return use->angle < 0 ? raw : raw + two_pi * round((x->angle[use->angle] - raw) / two_pi);
}
/** Value of the measure measure_use[index], for counted angles on the turn of their last accepted value. u12
 * (may be NULL) gets the velocities of its nodes. */
double tmli_measure_of(const tml_model *m, const tmli_pose *pose, const tml_state *x, int index, double *u12);

/** Value of a variable of a law: time, motion of nodes. local: values of the variables of the element itself
 * (TMLI_VAR_LOCAL); NULL if it has none. */
double tmli_variable_value(const tmli_view *v, const tmli_var *var, const double *local);
/** Value of a law: an expression of time, motion and the variables of its element. */
double tmli_law_value(const tmli_view *v, const tmli_expr_vars *law, const double *local);
/** Value of a law. Its derivatives by the variables of the element are added to by_local, those by
 * increments and velocities of the nodes of the element to gd and gu (6 nslots each). */
double tmli_law_gradient(const tmli_view *v, const tmli_expr_vars *law, const double *local, double *by_local,
                         double *gd, double *gu);

/** out (6 per slot) += weight g (6) at one slot; nothing for slot -1, the ground. */
static inline void tmli_add_slot(double *out, int slot, const double *g, double weight)
{
    if (slot < 0) return;
    for (int c = 0; c < 6; c++) out[6 * slot + c] += weight * g[c];
}

/** Roll, pitch and yaw of a pose [rad], R = Rz(yaw) Ry(pitch) Rx(roll), and their rates [rad/s] at the
 * angular velocity w in body axes. */
void tmli_attitude(const tmli_pose *x, vec3 w, double out[6]);

#endif
