// A method around another one: it does something of its own in some functions and passes the rest on.
//
// A decorator is a struct that begins with a tmli_decorator. Its table is that of the method within, with
// functions that pass everything on; after tmli_decorate it puts its own in place of some.
#ifndef TMLI_INTEGRATE_CORE_DECORATOR_H
#define TMLI_INTEGRATE_CORE_DECORATOR_H

#include <trammel/integrator.h>

typedef struct tmli_decorator {
    tml_method_ops ops;  // handed out
    const tml_method_ops *inner;
    void *self;  // of inner
} tmli_decorator;

/** Fill the table. It has no `create`, as decorators are made by functions of their own, and `destroy` is
 * theirs to set: it ends inner too. */
void tmli_decorate(tmli_decorator *d, const tml_method_ops *inner, void (*destroy)(void *self));
/** End the method within, if there is one. */
void tmli_decorator_clear(tmli_decorator *d);

#endif
