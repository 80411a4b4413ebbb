// Impacts. The closed and the struck unilateral constraints, and the friction that they or reactions load,
// get impulses p by the law of impact (impact_law.h), with the rates u = W p + b of impact_rows.h, and a law
// of restitution (impact_restitution.h). Friction of a finite force has no impulse: it slips. The energy
// changes by p.(u before + u after)/2.
//
// A jump of a prescribed velocity, in which nothing is struck, is the limit of short transitions. In these
// the part s of the jump that is done grows from 0 to 1, and friction acts against the slip that there is:
//   du_T(s) = W_T dp(s) + db_T ds,   dp_T = -r(dp) u_T/|u_T|, or sticks                                   (1)
// So the jump goes on in parts. Each is the largest in which the direction of no slip turns by more than
// SLIP_TURN: in the plane, and for friction of joints, the first ends where a slip has come to rest, and the
// parts are exact.
//
// Bounces become ever shorter. From the impulse I of an impact that changes a rate from -v to w follows the
// inertia I/(v + w) behind it, at least 1/W of its own row where others push too. The force P with which the
// constraint, if closed, would push gives the acceleration a towards it. The bounces that follow have the
// height h and end after the time T,
//   h = w^2/(2 a),   T = 2 w/(a (1 - e))                                                                  (2)
// The constraint closes when h is the round-off of positions or T is negligible; then the rate is zero.
#include "integrate/events/impacts.h"
#include "integrate/events/impact_restitution.h"
#include "system/state/move.h"

#include <math.h>
#include <string.h>

#include "integrate/events/constants.h"

tml_status tmli_impacts_create(const tml_system *sys, tmli_consistent *consistent, void *work,
                               double duration, tmli_impacts *s, tml_error *err)
{
    *s = (tmli_impacts){.sys = sys, .consistent = consistent, .work = work, .duration = duration};
    if (sys->nmode == 0) return TML_OK;
    const size_t modes = (size_t)sys->nmode, n = (size_t)sys->n, m = (size_t)sys->m;
    const bool room = tmli_calloc_block(
        &sys->env, TMLI_ARRAY(s->before, modes), TMLI_ARRAY(s->rebound, modes), TMLI_ARRAY(s->inverse, modes),
        TMLI_ARRAY(s->impulse, modes), TMLI_ARRAY(s->value, modes), TMLI_ARRAY(s->after, modes),
        TMLI_ARRAY(s->du, n), TMLI_ARRAY(s->row_impulse, m), TMLI_ARRAY(s->rate, 2 * m), TMLI_ARRAY(s->w, n));
    s->stuck = tmli_calloc(&sys->env, modes, sizeof *s->stuck);
    tml_status st = room && s->stuck ? TML_OK : tmli_no_memory(err, "simulation");
    if (st == TML_OK) st = tml_state_create(sys, &s->probe, err);
    if (st == TML_OK) st = tmli_impact_rows_create(sys, consistent, work, &s->rows, err);
    if (st != TML_OK) tmli_impacts_clear(s);
    return st;
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
    const int by = s->loads ? s->switches[i].loaded_by : -1;
    return by >= 0 && (by == s->nmode || x->mode[by] == TML_SWITCH_HELD);
}

// Modes of the friction in s->stuck from the motion of x.
static void set_by_motion(tmli_impacts *s, tml_state *x)
{
    const tml_system *sys = s->sys;
    double *const kept = s->value;
    for (int i = 0; i < sys->nmode; i++) {
        kept[i] = x->mode[i];
        x->mode[i] = s->stuck[i] ? TML_SWITCH_UNSET : TML_SWITCH_UNWATCHED;
    }
    sys->ops->switch_modes(sys->self, s->work, x, NULL, false, NULL);
    for (int i = 0; i < sys->nmode; i++)
        if (!s->stuck[i]) x->mode[i] = kept[i];
}

static double largest_rate(const tmli_impacts *s)
{
    const tmli_impact_rows *r = &s->rows;
    double most = 0;
    for (int k = 0; k < r->law.rows; k++) most = fmax(most, fmax(fabs(r->at_start[k]), fabs(r->before[k])));
    return most;
}

static double rate_roundoff(const tmli_impacts *s)
{
    return IMPACT_ROUNDOFF * fmax(s->sys->length, largest_rate(s));
}

// The rates after the impact, by the velocities of x + du, are those of the law.
static tml_status check_rates(tmli_impacts *s, tml_state *x, tml_error *err)
{
    const tmli_impact_rows *r = &s->rows;
    const double largest = largest_rate(s);
    for (int k = 0; k < r->law.rows; k++) {
        const double rate = tmli_impact_rows_rate(r, k, s->du) + r->at_start[k];
        if (!(fabs(rate - s->after[k]) <= IMPACT_ERROR * largest + IMPACT_ROUNDOFF * s->sys->length))
            return tmli_impact_refuse(s, x, err);
    }
    return TML_OK;
}

// (2) decides about those that are struck, and those that rested and part; others stay closed, or open.
static void set_modes(tmli_impacts *s, tml_state *x)
{
    const tmli_impact_rows *r = &s->rows;
    const double rest = rate_roundoff(s);
    for (int i = 0; i < s->sys->nmode; i++) s->rebound[i] = NAN;
    for (int k = 0; k < r->law.groups; k++) {
        const int i = r->owner[k], first = r->law.group[k].first;
        if (!r->law.group[k].normals) continue;
        s->inverse[i] = r->law.W[first * (r->law.rows + 1)];
        s->impulse[i] = r->p[first];
        const bool parts = s->after[first] > rest, rested = fabs(r->before[first]) <= rest,
                   pushed = tmli_impact_is_struck(s, k) && s->impulse[i] * s->inverse[i] > rest;
        x->mode[i] = parts && !pushed && !rested ? TML_SWITCH_RELEASED : TML_SWITCH_HELD;
        if (tmli_impact_is_struck(s, k) || (rested && parts)) s->rebound[i] = fmax(s->after[first], 0);
    }
}

// Of those that may be struck, these approach; returns their number.
static int select_struck(tmli_impacts *s)
{
    const tmli_impact_rows *r = &s->rows;
    int count = 0;
    for (int k = 0; k < r->law.groups; k++) {
        if (!tmli_impact_is_struck(s, k)) continue;
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
            if (tmli_impact_is_struck(s, i) && tmli_impact_is_struck(s, j) &&
                fabs(law->W[a * n + b]) > COUPLED_ROWS * size)
                tmli_impact_tell(
                    s, x, &s->told_several,
                    "others are struck with it at the same time. The law of impact is applied to all of them "
                    "at once; a start that differs by any small amount may leave another motion");
        }
}

// ---- parts of a jump --------------------------------------------------------------------------------------

// The slip of group c has turned by more than SLIP_TURN from r->at_start to s->after, or has come to rest.
static bool has_turned(const tmli_impacts *s, int c, double roundoff)
{
    const tmli_impact_rows *r = &s->rows;
    const tmli_impact_group *g = &r->law.group[c];
    double product = 0, old = 0, new = 0;
    for (int k = g->first + g->normals; k < g->first + g->normals + g->tangents; k++) {
        product += r->at_start[k] * s->after[k];
        old += r->at_start[k] * r->at_start[k];
        new += s->after[k] * s->after[k];
    }
    return old > roundoff * roundoff && product <= cos(SLIP_TURN) * sqrt(old * new);
}

static bool any_has_turned(const tmli_impacts *s, double roundoff)
{
    for (int c = 0; c < s->rows.law.groups; c++)
        if (has_turned(s, c, roundoff)) return true;
    return false;
}

// (1): *share := the largest part of the jump that is left in which no slip turns, by bisection; 1 where the
// law of friction has no solution, which is left to the laws of restitution.
static tml_status find_part(tmli_impacts *s, tml_state *x, double *share, tml_error *err)
{
    const double roundoff = rate_roundoff(s);
    bool good = true;
    double low = 0, high = 1;
    *share = 1;
    tml_status st = tmli_impact_newton(s, x, &good, err);
    if (st != TML_OK || !good || !any_has_turned(s, roundoff)) return st;
    while (high - low > IMPULSE_CHANGE * high && st == TML_OK) {
        const double middle = low + (high - low) / 2;
        tmli_impact_rows_take(&s->rows, middle);
        st = tmli_impact_newton(s, x, &good, err);
        if (good && !any_has_turned(s, roundoff)) low = middle;
        else high = middle;
    }
    *share = high;
    tmli_impact_rows_take(&s->rows, *share);
    return st;
}

// The part `share` of the jump is done: what comes to rest in it has no slip.
static void end_part(tmli_impacts *s, double share)
{
    tmli_impact_rows *r = &s->rows;
    for (int c = 0; c < r->law.groups; c++) {
        const tmli_impact_group *g = &r->law.group[c];
        for (int k = g->first + g->normals; k < g->first + g->normals + g->tangents; k++)
            if (fabs(s->after[k]) <= IMPULSE_NOISE * fabs(r->at_start[k])) s->after[k] = 0;
    }
    tmli_impact_rows_advance(r, share, s->after);
}

// The impulses of the part of the jump that is taken, s->du, and their work; the velocities of x change.
static tml_status apply_part(tmli_impacts *s, tml_state *x, tmli_impulse_work *done, tml_error *err)
{
    const tml_system *sys = s->sys;
    tmli_impulse_work part;
    tmli_impact_rows_apply(&s->rows, s->rows.p, s->rows.force_sum, s->du, x->lambda);
    tml_status st = check_rates(s, x, err);
    if (st == TML_OK) st = tmli_impulse_work_find(&s->rows, x, s->du, s->after, s->rate, s->w, &part, err);
    if (st != TML_OK) return st;
    done->driven += part.driven;
    done->struck += part.struck;
    done->rubbed += part.rubbed;
    done->friction += part.friction;
    for (int i = 0; i < sys->m; i++) s->row_impulse[i] += x->lambda[i];
    for (int j = 0; j < sys->n; j++) x->u[j] += s->du[j];
    return TML_OK;
}

// The impulses, and the velocities after them. There are none where nothing approaches and nothing jumps.
static tml_status apply_impulses(tmli_impacts *s, tml_state *x, bool jumped, int *count,
                                 tmli_impulse_work *done, tml_error *err)
{
    tml_status st = tmli_impact_rows_find(&s->rows, x, err);
    if (st != TML_OK) return st;
    *count = select_struck(s);
    if (*count > 1) tell_of_several(s, x);
    tmli_impact_begin(s);
    memcpy(s->after, s->rows.before, (size_t)s->rows.law.rows * sizeof *s->after);
    memset(s->row_impulse, 0, (size_t)s->sys->m * sizeof *s->row_impulse);
    double share = 0;
    for (int part = 0; share < 1 && st == TML_OK; part++) {
        if (part > 0) end_part(s, share);
        share = 1;
        tmli_impact_rows_take(&s->rows, share);
        if (jumped && *count == 0 && part < MAX_PARTS) st = find_part(s, x, &share, err);
        if (st == TML_OK && (*count > 0 || jumped)) st = tmli_impact_solve(s, x, err);
        if (st == TML_OK) st = apply_part(s, x, done, err);
    }
    // The impulses of one impact act at the same time, and their mean rates divide its loss between them.
    // Where a slip turns round in it, those of friction would gain energy: the loss is that of the impact
    // as a whole.
    if (*count > 0 && done->friction < 0) {
        done->struck += done->friction;
        done->friction = 0;
    }
    memset(s->impulse, 0, (size_t)s->sys->nmode * sizeof *s->impulse);
    if (st == TML_OK) set_modes(s, x);
    return st;
}

// ---- modes after the impulses -----------------------------------------------------------------------------

// (2): which of those that bounce close, the others open. s->value: what they push with.
static bool close_resting(const tmli_impacts *s, tml_state *x)
{
    const tml_system *sys = s->sys;
    bool any = false;
    for (int i = 0; i < sys->nmode; i++) {
        if (x->mode[i] != TML_SWITCH_HELD || isnan(s->rebound[i])) continue;
        const double e = sys->switches[i].restitution, v = s->rebound[i], P = s->value[i],
                     a = P * fmin(s->inverse[i], (v - s->before[i]) / s->impulse[i]),
                     height = v * v / (2 * a), time = 2 * v / (a * (1 - e));
        const bool closes =
            P >= 0 && (e * s->before[i] == 0 || v <= IMPACT_ROUNDOFF * sys->length ||
                       height <= BOUNCE_ROUNDOFF * sys->length || time <= BOUNCE_TIME * s->duration);
        x->mode[i] = closes ? TML_SWITCH_HELD : TML_SWITCH_RELEASED;
        any = any || closes;
    }
    return any;
}

// Friction of joints that sticks by the law does so, whatever round-off of large impulses leaves of its rate.
static void stick_by_law(const tmli_impacts *s, tml_state *x)
{
    const tmli_impact_rows *r = &s->rows;
    for (int k = 0; k < r->law.groups; k++) {
        const int i = r->owner[k], row = r->law.group[k].first;
        const bool stops = r->p[row] != 0 && fabs(s->after[row]) <= IMPULSE_NOISE * fabs(r->before[row]);
        if (!r->law.group[k].normals && s->stuck[i] && stops) x->mode[i] = TML_SWITCH_HELD;
    }
}

// All friction finds its mode from the motion after the impact, but for that which never sticks, and that
// which is loaded by an open constraint.
static tml_status find_friction_modes(tmli_impacts *s, tml_state *x, tml_error *err)
{
    const tml_system *sys = s->sys;
    for (int i = 0; i < sys->nmode; i++) {
        const bool loaded = sys->loads && sys->switches[i].loaded_by >= 0;
        s->stuck[i] = tmli_is_friction(sys, i) && tmli_mode_is_watched(x->mode[i]) &&
                      !tmli_mode_is_driven(x->mode[i]) && (!loaded || is_loaded(sys, x, i));
        if (loaded && !s->stuck[i] && !tmli_mode_is_driven(x->mode[i])) x->mode[i] = TML_SWITCH_RELEASED;
    }
    set_by_motion(s, x);
    stick_by_law(s, x);
    tmli_consistent_rows_changed(s->consistent);
    return tmli_consistent_accelerations(s->consistent, x, err);
}

static bool is_open(const tml_system *s, const tml_state *x, int i)
{
    return tmli_is_unilateral(s, i) && x->mode[i] == TML_SWITCH_RELEASED;
}

// Open constraints whose gap is round-off, within the round-off of t, or not larger than the drift of those
// that are closed, take part: which of several that meet at the same time is found to be struck, and how
// many, must not depend on round-off or on the errors of the steps.
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
        y->mode[i] = is_open(sys, x, i)           ? TML_SWITCH_UNSET
                     : tmli_is_unilateral(sys, i) ? x->mode[i]
                                                  : TML_SWITCH_UNWATCHED;
    sys->ops->switch_modes(sys->self, s->work, y, NULL, false, NULL);
    for (int i = 0; i < sys->nmode; i++) {
        if (!is_open(sys, x, i) || y->mode[i] != TML_SWITCH_HELD) continue;
        x->mode[i] = TML_SWITCH_HELD;
        s->before[i] = 0;
    }
}

// The modes with which the law is solved; returns the number of those struck. jumped: also if there are none.
static int begin(tmli_impacts *s, tml_state *x, bool jumped)
{
    const tml_system *sys = s->sys;
    int count = 0;
    for (int i = 0; i < sys->nmode; i++) {
        const bool struck = tmli_is_unilateral(sys, i) && x->mode[i] == TML_SWITCH_STRUCK;
        s->before[i] = struck ? 0 : NAN;
        count += struck;
    }
    if (count == 0 && !jumped) return 0;
    for (int i = 0; i < sys->nmode; i++) {
        if (tmli_is_friction(sys, i) && tmli_holds_row(sys, x, i)) x->mode[i] = TML_SWITCH_RELEASED;  // slips
        if (!isnan(s->before[i])) x->mode[i] = TML_SWITCH_HELD;
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
    double *const massless = &s->rows.consistent->matrix.proximal_share;
    tml_status st = kinetic_energy(s, x, &energy, err);
    *massless = IMPULSE_INERTIA;
    if (st == TML_OK) st = apply_impulses(s, x, jumped, count, done, err);
    *massless = 1;
    if (st == TML_OK) st = kinetic_energy(s, x, &after, err);
    if (st != TML_OK) return st;
    if (sys->ops->energy)
        done->unexplained = after - energy - done->driven + done->struck + done->rubbed + done->friction;
    return find_modes_after(s, x, done, err);
}
