// Amplitude spectrum of a curve given by rows.
#ifndef TMLI_MATH_AMPLITUDES_H
#define TMLI_MATH_AMPLITUDES_H

#include "base/base.h"

/** Amplitudes at the frequencies k step, k = 0 .. count - 1, up to half the sampling rate. */
typedef struct tmli_amplitudes {
    size_t count;
    double step;    // [Hz] if the times are in s
    double *value;  // (count) in the unit of the values
} tmli_amplitudes;

/** The amplitudes of the harmonic oscillations in x(t): a sine of amplitude A has a peak of A at its
 * frequency, at most 0.3 % too low, if it makes several turns and no other frequency is within 2/(duration).
 * t, x: (rows), t ascending; rows need not be equidistant, and a time may occur twice, where x jumps. The
 * caller frees with tmli_amplitudes_clear(). Errors: TML_ERR_ARG (fewer than 8 times, times that fall, values
 * that are not finite), TML_ERR_NOMEM. */
tml_status tmli_amplitudes_find(const double *t, const double *x, size_t rows, const tml_env *env,
                                tmli_amplitudes *out, tml_error *err);
void tmli_amplitudes_clear(const tml_env *env, tmli_amplitudes *s);

#endif
