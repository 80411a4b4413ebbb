// Every public function of libtrammel_plot refuses NULL, or documents that it does nothing.
#include "support.h"

#include <trammel/plot.h>

static void refused(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_plot *plot = NULL;
    const tml_plot_def def = tml_plot_def_default();
    const tml_series_def series = tml_series_def_default();
    assert_int_equal(tml_plot_create(NULL, NULL, &plot, &err), TML_ERR_ARG);
    assert_int_equal(tml_plot_create(&def, NULL, NULL, &err), TML_ERR_ARG);
    assert_int_equal(tml_plot_add(NULL, &series, &err), TML_ERR_ARG);
    assert_int_equal(tml_plot_add_slope(NULL, 1, 1, 1, 2, NULL, &err), TML_ERR_ARG);
    assert_int_equal(tml_plot_write(NULL, "a.svg", &err), TML_ERR_ARG);
    assert_int_equal(tml_plot_write_stacked(NULL, 1, "a.svg", &err), TML_ERR_ARG);
    assert_true(err.msg[0] != 0);
    tml_plot_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
