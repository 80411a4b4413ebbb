// Stumpff functions: series of the two highest orders and downward recursion where the upward one, from sine
// and cosine, would cancel.
#include "math/stumpff.h"
#include "math/series.h"

#include <math.h>

enum { NEAR_TERMS = 8, TERMS = 13 };  // for s <= 1, s <= 4: the first omitted term is below 1e-17 of the sum

static const double inverse_factorial[TMLI_STUMPFF] = {1,        1,         1 / 2.0,   1 / 6.0,
                                                       1 / 24.0, 1 / 120.0, 1 / 720.0, 1 / 5040.0};

// (-1)^j/(6 + 2 j)! and (-1)^j/(7 + 2 j)!, the coefficients of (1)
static const double *const even = tmli_even_series + 2, *const odd = tmli_odd_series + 2;

void tmli_stumpff(double s, double *c)
{
    if (s <= 4) {
        const int terms = s <= 1 ? NEAR_TERMS : TERMS;
        double a = even[terms - 1], b = odd[terms - 1];
        for (int j = terms - 2; j >= 0; j--) {
            a = a * s + even[j];
            b = b * s + odd[j];
        }
        c[6] = a;
        c[7] = b;
        for (int k = 5; k >= 0; k--) c[k] = inverse_factorial[k] - s * c[k + 2];  // (2)
        return;
    }
    const double a = sqrt(s);
    c[0] = cos(a);
    c[1] = sin(a) / a;
    for (int k = 2; k < TMLI_STUMPFF; k++) c[k] = (inverse_factorial[k - 2] - c[k - 2]) / s;
}

void tmli_stumpff_high(double s, const double *c, double *high)
{
    if (s <= 4) {
        double a = 0, b = 0;
        for (int j = TERMS - 1; j >= 1; j--) {  // c_6 = 1/6! - s c_8, c_7 = 1/7! - s c_9
            a = a * s - even[j];
            b = b * s - odd[j];
        }
        high[0] = a;
        high[1] = b;
        return;
    }
    for (int k = 6; k < 8; k++) high[k - 6] = (inverse_factorial[k] - c[k]) / s;
}
