// Positions at the end of a step: depths are removed, and constraints hold; see moreau.h.
#include "integrate/nonsmooth/moreau.h"
#include "system/state/move.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/nonsmooth/constants.h"

// A sweep over all points; returns the largest change of a gap [m].
static double push_apart(tmli_moreau *s)
{
    tmli_cone *c = &s->cone;
    double most = 0;
    for (int i = 0; i < c->count; i++) {
        tmli_cone_point *p = &c->point[i];
        double u[3];
        if (!(p->W[0] > 0)) continue;
        tmli_cone_velocity(c, p, u);
        const double next = fmax(0, p->r[0] - (s->found[i].gap + u[0]) / p->W[0]);
        const double dr[3] = {next - p->r[0], 0, 0};
        if (dr[0] == 0) continue;
        tmli_cone_push(c, p, dr);
        p->r[0] = next;
        most = fmax(most, fabs(dr[0]) * p->W[0]);
    }
    return most;
}

// (4) for contacts: s->trial_lift. Nonlinear Gauss-Seidel, with gaps along their rows.
static tml_status lift(tmli_moreau *s, double *depth, tml_error *err)
{
    tmli_cone *c = &s->cone;
    double deepest = 0;
    memset(s->trial_lift, 0, (size_t)s->sys->n * sizeof(double));
    tml_status st = tmli_moreau_find(s, s->trial, 0, err);
    for (int i = 0; i < c->count && st == TML_OK; i++) deepest = fmax(deepest, -s->found[i].gap);
    *depth = deepest;
    if (st != TML_OK || !(deepest > DBL_EPSILON * s->sys->length)) return st;
    if (!s->free && tmli_moreau_touches_coupled(s)) {
        st = tmli_index1_factor(&s->matrix, s->trial, 0, 0, err);
        s->count.factorizations++;
    }
    if (st == TML_OK) st = tmli_moreau_answer(s, 1, err);
    if (st != TML_OK) return st;
    memset(c->v, 0, ((size_t)c->n + 6) * sizeof *c->v);
    const int most = POSITION_SWEEPS + POSITION_UPDATES / c->count;
    for (int sweep = 0; sweep < most; sweep++)
        if (!(push_apart(s) > POSITION_CHANGE * deepest)) break;
    *depth = 0;
    for (int i = 0; i < c->count; i++) {
        double u[3];
        tmli_cone_velocity(c, &c->point[i], u);
        *depth = fmax(*depth, -(s->found[i].gap + u[0]));
    }
    memcpy(s->trial_lift, c->v, (size_t)s->sys->n * sizeof(double));
    return TML_OK;
}

typedef struct energies {
    double kinetic, potential;
} energies;

static energies energies_of(const tmli_moreau *s, const tml_state *x)
{
    energies e;
    double power;
    const tml_status st =
        s->sys->ops->energy(s->sys->self, s->work, x, &e.kinetic, &e.potential, &power, NULL);
    return st == TML_OK ? e : (energies){NAN, NAN};
}

// The constraints at the end of the step. (2) holds prescribed rates in its middle: the impulses that bring
// them to those of the end are of their motion, too.
static tml_status project(tmli_moreau *s, tml_error *err)
{
    if (s->sys->m == 0) return TML_OK;
    const bool driven = s->m->ndriven > 0;
    const double before = driven ? energies_of(s, s->trial).kinetic : 0;
    const tml_status st = tmli_consistent_project_motion(&s->consistent, s->trial, err);
    if (st == TML_OK && driven) s->trial_contacts.last_driven += energies_of(s, s->trial).kinetic - before;
    return st;
}

tml_status tmli_moreau_set_positions(tmli_moreau *s, tml_error *err)
{
    double depth = 0;
    tml_status st = lift(s, &depth, err);
    bool lifted = false;
    for (int j = 0; j < s->sys->n && st == TML_OK; j++) lifted = lifted || s->trial_lift[j] != 0;
    if (lifted) {
        const double before = energies_of(s, s->trial).potential;
        tmli_state_move(s->sys, s->trial, s->trial_lift, s->trial);
        s->trial_contacts.lifted += energies_of(s, s->trial).potential - before;
    }
    s->trial_contacts.depth = fmax(s->trial_contacts.depth, depth);
    if (st == TML_OK) st = project(s, err);
    return st == TML_OK ? tmli_state_check_branch(s->sys, s->work, s->trial, err) : st;
}
