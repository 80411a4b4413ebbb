// The equations of a system at a state without the inactive rows of that state (trammel/system.h), for
// redundant constraints and singular configurations.
//
// An inactive row r has no equation, and its multiplier is 0: Phi_r = 0, B_r = 0, gamma_r = 0. In the matrix
//   [ A      B'r  0 ]
//   [ r B    0    0 ]
//   [ 0      0   -d ]
// row and column r are zero except for the diagonal -d, d > 0, so that the correction of lambda_r is 0. The
// force that replaces their constraint force is added to the equations of motion. (Matrices omit derivatives
// by u of its small component along the motion.)
//
// These are the functions of the contract, each with the same arguments, for systems with selects_rows. With
// others all rows are active at all states, and these functions are those of the system. What solves the
// equations (consistency/, reduction/, integrate/) evaluates rows by them only. transform_rows mixes rows of
// one frame, so that it is for states with all rows active; so is accelerate.
#ifndef TMLI_SYSTEM_ACTIVE_ROWS_ACTIVE_ROWS_H
#define TMLI_SYSTEM_ACTIVE_ROWS_ACTIVE_ROWS_H

#include "base/base.h"
#include <trammel/system.h>

tml_status tmli_active_residual(const tml_system *s, void *w, const tml_state *x, const double *p,
                                double *motion, double *phi, tml_error *err);
tml_status tmli_active_residual_rows(const tml_system *s, void *w, const tml_state *x, const double *p,
                                     double *motion, double *phi, double *rows, tml_error *err);
tml_status tmli_active_mean_residual(const tml_system *s, void *w, const tml_step *step, double *motion,
                                     tml_error *err);
tml_status tmli_active_increment(const tml_system *s, void *w, const tml_state *x0, const double *d,
                                 double t1, double *dphi, tml_error *err);
/** By `residual` if the system has no function for it; motion (n): scratch. */
tml_status tmli_active_position(const tml_system *s, void *w, const tml_state *x, double *motion, double *phi,
                                tml_error *err);
tml_status tmli_active_velocity(const tml_system *s, void *w, const tml_state *x, double *phidot,
                                tml_error *err);
tml_status tmli_active_dynamics(const tml_system *s, void *w, const tml_state *x, double *f, double *gamma,
                                tml_error *err);
/** By `dynamics` if the system has no function for them. */
tml_status tmli_active_time_parts(const tml_system *s, void *w, const tml_state *x, double *f, double *gamma,
                                  tml_error *err);
tml_status tmli_active_assemble(const tml_system *s, void *w, const tml_state *x, const tml_assembly *a,
                                double *values, tml_error *err);
tml_status tmli_active_rows(const tml_system *s, void *w, const tml_state *x, double *values, tml_error *err);
tml_status tmli_active_rows_times(const tml_system *s, void *w, const tml_state *x, const double *v,
                                  double *values, tml_error *err);
tml_status tmli_active_gamma_derivatives(const tml_system *s, void *w, const tml_state *x, double *by_d,
                                         double *by_u, tml_error *err);

#endif
