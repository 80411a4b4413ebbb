// Projection onto the constraints and the index-1 dynamics; see consistent.h.
#include "integrate/consistent.h"
#include "integrate/kernel.h"
#include "linalg/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

void tmli_consistent_clear(tmli_consistent *c)
{
    if (!c->sys) return;
    if (c->lin) c->solver->destroy(c->lin);
    if (c->work) c->sys->ops->destroy_work(c->work);
    tmli_free(&c->sys->env, c->values);
    *c = (tmli_consistent){0};
}

tml_status tmli_consistent_create(const tml_system *sys, const tml_linsolver_ops *solver, tmli_consistent *c,
                                  tml_error *err)
{
    *c = (tmli_consistent){.sys = sys, .solver = solver};
    const size_t n = (size_t)sys->n, m = (size_t)sys->m, nnz = (size_t)tmli_pattern_nnz(sys->pattern);
    const size_t entries = (size_t)sys->rowptr[sys->m];
    c->values = tmli_calloc(&sys->env, nnz + 2 * m + (n + m) + m + 3 * n + entries + n + n + m, sizeof(double));
    c->work = sys->ops->create_work(sys->self, &sys->env);
    tml_status st = c->values && c->work ? TML_OK : tmli_no_memory(err, "integrator");
    if (st == TML_OK) st = solver->create(sys->pattern, &sys->env, &c->lin, err);
    if (st != TML_OK) {
        tmli_consistent_clear(c);
        return st;
    }
    c->e = c->values + nnz;
    c->p = c->e + m;
    c->rhs = c->p + m;
    c->phi = c->rhs + n + m;
    c->diagonal = c->phi + m;
    c->rows = c->diagonal + 3 * n;
    c->d = c->rows + entries;
    c->unit = c->d + n;
    return TML_OK;
}

// Row scales once: the inertia each row feels (as in the kernel), or 1 where nothing has mass.
static tml_status set_scales(tmli_consistent *c, const tml_state *x, tml_error *err)
{
    const tml_system *s = c->sys;
    double *dm = c->diagonal;
    tml_status st = s->ops->diagonals(s->self, c->work, x, dm, dm + s->n, dm + 2 * s->n, err);
    if (st == TML_OK) st = s->ops->rows(s->self, c->work, x, c->rows, err);
    if (st != TML_OK) return st;
    tmli_kernel_units(s, c->rows, c->unit);
    double mean = 0;
    int count = 0;
    for (int j = 0; j < s->n; j++)
        if (dm[j] > 0) {
            mean += dm[j];
            count++;
        }
    mean = count ? mean / count : 1;
    for (int r = 0; r < s->m; r++) {
        double sum = 0;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++)
            if (dm[s->rowcol[i]] > 0) sum += c->rows[i] * c->rows[i] / dm[s->rowcol[i]];
        c->e[r] = c->p[r] = sum > 0 ? 1 / sum : mean;
    }
    c->scaled = true;
    return TML_OK;
}

tml_status tmli_consistent_factor(tmli_consistent *c, const tml_state *x, tml_error *err)
{
    if (!c->scaled) {
        tml_status st = set_scales(c, x, err);
        if (st != TML_OK) return st;
    }
    const tml_assembly a = {.cm = 1, .cp = 1, .r = c->e, .p = c->p};
    tml_status st = c->sys->ops->assemble(c->sys->self, c->work, x, &a, c->values, err);
    if (st == TML_OK) tmli_pattern_scale(c->sys->pattern, c->unit, c->values);
    if (st == TML_OK) st = c->solver->factor(c->lin, c->values, err);
    return st;
}

// rhs := solution of the last matrix, in the units of the model.
static void solve(tmli_consistent *c)
{
    const int n = c->sys->n + c->sys->m;
    for (int i = 0; i < n; i++) c->rhs[i] *= c->unit[i];
    c->solver->solve(c->lin, c->rhs);
    for (int i = 0; i < n; i++) c->rhs[i] *= c->unit[i];
}

static void solve_constraint(tmli_consistent *c, const double *value)
{
    const tml_system *s = c->sys;
    memset(c->rhs, 0, (size_t)s->n * sizeof(double));
    for (int r = 0; r < s->m; r++) c->rhs[s->n + r] = -c->e[r] * value[r];
    solve(c);
}

void tmli_consistent_constrain(tmli_consistent *c, const double *y, double *d)
{
    const tml_system *s = c->sys;
    memset(c->rhs, 0, (size_t)s->n * sizeof(double));
    for (int r = 0; r < s->m; r++) c->rhs[s->n + r] = c->e[r] * y[r];
    solve(c);
    memcpy(d, c->rhs, (size_t)s->n * sizeof(double));
}

static double largest_increment(const tml_system *s, const double *d)
{
    double largest = 0;
    for (int j = 0; j < s->n; j++)
        largest = fmax(largest, fabs(d[j]) / (s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1));
    return largest;
}

static tml_status project_positions(tmli_consistent *c, tml_state *x, tml_error *err)
{
    const tml_system *s = c->sys;
    double last = INFINITY;
    for (int i = 0; i < 8; i++) {
        tml_status st = s->ops->residual(s->self, c->work, x, NULL, c->d, c->phi, err);
        if (st != TML_OK) return st;
        solve_constraint(c, c->phi);
        s->ops->retract(s->self, x->q, c->rhs, x->q);
        const double size = largest_increment(s, c->rhs);
        if (size < 1e-14 || (size >= last / 2 && size < 1e-10)) return TML_OK;
        last = size;
    }
    return tmli_fail(err, TML_RETRY,
                     "positions cannot be brought onto the constraints at t = %g s: last change %g lengths",
                     x->t, last);
}

static tml_status solve_dynamics(tmli_consistent *c, tml_state *x, tml_error *err)
{
    const tml_system *s = c->sys;
    tml_status st = s->ops->dynamics(s->self, c->work, x, c->rhs, c->phi, err);
    if (st != TML_OK) return st;
    // A udot = M udot + B' p gamma: moved to the right side by lambda = e y + p gamma
    for (int r = 0; r < s->m; r++) c->rhs[s->n + r] = c->e[r] * c->phi[r];
    solve(c);
    memcpy(x->udot, c->rhs, (size_t)s->n * sizeof(double));
    for (int r = 0; r < s->m; r++) x->lambda[r] = c->e[r] * c->rhs[s->n + r] + c->p[r] * c->phi[r];
    return TML_OK;
}

tml_status tmli_consistent_project(tmli_consistent *c, tml_state *x, tml_error *err)
{
    const tml_system *s = c->sys;
    tml_status st = tmli_consistent_factor(c, x, err);
    if (st == TML_OK && s->m > 0) {
        st = project_positions(c, x, err);
        if (st == TML_OK) st = s->ops->velocity(s->self, c->work, x, c->phi, err);
        if (st != TML_OK) return st;
        solve_constraint(c, c->phi);
        for (int j = 0; j < s->n; j++) x->u[j] += c->rhs[j];
        // the matrix is of the unprojected configuration: refresh it where that matters, for the reactions
        st = tmli_consistent_factor(c, x, err);
        if (st == TML_OK) st = s->ops->velocity(s->self, c->work, x, c->phi, err);
        if (st != TML_OK) return st;
        solve_constraint(c, c->phi);
        for (int j = 0; j < s->n; j++) x->u[j] += c->rhs[j];
    }
    if (st == TML_OK) st = solve_dynamics(c, x, err);
    return st;
}

tml_status tmli_consistent_accelerations(tmli_consistent *c, tml_state *x, tml_error *err)
{
    tml_status st = tmli_consistent_factor(c, x, err);
    return st == TML_OK ? solve_dynamics(c, x, err) : st;
}

tml_status tmli_consistent_residuals(tmli_consistent *c, const tml_state *x, double *position,
                                     double *velocity, int *position_row, int *velocity_row, tml_error *err)
{
    const tml_system *s = c->sys;
    double *const out[2] = {position, velocity};
    int *const row[2] = {position_row, velocity_row};
    for (int level = 0; level < 2; level++) {
        tml_status st = level == 0 ? s->ops->residual(s->self, c->work, x, NULL, c->d, c->phi, err)
                                   : s->ops->velocity(s->self, c->work, x, c->phi, err);
        if (st != TML_OK) return st;
        *out[level] = 0;
        if (row[level]) *row[level] = -1;
        for (int r = 0; r < s->m; r++) {
            if (fabs(c->phi[r]) <= *out[level]) continue;
            *out[level] = fabs(c->phi[r]);
            if (row[level]) *row[level] = r;
        }
    }
    return TML_OK;
}
