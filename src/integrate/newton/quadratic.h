// How far Newton's method has come, from corrections that were made with a new matrix each.
//
// Then c_{n+1} = Q c_n^2 and the rates r_n = c_n/c_{n-1} obey r_{n+1} = r_n^2. If the last two rates do, that
// is trusted: a correction need not be followed by another one that shows it to have been the last. Where
// something is missing in the matrix the rates stop falling, and nothing is concluded.
#ifndef TMLI_INTEGRATE_NEWTON_QUADRATIC_H
#define TMLI_INTEGRATE_NEWTON_QUADRATIC_H

#include <math.h>
#include <stdbool.h>

/** Rates may miss their law by this factor. */
#define TMLI_QUADRATIC_SLACK 10

typedef struct tmli_quadratic {
    double size;  // of the last correction, if made with a new matrix; else 0
    double rate;  // of the last two; 0: not known
    double left;  // what is left of the error; INFINITY: not known
} tmli_quadratic;

/** A correction was made; exact: with a matrix evaluated where it began. With that of the correction before,
 * which was exact, the rate is still that of the law, but the next one will not be smaller. */
static inline void tmli_quadratic_add(tmli_quadratic *q, double size, bool exact)
{
    const double rate = q->size > 0 ? size / q->size : 0;
    const bool law = q->rate > 0 && rate > 0 && rate <= TMLI_QUADRATIC_SLACK * q->rate * q->rate;
    q->left = law ? TMLI_QUADRATIC_SLACK * rate * (exact ? rate : 1) * size : (double)INFINITY;
    q->rate = exact ? rate : 0;
    q->size = exact ? size : 0;
}

/** True if one more iteration with the matrix as it is would leave more than tol. False if that is not known.
 */
static inline bool tmli_quadratic_renew(const tmli_quadratic *q, double tol)
{
    const double next = q->rate * q->rate, slack = TMLI_QUADRATIC_SLACK * TMLI_QUADRATIC_SLACK;
    return q->rate > 0 && q->rate < 1 && slack * next * next * q->size > tol;
}

#endif
