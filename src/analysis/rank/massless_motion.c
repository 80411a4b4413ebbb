// Massless motions: coordinates i with M_ii = 0 can move in the null space of their columns of B. With an
// orthonormal basis N of it, in units of the model (M N = 0, B N = 0), the equations of motion M udot + B'
// lambda = f reduce to
//   N'f(q, u, t) = 0                                                                          (1)
// Dampers make this a differential equation for the positions, springs alone an algebraic one. With D =
// -df/du and K = d/dd [M udot + B' lambda - f], P and Q the left and right null space of N'D N,
//   P'K_N Q z = P'N'f,     q := q (+) N Q z                       position of equilibrium of the springs  (2)
//   D_N w = N'f                                                   velocity by the dampers                 (3)
//   P'N'(K u + D udot) = P'N'f_t                                  velocity of the equilibrium             (4)
// where K_N = N'K N, D_N = N'D N. (4) is the time derivative of (1), with lambda included. If P'K_N Q is
// singular, nothing determines the motion N Q z of its null vector z.
#include "analysis/rank/massless_motion.h"
#include "consistency/tolerances.h"
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "linalg/pattern/pattern.h"
#include "system/state/move.h"
#include "system/state/units.h"

#include <math.h>
#include <string.h>

#include "analysis/rank/constants.h"

struct tmli_massless_motion {
    const tml_system *sys;
    void *w;
    tmli_arena arena;
    int k0, k, p;   // numbers of massless coordinates, of massless motions, of those without damping
    int *coord;     // (k0) massless coordinates
    int *index_of;  // (n) index in coord; -1: has mass
    double *unit;   // (n)
    double *A;      // (room x room) scratch, as are U, V, s
    double *U, *V, *s, *lwork;
    int room;               // dimension of A: rows of B with massless coordinates, or k0 if larger
    double *N;              // (k0 x k) column-major
    double *KN;             // (k x k)
    double *P, *Q;          // (k x p)
    double *span;           // (k x k) pseudo-inverse of D_N
    double *K, *D;          // (nnz)
    double *rows;           // (entries)
    double *f, *g, *gamma;  // (n), (n), (m)
    double *y, *z, *b;      // (k)
    double stiff, damp;     // sizes of K and D in units
    tml_state *later, *earlier;
    int coordinate;
};

typedef tmli_massless_motion motion;

static void *alloc(motion *l, size_t count, size_t size)
{
    return tmli_arena_alloc(&l->arena, count + 1, size);
}

static tml_status create(motion *l, const tml_state *x, tml_error *err)
{
    const tml_system *s = l->sys;
    const size_t n = (size_t)s->n, nnz = (size_t)tmli_pattern_nnz(s->pattern);
    double *d = alloc(l, 3 * n, sizeof *d);
    l->coord = alloc(l, n, sizeof *l->coord);
    l->index_of = alloc(l, n, sizeof *l->index_of);
    l->unit = alloc(l, n, sizeof *l->unit);
    if (!d || !l->coord || !l->index_of || !l->unit) return tmli_no_memory(err, "simulation");
    tml_status st = tmli_lapack_load(err);
    if (st == TML_OK) st = s->ops->diagonals(s->self, l->w, x, d, d + n, d + 2 * n, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < s->n; j++) {
        l->unit[j] = tmli_coordinate_unit(s, j);
        l->index_of[j] = d[j] > 0 ? -1 : l->k0;
        if (!(d[j] > 0)) l->coord[l->k0++] = j;
    }
    for (int r = 0; r < s->m; r++) {
        bool touches = false;
        for (int e = s->rowptr[r]; e < s->rowptr[r + 1]; e++)
            touches = touches || l->index_of[s->rowcol[e]] >= 0;
        l->room += touches;
    }
    if (l->room < l->k0) l->room = l->k0;
    const size_t k = (size_t)l->k0, room = (size_t)l->room;
    double *small = alloc(l, 5 * k * k, sizeof *small), *few = alloc(l, 3 * k, sizeof *few);
    if (!tmli_arena_alloc_all(&l->arena, TMLI_ARRAY(l->A, room * room + 1), TMLI_ARRAY(l->U, room * room + 1),
                              TMLI_ARRAY(l->V, k * k + 1), TMLI_ARRAY(l->s, room + 1),
                              TMLI_ARRAY(l->lwork, 8 * room + 8), TMLI_ARRAY(l->K, 2 * nnz + 1),
                              TMLI_ARRAY(l->rows, (size_t)s->rowptr[s->m] + 1), TMLI_ARRAY(l->f, 2 * n + 1),
                              TMLI_ARRAY(l->gamma, (size_t)s->m + 1)) ||
        !small || !few)
        return tmli_no_memory(err, "simulation");
    l->N = small, l->KN = l->N + k * k, l->P = l->KN + k * k, l->Q = l->P + k * k;
    l->span = l->Q + k * k;
    l->y = few, l->z = few + k, l->b = few + 2 * k;
    l->D = l->K + nnz;
    l->g = l->f + n;
    return TML_OK;
}

// A (rows x columns, column-major) = U s V: V holds the right singular vectors as rows. Returns the rank by
// `least`.
static int factor_svd(motion *l, int rows, int columns, double least)
{
    int info = 0, rank = 0;
    const int lwork = 8 * l->room + 8, one = 1;
    memset(l->s, 0, (size_t)l->room * sizeof *l->s);
    if (rows == 0 || columns == 0) {
        memset(l->V, 0, (size_t)columns * (size_t)columns * sizeof *l->V);
        for (int i = 0; i < columns; i++) l->V[i * (columns + 1)] = 1;
        return 0;
    }
    tmli_dgesvd("A", "A", &rows, &columns, l->A, &rows, l->s, l->U, &rows, l->V,
                columns > 0 ? &columns : &one, l->lwork, &lwork, &info, 1, 1);
    for (int i = 0; i < columns && i < rows; i++) rank += l->s[i] > least;
    return info == 0 ? rank : 0;
}

// N at x: the null space of the massless columns of B
static tml_status find_motions(motion *l, const tml_state *x, tml_error *err)
{
    const tml_system *s = l->sys;
    const tml_status st = s->ops->rows(s->self, l->w, x, l->rows, err);
    if (st != TML_OK) return st;
    memset(l->A, 0, (size_t)l->room * (size_t)l->room * sizeof *l->A);
    int rows = 0;
    for (int r = 0; r < s->m; r++) {
        double largest = 0;
        for (int e = s->rowptr[r]; e < s->rowptr[r + 1]; e++)
            if (l->index_of[s->rowcol[e]] >= 0)
                largest = fmax(largest, fabs(l->rows[e]) * l->unit[s->rowcol[e]]);
        l->gamma[r] = largest > 0 ? 1 / largest : 0;
        rows += largest > 0;
    }
    for (int r = 0, i = 0; r < s->m; r++) {
        if (l->gamma[r] == 0) continue;
        for (int e = s->rowptr[r]; e < s->rowptr[r + 1]; e++) {
            const int j = s->rowcol[e];
            if (l->index_of[j] >= 0)
                l->A[(size_t)l->index_of[j] * (size_t)rows + (size_t)i] +=
                    l->gamma[r] * l->rows[e] * l->unit[j];
        }
        i++;
    }
    const int rank = factor_svd(l, rows, l->k0, TMLI_AGREEMENT);
    l->k = l->k0 - rank;
    for (int c = 0; c < l->k; c++)
        for (int i = 0; i < l->k0; i++) l->N[c * l->k0 + i] = l->V[i * l->k0 + rank + c];
    return TML_OK;
}

// y (k) = N'v for v (n) of forces
static void reduce_force(const motion *l, const double *v, double *y)
{
    for (int c = 0; c < l->k; c++) {
        y[c] = 0;
        for (int i = 0; i < l->k0; i++) y[c] += l->N[c * l->k0 + i] * l->unit[l->coord[i]] * v[l->coord[i]];
    }
}

// v (n) = N y
static void expand_motion(const motion *l, const double *y, double *v)
{
    memset(v, 0, (size_t)l->sys->n * sizeof *v);
    for (int c = 0; c < l->k; c++)
        for (int i = 0; i < l->k0; i++) v[l->coord[i]] += l->unit[l->coord[i]] * l->N[c * l->k0 + i] * y[c];
}

// out (n) += X v, X (nnz)
static void add_product(const motion *l, const double *X, const double *v, double *out)
{
    const tml_pattern *p = l->sys->pattern;
    for (int32_t j = 0; j < l->sys->n; j++)
        for (int32_t e = p->colptr[j]; e < p->colptr[j + 1]; e++)
            if (p->rowind[e] < l->sys->n) out[p->rowind[e]] += X[e] * v[j];
}

// out (k x k) = N'X N, and the largest entry of X in units
static double reduce_matrix(motion *l, const double *X, double *out)
{
    const tml_pattern *p = l->sys->pattern;
    double largest = 0;
    for (int32_t j = 0; j < l->sys->n; j++)
        for (int32_t e = p->colptr[j]; e < p->colptr[j + 1]; e++)
            if (p->rowind[e] < l->sys->n)
                largest = fmax(largest, fabs(X[e]) * l->unit[p->rowind[e]] * l->unit[j]);
    for (int c = 0; c < l->k; c++) {
        memset(l->b, 0, (size_t)l->k0 * sizeof *l->b);
        l->b[c] = 1;
        expand_motion(l, l->b, l->g);
        memset(l->f, 0, (size_t)l->sys->n * sizeof *l->f);
        add_product(l, X, l->g, l->f);
        reduce_force(l, l->f, out + (size_t)c * (size_t)l->k);
    }
    return largest;
}

// K_N, D_N, the null spaces P and Q of D_N and its pseudo-inverse, at x
static tml_status reduce_forces(motion *l, const tml_state *x, tml_error *err)
{
    const tml_system *s = l->sys;
    tml_status st = s->ops->assemble(s->self, l->w, x, &(tml_assembly){.ck = 1}, l->K, err);
    if (st == TML_OK) st = s->ops->assemble(s->self, l->w, x, &(tml_assembly){.cd = 1}, l->D, err);
    if (st != TML_OK) return st;
    l->stiff = reduce_matrix(l, l->K, l->KN);
    l->damp = reduce_matrix(l, l->D, l->A);
    const int k = l->k;
    const int rank = factor_svd(l, k, k, TMLI_AGREEMENT * l->damp);
    l->p = k - rank;
    for (int c = 0; c < l->p; c++)
        for (int i = 0; i < k; i++) {
            l->P[c * k + i] = l->U[(rank + c) * k + i];
            l->Q[c * k + i] = l->V[i * k + rank + c];
        }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            l->span[j * k + i] = 0;
            for (int c = 0; c < rank; c++) l->span[j * k + i] += l->V[i * k + c] * l->U[c * k + j] / l->s[c];
        }
    return TML_OK;
}

// z (p) := inverse(P'K_N Q) z; else y (k) = Q times its null vector, and false
static bool solve_springs(motion *l, double *z, double *y)
{
    const int k = l->k, p = l->p;
    for (int c = 0; c < p; c++)
        for (int r = 0; r < p; r++) {
            double sum = 0;
            for (int i = 0; i < k; i++)
                for (int j = 0; j < k; j++) sum += l->P[r * k + i] * l->KN[j * k + i] * l->Q[c * k + j];
            l->A[c * p + r] = sum;
        }
    const int rank = factor_svd(l, p, p, TMLI_AGREEMENT * l->stiff);
    for (int i = 0; i < k; i++) y[i] = 0;
    for (int c = 0; c < p; c++) {
        double step = 0;
        for (int r = 0; r < p; r++) step += l->U[c * p + r] * z[r];
        if (rank < p) step = c == p - 1;
        else step /= l->s[c];
        for (int i = 0; i < k; i++)
            for (int j = 0; j < p; j++) y[i] += l->Q[j * k + i] * l->V[j * p + c] * step;
    }
    return rank == p;
}

// The coordinate that moves most in the motion y (k).
static int find_largest_coordinate(motion *l, const double *y)
{
    int best = l->coord[0];
    expand_motion(l, y, l->g);
    for (int i = 0; i < l->k0; i++)
        if (fabs(l->g[l->coord[i]]) / l->unit[l->coord[i]] > fabs(l->g[best]) / l->unit[best])
            best = l->coord[i];
    return best;
}

static tml_status fail_undetermined(motion *l, const tml_state *x, const double *y, tml_error *err)
{
    char name[160];
    const int j = find_largest_coordinate(l, y);
    return tmli_fail(
        err, TML_ERR_SINGULAR,
        "nothing determines the motion of '%s' at t = %g s: it has no mass or inertia, no joint holds it, "
        "and no force depends on it; give its body mass or inertia, hold it by a joint or a spring, or leave "
        "it out",
        l->sys->coordinate_name(l->sys, j, name, sizeof name), x->t);
}

// (2)
static tml_status find_equilibrium(motion *l, tmli_consistent *c, tml_state *x, tml_error *err)
{
    const tml_system *s = l->sys;
    double size = INFINITY;
    for (int i = 0; i < EQUILIBRIUM_CORRECTIONS; i++) {
        tml_status st = find_motions(l, x, err);
        if (st == TML_OK) st = reduce_forces(l, x, err);
        if (st == TML_OK) st = s->ops->dynamics(s->self, l->w, x, l->f, l->gamma, err);
        if (st != TML_OK) return st;
        reduce_force(l, l->f, l->b);
        for (int r = 0; r < l->p; r++) {
            l->z[r] = 0;
            for (int j = 0; j < l->k; j++) l->z[r] += l->P[r * l->k + j] * l->b[j];
        }
        if (!solve_springs(l, l->z, l->y)) return fail_undetermined(l, x, l->y, err);
        size = 0;
        for (int j = 0; j < l->k; j++) size = fmax(size, fabs(l->y[j]));
        for (int j = 0; j < l->k && size > TMLI_LARGEST_CORRECTION; j++)
            l->y[j] *= TMLI_LARGEST_CORRECTION / size;
        expand_motion(l, l->y, l->g);
        tmli_state_move(s, x, l->g, x);
        st = tmli_consistent_project(c, x, err);
        if (st != TML_OK || size < TMLI_ROUNDOFF) return st;
    }
    char name[160];
    return tmli_fail(err, TML_ERR_ASSEMBLY,
                     "no equilibrium found for '%s', which has no mass: the last correction still moves it "
                     "by %.2g lengths; give its body mass, or start closer to the equilibrium of its springs",
                     s->coordinate_name(s, find_largest_coordinate(l, l->y), name, sizeof name), size);
}

// out (n) = partial derivative of f by time
static tml_status differentiate_by_time(motion *l, tml_state *x, double *out, tml_error *err)
{
    const tml_system *s = l->sys;
    // truncation dt^2 and round-off eps/dt are equal at the cube root of eps
    const double t = x->t, dt = cbrt(DBL_EPSILON) * fmax(1, fabs(t));
    memset(out, 0, (size_t)s->n * sizeof *out);
    tml_status st = TML_OK;
    for (int side = -1; side <= 1 && st == TML_OK && !s->autonomous; side += 2) {
        x->t = t + side * dt;
        st = s->ops->dynamics(s->self, l->w, x, l->f, l->gamma, err);
        for (int j = 0; j < s->n; j++) out[j] += side * l->f[j] / (2 * dt);
    }
    x->t = t;
    return st;
}

// One pass of (3), (4)
static tml_status find_velocities(motion *l, tmli_consistent *c, tml_state *x, tml_error *err)
{
    const tml_system *s = l->sys;
    const int k = l->k;
    tml_status st = tmli_consistent_accelerations(c, x, err);
    if (st == TML_OK) st = reduce_forces(l, x, err);
    if (st == TML_OK) st = s->ops->dynamics(s->self, l->w, x, l->f, l->gamma, err);
    if (st != TML_OK) return st;
    reduce_force(l, l->f, l->b);
    for (int i = 0; i < k; i++) {  // (3)
        l->y[i] = 0;
        for (int j = 0; j < k; j++) l->y[i] += l->span[j * k + i] * l->b[j];
    }
    expand_motion(l, l->y, l->g);
    for (int j = 0; j < s->n; j++) x->u[j] += l->g[j];
    st = differentiate_by_time(l, x, l->g, err);
    if (st != TML_OK) return st;
    memset(l->f, 0, (size_t)s->n * sizeof *l->f);
    add_product(l, l->K, x->u, l->f);
    add_product(l, l->D, x->udot, l->f);
    for (int j = 0; j < s->n; j++) l->g[j] -= l->f[j];
    reduce_force(l, l->g, l->b);
    for (int r = 0; r < l->p; r++) {
        l->z[r] = 0;
        for (int j = 0; j < k; j++) l->z[r] += l->P[r * k + j] * l->b[j];
    }
    if (!solve_springs(l, l->z, l->y)) return fail_undetermined(l, x, l->y, err);
    expand_motion(l, l->y, l->g);
    for (int j = 0; j < s->n; j++) x->u[j] += l->g[j];
    return TML_OK;
}

// y = x moved along its accelerations by the time e, with the massless motions in balance.
static tml_status balance_at(motion *l, tmli_consistent *c, const tml_state *x, double e, tml_state *y,
                             tml_error *err)
{
    const tml_system *s = l->sys;
    tml_state_copy(y, x);
    y->t = x->t + e;
    for (int j = 0; j < s->n; j++) l->g[j] = e * x->u[j] + e * e / 2 * x->udot[j];
    tmli_state_move(s, x, l->g, y);
    for (int j = 0; j < s->n; j++) y->u[j] = x->u[j] + e * x->udot[j];
    tml_status st = find_equilibrium(l, c, y, err);
    for (int i = 0; i < VELOCITY_PASSES && st == TML_OK; i++) st = find_velocities(l, c, y, err);
    return st;
}

// udot of the massless coordinates by central differences of their velocities. With wrong accelerations
// methods would start with small steps.
static tml_status find_accelerations(motion *l, tmli_consistent *c, tml_state *x, tml_error *err)
{
    const tml_system *s = l->sys;
    double rate = 1;  // [1/s], at least: at rest any step serves
    for (int j = 0; j < s->n; j++)
        rate = fmax(rate, fmax(fabs(x->u[j]) / l->unit[j], sqrt(fabs(x->udot[j]) / l->unit[j])));
    const double e = sqrt(sqrt(DBL_EPSILON)) / rate;  // velocities have half of the digits of (1)
    tml_status st = balance_at(l, c, x, e, l->later, err);
    if (st == TML_OK) st = balance_at(l, c, x, -e, l->earlier, err);
    for (int i = 0; i < l->k0 && st == TML_OK; i++) {
        const int j = l->coord[i];
        x->udot[j] = (l->later->u[j] - l->earlier->u[j]) / (2 * e);
    }
    return st == TML_OK ? tmli_consistent_accelerations(c, x, err) : st;
}

tml_status tmli_massless_motion_create(const tml_system *sys, void *w, const tml_state *x,
                                       tmli_massless_motion **out, tml_error *err)
{
    *out = NULL;
    motion *l = tmli_calloc(&sys->env, 1, sizeof *l);
    if (!l) return tmli_no_memory(err, "simulation");
    *l = (motion){.sys = sys, .w = w, .arena = {.env = &sys->env}, .coordinate = -1};
    tml_status st = create(l, x, err);
    if (st == TML_OK) st = tml_state_create(sys, &l->later, err);
    if (st == TML_OK) st = tml_state_create(sys, &l->earlier, err);
    if (st == TML_OK) *out = l;
    else tmli_massless_motion_destroy(l);
    return st;
}

void tmli_massless_motion_destroy(tmli_massless_motion *l)
{
    if (!l) return;
    const tml_env env = l->sys->env;
    tml_state_destroy(l->later, l->sys);
    tml_state_destroy(l->earlier, l->sys);
    tmli_arena_clear(&l->arena);
    tmli_free(&env, l);
}

tml_status tmli_massless_motion_balance(tmli_massless_motion *l, tmli_consistent *c, tml_state *x,
                                        tml_error *err)
{
    tml_status st = find_equilibrium(l, c, x, err);
    for (int i = 0; i < VELOCITY_PASSES && st == TML_OK; i++) st = find_velocities(l, c, x, err);
    if (st == TML_OK) st = tmli_consistent_accelerations(c, x, err);
    if (st == TML_OK) st = find_accelerations(l, c, x, err);
    if (st != TML_OK || l->k == 0) return st;
    memset(l->b, 0, (size_t)l->k0 * sizeof *l->b);
    l->b[0] = 1;
    l->coordinate = find_largest_coordinate(l, l->b);
    return TML_OK;
}

int tmli_massless_motion_coordinate(const tmli_massless_motion *l) { return l->coordinate; }
