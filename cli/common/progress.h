// Progress line of a run on the terminal. Nothing is printed if stderr is not a terminal.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

typedef struct cli_progress {
    bool enabled;
    bool notes;               // messages of the level `info` are shown too
    bool shown;               // the line is on the screen now
    double start, end;        // simulated time [s]
    double began;             // wall time [s]
    double next;              // wall time of the next redraw [s]
    struct cli_marks *marks;  // that collect messages; NULL: none
} cli_progress;

/** wanted false: no progress line on a terminal either. */
void cli_progress_init(cli_progress *p, bool wanted, double start, double end);
/** True if it is time to redraw: at most ten times a second, not in the first tenth. Cheap. */
bool cli_progress_due(cli_progress *p);
void cli_progress_draw(cli_progress *p, double t, double h, long steps);
void cli_progress_clear(cli_progress *p);

#endif
