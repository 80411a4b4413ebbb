// Allocation fails at the k-th call, for all k: a status, a sentence, no leak, no crash.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <trammel/spec.h>
#include <unistd.h>

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
    counter *c = user;
    c->live--;
    free(ptr);
}

static int enter(void **state)
{
    (void)state;
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/io/good", root ? root : ".");
    return chdir(path);
}

static void every_allocation(const char *name)
{
    for (long k = 1;; k++) {
        counter c = {.fail_at = k};
        const tml_env env = {.alloc = count_alloc, .free = count_free, .user = &c};
        tml_spec *spec = NULL;
        tml_error err = {0};
        const tml_status st = tml_spec_read(name, NULL, 0, &env, &spec, &err);
        if (st == TML_OK) {
            assert_non_null(spec);
            tml_spec_destroy(spec);
            assert_int_equal(c.live, 0);
            assert_true(k > 20 && c.calls < k);
            return;
        }
        if (st != TML_ERR_NOMEM || spec || !err.msg[0]) fail_msg("%s, call %ld: %d %s", name, k, st, err.msg);
        assert_int_equal(c.live, 0);
    }
}

static void slider_crank(void **state)
{
    (void)state;
    every_allocation("slider_crank.yaml");
}
static void spatial(void **state)
{
    (void)state;
    every_allocation("spatial.yaml");
}
static void chain(void **state)
{
    (void)state;
    every_allocation("chain.yaml");
}
static void robot(void **state)
{
    (void)state;
    every_allocation("robot.urdf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slider_crank), cmocka_unit_test(spatial),
                                       cmocka_unit_test(chain), cmocka_unit_test(robot)};
    return cmocka_run_group_tests(tests, enter, NULL);
}
