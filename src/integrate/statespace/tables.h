// Coefficients of the one-step methods for the equations reduced to their degrees of freedom.
#ifndef TMLI_INTEGRATE_STATESPACE_TABLES_H
#define TMLI_INTEGRATE_STATESPACE_TABLES_H

#include <stdbool.h>

enum { TMLI_DIRK_STAGES = 5, TMLI_ROSEN_STAGES = 4 };

/** A diagonally implicit Runge-Kutta method whose last stage is the end of the step. */
typedef struct tmli_dirk_table {
    int stages;
    bool explicit_first;  ///< stage 0 is the start of the step
    double gamma;         ///< the diagonal of A, of all other stages
    double c[TMLI_DIRK_STAGES], A[TMLI_DIRK_STAGES][TMLI_DIRK_STAGES];
    /** Starting values: z_i = beta_i h y0' + sum_j alpha_ij z_j, exact to the second or third power of h. */
    double beta[TMLI_DIRK_STAGES], alpha[TMLI_DIRK_STAGES][TMLI_DIRK_STAGES];
    /** (b - bhat) inverse(A): distance of the embedded method, from the z_i. All zero: the estimate uses the
     * step before. */
    double estimate[TMLI_DIRK_STAGES];
} tmli_dirk_table;

/** A Rosenbrock-Nystroem method for y'' = f(t, y, y'), thesis (4.49) .. (4.54) */
typedef struct tmli_rosen_table {
    double e;  ///< the diagonal
    double w[TMLI_ROSEN_STAGES][TMLI_ROSEN_STAGES], c[TMLI_ROSEN_STAGES][TMLI_ROSEN_STAGES];
    double d[TMLI_ROSEN_STAGES][TMLI_ROSEN_STAGES], t[TMLI_ROSEN_STAGES][TMLI_ROSEN_STAGES];
    double s[TMLI_ROSEN_STAGES], p[TMLI_ROSEN_STAGES];    ///< velocity and position at the end
    double ev[TMLI_ROSEN_STAGES], ep[TMLI_ROSEN_STAGES];  ///< less those of the embedded method
    double row[TMLI_ROSEN_STAGES],
        a[TMLI_ROSEN_STAGES];  ///< factors of the derivative by time; instants of the stages
} tmli_rosen_table;

extern const tmli_dirk_table tmli_dirk_trapezoidal, tmli_dirk_4_16, tmli_dirk_4_15;
extern const tmli_rosen_table tmli_rosen_nystroem;

#endif
