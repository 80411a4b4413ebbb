// Advice for a run: method, step size and solver that suit a model, and the condition of its equations.
#ifndef TRAMMEL_ADVICE_H
#define TRAMMEL_ADVICE_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/model.h>
#include <trammel/spec.h>

TML_C_BEGIN

/** Method, solver and step size of the first steps of a run with automatic choices. Texts are static or
 * belong to the struct. */
typedef struct tml_advice {
    /** the first steps succeeded; false: `failure` gives the reason, and later fields may be missing */
    bool runs;
    char failure[TML_ERROR_MSG];
    const char *method;  ///< as in a model file; NULL: not known
    char method_reason[400];
    const char *unknowns;  ///< unknowns of the method: "bodies" or "joints"
    const char *solver;    ///< NULL: not known
    const char *solver_reason;
    double tolerance;  ///< [-] tolerance of the first steps
    double step;       ///< typical step size at this tolerance [s]; 0: not known
    long steps;        ///< number of steps from which it was estimated
    double span;       ///< simulated time of these steps [s]
    char step_reason[200];
    /** Condition numbers (1-norm) of the iteration matrix of genalpha at this step size, with scaling and
     * augmentation, and without. 0: not known; infinite: singular to working precision. */
    double condition_scaled, condition_plain;
    int unknown_count;  ///< unknowns of that matrix
} tml_advice;

/** Advice for a run of a model. run: times and tolerances; NULL: tml_model_run(model). Its method, step and
 * solver are ignored. Costs a few dozen steps. A run that cannot start is not an error: `runs` is false.
 * Error: TML_ERR_NOMEM. */
TML_API tml_status tml_advise(const tml_model *model, const tml_run_def *run, tml_advice *out,
                              tml_error *err);

TML_C_END
#endif
