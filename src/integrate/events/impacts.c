// Impacts. Unilateral constraints that are struck get the velocities
//   M du + B' L = R,   B_i (u + du) = -k e_i B_i u  if i is struck,   B (u + du) = nu  for all other rows (1)
// with B of all constraints that are in force or struck. One that would have to pull opens, and (1) is solved
// again. Newton's law has k = 1. By Poisson's law the impulse is that of compression, k = 0, times 1 + e: for
// the sum of the struck ones, which k follows from. Without friction, R = 0, the energy never grows: its
// change is the sum of L_i (1 - k e_i) B_i u/2 over the struck ones, which push while they are approached.
//
// Friction of a finite force has no impulse: its stick rows are not in force in (1). Friction that is loaded
// by multipliers (the contract, loaded_by) has R = f(L) - f(0), of (1) itself, while it slips, in the
// direction of the slip before the impact. If the impact reverses this direction, or the iteration for R
// diverges because slip locks itself, it sticks instead. If an impulse of stick is not within its cone it
// slips. Newton's law may then give more energy than there was, if the point of impact is far off the centre;
// if it does, k is 0. Several points may contradict each other: one that stuck would hold a motion that
// another must reverse. Then slip never changes to stick in this impact, and if that does not help it is
// without friction.
//
// Bounces become ever shorter. From the impulse I of an impact with the rate v follows the inertia
// I/((1 + e) v) behind it, and from the force P with which the constraint, if closed, would push, the
// acceleration a towards it. The bounces that follow have the height h and end after the time T,
//   h = (e v)^2/(2 a),   T = 2 e v/(a (1 - e))                                                            (2)
// The constraint closes when h is the round-off of positions or T is no time; then the rate is zero.
#include "integrate/events/impacts.h"

#include <math.h>
#include <string.h>

#include "integrate/events/constants.h"

enum { OPEN = TMLI_OPEN, CLOSED = TMLI_CLOSED, STRUCK = TMLI_STRUCK };
enum { ALL_FRICTION, SLIP_STAYS, WITHOUT_FRICTION, LEVELS };

tml_status tmli_impacts_create(const tml_system *sys, tmli_consistent *consistent, void *work,
                               double duration, tmli_impacts *s, tml_error *err)
{
    *s = (tmli_impacts){.sys = sys, .consistent = consistent, .work = work, .duration = duration};
    if (sys->nmode == 0) return TML_OK;
    const size_t modes = (size_t)sys->nmode, n = (size_t)sys->n, m = (size_t)sys->m;
    s->before = tmli_calloc(&sys->env, 4 * modes + 4 * n + 6 * m, sizeof *s->before);
    s->stuck = tmli_calloc(&sys->env, 2 * modes, sizeof *s->stuck);
    if (!s->before || !s->stuck) {
        tmli_impacts_clear(s);
        return tmli_no_memory(err, "simulation");
    }
    s->impulse = s->before + modes;
    s->value = s->impulse + modes;
    s->mode = s->value + modes;
    s->residual = s->mode + modes;
    s->lambda = s->residual + m;
    s->gamma = s->lambda + m;
    s->du = s->gamma + m;
    s->u = s->du + n;
    s->f0 = s->u + n;
    s->f = s->f0 + n;
    s->row_impulse = s->f + n;
    s->rate = s->row_impulse + m;
    s->decided = s->stuck + modes;
    return TML_OK;
}

void tmli_impacts_clear(tmli_impacts *s)
{
    if (!s->sys) return;
    tmli_free(&s->sys->env, s->before);
    tmli_free(&s->sys->env, s->stuck);
    *s = (tmli_impacts){0};
}

static bool is_unilateral(const tml_system *s, int i) { return tmli_is_unilateral(s, i); }

// Struck, and part of (1).
static bool takes_part(const tmli_impacts *s, const tml_state *x, int i)
{
    return is_unilateral(s->sys, i) && x->mode[i] == CLOSED && !isnan(s->before[i]);
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

// (1) with R by iteration. s->residual: what rows lack.
static tml_status solve_with_friction(tmli_impacts *s, tml_state *x, tml_error *err)
{
    const tml_system *sys = s->sys;
    double size = INFINITY;
    memset(x->lambda, 0, (size_t)sys->m * sizeof *x->lambda);
    tml_status st = sys->ops->dynamics(sys->self, s->work, x, s->f0, s->gamma, err);
    for (int pass = 0; pass < IMPULSE_ITERATIONS && size > IMPULSE_CHANGE && st == TML_OK; pass++) {
        double change = 0, largest = 0;
        st = sys->ops->dynamics(sys->self, s->work, x, s->f, s->gamma, err);
        for (int j = 0; j < sys->n; j++) s->f[j] -= s->f0[j];
        tmli_index1_solve(&s->consistent->matrix, s->f, s->residual, s->du, s->lambda);
        for (int r = 0; r < sys->m; r++) {
            change = fmax(change, fabs(s->lambda[r] - x->lambda[r]));
            largest = fmax(largest, fabs(s->lambda[r]));
            x->lambda[r] = s->lambda[r];
        }
        size = largest > 0 ? change / largest : 0;
    }
    if (st == TML_OK && !(size <= IMPULSE_CHANGE))
        st = tmli_fail(
            err, TML_RETRY,
            "the impact at t = %.6g s has no solution that iteration finds: its friction is so large "
            "that it locks itself",
            x->t);
    return st;
}

// (1): du, and the impulses in x->lambda
static tml_status solve(tmli_impacts *s, tml_state *x, double k, tml_error *err)
{
    const tml_system *sys = s->sys;
    double *const c = s->residual;
    tml_status st = sys->ops->velocity(sys->self, s->work, x, c, err);
    for (int i = 0; i < sys->nmode && st == TML_OK; i++) {
        if (!takes_part(s, x, i)) continue;
        s->before[i] = c[sys->mode_row[i]];
        c[sys->mode_row[i]] *= 1 + k * sys->restitution[i];
    }
    for (int r = 0; r < sys->m; r++) c[r] = -c[r];
    tmli_consistent_rows_changed(s->consistent);
    if (st == TML_OK) st = tmli_consistent_factor(s->consistent, x, err);
    if (st == TML_OK && sys->loads && s->level < WITHOUT_FRICTION) return solve_with_friction(s, x, err);
    if (st == TML_OK) tmli_index1_solve(&s->consistent->matrix, NULL, c, s->du, x->lambda);
    return st;
}

// Open the closed constraint that pulls most by x->lambda. False: all push.
static bool open_one(tmli_impacts *s, tml_state *x)
{
    const tml_system *sys = s->sys;
    int worst = -1;
    sys->ops->event_values(sys->self, s->work, x, s->value);
    for (int i = 0; i < sys->nmode; i++) {
        if (!is_unilateral(sys, i) || x->mode[i] != CLOSED || !(s->value[i] < 0)) continue;
        if (worst < 0 || s->value[i] < s->value[worst]) worst = i;
    }
    if (worst >= 0) x->mode[worst] = OPEN;
    for (int i = 0; i < sys->nmode && worst >= 0 && sys->loads; i++)
        if (sys->loaded_by[i] == worst) x->mode[i] = OPEN;
    return worst >= 0;
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

// Friction i and what is loaded by the same constraint holds.
static void hold(const tml_system *sys, tml_state *x, int i)
{
    for (int j = 0; j < sys->nmode; j++)
        if (j == i || (sys->loaded_by[i] < sys->nmode && sys->loaded_by[j] == sys->loaded_by[i]))
            x->mode[j] = CLOSED;
}

// Friction i, which holds, slips in the direction of its impulse.
static void release(tmli_impacts *s, tml_state *x, int i)
{
    const tml_system *sys = s->sys;
    double *const kept = s->value;
    for (int j = 0; j < sys->nmode; j++) {
        kept[j] = x->mode[j];
        if (j != i) x->mode[j] = INFINITY;
    }
    sys->ops->switch_modes(sys->self, s->work, x, NULL, false, NULL);
    for (int j = 0; j < sys->nmode; j++)
        if (isinf(x->mode[j])) x->mode[j] = kept[j];
}

// Change one friction that holds beyond its cone, or whose slip the impact reverses; each at most once from
// slip to stick. False: there is none.
static bool change_friction(tmli_impacts *s, tml_state *x)
{
    const tml_system *sys = s->sys;
    if (!sys->loads || s->level == WITHOUT_FRICTION) return false;
    sys->ops->event_values(sys->self, s->work, x, s->value);
    for (int i = 0; i < sys->nmode; i++)
        if (is_loaded(sys, x, i) && x->mode[i] == CLOSED && s->value[i] < 0 && !s->decided[i]) {
            s->decided[i] = true;
            release(s, x, i);
            return true;
        }
    if (s->level == SLIP_STAYS) return false;
    memcpy(s->u, x->u, (size_t)sys->n * sizeof *s->u);
    for (int j = 0; j < sys->n; j++) x->u[j] += s->du[j];
    sys->ops->event_values(sys->self, s->work, x, s->value);
    memcpy(x->u, s->u, (size_t)sys->n * sizeof *s->u);
    for (int i = 0; i < sys->nmode; i++)
        if (is_loaded(sys, x, i) && x->mode[i] != CLOSED && s->value[i] < 0 && !s->decided[i]) {
            s->decided[i] = true;
            hold(sys, x, i);
            return true;
        }
    return false;
}

// Slip locks itself: all of it holds. False: there is none.
static bool hold_all(tmli_impacts *s, tml_state *x)
{
    const tml_system *sys = s->sys;
    bool any = false;
    for (int i = 0; i < sys->nmode && s->level == ALL_FRICTION; i++) {
        if (!is_loaded(sys, x, i) || x->mode[i] == CLOSED || s->decided[i]) continue;
        s->decided[i] = any = true;
        hold(sys, x, i);
    }
    return any;
}

// The impulses and du of the impact with k; modes are from s->mode.
static tml_status settle(tmli_impacts *s, tml_state *x, double k, tml_error *err)
{
    const tml_system *sys = s->sys;
    memcpy(x->mode, s->mode, (size_t)sys->nmode * sizeof *x->mode);
    memset(s->decided, 0, (size_t)sys->nmode * sizeof *s->decided);
    for (int i = 0; i < sys->nmode && sys->loads && s->level == WITHOUT_FRICTION; i++)
        if (sys->loaded_by[i] >= 0) x->mode[i] = OPEN;
    do {
        tml_status st = solve(s, x, k, err);
        if (st == TML_RETRY && hold_all(s, x)) st = solve(s, x, k, err);
        if (st != TML_OK) return st;
    } while (open_one(s, x) || change_friction(s, x));
    sys->ops->event_values(sys->self, s->work, x, s->value);
    return TML_OK;
}

// Sum of the impulses of the struck ones, each times 1 + e if `expanded`.
static double struck_impulse(const tmli_impacts *s, const tml_state *x, bool expanded)
{
    double sum = 0;
    for (int i = 0; i < s->sys->nmode; i++)
        if (takes_part(s, x, i)) sum += (expanded ? 1 + s->sys->restitution[i] : 1) * s->value[i];
    return sum;
}

// Poisson's law: the impulses with k add up to those of compression times 1 + e. They grow with k, linearly
// but where friction changes between slip and stick.
static tml_status settle_poisson(tmli_impacts *s, tml_state *x, double *k, tml_error *err)
{
    double low = 0, high = 1;
    tml_status st = settle(s, x, 0, err);
    if (st != TML_OK) return st;
    const double wanted = struck_impulse(s, x, true), none = struck_impulse(s, x, false);
    double at_low = none - wanted, at_high = 0;
    for (int pass = 0; pass < IMPULSE_ITERATIONS && st == TML_OK; pass++) {
        st = settle(s, x, high, err);
        at_high = struck_impulse(s, x, false) - wanted;
        if (fabs(at_high) <= IMPULSE_CHANGE * wanted || at_high == at_low) break;
        const double next = high - at_high * (high - low) / (at_high - at_low);
        low = high;
        at_low = at_high;
        high = fmax(next, 0);
    }
    *k = high;
    return st;
}

// Sets s->residual to the rates after the impact. *energy: the kinetic one then, less what prescribed motions
// have given; rows: their work and that of the others.
static tml_status look_after(tmli_impacts *s, tml_state *x, double *energy, tmli_impulse_work *rows,
                             tml_error *err)
{
    const tml_system *sys = s->sys;
    tml_status st = tmli_impulse_work_of_rows(sys, s->work, x, s->du, x->lambda, s->rate, s->f0, rows, err);
    memcpy(s->u, x->u, (size_t)sys->n * sizeof *s->u);
    for (int j = 0; j < sys->n; j++) x->u[j] += s->du[j];
    if (st == TML_OK) st = kinetic_energy(s, x, energy, err);
    if (st == TML_OK) st = sys->ops->velocity(sys->self, s->work, x, s->residual, err);
    memcpy(x->u, s->u, (size_t)sys->n * sizeof *s->u);
    *energy -= rows->driven;
    return st;
}

// The first struck constraint whose rate after the impact is not as it should be; -1: there is none. Their
// motion is prescribed, or friction holds it.
static int wrong_rate(const tmli_impacts *s, const tml_state *x, double k)
{
    const tml_system *sys = s->sys;
    for (int i = 0; i < sys->nmode; i++) {
        if (!takes_part(s, x, i)) continue;
        const double wanted = -k * sys->restitution[i] * s->before[i];
        if (!(fabs(s->residual[sys->mode_row[i]] - wanted) <=
              IMPACT_ERROR * fabs(s->before[i]) + IMPACT_ROUNDOFF * sys->length))
            return i;
    }
    return -1;
}

static tml_status refuse_rate(const tmli_impacts *s, const tml_state *x, int i, tml_error *err)
{
    const tml_system *sys = s->sys;
    char name[160] = "a unilateral constraint";
    if (sys->row_name) sys->row_name(sys, sys->mode_row[i], name, sizeof name);
    return tmli_fail(err, TML_ERR_MODEL,
                     "%s is struck at t = %.6g s with a rate of %.4g, and the other constraints do not let "
                     "it stop: their motion is prescribed, or locked",
                     name, x->t, s->before[i]);
}

// The law of impact at s->level. *good: the rates are as they should be and no energy is gained.
static tml_status apply_law(tmli_impacts *s, tml_state *x, double energy, bool *good, int *wrong,
                            tml_error *err)
{
    const tml_system *sys = s->sys;
    bool poisson = false;
    double k = 1, after = 0;
    tmli_impulse_work rows;
    for (int i = 0; i < sys->nmode && sys->loads; i++)
        poisson = poisson || (sys->poisson && sys->poisson[i] && !isnan(s->before[i]));
    tml_status st = poisson ? settle_poisson(s, x, &k, err) : settle(s, x, 1, err);
    if (st == TML_OK) st = look_after(s, x, &after, &rows, err);
    const double most = energy * (1 + IMPULSE_CHANGE);
    if (st == TML_OK && sys->loads && !(after <= most)) {
        k = 0;
        st = settle(s, x, 0, err);
        if (st == TML_OK) st = look_after(s, x, &after, &rows, err);
    }
    *wrong = wrong_rate(s, x, k);
    *good = st == TML_OK && *wrong < 0 && (!sys->loads || after <= most);
    return st;
}

// The impulses and du
static tml_status find_impulses(tmli_impacts *s, tml_state *x, double energy, tml_error *err)
{
    const tml_system *sys = s->sys;
    tml_status st = TML_OK;
    bool good = false;
    int wrong = -1;
    memcpy(s->mode, x->mode, (size_t)sys->nmode * sizeof *s->mode);
    for (s->level = sys->loads ? ALL_FRICTION : WITHOUT_FRICTION; s->level < LEVELS && !good; s->level++)
        st = apply_law(s, x, energy, &good, &wrong, s->level == WITHOUT_FRICTION ? err : NULL);
    return st == TML_OK && wrong >= 0 ? refuse_rate(s, x, wrong, err) : st;
}

// (2): which of the struck ones close, the others open. s->value: what they push with.
static bool close_resting(const tmli_impacts *s, tml_state *x)
{
    const tml_system *sys = s->sys;
    bool any = false;
    for (int i = 0; i < sys->nmode; i++) {
        if (!takes_part(s, x, i)) continue;
        const double e = sys->restitution[i], v = fabs(s->before[i]), P = s->value[i],
                     inertia = v > 0 ? s->impulse[i] / ((1 + e) * v) : 0, a = inertia > 0 ? P / inertia : 0,
                     height = e * e * v * v / (2 * a), time = 2 * e * v / (a * (1 - e));
        const bool closes = P >= 0 && (e * v == 0 || height <= BOUNCE_ROUNDOFF * sys->length ||
                                       time <= BOUNCE_TIME * s->duration);
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
        s->stuck[i] =
            loaded ? is_loaded(sys, x, i)
                   : tmli_is_friction(sys, i) && isfinite(x->mode[i]) && fabs(x->mode[i]) != TMLI_DRIVEN;
        if (loaded && !s->stuck[i]) x->mode[i] = OPEN;
    }
    set_by_motion(s, x);
    tmli_consistent_rows_changed(s->consistent);
    return tmli_consistent_accelerations(s->consistent, x, err);
}

// The modes with which (1) is solved; returns the number of those struck.
static int begin(tmli_impacts *s, tml_state *x, bool jumped)
{
    const tml_system *sys = s->sys;
    int count = 0;
    for (int i = 0; i < sys->nmode; i++) {
        const bool struck = is_unilateral(sys, i) && x->mode[i] == STRUCK;
        s->before[i] = struck ? 0 : NAN;
        count += struck;
    }
    const bool any = count > 0 || jumped;
    for (int i = 0; i < sys->nmode && any; i++) {
        s->stuck[i] = tmli_is_friction(sys, i) && x->mode[i] == CLOSED;
        if (s->stuck[i]) x->mode[i] = OPEN;  // slips
        if (!isnan(s->before[i])) x->mode[i] = CLOSED;
    }
    if (!any || !sys->loads) return count;
    memcpy(s->decided, s->stuck, (size_t)sys->nmode * sizeof *s->stuck);
    for (int i = 0; i < sys->nmode; i++) s->stuck[i] = is_loaded(sys, x, i);
    set_by_motion(s, x);
    memcpy(s->stuck, s->decided, (size_t)sys->nmode * sizeof *s->stuck);
    return count;
}

// What became of the energy by the impulses and du of (1), which x has not got yet
static tml_status find_work(tmli_impacts *s, tml_state *x, double energy, tmli_impulse_work *done,
                            tml_error *err)
{
    double after = 0;
    const tml_status st = look_after(s, x, &after, done, err);
    if (!s->sys->ops->energy) return st;
    done->unexplained = after - energy + done->struck + done->rubbed + done->friction;
    for (int i = 0; i < s->sys->nmode; i++) {  // friction that slips has taken part in (1)
        if (!is_loaded(s->sys, x, i) || x->mode[i] == CLOSED) continue;
        *(tmli_rubs_in_contact(s->sys, i) ? &done->rubbed : &done->friction) -= done->unexplained;
        done->unexplained = 0;
    }
    return st;
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
    double energy = 0;
    *done = (tmli_impulse_work){0};
    *count = sys->nmode > 0 ? begin(s, x, jumped) : 0;
    if (*count == 0 && !jumped) return TML_OK;
    tml_status st = kinetic_energy(s, x, &energy, err);
    if (st == TML_OK) st = find_impulses(s, x, energy, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < sys->nmode; i++)
        s->impulse[i] = is_unilateral(sys, i) && x->mode[i] == CLOSED ? s->value[i] : 0;
    memcpy(s->row_impulse, x->lambda, (size_t)sys->m * sizeof *s->row_impulse);
    st = find_work(s, x, energy, done, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < sys->n; j++) x->u[j] += s->du[j];
    return find_modes_after(s, x, done, err);
}
