// Impacts. The closed and the struck unilateral constraints, and the friction that they or reactions load,
// get impulses p by the law of impact (impact_law.h), with the rates u = W p + b of impact_rows.h:
//   Newton    b_N -> (1 + e) b_N for those struck: they leave with -e times the rate before, or faster
//   Poisson   compression: the law as it is, p = c. Expansion, from the rates after it: the law with the
//             least normal impulses e c_N; the impulse is the sum of both (Ch. Glocker, F. Pfeiffer,
//             Nonlinear Dynamics 7 (1995) 471-497)                                                        (1)
// Friction of a finite force has no impulse: it slips. The energy changes by p.(u before + u after)/2.
// Newton's law without friction never gains energy: the change is the sum of p_N (1 - e) b_N/2. With friction
// it may, if the point of impact is far off the centre, and it may have no solution, where constraints depend
// on each other; then Poisson's law is used, and said so. That has gained none in 40,000 random impacts with
// one e. With several e it may; then all of them are reduced, which ends at e = 0 at the latest, and said so.
// An impact without a solution ends the run.
//
// Bounces become ever shorter. From the impulse I of an impact that changes a rate from -v to w follows the
// inertia I/(v + w) behind it, at least 1/W of its own row where others push too. The force P with which the
// constraint, if closed, would push gives the acceleration a towards it. The bounces that follow have the
// height h and end after the time T,
//   h = w^2/(2 a),   T = 2 w/(a (1 - e))                                                                  (2)
// The constraint closes when h is the round-off of positions or T is negligible; then the rate is zero.
#include "integrate/events/impacts.h"
#include "system/state/move.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrate/events/constants.h"

enum { OPEN = TMLI_OPEN, CLOSED = TMLI_CLOSED, STRUCK = TMLI_STRUCK };

tml_status tmli_impacts_create(const tml_system *sys, tmli_consistent *consistent, void *work,
                               double duration, tmli_impacts *s, tml_error *err)
{
    *s = (tmli_impacts){.sys = sys, .consistent = consistent, .work = work, .duration = duration};
    if (sys->nmode == 0) return TML_OK;
    const size_t modes = (size_t)sys->nmode, n = (size_t)sys->n, m = (size_t)sys->m;
    s->before = tmli_calloc(&sys->env, 6 * modes + 2 * n + 3 * m, sizeof *s->before);
    s->stuck = tmli_calloc(&sys->env, modes, sizeof *s->stuck);
    tml_status st = s->before && s->stuck ? TML_OK : tmli_no_memory(err, "simulation");
    if (st == TML_OK) st = tml_state_create(sys, &s->probe, err);
    if (st == TML_OK) st = tmli_impact_rows_create(sys, consistent, work, &s->rows, err);
    if (st != TML_OK) {
        tmli_impacts_clear(s);
        return st;
    }
    s->rebound = s->before + modes;
    s->inverse = s->rebound + modes;
    s->impulse = s->inverse + modes;
    s->value = s->impulse + modes;
    s->after = s->value + modes;
    s->du = s->after + modes;
    s->row_impulse = s->du + n;
    s->rate = s->row_impulse + m;
    s->w = s->rate + 2 * m;
    return TML_OK;
}

void tmli_impacts_clear(tmli_impacts *s)
{
    if (!s->sys) return;
    tmli_free(&s->sys->env, s->before);
    tmli_free(&s->sys->env, s->stuck);
    tml_state_destroy(s->probe, s->sys);
    tmli_impact_rows_clear(&s->rows);
    *s = (tmli_impacts){0};
}

static tml_status kinetic_energy(const tmli_impacts *s, const tml_state *x, double *kinetic, tml_error *err)
{
    const tml_system *sys = s->sys;
    double potential, power;
    *kinetic = 0;
    return sys->ops->energy ? sys->ops->energy(sys->self, s->work, x, kinetic, &potential, &power, err)
                            : TML_OK;
}

// Friction i takes part in the impact: its force grows with multipliers, and what loads it is closed.
static bool is_loaded(const tml_system *s, const tml_state *x, int i)
{
    const int by = s->loads ? s->loaded_by[i] : -1;
    return by >= 0 && (by == s->nmode || x->mode[by] == CLOSED);
}

// Modes of the friction in s->stuck from the motion of x.
static void set_by_motion(tmli_impacts *s, tml_state *x)
{
    const tml_system *sys = s->sys;
    double *const kept = s->value;
    for (int i = 0; i < sys->nmode; i++) {
        kept[i] = x->mode[i];
        x->mode[i] = s->stuck[i] ? 0 : INFINITY;
    }
    sys->ops->switch_modes(sys->self, s->work, x, NULL, false, NULL);
    for (int i = 0; i < sys->nmode; i++)
        if (!s->stuck[i]) x->mode[i] = kept[i];
}

// ---- the law ----------------------------------------------------------------------------------------------

// The impulses s->rows.p, which lead from the rates before to s->after, give energy beyond round-off.
// Friction whose rate is prescribed does work on drivers, not on the motion.
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
    return !(gain <= IMPULSE_CHANGE * terms);
}

// e of group k: of a unilateral constraint
static double restitution_of(const tmli_impacts *s, int k)
{
    return s->rows.law.group[k].normals ? s->sys->restitution[s->rows.owner[k]] : 0;
}

static bool is_struck(const tmli_impacts *s, int k)
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

static void begin_law(tmli_impacts *s)
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
static tml_status solve_newton(tmli_impacts *s, tml_state *x, bool *good, tml_error *err)
{
    tmli_impact_rows *r = &s->rows;
    begin_law(s);
    for (int k = 0; k < r->law.groups; k++)
        if (is_struck(s, k)) r->law.b[r->law.group[k].first] *= 1 + restitution_of(s, k);
    const tml_status st = tmli_impact_rows_solve(r, x, false, good, err);
    add_impulses(s);
    for (int k = 0; k < r->law.groups; k++)
        if (is_struck(s, k)) {
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
    begin_law(s);
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
        if (is_struck(s, k) &&
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

static tml_status refuse(const tmli_impacts *s, const tml_state *x, tml_error *err)
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

static void tell(tmli_impacts *s, const tml_state *x, bool *told, const char *what)
{
    char buf[200];
    if (!*told)
        tmli_log(&s->sys->env, TML_LOG_WARNING, "impact of %s at t = %.6g s: %s (reported once)",
                 name_of(s, hardest(s), buf, sizeof buf), x->t, what);
    *told = true;
}

// The impulses s->rows.p and the rates s->after
static tml_status apply_law(tmli_impacts *s, tml_state *x, tml_error *err)
{
    const tml_system *sys = s->sys;
    bool poisson = false, good = false;
    for (int i = 0; i < sys->nmode; i++)
        poisson = poisson || (sys->poisson && sys->poisson[i] && !isnan(s->before[i]));
    tml_status st = poisson ? TML_OK : solve_newton(s, x, &good, err);
    if (st != TML_OK || good) return st;
    st = solve_poisson(s, x, 1, &good, err);
    if (st == TML_OK && good && gains_energy(s)) {
        tell(s, x, &s->told_share,
             "with different coefficients of restitution it would gain energy; all of "
             "them are reduced until it does not");
        st = solve_conserving(s, x, &good, err);
    } else if (good && !poisson)
        tell(s, x, &s->told_law,
             "with friction Newton's law would gain energy, or has no solution; Poisson's "
             "law is used");
    return st == TML_OK && !good ? refuse(s, x, err) : st;
}

// The rates after the impact, by the velocities of x + du, are those of the law.
static tml_status check_rates(tmli_impacts *s, tml_state *x, tml_error *err)
{
    const tmli_impact_rows *r = &s->rows;
    double largest = 0;
    for (int k = 0; k < r->law.rows; k++) largest = fmax(largest, fabs(r->before[k]));
    for (int k = 0; k < r->law.rows; k++) {
        const double rate = tmli_impact_rows_rate(r, k, s->du) + r->at_start[k];
        if (!(fabs(rate - s->after[k]) <= IMPACT_ERROR * largest + IMPACT_ROUNDOFF * s->sys->length))
            return refuse(s, x, err);
    }
    return TML_OK;
}

// (2) decides about those that are struck, and those that rested and part; others stay closed, or open.
static void set_modes(tmli_impacts *s, tml_state *x)
{
    const tmli_impact_rows *r = &s->rows;
    double rest = s->sys->length;
    for (int i = 0; i < s->sys->nmode; i++) s->rebound[i] = NAN;
    for (int k = 0; k < r->law.rows; k++) rest = fmax(rest, fabs(r->before[k]));
    rest *= IMPACT_ROUNDOFF;
    for (int k = 0; k < r->law.groups; k++) {
        const int i = r->owner[k], first = r->law.group[k].first;
        if (!r->law.group[k].normals) continue;
        s->inverse[i] = r->law.W[first * (r->law.rows + 1)];
        s->impulse[i] = r->p[first];
        const bool parts = s->after[first] > rest, rested = fabs(r->before[first]) <= rest,
                   pushed = is_struck(s, k) && s->impulse[i] * s->inverse[i] > rest;
        x->mode[i] = parts && !pushed && !rested ? OPEN : CLOSED;
        if (is_struck(s, k) || (rested && parts)) s->rebound[i] = fmax(s->after[first], 0);
    }
}

// Of those that may be struck, these approach; returns their number.
static int select_struck(tmli_impacts *s)
{
    const tmli_impact_rows *r = &s->rows;
    int count = 0;
    for (int k = 0; k < r->law.groups; k++) {
        if (!is_struck(s, k)) continue;
        const double rate = r->before[r->law.group[k].first];
        s->before[r->owner[k]] = rate < 0 ? rate : NAN;
        count += rate < 0;
    }
    return count;
}

// Constraints that are struck at the same time and change each other's rates: one after the other they would
// leave another motion, so that the motion is not continuous in its start here.
static void tell_of_several(tmli_impacts *s, const tml_state *x)
{
    const tmli_impact_law *law = &s->rows.law;
    for (int i = 0; i < law->groups; i++)
        for (int j = 0; j < i; j++) {
            const int a = law->group[i].first, b = law->group[j].first, n = law->rows;
            const double size = sqrt(law->W[a * n + a] * law->W[b * n + b]);
            if (is_struck(s, i) && is_struck(s, j) && fabs(law->W[a * n + b]) > COUPLED_ROWS * size)
                tell(
                    s, x, &s->told_several,
                    "others are struck with it at the same time. The law of impact is applied to all of them "
                    "at once; a start that differs by any small amount may leave another motion");
        }
}

// The impulses and du. Where nothing approaches and nothing has jumped there are none.
static tml_status find_impulses(tmli_impacts *s, tml_state *x, bool jumped, int *count, tml_error *err)
{
    tml_status st = tmli_impact_rows_find(&s->rows, x, err);
    if (st != TML_OK) return st;
    *count = select_struck(s);
    if (*count > 1) tell_of_several(s, x);
    begin_law(s);
    memcpy(s->after, s->rows.before, (size_t)s->rows.law.rows * sizeof *s->after);
    if (*count > 0 || jumped) st = apply_law(s, x, err);
    if (st != TML_OK) return st;
    tmli_impact_rows_apply(&s->rows, s->rows.p, s->rows.force_sum, s->du, x->lambda);
    memset(s->impulse, 0, (size_t)s->sys->nmode * sizeof *s->impulse);
    set_modes(s, x);
    return check_rates(s, x, err);
}

// (2): which of those that bounce close, the others open. s->value: what they push with.
static bool close_resting(const tmli_impacts *s, tml_state *x)
{
    const tml_system *sys = s->sys;
    bool any = false;
    for (int i = 0; i < sys->nmode; i++) {
        if (x->mode[i] != CLOSED || isnan(s->rebound[i])) continue;
        const double e = sys->restitution[i], v = s->rebound[i], P = s->value[i],
                     a = P * fmin(s->inverse[i], (v - s->before[i]) / s->impulse[i]),
                     height = v * v / (2 * a), time = 2 * v / (a * (1 - e));
        const bool closes =
            P >= 0 && (e * s->before[i] == 0 || v <= IMPACT_ROUNDOFF * sys->length ||
                       height <= BOUNCE_ROUNDOFF * sys->length || time <= BOUNCE_TIME * s->duration);
        x->mode[i] = closes ? CLOSED : OPEN;
        any = any || closes;
    }
    return any;
}

// All friction finds its mode from the motion after the impact, but for that which never sticks, and that
// which is loaded by an open constraint.
static tml_status find_friction_modes(tmli_impacts *s, tml_state *x, tml_error *err)
{
    const tml_system *sys = s->sys;
    for (int i = 0; i < sys->nmode; i++) {
        const bool loaded = sys->loads && sys->loaded_by[i] >= 0;
        s->stuck[i] = tmli_is_friction(sys, i) && isfinite(x->mode[i]) && !tmli_is_driven(x, i) &&
                      (!loaded || is_loaded(sys, x, i));
        if (loaded && !s->stuck[i] && !tmli_is_driven(x, i)) x->mode[i] = OPEN;
    }
    set_by_motion(s, x);
    tmli_consistent_rows_changed(s->consistent);
    return tmli_consistent_accelerations(s->consistent, x, err);
}

// Open constraints whose gap is round-off, within the round-off of t, take part: which of several that meet
// at the same time is found to be struck, and how many, must not depend on round-off.
static void close_touching(tmli_impacts *s, tml_state *x)
{
    const tml_system *sys = s->sys;
    tml_state *y = s->probe;
    const double dt = TIME_ROUNDOFF * fmax(fabs(x->t), s->duration);
    for (int j = 0; j < sys->n; j++) s->du[j] = dt * x->u[j];
    tml_state_copy(y, x);
    tmli_state_move(sys, x, s->du, y);
    memset(y->u, 0, (size_t)sys->n * sizeof *y->u);  // closed, if it touches: its rate is 0
    for (int i = 0; i < sys->nmode; i++)
        y->mode[i] = tmli_is_unilateral(sys, i) && x->mode[i] == OPEN ? 0 : INFINITY;
    sys->ops->switch_modes(sys->self, s->work, y, NULL, false, NULL);
    for (int i = 0; i < sys->nmode; i++) {
        if (!tmli_is_unilateral(sys, i) || x->mode[i] != OPEN || y->mode[i] != CLOSED) continue;
        x->mode[i] = CLOSED;
        s->before[i] = 0;
    }
}

// The modes with which (1) is solved; returns the number of those struck. jumped: also if there are none.
static int begin(tmli_impacts *s, tml_state *x, bool jumped)
{
    const tml_system *sys = s->sys;
    int count = 0;
    for (int i = 0; i < sys->nmode; i++) {
        const bool struck = tmli_is_unilateral(sys, i) && x->mode[i] == STRUCK;
        s->before[i] = struck ? 0 : NAN;
        count += struck;
    }
    if (count == 0 && !jumped) return 0;
    for (int i = 0; i < sys->nmode; i++) {
        if (tmli_is_friction(sys, i) && x->mode[i] == CLOSED) x->mode[i] = OPEN;  // slips
        if (!isnan(s->before[i])) x->mode[i] = CLOSED;
    }
    close_touching(s, x);
    return count;
}

// The velocities are those after the impulses: modes that follow from them. What rests closes.
static tml_status find_modes_after(tmli_impacts *s, tml_state *x, tmli_impulse_work *done, tml_error *err)
{
    const tml_system *sys = s->sys;
    double before = 0, after = 0;
    tml_status st = find_friction_modes(s, x, err);
    const bool rests = st == TML_OK;
    if (!rests && st != TML_RETRY) return st;  // with friction that locks itself it cannot rest
    sys->ops->event_values(sys->self, s->work, x, s->value);
    for (int i = 0; i < sys->nmode && !rests; i++) s->value[i] = -INFINITY;
    const bool closes = close_resting(s, x);
    tmli_consistent_rows_changed(s->consistent);
    st = kinetic_energy(s, x, &before, err);
    if (st == TML_OK && closes)
        st = tmli_consistent_project(s->consistent, x, err);  // what is left of the rates
    if (st == TML_OK) st = find_friction_modes(s, x, err);
    if (st == TML_OK) st = kinetic_energy(s, x, &after, err);
    done->struck += before - after;
    return st;
}

tml_status tmli_impacts_apply(tmli_impacts *s, tml_state *x, bool jumped, int *count, tmli_impulse_work *done,
                              tml_error *err)
{
    const tml_system *sys = s->sys;
    double energy = 0, after = 0;
    *done = (tmli_impulse_work){0};
    *count = sys->nmode > 0 ? begin(s, x, jumped) : 0;
    if (*count == 0 && !jumped) return TML_OK;
    tml_status st = kinetic_energy(s, x, &energy, err);
    if (st == TML_OK) st = find_impulses(s, x, jumped, count, err);
    if (st != TML_OK) return st;
    memcpy(s->row_impulse, x->lambda, (size_t)sys->m * sizeof *s->row_impulse);
    st = tmli_impulse_work_find(&s->rows, x, s->du, s->after, s->rate, s->w, done, err);
    for (int j = 0; j < sys->n; j++) x->u[j] += s->du[j];
    if (st == TML_OK) st = kinetic_energy(s, x, &after, err);
    if (st != TML_OK) return st;
    if (sys->ops->energy)
        done->unexplained = after - energy - done->driven + done->struck + done->rubbed + done->friction;
    return find_modes_after(s, x, done, err);
}
