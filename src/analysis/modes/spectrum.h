// Eigenvalues of small motions with inertia, damping and stiffness in free directions.
#ifndef TMLI_ANALYSIS_MODES_SPECTRUM_H
#define TMLI_ANALYSIS_MODES_SPECTRUM_H

#include "base/base.h"

/** b' + Dr b + Kr a = 0 (inertia 1) in r1 directions, Dr b + Kr a = 0 in the r - r1 last ones; a' = b + Cr a.
 * Matrices (r x r), column-major. */
typedef struct tmli_reduced {
    int r, r1;
    double *Dr, *Kr, *Cr;
    double noise;  // |s| [1/s] that round-off in Kr alone may produce
} tmli_reduced;

/** Eigenvalues s of motions exp(s t). */
typedef struct tmli_spectrum {
    tml_env env;
    int freedoms;             // r
    int massless;             // directions among them without inertia
    int count;                // finite eigenvalues
    double *re, *im;          // (count) [1/s], |s| ascending; conjugate pairs together, im > 0 first
    int zeros;                // the first `zeros` of them are zero within round-off (set to 0)
    double slowest, fastest;  // |s| of the first nonzero and of the last one [1/s]; 0 if there is none
    double velocity;      // largest |u| [model lengths/s or rad/s]: 0 means the linearization is about rest
    double acceleration;  // largest |udot| [.../s^2]: 0 with velocity 0 means equilibrium
} tmli_spectrum;

/** Fill count, re, im, zeros, slowest, fastest; re and im have room for 2 r numbers. Scratch comes from the
 * arena. TML_ERR_SINGULAR: the pencil is singular (a free massless part) or does not
 * converge. */
tml_status tmli_spectrum_solve(const tmli_reduced *l, tmli_arena *arena, tmli_spectrum *out, tml_error *err);
void tmli_spectrum_clear(tmli_spectrum *s);  // accepts a zeroed one

#endif
