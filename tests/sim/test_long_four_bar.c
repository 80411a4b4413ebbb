// A million steps of fixed size around a closed loop: the constraints stay closed and nothing grows.
//
// The four-bar linkage of models/four_bar.yaml turns over some 300 times in 100 s. Every 1000 steps the
// residuals of positions and velocities and the energy are looked at. The velocities of an index-3 method
// keep a standing error of order h^2; the energy falls by the method's damping. Neither may build up.
#include "sim_fixture.h"

#include <time.h>

enum { CHECKS = 1000, STEPS_PER_CHECK = 1000 };
static const double STEP = 1e-4;

typedef struct probe {
    const tml_system *sys;
    void *work;
    double *motion, *phi;
} probe;

static double largest(const double *x, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void look(probe *p, const tml_state *x, double *position, double *velocity, double *energy)
{
    const tml_system *s = p->sys;
    tml_error err = {0};
    OK(s->ops->residual(s->self, p->work, x, NULL, p->motion, p->phi, &err));
    *position = largest(p->phi, s->m);
    OK(s->ops->velocity(s->self, p->work, x, p->phi, &err));
    *velocity = largest(p->phi, s->m);
    double kinetic, potential, power;
    OK(s->ops->energy(s->self, p->work, x, &kinetic, &potential, &power, &err));
    *energy = kinetic + potential;
}

static double most_of(const double *x, int from, int to)
{
    double most = 0;
    for (int i = from; i < to; i++) most = fmax(most, x[i]);
    return most;
}

// The last tenth is no worse than ten times the first, or is round-off.
static void no_growth(const char *what, const double *x, double roundoff)
{
    const double first = most_of(x, 0, CHECKS / 10), last = most_of(x, CHECKS - CHECKS / 10, CHECKS);
    print_message("%s: first tenth %.3g, last tenth %.3g, all %.3g\n", what, first, last,
                  most_of(x, 0, CHECKS));
    if (last > 10 * first && last > roundoff) fail_msg("%s grows from %g to %g", what, first, last);
}

static void million_steps(void **state)
{
    (void)state;
    static double position[CHECKS], velocity[CHECKS], energy[CHECKS];
    tml_model *m = load_model("four_bar", (tml_parameter){0}, NULL);
    tml_run_def run = *tml_model_run(m);
    run.step = STEP;
    run.end = 1.001 * STEP * CHECKS * STEPS_PER_CHECK;  // beyond the last step
    tml_sim *sim = start_sim(m, &run);
    const tml_system *s = tml_sim_system(sim);
    probe p = {.sys = s, .work = s->ops->create_work(s->self, &s->env)};
    p.motion = calloc((size_t)s->n, sizeof(double));
    p.phi = calloc((size_t)s->m, sizeof(double));
    double start_energy, ignored[2];
    look(&p, tml_sim_state(sim), &ignored[0], &ignored[1], &start_energy);
    const clock_t clock_start = clock();
    tml_error err = {0};
    for (int i = 0; i < CHECKS; i++) {
        for (int k = 0; k < STEPS_PER_CHECK; k++) OK(tml_sim_step(sim, run.end, &err));
        look(&p, tml_sim_state(sim), &position[i], &velocity[i], &energy[i]);
        if (position[i] >= 1e-10)
            fail_msg("position residual %g m at t = %g s", position[i], tml_sim_time(sim));
    }
    const double seconds = (double)(clock() - clock_start) / CLOCKS_PER_SEC;
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    assert_int_equal(report.count.steps, CHECKS * STEPS_PER_CHECK);
    CHECK_CLOSE(tml_sim_time(sim), STEP * CHECKS * STEPS_PER_CHECK, 1e-6);
    print_message("%ld steps in %.1f s, %.2f iterations per step, %ld factorizations\n", report.count.steps,
                  seconds, (double)report.count.iterations / (double)report.count.steps,
                  report.count.factorizations);
    no_growth("position residual [m]", position, 1e-13);
    no_growth("velocity residual [m/s]", velocity, 1e-10);
    print_message("energy: %.9g J at the start, %.9g J at the end, drift %.3g of it\n", start_energy,
                  energy[CHECKS - 1], energy[CHECKS - 1] / start_energy - 1);
    // the motion goes on: damping at 3000 steps per turn takes a small part only
    assert_true(fabs(energy[CHECKS - 1] - start_energy) < 0.05 * fabs(start_energy));
    free(p.motion);
    free(p.phi);
    s->ops->destroy_work(p.work);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(million_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
