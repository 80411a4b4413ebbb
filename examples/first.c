// The first program: read a model file, build the model, simulate it and check the final state.
//
// Model: models/heavy_top.yaml, one rigid body in a spherical joint (6 coordinates, 3 constraint rows). The
// library chooses the method; the tolerance is 1e-4. Expected: the centre of mass stays 1 m away from the
// tip, and at t = 2 s it is at
//   (-0.150417, -0.724166, -0.673022) m           (reference solution, tests/cli/test_references.py)
// within the tolerance (an angle) times that distance. Exit status 0 if this holds.
#include <math.h>
#include <stdio.h>
#include <trammel/sim.h>

static const double expected[3] = {-0.1504168227, -0.7241655916, -0.6730222696};

// q of a body: position (inertial frame) [m], then the unit quaternion
static int check(const tml_sim *sim)
{
    const double *r = tml_sim_state(sim)->q;
    double error = 0, distance = 0;
    for (int i = 0; i < 3; i++) {
        error = fmax(error, fabs(r[i] - expected[i]));
        distance += r[i] * r[i];
    }
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    printf("t = %g s: centre of mass (%.6f, %.6f, %.6f) m after %ld steps\n", tml_sim_time(sim), r[0], r[1],
           r[2], report.count.steps);
    const double tol = tml_sim_settings(sim)->tol;  // [rad]; the arm is 1 m long
    return error <= tol && fabs(sqrt(distance) - 1) <= 1e-9;
}

int main(void)
{
    tml_error err;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;

    tml_status st = tml_spec_read("models/heavy_top.yaml", NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st == TML_OK) st = tml_sim_create(model, NULL, &sim, &err);  // NULL: settings of the file
    if (st == TML_OK) st = tml_sim_run(sim, NAN, &err);              // NAN: end time of the file
    const int good = st == TML_OK && check(sim);
    if (st != TML_OK) fprintf(stderr, "%s:%d: %s\n", err.file, err.line, err.msg);
    else if (!good) fprintf(stderr, "the top is not where it should be\n");

    tml_sim_destroy(sim);  // all accept NULL
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return good ? 0 : 1;
}
