// Height fields: the surface through its heights, its derivatives and bounds, and the feet of points.
#include "element/terrain/terrain.h"
#include "support/support.h"

#include <math.h>

static tmli_arena arena;

enum { NX = 9, NY = 7 };
static const double LENGTH = 4.3, WIDTH = 3.1;

static tmli_terrain surface(double (*z)(double x, double y))
{
    double heights[NX * NY];
    tmli_terrain t;
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++)
            heights[j * NX + i] = z(LENGTH * (i / (NX - 1.0) - 0.5), WIDTH * (j / (NY - 1.0) - 0.5)) / 0.37;
    assert_int_equal(tmli_terrain_create(NX, NY, heights, 0.37, LENGTH, WIDTH, &arena, &t, NULL), TML_OK);
    return t;
}

static double cubic(double x, double y)
{
    return 0.1 + 0.3 * x - 0.2 * y + 0.11 * x * y - 0.07 * x * x * y + 0.05 * y * y * y - 0.04 * x * x * x;
}
static double waves(double x, double y) { return 0.2 * sin(2.1 * x + 0.3) * cos(1.7 * y); }
static double bowl(double x, double y) { return (x * x + y * y) / (2 * 2.5); }
static double saddle(double x, double y) { return 0.35 * x * x - 0.1 * y * y + 0.23 * x * y; }
static double slope(double x, double y) { return 0.4 * x - 0.3 * y + 0.2; }

// The surface is a polynomial of degree 3 if the heights are.
static void polynomials(void **state)
{
    (void)state;
    const tmli_terrain t = surface(cubic);
    rng r = rng_seed(3);
    for (int k = 0; k < 50; k++) {
        const double x = rng_range(&r, -LENGTH / 2, LENGTH / 2), y = rng_range(&r, -WIDTH / 2, WIDTH / 2);
        const tmli_terrain_jet j = tmli_terrain_at(&t, x, y);
        CHECK_CLOSE(j.z, cubic(x, y), 1e-14);  // round-off, as below
        CHECK_CLOSE(tmli_terrain_height(&t, x, y), j.z, 1e-15);
        CHECK_CLOSE(j.x, 0.3 + 0.11 * y - 0.14 * x * y - 0.12 * x * x, 1e-13);
        CHECK_CLOSE(j.y, -0.2 + 0.11 * x - 0.07 * x * x + 0.15 * y * y, 1e-13);
        CHECK_CLOSE(j.xx, -0.14 * y - 0.24 * x, 1e-12);
        CHECK_CLOSE(j.xy, 0.11 - 0.14 * x, 1e-12);
        CHECK_CLOSE(j.yy, 0.3 * y, 1e-12);
    }
}

// Two derivatives are continuous across the lines of the grid, and bounds are bounds.
static void smoothness(void **state)
{
    (void)state;
    const tmli_terrain t = surface(waves);
    rng r = rng_seed(4);
    for (int k = 0; k < 200; k++) {
        const double x = t.cell[0] * (1 + k % (NX - 2)) - LENGTH / 2, y = rng_range(&r, -1.5, 1.5), e = 1e-9;
        const tmli_terrain_jet a = tmli_terrain_at(&t, x - e, y), b = tmli_terrain_at(&t, x + e, y);
        CHECK_CLOSE(a.z, b.z, 1e-8);  // third derivatives are of size 2, times 2e-9
        CHECK_CLOSE(a.x, b.x, 1e-8);
        CHECK_CLOSE(a.xx, b.xx, 1e-7);
        CHECK_CLOSE(a.xy, b.xy, 1e-7);
        CHECK_CLOSE(a.yy, b.yy, 1e-7);
        assert_true(a.z <= t.high && a.z >= t.low);
        assert_true(hypot(a.x, a.y) <= t.slope);
    }
    assert_true(t.slope < 0.42 * 2);  // of the waves, and not more than twice it
    assert_true(t.overshoot < 0.2);
}

// Heights of a step: the spline swings beyond them.
static void overshoot(void **state)
{
    (void)state;
    double heights[NX * NY];
    tmli_terrain t;
    for (int k = 0; k < NX * NY; k++) heights[k] = k % NX > 4;
    assert_int_equal(tmli_terrain_create(NX, NY, heights, 1, 2, 2, &arena, &t, NULL), TML_OK);
    assert_true(t.overshoot > 0.05 && t.overshoot < 0.3);
    const tmli_terrain flat = surface(slope);
    CHECK_CLOSE(flat.overshoot, 0, 1e-14);  // round-off
}

// The foot is where the line to b is along the normal; from the middle of a ball on a plane as computed.
static void feet(void **state)
{
    (void)state;
    const tmli_terrain t = surface(waves), flat = surface(slope);
    tmli_terrain_foot f[TMLI_TERRAIN_FEET];
    rng r = rng_seed(6);
    for (int k = 0; k < 200; k++) {
        const vec3 b = v3(rng_range(&r, -1.7, 1.7), rng_range(&r, -1.2, 1.2), rng_range(&r, -0.1, 0.9));
        const int count = tmli_terrain_feet(&t, b, 0.3, f);
        double nearest = INFINITY;
        for (int i = 0; i < 4000; i++) {  // every 0.07 m
            const double x = LENGTH * ((i % 64) / 63.0 - 0.5), y = WIDTH * ((i / 64) / 62.0 - 0.5);
            const vec3 d = v3_sub(b, v3(x, y, tmli_terrain_height(&t, x, y)));
            nearest = fmin(nearest, v3_norm(d));
        }
        double least = INFINITY;
        for (int i = 0; i < count; i++) {
            const vec3 d = v3_sub(b, f[i].c);
            CHECK_SMALL(v3_norm(v3_sub(d, v3_scale(f[i].distance, f[i].n))), 1e-11);  // found to 1e-13 cells
            CHECK_CLOSE(f[i].c.z, tmli_terrain_height(&t, f[i].c.x, f[i].c.y), 1e-14);
            least = fmin(least, fabs(f[i].distance));
        }
        if (nearest < 0.25) assert_true(least <= nearest + 1e-9 && least > nearest - 0.07);
        assert_true(tmli_terrain_clearance(&t, b) <= least + 1e-12);
        // on a slope
        tmli_terrain_feet(&flat, v3(0.4 * b.x, 0.4 * b.y, b.z), 0.3, f);
        const vec3 n = v3_scale(1 / sqrt(1.25), v3(-0.4, 0.3, 1));
        CHECK_CLOSE(f[0].distance, v3_dot(n, v3(0.4 * b.x, 0.4 * b.y, b.z - 0.2)), 1e-13);
    }
}

// Curvature at the bottom of a bowl; a ball wider than its bottom touches on all sides of it.
static void curvatures(void **state)
{
    (void)state;
    const tmli_terrain t = surface(bowl);
    const tmli_terrain_foot f = tmli_terrain_descend(&t, v3(0.01, 0.02, 0.5), 0.3, 0.3);
    CHECK_CLOSE(f.distance, 0.49988, 1e-4);
    CHECK_CLOSE(f.k[0], -0.4, 1e-3);  // at 0.02 m from the bottom
    CHECK_CLOSE(f.k[1], -0.4, 1e-3);
}

// Two hills: a ball between them touches both.
// The deepest hollow has the greatest eigenvalue of the second derivatives, among nodes and middles.
static void hollows(void **state)
{
    (void)state;
    const tmli_terrain t = surface(saddle);
    double most = 0;
    for (int j = 0; j < 2 * NY - 1; j++)
        for (int i = 0; i < 2 * NX - 1; i++) {
            const tmli_terrain_jet at =
                tmli_terrain_at(&t, i * t.cell[0] / 2 - LENGTH / 2, j * t.cell[1] / 2 - WIDTH / 2);
            const double trace = at.xx + at.yy, determinant = at.xx * at.yy - at.xy * at.xy;
            most = fmax(most, (trace + sqrt(trace * trace - 4 * determinant)) / 2);
        }
    CHECK_CLOSE(t.hollow, most, 1e-12);                                          // round-off
    assert_true(most > (0.7 - 0.2) / 2 + hypot((0.7 + 0.2) / 2, 0.23) - 1e-12);  // that of the heights
}

static void between_hills(void **state)
{
    (void)state;
    double heights[11 * 3];
    tmli_terrain t;
    tmli_terrain_foot f[TMLI_TERRAIN_FEET];
    for (int k = 0; k < 33; k++) heights[k] = 0.3 * exp(-2 * pow(fabs(k % 11 - 5.0) - 2, 2));
    assert_int_equal(tmli_terrain_create(11, 3, heights, 1, 2, 2, &arena, &t, NULL), TML_OK);
    assert_int_equal(tmli_terrain_feet(&t, v3(0, 0.1, 0.5), 0.45, f), 2);
    CHECK_CLOSE(f[0].distance, f[1].distance, 1e-12);
    CHECK_CLOSE(f[0].c.x, -f[1].c.x, 1e-10);
    assert_true(f[0].distance < 0.45 && fabs(f[0].c.x) > 0.1);
}

// Beyond the edge the surface goes on with its slope.
static void edges(void **state)
{
    (void)state;
    const tmli_terrain t = surface(waves);
    for (int k = 0; k < 4; k++) {
        const int axis = k / 2, sign = k % 2 ? 1 : -1;
        const double edge = sign * t.half[axis], other = 0.37, more = sign * 0.9;
        const tmli_terrain_jet a = axis ? tmli_terrain_at(&t, other, edge) : tmli_terrain_at(&t, edge, other),
                               b = axis ? tmli_terrain_at(&t, other, edge + more)
                                        : tmli_terrain_at(&t, edge + more, other);
        CHECK_CLOSE(b.z, a.z + more * (axis ? a.y : a.x), 1e-14);  // round-off
        CHECK_CLOSE(axis ? b.y : b.x, axis ? a.y : a.x, 1e-13);
        CHECK_CLOSE(axis ? b.x : b.y, (axis ? a.x : a.y) + more * a.xy, 1e-13);
        CHECK_CLOSE(axis ? b.yy : b.xx, 0, 1e-13);
    }
    CHECK_CLOSE(tmli_terrain_outside(&t, v3(t.half[0] + 0.3, -t.half[1] - 0.4, 7)), 0.5, 1e-15);
    CHECK_CLOSE(tmli_terrain_outside(&t, v3(0.99 * t.half[0], 0, 7)), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials), cmocka_unit_test(smoothness),    cmocka_unit_test(overshoot),
        cmocka_unit_test(feet),        cmocka_unit_test(curvatures),    cmocka_unit_test(edges),
        cmocka_unit_test(hollows),     cmocka_unit_test(between_hills),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tmli_arena_clear(&arena);
    return failed;
}
