// Lagrange polynomials and Lobatto points.
#include "math/lagrange.h"

#define R5 0.44721359549995793928  // 1/sqrt(5)
const double tmli_lobatto_point[TMLI_LOBATTO + 1][TMLI_LOBATTO] = {
    {0}, {0}, {-1, 1}, {-1, 0, 1}, {-1, -R5, R5, 1}};
const double tmli_lobatto_weight[TMLI_LOBATTO + 1][TMLI_LOBATTO] = {
    {0}, {0}, {1, 1}, {1 / 3.0, 4 / 3.0, 1 / 3.0}, {1 / 6.0, 5 / 6.0, 5 / 6.0, 1 / 6.0}};

void tmli_lagrange(int count, const double *point, double x, double *N, double *dN)
{
    for (int i = 0; i < count; i++) {
        double value = 1, slope = 0;
        for (int k = 0; k < count; k++) {
            if (k == i) continue;
            const double f = 1 / (point[i] - point[k]);
            slope = slope * (x - point[k]) * f + value * f;
            value *= (x - point[k]) * f;
        }
        N[i] = value;
        dN[i] = slope;
    }
}
