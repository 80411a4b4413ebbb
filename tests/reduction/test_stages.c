// Use of a reduction by methods: stages in descriptor form, derivatives along a motion, systems of callbacks.
#include "reduction/fixture.h"

enum { MAX = 16 };

// Time scale: Andrews' squeezer is much faster than the other models.
static double time_scale(const rig *s) { return strstr(s->name, "andrews") ? 0.03 : 1; }

// ---- descriptor form --------------------------------------------------------------------------------------

// A step of the trapezoidal rule, v = v* + h^2/4 a, v' = v'* + h/2 a, by corrections of all accelerations:
// they converge in few iterations to the accelerations of the configuration.
static void check_descriptor(rig *s, double h, int most)
{
    const double ck = h * h / 4, cd = h / 2;
    double a0[MAX], v0[MAX], vd0[MAX], v[MAX], vd[MAX], a[MAX], da[MAX], want[MAX];
    bool changed;
    OK(tmli_reduction_begin(s->red, s->x, &changed, err));
    const int dof = tmli_reduction_dof(s->red);  // known after the first begin
    OK(tmli_reduction_accelerate(s->red, s->x, a0, err));
    tmli_reduction_velocity(s->red, s->x, vd0);
    OK(tmli_reduction_descriptor_factor(s->red, s->x, cd, ck, err));
    tml_state_copy(s->y, s->x);
    double scale = 1;
    for (int k = 0; k < dof; k++) {
        v0[k] = h * vd0[k] + ck * a0[k];
        vd0[k] += cd * a0[k];
        a[k] = a0[k];
        scale = fmax(scale, fabs(a0[k]));
    }
    int it = 0;
    double size = INFINITY;
    for (; it < 40 && size > 1e-11 * scale; it++) {
        for (int k = 0; k < dof; k++) {
            v[k] = v0[k] + ck * a[k];
            vd[k] = vd0[k] + cd * a[k];
        }
        OK(tmli_reduction_solve_dependent(s->red, s->x->t + h, v, vd, s->y, err));
        OK(tmli_reduction_descriptor_correct(s->red, s->y, da, err));
        tmli_reduction_acceleration_of(s->red, s->y, a);
        size = 0;
        for (int k = 0; k < dof; k++) size = fmax(size, fabs(da[k]));
    }
    if (it > most) fail_msg("%s: %d corrections at h = %g", s->name, it, h);
    OK(tmli_reduction_accelerate(s->red, s->y, want, err));
    for (int k = 0; k < dof; k++) CHECK_CLOSE(a[k], want[k], 1e-9 * scale);
}

static void descriptor(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        for (int tangent = 0; tangent < 2; tangent++) {
            rng r = rng_seed((uint64_t)(271 + i));
            rig *s =
                rig_open(&subjects[i], tangent ? TML_COORDINATES_TANGENT : TML_COORDINATES_PARTITION, false);
            rig_random(s, &r, 0.02, 1);
            check_descriptor(s, 1e-3 * time_scale(s), 8);
            check_descriptor(s, 1e-2 * time_scale(s), 20);
            rig_close(s);
        }
}

// ---- along a motion ---------------------------------------------------------------------------------------

// da/dt along the motion = by_t + by_v v' + by_vd a.
static void check_flow(rig *s)
{
    const int dof = tmli_reduction_dof(s->red);
    const double h = 1e-4 * time_scale(s);
    double by_v[MAX * MAX], by_vd[MAX * MAX], by_t[MAX], a0[MAX], vd0[MAX], v[MAX], vd[MAX], a[2][MAX];
    OK(tmli_reduction_accelerate(s->red, s->x, a0, err));
    tmli_reduction_velocity(s->red, s->x, vd0);
    OK(tmli_reduction_jacobian(s->red, s->x, by_v, by_vd, by_t, err));
    tml_state_copy(s->y, s->x);
    for (int side = 0; side < 2; side++) {
        const double tau = side == 0 ? -h : h;
        for (int k = 0; k < dof; k++) {
            v[k] = tau * vd0[k] + tau * tau / 2 * a0[k];
            vd[k] = vd0[k] + tau * a0[k];
        }
        OK(tmli_reduction_solve_dependent(s->red, s->x->t + tau, v, vd, s->y, err));
        OK(tmli_reduction_accelerate(s->red, s->y, a[side], err));
    }
    double size = 1;
    for (int k = 0; k < dof; k++) size = fmax(size, fabs(a[1][k] - a[0][k]) / (2 * h));
    for (int k = 0; k < dof; k++) {
        double want = by_t[k];
        for (int j = 0; j < dof; j++) want += by_v[j * dof + k] * vd0[j] + by_vd[j * dof + k] * a0[j];
        CHECK_CLOSE((a[1][k] - a[0][k]) / (2 * h), want, 2e-5 * size);
    }
}

static void flow(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++) {
        rng r = rng_seed((uint64_t)(371 + i));
        rig *s = rig_open(&subjects[i], TML_COORDINATES_PARTITION, false);
        s->x->t = 0.07;
        rig_random(s, &r, 0.02, 1);
        bool changed;
        OK(tmli_reduction_begin(s->red, s->x, &changed, err));
        check_flow(s);
        rig_close(s);
    }
}

// ---- callbacks --------------------------------------------------------------------------------------------

// A bead on a moving hoop whose centre moves with the bead: Phi = (x - 0.3 t y)^2 + y^2 + z^2 - (1 +
// 0.1 sin t)^2. Its rate depends on the configuration, unlike those of models. Mass depends on it as well.
static tml_status hoop_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)user;
    M[0] = 2 + 0.3 * q[1];
    M[4] = 1.5;
    M[8] = 1 + 0.2 * q[0] * q[0];
    M[1] = M[3] = 0.1;
    return TML_OK;
}
static tml_status hoop_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)user;
    f[0] = sin(t) - 3 * q[0] * q[1] - 0.2 * u[0] * u[2];
    f[1] = -9.81 - 0.3 * u[1];
    f[2] = q[2] - u[2] * fabs(q[0] + 3);
    return TML_OK;
}
static tml_status hoop_constraint(double t, const double *q, double *phi, void *user)
{
    (void)user;
    const double x = q[0] - 0.3 * t * q[1], r = 1 + 0.1 * sin(t);
    phi[0] = x * x + q[1] * q[1] + q[2] * q[2] - r * r;
    return TML_OK;
}

static void callbacks(void **state)
{
    (void)state;
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 3;
    def.m = 1;
    def.mass = hoop_mass;
    def.force = hoop_force;
    def.constraint = hoop_constraint;
    tml_system *sys = NULL;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    for (int tangent = 0; tangent < 2; tangent++) {
        rng r = rng_seed(8);
        for (int round = 0; round < 5; round++) {
            rig *s =
                rig_open_system(sys, "hoop", tangent ? TML_COORDINATES_TANGENT : TML_COORDINATES_PARTITION);
            s->choice.rank = 1;
            s->x->t = 0.4;
            for (int j = 0; j < 3; j++) s->x->q[j] = rng_range(&r, -1, 1);
            rig_random(s, &r, 0.1, 1);
            double exact[2][4], rough[2][4];
            for (int way = 0; way < 2; way++) {
                tmli_reduction *one = NULL;
                bool changed;
                s->opt.run.jacobian = way == 0 ? TML_JACOBIAN_EXACT : TML_JACOBIAN_DIFFERENCES;
                OK(tmli_reduction_create(sys, &s->opt, true, &s->count, &one, err));
                OK(tmli_reduction_begin(one, s->x, &changed, err));
                double(*out)[4] = way == 0 ? exact : rough;
                OK(tmli_reduction_jacobian(one, s->x, out[0], out[1], NULL, err));
                tmli_reduction_destroy(one);
            }
            for (int part = 0; part < 2; part++)
                for (int i = 0; i < 4; i++)
                    CHECK_CLOSE(exact[part][i], rough[part][i], 1e-5 * (1 + fabs(rough[part][i])));
            bool changed;
            OK(tmli_reduction_begin(s->red, s->x, &changed, err));
            assert_int_equal(tmli_reduction_dof(s->red), 2);
            check_flow(s);
            check_descriptor(s, 1e-3, 8);
            rig_close(s);
        }
    }
    tml_system_destroy(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptor),
        cmocka_unit_test(flow),
        cmocka_unit_test(callbacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
