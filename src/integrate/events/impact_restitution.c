// See impact_restitution.h. With the rates u = W p + b of the rows:
//   Newton    b_N -> (1 + e) b_N for those struck: they leave with -e times the rate before, or faster
//   Poisson   compression: the law as it is, p = c. Expansion, from the rates after it: the law with the
//             least normal impulses e c_N; the impulse is the sum of both (Ch. Glocker, F. Pfeiffer,
//             Nonlinear Dynamics 7 (1995) 471-497)                                                        (1)
// Newton's law without friction never gains energy: the change is the sum of p_N (1 - e) b_N/2. With friction
// it may, if the point of impact is far off the centre, and it may have no solution, where constraints depend
// on each other; then Poisson's law is used, and said so. That has gained none in 40,000 random impacts with
// one e. With several e it may; then all of them are reduced, which ends at e = 0 at the latest, and said so.
// An impact without a solution ends the run.
#include "integrate/events/impact_restitution.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrate/events/constants.h"

// The impulses s->rows.p, which lead from the rates before to s->after, give energy beyond round-off,
// which e = 1 gives with either sign: the motion of a body with one freedom just turns round. Friction whose
// rate is prescribed does work on drivers, not on the motion.
static bool gains_energy(const tmli_impacts *s)
{
    const tmli_impact_rows *r = &s->rows;
    double gain = 0, terms = 0;
    for (int c = 0; c < r->law.groups; c++) {
        const tmli_impact_group *g = &r->law.group[c];
        if (tmli_impact_rows_prescribed(r, c)) continue;
        for (int k = g->first; k < g->first + g->normals + g->tangents; k++) {
            gain += r->p[k] * (r->before[k] + s->after[k]) / 2;
            terms += fabs(r->p[k]) * (fabs(r->before[k]) + fabs(s->after[k]));
        }
    }
    return !(gain <= IMPULSE_NOISE * terms);
}

// e of group k: of a unilateral constraint
static double restitution_of(const tmli_impacts *s, int k)
{
    return s->rows.law.group[k].normals ? s->sys->switches[s->rows.owner[k]].restitution : 0;
}

bool tmli_impact_is_struck(const tmli_impacts *s, int k)
{
    return s->rows.law.group[k].normals && !isnan(s->before[s->rows.owner[k]]);
}

// Add the impulses of the last solution; s->after := the rates that they lead to.
static void add_impulses(tmli_impacts *s)
{
    tmli_impact_rows *r = &s->rows;
    for (int k = 0; k < r->law.groups; k++) {
        const int first = r->law.group[k].first;
        if (tmli_impact_rows_prescribed(r, k)) r->law.u[first] = r->before[first];
    }
    for (int k = 0; k < r->law.rows; k++) {
        r->p[k] += r->law.p[k];
        s->after[k] = r->law.u[k];
    }
    for (int j = 0; j < s->sys->n; j++) r->force_sum[j] += r->R[j];
}

void tmli_impact_begin(tmli_impacts *s)
{
    tmli_impact_rows *r = &s->rows;
    memset(r->p, 0, (size_t)r->law.rows * sizeof *r->p);
    memset(r->force_sum, 0, (size_t)s->sys->n * sizeof *r->force_sum);
    memcpy(r->law.b, r->before, (size_t)r->law.rows * sizeof *r->before);
    for (int k = 0; k < r->law.groups; k++) {
        const int first = r->law.group[k].first;
        r->law.group[k].least = 0;
        if (tmli_impact_rows_prescribed(r, k))  // acts against the mean slip
            r->law.b[first] = (r->at_start[first] + r->before[first]) / 2;
    }
}

// Newton's law; *good: there is a solution, and it gains no energy.
tml_status tmli_impact_newton(tmli_impacts *s, tml_state *x, bool *good, tml_error *err)
{
    tmli_impact_rows *r = &s->rows;
    tmli_impact_begin(s);
    for (int k = 0; k < r->law.groups; k++)
        if (tmli_impact_is_struck(s, k)) r->law.b[r->law.group[k].first] *= 1 + restitution_of(s, k);
    const tml_status st = tmli_impact_rows_solve(r, x, false, good, err);
    add_impulses(s);
    for (int k = 0; k < r->law.groups; k++)
        if (tmli_impact_is_struck(s, k)) {
            const int first = r->law.group[k].first;
            s->after[first] -= restitution_of(s, k) * r->before[first];
        }
    *good = *good && !gains_energy(s);
    return st;
}

// Poisson's law with all coefficients times `share`; *good: there is a solution.
static tml_status solve_poisson(tmli_impacts *s, tml_state *x, double share, bool *good, tml_error *err)
{
    tmli_impact_rows *r = &s->rows;
    bool expands = false;
    tmli_impact_begin(s);
    tml_status st = tmli_impact_rows_solve(r, x, false, good, err);
    add_impulses(s);
    memcpy(r->compression, r->p, (size_t)r->law.rows * sizeof *r->p);
    for (int k = 0; k < r->law.groups; k++) {
        tmli_impact_group *g = &r->law.group[k];
        g->least = share * restitution_of(s, k) * r->law.p[g->first];
        expands = expands || g->least > 0;
    }
    if (st != TML_OK || !*good || !expands) return st;
    memcpy(r->law.b, r->law.u, (size_t)r->law.rows * sizeof *r->law.b);
    st = tmli_impact_rows_solve(r, x, true, good, err);
    add_impulses(s);
    return st;
}

// The most of Poisson's law that gains no energy: coefficients that differ may gain some, none of them never.
static tml_status solve_conserving(tmli_impacts *s, tml_state *x, bool *good, tml_error *err)
{
    double low = 0, high = 1;
    tml_status st = TML_OK;
    while (high - low > IMPACT_ERROR && st == TML_OK) {
        const double middle = (low + high) / 2;
        st = solve_poisson(s, x, middle, good, err);
        if (*good && !gains_energy(s)) low = middle;
        else high = middle;
    }
    return st == TML_OK ? solve_poisson(s, x, low, good, err) : st;
}

// The group of the constraint that is struck hardest.
static int hardest(const tmli_impacts *s)
{
    const tmli_impact_rows *r = &s->rows;
    int found = -1;
    for (int k = 0; k < r->law.groups; k++)
        if (tmli_impact_is_struck(s, k) &&
            (found < 0 || r->before[r->law.group[k].first] < r->before[r->law.group[found].first]))
            found = k;
    return found;
}

static const char *name_of(const tmli_impacts *s, int k, char *buf, size_t size)
{
    const tml_system *sys = s->sys;
    snprintf(buf, size, "a unilateral constraint");
    if (sys->mode_name && k >= 0) return sys->mode_name(sys, s->rows.owner[k], buf, size);
    return buf;
}

// " (force 'a', force 'b')": what else takes part in the impact of group k
static void name_others(const tmli_impacts *s, int k, char *out, size_t size)
{
    const tmli_impact_rows *r = &s->rows;
    char name[200], own[200], last[200] = "";
    size_t used = 0;
    out[0] = 0;
    name_of(s, k, own, sizeof own);
    for (int i = 0; i < r->law.groups && used + sizeof name < size; i++) {
        name_of(s, i, name, sizeof name);
        if (strcmp(name, own) == 0 || strcmp(name, last) == 0) continue;  // points of one contact
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : " (", name);
        memcpy(last, name, sizeof last);
    }
    if (used) snprintf(out + used, size - used, ")");
}

tml_status tmli_impact_refuse(const tmli_impacts *s, const tml_state *x, tml_error *err)
{
    char buf[200], others[600];
    const int k = hardest(s);
    const double rate = k >= 0 ? s->rows.before[s->rows.law.group[k].first] : 0;
    if (k < 0)
        return tmli_fail(
            err, TML_ERR_STEP,
            "a prescribed velocity jumps at t = %.6g s, and no impulses are found for it that satisfy "
            "the laws of friction",
            x->t);
    name_others(s, k, others, sizeof others);
    return tmli_fail(
        err, TML_ERR_MODEL,
        "%s is struck at t = %.6g s with a rate of %.4g, and the other constraints%s do not let "
        "it stop by the laws of impact and friction: their motion is prescribed, or locked; give "
        "the limit or contact a stiffness, or drive by a force",
        name_of(s, k, buf, sizeof buf), x->t, rate, others);
}

void tmli_impact_tell(tmli_impacts *s, const tml_state *x, bool *told, const char *what)
{
    char buf[200];
    if (!*told)
        tmli_log(&s->sys->env, TML_LOG_WARNING, "impact of %s at t = %.6g s: %s (reported once)",
                 name_of(s, hardest(s), buf, sizeof buf), x->t, what);
    *told = true;
}

tml_status tmli_impact_solve(tmli_impacts *s, tml_state *x, tml_error *err)
{
    const tml_system *sys = s->sys;
    bool poisson = false, good = false;
    for (int i = 0; i < sys->nmode; i++)
        poisson = poisson || (sys->switches[i].law == TML_IMPACT_POISSON && !isnan(s->before[i]));
    tml_status st = poisson ? TML_OK : tmli_impact_newton(s, x, &good, err);
    if (st != TML_OK || good) return st;
    st = solve_poisson(s, x, 1, &good, err);
    if (st == TML_OK && good && gains_energy(s)) {
        tmli_impact_tell(s, x, &s->told_share,
                         "with different coefficients of restitution it would gain energy; all of "
                         "them are reduced until it does not");
        st = solve_conserving(s, x, &good, err);
    } else if (good && !poisson)
        tmli_impact_tell(s, x, &s->told_law,
                         "with friction Newton's law would gain energy, or has no solution; Poisson's "
                         "law is used");
    return st == TML_OK && !good ? tmli_impact_refuse(s, x, err) : st;
}
