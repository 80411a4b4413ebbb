// The reference of a comparison: read from a file or computed, and checked.
#ifndef TMLI_COMPARE_REFERENCE_H
#define TMLI_COMPARE_REFERENCE_H

#include "compare/trial.h"

typedef struct tmli_reference {
    tmli_samples record;
    tmli_scales scales;
    const char *method;  // NULL: from a file
    double tol;
    char name[700], check[700];
    tml_errors uncertainty;
    double cpu;  // spent [s]
    bool known;  // false: none could be computed; check says why
} tmli_reference;

/** methods: those that can run the model, NULL at the end. run: common settings. deadline: of the whole
 * comparison, by tmli_wall_time [s]; 0: none. */
tml_status tmli_reference_make(tmli_reference *ref, const tml_model *model, const tml_compare_def *def,
                               const tml_run_def *run, const tml_method_ops *const *methods, int threads,
                               double deadline, const tmli_signals *signals, tmli_progress *progress,
                               tml_error *err);
void tmli_reference_clear(tmli_reference *ref);

#endif
