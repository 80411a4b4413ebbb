// One configuration of a sweep. One matrix is factored, in units of the model, with normalized rows and
// without dependent rows:
//   [ 1   C'   ] [ d ]   [ a ]
//   [ C  -eps  ] [ y ] = [ b ]                                                    (1)
// It gives: the part of a direction a that the constraints allow (b = 0: d = (1 - C+ C) a), the least
// velocity of a driven mechanism (a = 0, b = nu), the least correction onto the constraints (a = 0, b =
// -Phi), and with a = 0 the inverse iteration for the smallest singular values of C, because then y = -inv(C
// C' + eps) b.
#include "analysis/check/sweep_point.h"
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "linalg/pattern/pattern.h"
#include "system/state/units.h"

#include <math.h>
#include <string.h>

#include "analysis/check/constants.h"

void tmli_sweep_clear(tmli_sweep_work *w)
{
    const tml_env *env = &w->sys->env;
    if (w->lin) w->solver->destroy(w->lin);
    if (w->work) w->sys->ops->destroy_work(w->work);
    tml_state_destroy(w->x, w->sys);
    tml_state_destroy(w->y, w->sys);
    tmli_free_all(env, w->values, w->diagonal, w->dependent);
}

tml_status tmli_sweep_prepare(tmli_sweep_work *w, const tmli_dependence *rows, const tml_state *x,
                              tml_error *err)
{
    const tml_system *s = w->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m, nnz = (size_t)tmli_pattern_nnz(s->pattern),
                 entries = (size_t)s->rowptr[m];
    tml_status st = tmli_lapack_load(err);  // for the singular values
    if (st != TML_OK) return st;
    const size_t vectors = TMLI_SWEEP_VECTORS * m;
    const bool room = tmli_calloc_block(
        &s->env, TMLI_ARRAY(w->values, nnz), TMLI_ARRAY(w->rhs, n + m), TMLI_ARRAY(w->phi, m),
        TMLI_ARRAY(w->row_scale, m), TMLI_ARRAY(w->rows, entries), TMLI_ARRAY(w->unit, n),
        TMLI_ARRAY(w->tangent, n), TMLI_ARRAY(w->curvature, n), TMLI_ARRAY(w->start_tangent, n),
        TMLI_ARRAY(w->scratch, n), TMLI_ARRAY(w->V, vectors), TMLI_ARRAY(w->Y, vectors + 1));
    const bool marks = tmli_calloc_block(&s->env, TMLI_ARRAY(w->dependent, m), TMLI_ARRAY(w->earlier, m + 1));
    w->diagonal = tmli_calloc(&s->env, n + m, sizeof *w->diagonal);
    w->work = s->ops->create_work(s->self, &s->env);
    if (!room || !marks || !w->diagonal || !w->work) return tmli_no_memory(err, "check");
    for (int i = 0; i < s->n + s->m; i++) w->diagonal[i] = tmli_pattern_find(s->pattern, i, i);
    for (int j = 0; j < s->n; j++) w->unit[j] = tmli_coordinate_unit(s, j);
    for (int k = 0; k < rows->count; k++) w->dependent[rows->row[k]] = true;
    w->vectors = rows->rank < TMLI_SWEEP_VECTORS ? rows->rank : TMLI_SWEEP_VECTORS;
    for (int k = 0; k < w->vectors; k++)
        for (size_t r = 0; r < m; r++)
            w->V[(size_t)k * m + r] = sin(1.3 + 2.39996 * (double)(k + 1) * (double)(r + 1));
    st = tml_state_create(s, &w->x, err);
    if (st == TML_OK) st = tml_state_create(s, &w->y, err);
    if (st == TML_OK) {
        tml_state_copy(w->x, x);
        memset(w->x->u, 0, n * sizeof(double));
        tml_state_copy(w->y, w->x);
        st = w->solver->create(s->pattern, &s->env, &w->lin, err);
    }
    return st;
}

// ---- (1) --------------------------------------------------------------------------------------------------

// Factors of (1) at x.
tml_status tmli_sweep_factor(tmli_sweep_work *w, const tml_state *x, double eps, tml_error *err)
{
    const tml_system *s = w->sys;
    tml_status st = s->ops->rows(s->self, w->work, x, w->rows, err);
    for (int r = 0; r < s->m && st == TML_OK; r++) {
        double sum = 0;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) {
            const double c = w->rows[i] * w->unit[s->rowcol[i]];
            sum += c * c;
        }
        w->row_scale[r] = w->dependent[r] || !(sum > 0) ? 0 : 1 / sqrt(sum);
    }
    const tml_assembly what = {.r = w->row_scale};
    if (st == TML_OK) st = s->ops->assemble(s->self, w->work, x, &what, w->values, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < s->n; j++) w->values[w->diagonal[j]] += 1 / (w->unit[j] * w->unit[j]);
    for (int r = 0; r < s->m; r++) w->values[w->diagonal[s->n + r]] -= w->row_scale[r] > 0 ? eps : 1;
    st = w->solver->factor(w->lin, w->values, err);
    if (st != TML_ERR_SINGULAR || w->solver->pivots) return st;
    w->solver->destroy(w->lin);  // the fixed order fails: use pivoting, at the cost of fill-in
    w->lin = NULL;
    w->solver = &tml_linsolver_klu;
    st = w->solver->create(s->pattern, &s->env, &w->lin, err);
    return st == TML_OK ? w->solver->factor(w->lin, w->values, err) : st;
}

// rhs: a and b in units of the model on entry, d and y on return
static void solve(tmli_sweep_work *w)
{
    for (int j = 0; j < w->sys->n; j++) w->rhs[j] /= w->unit[j];
    w->solver->solve(w->lin, w->rhs);
    for (int j = 0; j < w->sys->n; j++) w->rhs[j] /= w->unit[j];
}

double tmli_sweep_dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

double tmli_sweep_largest(int n, const double *a)
{
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
    return largest;
}

// Make V orthonormal, with zeros in dependent rows.
static void orthonormalize(tmli_sweep_work *w)
{
    const int m = w->sys->m;
    for (int k = 0; k < w->vectors; k++) {
        double *v = w->V + (size_t)k * (size_t)m;
        for (int r = 0; r < m; r++)
            if (w->row_scale[r] == 0) v[r] = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < k; i++) {
                const double *u = w->V + (size_t)i * (size_t)m, f = tmli_sweep_dot(m, u, v);
                for (int r = 0; r < m; r++) v[r] -= f * u[r];
            }
        const double size = sqrt(tmli_sweep_dot(m, v, v));
        for (int r = 0; r < m; r++) v[r] = size > 1e-300 ? v[r] / size : 0;
    }
}

// The smallest singular value of C from the present factors: inverse iteration with TMLI_SWEEP_VECTORS
// vectors, then Ritz values.
double tmli_sweep_smallest_singular_value(tmli_sweep_work *w)
{
    const int n = w->sys->n, m = w->sys->m, p = w->vectors, lwork = 8 * TMLI_SWEEP_VECTORS;
    double T[TMLI_SWEEP_VECTORS * TMLI_SWEEP_VECTORS], theta[TMLI_SWEEP_VECTORS] = {0},
                                                       work[8 * TMLI_SWEEP_VECTORS];
    int info = 0;
    double most = 0, change = INFINITY;
    if (p == 0) return 1;
    for (int it = 0; it < MAX_ITERATIONS && info == 0 && change > TMLI_INPUT_ERROR * most; it++) {
        orthonormalize(w);
        for (int k = 0; k < p; k++) {
            memset(w->rhs, 0, (size_t)n * sizeof(double));
            for (int r = 0; r < m; r++) w->rhs[n + r] = -w->V[(size_t)k * (size_t)m + (size_t)r];
            w->solver->solve(w->lin, w->rhs);
            memcpy(w->Y + (size_t)k * (size_t)m, w->rhs + n, (size_t)m * sizeof(double));
        }
        for (int i = 0; i < p; i++)
            for (int k = 0; k < p; k++)
                T[i * p + k] = tmli_sweep_dot(m, w->V + (size_t)i * (size_t)m, w->Y + (size_t)k * (size_t)m);
        memcpy(w->V, w->Y, (size_t)p * (size_t)m * sizeof(double));
        for (int i = 0; i < p; i++)  // remove the asymmetry of round-off
            for (int k = 0; k < i; k++) T[i * p + k] = T[k * p + i] = (T[i * p + k] + T[k * p + i]) / 2;
        tmli_dsyev("N", "U", &p, T, &p, theta, work, &lwork, &info, 1, 1);
        change = fabs(theta[p - 1] - most);
        most = theta[p - 1];
    }
    return info == 0 && most > 0 ? sqrt(fmax(1 / most - TMLI_SWEEP_EPSILON, 0)) : 0;
}

// ---- configurations ---------------------------------------------------------------------------------------

static tml_status calc_residual(tmli_sweep_work *w, const tml_state *x, double *size, tml_error *err)
{
    const tml_system *s = w->sys;
    const tml_status st = s->ops->residual(s->self, w->work, x, NULL, w->scratch, w->phi, err);
    *size = 0;
    for (int r = 0; r < s->m && st == TML_OK; r++) *size = fmax(*size, w->row_scale[r] * fabs(w->phi[r]));
    return st;
}

// Correct y onto the constraints. False: the corrections do not converge.
static bool correct(tmli_sweep_work *w)
{
    const tml_system *s = w->sys;
    double size = 0, before = INFINITY;
    if (tmli_sweep_factor(w, w->y, TMLI_AMPLIFIED_TOLERANCE * TMLI_AMPLIFIED_TOLERANCE, NULL) != TML_OK)
        return false;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        if (calc_residual(w, w->y, &size, NULL) != TML_OK || !isfinite(size)) return false;
        if (size < TMLI_AGREEMENT || (size < TMLI_BUILT_TOLERANCE && size > TMLI_STALLED_RATE * before))
            return true;
        before = size;
        memset(w->rhs, 0, (size_t)s->n * sizeof(double));
        for (int r = 0; r < s->m; r++) w->rhs[s->n + r] = -w->row_scale[r] * w->phi[r];
        solve(w);
        if (tmli_sweep_largest(s->n, w->rhs) > MAX_STEP) return false;
        for (int j = 0; j < s->n; j++) w->rhs[j] *= w->unit[j];
        s->ops->retract(s->self, w->y->q, w->rhs, w->y->q);
    }
    return size < TMLI_BUILT_TOLERANCE;
}

// y = x moved along the path by h, or (driven) to time x->t + h.
bool tmli_sweep_move(tmli_sweep_work *w, double h)
{
    const tml_system *s = w->sys;
    const double length = w->def->driven ? h * w->speed : h;
    tml_state_copy(w->y, w->x);
    if (w->def->driven) w->y->t = w->x->t + h;
    for (int j = 0; j < s->n; j++)
        w->scratch[j] = w->unit[j] * length * (w->tangent[j] + 0.5 * length * w->curvature[j]);
    s->ops->retract(s->self, w->x->q, w->scratch, w->y->q);
    if (!correct(w)) return false;
    if (s->ops->accept) s->ops->accept(s->self, w->work, w->y);
    return true;
}

// Singular value and tangent at x. The tangent follows from the last one, or from the velocities of the
// drivers.
tml_status tmli_sweep_analyse_point(tmli_sweep_work *w, double step, tml_error *err)
{
    const tml_system *s = w->sys;
    tml_status st = tmli_sweep_factor(w, w->x, TMLI_SWEEP_EPSILON, err);
    if (st != TML_OK) return st;
    w->sigma = tmli_sweep_smallest_singular_value(w);
    memset(w->rhs, 0, (size_t)(s->n + s->m) * sizeof(double));
    if (w->def->driven) {
        st = s->ops->velocity(s->self, w->work, w->x, w->phi, err);
        for (int r = 0; r < s->m; r++) w->rhs[s->n + r] = -w->row_scale[r] * w->phi[r];
    } else if (w->def->gradient) {
        w->def->gradient(w->def->user, w->x, w->rhs);
        for (int j = 0; j < s->n; j++) w->rhs[j] *= w->def->sign * w->unit[j];
    } else memcpy(w->rhs, w->tangent, (size_t)s->n * sizeof(double));
    solve(w);
    const double size = tmli_sweep_largest(s->n, w->rhs);
    w->allowed = sqrt(tmli_sweep_dot(s->n, w->rhs, w->rhs));
    w->speed = w->def->driven ? size : 1;
    for (int j = 0; j < s->n; j++) {
        const double z = size > 0 ? w->rhs[j] / size : 0;
        w->curvature[j] = step > 0 ? (z - w->tangent[j]) / step : 0;
        w->tangent[j] = z;
    }
    return st;
}

tmli_sweep_point tmli_sweep_report_point(const tmli_sweep_work *w)
{
    return (tmli_sweep_point){.length = w->length,
                              .t = w->x->t,
                              .sigma = w->sigma,
                              .coordinate = w->def->coordinate ? w->def->coordinate(w->def->user, w->x) : 0};
}
