// What happened during a run, with its time: discontinuities, impacts, notes of the library. The result file
// keeps them for the time line of `trammel view`.
#ifndef CLI_MARKS_H
#define CLI_MARKS_H

#include <trammel/sim.h>

enum { CLI_MARKS_MAX = 2000, CLI_MARK_TEXT = 120 };

typedef struct cli_mark {
    double t;          // [s]
    const char *kind;  // "switch", "impact", "impulse", "event", "note"
    char text[CLI_MARK_TEXT];
} cli_mark;

/** Zero-initialize; clear at the end. */
typedef struct cli_marks {
    cli_mark *items;
    int count, room;
    long switches, impacts, impulses;  // of the report at the last step
    int dropped;                       // beyond CLI_MARKS_MAX, or without memory
} cli_marks;

void cli_marks_clear(cli_marks *m);
/** After a step that ended at t [s]: note what the report counts more of than before. */
void cli_marks_step(cli_marks *m, const tml_sim_report *report, double t);
/** A message of the library that names its time ("... at t = 1.5 s"). */
void cli_marks_message(cli_marks *m, const char *text);
void cli_marks_add(cli_marks *m, double t, const char *kind, const char *text);
/** The marks as one line of JSON, freed by the caller with free(); NULL: no memory. */
char *cli_marks_text(const cli_marks *m);

#endif
