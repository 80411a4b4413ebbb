// Rows at velocity level of systems of callbacks: values and derivatives; formulas (4'), (5') in evaluate.c.
#include "system/callbacks/differences.h"

#include <string.h>

// nu of the rows at velocity level.
tml_status tmli_callback_nu_field(const tmli_callback_system *s, tmli_callback_work *w, double t,
                                  const double *q, const double *u, double *out, tml_error *err)
{
    (void)w, (void)u;
    const int k = s->def.velocity_rows;
    tmli_callback_zero(out, k, 1);
    if (!s->def.velocity_nu) return TML_OK;
    return tmli_callback_check_result(s->def.velocity_nu(t, q, out, s->def.user), "velocity_nu", t, out, k, 1,
                                      err);
}

// B v of the rows at velocity level.
static tml_status velocity_rows_times_field(const tmli_callback_system *s, tmli_callback_work *w, double t,
                                            const double *q, const double *u, double *out, tml_error *err)
{
    (void)u;
    const int n = s->def.n, k = s->def.velocity_rows;
    tmli_callback_zero(out, k, 1);
    tmli_callback_zero(w->B_at, k, n);
    const tml_status st = tmli_callback_check_result(s->def.velocity_jacobian(t, q, w->B_at, s->def.user),
                                                     "velocity_jacobian", t, w->B_at, k, n, err);
    if (st == TML_OK) tmli_callback_add_product(1, w->B_at, k, n, w->v, out);
    return st;
}

tml_status tmli_callback_velocity_rows(const tmli_callback_system *s, tmli_callback_work *w,
                                       const tml_state *x, const double *B, double *phi, tml_error *err)
{
    const int n = s->def.n, m = tmli_callback_position_rows(s), k = s->def.velocity_rows;
    if (k == 0) return TML_OK;
    const tml_status st = tmli_callback_nu_field(s, w, x->t, x->q, x->u, phi + m, err);
    for (int i = m; i < s->def.m; i++) phi[i] = 0 - phi[i];
    if (st == TML_OK) tmli_callback_add_product(1, B + (size_t)m * (size_t)n, k, n, x->u, phi + m);
    return st;
}

// by_q (velocity_rows x n) := (B v)_q at constant v.
tml_status tmli_callback_velocity_rows_times(const tmli_callback_system *s, tmli_callback_work *w,
                                             const tml_state *x, const double *v, double *by_q,
                                             tml_error *err)
{
    const int n = s->def.n, k = s->def.velocity_rows;
    if (k == 0) return TML_OK;
    w->v = v;
    tmli_callback_zero(by_q, k, n);
    return tmli_callback_add_columns(s, w, &w->outer, velocity_rows_times_field, x->t, x->q, x->u, false, n,
                                     STEP_FIRST, k, by_q, err);
}

// by_q (velocity_rows x n) -= nu_q
static tml_status subtract_nu_by_q(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                   double *by_q, tml_error *err)
{
    const int n = s->def.n, k = s->def.velocity_rows;
    if (!s->def.velocity_nu) return TML_OK;
    for (int i = 0; i < k * n; i++) by_q[i] = 0 - by_q[i];
    const tml_status st = tmli_callback_add_columns(s, w, &w->outer, tmli_callback_nu_field, x->t, x->q, x->u,
                                                    false, n, STEP_FIRST, k, by_q, err);
    for (int i = 0; i < k * n; i++) by_q[i] = 0 - by_q[i];
    return st;
}

tml_status tmli_callback_velocity_by_q(const tmli_callback_system *s, tmli_callback_work *w,
                                       const tml_state *x, double *by_q, tml_error *err)
{
    const tml_status st = tmli_callback_velocity_rows_times(s, w, x, x->u, by_q, err);
    return st == TML_OK ? subtract_nu_by_q(s, w, x, by_q, err) : st;
}

// gamma (velocity_rows) by (4').
tml_status tmli_callback_velocity_gamma(const tmli_callback_system *s, tmli_callback_work *w,
                                        const tml_state *x, double factor, double *gamma, tml_error *err)
{
    const int n = s->def.n, m = tmli_callback_position_rows(s), k = s->def.velocity_rows;
    const tmli_callback_line l = {
        .v = x->u, .rate = 1, .tau = tmli_callback_line_step(s, x, x->u, true, factor)};
    tml_status st = tmli_callback_line_first(s, w, x, &l, tmli_callback_nu_field, k, gamma, err);
    if (st == TML_OK)
        st = tmli_callback_line_first(s, w, x, &l, tmli_callback_jacobian_field, s->def.m * n, w->Bdot, err);
    if (st == TML_OK) tmli_callback_add_product(-1, w->Bdot + (size_t)m * (size_t)n, k, n, x->u, gamma);
    return st;
}

// by_q (velocity_rows x n): differences of (4') along the motion and by q, both first ones.
tml_status tmli_callback_velocity_gamma_by_q(const tmli_callback_system *s, tmli_callback_work *w,
                                             const tml_state *x, double *by_q, tml_error *err)
{
    const size_t n = (size_t)s->def.n, k = (size_t)s->def.velocity_rows;
    const double tau = tmli_callback_line_step(s, x, x->u, true, STEP_FIRST_NESTED);
    tml_state y = *x;
    tml_status st = TML_OK;
    memset(by_q, 0, k * n * sizeof *by_q);
    static const double point[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    // D of (nu_q - (B u)_q) along the motion, (7) of evaluate.c
    for (int p = 0; p < 4 && st == TML_OK; p++) {
        for (size_t j = 0; j < n; j++) w->moved[j] = x->q[j] + point[p] * tau * x->u[j];
        y.q = w->moved;
        y.t = x->t + point[p] * tau;
        st = tmli_callback_velocity_by_q(s, w, &y, w->Bdot, err);
        for (size_t i = 0; i < k * n; i++) by_q[i] -= weight[p] * w->Bdot[i] / (12 * tau);
    }
    return st;
}
