// Products, projection and the small problem of a space of shapes; see subspace.h for the equations.
//
// The small problem is solved in a time unit in which stiffness and inertia are alike (H.-Y. Fan, W.-W. Lin,
// P. Van Dooren, SIAM J. Matrix Anal. Appl. 26 (2004) 252). Directions N without stiffness, found by singular
// vectors, have a root 0 each, which round-off would split if there is a second one. With C the other
// directions, y = C b + N c, the first-order form with the unknowns b and z = s y,
//   s b = C'z,   s P2 z = -P1 z - P0 C b                                                                  (2)
// has all other roots.
#include "analysis/modes/subspace.h"
#include "linalg/dense/lapack.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/modes/constants.h"

// ---- memory -----------------------------------------------------------------------------------------------

tml_status tmli_subspace_init(tmli_subspace *v, tmli_pencil *p, int room, double near, tml_error *err)
{
    *v = (tmli_subspace){.p = p, .near = near, .round = {.env = &p->sys->env}};
    v->room = room < p->n ? room : p->n;
    const size_t n = (size_t)p->n, k = (size_t)v->room, nnz = (size_t)p->sys->pattern->colptr[p->n + p->m];
    bool all = tmli_arena_alloc_all(&p->arena, TMLI_ARRAY(v->V, n * k + 1), TMLI_ARRAY(v->is_state, k + 1),
                                    TMLI_ARRAY(v->v, n + 1), TMLI_ARRAY(v->rows, (size_t)p->m + 1),
                                    TMLI_ARRAY(v->x, n + 1), TMLI_ARRAY(v->scale, k + 1));
    for (int i = 0; i < 3; i++) {
        all = tmli_arena_alloc_all(&p->arena, TMLI_ARRAY(v->P[i], nnz + 1), TMLI_ARRAY(v->A[i], k * k + 1)) &&
              all;
    }
    for (size_t i = 0; i < 6 * n; i++) v->turning = fmax(v->turning, fabs(p->T[i]));
    if (all) tmli_pencil_polynomial(p, v->P[0], v->P[1], v->P[2]);
    return all ? TML_OK : tmli_no_memory(err, "modes");
}

void tmli_subspace_clear(tmli_subspace *v) { tmli_arena_clear(&v->round); }

// ---- products ---------------------------------------------------------------------------------------------

// y (n) := A x for coordinates
static void multiply_real(const tmli_pencil *p, const double *A, const double *x, double *y)
{
    const tml_pattern *a = p->sys->pattern;
    memset(y, 0, (size_t)p->n * sizeof *y);
    for (int j = 0; j < p->n; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1] && x[j] != 0; k++)
            if (a->rowind[k] < p->n) y[a->rowind[k]] += A[k] * x[j];
}

// y (n) := (c0 P0 + c1 P1 + c2 P2) x
void tmli_subspace_multiply(const tmli_subspace *v, double complex c0, double complex c1, double complex c2,
                            const double complex *x, double complex *y)
{
    const tml_pattern *a = v->p->sys->pattern;
    memset(y, 0, (size_t)v->p->n * sizeof *y);
    for (int j = 0; j < v->p->n; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++)
            if (a->rowind[k] < v->p->n)
                y[a->rowind[k]] += (c0 * v->P[0][k] + c1 * v->P[1][k] + c2 * v->P[2][k]) * x[j];
}

// d*(c0 P0 + c1 P1 + c2 P2) d
double complex tmli_subspace_form(tmli_subspace *v, double complex c0, double complex c1, double complex c2,
                                  const double complex *d)
{
    double complex sum = 0;
    tmli_subspace_multiply(v, c0, c1, c2, d, v->x);
    for (int j = 0; j < v->p->n; j++) sum += conj(d[j]) * v->x[j];
    return sum;
}

// What round-off leaves of d*P(v) d
double tmli_subspace_roundoff(const tmli_subspace *v, double size, const double complex *d)
{
    const tml_pattern *a = v->p->sys->pattern;
    double sum = 0;
    for (int j = 0; j < v->p->n; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++)
            if (a->rowind[k] < v->p->n)
                sum += cabs(d[a->rowind[k]]) * cabs(d[j]) *
                       (fabs(v->P[0][k]) + size * (fabs(v->P[1][k]) + size * fabs(v->P[2][k])));
    return 16 * DBL_EPSILON * sum;
}

double tmli_shape_norm(const double complex *d, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += creal(d[j]) * creal(d[j]) + cimag(d[j]) * cimag(d[j]);
    return sqrt(sum);
}

// ---- the subspace -----------------------------------------------------------------------------------------

// Largest |B d|, rows of size 1: a solver may give vectors of infinite roots, which are no motions
static double violation(const tmli_pencil *p, const double *d, double *rows)
{
    const tml_pattern *a = p->sys->pattern;
    double most = 0;
    memset(rows, 0, (size_t)p->m * sizeof *rows);
    for (int j = 0; j < p->n; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++)
            if (a->rowind[k] >= p->n) rows[a->rowind[k] - p->n] += p->rows[k] * d[j];
    for (int i = 0; i < p->m; i++) most = fmax(most, fabs(rows[i]));
    return most;
}

// Add a column to V if it is a possible motion and not in the span of V.
static void add_column(tmli_subspace *v, const double *from, bool is_state)
{
    if (v->size == v->room) return;
    const size_t n = (size_t)v->p->n;
    double *const to = v->V + (size_t)v->size * n;
    double before = 0, after = 0;
    for (size_t j = 0; j < n; j++) before += from[j] * from[j];
    memcpy(to, from, n * sizeof *to);
    for (int pass = 0; pass < 2; pass++)  // twice, against round-off
        for (int c = 0; c < v->size; c++) {
            const double *const u = v->V + (size_t)c * n;
            double sum = 0;
            for (size_t j = 0; j < n; j++) sum += u[j] * to[j];
            for (size_t j = 0; j < n; j++) to[j] -= sum * u[j];
        }
    for (size_t j = 0; j < n; j++) after += to[j] * to[j];
    if (!(after > NEW_DIRECTION * NEW_DIRECTION * before)) return;
    for (size_t j = 0; j < n; j++) to[j] /= sqrt(after);
    if (violation(v->p, to, v->rows) > NEW_DIRECTION) return;
    v->is_state[v->size++] = is_state;
}

// Real and imaginary part of a shape of length 1, of motions and of first-order states
void tmli_subspace_extend(tmli_subspace *v, const double complex *d)
{
    const int n = v->p->n, states = n - v->p->sys->nz;
    for (int part = 0; part < 4; part++) {
        double size = 0;
        for (int j = 0; j < n; j++) {
            const bool own = (j >= states) == (part >= 2);
            v->v[j] = !own ? 0 : part % 2 == 0 ? creal(d[j]) : cimag(d[j]);
            size += v->v[j] * v->v[j];
        }
        if (size > NEW_DIRECTION * NEW_DIRECTION) add_column(v, v->v, part >= 2);
    }
}

// (1) and the units of its unknowns, in which inertia, or else stiffness, is 1
static void project(tmli_subspace *v)
{
    const size_t n = (size_t)v->p->n, k = (size_t)v->size;
    v->projected = v->size;
    for (int i = 0; i < 3; i++)
        for (size_t c = 0; c < k; c++) {
            multiply_real(v->p, v->P[i], v->V + c * n, v->v);
            for (size_t r = 0; r < k; r++) {
                double sum = 0;
                for (size_t j = 0; j < n; j++) sum += v->V[r * n + j] * v->v[j];
                v->A[i][c * k + r] = sum;
            }
        }
    for (size_t c = 0; c < k; c++) {
        double size = 0;
        for (int i = 2; i >= 0 && !(size > 0); i--) size = fabs(v->A[i][c * (k + 1)]);
        v->scale[c] = size > 0 ? 1 / sqrt(size) : 1;
    }
    for (int i = 0; i < 3; i++)
        for (size_t c = 0; c < k; c++)
            for (size_t r = 0; r < k; r++) v->A[i][c * k + r] *= v->scale[c] * v->scale[r];
}

static double largest(const double *A, size_t count)
{
    double size = 0;
    for (size_t i = 0; i < count; i++) size = fmax(size, fabs(A[i]));
    return size;
}

// The shape (n) of length 1 of unknowns y of (1)
void tmli_subspace_shape(const tmli_subspace *v, const double complex *y, double complex *d)
{
    const size_t n = (size_t)v->p->n;
    memset(d, 0, n * sizeof *d);
    for (int c = 0; c < v->projected; c++)
        for (size_t j = 0; j < n; j++) d[j] += v->scale[c] * y[c] * v->V[(size_t)c * n + j];
    const double length = tmli_shape_norm(d, v->p->n);
    for (size_t j = 0; j < n && length > 0; j++) d[j] /= length;
}

// The shape (n) of a direction without stiffness
void tmli_subspace_rigid(const tmli_subspace *v, int i, double complex *y, double complex *d)
{
    const size_t k = (size_t)v->projected;
    for (size_t c = 0; c < k; c++) y[c] = v->rigid[c * k + k - 1 - (size_t)i];
    tmli_subspace_shape(v, y, d);
}

double tmli_subspace_noise(const tmli_subspace *v, const double complex *d)
{
    return fmax(tmli_pencil_noise(v->p, d), sqrt(STEADY_NOISE) * v->turning);
}

bool tmli_subspace_is_stiff(tmli_subspace *v, const double complex *d)
{
    const double inertia = creal(tmli_subspace_form(v, 0, 0, 1, d)), noise = tmli_subspace_noise(v, d);
    return !(inertia > 0) || cabs(tmli_subspace_form(v, 1, 0, 0, d)) > noise * noise * inertia;
}

// Directions of (1) in which there is no stiffness but round-off, by singular vectors
static tml_status find_rigid(tmli_subspace *v, tml_error *err)
{
    const int k = v->size, lwork = 8 * k + 64, one = 1;
    const size_t K = (size_t)k;
    double *A = tmli_arena_alloc(&v->round, K * K + K + (size_t)lwork + 1, sizeof *A), none = 0;
    double complex *y = tmli_arena_alloc(&v->round, K + 1, sizeof *y),
                   *d = tmli_arena_alloc(&v->round, (size_t)v->p->n + 1, sizeof *d);
    v->rigid = tmli_arena_alloc(&v->round, K * K + 1, sizeof *v->rigid);
    if (!A || !y || !d || !v->rigid) return tmli_no_memory(err, "modes");
    memcpy(A, v->A[0], K * K * sizeof *A);
    int info = 0;
    tmli_dgesvd("N", "A", &k, &k, A, &k, A + K * K, &none, &one, v->rigid, &k, A + K * K + K, &lwork, &info,
                1, 1);
    if (info != 0) return tmli_fail(err, TML_ERR_SINGULAR, "the directions without stiffness are not found");
    for (v->zeros = 0; v->zeros < k; v->zeros++) {
        tmli_subspace_rigid(v, v->zeros, y, d);
        const double sigma = A[K * K + K - 1 - (size_t)v->zeros];
        if (sigma > 16 * DBL_EPSILON * A[K * K] && tmli_subspace_is_stiff(v, d)) break;
    }
    return TML_OK;
}

// (2) for s = rate x and z in units of rate: A - x E, each (N x N) and zeroed, N = 2 k less the directions
// without stiffness
static void linearize(tmli_subspace *v, size_t N, double *A, double *E)
{
    const size_t k = (size_t)v->size, stiff = N - k;
    const double p0 = largest(v->A[0], k * k), p1 = largest(v->A[1], k * k), p2 = largest(v->A[2], k * k);
    const double rate = p0 > 0 && p2 > 0   ? sqrt(p0 / p2)
                        : p1 > 0 && p2 > 0 ? p1 / p2
                        : p0 > 0 && p1 > 0 ? p0 / p1
                                           : 1;
    const double size = fmax(p0, rate * fmax(p1, rate * p2));
    v->rate = rate;
    for (size_t c = 0; c < stiff; c++) {
        E[c * N + c] = 1;
        for (size_t j = 0; j < k; j++) {
            A[(stiff + j) * N + c] = v->rigid[j * k + c];
            for (size_t r = 0; r < k; r++)
                A[c * N + stiff + r] -= v->A[0][j * k + r] * v->rigid[j * k + c] / size;
        }
    }
    for (size_t c = 0; c < k; c++)
        for (size_t r = 0; r < k; r++) {
            A[(stiff + c) * N + stiff + r] = -rate * v->A[1][c * k + r] / size;
            E[(stiff + c) * N + stiff + r] = rate * rate * v->A[2][c * k + r] / size;
        }
}

// ---- pairs of the subspace --------------------------------------------------------------------------------

// x*A x of a matrix of (1)
static double complex small_form(const tmli_subspace *v, const double *A, const double complex *x)
{
    const size_t k = (size_t)v->size;
    double complex sum = 0;
    for (size_t c = 0; c < k; c++)
        for (size_t r = 0; r < k; r++) sum += conj(x[r]) * A[c * k + r] * x[c];
    return sum;
}

// Distance of a root from what is wanted; see "Order" above. k, c, m: stiffness, damping and inertia of its
// shape; m = 0: first-order states have a part in it
static double order_of(const tmli_subspace *v, double complex root, double k, double c, double m)
{
    const double size = cabs(root);
    const bool decays = creal(root) < 0 && (cimag(root) == 0 || c > 2 * size * m);
    if (!decays || v->near != 0 || !(m > 0)) return cabs(root - I * v->near);
    return fmax(size, sqrt(k / m));
}

double tmli_subspace_order(tmli_subspace *v, double complex root, const double complex *d)
{
    double states = 0;
    for (int j = v->p->n - v->p->sys->nz; j < v->p->n; j++) states = fmax(states, cabs(d[j]));
    const double k = cabs(tmli_subspace_form(v, 1, 0, 0, d)), c = creal(tmli_subspace_form(v, 0, 1, 0, d)),
                 m = creal(tmli_subspace_form(v, 0, 0, 1, d));
    return order_of(v, root, k, c, states > 0 ? 0 : m);
}

// y := x C b + N N'z of a vector (b, z), real and imaginary part, N the directions without stiffness
static void calc_unknowns(const tmli_subspace *v, double complex x, const double *re, const double *im,
                          double complex *y)
{
    const size_t k = (size_t)v->size, stiff = k - (size_t)v->zeros;
    memset(y, 0, k * sizeof *y);
    for (size_t i = 0; i < k; i++) {
        double complex part = 0;
        if (i < stiff) part = x * (re[i] + (im ? im[i] * I : 0));
        for (size_t c = 0; c < k && i >= stiff; c++)
            part += v->rigid[c * k + i] * (re[stiff + c] + (im ? im[stiff + c] * I : 0));
        for (size_t c = 0; c < k; c++) y[c] += v->rigid[c * k + i] * part;
    }
}

// A root of (1) with its vector; by insertion
static void add_ritz(tmli_subspace *v, double complex root, const double *re, const double *im,
                     double complex *y)
{
    calc_unknowns(v, root / v->rate, re, im, y);
    double states = 0;
    for (int c = 0; c < v->size; c++)
        if (v->is_state[c]) states = fmax(states, cabs(y[c]));
    const double stiffness = cabs(small_form(v, v->A[0], y)), damping = creal(small_form(v, v->A[1], y)),
                 inertia = creal(small_form(v, v->A[2], y));
    const tmli_ritz new = {root, order_of(v, root, stiffness, damping, states > 0 ? 0 : inertia), y};
    int k = v->count++;
    for (; k > 0 && v->found[k - 1].order > new.order; k--) v->found[k] = v->found[k - 1];
    v->found[k] = new;
}

// All roots of (1). Round-off makes conjugate pairs of two equal real ones.
tml_status tmli_subspace_solve(tmli_subspace *v, tml_error *err)
{
    tmli_arena_clear(&v->round);
    project(v);
    const tml_status st = find_rigid(v, err);
    if (st != TML_OK) return st;
    const int N = 2 * v->size - v->zeros, lwork = 16 * N + 64, one = 1;
    const size_t S = (size_t)N, k = (size_t)v->size;
    double *A = tmli_arena_alloc(&v->round, 3 * S * S + 3 * S + (size_t)lwork + 1, sizeof *A), none = 0;
    double complex *y = tmli_arena_alloc(&v->round, S * k + 1, sizeof *y);
    v->found = tmli_arena_alloc(&v->round, S + 1, sizeof *v->found);
    if (!A || !y || !v->found) return tmli_no_memory(err, "modes");
    double *const E = A + S * S, *const X = E + S * S, *const re = X + S * S, *const im = re + S,
                  *const beta = im + S;
    linearize(v, S, A, E);
    int info = 0;
    v->count = 0;
    tmli_dggev("N", "V", &N, A, &N, E, &N, re, im, beta, &none, &one, X, &N, beta + S, &lwork, &info, 1, 1);
    for (int i = 0; i < N && info == 0; i++) {
        const double size = hypot(re[i], im[i]), *const x = X + (size_t)i * S;
        double complex *const to = y + (size_t)i * k;
        const double complex root = beta[i] != 0 ? v->rate * (re[i] + fabs(im[i]) * I) / fabs(beta[i]) : 0;
        const bool two = im[i] != 0, split = two && cimag(root) <= SPLIT_ROOTS * cabs(root),
                   infinite = fabs(beta[i]) <= TMLI_ROUNDOFF * size;
        i += two;  // the conjugate
        if (infinite) continue;
        add_ritz(v, split ? creal(root) : root, x, two && !split ? x + S : NULL, to);
        if (split) add_ritz(v, creal(root), x + S, NULL, to + k);
    }
    return info == 0 ? TML_OK
                     : tmli_fail(err, TML_ERR_SINGULAR, "the roots of damped motions cannot be found");
}
