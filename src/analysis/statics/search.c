// The state of a search for an equilibrium, and its linear equations.
//
// Bodies that joints alone hold have no stiffness. Pivots of K are zero then, and a solver that exchanges
// rows fills the matrix (200 bars: 40 times the time). With the penalty of (1) the order of the blocks is
// safe. r are the units of the rows, S is the largest stiffness:
//   [ K + S B'r^2 B   S B'r ] [ d  ]   [ motion  ]
//   [ S r B           -e S  ] [ l^ ] = [ S r phi ]                                                        (1)
//   dlambda = S r (l^ + r B d)                                                                           (2)
// solve the equations without the penalty.
#include "analysis/statics/search.h"
#include "linalg/pattern/pattern.h"
#include "system/active_rows/active_rows.h"
#include "system/state/move.h"
#include "system/state/units.h"

#include <math.h>

#include "analysis/statics/constants.h"

void tmli_search_clear(tmli_search *a)
{
    const tml_env *env = &a->sys->env;
    tml_linsolver_block.destroy(a->block);
    tml_linsolver_klu.destroy(a->klu);
    if (a->work) a->sys->ops->destroy_work(a->work);
    tml_state_destroy(a->from, a->sys);
    tml_state_destroy(a->trial, a->sys);
    tmli_free_all(env, a->values, a->diagonal);
}

tml_status tmli_search_prepare(tmli_search *a, const tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    const size_t n = (size_t)s->n, m = (size_t)s->m, nnz = (size_t)tmli_pattern_nnz(s->pattern);
    const bool room = tmli_calloc_block(
        &s->env, TMLI_ARRAY(a->values, nnz), TMLI_ARRAY(a->extra, nnz), TMLI_ARRAY(a->mass, nnz),
        TMLI_ARRAY(a->penalty, nnz), TMLI_ARRAY(a->R0, n), TMLI_ARRAY(a->motion, n), TMLI_ARRAY(a->unit, n),
        TMLI_ARRAY(a->way, n), TMLI_ARRAY(a->phi, m), TMLI_ARRAY(a->r, m), TMLI_ARRAY(a->p, m),
        TMLI_ARRAY(a->wanted_rows, m), TMLI_ARRAY(a->d, n + m), TMLI_ARRAY(a->v, n + m),
        TMLI_ARRAY(a->tau, n + m), TMLI_ARRAY(a->tau_last, n + m + 1));
    a->diagonal = tmli_calloc(&s->env, n + m + 1, sizeof *a->diagonal);
    a->work = s->ops->create_work(s->self, &s->env);
    if (!room || !a->diagonal || !a->work) return tmli_no_memory(err, "statics");
    for (int i = 0; i < s->n + s->m; i++) a->diagonal[i] = tmli_pattern_find(s->pattern, i, i);
    for (int j = 0; j < s->n; j++) a->unit[j] = tmli_coordinate_unit(s, j);
    tml_status st = tml_state_create(s, &a->from, err);
    if (st == TML_OK) st = tml_state_create(s, &a->trial, err);
    if (st == TML_OK) st = tml_linsolver_block.create(s->pattern, &s->env, &a->block, err);
    // r: inverse of the change of a row if its coordinates move by a unit
    double *const rows = a->extra;
    if (st == TML_OK) st = s->ops->rows(s->self, a->work, x, rows, err);
    for (int i = 0; i < s->m && st == TML_OK; i++) {
        double largest = 0;
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++)
            largest = fmax(largest, fabs(rows[k]) * a->unit[s->rowcol[k]]);
        a->r[i] = largest > 0 ? 1 / largest : 1;
        a->p[i] = a->r[i] * a->r[i];
    }
    return st;
}

static bool is_state(const tmli_search *a, int j) { return j >= a->sys->n - a->sys->nz; }

// Factor values: by blocks with the penalty or, where their order is not safe or the matrix may be singular,
// with pivoting among all rows.
static tml_status factor(tmli_search *a, tml_error *err)
{
    const tml_system *s = a->sys;
    const tml_pattern *p = s->pattern;
    tml_linsolver_info info = {0};
    for (int j = 0; j < s->n + s->m; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int i = p->rowind[k];
            const double factor = i < s->n && j < s->n ? a->stiffness * a->unit[i] * a->unit[j] : 0;
            a->penalty[k] = a->values[k] + factor * a->penalty[k];  // (1)
        }
    tml_status st = tml_linsolver_block.factor(a->block, a->penalty, NULL);
    if (st == TML_OK) tml_linsolver_block.info(a->block, &info);
    a->pivoted =
        st != TML_OK || info.growth > SAFE_GROWTH || !(tml_linsolver_block.rcond(a->block) > REGULAR_RCOND);
    if (!a->pivoted) return TML_OK;
    st = a->klu ? TML_OK : tml_linsolver_klu.create(s->pattern, &s->env, &a->klu, &a->shortage);
    if (st != TML_OK && err) *err = a->shortage;
    return st == TML_OK ? tml_linsolver_klu.factor(a->klu, a->values, err) : st;
}

tml_status tmli_search_factor(tmli_search *a, const tml_state *x, double mu, tml_error *err)
{
    const tml_system *s = a->sys;
    const tml_pattern *p = s->pattern;
    const tml_assembly stiff = {.cm = mu, .ck = 1, .r = a->r}, damping = {.cd = 1},
                       penalty = {.cp = 1, .p = a->p};
    tml_status st = s->ops->assemble(s->self, a->work, x, &stiff, a->values, err);
    if (st == TML_OK) st = tmli_active_assemble(s, a->work, x, &penalty, a->penalty, err);
    if (st == TML_OK && (s->nz > 0 || a->spin))
        st = s->ops->assemble(s->self, a->work, x, &damping, a->extra, err);
    if (st == TML_OK && a->spin) {
        st = s->ops->assemble(s->self, a->work, x, &(tml_assembly){.cm = 1}, a->mass, err);
        tmli_spin_tangent(a->spin, x, a->mass, a->extra, a->values);
    }
    if (st != TML_OK) return st;
    a->stiffness = 0;
    for (int j = 0; j < s->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int i = p->rowind[k];
            if (i < s->n) {
                if (is_state(a, j)) a->values[k] = a->extra[k] + mu * (i == j);
                a->values[k] *= a->unit[i] * a->unit[j];
                if (i == j && !is_state(a, j)) a->values[k] += mu * RELAXATION_INERTIA * a->mass_size;
                a->stiffness = fmax(a->stiffness, fabs(a->values[k]));
            } else {
                a->values[k] *= a->unit[j];
            }
        }
    if (!(a->stiffness > 0)) a->stiffness = 1;
    for (int j = 0; j < s->n + s->m; j++)  // rows and columns of multipliers in the size of the stiffness
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int i = p->rowind[k];
            if (j >= s->n && i < s->n) a->values[k] *= a->unit[i];
            if ((i < s->n) != (j < s->n)) a->values[k] *= a->stiffness;
        }
    for (int i = 0; i < s->m; i++)
        a->values[a->diagonal[s->n + i]] -= MULTIPLIER_REGULARIZATION * a->stiffness;
    return factor(a, err);
}

tml_status tmli_search_residual(tmli_search *a, tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    if (a->spin) tmli_spin_apply(a->spin, x);
    const tml_status st = s->ops->residual(s->self, a->work, x, NULL, a->motion, a->phi, err);
    for (int i = 0; i < s->m && s->level; i++)
        if (s->level[i] == TML_LEVEL_VELOCITY) a->phi[i] = 0;
    a->force = 0;
    for (int j = 0; j < s->n; j++) a->force = fmax(a->force, fabs(a->R0[j]) * a->unit[j]);
    for (int i = 0; i < s->m; i++) a->force = fmax(a->force, fabs(x->lambda[i]) / a->r[i]);
    return st;
}

void tmli_search_solve(tmli_search *a, double *out)
{
    const tml_system *s = a->sys;
    double *const rows = a->wanted_rows;
    for (int j = 0; j < s->n; j++) out[j] *= a->unit[j];
    for (int i = 0; i < s->m; i++) {
        rows[i] = out[s->n + i] * a->r[i];
        out[s->n + i] = rows[i] * a->stiffness;
    }
    if (a->pivoted) tml_linsolver_klu.solve(a->klu, out);
    else tml_linsolver_block.solve(a->block, out);
    for (int j = 0; j < s->n; j++) out[j] *= a->unit[j];
    for (int i = 0; i < s->m; i++) {
        const double multiplier = out[s->n + i];
        const double moved = rows[i] + MULTIPLIER_REGULARIZATION * multiplier;  // r B d, by its row
        out[s->n + i] = (multiplier + (a->pivoted ? 0 : moved)) * a->r[i] * a->stiffness;  // (2)
    }
}

void tmli_search_correction(tmli_search *a, double load)
{
    const tml_system *s = a->sys;
    for (int j = 0; j < s->n; j++) a->d[j] = (1 - load) * a->R0[j] - a->motion[j];
    for (int i = 0; i < s->m; i++) a->d[s->n + i] = -a->phi[i];
    tmli_search_solve(a, a->d);
}

double tmli_search_largest(const tmli_search *a, const double *d)
{
    double most = 0;
    for (int j = 0; j < a->sys->n; j++)
        if (!(fabs(d[j]) / a->unit[j] <= most)) most = fabs(d[j]) / a->unit[j];  // NaN counts
    return most;
}

void tmli_search_move(tmli_search *a, const double *d, tml_state *x)
{
    const tml_system *s = a->sys;
    for (int j = s->n - s->nz; j < s->n; j++) x->u[j] += d[j];
    tmli_state_move(s, x, d, x);
    for (int i = 0; i < s->m; i++) x->lambda[i] += d[s->n + i];
}

double tmli_search_imbalance(const tmli_search *a, double load)
{
    double most = 0;
    for (int j = 0; j < a->sys->n; j++)
        most = fmax(most, fabs(a->motion[j] - (1 - load) * a->R0[j]) * a->unit[j]);
    for (int i = 0; i < a->sys->m; i++) most = fmax(most, fabs(a->phi[i]) * a->r[i] * a->stiffness);
    return most;
}

// In thin beams corrections that bend alternate with corrections that stretch, which may be larger: rates and
// growth are judged over two of them.
tmli_outcome tmli_search_judge(const tmli_search *a, double size, double accuracy, double load,
                               double last[2])
{
    const double before = last[0], earlier = last[1];
    last[1] = last[0];
    last[0] = size;
    if (!(size < 2) || size > 2 * fmax(before, earlier)) return TMLI_DIVERGED;
    if (size < 1e-13) return TMLI_CONVERGED;
    if (size < CONVERGED_CORRECTION && size > before / 4) return TMLI_CONVERGED;
    const bool stagnates = size > fmax(before, earlier) / 4;
    if (stagnates && tmli_search_imbalance(a, load) < RESIDUAL_ROUNDOFF * a->stiffness) return TMLI_CONVERGED;
    const double rate = isfinite(earlier) ? sqrt(size / earlier) : 1;  // of one correction
    return rate < 1 && rate / (1 - rate) * size < accuracy ? TMLI_CONVERGED : TMLI_ITERATING;
}
