// Runs made to be compared: their signals sorted by kind, their rows kept or held against other rows, their
// time limited.
#ifndef TMLI_COMPARE_TRIAL_H
#define TMLI_COMPARE_TRIAL_H

#include "sim/sim.h"
#include <pthread.h>
#include <trammel/compare.h>

// ---- signals ----------------------------------------------------------------------------------------------

enum { TMLI_SIGNAL_NONE = -1 };  // a channel that is not compared: time, step, residuals

/** The channels of a model's results, copied from a simulation. Channel 0 is t. */
typedef struct tmli_signals {
    tml_env env;
    tmli_arena arena;
    int n;
    const char **name, **unit;  // (n)
    int *kind;                  // (n) tml_signal_kind or TMLI_SIGNAL_NONE
    int *component, *width;     // (n) place in the channel's vector
    bool *angle;                // (n) measured in rad
    double length;              // of the model [m]
} tmli_signals;

tml_status tmli_signals_init(tmli_signals *s, const tml_sim *sim, tml_error *err);
void tmli_signals_clear(tmli_signals *s);

// ---- rows -------------------------------------------------------------------------------------------------

/** Rows of all channels. */
typedef struct tmli_samples {
    const tmli_signals *signals;
    size_t rows, room;
    double *values;  // (rows x n); NAN: not known (a file may lack columns)
} tmli_samples;

tml_status tmli_samples_add(tmli_samples *r, const double *row, tml_error *err);
/** Read a result file (.csv, .h5, .hdf5); columns that are no channels are passed over. */
tml_status tmli_samples_read(tmli_samples *r, const char *path, tml_error *err);
void tmli_samples_clear(tmli_samples *r);
/** The row at time t (within slack), searching from row *from on, which moves; NULL if there is none. */
const double *tmli_samples_at(const tmli_samples *r, double t, double slack, size_t *from);

typedef struct tmli_scales {
    double velocity, force;  // V [m/s], F [N] of compare.h
    double *own;             // (n) largest absolute value of each channel
} tmli_scales;

tml_status tmli_scales_init(tmli_scales *s, const tmli_samples *r, tml_error *err);
void tmli_scales_clear(tmli_scales *s, const tml_env *env);

/** Angle [rad] between the orientations of two quaternions of (nearly) unit length, exact for small ones. */
double tmli_quaternion_angle(const double *a, const double *b);
/** Raise e to the errors of a row; e starts as NAN, NAN, NAN. */
void tmli_errors_add(const tmli_signals *s, const tmli_scales *scales, const double *row,
                     const double *reference, tml_errors *e);
/** Largest errors of a record against another, at common times. Returns how many there are. */
int tmli_errors_between(const tmli_samples *a, const tmli_samples *reference, const tmli_scales *scales,
                        double slack, tml_errors *e);

// ---- runs -------------------------------------------------------------------------------------------------

/** What runs at the same time share: the progress callback. */
typedef struct tmli_progress {
    pthread_mutex_t lock;
    tml_status (*on_progress)(const tml_compare_progress *p, void *user);
    void *user;
    bool cancelled;  // under the lock
    int done, total;
} tmli_progress;

void tmli_progress_report(tmli_progress *w, const tml_compare_progress *p);  // done and total are filled in
bool tmli_progress_cancelled(tmli_progress *w);

typedef struct tmli_trial {
    // given
    const tml_model *model;
    tml_run_def run;
    double limit;      // CPU time [s]; INFINITY: none
    double deadline;   // of tmli_wall_clock [s]; 0: none
    const char *what;  // for progress
    tmli_progress *watch;
    tmli_samples *record;           // to keep the rows in; NULL
    const tmli_samples *reference;  // to compare with; NULL
    const tmli_scales *scales;
    // outcome
    tml_status status;
    tml_error err;
    bool over_limit, late, cancelled;  // over_limit: by CPU time, or by the deadline (late)
    tml_counters count;
    double cpu, t;
    const char *event;
    tml_errors error;
    int compared;  // output times
    // while it runs
    double cpu_start, looked, told;  // wall times of the last look at the clock and of the last report [s]
    size_t cursor;
    double *row;
} tmli_trial;

/** Run to the end, the limit or a failure. The outcome is in t; nothing is returned because nothing else is
 * touched. */
void tmli_trial_run(tmli_trial *t);
/** Run with this tolerance for rtol and atol, under step-size control. */
void tmli_run_set_tol(tml_run_def *run, double tol);

int tmli_processors(void);
double tmli_wall_clock(void);  // [s]

#endif
