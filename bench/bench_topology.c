// Accelerations by topology: one factorization and one solution of [M B'; B 0] by every available solver.
//
//   bench_topology [--csv FILE]
//
// Chains of N rods hung at one end, planar (3 + 2 unknowns per rod) and spatial (6 + 5), Andrews' seven-body
// mechanism, and the 14-body vehicle with hinged upper arms. Matrices are those of the models at their start.
// Times are processor time of one thread, the least of several rounds; each is for factoring values that are
// in memory and solving one right side. The solvers are listed in topology.h. Run from the top of the tree:
// it reads models/.
#include "topology.h"

#include "linalg/topology/cut_tree.h"

static const char SPATIAL[] =
    "parameters: {N: 10, L: 1, m: 1}\n"
    "gravity: [0, -9.81, 0]\n"
    "defaults:\n"
    "  bodies: {mass: m, inertia: [m*L^2/1000, m*L^2/12, m*L^2/12], frames: {left: [-L/2, 0, 0], right: "
    "[L/2, 0, 0]}}\n"
    "  joints: {type: revolute}\n"
    "joints:\n"
    "  pin1: {a: ground, b: rod1.left}\n"
    "repeat:\n"
    "  - {index: i, from: 1, to: N, bodies: {\"rod{i}\": {position: [(i - 1/2)*L, 0, 0]}}}\n"
    "  - {index: i, from: 2, to: N, joints: {\"pin{i}\": {a: \"rod{i-1}.right\", b: \"rod{i}.left\"}}}\n"
    "run: {end: 1}\n";

// ---- tables -----------------------------------------------------------------------------------------------

static void print_head(const char *first)
{
    printf("%s", first);
    for (int k = 0; k < WAYS; k++) printf(" %s |", WAY[k]);
}

static void report(matrix *m, FILE *csv)
{
    measure(m, SPARSE);  // the solution others are compared with
    for (int k = 0; k < WAYS; k++)
        if (k != SPARSE) measure(m, k);
    printf("| %s | %d |", m->name, (int)m->p->n);
    for (int k = 0; k < WAYS; k++) {
        if (isnan(m->time[k])) printf(" |");
        else printf(" %.2f |", 1e6 * m->time[k]);
    }
    const double ours = fmin(m->time[TREE], m->time[REDUCED]);
    printf(" %.1f | %.1f |\n", m->time[SPARSE] / ours, m->time[KLU] / ours);
    for (int k = 0; k < WAYS && csv; k++)
        if (!isnan(m->time[k]))
            fprintf(csv, "%s,%d,%s,%.4g,%.0f,%.3g\n", m->name, (int)m->p->n, WAY[k], 1e6 * m->time[k],
                    m->flops[k], m->difference[k]);
    for (int k = 0; k < WAYS; k++)
        if (!isnan(m->time[k]) && m->difference[k] > 1e-6)
            fprintf(stderr, "%s: %s differs from sparse by %g of the largest value\n", m->name, WAY[k],
                    m->difference[k]);
    fflush(stdout);
}

static void print_flops(const matrix *m)
{
    printf("| %s |", m->name);
    for (int k = 0; k < WAYS; k++) {
        if (isnan(m->time[k])) printf(" |");
        else printf(" %.0f |", m->flops[k]);
    }
    printf("\n");
}

static void print_orders(const matrix *m)
{
    tmli_saddle saddle = {0};
    tmli_graph graph = {0};
    tmli_envelope best, all[TMLI_ENVELOPE_ORDERS];
    tml_error err = {0};
    need(tmli_saddle_init(&saddle, m->p, NULL, &err), &err);
    need(tmli_schur_graph(&saddle, &graph, NULL, &err), &err);
    int32_t *perm = room((size_t)graph.n, sizeof *perm);
    need(tmli_envelope_order(&graph, perm, &best, all, NULL, &err), &err);
    for (int i = 0; i < TMLI_ENVELOPE_ORDERS; i++)
        printf("| %s | %s | %.0f | %.0f |%s\n", m->name, all[i].name, all[i].profile, all[i].work,
               strcmp(all[i].name, best.name) == 0 ? " taken |" : " |");
    free(perm);
    tmli_schur_graph_clear(&graph, NULL);
    tmli_saddle_clear(&saddle);
}

// What the thesis took for Gauss: the equations in joint coordinates, formed by others, with the cut joints'
// rows. Here a full matrix of that size.
static void print_joint_coordinates(const matrix *m)
{
    tmli_saddle saddle = {0};
    tmli_cut_tree tree = {0};
    tml_error err = {0};
    need(tmli_saddle_init(&saddle, m->p, NULL, &err), &err);
    need(tmli_cut_tree_init(&tree, &saddle, NULL, &err), &err);
    int free_coordinates = 0, cut = 0, info;
    for (int32_t b = 0; b < saddle.nbodies; b++)
        free_coordinates += saddle.body[b].size - (tree.joint[b] < 0 ? 0 : saddle.joint[tree.joint[b]].size);
    for (int32_t j = 0; j < saddle.njoints; j++) cut += tree.cut[j] ? saddle.joint[j].size : 0;
    const int n = free_coordinates + cut, one = 1;
    const size_t size = (size_t)n;
    double *full = room(size * (size + 1), sizeof *full), *b = full + size * size, best = INFINITY;
    int *pivot = room(size, sizeof *pivot);
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now();
        for (int i = 0; i < 100; i++) {
            for (size_t k = 0; k < size * size; k++) full[k] = k % (size + 1) ? 1.0 / (double)(k % 7 + 3) : 5;
            dgetrf_(&n, &n, full, &n, pivot, &info);
            dgetrs_("N", &n, &one, full, &n, pivot, b, &n, &info, 1);
        }
        best = fmin(best, (now() - start) / 100);
    }
    printf("\n%s in joint coordinates: %d, and %d rows of cut joints; dense LU of the %d equations %.2f us, "
           "tree from bodies "
           "and joints %.2f us\n",
           m->name, free_coordinates, cut, n, 1e6 * best, 1e6 * m->time[TREE]);
    free(full);
    free(pivot);
    tmli_cut_tree_clear(&tree);
    tmli_saddle_clear(&saddle);
}

int main(int argc, char **argv)
{
    static const int length[] = {10, 50, 200, 1000, 5000};
    enum { LENGTHS = sizeof length / sizeof *length, CASES = 2 * LENGTHS + 2 };
    FILE *csv = argc > 2 && strcmp(argv[1], "--csv") == 0 ? fopen(argv[2], "w") : NULL;
    if (argc > 1 && !csv) {
        fprintf(stderr, "usage: bench_topology [--csv FILE]\n");
        return 2;
    }
    if (csv) fprintf(csv, "model,unknowns,way,microseconds,flops,difference\n");
    matrix m[CASES];
    int count = 0;
    print_head("| model | unknowns |");
    printf(" sparse over the better of reduced and tree | klu over it |\n|---|---|");
    for (int k = 0; k < WAYS + 2; k++) printf("---|");
    printf("\n");
    for (int i = 0; i < LENGTHS; i++) {
        m[count] = load("planar", "models/chain.yaml", NULL, length[i]);
        report(&m[count++], csv);
    }
    for (int i = 0; i < LENGTHS; i++) {
        m[count] = load("spatial", NULL, SPATIAL, length[i]);
        report(&m[count++], csv);
    }
    m[count] = load("seven-body", "models/andrews.yaml", NULL, 0);
    report(&m[count++], csv);
    m[count] = load("vehicle", "models/hmmwv_revolute.yaml", NULL, 0);
    report(&m[count++], csv);
    print_joint_coordinates(&m[count - 1]);
    printf("\n");
    print_head("| model |");
    printf("\n|---|");
    for (int k = 0; k < WAYS; k++) printf("---|");
    printf("\n");
    for (int i = 0; i < count; i++) print_flops(&m[i]);
    printf("\n| model | order of the joints | profile [entries] | work [flop] | |\n|---|---|---|---|---|\n");
    print_orders(&m[1]);
    print_orders(&m[count - 2]);
    print_orders(&m[count - 1]);
    for (int i = 0; i < count; i++) unload(&m[i]);
    if (csv) fclose(csv);
    return 0;
}
