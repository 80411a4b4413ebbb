// Rigid limits of a coordinate x with the rate v: a unilateral constraint (system contract, restitution). The
// gap to the nearer limit and its rate are
//   d = x - lower, d' = v   or   d = upper - x, d' = -v                                                   (1)
// OPEN: no force. STRUCK: d passes zero; an impulse reverses d', d' -> -e d', or ends it
// (integrate/events/impacts.c).
// CLOSED (TMLI_MODE_STICK): the row v = 0 is in force (model.h). Its multiplier L is the force -L along x,
// and
//   P = -L at the lower limit, L at the upper                                                             (2)
// is what the limit pushes with. It opens when P passes zero.
//   event function:   max(d, d') when open, P when closed                                                 (3)
// d' in (3): after an impact d is zero but for round-off, and the constraint is open while they move apart.
#include "element/force/along.h"

#include <math.h>
#include <string.h>

#include "element/force/constants.h"

typedef struct limit {
    double lower, upper;  // infinite: none
    double rest;          // [m/s or rad/s] a speed that is zero but for round-off
    double touch;         // [m or rad] a distance that is
    double least;         // [N or N m] a force that is
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
    const double unit = use->measure.kind == TMLI_ANGLE ? 1 : m->length,
                 g = sqrt(v3_dot(m->gravity, m->gravity));
    *d = (limit){.lower = isnan(l->lower) ? -INFINITY : l->lower,
                 .upper = isnan(l->upper) ? INFINITY : l->upper,
                 .rest = AT_REST * unit,
                 .touch = TOUCHES * unit,
                 .least =
                     HELD_BY_LIMIT * tmli_along_inertia(m, f->use) * fmax(g, m->length) / m->length * unit};
    for (int k = m->njoints; k < m->nconstraints; k++)
        if (strcmp(m->constraint[k].name, f->name) == 0) f->stick = k;
    f->restitution = l->restitution;
    f->nmodes = 1;
    int slot[2];
    return tmli_force_plan(b, f, 2, use->node, slot);
}

// All of its force is that of its row.
static void force(const tmli_force *f, const tmli_view *w, double *Q)
{
    (void)f;
    (void)w;
    (void)Q;
}

static void tangent(const tmli_force *f, const tmli_view *w, double *H, double *D)
{
    (void)f;
    (void)w;
    (void)H;
    (void)D;
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
    return mode ? mode[0] : 0;
}

static void channels(const tmli_force *f, const tmli_view *w, double *values)
{
    const bool closed = mode_of(f, w) == TMLI_MODE_STICK;
    values[0] = closed ? multiplier(f, w) : 0;
    values[1] = closed;
}

// (3)
static void event_values(const tmli_force *f, const tmli_view *w, const double *mode, double *values)
{
    const limit *d = f->data;
    tmli_along k;
    double side;
    values[0] = INFINITY;
    if (mode[0] == 0 || !isfinite(mode[0])) return;
    tmli_along_of(f, w, &k);
    const double gap = gap_of(d, &k, &side);
    values[0] = mode[0] == TMLI_MODE_STICK ? -side * multiplier(f, w) + d->least : fmax(gap, side * k.v);
}

static int update_modes(const tmli_force *f, const tmli_view *w, const tmli_view *later, bool all,
                        double *mode)
{
    const limit *d = f->data;
    const double before = mode[0];
    tmli_along k;
    double side, value;
    (void)later;
    if (mode[0] == INFINITY) return 0;
    tmli_along_of(f, w, &k);
    event_values(f, w, mode, &value);
    const double gap = gap_of(d, &k, &side), rate = side * k.v;
    if (all || mode[0] == 0)
        mode[0] = gap > d->touch || rate > d->rest ? TMLI_MODE_OPEN
                  : rate < -d->rest                ? TMLI_MODE_STRUCK
                                                   : TMLI_MODE_STICK;
    else if (value < 0) mode[0] = mode[0] == TMLI_MODE_STICK ? TMLI_MODE_OPEN : TMLI_MODE_STRUCK;
    return mode[0] != before;
}

static bool conservative(const tmli_force *f) { return f->restitution == 1; }

static const tmli_force_channel limit_channels[] = {{"force", "N or N m", TMLI_CHANNEL_VALUE, true},
                                                    {"closed", "1", TMLI_CHANNEL_VALUE, true}};

const tmli_force_ops tmli_force_limit = {
    .size = sizeof(limit),
    .nchannels = 2,
    .channel = limit_channels,
    .build = build,
    .force = force,
    .tangent = tangent,
    .channels = channels,
    .event_values = event_values,
    .update_modes = update_modes,
    .conservative = conservative,
    .touch = tmli_along_touch,
};

bool tmli_force_limit_exceeded(const tmli_force *f, const tmli_view *w, double *value, double *bound)
{
    const limit *d = f->data;
    tmli_along k;
    double side;
    if (f->ops != &tmli_force_limit) return false;
    tmli_along_of(f, w, &k);
    *value = k.x;
    const double gap = gap_of(d, &k, &side);
    *bound = side > 0 ? d->lower : d->upper;
    return gap < -d->touch;
}
