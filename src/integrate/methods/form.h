// A method on another form of the equations: it integrates a second system made from the first (bodies on
// SE(3), joint coordinates), while its caller sees ordinary states. form.c has the decorator, forms.c the
// forms.
#ifndef TMLI_INTEGRATE_METHODS_FORM_H
#define TMLI_INTEGRATE_METHODS_FORM_H

#include "base/base.h"
#include <trammel/integrator.h>

/** Another form of a system, and the conversion of states. */
typedef struct tmli_form {
    tml_system *system;  // destroyed with the method
    void *work;          // workspace of that system, for the two functions
    /** inside: state of `system`; x: state of the ordinary system. */
    tml_status (*enter)(const struct tmli_form *f, const tml_state *x, tml_state *inside, tml_error *err);
    void (*leave)(const struct tmli_form *f, const tml_state *inside, tml_state *x);
    /** Project `inside`, and find accelerations and multipliers by the forces there. NULL: never possible. */
    bool (*settle)(const struct tmli_form *f, tml_state *inside);
    /** Leave with all multipliers; `inside` is settled. */
    bool (*complete)(const struct tmli_form *f, const tml_state *inside, tml_state *x);
    /** Visit what `leave` remembers. NULL: nothing. */
    void (*archive)(const struct tmli_form *f, tml_archive *a);
} tmli_form;

/** Create `inner` on the form f of sys; opt are the options of inner. *ops lives in *self and ends with it.
 * f is destroyed with *self, and also on failure. */
tml_status tmli_form_create(const tml_method_ops *inner, const tml_system *sys, tmli_form f,
                            const tml_integrator_options *opt, const tml_method_ops **ops, void **self,
                            tml_error *err);

/** sys with bodies on SE(3), as opt->run.group says. */
tml_status tmli_form_se3(const tml_system *sys, const tml_integrator_options *opt, tmli_form *f,
                         tml_error *err);
/** sys in joint coordinates. explicit_method: the method never needs an iteration matrix. *made: that system,
 * if it was created before (then taken, and *made is NULL); else NULL. */
tml_status tmli_form_joints(const tml_system *sys, bool explicit_method, tml_system **made, tmli_form *f,
                            tml_error *err);
void tmli_form_clear(tmli_form *f);

#endif
