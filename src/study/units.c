// Units of the columns of a study: those of the file, or inferred from the channels that a quantity takes.
#include "base/quantity.h"
#include "study/study.h"

#include <stdio.h>
#include <string.h>

// "1" may be the unit of something whose unit nobody has said.
static tmli_unit read(const char *text)
{
    return text && strcmp(text, "1") != 0 ? tmli_unit_read(text) : (tmli_unit){.kind = TMLI_UNIT_OPEN};
}

static tmli_unit read_parameter(const char *text)
{
    tmli_unit u = read(text);
    if (!text) u.factor = 1;  // it may be a number
    return u;
}

// A channel as it is: its index among those of the simulation; -1: it is none.
static int channel_of(const tml_study *s, const tmli_study_quantity *q)
{
    const tmli_expr *e = q->expr;
    const int first = tmli_expr_nvars(e) > 0 ? tmli_expr_slot(e, 0) : TMLI_SLOT_QUANTITY;
    return first < TMLI_SLOT_PARAMETER && strcmp(q->of, s->used[first]) == 0 ? s->used_index[first] : -1;
}

// Of a quantity that is an expression, and its conversion to the unit `want`.
static tml_status infer(const tml_study *s, const tml_sim *sim, const tmli_study_quantity *q,
                        const tmli_unit *want, tmli_conversion *out, tml_error *err)
{
    const tmli_expr *e = q->expr;
    const int n = tmli_expr_nvars(e);
    tmli_unit *var = tmli_calloc(&s->env, (size_t)n + 1, sizeof *var);
    if (!var) return tmli_no_memory(err, "study");
    for (int k = 0; k < n; k++) {
        const int slot = tmli_expr_slot(e, k);
        if (slot >= TMLI_SLOT_QUANTITY) var[k] = read(s->quantity[slot - TMLI_SLOT_QUANTITY].unit);
        else if (slot >= TMLI_SLOT_PARAMETER)
            var[k] = read_parameter(s->parameter[slot - TMLI_SLOT_PARAMETER].unit);
        else var[k] = read(tml_sim_channels(sim)[s->used_index[slot]].unit);
    }
    const tml_status st = tmli_expr_unit(e, var, want, out, err);
    tmli_free(&s->env, var);
    return st;
}

// What is taken of an expression has its unit; of times and modes: their own.
static const char *unit_of_take(tmli_take take)
{
    switch (take) {
    case TMLI_TAKE_TIME_OF_MIN:
    case TMLI_TAKE_TIME_OF_MAX:
    case TMLI_TAKE_TIME_OF_ZERO:
    case TMLI_TAKE_EVENT_TIME: return "s";
    case TMLI_TAKE_FREQUENCY: return "Hz";
    case TMLI_TAKE_GROWTH: return "1/s";
    case TMLI_TAKE_DAMPING:
    case TMLI_TAKE_LEAST_DAMPED: return "1";
    default: return NULL;
    }
}

static tml_status set_own_unit(tml_study *s, const tml_sim *sim, tmli_study_quantity *q, tml_error *err)
{
    const tmli_unit none = {.kind = TMLI_UNIT_OPEN};
    const int channel = channel_of(s, q);
    tmli_conversion c;
    if (channel >= 0) {
        q->unit = tmli_arena_strdup(&s->arena, tml_sim_channels(sim)[channel].unit);
        return q->unit ? TML_OK : tmli_no_memory(err, "study");
    }
    const tml_status st = infer(s, sim, q, &none, &c, err);
    if (st == TML_OK) q->unit = tmli_unit_text(&c.found);
    return st;
}

static void warn(const tml_study *s, const tmli_study_quantity *q, const char *why, const char *of)
{
    char place[TML_ERROR_FILE + 32] = "";
    if (q->at.file) snprintf(place, sizeof place, "%s:%d:%d: ", q->at.file, q->at.line, q->at.col);
    tmli_log(&s->env, TML_LOG_WARNING, "%squantity '%s' has the unit '%s', %s%s", place, q->name, q->unit,
             why, of);
}

// The unit that is asked for: values are converted to it.
static tml_status convert(const tml_study *s, const tml_sim *sim, tmli_study_quantity *q, tml_error *err)
{
    const tmli_unit want = tmli_unit_read(q->unit);
    const char *own = unit_of_take(q->take);
    tmli_conversion c = {.what = TMLI_UNIT_KEPT, .factor = 1, .found = tmli_unit_read(own)};
    if (own && strcmp(own, q->unit) == 0) return TML_OK;
    if (own && want.kind == TMLI_UNIT_KNOWN) {
        const bool alike =
            c.found.kind == TMLI_UNIT_KNOWN && c.found.rad == want.rad && tmli_unit_is_alike(&c.found, &want);
        c.what = alike ? TMLI_UNIT_CONVERTS : TMLI_UNIT_DIFFERS;
        c.factor = alike ? want.factor / c.found.factor : 1;
    }
    const tml_status st = own ? TML_OK : infer(s, sim, q, &want, &c, err);
    if (st != TML_OK) return st;
    const char *text = own ? own : tmli_unit_text(&c.found);
    q->factor = c.factor;
    if (want.kind != TMLI_UNIT_KNOWN && text && !tmli_unit_is_spelling(q->unit, text))
        warn(s, q, "which is not known: its value stays in ", text);
    else if (c.what == TMLI_UNIT_DIFFERS) warn(s, q, "but its value is in ", text ? text : "another one");
    else if (c.what == TMLI_UNIT_UNSAID)
        warn(s, q, "to which its value is not converted: nobody says what unit it has", "");
    return TML_OK;
}

tml_status tmli_study_find_units(tml_study *s, const tml_sim *sim, tml_error *err)
{
    tml_status st = TML_OK;
    for (int i = 0; i < s->nparameters; i++) {
        tmli_study_parameter *p = &s->parameter[i];
        if (!p->unit && p->input >= 0) p->unit = s->spec->inputs[p->input].def.unit;
    }
    for (int i = 0; i < s->nquantities && st == TML_OK; i++) {
        tmli_study_quantity *q = &s->quantity[i];
        const char *own = unit_of_take(q->take);
        q->factor = 1;
        if (q->unit) st = convert(s, sim, q, err);
        else if (own) q->unit = strcmp(own, "1") == 0 ? NULL : own;
        else st = set_own_unit(s, sim, q, err);
    }
    return st;
}

const char *tml_study_column_unit(const tml_study *s, int column)
{
    const char *unit = NULL;
    if (s && column >= 0 && column < s->nparameters) unit = s->parameter[column].unit;
    else if (s && column >= s->nparameters && column < s->nparameters + s->nquantities)
        unit = s->quantity[column - s->nparameters].unit;
    return unit && strcmp(unit, "1") != 0 ? unit : "";
}
