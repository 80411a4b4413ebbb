// Options of the command: one table per subcommand gives parsing, ranges, defaults and --help.
//
//   static const cli_option table[] = {
//       {"MODEL", CLI_ARGUMENT, CLI_RANGE_ANY, offsetof(values, model), NULL, NULL, NULL, 0, "model file"},
//       {"--tol", CLI_NUMBER, CLI_RANGE_POSITIVE, offsetof(values, tol), "X", NULL, NULL, 0, "tolerance"},
//   };
//
// A value that was not given and has no default is NULL (texts), NAN (numbers), -1 (choices), false (flags),
// empty (lists). Texts point into argv.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <trammel/base.h>

typedef enum cli_option_kind {
    CLI_HEADING,   // a line in --help; doc is its text
    CLI_ARGUMENT,  // const char *: stands without a name; all are required, in the order of the table
    CLI_FLAG,      // bool
    CLI_TEXT,      // const char *
    CLI_NUMBER,    // double; a word of `words` may stand for a number
    CLI_CHOICE,    // int: value of one of `words`
    CLI_LIST       // cli_list: may be given again and again
} cli_option_kind;

typedef enum cli_range { CLI_RANGE_ANY, CLI_RANGE_POSITIVE, CLI_RANGE_NONNEGATIVE, CLI_RANGE_UNIT } cli_range;

/** A word and what it stands for. */
typedef struct cli_word {
    const char *name;  // NULL ends the array
    double value;
} cli_word;

typedef struct cli_list {
    const char **items;
    int count;
} cli_list;

typedef struct cli_option {
    const char *name;  // "--tol", or "MODEL" for an argument
    cli_option_kind kind;
    cli_range range;
    size_t offset;          // of the value in the struct of values
    const char *arg;        // what the value is called in --help
    const cli_word *words;  // NULL: none
    const char *fallback;   // the default, written as on the command line; NULL: not given
    char letter;            // short form: 'q' for -q; 0: none
    const char *doc;
} cli_option;

typedef struct cli_table {
    const cli_option *options;
    int count;
} cli_table;

typedef enum cli_parsed { CLI_PARSED, CLI_PARSED_HELP, CLI_PARSED_ERROR } cli_parsed;

/** Read argv[0 .. argc-1] into the zeroed struct `values`. `--name VALUE` and `--name=VALUE` mean the same; `--`
 * ends the options. CLI_PARSED_HELP: --help or -h was met, nothing else counts. On an error err holds the
 * sentence. In any case cli_options_clear frees the lists. */
cli_parsed cli_options_parse(const cli_table *table, int argc, char **argv, void *values, tml_error *err);
void cli_options_clear(const cli_table *table, void *values);

/** The option of this name (with or without a value after '='), or NULL. */
const cli_option *cli_options_find(const cli_table *table, const char *name);
/** "MODEL [options]" */
void cli_options_usage(const cli_table *table, FILE *out);
/** The lines of --help, in the order of the table. */
void cli_options_help(const cli_table *table, FILE *out);
/** Text broken into lines of at most 79 columns, each after `indent` blanks; the cursor stands at `column`. */
void cli_wrap(FILE *out, const char *text, int indent, int column);

#endif
