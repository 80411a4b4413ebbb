// Bristles (lugre) of a compliant contact that opens and closes, down to no damping of them at all, against a
// solution by small steps of the equations of a disc on a floor.
#include "sim_fixture.h"

// [kg], [kg m^2], [m], [N/m], [m/s^2]; friction [-], [1/m]; the time [s]
static const double mass = 0.7, inertia = 1.3e-3, radius = 0.06, stiffness = 1e6, gravity = 200, mu = 0.23,
                    s0 = 4e4, end = 0.03;

enum { X, Y, PHI, VX, VY, W, Z, N };

// The state of the disc, x, y, its angle, their rates and the bristle, and its rate. The force acts half way
// between both surfaces: docs/theory/contact.md (1), (6), (11).
static void rates(const double *x, double s1, double *out)
{
    const double depth = radius - x[Y], load = depth > 0 ? stiffness * depth : 0, arm = radius - depth / 2,
                 slip = x[VX] + arm * x[W], wear = s0 * fabs(slip) / (mu + (depth > 0 ? 0 : s1 * fabs(slip)));
    out[Z] = (depth > 0 ? slip : 0) - wear * x[Z];
    const double T = -load * (s0 * x[Z] + s1 * out[Z]);
    for (int k = 0; k < 3; k++) out[X + k] = x[VX + k];
    out[VX] = T / mass;
    out[VY] = load / mass - gravity;
    out[W] = arm * T / inertia;
}

// Runge and Kutta's method. The spring sets in with a kink: an error of stiffness speed h^2/(8 mass) of the
// velocities at each of some ten openings and closings, 3e-10 m/s in all; that of the bristles, with rates up
// to 3e5/s, is less.
static void by_small_steps(double s1, double *x)
{
    const double h = 2e-8;
    double k[4][N], y[N];
    for (long i = 0; i < lround(end / h); i++) {
        for (int j = 0; j < 4; j++) {
            const double c = j == 0 ? 0 : j == 3 ? 1 : 0.5;
            for (int m = 0; m < N; m++) y[m] = x[m] + (j == 0 ? 0 : c * h * k[j - 1][m]);
            rates(y, s1, k[j]);
        }
        for (int m = 0; m < N; m++) x[m] += h / 6 * (k[0][m] + 2 * k[1][m] + 2 * k[2][m] + k[3][m]);
    }
}

static tml_model *disc_model(double s1)
{
    char text[1000];
    snprintf(text, sizeof text,
             "planar: true\n"
             "gravity: [0, %.17g]\n"
             "bodies: {disc: {mass: %.17g, inertia: %.17g, position: [0, 0.061], velocity: [1.3, -0.4]}}\n"
             "shapes: {disc: {type: sphere, radius: %.17g}, floor: {type: plane, at: ground}}\n"
             "contacts: {hit: {a: disc, b: floor, law: linear, stiffness: %.17g, friction: {law: lugre,\n"
             "  coefficient: %.17g, bristle_stiffness: %.17g, bristle_damping: %.17g}}}\n"
             "run: {end: %.17g, output_step: 0.001}\n",
             -gravity, mass, inertia, radius, stiffness, mu, s0, s1, end);
    return text_model(text);
}

// Bounces with slip, the last ones with stick. With little damping of the bristles, or none, nothing is
// stiffer than slip under load: every implicit method gets through every opening.
static void bounces(void **state)
{
    (void)state;
    static const double damping[] = {0, 1e-9, 1e-5, 0.02};
    static const struct {
        const char *method;
        double tol, error;  // error: of velocities [m/s]; tolerances of steps add up over some thousand
    } runs[] = {
        {"radau5", 1e-9, 3e-7}, {"radau5", 1e-4, 1e-3}, {"bdf", 1e-6, 3e-3}, {"genalpha", 1e-3, 3e-2}};
    static const char *const names[] = {"disc.vx", "disc.vy", "disc.wz", NULL};
    for (size_t i = 0; i < sizeof damping / sizeof *damping; i++) {
        double x[N] = {[Y] = 0.061, [VX] = 1.3, [VY] = -0.4};
        by_small_steps(damping[i], x);
        tml_model *model = disc_model(damping[i]);
        for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
            tml_error err = {0};
            tml_run_def run = *tml_model_run(model);
            run.method = runs[k].method;
            run.tol = runs[k].tol;
            tml_sim *sim = start_sim(model, &run);
            record *r = record_new(sim, names);
            OK(tml_sim_run(sim, NAN, &err));
            const double *got = r->value[r->rows - 1];
            for (int j = 0; j < 3; j++) {
                const double unit = j == 2 ? 1 / radius : 1;
                if (!(fabs(got[j] - x[VX + j]) <= runs[k].error * unit))
                    fail_msg("%s, tolerance %g, damping %g: %s is %.12g, expected %.12g", runs[k].method,
                             runs[k].tol, damping[i], names[j], got[j], x[VX + j]);
            }
            assert_true(report_of(sim).switches >= 6);
            record_free(r);
            tml_sim_destroy(sim);
        }
        tml_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
