// The L-stable Rosenbrock-Nystroem method of order 4 for reduced equations y'' = f(t, y, y'): no iteration,
// one linear system with S = 1 - h e J2 - h^2 e^2 J1 per stage (thesis (4.49) .. (4.54)), y0 = 0:
//   S u_i = h e f(t0 + a_i h, Y_i, Y'_i) + h^2 e e_i (f_t + J1 y0')
//           + e sum_{j<i} c_ij u_j + h^2 e J1 sum_{j<i} d_ij u_j                                          (1)
//   Y_i = h a_i y0' + h sum_{j<i} t_ij u_j,     Y'_i = y0' + sum_{j<i} w_ij u_j                           (2)
//   y1 = h y0' + h sum p_i u_i,                 y1' = y0' + sum s_i u_i                                   (3)
// The third and fourth stage share f: three evaluations per step, the first of them at the end of the
// last step. J1, J2 and f_t must be evaluated exactly at the start of the step, because the order depends
// on them. They serve all trials from there.
#include "integrate/statespace/statespace.h"

#include <math.h>
#include <string.h>

// a (dof) := f at (2).
static tml_status evaluate(tmli_statespace *s, int i, double h, double *a, tml_error *err)
{
    const tmli_rosen_table *r = &tmli_rosen_nystroem;
    for (int q = 0; q < s->dof; q++) {
        double v = r->a[i] * s->vd0[q], vd = s->vd0[q];
        for (int j = 0; j < i; j++) {
            v += r->t[i][j] * s->z[j][q];
            vd += r->w[i][j] * s->z[j][q];
        }
        s->v[q] = h * v;
        s->vd[q] = vd;
    }
    tml_status st = tmli_reduction_solve_dependent(s->red, s->x->t + r->a[i] * h, s->v, s->vd, s->trial, err);
    return st == TML_OK ? tmli_reduction_accelerate(s->red, s->trial, a, err) : st;
}

// Solve (1) for u_i, which is stored in z[i].
static tml_status solve_stage(tmli_statespace *s, int i, double h, const double *a, const double *drift,
                              tml_error *err)
{
    const tmli_rosen_table *r = &tmli_rosen_nystroem;
    double *u = s->z[i], *sum = s->dz;
    for (int q = 0; q < s->dof; q++) {
        double c = 0;
        sum[q] = 0;
        for (int j = 0; j < i; j++) {
            c += r->c[i][j] * s->z[j][q];
            sum[q] += r->d[i][j] * s->z[j][q];
        }
        u[q] = r->e * (h * a[q] + h * h * r->row[i] * drift[q] + c);
    }
    tmli_statespace_times_J1(s, h * h * r->e, sum, u);
    tmli_statespace_solve(s, u);
    for (int q = 0; q < s->dof; q++)
        if (!isfinite(u[q]))
            return tmli_fail(err, TML_RETRY, "%s: a solve_stage is not finite at t = %g s", s->scheme->name,
                             s->x->t + h);
    return TML_OK;
}

// out (n) := what dense output adds to accelerations. Evaluated accelerations a contain errors of fast
// modes times their rates. They enter through the filter, as a change of the accelerations c of the cubic
// through positions and velocities of both ends:
//   c + inverse(S) (a - c)                                                                                (4)
// For slow modes this is off by h^3 at most, as a - c is of the order h^2; for fast modes the cubic
// remains.
static void smooth(tmli_statespace *s, const double *cubic, const double *evaluated, double *out)
{
    double *change = s->known_v;
    for (int q = 0; q < s->dof; q++) change[q] = evaluated[q] - cubic[q];
    tmli_statespace_solve(s, change);
    for (int q = 0; q < s->dof; q++) change[q] += cubic[q] - evaluated[q];
    tmli_reduction_lift(s->red, change, out);
}

static void smooth_ends(tmli_statespace *s, double h, const double *end)
{
    double *cubic = s->known_z;
    for (int q = 0; q < s->dof; q++) cubic[q] = (6 * s->v[q] / h - 4 * s->vd0[q] - 2 * s->vd[q]) / h;
    smooth(s, cubic, s->a0, s->smooth);
    for (int q = 0; q < s->dof; q++) cubic[q] = (2 * s->vd0[q] + 4 * s->vd[q] - 6 * s->v[q] / h) / h;
    smooth(s, cubic, end, s->smooth_trial);
}

tml_status tmli_rosen_advance(tmli_statespace *s, double h, tml_error *err)
{
    const tmli_rosen_table *r = &tmli_rosen_nystroem;
    double *drift = s->known_z, *a = s->known_v;
    tml_state_copy(s->trial, s->x);
    tml_status st = tmli_statespace_matrix(s, h * r->e, true, err);
    if (st != TML_OK) return st;
    memcpy(drift, s->Jt, (size_t)s->dof * sizeof(double));
    tmli_statespace_times_J1(s, 1, s->vd0, drift);
    memcpy(a, s->a0, (size_t)s->dof * sizeof(double));
    for (int i = 0; i < TMLI_ROSEN_STAGES && st == TML_OK; i++) {
        if (i == 1 || i == 2) st = evaluate(s, i, h, a, err);
        if (st == TML_OK) st = solve_stage(s, i, h, a, drift, err);
    }
    if (st != TML_OK) return st;
    for (int q = 0; q < s->dof; q++) {
        s->v[q] = s->vd0[q];
        s->vd[q] = s->vd0[q];
        s->e1[q] = s->e2[q] = 0;
        for (int i = 0; i < TMLI_ROSEN_STAGES; i++) {
            s->v[q] += r->p[i] * s->z[i][q];
            s->vd[q] += r->s[i] * s->z[i][q];
            s->e1[q] += h * r->ep[i] * s->z[i][q];
            s->e2[q] += r->ev[i] * s->z[i][q];
        }
        s->v[q] *= h;
    }
    st = tmli_reduction_solve_dependent(s->red, s->x->t + h, s->v, s->vd, s->trial, err);
    if (st == TML_OK) st = tmli_reduction_accelerate(s->red, s->trial, s->dz, err);
    if (st != TML_OK) return st;
    smooth_ends(s, h, s->dz);
    if (s->sys->nz > 0) tmli_reduction_lift(s->red, s->e2, s->unfiltered);
    if (!s->embedded) tmli_statespace_filter(s, h * r->e);
    return TML_OK;
}
