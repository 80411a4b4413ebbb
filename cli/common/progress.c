// Progress line of a run on the terminal.
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double interval = 0.1;  // [s] wall time between two drawings

enum { BAR_MIN = 10, BAR_MAX = 40 };

static int terminal_width(void)
{
    struct winsize size = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

void cli_progress_init(cli_progress *p, bool wanted, double start, double end)
{
    const char *term = getenv("TERM");
    const bool dumb = !term || strcmp(term, "dumb") == 0;  // cannot clear a line
    *p = (cli_progress){.enabled = wanted && !dumb && isatty(STDERR_FILENO),
                        .notes = p->notes,
                        .start = start,
                        .end = end,
                        .marks = p->marks};
    if (!p->enabled) return;
    p->began = tmli_wall_time();
    p->next = p->began + interval;
}

bool cli_progress_due(cli_progress *p)
{
    if (!p->enabled) return false;
    const double now = tmli_wall_time();
    if (now < p->next) return false;
    p->next = now + interval;
    return true;
}

// "12 s", "3:07", "2:15:09"
static void format_duration(double seconds, char *buf, size_t size)
{
    if (!(seconds < 360000)) {  // 100 h
        snprintf(buf, size, "> 100 h");
        return;
    }
    const long s = lround(seconds);
    if (s < 60) snprintf(buf, size, "%ld s", s);
    else if (s < 3600) snprintf(buf, size, "%ld:%02ld", s / 60, s % 60);
    else snprintf(buf, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

void cli_progress_draw(cli_progress *p, double t, double h, long steps)
{
    if (!p->enabled) return;
    double done = (t - p->start) / (p->end - p->start);
    if (!(done > 0)) done = 0;
    if (done > 1) done = 1;
    char left[32] = "?";
    if (done > 0) format_duration((tmli_wall_time() - p->began) * (1 - done) / done, left, sizeof left);

    char text[200];
    const int used = snprintf(text, sizeof text, " %3d %%  %.4g of %.4g s  h %.1e  %ld steps  %s left",
                              (int)(100 * done), t, p->end, h, steps, left);
    const int width = terminal_width() - 1;  // a full line would wrap
    int bar = width - used - 2;
    if (bar > BAR_MAX) bar = BAR_MAX;
    char line[BAR_MAX + 8] = "";
    if (bar >= BAR_MIN) {
        const int full = (int)(bar * done);
        line[0] = '[';
        for (int i = 0; i < bar; i++) line[i + 1] = i < full ? '#' : '.';
        line[bar + 1] = ']';
        line[bar + 2] = 0;
    }
    fprintf(stderr, "\r\033[K%s%.*s", line, bar >= BAR_MIN ? used : width, text);
    fflush(stderr);
    p->shown = true;
}

void cli_progress_clear(cli_progress *p)
{
    if (!p->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->shown = false;
}
