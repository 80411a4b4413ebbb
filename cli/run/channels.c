// The channels of a run that are written: those that can change, those of --channels, or those of `record` in
// the model.
#include "cli/common/patterns.h"
#include "run.h"

#include "base/base.h"
#include "model/model.h"

#include <stdlib.h>

static cli_wanted wanted_channels(const run_state *r)
{
    if (r->values->again) return (cli_wanted){.patterns = r->from.channels, .origin = "the result"};
    if (r->values->channels) return (cli_wanted){.patterns = r->values->channels, .origin = "--channels"};
    const char *record = tml_model_run(r->model)->record;
    return (cli_wanted){.patterns = record ? record : "", .origin = "record", .at = r->model->record_at};
}

const char *run_channel_patterns(const run_state *r) { return wanted_channels(r).patterns; }

tml_status run_choose_channels(run_state *r, tml_error *err)
{
    const tml_channel *all = tml_sim_channels(r->sim);
    const size_t count = (size_t)tml_sim_channel_count(r->sim);
    const cli_wanted w = wanted_channels(r);
    bool *chosen = calloc(count + 1, sizeof *chosen);
    r->values_of_all = calloc(count + 1, sizeof *r->values_of_all);
    r->row = calloc(count + 1, sizeof *r->row);
    r->channel = calloc(count + 1, sizeof *r->channel);
    r->column = calloc(count + 1, sizeof *r->column);
    tml_status st = TML_OK;
    if (!chosen || !r->values_of_all || !r->row || !r->channel || !r->column)
        st = tmli_fail(err, TML_ERR_NOMEM, "No memory for %zu channels.", count);
    else st = cli_choose_channels(&w, all, (int)count, chosen, err);
    for (size_t i = 0; i < count && st == TML_OK; i++) {
        if (!chosen[i]) continue;
        r->channel[r->nchannels] = all[i];
        r->column[r->nchannels++] = (int)i;
    }
    free(chosen);
    return st;
}
