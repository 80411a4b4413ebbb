// The state of a model at which `trammel modes` and `trammel linearize` look.
#ifndef CLI_STATE_AT_H
#define CLI_STATE_AT_H

#include "settings.h"

#include <trammel/sim.h>

/** A row of a table whose struct of values begins with a cli_input: --at. */
#define CLI_STATE_AT(member)                                                                                \
    {                                                                                                       \
        .name = "--at", .kind = CLI_TEXT, .offset = (member), .arg = "WHEN", .fallback = "start",           \
        .doc = "the state: start (default), equilibrium (at rest, see 'trammel static'), steady (rotation " \
               "in equilibrium with its centrifugal forces), or a time of the run [s]"                      \
    }

/** A model at a state. Zero-initialize; cli_state_clear destroys all. */
typedef struct cli_state {
    tml_spec *spec;
    tml_model *model;
    tml_sim *sim;
    tml_state *x;    // consistent
    bool simulated;  // the simulation was created: failures are failures of the run
} cli_state;

/** Load the model and go to the state `at`. */
tml_status cli_state_load(cli_state *s, const cli_input *in, const char *at, const tml_env *env,
                          tml_error *err);
void cli_state_clear(cli_state *s);
/** The state in a report; what: that which is found there, "modes". */
void cli_state_report(cli_report *r, double t, bool rest, bool steady, const char *axes, const char *what);

#endif
