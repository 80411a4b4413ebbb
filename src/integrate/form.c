// Methods on another form of the equations: the decorator between a method, which is given that form, and its caller.
//
// States are converted when they pass: at a start, after an accepted step, and in dense output. The method itself does not
// know; its table is copied and the functions that take or give states are replaced.
#include "integrate/form.h"
#include "integrate/watch.h"

typedef struct formed {
    tml_method_ops ops;  // handed out
    const tml_method_ops *inner;
    void *self;  // of inner
    const tml_system *base;
    tmli_form form;
    tml_state *x;       // last accepted, ordinary
    tml_state *inside;  // of the form: scratch
} formed;

static void destroy(void *self)
{
    formed *g = self;
    if (!g) return;
    const tml_env env = g->base->env;
    if (g->self) g->inner->destroy(g->self);
    tml_state_destroy(g->x, g->base);
    if (g->inside) tml_state_destroy(g->inside, g->form.system);
    tmli_form_clear(&g->form);
    tmli_free(&env, g);
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    formed *g = self;
    tml_status st = g->form.enter(&g->form, x, g->inside, err);
    if (st != TML_OK) return st;
    tml_state_copy(g->x, x);
    return g->inner->start(g->self, g->inside, err);
}

static void accept(void *self, double t)
{
    formed *g = self;
    g->inner->accept(g->self, t);
    g->form.leave(&g->form, g->inner->state(g->self), g->x);
}

static void interpolate(const void *self, double theta, tml_state *out)
{
    const formed *g = self;
    g->inner->interpolate(g->self, theta, g->inside);
    g->form.leave(&g->form, g->inside, out);
}

static double first_step(void *self) { return ((formed *)self)->inner->first_step(((formed *)self)->self); }
static tml_status step(void *self, double h, double *error, tml_error *err)
{
    formed *g = self;
    return g->inner->step(g->self, h, error, err);
}
static double next_step(void *self, double h, double error, bool accepted)
{
    formed *g = self;
    return g->inner->next_step(g->self, h, error, accepted);
}
static const tml_state *state(const void *self) { return ((const formed *)self)->x; }
static const tml_counters *counters(const void *self)
{
    const formed *g = self;
    return g->inner->counters(g->self);
}
static double condition(void *self) { return ((formed *)self)->inner->condition(((formed *)self)->self); }
static void conditioning(void *self, tml_conditioning *out)
{
    ((formed *)self)->inner->conditioning(((formed *)self)->self, out);
}

static bool stiff(const void *self)
{
    const formed *g = self;
    return g->inner->stiff(g->self);
}

static void set_table(formed *g)
{
    g->ops = *g->inner;
    g->ops.create = NULL;  // made by tmli_form_create
    g->ops.start = start;
    g->ops.first_step = first_step;
    g->ops.step = step;
    g->ops.next_step = next_step;
    g->ops.accept = accept;
    g->ops.interpolate = interpolate;
    g->ops.state = state;
    g->ops.counters = counters;
    g->ops.condition = condition;
    g->ops.destroy = destroy;
    if (g->inner->conditioning) g->ops.conditioning = conditioning;
    if (g->inner->stiff) g->ops.stiff = stiff;
}

tml_status tmli_form_create(const tml_method_ops *inner, const tml_system *sys, tmli_form f,
                            const tml_integrator_options *opt, const tml_method_ops **ops, void **self,
                            tml_error *err)
{
    *self = NULL;
    formed *g = tmli_calloc(&sys->env, 1, sizeof *g);
    if (!g) {
        tmli_form_clear(&f);
        return tmli_no_memory(err, "integrator");
    }
    g->inner = inner;
    g->base = sys;
    g->form = f;
    tml_status st = tml_state_create(sys, &g->x, err);
    if (st == TML_OK) st = tml_state_create(f.system, &g->inside, err);
    if (st == TML_OK) st = tmli_watch_create(inner, f.system, opt, &g->inner, &g->self, err);
    if (st == TML_OK) set_table(g);
    if (st != TML_OK) {
        destroy(g);
        return st;
    }
    *ops = &g->ops;
    *self = g;
    return TML_OK;
}
