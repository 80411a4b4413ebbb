// Every public function of libtrammel_view refuses NULL, or documents that it does nothing.
#include "support.h"

#include <trammel/view.h>

static void refused(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_scene *scene = NULL;
    tml_spec *spec = NULL;
    assert_int_equal(tml_spec_create(NULL, &spec, &err), TML_OK);
    assert_int_equal(tml_scene_create(NULL, NULL, NULL, &scene, &err), TML_ERR_ARG);
    assert_int_equal(tml_scene_create(spec, NULL, NULL, &scene, &err), TML_ERR_ARG);
    assert_null(scene);
    assert_null(tml_scene_text(NULL));
    assert_int_equal(tml_page_write(NULL, NULL, "a.html", NULL, NULL, &err), TML_ERR_ARG);
    assert_true(err.msg[0] != 0);
    tml_scene_destroy(NULL);
    tml_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
