// Tracking of the smallest singular value of the active rows: how near the constraints are to a singular
// configuration, and when the motion passes one.
//
// In units of the model, n' B w = s > 0 with the left and right singular vectors n, w of the smallest
// singular value s of the active rows B. They come from inverse iteration with the matrix of accelerations.
// If the same vectors give n' B w < 0 later, s has passed zero in between. Systems of few rows are tested for
// all singular values: det(B B_last') < 0, or, where some rows are inactive, a negative real part of an
// eigenvalue of B B_last'. Rows that turn by more than a right angle from B_last to B also do that: only
// between neighbouring states is the sign a proof. The distance from one check to the next depends on s, so
// that the checks cost little.
#ifndef TMLI_INTEGRATE_CONSTRAINTS_SINGULAR_VALUE_H
#define TMLI_INTEGRATE_CONSTRAINTS_SINGULAR_VALUE_H

#include "base/base.h"
#include "consistency/consistent.h"

typedef struct tmli_singular_value {
    const tml_system *sys;         // without the inactive rows of a state
    const double *unit;            // (n + m) of tmli_redundant_rows
    const tml_state *x;            // of the check, which is borrowed for it
    bool use_gram;                 // inverse iteration with B B' in place of the matrix of accelerations
    bool track_all;                // all singular values are tracked
    bool known;                    // n, w and s are valid
    bool within_reach;             // s may have been zero between the last two checks, at its rate
    bool failed;                   // trials of the last step failed: s is evaluated at its end
    int reuses;                    // checks with the vectors n and w since they were computed
    int skipped;                   // states since the last check
    double s, t;                   // the singular value of the last check, and its time [s]
    double s_first;                // the singular value where n and w were computed
    double t_last;                 // time of the last comparison [s]
    double t_step, step;           // start and size of the last step [s]
    double speed, speed_end;       // largest in that step, and at its end [model lengths or rad per s]
    double path_now;               // distance travelled since the start up to the present state,
    double path_check, path_last;  // up to the last check, the last comparison,
    double path_step;              // and the start of the last step [model lengths or rad]
    double rate;                   // largest recent change of s over distance
    double stretch;                // of the distance to the next check, >= 1
    void *memory;                  // of all arrays
    double *n;                     // (m) singular vector in units
    double *test_vector, *v;       // (m) fixed, with components in all directions; scratch
    double *w, *dense_row;         // (n) the other singular vector; scratch
    double *B_values;              // (entries of B) at the state of the check, in units
    double *B_last;                // (entries of B) at the last comparison
    double *S;                     // (m x m) Cholesky factor of B B', or a product B B_last'
    int *first;                    // (m) columns in which its rows begin, then (n) scratch
    tml_error shortage;            // no LAPACK: no comparison was made
} tmli_singular_value;

tml_status tmli_singular_value_create(const tmli_redundant_rows *redundant, tmli_singular_value *p,
                                      tml_error *err);
void tmli_singular_value_clear(tmli_singular_value *p);
/** A step of h [s] ends at x. Returns into how many parts it should be divided for checks within it. */
int tmli_singular_value_begin_step(tmli_singular_value *p, const tml_state *x, double h);
/** The motion has reached x, within that step or at its end; c: constraints of the system. True: a check was
 * due, and p->s is that of x (infinite: unknown). *crossed: time [s] at which a singular value seems to have
 * passed zero since the last check; NAN: none did. With track_all that is the time of x, and the caller finds
 * out more before it keeps the rows of x (tmli_singular_value_keep_rows). */
bool tmli_singular_value_check(tmli_singular_value *p, tmli_consistent *c, const tml_state *x,
                               double *crossed);
/** New singular vectors and s at x. False: B is singular to working precision there. */
bool tmli_singular_value_refresh(tmli_singular_value *p, tmli_consistent *c, const tml_state *x);
/** n' B w at x with the last singular vectors; NAN: B cannot be evaluated. */
double tmli_singular_value_signed(tmli_singular_value *p, void *work, const tml_state *x);
/** With track_all: is x on the same side of a singular configuration as the last comparison? */
bool tmli_singular_value_same_side(tmli_singular_value *p, void *work, const tml_state *x);
/** The rows of the last same_side or check, at the time t [s], are those of the next comparison. */
void tmli_singular_value_keep_rows(tmli_singular_value *p, double t);
void tmli_singular_value_archive(tmli_singular_value *p, tml_archive *a);

#endif
