// Derivatives of the reduced equation v'' = a(t, v, v') at the centre; equation numbers as in reduction.h.
//
// Exact. At the centre d = 0, T = 1, T' d' = 0, d' = u. For a change of v alone, with gamma_u = -2 (B u)_d +
// ... symmetric up to terms that T'[x] y = -T'[y] x cancels:
//   dd   = H dv                                                     B dd = 0                              (9)
//   dd'  = U dw',   B dd' = gamma_u dd / 2                          from (3)                             (10)
//   du   = dd' + T'[dd] u                                                                                (11)
//   M dudot + B' dlambda = -K dd - D du
//   B dudot              = (gamma_d - (B udot)_d) dd + gamma_u du                                        (12)
//   da   = V+ (dudot - T'[dd] udot - T''[dd, u] u)                                                       (13)
// For a change of v' alone dd = 0, du = dd' = H dv', and da = V+ dudot.
//
// Few degrees of freedom are treated at once (dense_jacobian.c), many of them column by column. Columns are
// independent of each other. Each thread has its own workspace and repeats the factorizations at the centre.
//
// Derivatives by differences are central differences of (2)-(5). Systems provide no derivative by time: it is
// a central difference as well.
#include "reduction/internal.h"
#include "system/active_rows/active_rows.h"
#include "system/state/first_order.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "reduction/constants.h"

/** Input and output of the tasks of all threads. */
typedef struct derivative_job {
    tmli_reduction *r;
    const tml_state *x;
    const double *vd;  // (dof) velocity at the centre
    double *by_v, *by_vd;
    double speed;  // [model lengths or rad per s]
    tml_status status[TMLI_REDUCTION_THREADS];
    tml_error err[TMLI_REDUCTION_THREADS];
} derivative_job;

bool tmli_reduction_is_exact(const tmli_reduction *r)
{
    const tml_system *s = r->sys;
    const bool known = s->m == 0 || (s->ops->rows_times && s->ops->gamma_derivatives);
    return known && r->opt.run.jacobian != TML_JACOBIAN_DIFFERENCES;
}

// Prepare the workspace of a helper thread for the centre.
static bool prepare_helper(const tmli_reduction *r, tmli_thread_work *tw)
{
    if (tw->choice_version != r->choice.version)
        tmli_index1_leave_out(&tw->dynamics, r->main_work.dynamics.left_out);
    tw->choice_version = r->choice.version;
    return r->sys->m == 0 || tmli_columns_factor(&tw->centre_factor, r->B_scaled);
}

static tml_status run_tasks(derivative_job *job, void (*task)(void *arg, int worker), tml_error *err)
{
    tmli_pool_run(job->r->pool, task, job);
    for (int i = 0; i < TMLI_REDUCTION_THREADS; i++)
        if (job->status[i] != TML_OK) {
            if (err) *err = job->err[i];
            return job->status[i];
        }
    return TML_OK;
}

// ---- differences ------------------------------------------------------------------------------------------

// a (dof) at v = s e_k (k >= 0) and v' = centre's + s e_l (l >= 0), at the time t.
static tml_status evaluate(const tmli_reduction *r, tmli_thread_work *tw, double t, int k, int l, double s,
                           const double *vd, double *a, tml_error *err)
{
    double *v = tw->column[0], *v_rate = tw->column[1];
    memset(v, 0, (size_t)r->dof * sizeof *v);
    memcpy(v_rate, vd, (size_t)r->dof * sizeof *v_rate);
    if (k >= 0) v[k] += s;
    if (l >= 0) v_rate[l] += s;
    tmli_reduction_set_centre(r, tw);
    tml_status st = tmli_reduction_solve_dependent_in(r, tw, t, v, v_rate, tw->x, err);
    if (st == TML_OK) st = tmli_reduction_accelerate_in(r, tw, tw->x, false, a, err);
    return st;
}

// out (dof) = (a(+s) - a(-s))/(2 s)
static tml_status difference(const tmli_reduction *r, tmli_thread_work *tw, int k, int l, double s,
                             const double *vd, double *out, tml_error *err)
{
    const bool time = k < 0 && l < 0;
    const double t = r->centre->t, dt = time ? s : 0;
    double *low = tw->column[2];
    tml_status st = evaluate(r, tw, t - dt, k, l, -s, vd, low, err);
    if (st == TML_OK) st = evaluate(r, tw, t + dt, k, l, s, vd, out, err);
    for (int i = 0; i < r->dof && st == TML_OK; i++) out[i] = (out[i] - low[i]) / (2 * s);
    return st;
}

static void count_evaluations(tmli_reduction *r, int evaluations)
{
    r->count->residuals += evaluations;
    if (!tmli_reduction_uses_topology(r, &r->main_work)) r->count->factorizations += evaluations;
    r->centre_factored = false;
}

// Change of coordinate k that moves the system by one model length or rad: all differences move it by the
// same amount.
static double coordinate_size(const tmli_reduction *r, int k)
{
    if (!r->tangent) return r->unit[r->choice.column[r->choice.rank + k]];
    const double *V = r->V + (size_t)k * (size_t)r->sys->n;
    double most = 0;
    for (int j = 0; j < r->sys->n; j++)
        most = fmax(most, fabs(V[j]) * r->unit[j] / tmli_reduction_coordinate_unit(r, j));
    return 1 / most;
}

// The first-order state that reduced coordinate k is; -1: none. A tangent basis has the states as columns,
// since no row of B contains them.
static int state_of(const tmli_reduction *r, int k)
{
    const int n = tmli_mechanical(r->sys);
    if (!r->tangent) return r->choice.column[r->choice.rank + k] - n;
    const double *V = r->V + (size_t)k * (size_t)r->sys->n;
    for (int j = n; j < r->sys->n; j++)
        if (fabs(V[j]) > 0.5) return j - n;
    return -1;
}

// Size of the reduced coordinate of a state, whose velocity is vd; tangent coordinates are in units.
static double state_size(const tmli_reduction *r, int state, double vd)
{
    return fmax(fabs(vd), r->tangent ? 1 : r->unit[tmli_mechanical(r->sys) + state]);
}

// Columns first, first + stride, ... with one workspace.
static tml_status difference_columns(const derivative_job *job, tmli_thread_work *tw, int first, int stride,
                                     tml_error *err)
{
    const tmli_reduction *r = job->r;
    const double step = cbrt(DBL_EPSILON);  // error of central differences is least
    const size_t dof = (size_t)r->dof;
    tml_state_copy(tw->x, job->x);
    tml_status st = TML_OK;
    for (int k = first; k < r->dof && st == TML_OK; k += stride) {
        const int state = state_of(r, k);
        const double size = coordinate_size(r, k);
        const double change = step * (state < 0 ? size * job->speed : state_size(r, state, job->vd[k]));
        memset(job->by_v + (size_t)k * dof, 0, dof * sizeof(double));  // nothing depends on the integral of z
        if (state < 0) st = difference(r, tw, k, -1, step * size, job->vd, job->by_v + (size_t)k * dof, err);
        if (st == TML_OK) st = difference(r, tw, -1, k, change, job->vd, job->by_vd + (size_t)k * dof, err);
    }
    return st;
}

static void difference_task(void *arg, int worker)
{
    derivative_job *job = arg;
    tmli_reduction *r = job->r;
    for (int i = worker; i < TMLI_REDUCTION_THREADS; i += tmli_pool_threads(r->pool)) {
        job->status[i] = prepare_helper(r, &r->helper_work[i]) ? TML_OK : TML_RETRY;
        if (job->status[i] == TML_OK)
            job->status[i] =
                difference_columns(job, &r->helper_work[i], i, TMLI_REDUCTION_THREADS, &job->err[i]);
    }
}

static tml_status by_differences(derivative_job *job, tml_error *err)
{
    tmli_reduction *r = job->r;
    job->speed = REST_SPEED / r->opt.duration;  // scale of velocity differences
    for (int j = 0; j < tmli_mechanical(r->sys); j++) {
        job->speed = fmax(job->speed, fabs(r->centre->u[j]) / tmli_reduction_coordinate_unit(r, j));
        job->speed = fmax(job->speed, sqrt(fabs(r->centre->udot[j]) / tmli_reduction_coordinate_unit(r, j)));
    }
    count_evaluations(r, 4 * r->dof);
    return r->helper_work ? run_tasks(job, difference_task, err)
                          : difference_columns(job, &r->main_work, 0, 1, err);
}

static tml_status derivative_by_time(tmli_reduction *r, const double *vd, double *by_t, tml_error *err)
{
    // a force in place of inactive rows depends on time
    if (r->sys->autonomous && !(r->sys->selects_rows && r->centre->inactive->has_force)) {
        memset(by_t, 0, (size_t)r->dof * sizeof *by_t);
        return TML_OK;
    }
    double rate = 1 / r->opt.duration;  // [1/s] of the motion
    const tml_system *s = r->sys;
    for (int j = 0; j < tmli_mechanical(s); j++)
        rate = fmax(rate, fabs(r->centre->u[j]) / tmli_reduction_coordinate_unit(r, j));
    for (int i = 0; i < s->nz; i++) {
        const double size = fmax(fabs(r->centre->z[i]), r->unit[tmli_mechanical(s) + i]);
        rate = fmax(rate, fabs(r->centre->udot[tmli_mechanical(s) + i]) / size);
    }
    // at least six binary digits of the step survive in the time
    const double dt = fmax(cbrt(DBL_EPSILON) / rate, 64 * DBL_EPSILON * fabs(r->centre->t));
    count_evaluations(r, 2);
    return difference(r, &r->main_work, -1, -1, dt, vd, by_t, err);
}

// ---- exact ------------------------------------------------------------------------------------------------

void tmli_reduction_subtract_product(const tml_system *s, const double *A, const double *x, double *out)
{
    const tml_pattern *p = s->pattern;
    for (int j = 0; j < s->n; j++) {
        if (x[j] == 0) continue;
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1] && p->rowind[k] < s->n; k++)
            out[p->rowind[k]] -= A[k] * x[j];
    }
}

// T'[x] u and T''[x, u] u at the origin by fourth-order differences, with errors of 1e-12 of the terms.
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

void tmli_reduction_tangent_derivatives(const tmli_reduction *r, tmli_thread_work *tw, const double *x,
                                        const double *u, double *first, double *second)
{
    const tml_system *s = r->sys;
    if (s->ops->tangent_derivatives) s->ops->tangent_derivatives(s->self, x, u, first, second);
    else tangent_by_differences(s, x, u, first, second, tw->y, tw->z);
}

tml_status tmli_reduction_assemble_parts(tmli_reduction *r, const tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    const tml_assembly stiff = {.ck = 1}, damping = {.cd = 1}, mass = {.cm = 1};
    void *w = r->main_work.work;
    if (s->ops->assemble_parts) return s->ops->assemble_parts(s->self, w, x, r->M, r->D, r->K, err);
    tml_status st = tmli_active_assemble(s, w, x, &stiff, r->K, err);
    if (st == TML_OK) st = tmli_active_assemble(s, w, x, &damping, r->D, err);
    if (st == TML_OK) st = tmli_active_assemble(s, w, x, &mass, r->M, err);
    return st;
}

tml_status tmli_reduction_element_derivatives(tmli_reduction *r, const tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    void *w = r->main_work.work;
    tml_status st = tmli_reduction_assemble_parts(r, x, err);
    if (st == TML_OK && s->m > 0) st = tmli_active_gamma_derivatives(s, w, x, r->gamma_d, r->gamma_u, err);
    if (st == TML_OK && s->m > 0) st = tmli_active_rows_times(s, w, x, x->udot, r->B_udot_d, err);
    for (int k = 0; k < s->rowptr[s->m] && st == TML_OK; k++) r->gamma_d[k] -= r->B_udot_d[k];  // of (12)
    return st;
}

void tmli_reduction_exact_column(const tmli_reduction *r, tmli_thread_work *tw, const tml_state *x, int k,
                                 double *by_v, double *by_vd)
{
    const tml_system *s = r->sys;
    const int n = s->n;
    double *dd = tw->column[0], *du = tw->column[1], *force = tw->column[2], *first = tw->column[3],
           *second = tw->column[4], *e = tw->column[5];
    memset(e, 0, (size_t)r->dof * sizeof *e);
    e[k] = 1;
    tmli_reduction_lift_in(r, tw, e, dd);  // (9)
    // by v'
    memset(force, 0, (size_t)n * sizeof *force);
    tmli_reduction_subtract_product(s, r->D, dd, force);
    tmli_reduction_rows_times(s, r->gamma_u, dd, tw->residual);
    tmli_index1_solve(&tw->dynamics, force, tw->residual, force, NULL);
    tmli_reduction_extract(r, force, by_vd);
    // by v; the residual still holds gamma_u dd
    memset(du, 0, (size_t)n * sizeof *du);
    if (s->m > 0) {
        for (int i = 0; i < s->m; i++) tw->residual[i] /= 2;
        tmli_reduction_constrain(r, tw, false, tw->residual, du);  // (10)
    }
    if (s->ops->tangent_rate) {
        tmli_reduction_tangent_derivatives(r, tw, dd, x->u, first, second);
        for (int j = 0; j < n; j++) du[j] += first[j];  // (11)
    }
    memset(force, 0, (size_t)n * sizeof *force);
    tmli_reduction_subtract_product(s, r->K, dd, force);
    tmli_reduction_subtract_product(s, r->D, du, force);
    tmli_reduction_rows_times(s, r->gamma_d, dd, tw->residual);
    for (int i = 0; i < s->m; i++)
        for (int p = s->rowptr[i]; p < s->rowptr[i + 1]; p++)
            tw->residual[i] += r->gamma_u[p] * du[s->rowcol[p]];
    tmli_index1_solve(&tw->dynamics, force, tw->residual, force, NULL);  // (12)
    if (s->ops->tangent_rate) {
        for (int j = 0; j < n; j++) force[j] -= second[j];
        tmli_reduction_tangent_derivatives(r, tw, dd, x->udot, first, second);
        for (int j = 0; j < n; j++) force[j] -= first[j];
    }
    tmli_reduction_extract(r, force, by_v);  // (13)
}

static void exact_columns(const derivative_job *job, tmli_thread_work *tw, int first, int stride)
{
    const size_t dof = (size_t)job->r->dof;
    for (int k = first; k < job->r->dof; k += stride)
        tmli_reduction_exact_column(job->r, tw, job->x, k, job->by_v + (size_t)k * dof,
                                    job->by_vd + (size_t)k * dof);
}

static void exact_task(void *arg, int worker)
{
    derivative_job *job = arg;
    tmli_reduction *r = job->r;
    tmli_thread_work *tw = &r->helper_work[worker];
    job->status[worker] = TML_RETRY;
    // no scales of an earlier state: a loaded simulation does not have them
    if (r->velocity_rows > 0) tmli_index1_rows_changed(&tw->dynamics);
    if (prepare_helper(r, tw))
        job->status[worker] = tmli_index1_factor(&tw->dynamics, job->x, 0, 0, &job->err[worker]);
    if (job->status[worker] == TML_OK) exact_columns(job, tw, worker, tmli_pool_threads(r->pool));
}

static tml_status exact(derivative_job *job, tml_error *err)
{
    tmli_reduction *r = job->r;
    tml_status st = tmli_reduction_element_derivatives(r, job->x, err);
    if (st != TML_OK) return st;
    if (r->dense_memory) return tmli_reduction_dense_jacobian(r, job->x, job->by_v, job->by_vd, err);
    r->count->factorizations++;
    return run_tasks(job, exact_task, err);
}

tml_status tmli_reduction_jacobian(tmli_reduction *r, const tml_state *x, double *by_v, double *by_vd,
                                   double *by_t, tml_error *err)
{
    double *vd = r->main_work.s;
    tmli_reduction_extract(r, x->u, vd);
    tml_state_copy(r->main_work.x, x);
    derivative_job job = {.r = r, .x = x, .vd = vd, .by_v = by_v, .by_vd = by_vd};
    tml_status st = tmli_reduction_is_exact(r) ? exact(&job, err) : by_differences(&job, err);
    if (st == TML_OK && by_t) st = derivative_by_time(r, vd, by_t, err);
    tmli_reduction_set_centre(r, &r->main_work);
    r->at_centre = true;
    return st;
}
