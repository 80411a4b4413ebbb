// The order of loops: in a row of pendulums that rods join with their neighbours, each row of the Schur
// complement has its own loop and the one before it, in whatever order the model names the rods.
#include "support/support.h"
#include "system/joint_space/internal.h"
#include "system/joint_space/joint_space.h"

#include <trammel/model.h>
#include <trammel/spec.h>

enum { RODS = 9 };

// first: the place of the rod that is named first.
static void check_row(int first)
{
    char text[4000];
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_system *sys = NULL;
    size_t n = (size_t)snprintf(text, sizeof text, "planar: true\nbodies:\n");
    for (int i = 0; i <= RODS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  b%d: {mass: 1, inertia: 1, position: [%d, -1]}\n",
                              i, i);
    n += (size_t)snprintf(text + n, sizeof text - n, "joints:\n");
    for (int i = 0; i <= RODS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "  p%d: {type: revolute, a: ground, b: b%d, point: [%d, 0]}\n", i, i, i);
    for (int k = 0; k < RODS; k++) {
        const int i = (first + 4 * k) % RODS;  // 4 and RODS have no common factor
        n += (size_t)snprintf(text + n, sizeof text - n, "  r%d: {type: distance, a: b%d, b: b%d}\n", i, i,
                              i + 1);
    }
    assert_true(n < sizeof text - 1);
    if (tml_spec_parse(text, strlen(text), "row.yaml", NULL, 0, NULL, &spec, &err) != TML_OK ||
        tml_model_build(spec, &model, &err) != TML_OK ||
        tmli_joint_space_create(tml_model_system(model), false, INFINITY, &sys, &err) != TML_OK)
        fail_msg("%s", err.msg);
    const tmli_joint_space *s = sys->self;
    assert_int_equal(s->nloops, RODS);
    assert_int_equal(s->m, RODS);
    for (int i = 0; i < RODS; i++) assert_int_equal(s->skyline[i + 1] - s->skyline[i], i == 0 ? 1 : 2);
    tml_system_destroy(sys);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

static void rows_of_rods(void **state)
{
    (void)state;
    for (int first = 0; first < RODS; first++) check_row(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_rods)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
