// The linear system of small motions in minimal coordinates: some of the model's own, which move freely.
//
// Positions p are ra coordinates of d, velocities v are r coordinates of e, first-order states among them.
// With (5) to (8) of variation.c and axes that turn with g (0 if the motion is not steady),
//   p = Sp Y a,   v = Sv (Z b + U a)                                                                      (1)
//   p' = Sp (W a + Z b - g Y a),   v' = Sv (Z y + G b + A a - g (Z b + U a)),   Mr y = Z'F - Dr b - Kr a  (2)
// where Sp and Sv select coordinates, and F is a force. (1) is solved for a and b.
#ifndef TMLI_ANALYSIS_MODES_MINIMAL_H
#define TMLI_ANALYSIS_MODES_MINIMAL_H

#include "analysis/modes/spectrum.h"
#include "analysis/modes/steady.h"

typedef struct tmli_minimal {
    tmli_arena arena;
    tml_env env;
    int n, size;      // coordinates of the model; states: positions, then velocities
    int positions;    // number of positions
    int *coordinate;  // (size) the coordinate that a state is
    double *A;        // (size x size) row-major; SI units
    double *d, *e;  // (n x size) increments of configuration and velocities that belong to a unit of a state
    double *force;  // (size x n) row-major: change of the rates by a force on a coordinate
    tmli_motion motion;
    char axes[80];
} tmli_minimal;

/** The system at x; rank: of this x. x->udot and x->lambda are set. The caller clears it, also after an
 * error. Errors as those of tmli_linearize; TML_ERR_SINGULAR also if a direction has no inertia. */
tml_status tmli_minimal_init(tmli_minimal *s, const tml_system *sys, const tml_model *model, void *w,
                             const tmli_rank *rank, tml_state *x, tml_error *err);
void tmli_minimal_clear(tmli_minimal *s);  // accepts a zeroed one

#endif
