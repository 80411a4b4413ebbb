// The matrix of the stabilized index-2 form: storage, scales, assembly, report; equation numbers as in ggl.c.
#include "integrate/bdf/ggl.h"
#include "integrate/newton/convergence.h"
#include "linalg/pattern/expand.h"
#include "linalg/solver/archive.h"
#include "system/state/fields.h"
#include "system/state/first_order.h"

#include <math.h>
#include <string.h>

static const tmli_fields FIELDS = {
    "ggl", offsetof(tmli_ggl, memory),
    (const tmli_span[]){TMLI_KEPT_STATES(tmli_ggl, start, start),
                        TMLI_KEPT(tmli_ggl, values, values, TMLI_BY_OWN, 1),
                        TMLI_KEPT(tmli_ggl, base_values, base_values, TMLI_BY_NNZ, 1),
                        TMLI_KEPT(tmli_ggl, unit, measure, TMLI_BY_NM, 1),
                        TMLI_KEPT(tmli_ggl, wide, wide, TMLI_BY_NM, 2),
                        TMLI_KEPT(tmli_ggl, diagonal, diagonal, TMLI_BY_N, 3),
                        TMLI_KEPT(tmli_ggl, W, predicted, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_ggl, e, offset, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_ggl, rows, turning, TMLI_BY_ENTRIES, 1),
                        TMLI_KEPT(tmli_ggl, q_factor, q_now, TMLI_BY_NQ, 1),
                        TMLI_NUMBERS(tmli_ggl, stale, stale),
                        TMLI_NUMBERS(tmli_ggl, relation, factor_b),
                        {0}}};

static tmli_sizes sizes_of(const tmli_ggl *g)
{
    tmli_sizes sizes = tmli_sizes_of(g->base->sys);
    sizes.of[TMLI_BY_OWN] = g->pattern ? (size_t)tmli_pattern_nnz(g->pattern) : 0;
    return sizes;
}

void tmli_ggl_clear(tmli_ggl *g)
{
    if (!g) return;
    const tmli_sizes sizes = sizes_of(g);
    if (g->lin) g->solver->destroy(g->lin);
    tmli_pattern_destroy(g->pattern);
    tmli_record_destroy(g->record);
    tmli_fields_clear(&FIELDS, &sizes, g);
    tmli_free(sizes.env, g);
}

tml_status tmli_ggl_create_parts(tmli_bdf *b, tml_error *err)
{
    const tml_system *s = b->sys;
    tmli_ggl *g = tmli_calloc(&s->env, 1, sizeof *g);
    b->extension = g;
    if (!g) return tmli_no_memory(err, "ggl");
    g->base = b;
    g->solver = b->opt.solver;
    const tml_scaling mode = b->opt.run.scaling;
    g->newton = tmli_newton_create(b->opt.fixed_step, mode);
    g->physical = mode == TML_SCALING_UNIFORM || mode == TML_SCALING_PHYSICAL;
    tml_status st = tmli_pattern_expand(s->pattern, 2, &s->env, &g->pattern, err);
    const tmli_sizes sizes = sizes_of(g);
    if (st == TML_OK) st = tmli_fields_create(&FIELDS, &sizes, g, err);
    if (st == TML_OK) st = g->solver->create(g->pattern, &s->env, &g->lin, err);
    if (st == TML_OK && (b->opt.run.report || b->opt.run.iterate == TML_ITERATE_SATURATED))
        st = tmli_record_create(g->pattern, &s->env, &g->record, err);
    if (st != TML_OK) return st;
    tmli_kernel_units(s, NULL, g->unit);
    for (int i = 0; i < s->n + s->m; i++)
        g->measure[i] = !g->physical ? 1 : i < s->n ? g->unit[i] : s->length;
    return TML_OK;
}

// ---- matrix -----------------------------------------------------------------------------------------------

static bool is_velocity_row(const tml_system *s, int r)
{
    return s->level && s->level[r] == TML_LEVEL_VELOCITY;
}

// W, units, row scales, penalties for the current a1 at x.
static tml_status rescale(tmli_bdf *b, const tml_state *x, tml_error *err)
{
    tmli_ggl *g = tmli_ggl_of(b);
    const tml_system *s = b->sys;
    const double bb = 1 / (b->a1 * b->a1);
    const double h = b->h_trial;
    double *dm = g->diagonal, *dd = dm + s->n, *dk = dd + s->n, mean[2] = {0}, all = 0;
    int count[2] = {0};
    tml_status st = s->ops->diagonals(s->self, b->kernel.work, x, dm, dd, dk, err);
    if (st == TML_OK) st = tmli_active_rows(s, b->kernel.work, x, g->rows, err);
    if (st != TML_OK) return st;
    tmli_kernel_units(s, g->rows, g->unit);
    const int nm = tmli_mechanical(s);
    for (int j = nm; j < s->n; j++) g->W[j] = dm[j];
    for (int j = 0; j < nm; j++) {
        const double A = dm[j] + dd[j] / b->a1 + bb * dk[j];
        g->W[j] = dm[j] > 0 ? dm[j] : A;
        all += (dm[j] + h * dd[j] + h * h * dk[j]) / nm;
        dk[j] = A;
        if (!(A > 0)) continue;
        mean[s->kind[j]] += A;
        count[s->kind[j]]++;
    }
    for (int i = 0; i < 2; i++) mean[i] = count[i] ? mean[i] / count[i] : 0;
    if (mean[0] == 0) mean[0] = mean[1] > 0 ? mean[1] / (s->length * s->length) : 1;
    if (mean[1] == 0) mean[1] = mean[0] * s->length * s->length;
    for (int j = 0; j < nm; j++)
        if (!(g->W[j] > 0)) g->W[j] = mean[s->kind[j]];
    if (b->opt.run.scaling == TML_SCALING_PHYSICAL)
        memcpy(g->measure, g->unit, (size_t)(s->n + s->m) * sizeof(double));
    if (s->nz > 0) tmli_weights_set_state_units(&b->weights, h, b->a1, g->unit);
    for (int r = 0; r < s->m; r++) {
        double sum = 0;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++)
            if (dm[s->rowcol[i]] > 0) sum += g->rows[i] * g->rows[i] / dk[s->rowcol[i]];
        g->e[r] = !g->physical                                ? 1
                  : b->opt.run.scaling == TML_SCALING_UNIFORM ? all
                  : sum > 0                                   ? 1 / sum
                            : mean[1] / (g->unit[s->n + r] * g->unit[s->n + r]);
    }
    return TML_OK;
}

void tmli_ggl_set_factors(tmli_bdf *b)
{
    tmli_ggl *g = tmli_ggl_of(b);
    const tml_scaling mode = b->opt.run.scaling;
    const double h = b->h_trial, unit = mode == TML_SCALING_PHYSICAL ? 1 / b->a1 : h;
    g->relation = unit;
    g->force = g->newton.unscaled ? h : unit * unit;
    g->speed_unit = g->physical || mode == TML_SCALING_LEFT_RIGHT_VELOCITY ? 1 / unit : 1;
    g->level = mode == TML_SCALING_NONE ? h : 1;
    g->level_u = g->level / g->speed_unit;
    g->lambda_unit = g->newton.unscaled ? 1 : 1 / g->force;
    g->mu_unit = g->newton.unscaled ? 1 : 1 / unit;
    for (int r = 0; r < b->sys->m; r++)
        g->p[r] = is_velocity_row(b->sys, r) ? 0 : b->opt.run.augment * g->e[r] * g->lambda_unit;
}

// Add `factor` times a part of the matrix in g->base_values to the elements (a, b) of its small matrices in
// (4): rows r0 to r1, columns c0 to c1.
static void add_part(tmli_ggl *g, int r0, int r1, int c0, int c1, int a, int b, double factor)
{
    const tml_pattern *base = g->base->sys->pattern;
    for (int col = c0; col < c1; col++)
        for (int i = base->colptr[col]; i < base->colptr[col + 1]; i++)
            if (base->rowind[i] >= r0 && base->rowind[i] < r1)
                g->values[tmli_pattern_expand_at(base, g->pattern, 2, col, i, a, b)] +=
                    factor * g->base_values[i];
}

// Add (B u)_q T to the rows of the velocity constraints. T(linearization_point) matters there in third
// order only and is left out.
static tml_status add_turning(tmli_ggl *g, const tml_state *x, tml_error *err)
{
    const tmli_bdf *b = g->base;
    const tml_system *s = b->sys;
    tml_status st = tmli_active_rows_times(s, b->kernel.work, x, x->u, g->turning, err);
    for (int r = 0; r < s->m && st == TML_OK; r++)
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) {
            const int col = s->rowcol[i], row = 2 * (s->n + r) + !is_velocity_row(s, r);
            const int at = tmli_pattern_find(g->pattern, row, 2 * col);
            g->values[at] += g->level_u * g->e[r] * g->turning[i];
        }
    return st;
}

// Add (B'mu)_q T to the rows of (1), as the difference that mu makes to the rows of (2), which are in
// g->base_values. It matters only at steps too large for accuracy, such as fixed ones may be.
static tml_status add_stress(tmli_bdf *b, const tml_state *x, const tml_assembly *stiff, tml_error *err)
{
    tmli_ggl *g = tmli_ggl_of(b);
    const tml_system *s = b->sys;
    tml_state_copy(b->probe, x);
    for (int r = 0; r < s->m; r++) b->probe->lambda[r] += g->mu[r];
    const double factor = g->relation / g->force;
    add_part(g, 0, s->n, 0, s->n, 0, 0, -factor);
    tml_status st = tmli_active_assemble(s, b->kernel.work, b->probe, stiff, g->base_values, err);
    if (st == TML_OK) add_part(g, 0, s->n, 0, s->n, 0, 0, factor);
    return st;
}

// (4'): move the entries of B u = nu from the rows of mu to those of lambda, where those of Phi were, and
// take mu out.
static void move_velocity_rows(tmli_ggl *g)
{
    const tml_system *s = g->base->sys;
    for (int r = 0; r < s->m; r++) {
        if (!is_velocity_row(s, r)) continue;
        const int row = 2 * (s->n + r), mu = row + 1;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) {
            const int col = 2 * s->rowcol[i];
            g->values[tmli_pattern_find(g->pattern, row, col)] = 0;  // Phi
            double *rate = &g->values[tmli_pattern_find(g->pattern, mu, col + 1)];
            g->values[tmli_pattern_find(g->pattern, row, col + 1)] = *rate;
            *rate = 0;
            g->values[tmli_pattern_find(g->pattern, col, mu)] = 0;
        }
        g->values[tmli_pattern_find(g->pattern, mu, mu)] = -g->e[r];
    }
}

// Assemble (4) from M, D, K and B.
static tml_status assemble(tmli_bdf *b, const tml_state *x, tml_error *err)
{
    tmli_ggl *g = tmli_ggl_of(b);
    const tml_system *s = b->sys;
    const int n = s->n, N = n + s->m;
    const tml_assembly stiff = {.ck = g->force,
                                .cp = g->force,
                                .r = g->e,
                                .p = g->p,
                                .increment = b->flat ? NULL : b->linearization_point};
    const double v = g->force * g->speed_unit;
    const tml_assembly heavy = {.cm = v * b->a1, .cd = v, .r = g->e};
    memset(g->values, 0, (size_t)tmli_pattern_nnz(g->pattern) * sizeof(double));
    tml_status st = tmli_active_assemble(s, b->kernel.work, x, &stiff, g->base_values, err);
    if (st != TML_OK) return st;
    add_part(g, 0, n, 0, n, 1, 0, 1);         // b K T
    add_part(g, n, N, 0, n, 0, 0, g->level);  // e B T
    if (b->opt.fixed_step || b->opt.run.iterate == TML_ITERATE_SATURATED) st = add_stress(b, x, &stiff, err);
    if (st == TML_OK) st = tmli_active_assemble(s, b->kernel.work, x, &heavy, g->base_values, err);
    if (st != TML_OK) return st;
    add_part(g, 0, n, 0, n, 1, 1, 1);                           // M + b a1 D
    add_part(g, n, N, 0, n, 1, 1, g->level_u * g->speed_unit);  // e B
    add_part(g, 0, n, n, N, 1, 0, g->force * g->lambda_unit);   // B' e of lambda
    add_part(g, 0, n, n, N, 0, 1, g->relation * g->mu_unit);    // B' e of mu
    for (int i = 0; i < 2 && (s->selects_rows || s->switches_rows); i++) add_part(g, n, N, n, N, i, i, 1);
    for (int j = 0; j < n; j++) {
        g->values[tmli_pattern_find(g->pattern, 2 * j, 2 * j)] += g->relation * b->a1 * g->W[j];
        g->values[tmli_pattern_find(g->pattern, 2 * j, 2 * j + 1)] -= g->relation * g->speed_unit * g->W[j];
    }
    if (s->level) move_velocity_rows(g);
    return add_turning(g, x, err);
}

tml_status tmli_ggl_factor(tmli_bdf *b, const tml_state *x, tml_error *err)
{
    tmli_ggl *g = tmli_ggl_of(b);
    const int N = b->sys->n + b->sys->m;
    tml_status st = rescale(b, x, err);
    if (st != TML_OK) return st;
    tmli_ggl_set_factors(b);
    st = assemble(b, x, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < N; i++) g->wide[2 * i] = g->wide[2 * i + 1] = g->measure[i];
    if (g->physical) tmli_pattern_scale(g->pattern, g->wide, g->values);
    st = g->solver->factor(g->lin, g->values, err);
    b->count.factorizations++;
    g->factor_b = st == TML_OK ? 1 / (b->a1 * b->a1) : 0;
    memcpy(g->q_factor, x->q, (size_t)b->sys->nq * sizeof(double));
    g->stale = false;
    return st;
}

void tmli_ggl_solve_wide(tmli_ggl *g)
{
    const int N = g->base->sys->n + g->base->sys->m;
    for (int i = 0; i < 2 * N; i++) g->wide[i] *= g->measure[i / 2];
    g->solver->solve(g->lin, g->wide);
    for (int i = 0; i < 2 * N; i++) g->wide[i] *= g->measure[i / 2];
}

// ---- report -----------------------------------------------------------------------------------------------

bool tmli_ggl_record(tmli_ggl *g)
{
    const tml_system *s = g->base->sys;
    tmli_record_open(g->record);
    for (int j = 0; j < s->n; j++) {
        const double *x = g->wide + 2 * j, unit = g->measure[j];
        tmli_record_add(g->record, 0, x[0] / unit, x[0]);
        tmli_record_add(g->record, 1, x[1] / unit, g->speed_unit * x[1]);
    }
    for (int r = 0; r < s->m; r++) {
        const double *x = g->wide + 2 * (s->n + r), unit = g->measure[s->n + r];
        tmli_record_add(g->record, 2, x[0] / unit, g->e[r] * g->lambda_unit * x[0]);
        tmli_record_add(g->record, 2, x[1] / unit, 0);
    }
    return tmli_record_close(g->record);
}

double tmli_ggl_condition(void *self)
{
    const tmli_ggl *g = tmli_ggl_of(self);
    if (g->factor_b == 0 || !g->solver->rcond) return 0;
    const double rcond = g->solver->rcond(g->lin);
    return rcond > 0 ? 1 / rcond : INFINITY;
}

void tmli_ggl_conditioning(void *self, tml_conditioning *out)
{
    tmli_ggl *g = tmli_ggl_of(self);
    if (g->record && g->factor_b != 0)
        tmli_record_conditions(g->record, g->pattern, g->values, g->solver, g->lin);
    tmli_record_report(g->record, g->e, g->lambda_unit, g->base->sys->m, g->pattern->n, g->newton.iterations,
                       out);
}

void tmli_ggl_archive(void *self, tml_archive *a)
{
    tmli_ggl *g = tmli_ggl_of(self);
    const tmli_sizes sizes = sizes_of(g);
    tmli_bdf_archive(self, a);
    tmli_fields_archive(&FIELDS, &sizes, g, a);
    tmli_newton_archive(&g->newton, a);
    tml_archive_bools(a, &g->all_active, 1);
    tmli_record_archive(g->record, a);
    tmli_linsolver_archive(g->solver, g->lin, a);
}
