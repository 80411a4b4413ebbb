// Solution by the factors of articulated.h; p, a, s, R, X, Y, T, Q, W as there.
//
// Leaf to root, b: right side of the body with the updates of its children, g: of the constraints
//   s = inv(C_d) g,  p = b - A s,  y = inv(L) N' p,   b_p -= X' (p_d - Y' y),   g_c -= D_d s + T y        (1)
//   y = inv(L) g_c,  g_o += W_o' y,  b_v += W_v' y                                        cut joints      (2)
// root to leaf, mu: multipliers of cut joints
//   L' a = y + Y X v_p - T' mu,   v from a by (1) of articulated.h                                        (3)
//   C_d' lambda = (p - A (v - s))_d - D_d' mu                                                             (4)
//   L' mu = -(y - W_o mu_o - W_v v)                                                       cut joints      (5)
// All vectors are stored in x: between the sweeps p_d and y of a body replace its coordinates, s the rows
// of its joint.
#include "linalg/topology/articulated.h"
#include "linalg/topology/articulated_sizes.h"

static void body_forward(const tmli_articulated *t, const tmli_elimination_step *x, double *b);
static void body_backward(const tmli_articulated *t, const tmli_elimination_step *x, double *b);
static void cut_forward(const tmli_articulated *t, const tmli_elimination_step *x, double *b);
static void cut_backward(const tmli_articulated *t, const tmli_elimination_step *x, double *b);

void tmli_articulated_solve(const tmli_articulated *t, double *x)
{
    for (int32_t i = 0; i < t->nsteps; i++) {
        const tmli_elimination_step *step = &t->step[i];
        if (step->cut >= 0) cut_forward(t, step, x);
        else body_forward(t, step, x);
    }
    for (int32_t i = t->nsteps - 1; i >= 0; i--) {
        const tmli_elimination_step *step = &t->step[i];
        if (step->cut >= 0) cut_backward(t, step, x);
        else body_backward(t, step, x);
    }
}

// (1)
TMLI_INLINE void forward_of(const int32_t k, const int32_t n, const int32_t np, const tmli_articulated *t,
                            const tmli_elimination_step *x, double *restrict b)
{
    const int32_t f = n - k, ld = n + np, *restrict perm = t->perm + x->perm;
    const double *restrict A = t->store + x->A, *restrict J = t->store + x->J,
                           *restrict dJ = t->store + x->dJ, *restrict Y = t->store + x->Y;
    double local[12];  // small ones can live in registers
    double *p = n <= 6 ? local : t->scratch, *s = p + n, *y = p + k;
    for (int32_t c = 0; c < n; c++) p[c] = b[x->unknown + perm[c]];
    for (int32_t r = 0; r < k; r++) s[r] = b[x->row + r];
    for (int32_t q = 0; q < k; q++)
        for (int32_t r = q + 1; r < k; r++) s[r] -= J[r * ld + q] * s[q];
    for (int32_t q = k - 1; q >= 0; q--) {
        s[q] *= dJ[q];
        for (int32_t r = 0; r < q; r++) s[r] -= J[r * ld + q] * s[q];
    }
    for (int32_t q = 0; q < k; q++)
        for (int32_t c = 0; c < n; c++) p[c] -= A[q * n + c] * s[q];
    for (int32_t q = 0; q < k; q++)
        for (int32_t j = 0; j < f; j++) y[j] -= J[q * ld + k + j] * p[q];
    tmli_small_lower(f, t->store + x->H, t->store + x->dH, y);
    for (int32_t c = 0; c < n; c++) b[x->unknown + c] = p[c];
    for (int32_t r = 0; r < k; r++) b[x->row + r] = s[r];
    if (np == 0) return;
    for (int32_t q = 0; q < k; q++)
        for (int32_t j = 0; j < f; j++) p[q] -= Y[q * f + j] * y[j];
    for (int32_t q = 0; q < k; q++)
        for (int32_t c = 0; c < np; c++) b[x->up + c] -= J[q * ld + n + c] * p[q];
}

static void body_forward(const tmli_articulated *t, const tmli_elimination_step *x, double *b)
{
#define FORWARD(k, n, np) forward_of(k, n, np, t, x, b)
    TMLI_ARTICULATED_SIZES(x, FORWARD)
#undef FORWARD
    const double *D = t->store + x->D, *T = t->store + x->T;
    for (int32_t i = x->rows_begin; i < x->rows_end; i++) {
        const tmli_cut_rows *u = &t->cut_rows[i];
        double *g = b + t->saddle->joint[u->joint].first;
        for (int32_t q = 0; q < x->k; q++)
            for (int32_t r = 0; r < u->size; r++) g[r] -= D[q * x->nc + u->from + r] * b[x->row + q];
        for (int32_t j = 0; j < x->n - x->k; j++)
            for (int32_t r = 0; r < u->size; r++)
                g[r] -= T[j * x->nc + u->from + r] * b[x->unknown + x->k + j];
    }
}

// (3), (4)
TMLI_INLINE void backward_of(const int32_t k, const int32_t n, const int32_t np, const tmli_articulated *t,
                             const tmli_elimination_step *x, double *restrict b)
{
    const int32_t f = n - k, ld = n + np, *restrict perm = t->perm + x->perm;
    const double *restrict A = t->store + x->A, *restrict J = t->store + x->J,
                           *restrict dJ = t->store + x->dJ, *restrict Y = t->store + x->Y;
    double local[12];  // small ones can live in registers
    double *u = n <= 6 ? local : t->scratch, *a = u + k, *lambda = u + n;
    for (int32_t q = 0; q < k; q++) {
        double sum = 0;
        for (int32_t c = 0; c < np; c++) sum += J[q * ld + n + c] * b[x->up + c];
        u[q] = -sum;
    }
    for (int32_t j = 0; j < f; j++) a[j] = b[x->unknown + k + j];
    for (int32_t q = 0; q < k; q++)
        for (int32_t j = 0; j < f; j++) a[j] -= Y[q * f + j] * u[q];
    tmli_small_upper(f, t->store + x->H, t->store + x->dH, a);
    for (int32_t q = 0; q < k; q++)
        for (int32_t j = 0; j < f; j++) u[q] -= J[q * ld + k + j] * a[j];
    for (int32_t q = 0; q < k; q++) lambda[q] = b[x->unknown + q];
    for (int32_t c = 0; c < n; c++)
        for (int32_t q = 0; q < k; q++) lambda[q] -= A[c * n + q] * u[c];
    for (int32_t q = 0; q < k; q++) {
        lambda[q] *= dJ[q];
        for (int32_t r = q + 1; r < k; r++) lambda[r] -= J[q * ld + r] * lambda[q];
    }
    for (int32_t q = k - 1; q > 0; q--)
        for (int32_t r = 0; r < q; r++) lambda[r] -= J[q * ld + r] * lambda[q];
    for (int32_t c = 0; c < n; c++) b[x->unknown + perm[c]] = c < k ? b[x->row + c] + u[c] : u[c];
    for (int32_t q = 0; q < k; q++) b[x->row + q] = lambda[q];
}

static void body_backward(const tmli_articulated *t, const tmli_elimination_step *x, double *b)
{
    const double *D = t->store + x->D, *T = t->store + x->T;
    for (int32_t i = x->rows_begin; i < x->rows_end; i++) {  // mu acts on p_d and y
        const tmli_cut_rows *u = &t->cut_rows[i];
        const double *mu = b + t->saddle->joint[u->joint].first;
        for (int32_t q = 0; q < x->k; q++)
            for (int32_t r = 0; r < u->size; r++) b[x->unknown + q] -= D[q * x->nc + u->from + r] * mu[r];
        for (int32_t j = 0; j < x->n - x->k; j++)
            for (int32_t r = 0; r < u->size; r++)
                b[x->unknown + x->k + j] -= T[j * x->nc + u->from + r] * mu[r];
    }
#define BACKWARD(k, n, np) backward_of(k, n, np, t, x, b)
    TMLI_ARTICULATED_SIZES(x, BACKWARD)
#undef BACKWARD
}

// (2). L of a cut has the reciprocals on its diagonal.
static void cut_forward(const tmli_articulated *t, const tmli_elimination_step *x, double *b)
{
    const int32_t k = x->k, rest = x->nc - k;
    const double *L = t->store + x->W, *Wo = L + k * k, *Wv = Wo + rest * k;
    double *y = b + x->row;
    for (int32_t q = 0; q < k; q++) {
        y[q] *= L[q * k + q];
        for (int32_t r = q + 1; r < k; r++) y[r] -= L[q * k + r] * y[q];
    }
    for (int32_t i = x->rows_begin + 1; i < x->rows_end; i++) {
        const tmli_cut_rows *u = &t->cut_rows[i];
        double *g = b + t->saddle->joint[u->joint].first;
        for (int32_t q = 0; q < k; q++)
            for (int32_t r = 0; r < u->size; r++) g[r] += Wo[q * rest + u->from - k + r] * y[q];
    }
    for (int32_t c = 0; c < x->n; c++)
        for (int32_t q = 0; q < k; q++) b[x->unknown + c] += Wv[c * k + q] * y[q];
}

// (5)
static void cut_backward(const tmli_articulated *t, const tmli_elimination_step *x, double *b)
{
    const int32_t k = x->k, rest = x->nc - k;
    const double *L = t->store + x->W, *Wo = L + k * k, *Wv = Wo + rest * k;
    double *y = b + x->row;
    for (int32_t i = x->rows_begin + 1; i < x->rows_end; i++) {
        const tmli_cut_rows *u = &t->cut_rows[i];
        const double *mu = b + t->saddle->joint[u->joint].first;
        for (int32_t q = 0; q < k; q++)
            for (int32_t r = 0; r < u->size; r++) y[q] -= Wo[q * rest + u->from - k + r] * mu[r];
    }
    for (int32_t c = 0; c < x->n; c++)
        for (int32_t q = 0; q < k; q++) y[q] -= Wv[c * k + q] * b[x->unknown + c];
    for (int32_t q = k - 1; q >= 0; q--) {
        for (int32_t r = q + 1; r < k; r++) y[q] -= L[q * k + r] * y[r];
        y[q] *= L[q * k + q];
    }
    for (int32_t q = 0; q < k; q++) {
        const double inactive = t->saddle->any_inactive ? t->saddle->inactive[x->row + q] : 0;
        y[q] = inactive != 0 ? y[q] / inactive : -y[q];
    }
}
