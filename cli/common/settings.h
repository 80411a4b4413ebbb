// Settings of a run on the command line: `--max-order` for the key `max_order` of the run block, and so on
// for every key.
//
// The options are derived from the schema of this block: a new key has its option in every command, with the
// same range, words and text as in the file. One table in settings.c holds the exceptions.
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli.h"
#include "report.h"

#include <trammel/model.h>
#include <trammel/spec.h>

/** Groups of settings in --help. A key without a group belongs to the equations. */
typedef enum cli_group {
    CLI_GROUP_TIME,       // start and end
    CLI_GROUP_OUTPUT,     // times of the results
    CLI_GROUP_METHOD,     // which method
    CLI_GROUP_ACCURACY,   // tolerances, or a fixed step
    CLI_GROUP_STEPS,      // how steps are chosen
    CLI_GROUP_FORMULA,    // settings of particular methods
    CLI_GROUP_EQUATIONS,  // how the equations are written and solved
} cli_group;

enum { CLI_SETTINGS_MAX = 64 };

/** Settings given on the command line. */
typedef struct cli_settings {
    tml_run_def def;               // values of the given settings; the others are undefined
    bool given[CLI_SETTINGS_MAX];  // (tmli_schema_run.nfields)
} cli_settings;

/** A model and how to run it. */
typedef struct cli_input {
    const char *model;  // file
    cli_list set;       // --set NAME=VALUE
    cli_list folders;   // --allow-path DIR
    cli_settings settings;
    cli_files *files;  // of the command, joined by those of the model
} cli_input;

/** Rows of a table whose struct of values begins with a cli_input. */
#define CLI_INPUT_MODEL                                                              \
    {                                                                                \
        .name = "MODEL", .kind = CLI_ARGUMENT, .offset = offsetof(cli_input, model), \
        .doc = "model file (YAML or JSON)", .file = CLI_FILE_READ                    \
    }
#define CLI_INPUT_SET CLI_SET(offsetof(cli_input, set)), CLI_ALLOW_PATH(offsetof(cli_input, folders))
#define CLI_INPUT_SETTINGS(which, in_brief)                                                                  \
    {                                                                                                        \
        .kind = CLI_SETTINGS, .offset = offsetof(cli_input, settings), .group = (which), .brief = (in_brief) \
    }
#define CLI_INPUT_SETTING(option, text)                                                               \
    {                                                                                                 \
        .kind = CLI_SETTING, .name = (option), .offset = offsetof(cli_input, settings), .doc = (text) \
    }

/** The table with its rows CLI_SETTING and CLI_SETTINGS replaced by options. free(out->own) frees it. */
tml_status cli_settings_expand(const cli_table *table, cli_table *out, tml_error *err);

/** The option of a setting: "max_order" gives "--max-order". */
void cli_settings_option(const char *key, char *out, size_t size);

/** True if the setting of this key is given. */
bool cli_settings_given(const cli_settings *s, const char *key);
/** Key of a setting other than `key` that was given; NULL: none. */
const char *cli_settings_other(const cli_settings *s, const char *key);

/** Whether a tolerance may be given together with a fixed step. */
typedef enum cli_steps {
    CLI_STEPS_CHOSEN,  // no: either controls the step size
    CLI_STEPS_JUDGED   // yes: the error is compared with it
} cli_steps;

/** Check the settings, read the model file with its parameters, override its run block, build the model. spec
 * may be NULL, else the caller destroys it, also after a failure. */
tml_status cli_input_load(const cli_input *in, cli_steps steps, const tml_env *env, tml_spec **spec,
                          tml_model **model, tml_error *err);

/** The word in use for a key with words ("scaling": "physical"). */
const char *cli_settings_word(const tml_run_def *run, const char *key);
/** Members of an object: all settings but method, solver and tol (rtol and atol say it); what is NAN is left
 * out. */
void cli_settings_json(tmli_json *j, const tml_run_def *run);
/** The same as the member "settings" of a report. */
void cli_settings_report(cli_report *r, const tml_run_def *run);

#endif
