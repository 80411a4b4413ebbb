// Lines and fields of a file of columns; see csv.h.
#include "io/csv.h"

#include "base/csv.h"

#include <string.h>

static size_t line_length(const tmli_csv *c)
{
    const char *stop = memchr(c->line, '\n', (size_t)(c->end - c->line));
    size_t length = (size_t)((stop ? stop : c->end) - c->line);
    if (length > 0 && c->line[length - 1] == '\r') length--;
    return length;
}

static bool is_blank(char x) { return x == ' ' || x == '\t'; }

bool tmli_csv_next(tmli_csv *c)
{
    for (;;) {
        if (c->number > 0) {
            const char *stop = memchr(c->line, '\n', (size_t)(c->end - c->line));
            if (!stop) return false;
            c->line = stop + 1;
        }
        c->number++;
        if (c->line >= c->end) return false;
        const size_t length = c->length = line_length(c);
        size_t i = 0;
        while (i < length && is_blank(c->line[i])) i++;
        if (i < length && c->line[i] != '#' && c->line[i] != '%') return true;
    }
}

static char find_separator(const tmli_csv *c)
{
    const size_t length = c->length;
    static const char separators[] = {';', ',', '\t'};
    for (size_t i = 0; i < sizeof separators; i++)
        if (memchr(c->line, separators[i], length)) return separators[i];
    return ' ';
}

bool tmli_csv_walk(const tmli_csv *c, size_t *position, tmli_csv_field *out)
{
    const size_t length = c->length;
    size_t at = *position;
    while (at < length && is_blank(c->line[at]) && c->line[at] != c->separator) at++;
    while (c->separator == ' ' && at < length && is_blank(c->line[at])) at++;
    if (at >= length && (*position > 0 || length == 0)) return false;
    const bool quoted = at < length && c->line[at] == '"';
    const size_t first = at + quoted;
    at = first;
    while (at < length && (quoted                ? c->line[at] != '"'
                           : c->separator == ' ' ? !is_blank(c->line[at])
                                                 : c->line[at] != c->separator))
        at++;
    size_t last = at;
    while (!quoted && last > first && is_blank(c->line[last - 1])) last--;
    *out = (tmli_csv_field){c->line + first, last - first, (int)first + 1};
    while (at < length && c->separator != ' ' && c->line[at] != c->separator) at++;
    if (at < length) at += quoted || c->separator != ' ';
    *position = at;
    return true;
}

bool tmli_csv_find(const tmli_csv *c, int index, tmli_csv_field *out)
{
    size_t at = 0;
    for (int k = 0; tmli_csv_walk(c, &at, out); k++)
        if (k == index) return true;
    return false;
}

tml_mark tmli_csv_mark(const tmli_csv *c, int column) { return (tml_mark){c->path, c->number, column}; }

bool tmli_csv_number(const tmli_csv_field *f, double *out)
{
    char text[64];
    const char *end = NULL;
    if (f->length == 0 || f->length >= sizeof text) return false;
    memcpy(text, f->text, f->length);
    text[f->length] = 0;
    *out = tmli_strtod(text, &end);
    return end == text + f->length;
}

bool tmli_csv_has_names(const tmli_csv *c)
{
    tmli_csv_field f;
    size_t at = 0;
    double value;
    while (tmli_csv_walk(c, &at, &f))
        if (tmli_csv_number(&f, &value)) return false;
    return true;
}

tml_status tmli_csv_open(tmli_reader *r, const tmli_entry *at, const char *file, tmli_csv *c)
{
    const tml_mark where = tmli_entry_mark(at, "file");
    tmli_model_text text;
    const tml_status st =
        tmli_read_file(r, where, at->at.file ? at->at.file : "", file, TMLI_FILE_BYTES, &text);
    if (st != TML_OK) return st;
    *c = (tmli_csv){.path = text.path, .line = text.bytes, .end = text.bytes + text.length};
    c->line += tmli_csv_mark_length(c->line, text.length);
    if (!tmli_csv_next(c))
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, tmli_csv_mark(c, 1),
                            "The file has no lines with numbers.");
    c->separator = find_separator(c);
    return TML_OK;
}
