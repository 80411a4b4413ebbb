// The equations of a multibody model: loops over its elements.
#ifndef TMLI_SYSTEM_MULTIBODY_MULTIBODY_H
#define TMLI_SYSTEM_MULTIBODY_MULTIBODY_H

#include "model/model.h"

/** Scratch memory of one evaluation: poses of the nodes and the local matrices of one element at a time. */
typedef struct tmli_mbwork {
    tml_env env;
    tmli_pose *pose;  // (nnodes)
    mat3 *T;          // (nnodes) tangent operators of the retraction
    tmli_turn *turn;  // (nnodes) motion over a step
    double *H, *D;    // (6 max_slots)^2 local stiffness and damping, row-major
    double *B;        // (max_rows x 6 max_slots) local rows
    double *C;        // (max_act^2) compressed local matrix
    double *gd, *gu;  // (6 max_slots) derivatives of a scalar by increments and by velocities
    double *vx, *vg;  // (max_vars) values and derivatives of an expression's variables
    double *mu;       // (max_rows)
} tmli_mbwork;

static inline const tmli_pose *tmli_pose_of(const tmli_mbwork *w, const tmli_pose *ground, int node)
{
    return node < 0 ? ground : &w->pose[node];
}

/** A counted angle: the turn nearest to its last accepted value; other links as they are. */
static inline double tmli_mb_counted(const tmli_measure_use *l, const tml_state *x, double raw)
{
    const double two_pi = 6.28318530717958647692;
    return l->angle < 0 ? raw : raw + two_pi * round((x->angle[l->angle] - raw) / two_pi);
}

/** The model behind a system; NULL if there is none. */
const tml_model *tmli_mb_model(const tml_system *sys);

void tmli_mb_set_poses(const tml_model *m, tmli_mbwork *w, const double *q);
/** Velocity (6) of a node, zeros for coordinates that do not exist and for the ground. */
void tmli_mb_node_velocity(const tml_model *m, const double *u, int node, double v[6]);
/** Value of a link, counted angles near their last accepted value; u12 (may be NULL) gets the velocities of
 * its nodes. */
double tmli_mb_measure_value(const tml_model *m, const tmli_mbwork *w, const tml_state *x, int link,
                             double *u12);

/** motion (n) += inertia of all bodies without forces, M udot + w x J w - m g. */
void tmli_mb_add_inertia(const tml_model *m, const tml_state *x, double *motion);
/** motion (n) -= generalized forces of all force elements; poses are set. */
void tmli_mb_add_forces(const tml_model *m, tmli_mbwork *w, const tml_state *x, double *motion);

/** mu (nrows) = lambda + p Phi of one constraint; p NULL: lambda. */
void tmli_mb_constraint_mu(const tmli_constraint *c, const tml_state *x, const double *p, const double *phi,
                           double *mu);

// ---- iteration matrix (assemble.c) ------------------------------------------------------------------------

/** values (entries of the pattern) = D alone. */
void tmli_mb_assemble_damping(const tml_model *m, tmli_mbwork *w, const tml_state *x, double *values);
/** Mass and gyroscopic damping of one node (6 x 6 each, row-major). */
void tmli_mb_node_blocks(const tml_model *m, int i, const tml_state *x, double M[36], double D[36]);
/** assemble_parts of the system contract. */
tml_status tmli_mb_assemble_parts(const void *self, void *work, const tml_state *x, double *M, double *D,
                                  double *K, tml_error *err);
/** assemble of the system contract. */
tml_status tmli_mb_assemble(const void *self, void *work, const tml_state *x, const tml_assembly *a,
                            double *values, tml_error *err);

// ---- constraints (constraints.c); poses are set -----------------------------------------------------------

/** phi (nrows) of one constraint, and, where not NULL: target's first and second derivative in time (row 0).
 */
void tmli_mb_constraint_value(const tml_model *m, const tmli_mbwork *w, const tml_state *x,
                              const tmli_constraint *c, double *phi);
void tmli_mb_constraint_time(const tmli_constraint *c, const tml_state *x, double jet[3]);
/** Target of a motion at time t, on the branches of x. */
double tmli_mb_motion(const tmli_constraint *c, const tml_state *x, double t);
/** phi and the rows of B (into w->B, as below) at once: a measure's gradient gives its value for nothing. */
void tmli_mb_constraint_value_rows(const tml_model *m, tmli_mbwork *w, const tml_state *x,
                                   const tmli_constraint *c, double *phi);
/** dphi (nrows) = change of one constraint from x0 (its poses are set) over the increment d with its w->turn,
 * to time t1. */
void tmli_mb_constraint_increment(const tml_model *m, const tmli_mbwork *w, const tml_state *x0,
                                  const tmli_constraint *c, const double *d, double t1, double *dphi);
/** w->B (nrows x 6 nslots) = rows of one constraint. */
void tmli_mb_constraint_rows(const tml_model *m, tmli_mbwork *w, const tmli_constraint *c);
/** w->H += sum mu_r N_r, (6 nslots)^2. */
void tmli_mb_constraint_hessian(const tml_model *m, tmli_mbwork *w, const tmli_constraint *c,
                                const double *mu);
/** out (6 nslots per row) = (B v)_d; v (n). */
void tmli_mb_constraint_rows_times(const tml_model *m, tmli_mbwork *w, const tmli_constraint *c,
                                   const double *v, double *out);
/** gamma (nrows). */
void tmli_mb_constraint_gamma(const tml_model *m, tmli_mbwork *w, const tml_state *x,
                              const tmli_constraint *c, double *gamma);
/** gamma_d and gamma_u of one constraint (nrows x 6 nslots each). Uses w->H. */
void tmli_mb_constraint_gamma_derivatives(const tml_model *m, tmli_mbwork *w, const tml_state *x,
                                          const tmli_constraint *c, double *by_d, double *by_u);
/** Wrench (f, moment) of a joint on its second body, inertial frame, at the joint's frame. Uses w->B. */
void tmli_mb_reaction(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_constraint *c,
                      double out[6]);

// ---- pins of planar models (pin.c) ------------------------------------------------------------------------

/** True if the functions below hold for the constraint. */
bool tmli_mb_is_pin(const tml_model *m, const tmli_constraint *c);
/** phi (2); poses are set. */
void tmli_mb_pin_value(const tml_model *m, const tmli_mbwork *w, const tmli_constraint *c, double *phi);
/** w->B and, if not NULL, phi (2); poses are set. */
void tmli_mb_pin_rows(const tml_model *m, tmli_mbwork *w, const tmli_constraint *c, double *phi);
/** dphi (2) += change over the increment d; poses of the start and turns are set. */
void tmli_mb_pin_increment(const tml_model *m, const tmli_mbwork *w, const tmli_constraint *c,
                           const double *d, double *dphi);

// ---- forces (forces.c); poses are set ---------------------------------------------------------------------

/** Q (6 nslots, added) = generalized force of one element. */
void tmli_mb_force(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f, double *Q);
/** w->H += -dQ/dd, w->D += -dQ/du of one element. */
void tmli_mb_force_tangent(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f);
/** Potential energy [J] and power [W] of what has no potential. */
void tmli_mb_force_energy(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f,
                          double *potential, double *power);
/** Values of the variables of one of its expressions (law, wrench). */
void tmli_mb_law_variables(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f,
                           const tmli_expr_vars *v, double *values);
/** Scalar force of a spring or torsion [N or N m], positive in tension, or of a tyre [N], positive: it
 * pushes. */
double tmli_mb_scalar_force(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f);

/** Compression of a tyre [m]. */
double tmli_mb_tyre_compression(const tml_model *m, const tmli_mbwork *w, const tml_state *x,
                                const tmli_force *f);

// ---- switches (switches.c), of the system contract --------------------------------------------------------

void tmli_mb_event_values(const void *self, void *work, const tml_state *x, double *margin);
void tmli_mb_event_of_time(const void *self, int i, double t, const double *mode, double jet[3]);
int tmli_mb_switch_modes(const void *self, void *work, tml_state *x, const tml_state *later, bool all,
                         int *constraint);

double tmli_mb_soft_mode(const void *self, int i, double width);

// ---- facts (facts.c) --------------------------------------------------------------------------------------

/** Time enters neither forces nor constraints. */
bool tmli_mb_is_autonomous(const tml_model *m);
/** Every force has a potential, and no constraint moves: the power that energy gives is 0. */
bool tmli_mb_is_conservative(const tml_model *m);
/** *loops: bodies are connected in more than one way. */
tml_status tmli_mb_find_loops(const tml_model *m, bool *loops, tml_error *err);

// ---- signals (signals.c) ----------------------------------------------------------------------------------

/** Value of a compiled expression at a state; poses are set. */
double tmli_mb_expression(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_expr_vars *v);

#endif
