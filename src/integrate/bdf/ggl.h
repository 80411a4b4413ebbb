// The parts of the stabilized index-2 form; equations in ggl.c.
#ifndef TMLI_INTEGRATE_BDF_GGL_H
#define TMLI_INTEGRATE_BDF_GGL_H

#include "integrate/bdf/bdf.h"

typedef struct tmli_ggl {
    tmli_bdf *base;
    tml_pattern *pattern;  // wide
    const tml_linsolver_ops *solver;
    void *lin;
    double *values, *part;                    // (nnz of the wide pattern), (nnz of the base)
    double *unit;                             // (n + m)
    double *wide;                             // (2 (n + m)) right side and solution
    double *W, *diagonal;                     // (n), (3 n)
    double *e, *p;                            // (m) row scales, penalties
    double *measure;                          // (n + m) what unknowns and rows are measured in
    double *mu, *phi, *phidot, *dphi, *kept;  // (m)
    double *rows, *turning;                   // (entries of B): B, (B u)_q
    double *motion, *kin;                     // (n)
    double *v;                                // (n) X'~
    double *guess;                            // (n) predicted increment
    double *q_factor, *q_now;                 // (nq) as in the kernel, (5) there
    tml_state *start;                         // predicted state
    double factor_b, rate;
    double speed;  // size of the last dU [lengths]
    bool stale;
    int iterations;
    bool physical;  // lengths are measured in units of the model, rows by inertia
    bool plain;     // multipliers are not scaled
    // (5) for the present step: factors of the rows of (1), (2), Phi, B u; u, lambda, mu over unknowns (rows
    // and the latter two beside e)
    double relation, force, level, level_u;
    double speed_unit, lambda_unit, mu_unit;
    tmli_record *record;  // NULL: no report
} tmli_ggl;

static inline tmli_ggl *tmli_ggl_of(const tmli_bdf *b) { return b->more; }

tml_status tmli_ggl_create_parts(tmli_bdf *b, tml_error *err);
void tmli_ggl_clear(tmli_ggl *g);  // NULL is fine
/** Factors of the step's right sides and unknowns, (5), and penalties. */
void tmli_ggl_set_factors(tmli_bdf *b);
/** Evaluate (4) at x and factor it. */
tml_status tmli_ggl_factor(tmli_bdf *b, const tml_state *x, tml_error *err);
/** g->wide := solution of the last matrix, in the units of the model. */
void tmli_ggl_solve_wide(tmli_ggl *g);
/** The correction in g->wide, into the record; true if it was smaller than those before it. */
bool tmli_ggl_record(tmli_ggl *g);
double tmli_ggl_condition(void *self);
void tmli_ggl_conditioning(void *self, tml_conditioning *out);

#endif
