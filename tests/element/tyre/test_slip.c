// Tyres with slip: tangents against differences, slip and forces of steady motion, no power gained.
#include "element/tyre/slip.h"
#include "support/support.h"

static const double RADIUS = 0.31;

static tmli_slip_law law_of(bool magic)
{
    tml_force_def d = tml_force_def_default();
    d.slip_law = magic ? TML_SLIP_MAGIC_FORMULA : TML_SLIP_BRUSH;
    d.load = 23;
    d.load_exponent = -0.17;
    d.coefficient = 0.93;
    d.longitudinal_stiffness = 331;
    d.cornering_stiffness = 217;
    d.longitudinal = (tml_magic_def){13.1, 1.61, 1.07, -0.43};
    d.lateral = (tml_magic_def){9.7, 1.37, 0.94, 0.38};
    d.longitudinal_relaxation = 0.13;
    d.lateral_relaxation = 0.37;
    d.slip_damping = 3.7;
    d.trail = 0.033;
    return tmli_slip_law_of(&d);
}

static tmli_tyre tyre_on(bool waves)
{
    tml_road_def d = tml_road_def_default();
    d.type = waves ? TML_ROAD_SINE : TML_ROAD_FLAT;
    d.amplitude = 0.083;
    d.wavelength = 1.91;
    tmli_tyre t = {.p = v3(0.07, -0.11, 0.05),
                   .o = v3(0.2, 0.3, -0.4),
                   .e = v3(0.8, 0.6, 0),
                   .n = v3(-0.36, 0.48, 0.8),
                   .radius = RADIUS,
                   .stiffness = 371,
                   .damping = 12.3,
                   .contact = true,
                   .normal = true,
                   .disc = true,
                   .axis = v3(0.6, 0.64, 0.48)};
    assert_true(tmli_profile_init(&d, NULL, RADIUS, &t.profile));
    return t;
}

// A pose with the axis of the wheel near the direction across the road, leaning and steered.
static tmli_pose pose_at(const tmli_tyre *t, double s, double c, double lean, double steer, double spin)
{
    const vec3 across = v3_cross(t->n, t->e);
    const vec3 level = v3_axpy(sin(steer), t->e, v3_scale(cos(steer), across)),
               axis = v3_axpy(sin(lean), t->n, v3_scale(cos(lean), level));
    // R maps t->axis to axis
    const vec3 turn = v3_cross(t->axis, axis);
    const double angle = atan2(v3_norm(turn), v3_dot(t->axis, axis));
    const quat q =
        q_mul(tmli_so3_exp(v3_scale(spin, axis)), tmli_so3_exp(v3_scale(angle / v3_norm(turn), turn)));
    tmli_pose B = {.R = q_matrix(q_normalize(q))};
    double jet[3];
    tmli_profile_eval(&t->profile, 0, s, jet);
    const double h = t->radius * cos(lean) + jet[0] - c;
    const vec3 P = v3_add(t->o, v3_add(v3_scale(s, t->e), v3_scale(h, t->n)));
    B.r = v3_sub(P, m3_mulv(&B.R, t->p));
    return B;
}

static tmli_pose moved(const tmli_pose *B, const double d[6])
{
    const mat3 turn = q_matrix(tmli_so3_exp(v3_from(d + 3)));
    return (tmli_pose){.r = v3_add(B->r, v3_from(d)), .R = m3_mul(&B->R, &turn)};
}

// Q and d' by the 14 variables: increments, velocities, deflections
static void values_at(const tmli_tyre *t, const tmli_slip_law *l, const tmli_pose *B, const double x[14],
                      double out[8])
{
    tmli_slip_state s;
    const tmli_pose at = moved(B, x);
    tmli_slip_eval(t, l, &at, x + 6, x + 12, NULL, &s, NULL, NULL);
    for (int i = 0; i < 8; i++) out[i] = i < 6 ? s.Q[i] : s.rate[i - 6];
}

static void tangents(void **state)
{
    (void)state;
    rng r = rng_seed(21);
    int slides = 0, flies = 0;
    for (int k = 0; k < 120; k++) {
        const tmli_slip_law l = law_of(k % 2);
        const tmli_tyre t = tyre_on(k % 4 >= 2);
        const double c = k % 9 == 8 ? -0.03 : rng_range(&r, 0.06, 0.1), size = k % 3 == 0 ? 0.2 : 0.9,
                     angle = rng_range(&r, 0, 6.283);
        const tmli_pose B = pose_at(&t, rng_range(&r, 0, 4), c, rng_range(&r, -0.6, 0.6),
                                    rng_range(&r, -0.5, 0.5), rng_range(&r, -3, 3));
        double x[14] = {0}, H[64], D[64], lo[8], hi[8];
        for (int i = 6; i < 12; i++) x[i] = rng_range(&r, -0.7, 0.7);
        x[12] = l.relaxation[0] * l.scale[0] * size * cos(angle);
        x[13] = l.relaxation[1] * l.scale[1] * size * sin(angle);
        tmli_slip_state s;
        tmli_slip_eval(&t, &l, &B, x + 6, x + 12, NULL, &s, H, D);
        slides += s.tyre.presses && hypot(s.slip[0] / l.scale[0], s.slip[1] / l.scale[1]) > 3;
        flies += !s.tyre.presses;
        for (int j = 0; j < 14; j++) {
            const double h = j < 12 ? 1e-6 : 1e-7, keep = x[j];
            x[j] = keep + h;
            values_at(&t, &l, &B, x, hi);
            x[j] = keep - h;
            values_at(&t, &l, &B, x, lo);
            x[j] = keep;
            for (int i = 0; i < 8; i++) {
                const double exact = j < 6 ? H[8 * i + j] : D[8 * i + j - 6], size_of = fabs(exact) + 100;
                // round-off 1e-16 * 40/h; h^2/6 Q''' of deflections of 0.01 m near their greatest
                CHECK_CLOSE(exact / size_of, -(hi[i] - lo[i]) / (2 * h) / size_of, 2e-7);
            }
        }
    }
    assert_true(slides > 10 && flies > 5);
}

// An upright wheel with the velocity (vx, vy) along and across the road that turns with `spin`; deflections
// as in steady motion, where their rates are 0.
static tmli_slip_state steady(const tmli_tyre *t, const tmli_slip_law *l, double vx, double vy, double spin)
{
    const double c = 0.062;
    const tmli_pose B = pose_at(t, 1.3, c, 0, 0, 0.4);
    const vec3 across = v3_cross(t->n, t->e);
    const vec3 w = m3_tmulv(&B.R, v3_scale(spin, across)), v = v3_axpy(vx, t->e, v3_scale(vy, across));
    const vec3 own = m3_mulv(&B.R, v3_cross(w, t->p));
    double u[6], d[2];
    v3_store(v3_sub(v, own), u);
    v3_store(w, u + 3);
    const double slip[2] = {vx - (RADIUS - c) * spin, vy}, V = fabs(l->magic ? vx : (RADIUS - c) * spin),
                 W = hypot(slip[0] / l->scale[0], slip[1] / l->scale[1]);
    for (int i = 0; i < 2; i++) d[i] = -l->relaxation[i] * slip[i] / (V + W);
    tmli_slip_state s;
    tmli_slip_eval(t, l, &B, u, d, NULL, &s, NULL, NULL);
    for (int i = 0; i < 2; i++) CHECK_SMALL(s.rate[i], 1e-13);
    for (int i = 0; i < 2 && V > 0; i++)  // 1e-16 over what is left of 1 at large slip
        CHECK_CLOSE(s.slip[i], -slip[i] / V, 1e-12 * (1 + fabs(slip[i] / V)));
    double power = 0;
    for (int i = 0; i < 6; i++) power += s.Q[i] * u[i];
    // what friction takes; the moment about the normal does no work here
    CHECK_CLOSE(power, s.force[0] * slip[0] + s.force[1] * slip[1], 1e-12);
    assert_true(power <= 0);
    // the moment acts about the normal of the road, upwards
    tmli_slip_law straight = *l;
    tmli_slip_state o;
    straight.trail = 0;
    tmli_slip_eval(t, &straight, &B, u, d, NULL, &o, NULL, NULL);
    const vec3 torque = m3_mulv(&B.R, v3_sub(v3_from(s.Q + 3), v3_from(o.Q + 3)));
    CHECK_CLOSE(v3_dot(torque, t->n), s.moment, 1e-12);
    return s;
}

static void steady_forces(void **state)
{
    (void)state;
    const tmli_tyre t = tyre_on(false);
    const double N = 371 * 0.062, l = RADIUS - 0.062;
    tmli_slip_law brush = law_of(false), magic = law_of(true);
    const double load = N * pow(N / 23, -0.17);
    // the slopes at small slip: the stiffnesses, in proportion to the load
    tmli_slip_state s = steady(&t, &brush, 7, 7e-6, 7 / l);
    CHECK_CLOSE(s.force[1], -217 / 23.0 * load * 1e-6, 1e-9);  // psi is 3e-6
    CHECK_CLOSE(s.moment, 0.033 * 217 / 23.0 * load * 1e-6, 1e-10);
    CHECK_SMALL(s.force[0], 1e-12);
    s = steady(&t, &brush, 7 * (1 - 1e-6), 0, 7 / l);
    CHECK_CLOSE(s.force[0], 331 / 23.0 * load * 1e-6, 3e-9);  // psi is 5e-6
    // pure slip of a brush: mu L (1 - (1 - psi)^3)
    const double psi = 0.08 * 217 / (3 * 0.93 * 23);
    s = steady(&t, &brush, 7, 0.56, 7 / l);
    CHECK_CLOSE(s.force[1], -0.93 * load * (1 - pow(1 - psi, 3)), 1e-12);
    // a locked wheel slides against its velocity, whatever the stiffnesses
    s = steady(&t, &brush, 3, 4, 0);
    CHECK_CLOSE(s.force[0], -0.93 * load * 0.6, 1e-12);
    CHECK_CLOSE(s.force[1], -0.93 * load * 0.8, 1e-12);
    assert_true(s.moment == 0);
    // a wheel that spins on the spot pushes forward
    s = steady(&t, &brush, 0, 0, 9);
    CHECK_CLOSE(s.force[0], 0.93 * load, 1e-9);
    s = steady(&t, &magic, 0, 0, 9);
    CHECK_CLOSE(s.force[0], 1.07 * sin(1.61 * acos(-1) / 2) * load, 0.002 * load);  // at a finite slip
    // the magic formula, braking and cornering
    s = steady(&t, &magic, 7, 0, 0.9 * 7 / l);
    double x = 13.1 * 0.1;
    CHECK_CLOSE(s.force[0], -load * 1.07 * sin(1.61 * atan(x + 0.43 * (x - atan(x)))), 1e-12);
    s = steady(&t, &magic, -7, 0.7, -7 / l);  // backwards
    x = 9.7 * 0.1;
    CHECK_CLOSE(s.force[1], -load * 0.94 * sin(1.37 * atan(x - 0.38 * (x - atan(x)))), 1e-12);
    // both at once: less of each than alone
    const tmli_slip_state brakes = steady(&t, &magic, 7, 0, 0.9 * 7 / l),
                          turns = steady(&t, &magic, 7, 0.7, 7 / l),
                          both = steady(&t, &magic, 7, 0.7, 0.9 * 7 / l);
    for (int i = 0; i < 2; i++) {
        const double alone = i == 0 ? brakes.force[0] : turns.force[1];
        assert_true(both.force[i] < 0 && both.force[i] > alone);
    }
}

// The normal force of a leaning wheel is that of a potential: around, the spring neither gains nor loses.
static void leaning(void **state)
{
    (void)state;
    const tmli_tyre t = tyre_on(true);
    const tmli_slip_law l = law_of(false);
    rng r = rng_seed(4);
    for (int k = 0; k < 20; k++) {
        const tmli_pose B = pose_at(&t, rng_range(&r, 0, 2), 0.09, rng_range(&r, -0.9, 0.9), 0, 0.1);
        const double h = 1e-6, none[6] = {0}, d[2] = {0};
        tmli_slip_state s;
        tmli_slip_eval(&t, &l, &B, none, d, NULL, &s, NULL, NULL);
        for (int j = 0; j < 6; j++) {
            double x[6] = {0}, U[2] = {0}, P = 0;
            for (int side = 0; side < 2; side++) {
                x[j] = side ? h : -h;
                const tmli_pose at = moved(&B, x);
                tmli_slip_state y;
                tmli_slip_eval(&t, &l, &at, none, d, NULL, &y, NULL, NULL);
                tmli_tyre_energy_of(&t, y.Q, none, &y.tyre, &U[side], &P);
            }
            CHECK_CLOSE(s.Q[j], -(U[1] - U[0]) / (2 * h), 1e-7);  // round-off 1e-16 * 3/h, h^2/6 U'''
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tangents), cmocka_unit_test(steady_forces),
                                       cmocka_unit_test(leaning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
