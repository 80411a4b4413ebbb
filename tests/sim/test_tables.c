// Tables in runs: motions, forces and roads by points, against solutions in closed form and finer runs.
#define _POSIX_C_SOURCE 200809L
#include "analysis/check_models.h"

#include <stdio.h>
#include <trammel/sim.h>
#include <unistd.h>

typedef struct warnings {
    int count;
    char last[400];
} warnings;

static void log_warning(tml_log_level level, const char *text, void *user)
{
    warnings *w = user;
    if (level != TML_LOG_WARNING) return;
    w->count++;
    snprintf(w->last, sizeof w->last, "%s", text);
}

static tml_status read_text(const char *text, const tml_env *env, tml_spec **out, tml_error *err)
{
    return tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, env, out, err);
}

// State after `end` seconds; the caller destroys the simulation.
static tml_sim *run(const char *text, const char *method, double tol, double end, warnings *w)
{
    const tml_env env = {.log = log_warning, .user = w};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    OK(read_text(text, w ? &env : NULL, &spec, err));
    OK(tml_model_build(spec, &model, err));
    tml_spec_destroy(spec);
    tml_run_def def = tml_run_def_default();
    def.method = method;
    def.tol = tol;
    def.end = end;
    OK(tml_sim_create(model, &def, &sim, err));
    OK(tml_sim_run(sim, end, err));
    return sim;
}

static void finish(tml_sim *sim)
{
    tml_model *model = (tml_model *)tml_sim_model(sim);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// A mass on a linear table 2 x for x < 0 and 8 x beyond: half periods of two oscillators, kinks located.
static void piecewise_oscillator(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "law: 'k(length - 2)'",
        "length: 2, table: k",
        "length: 2, table: [[-1, -2], [0, 0], [1, 8]], interpolation: linear",
    };
    static const char *const methods[] = {"genalpha", "bdf", "radau5", "erk8"};
    const double w1 = sqrt(2 / 0.5), w2 = sqrt(8 / 0.5), pi = 3.14159265358979323846;
    const double period = pi / w1 + pi / w2;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            char text[600];
            snprintf(text, sizeof text,
                     "planar: true\n"
                     "tables: {k: {points: [[-1, -2], [0, 0], [1, 8]], interpolation: linear}}\n"
                     "bodies: {m: {mass: 0.5, inertia: 1, position: [2.4, 0]}}\n"
                     "joints: {rail: {type: prismatic, a: ground, b: m, point: [0, 0], axis: [1, 0]}}\n"
                     "forces: {s: {type: spring, a: ground, b: m, %s}}\n",
                     forms[i]);
            tml_sim *sim = run(text, methods[k], 1e-6, 3 * period, NULL);
            CHECK_CLOSE(tml_sim_state(sim)->q[0], 2.4, 1e-5);  // ten tolerances
            tml_sim_report report;
            tml_sim_get_report(sim, &report);
            assert_true(report.switches >= 5 && report.switches <= 7);  // three periods
            finish(sim);
        }
}

// A driver follows its table, without leaving its range; the spring that it pulls is compared with a finer
// run.
static void driver(void **state)
{
    (void)state;
    const char *text = "planar: true\n"
                       "tables: {lift: {points: [[-1, 0], [0, 0], [0.5, 0.1], [1, 0.1], [1.5, 0], [3, 0]]}}\n"
                       "bodies:\n"
                       "  cam: {mass: 1, inertia: 1, position: [0, 0]}\n"
                       "  m: {mass: 1, inertia: 1, position: [0, 1]}\n"
                       "joints:\n"
                       "  guide: {type: prismatic, a: ground, b: cam, point: [0, 0], axis: [0, 1]}\n"
                       "  rail: {type: prismatic, a: ground, b: m, point: [0, 0], axis: [0, 1]}\n"
                       "  drive: {type: driver, of: guide.distance, motion: lift(t)}\n"
                       "forces: {s: {type: spring, a: cam, b: m, stiffness: 90, damping: 1}}\n";
    tml_sim *fine = run(text, "radau5", 1e-10, 2, NULL);
    const double y = tml_sim_state(fine)->q[8];
    finish(fine);
    static const char *const methods[] = {"genalpha", "bdf", "radau5", "erk8"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        tml_sim *sim = run(text, methods[k], 1e-6, 0.75, NULL);
        CHECK_CLOSE(tml_sim_state(sim)->q[1], 0.1, 1e-9);  // level between two points
        OK(tml_sim_run(sim, 2, err));
        CHECK_CLOSE(tml_sim_state(sim)->q[8], y, 1e-5);  // ten tolerances
        finish(sim);
    }
}

// A wheel on a step of points stays within the range of the road; the old spline did not.
static void road(void **state)
{
    (void)state;
    static const char *const kinds[] = {"monotone", "linear", "spline"};
    for (int i = 0; i < 3; i++) {
        char text[700];
        warnings w = {0};
        snprintf(
            text, sizeof text,
            "planar: true\n"
            "tables: {way: {points: [[0, 0], [1, 0], [1.1, 0.1], [5, 0.1], [5.1, 0.1]], interpolation: %s}}\n"
            "bodies: {wheel: {mass: 5, inertia: 1, position: [0.2, 0.3], velocity: [1, 0]}}\n"
            "roads: {road: {type: table, table: way}}\n"
            "forces: {r: {type: tyre, at: wheel, road: road, radius: 0.3, stiffness: 5000, damping: 300,\n"
            "             contact: false}}\n",
            kinds[i]);
        tml_sim *sim = run(text, "radau5", 1e-6, 3, &w);
        CHECK_CLOSE(tml_sim_state(sim)->q[0], 3.2, 1e-6);
        const double z = tml_sim_state(sim)->q[1] - 0.3;
        if (i < 2) CHECK_CLOSE(z, 0.1, 1e-5);   // settled on the level part
        else assert_true(fabs(z - 0.1) > 0.1);  // a multiple of the step
        assert_int_equal(w.count, i == 2);
        if (i == 2) assert_non_null(strstr(w.last, "leaves the range of its points"));
        finish(sim);
    }
}

// A table that is left is reported once.
static void outside(void **state)
{
    (void)state;
    for (int hold = 0; hold < 2; hold++) {
        char text[400];
        warnings w = {0};
        snprintf(text, sizeof text,
                 "planar: true\n"
                 "tables: {push: {points: [[0, 1], [0.5, 3]], outside: %s}}\n"
                 "bodies: {m: {mass: 2, inertia: 1}}\n"
                 "forces: {f: {type: applied, at: m, force: ['push(t)', 0]}}\n",
                 hold ? "hold" : "extend");
        tml_sim *sim = run(text, "radau5", 1e-8, 1, &w);
        // v = integral of (1 + 4 t)/2, or of 3/2 from 0.5 on
        CHECK_CLOSE(tml_sim_state(sim)->u[0], hold ? 0.5 + 0.75 : 1.5, 1e-7);
        assert_int_equal(w.count, !hold);
        if (!hold) assert_non_null(strstr(w.last, "outside of its points, 0 to 0.5"));
        finish(sim);
    }
}

// ---- files ------------------------------------------------------------------------------------------------

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

// The speed after pushing with the table of a file, 1 + 4 t up to t = 0.5.
static double push(const char *path, const char *csv, const char *keys)
{
    char text[700];
    write_file(path, csv);
    snprintf(text, sizeof text,
             "planar: true\n"
             "tables: {push: {file: '%s'%s}}\n"
             "bodies: {m: {mass: 2, inertia: 1}}\n"
             "forces: {f: {type: applied, at: m, force: ['push(t)', 0]}}\n",
             path, keys);
    tml_sim *sim = run(text, "radau5", 1e-8, 0.5, NULL);
    const double u = tml_sim_state(sim)->u[0];
    finish(sim);
    return u;
}

static void files(void **state)
{
    (void)state;
    char path[] = "trammel_table_XXXXXX";  // beside the model
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    CHECK_CLOSE(push(path, "0,1\n0.5,3\n", ""), 0.5, 1e-7);
    CHECK_CLOSE(push(path, "# measured\n\nt [s];F [N]\n0;1\n 0.25 ; 2 \r\n0.5;3", ", x: t, y: F"), 0.5, 1e-7);
    CHECK_CLOSE(push(path, "\xEF\xBB\xBF\"a b\"\tt\tF\nx\t0\t1\ny\t0.5\t3\n", ", x: t, y: 3"), 0.5, 1e-7);
    CHECK_CLOSE(push(path, "  1  0\n  3  0.5\n", ", x: 2, y: 1"), 0.5, 1e-7);
    const struct {
        const char *csv, *keys, *message;
        int line, column;
    } bad[] = {
        {"t,F\n0,1\n1,x\n", "", "Column 2 is 'x', expected a finite number", 3, 3},
        {"t,F\n0,1\n1,nan\n", "", "expected a finite number", 3, 3},
        {"t,F\n0,1\n1\n", "", "The line ends before column 2", 3, 2},
        {"t,F\n1,1\n\n0.5,2\n", "", "Column 1 is 0.5 after 1, expected ascending", 4, 1},
        {"t,F\n0,1\n", "", "1 line with numbers, expected at least 2", 0, 1},
        {"# nothing\n", "", "no lines with numbers", 0, 1},
        {"t,F\n0,1\n1,2\n", ", y: G", "has no column 'G'; it has: t, F.", 2, 0},
        {"0,1\n1,2\n", ", y: F", "no line of names", 2, 0},
        {"0;1,5\n1;2\n", "", "Column 2 is '1,5'", 1, 3},
        {"0,1\n1,2\n", ", points: [[0, 1], [1, 2]]", "both 'points' and 'file'", 2, 0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[400];
        tml_spec *spec = NULL;
        tml_error err = {0};
        write_file(path, bad[i].csv);
        snprintf(text, sizeof text, "planar: true\ntables: {push: {file: '%s'%s}}\n", path, bad[i].keys);
        assert_true(read_text(text, NULL, &spec, &err) < 0);
        assert_null(spec);
        if (!strstr(err.msg, bad[i].message)) fail_msg("%s", err.msg);
        if (bad[i].line) assert_int_equal(err.line, bad[i].line);
        if (bad[i].column) assert_int_equal(err.col, bad[i].column);
        assert_string_equal(err.file, bad[i].column ? path : "test.yaml");
    }
    unlink(path);
}

static void refusals(void **state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } bad[] = {
        {"tables: {k: {interpolation: linear}}\n", "needs 'points' or 'file'"},
        {"tables: {k: {points: [[0, 1]]}}\n", "at least 2 rows"},
        {"tables: {k: {points: [[0, 1], [0, 2]]}}\n", "expected ascending values"},
        {"tables: {k: {points: [[0, 1], [1, 2]], interpolation: cubic}}\n", "monotone, linear, spline"},
        {"tables: {k: {points: [[0, 1], [1, 2]], x: s}}\n", "a column of a 'file'"},
        {"tables: {distance: {points: [[0, 1], [1, 2]]}}\n", "function of frames"},
        {"tables: {k: {file: nothing.csv}}\n", "Cannot read 'nothing.csv'"},
        {"tables: {hill: {points: [[0, 1], [1, 2]]}}\nroads: {way: {type: table, table: hil}}\n",
         "is 'hil', which is not a table (is it 'hill'?)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tml_spec *spec = NULL;
        tml_error err = {0};
        assert_true(read_text(bad[i].text, NULL, &spec, &err) < 0);
        if (!strstr(err.msg, bad[i].message)) fail_msg("%s", err.msg);
        assert_true(err.line >= 1);
    }
    static const char *const calls[][2] = {
        {"'hill(t, 1)'", "takes one argument"},
        {"'hil(t)'", "unknown function 'hil' (is it 'hill'?)"},
        {"'hill()'", "expected a number"},
        {"'hill + 1'", "unknown name 'hill'"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char text[400];
        tml_spec *spec = NULL;
        tml_model *model = NULL;
        tml_error why = {0};
        snprintf(text, sizeof text,
                 "tables: {hill: {points: [[0, 1], [1, 2]]}}\nbodies: {m: {mass: 1, inertia: 1}}\n"
                 "forces: {f: {type: applied, at: m, force: [%s, 0, 0]}}\n",
                 calls[i][0]);
        OK(read_text(text, NULL, &spec, err));
        assert_true(tml_model_build(spec, &model, &why) < 0);
        if (!strstr(why.msg, calls[i][1])) fail_msg("%s", why.msg);
        assert_int_equal(why.line, 3);
        tml_spec_destroy(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piecewise_oscillator),
        cmocka_unit_test(driver),
        cmocka_unit_test(road),
        cmocka_unit_test(outside),
        cmocka_unit_test(files),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
