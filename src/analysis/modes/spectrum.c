// Eigenvalues of I b' + Dr b + Kr a = 0, a' = (b, 0) + C a. With b = (b1, b0, z), b0 without inertia, and a =
// (a1, a0, a2), a2 without velocities, b0 = a0' - (C a)_0. The first-order form has the unknowns a, b1 and z:
//   a1' = b1 + (C a)_1,   a2' = (C a)_2                                                                   (1)
//   D00 a0'       = -K0 a + D00 (C a)_0 - D01 b1 - D0z z   (in the rows of a0)                            (2)
//   b1' + D10 a0' = -K1 a + D10 (C a)_0 - D11 b1 - D1z z,   the same for z                                (3)
// dggev is needed only if there is a b0. Infinite eigenvalues belong to directions with stiffness only, and
// are dropped.
//
// Zero roots are found by ranks (staircase.c) and taken from the matrix before its eigenvalues are sought, if
// there is no b0. Where shapes are wanted, too, the smallest roots of the whole matrix stand for them.
//
// b0 is eliminated because dggev finds the infinite eigenvalues of an index-1 pencil to round-off. With b0
// the index would be 2, and they would become large finite numbers.
#include "analysis/modes/spectrum.h"
#include "analysis/modes/staircase.h"
#include "base/tolerances.h"
#include "linalg/dense/lapack.h"

#include <math.h>
#include <string.h>

#include "analysis/modes/constants.h"

void tmli_spectrum_clear(tmli_spectrum *s)
{
    const tml_env env = s->env;
    tmli_free_all(&env, s->re, s->im);
    *s = (tmli_spectrum){0};
}

// Number of unknowns
static int size_of(const tmli_reduced *l) { return l->ra + l->r - (l->rm - l->r1); }

// Position of b_i among the unknowns; -1: it is in b0
static int place_of(const tmli_reduced *l, int i)
{
    if (i < l->r1) return l->ra + i;
    return i < l->rm ? -1 : l->ra + l->r1 + i - l->rm;
}

// A and E (N x N, zeroed) of (1) to (3). Times are measured in 1/rate, so b counts in rate units.
static void build_pencil(const tmli_reduced *l, double rate, double *A, double *E)
{
    const size_t N = (size_t)size_of(l), r = (size_t)l->r, ra = (size_t)l->ra;
    for (int i = 0; i < l->ra; i++) {
        if (i >= l->r1 && i < l->rm) continue;
        E[(size_t)i * (N + 1)] = 1;
        for (size_t j = 0; j < ra; j++) A[j * N + (size_t)i] = l->Cr[j * ra + (size_t)i] / rate;
        if (i < l->r1) A[(size_t)place_of(l, i) * N + (size_t)i] = 1;
    }
    for (int i = 0; i < l->r; i++) {
        const int place = place_of(l, i);
        const size_t row = (size_t)(place < 0 ? i : place);
        if (place >= 0) E[row * (N + 1)] = 1;
        for (size_t j = 0; j < ra; j++) {
            double x = -l->Kr[j * r + (size_t)i];
            for (int k = l->r1; k < l->rm; k++)
                x += l->Dr[(size_t)k * r + (size_t)i] * l->Cr[j * ra + (size_t)k];
            A[j * N + row] = x / (rate * rate);
        }
        for (int j = 0; j < l->r; j++) {
            const double d = l->Dr[(size_t)j * r + (size_t)i] / rate;
            if (place_of(l, j) < 0) E[(size_t)j * N + row] = d;
            else A[(size_t)place_of(l, j) * N + row] = -d;
        }
    }
}

// Scale the rows of massless directions, whose unit is arbitrary, to size 1. False: a row is zero.
static bool scale_massless_rows(const tmli_reduced *l, double *A, double *E)
{
    const size_t N = (size_t)size_of(l);
    for (size_t i = (size_t)l->r1; i < (size_t)l->rm; i++) {
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

// Regular part of A (N x N), which has no massless directions, and its size. Its error is round-off of its
// own and of the stiffness.
static tml_status remove_zeros(const tmli_reduced *l, double rate, double *A, tmli_arena *arena,
                               tmli_spectrum *out, int *regular, tml_error *err)
{
    const size_t N = (size_t)size_of(l);
    double size = 0;
    for (size_t i = 0; i < N * N; i++) size += A[i] * A[i];
    const double error = fmax(l->roundoff * sqrt(size), l->noise * l->noise / (rate * rate));
    out->resolved = sqrt(NULL_SPACE_GROWTH * error) * rate;  // as far as the error may grow
    return tmli_remove_zero_roots(A, (int)N, error, arena, regular, err);
}

static tml_status solve_eigenvalues(const tmli_reduced *l, double rate, tmli_arena *arena, tmli_spectrum *out,
                                    tml_error *err)
{
    const int N = size_of(l), lwork = 16 * N + 64, one = 1;
    const size_t S = (size_t)N;
    double *A = tmli_arena_alloc(arena, S * S, sizeof *A), *E = tmli_arena_alloc(arena, S * S, sizeof *E);
    double *work = tmli_arena_alloc(arena, (size_t)lwork, sizeof *work);
    double *beta = tmli_arena_alloc(arena, S, sizeof *beta);
    out->column = tmli_arena_alloc(arena, S + 1, sizeof *out->column);
    out->columns = tmli_arena_alloc(arena, S + 1, sizeof *out->columns);
    out->vectors = tmli_arena_alloc(arena, l->vectors ? S * S : 1, sizeof *out->vectors);
    out->unknowns = N;
    out->rate = rate;
    double none = 0;
    if (!A || !E || !work || !beta || !out->column || !out->columns || !out->vectors)
        return tmli_fail(err, TML_ERR_NOMEM, "check: memory is exhausted");
    const char *const right = l->vectors ? "V" : "N";
    const int ld = l->vectors ? N : 1;
    build_pencil(l, rate, A, E);
    int info = 0, found = N;
    if (l->rm == l->r1) {
        if (l->vectors) memcpy(E, A, S * S * sizeof *E);
        const tml_status st = remove_zeros(l, rate, l->vectors ? E : A, arena, out, &found, err);
        if (st != TML_OK) return st;
        out->zeros = N - found;
        if (l->vectors) found = N;
        memset(out->re, 0, S * sizeof *out->re);
        memset(out->im, 0, S * sizeof *out->im);
        if (found > 0)
            tmli_dgeev("N", right, &found, A, &found, out->re, out->im, &none, &one, out->vectors, &ld, work,
                       &lwork, &info, 1, 1);
    } else {
        if (!scale_massless_rows(l, A, E)) return fail_unresisted(err);
        tmli_dggev("N", right, &N, A, &N, E, &N, out->re, out->im, beta, &none, &one, out->vectors, &ld, work,
                   &lwork, &info, 1, 1);
    }
    if (info != 0)
        return tmli_fail(err, TML_ERR_SINGULAR, "the eigenvalues of the linearized system cannot be found");
    bool paired = false;  // the last value was the first of a conjugate pair
    for (int i = 0; i < N; i++) {
        const double size = hypot(out->re[i], out->im[i]), b = l->rm == l->r1 ? 1 : beta[i];
        if (fabs(b) < TMLI_ROUNDOFF && size < TMLI_ROUNDOFF) return fail_unresisted(err);
        if (fabs(b) <= TMLI_ROUNDOFF * size) continue;
        // LAPACK returns a conjugate pair one after the other, the positive part first, but may scale the two
        // differently.
        const bool conjugate = paired && out->im[i] < 0;
        paired = !conjugate && out->im[i] > 0;
        const int last = out->count - 1;
        out->column[out->count] = conjugate ? i - 1 : i;
        out->columns[out->count] = conjugate ? TMLI_COLUMN_CONJUGATE
                                   : paired  ? TMLI_COLUMN_PAIR
                                             : TMLI_COLUMN_REAL;
        out->re[out->count] = conjugate ? out->re[last] : out->re[i] / b * rate;
        out->im[out->count++] = conjugate ? -out->im[last] : out->im[i] / b * rate;
    }
    return TML_OK;
}

// Insertion sort by size. It is stable, so conjugates, which have equal size, stay adjacent. by_ranks: zeros
// have been counted; else round-off splits a double zero to the square root of its share.
static void sort_eigenvalues(tmli_spectrum *s, double noise, bool by_ranks)
{
    for (int i = 1; i < s->count; i++) {
        const double re = s->re[i], im = s->im[i], size = hypot(re, im);
        const int column = s->column[i];
        const tmli_column columns = s->columns[i];
        int k = i;
        for (; k > 0 && hypot(s->re[k - 1], s->im[k - 1]) > size; k--) {
            s->re[k] = s->re[k - 1];
            s->im[k] = s->im[k - 1];
            s->column[k] = s->column[k - 1];
            s->columns[k] = s->columns[k - 1];
        }
        s->re[k] = re;
        s->im[k] = im;
        s->column[k] = column;
        s->columns[k] = columns;
    }
    s->noise = noise;
    if (s->count == 0) return;
    const double largest = hypot(s->re[s->count - 1], s->im[s->count - 1]),
                 least = by_ranks ? noise : fmax(sqrt(TMLI_ROUNDOFF) * largest, noise);
    if (!by_ranks) s->resolved = least;
    const int counted = s->zeros;
    for (s->zeros = 0; s->zeros < s->count; s->zeros++) {
        const int i = s->zeros;
        const bool half = i + 1 == counted && s->columns[i] == TMLI_COLUMN_PAIR;
        if ((i >= counted || half) && hypot(s->re[i], s->im[i]) > least) break;
        s->re[i] = s->im[i] = 0;
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
    for (int i = 0; i < l->r; i++) {
        if (place_of(l, i) < 0) continue;
        for (int j = 0; j < l->ra; j++)  // the unit of a0 and b0 is arbitrary
            if (j < l->r1 || j >= l->rm) k = fmax(k, fabs(l->Kr[(size_t)j * (size_t)l->r + (size_t)i]));
        for (int j = 0; j < l->r; j++)
            if (place_of(l, j) >= 0) d = fmax(d, fabs(l->Dr[(size_t)j * (size_t)l->r + (size_t)i]));
    }
    const double rate = fmax(sqrt(k), d);
    return rate > 0 && isfinite(rate) ? rate : 1;
}

tml_status tmli_spectrum_solve(const tmli_reduced *l, tmli_arena *arena, tmli_spectrum *out, tml_error *err)
{
    if (size_of(l) == 0) return TML_OK;
    tml_status st = solve_eigenvalues(l, choose_rate(l), arena, out, err);
    if (st == TML_OK) sort_eigenvalues(out, l->noise, l->rm == l->r1);
    return st;
}
