// All stages coupled in one matrix, stages.h (8).
//
// With two fields, V = W/k, in the letters of stages.h (7):
//   sum_j k G_ij/h M_i dZ_j - M_i dW_i + P_i dZ_i + B_i'e..                 = -(k r1_i + P*_i phi_i)
//   sum_j k G_ij/h M_i dW_j + (k Dm_i + P_i) dW_i + k^2 K_i dZ_i + B_i'e..  = -(k^2 r_i + P*_i k psi_i)   (1)
#include "integrate/radau/stages.h"
#include "linalg/pattern/expand.h"
#include "linalg/solver/archive.h"

#include <string.h>

tml_status tmli_coupled_create(tmli_stages *s, tml_error *err)
{
    const tml_system *sys = s->sys;
    tmli_coupled *c = &s->coupled;
    const int times = s->table->stages * s->fields;
    tml_status st = tmli_pattern_expand(sys->pattern, times, &sys->env, &c->wide, err);
    if (st != TML_OK) return st;
    const size_t nnz = (size_t)tmli_pattern_nnz(sys->pattern), wide = (size_t)tmli_pattern_nnz(c->wide);
    const size_t stages = (size_t)s->table->stages, entries = (size_t)sys->rowptr[sys->m];
    if (!tmli_calloc_block(&sys->env, TMLI_ARRAY(c->values, wide), TMLI_ARRAY(c->rhs, (size_t)c->wide->n),
                           TMLI_ARRAY(c->mass, stages * nnz), TMLI_ARRAY(c->damping, stages * nnz),
                           TMLI_ARRAY(c->stiffness, stages * nnz), TMLI_ARRAY(c->penalty, stages * nnz),
                           TMLI_ARRAY(c->stress, stages * nnz), TMLI_ARRAY(c->rows, stages * entries),
                           TMLI_ARRAY(c->turning, stages * entries)))
        return tmli_no_memory(err, "integrator");
    return s->solver->create(c->wide, &sys->env, &c->lin, err);
}

void tmli_coupled_clear(tmli_stages *s)
{
    tmli_coupled *c = &s->coupled;
    if (c->lin) s->solver->destroy(c->lin);
    tmli_pattern_destroy(c->wide);
    tmli_free(&s->sys->env, c->values);
    *c = (tmli_coupled){0};
}

// Two fields: evaluate stress and turning of stage i. As in the residual of (6), stress is h times the
// change of K when udot changes by (v - u)/h, which is in motion[0], and lambda by eta/h.
static tml_status evaluate_second_field(tmli_stages *s, double h, int i, tml_error *err)
{
    const tml_system *sys = s->sys;
    tmli_coupled *c = &s->coupled;
    const size_t nnz = (size_t)tmli_pattern_nnz(sys->pattern), entries = (size_t)sys->rowptr[sys->m];
    const tml_assembly stiffness = {.ck = 1};
    const tml_state *x = s->stage[i];
    double *stress = c->stress + (size_t)i * nnz, *turning = c->turning + (size_t)i * entries;
    tml_state_copy(s->probe, x);
    for (int j = 0; j < sys->n; j++) s->probe->udot[j] += s->motion[0][i][j] / h;
    for (int r = 0; r < sys->m; r++) s->probe->lambda[r] += s->eta[i][r] / h;
    tml_status st = tmli_stages_evaluate_part(s, s->probe, &stiffness, false, stress, err);
    for (size_t p = 0; p < nnz; p++) stress[p] = h * (stress[p] - c->stiffness[(size_t)i * nnz + p]);
    return st == TML_OK ? tmli_active_rows_times(sys, s->work, x, x->u, turning, err) : st;
}

// M, Dm, K, P and B of all stages.
static tml_status evaluate(tmli_stages *s, double h, tml_error *err)
{
    const tml_system *sys = s->sys;
    tmli_coupled *c = &s->coupled;
    const size_t nnz = (size_t)tmli_pattern_nnz(sys->pattern), entries = (size_t)sys->rowptr[sys->m];
    for (int r = 0; r < sys->m; r++)
        s->scratch[r] = tmli_stages_is_velocity_row(s, r) ? 0 : s->augment * s->e[r];
    const tml_assembly mass = {.cm = 1, .r = s->e, .loads = true}, damping = {.cd = 1}, stiffness = {.ck = 1},
                       penalty = {.cp = 1, .p = s->scratch};
    tml_status st = TML_OK;
    for (int i = 0; i < s->table->stages && st == TML_OK; i++) {
        const size_t at = (size_t)i * nnz;
        const tml_state *x = s->stage[i];
        st = tmli_stages_evaluate_part(s, x, &mass, true, c->mass + at, err);
        if (st == TML_OK) st = tmli_stages_evaluate_part(s, x, &damping, false, c->damping + at, err);
        if (st == TML_OK) st = tmli_stages_evaluate_part(s, x, &stiffness, false, c->stiffness + at, err);
        if (st == TML_OK) st = tmli_stages_evaluate_part(s, x, &penalty, false, c->penalty + at, err);
        if (st == TML_OK) st = tmli_active_rows(sys, s->work, x, c->rows + (size_t)i * entries, err);
        if (st == TML_OK && s->fields == 2) st = evaluate_second_field(s, h, i, err);
        if (st == TML_OK && s->fields == 1 && sys->level)
            st = tmli_active_rows_times(sys, s->work, x, x->u, c->turning + (size_t)i * entries, err);
    }
    return st;
}

// Element (stage i, field f; stage j, field g) of entry p of the motion rows.
static double element(const tmli_stages *s, double h, size_t p, int i, int f, int j, int g)
{
    const tmli_coupled *c = &s->coupled;
    const tmli_radau_table *t = s->table;
    const tmli_stage_matrix *a = &c->factor;
    const double m = c->mass[p], d = c->damping[p], force = creal(a->force[f]), v = creal(a->column[g]);
    const bool own = i == j;
    double x = own && f == g ? creal(a->m[f][f]) * c->penalty[p] : 0;
    if (s->fields == 1) {
        double square = 0;
        for (int l = 0; l < t->stages; l++) square += t->inverse[i][l] * t->inverse[l][j];
        return x + force * (square / (h * h) * m + t->inverse[i][j] / h * d + (own ? c->stiffness[p] : 0));
    }
    if (f == g) x += force * v * t->inverse[i][j] / h * m;
    if (own && f == 1) x += force * (g == 1 ? v * d : c->stiffness[p]);
    if (own && f == 0 && g == 0) x += force * c->stress[p];
    if (own && f == 0 && g == 1) x -= force * v * m;
    return x;
}

static void fill(tmli_stages *s, double h)
{
    const tml_pattern *p = s->sys->pattern;
    tmli_coupled *c = &s->coupled;
    const int n = s->sys->n, stages = s->table->stages, fields = s->fields, times = stages * fields;
    const size_t nnz = (size_t)tmli_pattern_nnz(p);
    for (int col = 0; col < p->n; col++)
        for (int at = p->colptr[col]; at < p->colptr[col + 1]; at++) {
            const double constraint = col >= n ? c->factor.across : p->rowind[at] >= n ? c->factor.row : 0;
            for (int b = 0; b < times; b++)
                for (int a = 0; a < times; a++) {
                    const int i = a / fields, f = a % fields, j = b / fields, g = b % fields;
                    const size_t entry = (size_t)i * nnz + (size_t)at;
                    c->values[tmli_pattern_expand_at(p, c->wide, times, col, at, a, b)] =
                        constraint != 0 ? (a == b ? constraint * c->mass[entry] : 0)
                                        : element(s, h, entry, i, f, j, g);
                }
        }
}

// Add (B u)_q to the rows of the velocity constraints of stage i, and the penalty that the augmentation
// makes of them.
static void add_turning(tmli_stages *s, int i)
{
    const tml_system *sys = s->sys;
    tmli_coupled *c = &s->coupled;
    const int times = s->table->stages * 2, v = 2 * i + 1, z = 2 * i;
    const double level = creal(c->factor.level[1]), share = s->augment * creal(c->factor.m[1][1]);
    const double *rows = c->rows + (size_t)i * (size_t)sys->rowptr[sys->m];
    const double *turning = c->turning + (size_t)i * (size_t)sys->rowptr[sys->m];
    for (int r = 0; r < sys->m; r++) {
        const bool rate = tmli_stages_is_velocity_row(s, r);
        for (int q = sys->rowptr[r]; q < sys->rowptr[r + 1]; q++) {
            const int col = sys->rowcol[q];
            const double y = s->e[r] * level * turning[q] * s->measure[col];
            int at = tmli_pattern_find(c->wide, times * (sys->n + r) + v, times * col + z);
            c->values[at] += c->factor.row * s->measure[sys->n + r] * y;
            for (int p = sys->rowptr[r]; p < sys->rowptr[r + 1] && share > 0 && !rate; p++) {
                at = tmli_pattern_find(c->wide, times * sys->rowcol[p] + v, times * col + z);
                c->values[at] += share * rows[p] * s->measure[sys->rowcol[p]] * y;
            }
        }
    }
}

// Rows at velocity level of stage i. One field, with k = h/|mu|:
//   sum_j e k (G_ij/h) B_i dZ_j + e k (B u)_d dZ_i = -e k psi_i                                           (2)
// Two fields: eta = 0 in the first; the second is that of other rows.
static void fill_velocity_rows(tmli_stages *s, double h, int i)
{
    const tml_system *sys = s->sys;
    tmli_coupled *c = &s->coupled;
    const int stages = s->table->stages, fields = s->fields, times = stages * fields;
    const double k = creal(c->factor.k), *rows = c->rows + (size_t)i * (size_t)sys->rowptr[sys->m],
                 *turning = c->turning + (size_t)i * (size_t)sys->rowptr[sys->m];
    for (int r = 0; r < sys->m; r++) {
        if (!tmli_stages_is_velocity_row(s, r)) continue;
        const int row = times * (sys->n + r) + i * fields;
        for (int q = sys->rowptr[r]; q < sys->rowptr[r + 1]; q++) {
            const int col = times * sys->rowcol[q];
            const double unit = s->measure[sys->n + r] * s->measure[sys->rowcol[q]];
            const double factor = c->factor.row * s->e[r] * k * unit;
            for (int j = 0; j < stages && fields == 1; j++)
                c->values[tmli_pattern_find(c->wide, row, col + j)] =
                    factor * (s->table->inverse[i][j] / h * rows[q] + (i == j ? turning[q] : 0));
            if (fields == 1) continue;
            c->values[tmli_pattern_find(c->wide, row, col + i * fields)] = 0;
            c->values[tmli_pattern_find(c->wide, col + i * fields, row)] = 0;
        }
        if (fields == 2) c->values[tmli_pattern_find(c->wide, row, row)] = -1;
    }
}

tml_status tmli_coupled_factor(tmli_stages *s, double h, tml_error *err)
{
    tmli_coupled *c = &s->coupled;
    c->known = false;
    // scales, and the parts that the estimate and the next small step need
    tml_status st =
        s->have_parts ? TML_OK : tmli_stages_evaluate_parts(s, s->stage[s->table->stages - 2], h, err);
    if (st == TML_OK) st = evaluate(s, h, err);
    if (st != TML_OK) return st;
    tmli_stages_set_coefficients(s, &c->factor, cabs(s->table->eigen[0].mu), h);
    fill(s, h);
    for (int i = 0; i < s->table->stages && s->fields == 2; i++) add_turning(s, i);
    for (int i = 0; i < s->table->stages && s->sys->level; i++) fill_velocity_rows(s, h, i);
    st = s->solver->factor(c->lin, c->values, err);
    s->count->factorizations++;
    c->known = st == TML_OK;
    return st;
}

// Right-hand side of one stage.
static void right_side(tmli_stages *s, int i)
{
    const tml_system *sys = s->sys;
    tmli_coupled *c = &s->coupled;
    const int fields = s->fields, times = s->table->stages * fields;
    const tmli_stage_matrix *a = &c->factor;
    const double *rows = c->rows + (size_t)i * (size_t)sys->rowptr[sys->m];
    for (int f = 0; f < fields; f++) {
        const double force = creal(a->force[f]), level = creal(a->level[f]);
        const double share = s->augment * creal(a->m[f][f]);
        double *rhs = c->rhs + i * fields + f;
        for (int j = 0; j < sys->n; j++) rhs[j * times] = -force * s->motion[f][i][j];
        for (int r = 0; r < sys->m; r++) {
            const bool rate = tmli_stages_is_velocity_row(s, r);
            const double y = -s->e[r] * (rate && fields == 1 ? creal(a->k) : level) * s->phi[f][i][r];
            rhs[(sys->n + r) * times] = a->row * y;
            if (rate) continue;
            for (int p = sys->rowptr[r]; p < sys->rowptr[r + 1]; p++)
                rhs[sys->rowcol[p] * times] += share * rows[p] * y;
        }
    }
}

void tmli_coupled_solve(tmli_stages *s, double h)
{
    const tml_system *sys = s->sys;
    tmli_coupled *c = &s->coupled;
    const int fields = s->fields, stages = s->table->stages, times = stages * fields, all = sys->n + sys->m;
    tmli_stages_set_coefficients(s, &c->factor, cabs(s->table->eigen[0].mu), h);
    for (int i = 0; i < stages; i++) right_side(s, i);
    for (int j = 0; j < all; j++)
        for (int a = 0; a < times; a++) c->rhs[j * times + a] *= s->measure[j];
    s->solver->solve(c->lin, c->rhs);
    for (int i = 0; i < stages; i++)
        for (int f = 0; f < fields; f++) {
            const double *x = c->rhs + i * fields + f;
            const double column = creal(c->factor.column[f]), reaction = creal(c->factor.reaction[f]);
            for (int j = 0; j < sys->n; j++) s->motion[f][i][j] = column * s->measure[j] * x[j * times];
            for (int r = 0; r < sys->m; r++)
                s->phi[f][i][r] = reaction * s->e[r] * s->measure[sys->n + r] * x[(sys->n + r) * times];
        }
}

void tmli_coupled_archive(tmli_stages *s, tml_archive *a)
{
    tmli_coupled *c = &s->coupled;
    const size_t nnz = (size_t)tmli_pattern_nnz(s->sys->pattern), wide = (size_t)tmli_pattern_nnz(c->wide);
    const size_t stages = (size_t)s->table->stages, entries = (size_t)s->sys->rowptr[s->sys->m];
    tml_archive_bools(a, &c->on, 1);
    tml_archive_bools(a, &c->known, 1);
    tml_archive_bools(a, &c->always, 1);
    tml_archive_bools(a, &c->given_up, 1);
    if (!s->fixed && !s->saturate) return;  // made anew in every step
    tmli_stages_archive_coefficients(&c->factor, a);
    tml_archive_doubles(a, c->values, wide + (size_t)c->wide->n + stages * (5 * nnz + 2 * entries));
    tmli_linsolver_archive(s->solver, c->lin, a);
}
