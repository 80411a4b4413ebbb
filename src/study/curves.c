// The curves of a run, sampled on the dense output of its steps; see curves.h.
#include "study/curves.h"
#include "sim/queries/step_observer.h"

#include <math.h>
#include <string.h>

#include "study/constants.h"

enum { FREE_HALVINGS = 5 };  // of a step, whatever the distance of rows

// ---- memory -----------------------------------------------------------------------------------------------

static bool is_sampled(tmli_take take) { return take > TMLI_TAKE_INITIAL && take < TMLI_TAKE_EVENT_TIME; }

static int find_curve(const tmli_curves *c, const tmli_study_quantity *q)
{
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->curve[i].of, q->of) == 0) return i;
    return -1;
}

static void add_quantity(tmli_curves *c, const tmli_study_quantity *q, int *place)
{
    *place = is_sampled(q->take) ? find_curve(c, q) : -1;
    if (!is_sampled(q->take)) return;
    if (*place < 0) {
        *place = c->count++;
        c->curve[*place] = (tmli_study_curve){.expr = q->expr, .of = q->of};
    }
    tmli_study_curve *k = &c->curve[*place];
    k->peak[0].wanted |= q->take == TMLI_TAKE_MAX || q->take == TMLI_TAKE_TIME_OF_MAX;
    k->peak[1].wanted |= q->take == TMLI_TAKE_MIN || q->take == TMLI_TAKE_TIME_OF_MIN;
    k->zero |= q->take == TMLI_TAKE_TIME_OF_ZERO;
}

double tmli_curve_take(const tmli_study_curve *k, tmli_take take)
{
    switch (take) {
    case TMLI_TAKE_MIN: return k->peak[1].value;
    case TMLI_TAKE_MAX: return k->peak[0].value;
    case TMLI_TAKE_TIME_OF_MIN: return k->peak[1].at;
    case TMLI_TAKE_TIME_OF_MAX: return k->peak[0].at;
    case TMLI_TAKE_MEAN: return k->span > 0 ? k->sum / k->span : NAN;
    case TMLI_TAKE_RMS: return k->span > 0 ? sqrt(fmax(k->squares, 0) / k->span) : NAN;
    default: return k->zero_at;
    }
}

tml_status tmli_curves_init(tmli_curves *c, const tml_study *s, tml_error *err)
{
    const tml_env *env = &s->env;
    const size_t n = (size_t)s->nquantities + 1, used = (size_t)s->nused + 1;
    int nvars = 0;
    for (int i = 0; i < s->nquantities; i++)
        if (s->quantity[i].expr && tmli_expr_nvars(s->quantity[i].expr) > nvars)
            nvars = tmli_expr_nvars(s->quantity[i].expr);
    *c = (tmli_curves){.study = s};
    c->x = tmli_calloc(env, (size_t)nvars + 1, sizeof *c->x);
    c->index = tmli_calloc(env, used, sizeof *c->index);
    c->used = tmli_calloc(env, used, sizeof *c->used);
    c->curve = tmli_calloc(env, n, sizeof *c->curve);
    c->of_quantity = tmli_calloc(env, n, sizeof *c->of_quantity);
    c->end = tmli_calloc(env, 2 * n, sizeof *c->end);
    if (!c->x || !c->index || !c->used || !c->curve || !c->of_quantity || !c->end)
        return tmli_no_memory(err, "study");
    memcpy(c->index, s->used_index, (size_t)s->nused * sizeof *c->index);
    for (int i = 0; i < s->nquantities; i++) add_quantity(c, &s->quantity[i], &c->of_quantity[i]);
    c->stack = tmli_calloc(env, (2 * TMLI_CURVE_DEPTH + 4) * ((size_t)c->count + 1), sizeof *c->stack);
    return c->stack ? TML_OK : tmli_no_memory(err, "study");
}

static void drop_state(tmli_curves *c, tml_state **x)
{
    if (*x) tml_state_destroy(*x, c->sys);
    *x = NULL;
}

void tmli_curves_release(tmli_curves *c)
{
    drop_state(c, &c->sample);
    drop_state(c, &c->first);
    drop_state(c, &c->last);
    for (int i = 0; i < c->count; i++)
        for (int side = 0; side < 2; side++) drop_state(c, &c->curve[i].peak[side].x);
}

void tmli_curves_clear(tmli_curves *c)
{
    if (!c->study) return;
    const tml_env *env = &c->study->env;
    tmli_curves_release(c);
    tmli_free_all(env, c->channel, c->x, c->index, c->used, c->curve, c->of_quantity, c->end, c->stack);
}

// ---- a simulation -----------------------------------------------------------------------------------------

// Channels stand where they stood in the last simulation, unless a parameter has changed how many bodies
// there are.
static tml_status find_channels(tmli_curves *c, const tml_sim *sim, tml_error *err)
{
    const tml_study *s = c->study;
    const int count = tml_sim_channel_count(sim);
    for (int i = 0; i < s->nused; i++) {
        const int k = c->index[i];
        if (k < count && strcmp(tml_sim_channels(sim)[k].name, s->used[i]) == 0) continue;
        c->index[i] = tml_sim_channel_index(sim, s->used[i], err);
        if (c->index[i] < 0) {
            c->index[i] = 0;
            return TML_ERR_NAME;
        }
    }
    if (count <= c->nchannels) return TML_OK;
    tmli_free(&s->env, c->channel);
    c->channel = tmli_calloc(&s->env, (size_t)count, sizeof *c->channel);
    c->nchannels = c->channel ? count : 0;
    return c->channel ? TML_OK : tmli_no_memory(err, "study");
}

// Some channel of the expression needs more than positions and velocities.
static bool needs_rows(const tmli_curves *c, const tml_sim *sim, const tmli_expr *e)
{
    bool rows = false;
    for (int k = 0; k < tmli_expr_nvars(e); k++) {
        const int slot = tmli_expr_slot(e, k);
        rows |= slot < TMLI_SLOT_PARAMETER && !tmli_sim_is_motion(sim, c->index[slot]);
    }
    return rows;
}

static tml_status create_states(tmli_curves *c, const tml_sim *sim, tml_error *err)
{
    if (c->sample) return TML_OK;
    c->sys = tml_sim_system(sim);
    tml_status st = tml_state_create(c->sys, &c->sample, err);
    if (st == TML_OK && c->study->needs_modes) st = tml_state_create(c->sys, &c->first, err);
    if (st == TML_OK && c->study->needs_modes) st = tml_state_create(c->sys, &c->last, err);
    for (int i = 0; i < c->count; i++)
        for (int side = 0; side < 2 && st == TML_OK; side++)
            if (c->curve[i].peak[side].wanted) st = tml_state_create(c->sys, &c->curve[i].peak[side].x, err);
    return st;
}

tml_status tmli_curves_begin(tmli_curves *c, const tml_sim *sim, const double *parameters, double rows,
                             tml_error *err)
{
    const tml_study *s = c->study;
    const tml_run_def *run = tml_sim_settings(sim);
    c->parameters = parameters;
    c->finest = rows;
    c->tolerance = run->rtol;
    c->t_last = c->t[0] = c->t[1] = NAN;
    c->rows = false;
    c->ends_need_rows = s->needs_modes;
    c->jumped = true;
    const tml_status st = find_channels(c, sim, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < c->count; i++) {
        tmli_study_curve *k = &c->curve[i];
        c->rows |= needs_rows(c, sim, k->expr);
        k->low = INFINITY;
        k->high = -INFINITY;
        k->span = k->sum = k->squares = 0;
        k->zero_at = k->gap = k->before[0] = k->before[1] = NAN;
        for (int side = 0; side < 2; side++) k->peak[side].value = k->peak[side].at = NAN;
    }
    for (int i = 0; i < s->nquantities; i++)
        if (s->quantity[i].take <= TMLI_TAKE_INITIAL)
            c->ends_need_rows |= needs_rows(c, sim, s->quantity[i].expr);
    return create_states(c, sim, err);
}

// ---- samples ----------------------------------------------------------------------------------------------

double tmli_curves_evaluate(const tmli_curves *c, const tmli_expr *e, const double *quantities)
{
    for (int k = 0; k < tmli_expr_nvars(e); k++) {
        const int slot = tmli_expr_slot(e, k);
        c->x[k] = slot >= TMLI_SLOT_QUANTITY    ? quantities ? quantities[slot - TMLI_SLOT_QUANTITY] : NAN
                  : slot >= TMLI_SLOT_PARAMETER ? c->parameters[slot - TMLI_SLOT_PARAMETER]
                                                : c->used[slot];
    }
    return tmli_expr_eval(e, c->x);
}

static void read_motion(tmli_curves *c, const tml_sim *sim, const tml_state *x)
{
    for (int i = 0; i < c->study->nused; i++)
        if (tmli_sim_is_motion(sim, c->index[i])) c->used[i] = tmli_sim_motion_value(sim, x, c->index[i]);
}

tml_status tmli_curves_sample(tmli_curves *c, tml_sim *sim, double t, tml_error *err)
{
    if (!c->rows) {
        tmli_sim_sample(sim, t, false, c->sample);
        read_motion(c, sim, c->sample);
        return TML_OK;
    }
    tml_status st = tmli_sim_row_at(sim, t, c->sample, err);
    if (st == TML_OK) st = tml_sim_channel_values(sim, c->sample, c->channel, err);
    for (int i = 0; i < c->study->nused; i++) c->used[i] = c->channel[c->index[i]];
    return st;
}

// f (count): all curves at time t.
static tml_status sample_all(tmli_curves *c, tml_sim *sim, double t, double *f, tml_error *err)
{
    const tml_status st = tmli_curves_sample(c, sim, t, err);
    for (int i = 0; i < c->count; i++) {
        f[i] = tmli_curves_evaluate(c, c->curve[i].expr, NULL);
        if (!isfinite(f[i])) {
            c->curve[i].gap = fmin(c->curve[i].gap, t);
            continue;
        }
        c->curve[i].low = fmin(c->curve[i].low, f[i]);
        c->curve[i].high = fmax(c->curve[i].high, f[i]);
    }
    return st;
}

// ---- steps ------------------------------------------------------------------------------------------------

// A part of a step with five samples, a distance dt apart: Boole's rule, peaks, zeros.
static void take_part(tmli_curve_search *s, double t0, double dt, const double f[5])
{
    static const double weight[5] = {7, 32, 12, 32, 7};
    tmli_study_curve *k = s->k;
    double t[5], sum = 0, squares = 0;
    for (int i = 0; i < 5; i++) {
        t[i] = t0 + i * dt;
        sum += weight[i] * f[i];
        squares += weight[i] * f[i] * f[i];
    }
    if (isfinite(squares)) {
        k->span += 4 * dt;
        k->sum += 4 * dt * sum / 90;
        k->squares += 4 * dt * squares / 90;
    }
    for (int i = 0; i < 4; i++) tmli_curve_look_for_zero(s, t[i], f[i], t[i + 1], f[i + 1]);
    for (int side = 0; side < 2; side++) tmli_curve_look_for_peak(s, side, t, f, 5);
}

// The parabola through samples 0, 2 and 4 misses the others.
static bool is_rough(const tmli_curves *c, const tmli_study_curve *k, const double f[5])
{
    double low = f[0], high = f[0];
    for (int i = 1; i < 5; i++) {
        low = fmin(low, f[i]);
        high = fmax(high, f[i]);
    }
    const double miss =
        fmax(fabs(f[1] - (3 * f[0] + 6 * f[2] - f[4]) / 8), fabs(f[3] - (3 * f[4] + 6 * f[2] - f[0]) / 8));
    return miss > ROUGH_SHARE * (high - low) && miss > c->tolerance * tmli_curve_range(k);
}

// The part of a step from t0 on, 4 dt long, with samples (count) at its ends and its middle.
static tml_status examine(tmli_curves *c, tml_sim *sim, double t0, double dt, const double *const f[3],
                          int depth, tml_error *err)
{
    double *const f1 = c->stack + (size_t)(2 * depth + 3) * (size_t)c->count, *const f3 = f1 + c->count;
    bool rough = false;
    tml_status st = sample_all(c, sim, t0 + dt, f1, err);
    if (st == TML_OK) st = sample_all(c, sim, t0 + 3 * dt, f3, err);
    for (int i = 0; i < c->count && st == TML_OK; i++) {
        const double five[5] = {f[0][i], f1[i], f[1][i], f3[i], f[2][i]};
        rough = rough || is_rough(c, &c->curve[i], five);
    }
    const bool wide = dt > c->finest || depth < FREE_HALVINGS;
    if (st == TML_OK && rough && wide && depth + 1 < TMLI_CURVE_DEPTH) {
        st = examine(c, sim, t0, dt / 2, (const double *const[]){f[0], f1, f[1]}, depth + 1, err);
        if (st != TML_OK) return st;
        return examine(c, sim, t0 + 2 * dt, dt / 2, (const double *const[]){f[1], f3, f[2]}, depth + 1, err);
    }
    for (int i = 0; i < c->count && st == TML_OK; i++) {
        tmli_curve_search s = {c, sim, &c->curve[i], err, TML_OK};
        const double five[5] = {f[0][i], f1[i], f[1][i], f3[i], f[2][i]};
        take_part(&s, t0, dt, five);
        st = s.st;
    }
    return st;
}

// Integral over t[1] .. t[2] of the parabola through three points.
static double integral(const double t[3], double f0, double f1, double f2)
{
    const double g = t[1] - t[0], h = t[2] - t[1];
    const double bend = ((f2 - f1) / h - (f1 - f0) / g) / (g + h);
    return h * (f1 + f2) / 2 - bend * h * h * h / 6;
}

// A step that is shorter than the distance of rows: its end is enough, together with the last two samples.
static tml_status take_short(tmli_curves *c, tml_sim *sim, double t1, const double *end, tml_error *err)
{
    tml_status st = TML_OK;
    const double t[3] = {c->t[1], c->t[0], t1};
    for (int i = 0; i < c->count && st == TML_OK; i++) {
        tmli_study_curve *k = &c->curve[i];
        tmli_curve_search s = {c, sim, k, err, TML_OK};
        const double f[3] = {k->before[1], k->before[0], end[i]};
        const double sum = integral(t, f[0], f[1], f[2]),
                     squares = integral(t, f[0] * f[0], f[1] * f[1], f[2] * f[2]);
        if (isfinite(squares)) {
            k->span += t[2] - t[1];
            k->sum += sum;
            k->squares += squares;
        }
        tmli_curve_look_for_zero(&s, t[1], f[1], t[2], f[2]);
        for (int side = 0; side < 2; side++) tmli_curve_look_for_top(&s, side, t, f);
        st = s.st;
    }
    return st;
}

// The first sample after a jump, or of all. A curve that has jumped over 0 is 0 there.
static tml_status take_start(tmli_curves *c, tml_sim *sim, double t0, double *f0, tml_error *err)
{
    const tml_status st = sample_all(c, sim, t0, f0, err);
    for (int i = 0; i < c->count && st == TML_OK; i++) {
        tmli_study_curve *k = &c->curve[i];
        if (k->zero && isnan(k->zero_at) && k->before[0] * f0[i] < 0) k->zero_at = t0;
    }
    return st;
}

tml_status tmli_curves_step(tml_sim *sim, double t0, double t1, bool ends, void *user, tml_error *err)
{
    tmli_curves *c = user;
    if (c->count == 0 || !(t1 > t0)) return TML_OK;
    double *const f0 = c->stack, *const f2 = f0 + c->count, *const f4 = f2 + c->count;
    const bool is_short = !c->jumped && !isnan(c->t[1]) && t1 - t0 < c->finest;
    tml_status st = TML_OK;
    if (c->jumped) st = take_start(c, sim, t0, f0, err);
    else
        for (int i = 0; i < c->count; i++) f0[i] = c->curve[i].before[0];
    if (st == TML_OK) st = sample_all(c, sim, t1, f4, err);
    if (st == TML_OK && is_short) {
        st = take_short(c, sim, t1, f4, err);
    } else if (st == TML_OK) {
        st = sample_all(c, sim, t0 + (t1 - t0) / 2, f2, err);
        if (st == TML_OK)
            st = examine(c, sim, t0, (t1 - t0) / 4, (const double *const[]){f0, f2, f4}, 0, err);
    }
    for (int i = 0; i < c->count; i++) {
        c->curve[i].before[1] = f0[i];
        c->curve[i].before[0] = f4[i];
    }
    c->t[1] = t0;
    c->t[0] = t1;
    c->jumped = ends;
    return st;
}

void tmli_curves_settle(tmli_curves *c, tml_sim *sim)
{
    for (int i = 0; i < c->count && !c->rows; i++)
        for (int side = 0; side < 2; side++) {
            tmli_study_peak *p = &c->curve[i].peak[side];
            if (!p->wanted || isnan(p->value)) continue;
            tmli_sim_project_sample(sim, p->x);
            read_motion(c, sim, p->x);
            const double value = tmli_curves_evaluate(c, c->curve[i].expr, NULL);
            if (isfinite(value)) p->value = value;
        }
}
