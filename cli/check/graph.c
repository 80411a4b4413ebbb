// The graph of bodies and joints: a spanning tree in layers, with the joints that close loops.
#include "graph.h"

#include "linalg/pattern/spanning_tree.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

enum {
    GRAPH_BODIES = 400,  // that the graph shows at most
    BOX_WIDTH = 108,     // of a body [px]
    BOX_HEIGHT = 26,
    COLUMN = 124,      // between two bodies of a row [px]
    LAYER = 92,        // between two rows of bodies [px]
    LETTER_WIDTH = 6,  // of the name of a joint [px]
    LETTER_HEIGHT = 12,
    LINE_POINTS = 32,  // at which a line is looked at
    BOW_STEP = 22,     // between two bows that are tried [px]
    MOST_BOWS = 12,
    NAME_PLACES = 16,  // along a line that are tried
};

// A joint: a parabola through its two bodies, with control point C = M + 2 (bow, sag) above its middle M.
typedef struct line {
    int a, b;  // bodies
    bool cut;  // it closes a loop
    double cx, cy;
    double tx, ty, half;  // the middle of its name and half of its width
} line;

typedef struct graph {
    const tml_model *model;
    const tml_check *check;
    tmli_tree tree;
    int32_t *tree_edge;  // (edges) the joint is in the tree
    double *x, *y;       // (bodies + 1) [px]; the last one is the ground
    line *lines;         // (edges)
    double left, right, height;
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
    g->lines = tmli_arena_alloc(arena, (size_t)edges + 1, sizeof *g->lines);
    if (!edge || !root || !g->tree_edge || !g->x || !g->y || !g->lines) return tmli_no_memory(err, "graph");
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
    g->right = (double)COLUMN * widest + 40;
    g->height = (double)LAYER * deepest + 2.0 * BOX_HEIGHT + 30;
    for (int d = 1; d <= deepest; d++) {
        int count = 0;
        for (int i = 0; i < n; i++) count += g->tree.depth[i] == d;
        for (int i = 0; i < n; i++)
            if (g->tree.depth[i] == d) {
                g->x[i] = g->right / 2 + COLUMN * (g->x[i] - (count - 1) / 2.0);
                g->y[i] = 30 + (double)LAYER * d;
            }
    }
    g->x[n] = g->right / 2;
    g->y[n] = 30;
}

// Is a point within a body, or within a few pixels of it? Bodies a and b, of the line itself, do not count.
static bool is_covered(const graph *g, double x, double y, double dx, double dy, int a, int b)
{
    for (int i = 0; i <= g->model->nbodies; i++)
        if (i != a && i != b && fabs(x - g->x[i]) < BOX_WIDTH / 2.0 + dx &&
            fabs(y - g->y[i]) < BOX_HEIGHT / 2.0 + dy)
            return true;
    return false;
}

static void point_of(const graph *g, const line *l, double t, double *x, double *y)
{
    const double p = (1 - t) * (1 - t), q = 2 * t * (1 - t), r = t * t;
    *x = p * g->x[l->a] + q * l->cx + r * g->x[l->b];
    *y = p * g->y[l->a] + q * l->cy + r * g->y[l->b];
}

// The share of a line that is behind bodies.
static int covered_points(const graph *g, const line *l)
{
    int count = 0;
    for (int k = 1; k < LINE_POINTS; k++) {
        double x, y;
        point_of(g, l, (double)k / LINE_POINTS, &x, &y);
        count += is_covered(g, x, y, 3, 3, l->a, l->b);
    }
    return count;
}

// Cut joints are bowed, also aside from a tree joint between the same bodies: as little as leads past all
// other bodies.
static void bow_line(const graph *g, line *l, int joint)
{
    const double mx = (g->x[l->a] + g->x[l->b]) / 2, my = (g->y[l->a] + g->y[l->b]) / 2;
    const double sag = l->cut && g->y[l->a] == g->y[l->b] ? 34 : 0, bow = l->cut ? 26 + 9 * (joint % 3) : 0;
    l->cy = my + 2 * sag;
    l->cx = mx + 2 * bow;
    int least = covered_points(g, l);
    for (int k = 1; l->cut && least > 0 && k <= 2 * MOST_BOWS; k++) {
        line tried = *l;
        tried.cx = mx + (k % 2 ? -2 : 2) * (bow + BOW_STEP * (k / 2.0));
        const int count = covered_points(g, &tried);
        if (count < least) {
            least = count;
            *l = tried;
        }
    }
}

static bool is_taken(const graph *g, const line *l, int joint)
{
    if (is_covered(g, l->tx, l->ty, l->half, LETTER_HEIGHT / 2.0, -1, -1)) return true;
    for (int i = 0; i < joint; i++) {
        const line *other = &g->lines[i];
        if (other->half > 0 && fabs(other->tx - l->tx) < other->half + l->half &&
            fabs(other->ty - l->ty) < LETTER_HEIGHT)
            return true;
    }
    return false;
}

// Near the body that the joint holds, where the lines are apart, of cut joints halfway; elsewhere on the line
// if that is taken by a body or by another name.
static void place_name(const graph *g, line *l, int joint)
{
    const bool down = g->y[l->b] > g->y[l->a];
    const double first = l->cut ? 0.5 : down ? 0.66 : 0.34;
    for (int k = 0; k <= NAME_PLACES; k++) {
        const double t = first + 0.06 * (k % 2 ? -(k + 1) / 2 : k / 2);
        if (t < 0.15 || t > 0.85) continue;
        point_of(g, l, t, &l->tx, &l->ty);
        if (!is_taken(g, l, joint)) return;
    }
    point_of(g, l, first, &l->tx, &l->ty);
}

static int redundant_rows(const graph *g, int joint)
{
    return joint < g->check->joint_count ? g->check->joints[joint].redundant : 0;
}

static void place_lines(graph *g)
{
    const int n = g->model->nbodies;
    for (int i = 0; i < g->model->njoints; i++) {
        const int a = end_of(g->model, i, 0), b = end_of(g->model, i, 1);
        line *l = &g->lines[i];
        *l = (line){.a = a < 0 ? n : a, .b = b < 0 ? n : b, .cut = !g->tree_edge[i]};
        if (a < -1 || b < -1 || a == b) continue;
        bow_line(g, l, i);
        const size_t letters = strlen(g->model->constraint[i].name) + (redundant_rows(g, i) ? 14 : 0);
        l->half = LETTER_WIDTH / 2.0 * (double)letters + 3;
        place_name(g, l, i);
        double x, y;
        point_of(g, l, 0.5, &x, &y);  // the farthest point is near
        g->left = fmin(g->left, fmin(l->tx - l->half, x - 20));
        g->right = fmax(g->right, fmax(l->tx + l->half, x + 20));
    }
}

static void draw_line(const graph *g, const cli_html *h, const line *l)
{
    fprintf(
        h->out,
        "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n",
        g->x[l->a], g->y[l->a], l->cx, l->cy, g->x[l->b], g->y[l->b], l->cut ? "#d9822b" : "#3f76c2",
        l->cut ? "1.6" : "2.2", l->cut ? " stroke-dasharray=\"6 4\"" : "");
}

static void draw_name(const graph *g, const cli_html *h, int joint)
{
    const int redundant = redundant_rows(g, joint);
    fprintf(h->out,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"10\" fill=\"%s\" "
            "stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">",
            g->lines[joint].tx, g->lines[joint].ty + 3, redundant ? "#b3261e" : "#445");
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

tml_status cli_check_graph(const cli_html *h, const tml_model *model, const tml_check *c, tml_error *err)
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
        place_lines(&g);
        const double width = g.right - g.left;
        fprintf(h->out,
                "<figure><svg id=\"graph\" viewBox=\"%.0f 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
                "font-family=\"system-ui,sans-serif\">\n",
                g.left, width, g.height, width, g.height);
        for (int i = 0; i < model->njoints; i++)
            if (g.lines[i].half > 0) draw_line(&g, h, &g.lines[i]);
        for (int i = 0; i <= model->nbodies; i++) draw_body(&g, h, i);
        for (int i = 0; i < model->njoints; i++)
            if (g.lines[i].half > 0) draw_name(&g, h, i);
        cli_html_raw(h, "</svg>\n<figcaption>Solid: a spanning tree, joints with most rows first. Dashed: "
                        "joints that close loops. Red: joints with redundant rows.</figcaption></figure>\n");
    }
    tmli_arena_clear(&arena);
    return st;
}
