// See unilateral.h.
#include "element/force/unilateral.h"
#include "element/force/along.h"

#include <math.h>

#include "element/force/constants.h"

tmli_unilateral tmli_unilateral_of(const tml_model *m, int use)
{
    const bool angle = m->measure_use[use].measure.kind == TMLI_ANGLE;
    const double unit = angle ? 1 : m->length, given = angle ? 0 : m->rounding;
    return (tmli_unilateral){.unit = unit, .rest = tmli_along_rest(m, use), .touch = TOUCHES * unit + given};
}

double tmli_unilateral_least(const tml_model *m, int use)
{
    const bool angle = m->measure_use[use].measure.kind == TMLI_ANGLE;
    const double g = sqrt(v3_dot(m->gravity, m->gravity));
    return HELD_BY_LIMIT * tmli_along_inertia(m, use) * fmax(g, m->length) / (angle ? m->length : 1);
}

double tmli_unilateral_error(const tmli_view *v, const tmli_along *k)
{
    if (k->measure->kind == TMLI_ANGLE) return DRIFT_REACH * v->drift;
    return POSITION_ROUNDOFF * (v3_norm(k->A->r) + v3_norm(k->B->r)) + DRIFT_REACH * v->drift * v->m->length;
}

double tmli_unilateral_event(const tmli_unilateral *u, double mode, const tmli_unilateral_state *s)
{
    if (!tmli_mode_fixes_branch(mode)) return INFINITY;
    if (mode == TML_SWITCH_HELD) return s->push + s->least;
    const double rate = s->rate + u->rest, touch = u->touch + s->error;
    if (s->gap > touch) return s->gap;
    return fmax(s->gap, fmin(rate, fmax(touch, -s->gap)));
}

int tmli_unilateral_update(const tmli_unilateral *u, bool all, const tmli_unilateral_state *s, double *mode)
{
    const double before = *mode;
    if (!tmli_mode_is_watched(before)) return 0;
    if (all || before == TML_SWITCH_UNSET)
        *mode = s->gap > u->touch + s->error || s->rate > u->rest ? TML_SWITCH_RELEASED
                : s->rate < -u->rest                              ? TML_SWITCH_STRUCK
                                                                  : TML_SWITCH_HELD;
    else if (tmli_unilateral_event(u, before, s) < 0)
        *mode = before == TML_SWITCH_HELD ? TML_SWITCH_RELEASED : TML_SWITCH_STRUCK;
    return *mode != before;
}
