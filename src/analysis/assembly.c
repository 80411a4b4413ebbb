// Assembly by a damped Gauss-Newton iteration on the weighted least-change problem.
//   [ W    B'r ] [ d ]     [ 0   ]      W = diag(w/unit^2), r: row unit, eps regularizes dependent rows
//   [ r B  -eps] [ y ] = - [ r Phi]
// Steps are cut so that no body turns more than half a radian, and halved until |r Phi| falls.
#include "analysis/assembly.h"
#include "linalg/pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct assembly {
    const tml_system *sys;
    const tml_linsolver_ops *solver;
    void *lin, *work;
    double *values, *rhs, *phi, *r, *scratch, *best;
    int32_t *diagonal;  // (n + m) place of the diagonal entries
    const double *weight;
} assembly;

static const double EPS =
    1e-12;  // relative to 1/w: far above round-off, far below any wanted accuracy of a correction

static void clear(assembly *a)
{
    if (a->lin) a->solver->destroy(a->lin);
    if (a->work) a->sys->ops->destroy_work(a->work);
    tmli_free(&a->sys->env, a->values);
    tmli_free(&a->sys->env, a->diagonal);
}

// r: one over what a row changes by when its coordinates move by a length or a radian.
static tml_status set_row_units(assembly *a, const tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    double *rows = tmli_calloc(&s->env, (size_t)s->rowptr[s->m] + 1, sizeof *rows);
    if (!rows) return tmli_no_memory(err, "assembly");
    tml_status st = s->ops->rows(s->self, a->work, x, rows, err);
    for (int r = 0; r < s->m && st == TML_OK; r++) {
        double largest = 0;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++)
            largest = fmax(largest, fabs(rows[i]) *
                                        (s->kind[s->rowcol[i]] == TML_COORDINATE_TRANSLATION ? s->length : 1));
        a->r[r] = largest > 0 ? 1 / largest : 1;
    }
    tmli_free(&s->env, rows);
    return st;
}

static tml_status prepare(assembly *a, const tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m, nnz = (size_t)tmli_pattern_nnz(s->pattern);
    a->values = tmli_calloc(&s->env, nnz + (n + m) + 2 * m + n + (size_t)s->nq, sizeof(double));
    a->diagonal = tmli_calloc(&s->env, n + m, sizeof *a->diagonal);
    a->work = s->ops->create_work(s->self, &s->env);
    if (!a->values || !a->diagonal || !a->work) return tmli_no_memory(err, "assembly");
    a->rhs = a->values + nnz;
    a->phi = a->rhs + n + m;
    a->r = a->phi + m;
    a->scratch = a->r + m;
    a->best = a->scratch + n;
    for (int i = 0; i < s->n + s->m; i++) a->diagonal[i] = tmli_pattern_find(s->pattern, i, i);
    tml_status st = set_row_units(a, x, err);
    return st == TML_OK ? a->solver->create(s->pattern, &s->env, &a->lin, err) : st;
}

static tml_status factor(assembly *a, const tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    const tml_assembly what = {.r = a->r};
    tml_status st = s->ops->assemble(s->self, a->work, x, &what, a->values, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < s->n; j++) {
        const double unit = s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1;
        a->values[a->diagonal[j]] += (a->weight ? a->weight[j] : 1) / (unit * unit);
    }
    for (int r = 0; r < s->m; r++) a->values[a->diagonal[s->n + r]] -= EPS;
    return a->solver->factor(a->lin, a->values, err);
}

static void solve(assembly *a)
{
    const tml_system *s = a->sys;
    memset(a->rhs, 0, (size_t)s->n * sizeof(double));
    for (int r = 0; r < s->m; r++) a->rhs[s->n + r] = -a->r[r] * a->phi[r];
    a->solver->solve(a->lin, a->rhs);
}

static double size_of(const assembly *a)
{
    double sum = 0;
    for (int r = 0; r < a->sys->m; r++) sum += a->r[r] * a->phi[r] * a->r[r] * a->phi[r];
    return sqrt(sum);
}

static double step_size(const tml_system *s, const double *d)
{
    double largest = 0;
    for (int j = 0; j < s->n; j++)
        largest = fmax(largest, fabs(d[j]) / (s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1));
    return largest;
}

// Is the row a length? By the entries of the last assembled matrix: an angle does not feel translations.
static bool is_length(const assembly *a, int row)
{
    const tml_system *s = a->sys;
    double translation = 0, largest = 0;
    for (int i = s->rowptr[row]; i < s->rowptr[row + 1]; i++) {
        const double x = fabs(a->values[tmli_pattern_find(s->pattern, s->n + row, s->rowcol[i])]);
        largest = fmax(largest, x);
        if (s->kind[s->rowcol[i]] == TML_COORDINATE_TRANSLATION) translation = fmax(translation, x);
    }
    return translation > 1e-12 * largest;
}

// The sentence of a failed assembly: the three rows that are worst.
static tml_status report(const assembly *a, const char *what, const char *unit, double time, tml_error *err)
{
    const tml_system *s = a->sys;
    tml_status st =
        tmli_fail(err, TML_ERR_ASSEMBLY, "the mechanism cannot be assembled at t = %g s: %s", time, what);
    double *res = a->rhs;
    for (int r = 0; r < s->m; r++) res[r] = fabs(a->phi[r]);
    int rows[3], count = 0;  // the worst first
    for (; count < 3; count++) {
        int worst = -1;
        for (int r = 0; r < s->m; r++)
            if (res[r] > 0 && (worst < 0 || a->r[r] * res[r] > a->r[worst] * res[worst])) worst = r;
        const double least = count ? 1e-3 * a->r[rows[0]] * fabs(a->phi[rows[0]]) : 0;
        if (worst < 0 || a->r[worst] * res[worst] < least) break;
        rows[count] = worst;
        res[worst] = 0;
    }
    char list[3 * 220] = "";
    for (int k = 0; k < count; k++) {
        char name[160];
        const size_t used = strlen(list);
        const char *glue = k + 1 < count ? ", " : " and ";
        snprintf(list + used, sizeof list - used, "%s%s by %.3g %s%s", k ? glue : "",
                 s->row_name(s, rows[k], name, sizeof name), fabs(a->phi[rows[k]]),
                 is_length(a, rows[k]) ? "m" : "rad", unit);
    }
    tmli_error_append(err, "%s", list);
    return st;
}

static tml_status positions(assembly *a, tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    tml_status st = s->ops->residual(s->self, a->work, x, NULL, a->scratch, a->phi, err);
    double size = size_of(a);
    for (int i = 0; i < 100 && st == TML_OK; i++) {
        st = factor(a, x, err);
        if (st != TML_OK) return st;
        solve(a);
        const double d = step_size(s, a->rhs);
        double cut = d > 0.5 ? 0.5 / d : 1;
        if (d < 1e-14)
            return size < 1e-9 ? TML_OK : report(a, "the constraints contradict each other,", "", x->t, err);
        memcpy(a->best, x->q, (size_t)s->nq * sizeof(double));
        double next = size;
        for (int k = 0; k < 12; k++, cut /= 2) {
            for (int j = 0; j < s->n; j++) a->scratch[j] = cut * a->rhs[j];
            s->ops->retract(s->self, a->best, a->scratch, x->q);
            st = s->ops->residual(s->self, a->work, x, NULL, a->scratch, a->phi, err);
            if (st != TML_OK) return st;
            next = size_of(a);
            if (next <= (1 - cut / 4) * size || next < 1e-13) break;
        }
        if (next >= size) {  // no way down: round-off, or a dead end
            memcpy(x->q, a->best, (size_t)s->nq * sizeof(double));
            st = s->ops->residual(s->self, a->work, x, NULL, a->scratch, a->phi, err);
            if (st != TML_OK) return st;
            return size < 1e-10 ? TML_OK : report(a, "the nearest configuration misses", "", x->t, err);
        }
        size = next;
    }
    if (st == TML_OK && size > 1e-10)
        st = report(a, "after 100 corrections these are still open:", "", x->t, err);
    return st;
}

static tml_status velocities(assembly *a, tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    double scale = 1;
    for (int j = 0; j < s->n; j++)
        scale = fmax(scale, fabs(x->u[j]) / (s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1));
    tml_status st = factor(a, x, err);
    for (int i = 0; i < 4 && st == TML_OK; i++) {
        st = s->ops->velocity(s->self, a->work, x, a->phi, err);
        if (st != TML_OK) return st;
        for (int r = 0; r < s->m; r++) scale = fmax(scale, a->r[r] * fabs(a->phi[r]));
        solve(a);
        for (int j = 0; j < s->n; j++) x->u[j] += a->rhs[j];
    }
    if (st == TML_OK) st = s->ops->velocity(s->self, a->work, x, a->phi, err);
    if (st == TML_OK && size_of(a) > 1e-8 * scale)
        st = report(a, "the velocities asked for contradict each other,", "/s", x->t, err);
    return st;
}

tml_status tmli_assemble(const tml_system *sys, const double *weight, tml_state *x, double *moved, tml_error *err)
{
    if (moved) *moved = 0;
    if (sys->m == 0) return TML_OK;
    assembly a = {.sys = sys, .solver = &tml_linsolver_klu, .weight = weight};
    double *start = tmli_calloc(&sys->env, (size_t)sys->nq, sizeof *start);
    tml_status st = start ? prepare(&a, x, err) : tmli_no_memory(err, "assembly");
    if (st == TML_OK) {
        memcpy(start, x->q, (size_t)sys->nq * sizeof(double));
        st = positions(&a, x, err);
    }
    if (st == TML_OK) st = velocities(&a, x, err);
    if (st == TML_OK && moved) {
        sys->ops->local(sys->self, start, x->q, a.scratch);
        *moved = step_size(sys, a.scratch);
    }
    clear(&a);
    tmli_free(&sys->env, start);
    return st;
}
