// What a vibration that steps do not resolve may cost in accuracy; docs/theory/vibrations.md.
//
// M-weighted squares of velocities and accelerations give the energy of the motion and its time scale:
//   E = max u'M u/2,    tau^2 = integral u'M u dt / integral udot'M udot dt                               (1)
// Velocities are judged on the time scale
//   kappa = TIME_SCALE_SHARE min(tau, 1/rate, time since the last discontinuity)                          (2)
// rate: of error_weights.h, now. Within this time M, Dm and K must not change: stiffness by the forces of
// joints is at most about rate^2, and contacts last no longer than since they began. Of a velocity error eu
//   ((M + kappa Dm + kappa^2 K)^-1 M)^2 eu                                                                (3)
// counts. A vibration of frequency w is left of it by 1/(1 + kappa^2 w^2)^2: what it moves shows in
// positions.
//
// Energy that steps take out of vibrations must stay within tol E for the whole run, one half of it spread
// over the time, the other where it is needed:
//   loss <= max(tol E h/(2 T), LOSS_OF_REST (tol E (1/2 + (t - t0)/(2 T)) - spent))                       (4)
#ifndef TMLI_INTEGRATE_CORE_VIBRATIONS_H
#define TMLI_INTEGRATE_CORE_VIBRATIONS_H

#include <trammel/archive.h>

typedef struct tmli_vibrations {
    double duration;      // T of the run [s]
    double tol;           // tolerance of the run [-]
    double t_start;       // of the run [s]; NAN: not started
    double t_begin;       // of the motion since the last discontinuity [s]
    double t_last;        // last tracked time [s]
    double energy;        // E of (1) [J]
    double speed;         // integral of u'M u [J s]
    double acceleration;  // integral of udot'M udot [J/s]
    double spent;         // energy that steps have taken out [J]
} tmli_vibrations;

/** A motion begins, or begins anew, at time t. */
void tmli_vibrations_start(tmli_vibrations *v, double t);
/** A state at t was accepted; uMu, aMa: u'M u and udot'M udot. loss: energy that the step took out of what it
 * does not resolve; 0: it resolves all. */
void tmli_vibrations_track(tmli_vibrations *v, double t, double uMu, double aMa, double loss);
/** kappa of (2) [s]; rate: of the weights [1/s]. */
double tmli_vibrations_time_scale(const tmli_vibrations *v, double rate);
/** Energy that a step of size h, from the last tracked time, may take out, (4) [J]. */
double tmli_vibrations_allowed_loss(const tmli_vibrations *v, double h);
void tmli_vibrations_archive(tmli_vibrations *v, tml_archive *a);

#endif
