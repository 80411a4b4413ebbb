// The interpolant between two states: it meets both of them, positions have the velocities as their rates,
// and accelerations and multipliers lie on straight lines.
#include "system/state/quintic.h"
#include "system/user_fixture.h"

typedef struct step {
    fixture *p;  // p->x: its start
    tml_state *x, *y, *z;
    double h, memory[TMLI_QUINTIC_SIZE(N)];
} step;

static void begin(step *s, int problem, rng *r)
{
    *s = (step){.p = open_problem(problem, 0, NULL), .h = 0.37};
    tml_state **const all[] = {&s->x, &s->y, &s->z};
    for (int i = 0; i < 3; i++) assert_int_equal(tml_state_create(s->p->sys, all[i], NULL), TML_OK);
    random_state(r, s->p->x);
    random_state(r, s->x);
    s->x->t = s->p->x->t + s->h;
    tmli_quintic_fit(s->p->sys, s->p->x, s->x, s->h, s->memory);
}

static void end(step *s)
{
    tml_state_destroy(s->x, s->p->sys);
    tml_state_destroy(s->y, s->p->sys);
    tml_state_destroy(s->z, s->p->sys);
    close_problem(s->p);
}

static void at(step *s, double theta, tml_state *out)
{
    tmli_quintic_at(s->p->sys, s->p->x, s->x, s->h, theta, s->memory, out);
}

static void meets_both_states(void **state)
{
    (void)state;
    rng r = rng_seed(11);
    for (int problem = 0; problem < PROBLEM_COUNT; problem++) {
        step s;
        begin(&s, problem, &r);
        for (int k = 0; k < 2; k++) {
            const tml_state *known = k ? s.x : s.p->x;
            at(&s, k, s.y);
            CHECK_CLOSE(s.y->t, known->t, 1e-14);
            for (int j = 0; j < known->n; j++) {  // coefficients of the order 100 cancel
                CHECK_CLOSE(s.y->q[j], known->q[j], 1e-12);
                CHECK_CLOSE(s.y->u[j], known->u[j], 1e-11);
            }
        }
        end(&s);
    }
}

static void is_consistent_between(void **state)
{
    (void)state;
    const double theta = 0.731, e = 1e-5;
    rng r = rng_seed(12);
    for (int problem = 0; problem < PROBLEM_COUNT; problem++) {
        step s;
        begin(&s, problem, &r);
        const tml_state *a = s.p->x;
        double before[N];
        at(&s, theta - e, s.y);
        memcpy(before, s.y->q, (size_t)a->n * sizeof *before);
        at(&s, theta + e, s.z);
        at(&s, theta, s.y);
        for (int j = 0; j < a->n; j++) {
            // round-off eps |q|/(e h) = 1e-10, truncation e^2 h q'''/6 = 1e-9
            CHECK_CLOSE((s.z->q[j] - before[j]) / (2 * e * s.h), s.y->u[j], 1e-7);
            CHECK_CLOSE(s.y->udot[j], (1 - theta) * a->udot[j] + theta * s.x->udot[j], 1e-13);
        }
        for (int i = 0; i < a->m; i++)
            CHECK_CLOSE(s.y->lambda[i], (1 - theta) * a->lambda[i] + theta * s.x->lambda[i], 1e-13);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meets_both_states),
        cmocka_unit_test(is_consistent_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
