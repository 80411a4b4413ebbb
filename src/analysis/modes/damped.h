// Roots of damped motions, each refined and verified in the quadratic equations P(s) d = 0 of pencil.h.
#ifndef TMLI_ANALYSIS_MODES_DAMPED_H
#define TMLI_ANALYSIS_MODES_DAMPED_H

#include "analysis/modes/pencil.h"
#include "analysis/modes/roots.h"

/** True: rows hold positions, so that combinations of shapes are possible motions. */
bool tmli_damped_applies(const tmli_pencil *p);
/** What to look for as a start: some more roots than are wanted. */
tmli_roots_def tmli_damped_start(const tmli_roots_def *want);
/** The wanted roots into `out`, which the caller has initialized, from the shapes of two lists: those without
 * damping, and those that a solver found with it. Roots of the lists serve as a start only: they may be
 * wrong, and some may be missing. Scratch comes from the arena of the pencil. */
tml_status tmli_damped_roots(tmli_pencil *p, const tmli_roots *undamped, const tmli_roots *damped,
                             tmli_roots *out, tml_error *err);

#endif
