// The tables of all methods, defined in the rooms of the methods and listed in integrate/methods/methods.c.
#ifndef TMLI_INTEGRATE_CORE_METHODS_H
#define TMLI_INTEGRATE_CORE_METHODS_H

#include <trammel/integrator.h>

extern const tml_method_ops tmli_method_genalpha;
extern const tml_method_ops tmli_method_radau3, tmli_method_radau5;
extern const tml_method_ops tmli_method_ggl_radau3, tmli_method_ggl_radau5;
extern const tml_method_ops tmli_method_hht;
extern const tml_method_ops tmli_method_newmark;
extern const tml_method_ops tmli_method_midpoint;
extern const tml_method_ops tmli_method_bdf;
extern const tml_method_ops tmli_method_bdf2;
extern const tml_method_ops tmli_method_ggl;
extern const tml_method_ops tmli_method_ssp_trap, tmli_method_infl_trap, tmli_method_infl_sdirk;
extern const tml_method_ops tmli_method_for_sdirk, tmli_method_for_rosen;
extern const tml_method_ops tmli_method_baumgarte, tmli_method_trust_region, tmli_method_direct_reg;
extern const tml_method_ops tmli_method_erk5, tmli_method_erk8, tmli_method_adams;

#endif
