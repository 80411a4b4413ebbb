// Thresholds of the linearization; see base/constants.h. linearize.h has those that other rooms use too.
#ifndef TMLI_ANALYSIS_MODES_CONSTANTS_H
#define TMLI_ANALYSIS_MODES_CONSTANTS_H

#include "base/constants.h"

// [-] Eigenvalue of Mr with unit diagonal over the largest, below which the direction has no inertia.
// Origin: far above round-off of a sum over all bodies.
TMLI_CONSTANT(ZERO_INERTIA, 1e-12)

// [model lengths, rad] Displacement e of the difference quotient for C of (3).
// Origin: the truncation error is e^2 times a term of third order, the round-off 1e-16/e.
TMLI_CONSTANT(COMMUTATOR_DIFFERENCE, 1e-4)

// [-] Round-off of the reduced stiffness: this number plus n, times machine epsilon.
// Origin: sums of n products, and some operations more.
TMLI_CONSTANT(ROUNDOFF_TERMS, 16)

// [-] |s| over the largest |s| below which an eigenvalue is zero.
// Origin: zero eigenvalues of rigid motions are defective pairs, which round-off eps splits to sqrt(eps).
TMLI_CONSTANT(ZERO_EIGENVALUE, 1e-7)

// [-] |beta| over |alpha| of dggev below which an eigenvalue is infinite, in units of (1) of spectrum.c.
// Origin: far above round-off, far below time scales of mechanisms; chosen by trial.
TMLI_CONSTANT(INFINITE_EIGENVALUE, 1e-11)

// [-] |alpha| and |beta| below which an eigenvalue is undetermined: the pencil is singular.
// Origin: round-off of the pencil, whose rows have size 1.
TMLI_CONSTANT(SINGULAR_PENCIL, 1e-13)

#endif
