// Reproduces Tables 2-4 and 6-10 of D. Negrut, On the implicit integration of differential-algebraic
// equations of multibody dynamics, thesis, University of Iowa, 1998, section 3.4: the cost of accelerations
// and multipliers on the seven-body mechanism, the chain of 50 pendulums and the 14-body vehicle, by general
// solvers and by solvers that follow the topology.
//
// Tables 2, 6-10: factor and solve [M B'; B 0] (topology.h). The thesis solves the vehicle in joint
// coordinates, 27 + 16 unknowns; our solver `tree` reduces the 84 + 73 unknowns of the bodies to them by
// itself. For a fair comparison, dense solvers are also measured with a matrix of order 43 (its values are
// arbitrary: they do not affect the time). Tables 3, 4: the reduced matrix S = B inv(M) B' alone, dense by LU
// and Cholesky, sparse by KLU, and by Cholesky within its envelope, with joints numbered 1, n, 2, n - 1, ..
// (ExpB1; of the other mechanisms the thesis does not print the bad order) and in the order of `reduced`
// (ExpB2). Tables 7, 8, 10 are in papers_004_joint. Thesis: HP 9000 J210. Ours: CPU time. usage:
// papers_004_solvers [--out DIR], from the top of the tree. Takes seconds.
#include "../topology.h"
#include "paper.h"

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_len);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b,
             const int *ldb, int *info, size_t uplo_len);

enum { JOINT_UNKNOWNS = 43 };

// ---- small systems by LAPACK ------------------------------------------------------------------------------

typedef struct small {
    int n;
    const double *A, *b;  // column-major
    double *a, *x;        // room
    const int *first;     // (n) first entry of a row, for the envelope
    int *pivot;
    double *work;
    way *sparse;
} small;

static void by_lu(small *s)
{
    const int one = 1;
    int info;
    memcpy(s->a, s->A, (size_t)s->n * (size_t)s->n * sizeof(double));
    dgetrf_(&s->n, &s->n, s->a, &s->n, s->pivot, &info);
    dgetrs_("N", &s->n, &one, s->a, &s->n, s->pivot, s->x, &s->n, &info, 1);
}

static void by_cholesky(small *s)
{
    const int one = 1;
    int info;
    memcpy(s->a, s->A, (size_t)s->n * (size_t)s->n * sizeof(double));
    dpotrf_("L", &s->n, s->a, &s->n, &info, 1);
    dpotrs_("L", &s->n, &one, s->a, &s->n, s->x, &s->n, &info, 1);
}

static void by_symmetric(small *s)
{
    const int one = 1, room_of = 64 * s->n;
    int info;
    memcpy(s->a, s->A, (size_t)s->n * (size_t)s->n * sizeof(double));
    dsytrf_("L", &s->n, s->a, &s->n, s->pivot, s->work, &room_of, &info, 1);
    dsytrs_("L", &s->n, &one, s->a, &s->n, s->pivot, s->x, &s->n, &info, 1);
}

static void by_sparse(small *s)
{
    way *w = s->sparse;
    memcpy(w->m->x, s->x, (size_t)s->n * sizeof(double));
    run_sparse(w);
    memcpy(s->x, w->m->x, (size_t)s->n * sizeof(double));
}

// Cholesky by rows within the envelope: row i of the factor is a + i n, from first[i] on.
static void by_envelope(small *s)
{
    const int n = s->n;
    for (int i = 0; i < n; i++) {
        double *row = s->a + (size_t)i * (size_t)n;
        memcpy(row + s->first[i], s->A + (size_t)i * (size_t)n + s->first[i],
               (size_t)(i - s->first[i] + 1) * sizeof(double));
        for (int j = s->first[i]; j <= i; j++) {
            const double *other = s->a + (size_t)j * (size_t)n;
            double sum = row[j];
            for (int k = s->first[i] > s->first[j] ? s->first[i] : s->first[j]; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = j < i ? sum * s->work[j] : sqrt(sum);
        }
        s->work[i] = 1 / row[i];
    }
    for (int i = 0; i < n; i++) {
        const double *row = s->a + (size_t)i * (size_t)n;
        for (int k = s->first[i]; k < i; k++) s->x[i] -= row[k] * s->x[k];
        s->x[i] *= s->work[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = s->a + (size_t)i * (size_t)n;
        s->x[i] *= s->work[i];
        for (int k = s->first[i]; k < i; k++) s->x[k] -= row[k] * s->x[i];
    }
}

// Least time of one solution [s].
static double time_of(small *s, void (*run)(small *))
{
    int repeats = 1;
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now();
        for (int i = 0; i < repeats; i++) {
            memcpy(s->x, s->b, (size_t)s->n * sizeof(double));
            run(s);
        }
        best = fmin(best, (now() - start) / repeats);
        if (round == 0) repeats = (int)fmin(fmax(1, 4e-3 / best), 5000);
    }
    return best;
}

static small small_create(int n, const double *A, const double *b)
{
    const size_t size = (size_t)n;
    return (small){.n = n,
                   .A = A,
                   .b = b,
                   .a = room(size * size, sizeof(double)),
                   .x = room(size, sizeof(double)),
                   .pivot = room(size, sizeof(int)),
                   .work = room(64 * size, sizeof(double))};
}

static void small_clear(small *s)
{
    free(s->a);
    free(s->x);
    free(s->pivot);
    free(s->work);
}

// ---- the reduced matrix -----------------------------------------------------------------------------------

typedef struct reduced {
    int rows;
    double *S, *b;
    int *order[2];                             // place -> row: the bad order, and as `reduced` has it
    double lu, cholesky, sparse, envelope[2];  // [s]
    double profile[2], difference;
} reduced;

// S = B inv(M) B' from the values of [M B'; B 0].
static void form(const matrix *m, reduced *r)
{
    const tml_pattern *p = m->p;
    const int n = tml_model_system(m->model)->n, rows = p->n - n;
    const size_t ns = (size_t)n, rs = (size_t)rows;
    double *M = room(ns * ns, sizeof(double)), *X = room(ns * rs, sizeof(double));
    double *Bt = room(ns * rs, sizeof(double));
    int info;
    r->rows = rows;
    r->S = room(rs * rs, sizeof(double));
    r->b = room(rs, sizeof(double));
    for (int j = 0; j < p->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int i = p->rowind[k];
            if (i < n && j < n) M[(size_t)j * ns + (size_t)i] = m->values[k];
            if (i < n && j >= n) Bt[(size_t)(j - n) * ns + (size_t)i] = m->values[k];
        }
    memcpy(X, Bt, ns * rs * sizeof(double));
    dpotrf_("L", &n, M, &n, &info, 1);
    dpotrs_("L", &n, &rows, M, &n, X, &n, &info, 1);
    const double one = 1, zero = 0;
    dgemm_("T", "N", &rows, &rows, &n, &one, Bt, &n, X, &n, &zero, r->S, &rows, 1, 1);
    for (int i = 0; i < rows; i++) r->b[i] = 1 + 0.37 * i;
    free(M);
    free(X);
    free(Bt);
}

// The rows by joints in the order of `reduced`, and in the thesis' bad one: the joints along the chain get
// the numbers 1, 50, 2, 49, ...
static void orders(const matrix *m, reduced *r)
{
    const int n = tml_model_system(m->model)->n;
    tmli_saddle saddle = {0};
    tmli_graph graph = {0};
    tmli_envelope best;
    tml_error err = {0};
    need(tmli_saddle_init(&saddle, m->p, NULL, &err), &err);
    need(tmli_schur_graph(&saddle, &graph, NULL, &err), &err);
    int32_t *perm = room((size_t)graph.n, sizeof *perm);
    need(tmli_envelope_order(&graph, perm, &best, NULL, NULL, &err), &err);
    for (int kind = 0; kind < 2; kind++) {
        int at = 0;
        r->order[kind] = room((size_t)r->rows, sizeof(int));
        for (int i = 0; i < graph.n; i++) {
            const int bad = i < (graph.n + 1) / 2 ? 2 * i : 2 * (graph.n - 1 - i) + 1;
            const tmli_part *joint = &saddle.joint[kind ? perm[i] : bad];
            for (int k = 0; k < joint->size; k++) r->order[kind][at++] = joint->first - n + k;
        }
    }
    free(perm);
    tmli_schur_graph_clear(&graph, NULL);
    tmli_saddle_clear(&saddle);
}

// S as a sparse matrix for KLU.
static void measure_sparse(reduced *r, small *s)
{
    const int n = r->rows;
    int32_t *ptr = room((size_t)n + 1, sizeof *ptr), *ind = room((size_t)n * (size_t)n, sizeof *ind);
    double *values = room((size_t)n * (size_t)n, sizeof *values), *x = room((size_t)n, sizeof *x);
    int32_t count = 0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            const double value = r->S[(size_t)j * (size_t)n + (size_t)i];
            if (value == 0) continue;
            ind[count] = i;
            values[count++] = value;
        }
        ptr[j + 1] = count;
    }
    const tml_pattern pattern = {.n = n, .colptr = ptr, .rowind = ind};
    const matrix m = {.p = &pattern, .values = values, .x = x};
    way w = {.m = &m};
    klu_defaults(&w.common);
    w.symbolic = klu_analyze(n, ptr, ind, &w.common);
    s->sparse = &w;
    r->sparse = time_of(s, by_sparse);
    put_away(&w);
    free(ptr);
    free(ind);
    free(values);
    free(x);
}

static void measure_envelope(reduced *r, int kind, const double *wanted)
{
    const int n = r->rows;
    const int *order = r->order[kind];
    double *A = room((size_t)n * (size_t)n, sizeof(double)), *b = room((size_t)n, sizeof(double));
    int *first = room((size_t)n, sizeof(int));
    for (int i = 0; i < n; i++) {
        b[i] = r->b[order[i]];
        first[i] = i;
        for (int j = 0; j < n; j++) {
            A[(size_t)i * (size_t)n + (size_t)j] = r->S[(size_t)order[i] * (size_t)n + (size_t)order[j]];
            if (A[(size_t)i * (size_t)n + (size_t)j] != 0 && j < first[i]) first[i] = j;
        }
        r->profile[kind] += i - first[i];
    }
    small s = small_create(n, A, b);
    s.first = first;
    r->envelope[kind] = time_of(&s, by_envelope);
    for (int i = 0; i < n; i++) r->difference = fmax(r->difference, fabs(s.x[i] / wanted[order[i]] - 1));
    small_clear(&s);
    free(A);
    free(b);
    free(first);
}

static void measure_reduced(const matrix *m, reduced *r)
{
    form(m, r);
    orders(m, r);
    small s = small_create(r->rows, r->S, r->b);
    r->lu = time_of(&s, by_lu);
    r->cholesky = time_of(&s, by_cholesky);
    measure_sparse(r, &s);
    double *wanted = room((size_t)r->rows, sizeof(double));
    memcpy(wanted, s.x, (size_t)r->rows * sizeof(double));
    for (int kind = 0; kind < 2; kind++) measure_envelope(r, kind, wanted);
    free(wanted);
    small_clear(&s);
}

// ---- tables -----------------------------------------------------------------------------------------------

static void print_augmented(paper *p, const matrix *m, int count)
{
    double off = 0;
    paper_part("augmented", "exact exact time", NULL);
    puts("| | n + m | dense | symmetric | sparse | klu | `block` | `reduced` | `tree` | sparse over "
         "`reduced` | over `tree` |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < count; i++) {
        printf("| %s | %d ", m[i].name, (int)m[i].p->n);
        for (int k = 0; k < WAYS; k++) printf("| %.2f ", 1e6 * m[i].time[k]);
        for (int k = 0; k < WAYS; k++)
            if (!(m[i].difference[k] <= off)) off = m[i].difference[k];
        printf("| %.1f | %.1f |\n", m[i].time[SPARSE] / m[i].time[REDUCED],
               m[i].time[SPARSE] / m[i].time[TREE]);
    }
    paper_within(p, "all solvers have the same solution: largest relative difference", off, 0, 1e-6);
    paper_part("operations", "exact", NULL);
    puts("| | dense | symmetric | sparse | klu | `block` | `reduced` | `tree` "
         "|\n|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < count; i++) {
        printf("| %s ", m[i].name);
        for (int k = 0; k < WAYS; k++) printf("| %.0f ", m[i].flops[k]);
        puts("|");
    }
    for (int i = 0; i < count; i++) {
        char what[1024];
        snprintf(what, sizeof what, "%s: `tree` needs less than `reduced`, and this less than `klu`",
                 m[i].name);
        paper_law(p, what,
                  m[i].flops[TREE] < m[i].flops[REDUCED] && m[i].flops[REDUCED] < m[i].flops[SPARSE]);
    }
    puts("");
}

// Table 2: 1000 times, in seconds: milliseconds of one. Its columns are interchanged in the thesis: the parts
// of these times that Tables 3 and 4 have (0.23 of 0.2313 for the seven bodies, 0.98 of 1.018 for the chain)
// belong so.
static void print_table2(paper *p, const matrix *m)
{
    double least = INFINITY;
    static const double thesis[2][2] = {{1.2933, 0.2313}, {8.888, 1.018}};
    paper_part("table2", "exact time", NULL);
    puts("| | sparse LU (ExpA1, ma28; KLU) | reduced (ExpA2; `reduced`) | ratio | `tree` | sparse over "
         "`tree` |");
    puts("|---|---|---|---|---|---|");
    for (int i = 0; i < 2; i++)
        printf("| %s | %.0f / %.2f | %.0f / %.2f | %.1f / %.1f | %.2f | %.1f |\n", m[i].name,
               1e3 * thesis[i][0], 1e6 * m[i].time[SPARSE], 1e3 * thesis[i][1], 1e6 * m[i].time[REDUCED],
               thesis[i][0] / thesis[i][1], m[i].time[SPARSE] / m[i].time[REDUCED], 1e6 * m[i].time[TREE],
               m[i].time[SPARSE] / m[i].time[TREE]);
    for (int i = 0; i < 2; i++) least = fmin(least, m[i].time[SPARSE] / m[i].time[REDUCED]);
    paper_within(p, "`reduced` is faster than sparse LU: least ratio", least, 1, 100);
    puts("");
}

static void print_table34(paper *p, const matrix *m, const reduced *r)
{
    double off = 0, ratio = 0;
    static const double thesis[2][2][4] = {{{0.79, 0.47, 0.88, 0.71}, {0.79, 0.47, 0.88, 0.23}},
                                           {{53.87, 27.45, 4.14, 54.47}, {53.87, 27.45, 4.14, 0.98}}};
    static const char *const how[2] = {"B1, joints numbered 1, n, 2, n-1, ..", "B2, joints in order"};
    paper_part("tables3-4", "exact exact exact time time time time exact", NULL);
    puts("| | | rows | dense LU | dense Cholesky | sparse LU | envelope Cholesky | profile "
         "|\n|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            const double ours[4] = {r[i].lu, r[i].cholesky, r[i].sparse, r[i].envelope[k]};
            printf("| %s | %s | %d ", m[i].name, how[k], r[i].rows);
            for (int j = 0; j < 4; j++) {
                if (i < 2) printf("| %.0f / %.2f ", 1e3 * thesis[i][k][j], 1e6 * ours[j]);
                else printf("| %.2f ", 1e6 * ours[j]);
            }
            printf("| %.0f |\n", r[i].profile[k]);
        }
    for (int i = 0; i < 3; i++) {
        if (!(r[i].difference <= off)) off = r[i].difference;
        ratio = fmax(ratio, r[i].profile[1] / r[i].profile[0]);
    }
    paper_within(p, "Cholesky within the envelope: largest relative difference", off, 0, 1e-6);
    paper_within(p, "profile in order over that of the bad order, most", ratio, 0, 0.8);
    puts("");
}

// Dense solvers with as many unknowns as the thesis's joint coordinates and cut joints have.
static void measure_joint(double *lu, double *symmetric)
{
    enum { N = JOINT_UNKNOWNS, Q = 27 };
    static double A[N * N], b[N];
    for (int j = 0; j < N; j++) {
        b[j] = 1 + 0.37 * j;
        for (int i = 0; i < N; i++)
            A[j * N + i] = i >= Q && j >= Q ? 0 : (i == j ? 30 : 0) + cos(1.7 * (i + j) + 0.3 * i * j);
    }
    small s = small_create(N, A, b);
    *lu = time_of(&s, by_lu);
    *symmetric = time_of(&s, by_symmetric);
    small_clear(&s);
}

static void print_vehicle(paper *p, const matrix *m, double lu, double symmetric)
{
    paper_part("tables6-9", "exact exact exact exact exact exact time time", NULL);
    puts("| | thesis: operations | time [us] | Gauss over it | ours: unknowns | operations | time [us] | "
         "Gauss over it |");
    puts("|---|---|---|---|---|---|---|---|");
    printf("| Gauss (dgetrf) | 55728 | 2336 | 1 | 43 | %.0f | %.2f | 1 |\n", 2.0 / 3 * 43 * 43 * 43,
           1e6 * lu);
    printf("| Symmetric (dsytrf) | | 2022 | 1.2 | 43 | %.0f | %.2f | %.1f |\n", 1.0 / 3 * 43 * 43 * 43,
           1e6 * symmetric, lu / symmetric);
    printf("| Harwell (ma28); KLU | | 3532 | 0.7 | 157 | %.0f | %.2f | %.1f |\n", m->flops[SPARSE],
           1e6 * m->time[SPARSE], lu / m->time[SPARSE]);
    printf("| Alg-S; `tree` | 8685 | 1201 | 1.9 | 157 | %.0f | %.2f | %.1f |\n", m->flops[TREE],
           1e6 * m->time[TREE], lu / m->time[TREE]);
    puts("| Alg-D | 33356 | 1179 | 2.0 | | | | |");
    printf("| `reduced` | | | | 157 | %.0f | %.2f | %.1f |\n", m->flops[REDUCED], 1e6 * m->time[REDUCED],
           lu / m->time[REDUCED]);
    printf("| `block` | | | | 157 | %.0f | %.2f | %.1f |\n", m->flops[BLOCK], 1e6 * m->time[BLOCK],
           lu / m->time[BLOCK]);
    printf("| dgetrf, all unknowns | | | | 157 | %.0f | %.2f | %.2f |\n\n", m->flops[DENSE],
           1e6 * m->time[DENSE], lu / m->time[DENSE]);
    paper_within(p, "dense LU of all unknowns over `tree`", m->time[DENSE] / m->time[TREE], 3, 1000);
}

static void write_csv(paper *p, const matrix *m, const reduced *r, int count, double lu, double symmetric)
{
    static const char *const name[5] = {"dense LU", "dense Cholesky", "sparse LU", "envelope B1",
                                        "envelope B2"};
    FILE *f = paper_open(p, "004_solvers.csv");
    if (!f) return;
    fprintf(f, "model,matrix,unknowns,way,microseconds,operations\n");
    for (int i = 0; i < count; i++) {
        const double time[5] = {r[i].lu, r[i].cholesky, r[i].sparse, r[i].envelope[0], r[i].envelope[1]};
        for (int k = 0; k < WAYS; k++)
            fprintf(f, "%s,augmented,%d,%s,%.4g,%.0f\n", m[i].name, (int)m[i].p->n, WAY[k],
                    1e6 * m[i].time[k], m[i].flops[k]);
        for (int k = 0; k < 5; k++)
            fprintf(f, "%s,reduced,%d,%s,%.4g,\n", m[i].name, r[i].rows, name[k], 1e6 * time[k]);
    }
    fprintf(f, "vehicle,joint,%d,dense,%.4g,\nvehicle,joint,%d,symmetric,%.4g,\n", JOINT_UNKNOWNS, 1e6 * lu,
            JOINT_UNKNOWNS, 1e6 * symmetric);
    paper_close(p, f, "004_solvers.csv");
}

int main(int argc, char **argv)
{
    paper p;
    double lu, symmetric;
    if (!paper_arguments(&p, argc, argv)) return 2;
    matrix m[3] = {load("seven-body", "models/andrews.yaml", NULL, 0),
                   load("chain", "models/chain.yaml", NULL, 50),
                   load("vehicle", "models/hmmwv_revolute.yaml", NULL, 0)};
    reduced r[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        measure(&m[i], SPARSE);  // the solution others are compared with
        for (int k = 0; k < WAYS; k++) {
            if (k != SPARSE) measure(&m[i], k);
        }
        measure_reduced(&m[i], &r[i]);
    }
    measure_joint(&lu, &symmetric);
    print_augmented(&p, m, 3);
    print_table2(&p, m);
    print_table34(&p, m, r);
    print_vehicle(&p, &m[2], lu, symmetric);
    write_csv(&p, m, r, 3, lu, symmetric);
    for (int i = 0; i < 3; i++) {
        unload(&m[i]);
        free(r[i].S);
        free(r[i].b);
        free(r[i].order[0]);
        free(r[i].order[1]);
    }
    return paper_end(&p);
}
