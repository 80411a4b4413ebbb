// The graph of bodies and joints in the report of `trammel check --html`.
#ifndef CLI_CHECK_GRAPH_H
#define CLI_CHECK_GRAPH_H

#include "cli/common/html.h"

#include <trammel/check.h>

/** A heading and the picture, or why there is none. */
tml_status cli_check_graph(const cli_html *h, const tml_model *model, const tml_check *c, tml_error *err);

#endif
