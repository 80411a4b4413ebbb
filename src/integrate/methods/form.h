// A method on another form of the equations: it integrates a second system made from the first (bodies on
// SE(3), joint coordinates), while its caller sees ordinary states.
#ifndef TMLI_INTEGRATE_METHODS_FORM_H
#define TMLI_INTEGRATE_METHODS_FORM_H

#include "base/base.h"
#include <trammel/integrator.h>

/** Another form of a system, and how states pass. */
typedef struct tmli_form {
    tml_system *system;  // ended with the method
    void *work;          // of that system, for the two functions
    /** inside: state of `system`; x: of the ordinary one. */
    tml_status (*enter)(const struct tmli_form *f, const tml_state *x, tml_state *inside, tml_error *err);
    void (*leave)(const struct tmli_form *f, const tml_state *inside, tml_state *x);
} tmli_form;

/** `inner` on the form f of sys; opt is what inner is given. *ops lives in *self and ends with it, as does f,
 * also on failure. */
tml_status tmli_form_create(const tml_method_ops *inner, const tml_system *sys, tmli_form f,
                            const tml_integrator_options *opt, const tml_method_ops **ops, void **self,
                            tml_error *err);

/** sys with bodies on SE(3), as opt->group says. */
tml_status tmli_form_se3(const tml_system *sys, const tml_integrator_options *opt, tmli_form *f,
                         tml_error *err);
/** sys in joint coordinates. explicit: the method never asks for an iteration matrix. */
tml_status tmli_form_joints(const tml_system *sys, bool explicit_method, tmli_form *f, tml_error *err);
void tmli_form_clear(tmli_form *f);

#endif
