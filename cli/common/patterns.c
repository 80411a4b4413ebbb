// Patterns of names, and the channels that they mean.
#include "patterns.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_matches(const char *pattern, size_t length, const char *text)
{
    const char *end = pattern + length, *star = NULL, *retry = NULL;
    while (*text) {
        if (pattern < end && *pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (pattern < end && (*pattern == *text || *pattern == '?')) {
            pattern++;
            text++;
        } else if (star) {  // one more character for the last star
            pattern = star;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*') pattern++;
    return pattern == end;
}

// By its name, "pin.fx", or by its owner and quantity: "pin.force" is a vector.
static bool is_meant(const char *pattern, size_t length, const tml_channel *c)
{
    if (cli_matches(pattern, length, c->name)) return true;
    const char *first = strchr(c->dataset + 1, '/'), *last = strrchr(c->dataset, '/');
    if (!first || last == first) return false;
    tmli_arena scratch = {0};
    const char *quantity =
        tmli_arena_format(&scratch, "%.*s.%s", (int)(last - first - 1), first + 1, last + 1);
    const bool meant = quantity && cli_matches(pattern, length, quantity);
    tmli_arena_clear(&scratch);
    return meant;
}

static tml_status fail_pattern(const cli_wanted *w, const char *pattern, size_t length, const tml_channel *c,
                               int count, tml_error *err)
{
    char word[80];
    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, pattern);
    const char **names = calloc((size_t)count + 1, sizeof *names);
    for (int i = 0; i < count && names; i++) names[i] = c[i].name;
    const tml_status st = tmli_fail_at(err, TML_ERR_NAME, w->at, "%s: no channel is like '%s'%s.", w->origin,
                                       word, tmli_hint_of(word, names, (size_t)count).text);
    free((void *)names);
    return st;
}

tml_status cli_choose_channels(const cli_wanted *w, const tml_channel *c, int count, bool *chosen,
                               tml_error *err)
{
    for (int i = 0; i < count; i++) chosen[i] = !*w->patterns && !c[i].fixed && !c[i].detail;
    chosen[0] = true;
    for (const char *p = w->patterns; *p;) {
        while (*p == ' ' || *p == ',') p++;
        size_t length = strcspn(p, ",");
        const char *next = p + length;
        while (length > 0 && p[length - 1] == ' ') length--;
        bool found = length == 0;
        for (int i = 0; i < count && length > 0; i++)
            if (is_meant(p, length, &c[i])) found = chosen[i] = true;
        if (!found) return fail_pattern(w, p, length, c, count, err);
        p = next;
    }
    return TML_OK;
}
