// Velocities on a time scale: of velocities v along the constraints
//   ((M + kappa Dm + kappa^2 K)^-1 M)^2 v                                                   vibrations.h (3)
// leaves 1/(1 + kappa^2 w^2)^2 of an undamped vibration of frequency w. The same holds for displacements.
#ifndef TMLI_INTEGRATE_CORE_SLOW_FILTER_H
#define TMLI_INTEGRATE_CORE_SLOW_FILTER_H

#include "base/constants.h"
#include "consistency/index1.h"
#include <trammel/system.h>

// [-] Times that velocities are filtered on the time scale of the motion.
// Origin: with one, angular velocities beside the clamp of a cantilever that are five times as fast as its
// motion still decide its steps (2,700 of them; 1,240 with two, 1,230 with three).
TMLI_COUNT(TMLI_SLOW_FILTERS, 2)

typedef struct tmli_slow_filter {
    const tml_system *sys;
    tmli_index1 matrix;       // M + kappa Dm + kappa^2 K
    double kappa;             // of its last factorization [s]; 0: none at the state of the masses
    void *memory;             // of all arrays
    double *mass;             // (nnz) M of the last state
    double *stiffness;        // (nnz) K, or cd Dm + ck K, of the last state that it was asked for
    double *product, *other;  // (n) scratch
} tmli_slow_filter;

/** left_out (m): rows that depend on others, borrowed; NULL: none. */
tml_status tmli_slow_filter_create(const tml_system *sys, const tml_linsolver_ops *solver,
                                   const bool *left_out, tmli_slow_filter *f, tml_error *err);
void tmli_slow_filter_clear(tmli_slow_filter *f);
/** M at x; the matrix of another state no longer serves. */
tml_status tmli_slow_filter_set_mass(tmli_slow_filter *f, const tml_state *x, tml_error *err);
/** Mv (n) := M v. Returns v'M v, both of the mechanical coordinates alone. */
double tmli_slow_filter_square(const tmli_slow_filter *f, const double *v, double *Mv);
/** v'K v at x; 0 if K is not known there. */
double tmli_slow_filter_stiffness(tmli_slow_filter *f, const tml_state *x, const double *v);
/** v'(cd Dm + ck K)v in the same way. */
double tmli_slow_filter_form(tmli_slow_filter *f, const tml_state *x, double cd, double ck, const double *v);
/** The same with the matrix of the last call of either. */
double tmli_slow_filter_last_form(tmli_slow_filter *f, const double *v);
/** Whether velocities v (n) vibrate faster than the time scale allows at x, the state of the masses, by
 * Rayleigh's quotient: kappa^2 v'K v > v'M v. */
bool tmli_slow_filter_vibrates(tmli_slow_filter *f, const tml_state *x, double kappa, const double *v);
/** The matrix at x, the state of the masses, for the time scale kappa [s]. False: it is singular. */
bool tmli_slow_filter_factor(tmli_slow_filter *f, const tml_state *x, double kappa);
/** The same with a part of Dm. */
bool tmli_slow_filter_factor_damped(tmli_slow_filter *f, const tml_state *x, double kappa, double part);
/** v (n) := what the time scale leaves of it; of states nothing. */
void tmli_slow_filter_apply(tmli_slow_filter *f, double *v);
/** d (n) := displacements by vibrations that are faster than the time scale, at this moment, of accelerations
 * udot (n): of a vibration (x^2/(1 + x^2))^3 of its displacement, x = kappa w. */
void tmli_slow_filter_fast_part(tmli_slow_filter *f, const double *udot, double *d);
void tmli_slow_filter_archive(tmli_slow_filter *f, tml_archive *a);

#endif
