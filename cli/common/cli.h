// Shared by the subcommands: their table, exit statuses, messages.
#ifndef CLI_H
#define CLI_H

#include "base/base.h"
#include "files.h"
#include "options.h"

#include <trammel/base.h>
#include <trammel/spec.h>

enum {
    CLI_EXIT_OK = 0,
    CLI_EXIT_FAILED = 1,  // the simulation failed, or its results could not be written
    CLI_EXIT_INPUT = 2    // the model or the usage is wrong
};

/** What a command works with beside its options. A command that returns an error leaves its message in err,
 * to be printed; one that has said all itself returns TML_OK and sets the exit status. */
typedef struct cli_call {
    tml_env env;  // prints warnings
    tml_error err;
    bool running;     // what fails is the simulation, or writing its results
    int exit_status;  // < 0: that of the error
} cli_call;

/** A subcommand. */
typedef struct cli_command {
    const char *name;     // "run"
    const char *summary;  // one line, a sentence
    const char *notes;    // printed after the options in --help; NULL: none
    cli_table table;
    size_t values_size;  // of the struct the options are read into
    size_t files;        // offset of a cli_files *, with the files that options name; 0: not wanted
    tml_status (*run)(void *values, cli_call *c);
} cli_command;

/** The table `options` of a command and the struct of its values. */
#define CLI_OPTIONS(values) \
    .table = {options, sizeof options / sizeof *options, NULL}, .values_size = sizeof(values)

/** Run a command with its words, without its name; returns the exit status. */
int cli_run_command(const cli_command *c, int argc, char **argv);
extern const cli_command cli_command_run, cli_command_kinematics, cli_command_static, cli_command_modes,
    cli_command_linearize, cli_command_reduce, cli_command_check, cli_command_compare, cli_command_verify,
    cli_command_view, cli_command_plot, cli_command_stats, cli_command_study, cli_command_methods,
    cli_command_schema, cli_command_manual, cli_command_completion, cli_command_export, cli_command_new,
    cli_command_import, cli_command_fmu;
/** All subcommands in the order of --help; ends with NULL. */
extern const cli_command *const cli_commands[];
const cli_command *cli_command_find(const char *name);
/** The command that a wrong word may mean. */
tmli_hint cli_command_hint(const char *word);
/** The command of that name or meaning, with dashes before it or not; NULL: none. */
const char *cli_command_meant(const char *word);

struct cli_progress;
/** Environment of a command with these files; it prints warnings of the library to stderr ("trammel: warning:
 * ..."), on a line of their own if a progress line (may be NULL) is shown. */
tml_env cli_env(struct cli_progress *progress, cli_files *files);

/** From now on SIGINT and SIGTERM set a flag, a second one ends the process; or, not `take`, as usual. */
void cli_interrupts(bool take);
bool cli_interrupted(void);

/** The exit status of a failure. running: it happened while simulating or writing results. */
int cli_exit_status(tml_status status, bool running);

/** "FILE:LINE:COL: error: MESSAGE" with the line and a caret, or "trammel: error: MESSAGE"; on stderr. */
void cli_print_error(const tml_error *err);

/** Turn the items of --set NAME=VALUE into parameters, freed by the caller with free(); NULL if there are
 * none or on failure. */
tml_status cli_parameters(const cli_list *set, tml_parameter **out, tml_error *err);
/** Read a model file with the parameters of --set and the folders of --allow-path. Its files join `files`
 * (may be NULL). The caller destroys *out, also after an error. */
tml_status cli_read_model(const char *path, const cli_list *set, const cli_list *folders, cli_files *files,
                          const tml_env *env, tml_spec **out, tml_error *err);

/** Rows of options that several commands have; `at`: where their value is. */
#define CLI_SET(at)                                                                 \
    {                                                                               \
        .name = "--set", .kind = CLI_LIST, .offset = (at), .arg = "NAME=VALUE",     \
        .doc = "value (or expression) of a parameter of the model; may be repeated" \
    }
#define CLI_NO_PROGRESS(at)                                                  \
    {                                                                        \
        .name = "--no-progress", .kind = CLI_FLAG, .offset = (at),           \
        .doc = "no progress line (it is shown only if stderr is a terminal)" \
    }
#define CLI_ALLOW_PATH(at)                                                                                 \
    {                                                                                                      \
        .name = "--allow-path", .kind = CLI_LIST, .offset = (at), .arg = "DIR",                            \
        .doc = "folder from which the model may read files (include, tables, parts), beside its own; may " \
               "be repeated"                                                                               \
    }

#endif
