// The report of `trammel check`.
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/common/report.h"

#include <trammel/advice.h>
#include <trammel/check.h>

/** all: the text also lists every body, joint, reaction and root. advice: NULL to omit it. */
void cli_check_report(cli_report *r, const tml_check *c, const tml_advice *advice, bool all);
/** Write the report with its diagrams as HTML. file: of the model; advice may be NULL. */
tml_status cli_check_html(const tml_check *c, const tml_advice *advice, const tml_model *model,
                          const char *file, const char *path, const tml_env *env, tml_error *err);

#endif
