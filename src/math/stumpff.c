// Stumpff functions: series of the two highest orders and downward recursion where the upward one, from sine
// and cosine, would cancel.
#include "math/stumpff.h"

#include <math.h>

enum { TERMS = 12 };  // for s <= 4 the first omitted term is below 1e-17 of the sum

static const double inverse_factorial[TMLI_STUMPFF] = {1,        1,         1 / 2.0,   1 / 6.0,
                                                       1 / 24.0, 1 / 120.0, 1 / 720.0, 1 / 5040.0};

// c_k by its series (1), in Horner's form.
static double series(double s, int k)
{
    double sum = 1;
    for (int j = TERMS; j > 0; j--) sum = 1 - s * sum / ((k + 2 * j - 1) * (k + 2 * j));
    return sum * inverse_factorial[k];
}

void tmli_stumpff(double s, double *c)
{
    if (s <= 4) {
        c[7] = series(s, 7);
        c[6] = series(s, 6);
        for (int k = 5; k >= 0; k--) c[k] = inverse_factorial[k] - s * c[k + 2];  // (2)
        return;
    }
    const double a = sqrt(s);
    c[0] = cos(a);
    c[1] = sin(a) / a;
    for (int k = 2; k < TMLI_STUMPFF; k++) c[k] = (inverse_factorial[k - 2] - c[k - 2]) / s;
}
