// Matrices of the stage equations: parts, sums for a step size, factorization; equations as in stages.h.
#include "integrate/radau/stages.h"
#include "integrate/newton/convergence.h"
#include "integrate/newton/kernel.h"
#include "linalg/pattern/expand.h"
#include "linalg/solver/archive.h"
#include "system/state/fields.h"

#include <math.h>
#include <string.h>

#include "integrate/radau/constants.h"

// ---- creation ---------------------------------------------------------------------------------------------

static const tmli_fields FIELDS = {
    "stages", offsetof(tmli_stages, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_stages, falls, stale),
                        TMLI_NUMBERS(tmli_stages, augment, t_rows),
                        TMLI_WORK(tmli_stages, work),
                        {TMLI_RANGE(tmli_stages, stage, stage), .kind = &tmli_state_object, .kept = true,
                         .first = TMLI_BY_OWN},
                        TMLI_SCRATCH_STATES(tmli_stages, probe, probe),
                        TMLI_KEPT(tmli_stages, mass, stiffness, TMLI_BY_NNZ, 1),
                        TMLI_KEPT(tmli_stages, e, kappa, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_stages, unit, other, TMLI_BY_NM, 1),
                        TMLI_KEPT(tmli_stages, rows, rows_end, TMLI_BY_ENTRIES, 1),
                        TMLI_KEPT(tmli_stages, q_rows, q_parts, TMLI_BY_NQ, 1),
                        TMLI_KEPT(tmli_stages, diagonal, diagonal, TMLI_BY_N, 3),
                        TMLI_KEPT_FIRST(tmli_stages, Z, TMLI_BY_OWN, TMLI_BY_N, 1),
                        TMLI_KEPT_FIRST(tmli_stages, D, TMLI_BY_OWN, TMLI_BY_N, 1),
                        TMLI_KEPT_FIRST(tmli_stages, V, TMLI_BY_OWN, TMLI_BY_N, 1),
                        TMLI_KEPT_FIRST(tmli_stages, eta, TMLI_BY_OWN, TMLI_BY_M, 1),
                        TMLI_KEPT_FIRST(tmli_stages, motion[0], TMLI_BY_OWN, TMLI_BY_N, 1),
                        TMLI_KEPT_FIRST(tmli_stages, motion[1], TMLI_BY_OWN, TMLI_BY_N, 1),
                        TMLI_KEPT_FIRST(tmli_stages, phi[0], TMLI_BY_OWN, TMLI_BY_M, 1),
                        TMLI_KEPT_FIRST(tmli_stages, phi[1], TMLI_BY_OWN, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_stages, restart, restart, TMLI_BY_OWN2, 1),
                        {0}}};

static tmli_sizes sizes_of(const tmli_stages *s)
{
    tmli_sizes sizes = tmli_sizes_of(s->sys);
    sizes.of[TMLI_BY_OWN] = (size_t)s->table->stages;
    sizes.of[TMLI_BY_OWN2] = 2 * sizes.of[TMLI_BY_OWN] * sizes.of[TMLI_BY_NM];
    return sizes;
}

static void clear_matrix(const tmli_stages *s, tmli_stage_matrix *a)
{
    if (a->lin) s->solver->destroy(a->lin);
    tmli_pattern_destroy(a->wide);
    tmli_free(&s->sys->env, a->values);
}

void tmli_stages_clear(tmli_stages *s)
{
    if (!s->sys) return;
    const tmli_sizes sizes = sizes_of(s);
    for (int i = 0; i < TMLI_RADAU_EIGENVALUES; i++) clear_matrix(s, &s->matrix[i]);
    clear_matrix(s, &s->slow);
    tmli_coupled_clear(s);
    for (int i = 0; i < 2; i++) tmli_record_destroy(s->record[i]);
    tmli_fields_clear(&FIELDS, &sizes, s);
    *s = (tmli_stages){0};
}

static tml_status create_matrix(tmli_stages *s, tmli_stage_matrix *a, int times, tml_error *err)
{
    const tml_system *sys = s->sys;
    a->times = times;
    tml_status st =
        a->times > 1 ? tmli_pattern_expand(sys->pattern, a->times, &sys->env, &a->wide, err) : TML_OK;
    if (st != TML_OK) return st;
    const tml_pattern *p = a->wide ? a->wide : sys->pattern;
    const size_t nnz = (size_t)tmli_pattern_nnz(p);
    a->values = tmli_calloc(&sys->env, nnz + (size_t)p->n, sizeof(double));
    if (!a->values) return tmli_no_memory(err, "integrator");
    a->rhs = a->values + nnz;
    return s->solver->create(p, &sys->env, &a->lin, err);
}

static const tml_pattern *last_pattern(const tmli_stages *s)
{
    const tmli_stage_matrix *a = &s->matrix[s->table->eigenvalues - 1];
    return a->wide ? a->wide : s->sys->pattern;
}

static tml_status create_records(tmli_stages *s, tml_error *err)
{
    tml_status st = tmli_record_create(last_pattern(s), &s->sys->env, &s->record[0], err);
    if (st == TML_OK && s->coupled.wide)
        st = tmli_record_create(s->coupled.wide, &s->sys->env, &s->record[1], err);
    return st;
}

tml_status tmli_stages_create(const tml_system *sys, const tml_integrator_options *opt, int stages,
                              int fields, tml_counters *count, tmli_stages *s, tml_error *err)
{
    const tml_scaling mode = opt->run.scaling;
    *s = (tmli_stages){.sys = sys,
                       .table = tmli_radau_find(stages),
                       .solver = opt->solver,
                       .fields = fields,
                       .scaling = mode,
                       .physical = mode == TML_SCALING_UNIFORM || mode == TML_SCALING_PHYSICAL,
                       .saturate = opt->run.iterate == TML_ITERATE_SATURATED,
                       .rho = opt->run.augment,
                       .augment = opt->run.augment,
                       .fixed = opt->fixed_step,
                       .count = count,
                       .gyration_ratio = 1,
                       .t_rows = NAN,
                       .newton = tmli_newton_create(opt->fixed_step, mode)};
    s->by_step = s->newton.unscaled || (mode == TML_SCALING_LEFT_RIGHT && fields == 2);
    if (opt->run.fields == TML_FIELDS_THREE)
        return tmli_fail(err, TML_ERR_ARG,
                         "fields = three is for genalpha, hht, newmark, midpoint, bdf and bdf2: %s",
                         fields == 1 ? "the unknowns of radau3 and radau5 are the stages"
                                     : "ggl-radau3 and ggl-radau5 always have velocities as unknowns");
    if (mode == TML_SCALING_GIVEN || mode == TML_SCALING_NORM)
        return tmli_fail(
            err, TML_ERR_ARG,
            "a scaling by hand or by norms is for genalpha, hht, newmark, midpoint, decay, conserve, bdf and "
            "bdf2: the matrices of Radau methods have other factors");
    const tmli_sizes sizes = sizes_of(s);
    tml_status st = tmli_fields_create(&FIELDS, &sizes, s, err);
    for (int i = 0; i < s->table->eigenvalues && st == TML_OK; i++)
        st = create_matrix(s, &s->matrix[i], fields * (s->table->eigen[i].pair ? 2 : 1), err);
    if (st == TML_OK && !s->fixed) st = create_matrix(s, &s->slow, 1, err);
    if (st == TML_OK && (s->fixed || s->saturate || sys->n + sys->m <= COUPLED_UNKNOWNS))
        st = tmli_coupled_create(s, err);
    if (st == TML_OK && (opt->run.report || s->saturate)) st = create_records(s, err);
    if (st != TML_OK) {
        tmli_stages_clear(s);
        return st;
    }
    if (mode == TML_SCALING_PHYSICAL && sys->nz == 0) s->measure = s->unit;
    tmli_kernel_units(sys, NULL, s->unit);
    for (int i = 0; i < sys->n + sys->m && mode != TML_SCALING_PHYSICAL; i++)
        s->measure[i] = mode != TML_SCALING_UNIFORM ? 1 : i < sys->n ? s->unit[i] : sys->length;
    return TML_OK;
}

// ---- parts ------------------------------------------------------------------------------------------------

tml_status tmli_stages_evaluate_part(tmli_stages *s, const tml_state *x, const tml_assembly *a, bool rows,
                                     double *values, tml_error *err)
{
    const tml_system *sys = s->sys;
    const tml_pattern *p = sys->pattern;
    tml_status st = tmli_active_assemble(sys, s->work, x, a, values, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < p->n && !rows; j++)
        for (int i = p->colptr[j]; i < p->colptr[j + 1]; i++)
            if (j >= sys->n || p->rowind[i] >= sys->n) values[i] = 0;
    if (s->physical) tmli_pattern_scale(p, s->measure, values);
    return TML_OK;
}

void tmli_stages_transform_rows(const tmli_stages *s, const tml_state *x, const double *q0, const double *q1,
                                double *v)
{
    const tml_system *sys = s->sys;
    if (sys->ops->transform_rows && !s->newton.unscaled && tmli_all_active(sys, x))
        sys->ops->transform_rows(sys->self, q0, q1, v);
}

static tml_status parts_one_by_one(tmli_stages *s, const tml_state *x, tml_error *err)
{
    const tml_assembly mass = {.cm = 1, .cp = 1, .r = s->e, .p = s->scratch, .loads = true},
                       damping = {.cd = 1}, stiffness = {.ck = 1};
    tml_status st = tmli_stages_evaluate_part(s, x, &mass, true, s->mass, err);
    if (st == TML_OK) st = tmli_stages_evaluate_part(s, x, &damping, false, s->damping, err);
    if (st == TML_OK) st = tmli_stages_evaluate_part(s, x, &stiffness, false, s->stiffness, err);
    return st;
}

// M, D and K of the system at once, D and K in their places.
static double *mass_alone(const tmli_stages *s) { return s->matrix[0].values; }  // free until the sum is made
static tml_status parts_at_once(tmli_stages *s, const tml_state *x, tml_error *err)
{
    const tml_system *sys = s->sys;
    return sys->ops->assemble_parts(sys->self, s->work, x, mass_alone(s), s->damping, s->stiffness, err);
}

// After them: the rows and the penalties, in the mass.
static tml_status add_rows(tmli_stages *s, const tml_state *x, tml_error *err)
{
    const tml_system *sys = s->sys;
    const tml_assembly rows = {.cp = 1, .r = s->e, .p = s->scratch, .loads = true};
    const double *M = mass_alone(s);
    const tml_status st = tmli_active_assemble(sys, s->work, x, &rows, s->mass, err);
    if (st != TML_OK) return st;
    const int nnz = sys->pattern->colptr[sys->pattern->n];
    for (int i = 0; i < nnz; i++) s->mass[i] += M[i];
    double *const part[3] = {s->mass, s->damping, s->stiffness};
    for (int i = 0; i < 3 && s->physical; i++) tmli_pattern_scale(sys->pattern, s->measure, part[i]);
    return TML_OK;
}

static double absolute_diagonal(const tml_pattern *p, const double *values, int j)
{
    const int at = tmli_pattern_find(p, j, j);
    return at < 0 ? 0 : fabs(values[at]);
}

// Scales of rows and unknowns for steps of about h. parts: M, D and K are known. Their diagonals contain
// those of B' lambda, which ops->diagonals leaves out: that makes no difference to a scale, and they would
// cost as much as M, D and K again.
static tml_status set_scales(tmli_stages *s, const tml_state *x, double h, bool parts, tml_error *err)
{
    const tml_system *sys = s->sys;
    const double k = h / cabs(s->table->eigen[0].mu);
    const double *const part[3] = {mass_alone(s), s->damping, s->stiffness};
    for (int i = 0; i < 3 && parts; i++)
        for (int j = 0; j < sys->n; j++)
            s->diagonal[i * sys->n + j] = absolute_diagonal(sys->pattern, part[i], j);
    const tml_status st =
        (parts ? tmli_scale_rows_by : tmli_scale_rows)(sys, s->work, s->scaling, x, k * k, k, h, s->diagonal,
                                                       s->rows, s->unit, s->e, &s->gyration_ratio, err);
    s->scale_h = h;
    if (sys->nz > 0) {
        if (s->scaling == TML_SCALING_PHYSICAL)
            memcpy(s->measure, s->unit, (size_t)(sys->n + sys->m) * sizeof(double));
        tmli_weights_set_state_units(s->weights, h, 1 / k, s->unit);
    }
    return st;
}

// (5'): e (B u)_d of rows at velocity level goes to their entries of the damping part, which are free.
// With two fields it is neglected.
static tml_status prepare_velocity_rows(tmli_stages *s, const tml_state *x, tml_error *err)
{
    const tml_system *sys = s->sys;
    const tml_status st = tmli_active_rows_times(sys, s->work, x, x->u, s->rows_start, err);
    for (int r = 0; r < sys->m && st == TML_OK && s->fields == 1; r++)
        for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1] && tmli_stages_is_velocity_row(s, r); i++) {
            const int j = sys->rowcol[i], at = tmli_pattern_find(sys->pattern, sys->n + r, j);
            const double unit = s->physical ? s->measure[sys->n + r] * s->measure[j] : 1;
            s->damping[at] = s->e[r] * s->rows_start[i] * unit;
        }
    return st;
}

tml_status tmli_stages_evaluate_parts(tmli_stages *s, const tml_state *x, double h, tml_error *err)
{
    const tml_system *sys = s->sys;
    const double k = h / cabs(s->table->eigen[0].mu);
    const bool at_once = sys->ops->assemble_parts != NULL;
    tml_status st = at_once ? parts_at_once(s, x, err) : TML_OK;
    s->have_parts = false;
    s->augment = s->newton.unscaled ? s->rho * k * k : s->rho;
    if (st != TML_OK) return st;
    if (!s->physical) {
        st = tmli_active_rows(sys, s->work, x, s->rows, err);
        for (int r = 0; r < sys->m; r++) s->e[r] = 1;
    } else if (!(h < FACTOR_RATIO * s->scale_h && s->scale_h < FACTOR_RATIO * h)) {
        st = set_scales(s, x, h, at_once, err);
    } else {
        st = tmli_active_rows(sys, s->work, x, s->rows, err);
    }
    // P = augment B'e B: the penalties of the assembly are augment e
    for (int r = 0; r < sys->m; r++)
        s->scratch[r] = tmli_stages_is_velocity_row(s, r) ? 0 : s->augment * s->e[r];
    if (st == TML_OK) st = at_once ? add_rows(s, x, err) : parts_one_by_one(s, x, err);
    if (st == TML_OK && sys->level) st = prepare_velocity_rows(s, x, err);
    memcpy(s->q_parts, x->q, (size_t)sys->nq * sizeof(double));
    s->have_parts = st == TML_OK;
    s->stale = false;
    s->factor_h = 0;
    s->slow.h = 0;
    return st;
}

// ---- sum and factorization --------------------------------------------------------------------------------

// (9)
void tmli_stages_set_coefficients(const tmli_stages *s, tmli_stage_matrix *a, double complex mu, double h)
{
    if (a->h == h) return;
    const double complex k = h / mu, unit = s->scaling == TML_SCALING_PHYSICAL ? k : h;
    a->h = h;
    a->k = k;
    a->row = s->scaling == TML_SCALING_NONE ? h : 1;
    a->across = s->newton.unscaled ? h : 1;
    a->column[0] = a->level[0] = 1;
    if (s->fields == 1) {
        a->force[0] = s->newton.unscaled ? h : unit * unit;  // (5)
        a->m[0][0] = a->force[0] / (k * k);
        a->d[0][0] = a->force[0] / k;
        a->s[0][0] = a->force[0];
    } else {
        const double complex v = s->physical || s->scaling == TML_SCALING_LEFT_RIGHT_VELOCITY ? 1 / unit : 1;
        a->force[0] = unit;  // (7)
        a->force[1] = s->newton.unscaled ? h : unit * unit;
        a->m[0][0] = a->force[0] / k;
        a->m[0][1] = -a->force[0] * v;
        a->m[1][1] = a->force[1] * v / k;
        a->d[1][1] = a->force[1] * v;
        a->s[1][0] = a->force[1];
        a->column[1] = v;
        a->level[1] = 1 / v;
    }
    for (int f = 0; f < s->fields; f++) a->reaction[f] = a->across / a->force[f];
}

// Put the small matrix of one entry into the value array: at = its element (0, 0), stride = distance of its
// columns. constraint: factor of an entry of B' or B, 0 for others.
static void put_entry(const tmli_stages *s, const tmli_stage_matrix *a, bool pair, double m, double d,
                      double k, double constraint, double *at, int stride)
{
    for (int g = 0; g < s->fields; g++)
        for (int f = 0; f < s->fields; f++) {
            double complex x = f == g ? constraint * m : 0;
            if (constraint != 0 && d != 0) x += constraint * a->k * d;  // (5')
            if (constraint == 0) x = a->m[f][g] * m + a->d[f][g] * d + a->s[f][g] * k;
            if (!pair) {
                at[g * stride + f] = creal(x);
                continue;
            }
            double *column = at + 2 * g * stride + 2 * f;
            column[0] = creal(x);
            column[1] = cimag(x);
            column[stride] = -cimag(x);
            column[stride + 1] = creal(x);
        }
}

// The same for all entries of one field, by real numbers. The entries of a column follow each other, with
// those of B at its end.
static void sum_one_field(const tmli_stages *s, tmli_stage_matrix *a, bool pair)
{
    const tml_pattern *p = s->sys->pattern;
    const int n = s->sys->n, t = a->times;
    const double re[3] = {creal(a->m[0][0]), creal(a->d[0][0]), creal(a->s[0][0])},
                 im[3] = {cimag(a->m[0][0]), cimag(a->d[0][0]), cimag(a->s[0][0])};
    for (int j = 0; j < p->n; j++) {
        const int start = p->colptr[j], length = p->colptr[j + 1] - start;
        const double *m = s->mass + start, *d = s->damping + start, *k = s->stiffness + start;
        double *column = a->values + (size_t)t * (size_t)t * (size_t)start, *second = column + t * length;
        int i = 0;
        for (; i < length && j < n && p->rowind[start + i] < n; i++) {
            const double x = re[0] * m[i] + re[1] * d[i] + re[2] * k[i];
            column[t * i] = x;
            if (!pair) continue;
            const double y = im[0] * m[i] + im[1] * d[i] + im[2] * k[i];
            column[2 * i + 1] = y;
            second[2 * i] = -y;
            second[2 * i + 1] = x;
        }
        const double constraint = j >= n ? a->across : a->row;
        for (; i < length; i++) {
            const double rate = constraint * d[i];  // (5')
            const double x = constraint * m[i] + creal(a->k) * rate;
            column[t * i] = x;
            if (!pair) continue;
            const double y = cimag(a->k) * rate;
            column[2 * i + 1] = y;
            second[2 * i] = -y;
            second[2 * i + 1] = x;
        }
    }
}

static void sum_parts(const tmli_stages *s, tmli_stage_matrix *a, bool pair)
{
    const tml_pattern *p = s->sys->pattern;
    const int n = s->sys->n, t = a->times;
    if (s->fields == 1) {
        sum_one_field(s, a, pair);
        return;
    }
    for (int j = 0; j < p->n; j++) {
        const int start = p->colptr[j], length = p->colptr[j + 1] - start;
        double *column =
            a->values + (size_t)t * (size_t)t * (size_t)start;  // the t columns of j follow each other
        for (int i = 0; i < length; i++)
            put_entry(s, a, pair, s->mass[start + i], s->damping[start + i], s->stiffness[start + i],
                      j >= n                      ? a->across
                      : p->rowind[start + i] >= n ? a->row
                                                  : 0,
                      column + t * i, t * length);
    }
}

// Two fields: rows at velocity level have no eta. Rows and columns of the first field become those of -1.
static void remove_first_rows(const tmli_stages *s, tmli_stage_matrix *a, bool pair)
{
    const tml_system *sys = s->sys;
    const int width = pair ? 2 : 1, t = a->times;
    for (int r = 0; r < sys->m; r++) {
        if (!tmli_stages_is_velocity_row(s, r)) continue;
        for (int c = 0; c < width; c++) {
            const int row = (sys->n + r) * t + c;
            for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1]; i++)
                for (int f = 0; f < t; f++) {
                    const int column = sys->rowcol[i] * t + f;
                    a->values[tmli_pattern_find(a->wide, row, column)] = 0;
                    a->values[tmli_pattern_find(a->wide, column, row)] = 0;
                }
            a->values[tmli_pattern_find(a->wide, row, row)] = -1;
        }
    }
}

double tmli_stages_step_change(const tmli_stages *s, double h)
{
    const double mu = cabs(s->table->eigen[0].mu), k = h / mu, was = s->factor_h / mu;
    double largest = 0;
    for (int j = 0; j < s->sys->n && h != s->factor_h; j++) {
        const int at = tmli_pattern_find(s->sys->pattern, j, j);
        if (at < 0) continue;
        const double d = s->damping[at], c = s->stiffness[at];
        const double change = fabs((k - was) * (d + (k + was) * c));
        const double size = fabs(s->mass[at]) + was * (fabs(d) + was * fabs(c));
        if (change > largest * size) largest = change / size;
    }
    return largest;
}

tml_status tmli_stages_factor(tmli_stages *s, double h, tml_error *err)
{
    tml_status st = TML_OK;
    s->factor_h = 0;
    for (int i = 0; i < s->table->eigenvalues && st == TML_OK; i++) {
        tmli_stage_matrix *a = &s->matrix[i];
        tmli_stages_set_coefficients(s, a, s->table->eigen[i].mu, h);
        sum_parts(s, a, s->table->eigen[i].pair);
        if (s->sys->level && s->fields == 2) remove_first_rows(s, a, s->table->eigen[i].pair);
        st = s->solver->factor(a->lin, a->values, err);
    }
    s->count->factorizations++;
    if (st == TML_OK) s->factor_h = h;
    return st;
}

// rhs := its unknowns times their measures
static void scale_unknowns(const tmli_stages *s, const tmli_stage_matrix *a)
{
    const int n = s->sys->n + s->sys->m, times = a->times;
    double *rhs = a->rhs;
    for (int i = 0; i < n && times == 1; i++) rhs[i] *= s->measure[i];
    for (int i = 0; i < n && times == 2; i++) {
        rhs[2 * i] *= s->measure[i];
        rhs[2 * i + 1] *= s->measure[i];
    }
    for (int i = 0; i < n && times > 2; i++)
        for (int c = 0; c < times; c++) rhs[i * times + c] *= s->measure[i];
}

void tmli_stages_solve_linear(const tmli_stages *s, tmli_stage_matrix *a)
{
    if (s->physical) scale_unknowns(s, a);
    s->solver->solve(a->lin, a->rhs);
    if (s->physical) scale_unknowns(s, a);
}

// ---- archive ----------------------------------------------------------------------------------------------

static const tmli_span COEFFICIENTS[] = {TMLI_NUMBERS(tmli_stage_matrix, h, across), {0}};

void tmli_stages_archive_coefficients(tmli_stage_matrix *m, tml_archive *a)
{
    tmli_spans_archive(COEFFICIENTS, NULL, m, a);
}

static void archive_matrix(tmli_stages *s, tmli_stage_matrix *m, tml_archive *a)
{
    const tml_pattern *p = m->wide ? m->wide : s->sys->pattern;
    tml_archive_doubles(a, m->values, (size_t)tmli_pattern_nnz(p) + (size_t)p->n);  // with rhs
    tmli_stages_archive_coefficients(m, a);
    tmli_linsolver_archive(s->solver, m->lin, a);
}

void tmli_stages_archive(tmli_stages *s, tml_archive *a)
{
    const tmli_sizes sizes = sizes_of(s);
    tmli_fields_archive(&FIELDS, &sizes, s, a);
    tmli_newton_archive(&s->newton, a);
    for (int i = 0; i < s->table->eigenvalues; i++) archive_matrix(s, &s->matrix[i], a);
    if (s->slow.lin) archive_matrix(s, &s->slow, a);
    if (s->coupled.lin) tmli_coupled_archive(s, a);
    for (int i = 0; i < 2; i++) tmli_record_archive(s->record[i], a);
}
