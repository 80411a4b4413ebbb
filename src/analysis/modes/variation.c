// Small motions beside a motion (q, u, udot, lambda) of
//   M udot + B' lambda = f,   B u = nu,   B udot = gamma.
// In units where translations count in model lengths, q is varied by d and u by e:
//
//   d' = e + C d,   C d = d x w  (rotations in body axes)                            (1)
//   e' = dudot,     M dudot + B' dlambda + D e + K d = 0                            (2)
//                   K = d/dd [M udot + B' lambda - f],  D = -df/du
//   B d = 0  (rows at position level),   B e + (B u - nu)_d d = 0,                   (3)
//   B dudot = c,    c = gamma_d d + gamma_u e - (B udot)_d d                         (4)
//
// With orthonormal bases Z of the null space of B, Y of that of its rows at position level (Y = Z if there
// are no others), and the pseudo-inverse B+, whose range is normal to Z:
//
//   d = Y a,   e = Z b + U a,   U = -B+ (B u - nu)_d Y                               (5)
//   Z'dudot = y,   Mr y + Dr b + Kr a = 0,   a' = Y'Z b + Cr a                       (6)
//   Mr = Z'M Z,  Dr = Z'(D Z + M G),  Kr = Z'(K Y + D U + M A),  Cr = Y'(C Y + U)    (7)
//   G = B+ gamma_u Z,   A = B+ [gamma_d Y - (B udot)_d Y + gamma_u U]                (8)
//
// (6) holds at one instant. What b' is depends on how the bases move with the state; see linearize.c.
//
// C comes from the retraction: d' = T(d)^-1 u = u + C d/2 + ... on a group, so C d = (T(e d)^-1 u - T(-e
// d)^-1 u)/e. (B u - nu)_d is exact where nu does not depend on q (rows of models); else it is the difference
// quotient of B u - nu.
//
// First-order states are velocities without positions: the last columns of Z, and none of Y.
//
// Accelerations and multipliers are computed in the same bases, so that dependent rows are allowed: B' lambda
// is unique, and so is Z'(B' lambda)_d Z if rows are dependent in all configurations.
#include "analysis/modes/variation.h"
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "linalg/pattern/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MATRIX(pointer, rows, columns) TMLI_ARRAY(pointer, (size_t)(rows) * (size_t)(columns) + 1)
static void *alloc(tmli_variation *v, int rows, int columns)
{
    return tmli_arena_alloc(&v->arena, (size_t)rows * (size_t)columns + 1, sizeof(double));
}

void tmli_dense_multiply(const char *ta, const char *tb, int m, int n, int k, const double *A, int lda,
                         const double *B, int ldb, double beta, double *C)
{
    const double one = 1;
    const int a = lda > 0 ? lda : 1, b = ldb > 0 ? ldb : 1;  // dgemm requires it even if k = 0
    if (m > 0 && n > 0) tmli_dgemm(ta, tb, &m, &n, &k, &one, A, &a, B, &b, &beta, C, &m, 1, 1);
}

static double *column(const tmli_variation *v, double *X, int j) { return X + (size_t)j * (size_t)v->n; }

// ---- bases ------------------------------------------------------------------------------------------------

// out (m x columns) = rows (values as in ops->rows) times S X (n x columns), S = diag(unit)
static void rows_times_basis(const tmli_variation *v, const double *rows, const double *X, int columns,
                             double *out)
{
    const tml_system *s = v->sys;
    memset(out, 0, (size_t)v->m * (size_t)columns * sizeof(double));
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < v->m; i++)
            for (int e = s->rowptr[i]; e < s->rowptr[i + 1]; e++)
                out[(size_t)c * (size_t)v->m + (size_t)i] +=
                    rows[e] * v->k->unit[s->rowcol[e]] * X[(size_t)c * (size_t)v->n + (size_t)s->rowcol[e]];
}

// Directions of positions that rows at velocity level do not allow: in the range of B', and normal to its
// rows at position level. They are columns from `rm` of Y.
static tml_status add_unrestricted(tmli_variation *v, tml_error *err)
{
    const tml_system *s = v->sys;
    const int rank = v->k->rank;
    double *rows = alloc(v, s->rowptr[s->m], 1), *BQ = alloc(v, v->m, rank), *A = alloc(v, v->m, rank);
    double *sigma = alloc(v, rank, 1), *T = alloc(v, rank, rank), *work = alloc(v, 64, rank + v->m);
    if (!rows || !BQ || !A || !sigma || !T || !work) return tmli_no_memory(err, "check");
    tml_status st = s->ops->rows(s->self, v->w, v->x, rows, err);
    if (st != TML_OK) return st;
    rows_times_basis(v, rows, v->Q, rank, BQ);
    int count = 0;
    for (int i = 0; i < v->m; i++) {  // rows at position level, normalized
        if (s->level[i] == TML_LEVEL_VELOCITY) continue;
        for (int j = 0; j < rank; j++)
            A[(size_t)j * (size_t)v->m + (size_t)count] =
                BQ[(size_t)j * (size_t)v->m + (size_t)i] / v->k->norm[i];
        count++;
    }
    const int lwork = 64 * (rank + v->m), one = 1;
    int info = 0;
    double none = 0;
    tmli_dgesvd("N", "A", &v->m, &rank, A, &v->m, sigma, &none, &one, T, &rank, work, &lwork, &info, 1, 1);
    if (info != 0) return tmli_fail(err, TML_ERR_SINGULAR, "the rank of the positions cannot be found");
    const int least = rank < v->m ? rank : v->m;
    int held = 0;
    while (held < least && sigma[held] > TMLI_BUILT_TOLERANCE * sigma[0]) held++;
    for (int e = held; e < rank; e++, v->ra++)
        for (int j = 0; j < rank; j++)
            for (int i = 0; i < v->n; i++)
                column(v, v->Y, v->ra)[i] += column(v, v->Q, j)[i] * T[(size_t)j * (size_t)rank + (size_t)e];
    return TML_OK;
}

tml_status tmli_variation_init(tmli_variation *v, const tml_system *sys, void *w, const tmli_rank *rank,
                               tml_state *x, bool nu_of_time, tml_error *err)
{
    *v = (tmli_variation){.sys = sys,
                          .w = w,
                          .k = rank,
                          .x = x,
                          .arena = {.env = &sys->env},
                          .n = sys->n,
                          .m = sys->m,
                          .nu_of_time = nu_of_time};
    const tml_status st = tmli_lapack_load(err);
    if (st != TML_OK) return st;
    const int least = v->n < v->m ? v->n : v->m, lwork = 64 * v->n;
    v->r = v->n - rank->rank;
    v->rm = v->ra = v->r - sys->nz;
    double *work = alloc(v, 64, v->n);
    v->Q = alloc(v, v->n, v->n);
    v->Z = alloc(v, v->n, v->r);
    v->Y = alloc(v, v->n, v->n);
    if (!v->Q || !work || !v->Z || !v->Y) return tmli_no_memory(err, "check");
    if (least > 0) memcpy(v->Q, rank->qr, (size_t)v->n * (size_t)least * sizeof(double));
    int info = 0;
    tmli_dorgqr(&v->n, &v->n, &least, v->Q, &v->n, rank->tau, work, &lwork, &info);
    // B has no entries in the columns of states, so the last nz columns of Q are their unit vectors
    memcpy(v->Z, column(v, v->Q, rank->rank), (size_t)v->n * (size_t)v->r * sizeof(double));
    memcpy(v->Y, v->Z, (size_t)v->n * (size_t)v->rm * sizeof(double));
    return sys->level && rank->rank > 0 ? add_unrestricted(v, err) : TML_OK;
}

void tmli_variation_clear(tmli_variation *v)
{
    tmli_arena_clear(&v->arena);
    *v = (tmli_variation){0};
}

// ---- accelerations and multipliers ------------------------------------------------------------------------

// out (n x n) = one of the matrices, S X S with S = diag(unit)
static tml_status assemble_dense(tmli_variation *v, tml_assembly what, double *values, double *out,
                                 tml_error *err)
{
    const tml_pattern *p = v->sys->pattern;
    tml_status st = v->sys->ops->assemble(v->sys->self, v->w, v->x, &what, values, err);
    for (int j = 0; j < v->n && st == TML_OK; j++)
        for (int32_t i = p->colptr[j]; i < p->colptr[j + 1]; i++) {
            const int row = p->rowind[i];
            if (row >= v->n) continue;
            column(v, out, j)[row] = v->k->unit[row] * values[i] * v->k->unit[j];
            if (!isfinite(values[i]))
                return tmli_fail(err, TML_ERR_NAN, "the linearized system is not finite at t = %g s",
                                 v->x->t);
        }
    return st;
}

// y (rank) with C_ind w = c for w = Q1 y: rows c (m) of B, unscaled
static void solve_rows(const tmli_variation *v, const double *c, double *y)
{
    const tmli_rank *k = v->k;
    for (int i = 0; i < k->rank; i++) {  // R11' y = c
        const double *col = k->qr + (size_t)i * (size_t)v->n;
        double sum = c[k->order[i]] / k->norm[k->order[i]];
        for (int j = 0; j < i; j++) sum -= col[j] * y[j];
        y[i] = sum / col[i];
    }
}

// V of the mechanical directions: columns with inertia first, r1 of them, then those without
static tml_status split_inertia(tmli_variation *v, tml_error *err)
{
    const int r = v->rm, lwork = 34 * r + 8;
    const size_t R = (size_t)r, ld = (size_t)v->r;
    double *scale = alloc(v, r, 1), *e = alloc(v, r, 1), *work = alloc(v, lwork, 1), *A = alloc(v, r, r);
    if (!scale || !e || !work || !A) return tmli_no_memory(err, "check");
    for (size_t i = 0; i < R; i++) scale[i] = v->Mr[i * (ld + 1)] > 0 ? 1 / sqrt(v->Mr[i * (ld + 1)]) : 1;
    for (size_t j = 0; j < R; j++)
        for (size_t i = 0; i < R; i++) A[j * R + i] = scale[i] * v->Mr[j * ld + i] * scale[j];
    int info = 0;
    tmli_dsyev("V", "U", &r, A, &r, e, work, &lwork, &info, 1, 1);
    if (info != 0)
        return tmli_fail(err, TML_ERR_SINGULAR, "the inertia of the free directions cannot be analysed");
    v->r1 = 0;
    for (int c = r - 1; c >= 0; c--) {  // eigenvalues ascend: massless directions become the last
        const bool heavy = e[c] > TMLI_ROUNDOFF * fmax(0, e[r - 1]);
        v->r1 += heavy;
        for (size_t i = 0; i < R; i++)
            v->V[(size_t)(r - 1 - c) * R + i] = scale[i] * A[(size_t)c * R + i] / (heavy ? sqrt(e[c]) : 1);
    }
    return TML_OK;
}

// c (r) = the inverse of Mr, on the directions with inertia, times c. b: scratch (r)
void tmli_variation_solve_inertia(const tmli_variation *v, double *c, double *b)
{
    const int one = 1;
    tmli_dense_multiply("T", "N", v->r1, one, v->rm, v->V, v->rm, c, v->r, 0, b);
    tmli_dense_multiply("N", "N", v->rm, one, v->r1, v->V, v->rm, b, v->r, 0, c);  // Mr is 1 for states
}

// udot = B+ gamma + Z Mr^-1 Z'(f - M B+ gamma), lambda from R11 (norm lambda) = Q1'(f - M udot); scaled: S f,
// S M S
static tml_status solve_dynamics(tmli_variation *v, tml_error *err)
{
    const int one = 1, rank = v->k->rank, n = v->n;
    double *f = alloc(v, n, 1), *gamma = alloc(v, v->m, 1), *y = alloc(v, n, 1), *a = alloc(v, n, 1),
           *c = alloc(v, v->r, 1), *b = alloc(v, v->r, 1);
    if (!f || !gamma || !y || !a || !c || !b) return tmli_no_memory(err, "check");
    tml_status st = v->sys->ops->dynamics(v->sys->self, v->w, v->x, f, gamma, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < n; j++) {
        f[j] *= v->k->unit[j];
        v->force = hypot(v->force, f[j]);
    }
    solve_rows(v, gamma, y);
    tmli_dense_multiply("N", "N", n, one, rank, v->Q, n, y, n, 0, a);
    for (int pass = 0; pass < 2; pass++) {  // f - M a, then again with the full acceleration
        memcpy(y, f, (size_t)n * sizeof(double));
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) y[i] -= column(v, v->M, j)[i] * a[j];
        if (pass == 1) break;
        tmli_dense_multiply("T", "N", v->r, one, n, v->Z, n, y, n, 0, c);
        tmli_variation_solve_inertia(v, c, b);
        tmli_dense_multiply("N", "N", n, one, v->r, v->Z, n, c, v->r, 1, a);
    }
    for (int j = 0; j < n; j++) v->x->udot[j] = a[j] * v->k->unit[j];
    tmli_dense_multiply("T", "N", rank, one, n, v->Q, n, y, n, 0, a);
    memset(v->x->lambda, 0, (size_t)v->m * sizeof(double));
    for (int i = rank - 1; i >= 0; i--) {
        double sum = a[i];
        for (int j = i + 1; j < rank; j++) sum -= v->k->qr[(size_t)j * (size_t)n + (size_t)i] * a[j];
        a[i] = sum / v->k->qr[(size_t)i * (size_t)(n + 1)];
        v->x->lambda[v->k->order[i]] = a[i] / v->k->norm[v->k->order[i]];
    }
    return TML_OK;
}

tml_status tmli_variation_dynamics(tmli_variation *v, tml_error *err)
{
    double *values = alloc(v, tmli_pattern_nnz(v->sys->pattern), 1), *X = alloc(v, v->n, v->r);
    if (!tmli_arena_alloc_all(&v->arena, MATRIX(v->M, v->n, v->n), MATRIX(v->Mr, v->r, v->r),
                              MATRIX(v->V, v->rm, v->rm)) ||
        !values || !X)
        return tmli_no_memory(err, "check");
    tml_status st = assemble_dense(v, (tml_assembly){.cm = 1}, values, v->M, err);
    if (st != TML_OK) return st;
    tmli_dense_multiply("N", "N", v->n, v->r, v->n, v->M, v->n, v->Z, v->n, 0, X);
    tmli_dense_multiply("T", "N", v->r, v->r, v->n, v->Z, v->n, X, v->n, 0, v->Mr);
    if (v->rm > 0) st = split_inertia(v, err);
    return st == TML_OK ? solve_dynamics(v, err) : st;
}

// ---- reduction --------------------------------------------------------------------------------------------

// X (n x columns) = B+ c for columns c (m)
static void apply_pseudo_inverse(const tmli_variation *v, const double *c, int columns, double *y, double *X)
{
    for (int j = 0; j < columns; j++)
        solve_rows(v, c + (size_t)j * (size_t)v->m, y + (size_t)j * (size_t)v->n);
    tmli_dense_multiply("N", "N", v->n, columns, v->k->rank, v->Q, v->n, y, v->n, 0, X);
}

// c (m x ra) = (B u - nu)_d Y by central differences: their error is e^2 times a third derivative
static tml_status differentiate_rate(tmli_variation *v, double *c, tml_error *err)
{
    const tml_system *s = v->sys;
    tml_state *y = NULL;
    double *d = alloc(v, v->n, 1), *minus = alloc(v, v->m, 1);
    if (!d || !minus) return tmli_no_memory(err, "check");
    tml_status st = tml_state_create(s, &y, err);
    const double e = cbrt(DBL_EPSILON);
    for (int k = 0; k < v->ra && st == TML_OK; k++) {
        double *const plus = c + (size_t)k * (size_t)v->m;
        for (int sign = 1; sign >= -1 && st == TML_OK; sign -= 2) {
            tml_state_copy(y, v->x);
            for (int j = 0; j < v->n; j++) d[j] = sign * e * v->k->unit[j] * column(v, v->Y, k)[j];
            s->ops->retract(s->self, v->x->q, d, y->q);
            st = s->ops->velocity(s->self, v->w, y, sign > 0 ? plus : minus, err);
        }
        for (int i = 0; i < v->m; i++) plus[i] = (plus[i] - minus[i]) / (2 * e);
    }
    tml_state_destroy(y, s);
    return st;
}

// U of (5); rows: scratch for the entries of B
static tml_status calc_rate_of_rows(tmli_variation *v, double *rows, tml_error *err)
{
    const tml_system *s = v->sys;
    const bool exact = v->nu_of_time;
    double *c = alloc(v, v->m, v->ra), *y = alloc(v, v->n, v->ra);
    if (!c || !y) return tmli_no_memory(err, "check");
    tml_status st =
        exact ? s->ops->rows_times(s->self, v->w, v->x, v->x->u, rows, err) : differentiate_rate(v, c, err);
    if (st != TML_OK) return st;
    if (exact) rows_times_basis(v, rows, v->Y, v->ra, c);
    for (size_t i = 0; i < (size_t)v->m * (size_t)v->ra; i++) c[i] = -c[i];
    apply_pseudo_inverse(v, c, v->ra, y, v->U);
    return TML_OK;
}

// U of (5); A (n x ra) and G (n x r) of (8)
static tml_status calc_curvature(tmli_variation *v, double *A, double *G, tml_error *err)
{
    const tml_system *s = v->sys;
    const int entries = s->rowptr[s->m], most = v->r > v->ra ? v->r : v->ra;
    double *by_u = alloc(v, entries, 1), *by_d = alloc(v, entries, 1), *rows = alloc(v, entries, 1);
    double *c = alloc(v, v->m, most), *part = alloc(v, v->m, most), *y = alloc(v, v->n, most);
    if (!by_u || !by_d || !rows || !c || !part || !y) return tmli_no_memory(err, "check");
    tml_status st = calc_rate_of_rows(v, rows, err);
    if (st == TML_OK) st = s->ops->gamma_derivatives(s->self, v->w, v->x, by_d, by_u, err);
    if (st == TML_OK) {
        rows_times_basis(v, by_u, v->Z, v->r, c);
        apply_pseudo_inverse(v, c, v->r, y, G);
        st = s->ops->rows_times(s->self, v->w, v->x, v->x->udot, rows, err);
    }
    if (st != TML_OK) return st;
    for (int i = 0; i < entries; i++) by_d[i] -= rows[i];
    rows_times_basis(v, by_d, v->Y, v->ra, c);
    rows_times_basis(v, by_u, v->U, v->ra, part);
    for (size_t i = 0; i < (size_t)v->m * (size_t)v->ra; i++) c[i] += part[i];
    apply_pseudo_inverse(v, c, v->ra, y, A);
    return TML_OK;
}

// W = C Y + U, and Cr of (7)
static tml_status calc_commutator(tmli_variation *v, tml_error *err)
{
    double *d = alloc(v, v->n, 1), *plus = alloc(v, v->n, 1), *minus = alloc(v, v->n, 1);
    if (!d || !plus || !minus) return tmli_no_memory(err, "check");
    memcpy(v->W, v->U, (size_t)v->n * (size_t)v->ra * sizeof(double));
    // the next term of T^-1 is even: the error is e^2 times a term of third order, round-off is eps/e
    const double e = cbrt(DBL_EPSILON);
    for (int c = 0; c < v->ra; c++) {
        for (int sign = 1; sign >= -1; sign -= 2) {
            for (int j = 0; j < v->n; j++) d[j] = sign * e * v->k->unit[j] * column(v, v->Y, c)[j];
            v->sys->ops->tangent_inverse(v->sys->self, d, v->x->u, sign > 0 ? plus : minus);
        }
        for (int j = 0; j < v->n; j++) column(v, v->W, c)[j] += (plus[j] - minus[j]) / e / v->k->unit[j];
    }
    tmli_dense_multiply("T", "N", v->ra, v->ra, v->n, v->Y, v->n, v->W, v->n, 0, v->Cr);
    return TML_OK;
}

// D of motions less its symmetric part without velocities, which dissipates; values (nnz): scratch
static tml_status remove_damping(tmli_variation *v, double *values, tml_error *err)
{
    const int motions = v->n - v->sys->nz;
    tml_state *const x = v->x, *still = NULL;
    double *R = alloc(v, v->n, v->n);
    tml_status st = R ? tml_state_create(v->sys, &still, err) : tmli_no_memory(err, "check");
    if (st != TML_OK) return st;
    tml_state_copy(still, x);
    memset(still->u, 0, (size_t)motions * sizeof *still->u);
    v->x = still;
    st = assemble_dense(v, (tml_assembly){.cd = 1}, values, R, err);
    v->x = x;
    tml_state_destroy(still, v->sys);
    for (int j = 0; j < motions && st == TML_OK; j++)
        for (int i = 0; i < motions; i++)
            column(v, v->D, j)[i] -= (column(v, R, j)[i] + column(v, R, i)[j]) / 2;
    return st;
}

tml_status tmli_variation_reduce(tmli_variation *v, tml_error *err)
{
    const int n = v->n, r = v->r, ra = v->ra, most = r > ra ? r : ra;
    double *values = alloc(v, tmli_pattern_nnz(v->sys->pattern), 1);
    double *X = alloc(v, n, most);
    if (!tmli_arena_alloc_all(&v->arena, MATRIX(v->A, n, ra), MATRIX(v->G, n, r), MATRIX(v->W, n, ra),
                              MATRIX(v->D, n, n), MATRIX(v->K, n, n), MATRIX(v->U, n, ra),
                              MATRIX(v->Dr, r, r), MATRIX(v->Kr, r, ra), MATRIX(v->Cr, ra, ra)) ||
        !values || !X)
        return tmli_no_memory(err, "check");
    tml_status st = assemble_dense(v, (tml_assembly){.cd = 1}, values, v->D, err);
    if (st == TML_OK && v->undamped) st = remove_damping(v, values, err);
    if (st == TML_OK) st = assemble_dense(v, (tml_assembly){.ck = 1}, values, v->K, err);
    if (st == TML_OK && v->m > 0) st = calc_curvature(v, v->A, v->G, err);
    if (st == TML_OK) st = calc_commutator(v, err);
    if (st != TML_OK) return st;
    tmli_dense_multiply("N", "N", n, ra, n, v->K, n, v->Y, n, 0, X);
    tmli_dense_multiply("N", "N", n, ra, n, v->D, n, v->U, n, 1, X);
    tmli_dense_multiply("N", "N", n, ra, n, v->M, n, v->A, n, 1, X);
    tmli_dense_multiply("T", "N", r, ra, n, v->Z, n, X, n, 0, v->Kr);
    tmli_dense_multiply("N", "N", n, r, n, v->D, n, v->Z, n, 0, X);
    tmli_dense_multiply("N", "N", n, r, n, v->M, n, v->G, n, 1, X);
    tmli_dense_multiply("T", "N", r, r, n, v->Z, n, X, n, 0, v->Dr);
    return TML_OK;
}

// S (r x N) = V1 V1' [Kr, rate Dr]: accelerations y by a and b/rate, where V1 are the directions with inertia
static tml_status calc_sensitivity(tmli_variation *v, double rate, double *S, tml_error *err)
{
    double *b = alloc(v, v->r, 1);
    if (!b) return tmli_no_memory(err, "check");
    for (int c = 0; c < v->ra + v->r; c++) {
        double *const s = S + (size_t)c * (size_t)v->r;
        const double *from =
            c < v->ra ? v->Kr + (size_t)c * (size_t)v->r : v->Dr + (size_t)(c - v->ra) * (size_t)v->r;
        for (int i = 0; i < v->r; i++) s[i] = c < v->ra ? from[i] : rate * from[i];
        tmli_variation_solve_inertia(v, s, b);
    }
    return TML_OK;
}

// With the singular values s_i and left vectors u_i of S, an error e of a and b/rate changes y by up to e s_i
// along u_i. Stiff directions are judged apart from soft ones.
tml_status tmli_variation_unexplained(tmli_variation *v, double rate, double *change, tml_error *err)
{
    const int r = v->r, N = v->ra + r, lwork = 8 * (r + N) + 64, one = 1;
    double *S = alloc(v, r, N), *sigma = alloc(v, r, 1), *left = alloc(v, r, r), *work = alloc(v, lwork, 1),
           *y = alloc(v, r, 1), *c = alloc(v, r, 1);
    if (!S || !sigma || !left || !work || !y || !c) return tmli_no_memory(err, "check");
    tml_status st = calc_sensitivity(v, rate, S, err);
    if (st != TML_OK || r == 0) return st;
    int info = 0;
    double none = 0;
    tmli_dgesvd("A", "N", &r, &N, S, &r, sigma, left, &r, &none, &one, work, &lwork, &info, 1, 1);
    if (info != 0) return tmli_fail(err, TML_ERR_SINGULAR, "the sizes of the stiffness cannot be found");
    for (int j = 0; j < v->n; j++) change[j] /= v->k->unit[j];
    tmli_dense_multiply("T", "N", r, one, v->n, v->Z, v->n, change, v->n, 0, y);
    tmli_dense_multiply("T", "N", r, one, r, left, r, y, r, 0, c);
    for (int i = 0; i < r; i++) {
        const double limit = TMLI_INPUT_ERROR * sigma[i];
        c[i] = fmax(-limit, fmin(limit, c[i]));
    }
    tmli_dense_multiply("N", "N", r, one, r, left, r, c, r, 0, y);
    for (int i = 0; i < r; i++) y[i] = -y[i];
    tmli_dense_multiply("N", "N", v->n, one, r, v->Z, v->n, y, r, 1, change);
    for (int j = 0; j < v->n; j++) change[j] *= v->k->unit[j];
    return TML_OK;
}

// Z' = W with Z'W = 0, W z = -B+ (B z)_d u: then Z'(U a)' = -W'U a, and y = b' - W'U a in (6).
tml_status tmli_variation_transport(tmli_variation *v, tml_error *err)
{
    const tml_system *s = v->sys;
    const int n = v->n, r = v->r;
    double *rows = alloc(v, s->rowptr[s->m], 1), *z = alloc(v, n, 1), *c = alloc(v, v->m, r),
           *y = alloc(v, n, r), *W = alloc(v, n, r), *WU = alloc(v, r, v->ra);
    if (!rows || !z || !c || !y || !W || !WU) return tmli_no_memory(err, "check");
    if (v->m == 0) return TML_OK;
    for (int k = 0; k < r; k++) {
        for (int j = 0; j < n; j++) z[j] = v->k->unit[j] * column(v, v->Z, k)[j];
        tml_status st = s->ops->rows_times(s->self, v->w, v->x, z, rows, err);
        if (st != TML_OK) return st;
        for (int i = 0; i < v->m; i++)
            for (int e = s->rowptr[i]; e < s->rowptr[i + 1]; e++)
                c[(size_t)k * (size_t)v->m + (size_t)i] += rows[e] * v->x->u[s->rowcol[e]];
    }
    apply_pseudo_inverse(v, c, r, y, W);  // -W: its sign and that of the term cancel
    tmli_dense_multiply("T", "N", r, v->ra, n, W, n, v->U, n, 0, WU);
    tmli_dense_multiply("N", "N", r, v->ra, r, v->Mr, r, WU, r, 1, v->Kr);
    return TML_OK;
}
