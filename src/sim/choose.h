// The choice of a method by what a model shows at its start.
#ifndef TMLI_CHOOSE_H
#define TMLI_CHOOSE_H

#include "sim/sim.h"

/** The method for a run that leaves the choice open (`auto`), and the reason in a few words, for the report. x: consistent
 * start. The facts cost less than some steps; what cannot be had is left out. TML_ERR_NOMEM only. */
tml_status tmli_sim_choose(const tml_sim *sim, const tml_state *x, const tml_method_ops **out, char *reason,
                           size_t size, tml_error *err);

#endif
