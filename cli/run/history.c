// The history of the steps of a run; see history.h.
#define _POSIX_C_SOURCE 200809L
#include "history.h"

#include "cli/common/report.h"

#include <math.h>

void cli_history_begin(cli_history *h, const tml_sim_report *report, double t)
{
    *h = (cli_history){.steps = 1, .start = t, .iterations = report->count.iterations};
}

static void add(cli_span *a, const cli_span *b)
{
    a->t = b->t;
    a->least = fmin(a->least, b->least);
    a->most = fmax(a->most, b->most);
    if (b->iterations > a->iterations) a->iterations = b->iterations;
}

static void halve(cli_history *h)
{
    for (int i = 0; i < CLI_HISTORY_MAX / 2; i++) {
        h->span[i] = h->span[2 * i];
        add(&h->span[i], &h->span[2 * i + 1]);
    }
    h->count = CLI_HISTORY_MAX / 2;
    h->steps *= 2;
    h->in_last = h->steps;
}

void cli_history_step(cli_history *h, const tml_sim_report *report, double t, double step)
{
    const cli_span now = {t, step, step, report->count.iterations - h->iterations};
    h->iterations = report->count.iterations;
    if (h->count == CLI_HISTORY_MAX && h->in_last == h->steps) halve(h);
    if (h->count > 0 && h->in_last < h->steps) {
        add(&h->span[h->count - 1], &now);
        h->in_last++;
    } else {
        h->span[h->count++] = now;
        h->in_last = 1;
    }
}

// The numbers are for a picture, and short.
static void put_numbers(tmli_json *j, const char *name, const cli_history *h, double (*of)(const cli_span *),
                        int digits)
{
    tmli_json_open(j, name, '[');
    for (int i = 0; i < h->count; i++) tmli_json_rounded(j, NULL, of(&h->span[i]), digits);
    tmli_json_close(j, ']');
}

static double end_of(const cli_span *s) { return s->t; }
static double least_of(const cli_span *s) { return s->least; }
static double most_of(const cli_span *s) { return s->most; }
static double iterations_of(const cli_span *s) { return (double)s->iterations; }

char *cli_history_text(const cli_history *h)
{
    tmli_json j = {.style = TMLI_JSON_LINE};
    tmli_json_open(&j, NULL, '{');
    tmli_json_members(&j, "steps %ld start %g", h->steps, h->start);
    put_numbers(&j, "t", h, end_of, 9);
    put_numbers(&j, "least", h, least_of, 4);
    put_numbers(&j, "most", h, most_of, 4);
    put_numbers(&j, "iterations", h, iterations_of, 9);
    tmli_json_close(&j, '}');
    return tmli_json_take(&j);
}
