// A few eigenvalues of a large operator: those of largest size, by the restarted Arnoldi method of ARPACK.
#ifndef TMLI_LINALG_EIGEN_ARNOLDI_H
#define TMLI_LINALG_EIGEN_ARNOLDI_H

#include "base/pool.h"

#include <complex.h>

/** y (n) = A x. */
typedef void tmli_arnoldi_operator(const double complex *x, double complex *y, void *user);

/** What to find. */
typedef struct tmli_arnoldi_def {
    int n;             // size of the operator
    int count;         // wanted eigenvalues, 1 .. n - 2
    double tolerance;  // error of an eigenvalue over its size; 0: round-off
    int restarts;      // at most
    tmli_arnoldi_operator *apply;
    void *user;
    void (*enter)(void);  // tmli_library_enter and _leave of the caller: a module has a lock of its own
    void (*leave)(void);
    /** The start is applied this often before: for operators with a null space in which no component of the
     * start shall remain. */
    int filter;
    /** Number of the start. Of a multiple eigenvalue a search shows one vector, and others by round-off only:
     * searches from other starts show others. */
    int start;
} tmli_arnoldi_def;

/** True if the library was built with ARPACK. */
bool tmli_arnoldi_available(void);

/** values (count) and vectors (n x count, columns of length 1) of the eigenvalues of largest size, in
 * descending order; *found of them have converged. Starts are pseudo-random with fixed seeds: the same
 * operator gives the same bits. ARPACK keeps its state between calls, so one thread computes at a time;
 * others wait. Errors: TML_ERR_ARG (no ARPACK, sizes), TML_ERR_NOMEM, TML_ERR_STEP (nothing has converged),
 * TML_ERR_SINGULAR (the operator gives values that are not finite). */
tml_status tmli_arnoldi_solve(const tmli_arnoldi_def *def, const tml_env *env, double complex *values,
                              double complex *vectors, int *found, tml_error *err);

#endif
