// Endings of paths, and numbers independent of the locale.
#include "base/base.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool tmli_ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    if (n <= m) return false;
    for (size_t i = 0; i < m; i++)
        if (tolower((unsigned char)path[n - m + i]) != ending[i]) return false;
    return true;
}

// The C library reads and writes the decimal point of the locale; it is replaced if it is not '.'.
static char locale_point(void)
{
    const struct lconv *lc = localeconv();
    return lc && lc->decimal_point && lc->decimal_point[0] ? lc->decimal_point[0] : '.';
}

double tmli_strtod(const char *text, const char **end)
{
    const char *p = text;
    if (*p == '+' || *p == '-') p++;
    size_t digits = 0;
    while (isdigit((unsigned char)*p)) p++, digits++;
    if (*p == '.') {
        p++;
        while (isdigit((unsigned char)*p)) p++, digits++;
    }
    if (digits == 0) {
        *end = text;
        return 0;
    }
    if (*p == 'e' || *p == 'E') {
        const char *e = p + 1;
        if (*e == '+' || *e == '-') e++;
        if (isdigit((unsigned char)*e)) {
            while (isdigit((unsigned char)*e)) e++;
            p = e;
        }
    }
    *end = p;
    const size_t n = (size_t)(p - text);
    char small[128], *copy = n < sizeof small ? small : malloc(n + 1);
    if (!copy) return NAN;
    memcpy(copy, text, n);
    copy[n] = 0;
    char *dot = strchr(copy, '.');
    if (dot) *dot = locale_point();
    const double x = strtod(copy, NULL);
    if (copy != small) free(copy);
    return x;
}

size_t tmli_utf8(const char *text, uint32_t *code)
{
    static const struct {
        unsigned mask, lead;
        uint32_t least;
    } form[] = {{0x80, 0, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    const unsigned char *p = (const unsigned char *)text;
    *code = TMLI_NOT_UTF8;
    for (size_t n = 0; n < 4; n++) {
        if ((p[0] & form[n].mask) != form[n].lead) continue;
        uint32_t x = p[0] & ~form[n].mask & 0xFF;
        for (size_t i = 1; i <= n; i++) {
            if ((p[i] & 0xC0) != 0x80) return 1;  // also at the end of the text
            x = x << 6 | (p[i] & 0x3F);
        }
        if (x < form[n].least || x > 0x10FFFF || (x >= 0xD800 && x < 0xE000)) return 1;
        *code = x;
        return n + 1;
    }
    return 1;
}

bool tmli_is_hidden(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF || c > 0x10FFFF;
}

void tmli_clean(char *text)
{
    char *to = text;
    uint32_t code;
    for (size_t n; *text; text += n) {
        n = tmli_utf8(text, &code);
        if (tmli_is_hidden(code)) *to++ = ' ';
        else {
            memmove(to, text, n);
            to += n;
        }
    }
    *to = 0;
}

size_t tmli_markup(const char *text, char out[TMLI_MARKUP])
{
    uint32_t code;
    const size_t n = tmli_utf8(text, &code);
    const char *escape = code == '<'                            ? "&lt;"
                         : code == '>'                          ? "&gt;"
                         : code == '&'                          ? "&amp;"
                         : code == '"'                          ? "&quot;"
                         : code == '\''                         ? "&#39;"
                         : tmli_is_hidden(code) && code != '\n' ? " "
                                                                : NULL;
    memset(out, 0, TMLI_MARKUP);
    if (escape) memcpy(out, escape, strlen(escape));
    else memcpy(out, text, n);
    return n;
}

const char *tmli_dtoa(double x, char buf[32])
{
    tmli_print_double(x, buf);
    return buf;
}
