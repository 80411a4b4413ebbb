// trammel view --serve: the page of a result that may still grow.
#define _POSIX_C_SOURCE 200809L
#include "view.h"

#include "view/serve/live.h"

#include <signal.h>
#include <stdio.h>

static const double LOOK = 0.5;  // [s] between two looks at the signal

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

tml_status cli_view_serve(const char *path, const tml_page_def *def, int port, bool open, const tml_env *env,
                          tml_error *err)
{
    tmli_http *server = NULL;
    tmli_live live = {.path = path, .def = *def, .env = env};
    tml_status st = tmli_http_open(port, env, &server, err);
    if (st != TML_OK) return st;
    char address[64];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/", tmli_http_port(server));
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}, old_int, old_term;
    sigemptyset(&action.sa_mask);
    interrupted = 0;
    sigaction(SIGINT, &action, &old_int);  // a second signal ends the process
    sigaction(SIGTERM, &action, &old_term);
    printf("%s shows '%s' (Ctrl-C ends)\n", address, path);
    fflush(stdout);
    if (open) st = cli_view_open(address, err);
    while (st == TML_OK && !interrupted) st = tmli_http_serve(server, LOOK, tmli_live_answer, &live, err);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    tmli_http_close(server);
    return st;
}
