// Roots of large systems: a few, by the shift-and-invert method on the sparse pencil.
#ifndef TMLI_ANALYSIS_MODES_LARGE_H
#define TMLI_ANALYSIS_MODES_LARGE_H

#include "analysis/modes/roots.h"
#include "analysis/modes/spectrum.h"
#include "analysis/modes/steady.h"

/** The wanted roots at x, which has consistent accelerations and multipliers. model: as for tmli_linearize.
 * about: freedoms, motion and axes are set, nothing else. The caller clears roots, also after an error.
 * Errors: TML_ERR_ARG (no ARPACK, or neither an equilibrium nor steady in axes that turn with one angular
 * velocity: the pencil takes the rows as constant), TML_ERR_SINGULAR, TML_ERR_NAN, TML_ERR_NOMEM. */
tml_status tmli_large_roots(const tml_system *sys, const tml_model *model, void *w, const tml_state *x,
                            const tmli_roots_def *want, tmli_spectrum *about, tmli_roots *roots,
                            tml_error *err);

#endif
