// Units of the columns of a study: those of the file, or inferred from the channels that a quantity takes.
#include "base/quantity.h"
#include "study/study.h"

#include <string.h>

// "1" may be the unit of something whose unit nobody has said.
static tmli_unit read(const char *text)
{
    return text && strcmp(text, "1") != 0 ? tmli_unit_read(text) : (tmli_unit){.kind = TMLI_UNIT_OPEN};
}

// Of a quantity that is an expression. NULL: it is not known.
static tml_status infer(tml_study *s, const tml_sim *sim, const tmli_study_quantity *q, const char **out,
                        tml_error *err)
{
    const tmli_expr *e = q->expr;
    const int n = tmli_expr_nvars(e), first = n > 0 ? tmli_expr_slot(e, 0) : TMLI_SLOT_QUANTITY;
    if (first < TMLI_SLOT_PARAMETER &&
        strcmp(q->of, s->used[first]) == 0) {  // the unit of a channel as it is
        *out = tmli_arena_strdup(&s->arena, tml_sim_channels(sim)[s->used_index[first]].unit);
        return *out ? TML_OK : tmli_no_memory(err, "study");
    }
    tmli_unit *var = tmli_calloc(&s->env, (size_t)n + 1, sizeof *var), found;
    if (!var) return tmli_no_memory(err, "study");
    for (int k = 0; k < n; k++) {
        const int slot = tmli_expr_slot(e, k);
        if (slot >= TMLI_SLOT_QUANTITY) var[k] = read(s->quantity[slot - TMLI_SLOT_QUANTITY].unit);
        else if (slot >= TMLI_SLOT_PARAMETER) var[k] = read(s->parameter[slot - TMLI_SLOT_PARAMETER].unit);
        else var[k] = read(tml_sim_channels(sim)[s->used_index[slot]].unit);
    }
    tmli_unit clash[2];
    const tml_status st = tmli_expr_unit(e, var, &found, clash, err);
    *out = st == TML_OK ? tmli_unit_text(&found) : NULL;
    tmli_free(&s->env, var);
    return st;
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
        if (q->unit) continue;
        switch (q->take) {
        case TMLI_TAKE_TIME_OF_MIN:
        case TMLI_TAKE_TIME_OF_MAX:
        case TMLI_TAKE_TIME_OF_ZERO:
        case TMLI_TAKE_EVENT_TIME: q->unit = "s"; break;
        case TMLI_TAKE_FREQUENCY: q->unit = "Hz"; break;
        case TMLI_TAKE_GROWTH: q->unit = "1/s"; break;
        case TMLI_TAKE_DAMPING:
        case TMLI_TAKE_LEAST_DAMPED: break;
        default: st = infer(s, sim, q, &q->unit, err);
        }
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
