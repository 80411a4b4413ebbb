// The decorator that lets a method integrate another form of the equations; the forms themselves are in
// forms.c.
//
// States are converted between the form and the ordinary one at a start, after an accepted step, and in
// dense output. The inner method does not know about it.
#include "integrate/methods/form.h"
#include "base/archive.h"
#include "integrate/constraints/monitor.h"
#include "integrate/core/decorator.h"
#include "integrate/core/relax.h"
#include "system/multibody/multibody.h"
#include "system/state/accepted.h"

typedef struct formed {
    tmli_decorator method;
    const tml_system *base;
    tmli_form form;
    tml_state *x;       // last accepted state, ordinary
    tml_state *inside;  // scratch state of the form
    tmli_relaxation relaxation;
} formed;

static void destroy(void *self)
{
    formed *g = self;
    if (!g) return;
    const tml_env env = g->base->env;
    tmli_decorator_clear(&g->method);
    tml_state_destroy(g->x, g->base);
    if (g->inside) tml_state_destroy(g->inside, g->form.system);
    tmli_relaxation_clear(&g->relaxation);
    tmli_form_clear(&g->form);
    tmli_free(&env, g);
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    formed *g = self;
    tml_status st = g->form.enter(&g->form, x, g->inside, err);
    if (st != TML_OK) return st;
    tml_state_copy(g->x, x);
    return g->method.inner->start(g->method.self, g->inside, err);
}

static void accept(void *self, double t)
{
    formed *g = self;
    g->method.inner->accept(g->method.self, t);
    g->form.leave(&g->form, g->method.inner->state(g->method.self), g->x);
}

static tml_status inputs_changed(void *self, const tml_state *x, tml_error *err)
{
    formed *g = self;
    tml_state_copy(g->inside, g->method.inner->state(g->method.self));
    tmli_state_copy_inputs(g->inside, x);
    tml_status st = g->method.inner->inputs_changed(g->method.self, g->inside, err);
    if (st == TML_OK) g->form.leave(&g->form, g->method.inner->state(g->method.self), g->x);
    return st;
}

static void interpolate(void *self, double theta, tml_state *out)
{
    const formed *g = self;
    g->method.inner->interpolate(g->method.self, theta, g->inside);
    g->form.leave(&g->form, g->inside, out);
}

// g->inside := the state within the last step in the coordinates of the form.
static void set_inside(const formed *g, double theta)
{
    if (theta >= 1) tml_state_copy(g->inside, g->method.inner->state(g->method.self));
    else g->method.inner->interpolate(g->method.self, theta, g->inside);
}

// Forces by the topology, which does not know inactive rows.
static const tml_state *inside(void *self, double theta, bool forces, const tml_system **sys, void **work)
{
    const formed *g = self;
    const tml_system *s = g->form.system;
    *sys = s;
    *work = g->form.work;
    if (theta >= 1 && !forces) return g->method.inner->state(g->method.self);
    set_inside(g, theta);
    if (!forces) return g->inside;
    if (!s->ops->accelerate || (g->inside->inactive && g->inside->inactive->count > 0)) return NULL;
    return s->ops->accelerate(s->self, g->form.work, g->inside, NULL) == TML_OK ? g->inside : NULL;
}

static bool settle(void *self, tml_state *inside)
{
    const formed *g = self;
    return g->form.settle(&g->form, inside);
}

static bool complete(void *self, double theta, double h, tml_state *out)
{
    formed *g = self;
    tmli_relaxation *const r = &g->relaxation;
    set_inside(g, theta);
    if (r->own) tml_state_copy(r->own, g->inside);
    if (!settle(g, g->inside)) return false;
    tmli_relax(r, h, r->own, settle, g, g->inside);
    return g->form.complete(&g->form, g->inside, out);
}

static const tml_state *state(const void *self) { return ((const formed *)self)->x; }

static void archive(void *self, tml_archive *a)
{
    formed *g = self;
    tmli_archive_mark(a, "form");
    tml_state_archive(g->x, a);
    if (g->form.archive) g->form.archive(&g->form, a);
    if (g->relaxation.own) tmli_relaxation_archive(&g->relaxation, a);
    tmli_decorator_archive(self, a);
}

static void set_table(formed *g, const tml_method_ops *inner)
{
    tmli_decorate(&g->method, inner, destroy);
    g->method.ops.start = start;
    g->method.ops.accept = accept;
    g->method.ops.interpolate = interpolate;
    g->method.ops.state = state;
    if (g->form.work) g->method.ops.inside = inside;
    if (g->form.complete) g->method.ops.complete = complete;
    g->method.ops.archive = archive;
    if (inner->inputs_changed) g->method.ops.inputs_changed = inputs_changed;
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
    g->base = sys;
    g->form = f;
    tml_status st = tml_state_create(sys, &g->x, err);
    if (st == TML_OK) st = tml_state_create(f.system, &g->inside, err);
    if (st == TML_OK) st = tmli_monitor_create(inner, f.system, opt, &inner, &g->method.self, err);
    const tml_model *model = tmli_mb_model(sys);
    if (st == TML_OK && inner->smooth && f.settle)
        st = tmli_relaxation_create(f.system, opt->solver, &opt->run, model ? v3_norm(model->gravity) : 0,
                                    NULL, &g->relaxation, err);
    set_table(g, inner);
    if (st != TML_OK) {
        destroy(g);
        return st;
    }
    *ops = &g->method.ops;
    *self = g;
    return TML_OK;
}
