// Writing JSON (RFC 8259).
#include "json.h"

#include "base/base.h"

#include <math.h>

static void line_break(const cli_json *j)
{
    if (j->compact) return;
    fputc('\n', j->out);
    for (int i = 0; i < j->depth; i++) fputs("  ", j->out);
}

// Length of the well-formed UTF-8 sequence at s (RFC 3629), 0 if there is none.
static int sequence(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    const int n = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;    // also stops at the end of the text
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0;  // overlong
    if (s[0] == 0xED && s[1] > 0x9F) return 0;  // surrogates
    if (s[0] == 0xF0 && s[1] < 0x90) return 0;
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0;  // beyond U+10FFFF
    return n;
}

static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int n = sequence(s);
        if (n == 0) fputs("\\ufffd", out);
        else if (*s == '"' || *s == '\\') fprintf(out, "\\%c", *s);
        else if (*s == '\n') fputs("\\n", out);
        else if (*s == '\t') fputs("\\t", out);
        else if (*s < 0x20 || *s == 0x7F) fprintf(out, "\\u%04x", *s);
        else fwrite(s, 1, (size_t)n, out);
        s += n ? n : 1;
    }
    fputc('"', out);
}

static void begin(cli_json *j, const char *key)
{
    if (j->depth > 0) {
        if (j->filled[j->depth]) fputs(j->compact ? ", " : ",", j->out);
        j->filled[j->depth] = true;
        line_break(j);
    }
    if (!key) return;
    put_string(j->out, key);
    fputs(": ", j->out);
}

void cli_json_open(cli_json *j, const char *key, char bracket)
{
    begin(j, key);
    fputc(bracket, j->out);
    if (j->depth + 1 < CLI_JSON_DEPTH) j->filled[++j->depth] = false;
}

void cli_json_close(cli_json *j, char bracket)
{
    const bool filled = j->filled[j->depth];
    j->depth--;
    if (filled) line_break(j);
    fputc(bracket, j->out);
    if (j->depth == 0 && !j->compact) fputc('\n', j->out);
}

void cli_json_text(cli_json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text) put_string(j->out, text);
    else fputs("null", j->out);
}

void cli_json_number(cli_json *j, const char *key, double x)
{
    char buf[32];
    begin(j, key);
    fputs(isfinite(x) ? tmli_dtoa(x, buf) : "null", j->out);
}

void cli_json_integer(cli_json *j, const char *key, long long x)
{
    begin(j, key);
    fprintf(j->out, "%lld", x);
}

void cli_json_bool(cli_json *j, const char *key, bool x)
{
    begin(j, key);
    fputs(x ? "true" : "false", j->out);
}

void cli_json_null(cli_json *j, const char *key)
{
    begin(j, key);
    fputs("null", j->out);
}

static void count_or_null(cli_json *j, const char *key, int count)
{
    if (count > 0) cli_json_integer(j, key, count);
    else cli_json_null(j, key);
}

void cli_json_error(cli_json *j, const tml_error *err)
{
    if (err->status == TML_OK) {
        cli_json_null(j, "error");
        return;
    }
    cli_json_open(j, "error", '{');
    cli_json_text(j, "status", tml_status_name(err->status));
    cli_json_text(j, "message", err->msg);
    cli_json_text(j, "file", err->file[0] ? err->file : NULL);
    count_or_null(j, "line", err->line);
    count_or_null(j, "column", err->line > 0 ? err->col : 0);
    cli_json_number(j, "t", err->t);
    cli_json_close(j, '}');
}
