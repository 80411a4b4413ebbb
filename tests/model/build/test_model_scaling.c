// Building takes time in proportion to the number of bodies: chains, stars, bodies glued together, springs
// and bodies on their own. Processor time of four times as many bodies is compared; a search that visits all
// joints for every body would take 16 times as long.
#define _POSIX_C_SOURCE 200809L
#include "model/build/build.h"
#include "support.h"

#include <time.h>

enum { BODIES = 3000, TIMES = 4, TRIALS = 3 };

typedef enum topology { CHAIN, BACKWARDS, STAR, GLUED, SPRINGS, FREE } topology;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add_joint(tml_spec *spec, topology kind, int a, int b)
{
    char name[24], first[24], second[24];
    snprintf(name, sizeof name, "j%d_%d", a, b);
    snprintf(first, sizeof first, "b%d", a);
    snprintf(second, sizeof second, "b%d", b);
    tml_error err = {0};
    if (kind == SPRINGS) {
        tml_force_def spring = tml_force_def_default();
        spring.type = TML_FORCE_TORSION;
        spring.name = name;
        spring.a = first;
        spring.b = second;
        spring.stiffness = 3.7;
        if (tml_spec_add_force(spec, &spring, &err) != TML_OK) fail_msg("%s", err.msg);
        return;
    }
    tml_joint_def joint = tml_joint_def_default();
    joint.type = kind == GLUED ? TML_JOINT_FIXED : TML_JOINT_REVOLUTE;
    joint.name = name;
    joint.a = first;
    joint.b = second;
    joint.has_point = true;
    if (kind != GLUED) joint.angle = 0;  // stated: every other angle asks for it
    if (tml_spec_add_joint(spec, &joint, &err) != TML_OK) fail_msg("%s", err.msg);
}

// [s]
static double time_of_build(topology kind, int bodies)
{
    tml_spec *spec;
    tml_error err = {0};
    assert_int_equal(tml_spec_create(NULL, &spec, &err), TML_OK);
    tml_spec_set_planar(spec, true);
    for (int i = 0; i < bodies; i++) {
        char name[24];
        snprintf(name, sizeof name, "b%d", i);
        tml_body_def body = tml_body_def_default();
        body.name = name;
        body.mass = 1.3;
        body.inertia[2] = 0.7;
        if (tml_spec_add_body(spec, &body, &err) != TML_OK) fail_msg("%s", err.msg);
    }
    for (int i = 1; i < bodies && kind != FREE; i++)
        add_joint(spec, kind,
                  kind == STAR        ? 0
                  : kind == BACKWARDS ? bodies - i
                                      : i - 1,
                  kind == BACKWARDS ? bodies - i - 1 : i);
    tml_model *m;
    const double begin = now();
    if (tmli_model_build(spec, &m, &err) != TML_OK) fail_msg("%s", err.msg);
    const double end = now();
    assert_int_equal(m->nbodies, bodies);
    tml_model_destroy(m);
    tml_spec_destroy(spec);
    return end - begin;
}

// The least of some trials: others may use the machine. A tick of the clock may be 4 ms.
static double least_time(topology kind, int bodies)
{
    double least = INFINITY;
    for (int i = 0; i < TRIALS; i++) least = fmin(least, time_of_build(kind, bodies));
    return least + 4e-3;
}

static void grows_linearly(topology kind)
{
    skip_if_slow("it measures times");
    const double few = least_time(kind, BODIES), many = least_time(kind, TIMES * BODIES);
    if (many > 2 * TIMES * few) fail_msg("%d bodies take %g s, %d %g s", BODIES, few, TIMES * BODIES, many);
}

static void chain(void **state) { (void)state, grows_linearly(CHAIN); }
static void backwards(void **state) { (void)state, grows_linearly(BACKWARDS); }
static void star(void **state) { (void)state, grows_linearly(STAR); }
static void glued(void **state) { (void)state, grows_linearly(GLUED); }
static void springs(void **state) { (void)state, grows_linearly(SPRINGS); }
static void free_bodies(void **state) { (void)state, grows_linearly(FREE); }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chain),   cmocka_unit_test(backwards),
                                       cmocka_unit_test(star),    cmocka_unit_test(glued),
                                       cmocka_unit_test(springs), cmocka_unit_test(free_bodies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
