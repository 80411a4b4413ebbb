// The report of `trammel run --report FILE.csv`: one row per accepted step on the iteration matrix and on
// Newton's method.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdio.h>
#include <trammel/sim.h>

/** Open the file and write the names of the columns; NULL with err on failure. */
FILE *cli_report_open(const char *path, tml_error *err);
/** Write the row of the last accepted step, of length h, which ended at t [s]. */
tml_status cli_report_row(FILE *file, const char *path, tml_sim *sim, double t, double h, tml_error *err);
/** Close the file; fails if a row could not be written. Accepts NULL. */
tml_status cli_report_close(FILE *file, const char *path, tml_error *err);

#endif
