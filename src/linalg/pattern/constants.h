// Limits of the condition estimate and of the equilibration; see base/constants.h.
#ifndef TMLI_LINALG_PATTERN_CONSTANTS_H
#define TMLI_LINALG_PATTERN_CONSTANTS_H

#include "base/constants.h"

// [-] Rounds of the estimate of a condition number.
// Origin: limit of N. J. Higham, ACM Trans. Math. Softw. 14 (1988); two are usual.
TMLI_COUNT(CONDEST_ROUNDS, 5)
// [-] Sweeps that equilibrate rows and columns.
// Origin: D. Ruiz, RAL-TR-2001-034: each sweep halves the logarithms of the largest moduli, so eight bring
// ten decades within a factor 1.1.
TMLI_COUNT(EQUILIBRATION_SWEEPS, 8)

#endif
