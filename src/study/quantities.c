// The quantities of a run: numbers of its curves, its ends, its event and its modes.
#include "study/curves.h"

#include <math.h>
#include <string.h>
#include <trammel/modes.h>

tml_status tmli_quantities_output(tmli_curves *c, const tml_sim *sim, const tml_state *x, tml_error *err)
{
    const tml_study *s = c->study;
    const bool first = isnan(c->t_last);
    const tml_status st = s->nused ? tml_sim_channel_values(sim, x, c->channel, err) : TML_OK;
    if (st != TML_OK) return st;
    for (int i = 0; i < s->nused; i++) c->used[i] = c->channel[c->index[i]];
    for (int i = 0; i < s->nquantities; i++) {
        if (s->quantity[i].take > TMLI_TAKE_INITIAL) continue;
        const double value = tmli_curves_evaluate(c, s->quantity[i].expr, NULL);
        if (first) c->end[i] = value;
        c->end[s->nquantities + i] = value;
    }
    if (c->first && first) tml_state_copy(c->first, x);
    if (c->last) tml_state_copy(c->last, x);
    c->t_last = x->t;
    return TML_OK;
}

static double event_time(const tmli_curves *c, const tml_sim *sim, const tmli_study_quantity *q)
{
    tml_sim_report r;
    tml_sim_get_report(sim, &r);
    if (!r.event || (q->event && strcmp(q->event, r.event) != 0)) return NAN;
    return c->t_last;
}

// What is taken of modes. An oscillation that does not exist, or was not found, is an error.
static tml_status take_of_modes(const tml_modes *m, const tmli_study_quantity *q, double *value,
                                tml_error *err)
{
    double out = NAN;
    int oscillations = 0;
    for (int i = 0; i < m->count; i++) {
        const tml_mode *mode = &m->modes[i];
        if (q->take == TMLI_TAKE_GROWTH) out = fmax(out, mode->re);
        if (mode->kind != TML_MODE_OSCILLATION) continue;
        if (q->take == TMLI_TAKE_LEAST_DAMPED) out = fmin(out, mode->damping);
        if (++oscillations != q->mode) continue;
        if (q->take == TMLI_TAKE_FREQUENCY) out = mode->hz;
        if (q->take == TMLI_TAKE_DAMPING) out = mode->damping;
    }
    *value = out;
    if (!isnan(out)) return TML_OK;
    return tmli_fail(err, TML_ERR_MODEL,
                     "quantity '%s': of %d modes at t = %g s, %d oscillate%s: there is no oscillation %d",
                     q->name, m->count, m->t, oscillations,
                     m->missing > 0 ? ", and others were not found" : "", q->mode);
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
    tml_status st =
        tml_modes_create(tml_sim_model(sim), when == TMLI_AT_START ? c->first : c->last, &def, &m, err);
    for (int i = 0; i < s->nquantities && st == TML_OK; i++) {
        const tmli_study_quantity *q = &s->quantity[i];
        if (TMLI_TAKES_ROOTS >> q->take & 1 && q->when == when) st = take_of_modes(m, q, &out[i], err);
    }
    tml_modes_destroy(m);
    return st;
}

// What is taken of a curve with gaps would look like that of a whole one.
static tml_status take_of_curve(const tmli_curves *c, const tmli_study_quantity *q, int curve, double *value,
                                tml_error *err)
{
    const tmli_study_curve *k = &c->curve[curve];
    *value = tmli_curve_take(k, q->take);
    if (isnan(k->gap)) return TML_OK;
    return tmli_fail(err, TML_ERR_MODEL, "quantity '%s': '%.60s' is not a finite number at t = %g s", q->name,
                     k->of, k->gap);
}

static tml_status take_of_end(const tmli_study_quantity *q, double end, double *value, tml_error *err)
{
    *value = end;
    if (isfinite(end)) return TML_OK;
    return tmli_fail(err, TML_ERR_MODEL, "quantity '%s' is not a finite number", q->name);
}

tml_status tmli_quantities_end(tmli_curves *c, tml_sim *sim, double *out, tml_error *err)
{
    const tml_study *s = c->study;
    if (isnan(c->t_last)) return tmli_fail(err, TML_ERR_MODEL, "the run has no rows");
    tmli_curves_settle(c, sim);
    tml_status st = add_modes(c, sim, TMLI_AT_START, out, err);
    if (st == TML_OK) st = add_modes(c, sim, TMLI_AT_END, out, err);
    for (int i = 0; i < s->nquantities && st == TML_OK; i++) {
        const tmli_study_quantity *q = &s->quantity[i];
        if (c->of_quantity[i] >= 0) st = take_of_curve(c, q, c->of_quantity[i], &out[i], err);
        else if (q->take == TMLI_TAKE_INITIAL) st = take_of_end(q, c->end[i], &out[i], err);
        else if (q->take == TMLI_TAKE_FINAL) st = take_of_end(q, c->end[s->nquantities + i], &out[i], err);
        else if (q->take == TMLI_TAKE_EVENT_TIME) out[i] = event_time(c, sim, q);
        else if (q->take == TMLI_TAKE_VALUE) out[i] = tmli_curves_evaluate(c, q->expr, out);
        out[i] *= q->factor;
    }
    return st;
}
