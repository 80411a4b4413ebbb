// See impact_rows.h: the rows of what is closed or sticks, at acceleration level.
#include "base/modes.h"
#include "integrate/events/impact_rows_internal.h"

#include <math.h>
#include <string.h>

#include "integrate/events/constants.h"

// The groups of what is closed or sticks; bounds of friction alone by the multipliers of x, which are 0 for
// all rows of the groups then.
static void list_resting(tmli_impact_rows *r, tml_state *x)
{
    const tml_system *s = r->sys;
    tmli_impact_law *law = &r->law;
    law->rows = law->groups = 0;
    law->error = fmax(fmin(FORCE_ERROR, FORCE_ERROR_OF_TOLERANCE * r->tol), LAW_ERROR);
    law->outside = FORCE_NOISE;
    for (int i = 0; i < s->nmode; i++) {
        const bool normal = tmli_is_unilateral(s, i);
        const int by = s->loads && !normal ? s->switches[i].loaded_by : -1;
        if (!tmli_holds_row(s, x, i) || (by >= 0 && by < s->nmode)) continue;
        tmli_impact_group *g = &law->group[law->groups];
        *g = (tmli_impact_group){.first = law->rows, .normals = normal, .tangents = !normal};
        r->mode[law->groups] = TML_SWITCH_RELEASED;
        r->owner[law->groups++] = i;
        tmli_impact_rows_add(r, i);
        if (!normal) x->lambda[s->switches[i].row] = 0;
        for (int j = 0; j < s->nmode && s->loads && normal; j++) {
            if (s->switches[j].loaded_by != i || x->mode[j] != TML_SWITCH_HELD) continue;
            tmli_impact_rows_add(r, j);
            g->tangents++;
        }
    }
    s->ops->event_values(s->self, r->work, x, r->value);
    for (int k = 0; k < law->groups; k++)
        if (!law->group[k].normals) law->group[k].bound = fmax(r->value[r->owner[k]], 0);
    tmli_impact_rows_find_signs(r, x);
    memcpy(x->lambda, r->held_lambda, (size_t)s->m * sizeof *x->lambda);
    for (int k = 0; k < law->rows; k++) x->lambda[r->row[k]] = 0;
}

// b and W of the accelerations of the listed rows, by forces at x. r->f0: forces without those of the rows,
// r->c: right-hand sides of all other rows.
static tml_status find_accelerations(tmli_impact_rows *r, tml_state *x)
{
    const tml_system *s = r->sys;
    tmli_impact_law *law = &r->law;
    tml_status st = tmli_active_rows(s, r->work, x, r->B, NULL);
    if (st == TML_OK) st = tmli_active_dynamics(s, r->work, x, r->f0, r->gamma, NULL);
    double *const m = r->diagonal;
    if (st == TML_OK) st = s->ops->diagonals(s->self, r->work, x, m, m + s->n, m + 2 * s->n, NULL);
    memcpy(r->c, r->gamma, (size_t)s->m * sizeof *r->c);
    tmli_impact_rows_open(r, x);
    tmli_consistent_rows_changed(r->consistent);
    if (st == TML_OK) st = tmli_consistent_factor(r->consistent, x, NULL);
    memcpy(x->mode, r->held_mode, (size_t)s->nmode * sizeof *x->mode);
    if (st != TML_OK) return st;
    tmli_impact_rows_move(r, r->f0, r->c, r->du, NULL);
    for (int k = 0; k < law->rows; k++) {
        const double gamma = r->sign[k] * r->gamma[r->row[k]];
        law->b[k] = tmli_impact_rows_rate(r, k, r->du) - gamma;
        law->terms[k] = tmli_impact_rows_terms(r, k, r->du) + fabs(gamma);
    }
    tmli_impact_rows_find_W(r, x);
    return TML_OK;
}

// The multipliers of x by p, and by what would hold the rows that accelerate
static void put_forces(tmli_impact_rows *r, tml_state *x, bool halved)
{
    const tml_system *s = r->sys;
    const tmli_impact_law *law = &r->law;
    memcpy(r->force, r->f0, (size_t)s->n * sizeof *r->force);
    for (int k = 0; k < law->rows; k++) {
        tmli_impact_rows_add_gradient(r, k, law->p[k], r->force);
        if (s->loads) tmli_impact_rows_add_slip(r, k, law->p[k], x, r->force);
    }
    tmli_impact_rows_move(r, r->force, r->c, r->du, x->lambda);
    for (int c = 0; c < law->groups; c++)
        for (int i = 0; i < law->group[c].normals + law->group[c].tangents; i++) {
            const int k = law->group[c].first + i;
            const double W = law->W[k * (law->rows + 1)], u = law->u[k];
            const bool holds = fabs(u) <= law->allowed * law->scale[k], normal = i < law->group[c].normals;
            const double p = law->p[k] * (halved && holds && !normal ? 0.5 : 1);
            x->lambda[r->row[k]] = -r->sign[k] * (holds ? p : p - (W > 0 ? u / W : u));
        }
}

// All rows in force are as their multipliers allow.
static bool all_hold(tmli_impact_rows *r, const tml_state *x)
{
    const tml_system *s = r->sys;
    s->ops->event_values(s->self, r->work, x, r->value);
    for (int i = 0; i < s->nmode; i++)
        if (tmli_holds_row(s, x, i) && r->value[i] < 0) return false;
    return true;
}

// A closed point slips.
static bool any_slips(const tml_system *s, const tml_state *x)
{
    for (int j = 0; j < s->nmode && s->loads; j++) {
        const int i = s->switches[j].loaded_by;
        if (i >= 0 && i < s->nmode && x->mode[i] == TML_SWITCH_HELD && x->mode[j] != TML_SWITCH_HELD)
            return true;
    }
    return false;
}

bool tmli_impact_rows_rest(tmli_impact_rows *r, tml_state *x, bool depends, bool halved)
{
    const tml_system *s = r->sys;
    if (!s || !s->switches_rows || r->consistent->matrix.has_massless || all_hold(r, x)) return false;
    if (depends && any_slips(s, x)) return false;
    memcpy(r->held_mode, x->mode, (size_t)s->nmode * sizeof *x->mode);
    memcpy(r->held_lambda, x->lambda, (size_t)s->m * sizeof *x->lambda);
    list_resting(r, x);
    const bool found = find_accelerations(r, x) == TML_OK && tmli_impact_law_solve(&r->law, false);
    if (found) put_forces(r, x, halved);
    else memcpy(x->lambda, r->held_lambda, (size_t)s->m * sizeof *x->lambda);
    tmli_consistent_rows_changed(r->consistent);
    return found;
}
