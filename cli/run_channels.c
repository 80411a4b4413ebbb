// The channels of a run that are written: those that can change, those of --channels, or those of `record` in
// the model.
#include "patterns.h"
#include "run.h"

#include "base/base.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

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

// Patterns and where they come from.
typedef struct wanted {
    const char *patterns;  // separated by commas; empty: all channels that can change
    const char *origin;    // option or key
    tml_mark at;           // position in the model file; empty: not from there
} wanted;

static tml_status fail_pattern(const wanted *w, const char *pattern, size_t length, const tml_channel *c,
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

// Mark what the patterns mean; the time is always written.
static tml_status choose(const wanted *w, const tml_channel *c, int count, bool *chosen, tml_error *err)
{
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

static wanted wanted_channels(const run_state *r)
{
    if (r->values->again) return (wanted){.patterns = r->from.channels, .origin = "the result"};
    if (r->values->channels) return (wanted){.patterns = r->values->channels, .origin = "--channels"};
    const char *record = tml_model_run(r->model)->record;
    return (wanted){.patterns = record ? record : "", .origin = "record", .at = r->model->record_at};
}

const char *run_channel_patterns(const run_state *r) { return wanted_channels(r).patterns; }

tml_status run_choose_channels(run_state *r, tml_error *err)
{
    const tml_channel *all = tml_sim_channels(r->sim);
    const size_t count = (size_t)tml_sim_channel_count(r->sim);
    const wanted w = wanted_channels(r);
    bool *chosen = calloc(count + 1, sizeof *chosen);
    r->values_of_all = calloc(count + 1, sizeof *r->values_of_all);
    r->row = calloc(count + 1, sizeof *r->row);
    r->channel = calloc(count + 1, sizeof *r->channel);
    r->column = calloc(count + 1, sizeof *r->column);
    tml_status st = TML_OK;
    if (!chosen || !r->values_of_all || !r->row || !r->channel || !r->column)
        st = tmli_fail(err, TML_ERR_NOMEM, "No memory for %zu channels.", count);
    else if (*w.patterns) st = choose(&w, all, (int)count, chosen, err);
    for (size_t i = 0; i < count && st == TML_OK && !*w.patterns; i++)
        chosen[i] = !all[i].fixed && !all[i].detail;
    for (size_t i = 0; i < count && st == TML_OK; i++) {
        if (!chosen[i]) continue;
        r->channel[r->nchannels] = all[i];
        r->column[r->nchannels++] = (int)i;
    }
    free(chosen);
    return st;
}
