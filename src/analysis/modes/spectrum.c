// Eigenvalues of b' + Dr b + Kr a = 0, a' = b + C a, where r0 of the r directions have no inertia. With a =
// (a1, a0), b0 = a0' - (C a)_0 the first-order form is
//   [ 1  0    0 ] [a1']   [ C1             1   ] [a ]
//   [ 0  D10  1 ] [a0'] = [ -K1 + D10 C0  -D11 ] [b1]                   (1)
//   [ 0  D00  0 ] [b1']   [ -K0 + D00 C0  -D01 ]
// dggev is needed only if r0 > 0. Infinite eigenvalues belong to directions with stiffness only, and are
// dropped.
//
// b0 is eliminated because dggev finds the infinite eigenvalues of an index-1 pencil to round-off. With b0
// the index would be 2, and they would become large finite numbers.
#include "analysis/modes/spectrum.h"
#include "base/tolerances.h"
#include "linalg/dense/lapack.h"

#include <math.h>

/** Eigenvalues alpha/beta of the pencil a - s b. */
void dggev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *b,
            const int *ldb, double *alphar, double *alphai, double *beta, double *vl, const int *ldvl,
            double *vr, const int *ldvr, double *work, const int *lwork, int *info, size_t jobvl_len,
            size_t jobvr_len);

void tmli_spectrum_clear(tmli_spectrum *s)
{
    const tml_env env = s->env;
    tmli_free(&env, s->re);
    tmli_free(&env, s->im);
    *s = (tmli_spectrum){0};
}

// A and E (N x N, zeroed, N = r + r1) of (1). Times are measured in 1/rate, so b1 counts in rate units.
static void build_pencil(const tmli_reduced *l, double rate, double *A, double *E)
{
    const size_t r = (size_t)l->r, r1 = (size_t)l->r1, N = r + r1;
    for (size_t j = 0; j < r; j++) {
        for (size_t i = 0; i < r1; i++) A[j * N + i] = l->Cr[j * r + i] / rate;
        for (size_t i = 0; i < r; i++) {  // rows of inertia first, then the massless ones
            double x = -l->Kr[j * r + i];
            for (size_t k = r1; k < r; k++) x += l->Dr[k * r + i] * l->Cr[j * r + k];
            A[j * N + (i < r1 ? r + i : i)] = x / (rate * rate);
        }
    }
    for (size_t j = 0; j < r1; j++) {
        A[(r + j) * N + j] = 1;
        E[j * N + j] = 1;
        E[(r + j) * N + r + j] = 1;
        for (size_t i = 0; i < r; i++) A[(r + j) * N + (i < r1 ? r + i : i)] = -l->Dr[j * r + i] / rate;
    }
    for (size_t j = r1; j < r; j++)
        for (size_t i = 0; i < r; i++) E[j * N + (i < r1 ? r + i : i)] = l->Dr[j * r + i] / rate;
}

// Scale the rows of massless directions, whose unit is arbitrary, to size 1. False: a row is zero.
static bool scale_massless_rows(const tmli_reduced *l, double *A, double *E)
{
    const size_t r = (size_t)l->r, N = r + (size_t)l->r1;
    for (size_t i = (size_t)l->r1; i < r; i++) {
        double largest = 0;
        for (size_t j = 0; j < N; j++) largest = fmax(largest, fmax(fabs(A[j * N + i]), fabs(E[j * N + i])));
        if (largest == 0) return false;
        for (size_t j = 0; j < N; j++) {
            A[j * N + i] /= largest;
            E[j * N + i] /= largest;
        }
    }
    return true;
}

static tml_status fail_unresisted(tml_error *err)
{
    return tmli_fail(err, TML_ERR_SINGULAR, "a part without mass can move without resistance");
}

static tml_status solve_eigenvalues(const tmli_reduced *l, double rate, tmli_arena *arena, tmli_spectrum *out,
                                    tml_error *err)
{
    const int N = l->r + l->r1, lwork = 16 * N + 64, one = 1;
    const size_t S = (size_t)N;
    double *A = tmli_arena_alloc(arena, S * S, sizeof *A), *E = tmli_arena_alloc(arena, S * S, sizeof *E);
    double *work = tmli_arena_alloc(arena, (size_t)lwork, sizeof *work);
    double *beta = tmli_arena_alloc(arena, S, sizeof *beta);
    double none = 0;
    if (!A || !E || !work || !beta) return tmli_fail(err, TML_ERR_NOMEM, "check: memory is exhausted");
    build_pencil(l, rate, A, E);
    int info = 0;
    if (l->r == l->r1)
        dgeev_("N", "N", &N, A, &N, out->re, out->im, &none, &one, &none, &one, work, &lwork, &info, 1, 1);
    else {
        if (!scale_massless_rows(l, A, E)) return fail_unresisted(err);
        dggev_("N", "N", &N, A, &N, E, &N, out->re, out->im, beta, &none, &one, &none, &one, work, &lwork,
               &info, 1, 1);
    }
    if (info != 0)
        return tmli_fail(err, TML_ERR_SINGULAR, "the eigenvalues of the linearized system cannot be found");
    bool paired = false;  // the last value was the first of a conjugate pair
    for (int i = 0; i < N; i++) {
        const double size = hypot(out->re[i], out->im[i]), b = l->r == l->r1 ? 1 : beta[i];
        if (fabs(b) < TMLI_ROUNDOFF && size < TMLI_ROUNDOFF) return fail_unresisted(err);
        if (fabs(b) <= TMLI_ROUNDOFF * size) continue;
        // LAPACK returns a conjugate pair one after the other, the positive part first, but may scale the two
        // differently.
        const bool conjugate = paired && out->im[i] < 0;
        paired = !conjugate && out->im[i] > 0;
        const int last = out->count - 1;
        out->re[out->count] = conjugate ? out->re[last] : out->re[i] / b * rate;
        out->im[out->count++] = conjugate ? -out->im[last] : out->im[i] / b * rate;
    }
    return TML_OK;
}

// Insertion sort by size. It is stable, so conjugates, which have equal size, stay adjacent.
static void sort_eigenvalues(tmli_spectrum *s, double noise)
{
    for (int i = 1; i < s->count; i++) {
        const double re = s->re[i], im = s->im[i], size = hypot(re, im);
        int k = i;
        for (; k > 0 && hypot(s->re[k - 1], s->im[k - 1]) > size; k--) {
            s->re[k] = s->re[k - 1];
            s->im[k] = s->im[k - 1];
        }
        s->re[k] = re;
        s->im[k] = im;
    }
    if (s->count == 0) return;
    const double largest = hypot(s->re[s->count - 1], s->im[s->count - 1]),
                 least = fmax(sqrt(TMLI_ROUNDOFF) * largest, noise);  // round-off splits a double zero so
    while (s->zeros < s->count && hypot(s->re[s->zeros], s->im[s->zeros]) <= least) {
        s->re[s->zeros] = s->im[s->zeros] = 0;
        s->zeros++;
    }
    if (s->zeros == s->count) return;
    s->slowest = hypot(s->re[s->zeros], s->im[s->zeros]);
    s->fastest = largest;
}

// A time unit in which (1) is well scaled: the square root of the largest stiffness per inertia, or the
// damping.
static double choose_rate(const tmli_reduced *l)
{
    double k = 0, d = 0;
    for (int j = 0; j < l->r1; j++)
        for (int i = 0; i < l->r1; i++) {
            k = fmax(k, fabs(l->Kr[(size_t)j * (size_t)l->r + (size_t)i]));
            d = fmax(d, fabs(l->Dr[(size_t)j * (size_t)l->r + (size_t)i]));
        }
    const double rate = fmax(sqrt(k), d);
    return rate > 0 && isfinite(rate) ? rate : 1;
}

tml_status tmli_spectrum_solve(const tmli_reduced *l, tmli_arena *arena, tmli_spectrum *out, tml_error *err)
{
    if (l->r == 0) return TML_OK;
    tml_status st = solve_eigenvalues(l, choose_rate(l), arena, out, err);
    if (st == TML_OK) sort_eigenvalues(out, l->noise);
    return st;
}
