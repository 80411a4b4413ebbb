// The state-space reduction: a constrained system in as many coordinates v as it has degrees of freedom.
//
// Around the configuration q0 at the start of a step increments are split by a basis [V U] of R^n, V: n x dof
//   q = q0 (+) d,   d = V v + U w                                                             (1)
//   Phi(q0 (+) (V v + U w), t) = 0         -> w(v, t)      dependent positions               (2)
//   B T(d) (V v' + U w') = nu              -> w', u = T(d) d'                                 (3)
//   M udot + B' lambda = f,  B udot = gamma -> udot, lambda                                    (4)
//   v'' = V+ inverse(T) (udot - T' d')     V+: rows with V+ V = 1, V+ U = 0                   (5)
// Together an ordinary differential equation v'' = a(t, v, v'). At the centre v = 0 the tangent operator is
// the identity.
//   partition  V and U are columns of the identity: independent and dependent coordinates, chosen by
//              factoring B with full pivoting in units of the model (Wehage, Haug, J. Mech. Des. 104 (1982)
//              247-255)
//   tangent    V spans the null space of B at the centre, U its orthogonal complement (units of the model)
// A basis is kept while B U stays well conditioned. Redundant rows of B are left out of (2) and (3); their
// multipliers are 0.
//
// Rows at velocity level, B u = nu without Phi, are in (4) only: their B udot = gamma keeps B u - nu
// constant, and the velocities are projected onto them at the end of each step
// (tmli_reduction_project_velocity). There are as many coordinates v as positions are free.          (5')
//
// Systems without constraints have V = 1 and none of (2), (3). Reference: D. Negrut, On the implicit
// integration of differential-algebraic equations of multibody dynamics, thesis, University of Iowa, 1998,
// chapter 3 and appendix B.
#ifndef TMLI_REDUCTION_REDUCTION_H
#define TMLI_REDUCTION_REDUCTION_H

#include "base/base.h"
#include <trammel/integrator.h>
#include <trammel/system.h>

typedef struct tmli_reduction tmli_reduction;

/** Uses coordinates, jacobian, threads and solver of opt. derivatives: those of accelerations will be asked
 * for. count: its residuals and factorizations are counted there. */
tml_status tmli_reduction_create(const tml_system *sys, const tml_integrator_options *opt, bool derivatives,
                                 tml_counters *count, tmli_reduction **out, tml_error *err);
void tmli_reduction_destroy(tmli_reduction *r);  ///< accepts NULL
/** Basis, factors and workspaces; reading provides the memory that a basis needs. */
void tmli_reduction_archive(tmli_reduction *r, tml_archive *a);

/** Put the centre at x (consistent). A new basis is chosen if there is none or the old one is poor: then
 * *changed is true, dof may differ, and a method must transform the vectors it keeps. TML_ERR_SINGULAR: err
 * names the constraint. */
tml_status tmli_reduction_begin(tmli_reduction *r, const tml_state *x, bool *changed, tml_error *err);
int tmli_reduction_dof(const tmli_reduction *r);
/** Its workspace of the system, for use between its own functions. */
void *tmli_reduction_work(const tmli_reduction *r);

/** vd (dof) = V+ u: the velocity of the centre's state. */
void tmli_reduction_velocity(const tmli_reduction *r, const tml_state *x, double *vd);
/** full (n) = H y: increment or velocity at the centre of reduced coordinates y (dof), H = V - U inverse(B U)
 * B V. */
void tmli_reduction_lift(const tmli_reduction *r, const double *y, double *full);
/** Transform a tangent vector y (dof) from the basis before the last change to the present one. */
void tmli_reduction_transform(const tmli_reduction *r, const double *y, double *out);
/** The same for a matrix J (dof x dof, column-major) that maps tangent vectors to tangent vectors. False:
 * the old basis is singular at the present centre; J is unchanged and must be evaluated again. */
bool tmli_reduction_transform_matrix(const tmli_reduction *r, double *J);

/** Solve (2) and (3): x->t, q, u of (t, v, vd); x->mode is an input. TML_RETRY: no convergence. */
tml_status tmli_reduction_solve_dependent(tmli_reduction *r, double t, const double *v, const double *vd,
                                          tml_state *x, tml_error *err);
/** The same starting from the increment d (n) with its rate (n). Two branches meet at a singular
 * configuration, and a distant start may lead to the other one. False: the solution is not the one near d, or
 * it is so close to a singular configuration that it has no digits left. Then x is that of d, which may
 * violate the constraints slightly. */
bool tmli_reduction_solve_dependent_near(tmli_reduction *r, double t, const double *v, const double *vd,
                                         const double *d, const double *rate, tml_state *x);
/** d and rate (n): Hermite interpolation between the states a and b, with their accelerations, at theta in
 * 0..1. */
void tmli_reduction_between(tmli_reduction *r, const tml_state *a, const tml_state *b, double theta,
                            double *d, double *rate);
/** second (n) = d'' of x, the last solution of (2) and (3), with accelerations; d and rate = d' (NULL: not
 * wanted). */
void tmli_reduction_increment(const tmli_reduction *r, const tml_state *x, double *d, double *rate,
                              double *second);
/** Project the velocities of x, the last solution of (2) and (3), onto the rows at velocity level, (5'). The
 * accelerations of a state nearby must have been computed. No effect if there are no such rows. */
tml_status tmli_reduction_project_velocity(tmli_reduction *r, tml_state *x, tml_error *err);
/** udot and lambda of x, the last solution of (2) and (3), and a (dof) = v'', by (4) and (5). */
tml_status tmli_reduction_accelerate(tmli_reduction *r, tml_state *x, double *a, tml_error *err);
/** by_v, by_vd (dof x dof, column-major): derivatives of a at the centre, exact or by differences as the
 * option says; by_t (dof, may be NULL): partial derivative by time. x: the centre's state with udot and
 * lambda. */
tml_status tmli_reduction_jacobian(tmli_reduction *r, const tml_state *x, double *by_v, double *by_vd,
                                   double *by_t, tml_error *err);

/** True if tmli_reduction_jacobian evaluates exact derivatives. */
bool tmli_reduction_is_exact(const tmli_reduction *r);
/** The coordinate of the system that the reduced coordinate k is; -1: tangent coordinates. */
int tmli_reduction_column(const tmli_reduction *r, int k);

// ---- state-space form (independent.c) ---------------------------------------------------------------------

/** psi (dof): residual of the equations of the independent coordinates for accelerations a (dof), with udot
 * and lambda of x, the last solution of (2) and (3), from a, the constraints and the equations of the
 * dependent coordinates. TML_RETRY: B T U is singular there. */
tml_status tmli_reduction_independent_residual(tmli_reduction *r, tml_state *x, const double *a, double *psi,
                                               tml_error *err);
/** False: rows at velocity level restrict the independent accelerations, and no equations of independent
 * coordinates alone exist. */
bool tmli_reduction_has_independent_equations(const tmli_reduction *r);
/** Mr (dof x dof, column-major) = H'M H at the centre, whose state is x. */
tml_status tmli_reduction_reduced_mass(tmli_reduction *r, const tml_state *x, double *Mr, tml_error *err);

// ---- descriptor form --------------------------------------------------------------------------------------
// Newton's method for a stage v = v* + ck a, v' = v'* + cd a with all accelerations and multipliers as
// unknowns:
//   [ M + cd D + ck K   B' ] [ dudot   ]     [ M udot + B' lambda - f ]
//   [ B                 0  ] [ dlambda ] = - [ B udot - gamma         ]                     (6)
// K and D are those of the sparse iteration matrix. They neglect part of the dependence of u and udot on v,
// of the order h |u| / length, which only slows the iteration; tmli_reduction_full_correction adds it.
// Proposition 1 of the thesis: V+ dudot of (6) solves the reduced (1 - cd by_vd - ck by_v) da = V+
// (accelerations of (4) - udot).

/** Factor the matrix of (6) at x (with udot and lambda). */
tml_status tmli_reduction_descriptor_factor(tmli_reduction *r, const tml_state *x, double cd, double ck,
                                            tml_error *err);
/** One correction of x->udot and x->lambda, x the last solution of (2) and (3); da (dof): the change of v''
 * by (5). */
tml_status tmli_reduction_descriptor_correct(tmli_reduction *r, tml_state *x, double *da, tml_error *err);
/** The part of a correction that the neglected derivatives make: x->udot and x->lambda change as they do at
 * the centre when v changes by ck da and v' by cd da. After tmli_reduction_descriptor_factor with cd = ck = 0
 * and tmli_reduction_jacobian, both at the centre. */
void tmli_reduction_full_correction(tmli_reduction *r, const double *da, double cd, double ck, tml_state *x);
/** Add to a (n) the size of the accelerations by which the reactions changed in the last correction, by the
 * diagonal of M. Where rows are at velocity level, the accelerations of a first correction may be right by
 * chance although the multipliers are not. */
void tmli_reduction_add_reaction_change(const tmli_reduction *r, double *a);
/** w (dof) with (1 - cd by_vd - ck by_v) w = b + cd by_v e: errors e of v and b of v', filtered by the last
 * factored matrix, whose cd is given. No evaluation. */
void tmli_reduction_descriptor_filter(tmli_reduction *r, double cd, const double *e, const double *b,
                                      double *w);
/** a (dof) = v'' of x->udot by (5); x is the last solution of (2) and (3). */
void tmli_reduction_acceleration_of(const tmli_reduction *r, const tml_state *x, double *a);

#endif
