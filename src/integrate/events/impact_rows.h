// The rows of a system that take part in an impact: those of closed and struck unilateral constraints, and
// those of friction that is loaded by them or by reactions of joints (system contract: restitution,
// loaded_by). With the impulses p of these rows and those of all others, L,
//   M du + B' L = g' p + R,   B (u + du) = nu,   rates after the impact  g (u + du) = W p + b             (1)
// R: what forces that depend on multipliers (bristles, regularized friction) add by L. One factorization of
// the matrix of all other rows gives W, column by column.
//
// Friction of a coordinate that the other rows prescribe has W = 0: its rate jumps from u to b whatever its
// impulse is, which drivers balance. The impulse acts against (u + b)/2, and takes energy.
#ifndef TMLI_INTEGRATE_EVENTS_IMPACT_ROWS_H
#define TMLI_INTEGRATE_EVENTS_IMPACT_ROWS_H

#include "base/base.h"
#include "consistency/consistent.h"
#include "integrate/events/impact_law.h"
#include <trammel/system.h>

typedef struct tmli_impact_rows {
    const tml_system *sys;
    tmli_consistent *consistent;  // borrowed
    void *work;                   // borrowed
    tmli_impact_law law;          // its p and u are those of the last solution
    double tol;                   // tolerance of the run
    bool loads;                   // there is friction that reactions of joints load, or R
    int *row;                     // (rows of the law) the row of the system
    int *owner;                   // (groups) the unilateral constraint, or the friction alone
    double *sign;                 // (rows of the law) g = sign B
    double *before;               // (rows of the law) rates before the impact
    double *start;                // (rows of the law) rates from which the solution begins
    double *idle;                 // (groups) force of friction alone without impulses
    double *load;                 // (groups) its bound by the last impulses
    double *at_start;             // (rows of the law) rates of x, with what other rows lack
    double *mode;                 // (groups) the mode of the owner while its row is not in force
    double *p;                    // (rows of the law) impulses of the impact
    double *compression;          // (rows of the law) those before the greatest compression, by Poisson's law
    double *force_sum;            // (n) R of the impact
    double *B;                    // (entries of B) with all of these rows in force
    double *value, *kept;         // (nmode)
    double *c, *gamma;            // (m) what other rows lack, or the part of it that is taken
    double *lack;                 // (m) all of it that is left
    double *jump;                 // (rows of the law) what it changes their rates by
    double *force, *f, *f0, *du, *R;  // (n)
    double *diagonal;                 // (3 n)
    double *last;                     // (m) multipliers of the pass before
    double *missing, *change;         // (m) what a solution misses, and what that changes
    double *more;                     // (n) the same of the motion
    double *held_mode;                // (nmode) of the state while its rows are open
    double *held_lambda;              // (m) the same
} tmli_impact_rows;

/** consistent and work, scratch of the system, must outlive it. */
tml_status tmli_impact_rows_create(const tml_system *sys, tmli_consistent *consistent, void *work,
                                   tmli_impact_rows *r, tml_error *err);
void tmli_impact_rows_clear(tmli_impact_rows *r);
/** The rows that take part at x, where unilateral constraints that do are closed; W and the rates before. In
 * the end those rows are not in force in the matrix, and their modes are open. Multipliers of x change. */
tml_status tmli_impact_rows_find(tmli_impact_rows *r, tml_state *x, tml_error *err);
/** Take the part `share` of what other rows lack: rates before, and c. */
void tmli_impact_rows_take(tmli_impact_rows *r, double share);
/** That part is done, and the rates are `after` (rows of the law): take all the rest. */
void tmli_impact_rows_advance(tmli_impact_rows *r, double share, const double *after);
/** What is closed or sticks at x, at acceleration level: the impulses p are forces, the rates accelerations.
 * Points that are closed with the tangents that stick, and other friction that sticks, form the groups. If a
 * row in force cannot be by the multipliers of x (its event function is negative), the multipliers become
 * those of the law of contact, p, and beyond it where it lets a row accelerate: what would hold it. Rows
 * that depend on each other share forces in many ways, and may hold by another than that of x; and of
 * several that cannot all hold the law tells which let go, and where friction slips to. depends: there are
 * rows that depend on others. Then nothing is changed where closed points slip: their friction, and with it
 * the motion, follows from the multipliers of x. halved: the friction of what holds, which is one of many
 * and often at its bound, so that event functions are not taken for ending there. False: nothing was
 * changed. */
bool tmli_impact_rows_rest(tmli_impact_rows *r, tml_state *x, bool depends, bool halved);
/** Group k is friction of a coordinate that other rows prescribe. */
bool tmli_impact_rows_prescribed(const tmli_impact_rows *r, int k);
/** Impulses by the law from the rates in law.b on. *solved: false if no solution of the law is found. */
tml_status tmli_impact_rows_solve(tmli_impact_rows *r, tml_state *x, bool expands, bool *solved,
                                  tml_error *err);
/** The rate of row k of the law by the velocity v (n), g v. */
double tmli_impact_rows_rate(const tmli_impact_rows *r, int k, const double *v);
/** (1): du (n) and lambda (m) of all rows by the impulses p and the force R. */
void tmli_impact_rows_apply(tmli_impact_rows *r, const double *p, const double *R, double *du,
                            double *lambda);

#endif
