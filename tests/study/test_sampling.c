// Samples: known points, even coverage, distributions, independence of order.
#include "study/file/study.h"
#include "support.h"

// ---- Sobol's sequence -------------------------------------------------------------------------------------

// The first points in the order of Gray's code, as every table of the sequence prints them.
static void known_points(void **state)
{
    (void)state;
    static const double expected[8][3] = {{0, 0, 0},
                                          {0.5, 0.5, 0.5},
                                          {0.75, 0.25, 0.25},
                                          {0.25, 0.75, 0.75},
                                          {0.375, 0.375, 0.625},
                                          {0.875, 0.875, 0.125},
                                          {0.625, 0.125, 0.875},
                                          {0.125, 0.625, 0.375}};
    for (uint32_t i = 0; i < 8; i++)
        for (int d = 0; d < 3; d++)
            assert_true((double)tmli_sobol(i ^ i >> 1, d) * 0x1p-32 == expected[i][d]);
}

// Any 2^k points from a multiple of 2^k on have one point in each of 2^k layers, in every dimension.
static void one_point_per_layer(void **state)
{
    (void)state;
    enum { BITS = 10, N = 1 << BITS };
    for (int d = 0; d < TMLI_SOBOL_DIMENSIONS; d++)
        for (uint32_t block = 0; block < 3; block++) {
            unsigned char seen[N] = {0};
            for (uint32_t i = 0; i < N; i++) seen[tmli_sobol(block * N + i, d) >> (32 - BITS)]++;
            for (int i = 0; i < N; i++) assert_int_equal(seen[i], 1);
        }
}

// No two dimensions are alike: the correlation of 1,024 points is small.
static void dimensions_differ(void **state)
{
    (void)state;
    enum { N = 1024 };
    for (int a = 0; a < TMLI_SOBOL_DIMENSIONS; a++)
        for (int b = 0; b < a; b++) {
            double sum = 0;
            for (uint32_t i = 0; i < N; i++)
                sum +=
                    ((double)tmli_sobol(i, a) * 0x1p-32 - 0.5) * ((double)tmli_sobol(i, b) * 0x1p-32 - 0.5);
            CHECK_SMALL(12 * sum / N, 0.1);  // 1 for equal ones, 0.03 for independent random ones
        }
}

// ---- random numbers ---------------------------------------------------------------------------------------

static void quantiles(void **state)
{
    (void)state;
    static const double known[][2] = {{0.5, 0},
                                      {0.975, 1.959963984540054},
                                      {0.8413447460685429, 1},
                                      {0.0013498980316300933, -3},
                                      {9.865876450376946e-10, -6}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        CHECK_CLOSE(tmli_normal_quantile(known[i][0]), known[i][1], 1e-13 * (1 + fabs(known[i][1])));
}

static void order_is_a_permutation(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 2, 3, 16, 17, 731, 1000};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        unsigned char seen[1000] = {0};
        uint64_t fixed = 0;
        for (uint64_t i = 0; i < counts[k]; i++) {
            const uint64_t place = tmli_random_place(7, 3, counts[k], i);
            assert_true(place < counts[k]);
            assert_int_equal(seen[place]++, 0);
            fixed += place == i;
        }
        if (counts[k] > 100) assert_true(fixed < 10);  // one is expected in a random order
    }
}

static void bits_are_random(void **state)
{
    (void)state;
    enum { N = 4096 };
    double mean = 0, square = 0, lagged = 0, last = 0.5;
    assert_true(tmli_random_unit(0) > 0 && tmli_random_unit(UINT64_MAX) < 1);
    for (uint64_t i = 0; i < N; i++) {
        const double u = tmli_random_unit(tmli_random_bits(1, i, 0));
        assert_true(u > 0 && u < 1);
        mean += u / N;
        square += (u - 0.5) * (u - 0.5) / N;
        lagged += (u - 0.5) * (last - 0.5) / N;
        last = u;
    }
    CHECK_CLOSE(mean, 0.5, 4 * sqrt(1.0 / 12 / N));
    CHECK_CLOSE(square, 1.0 / 12, 4 * sqrt(1.0 / 180 / N));
    CHECK_SMALL(lagged, 4 * (1.0 / 12) / sqrt(N));
    assert_true(tmli_random_bits(1, 2, 3) != tmli_random_bits(1, 3, 2));
    assert_true(tmli_random_bits(1, 2, 3) != tmli_random_bits(2, 2, 3));
}

// ---- members ----------------------------------------------------------------------------------------------

static tml_study sample_of(tmli_study_parameter *p, int count, tmli_sampling method, int members)
{
    tml_study s = {.path = "s.yaml",
                   .nparameters = count,
                   .parameter = p,
                   .sampling = method,
                   .wanted = members,
                   .seed = 5};
    tml_error err = {0};
    const tml_status st = tmli_sample_check(&s, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
    return s;
}

#define RANGE(a, b) .from = (a), .to = (b), .mean = NAN, .deviation = NAN

static void grids_and_lists(void **state)
{
    (void)state;
    static const double values[] = {7, 11, 13};
    tmli_study_parameter p[] = {
        {.name = "a", RANGE(1, 100), .steps = 3, .distribution = TMLI_DISTRIBUTION_LOG_UNIFORM},
        {.name = "b", RANGE(NAN, NAN), .count = 3, .values = values}};
    tml_study s = sample_of(p, 2, TMLI_SAMPLING_GRID, 0);
    double x[2];
    assert_int_equal(s.members, 9);
    tmli_sample(&s, 5, x);
    CHECK_CLOSE(x[0], 10, 1e-13);
    assert_true(x[1] == 13);
    s = sample_of(p, 2, TMLI_SAMPLING_LIST, 0);
    assert_int_equal(s.members, 3);
    tmli_sample(&s, 2, x);
    assert_true(x[0] == 100 && x[1] == 13);
}

static void latin_hypercube(void **state)
{
    (void)state;
    enum { N = 97 };
    tmli_study_parameter p[] = {{.name = "a", RANGE(2, 5)}, {.name = "b", RANGE(-1, 1)}};
    const tml_study s = sample_of(p, 2, TMLI_SAMPLING_LATIN_HYPERCUBE, N);
    unsigned char seen[2][N] = {{0}};
    for (long i = 0; i < N; i++) {
        double x[2];
        tmli_sample(&s, i, x);
        seen[0][(int)((x[0] - 2) / 3 * N)]++;
        seen[1][(int)((x[1] + 1) / 2 * N)]++;
    }
    for (int i = 0; i < N; i++) assert_true(seen[0][i] == 1 && seen[1][i] == 1);
}

// Mean and deviation of a normal and of a log-uniform parameter.
static void distributions(void **state)
{
    (void)state;
    enum { N = 4096 };
    static const tmli_sampling methods[] = {TMLI_SAMPLING_RANDOM, TMLI_SAMPLING_LATIN_HYPERCUBE,
                                            TMLI_SAMPLING_SOBOL};
    tmli_study_parameter p[] = {{.name = "a",
                                 .from = NAN,
                                 .to = NAN,
                                 .mean = 3,
                                 .deviation = 0.5,
                                 .distribution = TMLI_DISTRIBUTION_NORMAL},
                                {.name = "b", RANGE(1, 100), .distribution = TMLI_DISTRIBUTION_LOG_UNIFORM}};
    for (int k = 0; k < 3; k++) {
        const tml_study s = sample_of(p, 2, methods[k], N);
        double mean = 0, square = 0, log_mean = 0;
        for (long i = 0; i < N; i++) {
            double x[2];
            tmli_sample(&s, i, x);
            mean += x[0] / N;
            square += (x[0] - 3) * (x[0] - 3) / N;
            log_mean += log(x[1]) / N;
        }
        const double random = methods[k] == TMLI_SAMPLING_RANDOM ? 4 / sqrt(N) : 1e-2;  // 4 deviations
        CHECK_CLOSE(mean, 3, 0.5 * random);
        CHECK_CLOSE(square, 0.25, 0.25 * 1.5 * random);
        CHECK_CLOSE(log_mean, log(10), 1.33 * random);  // deviation log(100)/sqrt(12)
    }
}

// A, B, and A with one parameter of B.
static void saltelli(void **state)
{
    (void)state;
    tmli_study_parameter p[] = {{.name = "a", RANGE(0, 1)}, {.name = "b", RANGE(0, 1)}};
    const tml_study s = sample_of(p, 2, TMLI_SAMPLING_SALTELLI, 16);
    assert_int_equal(s.members, 64);
    for (long i = 0; i < 64; i += 4) {
        double a[2], b[2], ab0[2], ab1[2];
        tmli_sample(&s, i, a);
        tmli_sample(&s, i + 1, b);
        tmli_sample(&s, i + 2, ab0);
        tmli_sample(&s, i + 3, ab1);
        assert_true(a[0] != b[0] && a[1] != b[1]);
        assert_true(ab0[0] == b[0] && ab0[1] == a[1]);
        assert_true(ab1[0] == a[0] && ab1[1] == b[1]);
    }
}

static void wrong_samples(void **state)
{
    (void)state;
    tmli_study_parameter p[] = {{.name = "a", RANGE(-1, 1), .distribution = TMLI_DISTRIBUTION_LOG_UNIFORM}};
    tml_study s = {.path = "s.yaml", .nparameters = 1, .parameter = p, .sampling = TMLI_SAMPLING_RANDOM};
    tml_error err = {0};
    assert_int_equal(tmli_sample_check(&s, &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "numbers > 0"));
    p[0].distribution = TMLI_DISTRIBUTION_UNIFORM;
    assert_int_equal(tmli_sample_check(&s, &err), TML_ERR_SYNTAX);
    assert_non_null(strstr(err.msg, "'members'"));
    s.sampling = TMLI_SAMPLING_GRID;
    assert_int_equal(tmli_sample_check(&s, &err), TML_ERR_SYNTAX);
    assert_non_null(strstr(err.msg, "'count'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_points),           cmocka_unit_test(one_point_per_layer),
        cmocka_unit_test(dimensions_differ),      cmocka_unit_test(quantiles),
        cmocka_unit_test(order_is_a_permutation), cmocka_unit_test(bits_are_random),
        cmocka_unit_test(grids_and_lists),        cmocka_unit_test(latin_hypercube),
        cmocka_unit_test(distributions),          cmocka_unit_test(saltelli),
        cmocka_unit_test(wrong_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
