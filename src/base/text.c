// Endings of paths, the name nearest to a misspelt word, and numbers independent of the locale.
#include "base/base.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEAREST_MAX = 64 };  // longer words are compared by their first 64 characters

// Edit distance with insertion, deletion, substitution and transposition of adjacent characters (optimal
// string alignment).
static size_t edit_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > NEAREST_MAX) na = NEAREST_MAX;
    if (nb > NEAREST_MAX) nb = NEAREST_MAX;
    size_t row[3][NEAREST_MAX + 1];
    for (size_t j = 0; j <= nb; j++) row[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *cur = row[i % 3], *prev = row[(i + 2) % 3], *prev2 = row[(i + 1) % 3];
        cur[0] = i;
        const int ca = tolower((unsigned char)a[i - 1]);
        for (size_t j = 1; j <= nb; j++) {
            const int cb = tolower((unsigned char)b[j - 1]);
            size_t best = prev[j - 1] + (ca != cb);
            if (prev[j] + 1 < best) best = prev[j] + 1;
            if (cur[j - 1] + 1 < best) best = cur[j - 1] + 1;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2]) && prev2[j - 2] + 1 < best)
                best = prev2[j - 2] + 1;
            cur[j] = best;
        }
    }
    return row[na % 3][nb];
}

bool tmli_ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    if (n <= m) return false;
    for (size_t i = 0; i < m; i++)
        if (tolower((unsigned char)path[n - m + i]) != ending[i]) return false;
    return true;
}

const char *tmli_nearest(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        if (!names[i]) continue;
        const size_t d = edit_distance(word, names[i]);
        if (d < best_distance) {
            best_distance = d;
            best = names[i];
        }
    }
    // a third of the letters may differ, at least one and at most four, but not all letters of a short name
    size_t allowed = (strlen(word) + 2) / 3;
    if (allowed > 4) allowed = 4;
    return best && best_distance <= allowed && best_distance < strlen(best) ? best : NULL;
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
