// trammel check --html: the report with its diagrams: the graph of bodies and joints, the spectrum, the
// sparsity of the iteration matrix before and after ordering.
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "html.h"

#include "linalg/pattern/order.h"
#include "linalg/pattern/spanning_tree.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRAPH_BODIES = 400,    // that the graph shows at most
    PATTERN_BLOCKS = 600,  // that the picture of the pattern shows at most
    BOX_WIDTH = 108,       // of a body in the graph [px]
    BOX_HEIGHT = 26,
    COLUMN = 124,  // between two bodies of a row [px]
    LAYER = 92,    // between two rows of bodies [px]
};

// ---- the graph --------------------------------------------------------------------------------------------

typedef struct graph {
    const tml_model *model;
    const tml_check *check;
    tmli_tree tree;
    int32_t *tree_edge;  // (edges) the joint is in the tree
    double *x, *y;       // (bodies + 1) [px]; the last one is the ground
    double width, height;
} graph;

static int end_of(const tml_model *m, int joint, int side)
{
    const tmli_constraint *c = &m->constraint[joint];
    return c->has_reaction ? c->marker[side].body : -2;  // -2: it joins no two bodies
}

static tml_status grow_tree(graph *g, tmli_arena *arena, tml_error *err)
{
    const int n = g->model->nbodies, edges = g->model->njoints;
    tmli_tree_edge *edge = tmli_arena_alloc(arena, (size_t)edges + 1, sizeof *edge);
    int32_t *root = tmli_arena_alloc(arena, (size_t)n + 1, sizeof *root);
    g->tree_edge = tmli_arena_alloc(arena, (size_t)edges + 1, sizeof *g->tree_edge);
    g->x = tmli_arena_alloc(arena, (size_t)n + 1, sizeof *g->x);
    g->y = tmli_arena_alloc(arena, (size_t)n + 1, sizeof *g->y);
    if (!edge || !root || !g->tree_edge || !g->x || !g->y) return tmli_no_memory(err, "graph");
    for (int i = 0; i < n; i++) root[i] = i;
    for (int i = 0; i < edges; i++) {
        const int a = end_of(g->model, i, 0), b = end_of(g->model, i, 1);
        const bool joins = a >= -1 && b >= -1 && a != b;
        edge[i] = (tmli_tree_edge){.vertex = {joins ? a : TMLI_GROUND, joins ? b : TMLI_GROUND},
                                   .can_be_child = {joins, joins},
                                   .rank = g->model->constraint[i].nrows};
    }
    const tmli_tree_graph in = {n, edges, edge, root, true};
    if (!tmli_tree_grow(&g->tree, &in, arena)) return tmli_no_memory(err, "graph");
    for (int i = 0; i < n; i++)
        if (g->tree.edge[i] >= 0) g->tree_edge[g->tree.edge[i]] = 1;
    return TML_OK;
}

// Bodies in layers by their distance from the ground; in a layer in the order of their parents.
static void place_bodies(graph *g)
{
    const int n = g->model->nbodies;
    int deepest = 0, widest = 1;
    for (int i = 0; i < n; i++)
        if (g->tree.depth[i] > deepest) deepest = g->tree.depth[i];
    for (int d = 1; d <= deepest; d++) {
        int count = 0;
        for (int k = 0; k < n; k++) {
            const int body = g->tree.order[k];
            if (g->tree.depth[body] != d) continue;
            g->x[body] = count++;
            g->y[body] = d;
        }
        if (count > widest) widest = count;
    }
    g->width = (double)COLUMN * widest + 40;
    g->height = (double)LAYER * deepest + 2.0 * BOX_HEIGHT + 30;
    for (int d = 1; d <= deepest; d++) {
        int count = 0;
        for (int i = 0; i < n; i++) count += g->tree.depth[i] == d;
        for (int i = 0; i < n; i++)
            if (g->tree.depth[i] == d) {
                g->x[i] = g->width / 2 + COLUMN * (g->x[i] - (count - 1) / 2.0);
                g->y[i] = 30 + (double)LAYER * d;
            }
    }
    g->x[n] = g->width / 2;
    g->y[n] = 30;
}

static void draw_joint(const graph *g, const cli_html *h, int joint)
{
    const int n = g->model->nbodies, ends[2] = {end_of(g->model, joint, 0), end_of(g->model, joint, 1)};
    if (ends[0] < -1 || ends[1] < -1 || ends[0] == ends[1]) return;
    const int a = ends[0] < 0 ? n : ends[0], b = ends[1] < 0 ? n : ends[1];
    const bool cut = !g->tree_edge[joint];
    const int redundant = joint < g->check->joint_count ? g->check->joints[joint].dependent : 0;
    // cut joints are bowed, also aside from a tree joint between the same bodies
    const double mx = (g->x[a] + g->x[b]) / 2 + (cut ? 26 + 9 * (joint % 3) : 0),
                 my = (g->y[a] + g->y[b]) / 2 + (cut && g->y[a] == g->y[b] ? 34 : 0);
    fprintf(
        h->out,
        "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n",
        g->x[a], g->y[a], 2 * mx - (g->x[a] + g->x[b]) / 2, 2 * my - (g->y[a] + g->y[b]) / 2, g->x[b],
        g->y[b], cut ? "#d9822b" : "#3f76c2", cut ? "1.6" : "2.2", cut ? " stroke-dasharray=\"6 4\"" : "");
    // near the body that the joint holds, where the lines are apart; halfway of the bow of a cut joint
    const int low = g->y[a] > g->y[b] ? a : b, high = low == a ? b : a;
    const double tx = cut ? mx : g->x[low] + 0.34 * (g->x[high] - g->x[low]),
                 ty = cut ? my + 11 * (joint % 3 - 1) : g->y[low] + 0.34 * (g->y[high] - g->y[low]);
    fprintf(h->out,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"10\" fill=\"%s\" "
            "stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">",
            tx, ty + 3, redundant ? "#b3261e" : "#445");
    cli_html_text(h, g->model->constraint[joint].name);
    if (redundant) fprintf(h->out, " (%d redundant)", redundant);
    fputs("</text>\n", h->out);
}

static void draw_body(const graph *g, const cli_html *h, int body)
{
    const bool ground = body == g->model->nbodies;
    const char *name = ground ? "ground" : g->check->bodies[body].name;
    fprintf(h->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" rx=\"5\" fill=\"%s\" stroke=\"#667\"/>\n"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"12\">",
            g->x[body] - BOX_WIDTH / 2.0, g->y[body] - BOX_HEIGHT / 2.0, BOX_WIDTH, BOX_HEIGHT,
            ground ? "#d5dae1" : "#ffffff", g->x[body], g->y[body] + 4);
    char text[32];
    snprintf(text, sizeof text, "%.*s", 17, name);
    cli_html_text(h, text);
    fputs("</text>\n", h->out);
}

static tml_status put_graph(const cli_html *h, const tml_model *model, const tml_check *c, tml_error *err)
{
    tmli_arena arena = {0};
    graph g = {.model = model, .check = c};
    cli_html_heading(h, "Bodies and joints");
    if (model->nbodies == 0 || model->nbodies > GRAPH_BODIES) {
        cli_html_paragraph(h, "The model has too many bodies for a picture of its graph.");
        return TML_OK;
    }
    const tml_status st = grow_tree(&g, &arena, err);
    if (st == TML_OK) {
        place_bodies(&g);
        fprintf(h->out,
                "<figure><svg id=\"graph\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
                "font-family=\"system-ui,sans-serif\">\n",
                g.width, g.height, g.width, g.height);
        for (int i = 0; i < model->njoints; i++) draw_joint(&g, h, i);
        for (int i = 0; i <= model->nbodies; i++) draw_body(&g, h, i);
        cli_html_raw(h, "</svg>\n<figcaption>Solid: a spanning tree, joints with most rows first. Dashed: "
                        "joints that close loops. Red: joints with redundant rows.</figcaption></figure>\n");
    }
    tmli_arena_clear(&arena);
    return st;
}

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
    cli_html_fact(h, "model", "%d bodies, %d joints, %d forces, size %.4g m", c->body_count, c->joint_count,
                  c->force_count, c->length);
    if (c->freedoms >= 0)
        cli_html_fact(h, "degrees of freedom", "%d (%d coordinates, %d independent of %d constraint rows)",
                      c->freedoms, c->coordinates, c->rank, c->rows);
    if (c->mobility[0]) cli_html_fact(h, "why not the Gruebler count", "%s", c->mobility);
    cli_html_fact(h, "redundant rows", "%d", c->dependency_count);
    cli_html_fact(h, "reactions", "%d unique, %d shared, %d indeterminate", c->unique, c->shared,
                  c->indeterminate);
    if (c->has_spectrum && c->fastest > 0)
        cli_html_fact(h, "time scales", "fastest %.3g s, stiffness ratio %.3g", c->fastest,
                      c->stiffness_ratio);
    if (advice && advice->method) cli_html_fact(h, "suggested method", "%s", advice->method);
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
                j->dependent ? " bad" : "", j->dependent);
    }
    cli_html_raw(h, "</table>\n");
    if (c->note_count > 0) cli_html_heading(h, "Notes");
    for (int i = 0; i < c->note_count; i++) cli_html_paragraph(h, c->notes[i].text);
}

tml_status cli_check_html(const tml_check *c, const tml_advice *advice, const tml_model *model,
                          const char *file, const char *path, tml_error *err)
{
    cli_html h;
    tml_status st = cli_html_begin(&h, path, c->title[0] ? c->title : "Model", file, err);
    if (st != TML_OK) return st;
    put_summary(&h, c, advice);
    st = put_graph(&h, model, c, err);
    if (st == TML_OK && c->assembled) st = put_spectrum(&h, c, err);
    if (st == TML_OK) st = put_pattern(&h, model, err);
    if (st == TML_OK) put_lists(&h, c);
    const tml_status ended = cli_html_end(&h, st == TML_OK, err);
    return st == TML_OK ? ended : st;
}
