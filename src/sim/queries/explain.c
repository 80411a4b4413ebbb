// Why a run has stopped: what the state at its end shows beyond the message of the method; and why it takes
// millions of steps.
//
// Where a mechanism reaches the end of its range, or links without mass straighten, velocities grow like
// 1/sqrt(time left). Where joints leave a body without mass a motion of its own, nothing determines its
// acceleration. No step is small enough then, and the tolerance has nothing to do with it.
//
// Steps may become so short that the run would take millions of them. A fast vibration, mostly of a body that
// is very light for its springs, is followed by every method that does not damp it: the message names the
// body and the frequency,
//   w = sqrt(k/m), or d/m, of a coordinate taken alone, largest of all                                    (1)
// Where no rate explains the steps, a force or motion may be a fast function of time, or the estimated error
// is round-off, which shorter steps do not reduce.
#include "sim/queries/sim.h"

#include <math.h>
#include <string.h>

#include "sim/queries/constants.h"

static bool is_rotation(const tml_system *s, int j)
{
    return s->kind && s->kind[j] == TML_COORDINATE_ROTATION;
}

// The body without mass that coordinate j belongs to; NULL: none.
static const tmli_node *massless_node(const tml_sim *sim, int j)
{
    const tml_model *m = sim->model;
    const tmli_node *node = m ? &m->node[m->node_of[j]] : NULL;
    return node && node->mass == 0 && m->node_of[j] < m->nbodies ? node : NULL;
}

// The coordinate with the largest velocity, or acceleration over the length of the run, among those whose
// velocity changes by its own size within span [s]; -1: none that explains anything.
static int find_sudden(const tml_sim *sim, const tml_state *x, double span)
{
    const tml_system *s = sim->sys;
    const double duration = sim->run.end - sim->run.start;
    double largest = 0;
    int found = -1;
    for (int j = 0; j < s->n - s->nz; j++) {
        const double unit = is_rotation(s, j) ? 1 : s->length;
        const double u = fabs(x->u[j]) / unit, a = fabs(x->udot[j]) / unit;  // [lengths or rad]
        const bool fast = u * duration > SUDDEN_MOTION && x->u[j] * x->udot[j] > 0;
        const bool undetermined =
            massless_node(sim, j) && a * duration * duration > SUDDEN_MOTION * SUDDEN_MOTION;
        if (u >= span * a || !(fast || undetermined)) continue;
        if (fmax(u, span * a) <= largest) continue;
        largest = fmax(u, span * a);
        found = j;
    }
    return found;
}

// The state (first-order) that grows by its own size soonest, within COLLAPSE_SPAN of the run; -1: none.
static int find_growing_state(const tml_sim *sim, const tml_state *x)
{
    const tml_system *s = sim->sys;
    double shortest = COLLAPSE_SPAN * (sim->run.end - sim->run.start);
    int found = -1;
    for (int j = s->n - s->nz; j < s->n; j++) {
        const double scale = s->state_scale ? s->state_scale[j - (s->n - s->nz)] : 1;
        const double time = x->u[j] / x->udot[j];
        if (!(fabs(x->u[j]) > SUDDEN_MOTION * scale && time > 0 && time < shortest)) continue;
        shortest = time;
        found = j;
    }
    return found;
}

static void describe_state(const tml_sim *sim, const tml_state *x, int j, tml_error *err)
{
    char name[160];
    tmli_fail(
        err, TML_ERR_STEP,
        "the solution ends at t = %.8g s: the state '%s' has the value %.2g and the rate %.2g per s. It "
        "grows without bound: its rate grows faster than in proportion to it. End the run before, or "
        "check the sign and the limits of its rate.",
        x->t, sim->sys->coordinate_name(sim->sys, j, name, sizeof name), x->u[j], x->udot[j]);
}

static void describe_motion(const tml_sim *sim, const tml_state *x, int j, tml_error *err)
{
    const tml_system *s = sim->sys;
    char name[160];
    const char *unit = is_rotation(s, j) ? "rad" : "m";
    tmli_fail(err, TML_ERR_STEP,
              "smooth motion ends at t = %.8g s: '%s' has the velocity %.2g %s/s and the acceleration "
              "%.2g %s/s^2.",
              x->t, s->coordinate_name(s, j, name, sizeof name), x->u[j], unit, x->udot[j], unit);
    if (massless_node(sim, j))
        tmli_error_append(err,
                          "Body '%s' has no mass: its joints straighten, reach the end of their range, or "
                          "leave it a motion that nothing determines. Give it mass and inertia, or end the "
                          "run before.",
                          massless_node(sim, j)->name);
    else
        tmli_error_append(
            err, "The mechanism reaches the end of its range, where its velocity grows without bound, or a "
                 "dead point that this method does not pass; another one may ('trammel compare').");
}

static bool stops_within(double span, double u, double a) { return u * a < 0 && fabs(u) < span * fabs(a); }

// A coordinate of a visible motion that stops within span [s], and would not without friction that grows with
// reactions; -1: none.
static int find_jammed(tml_sim *sim, tml_state *x, double span)
{
    const tml_system *s = sim->sys;
    const tmli_impact_rows *r = &sim->impacts.rows;
    const double duration = sim->run.end - sim->run.start;
    double largest = 0;
    int found = -1;
    if (!s->loads || !r->sys) return -1;
    memset(r->held_lambda, 0, (size_t)s->m * sizeof *x->lambda);
    tml_state free = *x;
    free.lambda = r->held_lambda;
    if (s->ops->dynamics(s->self, sim->work, &free, r->f, r->gamma, NULL) != TML_OK) return -1;
    tmli_index1_solve(&sim->consistent.matrix, r->f, r->gamma, r->du, NULL);
    for (int j = 0; j < s->n - s->nz; j++) {
        const double unit = is_rotation(s, j) ? 1 : s->length, u = fabs(x->u[j]) / unit;
        const bool stops = stops_within(span, x->u[j], x->udot[j]) && !stops_within(span, x->u[j], r->du[j]);
        if (!stops || u * duration < 1 || u <= largest) continue;
        largest = u;
        found = j;
    }
    return found;
}

static void describe_jam(const tml_sim *sim, const tml_state *x, int j, tml_error *err)
{
    const tml_system *s = sim->sys;
    char name[160];
    const char *unit = is_rotation(s, j) ? "rad" : "m";
    tmli_fail(err, TML_ERR_STEP,
              "friction that is loaded by reactions locks itself at t = %.8g s: '%s' has the velocity %.2g "
              "%s/s and the acceleration %.2g %s/s^2. The friction adds to its own load until nothing moves, "
              "mostly near a dead point of the mechanism. Reduce its coefficient or its radius, or end the "
              "run before.",
              x->t, s->coordinate_name(s, j, name, sizeof name), x->u[j], unit, x->udot[j], unit);
}

// Friction for which no reactions are found: `why` tells so.
static void describe_lock(const tml_error *why, tml_error *err)
{
    tmli_fail(err, TML_ERR_STEP, "%s. Reduce its coefficient or its radius, or end the run before.",
              why->msg);
}

// True: a motion that changes suddenly, within the share `span` of the run, or a state without bound explains
// the short steps, and err says so.
static bool explain_end(tml_sim *sim, double span, tml_error *err)
{
    tml_state *x = sim->scratch;
    if (tmli_sim_explain_pole(sim, tmli_sim_state(sim), err)) return true;
    tml_state_copy(x, tmli_sim_state(sim));
    tmli_consistent_project(&sim->consistent, x,
                            NULL);  // as far as it gets: some methods let velocities drift
    tml_error why = {0};
    const tml_status st = tmli_consistent_accelerations(&sim->consistent, x, &why);
    const bool locked = st == TML_RETRY && sim->sys->loads;  // else a callback asks for another step
    if (locked) describe_lock(&why, err);
    if (st != TML_OK && st != TML_ERR_SINGULAR) return locked;  // SINGULAR: those of the method
    const double time = span * (sim->run.end - sim->run.start);
    const int j = find_sudden(sim, x, time), jammed = j < 0 && st == TML_OK ? find_jammed(sim, x, time) : -1,
              state = j < 0 && jammed < 0 ? find_growing_state(sim, x) : -1;
    if (j >= 0) describe_motion(sim, x, j, err);
    else if (jammed >= 0) describe_jam(sim, x, jammed, err);
    else if (state >= 0) describe_state(sim, x, state, err);
    return j >= 0 || jammed >= 0 || state >= 0;
}

void tmli_sim_explain_stop(tml_sim *sim, tml_error *err)
{
    if (err) explain_end(sim, SUDDEN_SPAN, err);
}

// ---- progress ---------------------------------------------------------------------------------------------

typedef struct fastest {
    double rate;     // (1) [rad/s], or [1/s] of a decay; 0: not known
    bool decays;     // d/m is the larger one: no vibration
    int coordinate;  // whose it is
} fastest;

// Uses the memory of the last step's polynomial, which a new step discards.
static fastest find_fastest(tml_sim *sim)
{
    const tml_system *s = sim->sys;
    double *m = sim->quintic, *d = m + s->n, *k = d + s->n;
    fastest found = {0};
    sim->quintic_known = false;
    if (!s->ops->diagonals ||
        s->ops->diagonals(s->self, sim->work, tmli_sim_state(sim), m, d, k, NULL) != TML_OK)
        return found;
    for (int j = 0; j < s->n - s->nz; j++) {
        if (!(m[j] > 0)) continue;
        const double vibration = sqrt(fmax(k[j], 0) / m[j]), decay = fmax(d[j], 0) / m[j];
        if (fmax(vibration, decay) <= found.rate) continue;
        found = (fastest){.rate = fmax(vibration, decay), .decays = decay > vibration, .coordinate = j};
    }
    return found;
}

static const char *name_of(const tml_system *s, int j, char *buf, size_t size)
{
    return s->coordinate_name ? s->coordinate_name(s, j, buf, size) : "a coordinate";
}

// The coordinate whose velocity is beyond all machines and still grows; -1: none. A rotor may turn for long.
static int find_runaway(const tml_sim *sim)
{
    const tml_system *s = sim->sys;
    const tml_state *x = tmli_sim_state(sim);
    const double since = x->t - sim->run.start;
    double most = RUNAWAY_MOTION / since;
    int found = -1;
    for (int j = 0; j < s->n - s->nz; j++) {
        const double rate = fabs(x->u[j]) / (is_rotation(s, j) ? 1 : s->length);
        if (!(rate > most && x->u[j] * (x->udot[j] * since - x->u[j]) > 0)) continue;
        most = rate;
        found = j;
    }
    return found;
}

static bool is_of_beam(const tml_sim *sim, int coordinate)
{
    const tml_model *m = sim->model;
    for (int i = 0; m && i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        for (int s = 0; s < f->plan.nslots && f->ops == tmli_force_type(TML_FORCE_BEAM); s++)
            if (f->plan.node[s] == sim->sys->node[coordinate]) return true;
    }
    return false;
}

static void explain_short_steps(tml_sim *sim, const fastest *fast, double step, double forecast)
{
    const tml_system *s = sim->sys;
    const fastest f = *fast;
    char buffer[120];
    const double t = tmli_sim_time(sim);
    const char *what = name_of(s, f.coordinate, buffer, sizeof buffer);
    if (!(f.rate * step > EXPLAINED_STEP))
        tmli_log(
            &sim->env, TML_LOG_WARNING,
            "t = %.4g s: the steps fell to %.2g s; the rest of the run needs about %.1g steps. No vibration "
            "of the model is so fast: an expression of time may be, or the estimated error is round-off of "
            "the equations. Try a looser tolerance or another method ('trammel compare')",
            t, step, forecast);
    else if (f.decays)
        tmli_log(&sim->env, TML_LOG_WARNING,
                 "t = %.4g s: the steps fell to %.2g s; the rest of the run needs about %.1g steps. The "
                 "fastest motion, of %s, decays within %.2g s; an implicit method need not follow it. Try "
                 "another method ('trammel compare'), less damping, or more inertia of its body",
                 t, step, forecast, what, 1 / f.rate);
    else
        tmli_log(
            &sim->env, TML_LOG_WARNING,
            "t = %.4g s: steps of %.2g s follow the fastest vibration, %.3g Hz of %s; the rest of the run "
            "needs about %.1g steps. If this vibration does not matter, %s",
            t, step, f.rate / 6.283185307179586, what, forecast,
            is_of_beam(sim, f.coordinate)
                ? "give the beam some damping, begin in equilibrium (begin: static) or with the velocities "
                  "of "
                  "its rigid motion, or leave the method to auto"
                : "give its body more mass, its spring less stiffness or more damping, start it at rest "
                  "relative to its neighbours, or replace the spring by a joint");
}

// Nothing moves visibly in a step [s]: what the run waits for is not its motion, as it would be in a run with
// an end far away.
static bool stands(const tml_sim *sim, double step)
{
    const tml_system *s = sim->sys;
    const tml_state *x = tmli_sim_state(sim);
    double rate = 0;
    for (int j = 0; j < s->n - s->nz; j++)
        rate = fmax(rate, fabs(x->u[j]) / (is_rotation(s, j) ? 1 : s->length));
    return rate * step < STANDING_MOTION;
}

static tml_status fail_runaway(tml_sim *sim, int j, tml_error *err)
{
    const tml_system *s = sim->sys;
    const tml_state *x = tmli_sim_state(sim);
    char buffer[120];
    const tml_status st = tmli_fail(
        err, TML_ERR_STEP,
        "the motion grows without bound: at t = %.8g s '%s' has the velocity %.2g %s/s. Check the signs of "
        "stiffnesses, dampers, gains and gravity, or end the run before",
        x->t, name_of(s, j, buffer, sizeof buffer), x->u[j], is_rotation(s, j) ? "rad" : "m");
    if (err) err->t = x->t;
    return st;
}

// The run would take days: it ends, with the warning before as the reason, and the fastest motion.
static tml_status fail_hopeless(tml_sim *sim, double step, double forecast, tml_error *err)
{
    const tml_system *s = sim->sys;
    const tml_state *x = tmli_sim_state(sim);
    char buffer[120];
    int fast = 0;
    for (int j = 0; j < s->n - s->nz; j++) {
        const double unit = is_rotation(s, j) ? 1 : s->length, most = is_rotation(s, fast) ? 1 : s->length;
        if (fabs(x->udot[j]) / unit > fabs(x->udot[fast]) / most) fast = j;
    }
    const tml_status st = tmli_fail(
        err, TML_ERR_STEP,
        "the run makes no progress at t = %.8g s: after %d steps of about %.2g s the rest of it needs some "
        "%.1g "
        "more. '%s' accelerates most, with %.2g %s/s^2. Look at the motion up to there, at the forces and "
        "joints of this body, and try another method ('trammel compare') or a looser tolerance",
        x->t, HOPELESS_CHECKS * WATCHED_STEPS, step, forecast, name_of(s, fast, buffer, sizeof buffer),
        x->udot[fast], is_rotation(s, fast) ? "rad" : "m");
    if (err) err->t = x->t;
    return st;
}

tml_status tmli_sim_check_progress(tml_sim *sim, tmli_sim_recent *recent, tml_error *err)
{
    tmli_sim_progress *p = &sim->progress;
    const long steps = tmli_sim_step_count(sim);
    const double t = tmli_sim_time(sim);
    *recent = (tmli_sim_recent){0};
    if (sim->driver.fixed || steps < p->steps + WATCHED_STEPS) return TML_OK;
    recent->mean_step = (t - p->t) / (double)(steps - p->steps);
    const double forecast = (sim->run.end - t) / recent->mean_step,
                 before = p->steps > 0 ? (p->t - sim->run.start) / (double)p->steps : 0;
    p->slow_checks = forecast > MANY_STEPS && p->steps > 0 ? p->slow_checks + 1 : 0;
    p->long_checks = forecast > MANY_STEPS_OF_VIBRATION && p->steps > 0 ? p->long_checks + 1 : 0;
    p->steps = steps;
    p->t = t;
    recent->slow = p->slow_checks == 1;
    recent->collapsed = forecast > WATCHED_STEPS && recent->mean_step < COLLAPSED_STEP * before;
    const bool slow = p->slow_checks >= SLOW_CHECKS_BEFORE_WARNING;
    // a run may also need many steps because its end is far away
    const bool hopeless =
        slow && forecast > HOPELESS_STEPS && (recent->collapsed || stands(sim, recent->mean_step));
    tml_error end = {.t = t};
    if (hopeless && explain_end(sim, COLLAPSE_SPAN, &end)) {
        if (err) *err = end;
        return TML_ERR_STEP;
    }
    const int runaway = slow ? find_runaway(sim) : -1;
    if (runaway >= 0) return fail_runaway(sim, runaway, err);
    if (hopeless && p->slow_checks >= HOPELESS_CHECKS && stands(sim, recent->mean_step))
        return fail_hopeless(sim, recent->mean_step, forecast, err);
    if (p->warned || (!slow && p->long_checks != SLOW_CHECKS_BEFORE_WARNING)) return TML_OK;
    const fastest f = find_fastest(sim);
    p->warned = slow || (!f.decays && f.rate * recent->mean_step > FOLLOWED_STEP);
    if (p->warned) explain_short_steps(sim, &f, recent->mean_step, forecast);
    return TML_OK;
}
