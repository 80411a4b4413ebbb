// The equations of the independent coordinates, and the derivatives of all accelerations by them; equation
// numbers as in reduction.h and jacobian.c. D. Negrut, thesis, University of Iowa, 1998, 3.2 and 3.3.
//
// State-space form. Given v'' = a at the last solution of (2) and (3), with d'' = V a + U w'',
//   B (T d'' + T' d') = gamma                        -> w'', udot            thesis (3.9), (3.13)        (15)
//   U'T' (M udot + B' lambda - f) = 0                -> lambda               thesis (3.6), (3.14)        (16)
//   psi = V'T' (M udot + B' lambda - f)                                      thesis (3.5), (3.30)        (17)
// B T U is factored once at this configuration and serves both. psi = Mr (a - a(t, v, v')) with Mr = H'M H,
// the mass that v feels (thesis (3.16)).
//
// Descriptor form with all derivatives. [M B'; B 0] and the dof columns of thesis 3.3 that hold q and u as
// functions of v'' make one matrix A0 + F V+. Its inverse follows from those of A0 and of the small
// S = 1 - cd by_vd - ck by_v (thesis, proposition 1):
//   A0 y0 = -residual,   S da = V+ y0 + r,   dudot = y0 + (change of udot for dv = ck da, dv' = cd da)   (18)
// The last term is (9) - (12). r: v'' of the iterate's accelerations, less the v'' that v and v' were made
// with; it is 0 where T = 1.
#include "reduction/internal.h"
#include "system/active_rows/active_rows.h"

#include <string.h>

// out (n) := T'f at the increment tw->d.
static void tangent_transposed(const tmli_reduction *r, tmli_thread_work *tw, const double *f, double *out)
{
    const tml_system *s = r->sys;
    if (!s->ops->tangent_rate) {
        memcpy(out, f, (size_t)s->n * sizeof *out);
        return;
    }
    for (int local = 0; tmli_reduction_tangent_column(r, tw, local); local++) {
        for (int j = 0, first = 0; j < s->n; j++) {
            if (s->node[j] != s->node[first]) first = j;
            if (tw->y[j] == 0) continue;
            double sum = 0;
            for (int i = first; i < s->n && s->node[i] == s->node[first]; i++) sum += tw->z[i] * f[i];
            out[j] = sum;
        }
    }
}

// psi (dof) := V'f.
static void restrict_force(const tmli_reduction *r, const double *f, double *psi)
{
    const int n = r->sys->n, *column = r->choice.column + r->choice.rank;
    for (int k = 0; k < r->dof; k++) {
        if (!r->tangent) {
            psi[k] = f[column[k]];
            continue;
        }
        const double *V = r->V + (size_t)k * (size_t)n;
        psi[k] = 0;
        for (int j = 0; j < n; j++) psi[k] += V[j] * r->unit[j] * f[j];
    }
}

// lambda (m) with U'(f + (B T)'lambda) = 0, by the transpose of tmli_reduction_constrain; overwrites f (n).
static void dependent_multipliers(const tmli_reduction *r, tmli_thread_work *tw, bool local, double *f,
                                  double *lambda)
{
    const tml_system *s = r->sys;
    const size_t n = (size_t)s->n;
    local = local && tw->use_local;
    for (size_t j = 0; j < n; j++) f[j] *= -r->unit[j];
    if (r->tangent) {  // f -= V N'f, the transpose of (8)
        const double *null_space = local ? tw->null_space : r->V;
        for (int k = 0; k < r->dof; k++) {
            tw->a[k] = 0;
            for (size_t j = 0; j < n; j++) tw->a[k] += null_space[(size_t)k * n + j] * f[j];
        }
        for (int k = 0; k < r->dof; k++)
            for (size_t j = 0; j < n; j++) f[j] -= tw->a[k] * r->V[(size_t)k * n + j];
    }
    tmli_columns_solve_transposed(local ? &tw->local_factor : &tw->centre_factor, f, lambda);
    for (int i = 0; i < s->m; i++) lambda[i] /= r->unit[s->n + i];
}

// f (n) += B'lambda
static void add_reactions(const tml_system *s, const double *B_values, const double *lambda, double *f)
{
    for (int i = 0; i < s->m; i++)
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) f[s->rowcol[k]] += B_values[k] * lambda[i];
}

// (15): x->udot from a; tw->B_values are those of x, and B T U is factored there.
static tml_status find_accelerations(const tmli_reduction *r, tmli_thread_work *tw, tml_state *x,
                                     const double *a, tml_error *err)
{
    const tml_system *s = r->sys;
    double *gamma = tw->residual, *change = tw->column[0];
    tmli_reduction_expand(r, a, tw->y);
    s->ops->tangent(s->self, tw->d, tw->y, x->udot);
    if (s->ops->tangent_rate) {
        s->ops->tangent_rate(s->self, tw->d, tw->d_rate, tw->z);
        for (int j = 0; j < s->n; j++) x->udot[j] += tw->z[j];
    }
    if (s->m == 0) return TML_OK;
    const tml_status st = tmli_active_dynamics(s, tw->work, x, tw->y, gamma, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < s->m; i++)
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++)
            gamma[i] -= tw->B_values[k] * x->udot[s->rowcol[k]];
    tmli_reduction_constrain(r, tw, true, gamma, change);
    s->ops->tangent(s->self, tw->d, change, tw->y);
    for (int j = 0; j < s->n; j++) x->udot[j] += tw->y[j];
    return TML_OK;
}

tml_status tmli_reduction_independent_residual(tmli_reduction *r, tml_state *x, const double *a, double *psi,
                                               tml_error *err)
{
    const tml_system *s = r->sys;
    tmli_thread_work *tw = &r->main_work;
    double *f = tw->column[0], *g = tw->column[1];
    r->count->residuals++;
    if (s->m > 0 && !tmli_reduction_factor_local(r, tw))
        return tmli_fail(err, TML_RETRY, "the dependent coordinates are not determined at t = %g s", x->t);
    tml_status st = find_accelerations(r, tw, x, a, err);
    memset(x->lambda, 0, (size_t)s->m * sizeof *x->lambda);
    if (st == TML_OK)
        st = tmli_active_residual_rows(s, tw->work, x, NULL, tw->motion, tw->residual, tw->B_values, err);
    if (st != TML_OK) return st;
    if (s->m > 0) {
        tangent_transposed(r, tw, tw->motion, f);
        dependent_multipliers(r, tw, true, f, x->lambda);  // (16)
        add_reactions(s, tw->B_values, x->lambda, tw->motion);
    }
    tangent_transposed(r, tw, tw->motion, g);
    restrict_force(r, g, psi);  // (17)
    return TML_OK;
}

bool tmli_reduction_has_independent_equations(const tmli_reduction *r)
{
    return r->velocity_rows == 0 && !r->sys->loads;  // (16) has f without multipliers
}

tml_status tmli_reduction_reduced_mass(tmli_reduction *r, const tml_state *x, double *Mr, tml_error *err)
{
    const tml_system *s = r->sys;
    const tml_pattern *p = s->pattern;
    const tml_assembly mass = {.cm = 1};
    tmli_thread_work *tw = &r->main_work;
    double *e = tw->column[0], *h = tw->column[1], *f = tw->column[2], *g = tw->column[3];
    const tml_status st = tmli_active_assemble(s, tw->work, x, &mass, r->M, err);
    if (st != TML_OK) return st;
    for (int k = 0; k < r->dof; k++) {
        memset(e, 0, (size_t)r->dof * sizeof *e);
        memset(f, 0, (size_t)s->n * sizeof *f);
        e[k] = 1;
        tmli_reduction_lift_in(r, tw, e, h);
        for (int j = 0; j < s->n; j++)
            for (int32_t i = p->colptr[j]; i < p->colptr[j + 1] && p->rowind[i] < s->n; i++)
                f[p->rowind[i]] += r->M[i] * h[j];
        if (s->m > 0) {
            memcpy(g, f, (size_t)s->n * sizeof *g);
            dependent_multipliers(r, tw, false, g, tw->residual);
            add_reactions(s, r->B_values, tw->residual, f);
        }
        restrict_force(r, f, Mr + (size_t)k * (size_t)r->dof);
    }
    return TML_OK;
}

void tmli_reduction_full_correction(tmli_reduction *r, const double *da, double cd, double ck, tml_state *x)
{
    const tml_system *s = r->sys;
    tmli_thread_work *tw = &r->main_work;
    const size_t n = (size_t)s->n;
    double *dd = tw->column[0], *du = tw->column[1], *force = tw->column[2], *first = tw->column[3],
           *second = tw->column[4];
    tmli_reduction_lift_in(r, tw, da, dd);
    for (size_t j = 0; j < n; j++) du[j] = 0;
    if (s->m > 0) {  // (10)
        tmli_reduction_rows_times(s, r->gamma_u, dd, tw->residual);
        for (int i = 0; i < s->m; i++) tw->residual[i] *= ck / 2;
        tmli_reduction_constrain(r, tw, false, tw->residual, du);
    }
    for (size_t j = 0; j < n; j++) du[j] += cd * dd[j];
    for (size_t j = 0; j < n; j++) dd[j] *= ck;
    if (s->ops->tangent_rate) {  // (11)
        tmli_reduction_tangent_derivatives(r, tw, dd, r->centre->u, first, second);
        for (size_t j = 0; j < n; j++) du[j] += first[j];
    }
    memset(force, 0, n * sizeof *force);
    tmli_reduction_subtract_product(s, r->K, dd, force);
    tmli_reduction_subtract_product(s, r->D, du, force);
    for (int i = 0; i < s->m; i++) {
        tw->residual[i] = 0;
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++)
            tw->residual[i] += r->gamma_d[k] * dd[s->rowcol[k]] + r->gamma_u[k] * du[s->rowcol[k]];
    }
    tmli_index1_solve(&r->descriptor, force, tw->residual, force, tw->residual);  // (12)
    for (size_t j = 0; j < n; j++) x->udot[j] += force[j];
    for (int i = 0; i < s->m; i++) x->lambda[i] += tw->residual[i];
}
