// The work of short runs, all methods on small models: steps, iterations, residuals and factorizations, and
// where they end. A predictor, an estimate of the error or an order of elimination that is wrong leaves the
// results within their tolerance, and shows here alone.
//
// A change that is meant to alter the work alters this table: with TRAMMEL_WORK=1 in its environment this
// program prints the rows as they are. Runs whose work depends on the tenth digit of the tolerance are not
// in it.
#include "sim_fixture.h"

typedef struct work {
    const char *model, *method;
    double end;  // [s]
    long steps, iterations, residuals, factorizations;
    double motion, force;  // sums of sizes: positions and velocities, multipliers
} work;

static const work KNOWN[] = {
#include "sim/work.inc"
};

enum { RUNS = sizeof KNOWN / sizeof *KNOWN };

// Round-off of another machine may decide about a single step, and then changes the end by a part of the
// tolerance, which is 1e-4 in most of the models.
static const double SHARE = 0.02, MOVED = 1e-5, LOADED = 1e-4;
enum { FEW = 2 };

static bool is_near(long now, long known)
{
    return fabs((double)(now - known)) <= FEW + SHARE * (double)known;
}

static double size_of(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += fabs(x[i]);
    return sum;
}

static work run_short(const work *w)
{
    tml_error err = {0};
    tml_model *m = load_model(w->model, (tml_parameter){0}, NULL);
    tml_run_def run = *tml_model_run(m);
    run.method = w->method;
    run.end = w->end;
    run.step = 0;
    tml_sim *sim = start_sim(m, &run);
    OK(tml_sim_run(sim, NAN, &err));
    const tml_counters c = report_of(sim).count;
    const tml_state *x = tml_sim_state(sim);
    const work now = {.model = w->model,
                      .method = w->method,
                      .end = w->end,
                      .steps = c.steps,
                      .iterations = c.iterations,
                      .residuals = c.residuals,
                      .factorizations = c.factorizations,
                      .motion = size_of(x->q, x->nq) + size_of(x->u, x->n),
                      .force = size_of(x->lambda, x->m)};
    end_sim(sim, m);
    return now;
}

static void as_known(void **state)
{
    (void)state;
    int others = 0;
    const int every = less_if_slow("every eleventh run") ? 11 : 1;
    for (int i = 0; i < RUNS; i += every) {
        const work *w = &KNOWN[i];
        const work c = run_short(w);
        const bool same =
            is_near(c.steps, w->steps) && is_near(c.iterations, w->iterations) &&
            is_near(c.residuals, w->residuals) && is_near(c.factorizations, w->factorizations) &&
            fabs(c.motion - w->motion) <= MOVED * w->motion && fabs(c.force - w->force) <= LOADED * w->force;
        others += !same;
        if (!same || getenv("TRAMMEL_WORK"))
            printf("{\"%s\", \"%s\", %g, %ld, %ld, %ld, %ld, %.8g, %.7g},\n", c.model, c.method, c.end,
                   c.steps, c.iterations, c.residuals, c.factorizations, c.motion, c.force);
    }
    if (others) fail_msg("%d of %d runs take other work, listed above", others, RUNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
