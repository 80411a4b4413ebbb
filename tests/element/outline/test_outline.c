// Outlines: curves through points, curvature and distances against dense samples.
#include "element/outline/outline.h"
#include "support/support.h"

#include <math.h>

static const double TURN = 6.283185307179586;
static tmli_arena arena;

static void ring_of(int count, double radius, double wave, double *point)
{
    for (int i = 0; i < count; i++) {
        const double a = TURN * i / count, r = radius * (1 + wave * cos(3 * a));
        point[3 * i] = r * cos(a);
        point[3 * i + 1] = r * sin(a);
        point[3 * i + 2] = 0;
    }
}

// Through the points, with continuous tangent and curvature; of a circle to the fourth power of the spacing.
static void spline(void **state)
{
    (void)state;
    double point[3 * 40];
    tmli_outline o;
    ring_of(17, 0.7, 0.11, point);
    assert_int_equal(tmli_outline_spline(point, 17, 1, &arena, &o, NULL), TML_OK);
    for (int i = 0; i < 17; i++) {
        const tmli_outline_place at = tmli_outline_at(&o, TMLI_OUTLINE_PARTS * i);
        CHECK_CLOSE(at.c.x, point[3 * i], 1e-15);
        CHECK_CLOSE(at.c.y, point[3 * i + 1], 1e-15);
        const tmli_outline_place before = tmli_outline_at(&o, TMLI_OUTLINE_PARTS * i + o.nparts - 1e-9);
        CHECK_CLOSE(at.n.x, before.n.x, 1e-8);
        CHECK_CLOSE(at.curvature, before.curvature, 1e-6);  // its slope is some 100 per part
    }
    double before = 0;
    for (int count = 10; count <= 40; count *= 2) {
        double worst = 0;
        ring_of(count, 0.7, 0, point);
        assert_int_equal(tmli_outline_spline(point, count, 1, &arena, &o, NULL), TML_OK);
        for (double s = 0; s < o.nparts; s += 0.13) {
            const tmli_outline_place at = tmli_outline_at(&o, s);
            worst = fmax(worst, fabs(hypot(at.c.x, at.c.y) - 0.7));
            CHECK_CLOSE(at.curvature, 1 / 0.7, 0.06);  // the square of 36 degrees over 12
        }
        if (before > 0) CHECK_CLOSE(log2(before / worst), 4, 0.15);
        before = worst;
    }
    assert_true(before < 1e-5);
}

// Clockwise points, and one sector of several, give the same curve.
static void senses(void **state)
{
    (void)state;
    double point[3 * 30], other[3 * 30];
    tmli_outline o, p, q;
    ring_of(30, 0.7, 0.11, point);
    for (int i = 0; i < 90; i++) other[i] = point[3 * (29 - i / 3) + i % 3];
    assert_int_equal(tmli_outline_spline(point, 30, 1, &arena, &o, NULL), TML_OK);
    assert_int_equal(tmli_outline_spline(other, 30, 1, &arena, &p, NULL), TML_OK);
    assert_int_equal(tmli_outline_spline(point, 10, 3, &arena, &q, NULL), TML_OK);
    for (double s = 0; s < o.nparts; s += 0.71) {
        const tmli_outline_place a = tmli_outline_at(&o, s), b = tmli_outline_at(&q, s);
        double away;
        (void)tmli_outline_nearest(&p, a.c, &away);
        CHECK_SMALL(away, 1e-14);
        CHECK_CLOSE(a.c.x, b.c.x, 1e-14);
        CHECK_CLOSE(a.c.y, b.c.y, 1e-14);
        assert_true(a.n.x * a.c.x + a.n.y * a.c.y > 0);  // outwards
    }
    for (int i = 0; i < 30; i++) other[i] = point[3 * (9 - i / 3) + i % 3];
    assert_int_equal(tmli_outline_spline(other, 10, 3, &arena, &p, NULL), TML_OK);
    CHECK_CLOSE(p.bound, o.bound, 0.05);
}

// A polygon, convex but for one corner: sides, arcs that touch them, curvature.
static void polygon(void **state)
{
    (void)state;
    static const double point[] = {0, 0, 0, 2, 0, 0, 2, 1, 0, 1, 0.4, 0, 0, 1, 0};
    tmli_outline o;
    assert_int_equal(tmli_outline_polygon(point, 5, 1, 0.05, &arena, &o, NULL), TML_OK);
    assert_int_equal(o.npieces, 10);
    double distance;
    for (int k = 0; k < o.nparts; k++) {
        const tmli_outline_place a = tmli_outline_at(&o, k + 1 - 1e-12), b = tmli_outline_at(&o, k + 1);
        CHECK_CLOSE(a.c.x, b.c.x, 1e-11);
        CHECK_CLOSE(a.c.y, b.c.y, 1e-11);
        CHECK_CLOSE(a.n.x, b.n.x, 1e-11);
        CHECK_CLOSE(a.n.y, b.n.y, 1e-11);
    }
    tmli_outline_place at = tmli_outline_nearest(&o, (tmli_vec2){1, -0.3}, &distance);
    CHECK_CLOSE(distance, 0.3, 1e-14);
    assert_true(at.straight && !at.arc && at.n.y == -1);
    at = tmli_outline_nearest(&o, (tmli_vec2){2.1, -0.1}, &distance);
    CHECK_CLOSE(distance, 0.15 * sqrt(2) - 0.05, 1e-14);
    CHECK_CLOSE(at.curvature, 20, 1e-11);
    (void)tmli_outline_nearest(&o, (tmli_vec2){1, 0.2}, &distance);
    assert_true(distance < 0);
    at = tmli_outline_at(&o, 5 * TMLI_OUTLINE_PARTS + 1.3);
    CHECK_CLOSE(at.curvature, -20, 1e-11);  // the corner that is not convex
}

typedef struct found {
    int count;
    double least;
    tmli_vec2 p;
} found;

static void note(const tmli_outline_place *at, void *user)
{
    found *f = user;
    f->count++;
    f->least = fmin(f->least, hypot(at->c.x - f->p.x, at->c.y - f->p.y));
    // perpendicular to the curve
    CHECK_SMALL((at->c.x - f->p.x) * at->n.y - (at->c.y - f->p.y) * at->n.x, 1e-12);
}

static void distances(void **state)
{
    (void)state;
    rng r = rng_seed(8);
    double point[3 * 24];
    tmli_outline o[2];
    ring_of(24, 0.7, 0.2, point);
    assert_int_equal(tmli_outline_spline(point, 24, 1, &arena, &o[0], NULL), TML_OK);
    assert_int_equal(tmli_outline_polygon(point, 24, 1, 0.02, &arena, &o[1], NULL), TML_OK);
    for (int k = 0; k < 200; k++) {
        const tmli_outline *c = &o[k % 2];
        const tmli_vec2 p = {rng_range(&r, -1, 1), rng_range(&r, -1, 1)};
        double least = INFINITY, distance, rough;
        for (double s = 0; s < c->nparts; s += 0.01) {
            const tmli_outline_place at = tmli_outline_at(c, s);
            least = fmin(least, hypot(at.c.x - p.x, at.c.y - p.y));
        }
        tmli_outline_place at = tmli_outline_nearest(c, p, &distance);
        CHECK_CLOSE(distance * distance, least * least, 3e-7);  // samples 5e-4 m apart, and curved
        assert_true(fabs(distance) <= least + 1e-14);
        const double beyond = hypot(p.x, p.y) - 0.7 * (1 + 0.2 * cos(3 * atan2(p.y, p.x)));
        if (fabs(beyond) > 0.02) assert_int_equal(distance < 0, beyond < 0);
        found f = {.least = INFINITY, .p = p};
        const int near = tmli_outline_near(c, p, 1.2 * fabs(distance), note, &f);
        assert_int_equal(near, f.count);
        assert_true(f.count >= 1);
        CHECK_CLOSE(f.least, fabs(distance), 1e-14);
        tmli_outline_place again;
        assert_true(tmli_outline_follow(c, p, at.s + 2, &again));
        assert_true(tmli_outline_nearest_within(c, p, 1.1 * fabs(distance), &again, &rough));
        CHECK_CLOSE(rough, distance, 1e-5);
        assert_false(tmli_outline_nearest_within(c, p, 0.9 * fabs(distance), &again, &rough));
    }
}

static void says(tml_status st, const tml_error *err, const char *words)
{
    assert_int_equal(st, TML_ERR_MODEL);
    if (!strstr(err->msg, words)) fail_msg("'%s' instead of '%s'", err->msg, words);
}

static void mistakes(void **state)
{
    (void)state;
    static const double two[] = {0, 0, 0, 1, 0, 0}, same[] = {0, 0, 0, 1, 0, 0, 1, 0, 0},
                        line[] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, small[] = {0, 0, 0, 1, 0, 0, 1, 0.1, 0};
    tml_error err = {0};
    tmli_outline o;
    says(tmli_outline_spline(two, 2, 1, &arena, &o, &err), &err, "at least 3 points");
    says(tmli_outline_spline(same, 3, 1, &arena, &o, &err), &err, "point 2 of its outline is the same");
    says(tmli_outline_spline(line, 3, 1, &arena, &o, &err), &err, "no area");
    says(tmli_outline_polygon(small, 3, 1, 0.05, &arena, &o, &err), &err, "too short for corners");
}

// A bow about the origin, thinner in its middle than its chords are away from it, by 40 points outside and 57
// inside.
static int bow_of(double thickness, double *point)
{
    int n = 0;
    for (int side = 1; side >= -1; side -= 2) {
        const int count = side > 0 ? 40 : 57;
        for (int i = 0; i <= count; i++, n++) {
            const double a = TURN / 2 * (side > 0 ? i : count - i) / count,
                         r = 1 + side * (thickness / 2 + 0.2 * cos(a) * cos(a));
            point[3 * n] = r * cos(a);
            point[3 * n + 1] = r * sin(a);
        }
        for (int i = 1; i < 8; i++, n++) {  // round ends
            const double a = TURN / 2 * i / 8, r = thickness / 2 + 0.2;
            point[3 * n] = -side * (1 + side * r * cos(a));
            point[3 * n + 1] = -r * sin(a);
        }
    }
    return n;
}

// A curve with a loop crosses itself, wherever it lies.
static void crossing_anywhere(void **state)
{
    (void)state;
    double point[3 * 50];
    for (int k = 0; k < 8; k++) {
        const double x = 2.3 * cos(TURN * k / 8), y = 2.3 * sin(TURN * k / 8);
        tmli_outline o;
        tmli_vec2 at = {9, 9};
        for (int i = 0; i < 50; i++) {
            const double a = TURN * (i + 0.4) / 50, r = 0.5 + cos(a);
            point[3 * i] = x + r * cos(a);
            point[3 * i + 1] = y + r * sin(a);
            point[3 * i + 2] = 0;
        }
        assert_int_equal(tmli_outline_spline(point, 50, 1, &arena, &o, NULL), TML_OK);
        assert_true(tmli_outline_crosses(&o, &at));
        assert_true(hypot(at.x - x, at.y - y) < 0.1);
    }
}

static void crossings(void **state)
{
    (void)state;
    double point[3 * 200];
    tmli_outline o;
    tmli_vec2 at = {9, 9};
    // a curve with a loop crosses itself at the origin
    for (int i = 0; i < 50; i++) {
        const double a = TURN * (i + 0.4) / 50, r = 0.5 + cos(a);
        point[3 * i] = r * cos(a);
        point[3 * i + 1] = r * sin(a);
    }
    assert_int_equal(tmli_outline_spline(point, 50, 1, &arena, &o, NULL), TML_OK);
    assert_true(tmli_outline_crosses(&o, &at));
    assert_true(hypot(at.x, at.y) < 0.1);
    assert_int_equal(tmli_outline_polygon(point, 50, 1, 1e-4, &arena, &o, NULL), TML_OK);
    assert_true(tmli_outline_crosses(&o, &at));
    // rings, and thin bows, do not
    for (int count = 3; count < 60; count += 7) {
        ring_of(count, 0.7, count > 20 ? 0.4 : 0, point);
        assert_int_equal(tmli_outline_spline(point, count, 1, &arena, &o, NULL), TML_OK);
        assert_false(tmli_outline_crosses(&o, &at));
        assert_int_equal(tmli_outline_polygon(point, count, 1, 0.01, &arena, &o, NULL), TML_OK);
        assert_false(tmli_outline_crosses(&o, &at));
    }
    for (double thickness = 1e-2; thickness > 5e-6; thickness /= 2) {
        const int n = bow_of(thickness, point);
        assert_int_equal(tmli_outline_spline(point, n, 1, &arena, &o, NULL), TML_OK);
        assert_false(tmli_outline_crosses(&o, &at));
    }
}

// The tree finds what a search of all parts finds, with any number of blocks.
static void trees(void **state)
{
    (void)state;
    rng r = rng_seed(5);
    double point[3 * 400];
    for (int count = 3; count <= 400; count = count * 2 + 1) {
        tmli_outline o;
        ring_of(count, 0.7, count > 20 ? 0.3 : 0.05, point);
        assert_int_equal(tmli_outline_spline(point, count, 1, &arena, &o, NULL), TML_OK);
        for (int k = 0; k < 50; k++) {
            const tmli_vec2 p = {rng_range(&r, -1, 1), rng_range(&r, -1, 1)};
            double distance, least = INFINITY;
            (void)tmli_outline_nearest(&o, p, &distance);
            found all = {.least = INFINITY, .p = p};
            assert_true(tmli_outline_near(&o, p, 1e9, note, &all) >= 1);  // each block is visited
            CHECK_CLOSE(fabs(distance), all.least, 1e-15);
            for (int i = 0; i < o.nparts; i++) least = fmin(least, hypot(o.at[i].x - p.x, o.at[i].y - p.y));
            assert_true(fabs(distance) <= least);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spline),   cmocka_unit_test(senses),
                                       cmocka_unit_test(polygon),  cmocka_unit_test(distances),
                                       cmocka_unit_test(mistakes), cmocka_unit_test(crossings),
                                       cmocka_unit_test(trees),    cmocka_unit_test(crossing_anywhere)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tmli_arena_clear(&arena);
    return failed;
}
