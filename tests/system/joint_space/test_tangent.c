// The checks of test_multibody_tangent.c with every subject in joint coordinates, and with trees of several
// joints.
#define MB_ON_JOINTS
#define main tangent_main
#include "system/multibody/test_tangent.c"
#undef main
#include "system/joint_trees.h"

static void tree_matrix(void **state)
{
    (void)state;
    for_all_trees(check_matrix);
}
static void tree_factors(void **state)
{
    (void)state;
    for_all_trees(check_factors);
}
static void tree_diagonals(void **state)
{
    (void)state;
    for_all_trees(check_diagonals);
}
static void tree_parts(void **state)
{
    (void)state;
    for_all_trees(check_parts);
}
static void tree_rows(void **state)
{
    (void)state;
    for_all_trees(check_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tree_matrix), cmocka_unit_test(tree_factors),
                                       cmocka_unit_test(tree_diagonals), cmocka_unit_test(tree_parts),
                                       cmocka_unit_test(tree_rows)};
    return tangent_main() + cmocka_run_group_tests(tests, NULL, NULL);
}
