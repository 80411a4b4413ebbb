// Rows of results: signals sorted by kind, recorded rows, and the errors of compare.h between two rows.
#include "analysis/rank/dependence.h"
#include "base/quantity.h"
#include "compare/trial.h"
#include "result/reader.h"

#include <math.h>
#include <string.h>

#include "base/tolerances.h"
#include "compare/constants.h"

// ---- signals ----------------------------------------------------------------------------------------------

tml_status tmli_signals_init(tmli_signals *s, const tml_sim *sim, tml_error *err)
{
    const tml_channel *c = tml_sim_channels(sim);
    *s = (tmli_signals){.env = sim->env, .n = tml_sim_channel_count(sim), .length = sim->sys->length};
    s->arena.env = &s->env;
    const size_t n = (size_t)s->n + 1;
    bool ok =
        tmli_arena_alloc_all(&s->arena, TMLI_ARRAY(s->name, n), TMLI_ARRAY(s->unit, n),
                             TMLI_ARRAY(s->kind, n), TMLI_ARRAY(s->component, n), TMLI_ARRAY(s->width, n),
                             TMLI_ARRAY(s->angle, n), TMLI_ARRAY(s->unique, n), TMLI_ARRAY(s->fixed, n));
    const tml_status st = ok ? tml_sim_channel_values(sim, tml_sim_state(sim), s->fixed, err) : TML_OK;
    if (st != TML_OK) return st;
    for (int i = 0; sim->model && i < sim->model->nbodies; i++) s->mass += sim->model->node[i].mass;
    for (int i = 0; i < s->n && ok; i++) {
        s->name[i] = tmli_arena_strdup(&s->arena, c[i].name);
        s->unit[i] = tmli_arena_strdup(&s->arena, c[i].unit);
        s->kind[i] = sim->signal[i];
        s->component[i] = c[i].component;
        s->width[i] = c[i].width;
        s->angle[i] = tmli_quantity_of(c[i].unit) == TMLI_QUANTITY_ANGLE;
        s->unique[i] = !c[i].determined || c[i].determined == tmli_reaction_words[TML_REACTION_UNIQUE];
        if (!c[i].fixed) s->fixed[i] = NAN;
        ok = s->name[i] && s->unit[i];
    }
    return ok ? TML_OK : tmli_no_memory(err, "comparison");
}

void tmli_signals_clear(tmli_signals *s)
{
    if (s->arena.env) tmli_arena_clear(&s->arena);
}

// ---- rows -------------------------------------------------------------------------------------------------

tml_status tmli_samples_add(tmli_samples *r, const double *row, tml_error *err)
{
    const size_t n = (size_t)r->signals->n;
    if (r->rows == r->room) {
        const size_t room = 2 * r->room + 128;
        double *grown = tmli_regrow(&r->signals->env, r->values, r->rows, room, n * sizeof(double));
        if (!grown) return tmli_no_memory(err, "comparison");
        r->values = grown;
        r->room = room;
    }
    memcpy(r->values + n * r->rows++, row, n * sizeof(double));
    return TML_OK;
}

tml_status tmli_samples_add_state(tmli_samples *r, const tml_state *x, tml_error *err)
{
    if (!r->keeps) return TML_OK;
    if (r->states == r->state_room) {
        const size_t room = 2 * r->state_room + 128;
        tml_state **grown = tmli_regrow(&r->signals->env, r->state, r->states, room, sizeof *grown);
        if (!grown) return tmli_no_memory(err, "comparison");
        r->state = grown;
        r->state_room = room;
    }
    const tml_status st = tml_state_create(r->keeps, &r->state[r->states], err);
    if (st == TML_OK) tml_state_copy(r->state[r->states++], x);
    return st;
}

tml_status tmli_samples_add_jump(tmli_samples *r, double t, tml_error *err)
{
    if (r->jumps == r->jump_room) {
        const size_t room = 2 * r->jump_room + 32;
        double *grown = tmli_regrow(&r->signals->env, r->jump, r->jumps, room, sizeof(double));
        if (!grown) return tmli_no_memory(err, "comparison");
        r->jump = grown;
        r->jump_room = room;
    }
    r->jump[r->jumps++] = t;
    return TML_OK;
}

bool tmli_samples_jump_at(const tmli_samples *r, double t, double slack)
{
    size_t low = 0, high = r->jumps;  // the first jump at t - slack or later
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->jump[middle] < t - slack) low = middle + 1;
        else high = middle;
    }
    return low < r->jumps && r->jump[low] <= t + slack;
}

void tmli_samples_clear(tmli_samples *r)
{
    if (r->signals) {
        tmli_free_all(&r->signals->env, r->values, r->jump);
        for (size_t i = 0; i < r->states; i++) tml_state_destroy(r->state[i], r->keeps);
        tmli_free(&r->signals->env, r->state);
    }
    *r = (tmli_samples){.signals = r->signals};
}

tmli_samples tmli_samples_take(tmli_samples *r)
{
    const tmli_samples taken = *r;
    *r = (tmli_samples){.signals = r->signals};
    return taken;
}

const double *tmli_samples_at(const tmli_samples *r, double t, double slack, size_t *from)
{
    const size_t n = (size_t)r->signals->n;
    while (*from < r->rows && r->values[n * *from] < t - slack) ++*from;
    if (*from >= r->rows || r->values[n * *from] > t + slack) return NULL;
    return r->values + n * *from;
}

// The value of a channel that is not in the file: a component of a quaternion that no motion can change, if
// the others are there.
static double left_out(const tmli_signals *s, const int *column, int i)
{
    if (s->kind[i] != TML_SIGNAL_ORIENTATION) return NAN;
    const int *quaternion = column + i - s->component[i];
    for (int k = 0; k < s->width[i]; k++)
        if (quaternion[k] >= 0) return s->fixed[i];
    return NAN;
}

tml_status tmli_samples_copy(tmli_samples *r, const tml_result *file, const char *path, tml_error *err)
{
    const tmli_signals *s = r->signals;
    int *column = tmli_calloc(&s->env, (size_t)s->n + 1, sizeof *column);
    double *row = tmli_calloc(&s->env, (size_t)s->n + 1, sizeof *row);
    tml_status st = column && row ? TML_OK : tmli_no_memory(err, "comparison");
    int found = 0;
    for (int i = 0; i < s->n && st == TML_OK; i++) {
        column[i] = tmli_result_column(file, s->name[i]);
        found += column[i] >= 0 && s->kind[i] >= 0 && s->kind[i] <= TML_SIGNAL_REACTION;
    }
    if (st == TML_OK && column[0] < 0)
        st = tmli_fail(err, TML_ERR_NAME, "The reference '%s' has no column 't'.", path);
    if (st == TML_OK && !found)
        st = tmli_fail(
            err, TML_ERR_NAME,
            "The reference '%s' has no column of this model's bodies or joints (the first would be '%s').",
            path, s->n > 1 ? s->name[1] : "t");
    for (size_t k = 0; k < file->nrows && st == TML_OK; k++) {
        const double *values = file->values + k * (size_t)file->ncols;
        for (int i = 0; i < s->n && st == TML_OK; i++) {
            row[i] = column[i] >= 0 ? values[column[i]] : left_out(s, column, i);
            if (column[i] >= 0 && !isfinite(row[i]))
                st = tmli_fail(err, TML_ERR_NAN,
                               "The reference '%s': '%s' is not a finite number in row %zu (t = %g s).", path,
                               s->name[i], k + 1, row[0]);
        }
        if (st != TML_OK) break;
        if (k > 0 && !(row[0] >= r->values[(k - 1) * (size_t)s->n]))
            st =
                tmli_fail(err, TML_ERR_SYNTAX, "The reference '%s': time decreases in row %zu.", path, k + 1);
        if (st == TML_OK) st = tmli_samples_add(r, row, err);
    }
    tmli_free_all(&s->env, column, row);
    return st;
}

tml_status tmli_samples_read(tmli_samples *r, const char *path, tml_error *err)
{
    const tml_env *env = &r->signals->env;
    tmli_result *file = NULL;
    tml_status st = tml_result_open(path, env, &file, err);
    if (st == TML_OK) st = tmli_samples_copy(r, file, path, err);
    tmli_result_destroy(file);
    return st;
}

// ---- errors -----------------------------------------------------------------------------------------------

tml_status tmli_scales_init(tmli_scales *out, const tmli_samples *r, tml_error *err)
{
    const tmli_signals *s = r->signals;
    *out = (tmli_scales){.own = tmli_calloc(&s->env, (size_t)s->n + 1, sizeof(double))};
    if (!out->own) return tmli_no_memory(err, "comparison");
    for (size_t k = 0; k < r->rows; k++)
        for (int i = 0; i < s->n; i++) {
            const double x = fabs(r->values[k * (size_t)s->n + (size_t)i]);
            if (isnan(x)) continue;
            out->own[i] = fmax(out->own[i], x);
            if (s->kind[i] == TML_SIGNAL_VELOCITY) out->velocity = fmax(out->velocity, x);
            if (s->kind[i] == TML_SIGNAL_ANGULAR_VELOCITY) out->velocity = fmax(out->velocity, s->length * x);
            if (s->kind[i] != TML_SIGNAL_REACTION || s->width[i] == 1) continue;
            out->force =
                fmax(out->force, tmli_quantity_of(s->unit[i]) == TMLI_QUANTITY_FORCE ? x : x / s->length);
        }
    // Velocities of a model at rest are round-off, or vibrations that move nothing: what matters is how far
    // they would move it in the run.
    const double span = r->rows > 1 ? r->values[(r->rows - 1) * (size_t)s->n] - r->values[0] : 0;
    if (span > 0 && out->velocity <= TMLI_INPUT_ERROR * s->length / span) out->velocity = s->length / span;
    return TML_OK;
}

void tmli_scales_clear(tmli_scales *s, const tml_env *env)
{
    tmli_free(env, s->own);
    s->own = NULL;
}

double tmli_quaternion_angle(const double *a, const double *b)
{
    // vector part of conj(a) b: sin of half the angle, times |a| |b|
    const double x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
    const double y = a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1];
    const double z = a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0];
    const double w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    return 2 * atan2(sqrt(x * x + y * y + z * z), fabs(w));
}

static void raise(double *e, double x)
{
    if (isnan(x)) x = INFINITY;  // NaN counts as an infinite error
    if (isnan(*e) || x > *e) *e = x;
}

static double over(double x, double scale) { return x == 0 ? 0 : x / scale; }

void tmli_errors_add(const tmli_signals *s, const tmli_scales *scales, const double *row,
                     const double *reference, tml_errors *e)
{
    const double L = s->length, V = scales->velocity, F = scales->force;
    for (int i = 0; i < s->n; i++) {
        if (isnan(reference[i])) continue;
        const double d = fabs(row[i] - reference[i]);
        switch (s->kind[i]) {
        case TML_SIGNAL_POSITION: raise(&e->position, d / L); break;
        case TML_SIGNAL_ORIENTATION:
            if (s->component[i] == 0 && !isnan(reference[i + 1] + reference[i + 2] + reference[i + 3]))
                raise(&e->position, tmli_quaternion_angle(row + i, reference + i));
            break;
        case TML_SIGNAL_VELOCITY: raise(&e->velocity, over(d, V)); break;
        case TML_SIGNAL_ANGULAR_VELOCITY: raise(&e->velocity, over(L * d, V)); break;
        case TML_SIGNAL_REACTION:
            if (s->width[i] == 1)
                raise(&e->multiplier, over(d, fmax(scales->own[i], MIN_FORCE_SCALE * F * fmin(L, 1))));
            else
                raise(&e->multiplier,
                      over(tmli_quantity_of(s->unit[i]) == TMLI_QUANTITY_FORCE ? d : d / L, F));
            break;
        default: break;
        }
    }
}

int tmli_errors_between(const tmli_samples *a, const tmli_samples *reference, const tmli_scales *scales,
                        double slack, tml_errors *e)
{
    size_t from = 0;
    int count = 0;
    *e = (tml_errors){NAN, NAN, NAN};
    for (size_t k = 0; k < a->rows; k++) {
        const double *row = a->values + k * (size_t)a->signals->n;
        const double *other = tmli_samples_at(reference, row[0], slack, &from);
        if (!other) continue;
        tmli_errors_add(a->signals, scales, row, other, e);
        count++;
    }
    return count;
}
