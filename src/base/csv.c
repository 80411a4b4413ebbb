// CSV: fields as they are written and read back; see the header.
#include "base/csv.h"

#include <math.h>
#include <string.h>

/** A file, or memory. */
typedef struct sink {
    FILE *file;
    char *at;
    const char *end;
} sink;

static void put(sink *s, char c)
{
    if (s->file) fputc(c, s->file);
    else *s->at++ = c;
}

static void put_text(sink *s, const char *before, const char *text, tmli_csv_quotes quotes)
{
    const bool quoted = quotes == TMLI_CSV_ALWAYS || strpbrk(text, ",\"\r\n") != NULL;
    if (quoted) put(s, '"');
    for (; *before; before++) put(s, *before);
    // room for a character, its double and the last quote
    for (; *text && (s->file || s->end - s->at >= 3); text++) {
        if (*text == '"') put(s, '"');
        put(s, *text == '\n' || *text == '\r' ? ' ' : *text);
    }
    if (quoted) put(s, '"');
}

void tmli_csv_put_text(FILE *f, const char *text, tmli_csv_quotes quotes, char after)
{
    sink s = {.file = f};
    put_text(&s, *text && strchr("=+-@\t", *text) ? "'" : "", text, quotes);
    fputc(after, f);
}

size_t tmli_csv_print(const char *text, tmli_csv_quotes quotes, char *out, size_t room)
{
    sink s = {.at = out, .end = out + room};
    put_text(&s, "", text, quotes);
    return (size_t)(s.at - out);
}

void tmli_csv_put_number(FILE *f, double x, char after)
{
    char text[32];
    fputs(tmli_dtoa(x, text), f);
    fputc(after, f);
}

void tmli_csv_put_known(FILE *f, double x, char after)
{
    if (isnan(x)) fputc(after, f);
    else tmli_csv_put_number(f, x, after);
}

size_t tmli_csv_mark_length(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

double tmli_csv_read_number(const char *p, const char **end)
{
    static const struct {
        const char *word;
        double value;
    } special[] = {{"nan", NAN}, {"-nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        const size_t n = strlen(special[i].word);
        if (strncmp(p, special[i].word, n) == 0) {
            *end = p + n;
            return special[i].value;
        }
    }
    return tmli_strtod(p, end);
}

bool tmli_csv_read_quoted(const char **p, char *out, size_t room, size_t *length)
{
    if (**p != '"') return false;
    *length = 0;
    for (const char *at = *p + 1; *at && *at != '\n' && *length < room; at++) {
        if (*at == '"' && *++at != '"') {
            *p = at;
            return true;
        }
        out[(*length)++] = *at;
    }
    return false;
}
