// Eigenvalues of small motions beside the motion of a state: the variational equations (variation.c)
//
//   Mr y + Dr b + Kr a = 0,   a' = Y'Z b + Cr a,   y = Z'dudot                       (1)
//
// with constant coefficients. What b' is depends on how the bases Z and Y move with the state.
//
// Steady motion (steady.c): they turn with axes in which nothing changes, x' = g x with g skew. Then
//   y = b' + Z'g Z b + Z'g U a,   a' = Y'Z b + (Cr - Y'g Y) a                        (2)
// and (1) has constant coefficients: its eigenvalues are those of the motion, seen in these axes. At rest
// g = 0 and U = 0. In other axes the eigenvalues of motions that turn differ by multiples of i times the
// angular velocity between the axes.
//
// Else: Z' = W with Z'W = 0, y = b' - W'U a, and the coefficients are those of this instant, frozen.
//
// The eigenvalues (spectrum.c) are taken in a basis V of the mechanical directions with V'Mr V = diag(1, 0).
#include "analysis/modes/linearize.h"
#include "analysis/modes/variation.h"
#include "linalg/dense/lapack.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/modes/constants.h"

static void *alloc(tmli_variation *v, int rows, int columns)
{
    return tmli_arena_alloc(&v->arena, (size_t)rows * (size_t)columns + 1, sizeof(double));
}

// The terms of g in (2)
static tml_status add_turning_axes(tmli_variation *v, const tmli_steady *s, tml_error *err)
{
    const int n = v->n, r = v->r, ra = v->ra, most = r > ra ? r : ra;
    double *gX = alloc(v, n, most), *small = alloc(v, most, most);
    if (!gX || !small) return tmli_no_memory(err, "check");
    const struct {
        const double *X;
        int columns;
    } part[3] = {{v->Y, ra}, {v->Z, r}, {v->U, ra}};
    for (int k = 0; k < 3; k++) {
        const int columns = part[k].columns;
        for (int c = 0; c < columns; c++)
            tmli_steady_rate(s, n, part[k].X + (size_t)c * (size_t)n, gX + (size_t)c * (size_t)n);
        const int rows = k == 0 ? ra : r;
        tmli_dense_multiply("T", "N", rows, columns, n, k == 0 ? v->Y : v->Z, n, gX, n, 0, small);
        if (k == 0)
            for (size_t i = 0; i < (size_t)ra * (size_t)ra; i++) v->Cr[i] -= small[i];
        else tmli_dense_multiply("N", "N", r, columns, r, v->Mr, r, small, r, 1, k == 1 ? v->Dr : v->Kr);
    }
    return TML_OK;
}

// X (rows x columns) becomes L X R, where L and R are V (its transpose, its inverse) on the mechanical
// directions, and the identity on the others
static void change_basis(const tmli_variation *v, const char *left, const double *L, int rows, int columns,
                         double *work, double *X)
{
    const double one = 1, zero = 0;
    const int rm = v->rm, lv = rm > 0 ? rm : 1;
    if (rm == 0 || rows == 0 || columns == 0) return;
    tmli_dgemm("N", "N", &rows, &rm, &rm, &one, X, &rows, v->V, &lv, &zero, work, &rows, 1, 1);
    memcpy(X, work, (size_t)rows * (size_t)rm * sizeof *X);
    tmli_dgemm(left, "N", &rm, &columns, &rm, &one, L, &lv, X, &rows, &zero, work, &rm, 1, 1);
    for (int j = 0; j < columns; j++)
        memcpy(X + (size_t)j * (size_t)rows, work + (size_t)j * (size_t)rm, (size_t)rm * sizeof *X);
}

// Cr in the basis V needs V^-1.
static tml_status to_inertia_basis(tmli_variation *v, tml_error *err)
{
    const int rm = v->rm, most = v->r > v->ra ? v->r : v->ra;
    const size_t R = (size_t)rm;
    double *work = alloc(v, most, most), *lu = alloc(v, rm, rm), *inverse = alloc(v, rm, rm);
    int *pivots = tmli_arena_alloc(&v->arena, R + 1, sizeof(int));
    if (!work || !lu || !inverse || !pivots) return tmli_no_memory(err, "check");
    int info = 0;
    if (rm > 0) {
        memcpy(lu, v->V, R * R * sizeof(double));
        for (size_t i = 0; i < R; i++) inverse[i * (R + 1)] = 1;
        tmli_dgetrf(&rm, &rm, lu, &rm, pivots, &info);
        tmli_dgetrs("N", &rm, &rm, lu, &rm, pivots, inverse, &rm, &info, 1);
    }
    change_basis(v, "T", v->V, v->r, v->ra, work, v->Kr);
    change_basis(v, "T", v->V, v->r, v->r, work, v->Dr);
    change_basis(v, "N", inverse, v->ra, v->ra, work, v->Cr);
    return TML_OK;
}

// Size of the terms of Kr = V'Z'K Y V [1/s^2], and what they leave after they cancel:
//   |diag(w) K diag(w)|,   w_i the length of row i of |Z| |V|                                             (1)
// w is 1 over the root of an inertia: stiffness between heavy coordinates says nothing of light ones. Thin
// beams have small inertia of rotation beside large stiffness along their axis.
static tml_status size_of_stiffness(tmli_variation *v, double *size, tml_error *err)
{
    const size_t n = (size_t)v->n, rm = (size_t)v->rm, r1 = (size_t)v->r1;
    double *Z = alloc(v, v->n, v->rm), *V = alloc(v, v->rm, v->r1), *W = alloc(v, v->n, v->r1),
           *w = alloc(v, v->n, 1);
    if (!Z || !V || !W || !w) return tmli_no_memory(err, "check");
    for (size_t i = 0; i < n * rm; i++) Z[i] = fabs(v->Z[i]);
    for (size_t i = 0; i < rm * r1; i++) V[i] = fabs(v->V[i]);
    if (rm > 0 && r1 > 0) tmli_dense_multiply("N", "N", v->n, v->r1, v->rm, Z, v->n, V, v->rm, 0, W);
    double largest = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < r1; c++) w[i] = hypot(w[i], W[c * n + i]);
        largest = fmax(largest, w[i]);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) sum = hypot(sum, w[i] * v->K[j * n + i] * w[j]);
    *size = sum + largest * largest * v->force;
    return TML_OK;
}

static double largest_of(const tmli_variation *v, const double *x)
{
    double largest = 0;
    for (int j = 0; j < v->n - v->sys->nz; j++) largest = fmax(largest, fabs(x[j]) / v->k->unit[j]);
    return largest;
}

static double largest_rate_of_states(const tmli_variation *v)
{
    double largest = 0;
    for (int i = 0; i < v->sys->nz; i++) {
        const double unit = v->sys->state_scale ? v->sys->state_scale[i] : 1;
        largest = fmax(largest, fabs(v->x->udot[v->n - v->sys->nz + i]) / unit);
    }
    return largest;
}

// An equilibrium, up to errors of the data in stiff directions
static tml_status find_rest(tmli_variation *v, tmli_spectrum *out, tml_error *err)
{
    double *change = alloc(v, v->n, 1);
    if (!change) return tmli_no_memory(err, "check");
    memcpy(change, v->x->udot, (size_t)v->n * sizeof *change);
    const tml_status st = tmli_variation_unexplained(v, 0, change, err);
    if (st == TML_OK && largest_of(v, change) <= TMLI_INPUT_ERROR) out->motion = TMLI_MOTION_REST;
    return st;
}

tml_status tmli_linearize_motion(tmli_variation *v, const tml_model *model, tmli_steady *steady,
                                 tmli_spectrum *out, tml_error *err)
{
    *steady = (tmli_steady){0};
    out->velocity = largest_of(v, v->x->u);
    out->acceleration = largest_of(v, v->x->udot);
    const bool moves = out->velocity > TMLI_INPUT_ERROR || largest_rate_of_states(v) > TMLI_INPUT_ERROR;
    out->motion = moves || out->acceleration > TMLI_INPUT_ERROR ? TMLI_MOTION_CHANGING : TMLI_MOTION_REST;
    if (v->r == 0) return TML_OK;
    const tml_status st = moves ? tmli_steady_find(v, model, steady, err) : find_rest(v, out, err);
    if (st != TML_OK || !steady->found) return st;
    out->motion = TMLI_MOTION_STEADY;
    tmli_steady_describe(steady, model != NULL, out->axes, sizeof out->axes);
    return TML_OK;
}

static tml_status linearize(tmli_variation *v, const tml_model *model, bool vectors, tmli_spectrum *out,
                            tml_error *err)
{
    tml_status st = tmli_variation_dynamics(v, err);
    if (st != TML_OK) return st;
    out->massless = v->rm - v->r1;
    tmli_steady steady;
    if (v->r > 0) st = tmli_variation_reduce(v, err);
    if (st == TML_OK) st = tmli_linearize_motion(v, model, &steady, out, err);
    if (st != TML_OK || v->r == 0) return st;
    st = steady.found ? add_turning_axes(v, &steady, err) : tmli_variation_transport(v, err);
    if (st == TML_OK) st = to_inertia_basis(v, err);
    double stiffness = 0;
    if (st == TML_OK) st = size_of_stiffness(v, &stiffness, err);
    if (st != TML_OK) return st;
    const double turning =
        steady.found && steady.axes == TMLI_AXES_TURNING ? v3_norm(steady.omega) : 0;  // [rad/s]
    const tmli_reduced reduced = {
        .r = v->r,
        .rm = v->rm,
        .r1 = v->r1,
        .ra = v->ra,
        .Dr = v->Dr,
        .Kr = v->Kr,
        .Cr = v->Cr,
        // sums of n products, and the operations that give their factors; how velocities turn with the axes
        // is known by differences, and an error of it splits the zero roots of free motions
        .noise = fmax(sqrt((16 + v->n) * DBL_EPSILON * stiffness), sqrt(STEADY_NOISE) * turning),
        // at rest sums of so many products; in motion how directions turn with it comes from differences
        .roundoff = out->motion == TMLI_MOTION_REST ? (16 + 2 * v->n) * DBL_EPSILON : TMLI_ROUNDOFF,
        .vectors = vectors,
    };
    return tmli_spectrum_solve(&reduced, &v->arena, out, err);
}

// d (n) of an eigenvalue: Y a, and Z b of first-order states. The imaginary part of a conjugate pair, for one
// of its two, stands for a second real shape: round-off makes pairs of zeros.
static void calc_shape(const tmli_variation *v, const tmli_spectrum *s, int root, tmli_shape_part part,
                       double *d)
{
    const size_t N = (size_t)s->unknowns, n = (size_t)v->n, rm = (size_t)v->rm;
    const double *x = s->vectors + (size_t)(s->column[root] + (part == TMLI_SHAPE_IMAGINARY)) * N;
    memset(d, 0, n * sizeof *d);
    for (size_t c = 0; c < (size_t)v->ra; c++) {
        double a = c < rm ? 0 : x[c];
        for (size_t k = 0; c < rm && k < rm; k++) a += v->V[k * rm + c] * x[k];
        for (size_t j = 0; j < n; j++) d[j] += v->Y[c * n + j] * a;
    }
    for (int q = 0; q < v->sys->nz; q++) {
        const double b = s->rate * x[(size_t)(v->ra + v->r1 + q)];
        for (size_t j = n - (size_t)v->sys->nz; j < n; j++) d[j] += v->Z[(rm + (size_t)q) * n + j] * b;
    }
}

static tml_status collect_roots(const tmli_variation *v, const tmli_spectrum *s, const tmli_roots_def *want,
                                tmli_roots *roots, tml_error *err)
{
    tml_status st = tmli_roots_init(roots, &v->sys->env, v->n, want, err);
    double *re = tmli_calloc(&roots->env, 2 * (size_t)v->n + 1, sizeof *re);
    double complex *all = tmli_calloc(&roots->env, (size_t)s->count + 1, sizeof *all);
    if (st == TML_OK && (!re || !all)) st = tmli_no_memory(err, "check");
    for (int i = 0; i < s->count && st == TML_OK; i++) all[i] = s->re[i] + s->im[i] * I;
    for (int i = 0; i < s->count && st == TML_OK; i++) {
        const bool zero = i < s->zeros, pair = s->columns[i] != TMLI_COLUMN_REAL;
        if (!zero && s->columns[i] == TMLI_COLUMN_CONJUGATE) continue;
        const double distance = tmli_roots_distance(roots, all[i]);
        if (!zero && !tmli_roots_wants(roots, distance)) continue;
        double *im = re + v->n;
        memset(im, 0, (size_t)v->n * sizeof *im);
        if (zero) {
            const bool second = s->columns[i] == TMLI_COLUMN_CONJUGATE;
            calc_shape(v, s, i, second ? TMLI_SHAPE_IMAGINARY : TMLI_SHAPE_REAL, re);
        } else {
            calc_shape(v, s, i, TMLI_SHAPE_REAL, re);
            if (pair) calc_shape(v, s, i, TMLI_SHAPE_IMAGINARY, im);
        }
        const double error = tmli_root_error(all, s->count, i, s->noise);
        tmli_roots_add(
            roots, (tmli_root){.s = all[i], .distance = distance, .noise = s->noise, .error = error}, re, im);
    }
    tmli_free_all(&roots->env, re, all);
    return st;
}

tml_status tmli_linearize_roots(const tml_system *sys, const tml_model *model, void *w, const tmli_rank *rank,
                                tml_state *x, const tmli_roots_def *want, tmli_spectrum *out,
                                tmli_roots *roots, tml_error *err)
{
    const int r = sys->n - rank->rank;
    *out = (tmli_spectrum){.env = sys->env, .freedoms = r - sys->nz};
    if (sys->n > TMLI_LINEARIZE_COORDINATES || 2 * r > TMLI_LINEARIZE_COORDINATES)
        return tmli_fail(err, TML_ERR_ARG,
                         "the eigenvalues of %d coordinates with %d degrees of freedom are not computed: "
                         "at most %d and %d",
                         sys->n, r, TMLI_LINEARIZE_COORDINATES, TMLI_LINEARIZE_COORDINATES / 2);
    tmli_variation v = {0};
    out->re = tmli_calloc(&out->env, (size_t)(r + sys->n) + 1, sizeof(double));
    out->im = tmli_calloc(&out->env, (size_t)(r + sys->n) + 1, sizeof(double));
    tml_status st = out->re && out->im ? TML_OK : tmli_no_memory(err, "check");
    if (st == TML_OK) st = tmli_variation_init(&v, sys, w, rank, x, model && !sys->level, err);
    v.undamped = want && want->undamped;
    if (st == TML_OK) st = linearize(&v, model, roots != NULL, out, err);
    if (st == TML_OK && roots) st = collect_roots(&v, out, want, roots, err);
    tmli_variation_clear(&v);
    out->vectors = NULL;  // in the arena of the variation
    out->column = NULL;
    out->columns = NULL;
    if (st != TML_OK) tmli_spectrum_clear(out);
    return st;
}

tml_status tmli_linearize(const tml_system *sys, const tml_model *model, void *w, const tmli_rank *rank,
                          tml_state *x, tmli_spectrum *out, tml_error *err)
{
    return tmli_linearize_roots(sys, model, w, rank, x, NULL, out, NULL, err);
}
