// A body falls on the ground at random.
#ifndef TEST_SIM_CONTACT_DROPS_H
#define TEST_SIM_CONTACT_DROPS_H

#include "sim_fixture.h"

static inline double relative_energy_error(const tml_sim *sim)
{
    const tml_sim_report r = report_of(sim);
    return r.energy_error / r.energy_scale;
}

// It ends at rest: nothing sinks through, and the energy does not grow.
static inline void drop(rng *r, int k)
{
    tml_error err = {0};
    char text[1200];
    static const char *const law[] = {"hunt-crossley", "hertz", "linear"};
    static const char *const shape[] = {"sphere, radius: 0.1", "box, size: [0.2, 0.3, 0.15]",
                                        "capsule, radius: 0.07, length: 0.2",
                                        "cylinder, radius: 0.1, length: 0.15"};
    double x[10];
    for (int i = 0; i < 10; i++) x[i] = rng_range(r, -1, 1);
    snprintf(text, sizeof text,
             "gravity: 9.81\n"
             "bodies: {body: {mass: 1.3, inertia: [0.009, 0.006, 0.012], position: "
             "[0, 0, %g],\n"
             "  orientation: {quaternion: [%g, %g, %g, %g]}, velocity: [%g, %g, %g],\n"
             "  angular_velocity: [%g, %g, %g]}}\n"
             "shapes: {body: {type: %s}, table: {type: plane, at: ground}}\n"
             "contacts: {hit: {a: body, b: table, law: %s, stiffness: 1e5, "
             "restitution: 0.4,\n"
             "  rolling: 0.002, drilling: 0.002, spin_creep: 0.1,\n"
             "  friction: {law: regularized, coefficient: 0.4, creep: 1e-2}}}\n"
             "run: {end: 2, output_step: 0.02, tol: 1e-5}\n",
             0.4 + 0.2 * x[0], x[1], x[2], x[3], 1 + x[4], x[5], x[6], 2 * x[7], 9 * x[8], 9 * x[9], 9 * x[1],
             shape[k % 4], law[k % 3]);
    tml_model *model = text_model(text);
    tml_sim *sim = start_sim(model, tml_model_run(model));
    record *rec = record_new(
        sim, (const char *const[]){"energy.kinetic", "energy.potential", "body.z", "hit.gap", NULL});
    OK(tml_sim_run(sim, NAN, &err));
    for (int i = 0; i < rec->rows; i++) {
        const double energy = rec->value[i][0] + rec->value[i][1],
                     before = i > 0 ? rec->value[i - 1][0] + rec->value[i - 1][1] : energy;
        if (energy > before + 1e-4)
            fail_msg("drop %d: energy grows by %g J at %g s", k, energy - before, rec->t[i]);
        if (!(rec->value[i][2] > 0.04))
            fail_msg("drop %d: height %g m at %g s", k, rec->value[i][2], rec->t[i]);
        if (rec->value[i][3] < -0.03) fail_msg("drop %d: %g m deep at %g s", k, -rec->value[i][3], rec->t[i]);
    }
    CHECK_SMALL(relative_energy_error(sim), 1e-3);
    record_free(rec);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

enum { PAIRS = 4 * 5, NUMBERS = 16 };  // of drop_on; random numbers of a drop

// A body falls on another shape at random, most often beside its middle, and
// from it to the floor. None gains more than the error of the steps.
static inline void drop_on(rng *r, int k)
{
    tml_error err = {0};
    char text[1600];
    static const char *const law[] = {"hunt-crossley", "hertz", "linear"};
    static const char *const shape[] = {"box, size: [0.2, 0.3, 0.15]", "capsule, radius: 0.07, length: 0.2",
                                        "cylinder, radius: 0.1, length: 0.15", "mesh, file: tetrahedron.obj"};
    static const char *const below[] = {"box, size: [0.5, 0.6, 0.3]", "capsule, radius: 0.15, length: 0.5",
                                        "cylinder, radius: 0.2, length: 0.5",
                                        "mesh, file: tetrahedron.obj, scale: 3",
                                        "cylinder, radius: 0.3, length: 0.4"};
    double x[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) x[i] = rng_range(r, -1, 1);
    snprintf(text, sizeof text,
             "gravity: 9.81\n"
             "ground: {frames: {stand: {orientation: {quaternion: [%g, %g, %g, %g]}}, "
             "low: {position: [0, 0, "
             "-0.8]}}}\n"
             "bodies: {body: {mass: 1.3, inertia: [0.009, 0.006, 0.012], position: "
             "[%g, %g, 0.6],\n"
             "  orientation: {quaternion: [%g, %g, %g, %g]}, velocity: [%g, %g, %g],\n"
             "  angular_velocity: [%g, %g, %g]}}\n"
             "shapes: {body: {type: %s}, stand: {type: %s, at: ground.stand, group: "
             "below},\n"
             "  floor: {type: plane, at: ground.low, group: below}}\n"
             "contacts: {hit: {a: body, b: below, law: %s, stiffness: 1e6, "
             "restitution: 0.4,\n"
             "  rolling: 0.002, drilling: 0.002, spin_creep: 0.1,\n"
             "  friction: {law: regularized, coefficient: 0.4, creep: 1e-2}}}\n"
             "run: {end: 1.5, output_step: 0.02, tol: 1e-5}\n",
             k % 2 ? 0.0 : x[12], k % 2 ? 0.0 : x[13], x[14], 1 + x[15], 0.2 * x[0], 0.2 * x[10], x[1], x[2],
             x[3], 1 + x[4], 0.5 * x[5], 0.5 * x[6], 2 * x[7], 9 * x[8], 9 * x[9], 9 * x[11], shape[k % 4],
             below[k / 4 % 5], law[k % 3]);
    tml_spec *spec = NULL;
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    char path[4096];  // beside the mesh
    snprintf(path, sizeof path, "%s/models/contact/drop.yaml", root ? root : ".");
    OK(tml_spec_parse(text, strlen(text), path, NULL, 0, NULL, &spec, &err));
    tml_model *model = model_of(spec);
    tml_sim *sim = start_sim(model, tml_model_run(model));
    record *rec = record_new(
        sim, (const char *const[]){"energy.kinetic", "energy.potential", "body.z", "hit.gap", NULL});
    if (tml_sim_run(sim, NAN, &err) != TML_OK) fail_msg("drop %d: %s\n%s", k, err.msg, text);
    for (int i = 0; i < rec->rows; i++) {
        const double energy = rec->value[i][0] + rec->value[i][1],
                     before = i > 0 ? rec->value[i - 1][0] + rec->value[i - 1][1] : energy;
        if (energy > before + 2e-3)
            fail_msg("drop %d: energy grows by %g J at %g s\n%s", k, energy - before, rec->t[i], text);
        if (!(rec->value[i][2] > -0.8 + 0.03))
            fail_msg("drop %d: height %g m at %g s\n%s", k, rec->value[i][2], rec->t[i], text);
        if (rec->value[i][3] < -0.02)
            fail_msg("drop %d: %g m deep at %g s\n%s", k, -rec->value[i][3], rec->t[i], text);
    }
    const double lost = fabs(relative_energy_error(sim));
    if (!(lost < 1e-3)) fail_msg("drop %d: energy out of balance by %g of it\n%s", k, lost, text);
    record_free(rec);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// Text of a drop on a height field of random hills, which may end beside it, on
// a floor.
static inline void field_text(rng *r, int k, char *text, size_t room)
{
    enum { ROWS = 9, COLUMNS = 8 };
    static const char *const law[] = {"hunt-crossley", "hertz", "linear"};
    static const char *const shape[] = {"sphere, radius: 0.1", "box, size: [0.2, 0.3, 0.15]",
                                        "capsule, radius: 0.07, length: 0.2",
                                        "cylinder, radius: 0.1, length: 0.15", "mesh, file: tetrahedron.obj"};
    double x[NUMBERS];
    size_t n = 0;
    for (int i = 0; i < NUMBERS; i++) x[i] = rng_range(r, -1, 1);
    n += (size_t)snprintf(text, room,
                          "gravity: 9.81\n"
                          "ground: {frames: {low: {position: [0, 0, -1]}}}\n"
                          "bodies: {body: {mass: 1.3, inertia: [0.009, 0.006, 0.012], position: "
                          "[%g, %g, 0.6],\n"
                          "  orientation: {quaternion: [%g, %g, %g, %g]}, velocity: [%g, %g, %g],\n"
                          "  angular_velocity: [%g, %g, %g]}}\n"
                          "contacts: {hit: {a: body, b: below, law: %s, stiffness: 1e6, "
                          "restitution: 0.4,\n"
                          "  rolling: 0.002, drilling: 0.002, spin_creep: 0.1,\n"
                          "  friction: {law: regularized, coefficient: 0.4, creep: 1e-2}}}\n"
                          "run: {end: 1.5, output_step: 0.02, tol: 1e-5}\n"
                          "shapes:\n"
                          "  body: {type: %s}\n"
                          "  floor: {type: plane, at: ground.low, group: below}\n"
                          "  hills: {type: height-field, at: ground, group: below, length: 2.1, "
                          "width: 2.4,\n"
                          "    heights: [",
                          0.8 * x[0], 0.9 * x[10], x[1], x[2], x[3], 1 + x[4], x[5], x[6], 2 * x[7], 9 * x[8],
                          9 * x[9], 9 * x[11], law[k % 3], shape[k % 5]);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        n += (size_t)snprintf(text + n, room - n, "%s%.3f%s", i % COLUMNS == 0 ? "[" : "",
                              rng_range(r, -1, 1) * (k / 5 % 2 ? 0.12 : 0.025),
                              i == ROWS * COLUMNS - 1      ? "]]}\n"
                              : i % COLUMNS == COLUMNS - 1 ? "],\n      "
                                                           : ", ");
    assert_true(n < room);
}

// A body falls on a height field. What is above its rectangle stays above it.
static inline void drop_on_field(rng *r, int k)
{
    tml_error err = {0};
    char text[3000], path[4096];  // beside the mesh
    tml_spec *spec = NULL;
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    field_text(r, k, text, sizeof text);
    snprintf(path, sizeof path, "%s/models/contact/drop.yaml", root ? root : ".");
    OK(tml_spec_parse(text, strlen(text), path, NULL, 0, NULL, &spec, &err));
    tml_model *model = model_of(spec);
    tml_sim *sim = start_sim(model, tml_model_run(model));
    record *rec = record_new(sim, (const char *const[]){"energy.kinetic", "energy.potential", "body.x",
                                                        "body.y", "body.z", "hit.gap", NULL});
    if (tml_sim_run(sim, NAN, &err) != TML_OK) fail_msg("drop %d: %s\n%s", k, err.msg, text);
    bool left = false;
    for (int i = 0; i < rec->rows; i++) {
        const double *v = rec->value[i], *u = rec->value[i > 0 ? i - 1 : 0],
                     grows = v[0] + v[1] - u[0] - u[1];
        if (grows > 1e-4) fail_msg("drop %d: energy grows by %g J at %g s\n%s", k, grows, rec->t[i], text);
        // away from the edge, a cell of 0.3 m wide, where points may be deep
        const bool over = fabs(v[2]) < 1.05 - 0.5 && fabs(v[3]) < 1.2 - 0.5;
        left |= !over;
        if (!(v[4] > (over ? -0.25 : -1 + 0.03)))
            fail_msg("drop %d: height %g m at %g s\n%s", k, v[4], rec->t[i], text);
        if (over && v[5] < -0.02) fail_msg("drop %d: %g m deep at %g s\n%s", k, -v[5], rec->t[i], text);
    }
    // a body that sinks at the edge dissipates within a step
    const double lost = fabs(relative_energy_error(sim));
    if (!(lost < (left ? 1e-2 : 1e-3)))
        fail_msg("drop %d: energy out of balance by %g of it\n%s", k, lost, text);
    record_free(rec);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

#endif
