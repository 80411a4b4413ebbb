// The command `trammel`: finds the subcommand, reads its options, runs it.
#define _POSIX_C_SOURCE 200809L
#include "cli/common/cli.h"
#include "cli/common/files.h"
#include "cli/common/report.h"
#include "cli/common/settings.h"

#include "base/base.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

const cli_command *const cli_commands[] = {&cli_command_new,        &cli_command_import,
                                           &cli_command_run,        &cli_command_kinematics,
                                           &cli_command_check,      &cli_command_compare,
                                           &cli_command_static,     &cli_command_modes,
                                           &cli_command_linearize,  &cli_command_reduce,
                                           &cli_command_verify,     &cli_command_view,
                                           &cli_command_plot,       &cli_command_stats,
                                           &cli_command_study,      &cli_command_export,
                                           &cli_command_fmu,        &cli_command_methods,
                                           &cli_command_schema,     &cli_command_manual,
                                           &cli_command_completion, NULL};
enum { COMMANDS = sizeof cli_commands / sizeof(const cli_command *) - 1, NAME_COLUMNS = 12 };

const cli_command *cli_command_find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}

static void print_help(FILE *out)
{
    fprintf(out,
            "Trammel %s: dynamics of constrained mechanical systems.\n"
            "\n"
            "usage: trammel COMMAND [arguments]\n"
            "\n"
            "Commands:\n",
            tml_version());
    for (int i = 0; i < COMMANDS; i++) {
        fprintf(out, "  %-*s", NAME_COLUMNS, cli_commands[i]->name);
        cli_wrap(out, cli_commands[i]->summary, 2 + NAME_COLUMNS, 2 + NAME_COLUMNS);
    }
    fputs("\n"
          "Options:\n"
          "  -h, --help  print this text; after a command: what it does and its options\n"
          "  --version   print the version\n"
          "\n"
          "Exit status: 0 success, 1 the simulation failed, 2 the input or usage is wrong.\n",
          out);
}

// Paragraphs are filled; a blank line ends one, and an indented line stands alone.
static void print_notes(const char *notes)
{
    putchar('\n');
    while (*notes) {
        char text[1000];
        int used = 0;
        const bool alone = *notes == ' ' || *notes == '\n';
        do {
            const int n = (int)strcspn(notes, "\n");
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%.*s", used ? " " : "", n, notes);
            notes += n;
            notes += *notes == '\n';
        } while (!alone && *notes && *notes != ' ' && *notes != '\n' && used < (int)sizeof text - 1);
        cli_wrap(stdout, text, (int)strspn(text, " "), 0);
    }
}

static void print_command_help(const cli_command *c, const cli_table *table)
{
    printf("usage: trammel %s", c->name);
    cli_options_usage(table, stdout);
    fputs("\n\n", stdout);
    cli_wrap(stdout, c->summary, 0, 0);
    putchar('\n');
    cli_options_help(table, stdout);
    if (c->notes) print_notes(c->notes);
}

static int usage_error(const char *command, const tml_error *err)
{
    cli_print_error(err);
    fprintf(stderr, "Try 'trammel %s%s--help'.\n", command ? command : "", command ? " " : "");
    return CLI_EXIT_INPUT;
}

const char *cli_command_meant(const char *word)
{
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) names[i] = cli_commands[i]->name;
    const cli_command *c = cli_command_find(word + strspn(word, "-"));
    return c ? c->name : tmli_usage_word(word, names, COMMANDS);
}

tmli_hint cli_command_hint(const char *word)
{
    static const struct {
        const char *ending, *say;
    } files[] = {
        {".yaml", "'trammel run' runs a model"},         {".yml", "'trammel run' runs a model"},
        {".json", "'trammel run' runs a model"},         {".urdf", "'trammel import' translates a robot"},
        {".xml", "'trammel import' translates a robot"}, {".h5", "'trammel view' shows a result"},
        {".csv", "'trammel view' shows a result"}};
    tmli_hint h = {""};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (tmli_ends_with(word, files[i].ending)) snprintf(h.text, sizeof h.text, " (%s)", files[i].say);
    const char *meant = h.text[0] ? NULL : cli_command_meant(word);
    if (meant) snprintf(h.text, sizeof h.text, " ('trammel %s' does that)", meant);
    if (h.text[0]) return h;
    const char *names[COMMANDS + 1] = {"help"};
    for (int i = 0; i < COMMANDS; i++) names[i + 1] = cli_commands[i]->name;
    return tmli_hint_of(word, names, COMMANDS + 1);
}

static int unknown_command(const char *word)
{
    static const char *const options[] = {"--help", "--version"};
    const bool option = word[0] == '-';
    const char *same = option ? tmli_usage_word(word, options, 2) : NULL;
    tml_error err = {0};
    tmli_fail(&err, TML_ERR_ARG, "There is no %s '%.60s'%s.", option ? "option" : "command", word,
              (option ? tmli_hint_of(same ? same : word, options, 2) : cli_command_hint(word)).text);
    return usage_error(NULL, &err);
}

// With --json wrong options are reported on stdout too.
static void print_json_error(const cli_command *c, const cli_table *table, int argc, char **argv,
                             const tml_error *err)
{
    bool wanted = false;
    for (int i = 0; i < argc; i++) wanted |= strcmp(argv[i], "--json") == 0;
    if (!wanted || !cli_options_find(table, "--json")) return;
    cli_report r = cli_report_json(stdout, c->name, NULL, err->status, CLI_EXIT_INPUT, err);
    cli_report_end(&r);
}

static int perform(const cli_command *c, void *values, cli_files *files)
{
    cli_call call = {.env = cli_env(NULL, files), .exit_status = -1};
    const tml_status st = c->run(values, &call);
    fflush(stdout);
    if (st != TML_OK) cli_print_error(&call.err);
    return call.exit_status >= 0 ? call.exit_status : cli_exit_status(st, call.running);
}

int cli_run_command(const cli_command *c, int argc, char **argv)
{
    tml_error err = {0};
    cli_table table;
    cli_files files;
    void *values = calloc(1, c->values_size + 1);
    tml_status st = values ? TML_OK : tmli_fail(&err, TML_ERR_NOMEM, "No memory for the options.");
    if (st == TML_OK) st = cli_settings_expand(&c->table, &table, &err);
    if (st != TML_OK) {
        cli_print_error(&err);
        free(values);
        return CLI_EXIT_FAILED;
    }
    int code = CLI_EXIT_OK;
    tmli_files_begin(&files);
    switch (cli_options_parse(&table, argc, argv, values, &err)) {
    case CLI_PARSED:
        st = cli_files_add_options(&files, &table, values, &err);
        if (c->files > 0) *(cli_files **)((unsigned char *)values + c->files) = &files;
        if (st == TML_OK) code = perform(c, values, &files);
        break;
    case CLI_PARSED_HELP: print_command_help(c, &table); break;
    case CLI_PARSED_ERROR: st = err.status; break;
    }
    if (st != TML_OK) {
        print_json_error(c, &table, argc, argv, &err);
        code = usage_error(c->name, &err);
    }
    tmli_files_clear(&files);
    cli_options_clear(&table, values);
    free(table.own);
    free(values);
    return code;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_EXIT_INPUT;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0 || strcmp(word, "-V") == 0) {
        printf("trammel %s\n", tml_version());
        return CLI_EXIT_OK;
    }
    const bool help = strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    if (help && argc == 2) {
        print_help(stdout);
        return CLI_EXIT_OK;
    }
    const cli_command *c = cli_command_find(help ? argv[2] : word);
    if (!c) return unknown_command(help ? argv[2] : word);
    if (!help) return cli_run_command(c, argc - 2, argv + 2);
    return cli_run_command(c, 1, (char *[]){"--help"});
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN);  // a file at its limit (ulimit -f) is an error of writing, with a message
    int code = dispatch(argc, argv);
    const bool lost = fflush(stdout) != 0 || ferror(stdout);
    if (lost && code == CLI_EXIT_OK) {
        fputs("trammel: error: Cannot write to the standard output.\n", stderr);
        code = CLI_EXIT_FAILED;
    }
    return code;
}
