// Options and state of `trammel run`.
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "checkpoint.h"
#include "cli/common/cli.h"
#include "cli/common/marks.h"
#include "cli/common/progress.h"
#include "cli/common/report.h"
#include "cli/common/settings.h"
#include "history.h"
#include "watch.h"

#include "base/target.h"

#include <stdio.h>
#include <trammel/sim.h>

typedef struct run_values {
    cli_input in;
    const char *csv, *out, *report;
    const char *channels;       // patterns of channels that are written, separated by commas; NULL: all
    const char *save, *resume;  // files of --save and --continue
    double save_at;             // [s]; NAN: at the end
    bool again;                 // --resume: the model is a result file
    bool quiet, verbose, json, no_progress;
} run_values;

/** Rows of the tables of `run` and `kinematics`: what is written, and where. */
// clang-format off
#define RUN_OPTIONS_RESULTS                                                                                  \
    {.name = "--out", .kind = CLI_TEXT, .offset = offsetof(run_values, out), .arg = "FILE", .letter = 'o',   \
     .doc = "result file, .h5 or .csv; 'none' writes none; without --out and --csv it is the model's name "  \
            "with .h5, in the current directory", .file = CLI_FILE_WRITTEN},                                 \
    {.name = "--csv", .kind = CLI_TEXT, .offset = offsetof(run_values, csv), .arg = "FILE",                  \
     .doc = "result file as CSV", .file = CLI_FILE_WRITTEN},                                                 \
    {.name = "--channels", .kind = CLI_TEXT, .offset = offsetof(run_values, channels), .arg = "PATTERNS",    \
     .doc = "channels that are written beside the time, as 'chassis.*,*.force': names, or owners and "       \
            "quantities (pin.force: fx, fy, fz); * stands for any characters, ? for one"},                   \
    CLI_INPUT_SETTINGS(CLI_GROUP_OUTPUT, false)
// clang-format on

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

/** What it takes to continue the run, as last taken (checkpoint.h). */
typedef struct run_checkpoints {
    char *path[RUN_FILES];       // files beside the results; NULL: none
    bool own[RUN_FILES];         // the file there is of this run
    bool unfinished[RUN_FILES];  // the file that is replaced is that of a run that had not reached its end
    tml_parameter *parameters;   // of --set
    long rows;
    double *last;  // (nchannels) the last row
    unsigned char *sim;
    size_t sim_size, sim_room;
    bool near_end;  // taken before the end of the run had an effect: the last one
    bool stored;    // it is in the files
    bool failed;    // a warning was given
    double due;     // wall time of the next one [s]
} run_checkpoints;

typedef struct run_state {
    const run_values *values;
    const char *command;           // "run" or "kinematics"
    const tml_method_ops *method;  // NULL: by the settings
    run_range *range;              // (nranges) forces of drivers and actuators; of `kinematics` only
    int nranges;
    char *default_path;  // "<model>.h5"
    tml_spec *spec;
    tml_model *model;
    tml_sim *sim;       // NULL: not created
    tmli_draft report;  // on conditioning; closed: none
    run_file files[RUN_FILES];
    int nfiles;
    int nchannels;                // that are written
    tml_channel *channel;         // (nchannels)
    int *column;                  // (nchannels) their places among all
    double *values_of_all, *row;  // values of all channels; of those that are written
    double end;                   // of the run [s]
    long rows;                    // number of rows written
    double t_row;                 // time of the last row [s]
    bool running;                 // the simulation has been created: failures are failures of the run
    bool interrupted;
    bool complete;        // --resume: there is nothing to do
    cli_checkpoint from;  // --resume: where it begins
    run_checkpoints checkpoints;
    bool saved;  // --save-at was reached, and the simulation is saved
    cli_progress progress;
    cli_marks marks;
    cli_history history;
    run_watch watch;
    tml_error err;  // status TML_OK: none
} run_state;

/** Simulate with a method that is not in the table (NULL: by the settings), and report. Returns the exit
 * status. */
tml_status cli_run(const run_values *v, const char *command, const tml_method_ops *method, cli_call *c);
/** Choose the result files; refuse one that is the model or another file of the run. */
tml_status run_choose_files(run_state *r, tml_error *err);
/** The file beside a result from which its run is continued joins the files of the command. */
tml_status run_add_checkpoint(const run_values *v, const char *result, tml_error *err);

/** Choose the channels that are written. */
tml_status run_choose_channels(run_state *r, tml_error *err);
const char *run_channel_patterns(const run_state *r);  // of what is written; empty: all

/** --resume: read the checkpoint of the result, create its model and simulation. r->complete: it has reached
 * its end. */
tml_status run_resume(run_state *r, const tml_env *env, tml_error *err);
/** Take the start, before the files are opened; warn of an unfinished run that they replace. */
tml_status run_checkpoints_begin(run_state *r, tml_error *err);
typedef struct run_ready {
    run_state *r;
    int file;
} run_ready;
/** A new result file is about to take its name; user: a run_ready. */
tml_status run_checkpoints_ready(void *user, tml_error *err);
/** The result could not begin: the file of this name is that of another run. */
void run_checkpoints_withdraw(const run_state *r, int file);
/** After a step: store a checkpoint if it is due. An error is one of the result files. */
tml_status run_checkpoints_step(run_state *r, const tml_sim *sim);
/** After the last step, before the files are closed. finished: the run has reached its end. */
void run_checkpoints_end(run_state *r, bool finished);
/** After a failure: how to go on. */
void run_checkpoints_hint(const run_state *r);
void run_checkpoints_clear(run_state *r);

/** A static equilibrium. */
void run_put_equilibrium(cli_report *out, const tml_equilibrium *e);
/** The closing report without the files: as it is written into them. */
void run_put_report(const run_state *r, cli_report *out);
/** The same with the files, once they are closed; as JSON also of a run that failed. */
void run_put_summary(const run_state *r, cli_report *out);
/** Write the settings in use as a member of a JSON object; key NULL: as a value of its own. */
void run_put_settings(tmli_json *j, const char *key, const tml_sim *sim);

#endif
