// The variational equations of a system at one state, reduced to the directions that the constraints leave.
#ifndef TMLI_ANALYSIS_MODES_VARIATION_H
#define TMLI_ANALYSIS_MODES_VARIATION_H

#include "analysis/rank/rank.h"

/** Matrices are column-major, in units where translations count in model lengths. */
typedef struct tmli_variation {
    const tml_system *sys;
    void *w;
    const tmli_rank *k;  // of x
    tml_state *x;        // udot and lambda are set
    tmli_arena arena;
    int n, m;
    int r;      // directions of velocities: mechanical ones, then the first-order states
    int rm;     // mechanical ones
    int ra;     // directions of positions: those rm, then those that rows at velocity level do not allow
    int r1;     // mechanical directions with inertia
    double *Q;  // (n x n) range of B', then its complement
    double *Z;  // (n x r) orthonormal: B Z = 0
    double *Y;  // (n x ra) orthonormal: B Y = 0 in the rows at position level
    double *V;  // (rm x rm) V'Mr V = diag(1, 0): the r1 directions with inertia first
    double *M, *D, *K;          // (n x n)
    double *Mr, *Dr, *Kr, *Cr;  // (r x r), (r x r), (r x ra), (ra x ra)
    double *U, *A, *W;          // (n x ra); W = C Y + U: d' = W a + Z b
    double *G;                  // (n x r)
    double force;               // size of f, which reactions in K may cancel
    bool nu_of_time;            // nu does not depend on q
    bool undamped;              // motions without what dissipates; set after init
} tmli_variation;

/** Bases at x. nu_of_time: as above. The caller clears v, also after an error. */
tml_status tmli_variation_init(tmli_variation *v, const tml_system *sys, void *w, const tmli_rank *rank,
                               tml_state *x, bool nu_of_time, tml_error *err);
/** M, V, accelerations and multipliers. */
tml_status tmli_variation_dynamics(tmli_variation *v, tml_error *err);
/** The other matrices, in axes that neither turn nor move; needs tmli_variation_dynamics. */
tml_status tmli_variation_reduce(tmli_variation *v, tml_error *err);
/** c (r): accelerations y of Mr y = c in the directions with inertia, in place of c. b: scratch (r). */
void tmli_variation_solve_inertia(const tmli_variation *v, double *c, double *b);
/** Let Z move with its own rate, without turning in itself: changes Kr. */
tml_status tmli_variation_transport(tmli_variation *v, tml_error *err);
/** change (n): accelerations that should be zero. Leaves what errors of the data do not explain: an error
 * TMLI_INPUT_ERROR of positions, and TMLI_INPUT_ERROR rate of velocities, in stiff directions. */
tml_status tmli_variation_unexplained(tmli_variation *v, double rate, double *change, tml_error *err);
void tmli_variation_clear(tmli_variation *v);

/** C (m x n) = A (m x k, or its transpose) B (k x n, or its transpose) + beta C */
void tmli_dense_multiply(const char *ta, const char *tb, int m, int n, int k, const double *A, int lda,
                         const double *B, int ldb, double beta, double *C);

#endif
