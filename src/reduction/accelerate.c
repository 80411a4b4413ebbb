// Accelerations of a configuration, and the descriptor form; equation numbers as in reduction.h.
#include "reduction/internal.h"
#include "system/active_rows/active_rows.h"
#include "system/state/first_order.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "reduction/constants.h"

// y (n) = inverse(T) (udot - T' d') at the present configuration
static void second_derivative(const tmli_reduction *r, tmli_thread_work *tw, const double *udot, double *y)
{
    const tml_system *s = r->sys;
    memcpy(y, udot, (size_t)s->n * sizeof *y);
    if (!s->ops->tangent_rate) return;
    s->ops->tangent_rate(s->self, tw->d, tw->d_rate, tw->z);
    for (int j = 0; j < s->n; j++) tw->z[j] = udot[j] - tw->z[j];
    s->ops->tangent_inverse(s->self, tw->d, tw->z, y);
}

// (5)
static void acceleration_in(const tmli_reduction *r, tmli_thread_work *tw, const tml_state *x, double *a)
{
    second_derivative(r, tw, x->udot, tw->y);
    tmli_reduction_extract(r, tw->y, a);
}

void tmli_reduction_acceleration_of(const tmli_reduction *r, const tml_state *x, double *a)
{
    acceleration_in(r, (tmli_thread_work *)&r->main_work, x, a);
}

void tmli_reduction_increment(const tmli_reduction *r, const tml_state *x, double *d, double *rate,
                              double *second)
{
    const size_t bytes = (size_t)r->sys->n * sizeof(double);
    tmli_thread_work *tw = (tmli_thread_work *)&r->main_work;
    if (d) memcpy(d, tw->d, bytes);
    if (rate) memcpy(rate, tw->d_rate, bytes);
    second_derivative(r, tw, x->udot, second);
}

bool tmli_reduction_uses_topology(const tmli_reduction *r, const tmli_thread_work *tw)
{
    return r->sys->ops->accelerate && r->choice.rank + r->velocity_rows == r->sys->m &&
           !tw->topology_singular;
}

// Elimination along the tree needs inertia in every tree joint, the assembled equations only in the
// directions that the constraints leave free. A massless coupler whose loop is cut at one of its joints has
// no inertia in the tree. *done: false if that is so.
static tml_status accelerate_by_topology(const tmli_reduction *r, tmli_thread_work *tw, tml_state *x,
                                         bool *done, tml_error *err)
{
    const tml_system *s = r->sys;
    tml_error local = {0};
    tml_status st = s->ops->accelerate(s->self, tw->work, x, &local);
    *done = st != TML_ERR_SINGULAR || s->m == 0;
    tw->topology_singular = !*done;
    if (*done && st != TML_OK && err) *err = local;
    return st;
}

tml_status tmli_reduction_accelerate_in(const tmli_reduction *r, tmli_thread_work *tw, tml_state *x,
                                        bool factored, double *a, tml_error *err)
{
    tml_status st = TML_OK;
    bool done = false;
    if (tmli_reduction_uses_topology(r, tw)) st = accelerate_by_topology(r, tw, x, &done, err);
    if (!done) {
        st = factored ? TML_OK : tmli_index1_factor(&tw->dynamics, x, 0, 0, err);
        if (st == TML_OK) st = tmli_index1_accelerations(&tw->dynamics, x, false, err);
    }
    if (st == TML_OK) acceleration_in(r, tw, x, a);
    return st;
}

tml_status tmli_reduction_accelerate(tmli_reduction *r, tml_state *x, double *a, tml_error *err)
{
    const bool factored =
        !tmli_reduction_uses_topology(r, &r->main_work) && r->at_centre && r->centre_factored;
    r->count->residuals++;
    const tml_status st = tmli_reduction_accelerate_in(r, &r->main_work, x, factored, a, err);
    const bool topology = tmli_reduction_uses_topology(r, &r->main_work);
    r->count->factorizations += !topology && !factored;
    if (!topology) r->centre_factored = st == TML_OK && r->at_centre;
    return st;
}

tml_status tmli_reduction_project_velocity(tmli_reduction *r, tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    tmli_thread_work *tw = &r->main_work;
    if (r->velocity_rows == 0) return TML_OK;
    tml_status st = TML_OK;
    if (tmli_reduction_uses_topology(r, tw) || r->descriptor.sys)  // else accelerations have factored it
        st = tmli_index1_factor(&tw->dynamics, x, 0, 0, err);
    // the matrix belongs to a state of the same step: each correction leaves a small share
    double last = INFINITY;
    for (int pass = 0; pass < MAX_ITERATIONS && st == TML_OK; pass++) {
        double size = 0, scale = 0;
        st = tmli_active_velocity(s, tw->work, x, tw->residual, err);
        if (st != TML_OK) break;
        tmli_index1_solve(&tw->dynamics, NULL, tw->residual, tw->y, NULL);
        for (int j = 0; j < tmli_mechanical(s); j++) {
            size = fmax(size, fabs(tw->y[j]) / tmli_reduction_coordinate_unit(r, j));
            scale = fmax(scale, fabs(x->u[j]) / tmli_reduction_coordinate_unit(r, j));
        }
        if (!(size < last)) break;
        for (int j = 0; j < s->n; j++) x->u[j] -= tw->y[j];
        if (size <= DBL_EPSILON * scale) break;
        last = size;
    }
    return st;
}

// ---- descriptor form --------------------------------------------------------------------------------------

// Of the derivative of B udot - gamma by udot, rows at velocity level keep what (6) neglects: u and q change
// by cd and ck times udot.
static tml_status set_row_change(tmli_reduction *r, const tml_state *x, double cd, double ck, tml_error *err)
{
    const tml_system *s = r->sys;
    void *w = r->main_work.work;
    r->descriptor.row_change = r->row_change;
    if (!s->ops->gamma_derivatives || !s->ops->rows_times) return TML_OK;  // it is 0
    tml_status st = tmli_active_gamma_derivatives(s, w, x, r->gamma_d, r->gamma_u, err);
    if (st == TML_OK) st = tmli_active_rows_times(s, w, x, x->udot, r->B_udot_d, err);
    for (int i = 0; i < s->rowptr[s->m]; i++)
        r->row_change[i] = ck * (r->B_udot_d[i] - r->gamma_d[i]) - cd * r->gamma_u[i];
    return st;
}

tml_status tmli_reduction_descriptor_factor(tmli_reduction *r, const tml_state *x, double cd, double ck,
                                            tml_error *err)
{
    if (!r->descriptor.sys) {
        const tml_status st = tmli_index1_create(r->sys, r->opt.solver, &r->descriptor, err);
        if (st != TML_OK) return st;
        tmli_index1_leave_out(&r->descriptor, r->main_work.dynamics.left_out);
    }
    r->count->factorizations++;
    tml_status st = tmli_reduction_assemble_parts(r, x, err);
    if (st == TML_OK && r->velocity_rows > 0) st = set_row_change(r, x, cd, ck, err);
    return st == TML_OK ? tmli_index1_factor(&r->descriptor, x, cd, ck, err) : st;
}

// out (n) += factor A x (n), A: the first n rows and columns of a matrix of the pattern.
static void add_motion_product(const tml_system *s, double factor, const double *A, const double *x,
                               double *out)
{
    const tml_pattern *p = s->pattern;
    for (int32_t j = 0; j < s->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if (p->rowind[k] < s->n) out[p->rowind[k]] += factor * A[k] * x[j];
}

// w = cd V+ y with (M + cd D + ck K) y + B' mu = M H b/cd - K H e, B y = 0: M by_v = -K along the
// constraints.
void tmli_reduction_descriptor_filter(tmli_reduction *r, double cd, const double *e, const double *b,
                                      double *w)
{
    const tml_system *s = r->sys;
    tmli_thread_work *tw = &r->main_work;
    memset(tw->motion, 0, (size_t)s->n * sizeof *tw->motion);
    tmli_reduction_lift_in(r, tw, b, tw->y);
    add_motion_product(s, 1 / cd, r->M, tw->y, tw->motion);
    tmli_reduction_lift_in(r, tw, e, tw->y);
    add_motion_product(s, -1, r->K, tw->y, tw->motion);
    tmli_index1_solve(&r->descriptor, tw->motion, NULL, tw->y, NULL);
    tmli_reduction_extract(r, tw->y, w);
    for (int i = 0; i < r->dof; i++) w[i] *= cd;
}

void tmli_reduction_add_reaction_change(const tmli_reduction *r, double *a)
{
    const tml_system *s = r->sys;
    const tmli_thread_work *tw = &r->main_work;
    const double *mass = r->descriptor.diagonal, *dlambda = tw->b;
    for (int i = 0; i < s->m; i++)
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++)
            if (mass[s->rowcol[k]] > 0)
                a[s->rowcol[k]] += fabs(tw->B_values[k] * dlambda[i]) / mass[s->rowcol[k]];
}

tml_status tmli_reduction_descriptor_correct(tmli_reduction *r, tml_state *x, double *da, tml_error *err)
{
    const tml_system *s = r->sys;
    tmli_thread_work *tw = &r->main_work;
    tml_status st = tmli_active_dynamics(s, tw->work, x, tw->y, tw->b, err);  // b = gamma
    if (st == TML_OK)
        st = tmli_active_residual_rows(s, tw->work, x, NULL, tw->motion, tw->residual, tw->B_values, err);
    if (st != TML_OK) return st;
    r->count->residuals++;
    tmli_reduction_rows_times(s, tw->B_values, x->udot, tw->residual);
    for (int i = 0; i < s->m; i++) tw->residual[i] = tw->b[i] - tw->residual[i];
    for (int j = 0; j < s->n; j++) tw->motion[j] = -tw->motion[j];
    tmli_index1_solve(&r->descriptor, tw->motion, tw->residual, tw->y, tw->b);
    for (int j = 0; j < s->n; j++) x->udot[j] += tw->y[j];
    for (int i = 0; i < s->m; i++) x->lambda[i] += tw->b[i];
    if (s->ops->tangent_rate) s->ops->tangent_inverse(s->self, tw->d, tw->y, tw->y);
    tmli_reduction_extract(r, tw->y, da);
    return TML_OK;
}
