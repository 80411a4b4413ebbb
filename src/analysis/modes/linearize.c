// Small motions about a state (q, u, udot, lambda) of
//   M udot + B' lambda = f,   B u = nu,   B udot = gamma.
// In units where translations count in model lengths, q moves by d = Z a with Z (n x r) an orthonormal basis
// of the null space of B, from the factorization of rank.c. B+ is the pseudo-inverse of B (its range is
// normal to Z).
//
//   du    = Z b - B+ (B u)_d d                                          (1)   from B du + (B u)_d d = 0
//   dudot = Z (b' - W'U a) + B+ [ gamma_d d + gamma_u du - (B udot)_d d ]   (2)
//           U = -B+ (B u)_d Z as in (1),  W = Z' in time: W z = -B+ (B z)_d u;  Z rotates with Z'W = 0
//   a'    = b + Z'C Z a,      C d = d x w (rotations in body axes)      (3)
//   Z' [ M dudot + D du + K d ] = 0,   K = d/dd [M udot + B' lambda - f],  D = -df/du        (4)
//
// (4) with (1), (2) reads Mr b' + Dr b + Kr a = 0. At rest in equilibrium Mr = Z'MZ, Dr = Z'DZ, Kr = Z'KZ:
// exact. At a moving state the coefficients hold for this instant. (B u)_d is taken at constant u. nu_d = 0
// holds for drivers that prescribe a coordinate as a function of time.
//
// C comes from the retraction: d' = T(d)^-1 u = u + C d/2 + ... on a group, so C d = (T(e d)^-1 u - T(-e
// d)^-1 u)/e.
//
// Accelerations and multipliers are computed in the same basis, so that dependent rows are allowed: B' lambda
// is unique, and so is Z'(B' lambda)_d Z if rows are dependent in all configurations.
//
// Rows at velocity level are treated as if they restricted the positions, too: eigenvalues of motion across
// them, mostly zero, are left out.
//
// The eigenvalues (spectrum.c) are taken in a basis V of the free directions with V'Mr V = diag(1, 0): r1
// directions with inertia first, then those without.
#include "analysis/modes/linearize.h"
#include "linalg/dense/lapack.h"
#include "linalg/pattern/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

/** Q (m x n) from the k reflectors of a QR factorization. */
void dorgqr_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau,
             double *work, const int *lwork, int *info);

typedef struct lin {
    const tml_system *sys;
    void *w;
    const tmli_rank *k;
    tml_state *x;
    tmli_arena arena;
    int n, m, r, r1;            // r: freedoms, r1: those with inertia
    double *Q;                  // (n x n) column-major: range of B', then Z
    const double *Z;            // (n x r)
    double *M, *D, *K;          // (n x n) column-major, in scaled coordinates
    double *Mr, *Dr, *Kr, *Cr;  // (r x r); later in the basis V
    double force;               // size of f, which reactions in K may cancel
    double stiff;               // size of the terms of K [1/s^2]
} lin;

static void *alloc(lin *l, size_t rows, size_t columns)
{
    return tmli_arena_alloc(&l->arena, rows * columns + 1, sizeof(double));
}

static tml_status no_memory(tml_error *err)
{
    return tmli_fail(err, TML_ERR_NOMEM, "check: memory is exhausted");
}

// C (m x n) = A (m x k, or its transpose) B (k x n, or its transpose)
static void multiply(const char *ta, const char *tb, int m, int n, int k, const double *A, int lda,
                     const double *B, int ldb, double beta, double *C)
{
    const double one = 1;
    const int a = lda > 0 ? lda : 1, b = ldb > 0 ? ldb : 1;  // dgemm requires it even if k = 0
    if (m > 0 && n > 0) dgemm_(ta, tb, &m, &n, &k, &one, A, &a, B, &b, &beta, C, &m, 1, 1);
}

// ---- basis and matrices -----------------------------------------------------------------------------------

static tml_status make_basis(lin *l, tml_error *err)
{
    const size_t n = (size_t)l->n, least = (size_t)(l->n < l->m ? l->n : l->m);
    const int reflectors = (int)least, lwork = 64 * l->n;
    double *work = alloc(l, 64, n);
    l->Q = alloc(l, n, n);
    if (!l->Q || !work) return no_memory(err);
    if (least > 0) memcpy(l->Q, l->k->qr, n * least * sizeof(double));
    int info = 0;
    dorgqr_(&l->n, &l->n, &reflectors, l->Q, &l->n, l->k->tau, work, &lwork, &info);
    l->Z = l->Q + n * (size_t)l->k->rank;
    return TML_OK;
}

// out (n x n) = one of the matrices, S X S with S = diag(unit)
static tml_status assemble_dense(lin *l, tml_assembly what, double *values, double *out, tml_error *err)
{
    const tml_pattern *p = l->sys->pattern;
    tml_status st = l->sys->ops->assemble(l->sys->self, l->w, l->x, &what, values, err);
    for (int j = 0; j < l->n && st == TML_OK; j++)
        for (int32_t i = p->colptr[j]; i < p->colptr[j + 1]; i++) {
            const int row = p->rowind[i];
            if (row >= l->n) continue;
            out[(size_t)j * (size_t)l->n + (size_t)row] = l->k->unit[row] * values[i] * l->k->unit[j];
            if (!isfinite(values[i]))
                return tmli_fail(err, TML_ERR_NAN, "the linearized system is not finite at t = %g s",
                                 l->x->t);
        }
    return st;
}

// y (rank) with C_ind w = c for w = Q1 y: rows c (m) of B, unscaled
static void solve_rows(const lin *l, const double *c, double *y)
{
    const tmli_rank *k = l->k;
    for (int i = 0; i < k->rank; i++) {  // R11' y = c
        const double *column = k->qr + (size_t)i * (size_t)l->n;
        double sum = c[k->order[i]] / k->norm[k->order[i]];
        for (int j = 0; j < i; j++) sum -= column[j] * y[j];
        y[i] = sum / column[i];
    }
}

// ---- accelerations and multipliers ------------------------------------------------------------------------

// V (r x r) with V'Mr V = diag(1, 0): columns with inertia first, r1 of them, then those without.
static tml_status split_inertia(lin *l, double *V, tml_error *err)
{
    const int r = l->r, lwork = 34 * r + 8;
    const size_t R = (size_t)r;
    double *scale = alloc(l, R, 1), *e = alloc(l, R, 1), *work = alloc(l, (size_t)lwork, 1),
           *A = alloc(l, R, R);
    if (!scale || !e || !work || !A) return no_memory(err);
    for (size_t i = 0; i < R; i++) scale[i] = l->Mr[i * (R + 1)] > 0 ? 1 / sqrt(l->Mr[i * (R + 1)]) : 1;
    for (size_t j = 0; j < R; j++)
        for (size_t i = 0; i < R; i++) A[j * R + i] = scale[i] * l->Mr[j * R + i] * scale[j];
    int info = 0;
    dsyev_("V", "U", &r, A, &r, e, work, &lwork, &info, 1, 1);
    if (info != 0)
        return tmli_fail(err, TML_ERR_SINGULAR, "the inertia of the free directions cannot be analysed");
    l->r1 = 0;
    for (int c = r - 1; c >= 0; c--) {  // eigenvalues ascend: massless directions become the last
        const bool heavy = e[c] > TMLI_ROUNDOFF * fmax(0, e[r - 1]);
        l->r1 += heavy;
        for (size_t i = 0; i < R; i++)
            V[(size_t)(r - 1 - c) * R + i] = scale[i] * A[(size_t)c * R + i] / (heavy ? sqrt(e[c]) : 1);
    }
    return TML_OK;
}

// udot = B+ gamma + Z V1 V1'Z'(f - M B+ gamma), lambda from R11 (norm lambda) = Q1'(f - M udot); scaled: S f,
// S M S
static tml_status calc_dynamics(lin *l, const double *V, tml_error *err)
{
    const size_t n = (size_t)l->n, m = (size_t)l->m, r = (size_t)l->r;
    const int one = 1, rank = l->k->rank;
    double *f = alloc(l, n, 1), *gamma = alloc(l, m, 1), *y = alloc(l, n, 1), *a = alloc(l, n, 1),
           *c = alloc(l, r, 1);
    double *b = alloc(l, r, 1);
    if (!f || !gamma || !y || !a || !c || !b) return no_memory(err);
    tml_status st = l->sys->ops->dynamics(l->sys->self, l->w, l->x, f, gamma, err);
    if (st != TML_OK) return st;
    for (size_t j = 0; j < n; j++) {
        f[j] *= l->k->unit[j];
        l->force = hypot(l->force, f[j]);
    }
    solve_rows(l, gamma, y);
    multiply("N", "N", l->n, one, rank, l->Q, l->n, y, l->n, 0, a);
    for (int pass = 0; pass < 2; pass++) {  // f - M a, then again with the full acceleration
        memcpy(y, f, n * sizeof(double));
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) y[i] -= l->M[j * n + i] * a[j];
        if (pass == 1) break;
        multiply("T", "N", l->r, one, l->n, l->Z, l->n, y, l->n, 0, c);
        multiply("T", "N", l->r1, one, l->r, V, l->r, c, l->r, 0, b);
        multiply("N", "N", l->r, one, l->r1, V, l->r, b, l->r, 0, c);
        multiply("N", "N", l->n, one, l->r, l->Z, l->n, c, l->r, 1, a);
    }
    for (size_t j = 0; j < n; j++) l->x->udot[j] = a[j] * l->k->unit[j];
    multiply("T", "N", rank, one, l->n, l->Q, l->n, y, l->n, 0, a);
    memset(l->x->lambda, 0, m * sizeof(double));
    for (int i = rank - 1; i >= 0; i--) {
        double sum = a[i];
        for (int j = i + 1; j < rank; j++) sum -= l->k->qr[(size_t)j * n + (size_t)i] * a[j];
        a[i] = sum / l->k->qr[(size_t)i * (n + 1)];
        l->x->lambda[l->k->order[i]] = a[i] / l->k->norm[l->k->order[i]];
    }
    return TML_OK;
}

// ---- reduction --------------------------------------------------------------------------------------------

// out (m x r) = rows (values as in ops->rows) times S X (n x r)
static void rows_times_basis(const lin *l, const double *rows, const double *X, double *out)
{
    const tml_system *s = l->sys;
    memset(out, 0, (size_t)l->m * (size_t)l->r * sizeof(double));
    for (int c = 0; c < l->r; c++)
        for (int i = 0; i < l->m; i++)
            for (int e = s->rowptr[i]; e < s->rowptr[i + 1]; e++)
                out[(size_t)c * (size_t)l->m + (size_t)i] +=
                    rows[e] * l->k->unit[s->rowcol[e]] * X[(size_t)c * (size_t)l->n + (size_t)s->rowcol[e]];
}

// X (n x r) = B+ c for r columns c (m)
static void apply_pseudo_inverse(const lin *l, const double *c, double *y, double *X)
{
    for (int j = 0; j < l->r; j++) solve_rows(l, c + (size_t)j * (size_t)l->m, y + (size_t)j * (size_t)l->n);
    multiply("N", "N", l->n, l->r, l->k->rank, l->Q, l->n, y, l->n, 0, X);
}

// Cr = Z'C Z of (3)
static tml_status calc_commutator(lin *l, tml_error *err)
{
    const size_t n = (size_t)l->n;
    double *d = alloc(l, n, 1), *plus = alloc(l, n, 1), *minus = alloc(l, n, 1),
           *CZ = alloc(l, n, (size_t)l->r);
    if (!d || !plus || !minus || !CZ) return no_memory(err);
    // the next term of T^-1 is even: the error is e^2 times a term of third order, round-off is eps/e
    const double e = cbrt(DBL_EPSILON);
    for (int c = 0; c < l->r; c++) {
        for (int sign = 1; sign >= -1; sign -= 2) {
            for (size_t j = 0; j < n; j++) d[j] = sign * e * l->k->unit[j] * l->Z[(size_t)c * n + j];
            l->sys->ops->tangent_inverse(l->sys->self, d, l->x->u, sign > 0 ? plus : minus);
        }
        for (size_t j = 0; j < n; j++) CZ[(size_t)c * n + j] = (plus[j] - minus[j]) / e / l->k->unit[j];
    }
    multiply("T", "N", l->r, l->r, l->n, l->Z, l->n, CZ, l->n, 0, l->Cr);
    return TML_OK;
}

// A -= Z W'U of (2), W column by column
static tml_status add_basis_rotation(lin *l, const double *U, double *A, tml_error *err)
{
    const tml_system *s = l->sys;
    const size_t n = (size_t)l->n, m = (size_t)l->m, r = (size_t)l->r;
    double *rows = alloc(l, (size_t)s->rowptr[s->m], 1), *z = alloc(l, n, 1), *c = alloc(l, m, r),
           *y = alloc(l, n, r);
    double *W = alloc(l, n, r), *WU = alloc(l, r, r);
    if (!rows || !z || !c || !y || !W || !WU) return no_memory(err);
    for (size_t k = 0; k < r; k++) {
        for (size_t j = 0; j < n; j++) z[j] = l->k->unit[j] * l->Z[k * n + j];
        tml_status st = s->ops->rows_times(s->self, l->w, l->x, z, rows, err);
        if (st != TML_OK) return st;
        for (int i = 0; i < l->m; i++)
            for (int e = s->rowptr[i]; e < s->rowptr[i + 1]; e++)
                c[k * m + (size_t)i] +=
                    rows[e] * l->x->u[s->rowcol[e]];  // -W: its sign and that in (2) cancel
    }
    apply_pseudo_inverse(l, c, y, W);
    multiply("T", "N", l->r, l->r, l->n, W, l->n, U, l->n, 0, WU);
    multiply("N", "N", l->n, l->r, l->r, l->Z, l->n, WU, l->r, 1, A);
    return TML_OK;
}

// U = -B+ (B u)_d Z of (1); A = B+[gamma_d - (B udot)_d + gamma_u U] Z - Z W'U and G = B+ gamma_u Z of (2),
// each (n x r)
static tml_status calc_curvature(lin *l, double *U, double *A, double *G, tml_error *err)
{
    const tml_system *s = l->sys;
    const size_t n = (size_t)l->n, m = (size_t)l->m, r = (size_t)l->r, entries = (size_t)s->rowptr[s->m];
    double *by_u = alloc(l, entries, 1), *by_d = alloc(l, entries, 1), *rows = alloc(l, entries, 1);
    double *c = alloc(l, m, r), *part = alloc(l, m, r), *y = alloc(l, n, r);
    if (!by_u || !by_d || !rows || !c || !part || !y) return no_memory(err);
    tml_status st = s->ops->rows_times(s->self, l->w, l->x, l->x->u, rows, err);
    if (st == TML_OK) {
        rows_times_basis(l, rows, l->Z, c);
        for (size_t i = 0; i < m * r; i++) c[i] = -c[i];
        apply_pseudo_inverse(l, c, y, U);
        st = s->ops->gamma_derivatives(s->self, l->w, l->x, by_d, by_u, err);
    }
    if (st == TML_OK) {
        rows_times_basis(l, by_u, l->Z, c);
        apply_pseudo_inverse(l, c, y, G);
        st = s->ops->rows_times(s->self, l->w, l->x, l->x->udot, rows, err);
    }
    if (st != TML_OK) return st;
    for (size_t i = 0; i < entries; i++) by_d[i] -= rows[i];
    rows_times_basis(l, by_d, l->Z, c);
    rows_times_basis(l, by_u, U, part);
    for (size_t i = 0; i < m * r; i++) c[i] += part[i];
    apply_pseudo_inverse(l, c, y, A);
    return add_basis_rotation(l, U, A, err);
}

// Kr = Z'(K Z + D U + M A), Dr = Z'(D Z + M G) of (4)
static tml_status reduce_matrices(lin *l, tml_error *err)
{
    const size_t n = (size_t)l->n, r = (size_t)l->r;
    double *U = alloc(l, n, r), *A = alloc(l, n, r), *G = alloc(l, n, r), *X = alloc(l, n, r);
    if (!U || !A || !G || !X) return no_memory(err);
    tml_status st = l->m > 0 ? calc_curvature(l, U, A, G, err) : TML_OK;
    if (st == TML_OK) st = calc_commutator(l, err);
    if (st != TML_OK) return st;
    multiply("N", "N", l->n, l->r, l->n, l->K, l->n, l->Z, l->n, 0, X);
    multiply("N", "N", l->n, l->r, l->n, l->D, l->n, U, l->n, 1, X);
    multiply("N", "N", l->n, l->r, l->n, l->M, l->n, A, l->n, 1, X);
    multiply("T", "N", l->r, l->r, l->n, l->Z, l->n, X, l->n, 0, l->Kr);
    multiply("N", "N", l->n, l->r, l->n, l->D, l->n, l->Z, l->n, 0, X);
    multiply("N", "N", l->n, l->r, l->n, l->M, l->n, G, l->n, 1, X);
    multiply("T", "N", l->r, l->r, l->n, l->Z, l->n, X, l->n, 0, l->Dr);
    return TML_OK;
}

// X becomes V'X V; for a map of coordinates W X V with W = V^-1
static void change_basis(const lin *l, const char *left, const double *W, const double *V, double *work,
                         double *X)
{
    multiply("N", "N", l->r, l->r, l->r, X, l->r, V, l->r, 0, work);
    multiply(left, "N", l->r, l->r, l->r, W, l->r, work, l->r, 0, X);
}

// Cr in the basis V needs V^-1.
static tml_status to_inertia_basis(lin *l, double *V, tml_error *err)
{
    const size_t R = (size_t)l->r;
    double *work = alloc(l, R, R), *lu = alloc(l, R, R), *inverse = alloc(l, R, R);
    int *pivots = tmli_arena_alloc(&l->arena, R + 1, sizeof(int));
    if (!work || !lu || !inverse || !pivots) return no_memory(err);
    int info = 0;
    memcpy(lu, V, R * R * sizeof(double));
    for (size_t i = 0; i < R; i++) inverse[i * (R + 1)] = 1;
    dgetrf_(&l->r, &l->r, lu, &l->r, pivots, &info);
    dgetrs_("N", &l->r, &l->r, lu, &l->r, pivots, inverse, &l->r, &info, 1);
    change_basis(l, "T", V, V, work, l->Kr);
    change_basis(l, "T", V, V, work, l->Dr);
    change_basis(l, "N", inverse, V, work, l->Cr);
    double longest = 0, size = 0;
    for (int c = 0; c < l->r1; c++) {
        double sum = 0;
        for (size_t i = 0; i < R; i++) sum += V[(size_t)c * R + i] * V[(size_t)c * R + i];
        longest = fmax(longest, sum);
    }
    for (size_t i = 0; i < (size_t)l->n * (size_t)l->n; i++) size += l->K[i] * l->K[i];
    l->stiff = longest * (sqrt(size) + l->force);
    return TML_OK;
}

// ---- linearization ----------------------------------------------------------------------------------------

static double largest_of(const lin *l, const double *v)
{
    double largest = 0;
    for (int j = 0; j < l->n - l->sys->nz; j++) largest = fmax(largest, fabs(v[j]) / l->k->unit[j]);
    return largest;
}

static tml_status linearize(lin *l, tmli_spectrum *out, tml_error *err)
{
    const size_t n = (size_t)l->n, r = (size_t)l->r;
    double *values = alloc(l, (size_t)tmli_pattern_nnz(l->sys->pattern), 1), *V = alloc(l, r, r),
           *X = alloc(l, n, r);
    l->M = alloc(l, n, n);
    l->D = alloc(l, n, n);
    l->K = alloc(l, n, n);
    l->Mr = alloc(l, r, r);
    l->Dr = alloc(l, r, r);
    l->Kr = alloc(l, r, r);
    l->Cr = alloc(l, r, r);
    if (!values || !V || !X || !l->M || !l->D || !l->K || !l->Mr || !l->Dr || !l->Kr || !l->Cr)
        return no_memory(err);
    tml_status st = make_basis(l, err);
    if (st == TML_OK) st = assemble_dense(l, (tml_assembly){.cm = 1}, values, l->M, err);
    if (st != TML_OK) return st;
    multiply("N", "N", l->n, l->r, l->n, l->M, l->n, l->Z, l->n, 0, X);
    multiply("T", "N", l->r, l->r, l->n, l->Z, l->n, X, l->n, 0, l->Mr);
    if (r > 0) st = split_inertia(l, V, err);
    if (st == TML_OK) st = calc_dynamics(l, V, err);
    if (st != TML_OK) return st;
    out->massless = l->r - l->r1;
    out->velocity = largest_of(l, l->x->u);
    out->acceleration = largest_of(l, l->x->udot);
    if (r == 0) return TML_OK;
    st = assemble_dense(l, (tml_assembly){.cd = 1}, values, l->D, err);
    if (st == TML_OK) st = assemble_dense(l, (tml_assembly){.ck = 1}, values, l->K, err);
    if (st == TML_OK) st = reduce_matrices(l, err);
    if (st == TML_OK) st = to_inertia_basis(l, V, err);
    if (st != TML_OK) return st;
    // sums of n products, and the operations that give their factors
    const double noise = sqrt((16 + l->n) * DBL_EPSILON * l->stiff);
    const tmli_reduced reduced = {
        .r = l->r, .r1 = l->r1, .Dr = l->Dr, .Kr = l->Kr, .Cr = l->Cr, .noise = noise};
    return tmli_spectrum_solve(&reduced, &l->arena, out, err);
}

// A first-order state has one eigenvalue. The other one, of its configuration, is zero and means nothing.
static void remove_integrals(int nz, tmli_spectrum *s)
{
    const int removed = nz < s->zeros ? nz : s->zeros;
    s->freedoms -= nz;
    s->zeros -= removed;
    s->count -= removed;
    memmove(s->re, s->re + removed, (size_t)s->count * sizeof *s->re);
    memmove(s->im, s->im + removed, (size_t)s->count * sizeof *s->im);
}

tml_status tmli_linearize(const tml_system *sys, void *w, const tmli_rank *rank, tml_state *x,
                          tmli_spectrum *out, tml_error *err)
{
    const int r = sys->n - rank->rank;
    *out = (tmli_spectrum){.env = sys->env, .freedoms = r};
    if (sys->n > TMLI_LINEARIZE_COORDINATES || 2 * r > TMLI_LINEARIZE_COORDINATES)
        return tmli_fail(err, TML_ERR_ARG,
                         "the eigenvalues of %d coordinates with %d degrees of freedom are not computed: "
                         "at most %d and %d",
                         sys->n, r, TMLI_LINEARIZE_COORDINATES, TMLI_LINEARIZE_COORDINATES / 2);
    lin l = {
        .sys = sys, .w = w, .k = rank, .x = x, .arena = {.env = &sys->env}, .n = sys->n, .m = sys->m, .r = r};
    out->re = tmli_calloc(&out->env, 2 * (size_t)r + 1, sizeof(double));
    out->im = tmli_calloc(&out->env, 2 * (size_t)r + 1, sizeof(double));
    tml_status st = out->re && out->im ? linearize(&l, out, err) : no_memory(err);
    if (st == TML_OK) remove_integrals(sys->nz, out);
    tmli_arena_clear(&l.arena);
    if (st != TML_OK) tmli_spectrum_clear(out);
    return st;
}
