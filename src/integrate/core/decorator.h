// Decorator: a method that wraps another one, replaces some of its functions and forwards the rest.
//
// A decorator is a struct that begins with a tmli_decorator. tmli_decorate fills its table with functions
// that forward to the inner method; the decorator then puts its own functions in place of some of them.
#ifndef TMLI_INTEGRATE_CORE_DECORATOR_H
#define TMLI_INTEGRATE_CORE_DECORATOR_H

#include <trammel/integrator.h>

typedef struct tmli_decorator {
    tml_method_ops ops;  // the table given to the caller
    const tml_method_ops *inner;
    void *self;  // instance of the inner method
} tmli_decorator;

/** Fill the table. `create` is NULL, because each decorator has a creation function of its own. `destroy`
 * belongs to the decorator and must also destroy the inner method (tmli_decorator_clear). */
void tmli_decorate(tmli_decorator *d, const tml_method_ops *inner, void (*destroy)(void *self));
/** The inner method; the forwarded `archive` of a decorator without fields of its own. */
void tmli_decorator_archive(void *self, tml_archive *a);
/** Destroy the inner method, if there is one. */
void tmli_decorator_clear(tmli_decorator *d);

#endif
