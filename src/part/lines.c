// Words of a text file, line by line, with their positions.
#include "part/lines.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

static tml_status read_all(tmli_lines *l, FILE *f)
{
    size_t room = CHUNK, length = 0;
    l->bytes = tmli_calloc(&l->env, room + 1, 1);
    while (l->bytes) {
        length += fread(l->bytes + length, 1, room - length, f);
        if (length < room) break;
        char *more = tmli_regrow(&l->env, l->bytes, room, 2 * room + 1, 1);
        if (!more) return tmli_no_memory(l->err, l->path);
        l->bytes = more;
        room *= 2;
    }
    if (!l->bytes) return tmli_no_memory(l->err, l->path);
    if (ferror(f)) return tmli_fail(l->err, TML_ERR_IO, "'%s' cannot be read: %s", l->path, strerror(errno));
    l->bytes[length] = 0;
    l->next = l->bytes;
    l->end = l->at = l->begin = l->bytes;
    return memchr(l->bytes, 0, length) ? tmli_fail_at(l->err, TML_ERR_SYNTAX, (tml_mark){l->path, 1, 1},
                                                      "a byte 0 found: this is not a text file")
                                       : TML_OK;
}

tml_status tmli_lines_open(tmli_lines *l, const char *path, const tml_env *env, tml_error *err)
{
    *l = (tmli_lines){.path = path, .err = err};
    if (env) l->env = *env;
    FILE *f = fopen(path, "rb");
    if (!f) return tmli_fail(err, TML_ERR_IO, "'%s' cannot be opened: %s", path, strerror(errno));
    const tml_status st = read_all(l, f);
    fclose(f);
    return st;
}

void tmli_lines_close(tmli_lines *l)
{
    tmli_free(&l->env, l->bytes);
    l->bytes = NULL;
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
    while (l->at < l->end && *l->at != separator && (separator || !is_blank(*l->at))) {
        if (length < TMLI_WORD - 1) word[length++] = *l->at;
        l->at++;
    }
    while (length > 0 && is_blank(word[length - 1])) length--;
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
