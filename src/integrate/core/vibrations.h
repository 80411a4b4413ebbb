// What a vibration that steps do not resolve may cost in accuracy; docs/theory/vibrations.md.
//
// With w = u, of translations w = u - u(start), which is the same for an observer who moves along, M-weighted
// squares give the energy of the motion and its time scale:
//   E_b = max(S_b, w_b'(M w)_b/2) of each part b,
//   tau^2 = integral (w'M w + 2 STILL_SHARE sum_b S_b) dt / integral udot'M udot dt                       (1)
// A part is a body with what it is fixed to, a beam, in joint coordinates a tree (tml_system.part). As the
// weights of velocities have atol L/T, for what hardly moves yet, energies have a share of that of a part
// which goes a length of the model, or turns by 1 rad, within the run:
//   S_b = STILL_SHARE max_(j in b) M_jj (unit_j/T)^2/2                                                    (6)
// An energy l that pushes this part along a length L, with the force l/L, moves it by l T^2/(2 M L) in a run:
// by 1/40 of the tolerance of positions, tol L, if l is tol S_b. Without S_b a run from rest resolves all
// vibrations until its motion has some energy, and has their time scale.
// Velocities are judged on the time scale
//   kappa = TIME_SCALE_SHARE min(tau, 1/rate, time since the last discontinuity)                          (2)
// rate: of error_weights.h, now. Within this time M, Dm and K must not change: stiffness by the forces of
// joints is at most about rate^2, and contacts last no longer than since they began. Of a velocity error eu
//   ((M + kappa Dm + kappa^2 K)^-1 M)^2 eu                                                                (3)
// counts. A vibration of frequency w is left of it by 1/(1 + kappa^2 w^2)^2: what it moves shows in
// positions.
//
// Of the energy that a step takes out of vibrations l_b is that of part b. What part b has lost in a run must
// stay within tol E_b, one half of it spread over the time, the other where it is needed:
//   l_b <= a_b = max(tol E_b h/(2 T), LOSS_OF_REST (tol E_b (1/2 + (t - t0)/(2 T)) - spent_b))            (4)
// in the mean over the parts, by their l_b:
//   e = (sum l_b l_b/a_b)/sum l_b <= 1                                                                    (5)
#ifndef TMLI_INTEGRATE_CORE_VIBRATIONS_H
#define TMLI_INTEGRATE_CORE_VIBRATIONS_H

#include "base/tolerances.h"
#include <trammel/archive.h>
#include <trammel/integrator.h>
#include <trammel/system.h>

// [-] Share of the tolerance that vibrations may reach which a step damps.
// Origin: what a step damps it takes some steps to forget, and stiff springs show it in their forces: with
// 0.1 the force of a block at rest on its contact is off by ten tolerances. beam_crank has a thousandth.
#define TMLI_DAMPED_VIBRATION TMLI_SLIGHT_SHARE

typedef struct tmli_vibrations {
    const tml_system *sys;
    double duration;      // T of the run [s]
    double tol;           // tolerance of the run [-]
    double t_start;       // of the run [s]; NAN: not started
    double t_begin;       // of the motion since the last discontinuity [s]
    double t_last;        // last tracked time [s]
    double still_all;     // sum of S_b [J]
    double speed;         // integral of w'M w + 2 STILL_SHARE sum_b S_b [J s]
    double acceleration;  // integral of udot'M udot [J/s]
    double lost;          // energy that steps have taken out [J]
    void *memory;         // of all arrays
    double *u_start;      // (n)
    double *still;        // (n) S_b of the first parts [J]
    double *energy;       // (n) largest energy so far of the first parts [J]
    double *spent;        // (n) spent_b [J]
    double *loss;         // (n) l_b of the step under trial [J]
    double *change;       // (n) w of the last state
    int *part;            // (n) b of each coordinate
    int parts;
} tmli_vibrations;

tml_status tmli_vibrations_create(const tml_system *sys, const tml_integrator_options *opt,
                                  tmli_vibrations *v, tml_error *err);
void tmli_vibrations_clear(tmli_vibrations *v);
/** A motion begins, or begins anew, at x. work: of the system. */
void tmli_vibrations_start(tmli_vibrations *v, void *work, const tml_state *x);
/** change := that of the accepted state x, for tmli_vibrations_track. */
void tmli_vibrations_set_change(tmli_vibrations *v, const tml_state *x);
/** The state at t was accepted. Mw (n): M times its change; aMa: udot'M udot; lost: by (5), and
 * tmli_vibrations_judge was the last to look at the step. */
void tmli_vibrations_track(tmli_vibrations *v, double t, const double *Mw, double aMa, bool lost);
/** kappa of (2) [s]; rate: of the weights [1/s]. */
double tmli_vibrations_time_scale(const tmli_vibrations *v, double rate);
/** e of (5) for a step of size h from the last tracked time that takes out the energy `lost` [J], of parts as
 * a'(M a). a, Ma (n). */
double tmli_vibrations_judge(tmli_vibrations *v, double h, double lost, const double *a, const double *Ma);
void tmli_vibrations_archive(tmli_vibrations *v, tml_archive *a);

#endif
