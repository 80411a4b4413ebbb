// The report of `trammel check`, as text and as JSON.
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "json.h"

#include <trammel/advice.h>
#include <trammel/check.h>

/** Print the report as text. all: list every body, joint, reaction and root. advice: NULL to omit it. */
void cli_check_text(const tml_check *c, const tml_advice *advice, bool all);
/** Write the members of the JSON report. */
void cli_check_json(cli_json *j, const tml_check *c, const tml_advice *advice);

#endif
