// JSON in memory; see json.h.
#include "view/scene/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void tmli_json_clear(tmli_json *j)
{
    tmli_free(j->env, j->text);
    *j = (tmli_json){.env = j->env};
}

static void put(tmli_json *j, const char *text, size_t n)
{
    if (j->failed) return;
    if (j->length + n + 1 > j->room) {
        const size_t room = 2 * (j->length + n) + 256;
        char *more = tmli_regrow(j->env, j->text, j->text ? j->length + 1 : 0, room, 1);
        if (!more) {
            j->failed = true;
            return;
        }
        j->text = more;
        j->room = room;
    }
    memcpy(j->text + j->length, text, n);
    j->length += n;
    j->text[j->length] = 0;
}

void tmli_json_raw(tmli_json *j, const char *text) { put(j, text, strlen(text)); }

// The code point at *p, which is moved behind it; U+FFFD for a byte that is not UTF-8.
static unsigned decode(const unsigned char **p)
{
    const unsigned char *s = *p;
    const int more = s[0] < 0x80             ? 0
                     : (s[0] & 0xe0) == 0xc0 ? 1
                     : (s[0] & 0xf0) == 0xe0 ? 2
                     : (s[0] & 0xf8) == 0xf0 ? 3
                                             : -1;
    static const unsigned least[4] = {0, 0x80, 0x800, 0x10000};
    unsigned c = more == 0 ? s[0] : more > 0 ? s[0] & (0x3fu >> more) : 0;
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            *p = s + 1;
            return 0xfffd;
        }
        c = c << 6 | (s[i] & 0x3f);
    }
    const bool valid = more >= 0 && c >= least[more] && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
    *p = s + (valid ? more + 1 : 1);
    return valid ? c : 0xfffd;
}

static void quote(tmli_json *j, const char *text)
{
    char buf[16];
    tmli_json_raw(j, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        const unsigned c = decode(&p);
        if (c >= 0x10000)
            snprintf(buf, sizeof buf, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
        else if (c < 0x20 || c > 0x7e || c == '<' || c == '>' || c == '&' || c == '\'')
            snprintf(buf, sizeof buf, "\\u%04x", c);
        else if (c == '"' || c == '\\') snprintf(buf, sizeof buf, "\\%c", (char)c);
        else snprintf(buf, sizeof buf, "%c", (char)c);
        tmli_json_raw(j, buf);
    }
    tmli_json_raw(j, "\"");
}

static void begin(tmli_json *j, const char *key)
{
    if (j->comma) tmli_json_raw(j, ",");
    j->comma = true;
    if (!key) return;
    quote(j, key);
    tmli_json_raw(j, ":");
}

void tmli_json_open(tmli_json *j, const char *key, char bracket)
{
    begin(j, key);
    put(j, &bracket, 1);
    j->comma = false;
}

void tmli_json_close(tmli_json *j, char bracket)
{
    put(j, &bracket, 1);
    j->comma = true;
}

void tmli_json_value(tmli_json *j, const char *key, const char *json)
{
    begin(j, key);
    tmli_json_raw(j, json);
}

void tmli_json_text(tmli_json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text) quote(j, text);
    else tmli_json_raw(j, "null");
}

void tmli_json_exact(tmli_json *j, const char *key, double x)
{
    char buf[32];
    tmli_json_value(j, key, isfinite(x) ? tmli_dtoa(x, buf) : "null");
}

// As tmli_json_exact, of the number of seven digits that is nearest: independent of the locale, and short.
void tmli_json_number(tmli_json *j, const char *key, double x)
{
    if (isfinite(x) && x != 0) {
        const double unit = pow(10, floor(log10(fabs(x))) - 6), digits = round(x / unit);
        // below 1 the unit has no exact form, and a product with it would have 17 digits again
        x = unit < 1 ? digits / round(1 / unit) : digits * unit;
    }
    tmli_json_exact(j, key, x);
}

void tmli_json_integer(tmli_json *j, const char *key, long long x)
{
    char buf[32];
    snprintf(buf, sizeof buf, "%lld", x);
    tmli_json_value(j, key, buf);
}

void tmli_json_bool(tmli_json *j, const char *key, bool x) { tmli_json_value(j, key, x ? "true" : "false"); }

void tmli_json_numbers(tmli_json *j, const char *key, const double *x, int count)
{
    tmli_json_open(j, key, '[');
    for (int i = 0; i < count; i++) tmli_json_number(j, NULL, x[i]);
    tmli_json_close(j, ']');
}
