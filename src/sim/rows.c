// Values of channels at a state: rows of results, samples of studies, what a program in a loop reads. Rows
// that a simulation keeps in memory: the outputs of all calls that advance it, as a result that can be read
// while it grows, written to a file and shown.
#include "sim/loop.h"

#include <math.h>

enum { FIRST_ROWS = 256 };  // for which a record has room at first; it is doubled when it is full

static void note(const tml_sim *sim, int channel, double t, double value)
{
    sim->not_finite[channel] = true;
    tmli_log(&sim->env, TML_LOG_WARNING, "'%s' is not a finite number (%s) at t = %.6g s",
             sim->channel[channel].name,
             isnan(value) ? "NaN"
             : value < 0  ? "-inf"
                          : "inf",
             t);
}

// Warn once of every channel that is not a finite number. Roll and yaw of a body that stands on end have no
// rates, whether or not somebody asks for them.
static void note_not_finite(const tml_sim *sim, double t, const double *value)
{
    for (const tmli_channel_group *g = sim->group; g < sim->group + sim->ngroups; g++) {
        if (tmli_sim_is_attitude(g)) continue;
        for (int i = g->first; i < g->first + g->count; i++)
            if (!isfinite(value[i]) && !sim->not_finite[i]) note(sim, i, t, value[i]);
    }
}

// ---- rows -------------------------------------------------------------------------------------

static tml_status find_values(const tml_sim *sim, const tml_state *x, double *out, tml_error *err)
{
    if (!sim->model) return tmli_fail(err, TML_ERR_ARG, "a system of callbacks has no channels");
    tmli_channel_row r = {sim, x, sim->report.kinetic, sim->report.potential};
    if (x != sim->out) {  // else sim->report has the energies of this output
        double power;
        const tml_status st =
            sim->sys->ops->energy(sim->sys->self, sim->work, x, &r.kinetic, &r.potential, &power, err);
        if (st != TML_OK) return st;
    }
    tmli_mb_set_poses(sim->model, sim->work, x->q);
    for (int i = 0; i < sim->ngroups; i++) sim->group[i].value(&r, &sim->group[i], out + sim->group[i].first);
    note_not_finite(sim, x->t, out);
    return TML_OK;
}

tml_status tml_sim_channel_values(const tml_sim *sim, const tml_state *x, double *out, tml_error *err)
{
    if (!sim || !x || !out) return tmli_null_argument(err, "tml_sim_channel_values");
    bool first;
    tml_status st = tmli_sim_enter(sim, "tml_sim_channel_values", &first, err);
    if (st == TML_OK) st = find_values(sim, x, out, err);
    tmli_sim_leave(sim, first);
    return st;
}

// ---- the present state ------------------------------------------------------------------------------------

// Energies and work up to the present state x, for channels of the whole model.
static tml_status find_energies(tml_sim *sim, const tml_state *x, tmli_channel_row *r, tml_error *err)
{
    double power;
    tmli_sim_find_work(sim, x->t);
    if (!sim->sys->ops->energy) return TML_OK;
    return sim->sys->ops->energy(sim->sys->self, sim->work, x, &r->kinetic, &r->potential, &power, err);
}

// Channels that follow one another in a group are computed together.
static tml_status read_channels(tml_sim *sim, const int *channels, int count, double *out, tml_error *err)
{
    const tml_state *x = tml_sim_state(sim);
    tmli_channel_row r = {.sim = sim, .x = x};
    double values[TMLI_CHANNEL_GROUP];
    int known = -1;
    bool energies = false, poses = false;
    for (int i = 0; i < count; i++) {
        const int c = channels ? channels[i] : i;
        if (c < 0 || c >= sim->nchannels)
            return tmli_fail(err, TML_ERR_ARG, "there is no channel %d; the simulation has %d", c,
                             sim->nchannels);
        const int group = sim->group_of[c];
        const tmli_channel_group *g = &sim->group[group];
        if (tmli_sim_is_of_model(g) && !energies) {
            const tml_status st = find_energies(sim, x, &r, err);
            if (st != TML_OK) return st;
            energies = true;
        }
        if (tmli_sim_needs_poses(g) && !poses) {
            tmli_mb_set_poses(sim->model, sim->work, x->q);
            poses = true;
        }
        if (group != known) g->value(&r, g, values);
        known = group;
        out[i] = values[c - g->first];
    }
    return TML_OK;
}

tml_status tml_sim_read(tml_sim *sim, const int *channels, int count, double *out, tml_error *err)
{
    if (!sim || (!out && count > 0)) return tmli_null_argument(err, "tml_sim_read");
    if (!channels && count != sim->nchannels)
        return tmli_fail(err, TML_ERR_ARG, "there is room for %d of the %d channels", count, sim->nchannels);
    bool first;
    tml_status st = tmli_sim_enter(sim, "tml_sim_read", &first, err);
    if (st == TML_OK) st = read_channels(sim, channels, count, out, err);
    tmli_sim_leave(sim, first);
    return st;
}

// ---- samples ----------------------------------------------------------------------------------------------

bool tmli_sim_is_motion(const tml_sim *sim, int channel)
{
    const tmli_channel_group *g = &sim->group[sim->group_of[channel]];
    return channel - g->first < g->motion;
}

bool tml_sim_channel_is_motion(const tml_sim *sim, int channel)
{
    return sim && sim->model && channel >= 0 && channel < sim->nchannels && tmli_sim_is_motion(sim, channel);
}

double tmli_sim_motion_value(const tml_sim *sim, const tml_state *x, int channel)
{
    const tmli_channel_group *g = &sim->group[sim->group_of[channel]];
    const tmli_channel_row r = {.sim = sim, .x = x};
    double values[TMLI_CHANNEL_GROUP];
    if (channel - g->first >= g->motion) return NAN;
    g->value(&r, g, values);
    return values[channel - g->first];
}

// ---- the record -------------------------------------------------------------------------------------------

static tml_status make_room(tml_sim *sim, tml_error *err)
{
    tml_result *r = sim->record;
    if (r->nrows < sim->record_room) return TML_OK;
    const size_t room = sim->record_room ? 2 * sim->record_room : FIRST_ROWS, n = (size_t)r->ncols;
    if (room > TMLI_RESULT_BYTES / sizeof *r->values / n)
        return tmli_fail(err, TML_ERR_NOMEM, "the record has %zu rows, as many as it may hold", r->nrows);
    double *values = tmli_regrow(&sim->env, r->values, r->nrows, room, n * sizeof *values);
    if (!values) return tmli_fail(err, TML_ERR_NOMEM, "no memory for %zu rows of the record", room);
    r->values = values;
    sim->record_room = room;
    return TML_OK;
}

tml_status tmli_sim_append_row(tml_sim *sim, const tml_state *x, tml_error *err)
{
    tml_result *r = sim->record;
    const size_t n = (size_t)r->ncols;
    // a run begins with the row that the last call has ended with
    if (sim->run_opens && r->nrows > 0 && r->values[(r->nrows - 1) * n] == x->t) return TML_OK;
    tml_status st = make_room(sim, err);
    if (st == TML_OK) st = tml_sim_channel_values(sim, x, r->values + r->nrows * n, err);
    if (st == TML_OK) r->nrows++;
    return st;
}

tml_status tmli_sim_record_anew(tml_sim *sim, tml_error *err)
{
    if (!sim->record) return TML_OK;
    sim->record->nrows = 0;
    sim->residual_of[0] = NAN;
    return tmli_sim_open_outputs(sim, err);
}

static tml_status create_record(tml_sim *sim, tml_error *err)
{
    static const char *const title[] = {"title"};
    tml_result *r = tmli_result_create(&sim->env);
    if (!r) return tmli_no_memory(err, "simulation");
    const size_t n = (size_t)sim->nchannels;
    if (!tmli_arena_alloc_all(&r->arena, TMLI_ARRAY(r->names, n), TMLI_ARRAY(r->units, n),
                              TMLI_ARRAY(r->note_names, 1), TMLI_ARRAY(r->note_texts, 1))) {
        tmli_result_destroy(r);
        return tmli_no_memory(err, "simulation");
    }
    r->ncols = sim->nchannels;
    r->channels = sim->channel;
    for (int i = 0; i < sim->nchannels; i++) {
        r->names[i] = sim->channel[i].name;
        r->units[i] = sim->channel[i].unit;
    }
    const char *text = tml_model_title(sim->model);
    r->nnotes = text && *text;
    r->note_names[0] = title[0];
    r->note_texts[0] = text;
    sim->record = r;
    sim->record_room = 0;
    return TML_OK;
}

static tml_status record(tml_sim *sim, tml_error *err)
{
    if (!sim->model) return tmli_fail(err, TML_ERR_ARG, "a system of callbacks has no channels to record");
    if (sim->running) return tmli_fail(err, TML_ERR_ARG, "tml_sim_record: the simulation is running");
    if (sim->record) return TML_OK;
    tml_status st = create_record(sim, err);
    if (st != TML_OK) return st;
    if (!sim->event_known && sim->event_pending < 0) tmli_sim_start_events(sim);
    st = tmli_sim_record_anew(sim, err);
    if (st == TML_OK) return TML_OK;
    tmli_result_destroy(sim->record);
    sim->record = NULL;
    return st;
}

tml_status tml_sim_record(tml_sim *sim, tml_error *err)
{
    if (!sim) return tmli_null_argument(err, "tml_sim_record");
    bool first;
    tml_status st = tmli_sim_enter(sim, "tml_sim_record", &first, err);
    if (st == TML_OK) st = record(sim, err);
    tmli_sim_leave(sim, first);
    return st;
}

const tml_result *tml_sim_recorded(const tml_sim *sim) { return sim ? sim->record : NULL; }
