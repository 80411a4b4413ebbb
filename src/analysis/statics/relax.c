// Relaxation: implicit steps of W dx/dtau = force in a pseudo-time tau, 1/mu each.
//
// A step solves (1) of search.h. It goes down, as the flow itself does, only while mu exceeds what the loads
// lack of stiffness along it: a smaller mu would lead to an unstable equilibrium. With work = d'(K + mu W)d,
// the force along the step d at its begin, and work_1, the same at its end, a step is taken if
//   work >= mu/2 d'W d   (d'K d >= -mu/2 d'W d)   and   work_1 >= -work/2  (the lowest point is not passed)
// and mu decreases after it; in the basin of a stable equilibrium mu vanishes, the steps become Newton's.
#include "analysis/statics/search.h"

#include <math.h>
#include <string.h>

#include "analysis/statics/constants.h"

// mass, mass_size at x.
static tml_status assemble_mass(tmli_search *a, const tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    const tml_pattern *p = s->pattern;
    const tml_assembly mass = {.cm = 1};
    const tml_status st = s->ops->assemble(s->self, a->work, x, &mass, a->mass, err);
    double most = 0;
    for (int j = 0; j < s->n && st == TML_OK; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if (p->rowind[k] < s->n) most = fmax(most, fabs(a->mass[k]) * a->unit[j] * a->unit[p->rowind[k]]);
    a->mass_size = most > 0 ? most : 1;
    return st;
}

// d'W d of the motion. First-order states have a metric of their own and no part in it.
static double metric(const tmli_search *a, const double *d)
{
    const tml_system *s = a->sys;
    const tml_pattern *p = s->pattern;
    double sum = 0;
    for (int j = 0; j < s->n - s->nz; j++) {
        sum += RELAXATION_INERTIA * a->mass_size * d[j] * d[j] / (a->unit[j] * a->unit[j]);
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if (p->rowind[k] < s->n - s->nz) sum += d[j] * a->mass[k] * d[p->rowind[k]];
    }
    return sum;
}

// Work of the forces that are not balanced on the motion d. dlambda: NULL, or the multipliers' change with d.
static double work_along(const tmli_search *a, const double *d, const double *dlambda)
{
    double sum = 0;
    for (int j = 0; j < a->sys->n - a->sys->nz; j++) sum -= d[j] * a->motion[j];
    for (int i = 0; i < a->sys->m && dlambda; i++) sum += a->phi[i] * dlambda[i];
    return sum;
}

// Move x onto the constraints with the matrix of the last step, and evaluate the residual there. Without
// this, redundant rows, which are violated in second order of a step, would have multipliers of any size.
static tml_status project(tmli_search *a, tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    double before = INFINITY;
    for (int k = 0;; k++) {
        const tml_status st = tmli_search_residual(a, x, err);
        if (st != TML_OK || k == MAX_CORRECTIONS) return st;
        double violation = 0;
        memset(a->tau, 0, (size_t)s->n * sizeof(double));
        for (int i = 0; i < s->m; i++) {
            a->tau[s->n + i] = -a->phi[i];
            violation = fmax(violation, fabs(a->phi[i]) * a->r[i]);
        }
        if (violation < 1e-14 || (violation < CONVERGED_CORRECTION && violation > before / 2)) return st;
        before = violation;
        tmli_search_solve(a, a->tau);
        memset(a->tau + s->n, 0, (size_t)s->m * sizeof(double));
        tmli_search_move(a, a->tau, x);
    }
}

// The coordinate that moves most.
static int leader(const tmli_search *a)
{
    int most = 0;
    for (int j = 1; j < a->sys->n; j++)
        if (fabs(a->d[j]) / a->unit[j] > fabs(a->d[most]) / a->unit[most]) most = j;
    return most;
}

tml_status tmli_search_relax(tmli_search *a, tml_state *x, tml_error *err)
{
    const tml_system *s = a->sys;
    double travel = 0, last[2] = {INFINITY, INFINITY};
    char name[64];
    tml_status st = assemble_mass(a, x, err);
    if (st == TML_OK) st = tmli_search_residual(a, x, err);
    if (st != TML_OK) return st;
    double mu = fmax(a->force, 1e-300) / (LARGEST_PREDICTION / 4 * a->mass_size);
    const double first = mu;
    bool fresh = false;  // motion, phi are those of x
    a->out->relaxed = true;
    for (a->out->steps = 0; a->out->steps < MAX_STEPS && travel < LARGEST_TRAVEL; a->out->steps++) {
        if (!fresh) st = tmli_search_residual(a, x, err);
        if (st == TML_OK && !fresh) st = assemble_mass(a, x, err);
        if (st != TML_OK) return st;
        fresh = true;
        if (tmli_search_factor(a, x, mu, err) != TML_OK) {
            mu *= RELAXATION_GROWTH;
            continue;
        }
        tmli_search_correction(a, 1);
        a->out->iterations++;
        const double size = tmli_search_largest(a, a->d), work = work_along(a, a->d, a->d + s->n);
        const bool small = size < CONVERGED_CORRECTION;  // round-off decides its work
        if (!(size < LARGEST_PREDICTION / 2) || (!small && work < mu / 2 * metric(a, a->d))) {
            mu *= RELAXATION_GROWTH;
            continue;
        }
        tml_state_copy(a->trial, x);
        tmli_search_move(a, a->d, a->trial);
        memcpy(a->v, a->d, (size_t)(s->n + s->m) * sizeof(double));
        fresh = false;
        st = project(a, a->trial, err);
        if (st != TML_OK) return st;
        if (!small && work_along(a, a->v, NULL) < -work / 2) {
            mu *= RELAXATION_GROWTH;
            continue;
        }
        tml_state_copy(x, a->trial);
        travel += size;
        const tmli_outcome found = tmli_search_judge(a, size, 0, 1, last);
        if (size < 1e-13 || (mu < 1e-9 * first && found == TMLI_CONVERGED)) return TML_OK;
        mu = fmax(mu * RELAXATION_DECAY, 1e-12 * first);
    }
    return tmli_fail(err, TML_ERR_STEP,
                     "no %s found: after %d steps of relaxation %s still moves, and nothing holds it "
                     "against the loads%s",
                     a->wanted, a->out->steps, s->coordinate_name(s, leader(a), name, sizeof name),
                     s->switches_rows ? " (rigid limits, rigid contacts and friction that holds do not count "
                                        "in an equilibrium: give them a stiffness, or let the model come to "
                                        "rest in a run)"
                                      : "");
}
