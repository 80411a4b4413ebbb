// Statistics, rank correlations and Sobol indices of tables with known answers.
#include "study/study.h"
#include "support.h"

static const double pi = 3.141592653589793;

static tml_study study_with(tmli_study_parameter *p, int parameters, int quantities, tmli_sampling method,
                            int members)
{
    tml_study s = {.path = "s.yaml",
                   .nparameters = parameters,
                   .nquantities = quantities,
                   .parameter = p,
                   .sampling = method,
                   .wanted = members,
                   .seed = 1};
    assert_int_equal(tmli_sample_check(&s, NULL), TML_OK);
    return s;
}

static void statistics(void **state)
{
    (void)state;
    tmli_study_parameter p[] = {
        {.name = "a", .from = 0, .to = 1, .steps = 101, .mean = NAN, .deviation = NAN}};
    const tml_study s = study_with(p, 1, 3, TMLI_SAMPLING_GRID, 0);
    tml_study_table *t = NULL;
    tml_error err = {0};
    assert_int_equal(tmli_table_create(&s, &t, &err), TML_OK);
    for (long i = 100; i >= 0; i--) {
        const double a = (double)i / 100, row[] = {a, exp(3 * a), i % 10 == 3 ? NAN : -a * a * a, 0.731};
        assert_int_equal(tmli_table_add(t, i, row, "", &err), TML_OK);
    }
    assert_int_equal(tmli_table_sort(t, &err), TML_OK);
    tml_study_statistics x;
    assert_int_equal(tml_study_table_statistics(t, 0, &x, &err), TML_OK);
    assert_int_equal(x.count, 101);
    CHECK_CLOSE(x.mean, 0.5, 1e-14);
    CHECK_CLOSE(x.deviation, sqrt(0.085850), 1e-14);  // n (n + 1)/12 in steps of 0.01, n = 101
    CHECK_CLOSE(x.median, 0.5, 1e-14);
    CHECK_CLOSE(x.low, 0.05, 1e-14);
    CHECK_CLOSE(x.high, 0.95, 1e-14);
    assert_true(x.least == 0 && x.most == 1);
    assert_int_equal(tml_study_table_statistics(t, 2, &x, &err), TML_OK);
    assert_int_equal(x.count, 91);
    double r;
    assert_int_equal(tml_study_table_correlation(t, 0, 1, &r, &err), TML_OK);
    CHECK_CLOSE(r, 1, 1e-12);  // of ranks: any rising curve
    assert_int_equal(tml_study_table_correlation(t, 1, 2, &r, &err), TML_OK);
    CHECK_CLOSE(r, -1, 1e-12);
    assert_int_equal(tml_study_table_correlation(t, 0, 3, &r, &err), TML_OK);
    assert_true(isnan(r));  // a constant
    assert_int_equal(tml_study_table_statistics(t, 4, &x, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_table_correlation(t, 0, 4, &r, &err), TML_ERR_ARG);
    tml_study_table_destroy(t);
}

// Ishigami's function sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1 on [-pi, pi]^3: with V = 49/8 + 0.1 pi^4/5 +
// 0.01 pi^8/18 + 1/2, V1 = (1 + 0.1 pi^4/5)^2/2, V2 = 49/8, V13 = 0.01 pi^8 (1/18 - 1/50).
static void sobol_indices(void **state)
{
    (void)state;
    enum { N = 4096 };
    tmli_study_parameter p[3];
    for (int i = 0; i < 3; i++)
        p[i] = (tmli_study_parameter){.name = "x", .from = -pi, .to = pi, .mean = NAN, .deviation = NAN};
    const tml_study s = study_with(p, 3, 1, TMLI_SAMPLING_SALTELLI, N);
    tml_study_table *t = NULL;
    tml_error err = {0};
    assert_int_equal(tmli_table_create(&s, &t, &err), TML_OK);
    for (long i = 0; i < s.members; i++) {
        double row[4];
        tmli_sample(&s, i, row);
        row[3] = i == 77 ? NAN : 5 + sin(row[0]) * (1 + 0.1 * pow(row[2], 4)) + 7 * pow(sin(row[1]), 2);
        assert_int_equal(tmli_table_add(t, i, row, "", &err), TML_OK);
    }
    assert_int_equal(tmli_table_sort(t, &err), TML_OK);
    const double p4 = pow(pi, 4), v1 = pow(1 + 0.1 * p4 / 5, 2) / 2, v2 = 49.0 / 8,
                 v13 = 0.01 * p4 * p4 * (1.0 / 18 - 1.0 / 50), v = v1 + v2 + v13;
    const double first[3] = {v1 / v, v2 / v, 0}, total[3] = {(v1 + v13) / v, v2 / v, v13 / v};
    for (int j = 0; j < 3; j++) {
        tml_study_indices x;
        assert_int_equal(tml_study_sobol(&s, t, j, 0, &x, &err), TML_OK);
        assert_int_equal(x.points, N - (77 % 5 == 2 + j));
        CHECK_CLOSE(x.first, first[j], 0.02);  // a few per cent at 4096 points
        CHECK_CLOSE(x.total, total[j], 0.02);
    }
    tml_study_table_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(statistics), cmocka_unit_test(sobol_indices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
