// The channels of a run that are written: all, or those of --channels.
#include "run.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

// `*` stands for any characters, `?` for one.
static bool matches(const char *pattern, size_t length, const char *text)
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
    if (matches(pattern, length, c->name)) return true;
    const char *first = strchr(c->dataset + 1, '/'), *last = strrchr(c->dataset, '/');
    char quantity[256];
    if (!first || last == first || strlen(first) > sizeof quantity) return false;
    strcpy(quantity, first + 1);
    quantity[last - first - 1] = '.';
    return matches(pattern, length, quantity);
}

static tml_status fail_pattern(const char *pattern, size_t length, const tml_channel *c, int count,
                               tml_error *err)
{
    char word[80];
    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, pattern);
    const char **names = calloc((size_t)count + 1, sizeof *names);
    for (int i = 0; i < count && names; i++) names[i] = c[i].name;
    const char *near = names ? tmli_nearest(word, names, (size_t)count) : NULL;
    const tml_status st =
        near ? tmli_fail(err, TML_ERR_NAME, "--channels: no channel is like '%s' (is it '%s'?).", word, near)
             : tmli_fail(err, TML_ERR_NAME, "--channels: no channel is like '%s'.", word);
    free((void *)names);
    return st;
}

// Mark what the patterns mean; the time is always written.
static tml_status choose(const char *patterns, const tml_channel *c, int count, bool *chosen, tml_error *err)
{
    chosen[0] = true;
    for (const char *p = patterns; *p;) {
        while (*p == ' ' || *p == ',') p++;
        size_t length = strcspn(p, ",");
        const char *next = p + length;
        while (length > 0 && p[length - 1] == ' ') length--;
        bool found = length == 0;
        for (int i = 0; i < count && length > 0; i++)
            if (is_meant(p, length, &c[i])) found = chosen[i] = true;
        if (!found) return fail_pattern(p, length, c, count, err);
        p = next;
    }
    return TML_OK;
}

tml_status run_choose_channels(run_state *r, tml_error *err)
{
    const tml_channel *all = tml_sim_channels(r->sim);
    const size_t count = (size_t)tml_sim_channel_count(r->sim);
    const char *patterns = r->values->again ? r->from.channels : r->values->channels;
    bool *chosen = calloc(count + 1, sizeof *chosen);
    r->values_of_all = calloc(count + 1, sizeof *r->values_of_all);
    r->row = calloc(count + 1, sizeof *r->row);
    r->channel = calloc(count + 1, sizeof *r->channel);
    r->column = calloc(count + 1, sizeof *r->column);
    tml_status st = TML_OK;
    if (!chosen || !r->values_of_all || !r->row || !r->channel || !r->column)
        st = tmli_fail(err, TML_ERR_NOMEM, "No memory for %zu channels.", count);
    else if (patterns && *patterns) st = choose(patterns, all, (int)count, chosen, err);
    else memset(chosen, true, count);
    for (size_t i = 0; i < count && st == TML_OK; i++) {
        if (!chosen[i]) continue;
        r->channel[r->nchannels] = all[i];
        r->column[r->nchannels++] = (int)i;
    }
    free(chosen);
    return st;
}
