// Decorators of methods: functions that forward every call to the inner method; see decorator.h.
#include "integrate/core/decorator.h"

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    const tmli_decorator *d = self;
    return d->inner->start(d->self, x, err);
}

static double first_step(void *self)
{
    const tmli_decorator *d = self;
    return d->inner->first_step(d->self);
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    const tmli_decorator *d = self;
    return d->inner->step(d->self, h, error, err);
}

static double next_step(void *self, double h, double error, bool accepted)
{
    const tmli_decorator *d = self;
    return d->inner->next_step(d->self, h, error, accepted);
}

static void accept(void *self, double t)
{
    const tmli_decorator *d = self;
    d->inner->accept(d->self, t);
}

static void interpolate(void *self, double theta, tml_state *out)
{
    const tmli_decorator *d = self;
    d->inner->interpolate(d->self, theta, out);
}

static const tml_state *state(const void *self)
{
    const tmli_decorator *d = self;
    return d->inner->state(d->self);
}

static void counters(const void *self, tml_counters *out)
{
    const tmli_decorator *d = self;
    d->inner->counters(d->self, out);
}

static double condition(void *self)
{
    const tmli_decorator *d = self;
    return d->inner->condition(d->self);
}

static void conditioning(void *self, tml_conditioning *out)
{
    const tmli_decorator *d = self;
    d->inner->conditioning(d->self, out);
}

static bool stiff(const void *self)
{
    const tmli_decorator *d = self;
    return d->inner->stiff(d->self);
}

static bool vibrates(void *self, const double *change, const double *free)
{
    const tmli_decorator *d = self;
    return d->inner->vibrates(d->self, change, free);
}

static tml_status inputs_changed(void *self, const tml_state *x, tml_error *err)
{
    const tmli_decorator *d = self;
    return d->inner->inputs_changed(d->self, x, err);
}

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
    if (inner->vibrates) d->ops.vibrates = vibrates;
    if (inner->inputs_changed) d->ops.inputs_changed = inputs_changed;
}

void tmli_decorator_clear(tmli_decorator *d)
{
    if (d->self) d->inner->destroy(d->self);
    d->self = NULL;
}
