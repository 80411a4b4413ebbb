// Orders of steps between changes of the inputs; see ticks.h.
#include "integrate/explicit/ticks.h"

#include "integrate/explicit/constants.h"

const tmli_span tmli_ticks_spans[] = {
    TMLI_INDICES(tmli_ticks, order, order, 0, TMLI_BY_ONE, TMLI_LOWER_ORDERS),
    TMLI_INDICES(tmli_ticks, steps, steps, 0, TMLI_BY_ONE, 2),
    TMLI_INDICES(tmli_ticks, single, single, 0, TMLI_BY_ONE, SINGLE_STEP_TICKS),
    TMLI_INDICES(tmli_ticks, barred, bars, 0, TMLI_BY_ONE, MOST_BARRED_TICKS),
    {0}};

void tmli_ticks_start(tmli_ticks *t) { *t = (tmli_ticks){.lower = t->lower, .order = t->lower}; }

int tmli_ticks_order(const tmli_ticks *t)
{
    return t->steps == 0 && t->order < t->lower ? t->order : t->lower;
}

// The lower order of this tick has failed: the rest of the tick has the method's own.
static void bar_order(tmli_ticks *t)
{
    int *bars = &t->bars[t->order];
    *bars = *bars == 0 ? 1 : *bars < MOST_BARRED_TICKS ? 2 * *bars : *bars;
    t->barred[t->order] = *bars;
    t->order = t->lower;
}

void tmli_ticks_step(tmli_ticks *t, bool accepted)
{
    if (t->order < t->lower && (!accepted || t->steps > 0)) bar_order(t);
    if (accepted && t->steps < 2) t->steps++;
}

void tmli_ticks_change(tmli_ticks *t)
{
    if (t->steps == 0) return;  // the tick has just begun
    if (t->steps > 1) t->single = 0;
    else if (t->single < SINGLE_STEP_TICKS) t->single++;
    t->steps = 0;
    t->order = t->lower;
    for (int i = t->lower - 1; i >= 0; i--)
        if (t->barred[i] > 0) t->barred[i]--;
        else if (t->single == SINGLE_STEP_TICKS) t->order = i;
}
