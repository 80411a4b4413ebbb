// trammel kinematics: the motion that drivers prescribe, and the forces that it takes.
#include "run.h"

#include <math.h>
#include <stddef.h>

#define AT(member) offsetof(run_values, member)
static const cli_option options[] = {
    CLI_INPUT_MODEL,
    {.kind = CLI_HEADING, .doc = "Model and time"},
    CLI_INPUT_SET,
    CLI_INPUT_SETTINGS(CLI_GROUP_TIME, false),
    {.kind = CLI_HEADING, .doc = "Results"},
    RUN_OPTIONS_RESULTS,
    {.kind = CLI_HEADING, .doc = "Messages"},
    CLI_OPTION_FLAG("--json", 0, AT(json), "print the closing report as JSON"),
    CLI_OPTION_FLAG("--quiet", 'q', AT(quiet), "print no closing report, only errors and warnings"),
    CLI_NO_PROGRESS(AT(no_progress)),
};
#undef AT

static tml_status run(void *values, cli_call *c)
{
    run_values *v = values;
    v->save_at = NAN;
    return cli_run(v, "kinematics", &tml_method_kinematics, c);
}

const cli_command cli_command_kinematics = {
    .name = "kinematics",
    .summary = "Compute the motion that drivers prescribe and the forces that it takes, without integration.",
    .notes = "For mechanisms whose drivers leave no degree of freedom. Positions, velocities and\n"
             "accelerations follow from the constraints at each time, the forces of drivers and joints from\n"
             "the accelerations (inverse dynamics). A singular configuration ends the motion.\n"
             "\n"
             "  trammel kinematics stewart_platform.yaml --csv legs.csv\n",
    CLI_OPTIONS(run_values),
    .files = offsetof(run_values, in.files),
    .run = run,
};
