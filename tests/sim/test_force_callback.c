// Force callbacks: a spring written as a callback moves a model as the built-in spring does, with every
// family of methods, with derivatives given or by differences; wrong definitions are refused.
#include "support/support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/sim.h>

typedef struct law {
    double k, c, free;
    int calls;
    bool derived;  // with its derivatives
    int derivatives;
} law;

static void pull(double t, const tml_frame_motion *frame, double *wrench, void *user)
{
    law *const s = user;
    double d[3], length = 0, rate = 0;
    (void)t;
    s->calls++;
    for (int i = 0; i < 3; i++) {
        d[i] = frame[1].position[i] - frame[0].position[i];
        length += d[i] * d[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; i++) rate += d[i] / length * (frame[1].velocity[i] - frame[0].velocity[i]);
    const double F = s->k * (length - s->free) + s->c * rate;
    for (int i = 0; i < 3; i++) {
        wrench[i] = F * d[i] / length;
        wrench[6 + i] = -wrench[i];
    }
}

// Element (row, column) of the derivatives of two frames.
static double *at(double *derivative, int row, int column) { return derivative + 24 * row + column; }

// The force on frame 0 is F e with e = d/l, F = k (l - free) + c e.v, v the velocity of 1 relative to 0:
//   by d: F (1 - ee')/l + e (k e + c (v - e (e.v))/l)',  by v: c e e'
static void pull_derivatives(double t, const tml_frame_motion *frame, double *derivative, void *user)
{
    law *const s = user;
    double e[3], v[3], length = 0, rate = 0;
    (void)t;
    s->derivatives++;
    for (int i = 0; i < 3; i++) {
        e[i] = frame[1].position[i] - frame[0].position[i];
        v[i] = frame[1].velocity[i] - frame[0].velocity[i];
        length += e[i] * e[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; i++) e[i] /= length;
    for (int i = 0; i < 3; i++) rate += e[i] * v[i];
    const double F = s->k * (length - s->free) + s->c * rate;
    for (int k = 0; k < 9; k++) {
        const int i = k / 3, j = k % 3;
        const double by_d = F * ((i == j) - e[i] * e[j]) / length +
                            e[i] * (s->k * e[j] + s->c * (v[j] - e[j] * rate) / length);
        for (int on = 0; on < 2; on++)
            for (int by = 0; by < 2; by++) {
                const double sign = on == by ? -1 : 1;
                *at(derivative, 6 * on + i, 12 * by + j) = sign * by_d;
                *at(derivative, 6 * on + i, 12 * by + 6 + j) = sign * s->c * e[i] * e[j];
            }
    }
}

static void cross(const double *x, const double *y, double *z)
{
    for (int i = 0; i < 3; i++) z[i] = x[(i + 1) % 3] * y[(i + 2) % 3] - x[(i + 2) % 3] * y[(i + 1) % 3];
}

// A force along an axis of frame 0 and moments by axes and angular velocities: it depends on all of a motion.
// On frame 0: F = 3 x0, M = 2 w0; on frame 1: F = 4 (v0 - v1), M = 5 z1 x y0 + (w0 - w1), where x0, y0, z1
// are axes of the frames.
static void axis(const tml_frame_motion *frame, int k, double *a)
{
    for (int i = 0; i < 3; i++) a[i] = frame->axes[3 * i + k];
}

static void grip(double t, const tml_frame_motion *frame, double *wrench, void *user)
{
    double x0[3], y0[3], z1[3], torque[3];
    (void)t, (void)user;
    axis(&frame[0], 0, x0);
    axis(&frame[0], 1, y0);
    axis(&frame[1], 2, z1);
    cross(z1, y0, torque);
    for (int i = 0; i < 3; i++) {
        wrench[i] = 3 * x0[i];
        wrench[3 + i] = 2 * frame[0].angular_velocity[i];
        wrench[6 + i] = 4 * (frame[0].velocity[i] - frame[1].velocity[i]);
        wrench[9 + i] = 5 * torque[i] + frame[0].angular_velocity[i] - frame[1].angular_velocity[i];
    }
}

static void grip_derivatives(double t, const tml_frame_motion *frame, double *derivative, void *user)
{
    double x0[3], y0[3], z1[3];
    (void)t, (void)user;
    axis(&frame[0], 0, x0);
    axis(&frame[0], 1, y0);
    axis(&frame[1], 2, z1);
    for (int k = 0; k < 3; k++) {
        const double a[3] = {k == 0, k == 1, k == 2};
        double turned[3], torque[3];
        cross(a, x0, turned);
        for (int i = 0; i < 3; i++) *at(derivative, i, 3 + k) = 3 * turned[i];
        cross(a, y0, turned);
        cross(z1, turned, torque);
        for (int i = 0; i < 3; i++) *at(derivative, 9 + i, 3 + k) = 5 * torque[i];
        cross(a, z1, turned);
        cross(turned, y0, torque);
        for (int i = 0; i < 3; i++) *at(derivative, 9 + i, 15 + k) = 5 * torque[i];
        *at(derivative, 3 + k, 9 + k) = 2;
        *at(derivative, 6 + k, 6 + k) = 4;
        *at(derivative, 6 + k, 18 + k) = -4;
        *at(derivative, 9 + k, 9 + k) = 1;
        *at(derivative, 9 + k, 21 + k) = -1;
    }
}

// A heavy body on a ball joint, with a spring to its tip.
static tml_model *body_on_spring(law *s)
{
    tml_error err;
    tml_spec *spec;
    tml_model *m;
    assert_int_equal(tml_spec_create(NULL, &spec, &err), TML_OK);
    tml_spec_set_gravity(spec, (const double[]){0, 0, -9.81});
    tml_body_def b = tml_body_def_default();
    b.name = "top";
    b.mass = 1.3;
    b.inertia[0] = b.inertia[1] = 0.05;
    b.inertia[2] = 0.02;
    b.position[0] = 0.4;
    b.angular_velocity[0] = 3;
    b.angular_velocity[2] = -2;
    assert_int_equal(tml_spec_add_body(spec, &b, &err), TML_OK);
    tml_frame_def f = tml_frame_def_default();
    f.body = "top";
    f.name = "root";
    f.position[0] = -0.4;
    assert_int_equal(tml_spec_add_frame(spec, &f, &err), TML_OK);
    f.name = "tip";
    f.position[0] = 0.3;
    f.position[1] = 0.1;
    assert_int_equal(tml_spec_add_frame(spec, &f, &err), TML_OK);
    f.body = "ground";
    f.name = "hook";
    f.position[2] = 0.9;
    assert_int_equal(tml_spec_add_frame(spec, &f, &err), TML_OK);
    tml_joint_def j = tml_joint_def_default();
    j.name = "ball";
    j.type = TML_JOINT_SPHERICAL;
    j.a = "ground";
    j.b = "top.root";
    assert_int_equal(tml_spec_add_joint(spec, &j, &err), TML_OK);
    tml_force_def d = tml_force_def_default();
    d.name = "spring";
    if (s->calls < 0) {
        d.a = "ground.hook";
        d.b = "top.tip";
        d.stiffness = s->k;
        d.damping = s->c;
        d.free = s->free;
    } else {
        d.type = TML_FORCE_CALLBACK;
        d.frame_count = 2;
        d.frame[0] = "ground.hook";
        d.frame[1] = "top.tip";
        d.function = pull;
        if (s->derived) d.derivatives = pull_derivatives;
        d.user = s;
    }
    assert_int_equal(tml_spec_add_force(spec, &d, &err), TML_OK);
    assert_int_equal(tml_model_build(spec, &m, &err), TML_OK);
    tml_spec_destroy(spec);
    return m;
}

static void end_of(const char *method, law *s, double q[7])
{
    tml_error err;
    tml_sim *sim;
    tml_model *m = body_on_spring(s);
    tml_run_def run = tml_run_def_default();
    run.method = method;
    run.tol = 1e-6;
    if (tml_sim_create(m, &run, &sim, &err) != TML_OK) fail_msg("%s: %s", method, err.msg);
    if (tml_sim_run(sim, 1, &err) != TML_OK) fail_msg("%s: %s", method, err.msg);
    memcpy(q, tml_sim_state(sim)->q, 7 * sizeof *q);
    tml_sim_destroy(sim);
    tml_model_destroy(m);
}

static void as_a_spring(void **state)
{
    (void)state;
    static const char *const methods[] = {"genalpha", "bdf", "radau5", "ggl", "for-sdirk", "erk8"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        law built_in = {60, 2, 0.3, -1, false, 0}, own = {60, 2, 0.3, 0, false, 0};
        law derived = {60, 2, 0.3, 0, true, 0};
        double q[7], p[7], r[7];
        end_of(methods[i], &built_in, q);
        end_of(methods[i], &own, p);
        end_of(methods[i], &derived, r);
        assert_true(own.calls > derived.calls && derived.derivatives > 0);
        for (int k = 0; k < 7; k++) assert_true(fabs(q[k] - p[k]) < 1e-7 && fabs(q[k] - r[k]) < 1e-7);
    }
}

// The matrix cd D + ck K of a model against central differences of its residual by velocities and increments.
static void check_tangent(const tml_model *m, double tol)
{
    const tml_system *sys = tml_model_system(m);
    const int n = sys->n, nnz = sys->pattern->colptr[sys->pattern->n];
    tml_error err;
    tml_state *x, *y;
    void *work = sys->ops->create_work(sys->self, NULL);
    assert_int_equal(tml_state_create(sys, &x, &err), TML_OK);
    assert_int_equal(tml_state_create(sys, &y, &err), TML_OK);
    double *values = calloc((size_t)nnz, sizeof *values), *d = calloc((size_t)n, sizeof *d);
    double *r[2] = {calloc((size_t)n, sizeof *d), calloc((size_t)n, sizeof *d)};
    double *phi = calloc((size_t)sys->m + 1, sizeof *phi);
    tml_model_start(m, 0.3, x);
    for (int j = 0; j < n; j++) x->u[j] += 0.3 + 0.1 * j;
    for (int by_u = 0; by_u < 2; by_u++) {
        const tml_assembly a = {.cd = by_u, .ck = 1 - by_u};
        assert_int_equal(sys->ops->assemble(sys->self, work, x, &a, values, &err), TML_OK);
        for (int j = 0; j < n; j++) {
            const double h = 1e-5;
            for (int side = 0; side < 2; side++) {
                tml_state_copy(y, x);
                d[j] = side ? h : -h;
                if (by_u) y->u[j] += d[j];
                else sys->ops->retract(sys->self, x->q, d, y->q);
                assert_int_equal(sys->ops->residual(sys->self, work, y, NULL, r[side], phi, &err), TML_OK);
                d[j] = 0;
            }
            for (int k = sys->pattern->colptr[j]; k < sys->pattern->colptr[j + 1]; k++) {
                const int i = sys->pattern->rowind[k];
                if (i < n) CHECK_CLOSE(values[k], (r[1][i] - r[0][i]) / (2 * h), tol * (1 + fabs(values[k])));
            }
        }
    }
    double *const all[] = {values, d, r[0], r[1], phi};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    tml_state_destroy(x, sys);
    tml_state_destroy(y, sys);
    sys->ops->destroy_work(work);
}

// Two bodies in a grip, frames off their centres and turned.
static tml_model *two_in_a_grip(void)
{
    tml_error err;
    tml_spec *spec;
    tml_model *m;
    assert_int_equal(tml_spec_create(NULL, &spec, &err), TML_OK);
    for (int i = 0; i < 2; i++) {
        tml_body_def b = tml_body_def_default();
        b.name = i ? "second" : "first";
        b.mass = 1 + i;
        b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.1;
        b.position[0] = 0.4 * i;
        b.orientation[0] = cos(0.4 + i);
        b.orientation[1 + i] = sin(0.4 + i);
        b.angular_velocity[i] = 3;
        assert_int_equal(tml_spec_add_body(spec, &b, &err), TML_OK);
        tml_frame_def f = tml_frame_def_default();
        f.body = b.name;
        f.name = "hand";
        f.position[0] = 0.3 - 0.5 * i;
        f.position[1] = 0.1;
        f.position[2] = 0.2 * i;
        f.orientation[0] = cos(0.3);
        f.orientation[3] = sin(0.3);
        assert_int_equal(tml_spec_add_frame(spec, &f, &err), TML_OK);
    }
    tml_force_def d = tml_force_def_default();
    d.name = "grip";
    d.type = TML_FORCE_CALLBACK;
    d.frame_count = 2;
    d.frame[0] = "first.hand";
    d.frame[1] = "second.hand";
    d.function = grip;
    d.derivatives = grip_derivatives;
    assert_int_equal(tml_spec_add_force(spec, &d, &err), TML_OK);
    assert_int_equal(tml_model_build(spec, &m, &err), TML_OK);
    tml_spec_destroy(spec);
    return m;
}

static void tangents(void **state)
{
    (void)state;
    for (int derived = 0; derived < 2; derived++) {
        law own = {60, 2, 0.3, 0, derived, 0};
        tml_model *m = body_on_spring(&own);
        check_tangent(m, derived ? 1e-7 : 1e-6);
        assert_int_equal(own.derivatives > 0, derived);
        tml_model_destroy(m);
    }
    tml_model *m = two_in_a_grip();
    check_tangent(m, 1e-8);
    tml_model_destroy(m);
    tml_error err;
    tml_spec *spec;
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/models/controlled_cart.yaml", root ? root : ".");
    assert_int_equal(tml_spec_read(path, NULL, 0, NULL, &spec, &err), TML_OK);
    assert_int_equal(tml_model_build(spec, &m, &err), TML_OK);
    tml_spec_destroy(spec);
    check_tangent(m, 1e-7);  // rates of states
    tml_model_destroy(m);
}

static void refused(void **state)
{
    (void)state;
    tml_error err;
    tml_spec *spec;
    assert_int_equal(tml_spec_create(NULL, &spec, &err), TML_OK);
    tml_force_def d = tml_force_def_default();
    d.name = "f";
    d.type = TML_FORCE_CALLBACK;
    assert_int_equal(tml_spec_add_force(spec, &d, &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "needs a function"));
    d.function = pull;
    assert_int_equal(tml_spec_add_force(spec, &d, &err), TML_ERR_ARG);
    d.frame_count = 1;
    assert_int_equal(tml_spec_add_force(spec, &d, &err), TML_ERR_ARG);
    d.frame[0] = "nowhere";
    assert_int_equal(tml_spec_add_force(spec, &d, &err), TML_OK);
    tml_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_a_spring), cmocka_unit_test(tangents),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
