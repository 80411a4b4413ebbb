// for-sdirk2: two stages, order 2, L-stable, on the degrees of freedom.
//   gamma = 1 - 1/sqrt(2);   A = [gamma 0; 1 - gamma  gamma]        (R. Alexander, 1977)
// Without an embedded method the error is estimated from the step before.
#include "integrate/core/methods.h"
#include "integrate/statespace/statespace.h"

#define GAMMA 0.29289321881345247560

static const tmli_dirk_table two_stages = {.stages = 2,
                                           .gamma = GAMMA,
                                           .c = {GAMMA, 1},
                                           .A = {{GAMMA, 0}, {1 - GAMMA, GAMMA}},
                                           .alpha = {{0}, {1 / GAMMA}}};  // starting value: z_1 = z_0/gamma

static const tmli_scheme for_sdirk2 = {.name = "for-sdirk2",
                                       .order = 2,
                                       .estimate_order = 3,
                                       .safety = 1,
                                       .constant = 0.0404,  // |1/6 - 3/2 gamma + 3 gamma^2 - gamma^3|
                                       .table = &two_stages,
                                       .advance = tmli_dirk_advance};

TMLI_STATESPACE_METHOD(for_sdirk2, "for-sdirk2", "two-stage SDIRK on the degrees of freedom",
                       "first-order reduction", "L-stable, stiffly accurate", "Alexander 1977", 2)
