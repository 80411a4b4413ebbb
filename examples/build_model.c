// A model built in code instead of read from a file: a double pendulum in the plane with a spring between its
// second rod and the ground.
//
// Rods of 0.5 m and 0.4 m start horizontally at rest; gravity acts along -y. Expected: the energy does not
// change, since nothing dissipates it. Exit status 0 if it holds within ten tolerances of the largest term.
#include <math.h>
#include <stdio.h>
#include <trammel/trammel.h>

// A slender rod of length l [m] along x, with frames "left" and "right" at its ends.
static tml_status add_rod(tml_spec *spec, const char *name, double x, double l, double mass, tml_error *err)
{
    tml_body_def body = tml_body_def_default();
    body.name = name;
    body.mass = mass;
    body.inertia[2] = mass * l * l / 12;
    body.position[0] = x;
    tml_status st = tml_spec_add_body(spec, &body, err);
    for (int side = -1; side <= 1 && st == TML_OK; side += 2) {
        tml_frame_def frame = tml_frame_def_default();
        frame.body = name;
        frame.name = side < 0 ? "left" : "right";
        frame.position[0] = side * l / 2;
        st = tml_spec_add_frame(spec, &frame, err);
    }
    return st;
}

static tml_status add_pin(tml_spec *spec, const char *name, const char *a, const char *b, tml_error *err)
{
    tml_joint_def joint = tml_joint_def_default();
    joint.type = TML_JOINT_REVOLUTE;
    joint.name = name;
    joint.a = a;
    joint.b = b;
    return tml_spec_add_joint(spec, &joint, err);
}

static tml_status build(tml_model **model, tml_error *err)
{
    tml_spec *spec = NULL;
    const double gravity[3] = {0, -9.81, 0};
    tml_status st = tml_spec_create(NULL, &spec, err);
    if (st != TML_OK) return st;
    tml_spec_set_planar(spec, true);
    tml_spec_set_gravity(spec, gravity);
    st = add_rod(spec, "upper", 0.25, 0.5, 1.2, err);
    if (st == TML_OK) st = add_rod(spec, "lower", 0.7, 0.4, 0.9, err);
    if (st == TML_OK) st = add_pin(spec, "shoulder", "ground", "upper.left", err);
    if (st == TML_OK) st = add_pin(spec, "elbow", "upper.right", "lower.left", err);
    tml_force_def spring = tml_force_def_default();
    spring.type = TML_FORCE_SPRING;
    spring.name = "spring";
    spring.a = "ground";
    spring.b = "lower.right";
    spring.stiffness = 15;  // [N/m]; its free length is that of the start
    if (st == TML_OK) st = tml_spec_add_force(spec, &spring, err);
    if (st == TML_OK) st = tml_model_build(spec, model, err);
    tml_spec_destroy(spec);  // the model has its own copy
    return st;
}

int main(void)
{
    tml_error err;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    tml_run_def run = tml_run_def_default();
    run.end = 3;
    run.tol = 1e-6;

    tml_status st = build(&model, &err);
    if (st == TML_OK) st = tml_sim_create(model, &run, &sim, &err);
    if (st == TML_OK) st = tml_sim_run(sim, NAN, &err);
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    const int lower = st == TML_OK ? tml_model_body_index(model, "lower", &err) : -1;
    if (lower >= 0) {
        const tml_body_layout at = tml_model_body_layout(model, lower);
        const tml_state *x = tml_sim_state(sim);
        printf("lower rod: x = %.6f m, y = %.6f m, %d velocity components from u[%d] on\n", x->q[at.q],
               x->q[at.q + 1], at.u_count, at.u);
        printf("method %s, %ld steps, energy error %.2e J of %.3g J\n", report.method, report.count.steps,
               report.energy_error, report.energy_scale);
    }
    const int good = st == TML_OK && report.energy_error <= 10 * run.tol * report.energy_scale;
    if (st != TML_OK) fprintf(stderr, "%s\n", err.msg);
    else if (!good) fprintf(stderr, "the energy has changed\n");
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    return good ? 0 : 1;
}
