// Energy over the steps of a method on the spatial linkage with a flexible coupler (tests/models), for the
// short and the long test.
#ifndef TEST_INTEGRATE_DECAY_ENERGY_H
#define TEST_INTEGRATE_DECAY_ENERGY_H

#include "integrate/fixture.h"

/** A hundred times the step with which radau5 follows the linkage at the tolerance 1e-4 (mean 1.8e-5 s). */
#define ENERGY_STEP 2e-3

static inline double energy_of(ride *r, const tml_state *x)
{
    double kinetic, potential, power;
    OK(r->sys->ops->energy(r->sys->self, r->work, x, &kinetic, &potential, &power, err));
    return kinetic + potential;
}

typedef struct energy_record {
    double start, end;
    double gain;   // largest increase in one step
    double drift;  // largest distance from the start
} energy_record;

/** Steps of fixed size on a model. */
static inline energy_record energy_ride(tml_model *model, const char *method, double h, int steps)
{
    plan p = plan_default();
    p.method = method;
    p.h = h;
    p.solver = &tml_linsolver_block;
    ride r;
    ride_model(&r, model, &p);
    energy_record e = {.start = energy_of(&r, r.x0)};
    double last = e.start;
    for (int i = 0; i < steps; i++) {
        ride_steps(&r, 1);
        e.end = energy_of(&r, ride_state(&r));
        e.gain = fmax(e.gain, e.end - last);
        e.drift = fmax(e.drift, fabs(e.end - e.start));
        last = e.end;
    }
    printf("%s: %d steps of %g s, energy %.12g to %.12g J, largest gain %.1e, drift %.1e, iterations %.2f\n",
           method, steps, h, e.start, e.end, e.gain, e.drift, (double)ride_count(&r).iterations / steps);
    ride_end(&r);
    return e;
}

static inline tml_model *energy_linkage(void)
{
    return model_read("../tests/models/flexible_linkage", NULL, 0);
}

#endif
