// Impacts at the start of a step; see moreau.h.
//
// A point is struck if it would be passed within the step and its rebound is faster than what the weight of a
// body takes away in the step; else it closes without one. All points that are struck at the same time are
// solved together, and the others do not take part: those to which a blow is passed on are struck in the next
// round. So a row of balls that touch passes it on to the last.
//   Newton    u_N+ = -e u_N-
//   Poisson   compression with u_N = 0 ends with the impulses c; expansion adds e c_N along normals, with
//             friction within the cones of these                                                          (1)
// Where Newton's law would gain energy, or no impulses within the cones fulfil it, Poisson's law replaces it:
// compression always has a solution.
//
// Points that do not rebound but come so fast that they would pass their gap g within the first part (1 - th)
// h of the step, in which the velocities of its start count, are slowed down there, all together:
//   u_N+ >= -g/((1 - th) h)                                                                             (2)
// The rest of the step then closes the gap without passing it. Else they would be lifted back, with what lies
// on them, and gain energy.
#include "integrate/nonsmooth/moreau.h"

#include <math.h>
#include <string.h>

#include "integrate/nonsmooth/constants.h"

// Marks the points that are struck, with the rates that Newton's law demands; returns their number.
static int find_struck(tmli_moreau *s, double h)
{
    const double slow = h * v3_norm(s->m->gravity);
    int count = 0;
    for (int i = 0; i < s->cone.count; i++) {
        tmli_cone_point *p = &s->cone.point[i];
        const tmli_captured_point *f = &s->found[i];
        double u[3];
        tmli_cone_velocity(&s->cone, p, u);
        p->in = -f->restitution * u[0] > slow && f->gap + h * (u[0] - slow / 2) <= 0;
        p->b = p->in ? -f->restitution * u[0] : 0;
        memset(p->r, 0, sizeof p->r);
        count += p->in;
    }
    return count;
}

// Adds the impulses r, and returns the work that they do on the way.
static double work_of(const tmli_moreau *s, const double *before)
{
    double work = 0;
    for (int i = 0; i < s->cone.count; i++) {
        const tmli_cone_point *p = &s->cone.point[i];
        double u[3];
        if (!p->in) continue;
        tmli_cone_velocity(&s->cone, p, u);
        for (int k = 0; k < 3; k++) work += p->r[k] * (u[k] + before[3 * i + k]) / 2;
    }
    return work;
}

static void remove_impulses(tmli_moreau *s)
{
    for (int i = 0; i < s->cone.count; i++) {
        tmli_cone_point *p = &s->cone.point[i];
        const double dr[3] = {-p->r[0], -p->r[1], -p->r[2]};
        if (!p->in) continue;
        tmli_cone_push(&s->cone, p, dr);
        memset(p->r, 0, sizeof p->r);
    }
}

// Friction of the expansion: r beyond the impulses c of the compression, with given normal parts.
static void expand_friction(tmli_moreau *s, const double *c)
{
    for (int sweep = 0; sweep < EXPANSION_SWEEPS; sweep++)
        for (int i = 0; i < s->cone.count; i++) {
            tmli_cone_point *p = &s->cone.point[i];
            const double *W = p->W, t[2] = {p->r[1] - c[3 * i + 1], p->r[2] - c[3 * i + 2]},
                         load = p->r[0] - c[3 * i];
            const double uncoupled[6] = {W[0], 0, 0, W[3], W[4], W[5]};
            double u[3], next[3];
            if (!p->in || p->mu == 0 || !(load > 0)) continue;
            tmli_cone_velocity(&s->cone, p, u);
            const double q[3] = {-load * W[0], u[1] - W[3] * t[0] - W[4] * t[1],
                                 u[2] - W[4] * t[0] - W[5] * t[1]};
            tmli_cone_local(uncoupled, p->mu, q, next);
            const double dr[3] = {0, next[1] - t[0], next[2] - t[1]};
            tmli_cone_push(&s->cone, p, dr);
            p->r[1] += dr[1];
            p->r[2] += dr[2];
        }
}

// (1); c (3 per point): scratch
static tml_status strike_poisson(tmli_moreau *s, double *c, tml_error *err)
{
    for (int i = 0; i < s->cone.count; i++) s->cone.point[i].b = 0;
    tmli_cone_result r;
    const tml_status st = tmli_moreau_solve(s, &r, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < s->cone.count; i++) {
        tmli_cone_point *p = &s->cone.point[i];
        memcpy(c + 3 * i, p->r, sizeof p->r);
        if (!p->in) continue;
        const double dr[3] = {s->found[i].restitution * p->r[0], 0, 0};
        tmli_cone_push(&s->cone, p, dr);
        p->r[0] += dr[0];
    }
    expand_friction(s, c);
    return TML_OK;
}

// The impulses and the work of prescribed motions: constraints pass the blows on, and these move on at their
// rates.
static void add_driven(tmli_moreau *s, const tml_state *x)
{
    if (s->free || s->m->ndriven == 0 || !tmli_moreau_touches_coupled(s)) return;
    memset(s->load, 0, (size_t)s->sys->n * sizeof *s->load);
    tmli_moreau_add_impulses(s, s->load);
    tmli_index1_solve(&s->matrix, s->load, NULL, s->change, s->lambda);
    s->trial_contacts.last_impact_driven += tmli_moreau_driven(s, x);
    for (int r = 0; r < s->sys->m; r++) s->trial_blow[r] += s->lambda[r];
    s->trial_blows = true;
}

// One round; *lost += the energy lost.
static tml_status strike(tmli_moreau *s, double *lost, tml_error *err)
{
    double *const before = s->strike, energy = 0;
    bool poisson = false;
    for (int i = 0; i < s->cone.count; i++) {
        const tmli_cone_point *p = &s->cone.point[i];
        tmli_cone_velocity(&s->cone, p, before + 3 * i);
        if (!p->in) continue;
        poisson = poisson || s->found[i].poisson;
        energy += before[3 * i] * before[3 * i] / p->W[0];
    }
    if (!poisson) {
        const tmli_cone_result r = tmli_cone_solve(&s->cone, CONTACT_TOLERANCE);
        tmli_moreau_count(s, &r);
        poisson = r.missed > 0;
    }
    tml_status st = TML_OK;
    double work = poisson ? 0 : work_of(s, before);
    if (poisson || work > IMPACT_GAIN * energy) {
        remove_impulses(s);
        st = strike_poisson(s, s->strike + 3 * (size_t)s->cone.count, err);
        work = work_of(s, before);
    }
    *lost -= work;
    return st;
}

// (2); true: there are such points.
static bool find_fast(tmli_moreau *s, double h)
{
    const double ahead = (1 - s->theta) * h, slow = CONTACT_TOLERANCE * h * v3_norm(s->m->gravity);
    bool any = false;
    for (int i = 0; i < s->cone.count && ahead > 0; i++) {
        tmli_cone_point *p = &s->cone.point[i];
        double *u = s->strike + 3 * i;
        tmli_cone_velocity(&s->cone, p, u);
        p->b = -fmax(s->found[i].gap, 0) / ahead;
        p->in = true;
        memset(p->r, 0, sizeof p->r);
        any = any || u[0] < p->b - slow;
    }
    return any;
}

// The answers of all points at the start of the step, once.
static tml_status answer_start(tmli_moreau *s, const tml_state *x, bool *answered, tml_error *err)
{
    tml_status st = TML_OK;
    if (*answered) return st;
    *answered = true;
    if (!s->free && tmli_moreau_touches_coupled(s)) {
        st = tmli_index1_factor(&s->matrix, x, 0, 0, err);
        s->count.factorizations++;
    }
    return st == TML_OK ? tmli_moreau_answer(s, 3, err) : st;
}

tml_status tmli_moreau_strike(tmli_moreau *s, const tml_state *x, double h, tml_error *err)
{
    tml_status st = TML_OK;
    bool answered = false;
    double *const lost = &s->trial_contacts.impact_loss;
    memset(s->trial_blow, 0, (size_t)s->sys->m * sizeof *s->trial_blow);
    s->trial_blows = false;
    for (int i = 0; i < s->cone.count; i++) s->cone.point[i].in = false;
    for (int round = 0; round < MOST_ROUNDS && st == TML_OK; round++) {
        const int struck = find_struck(s, h);
        if (struck == 0) break;
        s->trial_contacts.impacts += struck;
        st = answer_start(s, x, &answered, err);
        if (st == TML_OK) st = strike(s, lost, err);
        if (st == TML_OK) add_driven(s, x);
    }
    if (st == TML_OK && find_fast(s, h)) {
        tmli_cone_result r;
        s->cone.least = CONTACT_TOLERANCE * h * v3_norm(s->m->gravity);  // as in find_fast
        st = answer_start(s, x, &answered, err);
        if (st == TML_OK) st = tmli_moreau_solve(s, &r, err);
        s->cone.least = 0;
        if (st == TML_OK) *lost -= work_of(s, s->strike);
        if (st == TML_OK) add_driven(s, x);
    }
    for (int i = 0; i < s->cone.count; i++) memset(s->cone.point[i].r, 0, sizeof s->cone.point[i].r);
    return st;
}
