// Progress of a run: steps that have become so short that the run would take millions of them.
//
// Causes are told apart. A fast vibration, mostly of a body that is very light for its springs, is
// followed by every method that does not damp it: the message names the body and the frequency,
//   w = sqrt(k/m), or d/m, of a coordinate taken alone, largest of all                                    (1)
// Where no rate explains the steps, a force or motion may be a fast function of time, or the estimated error
// is round-off, which shorter steps do not reduce.
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>

#include "sim/constants.h"

// (1), and its coordinate; 0: not known. Uses the memory of the last step's polynomial, which a new step
// discards.
static double fastest_rate(tml_sim *sim, int *coordinate)
{
    const tml_system *s = sim->sys;
    double *m = sim->quintic, *d = m + s->n, *k = d + s->n, fastest = 0;
    sim->quintic_known = false;
    if (!s->ops->diagonals ||
        s->ops->diagonals(s->self, sim->work, tmli_sim_state(sim), m, d, k, NULL) != TML_OK)
        return 0;
    for (int j = 0; j < s->n - s->nz; j++) {
        const double rate = m[j] > 0 ? fmax(sqrt(fmax(k[j], 0) / m[j]), fmax(d[j], 0) / m[j]) : 0;
        if (rate > fastest) *coordinate = j;
        fastest = fmax(fastest, rate);
    }
    return fastest;
}

static void explain(tml_sim *sim, double step, double forecast)
{
    const tml_system *s = sim->sys;
    int j = 0;
    char buffer[120];
    const double rate = fastest_rate(sim, &j);
    const char *what = s->coordinate_name ? s->coordinate_name(s, j, buffer, sizeof buffer) : "a coordinate";
    if (rate * step > EXPLAINED_STEP)
        tmli_log(
            &sim->env, TML_LOG_WARNING,
            "t = %.4g s: steps of %.2g s follow the fastest vibration, %.3g Hz of %s; the rest of the run "
            "needs about %.1g steps. If this vibration does not matter, give its body more mass, its spring "
            "less stiffness or more damping, start it at rest relative to its neighbours, or replace the "
            "spring by a joint",
            tmli_sim_time(sim), step, rate / 6.283185307179586, what, forecast);
    else
        tmli_log(
            &sim->env, TML_LOG_WARNING,
            "t = %.4g s: the steps fell to %.2g s; the rest of the run needs about %.1g steps. No vibration "
            "of the model is so fast: an expression of time may be, or the estimated error is round-off of "
            "the equations. Try a looser tolerance or another method ('trammel compare')",
            tmli_sim_time(sim), step, forecast);
}

bool tmli_sim_steps_collapsed(tml_sim *sim, double *step)
{
    tmli_sim_progress *p = &sim->progress;
    const long steps = sim->driver.method->counters(sim->driver.self)->steps + sim->earlier_counters.steps;
    const double t = tmli_sim_time(sim);
    if (sim->driver.fixed || steps < p->steps + WATCHED_STEPS) return false;
    *step = (t - p->t) / (double)(steps - p->steps);
    const double forecast = (sim->run.end - t) / *step;
    p->slow_looks = forecast > MANY_STEPS && p->steps > 0 ? p->slow_looks + 1 : 0;
    p->steps = steps;
    p->t = t;
    if (p->slow_looks == SLOW_LOOKS_BEFORE_WARNING) explain(sim, *step, forecast);
    return p->slow_looks == SLOW_LOOKS_BEFORE_CHANGE;
}
