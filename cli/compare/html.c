// trammel compare --html: the table and its diagrams.
#define _POSIX_C_SOURCE 200809L
#include "cli/common/html.h"
#include "compare.h"

#include "base/base.h"

static tml_status put_diagrams(const cli_html *h, const tml_comparison *c, tml_error *err)
{
    static const char *const titles[] = {"Positions", "Velocities", "Reactions"};
    tml_status st = TML_OK;
    for (int kind = COMPARE_POSITION; kind <= COMPARE_MULTIPLIER && st == TML_OK; kind++) {
        tml_plot *plot = NULL;
        cli_html_heading(h, titles[kind]);
        st = compare_make_plot(c, NULL, kind, NULL, &plot, err);
        if (st == TML_OK) st = cli_html_plot(h, plot, err);
        tml_plot_destroy(plot);
    }
    return st;
}

typedef struct printed {
    const tml_comparison *result;
    const char *title;
    int threads;
} printed;

static void print_table(const void *data, FILE *out)
{
    const printed *p = data;
    compare_print(p->result, p->title, p->threads, out);
}

tml_status compare_write_html(const tml_comparison *c, const char *title, const char *file, int threads,
                              const char *path, const tml_env *env, tml_error *err)
{
    cli_html h;
    tml_status st = cli_html_begin(&h, path, title, file, env, err);
    if (st != TML_OK) return st;
    cli_html_paragraph(&h, "Error over CPU time: a line per method, a marker per tolerance. Lower left is "
                           "better.");
    st = put_diagrams(&h, c, err);
    if (st == TML_OK) st = cli_html_table(&h, print_table, &(printed){c, title, threads}, err);
    return cli_html_end(&h, st, err);
}
