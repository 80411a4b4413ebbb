// Matrix and Newton data of the stabilized index-2 form; equations in ggl.c.
#ifndef TMLI_INTEGRATE_BDF_GGL_H
#define TMLI_INTEGRATE_BDF_GGL_H

#include "integrate/bdf/bdf.h"

typedef struct tmli_ggl {
    tmli_bdf *base;
    tml_pattern *pattern;  // of (4)
    const tml_linsolver_ops *solver;
    void *lin;
    void *memory;                      // of all arrays
    tml_state *start;                  // predicted state
    double *values;                    // (nnz of (4))
    double *base_values;               // (nnz of the system's pattern)
    double *unit;                      // (n + m)
    double *measure;                   // (n + m) units of unknowns and rows
    double *wide;                      // (2 (n + m)) right-hand side and solution of (4)
    double *diagonal;                  // (3 n)
    double *W;                         // (n)
    double *motion, *kinematic;        // (n) residuals of (2) and (1)
    double *v;                         // (n) X'~
    double *predicted;                 // (n) predicted increment
    double *e, *p;                     // (m) row scales, penalties
    double *mu, *phi, *phidot, *dphi;  // (m)
    double *offset;                    // (m) Phi minus the value used, kernel.h (2)
    double *rows, *turning;            // (entries of B): B, (B u)_q
    double *q_factor, *q_now;          // (nq) configurations as in kernel.h (5)
    tmli_newton newton;                // monitor of the iteration
    bool stale;                        // a new matrix is due before the next solve
    bool physical;                     // unknowns are measured in model lengths, rows by inertia
    bool all_active;                   // constraint rows were, at the last residual
    // (5) for the present step: factors of the rows of (1), (2), Phi, B u, and units of the unknowns u,
    // lambda, mu. Factors of constraint rows, and units of multipliers, are multiplied by e as well.
    double relation, force, level, level_u;
    double speed_unit, lambda_unit, mu_unit;
    double factor_b;      // b of the last factorization; 0: none
    tmli_record *record;  // NULL: no report
} tmli_ggl;

static inline tmli_ggl *tmli_ggl_of(const tmli_bdf *b) { return b->extension; }

tml_status tmli_ggl_create_parts(tmli_bdf *b, tml_error *err);
void tmli_ggl_clear(tmli_ggl *g);  // NULL is fine
/** Set the factors of rows and unknowns of the step, (5), and penalties. */
void tmli_ggl_set_factors(tmli_bdf *b);
/** Evaluate (4) at x and factor it. */
tml_status tmli_ggl_factor(tmli_bdf *b, const tml_state *x, tml_error *err);
/** g->wide := solution with the last matrix, in the units of the model. */
void tmli_ggl_solve_wide(tmli_ggl *g);
/** Record the correction in g->wide; true if it was smaller than those before it. */
bool tmli_ggl_record(tmli_ggl *g);
double tmli_ggl_condition(void *self);
void tmli_ggl_conditioning(void *self, tml_conditioning *out);
void tmli_ggl_archive(void *self, tml_archive *a);

#endif
