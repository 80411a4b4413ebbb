// The modes of lowest frequency of K x = w^2 M x, K positive definite, M without negative eigenvalues.
//
//   inverse(K) M x = w^-2 x                                                                               (1)
// Small problems: with K = L L', inv(L) M inv(L)' is symmetric. Large ones: ARPACK finds the largest
// eigenvalues of (1), and subspace iteration (K. J. Bathe, E. L. Wilson, 1972) improves them in a block with
// further vectors: Arnoldi's method may miss one of two modes of the same frequency, a block does not.
#include "linalg/dense/lapack.h"
#include "linalg/eigen/arnoldi.h"
#include "part/part.h"

#include <math.h>
#include <string.h>

#include "part/constants.h"

enum { DENSE = 300, MORE_VECTORS = 8, ITERATIONS = 300, RESTARTS = 300 };

// Eigenvalues lambda (n, descending) = w^-2 of dense K, M (destroyed, column-major), and X (n x n) with X'K X
// = 1. work (4 n).
static tml_status solve_dense(int n, double *K, double *M, double *lambda, double *X, double *work,
                              tml_error *err)
{
    const double one = 1;
    int info = 0;
    const int lwork = 4 * n;
    tmli_dpotrf("L", &n, K, &n, &info, 1);
    if (info != 0)
        return tmli_fail(err, TML_ERR_SINGULAR,
                         "the stiffness matrix of the inner nodes is not positive definite");
    tmli_dtrsm("L", "L", "N", "N", &n, &n, &one, K, &n, M, &n, 1, 1, 1, 1);
    tmli_dtrsm("R", "L", "T", "N", &n, &n, &one, K, &n, M, &n, 1, 1, 1, 1);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) M[i * n + j] = M[j * n + i] = (M[i * n + j] + M[j * n + i]) / 2;
    tmli_dsyev("V", "L", &n, M, &n, lambda, work, &lwork, &info, 1, 1);
    if (info != 0) return tmli_fail(err, TML_ERR_STEP, "eigenvalues of the mesh were not found");
    tmli_dtrsm("L", "L", "T", "N", &n, &n, &one, K, &n, M, &n, 1, 1, 1, 1);
    for (int j = 0; j < n; j++)  // ascending before
        memcpy(X + (size_t)j * (size_t)n, M + (size_t)(n - 1 - j) * (size_t)n, (size_t)n * sizeof *X);
    for (int j = 0; j < n / 2; j++) {
        const double x = lambda[j];
        lambda[j] = lambda[n - 1 - j];
        lambda[n - 1 - j] = x;
    }
    return TML_OK;
}

typedef struct iteration {
    const tmli_modes_def *def;
    tmli_arena arena;
    int b;                                         // vectors of the block
    double *X, *Y, *MX;                            // (n x b)
    double *lambda, *before, *Kr, *Mr, *V, *work;  // of the block
    double *re, *im, *mre;                         // (n)
} iteration;

static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static void apply_complex(const double complex *x, double complex *y, void *user)
{
    iteration *t = user;
    const tmli_modes_def *d = t->def;
    for (int part = 0; part < 2; part++) {
        double *out = part ? t->im : t->re;
        for (int i = 0; i < d->n; i++) t->mre[i] = part ? cimag(x[i]) : creal(x[i]);
        tmli_sparse_multiply(d->M, 1, t->mre, out);
        d->solve(d->user, out);
    }
    for (int i = 0; i < d->n; i++) y[i] = t->re[i] + t->im[i] * I;
}

// The first vectors of X by ARPACK. Without it, or if it fails, they stay random.
static void start_with_arpack(iteration *t)
{
    const tmli_modes_def *d = t->def;
    const size_t n = (size_t)d->n, count = (size_t)d->count;
    if (!tmli_arnoldi_available() || d->count > d->n - 2) return;
    double complex *values = tmli_arena_alloc(&t->arena, count, sizeof *values);
    double complex *vectors = tmli_arena_alloc(&t->arena, n * count, sizeof *vectors);
    int found = 0;
    const tmli_arnoldi_def def = {.n = d->n,
                                  .count = d->count,
                                  .tolerance = 1e-8,
                                  .restarts = RESTARTS,
                                  .apply = apply_complex,
                                  .user = t,
                                  .enter = tmli_library_enter,
                                  .leave = tmli_library_leave,
                                  .filter = 1};
    if (!values || !vectors) return;
    if (tmli_arnoldi_solve(&def, t->arena.env, values, vectors, &found, NULL) != TML_OK) return;
    for (int j = 0; j < found; j++) {
        const double complex *v = vectors + (size_t)j * n;
        size_t top = 0;
        for (size_t i = 1; i < n; i++)
            if (cabs(v[i]) > cabs(v[top])) top = i;
        for (size_t i = 0; i < n; i++) t->X[(size_t)j * n + i] = creal(v[i] / v[top]);
    }
}

static bool allocate(iteration *t)
{
    const size_t n = (size_t)t->def->n, b = (size_t)t->b;
    double **const large[] = {&t->X, &t->Y, &t->MX}, **const block[] = {&t->Kr, &t->Mr, &t->V};
    double **const vector[] = {&t->re, &t->im, &t->mre};
    bool ok = true;
    for (int i = 0; i < 3; i++) {
        *large[i] = tmli_arena_alloc(&t->arena, n * b, sizeof(double));
        *block[i] = tmli_arena_alloc(&t->arena, b * b, sizeof(double));
        *vector[i] = tmli_arena_alloc(&t->arena, n, sizeof(double));
        ok = ok && *large[i] && *block[i] && *vector[i];
    }
    return tmli_arena_alloc_all(&t->arena, TMLI_ARRAY(t->lambda, b), TMLI_ARRAY(t->before, b),
                                TMLI_ARRAY(t->work, 4 * b)) &&
           ok;
}

// C (b x b) = A'B of (n x b).
static void project(int n, int b, const double *A, const double *B, double *C)
{
    const double one = 1, zero = 0;
    tmli_dgemm("T", "N", &b, &b, &n, &one, A, &n, B, &n, &zero, C, &b, 1, 1);
}

// Y := inverse(K) M X, then X := the Ritz vectors in Y.
static tml_status iterate(iteration *t, tml_error *err)
{
    const tmli_modes_def *d = t->def;
    const double one = 1, zero = 0;
    tmli_sparse_multiply(d->M, t->b, t->X, t->MX);
    memcpy(t->Y, t->MX, (size_t)d->n * (size_t)t->b * sizeof(double));
    for (int j = 0; j < t->b; j++) {
        double *y = t->Y + (size_t)j * (size_t)d->n, size = 0;
        d->solve(d->user, y);
        for (int i = 0; i < d->n; i++) size = fmax(size, fabs(y[i]));
        for (int i = 0; i < d->n && size > 0; i++) y[i] /= size;
    }
    tmli_sparse_multiply(d->K, t->b, t->Y, t->MX);
    project(d->n, t->b, t->Y, t->MX, t->Kr);
    tmli_sparse_multiply(d->M, t->b, t->Y, t->MX);
    project(d->n, t->b, t->Y, t->MX, t->Mr);
    const tml_status st = solve_dense(t->b, t->Kr, t->Mr, t->lambda, t->V, t->work, err);
    if (st == TML_OK)
        tmli_dgemm("N", "N", &d->n, &t->b, &t->b, &one, t->Y, &d->n, t->V, &t->b, &zero, t->X, &d->n, 1, 1);
    return st;
}

static tml_status solve_large(iteration *t, tml_error *err)
{
    const tmli_modes_def *d = t->def;
    uint64_t seed = 20240611;
    t->b = 2 * d->count < d->count + MORE_VECTORS ? d->count + MORE_VECTORS : 2 * d->count;
    if (t->b > d->n) t->b = d->n;
    if (!allocate(t)) return tmli_no_memory(err, "modes of the mesh");
    for (size_t i = 0; i < (size_t)d->n * (size_t)t->b; i++) t->X[i] = next_random(&seed);
    start_with_arpack(t);
    for (int k = 0; k < ITERATIONS; k++) {
        const tml_status st = iterate(t, err);
        double change = 0;
        if (st != TML_OK) return st;
        for (int j = 0; j < d->count; j++)
            change =
                fmax(change, fabs(t->lambda[j] - t->before[j]) / fmax(t->lambda[0] * 1e-30, t->lambda[j]));
        memcpy(t->before, t->lambda, (size_t)t->b * sizeof(double));
        if (k > 0 && change <= MODE_CHANGE) return TML_OK;
    }
    return tmli_fail(err, TML_ERR_STEP, "the %d lowest modes of the mesh did not converge; ask for fewer",
                     d->count);
}

static tml_status solve_small(iteration *t, tml_error *err)
{
    const tmli_modes_def *d = t->def;
    t->b = d->n;
    if (!allocate(t)) return tmli_no_memory(err, "modes of the mesh");
    for (int j = 0; j < d->n; j++) {
        for (int32_t e = d->K->colptr[j]; e < d->K->colptr[j + 1]; e++)
            t->Kr[j * d->n + d->K->rowind[e]] = d->K->value[e];
        for (int32_t e = d->M->colptr[j]; e < d->M->colptr[j + 1]; e++)
            t->Mr[j * d->n + d->M->rowind[e]] = d->M->value[e];
    }
    return solve_dense(d->n, t->Kr, t->Mr, t->lambda, t->X, t->work, err);
}

tml_status tmli_lowest_modes(const tmli_modes_def *def, const tml_env *env, double *w, double *X, int *found,
                             tml_error *err)
{
    iteration t = {.def = def, .arena.env = env};
    *found = 0;
    if (def->count == 0) return TML_OK;
    const bool small = def->n <= DENSE || (def->n <= 10 * DENSE && 4 * def->count > def->n);
    const tml_status st = small ? solve_small(&t, err) : solve_large(&t, err);
    for (int j = 0; j < def->count && st == TML_OK && t.lambda[j] > MASSLESS_SHAPE * t.lambda[0]; j++) {
        const size_t n = (size_t)def->n, at = (size_t)j * n;
        w[j] = 1 / sqrt(t.lambda[j]);
        for (size_t i = 0; i < n; i++) X[at + i] = t.X[at + i] * w[j];  // x'K x = 1 -> x'M x = 1
        ++*found;
    }
    tmli_arena_clear(&t.arena);
    return st;
}
