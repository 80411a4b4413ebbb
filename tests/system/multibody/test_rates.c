// Rows at velocity level of models (wheels, blades, driven rates): every derivative against differences.
#include "system/multibody_fixture.h"

// A wheel on a tilted body that moves, a blade between two bodies, driven rates of an angle and a distance,
// friction with stick rows and with bristles.
static const char text[] =
    "gravity: [1, -2, -9]\n"
    "bodies:\n"
    "  A: {mass: 2, inertia: [0.7, 0.5, 0.9], position: [0.2, -0.1, 0.3], orientation: {axis: [1, 2, 0], "
    "angle: 20 deg},\n"
    "      frames: {f: {position: [0.1, 0.3, 0.2], orientation: {axis: [3, 1, -2], angle: 0.4}}}}\n"
    "  B: {mass: 1, inertia: [0.2, 0.3, 0.4], position: [0.9, 0.4, 1.3], orientation: {axis: [3, -1, 0], "
    "angle: 70 deg},\n"
    "      frames: {f: {position: [-0.2, 0.1, 0.1], orientation: {axis: [9, 4, 5], angle: 1.1}}}}\n"
    "joints:\n"
    "  roll: {type: wheel, a: A.f, b: B.f, radius: 0.6, tread: 0.15}\n"
    "  blade: {type: knife-edge, a: ground, b: A.f}\n"
    "  par: {type: parallel, a: ground, b: A}\n"
    "  turn: {type: driver, of: par.angle, speed: 0.7 + sin(3*t)}\n"
    "  pull: {type: driver, of: \"distance(ground, B)\", speed: cos(2*t)}\n"
    "forces:\n"
    "  rub: {type: friction, of: \"distance(A, B)\", coulomb: 3, static: 5, stribeck: 0.7, viscous: 0.4}\n"
    "  rub2: {type: friction, of: roll.px, coulomb: 2}\n"
    "  rub3: {type: friction, law: lugre, of: par.angle, coulomb: 2, static: 3, stribeck: 0.9, viscous: "
    "0.3,\n"
    "    bristle_stiffness: 2.1, bristle_damping: 0.8}\n";

static mb *open_model(void)
{
    tml_spec *spec = NULL;
    tml_error err = {0};
    if (tml_spec_parse(text, strlen(text), "rates.yaml", NULL, 0, NULL, &spec, &err) != TML_OK)
        fail_msg("%s", err.msg);
    mb *s = mb_open_spec(spec, "rates");
    assert_int_equal(s->sys->nmode, 2);
    return s;
}

// The modes of friction by turns: stick and slip, slip and stick, as written.
static void set_modes(mb *s, int round)
{
    static const double modes[3][2] = {
        {TML_SWITCH_HELD, -TML_SWITCH_RELEASED}, {TML_SWITCH_RELEASED, TML_SWITCH_HELD}, {0}};
    memcpy(s->x->mode, modes[round % 3], sizeof modes[0]);
}

static bool is_rate(const mb *s, int r) { return s->sys->level[r] == TML_LEVEL_VELOCITY; }

static void velocity_of(mb *s, const tml_state *x, const void *context, double *out)
{
    (void)context;
    assert_int_equal(s->ops->velocity(s->self, s->w, x, out, NULL), TML_OK);
}

static void motion_of(mb *s, const tml_state *x, const void *p, double *out)
{
    double phi[MB_NM];
    assert_int_equal(s->ops->residual(s->self, s->w, x, p, out, phi, NULL), TML_OK);
}

static void phi_of(mb *s, const tml_state *x, const void *p, double *out)
{
    double motion[MB_N];
    assert_int_equal(s->ops->residual(s->self, s->w, x, p, motion, out, NULL), TML_OK);
}

static void gamma_of(mb *s, const tml_state *x, const void *context, double *out)
{
    double f[MB_N];
    (void)context;
    assert_int_equal(s->ops->dynamics(s->self, s->w, x, f, out, NULL), TML_OK);
}

static void rows_times_held(mb *s, const tml_state *x, const void *v, double *out)
{
    double B[MB_NM * MB_N];
    mb_rows_dense(s, x, B);
    for (int r = 0; r < s->m; r++) {
        out[r] = 0;
        for (int j = 0; j < s->n; j++) out[r] += B[r * s->n + j] * ((const double *)v)[j];
    }
}

static void levels_and_values(void **state)
{
    (void)state;
    mb *s = open_model();
    rng r = rng_seed(5);
    double phi[MB_NM], phidot[MB_NM], alone[MB_NM], rate[MB_NM];
    int rates = 0;
    assert_non_null(s->sys->level);
    for (int i = 0; i < s->m; i++) rates += is_rate(s, i);
    assert_int_equal(s->m, mb_on_joints ? 9 : 11);  // a tree joint has no rows
    assert_int_equal(rates, 2 + 1 + 2 + 2);
    for (int round = 0; round < 6; round++) {
        mb_random_state(s, &r);
        set_modes(s, round);
        phi_of(s, s->x, NULL, phi);
        velocity_of(s, s->x, NULL, phidot);
        if (s->ops->position) assert_int_equal(s->ops->position(s->self, s->w, s->x, alone, NULL), TML_OK);
        // at position level the rate of Phi along the motion is the residual of velocities
        mb_derivative(s, &(mb_curve){.d = s->x->u, .t = 1}, phi_of, NULL, s->m, rate);
        for (int i = 0; i < s->m; i++) {
            if (s->ops->position) CHECK_CLOSE(alone[i], phi[i], 1e-14 * (1 + fabs(phi[i])));
            if (is_rate(s, i)) CHECK_CLOSE(phi[i], phidot[i], 1e-13 * (1 + fabs(phi[i])));
            else mb_compare(s, "Phidot", i, 0, phidot[i], rate[i], 1);
        }
    }
    mb_close(s);
}

// gamma is minus the rate of B u - nu at constant u.
static void accelerations(void **state)
{
    (void)state;
    mb *s = open_model();
    rng r = rng_seed(6);
    double gamma[MB_NM], rate[MB_NM], by_d[MB_NM * MB_N], by_u[MB_NM * MB_N], times[MB_NM * MB_N], v[MB_N];
    double Bv_d[MB_NM], gamma_d[MB_NM], gamma_u[MB_NM], e[MB_N] = {0};
    for (int round = 0; round < 3; round++) {
        mb_random_state(s, &r);
        set_modes(s, round);
        gamma_of(s, s->x, NULL, gamma);
        mb_derivative(s, &(mb_curve){.d = s->x->u, .t = 1}, velocity_of, NULL, s->m, rate);
        for (int i = 0; i < s->m; i++) mb_compare(s, "gamma", i, 0, gamma[i], -rate[i], 10);
        for (int j = 0; j < s->n; j++) v[j] = rng_range(&r, -2, 2);
        assert_int_equal(s->ops->rows_times(s->self, s->w, s->x, v, times, NULL), TML_OK);
        assert_int_equal(s->ops->gamma_derivatives(s->self, s->w, s->x, by_d, by_u, NULL), TML_OK);
        for (int j = 0; j < s->n; j++) {
            e[j] = 1;
            mb_derivative(s, &(mb_curve){.d = e}, rows_times_held, v, s->m, Bv_d);
            mb_derivative(s, &(mb_curve){.d = e}, gamma_of, NULL, s->m, gamma_d);
            mb_derivative(s, &(mb_curve){.u = e}, gamma_of, NULL, s->m, gamma_u);
            e[j] = 0;
            for (int i = 0; i < s->m; i++)
                for (int k = s->sys->rowptr[i]; k < s->sys->rowptr[i + 1]; k++) {
                    if (s->sys->rowcol[k] != j) continue;
                    mb_compare(s, "(B v)_d", i, j, times[k], Bv_d[i], 10);
                    mb_compare(s, "gamma_d", i, j, by_d[k], gamma_d[i], 100);
                    mb_compare(s, "gamma_u", i, j, by_u[k], gamma_u[i], 10);
                }
        }
    }
    mb_close(s);
}

// With velocities that change by cv times the increment: rows r (B T, or B + (B u - nu)_d T/cv), and the
// motion with the penalty p on Phi and on (B u - nu)/cv.
static void check_matrix(mb *s, rng *r, double cv, const double *D, const double *q0)
{
    const int nm = s->n + s->m;
    double A[MB_NM * MB_NM], p[MB_NM], raw[MB_NM], row[MB_NM], d[MB_N] = {0}, u[MB_N] = {0}, phi[MB_NM],
                                                               motion[MB_N];
    for (int i = 0; i < s->m; i++) {
        p[i] = rng_range(r, 1, 9);
        row[i] = rng_range(r, 0.4, 3);
        raw[i] = is_rate(s, i) ? p[i] / cv : p[i];
    }
    const tml_assembly a = {.cd = cv, .ck = 1, .cp = 1, .p = p, .r = row, .increment = D, .cv = cv};
    mb_assemble_dense(s, s->x, &a, A);
    const double scale = mb_largest(A, nm * nm);
    for (int j = 0; j < s->n; j++) {
        d[j] = 1;
        u[j] = cv;
        const mb_curve c = {.q0 = q0, .D = D, .d = d, .u = u};
        mb_derivative(s, &c, phi_of, NULL, s->m, phi);
        mb_derivative(s, &c, motion_of, raw, s->n, motion);
        d[j] = u[j] = 0;
        for (int i = 0; i < s->m; i++)
            mb_compare(s, "row", i, j, A[(s->n + i) * nm + j], row[i] * phi[i] / (is_rate(s, i) ? cv : 1),
                       10);
        for (int i = 0; i < s->n; i++) mb_compare(s, "motion", i, j, A[i * nm + j], motion[i], scale);
    }
    double B[MB_NM * MB_N];
    mb_rows_dense(s, s->x, B);
    for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->n; j++)
            CHECK_CLOSE(A[j * nm + s->n + i], row[i] * B[i * s->n + j], 1e-12 * (1 + fabs(row[i])));
}

static void iteration_matrix(void **state)
{
    (void)state;
    mb *s = open_model();
    rng r = rng_seed(7);
    for (int round = 0; round < 3; round++) {
        double D[MB_N], minus[MB_N], q0[64];
        mb_random_state(s, &r);
        set_modes(s, round);
        check_matrix(s, &r, 3.7, NULL, NULL);
        for (int i = 0; i < s->n; i++) D[i] = rng_range(&r, -0.6, 0.6);
        for (int i = 0; i < s->n; i++) minus[i] = -D[i];
        s->ops->retract(s->self, s->x->q, minus, q0);
        check_matrix(s, &r, 0.8, D, q0);
        // cv = 0: the rows are B
        double A[MB_NM * MB_NM], B[MB_NM * MB_N];
        mb_assemble_dense(s, s->x, &(tml_assembly){.increment = D}, A);
        mb_rows_dense(s, s->x, B);
        for (int i = 0; i < s->m; i++)
            for (int j = 0; j < s->n; j++)
                if (is_rate(s, i))
                    CHECK_CLOSE(A[(s->n + i) * (s->n + s->m) + j], B[i * s->n + j],
                                1e-13 * (1 + fabs(B[i * s->n + j])));
    }
    mb_close(s);
}

// The height of a wheel and driven rates do work: kinetic and potential energy change by `power` and by the
// forces of the driven rates.
static void power_of_rates(void **state)
{
    (void)state;
    mb *s = open_model();
    rng r = rng_seed(8);
    mb_random_state(s, &r);
    s->x->mode[0] = s->x->mode[1] = TML_SWITCH_HELD;  // no work
    double kinetic, potential, power;
    assert_int_equal(s->ops->energy(s->self, s->w, s->x, &kinetic, &potential, &power, NULL), TML_OK);
    // the work of the bristles
    const tmli_force *f = &s->model->force[2];
    double Q[6 * 8] = {0}, bristles = 0;
    tmli_mb_force(s->model, s->w, s->x, f, Q);
    for (int k = 0; k < f->plan.nact; k++)
        if (s->model->node_of[f->plan.global[k]] < s->model->nbodies)
            bristles += Q[f->plan.act[k]] * s->x->u[f->plan.global[k]];
    const double t = s->x->t,
                 want = bristles - s->x->lambda[7] * (0.7 + sin(3 * t)) - s->x->lambda[8] * cos(2 * t);
    CHECK_CLOSE(power, want, 1e-13 * (1 + fabs(want)));
    mb_close(s);
}

// Switches and levels belong to the rows of the form.
static void switched_rows(void **state)
{
    (void)state;
    mb *s = open_model();
    static const char *const names[2] = {"'rub' (stick)", "'rub2' (stick)"};
    char row[64];
    assert_true(s->sys->switches_rows);
    for (int i = 0; i < s->sys->nmode; i++) {
        const int r = s->sys->switches[i].row;
        assert_true(r >= 0 && r < s->m && is_rate(s, r));
        assert_int_equal(s->sys->switch_of_row[r], i);
        assert_string_equal(strchr(s->sys->row_name(s->sys, r, row, sizeof row), '\''), names[i]);
    }
    for (int r = 0; r < s->m; r++) {
        const int i = s->sys->switch_of_row[r];
        assert_true(i < 0 || s->sys->switches[i].row == r);
    }
    mb_close(s);
}

// A blade has one row on positions and then one on velocities, the last of the model.
static void blade_alone(void **state)
{
    (void)state;
    static const char blade[] = "bodies: {b: {mass: 1.3, inertia: 0.7}}\n"
                                "joints: {edge: {type: knife-edge, a: ground, b: b}}\n";
    tml_spec *spec = NULL;
    tml_system *other = NULL;
    tml_error err = {0};
    assert_int_equal(tml_spec_parse(blade, strlen(blade), "blade.yaml", NULL, 0, NULL, &spec, &err), TML_OK);
    mb *s = mb_open_spec(spec, "blade");
    assert_true(is_rate(s, s->m - 1));
    assert_false(tmli_joint_space_possible(s->sys));  // not unasked
    assert_int_equal(tmli_joint_space_create(s->sys, true, INFINITY, &other, &err), TML_OK);
    assert_int_equal(other->m, s->m);  // no tree joint: the blade restricts velocities
    assert_int_equal(other->level[s->m - 1], TML_LEVEL_VELOCITY);
    tml_system_destroy(other);
    assert_int_equal(tmli_se3_create(s->sys, false, &other, &err), TML_OK);
    assert_int_equal(other->level[s->m - 1], TML_LEVEL_VELOCITY);
    tml_system_destroy(other);
    mb_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_and_values), cmocka_unit_test(accelerations),
                                       cmocka_unit_test(iteration_matrix), cmocka_unit_test(switched_rows)};
    const struct CMUnitTest of_bodies[] = {cmocka_unit_test(power_of_rates), cmocka_unit_test(blade_alone)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return mb_on_se3 || mb_on_joints ? failed : failed + cmocka_run_group_tests(of_bodies, NULL, NULL);
}
