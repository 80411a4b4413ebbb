// The equations of a multibody model: loops over its elements.
#ifndef TMLI_SYSTEM_MULTIBODY_MULTIBODY_H
#define TMLI_SYSTEM_MULTIBODY_MULTIBODY_H

#include "element/force/force.h"
#include "model/captured.h"

#include <math.h>

/** The model of a system; NULL: it is not the system of a model. */
const tml_model *tmli_mb_model(const tml_system *sys);

/** pose (nnodes) = poses of all nodes at q, or of one node. */
void tmli_mb_poses(const tml_model *m, const double *q, tmli_pose *pose);
static inline void tmli_mb_node_pose(const double *q, int node, tmli_pose *pose)
{
    pose[node].r = v3_from(q + 7 * node);
    pose[node].R = q_matrix(q_from(q + 7 * node + 3));
}
static inline void tmli_mb_set_poses(const tml_model *m, tmli_work *w, const double *q)
{
    if (!w->poses_given) tmli_mb_poses(m, q, w->pose);
}
/** Forget the measures of another state. */
static inline void tmli_mb_forget_measures(const tml_model *m, tmli_work *w)
{
    for (int i = 0; i < 2 * m->nmeasure_uses; i++) w->known[i] = NAN;
}
/** Begin an evaluation at x whose elements share the values of measures. */
static inline void tmli_mb_begin(const tml_model *m, tmli_work *w, const tml_state *x)
{
    tmli_mb_set_poses(m, w, x->q);
    if (!w->poses_given) tmli_mb_forget_measures(m, w);
}
/** tmli_measure_of with the poses of w, which are set. */
static inline double tmli_mb_measure_value(const tml_model *m, const tmli_work *w, const tml_state *x,
                                           int index, double *u12)
{
    return tmli_measure_of(m, w->pose, x, index, u12);
}
/** w->increment and w->turned of the increment d (n) from x0, for tmli_mb_constraint_increment. */
void tmli_mb_set_increments(const tml_model *m, tmli_work *w, const tml_state *x0, const double *d);
/** motion (n) += inertia of all bodies without forces, M udot + w x J w - m g. */
void tmli_mb_add_inertia(const tml_model *m, const tml_state *x, double *motion);
/** motion (n) -= generalized force of f; poses are set. */
void tmli_mb_add_force(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f,
                       double *motion);
/** motion (n) -= generalized forces of all force elements but those marked in skip (nforces, NULL: none);
 * poses are set. */
void tmli_mb_add_forces(const tml_model *m, tmli_work *w, const tml_state *x, const bool *skip,
                        double *motion);

/** True if a law of f depends on inputs. */
bool tmli_mb_uses_inputs(const tmli_force *f);
/** motion (n) -= change of the generalized forces of all force elements but those marked in skip (nforces,
 * NULL: none), if the inputs of x become those of `with`; poses are set. */
void tmli_mb_add_input_change(const tml_model *m, tmli_work *w, const tml_state *x, const tml_state *with,
                              const bool *skip, double *motion);
/** motion (n) += M udot of the elements with inertia; poses are set. */
void tmli_mb_add_element_inertia(const tml_model *m, tmli_work *w, const tml_state *x, double *motion);

/** mu (nrows) = lambda + p Phi of one constraint; p NULL: lambda. */
void tmli_mb_constraint_mu(const tmli_constraint *c, const tml_state *x, const double *p, const double *phi,
                           double *mu);

// ---- iteration matrix (assemble.c) ------------------------------------------------------------------------

/** values (entries of the pattern) = D alone. */
void tmli_mb_assemble_damping(const tml_model *m, tmli_work *w, const tml_state *x, double *values);
/** Mass and gyroscopic damping of one node (6 x 6 each, row-major). */
void tmli_mb_node_blocks(const tml_model *m, int i, const tml_state *x, double M[36], double D[36]);
/** assemble_parts of the system contract. */
tml_status tmli_mb_assemble_parts(const void *self, void *work, const tml_state *x, double *M, double *D,
                                  double *K, tml_error *err);
/** assemble of the system contract. */
tml_status tmli_mb_assemble(const void *self, void *work, const tml_state *x, const tml_assembly *a,
                            double *values, tml_error *err);

// ---- means over a step (mean.c) ---------------------------------------------------------------------------

/** mean_residual of the system contract. */
tml_status tmli_mb_mean_residual(const void *self, void *work, const tml_step *step, double *motion,
                                 tml_error *err);
/** The step as elements see it; sets w->before, w->later and w->increment; the poses of its middle are in
 * w->pose. */
tmli_step_view tmli_mb_step_view(const tml_model *m, tmli_work *w, const tml_step *step);

// ---- constraints (constraints.c); poses are set -----------------------------------------------------------

/** phi (nrows) of one constraint. */
void tmli_mb_constraint_value(const tml_model *m, const tmli_work *w, const tml_state *x,
                              const tmli_constraint *c, double *phi);
/** The motion of row r at x.t, and its first and second derivative in time; 0 without a motion. */
void tmli_mb_row_time(const tmli_constraint *c, const tml_state *x, int r, double jet[3]);
/** phi and the rows of B (in w->B, as below) at once: the gradient of a measure gives its value at no
 * cost. */
void tmli_mb_constraint_value_rows(const tml_model *m, tmli_work *w, const tml_state *x,
                                   const tmli_constraint *c, double *phi);
/** TML_RETRY with a message if the joint is on another branch than at the start; poses are set. */
tml_status tmli_mb_constraint_branch(const tmli_work *w, double t, const tmli_constraint *c, tml_error *err);
/** dphi (nrows) = change of one constraint from x0 to time t1 over the increment d; the poses of x0 and
 * w->increment of d are set. */
void tmli_mb_constraint_increment(const tml_model *m, const tmli_work *w, const tml_state *x0,
                                  const tmli_constraint *c, const double *d, double t1, double *dphi);
/** w->B (nrows x 6 nslots) = rows of one constraint. */
void tmli_mb_constraint_rows(const tml_model *m, tmli_work *w, const tmli_constraint *c);
/** rows (nrows x 6 nslots) = 0. */
static inline void tmli_mb_clear_rows(const tmli_constraint *c, double *rows)
{
    for (int i = 0; i < c->nrows * 6 * c->plan.nslots; i++) rows[i] = 0;
}
/** The same, at x: a row that is released is 0. Functions without x are for joints. */
void tmli_mb_rows_at(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_constraint *c);
/** w->H += sum mu_r N_r, (6 nslots)^2. */
void tmli_mb_constraint_hessian(const tml_model *m, tmli_work *w, const tmli_constraint *c, const double *mu);
/** out (6 nslots per row) = (B v)_d; v (n). */
void tmli_mb_constraint_rows_times(const tml_model *m, tmli_work *w, const tmli_constraint *c,
                                   const double *v, double *out);
/** gamma (nrows). */
void tmli_mb_constraint_gamma(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_constraint *c,
                              double *gamma);
/** gamma_d and gamma_u of one constraint (nrows x 6 nslots each). Uses w->H. */
void tmli_mb_constraint_gamma_derivatives(const tml_model *m, tmli_work *w, const tml_state *x,
                                          const tmli_constraint *c, double *by_d, double *by_u);
/** Reaction of a joint on its second body: force [N] and moment [N m] in the inertial frame, at the origin of
 * marker b. */
void tmli_mb_reaction(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_constraint *c,
                      double out[6]);

// ---- pins of planar models, balls of spatial ones (pin.c) -------------------------------------------------

/** True if the first three rows of c are x, y and z between two points of a spatial model. */
bool tmli_mb_is_ball(const tml_model *m, const tmli_constraint *c);
/** Sets these rows in w->B, which is 0, and adds the distances to phi (NULL: it does not). */
void tmli_mb_ball_rows(const tml_model *m, tmli_work *w, const tmli_constraint *c, double *phi);

/** True if the functions below are valid for the constraint. */
bool tmli_mb_is_pin(const tml_model *m, const tmli_constraint *c);
/** phi (2); poses are set. */
/** phidot (2): rate of a pin at the velocities u (n). */
void tmli_mb_pin_velocity(const tml_model *m, const tmli_work *w, const tmli_constraint *c, const double *u,
                          double *phidot);
void tmli_mb_pin_value(const tml_model *m, const tmli_work *w, const tmli_constraint *c, double *phi);
/** w->B and, if not NULL, phi (2); poses are set. */
void tmli_mb_pin_rows(const tml_model *m, tmli_work *w, const tmli_constraint *c, double *phi);
/** dphi (2) += change over the increment d; poses of the start and w->increment of d are set. */
void tmli_mb_pin_increment(const tml_model *m, const tmli_work *w, const tmli_constraint *c, const double *d,
                           double *dphi);

// ---- forces (forces.c); poses are set ---------------------------------------------------------------------

/** Q (6 nslots) += generalized force of one element. */
void tmli_mb_force(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f, double *Q);
/** Visit the tables that motions and forces use, with their arguments at x. */
void tmli_mb_visit_tables(const tml_model *m, tmli_work *w, const tml_state *x, tmli_table_visit *visit,
                          void *user);
/** w->H += -dQ/dd, w->D += -dQ/du of one element. */
void tmli_mb_force_tangent(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f);
/** potential [J] += energy of one element; power [W] += power of its forces without a potential. */
void tmli_mb_force_energy(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f,
                          double *potential, double *power);
/** M ((6 nslots)^2) += mass matrix of one element with inertia. */
void tmli_mb_force_mass(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f, double *M);
/** Kinetic energy [J] of one element with inertia; uses w->H. */
double tmli_mb_force_kinetic(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f);
/** values (nchannels) of one element. */
void tmli_mb_force_channels(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f,
                            double *values);

/** out (3 ncoords): the coordinates of a joint, their rates, their accelerations. */
void tmli_mb_coordinates(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_constraint *c,
                         double *out);
/** out (ncontacts x tmli_contact_quantities): the contact forces of one element. */
void tmli_mb_contact_forces(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f,
                            double *out);

// ---- power (power.c) --------------------------------------------------------------------------------------

/** Lists the forces and constraints that may have power, and their nodes. */
tml_status tmli_mb_list_power(tml_model *m, tml_error *err);
/** power of the system contract. */
tml_status tmli_mb_power(const void *self, void *work, const tml_state *x, double *power, tml_error *err);
/** Power [W] of constraints with a motion, by the multipliers (m). Of x: the time and modes. */
double tmli_mb_driven_power(const tml_model *m, const tml_state *x, const double *lambda);
/** power [W] += that of constraints with a motion. */
void tmli_mb_add_driven_power(const tml_model *m, tmli_work *w, const tml_state *x, double *power);
/** Parts of the power that `energy` or `power` found last in this work: of drivers, applied forces and laws;
 * of contacts [W]. */
void tmli_mb_power_parts(const void *work, double *supplied, double *touching);
/** Doubles that tmli_mb_power_fit stores. */
static inline size_t tmli_mb_power_fit_size(const tml_model *m) { return 18 * (size_t)m->npower_nodes; }
/** tmli_quintic_fit and tmli_quintic_at (system/state/quintic.h) for what tmli_mb_power needs: time, counted
 * angles, modes, inputs, and the motion of the power nodes alone. Only if m->power_of_bodies. */
void tmli_mb_power_fit(const tml_model *m, const tml_state *a, const tml_state *x, double h, double *memory);
void tmli_mb_power_move(const tml_model *m, const tml_state *a, const tml_state *x, double h, double theta,
                        const double *memory, tml_state *out);

// ---- configuration (configuration.c), of the system contract ----------------------------------------------

void tmli_mb_retract(const void *self, const double *q, const double *d, double *out);
/** The same for node i, a body or amplitudes, with its increment d. */
void tmli_mb_node_retract(const tml_model *m, int i, const double q[7], const double d[6], double out[7]);
/** The configuration of the first-order states, the last nodes: out = q (+) d, and d from q0 to q1. */
void tmli_mb_retract_states(const tml_model *m, const double *q, const double *d, double *out);
void tmli_mb_local_states(const tml_model *m, const double *q0, const double *q1, double *d);
void tmli_mb_local(const void *self, const double *q0, const double *q1, double *d);
void tmli_mb_tangent_inverse(const void *self, const double *d, const double *u, double *out);
void tmli_mb_tangent(const void *self, const double *d, const double *v, double *out);
void tmli_mb_tangent_rate(const void *self, const double *d, const double *v, double *out);
void tmli_mb_tangent_derivatives(const void *self, const double *x, const double *u, double *first,
                                 double *second);
void tmli_mb_compose(const void *self, const double *d1, const double *d2, double *out);
void tmli_mb_add_turns(const void *self, const double *near, double *d);
void tmli_mb_count(const void *self, const tml_state *x0, const double *d, double *angle);
/** True if no angle can turn by half a turn over the increment d. */
bool tmli_mb_turns_little(const tml_model *m, const double *d);
/** Change of the counted angle `use` over the increment d of q, to well within half a turn; 0 if it is
 * small. th: rotations of its two bodies over the increment, body frames. */
double tmli_mb_turning_by(const double *q, const tmli_measure_use *use, const vec3 th[2]);
double tmli_mb_turning(const tml_model *m, const double *q, const double *d, const tmli_measure_use *use);

// ---- discontinuities (discontinuities.c), of the system contract ------------------------------------------

void tmli_mb_event_values(const void *self, void *work, const tml_state *x, double *out);
void tmli_mb_event_of_time(const void *self, int i, double t, const double *mode, double jet[3]);
int tmli_mb_switch_modes(const void *self, void *work, tml_state *x, const tml_state *later, bool all,
                         int *constraint);
double tmli_mb_reach(const void *self, const double *q);
double tmli_mb_soft_mode(const void *self, int i, double width);
/** out (npole_values): the quantities at x whose zeros may be poles; see tmli_expr_pole_values. */
void tmli_mb_pole_values(const tml_model *m, tmli_work *w, const tml_state *x, double *out);
/** Value at x of m->pole[i], a law or a motion. */
double tmli_mb_pole_law(const tml_model *m, tmli_work *w, const tml_state *x, int i);

// ---- properties (properties.c) ----------------------------------------------------------------------------

/** f and gamma of the forces and prescribed motions that depend on time; see time_parts of tml_system_ops. */
tml_status tmli_mb_time_parts(const void *self, void *work, const tml_state *x, double *f, double *gamma,
                              tml_error *err);
/** TML_OK, or an error that names the cause if f (n) or gamma (m) are not finite. */
tml_status tmli_mb_check_finite(const tml_model *m, tmli_work *w, const tml_state *x, const double *f,
                                const double *gamma, tml_error *err);
/** True if neither forces nor constraints depend on time. */
bool tmli_mb_is_autonomous(const tml_model *m);
/** True if every force has a potential and no constraint depends on time: the power given by energy is 0. */
bool tmli_mb_is_conservative(const tml_model *m);
/** *loops: the graph of bodies and joints has a closed loop. */
tml_status tmli_mb_find_loops(const tml_model *m, bool *loops, tml_error *err);

// ---- labels (labels.c), of the system contract ------------------------------------------------------------

const char *tmli_mb_coordinate_name(const tml_system *sys, int i, char *buf, size_t size);
const char *tmli_mb_row_name(const tml_system *sys, int r, char *buf, size_t size);
const char *tmli_mb_row_unit(const tml_system *sys, int r);
const char *tmli_mb_mode_name(const tml_system *sys, int i, char *buf, size_t size);

// ---- unilateral constraints (discontinuities.c) -----------------------------------------------------------

/** True if bodies are too deep in each other by user force i (`sunk` of element/force/force.h). */
bool tmli_mb_has_sunk(const tml_model *m, tmli_work *w, const tml_state *x, int i, char *text, size_t size);
/** True if a unilateral constraint of user force i does not hold at the start x, with a sentence about it. */
bool tmli_mb_starts_beyond(const tml_model *m, tmli_work *w, const tml_state *x, int i, char *text,
                           size_t size);

// ---- captured contacts (contacts.c) -----------------------------------------------------------------------

/** Most points of captured contacts at once; 0: there are none. */
int tmli_mb_captured_room(const tml_model *m);
/** The points that may touch within h [s] from x on; returns their number, -1: more than `room`. */
int tmli_mb_captured_points(const tml_model *m, tmli_work *w, const tml_state *x, double h,
                            tmli_captured_point *out, int room);
/** acted (n): coordinates on which force elements act. False: nothing but gravity acts on bodies, and there
 * are no constraints. */
bool tmli_mb_mark_acted(const tml_model *m, bool *acted);

// ---- expressions (forces.c) -------------------------------------------------------------------------------

/** Value of an expression at a state; poses are set. */
double tmli_mb_expression(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_expr_vars *e);
/** The same, with 0 for positions, angles and their rates that are round-off: what rests there does not cross
 * it. */
double tmli_mb_event_expression(const tml_model *m, tmli_work *w, const tml_state *x,
                                const tmli_expr_vars *e);

#endif
