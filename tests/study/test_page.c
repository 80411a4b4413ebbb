// The reference page of study files is that of their schema.
#include "page.h"

#include "study/file/study.h"

static void page(void **state)
{
    (void)state;
    check_page("study-file.md", tmli_study_markdown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
