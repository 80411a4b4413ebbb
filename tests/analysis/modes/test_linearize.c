// Eigenvalues of linearized systems against formulas.
#include "analysis/check_models.h"

#include "analysis/assembly/assembly.h"
#include "analysis/modes/linearize.h"
#include "analysis/modes/subspace.h"

#include <complex.h>

// Linearize at the start of a model, u changed by `spin` (coordinate, value) if coordinate >= 0, then
// assembled.
static tmli_spectrum linearize(const tml_model *model, int coordinate, double value)
{
    const tml_system *sys = tml_model_system(model);
    tml_state *x = NULL;
    tmli_rank k;
    tmli_spectrum s;
    OK(tml_state_create(sys, &x, err));
    tml_model_start(model, 0, x);
    if (coordinate >= 0) {
        double weight[64];
        assert_true(sys->n <= 64);
        for (int j = 0; j < sys->n; j++) weight[j] = j == coordinate ? 1e12 : 1;
        x->u[coordinate] = value;
        OK(tmli_assemble(sys, weight, x, NULL, NULL, err));
    }
    void *w = sys->ops->create_work(sys->self, &sys->env);
    assert_non_null(w);
    OK(tmli_rank_calc(sys, w, x, &k, err));
    OK(tmli_linearize(sys, model, w, &k, x, &s, err));
    // the state fulfils the equations of motion and their second derivative of the constraints
    double *motion = calloc((size_t)(3 * sys->n + 3 * sys->m + 1), sizeof *motion);
    assert_non_null(motion);
    double *phi = motion + sys->n;
    OK(sys->ops->residual(sys->self, w, x, NULL, motion, phi, err));
    for (int j = 0; j < sys->n; j++)
        CHECK_SMALL(motion[j], 1e-10);  // forces of some 1e1 N, condition of B ~ 1e2
    free(motion);
    tmli_rank_clear(&k);
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
    return s;
}

static double pendulum_rate(double turn)
{
    const double J = PENDULUM_JZ + PENDULUM_MASS * PENDULUM_ARM * PENDULUM_ARM;
    return sqrt(PENDULUM_MASS * PENDULUM_G * PENDULUM_ARM * cos(turn) / J);
}

static void pendulum_hanging(void **state)
{
    (void)state;
    tml_model *model = pendulum(0);
    tmli_spectrum s = linearize(model, -1, 0);
    assert_int_equal(s.freedoms, 1);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.zeros, 0);
    assert_int_equal(s.massless, 0);
    CHECK_SMALL(s.re[0], 1e-12);  // round-off of numbers near 4
    CHECK_CLOSE(s.im[0], pendulum_rate(0), 1e-12);
    CHECK_CLOSE(s.im[1], -pendulum_rate(0), 1e-12);
    CHECK_SMALL(s.velocity, 0);
    CHECK_SMALL(s.acceleration, 1e-13);
    tmli_spectrum_clear(&s);
    tml_model_destroy(model);
}

// J turn'' = -m g l sin(turn): the eigenvalues off equilibrium and in motion are those of its derivative.
static void pendulum_moving(void **state)
{
    (void)state;
    for (int spin = 0; spin < 2; spin++) {
        tml_model *model = pendulum(0.731);
        tmli_spectrum s = linearize(model, spin ? 5 : -1, 1.93);
        CHECK_CLOSE(s.im[0], pendulum_rate(0.731), 1e-8);  // velocities assembled to 1e-9
        CHECK_SMALL(s.re[0], 1e-8);
        assert_true(s.acceleration > 1);
        if (spin) assert_true(s.velocity >= 1.93 * (1 - 1e-9));  // or that of the centre in model lengths
        else CHECK_SMALL(s.velocity, 0);
        tmli_spectrum_clear(&s);
        tml_model_destroy(model);
    }
}

static void pendulum_upright(void **state)
{
    (void)state;
    tml_model *model = pendulum(3.14159265358979323846);
    tmli_spectrum s = linearize(model, -1, 0);
    CHECK_CLOSE(fabs(s.re[0]), pendulum_rate(0), 1e-12);
    CHECK_SMALL(s.re[0] + s.re[1], 1e-12);  // one grows, one decays
    CHECK_SMALL(s.im[0], 0);
    tmli_spectrum_clear(&s);
    tml_model_destroy(model);
}

// Level: the slope of sin is zero there, and round-off is not taken for a slow motion.
static void pendulum_level(void **state)
{
    (void)state;
    tml_model *model = pendulum(1.57079632679489661923);
    tmli_spectrum s = linearize(model, -1, 0);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.zeros, 2);
    CHECK_SMALL(s.fastest, 0);
    tmli_spectrum_clear(&s);
    tml_model_destroy(model);
}

// Repeated rows change nothing: the spatial four-bar has the eigenvalues of the planar one, also out of
// equilibrium.
static void redundant_is_harmless(void **state)
{
    (void)state;
    tml_model *flat = four_bar(true, TML_JOINT_REVOLUTE), *spatial = four_bar(false, TML_JOINT_REVOLUTE);
    tmli_spectrum a = linearize(flat, -1, 0), b = linearize(spatial, -1, 0);
    assert_int_equal(a.count, 2);
    assert_int_equal(b.count, 2);
    assert_true(a.fastest > 0.1);
    CHECK_CLOSE(a.re[0], b.re[0], 1e-10);  // both exact: round-off times the condition of B
    CHECK_CLOSE(a.im[0], b.im[0], 1e-10);
    tmli_spectrum_clear(&a);
    tmli_spectrum_clear(&b);
    tml_model_destroy(flat);
    tml_model_destroy(spatial);
}

// A free body that spins about its axis of largest inertia: s = +-i w sqrt((J3 - J1)(J3 - J2)/(J1 J2)), and
// in body axes a fixed direction turns with +-i w.
static void spinning_body(void **state)
{
    (void)state;
    const double J1 = 0.83, J2 = 1.07, J3 = 1.39, w = 7.31;
    tml_spec *spec = new_spec(0, 0, 0);
    tml_body_def b = bar("top", 2.3, 0, 0, 1, 0);
    b.inertia[0] = J1;
    b.inertia[1] = J2;
    b.inertia[2] = J3;
    b.angular_velocity[2] = w;
    add_body(spec, b);
    tml_model *model = build(spec);
    tmli_spectrum s = linearize(model, -1, 0);
    assert_int_equal(s.count, 12);
    assert_int_equal(s.zeros, 8);  // 6 of translation, 2 of the spin
    CHECK_CLOSE(s.slowest, w * sqrt((J3 - J1) * (J3 - J2) / (J1 * J2)), 1e-9);
    CHECK_CLOSE(s.fastest, w, 1e-6);  // C by differences with e = 1e-4: third-order terms 1e-8 w
    for (int i = s.zeros; i < s.count; i++) CHECK_SMALL(s.re[i], 1e-6);
    tmli_spectrum_clear(&s);
    tml_model_destroy(model);
}

// ---- systems made of callbacks ----------------------------------------------------------------------------

typedef struct oscillator {
    double m, d, k;
} oscillator;

static tml_status osc_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q;
    M[0] = ((const oscillator *)user)->m;
    return TML_OK;
}
static tml_status osc_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t;
    const oscillator *o = user;
    f[0] = -o->k * q[0] - o->d * u[0];
    return TML_OK;
}

static tmli_spectrum linearize_user(tml_user_system_def def, const double *q)
{
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tmli_rank k;
    tmli_spectrum s;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    OK(tml_state_create(sys, &x, err));
    if (q) memcpy(x->q, q, (size_t)def.n * sizeof *q);
    void *w = sys->ops->create_work(sys->self, &sys->env);
    OK(tmli_rank_calc(sys, w, x, &k, err));
    OK(tmli_linearize(sys, NULL, w, &k, x, &s, err));
    tmli_rank_clear(&k);
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
    return s;
}

// An oscillator with a lag (zdot = (x - z)/tau, force -z) and an integrator (zdot = x), on which nothing acts
// back: eigenvalues of s^2 m + d s + k + 1/(tau s + 1) = 0, and one zero of the integrator. The
// configurations of the states have none.
static tml_status lag_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t;
    const oscillator *o = user;
    f[0] = -o->k * q[0] - o->d * u[0] - u[1];
    return TML_OK;
}
static tml_status lag_rate(double t, const double *q, const double *u, double *zdot, void *user)
{
    (void)t, (void)user;
    zdot[0] = (q[0] - u[1]) / 0.25;
    zdot[1] = q[0];
    return TML_OK;
}

static void states(void **state)
{
    (void)state;
    oscillator o = {1.37, 0.83, 3.7};
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 1;
    def.nz = 2;
    def.mass = osc_mass;
    def.force = lag_force;
    def.rate = lag_rate;
    def.user = &o;
    tmli_spectrum s = linearize_user(def, NULL);
    assert_int_equal(s.freedoms, 1);
    assert_int_equal(s.count, 4);
    assert_int_equal(s.zeros, 1);
    for (int i = 1; i < s.count; i++) {
        const double complex x = s.re[i] + s.im[i] * I;
        // residual of numbers up to 20; derivatives are differences
        CHECK_SMALL(cabs((x * x * o.m + x * o.d + o.k) * (0.25 * x + 1) + 1), 1e-7);
    }
    tmli_spectrum_clear(&s);
}

// The space of shapes of large systems: motions and first-order states have columns of their own, which span
// real and imaginary part of the shape.
static void motions_apart_from_states(void **state)
{
    (void)state;
    oscillator o = {1.37, 0.83, 3.7};
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 1;
    def.nz = 2;
    def.mass = osc_mass;
    def.force = lag_force;
    def.rate = lag_rate;
    def.user = &o;
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tmli_pencil p;
    tmli_subspace v;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    OK(tml_state_create(sys, &x, err));
    void *w = sys->ops->create_work(sys->self, &sys->env);
    OK(tmli_pencil_init(&p, sys, w, x, err));
    OK(tmli_subspace_init(&v, &p, 6, 0, err));
    const double complex d[3] = {0.4 + 0.3 * I, 0.5 - 0.2 * I, 0.6 + 0.31 * I};
    tmli_subspace_extend(&v, d);
    assert_int_equal(v.size, 3);  // of one motion real and imaginary part are the same direction
    for (int c = 0; c < 3; c++) {
        const double *column = v.V + 3 * c;
        assert_int_equal(v.is_state[c], c > 0);
        assert_true(c == 0 ? column[1] == 0 && column[2] == 0 : column[0] == 0);
        CHECK_CLOSE(column[0] * column[0] + column[1] * column[1] + column[2] * column[2], 1, 1e-14);
    }
    tmli_subspace_clear(&v);
    tmli_pencil_clear(&p);
    sys->ops->destroy_work(w);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
}

static void mass_spring_damper(void **state)
{
    (void)state;
    const oscillator cases[] = {{1.37, 0.83, 411}, {1.37, 97, 411}, {1e-6, 3.1e-3, 5.3e2}, {4e8, 3e5, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        oscillator o = cases[i];
        tml_user_system_def def = tml_user_system_def_default();
        def.n = 1;
        def.mass = osc_mass;
        def.force = osc_force;
        def.user = &o;
        tmli_spectrum s = linearize_user(def, NULL);
        const double a = o.d / (2 * o.m), b = o.k / o.m - a * a, size = sqrt(o.k / o.m) + 2 * a;
        const double tol = 1e-6 * size;  // derivatives by differences
        assert_int_equal(s.count, 2);
        assert_int_equal(s.zeros, o.k == 0);
        if (b > 0) {
            CHECK_CLOSE(s.re[0], -a, tol);
            CHECK_CLOSE(s.im[0], sqrt(b), tol);
        } else {
            CHECK_CLOSE(s.re[0], -a + sqrt(-b), tol);
            CHECK_CLOSE(s.re[1], -a - sqrt(-b), tol);
        }
        tmli_spectrum_clear(&s);
    }
}

// Mass m1, then a massless point between two springs in series: k = k1 k2/(k1 + k2), no eigenvalue of the
// point. With a damper d at the point: k1 + k2 and d make it first order.
static tml_status chain_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[3] = 0.73;
    return TML_OK;
}
static tml_status chain_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t;
    const double k1 = 311, k2 = 173, *d = user;
    f[0] = -k1 * q[0] + k2 * (q[1] - q[0]) - *d * u[0];
    f[1] = -k2 * (q[1] - q[0]);
    return TML_OK;
}

static void massless_parts(void **state)
{
    (void)state;
    double d = 0;
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 2;
    def.mass = chain_mass;
    def.force = chain_force;
    def.user = &d;
    tmli_spectrum s = linearize_user(def, NULL);
    assert_int_equal(s.massless, 1);
    assert_int_equal(s.count, 2);
    CHECK_CLOSE(s.im[0], sqrt(311.0 * 173 / (311 + 173) / 0.73), 1e-5);  // derivatives by differences
    tmli_spectrum_clear(&s);
    d = 2.9;
    s = linearize_user(def, NULL);
    assert_int_equal(s.count, 3);
    for (int i = 0; i < 3; i++) {  // det [ d s + k1 + k2, -k2; -k2, m s^2 + k2 ] = 0, complex s
        const double re = s.re[i], im = s.im[i], m = 0.73, k1 = 311, k2 = 173;
        const double pr = d * re + k1 + k2, pi = d * im;
        const double qr = m * (re * re - im * im) + k2, qi = 2 * m * re * im;
        const double scale = hypot(pr, pi) * hypot(qr, qi) + k2 * k2;
        CHECK_SMALL((pr * qr - pi * qi - k2 * k2) / scale, 1e-6);
        CHECK_SMALL((pr * qi + pi * qr) / scale, 1e-6);
    }
    tmli_spectrum_clear(&s);
}

// Nothing moves: no eigenvalues, but multipliers.
static void no_freedom(void **state)
{
    (void)state;
    tml_spec *spec = new_spec(0, 0, -9.81);
    add_body(spec, bar("post", 3.7, 0, 0, 1, 0.2));
    add_joint(spec, "weld", TML_JOINT_FIXED, "ground", "post", 0.3, 0.1, 0);
    tml_model *model = build(spec);
    tmli_spectrum s = linearize(model, -1, 0);
    assert_int_equal(s.freedoms, 0);
    assert_int_equal(s.count, 0);
    tmli_spectrum_clear(&s);
    tml_model_destroy(model);
}

// Stiff and soft springs on one body: the ratio of the fastest to the slowest.
static void stiffness_ratio(void **state)
{
    (void)state;
    tml_spec *spec = new_spec(0, 0, 0);
    tml_body_def b = bar("mass", 2.3, 0, 0, 1, 0);
    b.point = true;
    memset(b.inertia, 0, sizeof b.inertia);
    add_body(spec, b);
    static const char *const along[3] = {"soft", "stiff", "stiffer"};
    for (int k = 0; k < 3; k++) {
        tml_frame_def frame = tml_frame_def_default();
        frame.body = "ground";
        frame.name = along[k];
        frame.position[0] = 0.5;
        frame.position[k] += 1.7;
        OK(tml_spec_add_frame(spec, &frame, err));
        tml_force_def f = tml_force_def_default();
        char name[32], reference[40];
        snprintf(name, sizeof name, "spring_%d", k);
        snprintf(reference, sizeof reference, "ground.%s", along[k]);
        f.name = name;
        f.type = TML_FORCE_SPRING;
        f.a = reference;
        f.b = "mass";
        f.stiffness = (double[]){23, 2.3e5, 2.3e9}[k];
        OK(tml_spec_add_force(spec, &f, err));
    }
    tml_model *model = build(spec);
    tmli_spectrum s = linearize(model, -1, 0);
    assert_int_equal(s.count, 6);
    assert_int_equal(s.zeros, 0);
    CHECK_CLOSE(s.slowest, sqrt(23 / 2.3),
                1e-4);  // eps of 1e9 in 1e1: 1e-7, square root halves, and some margin
    CHECK_CLOSE(s.fastest, sqrt(1e9), 1e-8);
    tmli_spectrum_clear(&s);
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_hanging),
        cmocka_unit_test(pendulum_moving),
        cmocka_unit_test(pendulum_upright),
        cmocka_unit_test(pendulum_level),
        cmocka_unit_test(redundant_is_harmless),
        cmocka_unit_test(spinning_body),
        cmocka_unit_test(states),
        cmocka_unit_test(motions_apart_from_states),
        cmocka_unit_test(mass_spring_damper),
        cmocka_unit_test(massless_parts),
        cmocka_unit_test(no_freedom),
        cmocka_unit_test(stiffness_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
