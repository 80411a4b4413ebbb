// Allocation fails at the k-th call, for all k: a status, a sentence, nothing left behind.
#include "model/build/build.h"
#include "support.h"

typedef struct counter {
    long calls, fail_at, live;
} counter;

static void *count_alloc(size_t bytes, void *user)
{
    counter *c = user;
    if (++c->calls == c->fail_at) return NULL;
    c->live++;
    return malloc(bytes);
}

static void count_free(void *ptr, void *user)
{
    ((counter *)user)->live--;
    free(ptr);
}

// Enough of everything that the arena takes several blocks.
static void fill(tml_spec *spec, int bodies)
{
    tml_error err = {0};
    char name[8][24], of[40], law[80];
    for (int i = 0; i < bodies; i++) {
        for (int k = 0; k < 8; k++) snprintf(name[k], sizeof name[k], "%c%d", "bjfdsogr"[k], i);
        tml_body_def body = tml_body_def_default();
        body.name = name[0];
        body.mass = 1.3;
        for (int k = 0; k < 3; k++) body.inertia[k] = 0.7;
        body.position[0] = 0.4 + i;
        assert_int_equal(tml_spec_add_body(spec, &body, &err), TML_OK);
        tml_joint_def joint = tml_joint_def_default();
        joint.name = name[1];
        joint.type = TML_JOINT_CYLINDRICAL;
        joint.a = "ground";
        joint.b = name[0];
        joint.has_point = true;
        assert_int_equal(tml_spec_add_joint(spec, &joint, &err), TML_OK);
        tml_joint_def driver = tml_joint_def_default();
        snprintf(of, sizeof of, "j%d.angle", i);
        driver.name = name[3];
        driver.type = TML_JOINT_DRIVER;
        driver.of = of;
        driver.motion = "0.3*t";
        assert_int_equal(tml_spec_add_joint(spec, &driver, &err), TML_OK);
        static const double table[] = {-1, -2, 0, 0, 1, 3};
        tml_force_def spring = tml_force_def_default();
        snprintf(law, sizeof law, "b%d.x*length + distance(b0, ground) + b0.wz*b%d.vy", i, i);
        spring.name = name[4];
        spring.type = TML_FORCE_SPRING;
        spring.a = "ground";
        spring.b = name[0];
        spring.law = law;
        spring.table = table;
        spring.table_count = 3;
        assert_int_equal(tml_spec_add_force(spec, &spring, &err), TML_OK);
        tml_force_def push = tml_force_def_default();
        push.name = name[7];
        push.type = TML_FORCE_APPLIED;
        push.b = name[0];
        push.torque[1] = "sin(t)";
        assert_int_equal(tml_spec_add_force(spec, &push, &err), TML_OK);
        char way[24], tyre[24];
        snprintf(way, sizeof way, "way%d", i);
        snprintf(tyre, sizeof tyre, "tyre%d", i);
        tml_road_def road = tml_road_def_default();
        road.name = way;
        road.type = TML_ROAD_TABLE;
        road.table = table;
        road.table_count = 3;
        assert_int_equal(tml_spec_add_road(spec, &road, &err), TML_OK);
        tml_force_def wheel = tml_force_def_default();
        wheel.name = tyre;
        wheel.type = TML_FORCE_TYRE;
        wheel.b = name[0];
        wheel.road = way;
        wheel.radius = 0.4;
        wheel.table = table;
        wheel.table_count = 3;
        assert_int_equal(tml_spec_add_force(spec, &wheel, &err), TML_OK);
        tml_output_def output = tml_output_def_default();
        output.name = name[5];
        output.value = of;
        assert_int_equal(tml_spec_add_output(spec, &output, &err), TML_OK);
        tml_event_def event = tml_event_def_default();
        event.name = name[6];
        event.when = "b0.x - 0.1";
        assert_int_equal(tml_spec_add_event(spec, &event, &err), TML_OK);
    }
}

static void every_call(tml_spec *spec, counter *c, long least)
{
    const long before = c->live;
    for (long k = 1;; k++) {
        tml_error err = {0};
        tml_model *model = NULL;
        c->calls = 0;
        c->fail_at = k;
        const tml_status st = tmli_model_build(spec, &model, &err);
        if (c->calls < k) {  // it did not come to the k-th call
            assert_int_equal(st, TML_OK);
            assert_non_null(model);
            tml_model_destroy(model);
            assert_int_equal(c->live, before);
            if (k < least) fail_msg("only %ld allocations", k);
            return;
        }
        if (st != TML_ERR_NOMEM || model || !err.msg[0]) fail_msg("call %ld: status %d, %s", k, st, err.msg);
        assert_int_equal(c->live, before);
    }
}

static void calls(void **state)
{
    (void)state;
    counter c = {0};
    const tml_env env = {.alloc = count_alloc, .free = count_free, .user = &c};
    tml_error err = {0};
    tml_spec *spec;
    assert_int_equal(tml_spec_create(&env, &spec, &err), TML_OK);
    fill(spec, 25);
    every_call(spec, &c, 200);
    c.fail_at = 0;
    tml_spec_destroy(spec);
    assert_int_equal(c.live, 0);
}

// From a file: positions are kept too.
static void file(void **state)
{
    (void)state;
    static const char *const files[] = {"andrews",      "heavy_top",         "stiff_double_pendulum",
                                        "chain",        "contact/gear_pair", "contact/tyre_stop",
                                        "contact/hills"};
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/models/%s.yaml", root ? root : ".", files[i]);
        counter c = {0};
        const tml_env env = {.alloc = count_alloc, .free = count_free, .user = &c};
        tml_error err = {0};
        tml_spec *spec;
        if (tml_spec_read(path, NULL, 0, &env, &spec, &err) != TML_OK) fail_msg("%s", err.msg);
        every_call(spec, &c, 15);
        c.fail_at = 0;
        tml_spec_destroy(spec);
        assert_int_equal(c.live, 0);
    }
}

// A text, a method and names too long for what is left of a block of the arena.
static void long_texts(void **state)
{
    (void)state;
    enum { LONG = 40000 };
    char *text = malloc(LONG);
    assert_non_null(text);
    const int used = snprintf(
        text, LONG,
        "title: long\nbodies:\n  b: {mass: 2, inertia: 0.4}\nrun: {end: 1, method: genalpha, solver: klu}\n");
    memset(text + used, '#', (size_t)(LONG - used));
    text[LONG - 1] = '\n';
    counter c = {0};
    const tml_env env = {.alloc = count_alloc, .free = count_free, .user = &c};
    tml_error err = {0};
    tml_spec *spec;
    if (tml_spec_parse(text, LONG, "long.yaml", NULL, 0, &env, &spec, &err) != TML_OK)
        fail_msg("%s", err.msg);
    every_call(spec, &c, 5);
    c.fail_at = 0;
    tml_spec_destroy(spec);
    assert_int_equal(c.live, 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls), cmocka_unit_test(file),
                                       cmocka_unit_test(long_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
