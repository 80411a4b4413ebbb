// The choice of a method by what a model shows at its start.
#ifndef TMLI_SIM_CHOOSE_H
#define TMLI_SIM_CHOOSE_H

#include "sim/sim.h"

typedef struct tmli_sim_choice {
    const tml_method_ops *method;
    tml_kinematics kinematics;
    char reason[160];
} tmli_sim_choice;

/** The method for a run that leaves the choice open (`auto`), its unknowns, and the reason in a few words,
 * for the report. x: consistent. implicit: no explicit method, since one has been seen to crawl. The facts
 * cost less than some steps; what cannot be had is left out. TML_ERR_NOMEM only. */
tml_status tmli_sim_choose(const tml_sim *sim, const tml_state *x, bool implicit, tmli_sim_choice *out,
                           tml_error *err);

#endif
