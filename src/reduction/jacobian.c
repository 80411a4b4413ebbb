// Derivatives of the reduced equation v'' = a(t, v, v') at the centre; equation numbers as in reduction.h.
//
// Exact. At the centre d = 0, T = 1, T' d' = 0, d' = u. For a change of v alone, with gamma_u = -2 (B u)_d +
// ... symmetric up to what T'[x] y = -T'[y] x takes away:
//   dd   = H dv                                                     B dd = 0                              (9)
//   dd'  = U dw',   B dd' = gamma_u dd / 2                          from (3)                             (10)
//   du   = dd' + T'[dd] u                                                                                (11)
//   M dudot + B' dlambda = -K dd - D du
//   B dudot              = (gamma_d - (B udot)_d) dd + gamma_u du                                        (12)
//   da   = V+ (dudot - T'[dd] udot - T''[dd, u] u)                                                       (13)
// For a change of v' alone dd = 0, du = dd' = H dv', and da = V+ dudot.
//
// A few degrees of freedom are treated at once (dense.c), many column by column: these are independent of
// each other, and with threads each has its own lane, which repeats the factorizations of the centre.
//
// Differences are central ones of place and accelerate. So is the derivative by time: systems give none.
#include "linalg/pattern/pattern.h"
#include "reduction/internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/** A task for the threads. */
typedef struct job {
    tmli_reduction *r;
    const tml_state *x;
    const double *vd;  // (dof) velocity at the centre
    double *by_v, *by_vd;
    double speed;  // [lengths/s]
    tml_status status[TMLI_REDUCTION_THREADS];
    tml_error err[TMLI_REDUCTION_THREADS];
} job;

bool tmli_reduction_is_exact(const tmli_reduction *r)
{
    const tml_system *s = r->sys;
    const bool known = s->m == 0 || (s->ops->rows_times && s->ops->gamma_derivatives);
    return known && r->opt.jacobian == TML_JACOBIAN_EXACT;
}

// What helper l needs of the centre.
static bool prepare(const tmli_reduction *r, tmli_thread_work *l)
{
    if (l->version != r->choice.version) tmli_index1_leave_out(&l->dynamics, r->lane.dynamics.left_out);
    l->version = r->choice.version;
    return r->sys->m == 0 || tmli_columns_factor(&l->factor, r->scaled);
}

static tml_status run(job *w, void (*task)(void *arg, int worker), tml_error *err)
{
    tmli_pool_run(w->r->pool, task, w);
    for (int i = 0; i < TMLI_REDUCTION_THREADS; i++)
        if (w->status[i] != TML_OK) {
            if (err) *err = w->err[i];
            return w->status[i];
        }
    return TML_OK;
}

// ---- differences ------------------------------------------------------------------------------------------

// a (dof) at v = s e_k (k >= 0) and v' = centre's + s e_l (l >= 0), at the time t.
static tml_status evaluate(const tmli_reduction *r, tmli_thread_work *lane, double t, int k, int l, double s,
                           const double *vd, double *a, tml_error *err)
{
    double *v = lane->column[0], *rate = lane->column[1];
    memset(v, 0, (size_t)r->dof * sizeof *v);
    memcpy(rate, vd, (size_t)r->dof * sizeof *rate);
    if (k >= 0) v[k] += s;
    if (l >= 0) rate[l] += s;
    tmli_reduction_set_centre(r, lane);
    tml_status st = tmli_reduction_solve_dependent_in(r, lane, t, v, rate, lane->x, err);
    if (st == TML_OK) st = tmli_reduction_accelerate_in(r, lane, lane->x, false, a, err);
    return st;
}

// out (dof) = (a(+s) - a(-s))/(2 s)
static tml_status difference(const tmli_reduction *r, tmli_thread_work *lane, int k, int l, double s,
                             const double *vd, double *out, tml_error *err)
{
    const bool time = k < 0 && l < 0;
    const double t = r->centre->t, dt = time ? s : 0;
    double *low = lane->column[2];
    tml_status st = evaluate(r, lane, t - dt, k, l, -s, vd, low, err);
    if (st == TML_OK) st = evaluate(r, lane, t + dt, k, l, s, vd, out, err);
    for (int i = 0; i < r->dof && st == TML_OK; i++) out[i] = (out[i] - low[i]) / (2 * s);
    return st;
}

static void count_evaluations(tmli_reduction *r, int evaluations)
{
    r->count->residuals += evaluations;
    if (!tmli_reduction_uses_topology(r, &r->lane)) r->count->factorizations += evaluations;
    r->centre_factored = false;
}

// How far to go in a coordinate for one length or rad: differences move by the same for all.
static double coordinate_size(const tmli_reduction *r, int k)
{
    if (!r->tangent) return r->unit[r->choice.column[r->choice.rank + k]];
    const double *V = r->V + (size_t)k * (size_t)r->sys->n;
    double most = 0;
    for (int j = 0; j < r->sys->n; j++)
        most = fmax(most, fabs(V[j]) * r->unit[j] / tmli_reduction_coordinate_unit(r, j));
    return 1 / most;
}

// Columns first, first + stride, ... by one lane.
static tml_status difference_columns(const job *w, tmli_thread_work *lane, int first, int stride,
                                     tml_error *err)
{
    const tmli_reduction *r = w->r;
    const double small = cbrt(DBL_EPSILON);
    const size_t dof = (size_t)r->dof;
    tml_state_copy(lane->x, w->x);
    tml_status st = TML_OK;
    for (int k = first; k < r->dof && st == TML_OK; k += stride) {
        const double size = coordinate_size(r, k);
        st = difference(r, lane, k, -1, small * size, w->vd, w->by_v + (size_t)k * dof, err);
        if (st == TML_OK)
            st = difference(r, lane, -1, k, small * size * w->speed, w->vd, w->by_vd + (size_t)k * dof, err);
    }
    return st;
}

static void difference_task(void *arg, int worker)
{
    job *w = arg;
    tmli_reduction *r = w->r;
    for (int i = worker; i < TMLI_REDUCTION_THREADS; i += tmli_pool_threads(r->pool)) {
        w->status[i] = prepare(r, &r->helper[i]) ? TML_OK : TML_RETRY;
        if (w->status[i] == TML_OK)
            w->status[i] = difference_columns(w, &r->helper[i], i, TMLI_REDUCTION_THREADS, &w->err[i]);
    }
}

static tml_status by_differences(job *w, tml_error *err)
{
    tmli_reduction *r = w->r;
    w->speed = 1e-3 / r->opt.duration;  // velocities move by a share of it
    for (int j = 0; j < r->sys->n; j++) {
        w->speed = fmax(w->speed, fabs(r->centre->u[j]) / tmli_reduction_coordinate_unit(r, j));
        w->speed = fmax(w->speed, sqrt(fabs(r->centre->udot[j]) / tmli_reduction_coordinate_unit(r, j)));
    }
    count_evaluations(r, 4 * r->dof);
    return r->helper ? run(w, difference_task, err) : difference_columns(w, &r->lane, 0, 1, err);
}

static tml_status derivative_by_time(tmli_reduction *r, const double *vd, double *by_t, tml_error *err)
{
    if (r->sys->autonomous) {
        memset(by_t, 0, (size_t)r->dof * sizeof *by_t);
        return TML_OK;
    }
    double rate = 1 / r->opt.duration;  // [1/s] of the motion
    for (int j = 0; j < r->sys->n; j++)
        rate = fmax(rate, fabs(r->centre->u[j]) / tmli_reduction_coordinate_unit(r, j));
    const double dt = fmax(cbrt(DBL_EPSILON) / rate, 64 * DBL_EPSILON * fabs(r->centre->t));
    count_evaluations(r, 2);
    return difference(r, &r->lane, -1, -1, dt, vd, by_t, err);
}

// ---- exact ------------------------------------------------------------------------------------------------

// out (n) -= A x, A the first n rows and columns of a matrix of the pattern
static void subtract_product(const tml_system *s, const double *A, const double *x, double *out)
{
    const tml_pattern *p = s->pattern;
    for (int j = 0; j < s->n; j++) {
        if (x[j] == 0) continue;
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1] && p->rowind[k] < s->n; k++)
            out[p->rowind[k]] -= A[k] * x[j];
    }
}

// T'[x] u and T''[x, u] u at the origin, by differences of the fourth order: 1e-12 of the terms.
static void tangent_by_differences(const tml_system *s, const double *x, const double *u, double *first,
                                   double *second, double *y, double *z)
{
    static const double at[4] = {-2e-3, -1e-3, 1e-3, 2e-3},
                        weight[4] = {1e3 / 12, -8e3 / 12, 8e3 / 12, -1e3 / 12};
    memset(first, 0, (size_t)s->n * sizeof *first);
    memset(second, 0, (size_t)s->n * sizeof *second);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < s->n; j++) y[j] = at[i] * x[j];
        s->ops->tangent(s->self, y, u, z);
        for (int j = 0; j < s->n; j++) first[j] += weight[i] * z[j];
        s->ops->tangent_rate(s->self, y, u, z);
        for (int j = 0; j < s->n; j++) second[j] += weight[i] * z[j];
    }
}

void tmli_reduction_tangent_derivatives(const tmli_reduction *r, tmli_thread_work *l, const double *x,
                                        const double *u, double *first, double *second)
{
    const tml_system *s = r->sys;
    if (s->ops->tangent_derivatives) s->ops->tangent_derivatives(s->self, x, u, first, second);
    else tangent_by_differences(s, x, u, first, second, l->y, l->z);
}

tml_status tmli_reduction_assemble_parts(tmli_reduction *r, const tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    const tml_assembly stiff = {.ck = 1}, damping = {.cd = 1}, mass = {.cm = 1};
    void *w = r->lane.work;
    if (s->ops->assemble_parts) return s->ops->assemble_parts(s->self, w, x, r->M, r->D, r->K, err);
    tml_status st = s->ops->assemble(s->self, w, x, &stiff, r->K, err);
    if (st == TML_OK) st = s->ops->assemble(s->self, w, x, &damping, r->D, err);
    if (st == TML_OK) st = s->ops->assemble(s->self, w, x, &mass, r->M, err);
    return st;
}

static tml_status element_derivatives(tmli_reduction *r, const tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    void *w = r->lane.work;
    tml_status st = tmli_reduction_assemble_parts(r, x, err);
    if (st == TML_OK && s->m > 0) st = s->ops->gamma_derivatives(s->self, w, x, r->gamma_d, r->gamma_u, err);
    if (st == TML_OK && s->m > 0) st = s->ops->rows_times(s->self, w, x, x->udot, r->turning, err);
    for (int k = 0; k < s->rowptr[s->m] && st == TML_OK; k++) r->gamma_d[k] -= r->turning[k];  // of (12)
    return st;
}

// Column k of both derivatives.
static void exact_column(const tmli_reduction *r, tmli_thread_work *l, const tml_state *x, int k,
                         double *by_v, double *by_vd)
{
    const tml_system *s = r->sys;
    const int n = s->n;
    double *dd = l->column[0], *du = l->column[1], *force = l->column[2], *first = l->column[3],
           *second = l->column[4], *e = l->column[5];
    memset(e, 0, (size_t)r->dof * sizeof *e);
    e[k] = 1;
    tmli_reduction_lift_in(r, l, e, dd);  // (9)
    // by v'
    memset(force, 0, (size_t)n * sizeof *force);
    subtract_product(s, r->D, dd, force);
    tmli_reduction_rows_times(s, r->gamma_u, dd, l->residual);
    tmli_index1_solve(&l->dynamics, force, l->residual, force, NULL);
    tmli_reduction_extract(r, force, by_vd);
    // by v; the residual still holds gamma_u dd
    memset(du, 0, (size_t)n * sizeof *du);
    if (s->m > 0) {
        for (int i = 0; i < s->m; i++) l->residual[i] /= 2;
        tmli_reduction_constrain(r, l, false, l->residual, du);  // (10)
    }
    if (s->ops->tangent_rate) {
        tmli_reduction_tangent_derivatives(r, l, dd, x->u, first, second);
        for (int j = 0; j < n; j++) du[j] += first[j];  // (11)
    }
    memset(force, 0, (size_t)n * sizeof *force);
    subtract_product(s, r->K, dd, force);
    subtract_product(s, r->D, du, force);
    tmli_reduction_rows_times(s, r->gamma_d, dd, l->residual);
    for (int i = 0; i < s->m; i++)
        for (int p = s->rowptr[i]; p < s->rowptr[i + 1]; p++)
            l->residual[i] += r->gamma_u[p] * du[s->rowcol[p]];
    tmli_index1_solve(&l->dynamics, force, l->residual, force, NULL);  // (12)
    if (s->ops->tangent_rate) {
        for (int j = 0; j < n; j++) force[j] -= second[j];
        tmli_reduction_tangent_derivatives(r, l, dd, x->udot, first, second);
        for (int j = 0; j < n; j++) force[j] -= first[j];
    }
    tmli_reduction_extract(r, force, by_v);  // (13)
}

static void exact_columns(const job *w, tmli_thread_work *l, int first, int stride)
{
    const size_t dof = (size_t)w->r->dof;
    for (int k = first; k < w->r->dof; k += stride)
        exact_column(w->r, l, w->x, k, w->by_v + (size_t)k * dof, w->by_vd + (size_t)k * dof);
}

static void exact_task(void *arg, int worker)
{
    job *w = arg;
    tmli_reduction *r = w->r;
    tmli_thread_work *l = &r->helper[worker];
    w->status[worker] = TML_RETRY;
    if (prepare(r, l)) w->status[worker] = tmli_index1_factor(&l->dynamics, w->x, 0, 0, &w->err[worker]);
    if (w->status[worker] == TML_OK) exact_columns(w, l, worker, tmli_pool_threads(r->pool));
}

static tml_status exact(job *w, tml_error *err)
{
    tmli_reduction *r = w->r;
    tml_status st = element_derivatives(r, w->x, err);
    if (st != TML_OK) return st;
    if (r->few) return tmli_reduction_dense_jacobian(r, w->x, w->by_v, w->by_vd, err);
    r->count->factorizations++;
    return run(w, exact_task, err);
}

tml_status tmli_reduction_jacobian(tmli_reduction *r, const tml_state *x, double *by_v, double *by_vd,
                                   double *by_t, tml_error *err)
{
    double *vd = r->lane.s;
    tmli_reduction_extract(r, x->u, vd);
    tml_state_copy(r->lane.x, x);
    job w = {.r = r, .x = x, .vd = vd, .by_v = by_v, .by_vd = by_vd};
    tml_status st = tmli_reduction_is_exact(r) ? exact(&w, err) : by_differences(&w, err);
    if (st == TML_OK && by_t) st = derivative_by_time(r, vd, by_t, err);
    tmli_reduction_set_centre(r, &r->lane);
    r->placed_centre = true;
    return st;
}
