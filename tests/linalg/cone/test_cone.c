// The contact problem: single points against the law, a stack against statics, islands, and the bound of the
// residual that is measured.
#include "linalg/cone/cone.h"
#include "support.h"

#include <math.h>
#include <string.h>

// ---- a single point ---------------------------------------------------------------------------------------

// W = A A' of a random A, stretched; six numbers as in cone.h.
static void random_block(rng *r, double W[6])
{
    double A[9];
    const double stretch = pow(10, rng_range(r, -1.5, 0));
    for (int i = 0; i < 9; i++) A[i] = rng_range(r, -1, 1) * (i / 3 == 2 ? stretch : 1);
    const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; e++) {
        W[e] = 0;
        for (int k = 0; k < 3; k++) W[e] += A[3 * row[e] + k] * A[3 * column[e] + k];
    }
}

static void velocity(const double W[6], const double q[3], const double r[3], double u[3])
{
    u[0] = q[0] + W[0] * r[0] + W[1] * r[1] + W[2] * r[2];
    u[1] = q[1] + W[1] * r[0] + W[3] * r[1] + W[4] * r[2];
    u[2] = q[2] + W[2] * r[0] + W[4] * r[1] + W[5] * r[2];
}

static void test_point(void **state)
{
    (void)state;
    rng r = {.s = 20261118};
    int open = 0, stick = 0, slip = 0;
    for (int trial = 0; trial < 20000; trial++) {
        double W[6], q[3], impulse[3], u[3];
        const double mu = pow(10, rng_range(&r, -2, 0.5));
        random_block(&r, W);
        if (W[0] < 1e-3) continue;
        for (int k = 0; k < 3; k++) q[k] = rng_range(&r, -1, 1);
        tmli_cone_local(W, mu, q, impulse);
        velocity(W, q, impulse, u);
        const double load = mu * impulse[0], size = hypot(impulse[1], impulse[2]), speed = hypot(u[1], u[2]);
        const double largest = W[0] + W[3] + W[5], round = 1e-9 * (1 + largest * (impulse[0] + size));
        assert_true(impulse[0] >= 0);
        assert_true(u[0] > -round);
        assert_true(impulse[0] == 0 || fabs(u[0]) < round);
        assert_true(size <= load * (1 + 1e-12));
        if (impulse[0] == 0) {
            open++;
        } else if (size < load * (1 - 1e-9)) {
            assert_true(speed < round);
            stick++;
        } else {  // against the slip: -u_T along r_T
            assert_true(-(u[1] * impulse[1] + u[2] * impulse[2]) >= speed * size - round * size);
            slip++;
        }
        // the residual vanishes there, and nowhere else
        tmli_cone_point p = {.mu = mu};
        memcpy(p.W, W, sizeof p.W);
        memcpy(p.r, impulse, sizeof p.r);
        assert_true(tmli_cone_residual(&p, u) < round);
        p.r[0] += 0.1;
        velocity(W, q, p.r, u);
        assert_true(tmli_cone_residual(&p, u) > 1e-4 * W[0]);
    }
    assert_true(open > 1000 && stick > 300 && slip > 1000);
}

// ---- stacks -----------------------------------------------------------------------------------------------

enum { BOXES = 20, TALL = 40, WIDE = 6 };

// A point between two cubes with the edge 1 above each other, at (x, y, z) of space; -1: the floor.
static void add_point(tmli_cone *c, int below, int above, double x, double y, double z, double mu)
{
    tmli_cone_point *p = &c->point[c->count++];
    memset(p, 0, sizeof *p);
    p->in = true;
    p->far = -1;
    p->mu = mu;
    const int body[2] = {below, above}, axis[3] = {2, 0, 1};
    for (int side = 0; side < 2; side++) {
        p->at[side] = body[side] < 0 ? -1 : WIDE * body[side];
        p->unit[side] = body[side];
        if (body[side] < 0) continue;
        const double sign = side == 0 ? -1 : 1, arm[3] = {x, y, z - (body[side] + 0.5)};
        for (int k = 0; k < 3; k++) {
            double e[3] = {0}, *g = p->G[k] + 6 * side, *h = p->H[k] + 6 * side;
            e[axis[k]] = sign;
            const double moment[3] = {arm[1] * e[2] - arm[2] * e[1], arm[2] * e[0] - arm[0] * e[2],
                                      arm[0] * e[1] - arm[1] * e[0]};
            for (int i = 0; i < 3; i++) {
                g[i] = h[i] = e[i];
                g[3 + i] = moment[i];
                h[3 + i] = 6 * moment[i];  // mass 1, inertia 1/6
            }
        }
    }
    tmli_cone_weigh(c, p);
}

static void fill_stack(tmli_cone *c, int boxes, double mu)
{
    c->count = 0;
    for (int i = 0; i < boxes; i++)
        for (int k = 0; k < 4; k++) add_point(c, i - 1, i, k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, i, mu);
}

static tmli_cone make_cone(void)
{
    const tml_env env = {0};
    tmli_cone c;
    assert_int_equal(tmli_cone_create(&env, WIDE * TALL, TALL, 4 * TALL, 0, 0, &c, NULL), TML_OK);
    return c;
}

// Cubes at rest: each face carries what is above it, and the velocities vanish to round-off.
static void test_stack(void **state)
{
    (void)state;
    tmli_cone c = make_cone();
    const double fall = 0.04;
    fill_stack(&c, BOXES, 0.5);
    for (int i = 0; i < BOXES; i++) c.v[WIDE * i + 2] = -fall;
    const tmli_cone_result r = tmli_cone_solve(&c, 1e-2);
    assert_int_equal(r.islands, 1);
    assert_int_equal(r.missed, 0);
    assert_true(r.residual < 1e-11);
    for (int j = 0; j < WIDE * BOXES; j++) assert_true(fabs(c.v[j]) < 1e-12);
    for (int i = 0; i < BOXES; i++) {
        double load = 0;
        for (int k = 0; k < 4; k++) load += c.point[4 * i + k].r[0];
        assert_true(fabs(load - fall * (BOXES - i)) < 1e-10);
    }
    tmli_cone_clear(&c);
}

// More points than are solved at once over points, and the uppermost cube weighs as much as a thousand
// others.
static void test_heavy(void **state)
{
    (void)state;
    tmli_cone c = make_cone();
    const double fall = 0.04, mass = 1000;
    fill_stack(&c, TALL, 0.5);
    for (int k = 4 * (TALL - 1); k < 4 * TALL; k++) {
        for (int e = 0; e < 3; e++)
            for (int j = 0; j < 6; j++) c.point[k].H[e][6 + j] /= mass;
        tmli_cone_weigh(&c, &c.point[k]);
    }
    for (int i = 0; i < TALL; i++) c.v[WIDE * i + 2] = -fall;
    const tmli_cone_result r = tmli_cone_solve(&c, 1e-2);
    assert_int_equal(r.missed, 0);
    assert_int_equal(r.direct, 1);
    assert_true(r.residual < 1e-9);
    double load = 0;
    for (int k = 0; k < 4; k++) load += c.point[k].r[0];
    assert_true(fabs(load - fall * (TALL - 1 + mass)) < 1e-8 * load);
    tmli_cone_clear(&c);
}

// Tall stacks whose cubes slide and tip in all directions meet the bound, which is measured afresh.
static void test_tumbling(void **state)
{
    (void)state;
    rng r = {.s = 7};
    for (int trial = 0; trial < 30; trial++) {
        tmli_cone c = make_cone();
        double demand = 0, worst = 0;
        fill_stack(&c, TALL, rng_range(&r, 0.1, 1));
        for (int i = 0; i < WIDE * TALL; i++) c.v[i] = rng_range(&r, -1, 1);
        for (int i = 0; i < c.count; i++) {
            double u[3];
            tmli_cone_velocity(&c, &c.point[i], u);
            if (u[0] < 0) demand = fmax(demand, hypot(u[0], hypot(u[1], u[2])));
        }
        const tmli_cone_result result = tmli_cone_solve(&c, 1e-2);
        for (int i = 0; i < c.count; i++) {
            double u[3];
            tmli_cone_velocity(&c, &c.point[i], u);
            worst = fmax(worst, tmli_cone_residual(&c.point[i], u));
        }
        assert_int_equal(result.missed, 0);
        assert_int_equal(result.worst, -1);
        assert_true(worst <= 1e-2 * demand);
        tmli_cone_clear(&c);
    }
}

// The lowest cube is pushed sideways beyond its friction: it slides, the others are dragged by mu g at most.
static void test_pushed(void **state)
{
    (void)state;
    tmli_cone c = make_cone();
    const double fall = 0.04, mu = 0.2;
    fill_stack(&c, 2, mu);
    c.v[0] = 3;
    for (int i = 0; i < 2; i++) c.v[WIDE * i + 2] = -fall;
    const tmli_cone_result r = tmli_cone_solve(&c, 1e-6);
    assert_int_equal(r.missed, 0);
    // mu fall on the upper one, mu (2 fall + fall) against the lower one, while no edge opens
    assert_true(fabs(c.v[WIDE] - mu * fall) < 1e-7);
    assert_true(fabs(c.v[0] - (3 - 3 * mu * fall)) < 1e-7);
    tmli_cone_clear(&c);
}

enum { SIDE = 10 };

// A point between two unit spheres, or one and a fixed body (-1), with the normal n to the second and the
// tangent t.
static void add_ball(tmli_cone *c, int first, int second, const double n[3], const double t[3])
{
    tmli_cone_point *p = &c->point[c->count++];
    memset(p, 0, sizeof *p);
    p->in = true;
    p->far = -1;
    p->mu = 0.3;
    const double other[3] = {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]};
    const double *const axis[3] = {n, t, other};
    const int body[2] = {first, second};
    for (int side = 0; side < 2; side++) {
        p->at[side] = body[side] < 0 ? -1 : WIDE * body[side];
        p->unit[side] = body[side];
        if (body[side] < 0) continue;
        for (int k = 0; k < 3; k++) {
            const double *e = axis[k], sign = side == 0 ? -1 : 1;
            // the arm is n of the first body and -n of the second: the moment is -n x e of either
            const double moment[3] = {n[2] * e[1] - n[1] * e[2], n[0] * e[2] - n[2] * e[0],
                                      n[1] * e[0] - n[0] * e[1]};
            for (int i = 0; i < 3; i++) {
                p->G[k][6 * side + i] = sign * e[i];
                p->G[k][6 * side + 3 + i] = moment[i];
                p->H[k][6 * side + i] = p->G[k][6 * side + i];
                p->H[k][6 * side + 3 + i] = 2.5 * moment[i];
            }
        }
    }
    tmli_cone_weigh(c, p);
    assert_true(p->round);
}

// A sheet of spheres, too large to be solved at once first: the bound is met, and the velocities are those by
// the impulses.
static void test_balls(void **state)
{
    (void)state;
    const tml_env env = {0};
    const double up[3] = {0, 0, 1}, along[3] = {1, 0, 0}, across[3] = {0, 1, 0};
    tmli_cone c;
    rng r = {.s = 11};
    double start[WIDE * SIDE * SIDE], worst = 0;
    assert_int_equal(tmli_cone_create(&env, WIDE * SIDE * SIDE, SIDE * SIDE, 2 * SIDE * SIDE, 0, 0, &c, NULL),
                     TML_OK);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            add_ball(&c, j > 0 ? SIDE * i + j - 1 : -1, SIDE * i + j, up, along);
            if (i > 0) add_ball(&c, SIDE * (i - 1) + j, SIDE * i + j, along, across);
        }
    for (int i = 0; i < WIDE * SIDE * SIDE; i++) c.v[i] = start[i] = rng_range(&r, -1, 1);
    const tmli_cone_result result = tmli_cone_solve(&c, 1e-2);
    assert_int_equal(result.missed, 0);
    assert_true(result.sweeps > 0 && c.count > TMLI_CONE_DIRECT);
    for (int i = 0; i < c.count; i++) {
        const tmli_cone_point *p = &c.point[i];
        double u[3];
        tmli_cone_velocity(&c, p, u);
        worst = fmax(worst, tmli_cone_residual(p, u));
        for (int side = 0; side < 2; side++)
            for (int e = 0; e < 6 && p->at[side] >= 0; e++)
                for (int k = 0; k < 3; k++) start[p->at[side] + e] += p->r[k] * p->H[k][6 * side + e];
    }
    assert_true(worst < 1e-2 * 8);  // no velocity of a point is above 8
    for (int i = 0; i < WIDE * SIDE * SIDE; i++) assert_true(fabs(c.v[i] - start[i]) < 1e-12);
    tmli_cone_clear(&c);
}

// Two stacks on one floor are two islands; cubes that move apart have no impulse.
static void test_islands(void **state)
{
    (void)state;
    tmli_cone c = make_cone();
    for (int k = 0; k < 4; k++) add_point(&c, -1, 0, k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, 0, 0.5);
    for (int k = 0; k < 4; k++) add_point(&c, 1, 2, k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, 2, 0.5);
    c.v[2] = -1;
    c.v[WIDE * 2 + 2] = 1;
    const tmli_cone_result r = tmli_cone_solve(&c, 1e-2);
    assert_int_equal(r.islands, 2);
    assert_true(fabs(c.v[2]) < 1e-12);
    assert_true(c.v[WIDE * 2 + 2] == 1 && c.v[WIDE + 2] == 0);
    tmli_cone_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_point),  cmocka_unit_test(test_stack),
                                       cmocka_unit_test(test_heavy),  cmocka_unit_test(test_tumbling),
                                       cmocka_unit_test(test_pushed), cmocka_unit_test(test_balls),
                                       cmocka_unit_test(test_islands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
