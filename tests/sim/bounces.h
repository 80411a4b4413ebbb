// A mass that falls from 1 m on something rigid with the restitution 0.8: the analytic sequence of bounces.
#ifndef TEST_SIM_BOUNCES_H
#define TEST_SIM_BOUNCES_H

#include "sim_fixture.h"

static const char *const methods[] = {"genalpha", "bdf",   "radau5", "for-sdirk",    "ggl",
                                      "erk8",     "adams", "decay",  "trust-region", NULL};

static const double G = 9.81, E = 0.8;

// Height at time t of a mass that falls from 1 m; the time of impact k >= 1 in *time.
static inline double height(double t, int k, double *time)
{
    const double first = sqrt(2 / G), v0 = G * first;
    double start = first, v = v0;
    *time = NAN;
    if (k == 1) *time = first;
    if (t <= first) return 1 - G * t * t / 2;
    for (int i = 1; i < 400; i++) {
        v *= E;
        const double next = start + 2 * v / G;
        if (k == i + 1) *time = next;
        if (t <= next && k <= 0) return v * (t - start) - G * (t - start) * (t - start) / 2;
        start = next;
    }
    return 0;
}

typedef struct watch {
    int axis;       // its coordinate
    double ground;  // its value at rest
    double time[100], energy, error;
    long impacts;
} watch;

// Impacts follow at once to the end of a step.
static inline tml_status look(const tml_sim *sim, double t, double h, void *user)
{
    watch *w = user;
    const long count = report_of(sim).impact_count;
    (void)h;
    for (; w->impacts < count && w->impacts < 100; w->impacts++) w->time[w->impacts] = t;
    return TML_OK;
}

static inline tml_status compare(const tml_sim *sim, const tml_state *x, void *user)
{
    watch *w = user;
    double unused;
    const double y = x->q[w->axis] - w->ground, v = x->u[w->axis], energy = v * v / 2 + G * y;
    (void)sim;
    w->error = fmax(w->error, fabs(y - height(x->t, 0, &unused)));
    if (energy > w->energy + 1e-12) fail_msg("energy grows from %.17g to %.17g", w->energy, energy);
    w->energy = energy;
    return TML_OK;
}

/** Run a model, given as text, with its mass of 1.3 kg along coordinate `axis`, which rests at `ground`:
 * times and heights are the analytic ones for 30 bounces, then it is at rest. */
static inline void bounce_to_rest(const char *text, const char *method, int axis, double ground,
                                  const char *force)
{
    tml_error err = {0};
    tml_model *model;
    watch w = {.axis = axis, .ground = ground, .energy = G};
    tml_sim *sim = sim_of_text(text, method, 1e-9, &model);
    tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = look, .on_output = compare, .user = &w});
    OK(tml_sim_run(sim, 6, &err));
    assert_true(w.impacts > 30 && w.impacts < 100);
    for (int k = 1; k <= 30; k++) {
        double time;
        height(100, k, &time);
        CHECK_CLOSE(w.time[k - 1], time, 1e-9);
    }
    CHECK_SMALL(w.error, 1e-9);
    // at rest: the sum of all bounces lasts sqrt(2/g) (1 + e)/(1 - e) = 4.06 s
    CHECK_CLOSE(fabs(channel_value(sim, force)), 1.3 * G, 1e-9);
    CHECK_SMALL(tml_sim_state(sim)->u[axis], 1e-13);
    CHECK_SMALL(tml_sim_state(sim)->q[axis] - ground, 1e-12);
    CHECK_CLOSE(report_of(sim).impact_loss, 1.3 * G, 1e-9);
    end_sim(sim, model);
}

#endif
