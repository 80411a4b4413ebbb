// Decorators of methods: functions that forward every call to the inner method; see decorator.h.
#include "integrate/core/decorator.h"

// Functions that forward: each calls that of the inner method which has its name, and gives its result.
#define FORWARD(type, give, name, parameters, arguments) \
    static type name parameters                          \
    {                                                    \
        const tmli_decorator *d = self;                  \
        give d->inner->name arguments;                   \
    }
#define NOTHING

FORWARD(tml_status, return, start, (void *self, const tml_state *x, tml_error *err), (d->self, x, err))
FORWARD(double, return, first_step, (void *self), (d->self))
FORWARD(tml_status, return, step, (void *self, double h, double *e, tml_error *err), (d->self, h, e, err))
FORWARD(double, return, next_step, (void *self, double h, double e, bool accepted), (d->self, h, e, accepted))
FORWARD(void, NOTHING, accept, (void *self, double t), (d->self, t))
FORWARD(void, NOTHING, interpolate, (void *self, double theta, tml_state *out), (d->self, theta, out))
FORWARD(const tml_state *, return, state, (const void *self), (d->self))
FORWARD(void, NOTHING, counters, (const void *self, tml_counters *out), (d->self, out))
FORWARD(double, return, condition, (void *self), (d->self))
FORWARD(void, NOTHING, conditioning, (void *self, tml_conditioning *out), (d->self, out))
FORWARD(bool, return, stiff, (const void *self), (d->self))
FORWARD(tml_status, return, inputs_changed, (void *self, const tml_state *x, tml_error *err),
        (d->self, x, err))

void tmli_decorator_archive(void *self, tml_archive *a)
{
    const tmli_decorator *d = self;
    if (d->inner->archive) d->inner->archive(d->self, a);
    else tml_archive_fail(a, TML_ERR_ARG, "the method has no function `archive`: it cannot be saved");
}

void tmli_decorate(tmli_decorator *d, const tml_method_ops *inner, void (*destroy)(void *self))
{
    d->inner = inner;
    d->ops = *inner;  // names and properties
    d->ops.create = NULL;
    d->ops.inside = NULL;
    d->ops.complete = NULL;
    d->ops.contacts = NULL;      // captured contacts have no decorators
    d->ops.rows_changed = NULL;  // the decorator decides itself which rows are active
    d->ops.start = start;
    d->ops.first_step = first_step;
    d->ops.step = step;
    d->ops.next_step = next_step;
    d->ops.accept = accept;
    d->ops.interpolate = interpolate;
    d->ops.state = state;
    d->ops.counters = counters;
    d->ops.destroy = destroy;
    d->ops.archive = tmli_decorator_archive;
    if (inner->condition) d->ops.condition = condition;
    if (inner->conditioning) d->ops.conditioning = conditioning;
    if (inner->stiff) d->ops.stiff = stiff;
    if (inner->inputs_changed) d->ops.inputs_changed = inputs_changed;
}

void tmli_decorator_clear(tmli_decorator *d)
{
    if (d->self) d->inner->destroy(d->self);
    d->self = NULL;
}
