// The history of the steps of a run; see history.h.
#define _POSIX_C_SOURCE 200809L
#include "history.h"

#include "base/stream.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

// x with so many digits: the numbers are for a picture, and short.
static double rounded(double x, int digits)
{
    if (x == 0 || !isfinite(x)) return x;
    const double unit = pow(10, digits - 1 - floor(log10(fabs(x))));
    return isfinite(unit) && unit > 0 ? round(x * unit) / unit : x;
}

static void put_numbers(cli_json *j, const char *name, const cli_history *h, double (*of)(const cli_span *),
                        int digits)
{
    cli_json_open(j, name, '[');
    for (int i = 0; i < h->count; i++) cli_json_number(j, NULL, rounded(of(&h->span[i]), digits));
    cli_json_close(j, ']');
}

static double end_of(const cli_span *s) { return s->t; }
static double least_of(const cli_span *s) { return s->least; }
static double most_of(const cli_span *s) { return s->most; }
static double iterations_of(const cli_span *s) { return (double)s->iterations; }

char *cli_history_text(const cli_history *h)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = tmli_memory_stream(NULL, &text, &size);
    if (!f) return NULL;
    cli_json j = {.out = f, .compact = true};
    cli_json_open(&j, NULL, '{');
    cli_json_integer(&j, "steps", h->steps);
    cli_json_number(&j, "start", h->start);
    put_numbers(&j, "t", h, end_of, 9);
    put_numbers(&j, "least", h, least_of, 4);
    put_numbers(&j, "most", h, most_of, 4);
    put_numbers(&j, "iterations", h, iterations_of, 9);
    cli_json_close(&j, '}');
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}
