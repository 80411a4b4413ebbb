// Back to a state of a simulation in place, without a new simulation: for many runs of one model.
#ifndef TMLI_SIM_REWIND_H
#define TMLI_SIM_REWIND_H

#include "base/base.h"
#include <trammel/sim.h>

/** All that later steps depend on, as it was. */
typedef struct tmli_sim_mark {
    tml_env env;
    unsigned char *fields;  // of the simulation with its method and solvers
    size_t fields_size;
    unsigned char *whole;  // as tml_sim_save_memory, for a simulation with other ones
    size_t whole_size;
    const void *method, *solver;  // in use
} tmli_sim_mark;

tml_status tmli_sim_mark_create(const tml_sim *sim, tmli_sim_mark *out, tml_error *err);
void tmli_sim_mark_clear(tmli_sim_mark *m);
/** Go back to the mark, which is of this simulation: the same bits follow as after the mark. Nothing is
 * allocated, unless the run since then has changed the method or the solver: then *sim is another
 * simulation, without hooks. */
tml_status tmli_sim_rewind(tml_sim **sim, const tmli_sim_mark *m, tml_error *err);

#endif
