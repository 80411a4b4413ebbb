// What the files of the constraint monitor share; see monitor.h.
//
// redundant.c: inactive rows that are redundant. singular.c: singular configurations and lock-up.
// singular_value.c: distance to singular configurations. monitor.c: the decorator between the inner method
// and its caller.
#ifndef TMLI_INTEGRATE_CONSTRAINTS_INTERNAL_H
#define TMLI_INTEGRATE_CONSTRAINTS_INTERNAL_H

#include "consistency/consistent.h"
#include "consistency/redundant_rows.h"
#include "integrate/constraints/singular_value.h"
#include "integrate/core/decorator.h"
#include <trammel/integrator.h>

typedef struct tmli_monitor {
    tmli_decorator method;          // the inner method
    tmli_redundant_rows redundant;  // search for redundant rows
    tmli_consistent consistent;     // projection onto the active rows
    bool fixed_step;
    bool ignore_singular;      // the inner method passes singular configurations on its own
    double near_pivot;         // pivots below it: near a singular configuration
    double tol;                // relative tolerance
    double duration;           // of the run [s]
    bool redundant_known;      // `requested` holds the redundant rows of the first start
    bool rows_changed;         // the inner method must restart from x before the next step
    bool searched;             // a search ahead was made from the last accepted state
    bool lock_ahead;           // a lock-up was predicted since the start: lock_error
    bool locked;               // a lock-up was predicted from the last accepted state
    bool no_turning;           // fast motion: the force that replaces inactive rows does no work
    bool quintic_known;        // it is that of the last accepted step
    int max_rank;              // upper bound of the rank at the first start
    int gap_row;               // the row with the largest gap
    int singular_rows;         // rows inactive because of a singular configuration
    int failures, rejections;  // trials from the last accepted state
    int check_countdown;       // steps until inactive rows are checked
    int check_interval;        // steps from the last check to the next
    int short_steps;           // consecutive very short steps since lock_ahead
    int stalled_steps;         // since stall_start [s], altogether very short
    double stall_start;
    double longest_trial;          // step size of the trials from the last accepted state [s]
    double t_before;               // start of the last accepted step [s]
    double acceleration_scale;     // largest reliable recent acceleration [units/s^2]; 0: unknown
    double gap, gap_start;         // of inactive rows at the last check and at the start, in row units
    double deactivation_pivot;     // pivots at which singular rows were deactivated
    double min_energy;             // the regularization of u.D u
    tmli_singular_value smallest;  // singular value of the active rows
    tml_counters count;            // of the inner method, with singular configurations
    void *memory;                  // of all arrays
    tml_state *x;                  // restart state; its inactive rows are the present ones
    tml_state *probe, *between;    // predicted and interpolated states
    tml_state *before;             // start of the last accepted step; NULL: quintic is not used
    double *quintic;   // the motion in that step (system/state/quintic.h) if the method has none of its own
    double *phi, *nu;  // (m)
    double *d;         // (n)
    double *test_vector;      // (n) fixed, with components in all directions
    double *force;            // (2 n) the force that replaces inactive rows, and its rate
    double *inertia;          // (3 n) diagonal inertia
    bool *requested;          // (m) rows to deactivate next
    tml_error lock_error;     // describes a predicted lock-up
    tml_error pending_error;  // detected after a step, returned by the next one
} tmli_monitor;

static inline int tmli_monitor_inactive_count(const tmli_monitor *mon) { return mon->x->inactive->count; }

/** Number of active rows. */
static inline int tmli_monitor_active_count(const tmli_monitor *mon)
{
    return mon->redundant.base->m - tmli_monitor_inactive_count(mon);
}

// redundant.c
/** Make exactly these rows (m; NULL: none) of x and the probe inactive. force (2 n; NULL: none): the force
 * that replaces theirs at t0 [s], and its rate. The inner method takes them over when it starts. */
void tmli_monitor_set_inactive(tmli_monitor *mon, const bool *inactive, const double *force, double t0);
/** Make the rows inactive that are so in the inner method. */
void tmli_monitor_restore_inactive(tmli_monitor *mon);
/** Largest gap |Phi_r| of inactive rows at x, in row units; mon->gap_row: its row. */
double tmli_monitor_largest_gap(tmli_monitor *mon, const tml_state *x);
/** Largest residual |Phi_r| of all rows at x [model lengths or rad]. */
double tmli_monitor_largest_residual(tmli_monitor *mon, const tml_state *x);
/** out (m) = B y of all rows at x, in row units. */
tml_status tmli_monitor_multiply_rows(tmli_monitor *mon, const tml_state *x, const double *y, double *out);
/** True if an inactive row is independent of the active rows at x: it changes along their null space. */
bool tmli_monitor_any_independent(tmli_monitor *mon, const tml_state *x);
/** Project the force g (n) at x: g := g + B' mu with B inverse(M) g = 0 for the active rows B. */
void tmli_monitor_project_force(tmli_monitor *mon, const tml_state *x, double *g);
/** Request the rows of the last search. False: they are inactive already. */
bool tmli_monitor_request_found(tmli_monitor *mon);
/** Request as many rows as are active now, but far from a singular configuration. False: there are none. */
bool tmli_monitor_request_better(tmli_monitor *mon, const tml_state *x);
/** Deactivate the requested rows, project the last state mon->x onto the active ones and restart the inner
 * method. If the projection fails near a singular configuration, nothing changes and it is tried again later;
 * if gaps are too large for that, mon->pending_error ends the run. */
void tmli_monitor_change_rows(tmli_monitor *mon);
/** After an accepted step: check that inactive rows still depend on the active ones. */
void tmli_monitor_check_inactive(tmli_monitor *mon, const tml_state *x);

// singular.c
/** Largest of the rates (n) of the motion [model lengths or rad per s, or s^2]. */
double tmli_monitor_largest_rate(const tmli_monitor *mon, const double *rates);
/** Time [s] in which no coordinate moves further from x than `distance` [model lengths or rad]. */
double tmli_monitor_travel_time(const tmli_monitor *mon, const tml_state *x, double distance);
/** probe := the state h [s] after x, predicted by velocity and acceleration. */
void tmli_monitor_predict(tmli_monitor *mon, const tml_state *x, double h);
/** out := the state at the share theta of the last accepted step, accurate enough for its rows. */
void tmli_monitor_interpolate(tmli_monitor *mon, double theta, tml_state *out);
/** The motion has reached x: count singular configurations since the last check. False: no check was due. */
bool tmli_monitor_detect_passage(tmli_monitor *mon, const tml_state *x);
/** After an accepted step: detect singular configurations, and deactivate rows if x is very close to one. */
void tmli_monitor_check_singular(tmli_monitor *mon, const tml_state *x);
/** mon->x is near a singular configuration: test whether a driver locks up there; mon->lock_ahead,
 * lock_error. */
void tmli_monitor_check_lock(tmli_monitor *mon);
/** Steps of size h [s] from the last state fail: search for singular configurations along the predicted step.
 * *found: there is one; its rows are inactive and the inner method has restarted. TML_RETRY with mon->locked:
 * the mechanism locks up there. */
tml_status tmli_monitor_search_ahead(tmli_monitor *mon, double h, bool *found, tml_error *err);

#endif
