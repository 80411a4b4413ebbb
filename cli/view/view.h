// Shared by the files of `trammel view`.
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include <stdbool.h>
#include <trammel/view.h>

/** Show a file or an address in the browser of the desktop. */
tml_status cli_view_open(const char *path, tml_error *err);
/** Serve the page of a result, as it is and as it changes, until the process is interrupted. port 0: any. */
tml_status cli_view_serve(const char *path, const tml_page_def *def, int port, bool open, const tml_env *env,
                          tml_error *err);

#endif
