// Options of the command: one table per subcommand gives parsing, checks and the help text.
//
// Values are stored in a plain struct, at the offsets of the table. Options that are not given are NULL
// (text), NAN (numbers), -1 (choices), false (flags), empty (lists). Texts point into argv. Words and ranges
// are written as in the schema of model files, so that settings of a run can be taken from there
// (settings.h).
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "spec/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <trammel/base.h>

enum { CLI_HARD_BLANK = '\x01' };  // in a text: a blank at which no line ends

typedef enum cli_option_kind {
    CLI_HEADING,    // a line in --help; doc is its text
    CLI_ARGUMENT,   // const char *: without a name; all are required, in the order of the table
    CLI_ARGUMENTS,  // cli_list: the arguments after them, any number; the last argument of a table
    CLI_FLAG,       // bool
    CLI_TEXT,       // const char *
    CLI_NUMBER,     // double; a word of `words` may stand for a number
    CLI_INTEGER,    // int; -1: not given
    CLI_CHOICE,     // int: value of one of `words` or `aliases`
    CLI_FACTORS,    // as CLI_CHOICE, or k=X,d=X,m=X: the last of `words`, and `part` gets the numbers
    CLI_SWITCH,     // bool: on or off
    CLI_LIST,       // cli_list: may be given several times
    CLI_SETTING,    // one setting of a run; its kind, range, words and (if NULL) doc come from the schema
    CLI_SETTINGS    // all settings of a run that belong to `group` and have no row of their own
} cli_option_kind;

/** What becomes of the file that a text names (files.h). */
typedef enum cli_file {
    CLI_FILE_NONE,
    CLI_FILE_READ,
    CLI_FILE_WRITTEN,
    CLI_FILE_KEPT  // written again and again, and perhaps read by the command that goes on with it
} cli_file;

typedef struct cli_list {
    const char **items;
    int count;
} cli_list;

typedef struct cli_option {
    const char *name;  // "--tol", or "MODEL" for an argument
    cli_option_kind kind;
    tmli_range range;
    size_t offset;    // of the value in the struct of values; CLI_SETTING, CLI_SETTINGS: of the cli_settings
    size_t part;      // CLI_FACTORS: offset of a tml_scale_factor
    size_t given;     // of a bool that is set if it is given; the default is then defined elsewhere; 0: none
    const char *arg;  // name of the value in --help
    const tmli_key_choice *words;    // ends with a NULL name; NULL: none
    const tmli_key_choice *aliases;  // more words that --help does not list; NULL: none
    const char *fallback;            // the default, written as on the command line; NULL: not given
    char letter;                     // short form: 'q' for -q; 0: none
    const char *doc;
    int group;   // CLI_SETTINGS: a cli_group
    bool brief;  // --help names the words without explaining them
    cli_file file;
} cli_option;

// Rows of the usual kinds. initial: letter, 0: none; at: offset of the value; fallback: NULL if not given.
#define CLI_OPTION_FLAG(option, initial, at, text)                                             \
    {                                                                                          \
        .name = (option), .kind = CLI_FLAG, .letter = (initial), .offset = (at), .doc = (text) \
    }
#define CLI_OPTION_TEXT(option, initial, at, value, use, text)                                   \
    {                                                                                            \
        .name = (option), .kind = CLI_TEXT, .letter = (initial), .offset = (at), .arg = (value), \
        .file = (use), .doc = (text)                                                             \
    }
#define CLI_OPTION_NUMBER(option, number, limits, at, value, usual, text)                      \
    {                                                                                          \
        .name = (option), .kind = (number), .range = (limits), .offset = (at), .arg = (value), \
        .fallback = (usual), .doc = (text)                                                     \
    }
#define CLI_OPTION_LIST(option, at, value, use, text)                                                    \
    {                                                                                                    \
        .name = (option), .kind = CLI_LIST, .offset = (at), .arg = (value), .file = (use), .doc = (text) \
    }
#define CLI_OPTION_CHOICE(option, at, value, choices, usual, text)                                \
    {                                                                                             \
        .name = (option), .kind = CLI_CHOICE, .offset = (at), .arg = (value), .words = (choices), \
        .fallback = (usual), .doc = (text)                                                        \
    }
#define CLI_OPTION_ARGUMENT(argument, number, at, use, text)                               \
    {                                                                                      \
        .name = (argument), .kind = (number), .offset = (at), .file = (use), .doc = (text) \
    }

typedef struct cli_table {
    const cli_option *options;
    int count;
    void *own;  // memory of an expanded table (settings.h)
} cli_table;

typedef enum cli_parsed { CLI_PARSED, CLI_PARSED_HELP, CLI_PARSED_ERROR } cli_parsed;

/** Read argv[0 .. argc-1] into the zeroed struct `values`. `--name VALUE` and `--name=VALUE` mean the same;
 * `--` ends the options. CLI_PARSED_HELP: --help or -h was met, nothing else counts. On an error err holds
 * the sentence. In any case cli_options_clear frees the lists. The table has no settings (any more). */
cli_parsed cli_options_parse(const cli_table *table, int argc, char **argv, void *values, tml_error *err);
void cli_options_clear(const cli_table *table, void *values);

/** The option of this name (with or without a value after '='), or NULL. */
const cli_option *cli_options_find(const cli_table *table, const char *name);
/** False for arguments and headings. */
bool cli_option_is_named(const cli_option *o);
/** The words that may be given as the value, ends with a NULL name; NULL: none. */
const tmli_key_choice *cli_option_words(const cli_option *o);
/** True if --help and the manual say what each word means, a line each. */
bool cli_option_explains_words(const cli_option *o);
/** What the option does, with its words if they are not explained one by one, and its default. */
void cli_option_text(const cli_option *o, char *buf, size_t size);
/** "MODEL [options]" */
void cli_options_usage(const cli_table *table, FILE *out);
/** The lines of --help, in the order of the table. */
void cli_options_help(const cli_table *table, FILE *out);
/** Text broken into lines of at most 79 columns, each after `indent` blanks; the cursor stands at `column`.
 */
void cli_wrap(FILE *out, const char *text, int indent, int column);

#endif
