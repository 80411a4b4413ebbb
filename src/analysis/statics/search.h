// What the searches for an equilibrium share: the state of a search, its linear equations, their corrections.
//
// The linear equations in units of the model (lengths, rad) are
//   [ K + mu W    B' ] [ d  ]     [ (1 - s) R0 - R ]
//   [ B          -e  ] [ dl ] = - [ Phi            ]        K = -df/dq + (B'lambda)_q                     (1)
// where columns of first-order states hold -df/dz instead. s: load factor of the path (2) of equilibrium.h.
// The metric W of the relaxation is the mass matrix with a share of its largest entry on the diagonal, for
// massless bodies.
#ifndef TMLI_ANALYSIS_STATICS_SEARCH_H
#define TMLI_ANALYSIS_STATICS_SEARCH_H

#include "analysis/statics/equilibrium.h"

typedef struct tmli_search {
    const tml_system *sys;
    const tmli_spin *spin;  // NULL: at rest
    const char *wanted;     // what is searched, for messages
    void *block, *klu;      // linear solvers; klu NULL: not needed so far
    bool pivoted;           // the matrix is factored by klu
    void *work;
    double *values, *extra, *mass;  // (nnz) the matrix, D, and M
    double *penalty;                // (nnz) B'pB, then the matrix with it
    double *p, *wanted_rows;        // (m) r^2; scratch
    double *R0, *motion, *phi;      // (n), (n), (m)
    double *d, *v;                  // (n + m) correction; tangent of the path, or space of the relaxation
    double *way;                    // (n) from the last point of the path
    double *tau, *tau_last;         // (n + m) direction of the path here and at the point before
    double tau_s, tau_s_last;       // their components along s
    double cosine;                  // of the angle between the path before and after the last step
    double *unit, *r;               // (n) of coordinates, (m) of rows
    double stiffness;               // largest entry of K in units
    double force;                   // largest force in units, of R0 and of the multipliers
    double mass_size;               // largest entry of M in units
    tml_state *from;                // last point of the path
    tml_state *trial;               // a point near a limit point, or after a step of the relaxation
    int32_t *diagonal;              // (n + m)
    tmli_equilibrium *out;
    tml_error shortage;  // memory or KLU is missing: what was found since then says nothing
} tmli_search;

typedef enum tmli_outcome { TMLI_CONVERGED, TMLI_ITERATING, TMLI_DIVERGED, TMLI_FAILED } tmli_outcome;

tml_status tmli_search_prepare(tmli_search *a, const tml_state *x, tml_error *err);
void tmli_search_clear(tmli_search *a);

/** The matrix of (1), factored. mu > 0 requires mass and mass_size at x. */
tml_status tmli_search_factor(tmli_search *a, const tml_state *x, double mu, tml_error *err);

/** motion, phi and force at x. u and udot of x are those of rest or of steady rotation, first-order states
 * aside. */
tml_status tmli_search_residual(tmli_search *a, tml_state *x, tml_error *err);

/** Solve (1) for the right-hand side (motion, phi) in out, which becomes (d, dlambda). */
void tmli_search_solve(tmli_search *a, double *out);

/** d = correction at the load factor. */
void tmli_search_correction(tmli_search *a, double load);

/** Largest of the coordinates' changes d in units [model lengths, rad]; NaN counts. */
double tmli_search_largest(const tmli_search *a, const double *d);

/** x moves by (d, dlambda). */
void tmli_search_move(tmli_search *a, const double *d, tml_state *x);

/** Largest force in units that is not balanced at the load factor. */
double tmli_search_imbalance(const tmli_search *a, double load);

/** Judge a correction of the given size; motion and phi are those before it, at the load factor. It has
 * converged if what remains is less than `accuracy` by the rate of the corrections, or is round-off: of the
 * corrections, or because they stop falling where the forces are balanced to the round-off of the stiffness.
 * last: the two corrections before, INFINITY at first; moves on. */
tmli_outcome tmli_search_judge(const tmli_search *a, double size, double accuracy, double load,
                               double last[2]);

/** Follow the path (2) of equilibrium.h to s = 1. *began: false if there is no stiffness at the start. */
tml_status tmli_search_follow_loads(tmli_search *a, tml_state *x, tmli_equilibrium_step *on_step, void *user,
                                    bool *began, tml_error *err);

/** Steps of (1) with growing pseudo-time 1/mu to an equilibrium. */
tml_status tmli_search_relax(tmli_search *a, tml_state *x, tml_error *err);

#endif
