// trammel static: what its files share.
#ifndef CLI_STATIC_H
#define CLI_STATIC_H

#include <trammel/sim.h>

/** Draw the bodies at the start and in the equilibrium that `sim` begins in (--plot). */
tml_status static_draw(const char *path, const tml_sim *sim, const tml_env *env, tml_error *err);

#endif
