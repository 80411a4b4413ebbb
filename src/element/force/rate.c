// The rate of a first-order state: zdot = law. The "force" on the node of a state is its rate (force.h).
#include "element/force/force.h"

#include <string.h>

typedef struct rate {
    int node, slot;
} rate;

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    Q[6 * ((const rate *)f->data)->slot] += tmli_law_value(v, &f->law[0], NULL);
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const int width = 6 * f->plan.nslots, row = 6 * ((const rate *)f->data)->slot * width;
    double *const gd = v->w->gd, *const gu = v->w->gu;
    memset(gd, 0, (size_t)width * sizeof(double));
    memset(gu, 0, (size_t)width * sizeof(double));
    tmli_law_gradient(v, &f->law[0], NULL, NULL, gd, gu);
    for (int j = 0; j < width; j++) {
        H[row + j] -= gd[j];
        D[row + j] -= gu[j];
    }
}

// The rate of a state does no work: there is nothing to correct.
static void mean(const tmli_force *f, const tmli_step_view *s, double *Q) { force(f, &s->middle, Q); }

static bool conservative(const tmli_force *f)
{
    (void)f;
    return true;
}

static tmli_touch touch(const tmli_force *f, int node, vec3 *point)
{
    (void)f;
    (void)node;
    (void)point;
    return TMLI_TOUCH_NONE;
}

tml_status tmli_force_build_rate(const tmli_force_builder *b, const tmli_state_entry *e, int node,
                                 tmli_force *f)
{
    rate *d = f->data;
    d->node = node;
    tml_status st = tmli_force_alloc_laws(b, f, 1);
    if (st == TML_OK)
        st = tmli_model_compile(b->spec, b->m, e->def.rate, tmli_entry_mark(&e->at, "rate"), TMLI_SCOPE_STATE,
                                NULL, &f->law[0], b->err);
    return st == TML_OK ? tmli_force_plan(b, f, 1, &d->node, &d->slot) : st;
}

const tmli_force_ops tmli_force_rate = {
    .size = sizeof(rate),
    .force = force,
    .tangent = tangent,
    .mean = mean,
    .conservative = conservative,
    .touch = touch,
};
