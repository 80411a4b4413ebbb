// The report of `trammel run --report FILE.csv`: one row per accepted step on the iteration matrix and on
// Newton's method.
#ifndef CLI_CONDITIONING_H
#define CLI_CONDITIONING_H

#include "base/target.h"

#include <trammel/sim.h>

/** Open the draft of the file and write the names of the columns. */
tml_status cli_conditioning_open(tmli_draft *file, const char *path, const tml_env *env, tml_error *err);
/** Write the row of the last accepted step, of length h, which ended at t [s]; whether it could be written is
 * known when the draft is closed. */
void cli_conditioning_row(const tmli_draft *draft, tml_sim *sim, double t, double h);

#endif
