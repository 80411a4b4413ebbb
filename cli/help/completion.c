// trammel completion: scripts with which a shell completes commands, options and their values, made from the
// tables of options.
#include "cli/common/cli.h"
#include "cli/common/settings.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <trammel/integrator.h>
#include <trammel/linsolver.h>

typedef struct completion_values {
    const char *shell;
} completion_values;

static const cli_option options[] = {
    CLI_OPTION_ARGUMENT("SHELL", CLI_ARGUMENT, offsetof(completion_values, shell), CLI_FILE_NONE,
                        "bash, zsh or fish"),
};

static bool takes_value(const cli_option *o) { return o->kind != CLI_FLAG; }

static bool names_file(const cli_option *o)
{
    const char *const word = cli_option_is_named(o) ? o->arg : o->name;
    static const char *const files[] = {"FILE", "DIR", "RESULT", "MODEL"};
    for (size_t i = 0; word && i < sizeof files / sizeof *files; i++)
        if (strncmp(word, files[i], strlen(files[i])) == 0) return true;
    return false;
}

static void put_word(FILE *out, const char *word, bool *first)
{
    fprintf(out, "%s%s", *first ? "" : " ", word);
    *first = false;
}

// The values an option may have, with blanks between them; false if they are not a few words.
static bool put_values(FILE *out, const cli_option *o)
{
    bool first = true;
    const bool methods = strcmp(o->name, "--method") == 0 || strcmp(o->name, "--methods") == 0;
    const bool solvers = strcmp(o->name, "--solver") == 0;
    for (const tmli_key_choice *w = cli_option_words(o); w && w->name; w++) put_word(out, w->name, &first);
    for (const tmli_key_choice *w = o->aliases; w && w->name; w++) put_word(out, w->name, &first);
    for (int i = 0; methods && tml_methods[i]; i++) put_word(out, tml_methods[i]->name, &first);
    for (int i = 0; solvers && tml_linsolvers[i]; i++) put_word(out, tml_linsolvers[i]->name, &first);
    if (strcmp(o->name, "--method") == 0 || solvers) put_word(out, "auto", &first);
    return !first;
}

static bool has_values(const cli_option *o)
{
    const tmli_key_choice *words = cli_option_words(o);
    return (words && words->name) || strcmp(o->name, "--method") == 0 || strcmp(o->name, "--methods") == 0 ||
           strcmp(o->name, "--solver") == 0;
}

// Text between single quotes; what `special` contains gets a backslash.
static void put_quoted(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') fputs("'\\''", out);
        else if (*text == CLI_HARD_BLANK) fputc(' ', out);
        else fprintf(out, "%s%c", strchr(special, *text) ? "\\" : "", *text);
    }
}

// Called for each command with its expanded table.
typedef void put_command(FILE *out, const cli_command *c, const cli_table *table);

static tml_status for_each_command(FILE *out, put_command *put, tml_error *err)
{
    tml_status st = TML_OK;
    for (int i = 0; cli_commands[i] && st == TML_OK; i++) {
        cli_table table;
        st = cli_settings_expand(&cli_commands[i]->table, &table, err);
        if (st != TML_OK) break;
        put(out, cli_commands[i], &table);
        free(table.own);
    }
    return st;
}

static void put_command_names(FILE *out)
{
    for (int i = 0; cli_commands[i]; i++) fprintf(out, "%s%s", i ? " " : "", cli_commands[i]->name);
}

// ---- bash -------------------------------------------------------------------------------------------------

static void put_bash_pattern(FILE *out, const cli_command *c, const cli_option *o)
{
    fprintf(out, "    '%s %s'", c->name, o->name);
    if (o->letter) fprintf(out, " | '%s -%c'", c->name, o->letter);
    fputs(") ", out);
}

static void put_bash_command(FILE *out, const cli_command *c, const cli_table *table)
{
    for (int i = 0; i < table->count; i++) {
        const cli_option *o = &table->options[i];
        if (!cli_option_is_named(o) || !takes_value(o)) continue;
        put_bash_pattern(out, c, o);
        if (names_file(o)) {
            fputs("return ;;\n", out);
            continue;
        }
        fputs("words='", out);
        put_values(out, o);
        fputs("' value=yes ;;\n", out);
    }
    fprintf(out, "    '%s '*) options='", c->name);
    for (int i = 0; i < table->count; i++) {
        const cli_option *o = &table->options[i];
        if (!cli_option_is_named(o)) continue;
        fprintf(out, "%s ", o->name);
        if (o->letter) fprintf(out, "-%c ", o->letter);
    }
    fputs("--help -h' ;;\n", out);
}

// An empty answer lets bash complete the names of files, except where a value is no file.
static tml_status put_bash(FILE *out, tml_error *err)
{
    fputs("# bash completion of trammel\n"
          "_trammel() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= options= value=\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        COMPREPLY=($(compgen -W '",
          out);
    put_command_names(out);
    fputs(" help --help -h --version' -- \"$cur\"))\n"
          "        return\n"
          "    fi\n"
          "    case \"${COMP_WORDS[1]} $prev\" in\n"
          "    help\\ *) words='",
          out);
    put_command_names(out);
    fputs("' value=yes ;;\n", out);
    const tml_status st = for_each_command(out, put_bash_command, err);
    fputs("    esac\n"
          "    if [[ $value ]]; then\n"
          "        compopt +o default 2>/dev/null\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "    elif [[ $cur == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
          "    fi\n"
          "}\n"
          "complete -o default -F _trammel trammel\n",
          out);
    return st;
}

// ---- zsh --------------------------------------------------------------------------------------------------

static void put_zsh_action(FILE *out, const cli_option *o)
{
    fputc(':', out);
    put_quoted(out, cli_option_is_named(o) ? (o->arg ? o->arg : "VALUE") : o->name, ":[]");
    fputc(':', out);
    if (has_values(o)) {
        fputc('(', out);
        put_values(out, o);
        fputc(')', out);
    } else if (names_file(o) || !cli_option_is_named(o)) fputs("_files", out);
    else fputc(' ', out);
}

static void put_zsh_option(FILE *out, const cli_option *o)
{
    char doc[800];
    cli_option_text(o, doc, sizeof doc);
    if (!cli_option_is_named(o)) {
        fprintf(out, " \\\n            '%s", o->kind == CLI_ARGUMENTS ? "*" : "");
        put_zsh_action(out, o);
        fputc('\'', out);
        return;
    }
    const char letter[] = {'-', o->letter, 0};
    for (int form = o->letter ? 0 : 1; form < 2; form++) {
        fputs(" \\\n            '", out);
        if (o->kind == CLI_LIST) fputc('*', out);
        else if (o->letter) fprintf(out, "(-%c %s)", o->letter, o->name);
        fprintf(out, "%s[", form == 0 ? letter : o->name);
        put_quoted(out, doc, "[]:\\");
        fputc(']', out);
        if (takes_value(o)) put_zsh_action(out, o);
        fputc('\'', out);
    }
}

static void put_zsh_command(FILE *out, const cli_command *c, const cli_table *table)
{
    fprintf(out, "    %s)\n        _arguments", c->name);
    for (int i = 0; i < table->count; i++)
        if (table->options[i].kind != CLI_HEADING) put_zsh_option(out, &table->options[i]);
    fputs(" \\\n            '(-h --help)'{-h,--help}'[print a summary of the options]' ;;\n", out);
}

static tml_status put_zsh(FILE *out, tml_error *err)
{
    fputs("#compdef trammel\n"
          "_trammel() {\n"
          "    if ((CURRENT == 2)); then\n"
          "        local -a commands=(\n",
          out);
    for (int i = 0; cli_commands[i]; i++) {
        fprintf(out, "            '%s:", cli_commands[i]->name);
        put_quoted(out, cli_commands[i]->summary, ":\\");
        fputs("'\n", out);
    }
    fputs("            'help:What a command does and its options.')\n"
          "        _describe -t commands command commands\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $words[1] in\n"
          "    help) _values command ",
          out);
    put_command_names(out);
    fputs(" ;;\n", out);
    const tml_status st = for_each_command(out, put_zsh_command, err);
    fputs("    esac\n"
          "}\n"
          "if [[ $funcstack[1] == _trammel ]]; then _trammel \"$@\"; else compdef _trammel trammel; fi\n",
          out);
    return st;
}

// ---- fish -------------------------------------------------------------------------------------------------

static void put_fish_command(FILE *out, const cli_command *c, const cli_table *table)
{
    fprintf(out, "complete -c trammel -n __fish_use_subcommand -f -a %s -d '", c->name);
    put_quoted(out, c->summary, "");
    fputs("'\n", out);
    for (int i = 0; i < table->count; i++) {
        const cli_option *o = &table->options[i];
        char doc[800];
        if (!cli_option_is_named(o)) continue;
        cli_option_text(o, doc, sizeof doc);
        fprintf(out, "complete -c trammel -n '__fish_seen_subcommand_from %s'", c->name);
        if (o->letter) fprintf(out, " -s %c", o->letter);
        fprintf(out, " -l %s", o->name + 2);
        if (takes_value(o)) fputs(names_file(o) ? " -r" : " -x", out);
        if (has_values(o)) {
            fputs(" -a '", out);
            put_values(out, o);
            fputc('\'', out);
        }
        fputs(" -d '", out);
        for (const char *d = doc; *d; d++) {  // fish quotes within quotes by a backslash
            if (*d == '\'' || *d == '\\') fputc('\\', out);
            fputc(*d == CLI_HARD_BLANK ? ' ' : *d, out);
        }
        fputs("'\n", out);
    }
}

static tml_status put_fish(FILE *out, tml_error *err)
{
    fputs("# fish completion of trammel\n"
          "complete -c trammel -s h -l help -d 'print a summary of the options'\n"
          "complete -c trammel -n __fish_use_subcommand -l version -d 'print the version'\n",
          out);
    return for_each_command(out, put_fish_command, err);
}

// -----------------------------------------------------------------------------------------------------------

static tml_status run(void *values, cli_call *c)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    static tml_status (*const put[])(FILE *, tml_error *) = {put_bash, put_zsh, put_fish};
    enum { SHELLS = sizeof shells / sizeof *shells };
    const completion_values *v = values;
    tml_status st = TML_ERR_NAME;
    int i = 0;
    while (i < SHELLS && strcmp(shells[i], v->shell) != 0) i++;
    if (i < SHELLS) {
        st = put[i](stdout, &c->err);
    } else {
        tmli_fail(&c->err, TML_ERR_NAME, "SHELL: '%.60s' is not bash, zsh or fish%s.", v->shell,
                  tmli_hint_of(v->shell, shells, SHELLS).text);
    }
    return st;
}

const cli_command cli_command_completion = {
    .name = "completion",
    .summary = "Print a script with which the shell completes this command.",
    .notes = "The scripts are installed with the command. To try one from a build folder:\n"
             "\n"
             "  source <(trammel completion bash)\n",
    CLI_OPTIONS(completion_values),
    .run = run,
};
