// The errors of a run, signal by signal, over what the tolerance allows; the criteria are in compare.h.
//
// The tolerance is defined for positions and orientations (docs/theory/alpha.md, section 6). What follows
// from them is judged by the same number, relative to the size of its kind: a run whose motion is right and
// whose reactions are not has not met its tolerance.
#include "compare/judge.h"
#include "base/quantity.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tolerances.h"
#include "compare/constants.h"

// ---- sensitivity of the outputs ---------------------------------------------------------------------------

static tml_status begin_sensitivity(tmli_sensitivity *s, const tml_sim *sim, const tml_state *x,
                                    tml_error *err)
{
    const tml_system *sys = tml_sim_system(sim);  // outlives sim
    const size_t n = (size_t)sys->n, nq = (size_t)sys->nq, outputs = (size_t)sim->model->noutputs;
    if (!tmli_calloc_block(&sys->env, TMLI_ARRAY(s->size, outputs), TMLI_ARRAY(s->value, 2 * outputs),
                           TMLI_ARRAY(s->start, nq), TMLI_ARRAY(s->step, n + 1)))
        return tmli_no_memory(err, "verification");
    s->sys = sys;
    memcpy(s->start, x->q, nq * sizeof(double));
    return tml_state_create(sys, &s->moved, err);
}

static void eval_outputs(const tml_sim *sim, const tml_state *x, double *out)
{
    for (int i = 0; i < sim->model->noutputs; i++)
        out[i] = tmli_mb_expression(sim->model, sim->work, x, &sim->model->output[i].value);
}

static void add_change(tmli_sensitivity *s, const tml_sim *sim, double *sum)
{
    const int outputs = sim->model->noutputs;
    double *changed = s->value + outputs;
    eval_outputs(sim, s->moved, changed);
    for (int i = 0; i < outputs; i++) sum[i] += fabs(changed[i] - s->value[i]);
}

// Allowed errors of the increments: the distance from the start stands for that of a translation.
static void set_steps(tmli_sensitivity *s, const tml_state *x)
{
    const tml_system *sys = s->sys;
    sys->ops->local(sys->self, s->start, x->q, s->step);
    for (int j = 0; j < sys->n; j++)
        s->step[j] = sys->kind[j] == TML_COORDINATE_TRANSLATION
                         ? s->atol * sys->length + s->rtol * fabs(s->step[j])
                         : s->atol;
    for (int j = 0; j < sys->n - sys->nz; j++)
        s->velocity =
            fmax(s->velocity, fabs(x->u[j]) * (sys->kind[j] == TML_COORDINATE_TRANSLATION ? 1 : sys->length));
}

tml_status tmli_sensitivity_add(tmli_sensitivity *s, const tml_sim *sim, const tml_state *x, tml_error *err)
{
    const int outputs = sim->model->noutputs;
    if (outputs == 0) return TML_OK;
    if (!s->sys) {
        const tml_status st = begin_sensitivity(s, sim, x, err);
        if (st != TML_OK) return st;
    }
    const tml_system *sys = s->sys;
    const int mechanical = sys->n - sys->nz;
    const double tol = fmax(s->rtol, s->atol);
    double *sum = tmli_calloc(&sys->env, (size_t)(outputs + sys->n), sizeof *sum);
    if (!sum) return tmli_no_memory(err, "verification");
    double *const d = sum + outputs;
    set_steps(s, x);
    tmli_mb_set_poses(sim->model, sim->work, x->q);
    eval_outputs(sim, x, s->value);
    tml_state_copy(s->moved, x);
    for (int j = 0; j < mechanical; j++) {
        const double unit = sys->kind[j] == TML_COORDINATE_TRANSLATION ? 1 : sys->length;
        s->moved->u[j] += tol * s->velocity / unit;
        add_change(s, sim, sum);
        s->moved->u[j] = x->u[j];
    }
    for (int i = 0; i < sys->nz; i++) {
        const double scale = sys->state_scale ? sys->state_scale[i] : 1;
        s->moved->z[i] += s->atol * scale + s->rtol * fabs(x->z[i]);
        add_change(s, sim, sum);
        s->moved->z[i] = x->z[i];
    }
    for (int j = 0; j < mechanical; j++) {
        d[j] = s->step[j];
        sys->ops->retract(sys->self, x->q, d, s->moved->q);
        d[j] = 0;
        tmli_mb_set_poses(sim->model, sim->work, s->moved->q);
        add_change(s, sim, sum);
    }
    tmli_mb_set_poses(sim->model, sim->work, x->q);
    for (int i = 0; i < outputs; i++) s->size[i] = fmax(s->size[i], sum[i]);
    tmli_free(&sys->env, sum);
    return TML_OK;
}

void tmli_sensitivity_clear(tmli_sensitivity *s)
{
    if (s->sys) {
        tml_state_destroy(s->moved, s->sys);
        tmli_free(&s->sys->env, s->size);
    }
    *s = (tmli_sensitivity){.rtol = s->rtol, .atol = s->atol};
}

// ---- scales -----------------------------------------------------------------------------------------------

typedef struct judge {
    const tmli_judgement *in;
    const tmli_signals *signals;
    tmli_scales scales;
    double energy, force;  // largest change of an energy [J]; least scale of a reaction or force [N]
    double *nominal;       // (n) of outputs: the sensitivity; of states: the nominal magnitude; else 0
} judge;

static double largest_of(const judge *g, int i)
{
    const tmli_signals *s = g->signals;
    double x = 0;
    const int first = i - s->component[i];
    for (int k = first; k < first + s->width[i]; k++) x = fmax(x, g->scales.own[k]);
    return x;
}

// Largest change of the energies: the zero of the potential is arbitrary. At rest it is that of a motion by
// TMLI_INPUT_ERROR of a length over the run.
static double find_energy_scale(const tmli_samples *r)
{
    const tmli_signals *s = r->signals;
    const double span = r->rows > 1 ? r->values[(r->rows - 1) * (size_t)s->n] - r->values[0] : 0;
    double scale = span > 0 ? TMLI_INPUT_ERROR * s->mass * pow(s->length / span, 2) : 0;
    for (int i = 0; i < s->n; i++) {
        if (s->kind[i] != TML_SIGNAL_ENERGY) continue;
        for (size_t k = 0; k < r->rows; k++)
            scale = fmax(scale, fabs(r->values[k * (size_t)s->n + (size_t)i] - r->values[i]));
        if (strcmp(s->name[i], "energy.kinetic") == 0) scale = fmax(scale, r->values[i]);
    }
    return scale;
}

// Largest force [N] of springs, contacts and drivers, torques over the length; scales.force has the reactions
// of joints. A reaction that is nothing beside them is not measured by its own size.
static double find_largest_force(const judge *g)
{
    const tmli_signals *s = g->signals;
    double most = g->scales.force;
    for (int i = 0; i < s->n; i++) {
        if (s->kind[i] != TML_SIGNAL_FORCE && s->kind[i] != TML_SIGNAL_REACTION) continue;
        const tmli_quantity q = tmli_quantity_of(s->unit[i]);
        if (q == TMLI_QUANTITY_FORCE) most = fmax(most, g->scales.own[i]);
        if (q == TMLI_QUANTITY_MOMENT) most = fmax(most, g->scales.own[i] / s->length);
    }
    return most;
}

static bool is_length(const tmli_signals *s, int i)
{
    return tmli_quantity_of(s->unit[i]) == TMLI_QUANTITY_LENGTH;
}

static double scale_of(const judge *g, int i)
{
    const tmli_signals *s = g->signals;
    const double L = s->length, own = largest_of(g, i), V = g->scales.velocity;
    const bool moment = tmli_quantity_of(s->unit[i]) == TMLI_QUANTITY_MOMENT;
    switch ((tml_signal_kind)s->kind[i]) {
    case TML_SIGNAL_POSITION: return L;
    case TML_SIGNAL_ORIENTATION: return 1;
    case TML_SIGNAL_VELOCITY: return V;
    case TML_SIGNAL_ANGULAR_VELOCITY: return V / L;
    case TML_SIGNAL_COORDINATE: return s->angle[i] ? 1 : is_length(s, i) ? L : own;
    case TML_SIGNAL_FORCE:
        if (s->angle[i] || is_length(s, i)) return s->angle[i] ? 1 : L;
        return fmax(own, g->force * (moment ? L : 1));
    case TML_SIGNAL_REACTION: return fmax(own, g->force * (moment ? L : 1));
    case TML_SIGNAL_ENERGY: return g->energy;
    case TML_SIGNAL_STATE: return fmax(own, g->nominal[i]);
    case TML_SIGNAL_OUTPUT:
    case TML_SIGNAL_EVENT:
    case TML_SIGNAL_KINDS: break;
    }
    return own;
}

static tml_status init(judge *g, const tmli_judgement *in, tml_error *err)
{
    const tmli_signals *s = in->better->signals;
    *g = (judge){.in = in, .signals = s};
    tml_status st = tmli_scales_init(&g->scales, in->better, err);
    if (st != TML_OK) return st;
    g->energy = find_energy_scale(in->better);
    // a moving mass needs a force of the size of its kinetic energy over its path
    g->force = MIN_FORCE_SCALE * fmax(find_largest_force(g), g->energy / s->length);
    g->nominal = tmli_calloc(&s->env, (size_t)s->n + 1, sizeof *g->nominal);
    if (!g->nominal) return tmli_no_memory(err, "verification");
    int outputs = 0, states = 0;
    for (int i = 0; i < s->n; i++) {
        if (s->kind[i] == TML_SIGNAL_OUTPUT)
            g->nominal[i] = in->output_sensitivity ? in->output_sensitivity[outputs++] : 0;
        if (s->kind[i] == TML_SIGNAL_STATE) g->nominal[i] = in->state_scale ? in->state_scale[states++] : 1;
    }
    return TML_OK;
}

static void clear(judge *g)
{
    tmli_scales_clear(&g->scales, &g->signals->env);
    tmli_free(&g->signals->env, g->nominal);
}

// ---- errors -----------------------------------------------------------------------------------------------

// What channel i is allowed where the reference has the value y; see compare.h.
static double allowed_at(const judge *g, int i, double scale, double y)
{
    const tmli_signals *s = g->signals;
    const double rtol = g->in->rtol, atol = g->in->atol, tol = fmax(rtol, atol);
    const double moved = fabs(y - g->in->better->values[i]);
    const double roundoff = TMLI_ROUNDOFF * g->scales.own[i];
    switch (s->kind[i]) {
    case TML_SIGNAL_POSITION: return atol * s->length + rtol * moved + roundoff;
    case TML_SIGNAL_ORIENTATION: return atol;
    case TML_SIGNAL_COORDINATE:
    case TML_SIGNAL_FORCE:
        if (s->angle[i] || is_length(s, i)) return atol * scale + rtol * moved + roundoff;
        return tol * scale;
    case TML_SIGNAL_STATE: return atol * g->nominal[i] + rtol * g->scales.own[i];
    case TML_SIGNAL_OUTPUT: return tol * scale + g->nominal[i];
    default: return tol * scale + roundoff;
    }
}

typedef struct measured {
    double difference, t;   // largest
    double ratio, ratio_t;  // largest, over what is allowed
    int times, unmatched;   // output times compared, and those that the other run does not have
    int jumps;              // times at which the signal jumps: not compared
} measured;

// How much the time of an event may differ at t [s].
static double allowed_time(const judge *g, double t)
{
    const double since = fabs(t - g->in->better->values[0]);
    return g->in->rtol * since + g->in->atol * fmin(g->signals->length / g->scales.velocity, since) +
           TMLI_ROUNDOFF * fabs(t);
}

// Forces, and outputs, which may show them, jump at discontinuities: a row there has the value of either
// side, and runs whose discontinuities are as near as the tolerance asks may have different ones.
static bool jumps_at(const judge *g, const tmli_samples *a, const tmli_samples *b, int i, double t)
{
    const tmli_signals *s = g->signals;
    const bool force = s->kind[i] == TML_SIGNAL_FORCE && !s->angle[i] && !is_length(s, i);
    if (!force && s->kind[i] != TML_SIGNAL_REACTION && s->kind[i] != TML_SIGNAL_OUTPUT) return false;
    const double slack = allowed_time(g, t) + g->in->slack;
    return tmli_samples_jump_at(a, t, slack) && tmli_samples_jump_at(b, t, slack);
}

// Velocities, and what follows from accelerations, are promised on the time scale of the motion alone.
static bool is_slow(const tmli_signals *s, int i)
{
    switch (s->kind[i]) {
    case TML_SIGNAL_VELOCITY:
    case TML_SIGNAL_ANGULAR_VELOCITY:
    case TML_SIGNAL_REACTION:
    case TML_SIGNAL_OUTPUT: return true;
    case TML_SIGNAL_FORCE: return !s->angle[i] && !is_length(s, i);
    default: return false;
    }
}

// Errors of channel i between two runs at their common times; slow: rows of the reference, which is one of
// them, moved by the slow part of the difference.
static measured measure(const judge *g, const tmli_samples *a, const tmli_samples *b,
                        const tmli_samples *slow, double scale, int i)
{
    const tmli_signals *s = g->signals;
    const bool orientation = s->kind[i] == TML_SIGNAL_ORIENTATION, fades = is_slow(s, i);
    const size_t n = (size_t)s->n;
    const double last = b->values[n * (b->rows - 1)];
    measured m = {.t = a->values[0], .ratio_t = a->values[0]};
    size_t from = 0, from_slow = 0;
    for (size_t k = 0; k < a->rows; k++) {
        const double *x = a->values + k * n, *y = tmli_samples_at(b, x[0], g->in->slack, &from);
        if (!y) {  // the last row of a run that an event has ended is at a time of its own
            m.unmatched += k + 1 < a->rows && x[0] < last;
            continue;
        }
        m.times++;
        if (jumps_at(g, a, b, i, x[0])) {
            m.jumps++;
            continue;
        }
        const double d = orientation ? tmli_quaternion_angle(x + i, y + i) : fabs(x[i] - y[i]);
        const double *moved = fades ? tmli_samples_at(slow, x[0], g->in->slack, &from_slow) : NULL;
        const double counts = moved ? fabs(moved[i] - (a == g->in->better ? x : y)[i]) : d;
        double ratio = counts > 0 ? counts / allowed_at(g, i, scale, y[i]) : 0;
        if (isnan(d) || isnan(counts)) ratio = INFINITY;
        if (d > m.difference || (isnan(d) && !isnan(m.difference))) m.difference = d, m.t = x[0];
        if (ratio > m.ratio) m.ratio = ratio, m.ratio_t = x[0];
    }
    return m;
}

static double digits_of(double difference, double scale)
{
    if (isnan(difference)) return 0;
    if (!(difference > 0)) return DBL_DIG + 1;
    return fmin(fmax(-log10(difference / scale), 0), DBL_DIG + 1);
}

// "rod.q0" gives "rod.orientation"
static const char *orientation_name(tmli_arena *arena, const char *channel)
{
    const char *dot = strrchr(channel, '.');
    const size_t length = dot ? (size_t)(dot - channel) : strlen(channel);
    return tmli_arena_format(arena, "%.*s.orientation", (int)length, channel);
}

static tml_status judge_signal(const judge *g, tmli_arena *arena, int i, tml_verification *v, tml_error *err)
{
    const tmli_signals *s = g->signals;
    const bool orientation = s->kind[i] == TML_SIGNAL_ORIENTATION;
    tml_verify_signal *out = &v->signals[v->signal_count++];
    out->kind = (tml_signal_kind)s->kind[i];
    out->name = orientation ? orientation_name(arena, s->name[i]) : tmli_arena_strdup(arena, s->name[i]);
    out->unit = orientation ? "rad" : tmli_arena_strdup(arena, s->unit[i]);
    if (!out->name || !out->unit) return tmli_no_memory(err, "verification");
    out->judged = s->unique[i];
    out->scale = scale_of(g, i);
    const measured m = measure(g, g->in->asked, g->in->better, g->in->asked_slow, out->scale, i);
    out->difference = m.difference;
    out->t = m.t;
    out->ratio = m.ratio;
    out->ratio_t = m.ratio_t;
    out->digits = digits_of(m.difference, out->scale);
    if (g->in->check->rows > 0)
        out->doubt = g->in->check_share *
                     measure(g, g->in->better, g->in->check, g->in->check_slow, out->scale, i).ratio;
    v->output_times = m.times;
    v->unmatched = m.unmatched;
    if (m.jumps > v->jumps) v->jumps = m.jumps;
    return TML_OK;
}

// ---- the event that ended the runs ------------------------------------------------------------------------

static bool same_event(const tml_verify_run *a, const tml_verify_run *b)
{
    return a->event && b->event ? strcmp(a->event, b->event) == 0 : a->event == b->event;
}

static double event_ratio(const judge *g, const tml_verify_run *a, const tml_verify_run *b)
{
    return same_event(a, b) ? fabs(a->t - b->t) / allowed_time(g, b->t) : INFINITY;
}

static void judge_event(const judge *g, tml_verification *v)
{
    if (!v->asked.event && !v->better.event) return;
    tml_verify_signal *out = &v->signals[v->signal_count++];
    out->kind = TML_SIGNAL_EVENT;
    out->name = v->better.event ? v->better.event : v->asked.event;
    out->unit = "s";
    out->judged = true;
    out->difference = fabs(v->asked.t - v->better.t);
    out->t = out->ratio_t = fmin(v->asked.t, v->better.t);
    out->scale = v->better.t - g->in->better->values[0];
    out->digits = same_event(&v->asked, &v->better) ? digits_of(out->difference, out->scale) : 0;
    out->ratio = event_ratio(g, &v->asked, &v->better);
    if (g->in->check->rows > 0) out->doubt = g->in->check_share * event_ratio(g, &v->better, &v->check);
}

// ---- all of it --------------------------------------------------------------------------------------------

static int by_digits(const void *a, const void *b)
{
    const tml_verify_signal *x = a, *y = b;
    if (x->digits != y->digits) return x->digits < y->digits ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void find_largest(tml_verification *v)
{
    v->ratio = v->doubt = 0;
    v->ratio_name = v->doubt_name = NULL;
    for (int i = 0; i < v->signal_count; i++) {
        const tml_verify_signal *s = &v->signals[i];
        if (!s->judged) continue;
        if (s->ratio > v->ratio) v->ratio = s->ratio, v->ratio_t = s->ratio_t, v->ratio_name = s->name;
        if (s->doubt > v->doubt) v->doubt = s->doubt, v->doubt_name = s->name;
    }
}

tml_status tmli_judge(const tmli_judgement *in, tmli_arena *arena, tml_verification *v, tml_error *err)
{
    judge g;
    tml_status st = init(&g, in, err);
    const tmli_signals *s = g.signals;
    v->signal_count = v->jumps = 0;
    v->signals = tmli_arena_alloc(arena, (size_t)s->n + 1, sizeof *v->signals);
    if (!v->signals && st == TML_OK) st = tmli_no_memory(err, "verification");
    for (int i = 0; i < s->n && st == TML_OK; i++)
        if (s->kind[i] != TMLI_SIGNAL_NONE && !(s->kind[i] == TML_SIGNAL_ORIENTATION && s->component[i] != 0))
            st = judge_signal(&g, arena, i, v, err);
    if (st == TML_OK) {
        judge_event(&g, v);
        qsort(v->signals, (size_t)v->signal_count, sizeof *v->signals, by_digits);
        find_largest(v);
        v->length = s->length;
        v->confirmed = v->doubt <= REFERENCE_DOUBT;
        v->met = v->ratio <= 1 && v->unmatched == 0 && v->confirmed;
    }
    clear(&g);
    return st;
}
