// Patterns of systems with several unknowns instead of one: real and imaginary part, or several fields
// on one graph.
//
// Unknown i of the base becomes the unknowns i*times .. i*times + times - 1, and entry (i, j) becomes a
// dense block of times x times. Blocks, their kinds, rules of elimination and names are the same, so that a
// solver without pivoting between blocks is as sound on the wide pattern as on the base, if each small matrix
// replaces one number.
#ifndef TMLI_LINALG_PATTERN_EXPAND_H
#define TMLI_LINALG_PATTERN_EXPAND_H

#include "linalg/pattern/pattern.h"

/** The wide pattern; owned by the caller (tmli_pattern_destroy). times >= 1. Names are borrowed from
 * base. */
tml_status tmli_pattern_expand(const tml_pattern *base, int times, const tml_env *env, tml_pattern **out,
                               tml_error *err);

/** Index in the wide value array of element (a, b) of the small matrix that replaces the base entry at
 * index p of column col: base->colptr[col] <= p < base->colptr[col + 1], 0 <= a, b < times. */
static inline int32_t tmli_pattern_expand_at(const tml_pattern *base, const tml_pattern *wide, int times,
                                             int col, int p, int a, int b)
{
    return wide->colptr[col * times + b] + (p - base->colptr[col]) * times + a;
}

#endif
