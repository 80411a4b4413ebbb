// The report of `trammel run --report FILE.csv`: one row per accepted step on the iteration matrix and on
// Newton's method.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdio.h>
#include <trammel/sim.h>

/** Open the file and write the names of the columns; NULL with err on failure. */
FILE *cli_report_open(const char *path, tml_error *err);
/** The step that has just ended at t and was h long. */
tml_status cli_report_row(FILE *file, const char *path, tml_sim *sim, double t, double h, tml_error *err);
/** Close; what could not be written is an error. NULL is fine. */
tml_status cli_report_close(FILE *file, const char *path, tml_error *err);

#endif
