// Members: the same bits in every worker and after every other member, in place and built again; nothing
// allocated in place; quantities against closed forms.
#include "sim/sim_fixture.h"

#include <trammel/study.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__GLIBC__) && !defined(SANITIZED) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define INTERPOSED 1
#else
#define INTERPOSED 0
#endif

static volatile long process_calls;

#if INTERPOSED
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): glibc's names are reserved
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
void *malloc(size_t bytes)
{
    process_calls = process_calls + 1;
    return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t size)
{
    process_calls = process_calls + 1;
    return __libc_calloc(count, size);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
#endif

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

// A mass on a spring: m x'' = -k x - c x', x(0) = 0.2. k and c are inputs; m is a parameter.
static const char model_text[] =
    "parameters: {m: 2}\n"
    "inputs: {k: {value: 300}, c: {value: 3}, a: {value: 0}}\n"
    "bodies: {cart: {mass: m, inertia: 1, position: [0.2, 0, 0]}}\n"
    "joints: {rail: {type: prismatic, a: ground, b: cart, axis: [1, 0, 0]}}\n"
    "forces: {pull: {type: applied, at: cart, force: [\"-k*cart.x - c*cart.vx\", 0, 0]}}\n"
    "events: {low: {when: cart.x + 0.19}}\n"
    "run: {end: 0.9, tol: 1e-7}\n";

static tml_study *study_of(const char *settings, const char *parameters)
{
    char text[2000];
    write_text("cart.yaml", model_text);
    snprintf(text, sizeof text,
             "model: cart.yaml\n"
             "settings: {%s}\n"
             "sampling: {method: random, members: 12, seed: 3}\n"
             "parameters: {%s}\n"
             "quantities:\n"
             "  last: {of: cart.x}\n"
             "  least: {of: cart.x, take: min}\n"
             "  at: {of: cart.x, take: time_of_min}\n"
             "  zero: {of: cart.x, take: time_of_zero}\n"
             "  rms: {of: cart.vx, take: rms}\n"
             "  work: {of: energy.dissipated}\n"
             "  low: {take: event_time}\n"
             "  hz: {take: frequency}\n"
             "  ratio: {take: damping, at: end}\n"
             "  share: least/0.2 + 0*zero\n",
             settings, parameters);
    write_text("s.yaml", text);
    tml_study *s = NULL;
    tml_error err = {0};
    OK(tml_study_read("s.yaml", NULL, &s, &err));
    return s;
}

enum { WIDTH = 32 };
static const double pi = 3.141592653589793;

static void run_member(tml_study_worker *w, long member, double *out)
{
    tml_error err = {0};
    memset(out, 0, WIDTH * sizeof *out);
    OK(tml_study_worker_run(w, member, out, &err));
}

// Member 5 in a fresh worker, after others, and again.
static void check_order(const char *settings, const char *parameters, bool in_place)
{
    tml_study *s = study_of(settings, parameters);
    tml_study_worker *a = NULL, *b = NULL;
    tml_error err = {0};
    double first[WIDTH], again[WIDTH];
    assert_true(tml_study_in_place(s) == in_place);
    OK(tml_study_worker_create(s, &a, &err));
    OK(tml_study_worker_create(s, &b, &err));
    run_member(a, 5, first);
    for (long m = 11; m >= 0; m--) run_member(b, m, again);
    run_member(b, 5, again);
    assert_memory_equal(first, again, sizeof first);
    run_member(a, 5, again);
    assert_memory_equal(first, again, sizeof first);
    tml_study_worker_destroy(a);
    tml_study_worker_destroy(b);
    tml_study_destroy(s);
}

static void in_place(void **state)
{
    (void)state;
    static const char *const settings[] = {"tol: 1e-4",
                                           "tol: 1e-4, method: bdf",
                                           "tol: 1e-4, method: radau5",
                                           "tol: 1e-4, method: genalpha, rho: 0.9",
                                           "tol: 1e-4, method: adams",
                                           "tol: 1e-4, method: erk8",
                                           "tol: 1e-4, method: for-sdirk",
                                           "tol: 1e-4, method: hht, solver: klu",
                                           "tol: 1e-4, method: ggl"};
    const size_t count = less_if_slow("three methods only") ? 3 : sizeof settings / sizeof *settings;
    for (size_t i = 0; i < count; i++)
        check_order(settings[i], "k: {from: 200, to: 900}, c: {from: 1, to: 20}", true);
}

static void built(void **state)
{
    (void)state;
    check_order("tol: 1e-4", "k: {from: 200, to: 900}, m: {from: 1, to: 3}", false);
    check_order("tol: 1e-4, begin: static", "k: {from: 200, to: 900}", false);
}

// x = 0.2 exp(-d t) (cos w t + d/w sin w t), d = c/(2 m), w^2 = k/m - d^2: first zero, first minimum at
// t = pi/w; the event ends the run before it if the damping is small.
static void closed_form(const char *parameters, bool in_place)
{
    tml_study *s = study_of("output_step: 1e-3", parameters);
    tml_study_worker *w = NULL;
    tml_error err = {0};
    assert_true(tml_study_in_place(s) == in_place);
    OK(tml_study_worker_create(s, &w, &err));
    int passed = 0;
    for (long i = 0; i < 12; i++) {
        double x[WIDTH];
        run_member(w, i, x);
        const double m = in_place ? 2 : x[1], k = x[0], c = in_place ? x[1] : 3, d = c / (2 * m),
                     omega = sqrt(k / m - d * d), least = -0.2 * exp(-d * pi / omega);
        const double *q = x + 2;
        CHECK_CLOSE(q[7], omega / (2 * pi), 1e-5 * omega);
        CHECK_CLOSE(q[8], d / sqrt(k / m), 1e-6);
        CHECK_CLOSE(q[3], (pi / 2 + atan(d / omega)) / omega, 1e-5);
        if (least > -0.19) {
            CHECK_CLOSE(q[1], least, 2e-6);
            CHECK_CLOSE(q[2], pi / omega, 2e-4);
            assert_true(isnan(q[6]));
            passed++;
        } else {
            CHECK_CLOSE(q[0], -0.19, 1e-6);
            assert_true(q[6] < pi / omega && q[6] > 0.7 * pi / omega);
        }
        CHECK_CLOSE(q[9], q[1] / 0.2, 1e-14);
    }
    assert_true(passed >= 3 && passed <= 12);
    tml_study_worker_destroy(w);
    tml_study_destroy(s);
}

static void quantities(void **state)
{
    (void)state;
    closed_form("k: {from: 200, to: 900}, c: {from: 0.2, to: 8}", true);
    closed_form("k: {from: 200, to: 900}, m: {from: 1, to: 3}", false);
}

// Curves of the cart with k = 300 N/m, c = 3 N s/m, m = 2 kg: x, x', x'', and an expression that is rough.
enum { CURVES = 4 };
static const char *const curve_text[CURVES] = {"cart.x", "cart.vx", "cart.ax", "abs(cart.x)*cos(60*t) - a"};
static void curves_at(double t, double f[CURVES])
{
    const double d = 0.75, w2 = 150 - d * d, w = sqrt(w2), e = 0.2 * exp(-d * t);
    f[0] = e * (cos(w * t) + d / w * sin(w * t));
    f[1] = -e * (w + d * d / w) * sin(w * t);
    f[2] = (-300 * f[0] - 3 * f[1]) / 2;
    f[3] = fabs(f[0]) * cos(60 * t) - 0.1;
}

typedef struct exact {
    double most, most_at, least, least_at, mean, rms, zero;
} exact;

// By very many samples.
static exact exact_of(int curve)
{
    enum { SAMPLES = 200000 };
    exact x = {.most = -INFINITY, .least = INFINITY, .zero = NAN};
    double before = 0, f[CURVES];
    for (int i = 0; i <= SAMPLES; i++) {
        const double t = 0.9 * i / SAMPLES, share = (i == 0 || i == SAMPLES ? 0.5 : 1) / SAMPLES;
        curves_at(t, f);
        const double v = f[curve];
        if (v > x.most) x.most = v, x.most_at = t;
        if (v < x.least) x.least = v, x.least_at = t;
        x.mean += share * v;
        x.rms += share * v * v;
        if (isnan(x.zero) && before != 0 && before * v <= 0) x.zero = t;  // not a start at 0
        before = v;
    }
    x.rms = sqrt(x.rms);
    return x;
}

// Peaks, means and zeros are those of the motion, however far rows are apart: with steps longer and shorter
// than their distance, and with rows that have to be computed for accelerations.
static void between_rows(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "method: radau5", "method: bdf, output_step: 0.05",
        "method: erk5",   "method: adams, output_step: 0.5",
        "method: erk8",   "method: genalpha, step: 2e-4, output_step: 0.1"};
    static const char *const takes[] = {"max",  "time_of_max", "min",         "time_of_min",
                                        "mean", "rms",         "time_of_zero"};
    const size_t count = less_if_slow("two methods only") ? 2 : sizeof settings / sizeof *settings;
    for (size_t i = 0; i < count; i++)
        for (int curve = 0; curve < CURVES; curve++) {
            char text[1600];
            double x[WIDTH];
            tml_study *s = NULL;
            tml_study_worker *w = NULL;
            tml_error err = {0};
            write_text("cart.yaml", model_text);
            int n = snprintf(text, sizeof text,
                             "model: cart.yaml\nsettings: {%s}\nsampling: {method: list}\n"
                             "parameters: {k: {values: [300]}, a: {values: [0.1]}}\nquantities:\n",
                             settings[i]);
            for (int q = 0; q < 7; q++)
                n += snprintf(text + n, sizeof text - (size_t)n, "  q%d: {of: \"%s\", take: %s}\n", q,
                              curve_text[curve], takes[q]);
            write_text("s.yaml", text);
            OK(tml_study_read("s.yaml", NULL, &s, &err));
            OK(tml_study_worker_create(s, &w, &err));
            run_member(w, 0, x);
            const exact e = exact_of(curve);
            const double range = e.most - e.least, *q = x + 2;
            CHECK_CLOSE(q[0], e.most, 2e-5 * range);
            CHECK_CLOSE(q[1], e.most_at, 5e-4);
            CHECK_CLOSE(q[2], e.least, 2e-5 * range);
            CHECK_CLOSE(q[3], e.least_at, 5e-4);
            CHECK_CLOSE(q[4], e.mean, 3e-4 * range);
            CHECK_CLOSE(q[5], e.rms, 5e-4 * range);  // the kink of |x| lies anywhere between samples
            CHECK_CLOSE(q[6], e.zero, 1e-4);
            tml_study_worker_destroy(w);
            tml_study_destroy(s);
        }
}

// After the first members nothing is allocated if parameters change in place.
static void allocates_nothing(void **state)
{
    (void)state;
    if (!INTERPOSED || (getenv("LD_PRELOAD") && strstr(getenv("LD_PRELOAD"), "vgpreload"))) skip();
    static const char *const settings[] = {"tol: 1e-4, method: bdf", "tol: 1e-4, method: radau5",
                                           "tol: 1e-4, method: adams"};
    for (int k = 0; k < 3; k++) {
        char text[1200];
        write_text("cart.yaml", model_text);
        snprintf(text, sizeof text,
                 "model: cart.yaml\nsettings: {%s}\nsampling: {method: random, members: 100}\n"
                 "parameters: {k: {from: 200, to: 900}, c: {from: 1, to: 20}}\n"
                 "quantities: {least: {of: cart.x, take: min}, rms: {of: cart.vx, take: rms}}\n",
                 settings[k]);
        write_text("s.yaml", text);
        tml_study *s = NULL;
        tml_study_worker *w = NULL;
        tml_error err = {0};
        double x[WIDTH];
        OK(tml_study_read("s.yaml", NULL, &s, &err));
        OK(tml_study_worker_create(s, &w, &err));
        run_member(w, 0, x);
        const long before = process_calls;
        for (long i = 1; i < 40; i++) run_member(w, i, x);
        if (process_calls != before)
            fail_msg("%s: %ld allocations in 39 members", settings[k], process_calls - before);
        tml_study_worker_destroy(w);
        tml_study_destroy(s);
    }
}

static void failed_members(void **state)
{
    (void)state;
    tml_study *s = study_of("", "m: {values: [2, -1, 2]}, k: {values: [300, 300, 300]}");
    tml_study_worker *w = NULL;
    tml_error err = {0};
    double x[WIDTH];
    int failed = 0, passed = 0;
    OK(tml_study_worker_create(s, &w, &err));
    for (long i = 0; i < 12; i++) {
        const tml_status st = tml_study_worker_run(w, i, x, &err);
        assert_true((st == TML_OK) == (x[0] == 2));
        failed += st != TML_OK;
        passed += st == TML_OK;
        if (st == TML_OK) continue;
        assert_true(isnan(x[2]));
        assert_non_null(strstr(err.msg, "mass"));
    }
    assert_true(failed > 0 && passed > 0);
    assert_int_equal(tml_study_worker_run(w, 12, x, &err), TML_ERR_ARG);
    assert_int_equal(tml_study_worker_run(w, -1, x, &err), TML_ERR_ARG);
    tml_study_worker_destroy(w);
    tml_study_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_place),          cmocka_unit_test(built),
                                       cmocka_unit_test(quantities),        cmocka_unit_test(between_rows),
                                       cmocka_unit_test(allocates_nothing), cmocka_unit_test(failed_members)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
