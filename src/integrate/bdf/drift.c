// Drift: errors of bdf that accumulate in one direction.
//
// The errors h tau_u of the velocities, bdf.c (5), mostly have the same sign along the motion: backward
// differentiation damps. Within the tolerance of the velocities, a mechanism that runs freely then loses
// energy and falls back, after a path of N lengths or radians by many times the tolerance of positions. Each
// step shows its part of the energy, over that of the fastest motion so far, and the kinetic energy that is
// left for it:
//   e = sum_j p_j^2 h tau_j u_j / sum_j p_j^2 U_j^2,   k = sum_j p_j^2 u_j^2 / sum_j p_j^2 U_j^2          (1)
//   p_j = N_j/w_j, N_j = |integral of u_j|/unit: path, w_j: allowed error of velocity j, U_j: its largest
// The paths select what goes on in one direction: a vibration only loses amplitude, and the spin of a top
// does not fall with its nutation. With a sum E of e the speed is too small by the share E/k (more where the
// motion is slow), and the drift at the end of a run of the duration T, if all goes on as since the start, is
//   P = max_j N_j/t  integral of E/k  (T/t)^2       [lengths or rad]                                      (2)
// Where P exceeds the tolerance, steps are allowed a smaller share of it, by the factor P/tolerance. E is
// summed as it would be without this factor, so that it stays in force. Damping and drives that hold a speed
// make (2) an overestimate. Order 2 alone (bdf2) does not drift: its error is in quadrature to the velocity.
#include "integrate/bdf/bdf.h"
#include "system/state/first_order.h"

#include <math.h>
#include <string.h>

#include "integrate/bdf/constants.h"

void tmli_bdf_start_drift(tmli_bdf *b)
{
    tmli_bdf_drift *d = &b->drift;
    d->of_step = d->energy = d->lag = d->elapsed = 0;
    d->left = 1;
    memset(d->path, 0, (size_t)b->sys->n * sizeof(double));
    b->weights.strictness = 1;
}

void tmli_bdf_set_drift_of_step(tmli_bdf *b)
{
    const tmli_weights *w = &b->weights;
    double lost = 0, left = 0, size = 0;
    for (int j = 0; j < tmli_mechanical(b->sys); j++) {
        const double u = b->trial->u[j], h = b->h_trial;
        const double p = (b->drift.path[j] + h * u) / (tmli_weights_unit(w, j) * tmli_weights_velocity(w, j));
        const double fastest = p * fmax(w->fastest[j], fabs(u)), pu = p * u;
        lost += h * b->eu[j] * p * pu;
        left += pu * pu;
        size += fastest * fastest;
    }
    b->drift.of_step = size > 0 ? lost / size : 0;  // (1)
    b->drift.left = size > 0 ? left / size : 1;
}

void tmli_bdf_accept_drift(tmli_bdf *b)
{
    tmli_bdf_drift *d = &b->drift;
    const double T = b->weights.duration, tol = fmax(b->opt.run.atol, b->opt.run.rtol);
    double path = 0;
    for (int j = 0; j < tmli_mechanical(b->sys); j++) {
        d->path[j] += b->h_trial * b->x->u[j];
        path = fmax(path, fabs(d->path[j]) / tmli_weights_unit(&b->weights, j));
    }
    d->energy += d->of_step * b->weights.strictness;
    d->lag += b->h_trial * d->energy / fmax(d->left, DRIFT_SLOWEST);
    d->elapsed += b->h_trial;
    if (path < DRIFT_SHORTEST) return;
    const double share = T / d->elapsed, drift = d->lag / d->elapsed * path * share * share;  // (2)
    b->weights.strictness = fmin(fmax(1, drift / (DRIFT_TOLERANCES * tol)), DRIFT_LARGEST_FACTOR);
}
