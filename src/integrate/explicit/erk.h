// An explicit Runge-Kutta method with its formulas: shared by its steps (erk.c) and their dense output
// (erk_dense.c).
#ifndef TMLI_INTEGRATE_EXPLICIT_ERK_H
#define TMLI_INTEGRATE_EXPLICIT_ERK_H

#include "integrate/explicit/erk_tables.h"
#include "integrate/explicit/explicit.h"
#include "integrate/explicit/ticks.h"

/** The further stages of the last step, for the dense output. */
typedef enum tmli_erk_further {
    TMLI_ERK_FURTHER_UNKNOWN,
    TMLI_ERK_FURTHER_KNOWN,
    TMLI_ERK_FURTHER_IMPOSSIBLE
} tmli_erk_further;

/** Weights of a combination of the stages' accelerations, without the zeros. */
typedef struct tmli_erk_row {
    int count;
    int from[TMLI_ERK_STAGES];
    double once[TMLI_ERK_STAGES], twice[TMLI_ERK_STAGES];  // for vd (2), for v (1) of erk_tables.h
} tmli_erk_row;

/** A method of one order. */
typedef struct tmli_erk_formula {
    const tmli_erk_table *table;
    tmli_erk_row stage[TMLI_ERK_STAGES];
    tmli_erk_row estimate[TMLI_ERK_ESTIMATES];
    tmli_erk_row last_change;  // end minus the stage before it, which is at the same time
} tmli_erk_formula;

typedef struct tmli_erk {
    tmli_explicit common;
    tmli_erk_formula
        formula[TMLI_LOWER_ORDERS + 1];  // lower orders for steps between ticks, then the method's own
    int used;                            // formula of the step under trial, or of the last one
    tmli_ticks ticks;
    double h_trial;                  // [s]
    double error, last_error;        // of the step under trial, and of the last accepted one; 0: none
    double rate2, last_rate2;        // w^2 of (1), likewise [1/s^2]
    int further;                     // tmli_erk_further
    double *k[TMLI_ERK_STAGES];      // (dof) accelerations of the stages
    double *whole[TMLI_ERK_STAGES];  // (n) accelerations of all coordinates, d'' of reduction.h
    double *vd0;                     // (dof) at the start of the step
    double *v, *vd;                  // (dof) scratch
    double *d, *rate;                // (n) scratch
} tmli_erk;

static inline const tmli_erk_formula *tmli_erk_present(const tmli_erk *e) { return &e->formula[e->used]; }

/** *r := weights of accelerations, for vd as given and for v. */
void tmli_erk_set_weights(const tmli_erk_table *t, const double *weights, tmli_erk_row *r);
/** v, vd (dof) := position and velocity at c h after the start of the step. */
void tmli_erk_set_point(const tmli_erk *e, const tmli_erk_row *r, double c, double h, double *v, double *vd);
/** e->d, e->rate := increment and rate of all coordinates at c h after the state x. The constraints give the
 * dependent ones too; where these leave a choice between two branches, this decides. */
void tmli_erk_set_point_of_all(const tmli_erk *e, const tmli_erk_row *r, double c, double h,
                               const tml_state *x);
/** The method's interpolate. */
void tmli_erk_interpolate(void *self, double theta, tml_state *out);

#endif
