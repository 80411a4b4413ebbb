// Roads: heights, kinks and derivatives of every kind. Tyres: held pieces and contact against differences,
// power, switches.
#include "element/tyre/tyre.h"
#include "support/support.h"

static const double R = 0.47;

static tml_road_def road_of(tml_road_type type)
{
    tml_road_def d = tml_road_def_default();
    d.type = type;
    d.position = 1.37;
    d.diameter = 0.1;
    d.amplitude = 0.083;
    d.wavelength = 1.91;
    return d;
}

static tmli_profile profile_of(const tml_road_def *d)
{
    tmli_profile p;
    assert_true(tmli_profile_init(d, NULL, R, &p));
    return p;
}

static double height(const tmli_profile *p, double s)
{
    double jet[3];
    tmli_profile_eval(p, tmli_profile_piece(p, s), s, jet);
    return jet[0];
}

// ---- roads ------------------------------------------------------------------------------------------------

// A rolling disc touches the bump where it is nearest: its centre is at the distance b + R from the axis of
// the cylinder.
static void bump(void **state)
{
    (void)state;
    const tml_road_def d = road_of(TML_ROAD_BUMP);
    const tmli_profile p = profile_of(&d);
    const double b = 0.05;
    assert_int_equal(p.nbreaks, 2);
    CHECK_CLOSE(p.at[1] - p.at[0], 2 * sqrt((b + R) * (b + R) - R * R), 1e-15);  // few roundings of 0.4
    CHECK_CLOSE(height(&p, 1.37), b, 1e-15);
    for (double x = -0.22; x < 0.22; x += 0.031)
        CHECK_CLOSE(hypot(x, height(&p, 1.37 + x) + R), b + R, 1e-15);
    for (int i = 0; i < 2; i++) CHECK_SMALL(height(&p, p.at[i] + (i ? -1 : 1) * 1e-13), 1e-12);  // slope 0.47
    assert_true(height(&p, p.at[0] - 1e-9) == 0 && height(&p, p.at[1] + 1e-9) == 0);
    for (int i = 0; i < 2; i++) assert_int_equal(tmli_profile_piece(&p, p.at[i]), i + 1);
    // far beyond the end of a held arc there is no circle: the road as it is
    double jet[3];
    tmli_profile_eval(&p, 1, 1.37 + 0.6, jet);
    assert_true(jet[0] == 0 && jet[1] == 0);
}

// The disc turns about the edge, which stays at the distance R from its centre.
static void edges(void **state)
{
    (void)state;
    for (int down = 0; down < 2; down++) {
        tml_road_def d = road_of(TML_ROAD_STEP);
        d.height = down ? -0.13 : 0.13;
        const tmli_profile p = profile_of(&d);
        const double edge = down ? 0 : 0.13;
        for (double y = 0.03; y < 1; y += 0.11) {
            const double s = p.at[0] + y * (p.at[1] - p.at[0]);
            CHECK_CLOSE(hypot(s - 1.37, height(&p, s) + R - edge), R, 1e-15);
        }
        CHECK_SMALL(height(&p, p.at[0]), 1e-15);
        CHECK_CLOSE(height(&p, p.at[1]), d.height, 1e-15);
        CHECK_CLOSE(p.at[down ? 0 : 1], 1.37, 0);
        d.height = down ? -R : R;
        tmli_profile none;
        assert_false(tmli_profile_init(&d, NULL, R, &none));
        d.length = 2;
        assert_true(tmli_profile_init(&d, NULL, R, &none));  // a ramp may be as high as it likes
    }
}

static void smooth_roads(void **state)
{
    (void)state;
    tml_road_def d = road_of(TML_ROAD_STEP);
    d.height = 0.21;
    d.length = 1.7;
    tmli_profile p = profile_of(&d);
    CHECK_CLOSE(height(&p, 1.37 + 0.85), 0.105, 1e-15);
    CHECK_CLOSE(height(&p, 4), 0.21, 0);
    CHECK_CLOSE(height(&p, 1.37 + 1.7 - 1e-9), 0.21, 1e-15);
    d = road_of(TML_ROAD_SINE);
    p = profile_of(&d);
    assert_int_equal(p.nbreaks, 0);
    CHECK_CLOSE(height(&p, 1.37 - 3.25 * 1.91), -0.083, 1e-15);
    d.waves = 2.25;
    p = profile_of(&d);
    assert_true(height(&p, 1.3) == 0);
    CHECK_CLOSE(height(&p, 1.37 + 1.25 * 1.91), 0.083, 1e-15);
    CHECK_CLOSE(height(&p, 99), 0.083, 1e-15);  // it stays where the last wave ends
    d = road_of(TML_ROAD_FLAT);
    p = profile_of(&d);
    assert_true(height(&p, 3) == 0);
}

// Heights and slopes of a random road have the variances of the spectrum G0 (n/n0)^-2 between its
// wavelengths; half of that of the slopes comes from the shorter half of the range of n. Seeds give other
// roads.
static void random_road(void **state)
{
    (void)state;
    tml_road_def d = road_of(TML_ROAD_RANDOM);
    d.roughness = 256e-6;
    const double pi = acos(-1), G = 256e-6 * 0.01;
    const double wanted[2] = {G * (90 - 0.35), 4 * pi * pi * G * (1 / 0.35 - 1 / 90.0)};
    double sum[2] = {0}, half = 0, apart = 0;
    const tmli_profile p = profile_of(&d);
    d.seed = 2;
    const tmli_profile other = profile_of(&d);
    enum { POINTS = 200000 };
    for (int i = 0; i < POINTS; i++) {
        double jet[3];
        tmli_profile_eval(&p, 0, 0.1 * i, jet);
        for (int k = 0; k < 2; k++) sum[k] += jet[k] * jet[k] / POINTS;
        apart += fabs(jet[0] - height(&other, 0.1 * i)) / POINTS;
    }
    // 20 km; lines that are 6 % of their n apart average out over a hundred of the longest waves
    for (int k = 0; k < 2; k++) CHECK_CLOSE(sum[k] / wanted[k], 1, 0.02);
    const double middle = 2 * pi * (1 / 0.35 + 1 / 90.0) / 2;
    for (int i = 0; i < TMLI_ROAD_WAVES; i++) {
        const tmli_road_wave *w = &p.wave[i];
        if (w->k > middle) half += w->a * w->a * w->k * w->k / 2;
    }
    CHECK_CLOSE(half / wanted[1], 0.5, 0.04);  // the range of one wave is 6 % of n
    assert_true(apart > 0.3 * sqrt(wanted[0]));
    d.length = 20;
    const tmli_profile fades = profile_of(&d);
    assert_true(height(&fades, 1.37) == 0 && height(&fades, -50) == 0);
    CHECK_CLOSE(height(&fades, 1.37 + 20), height(&other, 1.37 + 20), 1e-15);
    CHECK_CLOSE(height(&fades, 1.37 + 10), height(&other, 1.37 + 10) / 2, 1e-15);
}

// z' and z'' of all pieces, inside and a little beyond their ends.
static void derivatives(void **state)
{
    (void)state;
    tml_road_def roads[] = {road_of(TML_ROAD_BUMP),   road_of(TML_ROAD_STEP),  road_of(TML_ROAD_STEP),
                            road_of(TML_ROAD_STEP),   road_of(TML_ROAD_SINE),  road_of(TML_ROAD_FLAT),
                            road_of(TML_ROAD_RANDOM), road_of(TML_ROAD_RANDOM)};
    roads[1].height = 0.11;
    roads[2].height = -0.11;
    roads[3].height = 0.3;
    roads[3].length = 1.3;
    roads[4].waves = 1.4;
    roads[6].roughness = roads[7].roughness = 1e-5;
    roads[7].length = 1.1;
    for (size_t i = 0; i < sizeof roads / sizeof *roads; i++) {
        const tmli_profile p = profile_of(&roads[i]);
        for (int piece = 0; piece <= p.nbreaks; piece++)
            for (int k = 0; k <= 20; k++) {
                const double low = p.nbreaks ? p.at[0] - 0.05 : 0, high = p.nbreaks ? p.at[1] + 0.05 : 1;
                const double s = low + (high - low) * k / 20, h = 3e-5;
                double jet[3], a[3], b[3];
                tmli_profile_eval(&p, piece, s, jet);
                tmli_profile_eval(&p, piece, s - h, a);
                tmli_profile_eval(&p, piece, s + h, b);
                // truncation h^2/6 z''' and h^2/6 z'''' with z'''' < 2e3 on the arcs
                CHECK_CLOSE((b[0] - a[0]) / (2 * h), jet[1], 2e-7);
                CHECK_CLOSE((b[1] - a[1]) / (2 * h), jet[2], 2e-6);
            }
    }
}

// ---- tyres ------------------------------------------------------------------------------------------------

static tmli_tyre tyre_on(const tml_road_def *d, bool contact, bool normal)
{
    const vec3 e = v3(0.8, 0.6, 0), n = v3(-0.36, 0.48, 0.8);
    return (tmli_tyre){.p = v3(0.07, -0.31, 0.11),
                       .o = v3(0.2, 0.3, -0.4),
                       .e = e,
                       .n = n,
                       .profile = profile_of(d),
                       .radius = R,
                       .stiffness = 37.1,
                       .damping = 2.3,
                       .contact = contact,
                       .normal = normal};
}

// A pose that puts the centre of the wheel at way s and height h, turned at random.
static tmli_pose pose_at(const tmli_tyre *t, double s, double h, rng *r)
{
    quat q = {1, rng_range(r, -1, 1), rng_range(r, -1, 1), rng_range(r, -1, 1)};
    q = q_normalize(q);
    tmli_pose B = {.R = q_matrix(q)};
    const vec3 P = v3_add(t->o, v3_add(v3_scale(s, t->e), v3_scale(h, t->n)));
    B.r = v3_sub(P, m3_mulv(&B.R, t->p));
    return B;
}

static tmli_pose moved(const tmli_pose *B, const double d[6])
{
    const mat3 turn = q_matrix(tmli_so3_exp(v3_from(d + 3)));
    return (tmli_pose){.r = v3_add(B->r, v3_from(d)), .R = m3_mul(&B->R, &turn)};
}

static void force_at(const tmli_tyre *t, const tmli_pose *B, const double u[6], const double *mode,
                     double Q[6])
{
    tmli_tyre_state x;
    memset(Q, 0, 6 * sizeof *Q);
    tmli_tyre_at(t, B, u, mode, &x);
    tmli_tyre_eval(t, B, &x, Q);
}

static void check_tangent(const tmli_tyre *t, const tmli_pose *B, const double u[6], const double *mode)
{
    double H[36] = {0}, D[36] = {0}, lo[6], hi[6];
    const double h = 1e-5;  // truncation h^2/6 Q''' with Q''' < 1e5; round-off 1e-16 * 40/h
    tmli_tyre_state x;
    tmli_tyre_at(t, B, u, mode, &x);
    tmli_tyre_tangent(t, B, u, &x, 6, H, D);
    for (int j = 0; j < 6; j++) {
        double d[6] = {0}, w[6];
        d[j] = h;
        const tmli_pose up = moved(B, d);
        d[j] = -h;
        const tmli_pose down = moved(B, d);
        force_at(t, &up, u, mode, hi);
        force_at(t, &down, u, mode, lo);
        for (int i = 0; i < 6; i++) CHECK_CLOSE(H[6 * i + j], -(hi[i] - lo[i]) / (2 * h), 3e-6);
        for (int i = 0; i < 6; i++) w[i] = u[i];
        w[j] += h;
        force_at(t, B, w, mode, hi);
        w[j] -= 2 * h;
        force_at(t, B, w, mode, lo);
        for (int i = 0; i < 6; i++)
            CHECK_CLOSE(D[6 * i + j], -(hi[i] - lo[i]) / (2 * h), 1e-7);  // linear in u
    }
}

// On each held piece, also a little beyond its ends, touching or not.
static void tangents(void **state)
{
    (void)state;
    rng r = rng_seed(5);
    const tml_road_def d = road_of(TML_ROAD_BUMP);
    for (int k = 0; k < 60; k++) {
        const tmli_tyre t = tyre_on(&d, k % 2, k % 4 >= 2);
        const int piece = k % 3;
        const double middle = piece == 0 ? 1.1 : piece == 1 ? 1.37 : 1.64;
        const double mode[2] = {1 + piece, k % 5 == 4 ? 3 : k % 7 == 6 ? 1 : 2};
        double u[6];
        for (int i = 0; i < 6; i++) u[i] = rng_range(&r, -2, 2);
        const tmli_pose B =
            pose_at(&t, middle + rng_range(&r, -0.25, 0.25), R + rng_range(&r, -0.1, 0.1), &r);
        check_tangent(&t, &B, u, mode);
    }
}

// Power of force and potential together: dU/dt + P = power without potential; the damper takes, and along the
// normal nothing else does. The derivative of U along the motion is taken by a difference.
static void power(void **state)
{
    (void)state;
    rng r = rng_seed(11);
    tml_road_def d = road_of(TML_ROAD_SINE);
    for (int k = 0; k < 40; k++) {
        const tmli_tyre t = tyre_on(&d, k % 2, k % 4 >= 2);
        double u[6], U[2] = {0}, P[2], Q[6], by[6];
        for (int i = 0; i < 6; i++) u[i] = rng_range(&r, -2, 2);
        const tmli_pose B = pose_at(&t, rng_range(&r, 0, 4), R + rng_range(&r, -0.3, 0.3), &r);
        tmli_tyre_state x;
        tmli_tyre_at(&t, &B, u, NULL, &x);
        if (fabs(x.compression) < 1e-3) continue;
        const double h = 1e-5;
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < 6; i++) by[i] = (side ? h : -h) * u[i];
            const tmli_pose C = moved(&B, by);
            tmli_tyre_state y;
            tmli_tyre_at(&t, &C, u, NULL, &y);
            P[side] = 0;
            tmli_tyre_energy(&t, &C, u, &y, &U[side], &P[side]);
        }
        double potential = 0, out = 0, rate = (U[1] - U[0]) / (2 * h), work = 0;
        tmli_tyre_energy(&t, &B, u, &x, &potential, &out);
        force_at(&t, &B, u, NULL, Q);
        for (int i = 0; i < 6; i++) work += Q[i] * u[i];
        CHECK_CLOSE(out, work + rate, 1e-6);  // h^2/6 U''' with U''' < 1e4
        if (t.normal && x.presses) CHECK_CLOSE(out, -t.damping * x.rate * x.rate, 1e-12);
        if (!t.normal && x.presses)
            CHECK_CLOSE(out, x.force * x.road[1] * x.s_rate - t.damping * x.rate * x.rate, 1e-12);
        assert_true(!t.contact || x.force >= 0);
    }
}

// A tyre presses where it is compressed and its force pushes; the damper alone does not hold it.
static void contact(void **state)
{
    (void)state;
    rng r = rng_seed(3);
    const tml_road_def d = road_of(TML_ROAD_FLAT);
    const tmli_tyre t = tyre_on(&d, true, false);
    static const struct {
        double compression, rate;
        double branch;  // 1 free, 2 presses, 3 springs back
    } cases[] = {{0.1, 0, 2},  {0.1, -1, 2},  {0.1, -2, 3}, {-0.1, 0, 1},
                 {-0.1, 5, 1}, {-0.1, -5, 1}, {0.1, 5, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tmli_pose B = pose_at(&t, 0.3, R - cases[i].compression, &r);
        double u[6] = {0}, margin[1], mode[1] = {0};
        v3_store(v3_scale(-cases[i].rate, t.n), u);
        tmli_tyre_state x;
        tmli_tyre_at(&t, &B, u, NULL, &x);
        CHECK_CLOSE(x.compression, cases[i].compression, 1e-15);
        CHECK_CLOSE(x.rate, cases[i].rate, 1e-14);
        assert_int_equal(x.presses, cases[i].branch == 2);
        CHECK_CLOSE(x.force, cases[i].branch == 2 ? 37.1 * x.compression + 2.3 * x.rate : 0, 1e-14);
        double potential = 0, spent = 0;
        tmli_tyre_energy(&t, &B, u, &x, &potential, &spent);  // a tyre that springs back still has energy
        CHECK_CLOSE(potential, cases[i].branch == 1 ? 0 : 37.1 * 0.1 * 0.1 / 2, 1e-15);
        assert_int_equal(tmli_tyre_update_modes(&t, &B, u, NULL, NULL, true, mode), 1);
        assert_true(mode[0] == cases[i].branch);
        tmli_tyre_event_values(&t, &B, u, mode, margin);
        assert_true(margin[0] > 0);
        for (double other = 1; other <= 3; other++) {
            if (other == cases[i].branch) continue;
            mode[0] = other;
            tmli_tyre_event_values(&t, &B, u, mode, margin);
            assert_true(margin[0] < 0);
            assert_int_equal(tmli_tyre_update_modes(&t, &B, u, NULL, NULL, false, mode), 1);
            assert_true(mode[0] == cases[i].branch);
        }
        mode[0] = INFINITY;  // freed: never held again
        assert_int_equal(tmli_tyre_update_modes(&t, &B, u, NULL, NULL, true, mode), 0);
    }
}

// Pieces: the margin is the way to the nearer end; on the border the state a little later decides; a kink of
// the road that makes the force jump below zero lifts the tyre off in the same change.
static void pieces(void **state)
{
    (void)state;
    rng r = rng_seed(7);
    const tml_road_def d = road_of(TML_ROAD_BUMP);
    tmli_tyre t = tyre_on(&d, true, false);
    double mode[2] = {0}, margin[2], u[6] = {0};
    v3_store(v3_scale(1.5, t.e), u);
    tmli_pose B = pose_at(&t, t.profile.at[0] + 0.03, R - 0.2, &r);
    assert_int_equal(tmli_tyre_modes(&t), 2);
    assert_int_equal(tmli_tyre_update_modes(&t, &B, u, NULL, NULL, true, mode), 2);
    assert_true(mode[0] == 2 && mode[1] == 2);
    tmli_tyre_event_values(&t, &B, u, mode, margin);
    CHECK_CLOSE(margin[0], 0.03, 1e-14);
    mode[0] = 1;
    tmli_tyre_event_values(&t, &B, u, mode, margin);
    CHECK_CLOSE(margin[0], -0.03, 1e-14);
    assert_int_equal(tmli_tyre_update_modes(&t, &B, u, NULL, NULL, false, mode), 1);
    assert_true(mode[0] == 2);

    // on the border exactly: with o = 0, e along x and no turn the way is x itself
    t.o = t.p = v3(0, 0, 0);
    t.e = v3(1, 0, 0);
    t.n = v3(0, 0, 1);
    const double v[6] = {-1.5};
    const tmli_pose on = {.r = v3(t.profile.at[0], 0, R - 0.2), .R = m3_identity()},
                    before = {.r = v3(t.profile.at[0] - 1e-6, 0, R - 0.2), .R = m3_identity()};
    mode[0] = 2;
    assert_int_equal(tmli_tyre_update_modes(&t, &on, v, &before, v, true, mode), 1);
    assert_true(mode[0] == 1);
    // a wheel that is there but for round-off goes along
    const double w[6] = {1.5};
    tmli_pose near = on, after = on;
    near.r.x -= 1e-10;
    after.r.x += 1e-6;
    assert_int_equal(tmli_tyre_update_modes(&t, &near, w, &after, w, false, mode), 1);
    assert_true(mode[0] == 2);
    near.r.x -= 1e-8;
    mode[0] = 1;
    assert_int_equal(tmli_tyre_update_modes(&t, &near, w, &after, w, false, mode), 0);

    // backwards off the bump the road falls away: rate = slope * (-40) on it
    const double fast[6] = {-40};
    B = (tmli_pose){.r = v3(t.profile.at[0] + 1e-9, 0, R - 0.01), .R = m3_identity()};
    mode[0] = 1;
    mode[1] = 2;
    tmli_tyre_update_modes(&t, &B, fast, NULL, NULL, false, mode);
    assert_true(mode[0] == 2 && mode[1] == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bump),        cmocka_unit_test(edges),       cmocka_unit_test(smooth_roads),
        cmocka_unit_test(random_road), cmocka_unit_test(derivatives), cmocka_unit_test(tangents),
        cmocka_unit_test(power),       cmocka_unit_test(contact),     cmocka_unit_test(pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
