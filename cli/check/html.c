// trammel check --html: the report with its diagrams: the graph of bodies and joints, the spectrum, the
// sparsity of the iteration matrix before and after ordering.
#define _POSIX_C_SOURCE 200809L
#include "cli/common/html.h"
#include "check.h"
#include "graph.h"

#include "linalg/pattern/order.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

enum { PATTERN_BLOCKS = 600 };  // that the picture of the pattern shows at most

// ---- the spectrum -----------------------------------------------------------------------------------------

static tml_status put_spectrum(const cli_html *h, const tml_check *c, tml_error *err)
{
    cli_html_heading(h, "Spectrum");
    if (!c->has_spectrum || c->eigenvalue_count == 0) {
        cli_html_paragraph(h, "There is none; see the notes.");
        return TML_OK;
    }
    const size_t n = (size_t)c->eigenvalue_count;
    double *re = malloc(n * sizeof *re), *im = malloc(n * sizeof *im);
    tml_plot *plot = NULL;
    tml_plot_def def = tml_plot_def_default();
    def.x = (tml_axis_def){.label = "real part", .unit = "1/s", .min = NAN, .max = NAN};
    def.y = (tml_axis_def){.label = "imaginary part", .unit = "rad/s", .min = NAN, .max = NAN};
    tml_status st = re && im ? TML_OK : tmli_no_memory(err, "diagram");
    for (size_t i = 0; i < n && st == TML_OK; i++) {
        re[i] = c->eigenvalues[i].re;
        im[i] = c->eigenvalues[i].im;
    }
    if (st == TML_OK) st = tml_plot_create(&def, NULL, &plot, err);
    tml_series_def s = tml_series_def_default();
    s.count = c->eigenvalue_count;
    s.x = re;
    s.y = im;
    s.line = TML_LINE_NONE;
    s.marker = TML_MARKER_CROSS;
    if (st == TML_OK) st = tml_plot_add(plot, &s, err);
    if (st == TML_OK) st = cli_html_plot(h, plot, err);
    cli_html_paragraph(h, c->instantaneous
                              ? "The start is no equilibrium: these are the coefficients of this "
                                "instant, and motions do not follow them for long."
                          : c->steady ? "Small motions beside the steady motion of the start."
                                      : "Small motions beside the equilibrium of the start.");
    tml_plot_destroy(plot);
    free(re);
    free(im);
    return st;
}

// ---- the pattern ------------------------------------------------------------------------------------------

static void put_cell(const cli_html *h, double cell, int row, int column, const char *colour)
{
    fprintf(h->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
            cell * column, cell * row, cell, cell, colour);
}

// place: position of a block. fill: entries that elimination adds, drawn below; NULL: none.
static void draw_pattern(const cli_html *h, const tml_pattern *p, const int *place, const tmli_order *fill,
                         const char *caption)
{
    const int size = 380;
    const double cell = (double)size / p->nblocks;
    fprintf(h->out,
            "<figure><svg class=\"pattern\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "shape-rendering=\"crispEdges\"><rect width=\"%d\" height=\"%d\" fill=\"#f5f7fa\"/>\n",
            size, size, size, size, size, size);
    for (int k = 0; fill && k < fill->nblocks; k++)
        for (size_t i = fill->ptr[k]; i < fill->ptr[k + 1]; i++) {
            const int a = place[fill->perm[k]], b = place[fill->ind[i]];
            put_cell(h, cell, a, b, "#e7b072");
            put_cell(h, cell, b, a, "#e7b072");
        }
    for (int b = 0; b < p->nblocks; b++) {
        const int column = p->blockptr[b];
        int row_block = 0, last = -1;
        for (int i = p->colptr[column]; i < p->colptr[column + 1]; i++) {
            while (p->blockptr[row_block + 1] <= p->rowind[i]) row_block++;
            if (row_block == last) continue;
            last = row_block;
            const bool multiplier = p->multiplier[b] || p->multiplier[row_block];
            put_cell(h, cell, place[row_block], place[b], multiplier ? "#4fa37a" : "#3f76c2");
        }
    }
    fputs("</svg><figcaption>", h->out);
    cli_html_text(h, caption);
    fputs("</figcaption></figure>\n", h->out);
}

static tml_status put_pattern(const cli_html *h, const tml_model *model, tml_error *err)
{
    const tml_pattern *p = model->pattern;
    tmli_order order = {0};
    cli_html_heading(h, "Iteration matrix");
    if (!p || p->nblocks == 0 || p->nblocks > PATTERN_BLOCKS) {
        cli_html_paragraph(h, "The model has too many blocks for a picture of its matrix.");
        return TML_OK;
    }
    int *place = malloc((size_t)p->nblocks * sizeof *place);
    tml_status st =
        place ? tmli_order_init(&order, p, false, INFINITY, NULL, err) : tmli_no_memory(err, "picture");
    if (st == TML_OK) {
        char text[200];
        cli_html_raw(h, "<div class=\"pair\">\n");
        for (int i = 0; i < p->nblocks; i++) place[i] = i;
        snprintf(text, sizeof text, "As the model gives it: %d blocks, %d unknowns.", p->nblocks, p->n);
        draw_pattern(h, p, place, NULL, text);
        for (int k = 0; k < p->nblocks; k++) place[order.perm[k]] = k;
        snprintf(text, sizeof text,
                 "In the order in which the block solver eliminates it: %.3g operations, fill in orange.",
                 order.flops);
        draw_pattern(h, p, place, &order, text);
        cli_html_raw(h, "</div>\n<p>Blue: bodies and what couples them; green: joints.</p>\n");
    }
    tmli_order_clear(&order, NULL);
    free(place);
    return st;
}

// ---- the report -------------------------------------------------------------------------------------------

static void put_summary(const cli_html *h, const tml_check *c, const tml_advice *advice)
{
    cli_html_heading(h, "Summary");
    cli_html_raw(h, "<table>\n");
    cli_report r = cli_html_facts(h);
    cli_line(&r, "model", "{%d body|bodies}, {%d joint}, {%d force}, size %.4g m", c->body_count,
             c->joint_count, c->force_count, c->length);
    if (c->freedoms >= 0)
        cli_line(&r, "degrees of freedom", "%d (%d coordinates, %d independent of %d constraint rows)",
                 c->freedoms, c->coordinates, c->rank, c->rows);
    if (c->mobility[0]) cli_line(&r, "why not the Gruebler count", "%s", c->mobility);
    cli_line(&r, "redundant rows", "%d", c->dependency_count);
    cli_line(&r, "reactions", "%d unique, %d shared, %d indeterminate", c->unique, c->shared,
             c->indeterminate);
    if (c->has_spectrum && c->fastest > 0)
        cli_line(&r, "time scales", "fastest %.3g s, stiffness ratio %.3g", c->fastest, c->stiffness_ratio);
    if (advice && advice->method) cli_line(&r, "suggested method", "%s", advice->method);
    cli_html_raw(h, "</table>\n");
    for (int i = 0; i < c->sentence_count; i++) cli_html_paragraph(h, c->sentences[i]);
    for (int i = 0; i < c->sweep_count; i++)
        if (c->sweeps[i].text) cli_html_paragraph(h, c->sweeps[i].text);
}

static void put_lists(const cli_html *h, const tml_check *c)
{
    cli_html_heading(h, "Joints");
    cli_html_raw(h, "<table><tr><th>name</th><th>type</th><th>between</th><th class=\"n\">rows</th>"
                    "<th class=\"n\">redundant</th></tr>\n");
    for (int i = 0; i < c->joint_count; i++) {
        const tml_check_joint *j = &c->joints[i];
        const char *const texts[] = {j->name, j->type, j->between};
        cli_html_raw(h, "<tr>");
        for (int k = 0; k < 3; k++) {
            cli_html_raw(h, "<td>");
            cli_html_text(h, texts[k] ? texts[k] : "");
            cli_html_raw(h, "</td>");
        }
        fprintf(h->out, "<td class=\"n\">%d</td><td class=\"n%s\">%d</td></tr>\n", j->rows,
                j->redundant ? " bad" : "", j->redundant);
    }
    cli_html_raw(h, "</table>\n");
    if (c->note_count > 0) cli_html_heading(h, "Notes");
    for (int i = 0; i < c->note_count; i++) cli_html_paragraph(h, c->notes[i].text);
}

tml_status cli_check_html(const tml_check *c, const tml_advice *advice, const tml_model *model,
                          const char *file, const char *path, const tml_env *env, tml_error *err)
{
    cli_html h;
    tml_status st = cli_html_begin(&h, path, c->title[0] ? c->title : "Model", file, env, err);
    if (st != TML_OK) return st;
    put_summary(&h, c, advice);
    st = cli_check_graph(&h, model, c, err);
    if (st == TML_OK && c->assembled) st = put_spectrum(&h, c, err);
    if (st == TML_OK) st = put_pattern(&h, model, err);
    if (st == TML_OK) put_lists(&h, c);
    return cli_html_end(&h, st, err);
}
