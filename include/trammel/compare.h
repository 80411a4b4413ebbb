// Methods against each other, and a run against a better one: how large the errors are and what they cost.
//
// Errors are taken at the output times, over all bodies and joints, as the largest of
//
//   position    |dx| / L and the angle [rad] between the orientations                     L: length of the model [m]
//   velocity    |dv| / V and L |dw| / V                      V: largest |v| or L |w| of any body in the reference
//   multiplier  |df| / F and |dm| / (L F) of the reactions   F: largest |f| or |m| / L of any joint in the reference
//
// by components; gears, racks and drivers, which have one multiplier and no place, by their own largest one.
#ifndef TRAMMEL_COMPARE_H
#define TRAMMEL_COMPARE_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/integrator.h>
#include <trammel/model.h>
#include <trammel/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- compare ----------------------------------------------------------------------------------------------

/** How far a comparison or verification is. */
typedef struct tml_compare_progress {
    const char *what;    ///< "reference", "run"
    const char *method;  ///< of the run this is about
    double tol, step;    ///< its tolerance, or fixed step [s] (else 0)
    double part;         ///< of its simulated time, 0 .. 1
    int done, total;     ///< runs finished (or given up), and all that are known of
} tml_compare_progress;

typedef struct tml_compare_def {
    size_t size;  ///< set by tml_compare_def_default()
    const tml_run_def *
        /** all settings but method, tolerance and step (output_step 0: 100 output times); NULL: the
         * model's */
        run;
    const char **methods;  ///< (nmethods) names; NULL: all that can run the model
    int nmethods;
    const double *tols;  ///< (ntols) tolerances, > 0 and < 1; NULL: 1e-2 .. 1e-8 by decades
    int ntols;
    const double *steps;  ///< (nsteps) fixed steps [s] instead of tolerances; NULL: none
    int nsteps;
    const char *reference_method;  ///< with reference_tol; NULL: chosen
    double reference_tol;
    const char *reference_file;  ///< result file (.csv, .h5) to compare with; NULL: none
    int threads;                 ///< >= 1; 0: one per processor. Results do not depend on it, only times do
    /** Wall time of it all [s]; 0: no limit; default 50. Runs together get 1.8 times as much CPU time, one
     * run at most a quarter of what is left, or its share. */
    double budget;
    double limit;  ///< CPU time of each run [s]; 0: by the budget alone
    /** Called from all threads, one at a time, some ten times a second; other than TML_OK stops the
     * comparison: what is done stays, what is not says so. */
    tml_status (*on_progress)(const tml_compare_progress *p, void *user);
    void *user;
} tml_compare_def;

typedef struct tml_errors {
    double position, velocity, multiplier;  ///< NAN: not known
} tml_errors;

typedef enum tml_compare_outcome {
    TML_COMPARE_DONE,
    TML_COMPARE_REFERENCE,  ///< done, but it is the reference itself: its errors are not known from it
    TML_COMPARE_FAILED,     ///< status and note say why
    TML_COMPARE_STOPPED,    ///< took longer than its limit
    TML_COMPARE_LEFT_OUT    ///< not tried: too long by what looser runs took, or the comparison was stopped
} tml_compare_outcome;

/** One run. */
typedef struct tml_compare_row {
    const char *method;
    double tol;   ///< 0 if the step is fixed
    double step;  ///< fixed step [s]; 0: by tolerance
    tml_compare_outcome outcome;
    tml_status status;
    tml_errors error;
    tml_counters count;
    double
        /** of the thread, for the run alone: stepping and outputs, without assembly of the start */
        cpu_seconds;
    double t;        ///< reached [s]
    char note[400];  ///< a sentence if the outcome is not DONE
} tml_compare_row;

typedef struct tml_comparison {
    int nrows;
    tml_compare_row *rows;  ///< by method, then from loose to tight
    char reference
        [700];  ///< "radau5 at 1e-10", or the file; "" if none could be computed: then no errors are known
    char
        check[700];  ///< what the reference was compared with, or why there is none; "" if it was not checked
    tml_errors uncertainty;              ///< of the reference; NAN: not known
    double length;                       ///< L [m]
    double velocity_scale, force_scale;  ///< V [m/s], F [N]
    int output_times;                    ///< compared
    int nskipped;          ///< methods left out because they cannot run the model (only if methods was NULL)
    const char **skipped;  ///< (nskipped) "name: reason"
    bool stopped;          ///< by on_progress
    double wall_seconds;
    void *own;  ///< memory
} tml_comparison;

TML_API tml_compare_def tml_compare_def_default(void);
/** Run a model by all methods at all tolerances and compare each run with a reference. A run that fails is a
 * row that says so, not a failure of the call. The functions of the model's environment are called from
 * several threads. Errors: TML_ERR_ARG, TML_ERR_NAME (method), those of tml_sim_create that do not depend on
 * the method, TML_ERR_IO and TML_ERR_SYNTAX (file), and those of a reference run that was asked for by name.
 */
TML_API tml_status tml_compare(const tml_model *model, const tml_compare_def *def, tml_comparison **out,
                               tml_error *err);
TML_API void tml_comparison_destroy(tml_comparison *c);  ///< accepts NULL

// ---- verify -----------------------------------------------------------------------------------------------

typedef enum tml_signal_kind {
    TML_SIGNAL_POSITION,          ///< scale: the model's length
    TML_SIGNAL_ORIENTATION,       ///< angle between the orientations; scale 1 rad
    TML_SIGNAL_VELOCITY,          ///< scale: largest |v| or L |w| of any body
    TML_SIGNAL_ANGULAR_VELOCITY,  ///< scale: the same over L
    TML_SIGNAL_COORDINATE,        ///< of joints; scale: the model's length or 1 rad
    TML_SIGNAL_REACTION,          ///< scale: its joint's largest, at least 1e-3 of the model's largest
    TML_SIGNAL_FORCE,             ///< of springs: length or angle as coordinates, force as reactions
    TML_SIGNAL_ENERGY,            ///< scale: the largest energy that came or went
    TML_SIGNAL_OUTPUT,            ///< scale: its own largest value
    TML_SIGNAL_KINDS
} tml_signal_kind;

TML_API const char *tml_signal_kind_name(tml_signal_kind kind);  ///< plural: "positions"

typedef struct tml_verify_signal {
    const char *name;  ///< channel, or "body.orientation"
    const char *unit;
    tml_signal_kind kind;
    double difference;  ///< largest, in the unit
    double t;           ///< where it is [s]
    double scale;       ///< what it is judged by, in the unit
    double digits;      ///< -log10(difference / scale), 0 .. 16
} tml_verify_signal;

typedef struct tml_verify_def {
    size_t size;             ///< set by tml_verify_def_default()
    const tml_run_def *run;  ///< the run to verify; NULL: the model's
    const char *with;        ///< method of the better run; NULL: the same
    double factor;           ///< the better run's tolerance is the asked one over this, >= 1; default 100
    int threads;             ///< 2: both runs at once; 0: as many as there are processors
    tml_status (*on_progress)(const tml_compare_progress *p, void *user);  ///< as in tml_compare_def
    void *user;
} tml_verify_def;

typedef struct tml_verify_run {
    const char *method;
    double rtol, atol, step;
    tml_counters count;
    double cpu_seconds;
    double t;           ///< reached [s]
    const char *event;  ///< that ended it; NULL: none
} tml_verify_run;

typedef struct tml_verification {
    tml_verify_run asked, better;
    int nsignals;
    tml_verify_signal *signals;  ///< from few agreeing digits to many
    int output_times;            ///< compared
    double length;               ///< of the model [m]
    /** Largest position or orientation error over what the tolerance allows (atol L + rtol times the distance
     * from the start; atol rad); the tolerance was met if it is <= 1. */
    double ratio;
    double ratio_t;          ///< where it is [s]
    const char *ratio_name;  ///< and of which body
    bool met;
    void *own;
} tml_verification;

TML_API tml_verify_def tml_verify_def_default(void);
/** Run a model as asked and by a better run, and tell how many digits agree. A fixed step is judged by the
 * tolerance that stands beside it, and the better run has step-size control. Errors: those of tml_sim_create
 * and tml_sim_run of either run, in words that say which. */
TML_API tml_status tml_verify(const tml_model *model, const tml_verify_def *def, tml_verification **out,
                              tml_error *err);
TML_API void tml_verification_destroy(tml_verification *v);  ///< accepts NULL

#ifdef __cplusplus
}
#endif
#endif
