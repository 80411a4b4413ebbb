// Calls of the callbacks, and difference quotients for derivatives that the user did not provide.
//
// With D = d/dtau at tau = 0, and because second derivatives commute,
//
//   Phi_t     = D Phi(t + tau, q)                                             (1)
//   (B v)_q   = D B(t, q + tau v)                                             (2)
//   gamma     = -D^2 Phi(t + tau, q + tau u)                                  (3)
//             = -(u' Phi_qq u + 2 Phi_qt u + Phi_tt)
//             = -D B(t + 2 tau, q + tau u) u - D^2 Phi(t + tau, q)            (4)
//   gamma_u   = -2 D B(t + tau, q + tau u)                                    (5)
//   gamma_q   = -D^2 B(t + tau, q + tau u)                                    (6)
//
// Rows at velocity level have a B of their own, which is no gradient. For them
//
//   gamma     = D nu(t + tau, q + tau u) - D B(t + tau, q + tau u) u          (4')
//   gamma_u   = nu_q - (B u)_q - D B(t + tau, q + tau u)                      (5')
//
// with (B u)_q and nu_q column by column, and gamma_q by differences of (4').
//
// With (2) to (6) a whole matrix costs two to five evaluations of B instead of 2 n. (4) replaces (3) if B is
// given. All other derivatives are computed column by column. First derivatives use four points, second
// derivatives along a line five:
//
//   D F   = (8 (F(h) - F(-h)) - (F(2h) - F(-2h))) / 12 h          error  h^4 + e/h                      (7)
//   D^2 F = (16 (F(h) + F(-h) - 2 F(0)) - (F(2h) + F(-2h) - 2 F(0))) / 12 h^2   error  h^4 + e/h^2      (8)
//
// with errors and steps relative to the size of the argument, and e the round-off eps = 2^-52 of a given F.
// The best steps are eps^(1/5) for (7) and eps^(1/6) for (8), which loses a third of the digits (4e-11).
// (7) takes eps^(1/4) and loses a quarter (2e-12): a user may have declared a length that is a hundred times
// too large. If B is itself a difference of Phi with step g, its error is g^4, which is smooth, and eps/g,
// which is not: e = eps/g. The steps are then g = h = eps^(1/5) in (7) (error 4e-10), and g = eps^(1/5), h =
// eps^(5/36) in (8) (7e-9). (8) uses differences from F(0), so that a function that does not depend on time
// has the derivative 0 in time exactly.
//
// Increments of Phi from B, by Gauss' formula of three points c_i with weights b_i, of order 6 in d:
//
//   Phi(t1, q + d) - Phi(t0, q) = sum_i b_i B(t1, q + c_i d) d + [Phi(t1, q) - Phi(t0, q)]               (9)
//
// The bracket is exactly 0 for constraints that do not depend on time. The error, |d|^7/2016000 in units of
// the size, is far below the round-off of (9) for |d| < 0.01; longer increments lose few digits in a
// subtraction.
//
// With constraint_increment, Phi(h) - Phi(0) in (7) and (8) has an error relative to itself. B then has all
// digits but the last, and gamma the error h^4 + eps/h with the steps of (7): B u = 0, so that the increment
// along the motion is of the order h^2, of terms of the order h.
//
// Sizes: max(|q_i|, length) for a coordinate, max(|u_i|, length per second) for a velocity, max(|z_i|, scale)
// for a first-order state. The size of tau, in time or along the motion, is the time in which no coordinate
// changes by more than its size, at most 1 s. Steps are powers of two, so that t + tau is exact.
#include "system/callbacks/differences.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- calls ------------------------------------------------------------------------------------------------

static tml_status fail_time(tml_error *err, tml_status st, double t)
{
    if (err) err->t = t;
    return st;
}

// Check the status of a callback and its output of rows x cols numbers (cols = 1: a vector).
tml_status tmli_callback_check_result(tml_status st, const char *name, double t, const double *x, int rows,
                                      int cols, tml_error *err)
{
    char time[32];
    if (st > 0) {
        tmli_fail(err, TML_RETRY,
                  "The callback '%s' cannot be evaluated at t = %s s and asks for a smaller step.", name,
                  tmli_dtoa(t, time));
        return fail_time(err, TML_RETRY, t);
    }
    if (st < 0) {
        tmli_fail(err, TML_ERR_USER, "The callback '%s' failed at t = %s s with status %d (%s).", name,
                  tmli_dtoa(t, time), (int)st, tml_status_name(st));
        return fail_time(err, TML_ERR_USER, t);
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            const double v = x[(size_t)i * (size_t)cols + (size_t)j];
            if (isfinite(v)) continue;
            char value[32], entry[32] = "";
            if (cols > 1) snprintf(entry, sizeof entry, "[%d][%d]", i, j);
            else snprintf(entry, sizeof entry, "[%d]", i);
            tmli_fail(err, TML_ERR_NAN, "The callback '%s' returned %s in entry %s at t = %s s.", name,
                      tmli_dtoa(v, value), entry, tmli_dtoa(t, time));
            return fail_time(err, TML_ERR_NAN, t);
        }
    }
    return TML_OK;
}

tml_status tmli_callback_check_finite(const char *what, double t, const double *x, int count, tml_error *err)
{
    for (int i = 0; i < count; i++) {
        if (isfinite(x[i])) continue;
        char value[32], time[32];
        tmli_fail(err, TML_ERR_NAN, "Entry [%d] of %s is %s at t = %s s.", i, what, tmli_dtoa(x[i], value),
                  tmli_dtoa(t, time));
        return fail_time(err, TML_ERR_NAN, t);
    }
    return TML_OK;
}

// Sums of the sizes of all weights times the round-off of a value: of (8) with (3), of (8) with increments,
// and of (7) with (4).
double tmli_callback_noise(const tml_user_system_def *def)
{
    if (def->gamma || def->m == def->velocity_rows) return 0;
    if (def->constraint_jacobian) return 18.0 / 12 * DBL_EPSILON / STEP_FIRST;
    if (def->constraint_increment) return 34.0 / 12 * DBL_EPSILON / STEP_FIRST;
    return 64.0 / 12 * DBL_EPSILON / (STEP_SECOND * STEP_SECOND);
}

tml_status tmli_callback_mass(const tmli_callback_system *s, double t, const double *q, double *M,
                              tml_error *err)
{
    const int n = s->def.n;
    if (n == 0) return TML_OK;
    tmli_callback_zero(M, n, n);
    return tmli_callback_check_result(s->def.mass(t, q, M, s->def.user), "mass", t, M, n, n, err);
}

tml_status tmli_callback_constraint(const tmli_callback_system *s, double t, const double *q, double *phi,
                                    tml_error *err)
{
    const int m = tmli_callback_position_rows(s);
    tmli_callback_zero(phi, s->def.m, 1);
    if (m == 0) return TML_OK;
    return tmli_callback_check_result(s->def.constraint(t, q, phi, s->def.user), "constraint", t, phi, m, 1,
                                      err);
}

static bool is_long(const tmli_callback_system *s, const double *q, const double *d)
{
    for (int i = 0; i < s->def.n; i++)
        if (fabs(d[i]) > LONG_INCREMENT * fmax(fabs(q[i]), s->def.length)) return true;
    return false;
}

// dphi (m) := difference of two values of Phi.
static tml_status subtract_values(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x0,
                                  const double *d, double t1, double *dphi, tml_error *err)
{
    double *before = w->rate, *q = w->moved;
    for (int j = 0; j < s->def.n; j++) q[j] = x0->q[j] + (d ? d[j] : 0);
    tml_status st = tmli_callback_constraint(s, x0->t, x0->q, before, err);
    if (st == TML_OK) st = tmli_callback_constraint(s, t1, q, dphi, err);
    for (int r = 0; r < tmli_callback_position_rows(s) && st == TML_OK; r++) dphi[r] -= before[r];
    return st;
}

// (9)
static tml_status integrate_jacobian(const tmli_callback_system *s, tmli_callback_work *w,
                                     const tml_state *x0, const double *d, double t1, double *dphi,
                                     tml_error *err)
{
    static const double at[3] = {0.11270166537925831148, 0.5, 0.88729833462074168852},
                        weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const int n = s->def.n, m = tmli_callback_position_rows(s);
    double *q = w->moved;
    tml_status st = subtract_values(s, w, x0, NULL, t1, dphi, err);
    for (int i = 0; i < 3 && st == TML_OK; i++) {
        for (int j = 0; j < n; j++) q[j] = x0->q[j] + at[i] * d[j];
        tmli_callback_zero(w->B_at, s->def.m, n);
        st = tmli_callback_check_result(s->def.constraint_jacobian(t1, q, w->B_at, s->def.user),
                                        "constraint_jacobian", t1, w->B_at, m, n, err);
        if (st == TML_OK) tmli_callback_add_product(weight[i], w->B_at, m, n, d, dphi);
    }
    return st;
}

static tml_status phi_increment(const tmli_callback_system *s, double t0, const double *q0, double t1,
                                const double *d, double *dphi, tml_error *err)
{
    const int m = tmli_callback_position_rows(s);
    tmli_callback_zero(dphi, s->def.m, 1);
    return tmli_callback_check_result(s->def.constraint_increment(t0, q0, t1, d, dphi, s->def.user),
                                      "constraint_increment", t1, dphi, m, 1, err);
}

tml_status tmli_callback_increment(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x0,
                                   const double *d, double t1, double *dphi, tml_error *err)
{
    const int m = tmli_callback_position_rows(s);
    tmli_callback_zero(dphi, s->def.m, 1);
    if (m == 0) return TML_OK;
    if (!s->def.constraint_increment && is_long(s, x0->q, d))
        return subtract_values(s, w, x0, d, t1, dphi, err);
    return s->def.constraint_increment ? phi_increment(s, x0->t, x0->q, t1, d, dphi, err)
                                       : integrate_jacobian(s, w, x0, d, t1, dphi, err);
}

static tml_status force_at(const tmli_callback_system *s, double t, const double *q, const double *u,
                           double *f, tml_error *err)
{
    tmli_callback_zero(f, s->def.n, 1);
    return tmli_callback_check_result(s->def.force(t, q, u, f, s->def.user), "force", t, f, s->def.n, 1, err);
}

static tml_status rate_at(const tmli_callback_system *s, double t, const double *q, const double *u,
                          double *zdot, tml_error *err)
{
    tmli_callback_zero(zdot, s->def.nz, 1);
    return tmli_callback_check_result(s->def.rate(t, q, u, zdot, s->def.user), "rate", t, zdot, s->def.nz, 1,
                                      err);
}

tml_status tmli_callback_force(const tmli_callback_system *s, const tml_state *x, double *f, tml_error *err)
{
    tml_status st = s->def.n > 0 ? force_at(s, x->t, x->q, x->u, f, err) : TML_OK;
    if (st == TML_OK && s->def.nz > 0) st = rate_at(s, x->t, x->q, x->u, f + s->def.n, err);
    return st;
}

// ---- fields: functions of t, q and u for difference quotients ---------------------------------------------

static tml_status phi_field(const tmli_callback_system *s, tmli_callback_work *w, double t, const double *q,
                            const double *u, double *out, tml_error *err)
{
    (void)w, (void)u;
    return tmli_callback_constraint(s, t, q, out, err);
}

static tml_status force_field(const tmli_callback_system *s, tmli_callback_work *w, double t, const double *q,
                              const double *u, double *out, tml_error *err)
{
    (void)w;
    return force_at(s, t, q, u, out, err);
}

static tml_status rate_field(const tmli_callback_system *s, tmli_callback_work *w, double t, const double *q,
                             const double *u, double *out, tml_error *err)
{
    (void)w;
    return rate_at(s, t, q, u, out, err);
}

static tml_status gamma_field(const tmli_callback_system *s, tmli_callback_work *w, double t, const double *q,
                              const double *u, double *out, tml_error *err)
{
    (void)w;
    tmli_callback_zero(out, s->def.m, 1);
    return tmli_callback_check_result(s->def.gamma(t, q, u, out, s->def.user), "gamma", t, out, s->def.m, 1,
                                      err);
}

static tml_status mass_times_field(const tmli_callback_system *s, tmli_callback_work *w, double t,
                                   const double *q, const double *u, double *out, tml_error *err)
{
    (void)u;
    const int n = s->def.n;
    const tml_status st = tmli_callback_mass(s, t, q, w->M_at, err);
    if (st != TML_OK) return st;
    tmli_callback_zero(out, n, 1);
    tmli_callback_add_product(1, w->M_at, n, n, w->v, out);
    return TML_OK;
}

static tml_status energies_at(const tmli_callback_system *s, double t, const double *q, const double *u,
                              double e[2], tml_error *err)
{
    e[0] = e[1] = 0;
    return tmli_callback_check_result(s->def.energy(t, q, u, &e[0], &e[1], s->def.user), "energy", t, e, 2, 1,
                                      err);
}

static tml_status potential_field(const tmli_callback_system *s, tmli_callback_work *w, double t,
                                  const double *q, const double *u, double *out, tml_error *err)
{
    (void)w;
    double e[2];
    const tml_status st = energies_at(s, t, q, u, e, err);
    *out = e[1];
    return st;
}

// Rows of Phi by (7) of its increments; B is 0 on entry.
static tml_status jacobian_by_increments(const tmli_callback_system *s, tmli_callback_work *w, double t,
                                         const double *q, double *B, tml_error *err)
{
    static const double point[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    const int n = s->def.n;
    double *d = w->inner.x, *value = w->inner.plus;
    memset(d, 0, (size_t)n * sizeof *d);
    for (int j = 0; j < n; j++) {
        const double h = STEP_FIRST * fmax(fabs(q[j]), s->def.length);
        for (int k = 0; k < 4; k++) {
            d[j] = point[k] * h;
            const tml_status st = phi_increment(s, t, q, t, d, value, err);
            if (st != TML_OK) return st;
            for (int i = 0; i < tmli_callback_position_rows(s); i++)
                B[(size_t)i * (size_t)n + (size_t)j] += weight[k] * value[i] / (12 * h);
        }
        d[j] = 0;
    }
    return TML_OK;
}

// out (m) := (3) by (8) of increments of Phi.
static tml_status second_by_increments(const tmli_callback_system *s, tmli_callback_work *w,
                                       const tml_state *x, double *out, tml_error *err)
{
    static const double point[4] = {1, -1, 2, -2}, weight[4] = {16, 16, -1, -1};
    const double tau = tmli_callback_line_step(s, x, x->u, true, STEP_FIRST);
    double *d = w->inner.x, *value = w->inner.plus;
    tmli_callback_zero(out, s->def.m, 1);
    for (int k = 0; k < 4; k++) {
        for (int j = 0; j < s->def.n; j++) d[j] = point[k] * tau * x->u[j];
        const tml_status st = phi_increment(s, x->t, x->q, x->t + point[k] * tau, d, value, err);
        if (st != TML_OK) return st;
        for (int i = 0; i < s->def.m; i++) out[i] += weight[k] * value[i] / (12 * tau * tau);
    }
    return TML_OK;
}

static tml_status jacobian_by(const tmli_callback_system *s, tmli_callback_work *w, double t, const double *q,
                              double factor, double *B, tml_error *err)
{
    const int n = s->def.n, m = tmli_callback_position_rows(s), k = s->def.velocity_rows;
    if (s->def.m == 0) return TML_OK;
    tmli_callback_zero(B, s->def.m, n);
    if (k > 0) {
        double *rows = B + (size_t)m * (size_t)n;
        const tml_status st = tmli_callback_check_result(s->def.velocity_jacobian(t, q, rows, s->def.user),
                                                         "velocity_jacobian", t, rows, k, n, err);
        if (st != TML_OK || m == 0) return st;
    }
    if (s->def.constraint_jacobian)
        return tmli_callback_check_result(s->def.constraint_jacobian(t, q, B, s->def.user),
                                          "constraint_jacobian", t, B, m, n, err);
    if (s->def.constraint_increment) return jacobian_by_increments(s, w, t, q, B, err);
    return tmli_callback_add_columns(s, w, &w->inner, phi_field, t, q, NULL, false, n, factor, m, B, err);
}

tml_status tmli_callback_jacobian(const tmli_callback_system *s, tmli_callback_work *w, double t,
                                  const double *q, double *B, tml_error *err)
{
    return jacobian_by(s, w, t, q, STEP_FIRST, B, err);
}

// B within another difference.
tml_status tmli_callback_jacobian_field(const tmli_callback_system *s, tmli_callback_work *w, double t,
                                        const double *q, const double *u, double *out, tml_error *err)
{
    (void)u;
    return jacobian_by(s, w, t, q, STEP_FIRST_NESTED, out, err);
}

static tml_status constraint_force_field(const tmli_callback_system *s, tmli_callback_work *w, double t,
                                         const double *q, const double *u, double *out, tml_error *err)
{
    const tml_status st = tmli_callback_jacobian_field(s, w, t, q, u, w->B_at, err);
    if (st != TML_OK) return st;
    tmli_callback_zero(out, s->def.n, 1);
    tmli_callback_add_transposed(1, w->B_at, s->def.m, s->def.n, w->field_mu, out);
    return TML_OK;
}

// ---- derivatives ------------------------------------------------------------------------------------------

tml_status tmli_callback_constraint_rate(const tmli_callback_system *s, tmli_callback_work *w,
                                         const tml_state *x, double *phi_t, tml_error *err)
{
    if (s->def.m == 0) return TML_OK;
    const tmli_callback_line l = {.rate = 1, .tau = tmli_callback_line_step(s, x, x->u, true, STEP_FIRST)};
    return tmli_callback_line_first(s, w, x, &l, phi_field, s->def.m, phi_t, err);  // (1)
}

typedef tml_status derivative_callback(double t, const double *q, const double *u, double *out, void *user);

// out (rows x columns) := derivative of F by q or u, from a callback or by differences.
static tml_status derivative(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                             derivative_callback *given, const char *name, tmli_callback_field *F, bool by_u,
                             int rows, int columns, double *out, tml_error *err)
{
    if (rows == 0 || columns == 0) return TML_OK;
    tmli_callback_zero(out, rows, columns);
    if (given)
        return tmli_callback_check_result(given(x->t, x->q, x->u, out, s->def.user), name, x->t, out, rows,
                                          columns, err);
    return tmli_callback_add_columns(s, w, &w->outer, F, x->t, x->q, x->u, by_u, columns, STEP_FIRST, rows,
                                     out, err);
}

tml_status tmli_callback_force_by_q(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                    double *fq, tml_error *err)
{
    const int n = s->def.n;
    const tml_status st =
        derivative(s, w, x, s->def.force_by_q, "force_by_q", force_field, false, n, n, fq, err);
    return st != TML_OK ? st
                        : derivative(s, w, x, s->def.rate_by_q, "rate_by_q", rate_field, false, s->def.nz, n,
                                     fq + (size_t)n * (size_t)n, err);
}

tml_status tmli_callback_force_by_u(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                    double *fu, tml_error *err)
{
    const int n = s->def.n, N = s->sys.n;
    const tml_status st =
        derivative(s, w, x, s->def.force_by_u, "force_by_u", force_field, true, n, N, fu, err);
    return st != TML_OK ? st
                        : derivative(s, w, x, s->def.rate_by_u, "rate_by_u", rate_field, true, s->def.nz, N,
                                     fu + (size_t)n * (size_t)N, err);
}

tml_status tmli_callback_stiffness(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                   const double *mu, double *K, tml_error *err)
{
    const int n = s->def.n;
    if (n == 0) return TML_OK;
    tmli_callback_zero(K, n, n);
    if (s->def.stiffness)
        return tmli_callback_check_result(s->def.stiffness(x->t, x->q, x->udot, mu, K, s->def.user),
                                          "stiffness", x->t, K, n, n, err);
    w->v = x->udot;
    const tml_status st = tmli_callback_add_columns(s, w, &w->outer, mass_times_field, x->t, x->q, x->u,
                                                    false, n, STEP_FIRST, n, K, err);
    if (st != TML_OK || s->def.m == 0) return st;
    w->field_mu = mu;
    const double factor = s->def.constraint_jacobian ? STEP_FIRST : STEP_FIRST_NESTED;
    return tmli_callback_add_columns(s, w, &w->outer, constraint_force_field, x->t, x->q, x->u, false, n,
                                     factor, n, K, err);
}

tml_status tmli_callback_rows_times(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                    const double *v, double *by_q, tml_error *err)
{
    if (s->def.m == 0) return TML_OK;
    const double factor = s->def.constraint_jacobian ? STEP_FIRST : STEP_FIRST_NESTED;
    const tmli_callback_line l = {.v = v, .rate = 0, .tau = tmli_callback_line_step(s, x, v, false, factor)};
    const tml_status st = tmli_callback_line_first(s, w, x, &l, tmli_callback_jacobian_field,
                                                   s->def.m * s->def.n, by_q, err);  // (2)
    const size_t first = (size_t)tmli_callback_position_rows(s) * (size_t)s->def.n;
    return st == TML_OK ? tmli_callback_velocity_rows_times(s, w, x, v, by_q + first, err) : st;
}

tml_status tmli_callback_gamma(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                               double *gamma, tml_error *err)
{
    const int n = s->def.n, m = s->def.m;
    if (m == 0) return TML_OK;
    if (s->def.gamma) return gamma_field(s, w, x->t, x->q, x->u, gamma, err);
    const bool given = s->def.constraint_jacobian != NULL;
    const tmli_callback_line twice = {
        .v = given ? NULL : x->u, .rate = 1, .tau = tmli_callback_line_step(s, x, x->u, true, STEP_SECOND)};
    // (3), or the last term of (4)
    tml_status st = s->def.constraint_increment && !given
                        ? second_by_increments(s, w, x, gamma, err)
                        : tmli_callback_line_second(s, w, x, &twice, phi_field, m, gamma, err);
    if (st == TML_OK && given) {
        const tmli_callback_line once = {
            .v = x->u, .rate = 2, .tau = tmli_callback_line_step(s, x, x->u, true, STEP_FIRST)};
        st = tmli_callback_line_first(s, w, x, &once, tmli_callback_jacobian_field, m * n, w->Bdot, err);
        if (st == TML_OK) tmli_callback_add_product(1, w->Bdot, m, n, x->u, gamma);  // (4)
    }
    for (int i = 0; i < m; i++) gamma[i] = 0 - gamma[i];
    if (st == TML_OK && s->def.velocity_rows > 0)
        st = tmli_callback_velocity_gamma(s, w, x, STEP_FIRST, gamma + tmli_callback_position_rows(s), err);
    return st;
}

tml_status tmli_callback_gamma_by_q(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                    double *by_q, tml_error *err)
{
    const int n = s->def.n, m = s->def.m;
    if (m == 0) return TML_OK;
    if (s->def.gamma) {
        tmli_callback_zero(by_q, m, n);
        return tmli_callback_add_columns(s, w, &w->outer, gamma_field, x->t, x->q, x->u, false, n, STEP_FIRST,
                                         m, by_q, err);
    }
    const double factor = s->def.constraint_jacobian ? STEP_SECOND : STEP_SECOND_NESTED;
    const tmli_callback_line l = {
        .v = x->u, .rate = 1, .tau = tmli_callback_line_step(s, x, x->u, true, factor)};
    const tml_status st =
        tmli_callback_line_second(s, w, x, &l, tmli_callback_jacobian_field, m * n, by_q, err);
    for (int i = 0; i < m * n; i++) by_q[i] = 0 - by_q[i];  // (6)
    return st == TML_OK && s->def.velocity_rows > 0
               ? tmli_callback_velocity_gamma_by_q(
                     s, w, x, by_q + (size_t)tmli_callback_position_rows(s) * (size_t)n, err)
               : st;
}

tml_status tmli_callback_gamma_by_u(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                    double *by_u, tml_error *err)
{
    const int n = s->def.n, m = s->def.m;
    if (m == 0) return TML_OK;
    if (s->def.gamma) {
        tmli_callback_zero(by_u, m, n);
        return tmli_callback_add_columns(s, w, &w->outer, gamma_field, x->t, x->q, x->u, true, n, STEP_FIRST,
                                         m, by_u, err);
    }
    const double factor = s->def.constraint_jacobian ? STEP_FIRST : STEP_FIRST_NESTED;
    const tmli_callback_line l = {
        .v = x->u, .rate = 1, .tau = tmli_callback_line_step(s, x, x->u, true, factor)};
    tml_status st = tmli_callback_line_first(s, w, x, &l, tmli_callback_jacobian_field, m * n, by_u, err);
    const int first = tmli_callback_position_rows(s) * n, last = m * n;
    for (int i = 0; i < first; i++) by_u[i] *= -2;  // (5)
    if (st != TML_OK || first == last) return st;
    st = tmli_callback_velocity_by_q(s, w, x, w->Bdot, err);
    for (int i = first; i < last; i++) by_u[i] = 0 - by_u[i] - w->Bdot[i - first];  // (5')
    return st;
}

// Along a motion (1) of trammel/system.h the kinetic energy T = 1/2 u' M u changes by dT/dt = u'(f - B'
// lambda) + 1/2 u' Mdot u. The power of all forces without the potential V is
//
//   P = u' f + lambda' Phi_t + 1/2 u' Mdot u + dV/dt                          (9)
//
// because B u = -Phi_t, with -nu for Phi_t of rows at velocity level; P = 0 for a conservative system.
// Without the callback `energy`, V = 0.
tml_status tmli_callback_energy(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                double *kinetic, double *potential, double *power, tml_error *err)
{
    const int n = s->def.n;
    double e[2] = {0, 0}, vdot = 0, uMu = 0, uMdotu = 0, P = 0;
    const tmli_callback_line l = {
        .v = x->u, .rate = 1, .tau = tmli_callback_line_step(s, x, x->u, true, STEP_FIRST)};
    w->v = x->u;
    tml_status st = tmli_callback_line_first(s, w, x, &l, mass_times_field, n, w->f, err);
    for (int i = 0; i < n; i++) uMdotu += x->u[i] * w->f[i];
    if (st == TML_OK && s->def.energy) {
        st = energies_at(s, x->t, x->q, x->u, e, err);
        if (st == TML_OK) st = tmli_callback_line_first(s, w, x, &l, potential_field, 1, &vdot, err);
    } else if (st == TML_OK) {
        st = mass_times_field(s, w, x->t, x->q, x->u, w->f, err);
        for (int i = 0; i < n; i++) uMu += x->u[i] * w->f[i];
        e[0] = uMu / 2;
    }
    if (st == TML_OK) st = tmli_callback_force(s, x, w->f, err);
    if (st == TML_OK) st = tmli_callback_constraint_rate(s, w, x, w->rate, err);
    if (st == TML_OK) st = tmli_callback_nu_field(s, w, x->t, x->q, x->u, w->phi, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < s->def.velocity_rows; i++)
        w->rate[tmli_callback_position_rows(s) + i] = 0 - w->phi[i];
    for (int i = 0; i < n; i++) P += x->u[i] * w->f[i];
    for (int i = 0; i < s->def.m; i++) P += x->lambda[i] * w->rate[i];
    *kinetic = e[0];
    *potential = e[1];
    *power = P + uMdotu / 2 + vdot;
    return TML_OK;
}
