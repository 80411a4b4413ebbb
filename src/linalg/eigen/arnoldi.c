// The implicitly restarted Arnoldi method of ARPACK: D. C. Sorensen, SIAM J. Matrix Anal. Appl. 13 (1992)
// 357; R. B. Lehoucq, D. C. Sorensen, C. Yang, ARPACK Users' Guide (1998). It asks for products A x until the
// Ritz values of a small projected matrix no longer change.
//
// Arithmetic is complex, so that a shift may lie anywhere in the plane and conjugate pairs need no care.
#include "linalg/eigen/arnoldi.h"

#ifndef TRAMMEL_HAVE_ARPACK

bool tmli_arnoldi_available(void) { return false; }

tml_status tmli_arnoldi_solve(const tmli_arnoldi_def *def, const tml_env *env, double complex *values,
                              double complex *vectors, int *found, tml_error *err)
{
    (void)def, (void)env, (void)values, (void)vectors;
    *found = 0;
    return tmli_fail(err, TML_ERR_ARG, "this build has no ARPACK, which finds eigenvalues of large systems");
}

#else

#include <math.h>
#include <pthread.h>
#include <string.h>

/** One step of the reverse communication: *ido says what is wanted next. */
void znaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev, const double *tol,
             double complex *resid, const int *ncv, double complex *v, const int *ldv, int *iparam,
             int *ipntr, double complex *workd, double complex *workl, const int *lworkl, double *rwork,
             int *info, size_t bmat_len, size_t which_len);
/** Eigenvalues d and vectors z after the last step. */
void zneupd_(const int *rvec, const char *howmny, int *select, double complex *d, double complex *z,
             const int *ldz, const double complex *sigma, double complex *workev, const char *bmat,
             const int *n, const char *which, const int *nev, const double *tol, double complex *resid,
             const int *ncv, double complex *v, const int *ldv, int *iparam, int *ipntr,
             double complex *workd, double complex *workl, const int *lworkl, double *rwork, int *info,
             size_t howmny_len, size_t bmat_len, size_t which_len);

typedef struct arnoldi {
    const tmli_arnoldi_def *def;
    tmli_arena arena;
    int ncv;
    double complex *resid, *v, *workd, *workl, *workev, *d;
    double *rwork;
    int *select;
    int lworkl, iparam[11], ipntr[14];
} arnoldi;

// ARPACK keeps variables between calls of znaupd.
static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

bool tmli_arnoldi_available(void) { return true; }

static tml_status allocate(arnoldi *a, tml_error *err)
{
    const int n = a->def->n, most = 2 * a->def->count + 10;
    a->ncv = most < n ? most : n;
    a->lworkl = 3 * a->ncv * a->ncv + 5 * a->ncv;
    const size_t N = (size_t)n, V = (size_t)a->ncv;
    const bool all = tmli_arena_alloc_all(
        &a->arena, TMLI_ARRAY(a->resid, N), TMLI_ARRAY(a->v, N * V), TMLI_ARRAY(a->workd, 3 * N),
        TMLI_ARRAY(a->workl, (size_t)a->lworkl), TMLI_ARRAY(a->workev, 2 * V), TMLI_ARRAY(a->d, V + 1),
        TMLI_ARRAY(a->rwork, V), TMLI_ARRAY(a->select, V));
    return all ? TML_OK : tmli_no_memory(err, "eigenvalues");
}

static double norm(const double complex *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    return sqrt(sum);
}

// A start with components in all directions that the operator does not annul.
static tml_status fill_start(arnoldi *a, tml_error *err)
{
    const int n = a->def->n;
    uint64_t seed = 0x9e3779b97f4a7c15u + (uint64_t)a->def->start;
    for (int i = 0; i < n; i++) {  // Knuth's linear congruential generator
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        a->resid[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
    }
    for (int k = 0; k < a->def->filter; k++) {
        a->def->apply(a->resid, a->workd, a->def->user);
        const double size = norm(a->workd, n);
        if (!(size > 0) || !isfinite(size))
            return tmli_fail(err, TML_ERR_SINGULAR, "the operator of the eigenvalues is zero or not finite");
        for (int i = 0; i < n; i++) a->resid[i] = a->workd[i] / size;
    }
    return TML_OK;
}

static tml_status iterate(arnoldi *a, tml_error *err)
{
    const tmli_arnoldi_def *def = a->def;
    int ido = 0, info = 1;  // info = 1: resid holds the start
    a->iparam[0] = 1;       // exact shifts
    a->iparam[2] = def->restarts;
    a->iparam[6] = 1;  // A x = nu x
    for (;;) {
        def->enter();
        znaupd_(&ido, "I", &def->n, "LM", &def->count, &def->tolerance, a->resid, &a->ncv, a->v, &def->n,
                a->iparam, a->ipntr, a->workd, a->workl, &a->lworkl, a->rwork, &info, 1, 2);
        def->leave();
        if (ido != -1 && ido != 1) break;
        double complex *const y = a->workd + a->ipntr[1] - 1;
        def->apply(a->workd + a->ipntr[0] - 1, y, def->user);
        if (!isfinite(norm(y, def->n)))
            return tmli_fail(err, TML_ERR_SINGULAR, "the operator of the eigenvalues is not finite");
    }
    if (info < 0 || a->iparam[4] == 0)
        return tmli_fail(err, TML_ERR_STEP, "no eigenvalue has converged (ARPACK status %d)", info);
    return TML_OK;
}

// Converged values and vectors, sorted by size.
static tml_status extract(arnoldi *a, double complex *values, double complex *vectors, int *found,
                          tml_error *err)
{
    const tmli_arnoldi_def *def = a->def;
    const int rvec = 1;
    const double complex sigma = 0;
    int info = 0;
    def->enter();
    zneupd_(&rvec, "A", a->select, a->d, a->v, &def->n, &sigma, a->workev, "I", &def->n, "LM", &def->count,
            &def->tolerance, a->resid, &a->ncv, a->v, &def->n, a->iparam, a->ipntr, a->workd, a->workl,
            &a->lworkl, a->rwork, &info, 1, 1, 2);
    def->leave();
    if (info != 0)
        return tmli_fail(err, TML_ERR_SINGULAR, "the eigenvectors were not found (ARPACK status %d)", info);
    const int got = a->iparam[4] < def->count ? a->iparam[4] : def->count;
    int *const order = a->select;  // by insertion
    for (int i = 0; i < got; i++) {
        int k = i;
        for (; k > 0 && cabs(a->d[order[k - 1]]) < cabs(a->d[i]); k--) order[k] = order[k - 1];
        order[k] = i;
    }
    for (*found = 0; *found < got; ++*found) {
        values[*found] = a->d[order[*found]];
        memcpy(vectors + (size_t)*found * (size_t)def->n, a->v + (size_t)order[*found] * (size_t)def->n,
               (size_t)def->n * sizeof *vectors);
    }
    return TML_OK;
}

tml_status tmli_arnoldi_solve(const tmli_arnoldi_def *def, const tml_env *env, double complex *values,
                              double complex *vectors, int *found, tml_error *err)
{
    *found = 0;
    if (def->count < 1 || def->count > def->n - 2)
        return tmli_fail(err, TML_ERR_ARG, "%d eigenvalues of %d are wanted, expected 1 to %d", def->count,
                         def->n, def->n - 2);
    arnoldi a = {.def = def, .arena = {.env = env}};
    tml_status st = allocate(&a, err);
    if (st == TML_OK) st = fill_start(&a, err);
    if (st == TML_OK) {
        pthread_mutex_lock(&arpack_lock);
        st = iterate(&a, err);
        if (st == TML_OK) st = extract(&a, values, vectors, found, err);
        pthread_mutex_unlock(&arpack_lock);
    }
    tmli_arena_clear(&a.arena);
    return st;
}

#endif
