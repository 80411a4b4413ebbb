// The regularized equations of a Hessenberg system; equation numbers as in hessenberg.h.
#ifndef PAPERS_HESSENBERG_INTERNAL_H
#define PAPERS_HESSENBERG_INTERNAL_H

#include "base/base.h"
#include "hessenberg/hessenberg.h"

typedef struct tmli_hessenberg_eq {
    tml_hessenberg_def def;
    int k;                               // m - l
    int size;                            // m nx + ny
    double a[TML_HESSENBERG_ORDER + 1];  // of (3)
    double longest;                      // largest |y| that the radius allows; INFINITY: any
    double *block;                       // memory of all arrays below
    double *f, *g, *c, *gt;              // (nx), (ny) ..
    double *B, *G, *M;                   // (nx x ny), (ny x (l+1) nx), (nx x nx)
    double *GB, *A;                      // (ny x ny); A: matrix of the start, column-major
    double *mass;                        // (nx x nx) M or M'M + shift I, column-major; factored in place
    double *right;                       // (nx x (ny + 1)) column-major: B or M'B, and f
    double *mean;                        // (nx) sum of derivatives
    double *X;                           // (m nx) shifted states of differences
    double *plus, *minus;                // (size) residuals of differences
    double *y, *yp;                      // (size) shifted unknowns
    double *w;                           // (ny) of (d)
    int *pivot;                          // (max of nx, ny)
} tmli_hessenberg_eq;

tml_status tmli_hessenberg_eq_init(const tml_hessenberg_def *def, const tml_env *env, tmli_hessenberg_eq *e,
                                   tml_error *err);
void tmli_hessenberg_eq_clear(tmli_hessenberg_eq *e, const tml_env *env);

/** Residual of (1) and (3), (4) or (5): u = (X, y) and its derivative. */
tml_status tmli_hessenberg_residual(tmli_hessenberg_eq *e, double t, const double *u, const double *up,
                                    double *r, tml_error *err);
/** F_u + cj F_u' by central differences, column-major. */
tml_status tmli_hessenberg_matrix(tmli_hessenberg_eq *e, double t, double cj, const double *u,
                                  const double *up, double *values, tml_error *err);
/** Solve for y and u' at the start; u holds X. */
tml_status tmli_hessenberg_begin(tmli_hessenberg_eq *e, double t, double *u, double *up, tml_error *err);
/** e->G and e->gt := G and g_t by callback or differences. `differences`: never by callback. */
tml_status tmli_hessenberg_slopes(tmli_hessenberg_eq *e, double t, const double *X, bool differences,
                                  tml_error *err);
tml_status tmli_hessenberg_constraint(const tmli_hessenberg_eq *e, double t, const double *X, double *g,
                                      tml_error *err);

#endif
