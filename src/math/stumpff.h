// Stumpff functions, of which the maps of SO(3) are made:
//   c_k(s) = sum_j (-s)^j/(k + 2 j)!,   s = a^2:   c_0 = cos a,  c_1 = sin(a)/a,  c_2 = (1 - cos a)/a^2   (1)
//   c_k = 1/k! - s c_(k+2),             dc_k/ds = (k c_(k+2) - c_(k+1))/2                                 (2)
#ifndef TMLI_MATH_STUMPFF_H
#define TMLI_MATH_STUMPFF_H

enum { TMLI_STUMPFF = 8 };

/** c (TMLI_STUMPFF) = c_0 ... c_7 at s >= 0. */
void tmli_stumpff(double s, double *c);

/** high (2) = c_8, c_9 at s >= 0, given c of tmli_stumpff. */
void tmli_stumpff_high(double s, const double *c, double *high);

/** Derivatives of c_k by s from the values, k <= 5 and k <= 3. */
static inline double tmli_stumpff_first(const double *c, int k) { return (k * c[k + 2] - c[k + 1]) / 2; }
static inline double tmli_stumpff_second(const double *c, int k)
{
    return (k * tmli_stumpff_first(c, k + 2) - tmli_stumpff_first(c, k + 1)) / 2;
}
/** Third derivatives of c_2 and c_3, with c_8 and c_9 in `high`. */
static inline double tmli_stumpff_third(const double *c, const double *high, int k)
{
    double first[10], second[6];
    for (int i = 3; i < 6; i++) first[i] = tmli_stumpff_first(c, i);
    first[6] = (6 * high[0] - c[7]) / 2;
    first[7] = (7 * high[1] - high[0]) / 2;
    for (int i = 3; i < 6; i++) second[i] = (i * first[i + 2] - first[i + 1]) / 2;
    return (k * second[k + 2] - second[k + 1]) / 2;
}

#endif
