// The history of a multistep method after a jump of the accelerations: that of a motion that always had them.
#include "integrate/bdf/history.h"
#include "system/user_fixture.h"

enum { POINTS = 4 };

static void jumps_are_of_the_whole_past(void **state)
{
    (void)state;
    fixture *p = open_problem(PROBLEM_PENDULUM, 0, NULL);
    const int n = p->sys->n, m = p->sys->m;
    double X[POINTS][N], u[POINTS][N], lambda[POINTS][M], dudot[N], dlambda[M];
    double before_X[POINTS][N], before_u[POINTS][N], before_lambda[POINTS][M];
    rng r = rng_seed(5);
    tmli_history y = {.sys = p->sys, .count = POINTS, .multipliers = POINTS - 1};
    for (int i = 0; i < POINTS; i++) {
        y.age[i] = i * 0.31 + i * i * 0.07;
        y.X[i] = X[i];
        y.u[i] = u[i];
        y.lambda[i] = lambda[i];
        for (int j = 0; j < N; j++) X[i][j] = i ? rng_range(&r, -1, 1) : 0;
        for (int j = 0; j < N; j++) u[i][j] = rng_range(&r, -1, 1);
        for (int j = 0; j < M; j++) lambda[i][j] = rng_range(&r, -1, 1);
    }
    for (int j = 0; j < N; j++) dudot[j] = rng_range(&r, 1, 2);
    for (int j = 0; j < M; j++) dlambda[j] = rng_range(&r, 1, 2);
    memcpy(before_X, X, sizeof X);
    memcpy(before_u, u, sizeof u);
    memcpy(before_lambda, lambda, sizeof lambda);
    tmli_history_add_jump(&y, dudot, dlambda);
    for (int i = 0; i < POINTS; i++) {
        const double age = y.age[i];
        for (int j = 0; j < n; j++) {
            CHECK_CLOSE(u[i][j], before_u[i][j] - age * dudot[j], 1e-14);
            CHECK_CLOSE(X[i][j], before_X[i][j] + age * age / 2 * dudot[j], 1e-14);
        }
        for (int j = 0; j < m; j++)
            CHECK_CLOSE(lambda[i][j], before_lambda[i][j] + (i < POINTS - 1 ? dlambda[j] : 0), 1e-14);
    }
    close_problem(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jumps_are_of_the_whole_past)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
