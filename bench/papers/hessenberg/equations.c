// The regularized equations of a Hessenberg system; see hessenberg.h.
//
// Unknowns u = (x, x', .., x^(m-1), y) with derivative u'. Residual:
//   (x^(i))' - x^(i+1)                              i < m - 1                              (a)
//   M (x^(m-1))' - f + B y,  or (M'M + s I) (x^(m-1))' - M'(f - B y)                        (b)
//   c,  (G B)' c - epsilon y,  or c - epsilon y                                             (c)
// c = a_0 g + a_1 g_t + sum_i g_{x^(i)} sum_j a_j x^(i+j) + curvature, where x^(m) is u' of (b): the
// multipliers' equation is coupled to the motion as in the paper's (2.1a) with (2.5), not with the motion
// eliminated, which is less robust. As G x^(m) = G f - G B y on (b), this is the same as (2.10) and (2.12).
//
// With a radius, |y| <= Y, (c) is
//   P(y + ((G B)' c - epsilon y)/k) - y,  P: shortened to Y, k = |G B|^2 + epsilon              (d)
// which is 0 where |c|^2 + epsilon |y|^2 is least among these y: either P does nothing, or |y| = Y and
// (G B)' c = e y with e > epsilon, the e of the paper's (2.10). The paper does not say how it finds e; here
// nothing has to be found. k is the curvature of the quadratic form: P gets the minimum itself if there is
// one multiplier, and rows keep their size where G B vanishes.
#include "hessenberg/internal.h"

#include "linalg/dense/lapack.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

// Coefficients of (3): Taylor coefficients of the exponential, binomial ones for higher k, because partial
// sums of the exponential have roots with positive real parts from k = 5 on (0.24 gamma for k = 5).
static void set_coefficients(tmli_hessenberg_eq *e)
{
    const int k = e->k;
    const double gamma = e->def.regularization == TML_REGULARIZATION_NONE ? 0 : e->def.gamma;
    for (int j = 0; j < k; j++) {
        const double taylor = factorial(k) / factorial(j), binomial = taylor / factorial(k - j);
        e->a[j] = (k < 5 ? taylor : binomial) * pow(gamma, k - j);
    }
    e->a[k] = 1;
    e->longest = e->def.radius > 0 ? sqrt(2 * e->def.radius) * pow(gamma, k) : (double)INFINITY;
}

tml_status tmli_hessenberg_eq_init(const tml_hessenberg_def *def, const tml_env *env, tmli_hessenberg_eq *e,
                                   tml_error *err)
{
    *e = (tmli_hessenberg_eq){.def = *def, .k = def->order - def->level};
    const size_t nx = (size_t)def->nx, ny = (size_t)def->ny, all = nx * (size_t)def->order;
    const size_t size = all + ny;
    e->size = (int)size;
    set_coefficients(e);
    const size_t length[] = {
        nx,      ny,      ny,      ny,      nx * ny,       ny * nx * (size_t)(def->level + 1),
        nx * nx, ny * ny, ny * ny, nx * nx, nx * (ny + 1), nx,
        all,     size,    size,    size,    size,          ny};
    double **const part[] = {&e->f, &e->g,    &e->c,     &e->gt,   &e->B,     &e->G,
                             &e->M, &e->GB,   &e->A,     &e->mass, &e->right, &e->mean,
                             &e->X, &e->plus, &e->minus, &e->y,    &e->yp,    &e->w};
    size_t total = 0;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) total += length[i];
    e->block = tmli_calloc(env, total, sizeof(double));
    e->pivot = tmli_calloc(env, nx > ny ? nx : ny, sizeof(int));
    if (!e->block || !e->pivot) return tmli_no_memory(err, "Hessenberg system");
    double *at = e->block;
    for (size_t i = 0; i < sizeof length / sizeof *length; at += length[i++]) *part[i] = at;
    return TML_OK;
}

void tmli_hessenberg_eq_clear(tmli_hessenberg_eq *e, const tml_env *env)
{
    tmli_free(env, e->block);
    tmli_free(env, e->pivot);
    e->block = NULL;
    e->pivot = NULL;
}

// ---- callbacks --------------------------------------------------------------------------------------------

static tml_status check_callback(tml_status st, const char *what, double t, const double *v, int count,
                                 tml_error *err)
{
    if (st != TML_OK)
        return tmli_fail(err, st, "the callback %s failed at t = %g s (%s)", what, t, tml_status_name(st));
    for (int i = 0; i < count; i++)
        if (!isfinite(v[i]))
            return tmli_fail(err, TML_ERR_NAN, "the callback %s gives %g at t = %g s", what, v[i], t);
    return TML_OK;
}

tml_status tmli_hessenberg_constraint(const tmli_hessenberg_eq *e, double t, const double *X, double *g,
                                      tml_error *err)
{
    memset(g, 0, (size_t)e->def.ny * sizeof *g);
    return check_callback(e->def.constraint(t, X, g, e->def.user), "constraint", t, g, e->def.ny, err);
}

static double difference_step(double x) { return cbrt(DBL_EPSILON) * fmax(1, fabs(x)); }

// out := a column of G (or g_t) by central differences; column < 0: by t; apart: distance of its elements.
// e->X holds X.
static tml_status difference_constraint(tmli_hessenberg_eq *e, double t, int column, double *out, int apart,
                                        tml_error *err)
{
    double *x = column < 0 ? &t : &e->X[column];
    const double at = *x, d = difference_step(at);
    *x = at + d;
    const double up = *x;
    tml_status st = tmli_hessenberg_constraint(e, t, e->X, e->c, err);
    for (int r = 0; r < e->def.ny; r++) out[r * apart] = e->c[r];
    *x = at - d;
    const double down = *x;
    if (st == TML_OK) st = tmli_hessenberg_constraint(e, t, e->X, e->c, err);
    for (int r = 0; r < e->def.ny; r++) out[r * apart] = (out[r * apart] - e->c[r]) / (up - down);
    *x = at;
    return st;
}

tml_status tmli_hessenberg_slopes(tmli_hessenberg_eq *e, double t, const double *X, bool differences,
                                  tml_error *err)
{
    const tml_hessenberg_def *d = &e->def;
    const int columns = (d->level + 1) * d->nx;
    tml_status st = TML_OK;
    memcpy(e->X, X, (size_t)(d->order * d->nx) * sizeof *X);
    if (d->constraint_jacobian && !differences) {
        memset(e->G, 0, (size_t)(d->ny * columns) * sizeof *e->G);
        st = check_callback(d->constraint_jacobian(t, X, e->G, d->user), "constraint_jacobian", t, e->G,
                            d->ny * columns, err);
    } else {
        for (int j = 0; j < columns && st == TML_OK; j++)
            st = difference_constraint(e, t, j, e->G + j, columns, err);
    }
    if (st != TML_OK) return st;
    if (!d->constraint_by_t || differences) return difference_constraint(e, t, -1, e->gt, 1, err);
    memset(e->gt, 0, (size_t)d->ny * sizeof *e->gt);
    return check_callback(d->constraint_by_t(t, X, e->gt, d->user), "constraint_by_t", t, e->gt, d->ny, err);
}

// Evaluate f, B, M at (t, X).
static tml_status evaluate(tmli_hessenberg_eq *e, double t, const double *X, tml_error *err)
{
    const tml_hessenberg_def *d = &e->def;
    const int nx = d->nx, ny = d->ny;
    memset(e->f, 0, (size_t)nx * sizeof *e->f);
    memset(e->B, 0, (size_t)(nx * ny) * sizeof *e->B);
    tml_status st = check_callback(d->force(t, X, e->f, d->user), "force", t, e->f, nx, err);
    if (st == TML_OK) st = check_callback(d->input(t, X, e->B, d->user), "input", t, e->B, nx * ny, err);
    if (st != TML_OK || !d->mass) return st;
    memset(e->M, 0, (size_t)(nx * nx) * sizeof *e->M);
    return check_callback(d->mass(t, X, e->M, d->user), "mass", t, e->M, nx * nx, err);
}

// ---- mass -------------------------------------------------------------------------------------------------

// e->mass := M or M'M + s I, e->right := (B, f) or M'(B, f), column-major.
static void form_motion(tmli_hessenberg_eq *e)
{
    const tml_hessenberg_def *d = &e->def;
    const int nx = d->nx, ny = d->ny;
    const bool least = d->mass && d->mass_shift > 0;
    for (int j = 0; j <= ny; j++)
        for (int i = 0; i < nx; i++) {
            double sum = 0;
            for (int q = 0; q < nx && least; q++)
                sum += e->M[q * nx + i] * (j < ny ? e->B[q * ny + j] : e->f[q]);
            e->right[j * nx + i] = least ? sum : j < ny ? e->B[i * ny + j] : e->f[i];
        }
    for (int j = 0; j < nx; j++)
        for (int i = 0; i < nx; i++) {
            double sum = i == j ? d->mass_shift : 0;
            for (int q = 0; q < nx && least; q++) sum += e->M[q * nx + i] * e->M[q * nx + j];
            e->mass[j * nx + i] = least ? sum : d->mass ? e->M[i * nx + j] : i == j;
        }
}

// Multiply e->right by the inverse of mass, so that x^(m) = f - B y; e->GB := G B.
static tml_status divide_by_mass(tmli_hessenberg_eq *e, double t, tml_error *err)
{
    const int nx = e->def.nx, ny = e->def.ny, columns = ny + 1, wide = (e->def.level + 1) * nx;
    int info = 0;
    if (e->def.mass) {
        tmli_dgetrf(&nx, &nx, e->mass, &nx, e->pivot, &info);
        if (info != 0)
            return tmli_fail(err, TML_ERR_SINGULAR,
                             "the mass matrix is singular at t = %g s; mass_shift > 0 allows that", t);
        tmli_dgetrs("N", &nx, &columns, e->mass, &nx, e->pivot, e->right, &nx, &info, 1);
    }
    for (int r = 0; r < ny; r++)
        for (int j = 0; j < ny; j++) {
            double sum = 0;
            for (int i = 0; i < nx; i++) sum += e->G[r * wide + e->def.level * nx + i] * e->right[j * nx + i];
            e->GB[r * ny + j] = sum;
        }
    return TML_OK;
}

// ---- residual ---------------------------------------------------------------------------------------------

// e->c := c of (3), x^(m) given in `top`; needs e->G, e->gt.
static tml_status evaluate_feedback(tmli_hessenberg_eq *e, double t, const double *X, const double *top,
                                    tml_error *err)
{
    const tml_hessenberg_def *d = &e->def;
    const int nx = d->nx, ny = d->ny, m = d->order, wide = (d->level + 1) * nx;
    tml_status st = tmli_hessenberg_constraint(e, t, X, e->g, err);
    if (st != TML_OK) return st;
    for (int r = 0; r < ny; r++) e->c[r] = e->a[0] * e->g[r] + e->a[1] * e->gt[r];
    for (int i = 0; i <= d->level; i++) {
        for (int q = 0; q < nx; q++) {
            e->mean[q] = 0;
            for (int j = 1; j <= e->k; j++)
                e->mean[q] += e->a[j] * (i + j < m ? X[(i + j) * nx + q] : top[q]);
        }
        for (int r = 0; r < ny; r++)
            for (int q = 0; q < nx; q++) e->c[r] += e->G[r * wide + i * nx + q] * e->mean[q];
    }
    for (int j = 2; j <= e->k && d->curvature && st == TML_OK; j++) {
        memset(e->g, 0, (size_t)ny * sizeof *e->g);
        st = check_callback(d->curvature(t, X, j, e->g, d->user), "curvature", t, e->g, ny, err);
        for (int r = 0; r < ny; r++) e->c[r] += e->a[j] * e->g[r];
    }
    return st;
}

// r (nx) := (b), with the matrices of form_motion.
static void motion_residual(const tmli_hessenberg_eq *e, const double *y, const double *top, double *r)
{
    const int nx = e->def.nx, ny = e->def.ny;
    for (int i = 0; i < nx; i++) {
        double sum = -e->right[ny * nx + i];
        for (int j = 0; j < nx; j++) sum += e->mass[j * nx + i] * top[j];
        for (int j = 0; j < ny; j++) sum += e->right[j * nx + i] * y[j];
        r[i] = sum;
    }
}

// r (ny) := w - y, w = y + r/k of (d); it holds (G B)' c - epsilon y.
static void scale_multipliers(const tmli_hessenberg_eq *e, double *r)
{
    const int ny = e->def.ny;
    double curvature = e->def.epsilon;
    for (int i = 0; i < ny * ny; i++) curvature += e->GB[i] * e->GB[i];
    for (int i = 0; i < ny; i++) r[i] /= curvature;
}

// The residual without P of (d).
static tml_status unbounded_residual(tmli_hessenberg_eq *e, double t, const double *u, const double *up,
                                     double *r, tml_error *err)
{
    const tml_hessenberg_def *d = &e->def;
    const int nx = d->nx, ny = d->ny, m = d->order;
    const double *top = up + (m - 1) * nx, *y = u + m * nx;
    double *rc = r + m * nx;
    tml_status st = evaluate(e, t, u, err);
    if (st == TML_OK) st = tmli_hessenberg_slopes(e, t, u, false, err);
    if (st == TML_OK) st = evaluate_feedback(e, t, u, top, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < (m - 1) * nx; i++) r[i] = up[i] - u[nx + i];  // (a)
    form_motion(e);
    motion_residual(e, y, top, r + (m - 1) * nx);
    const bool trust = d->regularization == TML_REGULARIZATION_TRUST_REGION;
    const double epsilon = trust || d->regularization == TML_REGULARIZATION_DIRECT ? d->epsilon : 0;
    if (trust) st = divide_by_mass(e, t, err);
    for (int i = 0; i < ny; i++) {
        double sum = trust ? 0 : e->c[i];
        for (int j = 0; j < ny && trust; j++) sum += e->GB[j * ny + i] * e->c[j];
        rc[i] = sum - epsilon * y[i];
    }
    if (d->radius > 0) scale_multipliers(e, rc);
    return st;
}

// w (ny) := y + r, and the factor that shortens it to the radius.
static double shortening(const tmli_hessenberg_eq *e, const double *y, const double *r, double *w)
{
    double square = 0;
    for (int i = 0; i < e->def.ny; i++) {
        w[i] = y[i] + r[i];
        square += w[i] * w[i];
    }
    return fmin(1, e->longest / sqrt(square));
}

tml_status tmli_hessenberg_residual(tmli_hessenberg_eq *e, double t, const double *u, const double *up,
                                    double *r, tml_error *err)
{
    const int first = e->def.order * e->def.nx;
    const tml_status st = unbounded_residual(e, t, u, up, r, err);
    if (st != TML_OK || !(e->def.radius > 0)) return st;
    const double shorten = shortening(e, u + first, r + first, e->w);
    for (int i = 0; i < e->def.ny && shorten < 1; i++) r[first + i] = shorten * e->w[i] - u[first + i];
    return st;
}

// values: the derivative of the residual without P, := that with it. Differences would not see the kink of P:
// a velocity moved by some 1e-6 moves its derivative by cj times as much, and w beyond the radius.
static tml_status bound_matrix(tmli_hessenberg_eq *e, double t, const double *u, const double *up,
                               double *values, tml_error *err)
{
    const int ny = e->def.ny, first = e->def.order * e->def.nx;
    const tml_status st = unbounded_residual(e, t, u, up, e->plus, err);
    const double shorten = shortening(e, u + first, e->plus + first, e->w);
    if (st != TML_OK || !(shorten < 1)) return st;
    const double square = e->longest * e->longest / (shorten * shorten);  // |w|^2
    for (int j = 0; j < e->size; j++) {
        double *column = values + j * e->size + first, along = 0;
        for (int i = 0; i < ny; i++) {
            column[i] += j == first + i;  // derivative of w
            along += e->w[i] * column[i] / square;
        }
        for (int i = 0; i < ny; i++) column[i] = shorten * (column[i] - along * e->w[i]) - (j == first + i);
    }
    return TML_OK;
}

tml_status tmli_hessenberg_matrix(tmli_hessenberg_eq *e, double t, double cj, const double *u,
                                  const double *up, double *values, tml_error *err)
{
    const size_t bytes = (size_t)e->size * sizeof *u;
    memcpy(e->y, u, bytes);
    memcpy(e->yp, up, bytes);
    tml_status st = TML_OK;
    for (int j = 0; j < e->size && st == TML_OK; j++) {
        const double d = difference_step(u[j]);
        double width = 0;
        for (int side = 1; side >= -1 && st == TML_OK; side -= 2) {
            e->y[j] = u[j] + side * d;
            const double moved = e->y[j] - u[j];
            e->yp[j] = up[j] + cj * moved;
            width += side * moved;
            st = unbounded_residual(e, t, e->y, e->yp, side > 0 ? e->plus : e->minus, err);
        }
        e->y[j] = u[j];
        e->yp[j] = up[j];
        for (int i = 0; i < e->size; i++) values[j * e->size + i] = (e->plus[i] - e->minus[i]) / width;
    }
    return st == TML_OK && e->def.radius > 0 ? bound_matrix(e, t, u, up, values, err) : st;
}

// ---- start ------------------------------------------------------------------------------------------------

// Solve (G B + epsilon) y = c, or ((G B)'(G B) + epsilon) y = (G B)' c for y at the start; c with x^(m) =
// f.
static tml_status solve_start(tmli_hessenberg_eq *e, double epsilon, double t, double *y, tml_error *err)
{
    const tml_hessenberg_def *d = &e->def;
    const int ny = d->ny, one = 1;
    const bool trust = d->regularization == TML_REGULARIZATION_TRUST_REGION;
    const bool direct = d->regularization == TML_REGULARIZATION_DIRECT;
    double *A = e->A;
    for (int i = 0; i < ny; i++) {
        y[i] = trust ? 0 : e->c[i];
        for (int j = 0; j < ny; j++) {
            double sum = 0;
            for (int q = 0; q < ny && trust; q++) sum += e->GB[q * ny + i] * e->GB[q * ny + j];
            A[j * ny + i] = (trust ? sum : e->GB[i * ny + j]) + (i == j && (trust || direct) ? epsilon : 0);
            if (trust) y[i] += e->GB[j * ny + i] * e->c[j];
        }
    }
    int info = 0;
    tmli_dgetrf(&ny, &ny, A, &ny, e->pivot, &info);
    if (info == 0) tmli_dgetrs("N", &ny, &one, A, &ny, e->pivot, y, &ny, &info, 1);
    if (info != 0)
        return tmli_fail(
            err, TML_ERR_SINGULAR,
            "the constraints depend on each other at the start t = %g s; the trust-region and the "
            "direct regularization allow that",
            t);
    return TML_OK;
}

// The same with the epsilon at which y is as long as the radius allows, if it is longer with the given one.
// 1/|y| is nearly a straight line over epsilon (exactly for one multiplier): the secant rule.
static tml_status solve_start_within(tmli_hessenberg_eq *e, double t, double *y, tml_error *err)
{
    double epsilon = e->def.epsilon, last = 0, last_missing = 0;
    for (int i = 0; i < DBL_MANT_DIG; i++) {
        tml_status st = solve_start(e, epsilon, t, y, err);
        double square = 0;
        for (int j = 0; j < e->def.ny; j++) square += y[j] * y[j];
        const double missing = 1 - e->longest / sqrt(square);  // < 1
        if (st != TML_OK || !(missing > sqrt(DBL_EPSILON))) return st;
        const double next = i == 0 ? epsilon / (1 - missing)
                                   : epsilon + missing * (epsilon - last) / (last_missing - missing);
        last = epsilon;
        last_missing = missing;
        epsilon = next;
    }
    return TML_OK;
}

tml_status tmli_hessenberg_begin(tmli_hessenberg_eq *e, double t, double *u, double *up, tml_error *err)
{
    const tml_hessenberg_def *d = &e->def;
    const int nx = d->nx, ny = d->ny, m = d->order;
    double *top = up + (m - 1) * nx, *y = u + m * nx;
    for (int i = 0; i < (m - 1) * nx; i++) up[i] = u[nx + i];
    memset(up + m * nx, 0, (size_t)ny * sizeof *up);
    tml_status st = evaluate(e, t, u, err);
    if (st == TML_OK) st = tmli_hessenberg_slopes(e, t, u, false, err);
    if (st != TML_OK) return st;
    form_motion(e);
    st = divide_by_mass(e, t, err);
    if (st != TML_OK) return st;
    memcpy(top, e->right + ny * nx, (size_t)nx * sizeof *top);
    st = evaluate_feedback(e, t, u, top, err);
    if (st == TML_OK) st = solve_start_within(e, t, y, err);
    for (int i = 0; i < nx && st == TML_OK; i++)
        for (int j = 0; j < ny; j++) top[i] -= e->right[j * nx + i] * y[j];
    return st;
}
