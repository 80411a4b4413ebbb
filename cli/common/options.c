// Options of the command: parsing by a table, and the help text from the same table.
#include "options.h"
#include "cli.h"

#include "base/base.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 64, HELP_COLUMN = 26, HELP_WIDTH = 79 };

typedef struct parser {
    const cli_table *table;
    int argc, at;
    char **argv;
    unsigned char *values;
    bool *given;  // (table->count)
    tml_error *err;
} parser;

static tml_status set_defaults(parser *p);
static tml_status parse_option(parser *p, const char *word);
static tml_status parse_letter(parser *p, const char *word);
static bool has_option(const cli_table *table, const char *name)
{
    for (int i = 0; i < table->count; i++)
        if (table->options[i].name && strcmp(table->options[i].name, name) == 0) return true;
    return false;
}

static tml_status parse_argument(parser *p, const char *word);
static tml_status check_arguments(const parser *p);
static tml_status unknown_option(const parser *p, const char *name);
static tml_status store(parser *p, const cli_option *o, const char *label, const char *text);

cli_parsed cli_options_parse(const cli_table *table, int argc, char **argv, void *values, tml_error *err)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return CLI_PARSED_HELP;

    bool *given = calloc((size_t)table->count + 1, sizeof *given);
    if (!given) {
        tmli_fail(err, TML_ERR_NOMEM, "No memory for the options.");
        return CLI_PARSED_ERROR;
    }
    parser p = {table, argc, 0, argv, values, given, err};
    tml_status st = set_defaults(&p);
    bool options = true;
    while (st == TML_OK && p.at < argc) {
        const char *word = argv[p.at++];
        if (options && strcmp(word, "--") == 0) options = false;
        else if (options && strncmp(word, "--", 2) == 0) st = parse_option(&p, word);
        else if (options && word[0] == '-' && word[1]) st = parse_letter(&p, word);
        else st = parse_argument(&p, word);
    }
    if (st == TML_OK) st = check_arguments(&p);
    free(given);
    return st == TML_OK ? CLI_PARSED : CLI_PARSED_ERROR;
}

bool cli_option_is_named(const cli_option *o)
{
    return o->kind != CLI_HEADING && o->kind != CLI_ARGUMENT && o->kind != CLI_ARGUMENTS;
}

static bool is_list(const cli_option *o) { return o->kind == CLI_LIST || o->kind == CLI_ARGUMENTS; }

void cli_options_clear(const cli_table *table, void *values)
{
    for (int i = 0; i < table->count; i++) {
        const cli_option *o = &table->options[i];
        if (!is_list(o)) continue;
        cli_list *list = (void *)((unsigned char *)values + o->offset);
        free((void *)list->items);
        *list = (cli_list){0};
    }
}

const cli_option *cli_options_find(const cli_table *table, const char *name)
{
    const size_t n = strcspn(name, "=");
    for (int i = 0; i < table->count; i++) {
        const cli_option *o = &table->options[i];
        if (cli_option_is_named(o) && strlen(o->name) == n && strncmp(o->name, name, n) == 0) return o;
    }
    return NULL;
}

// Everything "not given", then the defaults of the table.
static tml_status set_defaults(parser *p)
{
    for (int i = 0; i < p->table->count; i++) {
        const cli_option *o = &p->table->options[i];
        void *value = p->values + o->offset;
        if (o->kind == CLI_HEADING) continue;
        if (o->kind == CLI_NUMBER) *(double *)value = NAN;
        if (o->kind == CLI_CHOICE || o->kind == CLI_FACTORS || o->kind == CLI_INTEGER) *(int *)value = -1;
        if (is_list(o)) {
            cli_list *list = value;
            list->items = calloc((size_t)p->argc + 1, sizeof *list->items);
            if (!list->items) return tmli_fail(p->err, TML_ERR_NOMEM, "No memory for the options.");
        }
        if (o->fallback && !o->given) {
            const tml_status st = store(p, o, o->name, o->fallback);
            if (st != TML_OK) return st;
        }
    }
    return TML_OK;
}

// word: "--name", "--name=value"; the value may also be the next word.
static tml_status parse_option(parser *p, const char *word)
{
    const cli_option *o = cli_options_find(p->table, word);
    if (!o) return unknown_option(p, word);
    bool *given = &p->given[o - p->table->options];
    if (*given && o->kind != CLI_LIST) return tmli_fail(p->err, TML_ERR_ARG, "%s is given twice.", o->name);
    *given = true;
    if (o->given) *(bool *)(p->values + o->given) = true;

    const char *value = strchr(word, '=');
    if (o->kind == CLI_FLAG) {
        if (value) return tmli_fail(p->err, TML_ERR_ARG, "%s takes no value.", o->name);
        return store(p, o, o->name, "");
    }
    if (value) return store(p, o, o->name, value + 1);
    if (p->at >= p->argc || strncmp(p->argv[p->at], "--", 2) == 0)
        return tmli_fail(p->err, TML_ERR_ARG, "%s needs a value: %s %s.", o->name, o->name,
                         o->arg ? o->arg : "VALUE");
    return store(p, o, o->name, p->argv[p->at++]);
}

// word: "-q"; stands for the long name.
static tml_status parse_letter(parser *p, const char *word)
{
    for (int i = 0; i < p->table->count; i++) {
        const cli_option *o = &p->table->options[i];
        if (o->letter && o->letter == word[1] && !word[2]) return parse_option(p, o->name);
    }
    return unknown_option(p, word);
}

static tml_status parse_argument(parser *p, const char *word)
{
    for (int i = 0; i < p->table->count; i++) {
        const cli_option *o = &p->table->options[i];
        if (!(o->kind == CLI_ARGUMENTS || (o->kind == CLI_ARGUMENT && !p->given[i]))) continue;
        p->given[i] = true;
        if (!*word) return tmli_fail(p->err, TML_ERR_ARG, "%s is empty.", o->name);
        return store(p, o, o->name, word);
    }
    tmli_fail(p->err, TML_ERR_ARG, "'%s' is one argument too many.", word);
    const bool after_set = p->at >= 3 && strcmp(p->argv[p->at - 3], "--set") == 0;
    if (after_set) tmli_error_append(p->err, "(--set %s=%s?)", p->argv[p->at - 2], word);
    else if (strchr(word, '=') && has_option(p->table, "--set"))
        tmli_error_append(p->err, "(--set %s changes a parameter.)", word);
    return TML_ERR_ARG;
}

static tml_status check_arguments(const parser *p)
{
    for (int i = 0; i < p->table->count; i++) {
        const cli_option *o = &p->table->options[i];
        if (o->kind == CLI_ARGUMENT && !p->given[i])
            return tmli_fail(p->err, TML_ERR_ARG, "%s is missing: %s.", o->name, o->doc);
    }
    return TML_OK;
}

static tml_status unknown_option(const parser *p, const char *name)
{
    const char *names[NAMES_MAX] = {"--help"};
    size_t count = 1;
    for (int i = 0; i < p->table->count && count < NAMES_MAX; i++)
        if (cli_option_is_named(&p->table->options[i])) names[count++] = p->table->options[i].name;
    char word[80];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "="), name);
    const char *same = tmli_usage_word(word, names, count), *command = same ? NULL : cli_command_meant(word);
    const tmli_hint near = tmli_hint_word(same ? same : word, names, count);
    if (command)
        return tmli_fail(p->err, TML_ERR_ARG,
                         "There is no option '%s'. ('trammel %s' is a command of its own.)", word, command);
    tmli_fail(p->err, TML_ERR_ARG, "There is no option '%s'%s.", word, near.text);
    for (int i = 0; cli_commands[i] && !near.text[0]; i++)
        if (has_option(&cli_commands[i]->table, word)) {
            tmli_error_append(p->err, "('trammel %s' has it.)", cli_commands[i]->name);
            break;
        }
    return TML_ERR_ARG;
}

// ---- values -----------------------------------------------------------------------------------------------

static const tmli_key_choice switch_words[] = {{"on", 1, NULL}, {"off", 0, NULL}, {NULL, 0, NULL}};

const tmli_key_choice *cli_option_words(const cli_option *o)
{
    return o->kind == CLI_SWITCH ? switch_words : o->words;
}

static const tmli_key_choice *find_in(const tmli_key_choice *words, const char *text)
{
    for (const tmli_key_choice *w = words; w && w->name; w++)
        if (strcmp(w->name, text) == 0) return w;
    return NULL;
}

static const tmli_key_choice *find_word(const cli_option *o, const char *text)
{
    const tmli_key_choice *word = find_in(cli_option_words(o), text);
    return word ? word : find_in(o->aliases, text);
}

// "none, uniform or physical", after what may stand before it.
static void list_words(const cli_option *o, const char *first, char *buf, size_t size)
{
    size_t used = (size_t)snprintf(buf, size, "%s", first);
    for (const tmli_key_choice *w = cli_option_words(o); w && w->name && used < size; w++) {
        const char *glue = !used ? "" : w[1].name ? ", " : " or ";
        used += (size_t)snprintf(buf + used, size - used, "%s%s", glue, w->name);
    }
}

static tml_status bad_word(const parser *p, const cli_option *o, const char *label, const char *first,
                           const char *text)
{
    char expected[200];
    list_words(o, first, expected, sizeof expected);
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (const tmli_key_choice *w = cli_option_words(o); w && w->name && count < NAMES_MAX; w++)
        names[count++] = w->name;
    return tmli_fail(p->err, TML_ERR_ARG, "%s: '%.60s' is not %s%s.", label, text, expected,
                     tmli_hint_word(text, names, count).text);
}

static const char *range_text(tmli_range range)
{
    switch (range) {
    case TMLI_RANGE_POSITIVE: return "greater than 0";
    case TMLI_RANGE_NONNEGATIVE: return "0 or greater";
    case TMLI_RANGE_UNIT: return "from 0 to 1";
    case TMLI_RANGE_NONZERO: return "other than 0";
    case TMLI_RANGE_ANY: break;
    }
    return "finite";
}

static bool in_range(tmli_range range, double x)
{
    switch (range) {
    case TMLI_RANGE_POSITIVE: return x > 0;
    case TMLI_RANGE_NONNEGATIVE: return x >= 0;
    case TMLI_RANGE_UNIT: return x >= 0 && x <= 1;
    case TMLI_RANGE_NONZERO: return x != 0;
    case TMLI_RANGE_ANY: break;
    }
    return true;
}

static tml_status parse_number(const parser *p, const cli_option *o, const char *label, const char *text,
                               double *out)
{
    const tmli_key_choice *word = find_word(o, text);
    if (word) {
        *out = word->value;
        return TML_OK;
    }
    const char *end;
    const double x = tmli_strtod(text, &end);
    if (end == text || *end)
        return bad_word(p, o, label, o->kind == CLI_INTEGER ? "a whole number" : "a number", text);
    if (!isfinite(x)) return tmli_fail(p->err, TML_ERR_ARG, "%s: %.60s is too large.", label, text);
    if (!in_range(o->range, x))
        return tmli_fail(p->err, TML_ERR_ARG, "%s: %.60s is not %s.", label, text, range_text(o->range));
    if (o->kind == CLI_INTEGER && x != floor(x))
        return tmli_fail(p->err, TML_ERR_ARG, "%s: %.60s is not a whole number.", label, text);
    if (o->kind == CLI_INTEGER && fabs(x) > INT_MAX)
        return tmli_fail(p->err, TML_ERR_ARG, "%s: %.60s is too large.", label, text);
    *out = x;
    return TML_OK;
}

// "k=1e3,m=1": the parts of a factor, those that are not named are 0.
static tml_status parse_factors(const parser *p, const char *label, const char *text, tml_scale_factor *out)
{
    *out = (tml_scale_factor){0};
    for (const char *at = text;;) {
        double *const part = at[0] == 'k' ? &out->k : at[0] == 'd' ? &out->d : at[0] == 'm' ? &out->m : NULL;
        if (!part || at[1] != '=')
            return tmli_fail(p->err, TML_ERR_ARG, "%s: '%.60s' is not of the form k=X,d=X,m=X.", label, text);
        const char *end;
        const double x = tmli_strtod(at + 2, &end);
        if (end == at + 2 || (*end && *end != ','))
            return tmli_fail(p->err, TML_ERR_ARG, "%s: '%.60s' has no number after '%c='.", label, text, *at);
        if (!(x >= 0 && isfinite(x)))
            return tmli_fail(p->err, TML_ERR_ARG, "%s: '%c' is %g, expected a number >= 0.", label, *at, x);
        *part = x;
        if (!*end) return TML_OK;
        at = end + 1;
    }
}

static tml_status store(parser *p, const cli_option *o, const char *label, const char *text)
{
    void *value = p->values + o->offset;
    switch (o->kind) {
    case CLI_FACTORS: {
        const tmli_key_choice *word = find_word(o, text);
        if (!word && !strchr(text, '=')) return bad_word(p, o, label, "", text);
        *(int *)value = word ? word->value : TML_SCALING_GIVEN;
        return word ? TML_OK : parse_factors(p, label, text, (void *)(p->values + o->part));
    }
    case CLI_HEADING:
    case CLI_SETTING:
    case CLI_SETTINGS: break;
    case CLI_FLAG: *(bool *)value = true; break;
    case CLI_ARGUMENT:
    case CLI_TEXT:
        if (!*text) return tmli_fail(p->err, TML_ERR_ARG, "%s: the value is empty.", label);
        *(const char **)value = text;
        break;
    case CLI_ARGUMENTS:
    case CLI_LIST: {
        cli_list *list = value;
        list->items[list->count++] = text;
        break;
    }
    case CLI_NUMBER: return parse_number(p, o, label, text, value);
    case CLI_INTEGER: {
        double x = 0;
        const tml_status st = parse_number(p, o, label, text, &x);
        if (st == TML_OK) *(int *)value = (int)x;
        return st;
    }
    case CLI_CHOICE:
    case CLI_SWITCH: {
        const tmli_key_choice *word = find_word(o, text);
        if (!word) return bad_word(p, o, label, "", text);
        if (o->kind == CLI_SWITCH) *(bool *)value = word->value != 0;
        else *(int *)value = word->value;
        break;
    }
    }
    return TML_OK;
}

// ---- help -------------------------------------------------------------------------------------------------

void cli_options_usage(const cli_table *table, FILE *out)
{
    bool named = false;
    for (int i = 0; i < table->count; i++) {
        const cli_option *o = &table->options[i];
        if (o->kind == CLI_ARGUMENT) fprintf(out, " %s", o->name);
        if (o->kind == CLI_ARGUMENTS) fprintf(out, " [%s...]", o->name);
        named |= cli_option_is_named(o);
    }
    if (named) fputs(" [options]", out);
}

void cli_wrap(FILE *out, const char *text, int indent, int column)
{
    bool fresh = column <= indent;  // nothing on this line yet
    fprintf(out, "%*s", column < indent ? indent - column : 0, "");
    if (column < indent) column = indent;
    while (*text) {
        text += strspn(text, " ");
        const int n = (int)strcspn(text, " ");
        if (!n) break;
        if (!fresh && column + 1 + n > HELP_WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            fresh = true;
        }
        if (!fresh) fputc(' ', out);
        for (int i = 0; i < n; i++) fputc(text[i] == CLI_HARD_BLANK ? ' ' : text[i], out);
        column += n + !fresh;
        fresh = false;
        text += n;
    }
    fputc('\n', out);
}

static void help_line(const char *left, const char *doc, FILE *out)
{
    fputs(left, out);
    int column = (int)strlen(left);
    if (column + 2 > HELP_COLUMN) {
        fputc('\n', out);
        column = 0;
    }
    cli_wrap(out, doc, HELP_COLUMN, column);
}

static bool has_documented_words(const cli_option *o) { return o->words && o->words->name && o->words->doc; }

bool cli_option_explains_words(const cli_option *o) { return !o->brief && has_documented_words(o); }

static const char *word_for(const cli_option *o, int value)
{
    for (const tmli_key_choice *w = o->words; w && w->name; w++)
        if (w->value == value) return w->name;
    return "";
}

// The words of an option and what they mean, one to a line.
static void help_words(const cli_option *o, FILE *out)
{
    int width = 0;
    for (const tmli_key_choice *w = o->words; w->name; w++)
        if ((int)strlen(w->name) > width) width = (int)strlen(w->name);
    const int column = HELP_COLUMN + 2 + width + 2;
    for (const tmli_key_choice *w = o->words; w->name; w++) {
        fprintf(out, "%*s%-*s", HELP_COLUMN + 2, "", width + 2, w->name);
        cli_wrap(out, w->doc, column, column);
    }
    for (const tmli_key_choice *w = o->aliases; w && w->name; w++)
        fprintf(out, "%*s%-*s%s\n", HELP_COLUMN + 2, "", width + 2, w->name, word_for(o, w->value));
}

// "a, b or c; on: b"
static void write_words(const cli_option *o, char *buf, size_t size)
{
    list_words(o, "", buf, size);
    for (const tmli_key_choice *w = o->aliases; w && w->name; w++) {
        const size_t used = strlen(buf);
        snprintf(buf + used, size - used, "%s %s: %s", w == o->aliases ? ";" : ",", w->name,
                 word_for(o, w->value));
    }
}

void cli_option_text(const cli_option *o, char *buf, size_t size)
{
    char words[200] = "";
    if (o->brief && has_documented_words(o)) write_words(o, words, sizeof words);
    const int used = snprintf(buf, size, "%s%s%s", o->doc, words[0] ? ": " : "", words);
    if (!o->fallback || used < 0 || (size_t)used >= size) return;
    snprintf(buf + used, size - (size_t)used, " (default: %s)", o->fallback);
    for (char *c = buf + used + 1; *c; c++)
        if (*c == ' ') *c = CLI_HARD_BLANK;
}

static void help_option(const cli_option *o, FILE *out)
{
    char left[80], letter[8] = "", doc[800];
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "  %s%s%s%s", letter, o->name, o->arg ? " " : "", o->arg ? o->arg : "");
    cli_option_text(o, doc, sizeof doc);
    help_line(left, doc, out);
    if (cli_option_explains_words(o)) help_words(o, out);
}

void cli_options_help(const cli_table *table, FILE *out)
{
    bool arguments = false, heading = false;
    for (int i = 0; i < table->count; i++) {
        const cli_option *o = &table->options[i];
        if (o->kind == CLI_HEADING) {
            fprintf(out, "\n%s:\n", o->doc);
            heading = true;
            continue;
        }
        if (cli_option_is_named(o) && !heading) {
            fputs(arguments ? "\nOptions:\n" : "Options:\n", out);
            heading = true;
        }
        arguments |= !cli_option_is_named(o);
        help_option(o, out);
    }
    if (!heading) fputs(arguments ? "\nOptions:\n" : "Options:\n", out);
    help_line("  -h, --help", "print this text", out);
}
