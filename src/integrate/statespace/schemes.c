// The schemes of the state-space family and their method tables; equations in statespace.h.
#include "integrate/core/methods.h"
#include "integrate/statespace/statespace.h"

// convert = c / d^(5/4) with c the constant of the local error and d that of the estimate, of y' = i w y.
// safety balances the stiff double pendulum, which damps errors, against mechanisms that enlarge them
// (docs/theory/state-space.md, 7).
#define TRAPEZOIDAL                                                                                      \
    .order = 2, .estimate_order = 3, .safety = 1, .constant = 1.0 / 12, .table = &tmli_dirk_trapezoidal, \
    .advance = tmli_dirk_advance
#define SDIRK_4_16                                                                       \
    .order = 4, .estimate_order = 4, .convert = 0.3005, .safety = 1, .constant = 8.5e-4, \
    .table = &tmli_dirk_4_16, .advance = tmli_dirk_advance
static const tmli_scheme ssp_trap = {
    .name = "ssp-trap", .iteration = TMLI_ITERATION_STATE_SPACE, TRAPEZOIDAL};
static const tmli_scheme infl_trap = {
    .name = "infl-trap", .iteration = TMLI_ITERATION_DESCRIPTOR, TRAPEZOIDAL};
static const tmli_scheme ssp_sdirk = {
    .name = "ssp-sdirk", .iteration = TMLI_ITERATION_STATE_SPACE, SDIRK_4_16};
static const tmli_scheme infl_sdirk = {
    .name = "infl-sdirk", .iteration = TMLI_ITERATION_DESCRIPTOR, SDIRK_4_16};
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
                                      .safety = 0.45,
                                      .constant = 0.0273,
                                      .advance = tmli_rosen_advance};

TMLI_STATESPACE_METHOD(ssp_trap, "ssp-trap", "trapezoidal rule on the degrees of freedom", "state space",
                       "A-stable", "Negrut 1998, (3.30), (4.1) - (4.3)", 2)
TMLI_STATESPACE_METHOD(ssp_sdirk, "ssp-sdirk", "SDIRK4/16 on the degrees of freedom", "state space",
                       "L-stable, stiffly accurate",
                       "Negrut 1998, (3.68) - (3.73), Table 13; Hairer & Wanner 1996", 4)
TMLI_STATESPACE_METHOD(infl_trap, "infl-trap",
                       "trapezoidal rule, all accelerations and multipliers as unknowns", "descriptor form",
                       "A-stable", "Negrut 1998, (3.76), (4.1), (4.2)", 2)
TMLI_STATESPACE_METHOD(infl_sdirk, "infl-sdirk", "SDIRK4/16, all accelerations and multipliers as unknowns",
                       "descriptor form", "L-stable, stiffly accurate",
                       "Negrut 1998, (3.76), Table 13; Hairer & Wanner 1996", 4)
TMLI_STATESPACE_METHOD(for_sdirk, "for-sdirk", "SDIRK4/15 on the degrees of freedom", "first-order reduction",
                       "L-stable, stiffly accurate",
                       "Negrut 1998, (3.100) - (3.105), (4.84) - (4.91); Hairer & Wanner 1996", 4)
TMLI_STATESPACE_METHOD(for_rosen, "for-rosen", "Rosenbrock-Nystroem on the degrees of freedom, no iteration",
                       "first-order reduction", "L-stable",
                       "Negrut 1998, (4.34), (4.49) - (4.81); Sandu, Negrut et al. 1999", 4)
