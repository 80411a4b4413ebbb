// Beam element: forces are the derivative of the energy, tangents agree with differences, rigid motion is
// free of strain, constant strains are represented exactly, the internal forces are in balance.
//
// Differences are five-point central ones, h = 3e-4, as for the bushing.
#include "element/beam/element.h"
#include "element/beam/strain.h"
#include "math/lagrange.h"
#include "math/stumpff.h"
#include "support/support.h"

enum { SAMPLES = 40, ALL = 6 * TMLI_BEAM_NODES };
static const double step = 3e-4, tolerance = 2e-9;
static const double weights[4] = {1 / 12.0, -8 / 12.0, 8 / 12.0, -1 / 12.0}, at[4] = {-2, -1, 1, 2};

typedef struct sample {
    tmli_beam b;
    tmli_pose node[TMLI_BEAM_NODES];
    double u[ALL];
} sample;

static vec3 random_vec(rng *r, double size)
{
    return v3(rng_range(r, -size, size), rng_range(r, -size, size), rng_range(r, -size, size));
}

static mat3 turn_by(vec3 x) { return q_matrix(tmli_so3_exp(x)); }

// A bent element of random shape, and a deformed configuration up to 1 rad away.
static sample random_sample(rng *r, int nodes, bool motion, double eta)
{
    sample s;
    tmli_pose start[TMLI_BEAM_NODES];
    const mat3 R = turn_by(random_vec(r, 2));
    const vec3 origin = random_vec(r, 3);
    for (int i = 0; i < nodes; i++) {
        const vec3 p = v3(tmli_lobatto_point[nodes][i], 0.2 * rng_range(r, -1, 1), 0.2 * rng_range(r, -1, 1));
        const mat3 bend = turn_by(random_vec(r, 0.3));
        start[i] = (tmli_pose){v3_add(origin, m3_mulv(&R, p)), m3_mul(&R, &bend)};
        const mat3 more = turn_by(random_vec(r, 0.5));
        s.node[i] = (tmli_pose){v3_add(start[i].r, random_vec(r, 0.3)), m3_mul(&start[i].R, &more)};
    }
    assert_true(tmli_beam_init(&s.b, nodes, motion, start) > 0);
    double C[36] = {0};
    const bool diagonal = rng_range(r, 0, 1) < 0.3;
    for (int i = 0; i < 6; i++)
        for (int k = i; k < 6; k++) {
            const double c = i == k ? rng_range(r, 2, 4) : rng_range(r, -0.3, 0.3);
            if (i == k || !diagonal) C[6 * i + k] = C[6 * k + i] = c;
        }
    tmli_beam_set_section(&s.b, C, eta);
    for (int i = 0; i < ALL; i++) s.u[i] = rng_range(r, -1.5, 1.5);
    return s;
}

static sample moved(const sample *s, int j, double by)
{
    sample n = *s;
    tmli_pose *p = &n.node[j / 6];
    const double d[3] = {j % 3 == 0 ? by : 0, j % 3 == 1 ? by : 0, j % 3 == 2 ? by : 0};
    if (j % 6 < 3) {
        p->r = v3_add(p->r, v3_from(d));
    } else {
        const mat3 turn = turn_by(v3_from(d));
        p->R = m3_mul(&p->R, &turn);
    }
    return n;
}

static void forces(void **state)
{
    (void)state;
    rng r = rng_seed(1);
    for (int k = 0; k < SAMPLES; k++) {
        const int nodes = 2 + k % 3;
        const sample s = random_sample(&r, nodes, k % 2, 0);
        double F[ALL] = {0}, unused;
        tmli_beam_force(&s.b, s.node, s.u, F);
        for (int j = 0; j < 6 * nodes; j++) {
            double slope = 0;
            for (int i = 0; i < 4; i++) {
                const sample t = moved(&s, j, at[i] * step);
                slope += weights[i] / step * tmli_beam_energy(&t.b, t.node, NULL, &unused);
            }
            CHECK_CLOSE(F[j], slope, tolerance * (1 + fabs(F[j])));
        }
        // balance: no force and no moment on the whole
        vec3 force = v3(0, 0, 0), moment = force;
        for (int i = 0; i < nodes; i++) {
            const vec3 f = v3_from(F + 6 * i);
            force = v3_add(force, f);
            moment = v3_add(moment,
                            v3_add(v3_cross(s.node[i].r, f), m3_mulv(&s.node[i].R, v3_from(F + 6 * i + 3))));
        }
        CHECK_SMALL(v3_norm(force), 1e-13);
        CHECK_SMALL(v3_norm(moment), 1e-12);
    }
}

static void tangents(void **state)
{
    (void)state;
    rng r = rng_seed(2);
    for (int k = 0; k < SAMPLES; k++) {
        const int nodes = 2 + k % 3, n = 6 * nodes;
        const sample s = random_sample(&r, nodes, k % 2, k < SAMPLES / 2 ? 0 : 0.4);
        double H[ALL * ALL] = {0}, D[ALL * ALL] = {0};
        tmli_beam_tangent(&s.b, s.node, s.u, H, D);
        for (int j = 0; j < n; j++) {
            double by_d[ALL] = {0}, by_u[ALL] = {0};
            for (int i = 0; i < 4; i++) {
                const sample t = moved(&s, j, at[i] * step);
                double F[ALL] = {0}, G[ALL] = {0};
                tmli_beam_force(&t.b, t.node, t.u, F);
                sample v = s;
                v.u[j] += at[i] * step;
                tmli_beam_force(&v.b, v.node, v.u, G);
                for (int q = 0; q < n; q++) {
                    by_d[q] += weights[i] / step * F[q];
                    by_u[q] += weights[i] / step * G[q];
                }
            }
            for (int q = 0; q < n; q++) {
                CHECK_CLOSE(H[q * n + j], by_d[q], 10 * tolerance * (1 + fabs(by_d[q])));
                CHECK_CLOSE(D[q * n + j], by_u[q], 10 * tolerance * (1 + fabs(by_u[q])));
            }
        }
    }
}

// In the plane the planar element is the spatial one without the coordinates across it.
static void planar(void **state)
{
    (void)state;
    rng r = rng_seed(5);
    for (int k = 0; k < SAMPLES; k++) {
        const int nodes = 2 + k % 3, n = 6 * nodes;
        tmli_pose start[TMLI_BEAM_NODES];
        sample s = random_sample(&r, nodes, false, k % 2 ? 0.4 : 0);
        const tmli_beam before = s.b;
        const double turn = rng_range(&r, -3, 3);
        for (int i = 0; i < nodes; i++) {
            const double x = tmli_lobatto_point[nodes][i], y = rng_range(&r, -0.2, 0.2);
            const double bend = rng_range(&r, -0.4, 0.4);
            start[i] = (tmli_pose){v3(cos(turn) * x - sin(turn) * y, sin(turn) * x + cos(turn) * y, 0),
                                   turn_by(v3(0, 0, turn + bend))};
            s.node[i] =
                (tmli_pose){v3_add(start[i].r, v3(rng_range(&r, -0.3, 0.3), rng_range(&r, -0.3, 0.3), 0)),
                            turn_by(v3(0, 0, turn + bend + rng_range(&r, -0.6, 0.6)))};
        }
        assert_true(tmli_beam_init(&s.b, nodes, false, start) > 0);
        tmli_beam_set_section(&s.b, before.C, before.eta);
        for (int i = 0; i < n; i++) s.u[i] *= i % 6 < 2 || i % 6 == 5;
        sample p = s;
        p.b.planar = true;
        double F[2][ALL] = {{0}}, H[2][ALL * ALL] = {{0}}, D[2][ALL * ALL] = {{0}};
        tmli_beam_force(&s.b, s.node, s.u, F[0]);
        tmli_beam_force(&p.b, p.node, p.u, F[1]);
        tmli_beam_tangent(&s.b, s.node, s.u, H[0], D[0]);
        tmli_beam_tangent(&p.b, p.node, p.u, H[1], D[1]);
        double lost[2];
        const double energy[2] = {tmli_beam_energy(&s.b, s.node, s.u, &lost[0]),
                                  tmli_beam_energy(&p.b, p.node, p.u, &lost[1])};
        CHECK_CLOSE(energy[1], energy[0], 1e-13 * energy[0]);
        CHECK_CLOSE(lost[1], lost[0], 1e-13 * lost[0]);
        for (int i = 0; i < n; i++) {
            if (i % 6 >= 2 && i % 6 < 5) continue;
            CHECK_CLOSE(F[1][i], F[0][i], 1e-13 * (1 + fabs(F[0][i])));
            for (int j = 0; j < n; j++) {
                if (j % 6 >= 2 && j % 6 < 5) continue;
                CHECK_CLOSE(H[1][i * n + j], H[0][i * n + j], 1e-12 * (1 + fabs(H[0][i * n + j])));
                CHECK_CLOSE(D[1][i * n + j], D[0][i * n + j], 1e-12 * (1 + fabs(D[0][i * n + j])));
            }
        }
    }
}

// F.u = dU/dt + dissipated power
static void power(void **state)
{
    (void)state;
    rng r = rng_seed(3);
    for (int k = 0; k < SAMPLES; k++) {
        const int nodes = 2 + k % 3;
        const sample s = random_sample(&r, nodes, k % 2, 0.4);
        sample elastic = s;
        elastic.b.eta = 0;
        double F[ALL] = {0}, G[ALL] = {0}, lost, work = 0;
        tmli_beam_force(&s.b, s.node, s.u, F);
        tmli_beam_force(&elastic.b, s.node, s.u, G);
        tmli_beam_energy(&s.b, s.node, s.u, &lost);
        for (int j = 0; j < 6 * nodes; j++) work += (F[j] - G[j]) * s.u[j];
        assert_true(lost > 0);
        CHECK_CLOSE(work, lost, 1e-12 * lost);
    }
}

// Rigid motion of the stress-free shape makes no strain and, with its velocity, no strain rate.
static void rigid_motion(void **state)
{
    (void)state;
    rng r = rng_seed(4);
    for (int k = 0; k < SAMPLES; k++) {
        const int nodes = 2 + k % 3;
        sample s = random_sample(&r, nodes, k % 2, 0.4);
        const mat3 R = turn_by(random_vec(&r, 3));
        const vec3 by = random_vec(&r, 10), w = random_vec(&r, 2), v = random_vec(&r, 2);
        const tmli_beam before = s.b;
        tmli_beam_init(&s.b, nodes, k % 2, s.node);
        tmli_beam_set_section(&s.b, before.C, before.eta);
        for (int i = 0; i < nodes; i++) {
            s.node[i].r = v3_add(by, m3_mulv(&R, s.node[i].r));
            s.node[i].R = m3_mul(&R, &s.node[i].R);
            v3_store(v3_add(v, v3_cross(w, s.node[i].r)), s.u + 6 * i);
            v3_store(m3_tmulv(&s.node[i].R, w), s.u + 6 * i + 3);
        }
        double strain[6], stress[6];
        tmli_beam_resultants(&s.b, s.node, s.u, 0.3, strain, stress);
        for (int i = 0; i < 6; i++) {
            CHECK_SMALL(strain[i], 1e-12);
            CHECK_SMALL(stress[i], 1e-12);
        }
    }
}

// Constant strains: the nodes on a helix, the shape without stress straight.
static void helix(int nodes, bool motion, const double *e, double error)
{
    sample s = {0};
    tmli_pose start[TMLI_BEAM_NODES];
    for (int i = 0; i < nodes; i++)
        start[i] = (tmli_pose){v3(tmli_lobatto_point[nodes][i] + 1, 0, 0), m3_identity()};
    tmli_beam_init(&s.b, nodes, motion, start);
    for (int i = 0; i < 6; i++) s.b.C[7 * i] = 1;
    for (int i = 0; i < nodes; i++) {
        const double l = start[i].r.x;
        const vec3 turn = v3_scale(l, v3_from(e + 3)), line = v3(1 + e[0], e[1], e[2]);
        // r = integral of exp(turn) line = T(-turn) line l
        const mat3 T = tmli_so3_tangent(v3_scale(-1, turn));
        s.node[i] = (tmli_pose){v3_scale(l, m3_mulv(&T, line)), turn_by(turn)};
    }
    double strain[6], stress[6];
    tmli_beam_resultants(&s.b, s.node, NULL, 0.1, strain, stress);
    for (int i = 0; i < 6; i++) CHECK_CLOSE(strain[i], e[i], i < 3 ? error : 1e-15 + error * motion);
}

// The rotation vector of a helix is linear along it. Its axis is not a polynomial: strains so small are exact
// to 1e-11 with four nodes. As a motion it is linear too, and any strain is exact.
static void patch(void **state)
{
    (void)state;
    const double small[6] = {2e-3, 1e-3, -2e-3, 3e-3, -2e-3, 1e-3},
                 large[6] = {0.3, 0.1, -0.2, 0.5, -0.7, 0.4};
    for (int nodes = 2; nodes <= 4; nodes++) {
        helix(nodes, false, small, nodes == 2 ? 5e-6 : nodes == 3 ? 1e-8 : 1e-11);
        helix(nodes, true, small, 1e-14);
        helix(nodes, true, large, 1e-14);
    }
}

static void stumpff(void **state)
{
    (void)state;
    for (double a = 0.01; a < 9; a *= 1.1) {
        double c[TMLI_STUMPFF], p[TMLI_STUMPFF], m[TMLI_STUMPFF];
        const double s = a * a, h = 1e-3 * fmin(s, 1);
        tmli_stumpff(s, c);
        tmli_stumpff(s + h, p);
        tmli_stumpff(s - h, m);
        CHECK_CLOSE(c[0], cos(a), 2e-15);
        CHECK_CLOSE(c[1], sin(a) / a, 2e-15);
        for (int k = 0; k < 6; k++) CHECK_CLOSE(tmli_stumpff_first(c, k), (p[k] - m[k]) / (2 * h), 1e-6);
        for (int k = 0; k < 4; k++)
            CHECK_CLOSE(tmli_stumpff_second(c, k),
                        (tmli_stumpff_first(p, k) - tmli_stumpff_first(m, k)) / (2 * h), 1e-6);
        double high[2];
        tmli_stumpff_high(s, c, high);
        CHECK_CLOSE(c[6], 1 / 720.0 - s * high[0], 1e-15);
        CHECK_CLOSE(c[7], 1 / 5040.0 - s * high[1], 1e-15);
        for (int k = 2; k < 4; k++)
            CHECK_CLOSE(tmli_stumpff_third(c, high, k),
                        (tmli_stumpff_second(p, k) - tmli_stumpff_second(m, k)) / (2 * h), 1e-6);
    }
}

// ---- means over a step ------------------------------------------------------------------------------------

// A step of random increments up to `size` from the nodes of s.
typedef struct step_sample {
    sample s;
    tmli_pose middle[TMLI_BEAM_NODES], end[TMLI_BEAM_NODES];
    double d[ALL], u[ALL];
    tmli_beam_step step;
} step_sample;

static void advance(const tmli_pose *from, const double *d, double share, int nodes, tmli_pose *to)
{
    for (int i = 0; i < nodes; i++) {
        const mat3 turn = turn_by(v3_scale(share, v3_from(d + 6 * i + 3)));
        to[i] = (tmli_pose){v3_axpy(share, v3_from(d + 6 * i), from[i].r), m3_mul(&from[i].R, &turn)};
    }
}

static void random_step(rng *r, int nodes, bool motion, double eta, double size, step_sample *x)
{
    x->s = random_sample(r, nodes, motion, eta);
    x->step = (tmli_beam_step){
        .start = x->s.node, .middle = x->middle, .end = x->end, .d = x->d, .u = x->u, .h = 0.37};
    for (int i = 0; i < 6 * nodes; i++) {
        x->d[i] = rng_range(r, -size, size);
        x->u[i] = x->d[i] / x->step.h;
    }
    advance(x->s.node, x->d, 0.5, nodes, x->middle);
    advance(x->s.node, x->d, 1, nodes, x->end);
}

// The work of the mean force is the change of the energy and what damping takes out; decay takes out more.
static void means(void **state)
{
    (void)state;
    rng r = rng_seed(7);
    for (int k = 0; k < SAMPLES; k++) {
        const int nodes = 2 + k % 3;
        step_sample x;
        random_step(&r, nodes, k % 2, k < SAMPLES / 2 ? 0 : 0.4, 0.6, &x);
        double lost, unused;
        const double U0 = tmli_beam_energy(&x.s.b, x.s.node, NULL, &unused),
                     U1 = tmli_beam_energy(&x.s.b, x.end, NULL, &unused);
        tmli_beam_energy(&x.s.b, x.middle, x.u, &lost);
        for (int decaying = 0; decaying < 2; decaying++) {
            double F[ALL] = {0}, work = 0;
            vec3 force = v3(0, 0, 0);
            x.step.decay = 0.4 * decaying;
            tmli_beam_mean_force(&x.s.b, &x.step, F);
            for (int i = 0; i < 6 * nodes; i++) work += F[i] * x.d[i];
            for (int i = 0; i < nodes; i++) force = v3_add(force, v3_from(F + 6 * i));
            const double rest = work - (U1 - U0) - x.step.h * lost;
            if (decaying) assert_true(rest > 1e-6);
            else CHECK_SMALL(rest, 1e-12 * (1 + U0 + U1 + x.step.h * lost));
            CHECK_SMALL(v3_norm(force), 1e-12);
        }
    }
}

// Tangents by the end and by the middle apart, for a step so short that the force along it does not count.
static void mean_tangents(void **state)
{
    (void)state;
    rng r = rng_seed(8);
    for (int k = 0; k < SAMPLES; k++) {
        const int nodes = 2 + k % 3, n = 6 * nodes;
        step_sample x;
        random_step(&r, nodes, k % 2, 0, 1e-3, &x);
        x.step.decay = 0.2;
        double H_end[ALL * ALL] = {0}, H[ALL * ALL] = {0}, D[ALL * ALL] = {0};
        tmli_beam_mean_tangent(&x.s.b, &x.step, H_end, H, D);
        for (int j = 0; j < 2 * n; j++) {
            double by[ALL] = {0};
            for (int i = 0; i < 4; i++) {
                step_sample y = x;
                sample t = {0};
                double F[ALL] = {0};
                memcpy(t.node, j < n ? y.end : y.middle, sizeof t.node);
                t = moved(&t, j % n, at[i] * step);
                memcpy(j < n ? y.end : y.middle, t.node, sizeof t.node);
                y.step.start = y.s.node;
                y.step.middle = y.middle;
                y.step.end = y.end;
                y.step.h = 0;  // the work of the force along the motion is that of the strains alone
                y.step.d = y.d;
                y.step.u = y.u;
                for (int q = 0; q < n; q++) y.d[q] = 0;  // and it is not added
                tmli_beam_mean_force(&y.s.b, &y.step, F);
                for (int q = 0; q < n; q++) by[q] += weights[i] / step * F[q];
            }
            for (int q = 0; q < n; q++)
                CHECK_CLOSE(j < n ? H_end[q * n + j] : H[q * n + j - n], by[q],
                            20 * tolerance * (1 + fabs(by[q])));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stumpff), cmocka_unit_test(forces), cmocka_unit_test(tangents),
        cmocka_unit_test(planar),  cmocka_unit_test(power),  cmocka_unit_test(rigid_motion),
        cmocka_unit_test(patch),   cmocka_unit_test(means),  cmocka_unit_test(mean_tangents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
