// Words of a text file, line by line, with their positions.
#include "part/lines.h"

#include "base/csv.h"
#include "base/file.h"

#include <math.h>
#include <string.h>

enum { FILE_BYTES = 1 << 30 };  // a million nonzero entries of a matrix take some 30 MB

static tml_status begin(tmli_lines *l, const char *bytes, size_t length)
{
    l->next = l->end = l->at = l->begin = bytes + tmli_csv_mark_length(bytes, length);
    if (!memchr(bytes, 0, length)) return TML_OK;
    return tmli_fail_at(l->err, TML_ERR_SYNTAX, (tml_mark){l->path, 1, 1},
                        "a byte 0 found: this is not a text file");
}

tml_status tmli_lines_open(tmli_lines *l, const tmli_text *text, const tml_env *env, tml_error *err)
{
    *l = (tmli_lines){.path = text->path, .err = err};
    if (env) l->env = *env;
    if (text->bytes) return begin(l, text->bytes, text->length);
    tmli_bytes file;
    char reason[TMLI_FILE_REASON];
    const tml_status st =
        tmli_file_load(l->path, NULL, FILE_BYTES, TMLI_FILE_REGULAR, &l->env, &file, reason);
    if (st == TML_ERR_NOMEM) return tmli_no_memory(err, l->path);
    if (st != TML_OK) return tmli_fail(err, st, "'%s' cannot be opened: %s", l->path, reason);
    l->own = file.data;
    return begin(l, file.data, file.length);
}

void tmli_lines_close(tmli_lines *l)
{
    tmli_free(&l->env, l->own);
    l->own = NULL;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool tmli_lines_next(tmli_lines *l, char comment)
{
    while (*l->next) {
        l->begin = l->at = l->next;
        const char *stop = strchr(l->next, '\n');
        l->end = stop ? stop : l->next + strlen(l->next);
        l->next = stop ? stop + 1 : l->end;
        l->line++;
        while (l->at < l->end && is_blank(*l->at)) l->at++;
        if (l->at < l->end && !(comment && *l->at == comment)) return true;
    }
    l->begin = l->at = l->end = l->next;
    l->line++;
    return false;
}

tml_mark tmli_lines_mark(const tmli_lines *l)
{
    return (tml_mark){l->path, l->line > 0 ? l->line : 1, (int)(l->at - l->begin) + 1};
}

bool tmli_lines_word(tmli_lines *l, char separator, char word[TMLI_WORD], tml_mark *at)
{
    while (l->at < l->end && is_blank(*l->at)) l->at++;
    if (at) *at = tmli_lines_mark(l);
    if (l->at >= l->end) return false;
    size_t length = 0;
    const bool quoted = separator && tmli_csv_read_quoted(&l->at, word, TMLI_WORD - 1, &length);
    while (l->at < l->end && *l->at != separator && (separator || !is_blank(*l->at))) {
        if (!quoted && length < TMLI_WORD - 1) word[length++] = *l->at;
        l->at++;
    }
    while (!quoted && length > 0 && is_blank(word[length - 1])) length--;
    word[length] = 0;
    if (separator && l->at < l->end) l->at++;
    return true;
}

tml_status tmli_lines_number(tmli_lines *l, const char *what, double *x)
{
    char word[TMLI_WORD];
    tml_mark at;
    const char *end = word;
    if (!tmli_lines_word(l, 0, word, &at))
        return tmli_fail_at(l->err, TML_ERR_SYNTAX, at, "%s is missing", what);
    *x = tmli_strtod(word, &end);
    if (end == word || *end)
        return tmli_fail_at(l->err, TML_ERR_SYNTAX, at, "%s is '%.40s', expected a number", what, word);
    if (!isfinite(*x))
        return tmli_fail_at(l->err, TML_ERR_SYNTAX, at, "%s is '%.40s', expected a finite number", what,
                            word);
    return TML_OK;
}

tml_status tmli_lines_integer(tmli_lines *l, const char *what, long low, long high, long *x)
{
    while (l->at < l->end && is_blank(*l->at)) l->at++;
    const tml_mark at = tmli_lines_mark(l);
    double value;
    const tml_status st = tmli_lines_number(l, what, &value);
    if (st != TML_OK) return st;
    if (value != floor(value) || value < (double)low || value > (double)high)
        return tmli_fail_at(l->err, TML_ERR_SYNTAX, at, "%s is %g, expected an integer from %ld to %ld", what,
                            value, low, high);
    *x = (long)value;
    return TML_OK;
}
