// The Radau IIA methods with 2 and 3 stages (orders 3 and 5), with the eigenvectors of their inverse
// matrices.
//
//   A^-1 = sum over eigenvalues mu of  mu v w,   w v = 1,  v(last) = 1                                  (1)
// 2 stages: one pair 2 +- i sqrt(2). 3 stages: a real one 3 + 3^(2/3) - 3^(1/3) and a pair.
#ifndef TMLI_INTEGRATE_RADAU_TABLES_H
#define TMLI_INTEGRATE_RADAU_TABLES_H

#include <complex.h>
#include <stdbool.h>

enum { TMLI_RADAU_STAGES = 3, TMLI_RADAU_EIGENVALUES = 2 };

typedef struct tmli_radau_table {
    int stages;
    double c[TMLI_RADAU_STAGES];
    double inverse[TMLI_RADAU_STAGES][TMLI_RADAU_STAGES];  // of the Runge-Kutta matrix A
    int eigenvalues;  // of the inverse, a pair counted once; a real one comes first
    struct {
        bool pair;  // with its conjugate
        double complex mu;
        double complex right[TMLI_RADAU_STAGES];  // column v of (1)
        double complex left[TMLI_RADAU_STAGES];   // row w of (1)
    } eigen[TMLI_RADAU_EIGENVALUES];
    // Embedded method with the extra node 0 of weight g0: yhat - y1 = g0 (h y0' + sum_i estimate_i (y_i -
    // y0)).
    double g0, estimate[TMLI_RADAU_STAGES];
    // (estimate A)_j (A^-1 1)_j and (estimate A A)_j (A^-1 1)_j: weights of the stage reactions that bring
    // a velocity back to the constraints, docs/theory/radau.md (9)
    double back_u[TMLI_RADAU_STAGES], back_d[TMLI_RADAU_STAGES];
    int order, estimate_order;  // powers of h in the local error, and in the estimate
    double loss;                // e_s/s of stages_estimate.c (5)
    double convert;             // local error = convert estimate^(order/estimate_order) for y = exp(i t)
} tmli_radau_table;

/** stages: 2 or 3. */
const tmli_radau_table *tmli_radau_find(int stages);
/** The polynomial through (0, 0) and (c_i, z_i): weights (stages) of z_i in its value at theta, and in its
 * derivative. */
void tmli_radau_value(const tmli_radau_table *r, double theta, double *weight);
void tmli_radau_slope(const tmli_radau_table *r, double theta, double *weight);
/** The polynomial through (c_i, z_i) alone. */
void tmli_radau_inner(const tmli_radau_table *r, double theta, double *weight);

#endif
