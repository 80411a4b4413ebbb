// Forces of actuators: what the coordinates that a driver lists must exert so that its motion results.
//
// A driver or pose moves the mechanism as if by a force of its own, -B_p' lambda_p, in its rows p. The
// actuators, coordinates with gradients G and forces F, shall replace it together with other forces in the
// joints (rows j):
//   M udot + B_j' mu_j = f + G' F                                                                         (1)
// The mechanism has no degree of freedom left. Its virtual motions without the rows p are the columns of U,
//   B_j U = 0,   B_p U = 1                                                                                (2)
// on which the rows j do no work. With M udot + B_j' lambda_j + B_p' lambda_p = f, (1) gives
//   (G U)' F = -lambda_p                                                                                  (3)
// Of all solutions of (3) the one of least norm is taken, with forces times the model length as moments; so
// are the multipliers mu_j of (1) where rows are redundant.
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "sim/queries/sim.h"

#include <math.h>
#include <string.h>

#include "consistency/tolerances.h"

struct tmli_actuators {
    int count, nrows;  // actuators; rows p
    int *row;          // (nrows)
    tmli_minimum_norm reactions;
    bool *left_out;   // (m) rows p
    double *force;    // (count) F; NAN: unknown
    double *G;        // (count x n)
    double *U;        // (n)
    double *unit;     // (m) a unit right-hand side of (2)
    double *applied;  // (n) -G' F
    double *A;        // (nrows x count) of (3), column-major
    double *factor;   // the same, for its decomposition
    double *b, *s;    // (max(count, nrows)) right-hand side and solution; singular values
    double *work;     // (lwork)
    double *kept;     // (m) multipliers of the drivers and joints before
    int lwork;
};

void tmli_sim_destroy_actuators(tml_sim *sim)
{
    tmli_actuators *a = sim->actuators;
    if (!a) return;
    tmli_minimum_norm_clear(&a->reactions);
    sim->actuators = NULL;
}

tml_status tmli_sim_create_actuators(tml_sim *sim, tml_error *err)
{
    const tml_model *m = sim->model;
    if (!m || m->nactuators == 0) return TML_OK;
    tmli_actuators *a = tmli_arena_alloc(&sim->arena, 1, sizeof *a);
    if (!a) return tmli_no_memory(err, "simulation");
    sim->actuators = a;
    a->count = m->nactuators;
    for (int i = 0; i < m->nconstraints; i++)
        if (m->constraint[i].actuated) a->nrows += m->constraint[i].nrows;
    const size_t count = (size_t)a->count, nrows = (size_t)a->nrows, n = (size_t)m->n,
                 most = count > nrows ? count : nrows;
    a->lwork = (int)(10 * most);
    if (!tmli_arena_alloc_all(
            &sim->arena, TMLI_ARRAY(a->row, nrows + 1), TMLI_ARRAY(a->left_out, (size_t)m->m + 1),
            TMLI_ARRAY(a->force, count), TMLI_ARRAY(a->G, count * n), TMLI_ARRAY(a->U, n),
            TMLI_ARRAY(a->applied, n), TMLI_ARRAY(a->unit, (size_t)m->m), TMLI_ARRAY(a->A, nrows * count),
            TMLI_ARRAY(a->factor, nrows * count), TMLI_ARRAY(a->b, most), TMLI_ARRAY(a->s, most),
            TMLI_ARRAY(a->work, (size_t)a->lwork), TMLI_ARRAY(a->kept, (size_t)m->m)))
        return tmli_no_memory(err, "simulation");
    int k = 0;
    for (int i = 0; i < m->nconstraints; i++)
        for (int r = 0; m->constraint[i].actuated && r < m->constraint[i].nrows; r++) {
            a->row[k++] = m->constraint[i].first + r;
            a->left_out[m->constraint[i].first + r] = true;
        }
    for (int i = 0; i < a->count; i++) a->force[i] = NAN;
    tml_status st = tmli_lapack_load(err);
    if (st == TML_OK) st = tmli_minimum_norm_create(sim->sys, &tml_linsolver_klu, &a->reactions, err);
    if (st == TML_OK) tmli_index1_leave_out(&a->reactions.matrix, a->left_out);
    ((tmli_work *)sim->work)->actuator = a->force;
    return st;
}

// G at x: derivatives of the coordinates of the actuators by the increments.
static void find_gradients(tml_sim *sim, const tml_state *x)
{
    const tml_model *m = sim->model;
    const tmli_work *w = sim->work;
    tmli_actuators *a = sim->actuators;
    tmli_mb_set_poses(m, sim->work, x->q);
    memset(a->G, 0, (size_t)a->count * (size_t)m->n * sizeof(double));
    for (int i = 0; i < a->count; i++) {
        const tmli_measure_use *use = &m->measure_use[m->actuator[i].use];
        double g[12], *row = a->G + (size_t)i * (size_t)m->n;
        tmli_measure_grad(&use->measure, tmli_pose_of(w->pose, use->node[0]),
                          tmli_pose_of(w->pose, use->node[1]), g);
        for (int side = 0; side < 2; side++) {
            const tmli_node *node = use->node[side] < 0 ? NULL : &m->node[use->node[side]];
            for (int k = 0; node && k < node->ncoords; k++)
                row[node->first + k] += g[6 * side + node->local[k]];
        }
    }
}

// A of (3), with forces in units of moments over the model length. Needs the factorization at x.
static void find_leverage(tml_sim *sim)
{
    tmli_actuators *a = sim->actuators;
    const tml_model *m = sim->model;
    for (int k = 0; k < a->nrows; k++) {
        a->unit[a->row[k]] = 1;
        tmli_index1_solve(&sim->consistent.matrix, NULL, a->unit, a->U, NULL);  // (2)
        a->unit[a->row[k]] = 0;
        for (int i = 0; i < a->count; i++) {
            const double *g = a->G + (size_t)i * (size_t)m->n;
            double sum = 0;
            for (int j = 0; j < m->n; j++) sum += g[j] * a->U[j];
            a->A[i * a->nrows + k] = sum * tmli_actuator_scale(m, i);
        }
    }
}

// Largest residual of (3) for the scaled forces in a->b.
static double residual(const tmli_actuators *a, const tml_state *x)
{
    double largest = 0;
    for (int k = 0; k < a->nrows; k++) {
        double sum = x->lambda[a->row[k]];
        for (int i = 0; i < a->count; i++) sum += a->A[i * a->nrows + k] * a->b[i];
        largest = fmax(largest, fabs(sum));
    }
    return largest;
}

// F from (3). *rank: of A. False: the actuators cannot exert the forces.
static bool find_forces(tml_sim *sim, const tml_state *x, int *rank)
{
    tmli_actuators *a = sim->actuators;
    const int one = 1, most = a->count > a->nrows ? a->count : a->nrows;
    const double rcond = TMLI_RANK_TOLERANCE;
    int info = 0;
    double size = 0;
    for (int k = 0; k < a->nrows; k++) {
        a->b[k] = -x->lambda[a->row[k]];
        size = fmax(size, fabs(a->b[k]));
    }
    memcpy(a->factor, a->A, (size_t)a->nrows * (size_t)a->count * sizeof(double));
    tmli_dgelss(&a->nrows, &a->count, &one, a->factor, &a->nrows, a->b, &most, a->s, &rcond, rank, a->work,
                &a->lwork, &info);
    if (info != 0 || residual(a, x) > TMLI_INPUT_ERROR * size) return false;
    for (int i = 0; i < a->count; i++) a->force[i] = a->b[i] * tmli_actuator_scale(sim->model, i);
    return true;
}

tml_status tmli_sim_actuate(tml_sim *sim, tml_state *x, tml_error *err)
{
    tmli_actuators *a = sim->actuators;
    const int n = sim->sys->n;
    int rank = 0;
    memcpy(a->kept, x->lambda, (size_t)sim->sys->m * sizeof(double));
    for (int i = 0; i < a->count; i++) a->force[i] = NAN;
    tml_status st = tmli_consistent_factor(&sim->consistent, x, err);
    if (st != TML_OK) return st;
    find_gradients(sim, x);
    find_leverage(sim);
    if (!find_forces(sim, x, &rank))
        return tmli_fail(
            err, TML_ERR_MODEL,
            "the %d actuators cannot exert the forces of the drivers at t = %g s: they act on %d "
            "of the %d driven motions",
            a->count, x->t, rank, a->nrows);
    memset(a->applied, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < n; j++) a->applied[j] -= a->force[i] * a->G[(size_t)i * (size_t)n + (size_t)j];
    return tmli_minimum_norm_set(&a->reactions, x, a->applied, err);
}

void tmli_sim_restore_multipliers(tml_sim *sim, tml_state *x)
{
    memcpy(x->lambda, sim->actuators->kept, (size_t)sim->sys->m * sizeof(double));
}

const double *tmli_sim_actuator_forces(const tml_sim *sim) { return sim->actuators->force; }

void tmli_sim_archive_actuators(tml_sim *sim, tml_archive *a)
{
    tmli_minimum_norm_archive(&sim->actuators->reactions, a);
    tml_archive_doubles(a, sim->actuators->force, (size_t)sim->actuators->count);
}
