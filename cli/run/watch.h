// What the rows of a run show that nobody asked for: outputs that stay the same, a model that stays at rest,
// rows too rare for the motion.
#ifndef CLI_RUN_WATCH_H
#define CLI_RUN_WATCH_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/sim.h>

enum { RUN_WATCH_NOTES = 5, RUN_WATCH_TEXT = 240 };

typedef struct run_watch_body run_watch_body;
typedef struct run_watch_output {
    int channel;
    double first;
    bool changes;
} run_watch_output;

/** Zero-initialize; clear at the end. */
typedef struct run_watch {
    run_watch_body *body;
    run_watch_output *output;
    int nbodies, noutputs;
    long rows;
    double fastest;          // largest velocity of a coordinate [model lengths/s or rad/s]
    double t_first, t_last;  // [s]
    char note[RUN_WATCH_NOTES][RUN_WATCH_TEXT];  // sentences without a full stop
    int note_count;
} run_watch;

/** Watch the channels of a simulation. */
tml_status run_watch_begin(run_watch *w, const tml_sim *sim, tml_error *err);
/** A row: the state and the values of all channels. */
void run_watch_row(run_watch *w, const tml_sim *sim, const tml_state *x, const double *values);
/** After the last row: set the notes. */
void run_watch_end(run_watch *w, const tml_sim *sim);
void run_watch_clear(run_watch *w);

#endif
