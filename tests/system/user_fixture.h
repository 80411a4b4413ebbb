// A system of one of the problems with its scratch and a state, for the tests of systems made of callbacks.
#ifndef TEST_USER_FIXTURE_H
#define TEST_USER_FIXTURE_H

#include "support/support.h"
#include "user_problems.h"

#include <trammel/system.h>

enum { N = 3, M = 2, NM = N + M };  // room for every problem

typedef struct fixture {
    problem_user user;
    tml_system *sys;
    const tml_system_ops *ops;
    void *w;
    tml_state *x;
} fixture;

static inline fixture *open_problem(int problem, int give, const tml_env *env)
{
    fixture *p = calloc(1, sizeof *p);
    assert_non_null(p);
    const tml_user_system_def def = problem_def(problem, give, &p->user);
    tml_error err = {0};
    assert_int_equal(tml_system_create_user(&def, env, &p->sys, &err), TML_OK);
    p->ops = p->sys->ops;
    p->w = p->ops->create_work(p->sys->self, env);
    assert_non_null(p->w);
    assert_int_equal(tml_state_create(p->sys, &p->x, &err), TML_OK);
    return p;
}

static inline void close_problem(fixture *p)
{
    tml_state_destroy(p->x, p->sys);
    p->ops->destroy_work(p->w);
    tml_system_destroy(p->sys);
    free(p);
}

static inline void random_state(rng *r, tml_state *x)
{
    x->t = rng_range(r, 0.3, 2.7);
    for (int i = 0; i < x->n; i++) {
        x->q[i] = rng_range(r, -1, 1);
        x->u[i] = rng_range(r, -2, 2);
        x->udot[i] = rng_range(r, -3, 3);
    }
    for (int i = 0; i < x->m; i++) x->lambda[i] = rng_range(r, -4, 4);
}

#endif
