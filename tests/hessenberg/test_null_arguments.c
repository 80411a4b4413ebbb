// Every public function of libtrammel_hessenberg refuses NULL, or documents that it does nothing.
#include "support.h"

#include "hessenberg/hessenberg.h"
#include <math.h>

static void refused(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_hessenberg *h = NULL;
    double out = 0;
    const tml_hessenberg_def def = tml_hessenberg_def_default();
    assert_int_equal(tml_hessenberg_create(NULL, NULL, &h, &err), TML_ERR_ARG);
    assert_int_equal(tml_hessenberg_create(&def, NULL, NULL, &err), TML_ERR_ARG);
    assert_int_equal(tml_hessenberg_run(NULL, 1, &err), TML_ERR_ARG);
    assert_int_equal(tml_hessenberg_step(NULL, &err), TML_ERR_ARG);
    assert_int_equal(tml_hessenberg_residual(NULL, &out, &err), TML_ERR_ARG);
    assert_int_equal(tml_hessenberg_check(NULL, 0, NULL, &out, &err), TML_ERR_ARG);
    assert_true(err.msg[0] != 0);
    assert_true(isnan(tml_hessenberg_time(NULL)));
    assert_null(tml_hessenberg_x(NULL));
    assert_null(tml_hessenberg_y(NULL));
    assert_int_equal(tml_hessenberg_counters(NULL).steps, 0);
    tml_hessenberg_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
