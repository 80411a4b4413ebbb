// Methods on SE(3): the decorator between a method, which is given the system on SE(3), and its caller.
//
// Configuration, multipliers and counted angles are the same on both sides; velocities and accelerations are converted
// when a state passes (system/se3.h): at a start, after an accepted step, and in dense output. The method itself does not
// know; its table is copied and the functions that take or give states are replaced.
#include "integrate/group.h"
#include "system/se3.h"

#include <string.h>

typedef struct grouped {
    tml_method_ops ops;  // handed out
    const tml_method_ops *inner;
    void *self;  // of inner
    const tml_system *base;
    tml_system *motion;
    tml_state *x;       // last accepted, ordinary
    tml_state *inside;  // on SE(3): scratch
} grouped;

static void destroy(void *self)
{
    grouped *g = self;
    if (!g) return;
    const tml_env env = g->base->env;
    if (g->self) g->inner->destroy(g->self);
    tml_state_destroy(g->x, g->base);
    tml_state_destroy(g->inside, g->base);
    tml_system_destroy(g->motion);
    tmli_free(&env, g);
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    grouped *g = self;
    tml_state_copy(g->inside, x);
    tmli_se3_from_base(g->motion, x->q, x->u, x->udot, g->inside->u, g->inside->udot);
    tml_state_copy(g->x, x);
    return g->inner->start(g->self, g->inside, err);
}

// The ordinary state of y.
static void convert(const grouped *g, const tml_state *y, tml_state *out)
{
    tml_state_copy(out, y);
    tmli_se3_to_base(g->motion, y->q, y->u, y->udot, out->u, out->udot);
}

static void accept(void *self, double t)
{
    grouped *g = self;
    g->inner->accept(g->self, t);
    convert(g, g->inner->state(g->self), g->x);
}

static void interpolate(const void *self, double theta, tml_state *out)
{
    const grouped *g = self;
    g->inner->interpolate(g->self, theta, g->inside);
    convert(g, g->inside, out);
}

static double first_step(void *self) { return ((grouped *)self)->inner->first_step(((grouped *)self)->self); }
static tml_status step(void *self, double h, double *error, tml_error *err)
{
    grouped *g = self;
    return g->inner->step(g->self, h, error, err);
}
static double next_step(void *self, double h, double error, bool accepted)
{
    grouped *g = self;
    return g->inner->next_step(g->self, h, error, accepted);
}
static const tml_state *state(const void *self) { return ((const grouped *)self)->x; }
static const tml_counters *counters(const void *self)
{
    const grouped *g = self;
    return g->inner->counters(g->self);
}
static double condition(void *self) { return ((grouped *)self)->inner->condition(((grouped *)self)->self); }
static void conditioning(void *self, tml_conditioning *out)
{
    ((grouped *)self)->inner->conditioning(((grouped *)self)->self, out);
}

static void set_table(grouped *g)
{
    g->ops = *g->inner;
    g->ops.create = NULL;  // made by tmli_group_create
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
}

tml_status tmli_group_create(const tml_method_ops *inner, const tml_system *sys,
                             const tml_integrator_options *opt, const tml_method_ops **ops, void **self,
                             tml_error *err)
{
    *self = NULL;
    if (!tmli_se3_possible(sys))
        return tmli_fail(err, TML_ERR_ARG, "group se3 is for models of bodies; this system has none");
    grouped *g = tmli_calloc(&sys->env, 1, sizeof *g);
    if (!g) return tmli_no_memory(err, "integrator");
    g->inner = inner;
    g->base = sys;
    set_table(g);
    tml_integrator_options inside = *opt;
    inside.group = TML_GROUP_R3SO3;  // of what the inner method is given
    tml_status st = tmli_se3_create(sys, opt->group == TML_GROUP_SE3_CAYLEY, &g->motion, err);
    if (st == TML_OK) st = tml_state_create(sys, &g->x, err);
    if (st == TML_OK) st = tml_state_create(sys, &g->inside, err);
    if (st == TML_OK) st = inner->create(g->motion, &inside, &g->self, err);
    if (st != TML_OK) {
        destroy(g);
        return st;
    }
    *ops = &g->ops;
    *self = g;
    return TML_OK;
}
