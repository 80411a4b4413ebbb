// trammel manual: the manual pages, trammel(1) and one for each command, made from the tables of options.
#include "cli/common/cli.h"
#include "cli/common/settings.h"

#include "base/base.h"
#include "base/target.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct manual_values {
    cli_list command;
    const char *folder;
} manual_values;

#define AT(member) offsetof(manual_values, member)
static const cli_option options[] = {
    CLI_OPTION_ARGUMENT("COMMAND", CLI_ARGUMENTS, AT(command), CLI_FILE_NONE,
                        "command whose page is printed; none: the page of trammel itself"),
    CLI_OPTION_TEXT("--all", 0, AT(folder), "DIR", CLI_FILE_NONE,
                    "write all pages into this folder instead: trammel.1, trammel-run.1 and so on"),
};
#undef AT

// Text of roff: no character of it is an instruction, and no hyphen is a soft one.
static void put_text(FILE *out, const char *text, size_t length)
{
    bool begin = true;
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (begin && (c == '.' || c == '\'')) fputs("\\&", out);
        if (c == '\\') fputs("\\e", out);
        else if (c == '-') fputs("\\-", out);
        else if (c == '\'') fputs("\\(aq", out);
        else if (c == '`') fputs("\\(ga", out);
        else if (c == '^') fputs("\\(ha", out);
        else if (c == '~') fputs("\\(ti", out);
        else if (c == CLI_HARD_BLANK) fputs("\\ ", out);
        else fputc(c, out);
        begin = c == '\n';
    }
}

static void put(FILE *out, const char *text) { put_text(out, text, strlen(text)); }

static void put_font(FILE *out, char font, const char *text)
{
    fprintf(out, "\\f%c", font);
    put(out, text);
    fputs("\\fR", out);
}

static void put_header(FILE *out, const char *command)
{
    char title[80] = "TRAMMEL";
    if (command) snprintf(title, sizeof title, "TRAMMEL-%s", command);
    for (char *c = title; *c; c++) *c = (char)toupper((unsigned char)*c);
    fprintf(out, ".TH \"%s\" 1 \"\" \"Trammel %s\" \"Trammel\"\n.nh\n.ad l\n.SH NAME\n", title,
            tml_version());
}

// "Simulate a model." becomes "simulate a model".
static void put_summary(FILE *out, const char *summary)
{
    const size_t n = strlen(summary);
    fputc(tolower((unsigned char)summary[0]), out);
    put_text(out, summary + 1, n - 1 - (summary[n - 1] == '.'));
    fputc('\n', out);
}

static void put_option(FILE *out, const cli_option *o)
{
    char doc[800];
    fputs(".TP\n", out);
    if (!cli_option_is_named(o)) {
        put_font(out, 'I', o->name);
    } else {
        const char letter[] = {'-', o->letter, 0};
        if (o->letter) {
            put_font(out, 'B', letter);
            fputs(", ", out);
        }
        put_font(out, 'B', o->name);
        if (o->arg) fputc(' ', out);
        if (o->arg) put_font(out, 'I', o->arg);
    }
    cli_option_text(o, doc, sizeof doc);
    fputc('\n', out);
    put(out, doc);
    fputc('\n', out);
    if (!cli_option_explains_words(o)) return;
    fputs(".RS\n", out);
    for (const tmli_key_choice *w = o->words; w->name; w++) {
        fputs(".TP\n", out);
        put_font(out, 'B', w->name);
        fputc('\n', out);
        put(out, w->doc);
        fputc('\n', out);
    }
    fputs(".RE\n", out);
}

static void put_options(FILE *out, const cli_table *table)
{
    fputs(".SH OPTIONS\n", out);
    for (int i = 0; i < table->count; i++) {
        const cli_option *o = &table->options[i];
        if (o->kind != CLI_HEADING) {
            put_option(out, o);
            continue;
        }
        fputs(".SS ", out);
        put(out, o->doc);
        fputc('\n', out);
    }
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint a summary of the options\n", out);
}

// Indented lines are examples, shown as they are; the rest is filled.
static void put_notes(FILE *out, const char *notes)
{
    bool literal = false;
    fputs(".SH NOTES\n", out);
    while (*notes) {
        const size_t n = strcspn(notes, "\n");
        if (n == 0) {
            fputs(literal ? "" : ".PP\n", out);
        } else if ((notes[0] == ' ') != literal) {
            literal = !literal;
            fputs(literal ? ".PP\n.RS\n.nf\n" : ".fi\n.RE\n.PP\n", out);
        }
        const size_t blanks = strspn(notes, " ");
        if (n > blanks) {
            put_text(out, notes + blanks, n - blanks);
            fputc('\n', out);
        }
        notes += n;
        notes += *notes == '\n';
    }
    if (literal) fputs(".fi\n.RE\n", out);
}

static void put_exit_status(FILE *out)
{
    fputs(".SH EXIT STATUS\n"
          ".TP\n0\nsuccess\n"
          ".TP\n1\nthe simulation failed, or its results could not be written\n"
          ".TP\n2\nthe input or the usage is wrong\n",
          out);
}

static tml_status put_command_page(FILE *out, const cli_command *c, tml_error *err)
{
    cli_table table;
    const tml_status st = cli_settings_expand(&c->table, &table, err);
    if (st != TML_OK) return st;
    put_header(out, c->name);
    fprintf(out, "trammel\\-%s \\- ", c->name);
    put_summary(out, c->summary);
    fprintf(out, ".SH SYNOPSIS\n\\fBtrammel %s\\fR", c->name);
    cli_options_usage(&table, out);
    fputs("\n.SH DESCRIPTION\n", out);
    put(out, c->summary);
    fputc('\n', out);
    put_options(out, &table);
    if (c->notes) put_notes(out, c->notes);
    put_exit_status(out);
    fputs(".SH SEE ALSO\n.BR trammel (1)\n", out);
    free(table.own);
    return TML_OK;
}

static void put_main_page(FILE *out)
{
    put_header(out, NULL);
    fputs("trammel \\- dynamics of constrained mechanical systems\n"
          ".SH SYNOPSIS\n\\fBtrammel\\fR \\fICOMMAND\\fR [\\fIarguments\\fR]\n"
          ".SH DESCRIPTION\n"
          "Simulates mechanisms: bodies, joints, forces, contacts and beams, described in a model file.\n"
          ".SH COMMANDS\n",
          out);
    for (int i = 0; cli_commands[i]; i++) {
        fprintf(out, ".TP\n.BR trammel\\-%s (1)\n", cli_commands[i]->name);
        put(out, cli_commands[i]->summary);
        fputc('\n', out);
    }
    fputs(".SH OPTIONS\n"
          ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint a summary; after a command: its options\n"
          ".TP\n\\fB\\-\\-version\\fR\nprint the version\n",
          out);
    put_exit_status(out);
    fputs(".SH SEE ALSO\n", out);
    for (int i = 0; cli_commands[i]; i++)
        fprintf(out, ".BR trammel\\-%s (1)%s\n", cli_commands[i]->name, cli_commands[i + 1] ? "," : "");
}

static tml_status put_page(FILE *out, const cli_command *c, tml_error *err)
{
    if (c) return put_command_page(out, c, err);
    put_main_page(out);
    return TML_OK;
}

static tml_status write_page(const char *folder, const cli_command *c, const tml_env *env, tml_error *err)
{
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/trammel%s%s.1", folder, c ? "-" : "", c ? c->name : "");
    if (n < 0 || (size_t)n >= sizeof path)
        return tmli_fail(err, TML_ERR_ARG, "--all: the name of the folder is too long.");
    tmli_draft d;
    tml_status st = cli_files_add(env->files, CLI_FILE_WRITTEN, "a page of --all", path, err);
    if (st != TML_OK) return st;
    st = tmli_draft_open(&d, path, env, err);
    if (st == TML_OK) st = tmli_draft_close(&d, put_page(d.out, c, err), err);
    return st;
}

static tml_status run(void *values, cli_call *c)
{
    const manual_values *v = values;
    tml_status st = TML_OK;
    c->running = v->folder != NULL;  // what fails to be read or written is a page
    const char *name = v->command.count > 0 ? v->command.items[0] : NULL;
    const cli_command *of = name ? cli_command_find(name) : NULL;
    if (v->command.count > 1)
        st = tmli_fail(&c->err, TML_ERR_ARG, "'%.60s' is one argument too many.", v->command.items[1]);
    else if (name && v->folder)
        st = tmli_fail(&c->err, TML_ERR_ARG, "--all writes all pages: give no command with it.");
    else if (name && !of)
        st = tmli_fail(&c->err, TML_ERR_ARG, "There is no command '%.60s'%s; 'trammel --help' lists them.",
                       name, cli_command_hint(name).text);
    else if (!v->folder) st = put_page(stdout, of, &c->err);
    else st = write_page(v->folder, NULL, &c->env, &c->err);
    for (int i = 0; v->folder && st == TML_OK && cli_commands[i]; i++)
        st = write_page(v->folder, cli_commands[i], &c->env, &c->err);
    return st;
}

const cli_command cli_command_manual = {
    .name = "manual",
    .summary = "Print the manual page of a command, for man.",
    .notes = "The pages are installed with the command: 'man trammel-run'.\n"
             "\n"
             "  trammel manual run | man -l -\n",
    CLI_OPTIONS(manual_values),
    .run = run,
};
