// The alternating inverse factorials of the series of cosine and sine, from which the maps of SO(3) and SE(3)
// and the Stumpff functions sum what cancels in closed form.
#ifndef TMLI_MATH_SERIES_H
#define TMLI_MATH_SERIES_H

enum { TMLI_SERIES_TERMS = 15 };

extern const double tmli_even_series[TMLI_SERIES_TERMS]; /**< (-1)^k/(2k + 2)! */
extern const double tmli_odd_series[TMLI_SERIES_TERMS];  /**< (-1)^k/(2k + 3)! */

#endif
