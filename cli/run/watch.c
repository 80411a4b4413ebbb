// What the rows of a run show; see the header.
//
// The period of a motion x(t) is taken from its mean square velocity and its variance over the rows,
//
//   T = 2 pi sd(x) / rms(v),
//
// which is the period of a sine, and for other motions the mean of their periods weighted with the squared
// velocities. Both means are right also where the rows are too few to show the motion: each row has its
// velocity. A straight motion of constant speed has T = 1.8 times the time of the run. For the rotation of a
// body x is its rotation matrix R, with |dR/dt|^2 = 2 |omega|^2 and the variance 3 - |mean R|^2; a wheel at
// constant speed then has T = 2 pi/|omega|.
#include "watch.h"

#include "base/base.h"
#include "base/tolerances.h"
#include "math/math3.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_PER_PERIOD = 5,  // fewer show neither the period nor the amplitude
    WANTED_ROWS = 20,     // per period, which show both
    FEWEST_ROWS = 5,      // whoever asks for fewer wants the end, not the motion
    OUTPUTS_NAMED = 3,
    VALUES = 13  // of a body that are looked at: position, quaternion, velocity, angular velocity
};

// A motion of less than this share of the largest one is not looked at.
static const double SMALL_MOTION = 0.01;
static const double TURN = 6.283185307179586;  // [rad]

// Sums over the rows, of a position or of a rotation matrix.
typedef struct motion {
    double start[9], mean[9];  // mean: sum of the differences from the start
    double squares, speeds;    // sums of squares of these differences, and of the velocity
} motion;

struct run_watch_body {
    int channel;  // the first of its values
    motion place, turn;
};

tml_status run_watch_begin(run_watch *w, const tml_sim *sim, tml_error *err)
{
    const tml_channel *channel = tml_sim_channels(sim);
    const int count = tml_sim_channel_count(sim);
    run_watch_clear(w);
    w->body = calloc((size_t)count + 1, sizeof *w->body);
    w->output = calloc((size_t)count + 1, sizeof *w->output);
    if (!w->body || !w->output) return tmli_fail(err, TML_ERR_NOMEM, "No memory for %d channels.", count);
    for (int i = 0; i < count; i++) {
        const tml_channel *c = &channel[i];
        if (strncmp(c->dataset, "/outputs/", 9) == 0)
            w->output[w->noutputs++] = (run_watch_output){.channel = i};
        if (strncmp(c->dataset, "/bodies/", 8) == 0 && tmli_ends_with(c->dataset, "/position") &&
            c->component == 0 && i + VALUES <= count)
            w->body[w->nbodies++] = (run_watch_body){.channel = i};
    }
    return TML_OK;
}

void run_watch_clear(run_watch *w)
{
    free(w->body);
    free(w->output);
    *w = (run_watch){0};
}

static double square(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

static void add(motion *m, const double *x, int n, double speed_squared, bool first)
{
    double d[9];
    if (first) memcpy(m->start, x, (size_t)n * sizeof *x);
    for (int k = 0; k < n; k++) {
        d[k] = x[k] - m->start[k];
        m->mean[k] += d[k];
    }
    m->squares += square(d, n);
    m->speeds += speed_squared;
}

static void add_body(run_watch_body *b, const double *x, bool first)
{
    const double *v = x + 7;
    const mat3 R = q_matrix(q_from(x + 3));
    add(&b->place, x, 3, square(v, 3), first);
    add(&b->turn, R.m, 9, 2 * square(v + 3, 3), first);
}

void run_watch_row(run_watch *w, const tml_sim *sim, const tml_state *x, const double *values)
{
    const tml_system *s = tml_sim_system(sim);
    const bool first = w->rows++ == 0;
    if (first) w->t_first = x->t;
    w->t_last = x->t;
    for (int j = 0; j < x->n - x->nz; j++)
        w->fastest =
            fmax(w->fastest, fabs(x->u[j]) / (s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1));
    for (int i = 0; i < w->nbodies; i++) add_body(&w->body[i], values + w->body[i].channel, first);
    for (int i = 0; i < w->noutputs; i++) {
        run_watch_output *o = &w->output[i];
        const double value = values[o->channel];
        if (first) o->first = value;
        else if (!(value == o->first)) o->changes = true;
    }
}

// ---- notes ------------------------------------------------------------------------------------------------

static void note(run_watch *w, const char *format, ...)
{
    if (w->note_count == RUN_WATCH_NOTES) return;
    va_list args;
    va_start(args, format);
    vsnprintf(w->note[w->note_count++], RUN_WATCH_TEXT, format, args);
    va_end(args);
}

// Standard deviation, and the way between two rows at the mean velocity; both in m or, of a rotation matrix,
// in sqrt(2) rad.
static double deviation(const motion *m, long rows)
{
    const double n = (double)rows;
    return sqrt(fmax(0, m->squares / n - square(m->mean, 9) / (n * n)));
}

static double way(const run_watch *w, const motion *m)
{
    return sqrt(m->speeds / (double)w->rows) * (w->t_last - w->t_first) / (double)(w->rows - 1);
}

// The largest extent of a motion of any body, in model lengths or rad.
static double largest_motion(const run_watch *w, double length)
{
    double most = 0;
    for (int i = 0; i < w->nbodies; i++) {
        const run_watch_body *b = &w->body[i];
        most = fmax(most, fmax(deviation(&b->place, w->rows), way(w, &b->place)) / length);
        most = fmax(most, fmax(deviation(&b->turn, w->rows), way(w, &b->turn)));
    }
    return most;
}

// Rows per period of the fastest motion that is not small beside the others.
static void note_rare_rows(run_watch *w, const tml_sim *sim, double most, double length)
{
    const tml_channel *channel = tml_sim_channels(sim);
    const tml_run_def *run = tml_sim_settings(sim);
    const double counts = fmax(SMALL_MOTION * most, fmax(run->rtol, run->atol));
    double fewest = ROWS_PER_PERIOD;
    const run_watch_body *found = NULL;
    for (int i = 0; i < w->nbodies; i++)
        for (int k = 0; k < 2; k++) {
            const motion *m = k == 0 ? &w->body[i].place : &w->body[i].turn;
            const double s = way(w, m), rows = TURN * deviation(m, w->rows) / s;
            if (!(s > counts * (k == 0 ? length : 1)) || !(rows < fewest)) continue;
            fewest = rows;
            found = &w->body[i];
        }
    if (!found || w->rows < FEWEST_ROWS) return;
    const char *name = channel[found->channel].name;  // "wheel.x"
    const double between = (w->t_last - w->t_first) / (double)(w->rows - 1);
    char per_period[80] = "fewer than 2 of them per period; give a smaller output_step";
    if (fewest >= 2)  // else the rows may have met the same phases, and their deviation says nothing
        snprintf(per_period, sizeof per_period, "%.2g of them per period; an output_step of %.1g s shows it",
                 fewest, between * fewest / WANTED_ROWS);
    note(w, "the rows are too far apart for the motion: body '%.*s' has %s", (int)(strlen(name) - 2), name,
         per_period);
}

static void note_outputs(run_watch *w, const tml_sim *sim)
{
    const tml_channel *channel = tml_sim_channels(sim);
    int constant = 0;
    for (int i = 0; i < w->noutputs; i++) {
        const run_watch_output *o = &w->output[i];
        if (o->changes) continue;
        if (constant++ < OUTPUTS_NAMED)
            note(w, "output '%.80s' is %.6g in all %ld rows", channel[o->channel].name, o->first, w->rows);
    }
    if (constant > OUTPUTS_NAMED)
        note(w, "%d more outputs stay the same in all rows", constant - OUTPUTS_NAMED);
}

void run_watch_end(run_watch *w, const tml_sim *sim)
{
    const double length = tml_sim_system(sim)->length;
    w->note_count = 0;
    if (w->rows < 2 || !(w->t_last > w->t_first)) return;
    if (w->fastest * (w->t_last - w->t_first) < TMLI_INPUT_ERROR) {
        note(w, "nothing moves: the model stays as it begins");
        return;
    }
    note_rare_rows(w, sim, largest_motion(w, length), length);
    note_outputs(w, sim);
}
