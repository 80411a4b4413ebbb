// Options and state of `trammel run`.
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli.h"
#include "json.h"
#include "marks.h"
#include "progress.h"
#include "settings.h"

#include <stdio.h>
#include <trammel/sim.h>

typedef struct run_values {
    cli_input in;
    const char *csv, *out, *report;
    const char *save, *resume;  // files of --save and --continue
    double save_at;             // [s]; NAN: at the end
    bool quiet, verbose, json, no_progress;
} run_values;

/** A result file. */
typedef struct run_file {
    const char *path;
    tml_writer *writer;  // NULL before it is opened and after it is closed
    bool kept;           // written and closed without an error
    long long bytes;
} run_file;

enum { RUN_FILES = 2 };

/** The least and the largest value of a channel over all rows. */
typedef struct run_range {
    int channel;
    double least, most;
} run_range;

typedef struct run_state {
    const run_values *values;
    const char *command;           // "run" or "kinematics"
    const tml_method_ops *method;  // NULL: by the settings
    run_range *range;              // (nranges) forces of drivers and actuators; of `kinematics` only
    int nranges;
    char *default_path;  // "<model>.h5"
    tml_model *model;
    tml_sim *sim;  // NULL: not created
    FILE *report;  // conditioning report; NULL: none
    run_file files[RUN_FILES];
    int nfiles;
    int nchannels;
    double *row;   // (nchannels)
    long rows;     // number of rows written
    double t_row;  // time of the last row [s]
    bool running;  // the simulation has been created: failures are failures of the run
    bool interrupted;
    bool saved;  // --save-at was reached, and the simulation is saved
    cli_progress progress;
    cli_marks marks;
    tml_error err;  // status TML_OK: none
} run_state;

/** Simulate with a method that is not in the table (NULL: by the settings), and report. Returns the exit
 * status. */
int cli_run(const run_values *v, const char *command, const tml_method_ops *method);
/** Print the closing report as text. */
/** The lines on a static equilibrium. */
void cli_print_equilibrium(const tml_equilibrium *e, FILE *out);
void run_print_summary(const run_state *r, FILE *out);
/** Print the closing report as JSON, also of a run that failed. */
void run_print_json(const run_state *r, int exit_status, FILE *out);
/** Write the settings in use as a member of a JSON object; key NULL: as a value of its own. */
void run_json_settings(cli_json *j, const char *key, const tml_sim *sim);

#endif
