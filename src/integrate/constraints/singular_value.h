// How near the constraints are to a singular position, and when the motion passes one: by their smallest
// singular value, which changes its sign there.
//
// In units of the model, n' B w = s > 0 with the left and right vectors of the smallest singular value of the
// rows at work, by inverse iteration with the matrix of accelerations. A little later the same vectors give
// n' B w < 0: s has passed zero in between. Where rows are few, det(B B_last') < 0 tells it of any singular
// value, and where some repeat others a negative eigenvalue of that. How often that is looked at depends on
// how far the motion goes and on s, so that it costs little.
#ifndef TMLI_INTEGRATE_CONSTRAINTS_SINGULAR_VALUE_H
#define TMLI_INTEGRATE_CONSTRAINTS_SINGULAR_VALUE_H

#include "base/base.h"
#include "consistency/consistent.h"

typedef struct tmli_singular {
    const tml_system *sys;    // with rows held
    const double *unit;       // (n + m) of tmli_redundant_rows
    double *n, *w;            // (m), (n) in units
    double *test, *v;         // (m) a fixed vector without meaning; scratch
    double *rows;             // (entries of B) in units
    bool plain;               // by B B' instead of the matrix of accelerations
    double *S;                // (m x m) its Cholesky factor
    bool all;                 // all singular values are followed
    double *last, t_last;     // (entries of B) rows of the time t_last [s], when the motion had gone way_last
    double *row;              // (n) scratch
    bool known;               // there are vectors
    double s, t;              // s at time t, when the motion had gone `way`
    double first;             // s where the vectors were found
    double away;              // how far the motion has gone from there [lengths or rad]
    int reused;               // looks with them since
    double t_step, step;      // beginning and length of the last step [s]
    double speed, speed_now;  // of the motion in it, at its end [lengths or rad per s]
    double way, way_last, way_step,
        way_now;  // gone until the last look, t_last, t_step, the state looked at [lengths or rad]
    double rate;  // change of s over what the motion has gone, the largest of late
    int skipped;  // states since the last look
    double calm;  // how much further the motion may go than usual before the next look
} tmli_singular;

tml_status tmli_singular_create(const tmli_redundant_rows *rows, tmli_singular *p, tml_error *err);
void tmli_singular_clear(tmli_singular *p);
/** A step of h [s] ends at x. Into how many parts is it to be divided? */
int tmli_singular_step(tmli_singular *p, const tml_state *x, double h);
/** The motion has come to x, in that step or at its end; c: constraints of the system. True: it was time to
 * look, p->s is that of x (infinite: not known); *crossed: when s passed zero since the last look, NAN: it
 * did not. */
bool tmli_singular_look(tmli_singular *p, tmli_consistent *c, const tml_state *x, double *crossed);
/** Of two sides of a singular position: is x on that of the last look? Where all singular values are
 * followed. */
bool tmli_singular_beyond(tmli_singular *p, void *work, const tml_state *x);

#endif
