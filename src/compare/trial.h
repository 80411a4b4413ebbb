// Runs to be compared: signals sorted by kind, rows recorded or compared with those of a reference, time
// limits.
#ifndef TMLI_COMPARE_TRIAL_H
#define TMLI_COMPARE_TRIAL_H

#include "sim/loop.h"
#include <pthread.h>
#include <trammel/compare.h>

// ---- signals ----------------------------------------------------------------------------------------------

/** The channels of a model's results, copied from a simulation. Channel 0 is t. */
typedef struct tmli_signals {
    tml_env env;
    tmli_arena arena;
    int n;
    const char **name, **unit;  // (n)
    int *kind;                  // (n) tml_signal_kind or TMLI_SIGNAL_NONE
    int *component, *width;     // (n) index within the channel's vector, and its length
    bool *angle;                // (n) measured in rad
    bool *unique;               // (n) determined by the model; false: a shared or indeterminate reaction
    double *fixed;              // (n) value of a channel that no motion can change; NAN: others
    double length, mass;        // of the model [m, kg]
} tmli_signals;

tml_status tmli_signals_init(tmli_signals *s, const tml_sim *sim, tml_error *err);
void tmli_signals_clear(tmli_signals *s);

// ---- rows -------------------------------------------------------------------------------------------------

/** Rows of all channels. */
typedef struct tmli_samples {
    const tmli_signals *signals;
    size_t rows, room;
    double *values;  // (rows x n); NAN: not known (a file may lack columns that can change)
    size_t jumps, jump_room;
    double *jump;             // (jumps) times of discontinuities, ascending [s]
    const tml_system *keeps;  // keep the states of this system; NULL: none are kept
    size_t states, state_room;
    tml_state **state;  // (states) of the rows
} tmli_samples;

tml_status tmli_samples_add(tmli_samples *r, const double *row, tml_error *err);
/** The state of the row to be added next, if states are kept. */
tml_status tmli_samples_add_state(tmli_samples *r, const tml_state *x, tml_error *err);
tml_status tmli_samples_add_jump(tmli_samples *r, double t, tml_error *err);
/** Whether there is a discontinuity within `slack` of t [s]. */
bool tmli_samples_jump_at(const tmli_samples *r, double t, double slack);
/** The columns of a result that are channels; path: for messages. */
tml_status tmli_samples_copy(tmli_samples *r, const tml_result *file, const char *path, tml_error *err);
/** Read a result file (.csv, .h5, .hdf5); columns that are not channels are ignored. */
tml_status tmli_samples_read(tmli_samples *r, const char *path, tml_error *err);
void tmli_samples_clear(tmli_samples *r);
/** The rows of r, which has none then. */
tmli_samples tmli_samples_take(tmli_samples *r);
/** The row at time t (within slack), searching from row *from, which is advanced; NULL: there is none. */
const double *tmli_samples_at(const tmli_samples *r, double t, double slack, size_t *from);

typedef struct tmli_scales {
    double velocity, force;  // V [m/s], F [N] of compare.h
    double *own;             // (n) largest absolute value of each channel
} tmli_scales;

tml_status tmli_scales_init(tmli_scales *out, const tmli_samples *r, tml_error *err);
void tmli_scales_clear(tmli_scales *s, const tml_env *env);

/** Angle [rad] between the orientations of two quaternions of (nearly) unit length, exact for small ones. */
double tmli_quaternion_angle(const double *a, const double *b);
/** e = largest of e and the errors of a row; e starts as NAN, NAN, NAN. */
void tmli_errors_add(const tmli_signals *s, const tmli_scales *scales, const double *row,
                     const double *reference, tml_errors *e);
/** Largest errors of a record against another at common times. Returns the number of these times. */
int tmli_errors_between(const tmli_samples *a, const tmli_samples *reference, const tmli_scales *scales,
                        double slack, tml_errors *e);

// ---- runs -------------------------------------------------------------------------------------------------

/** Progress of parallel runs: the callback they share. */
typedef struct tmli_progress {
    pthread_mutex_t lock;
    tml_status (*on_progress)(const tml_compare_progress *p, void *user);
    void *user;
    bool cancelled;  // under the lock
    int done, total;
} tmli_progress;

bool tmli_progress_cancelled(tmli_progress *w);

struct tmli_sensitivity;

typedef struct tmli_trial {
    // input
    const tml_model *model;
    tml_run_def run;
    double limit;      // CPU time [s]; INFINITY: none
    double deadline;   // of tmli_wall_time [s]; 0: none
    const char *what;  // for progress
    tmli_progress *progress;
    tmli_samples *record;           // gets the rows; NULL: none
    const tmli_samples *reference;  // to compare with; NULL: none
    const tmli_scales *scales;
    struct tmli_sensitivity *sensitivity;  // of the outputs (judge.h), found during the run; NULL: none
    // result
    tml_status status;
    tml_error err;
    bool over_limit, late, cancelled;  // over_limit: by CPU time, or by the deadline (late)
    tml_counters count;
    double cpu, t;
    const char *event;
    const char *first_method, *method;  // in use at the start and at the end
    tml_errors error;
    int compared;  // output times
    // during the run
    double cpu_start;  // [s]
    double checked_at,
        reported_at;  // wall times of the last check of the clock and of the last progress report [s]
    size_t cursor;
    double *row;
    long switches;  // discontinuities up to now
    bool pending;   // the last one ended the last step, and is not among them yet
} tmli_trial;

/** Run to the end, to a limit or to a failure; the result is in r. */
void tmli_trial_run(tmli_trial *r);
/** Run with this tolerance for rtol and atol, under step-size control. */
void tmli_run_set_tol(tml_run_def *run, double tol);

int tmli_processors(void);

#endif
