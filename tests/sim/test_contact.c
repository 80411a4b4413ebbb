// Contacts: restitution, duration of impacts, slip and rolling, a block on a slope, drops, and what is
// refused.
#include "contact_drops.h"

#include <trammel/model.h>
#include <trammel/system.h>

static const char *const laws[] = {"hunt-crossley", "hertz", "linear", NULL};
static const char *const methods[] = {"radau5", "bdf", "erk8", NULL};

static tml_sim *start_with(tml_model *model, const char *method, double tol)
{
    tml_run_def run = *tml_model_run(model);
    run.method = method;
    run.tol = tol;
    return start_sim(model, &run);
}

// ---- impacts ----------------------------------------------------------------------------------------------

typedef struct touch {
    double begin, end;
} touch;

// A step that ends where the contact closes or opens is followed by one in the new mode.
static tml_status watch_contact(const tml_sim *sim, double t, double h, void *user)
{
    touch *w = user;
    const bool pressed = tml_sim_state(sim)->mode[0] >= 1;
    (void)h;
    if (pressed && w->begin == 0) w->begin = t;
    if (!pressed && w->begin > 0 && w->end == 0) w->end = t;
    return TML_OK;
}

// A ball that is drawn upwards touches the table within the first sixth of a step of 0.3 s, and is at all
// points of the step that are looked at first farther away than at the start. The step ends there.
static void dip(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = text_model(
        "gravity: [0, 0, 9.81]\n"
        "bodies: {ball: {mass: 1, inertia: 0.004, position: [0, 0, 0.103], velocity: [0, 0, -0.3]}}\n"
        "shapes: {ball: {type: sphere, radius: 0.1}, table: {type: plane, at: ground}}\n"
        "contacts: {hit: {a: ball, b: table, stiffness: 1e6, restitution: 1}}\n"
        "run: {end: 0.3, output_step: 0.3, method: radau5, step: 0.3}\n");
    tml_sim *sim = start_sim(model, tml_model_run(model));
    touch seen = {0};
    tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = watch_contact, .user = &seen});
    OK(tml_sim_run(sim, NAN, &err));
    assert_true(report_of(sim).switches >= 2);
    // 0.003 - 0.3 t + 9.81/2 t^2 = 0
    CHECK_CLOSE(seen.begin, (0.3 - sqrt(0.09 - 2 * 9.81 * 0.003)) / 9.81, 1e-12);
    end_sim(sim, model);
}

// Two balls without gravity: speeds of approach and of parting have the ratio `restitution`, at any speed,
// and the energy balance closes.
static void restitution(void **state)
{
    (void)state;
    const double e[] = {0.07, 0.43, 0.91, 1}, speed[] = {0.31, 7.3};
    for (int l = 0; laws[l]; l++)
        for (int k = 0; k < 8; k++) {
            char text[800];
            snprintf(text, sizeof text,
                     "bodies:\n"
                     "  a: {mass: 0.7, inertia: 0.002, position: [0, 0, 0], velocity: [0.2, 0, 0]}\n"
                     "  b: {mass: 1.9, inertia: 0.003, position: [0.3, 0, 0], velocity: [%g, 0, 0]}\n"
                     "shapes: {a: {type: sphere, radius: 0.11}, b: {type: sphere, radius: 0.13}}\n"
                     "contacts: {hit: {a: a, b: b, law: %s, stiffness: 3e5, restitution: %g}}\n"
                     "run: {end: %g}\n",
                     0.2 - speed[k / 4], laws[l], e[k % 4], 0.4 / speed[k / 4]);
            tml_model *model = text_model(text);
            for (int i = 0; methods[i]; i++) {
                tml_error err = {0};
                tml_sim *sim = start_with(model, methods[i], 1e-7);
                OK(tml_sim_run(sim, NAN, &err));
                const double *u = tml_sim_state(sim)->u;
                CHECK_CLOSE((u[6] - u[0]) / speed[k / 4], e[k % 4], 1e-6);  // ten times the tolerance
                CHECK_SMALL(relative_energy_error(sim), 1e-5);
                tml_sim_destroy(sim);
            }
            tml_model_destroy(model);
        }
}

// Hertz: T = 2 sqrt(pi) Gamma(2/5)/(5/2 Gamma(9/10)) d/v with the greatest depth d = (5 m v^2/(4 k))^(2/5)
// and k = 4/3 E' sqrt(R). A steel ball on a plane of glass.
static void hertz_duration(void **state)
{
    (void)state;
    const double radius = 0.012, mass = 0.056, v = 0.84,
                 compliance = (1 - 0.3 * 0.3) / 210e9 + (1 - 0.23 * 0.23) / 70e9,
                 k = 4.0 / 3 / compliance * sqrt(radius), depth = pow(1.25 * mass * v * v / k, 0.4),
                 want = 2 * sqrt(acos(-1)) * tgamma(0.4) / (2.5 * tgamma(0.9)) * depth / v;
    tml_model *model = text_model(
        "bodies: {ball: {mass: 0.056, inertia: 3e-6, position: [0, 0, 0.013], velocity: [0, 0, -0.84]}}\n"
        "shapes:\n"
        "  ball: {type: sphere, radius: 0.012, youngs_modulus: 210e9}\n"
        "  glass: {type: plane, at: ground, youngs_modulus: 70e9, poisson: 0.23}\n"
        "contacts: {hit: {a: ball, b: glass, law: hertz}}\n"
        "run: {end: 0.002}\n");
    for (int i = 0; methods[i]; i++) {
        tml_error err = {0};
        touch w = {0};
        tml_sim *sim = start_with(model, methods[i], 1e-9);
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_step = watch_contact, .user = &w});
        OK(tml_sim_run(sim, NAN, &err));
        printf("%-8s %.9g s, analytic %.9g s\n", methods[i], w.end - w.begin, want);
        // its length of 0.01 m times the tolerance is 1e-6 of the depth
        CHECK_CLOSE(w.end - w.begin, want, 1e-5 * want);
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
}

// A ball that bounces comes to rest after some 20 to 50 impacts, with its weight on the contact, and the run
// does not hang.
static void comes_to_rest(void **state)
{
    (void)state;
    for (int l = 0; laws[l]; l++) {
        tml_error err = {0};
        char text[500];
        snprintf(text, sizeof text,
                 "gravity: 9.81\n"
                 "bodies: {ball: {mass: 0.2, inertia: 0.0002, position: [0, 0, 1.05]}}\n"
                 "shapes: {ball: {type: sphere, radius: 0.05}, table: {type: plane, at: ground}}\n"
                 "contacts: {hit: {a: ball, b: table, law: %s, stiffness: 1e7, restitution: 0.8}}\n"
                 "run: {end: 20, output_step: 0.5}\n",
                 laws[l]);
        tml_model *model = text_model(text);
        tml_sim *sim = start_with(model, "radau5", 1e-6);
        record *r = record_new(sim, (const char *const[]){"ball.vz", "hit.force", "hit.points", NULL});
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_SMALL(r->value[r->rows - 1][0], 1e-8);
        // the spring has at most 1e5 N/m at rest: 2e-9 m, of which the tolerance allows 1e-6 m
        CHECK_CLOSE(r->value[r->rows - 1][1], 0.2 * 9.81, 2e-4);
        CHECK_CLOSE(r->value[r->rows - 1][2], 1, 0);
        assert_in_range(r->steps, 500, 5000);
        CHECK_SMALL(relative_energy_error(sim), 1e-6);
        record_free(r);
        tml_sim_destroy(sim);
        tml_model_destroy(model);
    }
}

// ---- friction ---------------------------------------------------------------------------------------------

// A ball that slides rolls after 2 v0/(7 mu g), at 5/7 v0. It starts with the depth at which it rests.
static void slip_to_rolling(void **state)
{
    (void)state;
    tml_error err = {0};
    const double v0 = 3, mu = 0.25, g = 9.81, stop = 2 * v0 / (7 * mu * g);
    tml_model *model = text_model(
        "gravity: 9.81\n"
        "bodies: {ball: {mass: 0.8, inertia: 0.0032, position: [0, 0, 0.1 - (0.8*9.81/1e10)^(2/3)],\n"
        "  velocity: [3, 0, 0]}}\n"
        "shapes: {ball: {type: sphere, radius: 0.1}, table: {type: plane, at: ground}}\n"
        "contacts: {hit: {a: ball, b: table, stiffness: 1e10, damping: 10,\n"
        "  friction: {law: regularized, coefficient: 0.25, creep: 1e-5}}}\n"
        "run: {end: 1, output_step: 0.005}\n");
    tml_sim *sim = start_with(model, "radau5", 1e-7);
    record *r = record_new(sim, (const char *const[]){"ball.vx", "ball.wy", "hit.friction", NULL});
    OK(tml_sim_run(sim, NAN, &err));
    double last = 0;
    for (int i = 0; i < r->rows; i++) {
        const double t = r->t[i], slip = r->value[i][0] - 0.1 * r->value[i][1];
        // the radius is smaller by half of the depth, 4e-6 of it; friction is full but for creep
        if (t < stop) CHECK_CLOSE(r->value[i][0], v0 - mu * g * t, 2e-5);
        if (t < stop) CHECK_CLOSE(slip, v0 - 3.5 * mu * g * t, 1e-4);
        if (t > stop + 0.01) CHECK_CLOSE(r->value[i][0], 5.0 / 7 * v0, 2e-5);
        if (r->value[i][2] > 0.5 * mu * 0.8 * g) last = t;
    }
    CHECK_CLOSE(last, stop, 0.005);  // the time between outputs
    CHECK_SMALL(relative_energy_error(sim), 1e-5);
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

static void slope_model(double angle, const char *law, char text[1000])
{
    snprintf(text, 1000,
             "parameters: {a: %.17g}\n"
             "gravity: [9.81*sin(a), 0, -9.81*cos(a)]\n"
             "bodies: {block: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0.1]}}\n"
             "shapes: {block: {type: box, size: [0.4, 0.3, 0.2]}, slope: {type: plane, at: ground}}\n"
             "contacts: {rest: {a: block, b: slope, stiffness: 1e6, exponent: 1, restitution: 0.2,\n"
             "  friction: {coefficient: 0.5, %s}}}\n"
             "run: {end: 3, output_step: 0.05}\n",
             angle, law);
}

// Below the angle of friction a block with bristles rests; with regularized friction it creeps by less than
// the speed of creep; above the angle both slide with the same acceleration.
static void block_on_slope(void **state)
{
    (void)state;
    static const char *const friction[] = {"law: lugre, bristle_stiffness: 1e4, bristle_damping: 50",
                                           "law: regularized, creep: 1e-4"};
    for (int k = 0; k < 4; k++) {
        tml_error err = {0};
        char text[1000];
        const double limit = atan(0.5), a = k < 2 ? limit - 0.1 : limit + 0.1;
        slope_model(a, friction[k % 2], text);
        tml_model *model = text_model(text);
        tml_sim *sim = start_with(model, "radau5", 1e-6);
        record *r =
            record_new(sim, (const char *const[]){"block.x", "block.vx", "rest.force", "rest.points", NULL});
        OK(tml_sim_run(sim, NAN, &err));
        const double *end = r->value[r->rows - 1], *before = r->value[r->rows - 21];
        CHECK_CLOSE(end[2], 2 * 9.81 * cos(a), 1e-4);
        CHECK_CLOSE(end[3], 4, 0);
        if (k == 0) CHECK_SMALL(end[1], 1e-9);
        if (k == 0) CHECK_SMALL(end[0], 2e-4);  // bristles and what it slid until it pressed
        // tanh(v/creep) = tan(a)/mu
        if (k == 1) CHECK_CLOSE(end[1], 1e-4 * atanh(tan(a) / 0.5), 1e-7);
        if (k >= 2) CHECK_CLOSE(end[1] - before[1], 9.81 * (sin(a) - 0.5 * cos(a)), 1e-5);  // over 1 s
        CHECK_SMALL(relative_energy_error(sim), 1e-5);
        record_free(r);
        tml_sim_destroy(sim);
        tml_model_destroy(model);
    }
}

// Where nothing happens any more steps are long, and what Newton's iteration leaves of them shows in stiff
// contacts: the force over the last second, at any tolerance.
static void force_of_long_steps(void **state)
{
    (void)state;
    for (int k = 0; k < 16; k++) {
        tml_error err = {0};
        char text[1000];
        const double a = atan(0.5) + (k % 2 ? 0.1 : -0.1), tol = pow(10, -4 - k / 2 * 0.4);
        slope_model(a, "law: regularized, creep: 1e-4", text);
        tml_model *model = text_model(text);
        tml_sim *sim = start_with(model, "radau5", tol);
        record *r = record_new(sim, (const char *const[]){"rest.force", NULL});
        OK(tml_sim_run(sim, NAN, &err));
        for (int i = r->rows - 20; i < r->rows; i++)
            CHECK_CLOSE(r->value[i][0], 2 * 9.81 * cos(a), 100 * tol);
        record_free(r);
        tml_sim_destroy(sim);
        tml_model_destroy(model);
    }
}

// A ball rolls to rest: deceleration g a_r/(7/5 R) for the arm a_r of the resistance. Another one spins about
// the vertical: its spin falls by a_d m g/J.
static void rolling_and_drilling(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = text_model(
        "gravity: 9.81\n"
        "bodies:\n"
        "  ball: {mass: 0.8, inertia: 0.0032, position: [0, 0, 0.1 - (0.8*9.81/1e10)^(2/3)],\n"
        "    velocity: [2, 0, 0], angular_velocity: [0, 20, 0]}\n"
        "  top: {mass: 0.8, inertia: 0.0032, position: [0, 1, 0.1 - (0.8*9.81/1e10)^(2/3)],\n"
        "    angular_velocity: [0, 0, 30]}\n"
        "shapes: {ball: {type: sphere, radius: 0.1, group: all}, top: {type: sphere, radius: 0.1, group: "
        "all},\n"
        "  table: {type: plane, at: ground}}\n"
        "contacts: {hit: {a: all, b: table, stiffness: 1e10, damping: 10, rolling: 0.002, drilling: 0.003,\n"
        "  spin_creep: 1e-3, friction: {law: regularized, coefficient: 0.5, creep: 1e-5}}}\n"
        "run: {end: 1}\n");
    tml_sim *sim = start_with(model, "radau5", 1e-7);
    OK(tml_sim_run(sim, NAN, &err));
    const double *u = tml_sim_state(sim)->u;
    CHECK_CLOSE(u[0], 2 - 9.81 * 0.002 / 0.14, 1e-5);
    CHECK_CLOSE(u[11], 30 - 0.003 * 0.8 * 9.81 / 0.0032, 1e-5);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// ---- drops ------------------------------------------------------------------------------------------------

static void random_drops(void **state)
{
    (void)state;
    rng r = rng_seed(11);
    for (int k = 0; k < 20; k++) drop(&r, k);
}

// Cubes that balance edge across edge on a fixed one, in a guide: the height at which it rests is that of the
// edges, rounded by 0.005 m. Without them it would fall through until corners touch.
static void crossing_edges(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = text_model(
        "gravity: 9.81\n"
        "ground: {frames: {low: {orientation: {axis: [0, 1, 0], angle: 45 deg}}}}\n"
        "bodies: {cube: {mass: 2, inertia: 0.3, position: [0.1, 0.2, 1.5],\n"
        "  orientation: {axis: [1, 0, 0], angle: 45 deg}}}\n"
        "joints: {guide: {type: prismatic, a: ground, b: cube, point: [0.1, 0.2, 1.5], axis: [0, 0, 1]}}\n"
        "shapes: {cube: {type: box, size: [1, 1, 1]}, low: {type: box, size: [1, 1, 1], at: ground.low}}\n"
        "contacts: {hit: {a: cube, b: low, exponent: 1, stiffness: 1e5, restitution: 0.3}}\n"
        "run: {end: 3, output_step: 0.1}\n");
    tml_sim *sim = start_with(model, "radau5", 1e-6);
    record *r = record_new(sim, (const char *const[]){"cube.z", "hit.points", "hit.force", NULL});
    OK(tml_sim_run(sim, NAN, &err));
    const double *end = r->value[r->rows - 1];
    CHECK_CLOSE(end[0], sqrt(2) - 2 * (sqrt(2) - 1) * 0.005 - 2 * 9.81 / 1e5, 1e-7);
    CHECK_CLOSE(end[1], 1, 0);
    CHECK_CLOSE(end[2], 2 * 9.81, 1e-3);
    CHECK_SMALL(relative_energy_error(sim), 1e-5);
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// A box falls on another that lies on the ground, turned about the vertical: both come to rest.
static void stack(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model =
        text_model("gravity: 9.81\n"
                   "bodies:\n"
                   "  low: {mass: 3, inertia: [0.05, 0.05, 0.05], position: [0, 0, 0.1]}\n"
                   "  high: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.03, 0.02, 0.4],\n"
                   "    orientation: {axis: [0, 0, 1], angle: 30 deg}}\n"
                   "shapes: {low: {type: box, size: [0.4, 0.4, 0.2], group: boxes},\n"
                   "  high: {type: box, size: [0.2, 0.2, 0.2], group: boxes}, table: {type: plane, at: "
                   "ground, group: boxes}}\n"
                   "contacts: {hit: {a: boxes, exponent: 1, stiffness: 1e5, restitution: 0.3,\n"
                   "  friction: {law: regularized, coefficient: 0.5, creep: 1e-3}}}\n"
                   "run: {end: 2, output_step: 0.1}\n");
    tml_sim *sim = start_with(model, "radau5", 1e-5);
    record *r = record_new(sim, (const char *const[]){"high.z", "high.vz", "hit.force", "low.z", NULL});
    OK(tml_sim_run(sim, NAN, &err));
    const double *end = r->value[r->rows - 1];
    CHECK_CLOSE(end[0], 0.3 - 4 * 9.81 / 4e5 - 9.81 / 4e5, 2e-5);
    CHECK_SMALL(end[1], 1e-5);
    CHECK_CLOSE(end[2], 4 * 9.81 + 9.81, 1e-2);
    CHECK_SMALL(relative_energy_error(sim), 1e-4);
    record_free(r);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// ---- many shapes ------------------------------------------------------------------------------------------

enum { MANY = 26 };

// Spheres and boxes at random, some of which overlap, in a box of planes: one contact for all pairs, found by
// cells, or one for each pair.
static char *crowd(bool by_cells, bool boxes)
{
    const size_t size = 100000;
    char *text = malloc(size);
    assert_non_null(text);
    rng r = rng_seed(31);
    size_t n = (size_t)snprintf(text, size, "gravity: 9.81\nbodies:\n");
    for (int i = 0; i < MANY; i++) {
        double x[6];
        for (int k = 0; k < 6; k++) x[k] = rng_range(&r, -1, 1);
        n += (size_t)snprintf(text + n, size - n,
                              "  b%d: {mass: %g, inertia: [0.01, 0.012, 0.014], position: [%g, %g, %g],\n"
                              "    orientation: {quaternion: [1, %g, %g, %g]},\n"
                              "    velocity: [%g, %g, %g], angular_velocity: [%g, %g, %g]}\n",
                              i, 1.5 + x[0], 0.25 * x[1], 0.25 * x[2], 0.2 + 0.2 * x[3], x[5], x[1], x[4],
                              x[4], x[5], x[0], 5 * x[1], 5 * x[2], 5 * x[3]);
    }
    n += (size_t)snprintf(text + n, size - n, "shapes:\n  bottom: {type: plane, at: ground, group: all}\n");
    for (int i = 0; i < MANY; i++)
        n += (size_t)snprintf(text + n, size - n, "  b%d: {type: %s, group: all}\n", i,
                              boxes && i % 3 == 0 ? "box, size: [0.1, 0.14, 0.12]" : "sphere, radius: 0.07");
    n += (size_t)snprintf(text + n, size - n, "contacts:\n");
    const char *law =
        "law: hertz, stiffness: 1e4, damping: 30, friction: {law: regularized, coefficient: 0.3, "
        "creep: 0.01}";
    if (by_cells) n += (size_t)snprintf(text + n, size - n, "  all: {a: all, %s}\n", law);
    for (int i = 0; i < MANY && !by_cells; i++)
        for (int j = -1; j < i; j++) {
            char other[16] = "bottom";
            if (j >= 0) snprintf(other, sizeof other, "b%d", j);
            n += (size_t)snprintf(text + n, size - n, "  c%d_%d: {a: b%d, b: %s, %s}\n", i, j + 1, i, other,
                                  law);
        }
    assert_true(n < size);
    return text;
}

// The blocks of the bodies on the diagonal of the iteration matrix, with the operator of an increment.
static void diagonal_blocks(const tml_system *sys, const tml_state *x, double *out)
{
    tml_error err = {0};
    const tml_pattern *p = sys->pattern;
    void *work = sys->ops->create_work(sys->self, &sys->env);
    double *values = calloc((size_t)p->colptr[p->n], sizeof *values), increment[6 * MANY];
    assert_true(work && values);
    for (int i = 0; i < 6 * MANY; i++) increment[i] = 0.1 + 0.01 * (i % 7);
    const tml_assembly a = {.cd = 0.7, .ck = 1.3, .increment = increment};
    OK(sys->ops->assemble(sys->self, work, x, &a, values, &err));
    for (int j = 0; j < 6 * MANY; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if (p->rowind[k] / 6 == j / 6) out[6 * j + p->rowind[k] % 6] = values[k];
    sys->ops->destroy_work(work);
    free(values);
}

static void many_shapes(void **state)
{
    (void)state;
    static double udot[2][6 * MANY], block[2][36 * MANY];
    double biggest = 0, stiffest = 0;
    for (int k = 0; k < 2; k++) {
        char *text = crowd(k == 0, true);
        tml_model *model = text_model(text);
        tml_run_def run = *tml_model_run(model);
        run.method = "erk5";
        tml_sim *sim = start_sim(model, &run);
        const tml_state *x = tml_sim_state(sim);
        assert_int_equal(x->n, 6 * MANY);
        assert_int_equal(x->nmode > 0, k == 1);  // cells have no modes
        memcpy(udot[k], x->udot, sizeof udot[k]);
        diagonal_blocks(tml_model_system(model), x, block[k]);
        tml_sim_destroy(sim);
        tml_model_destroy(model);
        free(text);
    }
    for (int i = 0; i < 6 * MANY; i++) biggest = fmax(biggest, fabs(udot[1][i]));
    for (int i = 0; i < 36 * MANY; i++) stiffest = fmax(stiffest, fabs(block[1][i]));
    assert_true(biggest > 100 && stiffest > 1000);  // they do touch
    for (int i = 0; i < 6 * MANY; i++) CHECK_CLOSE(udot[0][i], udot[1][i], 1e-12 * biggest);
    for (int i = 0; i < 36 * MANY; i++) CHECK_CLOSE(block[0][i], block[1][i], 1e-12 * stiffest);
}

// Cells serve boxes and one ball, which are in other groups, whatever their order: the ball presses on the
// top of a box with stiffness times depth.
static void one_among_many(void **state)
{
    (void)state;
    static char text[20000];
    for (int last = 0; last < 2; last++) {
        const char *const ball = "  ball: {type: sphere, radius: 0.2, group: other}\n";
        size_t n = (size_t)snprintf(text, sizeof text,
                                    "bodies:\n  ball: {mass: 2, inertia: 0.03, position: [3, 0.1, 5.397]}\n");
        for (int i = 0; i < 30; i++)  // with 8 corners each over the plane
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "  b%d: {mass: 1, inertia: 0.1, position: [%d, 0, 5]}\n", i, i);
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "shapes:\n  bottom: {type: plane, at: ground, group: other}\n%s",
                              last ? "" : ball);
        for (int i = 0; i < 30; i++)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "  b%d: {type: box, size: [0.4, 0.4, 0.4], group: boxes}\n", i);
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "%scontacts: {hit: {a: boxes, b: other, law: linear, stiffness: 1e4}}\n",
                              last ? ball : "");
        assert_true(n < sizeof text - 1);
        tml_model *model = text_model(text);
        tml_sim *sim = start_sim(model, NULL);
        assert_int_equal(tml_sim_state(sim)->nmode, 0);  // by cells
        CHECK_CLOSE(channel_value(sim, "ball.az"), 1e4 * 0.003 / 2, 1e-9);
        CHECK_CLOSE(channel_value(sim, "b3.az"), -1e4 * 0.003, 1e-9);
        end_sim(sim, model);
    }
}

// By explicit and by implicit methods, whose matrix has the diagonal blocks alone, the motion is the same.
// Boxes that are deep in each other do not move smoothly.
static void many_shapes_move(void **state)
{
    (void)state;
    static const char *const by[] = {"erk5", "radau5", "bdf"};
    char *text = crowd(true, false);
    tml_model *model = text_model(text);
    double q[3][7 * MANY];
    for (int k = 0; k < 3; k++) {
        tml_error err = {0};
        tml_run_def run = *tml_model_run(model);
        run.method = by[k];
        run.end = 0.004;
        run.tol = 1e-6;
        tml_sim *sim = start_sim(model, &run);
        OK(tml_sim_run(sim, NAN, &err));
        CHECK_SMALL(relative_energy_error(sim), 1e-4);
        memcpy(q[k], tml_sim_state(sim)->q, sizeof q[k]);
        tml_sim_destroy(sim);
    }
    for (int k = 1; k < 3; k++)
        for (int i = 0; i < 7 * MANY; i++) CHECK_CLOSE(q[k][i], q[0][i], 1e-4);
    tml_run_def run = *tml_model_run(model);
    tml_error err = {0};
    tml_sim *sim = NULL;
    run.kinematics = TML_KINEMATICS_JOINTS;
    assert_int_equal(tml_sim_create(model, &run, &sim, &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "contact 'all' has too many shapes for joint coordinates"));
    tml_model_destroy(model);
    free(text);
}

// ---- mistakes ---------------------------------------------------------------------------------------------

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *shapes, *contact, *want;
        int line;
    } wrong[] = {
        {"", "a: bal, b: table", "there is no shape or group 'bal' (is it 'ball'?)", 5},
        {"", "a: ball, b: tabel", "no shape or group 'tabel' (is it 'table'?)", 5},
        {"", "a: ball, b: table, stiffness: 1, restitution: -0.2",
         "'restitution' is -0.2, expected a number from 0 to 1", 5},
        {"", "a: ball, b: table, stiffness: 1, restitution: 0", "which a compliant contact cannot have", 5},
        {"", "a: ball, b: table", "lacks 'stiffness'", 5},
        {"", "a: ball, b: table, stiffness: 1, friction: {law: regularized, creep: 1}",
         "lacks the key 'coefficient'", 5},
        {"", "a: ball, b: table, stiffness: 1, friction: {coefficient: 1}", "law regularized or lugre", 5},
        {"", "a: ball, b: table, stiffness: 1, friction: {law: regularized, coefficient: 1}", "needs 'creep'",
         5},
        {"", "a: ball, b: table, stiffness: 1, friction: {law: regularized, coulomb: 3, creep: 1}",
         "the load of its friction is the normal force", 5},
        {"wall: {type: plane, at: ground}", "a: wall, b: table, stiffness: 1",
         "no two shapes on different bodies", 5},
        {"lid: {type: plane, at: ball}", "a: lid, b: table, stiffness: 1",
         "plane 'table' and plane 'lid' cannot touch each other", 5},
        {"other: {type: sphere, radius: 1, at: bal}", "a: other, b: table, stiffness: 1",
         "body 'bal' not found (is it 'ball'?)", 4},
        {"box: {type: box, size: [1, 0, 1], at: ball}", "a: ball, b: table, stiffness: 1",
         "edge 2 of 'size' is 0", 4},
        {"peg: {type: sphere, radius: 1, at: ground}",
         "a: ball, b: peg, stiffness: 1, friction: {law: lugre, coefficient: 1, bristle_stiffness: 1, "
         "bristle_damping: 1}",
         "bristles (lugre) need a plane", 5},
        {"", "a: ball, b: table, stiffness: 1, damping: 1, restitution: 0.5", "either 'damping' or", 5},
        {"", "a: ball, b: table, stiffness: 1, rolling: 0.1", "need 'spin_creep'", 5},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1000];
        tml_spec *spec = NULL;
        tml_model *model = NULL;
        tml_error err = {0};
        snprintf(text, sizeof text,
                 "bodies: {ball: {mass: 1, inertia: 1}}\n"
                 "shapes: {ball: {type: sphere, radius: 0.1},\n"
                 "  table: {type: plane, at: ground}%s\n"
                 "  %s}\n"
                 "contacts: {hit: {%s}}\n",
                 wrong[i].shapes[0] ? "," : "", wrong[i].shapes, wrong[i].contact);
        tml_status st = tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, &err);
        if (st == TML_OK) st = tml_model_build(spec, &model, &err);
        if (st == TML_OK || !strstr(err.msg, wrong[i].want) || err.line != wrong[i].line)
            fail_msg("%zu: status %d, line %d: '%s', expected '%s'", i, (int)st, err.line, err.msg,
                     wrong[i].want);
        tml_model_destroy(model);
        tml_spec_destroy(spec);
    }
}

static void hear(tml_log_level level, const char *text, void *user)
{
    char *all = user;
    if (level == TML_LOG_WARNING) snprintf(all + strlen(all), 400 - strlen(all), "%s\n", text);
}

// A start with overlap is named; one with the depth of rest is not.
static void overlap(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[400], heard[400] = "";
        tml_spec *spec = NULL;
        tml_error err = {0};
        const tml_env env = {.log = hear, .user = heard};
        snprintf(text, sizeof text,
                 "bodies: {ball: {mass: 1, inertia: 1, position: [0, 0, %g]}}\n"
                 "shapes: {ball: {type: sphere, radius: 0.1}, table: {type: plane, at: ground}}\n"
                 "contacts: {hit: {a: ball, b: table, stiffness: 1e4}}\n",
                 k == 0 ? 0.07 : 0.0997);
        OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, &env, &spec, &err));
        tml_model *model = model_of(spec);
        const bool named = strstr(heard, "'ball' is 0.03 m deep in 'table' at the start");
        if (named != (k == 0)) fail_msg("%d: heard '%s'", k, heard);
        tml_model_destroy(model);
    }
}

// No step allocates, and all memory is given back.
static void memory(void **state)
{
    (void)state;
    counter c = {0};
    const tml_env env = count_env(&c);
    tml_error err = {0};
    tml_spec *spec = NULL;
    char text[1000];
    slope_model(0.3, "law: lugre, bristle_stiffness: 1e4, bristle_damping: 50", text);
    OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, &env, &spec, &err));
    tml_model *model = model_of(spec);
    memory_runs_out(&c, model, tml_model_run(model), 0.01);
    char *many = crowd(true, true);
    tml_run_def run = tml_run_def_default();
    run.method = "erk5";
    run.tol = 1e-3;
    OK(tml_spec_parse(many, strlen(many), "test.yaml", NULL, 0, &env, &spec, &err));
    memory_runs_out(&c, model_of(spec), &run, 1e-4);
    free(many);
}

// A run that is saved while it bounces and slides, and continued by another simulation, has the same bits.
static void saved(void **state)
{
    (void)state;
    tml_error err = {0};
    char text[1000];
    slope_model(0.6, "law: lugre, bristle_stiffness: 1e4, bristle_damping: 50", text);
    tml_model *model = text_model(text);
    tml_run_def run = *tml_model_run(model);
    run.method = "radau5";
    tml_sim_def def = tml_sim_def_default();
    def.model = model;
    def.run = &run;
    for (int k = 1; k <= 3; k++) {
        tml_sim *a = NULL, *b = NULL;
        size_t size = 0;
        OK(tml_sim_create_def(&def, &a, &err));
        OK(tml_sim_run(a, 0.05 * k, &err));
        OK(tml_sim_save_memory(a, NULL, 0, &size, &err));
        void *data = malloc(size);
        assert_non_null(data);
        OK(tml_sim_save_memory(a, data, size, &size, &err));
        OK(tml_sim_load_memory(&def, data, size, &b, &err));
        OK(tml_sim_run(a, 1, &err));
        OK(tml_sim_run(b, 1, &err));
        assert_true(state_hash(tml_sim_state(a)) == state_hash(tml_sim_state(b)));
        tml_sim_destroy(a);
        tml_sim_destroy(b);
        free(data);
    }
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dip),
                                       cmocka_unit_test(restitution),
                                       cmocka_unit_test(comes_to_rest),
                                       cmocka_unit_test(hertz_duration),
                                       cmocka_unit_test(slip_to_rolling),
                                       cmocka_unit_test(block_on_slope),
                                       cmocka_unit_test(force_of_long_steps),
                                       cmocka_unit_test(rolling_and_drilling),
                                       cmocka_unit_test(random_drops),
                                       cmocka_unit_test(mistakes),
                                       cmocka_unit_test(many_shapes),
                                       cmocka_unit_test(crossing_edges),
                                       cmocka_unit_test(stack),
                                       cmocka_unit_test(many_shapes_move),
                                       cmocka_unit_test(one_among_many),
                                       cmocka_unit_test(overlap),
                                       cmocka_unit_test(memory),
                                       cmocka_unit_test(saved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
