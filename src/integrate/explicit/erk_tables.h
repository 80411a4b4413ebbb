// Coefficients of the explicit Runge-Kutta methods of Dormand and Prince, and of Bogacki and Shampine, and
// their form for v'' = a(t, v, v').
//
// With the velocities of the stages eliminated a step of size h from v = v0, v' = vd0 is
//   v_i  = v0 + c_i h vd0 + h^2 sum_j abar_ij k_j,      abar = A A                             (1)
//   vd_i = vd0 + h sum_j a_ij k_j,                      k_i = a(t + c_i h, v_i, vd_i)          (2)
// The last stage of the step is its end (a_last = b) and the first of the next. Error estimates are sums
// with weights e_j of sum 0:
//   of vd: h sum_j e_j k_j,   of v: h^2 sum_j ebar_j k_j,   ebar = e A                         (3)
// and the dense output has weights b_j(theta) that are polynomials, of v: b_j(theta) A.
//                                                                                              (4)
#ifndef TMLI_INTEGRATE_EXPLICIT_ERK_TABLES_H
#define TMLI_INTEGRATE_EXPLICIT_ERK_TABLES_H

enum { TMLI_ERK_STAGES = 16, TMLI_ERK_ESTIMATES = 2 };

/** A method. Arrays have a row or column per stage, those of the dense output behind those of the step. */
typedef struct tmli_erk_table {
    int order;
    int stages;          // of a step; the last one is at its end
    int judged;          // stages that the error estimates need
    int more;            // further stages of the dense output
    int estimates;       // error estimates: 1 or 2
    int estimate_order;  // power of h of the combined estimate
    int dense_order;
    int terms;     // of the dense output beyond the cubic
    double limit;  // stability on the negative real axis: |h lambda|; 0: no two stages at the end measure it
    double estimate;  // of y' = i w y: the estimate is estimate (h w)^estimate_order
    double second;    // the second of two estimates is second (h w)^4
    double error;     // and the local error of the method error (h w)^(order + 1)
    double c[TMLI_ERK_STAGES];
    double a[TMLI_ERK_STAGES][TMLI_ERK_STAGES];
    double e[TMLI_ERK_ESTIMATES][TMLI_ERK_STAGES];
    double d[4][TMLI_ERK_STAGES];  // (terms x stages)
} tmli_erk_table;

extern const tmli_erk_table tmli_erk3, tmli_erk5, tmli_erk8;

/** b_j(theta) of all stages, (4). */
void tmli_erk_dense(const tmli_erk_table *t, double theta, double b[TMLI_ERK_STAGES]);
/** The same for the cubic through both ends, which needs no further stages. */
void tmli_erk_cubic(const tmli_erk_table *t, double theta, double b[TMLI_ERK_STAGES]);
/** out := row A: weights of accelerations for positions, from those (row) for velocities. */
void tmli_erk_integrate_weights(const tmli_erk_table *t, const double *row, double out[TMLI_ERK_STAGES]);

#endif
