// Reproduces Tables 6 to 10 of D. Negrut, On the implicit integration of differential-algebraic equations of
// multibody dynamics, thesis, University of Iowa, 1998, section 3.4.3.5: Algorithm 4 on the vehicle in joint
// coordinates, step by step, with sparsity (Alg-S) and by dense routines (Alg-D), beside Gauss:
//   1  Mj = L L'   2  L zn = Q   3.1  L T = Phi'   3.2  zm = T'zn - tau   3.3  T'T   3.4  T'T lambda = zm
//   3.5  y = T lambda   4  L'qdd = zn - y                                          thesis (3.152), (3.153)
// The matrix is that of models/hmmwv_revolute.yaml at its start, outer bodies before inner ones (Lemma 2).
// usage: papers_004_joint [--out DIR], from the top of the tree. Takes seconds.
#include "paper_run.h"

#include "linalg/dense/lapack.h"
#include "linalg/pattern/pattern.h"
#include "system/joint_space/joint_space.h"
#include <trammel/model.h>
#include <trammel/system.h>

void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b,
             const int *ldb, int *info, size_t uplo_len);

enum { MOST = 64, STEPS = 8, KINDS = 4, ROUNDS = 2000 };

static const char *const STEP[STEPS] = {"1", "2", "3.1", "3.2", "3.3", "3.4", "3.5", "4"};
static const char *const KIND[KINDS] = {"additions", "multiplications", "divisions", "roots"};
// Tables 7, 8, 10
static const int TABLE7[KINDS][STEPS + 1] = {{975, 165, 708, 172, 834, 680, 145, 192, 3871},
                                             {975, 165, 804, 172, 1135, 680, 162, 165, 4258},
                                             {165, 7, 174, 0, 0, 120, 0, 27, 513},
                                             {27, 0, 0, 0, 0, 16, 0, 0, 43}};
static const int TABLE8[KINDS][STEPS + 1] = {{3276, 351, 5616, 432, 3536, 2280, 405, 378, 15914},
                                             {3276, 351, 5616, 432, 3672, 2280, 432, 351, 16410},
                                             {351, 27, 432, 0, 0, 152, 0, 27, 989},
                                             {27, 0, 0, 0, 0, 16, 0, 0, 43}};
// Table 6, Gauss: factorization, forward and back substitution, together
static const int TABLE6[KINDS - 1][4] = {
    {25585, 903, 903, 27391}, {25585, 903, 903, 27391}, {903, 0, 43, 946}};
static const int TABLE10[2][STEPS + 1] = {{300, 59, 246, 50, 276, 159, 57, 54, 1201},
                                          {289, 31, 347, 27, 276, 147, 31, 31, 1179}};

typedef struct problem {
    int n, m;
    double M[MOST][MOST], B[MOST][MOST];  // (n x n), (m x n)
    double Q[MOST], tau[MOST];
    bool in_M[MOST][MOST], in_B[MOST][MOST];  // entries that the topology gives, also if 0 at the start
    bool L[MOST][MOST], T[MOST][MOST];        // where L (n x n) and T (n x m) are not zero
    int fill;                                 // entries of L that M does not have
} problem;

typedef struct solution {
    double L[MOST][MOST], T[MOST][MOST], S[MOST][MOST];
    double zn[MOST], zm[MOST], lambda[MOST], y[MOST], qdd[MOST];
    long count[KINDS][STEPS];
} solution;

// ---- the system -------------------------------------------------------------------------------------------

static void find_pattern(problem *p)
{
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j <= i; j++) p->L[i][j] = i == j || p->in_M[i][j];
    for (int j = 0; j < p->n; j++)
        for (int i = j + 1; i < p->n; i++)
            for (int k = i; k < p->n && p->L[i][j]; k++)
                if (p->L[k][j] && !p->L[k][i]) {
                    p->L[k][i] = true;
                    p->fill++;
                }
    for (int c = 0; c < p->m; c++)
        for (int i = 0; i < p->n; i++) {
            p->T[i][c] = p->in_B[c][i];
            for (int k = 0; k < i && !p->T[i][c]; k++) p->T[i][c] = p->L[i][k] && p->T[k][c];
        }
}

static tml_status load(const tml_model *model, problem *p, tml_error *err)
{
    const tml_system *base = tml_model_system(model);
    const tml_assembly mass = {.cm = 1};
    tml_system *s = NULL;
    tml_state *x = NULL, *y = NULL;
    double *values = NULL, *rows = NULL;
    tml_status st = tmli_joint_space_create(base, true, INFINITY, &s, err);
    if (st != TML_OK) return st;
    void *work = s->ops->create_work(s->self, &s->env);
    st = tml_state_create(base, &x, err);
    if (st == TML_OK) st = tml_state_create(s, &y, err);
    if (st == TML_OK) {
        tml_model_start(model, 0, x);
        st = tmli_joint_space_from_base(s, work, x, y, err);
    }
    p->n = s->n;
    p->m = s->m;
    values = calloc((size_t)tmli_pattern_nnz(s->pattern), sizeof *values);
    rows = calloc((size_t)s->rowptr[s->m] + 1, sizeof *rows);
    if (st == TML_OK && (!values || !rows || s->n > MOST || s->m > MOST)) st = TML_ERR_NOMEM;
    double f[MOST], gamma[MOST];
    if (st == TML_OK) st = s->ops->assemble(s->self, work, y, &mass, values, err);
    if (st == TML_OK) st = s->ops->rows(s->self, work, y, rows, err);
    if (st == TML_OK) st = s->ops->dynamics(s->self, work, y, f, gamma, err);
    const int last = s->n - 1;  // the tree is numbered from its root
    for (int j = 0; j < s->n && st == TML_OK; j++) {
        p->Q[last - j] = f[j];
        for (int32_t k = s->pattern->colptr[j]; k < s->pattern->colptr[j + 1]; k++) {
            const int i = s->pattern->rowind[k];
            if (i >= s->n) continue;
            p->M[last - i][last - j] = values[k];
            p->in_M[last - i][last - j] = true;
        }
    }
    for (int i = 0; i < s->m && st == TML_OK; i++) {
        p->tau[i] = gamma[i];
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) {
            p->B[i][last - s->rowcol[k]] = rows[k];
            p->in_B[i][last - s->rowcol[k]] = true;
        }
    }
    find_pattern(p);
    free(values);
    free(rows);
    tml_state_destroy(y, s);
    tml_state_destroy(x, base);
    s->ops->destroy_work(work);
    tml_system_destroy(s);
    return st;
}

// ---- Alg-S, or Alg-D's count if all entries are taken for nonzero -----------------------------------------

static bool here(bool dense, bool entry) { return dense || entry; }

// Step k of Algorithm 4 by loops that skip zeros (dense: none), and what it takes.
static void sparse_step(const problem *p, solution *s, int step, bool dense)
{
    const int n = p->n, m = p->m;
    long c[KINDS] = {0};
    switch (step) {
    case 0:
        for (int j = 0; j < n; j++)
            for (int i = j; i < n; i++) {
                if (!here(dense, p->L[i][j])) continue;
                double sum = p->M[i][j];
                for (int k = 0; k < j; k++)
                    if (here(dense, p->L[i][k] && p->L[j][k])) {
                        sum -= s->L[i][k] * s->L[j][k];
                        c[0]++, c[1]++;
                    }
                s->L[i][j] = i == j ? sqrt(sum) : sum / s->L[j][j];
                c[i == j ? 3 : 2]++;
            }
        break;
    case 1:
    case 2:
        for (int col = 0; col < (step == 1 ? 1 : m); col++)
            for (int i = 0; i < n; i++) {
                if (step == 2 && !here(dense, p->T[i][col])) {
                    s->T[i][col] = 0;
                    continue;
                }
                double sum = step == 1 ? p->Q[i] : p->B[col][i];
                for (int k = 0; k < i; k++)
                    if (here(dense, p->L[i][k] && (step == 1 || p->T[k][col]))) {
                        sum -= s->L[i][k] * (step == 1 ? s->zn[k] : s->T[k][col]);
                        c[0]++, c[1]++;
                    }
                *(step == 1 ? &s->zn[i] : &s->T[i][col]) = sum / s->L[i][i];
                c[2]++;
            }
        break;
    case 3:
        for (int col = 0; col < m; col++) {
            s->zm[col] = -p->tau[col];
            for (int i = 0; i < n; i++)
                if (here(dense, p->T[i][col])) {
                    s->zm[col] += s->T[i][col] * s->zn[i];
                    c[0]++, c[1]++;
                }
        }
        break;
    case 4:
        for (int a = 0; a < m; a++)
            for (int b = 0; b <= a; b++) {
                double sum = 0;
                int terms = 0;
                for (int i = 0; i < n; i++)
                    if (here(dense, p->T[i][a] && p->T[i][b])) {
                        sum += s->T[i][a] * s->T[i][b];
                        terms++;
                    }
                s->S[a][b] = sum;
                c[0] += terms > 0 ? terms - 1 : 0;
                c[1] += terms;
            }
        break;
    case 5:  // T'T is full
        for (int j = 0; j < m; j++)
            for (int i = j; i < m; i++) {
                double sum = s->S[i][j];
                for (int k = 0; k < j; k++) sum -= s->S[i][k] * s->S[j][k];
                c[0] += j, c[1] += j;
                s->S[i][j] = i == j ? sqrt(sum) : sum / s->S[j][j];
                c[i == j ? 3 : 2]++;
            }
        for (int i = 0; i < m; i++) {
            double sum = s->zm[i];
            for (int k = 0; k < i; k++) sum -= s->S[i][k] * s->lambda[k];
            s->lambda[i] = sum / s->S[i][i];
            c[0] += i, c[1] += i, c[2]++;
        }
        for (int i = m - 1; i >= 0; i--) {
            double sum = s->lambda[i];
            for (int k = i + 1; k < m; k++) sum -= s->S[k][i] * s->lambda[k];
            s->lambda[i] = sum / s->S[i][i];
            c[0] += m - 1 - i, c[1] += m - 1 - i, c[2]++;
        }
        break;
    case 6:
        for (int i = 0; i < n; i++) {
            int terms = 0;
            s->y[i] = 0;
            for (int col = 0; col < m; col++)
                if (here(dense, p->T[i][col])) {
                    s->y[i] += s->T[i][col] * s->lambda[col];
                    terms++;
                }
            c[0] += terms > 0 ? terms - 1 : 0;
            c[1] += terms;
        }
        break;
    default:
        for (int i = n - 1; i >= 0; i--) {
            double sum = s->zn[i] - s->y[i];
            c[0]++;
            for (int k = i + 1; k < n; k++)
                if (here(dense, p->L[k][i])) {
                    sum -= s->L[k][i] * s->qdd[k];
                    c[0]++, c[1]++;
                }
            s->qdd[i] = sum / s->L[i][i];
            c[2]++;
        }
    }
    for (int k = 0; k < KINDS; k++) s->count[k][step] = c[k];
}

// Alg-D by LAPACK and BLAS; the matrices are transposed, since rows of C are columns there.
static void dense_step(const problem *p, solution *s, int step, bool unused)
{
    const int n = p->n, m = p->m, room = MOST, one = 1;
    const double unit = 1, zero = 0, minus = -1;
    int info;
    (void)unused;
    switch (step) {
    case 0:
        for (int i = 0; i < n; i++) memcpy(s->L[i], p->M[i], (size_t)n * sizeof(double));
        dpotrf_("U", &n, s->L[0], &room, &info, 1);
        break;
    case 1:
        memcpy(s->zn, p->Q, (size_t)n * sizeof(double));
        dtrsm_("L", "U", "T", "N", &n, &one, &unit, s->L[0], &room, s->zn, &room, 1, 1, 1, 1);
        break;
    case 2:  // T by columns: row c of s->T holds column c
        for (int c = 0; c < m; c++) memcpy(s->T[c], p->B[c], (size_t)n * sizeof(double));
        dtrsm_("L", "U", "T", "N", &n, &m, &unit, s->L[0], &room, s->T[0], &room, 1, 1, 1, 1);
        break;
    case 3:
        memcpy(s->zm, p->tau, (size_t)m * sizeof(double));
        dgemm_("T", "N", &m, &one, &n, &unit, s->T[0], &room, s->zn, &room, &minus, s->zm, &room, 1, 1);
        break;
    case 4:
        dgemm_("T", "N", &m, &m, &n, &unit, s->T[0], &room, s->T[0], &room, &zero, s->S[0], &room, 1, 1);
        break;
    case 5:
        memcpy(s->lambda, s->zm, (size_t)m * sizeof(double));
        dpotrf_("U", &m, s->S[0], &room, &info, 1);
        dpotrs_("U", &m, &one, s->S[0], &room, s->lambda, &room, &info, 1);
        break;
    case 6:
        dgemm_("N", "N", &n, &one, &m, &unit, s->T[0], &room, s->lambda, &room, &zero, s->y, &room, 1, 1);
        break;
    default:
        for (int i = 0; i < n; i++) s->qdd[i] = s->zn[i] - s->y[i];
        dtrsm_("L", "U", "N", "N", &n, &one, &unit, s->L[0], &room, s->qdd, &room, 1, 1, 1, 1);
    }
}

// Least time of each step [s], and of all together.
static void time_steps(const problem *p, solution *s, void (*run)(const problem *, solution *, int, bool),
                       double *seconds)
{
    for (int k = 0; k <= STEPS; k++) seconds[k] = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        const double begin = paper_now();
        for (int k = 0; k < STEPS; k++) run(p, s, k, false);
        seconds[STEPS] = fmin(seconds[STEPS], paper_now() - begin);
        for (int k = 0; k < STEPS; k++) {
            const double start = paper_now();
            run(p, s, k, false);
            seconds[k] = fmin(seconds[k], paper_now() - start);
        }
    }
}

// Largest residual of the augmented equations, relative to the forces.
static double residual_of(const problem *p, const solution *s)
{
    double most = 0, scale = 1;
    for (int i = 0; i < p->n; i++) {
        double sum = -p->Q[i];
        for (int j = 0; j < p->n; j++) sum += p->M[i][j] * s->qdd[j];
        for (int c = 0; c < p->m; c++) sum += p->B[c][i] * s->lambda[c];
        most = fmax(most, fabs(sum));
        scale = fmax(scale, fabs(p->Q[i]));
    }
    return most / scale;
}

// ---- tables -----------------------------------------------------------------------------------------------

// Gaussian elimination of order n, counted as its loops go: additions, multiplications, divisions.
static void count_gauss(int n, long count[KINDS - 1][3])
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            count[2][0]++;  // the factor of row i
            for (int j = k + 1; j < n; j++) count[0][0]++, count[1][0]++;
            count[0][1]++, count[1][1]++;  // of the right-hand side
            count[0][2]++, count[1][2]++;  // x_k from row i in the back substitution
        }
        count[2][2]++;
    }
}

static void print_table6(paper *p, int n)
{
    long count[KINDS - 1][3] = {{0}};
    bool same = true;
    count_gauss(n, count);
    paper_part("table6", "exact", NULL);
    printf("Table 6, Gauss, thesis / ours:\n\n| | factorization | forward | back | total |\n"
           "|---|---|---|---|---|\n");
    for (int kind = 0; kind < KINDS - 1; kind++) {
        const long total = count[kind][0] + count[kind][1] + count[kind][2];
        printf("| %s |", KIND[kind]);
        for (int k = 0; k < 3; k++) printf(" %d / %ld |", TABLE6[kind][k], count[kind][k]);
        printf(" %d / %ld |\n", TABLE6[kind][3], total);
        for (int k = 0; k < 3; k++) same = same && count[kind][k] == TABLE6[kind][k];
        same = same && total == TABLE6[kind][3];
    }
    paper_law(p, "all counts as printed", same);
}

// How far the totals are from those of the thesis, and how many entries are not the same.
static void check_counts(paper *p, const int thesis[KINDS][STEPS + 1], const solution *s, double ratio,
                         int different)
{
    double most = 1, others = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        long total = 0;
        for (int k = 0; k < STEPS; k++) {
            total += s->count[kind][k];
            others += s->count[kind][k] != thesis[kind][k];
        }
        const double r = (double)total / thesis[kind][STEPS];
        most = fmax(most, fmax(r, 1 / r));
    }
    paper_within(p, "totals over those of the thesis, or reverse, most", most, 1, ratio);
    paper_within(p, "entries that are not as printed", others, 0, different);
}

static void print_counts(const char *part, const char *title, const int thesis[KINDS][STEPS + 1],
                         const solution *s)
{
    paper_part(part, "exact", NULL);
    printf("%s, thesis / ours:\n\n| |", title);
    for (int k = 0; k < STEPS; k++) printf(" %s |", STEP[k]);
    printf(" total |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (int kind = 0; kind < KINDS; kind++) {
        long total = 0;
        printf("| %s |", KIND[kind]);
        for (int k = 0; k < STEPS; k++) {
            printf(" %d / %ld |", thesis[kind][k], s->count[kind][k]);
            total += s->count[kind][k];
        }
        printf(" %d / %ld |\n", thesis[kind][STEPS], total);
    }
}

int main(int argc, char **argv)
{
    static problem p;
    static solution sparse, dense, all;
    paper out;
    tml_error err = {0};
    double seconds[2][STEPS + 1];
    if (!paper_arguments(&out, argc, argv)) return 2;
    tml_model *model = paper_model(&out, "hmmwv_revolute");
    if (!model) return 1;
    if (load(model, &p, &err) != TML_OK) {
        paper_fail(&out, "hmmwv_revolute", err.msg);
        tml_model_destroy(model);
        return 1;
    }
    for (int k = 0; k < STEPS; k++) sparse_step(&p, &all, k, true);
    time_steps(&p, &sparse, sparse_step, seconds[0]);
    time_steps(&p, &dense, dense_step, seconds[1]);
    paper_part("size", "exact", NULL);
    printf("Ours: %d coordinates, %d rows of cut joints (thesis: 27, 16); fill-in of L: %d entries (Lemma 2: "
           "none).\n",
           p.n, p.m, p.fill);
    paper_law(&out, "coordinates and rows as printed", p.n == 27 && p.m == 16);
    print_table6(&out, p.n + p.m);
    print_counts("table7", "Table 7, Alg-S", TABLE7, &sparse);
    check_counts(&out, TABLE7, &sparse, 1.2, KINDS * STEPS);
    print_counts("table8", "Table 8, Alg-D", TABLE8, &all);
    check_counts(&out, TABLE8, &all, 1.1, 2);  // but step 3.4
    paper_part("table10", "exact time", NULL);
    printf("Table 10 [us], thesis / ours:\n\n| |");
    for (int k = 0; k < STEPS; k++) printf(" %s |", STEP[k]);
    printf(" total |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (int w = 0; w < 2; w++) {
        printf("| %s |", w == 0 ? "Alg-S" : "Alg-D");
        for (int k = 0; k <= STEPS; k++) printf(" %d / %.2f |", TABLE10[w][k], 1e6 * seconds[w][k]);
        printf("\n");
    }
    const double wrong = fmax(residual_of(&p, &sparse), residual_of(&p, &dense));
    paper_within(&out, "both solve the system: largest residual", wrong, 0, 1e-9);
    tml_model_destroy(model);
    return paper_end(&out);
}
