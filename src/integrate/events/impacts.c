// Impacts. Unilateral constraints that are struck get the velocities
//   M du + B' L = 0,   B_i (u + du) = -e_i B_i u  if i is struck,   B (u + du) = nu  for all other rows   (1)
// (Newton's law), with B of all constraints that are in force or struck. One that would have to pull opens,
// and (1) is solved again. The energy never grows: its change is the sum of L_i (1 - e_i) B_i u/2 over the
// struck ones, which push while they are approached. Friction has a finite force and no impulse: its stick
// rows are not in force in (1).
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

enum { OPEN = 1, CLOSED = 2, STRUCK = 4 };  // modes, as in the contract

tml_status tmli_impacts_create(const tml_system *sys, tmli_consistent *consistent, double duration,
                               tmli_impacts *s, tml_error *err)
{
    *s = (tmli_impacts){.sys = sys, .consistent = consistent, .duration = duration};
    if (!sys->restitution) return TML_OK;
    const size_t modes = (size_t)sys->nmode, n = (size_t)sys->n, m = (size_t)sys->m;
    s->before = tmli_calloc(&sys->env, 3 * modes + n + m, sizeof *s->before);
    s->stuck = tmli_calloc(&sys->env, modes, sizeof *s->stuck);
    s->work = sys->ops->create_work(sys->self, &sys->env);
    if (!s->before || !s->stuck || !s->work) {
        tmli_impacts_clear(s);
        return tmli_no_memory(err, "simulation");
    }
    s->impulse = s->before + modes;
    s->value = s->impulse + modes;
    s->residual = s->value + modes;
    s->du = s->residual + m;
    return TML_OK;
}

void tmli_impacts_clear(tmli_impacts *s)
{
    if (!s->sys) return;
    if (s->work) s->sys->ops->destroy_work(s->work);
    tmli_free(&s->sys->env, s->before);
    tmli_free(&s->sys->env, s->stuck);
    *s = (tmli_impacts){0};
}

static bool is_unilateral(const tml_system *s, int i) { return !isnan(s->restitution[i]); }

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

// (1): du, and the impulses in x->lambda
static tml_status solve(tmli_impacts *s, tml_state *x, tml_error *err)
{
    const tml_system *sys = s->sys;
    double *const c = s->residual;
    tml_status st = sys->ops->velocity(sys->self, s->work, x, c, err);
    for (int i = 0; i < sys->nmode && st == TML_OK; i++) {
        if (!takes_part(s, x, i)) continue;
        s->before[i] = c[sys->mode_row[i]];
        c[sys->mode_row[i]] *= 1 + sys->restitution[i];
    }
    for (int r = 0; r < sys->m; r++) c[r] = -c[r];
    tmli_consistent_rows_changed(s->consistent);
    if (st == TML_OK) st = tmli_consistent_factor(s->consistent, x, err);
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
    return worst >= 0;
}

// Constraints whose motion is prescribed have not changed their velocities as they should.
static tml_status check_rates(tmli_impacts *s, const tml_state *x, tml_error *err)
{
    const tml_system *sys = s->sys;
    tml_status st = sys->ops->velocity(sys->self, s->work, x, s->residual, err);
    for (int i = 0; i < sys->nmode && st == TML_OK; i++) {
        if (!takes_part(s, x, i)) continue;
        const int row = sys->mode_row[i];
        const double wanted = -sys->restitution[i] * s->before[i];
        char name[160] = "a unilateral constraint";
        if (fabs(s->residual[row] - wanted) <=
            IMPACT_ERROR * fabs(s->before[i]) + IMPACT_ROUNDOFF * sys->length)
            continue;
        if (sys->row_name) sys->row_name(sys, row, name, sizeof name);
        st = tmli_fail(err, TML_ERR_MODEL,
                       "%s is struck at t = %.6g s with a rate of %.4g, and the other constraints do not let "
                       "it stop: their motion is prescribed, or locked",
                       name, x->t, s->before[i]);
    }
    return st;
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

// Friction that stuck before the impact finds its mode from the motion after it.
static tml_status find_friction_modes(tmli_impacts *s, tml_state *x, tml_error *err)
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
    tmli_consistent_rows_changed(s->consistent);
    return tmli_consistent_accelerations(s->consistent, x, err);
}

// The modes with which (1) is solved; returns the number of those struck.
static int begin(tmli_impacts *s, tml_state *x)
{
    const tml_system *sys = s->sys;
    int count = 0;
    for (int i = 0; i < sys->nmode; i++) {
        const bool struck = is_unilateral(sys, i) && x->mode[i] == STRUCK;
        s->before[i] = struck ? 0 : NAN;
        count += struck;
    }
    for (int i = 0; i < sys->nmode && count > 0; i++) {
        s->stuck[i] = sys->mode_of_force[i] && !is_unilateral(sys, i) && x->mode[i] == CLOSED;
        if (s->stuck[i]) x->mode[i] = OPEN;  // slips
        if (!isnan(s->before[i])) x->mode[i] = CLOSED;
    }
    return count;
}

tml_status tmli_impacts_apply(tmli_impacts *s, tml_state *x, int *count, double *loss, tml_error *err)
{
    const tml_system *sys = s->sys;
    double after = 0;
    *loss = 0;
    *count = sys->restitution ? begin(s, x) : 0;
    if (*count == 0) return TML_OK;
    tml_status st = kinetic_energy(s, x, loss, err);
    do {
        if (st == TML_OK) st = solve(s, x, err);
        if (st != TML_OK) return st;
    } while (open_one(s, x));
    memcpy(s->impulse, s->value, (size_t)sys->nmode * sizeof *s->impulse);
    for (int j = 0; j < sys->n; j++) x->u[j] += s->du[j];
    st = check_rates(s, x, err);
    if (st == TML_OK) st = find_friction_modes(s, x, err);
    if (st != TML_OK) return st;
    sys->ops->event_values(sys->self, s->work, x, s->value);
    const bool closes = close_resting(s, x);
    tmli_consistent_rows_changed(s->consistent);
    if (closes) st = tmli_consistent_project(s->consistent, x, err);  // what is left of the rates
    if (st == TML_OK) st = find_friction_modes(s, x, err);
    if (st == TML_OK) st = kinetic_energy(s, x, &after, err);
    *loss -= after;
    return st;
}
