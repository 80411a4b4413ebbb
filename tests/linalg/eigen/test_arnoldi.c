// Eigenvalues of operators whose eigenvalues are known.
#include "linalg/eigen/arnoldi.h"
#include "support/support.h"

static tml_error err;

enum { N = 60 };

// A diagonal matrix with 1/(k + 1) (1 + i/2), and a Jordan block of zeros at its end
static void apply(const double complex *x, double complex *y, void *user)
{
    const int zeros = *(const int *)user;
    for (int i = 0; i < N; i++) {
        if (i < N - zeros) y[i] = x[i] * (1 + 0.5 * I) / (i + 1);
        else y[i] = i + 1 < N ? x[i + 1] : 0;
    }
}

static void largest_eigenvalues(void **state)
{
    (void)state;
    if (!tmli_arnoldi_available()) skip();
    double complex values[6], vectors[6 * N];
    int found = 0, zeros = 3;
    const tmli_arnoldi_def def = {.n = N,
                                  .count = 6,
                                  .restarts = 99,
                                  .apply = apply,
                                  .user = &zeros,
                                  .enter = tmli_library_enter,
                                  .leave = tmli_library_leave,
                                  .filter = 3};
    assert_int_equal(tmli_arnoldi_solve(&def, NULL, values, vectors, &found, &err), TML_OK);
    assert_int_equal(found, 6);
    for (int k = 0; k < found; k++) {
        CHECK_SMALL(cabs(values[k] - (1 + 0.5 * I) / (k + 1)), 1e-12);  // round-off of a well conditioned one
        for (int i = 0; i < N; i++) CHECK_SMALL(cabs(vectors[k * N + i]) - (i == k), 1e-11);
    }
}

static void same_bits_each_time(void **state)
{
    (void)state;
    if (!tmli_arnoldi_available()) skip();
    double complex a[4], b[4], vectors[4 * N];
    int found = 0, zeros = 0;
    const tmli_arnoldi_def def = {.n = N,
                                  .count = 4,
                                  .restarts = 99,
                                  .apply = apply,
                                  .user = &zeros,
                                  .enter = tmli_library_enter,
                                  .leave = tmli_library_leave};
    assert_int_equal(tmli_arnoldi_solve(&def, NULL, a, vectors, &found, &err), TML_OK);
    assert_int_equal(tmli_arnoldi_solve(&def, NULL, b, vectors, &found, &err), TML_OK);
    assert_memory_equal(a, b, sizeof a);
}

static void break_operator(const double complex *x, double complex *y, void *user)
{
    apply(x, y, user);
    y[7] = (double complex)NAN;
}

static void refuses(void **state)
{
    (void)state;
    if (!tmli_arnoldi_available()) skip();
    double complex values[N], vectors[1];
    int found = 1, zeros = 0;
    tmli_arnoldi_def def = {.n = N,
                            .count = N - 1,
                            .restarts = 99,
                            .apply = apply,
                            .user = &zeros,
                            .enter = tmli_library_enter,
                            .leave = tmli_library_leave};
    assert_int_equal(tmli_arnoldi_solve(&def, NULL, values, vectors, &found, &err), TML_ERR_ARG);
    assert_int_equal(found, 0);
    assert_non_null(strstr(err.msg, "expected 1 to 58"));
    double complex room[2 * N];
    def.count = 2;
    def.apply = break_operator;
    assert_int_equal(tmli_arnoldi_solve(&def, NULL, values, room, &found, &err), TML_ERR_SINGULAR);
    def.filter = 1;
    assert_int_equal(tmli_arnoldi_solve(&def, NULL, values, room, &found, &err), TML_ERR_SINGULAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_eigenvalues),
        cmocka_unit_test(same_bits_each_time),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
