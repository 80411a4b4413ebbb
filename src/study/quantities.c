// The quantities of a run: values of expressions at its rows, then numbers of these curves, and of modes.
#include "math/extremes.h"
#include "study/study.h"

#include <math.h>
#include <string.h>
#include <trammel/modes.h>

static bool is_curve(const tmli_study_quantity *q) { return TMLI_TAKES_CURVE >> q->take & 1; }

tml_status tmli_curves_init(tmli_curves *c, const tml_study *s, tml_error *err)
{
    int nvars = 0;
    for (int i = 0; i < s->nquantities; i++)
        if (s->quantity[i].expr && tmli_expr_nvars(s->quantity[i].expr) > nvars)
            nvars = tmli_expr_nvars(s->quantity[i].expr);
    *c = (tmli_curves){.study = s};
    c->x = tmli_calloc(&s->env, (size_t)nvars + 1, sizeof *c->x);
    c->index = tmli_calloc(&s->env, (size_t)s->nused + 1, sizeof *c->index);
    if (!c->x || !c->index) return tmli_no_memory(err, "study");
    memcpy(c->index, s->used_index, (size_t)s->nused * sizeof *c->index);
    return TML_OK;
}

static void drop_states(tmli_curves *c)
{
    if (c->first) tml_state_destroy(c->first, c->sys);
    if (c->last) tml_state_destroy(c->last, c->sys);
    c->first = c->last = NULL;
}

void tmli_curves_release(tmli_curves *c) { drop_states(c); }

void tmli_curves_clear(tmli_curves *c)
{
    if (!c->study) return;
    const tml_env *env = &c->study->env;
    drop_states(c);
    tmli_free(env, c->t);
    tmli_free(env, c->value);
    tmli_free(env, c->channel);
    tmli_free(env, c->x);
    tmli_free(env, c->index);
}

// ---- rows -------------------------------------------------------------------------------------------------

// Channels stand where they stood in the last simulation, unless a parameter has changed how many bodies
// there are.
static tml_status find_channels(tmli_curves *c, const tml_sim *sim, tml_error *err)
{
    const tml_study *s = c->study;
    const int count = tml_sim_channel_count(sim);
    for (int i = 0; i < s->nused; i++) {
        const int k = c->index[i];
        if (k < count && strcmp(tml_sim_channels(sim)[k].name, s->used[i]) == 0) continue;
        c->index[i] = tml_sim_channel_index(sim, s->used[i], err);
        if (c->index[i] < 0) {
            c->index[i] = 0;
            return TML_ERR_NAME;
        }
    }
    if (count <= c->nchannels) return TML_OK;
    tmli_free(&s->env, c->channel);
    c->channel = tmli_calloc(&s->env, (size_t)count, sizeof *c->channel);
    c->nchannels = c->channel ? count : 0;
    return c->channel ? TML_OK : tmli_no_memory(err, "study");
}

tml_status tmli_curves_begin(tmli_curves *c, const tml_sim *sim, const double *parameters, tml_error *err)
{
    c->rows = 0;
    c->parameters = parameters;
    tml_status st = find_channels(c, sim, err);
    if (st != TML_OK || !c->study->needs_modes || c->first) return st;
    c->sys = tml_sim_system(sim);
    st = tml_state_create(c->sys, &c->first, err);
    return st == TML_OK ? tml_state_create(c->sys, &c->last, err) : st;
}

static tml_status make_room(tmli_curves *c, tml_error *err)
{
    const tml_study *s = c->study;
    if (c->rows < c->room) return TML_OK;
    const int room = c->room ? 2 * c->room : 512;
    const size_t n = (size_t)s->nquantities, old = (size_t)c->room;
    double *t = tmli_regrow(&s->env, c->t, old, (size_t)room, sizeof *t);
    if (t) c->t = t;
    double *value = t ? tmli_calloc(&s->env, n * (size_t)room + 1, sizeof *value) : NULL;
    if (!value) return tmli_no_memory(err, "study");
    for (size_t i = 0; i < n && old; i++)
        memcpy(value + i * (size_t)room, c->value + i * old, old * sizeof *value);
    tmli_free(&s->env, c->value);
    c->value = value;
    c->room = room;
    return TML_OK;
}

static double evaluate(const tmli_curves *c, const tmli_expr *e, const double *quantities)
{
    for (int k = 0; k < tmli_expr_nvars(e); k++) {
        const int slot = tmli_expr_slot(e, k);
        c->x[k] = slot >= TMLI_SLOT_QUANTITY    ? quantities[slot - TMLI_SLOT_QUANTITY]
                  : slot >= TMLI_SLOT_PARAMETER ? c->parameters[slot - TMLI_SLOT_PARAMETER]
                                                : c->channel[c->index[slot]];
    }
    return tmli_expr_eval(e, c->x);
}

tml_status tmli_curves_add(tmli_curves *c, const tml_sim *sim, const tml_state *x, tml_error *err)
{
    const tml_study *s = c->study;
    tml_status st = make_room(c, err);
    if (st == TML_OK && s->nused) st = tml_sim_channel_values(sim, x, c->channel, err);
    if (st != TML_OK) return st;
    c->t[c->rows] = x->t;
    for (int i = 0; i < s->nquantities; i++)
        if (is_curve(&s->quantity[i]))
            c->value[(size_t)i * (size_t)c->room + (size_t)c->rows] = evaluate(c, s->quantity[i].expr, NULL);
    if (c->first && c->rows == 0) tml_state_copy(c->first, x);
    if (c->last) tml_state_copy(c->last, x);
    c->rows++;
    return TML_OK;
}

// ---- numbers ----------------------------------------------------------------------------------------------

// The first change of sign, on the line between two rows.
static double time_of_zero(const double *t, const double *x, int rows)
{
    for (int i = 0; i < rows; i++) {
        if (x[i] == 0) return t[i];
        if (i > 0 && x[i - 1] * x[i] < 0) return t[i - 1] + (t[i] - t[i - 1]) * x[i - 1] / (x[i - 1] - x[i]);
    }
    return NAN;
}

static double of_curve(const tmli_curves *c, int i)
{
    const double *x = c->value + (size_t)i * (size_t)c->room;
    const tmli_extremes e = tmli_find_extremes(c->t, x, (size_t)c->rows);
    switch (c->study->quantity[i].take) {
    case TMLI_TAKE_FINAL: return e.last;
    case TMLI_TAKE_INITIAL: return e.first;
    case TMLI_TAKE_MIN: return e.least;
    case TMLI_TAKE_MAX: return e.most;
    case TMLI_TAKE_TIME_OF_MIN: return e.least_at;
    case TMLI_TAKE_TIME_OF_MAX: return e.most_at;
    case TMLI_TAKE_MEAN: return e.mean;
    case TMLI_TAKE_RMS: return e.rms;
    default: return time_of_zero(c->t, x, c->rows);
    }
}

static double event_time(const tmli_curves *c, const tml_sim *sim, const tmli_study_quantity *q)
{
    tml_sim_report r;
    tml_sim_get_report(sim, &r);
    if (!r.event || (q->event && strcmp(q->event, r.event) != 0)) return NAN;
    return c->t[c->rows - 1];
}

static double of_modes(const tml_modes *m, const tmli_study_quantity *q)
{
    double out = NAN;
    int oscillations = 0;
    for (int i = 0; i < m->count; i++) {
        const tml_mode *mode = &m->modes[i];
        if (q->take == TMLI_TAKE_GROWTH) out = fmax(out, mode->re);
        if (mode->kind != TML_MODE_OSCILLATION) continue;
        if (q->take == TMLI_TAKE_LEAST_DAMPED) out = fmin(out, mode->damping);
        if (++oscillations != q->mode) continue;
        if (q->take == TMLI_TAKE_FREQUENCY) return mode->hz;
        if (q->take == TMLI_TAKE_DAMPING) return mode->damping;
    }
    return out;
}

static tml_status add_modes(const tmli_curves *c, const tml_sim *sim, tmli_study_when when, double *out,
                            tml_error *err)
{
    enum { ALL_ROOTS = 200, SOME_ROOTS = 20 };  // of small models, and of those too large for all of them
    const tml_study *s = c->study;
    tml_modes *m = NULL;
    bool wanted = false;
    for (int i = 0; i < s->nquantities; i++)
        wanted |= (TMLI_TAKES_ROOTS >> s->quantity[i].take & 1) && s->quantity[i].when == when;
    if (!wanted) return TML_OK;
    tml_modes_def def = tml_modes_def_default();
    const int n = tml_sim_system(sim)->n;
    def.count = n < 1 ? 1 : n <= ALL_ROOTS ? 2 * n : SOME_ROOTS;
    const tml_status st =
        tml_modes_create(tml_sim_model(sim), when == TMLI_AT_START ? c->first : c->last, &def, &m, err);
    for (int i = 0; i < s->nquantities && st == TML_OK; i++) {
        const tmli_study_quantity *q = &s->quantity[i];
        if (TMLI_TAKES_ROOTS >> q->take & 1 && q->when == when) out[i] = of_modes(m, q);
    }
    tml_modes_destroy(m);
    return st;
}

tml_status tmli_curves_end(tmli_curves *c, const tml_sim *sim, double *out, tml_error *err)
{
    const tml_study *s = c->study;
    if (c->rows == 0) return tmli_fail(err, TML_ERR_MODEL, "the run has no rows");
    tml_status st = add_modes(c, sim, TMLI_AT_START, out, err);
    if (st == TML_OK) st = add_modes(c, sim, TMLI_AT_END, out, err);
    for (int i = 0; i < s->nquantities && st == TML_OK; i++) {
        const tmli_study_quantity *q = &s->quantity[i];
        if (is_curve(q)) out[i] = of_curve(c, i);
        else if (q->take == TMLI_TAKE_EVENT_TIME) out[i] = event_time(c, sim, q);
        else if (q->take == TMLI_TAKE_VALUE) out[i] = evaluate(c, q->expr, out);
    }
    return st;
}
