// Rigid limits of a coordinate x with the rate v: a unilateral constraint (unilateral.h). The gap to the
// nearer limit and its rate are
//   d = x - lower, d' = v   or   d = upper - x, d' = -v                                                   (1)
// The row v = 0 has the multiplier L, which is the force -L along x, and
//   P = -L at the lower limit, L at the upper                                                             (2)
// is what the limit pushes with.
#include "element/force/along.h"
#include "element/force/unilateral.h"

#include <math.h>
#include <stdio.h>

typedef struct limit {
    double lower, upper;  // infinite: none
    tmli_unilateral roundoff;
} limit;

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    limit *d = f->data;
    tml_model *m = b->m;
    const tml_limits_def *l = &e->def.limits;
    tml_status st =
        tmli_model_find_coordinate(b->spec, m, e->def.of, tmli_entry_mark(&e->at, "of"), &f->use, b->err);
    if (st != TML_OK) return st;
    if (isnan(l->lower) && isnan(l->upper))
        return tmli_fail_at(b->err, TML_ERR_MODEL, e->at.at, "limit '%s' has neither 'lower' nor 'upper'",
                            e->def.name);
    if (l->lower >= l->upper)
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "lower"),
                            "limit '%s': its lower limit %g is not below the upper, %g", e->def.name,
                            l->lower, l->upper);
    const tmli_measure_use *use = &m->measure_use[f->use];
    *d = (limit){.lower = isnan(l->lower) ? -INFINITY : l->lower,
                 .upper = isnan(l->upper) ? INFINITY : l->upper,
                 .roundoff = tmli_unilateral_of(m, f->use)};
    f->restitution = l->restitution;
    f->nmodes = 1;
    int slot[2];
    return tmli_force_plan(b, f, 2, use->node, slot);
}

// (1); *side: 1 at the lower limit, -1 at the upper
static double gap_of(const limit *d, const tmli_along *k, double *side)
{
    const double below = k->x - d->lower, above = d->upper - k->x;
    *side = below <= above ? 1 : -1;
    return fmin(below, above);
}

static double multiplier(const tmli_force *f, const tmli_view *w)
{
    return w->x->lambda[w->m->constraint[f->stick].first];
}

static double mode_of(const tmli_force *f, const tmli_view *w)
{
    const double *mode = tmli_modes(w->x, f->mode);
    return mode ? mode[0] : TML_SWITCH_UNSET;
}

static void channels(const tmli_force *f, const tmli_view *w, double *values)
{
    const bool closed = mode_of(f, w) == TML_SWITCH_HELD;
    values[0] = closed ? multiplier(f, w) : 0;
    values[1] = closed;
}

static tmli_unilateral_state state_of(const tmli_force *f, const tmli_view *w)
{
    tmli_along k;
    double side;
    tmli_along_of(w, f->use, &k);
    const double gap = gap_of(f->data, &k, &side);
    return (tmli_unilateral_state){gap, side * k.v, -side * multiplier(f, w), tmli_unilateral_error(w, &k),
                                   tmli_unilateral_least(w->m, f->use)};
}

static void event_values(const tmli_force *f, const tmli_view *w, const double *mode, double *values)
{
    const limit *d = f->data;
    const tmli_unilateral_state s = state_of(f, w);
    values[0] = tmli_unilateral_event(&d->roundoff, mode[0], &s);
}

static int update_modes(const tmli_force *f, const tmli_view *w, const tmli_view *later, bool all,
                        double *mode)
{
    const limit *d = f->data;
    const tmli_unilateral_state s = state_of(f, w);
    (void)later;
    return tmli_unilateral_update(&d->roundoff, all, &s, mode);
}

static double drift(const tmli_force *f, const tmli_view *w)
{
    const limit *d = f->data;
    return mode_of(f, w) == TML_SWITCH_HELD ? fabs(state_of(f, w).gap) / d->roundoff.unit : 0;
}

static bool violated(const tmli_force *f, const tmli_view *w, char *text, size_t size)
{
    const limit *d = f->data;
    tmli_along k;
    double side;
    tmli_along_of(w, f->use, &k);
    const double gap = gap_of(d, &k, &side);
    if (gap >= -(d->roundoff.touch + tmli_unilateral_error(w, &k))) return false;
    snprintf(text, size, "limit '%s': the coordinate starts at %.6g, beyond its limit %.6g by %.3g", f->name,
             k.x, side > 0 ? d->lower : d->upper, -gap);
    return true;
}

static bool conservative(const tmli_force *f) { return f->restitution == 1; }

static const tmli_force_channel limit_channels[] = {{"force", "N or N m", TMLI_CHANNEL_VALUE, true},
                                                    {"closed", "1", TMLI_CHANNEL_VALUE, true}};

static void bounds(const tmli_force *f, double *lower, double *upper)
{
    const limit *d = f->data;
    *lower = d->lower;
    *upper = d->upper;
}

const tmli_force_ops tmli_force_limit = {
    .work = TMLI_WORK_CONTACT,
    .size = sizeof(limit),
    .nchannels = 2,
    .channel = limit_channels,
    .build = build,
    .bounds = bounds,
    .channels = channels,
    .event_values = event_values,
    .update_modes = update_modes,
    .drift = drift,
    .violated = violated,
    .conservative = conservative,
    .touch = tmli_along_touch,
};
