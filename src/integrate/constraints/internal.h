// What the files of the watcher share; see watch.h. watch_rows.c: rows that repeat others; watch_singular.c:
// singular positions and lock-up; watch.c: the method between them and its caller.
#ifndef TMLI_INTEGRATE_CONSTRAINTS_INTERNAL_H
#define TMLI_INTEGRATE_CONSTRAINTS_INTERNAL_H

#include "consistency/consistent.h"
#include "consistency/redundant_rows.h"
#include "integrate/constraints/singular_value.h"
#include "integrate/core/decorator.h"
#include <trammel/integrator.h>

typedef struct tmli_monitor {
    tmli_decorator method;
    tmli_redundant_rows rows;
    tmli_consistent consistent;  // of the system with rows held
    bool fixed;
    bool alone;                // singular positions are left to a method of any rank
    double near;               // pivots of a singular position
    double duration;           // of the run [s]
    bool pending;              // rows at work have changed, from those kept: begin anew before the next step
    bool *wanted;              // (m) rows to hold then
    int rank;                  // of all rows at the first start, at most
    bool known;                // they are those that repeat others at the first start
    int passed;                // rows held because of a singular position; 0: none
    int failures, rejections;  // since the last accepted step
    bool looked;               // at the rows, since then
    double longest;            // of these trials [s]
    double t_before;           // where the last accepted step began [s]
    double pace;               // largest acceleration [units/s^2] of late where it had its digits; 0: unknown
    int wait, span;            // steps until the next look, and from the last
    double gap, gap_start;     // of held rows when they were looked at last, and at the start, in units
    int open;                  // the row of the largest gap
    double level;              // pivots at which the rows of a singular position were held
    bool locks;                // a lock-up was seen ahead since the start; why: which
    bool lock;                 // since the last accepted step
    int creeping;              // very short steps in turn, after that
    double astray;             // off the constraints then: the lock-up is reached [lengths or rad]
    tmli_singular singular;
    tml_counters count;  // of the method, with singular positions
    tml_state *x;        // to begin with
    tml_state *probe, *between;
    double *memory;    // of the vectors that follow
    double *phi, *nu;  // (m)
    double *force;     // (2 n) g of masked.h at t_force [s], and its rate
    double *kept;      // (2 n) those before them, at t_kept
    double *fresh;     // (2 n) those to come
    double t_force, t_kept;
    bool swift;              // that force does no work: the motion goes through without turning
    double *inertia, least;  // (3 n) of coordinates, and the least u.D u
    double *d;               // (n)
    double *test;            // (n) a fixed vector without meaning
    tml_error why;           // of a lock-up
    tml_error trouble;       // found after a step, told at the next one
} tmli_monitor;

static inline int tmli_monitor_inactive_count(const tmli_monitor *w)
{
    return tmli_active_rows_inactive_count(w->rows.system);
}

// watch_rows.c
/** Hold these rows from now on; force: w->force, if what they did goes on, NULL: it does not. */
void tmli_monitor_deactivate(tmli_monitor *w, const bool *rows, const double *force);
/** Largest |Phi_r| of held rows at x, in units; w->open: whose. */
double tmli_monitor_gap_at(tmli_monitor *w, const tml_state *x);
/** out (m) = B y of all rows at x, in units. */
tml_status tmli_monitor_rows_times(tmli_monitor *w, const tml_state *x, const double *y, double *out);
/** A held row is independent of the rows at work at x: it changes along their null space. */
bool tmli_monitor_any_independent(tmli_monitor *w, const tml_state *x);
/** g (n) := its part across the rows at work at x, g + B' mu with B inverse(M) g = 0. */
void tmli_monitor_project_across(tmli_monitor *w, const tml_state *x, double *g);
/** The choice of the last search is to be held from the next step on. False: it is held already. */
bool tmli_monitor_request_found(tmli_monitor *w);
/** The last state, w->x, brought onto the rows wanted; the method begins anew with it. Where that cannot be
 * done so close to a singular position all stays as it is, and is tried again later; too far from one that
 * is the end. */
void tmli_monitor_change_rows(tmli_monitor *w);
/** After an accepted step: do held rows still depend on the others? */
void tmli_monitor_check_inactive(tmli_monitor *w, const tml_state *x);

// watch_singular.c
/** Time [s] in which nothing moves further than so many lengths or rad from x. */
double tmli_monitor_reach(const tmli_monitor *w, const tml_state *x, double far);
/** probe := the state h [s] after x, by velocity and acceleration. */
void tmli_monitor_predict(tmli_monitor *w, const tml_state *x, double h);
/** The motion has come to x: has it passed a singular position? False: it was not time to look. */
bool tmli_monitor_note_passage(tmli_monitor *w, const tml_state *x);
/** After an accepted step: has it passed a singular position, or come so close to one that rows are better
 * held at once? */
void tmli_monitor_check_singular(tmli_monitor *w, const tml_state *x);
/** w->x is close to a singular position: does a moving constraint push across it? w->locks, w->why. */
void tmli_monitor_check_lock(tmli_monitor *w);
/** Steps from the last state fail: are there singular positions on the way? *found: there are, their rows are
 * held, and the method has begun anew. TML_RETRY with w->lock: the mechanism locks up there. */
tml_status tmli_monitor_look_ahead(tmli_monitor *w, double h, bool *found, tml_error *err);

#endif
