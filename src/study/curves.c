// The curves of a run, sampled on the dense output of its steps; see curves.h.
#include "study/curves.h"
#include "sim/queries/step_observer.h"

#include <math.h>
#include <string.h>

#include "study/constants.h"

enum {
    FREE_HALVINGS = 5,   // of a step, whatever the distance of rows
    SMOOTH_HALVINGS = 6  // of this distance, for a curve that is smooth
};

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
        const bool channel = tmli_expr_nvars(q->expr) == 1 && tmli_expr_slot(q->expr, 0) < c->study->nused &&
                             strcmp(c->study->used[tmli_expr_slot(q->expr, 0)], q->of) == 0;
        c->curve[*place] = (tmli_study_curve){.expr = q->expr, .of = q->of, .channel = channel};
    }
    tmli_study_curve *k = &c->curve[*place];
    k->peak[0].wanted |= q->take == TMLI_TAKE_MAX || q->take == TMLI_TAKE_TIME_OF_MAX;
    k->peak[1].wanted |= q->take == TMLI_TAKE_MIN || q->take == TMLI_TAKE_TIME_OF_MIN;
    k->zero |= q->take == TMLI_TAKE_TIME_OF_ZERO;
    k->integral |= q->take == TMLI_TAKE_MEAN || q->take == TMLI_TAKE_RMS;
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
    if (!tmli_calloc_all(env, TMLI_ARRAY(c->x, (size_t)nvars + 1), TMLI_ARRAY(c->index, used),
                         TMLI_ARRAY(c->used, used), TMLI_ARRAY(c->curve, n), TMLI_ARRAY(c->of_quantity, n),
                         TMLI_ARRAY(c->end, 2 * n)))
        return tmli_no_memory(err, "study");
    memcpy(c->index, s->used_index, (size_t)s->nused * sizeof *c->index);
    for (int i = 0; i < s->nquantities; i++) add_quantity(c, &s->quantity[i], &c->of_quantity[i]);
    c->stack = tmli_calloc(env, (4 * TMLI_CURVE_DEPTH + 5) * ((size_t)c->count + 1), sizeof *c->stack);
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
    c->duration = run->end - run->start;
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
        k->left_zero = false;
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

double tmli_curve_unseen(const tmli_curves *c, const tmli_study_curve *k)
{
    return c->tolerance * tmli_curve_range(k) + TMLI_FEW_ROUNDOFFS * fmax(fabs(k->low), fabs(k->high));
}

// The parabola through samples 0, 2 and 4 misses the others.
static bool is_crooked(const tmli_curves *c, const tmli_study_curve *k, const double f[5])
{
    double low = f[0], high = f[0];
    for (int i = 1; i < 5; i++) {
        low = fmin(low, f[i]);
        high = fmax(high, f[i]);
    }
    const double miss =
        fmax(fabs(f[1] - (3 * f[0] + 6 * f[2] - f[4]) / 8), fabs(f[3] - (3 * f[4] + 6 * f[2] - f[0]) / 8));
    return miss > ROUGH_SHARE * (high - low) && miss > tmli_curve_unseen(c, k);
}

// The largest second and third differences of five samples, and the fourth. Of a smooth curve, with w dt of
// its phase between two samples, they are of the size (w dt)^2, (w dt)^3 and (w dt)^4; at a kink and at a
// jump they are alike.
typedef struct differences {
    double second, third, fourth;
} differences;

static differences find_differences(const double f[5])
{
    differences out = {0};
    double d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = f[i] - 2 * f[i + 1] + f[i + 2];
        out.second = fmax(out.second, fabs(d[i]));
        if (i > 0) out.third = fmax(out.third, fabs(d[i] - d[i - 1]));
    }
    out.fourth = fabs(d[0] - 2 * d[1] + d[2]);
    return out;
}

// Ratio of differences, at most 1.
static double ratio_of(double higher, double lower) { return lower > 0 ? fmin(higher / lower, 1) : 0; }

// The error of Boole's rule over samples dt apart: that of a kink or a jump is at most about dt D3/3, that
// of a smooth curve 8/945 dt (w dt)^6, which D3 (D3/D2)^3 or, where D3 passes 0, D4^2/D2 exceeds.
static double integral_error(const differences *d, double dt)
{
    const double ratio = ratio_of(d->third, d->second);
    return dt * fmax(d->third * ratio * ratio * ratio, d->fourth * ratio_of(d->fourth, d->second)) / 3;
}

// Admitted is the part's share of a tolerance, and where there is a kink or a jump SINGLE_SHARE of all of it.
static bool misses_integral(const tmli_curves *c, const double f[5], double dt, double tolerance)
{
    const differences d = find_differences(f);
    const double single = d.third > KINK_SHARE * d.second ? SINGLE_SHARE * c->duration : 0;
    return integral_error(&d, dt) > tolerance * (ROUGH_SHARE * 4 * dt + single);
}

static bool is_inexact(const tmli_curves *c, const tmli_study_curve *k, const double f[5], double dt)
{
    if (!k->integral) return false;
    const double tolerance = tmli_curve_unseen(c, k), largest = fmax(fabs(k->low), fabs(k->high));
    double square[5];
    for (int i = 0; i < 5; i++) square[i] = f[i] * f[i];
    return misses_integral(c, f, dt, tolerance) || misses_integral(c, square, dt, largest * tolerance);
}

// A kink may hide a peak between the samples.
static bool hides_peak(const tmli_curves *c, const tmli_study_curve *k, const double f[5])
{
    const differences d = find_differences(f);
    bool hides = false;
    for (int side = 0; side < 2; side++) {
        const double sign = side ? -1 : 1;
        double best = sign * f[0];
        for (int i = 1; i < 5; i++) best = fmax(best, sign * f[i]);
        hides |= k->peak[side].wanted && !(best + d.second <= sign * k->peak[side].value);
    }
    return hides && d.third > KINK_SHARE * d.second && d.second > tmli_curve_unseen(c, k);
}

// Samples of a part of a step: of all curves at its ends and its middle, f[0], f[2], f[4], and between them.
typedef struct part {
    double t0, dt;  // 4 dt long
    const double *f[5];
} part;

static void take_samples(const part *p, int i, double five[5])
{
    for (int k = 0; k < 5; k++) five[k] = p->f[k][i];
}

static bool is_rough(const tmli_curves *c, const part *p, int i)
{
    const tmli_study_curve *k = &c->curve[i];
    double five[5];
    take_samples(p, i, five);
    return (!k->channel && p->dt > c->finest) || is_crooked(c, k, five) || is_inexact(c, k, five, p->dt) ||
           hides_peak(c, k, five);
}

// One half of a part, with its samples at f1 and f1 + count.
static tml_status halve(tmli_curves *c, tml_sim *sim, const part *whole, int half, double *f1, part *out,
                        tml_error *err)
{
    double *const f3 = f1 + c->count;
    const int i = 2 * half;
    *out = (part){
        whole->t0 + i * whole->dt, whole->dt / 2, {whole->f[i], f1, whole->f[i + 1], f3, whole->f[i + 2]}};
    tml_status st = sample_all(c, sim, out->t0 + out->dt, f1, err);
    if (st == TML_OK) st = sample_all(c, sim, out->t0 + 3 * out->dt, f3, err);
    return st;
}

// A part is halved for a curve that is rough there. Beyond the distance of rows this goes on where it helps:
// a kink or a jump is in one of the halves, and a smooth curve becomes so much better. Noise does not.
static bool helps(const tmli_curves *c, const part *p, const part half[2], int i)
{
    const bool near = p->dt > ldexp(c->finest, -SMOOTH_HALVINGS);
    double five[5], error = 0;
    differences d;
    for (int k = 0; k < 2; k++) {
        take_samples(&half[k], i, five);
        d = find_differences(five);
        error += integral_error(&d, half[k].dt);
        const bool smooth = near && d.third <= KINK_SHARE * d.second;
        if (smooth || !is_rough(c, &half[k], i)) return true;
    }
    take_samples(p, i, five);
    d = find_differences(five);
    return CONVERGES * error < integral_error(&d, p->dt);
}

// The step, or a part of it.
static tml_status examine(tmli_curves *c, tml_sim *sim, const part *p, int depth, tml_error *err)
{
    double *const samples = c->stack + (size_t)(4 * depth + 5) * (size_t)c->count;
    tml_status st = TML_OK;
    bool divide = false;
    part half[2];
    for (int i = 0; i < c->count && !divide && depth + 1 < TMLI_CURVE_DEPTH; i++) divide = is_rough(c, p, i);
    for (int i = 0; i < 2 && divide && st == TML_OK; i++)
        st = halve(c, sim, p, i, samples + (size_t)(2 * i) * (size_t)c->count, &half[i], err);
    if (divide && !(p->dt > c->finest || depth < FREE_HALVINGS)) {
        divide = false;
        for (int i = 0; i < c->count && !divide && st == TML_OK; i++)
            divide = is_rough(c, p, i) && helps(c, p, half, i);
    }
    for (int i = 0; i < 2 && divide && st == TML_OK; i++) st = examine(c, sim, &half[i], depth + 1, err);
    for (int i = 0; i < c->count && !divide && st == TML_OK; i++) {
        tmli_curve_search s = {c, sim, &c->curve[i], err, TML_OK};
        double five[5];
        take_samples(p, i, five);
        take_part(&s, p->t0, p->dt, five);
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

// A step that is shorter than the distance of rows: the line through the last two samples misses the one at
// its end by so much that a kink or a jump within it would matter.
static bool is_doubtful(const tmli_curves *c, double t1, const double *end)
{
    const double h = t1 - c->t[0], slope = h / (c->t[0] - c->t[1]),
                 share = ROUGH_SHARE * h + SINGLE_SHARE * c->duration;
    for (int i = 0; i < c->count; i++) {
        const tmli_study_curve *k = &c->curve[i];
        const double now = k->before[0], miss = fabs(end[i] - now - slope * (now - k->before[1])),
                     tolerance = tmli_curve_unseen(c, k);
        if (k->integral && miss * h / 2 > share * tolerance) return true;
        for (int side = 0; side < 2; side++) {
            const double sign = side ? -1 : 1, best = fmax(sign * now, sign * end[i]) + miss;
            if (k->peak[side].wanted && miss > tolerance && best > sign * k->peak[side].value) return true;
        }
    }
    return false;
}

// Such a step: its end is enough, together with the last two samples.
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
        if (k->left_zero && isnan(k->zero_at) && k->before[0] * f0[i] < 0) k->zero_at = t0;
    }
    return st;
}

tml_status tmli_curves_step(tml_sim *sim, double t0, double t1, bool ends, void *user, tml_error *err)
{
    tmli_curves *c = user;
    if (c->count == 0 || !(t1 > t0)) return TML_OK;
    double *const f0 = c->stack, *const f1 = f0 + c->count, *const f2 = f1 + c->count,
                  *const f3 = f2 + c->count, *const f4 = f3 + c->count;
    const part step = {t0, (t1 - t0) / 4, {f0, f1, f2, f3, f4}};
    const bool is_short = !c->jumped && !isnan(c->t[1]) && t1 - t0 < c->finest;
    tml_status st = TML_OK;
    if (c->jumped) st = take_start(c, sim, t0, f0, err);
    else
        for (int i = 0; i < c->count; i++) f0[i] = c->curve[i].before[0];
    if (st == TML_OK) st = sample_all(c, sim, t1, f4, err);
    if (st == TML_OK && is_short && !is_doubtful(c, t1, f4)) {
        st = take_short(c, sim, t1, f4, err);
    } else {
        if (st == TML_OK) st = sample_all(c, sim, t0 + step.dt, f1, err);
        if (st == TML_OK) st = sample_all(c, sim, t0 + 2 * step.dt, f2, err);
        if (st == TML_OK) st = sample_all(c, sim, t0 + 3 * step.dt, f3, err);
        if (st == TML_OK) st = examine(c, sim, &step, 0, err);
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
