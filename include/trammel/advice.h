// Advice for a run: which method, step and solver suit a model, and how well its equations are conditioned.
#ifndef TRAMMEL_ADVICE_H
#define TRAMMEL_ADVICE_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/model.h>
#include <trammel/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a run with everything left to choice does in its first steps. Texts are static or belong to the
 * advice. */
typedef struct tml_advice {
    bool runs;  ///< the first steps were made; else `failure` says why not, and what follows may be missing
    char failure[TML_ERROR_MSG];
    const char *method;  ///< as in a model file; NULL: not known
    char method_reason[400];
    const char *unknowns;  ///< "bodies" or "joints": what the method integrates
    const char *solver;    ///< NULL: not known
    const char *solver_reason;
    double tolerance;  ///< at which steps are taken
    double step;       ///< typical size of a step at this tolerance [s]; 0: not known
    long steps;        ///< from which that was seen
    double span;       ///< and the time these took together [s]
    char step_reason[200];
    /** Condition numbers (1-norm) of genalpha's iteration matrix at this step: with scaling and augmentation,
     * and as the equations are written. 0: not known; infinite: singular to working precision. */
    double condition_scaled, condition_plain;
    int unknowns_count;  ///< of that matrix
} tml_advice;

/** Advice for a run of a model. run: times and tolerances; NULL: tml_model_run(model). Method, step and
 * solver of it are not looked at. Costs a few dozen steps. A run that cannot start is no error but advice
 * (`runs` false). TML_ERR_NOMEM. */
TML_API tml_status tml_advise(const tml_model *model, const tml_run_def *run, tml_advice *out,
                              tml_error *err);

#ifdef __cplusplus
}
#endif
#endif
