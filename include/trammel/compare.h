// Comparison of methods with each other, and verification of a run by a more accurate one: errors and costs.
//
// An error is the largest over all output times, bodies, joints and components of
//
//   position    |dx| / L and the angle [rad] between the orientations
//   velocity    |dv| / V and L |dw| / V
//   multiplier  |df| / F and |dm| / (L F) of the reactions
//
// with the length L [m] of the model and, over all bodies or joints of the reference run, V [m/s] the largest
// |v| or L |w| and F [N] the largest |f| or |m| / L. Gears, racks and drivers have a single multiplier; its
// error is relative to its own largest value.
#ifndef TRAMMEL_COMPARE_H
#define TRAMMEL_COMPARE_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/integrator.h>
#include <trammel/model.h>
#include <trammel/spec.h>

TML_C_BEGIN

// ---- compare ----------------------------------------------------------------------------------------------

/** Progress of a comparison or verification. */
typedef struct tml_compare_progress {
    const char *what;    ///< "reference", "run"
    const char *method;  ///< method of the current run
    double tol, step;    ///< its tolerance, or its fixed step [s] (0: step-size control)
    double part;         ///< completed part of its simulated time, 0 .. 1
    int done, total;     ///< runs finished or stopped, and runs planned so far
} tml_compare_progress;

typedef struct tml_compare_def {
    size_t size;  ///< set by tml_compare_def_default()
    /** All settings except method, tolerance and step (output_step 0: 100 output times); NULL: those of the
     * model. */
    const tml_run_def *run;
    const char **methods;  ///< (method_count) names; NULL: all methods that can run the model
    int method_count;
    const double *tols;  ///< (tol_count) tolerances, > 0 and < 1; NULL: 1e-2, 1e-3, .., 1e-8
    int tol_count;
    const double *steps;  ///< (step_count) fixed steps [s] instead of tolerances; NULL: none
    int step_count;
    const char *reference_method;  ///< method of the reference run; NULL: chosen automatically
    double reference_tol;          ///< its tolerance
    const char *reference_file;    ///< result file (.csv, .h5) used as the reference; NULL: none
    int threads;                   ///< >= 1; 0: one per processor. Affects times only, not results
    /** Wall time of the whole comparison [s]; 0: no limit; default 50. All runs together get 1.8 times as
     * much CPU time; one run gets at most a quarter of the rest, or an equal share of it. */
    double budget;
    double limit;  ///< CPU time of each run [s]; 0: limited by the budget only
    /** Called from all threads, one at a time, about ten times per second; may be NULL. A result other than
     * TML_OK stops the comparison: finished rows remain valid, the others are marked. */
    tml_status (*on_progress)(const tml_compare_progress *p, void *user);
    void *user;
} tml_compare_def;

typedef struct tml_errors {
    double position, velocity, multiplier;  ///< NAN: not known
} tml_errors;

typedef enum tml_compare_outcome {
    TML_COMPARE_DONE,
    TML_COMPARE_REFERENCE,  ///< done; this run is the reference itself, so its errors are not known
    TML_COMPARE_FAILED,     ///< status and note give the reason
    TML_COMPARE_STOPPED,    ///< exceeded its CPU time limit
    /** not run: runs with looser tolerances took too long, or the comparison was stopped */
    TML_COMPARE_LEFT_OUT
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
    /** CPU time of the thread for steps and outputs, without the assembly of the start */
    double cpu_seconds;
    double t;        ///< time reached [s]
    char note[400];  ///< a sentence if the outcome is not TML_COMPARE_DONE
} tml_compare_row;

typedef struct tml_comparison {
    int row_count;
    tml_compare_row *rows;  ///< by method, then from loose to tight tolerances
    /** "radau5 at 1e-10", or the file; "": no reference could be computed, and errors are not known */
    char reference[700];
    /** What the reference was compared with, or why there is none; "": it was not checked. */
    char check[700];
    tml_errors uncertainty;              ///< estimated error of the reference; NAN: not known
    double length;                       ///< L [m]
    double velocity_scale, force_scale;  ///< V [m/s], F [N]
    int output_times;                    ///< number of output times compared
    int skipped_count;                   ///< methods that cannot run the model (only if methods was NULL)
    const char **skipped;                ///< (skipped_count) "name: reason"
    bool stopped;                        ///< by on_progress
    double wall_seconds;
    void *own;  ///< internal memory
} tml_comparison;

TML_API tml_compare_def tml_compare_def_default(void);
/** Run a model with all methods at all tolerances and compare each run with a reference. A run that fails
 * becomes a row with that outcome; the call succeeds. The functions of the model's environment are called
 * from several threads. The caller destroys *out. Errors: TML_ERR_ARG, TML_ERR_NAME (method), those of
 * tml_sim_create that do not depend on the method, TML_ERR_IO and TML_ERR_SYNTAX (file), and those of a
 * reference run given by name. */
TML_API tml_status tml_compare(const tml_model *model, const tml_compare_def *def, tml_comparison **out,
                               tml_error *err);
TML_API void tml_comparison_destroy(tml_comparison *c);  ///< accepts NULL

// ---- verify -----------------------------------------------------------------------------------------------

typedef enum tml_signal_kind {
    TML_SIGNAL_POSITION,          ///< scale: the length L of the model
    TML_SIGNAL_ORIENTATION,       ///< angle between the orientations; scale 1 rad
    TML_SIGNAL_VELOCITY,          ///< scale: largest |v| or L |w| of any body
    TML_SIGNAL_ANGULAR_VELOCITY,  ///< scale: that of velocities over L
    TML_SIGNAL_COORDINATE,        ///< joint coordinate; scale: L or 1 rad
    TML_SIGNAL_REACTION,  ///< scale: largest of the joint, at least 1e-3 of the largest force of the model
    TML_SIGNAL_FORCE,     ///< spring: length or angle as a coordinate, force as a reaction
    TML_SIGNAL_ENERGY,    ///< scale: largest change of an energy
    TML_SIGNAL_STATE,     ///< first-order state; scale: its own largest value, at least its nominal magnitude
    TML_SIGNAL_OUTPUT,    ///< scale: its own largest value
    TML_SIGNAL_EVENT,     ///< time of the event that ended the run; scale: the time up to it
    TML_SIGNAL_KINDS
} tml_signal_kind;

TML_API const char *tml_signal_kind_name(tml_signal_kind kind);  ///< plural: "positions"

/** One signal. What the tolerance allows it, with tol = max(rtol, atol), scale as above, x and x0 the values
 * of the more accurate run, now and at the start:
 *
 *   positions, lengths        atol L + rtol |x - x0|
 *   orientations              atol [rad]
 *   other angles              atol + rtol |x - x0| [rad]
 *   first-order states        atol times the nominal magnitude + rtol times the largest value
 *   outputs                   tol times the scale + the change of the output if positions, orientations,
 *                             velocities and states change by what they are allowed
 *   events                    rtol times the time up to it + atol L/V, V: largest velocity
 *   all others                tol times the scale
 *
 * and the round-off of numbers of its size in any case. Where differences are larger and vibrate faster than
 * the motion, velocities, reactions, forces and outputs are judged on its time scale, by the part of the
 * difference that the tolerance is defined by (docs/theory/vibrations.md); not with control `all`. */
typedef struct tml_verify_signal {
    const char *name;  ///< channel, "body.orientation", or event
    const char *unit;
    tml_signal_kind kind;
    double difference;  ///< largest difference, in `unit`
    double t;           ///< its time [s]
    double scale;       ///< reference value of the kind, in `unit`
    double digits;      ///< -log10(difference / scale), 0 .. 16
    bool judged;        ///< false: a reaction that is not unique
    double ratio;       ///< largest over what is allowed at that time, of the difference that counts
    double ratio_t;     ///< its time [s]
    double doubt;       ///< estimated error of the more accurate run over what is allowed
} tml_verify_signal;

typedef struct tml_verify_def {
    size_t size;             ///< set by tml_verify_def_default()
    const tml_run_def *run;  ///< the run to verify; NULL: tml_model_run(model)
    const char *with;        ///< method of the more accurate run; NULL: the same method
    /** >= 1: the tolerance of the more accurate run is divided by it, and by 10 or 100 more if its own error
     * is not small; default 100 */
    double factor;
    int threads;  ///< 2: two runs at the same time; 0: one thread per processor
    tml_status (*on_progress)(const tml_compare_progress *p, void *user);  ///< as in tml_compare_def
    void *user;
} tml_verify_def;

typedef struct tml_verify_run {
    const char *method;        ///< at the end of the run
    const char *first_method;  ///< at its start; `auto` may change the method
    double rtol, atol, step;
    tml_counters count;
    double cpu_seconds;
    double t;           ///< time reached [s]
    const char *event;  ///< event that ended the run; NULL: none
} tml_verify_run;

typedef struct tml_verification {
    tml_verify_run asked, better;  ///< the run to verify, and the more accurate run
    /** The run that shows the error of the more accurate one: by another method at the same tolerance; if
     * that fails or takes too long, by the same method at 10 times the tolerance (`extrapolated`). */
    tml_verify_run check;
    bool extrapolated;
    int signal_count;
    tml_verify_signal *signals;  ///< ascending by agreeing digits
    int output_times;            ///< number of output times compared
    int unmatched;               ///< output times of the run that the more accurate run does not have
    double length;               ///< L of the model [m]
    double ratio;                ///< largest of all judged signals
    double ratio_t;              ///< its time [s]
    const char *ratio_name;      ///< its signal; NULL: all agree exactly
    double doubt;                ///< largest of all judged signals
    const char *doubt_name;      ///< its signal; NULL: the two accurate runs agree exactly
    bool confirmed;              ///< the error of the more accurate run is at most half of what is allowed
    bool met;   ///< every ratio is at most 1, all output times are there, and the reference is confirmed
    int jumps;  ///< output times at which the forces jump: those of either side are right, and not compared
    /** [s] longest time scale of the motion on which velocities, reactions, forces and outputs were judged,
     * because their errors are faster; 0: as they are */
    double time_scale;
    void *own;  ///< internal memory
} tml_verification;

TML_API tml_verify_def tml_verify_def_default(void);
/** Run a model as specified (the very run of tml_sim_run: the same method or choice of `auto`, unknowns,
 * changes of method, output times) and once more with higher accuracy; judge every signal. A run with a fixed
 * step is compared with its tolerance; the more accurate run has step-size control. The caller destroys *out.
 * Errors: those of tml_sim_create and tml_sim_run of either run; the message says which. */
TML_API tml_status tml_verify(const tml_model *model, const tml_verify_def *def, tml_verification **out,
                              tml_error *err);
TML_API void tml_verification_destroy(tml_verification *v);  ///< accepts NULL

TML_C_END
#endif
