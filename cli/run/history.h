// Sizes of the steps of a run and the iterations of Newton's method, over time. The result file keeps them
// for the page of `trammel view`.
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include <trammel/sim.h>

enum { CLI_HISTORY_MAX = 512 };

/** Some steps that follow each other. */
typedef struct cli_span {
    double t;            // end of the last one [s]
    double least, most;  // sizes [s]
    long iterations;     // most of a step, its rejected trials included
} cli_span;

/** Zero-initialize. All spans but the last have `steps` steps; if they are full, two of them become one. */
typedef struct cli_history {
    cli_span span[CLI_HISTORY_MAX];
    int count;
    long steps, in_last;
    double start;     // of the first step [s]
    long iterations;  // of the report at the last step
} cli_history;

/** Before the first step, which may continue an earlier run. */
void cli_history_begin(cli_history *h, const tml_sim_report *report, double t);
/** After a step of the size `step` that ended at t [s]. */
void cli_history_step(cli_history *h, const tml_sim_report *report, double t, double step);
/** The history as one line of JSON, freed by the caller with free(); NULL: no memory. */
char *cli_history_text(const cli_history *h);

#endif
