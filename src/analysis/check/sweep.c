// A sweep. At every configuration one matrix is factored, in units of the model, with normalized rows and
// without dependent rows:
//   [ 1   C'   ] [ d ]   [ a ]
//   [ C  -eps  ] [ y ] = [ b ]                                                    (1)
// It gives: the part of a direction a that the constraints allow (b = 0: d = (1 - C+ C) a), the least
// velocity of a driven mechanism (a = 0, b = nu), the least correction onto the constraints (a = 0, b =
// -Phi), and with a = 0 the inverse iteration for the smallest singular values of C, because then y = -inv(C
// C' + eps) b.
//
// Steps are at most MAX_STEP long. They follow the tangent with the curvature of the last step, so that the
// residual to correct is of third order: near a singular configuration a correction is larger by 1/sigma. eps
// damps it there (sigma < 1e-3), and the path continues straight, on the smooth branch. A minimum of sigma
// between two steps is located by golden section. Whether rows are dependent there is decided by the rank,
// since another choice of dependent rows may suit better there.
#include "analysis/check/sweep.h"
#include "linalg/dense/lapack.h"
#include "linalg/pattern/pattern.h"

#include <math.h>
#include <string.h>

#include "analysis/check/constants.h"

enum { VECTORS = 4 };  // of the inverse iteration

typedef struct sweep {
    const tml_system *sys;
    const tmli_sweep_def *def;
    const tml_linsolver_ops *solver;
    void *work, *lin;
    double *values, *rhs, *phi, *rows;
    double *row_scale;      // (m) 1/norm of the rows of C; 0 for dependent rows
    double *unit;           // (n)
    double *V, *Y;          // (m x VECTORS) inverse iteration
    double *tangent;        // (n) direction at x, in units of the model; its largest entry is 1
    double *curvature;      // (n) change of the tangent over the last step, per length
    double *start_tangent;  // (n) tangent at the start
    double *scratch;        // (n)
    int32_t *diagonal;
    bool *dependent;  // (m)
    bool *earlier;    // (m) scratch
    int vectors;
    tml_state *x, *y;  // present and trial configuration
    double length, sigma, speed;
    double allowed;  // size of the allowed part of a direction of size 1
    double first;    // the same at the start
    int iterations;  // number of the next inverse iterations
} sweep;

static void clear(sweep *w)
{
    const tml_env *env = &w->sys->env;
    if (w->lin) w->solver->destroy(w->lin);
    if (w->work) w->sys->ops->destroy_work(w->work);
    tml_state_destroy(w->x, w->sys);
    tml_state_destroy(w->y, w->sys);
    tmli_free(env, w->values);
    tmli_free(env, w->diagonal);
    tmli_free(env, w->dependent);
}

static tml_status prepare(sweep *w, const tmli_dependence *rows, const tml_state *x, tml_error *err)
{
    const tml_system *s = w->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m, nnz = (size_t)tmli_pattern_nnz(s->pattern),
                 entries = (size_t)s->rowptr[m];
    w->values =
        tmli_calloc(&s->env, nnz + (n + m) + 2 * m + entries + 5 * n + 2 * VECTORS * m + 1, sizeof(double));
    w->diagonal = tmli_calloc(&s->env, n + m, sizeof *w->diagonal);
    w->dependent = tmli_calloc(&s->env, 2 * m + 1, sizeof *w->dependent);
    w->work = s->ops->create_work(s->self, &s->env);
    if (!w->values || !w->diagonal || !w->dependent || !w->work) return tmli_no_memory(err, "check");
    w->earlier = w->dependent + m;
    w->rhs = w->values + nnz;
    w->phi = w->rhs + n + m;
    w->row_scale = w->phi + m;
    w->rows = w->row_scale + m;
    w->unit = w->rows + entries;
    w->tangent = w->unit + n;
    w->curvature = w->tangent + n;
    w->start_tangent = w->curvature + n;
    w->scratch = w->start_tangent + n;
    w->V = w->scratch + n;
    w->Y = w->V + VECTORS * m;
    for (int i = 0; i < s->n + s->m; i++) w->diagonal[i] = tmli_pattern_find(s->pattern, i, i);
    for (int j = 0; j < s->n; j++) w->unit[j] = s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1;
    for (int k = 0; k < rows->count; k++) w->dependent[rows->row[k]] = true;
    w->vectors = rows->rank < VECTORS ? rows->rank : VECTORS;
    for (int k = 0; k < w->vectors; k++)
        for (size_t r = 0; r < m; r++)
            w->V[(size_t)k * m + r] = sin(1.3 + 2.39996 * (double)(k + 1) * (double)(r + 1));
    tml_status st = tml_state_create(s, &w->x, err);
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
static tml_status factor(sweep *w, const tml_state *x, double eps, tml_error *err)
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
    if (st != TML_ERR_SINGULAR || w->solver == &tml_linsolver_klu) return st;
    w->solver->destroy(w->lin);  // the fixed order fails: use pivoting, at the cost of fill-in
    w->lin = NULL;
    w->solver = &tml_linsolver_klu;
    st = w->solver->create(s->pattern, &s->env, &w->lin, err);
    return st == TML_OK ? w->solver->factor(w->lin, w->values, err) : st;
}

// rhs: a and b in units of the model on entry, d and y on return
static void solve(sweep *w)
{
    for (int j = 0; j < w->sys->n; j++) w->rhs[j] /= w->unit[j];
    w->solver->solve(w->lin, w->rhs);
    for (int j = 0; j < w->sys->n; j++) w->rhs[j] /= w->unit[j];
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double largest_of(int n, const double *a)
{
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
    return largest;
}

// Make V orthonormal, with zeros in dependent rows.
static void orthonormalize(sweep *w)
{
    const int m = w->sys->m;
    for (int k = 0; k < w->vectors; k++) {
        double *v = w->V + (size_t)k * (size_t)m;
        for (int r = 0; r < m; r++)
            if (w->row_scale[r] == 0) v[r] = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < k; i++) {
                const double *u = w->V + (size_t)i * (size_t)m, f = dot(m, u, v);
                for (int r = 0; r < m; r++) v[r] -= f * u[r];
            }
        const double size = sqrt(dot(m, v, v));
        for (int r = 0; r < m; r++) v[r] = size > 1e-300 ? v[r] / size : 0;
    }
}

// The smallest singular value of C from the present factors: inverse iteration with VECTORS vectors, then
// Ritz values.
static double smallest_singular_value(sweep *w)
{
    const int n = w->sys->n, m = w->sys->m, p = w->vectors, lwork = 8 * VECTORS;
    double T[VECTORS * VECTORS], theta[VECTORS], work[8 * VECTORS];
    int info = 0;
    if (p == 0) return 1;
    for (int it = 0; it < w->iterations; it++) {
        orthonormalize(w);
        for (int k = 0; k < p; k++) {
            memset(w->rhs, 0, (size_t)n * sizeof(double));
            for (int r = 0; r < m; r++) w->rhs[n + r] = -w->V[(size_t)k * (size_t)m + (size_t)r];
            w->solver->solve(w->lin, w->rhs);
            memcpy(w->Y + (size_t)k * (size_t)m, w->rhs + n, (size_t)m * sizeof(double));
        }
        for (int i = 0; i < p; i++)
            for (int k = 0; k < p; k++)
                T[i * p + k] = dot(m, w->V + (size_t)i * (size_t)m, w->Y + (size_t)k * (size_t)m);
        memcpy(w->V, w->Y, (size_t)p * (size_t)m * sizeof(double));
    }
    w->iterations = INVERSE_ITERATIONS;
    for (int i = 0; i < p; i++)  // remove the asymmetry of round-off
        for (int k = 0; k < i; k++) T[i * p + k] = T[k * p + i] = (T[i * p + k] + T[k * p + i]) / 2;
    dsyev_("N", "U", &p, T, &p, theta, work, &lwork, &info, 1, 1);
    const double most = theta[p - 1];
    return info == 0 && most > 0 ? sqrt(fmax(1 / most - SIGMA_REGULARIZATION, 0)) : 0;
}

// ---- configurations ---------------------------------------------------------------------------------------

static tml_status calc_residual(sweep *w, const tml_state *x, double *size, tml_error *err)
{
    const tml_system *s = w->sys;
    const tml_status st = s->ops->residual(s->self, w->work, x, NULL, w->scratch, w->phi, err);
    *size = 0;
    for (int r = 0; r < s->m && st == TML_OK; r++) *size = fmax(*size, w->row_scale[r] * fabs(w->phi[r]));
    return st;
}

// Correct y onto the constraints. False: the corrections do not converge.
static bool correct(sweep *w)
{
    const tml_system *s = w->sys;
    double size = 0, before = INFINITY;
    if (factor(w, w->y, CORRECTION_REGULARIZATION, NULL) != TML_OK) return false;
    for (int i = 0; i < STEP_CORRECTIONS; i++) {
        if (calc_residual(w, w->y, &size, NULL) != TML_OK || !isfinite(size)) return false;
        if (size < STEP_RESIDUAL ||
            (i > SURE_CORRECTIONS && size < MAX_STEP_RESIDUAL && size > SLOW_CORRECTION * before))
            return true;
        before = size;
        memset(w->rhs, 0, (size_t)s->n * sizeof(double));
        for (int r = 0; r < s->m; r++) w->rhs[s->n + r] = -w->row_scale[r] * w->phi[r];
        solve(w);
        if (largest_of(s->n, w->rhs) > MAX_STEP) return false;
        for (int j = 0; j < s->n; j++) w->rhs[j] *= w->unit[j];
        s->ops->retract(s->self, w->y->q, w->rhs, w->y->q);
    }
    return size < MAX_STEP_RESIDUAL;
}

// y = x moved along the path by h, or (driven) to time x->t + h.
static bool move(sweep *w, double h)
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
static tml_status analyse_point(sweep *w, double step, tml_error *err)
{
    const tml_system *s = w->sys;
    tml_status st = factor(w, w->x, SIGMA_REGULARIZATION, err);
    if (st != TML_OK) return st;
    w->sigma = smallest_singular_value(w);
    memset(w->rhs, 0, (size_t)(s->n + s->m) * sizeof(double));
    if (w->def->driven) {
        st = s->ops->velocity(s->self, w->work, w->x, w->phi, err);
        for (int r = 0; r < s->m; r++) w->rhs[s->n + r] = -w->row_scale[r] * w->phi[r];
    } else if (w->def->gradient) {
        w->def->gradient(w->def->user, w->x, w->rhs);
        for (int j = 0; j < s->n; j++) w->rhs[j] *= w->def->sign * w->unit[j];
    } else memcpy(w->rhs, w->tangent, (size_t)s->n * sizeof(double));
    solve(w);
    const double size = largest_of(s->n, w->rhs);
    w->allowed = sqrt(dot(s->n, w->rhs, w->rhs));
    w->speed = w->def->driven ? size : 1;
    for (int j = 0; j < s->n; j++) {
        const double z = size > 0 ? w->rhs[j] / size : 0;
        w->curvature[j] = step > 0 ? (z - w->tangent[j]) / step : 0;
        w->tangent[j] = z;
    }
    return st;
}

static tmli_sweep_point report_point(const sweep *w)
{
    return (tmli_sweep_point){.length = w->length,
                              .t = w->x->t,
                              .sigma = w->sigma,
                              .coordinate = w->def->coordinate ? w->def->coordinate(w->def->user, w->x) : 0};
}

// ---- the path ---------------------------------------------------------------------------------------------

// Sigma at the distance h from x along the path; infinite if the step fails.
static double sigma_at(sweep *w, double h)
{
    return move(w, h) && factor(w, w->y, SIGMA_REGULARIZATION, NULL) == TML_OK ? smallest_singular_value(w)
                                                                               : INFINITY;
}

// Minimum of sigma within the distance h along the path; returns its distance.
static double search_minimum(sweep *w, double h, double *least)
{
    const double golden = 0.61803398874989485;
    double a = 0, b = h, c = h * (1 - golden), d = h * golden;
    double fc = sigma_at(w, c), fd = sigma_at(w, d);
    for (int i = 0; i < GOLDEN_SECTIONS; i++) {
        if (fc < fd) {
            b = d, d = c, fd = fc;
            c = b - golden * (b - a);
            fc = sigma_at(w, c);
        } else {
            a = c, c = d, fc = fd;
            d = a + golden * (b - a);
            fd = sigma_at(w, d);
        }
    }
    *least = fmin(fc, fd);
    return fc < fd ? c : d;
}

typedef struct step_record {  // a configuration from which the path can be continued
    tml_state *x;
    double *tangent, *curvature;
    double length, sigma, speed;
} step_record;

static void save_point(const sweep *w, step_record *k)
{
    const size_t n = (size_t)w->sys->n;
    tml_state_copy(k->x, w->x);
    memcpy(k->tangent, w->tangent, n * sizeof(double));
    memcpy(k->curvature, w->curvature, n * sizeof(double));
    k->length = w->length;
    k->sigma = w->sigma;
    k->speed = w->speed;
}

static void restore_point(sweep *w, const step_record *k)
{
    const size_t n = (size_t)w->sys->n;
    tml_state_copy(w->x, k->x);
    memcpy(w->tangent, k->tangent, n * sizeof(double));
    memcpy(w->curvature, k->curvature, n * sizeof(double));
    w->length = k->length;
    w->sigma = k->sigma;
    w->speed = k->speed;
}

// *singular: the rank at y, where sigma is nearly zero, is lower than at the start. If it is not, only the
// choice of dependent rows was unsuitable, and w->dependent gets a new one.
static tml_status check_rank(sweep *w, const tmli_dependence *rows, tmli_sweep_result *out, bool *singular,
                             tml_error *err)
{
    const tml_system *s = w->sys;
    bool any = false;
    tml_status st = tmli_dependent_rows(s, w->work, w->y, w->dependent, &any, err);
    if (st != TML_OK) return st;
    int rank = 0;
    for (int r = 0; r < s->m; r++) rank += !w->dependent[r];
    *singular = rank < rows->rank;
    if (*singular) out->rank = rank;
    return TML_OK;
}

// True if the drivers push along the direction n that is lost at y, where sigma vanishes: n'nu != 0.
static bool drivers_lock(sweep *w, bool *dependent_before)
{
    const tml_system *s = w->sys;
    double along = 0, size = 0, nu = 0;
    bool *const now = w->dependent;
    w->dependent = dependent_before;  // n is a combination of the rows that were independent up to here
    w->iterations = FIRST_INVERSE_ITERATIONS;
    const bool known = factor(w, w->y, SIGMA_REGULARIZATION, NULL) == TML_OK &&
                       smallest_singular_value(w) < NEARLY_SINGULAR &&
                       s->ops->velocity(s->self, w->work, w->y, w->phi, NULL) == TML_OK;
    for (int r = 0; r < s->m && known; r++) {
        const double b = w->row_scale[r] * w->phi[r];
        along += w->V[r] * b;
        size += w->V[r] * w->V[r];
        nu += b * b;
    }
    w->dependent = now;
    return known && fabs(along) > LOCKING_VELOCITY * sqrt(size * nu);
}

// Locate the minimum of sigma within the distance h from `before`; x does not change. Sets out->least and, if
// the configuration is singular, out->singular.
static tml_status locate_minimum(sweep *w, const tmli_dependence *rows, const step_record *before, double h,
                                 step_record *here, tmli_sweep_result *out, tml_error *err)
{
    double least = 0;
    tml_status st = TML_OK;
    save_point(w, here);
    restore_point(w, before);
    const double at = search_minimum(w, h, &least);
    if (least < out->least.sigma && move(w, at)) {
        const double length = w->length + (w->def->driven ? at * w->speed : at);
        bool singular = false;
        memcpy(w->earlier, w->dependent, (size_t)w->sys->m * sizeof *w->dependent);
        if (least < NEARLY_SINGULAR) st = check_rank(w, rows, out, &singular, err);
        if (st == TML_OK && singular && w->def->driven && drivers_lock(w, w->earlier))
            out->end = TMLI_SWEEP_STUCK;
        if (st == TML_OK && (least >= NEARLY_SINGULAR || singular)) {
            tml_state_copy(w->x, w->y);
            w->length = length;
            w->sigma = singular ? 0 : least;
            out->least = report_point(w);
            out->singular = singular;
        }
    }
    restore_point(w, here);
    return st;
}

// Step of at most h, and of at most MAX_STEP along the path.
static double next_step(const sweep *w, double h)
{
    if (!w->def->driven) return fmin(MAX_STEP, h);
    h = fmin(h, w->def->end - w->x->t);
    return w->speed * h > MAX_STEP ? MAX_STEP / w->speed : h;
}

static bool is_closed(sweep *w, const double *start)
{
    const tml_system *s = w->sys;
    if (w->length < CLOSED_MIN_STEPS * MAX_STEP) return false;
    s->ops->local(s->self, start, w->x->q, w->scratch);
    for (int j = 0; j < s->n; j++) w->scratch[j] /= w->unit[j];
    const double along = dot(s->n, w->tangent, w->start_tangent),
                 size =
                     sqrt(dot(s->n, w->tangent, w->tangent) * dot(s->n, w->start_tangent, w->start_tangent));
    return largest_of(s->n, w->scratch) < CLOSED_DISTANCE * MAX_STEP && along > CLOSED_DIRECTION * size;
}

// The path ends. The end is singular if sigma is small there.
static void end_path(const sweep *w, tmli_sweep_result *out)
{
    out->end = TMLI_SWEEP_STUCK;
    if (w->sigma < SINGULAR_END * out->start.sigma) {
        out->least = report_point(w);
        out->singular = true;
        out->rank--;
    }
}

typedef struct extremes {  // of the coordinate, from its last three values y at path lengths s
    double s[3], y[3];
    int count;
} extremes;

// Add the next point. Between three points that rise and fall the extreme is the vertex of a parabola.
static void update_extremes(extremes *e, const tmli_sweep_point *p, tmli_sweep_result *out)
{
    e->s[0] = e->s[1], e->s[1] = e->s[2], e->s[2] = p->length;
    e->y[0] = e->y[1], e->y[1] = e->y[2], e->y[2] = p->coordinate;
    out->lowest = fmin(out->lowest, p->coordinate);
    out->highest = fmax(out->highest, p->coordinate);
    if (++e->count < 3 || (e->y[1] - e->y[0]) * (e->y[2] - e->y[1]) >= 0) return;
    const double a = (e->y[1] - e->y[0]) / (e->s[1] - e->s[0]), b = (e->y[2] - e->y[1]) / (e->s[2] - e->s[1]);
    const double curvature = (b - a) / (e->s[2] - e->s[0]),
                 slope = a + curvature * (e->s[1] - e->s[0]);  // at s[1]
    const double vertex = e->y[1] - slope * slope / (4 * curvature);
    out->lowest = fmin(out->lowest, vertex);
    out->highest = fmax(out->highest, vertex);
}

static tml_status follow_path(sweep *w, const tmli_dependence *rows, step_record *room, const double *start,
                              tmli_sweep_result *out, tml_error *err)
{
    const tmli_sweep_def *def = w->def;
    const double span = def->driven ? def->end - w->x->t : 1,
                 whole = def->driven ? span / MIN_DRIVEN_STEPS : MAX_STEP;
    step_record *before = &room[0], *last = &room[1];  // the two configurations before x
    double h = whole, h_last = 0;
    extremes seen = {0};
    tml_status st = TML_OK;
    save_point(w, last);
    out->lowest = out->highest = out->start.coordinate;
    update_extremes(&seen, &out->start, out);
    for (out->steps = 0; out->steps < def->steps && st == TML_OK && !out->singular; out->steps++) {
        if (def->driven ? w->x->t >= def->end - TIME_ROUNDOFF * span : w->length >= def->range) break;
        h = next_step(w, h);
        if (!move(w, h)) {
            h /= 2;
            if (def->driven ? h > MIN_DRIVEN_STEP * span : h > MIN_STEP) continue;
            end_path(w, out);
            break;
        }
        step_record *const free = before;
        const double length = def->driven ? h * w->speed : h;
        before = last;
        last = free;
        save_point(w, last);
        tml_state_copy(w->x, w->y);
        w->length += length;
        st = analyse_point(w, length, err);
        if (st != TML_OK) break;
        if (out->steps > 0 && before->sigma > last->sigma && w->sigma >= last->sigma &&
            fmax(before->sigma, w->sigma) > SIGMA_DIP * last->sigma)
            st = locate_minimum(w, rows, before, h_last + h, &room[2], out, err);
        // if sigma vanishes here, the next step locates the minimum between its neighbours
        if (w->sigma < out->least.sigma && w->sigma >= NEARLY_SINGULAR && !out->singular)
            out->least = report_point(w);
        const tmli_sweep_point here = report_point(w);
        update_extremes(&seen, &here, out);
        h_last = h;
        h = fmin(2 * h, whole);
        if (def->gradient && w->allowed < EXTREME_GRADIENT * w->first) {
            out->end = TMLI_SWEEP_EXTREME;
            break;
        }
        if (!out->singular && is_closed(w, start)) {
            out->end = TMLI_SWEEP_CLOSED;
            break;
        }
    }
    out->last = report_point(w);
    return st;
}

tml_status tmli_sweep(const tml_system *sys, const tmli_dependence *rows, const tml_state *x,
                      const tmli_sweep_def *def, tmli_sweep_result *out, bool *moved, tml_error *err)
{
    sweep w = {
        .sys = sys, .def = def, .solver = &tml_linsolver_block, .iterations = FIRST_INVERSE_ITERATIONS};
    step_record room[3] = {{0}};
    const size_t n = (size_t)sys->n;
    *out = (tmli_sweep_result){.rank = rows->rank};
    *moved = false;
    double *memory = tmli_calloc(&sys->env, 6 * n + (size_t)sys->nq + 1, sizeof *memory);
    tml_status st = memory ? prepare(&w, rows, x, err) : tmli_no_memory(err, "check");
    for (size_t i = 0; i < 3 && st == TML_OK; i++) {
        st = tml_state_create(sys, &room[i].x, err);
        room[i].tangent = memory + 2 * i * n;
        room[i].curvature = room[i].tangent + n;
    }
    if (st == TML_OK) {
        double *start = memory + 6 * n, size = 0;
        memcpy(start, w.x->q, (size_t)sys->nq * sizeof(double));
        for (int j = 0; j < sys->n && !def->driven; j++) w.tangent[j] = def->direction[j] / w.unit[j];
        size = sqrt(dot(sys->n, w.tangent, w.tangent));
        for (int j = 0; j < sys->n && size > 0; j++) w.tangent[j] /= size;
        st = analyse_point(&w, 0, err);
        w.first = w.allowed;
        *moved = def->driven || w.allowed > ZERO_DIRECTION;
        memcpy(w.start_tangent, w.tangent, n * sizeof(double));
        if (st == TML_OK && *moved) {
            out->start = out->least = report_point(&w);
            st = follow_path(&w, rows, room, start, out, err);
        }
    }
    for (int i = 0; i < 3; i++) tml_state_destroy(room[i].x, sys);
    tmli_free(&sys->env, memory);
    clear(&w);
    return st;
}

tml_status tmli_sweep_allowed(const tml_system *sys, const tmli_dependence *rows, const tml_state *x,
                              const double *v, double *out, tml_error *err)
{
    const tmli_sweep_def def = {.direction = v};
    sweep w = {.sys = sys, .def = &def, .solver = &tml_linsolver_block, .iterations = 1};
    tml_status st = prepare(&w, rows, x, err);
    for (int j = 0; j < sys->n && st == TML_OK; j++) w.tangent[j] = v[j] / w.unit[j];
    if (st == TML_OK) st = analyse_point(&w, 0, err);
    for (int j = 0; j < sys->n && st == TML_OK; j++) out[j] = w.rhs[j] * w.unit[j];
    clear(&w);
    return st;
}
