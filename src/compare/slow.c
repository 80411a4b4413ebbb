// Rows of a run moved by the slow part of its difference from another one; equation numbers as in slow.h.
//
// The time scale is that of the error control, (2) of integrate/core/vibrations.h, by the states of b at its
// output times. Rows at velocity level do not restrict displacements: with such rows d is taken as it is.
#include "compare/slow.h"
#include "integrate/core/error_weights.h"
#include "integrate/core/slow_filter.h"
#include "integrate/core/vibrations.h"
#include "system/state/first_order.h"

#include <math.h>
#include <string.h>

typedef struct slow_part {
    tml_sim *sim;
    tmli_weights weights;
    tmli_vibrations vibrations;
    tmli_slow_filter filter;
    tml_state *moved;
    double *d, *row;  // (n), (channels)
    size_t jump;      // discontinuities of b up to now
} slow_part;

static void clear(slow_part *s)
{
    if (!s->sim) return;
    tmli_free(&s->sim->env, s->d);
    tml_state_destroy(s->moved, s->sim->sys);
    tmli_slow_filter_clear(&s->filter);
    tmli_vibrations_clear(&s->vibrations);
    tmli_weights_clear(&s->weights);
    tml_sim_destroy(s->sim);
}

static tml_status create(slow_part *s, const tml_model *model, const tml_run_def *run, tml_error *err)
{
    *s = (slow_part){0};
    tml_status st = tml_sim_create(model, run, &s->sim, err);
    if (st != TML_OK) return st;
    const tml_system *sys = s->sim->sys;
    tml_integrator_options opt = tml_integrator_options_default();
    opt.run = s->sim->run;
    opt.duration = s->sim->run.end - s->sim->run.start;
    const bool *redundant = tmli_consistent_redundant(tmli_sim_output_projection(s->sim));
    st = tmli_weights_create(sys, &opt, &s->weights, err);
    if (st == TML_OK) st = tmli_vibrations_create(sys, &opt, &s->vibrations, err);
    if (st == TML_OK) st = tmli_slow_filter_create(sys, s->sim->solver, redundant, &s->filter, err);
    if (st == TML_OK) st = tml_state_create(sys, &s->moved, err);
    s->d = tmli_calloc(&s->sim->env, (size_t)(sys->n + s->sim->nchannels) + 1, sizeof(double));
    if (st == TML_OK && !s->d) st = tmli_no_memory(err, "verification");
    if (st == TML_OK) s->row = s->d + sys->n;
    return st;
}

// The motion has come to the state x of run b. Its time scale [s] is then known.
static tml_status track(slow_part *s, const tmli_samples *b, const tml_state *x, double *kappa,
                        tml_error *err)
{
    tmli_vibrations *v = &s->vibrations;
    const tml_status st = tmli_slow_filter_set_mass(&s->filter, x, err);
    if (st != TML_OK) return st;
    if (isnan(v->t_start)) {
        tmli_weights_start(&s->weights, x);
        tmli_vibrations_start(v, s->filter.matrix.work, x);
    }
    const double aMa = tmli_slow_filter_square(&s->filter, x->udot, s->d);
    tmli_vibrations_set_change(v, x);
    tmli_slow_filter_square(&s->filter, v->change, s->d);
    tmli_vibrations_track(v, x->t, s->d, aMa, false);
    tmli_weights_track(&s->weights, x);
    for (; s->jump < b->jumps && b->jump[s->jump] <= x->t; s->jump++) v->t_begin = b->jump[s->jump];
    *kappa = tmli_vibrations_time_scale(v, tmli_weights_rate(&s->weights));
    return TML_OK;
}

// d := what velocities of x lack to those of xa; of states nothing.
static void set_difference(slow_part *s, const tml_state *xa, const tml_state *x)
{
    const tml_system *sys = s->sim->sys;
    for (int j = 0; j < sys->n; j++) s->d[j] = j < tmli_mechanical(sys) ? xa->u[j] - x->u[j] : 0;
}

// (1): moved := the state x of run b, moved towards xa.
static void move(slow_part *s, const tml_state *xa, const tml_state *x)
{
    const tml_system *sys = s->sim->sys;
    const int n = sys->n, mechanical = tmli_mechanical(sys);
    tml_state_copy(s->moved, x);
    sys->ops->local(sys->self, x->q, xa->q, s->d);
    memset(s->d + mechanical, 0, (size_t)sys->nz * sizeof(double));
    if (!sys->level) tmli_slow_filter_apply(&s->filter, s->d);
    sys->ops->retract(sys->self, x->q, s->d, s->moved->q);
    set_difference(s, xa, x);
    tmli_slow_filter_apply(&s->filter, s->d);
    for (int j = 0; j < n; j++) s->moved->u[j] = j < mechanical ? x->u[j] + s->d[j] : xa->u[j];
    tmli_sim_complete(s->sim, false, false, s->moved);
    if (s->sim->actuators) tmli_sim_actuate(s->sim, s->moved, NULL);
}

static tml_status add_row(slow_part *s, const tml_state *xa, const tml_state *x, tmli_samples *out,
                          tml_error *err)
{
    move(s, xa, x);
    const tml_status st = tml_sim_channel_values(s->sim, s->moved, s->row, err);
    return st == TML_OK ? tmli_samples_add(out, s->row, err) : st;
}

tml_status tmli_slow_rows(const tml_model *model, const tml_run_def *run, const tmli_samples *a,
                          const tmli_samples *b, double slack, tmli_samples *out, double *longest,
                          tml_error *err)
{
    slow_part s;
    tml_status st = create(&s, model, run, err);
    size_t k = 0;
    for (size_t i = 0; i < b->states && st == TML_OK; i++) {
        const tml_state *x = b->state[i];
        double kappa = 0;
        st = track(&s, b, x, &kappa, err);
        while (k < a->states && a->state[k]->t < x->t - slack) k++;
        if (st != TML_OK || k == a->states || a->state[k]->t > x->t + slack) continue;
        set_difference(&s, a->state[k], x);
        if (!(kappa > 0) || !tmli_slow_filter_vibrates(&s.filter, x, kappa, s.d)) continue;
        if (!tmli_slow_filter_factor(&s.filter, x, kappa)) continue;
        st = add_row(&s, a->state[k], x, out, err);
        *longest = fmax(*longest, kappa);
    }
    clear(&s);
    return st;
}
