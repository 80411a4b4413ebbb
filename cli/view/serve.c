// trammel view --serve: the page of a result that may still grow.
#include "cli/common/cli.h"
#include "cli/common/report.h"
#include "view.h"

#include "view/serve/live.h"

#include <stdio.h>

static const double LOOK = 0.5;  // [s] between two looks at the signal

tml_status cli_view_serve(const char *path, const tml_page_def *def, int port, bool open, const tml_env *env,
                          tml_error *err)
{
    tmli_http *server = NULL;
    tmli_live live = {.path = path, .def = *def, .env = env};
    tml_status st = tmli_http_open(port, env, &server, err);
    if (st != TML_OK) return st;
    char address[64];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/", tmli_http_port(server));
    cli_interrupts(true);
    printf("%s shows '%s' (Ctrl-C ends)\n", address, CLI_VISIBLE(path));
    fflush(stdout);
    if (open) st = cli_view_open(address, err);
    while (st == TML_OK && !cli_interrupted())
        st = tmli_http_serve(server, LOOK, tmli_live_answer, &live, err);
    cli_interrupts(false);
    tmli_http_close(server);
    return st;
}
