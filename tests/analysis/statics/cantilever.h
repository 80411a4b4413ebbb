// A cantilever with loads at its tip, for the tests of equilibria.
#ifndef TMLI_TESTS_ANALYSIS_STATICS_CANTILEVER_H
#define TMLI_TESTS_ANALYSIS_STATICS_CANTILEVER_H

#include "analysis/statics/equilibrium.h"
#include "support/support.h"
#include <trammel/model.h>
#include <trammel/spec.h>

static tml_error err;

#define OK(call)                                                  \
    do {                                                          \
        if ((call) != TML_OK) fail_msg("%s: %s", #call, err.msg); \
    } while (0)

typedef struct cantilever {
    double length, curvature[3];
    double stiffness[6];  // EA, GAy, GAz, GJ, EIy, EIz
    double force[3], moment[3];
    bool follower;
    int elements, order;
    tml_beam_interpolation interpolation;
} cantilever;

typedef struct result {
    double u[3], q[4];
    tmli_equilibrium found;
    int nodes;
} result;

static result solve(const cantilever *c)
{
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_state *x = NULL;
    result out = {0};
    OK(tml_spec_create(NULL, &spec, &err));
    tml_beam_def beam = tml_beam_def_default();
    beam.name = "b";
    beam.section = TML_SECTION_GENERAL;
    beam.length = c->length;
    memcpy(beam.curvature, c->curvature, sizeof beam.curvature);
    beam.elements = c->elements;
    beam.order = c->order;
    beam.interpolation = c->interpolation;
    for (int i = 0; i < 6; i++) beam.stiffness6[7 * i] = c->stiffness[i];
    beam.mass = 1;
    beam.inertia[0] = beam.inertia[1] = beam.inertia[2] = 1e-3;
    OK(tml_spec_add_beam(spec, &beam, &err));
    tml_joint_def joint = tml_joint_def_default();
    joint.name = "wall";
    joint.type = TML_JOINT_FIXED;
    joint.a = "ground";
    joint.b = "b.start";
    OK(tml_spec_add_joint(spec, &joint, &err));
    char text[6][40];
    tml_force_def force = tml_force_def_default();
    force.name = "load";
    force.type = TML_FORCE_APPLIED;
    force.b = "b.end";
    force.body_axes = c->follower;
    for (int i = 0; i < 3; i++) {
        snprintf(text[i], sizeof text[i], "%.17g", c->force[i]);
        snprintf(text[3 + i], sizeof text[i], "%.17g", c->moment[i]);
        force.force[i] = text[i];
        force.torque[i] = text[3 + i];
    }
    OK(tml_spec_add_force(spec, &force, &err));
    OK(tml_model_build(spec, &model, &err));
    const tml_system *sys = tml_model_system(model);
    OK(tml_state_create(sys, &x, &err));
    tml_model_start(model, 0, x);
    const int last = c->elements * c->order;
    double start[7];
    memcpy(start, x->q + 7 * last, sizeof start);
    OK(tmli_equilibrium_find(sys, x, NULL, NULL, NULL, &out.found, &err));
    for (int i = 0; i < 3; i++) out.u[i] = x->q[7 * last + i] - start[i];
    memcpy(out.q, x->q + 7 * last + 3, sizeof out.q);
    tml_state_destroy(x, sys);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return out;
}

static double error_of(const result *r, const double *expected, double length)
{
    double most = 0;
    for (int i = 0; i < 3; i++) most = fmax(most, fabs(r->u[i] - expected[i]) / length);
    return most;
}

#endif
