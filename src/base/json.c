// JSON that is written; see json.h.
#include "base/json.h"

#include <math.h>
#include <string.h>

void tmli_json_clear(tmli_json *j)
{
    tmli_free(j->env, j->text);
    *j = (tmli_json){.env = j->env};
}

char *tmli_json_take(tmli_json *j)
{
    char *const text = j->failed ? NULL : j->text;
    if (text) j->text = NULL;
    tmli_json_clear(j);
    return text;
}

static void put_bytes(tmli_json *j, const char *text, size_t n)
{
    if (j->out) fwrite(text, 1, n, j->out);
    if (j->out || j->failed) return;
    if (j->length + n + 1 > j->room) {
        const size_t room = 2 * (j->length + n) + 256;
        char *more = tmli_regrow(j->env, j->text, j->text ? j->length + 1 : 0, room, 1);
        j->failed = !more;
        if (!more) return;
        j->text = more;
        j->room = room;
    }
    memcpy(j->text + j->length, text, n);
    j->length += n;
    j->text[j->length] = 0;
}

static void put(tmli_json *j, const char *text) { put_bytes(j, text, strlen(text)); }

// One character as it stands in a string of UTF-8; "": as it is.
static void escape(uint32_t c, char buf[16])
{
    const char *const name = c == '\n' ? "\\n" : c == '\t' ? "\\t" : NULL;
    if (name) snprintf(buf, 16, "%s", name);
    else if (c == '"' || c == '\\') snprintf(buf, 16, "\\%c", (char)c);
    else if (c == TMLI_NOT_UTF8) snprintf(buf, 16, "\\ufffd");
    else if (c < 0x20 || c == 0x7F) snprintf(buf, 16, "\\u%04x", c);
    else buf[0] = 0;
}

// The same in plain ASCII without markup.
static void escape_all(uint32_t c, char buf[16])
{
    if (c == TMLI_NOT_UTF8) c = 0xfffd;
    if (c >= 0x10000)
        snprintf(buf, 16, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
    else if (c < 0x20 || c > 0x7e || strchr("<>&'", (int)c)) snprintf(buf, 16, "\\u%04x", c);
    else escape(c, buf);
}

static void put_string(tmli_json *j, const char *text)
{
    put(j, "\"");
    while (*text) {
        char buf[16];
        uint32_t code;
        const size_t n = tmli_utf8(text, &code);
        if (j->style == TMLI_JSON_TIGHT) escape_all(code, buf);
        else escape(code, buf);
        if (buf[0]) put(j, buf);
        else put_bytes(j, text, n);
        text += n;
    }
    put(j, "\"");
}

static void break_line(tmli_json *j)
{
    if (j->style != TMLI_JSON_LINES) return;
    put(j, "\n");
    for (int i = 0; i < j->depth; i++) put(j, "  ");
}

static void begin(tmli_json *j, const char *key)
{
    if (j->filled[j->depth]) put(j, j->style == TMLI_JSON_LINE ? ", " : ",");
    j->filled[j->depth] = true;
    if (j->depth > 0) break_line(j);
    if (!key) return;
    put_string(j, key);
    put(j, j->style == TMLI_JSON_TIGHT ? ":" : ": ");
}

void tmli_json_open(tmli_json *j, const char *key, char bracket)
{
    begin(j, key);
    put_bytes(j, &bracket, 1);
    if (j->depth + 1 < TMLI_JSON_DEPTH) j->filled[++j->depth] = false;
}

void tmli_json_close(tmli_json *j, char bracket)
{
    const bool filled = j->filled[j->depth];
    j->depth--;
    if (filled) break_line(j);
    put_bytes(j, &bracket, 1);
    if (j->depth == 0 && j->style == TMLI_JSON_LINES) put(j, "\n");
}

void tmli_json_value(tmli_json *j, const char *key, const char *json)
{
    if (json && !json[0]) return;
    begin(j, key);
    put(j, json ? json : "null");
}

void tmli_json_text(tmli_json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text) put_string(j, text);
    else put(j, "null");
}

void tmli_json_number(tmli_json *j, const char *key, double x)
{
    char buf[32];
    tmli_json_value(j, key, isfinite(x) ? tmli_dtoa(x, buf) : NULL);
}

void tmli_json_integer(tmli_json *j, const char *key, long long x)
{
    char buf[32];
    snprintf(buf, sizeof buf, "%lld", x);
    tmli_json_value(j, key, buf);
}

void tmli_json_bool(tmli_json *j, const char *key, bool x) { tmli_json_value(j, key, x ? "true" : "false"); }

// The number of so many digits that is nearest: independent of the locale, and short.
void tmli_json_rounded(tmli_json *j, const char *key, double x, int digits)
{
    if (isfinite(x) && x != 0) {
        const double unit = pow(10, floor(log10(fabs(x))) - (digits - 1)), units = round(x / unit);
        // below 1 the unit has no exact form, and a product with it would have 17 digits again
        x = unit < 1 ? units / round(1 / unit) : units * unit;
    }
    tmli_json_number(j, key, x);
}

void tmli_json_numbers(tmli_json *j, const char *key, const double *x, int count)
{
    tmli_json_open(j, key, '[');
    for (int i = 0; i < count; i++) tmli_json_number(j, NULL, x[i]);
    tmli_json_close(j, ']');
}

void tmli_json_place(tmli_json *j, const char *key, const double *x, int count)
{
    tmli_json_open(j, key, '[');
    for (int i = 0; i < count; i++) tmli_json_rounded(j, NULL, x[i], 7);
    tmli_json_close(j, ']');
}

void tmli_json_texts(tmli_json *j, const char *key, const char *const *text, int count)
{
    tmli_json_open(j, key, '[');
    for (int i = 0; i < count; i++) tmli_json_text(j, NULL, text[i]);
    tmli_json_close(j, ']');
}

const char *tmli_value_take(const char *format, va_list *values, tmli_value *v)
{
    *v = (tmli_value){0};
    size_t n = 0;
    int longs = 0;
    for (; !strchr("sdiugef", *format); format++) {
        if (*format == 'l') longs++;
        else if (*format == 'z') longs = 3;
        else if (n + 16 > sizeof v->format) continue;  // no format of ours
        else if (*format == '*') n += (size_t)snprintf(v->format + n, 12, "%d", va_arg(*values, int));
        else v->format[n++] = *format;
    }
    v->kind = longs == 3 ? 'd' : *format;
    if (*format == 's') v->text = va_arg(*values, const char *);
    else if (strchr("gef", *format)) v->number = va_arg(*values, double);
    else if (longs == 3) v->integer = (long long)va_arg(*values, size_t);
    else if (longs == 2) v->integer = va_arg(*values, long long);
    else v->integer = longs ? va_arg(*values, long) : va_arg(*values, int);
    if (strchr("diu", *format)) memcpy(v->format + n, "lld", 4);
    else v->format[n] = *format;
    return format + 1;
}

void tmli_json_put(tmli_json *j, const char *key, const tmli_value *v)
{
    if (v->kind == 's') tmli_json_text(j, key, v->text);
    else if (v->kind == 'u') tmli_json_bool(j, key, v->integer != 0);
    else if (v->kind == 'i' && v->integer < 0) tmli_json_value(j, key, NULL);
    else if (strchr("di", v->kind)) tmli_json_integer(j, key, v->integer);
    else tmli_json_number(j, key, v->number);
}

static void put_members(tmli_json *j, const char *format, va_list *values)
{
    while (*format) {
        tmli_value v;
        char key[64];
        const size_t length = strcspn(format, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, format);
        format = tmli_value_take(format + length + 1, values, &v);
        const char *const digits = strchr(v.format, '.');
        if (digits) tmli_json_rounded(j, key, v.number, digits[1] - '0');
        else tmli_json_put(j, key, &v);
        format += strspn(format, " ");
    }
}

void tmli_json_members(tmli_json *j, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_members(j, format, &values);
    va_end(values);
}

void tmli_json_object(tmli_json *j, const char *key, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    tmli_json_open(j, key, '{');
    put_members(j, format, &values);
    tmli_json_close(j, '}');
    va_end(values);
}
