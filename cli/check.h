// The report of `trammel check`, for people and for programs.
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "json.h"

#include <trammel/advice.h>
#include <trammel/check.h>

/** all: with every body, joint, reaction, root. advice: NULL if it is not wanted. */
void cli_check_text(const tml_check *c, const tml_advice *advice, bool all);
/** Members of the JSON report. */
void cli_check_json(cli_json *j, const tml_check *c, const tml_advice *advice);

#endif
