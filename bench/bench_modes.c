// Time of the ten lowest modes of a cantilever over its number of cubic elements, with the error of its first
// frequency against Timoshenko's equations. The time should grow linearly. Processor time of this thread.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trammel/modes.h>
#include <trammel/sim.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(tml_status st, const tml_error *err)
{
    if (st == TML_OK) return;
    printf("%s: %s\n", tml_status_name(st), err->msg);
    exit(1);
}

// Root of the characteristic determinant: L = 1, mass 1, EI = 1, GA = 350, rotary inertia 0.001
static const double FIRST = 3.4849991902;

static void measure(int elements)
{
    char text[500];
    snprintf(text, sizeof text,
             "beams: {b: {type: general, position: [0, 0, 0], end: [1, 0, 0], mass: 1, elements: %d,\n"
             "  stiffness: [1000, 400, 350, 0.5, 1, 2], inertia: [0.003, 0.001, 0.002]}}\n"
             "joints: {wall: {type: fixed, a: ground, b: b.start}}\n",
             elements);
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    tml_modes *modes = NULL;
    need(tml_spec_parse(text, strlen(text), "beam.yaml", NULL, 0, NULL, &spec, &err), &err);
    need(tml_model_build(spec, &model, &err), &err);
    need(tml_sim_create(model, NULL, &sim, &err), &err);
    const double start = now();
    need(tml_modes_create(model, tml_sim_state(sim), NULL, &modes, &err), &err);
    const double seconds = now() - start;
    printf("%8d %11d %10.3f %14.2f %12.1e\n", elements, modes->n, seconds, 1e3 * seconds / elements,
           fabs(modes->modes[0].im / FIRST - 1));
    tml_modes_destroy(modes);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

int main(void)
{
    puts("elements coordinates  time [s]  per elem. [ms]  error of w1");
    for (int elements = 30; elements < 1000; elements *= 3) measure(elements);
    measure(1000);
    return 0;
}
