// The schemes of the state-space family and their method tables; equations in statespace.h.
#include "integrate/core/methods.h"
#include "integrate/statespace/statespace.h"

// convert = c / d^(5/4) with c the constant of the local error and d that of the estimate, of y' = i w y.
// safety balances the stiff double pendulum, which damps errors, against mechanisms that enlarge them
// (docs/theory/state-space.md, 7).
static const tmli_scheme ssp_trap = {.name = "ssp-trap",
                                     .order = 2,
                                     .estimate_order = 3,
                                     .safety = 1,
                                     .constant = 1.0 / 12,
                                     .table = &tmli_dirk_trapezoidal,
                                     .advance = tmli_dirk_advance};
static const tmli_scheme infl_trap = {.name = "infl-trap",
                                      .order = 2,
                                      .estimate_order = 3,
                                      .safety = 1,
                                      .constant = 1.0 / 12,
                                      .descriptor = true,
                                      .table = &tmli_dirk_trapezoidal,
                                      .advance = tmli_dirk_advance};
static const tmli_scheme infl_sdirk = {.name = "infl-sdirk",
                                       .order = 4,
                                       .estimate_order = 4,
                                       .convert = 0.3005,
                                       .safety = 1.3,
                                       .constant = 8.5e-4,
                                       .descriptor = true,
                                       .table = &tmli_dirk_4_16,
                                       .advance = tmli_dirk_advance};
static const tmli_scheme for_sdirk = {.name = "for-sdirk",
                                      .order = 4,
                                      .estimate_order = 4,
                                      .convert = 0.0967,
                                      .safety = 1,
                                      .constant = 4.2e-4,
                                      .table = &tmli_dirk_4_15,
                                      .advance = tmli_dirk_advance};
static const tmli_scheme for_rosen = {.name = "for-rosen",
                                      .order = 4,
                                      .estimate_order = 4,
                                      .convert = 1.546,
                                      .safety = 0.365,
                                      .constant = 0.0273,
                                      .advance = tmli_rosen_advance};

#define STATESPACE(SCHEME, NAME, SUMMARY, FORM, STABILITY, CITATION, ORDER)                                  \
    static tml_status create_##SCHEME(const tml_system *sys, const tml_integrator_options *opt, void **self, \
                                      tml_error *err)                                                        \
    {                                                                                                        \
        return tmli_statespace_create(sys, opt, &SCHEME, self, err);                                         \
    }                                                                                                        \
    const tml_method_ops tmli_method_##SCHEME = {.name = NAME,                                               \
                                                 .summary = SUMMARY,                                         \
                                                 .form = FORM,                                               \
                                                 .stability = STABILITY,                                     \
                                                 .citation = CITATION,                                       \
                                                 .order = ORDER,                                             \
                                                 .equations = TML_EQUATIONS_STATE_SPACE,                     \
                                                 .create = create_##SCHEME,                                  \
                                                 .start = tmli_statespace_start,                             \
                                                 .first_step = tmli_statespace_first_step,                   \
                                                 .step = tmli_statespace_step,                               \
                                                 .next_step = tmli_statespace_next_step,                     \
                                                 .accept = tmli_statespace_accept,                           \
                                                 .interpolate = tmli_statespace_interpolate,                 \
                                                 .state = tmli_statespace_state,                             \
                                                 .counters = tmli_statespace_counters,                       \
                                                 .condition = tmli_statespace_condition,                     \
                                                 .destroy = tmli_statespace_destroy};

STATESPACE(ssp_trap, "ssp-trap", "trapezoidal rule on the degrees of freedom", "state space", "A-stable",
           "Negrut 1998", 2)
STATESPACE(infl_trap, "infl-trap", "trapezoidal rule, all accelerations and multipliers as unknowns",
           "descriptor form", "A-stable", "Negrut 1998", 2)
STATESPACE(infl_sdirk, "infl-sdirk", "SDIRK4/16, all accelerations and multipliers as unknowns",
           "descriptor form", "L-stable, stiffly accurate", "Negrut 1998; Hairer & Wanner 1996", 4)
STATESPACE(for_sdirk, "for-sdirk", "SDIRK4/15 on the degrees of freedom", "first-order reduction",
           "L-stable, stiffly accurate", "Negrut 1998; Hairer & Wanner 1996", 4)
STATESPACE(for_rosen, "for-rosen", "Rosenbrock-Nystroem on the degrees of freedom, no iteration",
           "first-order reduction", "L-stable", "Negrut 1998; Sandu, Negrut et al. 1999", 4)
