// The catalogue of methods. Each is a table of functions, defined in the room of the method.
#ifndef TMLI_INTEGRATE_CORE_METHODS_H
#define TMLI_INTEGRATE_CORE_METHODS_H

#include <trammel/integrator.h>

/** All methods in the order in which they are listed: one line per method is all that a new one needs besides
 * its own file. */
// clang-format off
#define TMLI_METHOD_LIST(X) \
    X(genalpha) X(hht) X(newmark) X(midpoint) X(decay) X(conserve) X(bdf) X(bdf2) X(radau3) X(radau5) X(ggl) \
    X(ggl_radau3) X(ggl_radau5) X(ssp_trap) X(ssp_sdirk) X(infl_trap) X(infl_sdirk) X(for_sdirk) \
    X(for_rosen) X(erk5) X(erk8) X(adams)
/** Methods that need IDA of SUNDIALS. */
#define TMLI_IDA_METHOD_LIST(X) \
    X(baumgarte) X(trust_region) X(direct_reg)
// clang-format on

#define TMLI_DECLARE_METHOD(name) extern const tml_method_ops tmli_method_##name;
TMLI_METHOD_LIST(TMLI_DECLARE_METHOD)
TMLI_IDA_METHOD_LIST(TMLI_DECLARE_METHOD)
#undef TMLI_DECLARE_METHOD

/** The function `create` of one method of a family, by a call with what tells it from the others. */
#define TMLI_CREATE_METHOD(name, call)                                                            \
    static tml_status name(const tml_system *sys, const tml_integrator_options *opt, void **self, \
                           tml_error *err)                                                        \
    {                                                                                             \
        return call;                                                                              \
    }

/** tml_method_create with what the caller has made before. *joints: sys in joint coordinates, created with or
 * without a matrix, or NULL. A method that uses them takes the system: then *joints is NULL afterwards. */
tml_status tmli_method_create(const tml_method_ops *method, const tml_system *sys,
                              const tml_integrator_options *opt, tml_system **joints,
                              const tml_method_ops **ops, void **self, tml_error *err);

#endif
