// Lagrange polynomials, and the Lobatto points on which elements of beams have their nodes.
#ifndef TMLI_MATH_LAGRANGE_H
#define TMLI_MATH_LAGRANGE_H

enum { TMLI_LOBATTO = 4 };  // points, at most

/** Lobatto points in -1..1 and their weights, for 2 to TMLI_LOBATTO points. */
extern const double tmli_lobatto_point[TMLI_LOBATTO + 1][TMLI_LOBATTO],
    tmli_lobatto_weight[TMLI_LOBATTO + 1][TMLI_LOBATTO];

/** N, dN (count): the polynomials through `point` (count) and their derivatives at x. */
void tmli_lagrange(int count, const double *point, double x, double *N, double *dN);

#endif
