// The life of a reduction, and changes of its basis; see reduction.h.
#include "linalg/pattern/pattern.h"
#include "reduction/internal.h"

#include <math.h>
#include <string.h>

// Degrees of freedom from which derivatives are made column by column, shared among threads: exact ones below
// it are cheaper all at once (dense.c). Independent of the number of threads, so that results are.
static const int PARALLEL_EXACT = 128, PARALLEL_DIFFERENCES = 32;

// ---- creation ---------------------------------------------------------------------------------------------

void tmli_thread_work_clear(tmli_thread_work *l, const tml_system *s)
{
    if (l->work) s->ops->destroy_work(l->work);
    tmli_columns_clear(&l->factor);
    tmli_columns_clear(&l->near);
    tmli_index1_clear(&l->dynamics);
    tml_state_destroy(l->x, s);
    tmli_free(&s->env, l->d);
    tmli_free(&s->env, l->null);
    tmli_free(&s->env, l->small);
    tmli_free(&s->env, l->pivot);
    *l = (tmli_thread_work){0};
}

tml_status tmli_thread_work_create(tmli_thread_work *l, const tmli_reduction *r, tml_error *err)
{
    const tml_system *s = r->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m, entries = (size_t)s->rowptr[s->m];
    l->work = s->ops->create_work(s->self, &s->env);
    l->d = tmli_calloc(&s->env, 14 * n + 2 * m + 2 * entries, sizeof(double));
    if (!l->work || !l->d) return tmli_no_memory(err, "reduction");
    l->rate = l->d + n;
    l->v = l->rate + n;
    l->y = l->v + n;
    l->z = l->y + n;
    l->s = l->z + n;
    l->motion = l->s + n;
    l->a = l->motion + n;
    l->residual = l->a + n;
    l->b = l->residual + m;
    l->rows = l->b + m;
    l->scaled = l->rows + entries;
    for (int i = 0; i < 6; i++) l->column[i] = l->scaled + entries + (size_t)i * n;
    tml_status st = tml_state_create(s, &l->x, err);
    if (st == TML_OK) st = tmli_columns_create(&r->choice, s->rowptr, s->rowcol, &s->env, &l->factor, err);
    if (st == TML_OK) st = tmli_columns_create(&r->choice, s->rowptr, s->rowcol, &s->env, &l->near, err);
    if (st == TML_OK) st = tmli_index1_create(s, r->opt.solver, &l->dynamics, err);
    return st;
}

void tmli_reduction_destroy(tmli_reduction *r)
{
    if (!r) return;
    const tml_system *s = r->sys;
    const tml_env env = s->env;
    tmli_thread_work_clear(&r->lane, s);
    tmli_pool_destroy(r->pool);
    for (int i = 0; i < r->helpers; i++) tmli_thread_work_clear(&r->helper[i], s);
    tmli_free(&env, r->helper);
    tmli_index1_clear(&r->descriptor);
    tmli_columns_clear(&r->old);
    tmli_pivot_choice_clear(&r->choice);
    tmli_pivot_choice_clear(&r->before);
    tml_state_destroy(r->centre, s);
    tmli_free(&env, r->unit);
    tmli_free(&env, r->few);
    tmli_free(&env, r->few_pivot);
    tmli_free(&env, r->V);
    tmli_free(&env, r->V_before);
    tmli_free(&env, r);
}

// Exact derivatives need a helper per thread; differences always the same number of them, as what each of
// them has factored before may show in the last bit.
static tml_status create_helpers(tmli_reduction *r, tml_error *err)
{
    const tml_env *env = &r->sys->env;
    tml_status st = TML_OK;
    if (r->opt.threads != 1)
        st = tmli_pool_create(r->opt.threads < TMLI_REDUCTION_THREADS ? r->opt.threads
                                                                      : TMLI_REDUCTION_THREADS,
                              env, &r->pool, err);
    const bool exact = tmli_reduction_is_exact(r);
    const int count = exact ? tmli_pool_threads(r->pool) : TMLI_REDUCTION_THREADS;
    if (st == TML_OK) r->helper = tmli_calloc(env, (size_t)count, sizeof *r->helper);
    if (st == TML_OK && !r->helper) st = tmli_no_memory(err, "reduction");
    for (; r->helpers < count && st == TML_OK; r->helpers++)
        st = tmli_thread_work_create(&r->helper[r->helpers], r, err);
    if (st == TML_OK && r->opt.threads != 1 &&
        r->opt.solver->set_threads)  // of the lane that works while others wait
        st = r->opt.solver->set_threads(r->lane.dynamics.lin, r->opt.threads, err);
    return st;
}

static tml_status create_parts(tmli_reduction *r, tml_error *err)
{
    const tml_system *s = r->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m, entries = (size_t)s->rowptr[s->m];
    const size_t nnz = (size_t)tmli_pattern_nnz(s->pattern);
    r->unit = tmli_calloc(&s->env, (n + m) + 2 * entries + 2 * m + n + 3 * nnz + 3 * entries, sizeof(double));
    if (!r->unit) return tmli_no_memory(err, "reduction");
    r->rows = r->unit + n + m;
    r->scaled = r->rows + entries;
    r->phi = r->scaled + entries;
    r->nu = r->phi + m;
    r->test = r->nu + m;
    r->K = r->test + n;
    r->D = r->K + nnz;
    r->M = r->D + nnz;
    r->gamma_d = r->M + nnz;
    r->gamma_u = r->gamma_d + entries;
    r->turning = r->gamma_u + entries;
    tml_status st = tml_state_create(s, &r->centre, err);
    if (st == TML_OK)
        st = tmli_pivot_choice_create(s->m, s->n, s->rowptr, s->rowcol, &s->env, &r->choice, err);
    if (st == TML_OK)
        st = tmli_pivot_choice_create(s->m, s->n, s->rowptr, s->rowcol, &s->env, &r->before, err);
    if (st == TML_OK) st = tmli_columns_create(&r->before, s->rowptr, s->rowcol, &s->env, &r->old, err);
    if (st == TML_OK) st = tmli_thread_work_create(&r->lane, r, err);
    if (st == TML_OK && s->n - s->m >= (tmli_reduction_is_exact(r) ? PARALLEL_EXACT : PARALLEL_DIFFERENCES))
        st = create_helpers(r, err);
    for (int j = 0; j < s->n; j++) r->test[j] = 0.5 + fmod(0.618033988749895 * (j + 1), 1);
    return st;
}

tml_status tmli_reduction_create(const tml_system *sys, const tml_integrator_options *opt,
                                 tml_counters *count, tmli_reduction **out, tml_error *err)
{
    *out = NULL;
    tmli_reduction *r = tmli_calloc(&sys->env, 1, sizeof *r);
    if (!r) return tmli_no_memory(err, "reduction");
    r->sys = sys;
    r->opt = *opt;
    r->count = count;
    r->tangent = opt->coordinates == TML_COORDINATES_TANGENT && sys->m > 0;
    r->lengths = 1;
    for (int j = 0; j < sys->n && r->tangent; j++)
        if (sys->kind[j] == TML_COORDINATE_ROTATION) r->lengths = 100;
    const tml_status st = create_parts(r, err);
    if (st == TML_OK) *out = r;
    else tmli_reduction_destroy(r);
    return st;
}

// ---- the centre -------------------------------------------------------------------------------------------

// Rows left out must agree with the others.
static tml_status check_left_out(const tmli_reduction *r, tml_error *err)
{
    const tml_system *s = r->sys;
    char name[128];
    for (int i = 0; i < s->m; i++)
        if (r->choice.left_out[i] && fabs(r->phi[i]) > 1e-6 * r->unit[s->n + i])
            return tmli_fail(
                err, TML_ERR_SINGULAR,
                "%s depends on other constraints and contradicts them at t = %g s: it is violated by %g; "
                "correct the geometry or remove a joint",
                s->row_name(s, i, name, sizeof name), r->centre->t, r->phi[i]);
    return TML_OK;
}

tml_status tmli_reduction_begin(tmli_reduction *r, const tml_state *x, bool *changed, tml_error *err)
{
    const tml_system *s = r->sys;
    tmli_thread_work *l = &r->lane;
    *changed = false;
    tml_state_copy(r->centre, x);
    r->centre_factored = false;
    if (s->m > 0) {
        tml_status st = s->ops->residual_rows(s->self, l->work, x, NULL, l->motion, r->phi, r->rows, err);
        if (st != TML_OK) return st;
        tmli_reduction_rows_times(s, r->rows, x->u, r->nu);
    }
    const bool had = r->ready;
    tml_status st = tmli_reduction_choose_basis(r, changed, err);
    if (st == TML_OK && had && *changed) r->count->bases++;
    if (st == TML_OK && r->choice.rank < s->m) st = check_left_out(r, err);
    if (st == TML_OK) tmli_reduction_set_centre(r, l);
    r->placed_centre = st == TML_OK;
    return st;
}

int tmli_reduction_dof(const tmli_reduction *r) { return r->dof; }

void tmli_reduction_velocity(const tmli_reduction *r, const tml_state *x, double *vd)
{
    tmli_reduction_extract(r, x->u, vd);
}

// ---- between bases ----------------------------------------------------------------------------------------

void tmli_reduction_lift(const tmli_reduction *r, const double *y, double *full)
{
    tmli_reduction_lift_in(r, (tmli_thread_work *)&r->lane, y, full);
}

// out (dof) = V+ H_before y
static void carry(const tmli_reduction *r, const double *y, double *out)
{
    const tml_system *s = r->sys;
    const tmli_thread_work *l = &r->lane;
    if (s->m == 0) {
        memmove(out, y, (size_t)s->n * sizeof *out);
        return;
    }
    for (int j = 0; j < s->n; j++) l->y[j] = 0;
    if (r->tangent) {
        for (int k = 0; k < r->dof_before; k++)
            for (int j = 0; j < s->n; j++)
                l->y[j] += y[k] * r->V_before[(size_t)k * (size_t)s->n + (size_t)j];
        for (int j = 0; j < s->n; j++) l->y[j] *= r->unit[j];
    } else {
        const int *column = r->before.column + r->before.rank;
        for (int k = 0; k < r->dof_before; k++) l->y[column[k]] = y[k];
        tmli_reduction_rows_times(s, r->rows, l->y, l->b);
        for (int i = 0; i < s->m; i++) l->b[i] /= r->unit[s->n + i];
        tmli_columns_solve((tmli_columns *)&r->old, l->b, l->z);
        for (int j = 0; j < s->n; j++) l->y[j] -= r->unit[j] * l->z[j];
    }
    tmli_reduction_extract(r, l->y, out);
}

void tmli_reduction_transform(const tmli_reduction *r, const double *y, double *out) { carry(r, y, out); }

// out (dof) = C^-T y, C^-1 = V+_before H
static void carry_transposed(const tmli_reduction *r, const double *y, double *out)
{
    const tml_system *s = r->sys;
    const tmli_thread_work *l = &r->lane;
    const size_t n = (size_t)s->n;
    for (int j = 0; j < s->n; j++) l->y[j] = 0;
    if (r->tangent) {
        for (int k = 0; k < r->dof_before; k++)
            for (int j = 0; j < s->n; j++) l->y[j] += y[k] * r->V_before[(size_t)k * n + (size_t)j];
        for (int k = 0; k < r->dof; k++) {
            out[k] = 0;
            for (int j = 0; j < s->n; j++) out[k] += l->y[j] * r->V[(size_t)k * n + (size_t)j];
        }
        return;
    }
    // H' z = z_N - B_N' inverse(P') z_P
    const int *column = r->before.column + r->before.rank;
    for (int k = 0; k < r->dof_before; k++) l->y[column[k]] = r->unit[column[k]] * y[k];
    tmli_columns_solve_transposed((tmli_columns *)&l->factor, l->y, l->b);
    for (int i = 0; i < s->m; i++)
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) l->y[s->rowcol[k]] -= r->scaled[k] * l->b[i];
    column = r->choice.column + r->choice.rank;
    for (int k = 0; k < r->dof; k++) out[k] = l->y[column[k]] / r->unit[column[k]];
}

bool tmli_reduction_transform_matrix(const tmli_reduction *r, double *J)
{
    const size_t dof = (size_t)r->dof;
    if (r->sys->m == 0) return true;
    if (r->dof_before != r->dof || (!r->tangent && !r->old_factored)) return false;
    double *row = r->lane.s;
    for (size_t k = 0; k < dof; k++) {
        carry(r, J + k * dof, row);
        memcpy(J + k * dof, row, dof * sizeof *J);
    }
    for (size_t i = 0; i < dof; i++) {
        for (size_t k = 0; k < dof; k++) row[k] = J[k * dof + i];
        carry_transposed(r, row, r->lane.motion);
        for (size_t k = 0; k < dof; k++) J[k * dof + i] = r->lane.motion[k];
    }
    return true;
}
