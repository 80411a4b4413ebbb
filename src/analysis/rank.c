// The rank of the constraint Jacobian by a QR factorization with column pivoting,
//   C = diag(1/norm) B diag(unit),      C' P = Q R        (1)
// B (m x n); unit: the model's length for translations, 1 for rotations, so that columns are pure numbers times a unit
// of the row; norm: the Euclidean norm of each row, which takes that unit away. |R_11| = 1 >= |R_22| >= ...
//
// Rows whose pivot is below TOLERANCE depend on the others:
//   C_dep = X' C_ind,   R_11 X = R_12                     (2)
// so the columns of N = [-X; 1] (in the order of P) span the left null space of C. Which of the rows in a cycle is
// called dependent is arbitrary; by eliminating N from its last row upwards (3) it is the joint written last, which is
// the one a reader expects: it closes the loop.
//
// TOLERANCE lies far above the error of an assembled configuration (1e-13 .. 1e-10 model lengths) and far below what
// a joint misplaced in the sixth digit leaves.
#include "analysis/rank.h"
#include "linalg/lapack.h"

#include <math.h>
#include <string.h>

/** A P = Q R with column pivoting. jpvt: 0 on entry, on return column k of A P is column jpvt[k] (from 1) of A. */
void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau, double *work,
             const int *lwork, int *info);

static const double TOLERANCE = 1e-8;
static const double VANISHING = 1e-12;   // norm of a row that holds nothing, relative to the largest
static const double SIGNIFICANT = 1e-6;  // smallest coefficient of (2) worth a name; the others are round-off
static const double CHOICE = 0.3;  // (3): how small a pivot is accepted for a later row; bounds the growth of X

void tmli_rank_clear(tmli_rank *k)
{
    const tml_env env = k->env;
    tmli_free(&env, k->unit);
    tmli_free(&env, k->norm);
    tmli_free(&env, k->pivot);
    tmli_free(&env, k->qr);
    tmli_free(&env, k->tau);
    tmli_free(&env, k->order);
    tmli_free(&env, k->dependent);
    tmli_free(&env, k->coef);
    *k = (tmli_rank){0};
}

static tml_status no_memory(tml_error *err)
{
    return tmli_fail(err, TML_ERR_NOMEM, "check: memory is exhausted");
}

static tml_status allocate(tmli_rank *k, const tml_system *sys)
{
    const size_t n = (size_t)sys->n, m = (size_t)sys->m, least = n < m ? n : m;
    k->env = sys->env;
    k->n = sys->n;
    k->m = sys->m;
    k->unit = tmli_calloc(&k->env, n, sizeof(double));
    k->norm = tmli_calloc(&k->env, m, sizeof(double));
    k->pivot = tmli_calloc(&k->env, least, sizeof(double));
    k->qr = tmli_calloc(&k->env, n * m, sizeof(double));
    k->tau = tmli_calloc(&k->env, least, sizeof(double));
    k->order = tmli_calloc(&k->env, m, sizeof(int));
    return k->unit && k->norm && k->pivot && k->qr && k->tau && k->order ? TML_OK : TML_ERR_NOMEM;
}

// qr = C' of (1)
static tml_status fill(tmli_rank *k, const tml_system *sys, void *w, const tml_state *x, tml_error *err)
{
    double *rows = tmli_calloc(&k->env, (size_t)sys->rowptr[sys->m], sizeof(double));
    if (!rows) return no_memory(err);
    tml_status st = sys->ops->rows(sys->self, w, x, rows, err);
    double largest = 0;
    for (int j = 0; j < k->n; j++) k->unit[j] = sys->kind[j] == TML_COORDINATE_TRANSLATION ? sys->length : 1;
    for (int r = 0; r < k->m && st == TML_OK; r++) {
        double sum = 0;
        for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1]; i++) {
            rows[i] *= k->unit[sys->rowcol[i]];
            sum += rows[i] * rows[i];
        }
        k->norm[r] = sqrt(sum);
        largest = fmax(largest, k->norm[r]);
        if (!isfinite(sum)) {
            char name[160];
            st = tmli_fail(err, TML_ERR_NAN, "the derivatives of %s are not finite at t = %g s",
                           sys->row_name(sys, r, name, sizeof name), x->t);
        }
    }
    for (int r = 0; r < k->m && st == TML_OK; r++) {
        const bool vanishes = k->norm[r] <= VANISHING * largest;
        if (vanishes) k->norm[r] = 1;
        for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1] && !vanishes; i++)
            k->qr[(size_t)r * (size_t)k->n + (size_t)sys->rowcol[i]] = rows[i] / k->norm[r];
    }
    tmli_free(&k->env, rows);
    return st;
}

static tml_status factor(tmli_rank *k, tml_error *err)
{
    const int least = k->n < k->m ? k->n : k->m, ask = -1;
    int info = 0;
    double size = 0;
    if (least == 0) return TML_OK;
    dgeqp3_(&k->n, &k->m, k->qr, &k->n, k->order, k->tau, &size, &ask, &info);
    const int lwork = (int)size;
    double *work = tmli_calloc(&k->env, (size_t)lwork, sizeof(double));
    if (!work) return no_memory(err);
    dgeqp3_(&k->n, &k->m, k->qr, &k->n, k->order, k->tau, work, &lwork, &info);
    tmli_free(&k->env, work);
    for (int i = 0; i < k->m; i++) k->order[i]--;
    for (int i = 0; i < least; i++) {
        k->pivot[i] = fabs(k->qr[(size_t)i * (size_t)(k->n + 1)]);
        if (k->pivot[i] > TOLERANCE * k->pivot[0]) k->rank = i + 1;
    }
    return TML_OK;
}

// (3) on N (m x d, column-major): returns the row for pivot `at` and brings its column there.
static int choose_row(double *N, int m, int d, int at)
{
    double largest = 0;
    for (size_t i = (size_t)at * (size_t)m; i < (size_t)d * (size_t)m; i++)
        largest = fmax(largest, fabs(N[i]));
    for (int r = m - 1; r >= 0; r--) {
        int best = at;
        for (int c = at; c < d; c++)
            if (fabs(N[(size_t)c * (size_t)m + (size_t)r]) > fabs(N[(size_t)best * (size_t)m + (size_t)r]))
                best = c;
        if (fabs(N[(size_t)best * (size_t)m + (size_t)r]) < CHOICE * largest) continue;
        for (int i = 0; i < m && best != at; i++) {
            const double keep = N[(size_t)at * (size_t)m + (size_t)i];
            N[(size_t)at * (size_t)m + (size_t)i] = N[(size_t)best * (size_t)m + (size_t)i];
            N[(size_t)best * (size_t)m + (size_t)i] = keep;
        }
        return r;
    }
    return 0;
}

static void eliminate(double *N, int m, int d, int *dependent)
{
    for (int k = 0; k < d; k++) {
        double *pivot = N + (size_t)k * (size_t)m;
        const int r = dependent[k] = choose_row(N, m, d, k);
        const double scale = 1 / pivot[r];
        for (int i = 0; i < m; i++) pivot[i] *= scale;
        pivot[r] = 1;
        for (int c = 0; c < d; c++) {
            double *other = N + (size_t)c * (size_t)m;
            const double f = other[r];
            if (c == k || f == 0) continue;
            for (int i = 0; i < m; i++) other[i] -= f * pivot[i];
            other[r] = 0;
        }
    }
}

// Rows by ascending index, their coefficients from the columns of N, round-off dropped.
static void store(tmli_rank *k, const double *N, const int *chosen, int d)
{
    for (int c = 0; c < d; c++) {
        int place = 0;
        for (int e = 0; e < d; e++) place += chosen[e] < chosen[c];
        k->dependent[place] = chosen[c];
        double *coef = k->coef + (size_t)place * (size_t)k->m;
        for (int i = 0; i < k->m; i++) {
            const double x = -N[(size_t)c * (size_t)k->m + (size_t)i];
            coef[i] = i != chosen[c] && fabs(x) > SIGNIFICANT ? x : 0;
        }
    }
}

static tml_status find_dependencies(tmli_rank *k, tml_error *err)
{
    const int d = k->m - k->rank, r = k->rank;
    const double one = 1;
    k->dependent = tmli_calloc(&k->env, (size_t)d, sizeof(int));
    k->coef = tmli_calloc(&k->env, (size_t)d * (size_t)k->m, sizeof(double));
    double *N = tmli_calloc(&k->env, (size_t)d * (size_t)k->m, sizeof(double));
    double *X = tmli_calloc(&k->env, (size_t)d * (size_t)r, sizeof(double));
    int *chosen = tmli_calloc(&k->env, (size_t)d, sizeof(int));
    const bool room = k->dependent && k->coef && N && X && chosen;
    if (room && d > 0) {
        for (int c = 0; c < d && r > 0; c++)
            memcpy(X + (size_t)c * (size_t)r, k->qr + (size_t)(r + c) * (size_t)k->n, (size_t)r * sizeof(double));
        if (r > 0) dtrsm_("L", "U", "N", "N", &r, &d, &one, k->qr, &k->n, X, &r, 1, 1, 1, 1);  // (2)
        for (int c = 0; c < d; c++) {
            double *column = N + (size_t)c * (size_t)k->m;
            for (int i = 0; i < r; i++) column[k->order[i]] = -X[(size_t)c * (size_t)r + (size_t)i];
            column[k->order[r + c]] = 1;
        }
        eliminate(N, k->m, d, chosen);
        store(k, N, chosen, d);
    }
    tmli_free(&k->env, N);
    tmli_free(&k->env, X);
    tmli_free(&k->env, chosen);
    return room ? TML_OK : no_memory(err);
}

tml_status tmli_rank_calc(const tml_system *sys, void *w, const tml_state *x, tmli_rank *out, tml_error *err)
{
    *out = (tmli_rank){0};
    if (sys->m > TMLI_RANK_ROWS || sys->n > TMLI_RANK_COLUMNS)
        return tmli_fail(err, TML_ERR_ARG, "the rank of %d rows by %d columns is not computed: at most %d by %d",
                         sys->m, sys->n, TMLI_RANK_ROWS, TMLI_RANK_COLUMNS);
    tml_status st = allocate(out, sys);
    if (st != TML_OK) st = no_memory(err);
    if (st == TML_OK) st = fill(out, sys, w, x, err);
    if (st == TML_OK) st = factor(out, err);
    if (st == TML_OK) st = find_dependencies(out, err);
    if (st != TML_OK) tmli_rank_clear(out);
    return st;
}
