// Modal bodies against the same part made of beam elements: frequencies, statics, motion, stiffening by
// rotation.
#include "linalg/eigen/arnoldi.h"
#include "linear/modal_fixture.h"
#include "math/math3.h"

#include <trammel/modes.h>

#define BEAM                                                                                       \
    "beams: {arm: {type: general, position: [0, 0, 0], end: [1, 0, 0], stiffness: [2e5, 8e4, 9e4," \
    " 30, 40, 70], mass: 1.3, inertia: [3e-3, 2e-3, 1e-3], elements: 4"

static const char *const names[] = {"root", "tip"};
static const char *const frames[] = {"arm.start", "arm.end"};
static const char *const loads[] = {"tip.x", "spin.yy", "spin.zz", "spin.xx"};

enum { MODES = 24 };

/** A model: either the beam itself, or the part of it as a modal body `arm`, and the text of all else. */
static tml_model *make(const tml_part *part, const char *more, const double *w, bool stiffening)
{
    char text[1200];
    tml_model *model = NULL;
    if (part) {
        OK(tml_part_write(part, "arm.part", &err));
        snprintf(text, sizeof text,
                 "modal_bodies: {arm: {part: arm.part, stiffening: %s, angular_velocity: [%.17g, %.17g, "
                 "%.17g]}}\n%s",
                 stiffening ? "true" : "false", w[0], w[1], w[2], more);
    } else {
        snprintf(text, sizeof text, BEAM ", angular_velocity: [%.17g, %.17g, %.17g]}}\n%s", w[0], w[1], w[2],
                 more);
    }
    tml_spec *spec = parse(text);
    OK(tml_model_build(spec, &model, &err));
    tml_spec_destroy(spec);
    return model;
}

static tml_part *make_part(void) { return reduce(BEAM "}}\n", 2, names, frames, MODES, 4, loads); }

/** w (count) [rad/s]: roots that turn, ascending. */
static void roots(tml_model *model, tml_begin begin, int count, double *w)
{
    tml_sim *sim = NULL;
    tml_modes *modes = NULL;
    tml_run_def run = *tml_model_run(model);
    tml_modes_def def = tml_modes_def_default();
    int found = 0;
    run.begin = begin;
    def.count = count + 6;
    OK(tml_sim_create(model, &run, &sim, &err));
    OK(tml_modes_create(model, tml_sim_state(sim), &def, &modes, &err));
    for (int i = 0; i < modes->count && found < count; i++)
        if (modes->modes[i].im > 1) w[found++] = modes->modes[i].im;
    assert_int_equal(found, count);
    tml_modes_destroy(modes);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

static const double at_rest[3] = {0, 0, 0};

// Craig-Bampton with 24 modes: errors of the lowest frequencies from what was left out. Frequencies of the
// reduced part are never below those of the mesh.
static void frequencies(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    static const char *const held[2] = {"", "joints: {wall: {type: fixed, a: ground, b: %s}}\n"};
    tml_part *part = make_part();
    for (int k = 0; k < 2; k++) {
        double w[2][COUNT];
        for (int modal = 0; modal < 2; modal++) {
            char more[200];
            snprintf(more, sizeof more, held[k], modal ? "arm.root" : "arm.start");
            roots(make(modal ? part : NULL, more, at_rest, false), TML_BEGIN_GIVEN, COUNT, w[modal]);
        }
        for (int i = 0; i < COUNT; i++) {
            CHECK_CLOSE(w[1][i], w[0][i], (i < 3 ? 3e-4 : 2e-3) * w[0][i]);
            assert_true(w[1][i] > (1 - 1e-9) * w[0][i]);
        }
    }
    tml_part_destroy(part);
}

static double value_of(const tml_sim *sim, const char *name)
{
    const int index = tml_sim_channel_index(sim, name, &err);
    if (index < 0) fail_msg("%s", err.msg);
    double *values = calloc((size_t)tml_sim_channel_count(sim), sizeof *values);
    OK(tml_sim_channel_values(sim, tml_sim_state(sim), values, &err));
    const double x = values[index];
    free(values);
    return x;
}

// A cantilever under its weight and a force at its tip. Static shapes of the interface are exact, and so is
// the tip under loads there; what is left is of second order in the rotations (0.02 rad), and modes that were
// left out of the weight.
static void statics(void **state)
{
    (void)state;
    tml_part *part = make_part();
    double z[2], y[2];
    for (int modal = 0; modal < 2; modal++) {
        char more[600];
        const char *root = modal ? "arm.root" : "arm.start", *tip = modal ? "arm.tip" : "arm.end";
        snprintf(more, sizeof more,
                 "gravity: [0, 0, -1]\n"
                 "joints: {wall: {type: fixed, a: ground, b: %s}}\n"
                 "forces: {pull: {type: applied, at: %s, force: [0.4, 1.1, -0.7], torque: [0, 0.2, 0.1]}}\n"
                 "outputs: {z: %s.z, y: %s.y}\n",
                 root, tip, tip, tip);
        tml_model *model = make(modal ? part : NULL, more, at_rest, true);
        tml_sim *sim = NULL;
        tml_run_def run = *tml_model_run(model);
        run.begin = TML_BEGIN_STATIC;
        OK(tml_sim_create(model, &run, &sim, &err));
        z[modal] = value_of(sim, "z");
        y[modal] = value_of(sim, "y");
        tml_sim_destroy(sim);
        tml_model_destroy(model);
    }
    CHECK_CLOSE(z[1], z[0], 1e-3 * fabs(z[0]));
    CHECK_CLOSE(y[1], y[0], 1e-3 * fabs(y[0]));
    assert_true(fabs(z[0]) > 5e-3);
    tml_part_destroy(part);
}

/** Position of the tip after a swing of 0.5 s; *error: change of the energy over its largest part. */
static vec3 swing(const tml_part *part, bool stiffening, double gravity, double *error)
{
    char more[600];
    const char *root = part ? "arm.root" : "arm.start", *tip = part ? "arm.tip" : "arm.end";
    snprintf(more, sizeof more,
             "gravity: [0, 0, -%g]\n"
             "joints: {pin: {type: spherical, a: ground, b: %s}}\n"
             "outputs: {x: %s.x, y: %s.y, z: %s.z}\n"
             "run: {end: %.17g, method: genalpha, rho: 0.6, step: %.17g}\n",
             gravity, root, tip, tip, tip, 0.5 / sqrt(gravity), 5e-4 / sqrt(gravity));
    const double w[3] = {0, 0, 3 * sqrt(gravity)};
    tml_model *model = make(part, more, w, stiffening);
    tml_sim *sim = NULL;
    tml_sim_report report;
    OK(tml_sim_create(model, tml_model_run(model), &sim, &err));
    OK(tml_sim_run(sim, tml_model_run(model)->end, &err));
    const vec3 r = v3(value_of(sim, "x"), value_of(sim, "y"), value_of(sim, "z"));
    tml_sim_get_report(sim, &report);
    *error = report.energy_error / report.energy_scale;
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    return r;
}

// A spinning arm falls from a ball joint, in space. With loads a tenth as large (and slower motion) errors of
// second order are a hundredth, a part of which is vibration; stiffening by tension takes most of them away.
static void motion(void **state)
{
    (void)state;
    tml_part *part = make_part();
    double off[2], stiffened[2], energy;
    for (int k = 0; k < 2; k++) {
        const double gravity = k ? 0.5 : 5;
        const vec3 beam = swing(NULL, false, gravity, &energy);
        const vec3 plain = swing(part, false, gravity, &energy);
        CHECK_SMALL(energy, 1e-4);
        off[k] = v3_norm(v3_sub(plain, beam));
        stiffened[k] = v3_norm(v3_sub(swing(part, true, gravity, &energy), beam));
        CHECK_SMALL(energy, 1e-4);
    }
    CHECK_SMALL(off[0], 5e-3);
    CHECK_SMALL(off[1], off[0] / 15);
    CHECK_SMALL(stiffened[0], off[0] / 5);
    CHECK_SMALL(stiffened[1], stiffened[0] / 20);
    tml_part_destroy(part);
}

// A turning cantilever: tension raises its frequencies as with beams; without load cases it does not.
static void rotation(void **state)
{
    (void)state;
    if (!tmli_arnoldi_available()) skip();
    enum { COUNT = 3 };
    tml_part *part = make_part();
    const double W = 12, spin[3] = {0, 0, W};
    double w[3][COUNT], slow[COUNT];
    for (int k = 0; k < 3; k++) {
        char more[400];
        snprintf(more, sizeof more,
                 "joints:\n"
                 "  hub: {type: revolute, a: ground, b: %s, point: [0, 0, 0], axis: [0, 0, 1]}\n"
                 "  motor: {type: driver, of: hub.angle, motion: %g*t}\n",
                 k ? "arm.root" : "arm.start", W);
        roots(make(k ? part : NULL, more, spin, k == 1), TML_BEGIN_STEADY, COUNT, w[k]);
    }
    roots(make(part, "joints: {wall: {type: fixed, a: ground, b: arm.root}}\n", at_rest, true),
          TML_BEGIN_GIVEN, COUNT, slow);
    for (int i = 0; i < COUNT; i++) CHECK_CLOSE(w[1][i], w[0][i], 1e-3 * w[0][i]);
    assert_true(w[0][0] > 1.02 * slow[0] && w[2][0] < 1.001 * slow[0]);
    tml_part_destroy(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies),
        cmocka_unit_test(statics),
        cmocka_unit_test(motion),
        cmocka_unit_test(rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
