// Reports of commands; see report.h.
#include "report.h"
#include "options.h"

#include "base/base.h"
#include "base/stream.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

// ---- begin and end ----------------------------------------------------------------------------------------

cli_report cli_report_text(FILE *out)
{
    return (cli_report){CLI_REPORT_TEXT, .out = out, .j = {.failed = true}};
}

// Null if there is none, else status, message, file, line, column (null if unknown) and t.
static void put_error(tmli_json *j, const tml_error *err)
{
    if (err->status == TML_OK) {
        tmli_json_value(j, "error", NULL);
        return;
    }
    tmli_json_object(j, "error", "status %s message %s file %s line %i column %i t %g",
                     tml_status_name(err->status), err->msg, err->file[0] ? err->file : NULL,
                     err->line > 0 ? err->line : -1, err->line > 0 && err->col > 0 ? err->col : -1, err->t);
}

cli_report cli_report_json(FILE *out, const char *command, const char *model, tml_status st, int exit_status,
                           const tml_error *err)
{
    cli_report r = {.kind = CLI_REPORT_JSON, .j = {.out = out, .style = TMLI_JSON_LINES}};
    tmli_json_open(&r.j, NULL, '{');
    tmli_json_members(&r.j, "trammel %s command %s", tml_version(), command);
    if (model) tmli_json_text(&r.j, "model", model);
    tmli_json_members(&r.j, "status %s exit_status %d", tml_status_name(st), exit_status);
    if (err) put_error(&r.j, err);
    return r;
}

cli_report cli_report_begin(bool json, const char *command, const char *model, tml_status st, int exit_status,
                            const tml_error *err)
{
    return json ? cli_report_json(stdout, command, model, st, exit_status, err) : cli_report_text(stdout);
}

cli_report cli_report_bare(bool json)
{
    if (!json) return cli_report_text(stdout);
    return (cli_report){CLI_REPORT_JSON, .j = {.out = stdout, .style = TMLI_JSON_LINES}};
}

void cli_report_end(cli_report *r)
{
    if (r->kind == CLI_REPORT_JSON) cli_close(r, '}');
}

void cli_put_visible(const char *text, size_t length, char keep, FILE *out)
{
    uint32_t code;
    for (size_t i = 0, n; i < length && text[i]; i += n) {
        n = tmli_utf8(text + i, &code);
        if (tmli_is_hidden(code) && code != (uint32_t)keep) fputc(' ', out);
        else fwrite(text + i, 1, n, out);
    }
}

const char *cli_visible(const char *text, cli_visible_text *room)
{
    snprintf(room->text, sizeof room->text, "%s", text ? text : "");
    tmli_clean(room->text);
    return room->text;
}

// Whether cli_put_visible would write the text as it is, line ends kept.
static bool is_visible(const char *text)
{
    uint32_t code;
    for (size_t i = 0; text[i];) {
        i += tmli_utf8(text + i, &code);
        if (tmli_is_hidden(code) && code != '\n') return false;
    }
    return true;
}

// ---- entries ----------------------------------------------------------------------------------------------

static bool has_text(const cli_report *r) { return r->kind != CLI_REPORT_JSON && !r->silent && r->out; }

static void put_text(const cli_report *r, const char *text, size_t n)
{
    char one[TMLI_MARKUP];
    if (!has_text(r)) return;
    if (r->kind == CLI_REPORT_TEXT) fwrite(text, 1, n, r->out);
    else
        for (const char *end = text + n; text < end; fputs(one, r->out)) text += tmli_markup(text, one);
}

static void put_value(const cli_report *r, const tmli_value *v)
{
    char number[400];  // %f of the largest number has 316 letters
    const char *const text = v->text ? v->text : "";
    if (!has_text(r)) return;
    if (v->kind == 's') {  // names of any length, whole
        if (r->kind == CLI_REPORT_TEXT && !is_visible(text))
            cli_put_visible(text, strlen(text), '\n', r->out);
        else if (r->kind == CLI_REPORT_TEXT) fprintf(r->out, v->format, text);
        else put_text(r, text, strlen(text));
        return;
    }
    if (strchr("gef", v->kind)) snprintf(number, sizeof number, v->format, v->number);
    else snprintf(number, sizeof number, v->format, v->integer);
    put_text(r, number, strlen(number));
}

// 1234567 as "1,234,567".
static void put_grouped(const cli_report *r, long long x)
{
    char digits[24];
    const int count = snprintf(digits, sizeof digits, "%lld", x);
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) put_text(r, ",", 1);
        put_text(r, digits + i, 1);
    }
}

// " body|bodies" after a number, up to the brace.
static void put_noun(const cli_report *r, const char *noun, const tmli_value *v)
{
    const size_t one = strcspn(noun, "|}");
    const char *const many = noun[one] == '|' ? noun + one + 1 : NULL;
    if (v->integer != 1 && many) {
        put_text(r, " ", 1);
        put_text(r, many, strcspn(many, "}"));
        return;
    }
    put_text(r, noun, one);
    if (v->integer != 1 && one > 0) put_text(r, "s", 1);
}

static void put_member(cli_report *r, const char *key, size_t length, const tmli_value *v)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)length, key);
    tmli_json_put(&r->j, text, v);
}

// What is within braces; returns what follows them.
static const char *put_braces(cli_report *r, const char *format, va_list *values)
{
    const bool hidden = *format == '-';
    for (format += hidden; *format != '}';) {
        tmli_value v;
        const char *const key = format;
        const size_t length = strcspn(format, " %");
        format = tmli_value_take(format + length + (format[length] == ' '), values, &v);
        if (r->kind == CLI_REPORT_JSON && length > 0) put_member(r, key, length, &v);
        if (hidden) {
            format += *format == ' ';
            continue;
        }
        if (*format == ',') {
            put_grouped(r, v.integer);
            format++;
        } else {
            put_value(r, &v);
        }
        put_noun(r, format, &v);
        format += strcspn(format, "}");
    }
    return format + 1;
}

static void put_entry(cli_report *r, const char *format, va_list *values)
{
    while (*format) {
        const size_t plain = strcspn(format, "{%");
        put_text(r, format, plain);
        format += plain;
        tmli_value v;
        if (format[0] == '{') {
            format = put_braces(r, format + 1, values);
        } else if (format[0] == '%' && format[1] == '%') {
            put_text(r, "%", 1);
            format += 2;
        } else if (*format) {
            format = tmli_value_take(format, values, &v);
            put_value(r, &v);
        }
    }
}

void cli_entry(cli_report *r, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_entry(r, format, &values);
    va_end(values);
}

void cli_label(const cli_report *r, const char *label)
{
    if (!has_text(r)) return;
    if (r->kind == CLI_REPORT_TEXT) {
        fprintf(r->out, "  %-*s", CLI_LABEL - 2, label);
        return;
    }
    fputs("<tr><th>", r->out);
    put_text(r, label, strlen(label));
    fputs("</th><td>", r->out);
}

void cli_line(cli_report *r, const char *label, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    cli_label(r, label);
    put_entry(r, format, &values);
    if (has_text(r)) fputs(r->kind == CLI_REPORT_TEXT ? "\n" : "</td></tr>\n", r->out);
    va_end(values);
}

void cli_object(cli_report *r, const char *key, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    cli_open(r, key, '{');
    put_entry(r, format, &values);
    cli_close(r, '}');
    va_end(values);
}

void cli_wrapped(cli_report *r, const char *text, int indent, int column)
{
    if (has_text(r)) cli_wrap(r->out, text, indent, column);
}

void cli_sentence(cli_report *r, const char *label, const char *text)
{
    cli_label(r, label);
    cli_wrapped(r, text, CLI_LABEL, CLI_LABEL);
}

// ---- JSON alone -------------------------------------------------------------------------------------------

void cli_open(cli_report *r, const char *key, char bracket) { tmli_json_open(&r->j, key, bracket); }

void cli_close(cli_report *r, char bracket) { tmli_json_close(&r->j, bracket); }

void cli_text(cli_report *r, const char *key, const char *text) { tmli_json_text(&r->j, key, text); }

void cli_number(cli_report *r, const char *key, double x) { tmli_json_number(&r->j, key, x); }

void cli_texts(cli_report *r, const char *key, const char *const *text, int count)
{
    tmli_json_texts(&r->j, key, text, count);
}

void cli_numbers(cli_report *r, const char *key, const double *x, int count)
{
    tmli_json_numbers(&r->j, key, x, count);
}

// ---- for texts --------------------------------------------------------------------------------------------

int cli_widest(int least, const void *array, int count, size_t size, size_t offset)
{
    int width = least;
    for (int i = 0; i < count; i++) {
        const char *text;
        memcpy(&text, (const char *)array + (size_t)i * size + offset, sizeof text);
        if ((int)strlen(text) > width) width = (int)strlen(text);
    }
    return width;
}

const char *cli_title(const tml_model *model, const char *file)
{
    const char *title = model ? tml_model_title(model) : "";
    return title[0] ? title : file;
}

tml_status cli_writer_close(tml_writer *writer, tml_status st, tml_error *err)
{
    tml_error closing = {0};
    const tml_status closed = writer ? tml_writer_close(writer, &closing) : TML_OK;
    if (st == TML_OK && closed != TML_OK) *err = closing;
    return st == TML_OK ? closed : st;
}
