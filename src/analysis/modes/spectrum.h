// Eigenvalues of small motions with inertia, damping and stiffness in free directions.
#ifndef TMLI_ANALYSIS_MODES_SPECTRUM_H
#define TMLI_ANALYSIS_MODES_SPECTRUM_H

#include "base/base.h"

/** Dr b + Kr a + I b' = 0, a' = (b, 0) + Cr a. b: r1 directions with inertia (I = 1), rm - r1 without (I =
 * 0), r - rm first-order states (I = 1), which have no a. a: rm directions, then ra - rm in which there is no
 * velocity. Dr (r x r), Kr (r x ra), Cr (ra x ra), column-major. */
typedef struct tmli_reduced {
    int r, rm, r1, ra;
    double *Dr, *Kr, *Cr;
    double noise;     // |s| [1/s] that round-off in Kr alone may produce
    double roundoff;  // of the other entries, over the size of all
    bool vectors;     // eigenvectors are wanted
} tmli_reduced;

/** The motion beside which motions are small. */
typedef enum tmli_motion {
    TMLI_MOTION_REST,     // equilibrium
    TMLI_MOTION_STEADY,   // relative equilibrium: the coefficients are constant in moving axes
    TMLI_MOTION_CHANGING  // neither: the coefficients are those of one instant
} tmli_motion;

/** The column of an eigenvalue in the matrix of eigenvectors. A conjugate pair has two columns, real and
 * imaginary part. */
typedef enum tmli_column { TMLI_COLUMN_REAL, TMLI_COLUMN_PAIR, TMLI_COLUMN_CONJUGATE } tmli_column;

/** Eigenvalues s of motions exp(s t). */
typedef struct tmli_spectrum {
    tml_env env;
    int freedoms;             // mechanical ones
    int massless;             // directions among them without inertia
    int count;                // finite eigenvalues
    double *re, *im;          // (count) [1/s], |s| ascending; conjugate pairs together, im > 0 first
    int zeros;                // the first `zeros` of them are zero within round-off (set to 0)
    double slowest, fastest;  // |s| of the first nonzero and of the last one [1/s]; 0 if there is none
    double noise;             // |s| that round-off may produce [1/s]
    double resolved;          // |s| from which on a root differs from zero [1/s]
    tmli_motion motion;
    char axes[80];        // STEADY: the axes in which motions are seen, "inertial axes"
    double velocity;      // largest |u| [model lengths/s or rad/s]: 0 means the linearization is about rest
    double acceleration;  // largest |udot| [.../s^2]: 0 with velocity 0 means equilibrium
    // Eigenvectors, if wanted; in the arena of tmli_spectrum_solve. Unknowns: a (ra), then b over `rate` of
    // the directions with inertia and of the first-order states.
    int unknowns;
    double rate;           // [1/s]
    double *vectors;       // (unknowns x unknowns)
    int *column;           // (count) first column of an eigenvalue
    tmli_column *columns;  // (count)
} tmli_spectrum;

/** Fill count, re, im, zeros, slowest, fastest and the eigenvectors; re and im have room for ra + r
 * numbers. Scratch comes from the arena. TML_ERR_SINGULAR: the pencil is singular (a free massless part) or
 * does not converge. */
tml_status tmli_spectrum_solve(const tmli_reduced *l, tmli_arena *arena, tmli_spectrum *out, tml_error *err);
void tmli_spectrum_clear(tmli_spectrum *s);  // accepts a zeroed one

#endif
