// The choice of `auto`: a method for a model, from its properties at the start.
#ifndef TMLI_SIM_CHOOSE_H
#define TMLI_SIM_CHOOSE_H

#include "sim/loop.h"

typedef struct tmli_sim_choice {
    const tml_method_ops *method;
    tml_kinematics kinematics;
    char reason[160];
} tmli_sim_choice;

/** *driven: no degree of freedom is left at x. Redundant rows are not counted. */
tml_status tmli_sim_check_fully_driven(const tml_sim *sim, const tml_state *x, bool *driven, tml_error *err);
/** Choose the method of a run with method `auto`, its unknowns, and give the reason in a few words for the
 * report. x: consistent state. implicit: exclude explicit methods, because one has turned out to be limited
 * by stability. The joint coordinates that it makes are kept for the method. Costs less than a few steps;
 * properties that cannot be computed are ignored. Fails with TML_ERR_NOMEM only. */
tml_status tmli_sim_choose(tml_sim *sim, const tml_state *x, bool implicit, tmli_sim_choice *out,
                           tml_error *err);
/** The method that passes most where the steps of another implicit one, chosen by `auto`, have collapsed, as
 * they do where light bodies pass a dead point. False: it is in use, or a setting selects the method. */
bool tmli_sim_choose_fallback(const tml_sim *sim, tmli_sim_choice *out);

#endif
