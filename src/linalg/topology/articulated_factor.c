// The elimination, step by step; see articulated.h. J is stored by rows, all other matrices by columns.
#include "linalg/topology/articulated.h"
#include "linalg/topology/articulated_sizes.h"

#include <float.h>
#include <stdatomic.h>
#include <string.h>

// sqrt(DBL_EPSILON). Smaller pivots of a tree joint's row, relative to its largest entry, make the child's
// motion a difference of large numbers that leaves less than half of the digits: block LU is used then.
static const double half_digits = 1.4901161193847656e-08;

// Shared by the threads.
typedef struct job {
    const tmli_articulated *t;
    const double *values;
    atomic_int next;   // task
    atomic_bool good;  // no pivot too small so far
} job;

static bool tree_rows_are_active(const tmli_articulated *t);
static void run_tasks(void *arg, int worker);
static void add_buffer(const tmli_articulated *t, const tmli_task *task);
static bool eliminate(const tmli_articulated *t, const tmli_elimination_step *x, const double *values,
                      double *scratch);
static void load(const tmli_articulated *t, const tmli_elimination_step *x, const double *values);
static void load_joint(const tmli_articulated *t, const tmli_elimination_step *x, const double *values);
static bool eliminate_body(const tmli_articulated *t, const tmli_elimination_step *x, double *scratch);
static void update_cut_rows(const tmli_articulated *t, const tmli_elimination_step *x, double *scratch);
static bool eliminate_cut(const tmli_articulated *t, const tmli_elimination_step *x, double *scratch);
static void measure_cut_rows(const tmli_articulated *t, const tmli_elimination_step *x, double *sum);
static void add_cut_rows(const tmli_articulated *t, const tmli_elimination_step *x, int32_t nc,
                         const double *restrict D, int32_t np, const double *restrict Z);

bool tmli_articulated_factor(tmli_articulated *t, const double *values)
{
    if (!t->possible || !tree_rows_are_active(t)) return false;
    job j = {.t = t, .values = values, .good = true};
    atomic_init(&j.next, 0);
    for (int32_t i = 0; i < t->nsteps; i++)
        if (t->step[i].task < 0) load(t, &t->step[i], values);
    if (t->ntasks > 0) {
        tmli_pool_run(t->pool, run_tasks, &j);
        if (!j.good) return false;
        for (int32_t k = 0; k < t->ntasks; k++) add_buffer(t, &t->task[k]);
    }
    for (int32_t i = 0; i < t->nsteps; i++)
        if (t->step[i].task < 0 && !eliminate(t, &t->step[i], values, t->scratch)) return false;
    return true;
}

// False if a tree joint has inactive rows: its body then has more free coordinates than planned.
static bool tree_rows_are_active(const tmli_articulated *t)
{
    const tmli_saddle *d = t->saddle;
    for (int32_t i = 0; i < t->nsteps && d->any_inactive; i++) {
        const tmli_elimination_step *x = &t->step[i];
        for (int32_t r = 0; r < x->k && x->cut < 0; r++)
            if (d->inactive[x->row + r] != 0) return false;
    }
    return true;
}

static void run_tasks(void *arg, int worker)
{
    job *j = arg;
    const tmli_articulated *t = j->t;
    double *scratch = t->scratch + (size_t)worker * t->scratch_size;
    for (int k = atomic_fetch_add(&j->next, 1); k < t->ntasks; k = atomic_fetch_add(&j->next, 1)) {
        const tmli_task *task = &t->task[k];
        memset(t->store + task->buffer, 0, task->size * sizeof *t->store);
        for (int32_t i = task->first; i <= task->last; i++) load(t, &t->step[i], j->values);
        for (int32_t i = task->first; i <= task->last; i++)
            if (!eliminate(t, &t->step[i], j->values, scratch)) {
                j->good = false;
                return;
            }
    }
}

static void add_buffer(const tmli_articulated *t, const tmli_task *task)
{
    if (task->size == 0) return;
    double *to = t->store + t->step[t->step[task->last].next].A;
    const double *from = t->store + task->buffer;
    for (size_t i = 0; i < task->size; i++) to[i] += from[i];
}

static bool eliminate(const tmli_articulated *t, const tmli_elimination_step *x, const double *values,
                      double *scratch)
{
    if (x->cut >= 0) return eliminate_cut(t, x, scratch);
    load_joint(t, x, values);
    if (!eliminate_body(t, x, scratch)) return false;
    if (x->nc > 0) update_cut_rows(t, x, scratch);
    return true;
}

// A and D of a front before updates are added; Z = 0, S = 0.
static void load(const tmli_articulated *t, const tmli_elimination_step *x, const double *values)
{
    const tmli_saddle *d = t->saddle;
    double *A = t->store + x->A, *D = t->store + x->D;
    const int32_t n = x->n, nc = x->nc;
    if (x->cut >= 0) {
        memset(A, 0, ((size_t)n * (size_t)n + (size_t)nc * (size_t)(n + nc + 2)) * sizeof *A);
        return;
    }
    const tmli_part *body = &d->body[x->body];
    const double *from = values + body->at;
    for (int32_t c = 0; c < n; c++, from += body->stride)
        for (int32_t r = 0; r < n; r++) A[c * n + r] = from[r];
    if (nc == 0) return;
    memset(D, 0, (size_t)nc * (size_t)(n + nc + 2) * sizeof *D);
    for (int32_t r = x->rows_begin; r < x->rows_end; r++) {
        const tmli_cut_rows *cut = &t->cut_rows[r];
        for (int32_t a = d->armptr[cut->joint]; a < d->armptr[cut->joint + 1]; a++) {
            if (d->arm[a].body != x->body) continue;
            const double *B = values + d->arm[a].mirror;
            for (int32_t c = 0; c < n; c++)
                for (int32_t q = 0; q < cut->size; q++) D[c * nc + cut->from + q] = B[c * body->stride + q];
        }
    }
}

// J = [C C_p] by rows.
static void load_joint(const tmli_articulated *t, const tmli_elimination_step *x, const double *values)
{
    const tmli_saddle *d = t->saddle;
    const tmli_cut_tree *tree = &t->tree;
    if (x->k == 0) return;
    const int32_t n = x->n, ld = n + x->np, stride = d->joint[tree->joint[x->body]].stride;
    const double *C = values + d->arm[tree->arm[x->body]].row;
    const double *P = tree->up[x->body] >= 0 ? values + d->arm[tree->up[x->body]].row : NULL;
    double *J = t->store + x->J;
    for (int32_t r = 0; r < x->k; r++, J += ld, C += stride) {
        for (int32_t c = 0; c < n; c++) J[c] = C[c];
        if (!P) continue;
        for (int32_t c = n; c < ld; c++) J[c] = P[c - n];
        P += stride;
    }
}

// LU of C with exchange of columns, then R and X of (1), in place.
TMLI_INLINE bool factor_joint(const int32_t n, const int32_t k, const int32_t np, double *restrict J,
                              double *restrict dJ, int32_t *restrict perm)
{
    const int32_t ld = n + np;
    bool good = true;
    for (int32_t c = 0; c < n; c++) perm[c] = c;
    // largest entry of a row of C; a joint with more rows is checked for nonzero pivots only
    double size[12];
    for (int32_t r = 0; r < k && r < 12; r++) {
        double largest = 0;
        for (int32_t c = 0; c < n; c++) largest = fmax(largest, fabs(J[r * ld + c]));
        size[r] = largest;
    }
    for (int32_t r = 0; r < k; r++) {
        double *row = J + r * ld, largest = fabs(row[r]);
        int32_t best = r;
        for (int32_t c = r + 1; c < n; c++) {
            const double a = fabs(row[c]);
            best = a > largest ? c : best;
            largest = a > largest ? a : largest;
        }
        if (best != r) {
            for (int32_t q = 0; q < k; q++) {
                const double a = J[q * ld + r];
                J[q * ld + r] = J[q * ld + best];
                J[q * ld + best] = a;
            }
            const int32_t c = perm[r];
            perm[r] = perm[best];
            perm[best] = c;
        }
        good &= largest > half_digits * (r < 12 ? size[r] : 0) && largest <= DBL_MAX;
        const double inverse = 1 / row[r];
        dJ[r] = inverse;
        for (int32_t q = r + 1; q < k; q++) {
            double *other = J + q * ld;
            const double l = other[r] * inverse;
            other[r] = l;
            for (int32_t c = r + 1; c < ld; c++) other[c] -= l * row[c];
        }
    }
    for (int32_t r = k - 1; r >= 0; r--) {
        double *row = J + r * ld;
        for (int32_t s = r + 1; s < k; s++)
            for (int32_t c = k; c < ld; c++) row[c] -= row[s] * J[s * ld + c];
        for (int32_t c = k; c < ld; c++) row[c] *= dJ[r];
    }
    return good;
}

// Rows and columns of the symmetric A in pivot order.
TMLI_INLINE void permute(const int32_t n, const int32_t *restrict perm, double *restrict A,
                         double *restrict copy)
{
    for (int32_t i = 0; i < n * n; i++) copy[i] = A[i];
    for (int32_t c = 0; c < n; c++) {
        const double *from = copy + perm[c] * n;
        for (int32_t r = 0; r < n; r++) A[c * n + r] = from[perm[r]];
    }
}

// (2): G (n x f) and H with its Cholesky factor, Y
TMLI_INLINE bool project(const int32_t n, const int32_t k, int32_t ld, const double *restrict A,
                         const double *restrict J, double *restrict G, double *restrict H,
                         double *restrict dH, double *restrict Y)
{
    const int32_t f = n - k;
    double pivot_scale[64];
    for (int32_t j = 0; j < f; j++) {
        double *g = G + j * n;
        double sum = fabs(A[(k + j) * n + k + j]);
        for (int32_t i = 0; i < n; i++) g[i] = A[(k + j) * n + i];
        for (int32_t s = 0; s < k; s++) {
            const double R = J[s * ld + k + j];
            sum += R * R * fabs(A[s * n + s]);
            for (int32_t i = 0; i < n; i++) g[i] -= A[s * n + i] * R;
        }
        if (j < 64) pivot_scale[j] = sum;
    }
    for (int32_t j = 0; j < f; j++) {
        for (int32_t i = j; i < f; i++) {
            double sum = G[j * n + k + i];
            for (int32_t s = 0; s < k; s++) sum -= J[s * ld + k + i] * G[j * n + s];
            H[j * f + i] = sum;
        }
    }
    const bool good = f <= 64 && tmli_small_cholesky(f, H, dH, pivot_scale);
    for (int32_t s = 0; s < k; s++) {
        for (int32_t i = 0; i < f; i++) Y[s * f + i] = G[i * n + s];
        tmli_small_lower(f, H, dH, Y + s * f);
    }
    return good;
}

// (3), added to U (np x np)
TMLI_INLINE void lift(const int32_t n, const int32_t k, const int32_t np, const double *restrict A,
                      const double *restrict J, const double *restrict Y, double *restrict E,
                      double *restrict P, double *restrict U)
{
    const int32_t f = n - k, ld = n + np;
    for (int32_t c = 0; c < k; c++)
        for (int32_t r = 0; r < k; r++) {
            double sum = A[c * n + r];
            for (int32_t i = 0; i < f; i++) sum -= Y[r * f + i] * Y[c * f + i];
            E[c * k + r] = sum;
        }
    for (int32_t r = 0; r < k; r++) {
        double *p = P + r * np;
        for (int32_t c = 0; c < np; c++) p[c] = 0;
        for (int32_t s = 0; s < k; s++)
            for (int32_t c = 0; c < np; c++) p[c] += E[s * k + r] * J[s * ld + n + c];
    }
    for (int32_t c = 0; c < np; c++) {
        double *u = U + c * np;
        for (int32_t s = 0; s < k; s++)
            for (int32_t r = 0; r < np; r++) u[r] += J[s * ld + n + r] * P[s * np + c];
    }
}

TMLI_INLINE bool body_of(const int32_t k, const int32_t n, const int32_t np, const tmli_articulated *t,
                         const tmli_elimination_step *x, double *scratch)
{
    double local[108];  // small ones can live in registers
    double *s = t->store, *G = n <= 6 && np <= 6 ? local : scratch, *E = G + n * n, *P = E + n * n;
    int32_t *perm = t->perm + x->perm;
    if (!factor_joint(n, k, np, s + x->J, s + x->dJ, perm)) return false;
    permute(n, perm, s + x->A, G);
    if (!project(n, k, n + np, s + x->A, s + x->J, G, s + x->H, s + x->dH, s + x->Y)) return false;
    if (np > 0) lift(n, k, np, s + x->A, s + x->J, s + x->Y, E, P, s + x->target);
    return true;
}

static bool eliminate_body(const tmli_articulated *t, const tmli_elimination_step *x, double *scratch)
{
    bool good = false;
#define BODY(k, n, np) good = body_of(k, n, np, t, x, scratch)
    TMLI_ARTICULATED_SIZES(x, BODY)
#undef BODY
    return good;
}

// C (m x n) -= A (m x k) B (k x n), B by rows with ld entries each.
TMLI_INLINE void subtract_rows(int32_t m, int32_t n, int32_t k, const double *restrict A,
                               const double *restrict B, int32_t ld, double *restrict C)
{
    for (int32_t j = 0; j < n; j++)
        for (int32_t q = 0; q < k; q++)
            for (int32_t r = 0; r < m; r++) C[j * m + r] -= A[q * m + r] * B[q * ld + j];
}

// Lower triangle of Z (m x m) += sign X X', X (m x k); Z has ld rows.
TMLI_INLINE void add_square(int32_t m, int32_t k, double sign, const double *restrict X, double *restrict Z,
                            int32_t ld)
{
    for (int32_t c = 0; c < m; c++)
        for (int32_t q = 0; q < k; q++) {
            const double x = sign * X[q * m + c];
            for (int32_t r = c; r < m; r++) Z[c * ld + r] += X[q * m + r] * x;
        }
}

// (4)
static void update_cut_rows(const tmli_articulated *t, const tmli_elimination_step *x, double *scratch)
{
    const int32_t n = x->n, k = x->k, f = n - k, np = x->np, nc = x->nc, ld = n + np;
    const int32_t *perm = t->perm + x->perm;
    double *s = t->store, *D = s + x->D, *T = s + x->T, *Q = s + x->Q, *Z = s + x->Z, *copy = scratch;
    const double *J = s + x->J, *Y = s + x->Y;
    const size_t row = (size_t)nc * sizeof *D;
    memcpy(copy, D, row * (size_t)n);
    for (int32_t c = 0; c < n; c++) memcpy(D + c * nc, copy + perm[c] * nc, row);
    memcpy(T, D + k * nc, row * (size_t)f);
    subtract_rows(nc, f, k, D, J + k, ld, T);
    tmli_small_right(nc, f, s + x->H, s + x->dH, T);
    add_square(nc, f, -1, T, Z, nc);
    measure_cut_rows(t, x, copy);
    memcpy(Q, D, row * (size_t)k);
    for (int32_t q = 0; q < k; q++)
        for (int32_t j = 0; j < f; j++)
            for (int32_t r = 0; r < nc; r++) Q[q * nc + r] -= T[j * nc + r] * Y[q * f + j];
    if (x->next < 0) return;
    memset(copy, 0, row * (size_t)np);
    subtract_rows(nc, np, k, Q, J + n, ld, copy);
    add_cut_rows(t, x, nc, copy, np, Z);
}

// S of this step: squares of T, and a bound of them with absolute values, |D| (1 + sum of |R|) in
// the largest norm of each row of D. sum: (f) scratch.
static void measure_cut_rows(const tmli_articulated *t, const tmli_elimination_step *x, double *sum)
{
    const int32_t n = x->n, k = x->k, f = n - k, nc = x->nc, ld = n + x->np;
    const double *s = t->store, *J = s + x->J, *dH = s + x->dH, *D = s + x->D, *T = s + x->T;
    double *S = t->store + x->S, weight = 0;
    for (int32_t j = 0; j < f; j++) sum[j] = 1;
    for (int32_t q = 0; q < k; q++)
        for (int32_t j = 0; j < f; j++) sum[j] += fabs(J[q * ld + k + j]);
    for (int32_t j = 0; j < f; j++) weight += sum[j] * sum[j] * dH[j] * dH[j];
    for (int32_t r = 0; r < nc; r++) {
        double largest = 0, square = 0;
        for (int32_t c = 0; c < n; c++) largest = fmax(largest, fabs(D[c * nc + r]));
        for (int32_t j = 0; j < f; j++) square += T[j * nc + r] * T[j * nc + r];
        S[r] += square;
        S[nc + r] += largest * largest * weight;
    }
}

// Adds D (nc x np), the lower triangle of Z (nc x nc) and S to the front of the next step, without the
// rows of the cut joint eliminated here.
static void add_cut_rows(const tmli_articulated *t, const tmli_elimination_step *x, int32_t nc,
                         const double *restrict D, int32_t np, const double *restrict Z)
{
    const tmli_elimination_step *y = &t->step[x->next];
    double *to = t->store + x->target;
    double *restrict Dy = to + (y->D - y->A), *restrict Zy = to + (y->Z - y->A),
                     *restrict Sy = to + (y->S - y->A);
    const double *S = t->store + x->S;
    for (int32_t a = x->rows_begin; a < x->rows_end; a++) {
        const tmli_cut_rows *u = &t->cut_rows[a];
        if (u->to < 0) continue;
        for (int32_t r = 0; r < u->size; r++) {
            Sy[u->to + r] += S[u->from + r];
            Sy[y->nc + u->to + r] += S[nc + u->from + r];
        }
        for (int32_t c = 0; c < np; c++)
            for (int32_t r = 0; r < u->size; r++) Dy[c * y->nc + u->to + r] += D[c * nc + u->from + r];
        for (int32_t b = x->rows_begin; b <= a; b++) {
            const tmli_cut_rows *v = &t->cut_rows[b];
            if (v->to < 0) continue;
            for (int32_t c = 0; c < v->size; c++)  // entries above the diagonal are zero and never read
                for (int32_t r = 0; r < u->size; r++)
                    Zy[(v->to + c) * y->nc + u->to + r] += Z[(v->from + c) * nc + u->from + r];
        }
    }
}

// C (m x n) += A (m x k) B (k x n); C has ld rows.
TMLI_INLINE void add_products(int32_t m, int32_t n, int32_t k, const double *restrict A,
                              const double *restrict B, double *restrict C, int32_t ld)
{
    for (int32_t c = 0; c < n; c++)
        for (int32_t q = 0; q < k; q++)
            for (int32_t r = 0; r < m; r++) C[c * ld + r] += A[q * m + r] * B[c * k + q];
}

// (5): the cut's rows come first in its front.
static bool eliminate_cut(const tmli_articulated *t, const tmli_elimination_step *x, double *scratch)
{
    const int32_t k = x->k, n = x->n, nc = x->nc, rest = nc - k;
    const tmli_part *joint = &t->saddle->joint[x->cut];
    double *s = t->store, *A = s + x->A, *D = s + x->D, *Z = s + x->Z, *S = s + x->S;
    double *L = s + x->W, *Wo = L + k * k, *Wv = Wo + rest * k, *d = scratch, *pivot_scale = d + k;
    for (int32_t c = 0; c < k; c++) {
        for (int32_t r = c; r < k; r++) L[c * k + r] = -Z[c * nc + r];
        if (t->saddle->any_inactive && t->saddle->inactive[joint->first + c] != 0) L[c * k + c] = 1;
        pivot_scale[c] = fmax(S[c], LOST_PIVOT * LOST_PIVOT / CHOLESKY_PIVOT * S[nc + c]);
    }
    if (!tmli_small_cholesky(k, L, d, pivot_scale)) return false;
    for (int32_t c = 0; c < k; c++)
        for (int32_t r = 0; r < rest; r++) Wo[c * rest + r] = Z[c * nc + k + r];
    tmli_small_right(rest, k, L, d, Wo);
    for (int32_t c = 0; c < n; c++) {
        for (int32_t r = 0; r < k; r++) Wv[c * k + r] = D[c * nc + r];
        tmli_small_lower(k, L, d, Wv + c * k);
    }
    for (int32_t c = 0; c < k; c++) L[c * k + c] = d[c];  // kept: the reciprocal
    if (x->next < 0) return true;
    add_square(rest, k, 1, Wo, Z + k * nc + k, nc);
    add_products(rest, n, k, Wo, Wv, D + k, nc);
    double *up = s + x->target;
    for (int32_t c = 0; c < n; c++)
        for (int32_t r = 0; r < n; r++) {
            double sum = A[c * n + r];
            for (int32_t q = 0; q < k; q++) sum += Wv[c * k + q] * Wv[r * k + q];
            up[c * n + r] += sum;
        }
    add_cut_rows(t, x, nc, D, n, Z);
    return true;
}
