// Creation of a reduction, its centre, and changes of its basis; see reduction.h.
#include "reduction/internal.h"
#include "system/active_rows/active_rows.h"
#include "system/state/fields.h"

#include <math.h>
#include <string.h>

#include "consistency/tolerances.h"
#include "reduction/constants.h"

// ---- creation ---------------------------------------------------------------------------------------------

static const tmli_fields WORK = {
    "reduction", offsetof(tmli_thread_work, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_thread_work, use_local, topology_singular),
                        TMLI_NUMBERS(tmli_thread_work, choice_version, choice_version),
                        TMLI_NUMBERS(tmli_thread_work, t, t),
                        TMLI_WORK(tmli_thread_work, work),
                        TMLI_SCRATCH_STATES(tmli_thread_work, x, x),
                        TMLI_KEPT(tmli_thread_work, d, column, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_thread_work, residual, b, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_thread_work, B_values, B_scaled, TMLI_BY_ENTRIES, 1),
                        {0}}};
static const tmli_fields FIELDS = {
    "reduction", offsetof(tmli_reduction, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_reduction, ready, at_centre),
                        TMLI_NUMBERS(tmli_reduction, condition, condition),
                        TMLI_NUMBERS(tmli_reduction, age, age),
                        TMLI_INDICES(tmli_reduction, dof, dof_before, 0, TMLI_BY_N, 0),
                        TMLI_KEPT_STATES(tmli_reduction, centre, centre),
                        TMLI_KEPT(tmli_reduction, unit, unit, TMLI_BY_NM, 1),
                        TMLI_KEPT(tmli_reduction, phi, nu, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_reduction, test_vector, test_vector, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_reduction, K, M, TMLI_BY_NNZ, 1),
                        TMLI_KEPT(tmli_reduction, B_values, row_change, TMLI_BY_ENTRIES, 1),
                        TMLI_KEPT(tmli_reduction, left_out, left_out, TMLI_BY_M, 1),
                        {0}}};

static void clear_thread_work(tmli_thread_work *tw, const tml_system *s)
{
    tmli_columns_clear(&tw->centre_factor);
    tmli_columns_clear(&tw->local_factor);
    tmli_index1_clear(&tw->dynamics);
    tmli_object_clear(&WORK, s, tw);
    tmli_free_all(&s->env, tw->null_space, tw->square, tw->pivot);
    *tw = (tmli_thread_work){0};
}

static tml_status create_thread_work(tmli_thread_work *tw, const tmli_reduction *r, tml_error *err)
{
    const tml_system *s = r->sys;
    tml_status st = tmli_object_create(&WORK, s, tw, err);
    if (st == TML_OK)
        st = tmli_columns_create(&r->choice, s->rowptr, s->rowcol, &s->env, &tw->centre_factor, err);
    if (st == TML_OK)
        st = tmli_columns_create(&r->choice, s->rowptr, s->rowcol, &s->env, &tw->local_factor, err);
    // without rows all accelerations come from the elimination along the tree
    if (st == TML_OK && (r->derivatives || s->m > 0 || !s->ops->accelerate))
        st = tmli_index1_create(s, r->opt.solver, &tw->dynamics, err);
    return st;
}

void tmli_reduction_destroy(tmli_reduction *r)
{
    if (!r) return;
    const tml_system *s = r->sys;
    const tml_env env = s->env;
    clear_thread_work(&r->main_work, s);
    tmli_pool_destroy(r->pool);
    for (int i = 0; i < r->helper_count; i++) clear_thread_work(&r->helper_work[i], s);
    tmli_free(&env, r->helper_work);
    tmli_index1_clear(&r->descriptor);
    tmli_columns_clear(&r->old_factor);
    tmli_pivot_choice_clear(&r->choice);
    tmli_pivot_choice_clear(&r->choice_before);
    tmli_object_clear(&FIELDS, s, r);
    tmli_free_all(&env, r->dense_memory, r->dense_pivot, r->V, r->V_before, r);
}

// Exact derivatives need one workspace per thread. Differences always use the same number of workspaces,
// because the factorization history of each may change the last bit of its results.
static tml_status create_helpers(tmli_reduction *r, tml_error *err)
{
    const tml_env *env = &r->sys->env;
    tml_status st = TML_OK;
    if (r->opt.run.threads != 1)
        st = tmli_pool_create(r->opt.run.threads < TMLI_REDUCTION_THREADS ? r->opt.run.threads
                                                                          : TMLI_REDUCTION_THREADS,
                              env, &r->pool, err);
    const bool exact = tmli_reduction_is_exact(r);
    const int count = exact ? tmli_pool_threads(r->pool) : TMLI_REDUCTION_THREADS;
    if (st == TML_OK) r->helper_work = tmli_calloc(env, (size_t)count, sizeof *r->helper_work);
    if (st == TML_OK && !r->helper_work) st = tmli_no_memory(err, "reduction");
    for (; r->helper_count < count && st == TML_OK; r->helper_count++)
        st = create_thread_work(&r->helper_work[r->helper_count], r, err);
    return st;
}

// For solves outside of parallel sections.
static tml_status set_threads(tmli_reduction *r, tml_error *err)
{
    if (r->opt.run.threads == 1 || !r->opt.solver->set_threads || !r->main_work.dynamics.sys) return TML_OK;
    return r->opt.solver->set_threads(r->main_work.dynamics.lin, r->opt.run.threads, err);
}

static tml_status create_parts(tmli_reduction *r, tml_error *err)
{
    const tml_system *s = r->sys;
    tml_status st = tmli_object_create(&FIELDS, s, r, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < s->m; i++) r->velocity_rows += tmli_reduction_is_velocity_row(r, i);
    st = tmli_pivot_choice_create(s->m, s->n, s->rowptr, s->rowcol, &s->env, &r->choice, err);
    if (st == TML_OK)
        st = tmli_pivot_choice_create(s->m, s->n, s->rowptr, s->rowcol, &s->env, &r->choice_before, err);
    if (st == TML_OK)
        st = tmli_columns_create(&r->choice_before, s->rowptr, s->rowcol, &s->env, &r->old_factor, err);
    if (st == TML_OK) st = create_thread_work(&r->main_work, r, err);
    // dense derivatives are for rows that restrict positions
    const bool exact = tmli_reduction_is_exact(r),
               large = s->n - s->m >= (exact ? 4 * PARALLEL_DOF : PARALLEL_DOF);
    const bool parallel = (r->velocity_rows > 0 && exact) || large;
    if (st == TML_OK && parallel && r->derivatives) st = create_helpers(r, err);
    if (st == TML_OK && parallel) st = set_threads(r, err);
    for (int j = 0; j < s->n; j++) r->test_vector[j] = 0.5 + fmod(0.618033988749895 * (j + 1), 1);
    return st;
}

tml_status tmli_reduction_create(const tml_system *sys, const tml_integrator_options *opt, bool derivatives,
                                 tml_counters *count, tmli_reduction **out, tml_error *err)
{
    *out = NULL;
    tmli_reduction *r = tmli_calloc(&sys->env, 1, sizeof *r);
    if (!r) return tmli_no_memory(err, "reduction");
    r->sys = sys;
    r->opt = *opt;
    r->derivatives = derivatives;
    r->count = count;
    r->tangent = opt->run.coordinates == TML_COORDINATES_TANGENT && sys->m > 0;
    r->translation_factor = 1;
    for (int j = 0; j < sys->n && r->tangent; j++)
        if (sys->kind[j] == TML_COORDINATE_ROTATION) r->translation_factor = TRANSLATION_FACTOR;
    const tml_status st = create_parts(r, err);
    if (st == TML_OK) *out = r;
    else tmli_reduction_destroy(r);
    return st;
}

// ---- the centre -------------------------------------------------------------------------------------------

// Left-out rows must not contradict the others.
static tml_status check_left_out(const tmli_reduction *r, tml_error *err)
{
    const tml_system *s = r->sys;
    char name[128];
    for (int i = 0; i < s->m; i++)
        if (r->left_out[i] && fabs(r->phi[i]) > TMLI_GAP_INCREASE * r->unit[s->n + i])
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
    tmli_thread_work *tw = &r->main_work;
    *changed = false;
    tml_state_copy(r->centre, x);
    r->centre_factored = false;
    if (s->m > 0) {
        tml_status st = tmli_active_residual_rows(s, tw->work, x, NULL, tw->motion, r->phi, r->B_values, err);
        if (st != TML_OK) return st;
        tmli_reduction_rows_times(s, r->B_values, x->u, r->nu);
    }
    const bool had_basis = r->ready;
    tml_status st = tmli_reduction_choose_basis(r, changed, err);
    if (st == TML_OK && had_basis && *changed) r->count->bases++;
    if (st == TML_OK && r->choice.rank < s->m) st = check_left_out(r, err);
    if (st == TML_OK) tmli_reduction_set_centre(r, tw);
    r->at_centre = st == TML_OK;
    return st;
}

int tmli_reduction_dof(const tmli_reduction *r) { return r->dof; }
void *tmli_reduction_work(const tmli_reduction *r) { return r->main_work.work; }

void tmli_reduction_velocity(const tmli_reduction *r, const tml_state *x, double *vd)
{
    tmli_reduction_extract(r, x->u, vd);
}

// ---- between bases ----------------------------------------------------------------------------------------

void tmli_reduction_lift(const tmli_reduction *r, const double *y, double *full)
{
    tmli_reduction_lift_in(r, (tmli_thread_work *)&r->main_work, y, full);
}

// out (dof) = V+ H_before y
void tmli_reduction_transform(const tmli_reduction *r, const double *y, double *out)
{
    const tml_system *s = r->sys;
    const tmli_thread_work *tw = &r->main_work;
    if (s->m == 0) {
        memmove(out, y, (size_t)s->n * sizeof *out);
        return;
    }
    for (int j = 0; j < s->n; j++) tw->y[j] = 0;
    if (r->tangent) {
        for (int k = 0; k < r->dof_before; k++)
            for (int j = 0; j < s->n; j++)
                tw->y[j] += y[k] * r->V_before[(size_t)k * (size_t)s->n + (size_t)j];
        for (int j = 0; j < s->n; j++) tw->y[j] *= r->unit[j];
    } else {
        const int *column = r->choice_before.column + r->choice_before.rank;
        for (int k = 0; k < r->dof_before; k++) tw->y[column[k]] = y[k];
        tmli_reduction_rows_times(s, r->B_values, tw->y, tw->b);
        for (int i = 0; i < s->m; i++) tw->b[i] /= r->unit[s->n + i];
        tmli_columns_solve((tmli_columns *)&r->old_factor, tw->b, tw->z);
        for (int j = 0; j < s->n; j++) tw->y[j] -= r->unit[j] * tw->z[j];
    }
    tmli_reduction_extract(r, tw->y, out);
}

// out (dof) = C^-T y, C^-1 = V+_before H
static void transform_transposed(const tmli_reduction *r, const double *y, double *out)
{
    const tml_system *s = r->sys;
    const tmli_thread_work *tw = &r->main_work;
    const size_t n = (size_t)s->n;
    for (int j = 0; j < s->n; j++) tw->y[j] = 0;
    if (r->tangent) {
        for (int k = 0; k < r->dof_before; k++)
            for (int j = 0; j < s->n; j++) tw->y[j] += y[k] * r->V_before[(size_t)k * n + (size_t)j];
        for (int k = 0; k < r->dof; k++) {
            out[k] = 0;
            for (int j = 0; j < s->n; j++) out[k] += tw->y[j] * r->V[(size_t)k * n + (size_t)j];
        }
        return;
    }
    // H' z = z_N - B_N' inverse(P') z_P
    const int *column = r->choice_before.column + r->choice_before.rank;
    for (int k = 0; k < r->dof_before; k++) tw->y[column[k]] = r->unit[column[k]] * y[k];
    tmli_columns_solve_transposed((tmli_columns *)&tw->centre_factor, tw->y, tw->b);
    for (int i = 0; i < s->m; i++)
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++)
            tw->y[s->rowcol[k]] -= r->B_scaled[k] * tw->b[i];
    column = r->choice.column + r->choice.rank;
    for (int k = 0; k < r->dof; k++) out[k] = tw->y[column[k]] / r->unit[column[k]];
}

bool tmli_reduction_transform_matrix(const tmli_reduction *r, double *J)
{
    const size_t dof = (size_t)r->dof;
    if (r->sys->m == 0) return true;
    if (r->dof_before != r->dof || (!r->tangent && !r->old_factored)) return false;
    double *row = r->main_work.s;
    for (size_t k = 0; k < dof; k++) {
        tmli_reduction_transform(r, J + k * dof, row);
        memcpy(J + k * dof, row, dof * sizeof *J);
    }
    for (size_t i = 0; i < dof; i++) {
        for (size_t k = 0; k < dof; k++) row[k] = J[k * dof + i];
        transform_transposed(r, row, r->main_work.motion);
        for (size_t k = 0; k < dof; k++) J[k * dof + i] = r->main_work.motion[k];
    }
    return true;
}

// ---- archive ----------------------------------------------------------------------------------------------

// left_out of an index1: none, or those of the reduction.
static void archive_left_out(const tmli_reduction *r, tmli_index1 *c, tml_archive *a)
{
    bool some = c->left_out != NULL;
    tml_archive_bools(a, &some, 1);
    if (tml_archive_reading(a)) c->left_out = some ? r->left_out : NULL;
}

static void archive_work(const tmli_reduction *r, tmli_thread_work *tw, tml_archive *a)
{
    const size_t columns = tw->null_space ? (size_t)r->capacity : 0;
    tmli_object_archive(&WORK, r->sys, tw, a);
    tmli_columns_archive(&tw->centre_factor, a);
    tmli_columns_archive(&tw->local_factor, a);
    if (tw->dynamics.sys) {
        tmli_index1_archive(&tw->dynamics, a);
        archive_left_out(r, &tw->dynamics, a);
    }
    tml_archive_doubles(a, tw->null_space, (size_t)r->sys->n * columns);
}

// For differences each helper has a history of its own. For exact derivatives they have the same one, and
// their number may differ where the archive is read: the first is stored for all.
static void archive_helpers(const tmli_reduction *r, tml_archive *a)
{
    const bool exact = tmli_reduction_is_exact(r);
    bool any = r->helper_count > 0;
    tml_archive_bools(a, &any, 1);
    const size_t first = a->at;
    for (int i = 0; any && i < r->helper_count && (i == 0 || !exact || a->reading); i++) {
        if (exact && a->err.status == TML_OK) a->at = first;
        archive_work(r, &r->helper_work[i], a);
    }
}

// Provide the memory that the archived basis has. V is used by tangent coordinates alone.
static void reserve(tmli_reduction *r, tml_archive *a)
{
    int capacity = r->capacity, dense = r->dense_capacity;
    const int dof = r->dof;
    tml_archive_indices(a, &capacity, 1, 0, r->sys->n);
    tml_archive_indices(a, &dense, 1, 0, r->sys->n);
    if (!tml_archive_reading(a) || tml_archive_status(a) != TML_OK) return;
    tml_error err = {0};
    r->dof = capacity;
    tml_status st = capacity > 0 ? tmli_reduction_reserve_columns(r, &err) : TML_OK;
    r->dof = dense;
    if (st == TML_OK && r->ready) st = tmli_reduction_reserve_dense(r, &err);
    r->dof = dof;
    if (st != TML_OK) tml_archive_fail(a, st, err.msg);
}

void tmli_reduction_archive(tmli_reduction *r, tml_archive *a)
{
    const tml_system *s = r->sys;
    const size_t n = (size_t)s->n;
    bool descriptor = r->descriptor.sys != NULL;
    tmli_object_archive(&FIELDS, s, r, a);
    tmli_pivot_choice_archive(&r->choice, a);
    tmli_pivot_choice_archive(&r->choice_before, a);
    tmli_columns_archive(&r->old_factor, a);
    reserve(r, a);
    if (tml_archive_status(a) != TML_OK) return;
    tml_archive_doubles(a, r->V, n * (size_t)r->capacity);
    tml_archive_doubles(a, r->V_before, n * (size_t)r->capacity);
    archive_work(r, &r->main_work, a);
    archive_helpers(r, a);
    tml_archive_bools(a, &descriptor, 1);
    tml_error err = {0};
    if (descriptor && !r->descriptor.sys && tml_archive_status(a) == TML_OK &&
        tmli_index1_create(s, r->opt.solver, &r->descriptor, &err) != TML_OK)
        tml_archive_fail(a, err.status, err.msg);
    if (!descriptor || !r->descriptor.sys) return;
    tmli_index1_archive(&r->descriptor, a);
    archive_left_out(r, &r->descriptor, a);
    if (tml_archive_reading(a) && r->velocity_rows > 0) r->descriptor.row_change = r->row_change;
}
