// The equations of a robot at its state, and the gradients of its accelerations.
//
//   [M  B'] [udot   ]   [tau + Q - h]
//   [B  0 ] [-lambda] = [gamma      ]                                                                     (1)
//
// With the residual r = M udot + h - Q - B'lambda, whose derivatives by q and u are K and D, the
// accelerations change by
//   [M  B'] [d udot   ]   [d tau - K dq - D du                    ]
//   [B  0 ] [-d lambda] = [gamma_q dq + gamma_u du - (B udot)_q dq]                              (2)
// First-order states z are coordinates of the system, with M = 1 and the force zdot; they are left out of
// what is returned, and derivatives are at constant z. Small motions dq are in the directions of u.
// Multipliers of states have the other sign. Rows that depend on others, as those of a closed chain of
// parallel axes, are left out of (1) and (2), as in runs (consistency/redundant_rows.h): their multipliers
// are 0.
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "robot/robot.h"

#include <math.h>
#include <string.h>

#include "consistency/tolerances.h"
#include "robot/constants.h"

// ---- parts ------------------------------------------------------------------------------------------------

tml_status tml_robot_mass_matrix(tml_robot *r, double *M, tml_error *err)
{
    if (!r || !M) return tmli_null_argument(err, "tml_robot_mass_matrix");
    const tml_status st = tmli_joint_space_parts(r->sys, r->work, r->y, r->M, NULL, NULL, err);
    if (st == TML_OK) tmli_robot_columns(r, r->n, r->M, M);  // symmetric
    return st;
}

tml_status tml_robot_forces(tml_robot *r, double *bias, double *forces, tml_error *err)
{
    if (!r) return tmli_null_argument(err, "tml_robot_forces");
    double *load[2] = {r->right, r->right + r->sys->n}, *const out[2] = {bias, forces};
    tmli_joint_space_loads(r->sys, r->work, r->y, bias ? load[0] : NULL, forces ? load[1] : NULL);
    for (int k = 0; k < 2; k++)
        if (out[k]) tmli_robot_columns(r, 1, load[k], out[k]);
    return TML_OK;
}

tml_status tml_robot_rows(tml_robot *r, double *B, double *gamma, tml_error *err)
{
    if (!r) return tmli_null_argument(err, "tml_robot_rows");
    const tml_system *s = r->sys;
    tml_status st = s->ops->dynamics(s->self, r->work, r->y, r->right, r->right + s->n, err);
    if (st == TML_OK) st = s->ops->rows(s->self, r->work, r->y, r->rows, err);
    if (st != TML_OK) return st;
    if (gamma && s->m > 0) memcpy(gamma, r->right + s->n, (size_t)s->m * sizeof *gamma);
    if (!B) return TML_OK;
    memset(B, 0, (size_t)s->m * (size_t)r->n * sizeof *B);
    for (int i = 0; i < s->m; i++)
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) B[i * r->n + s->rowcol[k]] += r->rows[k];
    return TML_OK;
}

tml_status tml_robot_inverse_dynamics(tml_robot *r, const double *udot, double *tau, tml_error *err)
{
    if (!r || !tau) return tmli_null_argument(err, "tml_robot_inverse_dynamics");
    const size_t n = (size_t)r->n, all = (size_t)r->sys->n;
    double *bias = r->right, *forces = bias + all;
    tmli_joint_space_loads(r->sys, r->work, r->y, bias, forces);
    for (size_t i = 0; i < n; i++) tau[i] = bias[i] - forces[i];
    if (!udot) return TML_OK;
    const tml_status st = tmli_joint_space_parts(r->sys, r->work, r->y, r->M, NULL, NULL, err);
    for (size_t j = 0; j < n && st == TML_OK; j++)
        for (size_t i = 0; i < n; i++) tau[i] += r->M[j * all + i] * udot[j];
    return st;
}

// ---- accelerations ----------------------------------------------------------------------------------------

// The matrix of (1), and its factors. Sets r->M and the rows of B in r->rows.
static tml_status factor(tml_robot *r, tml_error *err)
{
    const tml_system *s = r->sys;
    const size_t n = (size_t)s->n, all = n + (size_t)s->m;
    const int size = (int)all;
    tml_status st = tmli_lapack_load(err);
    if (st == TML_OK) st = tmli_joint_space_parts(s, r->work, r->y, r->M, NULL, NULL, err);
    if (st == TML_OK) st = s->ops->rows(s->self, r->work, r->y, r->rows, err);
    for (int i = 0; i < s->m; i++) r->redundant.row_size[i] = 0;  // the choice depends on this state alone
    if (st == TML_OK && s->m > 0)
        st = tmli_redundant_rows_find(&r->redundant, r->y, TMLI_BUILT_TOLERANCE, TMLI_INACTIVE_ALIKE, err);
    if (st != TML_OK) return st;
    memset(r->A, 0, all * all * sizeof *r->A);
    for (size_t j = 0; j < n; j++) memcpy(r->A + j * all, r->M + j * n, n * sizeof *r->A);
    for (size_t i = 0; i < (size_t)s->m; i++) {
        const bool left_out = r->redundant.choice.left_out[i];
        if (left_out) r->A[(n + i) * (all + 1)] = 1;
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1] && !left_out; k++) {
            const size_t j = (size_t)s->rowcol[k];
            r->A[j * all + n + i] += r->rows[k];
            r->A[(n + i) * all + j] += r->rows[k];
        }
    }
    double norm = 0, rcond = 0;
    for (size_t j = 0; j < all; j++) {
        double sum = 0;
        for (size_t i = 0; i < all; i++) sum += fabs(r->A[j * all + i]);
        norm = fmax(norm, sum);
    }
    int info = 0;
    tmli_dgetrf(&size, &size, r->A, &size, r->pivot, &info);
    if (info == 0) {
        double *work = tmli_calloc(&r->env, 4 * all, sizeof *work);
        int *iwork = tmli_calloc(&r->env, all, sizeof *iwork);
        if (work && iwork) tmli_dgecon("1", &size, r->A, &size, &norm, &rcond, work, iwork, &info, 1);
        const bool memory = work && iwork;
        tmli_free_all(&r->env, work, iwork);
        if (!memory) return tmli_no_memory(err, "robot");
    }
    if (info == 0 && rcond > SMALLEST_RCOND) return TML_OK;
    return tmli_fail(err, TML_ERR_SINGULAR, "the equations of the robot are singular: %s",
                     s->m > 0 ? "a coordinate moves nothing with inertia, or loops are near a singular "
                                "configuration"
                              : "a coordinate moves nothing with inertia");
}

static void solve(tml_robot *r, int count)
{
    const int n = r->sys->n, m = r->sys->m, size = n + m;
    int info = 0;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < count && r->redundant.choice.left_out[i]; k++)
            r->right[(size_t)k * (size_t)size + (size_t)(n + i)] = 0;
    if (count > 0) tmli_dgetrs("N", &size, &count, r->A, &size, r->pivot, r->right, &size, &info, 1);
}

// r->y->udot and lambda by (1); the matrix is factored.
static tml_status accelerate(tml_robot *r, const double *tau, tml_error *err)
{
    const tml_system *s = r->sys;
    tml_state *y = r->y;
    tml_status st = factor(r, err);
    if (st == TML_OK) st = s->ops->dynamics(s->self, r->work, y, r->right, r->right + s->n, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < r->n && tau; i++) r->right[i] += tau[i];
    solve(r, 1);
    memcpy(y->udot, r->right, (size_t)s->n * sizeof *y->udot);
    if (s->m > 0) memcpy(y->lambda, r->right + s->n, (size_t)s->m * sizeof *y->lambda);
    for (int i = 0; i < s->n; i++)
        if (!isfinite(y->udot[i]))
            return tmli_fail(err, TML_ERR_NAN, "the acceleration of '%s' is not a number", r->coords[i].name);
    return TML_OK;
}

tml_status tml_robot_accelerations(tml_robot *r, const double *tau, double *udot, double *lambda,
                                   tml_error *err)
{
    if (!r || !udot) return tmli_null_argument(err, "tml_robot_accelerations");
    const tml_status st = accelerate(r, tau, err);
    if (st != TML_OK) return st;
    memcpy(udot, r->y->udot, (size_t)r->n * sizeof *udot);
    for (int i = 0; i < r->sys->m && lambda; i++) lambda[i] = -r->y->lambda[i];
    return TML_OK;
}

// ---- gradients --------------------------------------------------------------------------------------------

// Adds sign times entries of rows, ordered as B, to the last m rows of right sides that begin at column
// `first`.
static void add_rows(tml_robot *r, const double *values, double sign, size_t first)
{
    const tml_system *s = r->sys;
    const size_t n = (size_t)s->n, all = n + (size_t)s->m;
    for (size_t i = 0; i < (size_t)s->m; i++)
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++)
            r->right[(first + (size_t)s->rowcol[k]) * all + n + i] += sign * values[k];
}

// Right sides of (2): columns for dq, du, d tau.
static tml_status set_right_sides(tml_robot *r, tml_error *err)
{
    const tml_system *s = r->sys;
    const size_t n = (size_t)s->n, all = n + (size_t)s->m, entries = (size_t)s->rowptr[s->m];
    tml_status st = tmli_joint_space_parts(s, r->work, r->y, r->M, r->D, r->K, err);
    if (st != TML_OK) return st;
    memset(r->right, 0, 3 * all * n * sizeof *r->right);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) r->right[j * all + i] = -r->K[j * n + i];
        for (size_t i = 0; i < n; i++) r->right[(n + j) * all + i] = -r->D[j * n + i];
        r->right[(2 * n + j) * all + j] = 1;
    }
    if (s->m == 0) return TML_OK;
    st = s->ops->gamma_derivatives(s->self, r->work, r->y, r->rows, r->rows + entries, err);
    if (st != TML_OK) return st;
    add_rows(r, r->rows, 1, 0);
    add_rows(r, r->rows + entries, 1, n);
    st = s->ops->rows_times(s->self, r->work, r->y, r->y->udot, r->rows, err);
    if (st == TML_OK) add_rows(r, r->rows, -1, 0);
    return st;
}

tml_status tml_robot_gradients(tml_robot *r, const double *tau, double *by_q, double *by_u, double *by_tau,
                               tml_error *err)
{
    if (!r) return tmli_null_argument(err, "tml_robot_gradients");
    const size_t n = (size_t)r->n, N = (size_t)r->sys->n, all = N + (size_t)r->sys->m;
    tml_status st = accelerate(r, tau, err);
    if (st == TML_OK) st = set_right_sides(r, err);
    if (st != TML_OK) return st;
    solve(r, 3 * (int)N);
    double *const out[3] = {by_q, by_u, by_tau};
    for (size_t part = 0; part < 3; part++)
        for (size_t j = 0; j < n && out[part]; j++)
            for (size_t i = 0; i < n; i++) out[part][i * n + j] = r->right[(part * N + j) * all + i];
    return TML_OK;
}
