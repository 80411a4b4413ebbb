// The system linearized about a state, in the free directions of the constraints, and its eigenvalues.
#ifndef TMLI_ANALYSIS_MODES_LINEARIZE_H
#define TMLI_ANALYSIS_MODES_LINEARIZE_H

#include "analysis/modes/roots.h"
#include "analysis/modes/spectrum.h"
#include "analysis/modes/steady.h"
#include "analysis/rank/rank.h"
#include "base/constants.h"
#include "base/tolerances.h"

// [-] Coordinates, and size of the dense eigenvalue problem (twice the degrees of freedom), up to which it is
// solved.
// Origin: it takes some seconds at this size.
#define TMLI_LINEARIZE_COORDINATES (3 * TMLI_DENSE_UNKNOWNS / 2)

// [-] |s| below which roots count as zero, over the smallest of the others, from which on zeros are doubtful.
// Origin: of most models it is some 1e-5; near 1 slow motions lie beside the limit.
#define TMLI_DOUBTFUL_ZERO TMLI_SMALL_SHARE

/** Linearize at x, which satisfies the constraints; rank: of this x. model: of the system; NULL: a system of
 * callbacks. x->udot and x->lambda are set to the accelerations and multipliers (of dependent rows those that
 * rank->order puts last get 0: one choice among many). If x moves, steady motion is recognized, and the
 * linearization is about that motion; else it is about the instant. TML_ERR_ARG if the system is larger than
 * TMLI_LINEARIZE_COORDINATES; TML_ERR_SINGULAR if the eigenvalues cannot be found (free massless parts). */
tml_status tmli_linearize(const tml_system *sys, const tml_model *model, void *w, const tmli_rank *rank,
                          tml_state *x, tmli_spectrum *out, tml_error *err);
/** The same, and the roots wanted by `want` with their shapes; the caller clears both results. */
tml_status tmli_linearize_roots(const tml_system *sys, const tml_model *model, void *w, const tmli_rank *rank,
                                tml_state *x, const tmli_roots_def *want, tmli_spectrum *out,
                                tmli_roots *roots, tml_error *err);

/** The motion of v (reduced): at rest, steady with its axes, or neither. Sets motion, axes, velocity and
 * acceleration of out. */
tml_status tmli_linearize_motion(tmli_variation *v, const tml_model *model, tmli_steady *steady,
                                 tmli_spectrum *out, tml_error *err);

#endif
