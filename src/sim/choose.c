// Choosing a method. A setting that only some method has asks for it. Else the candidates and what speaks for them
// (docs/methods.md has the measurements):
//   genalpha  one cheap solve per step and damping that does not depend on the step: for steps of a fixed size
//   bdf       one real matrix per step, few iterations, errors of velocities and reactions as small as of positions: for
//             smooth motion, stiff or not, and the larger the model the more
//   radau5    begins each step anew and is stable for any oscillation: where switches would make bdf start over and over
//             with small steps of low order, and for fast vibrations of little damping, where orders 3 to 5 of bdf are not
//             stable
#include "sim/choose.h"
#include "analysis/linearize.h"
#include "analysis/rank.h"

#include <math.h>
#include <stdio.h>

enum { SMALL = 150 };  // coordinates up to which the spectrum is looked at: some milliseconds
// A vibration counts if it turns this often within the run, is this much faster than the motion, and keeps this much of the
// damping that makes it decay within a period.
static const double TURNS = 50, FASTER = 10, WEAK = 0.2;

// The fastest weakly damped vibration [rad/s]; 0: none that matters.
static double vibration(const tmli_spectrum *s, double motion, double duration)
{
    double fastest = 0;
    for (int i = 0; i < s->count; i++) {
        const double w = fabs(s->im[i]), size = hypot(s->re[i], s->im[i]);
        if (w * duration > TURNS * 6.283185307179586 && w > FASTER * motion && -s->re[i] < WEAK * size &&
            s->re[i] <= 0)
            fastest = fmax(fastest, w);
    }
    return fastest;
}

// Typical rate of the motion at x [1/s]: speeds over lengths, or what the accelerations will make of them.
static double motion_rate(const tml_system *s, const tml_state *x)
{
    double rate = 0;
    for (int j = 0; j < s->n; j++) {
        const double unit = s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1;
        rate = fmax(rate, fmax(fabs(x->u[j]) / unit, sqrt(fabs(x->udot[j]) / unit)));
    }
    return rate;
}

// Facts from the equations linearized about the start; 0 where there are none. TML_ERR_NOMEM, or OK: any other failure is a
// fact that cannot be had.
static tml_status look(const tml_sim *sim, const tml_state *x, double *vibrates, double *stiff, tml_error *err)
{
    const tml_system *s = sim->sys;
    tmli_rank rank = {0};
    tmli_spectrum spectrum = {0};
    tml_state *y = NULL;
    tml_error local = {0};
    *vibrates = *stiff = 0;
    if (s->n > SMALL) return TML_OK;
    tml_status st = tmli_rank_calc(s, sim->work, x, &rank, &local);
    if (st == TML_OK) st = tml_state_create(s, &y, &local);
    if (st == TML_OK) {
        tml_state_copy(y, x);
        st = tmli_linearize(s, sim->work, &rank, y, &spectrum, &local);
    }
    if (st == TML_OK) {
        const double duration = sim->run.end - sim->run.start, motion = fmax(motion_rate(s, x), 1 / duration);
        *vibrates = vibration(&spectrum, motion, duration);
        *stiff = spectrum.fastest / motion;
    }
    tmli_spectrum_clear(&spectrum);
    tml_state_destroy(y, s);
    tmli_rank_clear(&rank);
    if (st != TML_ERR_NOMEM) return TML_OK;
    if (err) *err = local;
    return st;
}

// The method that a setting of the run belongs to; NULL: all are open.
static const char *asked_for(const tml_run_def *run, char *reason, size_t size)
{
    const char *setting = NULL, *method = NULL;
    if (!isnan(run->rho)) setting = "rho", method = "genalpha";
    else if (!isnan(run->alpha)) setting = "alpha", method = "hht";
    else if (run->placement == TML_PLACEMENT_INNER) setting = "placement", method = "genalpha";
    else if (run->max_order > 0) setting = "max_order", method = "bdf";
    if (setting) snprintf(reason, size, "%s is given, a setting of this method", setting);
    if (setting || run->step > 0) return method;
    // radau5 has a Newton iteration of its own
    if (run->report) setting = "the report on conditioning";
    else if (run->fields == TML_FIELDS_THREE) setting = "fields: three";
    else if (run->iterate == TML_ITERATE_SATURATED) setting = "iterate: saturated";
    if (!setting) return NULL;
    snprintf(reason, size, "%s, which radau5 does not have", setting);
    return "bdf";
}

tml_status tmli_sim_choose(const tml_sim *sim, const tml_state *x, const tml_method_ops **out, char *reason,
                           size_t size, tml_error *err)
{
    const tml_system *s = sim->sys;
    const char *asked = asked_for(&sim->run, reason, size);
    if (asked) {
        *out = tml_method_find(asked);
        return TML_OK;
    }
    if (sim->run.step > 0) {
        snprintf(reason, size, "fixed steps: cheap, and its damping keeps them stable");
        *out = tml_method_find("genalpha");
        return TML_OK;
    }
    *out = tml_method_find("radau5");
    int open = 0;  // switches whose times are not known beforehand: there may be many of them
    for (int i = 0; i < s->nmode && sim->run.switches; i++) open += !s->mode_of_time[i];
    if (open > 0) {
        snprintf(reason, size, "%d switch%s in the forces: it starts again at full order", open,
                 open == 1 ? "" : "es");
        return TML_OK;
    }
    double vibrates, stiff;
    tml_status st = look(sim, x, &vibrates, &stiff, err);
    if (st != TML_OK) return st;
    if (vibrates > 0) {
        snprintf(reason, size, "a weakly damped vibration of %.3g Hz: stable for it at full order",
                 vibrates / 6.283185307179586);
        return TML_OK;
    }
    *out = tml_method_find("bdf");
    if (s->n > SMALL)
        snprintf(reason, size, "smooth and large, %d coordinates: one small matrix per step", s->n);
    else if (stiff > 100) snprintf(reason, size, "smooth and stiff, time scales apart by %.2g", stiff);
    else snprintf(reason, size, "smooth and not stiff: fewest evaluations");
    return TML_OK;
}
