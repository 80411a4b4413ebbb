// The robot arm of models/contact/robot_arm.yaml with a digital controller at 1 kHz: each tick it reads the
// encoders, the angles of the joints, and sets the torques of the motors. The arm swings between two poses,
// with friction in every joint. Printed are processor time per tick, how much faster than real time that is,
// the largest error of an angle against a run with a small tolerance, and how far the arm is from its path.
//
// usage: bench_arm [SECONDS]     (from the top of the tree; 4)
#include "arm.h"

#include <stdio.h>
#include <stdlib.h>

enum { JOINTS = ARM_JOINTS, MOST_TICKS = 100000 };

typedef struct setting {
    const char *method;
    tml_kinematics kinematics;
    double step, tol;
} setting;

static void stop(const tml_error *err)
{
    fprintf(stderr, "%s\n", err->msg);
    exit(1);
}

// user: angle (ticks x JOINTS)
static void keep_angles(int k, const tml_state *x, void *user)
{
    for (int i = 0; i < JOINTS; i++) ((double *)user)[k * JOINTS + i] = x->angle[i];
}

// angle (ticks x JOINTS); returns the processor time [s]
static double run(const tml_model *model, setting s, int ticks, double *angle, tml_sim_report *report)
{
    tml_error err;
    tml_sim *sim = NULL;
    tml_run_def run = *tml_model_run(model);
    run.method = s.method;
    run.kinematics = s.kinematics;
    run.step = s.step;
    run.tol = s.tol;
    run.end = ticks * ARM_TICK;
    if (tml_sim_create(model, &run, &sim, &err) != TML_OK) stop(&err);
    double seconds;
    if (arm_run(sim, ticks, keep_angles, angle, &seconds, &err) != TML_OK) stop(&err);
    tml_sim_get_report(sim, report);
    tml_sim_destroy(sim);
    return seconds;
}

int main(int argc, char **argv)
{
    static const setting settings[] = {
        {"genalpha", TML_KINEMATICS_JOINTS, 1e-3, 1e-4}, {"bdf2", TML_KINEMATICS_JOINTS, 1e-3, 1e-4},
        {"erk5", TML_KINEMATICS_JOINTS, 1e-3, 1e-4},     {"genalpha", TML_KINEMATICS_BODIES, 1e-3, 1e-4},
        {"bdf", TML_KINEMATICS_JOINTS, 0, 1e-4},         {"radau5", TML_KINEMATICS_JOINTS, 0, 1e-4}};
    tml_error err;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    const int ticks = (int)fmin(MOST_TICKS, (argc > 1 ? atof(argv[1]) : 4) / ARM_TICK);
    if (tml_spec_read("models/contact/robot_arm.yaml", NULL, 0, NULL, &spec, &err) != TML_OK) stop(&err);
    if (tml_model_build(spec, &model, &err) != TML_OK) stop(&err);
    tml_spec_destroy(spec);
    double *exact = calloc((size_t)ticks * JOINTS, sizeof *exact),
           *angle = calloc((size_t)ticks * JOINTS, sizeof *angle);
    if (!exact || !angle) exit(1);
    tml_sim_report r;
    run(model, (setting){"radau5", TML_KINEMATICS_JOINTS, 0, 1e-9}, ticks, exact, &r);
    printf("%-10s %-8s %8s %9s %15s %11s %13s %7s\n", "method", "unknowns", "step [s]", "us/tick",
           "real time/CPU", "error [rad]", "off path", "steps");
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        double best = INFINITY, error = 0, tracking = 0;
        for (int again = 0; again < 3; again++) best = fmin(best, run(model, settings[k], ticks, angle, &r));
        for (int i = 0; i < ticks * JOINTS; i++) {
            error = fmax(error, fabs(angle[i] - exact[i]));
            tracking = fmax(tracking, fabs(angle[i] - arm_target(i % JOINTS, ARM_TICK * (i / JOINTS + 1))));
        }
        printf("%-10s %-8s %8g %9.1f %15.1f %11.1e %13.3f %7ld\n", settings[k].method,
               settings[k].kinematics == TML_KINEMATICS_JOINTS ? "joints" : "bodies", settings[k].step,
               1e6 * best / ticks, ticks * ARM_TICK / best, error, tracking, r.count.steps);
    }
    free(exact);
    free(angle);
    tml_model_destroy(model);
    return 0;
}
