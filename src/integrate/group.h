// A method on another group: it integrates the model's equations on SE(3), while its caller sees ordinary states.
#ifndef TMLI_GROUP_H
#define TMLI_GROUP_H

#include "base/base.h"
#include <trammel/integrator.h>

/** `inner` on SE(3). *ops lives in *self and ends with it. */
tml_status tmli_group_create(const tml_method_ops *inner, const tml_system *sys,
                             const tml_integrator_options *opt, const tml_method_ops **ops, void **self,
                             tml_error *err);

#endif
