// Accelerations of a place, and the descriptor form; equation numbers as in reduction.h.
#include "reduction/internal.h"

#include <string.h>

// y (n) = inverse(T) (udot - T' d') at the place
static void second_derivative(const tmli_reduction *r, tmli_thread_work *l, const double *udot, double *y)
{
    const tml_system *s = r->sys;
    memcpy(y, udot, (size_t)s->n * sizeof *y);
    if (!s->ops->tangent_rate) return;
    s->ops->tangent_rate(s->self, l->d, l->rate, l->z);
    for (int j = 0; j < s->n; j++) l->z[j] = udot[j] - l->z[j];
    s->ops->tangent_inverse(s->self, l->d, l->z, y);
}

void tmli_reduction_acceleration_in(const tmli_reduction *r, tmli_thread_work *l, const tml_state *x,
                                    double *a)
{
    second_derivative(r, l, x->udot, l->y);
    tmli_reduction_extract(r, l->y, a);
}

void tmli_reduction_acceleration_of(const tmli_reduction *r, const tml_state *x, double *a)
{
    tmli_reduction_acceleration_in(r, (tmli_thread_work *)&r->lane, x, a);
}

void tmli_reduction_increment(const tmli_reduction *r, const tml_state *x, double *d, double *rate,
                              double *second)
{
    const size_t bytes = (size_t)r->sys->n * sizeof(double);
    tmli_thread_work *l = (tmli_thread_work *)&r->lane;
    if (d) memcpy(d, l->d, bytes);
    if (rate) memcpy(rate, l->rate, bytes);
    second_derivative(r, l, x->udot, second);
}

bool tmli_reduction_uses_topology(const tmli_reduction *r, const tmli_thread_work *l)
{
    return r->sys->ops->accelerate && r->choice.rank == r->sys->m && !l->loops_carry;
}

// The way along the tree needs inertia in every coordinate of the tree, the assembled equations only in what
// the constraints leave free: a massless coupler moves nothing in the tree whose loop is cut beside it.
static tml_status own_way(const tmli_reduction *r, tmli_thread_work *l, tml_state *x, bool *done,
                          tml_error *err)
{
    const tml_system *s = r->sys;
    tml_error local = {0};
    tml_status st = s->ops->accelerate(s->self, l->work, x, &local);
    *done = st != TML_ERR_SINGULAR || s->m == 0;
    l->loops_carry = !*done;
    if (*done && st != TML_OK && err) *err = local;
    return st;
}

tml_status tmli_reduction_accelerate_in(const tmli_reduction *r, tmli_thread_work *l, tml_state *x,
                                        bool factored, double *a, tml_error *err)
{
    tml_status st = TML_OK;
    bool done = false;
    if (tmli_reduction_uses_topology(r, l)) st = own_way(r, l, x, &done, err);
    if (!done) {
        st = factored ? TML_OK : tmli_index1_factor(&l->dynamics, x, 0, 0, err);
        if (st == TML_OK) st = tmli_index1_accelerations(&l->dynamics, x, err);
    }
    if (st == TML_OK) tmli_reduction_acceleration_in(r, l, x, a);
    return st;
}

tml_status tmli_reduction_accelerate(tmli_reduction *r, tml_state *x, double *a, tml_error *err)
{
    const bool factored =
        !tmli_reduction_uses_topology(r, &r->lane) && r->placed_centre && r->centre_factored;
    r->count->residuals++;
    const tml_status st = tmli_reduction_accelerate_in(r, &r->lane, x, factored, a, err);
    const bool own = tmli_reduction_uses_topology(r, &r->lane);
    r->count->factorizations += !own && !factored;
    if (!own) r->centre_factored = st == TML_OK && r->placed_centre;
    return st;
}

// ---- descriptor form --------------------------------------------------------------------------------------

tml_status tmli_reduction_descriptor_factor(tmli_reduction *r, const tml_state *x, double cd, double ck,
                                            tml_error *err)
{
    if (!r->descriptor.sys) {
        const tml_status st = tmli_index1_create(r->sys, r->opt.solver, &r->descriptor, err);
        if (st != TML_OK) return st;
        tmli_index1_leave_out(&r->descriptor, r->lane.dynamics.left_out);
    }
    r->count->factorizations++;
    const tml_status st = tmli_reduction_assemble_parts(r, x, err);
    return st == TML_OK ? tmli_index1_factor(&r->descriptor, x, cd, ck, err) : st;
}

// out (n) += factor times the first n rows and columns of A, x (n).
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
    tmli_thread_work *l = &r->lane;
    memset(l->motion, 0, (size_t)s->n * sizeof *l->motion);
    tmli_reduction_lift_in(r, l, b, l->y);
    add_motion_product(s, 1 / cd, r->M, l->y, l->motion);
    tmli_reduction_lift_in(r, l, e, l->y);
    add_motion_product(s, -1, r->K, l->y, l->motion);
    tmli_index1_solve(&r->descriptor, l->motion, NULL, l->y, NULL);
    tmli_reduction_extract(r, l->y, w);
    for (int i = 0; i < r->dof; i++) w[i] *= cd;
}

tml_status tmli_reduction_descriptor_correct(tmli_reduction *r, tml_state *x, double *da, tml_error *err)
{
    const tml_system *s = r->sys;
    tmli_thread_work *l = &r->lane;
    tml_status st = s->ops->dynamics(s->self, l->work, x, l->y, l->b, err);  // b = gamma
    if (st == TML_OK)
        st = s->ops->residual_rows(s->self, l->work, x, NULL, l->motion, l->residual, l->rows, err);
    if (st != TML_OK) return st;
    r->count->residuals++;
    tmli_reduction_rows_times(s, l->rows, x->udot, l->residual);
    for (int i = 0; i < s->m; i++) l->residual[i] = l->b[i] - l->residual[i];
    for (int j = 0; j < s->n; j++) l->motion[j] = -l->motion[j];
    tmli_index1_solve(&r->descriptor, l->motion, l->residual, l->y, l->b);
    for (int j = 0; j < s->n; j++) x->udot[j] += l->y[j];
    for (int i = 0; i < s->m; i++) x->lambda[i] += l->b[i];
    if (s->ops->tangent_rate) s->ops->tangent_inverse(s->self, l->d, l->y, l->y);
    tmli_reduction_extract(r, l->y, da);
    return TML_OK;
}
