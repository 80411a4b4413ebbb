// Figures 4, 6, 9, 10 and 16 of D. Negrut, On the implicit integration of differential-algebraic equations of
// multibody dynamics, thesis, University of Iowa, 1998: patterns of the reduced matrix B inv(M) B' of the
// seven-body mechanism and of the chain of 50 pendulums in two orders of the joints, with their profiles
// (3.125); the graph of bodies and joints of the vehicle (hinges: Figures 9, 16a; bushings: 16b) with the
// joints that are cut and the spanning tree (10a). `trammel check --html` draws the graphs. usage:
// papers_004_graphs [--out DIR], from the top of the tree.
#include "paper_run.h"

#include "linalg/pattern/envelope.h"
#include "linalg/pattern/pattern.h"
#include "linalg/topology/cut_tree.h"
#include "linalg/topology/schur.h"

static const char *name_of(const tml_model *model, const tmli_part *part, char buf[TMLI_BLOCK_NAME])
{
    return tmli_pattern_block_name(tml_model_system(model)->pattern, part->block, buf);
}

// ---- patterns of the reduced matrix -----------------------------------------------------------------------

// Nonzeros in joints, and the profile (3.125) in blocks; place[j]: of joint j.
static int draw_pattern(paper *p, const tmli_graph *g, const int32_t *place, const char *file,
                        const char *title)
{
    const int entries = g->ptr[g->n] + g->n;
    double *x = calloc(2 * (size_t)entries, sizeof *x), *y = x + entries;
    int count = 0, profile = 0;
    for (int j = 0; j < g->n && x; j++) {
        int width = 0;
        x[count] = place[j] + 1;
        y[count++] = -(place[j] + 1);
        for (int k = g->ptr[j]; k < g->ptr[j + 1]; k++) {
            if (g->ind[k] == j) continue;
            const int distance = place[j] - place[g->ind[k]];
            if (distance > width) width = distance;
            x[count] = place[g->ind[k]] + 1;
            y[count++] = -(place[j] + 1);
        }
        profile += width;
    }
    const paper_series s = {"nonzero block", count, x, y, true};
    paper_draw(p, &(paper_figure){.file = file,
                                  .title = title,
                                  .x = "joint",
                                  .y = "joint, downwards",
                                  .linear_x = true,
                                  .linear_y = true,
                                  .x_max = g->n + 1,
                                  .y_min = -(g->n + 1),
                                  .series = &s,
                                  .count = 1});
    free(x);
    return profile;
}

static void patterns(paper *p, const char *title, const tml_model *model, int figure)
{
    tmli_saddle saddle = {0};
    tmli_graph graph = {0};
    tmli_envelope best;
    tml_error err = {0};
    char file[64], head[128];
    tml_status st = tmli_saddle_init(&saddle, tml_model_system(model)->pattern, NULL, &err);
    if (st == TML_OK) st = tmli_schur_graph(&saddle, &graph, NULL, &err);
    int32_t *perm = calloc(2 * (size_t)graph.n + 1, sizeof *perm), *place = perm + graph.n;
    if (st == TML_OK) st = tmli_envelope_order(&graph, perm, &best, NULL, NULL, &err);
    int profile[2] = {0};
    for (int kind = 0; kind < 2 && st == TML_OK; kind++) {
        for (int i = 0; i < graph.n; i++) {
            const int bad = i < (graph.n + 1) / 2 ? 2 * i : 2 * (graph.n - 1 - i) + 1;
            place[kind ? perm[i] : bad] = i;
        }
        snprintf(file, sizeof file, "004_figure%d%c.svg", figure, kind ? 'b' : 'a');
        snprintf(head, sizeof head, "Reduced matrix, %s, %s", title, kind ? "joints in order" : "bad order");
        profile[kind] = draw_pattern(p, &graph, place, file, head);
    }
    printf("| %d | %s | %d | %d | %d |\n", figure, title, graph.n, profile[0], profile[1]);
    if (st != TML_OK) paper_fail(p, title, err.msg);
    snprintf(head, sizeof head, "%s: profile in order over that of the bad order", title);
    paper_within(p, head, (double)profile[1] / profile[0], 0, 0.6);
    free(perm);
    tmli_schur_graph_clear(&graph, NULL);
    tmli_saddle_clear(&saddle);
}

// ---- graph and spanning tree ------------------------------------------------------------------------------

static void print_tree(const tml_model *model, const tmli_saddle *s, const tmli_cut_tree *t)
{
    char one[TMLI_BLOCK_NAME], two[TMLI_BLOCK_NAME], three[TMLI_BLOCK_NAME];
    puts("\n| body | towards the ground | by |\n|---|---|---|");
    for (int b = 0; b < s->nbodies; b++) {
        printf("| %s | %s | %s |\n", name_of(model, &s->body[b], one),
               t->parent[b] >= 0 ? name_of(model, &s->body[t->parent[b]], two) : "ground",
               t->joint[b] >= 0 ? name_of(model, &s->joint[t->joint[b]], three) : "free");
    }
    puts("\n| cut joint | rows | between |\n|---|---|---|");
    for (int j = 0; j < s->njoints; j++) {
        if (!t->cut[j]) continue;
        printf("| %s | %d |", name_of(model, &s->joint[j], one), s->joint[j].size);
        for (int a = s->armptr[j]; a < s->armptr[j + 1]; a++)
            printf("%s %s", a > s->armptr[j] ? "," : "", name_of(model, &s->body[s->arm[a].body], two));
        puts(" |");
    }
}

static void tree(paper *p, const char *name, const char *title, int rows, int cuts, bool print)
{
    tml_model *model = paper_model(p, name);
    tmli_saddle saddle = {0};
    tmli_cut_tree cut = {0};
    tml_error err = {0};
    if (!model) return;
    tml_status st = tmli_saddle_init(&saddle, tml_model_system(model)->pattern, NULL, &err);
    if (st == TML_OK) st = tmli_cut_tree_init(&cut, &saddle, NULL, &err);
    if (st == TML_OK) {
        int cut_rows = 0;
        for (int j = 0; j < saddle.njoints; j++) cut_rows += cut.cut[j] ? saddle.joint[j].size : 0;
        printf("\n%s (%s): %d bodies, %d joints with %d rows, %d of the joints cut, with %d rows\n", title,
               name, saddle.nbodies, saddle.njoints, saddle.rows, cut.ncuts, cut_rows);
        if (print) print_tree(model, &saddle, &cut);
        char what[96];
        snprintf(what, sizeof what, "%s: 14 bodies, %d rows, %d of cut joints", name, rows, cuts);
        paper_law(p, what, saddle.nbodies == 14 && saddle.rows == rows && cut_rows == cuts);
    } else {
        paper_fail(p, name, err.msg);
    }
    tmli_cut_tree_clear(&cut);
    tmli_saddle_clear(&saddle);
    tml_model_destroy(model);
}

static tml_model *chain(paper *p)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    const tml_parameter set = {.name = "N", .text = "50"};
    tml_status st = tml_spec_read("models/chain.yaml", &set, 1, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    tml_spec_destroy(spec);
    if (st != TML_OK) paper_fail(p, "models/chain.yaml", err.msg);
    return model;
}

int main(int argc, char **argv)
{
    paper p;
    if (!paper_arguments(&p, argc, argv)) return 2;
    paper_part("patterns", "exact", NULL);
    puts("\nReduced matrix B inv(M) B': profile (3.125) in blocks\n\n| figure | mechanism | joints | joints "
         "numbered 1, n, 2, .. | in order |\n|---|---|---|---|---|");
    tml_model *seven = paper_model(&p, "andrews"), *fifty = chain(&p);
    if (seven) patterns(&p, "seven-body mechanism", seven, 4);
    if (fifty) patterns(&p, "chain of 50 pendulums", fifty, 6);
    tml_model_destroy(seven);
    tml_model_destroy(fifty);
    paper_part("tree", "exact", NULL);
    tree(&p, "hmmwv_revolute", "Figures 9, 10(a) and 16(a)", 73, 16, true);
    tree(&p, "hmmwv", "Figure 16(b)", 66, 16, false);
    return paper_end(&p);
}
