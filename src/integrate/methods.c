// The table of methods.
#include "integrate/methods.h"
#include "integrate/group.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const tml_method_ops *const tml_methods[] = {
    &tmli_method_genalpha,
    &tmli_method_hht,
    &tmli_method_newmark,
    &tmli_method_midpoint,
    &tmli_method_bdf,
    &tmli_method_bdf2,
    &tmli_method_radau3,
    &tmli_method_radau5,
    &tmli_method_ggl,
    &tmli_method_ggl_radau3,
    &tmli_method_ggl_radau5,
    &tmli_method_ssp_trap,
    &tmli_method_infl_trap,
    &tmli_method_infl_sdirk,
    &tmli_method_for_sdirk,
    &tmli_method_for_rosen,
    &tmli_method_erk5,
    &tmli_method_erk8,
    &tmli_method_adams,
    NULL,
};

const tml_method_ops *tml_method_find(const char *name)
{
    for (size_t i = 0; tml_methods[i]; i++)
        if (strcmp(tml_methods[i]->name, name) == 0) return tml_methods[i];
    return NULL;
}

tml_status tml_method_create(const tml_method_ops *method, const tml_system *sys,
                             const tml_integrator_options *opt, const tml_method_ops **ops, void **self,
                             tml_error *err)
{
    *ops = method;
    if (opt->group != TML_GROUP_R3SO3) return tmli_group_create(method, sys, opt, ops, self, err);
    return method->create(sys, opt, self, err);
}

tml_integrator_options tml_integrator_options_default(void)
{
    return (tml_integrator_options){.size = sizeof(tml_integrator_options),
                                    .rtol = 1e-4,
                                    .atol = 1e-4,
                                    .duration = 1,
                                    .rho = NAN,
                                    .alpha = NAN,
                                    .max_order = 5,
                                    .threads = 1,
                                    .scaling = TML_SCALING_PHYSICAL,
                                    .augment = 1,
                                    .solver = &tml_linsolver_klu};
}
