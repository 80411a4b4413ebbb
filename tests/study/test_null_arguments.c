// Public functions refuse NULL with a status and a sentence.
#include "support.h"

#include <trammel/study.h>

static void refuse_null(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_study *s = NULL;
    tml_study_worker *w = NULL;
    tml_study_table *t = NULL;
    tml_study_run_def def = tml_study_run_def_default();
    tml_study_progress p;
    double x = 0;
    assert_int_equal(def.size, sizeof def);
    assert_int_equal(tml_study_read(NULL, NULL, &s, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_read("s.yaml", NULL, NULL, NULL), TML_ERR_ARG);
    assert_int_equal(tml_study_read("there/is/none.yaml", NULL, &s, &err), TML_ERR_IO);
    assert_null(s);
    assert_int_equal(tml_study_parameters(NULL, 0, &x, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_worker_create(NULL, &w, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_worker_run(NULL, 0, &x, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_run(NULL, &def, &p, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_merge(NULL, "x", NULL, 0, &p, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_table_read(NULL, "x", &t, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_table_write(NULL, NULL, "x.csv", &err), TML_ERR_ARG);
    tml_study_statistics statistics;
    tml_study_indices indices;
    assert_int_equal(tml_study_table_statistics(NULL, 0, &statistics, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_table_correlation(NULL, 0, 1, &x, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_sobol(NULL, NULL, 0, 0, &indices, &err), TML_ERR_ARG);
    tml_spec *spec = NULL;
    assert_int_equal(tml_study_member_spec(NULL, &x, &spec, &err), TML_ERR_ARG);
    assert_false(tml_study_records(NULL, 0, 0));
    assert_false(tml_study_has_indices(NULL));
    assert_false(tml_study_optimizes(NULL));
    assert_int_equal(tml_study_optimize(NULL, &def, NULL, &p, NULL, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_goal(NULL, &x, &x, &x, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_constraints(NULL, &x, &x, &err), TML_ERR_ARG);
    assert_null(tml_study_goal_text(NULL, NULL));
    assert_int_equal(tml_study_constraint_count(NULL), 0);
    assert_null(tml_study_constraint_name(NULL, 0));
    assert_int_equal(tml_study_at_bound(NULL, 0, 1, NULL), 0);
    assert_true(tml_study_tolerance(NULL) == 0);
    assert_string_equal(tml_study_column_unit(NULL, 0), "");
    assert_string_equal(tml_study_title(NULL), "");
    assert_null(tml_study_spec(NULL));
    assert_int_equal(tml_study_member_count(NULL), 0);
    assert_int_equal(tml_study_parameter_count(NULL), 0);
    assert_int_equal(tml_study_quantity_count(NULL), 0);
    assert_null(tml_study_parameter_name(NULL, 0));
    assert_null(tml_study_quantity_name(NULL, 0));
    assert_false(tml_study_in_place(NULL));
    assert_int_equal(tml_study_table_count(NULL), 0);
    assert_int_equal(tml_study_table_member(NULL, 0), -1);
    assert_null(tml_study_table_values(NULL, 0));
    assert_null(tml_study_table_message(NULL, 0));
    tml_study_destroy(NULL);
    tml_study_worker_destroy(NULL);
    tml_study_table_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refuse_null)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
